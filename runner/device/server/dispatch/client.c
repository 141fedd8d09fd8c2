/* A client from start to end: its socket, its messages.
 *
 *   recv --> c->wire.in --a whole message: lengths, the row of calls.def--> dispatch.c --> reply.c
 *
 * A bad message ends this client with one line. The caller limits the client's time:
 * dev_client_run() returns at its deadline, and the watchdog ends a launch that is still running
 * then. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/base/cancel.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/dispatch/dispatch.h"
#include "runner/device/server/dispatch/entry.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/dispatch/reply.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/server/core/watch.h"
#include "runner/base/clock.h"
#include "words/server.h"
#include "words/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- start and end */

dev_client *dev_client_new(dev_session *s, int fd, lib_message *msg) {
    dev_client *c = calloc(1, sizeof *c);
    int kind = 0;
    socklen_t n = sizeof kind;
    *msg = (lib_message){0};
    if (!c) goto no_memory;
    c->s = s, c->wire.fd = fd, c->process.control_fd = c->window.fd = -1;
    if (!(c->wire.in = malloc(WIRE_MAX_BYTES)) || !(c->wire.out = malloc(WIRE_MAX_BYTES)))
        goto no_memory;
    c->budget.limit = dev_hold_limit(s);
    c->streams.next_id = 1;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &n) || kind != SOCK_STREAM) {
        lib_message_set(msg, w_server_no_stream_socket(fd));
        goto fail;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (unsigned d = 0; d < s->count; d++) {
        /* CUDA's own defaults */
        c->context[d].limit[cudaLimitStackSize] = SIM_STACK_BYTES;
        c->context[d].limit[cudaLimitPrintfFifoSize] = 8650752; /* as from an H200's driver */
        c->context[d].limit[cudaLimitMallocHeapSize] = dev_hold(c, 8 << 20) ? 8 << 20 : 0;
        c->context[d].limit[cudaLimitDevRuntimeSyncDepth] = 2;
        c->context[d].limit[cudaLimitDevRuntimePendingLaunchCount] = 2048;
        c->context[d].limit[cudaLimitMaxL2FetchGranularity] = 64;
        c->context[d].generation = HW(&s->device[d], generation);
        if (!dev_stream_default(c, d)) goto no_memory;
    }
    if (!dev_rewind_new(c)) goto no_memory;
    return c;
no_memory:
    lib_message_set(msg, w_base_out_of_memory());
fail:
    if (c) {
        c->wire.fd = -1;
        dev_rewind_free(c);
        dev_streams_free(c);
        dev_let_go(c, c->budget.held);
        free(c->wire.in), free(c->wire.out), free(c);
    }
    close(fd);
    return NULL;
}

/* Instances and events before graphs, because they only hold references. */
static void client_free_objects(dev_client *c) {
    for (size_t i = 0; i < c->objects.count; i++)
        if (c->objects.slot[i].kind == DEV_EXEC) dev_exec_release(c, c->objects.slot[i].object);
    for (size_t i = 0; i < c->objects.count; i++) {
        void *o = c->objects.slot[i].object;
        if (c->objects.slot[i].kind == DEV_GRAPH && !dev_graph_owned(o)) dev_graph_free(c, o);
    }
    for (size_t i = 0; i < c->objects.count; i++) {
        void *o = c->objects.slot[i].object;
        switch ((dev_kind)c->objects.slot[i].kind) {
        case DEV_EVENT: dev_mark_release(c, o); break;
        case DEV_TEXTURE:
        case DEV_SURFACE: dev_texture_free(c, o); break;
        case DEV_ARRAY:
        case DEV_MIPMAP:
        case DEV_POOL: free(o); break;
        default: break;
        }
    }
    free(c->objects.slot);
}

void dev_client_program(dev_client *c, const char *path) {
    free(c->process.path);
    c->process.path = strdup(path);
}

void dev_client_free(dev_client *c) {
    if (!c) return;
    free(c->process.path);
    dev_hang_up(c);
    dev_watch_free(c);
    dev_buffers_free(c);
    dev_services_free(c);
    dev_replay_free(c);
    dev_log_free(c);
    dev_concurrent_free(c); /* before the streams, which would each join their clocks to others */
    dev_streams_free(c);
    dev_held_free(c);
    client_free_objects(c);
    dev_mem_free(c);
    dev_code_free(c);
    for (size_t i = 0; i < c->objects.string_room; i++)
        free((void *)(uintptr_t)c->objects.strings[i]);
    if (c->process.control) munmap(c->process.control, 4096);
    if (c->window.at) munmap(c->window.at, WIRE_WINDOW_BYTES);
    if (c->process.control_fd >= 0) close(c->process.control_fd);
    if (c->window.fd >= 0) close(c->window.fd);
    for (unsigned d = 0; d < DEV_MAX; d++)
        free(c->times.engine[d].levels), free(c->memory.device[d].came.at);
    dev_let_go(c, c->budget.held); /* everything that was not given back individually */
    free(c->objects.strings), free(c->times.clock), free(c->times.began), free(c->wire.in),
        free(c->wire.out);
    free(c);
}

/* ---- messages in */

/* The message breaks the protocol, for this reason. */
#define BAD(c, words) (lib_message_set(&(c)->wire.error, words), false)

/* A context broke under another client of the session: this one has nothing left on the device. */
static void client_note_loss(dev_client *c) {
    for (unsigned d = 0; d < c->s->count; d++)
        if (HW(dev_hw(c, d), generation) != c->context[d].generation && !c->context[d].fault)
            c->context[d].fault = c->context[d].sticky = cudaErrorDevicesUnavailable;
}

bool dev_client_lost(const dev_client *c) {
    for (unsigned d = 0; d < c->s->count; d++)
        if (HW(dev_hw(c, d), generation) != c->context[d].generation) return true;
    return false;
}

/* Finds the call's byte strings in the message, after its head and scalars. */
static bool message_spans(dev_call *k, const wire_head *h, const uint8_t *in) {
    dev_client *c = k->c;
    size_t used = sizeof *h + 8u * h->scalars + 8u * ((h->spans + 1u) / 2);
    if (used > h->bytes) return BAD(c, w_server_message_short(dev_call_name(k->op)));
    const uint32_t *lens = (const uint32_t *)(in + sizeof *h + 8u * h->scalars);
    for (unsigned i = 0; i < h->spans; i++) {
        bool fits = lens[i] <= h->bytes - used;
        k->span[i] = in + used;
        k->span_bytes[i] = lens[i];
        if (fits) used += (lens[i] + 7ul) & ~7ul;
        if (!fits || used > h->bytes) return BAD(c, w_server_span_past_end(dev_call_name(k->op)));
    }
    return true;
}

/* Handles the whole message at the start of the buffer. Returns false if the client must end. */
static bool message_handle(dev_client *c, const uint8_t *in) {
    wire_head h;
    lib_message msg;
    memcpy(&h, in, sizeof h);
    dev_call k = {.c = c,
                  .op = (wire_op)h.op,
                  .thread = h.thread,
                  .device = h.device,
                  .flags = h.flags,
                  .fd = -1};
    if (!dev_call_check(k.op, h.scalars, h.spans, &msg)) return BAD(c, lib_message_words(&msg));
    if (h.thread >= DEV_THREADS) return BAD(c, w_server_too_many_host_threads(DEV_THREADS));
    if (h.device >= c->s->count)
        return BAD(c, w_server_no_such_device(dev_call_name(k.op), h.device));
    if (c->wire.greeted == (k.op == WIRE_OP_Hello))
        return c->wire.greeted ? BAD(c, w_server_second_greeting())
                               : BAD(c, w_server_not_greeted(dev_call_name(k.op)));
    if (!message_spans(&k, &h, in)) return false;
    if (k.op != WIRE_OP_Thread) dev_clock_called(c, k.thread);
    uint64_t out[WIRE_MAX_SCALARS] = {0};
    unsigned outs = 0;
    cudaError_t e = cudaSuccess;
    if (c->window.copying &&
        ((k.op != WIRE_OP_CopyData && k.op != WIRE_OP_Window) || k.thread != c->window.thread)) {
        c->window.copying = false;           /* it gave up, */
        if (c->window.done) dev_log_lost(c); /* and the bytes that it moved have no record */
    }
    client_note_loss(c);
    if (c->context[k.device].sticky && !dev_call_despite_fault(k.op))
        e = c->context[k.device].sticky;
    else e = dev_dispatch(&k, (const uint64_t *)(in + sizeof h), h.scalars, out, &outs);
    bool ok = true;
    if (e && !dev_call_posted(k.op)) dev_log_failing(&k, e);
    if (dev_call_posted(k.op)) {
        if (e)
            dev_log_failed(&k, k.op == WIRE_OP_Launch ? "cudaLaunchKernel" : dev_call_name(k.op), e,
                           NULL, 0);
        if (e && !c->context[k.device].deferred) c->context[k.device].deferred = e;
    } else if (!k.hold) {
        ok = dev_reply(&k, k.again ? cudaSuccess : e, out, outs, c->limits.deadline);
    }
    dev_answer_free(&k);
    return ok && !lib_message_any(&c->wire.error);
}

/* Takes one message from the buffer, if it is complete. Returns 1: handled, 0: not yet, -1: end the
 * client. */
static int message_take(dev_client *c) {
    uint32_t n;
    const uint8_t *at = c->wire.in + c->wire.in_at;
    if (c->wire.in_used - c->wire.in_at < sizeof(wire_head)) return 0;
    memcpy(&n, at, sizeof n);
    if (n < sizeof(wire_head) || n % 8 || n > WIRE_MAX_BYTES) {
        lib_message_set(&c->wire.error, w_server_message_size(n));
        return -1;
    }
    if (c->wire.in_used - c->wire.in_at < n) return 0;
    c->wire.in_at += n;
    return message_handle(c, at) ? 1 : -1;
}

/* Receives what is there, without waiting. Returns 1: something, 0: nothing, -1: closed. */
static int message_receive(dev_client *c) {
    if (c->wire.in_at == c->wire.in_used) c->wire.in_at = c->wire.in_used = 0;
    if (c->wire.in_used == WIRE_MAX_BYTES) {
        memmove(c->wire.in, c->wire.in + c->wire.in_at, c->wire.in_used - c->wire.in_at);
        c->wire.in_used -= c->wire.in_at, c->wire.in_at = 0;
    }
    /* Not recvmsg: descriptors from a client are never accepted. */
    ssize_t n = recv(c->wire.fd, c->wire.in + c->wire.in_used, WIRE_MAX_BYTES - c->wire.in_used, 0);
    if (n > 0) return c->wire.in_used += (size_t)n, 1;
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    return -1;
}

static dev_event client_serve(dev_client *c, lib_message *msg) {
    for (;;) {
        if (c->wire.state == DEV_STATE_READY) return DEV_READY;
        if (c->wire.state == DEV_STATE_CLOSED) return DEV_CLOSED;
        if (lib_raised(c->s->opt.cancel)) return DEV_CANCELLED;
        if (c->log.in_call && c->log.overflow) return DEV_FULL;
        if (lib_now() >= c->limits.deadline) return DEV_TIMEOUT;
        int took = message_take(c);
        if (took < 0 || lib_message_any(&c->wire.error)) {
            lib_message_set(msg, w_server_broke_protocol(&c->wire.error));
            dev_hang_up(c);
            return DEV_PROTOCOL;
        }
        if (took) continue;
        int got = message_receive(c);
        if (got < 0) {
            dev_hang_up(c);
            return DEV_CLOSED;
        }
        if (got) continue;
        double left = c->limits.deadline - lib_now();
        struct pollfd f = {c->wire.fd, POLLIN, 0};
        poll(&f, 1, left > 0.05 ? 50 : left > 0 ? (int)(left * 1000) + 1 : 0);
    }
}

dev_event dev_client_run(dev_client *c, double timeout, lib_message *msg) {
    double begin = c->limits.deadline = lib_now();
    c->limits.deadline += timeout;
    *msg = (lib_message){0};
    c->limits.stop = 0;
    dev_watch_start(c, c->limits.deadline);
    dev_rewind_turn(c, true);
    dev_event e = client_serve(c, msg);
    dev_rewind_turn(c, false);
    dev_watch_start(c, 0);
    c->limits.spent_s += lib_now() - begin - (c->limits.deadline - begin - timeout);
    return e;
}

double dev_client_spent_s(const dev_client *c) {
    return c->limits.spent_s;
}

void dev_client_allow(dev_client *c, uint64_t inst) {
    c->limits.work = 0, c->limits.work_limit = inst;
}

uint64_t dev_client_work(const dev_client *c) {
    return c->limits.work;
}
