/* The connection: one socket, one lock, outgoing messages and replies, threads, fork, and host
 * functions that are run for the server.
 *
 *   wl_begin  takes the lock, puts head and in-scalars into wl.out
 *   wl_span   adds bytes after them
 *   wl_send   writes; unless posted: reads the reply into wl.in and prints the device's output;
 *             repeats while the server says so
 *   wl_end    releases the lock */
#include "runner/device/cudart/client.h"
#include "words/cudart.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    int fd;
    cudaError_t dead; /* every call fails with this */
    volatile int forked;
    unsigned devices;
    uint64_t low, high;
    cudaError_t broken[16];
    bool capturing, simulated;
    /* the program's own code has run since the library last reported the pages that it used */
    bool ran;
    bool held_changed; /* a reply had WIRE_F_HELD */
    /* service */
    bool service_started, service_wanted;
    uint64_t served;
    pthread_cond_t service_wake, service_done;
    /* the message being built */
    size_t used;
    bool too_big;
    uint64_t *lens_at;
    unsigned spans;
    uint64_t out[WIRE_MAX_BYTES / 8], in[WIRE_MAX_BYTES / 8];
} wl = {.lock = PTHREAD_MUTEX_INITIALIZER,
        .once = PTHREAD_ONCE_INIT,
        .fd = -1,
        .service_wake = PTHREAD_COND_INITIALIZER,
        .service_done = PTHREAD_COND_INITIALIZER};

const char *wl_number(char *buf, size_t n, long long number) {
    snprintf(buf, n, "%lld", number);
    return buf;
}

void wl_say(bool *once, const wl_text *texts, const char *const *args) {
    const char *lang = getenv("WARPLAB_LANG"), *s = texts->text;
    char line[1200];
    size_t n = 0;
    if (once && __atomic_exchange_n(once, true, __ATOMIC_RELAXED)) return;
    for (; lang && texts->lang; texts++)
        if (!strncmp(lang, texts->lang, strlen(texts->lang))) s = texts->text;
    for (; *s && n < sizeof line; s++) {
        bool place = *s >= 1 && *s <= WL_ARGS;
        n += (size_t)snprintf(line + n, sizeof line - n, "%.*s", place ? (int)sizeof line : 1,
                              place ? args[*s - 1] : s);
    }
    fprintf(stderr, "warplab: %s\n", line);
}

/* ---- the socket */

static bool write_all(const void *data, size_t n) {
    const char *p = data;
    while (n) {
        ssize_t k = send(wl.fd, p, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k, n -= (size_t)k;
    }
    return true;
}

/* Reads n bytes; *fd gets a descriptor that comes with them. */
static bool read_all(void *data, size_t n, int *fd) {
    char *p = data;
    while (n) {
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec io = {p, n};
        struct msghdr m = {.msg_iov = &io,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
        ssize_t k = recvmsg(wl.fd, &m, MSG_CMSG_CLOEXEC);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h))
            if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS)
                memcpy(fd, CMSG_DATA(h), sizeof *fd);
        p += k, n -= (size_t)k;
    }
    return true;
}

static cudaError_t lost(void) {
    if (!wl.dead) w_cudart_connection_closed(NULL);
    wl.dead = cudaErrorDevicesUnavailable;
    return wl.dead;
}

/* ---- messages */

static void message_start(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs,
                          unsigned flags) {
    wire_head *h = (wire_head *)wl.out;
    wl_thread *t = wl_self();
    memset(c, 0, sizeof *c);
    c->fd = -1;
    c->out_expected = outs;
    memset(wl.out, 0, sizeof *h + 8u * scalars + 8u * ((spans + 1) / 2));
    h->op = (uint16_t)op;
    h->scalars = (uint8_t)scalars;
    h->spans = (uint8_t)spans;
    h->thread = (uint16_t)t->number;
    h->device = (uint16_t)t->device;
    h->flags = flags | (t->capture_mode == cudaStreamCaptureModeRelaxed ? WIRE_F_RELAXED : 0);
    c->in = wl.out + sizeof *h / 8;
    wl.lens_at = wl.out + sizeof *h / 8 + scalars;
    wl.used = sizeof *h + 8u * scalars + 8u * ((spans + 1) / 2);
    wl.spans = 0;
    wl.too_big = false;
}

void *wl_begin(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs,
               unsigned flags) {
    wl_clock_enter();
    cudaError_t e = wl_connect();
    if (e) {
        memset(c, 0, sizeof *c);
        c->error = e;
        c->fd = -1;
        /* receives the in-scalars of a call that cannot be made */
        static __thread uint64_t scratch[WIRE_MAX_SCALARS];
        return c->in = scratch;
    }
    wl_turn_lock(&wl.lock);
    wl_turn_take(&wl.lock);
    if (wl.ran && op != WIRE_OP_HostReady) {
        wl.ran = false;
        wl_touched_say();
    }
    message_start(c, op, scalars, spans, outs, flags);
    return c->in;
}

void *wl_begin_locked(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs) {
    message_start(c, op, scalars, spans, outs, 0);
    return c->in;
}
bool wl_connected(void) {
    return wl.fd >= 0 && !wl.forked && !wl.dead;
}
bool wl_lock_connected(void) {
    if (!wl_connected()) return false;
    wl_turn_lock(&wl.lock);
    return true;
}
bool wl_lock_threads(void) {
    if (wl.forked) return false;
    wl_turn_lock(&wl.lock);
    return true;
}
void wl_unlock(void) {
    pthread_mutex_unlock(&wl.lock);
}

void *wl_again(wl_call *c, wire_op op, unsigned scalars, unsigned spans, unsigned outs,
               unsigned flags) {
    if (!c->error) message_start(c, op, scalars, spans, outs, flags);
    return c->in;
}

void wl_span(wl_call *c, const void *data, size_t bytes) {
    if (c->error) return;
    if (bytes > WIRE_MAX_BYTES - wl.used - 8) {
        wl.too_big = true;
        return;
    }
    ((wire_length *)wl.lens_at)[wl.spans++] = (uint32_t)bytes;
    if (bytes) memcpy((char *)wl.out + wl.used, data, bytes);
    size_t pad = -bytes & 7;
    memset((char *)wl.out + wl.used + bytes, 0, pad);
    wl.used += bytes + pad;
}

/* Parses a reply by the rule of protocol.h. */
static bool parse_reply(wl_call *c, cudaError_t *error) {
    const wire_head *h = (const wire_head *)wl.in;
    const uint64_t *at = wl.in + sizeof *h / 8;
    size_t used = sizeof *h + 8u * h->scalars + 8u * ((h->spans + 1u) / 2);
    if (used > h->bytes || h->scalars < 1 || h->spans > WIRE_MAX_SPANS) return false;
    *error = (cudaError_t)at[0];
    c->out = at + 1;
    c->flags = h->flags;
    if (!*error && h->scalars < 1 + c->out_expected) return false;
    if (h->flags & WIRE_F_DEFERRED) wl_self()->last = (cudaError_t)at[h->scalars - 1];
    const wire_length *lens = (const wire_length *)(at + h->scalars);
    unsigned n = 0;
    for (unsigned i = 0; i < h->spans; i++) {
        if (lens[i] > h->bytes - used) return false;
        c->span[n] = (const uint8_t *)wl.in + used;
        c->span_bytes[n++] = lens[i];
        used += (lens[i] + 7u) & ~7u;
        if (used > h->bytes) return false;
    }
    if (h->flags & WIRE_F_NOTE && n)
        fprintf(stderr, "warplab: %.*s\n", (int)c->span_bytes[n - 1], (const char *)c->span[n - 1]),
            n--;
    if (h->flags & WIRE_F_PRINT && n) fwrite(c->span[n - 1], 1, c->span_bytes[n - 1], stdout), n--;
    c->spans = n;
    return true;
}

static void want_service(void);

static cudaError_t exchange(wl_call *c, size_t bytes) {
    wire_head *in = (wire_head *)wl.in;
    uint16_t op = ((wire_head *)wl.out)->op;
    cudaError_t e = cudaSuccess;
    if (wl.dead) return wl.dead;
    if (!write_all(wl.out, bytes)) return lost();
    if (c->mode == WIRE_POST) return cudaSuccess;
    wl.ran = true; /* the program's code continues when the reply is here */
    if (!read_all(in, sizeof *in, &c->fd)) return lost();
    if (in->bytes < sizeof *in || in->bytes > WIRE_MAX_BYTES || in->op != op) return lost();
    if (!read_all(in + 1, in->bytes - sizeof *in, &c->fd)) return lost();
    if (!parse_reply(c, &e)) return lost();
    __atomic_store_n(&wl.capturing, (c->flags & WIRE_F_CAPTURE) != 0, __ATOMIC_RELAXED);
    wl_touched_guard(c->flags & WIRE_F_IN_USE,
                     op == WIRE_OP_LaunchWait || op == WIRE_OP_cudaGraphLaunch);
    wl.held_changed |= (c->flags & WIRE_F_HELD) != 0;
    if (c->flags & WIRE_F_SERVICE) want_service();
    if (c->flags & WIRE_F_BROKEN && in->device < 16)
        __atomic_store_n(&wl.broken[in->device], e, __ATOMIC_RELAXED);
    return e;
}

static const uint8_t modes[WIRE_OP_COUNT] = {
#define CALL(name, mode, doc, ...)   [WIRE_OP_##name] = WIRE_##mode,
#define CALL_S(name, mode, doc, ...) [WIRE_OP_##name] = WIRE_##mode,
#define MSG(name, mode, doc, ...)    [WIRE_OP_##name] = WIRE_##mode,
#include "runner/device/cudart/calls.def"
#undef CALL
#undef CALL_S
#undef MSG
};

cudaError_t wl_send(wl_call *c) {
    if (c->error) return c->error;
    wire_head *h = (wire_head *)wl.out;
    if (wl.too_big || wl.spans != h->spans) return cudaErrorInvalidValue;
    size_t bytes = wl.used;
    h->bytes = (uint32_t)bytes;
    c->mode = (wire_mode)modes[h->op];
    cudaError_t e = exchange(c, bytes);
    if (!(c->flags & WIRE_F_AGAIN) || wl.dead) return e;
    /* A host function must run first. Others may use the buffers meanwhile, so the message is
     * kept. */
    void *copy = malloc(bytes);
    if (!copy) return cudaErrorMemoryAllocation;
    memcpy(copy, wl.out, bytes);
    while (c->flags & WIRE_F_AGAIN && !wl.dead) {
        uint64_t seen = wl.served;
        while (wl.served == seen && !wl.dead) pthread_cond_wait(&wl.service_done, &wl.lock);
        memcpy(wl.out, copy, bytes);
        e = exchange(c, bytes);
    }
    free(copy);
    return e;
}

void wl_end(wl_call *c) {
    if (!c->error) {
        if (wl.held_changed) wl_held_ask(); /* before the program's code goes on */
        wl.held_changed = false;
        wl_turn_end();
        pthread_mutex_unlock(&wl.lock);
    }
    wl_clock_leave();
}

/* ---- host functions: a thread of our own asks the server for the next one, runs it, and reports
 * it */

static void *serve(void *unused) {
    (void)unused;
    wl_thread *t = wl_self();
    uint64_t done = 0;
    void *data = NULL;
    size_t data_bytes = 0;
    for (;;) {
        wl_call c;
        pthread_mutex_lock(&wl.lock);
        while (!wl.service_wanted && !done) pthread_cond_wait(&wl.service_wake, &wl.lock);
        wl.service_wanted = false;
        message_start(&c, WIRE_OP_Service, sizeof(struct wire_in_Service) / 8, 1,
                      sizeof(struct wire_out_Service) / 8, 0);
        ((struct wire_in_Service *)c.in)->done = done;
        wl_span(&c, data, data_bytes);
        cudaError_t e = wl_send(&c);
        struct wire_out_Service o = {0};
        if (!e) o = *WL_OUT(&c, Service);
        if (done) {
            wl.served++;
            pthread_cond_broadcast(&wl.service_done);
        }
        free(data);
        data = NULL, data_bytes = 0, done = e ? 0 : o.id;
        if (!e && o.what == WIRE_SERVE_WRITE && c.spans)
            memcpy(WL_HANDLE(void *, o.data), c.span[0], c.span_bytes[0]);
        bool over = wl.dead;
        if (over) pthread_cond_broadcast(&wl.service_done);
        pthread_mutex_unlock(&wl.lock);
        if (over) return NULL;
        if (e || o.what == WIRE_SERVE_NOTHING) {
            done = 0;
            continue;
        }
        t->in_service = true;
        if (o.what == WIRE_SERVE_FUNCTION)
            ((cudaHostFn_t)(uintptr_t)o.fn)(WL_HANDLE(void *, o.data));
        if (o.what == WIRE_SERVE_CALLBACK)
            ((cudaStreamCallback_t)(uintptr_t)o.fn)(WL_HANDLE(cudaStream_t, o.stream),
                                                    (cudaError_t)o.status,
                                                    WL_HANDLE(void *, o.data));
        t->in_service = false;
        if (o.what == WIRE_SERVE_READ && o.fn <= WIRE_MAX_BYTES / 2 && (data = malloc(o.fn + 1))) {
            memcpy(data, WL_HANDLE(const void *, o.data), o.fn);
            data_bytes = o.fn;
        }
    }
}

/* Under the lock. */
static void want_service(void) {
    wl.service_wanted = true;
    if (!wl.service_started) wl.service_started = !wl_thread_start(serve);
    pthread_cond_signal(&wl.service_wake);
}

/* ---- connecting */

static void after_fork(void) {
    wl.forked = 1;
    if (wl.fd >= 0) close(wl.fd); /* otherwise the server would not notice the parent's end */
}

static void connect_once(void) {
    const char *s = getenv("WARPLAB_FD");
    char *end;
    long fd = s ? strtol(s, &end, 10) : -1;
    int kind;
    socklen_t n = sizeof kind;
    wl.dead = cudaErrorNoDevice;
    if (!s || end == s || *end || fd < 0 || fd > 1 << 20 ||
        getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &kind, &n) || kind != SOCK_STREAM) {
        if (s) w_cudart_no_connection(NULL, s);
        else w_cudart_run_it_with(NULL);
        return;
    }
    wl.fd = (int)fd;
    fcntl(wl.fd, F_SETFD, FD_CLOEXEC);
    pthread_atfork(NULL, NULL, after_fork);
    wl.dead = cudaSuccess;
    pthread_mutex_lock(&wl.lock);
    wl_call c;
    message_start(&c, WIRE_OP_Hello, sizeof(struct wire_in_Hello) / 8, 0,
                  sizeof(struct wire_out_Hello) / 8, 0);
    struct wire_in_Hello *in = c.in;
    in->version = WIRE_VERSION;
    in->pid = (uint64_t)getpid();
    in->base = wl_program_base();
    cudaError_t e = wl_send(&c);
    if (e) {
        if (!wl.dead) wl.dead = e;
    } else {
        const struct wire_out_Hello *o = WL_OUT(&c, Hello);
        wl.devices = (unsigned)o->devices;
        wl.low = o->low, wl.high = o->high;
        __atomic_store_n(&wl.simulated, o->simulated != 0, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&wl.lock);
    if (c.fd < 0) return;
    void *page = e ? MAP_FAILED
                   : mmap(NULL, sizeof(wire_control), PROT_READ | PROT_WRITE, MAP_SHARED, c.fd, 0);
    close(c.fd);
    if (page != MAP_FAILED) wl_fault_install(page, wl.low, wl.high);
}

cudaError_t wl_connect(void) {
    static bool told_fork, told_service;
    if (wl.forked) {
        w_cudart_after_fork(&told_fork);
        return cudaErrorInitializationError;
    }
    if (wl_in_service()) {
        w_cudart_in_host_function(&told_service);
        return cudaErrorNotPermitted;
    }
    pthread_once(&wl.once, connect_once);
    return __atomic_load_n(&wl.dead, __ATOMIC_RELAXED);
}

unsigned wl_devices(void) {
    return wl_connect() ? 0 : wl.devices;
}

bool wl_simulated(void) {
    return __atomic_load_n(&wl.simulated, __ATOMIC_RELAXED) && !wl.forked && !wl.dead;
}

bool wl_capturing(void) {
    return __atomic_load_n(&wl.capturing, __ATOMIC_RELAXED);
}

cudaError_t wl_broken(int device) {
    return device < 16 ? __atomic_load_n(&wl.broken[device], __ATOMIC_RELAXED) : cudaSuccess;
}

/* Variables of a module on a GPU are where its driver put them. The list only grows; readers need
 * no lock. */
typedef struct module_variables {
    uint64_t base, bytes;
    struct module_variables *next;
} module_variables;
static module_variables *outside;

void wl_device_add(uint64_t base, uint64_t bytes) {
    if (base >= wl.low && base < wl.high) return;
    for (module_variables *v = __atomic_load_n(&outside, __ATOMIC_ACQUIRE); v; v = v->next)
        if (v->base == base && v->bytes == bytes) return;
    module_variables *v = malloc(sizeof *v);
    if (!v) return;
    *v = (module_variables){base, bytes, __atomic_load_n(&outside, __ATOMIC_ACQUIRE)};
    while (!__atomic_compare_exchange_n(&outside, &v->next, v, false, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE)) {
    }
}

bool wl_device_range(const void *p) {
    if (WL_U64(p) >= wl.low && WL_U64(p) < wl.high) return true;
    for (const module_variables *v = __atomic_load_n(&outside, __ATOMIC_ACQUIRE); v; v = v->next)
        if (WL_U64(p) - v->base < v->bytes) return true;
    return false;
}
