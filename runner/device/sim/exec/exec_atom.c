/* Atomics on memory: the lanes of a warp apply one after another, in lane order. The host's own
 * atomics do the work where several workers may touch an address at once (global memory, blocks in
 * parallel). Plain loads and stores, which are several times faster, do it elsewhere. */
#include "runner/device/sim/exec/exec.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/lane/lane.h"
#include "runner/device/sim/machine/state.h"

/* One operation on one word: the value after `old`. */
#define NEW_INT(U, S)                                                                              \
    static U new_##U(unsigned op, bool sign, U old, U b, U c) {                                    \
        switch (op) {                                                                              \
        case PTX_ATOM_add: return (U)(old + b);                                                    \
        case PTX_ATOM_min: return sign ? ((S)old < (S)b ? old : b) : (old < b ? old : b);          \
        case PTX_ATOM_max: return sign ? ((S)old > (S)b ? old : b) : (old > b ? old : b);          \
        case PTX_ATOM_inc: return old >= b ? 0 : (U)(old + 1);                                     \
        case PTX_ATOM_dec: return old == 0 || old > b ? b : (U)(old - 1);                          \
        case PTX_ATOM_and: return old & b;                                                         \
        case PTX_ATOM_or: return old | b;                                                          \
        case PTX_ATOM_xor: return old ^ b;                                                         \
        case PTX_ATOM_exch: return b;                                                              \
        case PTX_ATOM_cas: return old == b ? c : old;                                              \
        default: return old;                                                                       \
        }                                                                                          \
    }
NEW_INT(uint16_t, int16_t)
NEW_INT(uint32_t, int32_t)
NEW_INT(uint64_t, int64_t)

static uint32_t flush32(uint32_t x) {
    return x & 0x7f800000 ? x : x & 0x80000000;
}
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush) {
    float x, y;
    if (flush) a = flush32(a), b = flush32(b);
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&a, &x, 4);
    if (x != x) return 0x7fffffff;
    return flush ? flush32(a) : a;
}
static uint64_t add_f64(uint64_t a, uint64_t b) {
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x = nan64(x, y, y, x + y);
    memcpy(&a, &x, 8);
    return a;
}
static uint16_t op_half(unsigned op, unsigned type, uint16_t a, uint16_t b) {
    bool bf = type == PTX_BF16 || type == PTX_BF16X2;
    float x = bf ? bf16_to_f32(a) : f16_to_f32(a), y = bf ? bf16_to_f32(b) : f16_to_f32(b);
    float r = op == PTX_ATOM_add   ? x + y
              : x != x             ? y
              : y != y             ? x
              : x == y             ? (!__builtin_signbit(x) == (op != PTX_ATOM_min) ? x : y)
              : op == PTX_ATOM_min ? (x < y ? x : y)
                                   : (x > y ? x : y);
    return bf ? f32_to_bf16(r) : f32_to_f16(r);
}
static uint32_t new_word(unsigned op, unsigned type, bool flush, uint32_t old, uint32_t b,
                         uint32_t c) {
    switch (type) {
    case PTX_F32: return add_f32(old, b, flush);
    case PTX_F16X2:
    case PTX_BF16X2:
        return op_half(op, type, (uint16_t)old, (uint16_t)b) |
               (uint32_t)op_half(op, type, (uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
    default: return new_uint32_t(op, type == PTX_S32, old, b, c);
    }
}
static uint64_t new_long(unsigned op, unsigned type, uint64_t old, uint64_t b, uint64_t c) {
    return type == PTX_F64 ? add_f64(old, b) : new_uint64_t(op, type == PTX_S64, old, b, c);
}
static uint16_t new_short(unsigned op, unsigned type, uint16_t old, uint16_t b, uint16_t c) {
    return type == PTX_F16 || type == PTX_BF16 ? op_half(op, type, old, b)
                                               : new_uint16_t(op, false, old, b, c);
}

/* A word of 128 bits: its halves are in two slots of 64 bits. */
static u128 slot_u128(const uint8_t *slot, unsigned l) {
    const uint64_t *v = (const uint64_t *)slot;
    return (u128)v[SIM_WARP_LANES + l] << 64 | v[l];
}
static void set_slot_u128(uint8_t *slot, unsigned l, u128 x) {
    uint64_t *v = (uint64_t *)slot;
    v[l] = (uint64_t)x, v[SIM_WARP_LANES + l] = (uint64_t)(x >> 64);
}
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
static u128
swap_u128(u128 *p, u128 old, u128 to) {
    return __sync_val_compare_and_swap(p, old, to);
}
/* Exchange, or compare and exchange. Returns the old value. */
static u128 apply_u128(unsigned op, u128 *p, bool shared, u128 b, u128 c) {
    u128 old = 0, was;
    if (shared) old = swap_u128(p, 0, 0); /* reads the whole word */
    else memcpy(&old, p, sizeof old);
    for (;; old = was) {
        u128 to = op == PTX_ATOM_exch ? b : old == b ? c : old;
        was = old;
        if (shared) was = swap_u128(p, old, to);
        else memcpy(p, &to, sizeof to);
        if (was == old) return old;
    }
}

/* Applies `next` (an expression over `old`) at p, again until no other worker interferes.
 * `changed`: this made a difference. */
#define UPDATE(T, p, shared, next)                                                                 \
    ({                                                                                             \
        T *p_ = (p);                                                                               \
        T old, new_;                                                                               \
        if (!(shared)) {                                                                           \
            old = *p_;                                                                             \
            *p_ = new_ = (next);                                                                   \
        } else {                                                                                   \
            old = __atomic_load_n(p_, __ATOMIC_RELAXED);                                           \
            do new_ = (next);                                                                      \
            while (!__atomic_compare_exchange_n(p_, &old, new_, true, __ATOMIC_SEQ_CST,            \
                                                __ATOMIC_RELAXED));                                \
        }                                                                                          \
        changed |= new_ != old;                                                                    \
        old;                                                                                       \
    })

/* Notes that the lanes `swapped` have changed their word. This is counted where one worker runs all
 * blocks in order, so that the number is the same on any machine. */
static void note_swaps(sim_warp *w, const sim_atom_info *a, uint32_t swapped, void *const ptr[]) {
    const sim_run_state *r = w->block->run;
    if (!r->plain_atomics || !r->image->serial ||
        sim_access_last(w->access)->space != PTX_SPACE_GLOBAL)
        return;
    uint64_t warp = w->block->linear << 6 | w->index;
    for (; swapped; swapped &= swapped - 1) {
        unsigned l = (unsigned)__builtin_ctz(swapped);
        sim_swaps_note(&w->worker->swaps, ptr[l], a->op == PTX_ATOM_exch, warp, l);
    }
}

void sim_atom_apply(sim_warp *w, const sim_insn *i, uint32_t lanes, void *const ptr[]) {
    const sim_atom_info *a = i->aux;
    bool race = !w->block->run->plain_atomics && i->site->space != PTX_SPACE_SHARED;
    bool flush = i->site->space == PTX_SPACE_GLOBAL, changed = false;
    bool swaps = a->op == PTX_ATOM_cas || a->op == PTX_ATOM_exch;
    uint32_t swapped = 0;
    w->took |= w->block->run->shares && a->d[0] != SIM_NO_SLOT &&
               i->site->space != PTX_SPACE_SHARED &&
               (a->op == PTX_ATOM_add || a->op == PTX_ATOM_inc || a->op == PTX_ATOM_dec);
    for (unsigned k = 0; k < a->vec; k++) {
        const uint8_t *b = sim_slot(w, a->b[k]), *c = sim_slot(w, i->c);
        uint8_t *d = a->d[k] == SIM_NO_SLOT ? NULL : sim_slot(w, a->d[k]);
        /* The common case, integer addition, without a loop of compare and swap. */
        bool add = a->op == PTX_ATOM_add && (a->type == PTX_U32 || a->type == PTX_S32);
        for (uint32_t m = lanes; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            void *p = (char *)ptr[l] + k * a->bytes;
            if (add) {
                uint32_t x = ((const uint32_t *)b)[l], old;
                changed |= x != 0;
                if (race) {
                    old = __atomic_fetch_add((uint32_t *)p, x, __ATOMIC_SEQ_CST);
                } else {
                    old = *(uint32_t *)p;
                    *(uint32_t *)p = old + x;
                }
                if (d) ((uint32_t *)d)[l] = old;
            } else if (a->bytes == 4) {
                uint32_t x = ((const uint32_t *)b)[l], y = ((const uint32_t *)c)[l];
                uint32_t was =
                    UPDATE(uint32_t, p, race, new_word(a->op, a->type, flush, old, x, y));
                if (swaps && (a->op == PTX_ATOM_cas ? was == x && was != y : was != x))
                    swapped |= 1u << l;
                if (d) ((uint32_t *)d)[l] = was;
            } else if (a->bytes == 16) {
                u128 x = slot_u128(b, l), y = a->op == PTX_ATOM_cas ? slot_u128(c, l) : 0;
                u128 was = apply_u128(a->op, p, race, x, y);
                bool swap = a->op == PTX_ATOM_cas ? was == x && was != y : was != x;
                if (swap) swapped |= 1u << l, changed = true;
                if (d) set_slot_u128(d, l, was);
            } else if (a->bytes == 8) {
                uint64_t x = ((const uint64_t *)b)[l],
                         y = a->op == PTX_ATOM_cas ? ((const uint64_t *)c)[l] : 0;
                uint64_t was = UPDATE(uint64_t, p, race, new_long(a->op, a->type, old, x, y));
                if (swaps && (a->op == PTX_ATOM_cas ? was == x && was != y : was != x))
                    swapped |= 1u << l;
                if (d) ((uint64_t *)d)[l] = was;
            } else {
                uint16_t x = (uint16_t)((const uint32_t *)b)[l],
                         y = (uint16_t)((const uint32_t *)c)[l];
                uint16_t was = UPDATE(uint16_t, p, race, new_short(a->op, a->type, old, x, y));
                if (d) ((uint32_t *)d)[l] = was;
            }
        }
    }
    if (swapped) note_swaps(w, a, swapped, ptr);
    w->worker->acted |= changed;
}

void sim_atom_reduce(unsigned op, ptx_type type, bool flush, void *to, const void *from,
                     bool shared) {
    bool changed = false;
    uint64_t b = 0;
    memcpy(&b, from, ptx_type_size(type));
    switch (ptx_type_size(type)) {
    case 2: UPDATE(uint16_t, to, shared, new_short(op, type, old, (uint16_t)b, 0)); break;
    case 4: UPDATE(uint32_t, to, shared, new_word(op, type, flush, old, (uint32_t)b, 0)); break;
    default: UPDATE(uint64_t, to, shared, new_long(op, type, old, b, 0));
    }
    (void)changed;
}
