/* The counters of a launch and of its source lines: how often segments were executed and what their
 * instructions count, and what accesses counted at their sites. */
#include "runner/device/sim/decode/decode.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/ptx/fragment.h"
#include "runner/device/sim/run/launch.h"
#include "runner/device/sim/slice/slice.h"
#include "runner/device/sim/special/devlib.h"
#include <stdlib.h>
#include <string.h>

/* One line for each position of the module that counted, found by the position's number; a source
 * line may have several positions. Without a line table: one for each line of the PTX. */
typedef struct {
    sim_line *lines;
    size_t count, cap;
    uint32_t *by_loc, *by_ptx; /* line + 1; 0: not yet known */
    uint32_t ptx_lines;
    const ptx_module *module;
    bool failed;
} line_table;

static uint32_t count_ptx_lines(const sim_image *im) {
    uint32_t most = 0;
    for (size_t k = 0; k < im->func_count; k++)
        for (size_t i = 0; i < im->funcs[k].ptx->insn_count; i++)
            if (im->funcs[k].ptx->insns[i].ptx_line > most)
                most = im->funcs[k].ptx->insns[i].ptx_line;
    return most + 1;
}

static bool lines_open(line_table *t, const sim_image *im) {
    *t = (line_table){.module = im->module, .ptx_lines = count_ptx_lines(im)};
    t->by_loc = calloc(im->module->loc_count + 1, sizeof *t->by_loc);
    t->by_ptx = calloc(t->ptx_lines, sizeof *t->by_ptx);
    return t->by_loc && t->by_ptx;
}

static sim_counters *count_line(line_table *t, uint32_t loc, uint32_t ptx_line) {
    sim_line at = {.file = ""};
    if (loc >= t->module->loc_count) loc = 0;
    uint32_t *place = loc ? &t->by_loc[loc] : &t->by_ptx[ptx_line < t->ptx_lines ? ptx_line : 0];
    if (*place) return &t->lines[*place - 1].counters;
    if (loc) ptx_source(t->module, loc, &at.file, &at.line);
    if (!at.line) at = (sim_line){.file = "", .line = ptx_line}; /* gives the position in the PTX */
    if (!lib_grow(&t->lines, &t->cap, t->count, sizeof *t->lines, 64)) {
        t->failed = true;
        return NULL;
    }
    t->lines[t->count++] = at;
    *place = (uint32_t)t->count;
    return &t->lines[t->count - 1].counters;
}

static int count_by_place(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* Sorts the lines in the order of the text and merges equal ones. */
static void lines_close(line_table *t, sim_result *res) {
    if (t->count) qsort(t->lines, t->count, sizeof *t->lines, count_by_place);
    size_t n = 0;
    for (size_t k = 0; k < t->count; k++) {
        if (n && !count_by_place(&t->lines[n - 1], &t->lines[k]))
            sim_counters_add(&t->lines[n - 1].counters, &t->lines[k].counters);
        else t->lines[n++] = t->lines[k];
    }
    free(t->by_loc);
    free(t->by_ptx);
    /* A log keeps them for thousands of launches. */
    sim_line *fit = n ? realloc(t->lines, n * sizeof *fit) : NULL;
    res->lines = fit ? fit : t->lines;
    res->line_count = n;
}

/* Divisions that the assembler turns into a sequence: `/` and `%` as nvcc writes them, also 1/x
 * (rcp.rn). An integer division by a constant is no longer a division. __fdividef and
 * -prec-div=false are div.approx and div.full, of class SFU: a few instructions around one of the
 * special-function unit. */
static bool count_is_division(const ptx_insn *p) {
    bool exact =
        p->klass == PTX_CLASS_IDIV || p->klass == PTX_CLASS_FDIV || p->klass == PTX_CLASS_DDIV;
    return exact && (p->op == PTX_OP_div || p->op == PTX_OP_rem || p->op == PTX_OP_rcp);
}

/* Adds one PTX instruction, executed by `warps` warps with `lanes` active lanes, of which `on`
 * passed its guard. */
static void count_insn(sim_counters *c, const ptx_insn *p, uint64_t warps, uint64_t lanes,
                       uint64_t on) {
    c->warp_inst += warps;
    c->thread_inst += lanes;
    c->idle_lanes += warps * SIM_WARP_LANES - on;
    c->inst_div += count_is_division(p) ? on : 0;
    unsigned flops = p->op == PTX_OP_fma || p->op == PTX_OP_mad ? 2
                     : p->op == PTX_OP_add || p->op == PTX_OP_sub || p->op == PTX_OP_mul ||
                             p->op == PTX_OP_div || p->op == PTX_OP_sqrt || p->op == PTX_OP_rcp ||
                             p->op == PTX_OP_rsqrt
                         ? 1
                         : 0;
    switch (p->klass) {
    case PTX_CLASS_INT:
    case PTX_CLASS_IMUL:
    case PTX_CLASS_IMUL64:
    case PTX_CLASS_IDIV:
    case PTX_CLASS_SHIFT:
    case PTX_CLASS_BITCOUNT:
    case PTX_CLASS_VIDEO: c->inst_int += on; break;
    case PTX_CLASS_FP16:
        c->inst_fp16 += on;
        c->flop_hp += on * flops * (ptx_type_size((ptx_type)p->type[0]) == 4 ? 2 : 1);
        break;
    case PTX_CLASS_FP32:
    case PTX_CLASS_FDIV:
        c->inst_fp32 += on;
        c->flop_sp += on * flops;
        break;
    case PTX_CLASS_FP64:
    case PTX_CLASS_DDIV:
        c->inst_fp64 += on;
        c->flop_dp += on * flops;
        break;
    case PTX_CLASS_SFU:
        c->inst_sfu += on;
        c->flop_sp += p->type[0] == PTX_F32 ? on * flops : 0;
        c->flop_dp += p->type[0] == PTX_F64 ? on * flops : 0;
        break;
    case PTX_CLASS_CONVERT: c->inst_convert += on; break;
    case PTX_CLASS_SHUFFLE:
        if (p->op != PTX_OP_activemask && p->op != PTX_OP_bar_warp_sync) c->shuffles += warps;
        break;
    case PTX_CLASS_BARRIER:
        if (sim_decode_end(p) == SIM_END_BAR) c->barriers += warps;
        break;
    default: break;
    }
}

/* Returns whether it moves the phase of an mbarrier. */
static bool count_moves_phase(const ptx_insn *p) {
    return (ptx_op_is(p->op, PTX_IS_ARRIVES) && sim_decode_end(p) != SIM_END_BAR) ||
           p->op == PTX_OP_cp_async_mbarrier_arrive || p->op == PTX_OP_mbarrier_expect_tx ||
           p->op == PTX_OP_mbarrier_complete_tx || p->op == PTX_OP_st_async ||
           p->op == PTX_OP_red_async || p->flags >> PTX_F_mbarrier_complete_tx & 1;
}

/* Returns the floating-point operations of one lane that belong to no class of arithmetic: those of
 * atomics, and its part of a matrix product. */
static uint64_t count_other_flops(const ptx_insn *p) {
    if (!p->ntypes || !ptx_type_is_float((ptx_type)p->type[0])) return 0;
    if (p->klass == PTX_CLASS_ATOM) return p->field[PTX_FIELD_VEC] ? p->field[PTX_FIELD_VEC] : 1;
    if (p->klass != PTX_CLASS_TENSOR) return 0;
    ptx_fragment_shape s = ptx_fragment_shape_of(p);
    return (uint64_t)s.m * s.n * s.k / SIM_WARP_LANES;
}

/* Adds, by the mnemonic, instructions that order threads (besides the block's barriers), that
 * allocate, and atomics. */
static void count_op(sim_counters *c, const ptx_insn *p, uint64_t warps, uint64_t on) {
    uint64_t some = on < warps ? on : warps; /* in warps; for a guard that one lane passes, fewer */
    switch (p->op) {
    case PTX_OP_barrier_cluster_wait: c->cluster_barriers += some; break;
    case PTX_OP_bar_warp_sync: c->warp_barriers += some; break;
    case PTX_OP_sured_b: c->surface_atomics += on; break;
    case PTX_OP_call:
        if (p->opnd[1].kind == PTX_OPND_FUNC && p->opnd[1].func && !p->opnd[1].func->has_body &&
            sim_builtin_allocates(p->opnd[1].func->name))
            c->heap_allocs += on;
        break;
    default: break;
    }
    if (count_moves_phase(p)) {
        c->mbarriers += some;
        c->mbarrier_lanes += on;
    }
    uint64_t other = on * count_other_flops(p);
    c->fp_other += other;
    if (p->type[0] == PTX_F64) c->fp64_other += p->klass == PTX_CLASS_SFU ? on : other;
}

/* Adds what the end of a segment counts: where its warps go. */
static void count_end(sim_counters *c, const sim_seg *s, const sim_seg_count *n) {
    if (s->end == SIM_END_CBRA || s->end == SIM_END_BRX) {
        c->branches = n->warps;
        c->divergent_branches = n->split;
        c->divergent_branches_machine = s->machine || s->end == SIM_END_BRX ? n->split : 0;
    }
    if (s->end == SIM_END_CALL || (s->guarded && (s->end == SIM_END_RET || s->end == SIM_END_EXIT)))
        c->function_calls = n->warps;
    c->divergent_calls = n->parted;
}

/* Makes a row for each instruction; `rows` has room for all. */
static void count_ptx_function(const sim_run_state *r, const sim_func *f, sim_ptx_count *rows) {
    for (size_t p = 0; p < f->ptx->insn_count; p++) {
        const ptx_insn *i = &f->ptx->insns[p];
        rows[p] = (sim_ptx_count){.ptx_line = i->ptx_line, .file = ""};
        if (i->loc && i->loc < r->image->module->loc_count)
            ptx_source(r->image->module, i->loc, &rows[p].file, &rows[p].line);
    }
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *s = &f->segs[k];
        uint64_t warps = 0, lanes = 0;
        for (unsigned x = 0; x < r->worker_count; x++) {
            warps += r->workers[x].segs[s->id].warps;
            lanes += r->workers[x].segs[s->id].lanes;
        }
        for (uint32_t p = s->ptx_first; p < s->ptx_first + s->ptx_count; p++) {
            uint64_t on = f->guard_of[p] ? 0 : lanes;
            for (unsigned x = 0; f->guard_of[p] && x < r->worker_count; x++)
                on += r->workers[x].guards[f->guard_of[p]];
            rows[p].warps = warps;
            rows[p].lanes = warps ? on : 0;
        }
    }
}

/* Returns false if memory is out. */
static bool count_ptx(const sim_run_state *r, sim_result *res) {
    const sim_image *im = r->image;
    size_t n = 0;
    for (size_t k = 0; k < im->func_count; k++) n += im->funcs[k].ptx->insn_count;
    res->ptx = calloc(n + 1, sizeof *res->ptx);
    if (!res->ptx) return false;
    for (size_t k = 0; k < im->func_count; k++) {
        count_ptx_function(r, &im->funcs[k], res->ptx + res->ptx_count);
        res->ptx_count += im->funcs[k].ptx->insn_count;
    }
    return true;
}

static void count_function(const sim_run_state *r, const sim_func *f, sim_counters *total,
                           line_table *lines) {
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *s = &f->segs[k];
        sim_seg_count n = {0};
        for (unsigned x = 0; x < r->worker_count; x++) {
            const sim_seg_count *c = &r->workers[x].segs[s->id];
            n.warps += c->warps;
            n.lanes += c->lanes;
            n.split += c->split;
            n.parted += c->parted;
        }
        if (!n.warps) continue;
        if (s->looks) total->flag_waits += n.warps;
        for (uint32_t p = s->ptx_first; p < s->ptx_first + s->ptx_count; p++) {
            const ptx_insn *i = &f->ptx->insns[p];
            uint64_t on = n.lanes;
            if (f->guard_of[p]) {
                on = 0;
                for (unsigned x = 0; x < r->worker_count; x++)
                    on += r->workers[x].guards[f->guard_of[p]];
            }
            sim_counters c = {0};
            count_insn(&c, i, n.warps, n.lanes, on);
            count_op(&c, i, n.warps, on);
            if (p + 1 == s->ptx_first + s->ptx_count) count_end(&c, s, &n);
            sim_counters_add(total, &c);
            sim_counters *l = lines ? count_line(lines, i->loc, i->ptx_line) : NULL;
            if (l) sim_counters_add(l, &c);
            if (r->slicing) sim_slicing_count(r->slicing, sim_slicing_insn(r->slicing, f, p), &c);
        }
    }
}

void sim_lanes(const sim_run_state *r, float *by_pc) {
    for (size_t k = 0; k < r->image->func_count; k++) {
        const sim_func *f = &r->image->funcs[k];
        size_t base = f->pc_base;
        for (uint32_t s = 0; s < f->seg_count; s++) {
            uint64_t warps = 0, lanes = 0;
            for (unsigned x = 0; x < r->worker_count; x++) {
                warps += r->workers[x].segs[f->segs[s].id].warps;
                lanes += r->workers[x].segs[f->segs[s].id].lanes;
            }
            for (uint32_t n = 0; warps && n < f->segs[s].ptx_count; n++)
                by_pc[base + f->segs[s].ptx_first + n] =
                    (float)((double)lanes / (double)warps / SIM_WARP_LANES);
        }
    }
}

bool sim_collect(const sim_run_state *r, sim_result *res) {
    const sim_image *im = r->image;
    line_table lines = {0};
    bool want = r->device->options.count_lines, ok = !want || lines_open(&lines, im);
    sim_counters *c = &res->counters;
    for (size_t k = 0; ok && k < im->func_count; k++)
        count_function(r, &im->funcs[k], c, want ? &lines : NULL);
    for (const sim_site_list *s = im->sites; ok && s; s = s->next) {
        sim_counters one = {0};
        for (unsigned x = 0; x < r->worker_count; x++)
            sim_access_count(r->workers[x].access, &s->site, &one);
        sim_counters_add(c, &one);
        sim_counters *l = want ? count_line(&lines, s->site.loc, s->site.ptx_line) : NULL;
        if (l) sim_counters_add(l, &one);
        if (r->slicing) sim_slicing_count(r->slicing, sim_slicing_site(r->slicing, &s->site), &one);
    }
    if (r->slicing) sim_slicing_crews(r->slicing);
    if (r->slicing) res->slices = sim_slicing_take(r->slicing, &res->slice_count);
    for (unsigned x = 0; ok && x < r->worker_count; x++) {
        c->mbarrier_waits += r->workers[x].mbarrier_waits;
        c->polled_loads += r->workers[x].polled_loads;
        c->flag_waits -= r->workers[x].looks_again;
        c->fp_other += r->workers[x].fp_other;
        c->fp64_other += r->workers[x].fp64_other;
    }
    if (ok) sim_access_launch_count(r->access, c);
    lines_close(&lines, res);
    if (ok && r->device->options.count_ptx) ok = count_ptx(r, res);
    return ok && !lines.failed;
}
