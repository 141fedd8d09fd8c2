/* Which line of a source file an address of a program came from, by the line tables that the compiler
 * left in it (DWARF 2 to 5, .debug_line, not compressed). The program may be anybody's: nothing in its
 * tables is believed, and what does not fit is as if it were not there. */
#ifndef WARPLAB_DEVICE_LINES_H
#define WARPLAB_DEVICE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/device/server/core/log.h"

/* Reads the tables of an ELF file of this machine; NULL: it has none, or cannot be read. dev_lines_free()
 * frees it. */
dev_lines *dev_lines_new(const char *path);
void dev_lines_free(dev_lines *l);
/* The line of the instruction at `address` of the file, and its source file's name, cut to n bytes. An
 * instruction of code that was inlined from a file that is not wanted counts to the nearest line before it
 * in one that is, up to some instructions away. False: not known. */
bool dev_lines_at(const dev_lines *l, uint64_t address, bool wanted(const char *file), char *file,
                  size_t n, unsigned *line);

#endif
