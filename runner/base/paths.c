/* Finds folders: the project's from the executable's place, the user's by the XDG Base Directory
 * rules. */
#include "runner/base/paths.h"

#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/order.h"
#include "words/base.h"

char *lib_path_join(const char *folder, const char *name) {
    return lib_format("%s/%s", folder, name);
}

static const char *home(void) {
    const char *h = getenv("HOME");
    if (h && *h == '/') return h;
    struct passwd *p = getpwuid(getuid());
    return p && p->pw_dir && *p->pw_dir == '/' ? p->pw_dir : "/tmp";
}

/* XDG: a relative path in such a variable is invalid and is ignored. */
static char *xdg(const char *variable, const char *otherwise) {
    const char *v = getenv(variable);
    return v && *v == '/' ? lib_format("%s/warplab", v)
                          : lib_format("%s/%s/warplab", home(), otherwise);
}

static bool has_project(const char *folder) {
    char *labs = lib_path_join(folder, "labs"), *kernels = lib_path_join(folder, "kernels");
    bool ok = lib_is_folder(labs) && lib_is_folder(kernels);
    free(labs);
    free(kernels);
    return ok;
}

/* Returns the folder itself if it contains the labs, or its share/warplab; malloc'ed, or NULL. */
static char *project_at(const char *folder) {
    char *shared = lib_path_join(folder, "share/warplab");
    char *root = has_project(folder) ? lib_strdup(folder) : has_project(shared) ? shared : NULL;
    if (root != shared) free(shared);
    return root;
}

/* Goes to the parent folder, in place. Returns false at the root. */
static bool up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return false;
    *slash = 0;
    return true;
}

/* Returns WARPLAB_ROOT, or the nearest folder above the program that is a project; NULL and a
 * message if there is none. */
static char *paths_root(const char *exe, lib_message *msg) {
    const char *given = getenv("WARPLAB_ROOT");
    if (given && *given) {
        char *real = realpath(given, NULL);
        if (real && has_project(real)) return real;
        lib_message_set(msg, w_base_root_has_no_labs(given));
        free(real);
        return NULL;
    }
    char folder[4096], *root = NULL;
    snprintf(folder, sizeof folder, "%s", exe);
    /* build/warplab, build/tests/test_x, lib/warplab/warplab ... */
    for (int i = 0; i < 4 && !root && up(folder); i++) root = project_at(folder);
    if (!root) lib_message_set(msg, w_base_no_root(exe));
    return root;
}

/* Returns the folder of our libraries: that of warplab; test programs are one folder deeper.
 * Shortens `exe`. */
static char *paths_libs(const char *root, char *exe) {
    const char *libs = getenv("WARPLAB_LIBS");
    if (libs && *libs == '/') return lib_strdup(libs);
    for (int i = 0; i < 2 && up(exe); i++) {
        char *lib = lib_path_join(exe, "libcudart.so.13");
        bool there = lib_is_file(lib);
        free(lib);
        if (there) return lib_strdup(exe);
    }
    return lib_path_join(root, "build");
}

const lib_paths *lib_paths_get(lib_message *msg) {
    static lib_paths paths;
    if (paths.root) return &paths;
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *root = paths_root(exe, msg);
    if (!root) return NULL;
    paths.labs = lib_path_join(root, "labs");
    paths.kernels = lib_path_join(root, "kernels");
    paths.answers = lib_path_join(root, "answers");
    paths.libs = paths_libs(root, exe);
    paths.init = lib_path_join(paths.libs, "warplab-init");
    paths.cache = xdg("XDG_CACHE_HOME", ".cache");
    paths.data = xdg("XDG_DATA_HOME", ".local/share");
    paths.state = xdg("XDG_STATE_HOME", ".local/state");
    char *makefile = lib_path_join(root, "Makefile");
    paths.installed = !lib_is_file(makefile);
    free(makefile);
    paths.toolchain = lib_path_join(root, ".toolchain");
    if (paths.installed && !lib_is_folder(paths.toolchain)) {
        free(paths.toolchain);
        paths.toolchain = lib_path_join(paths.data, "toolchain");
    }
    const char *work = getenv("WARPLAB_WORK");
    paths.work = work && *work == '/' ? lib_strdup(work) : lib_format("%s/warplab", home());
    paths.root = root;
    return &paths;
}

bool lib_lab_id_valid(const char *id) {
    size_t n = strlen(id);
    if (!n || n > 48 || *id == '-' || id[n - 1] == '-') return false;
    for (size_t i = 0; i < n; i++) {
        char c = id[i];
        bool ok =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '-' && id[i + 1] != '-');
        if (!ok) return false;
    }
    return true;
}

char *lib_find_program(const char *list, const char *name) {
    for (const char *s = list; s && *s;) {
        size_t n = strcspn(s, ":");
        char *candidate = lib_format("%.*s/%s", (int)n, s, name);
        if (n && !access(candidate, X_OK) && lib_is_file(candidate)) return candidate;
        free(candidate);
        s += n + (s[n] == ':');
    }
    return NULL;
}

char **lib_lab_names(const lib_paths *p, size_t *n) {
    *n = 0;
    char **names = NULL;
    DIR *d = opendir(p->labs);
    if (!d) return NULL;
    for (struct dirent *e; (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length <= 4 || strcmp(e->d_name + length - 4, ".lua")) continue;
        char *id = lib_strdup(e->d_name);
        id[length - 4] = 0;
        if (!lib_lab_id_valid(id)) {
            free(id);
            continue;
        }
        if (!lib_grow_one(&names, *n, sizeof *names)) {
            free(id);
            break;
        }
        names[(*n)++] = id;
    }
    closedir(d);
    if (*n) qsort(names, *n, sizeof *names, lib_by_text);
    return names;
}

const char *lib_version(void) {
    return WARPLAB_VERSION;
}

void lib_lab_names_free(char **names, size_t n) {
    for (size_t i = 0; i < n; i++) free(names[i]);
    free(names);
}

bool lib_known_form(const char *path, int form, int known, lib_message *msg) {
    if (form <= known) return true;
    lib_message_set(msg, w_base_newer_form(path, form, lib_version(), known));
    return false;
}
