/* See tree.h. */
#include "grader/intake/tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/order.h"
#include "words/intake.h"
#include "words/said.h"

enum { PACKED_LIMIT = 64 << 20, PATH_LIMIT = 1000, DEPTH = 12, ENTRIES_OF_ONE = 20000 };

/* How much may be unpacked from one archive, whatever its headers say: 1 GiB for an archive in a
 * folder, 256 MiB for one inside another archive, and in addition 20 times its size on the disk.
 * Each archive has its own limit, so that one student's bomb does not affect the others. */
#define BYTES_OF_ALL    (UINT64_C(4) << 30)
#define BYTES_OF_ONE    (UINT64_C(1) << 30)
#define BYTES_OF_PACKED (UINT64_C(256) << 20)
typedef struct {
    uint64_t bytes, entries;
} budget;

struct tree_source {
    int fd;            /* a file on this machine, or -1 */
    struct archive *a; /* the current entry */
    budget *left;      /* of this archive */
};
typedef struct {
    tree_visit *visit;
    void *user;
    lib_message *msg;
    uint64_t entries;
    unsigned nest;
    budget *left; /* of the current archive */
} visited;

static bool budget_take(budget *left, uint64_t bytes) {
    bool enough = bytes <= left->bytes;
    left->bytes = enough ? left->bytes - bytes : 0;
    return enough;
}

bool tree_is_archive(const char *name) {
    static const char *const ends[] = {".zip",    ".tar",     ".tar.gz", ".tgz",
                                       ".tar.xz", ".tar.zst", ".tar.bz2"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && !strcasecmp(name + n - strlen(ends[i]), ends[i])) return true;
    return false;
}

void tree_strip(char *name) {
    while (tree_is_archive(name)) {
        *strrchr(name, '.') = 0;
        size_t n = strlen(name);
        if (n > 4 && !strcasecmp(name + n - 4, ".tar")) name[n - 4] = 0;
    }
}

char *tree_bytes(const tree_file *f, size_t limit, size_t *n, lib_word_id *problem) {
    char *data = malloc(limit + 2);
    *n = 0;
    *problem = 0;
    while (data && *n <= limit) {
        size_t want = limit + 1 - *n;
        ssize_t k = f->source->a ? archive_read_data(f->source->a, data + *n, want)
                                 : read(f->source->fd, data + *n, want);
        if (k < 0 && !f->source->a && errno == EINTR) continue;
        if (k < 0)
            *problem = f->source->a ? W_INTAKE_ARCHIVE_DAMAGED_HERE : W_INTAKE_FILE_NOT_READABLE;
        if (k <= 0) break;
        *n += (size_t)k;
        if (f->source->a && !budget_take(f->source->left, (uint64_t)k))
            *problem = W_INTAKE_ARCHIVE_UNPACKS_TOO_MUCH;
        if (*problem) break;
    }
    if (data && !*problem) {
        data[*n] = 0;
        return data;
    }
    if (!data) *problem = W_SAID_OUT_OF_MEMORY;
    free(data);
    return NULL;
}

static bool tell(visited *w, const char *path, bool folder, bool repository, lib_word_id problem,
                 tree_source *source) {
    tree_file f = {.path = path,
                   .folder = folder,
                   .repository = repository,
                   .packed = w->nest > 0,
                   .problem = problem,
                   .source = source};
    if (++w->entries <= TREE_ENTRIES) return w->visit(w->user, &f);
    lib_message_set(w->msg, w_intake_too_many_handed_over(TREE_ENTRIES));
    return false;
}

static char *joined(const char *base, const char *name) {
    lib_buffer b = {0};
    lib_buffer_printf(&b, "%s%s%s", base, *base ? "/" : "", name);
    return lib_buffer_take(&b);
}

static bool out_of_memory(visited *w) {
    lib_message_set(w->msg, w_said_out_of_memory());
    return false;
}

/* ---- archives ---- */

static struct archive *archive_new(void) {
    struct archive *a = archive_read_new();
    if (!a) return NULL;
    /* Only filters that run in this process. libarchive's other filters start programs. */
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    return a;
}

/* Copies an entry's path without "." and double slashes. Returns what is wrong with the path, or
 * 0. */
static lib_word_id archive_path(const char *from, char out[PATH_LIMIT + 8]) {
    size_t n = 0;
    lib_word_id why = *from == '/' ? W_INTAKE_PATH_FROM_ROOT : 0;
    for (const char *p = from; *p;) {
        size_t k = strcspn(p, "/");
        if (k == 2 && !memcmp(p, "..", 2)) why = W_INTAKE_PATH_CLIMBS;
        if (k > TREE_NAME + 40) why = W_INTAKE_NAME_TOO_LONG;
        if (k && !(k == 1 && *p == '.')) {
            if (n + k + 1 > PATH_LIMIT) {
                why = W_INTAKE_PATH_TOO_LONG;
                break;
            }
            if (n) out[n++] = '/';
            memcpy(out + n, p, k);
            n += k;
        }
        p += k + (p[k] == '/');
    }
    out[n] = 0;
    return why;
}

/* Files that systems leave behind: ".DS_Store", "__MACOSX/...". */
static bool is_litter(const char *path) {
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (*p == '.' || !strncmp(p, "__MACOSX", 8)) return true;
    }
    return false;
}

static bool walk_archive(visited *w, struct archive *a, const char *base);

/* Walks an archive inside an archive, in memory. */
static bool walk_packed(visited *w, const tree_file *f) {
    size_t n;
    lib_word_id problem;
    char *bytes = tree_bytes(f, PACKED_LIMIT, &n, &problem);
    if (bytes && n > PACKED_LIMIT) problem = W_INTAKE_INNER_ARCHIVE_TOO_LARGE;
    struct archive *a = bytes && !problem ? archive_new() : NULL;
    if (a && archive_read_open_memory(a, bytes, n) != ARCHIVE_OK) problem = W_INTAKE_NOT_ARCHIVE;
    budget inner = {BYTES_OF_PACKED, ENTRIES_OF_ONE}, *outer = w->left;
    w->left = &inner;
    bool ok = a && !problem ? tell(w, f->path, true, false, 0, NULL) && walk_archive(w, a, f->path)
                            : tell(w, f->path, false, false, problem, NULL);
    w->left = outer;
    if (a) archive_read_free(a);
    free(bytes);
    return ok;
}

static bool walk_entry(visited *w, struct archive *a, struct archive_entry *e, const char *base) {
    char inside[PATH_LIMIT + 8];
    const char *raw = archive_entry_pathname(e);
    int type = (int)archive_entry_filetype(e);
    if (!raw) return true;
    lib_word_id problem = archive_path(raw, inside);
    if (!*inside || (!problem && is_litter(inside))) return true;
    char *path = joined(base, inside);
    if (!path) return out_of_memory(w);
    bool ok = true;
    tree_source source = {.fd = -1, .a = a, .left = w->left};
    tree_file f = {.path = path, .packed = true, .source = &source};
    if (type == AE_IFDIR) ok = problem || tell(w, path, true, false, 0, NULL);
    else {
        if (!problem && (type != AE_IFREG || archive_entry_hardlink(e)))
            problem = W_INTAKE_LINK_INSIDE;
        if (problem || !tree_is_archive(path) || w->nest >= TREE_NEST)
            ok = tell(w, path, false, false, problem, &source);
        else ok = walk_packed(w, &f);
    }
    free(path);
    return ok;
}

/* Reads the rest of the entry itself. libarchive would unpack it without a limit, and a small
 * archive can unpack to a terabyte. Returns false if the limit is reached. */
static bool archive_pass(struct archive *a, budget *left) {
    const void *block;
    size_t n;
    la_int64_t at;
    int rc;
    while ((rc = archive_read_data_block(a, &block, &n, &at)) == ARCHIVE_OK || rc == ARCHIVE_WARN)
        if (!budget_take(left, n + 1)) return false;
    return true;
}

static bool walk_archive(visited *w, struct archive *a, const char *base) {
    struct archive_entry *e;
    bool ok = true;
    int rc = ARCHIVE_OK;
    bool enough = true;
    w->nest++;
    while (ok && enough && (rc = archive_read_next_header(a, &e)) != ARCHIVE_EOF &&
           rc != ARCHIVE_FATAL) {
        if (!w->left->entries--) {
            ok = tell(w, base, false, false, W_INTAKE_TOO_MANY_FILES, NULL);
            break;
        }
        ok = ++w->entries > TREE_ENTRIES
                 ? tell(w, base, false, false, W_INTAKE_TOO_MANY_ENTRIES, NULL)
                 : walk_entry(w, a, e, base);
        enough = ok && archive_pass(a, w->left);
        if (ok && !enough)
            ok = tell(w, base, false, false, W_INTAKE_ARCHIVE_UNPACKS_TOO_MUCH, NULL);
    }
    if (ok && rc == ARCHIVE_FATAL) ok = tell(w, base, false, false, W_INTAKE_ARCHIVE_DAMAGED, NULL);
    w->nest--;
    return ok;
}

static bool walk_archive_file(visited *w, int fd, const char *base) {
    struct archive *a = archive_new();
    struct stat st;
    uint64_t size = !fstat(fd, &st) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    /* A whole course may be one archive. */
    budget left = {(*base ? BYTES_OF_ONE : BYTES_OF_ALL) + 20 * size,
                   *base ? ENTRIES_OF_ONE : TREE_ENTRIES};
    bool ok;
    w->left = &left;
    if (!a) ok = out_of_memory(w);
    else if (archive_read_open_fd(a, fd, 65536) != ARCHIVE_OK)
        ok = tell(w, base, false, false, W_INTAKE_ARCHIVE_KIND, NULL);
    else ok = walk_archive(w, a, base);
    if (a) archive_read_free(a);
    w->left = NULL;
    return ok;
}

/* ---- folders ---- */

/* Returns the sorted names in a folder, without hidden ones, NULL-ended; NULL if it cannot be
 * read. */
static char **names_in(int folder) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d) {
        if (copy >= 0) close(copy);
        return NULL;
    }
    char **names = malloc(sizeof *names);
    size_t n = 0;
    struct dirent *e;
    while (names && (e = readdir(d))) {
        if (e->d_name[0] == '.' || !strcmp(e->d_name, "__MACOSX")) continue;
        if (!lib_resize(&names, n + 2, sizeof *names) || !(names[n] = strdup(e->d_name))) break;
        n++;
    }
    closedir(d);
    if (!names) return NULL;
    names[n] = NULL;
    qsort(names, n, sizeof *names, lib_by_text);
    return names;
}

static bool walk_folder(visited *w, int folder, const char *base, unsigned depth);

static bool walk_name(visited *w, int folder, const char *name, const char *path, unsigned depth) {
    struct stat st, git;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW)) return true;
    if (S_ISDIR(st.st_mode)) {
        int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) return tell(w, path, true, false, W_INTAKE_FOLDER_NOT_READABLE, NULL);
        bool repo = !fstatat(fd, ".git", &git, AT_SYMLINK_NOFOLLOW) && S_ISDIR(git.st_mode),
             ok = tell(w, path, true, repo, 0, NULL) && walk_folder(w, fd, path, depth + 1);
        close(fd);
        return ok;
    }
    int fd = S_ISREG(st.st_mode)
                 ? openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
                 : -1;
    if (fd < 0)
        return tell(w, path, false, false,
                    S_ISREG(st.st_mode) ? W_INTAKE_FILE_NOT_READABLE : W_INTAKE_NOT_REGULAR, NULL);
    tree_source source = {.fd = fd};
    bool ok = tree_is_archive(name)
                  ? tell(w, path, true, false, 0, NULL) && walk_archive_file(w, fd, path)
                  : tell(w, path, false, false, 0, &source);
    close(fd);
    return ok;
}

static bool walk_folder(visited *w, int folder, const char *base, unsigned depth) {
    char **names = depth < DEPTH ? names_in(folder) : NULL;
    bool ok = true;
    if (!names) return tell(w, base, true, false, W_INTAKE_FOLDER_NOT_READABLE, NULL);
    for (size_t i = 0; ok && names[i]; i++) {
        char *path = joined(base, names[i]);
        ok = path ? walk_name(w, folder, names[i], path, depth) : out_of_memory(w);
        free(path);
    }
    for (size_t i = 0; names[i]; i++) free(names[i]);
    free(names);
    return ok;
}

bool tree_walk(const char *path, tree_visit *visit, void *user, lib_message *msg) {
    visited w = {.visit = visit, .user = user, .msg = msg};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok = false;
    if (fd < 0 || fstat(fd, &st)) lib_message_set(msg, w_intake_cannot_open(path, errno));
    else if (S_ISDIR(st.st_mode)) ok = walk_folder(&w, fd, "", 0);
    else if (S_ISREG(st.st_mode)) ok = walk_archive_file(&w, fd, "");
    else lib_message_set(msg, w_intake_neither_folder_nor_archive(path));
    if (fd >= 0) close(fd);
    return ok;
}
