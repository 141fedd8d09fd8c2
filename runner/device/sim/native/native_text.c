/* The C source of hot code: one function a run and one statement an instruction, in a loop over the
 * lanes that the compiler turns into vector code. Slots become local variables:
 *
 *     uint32_t r640 = *(const uint32_t *)(B0 + 640 + 4 * l);     read before it is written
 *     r768 = fma_F32_n(r640, 0x3f8147aeu, r512);                 a row of native_lanes.inc
 *     p0 = setp_S32_ne(r768, 0x0u); q0 |= p0 << l;               predicates: one bit a lane
 *     *(uint32_t *)(B0 + 768 + 4 * l) = r768;                    if it is read later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/decode/live.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/exec/exec.h"
#include "runner/device/sim/native/native.h"

enum {
    RUN_MAX = 192,   /* instructions of a run; a compiler's time grows faster than this number */
    TEXT_MAX = 8000, /* instructions of a plan */
    SLOT = 64        /* alignment of slots */
};

/* ---- rows and their names ---- */

/* In the order of the tables of handlers. */
static const char *const int_names[] = {
#define UN(op, T, tag, variant, td, ta, expr)               #op "_" #T "_" #tag,
#define BIN(op, T, tag, variant, td, ta, tb, expr)          #op "_" #T "_" #tag,
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)      #op "_" #T "_" #tag,
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr) #op "_" #T "_" #T1 #tag,
#define DIV(op, T, ta)                                      #op "_" #T "_n",
#define CMP(op, T, tag, variant, ta, expr)                  #op "_" #T "_" #tag,
#define SEL(op, T, tag, variant, td)                        #op "_" #T "_" #tag,
#define CARRY(op, T, tag, variant, td, wide, expr)          NULL,
#include "runner/device/sim/lane/int.def"
};
static const char *const fp_names[] = {
#define CMPZ CMP
#include "runner/device/sim/lane/fp.def"
#undef CMPZ
#undef UN
#undef BIN
#undef DIV
#undef TER
#undef TER2
#undef CMP
#undef SEL
#undef CARRY
};
static const char *const cvt_names[] = {
#define CVT(D, S, tag, variant, td, ts, expr) "cvt_" #D "_" #S #tag,
#include "runner/device/sim/lane/cvt.def"
#undef CVT
};
static const struct {
    const char *const *names;
    size_t count;
} tables[] = {
    {int_names, sizeof int_names / sizeof *int_names},
    {fp_names, sizeof fp_names / sizeof *fp_names},
    {cvt_names, sizeof cvt_names / sizeof *cvt_names},
};

/* Operations that compilers do not vectorise: their handlers are as fast. */
static bool stays_scalar(const sim_exec_row *r) {
    bool floating = r->t0 == PTX_F32 || r->t0 == PTX_F64;
    switch (r->op) {
    case PTX_OP_div:
    case PTX_OP_rem: return !floating && ptx_type_size(r->t0) != 4;
    case PTX_OP_mul:
    case PTX_OP_mad: return r->variant & SIM_V_HI && ptx_type_size(r->t0) == 8;
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_bfe:
    case PTX_OP_fns:
    case PTX_OP_prmt:
    case PTX_OP_lg2: return true;
    case PTX_OP_cvt:
        return floating != (r->t1 == PTX_F32 || r->t1 == PTX_F64) &&
               (ptx_type_size(r->t0) == 8 || ptx_type_size(r->t1) == 8);
    default: return false;
    }
}

typedef struct {
    const sim_exec_row *row;
    const char *name; /* "&", "|", "^", "~", "=": operations on predicates */
} form;

/* Returns how the text expresses an instruction; name NULL: it cannot. */
static form form_of(sim_isa isa, const sim_insn *i) {
    form f = {NULL, NULL};
    if (i->inner[0] || i->site) return f;
    unsigned family;
    size_t at;
    f.row = sim_exec_row_of(isa, i->fn[0], &family, &at);
    if (!f.row) return f;
    if (f.row->t0 == PTX_PRED) {
        switch (f.row->op) {
        case PTX_OP_and: f.name = "&"; break;
        case PTX_OP_or: f.name = "|"; break;
        case PTX_OP_xor: f.name = "^"; break;
        case PTX_OP_not: f.name = "~"; break;
        case PTX_OP_mov: f.name = "="; break;
        default: break;
        }
        return f;
    }
    if (family < sizeof tables / sizeof *tables && at < tables[family].count &&
        !stays_scalar(f.row))
        f.name = tables[family].names[at];
    return f;
}

/* ---- a run's slots ---- */

typedef struct {
    sim_opnd at;
    uint8_t kind;       /* SIM_SLOT_* */
    bool first_read;    /* read before it is written: it must be loaded */
    bool written, kept; /* kept: it is read later */
} var;
typedef struct {
    FILE *out;
    const sim_image *im;
    const sim_func *fn;
    sim_isa isa;
    const uint64_t *live_in;
    size_t live_words;
    uint64_t *live; /* registers that are read after the run */
    /* by number of the slot in the frame: 1: a PTX register's, 2: that register is live */
    uint8_t *is_reg;
    var vars[RUN_MAX * 4];
    unsigned var_count;
} writer;

static var *find_var(writer *w, sim_opnd o, unsigned kind) {
    for (unsigned k = 0; k < w->var_count; k++)
        if (w->vars[k].at == o) return w->vars[k].kind == kind ? &w->vars[k] : NULL;
    if (w->var_count == sizeof w->vars / sizeof *w->vars) return NULL;
    var *v = &w->vars[w->var_count++];
    *v = (var){.at = o, .kind = (uint8_t)kind};
    return v;
}

/* Takes the operands of a form, destination first. Returns false if they cannot be separate
 * variables. */
static bool take_operands(writer *w, const sim_insn *i, const form *f) {
    const sim_opnd o[4] = {i->d, i->a, i->b, i->c};
    for (unsigned n = 4; n-- > 0;) { /* sources before the destination */
        unsigned kind = f->row->slots >> 4 * n & 15;
        if (!kind || (o[n] & 3) == SIM_BASE_POOL) {
            if (!n) return false;
            continue;
        }
        if (!n && (o[0] & 3) != SIM_BASE_REGS) return false;
        var *v = find_var(w, o[n], kind);
        if (!v) return false;
        if (!n) v->written = true;
        else if (!v->written) v->first_read = true;
    }
    return true;
}

/* ---- results that are read later ---- */

static void mention(const ptx_opnd *o, uint64_t *set) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0)
        set[o->reg / 64] |= 1ull << (o->reg % 64);
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) mention(&o->elem[k], set);
}

/* Marks the slots of registers that are live at the end of `last`'s block, or used after `last` in
 * it. */
static void mark_live(writer *w, const ptx_insn *last) {
    const ptx_func *f = w->fn->ptx;
    uint32_t index = (uint32_t)(last - f->insns), block = f->block_of[index];
    sim_live_out(f, w->live_in, w->live_words, block, w->live);
    for (uint32_t k = index; k <= f->blocks[block].last && k < f->insn_count; k++) {
        const ptx_insn *p = &f->insns[k];
        for (unsigned o = 0; o < p->nopnds; o++) mention(&p->opnd[o], w->live);
        if (p->guard >= 0) w->live[p->guard / 64] |= 1ull << (p->guard % 64);
    }
    memset(w->is_reg, 0, w->fn->frame_bytes / SLOT + 1);
    for (size_t r = 0; r < f->reg_count; r++) {
        sim_opnd at = w->fn->reg_at[r];
        if (at == SIM_NO_SLOT || (at & 3) != SIM_BASE_REGS || (at >> 2) >= w->fn->frame_bytes)
            continue;
        w->is_reg[(at >> 2) / SLOT] |= (uint8_t)(w->live[r / 64] >> (r % 64) & 1 ? 3 : 1);
    }
    for (unsigned k = 0; k < w->var_count; k++) {
        var *v = &w->vars[k];
        if ((v->at & 3) == SIM_BASE_REGS) v->kept = w->is_reg[(v->at >> 2) / SLOT] != 1;
    }
}

/* ---- text ---- */

static void slot_name(char *text, size_t n, sim_opnd o, unsigned kind) {
    snprintf(text, n, "%c%u_%u", kind == SIM_SLOT_PRED ? 'p' : 'r', o & 3, o >> 2);
}

static void operand(writer *w, char *text, size_t n, sim_opnd o, unsigned kind) {
    if ((o & 3) != SIM_BASE_POOL) {
        slot_name(text, n, o, kind);
        return;
    }
    const uint8_t *at = w->im->pool + (o >> 2);
    uint64_t v = 0;
    memcpy(&v, at, kind == SIM_SLOT_64 ? 8 : 4);
    if (kind == SIM_SLOT_64) snprintf(text, n, "UINT64_C(0x%llx)", (unsigned long long)v);
    else if (kind == SIM_SLOT_PRED) snprintf(text, n, "(0x%xu >> l & 1)", (unsigned)v);
    else snprintf(text, n, "0x%xu", (unsigned)v);
}

static void statement(writer *w, const sim_insn *i, const form *f) {
    const sim_opnd o[4] = {i->d, i->a, i->b, i->c};
    char x[4][48] = {"", "", "", ""};
    for (unsigned n = 0; n < 4; n++) {
        unsigned kind = f->row->slots >> 4 * n & 15;
        if (kind) operand(w, x[n], sizeof x[n], o[n], kind);
    }
    if (*f->name == '~') fprintf(w->out, "%s = %s ^ 1;\n", x[0], x[1]);
    else if (*f->name == '=') fprintf(w->out, "%s = %s;\n", x[0], x[1]);
    else if (f->row->t0 == PTX_PRED) fprintf(w->out, "%s = %s %s %s;\n", x[0], x[1], f->name, x[2]);
    else
        fprintf(w->out, "%s = %s(%s%s%s%s%s);\n", x[0], f->name, x[1], *x[2] ? ", " : "", x[2],
                *x[3] ? ", " : "", x[3]);
}

/* Writes one round over the lanes, from the slots and back into them. */
static void body(writer *w, const sim_insn *insns, const struct native_run *r) {
    char name[48];
    for (unsigned k = 0; k < w->var_count; k++)
        if (w->vars[k].kind == SIM_SLOT_PRED) {
            slot_name(name, sizeof name, w->vars[k].at, SIM_SLOT_PRED);
            fprintf(
                w->out,
                "uint32_t i%s = *(const uint32_t *)(B%u + %u), o%s = 0;\n(void)i%s, (void)o%s;\n",
                name, w->vars[k].at & 3, w->vars[k].at >> 2, name, name, name);
        }
    fprintf(w->out, "#pragma GCC ivdep\nfor (int l = 0; l < 32; l++) {\n");
    for (unsigned k = 0; k < w->var_count; k++) {
        const var *v = &w->vars[k];
        const char *type = v->kind == SIM_SLOT_64 ? "uint64_t" : "uint32_t";
        slot_name(name, sizeof name, v->at, v->kind);
        fprintf(w->out, "%s %s", type, name);
        if (v->first_read && v->kind == SIM_SLOT_PRED) fprintf(w->out, " = i%s >> l & 1", name);
        else if (v->first_read)
            fprintf(w->out, " = ((const %s *)(B%u + %u))[l]", type, v->at & 3, v->at >> 2);
        fprintf(w->out, ";\n");
    }
    for (uint32_t k = 0; k < r->count; k++) {
        form f = form_of(w->isa, &insns[r->from + k]);
        statement(w, &insns[r->from + k], &f);
    }
    for (unsigned k = 0; k < w->var_count; k++) {
        const var *v = &w->vars[k];
        if (!v->written || !v->kept) continue;
        slot_name(name, sizeof name, v->at, v->kind);
        if (v->kind == SIM_SLOT_PRED) fprintf(w->out, "o%s |= %s << l;\n", name, name);
        else
            fprintf(w->out, "((%s *)(B%u + %u))[l] = %s;\n",
                    v->kind == SIM_SLOT_64 ? "uint64_t" : "uint32_t", v->at & 3, v->at >> 2, name);
    }
    fprintf(w->out, "}\n");
    for (unsigned k = 0; k < w->var_count; k++) {
        const var *v = &w->vars[k];
        if (!v->written || !v->kept || v->kind != SIM_SLOT_PRED) continue;
        slot_name(name, sizeof name, v->at, SIM_SLOT_PRED);
        fprintf(w->out, "*(uint32_t *)(B%u + %u) = (i%s & ~mask) | (o%s & mask);\n", v->at & 3,
                v->at >> 2, name, name);
    }
}

static void function(writer *w, const native_seg *s, size_t index, uint32_t run) {
    const struct native_run *r = &s->runs[run];
    w->var_count = 0;
    for (uint32_t k = 0; k < r->count; k++) {
        form f = form_of(w->isa, &s->insns[r->from + k]);
        take_operands(w, &s->insns[r->from + k], &f); /* it succeeded when the run was made */
    }
    mark_live(w, s->insns[r->from + r->count - 1].ptx);
    const sim_insn *end = &s->insns[s->seg->first + s->seg->count];
    if (s->loop) fprintf(w->out, "uint32_t loop_%zu(void *w, uint32_t most) {\n", index);
    else fprintf(w->out, "void run_%zu_%u(void *w, const void *i) {\n(void)i;\n", index, run);
    fprintf(
        w->out,
        "uint8_t *const *base = w, *const B0 = __builtin_assume_aligned(base[0], 64);\n"
        "const uint8_t *const B2 = __builtin_assume_aligned(base[2], 64), *const B3 = "
        "__builtin_assume_aligned(base[3], 64);\n"
        "const uint32_t mask = *(const uint32_t *)(base + 4);\n(void)B2, (void)B3, (void)mask;\n");
    if (s->loop) fprintf(w->out, "uint32_t n = 0, on;\ndo {\n");
    body(w, s->insns, r);
    if (s->loop)
        fprintf(w->out,
                "on = mask & (*(const uint32_t *)(B0 + %u) ^ 0x%xu);\n} while (++n < most && on == "
                "mask);\nreturn n;\n",
                end->guard >> 2, end->guard_xor);
    fprintf(w->out, "}\n");
}

/* ---- the plan ---- */

/* Cuts a segment into runs. Returns false if none is worth compiling. */
static bool cut(writer *w, native_seg *s) {
    uint32_t end = s->seg->first + s->seg->count;
    s->runs = calloc(s->seg->count / 2 + 1, sizeof *s->runs);
    if (!s->runs) return false;
    struct native_run now = {.count = 0};
    w->var_count = 0;
    for (uint32_t k = s->seg->first; k <= end; k++) {
        form f = k < end ? form_of(w->isa, &s->insns[k]) : (form){NULL, NULL};
        bool fits =
            f.name && s->insns[k].ptx && now.count < RUN_MAX && take_operands(w, &s->insns[k], &f);
        if (fits) {
            if (!now.count++) now.from = k;
            continue;
        }
        if (now.count >= 2) s->runs[s->run_count++] = now;
        if (now.count) k--; /* it may begin the next run */
        now.count = 0;
        w->var_count = 0;
    }
    const sim_insn *last = &s->insns[end];
    s->loop =
        s->seg->round && s->runs[0].count == s->seg->count && (last->guard & 3) == SIM_BASE_REGS;
    return s->run_count > 0;
}

void native_plan_free(native_plan *p) {
    for (size_t k = 0; k < p->seg_count; k++) free(p->segs[k].runs);
    free(p->segs);
    free(p->text);
    *p = (native_plan){0};
}

static bool plan_function(native_plan *p, writer *w, const bool *wanted, size_t *budget) {
    const ptx_func *f = w->fn->ptx;
    uint64_t *in = sim_live_in(f, NULL, &w->live_words);
    w->live_in = in;
    w->live = calloc(w->live_words, sizeof *w->live);
    w->is_reg = calloc(w->fn->frame_bytes / SLOT + 1, 1);
    bool good = in && w->live && w->is_reg;
    for (uint32_t k = 0; good && k < w->fn->seg_count; k++) {
        sim_seg *s = &w->fn->segs[k];
        if (!wanted[s->id] || s->native || s->count < 2 || s->count > *budget) continue;
        good = lib_grow_one(&p->segs, p->seg_count, sizeof *p->segs);
        if (!good) break;
        native_seg *made = &p->segs[p->seg_count];
        *made = (native_seg){.seg = s, .insns = w->fn->insns};
        if (!cut(w, made)) {
            free(made->runs);
            continue;
        }
        *budget -= s->count;
        for (uint32_t r = 0; r < made->run_count; r++) function(w, made, p->seg_count, r);
        p->seg_count++;
    }
    free(in);
    free(w->live);
    free(w->is_reg);
    return good;
}

bool native_plan_make(native_plan *p, const sim_image *im, sim_isa isa, const bool *wanted) {
    size_t n, budget = TEXT_MAX;
    *p = (native_plan){0};
    writer *w = calloc(1, sizeof *w);
    FILE *out = open_memstream(&p->text, &n);
    bool good = w && out;
    if (good) {
        *w = (writer){.out = out, .im = im, .isa = isa};
        fprintf(out, "#include \"runner/device/sim/native/native_lanes.inc\"\n");
    }
    for (size_t k = 0; good && k < im->func_count; k++) {
        w->fn = &im->funcs[k];
        good = plan_function(p, w, wanted, &budget);
    }
    free(w);
    if (out && fclose(out)) good = false;
    if (good && p->seg_count) return true;
    native_plan_free(p);
    return false;
}
