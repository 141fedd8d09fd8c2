/* Like a vendor's library with a runtime of its own: it opens the driver and asks for its export
 * table. */
#include <dlfcn.h>
#include <stddef.h>

int library_create(void);
int library_create(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    int (*table)(const void **, const void *) =
        driver ? (int (*)(const void **, const void *))dlsym(driver, "cuGetExportTable") : NULL;
    const void *t;
    if (!init || !table || init(0)) return 1;
    return table(&t, "0123456789abcdef") ? 2 : 0;
}
