/* The allocation table and the host's side of device memory (memory.h has the address map).
 *
 *   device range   offsets into one PROT_NONE reservation; its start is opened as addresses grow
 *   const window   the same, smaller
 *   mapped ranges  the caller's memory
 *
 * Each has a table sorted by base and searched by bisection. The tables are reservations, too, so
 * that they can grow without moving while others read them. Freed records stay in the table to
 * explain a use after free, until there are too many of them. */
#include "runner/device/sim/memory/memory_internal.h"
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/device/sim/memory/shadow.h"
#include "words/memory.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <errno.h>

enum {
    PAGE = 4096,
    ALIGN = 256,
    SLICE = 512,
    FREED_KEPT = 16384,
    LARGE_PAGE = 2 << 20,
    LARGE = 4 << 20
};
static const uint64_t HEAP_LIMIT = 8u << 20, NEAR = 16u << 20, OPEN_STEP = 64u << 20,
                      CONST_BYTES = 256u << 20;
static const sim_addr HIGHEST = 1ull << 47; /* highest address that a process can map */
static const size_t TABLE_ENTRIES = (size_t)1 << 26;
/* a NaN as a float and, twice, as a double; unlikely as an integer */
static const uint32_t POISON = 0x7ff7a5a5;

/* ---- reservations ---- */

/* Switches large pages off. Some kernels (transparent_hugepage=always) give a large page to a
 * process that touches one byte, and keep it when the pages around it are given back. A large
 * allocation asks for large pages itself. */
static void *reserve(uint64_t n) {
    void *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, n, MADV_NOHUGEPAGE);
    return p;
}

static bool table_init(sim_table *t) {
    for (t->cap = TABLE_ENTRIES; t->cap >= 4096; t->cap /= 4) {
        t->at = reserve(t->cap * sizeof(sim_alloc *));
        if (t->at) return true;
    }
    return false;
}

static void table_free(sim_table *t) {
    if (!t->at) return;
    for (size_t i = 0; i < t->n; i++) {
        free(t->at[i]->init);
        free(t->at[i]->name);
        free(t->at[i]);
    }
    munmap(t->at, t->cap * sizeof(sim_alloc *));
}

static bool table_room(sim_table *t) {
    size_t n = atomic_load(&t->n);
    if (n >= t->cap) return false;
    if ((n + 1) * sizeof(sim_alloc *) <= t->open) return true;
    size_t want = t->open ? t->open * 2 : 64 * 1024;
    if (want > t->cap * sizeof(sim_alloc *)) want = t->cap * sizeof(sim_alloc *);
    if (mprotect(t->at, want, PROT_READ | PROT_WRITE)) return false;
    t->open = want;
    return true;
}

/* Returns the index of the first record whose base is above a. */
static size_t table_above(const sim_table *t, sim_addr a) {
    size_t lo = 0, hi = atomic_load_explicit(&((sim_table *)(uintptr_t)t)->n, memory_order_acquire);
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->at[mid]->base <= a) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* The caller has made room. Appending is safe while others read, any other insertion is not. */
static void table_insert(sim_table *t, sim_alloc *x) {
    size_t n = atomic_load(&t->n), i = n;
    if (n && t->at[n - 1]->base > x->base) {
        i = table_above(t, x->base);
        memmove(t->at + i + 1, t->at + i, (n - i) * sizeof(sim_alloc *));
    }
    t->at[i] = x;
    atomic_store_explicit(&t->n, n + 1, memory_order_release);
}

void sim_memory_record_free(sim_alloc *x) {
    free(x->init);
    free(x->name);
    free(x);
}

/* Drops the freed records that are older than `before` or overlap [lo, hi). */
static void table_forget(sim_table *t, uint64_t before, sim_addr lo, sim_addr hi) {
    size_t out = 0, n = atomic_load(&t->n);
    for (size_t i = 0; i < n; i++) {
        sim_alloc *x = t->at[i];
        bool old = x->serial < before || (x->base < hi && x->base + x->size > lo);
        if (x->freed && !x->held && old) {
            sim_memory_record_free(x);
            t->freed--;
        } else t->at[out++] = x;
    }
    atomic_store(&t->n, out);
}

static bool range_init(sim_memory_range *r, sim_addr base, uint64_t size, uint64_t least) {
    r->base = base;
    for (r->size = size; r->size >= least; r->size /= 2)
        if ((r->host = reserve(r->size))) return table_init(&r->t);
    return false;
}

static void range_free(sim_memory_range *r) {
    table_free(&r->t);
    if (r->host) munmap(r->host, r->size);
}

static bool range_open(sim_memory_range *r, uint64_t end) {
    if (end <= r->open) return true;
    uint64_t want = (end + OPEN_STEP - 1) / OPEN_STEP * OPEN_STEP;
    if (want > r->size) want = r->size;
    if (want < end) return false;
    if (mprotect(r->host + r->open, want - r->open, PROT_READ | PROT_WRITE)) return false;
    r->open = want;
    return true;
}

sim_memory *sim_memory_new(uint64_t limit, unsigned device_index, bool check_uninit,
                           lib_message *msg) {
    sim_memory *m = calloc(1, sizeof *m);
    if (!m) goto fail;
    pthread_mutex_init(&m->lock, NULL);
    m->limit = limit;
    m->heap = m->heaps;
    m->heap->limit = HEAP_LIMIT;
    m->index = device_index & 15;
    m->check_uninit = check_uninit;
    m->generation = 1;
    if (range_init(&m->dev, SIM_DEV_BASE(m->index), SIM_HEAP_AT, 64u << 20) &&
        range_init(&m->cst, SIM_CONST_WINDOW(m->index), CONST_BYTES, 1u << 20) &&
        table_init(&m->map))
        return m;
fail:
    lib_message_set(msg, w_memory_no_address_space(errno));
    sim_memory_free(m);
    return NULL;
}

void sim_memory_free(sim_memory *m) {
    if (!m) return;
    range_free(&m->dev);
    range_free(&m->cst);
    for (unsigned i = 0; i < SIM_HEAPS; i++) range_free(&m->heaps[i].r);
    table_free(&m->map);
    pthread_mutex_destroy(&m->lock);
    free(m->marked);
    free(m);
}

/* ---- the bitmap of written bytes ---- */

/* Bits after the end count as written, so a complete bitmap is all ones. */
static uint64_t *bitmap_new(uint64_t size, uint64_t *words) {
    *words = (size + 63) / 64;
    uint64_t *b = calloc(*words, sizeof *b);
    if (b && size % 64) b[*words - 1] = ~0ull << (size % 64);
    return b;
}

static void unmark(sim_alloc *x) {
    free(x->init);
    x->init = NULL;
    x->listed = false;
}

/* Puts the allocation into the list of those with a bitmap. */
bool sim_memory_list(sim_memory *m, sim_alloc *x) {
    if (x->listed) return true;
    if (!lib_grow(&m->marked, &m->marked_cap, m->marked_n, sizeof *m->marked, 64)) return false;
    m->marked[m->marked_n++] = x;
    x->listed = true;
    return true;
}

static void mark_written(sim_alloc *x, uint64_t at, uint64_t n) {
    if (!x->init) return;
    if (n == x->size) {
        free(x->init);
        x->init = NULL;
        return;
    }
    sim_bits_set(x->init, at, n, true);
    x->written = true;
}

/* Takes freed allocations and those without a bitmap off the list. Must run before records are
 * dropped. */
void sim_memory_sweep(sim_memory *m) {
    size_t kept = 0;
    for (size_t i = 0; i < m->marked_n; i++) {
        if (m->marked[i]->init && !m->marked[i]->freed) m->marked[kept++] = m->marked[i];
        else unmark(m->marked[i]);
    }
    m->marked_n = kept;
}

bool sim_memory_unwritten(sim_memory *m, sim_alloc *x) {
    if (!m->check_uninit) return true;
    free(x->init);
    x->hole = 0;
    return (x->init = bitmap_new(x->size, &x->init_words)) && sim_memory_list(m, x);
}

static bool mark_unwritten(sim_memory *m, sim_alloc *x, uint64_t at, uint64_t n) {
    if (!x->init) {
        if (!sim_memory_list(m, x) || !(x->init = bitmap_new(x->size, &x->init_words)))
            return false;
        sim_bits_set(x->init, 0, x->size, true);
    }
    sim_bits_set(x->init, at, n, false);
    if (x->hole > at / 64) x->hole = at / 64;
    return true;
}

static void carry_marks(sim_memory *m, sim_alloc *to, uint64_t t, const sim_alloc *from, uint64_t f,
                        uint64_t n) {
    if (!from->init) {
        mark_written(to, t, n);
        return;
    }
    /* a completely written target stays so if the copied part of the source is */
    for (uint64_t i = 0; i < n && !to->init; i += 64) {
        unsigned k = n - i < 64 ? (unsigned)(n - i) : 64;
        uint64_t all = k == 64 ? ~0ull : (1ull << k) - 1;
        /* makes the bitmap, which is set below */
        if (sim_bits_get(from->init, f + i, k) != all && !mark_unwritten(m, to, t, 1)) return;
    }
    if (!to->init) return;
    bool down = to == from && t > f;
    for (uint64_t i = 0; i < n; i += 64) {
        uint64_t off = down ? (n - 1) / 64 * 64 - i : i;
        unsigned k = n - off < 64 ? (unsigned)(n - off) : 64;
        uint64_t v = sim_bits_get(from->init, f + off, k);
        sim_bits_set(to->init, t + off, k, false);
        for (unsigned j = 0; j < k;) { /* runs of ones */
            uint64_t rest = v >> j;
            if (!rest) break;
            j += (unsigned)__builtin_ctzll(rest);
            rest = v >> j;
            unsigned ones = ~rest ? (unsigned)__builtin_ctzll(~rest) : 64 - j;
            if (ones > k - j) ones = k - j;
            sim_bits_set(to->init, t + off + j, ones, true);
            j += ones;
        }
    }
    if (to->hole > t / 64) to->hole = t / 64;
    to->written = true;
}

/* ---- allocating and freeing ---- */

uint64_t sim_memory_rounded(uint64_t n) {
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Unused addresses after an allocation: enough that a block or a grid that runs past a ragged end
 * lands in the gap. */
static uint64_t gap(uint64_t n) {
    return n < PAGE ? ALIGN : n < (64u << 10) ? PAGE : 64u << 10;
}

/* Returns the offset of a free stretch of `need` bytes in the range, or UINT64_MAX. Takes unused
 * addresses first. When they are used up, takes the first stretch between live allocations and
 * drops the freed records in it (never during a launch: `fresh_only`). */
static uint64_t range_place(sim_memory *m, sim_memory_range *r, uint64_t need, uint64_t align,
                            bool fresh_only) {
    uint64_t at = (r->next + align - 1) / align * align;
    if (at <= r->size && need <= r->size - at) {
        if (!range_open(r, at + need)) return UINT64_MAX;
        r->next = at + need;
        return at;
    }
    if (fresh_only) return UINT64_MAX;
    uint64_t end = 0;
    size_t n = r->t.n;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && r->t.at[i]->freed && !r->t.at[i]->held) continue;
        uint64_t start = i < n ? r->t.at[i]->base - r->base : r->next;
        if (start >= end && start - end >= need) {
            if (!range_open(r, end + need)) return UINT64_MAX;
            sim_memory_sweep(m);
            table_forget(&r->t, 0, r->base + end, r->base + end + need);
            return end;
        }
        if (i < n) end = start + sim_memory_rounded(r->t.at[i]->size) + gap(r->t.at[i]->size);
    }
    return UINT64_MAX;
}

static sim_status memory_place(sim_memory *m, sim_memory_range *r, uint64_t n, sim_alloc_kind kind,
                               const char *name, bool in_launch, sim_addr *out) {
    *out = 0;
    if (n > r->size / 2) return SIM_NOMEM;
    sim_alloc *x = calloc(1, sizeof *x);
    if (!x || !(x->name = strdup(name ? name : "")) || !table_room(&r->t)) goto fail;
    bool unwritten = m->check_uninit && (kind == SIM_ALLOC_USER || kind == SIM_ALLOC_HEAP);
    if (unwritten && !(x->init = bitmap_new(n, &x->init_words))) goto fail;
    /* Neighbouring bytes of this many share a slice of L2. An array that began in the middle of
     * them would have the time of its atomics from what was allocated before it. */
    uint64_t align = kind == SIM_ALLOC_USER ? SLICE : ALIGN,
             at = range_place(m, r, sim_memory_rounded(n) + gap(n), align, in_launch);
    if (at == UINT64_MAX || (unwritten && !sim_memory_list(m, x))) goto fail;
    x->base = r->base + at;
    x->host = r->host + at;
    x->size = n;
    x->kind = (uint8_t)kind;
    table_insert(&r->t, x);
    sim_past_born(m, x);
    *out = x->base;
    return SIM_OK;
fail:
    if (x) sim_memory_record_free(x);
    return SIM_NOMEM;
}

sim_status sim_memory_alloc(sim_memory *m, uint64_t n, sim_alloc_kind kind, const char *name,
                            sim_addr *out) {
    *out = 0;
    if (!n) return SIM_BAD_ARGUMENT;
    if (kind == SIM_ALLOC_CONST) return memory_place(m, &m->cst, n, kind, name, false, out);
    if (n > m->limit || sim_memory_rounded(n) > m->limit - m->used) return SIM_NOMEM;
    sim_status s = memory_place(m, &m->dev, n, kind, name, false, out);
    if (s == SIM_OK) m->used += sim_memory_rounded(n);
    /* large pages, from its first byte on, because lanes access it anywhere */
    if (s == SIM_OK && n >= LARGE) {
        const sim_alloc *x = sim_memory_find(m, *out);
        uintptr_t from = (uintptr_t)x->host & -(uintptr_t)LARGE_PAGE, low = (uintptr_t)m->dev.host,
                  to = ((uintptr_t)x->host + n) & -(uintptr_t)LARGE_PAGE;
        if (from < low) from = low;
        if (from < to) madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    return s;
}

/* Gives the pages of freed record i back to the system, which zeroes them: pages that belong only
 * to it and to freed neighbours. */
static void give_back(sim_memory_range *r, size_t i) {
    sim_alloc *const *at = r->t.at, *x = at[i];
    size_t n = atomic_load(&r->t.n);
    uint64_t start = x->base - r->base, end = start + sim_memory_rounded(x->size);
    uint64_t lo = start / PAGE * PAGE, hi = (end + PAGE - 1) / PAGE * PAGE;
    for (size_t k = i; k--;) { /* a live neighbour in the first page keeps that page */
        uint64_t tail = at[k]->base - r->base + at[k]->size;
        if (tail <= lo) break;
        if (at[k]->freed) continue;
        lo += PAGE;
        break;
    }
    for (size_t k = i + 1; k < n && at[k]->base - r->base < hi; k++)
        if (!at[k]->freed) {
            hi -= PAGE;
            break;
        }
    if (hi > r->open) hi = r->open;
    if (lo < hi) madvise(r->host + lo, hi - lo, MADV_DONTNEED);
}

static sim_addr heap_base(const sim_memory *m, unsigned heap) {
    return m->dev.base + SIM_HEAP_AT + heap * SIM_HEAP_BYTES;
}
static sim_heap *heap_of(sim_memory *m, sim_addr a) {
    return &m->heaps[(a - m->dev.base - SIM_HEAP_AT) / SIM_HEAP_BYTES];
}

/* Returns the live allocation that starts at a, and its index in the table. */
static sim_alloc *starts_at(const sim_table *t, sim_addr a, size_t *index) {
    size_t i = table_above(t, a);
    if (!i || t->at[i - 1]->base != a || t->at[i - 1]->freed) return NULL;
    *index = i - 1;
    return t->at[i - 1];
}

/* Drops old freed records, which only explain a use after free. */
static void forget_old(sim_memory *m, sim_table *t) {
    if (m->kept || t->freed <= 2 * FREED_KEPT || t->freed <= t->n / 2) return;
    sim_memory_sweep(m);
    table_forget(t, m->serial - FREED_KEPT, 0, 0);
}

sim_memory_range *sim_memory_range_of(sim_memory *m, sim_addr a) {
    uint64_t at = a - m->dev.base;
    return a - m->cst.base < SIM_WINDOW_BYTES        ? &m->cst
           : at >= SIM_HEAP_AT && at < SIM_DEV_BYTES ? &heap_of(m, a)->r
                                                     : &m->dev;
}

static sim_status memory_let_go(sim_memory *m, sim_memory_range *r, sim_addr a, bool in_launch,
                                sim_alloc_kind only) {
    size_t i;
    sim_alloc *x = starts_at(&r->t, a, &i);
    if (!x || (only == SIM_ALLOC_HEAP && x->kind != only)) return SIM_BAD_ADDRESS;
    if (sim_past_stale(x)) sim_past_save(x);
    x->freed = true;
    x->serial = ++m->serial;
    r->t.freed++;
    atomic_fetch_add(&m->generation, 1);
    if (x->kind == SIM_ALLOC_HEAP) heap_of(m, a)->used -= x->size;
    else if (r == &m->dev) m->used -= sim_memory_rounded(x->size);
    give_back(r, i);
    if (in_launch) return SIM_OK;
    free(x->init);
    x->init = NULL;
    forget_old(m, &m->dev.t);
    forget_old(m, &m->heap->r.t);
    return SIM_OK;
}

void sim_memory_drop(sim_memory *m, sim_addr a) {
    size_t i;
    sim_memory_range *r = sim_memory_range_of(m, a);
    sim_alloc *x = starts_at(&r->t, a, &i);
    if (x) x->kept = x->of ? x->of->time : 0;
    memory_let_go(m, r, a, true, SIM_ALLOC_USER);
}

sim_status sim_memory_release(sim_memory *m, sim_addr a) {
    if (!a) return SIM_OK;
    return memory_let_go(m, sim_memory_range_of(m, a), a, false, SIM_ALLOC_USER);
}

sim_status sim_memory_device_alloc(sim_memory *m, uint64_t n, sim_addr *out) {
    *out = 0;
    if (!n) return SIM_NOMEM;
    pthread_mutex_lock(&m->lock);
    sim_heap *h = m->heap;
    h->fixed = true;
    bool room = n <= h->limit - h->used &&
                (h->r.host || range_init(&h->r, heap_base(m, (unsigned)(h - m->heaps)),
                                         SIM_HEAP_BYTES, 64u << 20));
    sim_status s = room ? memory_place(m, &h->r, n, SIM_ALLOC_HEAP, NULL, true, out) : SIM_NOMEM;
    if (s == SIM_OK) h->used += n;
    pthread_mutex_unlock(&m->lock);
    return s;
}

sim_status sim_memory_device_free(sim_memory *m, sim_addr a) {
    if (!a) return SIM_OK;
    pthread_mutex_lock(&m->lock);
    sim_status s = memory_let_go(m, sim_memory_range_of(m, a), a, true, SIM_ALLOC_HEAP);
    pthread_mutex_unlock(&m->lock);
    return s;
}

bool sim_memory_set_heap_limit(sim_memory *m, uint64_t bytes) {
    if (m->heap->fixed) return false;
    m->heap->limit = bytes;
    return true;
}

uint64_t sim_memory_heap_used(const sim_memory *m) {
    return m->heap->used;
}

unsigned sim_memory_heap_new(sim_memory *m) {
    for (unsigned i = 1; i < SIM_HEAPS; i++)
        if (!m->heaps[i].taken) {
            m->heaps[i] = (sim_heap){.limit = HEAP_LIMIT, .taken = true};
            return i;
        }
    return 0;
}

void sim_memory_heap_back(sim_memory *m, sim_heap *h, uint64_t next, uint64_t used) {
    sim_table *t = &h->r.t;
    size_t n = atomic_load(&t->n), first = n;
    while (first && t->at[first - 1]->base >= h->r.base + next) first--;
    for (size_t i = first; i < n; i++) {
        if (!t->at[i]->freed) t->freed++;
        t->at[i]->freed = true;
    }
    sim_memory_sweep(m);
    for (size_t i = first; i < n; i++) sim_memory_record_free(t->at[i]);
    t->freed -= n - first;
    atomic_store(&t->n, first);
    uint64_t page = (next + PAGE - 1) / PAGE * PAGE, end = page < h->r.open ? page : h->r.open;
    if (next < end) memset(h->r.host + next, 0, end - next);
    if (page < h->r.next) madvise(h->r.host + page, h->r.next - page, MADV_DONTNEED);
    h->r.next = next;
    h->used = used;
}

void sim_memory_heap_free(sim_memory *m, unsigned heap) {
    if (!heap) return;
    sim_memory_heap_back(m, &m->heaps[heap], 0, 0);
    range_free(&m->heaps[heap].r);
    if (m->heap == &m->heaps[heap]) m->heap = m->heaps;
    m->heaps[heap] = (sim_heap){0};
}

sim_status sim_memory_map(sim_memory *m, void *host, uint64_t n, sim_addr at, bool remote) {
    if (!host || !n || !at || at >= HIGHEST || n > HIGHEST - at) return SIM_BAD_ARGUMENT;
    /* the windows belong to the simulated device */
    if (at < SIM_DEV_BASE(16) && at + n > SIM_SHARED_WINDOW) return SIM_BAD_ARGUMENT;
    size_t i = table_above(&m->map, at);
    if (i && m->map.at[i - 1]->base + m->map.at[i - 1]->size > at) return SIM_BAD_ARGUMENT;
    if (i < m->map.n && m->map.at[i]->base < at + n) return SIM_BAD_ARGUMENT;
    sim_alloc *x = calloc(1, sizeof *x);
    if (!x || !(x->name = strdup("")) || !table_room(&m->map)) {
        if (x) sim_memory_record_free(x);
        return SIM_NOMEM;
    }
    x->base = at;
    x->size = n;
    x->host = host;
    x->kind = remote ? SIM_ALLOC_REMOTE : SIM_ALLOC_MAPPED;
    table_insert(&m->map, x);
    return SIM_OK;
}

void sim_memory_wrote_begin(sim_memory *m) {
    m->launch++;
    atomic_store(&m->wrote, 0);
}

static bool of_host(const sim_alloc *x) {
    return x->kind == SIM_ALLOC_MAPPED || x->kind == SIM_ALLOC_REMOTE;
}

/* The launch is about to use memory of the host for the first time. */
static void host_used(sim_memory *m, sim_alloc *x) {
    if (!m->on_use || atomic_load_explicit(&x->used, memory_order_acquire) == m->launch) return;
    pthread_mutex_lock(&m->lock);
    if (x->used != m->launch) m->on_use(m->on_use_user, x->base, x->size);
    atomic_store_explicit(&x->used, m->launch, memory_order_release);
    pthread_mutex_unlock(&m->lock);
}

void sim_memory_wrote(sim_memory *m, sim_alloc *x) {
    if (atomic_load(&x->loaded) == m->launch) atomic_store(&m->fed, m->launch);
    if (!of_host(x)) {
        if (sim_past_stale(x)) sim_past_save_locked(x);
        if (atomic_load(&x->wrote) != m->launch) atomic_store(&x->wrote, m->launch);
        return;
    }
    host_used(m, x);
    if (atomic_exchange(&x->wrote, m->launch) != m->launch) atomic_fetch_add(&m->wrote, x->size);
}

void sim_memory_read_by_launch(sim_memory *m, sim_alloc *x) {
    if (of_host(x)) host_used(m, x);
    if (atomic_load(&x->loaded) != m->launch) atomic_store(&x->loaded, m->launch);
    if (atomic_load(&x->wrote) == m->launch) atomic_store(&m->fed, m->launch);
}

bool sim_memory_launch_fed(const sim_memory *m) {
    return m->launch && atomic_load(&((sim_memory *)(uintptr_t)m)->fed) == m->launch;
}

void sim_memory_on_use(sim_memory *m, void (*fn)(void *user, sim_addr base, uint64_t size),
                       void *user) {
    m->on_use = fn, m->on_use_user = user;
}

bool sim_memory_launch_stored(const sim_memory *m, sim_addr base) {
    const sim_alloc *x = sim_memory_find(m, base);
    return x && m->launch && atomic_load(&((sim_alloc *)(uintptr_t)x)->wrote) == m->launch;
}

bool sim_memory_launch_loaded(const sim_memory *m, sim_addr base) {
    const sim_alloc *x = sim_memory_find(m, base);
    return x && m->launch && atomic_load(&((sim_alloc *)(uintptr_t)x)->loaded) == m->launch;
}

void *sim_memory_rehost(sim_memory *m, sim_addr at, void *host) {
    size_t i;
    sim_alloc *x = starts_at(&m->map, at, &i);
    if (!x) return NULL;
    void *was = x->host;
    x->host = host;
    atomic_fetch_add(&m->generation, 1);
    return was;
}

uint64_t sim_memory_wrote_bytes(const sim_memory *m) {
    return atomic_load(&((sim_memory *)(uintptr_t)m)->wrote);
}

bool sim_memory_has_mapped(const sim_memory *m) {
    return m->map.n != 0;
}

const sim_alloc *sim_memory_mapped(const sim_memory *m, size_t i) {
    return i < m->map.n ? m->map.at[i] : NULL;
}

sim_status sim_memory_unmap(sim_memory *m, sim_addr at) {
    size_t i;
    sim_alloc *x = starts_at(&m->map, at, &i);
    if (!x) return SIM_BAD_ADDRESS;
    size_t n = m->map.n;
    memmove(m->map.at + i, m->map.at + i + 1, (n - i - 1) * sizeof(sim_alloc *));
    atomic_store(&m->map.n, n - 1);
    sim_memory_record_free(x);
    atomic_fetch_add(&m->generation, 1);
    return SIM_OK;
}

/* ---- looking up ---- */

void sim_memory_peer(sim_memory *m, const sim_memory *peer) {
    if (peer->index != m->index) m->peer[peer->index] = peer;
}
void sim_memory_reach(sim_memory *m, unsigned peers) {
    m->reach = peers;
}

static const sim_table *device_table(const sim_memory *m, uint64_t at) {
    return at < SIM_HEAP_AT ? &m->dev.t : &m->heaps[(at - SIM_HEAP_AT) / SIM_HEAP_BYTES].r.t;
}

static const sim_table *table_of(const sim_memory *m, sim_addr a) {
    if (a - m->dev.base < SIM_DEV_BYTES) return device_table(m, a - m->dev.base);
    if (a - m->cst.base < SIM_WINDOW_BYTES) return &m->cst.t;
    uint64_t other = (a - SIM_DEV_BASE(0)) / SIM_DEV_BYTES;
    if (other < SIM_MEMORY_DEVICES && m->reach >> other & 1 && m->peer[other])
        return device_table(m->peer[other], a - SIM_DEV_BASE(other));
    return &m->map;
}

const sim_alloc *sim_memory_find(const sim_memory *m, sim_addr a) {
    const sim_table *t = table_of(m, a);
    size_t i = table_above(t, a);
    if (!i) return NULL;
    const sim_alloc *x = t->at[i - 1];
    return a - x->base < x->size ? x : NULL;
}

const sim_alloc *sim_memory_nearest(const sim_memory *m, sim_addr a) {
    const sim_table *t = table_of(m, a);
    size_t i = table_above(t, a),
           n = atomic_load_explicit(&((sim_table *)(uintptr_t)t)->n, memory_order_acquire);
    const sim_alloc *below = NULL, *above = NULL;
    for (size_t k = i; k--;)
        if (!t->at[k]->freed) {
            below = t->at[k];
            break;
        } else if (i - k > 4096) break;
    for (size_t k = i; k < n && k - i < 4096; k++)
        if (!t->at[k]->freed) {
            above = t->at[k];
            break;
        }
    uint64_t db = below ? a - below->base : UINT64_MAX, da = above ? above->base - a : UINT64_MAX;
    if (below) db = db < below->size ? 0 : db - below->size;
    if (db <= da) return db <= NEAR ? below : NULL;
    return da <= NEAR ? above : NULL;
}

/* Returns the live allocation that holds all of [a, a + n). */
static sim_alloc *holding(const sim_memory *m, sim_addr a, uint64_t n) {
    const sim_alloc *x = sim_memory_find(m, a);
    if (!x || x->freed || n > x->size - (a - x->base)) return NULL;
    return (sim_alloc *)(uintptr_t)x;
}

void *sim_memory_used(sim_memory *m, sim_addr a, uint64_t n, bool writes) {
    sim_alloc *x = holding(m, a, n);
    if (!x) return NULL;
    if (writes) sim_memory_wrote(m, x);
    else sim_memory_read_by_launch(m, x);
    return x->host + (a - x->base);
}

void *sim_memory_host(const sim_memory *m, sim_addr a, uint64_t n) {
    const sim_alloc *x = holding(m, a, n);
    return x ? x->host + (a - x->base) : NULL;
}

const _Atomic uint64_t *sim_memory_generation(const sim_memory *m) {
    return &m->generation;
}

unsigned sim_memory_device_index(const sim_memory *m) {
    return m->index;
}

uint64_t sim_memory_extent(const sim_memory *m) {
    return m->dev.next;
}

sim_addr sim_memory_heap(const sim_memory *m, uint64_t *bytes) {
    *bytes = m->heap->r.next;
    return heap_base(m, (unsigned)(m->heap - m->heaps));
}

uint64_t sim_memory_constants(const sim_memory *m) {
    return m->cst.next;
}

void sim_memory_usage(const sim_memory *m, uint64_t *free_bytes, uint64_t *total_bytes) {
    if (free_bytes) *free_bytes = m->limit - m->used;
    if (total_bytes) *total_bytes = m->limit;
}

void sim_memory_each(const sim_memory *m, void (*fn)(void *user, sim_addr base, uint64_t size),
                     void *user) {
    size_t n = atomic_load(&((sim_memory *)(uintptr_t)m)->dev.t.n);
    for (size_t i = 0; i < n; i++) {
        const sim_alloc *x = m->dev.t.at[i];
        if (!x->freed && x->kind == SIM_ALLOC_USER) fn(user, x->base, x->size);
    }
}

void sim_memory_name(sim_memory *m, sim_addr base, const char *name) {
    sim_alloc *x = holding(m, base, 1);
    char *copy = x && x->base == base ? strdup(name ? name : "") : NULL;
    if (!copy) return;
    free(x->name);
    x->name = copy;
}

/* ---- the host reads and writes ---- */

sim_status sim_memory_write(sim_memory *m, sim_addr to, const void *from, uint64_t n) {
    if (!n) return SIM_OK;
    sim_alloc *x = holding(m, to, n);
    if (!x) return SIM_BAD_ADDRESS;
    if (sim_past_stale(x)) sim_past_save(x);
    memcpy(x->host + (to - x->base), from, n);
    mark_written(x, to - x->base, n);
    return SIM_OK;
}

sim_status sim_memory_read(sim_memory *m, void *to, sim_addr from, uint64_t n) {
    if (!n) return SIM_OK;
    const sim_alloc *x = holding(m, from, n);
    if (!x) return SIM_BAD_ADDRESS;
    memcpy(to, x->host + (from - x->base), n);
    return SIM_OK;
}

sim_status sim_memory_copy(sim_memory *m, sim_addr to, sim_addr from, uint64_t n) {
    if (!n) return SIM_OK;
    sim_alloc *t = holding(m, to, n), *f = holding(m, from, n);
    if (!t || !f) return SIM_BAD_ADDRESS;
    if (sim_past_stale(t)) sim_past_save(t);
    memmove(t->host + (to - t->base), f->host + (from - f->base), n);
    carry_marks(m, t, to - t->base, f, from - f->base, n);
    return SIM_OK;
}

sim_status sim_memory_fill(sim_memory *m, sim_addr to, uint32_t value, unsigned width, uint64_t n) {
    if ((width != 1 && width != 2 && width != 4) || n > UINT64_MAX / 4) return SIM_BAD_ARGUMENT;
    if (!n) return SIM_OK;
    sim_alloc *x = holding(m, to, n * width);
    if (!x) return SIM_BAD_ADDRESS;
    if (sim_past_stale(x)) sim_past_save(x);
    uint8_t *p = x->host + (to - x->base);
    if (width == 1) memset(p, (int)(value & 0xff), n);
    else {
        /* the first part element by element, then doubled */
        uint64_t done = n * width < 4096 ? n * width : 4096;
        for (uint64_t i = 0; i < done; i++) p[i] = (uint8_t)(value >> 8 * (i % width));
        while (done < n * width) {
            uint64_t k = n * width - done < done ? n * width - done : done;
            memcpy(p + done, p, k);
            done += k;
        }
    }
    mark_written(x, to - x->base, n * width);
    return SIM_OK;
}

sim_status sim_memory_poison(sim_memory *m, sim_addr to, uint64_t n) {
    if (!n) return SIM_OK;
    sim_alloc *x = holding(m, to, n);
    if (!x) return SIM_BAD_ADDRESS;
    if (sim_past_stale(x)) sim_past_save(x);
    uint8_t *p = x->host + (to - x->base), word[4];
    /* an aligned reader sees whole words of poison */
    for (unsigned i = 0; i < 4; i++) word[i] = (uint8_t)(POISON >> 8 * ((to + i) & 3));
    uint64_t done = n < 4096 ? n : 4096;
    for (uint64_t i = 0; i < done; i++) p[i] = word[i & 3];
    while (done < n) {
        uint64_t k = n - done < done ? n - done : done;
        memcpy(p + done, p, k);
        done += k;
    }
    if (m->check_uninit && x->kind < SIM_ALLOC_MAPPED && !mark_unwritten(m, x, to - x->base, n))
        return SIM_NOMEM;
    return SIM_OK;
}

/* ---- after a launch ---- */

void sim_memory_settle(sim_memory *m) {
    for (size_t i = 0; i < m->marked_n; i++) {
        sim_alloc *x = m->marked[i];
        if (!x->init || !x->written) continue;
        x->written = false;
        while (x->hole < x->init_words && !~x->init[x->hole]) x->hole++;
        if (x->hole < x->init_words) continue;
        free(x->init);
        x->init = NULL;
    }
    sim_memory_sweep(m);
    forget_old(m, &m->dev.t);
    forget_old(m, &m->heap->r.t);
}
