/* Whole files and folders: read with a limit, written so that a reader sees the old or the new one,
 * removed without following a link. */
#ifndef WARPLAB_BASE_FILE_H
#define WARPLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

/* Reads a whole regular file of at most `limit` bytes (0: 64 MiB); malloc'ed, NUL behind. NULL and
 * *msg. */
char *lib_read_file(const char *path, size_t limit, size_t *n, lib_message *msg);
/* Writes by a temporary file, fsync and rename, so that a reader sees the old or the new file,
 * never half. "-" is stdout. A full disk leaves the old file and says so. */
bool lib_write_file(const char *path, const void *bytes, size_t n, lib_message *msg);
/* Every byte to a descriptor, going on where a signal or a short write stopped. False: errno says
 * why. */
bool lib_write_all(int fd, const void *bytes, size_t n);
/* mkdir -p, mode 0700 for what it makes */
bool lib_make_folders(const char *path, lib_message *msg);
bool lib_is_file(const char *path);
bool lib_is_folder(const char *path);
/* Removes a folder and what is in it, never following a link; a path that is not there is no
 * error. */
void lib_remove_tree(const char *path);

#endif
