/* Sources whose comments are in two languages.
 *
 *   // add two numbers
 *   // zh: TEXT               --twins_in(LIB_ZH)-->    // TEXT
 *
 * A run of `// zh: ` lines is the Chinese of the comment directly before it, all of its paragraphs (a `//`
 * with nothing behind it parts them), and a line `// answer NAME:` belongs to none. A comment behind code has
 * its Chinese in one such line below:
 *
 *   int n = 4; // floats
 *   // zh: TEXT               --twins_in(LIB_ZH)-->    int n = 4; // TEXT */
#ifndef WARPLAB_TWINS_H
#define WARPLAB_TWINS_H

#include <stddef.h>
#include "runner/base/lang.h"

/* The source with the other language's comments left out; malloc'ed. */
char *twins_in(const char *source, lib_lang lang);
/* The first `// zh: ` line that has no comment before it, or 0. */
size_t twins_orphan(const char *source);

#endif
