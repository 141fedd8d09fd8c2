/* Instances of graphs: made, flattened, freed. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/exec.h"
#include "runner/base/buffer.h"

#include <stdlib.h>

/* Makes room for this many dependencies. */
static bool list_room(dev_order *l, size_t i, size_t most) {
    l->at[i].deps = malloc((most + 1) * sizeof *l->at[i].deps);
    return l->at[i].deps != NULL;
}

static bool list_push(dev_exec *x, dev_order *l, dev_node *n, size_t *index) {
    if (x->total >= DEV_GRAPH_NODES) return false;
    if (!lib_grow(&l->at, &l->room, l->count, sizeof *l->at, 8)) return false;
    l->at[l->count] = (dev_flat){.node = n};
    *index = l->count++;
    x->total++;
    return true;
}

static void list_depend(dev_order *l, size_t i, size_t on) {
    l->at[i].deps[l->at[i].dep_count++] = on;
}

static void list_empty(dev_client *c, dev_order *l) {
    for (size_t i = 0; i < l->count; i++) {
        dev_flat *f = &l->at[i];
        for (uint32_t b = 0; b < f->body_count; b++) { /* the node itself may have been freed */
            list_empty(c, &f->bodies[b]);
            free(f->bodies[b].at);
        }
        free(f->bodies), free(f->deps);
    }
    if (l->order.before) dev_let_go(c, l->count * l->order.words * sizeof *l->order.before);
    free(l->order.before);
    l->order = (dev_node_order){0};
    l->count = 0;
}

static bool exec_flatten(const dev_client *c, dev_exec *x, dev_order *l, const dev_graph *g,
                         size_t entry, size_t *leave);

/* Flattens the bodies of the conditional node that is last in the list. */
static bool exec_flatten_bodies(const dev_client *c, dev_exec *x, dev_flat *f) {
    const dev_work *w = f->node->work;
    if (!(f->bodies = calloc(w->conditional.size, sizeof *f->bodies))) return false;
    f->body_count = w->conditional.size;
    for (uint32_t b = 0; b < f->body_count; b++) {
        size_t entry, leave;
        if (!list_push(x, &f->bodies[b], NULL, &entry) ||
            !exec_flatten(c, x, &f->bodies[b], w->conditional.bodies[b], entry, &leave))
            return false;
    }
    return true;
}

/* Appends g's nodes, each after its dependencies, and roots after `entry`; *leave depends on all.
 * Returns false for a cycle, or if it is too large. */
static bool exec_flatten(const dev_client *c, dev_exec *x, dev_order *l, const dev_graph *g,
                         size_t entry, size_t *leave) {
    size_t n = g->count, edges = 0, head = 0, tail = 0;
    for (size_t i = 0; i < n; i++) edges += g->nodes[i]->dep_count;
    /* where: index in the list; missing: dependencies not yet in the list; first, next_of:
     * dependents of each node */
    size_t *where = calloc(n + 1, sizeof *where), *missing = calloc(n + 1, sizeof *missing),
           *queue = calloc(n + 1, sizeof *queue);
    size_t *first = calloc(n + 2, sizeof *first), *dependent = calloc(edges + 1, sizeof *dependent);
    bool ok = where && missing && queue && first && dependent;
    for (size_t i = 0; ok && i < n; i++)
        for (size_t j = 0; j < g->nodes[i]->dep_count; j++)
            first[g->nodes[i]->deps[j]->index + 1]++;
    for (size_t i = 0; ok && i < n; i++) first[i + 1] += first[i];
    for (size_t i = 0; ok && i < n; i++)
        for (size_t j = 0; j < g->nodes[i]->dep_count; j++) {
            size_t d = g->nodes[i]->deps[j]->index;
            dependent[first[d] + where[d]++] = i;
        }
    for (size_t i = 0; ok && i < n; i++) {
        missing[i] = g->nodes[i]->dep_count;
        where[i] = 0;
        if (!missing[i]) queue[tail++] = i;
    }
    while (ok && head < tail) {
        size_t i = queue[head++], at = 0;
        dev_node *node = g->nodes[i];
        bool child = node->work->kind == DEV_WORK_CHILD;
        ok = list_push(x, l, child ? NULL : node, &at);
        ok = ok && !dev_stopped(c) && list_room(l, at, node->dep_count + 1);
        if (ok && !node->dep_count) list_depend(l, at, entry);
        for (size_t j = 0; ok && j < node->dep_count; j++)
            list_depend(l, at, where[node->deps[j]->index]);
        if (ok && child) ok = exec_flatten(c, x, l, node->work->child, at, &at);
        if (ok && node->work->kind == DEV_WORK_CONDITIONAL)
            ok = exec_flatten_bodies(c, x, &l->at[at]);
        where[i] = at;
        for (size_t j = first[i]; ok && j < first[i + 1]; j++)
            if (!--missing[dependent[j]]) queue[tail++] = dependent[j];
    }
    ok = ok && tail == n && list_push(x, l, NULL, leave) && list_room(l, *leave, n + 1);
    if (ok) list_depend(l, *leave, entry);
    for (size_t i = 0; ok && i < n; i++) list_depend(l, *leave, where[i]);
    free(where), free(missing), free(queue), free(first), free(dependent);
    return ok;
}

bool dev_exec_rebuild(dev_client *c, dev_exec *x) {
    size_t entry, leave;
    list_empty(c, &x->list);
    x->total = 0;
    x->stale = false;
    return list_push(x, &x->list, NULL, &entry) &&
           exec_flatten(c, x, &x->list, x->graph, entry, &leave);
}

static void list_order(dev_client *c, dev_order *l) {
    size_t words = (l->count + 63) / 64;
    uint64_t *before = NULL, bytes = l->count * words * sizeof *before;
    for (size_t i = 0; i < l->count; i++)
        for (uint32_t b = 0; b < l->at[i].body_count; b++) list_order(c, &l->at[i].bodies[b]);
    if (l->order.before) return;
    if (l->count > DEV_NODES_ORDERED || !dev_hold(c, bytes)) {
        c->log.overflow = true;
        return;
    }
    if (!(before = calloc(1, bytes + 1))) {
        dev_let_go(c, bytes);
        c->log.overflow = true;
        return;
    }
    for (size_t i = 0; i < l->count; i++)
        for (size_t k = 0; k < l->at[i].dep_count && !dev_stopped(c); k++) {
            size_t dep = l->at[i].deps[k]; /* comes before it in the list */
            for (size_t w = 0; w <= dep / 64; w++) before[i * words + w] |= before[dep * words + w];
            before[i * words + dep / 64] |= UINT64_C(1) << dep % 64;
        }
    l->order = (dev_node_order){.before = before, .words = words};
}

void dev_exec_order(dev_client *c, dev_exec *x) {
    list_order(c, &x->list);
}

void dev_exec_retain(dev_exec *e) {
    e->refs++;
}

void dev_exec_release(dev_client *c, dev_exec *e) {
    if (--e->refs) return;
    list_empty(c, &e->list);
    free(e->list.at);
    if (e->graph) dev_graph_free(c, e->graph);
    free(e);
}
