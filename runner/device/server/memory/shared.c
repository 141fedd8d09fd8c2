/* Memory files that both sides map. The server makes them, so that a client cannot change their
 * size while the device uses them. */
#include "runner/device/server/core/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns a descriptor for the client, of memory that cannot shrink. */
int dev_shared(const char *name, uint64_t bytes, void **at) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)bytes) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        close(fd);
        return -1;
    }
    *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*at == MAP_FAILED) {
        close(fd);
        return -1;
    }
    return fd;
}
