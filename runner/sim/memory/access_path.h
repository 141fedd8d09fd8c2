/* The paths that every memory access takes. Included by access_base.c, access_avx2.c and
 * access_avx512.c, which set VB (bytes of a vector) and ISA (the table of functions they define).
 *
 *   load_global_4(a, s, addr, mask, dst)   a site's function, here
 *     global_place()                       access_global.h: checks, counts, says where the lanes' bytes are
 *       count_run() or count_each()        sectors; lines -> L1 -> stream
 *     load_elements()                      access_lanes.h: bytes -> registers
 *
 * access_shared.h and access_local.h have the like for their spaces. A run is what coalesced code
 * makes: active lanes next to each other whose addresses follow each other. It is recognised first,
 * and everything about it is arithmetic. */
#include <string.h>
#include "runner/sim/memory/access_internal.h"
#include "runner/sim/memory/cache_internal.h"
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Specialised by inlining, except where a sanitizer's checks would make that endless to compile. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HOT static inline __attribute__((unused))
#else
#define HOT static inline __attribute__((always_inline))
#endif
#define APART                                                                                      \
    static __attribute__((noinline)) /* one copy for all sites: what is off the common path */
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef uint64_t v64 __attribute__((vector_size(VB), aligned(8), may_alias));
typedef int64_t s64 __attribute__((vector_size(VB), aligned(8), may_alias));
typedef uint32_t v32 __attribute__((vector_size(VB), aligned(4), may_alias));
enum { N64 = VB / 8, N32 = VB / 4 };

#include "runner/sim/memory/access_lanes.h"
#include "runner/sim/memory/access_global.h"
#include "runner/sim/memory/access_shared.h"
#include "runner/sim/memory/access_local.h"
#include "runner/sim/memory/cache_l2.h"

#define STATE(a, s) (&(a)->state[(s)->id])

/* One element of 4 or 8 bytes, the bulk of all code, and vectors of them. */
#define GLOBAL(name, elem, vec, reg)                                                               \
    static uint32_t load_global_##name(sim_access *a, const sim_site *s, const void *addr,         \
                                       uint32_t mask, void *const dst[]) {                         \
        place at;                                                                                  \
        mask = global_place(a, s, STATE(a, s), addr, mask, elem * vec, SIM_ACCESS_LOAD, &at);      \
        if (UNLIKELY(a->race_global)) sim_race_global(a, s, SIM_ACCESS_LOAD, addr, mask, NULL);    \
        if (LIKELY(mask)) load_elements(&at, false, mask, dst, elem, vec, reg, false);             \
        return mask;                                                                               \
    }                                                                                              \
    static uint32_t store_global_##name(sim_access *a, const sim_site *s, const void *addr,        \
                                        uint32_t mask, const void *const src[]) {                  \
        place at;                                                                                  \
        mask = global_place(a, s, STATE(a, s), addr, mask, elem * vec, SIM_ACCESS_STORE, &at);     \
        if (UNLIKELY(a->race_global)) sim_race_global(a, s, SIM_ACCESS_STORE, addr, mask, src);    \
        if (LIKELY(mask)) store_elements(&at, false, mask, src, elem, vec, reg);                   \
        return mask;                                                                               \
    }
GLOBAL(4, 4, 1, 4)
GLOBAL(8, 8, 1, 8)
GLOBAL(4x2, 4, 2, 4)
GLOBAL(4x4, 4, 4, 4)
GLOBAL(8x2, 8, 2, 8)

static uint32_t load_global_in(sim_access *a, const sim_site *s, site_state *st,
                               const uint64_t *addr, uint32_t mask, void *const dst[]) {
    place at;
    mask = global_place(a, s, st, addr, mask, s->elem * s->vec, s->kind, &at);
    if (UNLIKELY(a->race_global)) sim_race_global(a, s, s->kind, addr, mask, NULL);
    if (mask) load_any(&at, false, s, mask, dst);
    return mask;
}
static uint32_t store_global_in(sim_access *a, const sim_site *s, site_state *st,
                                const uint64_t *addr, uint32_t mask, const void *const src[]) {
    place at;
    mask = global_place(a, s, st, addr, mask, s->elem * s->vec, SIM_ACCESS_STORE, &at);
    if (UNLIKELY(a->race_global)) sim_race_global(a, s, SIM_ACCESS_STORE, addr, mask, src);
    if (mask) store_any(&at, false, s, mask, src);
    return mask;
}
static uint32_t ptr_global_in(sim_access *a, const sim_site *s, site_state *st,
                              const uint64_t *addr, uint32_t mask, void *ptr[LANES]) {
    place at;
    mask = global_place(a, s, st, addr, mask, s->elem * s->vec, s->kind, &at);
    if (UNLIKELY(a->race_global)) sim_race_global(a, s, s->kind, addr, mask, NULL);
    return give_pointers(&at, false, mask, s->elem * s->vec, ptr);
}
static uint32_t load_global(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            void *const dst[]) {
    return load_global_in(a, s, STATE(a, s), addr, mask, dst);
}
static uint32_t store_global(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                             const void *const src[]) {
    return store_global_in(a, s, STATE(a, s), addr, mask, src);
}
static uint32_t ptr_global(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                           void *ptr[LANES]) {
    return ptr_global_in(a, s, STATE(a, s), addr, mask, ptr);
}

#define SHARED(name, elem, vec, reg)                                                               \
    static uint32_t load_shared_##name(sim_access *a, const sim_site *s, const void *addr,         \
                                       uint32_t mask, void *const dst[]) {                         \
        place at;                                                                                  \
        mask =                                                                                     \
            shared_place(a, s, STATE(a, s), addr, mask, elem * vec, SIM_ACCESS_LOAD, NULL, &at);   \
        if (LIKELY(mask)) load_elements(&at, true, mask, dst, elem, vec, reg, false);              \
        return mask;                                                                               \
    }                                                                                              \
    static uint32_t store_shared_##name(sim_access *a, const sim_site *s, const void *addr,        \
                                        uint32_t mask, const void *const src[]) {                  \
        place at;                                                                                  \
        mask =                                                                                     \
            shared_place(a, s, STATE(a, s), addr, mask, elem * vec, SIM_ACCESS_STORE, src, &at);   \
        if (LIKELY(mask)) store_elements(&at, true, mask, src, elem, vec, reg);                    \
        return mask;                                                                               \
    }
SHARED(4, 4, 1, 4)
SHARED(8, 8, 1, 8)
SHARED(4x4, 4, 4, 4)

static uint32_t load_shared_in(sim_access *a, const sim_site *s, site_state *st,
                               const uint32_t *addr, uint32_t mask, void *const dst[]) {
    place at;
    mask = shared_place(a, s, st, addr, mask, s->elem * s->vec, SIM_ACCESS_LOAD, NULL, &at);
    if (mask) load_any(&at, true, s, mask, dst);
    return mask;
}
static uint32_t store_shared_in(sim_access *a, const sim_site *s, site_state *st,
                                const uint32_t *addr, uint32_t mask, const void *const src[]) {
    place at;
    mask = shared_place(a, s, st, addr, mask, s->elem * s->vec, SIM_ACCESS_STORE, src, &at);
    if (mask) store_any(&at, true, s, mask, src);
    return mask;
}
static uint32_t ptr_shared_in(sim_access *a, const sim_site *s, site_state *st,
                              const uint32_t *addr, uint32_t mask, void *ptr[LANES]) {
    place at;
    mask = shared_place(a, s, st, addr, mask, s->elem * s->vec, s->kind, NULL, &at);
    return give_pointers(&at, true, mask, s->elem * s->vec, ptr);
}
static uint32_t load_shared(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            void *const dst[]) {
    return load_shared_in(a, s, STATE(a, s), addr, mask, dst);
}
static uint32_t store_shared(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                             const void *const src[]) {
    return store_shared_in(a, s, STATE(a, s), addr, mask, src);
}
static uint32_t ptr_shared(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                           void *ptr[LANES]) {
    return ptr_shared_in(a, s, STATE(a, s), addr, mask, ptr);
}

static uint32_t load_local(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                           void *const dst[]) {
    return load_local_in(a, s, STATE(a, s), addr, mask, dst);
}
static uint32_t store_local(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            const void *const src[]) {
    return store_local_in(a, s, STATE(a, s), addr, mask, src);
}
/* Only what fits a word has a place of its own; nothing wider is ever asked for a pointer in local
 * memory. */
static uint32_t ptr_local_in(sim_access *a, const sim_site *s, site_state *st, const uint32_t *addr,
                             uint32_t mask, void *ptr[LANES]) {
    bool level;
    if (s->elem * s->vec > 4) return sim_access_no_pointer(a, s, mask);
    mask = local_check(a, s, st, addr, mask, s->elem * s->vec, s->kind, &level);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        ptr[l] = local_word(a, addr[l], l);
    }
    return mask;
}
static uint32_t ptr_local(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                          void *ptr[LANES]) {
    return ptr_local_in(a, s, STATE(a, s), addr, mask, ptr);
}

static uint32_t load_const(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                           void *const dst[]) {
    place at;
    mask = const_place(a, s, STATE(a, s), addr, mask, s->elem * s->vec, &at);
    if (mask) load_any(&at, false, s, mask, dst);
    return mask;
}
static uint32_t ptr_const(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                          void *ptr[LANES]) {
    place at;
    unsigned size = s->elem * s->vec;
    mask = const_place(a, s, STATE(a, s), addr, mask, size, &at);
    return give_pointers(&at, false, mask, size, ptr);
}

/* Generic: the states are those of global, shared and local memory in this order. */
HOT bool in_windows(const uint64_t *addr, uint32_t mask) {
    v64 hit = {};
    for (unsigned i = 0; i < LANES; i += N64)
        hit |=
            (v64)((*(const v64 *)(addr + i) >> 40) == (SIM_SHARED_WINDOW >> 40)) & lanes64(mask, i);
    return any64(hit);
}
#define GENERIC(verb, type, name)                                                                  \
    static uint32_t verb##_generic(sim_access *a, const sim_site *s, const void *addr,             \
                                   uint32_t mask, type name) {                                     \
        site_state *st = STATE(a, s);                                                              \
        if (LIKELY(!in_windows(addr, mask))) return verb##_global_in(a, s, st, addr, mask, name);  \
        uint32_t by[6] = {0}, off[LANES] __attribute__((aligned(64))) = {0}, done = 0;             \
        sim_access_split(addr, mask, by, off);                                                     \
        if (by[SIM_SPACE_GLOBAL])                                                                  \
            done |= verb##_global_in(a, s, st, addr, by[SIM_SPACE_GLOBAL], name);                  \
        if (by[SIM_SPACE_SHARED])                                                                  \
            done |= verb##_shared_in(a, s, st + 1, off, by[SIM_SPACE_SHARED], name);               \
        if (by[SIM_SPACE_LOCAL])                                                                   \
            done |= verb##_local_in(a, s, st + 2, off, by[SIM_SPACE_LOCAL], name);                 \
        if (by[SIM_SPACE_PARAM]) done |= verb##_param_in(a, s, off, by[SIM_SPACE_PARAM], name);    \
        return done;                                                                               \
    }
/* Kernel parameters by address: read-only, not counted as memory traffic. */
static uint32_t load_param_in(sim_access *a, const sim_site *s, const uint32_t *off, uint32_t mask,
                              void *const dst[]) {
    place at = {.base = (uint8_t *)(uintptr_t)a->launch->c.params};
    mask = sim_access_bounds(a, s, off, mask, s->elem * s->vec, SIM_SPACE_PARAM);
    memcpy(at.off.narrow, off, LANES * sizeof *off);
    if (mask) load_any(&at, true, s, mask, dst);
    return mask;
}
static uint32_t ptr_param_in(sim_access *a, const sim_site *s, const uint32_t *off, uint32_t mask,
                             void *ptr[LANES]) {
    place at = {.base = (uint8_t *)(uintptr_t)a->launch->c.params};
    mask = sim_access_bounds(a, s, off, mask, s->kind == SIM_ACCESS_LOAD ? s->elem * s->vec : 0,
                             SIM_SPACE_PARAM);
    memcpy(at.off.narrow, off, LANES * sizeof *off);
    return give_pointers(&at, true, mask, s->elem * s->vec, ptr);
}
static uint32_t store_param_in(sim_access *a, const sim_site *s, const uint32_t *off, uint32_t mask,
                               const void *const src[]) {
    (void)src;
    return sim_access_bounds(a, s, off, mask, 0, SIM_SPACE_PARAM); /* size 0: always a fault */
}
GENERIC(load, void *const *, dst)
GENERIC(store, const void *const *, src)
GENERIC(ptr, void **, ptr)

static void bind(sim_site *s) {
    unsigned shape = s->elem << 8 | s->vec << 4 | s->reg;
    bool plain = s->kind == SIM_ACCESS_LOAD || s->kind == SIM_ACCESS_STORE;
    switch (s->space) {
    case SIM_SPACE_GLOBAL:
        s->load = load_global;
        s->store = store_global;
        s->ptr = ptr_global;
        if (!plain) break;
        switch (shape) {
        case 0x414: s->load = load_global_4, s->store = store_global_4; break;
        case 0x818: s->load = load_global_8, s->store = store_global_8; break;
        case 0x424: s->load = load_global_4x2, s->store = store_global_4x2; break;
        case 0x444: s->load = load_global_4x4, s->store = store_global_4x4; break;
        case 0x828: s->load = load_global_8x2, s->store = store_global_8x2; break;
        default: break;
        }
        break;
    case SIM_SPACE_SHARED:
        s->load = load_shared;
        s->store = store_shared;
        s->ptr = ptr_shared;
        switch (shape) {
        case 0x414: s->load = load_shared_4, s->store = store_shared_4; break;
        case 0x818: s->load = load_shared_8, s->store = store_shared_8; break;
        case 0x444: s->load = load_shared_4x4, s->store = store_shared_4x4; break;
        default: break;
        }
        break;
    case SIM_SPACE_LOCAL:
        s->load = load_local;
        s->store = store_local;
        s->ptr = ptr_local;
        break;
    case SIM_SPACE_CONST:
        s->load = load_const;
        s->store = NULL;
        s->ptr = ptr_const;
        break;
    default:
        s->load = load_generic;
        s->store = store_generic;
        s->ptr = ptr_generic;
    }
}
const sim_access_isa ISA = {ISA_NAME, bind, l2_feed};
