/* Conditional nodes of graphs (CUDA Programming Guide, "Conditional Graph Nodes"): what a body may
 * contain, and when a WHILE node must end. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/base/cancel.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/object.h"
#include "runner/base/clock.h"
#include "words/server.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- bodies */

bool dev_conditions_unused(const dev_graph *g) {
    for (const dev_condition *x = g->conditions; x; x = x->next)
        if (!x->used) return true;
    for (size_t i = 0; i < g->count; i++) {
        size_t n;
        dev_graph *const *below = dev_graph_below(g->nodes[i]->work, &n);
        for (size_t j = 0; j < n; j++)
            if (dev_conditions_unused(below[j])) return true;
    }
    return false;
}

/* Returns the conditional node that contains g, at any depth; NULL: none. */
static const dev_node *graph_enclosing(const dev_graph *g) {
    for (const dev_node *n = g->owner; n; n = n->graph->owner)
        if (n->type == cudaGraphNodeTypeConditional) return n;
    return NULL;
}

/* why: what a conditional node's body must be. */
static bool misfit_said(dev_call *k, lib_word_id why) {
    if (why) lib_message_set(&k->note, w_server_body_misfit(why));
    return why != 0;
}

/* "Conditional Node Body Graph Requirements". Returns 0, or what is wrong. */
static lib_word_id body_misfit(const dev_work *w, unsigned device) {
    if (w->device != device) return W_SERVER_BODY_DEVICES;
    switch (w->kind) {
    case DEV_WORK_COPY:
        return w->copy.to.at == WIRE_AT_POINTER && w->copy.from.at == WIRE_AT_POINTER
                   ? 0
                   : W_SERVER_BODY_COPIES;
    case DEV_WORK_CHILD:
        for (size_t i = 0; i < w->child->count; i++) {
            lib_word_id why = body_misfit(w->child->nodes[i]->work, device);
            if (why) return why;
        }
        return 0;
    case DEV_WORK_LAUNCH:
    case DEV_WORK_FILL:
    case DEV_WORK_EMPTY:
    case DEV_WORK_CONDITIONAL: return 0;
    default: return W_SERVER_BODY_KINDS;
    }
}

bool dev_instance_allows(dev_call *k, const dev_graph *g, const dev_work *w) {
    const dev_node *n = g->handle ? 0 : graph_enclosing(g);
    return !misfit_said(k, n ? body_misfit(w, n->work->device) : 0);
}

/* Returns what is wrong with a body of g or of a graph in it; 0: nothing. */
static lib_word_id graph_misfits(const dev_graph *g) {
    for (size_t i = 0; i < g->count; i++) {
        dev_work *w = g->nodes[i]->work;
        size_t n;
        dev_graph **below = dev_graph_below(w, &n);
        for (size_t b = 0; b < n; b++) {
            lib_word_id why = graph_misfits(below[b]);
            for (size_t m = 0; !why && w->kind == DEV_WORK_CONDITIONAL && m < below[b]->count; m++)
                why = body_misfit(below[b]->nodes[m]->work, w->device);
            if (why) return why;
        }
    }
    return 0;
}

bool dev_bodies_fit(dev_call *k, const dev_graph *g) {
    return !misfit_said(k, graph_misfits(g));
}

/* ---- new nodes */

cudaError_t dev_conditional_parse(dev_call *k, const dev_graph *g, const wire_conditional *p,
                                  dev_work *w) {
    dev_client *c = k->c;
    dev_condition *x = dev_object(c, p->handle, DEV_CONDITION);
    const dev_graph *up = g;
    if (!x || !x->graph || x->used || x->device != k->device) return cudaErrorInvalidValue;
    while (up != x->graph && up->owner) up = up->owner->graph;
    if (up != x->graph) return cudaErrorInvalidValue; /* a handle of another graph */
    switch (p->type) {
    case cudaGraphCondTypeIf:
        if (p->size != 1 && p->size != 2) return cudaErrorInvalidValue;
        break;
    case cudaGraphCondTypeWhile:
        if (p->size != 1) return cudaErrorInvalidValue;
        break;
    case cudaGraphCondTypeSwitch:
        if (!p->size) return cudaErrorInvalidValue;
        break;
    default: return cudaErrorInvalidValue;
    }
    if (p->size > DEV_BODIES || dev_graph_depth(g) + 1 >= DEV_GRAPH_DEPTH) {
        lib_words why = p->size > DEV_BODIES ? w_server_so_many_bodies() : w_server_so_deep();
        dev_unsupported(c, why);
        return dev_refuse(k, why);
    }
    dev_graph **bodies = calloc(p->size, sizeof(dev_graph *));
    if (!bodies) return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < p->size; i++)
        if (!(bodies[i] = dev_graph_new(c, true))) {
            while (i--) dev_graph_free(c, bodies[i]);
            free(bodies);
            return cudaErrorMemoryAllocation;
        }
    dev_condition_retain(x);
    w->kind = DEV_WORK_CONDITIONAL;
    w->conditional.on = x, w->conditional.bodies = bodies;
    w->conditional.type = p->type, w->conditional.size = p->size;
    return cudaSuccess;
}

/* ---- loops */

/* Returns why no further round may run; 0: it may. A round costs as much as a launch, so that an
 * empty body meets the limits, too. */
static lib_word_id loop_spent(const dev_client *c, uint64_t before, sim_status *status) {
    uint64_t most = c->s->opt.sim.inst_budget ? c->s->opt.sim.inst_budget : (uint64_t)1 << 38;
    *status = SIM_BUDGET;
    if (c->limits.work_limit && c->limits.work >= c->limits.work_limit) return W_SERVER_LOOP_WORK;
    if (!c->limits.work_limit && c->limits.work - before > most) return W_SERVER_LOOP_LAUNCH;
    *status = SIM_CANCELLED;
    if (lib_raised(c->s->opt.cancel)) return W_SERVER_LOOP_CANCELLED;
    if (lib_raised(&c->limits.stop) || lib_now() >= c->limits.deadline) return W_SERVER_LOOP_TIME;
    return 0;
}

bool dev_loop_goes_on(dev_client *c, unsigned device, dev_loop *l) {
    sim_status status;
    enum { ROUND = 1 << 13 };
    lib_word_id why = loop_spent(c, l->before, &status);
    if (!why && c->context[device].fault) return false;
    if (!why) {
        c->limits.work += ROUND;
        l->rounds++;
        return true;
    }
    if (!c->context[device].fault || l->rounds > 1) {
        sim_finding f = {.kind = SIM_FIND_BUDGET, .count = 1};
        dev_log_said(c, &f, w_server_loop_spent((long long)l->rounds, why));
    }
    if (!c->context[device].fault) c->context[device].fault = dev_error(status);
    return false;
}
