/* What the tests of the PTX front end share: reading files, and a module around single
 * instructions. */
#ifndef WARPLAB_PTX_FIXTURE_H
#define WARPLAB_PTX_FIXTURE_H

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"

/* The whole file, NUL-terminated, malloc'ed; NULL when it cannot be read. */
static inline char *read_text(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *t = malloc((size_t)n + 1);
    *len = t ? fread(t, 1, (size_t)n, f) : 0;
    if (t) t[*len] = 0;
    fclose(f);
    return t;
}

/* tests/ptx/coverage.txt says which names its instructions use. */
#define PTX_FIXTURE_HEAD                                                                           \
    ".version 9.0\n.target sm_90a\n.address_size 64\n.func fn() { ret; }\n.entry k() { .param "    \
    ".b64 pv; "                                                                                    \
    ".reg .pred %p<64>; .reg .b8 %c<64>; .reg .b16 %h<64>; .reg .b32 %r<99>; .reg .b64 %d<64>; "   \
    ".reg .f32 %f<99>; .reg .f64 %fd<64>; .reg .b128 %q<9>;\n"
#define PTX_FIXTURE_TAIL "\nLAB: ret; }\n"

static inline ptx_module *parse_instruction(const char *line, size_t len, lib_message *msg) {
    char text[8192];
    snprintf(text, sizeof text, "%s%.*s%s", PTX_FIXTURE_HEAD, (int)len, line, PTX_FIXTURE_TAIL);
    return ptx_parse(text, strlen(text), msg);
}

/* Calls fn for each line of the file that is neither empty nor a comment; how many. */
static inline unsigned each_line(const char *path,
                                 void (*fn)(const char *line, size_t len, void *user), void *user) {
    size_t len;
    char *text = read_text(path, &len);
    unsigned n = 0;
    for (char *l = text; l && *l;) {
        size_t k = strcspn(l, "\n");
        if (k && *l != '#') {
            fn(l, k, user);
            n++;
        }
        l += k + (l[k] == '\n');
    }
    free(text);
    return n;
}

#endif
