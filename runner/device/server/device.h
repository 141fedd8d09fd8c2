/* The device server: the runtime API's semantics over a backend, for one client process at a time
 * per dev_client.
 *
 *   student's process                       the runner
 *   libcudart.so.13 (../cudart) --fd 3--> dev_client --> dev_session --> devices (backend.h: sim, gpu)
 *
 * A session owns the devices, their memory, clocks and counters. A client is one process that
 * marshals its runtime calls through a socket. Nothing a client sends is trusted: every length,
 * handle and address is checked, and a bad message ends that client only. */
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
    /* "sim:h200", "gpu:0"; several separated by commas make devices 0, 1, ... */
    const char *device;
    sim_options sim;
    /* bytes of device printf per client before the rest is dropped with a note; 0: 1 MiB */
    uint64_t print_limit;
    /* operations recorded in the log; more are executed, not kept (dev_flow.complete); 0: 100000 */
    uint64_t launch_limit;
    /* what a client may make the server hold: simulated device memory, page-locked and managed memory,
     * modules, handles, and at most half of what clients may have together; 0: all of that */
    uint64_t client_bytes;
    /* bytes of memory that device 0 and the others have; 0: as their profile says */
    uint64_t device_memory;
    const volatile int *cancel; /* set to nonzero (signal handler) to end what runs */
    const char *ptxas;          /* as sim_module_options */
    char *(*demangle)(const char *);
    /* With sim.machine_code or count_machine: what `nvdisasm -c -gi -hex` writes of a cubin that the program brought,
     * malloc'ed, or NULL: there is no such text, and its launches are timed by PTX. program: as
     * dev_client_program() said, "" before. May be NULL. */
    char *(*machine_code)(const char *program, const void *cubin, size_t n, size_t *len);
    /* a folder that keeps what copies and launches cost on a GPU; NULL: measured anew */
    const char *gpu_cache;
    lib_lang lang; /* of the lines that programs print to stderr for the device */
} dev_options;
/* Commands are run by dev_run_command(). */
void dev_options_default(dev_options *o);
/* Runs a command on this machine, in a process group of its own; the user is not looked at
 * (sim_options.run_command). */
sim_run_command dev_run_command;

/* NULL and *msg: an unknown device lists the known ones. */
dev_session *dev_session_new(const dev_options *o, lib_message *msg);
void dev_session_free(dev_session *s);
unsigned dev_session_devices(const dev_session *s);
/* The simulated device, for lessons and tests; NULL on gpu. */
sim_device *dev_session_sim(dev_session *s, unsigned device);
const char *dev_session_name(const dev_session *s, unsigned device); /* "sim:h200" */
/* What the session's device can do: a board of runner/device/targets, or a GPU's own figures. */
const sim_profile *dev_session_profile(const dev_session *s, unsigned device);

/* A GPU as it is now. */
typedef struct {
    char name[128], uuid[48], driver[32];
    char nearest[64]; /* "sim:h200": where its counters come from */
    /* measured once for this GPU and driver */
    double copy_gbs, launch_us, empty_kernel_us, event_gap_us;
    bool clocks_known; /* the next ones are */
    unsigned sm_mhz, memory_mhz, temperature_c;
    uint64_t throttle; /* nvmlClocksThrottleReasons, bits */
    double power_w;
} dev_gpu_state;
/* False: the device is a simulated one. */
bool dev_session_gpu(dev_session *s, unsigned device, dev_gpu_state *state);
/* The first GPU, or why there is none, without opening a session: its compute capability (90) and
 * the nearest simulated device. Asked once a process. */
bool dev_gpu_found(unsigned *arch, char nearest[64], const lib_message **why);

/* Each known device, for `warplab devices`: its name, what it is, and why it is not available; NULL: it is. */
typedef void dev_listed(void *user, const char *name, const lib_message *what,
                        const lib_message *why);
void dev_list(dev_listed *fn, void *user);

/* ---- memory of device 0, for whoever drives a client (inputs, outputs, expected values) ---- */
sim_status dev_alloc(dev_session *s, uint64_t bytes, const char *name, uint64_t *addr);
/* Sets so much memory aside for dev_alloc() from now on: clients cannot take it. */
void dev_reserve(dev_session *s, uint64_t bytes);
sim_status dev_free(dev_session *s, uint64_t addr);
sim_status dev_write(dev_session *s, uint64_t addr, const void *from, uint64_t n);
sim_status dev_read(dev_session *s, void *to, uint64_t addr, uint64_t n);
sim_status dev_poison(dev_session *s, uint64_t addr, uint64_t n);
void dev_flush(dev_session *s); /* the next launch finds cold caches */

/* ---- clients ---- */

/* Takes over `fd`, the server's end of a socket pair whose other end the child has as the
 * descriptor named in WARPLAB_FD. */
dev_client *dev_client_new(dev_session *s, int fd, lib_message *msg);
/* Every device code that the client loads from now on is shown to allowed(user), as the container
 * that came and the compute capability that it is loaded for; what is not allowed does not load. */
void dev_client_code(dev_client *c,
                     bool (*allowed)(void *user, const void *fatbin, size_t n, unsigned arch),
                     void *user);
/* Frees the client's memory, streams, modules and closes fd. Leaks (memory never freed) were added
 * to the log as findings. */
void dev_client_free(dev_client *c);

typedef enum {
    DEV_READY,  /* the program's glue waits for a call: dev_client_call() */
    DEV_CLOSED, /* the process closed the connection (it exited or died): wait for it */
    DEV_TIMEOUT,
    DEV_CANCELLED,
    DEV_PROTOCOL /* it sent what no client of ours sends; *msg says what. The connection is closed. */
} dev_event;
/* Serves requests until one of the events above. timeout in seconds of the program's own time:
 * while its work runs on a simulated device the clock stands still, since how long that takes says
 * more about this machine than about the program; what bounds it is dev_client_allow(). On a GPU
 * the clock goes on. */
dev_event dev_client_run(dev_client *c, double timeout, lib_message *msg);
/* Seconds of that time since the client came. */
double dev_client_spent_s(const dev_client *c);
/* Simulated work that the client may ask for from now on, in instructions counted as
 * sim_options.inst_budget is; 0: as much as it likes (the default). Launches, copies and rounds of
 * a graph's loops have a price besides (work.c, conditional.c). A launch or loop that passes it
 * ends with SIM_BUDGET; copies past it run on the program's own time. */
void dev_client_allow(dev_client *c, uint64_t inst);
/* What it asked for since dev_client_allow(). */
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
    /* HOST: size of a shared host buffer the server makes; its contents are dev_client_host() */
    uint64_t bytes;
    bool pinned; /* HOST: counts as page-locked */
} dev_arg;
/* Answers DEV_READY: the glue calls the entry with these values. Next, dev_client_run() serves what
 * the call does and comes back with DEV_READY when it returned. Marks the start of a call in the
 * log. */
sim_status dev_client_call(dev_client *c, const dev_arg *args, size_t n);
/* Tells the glue to leave its loop and exit(0). */
void dev_client_finish(dev_client *c);
/* The server's mapping of HOST argument i of the last call. */
void *dev_client_host(const dev_client *c, size_t i);
/* What it holds; after dev_client_prove() of page-locked memory what the proof left, which no process
 * can change. Until the next call. */
const void *dev_client_left(const dev_client *c, size_t i);

/* ---- the log: what the client did since dev_client_mark() (or since the start) ---- */
typedef enum {
    DEV_OP_LAUNCH,
    DEV_OP_H2D,
    DEV_OP_D2H,
    DEV_OP_D2D,
    DEV_OP_PAGES_IN,  /* managed memory that a prefetch moves to the device */
    DEV_OP_PAGES_OUT, /* and to the host, or the host's own touches */
    DEV_OP_MEMSET,
    DEV_OP_MALLOC,
    DEV_OP_FREE,
    DEV_OP_SYNC,
    DEV_OP_HOST,
    DEV_OP_GRAPH /* a launch of a graph; what its nodes did has records of its own */
} dev_op;
typedef struct {
    dev_op op;
    unsigned device, stream; /* stream 0: the default stream */
    /* on the modelled (or measured) timeline of this client; host calls have start == end */
    double start_us, end_us;
    uint64_t bytes;   /* copies, memsets, allocations */
    const char *call; /* MALLOC, FREE: the runtime's call, "cudaMallocHost"; static. Else NULL */
    bool pageable;    /* a copy from or to memory that is not page-locked */
    bool misdirected; /* a copy whose cudaMemcpyKind is not that of its pointers */
    bool pooled;      /* an allocation or free of a pool (cudaMallocAsync) */
    bool in_graph;    /* a node of a graph: no call of its own */
    /* managed memory: groups of pages that somebody waited for, and bytes that moved */
    uint64_t page_faults, migrated_bytes;
    /* copies and memsets: 32-byte sectors of device memory that they read and write, row by row */
    uint64_t read_sectors, write_sectors;
    sim_status status;
    /* launches */
    const char *kernel; /* pretty name */
    unsigned grid[3], block[3];
    uint64_t dynamic_shared;
    const sim_kernel_info *info;
    const sim_result *result; /* owned by the log */
    bool gives;               /* it stored into memory of dev_alloc() */
    /* With dev_client_lineage(): nothing that it left leads to the outputs; of a launch, the counters of the
     * instructions that lead there, of an idle one to anything it left (NULL: all do). Valid as the record. */
    bool idle;
    const sim_counters *leading;
} dev_record;
/* Valid until the next run, mark or free. */
size_t dev_client_log(const dev_client *c, const dev_record **records);
/* The launches of the last dev_client_prove(), in the order in which they ran, with what they counted
 * there. Valid as those. */
size_t dev_client_proof(const dev_client *c, const dev_record **launches);
void dev_client_mark(dev_client *c); /* forgets the records so far */
/* Device time of the records: the union of the busy intervals of kernels, copies and memsets, in
 * microseconds. */
double dev_client_busy_us(const dev_client *c);
/* From the first record's start to the last one's end, host gaps included. */
double dev_client_elapsed_us(const dev_client *c);
/* What if, of a run as a whole: what its copies and the gaps between its operations are worth at most. From the log's operations, or
 * from whatever has kept these three fields of them; host calls among them do not count. */
typedef struct {
    dev_op op;
    double start_us, end_us;
} dev_span;
enum {
    DEV_IF_NO_COPIES, /* copies between host and device take no time */
    DEV_IF_OVERLAP,   /* both directions' copies run beside all kernels */
    DEV_IF_NO_GAPS, /* each operation follows the one before at once: launches, calls and the host are free */
    DEV_IF_COUNT
};
typedef struct {
    double us; /* from the first operation's start to the last one's end */
    double then_us[DEV_IF_COUNT];
    size_t copies;
} dev_whole;
void dev_whole_of(const dev_span *v, size_t n, dev_whole *out);
unsigned dev_whole_title(unsigned row); /* a lib_word_id */
/* The file that the program was started from, so that a call of the runtime that fails can be told
 * with its line. Copied. */
void dev_client_program(dev_client *c, const char *path);
/* True when the call read device memory back to the host, so that its later launches may depend on
 * it. */
bool dev_client_read_back(const dev_client *c);
/* True when the call freed arrays, or texture or surface objects: it cannot be run again. */
bool dev_client_freed(const dev_client *c);
/* From the next call on each record says whether it leads to the call's outputs (dev_record.idle, leading). */
void dev_client_lineage(dev_client *c);
/* Data flow through the host in the marked call (log/hostflow.c): what the program saw of the
 * device, and what it gave the device afterwards. */
typedef struct {
    dev_op op;          /* a copy, a memset, or a launch */
    uint64_t bytes;     /* of a launch: of the memory on the host that it stored into */
    const char *kernel; /* of a launch: its name; else "" */
} dev_passage;
typedef struct {
    bool complete; /* false: the call did more than is recorded */
    uint64_t room; /* how many operations of one call are */
    bool data;     /* it saw data, and gave the device something then */
    bool
        within; /* a launch stored into memory that it sees and loaded from such memory: it may have answered */
    uint64_t times;        /* how often it asked how long something took, and did so then */
    uint64_t most;         /* bytes seen before something was given, the most */
    uint64_t all;          /* and of all such times together */
    dev_passage saw, gave; /* where that was the most */
} dev_flow;
void dev_client_flow(const dev_client *c, dev_flow *f);
/* Bytes that copies of the marked call put from the host into the allocation of dev_alloc() at
 * `addr`: neither those that the device left in the host's memory, nor copies all of whose bytes
 * are the one value that the first such copy had. */
uint64_t dev_client_put(const dev_client *c, uint64_t addr);
/* Of the n bytes that a lab's buffer on the host holds: how many of its words of 4 bytes the device
 * gave the host in the marked call, by copies or by launches that stored into memory that both sides
 * see. Words that the call had copied from ordinary memory of the host are not counted. Of many
 * words a sample stands for all; 0 where none of it was noted. */
uint64_t dev_client_gave(const dev_client *c, const void *bytes, uint64_t n);
/* Findings of all launches and of the host side since the mark (leaks, host-deref). */
size_t dev_client_findings(const dev_client *c, const sim_finding **f);
/* The program died of using a device pointer itself (its finding is HOST_DEREF): where, for
 * addr2line. pc - base is an address in the program's file when it is position-independent (base is
 * 0 when it is not). False when it did not. */
bool dev_client_fault(const dev_client *c, uint64_t *pc, uint64_t *base);
/* Calls that are not supported, "cudaFoo: reason", each once, since the start. The program has a say in
 * them: names of its kernels, lines of its device code. */
size_t dev_client_unsupported(const dev_client *c, const lib_message *const **lines);
/* The first function of the runtime among them, as unsupported.def names it; NULL: there was none. */
const char *dev_client_unsupported_call(const dev_client *c);
/* Device printf text since the mark. */
const char *dev_client_printed(const dev_client *c, size_t *n);
/* And of all of it what the program has not been given. In a lab's call it is given nothing: it
 * comes with the next one. */
const char *dev_client_undelivered(const dev_client *c, size_t *n);

/* Runs the launches and device-side copies of the marked call again, in order, on what the buffers
 * of dev_alloc() hold now (fresh inputs, poisoned outputs). All other memory of a simulated device
 * is put back first to what it was when the call began, and what the call freed is there again
 * until the end. The records' times and results are replaced. Copies to ordinary memory of the
 * program are left out. UNSUPPORTED when the call copied from the host, used page-locked or managed
 * memory, launched a graph or a host function, freed an array (on a GPU: any memory), destroyed a
 * texture, overwrote more than a quarter of what a client may hold, or its log overflowed. */
sim_status dev_client_replay(dev_client *c);
/* The same to learn whether anything that the host saw has gone into the outputs: no times are
 * taken, the records stay. Copies from the host, nodes of graphs, page-locked and managed memory
 * take part: what the host gave is what it gave in the call, byte for byte, from memory that the
 * program cannot reach meanwhile. Host functions are left out. UNSUPPORTED when the host gave more
 * than is kept (dev_part_limit), where the call freed an array or destroyed a texture, and where
 * memory is short. On a GPU it is dev_client_replay(). */
sim_status dev_client_prove(dev_client *c);
/* The same on the call's own data, to learn whether anybody answered a kernel while it ran (dev_flow.within):
 * OK where the works leave in page-locked and managed memory, and bring from there on to the program's ordinary
 * memory, byte for byte what they did in the call. The lab's own buffers are not looked at. */
sim_status dev_client_prove_same(dev_client *c);
/* No proof of this client's calls will be asked for: what the host writes into memory that both
 * sides see need not be kept. */
void dev_client_unproven(dev_client *c);

/* True when the device lost everything that this client had on it (a GPU's context broke under
 * another client): it has to be started again. */
bool dev_client_lost(const dev_client *c);

/* Called for each launch as it ends (profile prints a line). record is valid during the call. */
void dev_client_on_launch(dev_client *c, void (*fn)(void *user, const dev_record *r), void *user);

#endif
