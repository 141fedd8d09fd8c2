/* Grids that grids launch, and their copies (CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism"), done after the grid that asked for them:
 *
 *   a grid has run --its sim_children--> a level on the stack
 *     --one after another, each with all that it asks for in turn--> those of its streams, then
 *       those of its tail stream --> the grid is complete
 *
 * This is one of the orders that the streams allow. On the timeline, children begin when their
 * grid's own blocks are done. Those of one line follow each other, other lines run concurrently,
 * and the tail stream comes after all. The levels are on a stack of their own, not on the C stack,
 * because a kernel may launch itself over and over. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/work/children.h"
#include "runner/device/server/work/move.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/memory.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches and copies after one launch of the host: the limit that stops an endless chain. */
enum { CHILDREN_MOST = 1 << 18 };

/* When the last of a line is done. */
typedef struct {
    uint64_t line;
    double end;
} line_end;
/* The requests of one grid. */
typedef struct {
    dev_asked asked;
    size_t next;
    bool behind;        /* the tail stream's are being done */
    double start, done; /* earliest start of the first; when all so far are done */
    line_end *lines;    /* a hash table; a free entry has end < 0 */
    size_t line_mask;
    uint64_t held;
    const sim_child *running;
    uint64_t launch; /* dev_concurrent_launch() */
} level;
typedef struct {
    dev_client *c;
    dev_stream *s;
    unsigned device;
    uint32_t stack; /* of the grid that began it all: a replay finds what the call found */
    level *at;
    size_t depth, room;
    uint64_t count;
    unsigned named; /* for races: levels of the grid at the root */
} levels;

static void level_drop(levels *g) {
    level *v = &g->at[--g->depth];
    sim_children_free(v->asked.at, v->asked.n);
    free(v->lines);
    dev_let_go(g->c, v->held);
}

/* Returns false if memory is out; *asked is then freed, too. */
static bool level_push(levels *g, const dev_asked *asked, double start) {
    uint64_t bytes = asked->n * (sizeof *asked->at + 4 * sizeof(line_end));
    for (size_t k = 0; k < asked->n; k++) bytes += asked->at[k].param_bytes;
    size_t places = 2;
    while (places < 2 * asked->n) places *= 2;
    level v = {.asked = *asked, .start = start, .done = start, .line_mask = places - 1};
    if (lib_grow(&g->at, &g->room, g->depth, sizeof *g->at, 8) && dev_hold(g->c, bytes)) {
        v.held = bytes;
        v.lines = malloc(places * sizeof *v.lines);
    }
    if (!v.lines) {
        sim_children_free(asked->at, asked->n);
        dev_let_go(g->c, v.held);
        return false;
    }
    for (size_t k = 0; k < places; k++) v.lines[k] = (line_end){.end = -1};
    v.launch = dev_concurrent_launch(g->c);
    g->at[g->depth++] = v;
    return true;
}

static line_end *level_line(level *v, uint64_t line) {
    size_t k = (size_t)((line * 0x9e3779b97f4a7c15u) >> 32) & v->line_mask;
    while (v->lines[k].end >= 0 && v->lines[k].line != line) k = (k + 1) & v->line_mask;
    if (v->lines[k].end < 0) v->lines[k] = (line_end){line, v->start};
    return &v->lines[k];
}

/* Returns the next child; NULL: all are done. */
static const sim_child *level_next(level *v) {
    for (;;) {
        while (v->next < v->asked.n) {
            const sim_child *x = &v->asked.at[v->next++];
            if ((x->when == SIM_CHILD_BEHIND) == v->behind) return x;
        }
        if (v->behind) return NULL;
        v->behind = true;
        v->next = 0;
    }
}

static double level_begins(level *v, const sim_child *x) {
    if (x->when == SIM_CHILD_BEHIND) return v->done;
    return x->when == SIM_CHILD_IN_LINE ? level_line(v, x->line)->end : v->start;
}

/* The present child is done, with all that it asked for. */
static void level_settle(level *v, double done) {
    if (v->running->when == SIM_CHILD_IN_LINE) level_line(v, v->running->line)->end = done;
    if (done > v->done) v->done = done;
}

/* ---- one child ---- */

/* Makes a grid into a piece of work, malloc'ed; NULL: memory is out. */
static dev_work *child_work(levels *g, const level *v, const sim_child *x) {
    dev_work *w = calloc(1, sizeof *w + x->param_bytes);
    if (!w) return NULL;
    w->kind = DEV_WORK_LAUNCH;
    w->device = g->device;
    w->bytes = sizeof *w + x->param_bytes;
    w->launch.kernel = dev_kernel_of(g->c, v->asked.module, g->device, x->kernel,
                                     dev_hw(g->c, g->device)->backend->kernel_info(x->kernel));
    w->launch.at = (wire_launch){.grid = {x->grid[0], x->grid[1], x->grid[2]},
                                 .block = {x->block[0], x->block[1], x->block[2]},
                                 .shared = x->dynamic_shared,
                                 .param_bytes = (uint32_t)x->param_bytes};
    memcpy(w->params, x->params, x->param_bytes);
    w->launch.carveout = -1;
    w->launch.stack = g->stack;
    if (w->launch.kernel) return w;
    free(w);
    return NULL;
}

/* Returns the place of n bytes of a kernel's copy: in memory of the client (also on the host), of
 * device malloc(), or of a variable. */
static dev_place child_place(dev_client *c, unsigned device, uint64_t at, uint64_t n) {
    const dev_mem *m = dev_mem_find(c, at);
    return (dev_place){
        .base = at, .pitch = n, .slice = n, .device = device, .host = m && m->on_host};
}

static wire_place child_named(unsigned device, uint64_t at, uint64_t n) {
    return (wire_place){
        .at = WIRE_AT_POINTER, .device = (int)device, .address = at, .pitch = n, .rows = 1};
}

/* Does a copy or fill whose places a kernel has chosen. */
static void child_move(levels *g, const sim_child *x, double after, double *end) {
    dev_client *c = g->c;
    uint64_t n = x->bytes;
    bool copy = x->kind == SIM_CHILD_COPY;
    wire_place to = child_named(g->device, x->to, n), from = child_named(g->device, x->from, n);
    dev_moving m = {.to = child_place(c, g->device, x->to, n),
                    .to_as = &to,
                    .extent = {n, 1, 1},
                    .async = true,
                    .value = x->value,
                    .element = 1};
    if (copy) m.from = child_place(c, g->device, x->from, n), m.from_as = &from;
    sim_status s = SIM_OK;
    if (n)
        s = copy ? dev_move_copy(c, g->s, g->device, &m, after, end)
                 : dev_move_fill(c, g->s, g->device, &m, after, end);
    if (!s) return;
    c->context[g->device].fault = dev_error(s == SIM_BAD_ADDRESS ? SIM_ILLEGAL_ADDRESS : s);
    if (s != SIM_BAD_ADDRESS) return;
    sim_finding f = {.kind = SIM_FIND_OOB, .count = 1, .address = x->to};
    dev_log_said(c, &f,
                 w_server_child_outside(copy ? "cudaMemcpyAsync" : "cudaMemsetAsync",
                                        (long long)x->bytes, (long long)x->to));
}

/* A chain of launches that does not end. */
static bool child_too_many(levels *g) {
    sim_finding f = {.kind = SIM_FIND_BUDGET, .count = 1};
    if (++g->count <= CHILDREN_MOST) return false;
    dev_log_said(g->c, &f, w_server_children_too_many(CHILDREN_MOST));
    g->c->context[g->device].fault = dev_error(SIM_BUDGET);
    return true;
}

/* The record of a replayed child is the one after its grid's. */
static void child_replays(dev_client *c) {
    dev_log_state *log = &c->log;
    if (!log->replaying || log->replay_record == SIZE_MAX) return;
    if (++log->replay_record >= log->replay_end) log->replay_record = SIZE_MAX;
}

/* Returns false if memory is out. */
static bool child_grid(levels *g, const sim_child *x, double after, double *end, dev_asked *asked) {
    dev_client *c = g->c;
    dev_work *w = child_work(g, &g->at[g->depth - 1], x);
    if (!w) return false;
    cudaError_t e = dev_work_do(c, g->s, w, after, end, asked);
    /* Checks that need the assembler: hardware reports these to the launching thread. */
    if (e) dev_unsupported(c, w_server_child_misconfigured(w->launch.kernel->info->pretty));
    free(w);
    if (e && !c->context[g->device].fault) c->context[g->device].fault = e;
    return true;
}

/* Sets what orders the child among those of its grid. Below the levels that are kept apart, it
 * counts as its grid. */
static void child_name(const levels *g, const level *v, const sim_child *x) {
    const dev_node_order lines = {.lines = true};
    unsigned depth = g->named + (unsigned)g->depth - 1;
    size_t line = x->when == SIM_CHILD_BEHIND    ? DEV_BEHIND_ALL
                  : x->when == SIM_CHILD_AT_ONCE ? SIZE_MAX - 1 - (size_t)(x - v->asked.at)
                                                 : (size_t)x->line;
    if (depth < DEV_BODIES_DEEP) dev_concurrent_node(g->c, depth, v->launch, line, &lines);
}

static bool child_run(levels *g, const sim_child *x) {
    enum { LAUNCH = 1 << 13 }; /* as dev_work_run() counts a launch */
    dev_client *c = g->c;
    level *v = &g->at[g->depth - 1];
    dev_asked asked = {0};
    if (child_too_many(g)) return true;
    v->running = x;
    double after = level_begins(v, x), end = after;
    c->limits.work = c->limits.work < UINT64_MAX - LAUNCH ? c->limits.work + LAUNCH : UINT64_MAX;
    child_replays(c);
    child_name(g, v, x);
    if (x->kind != SIM_CHILD_LAUNCH) child_move(g, x, after, &end);
    else if (!child_grid(g, x, after, &end, &asked)) return false;
    if (asked.n && !c->context[g->device].fault) return level_push(g, &asked, end);
    sim_children_free(asked.at, asked.n);
    level_settle(v, end);
    return true;
}

void dev_children_run(dev_client *c, dev_stream *s, const dev_work *parent, const dev_asked *first,
                      double *end) {
    unsigned device = parent->device;
    levels g = {.c = c,
                .s = s,
                .device = device,
                .stack = parent->launch.stack,
                .named = dev_concurrent_depth(c)};
    bool room = level_push(&g, first, *end);
    while (room && g.depth && !c->context[device].fault) {
        const sim_child *x = level_next(&g.at[g.depth - 1]);
        if (dev_stopped(c)) c->context[device].fault = dev_error(SIM_CANCELLED);
        else if (x) room = child_run(&g, x);
        else {
            double done = g.at[g.depth - 1].done;
            level_drop(&g);
            if (g.depth) level_settle(&g.at[g.depth - 1], done);
            else *end = done;
        }
    }
    if (!room && !c->context[device].fault) c->context[device].fault = cudaErrorMemoryAllocation;
    while (g.depth) level_drop(&g);
    if (g.named < DEV_BODIES_DEEP) dev_concurrent_node(c, g.named, 0, 0, NULL);
    free(g.at);
}
