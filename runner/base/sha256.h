/* SHA-256 (FIPS 180-4): names of submissions and records, cache keys, and the one-way step from a
 * secret seed to the inputs made from it. Two texts with the same hash must be the same bytes, even
 * if their author is hostile. */
#ifndef WARPLAB_GRADER_SHA256_H
#define WARPLAB_GRADER_SHA256_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sha256_ctx lib_sha256;
static inline void lib_sha256_init(lib_sha256 *s) {
    sha256_init(s);
}
static inline void lib_sha256_add(lib_sha256 *s, const void *data, size_t n) {
    sha256_update(s, n, data);
}
/* Adds the text with its NUL, so that "ab","c" and "a","bc" differ; NULL counts as "". */
void lib_sha256_add_text(lib_sha256 *s, const char *text);
/* Ends the sum; s starts again. */
static inline void lib_sha256_end(lib_sha256 *s, unsigned char out[32]) {
    sha256_digest(s, SHA256_DIGEST_SIZE, out);
}
void lib_sha256_end_hex(lib_sha256 *s, char hex[65]); /* 64 lower-case digits and NUL */

/* HMAC (RFC 2104) with SHA-256: it cannot be made without the key. */
void lib_hmac(const void *key, size_t key_n, const void *data, size_t n, unsigned char out[32]);
/* The same as 64 lower-case digits and NUL. */
void lib_hmac_hex(const void *key, size_t key_n, const void *data, size_t n, char hex[65]);
/* Takes the same time wherever the two differ. */
bool lib_same_hex(const char *a, const char *b);

#endif
