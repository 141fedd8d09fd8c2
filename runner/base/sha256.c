

#include "runner/base/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t ror(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static void round_block(lib_sha256 *s, const unsigned char *p) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
               (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[i] + w[i];
        uint32_t t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

void lib_sha256_init(lib_sha256 *s) {
    static const uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, h, sizeof h);
    s->len = 0;
}

void lib_sha256_add(lib_sha256 *s, const void *data, size_t n) {
    const unsigned char *p = data;
    while (n) {
        size_t at = s->len % 64, take = n < 64 - at ? n : 64 - at;
        if (at == 0 && n >= 64) round_block(s, p);
        else {
            memcpy(s->block + at, p, take);
            if (at + take == 64) round_block(s, s->block);
        }
        s->len += take;
        p += take;
        n -= take;
    }
}

void lib_sha256_end(lib_sha256 *s, unsigned char out[32]) {
    uint64_t bits = s->len * 8;
    unsigned char len[8];
    for (int i = 0; i < 8; i++) len[i] = (unsigned char)(bits >> (56 - 8 * i));
    lib_sha256_add(s, "\x80", 1);
    while (s->len % 64 != 56) lib_sha256_add(s, "", 1);
    lib_sha256_add(s, len, 8);
    for (int i = 0; i < 32; i++) out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void lib_sha256_add_text(lib_sha256 *s, const char *text) {
    lib_sha256_add(s, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static void sha256_hex(const unsigned char d[32], char hex[65]) {
    static const char digit[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = digit[d[i] >> 4];
        hex[2 * i + 1] = digit[d[i] & 15];
    }
    hex[64] = 0;
}

void lib_sha256_end_hex(lib_sha256 *s, char hex[65]) {
    unsigned char d[32];
    lib_sha256_end(s, d);
    sha256_hex(d, hex);
}

void lib_hmac(const void *key, size_t key_n, const void *data, size_t n, unsigned char out[32]) {
    unsigned char block[64] = {0}, inner[32];
    lib_sha256 s;
    if (key_n > sizeof block) {
        lib_sha256_init(&s);
        lib_sha256_add(&s, key, key_n);
        lib_sha256_end(&s, block);
    } else if (key_n) {
        memcpy(block, key, key_n);
    }
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    lib_sha256_init(&s);
    lib_sha256_add(&s, block, sizeof block);
    lib_sha256_add(&s, data, n);
    lib_sha256_end(&s, inner);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    lib_sha256_init(&s);
    lib_sha256_add(&s, block, sizeof block);
    lib_sha256_add(&s, inner, sizeof inner);
    lib_sha256_end(&s, out);
}

void lib_hmac_hex(const void *key, size_t key_n, const void *data, size_t n, char hex[65]) {
    unsigned char d[32];
    lib_hmac(key, key_n, data, n, d);
    sha256_hex(d, hex);
}

bool lib_same_hex(const char *a, const char *b) {
    size_t n = strlen(a);
    unsigned differ = !n;
    if (n != strlen(b)) return false;
    for (size_t i = 0; i < n; i++) differ |= (unsigned)(a[i] ^ b[i]);
    return !differ;
}
