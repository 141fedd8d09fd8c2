/* A fat binary with one PTX text as it is: container header, one entry of kind PTX, no compression.
 * The layout is that of runner/device/sim/load/fatbin.c. */
#ifndef TESTS_UNIT_FATBIN_FIXTURE_H
#define TESTS_UNIT_FATBIN_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
    struct {
        uint16_t kind, version;
        uint32_t header;
        uint64_t size;
        uint32_t compressed, x0;
        uint16_t minor, major;
        uint32_t arch, x1, x2;
        uint64_t flags, x3, uncompressed;
    } entry;
    char text[];
} fatbin_file;

/* Of `n` bytes of text, padded to eights; *bytes (NULL: not asked) is how long it is. free() it. */
static inline fatbin_file *fatbin_of(const char *text, size_t n, size_t *bytes) {
    size_t padded = (n + 7) & ~(size_t)7, all = sizeof(fatbin_file) + padded;
    fatbin_file *f = calloc(1, all);
    if (!f) abort();
    f->magic = 0xBA55ED50;
    f->version = 1;
    f->header = 16;
    f->size = sizeof f->entry + padded;
    f->entry.kind = 1;
    f->entry.version = 0x101;
    f->entry.header = sizeof f->entry;
    f->entry.size = padded;
    f->entry.minor = 5;
    f->entry.major = 7;
    f->entry.arch = 75;
    memcpy(f->text, text, n);
    if (bytes) *bytes = all;
    return f;
}

#endif
