/* Places, registers and memory of a stopped launch. See debug.h. */
#include "runner/device/sim/debug/debug_internal.h"
#include "runner/base/message.h"
#include "words/debug.h"

#include <stdio.h>
#include <string.h>

/* ---- code ---- */

void debug_line(const sim_debug *d, const sim_func *f, uint32_t insn, const char **file,
                unsigned *line) {
    *file = "";
    *line = 0;
    if (insn < f->ptx->insn_count)
        ptx_source(d->image->module, f->ptx->insns[insn].loc, file, line);
    if (!*file) *file = "";
}

bool debug_in_prologue(const sim_debug *d, const sim_func *f, uint32_t insn) {
    const ptx_module *m = d->image->module;
    uint32_t loc = insn < f->ptx->insn_count ? f->ptx->insns[insn].loc : 0;
    return loc && loc < m->loc_count && !m->locs[loc].column;
}

/* Returns the place of a fragment's lanes. The instruction of the running one is known; others are
 * at the start of a segment, or wait at its end. */
static uint32_t look_insn(const sim_debug *d, const sim_warp *w, const sim_frag *f) {
    if (w == d->here.warp && f->mask & d->here.mask && d->at_stop) return d->here.insn;
    const sim_seg *s = &f->frame->func->segs[f->seg];
    if (f->state == SIM_FRAG_READY || !s->ptx_count) return s->ptx_first;
    return s->ptx_first + s->ptx_count - 1;
}

unsigned debug_lane_of_focus(const sim_debug *d) {
    return d->focus_thread % SIM_WARP_LANES;
}

/* Finds the place of the focus, whatever runs. */
static bool look_focus(const sim_debug *d, debug_here *h) {
    const sim_block *b = d->block;
    uint32_t wi = d->focus_thread / SIM_WARP_LANES, lane = debug_lane_of_focus(d);
    if (!b || b->linear != d->focus_block || wi >= b->warp_count) return false;
    sim_warp *w = &b->warps[wi];
    for (uint32_t k = 0; k < w->frag_count; k++) {
        const sim_frag *f = &w->frags[k];
        if (!(f->mask >> lane & 1)) continue;
        *h = (debug_here){w, f->frame->func, look_insn(d, w, f), f->mask, f->frame};
        return true;
    }
    return false;
}

/* Goes to the caller of a frame. */
static bool look_up(debug_here *h) {
    const sim_frame *x = h->frame;
    if (!x->parent || !x->call || !x->call->ptx) return false;
    h->frame = x->parent;
    h->func = h->frame->func;
    h->insn = (uint32_t)(x->call->ptx - h->func->ptx->insns);
    return true;
}

bool debug_scope(const sim_debug *d, debug_here *h) {
    if (!look_focus(d, h)) return false;
    for (unsigned k = 0; k < d->level; k++)
        if (!look_up(h)) return false;
    return true;
}

void debug_split(const unsigned dim[3], uint64_t linear, unsigned to[3]) {
    to[0] = (unsigned)(linear % dim[0]);
    to[1] = (unsigned)(linear / dim[0] % dim[1]);
    to[2] = (unsigned)(linear / dim[0] / dim[1]);
}

static void look_place(const sim_debug *d, const debug_here *h, uint32_t thread, sim_place *p) {
    const sim_launch *l = d->launch;
    *p = (sim_place){.function = h->func->ptx->name,
                     .warp = thread / SIM_WARP_LANES,
                     .lane = thread % SIM_WARP_LANES,
                     .mask = h->mask,
                     .depth = h->frame->depth};
    debug_line(d, h->func, h->insn, &p->file, &p->line);
    if (h->insn < h->func->ptx->insn_count) p->ptx_line = h->func->ptx->insns[h->insn].ptx_line;
    debug_split(l->grid, h->warp->block->linear, p->block);
    debug_split(l->block, thread, p->thread);
    uint32_t die = d->dwarf ? dwarf_function_at(d->dwarf, p->ptx_line) : DWARF_NONE;
    if (die != DWARF_NONE && *d->dwarf->dies[die].name) p->function = d->dwarf->dies[die].name;
    else if (h->func->index == 0) p->function = d->run->kernel->info.pretty;
}

bool sim_debug_frame(const sim_debug *d, unsigned level, sim_place *p) {
    debug_here h;
    if (!d->run || !look_focus(d, &h)) return false;
    for (unsigned k = 0; k < level; k++)
        if (!look_up(&h)) return false;
    look_place(d, &h, d->focus_thread, p);
    return true;
}

bool sim_debug_select(sim_debug *d, unsigned level) {
    sim_place p;
    if (!sim_debug_frame(d, level, &p)) return false;
    d->level = level;
    return true;
}

bool sim_debug_focus(sim_debug *d, const unsigned block[3], const unsigned thread[3],
                     lib_message *msg) {
    if (!d->run) {
        lib_message_set(msg, w_debug_no_launch());
        return false;
    }
    const unsigned *g = d->launch->grid, *b = d->launch->block;
    for (unsigned k = 0; k < 3; k++)
        if (block[k] >= g[k] || thread[k] >= b[k]) {
            lib_message_set(msg, w_debug_grid_is(g[0], g[1], g[2], b[0], b[1], b[2]));
            return false;
        }
    if (!d->block) {
        lib_message_set(msg, w_debug_no_block());
        return false;
    }
    uint64_t linear = block[0] + (uint64_t)g[0] * (block[1] + (uint64_t)g[1] * block[2]);
    if (d->block->linear != linear) {
        unsigned now[3];
        debug_split(g, d->block->linear, now);
        lib_message_set(
            msg, w_debug_block_not_now(block[0], block[1], block[2], now[0], now[1], now[2]));
        return false;
    }
    uint32_t t = thread[0] + b[0] * (thread[1] + b[1] * thread[2]);
    return sim_debug_focus_lane(d, t / SIM_WARP_LANES, t % SIM_WARP_LANES, msg);
}

bool sim_debug_focus_lane(sim_debug *d, unsigned warp, unsigned lane, lib_message *msg) {
    if (!d->block || warp >= d->block->warp_count || lane >= SIM_WARP_LANES ||
        !(d->block->warps[warp].exist >> lane & 1)) {
        lib_message_set(msg, w_debug_no_thread());
        return false;
    }
    if (!(d->block->warps[warp].live >> lane & 1)) {
        lib_message_set(msg, w_debug_thread_ended());
        return false;
    }
    d->focus_block = d->block->linear;
    d->focus_thread = warp * SIM_WARP_LANES + lane;
    d->level = 0;
    return true;
}

void sim_debug_each_place(const sim_debug *d,
                          void (*fn)(void *user, unsigned warp, sim_lanes_state_of state,
                                     const sim_place *p),
                          void *user) {
    const sim_block *b = d->block;
    for (uint32_t i = 0; d->run && b && i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        sim_place p = {.function = "", .file = "", .warp = i, .mask = w->exist & ~w->live};
        if (p.mask) fn(user, i, SIM_LANES_EXITED, &p);
        for (uint32_t k = 0; k < w->frag_count; k++) {
            const sim_frag *f = &w->frags[k];
            debug_here h = {w, f->frame->func, look_insn(d, w, f), f->mask, f->frame};
            look_place(d, &h, i * SIM_WARP_LANES + (unsigned)__builtin_ctz(f->mask), &p);
            bool runs = w == d->here.warp && f->mask & d->here.mask;
            fn(user, i,
               runs                        ? SIM_LANES_RUNNING
               : f->state == SIM_FRAG_SYNC ? SIM_LANES_SYNC
               : f->state == SIM_FRAG_BAR  ? SIM_LANES_BARRIER
                                           : SIM_LANES_READY,
               &p);
        }
    }
}

void sim_debug_ptx(const sim_debug *d, unsigned back, unsigned ahead,
                   void (*fn)(void *user, unsigned ptx_line, bool here, const char *text),
                   void *user) {
    debug_here h;
    if (!d->run || !debug_scope(d, &h)) return;
    const ptx_func *f = h.func->ptx;
    uint32_t from = h.insn > back ? h.insn - back : 0;
    for (uint32_t k = from; k < f->insn_count && k <= h.insn + ahead; k++) {
        char text[256];
        ptx_disassemble(f, &f->insns[k], text, sizeof text);
        fn(user, f->insns[k].ptx_line, k == h.insn, text);
    }
}

/* ---- registers ---- */

bool debug_register(const debug_here *h, uint32_t reg, unsigned lane, uint64_t *bits) {
    const sim_func *f = h->func;
    if (reg >= f->ptx->reg_count || f->reg_at[reg] == SIM_NO_SLOT) return false;
    sim_opnd o = f->reg_at[reg];
    const uint8_t *base = (o & 3) == SIM_BASE_REGS ? h->frame->regs : h->warp->base[o & 3];
    const uint8_t *at = base + (o >> 2);
    unsigned type = f->ptx->reg_type[reg], bytes = ptx_type_size(type);
    *bits = 0;
    if (type == PTX_PRED) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        *bits = word >> lane & 1;
    } else if (bytes <= 4) {
        memcpy(bits, at + 4 * lane, 4);
        if (bytes < 4) *bits &= (1u << 8 * bytes) - 1;
    } else if (bytes == 8) {
        memcpy(bits, at + 8 * lane, 8);
    } else {
        return false;
    }
    return true;
}

void sim_debug_each_register(const sim_debug *d,
                             void (*fn)(void *user, const char *name, const char *type,
                                        const char *value),
                             void *user) {
    debug_here h;
    if (!d->run || !debug_scope(d, &h)) return;
    unsigned lane = debug_lane_of_focus(d);
    for (uint32_t r = 0; r < h.func->ptx->reg_count; r++) {
        uint64_t bits;
        char text[64];
        unsigned type = h.func->ptx->reg_type[r];
        if (!debug_register(&h, r, lane, &bits)) continue;
        uint32_t word = (uint32_t)bits;
        float f;
        double g;
        memcpy(&f, &word, sizeof f);
        memcpy(&g, &bits, sizeof g);
        if (type == PTX_F32) snprintf(text, sizeof text, "%.9g", (double)f);
        else if (type == PTX_F64) snprintf(text, sizeof text, "%.17g", g);
        else if (type == PTX_PRED) snprintf(text, sizeof text, "%s", bits ? "true" : "false");
        else if (ptx_type_size(type) == 8)
            snprintf(text, sizeof text, "0x%llx", (unsigned long long)bits);
        else snprintf(text, sizeof text, "0x%x %d", word, (int)word);
        fn(user, h.func->ptx->reg_name[r], ptx_type_text(type), text);
    }
}

/* ---- memory ---- */

/* Copies bytes [from, from + n) of a piece of memory. */
static bool look_copy(void *to, const void *piece, uint64_t size, uint64_t from, size_t n) {
    if (!piece || from > size || n > size - from) return false;
    memcpy(to, (const uint8_t *)piece + from, n);
    return true;
}

bool debug_read(const sim_debug *d, unsigned lane, sim_addr from, void *to, size_t n) {
    debug_here h;
    uint64_t at = from & 0xffffffff;
    if (!d->device || from + n < from) return false;
    switch (from & ~0xffffffffull) {
    case SIM_SHARED_WINDOW: { /* in a cluster also another block's */
        const void *piece = d->run && d->block && n <= UINT32_MAX
                                ? sim_shared_at(d->block->mem, (uint32_t)at, (uint32_t)n)
                                : NULL;
        return look_copy(to, piece, n, 0, n);
    }
    case SIM_LOCAL_WINDOW:
        return d->run && d->block && debug_scope(d, &h) &&
               sim_local_read(d->block->mem, h.warp->index, lane, (uint32_t)at, to, (uint32_t)n);
    case SIM_PARAM_WINDOW:
        return d->launch && look_copy(to, d->launch->params, d->launch->param_bytes, at, n);
    case SIM_FRAME_WINDOW:
        return d->run && debug_scope(d, &h) &&
               look_copy(to, h.frame->regs + h.func->param_at + lane * h.func->param_bytes,
                         h.func->param_bytes, at, n);
    default: return sim_memory_read(d->device->memory, to, from, n) == SIM_OK;
    }
}

bool sim_debug_read(const sim_debug *d, int lane, sim_addr from, void *to, size_t n) {
    return debug_read(d, lane < 0 ? debug_lane_of_focus(d) : (unsigned)lane, from, to, n);
}

size_t sim_debug_shared(const sim_debug *d, const uint8_t **bytes) {
    if (!d->run || !d->block) return 0;
    *bytes = sim_block_shared(d->block->mem);
    return *bytes ? d->run->shared_bytes : 0;
}

sim_addr sim_debug_shared_address(uint32_t offset) {
    return SIM_SHARED_WINDOW + offset;
}

/* _ZZ3addPfE4tile is `tile` of the function in its name. */
static const char *look_plain_name(const char *name) {
    const char *at = name;
    if (strncmp(name, "_ZZ", 3)) return name;
    for (const char *e = name; (e = strchr(e, 'E')); e++) {
        const char *p = e + 1;
        size_t n = 0;
        while (*p >= '0' && *p <= '9') n = n * 10 + (size_t)(*p++ - '0');
        if (n && n < 128 && strlen(p) >= n) at = p;
    }
    return at;
}

const char *sim_debug_shared_name(const sim_debug *d, uint32_t offset, uint32_t *start) {
    const sim_image *im = d->image;
    for (size_t k = 0; d->run && k < im->shared_count; k++) {
        uint64_t size = im->shared_vars[k]->bytes;
        uint32_t at = im->shared_at[k];
        if (offset < at || (size && offset - at >= size)) continue;
        *start = at;
        return look_plain_name(im->shared_vars[k]->name);
    }
    *start = offset;
    return "";
}

sim_addr debug_shared_var(const sim_debug *d, const char *name) {
    const sim_image *im = d->image;
    for (size_t k = 0; im && k < im->shared_count; k++)
        if (!strcmp(im->shared_vars[k]->name, name))
            return SIM_SHARED_WINDOW + im->shared_at[k] +
                   ((sim_addr)(d->block ? d->block->rank : 0) << SIM_RANK_SHIFT);
    return 0;
}

/* ---- what an instruction writes ---- */

static sim_addr look_variable(const sim_debug *d, const debug_here *h, const ptx_var *v) {
    switch (v->space) {
    case PTX_SPACE_SHARED: return debug_shared_var(d, v->name);
    case PTX_SPACE_LOCAL: return SIM_LOCAL_WINDOW + h->frame->local_base + v->offset;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST: return sim_module_address(d->image->owner, v);
    default: return 0;
    }
}

sim_addr debug_operand_address(const sim_debug *d, const debug_here *h, const ptx_insn *p,
                               const ptx_opnd *o, unsigned lane) {
    uint64_t at = 0;
    if (o->reg >= 0 && !debug_register(h, (uint32_t)o->reg, lane, &at)) return UINT64_MAX;
    if (o->reg < 0 && !o->var) at = o->imm;
    at += (uint64_t)o->offset;
    if (o->var) {
        sim_addr base = look_variable(d, h, o->var);
        return base ? at + base : UINT64_MAX;
    }
    if (p->space == PTX_SPACE_SHARED) return at < SIM_WINDOW_BYTES ? SIM_SHARED_WINDOW + at : at;
    if (p->space == PTX_SPACE_LOCAL) return at < SIM_WINDOW_BYTES ? SIM_LOCAL_WINDOW + at : at;
    return at;
}

const ptx_opnd *debug_writes(const ptx_insn *p, unsigned *bytes) {
    bool store = p->klass == PTX_CLASS_STORE && p->space != PTX_SPACE_PARAM,
         atom = p->klass == PTX_CLASS_ATOM, async = p->op == PTX_OP_cp_async;
    if (!store && !atom && !async) return NULL;
    unsigned vec = 1;
    const ptx_opnd *at = NULL;
    for (unsigned k = 0; k < p->nopnds; k++) {
        if (p->opnd[k].kind == PTX_OPND_ADDR && !at) at = &p->opnd[k];
        if (p->opnd[k].kind == PTX_OPND_VEC && p->opnd[k].count > vec) vec = p->opnd[k].count;
    }
    *bytes = async ? 16 : vec * (p->ntypes ? ptx_type_size(p->type[p->ntypes - 1]) : 0);
    if (async && p->nopnds > 2 && p->opnd[2].kind == PTX_OPND_IMM)
        *bytes = (unsigned)p->opnd[2].imm;
    return *bytes ? at : NULL;
}
