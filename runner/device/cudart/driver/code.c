/* Modules and launches of the driver API.
 *
 *   PTX text --a fat binary with it as its one entry--> cudaLibraryLoadData
 *   fat binary ------------------------------------------^
 *   kernelParams or one buffer (extra) --> cudaLaunchKernel */
#include "runner/device/cudart/driver/driver.h"
#include "words/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- images */

enum { FATBIN_HEADER = 16, ENTRY_HEADER = 64, KIND_PTX = 1 };
#define FATBIN    0xBA55ED50u
#define ELF_MAGIC "\177ELF"
#define IMAGE_MAX ((size_t)256 << 20)

static void bytes_put(uint8_t *at, uint64_t v, unsigned bytes) {
    for (unsigned k = 0; k < bytes; k++) at[k] = (uint8_t)(v >> 8 * k);
}

/* Returns the architecture that a PTX text names; 0: not PTX. */
unsigned driver_ptx_arch(const char *text) {
    const char *t = strstr(text, ".version") ? strstr(text, ".target") : NULL;
    t = t ? strstr(t, "sm_") : NULL;
    return t ? (unsigned)strtoul(t + 3, NULL, 10) : 0;
}

/* Returns a container with only this text, uncompressed; malloc'ed. NULL: memory is out. */
uint8_t *driver_fatbin_of_ptx(const char *text, size_t n, unsigned arch) {
    size_t payload = (n + 1 + 7) & ~(size_t)7;
    uint8_t *f = calloc(1, FATBIN_HEADER + ENTRY_HEADER + payload), *e = f + FATBIN_HEADER;
    if (!f) return NULL;
    bytes_put(f, FATBIN, 4), bytes_put(f + 4, 1, 2), bytes_put(f + 6, FATBIN_HEADER, 2);
    bytes_put(f + 8, ENTRY_HEADER + payload, 8);
    bytes_put(e, KIND_PTX, 2), bytes_put(e + 2, 0x0101, 2), bytes_put(e + 4, ENTRY_HEADER, 4),
        bytes_put(e + 8, payload, 8);
    bytes_put(e + 28, arch, 4), bytes_put(e + 40, 0x11, 8); /* 64 bits, for Linux */
    memcpy(e + ENTRY_HEADER, text, n);
    return f;
}

void driver_fatbin_arch(uint8_t *fatbin, unsigned arch) {
    bytes_put(fatbin + FATBIN_HEADER + 28, arch, 4);
}

/* The logs for which a program asks: empty, or the reason. */
static void answer_logs(int result, unsigned n, const int *option, void **value) {
    enum { INFO = 3, INFO_BYTES, ERROR, ERROR_BYTES }; /* CU_JIT_* */
    char *log[2] = {NULL, NULL};
    for (unsigned k = 0; option && value && k < n; k++) {
        if (option[k] == INFO) log[0] = value[k];
        if (option[k] == ERROR) log[1] = value[k];
    }
    for (unsigned k = 0; option && value && k < n; k++) {
        if (option[k] != INFO_BYTES && option[k] != ERROR_BYTES) continue;
        char *to = log[option[k] == ERROR_BYTES];
        size_t room = WL_U64(value[k]);
        const char *text =
            result && option[k] == ERROR_BYTES ? "the reason is on standard error" : "";
        if (to && room) snprintf(to, room, "%s", text);
        value[k] = WL_HANDLE(void *, to &&room ? strlen(to) : 0);
    }
}

static int module_load_text(cudaLibrary_t *m, const char *text) {
    unsigned arch = driver_ptx_arch(text);
    size_t n = strlen(text);
    if (!arch || n > IMAGE_MAX) return DRIVER_INVALID_IMAGE;
    uint8_t *f = driver_fatbin_of_ptx(text, n, arch);
    if (!f) return DRIVER_OUT_OF_MEMORY;
    cudaError_t e = cudaLibraryLoadData(m, f, NULL, NULL, 0, NULL, NULL, 0);
    free(f);
    return driver_result(e);
}

int driver_module_load(cudaLibrary_t *m, const void *image, unsigned options, const int *option,
                       void **value) {
    static bool once;
    uint32_t magic;
    int e;
    if (!m || !image) return DRIVER_INVALID_VALUE;
    memcpy(&magic, image, sizeof magic);
    if (magic == FATBIN || magic == DRIVER_WRAPPER) {
        e = driver_result(cudaLibraryLoadData(m, image, NULL, NULL, 0, NULL, NULL, 0));
    } else if (!memcmp(image, ELF_MAGIC, 4)) {
        w_cudart_no_cubin(&once);
        e = (int)cudaErrorNoKernelImageForDevice;
    } else {
        e = module_load_text(m, image);
    }
    answer_logs(e, options, option, value);
    return e;
}

char *driver_read_file(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    long n = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    rewind(f);
    char *text = n > 0 && (size_t)n <= IMAGE_MAX ? calloc(1, (size_t)n + FATBIN_HEADER) : NULL;
    if (text && fread(text, 1, (size_t)n, f) != (size_t)n) {
        free(text);
        text = NULL;
    }
    fclose(f);
    *bytes = text ? (size_t)n : 0;
    return text;
}

int driver_module_file(cudaLibrary_t *m, const char *path) {
    size_t n;
    if (!m || !path) return DRIVER_INVALID_VALUE;
    char *image = driver_read_file(path, &n);
    if (!image) return (int)cudaErrorFileNotFound;
    uint64_t bytes;
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    memcpy(&bytes, image + 8, sizeof bytes);
    /* a file does not contain what a wrapper points at, nor may a container end after it */
    bool whole = magic != FATBIN || (n >= FATBIN_HEADER && bytes <= n - FATBIN_HEADER);
    int e = magic != DRIVER_WRAPPER && whole ? driver_module_load(m, image, 0, NULL, NULL)
                                             : (int)DRIVER_INVALID_IMAGE;
    free(image);
    return e;
}

/* ---- functions */

int driver_function(cudaKernel_t *f, cudaLibrary_t m, const char *name) {
    return driver_result(cudaLibraryGetKernel(f, m, name));
}

int driver_function_attribute(int *value, int attribute, cudaKernel_t f) {
    struct cudaFuncAttributes a;
    if (!value) return DRIVER_INVALID_VALUE;
    cudaError_t e = cudaFuncGetAttributes(&a, (const void *)f);
    const int64_t of[] = {/* CU_FUNC_ATTRIBUTE_* */
                          a.maxThreadsPerBlock,
                          (int64_t)a.sharedSizeBytes,
                          (int64_t)a.constSizeBytes,
                          (int64_t)a.localSizeBytes,
                          a.numRegs,
                          a.ptxVersion,
                          a.binaryVersion,
                          a.cacheModeCA,
                          a.maxDynamicSharedSizeBytes,
                          a.preferredShmemCarveout,
                          a.clusterDimMustBeSet,
                          a.requiredClusterWidth,
                          a.requiredClusterHeight,
                          a.requiredClusterDepth,
                          a.nonPortableClusterSizeAllowed,
                          a.clusterSchedulingPolicyPreference};
    if (e) return driver_result(e);
    if (attribute < 0 || attribute >= (int)(sizeof of / sizeof *of)) return DRIVER_INVALID_VALUE;
    *value = (int)of[attribute];
    return DRIVER_SUCCESS;
}

/* ---- launches */

/* CU_LAUNCH_PARAM_BUFFER_POINTER (1), its value, CU_LAUNCH_PARAM_BUFFER_SIZE (2), a pointer to it,
 * CU_LAUNCH_PARAM_END (0): pointers into the buffer, in *args, malloc'ed. */
static int unpack_buffer(cudaKernel_t f, void **extra, void ***args) {
    uint8_t *buffer = NULL;
    size_t bytes = 0, offset, size, count = 0;
    for (unsigned k = 0; k < 8 && extra[k]; k += 2) {
        if (extra[k] == (void *)1) buffer = extra[k + 1];
        else if (extra[k] == (void *)2) bytes = extra[k + 1] ? *(size_t *)extra[k + 1] : 0;
        else return DRIVER_INVALID_VALUE;
    }
    if (!buffer) return DRIVER_INVALID_VALUE;
    while (count < WIRE_MAX_PARAMS && !cudaFuncGetParamInfo((const void *)f, count, &offset, &size))
        count++;
    void **list = malloc((count + 1) * sizeof *list);
    if (!list) return DRIVER_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) {
        if (cudaFuncGetParamInfo((const void *)f, k, &offset, &size) || offset > bytes ||
            size > bytes - offset) {
            free(list);
            return DRIVER_INVALID_VALUE;
        }
        list[k] = buffer + offset;
    }
    *args = list;
    return DRIVER_SUCCESS;
}

static cudaLaunchConfig_t config_of(const driver_launch *l) {
    return (cudaLaunchConfig_t){.gridDim = {l->grid[0], l->grid[1], l->grid[2]},
                                .blockDim = {l->block[0], l->block[1], l->block[2]},
                                .dynamicSmemBytes = l->shared,
                                .stream = l->stream,
                                .attrs = l->attributes,
                                .numAttrs = l->count};
}

int driver_clusters(int *n, cudaKernel_t f, const driver_launch *l, bool most) {
    if (!l) return DRIVER_INVALID_VALUE;
    const cudaLaunchConfig_t config = config_of(l);
    return driver_result((most ? cudaOccupancyMaxPotentialClusterSize
                               : cudaOccupancyMaxActiveClusters)(n, (const void *)f, &config));
}

int driver_launch_ex(const driver_launch *l, cudaKernel_t f, void **params, void **extra) {
    void **args = NULL;
    if (!l || (params && extra)) return DRIVER_INVALID_VALUE;
    int e = extra ? unpack_buffer(f, extra, &args) : DRIVER_SUCCESS;
    if (e) return e;
    const cudaLaunchConfig_t config = config_of(l);
    e = driver_result(cudaLaunchKernelExC(&config, (const void *)f, extra ? args : params));
    free(args);
    return e;
}

int driver_launch_kernel(cudaKernel_t f, const unsigned grid[3], const unsigned block[3],
                         unsigned shared, cudaStream_t s, void **params, void **extra) {
    const driver_launch l = {.grid = {grid[0], grid[1], grid[2]},
                             .block = {block[0], block[1], block[2]},
                             .shared = shared,
                             .stream = s};
    return driver_launch_ex(&l, f, params, extra);
}

int driver_block_size(int *grid, int *block, cudaKernel_t f, size_t (*shared_of)(int),
                      size_t shared, int limit) {
    struct cudaFuncAttributes a;
    int best = 0, warp = 32, sms = 0;
    if (!grid || !block || limit < 0) return DRIVER_INVALID_VALUE;
    cudaError_t e = cudaFuncGetAttributes(&a, (const void *)f);
    if (!e) e = cudaDeviceGetAttribute(&sms, 16, wl_self()->device); /* MultiProcessorCount */
    int most = e ? 0 : a.maxThreadsPerBlock;
    if (limit && limit < most) most = limit;
    for (int threads = most; threads > 0 && !e; threads -= threads % warp ? threads % warp : warp) {
        int n = 0;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &n, (const void *)f, threads, shared_of ? shared_of(threads) : shared, 0);
        if (e || n * threads <= best) continue;
        best = n * threads;
        *block = threads, *grid = n * sms;
    }
    return driver_result(e);
}
