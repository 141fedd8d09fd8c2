/* Stops, steps, and going back. See debug.h.
 *
 * A run of the launch has a phase. FORWARD runs until something stops it. To go back, the launch
 * runs again: SCAN notes the last place before `until` at which it would have stopped, and a third
 * run goes there (GO_TO). RECORD notes which thread writes what on the way to the current place. A
 * finding is reported at the instruction after it is executed, so GO_TO returns to that
 * instruction. */
#include "runner/device/sim/debug/debug_internal.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

enum { MOST_RECORDED = 1 << 20 };

sim_debug *sim_debug_new(sim_debug_stopped *stopped, void *user) {
    sim_debug *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->stopped = stopped;
    d->user = user;
    d->stop_end = d->stop_findings = true;
    return d;
}

static void debug_free_marks(sim_debug *d) {
    for (size_t k = 0; k < d->mark_rows; k++) free(d->marks[k]);
    free(d->marks);
    d->marks = NULL;
    d->mark_rows = 0;
    d->image = NULL;
}

void sim_debug_free(sim_debug *d) {
    if (!d) return;
    debug_free_marks(d);
    debug_machine_free(d);
    free(d->findings);
    free(d->writers);
    dwarf_free(d->dwarf);
    free(d);
}

void sim_debug_stop_at(sim_debug *d, bool launch, bool end) {
    d->stop_launch = launch;
    d->stop_end = end;
}
void sim_debug_stop_at_findings(sim_debug *d, bool on) {
    d->stop_findings = on;
}
void sim_debug_rest(sim_debug *d, bool on) {
    d->phase = on ? PHASE_OFF : PHASE_FORWARD;
    d->aborted = false;
    d->launches = 0;
    atomic_store(&d->pause, false);
}
void sim_debug_pause(sim_debug *d) {
    atomic_store(&d->pause, true);
}
bool sim_debug_can_go_back(const sim_debug *d) {
    return d->kept != NULL;
}
uint64_t sim_debug_tick(const sim_debug *d) {
    return d->hot.tick;
}

/* ---- phases ---- */

static void debug_set_phase(sim_debug *d, debug_phase phase, uint64_t until) {
    static const struct {
        bool all; /* every instruction is checked */
        uint8_t look;
    } of[] = {[PHASE_FORWARD] = {false, SIM_MARK_BREAK | SIM_MARK_WRITE},
              [PHASE_SCAN] = {false, SIM_MARK_BREAK | SIM_MARK_WRITE},
              [PHASE_RECORD] = {false, SIM_MARK_WRITE},
              [PHASE_GO_TO] = {false, 0},
              [PHASE_OFF] = {false, 0}};
    d->phase = phase;
    d->until = until;
    d->hot.wake = until;
    d->hot.look = of[phase].look;
    bool watches = false;
    for (size_t k = 0; k < POINTS; k++) watches |= d->points[k].number && d->points[k].watch;
    if (phase != PHASE_RECORD && !watches) d->hot.look &= (uint8_t)~SIM_MARK_WRITE;
    if (phase == PHASE_FORWARD && d->step.how != SIM_GO_CONTINUE) d->hot.wake = 0;
    if (phase == PHASE_SCAN && d->scan != SIM_GO_REVERSE_CONTINUE) d->hot.wake = 0;
}

/* Runs the launch again, for `phase`. */
static void debug_run_again(sim_debug *d, debug_phase phase, uint64_t until) {
    d->again = d->stopping = true;
    d->step = (debug_step){.how = SIM_GO_CONTINUE};
    debug_set_phase(d, phase, until);
}

static void debug_begin_step(sim_debug *d, sim_go how) {
    debug_here h;
    unsigned level = d->level;
    d->level = 0;
    bool there = debug_scope(d, &h);
    d->level = level;
    d->step = (debug_step){.how = there ? how : SIM_GO_CONTINUE};
    if (!there) return;
    d->step.depth = h.frame->depth;
    debug_line(d, h.func, h.insn, &d->step.file, &d->step.line);
}

static void debug_begin_scan(sim_debug *d, sim_go how, bool at_end) {
    debug_here h;
    d->scan = how;
    d->found = d->found_finding = d->run_start = UINT64_MAX;
    d->last_line = 0;
    d->last_file = "";
    d->level = 0;
    d->last_depth = UINT32_MAX;
    /* Deeper frames are stepped over. */
    d->step.depth = debug_scope(d, &h) ? h.frame->depth : 0;
    uint32_t depth = d->step.depth;
    debug_run_again(d, PHASE_SCAN, at_end ? UINT64_MAX : d->hot.tick);
    d->step.depth = depth;
}

/* Does what the stop's owner has asked for. */
static void debug_apply(sim_debug *d, bool at_end) {
    uint64_t here = at_end ? UINT64_MAX : d->hot.tick;
    d->skip = here;
    d->level = 0;
    d->step = (debug_step){.how = SIM_GO_CONTINUE};
    if (d->recording || d->went) {
        bool recording = d->recording;
        d->arrive = recording          ? SIM_STOP_RECORDED
                    : d->machine_asked ? SIM_STOP_MACHINE
                                       : SIM_STOP_STEP;
        uint64_t to = recording ? here : d->go_tick;
        d->recording = d->went = d->machine_asked = false;
        if (!d->kept && to <= here) return;
        debug_run_again(d, recording ? PHASE_RECORD : PHASE_GO_TO, to);
        return;
    }
    switch (d->go) {
    case SIM_GO_STEP:
    case SIM_GO_NEXT:
    case SIM_GO_FINISH:
    case SIM_GO_STEPI: debug_begin_step(d, d->go); break;
    case SIM_GO_BACK:
    case SIM_GO_REVERSE_STEP:
    case SIM_GO_REVERSE_NEXT:
    case SIM_GO_REVERSE_CONTINUE:
        if (d->kept) debug_begin_scan(d, d->go, at_end);
        return;
    case SIM_GO_RESTART:
        d->arrive = SIM_STOP_START;
        if (d->kept) debug_run_again(d, PHASE_GO_TO, 0);
        return;
    case SIM_GO_TO_END:
        d->arrive = SIM_STOP_END;
        debug_set_phase(d, PHASE_GO_TO, UINT64_MAX);
        return;
    case SIM_GO_ABORT: d->aborted = d->stopping = true; /* fall through */
    case SIM_GO_FREE: debug_set_phase(d, PHASE_OFF, d->aborted ? 0 : UINT64_MAX); return;
    case SIM_GO_CONTINUE: break;
    }
    debug_set_phase(d, PHASE_FORWARD, UINT64_MAX);
}

/* ---- stops ---- */

/* Tells the owner, which looks around and says how to go on. */
static void debug_stop(sim_debug *d, sim_stop_reason reason, unsigned number, sim_status status) {
    const sim_launch *l = d->launch;
    sim_stop s = {.reason = reason,
                  .number = number,
                  .finding = d->shown,
                  .status = status,
                  .kernel = l->kernel->info.pretty,
                  .grid = {l->grid[0], l->grid[1], l->grid[2]},
                  .block = {l->block[0], l->block[1], l->block[2]},
                  .launch = d->launches};
    for (size_t k = 0; number && k < POINTS; k++)
        if (d->points[k].number == number) d->points[k].hits++;
    d->at_stop = true;
    d->level = 0;
    d->go = SIM_GO_CONTINUE;
    d->stopped(d->user, d, &s);
    debug_apply(d, reason == SIM_STOP_END || !d->here.warp);
    d->at_stop = false;
    d->shown = NULL;
}

static bool debug_give_up_run(const sim_debug *d, sim_warp *w) {
    if (!d->stopping) return true;
    w->stop = true;
    w->block->failed = true;
    w->block->status = SIM_CANCELLED;
    return false;
}

static void debug_take_focus(sim_debug *d, uint32_t lane) {
    d->focus_block = d->here.warp->block->linear;
    d->focus_thread = d->here.warp->index * SIM_WARP_LANES + lane;
    d->level = 0;
}

static bool debug_focus_runs(const sim_debug *d) {
    const sim_warp *w = d->here.warp;
    return w->block->linear == d->focus_block && w->index == d->focus_thread / SIM_WARP_LANES &&
           d->here.mask >> d->focus_thread % SIM_WARP_LANES & 1;
}

/* Keeps the focus, or moves it to a thread that is here. */
static void debug_focus_here(sim_debug *d) {
    if (!debug_focus_runs(d)) debug_take_focus(d, (unsigned)__builtin_ctz(d->here.mask));
}

/* Returns whether the stepped thread has reached the end of the step. */
static bool debug_step_done(sim_debug *d) {
    debug_step *s = &d->step;
    if (!debug_focus_runs(d)) return false;
    const char *file;
    unsigned line;
    uint32_t depth = d->here.frame->depth;
    debug_line(d, d->here.func, d->here.insn, &file, &line);
    switch (s->how) {
    case SIM_GO_STEPI: return true;
    case SIM_GO_FINISH: return depth < s->depth;
    case SIM_GO_NEXT:
        if (depth > s->depth) return false;
        break;
    case SIM_GO_STEP:
        if (depth > s->depth) return line && !debug_in_prologue(d, d->here.func, d->here.insn);
        break;
    default: return false;
    }
    if (depth < s->depth) {
        /* Back in the caller, in the middle of a line: goes on to its end. */
        s->depth = depth;
        s->file = file;
        s->line = line;
        return false;
    }
    return line && (line != s->line || strcmp(file, s->file) != 0);
}

static void debug_forward(sim_debug *d) {
    uint32_t lane = 0;
    uint64_t t = d->hot.tick;
    if (atomic_exchange(&d->pause, false)) {
        debug_focus_here(d);
        debug_stop(d, SIM_STOP_PAUSE, 0, SIM_OK);
        return;
    }
    if (t == 0 && d->skip != 0 && d->stop_launch) {
        debug_take_focus(d, (unsigned)__builtin_ctz(d->here.mask));
        debug_stop(d, SIM_STOP_LAUNCH, 0, SIM_OK);
        return;
    }
    if (t == d->skip) return;
    unsigned number =
        d->marks[d->here.func->index][d->here.insn] & d->hot.look ? debug_points_hit(d, &lane) : 0;
    if (number) {
        const debug_point *p = d->points;
        while (p->number != number) p++;
        debug_take_focus(d, lane);
        debug_stop(d, p->watch ? SIM_STOP_WATCH : SIM_STOP_BREAK, number, SIM_OK);
    } else if (d->step.how != SIM_GO_CONTINUE && d->step.gone) {
        debug_focus_here(d);
        debug_stop(d, SIM_STOP_EXITED, 0, SIM_OK);
    } else if (d->step.how != SIM_GO_CONTINUE && debug_step_done(d)) {
        debug_stop(d, SIM_STOP_STEP, 0, SIM_OK);
    }
}

/* ---- going back ---- */

/* The start of a line that the focus executes, at most at the given depth. */
static void debug_scan_line(sim_debug *d) {
    const char *file;
    unsigned line;
    uint32_t depth = d->here.frame->depth;
    if (d->scan == SIM_GO_REVERSE_NEXT && depth > d->step.depth) return;
    debug_line(d, d->here.func, d->here.insn, &file, &line);
    if (!line || debug_in_prologue(d, d->here.func, d->here.insn)) return;
    if (line != d->last_line || depth != d->last_depth || strcmp(file, d->last_file) != 0)
        d->found = d->hot.tick;
    d->last_line = line;
    d->last_depth = depth;
    d->last_file = file;
}

static void debug_scan_ends(sim_debug *d) {
    bool any = d->found != UINT64_MAX;
    bool finding = any && d->found == d->found_finding;
    d->arrive = !any                                 ? SIM_STOP_START
                : finding                            ? SIM_STOP_FINDING
                : d->scan == SIM_GO_REVERSE_CONTINUE ? SIM_STOP_BREAK
                                                     : SIM_STOP_STEP;
    d->shown = finding ? d->scanned : NULL;
    debug_run_again(d, PHASE_GO_TO, any ? d->found : 0);
}

static void debug_scan(sim_debug *d) {
    uint32_t lane;
    if (d->hot.tick >= d->until) {
        debug_scan_ends(d);
        return;
    }
    if (d->scan == SIM_GO_REVERSE_CONTINUE) {
        if (debug_points_hit(d, &lane)) d->found = d->hot.tick;
    } else if (debug_focus_runs(d)) {
        if (d->scan == SIM_GO_BACK) d->found = d->hot.tick;
        else debug_scan_line(d);
    }
}

/* Moves the focus to the thread of the finding. */
static void debug_focus_finding(sim_debug *d) {
    const sim_finding *f = d->shown;
    const unsigned *b = d->launch->block;
    if (!f) return;
    d->focus_block = d->here.warp->block->linear;
    d->focus_thread = f->thread[0] + b[0] * (f->thread[1] + b[1] * f->thread[2]);
}

/* Stops at the place to which the run went. */
static void debug_arrived(sim_debug *d) {
    sim_stop_reason reason = d->arrive;
    unsigned number = 0;
    uint32_t lane = 0;
    if (reason == SIM_STOP_BREAK && (number = debug_points_hit(d, &lane)) != 0) {
        for (size_t k = 0; k < POINTS; k++)
            if (d->points[k].number == number && d->points[k].watch) reason = SIM_STOP_WATCH;
        debug_take_focus(d, lane);
    } else if (reason == SIM_STOP_FINDING) {
        debug_focus_finding(d);
    } else if (reason == SIM_STOP_START) {
        debug_take_focus(d, (unsigned)__builtin_ctz(d->here.mask));
    }
    if (reason == SIM_STOP_MACHINE) debug_machine_record(d);
    else if (reason != SIM_STOP_RECORDED) debug_focus_here(d);
    debug_stop(d, reason, number, SIM_OK);
    if (reason == SIM_STOP_MACHINE) debug_machine_free(d);
}

/* ---- hooks ---- */

bool sim_debug_look(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn) {
    if (d->hot.machine) return debug_machine_look(d, w, fn, insn);
    if (d->stopping) return debug_give_up_run(d, w);
    d->here = (debug_here){w, fn, insn, w->mask, w->frame};
    d->block = w->block;
    d->at_stop = true; /* the place of w's running lanes is this one */
    switch (d->phase) {
    case PHASE_FORWARD: debug_forward(d); break;
    case PHASE_SCAN: debug_scan(d); break;
    case PHASE_RECORD:
    case PHASE_GO_TO:
        if (d->hot.tick >= d->until) debug_arrived(d);
        else if (d->phase == PHASE_RECORD) debug_record_write(d);
        break;
    case PHASE_OFF: break;
    }
    d->at_stop = false;
    return debug_give_up_run(d, w);
}

/* Returns the newest finding, which is about the running block. */
static const sim_finding *debug_newest(sim_debug *d, const sim_block *b) {
    size_t n = 0;
    free(d->findings);
    d->findings = sim_findings_take(d->run->findings, UINT64_MAX, &n);
    const unsigned *g = d->launch->grid;
    for (size_t k = n; b && k-- > 0;) {
        const sim_finding *f = &d->findings[k];
        uint64_t linear =
            f->block[0] + (uint64_t)g[0] * (f->block[1] + (uint64_t)g[1] * f->block[2]);
        if (linear == b->linear) return f;
    }
    return n ? &d->findings[n - 1] : NULL;
}

bool sim_debug_found(sim_debug *d, sim_warp *w, const sim_func *fn, uint32_t insn) {
    if (d->hot.machine) return true;
    size_t n = sim_findings_count(d->run->findings);
    uint64_t at = d->hot.tick - 1;
    d->hot.findings = n;
    if (!d->stop_findings || d->stopping) return true;
    if (d->phase == PHASE_SCAN && d->scan == SIM_GO_REVERSE_CONTINUE && at < d->until) {
        d->found = d->found_finding = at;
        d->scanned = debug_newest(d, w->block);
    }
    /* The owner has already stopped at this one and goes on. */
    if (d->phase != PHASE_FORWARD || at == d->skip) return true;
    if (n > d->seen) d->seen = n;
    d->shown = debug_newest(d, w->block);
    if (d->kept) {
        d->arrive = SIM_STOP_FINDING;
        debug_run_again(d, PHASE_GO_TO, d->hot.tick - 1);
    } else {
        bool stop = w->stop;
        d->block = w->block;
        d->here = (debug_here){w, fn, insn, w->mask, w->frame};
        debug_focus_finding(d);
        debug_focus_here(d);
        /* it has called or returned, so the places of lanes must be found again */
        if (w->frame->func != fn) d->here.mask = 0;
        debug_stop(d, SIM_STOP_FINDING, 0, SIM_OK);
        w->stop = stop;
    }
    return debug_give_up_run(d, w);
}

void sim_debug_block_begins(sim_debug *d, const sim_block *b) {
    if (d->hot.machine) return;
    d->began_block = b->linear;
    d->began_tick = d->hot.tick;
}

void sim_debug_exited(sim_debug *d, sim_warp *w, uint32_t lanes) {
    if (d->hot.machine) return;
    if (d->phase == PHASE_FORWARD && w->block->linear == d->focus_block &&
        w->index == d->focus_thread / SIM_WARP_LANES &&
        lanes >> d->focus_thread % SIM_WARP_LANES & 1)
        d->step.gone = true;
}

/* ---- a launch ---- */

/* A second run repeats the output of printf, which is not printed again. */
static bool debug_print(void *user, const char *text, size_t n) {
    sim_debug *d = user;
    uint64_t start = d->printed;
    d->printed += n;
    if (!d->launch->print) return false;
    if (d->printed <= d->delivered) return true;
    size_t skip = d->delivered > start ? (size_t)(d->delivered - start) : 0;
    d->delivered = d->printed;
    return d->launch->print(d->launch->print_user, text + skip, n - skip);
}

/* Returns a quarter of the host's free memory. */
static uint64_t debug_most_kept(void) {
    struct sysinfo si;
    if (sysinfo(&si)) return (uint64_t)1 << 30;
    return (uint64_t)(si.freeram + si.bufferram) * si.mem_unit / 4;
}

void sim_debug_begin(sim_debug *d, sim_device *device, const sim_launch *l, sim_launch *mine) {
    *mine = *l;
    mine->print = debug_print;
    mine->print_user = d;
    mine->touch = NULL; /* the places of managed pages are not followed; they would count twice */
    d->device = device;
    d->launch = l;
    d->delivered = 0;
    d->seen = 0;
    d->module = NULL; /* another module may get the address of one that was freed */
    d->skip = UINT64_MAX;
    d->step = (debug_step){.how = SIM_GO_CONTINUE};
    d->again = d->repeated = d->begun = d->recording = d->went = false;
    d->focus_block = d->focus_thread = d->level = 0;
    d->record_from = d->record_to = 0; /* the recorded writers belong to another launch */
    if (d->phase != PHASE_OFF) {
        d->kept = sim_memory_keep(device->memory, debug_most_kept());
        d->phase = PHASE_FORWARD;
        d->until = UINT64_MAX;
    }
    for (size_t k = 0; k < POINTS; k++) d->points[k].known = false;
}

static bool debug_make_marks(sim_debug *d) {
    const sim_image *im = d->run->image;
    if (d->image == im) return true;
    debug_free_marks(d);
    d->marks = calloc(im->func_count + 1, sizeof *d->marks);
    for (; d->marks && d->mark_rows < im->func_count; d->mark_rows++) {
        const ptx_func *f = im->funcs[d->mark_rows].ptx;
        uint8_t *row = calloc(f->insn_count + 1, 1);
        if (!row) return false;
        d->marks[d->mark_rows] = row;
        unsigned bytes;
        for (size_t i = 0; i < f->insn_count; i++)
            if (debug_writes(&f->insns[i], &bytes)) row[i] = SIM_MARK_WRITE;
    }
    d->image = im;
    return d->marks != NULL;
}

bool sim_debug_run_begins(sim_debug *d, sim_run_state *r, sim_debug_machine_run *machine) {
    d->run = r;
    d->machine_run = machine;
    d->hot.tick = 0;
    d->hot.findings = 0;
    d->printed = 0;
    d->again = false;
    d->stopping = d->aborted;
    d->block = NULL;
    d->here = (debug_here){0};
    if (!debug_make_marks(d)) {
        d->run = NULL;
        return false;
    }
    d->begun = true;
    d->hot.marks = d->marks;
    debug_dwarf(d);
    debug_points_resolve(d);
    debug_set_phase(d, d->phase, d->until);
    if (d->phase == PHASE_FORWARD && d->stop_launch) d->hot.wake = 0;
    return true;
}

void sim_debug_run_ended(sim_debug *d, sim_run_state *r, sim_status status) {
    if (!d->again && d->phase != PHASE_OFF) {
        sim_access_flush(r->workers[0].access);
        size_t n = sim_findings_count(r->findings);
        d->here = (debug_here){0};
        d->block = r->dead; /* after a deadlock, there is a thread to look at */
        if (d->phase == PHASE_SCAN) {
            debug_scan_ends(d);
        } else if (d->phase != PHASE_FORWARD || d->stop_end || d->step.how != SIM_GO_CONTINUE ||
                   (n > d->seen && d->stop_findings)) {
            bool recorded = d->phase == PHASE_RECORD;
            if (n > d->seen && d->phase == PHASE_FORWARD) {
                d->seen = n;
                d->shown = debug_newest(d, d->block);
            }
            debug_stop(d, recorded ? SIM_STOP_RECORDED : SIM_STOP_END, 0, status);
        }
    }
    d->run = NULL;
    d->block = NULL;
}

bool sim_debug_again(sim_debug *d, sim_status status) {
    /* memory was out: the owner has not been told of this run's end */
    if (d->repeated && !d->begun) {
        d->again = false;
        d->here = (debug_here){0};
        d->block = NULL;
        debug_stop(d, SIM_STOP_END, 0, status);
    }
    d->repeated = d->again;
    d->begun = false;
    if (!d->again) return false;
    sim_memory_restore(d->device->memory, d->kept);
    return true;
}

void sim_debug_end(sim_debug *d) {
    sim_memory_forget(d->device->memory, d->kept);
    d->kept = NULL;
    d->launch = NULL;
    d->run = NULL;
    d->launches++;
}

/* ---- requests of the owner ---- */

void sim_debug_go(sim_debug *d, sim_go how) {
    d->go = how;
}

void sim_debug_go_to(sim_debug *d, uint64_t tick) {
    d->went = true;
    d->go_tick = tick;
}

bool sim_debug_record(sim_debug *d, sim_addr from, size_t n) {
    d->record_from = d->record_to = 0;
    if (!n || n > MOST_RECORDED || !d->kept || from + n < from) return false;
    if (!lib_resize(&d->writers, n, sizeof *d->writers)) return false;
    for (size_t k = 0; k < n; k++) d->writers[k] = (debug_writer){.tick = UINT64_MAX};
    d->record_from = from;
    d->record_to = from + n;
    d->recording = true;
    return true;
}

bool sim_debug_writer(const sim_debug *d, sim_addr at, sim_writer *w) {
    *w = (sim_writer){.tick = UINT64_MAX, .file = ""};
    w->known = at >= d->record_from && at < d->record_to;
    if (!w->known) return false;
    const debug_writer *x = &d->writers[at - d->record_from];
    if (x->tick == UINT64_MAX) return false;
    w->tick = x->tick;
    w->block = x->block;
    w->thread = x->thread;
    debug_line(d, x->func, x->insn, &w->file, &w->line);
    return true;
}
