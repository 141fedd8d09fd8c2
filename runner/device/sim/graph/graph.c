/* Post-dominators: the dominators of the reversed graph, from its exit. */
#include "runner/device/sim/graph/graph.h"
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

bool sim_graph_new(sim_graph *g, uint32_t n, uint32_t edges) {
    *g = (sim_graph){.n = n,
                     .first = calloc(n + 1, sizeof *g->first),
                     .to = malloc((edges + 1) * sizeof *g->to)};
    return g->first && g->to;
}

void sim_graph_free(sim_graph *g) {
    free(g->first);
    free(g->to);
}

/* Reverses the edges; the exit is vertex n. The search must also reach blocks from which no path
 * leads to the exit (endless loops), so one block of each such region gets an edge from the
 * exit. */
static bool reverse_graph(const sim_graph *g, uint8_t *out, sim_graph *r) {
    uint32_t n = g->n, *stack = malloc((n + 1) * sizeof *stack),
             *fill = calloc(n + 2, sizeof *fill);
    uint8_t *seen = calloc(n + 1, 1);
    *r = (sim_graph){.n = n + 1,
                     .first = calloc(n + 3, sizeof *r->first),
                     .to = malloc((g->first[n] + n + 1) * sizeof *r->to)};
    bool ok = stack && fill && seen && r->first && r->to;
    for (uint32_t pass = 0; ok && pass < 2; pass++) {
        /* Count, sum up, fill. The second pass adds the extra exits. */
        memset(r->first, 0, (n + 3) * sizeof *r->first);
        for (uint32_t v = 0; v < n; v++) {
            r->first[n + 1] += out[v];
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) r->first[g->to[e] + 1]++;
        }
        for (uint32_t v = 0; v <= n; v++) r->first[v + 1] += r->first[v];
        memcpy(fill, r->first, (n + 1) * sizeof *fill);
        for (uint32_t v = 0; v < n; v++) {
            if (out[v]) r->to[fill[n]++] = v;
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) r->to[fill[g->to[e]]++] = v;
        }
        if (pass) break;
        uint32_t top = 0;
        /* first the vertices that the exit reaches, then from each block that is left, the last one
         * first */
        for (uint32_t start = n, next = n;; start = next) {
            if (!seen[start]) {
                if (start < n) out[start] = 1;
                seen[start] = 1;
                stack[top++] = start;
            }
            while (top) {
                uint32_t v = stack[--top];
                for (uint32_t e = r->first[v]; e < r->first[v + 1]; e++) {
                    if (seen[r->to[e]]) continue;
                    seen[r->to[e]] = 1;
                    stack[top++] = r->to[e];
                }
            }
            if (next == 0) break;
            next--;
        }
    }
    free(stack);
    free(fill);
    free(seen);
    return ok;
}

/* ---- dominators: T. Lengauer, R. E. Tarjan, "A fast algorithm for finding dominators in a
 * flowgraph", the simple variant ---- */
typedef struct {
    uint32_t *vertex, *number, *parent, *semi, *ancestor, *label, *dom, *bucket, *bucket_next,
        *stack, *edge;
} lt;

static uint32_t lt_eval(lt *t, uint32_t v) {
    uint32_t top = 0, u = v;
    if (t->ancestor[v] == NONE) return v;
    for (; t->ancestor[t->ancestor[u]] != NONE; u = t->ancestor[u]) t->stack[top++] = u;
    while (top) { /* compress, from the root downwards */
        uint32_t w = t->stack[--top], a = t->ancestor[w];
        if (t->semi[t->label[a]] < t->semi[t->label[w]]) t->label[w] = t->label[a];
        t->ancestor[w] = t->ancestor[a];
    }
    return t->label[v];
}

/* Sets dom[v] of every vertex reachable from root; NONE for the root and the others. pred is g
 * reversed. */
static bool dominators(const sim_graph *g, const sim_graph *pred, uint32_t root, uint32_t *dom) {
    uint32_t n = g->n, *mem = malloc((size_t)n * 10 * sizeof *mem);
    if (!mem) return false;
    memset(mem, 0xff, (size_t)n * 10 * sizeof *mem);
    lt t = {mem,
            mem + n,
            mem + 2 * (size_t)n,
            mem + 3 * (size_t)n,
            mem + 4 * (size_t)n,
            mem + 5 * (size_t)n,
            dom,
            mem + 6 * (size_t)n,
            mem + 7 * (size_t)n,
            mem + 8 * (size_t)n,
            mem + 9 * (size_t)n};
    for (uint32_t v = 0; v < n; v++) t.label[v] = v, dom[v] = NONE;
    uint32_t count = 0, top = 0;
    t.stack[top++] = root;
    t.number[root] = t.semi[root] = count;
    t.vertex[count++] = root;
    t.edge[root] = g->first[root];
    while (top) { /* depth first */
        uint32_t v = t.stack[top - 1];
        if (t.edge[v] == g->first[v + 1]) {
            top--;
            continue;
        }
        uint32_t w = g->to[t.edge[v]++];
        if (t.number[w] != NONE) continue;
        t.number[w] = t.semi[w] = count;
        t.vertex[count++] = w;
        t.parent[w] = v;
        t.edge[w] = g->first[w];
        t.stack[top++] = w;
    }
    for (uint32_t i = count; i-- > 1;) {
        uint32_t w = t.vertex[i], p = t.parent[w];
        for (uint32_t e = pred->first[w]; e < pred->first[w + 1]; e++) {
            if (t.number[pred->to[e]] == NONE) continue;
            uint32_t u = lt_eval(&t, pred->to[e]);
            if (t.semi[u] < t.semi[w]) t.semi[w] = t.semi[u];
        }
        t.bucket_next[w] = t.bucket[t.vertex[t.semi[w]]];
        t.bucket[t.vertex[t.semi[w]]] = w;
        t.ancestor[w] = p;
        for (uint32_t v = t.bucket[p]; v != NONE; v = t.bucket_next[v]) {
            uint32_t u = lt_eval(&t, v);
            dom[v] = t.semi[u] < t.semi[v] ? u : p;
        }
        t.bucket[p] = NONE;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t w = t.vertex[i];
        if (dom[w] != t.vertex[t.semi[w]]) dom[w] = dom[dom[w]];
    }
    free(mem);
    return true;
}

bool sim_post_dominators(const sim_graph *g, uint8_t *leaves, int32_t *ipdom) {
    sim_graph r = {0}, back = {0};
    uint32_t n = g->n, *dom = malloc((n + 1) * sizeof *dom);
    bool ok = dom && reverse_graph(g, leaves, &r);
    if (ok) { /* the predecessors in the reverse graph: the forward edges, and the exit's */
        uint32_t *fill = calloc(n + 3, sizeof *fill);
        back = (sim_graph){.n = n + 1,
                           .first = calloc(n + 3, sizeof *back.first),
                           .to = malloc((r.first[n + 1] + 1) * sizeof *back.to)};
        ok = fill && back.first && back.to;
        if (ok) {
            for (uint32_t e = 0; e < r.first[n + 1]; e++) back.first[r.to[e] + 1]++;
            for (uint32_t v = 0; v <= n; v++) back.first[v + 1] += back.first[v];
            memcpy(fill, back.first, (n + 2) * sizeof *fill);
            for (uint32_t v = 0; v <= n; v++)
                for (uint32_t e = r.first[v]; e < r.first[v + 1]; e++) back.to[fill[r.to[e]]++] = v;
            ok = dominators(&r, &back, n, dom);
        }
        free(fill);
    }
    for (uint32_t v = 0; ok && v < n; v++)
        ipdom[v] = dom[v] == NONE || dom[v] == n ? -1 : (int32_t)dom[v];
    sim_graph_free(&r);
    sim_graph_free(&back);
    free(dom);
    return ok;
}
