/* Calls of device functions: a frame for each call, with parameters copied from the caller's frame
 * (special/call_args.c). Lanes of one fragment that call through different pointers become separate
 * fragments. special/devlib.c has the built-in functions. */
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/symbol.h"
#include "runner/device/sim/run/call.h"
#include "runner/device/sim/special/call.h"
#include "runner/device/sim/machine/fault.h"
#include "words/finding.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 4096 };

/* Returns the most that one of the lanes has allocated in the frame. */
static uint32_t call_allocated(const sim_frame *f, uint32_t lanes) {
    if (f->func->stack == SIM_NO_SLOT) return 0;
    const uint32_t *own = (const uint32_t *)(const void *)(f->regs + (f->func->stack >> 2));
    uint32_t most = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t n = own[__builtin_ctz(m)];
        most = n > most ? n : most;
    }
    return (most + 15u) & ~15u;
}

static uint32_t stack_limit(const sim_run_state *r) {
    return r->launch->stack ? r->launch->stack : SIM_STACK_BYTES;
}

/* Returns the limit of local memory. Kernels that call through pointers get more than
 * cudaLimitStackSize (decode/decode_call.c), but a function that calls itself, directly or not,
 * gets exactly that. */
static uint32_t call_room(const sim_warp *w, const sim_frame *up, const sim_func *callee,
                          uint32_t end) {
    const sim_run_state *r = w->block->run;
    uint32_t own = (r->image->funcs[0].ptx->local_bytes + 15u) & ~15u, stack = stack_limit(r),
             least = own < stack ? stack : own;
    if (end <= least || least >= r->local_bytes) return r->local_bytes;
    for (; up; up = up->parent)
        if (up->func == callee) return least;
    return r->local_bytes;
}

/* Reports that the call needs the thread's local memory up to byte `end`, beyond `room`. */
static lib_words call_full(const sim_warp *w, const sim_frame *up, const sim_func *callee,
                           uint32_t end, uint32_t room) {
    uint32_t stack = stack_limit(w->block->run);
    return w_finding_stack_full(up->depth + 1, callee->ptx->name, stack, stack + end - room);
}

/* A full stack ends the launch with the error that an H200 gives: an illegal address. */
static bool call_push(sim_warp *w, sim_frag *f, const sim_func *callee, const sim_seg *s,
                      const sim_insn *i) {
    const sim_call_info *c = i->aux;
    sim_frame *up = f->frame;
    uint32_t base = sim_frame_end(up) + call_allocated(up, f->mask) + SIM_LINK_BYTES,
             local = base + ((callee->ptx->local_bytes + 15u) & ~15u);
    uint32_t room = call_room(w, up, callee, local);
    bool full = local > room;
    if (up->depth + 1 > MAX_DEPTH || full) {
        sim_fail_at(w, i->ptx, f->mask, full ? SIM_ILLEGAL_ADDRESS : SIM_STACK_OVERFLOW,
                    SIM_FIND_STACK,
                    full ? call_full(w, up, callee, local, room)
                         : w_finding_calls_deep(up->depth + 1, callee->ptx->name, MAX_DEPTH));
        return false;
    }
    sim_frame *x = sim_frame_new(w->worker, callee);
    if (!x) {
        sim_fail(w, SIM_NOMEM);
        return false;
    }
    x->parent = up; /* takes over the fragment's reference */
    x->func = callee;
    x->refs = 1;
    x->depth = up->depth + 1;
    x->local_base = base;
    x->ret_seg = s->next;
    x->call = i;
    x->serial = ++w->frame_serial;
    if (callee->ptx->local_bytes)
        sim_local_fresh(w->block->mem, w->index, f->mask, base, callee->ptx->local_bytes);
    sim_frame_fresh(w, callee, x->regs);
    uint8_t *params = x->regs + callee->param_at;
    for (uint32_t k = 0; k < c->nargs && k < callee->ptx->param_count; k++) {
        const ptx_var *v = &callee->ptx->params[k];
        sim_call_read(w, up, &c->args[k], params + v->offset, callee->param_bytes,
                      (uint32_t)v->bytes, f->mask);
    }
    f->frame = x;
    f->seg = 0;
    return true;
}

static const sim_func *call_target(sim_warp *w, uint64_t address) {
    const sim_image *im = w->block->run->image;
    const ptx_func *f = sim_module_function(im->owner, address);
    for (size_t k = 0; f && k < im->func_count; k++)
        if (im->funcs[k].ptx == f) return &im->funcs[k];
    return NULL;
}

bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i) {
    const sim_call_info *c = i->aux;
    if (c->builtin) {
        w->mask = f->mask;
        c->builtin(w, i);
        return false;
    }
    if (c->callee) {
        call_push(w, f, c->callee, s, i);
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
        const sim_func *callee = call_target(w, v);
        if (!callee || callee->ptx->param_count < c->nargs || callee->ptx->ret_count < c->nrets) {
            sim_fail_at(w, i->ptx, group, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP,
                        w_finding_no_function((long long)v));
            return true;
        }
        sim_frag *g = &w->frags[index];
        if (!first) {
            g = &w->frags[w->frag_count++];
            *g = (sim_frag){.frame = up};
            up->refs++;
            w->worker->segs[s->id].parted++;
        }
        g->mask = group;
        if (!call_push(w, g, callee, s, i)) return true;
        first = false;
    }
    return true;
}

void sim_return(sim_warp *w, sim_frag *f) {
    sim_frame *x = f->frame, *up = x->parent;
    const sim_call_info *c = x->call->aux;
    const sim_func *fn = x->func;
    for (uint32_t k = 0; k < c->nrets && k < fn->ptx->ret_count; k++) {
        const ptx_var *v = &fn->ptx->rets[k];
        sim_call_write(w, up, &c->rets[k], x->regs + fn->ret_at + v->offset, fn->ret_bytes,
                       (uint32_t)v->bytes, f->mask);
    }
    up->refs++;
    f->frame = up;
    f->seg = x->ret_seg;
    sim_frame_drop(w->worker, x);
}

/* ---- frames: a worker keeps unused ones for the next call that fits */

sim_frame *sim_frame_new(sim_worker *k, const sim_func *f) {
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

/* Values that no program expects, different in each lane, warp and launch, so that whoever uses a
 * register that nothing has set gets a wrong result, as sooner or later on a GPU. They are no small
 * numbers in any type: at least 77 as bytes, 16384 as half-words, 32 as halves, 2048 as floats.
 * The sign bit of each type is 0, because narrow types may be extended with either. */
static void unset_values(const sim_warp *w, uint32_t values[SIM_WARP_LANES]) {
    uint64_t draw =
        sim_trace_draw(w->block->run->unset + w->block->linear, w->index + 1, UINT64_MAX);
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        draw = (draw ^ draw >> 29) * 0x9e3779b97f4a7c15u;
        values[l] = 0x4500504d | ((uint32_t)(draw >> 32) & 0x02ff0732);
    }
}

static void unset_register(uint8_t *slot, uint32_t size, const uint32_t values[SIM_WARP_LANES]) {
    uint32_t keep = size < 4 ? (1u << 8 * size) - 1 : UINT32_MAX, yes = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        yes |= (values[l] >> 16 & 1) << l;
        for (uint32_t k = 0; k < (size + 3) / 4; k++) {
            uint32_t v = values[l] & keep;
            memcpy(slot + (size < 8 ? 4 * l : 256 * (k / 2) + 8 * l + 4 * (k % 2)), &v, 4);
        }
    }
    if (!size) memcpy(slot, &yes, 4);
}

void sim_frame_fresh(const sim_warp *w, const sim_func *f, uint8_t *regs) {
    for (uint32_t k = 0; k < f->zero_count; k++)
        memset(regs + f->zero[2 * k], 0, f->zero[2 * k + 1]);
    if (!f->unset_count) return;
    uint32_t values[SIM_WARP_LANES] = {0};
    if (w->block->run->unset) unset_values(w, values);
    for (uint32_t k = 0; k < f->unset_count; k++)
        unset_register(regs + f->unset[2 * k], f->unset[2 * k + 1], values);
}

static void frame_put_back(sim_worker *k, sim_frame *f) {
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
        frame_put_back(k, f);
        f = up;
    }
}
