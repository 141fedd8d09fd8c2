/* Misspelt words, and lists of words in one text. */
#ifndef WARPLAB_BASE_WORD_H
#define WARPLAB_BASE_WORD_H

#include <stddef.h>

/* Edit distance with neighbour swaps (optimal string alignment), over the first 63 bytes. */
unsigned lib_distance(const char *a, const char *b);
/* Returns the name nearest to `word` (edit distance at most a third of its length), or NULL. */
const char *lib_nearest(const char *word, const char *const *names, size_t n);
/* Returns the next word of "a|b|c", of *n bytes; *list moves after it. NULL: the end. */
const char *lib_next_word(const char **list, size_t *n);

#endif
