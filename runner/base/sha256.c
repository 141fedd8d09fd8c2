/* See sha256.h. nettle computes the sums; this file adds how texts are kept apart, and hexadecimal
 * digits. */
#include "runner/base/sha256.h"

#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>

void lib_sha256_add_text(lib_sha256 *s, const char *text) {
    lib_sha256_add(s, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static void sha256_hex(const unsigned char d[SHA256_DIGEST_SIZE], char hex[65]) {
    base16_encode_update(hex, SHA256_DIGEST_SIZE, d);
    hex[64] = 0;
}

void lib_sha256_end_hex(lib_sha256 *s, char hex[65]) {
    unsigned char d[SHA256_DIGEST_SIZE];
    lib_sha256_end(s, d);
    sha256_hex(d, hex);
}

void lib_hmac(const void *key, size_t key_n, const void *data, size_t n, unsigned char out[32]) {
    struct hmac_sha256_ctx s;
    hmac_sha256_set_key(&s, key_n, key);
    hmac_sha256_update(&s, n, data);
    hmac_sha256_digest(&s, SHA256_DIGEST_SIZE, out);
}

void lib_hmac_hex(const void *key, size_t key_n, const void *data, size_t n, char hex[65]) {
    unsigned char d[SHA256_DIGEST_SIZE];
    lib_hmac(key, key_n, data, n, d);
    sha256_hex(d, hex);
}

bool lib_same_hex(const char *a, const char *b) {
    size_t n = strlen(a);
    return n && n == strlen(b) && memeql_sec(a, b, n);
}
