/* Data flow through the host: whether a lab's call lets the host see data of the device and
 * afterwards gives the device something, which may be the host's own work.
 *
 *   seen     copies to the host; launches that stored into memory of the host; times of events
 *   given    launches (their parameters), copies from the host and on the device, memsets
 *
 * If nothing was given after something was seen, the call is a list of work for the device that was
 * fixed before the host knew any of the data. The output of device printf is held back until the
 * call is over (reply.c), so the host cannot see it. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"

#include <string.h>

static dev_hostflow *flow_of(dev_client *c) {
    return c->log.in_call && !c->log.replaying ? &c->log.hostflow : NULL;
}

void dev_flow_begins(dev_client *c) {
    memset(&c->log.hostflow, 0, sizeof c->log.hostflow);
    dev_words_forget(c);
}

void dev_flow_saw(dev_client *c, dev_op op, uint64_t bytes, const char *kernel) {
    dev_hostflow *f = flow_of(c);
    if (!f || !bytes) return;
    f->pending = bytes > UINT64_MAX - f->pending ? UINT64_MAX : f->pending + bytes;
    f->saw = (dev_passage){.op = op, .bytes = f->pending, .kernel = kernel};
}

void dev_flow_timed(dev_client *c) {
    dev_hostflow *f = flow_of(c);
    if (f) f->timed++;
}

/* The pending bytes were passed before `gave`. */
static void flow_passed(dev_hostflow *f, dev_passage gave) {
    uint64_t more = f->pending - f->counted;
    f->flow.all = more > UINT64_MAX - f->flow.all ? UINT64_MAX : f->flow.all + more;
    f->counted = f->pending;
    if (f->pending <= f->flow.most) return;
    f->flow.most = f->pending;
    f->flow.saw = f->saw;
    f->flow.gave = gave;
}

void dev_flow_gave(dev_client *c, dev_op op, uint64_t bytes, const char *kernel) {
    dev_hostflow *f = flow_of(c);
    dev_passage gave = {.op = op, .bytes = bytes, .kernel = kernel};
    if (!f) return;
    f->flow.times += f->timed;
    if (f->pending) {
        f->flow.data = true;
        flow_passed(f, gave);
    } else if (f->timed && !f->flow.data && !f->flow.gave.kernel) {
        f->flow.gave = gave;
    }
    f->pending = f->counted = 0;
    f->timed = 0;
}

/* The results of the launch can still be seen after it has ended, so they stay pending. */
void dev_flow_within(dev_client *c, const char *kernel) {
    dev_hostflow *f = flow_of(c);
    if (!f || !f->pending) return;
    f->flow.within = true;
    flow_passed(f, (dev_passage){.op = DEV_OP_LAUNCH, .kernel = kernel});
}

static void flow_put(dev_client *c, uint64_t to, const uint32_t *fill, uint64_t n) {
    dev_hostflow *f = flow_of(c);
    const dev_mem *m = dev_mem_find(c, to);
    size_t i = 0;
    if (!f || !n || !m || m->kind != DEV_MEM_GRANTED || m->on_host) return;
    while (i < f->puts && f->put[i].base != m->base) i++;
    if (i == DEV_ARGS) return; /* a lab has no more buffers */
    if (i == f->puts) f->put[f->puts++].base = m->base;
    if (fill) { /* one value prepares memory; several are data */
        if (!f->put[i].filled) f->put[i].filled = true, f->put[i].value = *fill;
        if (f->put[i].value == *fill) return;
    }
    f->put[i].bytes = n > UINT64_MAX - f->put[i].bytes ? UINT64_MAX : f->put[i].bytes + n;
}

void dev_flow_put(dev_client *c, uint64_t to, uint64_t n) {
    flow_put(c, to, NULL, n);
}
void dev_flow_filled(dev_client *c, uint64_t to, uint32_t value, uint64_t n) {
    flow_put(c, to, &value, n);
}

void dev_client_flow(const dev_client *c, dev_flow *f) {
    *f = c->log.hostflow.flow;
    if (!f->saw.kernel) f->saw.kernel = "";
    if (!f->gave.kernel) f->gave.kernel = "";
    f->complete = !c->log.overflow;
    f->room = c->s->opt.launch_limit;
    f->room_bytes = dev_part_limit(c);
}

uint64_t dev_client_put(const dev_client *c, uint64_t addr) {
    const dev_hostflow *f = &c->log.hostflow;
    for (size_t i = 0; i < f->puts; i++)
        if (f->put[i].base == addr) return f->put[i].bytes;
    return 0;
}
