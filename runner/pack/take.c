/* Copies a pack's files from a folder or a git repository. Both may be hostile. Files with plain
 * names in the right places are copied if they are regular, few and small; everything else is left
 * out and counted. */
#include "runner/pack/take.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grader/intake/git.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "words/pack.h"

enum {
    TAKE_FILES = 2000,
    TAKE_ONE = 1 << 20,
    TAKE_ALL = 32 << 20,
    TAKE_NAME = 100,
    TAKE_DEPTH = 4,
    CLONE_SECONDS = 300,
    CLONE_FILE = 256 << 20
};

/* ---- which files ---- */

static bool plain_name(const char *s, size_t n) {
    if (!n || n > TAKE_NAME || *s == '.' || *s == '-') return false;
    for (size_t i = 0; i < n; i++) {
        bool ok = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
                  (s[i] >= '0' && s[i] <= '9') || strchr("._-", s[i]);
        if (!ok) return false;
    }
    return true;
}

/* The folders with files of a pack, and the endings of these files. */
static const struct {
    const char *folder, *ends;
} kinds[] = {{"", "pack.lua README.md LICENSE"},
             {"labs/", ".lua .cu facts.txt"},
             {"kernels/", ".cu .cuh .h"},
             {"answers/", ".cu"},
             {"answers/traps/*/", ".cu"}};

static bool ends_like(const char *name, const char *ends) {
    size_t n = strlen(name);
    for (const char *p = ends; *p;) {
        size_t len = strcspn(p, " ");
        bool whole = *p != '.';
        if ((whole ? n == len : n > len) && !strncmp(name + n - len, p, len)) return true;
        p += len + (p[len] == ' ');
    }
    return false;
}

static bool is_of_pack(const char *path) {
    char folder[4 * TAKE_NAME] = "";
    const char *p = path;
    for (const char *slash; (slash = strchr(p, '/')); p = slash + 1) {
        bool trap = !strcmp(folder, "answers/traps/");
        size_t used = strlen(folder), n = (size_t)(slash - p);
        if (!plain_name(p, n) || used + n + 2 > sizeof folder) return false;
        if (trap) strcat(folder, "*/");
        else snprintf(folder + used, sizeof folder - used, "%.*s/", (int)n, p);
    }
    if (!plain_name(p, strlen(p))) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].folder, folder)) return ends_like(p, kinds[i].ends);
    return false;
}

/* ---- what is taken ---- */

typedef struct {
    const char *to;
    pack_done *done;
    lib_message *msg;
    size_t files, bytes;
} taking;

static void leave_out(taking *t, const char *path) {
    if (!t->done->left_out++) {
        char *clean = lib_clean(path, strlen(path));
        SAY(t->done->first_left, "%s", clean ? clean : "");
        free(clean);
    }
}

static bool take_one(taking *t, const char *path, const char *text, size_t n) {
    t->files++;
    t->bytes += n;
    if (t->files > TAKE_FILES || t->bytes > TAKE_ALL || n > TAKE_ONE) {
        lib_message_set(t->msg, w_pack_too_much(path, TAKE_FILES, TAKE_ONE >> 10, TAKE_ALL >> 20));
        return false;
    }
    char *whole = lib_path_join(t->to, path), *folder = lib_strdup(whole);
    *strrchr(folder, '/') = 0;
    bool ok = lib_make_folders(folder, t->msg) && lib_write_file(whole, text, n, t->msg);
    free(folder);
    free(whole);
    return ok;
}

/* ---- from a folder ---- */

static bool take_file(taking *t, int at, const char *name, const char *path) {
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0) close(fd);
        leave_out(t, path);
        return true;
    }
    char *text = lib_malloc(TAKE_ONE + 1);
    size_t n = 0;
    for (ssize_t k; n <= TAKE_ONE && (k = read(fd, text + n, TAKE_ONE + 1 - n)) != 0;) {
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) break;
        n += (size_t)k;
    }
    close(fd);
    bool ok = take_one(t, path, text, n);
    free(text);
    return ok;
}

/* Takes ownership of fd. Names that begin with a dot (.git) are skipped and not counted. */
static bool take_folder(taking *t, int fd, const char *before, int depth) {
    DIR *d = fdopendir(fd);
    bool ok = d != NULL;
    if (!d) close(fd);
    for (struct dirent *e; ok && !lib_cancel_flag && (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        char *path = lib_format("%s%s", before, e->d_name);
        struct stat st;
        bool there = !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW);
        if (there && S_ISDIR(st.st_mode) && depth < TAKE_DEPTH) {
            int sub = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            char *inside = lib_format("%s/", path);
            if (sub >= 0) ok = take_folder(t, sub, inside, depth + 1);
            free(inside);
        } else if (is_of_pack(path)) {
            ok = take_file(t, dirfd(d), e->d_name, path);
        } else {
            leave_out(t, path);
        }
        if (t->done->left_out > 100 * TAKE_FILES) ok = take_one(t, path, "", TAKE_ALL + 1);
        free(path);
    }
    if (d) closedir(d);
    return ok;
}

/* ---- from a repository ---- */

bool take_is_address(const char *from) {
    size_t colon = strcspn(from, ":"), slash = strcspn(from, "/");
    return colon < slash && from[colon]; /* https://, file://, git@host:path */
}

static bool address_ok(const char *from, const char *at, lib_message *msg) {
    static const char *const ways[] = {"https://", "ssh://", "file://", "git@"};
    bool known = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        known |= !strncmp(from, ways[i], strlen(ways[i]));
    if (!known) lib_message_set(msg, w_pack_neither_folder_nor_repository(from));
    size_t n = at ? strlen(at) : 1;
    bool named = !at || (n && n < 100 && *at != '-' && !strstr(at, "..") &&
                         strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "._/-") == n);
    if (known && !named) lib_message_set(msg, w_pack_tag_expected(at));
    return known && named;
}

/* In the child: runs git so that nothing in the repository is started. The user's own configuration
 * (a proxy, a key) applies. */
static void clone_exec(const char *from, const char *at, const char *to, int err) {
    const char *argv[20];
    size_t k = 0;
    static const char *const fixed[] = {"git",
                                        "-c",
                                        "core.hooksPath=/dev/null",
                                        "-c",
                                        "core.fsmonitor=false",
                                        "clone",
                                        "--quiet",
                                        "--bare",
                                        "--depth",
                                        "1",
                                        "--no-tags",
                                        "--single-branch"};
    struct rlimit file = {CLONE_FILE, CLONE_FILE};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[k++] = fixed[i];
    if (at) argv[k++] = "--branch", argv[k++] = at;
    argv[k++] = "--";
    argv[k++] = from;
    argv[k++] = to;
    argv[k] = NULL;
    setpgid(0, 0);
    setrlimit(RLIMIT_FSIZE, &file);
    setenv("GIT_TERMINAL_PROMPT", "0", 1);
    setenv("GIT_ALLOW_PROTOCOL", "https:ssh:file", 1);
    setenv("GIT_SSH_COMMAND", "ssh -o BatchMode=yes", 0);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(err, 2);
    execvp("git", (char *const *)argv);
    fprintf(stderr, "git: %s\n", strerror(errno));
    _exit(127);
}

/* Reports git's last message, or that it took too long. */
static void clone_failed(const char *from, FILE *err, bool late, lib_message *msg) {
    char line[300], last[300] = "";
    rewind(err);
    while (fgets(line, sizeof line, err))
        if (strcspn(line, "\r\n"))
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\r\n"), line);
    char *said = lib_clean(last, strlen(last));
    lib_message_set(msg, late ? w_pack_fetch_too_slow(from) : w_pack_not_fetched(from, said));
    free(said);
}

static bool clone_to(const char *from, const char *at, const char *to, lib_message *msg) {
    FILE *err = tmpfile();
    if (!err) {
        lib_message_set(msg, w_pack_no_temporary_file(errno));
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) clone_exec(from, at, to, fileno(err));
    double end = lib_now() + CLONE_SECONDS;
    int status = pid > 0 ? lib_child_wait(pid, true, lib_cancel(), end) : -1;
    bool ok = !status;
    if (!ok) clone_failed(from, err, lib_now() > end, msg);
    fclose(err);
    return ok;
}

static bool take_commit(taking *t, const char *repository) {
    char commit[65];
    int64_t when;
    size_t n = 0;
    if (!git_commit_at(repository, NULL, 0, commit, &when, t->msg)) return false;
    char *list = git_list(repository, commit, &n, t->msg);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i += strlen(list + i) + 1) {
        const char *path = list + i;
        if (*path == '.') continue; /* .gitignore, .github */
        if (!is_of_pack(path)) {
            leave_out(t, path);
            continue;
        }
        size_t length;
        char *text = git_bytes(repository, commit, path, TAKE_ONE, &length, t->msg);
        ok = text && take_one(t, path, text, length);
        free(text);
    }
    free(list);
    return ok;
}

bool take_pack_files(const char *from, const char *at, const char *to, pack_done *done,
                     lib_message *msg) {
    taking t = {.to = to, .done = done, .msg = msg};
    bool ok;
    if (take_is_address(from)) {
        char *repository = lib_format("%s.git", to);
        ok = address_ok(from, at, msg) && clone_to(from, at, repository, msg) &&
             take_commit(&t, repository);
        lib_remove_tree(repository);
        free(repository);
    } else {
        int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ok = fd >= 0 && take_folder(&t, fd, "", 0);
        if (fd < 0) lib_message_set(msg, w_pack_cannot_open_folder(from, errno));
    }
    if (lib_cancel_flag) {
        lib_message_set(msg, w_pack_cancelled());
        return false;
    }
    return ok;
}
