/* The labs as a student meets them: by chapter, each behind what it builds on, with what is done
 * and what is next. `warplab list` and the REPL's `list` are this. */
#ifndef WARPLAB_LAB_LIST_H
#define WARPLAB_LAB_LIST_H

#include "runner/term/text.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/progress.h"

/* here: the lab that is open, or NULL. only: NULL, or what an id or a title holds, or a chapter's number.
 * Returns how many labs are shown. */
size_t lab_list_show(text_out *o, lib_lang lang, const char *root, progress *p, const char *here,
                     const char *only);
/* The next lab for a student who has just been at `after` (NULL: nowhere): not passed, its needs are; first
 * of those that stand behind `after`, then of all; at last any that is not passed. A pack's labs come before any
 * others behind a lab of it; false: they are all passed. "" when there is none at all. */
bool lab_list_next(const char *root, progress *p, const char *after, char *id, size_t size);
/* Case-insensitive: is `word` in the text? */
bool lab_list_holds(const char *text, const char *word);
const char *lab_chapter_title(lib_lang lang, int chapter);

#endif
