/* What a course handed over, whatever it is packed in: a folder, an archive, archives inside either.
 *
 *   PATH --tree_walk()--> a call for each file: path, size, time, and its bytes while the call lasts
 *
 * An archive stands in a path as a folder of its name ("ann.zip/src/vector-add.cu"). Nothing in here
 * is trusted: links and special files are told, not followed; paths that climb are told, not taken;
 * bytes, entries and nesting are bounded; nothing in an archive chooses a path on this machine. */
#ifndef WARPLAB_GRADER_TREE_H
#define WARPLAB_GRADER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

enum { TREE_NAME = 100, TREE_NEST = 2, TREE_ENTRIES = 1000000 };

typedef struct tree_source tree_source; /* of the file at hand */
typedef struct {
    const char *path;    /* below what was handed over; '/' between; no "." */
    bool folder;         /* told once, before what is in it */
    bool repository;     /* a folder on this machine with .git in it */
    bool packed;         /* inside an archive */
    lib_word_id problem; /* why it cannot be taken, or 0 */
    tree_source *source;
} tree_file;
/* False: stop. */
typedef bool tree_visit(void *user, const tree_file *f);
/* False, and *msg, when `path` itself cannot be read, or when a visit stopped it. */
bool tree_walk(const char *path, tree_visit *visit, void *user, lib_message *msg);
/* At most limit + 1 bytes of the file at hand, malloc'ed, a NUL behind; NULL and *problem. Once. */
char *tree_bytes(const tree_file *f, size_t limit, size_t *n, lib_word_id *problem);

bool tree_is_archive(const char *name);
/* "ann.tar.gz" -> "ann", in place */
void tree_strip(char *name);

#endif
