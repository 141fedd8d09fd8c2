/* Graphs and their nodes, which hold work like that of a stream. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/graph/conditional.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/object.h"

#include <stdlib.h>
#include <string.h>

/* The size of a graph besides its nodes, and of a node besides its work, also in an instance and
 * its list; counted like waiting work. */
enum { GRAPH_BYTES = 1024, NODE_BYTES = sizeof(dev_node) + 128 };

dev_graph *dev_graph_new(dev_client *c, bool named) {
    dev_graph *g = c->budget.queued + GRAPH_BYTES > dev_part_limit(c) ? NULL : calloc(1, sizeof *g);
    if (g && named && !(g->handle = dev_object_new(c, DEV_GRAPH, g))) {
        free(g);
        return NULL;
    }
    if (g) c->budget.queued += GRAPH_BYTES;
    return g;
}

dev_graph **dev_graph_below(dev_work *w, size_t *count) {
    *count = w->kind == DEV_WORK_CHILD         ? 1
             : w->kind == DEV_WORK_CONDITIONAL ? w->conditional.size
                                               : 0;
    return w->kind == DEV_WORK_CHILD ? &w->child : *count ? w->conditional.bodies : NULL;
}

void dev_graph_drop(dev_client *c, dev_work *w) {
    size_t n;
    dev_graph **below = w ? dev_graph_below(w, &n) : NULL;
    for (size_t i = 0; below && i < n; i++)
        if (below[i]) dev_graph_free(c, below[i]);
    if (w && w->kind == DEV_WORK_CONDITIONAL) free(w->conditional.bodies);
    dev_work_free(c, w);
}

/* Gives the work, and the graphs below it, to the node. */
static void node_adopt(dev_client *c, dev_node *n, dev_work *w) {
    size_t count;
    dev_graph **below = dev_graph_below(w, &count);
    for (size_t i = 0; i < count; i++) below[i]->owner = n;
    if (w->kind == DEV_WORK_CONDITIONAL && n->handle) w->conditional.on->used = true;
    n->work = w;
    c->budget.queued += w->bytes + NODE_BYTES;
}

void dev_node_free(dev_client *c, dev_node *n) {
    if (n->handle) dev_object_drop(c, n->handle);
    if (n->work) {
        if (n->work->kind == DEV_WORK_CONDITIONAL && n->handle)
            n->work->conditional.on->used = false;
        c->budget.queued -= n->work->bytes + NODE_BYTES;
        dev_graph_drop(c, n->work);
    }
    c->budget.queued -= n->dep_count * DEV_EDGE_BYTES;
    free(n->deps);
    free(n);
}

void dev_graph_free(dev_client *c, dev_graph *g) {
    if (c->streams.captures) dev_capture_forget(c, g);
    for (size_t i = 0; i < g->count; i++) dev_node_free(c, g->nodes[i]);
    dev_conditions_free(c, g);
    if (g->handle) dev_object_drop(c, g->handle);
    c->budget.queued -= GRAPH_BYTES;
    free(g->nodes);
    free(g);
}

bool dev_graph_owned(const dev_graph *g) {
    return g->owner != NULL;
}

dev_node *dev_graph_add(dev_client *c, dev_graph *g, int type, dev_work *w, dev_node *const *deps,
                        size_t dep_count) {
    dev_node *n = calloc(1, sizeof *n);
    if (!n || !w || g->count >= DEV_GRAPH_NODES || dep_count > g->count ||
        c->budget.queued + w->bytes + NODE_BYTES + dep_count * DEV_EDGE_BYTES > dev_part_limit(c))
        goto fail;
    if (!lib_grow(&g->nodes, &g->room, g->count, sizeof *g->nodes, 16)) goto fail;
    if (dep_count && !(n->deps = malloc(dep_count * sizeof(dev_node *)))) goto fail;
    if (g->handle && !(n->handle = dev_object_new(c, DEV_NODE, n))) goto fail;
    for (size_t i = 0; i < dep_count; i++) n->deps[i] = deps[i];
    n->dep_count = dep_count;
    n->graph = g, n->type = type, n->enabled = true, n->index = g->count;
    node_adopt(c, n, w);
    c->budget.queued += dep_count * DEV_EDGE_BYTES;
    return g->nodes[g->count++] = n;
fail:
    if (n) free(n->deps);
    free(n);
    dev_graph_drop(c, w);
    return NULL;
}

/* Copies work together with the graphs below it. */
static dev_work *node_copy_work(dev_client *c, const dev_work *from, bool named, unsigned depth) {
    size_t n;
    dev_work *w = dev_work_copy(from);
    if (!w) return NULL;
    dev_graph **below = dev_graph_below(w, &n), **source = below, *child = w->child;
    if (w->kind == DEV_WORK_CHILD) source = &child;
    if (w->kind == DEV_WORK_CONDITIONAL)
        below = w->conditional.bodies = calloc(n, sizeof(dev_graph *));
    bool ok = !n || below;
    for (size_t i = 0; ok && i < n; i++) {
        below[i] = dev_graph_clone(c, source[i], named, depth + 1);
        ok = below[i] != NULL;
    }
    if (ok) return w;
    if (!below) w->conditional.size = 0;
    dev_graph_drop(c, w);
    return NULL;
}

dev_graph *dev_graph_clone(dev_client *c, const dev_graph *g, bool named, unsigned depth) {
    dev_graph *to = depth < DEV_GRAPH_DEPTH ? dev_graph_new(c, named) : NULL;
    if (!to) return NULL;
    for (size_t i = 0; i < g->count; i++) {
        const dev_node *n = g->nodes[i];
        dev_work *w = node_copy_work(c, n->work, named, depth);
        dev_node *copy = w ? dev_graph_add(c, to, n->type, w, NULL, 0) : NULL;
        if (!copy) {
            dev_graph_free(c, to);
            return NULL;
        }
        copy->origin = n->handle ? n->handle : n->origin;
        copy->enabled = n->enabled;
    }
    for (size_t i = 0; i < g->count; i++) {
        const dev_node *n = g->nodes[i];
        if (!n->dep_count) continue;
        dev_node *copy = to->nodes[i];
        if (c->budget.queued + n->dep_count * DEV_EDGE_BYTES > dev_part_limit(c) ||
            !(copy->deps = malloc(n->dep_count * sizeof(dev_node *)))) {
            dev_graph_free(c, to);
            return NULL;
        }
        for (size_t j = 0; j < n->dep_count; j++) copy->deps[j] = to->nodes[n->deps[j]->index];
        copy->dep_count = n->dep_count;
        c->budget.queued += n->dep_count * DEV_EDGE_BYTES;
    }
    return to;
}

bool dev_graph_nodes(dev_client *c, const dev_graph *g, const uint8_t *span, size_t bytes,
                     dev_node ***out, size_t *count) {
    *count = bytes / 8;
    *out = malloc((*count + 1) * sizeof(dev_node *));
    if (!*out || bytes % 8) goto fail;
    for (size_t i = 0; i < *count; i++) {
        uint64_t h;
        memcpy(&h, span + 8 * i, 8);
        dev_node *n = dev_object(c, h, DEV_NODE);
        if (!n || n->graph != g) goto fail;
        (*out)[i] = n;
    }
    return true;
fail:
    free(*out);
    *out = NULL;
    return false;
}

/* ---- questions */

unsigned dev_graph_depth(const dev_graph *g) {
    unsigned depth = 0;
    for (; g->owner; g = g->owner->graph) depth++;
    return depth;
}

bool dev_graph_conditional(const dev_graph *g) {
    for (size_t i = 0; i < g->count; i++) {
        const dev_work *w = g->nodes[i]->work;
        if (w->kind == DEV_WORK_CONDITIONAL) return true;
        if (w->kind == DEV_WORK_CHILD && dev_graph_conditional(w->child)) return true;
    }
    return false;
}

dev_node *dev_graph_copy_of(const dev_graph *g, uint64_t origin) {
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->origin == origin) return g->nodes[i];
        size_t count;
        dev_graph **below = dev_graph_below(g->nodes[i]->work, &count);
        for (size_t j = 0; j < count; j++) {
            dev_node *n = dev_graph_copy_of(below[j], origin);
            if (n) return n;
        }
    }
    return NULL;
}

/* ---- changes */

void dev_node_replace(dev_client *c, dev_node *n, dev_work *w) {
    c->budget.queued -= n->work->bytes + NODE_BYTES;
    dev_graph_drop(c, n->work);
    node_adopt(c, n, w);
}

bool dev_node_follows(const dev_node *to, const dev_node *from) {
    for (size_t i = 0; i < to->dep_count; i++)
        if (to->deps[i] == from) return true;
    return false;
}

bool dev_node_drop_edge(dev_client *c, dev_node *to, const dev_node *from) {
    for (size_t i = 0; i < to->dep_count; i++)
        if (to->deps[i] == from) {
            c->budget.queued -= DEV_EDGE_BYTES;
            to->deps[i] = to->deps[--to->dep_count];
            return true;
        }
    return false;
}
