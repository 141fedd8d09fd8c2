/* Linking at run time (cuLinkCreate): PTX texts become one image, whose units the device links when
 * it loads the image (device/sim/load/link.c).
 *
 *   cuLinkAddData, cuLinkAddFile --a container each--> cuLinkComplete --a wrapper that lists
 *     them--> cuModuleLoadData */
#include "runner/device/cudart/driver/driver.h"
#include "words/cudart.h"

#include <stdlib.h>
#include <string.h>

enum { UNITS = 256, PTX_INPUT = 1 };

struct driver_link {
    uint8_t *unit[UNITS];
    unsigned count, arch;
    const void *more[UNITS + 1];
    driver_wrapper image;
};

int driver_link_new(driver_link **to) {
    if (!to) return DRIVER_INVALID_VALUE;
    *to = calloc(1, sizeof **to);
    return *to ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

int driver_link_add(driver_link *l, int type, const char *data, size_t n) {
    static bool once;
    if (!l || !data || !n) return DRIVER_INVALID_VALUE;
    if (type != PTX_INPUT) {
        w_cudart_link_ptx_only(&once);
        return DRIVER_NOT_SUPPORTED;
    }
    if (l->count == UNITS) return DRIVER_OUT_OF_MEMORY;
    char *text = strndup(data, n); /* it need not end in NUL */
    if (!text) return DRIVER_OUT_OF_MEMORY;
    unsigned arch = driver_ptx_arch(text);
    uint8_t *unit = arch ? driver_fatbin_of_ptx(text, strlen(text), arch) : NULL;
    free(text);
    if (!unit) return arch ? DRIVER_OUT_OF_MEMORY : DRIVER_INVALID_IMAGE;
    l->unit[l->count++] = unit;
    if (arch > l->arch) l->arch = arch;
    return DRIVER_SUCCESS;
}

int driver_link_file(driver_link *l, int type, const char *path) {
    size_t n;
    if (!l || !path) return DRIVER_INVALID_VALUE;
    char *data = driver_read_file(path, &n);
    if (!data) return (int)cudaErrorFileNotFound;
    int e = driver_link_add(l, type, data, n);
    free(data);
    return e;
}

int driver_link_complete(driver_link *l, void **image, size_t *bytes) {
    if (!l || !image || !l->count) return DRIVER_INVALID_VALUE;
    for (unsigned k = 0; k < l->count; k++) { /* one program: all for the newest architecture */
        driver_fatbin_arch(l->unit[k], l->arch);
        l->more[k] = k ? l->unit[k] : NULL;
    }
    l->more[l->count] = NULL;
    l->image = (driver_wrapper){
        .magic = DRIVER_WRAPPER, .version = 2, .data = l->unit[0], .more = l->more + 1};
    *image = &l->image;
    if (bytes) *bytes = sizeof l->image;
    return DRIVER_SUCCESS;
}

int driver_link_free(driver_link *l) {
    if (!l) return DRIVER_INVALID_VALUE;
    for (unsigned k = 0; k < l->count; k++) free(l->unit[k]);
    free(l);
    return DRIVER_SUCCESS;
}
