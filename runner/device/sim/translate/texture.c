/* Textures and surfaces. The machine knows them by the lower word of their handle. The texture's
 * format says what its components are; the code treats them as words.
 *
 *   registers: coordinates, then the handle if it is in a register, then the level
 *              (TXD: the handle, coordinates, gradients)
 *     --texture()--> tex, tex.level, tex.grad or tld4, of the components that the mask names
 *     --surface()--> suld.b or sust.b */
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/sim.h"
#include "runner/device/sim/translate/internal.h"
#include "words/translate.h"

enum { WORDS = 12, VECTOR = 4, LIST = VECTOR * TR_NAME };

typedef struct {
    const sass_opnd *out[2], *in[2]; /* out: the third and fourth component, the first and second */
    unsigned outs, ins;
    const sass_opnd *place; /* of a surface's bytes */
    const char *shape;      /* "2D" */
    unsigned mask;          /* of components */
    char handle[TR_NAME];   /* "": the handle is among the registers */
    char word[WORDS][TR_NAME];
    unsigned words;
} fetch;

static const struct {
    const char *shape, *geometry;
    unsigned coordinates;
    bool layer_last; /* PTX has it first */
} shapes[] = {{"1D", "1d", 1, false},
              {"2D", "2d", 2, false},
              {"3D", "3d", 3, false},
              {"CUBE", "cube", 3, false},
              {"ARRAY_1D", "a1d", 2, false},
              {"ARRAY_2D", "a2d", 3, false},
              {"ARRAY_CUBE", "acube", 4, false},
              {"1D_ARRAY", "a1d", 2, true},
              {"2D_ARRAY", "a2d", 3, true}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void name_of(char to[TR_NAME], const sass_opnd *o, unsigned part) {
    if (o->reg == SASS_RZ) snprintf(to, TR_NAME, "%s", o->role == SASS_DEF ? "_" : "%zero");
    else tr_register(to, o, part);
}

/* Finds the handle's place in constant bank 0, in words. */
static void constant_handle(translator *t, fetch *f, int64_t at) {
    sass_opnd c = {.kind = SASS_OPND_CONST,
                   .width = 1,
                   .imm = at * 4,
                   .base = {.reg = SASS_NONE},
                   .ubase = {.reg = SASS_NONE}};
    tr_constant(t, &c, 0, false);
    snprintf(f->handle, TR_NAME, "%%a0");
}

static void take_operands(translator *t, fetch *f) {
    const sass_insn *i = tr_insn(t);
    int64_t number[2] = {0};
    unsigned numbers = 0;
    f->mask = 15;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (o->kind == SASS_OPND_PRED && o->reg != SASS_PT) tr_refuse(t, W_TRANSLATE_RESIDENT);
        else if (o->kind == SASS_OPND_REG && o->role == SASS_DEF && f->outs < 2)
            f->out[f->outs++] = o;
        else if (o->kind == SASS_OPND_REG && f->ins < 2) f->in[f->ins++] = o;
        else if (o->kind == SASS_OPND_UREG) tr_register(f->handle, o, 0);
        else if (o->kind == SASS_OPND_MEM) f->place = o;
        else if (o->kind == SASS_OPND_WORD) f->shape = o->text;
        else if (o->kind == SASS_OPND_INT && f->shape) f->mask = o->imm & 15;
        else if (o->kind == SASS_OPND_INT && numbers < 2) number[numbers++] = o->imm;
    }
    if (!*f->handle && numbers == 2) constant_handle(t, f, number[1]);
}

/* Puts the handle into %n1, with 64 bits like the device's handles. */
static void put_handle(translator *t, const char *word) {
    tr_line(t, "mov.b64 %%n1, {%s,0x%x};", word, (unsigned)(SIM_TEXTURE_TAG >> 32));
}

static unsigned shape_named(const char *words) {
    unsigned d = 0;
    while (d < SHAPES && strcmp(words, shapes[d].shape)) d++;
    return d;
}

/* A vector of n registers in PTX: one, two or four. */
static void list(char to[LIST], char word[][TR_NAME], unsigned n, unsigned step) {
    unsigned whole = n < 3 ? n : VECTOR, used = 0;
    for (unsigned k = 0; k < whole; k++)
        used += (unsigned)snprintf(to + used, LIST - used, "%s%s", k ? "," : "",
                                   word[(k < n ? k : n - 1) * step]);
}

/* ---- textures ---- */

/* The components in the mask, one register after another: the first two are in the second list. */
static void components(const fetch *f, char to[LIST]) {
    char name[VECTOR][TR_NAME];
    unsigned n = 0;
    for (unsigned c = 0; c < VECTOR; c++) {
        snprintf(name[c], TR_NAME, "_");
        if (!(f->mask >> c & 1)) continue;
        name_of(name[c], f->out[n < 2], n & 1);
        n++;
    }
    list(to, name, VECTOR, 1);
}

static bool is_plain(const sass_insn *i) {
    static const char *const others[] = {"LB", "DC", "AOFFI", "NDV", "PTP", "MS", "LC"};
    for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
        if (sass_has(i, others[k])) return false;
    return i->op != SASS_OP_TLD || !sass_has(i, "LL");
}

static const char *gathered(const sass_insn *i) {
    return sass_has(i, "R") ? "r" : sass_has(i, "G") ? "g" : sass_has(i, "A") ? "a" : "b";
}

static void texture(translator *t, fetch *f) {
    const sass_insn *i = tr_insn(t);
    unsigned d = shape_named(f->shape ? f->shape : "");
    bool gradients = i->op == SASS_OP_TXD, level = sass_has(i, "LL");
    char to[LIST], at[LIST], across[LIST], down[LIST];
    for (unsigned k = 0; k < f->ins; k++)
        for (unsigned n = 0; n < f->in[k]->width && f->words < WORDS; n++)
            name_of(f->word[f->words++], f->in[k], n);
    if (d == SHAPES || !is_plain(i) || f->outs < 2) {
        tr_refuse(t, W_TRANSLATE_TEXTURE_FORM);
        return;
    }
    unsigned n = shapes[d].coordinates, first = gradients && !*f->handle, next = first + n,
             slopes = n - (*shapes[d].geometry == 'a'); /* none for a layer */
    if (!*f->handle) snprintf(f->handle, TR_NAME, "%s", f->word[first ? 0 : next++]);
    if (next + (gradients ? 2 * slopes : level) > f->words) {
        tr_refuse(t, W_TRANSLATE_TEXTURE_FORM);
        return;
    }
    put_handle(t, f->handle);
    components(f, to);
    list(at, f->word + first, n, 1);
    const char *geometry = shapes[d].geometry;
    if (gradients) {
        list(across, f->word + next, slopes, 2);
        list(down, f->word + next + 1, slopes, 2);
        tr_line(t, "%stex.grad.%s.v4.u32.f32 {%s}, [%%n1, {%s}], {%s}, {%s};", t->guard, geometry,
                to, at, across, down);
    } else if (i->op == SASS_OP_TLD4) {
        tr_line(t, "%stld4.%s.%s.v4.u32.f32 {%s}, [%%n1, {%s}];", t->guard, gathered(i), geometry,
                to, at);
    } else if (level) {
        tr_line(t, "%stex.level.%s.v4.u32.f32 {%s}, [%%n1, {%s}], %s;", t->guard, geometry, to, at,
                f->word[next]);
    } else {
        tr_line(t, "%stex%s.%s.v4.u32.%s {%s}, [%%n1, {%s}];", t->guard,
                sass_has(i, "LZ") ? ".base" : "", geometry, i->op == SASS_OP_TLD ? "s32" : "f32",
                to, at);
    }
}

/* ---- surfaces ---- */

static void surface(translator *t, fetch *f) {
    const sass_insn *i = tr_insn(t);
    bool load = i->op == SASS_OP_SULD;
    const sass_opnd *data = load ? f->out[0] : f->ins ? f->in[0] : NULL;
    unsigned d = 0, reg = f->place ? f->place->base.reg : SASS_NONE;
    char word[VECTOR][TR_NAME], values[LIST], at[LIST];
    while (d < SHAPES && !sass_has(i, shapes[d].shape)) d++;
    if (d == SHAPES || !data || data->width > VECTOR || !sass_has(i, "BA") || reg >= SASS_NONE ||
        f->place->ubase.reg < SASS_NONE || f->place->imm || sass_has(i, "S8") ||
        sass_has(i, "S16")) {
        tr_refuse(t, W_TRANSLATE_SURFACE_FORM);
        return;
    }
    if (!*f->handle) name_of(f->handle, f->in[load ? 0 : 1], 0);
    put_handle(t, f->handle);
    for (unsigned k = 0; k < data->width; k++) name_of(word[k], data, k);
    list(values, word, data->width, 1);
    unsigned n = shapes[d].coordinates, last = shapes[d].layer_last;
    for (unsigned k = 0; k < n; k++) snprintf(word[(k + last) % n], TR_NAME, "%%r%u", reg + k);
    list(at, word, n, 1);
    const char *vector = data->width == 4   ? ".v4"
                         : data->width == 2 ? ".v2"
                                            : "",
               *type = sass_has(i, "U8")    ? "b8"
                       : sass_has(i, "U16") ? "b16"
                                            : "b32",
               *outside = sass_has(i, "TRAP")  ? "trap"
                          : sass_has(i, "IGN") ? "zero"
                                               : "clamp";
    if (load)
        tr_line(t, "%ssuld.b.%s%s.%s.%s {%s}, [%%n1, {%s}];", t->guard, shapes[d].geometry, vector,
                type, outside, values, at);
    else
        tr_line(t, "%ssust.b.%s%s.%s.%s [%%n1, {%s}], {%s};", t->guard, shapes[d].geometry, vector,
                type, outside, at, values);
}

void tr_texture(translator *t) {
    const sass_insn *i = tr_insn(t);
    fetch f = {0};
    take_operands(t, &f);
    if (t->failed) return;
    if (i->op == SASS_OP_SULD || i->op == SASS_OP_SUST) surface(t, &f);
    else texture(t, &f);
}
