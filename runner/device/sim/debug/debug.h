/* The debugger of the simulated device: the door of this room.
 *
 * In: a launch of a device with sim_options.debug set. Out: calls of the owner's function at each
 * stop. The function looks at warps, lanes, variables and memory, and says how to go on.
 *
 *   sim_run() --sim_debug_begin()--> the contents of memory are saved
 *             --instruction by instruction: hook.h--> stop? --> stopped(): look, then
 *             sim_debug_go() --back, or which thread wrote this?--> memory as it was, the launch
 *             again up to that instruction
 *
 * A launch with a debugger runs on one worker, by its PTX, so each run of it does the same
 * in the same order. A point in time is the number of warp instructions executed before it, and
 * going back is running again to a smaller number.
 *
 *   hook.h      called by run/            debug.c   breakpoints, watchpoints, steps, going back
 *   look.c      places, registers and memory of the stopped launch
 *   machine.c   the focus's block as machine code
 *   dwarf.c     `nvcc -G`'s DWARF 2 in the PTX: types, variables and their places
 *   expr.c      C expressions over them   value.c   their values, as text */
#ifndef WARPLAB_SIM_DEBUG_H
#define WARPLAB_SIM_DEBUG_H

#include "runner/device/sim/sim.h"

typedef struct sim_debug sim_debug;

typedef enum {
    SIM_STOP_LAUNCH,  /* a launch is about to execute its first instruction */
    SIM_STOP_BREAK,   /* `number` is the breakpoint's */
    SIM_STOP_WATCH,   /* a watched element is about to be written */
    SIM_STOP_STEP,    /* a step, forward or back, is done */
    SIM_STOP_FINDING, /* a finding is about the next instruction */
    SIM_STOP_EXITED,  /* the thread that was stepped has ended */
    SIM_STOP_START,   /* going back reached the launch's start */
    SIM_STOP_PAUSE,   /* sim_debug_pause() was called */
    /* the same place as before, with the writers that sim_debug_record() asked for */
    SIM_STOP_RECORDED,
    SIM_STOP_MACHINE, /* the block's start, with what sim_debug_machine() asked for */
    SIM_STOP_END      /* the launch has ended: the owner can look at memory, and go back */
} sim_stop_reason;
typedef struct {
    sim_stop_reason reason;
    unsigned number;            /* of the breakpoint or watchpoint */
    const sim_finding *finding; /* FINDING; END: the last one that was not yet shown; or NULL */
    sim_status status;          /* END */
    const char *kernel;
    unsigned grid[3], block[3];
    uint64_t launch; /* how many launches there were before */
} sim_stop;
typedef void sim_debug_stopped(void *user, sim_debug *d, const sim_stop *s);

/* stopped(user) is called in the thread that runs the launch. When it returns, the launch goes on
 * as its last sim_debug_go() said. Returns NULL if memory is out. */
sim_debug *sim_debug_new(sim_debug_stopped *stopped, void *user);
void sim_debug_free(sim_debug *d);
/* Sets whether to stop at the first instruction of each launch, and at its end. Initially off and
 * on. */
void sim_debug_stop_at(sim_debug *d, bool launch, bool end);
void sim_debug_stop_at_findings(sim_debug *d, bool on); /* initially on */
/* While it rests, nothing stops. Otherwise it is like new, except for its breakpoints. */
void sim_debug_rest(sim_debug *d, bool on);
/* Stops soon. May be called from a signal handler or another thread. */
void sim_debug_pause(sim_debug *d);

/* ---- going on ---- */

typedef enum {
    SIM_GO_CONTINUE,
    SIM_GO_STEP,   /* to another line, also into calls */
    SIM_GO_NEXT,   /* over calls */
    SIM_GO_FINISH, /* until the function has returned */
    SIM_GO_STEPI,  /* one instruction */
    SIM_GO_BACK,   /* one instruction back */
    SIM_GO_REVERSE_STEP,
    SIM_GO_REVERSE_NEXT,
    SIM_GO_REVERSE_CONTINUE, /* to the breakpoint or write before this */
    SIM_GO_RESTART,          /* to the launch's first instruction */
    SIM_GO_TO_END,           /* to the launch's end, past all breakpoints */
    SIM_GO_FREE,             /* no more stops: the debugger detaches */
    SIM_GO_ABORT             /* the launch ends as cancelled, without further stops */
} sim_go;
void sim_debug_go(sim_debug *d, sim_go how);
/* Returns whether the memory before the launch could be saved, so that going back is possible. */
bool sim_debug_can_go_back(const sim_debug *d);
/* Returns the warp instructions executed before this place. */
uint64_t sim_debug_tick(const sim_debug *d);
/* Goes to that place, where the same stop is reported again. */
void sim_debug_go_to(sim_debug *d, uint64_t tick);

/* ---- breakpoints and watchpoints ---- */

typedef struct {
    unsigned number;
    bool watch;
    const char *text;      /* "FILE:LINE", "LINE", a function, or the watched expression */
    const char *condition; /* "" if none */
    uint64_t hits;
    bool known;    /* its place exists in the running code, or its element exists */
    unsigned line; /* of a breakpoint at a line: the line that has code */
    sim_addr address;
    unsigned bytes;
} sim_point;
/* Returns the number, or 0 and *msg. A place that is not yet known in the code, or from the
 * kernel's parameters, is looked for in each launch. */
unsigned sim_debug_break(sim_debug *d, const char *where, const char *condition, lib_message *msg);
/* Stops before each instruction that writes into the element of the expression. */
unsigned sim_debug_watch(sim_debug *d, const char *expression, const char *condition,
                         lib_message *msg);
bool sim_debug_delete(sim_debug *d, unsigned number);
bool sim_debug_condition(sim_debug *d, unsigned number, const char *condition);
size_t sim_debug_points(const sim_debug *d);
void sim_debug_point(const sim_debug *d, size_t i, sim_point *p);

/* ---- places ---- */

typedef struct {
    const char *file;     /* as nvcc wrote it; "" if unknown */
    unsigned line;        /* 0: unknown */
    const char *function; /* in the source, otherwise in the PTX */
    unsigned ptx_line;
    unsigned block[3], thread[3];
    unsigned warp, lane;
    uint32_t mask; /* lanes at this place */
    unsigned depth;
} sim_place;
/* The focus: the thread whose variables are shown. Level 0 is its place, 1 its caller, ... Returns
 * false if there is no such frame. */
bool sim_debug_frame(const sim_debug *d, unsigned level, sim_place *p);
bool sim_debug_select(sim_debug *d, unsigned level); /* expressions then refer to this frame */
/* Moves the focus to a thread of the running block. */
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
/* Calls fn for the lanes of a warp that are at one place, warp after warp of the running block. */
void sim_debug_each_place(const sim_debug *d,
                          void (*fn)(void *user, unsigned warp, sim_lanes_state_of state,
                                     const sim_place *p),
                          void *user);
/* Calls fn for the next PTX instruction and those around it: `back` before it and `ahead` after
 * it. */
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
    /* its place, as a generic address; 0: not in memory */
    sim_addr address;
    /* its type: an entry of the DWARF, or -1 with a kind and size; `stars` levels of pointers to
     * that */
    int32_t type;
    uint8_t stars, base_kind, base_bytes;
} sim_value;
/* lane -1: the focus; otherwise a lane of its warp. */
bool sim_debug_eval(const sim_debug *d, int lane, const char *expression, sim_value *v,
                    lib_message *msg);
/* Writes it as in C: 3, 1.5, 0x30.., {x = 1, n = 2}; always ends in NUL. */
void sim_debug_value_text(const sim_debug *d, int lane, const sim_value *v, char *text, size_t n);
void sim_debug_type_text(const sim_debug *d, const sim_value *v, char *text, size_t n);
typedef enum { SIM_VARS_PARAMETERS, SIM_VARS_LOCALS, SIM_VARS_SHARED, SIM_VARS_GLOBALS } sim_vars;
/* A NULL value: the variable has no place now. */
void sim_debug_each_variable(const sim_debug *d, sim_vars which,
                             void (*fn)(void *user, const char *name, const sim_value *v),
                             void *user);
/* Calls fn for members and elements of a value, up to `most` of them from `first` on. Returns how
 * many there are. */
size_t sim_debug_parts(const sim_debug *d, int lane, const sim_value *v, size_t first, size_t most,
                       void (*fn)(void *user, const char *name, const sim_value *part), void *user);
/* Returns whether there is DWARF for the running code. */
bool sim_debug_has_variables(const sim_debug *d);

/* ---- memory ---- */

bool sim_debug_read(const sim_debug *d, int lane, sim_addr from, void *to, size_t n);
/* Returns the block's shared memory; the second, the variable at an offset of it ("" if none). */
size_t sim_debug_shared(const sim_debug *d, const uint8_t **bytes);
const char *sim_debug_shared_name(const sim_debug *d, uint32_t offset, uint32_t *start);
sim_addr sim_debug_shared_address(uint32_t offset);

/* Finds out which thread last wrote each byte of [from, from + n): asks to run the launch again up
 * to here, and to stop with RECORDED. Returns false if n is 0 or more than a million, or if going
 * back is impossible; then nothing is known of any byte. */
bool sim_debug_record(sim_debug *d, sim_addr from, size_t n);
typedef struct {
    uint64_t tick; /* UINT64_MAX: not written in this launch */
    uint64_t block;
    uint32_t thread;
    const char *file;
    unsigned line;
    bool known; /* the byte was asked for, in this launch */
} sim_writer;
/* Returns false if not known, or not written. */
bool sim_debug_writer(const sim_debug *d, sim_addr at, sim_writer *w);

/* ---- machine code (machine.c) ----
 *
 * The focus's block is executed as machine code from its start to its end, over memory of its own
 * that begins as the block found it, and each instruction is recorded. A place is one of the
 * instructions of the focus, so going forward and back is looking at another one. The launch itself
 * rests at the block's start meanwhile. Its results are those of PTX. */

/* Says how to get machine code as text for modules that came without: `read` returns what
 * `nvdisasm -c -gi -gp -hex` writes of a cubin of the program, malloc'ed, or NULL. `program` is
 * borrowed. Without, only modules with sim_module_options.machine_code have some. */
typedef char *sim_debug_machine_text(const char *program, const void *cubin, size_t n, size_t *len);
void sim_debug_machine_from(sim_debug *d, sim_debug_machine_text *read, const char *program);
/* Asks for that: the next stop, after the owner has returned, is MACHINE. Returns false and sets
 * *msg if it is impossible. */
bool sim_debug_machine(sim_debug *d, lib_message *msg);
/* At that stop: returns false and sets *msg if the block could not be executed. True: the place is
 * the focus's first instruction of the source line at which it was; if it has none of that line,
 * its first one. */
bool sim_debug_machine_ready(const sim_debug *d, lib_message *msg);
/* The next stop, after the owner has returned, is the one before sim_debug_machine(), as after a
 * step. */
void sim_debug_machine_leave(sim_debug *d);

typedef enum {
    SIM_MACHINE_STEP,      /* one instruction */
    SIM_MACHINE_NEXT,      /* one instruction; over calls */
    SIM_MACHINE_LINE,      /* to another source line */
    SIM_MACHINE_BACK,      /* one instruction back */
    SIM_MACHINE_BACK_LINE, /* to the start of this source line, or of the one before */
    SIM_MACHINE_FIRST,
    SIM_MACHINE_LAST
} sim_machine_go;
/* Returns false if the thread executes no such instruction; then the place stays. */
bool sim_debug_machine_go(sim_debug *d, sim_machine_go how);
/* Goes to the next or previous instruction that is at this address, or of this source line. */
bool sim_debug_machine_to(sim_debug *d, bool back, bool line, unsigned at);
/* After sim_debug_focus(): goes to the new focus's instruction here, or its next one, or its
 * last. */
void sim_debug_machine_follow(sim_debug *d);

enum { SIM_MACHINE_TEXT = 160 };
typedef struct {
    unsigned address; /* in the kernel */
    char text[SIM_MACHINE_TEXT];
    const char *file; /* "" and line 0: unknown. Of inlined code: where it was inlined */
    unsigned line;
    unsigned stall;                  /* cycles until the warp's next instruction */
    bool yield;                      /* the scheduler may prefer another warp */
    int write_barrier, read_barrier; /* set until results are there, sources are read; -1: none */
    unsigned wait;                   /* a bit for each barrier that it waits for */
} sim_machine_insn;
typedef struct {
    sim_machine_insn insn;
    unsigned block[3], thread[3];
    unsigned warp, lane;
    uint32_t mask, on;    /* lanes at the instruction; those of them whose guard holds */
    uint64_t step, steps; /* it is the step-th of the thread's, from 1 */
} sim_machine_place;
bool sim_debug_machine_place(const sim_debug *d, sim_machine_place *p);
/* Returns why the block ends behind its last instruction that was recorded; NULL: by its exits. */
const lib_message *sim_debug_machine_end(const sim_debug *d);
/* Calls fn for the code around the place: `back` instructions before it and `ahead` after it. */
void sim_debug_machine_code(const sim_debug *d, unsigned back, unsigned ahead,
                            void (*fn)(void *user, const sim_machine_insn *i, bool here),
                            void *user);
/* Calls fn for the PTX of a source line. */
void sim_debug_line_ptx(const sim_debug *d, const char *file, unsigned line,
                        void (*fn)(void *user, unsigned ptx_line, const char *text), void *user);
/* Calls fn for each register of the kernel: R0, UR4, P0, UP0. by_lane: what each lane has before
 * the place's instruction; the bits of a predicate are 0 or 1. written: lanes that have written it
 * so far. Returns false if memory is out. */
bool sim_debug_machine_registers(const sim_debug *d,
                                 void (*fn)(void *user, const char *name, const uint32_t *by_lane,
                                            uint32_t written),
                                 void *user);

#endif
