/* wmma.mma and mma.sync: D := A * B + C on fragments (fragment.h). mma.sp and wgmma use it with
 * fragments that they have made (tensor_sparse.c, wgmma.c).
 *
 *   registers --unpack--> matrices of doubles or integers --multiply--> --pack--> registers
 *
 * Numbers: integers are exact. Products of f16, bf16, tf32 and the 8-bit formats are exact; their
 * sum with C is computed in double precision and rounded once to D's type. The hardware instead
 * cuts addends to a common exponent, so the last bits may differ (the ISA leaves order and rounding
 * of the sum open). f64: a chain of fused multiply-adds by ascending k. Only the upper 19 bits of
 * tf32 operands count.
 *
 * This file works element by element: the fallback for every machine and the reference for the
 * vector code of tensor_path.inc. */
#include <fenv.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/narrow.h"
#include "runner/device/sim/matrix/tensor.h"
#include "runner/device/sim/ptx/fragment.h"

/* ---- layouts ---- */

/* For numbers of tiles or registers: every shape has some. */
static unsigned at_least_one(unsigned n) {
    return n ? n : 1;
}

static void tensor_place(const sim_fragment *f, char which, bool quad, ptx_fragment_shape s,
                         unsigned transposed, unsigned lane, unsigned reg, unsigned e,
                         unsigned *row, unsigned *col) {
    unsigned g = lane / 4, t = lane % 4, i = reg * f->per + e;
    if (quad) {
        unsigned upper = lane < 16 ? 0 : 4;
        if (which == 'c' && f->bits == 32) {
            *row = (lane & 1) + (i & 2) + upper;
            *col = (i & 4) + (lane & 2) + (i & 1);
        } else if (which == 'c') {
            *row = t + upper, *col = i;
        } else if (which == 'a') {
            *row = transposed ? i + upper : t + upper, *col = transposed ? t : i;
        } else {
            *row = transposed ? i : t, *col = transposed ? t + upper : i + upper;
        }
        return;
    }
    switch (which) {
    case 'a': {
        unsigned down = at_least_one(s.m / 8u), have = at_least_one(down * s.k / (4u * f->per)),
                 j = reg % have;
        *row = g + 8 * (j % down);
        *col = (4 * (j / down) + t) * f->per + e;
        break;
    }
    case 'b': {
        unsigned along = at_least_one(s.k / (4u * f->per)), have = at_least_one(along * s.n / 8u),
                 j = reg % have;
        *row = (4 * (j % along) + t) * f->per + e;
        *col = g + 8 * (j / along);
        break;
    }
    default: {
        unsigned tile = i / 2, down = at_least_one(s.m / 8u);
        *row = g + 8 * (tile % down);
        *col = 2 * t + i % 2 + 8 * (tile / down);
    }
    }
}

static bool fragment_lay(sim_decoder *d, sim_fragment *f, ptx_fragment_shape s, char which,
                         ptx_type t, unsigned regs, bool quad) {
    const ptx_insn *p = d->insn;
    f->type = (uint8_t)t;
    f->bits = (uint8_t)ptx_fragment_bits(t);
    if (!f->bits) {
        sim_decode_fail(d, "a fragment of what is no element of a matrix");
        return false;
    }
    f->wide = f->bits == 64;
    f->per = (uint8_t)(f->wide ? 1 : 32 / f->bits);
    f->regs = (uint8_t)regs;
    f->rows = which == 'b' ? s.k : s.m;
    f->cols = which == 'a' ? s.k : s.n;
    f->at = sim_image_alloc(d->image, (size_t)f->regs * f->per * SIM_WARP_LANES * sizeof *f->at);
    if (!f->at || f->regs > 8) {
        sim_decode_fail(d, f->at ? "a fragment of more than 8 registers" : "out of memory");
        return false;
    }
    /* the layouts of the QUAD depend on whether A and B are stored by rows or by columns */
    unsigned transposed = which == 'a'   ? p->field[PTX_FIELD_LAYOUT] == PTX_LAYOUT_col
                          : which == 'b' ? p->field[PTX_FIELD_LAYOUT_B] == PTX_LAYOUT_col
                                         : 0;
    for (unsigned r = 0; r < f->regs; r++)
        for (unsigned e = 0; e < f->per; e++)
            for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
                unsigned row = 0, col = 0, of = quad ? (l / 4 & 3) * f->rows * f->cols : 0;
                tensor_place(f, which, quad, s, transposed, l, r, e, &row, &col);
                f->at[(r * f->per + e) * SIM_WARP_LANES + l] = (uint16_t)(of + row * f->cols + col);
            }
    return !d->failed;
}
bool sim_fragment_lay(sim_decoder *d, sim_fragment *f, ptx_fragment_shape s, char which, ptx_type t,
                      unsigned regs) {
    return fragment_lay(d, f, s, which, t, regs, false);
}

bool sim_fragment_make(sim_decoder *d, sim_fragment *f, const ptx_opnd *o, char which, ptx_type t,
                       bool quad, bool to) {
    bool list = o->kind == PTX_OPND_VEC;
    if (!fragment_lay(d, f, ptx_fragment_shape_of(d->insn), which, t, list ? o->count : 1, quad))
        return false;
    for (unsigned r = 0; r < f->regs; r++) {
        const ptx_opnd *x = list ? &o->elem[r] : o;
        unsigned slot = f->wide ? SIM_SLOT_64 : SIM_SLOT_32;
        ptx_type held = f->wide ? PTX_B64 : PTX_B32;
        if (x->kind == PTX_OPND_SINK) f->reg[r] = d->sink;
        else f->reg[r] = to ? sim_destination(d, x, slot, held) : sim_source(d, x, slot, held);
    }
    return !d->failed;
}

/* ---- values ---- */

enum { MOST = 16 * 256 }; /* elements of a matrix */

typedef sim_product product;

static uint64_t raw(const sim_warp *w, const sim_fragment *f, unsigned r, unsigned e, unsigned l) {
    if (f->wide) return LANES(const uint64_t, f->reg[r])[l];
    uint32_t x = LANES(const uint32_t, f->reg[r])[l];
    return f->bits == 32 ? x : x >> f->bits * e & ((1u << f->bits) - 1);
}

static double real_of(unsigned type, uint64_t v) {
    switch (type) {
    case PTX_F64: return f64_bits(v);
    case PTX_F32: return (double)f32_bits((uint32_t)v);
    case PTX_TF32: return (double)f32_bits((uint32_t)v & ~0x1fffu);
    case PTX_F16: return (double)f16_to_f32((uint16_t)v);
    case PTX_BF16: return (double)bf16_to_f32((uint16_t)v);
    case PTX_E4M3: return widen((uint32_t)v, NARROW_E4M3);
    default: return widen((uint32_t)v, NARROW_E5M2);
    }
}
static int32_t int_of(unsigned type, uint64_t v) {
    switch (type) {
    case PTX_S8: return (int8_t)v;
    case PTX_S4: return (int32_t)((uint32_t)v << 28) >> 28;
    default: return (int32_t)(uint32_t)v;
    }
}

/* Every element of a matrix has a lane and a register, so this fills the matrix; a fragment has at
 * least one register. */
#define UNPACK(name, T, value)                                                                     \
    static void name(const sim_warp *w, const sim_fragment *f, T *to) {                            \
        unsigned r = 0, e = 0, at = 0;                                                             \
        do {                                                                                       \
            for (unsigned l = 0; l < SIM_WARP_LANES; l++, at++)                                    \
                to[f->at[at]] = value(f->type, raw(w, f, r, e, l));                                \
            if (++e == f->per) e = 0, r++;                                                         \
        } while (r < f->regs);                                                                     \
    }
UNPACK(unpack_real, double, real_of)
UNPACK(unpack_int, int32_t, int_of)

static uint64_t bits_of(const product *p, double x) {
    if (p->satfinite && x != x) x = 0;
    switch (p->d.type) {
    case PTX_F64: return bits_f64(x);
    case PTX_F32: {
        float y = nan32((float)x);
        if (p->satfinite && y - y != 0) y = y > 0 ? 0x1.fffffep127f : -0x1.fffffep127f;
        return bits_f32(y);
    }
    default: return x != x ? 0x7fff : narrow(x, false, NARROW_F16, NARROW_RN, p->satfinite);
    }
}

/* Puts each lane's elements back, in the order of registers. */
static void tensor_pack(sim_warp *w, const sim_fragment *f, const uint64_t *from) {
    uint32_t m = w->mask;
    for (unsigned r = 0; r < f->regs; r++)
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
            if (!(m >> l & 1)) continue;
            uint64_t v = 0;
            for (unsigned e = 0; e < f->per; e++)
                v |= from[f->at[(r * f->per + e) * SIM_WARP_LANES + l]] << f->bits * e;
            if (f->wide) LANES(uint64_t, f->reg[r])[l] = v;
            else LANES(uint32_t, f->reg[r])[l] = (uint32_t)v;
        }
}

/* ---- products ---- */

static void multiply_real(const product *p, const double *a, const double *b, double *c) {
    unsigned m = p->s.m, n = p->s.n, k = p->s.k;
    for (unsigned i = 0; i < m; i++)
        for (unsigned x = 0; x < k; x++)
            for (unsigned j = 0; j < n; j++) c[i * n + j] += a[i * k + x] * b[x * n + j];
}
/* Volatile, so that the compiler keeps the call between the switches of the rounding mode. */
static double (*volatile const fused)(double, double, double) = fma;
static void multiply_fused(const product *p, const double *a, const double *b, double *c) {
    unsigned m = p->s.m, n = p->s.n, k = p->s.k;
    fesetround(p->round);
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++)
            for (unsigned x = 0; x < k; x++)
                c[i * n + j] = fused(a[i * k + x], b[x * n + j], c[i * n + j]);
    fesetround(FE_TONEAREST);
}

static void product_real(sim_warp *w, const product *p) {
    double a[16 * 32 * 2], b[16 * 32 * 2], c[16 * 32 * 2];
    uint64_t d[16 * 32 * 2];
    unpack_real(w, &p->a, a);
    unpack_real(w, &p->b, b);
    unpack_real(w, &p->c, c);
    unsigned mk = p->s.m * p->s.k, kn = p->s.k * p->s.n, mn = p->s.m * p->s.n;
    for (unsigned q = 0; q < p->batch; q++)
        (p->d.wide ? multiply_fused : multiply_real)(p, a + q * mk, b + q * kn, c + q * mn);
    for (unsigned x = 0; x < p->batch * mn; x++) d[x] = bits_of(p, c[x]);
    tensor_pack(w, &p->d, d);
}

static void product_int(sim_warp *w, const product *p) {
    int32_t a[MOST], b[MOST], c[16 * 32];
    uint64_t d[16 * 32];
    unpack_int(w, &p->a, a);
    unpack_int(w, &p->b, b);
    unpack_int(w, &p->c, c);
    unsigned m = p->s.m, n = p->s.n, k = p->s.k;
    for (unsigned r = 0; r < m; r++)
        for (unsigned j = 0; j < n; j++) {
            int64_t sum = c[r * n + j];
            for (unsigned x = 0; x < k; x++) {
                int32_t y = a[r * k + x], z = b[x * n + j];
                sum += !p->bitwise ? y * z : p->bitwise == PTX_ATOM_and ? (y & z) : (y ^ z);
            }
            if (p->satfinite) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d[r * n + j] = (uint32_t)sum;
        }
    tensor_pack(w, &p->d, d);
}

void sim_product_run(sim_warp *w, const product *p) {
    if (p->fast && p->fast(w, p)) return;
    if (p->integer) product_int(w, p);
    else product_real(w, p);
}
static void exec_product(sim_warp *w, const sim_insn *i) {
    sim_product_run(w, i->aux);
}

/* Chooses the products that the vector code does: all except QUADs, bits, results clamped to the
 * largest number, C and D of different widths, and directed rounding. */
void sim_product_choose(product *p, sim_isa isa) {
    if (p->batch > 1 || p->bitwise || p->c.bits != p->d.bits || p->round != FE_TONEAREST) return;
    if (p->satfinite && !p->integer) return;
#define PRODUCT_FAST(set)                                                                          \
    if (isa == SIM_ISA_##set) p->fast = sim_product_##set;
    SIM_VECTOR_ISAS(PRODUCT_FAST)
    (void)isa;
}

void sim_decode_mma(sim_decoder *d) {
    const ptx_insn *i = d->insn;
    product *p = sim_decode_alloc(d, sizeof *p);
    if (!p) return;
    ptx_type a = i->ntypes > 2 ? i->type[1] : PTX_F16, b = i->ntypes > 2 ? i->type[2] : PTX_F16,
             c = i->type[i->ntypes - 1];
    bool quad = ptx_fragment_quad(i, a);
    *p = (product){.s = ptx_fragment_shape_of(i),
                   .batch = quad ? 4 : 1,
                   .integer = i->type[0] == PTX_S32,
                   .satfinite = i->flags >> PTX_F_satfinite & 1};
    if (a == PTX_B1) p->bitwise = i->field[PTX_FIELD_ATOM];
    switch (i->field[PTX_FIELD_ROUND]) {
    case PTX_ROUND_rz: p->round = FE_TOWARDZERO; break;
    case PTX_ROUND_rm: p->round = FE_DOWNWARD; break;
    case PTX_ROUND_rp: p->round = FE_UPWARD; break;
    default: p->round = FE_TONEAREST; break;
    }
    if (!sim_fragment_make(d, &p->a, &i->opnd[1], 'a', a, quad, false) ||
        !sim_fragment_make(d, &p->b, &i->opnd[2], 'b', b, quad, false) ||
        !sim_fragment_make(d, &p->c, &i->opnd[3], 'c', c, quad, false) ||
        !sim_fragment_make(d, &p->d, &i->opnd[0], 'c', i->type[0], quad, true))
        return;
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_product_choose(p, d->isa);
    sim_insn *x = sim_emit(d, exec_product, exec_product);
    x->e = all;
    x->aux = p;
}
