/* The simulated device. In: PTX text. Out: results, counters, findings and a modelled time.
 *
 * It knows nothing of Lua, sockets, labs or processes, and has no global state: two devices may
 * live in one process. Thread safety: one thread at a time per device. sim_run() itself uses a pool
 * of threads.
 *
 * Strings are UTF-8. Sizes are bytes and times microseconds, unless a name says otherwise. The
 * caller of a function named *_new frees the result with *_free. Every other pointer belongs to the
 * object that it came from. */
#ifndef WARPLAB_SIM_H
#define WARPLAB_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"

typedef struct lib_message lib_message; /* runner/base/message.h */

typedef uint64_t sim_addr; /* an address in the device's address space; 0 is null */
typedef struct sim_device sim_device;
typedef struct sim_module sim_module;
typedef struct sim_kernel sim_kernel;
struct sim_debug; /* debug/debug.h */
enum { SIM_WARP_LANES = 32 };

/* ---- errors ---- */

/* name, message. The device layer maps each to an error of the runtime API in one table. */
#define SIM_STATUS_MAP(X)                                                                          \
    X(OK, "success")                                                                               \
    X(NOMEM, "out of device memory")                                                               \
    X(BAD_ADDRESS, "address is not in any allocation")                                             \
    X(BAD_ARGUMENT, "invalid argument")                                                            \
    X(BAD_PTX, "the PTX could not be understood")                                                  \
    X(NOT_FOUND, "no such name in the module")                                                     \
    X(BAD_LAUNCH, "invalid launch configuration")                                                  \
    X(TOO_MANY_RESOURCES, "too many resources requested for launch")                               \
    X(ILLEGAL_ADDRESS, "an illegal memory access was encountered")                                 \
    X(MISALIGNED, "misaligned address")                                                            \
    X(TRAP, "unspecified launch failure")                                                          \
    X(ILLEGAL_INSTRUCTION, "an illegal instruction was encountered")                               \
    X(ASSERT, "device-side assert triggered")                                                      \
    X(STACK_OVERFLOW, "the call stack of a thread overflowed")                                     \
    X(DEADLOCK, "no thread of a block can make progress")                                          \
    X(BUDGET, "the instruction budget ended the launch")                                           \
    X(CANCELLED, "the launch was cancelled")                                                       \
    X(UNSUPPORTED, "the simulated device does not support this")                                   \
    X(BAD_CLUSTER, "invalid cluster configuration")
typedef enum {
#define X(n, m) SIM_##n,
    SIM_STATUS_MAP(X)
#undef X
        SIM_STATUS_COUNT
} sim_status;
const char *sim_status_name(sim_status s);    /* "ILLEGAL_ADDRESS" */
const char *sim_status_message(sim_status s); /* one line */

/* ---- profiles (runner/device/targets/boards.def: the devices) ---- */

/* profile.h has the fields: the device layer reads them for device queries. */
typedef struct sim_profile sim_profile;
const sim_profile *sim_profile_find(const char *name); /* "h200"; NULL if unknown */
size_t sim_profile_count(void);
const sim_profile *sim_profile_at(size_t i); /* i < count */

/* ---- commands: the simulated device starts no process. The caller passes in a function that runs
 * a command (ptxas, the host's C compiler) ---- */

typedef struct {
    const char *name; /* a relative path; the folders in it are made */
    const void *bytes;
    size_t len;
} sim_command_file;
/* One command, run without a shell. The command and its children end within its limits. */
typedef struct {
    /* ends with NULL; argv[0]: a path, or the name of a tool to look up */
    const char *const *argv;
    /* its standard input, a file that can be opened again as /dev/fd/0; NULL: empty */
    const void *input;
    size_t input_len;
    /* put into a folder of the command's own, in which it runs and keeps temporary files; NULL: no
     * folder */
    const sim_command_file *files;
    size_t file_count;
    unsigned seconds;      /* limit of processor time, and of elapsed time */
    uint64_t memory_bytes; /* limit of its address space */
    /* not NULL: the command ends soon after *cancel becomes nonzero */
    const volatile int *cancel;
    /* Receives at most output_max bytes of its output and a NUL; the rest is dropped. NULL: all is
     * dropped. */
    char *output;
    size_t output_max;
    /* Called when the command has ended with status 0, while its folder still exists. False counts
     * as failed. NULL: nothing to do. */
    bool (*made)(void *user, const char *folder);
    void *user;
} sim_command;
typedef enum {
    SIM_COMMAND_DONE,    /* status 0 */
    SIM_COMMAND_FAILED,  /* it ended with another status */
    SIM_COMMAND_LATE,    /* killed after its seconds */
    SIM_COMMAND_STOPPED, /* killed because of *cancel */
    SIM_COMMAND_BROKEN,  /* it could not be started; *msg says why */
    SIM_COMMAND_MISSING  /* there is no such tool */
} sim_command_end;
/* Runs a command to its end. Any thread may call it, several at a time. */
typedef sim_command_end sim_run_command(void *user, const sim_command *c, lib_message *msg);

/* ---- devices and memory ---- */

typedef struct {
    unsigned threads; /* worker threads; 0: one per core */
    /* bytes of device memory that may be allocated; 0: the profile's, at most 3/4 of the host's
     * free memory */
    uint64_t memory_limit;
    /* Instructions that a launch may execute; then it ends with SIM_BUDGET. An instruction of a
     * warp counts 32, however many lanes are active. 0: 2^38 */
    uint64_t inst_budget;
    /* Host memory, in bytes, for the registers, local and shared memory of a launch's blocks.
     * Blocks that wait for other blocks keep theirs. 0: no limit */
    uint64_t launch_bytes;
    /* 0 to 15: picks the address range, so that addresses of two devices never coincide */
    unsigned device_index;
    bool check_race_shared; /* report shared-memory races */
    bool check_race_global; /* report races in global memory inside a launch */
    /* Report reads of memory never written; registers that nothing has set hold arbitrary values,
     * not zeros. */
    bool check_uninit;
    bool count_lines; /* fill sim_result.lines */
    bool count_ptx;   /* fill sim_result.ptx */
    /* Fill sim_result.machine: all blocks are executed as machine code, too. As with machine_code,
     * launches are timed by it. */
    bool count_machine;
    bool deterministic; /* the same result on any number of cores, float atomics included */
    bool model_time;    /* fill time_us and limiter */
    /* Which blocks the model of time looks at is drawn from this, for each launch anew: who wrote
     * the kernel must not know them. 0: always those of the same multiprocessors, and `unlike` is
     * not filled. */
    uint64_t sample;
    /* Take the time of a launch from the machine code of its module where that is possible. The
     * sampled blocks are then also executed as machine code, over their own copy of memory. On by
     * default; off with WARPLAB_SIM_MACHINE=off. */
    bool machine_code;
    /* For tests of machine_code: launches have one worker, sim_result.machine_unlike is filled, and
     * each launch adds a line to this file: kernel, blocks, and "same", "rounded" (only the last
     * digits of numbers differ), "other" or "refused", with the difference or the reason.
     * WARPLAB_SIM_MACHINE=log:FILE. NULL: none of this. */
    const char *machine_log;
    /* fill what_if for the first launch of each kernel with each grid and block; needs
     * count_lines */
    bool what_if;
    /* NULL: registers are estimated (sim_kernel_info.resources_exact), and no code is compiled for
     * the host. It must outlive the device. */
    sim_run_command *run_command;
    void *run_user;
    /* Not NULL: launches can be stopped and inspected (debug/debug.h). They have one worker, no
     * history of caches and no modelled time; machine code is executed only where the debugger asks
     * for it. It must outlive the device. */
    struct sim_debug *debug;
} sim_options;
void sim_options_default(sim_options *o); /* everything on, but check_race_global */
/* WARPLAB_SIM_MACHINE=off, to see times by counters: nobody is to ask for machine_code or
 * count_machine. */
bool sim_machine_off(void);
/* Writes the environment variables that change what the simulated device counts, models or finds,
 * as " NAME=value" each, to `text`; "": none is set. Whoever keeps results has it in the key.
 * Returns text. */
const char *sim_switches(char *text, size_t size);
enum { SIM_SWITCHES = 512 }; /* bytes that it needs; longer values are cut */

/* Returns NULL and sets *msg on failure. */
sim_device *sim_device_new(const sim_profile *p, const sim_options *o, lib_message *msg);
void sim_device_free(sim_device *d);
const sim_profile *sim_device_profile(const sim_device *d);

/* Allocates n >= 1 bytes, 256-byte aligned (CUDA C++ Programming Guide, "Device Memory Accesses"),
 * with a guard gap behind. */
sim_status sim_malloc(sim_device *d, uint64_t n, sim_addr *out);
/* Frees what sim_malloc returned. Later accesses are reported as use after free until the range is
 * reused. Reuse is put off as long as memory allows. */
sim_status sim_free(sim_device *d, sim_addr a);
/* Makes host memory [host, host+n) visible at device address `at` (mapped, registered and managed
 * memory). The caller keeps the host range alive until sim_unmap(). Mapped memory counts as
 * initialised. remote: the memory stays on the host, so loads and stores of kernels take the time
 * of the link. Otherwise it counts as memory on the device (managed memory that has migrated). */
sim_status sim_map(sim_device *d, void *host, uint64_t n, sim_addr at, bool remote);
sim_status sim_unmap(sim_device *d, sim_addr at);
/* These access device memory for the host. The whole range must lie in one allocation; otherwise
 * they return BAD_ADDRESS and do nothing. A write marks bytes as initialised, a copy carries the
 * marks along, a read ignores them. */
sim_status sim_write(sim_device *d, sim_addr to, const void *from, uint64_t n);
sim_status sim_read(sim_device *d, void *to, sim_addr from, uint64_t n);
sim_status sim_copy(sim_device *d, sim_addr to, sim_addr from, uint64_t n);
/* Repeats the `width`-byte (1, 2 or 4) value over n elements. */
sim_status sim_fill(sim_device *d, sim_addr to, uint32_t value, unsigned width, uint64_t n);
/* Fills the range with poison and marks it uninitialised: the contents of an output before a graded
 * run. */
sim_status sim_poison(sim_device *d, sim_addr to, uint64_t n);
/* Finds the allocation that holds `a` (base, size). Returns false if there is none. */
bool sim_find(const sim_device *d, sim_addr a, sim_addr *base, uint64_t *size);
/* Returns the free bytes and all bytes. */
void sim_memory_info(const sim_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
/* Calls fn for each live allocation of sim_malloc (leak reports). */
void sim_each_allocation(const sim_device *d, void (*fn)(void *user, sim_addr base, uint64_t size),
                         void *user);
/* Lets launches of d reach peer's memory, if the launch allows it (sim_launch.peers). The two
 * devices have different numbers (sim_options.device_index). peer must live as long as d runs
 * launches. */
void sim_device_peer(sim_device *d, const sim_device *peer);
/* Gives an allocation a name for findings ("b" instead of 0x...). The name is copied. */
void sim_name_allocation(sim_device *d, sim_addr base, const char *name);
/* Forgets all cached lines: the next launch starts with cold caches. changed: bytes of L2 that then
 * hold lines which something other than a launch has changed. Whoever takes their places waits
 * until they are written back (sim_profile.dram_displaced). */
void sim_flush_caches(sim_device *d, uint64_t changed);

/* ---- textures and surfaces: the objects behind the 64-bit handles of a kernel
 * (cudaTextureObject_t, cudaSurfaceObject_t) ---- */

typedef enum {
    SIM_TEX_WRAP,
    SIM_TEX_CLAMP,
    SIM_TEX_MIRROR,
    /* cudaTextureAddressMode */
    SIM_TEX_BORDER
} sim_tex_address;
typedef enum {
    SIM_TEX_SIGNED,
    SIM_TEX_UNSIGNED,
    /* cudaChannelFormatKind */
    SIM_TEX_FLOAT
} sim_tex_kind;
typedef struct {
    sim_addr base; /* texel (x, y, z) lies at base + z * slice + y * pitch + x * bytes of a texel */
    uint64_t pitch, slice; /* bytes */
    /* texels; 0: the dimension does not exist. The number of layers counts as depth */
    uint32_t width, height, depth;
    bool layered, surface;
    /* a cudaArray: the caches see its texels in blocks (special/texture.c), wherever its bytes
     * lie */
    bool block_linear;
    bool cubemap, gather;         /* flags with which its array was made; only a GPU needs them */
    uint8_t channels, bits, kind; /* 1, 2 or 4 channels of 8, 16 or 32 bits, sim_tex_kind */
    uint8_t address[3];           /* sim_tex_address */
    bool linear_filter;           /* otherwise the nearest texel */
    bool normalized_float;        /* cudaReadModeNormalizedFloat */
    bool normalized_coords;
    float border[4];
    /* Levels of a mipmapped array; 0 or 1: it is not mipmapped. sim_texture_level() says where the
     * other levels lie. The level that an instruction asks for has level_bias added and is clamped
     * to level_min .. level_max. */
    uint8_t levels;
    bool linear_levels; /* levels are mixed; otherwise the nearest one is read */
    float level_bias, level_min, level_max;
} sim_texture;
enum { SIM_TEX_LEVELS = 18, SIM_TEX_PITCH = 512 };
/* Returns level k of a mipmapped array, 0 <= k < levels, as a texture that has only this level.
 * Each dimension is halved k times and rounded down, but never below one texel; the number of
 * layers stays (CUDA Runtime API, cudaMallocMipmappedArray). Levels lie one after another. Rows of
 * each are SIM_TEX_PITCH bytes apart, or a multiple of that. */
void sim_texture_level(const sim_texture *t, unsigned k, sim_texture *level);
/* Returns the bytes from the first texel of t to the last of its last level. */
uint64_t sim_texture_bytes(const sim_texture *t);
/* The upper word of all handles: machine code reads only the lower one. */
#define SIM_TEXTURE_TAG 0x7e00000000000000ull
/* *handle is never 0. BAD_ARGUMENT: the description makes no sense, or does not lie in one
 * allocation. */
sim_status sim_texture_new(sim_device *d, const sim_texture *t, uint64_t *handle);
sim_status sim_texture_free(sim_device *d, uint64_t handle);

/* ---- tensor maps: descriptions from cuTensorMapEncodeTiled() and -Im2col() for the copy engine
 * (cp.async.bulk.tensor) ---- */

enum { SIM_TENSOR_DIMS = 5, SIM_TENSOR_MAP_BYTES = 128 };
/* The parameters of those functions (cuda.h also says their ranges). */
typedef struct {
    uint32_t type, rank; /* CUtensorMapDataType; 1 to 5 */
    sim_addr base;
    uint64_t dim[SIM_TENSOR_DIMS];                        /* elements */
    uint64_t stride[SIM_TENSOR_DIMS - 1];                 /* bytes: of dimensions 1 and up */
    uint32_t box[SIM_TENSOR_DIMS], step[SIM_TENSOR_DIMS]; /* boxDim, elementStrides */
    /* CUtensorMapInterleave, -Swizzle, -L2promotion, -FloatOOBfill */
    uint32_t interleave, swizzle, promotion, fill;
    /* from -Im2col(): pixelsPerColumn, the corners along W, H and D; channelsPerPixel is box[0] */
    bool im2col;
    uint32_t pixels;
    int32_t lower[SIM_TENSOR_DIMS - 2], upper[SIM_TENSOR_DIMS - 2];
} sim_tensor_map;
/* Returns BAD_ARGUMENT (cuda.h forbids it) or UNSUPPORTED (this device cannot do it) and sets *msg
 * to the reason. The 128 bytes are opaque. A program may pass any 128 bytes to a kernel; bytes that
 * this function did not make are refused when the kernel uses them. */
sim_status sim_tensor_map_new(const sim_device *d, const sim_tensor_map *t,
                              uint8_t to[SIM_TENSOR_MAP_BYTES], lib_message *msg);

/* ---- modules ---- */

/* Parses PTX text (len bytes; it need not end in NUL) and lays its variables out in device memory.
 * Returns NULL and sets *msg (with a position without file, "PTX line 12: ...") on failure. `cubin`
 * may hold the matching machine code (ELF), whose headers give registers. If it is NULL, ptxas
 * gives the resources of sim_kernel_info (options in sim_module_options), or they are estimated;
 * resources_exact says which. */
typedef struct {
    const char *name;
    uint64_t bytes;
    sim_addr at; /* the answer */
} sim_managed;
/* Says where the n managed variables of a module lie: each in memory that sim_map() made visible at
 * its address and that has exactly its bytes. *fresh: all of this memory is zero, and the module
 * writes the initial values; otherwise it holds the values already. The memory must outlive the
 * module. */
typedef sim_status sim_place_managed(void *user, sim_managed *v, size_t n, bool *fresh);
typedef struct {
    const void *cubin;
    size_t cubin_len;
    /* The output of `nvdisasm -c -gi -gp -hex` for that cubin, or NULL. With
     * sim_options.machine_code the time of launches comes from it, and a debugger can look at it.
     * Results never depend on it. Both are copied. */
    const char *machine_code;
    size_t machine_code_len;
    /* path, or NULL: looked up by name; "": never run (needs sim_options.run_command) */
    const char *ptxas;
    char *(*demangle)(const char *);
    sim_place_managed *managed; /* NULL: they are variables like any others */
    void *managed_user;
    /* not NULL: reading, decoding and assembling end soon after *stop becomes nonzero; it must
     * outlive the module */
    const volatile int *stop;
    /* Host memory, in bytes, that the module may take, variables included (roughly); 0: no limit.
     * *taken (may be NULL): how much it takes, or would take. */
    uint64_t room, *taken;
} sim_module_options;
sim_module *sim_module_new(sim_device *d, const char *ptx, size_t len, const sim_module_options *o,
                           lib_message *msg);
void sim_module_free(sim_module *m);
/* mangled name; NULL if there is none */
sim_kernel *sim_module_kernel(sim_module *m, const char *name);
/* Finds the address and size of a .global or .const variable. Constant memory has addresses of its
 * own, which sim_read/sim_write/sim_copy accept. */
sim_status sim_module_symbol(sim_module *m, const char *name, sim_addr *a, uint64_t *n);
/* Sets every variable back to its initial value, except managed variables that have a place of
 * their own: these live as long as the program (CUDA C++ Programming Guide, "__managed__ Memory
 * Space Specifier"). */
void sim_module_reset(sim_module *m);

/* Tells the parts of a PTX text, as it will be executed: names of functions and variables,
 * instructions (mnemonic and dotted words: "mma.sync.aligned.m16n8k16.row.col"), and files from
 * which code comes or was inlined. `file` and `line`: the position in the source; for inlined code,
 * the outermost position; "" and 0 where the line table has none. If the callback returns true, the
 * telling ends. */
typedef enum { SIM_TOLD_NAME, SIM_TOLD_INSN, SIM_TOLD_FILE } sim_told;
typedef bool sim_tell_fn(void *user, sim_told what, const char *text, const char *file,
                         unsigned line);
/* Returns false and sets *msg if this version cannot read the PTX; then no simulated device can run
 * it. */
bool sim_ptx_tell(const char *ptx, size_t n, sim_tell_fn *fn, void *user, lib_message *msg);

/* Finds the PTX, and the cubin for `arch` (for example 90) if there is one, in the fat binary that
 * starts at `data`: container magic 0xBA55ED50, entries plain, LZ4 or zstd. It takes the PTX that
 * is only for arch (sm_90a) if there is one, otherwise the newest with target <= arch, otherwise
 * the oldest, never PTX that is only for another architecture. *ptx is malloc'ed and ends in NUL;
 * *cubin is malloc'ed or NULL. The caller frees both. */
sim_status sim_fatbin_extract(const void *data, size_t len, unsigned arch, char **ptx,
                              size_t *ptx_len, void **cubin, size_t *cubin_len, lib_message *msg);

typedef struct {
    const char *name; /* mangled */
    /* demangled, without arguments; the same as `name` if there is no demangler */
    const char *pretty;
    unsigned param_count; /* parameters of the entry */
    const uint32_t *param_offset, *param_size;
    uint32_t param_bytes; /* size of the parameter block */
    unsigned ptx_version; /* the virtual architecture that it was compiled for: 75 for compute_75 */
    unsigned registers;   /* per thread */
    unsigned spill_bytes; /* stores + loads reported by the assembler */
    bool resources_exact; /* from machine code or the assembler, not estimated */
    uint64_t static_shared, local_bytes, const_bytes;
    unsigned max_threads;         /* per block, from .maxntid or the profile */
    unsigned required_block[3];   /* .reqntid or 0 */
    unsigned required_cluster[3]; /* .reqnctapercluster or 0 */
    unsigned max_cluster;         /* .maxclusterrank or 0 */
    bool needs_cluster;           /* .explicitcluster: every launch needs a cluster size */
    unsigned max_dynamic_shared;  /* attribute; by default the profile's limit without opt-in */
    int carveout;                 /* attribute: per cent of the largest shared memory; -1: none */
} sim_kernel_info;
const sim_kernel_info *sim_kernel_get(const sim_kernel *k);
/* cudaFuncAttributeMaxDynamicSharedMemorySize. BAD_ARGUMENT: above the profile's opt-in limit. */
sim_status sim_kernel_set_max_dynamic_shared(sim_kernel *k, uint64_t bytes);
/* cudaFuncAttributePreferredSharedMemoryCarveout; the caller that launches reads it. BAD_ARGUMENT:
 * outside -1..100. */
sim_status sim_kernel_set_carveout(sim_kernel *k, int percent);

/* ---- occupancy (CUDA C++ Best Practices Guide, "Occupancy"; the tests compare it with
 * cuda_occupancy.h) ---- */

typedef struct {
    unsigned blocks; /* resident blocks per multiprocessor */
    unsigned warps;  /* resident warps per multiprocessor */
    double pct;      /* warps / maximum */
    unsigned by_blocks, by_warps, by_registers,
        by_shared;       /* limit set by each resource, in blocks */
    const char *limiter; /* "blocks" | "warps" | "registers" | "shared" */
} sim_occupancy;
/* registers: per thread. shared: bytes per block (static + dynamic). 1 <= threads <= the profile's
 * maximum. carveout: the bytes of shared memory of a multiprocessor; 0: the largest. */
sim_status sim_occupancy_get(const sim_profile *p, unsigned threads, unsigned registers,
                             uint64_t shared, uint64_t carveout, sim_occupancy *out);
/* Returns the registers per thread that a launch of `threads` allocates on this profile. On compute
 * capability 1.x: two thirds of the modern assembler's count, because addresses had 32 bits and no
 * register was set aside for calls, and at most as many as let one block fit, as the compiler of
 * that time ensured. On others: the count itself. */
unsigned sim_resources_registers(const sim_profile *p, unsigned registers, unsigned threads);

/* ---- launches ---- */

typedef struct {
#define COUNTER(field, unit, ncu) uint64_t field;
#include "runner/device/sim/counters.def"
#undef COUNTER
} sim_counters;

/* Finds the value of a counter, a derived ratio or a deed by its name. Returns false if there is no
 * such name. */
bool sim_counter_get(const sim_counters *c, const char *name, double *value);
typedef struct {
    const char *name, *unit, *ncu; /* the row counter.NAME of the catalogue says what it means */
    bool derived;                  /* computed from counters: a ratio or a deed */
    bool deed;                     /* a sum over all ways to do something (deeds.def) */
} sim_counter_info;
size_t sim_counter_count(void); /* counters, then ratios, then deeds */
const sim_counter_info *sim_counter_at(size_t i);
void sim_counters_add(sim_counters *to, const sim_counters *from);
void sim_counters_sub(sim_counters *from, const sim_counters *part); /* subtracts; never below 0 */

/* States of a resident warp in a cycle (stalls.def): SIM_STALL_SELECTED, SIM_STALL_BARRIER ... */
typedef enum {
#define STALL(id, name, nsight) SIM_STALL_##id,
#include "runner/device/sim/stalls.def"
#undef STALL
    SIM_STALL_COUNT
} sim_stall;
typedef struct {
    const char *name, *nsight;
    unsigned title, means; /* each a lib_word_id */
} sim_stall_info;
const sim_stall_info *sim_stall_at(unsigned k); /* k < SIM_STALL_COUNT */
/* Where the time of a launch went, from its replay (docs/model.md). All 0 if nothing was
 * replayed. */
typedef struct {
    double warp_pct[SIM_STALL_COUNT]; /* of the time of resident warps; they add up to 100 */
    /* Of the schedulers' cycles. SELECTED: the cycles in which an instruction was issued. The
     * others: the cycles in which no warp could issue, by the state of the warp that issued next.
     * They add up to 100 with empty_pct (cycles without a resident warp that could go on). */
    double scheduler_pct[SIM_STALL_COUNT];
    double empty_pct;
} sim_stalls;

/* Counters of one source line, or of one PTX line if the module has no .loc. */
typedef struct {
    const char *file; /* owned by the module */
    unsigned line;
    sim_counters counters;
    /* The part of the launch's time_us that resident warps spent at this line, by state. All lines
     * and states add up to time_us. Waiting counts at the line where the warp waits. */
    float stall_us[SIM_STALL_COUNT];
} sim_line;

/* How often one PTX instruction was executed (sim_options.count_ptx). */
typedef struct {
    uint32_t ptx_line; /* in the module's PTX text, from 1 */
    unsigned line;     /* of the source, as in sim_line; 0: unknown */
    const char *file;  /* owned by the module; "" if unknown */
    uint64_t warps;    /* warps that executed it */
    uint64_t lanes;    /* active lanes of these warps for which the guard held */
} sim_ptx_count;

/* How often one machine instruction was executed, and what its warps waited for
 * (sim_options.count_machine). */
typedef struct {
    uint32_t at;    /* address in the kernel's section of the cubin */
    uint64_t warps; /* warps that executed it */
    /* Cycles of these warps in each state (docs/model.md), by the replay: a mean over those that it
     * replayed, times `warps`. What a warp waits for before it issues the instruction counts here;
     * stall count, barrier and a full queue count at the instruction that has them. All 0: the
     * replay did not come to it, or it takes no time there. */
    double cycles[SIM_STALL_COUNT];
} sim_machine_count;
/* Adds another launch of the same kernel. False, and nothing is added: they are not of one code. */
bool sim_machine_counts_add(sim_machine_count *to, size_t n, const sim_machine_count *from,
                            size_t count);

/* What a launch pays for (costs.def): SIM_COST_SECTORS, SIM_COST_BANKS ... */
typedef enum {
#define COST_IF(id, name) SIM_COST_##id,
#include "runner/device/sim/costs.def"
#undef COST_IF
    SIM_COST_COUNT
} sim_cost;
typedef struct {
    const char *name;
    unsigned title, means; /* each a lib_word_id */
} sim_cost_info;
const sim_cost_info *sim_cost_at(unsigned k); /* k < SIM_COST_COUNT */
enum { SIM_IF_LINES = 4 };
/* The launch without one of its costs. */
typedef struct {
    double time_us; /* as sim_result.time_us, never larger than it */
    /* the source lines that cause the cost, largest first: indices into sim_result.lines, and their
     * parts (0 to 1) of the whole cost */
    unsigned line_count;
    uint32_t line[SIM_IF_LINES];
    float part[SIM_IF_LINES];
} sim_what_if;

/* The time that one block spent on the replayed multiprocessor, counted from the kernel's start. */
typedef struct {
    float start_us, end_us;
    unsigned slot; /* which of the places that the multiprocessor has for blocks of this launch */
} sim_block_span;

#define SIM_FINDING_MAP(X)                                                                         \
    X(OOB, "oob")                                                                                  \
    X(MISALIGNED, "misaligned")                                                                    \
    X(USE_AFTER_FREE, "use-after-free")                                                            \
    X(UNINIT, "uninit")                                                                            \
    X(RACE, "race")                                                                                \
    X(BARRIER, "barrier")                                                                          \
    X(DEADLOCK, "deadlock")                                                                        \
    X(BUDGET, "budget")                                                                            \
    X(ASSERT, "assert")                                                                            \
    X(TRAP, "trap")                                                                                \
    X(STACK, "stack")                                                                              \
    X(LEAK, "leak")                                                                                \
    X(HOST_DEREF, "host-deref")                                                                    \
    X(UNSUPPORTED, "unsupported")                                                                  \
    X(CALL, "call")
typedef enum {
#define X(n, s) SIM_FIND_##n,
    SIM_FINDING_MAP(X)
#undef X
        SIM_FIND_COUNT
} sim_finding_kind;
const char *sim_finding_name(sim_finding_kind k); /* "oob" */

/* One site at which something went wrong. Further hits of the same site only raise `count`. */
typedef struct {
    sim_finding_kind kind;
    uint64_t count;
    const char *kernel;           /* pretty name */
    unsigned block[3], thread[3]; /* the first to hit it */
    const char *file;             /* "" if unknown */
    unsigned line;                /* 0 if unknown */
    const char *space;            /* "global", "shared", "local", ... or "" */
    bool write;
    unsigned bytes; /* access width per lane */
    sim_addr address;
    sim_addr alloc_base; /* allocation that holds the address or is nearest to it; 0: none */
    uint64_t alloc_size;
    const char *alloc_name; /* "" if it has none */
    /* The other side of a race, or a thread that waits elsewhere at a barrier. */
    unsigned other_thread[3];
    const char *other_file;
    unsigned other_line;
    bool other_write;
    bool across; /* a race: some of the pairs are in different warps */
    /* A race between streams, which the device server finds: the two operations, as numbers of its
     * dev_op, and their streams. space is "streams"; "graph": between nodes of one launch of a
     * graph; "programmatic": between a kernel and the next one of its stream, which did not wait
     * for it; "chain": between a kernel and a later one of its stream, because a kernel between
     * them did not wait. */
    const char *other_kernel;
    unsigned op, other_op, stream, other_stream;
    lib_message said; /* all but the count */
} sim_finding;

/* A run of words of device or managed memory that a launch accessed; runs come by ascending
 * addresses. The words were written, or updated atomically, read and polled (all in one run). A run
 * is shorter than a word if accesses were.
 *
 *   ATOMIC   atomics, and volatile and stronger stores. Their kinds (SIM_ATOM_*) are in the bits
 *            from SIM_WORD_KIND on
 *   POLLED   volatile and stronger loads
 *   EARLY    told a second time, in no order, because the kernel accessed it before it waited for
 *            the grids before it (sim_launch.early) */
enum {
    SIM_WORD_READ = 1,
    SIM_WORD_WRITTEN = 2,
    SIM_WORD_ATOMIC = 4,
    SIM_WORD_EARLY = 8,
    SIM_WORD_POLLED = 16,
    SIM_WORD_KIND = 16
};
/* How accesses other than plain ones change a word. Those that change nothing, like an atomic that
 * adds the constant 0, have no kind.
 *
 *   CLAIM    compares with a constant and exchanges: takes a lock, or an empty place
 *   LOOP     compares with what was there before: any operation, in a loop
 *   STORE    a volatile or stronger store */
enum {
    SIM_ATOM_ADD = 1 << 0,
    SIM_ATOM_MIN_S = 1 << 1, /* signed, or floating point */
    SIM_ATOM_MIN_U = 1 << 2,
    SIM_ATOM_MAX_S = 1 << 3,
    SIM_ATOM_MAX_U = 1 << 4,
    SIM_ATOM_AND = 1 << 5,
    SIM_ATOM_OR = 1 << 6,
    SIM_ATOM_XOR = 1 << 7,
    SIM_ATOM_INC = 1 << 8,
    SIM_ATOM_DEC = 1 << 9,
    SIM_ATOM_EXCH = 1 << 10,
    SIM_ATOM_CLAIM = 1 << 11,
    SIM_ATOM_LOOP = 1 << 12,
    SIM_ATOM_STORE = 1 << 13
};
typedef struct {
    sim_addr from;
    uint64_t bytes;
    unsigned how;
    const char *file; /* position of one of the accesses in the source; "" and 0: unknown */
    unsigned line;
} sim_word_run;
typedef void sim_words(void *user, const sim_word_run *run);

/* A run of bytes of device or managed memory that a launch stored, and the instruction that stored
 * them last: a bit of sim_slice.stores. */
typedef void sim_stored(void *user, sim_addr from, uint64_t bytes, unsigned store);
/* Counters of those instructions of a launch that lead to exactly these stores of it: through
 * registers, through shared, local and global memory, and through branches that went both ways and
 * so decided whether such an instruction was executed. Stores beyond SIM_STORES share the last bit.
 * SIM_STORE_ANY: something that is not followed (a surface, memory on the host, a grid that the
 * kernel launches). */
enum { SIM_STORES = 63 };
#define SIM_STORE_ANY (UINT64_C(1) << SIM_STORES)
typedef struct {
    uint64_t stores;
    sim_counters counters;
    /* Threads, and blocks, that left something that leads to exactly these stores: by a store, an
     * atomic, a copy, a shuffle, or by what they decided not to store. A thread that left nothing
     * is in the slice of no store. */
    uint64_t threads, blocks;
} sim_slice;

enum { SIM_STACK_BYTES = 1024 }; /* CUDA's own default */

typedef struct {
    sim_kernel *kernel;
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* blocks of a cluster; 0: as the kernel requires, or no cluster */
    uint64_t dynamic_shared;
    const void *params; /* the parameter block, laid out as sim_kernel_info says */
    size_t param_bytes;
    bool cooperative; /* all blocks resident at once: grid barriers work */
    /* Local memory of each thread, its own variables included, in kernels whose need is not known
     * beforehand because of recursion or alloca (cudaLimitStackSize); 0: SIM_STACK_BYTES */
    uint32_t stack;
    /* The launch prefers this many per cent of the largest shared memory. Otherwise it gets what
     * its blocks need. */
    bool has_carveout;
    unsigned carveout;
    /* A budget that several launches share, counted as sim_options.inst_budget, and the part that
     * earlier launches used up. The launch ends when this budget or the device's own is used up. 0:
     * only the device's own counts. */
    uint64_t inst_limit, inst_taken;
    /* device printf; NULL: dropped. Returns whether it takes more text of this launch; after that,
     * calls of printf only count their arguments. */
    bool (*print)(void *user, const char *text, size_t n);
    void *print_user;
    /* Carries out cudaGraphSetConditional(handle, value) of a kernel. Returns false if this device
     * may not set the handle. Any worker calls it. NULL: there are no handles */
    bool (*condition)(void *user, uint64_t handle, uint32_t value);
    void *condition_user;
    /* Told of every line of memory of sim_map() that is not remote, when it leaves L1 for L2: a
     * mask of its sectors, and whether they are written. Blocks come in the order of their numbers,
     * one call at a time. NULL: not wanted */
    void (*touch)(void *user, sim_addr line, unsigned sectors, bool write);
    void *touch_user;
    /* Called after a launch that looked for races in global memory (sim_options.check_race_global),
     * with the words that it accessed. NULL: not wanted */
    sim_words *words;
    void *words_user;
    /* The same for what the launch stored; then sim_result.slices is filled, too. NULL: not
     * wanted */
    sim_stored *stored;
    void *stored_user;
    /* The grid before it may still be running (programmatic dependent launch). The words that the
     * launch accesses before griddepcontrol.wait are told with SIM_WORD_EARLY. */
    bool early;
    uint64_t start_ns; /* %globaltimer when the launch begins; 0: the host's clock */
    uint64_t number;   /* %gridid; 0: the number of launches that the device has run */
    /* Devices whose memory the kernel may use like its own, over the link between them: a bit for
     * each number of a device (sim_device_peer). Texture fetches and constants do not reach it. */
    unsigned peers;
    /* Launches and copies that the kernel itself may issue (cudaLimitDevRuntimePendingLaunchCount).
     * Further ones fail in the kernel with cudaErrorLaunchPendingCountExceeded. 0: none */
    unsigned most_children;
    /* not NULL: the launch ends with SIM_CANCELLED soon after *cancel becomes nonzero */
    const volatile int *cancel;
} sim_launch;

/* Work that a kernel asked for and that is done after it: another grid, or a copy or fill of device
 * memory (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). sim_run() only collects it. Its
 * caller must do this work, and the work that this work asks for, before the launch counts as
 * complete. */
typedef enum { SIM_CHILD_LAUNCH, SIM_CHILD_COPY, SIM_CHILD_FILL } sim_child_kind;
typedef enum {
    SIM_CHILD_IN_LINE, /* in order with the others of its line, a stream of the grid */
    SIM_CHILD_AT_ONCE, /* cudaStreamFireAndForget: in no order */
    SIM_CHILD_BEHIND   /* cudaStreamTailLaunch: after all others, in order */
} sim_child_when;
typedef struct {
    sim_child_kind kind;
    sim_child_when when;
    uint64_t line;
    sim_kernel *kernel; /* LAUNCH: a kernel of the same module, and its configuration */
    unsigned grid[3], block[3];
    uint64_t dynamic_shared;
    void *params; /* malloc'ed */
    size_t param_bytes;
    sim_addr to, from; /* COPY, FILL */
    uint64_t bytes;
    unsigned value; /* FILL: of each byte */
} sim_child;
void sim_children_free(sim_child *all, size_t n);

/* Units that overlapping launches share besides memory. All except the last belong to a
 * multiprocessor. */
#define SIM_UNIT_MAP(X)                                                                            \
    X(ISSUE, "issue slots")                                                                        \
    X(FMA, "FP32 units")                                                                           \
    X(ALU, "integer units")                                                                        \
    X(IMUL, "integer multipliers")                                                                 \
    X(XU, "special-function units")                                                                \
    X(FP64, "FP64 units")                                                                          \
    X(HALF, "FP16 units")                                                                          \
    X(TENSOR, "tensor cores")                                                                      \
    X(SHARED, "shared memory")                                                                     \
    X(L1, "L1 and textures")                                                                       \
    X(CONSTANT, "constant memory")                                                                 \
    X(ATOMICS, "atomics in L2")
typedef enum {
#define X(n, s) SIM_UNIT_##n,
    SIM_UNIT_MAP(X)
#undef X
        SIM_UNIT_COUNT
} sim_unit;

typedef struct {
    sim_status status;
    sim_counters counters;
    double time_us; /* modelled, launch overhead excluded; 0 without model_time */
    /* With sim_options.machine_code or count_machine: time_us, stalls, lines and what_if are by the
     * machine code; else why there is none that could be executed, which lives as long as the
     * kernel. */
    bool by_machine_code;
    const lib_message *machine_refusal;
    /* with sim_options.machine_log: how many words of global memory the sampled blocks left
     * differently as machine code than as PTX, and the address of one of them */
    uint64_t machine_unlike, machine_unlike_at;
    /* a lower bound for any real device of this profile: peak bandwidth and issue rate */
    /* read and written in host memory, over the link; scaled up from sampled blocks */
    double link_bytes;
    double time_floor_us;
    /* time of only the memory, and only the FP32 units, of the whole device: for overlapping
     * launches, these add up */
    double dram_floor_us, fp32_floor_us;
    const char *limiter; /* "dram" | "l2" | "l1" | "shared" | "issue" | "latency" | "launch" */
    sim_occupancy occupancy;
    double achieved_occupancy_pct;
    /* The part (0 to 1) of the launch's time in which each unit of the device is busy. The counters
     * tell this for DRAM and L2. */
    double busy[SIM_UNIT_COUNT];
    /* How far the sampled blocks differ from the whole launch, beyond the differences among
     * themselves: 0: not at all, 1: in everything (sim_options.sample). */
    double unlike;
    sim_stalls stalls;
    /* SIM_COST_COUNT of them if sim_options.what_if asked for them; otherwise NULL */
    sim_what_if *what_if;
    sim_block_span *spans; /* filled together with what_if: the replayed blocks, by their starts */
    size_t span_count;
    sim_line *lines;
    size_t line_count;
    /* every instruction of the kernel and of the functions that it may call, in the same order for
     * each of its launches; NULL unless asked for */
    sim_ptx_count *ptx;
    size_t ptx_count;
    /* each instruction of its machine code, by address; NULL: they were not asked for, or
     * machine_refusal says why not */
    sim_machine_count *machine;
    size_t machine_count;
    /* beside sim_launch.stored; none: nothing is known. What belongs to no instruction (L2, DRAM)
     * is in none */
    sim_slice *slices;
    size_t slice_count;
    /* some loads are volatile, stronger, or atomic: sim_launch.words may lack them */
    bool reads_by_turns;
    sim_finding *findings;
    size_t finding_count;
    double host_seconds; /* duration of the simulation */
    uint64_t executed;   /* counted as sim_options.inst_budget, also if the launch failed */
    /* bytes of the allocations of sim_map() into which the launch stored: memory that the host may
     * have seen */
    uint64_t host_bytes;
    /* bytes that the launch allocated on the device heap (malloc in a kernel), less those that it
     * freed there */
    int64_t heap_grown;
    /* with sim_launch.early: a block has waited for the grids before it (griddepcontrol.wait), and
     * one has done so before it let the next grid begin (griddepcontrol.launch_dependents) */
    bool waited, held;
    sim_child *children; /* in the order in which the kernel asked for them; sim_children_free() */
    size_t child_count;
    bool measured; /* on a GPU: time_us was measured there; the counters are not known */
} sim_result;

/* Runs a launch to its end. Returns result->status. The result's arrays are malloc'ed:
 * sim_result_free(). Bad configurations give BAD_LAUNCH or TOO_MANY_RESOURCES, a result without
 * findings, and *msg. */
sim_status sim_run(sim_device *d, const sim_launch *l, sim_result *result, lib_message *msg);
void sim_result_free(sim_result *r);

#endif
