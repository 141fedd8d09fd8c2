/* What the files of this room share: a program's code as text. */
#ifndef WARPLAB_LISTING_PARTS_H
#define WARPLAB_LISTING_PARTS_H

#include "runner/listing/listing.h"

/* One fat binary of the program: its PTX, and nvdisasm's text of its machine code. */
typedef struct {
    char *ptx;
    const char **ptx_lines; /* beginnings of its lines */
    size_t ptx_line_count;
    char *machine; /* or NULL */
} listing_unit;
struct listing_code {
    listing_unit *units;
    size_t unit_count;
    unsigned arch;
    lib_message why;
};

/* Returns the unit whose PTX has an entry with this mangled name; NULL if none has. */
const listing_unit *listing_unit_of(const listing_code *c, const char *name);
/* Calls fn for each machine instruction of the function, in order, with its source line. For
 * inlined code it is the outermost line. Strings are valid only during the call. */
typedef void listing_each_fn(void *user, const char *file, size_t file_len, unsigned line,
                             unsigned at, const char *text);
void listing_each(const char *machine, const char *name, listing_each_fn *fn, void *user);

#endif
