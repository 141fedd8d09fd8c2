/* Machine code for tests that write PTX: ptxas assembles it and nvdisasm reads it, as for a program
 * (runner/build/build.h). Both results are kept in the tests' cache. */
#ifndef WARPLAB_ASSEMBLED_FIXTURE_H
#define WARPLAB_ASSEMBLED_FIXTURE_H

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/build/cache.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"

enum { ASSEMBLED_BYTES = 16 << 20 };

typedef struct {
    char *cubin, *text; /* assembled_free() frees them */
    size_t cubin_len, text_len;
} assembled;

/* Returns whether both tools are here; otherwise it says what is left out. Call it first: it
 * chooses the cache. */
static inline bool assembled_here(const char *what) {
    const char *kept = getenv("WARPLAB_TEST_CACHE"), *b = getenv("B");
    char *cache = kept && *kept ? lib_strdup(kept) : lib_format("%s/test-cache", b ? b : "build");
    char *whole = realpath(".", NULL), *path = lib_path_join(whole, cache);
    setenv("XDG_CACHE_HOME", *cache == '/' ? cache : path, 1);
    free(cache);
    free(whole);
    free(path);
    lib_message ignored;
    bool here = build_toolchain_get(&ignored) && build_disassembler();
    if (!here) printf("skip %s (no ptxas or no nvdisasm: make setup brings them)\n", what);
    return here;
}

static inline void assembled_free(assembled *a) {
    free(a->cubin);
    free(a->text);
    *a = (assembled){0};
}

/* Runs ptxas: PTX in the file `from`, cubin in the file `to`. */
static inline bool assembled_run(const char *ptxas, unsigned arch, const char *from,
                                 const char *to) {
    char target[24];
    pid_t pid;
    int status = 1;
    snprintf(target, sizeof target, "-arch=sm_%u%s", arch, arch == 90 ? "a" : "");
    char *const argv[] = {(char *)ptxas, target, "-o", (char *)to, (char *)from, NULL};
    return !posix_spawn(&pid, ptxas, NULL, NULL, argv, environ) &&
           waitpid(pid, &status, 0) == pid && !status;
}

/* Assembles PTX for an architecture (90: sm_90a). Ends the test if ptxas refuses it. */
static inline assembled assembled_of(const char *ptx, unsigned arch) {
    lib_message msg = {0};
    const build_toolchain *t = build_toolchain_get(&msg);
    const lib_paths *p = lib_paths_get(&msg);
    char *all = lib_format("%s %s %u\n%s", t->ptxas, t->version, arch, ptx),
         hex[BUILD_CACHE_HASH + 1];
    build_cache_hash(all, strlen(all), hex);
    char *folder = lib_path_join(p->cache, "assembled"),
         *kept = lib_format("%s/%s.cubin", folder, hex),
         *own = lib_format("%s/%s.%d", folder, hex, (int)getpid()),
         *from = lib_format("%s.ptx", own);
    assembled a = {.cubin = lib_read_file(kept, ASSEMBLED_BYTES, &a.cubin_len, NULL)};
    if (!a.cubin) {
        bool made = lib_make_folders(folder, &msg) &&
                    lib_write_file(from, ptx, strlen(ptx), &msg) &&
                    assembled_run(t->ptxas, arch, from, own) && !rename(own, kept);
        unlink(from);
        if (made) a.cubin = lib_read_file(kept, ASSEMBLED_BYTES, &a.cubin_len, NULL);
    }
    if (a.cubin) a.text = build_machine_code_own(kept, a.cubin, a.cubin_len, &a.text_len);
    if (!a.text) printf("%s\n", ptx);
    if (!CHECK(a.text != NULL)) exit(1);
    free(all);
    free(folder);
    free(kept);
    free(own);
    free(from);
    return a;
}

/* A module with that machine code: launches on a device with sim_options.machine_code are timed by
 * it. */
static inline sim_module *assembled_module(sim_device *d, const char *profile, const char *ptx) {
    lib_message msg = {0};
    const sim_profile *p = sim_profile_find(profile);
    assembled a = assembled_of(ptx, p->cc_major * 10 + p->cc_minor);
    sim_module_options o = {.ptxas = "",
                            .cubin = a.cubin,
                            .cubin_len = a.cubin_len,
                            .machine_code = a.text,
                            .machine_code_len = a.text_len};
    sim_module *m = sim_module_new(d, ptx, strlen(ptx), &o, &msg);
    if (!m) printf("# %s\n", said(&msg));
    if (!CHECK(m != NULL)) exit(1);
    assembled_free(&a);
    return m;
}

#endif
