/* Puts memory back as it was: either all memory as before a launch, from copies made at once (the
 * debugger runs the launch again), or one owner's memory as at its mark, from the copies of past.c
 * (replays of a call). Also finds out which memory belongs to an owner. */
#include "runner/device/sim/memory/memory_internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- all of it, as it was before a launch ---- */

struct sim_snapshot {
    sim_kept *at;
    size_t n;
    uint64_t heap_next, heap_used, serial;
};

static uint64_t kept_bytes(const sim_table *t, size_t *live) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->n; i++)
        if (!t->at[i]->freed) {
            bytes += t->at[i]->size;
            ++*live;
        }
    return bytes;
}

static bool keep_table(sim_snapshot *s, const sim_table *t) {
    for (size_t i = 0; i < t->n; i++) {
        sim_alloc *x = t->at[i];
        if (x->freed) continue;
        sim_kept *k = &s->at[s->n++];
        *k = (sim_kept){.x = x, .bytes = malloc(x->size), .hole = x->hole};
        if (!k->bytes) return false;
        memcpy(k->bytes, x->host, x->size);
        if (!x->init) continue;
        if (!(k->init = malloc(x->init_words * sizeof *x->init))) return false;
        memcpy(k->init, x->init, x->init_words * sizeof *x->init);
    }
    return true;
}

sim_snapshot *sim_memory_keep(sim_memory *m, uint64_t most) {
    size_t live = 0;
    uint64_t bytes = kept_bytes(&m->dev.t, &live) + kept_bytes(&m->heap->r.t, &live) +
                     kept_bytes(&m->map, &live);
    sim_snapshot *s = bytes <= most ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    s->heap_next = m->heap->r.next;
    s->heap_used = m->heap->used;
    s->serial = m->serial;
    s->at = calloc(live + 1, sizeof *s->at);
    if (s->at && keep_table(s, &m->dev.t) && keep_table(s, &m->heap->r.t) &&
        keep_table(s, &m->map)) {
        m->kept = true;
        return s;
    }
    sim_memory_forget(m, s);
    return NULL;
}

static void restore_alloc(sim_memory *m, const sim_kept *k) {
    sim_alloc *x = k->x;
    if (x->freed) sim_memory_range_of(m, x->base)->t.freed--;
    x->freed = false;
    memcpy(x->host, k->bytes, x->size);
    x->hole = k->hole;
    if (!k->init) {
        free(x->init);
        x->init = NULL;
        return;
    }
    if (!x->init && !(x->init = malloc(x->init_words * sizeof *x->init))) return;
    memcpy(x->init, k->init, x->init_words * sizeof *x->init);
    x->written = true;
    sim_memory_list(m, x);
}

void sim_memory_restore(sim_memory *m, const sim_snapshot *s) {
    sim_memory_heap_back(m, m->heap, s->heap_next, s->heap_used);
    for (size_t i = 0; i < s->n; i++) restore_alloc(m, &s->at[i]);
    m->serial = s->serial;
    atomic_fetch_add(&m->generation, 1);
}

void sim_memory_forget(sim_memory *m, sim_snapshot *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->at[i].bytes);
        free(s->at[i].init);
    }
    free(s->at);
    free(s);
    m->kept = false;
}

/* ---- one owner's memory, as it was at a mark ---- */

void sim_past_adopt(sim_memory *m, sim_addr base) {
    sim_alloc *x = (sim_alloc *)(uintptr_t)sim_memory_find(m, base);
    if (!x || !m->past) return;
    x->of = m->past;
    x->kept = m->past->time ? m->past->time - 1 : 0;
}

/* Makes an allocation like a new one. */
static bool past_fresh(sim_memory *m, sim_alloc *x) {
    enum { PAGE = 4096, MANY = 64 * PAGE };
    uint8_t *end = x->host + x->size, *from = x->host, *to = end;
    if (x->size >= MANY) {
        from = (uint8_t *)(((uintptr_t)from + PAGE - 1) & -(uintptr_t)PAGE);
        to = (uint8_t *)((uintptr_t)to & -(uintptr_t)PAGE);
        if (madvise(from, (size_t)(to - from), MADV_DONTNEED)) return false; /* reads as zeros */
        memset(x->host, 0, (size_t)(from - x->host));
        memset(to, 0, (size_t)(end - to));
    } else memset(from, 0, x->size);
    return sim_memory_unwritten(m, x);
}

static bool past_back(sim_memory *m, sim_kept *k) {
    sim_alloc *x = k->x;
    k->freed = x->freed;
    if (x->freed) {
        sim_memory_range_of(m, x->base)->t.freed--;
        if (x->kind != SIM_ALLOC_HEAP && x->kind != SIM_ALLOC_CONST)
            m->used += sim_memory_rounded(x->size);
        x->freed = false;
    }
    if (!k->bytes) return past_fresh(m, x);
    restore_alloc(m, k);
    return !k->init || x->init;
}

bool sim_past_rewind(sim_past *i) {
    sim_memory *m = i->m;
    if (i->lost) return false;
    if (i->heap) sim_memory_heap_back(m, &m->heaps[i->heap], i->heap_next, i->heap_used);
    bool all = true;
    sim_memory_sweep(m);
    for (size_t k = 0; k < i->n; k++) all = past_back(m, &i->at[k]) && all;
    atomic_fetch_add(&m->generation, 1);
    return all;
}

void sim_past_end(sim_past *i) {
    for (size_t k = 0; k < i->n; k++)
        if (i->at[k].freed && !i->at[k].x->freed) sim_memory_drop(i->m, i->at[k].x->base);
}

/* ---- owners of memory ---- */

sim_past *sim_past_new(sim_memory *m) {
    sim_past *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->m = m;
    i->heap = sim_memory_heap_new(m);
    return i;
}

static void past_leave(const sim_past *i, const sim_table *t) {
    for (size_t k = 0; k < t->n; k++)
        if (t->at[k]->of == i) t->at[k]->of = NULL;
}

void sim_past_free(sim_past *i) {
    if (!i) return;
    sim_past_empty(i);
    past_leave(i, &i->m->dev.t);
    past_leave(i, &i->m->cst.t);
    past_leave(i, &i->m->heaps[0].r.t);
    if (i->m->past == i) i->m->past = NULL;
    sim_memory_heap_free(i->m, i->heap);
    free(i->at);
    free(i);
}

void sim_past_use(sim_memory *m, sim_past *i) {
    m->past = i;
    m->heap = &m->heaps[i ? i->heap : 0];
}
