/* Gradings that need not run again: CACHE/check/KEY contains how many claims held, and then what
 * was measured, one line each. If a claim failed, the grading is not kept, so that what is being
 * fixed always runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/sha256.h"
#include "runner/build/build.h"
#include "runner/device/sim/sim.h"
#include "runner/lesson/measure.h"
#include "runner/prove/prover.h"
#include "grader/lab.h"

#define KEEP_FORMAT "warplab check 2"

static void add_file(lib_sha256 *h, const char *path) {
    size_t n = 0;
    lib_message ignored;
    char *text = lib_read_file(path, PROVE_SOURCE_BYTES, &n, &ignored);
    const char *slash = strrchr(path, '/');
    lib_sha256_add_text(h, slash ? slash + 1 : path);
    if (text) lib_sha256_add(h, text, n + 1);
    free(text);
}

/* Adds a file's size and time, which identify the build of a program of ours without reading it. */
static void add_build(lib_sha256 *h, const char *path) {
    struct stat st;
    char text[80] = "";
    if (!stat(path, &st))
        snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)st.st_size,
                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    lib_sha256_add_text(h, text);
}

static void add_headers(lib_sha256 *h, const char *folder) {
    size_t n;
    char **names = lib_folder_names(folder, &n);
    for (size_t i = 0; i < n; i++) {
        const char *dot = strrchr(names[i], '.');
        char *path = lib_path_join(folder, names[i]);
        if (dot && (!strcmp(dot, ".h") || !strcmp(dot, ".cuh"))) add_file(h, path);
        free(path);
    }
    lib_lab_names_free(names, n);
}

/* Adds Warplab, the compiler, the disassembler, and the environment variables that change what they
 * do. */
static void add_tools(lib_sha256 *h) {
    static const char *const variables[] = {"WARPLAB_GPU_ALONE", "WARPLAB_LIBCUDA"};
    char switches[SIM_SWITCHES];
    const char *disassembler = build_disassembler();
    lib_message ignored;
    const lib_paths *p = lib_paths_get(&ignored);
    const build_toolchain *t = build_toolchain_get(&ignored);
    lib_sha256_add_text(h, KEEP_FORMAT);
    lib_sha256_add_text(h, lib_version());
    add_build(h, "/proc/self/exe");
    char *lib = p ? lib_path_join(p->libs, "libcudart.so.13") : NULL;
    if (lib) add_build(h, lib);
    free(lib);
    if (p) add_headers(h, p->kernels);
    lib_sha256_add_text(h, t ? t->nvcc : "");
    lib_sha256_add_text(h, t ? t->version : "");
    lib_sha256_add_text(h, disassembler ? disassembler : "");
    if (disassembler) add_build(h, disassembler);
    lib_sha256_add_text(h, sim_switches(switches, sizeof switches));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *v = getenv(variables[i]);
        lib_sha256_add_text(h, v ? v : "");
    }
}

void keep_key(const prover *p, const char *program, const char *baseline, const char *device,
              const char *more, char key[KEEP_KEY]) {
    const lab *l = p->l;
    lib_sha256 h;
    char hash[32];
    lib_sha256_init(&h);
    add_tools(&h);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)l->hash);
    lib_sha256_add_text(&h, hash);
    lib_sha256_add_text(&h, l->id);
    lib_sha256_add_text(&h, device);
    lib_sha256_add_text(&h, more);
    if (p->o->lang != LIB_EN)
        lib_sha256_add_text(&h, lib_lang_name(p->o->lang)); /* the language of what was measured */
    add_file(&h, program);
    add_file(&h, baseline);
    char *own = lib_path_join(l->root, "kernels");
    if (l->grade.home) add_headers(&h, own);
    free(own);
    /* the programs with which its answers are compared */
    for (size_t i = 0; i < l->grade.goal_count; i++) {
        char path[800];
        if (!l->grade.goals[i].said || l->grade.goals[i].said->kind == GRADE_SAID_TEXT) continue;
        measure_source(l, &l->asked[i], program, path, sizeof path);
        add_file(&h, path);
        measure_baseline(l, &l->asked[i], path, sizeof path);
        add_file(&h, path);
    }
    lib_sha256_end_hex(&h, key);
}

static char *keep_path(const char *key) {
    lib_message ignored;
    const lib_paths *p = lib_paths_get(&ignored);
    return p ? lib_format("%s/check/%.2s/%s", p->cache, key, key + 2) : NULL;
}

int keep_get(const char key[KEEP_KEY], char **measured) {
    lib_message ignored;
    char *path = keep_path(key), *text = path ? lib_read_file(path, 1 << 16, NULL, &ignored) : NULL;
    int claims = -1;
    if (text && (sscanf(text, "%d", &claims) != 1 || claims < 0)) claims = -1;
    const char *lines = text ? strchr(text, '\n') : NULL;
    *measured = claims >= 0 ? lib_strdup(lines ? lines + 1 : "") : NULL;
    free(text);
    free(path);
    return claims;
}

/* A cache that cannot be written only costs time. */
void keep_put(const char key[KEEP_KEY], int claims, const char *measured) {
    lib_message ignored;
    char *path = keep_path(key);
    if (!path) return;
    char *text = lib_format("%d\n%s", claims, measured);
    char *folder = lib_format("%.*s", (int)(strrchr(path, '/') - path), path);
    if (lib_make_folders(folder, &ignored)) lib_write_file(path, text, strlen(text), &ignored);
    free(folder);
    free(text);
    free(path);
}
