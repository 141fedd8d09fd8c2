/* The focus's block as machine code. See debug.h.
 *
 *   sim_debug_machine() --the launch goes back to the block's start--> debug_machine_record()
 *     --run/: the block once more, as machine code--> debug_machine_look(): one record an
 *       instruction of a warp
 *   registers: the block runs again up to the record, and they are copied there
 *
 * A record is made before the instruction is executed. The machine code runs as the PTX that
 * restates it (translate/), whose registers have the machine's names: %r4, %u4, %p0, %h0. */
#include "runner/device/sim/debug/debug_internal.h"
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/device/sim/module/twin.h"
#include "words/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGS = 256, PREDS = 8, LANES = SIM_WARP_LANES };
/* 64 MB of records */
#define MOST_RECORDS (1u << 22)

typedef struct {
    uint32_t insn, mask, on, warp;
} machine_record;

/* Index of each register among those of the restating PTX; -1: it has none. */
typedef struct {
    int32_t r[REGS], u[REGS], p[PREDS], h[PREDS];
} machine_names;

typedef struct {
    uint32_t r[REGS][LANES], u[REGS][LANES], p[PREDS][LANES], h[PREDS][LANES];
} machine_values;

struct debug_machine {
    sim_debug_hot hot; /* of the block's own run; first: hook.h */
    const sim_twin *twin;
    machine_names names;
    bool named;
    /* a run: records everything, or copies the registers before record `until` */
    machine_values *values;
    uint64_t until, ticks;
    machine_record *records;
    size_t count, room;
    bool full, no_memory;
    lib_message end; /* sim_debug_machine_end() */
    bool ready;
    lib_message why; /* if not */
    size_t at;       /* record of the place */
    uint64_t tick;   /* of the launch, before all this */
    uint32_t focus;
    char *file;
    unsigned line;
};

void debug_machine_free(sim_debug *d) {
    if (!d->machine) return;
    free(d->machine->records);
    free(d->machine->file);
    free(d->machine);
    d->machine = NULL;
}

/* ---- asking ---- */

/* As sim_debug_go_to(). */
static void machine_go_to(sim_debug *d, uint64_t tick) {
    d->went = true;
    d->go_tick = tick;
}

void sim_debug_machine_from(sim_debug *d, sim_debug_machine_text *read, const char *program) {
    d->machine_read = read;
    d->machine_program = program;
}

/* Disassembling takes a third of a second, so it waits until somebody wants to look. */
static void machine_get_text(const sim_debug *d) {
    sim_module *m = d->run->kernel->module;
    if (m->machine_text || m->machine_known || !m->cubin || !d->machine_read) return;
    m->machine_text = d->machine_read(d->machine_program, m->cubin, m->cubin_len, &m->machine_len);
}

bool sim_debug_machine(sim_debug *d, lib_message *msg) {
    debug_here h;
    d->level = 0;
    if (!d->run || !debug_scope(d, &h)) {
        lib_message_set(msg, w_debug_machine_no_thread());
        return false;
    }
    machine_get_text(d);
    if (!d->machine_run(d->run, 0, NULL, msg)) return false;
    if (!d->kept || d->began_block != d->block->linear) {
        lib_message_set(msg, d->kept ? w_debug_machine_waits() : w_debug_machine_not_kept());
        return false;
    }
    debug_machine_free(d);
    d->machine = calloc(1, sizeof *d->machine);
    if (!d->machine) return false;
    debug_machine *m = d->machine;
    const char *file;
    debug_line(d, h.func, h.insn, &file, &m->line);
    m->file = lib_strdup(file);
    m->tick = d->hot.tick;
    m->focus = d->focus_thread;
    d->machine_asked = true;
    machine_go_to(d, d->began_tick);
    return true;
}

bool sim_debug_machine_ready(const sim_debug *d, lib_message *msg) {
    const debug_machine *m = d->machine;
    if (m && m->ready) return true;
    if (m) *msg = m->why;
    return false;
}

void sim_debug_machine_leave(sim_debug *d) {
    d->focus_thread = d->machine->focus;
    machine_go_to(d, d->machine->tick);
}

const lib_message *sim_debug_machine_end(const sim_debug *d) {
    return lib_message_any(&d->machine->end) ? &d->machine->end : NULL;
}

/* ---- the block's own run ---- */

static void machine_find_names(debug_machine *m, const ptx_func *f) {
    memset(&m->names, 0xff, sizeof m->names);
    m->named = true;
    for (uint32_t k = 0; k < f->reg_count; k++) {
        const char *name = f->reg_name[k] + (*f->reg_name[k] == '%');
        char *end;
        unsigned long n = strtoul(name + 1, &end, 10);
        if (*end || end == name + 1) continue;
        if (*name == 'r' && n < REGS) m->names.r[n] = (int32_t)k;
        if (*name == 'u' && n < REGS) m->names.u[n] = (int32_t)k;
        if (*name == 'p' && n < PREDS) m->names.p[n] = (int32_t)k;
        if (*name == 'h' && n < PREDS) m->names.h[n] = (int32_t)k;
    }
}

static uint32_t machine_value(const debug_here *h, int32_t reg, unsigned lane) {
    uint64_t bits;
    return reg >= 0 && debug_register(h, (uint32_t)reg, lane, &bits) ? (uint32_t)bits : 0;
}

static void machine_copy(debug_machine *m, const debug_here *h) {
    const machine_names *n = &m->names;
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned k = 0; k < REGS; k++) {
            m->values->r[k][lane] = machine_value(h, n->r[k], lane);
            m->values->u[k][lane] = machine_value(h, n->u[k], lane);
        }
        for (unsigned k = 0; k < PREDS; k++) {
            m->values->p[k][lane] = machine_value(h, n->p[k], lane);
            m->values->h[k][lane] = machine_value(h, n->h[k], lane);
        }
    }
}

/* Returns the lanes of the mask in which the instruction's guard holds. */
static uint32_t machine_on(const debug_machine *m, const debug_here *h, const sass_insn *i) {
    if (i->guard == SASS_PT) return i->guard_not ? 0 : h->mask;
    const int32_t *regs = i->guard_uniform ? m->names.h : m->names.p;
    uint32_t on = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        on |= (uint32_t)(machine_value(h, regs[i->guard & 7], lane) != i->guard_not) << lane;
    return on & h->mask;
}

static bool machine_stop(sim_warp *w) {
    w->stop = true;
    w->block->failed = true;
    w->block->status = SIM_CANCELLED;
    return false;
}

bool debug_machine_look(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn) {
    debug_machine *m = (debug_machine *)(void *)d;
    const time_machine_map *map = m->twin->map;
    if (fn->index || insn >= map->pcs || map->before[insn + 1] == map->before[insn]) return true;
    debug_here h = {w, fn, insn, w->mask, w->frame};
    uint32_t at = map->machine[map->before[insn]];
    if (!m->named) machine_find_names(m, fn->ptx);
    if (m->values) {
        if (m->ticks++ < m->until) return true;
        machine_copy(m, &h);
        return machine_stop(w);
    }
    m->full = m->count == MOST_RECORDS;
    m->no_memory = !m->full && !lib_grow(&m->records, &m->room, m->count, sizeof *m->records, 4096);
    if (m->full || m->no_memory) return machine_stop(w);
    m->records[m->count++] =
        (machine_record){at, h.mask, machine_on(m, &h, &m->twin->func->insns[at]), w->index};
    return true;
}

/* Executes the block; `values`: only up to record `until`, and copies the registers there. */
static bool machine_run(const sim_debug *d, machine_values *values, uint64_t until,
                        lib_message *msg) {
    debug_machine *m = d->machine;
    m->hot = (sim_debug_hot){.machine = true};
    m->values = values;
    m->until = until;
    m->ticks = 0;
    bool ran = d->machine_run(d->run, d->began_block, (sim_debug *)(void *)m, msg);
    m->values = NULL;
    return ran;
}

/* ---- places ---- */

static bool machine_mine(const sim_debug *d, size_t k) {
    const machine_record *r = &d->machine->records[k];
    return r->warp == d->focus_thread / LANES && r->mask >> d->focus_thread % LANES & 1;
}

static const sass_insn *machine_insn(const debug_machine *m, size_t k) {
    return &m->twin->func->insns[m->records[k].insn];
}

/* The source line that ptx_source() would say, too. */
static const char *machine_line(const debug_machine *m, const sass_insn *i, unsigned *line) {
    const sass_module *code = m->twin->owner;
    const sass_place *p = &code->places[i->place];
    while (p->at && p->at < code->place_count && p != &code->places[p->at])
        p = &code->places[p->at];
    *line = p->line;
    return p->file ? p->file : "";
}

static const char *machine_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool machine_same_line(const debug_machine *m, size_t a, size_t b) {
    unsigned x, y;
    const char *f = machine_line(m, machine_insn(m, a), &x),
               *g = machine_line(m, machine_insn(m, b), &y);
    return x == y && !strcmp(f, g);
}

/* Finds the focus's next record after `from`, or its previous one. */
static bool machine_next(const sim_debug *d, bool back, size_t from, size_t *to) {
    const debug_machine *m = d->machine;
    for (size_t k = from; back ? k-- > 0 : ++k < m->count;)
        if (machine_mine(d, k)) {
            *to = k;
            return true;
        }
    return false;
}

/* Returns whether the record is of an instruction at the address, or of the line. */
static bool machine_is_at(const debug_machine *m, size_t k, const char *file, bool line,
                          unsigned at) {
    unsigned own;
    const sass_insn *i = machine_insn(m, k);
    const char *f = machine_line(m, i, &own);
    if (!line) return i->address == at;
    return own == at && (!file || !strcmp(machine_base(file), machine_base(f)));
}

static void machine_begin(sim_debug *d) {
    debug_machine *m = d->machine;
    size_t first = SIZE_MAX;
    for (size_t k = 0; k < m->count; k++) {
        if (!machine_mine(d, k)) continue;
        if (first == SIZE_MAX) first = k;
        if (!m->line || !machine_is_at(m, k, m->file, true, m->line)) continue;
        first = k;
        break;
    }
    m->ready = first != SIZE_MAX;
    m->at = m->ready ? first : 0;
    if (!m->ready) lib_message_set(&m->why, w_debug_machine_no_thread());
}

void debug_machine_record(sim_debug *d) {
    debug_machine *m = d->machine;
    m->twin = d->run->kernel->twin;
    d->block = d->here.warp->block;
    bool ran = machine_run(d, NULL, 0, &m->end);
    if (!ran || m->no_memory) {
        m->why = m->end;
        if (ran) lib_message_set(&m->why, w_debug_machine_no_memory());
        return;
    }
    if (m->full) lib_message_set(&m->end, w_debug_machine_full(MOST_RECORDS));
    machine_begin(d);
}

/* Behind a call: the instruction that follows it in the code. */
static bool machine_over(const sim_debug *d, size_t *to) {
    const debug_machine *m = d->machine;
    const sass_insn *i = machine_insn(m, m->at);
    if (sass_row_of((sass_op)i->op)->klass != SASS_CALL) return machine_next(d, false, m->at, to);
    for (*to = m->at; machine_next(d, false, *to, to);)
        if (m->records[*to].insn == m->records[m->at].insn + 1) return true;
    return false;
}

static bool machine_to_line(const sim_debug *d, size_t *to) {
    const debug_machine *m = d->machine;
    for (*to = m->at; machine_next(d, false, *to, to);) {
        unsigned line;
        machine_line(m, machine_insn(m, *to), &line);
        if (line && !machine_same_line(m, *to, m->at)) return true;
    }
    return false;
}

static bool machine_back_line(const sim_debug *d, size_t *to) {
    size_t before;
    if (!machine_next(d, true, d->machine->at, to)) return false;
    while (machine_next(d, true, *to, &before) && machine_same_line(d->machine, before, *to))
        *to = before;
    return true;
}

static bool machine_outermost(const sim_debug *d, bool back, size_t *to) {
    *to = d->machine->at;
    while (machine_next(d, back, *to, to)) continue;
    return true;
}

bool sim_debug_machine_go(sim_debug *d, sim_machine_go how) {
    size_t to = d->machine->at;
    bool ok = false;
    switch (how) {
    case SIM_MACHINE_STEP: ok = machine_next(d, false, to, &to); break;
    case SIM_MACHINE_NEXT: ok = machine_over(d, &to); break;
    case SIM_MACHINE_LINE: ok = machine_to_line(d, &to); break;
    case SIM_MACHINE_BACK: ok = machine_next(d, true, to, &to); break;
    case SIM_MACHINE_BACK_LINE: ok = machine_back_line(d, &to); break;
    case SIM_MACHINE_FIRST: ok = machine_outermost(d, true, &to); break;
    case SIM_MACHINE_LAST: ok = machine_outermost(d, false, &to); break;
    }
    if (ok) d->machine->at = to;
    return ok;
}

bool sim_debug_machine_to(sim_debug *d, bool back, bool line, unsigned at) {
    debug_machine *m = d->machine;
    for (size_t k = m->at; machine_next(d, back, k, &k);)
        if (machine_is_at(m, k, NULL, line, at)) {
            m->at = k;
            return true;
        }
    return false;
}

void sim_debug_machine_follow(sim_debug *d) {
    debug_machine *m = d->machine;
    if (machine_mine(d, m->at)) return;
    if (!machine_next(d, false, m->at, &m->at)) machine_next(d, true, m->at, &m->at);
}

/* ---- what is there ---- */

/* Copies the text; an address replaces the label of a target in this function. */
static void machine_text(const debug_machine *m, const sass_insn *i, char *to, size_t n) {
    const sass_func *f = m->twin->func;
    const char *label = strstr(i->text, "`(");
    const sass_opnd *o = NULL;
    for (unsigned k = 0; label && k < i->opnd_count; k++)
        if (i->opnd[k].kind == SASS_OPND_LABEL && i->opnd[k].target < f->insn_count)
            o = &i->opnd[k];
    bool near = o && o->func != SASS_ELSEWHERE && &m->twin->owner->funcs[o->func] == f;
    const char *end = near ? strchr(label, ')') : NULL;
    if (end)
        snprintf(to, n, "%.*s0x%x%s", (int)(label - i->text), i->text, f->insns[o->target].address,
                 end + 1);
    else snprintf(to, n, "%s", i->text);
}

static void machine_tell(const debug_machine *m, const sass_insn *i, sim_machine_insn *to) {
    const sass_control *c = &i->control;
    *to = (sim_machine_insn){.address = i->address,
                             .stall = c->stall,
                             .yield = c->yield,
                             .write_barrier = c->write_barrier,
                             .read_barrier = c->read_barrier,
                             .wait = c->wait};
    to->file = machine_line(m, i, &to->line);
    machine_text(m, i, to->text, sizeof to->text);
}

bool sim_debug_machine_place(const sim_debug *d, sim_machine_place *p) {
    const debug_machine *m = d->machine;
    if (!m || !m->ready) return false;
    const machine_record *r = &m->records[m->at];
    *p = (sim_machine_place){
        .warp = r->warp, .lane = d->focus_thread % LANES, .mask = r->mask, .on = r->on};
    machine_tell(m, machine_insn(m, m->at), &p->insn);
    debug_split(d->launch->grid, d->began_block, p->block);
    debug_split(d->launch->block, d->focus_thread, p->thread);
    for (size_t k = 0; k < m->count; k++) {
        if (!machine_mine(d, k)) continue;
        p->steps++;
        if (k <= m->at) p->step = p->steps;
    }
    return true;
}

void sim_debug_machine_code(const sim_debug *d, unsigned back, unsigned ahead,
                            void (*fn)(void *user, const sim_machine_insn *i, bool here),
                            void *user) {
    const debug_machine *m = d->machine;
    const sass_func *f = m->twin->func;
    uint32_t here = m->records[m->at].insn;
    for (uint32_t k = here > back ? here - back : 0; k < f->insn_count && k <= here + ahead; k++) {
        sim_machine_insn i;
        machine_tell(m, &f->insns[k], &i);
        fn(user, &i, k == here);
    }
}

void sim_debug_line_ptx(const sim_debug *d, const char *file, unsigned line,
                        void (*fn)(void *user, unsigned ptx_line, const char *text), void *user) {
    for (uint32_t k = 0; d->run && line && k < d->image->func_count; k++) {
        const sim_func *f = &d->image->funcs[k];
        for (uint32_t n = 0; n < f->ptx->insn_count; n++) {
            const char *own_file;
            unsigned own;
            char text[256];
            debug_line(d, f, n, &own_file, &own);
            if (own != line || strcmp(machine_base(own_file), machine_base(file))) continue;
            ptx_disassemble(f->ptx, &f->ptx->insns[n], text, sizeof text);
            fn(user, f->ptx->insns[n].ptx_line, text);
        }
    }
}

/* ---- registers ---- */

typedef struct {
    uint32_t r[REGS], u[REGS], p[PREDS], h[PREDS];
} machine_written;

static void machine_mark(uint32_t *written, const uint64_t set[4], uint32_t lanes) {
    for (unsigned word = 0; word < 4; word++)
        for (uint64_t left = set[word]; left; left &= left - 1)
            written[64 * word + (unsigned)__builtin_ctzll(left)] |= lanes;
}

/* Finds the lanes of the focus's warp that have written each register before the place. */
static void machine_find_written(const sim_debug *d, machine_written *to) {
    const debug_machine *m = d->machine;
    for (size_t k = 0; k < m->at; k++) {
        const machine_record *r = &m->records[k];
        sass_regs set = {0};
        if (r->warp != d->focus_thread / LANES) continue;
        sass_defs(machine_insn(m, k), &set);
        machine_mark(to->r, set.r, r->on);
        machine_mark(to->u, set.ur, r->on ? UINT32_MAX : 0);
        for (unsigned n = 0; n < PREDS; n++) {
            if (set.p >> n & 1) to->p[n] |= r->on;
            if (set.up >> n & 1 && r->on) to->h[n] = UINT32_MAX;
        }
    }
}

bool sim_debug_machine_registers(const sim_debug *d,
                                 void (*fn)(void *user, const char *name, const uint32_t *by_lane,
                                            uint32_t written),
                                 void *user) {
    const debug_machine *m = d->machine;
    machine_values *v = calloc(1, sizeof *v);
    machine_written *w = calloc(1, sizeof *w);
    lib_message ignored = {0};
    if (!v || !w) {
        free(v);
        free(w);
        return false;
    }
    bool ok = machine_run(d, v, m->at, &ignored);
    if (ok) machine_find_written(d, w);
    const struct {
        const char *name;
        unsigned count;
        const int32_t *there;
        uint32_t (*value)[LANES];
        const uint32_t *written;
    } kinds[] = {{"R", REGS, m->names.r, v->r, w->r},
                 {"UR", REGS, m->names.u, v->u, w->u},
                 {"P", PREDS, m->names.p, v->p, w->p},
                 {"UP", PREDS, m->names.h, v->h, w->h}};
    for (unsigned k = 0; ok && k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned n = 0; n < kinds[k].count; n++) {
            char name[16];
            if (kinds[k].there[n] < 0) continue;
            snprintf(name, sizeof name, "%s%u", kinds[k].name, n);
            fn(user, name, kinds[k].value[n], kinds[k].written[n]);
        }
    free(v);
    free(w);
    return ok;
}
