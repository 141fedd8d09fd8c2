/* Files of a batch: written whole or not at all. */
#include "grader/course/store.h"
#include "grader/json/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/order.h"
#include "runner/base/say.h"
#include "words/course.h"
#include "words/said.h"

typedef lib_words store_failure(const char *path, int error);

static bool store_fail(lib_message *msg, store_failure *what, const char *path) {
    lib_message why;
    int e = errno;
    lib_message_set(&why, what(path, e));
    lib_message_set(msg, e == ENOSPC || e == EDQUOT ? w_course_make_room(&why)
                                                    : lib_message_words(&why));
    return false;
}

/* Adds to `mode` the rights that OUT's group has in OUT, so that staff can share a grading. */
static unsigned shared(int out, unsigned mode) {
    struct stat st;
    if (fstat(out, &st)) return mode;
    return mode | ((mode >> 3) & st.st_mode & 0070);
}

int store_open(const char *out, lib_message *msg) {
    if (mkdir(out, 0700) && errno != EEXIST) {
        store_fail(msg, w_course_cannot_make_folder, out);
        return -1;
    }
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) store_fail(msg, w_course_cannot_open_folder, out);
    return fd;
}

bool store_folder(int out, const char *name, lib_message *msg) {
    struct stat st;
    if (mkdirat(out, name, 0700))
        return errno == EEXIST || store_fail(msg, w_course_cannot_make_folder, name);
    /* The folder has its group from OUT's set-group-ID bit, which must be kept. */
    return fstat(out, &st) || !(st.st_mode & 0070) ||
           !fchmodat(out, name, shared(out, 0700) | (st.st_mode & S_ISGID), 0) ||
           store_fail(msg, w_course_cannot_make_folder, name);
}

int store_lock(int out, const char *name, bool make) {
    int fd = openat(out, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && !make) return openat(out, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = openat(out, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) fchmod(fd, shared(out, 0600));
    return fd;
}

bool store_share(int out, const char *path) {
    return !fchmodat(out, path, shared(out, 0600), 0);
}

static bool sync_folder_of(int out, const char *path) {
    char folder[512];
    lib_say(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    else strcpy(folder, ".");
    int fd = openat(out, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && !fsync(fd);
    if (fd >= 0) close(fd);
    return ok;
}

static bool write_whole(int out, const char *path, const void *data, size_t n, unsigned mode,
                        bool sync, lib_message *msg) {
    char temporary[600];
    /* The process id distinguishes two tasks of a cluster. A file that a killed process left is
     * overwritten or swept. */
    lib_say(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid());
    int fd = openat(out, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return store_fail(msg, w_course_cannot_write, path);
    bool ok = lib_write_all(fd, data, n) && !fchmod(fd, shared(out, mode)) && (!sync || !fsync(fd));
    int e = errno;
    if (close(fd)) ok = false;
    if (ok && renameat(out, temporary, out, path)) ok = false, e = errno;
    if (!ok) {
        unlinkat(out, temporary, 0);
        errno = e;
        return store_fail(msg, w_course_cannot_write, path);
    }
    return !sync || sync_folder_of(out, path) || store_fail(msg, w_course_cannot_sync_folder, path);
}

bool store_write(int out, const char *path, const void *data, size_t n, unsigned mode,
                 lib_message *msg) {
    return write_whole(out, path, data, n, mode, true, msg);
}

bool store_write_again(int out, const char *path, const void *data, size_t n, unsigned mode,
                       lib_message *msg) {
    return write_whole(out, path, data, n, mode, false, msg);
}

void store_sweep(int out, const char *folder) {
    int fd = openat(out, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *end = strrchr(e->d_name, '.');
        size_t digits = end && !strncmp(end, ".tmp", 4) ? strspn(end + 4, "0123456789") : 0;
        /* SQLite adds "-journal" */
        if (digits && (!end[4 + digits] || end[4 + digits] == '-'))
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d) closedir(d);
    else if (fd >= 0) close(fd);
}

char *store_read(int out, const char *path, size_t limit, size_t *n) {
    int fd = openat(out, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char *data = NULL;
    size_t len = 0;
    if (fd < 0) return NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0 || (size_t)st.st_size > limit)
        goto out;
    data = malloc((size_t)st.st_size + 1);
    while (data && len < (size_t)st.st_size) {
        ssize_t k = read(fd, data + len, (size_t)st.st_size - len);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            free(data);
            data = NULL;
        }
        if (k <= 0) break;
        len += (size_t)k;
    }
    if (data) data[len] = 0;
out:
    close(fd);
    if (n) *n = len;
    return data;
}

void store_remove_tree(int at, const char *path) {
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d) {
        struct dirent *e;
        while ((e = readdir(d)))
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                store_remove_tree(dirfd(d), e->d_name);
        closedir(d);
    } else if (fd >= 0) close(fd);
    if (unlinkat(at, path, 0)) unlinkat(at, path, AT_REMOVEDIR);
}

/* ---- the list of submissions ---- */

static void free_entry(store_entry *e) {
    free(e->student);
    free(e->lab);
    free(e->source);
    free(e->problem);
    free(e->name);
    free(e->ids);
}

static void free_lines(char **line, size_t n) {
    for (size_t i = 0; i < n; i++) free(line[i]);
    free(line);
}

void manifest_free(store_manifest *m) {
    for (size_t i = 0; i < m->count; i++) free_entry(&m->entry[i]);
    free_lines(m->refused, m->refused_count);
    free_lines(m->left, m->left_count);
    free(m->entry);
    json_decref(m->left_from);
    json_decref(m->reasons);
    *m = (store_manifest){0};
}

void store_called(const store_entry *e, char *to, size_t n) {
    bool number = strspn(e->student, "0123456789") == strlen(e->student);
    if (number && e->name && *e->name && strcmp(e->name, e->student) != 0)
        lib_say(to, n, "%s (%s)", e->student, e->name);
    else lib_say(to, n, "%s", e->student);
}

store_entry *manifest_add(store_manifest *m, const char *student, const char *lab,
                          const char *source) {
    if (!lib_grow_one(&m->entry, m->count, sizeof *m->entry)) return NULL;
    store_entry *e = &m->entry[m->count];
    *e = (store_entry){.student = strdup(student),
                       .lab = strdup(lab),
                       .source = strdup(source),
                       .name = strdup(""),
                       .ids = strdup("")};
    if (!e->student || !e->lab || !e->source || !e->name || !e->ids) {
        free_entry(e);
        return NULL;
    }
    m->count++;
    return e;
}

static void add_line(char ***list, size_t *count, const char *line) {
    char *own = lib_grow_one(list, *count, sizeof **list) ? strdup(line) : NULL;
    if (own) (*list)[(*count)++] = own;
}

static void add_reason(store_manifest *m, const char *line, json_t *reason) {
    if (!m->reasons) m->reasons = json_object();
    json_object_set_new(m->reasons, line, reason);
}

static void list_file(store_manifest *m, char ***list, size_t *count, const char *path,
                      lib_words words) {
    lib_message why, whole;
    lib_buffer b = {0};
    lib_message_set(&why, words);
    lib_message_set(&whole, w_course_line(path, &why));
    lib_buffer_printf(&b, "%s: ", path);
    lib_words_put(&b, LIB_EN, words);
    char *line = lib_buffer_take(&b), *clean = line ? lib_clean(line, strlen(line)) : NULL;
    if (clean) { /* as it is in the file */
        add_line(list, count, clean);
        add_reason(m, clean, json_message(&whole));
    }
    free(clean);
    free(line);
}

void manifest_refuse(store_manifest *m, const char *path, lib_words why) {
    list_file(m, &m->refused, &m->refused_count, path, why);
}

void manifest_leave(store_manifest *m, const char *path, lib_words why) {
    list_file(m, &m->left, &m->left_count, path, why);
}

void manifest_leave_line(store_manifest *m, const store_manifest *from, const char *line) {
    json_t *reason = json_object_get(from->reasons, line);
    add_line(&m->left, &m->left_count, line);
    if (reason) add_reason(m, line, json_incref(reason));
}

void manifest_said(const store_manifest *m, const char *line, lib_message *to) {
    const json_t *reason = json_object_get(m->reasons, line);
    if (!reason || !json_read_message(to, reason)) lib_message_set(to, w_course_as_it_is(line));
}

bool store_problem(store_entry *e, lib_words why) {
    if (!e->problem) e->problem = malloc(sizeof *e->problem);
    if (e->problem) lib_message_set(e->problem, why);
    return e->problem != NULL;
}

/* Returns whether it is known which of two was handed in first; *c as for qsort(). */
static bool in_order(const store_entry *x, const store_entry *y, int *c) {
    if (x->timed && y->timed && x->time != y->time) {
        *c = x->time < y->time ? -1 : 1;
        return true;
    }
    if (x->order && y->order && x->order != y->order) {
        *c = x->order < y->order ? -1 : 1;
        return true;
    }
    *c = 0;
    return false;
}

static int entry_by_lab(const void *a, const void *b) {
    const store_entry *x = a, *y = b;
    int c = strcmp(x->lab, y->lab);
    if (!c) c = strcmp(x->student, y->student);
    if (!c) in_order(x, y, &c);
    return c ? c : strcmp(x->source, y->source);
}

static bool same_work(const store_entry *x, const store_entry *y) {
    return !strcmp(x->lab, y->lab) && !strcmp(x->student, y->student);
}

void manifest_sort(store_manifest *m) {
    if (m->count) qsort(m->entry, m->count, sizeof *m->entry, entry_by_lab);
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        store_entry *e = &m->entry[i], *before = n ? &m->entry[n - 1] : NULL;
        int c;
        if (before && same_work(before, e) && !in_order(before, e, &c)) {
            if (*e->sha && !strcmp(before->sha, e->sha))
                manifest_refuse(m, e->source,
                                w_course_handed_in_twice(e->student, e->lab, before->source));
            else
                manifest_leave(m, e->source,
                               w_course_order_not_known(e->student, e->lab, before->source));
            free_entry(e);
        } else m->entry[n++] = *e;
    }
    m->count = n;
    if (m->refused_count) qsort(m->refused, m->refused_count, sizeof *m->refused, lib_by_text);
    if (m->left_count) qsort(m->left, m->left_count, sizeof *m->left, lib_by_text);
}

static void keep_text(char **field, const json_t *o, const char *key) {
    char *copy = strdup(report_text(o, key));
    if (!copy) return;
    free(*field);
    *field = copy;
}

/* Reads a whole number up to `most`; 0 if there is none. */
static bool count_read(uint64_t *to, const json_t *x, const char *key, uint64_t most,
                       lib_message *msg) {
    double v = report_number(x, key);
    if (v >= 0 && v <= (double)most && v == floor(v)) {
        *to = (uint64_t)v;
        return true;
    }
    lib_message_set(msg, w_course_manifest_number(report_text(x, "source"), key, (long long)most));
    return false;
}

static bool entry_read(store_entry *e, const json_t *x, lib_message *msg) {
    uint64_t attempt, attempts;
    if (!count_read(&e->size, x, "bytes", (uint64_t)1 << 53, msg) ||
        !count_read(&attempt, x, "attempt", UINT_MAX, msg) ||
        !count_read(&attempts, x, "attempts", UINT_MAX, msg))
        return false;
    e->attempt = (unsigned)attempt;
    e->attempts = (unsigned)attempts;
    SAY(e->sha, "%s", report_text(x, "sha256"));
    SAY(e->key, "%s", report_text(x, "key"));
    lib_message why;
    const json_t *reason = json_object_get(x, "reason");
    if (reason && json_read_message(&why, reason)) store_problem(e, lib_message_words(&why));
    else if (*report_text(x, "problem"))
        store_problem(e, w_course_as_it_is(report_text(x, "problem")));
    keep_text(&e->name, x, "name");
    keep_text(&e->ids, x, "ids");
    e->timed = json_is_integer(json_object_get(x, "time"));
    e->time = json_integer_value(json_object_get(x, "time"));
    e->order = json_integer_value(json_object_get(x, "order"));
    e->late = report_true(x, "late");
    /* true if the field is missing: older versions had no attempts */
    e->graded = !json_is_false(json_object_get(x, "graded"));
    return true;
}

static json_t *entry_write(const store_entry *e) {
    json_t *x = json_object();
    json_object_set_new(x, "student", json_text(e->student));
    json_object_set_new(x, "lab", json_text(e->lab));
    json_object_set_new(x, "key", json_text(e->key));
    json_object_set_new(x, "sha256", json_text(e->sha));
    json_object_set_new(x, "bytes", json_integer((json_int_t)e->size));
    json_object_set_new(x, "source", json_text(e->source));
    if (*e->name) json_object_set_new(x, "name", json_text(e->name));
    if (*e->ids) json_object_set_new(x, "ids", json_text(e->ids));
    if (e->timed) json_object_set_new(x, "time", json_integer(e->time));
    if (e->order) json_object_set_new(x, "order", json_integer(e->order));
    if (e->late) json_object_set_new(x, "late", json_true());
    json_object_set_new(x, "attempt", json_integer(e->attempt));
    json_object_set_new(x, "attempts", json_integer(e->attempts));
    json_object_set_new(x, "graded", json_boolean(e->graded));
    if (e->problem) {
        char *text = lib_words_take(LIB_EN, lib_message_words(e->problem));
        json_object_set_new(x, "problem", json_text(text));
        json_object_set_new(x, "reason", json_message(e->problem));
        free(text);
    }
    return x;
}

static void lines_read(char ***list, size_t *count, const json_t *lines) {
    size_t i;
    const json_t *x;
    json_array_foreach(lines, i, x) if (json_is_string(x) && strstr(json_string_value(x), ": "))
        add_line(list, count, json_string_value(x));
}

/* Returns the format number of a manifest or record; 0 if it has none. */
static int report_form(const json_t *o) {
    json_int_t v = json_integer_value(json_object_get(o, "version"));
    return v < 0 ? 0 : v > INT_MAX ? INT_MAX : (int)v;
}

bool record_known(const json_t *record, const char *key, lib_message *msg) {
    char path[96];
    SAY(path, "records/%.64s.json", key);
    return lib_known_form(path, report_form(record), STORE_FORM, msg);
}

bool store_known(const char *folder, lib_message *msg) {
    *msg = (lib_message){0};
    int out = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out < 0) return true; /* OUT does not exist yet */
    size_t n;
    char *text = store_read(out, "manifest.json", (size_t)1 << 30, &n);
    json_t *o = text ? json_loadb(text, n, 0, NULL) : NULL;
    bool ok = !o || lib_known_form("manifest.json", report_form(o), STORE_FORM, msg);
    json_decref(o);
    free(text);
    close(out);
    return ok;
}

bool manifest_load(store_manifest *m, int out, lib_message *msg) {
    size_t n, i;
    *m = (store_manifest){0};
    *msg = (lib_message){0};
    char *text = store_read(out, "manifest.json", (size_t)1 << 30, &n);
    if (!text) return false;
    json_error_t error;
    json_t *o = json_loadb(text, n, 0, &error);
    const json_t *x;
    free(text);
    if (!o) {
        lib_message_set(msg, w_course_json_line("manifest.json", error.line, error.text));
        return false;
    }
    bool ok = lib_known_form("manifest.json", report_form(o), STORE_FORM, msg);
    json_array_foreach(ok ? json_object_get(o, "submissions") : NULL, i, x) {
        store_entry *e = manifest_add(m, report_text(x, "student"), report_text(x, "lab"),
                                      report_text(x, "source"));
        ok = e && entry_read(e, x, msg);
        if (!ok) break;
    }
    lines_read(&m->refused, &m->refused_count, json_object_get(o, "refused"));
    lines_read(&m->left, &m->left_count, json_object_get(o, "left"));
    m->reasons = json_incref(json_object_get(o, "reasons"));
    m->left_from = json_incref(json_object_get(o, "left_from"));
    json_decref(o);
    if (!ok && !lib_message_any(msg)) lib_message_set(msg, w_said_out_of_memory());
    return ok;
}

bool manifest_save(const store_manifest *m, int out, lib_message *msg) {
    json_t *o = json_object(), *list = json_array(), *refused = json_array(), *left = json_array();
    for (size_t i = 0; i < m->count; i++) json_array_append_new(list, entry_write(&m->entry[i]));
    for (size_t i = 0; i < m->refused_count; i++)
        json_array_append_new(refused, json_text(m->refused[i]));
    for (size_t i = 0; i < m->left_count; i++) json_array_append_new(left, json_text(m->left[i]));
    json_object_set_new(o, "version", json_integer(STORE_FORM));
    json_object_set_new(o, "submissions", list);
    json_object_set_new(o, "refused", refused);
    json_object_set_new(o, "left", left);
    if (json_object_size(m->reasons)) json_object_set(o, "reasons", m->reasons);
    if (json_object_size(m->left_from)) json_object_set(o, "left_from", m->left_from);
    char *text = json_written(o, true);
    json_decref(o);
    bool ok = text && store_write(out, "manifest.json", text, strlen(text), 0600, msg);
    if (!text) lib_message_set(msg, w_said_out_of_memory());
    free(text);
    return ok;
}

/* ---- records ---- */

json_t *record_load(int out, const char *key) {
    char path[96];
    size_t n;
    if (strlen(key) != 64 || strspn(key, "0123456789abcdef") != 64) return NULL;
    SAY(path, "records/%s.json", key);
    char *text = store_read(out, path, (size_t)64 << 20, &n);
    json_t *o = text ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    /* An incomplete record, or one with another key, counts as none. */
    if (o && strcmp(report_text(o, "key"), key) != 0) {
        json_decref(o);
        o = NULL;
    }
    return o;
}

bool record_final(const json_t *record) {
    const char *state = report_text(record, "state");
    return !strcmp(state, "graded") || !strcmp(state, "ungradable") || !strcmp(state, "suspect");
}
