/* Taking submissions in: from folders and archives into OUT/submissions, each file once, named by
 * its hash, read-only.
 *
 *   IN/STUDENT/LAB.cu                      a folder a student
 *   IN.zip with .../STUDENT/LAB.cu         one archive of a course
 *   IN/NAME.zip with [.../]LAB.cu          an archive a student
 *
 * Who handed a file in is said by the outermost thing that the course handed over, never by what a
 * student could name: the folder or the archive in IN; in the archive of a course the folder at the
 * level of the shallowest ones, so that a folder within a student's is still that student's.
 *
 * What is handed in is not trusted: links, devices and odd names are refused, sizes and counts are
 * bounded, an archive is read as a stream and nothing in it chooses a path on this machine. */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/order.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "grader/course/store.h"

enum { MAX_NAME = 100 };
static const uint64_t most_held = (uint64_t)256 << 20;

typedef struct {
    const grade_batch *b;
    int out;
    store_manifest *m;
    lib_message *msg;
    uint64_t total, files;
    bool full; /* a limit of the whole was reached */
    /* Labs of several files that an archive has begun: whole only where it ends. */
    struct partial {
        char student[MAX_NAME + 1], lab[MAX_NAME + 1];
        char *source;
        lib_buffer text;
        const char *problem;
    } * partials;
    size_t partial_count;
    uint64_t held; /* bytes in them */
} intake;

static uint64_t source_limit(const grade_batch *b) {
    return b->source_limit ? b->source_limit : (uint64_t)1 << 20;
}

/* One component of a path that may stand for a student or a lab. */
bool ingest_name_ok(const char *name) {
    size_t n = strlen(name);
    if (!n || n > MAX_NAME || name[0] == '.') return false;
    char *clean = lib_clean(name, n);
    bool ok = clean && !strcmp(clean, name) && !strpbrk(name, "/\\\n\t");
    free(clean);
    return ok;
}

bool ingest_take(const grade_batch *b, int out, store_entry *e, const char *data, size_t n,
                 lib_message *msg) {
    char path[96], why[160];
    lib_sha256 h;
    e->size = n;
    if (n > source_limit(b)) {
        SAY(why, "the file has more than %llu bytes, the limit of a submission",
            (unsigned long long)source_limit(b));
        e->problem = strdup(why);
        return true;
    }
    lib_sha256_init(&h);
    lib_sha256_add(&h, data, n);
    lib_sha256_end_hex(&h, e->sha);
    SAY(path, "submissions/%s.cu", e->sha);
    struct stat st;
    if (!fstatat(out, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_size == n)
        return true;
    return store_write(out, path, data, n, 0400, msg);
}

/* "vector-add.cu" -> "vector-add"; NULL when the name is no lab's. */
static char *lab_of(const char *file) {
    size_t n = strlen(file);
    if (n <= 3 || strcmp(file + n - 3, ".cu") != 0) return NULL;
    return strndup(file, n - 3);
}

static bool within_limits(intake *t, uint64_t size, const char *path) {
    uint64_t total = t->b->total_limit ? t->b->total_limit : (uint64_t)4 << 30,
             count = t->b->count_limit ? t->b->count_limit : 100000;
    if (t->full) return false;
    t->files++;
    t->total += size;
    if (t->files <= count && t->total <= total) return true;
    t->full = true;
    manifest_refuse(
        t->m, path,
        "the limit of files or bytes of one batch is reached; this and what follows is left out");
    return false;
}

/* A file of a student. data NULL: it could not be taken, `problem` says why. */
static bool ingest_member(intake *t, const char *student, const char *file, const char *source,
                          const char *data, size_t n, const char *problem) {
    char *lab = lab_of(file);
    bool ok = true;
    if (!lab) manifest_refuse(t->m, source, "expected STUDENT/LAB.cu");
    else if (!ingest_name_ok(student) || !ingest_name_ok(lab))
        manifest_refuse(
            t->m, source,
            "the name of the student or the lab has characters that are not accepted, or more "
            "than 100 bytes");
    else {
        store_entry *e = manifest_add(t->m, student, lab, source);
        if (!e) {
            lib_message_set2(t->msg, "out of memory", "内存不足");
            ok = false;
        } else if (problem) e->problem = strdup(problem);
        else ok = ingest_take(t->b, t->out, e, data, n, t->msg);
    }
    free(lab);
    return ok;
}

/* ---- labs of several files ---- */

static bool ingest_folder_lab(const intake *t, const char *lab) {
    return ingest_name_ok(lab) && t->b->lab_folder && t->b->lab_folder(t->b->user, lab);
}

/* One file of it, in whatever order they come. False: out of memory. */
static bool partial_add(intake *t, const char *student, const char *lab, const char *file,
                        const char *source, const char *data, size_t n, const char *problem) {
    size_t i = 0;
    while (i < t->partial_count &&
           (strcmp(t->partials[i].student, student) != 0 || strcmp(t->partials[i].lab, lab) != 0))
        i++;
    if (!ingest_name_ok(student) || !lib_part_name_ok(file)) {
        manifest_refuse(
            t->m, source,
            "expected STUDENT/LAB/FILE with a plain name: lower-case letters, digits, - "
            "and _, then .cu, .cuh or .h");
        return true;
    }
    if (i == t->partial_count) {
        struct partial *more = realloc(t->partials, (i + 1) * sizeof *more);
        if (!more) return false;
        t->partials = more;
        t->partials[t->partial_count++] = (struct partial){.source = strdup(source)};
        SAY(more[i].student, "%s", student);
        SAY(more[i].lab, "%s", lab);
        /* The folder is what was handed in. */
        char *slash = more[i].source ? strrchr(more[i].source, '/') : NULL;
        if (slash) *slash = 0;
    }
    struct partial *p = &t->partials[i];
    if (problem) p->problem = problem;
    else if (p->text.n + n > source_limit(t->b)) p->problem = "its files are too long together";
    else if (t->held + n > most_held)
        p->problem = "the archive holds too many labs of several files";
    if (p->problem) return p->source != NULL;
    lib_parts_add(&p->text, file, data, n);
    t->held += n;
    return p->source && !p->text.failed;
}

static bool partials_take(intake *t, bool ok) {
    for (size_t i = 0; i < t->partial_count; i++) {
        struct partial *p = &t->partials[i];
        char file[MAX_NAME + 4];
        SAY(file, "%s.cu", p->lab);
        if (ok)
            ok = ingest_member(t, p->student, file, p->source, p->text.s ? p->text.s : "",
                               p->text.n, p->problem);
        lib_buffer_free(&p->text);
        free(p->source);
    }
    free(t->partials);
    t->partials = NULL;
    t->partial_count = 0;
    t->held = 0;
    return ok;
}

/* ---- archives ---- */

static bool is_archive(const char *name) {
    static const char *const ends[] = {".zip",    ".tar",     ".tar.gz", ".tgz",
                                       ".tar.xz", ".tar.zst", ".tar.bz2"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && !strcmp(name + n - strlen(ends[i]), ends[i])) return true;
    return false;
}

/* "alice.tar.gz" -> "alice" */
static char *base_of(const char *name) {
    const char *slash = strrchr(name, '/');
    char *base = strdup(slash ? slash + 1 : name);
    for (size_t n = base ? strlen(base) : 0; base && is_archive(base) && n; n = strlen(base)) {
        char *dot = strrchr(base, '.');
        *dot = 0;
        if (strlen(base) > 4 && !strcmp(base + strlen(base) - 4, ".tar"))
            base[strlen(base) - 4] = 0;
    }
    return base;
}

/* The last two components of an entry's path; false for a path that climbs or starts at the root,
 * or is no file for us. */
static bool ingest_split(const char *path, char parent[MAX_NAME + 1], char file[MAX_NAME + 4]) {
    parent[0] = file[0] = 0;
    if (*path == '/') return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && !memcmp(p, "..", 2)) return false;
        if (n && !(n == 1 && *p == '.')) {
            if (n > MAX_NAME + 3) return false;
            if (strlen(file) > MAX_NAME) return false;
            strcpy(parent, file);
            memcpy(file, p, n);
            file[n] = 0;
        }
        p += n + (p[n] == '/');
    }
    return *file != 0;
}

/* The component of a path at `level`, of a path with `depth` of them; both without "." */
static unsigned path_component(const char *path, unsigned level, char out[MAX_NAME + 4]) {
    unsigned depth = 0;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n && !(n == 1 && *p == '.')) {
            if (depth == level && n <= MAX_NAME + 3) {
                memcpy(out, p, n);
                out[n] = 0;
            }
            depth++;
        }
        p += n + (p[n] == '/');
    }
    return depth;
}

static struct archive *open_archive(int fd) {
    struct archive *a = archive_read_new();
    if (!a) return NULL;
    /* Only what is decompressed in this process: libarchive's other filters start programs. */
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    if (lseek(fd, 0, SEEK_SET) < 0 || archive_read_open_fd(a, fd, 65536) != ARCHIVE_OK) {
        archive_read_free(a);
        return NULL;
    }
    return a;
}

static bool is_source(const char *file) {
    size_t n = strlen(file);
    return n > 3 && !strcmp(file + n - 3, ".cu");
}

static bool is_part(const char *file) {
    return is_source(file) || lib_part_is_header(file);
}

/* Walks the archive. student NULL: the folder at *level is the student. With `find` nothing is
 * taken, and *level becomes that of the shallowest folder that holds a .cu file. */
static bool walk_archive(intake *t, int fd, const char *name, const char *student, unsigned *level,
                         bool find) {
    struct archive *a = open_archive(fd);
    struct archive_entry *entry;
    char parent[MAX_NAME + 1], file[MAX_NAME + 4], folder[MAX_NAME + 4];
    uint64_t limit = source_limit(t->b), entries = 0;
    char *data = malloc(limit + 2);
    bool ok = data != NULL;
    int rc = a ? ARCHIVE_OK : ARCHIVE_FATAL;
    while (ok && a && !t->full && (rc = archive_read_next_header(a, &entry)) != ARCHIVE_EOF &&
           rc != ARCHIVE_FATAL) {
        const char *path = archive_entry_pathname(entry);
        lib_buffer where = {0};
        if (++entries > 1000000) break; /* an archive of nothing but names */
        if (!path || archive_entry_filetype(entry) == AE_IFDIR) continue;
        bool good = ingest_split(path, parent, file) && !strstr(path, "__MACOSX/");
        bool part = good && is_part(file) && ingest_folder_lab(t, parent);
        folder[0] = 0;
        unsigned depth = student ? 0 : path_component(path, *level, folder);
        if (part && depth) depth--; /* its folder stands for the file */
        if (find) {
            if (good && is_source(file) && depth >= 2 && depth - 2 < *level) *level = depth - 2;
            continue;
        }
        if (!student && (depth < 2 || depth - 2 < *level))
            folder[0] = 0; /* the file itself, or less */
        if (strstr(path, "__MACOSX/") || file[0] == '.') continue;
        char *clean = lib_clean(path, strlen(path));
        lib_buffer_printf(&where, "%s/%s", name, clean ? clean : "");
        free(clean);
        char *source = lib_buffer_take(&where);
        const char *who = student ? student : folder;
        if (!source) ok = false;
        else if (!good)
            manifest_refuse(t->m, source, "a path that leaves the archive, or is too long");
        else if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
            manifest_refuse(t->m, source, "a link or a special file");
        else if (!*who) manifest_refuse(t->m, source, "expected STUDENT/LAB.cu");
        else if (is_source(file) || part) {
            size_t len = 0;
            la_ssize_t k = 0;
            while (len <= limit && (k = archive_read_data(a, data + len, limit + 1 - len)) > 0)
                len += (size_t)k;
            if (!within_limits(t, len, source)) {
                free(source);
                break;
            }
            const char *problem = k < 0 ? "the archive is damaged at this file" : NULL;
            ok = part ? partial_add(t, who, parent, file, source, data, len, problem)
                      : ingest_member(t, who, file, source, data, len, problem);
        } else manifest_refuse(t->m, source, "expected STUDENT/LAB.cu");
        free(source);
    }
    if (!find && rc == ARCHIVE_FATAL)
        manifest_refuse(
            t->m, name,
            a ? "the archive is damaged"
              : "not an archive that can be read (zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst)");
    if (a) archive_read_free(a);
    if (!data) lib_message_set2(t->msg, "out of memory", "内存不足");
    free(data);
    return ok;
}

/* student NULL: it is the archive of a course. */
static bool take_archive(intake *t, int fd, const char *name, const char *student) {
    unsigned level = UINT_MAX;
    bool ok = student ? walk_archive(t, fd, name, student, &level, false)
                      : walk_archive(t, fd, name, NULL, &level, true) &&
                            walk_archive(t, fd, name, NULL, &level, false);
    return partials_take(t, ok);
}

/* ---- folders ---- */

/* The names in a folder, sorted, hidden ones left out. NULL-ended; NULL when it cannot be read. */
static char **list(int fd) {
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return NULL;
    }
    char **names = malloc(sizeof *names);
    size_t n = 0;
    struct dirent *e;
    while (names && (e = readdir(d))) {
        if (e->d_name[0] == '.' || !strcmp(e->d_name, "__MACOSX")) continue;
        char **more = realloc(names, (n + 2) * sizeof *more);
        if (!more) break;
        names = more;
        if (!(names[n] = strdup(e->d_name))) break;
        n++;
    }
    closedir(d);
    if (!names) return NULL;
    names[n] = NULL;
    qsort(names, n, sizeof *names, lib_by_text);
    return names;
}

static void free_list(char **names) {
    for (size_t i = 0; names && names[i]; i++) free(names[i]);
    free(names);
}

static bool take_file(intake *t, int folder, const char *student, const char *file,
                      const char *source) {
    int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0) close(fd);
        return ingest_member(t, student, file, source, NULL, 0,
                             errno == ELOOP || fd >= 0
                                 ? "not a regular file (a link or a special file)"
                                 : "the file cannot be read");
    }
    uint64_t limit = source_limit(t->b);
    size_t want = (uint64_t)st.st_size > limit ? (size_t)limit + 1 : (size_t)st.st_size, len = 0;
    bool ok = true;
    if (within_limits(t, want, source)) {
        char *data = malloc(want + 1);
        ssize_t k = data ? 1 : -1;
        while (data && len < want && (k = read(fd, data + len, want - len)) > 0) len += (size_t)k;
        ok = ingest_member(t, student, file, source, data, len,
                           k < 0 || !data ? "the file cannot be read" : NULL);
        free(data);
    }
    close(fd);
    return ok;
}

/* STUDENT/LAB/, a folder of files. */
static bool take_lab_folder(intake *t, int parent, const char *student, const char *lab,
                            const char *source) {
    struct stat st;
    char path[64], file[MAX_NAME + 4];
    int fd = openat(parent, lab, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    lib_message why = {0};
    size_t n = 0;
    SAY(path, "/proc/self/fd/%d", fd); /* the folder that was opened, whatever its name is now */
    SAY(file, "%s.cu", lab);
    char *text =
        fd >= 0 && !fstat(fd, &st) ? lib_read_source(path, source_limit(t->b), &n, &why) : NULL;
    if (fd >= 0) close(fd);
    bool ok = true;
    if (!text)
        ok = ingest_member(t, student, file, source, NULL, 0,
                           "its files cannot be read: expected 1 to 8 regular files .cu, .cuh or "
                           ".h, together within the limit of a submission");
    else if (within_limits(t, n, source))
        ok = ingest_member(t, student, file, source, text, n, NULL);
    free(text);
    return ok;
}

static bool take_student(intake *t, int in, const char *student) {
    int fd = openat(in, student, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
        keep = fd >= 0 ? dup(fd) : -1;
    char **names = fd >= 0 ? list(fd) : NULL;
    bool ok = true;
    if (!names || keep < 0) manifest_refuse(t->m, student, "the folder cannot be read");
    for (size_t i = 0; names && keep >= 0 && names[i] && ok && !t->full; i++) {
        lib_buffer b = {0};
        lib_buffer_printf(&b, "%s/%s", student, names[i]);
        char *source = lib_buffer_take(&b);
        if (!source) ok = false;
        else if (is_archive(names[i])) {
            int archive = openat(keep, names[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
            if (archive >= 0) ok = take_archive(t, archive, source, student), close(archive);
        } else if (ingest_folder_lab(t, names[i]))
            ok = take_lab_folder(t, keep, student, names[i], source);
        else ok = take_file(t, keep, student, names[i], source);
        free(source);
    }
    free_list(names);
    if (keep >= 0) close(keep);
    return ok;
}

static bool take_folder(intake *t, int in) {
    int copy = dup(in);
    char **names = copy >= 0 ? list(copy) : NULL;
    bool ok = names != NULL;
    if (!ok) lib_message_set(t->msg, "cannot read the folder %s: %s", t->b->in, strerror(errno));
    for (size_t i = 0; names && names[i] && ok && !t->full; i++) {
        struct stat st;
        if (fstatat(in, names[i], &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (S_ISDIR(st.st_mode)) ok = take_student(t, in, names[i]);
        else if (S_ISREG(st.st_mode) && is_archive(names[i])) {
            int fd = openat(in, names[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
            char *base = base_of(names[i]);
            if (fd >= 0 && base) ok = take_archive(t, fd, names[i], base);
            free(base);
            if (fd >= 0) close(fd);
        } else
            manifest_refuse(t->m, names[i],
                            "expected a folder STUDENT with LAB.cu in it, or an archive");
    }
    free_list(names);
    return ok;
}

bool batch_ingest(const grade_batch *b, int out, store_manifest *m, lib_message *msg) {
    intake t = {.b = b, .out = out, .m = m, .msg = msg};
    struct stat st;
    int in = open(b->in, O_RDONLY | O_CLOEXEC);
    bool ok = false;
    if (in < 0 || fstat(in, &st))
        lib_message_set2(msg, "cannot open %s: %s", "无法打开 %s：%s", b->in, strerror(errno));
    else if (S_ISDIR(st.st_mode)) ok = take_folder(&t, in);
    else if (S_ISREG(st.st_mode))
        ok = take_archive(&t, in, strrchr(b->in, '/') ? strrchr(b->in, '/') + 1 : b->in, NULL);
    else
        lib_message_set2(msg, "%s is neither a folder nor an archive",
                         "%s 既不是文件夹也不是压缩包", b->in);
    if (in >= 0) close(in);
    manifest_sort(m);
    return ok;
}
