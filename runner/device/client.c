/* A client's life: its socket, its messages, the calls that a lab's glue waits for.
 *
 *   recv --> c->in --a whole message: lengths, the row of calls.def--> dispatch.c --> reply --> send
 *
 * A bad message ends this client with one line. The time a client may take is the caller's:
 * dev_client_run() comes back at its deadline, and the watchdog ends a launch that is still running
 * then. */
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/device/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- the watchdog: a thread that raises c->stop when the deadline passes or the session is cancelled while
 * a launch runs */

struct dev_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit, active;
    double deadline;
    const volatile int *cancel;
    volatile int *stop;
};

static void *watch(void *arg) {
    struct dev_watch *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        if (!w->active) {
            pthread_cond_wait(&w->wake, &w->lock);
            continue;
        }
        if (lib_now() >= w->deadline || (w->cancel && *w->cancel))
            __atomic_store_n(w->stop, 1, __ATOMIC_RELAXED);
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_nsec += 20000000;
        if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&w->wake, &w->lock, &t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* While dev_client_run() is in: a deadline; outside: 0. */
void dev_watch_start(dev_client *c, double deadline) {
    struct dev_watch *w = c->watch;
    if (!w) {
        pthread_condattr_t a;
        if (!deadline || !(w = calloc(1, sizeof *w))) return;
        pthread_condattr_init(&a);
        pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
        pthread_cond_init(&w->wake, &a);
        pthread_condattr_destroy(&a);
        pthread_mutex_init(&w->lock, NULL);
        w->cancel = c->s->opt.cancel;
        w->stop = &c->stop;
        if (pthread_create(&w->thread, NULL, watch, w)) {
            free(w);
            return;
        }
        c->watch = w;
    }
    pthread_mutex_lock(&w->lock);
    w->deadline = deadline;
    w->active = deadline > 0;
    if (w->active) pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

void dev_watch_move(dev_client *c, double deadline) {
    struct dev_watch *w = c->watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->deadline = deadline;
    pthread_mutex_unlock(&w->lock);
}

void dev_watch_free(dev_client *c) {
    struct dev_watch *w = c->watch;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    free(w);
    c->watch = NULL;
}

/* ---- life */

dev_client *dev_client_new(dev_session *s, int fd, lib_message *msg) {
    dev_client *c = calloc(1, sizeof *c);
    int kind = 0;
    socklen_t n = sizeof kind;
    msg->text[0] = 0;
    if (!c || !(c->in = malloc(WIRE_MAX_BYTES)) || !(c->out = malloc(WIRE_MAX_BYTES))) {
        snprintf(msg->text, sizeof msg->text, "out of memory");
        goto fail;
    }
    c->s = s, c->fd = fd, c->control_fd = c->window_fd = -1;
    c->next_stream = 1;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &n) || kind != SOCK_STREAM) {
        snprintf(msg->text, sizeof msg->text, "descriptor %d is not a stream socket", fd);
        goto fail;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (unsigned d = 0; d < s->count; d++) {
        /* CUDA's own defaults */
        c->limit[d][cudaLimitStackSize] = 1024;
        c->limit[d][cudaLimitPrintfFifoSize] = 8650752; /* as an H200's driver says */
        c->limit[d][cudaLimitMallocHeapSize] = 8 << 20;
        c->limit[d][cudaLimitDevRuntimeSyncDepth] = 2;
        c->limit[d][cudaLimitDevRuntimePendingLaunchCount] = 2048;
        c->limit[d][cudaLimitMaxL2FetchGranularity] = 64;
        c->generation[d] = HW(&s->device[d], generation);
        if (!dev_stream_default(c, d)) goto fail;
    }
    return c;
fail:
    if (c) {
        c->fd = -1;
        dev_streams_free(c);
        free(c->in), free(c->out), free(c);
    }
    close(fd);
    return NULL;
}

static void close_socket(dev_client *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    if (c->state != DEV_STATE_CLOSED) {
        c->state = DEV_STATE_CLOSED;
        dev_log_fault(c);
        dev_log_leaks(c);
    }
}

static void buffer_drop(dev_client *c, dev_buffer *b) {
    if (!b->live) return;
    if (b->pinned) {
        for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, b->address);
        dev_mem_remove(c, b->address);
    }
    munmap(b->at, b->map_bytes);
    close(b->fd);
    memset(b, 0, sizeof *b);
}

void dev_client_free(dev_client *c) {
    if (!c) return;
    close_socket(c);
    dev_watch_free(c);
    for (size_t i = 0; i < 64; i++) buffer_drop(c, &c->buffer[i]);
    while (c->services) {
        dev_service *n = c->services->next;
        free(c->services);
        c->services = n;
    }
    dev_log_free(c);
    dev_streams_free(c);
    /* instances and events before graphs: they hold references only */
    for (size_t i = 0; i < c->object_count; i++)
        if (c->objects[i].kind == DEV_EXEC) dev_exec_release(c, c->objects[i].object);
    for (size_t i = 0; i < c->object_count; i++) {
        void *o = c->objects[i].object;
        if (c->objects[i].kind == DEV_GRAPH && !dev_graph_owned(o)) dev_graph_free(c, o);
    }
    for (size_t i = 0; i < c->object_count; i++) {
        void *o = c->objects[i].object;
        switch ((dev_kind)c->objects[i].kind) {
        case DEV_EVENT: dev_mark_release(o); break;
        case DEV_TEXTURE:
        case DEV_SURFACE: dev_texture_free(c, (dev_kind)c->objects[i].kind, o); break;
        case DEV_ARRAY:
        case DEV_POOL: free(o); break;
        default: break;
        }
    }
    for (size_t i = 0; i < c->mem_count; i++) {
        dev_mem *m = &c->mem[i];
        if (m->host) {
            for (unsigned d = 0; m->mapped && d < c->s->count; d++)
                HW(dev_hw(c, d), unmap, m->base);
            if (m->fd) close(m->fd);
            munmap(m->host, m->map_bytes);
        } else if (m->kind <= DEV_MEM_ARRAY) {
            HW(dev_hw(c, m->device), release, m->base);
        }
    }
    for (size_t i = 0; i < c->kernel_count; i++) free(c->kernels[i]);
    for (size_t i = 0; i < c->module_count; i++) dev_module_free(c, c->modules[i]);
    for (size_t i = 0; i < c->string_room; i++) free((void *)(uintptr_t)c->strings[i]);
    if (c->control) munmap(c->control, 4096);
    if (c->window) munmap(c->window, WIRE_WINDOW_BYTES);
    if (c->control_fd >= 0) close(c->control_fd);
    if (c->window_fd >= 0) close(c->window_fd);
    free(c->kernels), free(c->modules), free(c->strings), free(c->objects), free(c->mem),
        free(c->clock), free(c->began), free(c->in), free(c->out);
    free(c);
}

/* ---- messages out */

cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes) {
    if (k->outs >= WIRE_MAX_SPANS || bytes > WIRE_MAX_BYTES / 2) return cudaErrorUnknown;
    void *copy = malloc(bytes ? bytes : 1);
    if (!copy) return cudaErrorMemoryAllocation;
    if (bytes) memcpy(copy, data, bytes);
    k->out[k->outs].data = copy;
    k->out[k->outs++].bytes = (uint32_t)bytes;
    return cudaSuccess;
}

static bool bad(dev_client *c, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(c->error, sizeof c->error, format, ap);
    va_end(ap);
    return false;
}

static bool send_all(dev_client *c, size_t n, int fd, double deadline) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    uint8_t *p = c->out;
    double until = lib_now() + 10;
    if (until > deadline) until = deadline;
    while (n) {
        struct iovec io = {p, n};
        struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1};
        if (fd >= 0) {
            memset(&control, 0, sizeof control);
            m.msg_control = control.bytes, m.msg_controllen = sizeof control.bytes;
            struct cmsghdr *h = CMSG_FIRSTHDR(&m);
            h->cmsg_level = SOL_SOCKET, h->cmsg_type = SCM_RIGHTS,
            h->cmsg_len = CMSG_LEN(sizeof fd);
            memcpy(CMSG_DATA(h), &fd, sizeof fd);
        }
        ssize_t k = sendmsg(c->fd, &m, MSG_NOSIGNAL);
        if (k > 0) {
            p += k, n -= (size_t)k, fd = -1;
            continue;
        }
        if (k < 0 && errno == EINTR) continue;
        if (k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd f = {c->fd, POLLOUT, 0};
            if (c->s->opt.cancel && *c->s->opt.cancel) return bad(c, "cancelled");
            if (lib_now() > until)
                return bad(c, "the program does not read the replies to its calls");
            poll(&f, 1, 50);
            continue;
        }
        close_socket(c); /* it is gone: not a fault of the protocol */
        return true;
    }
    return true;
}

/* A reply by the rule of protocol.h; what the device printed and a note go along as spans. */
static bool reply(dev_client *c, dev_call *k, cudaError_t e, const uint64_t *outs, unsigned n,
                  bool printed, double deadline) {
    if (!k->note[0] && printed) {
        memcpy(k->note, c->notice, sizeof k->note);
        c->notice[0] = 0;
    }
    wire_head *h = (wire_head *)c->out;
    uint64_t *at = (uint64_t *)(c->out + sizeof *h);
    uint32_t flags = 0;
    size_t print = printed ? c->log.printed_bytes - c->log.delivered : 0, note = strlen(k->note);
    if (print > WIRE_MAX_BYTES / 2) print = WIRE_MAX_BYTES / 2;
    unsigned extra = (print ? 1u : 0) + (note ? 1u : 0), spans = k->outs;
    size_t room = WIRE_MAX_BYTES - sizeof *h - 8 * (n + 2ul) - 8 * WIRE_MAX_SPANS, used = 0;
    for (unsigned i = 0; i < spans; i++) used += (k->out[i].bytes + 7u) & ~7u;
    if (spans + extra > WIRE_MAX_SPANS || used + print + note + 16 > room)
        print = 0, note = 0, extra = 0;
    unsigned scalars = n + 1;
    at[0] = (uint64_t)e;
    memcpy(at + 1, outs, n * sizeof *at);
    if (c->deferred[k->device]) {
        at[scalars++] = (uint64_t)c->deferred[k->device];
        c->deferred[k->device] = cudaSuccess;
        flags |= WIRE_F_DEFERRED;
    }
    uint32_t *lens = (uint32_t *)(at + scalars);
    unsigned all = spans + extra;
    uint8_t *p = (uint8_t *)(lens + ((all + 1) & ~1u));
    memset(lens, 0, (size_t)(p - (uint8_t *)lens));
    for (unsigned i = 0; i < all; i++) {
        const void *data = i < spans             ? k->out[i].data
                           : i == spans && print ? (void *)(c->log.printed + c->log.delivered)
                                                 : k->note;
        size_t bytes = i < spans ? k->out[i].bytes : i == spans && print ? print : note;
        lens[i] = (uint32_t)bytes;
        memcpy(p, data, bytes);
        memset(p + bytes, 0, -bytes & 7);
        p += (bytes + 7) & ~7ul;
    }
    if (print) flags |= WIRE_F_PRINT, c->log.delivered += print;
    if (note) flags |= WIRE_F_NOTE;
    if (e && e == c->sticky[k->device]) flags |= WIRE_F_BROKEN;
    if (c->captures) flags |= WIRE_F_CAPTURE;
    if (k->again) flags |= WIRE_F_AGAIN;
    if (k->fd >= 0) flags |= WIRE_F_FD;
    for (dev_service *s = c->services; s; s = s->next)
        if (!s->given) flags |= WIRE_F_SERVICE;
    *h = (wire_head){.bytes = (uint32_t)(p - c->out),
                     .op = (uint16_t)k->op,
                     .scalars = (uint8_t)scalars,
                     .spans = (uint8_t)all,
                     .thread = (uint16_t)k->thread,
                     .device = (uint16_t)k->device,
                     .flags = flags};
    bool ok = send_all(c, h->bytes, k->fd, deadline);
    if (k->fd >= 0) close(k->fd);
    k->fd = -1;
    return ok;
}

/* ---- messages in */

/* A context that broke under another client of the session: this one has nothing left on the
 * device. */
static void note_loss(dev_client *c) {
    for (unsigned d = 0; d < c->s->count; d++)
        if (HW(dev_hw(c, d), generation) != c->generation[d] && !c->fault[d])
            c->fault[d] = c->sticky[d] = cudaErrorDevicesUnavailable;
}

bool dev_client_lost(const dev_client *c) {
    for (unsigned d = 0; d < c->s->count; d++)
        if (HW(dev_hw(c, d), generation) != c->generation[d]) return true;
    return false;
}

/* Handles the whole message at the buffer's start. False: the client is to be ended. */
static bool handle(dev_client *c, const uint8_t *in) {
    wire_head h;
    lib_message msg;
    memcpy(&h, in, sizeof h);
    dev_call k = {.c = c,
                  .op = (wire_op)h.op,
                  .thread = h.thread,
                  .device = h.device,
                  .flags = h.flags,
                  .fd = -1};
    if (!dev_call_check(k.op, h.scalars, h.spans, &msg)) return bad(c, "%s", msg.text);
    if (h.thread >= DEV_THREADS) return bad(c, "more than %d threads used CUDA", DEV_THREADS);
    if (h.device >= c->s->count)
        return bad(c, "%s: there is no device %u", dev_call_name(k.op), h.device);
    if (c->greeted == (k.op == WIRE_OP_Hello))
        return bad(c, c->greeted ? "a second greeting" : "%s before the greeting",
                   dev_call_name(k.op));
    size_t used = sizeof h + 8u * h.scalars + 8u * ((h.spans + 1u) / 2);
    if (used > h.bytes)
        return bad(c, "%s: the message is shorter than it says", dev_call_name(k.op));
    const uint32_t *lens = (const uint32_t *)(in + sizeof h + 8u * h.scalars);
    for (unsigned i = 0; i < h.spans; i++) {
        if (lens[i] > h.bytes - used)
            return bad(c, "%s: a byte string reaches past the message's end", dev_call_name(k.op));
        k.span[i] = in + used;
        k.span_bytes[i] = lens[i];
        used += (lens[i] + 7ul) & ~7ul;
        if (used > h.bytes)
            return bad(c, "%s: a byte string reaches past the message's end", dev_call_name(k.op));
    }
    uint64_t out[WIRE_MAX_SCALARS] = {0};
    unsigned outs = 0;
    cudaError_t e = cudaSuccess;
    if (c->copying &&
        ((k.op != WIRE_OP_CopyData && k.op != WIRE_OP_Window) || k.thread != c->copy_thread))
        c->copying = false; /* it gave up */
    note_loss(c);
    if (c->sticky[k.device] && !dev_call_despite_fault(k.op)) e = c->sticky[k.device];
    else e = dev_dispatch(&k, (const uint64_t *)(in + sizeof h), h.scalars, out, &outs);
    bool ok = true;
    if (dev_call_posted(k.op)) {
        if (e && !c->deferred[k.device]) c->deferred[k.device] = e;
    } else if (!k.hold) {
        ok = reply(c, &k, k.again ? cudaSuccess : e, out, outs, true, c->deadline);
    }
    for (unsigned i = 0; i < k.outs; i++) free(k.out[i].data);
    if (k.fd >= 0) close(k.fd);
    return ok && !c->error[0];
}

/* One message from the buffer, if a whole one is there. 1: handled, 0: not yet, -1: end the
 * client. */
static int take(dev_client *c) {
    uint32_t n;
    const uint8_t *at = c->in + c->in_at;
    if (c->in_used - c->in_at < sizeof(wire_head)) return 0;
    memcpy(&n, at, sizeof n);
    if (n < sizeof(wire_head) || n % 8 || n > WIRE_MAX_BYTES)
        return bad(c, "a message of %u bytes", n), -1;
    if (c->in_used - c->in_at < n) return 0;
    c->in_at += n;
    return handle(c, at) ? 1 : -1;
}

/* What is there, without waiting. 1: something came, 0: nothing, -1: closed. */
static int receive(dev_client *c) {
    if (c->in_at == c->in_used) c->in_at = c->in_used = 0;
    if (c->in_used == WIRE_MAX_BYTES) {
        memmove(c->in, c->in + c->in_at, c->in_used - c->in_at);
        c->in_used -= c->in_at, c->in_at = 0;
    }
    /* Not recvmsg: descriptors that a client sends are never accepted. */
    ssize_t n = recv(c->fd, c->in + c->in_used, WIRE_MAX_BYTES - c->in_used, 0);
    if (n > 0) return c->in_used += (size_t)n, 1;
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    return -1;
}

static dev_event serve(dev_client *c, lib_message *msg) {
    for (;;) {
        if (c->state == DEV_STATE_READY) return DEV_READY;
        if (c->state == DEV_STATE_CLOSED) return DEV_CLOSED;
        if (c->s->opt.cancel && *c->s->opt.cancel) return DEV_CANCELLED;
        if (lib_now() >= c->deadline) return DEV_TIMEOUT;
        int took = take(c);
        if (took < 0 || c->error[0]) {
            snprintf(msg->text, sizeof msg->text,
                     "the program broke the protocol of its CUDA library: %s", c->error);
            close_socket(c);
            return DEV_PROTOCOL;
        }
        if (took) continue;
        int got = receive(c);
        if (got < 0) {
            close_socket(c);
            return DEV_CLOSED;
        }
        if (got) continue;
        double left = c->deadline - lib_now();
        struct pollfd f = {c->fd, POLLIN, 0};
        poll(&f, 1, left > 0.05 ? 50 : left > 0 ? (int)(left * 1000) + 1 : 0);
    }
}

dev_event dev_client_run(dev_client *c, double timeout, lib_message *msg) {
    double begin = c->deadline = lib_now();
    c->deadline += timeout;
    msg->text[0] = 0;
    c->stop = 0;
    dev_watch_start(c, c->deadline);
    dev_event e = serve(c, msg);
    dev_watch_start(c, 0);
    c->spent_s += lib_now() - begin - (c->deadline - begin - timeout);
    return e;
}

double dev_client_spent_s(const dev_client *c) {
    return c->spent_s;
}

void dev_client_allow(dev_client *c, uint64_t inst) {
    c->work = 0, c->work_limit = inst;
}

uint64_t dev_client_work(const dev_client *c) {
    return c->work;
}

/* ---- greeting, window */

/* A descriptor for the client: its memory cannot shrink under us. */
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

cudaError_t dev_on_Hello(dev_call *k, const struct wire_in_Hello *in, struct wire_out_Hello *out) {
    dev_client *c = k->c;
    if (in->version != WIRE_VERSION) {
        bad(c, "its CUDA library is of another version of Warplab");
        return cudaErrorInsufficientDriver;
    }
    void *page;
    c->control_fd = dev_shared("warplab-control", 4096, &page);
    if (c->control_fd < 0) return cudaErrorMemoryAllocation;
    c->control = page;
    c->pid = (int)in->pid, c->base = in->base;
    c->greeted = true;
    k->fd = dup(c->control_fd);
    out->devices = c->s->count;
    out->simulated = c->s->device[0].backend == &dev_backend_sim;
    out->low = DEV_ADDRESS_LOW, out->high = DEV_ADDRESS_HIGH;
    return cudaSuccess;
}

cudaError_t dev_on_Window(dev_call *k, const struct wire_in_Window *in,
                          struct wire_out_Window *out) {
    dev_client *c = k->c;
    void *at;
    (void)in, (void)out;
    if (!c->window) {
        c->window_fd = dev_shared("warplab-window", WIRE_WINDOW_BYTES, &at);
        if (c->window_fd < 0) return cudaErrorMemoryAllocation;
        c->window = at;
    }
    k->fd = dup(c->window_fd);
    return cudaSuccess;
}

cudaError_t dev_on_Unsupported(dev_call *k, const struct wire_in_Unsupported *in,
                               struct wire_out_Unsupported *out) {
    (void)in, (void)out;
    dev_unsupported(k->c, "%.*s: not supported",
                    (int)(k->span_bytes[0] < 128 ? k->span_bytes[0] : 128),
                    (const char *)k->span[0]);
    return cudaSuccess;
}

/* ---- calls of a lab's function */

cudaError_t dev_on_Next(dev_call *k, const struct wire_in_Next *in, struct wire_out_Next *out) {
    dev_client *c = k->c;
    (void)in, (void)out;
    for (unsigned d = 0; d < c->s->count; d++) {
        if (!dev_idle(c, d, NULL)) {
            k->again = true;
            return cudaSuccess;
        }
        if (c->fault[d]) c->sticky[d] = c->fault[d];
    }
    c->state = DEV_STATE_READY;
    c->next_thread = k->thread;
    k->hold = true;
    return cudaSuccess;
}

/* Buffers of the session that are gone, or whose address another one has now, are no longer this
 * client's. */
static void forget_granted(dev_client *c) {
    for (size_t i = 0; i < c->mem_count;) {
        const dev_mem *m = &c->mem[i];
        bool live = m->kind != DEV_MEM_GRANTED || m->on_host;
        for (size_t j = 0; j < c->s->buffer_count && !live; j++)
            live = c->s->buffers[j].base == m->base && c->s->buffers[j].bytes == m->bytes;
        if (live) i++;
        else dev_mem_remove(c, m->base);
    }
}

sim_status dev_client_call(dev_client *c, const dev_arg *args, size_t n) {
    uint64_t is_buffer = 0;
    if (c->state != DEV_STATE_READY || n > 64) return SIM_BAD_ARGUMENT;
    forget_granted(c);
    for (size_t i = 0; i < n; i++) {
        const dev_arg *a = &args[i];
        dev_buffer *b = &c->buffer[i];
        c->slots[i] = 0;
        switch (a->kind) {
        case DEV_ARG_PTR:
            c->slots[i] = a->v.addr;
            /* The buffer that holds it may be named by the client from now on. */
            for (size_t j = 0; j < c->s->buffer_count; j++)
                if (a->v.addr - c->s->buffers[j].base < c->s->buffers[j].bytes &&
                    !dev_mem_find(c, a->v.addr)) {
                    dev_mem m = {.base = c->s->buffers[j].base,
                                 .bytes = c->s->buffers[j].bytes,
                                 .kind = DEV_MEM_GRANTED};
                    if (!dev_mem_add(c, &m)) return SIM_NOMEM;
                }
            break;
        case DEV_ARG_I32: c->slots[i] = (uint64_t)(int64_t)a->v.i32; break;
        case DEV_ARG_U32: c->slots[i] = a->v.u32; break;
        case DEV_ARG_I64:
        case DEV_ARG_U64: c->slots[i] = a->v.u64; break;
        case DEV_ARG_F32: memcpy(&c->slots[i], &a->v.f32, sizeof a->v.f32); break;
        case DEV_ARG_F64: memcpy(&c->slots[i], &a->v.f64, sizeof a->v.f64); break;
        case DEV_ARG_HOST:
            if (b->live && (b->bytes != a->bytes || b->pinned != a->pinned)) buffer_drop(c, b);
            if (!b->live) {
                uint64_t page = 4096, bytes = ((a->bytes ? a->bytes : 1) + page - 1) & ~(page - 1);
                void *at;
                if (bytes < a->bytes || bytes > DEV_HOST_BYTES) return SIM_NOMEM;
                int fd = dev_shared("warplab-argument", bytes, &at);
                if (fd < 0) return SIM_NOMEM;
                *b = (dev_buffer){.fd = fd,
                                  .at = at,
                                  .bytes = a->bytes,
                                  .map_bytes = bytes,
                                  .pinned = a->pinned,
                                  .live = true};
                if (b->pinned && !(b->address = dev_host_address(c, bytes))) return SIM_NOMEM;
                if (b->pinned) {
                    dev_mem m = {.base = b->address,
                                 .bytes = a->bytes,
                                 .kind = DEV_MEM_GRANTED,
                                 .on_host = true};
                    if (!dev_mem_add(c, &m)) return SIM_NOMEM;
                    for (unsigned d = 0; d < c->s->count; d++)
                        if (HW(dev_hw(c, d), map, at, a->bytes, b->address, true, fd, bytes, 0))
                            return SIM_UNSUPPORTED;
                }
                is_buffer |= (uint64_t)1 << i;
            } else if (!b->pinned) {
                is_buffer |= (uint64_t)1 << i;
            }
            c->slots[i] = b->address;
            break;
        }
    }
    c->args = n;
    dev_log_call_begins(c);
    dev_call k = {.c = c, .op = WIRE_OP_Next, .thread = c->next_thread, .fd = -1};
    uint64_t more = 1;
    c->state = DEV_STATE_RUN;
    for (unsigned d = 0; d < c->s->count; d++) c->deferred[d] = cudaSuccess;
    dev_answer(&k, c->slots, n * 8);
    dev_answer(&k, &is_buffer, 8);
    bool ok = reply(c, &k, cudaSuccess, &more, 1, true, lib_now() + 10);
    for (unsigned i = 0; i < k.outs; i++) free(k.out[i].data);
    return ok ? SIM_OK : SIM_CANCELLED;
}

void dev_client_finish(dev_client *c) {
    uint64_t more = 0;
    if (c->state != DEV_STATE_READY) return;
    dev_call k = {.c = c, .op = WIRE_OP_Next, .thread = c->next_thread, .fd = -1};
    c->state = DEV_STATE_RUN;
    reply(c, &k, cudaSuccess, &more, 1, true, lib_now() + 10);
}

cudaError_t dev_on_NextBuffer(dev_call *k, const struct wire_in_NextBuffer *in,
                              struct wire_out_NextBuffer *out) {
    dev_client *c = k->c;
    if (in->index >= c->args || !c->buffer[in->index].live) return cudaErrorInvalidValue;
    dev_buffer *b = &c->buffer[in->index];
    k->fd = dup(b->fd);
    out->bytes = b->pinned ? b->bytes : b->map_bytes;
    out->address = b->address;
    return cudaSuccess;
}

void *dev_client_host(dev_client *c, size_t i) {
    return i < c->args && c->buffer[i].live ? c->buffer[i].at : NULL;
}
