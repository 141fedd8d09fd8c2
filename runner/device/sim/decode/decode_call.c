/* Decodes calls of device functions, and finds how much stack they may need. A thread's local
 * memory is a stack: a frame's .local variables are above its caller's. */
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/special/call.h"
#include <string.h>

static sim_call_opnd call_operand(sim_decoder *d, const ptx_opnd *o, const ptx_var *formal,
                                  bool result) {
    sim_call_opnd c = {.bytes = formal ? (uint32_t)formal->bytes : 0};
    if (o->kind == PTX_OPND_VAR && o->var) {
        uint32_t which;
        c.area = sim_param_area(d, o->var, &which) ? (uint8_t)which : SIM_CALL_PARAM;
        c.at = (uint32_t)(o->var->offset + (uint64_t)o->offset);
        if (!formal || o->var->bytes < c.bytes) c.bytes = (uint32_t)o->var->bytes;
        if (c.area == SIM_CALL_PARAM && result)
            sim_decode_fail(d, "a kernel cannot write its parameters");
        return c;
    }
    ptx_type t = formal ? formal->type : PTX_B64;
    c.area = SIM_CALL_VALUE;
    c.slot = (uint8_t)sim_slot_of(t);
    if (result) c.value = o->kind == PTX_OPND_SINK ? d->sink : sim_destination(d, o, c.slot, t);
    else c.value = sim_source(d, o, c.slot, t);
    if (!c.bytes) c.bytes = c.slot == SIM_SLOT_64 ? 8 : 4;
    return c;
}

/* Makes the sites at which a built-in function stores through a pointer argument. Local memory
 * needs no site. */
static bool call_sites(sim_decoder *d, const char *name, sim_call_info *c) {
    d->image->launches |= sim_builtin_launches(name);
    for (unsigned n = 0; n < 2 && sim_builtin_writes(name); n++) {
        unsigned bytes = n ? 8 : 4;
        sim_site *s = sim_site_add(d, PTX_SPACE_GENERIC, SIM_ACCESS_STORE, bytes, 1, bytes);
        if (!s) return false;
        sim_site_done(d, s);
        c->store[n] = s;
    }
    return true;
}

void sim_decode_call(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    const ptx_opnd *rets = &p->opnd[0], *what = &p->opnd[1], *args = &p->opnd[2];
    const ptx_func *f = what->kind == PTX_OPND_FUNC ? what->func
                        : p->nopnds > 3             ? p->opnd[3].func
                                                    : NULL;
    sim_call_info *c = sim_image_alloc(d->image, sizeof *c);
    if (c) {
        c->args = sim_image_alloc(d->image, (args->count + 1u) * sizeof *c->args);
        c->rets = sim_image_alloc(d->image, (rets->count + 1u) * sizeof *c->rets);
    }
    if (!c || !c->args || !c->rets) {
        sim_decode_fail(d, "out of memory");
        return;
    }
    if (!f || f->param_count < args->count || f->ret_count < rets->count) {
        sim_decode_fail(d, "the call does not fit what it calls");
        return;
    }
    c->nargs = args->count;
    c->nrets = rets->count;
    c->proto = f;
    for (unsigned k = 0; k < args->count; k++)
        c->args[k] = call_operand(d, &args->elem[k], &f->params[k], false);
    for (unsigned k = 0; k < rets->count; k++)
        c->rets[k] = call_operand(d, &rets->elem[k], &f->rets[k], true);
    sim_opnd target = 0;
    if (what->kind == PTX_OPND_FUNC) {
        uint32_t known = sim_table_get(&d->image->func_at, (uintptr_t)f);
        if (known) c->callee = &d->image->funcs[known - 1];
        if (!c->callee) c->builtin = sim_builtin(f->name);
        if (!c->callee && !c->builtin) {
            if (!strncmp(f->name, "__cudaCDP2", 10))
                sim_decode_fail(d, "cuda%s in a kernel is not supported", f->name + 10);
            else sim_decode_fail(d, "it calls %s, which this module does not define", f->name);
        }
    } else {
        target = sim_source(d, what, SIM_SLOT_64, PTX_U64);
    }
    if (c->builtin && !call_sites(d, f->name, c)) return;
    sim_insn *i = sim_emit(d, NULL, NULL);
    i->a = target;
    i->aux = c;
}

/* Returns the deepest stack of .local variables below function k, with link and its own variables;
 * UINT32_MAX if unknown, because calls recurse or go through pointers. depth[]: UNKNOWN, OPEN while
 * being computed, or the result; *round: calls recurse. */
enum { CALL_FUNCS = 64 };
static const uint32_t call_unknown = UINT32_MAX - 2, call_open = UINT32_MAX - 1;

static uint32_t call_depth(const sim_image *im, size_t k, uint32_t *depth, bool *round) {
    const ptx_func *f = im->funcs[k].ptx;
    uint32_t most = 0;
    if (depth[k] == call_open) {
        *round = true;
        return UINT32_MAX;
    }
    if (depth[k] != call_unknown) return depth[k];
    depth[k] = call_open;
    for (size_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *p = &f->insns[n];
        if (p->op != PTX_OP_call) continue;
        if (p->opnd[1].kind != PTX_OPND_FUNC) return depth[k] = UINT32_MAX;
        uint32_t callee = sim_table_get(&im->func_at, (uintptr_t)p->opnd[1].func);
        uint32_t below = callee ? call_depth(im, callee - 1, depth, round) : 0;
        if (below == UINT32_MAX) return depth[k] = UINT32_MAX;
        if (below > most) most = below;
    }
    return depth[k] = most + ((f->local_bytes + 15u) & ~15u) + (k ? SIM_LINK_BYTES : 0);
}

/* A function that calls through pointers gets POINTER_STACK. The assembler may keep in registers
 * what PTX has in local memory, so a smaller limit would report an overflow where a device has
 * room. Functions that actually recurse still have the stack's limit (run/call.c). */
enum { POINTER_STACK = 32 * 1024 };

uint32_t sim_local_limit(const sim_image *im, uint32_t stack) {
    uint32_t own = (im->funcs[0].ptx->local_bytes + 15u) & ~15u, n = own, depth[CALL_FUNCS];
    bool round = false;
    for (unsigned k = 0; k < CALL_FUNCS; k++) depth[k] = call_unknown;
    if (im->has_calls)
        n = im->func_count > CALL_FUNCS ? UINT32_MAX : call_depth(im, 0, depth, &round);
    bool open = n == UINT32_MAX;
    if (open) n = own + (round ? 0 : POINTER_STACK);
    return (open || im->allocates) && n < stack ? stack : n;
}
