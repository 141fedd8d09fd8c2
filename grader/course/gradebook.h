/* The gradebook: a SQLite file rebuilt from a batch's records, never the only place where a grade
 * is.
 *
 *   OUT/records/KEY.json --+
 *   OUT/manifest.json -----+--gradebook_rebuild()--> OUT/gradebook.sqlite --list, export, compare--> text */
#ifndef WARPLAB_GRADEBOOK_H
#define WARPLAB_GRADEBOOK_H

#include "runner/base/message.h"
#include "grader/grade.h"

/* Writes OUT/gradebook.sqlite afresh (a new file, renamed into place). 0, or -1 and *msg. */
int gradebook_rebuild(const char *out, lib_message *msg);
/* Each returns a malloc'ed text, or NULL and *msg. `path` is a gradebook.sqlite, or a batch's
 * folder, which is rebuilt first. */
char *gradebook_list(const char *path, const char *lab, grade_lang lang,
                     lib_message *msg); /* a table; lab NULL: all */
typedef enum { GRADEBOOK_CSV, GRADEBOOK_JSON } gradebook_format;
char *gradebook_export(const char *path, gradebook_format f, lib_message *msg);
/* Every submission whose state, verdict or score differs between two gradings, and a line that
 * counts them. *differ: how many. */
char *gradebook_compare(const char *a, const char *b, grade_lang lang, size_t *differ,
                        lib_message *msg);

#endif
