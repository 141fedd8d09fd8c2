/* Turns copies and memsets of every shape into one message each: wire_copy, wire_fill (protocol.h).
 *
 * Only ordinary (pageable) memory of the program is out of the server's reach. Small copies of it
 * are part of the message. Larger ones go through the window, a shared memory that both sides map,
 * piece by piece, while the lock is held. */
#include "runner/device/cudart/client.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t *window; /* under the connection's lock */

/* ---- the two sides */

static bool seen_by_device(const void *p) {
    return wl_device_range(p) || wl_host_find(p, NULL);
}

static void classify(wire_place *p) {
    if (p->at != WIRE_AT_ARRAY)
        p->at = seen_by_device(WL_HANDLE(void *, p->address)) ? WIRE_AT_POINTER : WIRE_AT_PAGEABLE;
}

/* The runtime's checks of the kind since addresses are unified: a side that is called the device's
 * must be one that the device can reach. */
cudaError_t wl_copy_check(wire_copy *w) {
    classify(&w->to), classify(&w->from);
    bool to_seen = w->to.at != WIRE_AT_PAGEABLE, from_seen = w->from.at != WIRE_AT_PAGEABLE;
    switch (w->kind) {
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault: return cudaSuccess;
    case cudaMemcpyHostToDevice: return to_seen ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToHost: return from_seen ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToDevice:
        return to_seen && from_seen ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaErrorInvalidMemcpyDirection;
    }
}

/* Returns byte `offset` of the copied bytes, counted row by row, at a pageable place; *run: how
 * many follow it in the row. */
static uint8_t *at_offset(const wire_place *p, const wire_copy *w, uint64_t offset, uint64_t *run) {
    uint64_t row = offset / w->width, x = offset % w->width;
    *run = w->width - x;
    return WL_HANDLE(uint8_t *, p->address) +
           ((p->z + row / w->height) * p->rows + p->y + row % w->height) * p->pitch + p->x + x;
}

static void copy_gather(uint8_t *to, const wire_copy *w, uint64_t offset, uint64_t n) {
    while (n) {
        uint64_t run;
        const uint8_t *from = at_offset(&w->from, w, offset, &run);
        if (run > n) run = n;
        memcpy(to, from, run);
        to += run, offset += run, n -= run;
    }
}
static void copy_scatter(const uint8_t *from, const wire_copy *w, uint64_t offset, uint64_t n) {
    while (n) {
        uint64_t run;
        uint8_t *to = at_offset(&w->to, w, offset, &run);
        if (run > n) run = n;
        memcpy(to, from, run);
        from += run, offset += run, n -= run;
    }
}

/* ---- a copy */

static cudaError_t open_window(wl_call *c) {
    if (window) return cudaSuccess;
    WL_AGAIN(c, Window, 0);
    cudaError_t e = wl_send(c);
    if (e) return e;
    void *m = c->fd < 0
                  ? MAP_FAILED
                  : mmap(NULL, WIRE_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    if (m == MAP_FAILED) return cudaErrorMemoryAllocation;
    window = m;
    return cudaSuccess;
}

/* Makes rows without gaps into one row: fewer, larger pieces. */
static void flatten(wire_copy *w) {
    if (w->height == 1 && w->depth > 1 && w->to.at != WIRE_AT_ARRAY &&
        w->from.at != WIRE_AT_ARRAY && w->to.rows == 1 && w->from.rows == 1)
        w->height = w->depth, w->depth = 1, w->to.rows = w->from.rows = w->height;
    if (w->depth == 1 && w->height > 1 && w->to.at != WIRE_AT_ARRAY &&
        w->from.at != WIRE_AT_ARRAY && w->to.pitch == w->width && w->from.pitch == w->width &&
        !w->to.x && !w->from.x) {
        wire_place *p[2] = {&w->to, &w->from};
        for (int i = 0; i < 2; i++) {
            p[i]->address += (p[i]->z * p[i]->rows + p[i]->y) * p[i]->pitch;
            p[i]->y = p[i]->z = 0;
        }
        w->width *= w->height, w->height = 1;
        w->to.pitch = w->from.pitch = w->width;
        w->to.rows = w->from.rows = 1;
    }
}

static cudaError_t copy(wire_copy *w, bool async, cudaStream_t stream, unsigned flags) {
    cudaError_t e = wl_connect();
    if (!e) e = wl_copy_check(w);
    if (e) return wl_result(e);
    w->async = async;
    w->caller = wl_self()->copied_from ? wl_self()->copied_from - 1 - wl_program_base() : 0;
    wl_self()->copied_from = 0;
    flatten(w);
    uint64_t total = w->width * w->height * w->depth;
    bool give = w->from.at == WIRE_AT_PAGEABLE, take = w->to.at == WIRE_AT_PAGEABLE;
    uint8_t small[WIRE_INLINE_BYTES];
    wl_call c;
    struct wire_in_Copy *in = WL_BEGIN(&c, Copy, flags);
    in->stream = WL_U64(stream);
    wl_span(&c, w, sizeof *w);
    bool inlined = give && !take && total <= WIRE_INLINE_BYTES && !c.error;
    if (inlined) copy_gather(small, w, 0, total);
    wl_span(&c, small, inlined ? total : 0);
    e = wl_send(&c);
    bool stage = !e && WL_OUT(&c, Copy)->stage;
    if (!e && take && !give && c.spans && c.span_bytes[0] == total)
        copy_scatter(c.span[0], w, 0, total);
    /* the server has waited for the stream; both sides belong to the program */
    if (stage && give && take) {
        for (uint64_t at = 0, run; at < total; at += run) {
            const uint8_t *from = at_offset(&w->from, w, at, &run);
            uint64_t run_to;
            uint8_t *to = at_offset(&w->to, w, at, &run_to);
            if (run_to < run) run = run_to;
            memmove(to, from, run);
        }
        stage = false;
    }
    if (stage) e = open_window(&c);
    for (uint64_t at = 0, n; stage && !e && at < total; at += n) {
        n = total - at < WIRE_WINDOW_BYTES ? total - at : WIRE_WINDOW_BYTES;
        if (give) copy_gather(window, w, at, n);
        struct wire_in_CopyData *d = WL_AGAIN(&c, CopyData, 0);
        d->offset = at, d->bytes = n;
        e = wl_send(&c);
        if (!e && take) copy_scatter(window, w, at, n);
    }
    wl_end(&c);
    return wl_result(e);
}

/* ---- shapes */

static wire_place place(const void *p, size_t pitch, size_t rows) {
    return (wire_place){.at = WIRE_AT_POINTER,
                        .device = -1,
                        .address = WL_U64(p),
                        .pitch = pitch,
                        .rows = rows ? rows : 1};
}
static wire_place array_place(cudaArray_t a, size_t x, size_t y, size_t z) {
    return (wire_place){
        .at = WIRE_AT_ARRAY, .device = -1, .address = WL_U64(a), .x = x, .y = y, .z = z};
}
static wire_copy make(wire_place to, wire_place from, size_t w, size_t h, size_t d, int kind) {
    return (wire_copy){
        .to = to, .from = from, .width = w, .height = h, .depth = d, .kind = (uint32_t)kind};
}

cudaError_t wl_copy_linear(void *dst, const void *src, size_t n, int kind, wire_copy *w) {
    *w = make(place(dst, n, 1), place(src, n, 1), n, 1, 1, kind);
    return n && (!dst || !src) ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t linear(void *dst, const void *src, size_t n, int kind, bool async,
                          cudaStream_t stream, unsigned flags) {
    wire_copy w;
    if (!n) return wl_result(wl_connect());
    if (kind < 0 || kind > 4) return wl_result(cudaErrorInvalidMemcpyDirection);
    cudaError_t e = wl_copy_linear(dst, src, n, kind, &w);
    return e ? wl_result(e) : copy(&w, async, stream, flags);
}

static bool short_pitch(const wire_place *p, size_t width, bool single) {
    return width > p->pitch && !(single && !p->pitch);
}

static cudaError_t flat_2d(wire_place to, wire_place from, size_t w, size_t h, int kind, bool async,
                           cudaStream_t stream, unsigned flags) {
    if (kind < 0 || kind > 4) return wl_result(cudaErrorInvalidMemcpyDirection);
    if (!w || !h) return wl_result(wl_connect());
    /* For a single row, a pitch of 0 counts as none, and a short one is an invalid value (measured
     * on an H100). */
    bool single = h == 1;
    if ((to.at != WIRE_AT_ARRAY && (!to.address || short_pitch(&to, w, single))) ||
        (from.at != WIRE_AT_ARRAY && (!from.address || short_pitch(&from, w, single))))
        return wl_result(to.address && from.address && !single ? cudaErrorInvalidPitchValue
                                                               : cudaErrorInvalidValue);
    wire_copy c = make(to, from, w, h, 1, kind);
    return copy(&c, async, stream, flags);
}

/* Checks that the copied part is within the rows and slices that the pointer is said to have. Which
 * error is returned was measured on an H200 and an H100, CUDA 13.0. */
static cudaError_t fits_3d(const wire_copy *w, const wire_place *p, unsigned element) {
    if (p->at == WIRE_AT_ARRAY) return cudaSuccess;
    if (w->width > p->pitch && (w->height > 1 || w->depth > 1))
        return element > 1 ? cudaErrorInvalidValue : cudaErrorInvalidPitchValue;
    if (p->x && p->x + w->width > p->pitch) return cudaErrorInvalidValue;
    if (w->depth > 1 && w->height > p->rows) return cudaErrorInvalidPitchValue;
    return p->y && p->y + w->height > p->rows ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t wl_copy_3d(const struct cudaMemcpy3DParms *p, wire_copy *w) {
    unsigned element = 1;
    wl_array a;
    if (!p || (p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    if ((!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray) {
        cudaError_t e = wl_array_info(p->srcArray ? p->srcArray : p->dstArray, &a);
        if (e) return e;
        element = a.element;
    }
    /* If an array takes part, positions and the extent count elements, otherwise bytes. This
     * includes those of other memory, for which the documentation says bytes (measured on an H100,
     * CUDA 13.0). */
    wire_place to = p->dstArray ? array_place(p->dstArray, 0, 0, 0)
                                : place(p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize);
    wire_place from = p->srcArray ? array_place(p->srcArray, 0, 0, 0)
                                  : place(p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize);
    to.x = p->dstPos.x * element, to.y = p->dstPos.y, to.z = p->dstPos.z;
    from.x = p->srcPos.x * element, from.y = p->srcPos.y, from.z = p->srcPos.z;
    *w = make(to, from, p->extent.width * element, p->extent.height, p->extent.depth, p->kind);
    cudaError_t e = fits_3d(w, &to, element);
    if (!e) e = fits_3d(w, &from, element);
    if (e) return e;
    return p->kind < 0 || p->kind > 4 ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

static cudaError_t volume(const struct cudaMemcpy3DParms *p, bool async, cudaStream_t stream,
                          unsigned flags) {
    wire_copy w;
    cudaError_t e = wl_copy_3d(p, &w);
    if (e) return wl_result(e);
    return w.width && w.height && w.depth ? copy(&w, async, stream, flags)
                                          : wl_result(wl_connect());
}

static cudaError_t volume_peer(const struct cudaMemcpy3DPeerParms *p, bool async,
                               cudaStream_t stream, unsigned flags) {
    wire_copy w;
    if (!p) return wl_result(cudaErrorInvalidValue);
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    cudaError_t e = wl_copy_3d(&q, &w);
    if (e) return wl_result(e);
    w.from.device = p->srcDevice, w.to.device = p->dstDevice;
    return w.width && w.height && w.depth ? copy(&w, async, stream, flags)
                                          : wl_result(wl_connect());
}

/* count bytes in reading order of an array's rows: the rest of a row, whole rows, the start of a
 * row */
static cudaError_t array_linear(cudaArray_t a, size_t x, size_t y, void *mem, size_t count,
                                bool to_array, int kind, bool async, cudaStream_t stream,
                                unsigned flags) {
    wl_array i;
    cudaError_t e = wl_array_info(a, &i);
    if (e) return wl_result(e);
    size_t row = i.extent.width * i.element, done = 0;
    if (!row || x >= row) return wl_result(cudaErrorInvalidValue);
    while (!e && done < count) {
        size_t left = count - done, w = x || left < row ? (left < row - x ? left : row - x) : row,
               h = w == row ? left / row : 1;
        wire_place m = place((char *)mem + done, w, h), p = array_place(a, x, y, 0);
        e = to_array ? flat_2d(p, m, w, h, kind, async, stream, flags)
                     : flat_2d(m, p, w, h, kind, async, stream, flags);
        done += w * h, y += h, x = 0;
    }
    return wl_result(e);
}

/* ---- symbols */

static cudaError_t symbol_copy(const void *symbol, void *mem, size_t n, size_t offset,
                               bool to_symbol, int kind, bool async, cudaStream_t stream,
                               unsigned flags) {
    uint64_t at, bytes;
    cudaError_t e = wl_symbol(symbol, &at, &bytes);
    if (e) return wl_result(e);
    if (offset > bytes || n > bytes - offset) return wl_result(cudaErrorInvalidValue);
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost)
        return wl_result(cudaErrorInvalidMemcpyDirection);
    void *s = WL_HANDLE(void *, at + offset);
    return to_symbol ? linear(s, mem, n, kind, async, stream, flags)
                     : linear(mem, s, n, kind, async, stream, flags);
}

/* ---- memset */

cudaError_t wl_fill_describe(void *dst, size_t pitch, unsigned value, unsigned element,
                             size_t width, size_t height, wire_fill *f) {
    *f = (wire_fill){.to = place(dst, height > 1 ? pitch : width * element, height),
                     .width = width * element,
                     .height = height,
                     .depth = 1,
                     .value = value,
                     .element = element};
    if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
    if (height > 1 && width * element > pitch) return cudaErrorInvalidValue;
    return seen_by_device(dst) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t fill(wire_fill *f, bool async, cudaStream_t stream, unsigned flags) {
    cudaError_t e = wl_connect();
    if (e || !f->width || !f->height || !f->depth) return wl_result(e);
    if (!seen_by_device(WL_HANDLE(void *, f->to.address))) return wl_result(cudaErrorInvalidValue);
    f->async = async;
    wl_call c;
    struct wire_in_Fill *in = WL_BEGIN(&c, Fill, flags);
    in->stream = WL_U64(stream);
    wl_span(&c, f, sizeof *f);
    e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
static cudaError_t fill_2d(void *p, size_t pitch, int value, size_t w, size_t h, bool async,
                           cudaStream_t stream, unsigned flags) {
    wire_fill f = {.to = place(p, pitch, h),
                   .width = w,
                   .height = h,
                   .depth = 1,
                   .value = (uint8_t)value,
                   .element = 1};
    if (h > 1 && w > pitch) return wl_result(cudaErrorInvalidValue);
    return fill(&f, async, stream, flags);
}
static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent x, bool async,
                           cudaStream_t stream, unsigned flags) {
    wire_fill f = {.to = place(p.ptr, p.pitch, p.ysize),
                   .width = x.width,
                   .height = x.height,
                   .depth = x.depth,
                   .value = (uint8_t)value,
                   .element = 1};
    if ((x.height > 1 || x.depth > 1) && x.width > p.pitch) return wl_result(cudaErrorInvalidValue);
    return fill(&f, async, stream, flags);
}

/* ---- entry points. Each is blocking (with per-thread streams: _ptds) and asynchronous (_ptsz). */

#define DEFINE(name, args, call)                                                                   \
    WL_EXPORT cudaError_t name args;                                                               \
    cudaError_t name args {                                                                        \
        return call;                                                                               \
    }
#define PLAIN(...) (__VA_ARGS__)
#define FROM_HERE  wl_self()->copied_from = WL_U64(__builtin_return_address(0))
#define ASYNC(...) (__VA_ARGS__, cudaStream_t stream)
#define BLOCKING(name, params, helper, ...)                                                        \
    DEFINE(name, PLAIN params, helper(__VA_ARGS__, false, NULL, 0))                                \
    DEFINE(name##_ptds, PLAIN params, helper(__VA_ARGS__, false, NULL, WIRE_F_PER_THREAD))
#define BOTH(name, params, helper, ...)                                                            \
    BLOCKING(name, params, helper, __VA_ARGS__)                                                    \
    DEFINE(name##Async, ASYNC params, (FROM_HERE, helper(__VA_ARGS__, true, stream, 0)))           \
    DEFINE(name##Async_ptsz, ASYNC params,                                                         \
           (FROM_HERE, helper(__VA_ARGS__, true, stream, WIRE_F_PER_THREAD)))

BOTH(cudaMemcpy, (void *dst, const void *src, size_t n, int kind), linear, dst, src, n, kind)
BOTH(cudaMemcpy2D,
     (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, int kind),
     flat_2d, place(dst, dpitch, h), place(src, spitch, h), w, h, kind)
BOTH(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), volume, p)
BOTH(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), volume_peer, p)
BOTH(cudaMemcpy2DToArray,
     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t w, size_t h,
      int kind),
     flat_2d, array_place(dst, x, y, 0), place(src, spitch, h), w, h, kind)
BOTH(cudaMemcpy2DFromArray,
     (void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t w, size_t h, int kind),
     flat_2d, place(dst, dpitch, h), array_place(src, x, y, 0), w, h, kind)
BLOCKING(cudaMemcpy2DArrayToArray,
         (cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t w,
          size_t h, int kind),
         flat_2d, array_place(dst, dx, dy, 0), array_place(src, sx, sy, 0), w, h, kind)
BOTH(cudaMemcpyToArray, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, int kind),
     array_linear, dst, x, y, (void *)(uintptr_t)src, n, true, kind)
BOTH(cudaMemcpyFromArray, (void *dst, cudaArray_t src, size_t x, size_t y, size_t n, int kind),
     array_linear, src, x, y, dst, n, false, kind)
BOTH(cudaMemcpyToSymbol, (const void *symbol, const void *src, size_t n, size_t offset, int kind),
     symbol_copy, symbol, (void *)(uintptr_t)src, n, offset, true, kind)
BOTH(cudaMemcpyFromSymbol, (void *dst, const void *symbol, size_t n, size_t offset, int kind),
     symbol_copy, symbol, dst, n, offset, false, kind)
BOTH(cudaMemset, (void *p, int value, size_t n), fill_2d, p, n, value, n, 1)
BOTH(cudaMemset2D, (void *p, size_t pitch, int value, size_t w, size_t h), fill_2d, p, pitch, value,
     w, h)
BOTH(cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent x), fill_3d, p, value, x)

static cudaError_t peer(void *dst, int to, const void *src, int from, size_t n, bool async,
                        cudaStream_t stream) {
    wire_copy w;
    if (!n) return wl_result(wl_connect());
    cudaError_t e = wl_copy_linear(dst, src, n, cudaMemcpyDefault, &w);
    if (!e && (to < 0 || from < 0 || to >= (int)wl_devices() || from >= (int)wl_devices()))
        e = cudaErrorInvalidDevice;
    w.to.device = to, w.from.device = from;
    return e ? wl_result(e) : copy(&w, async, stream, 0);
}
DEFINE(cudaMemcpyPeer, (void *dst, int to, const void *src, int from, size_t n),
       peer(dst, to, src, from, n, false, NULL))
DEFINE(cudaMemcpyPeerAsync,
       (void *dst, int to, const void *src, int from, size_t n, cudaStream_t stream),
       peer(dst, to, src, from, n, true, stream))

cudaError_t wl_fill(void *p, size_t pitch, unsigned value, unsigned element, size_t width,
                    size_t height, bool async, cudaStream_t s) {
    wire_fill f;
    cudaError_t e = wl_fill_describe(p, pitch, value, element, width, height, &f);
    return e ? wl_result(e) : fill(&f, async, s, 0);
}
