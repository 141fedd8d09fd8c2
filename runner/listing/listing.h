/* What each source line became: PTX with the number of executions, and the machine code that the
 * assembler made from it, with executions and waits where the simulated device executed that, too.
 *
 *   program --code.c: its fat binaries, nvdisasm--> listing_code
 *   + sim_result.ptx, .machine (counts) --lines.c: by source line, notes--> listing
 *                                       --print.c--> terminal; runner/profile/page_listing.c -->
 *                                         page
 *
 * A listing is only shown, never used for a grade, because NVIDIA's disassembler runs on code made
 * from a student's file, within the device's limits for commands. Without nvdisasm, the listing has
 * only the PTX. */
#ifndef WARPLAB_LISTING_H
#define WARPLAB_LISTING_H

#include "runner/base/lang.h"
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "runner/term/text.h"

typedef struct listing_code listing_code;
/* Reads the code in a program's file for devices of this compute capability (90). machine: also
 * disassembles it; if that fails, listing_why() says why. Returns NULL and sets *msg if the file
 * cannot be read or has no PTX. Free with listing_close(). */
listing_code *listing_open(const char *program, unsigned arch, bool machine, lib_message *msg);
void listing_close(listing_code *c);
/* Returns why there is no machine code, in one line; an empty message if there is some. */
const lib_message *listing_why(const listing_code *c);

/* What the assembler, or nvcc before it, did to a line. */
typedef enum {
    LISTING_EXIT,       /* its branch became a predicated exit */
    LISTING_PREDICATED, /* its branch disappeared: the guarded code is predicated */
    LISTING_UNROLLED,   /* more accesses or operations in machine code than in PTX */
    LISTING_BY_NVCC,    /* more accesses in the PTX than in the source line */
    LISTING_JOINED,     /* fewer accesses, each wider */
    LISTING_FEWER,      /* fewer accesses: values are kept in registers */
    LISTING_GONE,       /* no machine code is left */
    LISTING_NOTES
} listing_note_kind;
typedef struct {
    listing_note_kind kind;
    unsigned before, after; /* the numbers: in the source or PTX, in PTX or machine code */
} listing_note;
enum { LISTING_LINE_NOTES = 4 };

typedef struct {
    char *text;
    uint64_t warps, lanes; /* as in sim_ptx_count */
} listing_ptx;
typedef struct {
    unsigned at; /* address in the kernel */
    char *text;
    /* as in sim_machine_count; 0 where the listing is not `counted` */
    uint64_t warps;
    double cycles[SIM_STALL_COUNT];
} listing_machine;
/* Of an execution, the cycles of one state. */
typedef struct {
    sim_stall state;
    double cycles;
} listing_wait;
/* What a warp waits for at the instruction but for its stall count, most first: states of half a
 * cycle and more. Returns how many. *sum: of all these states. */
unsigned listing_waits(const listing_machine *m, listing_wait to[SIM_STALL_COUNT], double *sum);
/* A source line, ordered by file and line. line 0: instructions without a line. */
typedef struct {
    char *file;
    unsigned line;
    char *source; /* the line's text without indentation; "" if unknown */
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
    bool counted;    /* executions and waits of its machine instructions are known */
    lib_message why; /* machine code, and not counted */
} listing;

/* Returns the text of a line without indentation, malloc'ed; NULL if unknown. `file` is the
 * compiler's name for it. */
typedef char *listing_source(void *user, const char *file, unsigned line);
/* A kernel, and the counts of all its launches together. */
typedef struct {
    const char *kernel, *name; /* readable; mangled */
    const sim_ptx_count *ptx;
    size_t ptx_count;
    const sim_machine_count *machine; /* NULL: not known */
    size_t machine_count;
    const lib_message *machine_why; /* then, NULL: not said */
} listing_kernel;
/* Makes the listing of a kernel. Returns NULL if the program has no such kernel. Free with
 * listing_free(). */
listing *listing_of(const listing_code *c, const listing_kernel *k, listing_source *source,
                    void *user);
void listing_free(listing *l);

/* Prints a listing within out->width columns; `ptx` and `machine` say which code. With `machine`,
 * if that is not counted, says first why not. */
void listing_print(text_out *out, lib_lang lang, const listing *l, bool ptx, bool machine);
/* Writes a note in words. */
void listing_note_text(char *to, size_t n, lib_lang lang, const listing_note *note);

/* Adds the rows of one launch to those of earlier launches of the same kernel. Rows of another
 * kernel do not match and are ignored. */
void listing_add(sim_ptx_count *to, size_t n, const sim_ptx_count *from, size_t count);

#endif
