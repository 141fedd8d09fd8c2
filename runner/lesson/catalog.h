/* The list of labs for a student: by chapter, each lab after those it builds on, with what is done
 * and what is next. `warplab list` and the prompt's `list` show it. */
#ifndef WARPLAB_LAB_LIST_H
#define WARPLAB_LAB_LIST_H

#include "runner/term/text.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/progress.h"

/* Shows the list. here: the open lab, or NULL. only: NULL, a part of an id or title, or a chapter's
 * number. Returns the number of labs shown. */
size_t lab_list_show(text_out *o, lib_lang lang, const char *root, progress *p, const char *here,
                     const char *only);
/* Finds the next lab for a student who was last at `after` (NULL: nowhere). It is the first lab
 * after `after` that is not passed and whose needs are; otherwise the first such lab of all;
 * otherwise any lab that is not passed. After a lab of a pack, the pack's own labs come first. id
 * is "" if there is no lab at all. Returns false if `after` is of a pack whose labs are all
 * passed. */
bool lab_list_next(const char *root, progress *p, const char *after, char *id, size_t size);
/* Returns whether `word` occurs in the text, ignoring case. */
bool lab_list_holds(const char *text, const char *word);
const char *lab_chapter_title(lib_lang lang, int chapter); /* chapters from 1 */

#endif
