/* The information of `nvcc -G` about variables: DWARF 2 in the sections of the PTX.
 *
 *   PTX text --dwarf_text.c--> bytes of .debug_info, .debug_abbrev, .debug_loc, with their symbols;
 *                              the lines of labels
 *            --dwarf.c-------> entries (DIEs) as an array, in their order
 *
 * A place in the code is a line of the PTX text: labels and instructions both have one. Registers
 * are named by the letters of their name, read as a number: 0x257231 is %r1. The text comes from a
 * program, so nothing in it is trusted: entries that make no sense are left out. */
#ifndef WARPLAB_SIM_DEBUG_DWARF_H
#define WARPLAB_SIM_DEBUG_DWARF_H

#include <dwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sections ---- */

typedef struct {
    uint32_t at;     /* offset in the section */
    uint32_t name;   /* offset in dwarf_text.names */
    uint32_t less;   /* the same for a symbol that is subtracted; UINT32_MAX: none */
    uint32_t bytes;  /* of the value */
    uint64_t addend; /* added to the symbol's value */
} dwarf_fix;
typedef struct {
    uint8_t *bytes;
    size_t n, cap;
    dwarf_fix *fixes; /* ascending */
    size_t fix_count, fix_cap;
} dwarf_section;
typedef enum { DWARF_INFO, DWARF_ABBREV, DWARF_LOC, DWARF_SECTIONS } dwarf_section_id;
typedef struct {
    uint32_t name, line;
} dwarf_label;
typedef struct {
    dwarf_section section[DWARF_SECTIONS];
    char *names;
    size_t name_bytes, name_cap;
    dwarf_label *labels; /* by name, after reading */
    size_t label_count, label_cap;
    dwarf_label *places; /* the same for labels in sections; line: the offset there */
    size_t place_count, place_cap;
    bool failed; /* memory is out, or there is more than a debugger needs */
} dwarf_text;
void dwarf_text_read(dwarf_text *t, const char *ptx, size_t n);
void dwarf_text_free(dwarf_text *t);
/* Returns the symbol at an offset; NULL: none. */
const char *dwarf_text_symbol(const dwarf_text *t, dwarf_section_id s, size_t at, uint64_t *addend);
/* Returns the line of a label; 0: no such label. */
uint32_t dwarf_text_line(const dwarf_text *t, const char *label);

/* ---- entries ---- */

/* DW_AT_address_class, of the "PTX Writer's Guide": the space of a variable's address. */
enum {
    DWARF_IN_NOTHING,
    DWARF_IN_REGISTER = 2,
    DWARF_IN_CONST = 4,
    DWARF_IN_GLOBAL = 5,
    DWARF_IN_LOCAL = 6,
    DWARF_IN_PARAM = 7,
    DWARF_IN_SHARED = 8
};
#define DWARF_NONE UINT32_MAX
typedef struct {
    uint32_t offset;      /* in .debug_info */
    uint32_t parent, end; /* index; the first entry after its children */
    uint16_t tag;
    uint8_t encoding, space;
    const char *name; /* "" if none */
    uint32_t type;    /* index; DWARF_NONE: void or missing */
    uint32_t origin;  /* index of the entry of which it is an instance */
    uint64_t size, count;
    uint32_t low, high; /* lines of the PTX, [low, high); 0: missing */
    bool has_location, location_list;
    uint32_t location, location_bytes; /* in .debug_info; or offset in .debug_loc */
    uint64_t member;                   /* offset in its structure */
    int64_t value;                     /* of an enumerator */
    bool declared;                     /* a declaration only */
} dwarf_die;
typedef struct {
    dwarf_text text;
    dwarf_die *dies;
    size_t count, cap;
    uint32_t *functions; /* subprograms with code */
    size_t function_count;
} dwarf;
/* Never fails: data that cannot be read are ignored. Returns NULL if memory is out. */
dwarf *dwarf_new(const char *ptx, size_t n);
void dwarf_free(dwarf *d);

/* Returns the location description of a variable at a line of the PTX, or NULL. */
const uint8_t *dwarf_location(const dwarf *d, const dwarf_die *v, uint32_t line, size_t *n,
                              dwarf_section_id *section, size_t *at);
/* Returns the subprogram whose code contains the line; DWARF_NONE. */
uint32_t dwarf_function_at(const dwarf *d, uint32_t line);
uint64_t dwarf_uleb(const uint8_t **p, const uint8_t *end);

#endif
