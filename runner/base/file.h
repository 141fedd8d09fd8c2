/* Whole files and folders: read with a limit, written so that a reader sees the old or the new one,
 * removed without following a link. */
#ifndef WARPLAB_BASE_FILE_H
#define WARPLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"

/* Reads a whole regular file of at most `limit` bytes (0: 64 MiB); malloc'ed, NUL behind. NULL and
 * *msg. */
char *lib_read_file(const char *path, size_t limit, size_t *n, lib_message *msg);
/* Writes by a temporary file, fsync and rename, so that a reader sees the old or the new file,
 * never half. "-" is stdout. A full disk leaves the old file and says so. */
bool lib_write_file(const char *path, const void *bytes, size_t n, lib_message *msg);
/* Keeps the file as it is beside itself, "PATH.formN", before its form is changed; a copy that is there stays. */
bool lib_keep_form(const char *path, int form, lib_message *msg);
/* Every byte to a descriptor, going on where a signal or a short write stopped. False: errno says
 * why. */
bool lib_write_all(int fd, const void *bytes, size_t n);
/* mkdir -p, mode 0700 for what it makes */
bool lib_make_folders(const char *path, lib_message *msg);
bool lib_is_file(const char *path);
bool lib_is_folder(const char *path);
/* What a folder holds, sorted, without names that begin with a dot; at most 4096. malloc'ed, free with
 * lib_lab_names_free(). NULL: nothing, or no folder. */
char **lib_folder_names(const char *folder, size_t *n);
/* Removes a folder and what is in it, never following a link; a path that is not there is no
 * error. */
void lib_remove_tree(const char *path);

/* ---- a source of several files (parts.c) ---- */

/* A source of several files as one text, and back. A line "// file: NAME" begins each file:
 *
 *     // file: main.cu
 *     int main() { ... }
 *     // file: blur.cu
 *     __global__ void blur() { ... }
 *
 * A student's folder is joined to such a text where it is read, so that whoever keeps, hashes,
 * searches or compares a submission has one text to do it with. Skeletons, answers, traps and
 * baselines are written as one. Both ways round are for hostile input: names are plain, files few. */
enum { LIB_PARTS = 8, LIB_PART_NAME = 48 };
typedef struct {
    char name[LIB_PART_NAME];
    const char *text; /* in the joined text, not terminated */
    size_t n;
} lib_part;

/* A plain name that ends in .cu, .cuh or .h: lower-case letters, digits, '-' and '_'. */
bool lib_part_name_ok(const char *name);
bool lib_part_is_header(const char *name);
/* The files of a joined text, in its order. 0 and *msg: none, too many, one twice, a name that is
 * not plain, or text before the first. */
size_t lib_parts_split(const char *text, size_t n, lib_part out[LIB_PARTS], lib_message *msg);
/* Are they just these? False and *msg says which is missing, or too many. */
bool lib_parts_are(const lib_part *parts, size_t n, const char *const *files, size_t file_count,
                   lib_message *msg);
const lib_part *lib_parts_find(const lib_part *parts, size_t n, const char *name);
/* Adds one file to a joined text. */
void lib_parts_add(lib_buffer *b, const char *name, const char *text, size_t n);

/* A file as it is; a folder's .cu, .cuh and .h files joined, by name. At most `limit` bytes in all;
 * links are not followed inside a folder. malloc'ed; NULL and *msg. */
char *lib_read_source(const char *path, size_t limit, size_t *n, lib_message *msg);

#endif
