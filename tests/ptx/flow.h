/* Random programs of control flow: branches into and out of loops, copies under conditions,
 * registers that are read before they are written (zero, without sim_options.check_uninit), 64-bit
 * pairs, predicates, calls.
 *
 *   seed --flow_make--> flow_program --flow_text--> PTX of an entry "flow(in, out, k0, k1)"
 *                                    --flow_thread--> what one thread leaves in its FLOW_OUT words,
 *                                      in plain C
 *
 * The second way knows neither warps nor basic blocks: it is what the first is held against. */
#ifndef WARPLAB_FLOW_H
#define WARPLAB_FLOW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FLOW_MANY = 6,  /* registers r0.. that are written in several places */
    FLOW_REGS = 56, /* the others have one place */
    FLOW_WIDE = 14, /* of 64 bits, d0..; half of them in one place */
    FLOW_PREDS = 8, /* p0.. */
    FLOW_LOOPS = 8, /* counters k0.. */
    FLOW_INSNS = 120,
    FLOW_IN = 16,  /* words a thread reads */
    FLOW_OUT = 32, /* words a thread writes: half of them on the way, half at the end */
    FLOW_STEPS = 4000,
    FLOW_NAN = 0x7fffffff /* what arithmetic in single precision gives for any NaN */
};

/* name, text, operands (r: register, d: wide, p: predicate, i: constant; the first is written),
 * value */
#define FLOW_TABLE(X)                                                                              \
    X(mov, "mov.u32", "rr", R(a))                                                                  \
    X(mov2, "mov.b32", "rr", R(a))                                                                 \
    X(mov3, "mov.f32", "rr", R(a))                                                                 \
    X(mov4, "mov.s32", "rr", R(a))                                                                 \
    X(movi, "mov.u32", "ri", f->imm)                                                               \
    X(add, "add.u32", "rrr", R(a) + R(b))                                                          \
    X(addi, "add.u32", "rri", R(a) + f->imm)                                                       \
    X(sub, "sub.u32", "rrr", R(a) - R(b))                                                          \
    X(mul, "mul.lo.u32", "rrr", R(a) * R(b))                                                       \
    X(mad, "mad.lo.u32", "rrrr", R(a) * R(b) + R(c))                                               \
    X(and_, "and.b32", "rrr", R(a) & R(b))                                                         \
    X(xor_, "xor.b32", "rrr", R(a) ^ R(b))                                                         \
    X(min, "min.s32", "rrr", (int32_t)R(a) < (int32_t)R(b) ? R(a) : R(b))                          \
    X(max, "max.u32", "rrr", R(a) > R(b) ? R(a) : R(b))                                            \
    X(shl, "shl.b32", "rrr", R(b) > 31 ? 0 : R(a) << R(b))                                         \
    X(shr, "shr.u32", "rrr", R(b) > 31 ? 0 : R(a) >> R(b))                                         \
    X(fadd, "add.rn.f32", "rrr", flow_bits(flow_float(R(a)) + flow_float(R(b))))                   \
    X(fmul, "mul.rn.f32", "rrr", flow_bits(flow_float(R(a)) * flow_float(R(b))))                   \
    X(ffma, "fma.rn.f32", "rrrr",                                                                  \
      flow_bits(fmaf(flow_float(R(a)), flow_float(R(b)), flow_float(R(c)))))                       \
    X(selp, "selp.b32", "rrrp", P(c) ? R(a) : R(b))                                                \
    X(lt, "setp.lt.s32", "prr", (int32_t)R(a) < (int32_t)R(b))                                     \
    X(lti, "setp.lt.u32", "pri", R(a) < f->imm)                                                    \
    X(eq, "setp.eq.u32", "prr", R(a) == R(b))                                                      \
    X(flt, "setp.lt.f32", "prr", flow_float(R(a)) < flow_float(R(b)))                              \
    X(pand, "and.pred", "ppp", P(a) && P(b))                                                       \
    X(pxor, "xor.pred", "ppp", P(a) != P(b))                                                       \
    X(pnot, "not.pred", "pp", !P(a))                                                               \
    X(pmov, "mov.pred", "pp", P(a))                                                                \
    X(dmov, "mov.u64", "dd", D(a))                                                                 \
    X(dadd, "add.u64", "ddd", D(a) + D(b))                                                         \
    X(widen, "cvt.u64.u32", "dr", R(a))                                                            \
    X(narrow, "cvt.u32.u64", "rd", (uint32_t)D(a))
enum flow_op {
#define X(name, text, operands, value) FLOW_##name,
    FLOW_TABLE(X)
#undef X
        FLOW_TABLE_END,
    FLOW_tid = FLOW_TABLE_END, /* r := thread's index in its block */
    FLOW_param,                /* r := a parameter of the kernel */
    FLOW_load,                 /* r := in[imm] */
    FLOW_store,                /* out[imm] := r */
    FLOW_pack,                 /* d := {r, r} */
    FLOW_unpack,               /* {r, r} := d */
    FLOW_call,                 /* r := flow_callee(r, r) */
    FLOW_bra,                  /* to `to` */
    FLOW_brx,                  /* to one of three places, by a register */
    FLOW_loop,  /* back to `to`, while its counter is less than imm and (c, or a predicate holds) */
    FLOW_reset, /* a loop's counter := 0 */
    FLOW_exit
};

typedef struct {
    uint8_t op, d, a, b, c;
    int8_t guard; /* -1: none */
    bool negated;
    uint32_t imm;
    uint16_t to, other[2];
} flow_insn;
typedef struct {
    flow_insn insn[FLOW_INSNS];
    unsigned count;
    uint8_t kept[FLOW_OUT / 2]; /* what it stores at the end: FLOW_REGS and more are wide ones */
    unsigned kept_count;
    uint64_t state;
} flow_program;

static inline uint32_t flow_draw(flow_program *p, uint32_t n) {
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((p->state ^ p->state >> 29) >> 16) % n;
}

/* ---- by plain C ---- */

static inline float flow_float(uint32_t v) {
    float f;
    memcpy(&f, &v, 4);
    return f;
}
static inline uint32_t flow_bits(float f) {
    uint32_t v;
    memcpy(&v, &f, 4);
    return isnan(f) ? FLOW_NAN : v;
}

typedef struct {
    uint32_t r[FLOW_REGS], loop[FLOW_LOOPS];
    uint64_t d[FLOW_WIDE];
    bool p[FLOW_PREDS];
} flow_state;

/* What the function of flow_text() computes. */
static inline uint32_t flow_callee(uint32_t a, uint32_t b) {
    uint32_t last = 0, sum = 0;
    for (uint32_t k = 0; k < (b & 3) + 1; k++) {
        uint32_t t = a + k;
        if (t & 1) last = t;
        sum = sum * 3 + last;
    }
    return sum;
}

static inline void flow_value(const flow_insn *f, flow_state *s) {
#define R(x) s->r[f->x]
#define D(x) s->d[f->x]
#define P(x) s->p[f->x]
    switch (f->op) {
#define X(name, text, operands, value)                                                             \
    case FLOW_##name:                                                                              \
        if (*operands == 'r') s->r[f->d] = (uint32_t)(value);                                      \
        else if (*operands == 'd') s->d[f->d] = (uint64_t)(value);                                 \
        else s->p[f->d] = (value) != 0;                                                            \
        break;
        FLOW_TABLE(X)
#undef X
    default: break;
    }
#undef R
#undef D
#undef P
}

/* False: it takes too many steps. */
static inline bool flow_thread(const flow_program *p, uint32_t tid, const uint32_t k[2],
                               const uint32_t *in, uint32_t *out) {
    flow_state s;
    memset(&s, 0, sizeof s);
    unsigned steps = 0;
    for (unsigned at = 0; at < p->count;) {
        const flow_insn *f = &p->insn[at++];
        if (++steps > FLOW_STEPS) return false;
        if (f->guard >= 0 && s.p[f->guard] == f->negated) continue;
        switch (f->op) {
        case FLOW_tid: s.r[f->d] = tid; break;
        case FLOW_param: s.r[f->d] = k[f->imm]; break;
        case FLOW_load: s.r[f->d] = in[f->imm]; break;
        case FLOW_store: out[f->imm] = s.r[f->a]; break;
        case FLOW_pack: s.d[f->d] = (uint64_t)s.r[f->b] << 32 | s.r[f->a]; break;
        case FLOW_unpack: {
            uint64_t v = s.d[f->a];
            s.r[f->d] = (uint32_t)v;
            s.r[f->b] = (uint32_t)(v >> 32);
            break;
        }
        case FLOW_call: s.r[f->d] = flow_callee(s.r[f->a], s.r[f->b]); break;
        case FLOW_bra: at = f->to; break;
        case FLOW_brx: at = (s.r[f->a] & 3) ? f->other[s.r[f->a] & 1] : f->to; break;
        case FLOW_loop:
            if (++s.loop[f->d] < f->imm && (f->c || s.p[f->a])) at = f->to;
            break;
        case FLOW_reset: s.loop[f->d] = 0; break;
        case FLOW_exit: return true;
        default: flow_value(f, &s);
        }
    }
    for (unsigned n = 0; n < p->kept_count; n++) {
        unsigned r = p->kept[n];
        out[FLOW_OUT / 2 + n] = r < FLOW_REGS ? s.r[r] : (uint32_t)(s.d[r - FLOW_REGS] >> 16);
    }
    return true;
}

/* ---- drawing one ---- */

typedef struct {
    bool reg[FLOW_REGS], wide[FLOW_WIDE];
    uint8_t last[4]; /* registers of one place, the last to be written */
} flow_used;

/* A register to write: one that nobody wrote, if `once` and there is one. */
static inline uint8_t flow_to(flow_program *p, flow_used *u, bool once) {
    for (uint8_t r = FLOW_MANY; once && r < FLOW_REGS; r++)
        if (!u->reg[r]) {
            u->reg[r] = true;
            memmove(u->last + 1, u->last, sizeof u->last - 1);
            u->last[0] = r;
            return r;
        }
    return (uint8_t)flow_draw(p, FLOW_MANY);
}
static inline uint8_t flow_to_wide(flow_program *p, flow_used *u) {
    for (uint8_t r = FLOW_WIDE / 2; r < FLOW_WIDE; r++)
        if (!u->wide[r] && flow_draw(p, 2)) {
            u->wide[r] = true;
            return r;
        }
    return (uint8_t)flow_draw(p, FLOW_WIDE / 2);
}
static inline uint8_t flow_from(flow_program *p, const flow_used *u) {
    uint32_t how = flow_draw(p, 10);
    if (how < 5) return u->last[flow_draw(p, 4)];
    return (uint8_t)flow_draw(p, how < 7 ? FLOW_MANY : FLOW_REGS);
}

static inline void flow_operands(flow_program *p, flow_used *u, flow_insn *f, const char *kinds) {
    uint8_t *at[4] = {&f->d, &f->a, &f->b, &f->c};
    for (unsigned n = 1; kinds[n]; n++)
        *at[n] = kinds[n] == 'r'   ? flow_from(p, u)
                 : kinds[n] == 'd' ? (uint8_t)flow_draw(p, FLOW_WIDE)
                 : kinds[n] == 'p' ? (uint8_t)flow_draw(p, FLOW_PREDS)
                                   : 0;
    f->d = kinds[0] == 'r'   ? flow_to(p, u, flow_draw(p, 3) != 0)
           : kinds[0] == 'd' ? flow_to_wide(p, u)
                             : (uint8_t)flow_draw(p, FLOW_PREDS);
}

static inline uint8_t flow_pick(flow_program *p) {
    uint32_t how = flow_draw(p, 100);
    if (how < 22) return (uint8_t)(FLOW_mov + flow_draw(p, 4));
    if (how < 34) return (uint8_t)(FLOW_lt + flow_draw(p, 8));
    if (how < 69) return (uint8_t)flow_draw(p, FLOW_TABLE_END);
    if (how < 79) return (uint8_t)(FLOW_tid + flow_draw(p, FLOW_bra - FLOW_tid));
    if (how < 91) return FLOW_bra;
    if (how < 96) return FLOW_loop;
    return (uint8_t)(how == 96 ? FLOW_brx : how == 97 ? FLOW_exit : FLOW_reset);
}

static inline uint16_t flow_ahead(flow_program *p, unsigned at) {
    unsigned to = at + 1 + flow_draw(p, 14);
    return (uint16_t)(to < p->count ? to : p->count);
}

static inline void flow_insn_make(flow_program *p, flow_used *u, unsigned at) {
    static const char *const kinds[] = {
#define X(name, text, operands, value) operands,
        FLOW_TABLE(X)
#undef X
    };
    flow_insn *f = &p->insn[at];
    *f = (flow_insn){.op = flow_pick(p), .guard = -1};
    bool copy = at && f[-1].op == FLOW_bra && f[-1].to == at + 1;
    if (copy) f->op = FLOW_mov;
    if (f->op == FLOW_brx && at + 2 > p->count) f->op = FLOW_mov;
    bool branch = f->op == FLOW_bra || f->op == FLOW_exit;
    if (f->op != FLOW_loop && f->op != FLOW_brx && (branch ? flow_draw(p, 12) : !flow_draw(p, 8))) {
        f->guard = (int8_t)flow_draw(p, FLOW_PREDS);
        f->negated = flow_draw(p, 2);
    }
    static const uint32_t odd[] = {0,          1,          2,          31,         0x80000000,
                                   0xffffffff, 0x3f800000, 0x7f812345, 0xffc54321, 0x00000100};
    f->imm = flow_draw(p, 3) ? odd[flow_draw(p, 10)] : flow_draw(p, 1u << 31);
    if (copy) f->guard = -1;
    if (f->op < FLOW_TABLE_END) {
        flow_operands(p, u, f, kinds[f->op]);
        return;
    }
    f->a = flow_from(p, u);
    f->b = flow_from(p, u);
    switch (f->op) {
    case FLOW_param: f->imm = flow_draw(p, 2); break;
    case FLOW_load: f->imm = flow_draw(p, FLOW_IN); break;
    case FLOW_store: f->imm = flow_draw(p, FLOW_OUT / 2); return;
    case FLOW_pack: f->d = flow_to_wide(p, u); return;
    case FLOW_unpack:
        f->a = (uint8_t)flow_draw(p, FLOW_WIDE);
        f->b = (uint8_t)(FLOW_MANY - 1); /* never the same as d */
        f->d = flow_to(p, u, true);
        if (f->d == f->b) f->d = 0;
        return;
    case FLOW_bra: /* often around one instruction: a copy under a condition */
        f->to =
            flow_draw(p, 2) ? flow_ahead(p, at) : (uint16_t)(at + 1 < p->count ? at + 2 : p->count);
        return;
    case FLOW_brx:
        f->to = flow_ahead(p, at);
        f->other[0] = flow_ahead(p, at);
        f->other[1] = flow_ahead(p, at);
        return;
    case FLOW_loop:
        f->to = (uint16_t)(at - (at ? flow_draw(p, at < 30 ? at : 30) : 0));
        f->d = (uint8_t)flow_draw(p, FLOW_LOOPS);
        f->a = (uint8_t)flow_draw(p, FLOW_PREDS);
        f->c = flow_draw(p, 3) != 0;
        f->imm = 2 + flow_draw(p, 5);
        return;
    case FLOW_reset: f->d = (uint8_t)flow_draw(p, FLOW_LOOPS); return;
    default: break;
    }
    f->d = flow_to(p, u, flow_draw(p, 2));
}

static inline void flow_make(flow_program *p, uint64_t seed) {
    *p = (flow_program){.state = seed * 0x9e3779b97f4a7c15u + 1};
    for (int k = 0; k < 4; k++) flow_draw(p, 2);
    p->count = 20 + flow_draw(p, FLOW_INSNS - 20);
    flow_used u = {.last = {FLOW_MANY, FLOW_MANY + 1, FLOW_MANY + 2, FLOW_MANY + 3}};
    for (unsigned at = 0; at < p->count; at++) flow_insn_make(p, &u, at);
    p->kept_count = 1 + flow_draw(p, FLOW_OUT / 2);
    for (unsigned n = 0; n < p->kept_count; n++)
        p->kept[n] = (uint8_t)flow_draw(p, FLOW_REGS + FLOW_WIDE);
}

/* ---- as PTX ---- */

static const char flow_function[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".func (.param .b32 result) callee(.param .b32 a, .param .b32 b)\n{\n"
    ".reg .b32 %x<12>;\n.reg .pred %q<4>;\n"
    "ld.param.u32 %x1, [a];\nld.param.u32 %x2, [b];\nand.b32 %x3, %x2, 3;\nadd.u32 %x3, %x3, 1;\n"
    "mov.u32 %x4, 0;\nmov.u32 %x5, 0;\nmov.u32 %x6, 0;\n"
    "R: add.u32 %x7, %x1, %x4;\nand.b32 %x8, %x7, 1;\nsetp.eq.u32 %q1, %x8, 0;\n@%q1 bra S;\n"
    "mov.u32 %x5, %x7;\nS: mad.lo.u32 %x6, %x6, 3, %x5;\nadd.u32 %x4, %x4, 1;\n"
    "setp.lt.u32 %q2, %x4, %x3;\n@%q2 bra R;\nst.param.b32 [result], %x6;\nret;\n}\n";

static inline void flow_row(FILE *o, const flow_insn *f) {
    static const struct {
        const char *text, *kinds;
    } rows[] = {
#define X(name, text, operands, value) {text, operands},
        FLOW_TABLE(X)
#undef X
    };
    const uint8_t at[4] = {f->d, f->a, f->b, f->c};
    fprintf(o, "%s", rows[f->op].text);
    for (unsigned n = 0; rows[f->op].kinds[n]; n++) {
        char k = rows[f->op].kinds[n];
        fprintf(o, n ? ", " : " ");
        if (k == 'i') fprintf(o, "0x%x", f->imm);
        else fprintf(o, "%%%c%u", k, at[n]);
    }
    fprintf(o, ";\n");
}

static inline void flow_insn_text(FILE *o, const flow_insn *f, unsigned at) {
    char guard[16] = "";
    if (f->guard >= 0) snprintf(guard, sizeof guard, "@%s%%p%d ", f->negated ? "!" : "", f->guard);
    fprintf(o, "L%u:\n%s", at, f->op == FLOW_call ? "" : guard);
    switch (f->op) {
    case FLOW_tid: fprintf(o, "mov.u32 %%r%u, %%tid.x;\n", f->d); break;
    case FLOW_param: fprintf(o, "ld.param.u32 %%r%u, [k%u];\n", f->d, f->imm); break;
    case FLOW_load: fprintf(o, "ld.global.u32 %%r%u, [%%in+%u];\n", f->d, 4 * f->imm); break;
    case FLOW_store: fprintf(o, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * f->imm, f->a); break;
    case FLOW_pack: fprintf(o, "mov.b64 %%d%u, {%%r%u, %%r%u};\n", f->d, f->a, f->b); break;
    case FLOW_unpack: fprintf(o, "mov.b64 {%%r%u, %%r%u}, %%d%u;\n", f->d, f->b, f->a); break;
    case FLOW_call:
        if (*guard) fprintf(o, "@%s%%p%d bra C%u;\n", f->negated ? "" : "!", f->guard, at);
        fprintf(o,
                "{ .param .b32 x; .param .b32 y; .param .b32 z;\nst.param.b32 [x], %%r%u;\n"
                "st.param.b32 [y], %%r%u;\ncall (z), callee, (x, y);\n"
                "ld.param.b32 %%r%u, [z]; }\nC%u:\n",
                f->a, f->b, f->d, at);
        break;
    case FLOW_bra: fprintf(o, "bra L%u;\n", f->to); break;
    case FLOW_brx:
        fprintf(o,
                "and.b32 %%t0, %%r%u, 3;\nT%u: .branchtargets L%u, L%u, L%u, L%u;\n"
                "brx.idx %%t0, T%u;\n",
                f->a, at, f->to, f->other[1], f->other[0], f->other[1], at);
        break;
    case FLOW_loop:
        fprintf(o, "add.u32 %%k%u, %%k%u, 1;\nsetp.lt.u32 %%p%u, %%k%u, %u;\n", f->d, f->d,
                FLOW_PREDS, f->d, f->imm);
        if (!f->c) fprintf(o, "and.pred %%p%u, %%p%u, %%p%u;\n", FLOW_PREDS, FLOW_PREDS, f->a);
        fprintf(o, "@%%p%u bra L%u;\n", FLOW_PREDS, f->to);
        break;
    case FLOW_reset: fprintf(o, "mov.u32 %%k%u, 0;\n", f->d); break;
    case FLOW_exit: fprintf(o, "ret;\n"); break;
    default: flow_row(o, f);
    }
}

static inline void flow_text(FILE *o, const flow_program *p) {
    fprintf(o,
            "%s.visible .entry flow(.param .u64 in, .param .u64 out, .param .u32 k0, .param .u32 "
            "k1)\n{\n.reg .b32 %%r<%d>, %%k<%d>, %%t<8>;\n.reg .b64 %%d<%d>, %%in, %%out;\n"
            ".reg .pred %%p<%d>;\n",
            flow_function, FLOW_REGS, FLOW_LOOPS, FLOW_WIDE, FLOW_PREDS + 1);
    fprintf(o,
            "mov.u32 %%t1, %%ctaid.x;\nmov.u32 %%t2, %%ntid.x;\nmov.u32 %%t3, %%tid.x;\n"
            "mad.lo.u32 %%t4, %%t1, %%t2, %%t3;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, "
            "[out];\nmul.wide.u32 %%d0, %%t4, %d;\nadd.u64 %%in, %%in, %%d0;\n"
            "mul.wide.u32 %%d0, %%t4, %d;\nadd.u64 %%out, %%out, %%d0;\nmov.u64 %%d0, 0;\n",
            4 * FLOW_IN, 4 * FLOW_OUT);
    for (unsigned at = 0; at < p->count; at++) flow_insn_text(o, &p->insn[at], at);
    fprintf(o, "L%u:\n", p->count);
    for (unsigned n = 0; n < p->kept_count; n++) {
        unsigned r = p->kept[n], word = FLOW_OUT / 2 + n;
        if (r >= FLOW_REGS)
            fprintf(o, "shr.u64 %%in, %%d%u, 16;\ncvt.u32.u64 %%t5, %%in;\n", r - FLOW_REGS);
        if (r < FLOW_REGS) fprintf(o, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * word, r);
        else fprintf(o, "st.global.u32 [%%out+%u], %%t5;\n", 4 * word);
    }
    fprintf(o, "ret;\n}\n");
}

#endif
