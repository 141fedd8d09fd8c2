/* Machine instructions as the replay sees them, and traces of the PTX that restates them
 * (translate/), converted to traces of machine instructions.
 *
 *   sass_func --time_code_machine()--> time_code: one operation for each instruction, in the order
 *                                      of the text, with its control fields
 *   trace by pc of the restated PTX --time_machine_trace()--> trace by machine instruction
 *
 * ptxas has decided the dependences: an instruction issues when the stall count of the previous one
 * has passed and the scoreboards for which it waits are clear. The six scoreboards take the place
 * of time_code's registers. Only latencies and rates are not in the code; they come from the
 * profile. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/time/time_internal.h"

/* PRODUCTS is where a wait for the products of a warpgroup finds them. */
enum { PRODUCTS = 6, SCOREBOARDS };

static double rate_of(const sim_profile *p, unsigned pipe) {
    switch (pipe) {
    case TIME_PIPE_FMA: return p->rate_fp32;
    case TIME_PIPE_IMUL: return p->rate_imul;
    case TIME_PIPE_XU: return p->rate_sfu;
    case TIME_PIPE_FP64: return p->rate_fp64;
    case TIME_PIPE_HALF: return p->rate_fp16;
    default: return p->rate_int;
    }
}

static bool is_half(const sass_insn *i) {
    return i->op == SASS_OP_HADD2 || i->op == SASS_OP_HMUL2 || i->op == SASS_OP_HFMA2;
}

static unsigned pipe_of(const sass_insn *i) {
    switch ((sass_pipe)sass_row_of((sass_op)i->op)->pipe) {
    case SASS_PIPE_ALU: return TIME_PIPE_ALU;
    case SASS_PIPE_FMA: return is_half(i) ? TIME_PIPE_HALF : TIME_PIPE_FMA;
    case SASS_PIPE_HEAVY: return TIME_PIPE_IMUL;
    case SASS_PIPE_HALF: return TIME_PIPE_HALF;
    case SASS_PIPE_FP64: return TIME_PIPE_FP64;
    case SASS_PIPE_XU: return TIME_PIPE_XU;
    case SASS_PIPE_TENSOR: return TIME_PIPE_TENSOR;
    default: return TIME_PIPE_NONE;
    }
}

static bool converts(const sass_insn *i) {
    return i->op == SASS_OP_I2F || i->op == SASS_OP_F2I || i->op == SASS_OP_F2F ||
           i->op == SASS_OP_FRND || i->op == SASS_OP_I2I;
}

static bool multiplies_wide(const sass_insn *i) {
    return i->op == SASS_OP_IMAD && (sass_has(i, "WIDE") || sass_has(i, "HI"));
}

/* Returns how many registers of a lane the instruction reads, each operand by itself. */
static unsigned registers_of(const sass_insn *i) {
    unsigned n = 0;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (o->role == SASS_USE && o->kind == SASS_OPND_REG && o->reg != SASS_RZ) n += o->width;
    }
    return n;
}

static void arithmetic(const sim_profile *p, const sass_insn *i, time_op *o) {
    unsigned pipe = pipe_of(i);
    if (is_half(i) && p->halves_with_integers && !sass_has(i, "MMA")) pipe = TIME_PIPE_IMUL;
    o->pipe = (uint8_t)pipe;
    o->latency = (float)p->lat_alu;
    if (pipe == TIME_PIPE_NONE) return;
    o->busy = (float)(p->schedulers / rate_of(p, pipe));
    if (pipe == TIME_PIPE_XU) o->latency = (float)p->lat_sfu;
    if (pipe == TIME_PIPE_FP64)
        o->latency = (float)p->lat_fp64, o->held = (float)p->fp64_held_cycles;
    if (pipe == TIME_PIPE_XU) o->held = (float)p->xu_held_cycles;
    if (converts(i)) o->busy = (float)(p->schedulers / p->rate_convert);
    if (pipe == TIME_PIPE_XU && registers_of(i) > 1)
        o->busy += (float)(p->xu_register_cycles * (registers_of(i) - 1));
    o->wide = multiplies_wide(i);
    if (o->wide) o->held = (float)(p->wide_held_cycles * p->schedulers / p->issue_per_cycle);
}

void time_product_cost(const sim_profile *p, const time_product *x, time_op *o) {
    double macs = (double)x->m * x->n * x->k, rate = p->tensor_macs, shared = 0;
    if (x->sparse) macs /= 2; /* A has zeros */
    if (x->group) {           /* one warp's part; all four wait for what they share */
        unsigned held = x->sparse ? x->m / 2u : x->m, rows = x->n + (x->in_registers ? 0u : held);
        macs /= 4;
        if (p->wgmma_macs > 0) rate = p->wgmma_macs;
        shared = rows * x->k * x->bits / 8 / p->shared_bytes_cycle;
    }
    o->busy = (float)(macs * x->bits / 16 * p->schedulers / rate);
    if (o->busy < shared) o->busy = (float)shared;
    o->latency = (float)(o->busy + p->tensor_depth);
    /* the next product of the same accumulators can follow at once */
    if (x->group) o->latency = o->busy > p->tensor_depth ? o->busy : (float)p->tensor_depth;
    o->pipe = TIME_PIPE_TENSOR;
}

static double element_bits(const sass_insn *i) {
    switch (i->op) {
    case SASS_OP_DMMA: return TIME_F64_BITS;
    case SASS_OP_BMMA:
    case SASS_OP_BGMMA: return 1;
    case SASS_OP_HMMA:
    case SASS_OP_HGMMA: return sass_has(i, "TF32") ? 32 : 16;
    default: return sass_has(i, "S4") || sass_has(i, "U4") ? 4 : 8;
    }
}

static void product(const sim_profile *p, const sass_insn *i, time_op *o) {
    unsigned mnk[3];
    bool group = i->op == SASS_OP_HGMMA || i->op == SASS_OP_IGMMA || i->op == SASS_OP_QGMMA ||
                 i->op == SASS_OP_BGMMA;
    if (!sass_shape(i, mnk)) return;
    time_product x = {.m = mnk[0],
                      .n = mnk[1],
                      .k = mnk[2],
                      .bits = element_bits(i),
                      .group = group,
                      .sparse = sass_has(i, "SP"),
                      .in_registers = i->opnd_count > 1 && i->opnd[1].kind == SASS_OPND_REG};
    time_product_cost(p, &x, o);
    if (group) o->sets = PRODUCTS;
}

/* Instructions that read something other than registers: special registers, votes, other lanes. */
static void across_lanes(const sim_profile *p, const sass_insn *i, time_op *o) {
    arithmetic(p, i, o);
    o->special = true;
    switch (i->op) {
    case SASS_OP_SHFL:
    case SASS_OP_MOVM: /* as fast and as late: mvc, mv8, mv4_h of tests/truth/lanes.cu */
        o->kind = TIME_SHUFFLE;
        o->busy = (float)(1 / p->rate_shuffle);
        o->latency = (float)p->lat_shuffle;
        break;
    case SASS_OP_MATCH:
        o->kind = TIME_SHUFFLE;
        if (sass_has(i, "ANY")) o->flags |= TIME_EVENT;
        else o->busy = 64, o->latency = 368;
        break;
    case SASS_OP_REDUX:
        o->kind = TIME_SHUFFLE;
        o->busy = (float)p->redux_cycles, o->latency = (float)p->lat_redux;
        break;
    case SASS_OP_S2R:
    case SASS_OP_S2UR: o->latency = (float)p->lat_s2r; break;
    default: break;
    }
}

/* Returns whether lanes cannot differ in its address; `known`: the address has no register at
 * all. */
static bool address_is_uniform(const sass_insn *i, bool known) {
    sass_access access[2];
    if (!sass_accesses(i, access)) return false;
    const sass_opnd *o = &i->opnd[access[0].opnd];
    return o->base.reg >= SASS_NONE && (!known || o->ubase.reg >= SASS_NONE);
}

static void memory(const sim_profile *p, const sass_insn *i, time_op *o) {
    const sass_row *row = sass_row_of((sass_op)i->op);
    bool uniform = address_is_uniform(i, false);
    o->pipe = TIME_PIPE_NONE;
    if (row->space == SASS_CONSTANT) {
        o->latency = (float)p->lat_const;
        if (address_is_uniform(i, true)) return; /* an operand, except for its slot */
        o->kind = TIME_CONST;
        o->flags |= TIME_EVENT | (uniform ? TIME_UNIFORM : 0);
        return;
    }
    o->flags |= TIME_EVENT;
    switch ((sass_class)row->klass) {
    case SASS_LOAD:
        o->kind = TIME_LOAD;
        if (uniform) o->flags |= TIME_UNIFORM;
        o->alone = row->space == SASS_GLOBAL && sass_has(i, "STRONG");
        break;
    case SASS_STORE: o->kind = TIME_STORE; break;
    case SASS_COPY: o->kind = TIME_COPY; break;
    default:
        o->kind = TIME_ATOM;
        for (unsigned k = 0; k < i->opnd_count; k++) /* the old value is used */
            if (i->opnd[k].kind == SASS_OPND_REG && i->opnd[k].role == SASS_DEF &&
                i->opnd[k].reg != SASS_RZ)
                o->flags |= TIME_RESULT;
        if (sass_has(i, "POPC")) o->flags |= TIME_POP_INC;
        o->float_atom = sass_has(i, "ADD") && (sass_has(i, "F32") || sass_has(i, "F64"));
        o->spins = sass_has(i, "SPIN");
    }
}

/* Copies between global and shared memory take their bandwidth,. */
static void bulk(const sass_insn *i, time_op *o) {
    bool store = sass_has(i, "G.S") || i->op == SASS_OP_UTMASTG || i->op == SASS_OP_UTMAREDG,
         load = sass_has(i, "S.G") || i->op == SASS_OP_UTMALDG;
    if (!store && !load) return;
    o->kind = store ? TIME_STORE : TIME_COPY;
    o->flags |= TIME_EVENT;
}

static void control(const sim_profile *p, const sass_insn *i, unsigned klass, time_op *o) {
    switch (klass) {
    case SASS_EXIT: o->kind = TIME_EXIT; return;
    case SASS_CALL: o->kind = TIME_BRANCH; return;
    case SASS_RETURN:
        o->kind = TIME_BRANCH;
        o->stall = (uint8_t)p->return_cycles;
        return;
    case SASS_BRANCH:
    case SASS_INDIRECT:
        o->kind = TIME_BRANCH;
        o->flags |= TIME_EVENT; /* where lanes branch both ways */
        return;
    case SASS_BARRIER:
        if (i->op != SASS_OP_BAR && i->op != SASS_OP_UCGABAR_WAIT) return;
        o->kind = sass_has(i, "ARV") ? TIME_ARRIVE : TIME_BARRIER;
        o->flags |= TIME_EVENT;
        return;
    default: break;
    }
    if (i->op == SASS_OP_BSYNC) {
        if (o->stall < p->meet_cycles) o->stall = (uint8_t)p->meet_cycles;
    } else if (i->op == SASS_OP_MEMBAR) {
        o->kind = TIME_FENCE;
        o->amount = sass_has(i, "SYS") ? 2 : sass_has(i, "GPU") ? 1 : 0;
    } else if (i->op == SASS_OP_SYNCS) {
        o->latency = (float)p->lat_shared;
        if (sass_has(i, "EXCH") || sass_has(i, "CCTL")) return;
        o->kind = sass_has(i, "PHASECHK") ? TIME_LANDED : TIME_MEETS;
        o->flags |= TIME_EVENT;
    } else if (i->op == SASS_OP_NANOSLEEP) {
        if (sass_has(i, "SYNCS")) return; /* of try_wait: an mbarrier wakes it */
        o->kind = TIME_SLEEP;
        o->flags |= TIME_EVENT;
    } else if (i->op == SASS_OP_ARRIVES) {
        o->kind = TIME_TELLS;
        o->flags |= TIME_EVENT;
    } else if (i->op == SASS_OP_LDGDEPBAR) {
        o->kind = TIME_COMMIT;
    } else if (i->op == SASS_OP_WARPGROUP) {
        /* The unit takes products in their order, so a wait that leaves some is over when the last
         * of them has begun. */
        for (unsigned k = 0; k < i->opnd_count; k++)
            if (i->opnd[k].kind == SASS_OPND_INT && !i->opnd[k].imm) o->waits |= 1u << PRODUCTS;
    } else if (i->op == SASS_OP_DEPBAR) {
        o->kind = TIME_WAIT;
        for (unsigned k = 0; k < i->opnd_count; k++)
            if (i->opnd[k].kind == SASS_OPND_INT) o->amount = (uint8_t)i->opnd[k].imm;
    }
}

static void count_banks(const uint64_t r[4], uint8_t banks[2]) {
    const uint64_t even = 0x5555555555555555;
    for (unsigned k = 0; k < 4; k++) {
        banks[0] = (uint8_t)(banks[0] + __builtin_popcountll(r[k] & even));
        banks[1] = (uint8_t)(banks[1] + __builtin_popcountll(r[k] & ~even));
    }
}

/* Returns the n-th source in the order written, also an immediate or a constant; NULL: none. */
static const sass_opnd *source_at(const sass_insn *i, unsigned n) {
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        bool source =
            o->role == SASS_USE &&
            (o->kind == SASS_OPND_REG || o->kind == SASS_OPND_UREG || o->kind == SASS_OPND_CONST ||
             o->kind == SASS_OPND_INT || o->kind == SASS_OPND_FLOAT);
        if (source && !n--) return o;
    }
    return NULL;
}

/* The operand cache of an instruction: 32-bit units have one, double units another. Other
 * instructions have none; a store, which reads what it stores, empties both. */
enum { CACHE_32, CACHE_64, CACHES };
static unsigned cache_of(const sass_insn *i) {
    switch (pipe_of(i)) {
    case TIME_PIPE_FMA:
    case TIME_PIPE_ALU:
    case TIME_PIPE_IMUL:
    case TIME_PIPE_HALF: return CACHE_32;
    case TIME_PIPE_FP64: return CACHE_64;
    default: return CACHES;
    }
}

/* Finds the registers that the instruction reads, by their banks, and those of them that `before`,
 * the previous instruction with the same cache in the text, left in the cache: each source position
 * has its own place. */
static void registers_read(const sass_insn *before, const sass_insn *i, time_op *o) {
    enum { PLACES = 3 };
    sass_regs all = {0};
    uint64_t kept[4] = {0};
    sass_uses(i, &all);
    count_banks(all.r, o->reads);
    for (unsigned k = 0; before && k < PLACES; k++) {
        const sass_opnd *a = source_at(before, k), *b = source_at(i, k);
        if (!a || !b || !a->reuse || a->kind != SASS_OPND_REG || b->kind != SASS_OPND_REG ||
            a->reg != b->reg)
            continue;
        for (unsigned r = b->reg; r < (unsigned)b->reg + b->width && r < SASS_NONE; r++)
            kept[r >> 6] |= (uint64_t)1 << (r & 63);
    }
    count_banks(kept, o->kept);
}

static void machine_op(const sim_profile *p, const sass_insn *i, time_op *o) {
    unsigned klass = sass_row_of((sass_op)i->op)->klass;
    o->slots = (float)(p->schedulers / p->issue_per_cycle);
    o->stall = i->control.stall;
    if (i->op == SASS_OP_WARPSYNC && (sass_has(i, "COLLECTIVE") || sass_has(i, "EXCLUSIVE")))
        o->stall = (uint8_t)(o->stall + p->part_cycles);
    o->waits = i->control.wait;
    o->sets = i->control.write_barrier;
    o->frees = i->control.read_barrier;
    switch (klass) {
    case SASS_ARITH: arithmetic(p, i, o); break;
    case SASS_MATRIX: product(p, i, o); break;
    case SASS_SPECIAL: across_lanes(p, i, o); break;
    case SASS_LOAD:
    case SASS_STORE:
    case SASS_ATOMIC:
    case SASS_REDUCTION:
    case SASS_COPY: memory(p, i, o); break;
    case SASS_TEXTURE:
        o->kind = TIME_TEX;
        o->flags |= TIME_EVENT;
        break;
    case SASS_BULK: bulk(i, o); break;
    default: control(p, i, klass, o);
    }
}

void time_machine_profile(const sim_profile *p, sim_profile *own) {
    *own = *p;
    own->lat_shared = p->lat_lds;
    own->lat_const = p->lat_ldc;
    own->lat_l1 = p->lat_ldg; /* textures keep the whole latency */
    if (p->lat_ldg > 0) own->tex_latency = (1 + p->tex_latency) * p->lat_l1 / p->lat_ldg - 1;
    own->lat_l2 = p->lat_ldg_l2;
    own->warp_start_cycles = p->warp_first_cycles;
}

time_code *time_code_machine(const sim_profile *profile, const sass_func *f) {
    time_code *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    uint32_t n = f->insn_count;
    const sim_profile *p = c->profile = c->own = malloc(sizeof *c->own);
    if (c->own) time_machine_profile(profile, c->own);
    c->op_count = n;
    c->region_count = f->block_count;
    c->reg_max = SCOREBOARDS;
    c->ops = calloc(n + 1, sizeof *c->ops);
    c->region_of = calloc(n + 1, sizeof *c->region_of);
    c->regions = calloc(f->block_count + 1, sizeof *c->regions);
    if (!p || !c->ops || !c->region_of || !c->regions) {
        time_code_free(c);
        return NULL;
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        const sass_block *b = &f->blocks[k];
        const sass_insn *before[CACHES + 1] = {0};
        time_region *r = &c->regions[k];
        const sass_opnd *to = sass_target(&f->insns[b->last]);
        *r = (time_region){.first = b->first,
                           .count = b->last - b->first + 1,
                           .loop = to && to->target == b->first};
        for (uint32_t x = b->first; x <= b->last; x++) {
            time_op *o = &c->ops[x];
            machine_op(p, &f->insns[x], o);
            unsigned cache = cache_of(&f->insns[x]);
            registers_read(cache < CACHES ? before[cache] : NULL, &f->insns[x], o);
            before[cache] = &f->insns[x];
            if (o->kind == TIME_STORE) memset(before, 0, sizeof before);
            o->pc = x;
            c->region_of[x] = k;
            if (o->kind == TIME_LOAD) o->load = ++c->load_count;
            if (o->flags & TIME_EVENT)
                o->event = (uint16_t)(r->event_count < UINT16_MAX ? r->event_count++ : UINT16_MAX);
        }
        if (r->event_count > c->events_max) c->events_max = r->event_count;
    }
    return c;
}

void time_code_free(time_code *c) {
    if (!c) return;
    free(c->ops);
    free(c->region_of);
    free(c->regions);
    free(c->own);
    free(c);
}

time_places *time_places_new(const time_code *c) {
    time_places *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->count = p->first = c->op_count;
    p->stall = calloc((size_t)p->count * SIM_STALL_COUNT + 1, sizeof *p->stall);
    p->caused = calloc((size_t)p->count + 1, sizeof *p->caused);
    p->issued = calloc((size_t)p->count + 1, sizeof *p->issued);
    p->spans = calloc(TIME_SPANS, sizeof *p->spans);
    if (p->stall && p->caused && p->issued && p->spans) return p;
    time_places_free(p);
    return NULL;
}

void time_places_free(time_places *p) {
    if (!p) return;
    free(p->stall);
    free(p->caused);
    free(p->issued);
    free(p->spans);
    free(p);
}

/* ---- traces ---- */

/* Returns whether the event belongs to the access, barrier or branch of the machine instruction.
 * Loads of constant operands, and the branches that restate a return, belong to none. */
static bool is_event_of(const time_op *o, const ptx_insn *i) {
    if (!(o->flags & TIME_EVENT)) return false;
    switch ((time_kind)o->kind) {
    case TIME_LOAD:
        return i->klass != PTX_CLASS_LOAD
                   ? i->op == PTX_OP_ldmatrix
                   : i->space != PTX_SPACE_CONST && i->space != PTX_SPACE_PARAM;
    case TIME_CONST: return i->klass == PTX_CLASS_LOAD && i->space == PTX_SPACE_CONST;
    case TIME_STORE: return i->klass == PTX_CLASS_STORE || ptx_op_is(i->op, PTX_IS_COPIES);
    case TIME_ATOM: return i->klass == PTX_CLASS_ATOM;
    case TIME_COPY: return i->klass == PTX_CLASS_ASYNC;
    case TIME_TELLS: return i->op == PTX_OP_cp_async_mbarrier_arrive;
    case TIME_MEETS: return i->klass == PTX_CLASS_ASYNC && !ptx_op_is(i->op, PTX_IS_COPIES);
    case TIME_LANDED: return i->klass == PTX_CLASS_BARRIER;
    case TIME_TEX: return i->klass == PTX_CLASS_TEX;
    case TIME_BARRIER:
    case TIME_ARRIVE: return i->klass == PTX_CLASS_BARRIER;
    case TIME_BRANCH: return i->klass == PTX_CLASS_BRANCH;
    case TIME_SLEEP: return i->op == PTX_OP_nanosleep;
    case TIME_SHUFFLE: return sim_trace_is_match(i);
    default: return false;
    }
}

time_machine_map *time_machine_map_new(const time_code *code, const ptx_func *f,
                                       const uint32_t *insn_of, uint32_t lines) {
    time_machine_map *m = calloc(1, sizeof *m);
    if (!m || f->insn_count > UINT16_MAX) {
        free(m);
        return NULL;
    }
    m->pcs = (uint32_t)f->insn_count;
    m->before = calloc(m->pcs + 1, sizeof *m->before);
    m->event = calloc(m->pcs + 1, sizeof *m->event);
    m->machine = calloc(m->pcs + 1, sizeof *m->machine);
    if (!m->before || !m->event || !m->machine) {
        time_machine_map_free(m);
        return NULL;
    }
    uint32_t last = UINT32_MAX, told = UINT32_MAX;
    for (uint32_t n = 0; n < m->pcs; n++) {
        const ptx_insn *i = &f->insns[n];
        uint32_t at = i->ptx_line && i->ptx_line <= lines ? insn_of[i->ptx_line - 1] : UINT32_MAX;
        m->before[n + 1] = m->before[n];
        if (at >= code->op_count) continue; /* code before the first instruction */
        if (at != last) m->machine[m->before[n + 1]++] = last = at;
        if (at == told || !is_event_of(&code->ops[at], i)) continue;
        m->event[n] = at + 1;
        told = at; /* one event an instruction */
    }
    return m;
}

void time_machine_map_free(time_machine_map *m) {
    if (!m) return;
    free(m->before);
    free(m->event);
    free(m->machine);
    free(m);
}

static void map_warp(const time_machine_map *m, sim_trace_warp *w) {
    if (!w->at.off) sim_trace_close_run(w);
    w->at.off = true;
    uint32_t runs = 0, events = 0;
    double recorded = 0, left = 0;
    for (uint32_t k = 0; k < w->at.run_count; k++) {
        const sim_trace_run r = w->runs[k];
        recorded += r.count;
        if (r.first > m->pcs || r.count > m->pcs - r.first) continue;
        uint32_t from = m->before[r.first], count = m->before[r.first + r.count] - from;
        if (!count) continue;
        left += count;
        uint32_t first = m->machine[from];
        sim_trace_run *before = runs ? &w->runs[runs - 1] : NULL;
        if (before && before->first + before->count == first) before->count += count;
        else w->runs[runs++] = (sim_trace_run){first, count};
    }
    for (uint32_t k = 0; k < w->at.event_count; k++) {
        sim_trace_event e = w->events[k];
        uint32_t at = e.pc_low < m->pcs ? m->event[e.pc_low] : 0;
        if (!at) continue;
        e.pc_low = (uint16_t)(at - 1);
        w->events[events++] = e;
    }
    w->at.run_count = runs;
    w->at.event_count = events;
    if (recorded > 0) w->at.steps = (uint64_t)((double)w->at.steps * left / recorded);
}

void time_machine_trace(const time_machine_map *m, sim_trace_block *b) {
    for (unsigned w = 0; w < b->warp_count; w++) map_warp(m, &b->warps[w]);
}

sim_trace *time_machine_trace_new(const sim_trace *like) {
    enum {
        /* PTX instructions for each machine instruction, and for each of the program's
         * instructions */
        ROOM = 4
    };
    sim_trace *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->blocks = calloc(like->block_count + 1, sizeof *t->blocks);
    bool ok = t->blocks != NULL;
    for (unsigned k = 0; ok && k < like->block_count; k++) {
        const sim_trace_block *from = &like->blocks[k];
        sim_trace_block *b = &t->blocks[k];
        *b = (sim_trace_block){.block = from->block, .warp_count = from->warp_count};
        b->warps = calloc(b->warp_count + 1, sizeof *b->warps);
        ok = b->warps != NULL;
        for (unsigned w = 0; ok && w < b->warp_count; w++)
            b->warps[w] = (sim_trace_warp){.at = {.first = UINT32_MAX,
                                                  .next = UINT32_MAX,
                                                  .room = from->warps[w].at.room * ROOM}};
        t->block_count = k + 1;
    }
    t->first_count = like->first_count;
    t->memory = like->memory;
    t->seed = like->seed;
    if (ok) return t;
    sim_trace_free(t);
    return NULL;
}
