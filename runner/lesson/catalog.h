/* The labs as a student meets them: by chapter, each behind what it builds on, with what is done
 * and what is next. `warplab list` and the REPL's `list` are this. */
#ifndef WARPLAB_LAB_LIST_H
#define WARPLAB_LAB_LIST_H

#include "runner/term/text.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/progress.h"

/* here: the lab that is open, or NULL. Returns how many labs there are. */
size_t lab_list_show(text_out *o, lib_lang lang, const char *root, progress *p, const char *here);
/* The first lab that is not passed and whose needs are; else the first that is not passed; "" when
 * there is none. */
void lab_list_next(const char *root, progress *p, char *id, size_t size);

#endif
