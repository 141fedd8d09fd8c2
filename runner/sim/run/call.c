/* Calls of device functions: a frame for each call, parameters copied between the lane-major areas
 * of the caller's and the callee's frame. Lanes of one fragment that call through different
 * pointers become a fragment each. Built-in functions are in devlib.c.
 *
 * Local memory of a thread is a stack: a frame's .local variables lie above its caller's. */
#include <stdio.h>
#include <stdlib.h>
#include "runner/sim/exec/lanes.h"

enum { MAX_DEPTH = 4096, LINK_BYTES = 16, RECURSIVE_STACK = 32 * 1024 };

/* One argument or result of a call, in the caller. */
typedef struct {
    uint8_t area; /* SIM_AREA_*, KERNEL_PARAM or VALUE */
    uint8_t slot; /* VALUE: what kind of slot */
    uint32_t at;  /* offset in a lane of the area, or in the parameters */
    uint32_t bytes;
    sim_opnd value;
} call_opnd;
enum { KERNEL_PARAM = SIM_AREA_RET + 1, VALUE };

typedef struct {
    const sim_func *callee; /* NULL: by address (sim_insn.a) or built in */
    sim_builtin_fn *builtin;
    uint32_t nargs, nrets;
    call_opnd *args, *rets;
    const ptx_func *proto; /* by address: what is called */
} call_info;

/* ---- decoding ---- */

static call_opnd opnd(sim_decoder *d, const ptx_opnd *o, const ptx_var *formal, bool result) {
    call_opnd c = {.bytes = formal ? (uint32_t)formal->bytes : 0};
    if (o->kind == PTX_OPND_VAR && o->var) {
        uint32_t which;
        c.area = sim_param_area(d, o->var, &which) ? (uint8_t)which : KERNEL_PARAM;
        c.at = (uint32_t)(o->var->offset + (uint64_t)o->offset);
        if (!formal || o->var->bytes < c.bytes) c.bytes = (uint32_t)o->var->bytes;
        if (c.area == KERNEL_PARAM && result)
            sim_decode_fail(d, "a kernel cannot write its parameters");
        return c;
    }
    ptx_type t = formal ? formal->type : PTX_B64;
    c.area = VALUE;
    c.slot = (uint8_t)sim_slot_of(t);
    if (result) c.value = o->kind == PTX_OPND_SINK ? d->sink : sim_destination(d, o, c.slot, t);
    else c.value = sim_source(d, o, c.slot, t);
    if (!c.bytes) c.bytes = c.slot == SIM_SLOT_64 ? 8 : 4;
    return c;
}

void sim_decode_call(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    const ptx_opnd *rets = &p->opnd[0], *what = &p->opnd[1], *args = &p->opnd[2];
    const ptx_func *f = what->kind == PTX_OPND_FUNC ? what->func
                        : p->nopnds > 3             ? p->opnd[3].func
                                                    : NULL;
    call_info *c = sim_image_alloc(d->image, sizeof *c);
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
        c->args[k] = opnd(d, &args->elem[k], &f->params[k], false);
    for (unsigned k = 0; k < rets->count; k++)
        c->rets[k] = opnd(d, &rets->elem[k], &f->rets[k], true);
    sim_opnd target = 0;
    if (what->kind == PTX_OPND_FUNC) {
        for (size_t k = 0; k < d->image->func_count; k++)
            if (d->image->funcs[k].ptx == f) c->callee = &d->image->funcs[k];
        if (!c->callee) c->builtin = sim_builtin(f->name);
        if (!c->callee && !c->builtin) {
            if (!strncmp(f->name, "cudaLaunchDevice", 16) ||
                !strncmp(f->name, "cudaGetParameterBuffer", 22))
                sim_decode_fail(
                    d, "launching kernels from kernels (dynamic parallelism) is not supported");
            else sim_decode_fail(d, "it calls %s, which this module does not define", f->name);
        }
    } else {
        target = sim_source(d, what, SIM_SLOT_64, PTX_U64);
    }
    sim_insn *i = sim_emit(d, NULL, NULL);
    i->a = target;
    i->aux = c;
}

/* The deepest stack of .local variables below function k; UINT32_MAX if calls may go round. */
static uint32_t deepest(const sim_image *im, size_t k, unsigned depth) {
    const ptx_func *f = im->funcs[k].ptx;
    uint32_t most = 0;
    if (depth > im->func_count) return UINT32_MAX;
    for (size_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *p = &f->insns[n];
        if (p->op != PTX_OP_call) continue;
        if (p->opnd[1].kind != PTX_OPND_FUNC) return UINT32_MAX;
        for (size_t g = 0; g < im->func_count; g++) {
            if (im->funcs[g].ptx != p->opnd[1].func) continue;
            uint32_t below = deepest(im, g, depth + 1);
            if (below == UINT32_MAX) return below;
            if (below > most) most = below;
        }
    }
    return most + ((f->local_bytes + 15u) & ~15u) + (depth ? LINK_BYTES : 0);
}

uint32_t sim_local_limit(const sim_image *im) {
    uint32_t own = (im->funcs[0].ptx->local_bytes + 15u) & ~15u;
    if (!im->has_calls) return own;
    uint32_t n = im->func_count > 64 ? UINT32_MAX : deepest(im, 0, 0);
    return n == UINT32_MAX ? own + RECURSIVE_STACK : n;
}

/* ---- frames ---- */

static sim_frame *new_frame(sim_worker *k, const sim_func *f) {
    for (sim_frame **at = &k->free_frames; *at; at = &(*at)->parent)
        if ((*at)->room >= f->frame_bytes) {
            sim_frame *x = *at;
            *at = x->parent;
            return x;
        }
    sim_frame *x = calloc(1, sizeof *x);
    if (x) x->regs = aligned_alloc(64, f->frame_bytes);
    if (!x || !x->regs) {
        free(x);
        return NULL;
    }
    x->room = f->frame_bytes;
    x->made = k->made;
    k->made = x;
    memset(x->regs, 0, f->frame_bytes);
    return x;
}

static void free_frame(sim_worker *k, sim_frame *f) {
    f->parent = k->free_frames;
    k->free_frames = f;
}

void sim_frames_free(sim_worker *k) {
    for (sim_frame *f = k->made, *next; f; f = next) {
        next = f->made;
        free(f->regs);
        free(f);
    }
    k->free_frames = k->made = NULL;
}

void sim_frame_drop(sim_worker *k, sim_frame *f) {
    while (f && --f->refs == 0 && f->parent) {
        sim_frame *up = f->parent;
        free_frame(k, f);
        f = up;
    }
}

/* ---- calling ---- */

static uint8_t *area_of(sim_frame *f, unsigned which, uint32_t *stride) {
    const sim_func *fn = f->func;
    *stride = which == SIM_AREA_CALL  ? fn->call_bytes
              : which == SIM_AREA_RET ? fn->ret_bytes
                                      : fn->param_bytes;
    return f->regs + (which == SIM_AREA_CALL  ? fn->call_at
                      : which == SIM_AREA_RET ? fn->ret_at
                                              : fn->param_at);
}

/* Copies an operand of the caller to (or from) n bytes a lane at `other`, whose lanes lie `stride`
 * apart. */
static void copy(sim_warp *w, sim_frame *caller, const call_opnd *c, uint8_t *other,
                 uint32_t stride, uint32_t bytes, uint32_t lanes, bool to_caller) {
    uint32_t n = c->bytes < bytes ? c->bytes : bytes, step = 0;
    uint8_t *mine;
    uint8_t *keep = w->base[SIM_BASE_REGS];
    w->base[SIM_BASE_REGS] = caller->regs;
    if (c->area == VALUE) {
        step = c->slot == SIM_SLOT_64 ? 8 : 4;
        mine = sim_slot(w, c->value);
        if (n > step) n = step;
    } else if (c->area == KERNEL_PARAM) {
        mine = (uint8_t *)(uintptr_t)w->block->run->params + c->at; /* only read */
    } else {
        mine = area_of(caller, c->area, &step) + c->at;
    }
    w->base[SIM_BASE_REGS] = keep;
    for (uint32_t m = lanes; m; m &= m - 1) {
        size_t l = (unsigned)__builtin_ctz(m);
        if (to_caller) memcpy(mine + l * step, other + l * stride, n);
        else memcpy(other + l * stride, mine + l * step, n);
    }
}

void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes) {
    const call_info *c = i->aux;
    memset(to, 0, (size_t)bytes * SIM_WARP_LANES);
    if (k < c->nargs) copy(w, w->frame, &c->args[k], to, bytes, bytes, w->mask, false);
}
void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes) {
    const call_info *c = i->aux;
    if (c->nrets)
        copy(w, w->frame, &c->rets[0], (uint8_t *)(uintptr_t)from, bytes, bytes, w->mask, true);
}

static bool push(sim_warp *w, sim_frag *f, const sim_func *callee, const sim_seg *s,
                 const sim_insn *i) {
    const call_info *c = i->aux;
    sim_frame *up = f->frame;
    uint32_t local = up->local_base + ((up->func->ptx->local_bytes + 15u) & ~15u) + LINK_BYTES +
                     ((callee->ptx->local_bytes + 15u) & ~15u);
    if (up->depth + 1 > MAX_DEPTH || local > w->block->run->local_bytes) {
        char text[128];
        snprintf(text, sizeof text, "is %u calls deep in %s: its stack of %u bytes is full",
                 up->depth + 1, callee->ptx->name, w->block->run->local_bytes);
        sim_fail_at(w, i->ptx, f->mask, SIM_STACK_OVERFLOW, SIM_FIND_STACK, text);
        return false;
    }
    sim_frame *x = new_frame(w->worker, callee);
    if (!x) {
        sim_fail(w, SIM_NOMEM);
        return false;
    }
    x->parent = up; /* takes over the fragment's hold on it */
    x->func = callee;
    x->refs = 1;
    x->depth = up->depth + 1;
    x->local_base = up->local_base + ((up->func->ptx->local_bytes + 15u) & ~15u) + LINK_BYTES;
    x->ret_seg = s->next;
    x->call = i;
    x->serial = ++w->frame_serial;
    for (uint32_t k = 0; k < callee->zero_count; k++)
        memset(x->regs + callee->zero[2 * k], 0, callee->zero[2 * k + 1]);
    uint8_t *params = x->regs + callee->param_at;
    for (uint32_t k = 0; k < c->nargs && k < callee->ptx->param_count; k++) {
        const ptx_var *v = &callee->ptx->params[k];
        copy(w, up, &c->args[k], params + v->offset, callee->param_bytes, (uint32_t)v->bytes,
             f->mask, false);
    }
    f->frame = x;
    f->seg = 0;
    return true;
}

static const sim_func *target_of(sim_warp *w, uint64_t address) {
    const sim_image *im = w->block->run->image;
    const ptx_func *f = sim_module_function(im->owner, address);
    for (size_t k = 0; f && k < im->func_count; k++)
        if (im->funcs[k].ptx == f) return &im->funcs[k];
    return NULL;
}

bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i) {
    const call_info *c = i->aux;
    if (c->builtin) {
        w->mask = f->mask;
        c->builtin(w, i);
        return false;
    }
    if (c->callee) {
        push(w, f, c->callee, s, i);
        return true;
    }
    const uint64_t *a = LANES(const uint64_t, i->a);
    uint64_t address[SIM_WARP_LANES];
    memcpy(address, a, sizeof address);
    sim_frame *up = f->frame;
    uint32_t index = (uint32_t)(f - w->frags);
    bool first = true;
    for (uint32_t left = f->mask; left;) {
        uint64_t v = address[__builtin_ctz(left)];
        uint32_t group = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (address[__builtin_ctz(m)] == v) group |= 1u << __builtin_ctz(m);
        left &= ~group;
        const sim_func *callee = target_of(w, v);
        if (!callee || callee->ptx->param_count < c->nargs || callee->ptx->ret_count < c->nrets) {
            char text[128];
            snprintf(text, sizeof text,
                     "calls through the pointer 0x%llx, which is no function of this kind",
                     (unsigned long long)v);
            sim_fail_at(w, i->ptx, group, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP, text);
            return true;
        }
        sim_frag *g = &w->frags[index];
        if (!first) {
            g = &w->frags[w->frag_count++];
            *g = (sim_frag){.frame = up};
            up->refs++;
        }
        g->mask = group;
        if (!push(w, g, callee, s, i)) return true;
        first = false;
    }
    return true;
}

void sim_return(sim_warp *w, sim_frag *f) {
    sim_frame *x = f->frame, *up = x->parent;
    const call_info *c = x->call->aux;
    const sim_func *fn = x->func;
    for (uint32_t k = 0; k < c->nrets && k < fn->ptx->ret_count; k++) {
        const ptx_var *v = &fn->ptx->rets[k];
        copy(w, up, &c->rets[k], x->regs + fn->ret_at + v->offset, fn->ret_bytes,
             (uint32_t)v->bytes, f->mask, true);
    }
    up->refs++;
    f->frame = up;
    f->seg = x->ret_seg;
    sim_frame_drop(w->worker, x);
}
