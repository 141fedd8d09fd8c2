/* A program's registrations: tables that module.c fills and load.c reads. */
#ifndef WARPLAB_CUDART_MODULE_H
#define WARPLAB_CUDART_MODULE_H

#include <pthread.h>
#include "runner/device/cudart/client.h"

enum { WL_DEVICES = 16, WL_BUCKETS = 1024 };
enum { WL_WRAPPER_MAGIC = 0x466243b1 }; /* of the struct that points to a fat binary */

typedef struct wl_variable wl_variable;
typedef struct wl_module {
    const void *data;        /* the container: magic 0xBA55ED50 */
    const void *const *more; /* -rdc=true: further containers, NULL-terminated */
    uint64_t handle;         /* 0: not sent */
    bool loaded[WL_DEVICES];
    bool copied;          /* the library owns data (cudaLibraryLoadData) */
    cudaError_t error;    /* of sending */
    wl_variable *managed; /* its __managed__ variables */
    bool mapped;          /* their memory is mapped */
    struct wl_module *next;
} wl_module;

struct wl_kernel {
    const void *stub; /* the host function; NULL: a kernel of a library */
    const char *name;
    wl_module *m;
    wl_kernel_info *info[WL_DEVICES];
    wl_kernel *next; /* in its bucket */
};

struct wl_variable {
    const void *host;
    void **managed; /* the host's pointer to a __managed__ variable */
    const char *name;
    size_t bytes;
    wl_module *m;
    uint64_t address[WL_DEVICES], size[WL_DEVICES];
    wl_variable *next;           /* in its bucket */
    wl_variable *next_of_module; /* among the managed ones */
};

typedef struct {
    pthread_mutex_t lock; /* taken before the connection's lock, never after it */
    wl_module *modules;
    wl_kernel *by_stub[WL_BUCKETS];
    wl_variable *vars[WL_BUCKETS];
} wl_registry;
extern wl_registry wl_reg;
unsigned wl_bucket(const void *p);
/* Under the lock. stub NULL: a kernel of a library, which is found only by its handle. */
wl_kernel *wl_module_add_kernel(const void *stub, const char *name, wl_module *m);
wl_kernel *wl_module_kernel(const void *func); /* by its stub or handle; NULL: none */

#endif
