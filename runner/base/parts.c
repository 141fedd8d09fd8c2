/* A source of several files: see file.h.
 *
 *   folder --join_folder()--> one text --lib_parts_split()--> files */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/order.h"
#include "words/base.h"

static const char mark[] = "// file: ";

static bool ends_in(const char *name, const char *end) {
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

bool lib_part_is_header(const char *name) {
    return ends_in(name, ".h") || ends_in(name, ".cuh");
}

bool lib_part_name_ok(const char *name) {
    size_t n = strlen(name), plain = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return n < LIB_PART_NAME && plain && *name != '-' &&
           (!strcmp(name + plain, ".cu") || !strcmp(name + plain, ".cuh") ||
            !strcmp(name + plain, ".h"));
}

/* ---- one text to files ---- */

/* Returns the name after the mark on this line; "" if it has no mark. */
static void marked_name(const char *line, size_t n, char name[LIB_PART_NAME]) {
    size_t m = sizeof mark - 1, len;
    name[0] = 0;
    if (n <= m || memcmp(line, mark, m) != 0) return;
    line += m, len = n - m;
    while (len && (line[len - 1] == '\r' || line[len - 1] == ' ')) len--;
    if (len >= LIB_PART_NAME) len = LIB_PART_NAME - 1; /* too long to be a plain name */
    memcpy(name, line, len);
    name[len] = 0;
}

/* Only comments and empty lines may precede the first file: a trap describes itself there. */
static bool stray(const char *line, size_t n) {
    while (n && (*line == ' ' || *line == '\t' || *line == '\r')) line++, n--;
    return n > 0;
}

size_t lib_parts_split(const char *text, size_t n, lib_part out[LIB_PARTS], lib_message *msg) {
    size_t count = 0;
    const char *end = text + n;
    for (const char *p = text; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t len = stop ? (size_t)(stop - p) : (size_t)(end - p);
        const char *after = stop ? stop + 1 : end;
        char name[LIB_PART_NAME];
        marked_name(p, len, name);
        if (*name && (!lib_part_name_ok(name) || lib_parts_find(out, count, name))) {
            lib_message_set(msg, lib_part_name_ok(name) ? w_base_part_twice(name)
                                                        : w_base_part_name(name));
            return 0;
        }
        if (*name && count == LIB_PARTS) {
            lib_message_set(msg, w_base_too_many_parts(LIB_PARTS));
            return 0;
        }
        if (*name) {
            out[count] = (lib_part){.text = after};
            memcpy(out[count++].name, name, sizeof name);
        } else if (count) {
            out[count - 1].n = (size_t)(after - out[count - 1].text);
        } else if (!(len > 1 && !memcmp(p, "//", 2)) && stray(p, len)) {
            lib_message_set(msg, w_base_part_without_name());
            return 0;
        }
        p = after;
    }
    if (!count) lib_message_set(msg, w_base_no_parts());
    return count;
}

const lib_part *lib_parts_find(const lib_part *parts, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(parts[i].name, name)) return &parts[i];
    return NULL;
}

bool lib_parts_are(const lib_part *parts, size_t n, const char *const *files, size_t file_count,
                   lib_message *msg) {
    char all[LIB_PARTS * (LIB_PART_NAME + 2)] = "";
    for (size_t i = 0; i < file_count && i < LIB_PARTS; i++) {
        if (i) strcat(all, ", ");
        strncat(all, files[i], LIB_PART_NAME);
    }
    for (size_t i = 0; i < file_count; i++)
        if (!lib_parts_find(parts, n, files[i])) {
            lib_message_set(msg, w_base_part_missing(files[i], all));
            return false;
        }
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < file_count && strcmp(files[k], parts[i].name) != 0) k++;
        if (k < file_count) continue;
        lib_message_set(msg, w_base_part_unknown(parts[i].name, all));
        return false;
    }
    return true;
}

/* ---- files to one text ---- */

void lib_parts_add(lib_buffer *b, const char *name, const char *text, size_t n) {
    lib_buffer_printf(b, "%s%s\n", mark, name);
    lib_buffer_add(b, text, n);
    if (n && text[n - 1] != '\n') lib_buffer_puts(b, "\n");
}

static bool join_file(lib_buffer *b, int folder, const char *path, const char *name, size_t limit,
                      lib_message *msg) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (!ok) lib_message_set(msg, w_base_part_not_regular(path, name));
    if (ok && ((uint64_t)st.st_size > limit || b->n + (size_t)st.st_size > limit)) {
        lib_message_set(msg, w_base_parts_too_long(path, (double)limit / 1e6));
        ok = false;
    }
    if (ok) {
        size_t size = (size_t)st.st_size, got = 0;
        char *text = lib_malloc(size + 1);
        for (ssize_t k = 1; got < size && k > 0;) {
            k = read(fd, text + got, size - got);
            if (k < 0 && errno == EINTR) k = 1;
            else if (k > 0) got += (size_t)k;
        }
        lib_parts_add(b, name, text, got);
        free(text);
    }
    if (fd >= 0) close(fd);
    return ok;
}

static char *join_folder(const char *path, size_t limit, size_t *n, lib_message *msg) {
    char *names[LIB_PARTS + 1] = {0};
    size_t count = 0;
    lib_buffer b = {0};
    DIR *d = opendir(path);
    bool ok = d != NULL;
    if (!ok) lib_message_set(msg, w_base_cannot_read(path, errno));
    for (struct dirent *e; ok && count <= LIB_PARTS && (e = readdir(d));)
        if (e->d_name[0] != '.' && (ends_in(e->d_name, ".cu") || lib_part_is_header(e->d_name)))
            names[count++] = lib_strdup(e->d_name);
    if (ok && !count) lib_message_set(msg, w_base_no_sources(path));
    else if (ok && count > LIB_PARTS)
        lib_message_set(msg, w_base_too_many_sources(path, LIB_PARTS));
    ok = ok && count && count <= LIB_PARTS;
    qsort(names, count, sizeof *names, lib_by_text);
    for (size_t i = 0; i < count; i++) {
        if (ok) ok = join_file(&b, dirfd(d), path, names[i], limit, msg);
        free(names[i]);
    }
    if (d) closedir(d);
    if (ok && n) *n = b.n;
    if (!ok) lib_buffer_free(&b);
    return ok ? lib_buffer_take(&b) : NULL;
}

char *lib_read_source(const char *path, size_t limit, size_t *n, lib_message *msg) {
    if (!limit) limit = 64u << 20;
    return lib_is_folder(path) ? join_folder(path, limit, n, msg)
                               : lib_read_file(path, limit, n, msg);
}
