/* The debugger of the simulated device: the door of this room.
 *
 * In: a launch of a device whose sim_options.debug is set. Out: calls of the owner's function at
 * each stop, in which it looks at warps, lanes, variables and memory, and says how to go on.
 *
 *   sim_run() --sim_debug_begin()--> what memory holds is kept
 *             --instruction by instruction: hook.h--> stop? --> stopped(): look.., then
 *             sim_debug_go() --back, or who wrote this?--> memory as it was, the launch once more
 *             up to that instruction
 *
 * A launch with a debugger runs on one worker without machine code, so each run of it does the same
 * in the same order: a place in time is the number of warp instructions executed before it, and
 * going back is running again to a smaller number.
 *
 *   hook.h      what run/ calls           debug.c   breakpoints, watchpoints, steps, going back
 *   look.c      places, registers, memory as the stopped launch has them
 *   dwarf.c     `nvcc -G`'s DWARF 2 in the PTX: types, variables and where they are
 *   expr.c      C expressions over them   value.c   and what they come to, as text */
#ifndef WARPLAB_SIM_DEBUG_H
#define WARPLAB_SIM_DEBUG_H

#include "runner/device/sim/sim.h"

typedef struct sim_debug sim_debug;

typedef enum {
    SIM_STOP_LAUNCH,   /* a launch is about to execute its first instruction */
    SIM_STOP_BREAK,    /* `number` is the breakpoint's */
    SIM_STOP_WATCH,    /* a watched element is about to be written */
    SIM_STOP_STEP,     /* a step, forwards or back, is done */
    SIM_STOP_FINDING,  /* the next instruction is one that a finding is about */
    SIM_STOP_EXITED,   /* the thread that was stepped has ended */
    SIM_STOP_START,    /* going back came to the launch's start */
    SIM_STOP_PAUSE,    /* somebody asked for it */
    SIM_STOP_RECORDED, /* where one was, with the writers that sim_debug_record() asked for */
    SIM_STOP_END       /* the launch has ended: memory can be looked at, and one can go back */
} sim_stop_reason;
typedef struct {
    sim_stop_reason reason;
    unsigned number;            /* of the breakpoint or watchpoint */
    const sim_finding *finding; /* FINDING; END: the last one that was not yet shown; or NULL */
    sim_status status;          /* END */
    const char *kernel;
    unsigned grid[3], block[3];
    uint64_t launch; /* how many there were before */
} sim_stop;
typedef void sim_debug_stopped(void *user, sim_debug *d, const sim_stop *s);

/* stopped(user) is called in the thread that runs the launch; when it returns the launch goes on as
 * the last sim_debug_go() in it said. NULL: memory is out. */
sim_debug *sim_debug_new(sim_debug_stopped *stopped, void *user);
void sim_debug_free(sim_debug *d);
/* Stop at the first instruction of each launch; at its end. Off and on at first. */
void sim_debug_stop_at(sim_debug *d, bool launch, bool end);
void sim_debug_stop_at_findings(sim_debug *d, bool on); /* on at first */
/* While it rests nothing stops; else it is as new, but for its breakpoints. */
void sim_debug_rest(sim_debug *d, bool on);
/* From a signal handler or another thread: stops soon. */
void sim_debug_pause(sim_debug *d);

/* ---- going on ---- */

typedef enum {
    SIM_GO_CONTINUE,
    SIM_GO_STEP,   /* to another line, into calls */
    SIM_GO_NEXT,   /* over calls */
    SIM_GO_FINISH, /* until the function has returned */
    SIM_GO_STEPI,  /* one instruction */
    SIM_GO_BACK,   /* one instruction back */
    SIM_GO_REVERSE_STEP,
    SIM_GO_REVERSE_NEXT,
    SIM_GO_REVERSE_CONTINUE, /* to the breakpoint or write before this */
    SIM_GO_RESTART,          /* to the launch's first instruction */
    SIM_GO_TO_END,           /* to the launch's end, past all breakpoints */
    SIM_GO_FREE,             /* no more stops at all: the debugger lets go */
    SIM_GO_ABORT             /* the launch ends as cancelled, and nothing stops any more */
} sim_go;
void sim_debug_go(sim_debug *d, sim_go how);
/* The launch could be kept: one can go back. */
bool sim_debug_can_go_back(const sim_debug *d);
/* Warp instructions executed before this place. */
uint64_t sim_debug_tick(const sim_debug *d);
/* To that place, and there the same stop once more. */
void sim_debug_go_to(sim_debug *d, uint64_t tick);

/* ---- breakpoints and watchpoints ---- */

typedef struct {
    unsigned number;
    bool watch;
    const char *text;      /* "FILE:LINE", "LINE", a function, or the watched expression */
    const char *condition; /* "" if none */
    uint64_t hits;
    bool known;    /* it is in the code that runs, or that element exists */
    unsigned line; /* a breakpoint at a line: the one that has code */
    sim_addr address;
    unsigned bytes;
} sim_point;
/* The number, or 0 and *msg. What the code or the kernel's parameters do not know yet is looked for
 * in each launch. */
unsigned sim_debug_break(sim_debug *d, const char *where, const char *condition, lib_message *msg);
/* Stops before each instruction that writes into what the expression names. */
unsigned sim_debug_watch(sim_debug *d, const char *expression, const char *condition,
                         lib_message *msg);
bool sim_debug_delete(sim_debug *d, unsigned number);
bool sim_debug_condition(sim_debug *d, unsigned number, const char *condition);
size_t sim_debug_points(const sim_debug *d);
void sim_debug_point(const sim_debug *d, size_t i, sim_point *p);

/* ---- where ---- */

typedef struct {
    const char *file;     /* as nvcc wrote it; "" if unknown */
    unsigned line;        /* 0: unknown */
    const char *function; /* of the source, else of the PTX */
    unsigned ptx_line;
    unsigned block[3], thread[3];
    unsigned warp, lane;
    uint32_t mask; /* lanes at this place */
    unsigned depth;
} sim_place;
/* The focus: the thread whose variables are looked at. Level 0 is where it is, 1 its caller, ...
 * False: there is no such frame. */
bool sim_debug_frame(const sim_debug *d, unsigned level, sim_place *p);
bool sim_debug_select(sim_debug *d, unsigned level); /* expressions are about this frame */
/* Takes up a thread of the block that runs. */
bool sim_debug_focus(sim_debug *d, const unsigned block[3], const unsigned thread[3],
                     lib_message *msg);
bool sim_debug_focus_lane(sim_debug *d, unsigned warp, unsigned lane, lib_message *msg);
typedef enum {
    SIM_LANES_RUNNING, /* they execute now */
    SIM_LANES_READY,
    SIM_LANES_SYNC,    /* wait for other lanes of their warp */
    SIM_LANES_BARRIER, /* wait for other warps of their block */
    SIM_LANES_EXITED
} sim_lanes_state_of;
/* Lanes of a warp that are at one place, warp after warp of the block that runs. */
void sim_debug_each_place(const sim_debug *d,
                          void (*fn)(void *user, unsigned warp, sim_lanes_state_of state,
                                     const sim_place *p),
                          void *user);
/* The next PTX instruction and those around it: `back` before it and `ahead` behind. */
void sim_debug_ptx(const sim_debug *d, unsigned back, unsigned ahead,
                   void (*fn)(void *user, unsigned ptx_line, bool here, const char *text),
                   void *user);
void sim_debug_each_register(const sim_debug *d,
                             void (*fn)(void *user, const char *name, const char *type,
                                        const char *value),
                             void *user);

/* ---- variables and expressions ---- */

enum { SIM_VALUE_BYTES = 256 };
typedef enum {
    SIM_VALUE_INT,
    SIM_VALUE_UINT,
    SIM_VALUE_FLOAT,
    SIM_VALUE_POINTER,
    SIM_VALUE_OTHER
} sim_value_kind;
typedef struct {
    sim_value_kind kind;
    unsigned bytes;
    union {
        int64_t i;
        uint64_t u;
        double f;
    } v;
    /* where it lies, as a generic address; 0: in no memory */
    sim_addr address;
    /* its type: an entry of the DWARF, or -1 and a kind and size; `stars` pointers to that */
    int32_t type;
    uint8_t stars, base_kind, base_bytes;
} sim_value;
/* lane -1: the focus; else a lane of its warp. */
bool sim_debug_eval(const sim_debug *d, int lane, const char *expression, sim_value *v,
                    lib_message *msg);
/* As C would write it: 3, 1.5, 0x30.., {x = 1, n = 2}; always ends in NUL. */
void sim_debug_value_text(const sim_debug *d, int lane, const sim_value *v, char *text, size_t n);
void sim_debug_type_text(const sim_debug *d, const sim_value *v, char *text, size_t n);
typedef enum { SIM_VARS_PARAMETERS, SIM_VARS_LOCALS, SIM_VARS_SHARED, SIM_VARS_GLOBALS } sim_vars;
/* False value: it is nowhere now. */
void sim_debug_each_variable(const sim_debug *d, sim_vars which,
                             void (*fn)(void *user, const char *name, const sim_value *v),
                             void *user);
/* Members and elements of a value, up to `most` of them from the `first` on. How many there are. */
size_t sim_debug_parts(const sim_debug *d, int lane, const sim_value *v, size_t first, size_t most,
                       void (*fn)(void *user, const char *name, const sim_value *part), void *user);
/* There is DWARF for the code that runs. */
bool sim_debug_has_variables(const sim_debug *d);

/* ---- memory ---- */

bool sim_debug_read(const sim_debug *d, int lane, sim_addr from, void *to, size_t n);
/* The block's shared memory, and the variable at an offset of it ("" if none). */
size_t sim_debug_shared(const sim_debug *d, const uint8_t **bytes);
const char *sim_debug_shared_name(const sim_debug *d, uint32_t offset, uint32_t *start);
sim_addr sim_debug_shared_address(uint32_t offset);

/* Who wrote each byte of [from, from + n) last: asks for the launch to be run again up to here, and
 * for a stop with RECORDED. False: n is 0 or more than a million, or one cannot go back; then
 * nothing is known of any byte. */
bool sim_debug_record(sim_debug *d, sim_addr from, size_t n);
typedef struct {
    uint64_t tick; /* UINT64_MAX: nobody in this launch */
    uint64_t block;
    uint32_t thread;
    const char *file;
    unsigned line;
    bool known; /* the byte is one of those that were asked for, in this launch */
} sim_writer;
/* False: not known, or nobody. */
bool sim_debug_writer(const sim_debug *d, sim_addr at, sim_writer *w);

#endif
