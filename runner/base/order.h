/* Comparison functions for qsort(). */
#ifndef WARPLAB_BASE_ORDER_H
#define WARPLAB_BASE_ORDER_H

int lib_by_text(const void *a, const void *b);  /* of an array of char * */
int lib_by_value(const void *a, const void *b); /* of doubles, smallest first */

#endif
