/* See cache.h.
 *
 *   cache/build/KEY/  program, log (warnings), deps, HASH.sass (machine.h); or only log (errors: an
 *                     unchanged file is not compiled again to say the same)
 *   cache/machine/TOOL/HASH/HASH.sass  texts of machine code by themselves */

#include "runner/build/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/sha256.h"
#include "runner/build/steps.h"
#include "words/build.h"

/* MACHINE_SHARE: texts by themselves may take this part of the cache's size. Most of them are one
 * file with a build's own. */
enum { MACHINE_SHARE = 8 };

/* The headers of a whole program are known only after its compile: "HASH path" lines, which must
 * still be true. */
static bool cache_deps_hold(const char *place) {
    char *path = lib_path_join(place, "deps"), *save = NULL;
    char *text = lib_read_file(path, 0, NULL, NULL);
    free(path);
    bool ok = true;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && ok;
         line = strtok_r(NULL, "\n", &save)) {
        char hex[65];
        ok = strlen(line) > 65 && build_hash_file(line + 65, hex) && !memcmp(hex, line, 64);
    }
    free(text);
    return ok;
}

/* A cached log has SHOWN in place of the file's name, because the same text may come again under
 * another name. */
#define SHOWN "\x01"
static char *cache_renamed(const char *text, const char *from, const char *to) {
    size_t times = 0, cut = strlen(from), put = strlen(to);
    for (const char *p = text; cut && (p = strstr(p, from)); p += cut) times++;
    char *out = malloc(strlen(text) + times * put + 1), *o = out;
    if (!out) abort();
    for (const char *p = text, *next; *p; p = next + cut) {
        next = times ? strstr(p, from) : NULL;
        size_t n = next ? (size_t)(next - p) : strlen(p);
        memcpy(o, p, n);
        o += n;
        if (!next) break;
        memcpy(o, to, put);
        o += put;
    }
    *o = 0;
    return out;
}

bool build_cache_find(build_job *b) {
    if (b->q->no_cache) return false;
    char *program = lib_path_join(b->place, "program"), *log = lib_path_join(b->place, "log");
    char *text = lib_read_file(log, 0, NULL, NULL);
    bool have = lib_is_file(program), hit = text && cache_deps_hold(b->place);
    if (hit) {
        utimensat(AT_FDCWD, b->place, NULL, 0); /* time of its last use, for trim.c */
        b->r->cached = true;
        b->r->ok = have;
        free(b->r->log);
        b->r->log = cache_renamed(text, SHOWN, job_shown(b));
        free(text);
        if (have) {
            b->r->program = program;
            program = NULL;
        }
    } else {
        free(text);
    }
    free(program);
    free(log);
    return hit;
}

/* Returns whether the build at b->place is complete and its headers are unchanged. */
static bool cache_place_holds(const build_job *b) {
    char *log = lib_path_join(b->place, "log"), *program = lib_path_join(b->place, "program"),
         *ours = lib_path_join(b->temporary, "new/program");
    bool holds =
        lib_is_file(log) && lib_is_file(program) == lib_is_file(ours) && cache_deps_hold(b->place);
    free(log);
    free(program);
    free(ours);
    return holds;
}

/* Moves new/ to its place. If another process was faster, its build is as good and may be running
 * already, so it stays, unless it is stale. */
static bool cache_move(build_job *b) {
    lib_message msg = {0};
    char *parent = lib_strdup(b->place), *fresh = lib_path_join(b->temporary, "new");
    *strrchr(parent, '/') = 0;
    bool ok = lib_make_folders(parent, &msg);
    for (int tries = 0; ok && rename(fresh, b->place); tries++) {
        int error = errno;
        bool taken = error == EEXIST || error == ENOTEMPTY;
        if (taken && !b->q->no_cache && cache_place_holds(b)) break;
        if (!taken || tries == 3) {
            lib_message_set(&msg, w_build_cannot_keep(b->place, error));
            ok = false;
            break;
        }
        char *old = lib_format("%s/old%d", b->temporary, tries);
        if (rename(b->place, old) && errno != ENOENT) tries = 2;
        free(old);
    }
    free(parent);
    free(fresh);
    return ok ? true : job_infra_message(b, &msg);
}

bool build_cache_keep(build_job *b) {
    char *log = cache_renamed(b->r->log ? b->r->log : "", job_shown(b), SHOWN);
    bool kept = job_put_file(b, "new", "log", log, strlen(log), 0644) && cache_move(b);
    free(log);
    if (kept) {
        char *folder = lib_path_join(b->paths->cache, "build");
        build_cache_trim(folder, build_cache_limit());
        free(folder);
    }
    return kept;
}

/* ---- texts of machine code ---- */

void build_cache_hash(const void *bytes, size_t n, char hex[BUILD_CACHE_HASH + 1]) {
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add(&s, bytes, n);
    lib_sha256_end_hex(&s, hex);
}

/* In the sandbox another user may read it. */
static bool make_readable(const char *folder) {
    lib_message ignored;
    return lib_make_folders(folder, &ignored) && !chmod(folder, 0755);
}

char *build_cache_texts(void) {
    lib_message ignored;
    const char *tool = build_disassembler();
    const lib_paths *p = lib_paths_get(&ignored);
    if (!tool || !p) return NULL;
    char hex[BUILD_CACHE_HASH + 1];
    build_cache_hash(tool, strlen(tool), hex);
    char *folder = lib_format("%s/machine/%s", p->cache, hex);
    if (make_readable(folder)) return folder;
    free(folder);
    return NULL;
}

void build_cache_keep_text(const char *path, const char *text, size_t n, const char *hash) {
    lib_message ignored;
    char *kept = build_cache_texts();
    if (!kept) return;
    char *folder = lib_path_join(kept, hash),
         *file = lib_format("%s/" BUILD_MACHINE_FILE, folder, hash);
    if (!access(file, R_OK)) {
        utimensat(AT_FDCWD, folder, NULL, 0); /* for build_cache_trim() */
    } else if (make_readable(folder)) {
        if (!path || link(path, file)) {
            size_t len = n;
            char *own = path ? lib_read_file(path, BUILD_MACHINE_BYTES, &len, NULL) : NULL;
            if (own || text) lib_write_file(file, own ? own : text, len, &ignored);
            free(own);
        }
        *strrchr(kept, '/') = 0;
        build_cache_trim(kept, build_cache_limit() / MACHINE_SHARE);
    }
    free(folder);
    free(file);
    free(kept);
}
