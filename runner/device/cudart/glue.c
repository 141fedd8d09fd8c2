/* __warplab_next(): the runner calls a lab's function in this process through it. */
#include "runner/device/cudart/client.h"
#include "runner/device/cudart/glue.h"
#include "words/cudart.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Host arguments of the present call: shared buffers, unmapped at its end. room: the buffer and the
 * pages around it, where nothing is. */
static struct {
    void *at, *room;
    size_t bytes, room_bytes;
} buffer[WARPLAB_MAX_ARGS];
static unsigned calls;

/* Maps the buffer between such pages. Their number changes from call to call, so that a pointer of
 * an earlier call does not lead to the argument of this one. Returns where it is; NULL: nowhere. */
static void *place_buffer(unsigned i, size_t bytes, int fd) {
    enum { PAGE = 4096, OTHERS = 7 };
    size_t before = (1 + calls % OTHERS) * PAGE, room_bytes = before + bytes + PAGE;
    uint8_t *room = mmap(NULL, room_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return NULL;
    void *m = mmap(room + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    if (m == MAP_FAILED) {
        munmap(room, room_bytes);
        return NULL;
    }
    buffer[i].at = m, buffer[i].bytes = bytes;
    buffer[i].room = room, buffer[i].room_bytes = room_bytes;
    return m;
}

WL_EXPORT int __warplab_next(uint64_t *args, unsigned max) {
    wl_call c;
    uint64_t is_buffer = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < WARPLAB_MAX_ARGS; i++) {
        if (!buffer[i].at) continue;
        wl_host_ended(buffer[i].at, buffer[i].bytes);
        munmap(buffer[i].room, buffer[i].room_bytes);
        buffer[i].at = NULL;
    }
    calls++;
    wl_self()->last = cudaSuccess;
    wl_self()->device = 0;
    WL_BEGIN(&c, Next, 0);
    cudaError_t e = wl_send(&c);
    int more = !e && WL_OUT(&c, Next)->more;
    if (more) {
        n = c.spans ? c.span_bytes[0] / 8 : 0;
        if (n > max) n = 0, more = 0;
        if (n) memcpy(args, c.span[0], n * 8ul);
        if (c.spans > 1 && c.span_bytes[1] == 8) memcpy(&is_buffer, c.span[1], 8);
    }
    wl_end(&c);
    for (unsigned i = 0; more && i < n && i < WARPLAB_MAX_ARGS; i++)
        if (is_buffer >> i & 1) {
            struct wire_in_NextBuffer *in = WL_BEGIN(&c, NextBuffer, 0);
            in->index = i;
            e = wl_send(&c);
            size_t bytes = e ? 0 : WL_OUT(&c, NextBuffer)->bytes;
            uint64_t fixed = e ? 0 : WL_OUT(&c, NextBuffer)->address;
            int fd = c.fd;
            wl_end(&c);
            if (fixed && fd >= 0) {
                if (wl_host_map(fd, &(wl_host_block){.address = fixed, .bytes = bytes})) return 0;
                args[i] = fixed;
                continue;
            }
            void *m = e || fd < 0 ? NULL : place_buffer(i, bytes, fd);
            if (fd >= 0) close(fd);
            if (!m) {
                w_cudart_no_host_buffer(NULL, (long long)bytes);
                return 0;
            }
            args[i] = WL_U64(m);
        }
    return more;
}
