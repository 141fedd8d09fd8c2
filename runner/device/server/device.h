/* The device server: the semantics of the runtime API on top of a backend, for one client process
 * at a time per dev_client.
 *
 *   student's process                       the runner
 *   libcudart.so.13 (../cudart) --fd 3--> dev_client --> dev_session --> devices (backend.h: sim,
 *   gpu)
 *
 * A session owns the devices, their memory, clocks and counters. A client is one process that sends
 * its runtime calls through a socket. Nothing that a client sends is trusted: every length, handle
 * and address is checked, and a bad message ends only that client. */
#ifndef WARPLAB_DEVICE_H
#define WARPLAB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"

typedef struct dev_session dev_session;
typedef struct dev_client dev_client;

typedef struct {
    /* "sim:h200", "gpu:0"; several, separated by commas, become devices 0, 1, ... */
    const char *device;
    sim_options sim;
    /* bytes of device printf per client; the rest is dropped with a note; 0: 1 MiB */
    uint64_t print_limit;
    /* operations recorded in the log; further ones are executed, but not recorded
     * (dev_flow.complete); 0: 100000 */
    uint64_t launch_limit;
    /* Limit of what a client may make the server hold: simulated device memory, page-locked and
     * managed memory, modules, handles. At most half of what clients may have together; 0: all of
     * what they may have */
    uint64_t client_bytes;
    /* bytes of memory of device 0 and the others; 0: as in their profile */
    uint64_t device_memory;
    const volatile int *cancel; /* set to nonzero (by a signal handler) to end running work */
    const char *ptxas;          /* as in sim_module_options */
    char *(*demangle)(const char *);
    /* With sim.machine_code or sim.count_machine: what `nvdisasm -c -gi -gp -hex` writes of a cubin
     * that the program brought, malloc'ed, or NULL: there is no such text, and its launches are
     * timed by their counters. program: as dev_client_program() said, "" before. May be NULL. */
    char *(*machine_code)(const char *program, const void *cubin, size_t n, size_t *len);
    /* folder for the measured costs of copies and launches on a GPU; NULL: measured anew */
    const char *gpu_cache;
    lib_lang lang; /* language of the lines that the device writes to a program's stderr */
} dev_options;
/* dev_run_command() runs commands. */
void dev_options_default(dev_options *o);
/* Runs a command on this machine in its own process group; `user` is ignored
 * (sim_options.run_command). */
sim_run_command dev_run_command;

/* Returns NULL and sets *msg on failure; for an unknown device, it lists the known ones. */
dev_session *dev_session_new(const dev_options *o, lib_message *msg);
void dev_session_free(dev_session *s);
unsigned dev_session_devices(const dev_session *s);
/* Returns the simulated device, for lessons and tests; NULL for a GPU. */
sim_device *dev_session_sim(dev_session *s, unsigned device);
const char *dev_session_name(const dev_session *s, unsigned device); /* "sim:h200" */
/* Returns the figures of the session's device: a board of runner/device/targets, or a GPU's own. */
const sim_profile *dev_session_profile(const dev_session *s, unsigned device);

/* The present state of a GPU. */
typedef struct {
    char name[128], uuid[48], driver[32];
    char nearest[64]; /* "sim:h200": the source of its counters */
    /* measured once for this GPU and driver */
    double copy_gbs, launch_us, empty_kernel_us, event_gap_us;
    bool clocks_known; /* the next fields are valid */
    unsigned sm_mhz, memory_mhz, temperature_c;
    uint64_t throttle; /* nvmlClocksThrottleReasons, bits */
    double power_w;
} dev_gpu_state;
/* Returns false for a simulated device. */
bool dev_session_gpu(dev_session *s, unsigned device, dev_gpu_state *state);
/* Finds the first GPU, or the reason why there is none, without opening a session: its compute
 * capability (90) and the nearest simulated device. Done once in a process. */
bool dev_gpu_found(unsigned *arch, char nearest[64], const lib_message **why);

/* Called for each known device, for `warplab devices`: its name, its description, and why it is not
 * available; NULL: it is. */
typedef void dev_listed(void *user, const char *name, const lib_message *what,
                        const lib_message *why);
void dev_list(dev_listed *fn, void *user);

/* ---- memory of device 0, for the user of a client (inputs, outputs, expected values) ---- */
sim_status dev_alloc(dev_session *s, uint64_t bytes, const char *name, uint64_t *addr);
/* Sets this much memory aside for dev_alloc(): clients cannot use it. */
void dev_reserve(dev_session *s, uint64_t bytes);
sim_status dev_free(dev_session *s, uint64_t addr);
sim_status dev_write(dev_session *s, uint64_t addr, const void *from, uint64_t n);
sim_status dev_read(dev_session *s, void *to, uint64_t addr, uint64_t n);
sim_status dev_poison(dev_session *s, uint64_t addr, uint64_t n);
void dev_flush(dev_session *s); /* the next launch starts with cold caches */

/* ---- clients ---- */

/* Takes over `fd`, the server's end of a socket pair. The child has the other end as the descriptor
 * named in WARPLAB_FD. */
dev_client *dev_client_new(dev_session *s, int fd, lib_message *msg);
/* From now on, allowed(user) gets all device code that the client loads, as the container that was
 * sent and the compute capability for which it is loaded. Code that it does not allow is not
 * loaded. */
void dev_client_code(dev_client *c,
                     bool (*allowed)(void *user, const void *fatbin, size_t n, unsigned arch),
                     void *user);
/* Frees the client's memory, streams and modules, and closes fd. Leaks (memory that was never
 * freed) were added to the log as findings. */
void dev_client_free(dev_client *c);

typedef enum {
    DEV_READY,  /* the program's glue waits for a call: dev_client_call() */
    DEV_CLOSED, /* the process closed the connection (it exited or crashed): wait for it */
    DEV_TIMEOUT,
    DEV_CANCELLED,
    /* a lab's call has done more than is recorded (dev_flow.complete); the process still runs */
    DEV_FULL,
    /* it sent what none of our clients sends; *msg says what. The connection is closed. */
    DEV_PROTOCOL
} dev_event;
/* Serves requests until one of the events above. timeout: seconds of the program's own time. The
 * clock stops while work runs on a simulated device, because its duration says more about this
 * machine than about the program; dev_client_allow() limits it. On a GPU the clock goes on. */
dev_event dev_client_run(dev_client *c, double timeout, lib_message *msg);
/* Returns the seconds of that time since the client's start. */
double dev_client_spent_s(const dev_client *c);
/* Limits the simulated work that the client may request from now on, in instructions counted as in
 * sim_options.inst_budget; 0: no limit (the default). Launches, copies and rounds of a graph's
 * loops also have a cost (work.c, conditional.c). A launch or loop that exceeds the limit ends with
 * SIM_BUDGET. Copies beyond the limit take the program's own time. */
void dev_client_allow(dev_client *c, uint64_t inst);
/* Returns what it has requested since dev_client_allow(). */
uint64_t dev_client_work(const dev_client *c);

/* A value passed to the function that the glue calls. Pointers are device addresses (dev_alloc) or
 * host buffers. */
typedef enum {
    DEV_ARG_PTR,
    DEV_ARG_I32,
    DEV_ARG_U32,
    DEV_ARG_I64,
    DEV_ARG_U64,
    DEV_ARG_F32,
    DEV_ARG_F64,
    DEV_ARG_HOST
} dev_arg_kind;
typedef struct {
    dev_arg_kind kind;
    union {
        uint64_t addr;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    /* HOST: size of a shared host buffer, which the server makes; dev_client_host() has its
     * contents */
    uint64_t bytes;
    bool pinned;     /* HOST: counts as page-locked */
    unsigned serial; /* HOST: a buffer of another number is not that of the call before */
} dev_arg;
/* Replies to DEV_READY: the glue calls the entry with these values. Then dev_client_run() serves
 * the requests of the call and returns DEV_READY when the call has returned. Marks the start of a
 * call in the log. */
sim_status dev_client_call(dev_client *c, const dev_arg *args, size_t n);
/* Makes the glue leave its loop and exit(0). */
void dev_client_finish(dev_client *c);
/* Returns the server's mapping of HOST argument i of the last call. */
void *dev_client_host(const dev_client *c, size_t i);
/* Returns whether the bytes behind it, up to the end of its last page, are as they were. */
bool dev_client_host_kept(const dev_client *c, size_t i);
/* Returns its contents. After dev_client_prove() with page-locked memory: what the proof left,
 * which no process can change. Valid until the next call. */
const void *dev_client_left(const dev_client *c, size_t i);

/* ---- the log: what the client did since dev_client_mark() (or since its start) ---- */
typedef enum {
    DEV_OP_LAUNCH,
    DEV_OP_H2D,
    DEV_OP_D2H,
    DEV_OP_D2D,
    DEV_OP_PAGES_IN,  /* managed memory that a prefetch moves to the device */
    DEV_OP_PAGES_OUT, /* and to the host, or by the host's own touches */
    DEV_OP_MEMSET,
    DEV_OP_MALLOC,
    DEV_OP_FREE,
    DEV_OP_SYNC,
    DEV_OP_HOST,
    DEV_OP_GRAPH /* a launch of a graph; its nodes have records of their own */
} dev_op;
/* The part of a launch that leads to something: counters of its instructions, blocks, and threads
 * of an average block among these (shares of all, 0 to 1). */
typedef struct {
    sim_counters counters;
    double blocks, threads;
} dev_leading;
typedef struct {
    dev_op op;
    unsigned device, stream; /* stream 0: the default stream */
    /* on the modelled (or measured) timeline of this client; for host calls, start == end */
    double start_us, end_us;
    uint64_t bytes; /* copies, memsets, allocations */
    /* MALLOC, FREE: the runtime's call, "cudaMallocHost"; static. Otherwise NULL */
    const char *call;
    uint64_t memory;  /* MALLOC, FREE: where it begins */
    bool pageable;    /* a copy from or to memory that is not page-locked */
    bool misdirected; /* a copy whose cudaMemcpyKind does not match its pointers */
    bool pooled;      /* an allocation or free of a pool (cudaMallocAsync) */
    bool in_graph;    /* a node of a graph, without a call of its own */
    /* managed memory: groups of pages for which the device or the host waited, and bytes that
     * moved */
    uint64_t page_faults, migrated_bytes;
    /* copies and memsets: 32-byte sectors of device memory that they read and wrote, row by row */
    uint64_t read_sectors, write_sectors;
    sim_status status;
    /* launches */
    const char *kernel; /* pretty name */
    unsigned grid[3], block[3];
    uint64_t dynamic_shared;
    const sim_kernel_info *info;
    const sim_result *result; /* owned by the log */
    bool gives;               /* it stored into memory of dev_alloc() */
    /* its time if nothing else runs and no managed memory has to move; 0: unknown */
    double alone_us;
    /* With dev_client_lineage(). idle: nothing that it left leads to the outputs. leading: for a
     * launch, what leads to the outputs, or, if it is idle, to anything that it left (NULL: all
     * does). Valid as long as the record. */
    bool idle;
    const dev_leading *leading;
    /* With dev_client_lineage(). kernel_bit: one bit, the same for all launches of a kernel.
     * fed_by: the bits of the kernels whose stores the operation has read, itself or through
     * operations before it; 0: of none, or unknown. */
    uint64_t kernel_bit, fed_by;
    /* With dev_client_lineage(). MALLOC: those of `bytes` that no work used that leads to the
     * outputs. PAGES_IN, PAGES_OUT: those of `migrated_bytes` that are for nothing. */
    uint64_t unused;
} dev_record;
/* Valid until the next run, mark or free. */
size_t dev_client_log(const dev_client *c, const dev_record **records);
/* Returns how many operations since the mark have no record, because there were more than
 * dev_options.launch_limit. */
uint64_t dev_client_unrecorded(const dev_client *c);
/* Returns the launches of the last dev_client_prove(), in the order in which they ran, with their
 * counts in the proof. Valid as long as the records. */
size_t dev_client_proof(const dev_client *c, const dev_record **launches);
void dev_client_mark(dev_client *c); /* drops the records so far */
/* Returns the device time of the records: the union of the busy intervals of kernels, copies and
 * memsets, in microseconds. */
double dev_client_busy_us(const dev_client *c);
/* Returns the time from the first record's start to the last one's end, including gaps on the
 * host. */
double dev_client_elapsed_us(const dev_client *c);
/* What-if for a whole run: the most that its copies and the gaps between its operations cost.
 * Computed from the log's operations, or from saved copies of these three fields; host calls among
 * them do not count. */
typedef struct {
    dev_op op;
    double start_us, end_us;
} dev_span;
enum {
    DEV_IF_NO_COPIES, /* copies between host and device take no time */
    DEV_IF_OVERLAP,   /* copies in both directions run at the same time as all kernels */
    /* each operation directly follows the one before: launches, calls and the host cost nothing */
    DEV_IF_NO_GAPS,
    DEV_IF_COUNT
};
typedef struct {
    double us; /* from the first operation's start to the last one's end */
    double then_us[DEV_IF_COUNT];
    size_t copies;
} dev_whole;
void dev_whole_of(const dev_span *v, size_t n, dev_whole *out);
unsigned dev_whole_title(unsigned row); /* a lib_word_id */
/* Sets the file from which the program was started, so that a failing call of the runtime can be
 * reported with its line. Copied. */
void dev_client_program(dev_client *c, const char *path);
/* Returns whether the call read device memory back to the host, so that later launches may depend
 * on it. */
bool dev_client_read_back(const dev_client *c);
/* Returns whether the call freed arrays, or texture or surface objects: then it cannot be
 * replayed. */
bool dev_client_freed(const dev_client *c);
/* Whether in calls from now on half of the threads that the program creates, drawn at random, make
 * their calls after those that other threads make meanwhile. Times then say nothing. */
void dev_client_draw_threads(dev_client *c, bool on);
/* From the next call on, each record says whether it leads to the call's outputs (dev_record.idle,
 * leading). given: what the host gives the device is kept for dev_client_given(). */
void dev_client_lineage(dev_client *c, bool given);
/* Returns how many words of 4 bytes the host gave, by copies or in memory that both sides see, to
 * the kernels with the bits `to` (dev_record.kernel_bit) and not to those with the bits `not_to`.
 * Zeros do not count. */
uint64_t dev_client_given(const dev_client *c, uint64_t to, uint64_t not_to);
/* With dev_client_lineage(): the bytes of variables of the program's own that work of the call
 * stored which leads to the outputs. Small variables do not count. */
uint64_t dev_client_variables(const dev_client *c);
/* Data flow through the host in the marked call (log/hostflow.c): what the program saw of the
 * device, and what it gave the device afterwards. */
typedef struct {
    dev_op op;          /* a copy, a memset, or a launch */
    uint64_t bytes;     /* for a launch: of the host memory into which it stored */
    const char *kernel; /* for a launch: its name; otherwise "" */
} dev_passage;
typedef struct {
    bool complete;       /* false: the call did more than was recorded */
    uint64_t room;       /* number of operations recorded for one call */
    uint64_t room_bytes; /* of what is kept to follow them */
    bool data;           /* it saw data and then gave the device something */
    /* a launch stored into memory that the program sees and loaded from such memory: the program
     * may have answered */
    bool within;
    uint64_t times; /* how often it asked for a duration and then gave the device something */
    uint64_t most;  /* the most bytes that it saw before it gave something */
    uint64_t all;   /* the sum of these bytes */
    dev_passage saw, gave; /* where the most was */
} dev_flow;
void dev_client_flow(const dev_client *c, dev_flow *f);
/* Returns how many bytes copies of the marked call put from the host into the allocation of
 * dev_alloc() at `addr`. Not counted: bytes that the device had left in the host's memory, and
 * copies whose bytes all have the value that the first such copy had. */
uint64_t dev_client_put(const dev_client *c, uint64_t addr);
/* A lab's buffer on the host has n bytes. Returns how many of its words of 4 bytes came from the
 * device in the marked call, by copies or by launches that stored into memory that both sides see.
 * Words that the call had copied from ordinary memory of the host do not count. If there are many
 * words, a sample stands for all; 0: nothing was recorded. */
uint64_t dev_client_gave(const dev_client *c, const void *bytes, uint64_t n);
/* Returns how many different words of 4 bytes the host gave the device in the marked call by
 * copies, as parameters of kernels, and in memory that both sides see, that are neither in `known`
 * (the lab's inputs on the host) nor came from the device: the host computed them. If there are
 * many, a sample stands for all. */
typedef struct {
    const void *at;
    uint64_t n;
} dev_bytes;
uint64_t dev_client_computed(const dev_client *c, const dev_bytes *known, size_t count);
/* Returns findings of all launches and of the host side since the mark (leaks, host-deref). */
size_t dev_client_findings(const dev_client *c, const sim_finding **f);
/* If the program crashed because it used a device pointer itself (a HOST_DEREF finding), returns
 * true and the place, for addr2line: pc - base is an address in the program's file if it is
 * position-independent (base is 0 if it is not). */
bool dev_client_fault(const dev_client *c, uint64_t *pc, uint64_t *base);
/* Returns calls that are not supported, "cudaFoo: reason", each once, since the start. They may
 * contain text of the program: names of its kernels, lines of its device code. */
size_t dev_client_unsupported(const dev_client *c, const lib_message *const **lines);
/* Returns the first function of the runtime among them, by its name in unsupported.def; NULL:
 * none. */
const char *dev_client_unsupported_call(const dev_client *c);
/* Returns the text of device printf since the mark. */
const char *dev_client_printed(const dev_client *c, size_t *n);
/* Returns the part of all such text that the program has not received. During a lab's call it
 * receives none; the text comes with the next call. */
const char *dev_client_undelivered(const dev_client *c, size_t *n);

/* Runs the launches and device-side copies of the marked call again, in order, on the present
 * contents of the buffers of dev_alloc() (fresh inputs, poisoned outputs). On a simulated device,
 * all other memory is first put back to its state at the beginning of the call, and what the call
 * freed exists again until the end. The records' times and results are replaced. Copies to ordinary
 * memory of the program are left out. Returns UNSUPPORTED if the call copied from the host, used
 * page-locked or managed memory, launched a graph or a host function, freed an array (on a GPU: any
 * memory), destroyed a texture, overwrote more than a quarter of what a client may hold, or if its
 * log overflowed. */
sim_status dev_client_replay(dev_client *c);
/* The same, to find out whether anything that the host saw went into the outputs: takes no times,
 * and the records stay. Copies from the host, nodes of graphs, page-locked and managed memory take
 * part: the host's data are those that it gave in the call, byte for byte, in memory that the
 * program cannot reach meanwhile. Host functions are left out. Returns UNSUPPORTED if the host gave
 * more than is kept (dev_part_limit), if the call freed an array or destroyed a texture, or if
 * memory is short. On a GPU it is dev_client_replay(). */
sim_status dev_client_prove(dev_client *c);
/* The same on the call's own data, to find out whether a kernel got answers while it ran
 * (dev_flow.within). OK: the works leave in page-locked and managed memory, and copy from there to
 * the program's ordinary memory, the same bytes as in the call. The lab's own buffers are not
 * compared. */
sim_status dev_client_prove_same(dev_client *c);
/* Proofs of this client's calls will not be asked for, so what the host writes into memory that
 * both sides see need not be kept. */
void dev_client_unproven(dev_client *c);

/* Returns whether the device lost everything that this client had on it (a GPU's context broke
 * under another client): the client must be restarted. */
bool dev_client_lost(const dev_client *c);

/* Called for each launch when it ends (profile prints a line). The record is valid during the
 * call. */
void dev_client_on_launch(dev_client *c, void (*fn)(void *user, const dev_record *r), void *user);
/* With dev_client_lineage(), on the simulated device: in calls from now on, each launch of a kernel
 * of which `of` is true leaves other values than it stored. `of` NULL: none does any more. */
void dev_client_spoil(dev_client *c, bool (*of)(const void *user, const char *kernel),
                      const void *user);

#endif
