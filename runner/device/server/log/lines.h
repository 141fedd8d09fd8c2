/* Finds the line of a source file for an address of a program, in the line tables of the compiler
 * (DWARF 2 to 5, .debug_line, not compressed). The program may be hostile: nothing in its tables is
 * trusted, and invalid parts are ignored. */
#ifndef WARPLAB_DEVICE_LINES_H
#define WARPLAB_DEVICE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/device/server/core/log.h"

/* Reads the tables of an ELF file of this machine. Returns NULL if it has none, or cannot be read.
 * dev_lines_free() frees it. */
dev_lines *dev_lines_new(const char *path);
void dev_lines_free(dev_lines *l);
/* Finds the line of the instruction at `address` of the file, and its source file's name, cut to n
 * bytes. An instruction of code that was inlined from an unwanted file counts to the nearest
 * earlier line in a wanted one, at most some instructions away. Returns false if unknown. */
bool dev_lines_at(const dev_lines *l, uint64_t address, bool wanted(const char *file), char *file,
                  size_t n, unsigned *line);

#endif
