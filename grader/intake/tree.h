/* Walks what a course handed over, however it is packed: a folder, an archive, archives in either.
 *
 *   PATH --tree_walk()--> a call for each file: path, size, time, and bytes while the call lasts
 *
 * An archive appears in a path as a folder with its name ("ann.zip/src/vector-add.cu"). Nothing in
 * it is trusted. Links, special files and paths that climb out are reported, but not followed.
 * Bytes, entries and nesting are bounded. Nothing in an archive chooses a path on this machine. */
#ifndef WARPLAB_GRADER_TREE_H
#define WARPLAB_GRADER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

enum { TREE_NAME = 100, TREE_NEST = 2, TREE_ENTRIES = 1000000 };

typedef struct tree_source tree_source; /* of the current file */
typedef struct {
    const char *path;    /* relative to PATH, with '/', without "." */
    bool folder;         /* visited once, before its contents */
    bool repository;     /* a folder on this machine that contains .git */
    bool packed;         /* inside an archive */
    lib_word_id problem; /* why it cannot be taken, or 0 */
    tree_source *source;
} tree_file;
/* Returns false to stop. */
typedef bool tree_visit(void *user, const tree_file *f);
/* Returns false and sets *msg if `path` itself cannot be read, or if a visit stopped the walk. */
bool tree_walk(const char *path, tree_visit *visit, void *user, lib_message *msg);
/* Returns at most limit + 1 bytes of the current file, malloc'ed and followed by a NUL; or NULL and
 * *problem. Call it at most once per file. */
char *tree_bytes(const tree_file *f, size_t limit, size_t *n, lib_word_id *problem);

bool tree_is_archive(const char *name);
/* "ann.tar.gz" -> "ann", in place */
void tree_strip(char *name);

#endif
