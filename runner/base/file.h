/* Whole files and folders: read with a limit, written so that a reader sees the old or the new
 * version, removed without following a link. */
#ifndef WARPLAB_BASE_FILE_H
#define WARPLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"

/* Reads a whole regular file of at most `limit` bytes (0: 64 MiB). malloc'ed, with a NUL at the
 * end. Returns NULL and sets *msg on failure. */
char *lib_read_file(const char *path, size_t limit, size_t *n, lib_message *msg);
/* Writes with a temporary file, fsync and rename, so that a reader sees the old or the new file,
 * never a part. "-" is stdout. A full disk leaves the old file and is reported. */
bool lib_write_file(const char *path, const void *bytes, size_t n, lib_message *msg);
/* Keeps a copy of the file next to it, "PATH.formN", before its form is changed. An existing copy
 * stays. */
bool lib_keep_form(const char *path, int form, lib_message *msg);
/* Writes every byte to a descriptor, and continues after a signal or a short write. Returns false
 * on failure; errno says why. */
bool lib_write_all(int fd, const void *bytes, size_t n);
/* mkdir -p; new folders get mode 0700 */
bool lib_make_folders(const char *path, lib_message *msg);
bool lib_is_file(const char *path);
bool lib_is_folder(const char *path);
/* Returns the names in a folder, sorted, without those that begin with a dot; at most 4096.
 * malloc'ed; free with lib_lab_names_free(). NULL: empty, or not a folder. */
char **lib_folder_names(const char *folder, size_t *n);
/* Removes a folder with its contents, never following a link. A missing path is not an error. */
void lib_remove_tree(const char *path);

/* ---- a source of several files (parts.c) ---- */

/* A source of several files as one text, and back. A line "// file: NAME" begins each file:
 *
 *     // file: main.cu
 *     int main() { ... }
 *     // file: blur.cu
 *     __global__ void blur() { ... }
 *
 * A student's folder is joined to such a text when it is read, so that code that keeps, hashes,
 * searches or compares a submission has one text to work on. Skeletons, answers, traps and
 * baselines are written as one text. Both directions accept hostile input: names are plain, files
 * few. */
enum { LIB_PARTS = 8, LIB_PART_NAME = 48 };
typedef struct {
    char name[LIB_PART_NAME];
    const char *text; /* in the joined text; does not end in NUL */
    size_t n;
} lib_part;

/* Returns whether it is a plain name that ends in .cu, .cuh or .h: lower-case letters, digits, '-'
 * and '_'. */
bool lib_part_name_ok(const char *name);
bool lib_part_is_header(const char *name);
/* Returns the number of files in a joined text; out: the files in order. Returns 0 and sets *msg if
 * there are none or too many, one occurs twice, a name is not plain, or text precedes the first. */
size_t lib_parts_split(const char *text, size_t n, lib_part out[LIB_PARTS], lib_message *msg);
/* Returns whether they are exactly these files. If not, *msg says which is missing, or too many. */
bool lib_parts_are(const lib_part *parts, size_t n, const char *const *files, size_t file_count,
                   lib_message *msg);
const lib_part *lib_parts_find(const lib_part *parts, size_t n, const char *name);
/* Adds one file to a joined text. */
void lib_parts_add(lib_buffer *b, const char *name, const char *text, size_t n);

/* Reads a file as it is, or joins a folder's .cu, .cuh and .h files, sorted by name. At most
 * `limit` bytes in all; links inside a folder are not followed. malloc'ed; NULL and *msg on
 * failure. */
char *lib_read_source(const char *path, size_t limit, size_t *n, lib_message *msg);

#endif
