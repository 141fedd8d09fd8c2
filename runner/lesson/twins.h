/* Sources with comments in two languages.
 *
 *   // add two numbers
 *   // zh: TEXT               --twins_in(LIB_ZH)-->    // TEXT
 *
 * Consecutive lines `// zh: ` are the Chinese of the comment directly before them, with all its
 * paragraphs (an empty `//` separates paragraphs). A line `// answer NAME:` does not belong to a
 * comment. A comment after code has its Chinese in one such line below:
 *
 *   int n = 4; // floats
 *   // zh: TEXT               --twins_in(LIB_ZH)-->    int n = 4; // TEXT */
#ifndef WARPLAB_TWINS_H
#define WARPLAB_TWINS_H

#include <stddef.h>
#include "runner/base/lang.h"

/* Returns the source without the other language's comments; malloc'ed. */
char *twins_in(const char *source, lib_lang lang);
/* Returns the number of the first `// zh: ` line without a comment before it, or 0. */
size_t twins_orphan(const char *source);

#endif
