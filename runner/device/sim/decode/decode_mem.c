/* Families that access memory: ld, st, atom, red, isspacep, fences; parameters of kernels and of
 * calls. */
#include <string.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/module.h"

/* Returns the start of a lane-major area; *stride: the bytes of a lane in it. */
static uint8_t *area(const sim_warp *w, unsigned which, uint32_t *stride) {
    const sim_func *f = w->frame->func;
    *stride = which == SIM_AREA_CALL  ? f->call_bytes
              : which == SIM_AREA_RET ? f->ret_bytes
                                      : f->param_bytes;
    return w->frame->regs + (which == SIM_AREA_CALL  ? f->call_at
                             : which == SIM_AREA_RET ? f->ret_at
                                                     : f->param_at);
}
/* R[d] := imm bytes at `offset` of area b, zero- or (c) sign-extended to e bytes */
static void exec_param_load(sim_warp *w, const sim_insn *i) {
    uint32_t stride;
    const uint8_t *from = area(w, i->b, &stride) + i->offset;
    uint8_t *d = sim_slot(w, i->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t v = 0;
        memcpy(&v, from + (size_t)l * stride, i->imm);
        if (i->c) v = (uint64_t)((int64_t)(v << (64 - 8 * i->imm)) >> (64 - 8 * i->imm));
        memcpy(d + (size_t)l * i->e, &v, i->e);
    }
}
/* imm bytes at `offset` of area b := R[a], whose lanes are e bytes apart */
static void exec_param_store(sim_warp *w, const sim_insn *i) {
    uint32_t stride;
    uint8_t *to = area(w, i->b, &stride) + i->offset;
    const uint8_t *a = sim_slot(w, i->a);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        memcpy(to + (size_t)l * stride, a + (size_t)l * i->e, i->imm);
    }
}

static unsigned elements(const ptx_opnd *o, const ptx_opnd **first) {
    *first = o->kind == PTX_OPND_VEC ? o->elem : o;
    return o->kind == PTX_OPND_VEC ? o->count : 1;
}
/* Returns the number of elements as memory sites have them: a .b128 is two of 8 bytes. */
static unsigned halves(unsigned bytes) {
    return bytes == 16 ? 2 : 1;
}

/* Makes the slots for the data of a load or store: of 64 bits if one of its registers has 64. */
static unsigned moved_slot(const sim_decoder *d, const ptx_opnd *e, unsigned n, unsigned elem) {
    if (elem >= 8) return elem == 16 ? SIM_SLOT_128 : SIM_SLOT_64;
    for (unsigned k = 0; k < n; k++)
        if (e[k].kind == PTX_OPND_REG && sim_slot_of(d->ptx->reg_type[e[k].reg]) == SIM_SLOT_64)
            return SIM_SLOT_64;
    return SIM_SLOT_32;
}
static bool sign_extends(ptx_type t) {
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32;
}

static bool param_fits(sim_decoder *d, const ptx_var *v, uint64_t at, uint64_t bytes) {
    if (bytes > 8) {
        sim_decode_fail(d, "parameters of 128 bits are not supported");
        return false;
    }
    if (at <= v->bytes && bytes <= v->bytes - at) return true;
    sim_decode_fail(d, "this reaches past the end of parameter %s", v->name);
    return false;
}

static void param_load(sim_decoder *d, const ptx_opnd *dst, const ptx_opnd *src) {
    const ptx_insn *p = d->insn;
    ptx_type t = p->type[0];
    const ptx_opnd *e;
    unsigned n = elements(dst, &e), bytes = ptx_type_size(t);
    for (unsigned k = 0; k < n && !d->failed; k++) {
        if (e[k].kind != PTX_OPND_REG) continue;
        unsigned slot = sim_slot_of(d->ptx->reg_type[e[k].reg]);
        uint32_t which;
        int64_t at = src->offset + (int64_t)k * bytes;
        if (!param_fits(d, src->var, (uint64_t)at, bytes)) return;
        if (!sim_param_area(d, src->var, &which)) {
            sim_opnd from = sim_param_slot(d, src->var, at, t),
                     to = sim_destination(d, &e[k], sim_slot_of(t), t);
            if (d->reg_at[e[k].reg] != from) sim_emit_mov(d, sim_slot_of(t), to, from);
            continue;
        }
        sim_opnd to = sim_destination(d, &e[k], slot, t);
        sim_insn *i = sim_emit(d, exec_param_load, exec_param_load);
        i->d = to;
        i->b = which;
        i->offset = src->var->offset + (uint64_t)at;
        i->imm = bytes;
        i->c = sign_extends(t);
        i->e = slot == SIM_SLOT_64 ? 8 : 4;
    }
}
static void param_store(sim_decoder *d, const ptx_opnd *dst, const ptx_opnd *src) {
    ptx_type t = d->insn->type[0];
    const ptx_opnd *e;
    unsigned n = elements(src, &e), bytes = ptx_type_size(t);
    for (unsigned k = 0; k < n && !d->failed; k++) {
        uint32_t which;
        uint64_t at = (uint64_t)dst->offset + (uint64_t)k * bytes;
        if (!param_fits(d, dst->var, at, bytes)) return;
        if (!sim_param_area(d, dst->var, &which)) {
            sim_decode_fail(d, "a kernel cannot write its parameters");
            return;
        }
        unsigned slot =
            e[k].kind == PTX_OPND_REG ? sim_slot_of(d->ptx->reg_type[e[k].reg]) : sim_slot_of(t);
        sim_opnd from = sim_source(d, &e[k], slot, t);
        sim_insn *i = sim_emit(d, exec_param_store, exec_param_store);
        i->a = from;
        i->b = which;
        i->offset = dst->var->offset + at;
        i->imm = bytes;
        i->e = slot == SIM_SLOT_64 ? 8 : 4;
    }
}

/* Returns the space. Parameters that are read by address count as constant memory, because the
 * device keeps the launch's parameters there. */
static unsigned space_of(sim_decoder *d, const ptx_insn *p, uint64_t *add) {
    *add = 0;
    if (p->space != PTX_SPACE_PARAM) return p->space;
    *add = d->image->owner->device->param_block;
    return PTX_SPACE_CONST;
}

static unsigned address_type(unsigned space) {
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL ? PTX_B32 : PTX_B64;
}

/* Returns whether the load reads the first guess for an atom.cas that follows. The exchange finds
 * out whether the guess was right, so it is no race (CUDA C++ Programming Guide, "Atomic
 * Functions": an atomic made of atomicCAS). */
static bool guesses(const sim_decoder *d, const ptx_opnd *a) {
    enum { NEAR = 64 }; /* instructions */
    const ptx_insn *end = d->ptx->insns + d->ptx->insn_count, *sum = NULL;
    for (const ptx_insn *i = d->insn + 1; i < end && i < d->insn + NEAR; i++) {
        const ptx_opnd *b = &i->opnd[1];
        /* the same address, computed for an instruction that takes no offset */
        if (i->op == PTX_OP_add && b->kind == PTX_OPND_REG && b->reg == a->reg &&
            i->opnd[2].kind == PTX_OPND_IMM && (int64_t)i->opnd[2].imm == a->offset)
            sum = i;
        if (i->op != PTX_OP_atom || i->field[PTX_FIELD_ATOM] != PTX_ATOM_cas) continue;
        if (b->reg == a->reg && b->var == a->var && b->offset == a->offset) return true;
        if (sum && b->reg == sum->opnd[0].reg && !b->offset) return true;
    }
    return false;
}

static bool has_register(const ptx_opnd *o, int32_t reg) {
    const ptx_opnd *e;
    for (unsigned n = elements(o, &e); n; n--, e++)
        if (e->kind == PTX_OPND_REG && e->reg == reg) return true;
    return false;
}

/* Returns whether the value is only an input of a selection, or is passed on in local memory or as
 * a parameter. The compiler reads a variable before it knows whether its value is needed (selp),
 * and copies objects with their unset parts. */
static bool moves(const sim_decoder *d, const ptx_opnd *dst) {
    enum { NEAR = 256 }; /* instructions */
    const ptx_insn *end = d->ptx->insns + d->ptx->insn_count;
    for (const ptx_insn *i = d->insn + 1; i < end && i < d->insn + NEAR; i++) {
        bool st = i->op == PTX_OP_st &&
                  (i->space == PTX_SPACE_LOCAL || i->space == PTX_SPACE_PARAM ||
                   (i->space == PTX_SPACE_GENERIC && d->insn->space == PTX_SPACE_GENERIC));
        if (i->op != PTX_OP_selp && !st) continue;
        const ptx_opnd *e;
        for (unsigned n = elements(dst, &e), k = 0; k < n; k++)
            if (e[k].kind == PTX_OPND_REG && (has_register(&i->opnd[1], e[k].reg) ||
                                              (!st && has_register(&i->opnd[2], e[k].reg))))
                return true;
    }
    return false;
}

void sim_decode_ld(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (p->space == PTX_SPACE_PARAM && p->opnd[1].var) {
        param_load(d, &p->opnd[0], &p->opnd[1]);
        return;
    }
    ptx_type t = p->type[0];
    uint64_t add, offset;
    unsigned space = space_of(d, p, &add);
    const ptx_opnd *e;
    unsigned n = elements(&p->opnd[0], &e), elem = ptx_type_size(t);
    unsigned parts = n * halves(elem), slot = moved_slot(d, e, n, elem);
    sim_opnd base, *regs = parts > 1 || e[0].kind == PTX_OPND_SINK
                               ? sim_image_alloc(d->image, parts * sizeof *regs)
                               : NULL;
    sim_address(d, &p->opnd[1], space, &base, &offset);
    sim_site *s = sim_site_add(d, space, SIM_ACCESS_LOAD, elem / halves(elem), parts,
                               slot == SIM_SLOT_32 ? 4 : 8);
    const sim_exec_row *r = sim_row(d, PTX_OP_ld, address_type(space), PTX_NONE, 0);
    if (!s || !r) return;
    if (sign_extends(t)) s->flags |= SIM_SITE_SEXT;
    if (guesses(d, &p->opnd[1])) s->flags |= SIM_SITE_STRONG;
    if ((space == PTX_SPACE_LOCAL || space == PTX_SPACE_GENERIC) && moves(d, &p->opnd[0]))
        s->flags |= SIM_SITE_MOVES;
    s->flags |= SIM_SITE_FOLLOWED;
    sim_site_done(d, s);
    sim_opnd first = d->sink;
    for (unsigned k = 0; k < n; k++) {
        sim_opnd to = e[k].kind == PTX_OPND_SINK ? SIM_NO_SLOT : sim_destination(d, &e[k], slot, t);
        if (regs && elem == 16)
            regs[2 * k] = to, regs[2 * k + 1] = to == SIM_NO_SLOT ? to : sim_high_half(to);
        else if (regs) regs[k] = to;
        else first = to;
    }
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = first;
    i->a = base;
    i->offset = offset + add;
    i->site = s;
    i->aux = regs;
}

void sim_decode_st(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (p->space == PTX_SPACE_PARAM && p->opnd[0].var) {
        param_store(d, &p->opnd[0], &p->opnd[1]);
        return;
    }
    ptx_type t = p->type[0];
    const ptx_opnd *e;
    unsigned n = elements(&p->opnd[1], &e), elem = ptx_type_size(t);
    if (p->space == PTX_SPACE_PARAM) {
        sim_decode_fail(d, "stores to parameters by address are not supported");
        return;
    }
    unsigned parts = n * halves(elem), slot = moved_slot(d, e, n, elem);
    uint64_t offset;
    sim_opnd base, first = 0,
                   *regs = parts > 1 ? sim_image_alloc(d->image, parts * sizeof *regs) : NULL;
    sim_address(d, &p->opnd[0], p->space, &base, &offset);
    for (unsigned k = 0; k < n; k++) {
        sim_opnd from = sim_source(d, &e[k], slot, t);
        if (regs && elem == 16) regs[2 * k] = from, regs[2 * k + 1] = sim_high_half(from);
        else if (regs) regs[k] = from;
        else first = from;
    }
    sim_site *s = sim_site_add(d, p->space, SIM_ACCESS_STORE, elem / halves(elem), parts,
                               slot == SIM_SLOT_32 ? 4 : 8);
    const sim_exec_row *r = sim_row(d, PTX_OP_st, address_type(p->space), PTX_NONE, 0);
    if (!s || !r) return;
    sim_site_done(d, s);
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->a = base;
    i->b = first;
    i->offset = offset;
    i->site = s;
    i->aux = regs;
}

/* Returns whether an instruction of the function reads the register. */
static bool is_read(const ptx_func *f, int32_t reg) {
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *i = &f->insns[k];
        if (i->guard == reg) return true;
        for (unsigned o = i->op == PTX_OP_atom; o < i->nopnds; o++) {
            const ptx_opnd *x = &i->opnd[o], *e;
            unsigned n = x->kind == PTX_OPND_VEC ? elements(x, &e) : 1;
            for (e = n > 1 ? x->elem : x; n; n--, e++)
                if ((e->kind == PTX_OPND_REG || e->kind == PTX_OPND_ADDR) && e->reg == reg)
                    return true;
        }
    }
    return false;
}

/* An exchange whose old value is not read only writes, so it may initialise. */
static bool only_writes(const sim_decoder *d, unsigned op, const ptx_opnd *dst, unsigned n) {
    bool only = op == PTX_ATOM_exch;
    for (unsigned k = 0; k < n && dst && only; k++)
        only = dst[k].kind != PTX_OPND_REG || !is_read(d->ptx, dst[k].reg);
    return only;
}

/* Returns how an atomic with these operands changes its word: SIM_ATOM_*. Programs read a word with
 * atomics that change nothing: + 0, | 0, ^ 0, & ~0, or a cas of a value with itself. */
static uint16_t changes(unsigned op, ptx_type type, const ptx_opnd *b, const ptx_opnd *c) {
    bool constant = b->kind == PTX_OPND_IMM;
    if (op == PTX_ATOM_cas) {
        bool same = c->kind == b->kind &&
                    (constant ? c->imm == b->imm : b->kind == PTX_OPND_REG && c->reg == b->reg);
        return same ? 0 : constant ? SIM_ATOM_CLAIM : SIM_ATOM_LOOP;
    }
    unsigned unused = 64 - 8 * ptx_type_size(type); /* bits */
    bool nothing = op == PTX_ATOM_and
                       ? (~b->imm << unused) == 0
                       : (op == PTX_ATOM_add || op == PTX_ATOM_or || op == PTX_ATOM_xor) && !b->imm;
    return constant && nothing ? 0 : sim_atom_changes(op, type);
}

void sim_decode_atom(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool red = p->op == PTX_OP_red;
    const ptx_opnd *mem = &p->opnd[red ? 0 : 1], *src = &p->opnd[red ? 1 : 2], *b, *dst = NULL;
    ptx_type t = p->type[0];
    unsigned n = elements(src, &b), bytes = ptx_type_size(t), op = p->field[PTX_FIELD_ATOM];
    if (!red && p->opnd[0].kind != PTX_OPND_SINK) elements(&p->opnd[0], &dst);
    if (n > 8) {
        sim_decode_fail(d, "an atomic of %u elements", n);
        return;
    }
    sim_atom_info *a = sim_decode_alloc(d, sizeof *a);
    if (!a) return;
    unsigned slot = sim_slot_of(t);
    *a = (sim_atom_info){
        .op = (uint8_t)op, .type = (uint8_t)t, .bytes = (uint8_t)bytes, .vec = (uint8_t)n};
    uint64_t offset;
    sim_opnd base;
    sim_address(d, mem, p->space, &base, &offset);
    for (unsigned k = 0; k < n; k++) a->b[k] = sim_source(d, &b[k], slot, t);
    sim_opnd c = op == PTX_ATOM_cas ? sim_source(d, &p->opnd[3], slot, t) : 0;
    for (unsigned k = 0; k < n; k++)
        a->d[k] = !dst || dst[k].kind == PTX_OPND_SINK ? SIM_NO_SLOT
                                                       : sim_destination(d, &dst[k], slot, t);
    sim_site *s = sim_site_add(d, p->space, SIM_ACCESS_ATOM, bytes / halves(bytes),
                               n * halves(bytes), slot == SIM_SLOT_32 ? 4 : 8);
    const sim_exec_row *r = sim_row(d, PTX_OP_atom, address_type(p->space), PTX_NONE, 0);
    if (!s || !r) return;
    if (op == PTX_ATOM_cas) s->flags |= SIM_SITE_ACQUIRE;
    if (op == PTX_ATOM_exch) s->flags |= SIM_SITE_ACQUIRE | SIM_SITE_RELEASE;
    if (only_writes(d, op, dst, n)) s->flags |= SIM_SITE_NO_UNINIT;
    for (unsigned k = 0; k < n; k++) s->changes |= changes(op, t, &b[k], &p->opnd[3]);
    sim_site_done(d, s);
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->a = base;
    i->c = c;
    i->offset = offset;
    i->site = s;
    i->aux = a;
}

/* P[d] := R[a] is in the space imm, except shared memory. Kernel parameters are read like
 * constants, but the window of .param is inside that of .global (PTX ISA 6.4.1.1). */
static void exec_isspacep(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a), block = w->block->run->device->param_block;
    uint32_t bits = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        uint64_t x = a[l];
        bool param = x - block < SIM_PARAM_BLOCK || x - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES;
        bool constant = !param && x >= SIM_CONST_WINDOW(0) && x < SIM_CONST_WINDOW(16);
        bool local = x - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES;
        bool global = !constant && !local && x - SIM_SHARED_WINDOW >= SIM_WINDOW_BYTES;
        bool in = i->imm == PTX_SPACE_PARAM   ? param
                  : i->imm == PTX_SPACE_CONST ? constant
                  : i->imm == PTX_SPACE_LOCAL ? local
                                              : global;
        bits |= (uint32_t)in << l;
    }
    sim_set_pred(w, i->d, bits);
}
/* P[d] := R[a] is in the shared memory of the block, or (imm) of a block of its cluster */
static void exec_isspacep_shared(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    unsigned own = w->block->rank, size = w->block->cluster ? w->block->cluster->size : 1;
    uint32_t bits = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        unsigned rank = sim_shared_rank((uint32_t)a[l]);
        bool in =
            a[l] - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES && (i->imm ? rank < size : rank == own);
        bits |= (uint32_t)in << l;
    }
    sim_set_pred(w, i->d, bits);
}
void sim_decode_isspacep(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_64, PTX_U64),
             to = sim_destination(d, &p->opnd[0], SIM_SLOT_PRED, PTX_PRED);
    bool shared = p->space == PTX_SPACE_SHARED;
    sim_exec_fn *fn = shared ? exec_isspacep_shared : exec_isspacep;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to;
    i->a = a;
    i->imm = shared ? p->flags >> PTX_F_SHARED_CLUSTER & 1 : p->space;
}

static void exec_fence(sim_warp *w, const sim_insn *i) {
    if (!w->block->run->plain_atomics) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    sim_fence(w->access, w->mask, i->ptx->field[PTX_FIELD_SCOPE] == PTX_SCOPE_cta);
}
static void exec_proxy_fence(sim_warp *w, const sim_insn *i) {
    exec_fence(w, i);
    sim_proxy_fence(w->access, i->ptx->space != PTX_SPACE_GLOBAL,
                    i->ptx->space != PTX_SPACE_SHARED);
}
/* Grids run one after another here. Only the detection of races needs to know which of a kernel's
 * accesses come before the wait, and whether it lets the next grid begin before. */
static void exec_grid_lets(sim_warp *w, const sim_insn *i) {
    (void)i;
    sim_grid_lets(w->access);
}
void sim_decode_grid_lets(sim_decoder *d) {
    sim_emit(d, exec_grid_lets, exec_grid_lets);
}
static void exec_grid_wait(sim_warp *w, const sim_insn *i) {
    (void)i;
    sim_grid_wait(w->access);
}
void sim_decode_grid_wait(sim_decoder *d) {
    sim_emit(d, exec_grid_wait, exec_grid_wait);
}

void sim_decode_fence(sim_decoder *d) {
    bool proxy = d->insn->op == PTX_OP_fence_proxy && d->insn->flags >> PTX_F_async & 1;
    sim_exec_fn *fn = proxy ? exec_proxy_fence : exec_fence;
    sim_emit(d, fn, fn);
}
