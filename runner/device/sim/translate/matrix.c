/* Products of tensor cores: the PTX instruction of the same shape and types. A lane's registers
 * hold a matrix in the order of PTX's fragments.
 *
 *   modifiers --types()--> .m16n8k16.row.col.f32.f16.f16.f32
 *   registers --product_operand()--> {%r4,%r5}, or {%y0} for pairs that are doubles
 *     --mma()--> mma.sync, mma.sp
 *     --wgmma()--> wgmma.mma_async, its descriptors in %x0 and %x1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/translate/internal.h"
#include "words/translate.h"

/* LIST: room for the 128 accumulators of a warpgroup */
enum { OPERANDS = 5, TYPES = 2, LIST = 1024 };

typedef struct {
    const sass_opnd
        *at[OPERANDS]; /* D, A, B, C, metadata; of a warpgroup no B, and A in registers */
    char list[OPERANDS][LIST];
    unsigned count;
    int64_t selector;
    const char *a, *b, *c; /* types of the elements; those of D are C's */
    unsigned mnk[3];
    const sass_opnd *memory; /* the descriptors of a warpgroup's matrices */
    char scale[TR_NAME];     /* the predicate that says whether C counts */
} product_form;

/* ---- types ---- */

/* Of integers and of floats of eight bits, A's and B's are written. */
static void written_types(const sass_insn *i, product_form *p) {
    static const char *const names[][2] = {{"U8", "u8"}, {"S8", "s8"},     {"U4", "u4"},
                                           {"S4", "s4"}, {"E4M3", "e4m3"}, {"E5M2", "e5m2"}};
    const char **to[TYPES] = {&p->a, &p->b};
    unsigned n = 0;
    for (const char *m = i->mods; *m; m += strcspn(m, ".")) {
        m++;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (n < TYPES && strcspn(m, ".") == strlen(names[k][0]) &&
                !strncmp(m, names[k][0], strlen(names[k][0])))
                *to[n++] = names[k][1];
    }
}

static void types(const sass_insn *i, product_form *p) {
    p->c = sass_has(i, "F32") ? "f32" : "f16";
    switch (i->op) {
    case SASS_OP_HMMA:
    case SASS_OP_HGMMA:
        p->a = sass_has(i, "BF16") ? "bf16" : sass_has(i, "TF32") ? "tf32" : "f16";
        p->b = p->a;
        break;
    case SASS_OP_DMMA: p->a = p->b = p->c = "f64"; break;
    case SASS_OP_BMMA:
    case SASS_OP_BGMMA: p->a = p->b = "b1", p->c = "s32"; break;
    case SASS_OP_IMMA:
    case SASS_OP_IGMMA: p->c = "s32"; /* fall through */
    default: written_types(i, p);
    }
}

/* ---- registers ---- */

/* Lists the operand's registers; doubles in %y from *used on, which D shares with C. */
static void product_operand(translator *t, product_form *p, unsigned k, bool wide, unsigned *used) {
    const sass_opnd *o = p->at[k];
    char *to = p->list[k], one[TR_NAME], other[TR_NAME];
    unsigned step = wide ? 2 : 1;
    size_t n = 0;
    if (!k && wide) return;
    for (unsigned r = 0; r < o->width; r += step) {
        tr_register(one, o, r);
        tr_register(other, o, r + 1);
        if (o->reg == SASS_RZ && k) snprintf(one, sizeof one, "%%zero");
        if (o->reg == SASS_RZ && !k) snprintf(one, sizeof one, "%%sink%u", r);
        if (wide) {
            tr_line(t, "mov.b64 %%y%u, {%s,%s};", *used, one, o->reg == SASS_RZ ? one : other);
            snprintf(one, sizeof one, "%%y%u", (*used)++);
        }
        n += (size_t)snprintf(to + n, LIST - n, "%s%s", r ? "," : "", one);
    }
}

static void keep(translator *t, const product_form *p) {
    const sass_opnd *d = p->at[0];
    unsigned first = (p->at[1]->width + p->at[2]->width) / 2u;
    for (unsigned r = 0; r < d->width && d->reg != SASS_RZ; r += 2)
        tr_line(t, "%smov.b64 {%%r%u,%%r%u}, %%y%u;", t->guard, d->reg + r, d->reg + r + 1,
                first + r / 2);
}

static void take_predicate(translator *t, product_form *p, const sass_opnd *o) {
    if (o->reg == SASS_PT) {
        snprintf(p->scale, TR_NAME, o->inverted ? "%%no" : "%%yes");
    } else {
        tr_line(t, "%s.pred %%q0, %%%c%u;", o->inverted ? "not" : "mov",
                o->kind == SASS_OPND_UPRED ? 'h' : 'p', o->reg);
        snprintf(p->scale, TR_NAME, "%%q0");
    }
}

static bool product_operands(translator *t, product_form *p) {
    const sass_insn *i = tr_insn(t);
    unsigned used = 0;
    snprintf(p->scale, TR_NAME, "%%yes");
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        bool plain = !o->negated && !o->absolute && !o->inverted &&
                     (!*o->sel || !strcmp(o->sel, ".ROW") || !strcmp(o->sel, ".COL"));
        if (o->kind == SASS_OPND_INT) p->selector = o->imm;
        else if (o->kind == SASS_OPND_PRED || o->kind == SASS_OPND_UPRED) take_predicate(t, p, o);
        else if (o->kind == SASS_OPND_MEM && o->form == SASS_GDESC && !p->memory) p->memory = o;
        else if (o->kind == SASS_OPND_WORD) continue; /* the scoreboard of its group */
        else if (o->kind == SASS_OPND_REG && plain && p->count < OPERANDS) p->at[p->count++] = o;
        else return false;
    }
    for (unsigned k = 0; k < p->count; k++)
        product_operand(t, p, k, i->op == SASS_OP_DMMA && k < 4, &used);
    return true;
}

/* ---- products ---- */

static bool mma(translator *t, product_form *p) {
    const sass_insn *i = tr_insn(t);
    bool sparse = sass_has(i, "SP"), wide = i->op == SASS_OP_DMMA;
    char more[LIST + 32] = "";
    if (p->memory || p->count != 4u + sparse) return false;
    if (sparse) snprintf(more, sizeof more, ",%s,%lld", p->list[4], (long long)p->selector);
    tr_line(t, "%smma%s.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s {%s},{%s},{%s},{%s}%s;",
            t->guard, sparse ? ".sp" : "", p->mnk[0], p->mnk[1], p->mnk[2],
            sass_has(i, "SAT") ? ".satfinite" : "", p->c, p->a, p->b, p->c,
            sass_has(i, "XOR")   ? ".xor.popc"
            : sass_has(i, "AND") ? ".and.popc"
                                 : "",
            p->list[wide ? 3 : 0], p->list[1], p->list[2], p->list[3], more);
    if (wide) keep(t, p);
    return true;
}

/* Four products at once in steps (m8n8k4): step n gives the registers 2n and 2n + 1 of D. */
static bool in_steps(translator *t, product_form *p) {
    const sass_insn *i = tr_insn(t);
    char step[] = "STEP0", to[LIST] = "", from[LIST] = "", word[TR_NAME];
    unsigned count = sass_has(i, "F32") ? 4 : 2, at = 0;
    while (at < count && !sass_has(i, step)) at++, step[4]++;
    if (p->count != 4 || at == count) return false;
    for (unsigned r = 0; r < 2 * count; r++) {
        bool given = r / 2 == at;
        size_t n = strlen(to), m = strlen(from);
        tr_register(word, p->at[0], r % 2);
        if (!given) snprintf(word, sizeof word, "%%sink%u", r % 4);
        snprintf(to + n, LIST - n, "%s%s", r ? "," : "", word);
        tr_register(word, p->at[3], r % 2);
        if (!given || p->at[3]->reg == SASS_RZ) snprintf(word, sizeof word, "%%zero");
        snprintf(from + m, LIST - m, "%s%s", r ? "," : "", word);
    }
    tr_line(t, "%smma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s {%s},{%s},{%s},{%s};", t->guard,
            strcmp(p->at[1]->sel, ".COL") ? "row" : "col",
            strcmp(p->at[2]->sel, ".ROW") ? "col" : "row", p->c, p->c, to, p->list[1], p->list[2],
            from);
    return true;
}

/* The words after the descriptors: which matrices are transposed, which negated. */
static bool is_said(const product_form *p, const char *word) {
    return strstr(p->memory->sel, word) != NULL;
}

static bool knows_words(const product_form *p, bool scales, bool turns) {
    static const char *const words[] = {".negA", ".negB", ".tnspA", ".tnspB"};
    size_t known = 0;
    for (unsigned k = 0; k < 4; k++)
        if ((k < 2 ? scales : turns) && is_said(p, words[k])) known += strlen(words[k]);
    return known == strlen(p->memory->sel);
}

/* D, then A in registers or none, then C, which is D or zero, then metadata. Descriptors begin with
 * an address of shared memory in 16 bytes. A product of the machine may end its group; here
 * products end at once. */
static bool wgmma(translator *t, product_form *p) {
    const sass_insn *i = tr_insn(t);
    bool sparse = sass_has(i, "SP"), held = p->count == 3u + sparse;
    unsigned at = p->memory ? p->memory->ubase.reg : SASS_NONE;
    if (at >= SASS_NONE || p->count < 2u + sparse || p->count > 3u + sparse) return false;
    const sass_opnd *c = p->at[1 + held];
    if (c->reg == SASS_RZ) snprintf(p->scale, TR_NAME, "%%no");
    else if (c->reg != p->at[0]->reg) return false;
    char a[LIST + 4], metadata[LIST + 32] = "", more[TR_NAME] = "";
    if (held) snprintf(a, sizeof a, "{%s}", p->list[1]);
    else snprintf(a, sizeof a, "%%x0");
    for (unsigned k = held; k < 2; k++) {
        tr_line(t, "mov.b64 %%x%u, {%%u%u,%%u%u};", k, at + 2 * k, at + 2 * k + 1);
        tr_line(t, "sub.u64 %%x%u, %%x%u, %u;", k, k, tr_shared_start(t) >> 4);
    }
    if (sparse)
        snprintf(metadata, sizeof metadata, ",%s,%lld", p->list[2 + held], (long long)p->selector);
    bool scales = i->op == SASS_OP_HGMMA || i->op == SASS_OP_QGMMA,
         turns = i->op == SASS_OP_HGMMA && !sass_has(i, "TF32");
    if (!knows_words(p, scales, turns)) return false;
    if (scales)
        snprintf(more, sizeof more, ",%d,%d", is_said(p, ".negA") ? -1 : 1,
                 is_said(p, ".negB") ? -1 : 1);
    if (turns)
        snprintf(more + strlen(more), sizeof more - strlen(more), "%s,%d",
                 held                   ? ""
                 : is_said(p, ".tnspA") ? ",1"
                                        : ",0",
                 is_said(p, ".tnspB"));
    tr_line(t, "%swgmma.mma_async%s.sync.aligned.m%un%uk%u%s.%s.%s.%s%s {%s},%s,%%x1%s,%s%s;",
            t->guard, sparse ? ".sp" : "", p->mnk[0], p->mnk[1], p->mnk[2],
            sass_has(i, "SAT") ? ".satfinite" : "", p->c, p->a, p->b,
            i->op == SASS_OP_BGMMA ? ".and.popc" : "", p->list[0], a, metadata, p->scale, more);
    return true;
}

void tr_matrix(translator *t) {
    const sass_insn *i = tr_insn(t);
    product_form *p = calloc(1, sizeof *p);
    if (!p) {
        t->out.failed = true;
        return;
    }
    types(i, p);
    bool steps = i->op == SASS_OP_HMMA && sass_has(i, "884");
    bool group = i->op == SASS_OP_HGMMA || i->op == SASS_OP_IGMMA || i->op == SASS_OP_QGMMA ||
                 i->op == SASS_OP_BGMMA;
    if (group && i->opnd_count && i->opnd[0].kind == SASS_OPND_REG && i->opnd[0].reg == SASS_RZ)
        tr_line(t, "wgmma.commit_group.sync.aligned;"); /* ends a group without products */
    else if (!p->a || !p->b || !sass_shape(i, p->mnk) || !product_operands(t, p) ||
             !(group   ? wgmma
               : steps ? in_steps
                       : mma)(t, p))
        tr_refuse(t, W_TRANSLATE_MATRIX_FORM);
    free(p);
}
