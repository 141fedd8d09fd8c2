/* See kept.h.
 *
 *   cache/said/HA/HASH   the hash of the text in hexadecimal, a newline, the text
 *
 * The hash shows whether the file is complete: after a loss of power it may be half written. */
#include "runner/grade/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"

bool kept_key(const sim_command *c, const char *tool, char key[KEPT_KEY]) {
    struct stat st;
    char about[96];
    lib_sha256 h;
    if (!c->input || !c->output || c->files || c->made || stat(tool, &st)) return false;
    SAY(about, "%lld/%lld.%09ld/%zu", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
        st.st_mtim.tv_nsec, c->output_max);
    lib_sha256_init(&h);
    lib_sha256_add_text(&h, "warplab said 1");
    lib_sha256_add_text(&h, tool);
    lib_sha256_add_text(&h, about);
    for (size_t i = 1; c->argv[i]; i++) lib_sha256_add_text(&h, c->argv[i]);
    lib_sha256_add_text(&h, "");
    lib_sha256_add(&h, c->input, c->input_len);
    lib_sha256_end_hex(&h, key);
    return true;
}

/* malloc'ed; NULL: there is no cache */
static char *kept_place(const char *key) {
    const lib_paths *p = lib_paths_get(NULL);
    return p ? lib_format("%s/said/%.2s/%s", p->cache, key, key + 2) : NULL;
}

static void hash_text(const char *text, size_t n, char hex[65]) {
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, text, n);
    lib_sha256_end_hex(&h, hex);
}

bool kept_find(const sim_command *c, const char *key) {
    size_t n = 0;
    char hex[65] = "", *path = kept_place(key);
    char *text = path ? lib_read_file(path, c->output_max + sizeof hex, &n, NULL) : NULL;
    bool whole = text && n >= sizeof hex && text[64] == '\n' && n - sizeof hex <= c->output_max;
    if (whole) hash_text(text + sizeof hex, n - sizeof hex, hex);
    whole = whole && !memcmp(text, hex, 64);
    if (whole) memcpy(c->output, text + sizeof hex, n - sizeof hex + 1);
    free(text);
    free(path);
    return whole;
}

void kept_put(const sim_command *c, const char *key) {
    char hex[65], *path = kept_place(key), *slash = path ? strrchr(path, '/') : NULL;
    char *temporary = path ? lib_format("%s.tmp%ld", path, (long)getpid()) : NULL;
    FILE *f = NULL;
    if (slash) {
        *slash = 0;
        if (lib_make_folders(path, NULL)) f = fopen(temporary, "we");
        *slash = '/';
    }
    if (f) {
        hash_text(c->output, strlen(c->output), hex);
        bool ok = fprintf(f, "%s\n%s", hex, c->output) >= 0;
        if (fclose(f) || !ok || rename(temporary, path)) unlink(temporary);
    }
    free(temporary);
    free(path);
}
