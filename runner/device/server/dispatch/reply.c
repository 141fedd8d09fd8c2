/* Outgoing messages. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/dispatch/reply.h"
#include "runner/base/cancel.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/stream.h"
#include "runner/base/clock.h"
#include "words/server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void dev_hang_up(dev_client *c) {
    if (c->wire.fd >= 0) close(c->wire.fd);
    c->wire.fd = -1;
    if (c->wire.state != DEV_STATE_CLOSED) {
        c->wire.state = DEV_STATE_CLOSED;
        dev_log_fault(c);
        dev_log_leaks(c);
    }
}

static bool reply_failed(dev_client *c, lib_words why) {
    lib_message_set(&c->wire.error, why);
    return false;
}

/* Returns false if it is not received; c->wire.error says why. */
static bool reply_send(dev_client *c, size_t n, int fd, double deadline) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    uint8_t *p = c->wire.out;
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
        ssize_t k = sendmsg(c->wire.fd, &m, MSG_NOSIGNAL);
        if (k > 0) {
            p += k, n -= (size_t)k, fd = -1;
            continue;
        }
        if (k < 0 && errno == EINTR) continue;
        if (k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd f = {c->wire.fd, POLLOUT, 0};
            if (lib_raised(c->s->opt.cancel)) return reply_failed(c, w_server_cancelled());
            if (lib_now() > until) return reply_failed(c, w_server_does_not_read());
            poll(&f, 1, 50);
            continue;
        }
        dev_hang_up(c); /* the process has ended: not an error of the protocol */
        return true;
    }
    return true;
}

enum { NOTE_BYTES = 2048 }; /* of a line for the program's stderr */

/* Returns how much of the device's output the program has not received yet, up to what fits into a
 * message. During a lab's call the output waits, because the program could act on it. */
static size_t reply_printed(const dev_client *c, wire_op op) {
    if (c->log.in_call && op != WIRE_OP_Next) return 0;
    size_t n = c->log.printed.n - c->log.delivered;
    return n > WIRE_MAX_BYTES / 2 ? WIRE_MAX_BYTES / 2 : n;
}

static uint32_t reply_flags(const dev_call *k, cudaError_t e) {
    const dev_client *c = k->c;
    uint32_t flags = 0;
    if (e && e == c->context[k->device].sticky) flags |= WIRE_F_BROKEN;
    if (c->streams.captures) flags |= WIRE_F_CAPTURE;
    if (c->log.in_call && dev_concurrent_in_use(c)) flags |= WIRE_F_IN_USE;
    if (c->log.in_call && (dev_held_changed(c) || dev_concurrent_changed(c))) flags |= WIRE_F_HELD;
    if (k->again) flags |= WIRE_F_AGAIN;
    if (k->fd >= 0) flags |= WIRE_F_FD;
    for (const dev_service *s = c->services.first; s; s = s->next)
        if (!s->given) flags |= WIRE_F_SERVICE;
    return flags;
}

bool dev_reply(dev_call *k, cudaError_t e, const uint64_t *outs, unsigned n, double deadline) {
    dev_client *c = k->c;
    if (!lib_message_any(&k->note) && lib_message_any(&c->wire.notice)) {
        k->note = c->wire.notice;
        c->wire.notice = (lib_message){0};
    }
    wire_head *h = (wire_head *)c->wire.out;
    uint64_t *at = (uint64_t *)(c->wire.out + sizeof *h);
    uint32_t flags = reply_flags(k, e);
    char said[NOTE_BYTES] = "";
    if (lib_message_any(&k->note)) lib_message_text(said, sizeof said, c->s->opt.lang, &k->note);
    size_t print = reply_printed(c, k->op), note = strlen(said);
    unsigned extra = (print ? 1u : 0) + (note ? 1u : 0), spans = k->outs;
    size_t room = WIRE_MAX_BYTES - sizeof *h - 8 * (n + 2ul) - 8 * WIRE_MAX_SPANS, used = 0;
    for (unsigned i = 0; i < spans; i++) used += (k->out[i].bytes + 7u) & ~7u;
    if (spans + extra > WIRE_MAX_SPANS || used + print + note + 16 > room)
        print = 0, note = 0, extra = 0;
    unsigned scalars = n + 1;
    at[0] = (uint64_t)e;
    memcpy(at + 1, outs, n * sizeof *at);
    if (c->context[k->device].deferred) {
        at[scalars++] = (uint64_t)c->context[k->device].deferred;
        c->context[k->device].deferred = cudaSuccess;
        flags |= WIRE_F_DEFERRED;
    }
    uint32_t *lens = (uint32_t *)(at + scalars);
    unsigned all = spans + extra;
    uint8_t *p = (uint8_t *)(lens + ((all + 1) & ~1u));
    memset(lens, 0, (size_t)(p - (uint8_t *)lens));
    for (unsigned i = 0; i < all; i++) {
        const void *data = i < spans             ? k->out[i].data
                           : i == spans && print ? c->log.printed.s + c->log.delivered
                                                 : said;
        size_t bytes = i < spans ? k->out[i].bytes : i == spans && print ? print : note;
        lens[i] = (uint32_t)bytes;
        memcpy(p, data, bytes);
        memset(p + bytes, 0, -bytes & 7);
        p += (bytes + 7) & ~7ul;
    }
    if (print) flags |= WIRE_F_PRINT, c->log.delivered += print;
    if (note) flags |= WIRE_F_NOTE;
    *h = (wire_head){.bytes = (uint32_t)(p - c->wire.out),
                     .op = (uint16_t)k->op,
                     .scalars = (uint8_t)scalars,
                     .spans = (uint8_t)all,
                     .thread = (uint16_t)k->thread,
                     .device = (uint16_t)k->device,
                     .flags = flags};
    bool ok = reply_send(c, h->bytes, k->fd, deadline);
    if (k->fd >= 0) close(k->fd);
    k->fd = -1;
    return ok;
}
