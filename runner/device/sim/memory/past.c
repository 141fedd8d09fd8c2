/* The device memory of one owner as it was at a mark, copied when it is overwritten. restore.c puts
 * it back.
 *
 *   sim_past_mark --time + 1--> an allocation's `kept` is older: sim_past_stale()
 *       --its first write by any code, or its end--> sim_past_save: one copy */
#include "runner/device/sim/memory/memory_internal.h"
#include "runner/base/buffer.h"
#include <stdlib.h>
#include <string.h>

void sim_past_empty(sim_past *i) {
    for (size_t k = 0; k < i->n; k++) {
        i->at[k].x->held = false;
        free(i->at[k].bytes);
        free(i->at[k].init);
    }
    i->n = 0;
    i->lost = false;
}

static sim_kept *past_add(sim_past *i, sim_alloc *x) {
    if (!lib_grow(&i->at, &i->room, i->n, sizeof *i->at, 64)) {
        i->lost = true;
        return NULL;
    }
    x->held = true;
    i->at[i->n] = (sim_kept){.x = x, .hole = x->hole};
    return &i->at[i->n++];
}

void sim_past_born(sim_memory *m, sim_alloc *x) {
    sim_past *i = m->past;
    if (!i || (x->kind != SIM_ALLOC_USER && x->kind != SIM_ALLOC_HEAP)) return;
    x->of = i;
    x->kept = x->born = i->time;
    if (x->kind == SIM_ALLOC_USER && i->time && !i->lost) past_add(i, x);
    if (x->kind == SIM_ALLOC_HEAP && !i->heap) i->lost = true;
}

void sim_past_mark(sim_past *i, uint64_t most) {
    sim_past_empty(i);
    i->time++;
    i->left = most;
    i->heap_next = i->m->heaps[i->heap].r.next;
    i->heap_used = i->m->heaps[i->heap].used;
}

static bool past_copy(sim_past *i, sim_alloc *x) {
    if (i->lost || x->size > i->left) return false;
    sim_kept *k = past_add(i, x);
    if (!k) return false;
    if (!(k->bytes = malloc(x->size))) {
        i->n--;
        return false;
    }
    memcpy(k->bytes, x->host, x->size);
    i->left -= x->size;
    if (!x->init) return true;
    if (!(k->init = malloc(x->init_words * sizeof *x->init))) return false;
    memcpy(k->init, x->init, x->init_words * sizeof *x->init);
    return true;
}

void sim_past_save(sim_alloc *x) {
    if (!past_copy(x->of, x)) x->of->lost = true;
    atomic_store_explicit(&x->kept, x->of->time, memory_order_release);
}

void sim_past_save_locked(sim_alloc *x) {
    pthread_mutex_lock(&x->of->m->lock);
    if (sim_past_stale(x)) sim_past_save(x);
    pthread_mutex_unlock(&x->of->m->lock);
}
