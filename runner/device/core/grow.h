/* Arrays that grow. */
#ifndef WARPLAB_DEVICE_GROW_H
#define WARPLAB_DEVICE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* *array (its address as void *) has room for `count` elements of `size` bytes and one more: twice
 * the room, `first` at the start. False: no memory, and everything is as it was. */
static inline bool dev_grow(void *array, size_t *room, size_t count, size_t size, size_t first) {
    if (count < *room) return true;
    size_t more = *room ? *room * 2 : first;
    void *at;
    memcpy(&at, array, sizeof at);
    if (more > SIZE_MAX / 2 / size || !(at = realloc(at, more * size))) return false;
    memcpy(array, &at, sizeof at);
    *room = more;
    return true;
}

#endif
