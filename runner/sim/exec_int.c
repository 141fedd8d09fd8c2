/* Handlers of integer, logic, bit-field, comparison and selection instructions: exec_int.def over 32 lanes,
 * and the few that are no row. */
#include "lanes.h"
#include "isa.h"

typedef unsigned __int128 u128;

static inline int32_t sat_s32(int64_t x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
static inline int64_t sext24(uint32_t x) {
    return (int32_t)(x << 8) >> 8;
}
static inline int64_t div_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t rem_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}
static inline uint32_t popc32(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline uint32_t popc64(uint64_t x) {
    return popc32((uint32_t)x) + popc32((uint32_t)(x >> 32));
}
static inline uint32_t clz32(uint32_t x) {
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint32_t clz64(uint64_t x) {
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}
static inline uint32_t brev32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t brev64(uint64_t x) {
    return (uint64_t)brev32((uint32_t)x) << 32 | brev32((uint32_t)(x >> 32));
}
static inline uint64_t low_bits64(uint32_t n) {
    return n > 63 ? ~0ull : (1ull << n) - 1;
}
static inline uint32_t bfe_u32(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t pos = b & 0xff, len = c & 0xff;
    return pos > 31 ? 0 : (uint32_t)(a >> pos & low_bits64(len));
}
/* The 64-bit forms do not cut position and length to 8 bits as the 32-bit ones do (measured on sm_90). */
static inline uint64_t bfe_u64(uint64_t a, uint32_t b, uint32_t c) {
    return b > 63 ? 0 : a >> b & low_bits64(c);
}
static inline int64_t bfe_signed(int64_t a, uint64_t pos, uint64_t len, uint32_t msb) {
    if (len == 0) return 0;
    uint64_t top = pos + len - 1 > msb ? msb : pos + len - 1; /* where the sign is taken from */
    int64_t sign = -(a >> top & 1);
    if (pos > msb) return sign;
    uint32_t got = (uint32_t)(top - pos) + 1;
    return (int64_t)(((uint64_t)a >> pos & low_bits64(got)) | ((uint64_t)sign & ~low_bits64(got)));
}
static inline int64_t bfe_s64(int64_t a, uint32_t b, uint32_t c, uint32_t msb) {
    return msb == 63 ? bfe_signed(a, b, c, msb) : bfe_signed(a, b & 0xff, c & 0xff, msb);
}
static inline uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, uint32_t width) {
    uint32_t pos = width == 64 ? c : c & 0xff, len = width == 64 ? d : d & 0xff;
    if (pos >= width) return b;
    uint64_t field = low_bits64(len) << pos;
    return (b & ~field) | (a << pos & field);
}
static inline uint32_t bmsk(uint32_t a, uint32_t b, bool wrap) {
    uint32_t from = a & 31, sum = from + (b & 31);
    uint32_t mask0 = !wrap && a > 31 ? 0 : ~0u << from;
    uint32_t mask1 = sum > 31 || (!wrap && (a > 31 || b > 31)) ? 0 : ~0u << (sum & 31);
    return mask0 & ~mask1;
}
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int32_t left = offset < 0 ? -(offset + 1) : offset - 1; /* |offset| - 1 */
    for (int32_t pos = (int32_t)base; pos >= 0 && pos < 32; pos += offset < 0 ? -1 : 1)
        if (mask >> pos & 1 && left-- == 0) return (uint32_t)pos;
    return ~0u;
}
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t sel = c >> 4 * k & 15, byte = (uint32_t)(both >> 8 * (sel & 7)) & 0xff;
        if (sel & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << 8 * k;
    }
    return r;
}
static inline uint32_t selector(uint64_t four, uint32_t which) {
    return (uint32_t)(four >> 16 * (which & 3)) & 0xffff;
}
static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
    for (unsigned k = 0; k < 32; k += 8) {
        uint32_t x = sa ? (uint32_t)(int8_t)(a >> k) : (uint8_t)(a >> k);
        uint32_t y = sb ? (uint32_t)(int8_t)(b >> k) : (uint8_t)(b >> k);
        c += x * y;
    }
    return c;
}
static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
    for (unsigned k = 0; k < 2; k++) {
        uint32_t x = sa ? (uint32_t)(int16_t)(a >> 16 * k) : (uint16_t)(a >> 16 * k);
        uint32_t y = sb ? (uint32_t)(int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
        c += x * y;
    }
    return c;
}
/* Both halves of a packed pair: `expr` over x and y of type T (u16 or s16). */
#define PAIR(T, expr)                                                                                        \
    ({                                                                                                       \
        uint32_t r_ = 0;                                                                                     \
        for (unsigned h_ = 0; h_ < 32; h_ += 16) {                                                           \
            VT_##T x = (VT_##T)(a >> h_), y = (VT_##T)(b >> h_);                                             \
            r_ |= (uint32_t)(uint16_t)(expr) << h_;                                                          \
        }                                                                                                    \
        r_;                                                                                                  \
    })

/* R[d] := low half of expr over a, b, c and the carry k; with CC the carry's predicate (operand e) := the bit
 * above it */
#define LANE_CARRY(op, T, tag, variant, td, wide, expr)                                                      \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                                 \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##td *pa = LANES(const ST_##td, i->a), *pb = LANES(const ST_##td, i->b);                    \
        const ST_##td *pc = LANES(const ST_##td, i->c);                                                      \
        uint32_t m = w->mask, in = PRED(i->e), out = 0;                                                      \
        for (int l = 0; l < SIM_WARP_LANES; l++) {                                                           \
            VT_##td a = pa[l], b = pb[l], c = pc[l];                                                         \
            uint32_t k = in >> l & 1;                                                                        \
            (void)c, (void)k;                                                                                \
            wide r = (expr);                                                                                 \
            out |= (uint32_t)(r >> 8 * sizeof a & 1) << l;                                                   \
            if (LANE_ON(m)) d[l] = (VT_##td)r;                                                               \
        }                                                                                                    \
        if ((variant)&SIM_V_CC) sim_set_pred(w, i->e, out);                                                  \
    }

#define UN(op, T, tag, variant, td, ta, expr)               LANE_UN(op, T, tag, td, ta, expr)
#define BIN(op, T, tag, variant, td, ta, tb, expr)          LANE_BIN(op, T, tag, td, ta, tb, expr)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)      LANE_TER(op, T, tag, td, ta, tb, tc, expr)
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr) LANE_TER(op, T, T1##tag, td, ta, tb, tc, expr)
#define CMP(op, T, tag, variant, ta, expr)                  LANE_CMP(op, T, tag, ta, expr)
#define SEL(op, T, tag, variant, td)                        LANE_SEL(op, T, tag, td, )
#define CARRY(op, T, tag, variant, td, wide, expr)          LANE_CARRY(op, T, tag, variant, td, wide, expr)
#include "exec_int.def"
#undef UN
#undef BIN
#undef TER
#undef TER2
#undef CMP
#undef SEL
#undef CARRY

/* P[d] := P[a] op P[b] */
#define PRED_BIN(op, expr)                                                                                   \
    static void op##_pred(sim_warp *w, const sim_insn *i) {                                                  \
        uint32_t a = PRED(i->a), b = PRED(i->b);                                                             \
        sim_set_pred(w, i->d, expr);                                                                         \
    }
PRED_BIN(and, a &b)
PRED_BIN(or, a | b)
PRED_BIN(xor, a ^ b)
/* P[d] := P[a] ^ imm: mov.pred and not.pred */
static void mov_pred(sim_warp *w, const sim_insn *i) {
    sim_set_pred(w, i->d, PRED(i->a));
}
static void not_pred(sim_warp *w, const sim_insn *i) {
    sim_set_pred(w, i->d, ~PRED(i->a));
}

/* R[d] := b with e bits from bit c on replaced by the low bits of a */
#define BFI(name, T, width)                                                                                  \
    static void name(sim_warp *w, const sim_insn *i) {                                                       \
        T *d = LANES(T, i->d);                                                                               \
        const T *a = LANES(const T, i->a), *b = LANES(const T, i->b);                                        \
        const uint32_t *c = LANES(const uint32_t, i->c), *e = LANES(const uint32_t, i->e);                   \
        uint32_t m = w->mask;                                                                                \
        EACH_LANE {                                                                                          \
            T r = (T)bfi(a[l], b[l], c[l], e[l], width);                                                     \
            d[l] = LANE_ON(m) ? r : d[l];                                                                    \
        }                                                                                                    \
    }
BFI(bfi_b32, uint32_t, 32)
BFI(bfi_b64, uint64_t, 64)

/* R[d] := the function of a, b, c whose truth table is imm */
static void lop3_b32(sim_warp *w, const sim_insn *i) {
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask, r[SIM_WARP_LANES] __attribute__((aligned(64))) = {0};
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b),
                   *c = LANES(const uint32_t, i->c);
    for (unsigned k = 0; k < 8; k++)
        if (i->imm >> k & 1) {
            uint32_t na = k & 4 ? 0 : ~0u, nb = k & 2 ? 0 : ~0u, nc = k & 1 ? 0 : ~0u;
            EACH_LANE r[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
        }
    EACH_LANE d[l] = LANE_ON(m) ? r[l] : d[l];
}

const sim_exec_row SIM_ISA_NAME(exec_int_rows)[] = {
#define ROW(op, T, T1, tag, variant, slots, some)                                                            \
    {PTX_OP_##op, PTX_##T, PTX_##T1, variant, slots, {LANE_FN(op, T, tag, all), LANE_FN(op, T, tag, some)}},
#define UN(op, T, tag, variant, td, ta, expr)                                                                \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, 0, 0), some)
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                           \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, 0), some)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                                       \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr)                                                  \
    ROW(op, T, T1, T1##tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define CMP(op, T, tag, variant, ta, expr)                                                                   \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SIM_SLOT_PRED, SK_##ta, SK_##ta, 0), all)
#define SEL(op, T, tag, variant, td)                                                                         \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##td, SK_##td, SIM_SLOT_PRED), some)
#define CARRY(op, T, tag, variant, td, wide, expr)                                                           \
    {PTX_OP_##op,                                                                                            \
     PTX_##T,                                                                                                \
     PTX_NONE,                                                                                               \
     variant,                                                                                                \
     SIM_SLOTS(SK_##td, SK_##td, SK_##td, SK_##td),                                                          \
     {LANE_FN(op, T, tag, some), LANE_FN(op, T, tag, some)}},
#include "exec_int.def"
#define PLAIN(op, T, slots, fn) {PTX_OP_##op, PTX_##T, PTX_NONE, 0, slots, {fn, fn}},
    PLAIN(and, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0),
          and_pred) PLAIN(or, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0), or_pred)
        PLAIN(xor, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0),
              xor_pred) PLAIN(not, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, 0, 0), not_pred)
            PLAIN(mov, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, 0, 0), mov_pred)
                PLAIN(bfi, B32,
                      SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32) | SIM_SLOT_32 << 16,
                      bfi_b32)
                    PLAIN(bfi, B64,
                          SIM_SLOTS(SIM_SLOT_64, SIM_SLOT_64, SIM_SLOT_64, SIM_SLOT_32) | SIM_SLOT_32 << 16,
                          bfi_b64)
                        PLAIN(lop3, B32, SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32),
                              lop3_b32)};
const size_t SIM_ISA_NAME(exec_int_count) = sizeof SIM_ISA_NAME(exec_int_rows) /
                                            sizeof SIM_ISA_NAME(exec_int_rows)[0];
#undef ROW
#undef UN
#undef BIN
#undef TER
#undef TER2
#undef CMP
#undef SEL
#undef CARRY
