/* Turns a kernel's PTX into an image: instructions over slots, grouped into segments.
 *
 *   kernel --which functions can it reach--> functions --slots.c--> slots for registers
 *     --per instruction, families.c: the function that its row of ops.def names--> sim_insn's
 *     (emit.c, operand.c) --segments.c--> sim_seg's
 *
 * Families are decoded in decode_*.c here, or in exec/ and run/ together with the handlers if only
 * their file knows what they need. */
#include <stdio.h>
#include <stdlib.h>
#include "runner/device/sim/decode/decode.h"
#include "runner/base/message.h"
#include "runner/device/sim/decode/segments.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/special/devlib.h"
#include "words/base.h"

static bool add_function(sim_decoder *d, const ptx_func *f, size_t *cap) {
    sim_image *im = d->image;
    if (sim_table_get(&im->func_at, (uintptr_t)f)) return true;
    if (!sim_decode_grow(d, &im->funcs, cap, im->func_count + 1, sizeof *im->funcs)) return false;
    im->funcs[im->func_count] =
        (sim_func){.ptx = f, .image = im, .index = (uint32_t)im->func_count};
    if (sim_table_put(&im->func_at, (uintptr_t)f, (uint32_t)++im->func_count)) return true;
    sim_decode_fail(d, "out of memory");
    return false;
}

/* Sets where each function's instructions begin among all of the module's. */
static void number_functions(sim_image *im) {
    uint32_t base = 0;
    for (size_t k = 0; k < im->module->func_count; k++) {
        uint32_t at = sim_table_get(&im->func_at, (uintptr_t)im->module->funcs[k]);
        if (at && at <= im->func_count) im->funcs[at - 1].pc_base = base;
        base += (uint32_t)im->module->funcs[k]->insn_count;
    }
}

static bool lay_shared(sim_decoder *d, const ptx_var *v, bool dynamic) {
    sim_image *im = d->image;
    if (v->space != PTX_SPACE_SHARED || (v->bytes == 0) != dynamic) return true;
    if (sim_table_get(&im->shared_index, (uintptr_t)v)) return true;
    size_t cap = im->shared_cap, cap2 = im->shared_cap;
    if (!sim_decode_grow(d, &im->shared_vars, &cap, im->shared_count + 1, sizeof(ptx_var *)) ||
        !sim_decode_grow(d, &im->shared_at, &cap2, im->shared_count + 1, sizeof *im->shared_at))
        return false;
    im->shared_cap = cap;
    uint64_t align = v->align ? v->align : 1;
    if (dynamic && align < 16) align = 16;
    uint64_t at = (im->static_shared + align - 1) / align * align;
    if (at + v->bytes > UINT32_MAX / 2) {
        sim_decode_fail(d, "too much shared memory");
        return false;
    }
    im->shared_vars[im->shared_count] = v;
    im->shared_at[im->shared_count++] = (uint32_t)at;
    if (!sim_table_put(&im->shared_index, (uintptr_t)v, (uint32_t)im->shared_count)) {
        sim_decode_fail(d, "out of memory");
        return false;
    }
    /* all begin where the static part ends, each at its own alignment and at least at 16: measured
     * on an H200 */
    if (dynamic) {
        im->uses_dynamic_shared = true;
    } else {
        im->static_shared = (uint32_t)(at + v->bytes);
    }
    return true;
}

static void scan_operand(sim_decoder *d, const ptx_opnd *o, bool shared, bool dynamic,
                         size_t *cap) {
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) scan_operand(d, &o->elem[k], shared, dynamic, cap);
    if (shared && o->var && (o->kind == PTX_OPND_VAR || o->kind == PTX_OPND_ADDR))
        lay_shared(d, o->var, dynamic);
    if (!shared && o->kind == PTX_OPND_FUNC && o->func && o->func->has_body && !o->func->entry)
        add_function(d, o->func, cap);
}

static void scan_function(sim_decoder *d, const ptx_func *f, bool shared, bool dynamic,
                          size_t *cap) {
    for (size_t i = 0; i < f->insn_count && !sim_decode_stopped(d); i++) {
        const ptx_insn *p = &f->insns[i];
        for (unsigned o = 0; o < p->nopnds; o++) scan_operand(d, &p->opnd[o], shared, dynamic, cap);
        if (p->op != PTX_OP_call || shared) continue;
        d->image->has_calls = true;
        if (p->opnd[1].kind == PTX_OPND_FUNC && sim_builtin_ordered(p->opnd[1].func->name))
            d->image->serial = true;
        if (p->opnd[1].kind == PTX_OPND_REG && !d->calls_any) { /* any function may be called */
            d->calls_any = true;
            for (size_t k = 0; k < d->image->module->func_count && !sim_decode_stopped(d); k++) {
                const ptx_func *g = d->image->module->funcs[k];
                if (g->has_body && !g->entry) add_function(d, g, cap);
            }
        }
    }
}

/* Returns whether a loop of the function reads memory until another thread has stored there. A
 * value from an atomic is there already if blocks run one after another. */
static bool awaits(const ptx_func *f) {
    for (size_t b = 0; b < f->block_count; b++)
        for (uint32_t n = f->blocks[b].first; f->blocks[b].polls && n <= f->blocks[b].last; n++) {
            const ptx_insn *p = &f->insns[n];
            if (p->klass == PTX_CLASS_LOAD && p->field[PTX_FIELD_ORDER] >= PTX_ORDER_volatile &&
                (p->space == PTX_SPACE_GLOBAL || p->space == PTX_SPACE_GENERIC))
                return true;
        }
    return false;
}

/* Returns whether threads may wait for one another at a word of any memory. */
static bool meets(const ptx_func *f) {
    for (size_t b = 0; b < f->block_count; b++) {
        if (f->blocks[b].polls && !f->blocks[b].carries) return true;
        for (uint32_t n = f->blocks[b].first; n <= f->blocks[b].last; n++)
            if (f->insns[n].op == PTX_OP_mbarrier_test_wait ||
                f->insns[n].op == PTX_OP_mbarrier_try_wait)
                return true;
    }
    return false;
}

/* Returns whether a loop of the function adds to a counter in global memory and reads what it was,
 * as threads do that share out work until there is no more. */
static bool takes(const ptx_func *f) {
    for (size_t b = 0; b < f->block_count; b++)
        for (uint32_t n = f->blocks[b].first; f->blocks[b].loop_head >= 0 && n <= f->blocks[b].last;
             n++) {
            const ptx_insn *p = &f->insns[n];
            unsigned how = p->field[PTX_FIELD_ATOM];
            if (p->op == PTX_OP_atom && p->space != PTX_SPACE_SHARED &&
                (how == PTX_ATOM_add || how == PTX_ATOM_inc || how == PTX_ATOM_dec))
                return true;
        }
    return false;
}

sim_image *sim_image_new(sim_module *m, const ptx_func *kernel, bool clustered, lib_message *msg) {
    sim_image *im = calloc(1, sizeof *im);
    *msg = (lib_message){0};
    if (!im) {
        lib_message_set(msg, w_base_out_of_memory());
        return NULL;
    }
    im->owner = m;
    im->module = m->ptx;
    im->clustered = clustered;
    im->block_bytes = SIM_BS_COUNT * 128;
    sim_decoder d = {.image = im, .isa = m->device->isa, .msg = msg};
    size_t cap = 0;
    add_function(&d, kernel, &cap);
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, false, false, &cap);
    number_functions(im);
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, true, false, NULL);
    /* unused variables are there, too */
    uint32_t fixed =
        im->static_shared > kernel->shared_bytes ? im->static_shared : kernel->shared_bytes;
    if (fixed > UINT32_MAX / 2) sim_decode_fail(&d, "too much shared memory");
    im->static_shared = fixed;
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, true, true, NULL);
    im->static_shared = (uint32_t)ptx_static_shared(m->ptx, fixed);
    for (size_t k = 0; k < im->func_count && !d.failed; k++) {
        const ptx_func *f = im->funcs[k].ptx;
        sim_decode_function(&d, &im->funcs[k]);
        im->serial |= f->uses_global_atomics_result;
        for (size_t b = 0; b < f->block_count; b++) im->serial |= f->blocks[b].spin_loop;
        im->awaits |= awaits(f);
        im->meets |= meets(f);
        im->takes |= takes(f);
        uint32_t local = (f->local_bytes + 15u) & ~15u;
        im->local_bytes = k ? im->local_bytes : local;
    }
    if (!d.failed) return im;
    sim_image_release(im);
    return NULL;
}
