/* Turns: what one thread after another does while the others wait. Blocks run one after another
 * here and no thread waits, so a turn is recognised by the operations that take and give it:
 *
 *   a function --time_machine_roles()--> operations that take, give back, poll, pass on
 *   the replay --replay_turn()--> how long a turn takes (time_turns)
 *   that, times the number of turns --time_turns_cycles()--> a lower bound of the launch's time
 *
 * docs/model-tables.md, "Taking turns". */
#include "runner/device/sim/time/replay.h"
#include <math.h>

/* ---- roles ---- */

static bool is_volatile(const ptx_insn *i) {
    return i->field[PTX_FIELD_ORDER] > PTX_ORDER_weak;
}

static bool is_global(const ptx_insn *i) {
    return i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC;
}

/* Polls, and swaps, of a function for which partners are searched in the whole function. A longer
 * text is not searched completely, so that it does not take long. */
enum { PARTNERS_MOST = 256 };
static bool one_more(unsigned *left) {
    return *left && (*left)--;
}

/* Returns whether the register is an operand of a comparison by order. */
static bool compares_by_order(const ptx_insn *i, int32_t value) {
    unsigned how = i->field[PTX_FIELD_CMP];
    bool order =
        (how >= PTX_CMP_lt && how <= PTX_CMP_hs) || (how >= PTX_CMP_ltu && how <= PTX_CMP_geu);
    if (i->op != PTX_OP_setp || !order) return false;
    for (unsigned k = 1; k < i->nopnds; k++)
        if (i->opnd[k].kind == PTX_OPND_REG && i->opnd[k].reg == value) return true;
    return false;
}
static bool is_shared_atom(const ptx_insn *i, unsigned op) {
    return i->klass == PTX_CLASS_ATOM && i->space == PTX_SPACE_SHARED &&
           i->field[PTX_FIELD_ATOM] == op;
}
/* Its function, as text and as the PTX that restates it. That PTX has loops and tells what is
 * polled. */
typedef struct {
    time_code *code;
    const sass_func *f;
    const ptx_func *by;
    const uint32_t *insn_of;
    uint32_t lines;
} machine;

/* Returns the machine instruction of the n-th PTX instruction, if that is an access that may take
 * part; otherwise NULL. */
static time_op *machine_access(const machine *m, uint32_t n, uint32_t *at) {
    const ptx_insn *i = &m->by->insns[n];
    bool access = i->klass == PTX_CLASS_ATOM || i->klass == PTX_CLASS_LOAD ||
                  (i->klass == PTX_CLASS_STORE && is_volatile(i));
    if (!access || !i->ptx_line || i->ptx_line > m->lines) return NULL;
    *at = m->insn_of[i->ptx_line - 1];
    return *at < m->code->op_count ? &m->code->ops[*at] : NULL;
}

static bool in_loop(const ptx_func *f, uint32_t n) {
    return f->blocks[f->block_of[n]].loop_head >= 0;
}

/* ptxas's own loops in shared memory (SPIN) are replayed round by round. */
static void machine_locks(const machine *m, uint32_t n, uint32_t at, time_op *o, bool lock) {
    const ptx_insn *i = &m->by->insns[n];
    unsigned op = i->field[PTX_FIELD_ATOM];
    if (i->klass != PTX_CLASS_ATOM) return;
    if (is_global(i) && op == PTX_ATOM_cas) o->role = TIME_TAKES;
    if (is_global(i) && op == PTX_ATOM_exch) o->role = TIME_GIVES;
    if (is_shared_atom(i, PTX_ATOM_cas) && in_loop(m->by, n) && !lock &&
        !sass_has(&m->f->insns[at], "SPIN"))
        o->role = TIME_FIGHTS, m->code->fights = true;
}

/* Every store that others may poll could be the one that the next block waits for. */
static void machine_awaits(const machine *m, time_op *poll) {
    uint32_t to;
    poll->role = TIME_AWAITS;
    for (uint32_t n = 0; n < m->by->insn_count; n++) {
        const ptx_insn *i = &m->by->insns[n];
        time_op *o = i->klass == PTX_CLASS_STORE ? machine_access(m, n, &to) : NULL;
        if (o && is_global(i) && !o->role) o->role = TIME_HANDS;
    }
}

static void machine_poll(const machine *m, uint32_t at, time_op *poll) {
    sass_word word, other;
    uint32_t to;
    if (!sass_word_of(m->f, at, &word)) {
        machine_awaits(m, poll);
        return;
    }
    poll->role = TIME_ASKS;
    for (uint32_t n = 0; n < m->by->insn_count; n++) {
        const ptx_insn *i = &m->by->insns[n];
        time_op *o = i->klass == PTX_CLASS_LOAD ? NULL : machine_access(m, n, &to);
        if (!o || !is_global(i) || !sass_word_of(m->f, to, &other) || other.bank != word.bank ||
            other.at != word.at || other.plus != word.plus)
            continue;
        if (i->klass == PTX_CLASS_ATOM) poll->by_atomics = true;
        if (i->klass == PTX_CLASS_STORE || o->role == TIME_GIVES) o->role = TIME_PASSES;
    }
}

/* Returns whether two accesses have their addresses in the same registers. */
static bool same_address(const sass_func *f, uint32_t a, uint32_t b) {
    sass_access x[2], y[2];
    if (!sass_accesses(&f->insns[a], x) || !sass_accesses(&f->insns[b], y)) return false;
    const sass_opnd *p = &f->insns[a].opnd[x[0].opnd], *q = &f->insns[b].opnd[y[0].opnd];
    return p->base.reg == q->base.reg && p->ubase.reg == q->ubase.reg && p->imm == q->imm;
}

/* Finds the load of a word whose value a loop compares by order and swaps while it is behind: an
 * operand of a comparison by order is the value with which the swap
 * compares. */
static void machine_looks(const machine *m, uint32_t n, uint32_t at) {
    const ptx_insn *swap = &m->by->insns[n];
    const ptx_opnd *seen = swap->nopnds > 3 ? &swap->opnd[2] : NULL;
    bool ordered = false;
    uint32_t to;
    if (!seen || seen->kind != PTX_OPND_REG || !in_loop(m->by, n)) return;
    for (uint32_t k = 0; k < m->by->insn_count && !ordered; k++)
        ordered = compares_by_order(&m->by->insns[k], seen->reg);
    for (uint32_t k = 0; ordered && k < m->by->insn_count; k++) {
        const ptx_insn *i = &m->by->insns[k];
        time_op *o = i->klass == PTX_CLASS_LOAD && is_global(i) ? machine_access(m, k, &to) : NULL;
        if (!o || o->role || i->opnd[0].kind != PTX_OPND_REG || i->opnd[0].reg != seen->reg ||
            !same_address(m->f, at, to))
            continue;
        o->role = TIME_LOOKS;
        m->code->looks = true;
    }
}

/* Finds whether the function has loaded the word of an atomic whose result it needs: a load has its
 * address in the same registers. */
static void machine_reloads(const machine *m, uint32_t at, time_op *o) {
    uint32_t to;
    for (uint32_t n = 0; n < m->by->insn_count && !o->reloaded; n++) {
        const ptx_insn *i = &m->by->insns[n];
        bool load = i->klass == PTX_CLASS_LOAD && is_global(i) && machine_access(m, n, &to);
        o->reloaded = load && same_address(m->f, at, to);
    }
}

void time_machine_roles(time_code *c, const sass_func *f, const ptx_func *by,
                        const uint32_t *insn_of, uint32_t lines) {
    machine m = {c, f, by, insn_of, lines};
    unsigned polls = PARTNERS_MOST, swaps = PARTNERS_MOST, loads = PARTNERS_MOST;
    bool lock = false;
    uint32_t at;
    time_op *o;
    if (!by->blocks || !by->block_of) return;
    for (uint32_t n = 0; n < by->insn_count; n++)
        lock |= is_shared_atom(&by->insns[n], PTX_ATOM_exch);
    for (uint32_t n = 0; n < by->insn_count; n++)
        if ((o = machine_access(&m, n, &at))) machine_locks(&m, n, at, o, lock);
    for (uint32_t n = 0; n < by->insn_count; n++) {
        const ptx_insn *i = &by->insns[n];
        if (!is_global(i) || !(o = machine_access(&m, n, &at))) continue;
        bool poll =
            i->klass == PTX_CLASS_LOAD && is_volatile(i) && by->blocks[by->block_of[n]].polls;
        if (poll && one_more(&polls)) machine_poll(&m, at, o);
        if (o->flags & TIME_RESULT && one_more(&loads)) machine_reloads(&m, at, o);
        if (o->role == TIME_TAKES && one_more(&swaps)) machine_looks(&m, n, at);
    }
}

/* ---- turns ---- */

void replay_turn(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                 double at) {
    time_turns *t = &m->u->turns;
    double from = 0;
    switch ((time_role)o->role) {
    case TIME_ASKS: w->asked = at; return;
    case TIME_AWAITS: w->awaited = at; return;
    case TIME_HANDS:
        if (w->awaited > 0) t->steps++, t->step_cycles += at - w->awaited;
        w->awaited = 0;
        return;
    case TIME_TAKES:
        /* tried in vain: until it has the word, the turns are those of others */
        if (e->word && !(e->word & SIM_WORD_WRITES)) return;
        if (w->took <= 0) w->took = at;
        if (e->lanes > t->lanes) t->lanes = e->lanes;
        return;
    case TIME_GIVES: from = w->took; break;
    case TIME_PASSES: from = w->asked; break;
    case TIME_LOOKS:
    case TIME_FIGHTS:
    case TIME_NO_ROLE: return;
    }
    unsigned kind = o->kind == TIME_STORE;
    w->took = w->asked = 0;
    if (from <= 0) return;
    t->count[kind]++;
    t->warps += !w->turns;
    if (!w->turns) t->first[kind] += at - from, t->firsts[kind]++;
    else t->later[kind] += at - from;
    w->turns = true;
}

/* Threads that wait for a word request it again and again, and L2 takes one request after another.
 * If there are more requests than can be answered in the way to L2 and back, they queue, and so
 * does the request that gives back. */
static double queue_cycles(const sim_profile *p, double turns, double waiting) {
    if (turns <= 0) return 0;
    double mean = turns > waiting ? waiting * (1 - waiting / (2 * turns)) : turns / 2;
    double queue = mean * p->atom_global_ns * p->clock_ghz - p->lat_atom_global;
    return queue > 0 ? queue : 0;
}

/* The first turn of a warp finds the words in DRAM, the launch's others in L2. */
static double turn_cycles(const time_turns *t, unsigned kind) {
    double later = t->count[kind] - t->firsts[kind];
    return later > 0 ? t->later[kind] / later : t->first[kind] / t->firsts[kind];
}

double time_turns_cycles(const sim_profile *p, const time_launch *l, const time_usage *u,
                         double active) {
    const time_turns *t = &u->turns;
    double locks = 0, polls = 0, blocks = (double)l->grid_blocks,
           part = blocks > active ? active / blocks : 1;
    if (t->count[0] > 0 && l->swaps && !l->swappers) {
        double turns = l->swaps / 2.0, queue = queue_cycles(p, turns, l->holders * part);
        /* If several lanes of a warp try, the warp goes on when all of them have their answers. */
        locks = turns * (turn_cycles(t, 0) + queue * (t->lanes > 1 ? 2 : 1));
    }
    if (t->count[1] > 0 && u->blocks > 0) {
        double turns = t->count[1] * u->truncated / u->blocks * blocks,
               waiting = t->warps / u->blocks * blocks * part;
        /* Only one thread waits for this turn: on average, its request has gone half the way. */
        polls = turns * (turn_cycles(t, 1) + p->lat_l2 / 2 + queue_cycles(p, turns, waiting));
    }
    return replay_larger(locks, polls);
}

/* Blocks that start together and look back over windows of words find the last whole sum after as
 * many rounds as it takes until the sums from before have come so far: each round brings it on by a
 * window more than the one before. */
double time_chain_cycles(const sim_profile *p, const time_launch *l, const time_usage *u,
                         double active) {
    const time_turns *t = &u->turns;
    double part = (double)l->grid_blocks > active ? active / (double)l->grid_blocks : 1,
           steps = l->chain.words + sqrt(2 * l->chain.windows * part);
    /* The block that begins the chain asks nobody; it may be the only sampled one. */
    double step = t->steps > 0 ? t->step_cycles / t->steps : p->lat_l2;
    return steps * (step + p->chain_step * p->lat_l2);
}
