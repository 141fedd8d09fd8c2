/* A piece of work as a whole: what it does, what its kernels ask for, and what it costs.
 *
 * The duration of simulated work says more about this machine than about the program. So the work
 * is paid for in instructions (dev_client_allow), and the program's clock stops meanwhile. */
#include "runner/device/server/core/client.h"
#include "runner/base/clock.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/watch.h"
#include "runner/device/server/work/children.h"

#include <math.h>
#include <stdlib.h>

static cudaError_t run_work(dev_client *c, dev_stream *s, const dev_work *w, double after,
                            double *end) {
    dev_asked asked = {0};
    *end = after;
    if (c->context[w->device].fault) return cudaSuccess; /* nothing runs in a broken context */
    if (dev_stopped(c)) return c->context[w->device].fault = dev_error(SIM_CANCELLED);
    dev_concurrent_begin(c, s);
    cudaError_t e = dev_work_do(c, s, w, after, end, &asked);
    if (asked.n) dev_children_run(c, s, w, &asked, end);
    else free(asked.at);
    return e;
}

/* Returns the cost of w besides the instructions of its launch: roughly its duration here, at a
 * thousand million instructions a second. */
static uint64_t run_price(const dev_work *w) {
    enum { LAUNCH = 1 << 13, ROW = 64, BYTES = 4 };
    uint64_t width = 0, rows = 1, all;
    if (w->kind == DEV_WORK_LAUNCH) return LAUNCH;
    if (w->kind == DEV_WORK_COPY) width = w->copy.width, rows = w->copy.height * w->copy.depth;
    else if (w->kind == DEV_WORK_FILL) width = w->fill.width, rows = w->fill.height * w->fill.depth;
    else if (w->kind == DEV_WORK_ALLOC) width = w->alloc.bytes;
    return __builtin_mul_overflow(width / BYTES + ROW, rows, &all) ? UINT64_MAX / 2 : all;
}

cudaError_t dev_work_run(dev_client *c, dev_stream *s, const dev_work *w, double after,
                         double *end) {
    uint64_t price = run_price(w);
    bool free_time = c->s->device[w->device].backend == &dev_backend_sim &&
                     (!c->limits.work_limit || (c->limits.work < c->limits.work_limit &&
                                                price < c->limits.work_limit - c->limits.work));
    double begin = lib_now();
    if (free_time) dev_watch_move(c, INFINITY);
    c->limits.work = price < UINT64_MAX - c->limits.work ? c->limits.work + price : UINT64_MAX;
    cudaError_t e = run_work(c, s, w, after, end);
    if (free_time) dev_watch_move(c, c->limits.deadline += lib_now() - begin);
    return e;
}
