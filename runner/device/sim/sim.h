/* The simulated device: PTX text in, results, counters, findings and a modelled time out.
 *
 * Knows nothing of Lua, sockets, labs or processes. No global state: two devices may live in one
 * process. Thread safety: one thread at a time per device; sim_run() itself uses a pool of threads
 * inside.
 *
 * Strings are UTF-8. Sizes are bytes, times microseconds, unless a name says otherwise. Whoever
 * gets a pointer from a function named *_new frees it with *_free; every other pointer stays owned
 * by the object it came from. */
#ifndef WARPLAB_SIM_H
#define WARPLAB_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lib_message lib_message; /* runner/base/message.h */

typedef uint64_t sim_addr; /* an address in the device's address space; 0 is null */
typedef struct sim_device sim_device;
typedef struct sim_module sim_module;
typedef struct sim_kernel sim_kernel;
struct sim_debug; /* debug/debug.h */
enum { SIM_WARP_LANES = 32 };

/* ---- errors ------------------------------------------------------------------------------------------------- */

/* name, message. The device layer maps each to a runtime-API error in one table. */
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

/* ---- profiles (runner/device/targets/boards.def: the devices) --------------------------------------------------------------- */

/* profile.h has the fields: the device layer reads them for device queries. */
typedef struct sim_profile sim_profile;
const sim_profile *sim_profile_find(const char *name); /* "h200"; NULL if unknown */
size_t sim_profile_count(void);
const sim_profile *sim_profile_at(size_t i); /* i < count */

/* ---- commands: the simulated device starts no process; who wants what needs one (ptxas, the host's C compiler) gives it
 * a runner of commands ---- */

typedef struct {
    const char *name; /* a relative path; its folders are made */
    const void *bytes;
    size_t len;
} sim_command_file;
/* One command, without a shell. It and what it starts end within its limits. */
typedef struct {
    const char *const
        *argv; /* NULL behind the last; argv[0]: a path, or a tool's name to be looked up */
    const void
        *input; /* its standard input, a file that can be opened anew as /dev/fd/0; NULL: empty */
    size_t input_len;
    const sim_command_file *
        files; /* in a folder of its own, in which it runs and keeps temporary files; NULL: no folder */
    size_t file_count;
    unsigned seconds;      /* of processor time, and of wall clock */
    uint64_t memory_bytes; /* of address space */
    /* not NULL: the command ends soon after *cancel becomes nonzero */
    const volatile int *cancel;
    /* What it prints: at most output_max bytes and a NUL at output, the rest is dropped; NULL: all
     * is. */
    char *output;
    size_t output_max;
    /* Called when it ended with status 0, while the folder is there. False counts as failed. NULL:
     * nothing to do. */
    bool (*made)(void *user, const char *folder);
    void *user;
} sim_command;
typedef enum {
    SIM_COMMAND_DONE,    /* status 0 */
    SIM_COMMAND_FAILED,  /* it ended otherwise */
    SIM_COMMAND_LATE,    /* it was killed after its seconds */
    SIM_COMMAND_STOPPED, /* it was killed because of *cancel */
    SIM_COMMAND_BROKEN,  /* it could not be started; *msg says why */
    SIM_COMMAND_MISSING  /* there is no such tool */
} sim_command_end;
/* Runs a command to its end; from any thread, several at a time. */
typedef sim_command_end sim_run_command(void *user, const sim_command *c, lib_message *msg);

/* ---- devices and memory -------------------------------------------------------------------------------------- */

typedef struct {
    unsigned threads; /* worker threads; 0: one per core */
    /* bytes of device memory that may be allocated; 0: the profile's, at most 3/4 of the host's
     * free */
    uint64_t memory_limit;
    /* instructions per launch before SIM_BUDGET; each of a warp counts 32, whatever lanes are on;
     * 0: 2^38 */
    uint64_t inst_budget;
    /* bytes of the host that the registers, local and shared memory of a launch's blocks may take:
     * those that wait for others are kept; 0: any number */
    uint64_t launch_bytes;
    /* 0..15: picks the address range, so that addresses of two devices never coincide */
    unsigned device_index;
    bool check_race_shared; /* report shared-memory races */
    bool check_race_global; /* report races in global memory inside a launch */
    bool check_uninit;      /* report reads of memory never written */
    bool count_lines;       /* fill sim_result.lines */
    bool count_ptx;         /* fill sim_result.ptx */
    /* Fill sim_result.machine: all blocks are executed as machine code, too. Whether launches are
     * timed by it, machine_code says. */
    bool count_machine;
    bool deterministic; /* the same result on any number of cores, float atomics included */
    bool model_time;    /* fill time_us and limiter */
    /* Which blocks the model of time looks at is drawn from this, for each launch anew: who wrote the kernel
     * must not know them. 0: always those of the same multiprocessors, and `unlike` is not filled. */
    uint64_t sample;
    /* time launches by the machine code that their modules were given, where it can be: the sampled
     * blocks are executed as that, too, over memory of their own. Off by default, on with
     * WARPLAB_SIM_MACHINE=on. */
    bool machine_code;
    /* With machine_code, for the tests of it: launches have one worker, sim_result.machine_unlike is
     * filled, and a line about each launch is added to this file: kernel, blocks, "same", "rounded"
     * (but for the last places of numbers), "other" or "refused", and what differs or why. WARPLAB_SIM_MACHINE=log:FILE. NULL: no such thing. */
    const char *machine_log;
    /* fill what_if, of the first launch of each kernel with each grid and block; needs count_lines */
    bool what_if;
    /* NULL: registers are estimated (sim_kernel_info.resources_exact), and no code is compiled for
     * the host. It has to outlive the device. */
    sim_run_command *run_command;
    void *run_user;
    /* not NULL: launches are stopped and looked at (debug/debug.h), on one worker, without machine
     * code, caches' history and a modelled time. It has to outlive the device. */
    struct sim_debug *debug;
} sim_options;
void sim_options_default(sim_options *o); /* everything on, but check_race_global */
/* WARPLAB_SIM_MACHINE=off: nobody is to ask for machine_code or count_machine. */
bool sim_machine_off(void);

/* NULL and *msg on failure. */
sim_device *sim_device_new(const sim_profile *p, const sim_options *o, lib_message *msg);
void sim_device_free(sim_device *d);
const sim_profile *sim_device_profile(const sim_device *d);

/* Allocates n >= 1 bytes, 256-byte aligned (CUDA C++ Programming Guide, "Device Memory Accesses"),
 * with a guard gap behind. */
sim_status sim_malloc(sim_device *d, uint64_t n, sim_addr *out);
/* Frees what sim_malloc gave. Later accesses are reported as use after free until the range is
 * reused, which is put off as long as memory allows. */
sim_status sim_free(sim_device *d, sim_addr a);
/* Makes host memory [host, host+n) visible at device address `at` (mapped, registered and managed
 * memory). The caller keeps the host range alive until sim_unmap(). Mapped memory counts as
 * initialised. `remote`: it stays on the host, so that what a kernel loads and stores there takes
 * the time of the link; else it counts as on the device (managed memory that has migrated). */
sim_status sim_map(sim_device *d, void *host, uint64_t n, sim_addr at, bool remote);
sim_status sim_unmap(sim_device *d, sim_addr at);
/* Host access to device memory; the whole range must lie in one allocation, else BAD_ADDRESS and
 * nothing is done. A write marks bytes initialised, a copy carries the marks along, a read ignores
 * them. */
sim_status sim_write(sim_device *d, sim_addr to, const void *from, uint64_t n);
sim_status sim_read(sim_device *d, void *to, sim_addr from, uint64_t n);
sim_status sim_copy(sim_device *d, sim_addr to, sim_addr from, uint64_t n);
/* Repeats the `width`-byte (1, 2 or 4) value over n elements. */
sim_status sim_fill(sim_device *d, sim_addr to, uint32_t value, unsigned width, uint64_t n);
/* Fills with poison and marks the range uninitialised: what an output holds before a graded run. */
sim_status sim_poison(sim_device *d, sim_addr to, uint64_t n);
/* The allocation that holds a (base, size), or false. */
bool sim_find(const sim_device *d, sim_addr a, sim_addr *base, uint64_t *size);
/* Bytes free and in all. */
void sim_memory_info(const sim_device *d, uint64_t *free_bytes, uint64_t *total_bytes);
/* Calls fn for each live allocation of sim_malloc (leak reports). */
void sim_each_allocation(const sim_device *d, void (*fn)(void *user, sim_addr base, uint64_t size),
                         void *user);
/* Launches of d may reach peer's memory, if they are let (sim_launch.peers). The two are devices of
 * different numbers (sim_options.device_index), and peer lives as long as d runs anything. */
void sim_device_peer(sim_device *d, const sim_device *peer);
/* A name for an allocation, used by findings ("b" instead of 0x...). Copied. */
void sim_name_allocation(sim_device *d, sim_addr base, const char *name);
/* Forgets cached lines: the next launch is cold. */
void sim_flush_caches(sim_device *d);

/* ---- textures and surfaces: what a 64-bit handle in a kernel (cudaTextureObject_t, cudaSurfaceObject_t) stands for ---- */

typedef enum {
    SIM_TEX_WRAP,
    SIM_TEX_CLAMP,
    SIM_TEX_MIRROR,
    SIM_TEX_BORDER
} sim_tex_address; /* cudaTextureAddressMode */
typedef enum {
    SIM_TEX_SIGNED,
    SIM_TEX_UNSIGNED,
    SIM_TEX_FLOAT
} sim_tex_kind; /* cudaChannelFormatKind */
typedef struct {
    sim_addr base; /* texel (x, y, z) lies at base + z * slice + y * pitch + x * bytes of a texel */
    uint64_t pitch, slice; /* bytes */
    /* texels; 0: the dimension does not exist. Layers count as depth */
    uint32_t width, height, depth;
    bool layered, surface;
    /* a cudaArray: the caches see its texels in blocks (special/texture.c), wherever the bytes lie */
    bool block_linear;
    bool cubemap, gather;         /* what its array was made for; only a GPU asks */
    uint8_t channels, bits, kind; /* 1, 2 or 4 channels of 8, 16 or 32 bits, sim_tex_kind */
    uint8_t address[3];           /* sim_tex_address */
    bool linear_filter;           /* else the nearest texel */
    bool normalized_float;        /* cudaReadModeNormalizedFloat */
    bool normalized_coords;
    float border[4];
    /* A mipmapped array: so many levels, of which the others lie where sim_texture_level() says; 0 or
     * 1: it is none. The level that an instruction asks for has level_bias added and is clamped to
     * level_min .. level_max. */
    uint8_t levels;
    bool linear_levels; /* levels are mixed; else the nearest one is read */
    float level_bias, level_min, level_max;
} sim_texture;
enum { SIM_TEX_LEVELS = 18, SIM_TEX_PITCH = 512 };
/* Level k of a mipmapped array, 0 <= k < levels, as a texture of that level alone: each dimension halved k
 * times, rounded down, but never less than one texel; layers stay as many (CUDA Runtime API,
 * cudaMallocMipmappedArray). Levels lie one behind the other, rows of each SIM_TEX_PITCH bytes apart or
 * a multiple of that. */
void sim_texture_level(const sim_texture *t, unsigned k, sim_texture *level);
/* Bytes from the first texel of t to the last of its last level. */
uint64_t sim_texture_bytes(const sim_texture *t);
/* The upper word of all handles: machine code reads the lower one alone. */
#define SIM_TEXTURE_TAG 0x7e00000000000000ull
/* *handle is never 0. BAD_ARGUMENT when the description makes no sense or does not lie in one
 * allocation. */
sim_status sim_texture_new(sim_device *d, const sim_texture *t, uint64_t *handle);
sim_status sim_texture_free(sim_device *d, uint64_t handle);

/* ---- tensor maps: what cuTensorMapEncodeTiled() and -Im2col() make for the copy engine (cp.async.bulk.tensor) ---- */

enum { SIM_TENSOR_DIMS = 5, SIM_TENSOR_MAP_BYTES = 128 };
/* As the parameters of those functions (cuda.h, which also says their ranges). */
typedef struct {
    uint32_t type, rank; /* CUtensorMapDataType; 1 to 5 */
    sim_addr base;
    uint64_t dim[SIM_TENSOR_DIMS];                        /* elements */
    uint64_t stride[SIM_TENSOR_DIMS - 1];                 /* bytes: of dimensions 1 and up */
    uint32_t box[SIM_TENSOR_DIMS], step[SIM_TENSOR_DIMS]; /* boxDim, elementStrides */
    /* CUtensorMapInterleave, -Swizzle, -L2promotion, -FloatOOBfill */
    uint32_t interleave, swizzle, promotion, fill;
    /* of -Im2col(): pixelsPerColumn, the corners along W, H and D; channelsPerPixel is box[0] */
    bool im2col;
    uint32_t pixels;
    int32_t lower[SIM_TENSOR_DIMS - 2], upper[SIM_TENSOR_DIMS - 2];
} sim_tensor_map;
/* BAD_ARGUMENT (what cuda.h forbids) or UNSUPPORTED (what this device does not do) and *msg, which says
 * what. The 128 bytes are opaque; a kernel may be given any, and those of nobody's making are refused
 * when they are used. */
sim_status sim_tensor_map_new(const sim_device *d, const sim_tensor_map *t,
                              uint8_t to[SIM_TENSOR_MAP_BYTES], lib_message *msg);

/* ---- modules -------------------------------------------------------------------------------------------------- */

/* Parses PTX text (len bytes, need not end in NUL) and lays its variables out in device memory.
 * NULL and *msg (file-less position "PTX line 12: ...") on failure. `cubin` may hold the matching
 * machine code (ELF) whose headers give registers, else NULL; then sim_kernel_info's resources are
 * asked of ptxas (options in sim_module_options) or estimated, and say which. */
typedef struct {
    const char *name;
    uint64_t bytes;
    sim_addr at; /* the answer */
} sim_managed;
/* Says where the n managed variables of a module lie: each in memory that sim_map() made visible at
 * its address, with just its bytes. *fresh: all of it is zero, and the module puts the initial
 * values there; else they are there. The memory has to outlive the module. */
typedef sim_status sim_place_managed(void *user, sim_managed *v, size_t n, bool *fresh);
typedef struct {
    const void *cubin;
    size_t cubin_len;
    /* What `nvdisasm -c -gi -hex` writes of that cubin, or NULL: what launches are timed by with
     * sim_options.machine_code. Results never depend on it. Both are copied. */
    const char *machine_code;
    size_t machine_code_len;
    const char *
        ptxas; /* path, or NULL: looked up by name; "" : never run (needs sim_options.run_command) */
    char *(*demangle)(const char *);
    sim_place_managed *managed; /* NULL: they are variables like the others */
    void *managed_user;
    /* not NULL: reading, decoding and assembling are given up soon after *stop becomes nonzero; it
     * outlives the module */
    const volatile int *stop;
    /* bytes of the host that the module may take, about, variables included; 0: any number. *taken,
     * which may be NULL: how many it does take, or would. */
    uint64_t room, *taken;
} sim_module_options;
sim_module *sim_module_new(sim_device *d, const char *ptx, size_t len, const sim_module_options *o,
                           lib_message *msg);
void sim_module_free(sim_module *m);
sim_kernel *sim_module_kernel(sim_module *m,
                              const char *name); /* mangled name; NULL if there is none */
/* Address and size of a .global or .const variable. Constant memory has addresses of its own that
 * sim_read/sim_write/sim_copy take. */
sim_status sim_module_symbol(sim_module *m, const char *name, sim_addr *a, uint64_t *n);
/* Puts every variable back to its initial value, but managed ones that have a place of their own:
 * they live as long as the program (CUDA C++ Programming Guide, "__managed__ Memory Space
 * Specifier"). */
void sim_module_reset(sim_module *m);

/* What PTX text is made of, as it will be executed: names of functions and variables, instructions
 * (mnemonic and dotted words: "mma.sync.aligned.m16n8k16.row.col"), files that code stands in or was
 * inlined from. `file` and `line`: the source that became it, the outermost where code was inlined;
 * "" and 0 where the line table does not say. True ends it. */
typedef enum { SIM_TOLD_NAME, SIM_TOLD_INSN, SIM_TOLD_FILE } sim_told;
typedef bool sim_tell_fn(void *user, sim_told what, const char *text, const char *file,
                         unsigned line);
/* False and *msg: it is no PTX that this version reads, so no simulated device runs it. */
bool sim_ptx_tell(const char *ptx, size_t n, sim_tell_fn *fn, void *user, lib_message *msg);

/* Finds the PTX (and the cubin for `arch`, say 90, when there is one) in the fat binary that starts
 * at `data`: container magic 0xBA55ED50, entries plain, LZ4 or zstd. The PTX for arch
 * alone (sm_90a) is taken, else the newest with target <= arch, else the oldest; never what is for
 * another architecture alone. *ptx is malloc'ed and NUL-terminated; *cubin malloc'ed or NULL.
 * The caller frees both. */
sim_status sim_fatbin_extract(const void *data, size_t len, unsigned arch, char **ptx,
                              size_t *ptx_len, void **cubin, size_t *cubin_len, lib_message *msg);

typedef struct {
    const char *name; /* mangled */
    /* demangled, without arguments; the same as name if there is no demangler */
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
    bool needs_cluster;           /* .explicitcluster: no launch without a cluster's size */
    unsigned max_dynamic_shared;  /* attribute, default the profile's without opt-in */
    int carveout;                 /* attribute: per cent of the most shared memory; -1: none */
} sim_kernel_info;
const sim_kernel_info *sim_kernel_get(const sim_kernel *k);
/* cudaFuncAttributeMaxDynamicSharedMemorySize; BAD_ARGUMENT past the profile's opt-in limit. */
sim_status sim_kernel_set_max_dynamic_shared(sim_kernel *k, uint64_t bytes);
/* cudaFuncAttributePreferredSharedMemoryCarveout, kept for who launches; BAD_ARGUMENT outside
 * -1..100. */
sim_status sim_kernel_set_carveout(sim_kernel *k, int percent);

/* ---- occupancy (CUDA C++ Best Practices Guide, "Occupancy"; cuda_occupancy.h is the reference the tests compare with) ------- */

typedef struct {
    unsigned blocks; /* resident blocks per multiprocessor */
    unsigned warps;  /* resident warps per multiprocessor */
    double pct;      /* warps / maximum */
    unsigned by_blocks, by_warps, by_registers,
        by_shared;       /* limit set by each resource, in blocks */
    const char *limiter; /* "blocks" | "warps" | "registers" | "shared" */
} sim_occupancy;
/* registers per thread, shared bytes per block (static + dynamic), 1 <= threads <= the profile's
 * maximum; carveout: bytes that a multiprocessor has as shared memory, 0: as many as can be. */
sim_status sim_occupancy_get(const sim_profile *p, unsigned threads, unsigned registers,
                             uint64_t shared, uint64_t carveout, sim_occupancy *out);
/* What a launch of `threads` allocates on this profile. Compute capability 1.x: two thirds of the
 * modern assembler's count, since addresses had 32 bits and no register was set aside for calls,
 * and no more than lets one block fit, as the compiler of its day would have seen to. Elsewhere the
 * count itself. */
unsigned sim_resources_registers(const sim_profile *p, unsigned registers, unsigned threads);

/* ---- launches --------------------------------------------------------------------------------------------------- */

typedef struct {
#define COUNTER(field, unit, ncu) uint64_t field;
#include "runner/device/sim/counters.def"
#undef COUNTER
} sim_counters;

/* The value of a counter, a derived ratio or a deed by name; false if there is no such name. */
bool sim_counter_get(const sim_counters *c, const char *name, double *value);
typedef struct {
    const char *name, *unit, *ncu; /* what it means: the row counter.NAME of the catalogue */
    bool derived;                  /* of counters: a ratio, or a deed */
    bool deed;                     /* a sum over all ways of doing a thing (deeds.def) */
} sim_counter_info;
size_t sim_counter_count(void); /* counters, then ratios, then deeds */
const sim_counter_info *sim_counter_at(size_t i);
void sim_counters_add(sim_counters *to, const sim_counters *from);
void sim_counters_sub(sim_counters *from, const sim_counters *part); /* never below 0 */

/* What a resident warp does in a cycle (stalls.def): SIM_STALL_SELECTED, SIM_STALL_BARRIER ... */
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
/* Where the time of a launch went, by its replay (docs/model.md). All 0 when nothing was replayed. */
typedef struct {
    double warp_pct[SIM_STALL_COUNT]; /* of the time of resident warps: adds up to 100 */
    /* Of the schedulers' cycles: SELECTED are those in which an instruction was issued, the others
     * those in which the warp that went on next was still held up so. With empty_pct (no warp was
     * resident that could have gone on) they add up to 100. */
    double scheduler_pct[SIM_STALL_COUNT];
    double empty_pct;
} sim_stalls;

/* Counters of one source line (or of one PTX line where the module has no .loc). */
typedef struct {
    const char *file; /* owned by the module */
    unsigned line;
    sim_counters counters;
    /* Of the launch's time_us, the part that the resident warps spent at this line, by state: all
     * lines and states add up to time_us. What a warp waits for counts where it waits. */
    float stall_us[SIM_STALL_COUNT];
} sim_line;

/* How often one PTX instruction was executed (sim_options.count_ptx). */
typedef struct {
    uint32_t ptx_line; /* in the module's PTX text, from 1 */
    unsigned line;     /* of the source, as in sim_line; 0: unknown */
    const char *file;  /* owned by the module; "" if unknown */
    uint64_t warps;    /* warps that executed it */
    uint64_t lanes;    /* and their active lanes for which its guard held */
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
/* A launch without one of its costs. */
typedef struct {
    double time_us; /* as sim_result.time_us, which it never exceeds */
    /* the source lines that pay for it, largest first: indices into sim_result.lines, and parts of 1
     * of all there is of the cost */
    unsigned line_count;
    uint32_t line[SIM_IF_LINES];
    float part[SIM_IF_LINES];
} sim_what_if;

/* A block's stay on the multiprocessor that was replayed, from the kernel's start on. */
typedef struct {
    float start_us, end_us;
    unsigned slot; /* of those that the multiprocessor has for blocks of this launch */
} sim_block_span;

#define SIM_FINDING_MAP(X)                                                                         \
    X(OOB, "oob", "out-of-bounds access")                                                          \
    X(MISALIGNED, "misaligned", "misaligned access")                                               \
    X(USE_AFTER_FREE, "use-after-free", "access to freed memory")                                  \
    X(UNINIT, "uninit", "read of memory that was never written")                                   \
    X(RACE, "race", "data race")                                                                   \
    X(BARRIER, "barrier", "barrier not reached by all threads")                                    \
    X(DEADLOCK, "deadlock", "no thread can make progress")                                         \
    X(BUDGET, "budget", "endless loop")                                                            \
    X(ASSERT, "assert", "device-side assertion failed")                                            \
    X(TRAP, "trap", "trap instruction")                                                            \
    X(STACK, "stack", "call stack overflow")                                                       \
    X(LEAK, "leak", "memory never freed")                                                          \
    X(HOST_DEREF, "host-deref", "host code read or wrote device memory")                           \
    X(UNSUPPORTED, "unsupported", "not supported by the simulated device")                         \
    X(CALL, "call", "failed CUDA call or launch")
typedef enum {
#define X(n, s, m) SIM_FIND_##n,
    SIM_FINDING_MAP(X)
#undef X
        SIM_FIND_COUNT
} sim_finding_kind;
const char *sim_finding_name(sim_finding_kind k);  /* "oob" */
const char *sim_finding_title(sim_finding_kind k); /* "out-of-bounds access" */

/* One site at which something went wrong; further hits of the same site only raise `count`. */
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
    sim_addr alloc_base; /* nearest or holding allocation, 0 if none */
    uint64_t alloc_size;
    const char *alloc_name; /* "" if it has none */
    /* The other side of a race, or who waits where at a barrier. */
    unsigned other_thread[3];
    const char *other_file;
    unsigned other_line;
    bool other_write;
    bool across; /* a race: some of the pairs are of different warps */
    /* A race between streams (space "streams"; "graph": between
     * nodes of one launch of a graph; "programmatic": between a kernel and the next of its stream, which did
     * not wait for it), which the device server finds: who they are, as
     * numbers of its dev_op, and which streams. */
    const char *other_kernel;
    unsigned op, other_op, stream, other_stream;
    char text[512];    /* the whole but the count, one line, in English */
    lib_message *said; /* the same in every language where the fields do not tell it, else NULL */
} sim_finding;

/* A run of words of device or managed memory that a launch accessed, by ascending addresses: written,
 * or (together) updated atomically and read; shorter where accesses were of less than a word. Volatile
 * and stronger loads are not told. */
/* EARLY: told once more, in no order, since the kernel accessed it before it waited for the grids before it
 * (sim_launch.early). */
enum { SIM_WORD_READ = 1, SIM_WORD_WRITTEN = 2, SIM_WORD_ATOMIC = 4, SIM_WORD_EARLY = 8 };
typedef struct {
    sim_addr from;
    uint64_t bytes;
    unsigned how;
    const char *file; /* where in the source one of the accesses stands; "" and 0: nobody knows */
    unsigned line;
} sim_word_run;
typedef void sim_words(void *user, const sim_word_run *run);

/* A run of bytes of device or managed memory that a launch stored, by which of its instructions last: a
 * bit of sim_slice.stores. */
typedef void sim_stored(void *user, sim_addr from, uint64_t bytes, unsigned store);
/* The counters of those instructions of a launch that lead to just these of its stores: through registers,
 * through shared, local and global memory, and by a branch that went both ways and so decided whether
 * something that leads there is executed. Stores beyond SIM_STORES share its last bit. SIM_STORE_ANY:
 * something that is not followed (a surface, memory on the host, a grid that it launches). */
enum { SIM_STORES = 63 };
#define SIM_STORE_ANY (UINT64_C(1) << SIM_STORES)
typedef struct {
    uint64_t stores;
    sim_counters counters;
} sim_slice;

enum { SIM_STACK_BYTES = 1024 }; /* CUDA's own default */

typedef struct {
    sim_kernel *kernel;
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* blocks of a cluster; 0: as the kernel requires, or none */
    uint64_t dynamic_shared;
    const void *params; /* the parameter block, laid out as sim_kernel_info says */
    size_t param_bytes;
    bool cooperative; /* all blocks resident at once: grid barriers work */
    /* Local memory that each thread has where nobody knows beforehand how much it takes: by
     * recursion or alloca, its own variables included (cudaLimitStackSize); 0: SIM_STACK_BYTES */
    uint32_t stack;
    /* It prefers so many per cent of the most shared memory; otherwise what its blocks need. */
    bool has_carveout;
    unsigned carveout;
    /* A budget that several launches share, counted as sim_options.inst_budget is, and what those
     * before took of it; it or the device's own ends the launch, whichever comes first. 0: only the
     * device's. */
    uint64_t inst_limit, inst_taken;
    void (*print)(void *user, const char *text, size_t n); /* device printf; NULL: dropped */
    void *print_user;
    /* cudaGraphSetConditional(handle, value) of a kernel; false: the handle is none that this
     * device may set. Any worker calls it. NULL: there are no handles */
    bool (*condition)(void *user, uint64_t handle, uint32_t value);
    void *condition_user;
    /* Told of every line of memory of sim_map() that is not remote, as it leaves L1 for L2: a mask
     * of its sectors, and whether they are written. Blocks come in the order of their numbers, one
     * call at a time. NULL: nobody asks */
    void (*touch)(void *user, sim_addr line, unsigned sectors, bool write);
    void *touch_user;
    /* Told of once the launch has ended, where it looked for races in global memory
     * (sim_options.check_race_global); NULL: nobody asks */
    sim_words *words;
    void *words_user;
    /* The same of what it stored; then sim_result.slices is filled, too. NULL: nobody asks */
    sim_stored *stored;
    void *stored_user;
    /* The grid before it may not have ended yet (programmatic dependent launch): which words it accesses
     * before griddepcontrol.wait is told with SIM_WORD_EARLY. */
    bool early;
    uint64_t start_ns; /* %globaltimer when it begins; 0: the host's clock */
    uint64_t number;   /* %gridid; 0: how many the device has run */
    /* Devices whose memory the kernel may use as its own, over the link between them: a bit each, by
     * their numbers (sim_device_peer). Texture fetches and constants are not among what it reaches. */
    unsigned peers;
    /* Launches and copies that the kernel may issue itself (cudaLimitDevRuntimePendingLaunchCount);
     * further ones fail there with cudaErrorLaunchPendingCountExceeded. 0: none */
    unsigned most_children;
    const volatile int *
        cancel; /* not NULL: the launch ends with SIM_CANCELLED soon after *cancel becomes nonzero */
} sim_launch;

/* What a kernel asked for that is done behind it: another grid, or a copy or fill of device memory (CUDA C++
 * Programming Guide, "CUDA Dynamic Parallelism"). sim_run() only collects it: its caller does it,
 * and what that asks for, before the launch counts as complete. */
typedef enum { SIM_CHILD_LAUNCH, SIM_CHILD_COPY, SIM_CHILD_FILL } sim_child_kind;
typedef enum {
    SIM_CHILD_IN_LINE, /* one after another with others of its line: a stream of the grid's */
    SIM_CHILD_AT_ONCE, /* cudaStreamFireAndForget: in no order */
    SIM_CHILD_BEHIND   /* cudaStreamTailLaunch: behind all others, one after another */
} sim_child_when;
typedef struct {
    sim_child_kind kind;
    sim_child_when when;
    uint64_t line;
    sim_kernel *kernel; /* LAUNCH: of the same module, and its configuration */
    unsigned grid[3], block[3];
    uint64_t dynamic_shared;
    void *params; /* malloc'ed */
    size_t param_bytes;
    sim_addr to, from; /* COPY, FILL */
    uint64_t bytes;
    unsigned value; /* FILL: of each byte */
} sim_child;
void sim_children_free(sim_child *all, size_t n);

/* What launches that overlap share besides memory. All but the last are of each multiprocessor. */
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
    /* With sim_options.machine_code: time_us is by the machine code; else, and with count_machine,
     * why there is none that could be executed, which lives as long as the kernel. */
    bool by_machine_code;
    const lib_message *machine_refusal;
    /* with sim_options.machine_log: words of global memory that sampled blocks left otherwise as
     * machine code than as PTX, and the address of one */
    uint64_t machine_unlike, machine_unlike_at;
    /* no real device of this profile could be faster: peak bandwidth and issue rate */
    /* read and written in host memory, over the link; scaled up from sampled blocks */
    double link_bytes;
    double time_floor_us;
    /* memory and FP32 units of the whole device alone: however launches overlap, theirs add up */
    double dram_floor_us, fp32_floor_us;
    const char *limiter; /* "dram" | "l2" | "l1" | "shared" | "issue" | "latency" | "launch" */
    sim_occupancy occupancy;
    double achieved_occupancy_pct;
    /* Of the device's units the part of the launch's time that it keeps them busy, 0 to 1; DRAM and L2 are
     * told by the counters. */
    double busy[SIM_UNIT_COUNT];
    /* How far the blocks that the model looked at differ from all of the launch, beyond what they differ by
     * among themselves: 0 not at all, 1 in everything (sim_options.sample). */
    double unlike;
    sim_stalls stalls;
    sim_what_if *what_if;  /* SIM_COST_COUNT of them, if they were asked for; else NULL */
    sim_block_span *spans; /* beside what_if: the blocks replayed, by their starts */
    size_t span_count;
    sim_line *lines;
    size_t line_count;
    /* every instruction of the kernel and of what it may call, in the same order for each launch of
     * it; NULL unless they were asked for */
    sim_ptx_count *ptx;
    size_t ptx_count;
    /* each instruction of its machine code, by address; NULL: they were not asked for, or
     * machine_refusal says why not */
    sim_machine_count *machine;
    size_t machine_count;
    /* beside sim_launch.stored; none: nothing is known. What belongs to no instruction (L2, DRAM) is in none */
    sim_slice *slices;
    size_t slice_count;
    bool
        reads_by_turns; /* some loads are volatile or stronger, or atomic: sim_launch.words may lack them */
    sim_finding *findings;
    size_t finding_count;
    double host_seconds; /* how long the simulation took */
    uint64_t executed;   /* as sim_options.inst_budget counts, also when the launch failed */
    /* memory of sim_map() that it stored into, as the bytes of those allocations: what the host may
     * have seen of it */
    uint64_t host_bytes;
    sim_child *children; /* in the order in which they were asked for; sim_children_free() */
    size_t child_count;
    bool measured; /* on a GPU: time_us was measured there, the counters are not known */
} sim_result;

/* Runs a launch to its end. Returns what result->status says. The result's arrays are malloc'ed:
 * sim_result_free(). Bad configurations give BAD_LAUNCH or TOO_MANY_RESOURCES, a finding-less
 * result and *msg. */
sim_status sim_run(sim_device *d, const sim_launch *l, sim_result *result, lib_message *msg);
void sim_result_free(sim_result *r);

#endif
