/* What each line of the source became: PTX, with how often each instruction was executed, and the
 * machine code that the assembler made of it.
 *
 *   program --code.c: its fat binaries, nvdisasm--> listing_code
 *   + sim_result.ptx (counts) --lines.c: by line of the source, notes--> listing --print.c--> terminal
 *
 * It is for looking at, never for a grade: NVIDIA's disassembler runs on what a student's file was
 * compiled to, within the device's limits for commands. Where nvdisasm is not, the PTX is there all
 * the same. */
#ifndef WARPLAB_LISTING_H
#define WARPLAB_LISTING_H

#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "runner/term/text.h"

typedef struct listing_code listing_code;
/* Reads the code in a program's file for devices of this compute capability (90). machine: and
 * disassembles it; where that cannot be done, listing_why() says so. NULL and *msg: the file cannot
 * be read or holds no PTX. Free with listing_close(). */
listing_code *listing_open(const char *program, unsigned arch, bool machine, lib_message *msg);
void listing_close(listing_code *c);
/* Why there is no machine code, one line; an empty message where there is some. */
const lib_message *listing_why(const listing_code *c);

/* What the assembler, or nvcc before it, did to a line. */
typedef enum {
    LISTING_EXIT,       /* its branch is an exit under a predicate */
    LISTING_PREDICATED, /* its branch is gone: what it guarded runs under a predicate */
    LISTING_UNROLLED,   /* more accesses or operations in machine code than in PTX */
    LISTING_BY_NVCC,    /* more accesses in the PTX than the source's line has */
    LISTING_JOINED,     /* fewer accesses, each wider */
    LISTING_FEWER,      /* fewer accesses: values are kept in registers */
    LISTING_GONE,       /* nothing is left of it */
    LISTING_NOTES
} listing_note_kind;
typedef struct {
    listing_note_kind kind;
    unsigned before, after; /* how many: in the source or PTX, in PTX or machine code */
} listing_note;
enum { LISTING_LINE_NOTES = 4 };

typedef struct {
    char *text;
    uint64_t warps, lanes; /* as sim_ptx_count */
} listing_ptx;
typedef struct {
    unsigned at; /* its address in the kernel */
    char *text;
} listing_machine;
/* A line of the source, in the order of files and lines. line 0: instructions of no line. */
typedef struct {
    char *file;
    unsigned line;
    char *source; /* its text without indentation; "" where it is not known */
    listing_ptx *ptx;
    listing_machine *machine;
    size_t ptx_count, machine_count;
    listing_note notes[LISTING_LINE_NOTES];
    unsigned note_count;
} listing_line;
typedef struct {
    char *kernel;
    unsigned arch;
    listing_line *lines;
    size_t line_count, ptx_count, machine_count;
} listing;

/* The text of line `line` of a file as the compiler named it, without indentation, malloc'ed; NULL:
 * nobody knows. */
typedef char *listing_source(void *user, const char *file, unsigned line);
/* kernel: as it is shown; name: mangled. counts: of all its launches together. NULL: the program's
 * code holds no such kernel. Free with listing_free(). */
listing *listing_of(const listing_code *c, const char *kernel, const char *name,
                    const sim_ptx_count *counts, size_t n, listing_source *source, void *user);
void listing_free(listing *l);

/* On the terminal, within out->width columns; `ptx` and `machine`: what of it. */
void listing_print(text_out *out, lib_lang lang, const listing *l, bool ptx, bool machine);
/* A note in words. */
void listing_note_text(char *to, size_t n, lib_lang lang, const listing_note *note);

/* What the rows of one launch add to those of others of the same kernel; rows of another kernel
 * (they do not match) change nothing. */
void listing_add(sim_ptx_count *to, size_t n, const sim_ptx_count *from, size_t count);

#endif
