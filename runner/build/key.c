/* The key of a build: text, name, headers, flags, toolchain. See cache.h. */
#include "runner/build/cache.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/order.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"

static void key_headers_of(build_job *b, const char *folder) {
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && b->header_count < BUILD_MAX_HEADERS && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        bool is = dot && (!strcmp(dot, ".h") || !strcmp(dot, ".cuh"));
        for (size_t i = 0; i < b->header_count; i++) is = is && strcmp(b->headers[i], e->d_name);
        if (is) b->headers[b->header_count++] = lib_strdup(e->d_name);
    }
    if (d) closedir(d);
}

static void key_headers(build_job *b) {
    key_headers_of(b, b->q->headers);
    key_headers_of(b, b->paths->kernels);
    qsort(b->headers, b->header_count, sizeof *b->headers, lib_by_text);
}

/* "vector-add.cu", without characters that could have a meaning on a command line or in a
 * message. */
static void key_file_name(build_job *b) {
    const char *base = strrchr(job_shown(b), '/');
    snprintf(b->file, sizeof b->file, "%s", base ? base + 1 : job_shown(b));
    for (char *s = b->file; *s; s++) {
        bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                  (*s >= '0' && *s <= '9') || (*s == '.' && s > b->file) || *s == '_' ||
                  (*s == '-' && s > b->file);
        if (!ok) *s = '_';
    }
    size_t n = strlen(b->file);
    if (n < 4 || strcmp(b->file + n - 3, ".cu")) snprintf(b->file, sizeof b->file, "submission.cu");
}

void build_key(build_job *b) {
    key_file_name(b);
    if (b->q->entry_text) key_headers(b);
    lib_sha256 s;
    char number[32];
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, BUILD_FORMAT);
    lib_sha256_add_text(&s, b->tools->nvcc);
    lib_sha256_add_text(&s, b->tools->version);
    unsigned arch = b->q->arch, also = b->q->also;
    if (also) /* the same program for both orders */
        snprintf(number, sizeof number, "sm_%u sm_%u", arch < also ? arch : also,
                 arch < also ? also : arch);
    else snprintf(number, sizeof number, "sm_%u", arch);
    lib_sha256_add_text(&s, number);
    for (size_t i = 0; i < BUILD_FLAGS; i++) lib_sha256_add_text(&s, build_flags[i]);
    if (b->q->entry_text) {
        char *entry = build_entry_text(&b->entry);
        lib_sha256_add_text(&s, entry);
        free(entry);
        lib_sha256_add_text(&s, b->file);
        for (size_t i = 0; i < b->header_count; i++) {
            char *path = job_header(b, i);
            size_t n;
            char *text = lib_read_file(path, BUILD_SOURCE_LIMIT, &n, NULL);
            lib_sha256_add_text(&s, b->headers[i]);
            if (text) lib_sha256_add(&s, text, n + 1);
            free(text);
            free(path);
        }
    } else {
        char *real = realpath(b->q->source, NULL);
        lib_sha256_add_text(&s, real ? real : b->q->source);
        free(real);
    }
    for (size_t i = 0; i < b->q->flag_count; i++) lib_sha256_add_text(&s, b->q->flags[i]);
    char *here = b->q->flag_count ? realpath(".", NULL) : NULL; /* for folders that they name */
    if (here) lib_sha256_add_text(&s, here);
    free(here);
    if (b->q->debug) lib_sha256_add_text(&s, "-G");
    /* its output is kept */
    else if (b->q->machine_code) lib_sha256_add_text(&s, build_disassembler());
    /* Failures are kept, too, and one at a limit need not occur at another limit. */
    if (b->q->cpu_s > 0) lib_sha256_add_text(&s, lib_number(number, b->q->cpu_s));
    if (b->q->whole_program) lib_sha256_add_text(&s, "a whole program");
    for (size_t i = 0; i < b->part_count; i++) lib_sha256_add_text(&s, b->parts[i].name);
    lib_sha256_add(&s, b->text, b->length);
    lib_sha256_end_hex(&s, b->key);
    b->place = lib_format("%s/build/%.2s/%s", b->paths->cache, b->key, b->key + 2);
}

bool build_hash_file(const char *path, char hex[65]) {
    size_t n;
    char *text = lib_read_file(path, 0, &n, NULL);
    if (!text) return false;
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add(&s, text, n);
    lib_sha256_end_hex(&s, hex);
    free(text);
    return true;
}
