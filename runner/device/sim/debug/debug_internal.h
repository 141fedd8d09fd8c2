/* Shared by the files of this room. */
#ifndef WARPLAB_SIM_DEBUG_INTERNAL_H
#define WARPLAB_SIM_DEBUG_INTERNAL_H

#include "runner/device/sim/debug/dwarf.h"
#include "runner/device/sim/debug/hook.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/machine/module.h"

enum { POINTS = 64, POINT_TEXT = 256 };
typedef struct {
    unsigned number; /* 0: free */
    bool watch, known;
    char text[POINT_TEXT], condition[POINT_TEXT];
    uint64_t hits;
    unsigned line; /* breakpoints: the line that has code */
    /* watchpoints; in shared memory of one block, or in local memory of one thread */
    sim_addr address;
    unsigned bytes;
    uint64_t block;
    uint32_t thread;
} debug_point;

/* The purpose of the present run of the launch. */
typedef enum {
    PHASE_FORWARD, /* to find the next stop */
    PHASE_SCAN,    /* up to `until`, for the last place before it at which it would have stopped */
    PHASE_RECORD,  /* up to `until`, for the threads that write into [record_from, record_to) */
    PHASE_GO_TO,   /* to stop at `until` */
    PHASE_OFF      /* no more stops */
} debug_phase;

/* A step: the focus runs until its thread is at another place. */
typedef struct {
    sim_go how; /* CONTINUE: no step */
    unsigned line;
    const char *file;
    uint32_t depth;
    bool gone; /* the thread has exited */
} debug_step;

typedef struct {
    uint64_t tick;
    uint64_t block;
    uint32_t thread;
    const sim_func *func;
    uint32_t insn;
} debug_writer;

/* A warp that is at an instruction, which is being looked at. */
typedef struct {
    sim_warp *warp; /* NULL: the launch has ended */
    const sim_func *func;
    uint32_t insn, mask;
    sim_frame *frame;
} debug_here;

typedef struct debug_machine debug_machine; /* machine.c */

struct sim_debug {
    sim_debug_hot hot; /* first: hook.h */
    sim_debug_stopped *stopped;
    void *user;
    bool stop_launch, stop_end, stop_findings;
    _Atomic bool pause;
    /* launch */
    sim_device *device;
    const sim_launch *launch;
    uint64_t launches;
    sim_snapshot *kept;
    sim_run_state *run;
    const sim_image *image; /* the image of the marks */
    uint8_t **marks;
    size_t mark_rows;
    uint64_t printed, delivered; /* bytes of printf in this run, and bytes printed */
    bool again, stopping, aborted;
    bool repeated, begun; /* repeated: the run is not the first; begun: its blocks have begun */
    /* purpose of the run */
    debug_phase phase;
    sim_go go, scan;
    uint64_t until, found, skip, go_tick;
    bool until_end, went, recording;
    sim_stop_reason arrive;
    debug_step step;
    /* scanning for a step back: start of the line in which the thread is, and that line */
    uint64_t run_start;
    uint32_t last_depth;
    unsigned last_line;
    const char *last_file;
    /* findings */
    size_t seen; /* reported so far */
    sim_finding *findings;
    /* shown: at a stop; scanned: the last one that a scan met, */
    const sim_finding *shown, *scanned;
    uint64_t found_finding; /* and its place */
    /* place of the stop */
    bool at_stop;
    debug_here here;
    sim_block *block;
    unsigned level;
    uint64_t focus_block;
    uint32_t focus_thread; /* index in the block */
    /* points */
    debug_point points[POINTS];
    unsigned next_number;
    unsigned hit;
    /* machine code */
    sim_debug_machine_run *machine_run;
    sim_debug_machine_text *machine_read; /* or NULL */
    const char *machine_program;
    uint64_t began_block, began_tick; /* the block that has begun last, and its first tick */
    bool machine_asked;
    debug_machine *machine; /* NULL: not asked for */
    /* writers */
    sim_addr record_from, record_to;
    debug_writer *writers;
    /* variables */
    const sim_module *module;
    dwarf *dwarf;
};

/* ---- look.c ---- */

void debug_line(const sim_debug *d, const sim_func *f, uint32_t insn, const char **file,
                unsigned *line);
/* A function stores its parameters in its first instructions, which nvcc gives column 0. */
bool debug_in_prologue(const sim_debug *d, const sim_func *f, uint32_t insn);
/* Splits a linear number into its three dimensions, x fastest. */
void debug_split(const unsigned dim[3], uint64_t linear, unsigned to[3]);
/* Finds the frame to which expressions refer, and the place in its function. Returns false if there
 * is none. */
bool debug_scope(const sim_debug *d, debug_here *h);
/* Reads a register's bits. */
bool debug_register(const debug_here *h, uint32_t reg, unsigned lane, uint64_t *bits);
bool debug_read(const sim_debug *d, unsigned lane, sim_addr from, void *to, size_t n);
/* Returns the generic address that a lane's operand names; UINT64_MAX: none. */
sim_addr debug_operand_address(const sim_debug *d, const debug_here *h, const ptx_insn *p,
                               const ptx_opnd *o, unsigned lane);
/* Returns the address operand, and the bytes that an instruction writes to memory; NULL: it does
 * not write, or its place is unknown. */
const ptx_opnd *debug_writes(const ptx_insn *p, unsigned *bytes);
unsigned debug_lane_of_focus(const sim_debug *d);
sim_addr debug_shared_var(const sim_debug *d, const char *name);
/* Addresses for parameters of device functions, which are in their frames. */
#define SIM_FRAME_WINDOW 0x2f0300000000ull

/* ---- expr.c, value.c ---- */

const dwarf *debug_dwarf(sim_debug *d);
/* Strips typedefs and const; DWARF_NONE: void. */
uint32_t debug_type_strip(const dwarf *w, uint32_t type);
uint64_t debug_type_bytes(const dwarf *w, uint32_t type, unsigned stars);
/* Makes a value of a type at an address. */
bool debug_value_at(const sim_debug *d, unsigned lane, sim_addr at, uint32_t type, unsigned stars,
                    sim_value *v);
/* Makes a scalar of these bits, by v's kind and size; other values stay as they are. */
bool debug_value_bits(sim_value *v, uint64_t bits);
bool debug_value_of_bits(const sim_debug *d, uint64_t bits, uint32_t type, sim_value *v);
bool debug_value_true(const sim_value *v);
/* Returns the variable's value; false: it has no place now. */
bool debug_variable(const sim_debug *d, const debug_here *h, unsigned lane, uint32_t die,
                    sim_value *v);
/* Returns the visible variable of that name. */
uint32_t debug_find_variable(const sim_debug *d, const debug_here *h, const char *name);
bool debug_eval(const sim_debug *d, unsigned lane, const char *text, sim_value *v,
                lib_message *msg);

/* ---- machine.c ---- */

/* Executes and records the focus's block, at whose start the launch is. */
void debug_machine_record(sim_debug *d);
void debug_machine_free(sim_debug *d);
/* sim_debug_look() of the block's own run. */
bool debug_machine_look(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn);

/* ---- points.c ---- */

void debug_points_resolve(sim_debug *d);
/* Returns the number of a point that stops here, and the first lane that it concerns. 0: none. */
unsigned debug_points_hit(sim_debug *d, uint32_t *lane);
void debug_record_write(sim_debug *d);

#endif
