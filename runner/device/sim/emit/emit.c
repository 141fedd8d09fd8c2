/* Emitting: memory that an image owns, instructions, temporaries, the pool of immediates, and the
 * reason why a kernel cannot run. The rest of this room and every family of handlers build on
 * it. */
#include "runner/device/sim/emit/emit.h"
#include "runner/base/buffer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/machine/module.h"
#include "words/decode.h"

/* ---- memory: all that an image holds is freed with it ---- */

typedef struct chunk {
    struct chunk *next;
    max_align_t data[];
} chunk;

void *sim_image_alloc(sim_image *im, size_t n) {
    chunk *c = calloc(1, sizeof *c + n);
    if (!c) return NULL;
    c->next = im->arena;
    im->arena = c;
    return c->data;
}

void sim_image_release(sim_image *im) {
    for (chunk *c = im->arena, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (size_t i = 0; i < im->func_count; i++) free(im->funcs[i].insns);
    free(im->funcs);
    free(im->pool);
    free(im->pool_index);
    free(im->params);
    free(im->shared_vars);
    free(im->shared_at);
    free(im->shared_slots);
    for (unsigned k = 0; k < SIM_SLOT_KINDS; k++) sim_table_free(&im->pool_at[k]);
    sim_table_free(&im->func_at);
    sim_table_free(&im->param_at);
    sim_table_free(&im->shared_index);
    sim_table_free(&im->shared_slot_at);
    free(im);
}

void *sim_decode_alloc(sim_decoder *d, size_t n) {
    void *p = sim_image_alloc(d->image, n);
    if (!p) sim_decode_fail(d, "out of memory");
    return p;
}

bool sim_decode_grow(sim_decoder *d, void *array, size_t *cap, size_t need, size_t size) {
    if (lib_grow_to(array, cap, need, size, 64)) return true;
    sim_decode_fail(d, "out of memory");
    return false;
}

/* ---- failing ---- */

void sim_decode_fail(sim_decoder *d, const char *fmt, ...) {
    if (d->failed) return;
    d->failed = true;
    char what[512], text[256] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (d->insn) ptx_disassemble(d->ptx, d->insn, text, sizeof text);
    unsigned line = d->insn ? d->insn->ptx_line : d->ptx ? d->ptx->ptx_line : 0;
    lib_message_set(d->msg,
                    *text ? w_decode_at_instruction(line, what, text) : w_decode_at(line, what));
}

bool sim_decode_stopped(sim_decoder *d) {
    if (!sim_module_stopped(d->image->owner)) return false;
    sim_decode_fail(d, "it was stopped while it was read");
    return true;
}

/* ---- slots ---- */

unsigned sim_slot_of(ptx_type t) {
    unsigned size = ptx_type_size(t);
    return t == PTX_PRED ? SIM_SLOT_PRED
           : size == 16  ? SIM_SLOT_128
           : size == 8   ? SIM_SLOT_64
                         : SIM_SLOT_32;
}

sim_opnd sim_temp(sim_decoder *d, unsigned slot) {
    uint32_t at = d->temps;
    d->temps += sim_slot_bytes(slot);
    return sim_opnd_make(at, SIM_BASE_REGS);
}

sim_opnd sim_matrix_room(sim_decoder *d) {
    if (d->matrix_room != SIM_NO_SLOT) return d->matrix_room;
    d->matrix_room = sim_temp(d, SIM_SLOT_32);
    for (unsigned k = 1; k < SIM_MATRIX_ROOM; k++) sim_temp(d, SIM_SLOT_32);
    return d->matrix_room;
}

struct sim_pool_entry {
    uint64_t value;
    uint32_t at;
    uint8_t slot;
};

sim_opnd sim_const(sim_decoder *d, unsigned slot, uint64_t value) {
    sim_image *im = d->image;
    if (slot == SIM_SLOT_32) value = (uint32_t)value;
    if (slot == SIM_SLOT_PRED) value = value ? SIM_ALL_LANES : 0;
    uint32_t known = sim_table_get(&im->pool_at[slot], value);
    if (known) return sim_opnd_make(im->pool_index[known - 1].at, SIM_BASE_POOL);
    if (!sim_decode_grow(d, &im->pool_index, &im->pool_index_cap, im->pool_count + 1,
                         sizeof *im->pool_index))
        return 0;
    uint32_t n = sim_slot_bytes(slot);
    if (im->pool_bytes + n > im->pool_cap) { /* aligned for vectors, therefore no realloc */
        size_t cap = im->pool_cap ? im->pool_cap * 2 : 8192;
        uint8_t *p = aligned_alloc(64, cap);
        if (!p) {
            sim_decode_fail(d, "out of memory");
            return 0;
        }
        if (im->pool) memcpy(p, im->pool, im->pool_bytes);
        free(im->pool);
        im->pool = p;
        im->pool_cap = cap;
    }
    uint32_t at = (uint32_t)im->pool_bytes;
    im->pool_bytes += n;
    im->pool_index[im->pool_count++] = (struct sim_pool_entry){value, at, (uint8_t)slot};
    if (!sim_table_put(&im->pool_at[slot], value, (uint32_t)im->pool_count))
        sim_decode_fail(d, "out of memory");
    if (slot == SIM_SLOT_64)
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) memcpy(im->pool + at + 8 * l, &value, 8);
    else
        for (unsigned l = 0; l < n / 4; l++) memcpy(im->pool + at + 4 * l, &value, 4);
    return sim_opnd_make(at, SIM_BASE_POOL);
}

/* ---- instructions ---- */

sim_insn *sim_emit(sim_decoder *d, sim_exec_fn *all, sim_exec_fn *some) {
    static const sim_insn empty;
    sim_func *f = d->func;
    size_t cap = f->insn_cap;
    if (!sim_decode_grow(d, &f->insns, &cap, f->insn_count + 1u, sizeof *f->insns)) {
        d->scratch = empty;
        return &d->scratch;
    }
    f->insn_cap = (uint32_t)cap;
    sim_insn *i = &f->insns[f->insn_count++];
    *i = empty;
    i->fn[0] = all;
    i->fn[1] = some;
    i->ptx = d->insn;
    return i;
}

const sim_exec_row *sim_row(sim_decoder *d, unsigned op, unsigned t0, unsigned t1,
                            uint32_t variant) {
    const sim_exec_row *r = sim_exec_find(d->isa, op, t0, t1, variant);
    if (!r)
        sim_decode_fail(d, "the simulated device does not execute this form of %s yet",
                        ptx_op_get(op)->mnemonic);
    return r;
}

void sim_emit_op(sim_decoder *d, unsigned op, unsigned t0, unsigned t1, uint32_t variant,
                 sim_opnd to, sim_opnd a, sim_opnd b) {
    const sim_exec_row *r = sim_row(d, op, t0, t1, variant);
    if (!r) return;
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = to, i->a = a, i->b = b;
}

void sim_emit_mov(sim_decoder *d, unsigned slot, sim_opnd to, sim_opnd from) {
    if (to != from)
        sim_emit_op(d, PTX_OP_mov,
                    slot == SIM_SLOT_PRED ? PTX_PRED
                    : slot == SIM_SLOT_64 ? PTX_B64
                                          : PTX_B32,
                    PTX_NONE, 0, to, from, 0);
}
