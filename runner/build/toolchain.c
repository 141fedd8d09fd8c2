/* Finds nvcc: its possible places, the real program behind wrappers and links, and its version.
 *
 * Asking nvcc costs two runs of it, so the answer is kept in the cache folder under the file's
 * identity (path, size, time). */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "words/build.h"

static bool runs(const char *const *argv, sandbox_exit *e, lib_message *msg) {
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.mode = SANDBOX_NONE;
    q.argv = argv;
    q.wall_s = 30;
    q.cancel = lib_cancel();
    if (sandbox_run(&q, e, msg)) return false;
    if (e->end == SANDBOX_END_EXIT && e->code == 0) return true;
    lib_message how;
    sandbox_exit_message(e, &how);
    char *first = lib_format("%.*s", (int)strcspn(e->output, "\n"), e->output);
    lib_message_set(msg, w_build_tool_does_not_run(argv[0], &how, first));
    free(first);
    sandbox_exit_free(e);
    return false;
}

/* Asks the nvcc at `path` for its own folder and version. */
static bool toolchain_ask(const char *path, build_toolchain *t, lib_message *msg) {
    sandbox_exit e;
    if (!runs((const char *const[]){path, "--dryrun", "-x", "cu", "/dev/null", "-c", "-o",
                                    "/dev/null", NULL},
              &e, msg))
        return false;
    const char *here = strstr(e.output, "_HERE_=");
    if (here) snprintf(t->home, sizeof t->home, "%.*s", (int)strcspn(here + 7, "\r\n"), here + 7);
    sandbox_exit_free(&e);
    char *bin = here ? realpath(t->home, NULL) : NULL;
    if (!bin) {
        lib_message_set(msg, w_build_nvcc_without_toolkit(path));
        return false;
    }
    snprintf(t->nvcc, sizeof t->nvcc, "%s/nvcc", bin);
    snprintf(t->ptxas, sizeof t->ptxas, "%s/ptxas", bin);
    char *slash = strrchr(bin, '/');
    if (slash && slash != bin) *slash = 0;
    snprintf(t->home, sizeof t->home, "%s", bin);
    free(bin);
    if (!runs((const char *const[]){t->nvcc, "--version", NULL}, &e, msg)) return false;
    const char *v = strstr(e.output, ", V");
    snprintf(t->version, sizeof t->version, "%.*s", v ? (int)strcspn(v + 3, "\r\n") : 7,
             v ? v + 3 : "unknown");
    sandbox_exit_free(&e);
    return true;
}

static bool kept(const lib_paths *p, const char *path, const struct stat *st, build_toolchain *t,
                 bool store) {
    char *file = lib_path_join(p->cache, "toolchain");
    char *id = lib_format("%s %lld %lld.%09ld %llu", path, (long long)st->st_size,
                          (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                          (unsigned long long)st->st_ino);
    bool ok = false;
    if (store) {
        if (lib_make_folders(p->cache, NULL)) {
            char *text =
                lib_format("%s\n%s\n%s\n%s\n%s\n", id, t->nvcc, t->home, t->ptxas, t->version);
            ok = lib_write_file(file, text, strlen(text), NULL);
            free(text);
        }
    } else {
        char *text = lib_read_file(file, 4096, NULL, NULL), *save = NULL;
        if (text) {
            char *line = strtok_r(text, "\n", &save);
            if (line && !strcmp(line, id)) {
                const char *nvcc = strtok_r(NULL, "\n", &save), *home = strtok_r(NULL, "\n", &save),
                           *ptxas = strtok_r(NULL, "\n", &save),
                           *version = strtok_r(NULL, "\n", &save);
                if (version && !access(nvcc, X_OK)) {
                    snprintf(t->nvcc, sizeof t->nvcc, "%s", nvcc);
                    snprintf(t->home, sizeof t->home, "%s", home);
                    snprintf(t->ptxas, sizeof t->ptxas, "%s", ptxas);
                    snprintf(t->version, sizeof t->version, "%s", version);
                    ok = true;
                }
            }
            free(text);
        }
    }
    free(id);
    free(file);
    return ok;
}

static bool toolchain_consider(const lib_paths *p, const char *path, build_toolchain *t,
                               lib_message *why) {
    struct stat st;
    if (!path || stat(path, &st) || !S_ISREG(st.st_mode) || access(path, X_OK)) return false;
    if (kept(p, path, &st, t, false)) return true;
    if (!toolchain_ask(path, t, why)) return false;
    kept(p, path, &st, t, true); /* best effort: a full disk only costs the run of nvcc */
    return true;
}

static bool consider_in(const lib_paths *p, const char *folder, const char *rest,
                        build_toolchain *t, lib_message *why) {
    char *path = lib_format("%s%s", folder, rest);
    bool ok = toolchain_consider(p, path, t, why);
    free(path);
    return ok;
}

/* /usr/local/cuda-13.0, /usr/local/cuda-12.6 ...: the newest first. */
static bool consider_versions(const lib_paths *p, build_toolchain *t, lib_message *why) {
    DIR *d = opendir("/usr/local");
    if (!d) return false;
    char best[16][64];
    double version[16];
    size_t n = 0;
    for (struct dirent *e; n < 16 && (e = readdir(d));) {
        if (strncmp(e->d_name, "cuda-", 5) || strlen(e->d_name) >= sizeof best[0]) continue;
        double v = strtod(e->d_name + 5, NULL);
        size_t i = n++;
        for (; i && version[i - 1] < v; i--) {
            version[i] = version[i - 1];
            memcpy(best[i], best[i - 1], sizeof best[i]);
        }
        version[i] = v;
        snprintf(best[i], sizeof best[i], "%s", e->d_name);
    }
    closedir(d);
    for (size_t i = 0; i < n; i++) {
        char *path = lib_format("/usr/local/%s/bin/nvcc", best[i]);
        bool ok = toolchain_consider(p, path, t, why);
        free(path);
        if (ok) return true;
    }
    return false;
}

static bool consider_path(const lib_paths *p, build_toolchain *t, lib_message *why) {
    const char *path = getenv("PATH");
    for (const char *s = path; s && *s;) {
        size_t n = strcspn(s, ":");
        if (n && *s == '/') {
            char *folder = lib_format("%.*s", (int)n, s);
            bool ok = consider_in(p, folder, "/nvcc", t, why);
            free(folder);
            if (ok) return true;
        }
        s += n + (s[n] == ':');
    }
    return false;
}

static bool toolchain_find(const lib_paths *p, build_toolchain *t, lib_message *why) {
    const char *given = getenv("WARPLAB_NVCC");
    if (given && *given) {
        if (toolchain_consider(p, given, t, why)) return true;
        if (!lib_message_any(why)) lib_message_set(why, w_build_nvcc_no_program(given));
        return false;
    }
    /* NVIDIA's wheels put everything under nvidia/cu13 (nvidia/cuNN for later ones). */
    if (consider_in(p, p->toolchain, "/nvidia/cu13/bin/nvcc", t, why)) return true;
    const char *hide = getenv("WARPLAB_NO_SYSTEM_CUDA");
    if (hide && *hide && strcmp(hide, "0")) return false;
    if (consider_path(p, t, why)) return true;
    const char *home = getenv("CUDA_HOME");
    if (home && *home == '/' && consider_in(p, home, "/bin/nvcc", t, why)) return true;
    return consider_in(p, "/usr/local/cuda", "/bin/nvcc", t, why) || consider_versions(p, t, why) ||
           consider_in(p, "/opt/cuda", "/bin/nvcc", t, why);
}

static bool toolchain_look(build_toolchain *found, lib_message *msg) {
    const lib_paths *p = lib_paths_get(msg);
    if (!p) return false;
    build_toolchain t = {0};
    lib_message why = {0};
    static const char *const compilers[] = {"/usr/bin/g++", "/usr/local/bin/g++", "/usr/bin/c++"};
    for (size_t i = 0; i < 3 && !*t.cxx; i++) {
        if (!access(compilers[i], X_OK)) snprintf(t.cxx, sizeof t.cxx, "%s", compilers[i]);
    }
    if (!*t.cxx) {
        lib_message_set(msg, w_build_no_host_compiler());
        return false;
    }
    if (!toolchain_find(p, &t, &why)) {
        char *bring = lib_format(p->installed ? "%s/setup/nvcc.sh" : "make -C %s setup", p->root);
        lib_message_set(msg, lib_message_any(&why)
                                 ? w_build_no_nvcc_that_runs(p->toolchain, &why, bring)
                                 : w_build_no_nvcc(p->toolchain, bring));
        free(bring);
        return false;
    }
    *found = t;
    return true;
}

const build_toolchain *build_toolchain_get(lib_message *msg) {
    /* two builds may ask at the same time */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static build_toolchain found;
    pthread_mutex_lock(&lock);
    bool ok = *found.nvcc || toolchain_look(&found, msg);
    pthread_mutex_unlock(&lock);
    return ok ? &found : NULL;
}

/* ---- nvdisasm ---- */

static char *disassembler_find(const build_toolchain *t, const lib_paths *p) {
    const char *given = getenv("WARPLAB_NVDISASM"), *path = getenv("PATH");
    if (given && *given) return access(given, X_OK) ? NULL : lib_strdup(given);
    const char *slash = strrchr(t->ptxas, '/');
    char *all =
        lib_format("%.*s:%s/nvidia/cu13/bin:%s:/usr/local/cuda/bin",
                   slash ? (int)(slash - t->ptxas) : 0, t->ptxas, p->toolchain, path ? path : "");
    char *found = lib_find_program(all, "nvdisasm");
    free(all);
    return found;
}

const char *build_disassembler(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *found;
    static bool looked;
    lib_message ignored;
    const lib_paths *p = lib_paths_get(&ignored);
    const build_toolchain *t = p ? build_toolchain_get(&ignored) : NULL;
    pthread_mutex_lock(&lock);
    if (t && !looked) {
        found = disassembler_find(t, p);
        looked = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
