/* Breakpoints and watchpoints: their places in the running code, and whether one is hit. */
#include "runner/device/sim/debug/debug_internal.h"
#include "runner/base/message.h"
#include "words/debug.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static debug_point *point_new(sim_debug *d, const char *text, const char *condition,
                              lib_message *msg) {
    if (!*text || strlen(text) >= POINT_TEXT || strlen(condition) >= POINT_TEXT) {
        lib_message_set(msg, w_debug_place_expected(POINT_TEXT - 1));
        return NULL;
    }
    for (size_t k = 0; k < POINTS; k++) {
        debug_point *p = &d->points[k];
        if (p->number) continue;
        *p = (debug_point){.number = ++d->next_number};
        snprintf(p->text, sizeof p->text, "%s", text);
        snprintf(p->condition, sizeof p->condition, "%s", condition);
        return p;
    }
    lib_message_set(msg, w_debug_too_many_points(POINTS));
    return NULL;
}

unsigned sim_debug_break(sim_debug *d, const char *where, const char *condition, lib_message *msg) {
    debug_point *p = point_new(d, where, condition ? condition : "", msg);
    if (!p) return 0;
    if (d->run) debug_points_resolve(d);
    return p->number;
}

unsigned sim_debug_watch(sim_debug *d, const char *expression, const char *condition,
                         lib_message *msg) {
    sim_value v = {0};
    /* If something runs, an error in the expression can be reported at once. */
    if (d->at_stop) {
        if (!debug_eval(d, debug_lane_of_focus(d), expression, &v, msg)) return 0;
        if (!v.address) {
            lib_message_set(msg, w_debug_not_in_memory(expression));
            return 0;
        }
    }
    debug_point *p = point_new(d, expression, condition ? condition : "", msg);
    if (!p) return 0;
    p->watch = true;
    if (d->at_stop) {
        p->known = true;
        p->address = v.address;
        p->bytes = v.bytes ? v.bytes : 1;
        p->block = d->focus_block;
        p->thread = d->focus_thread;
    }
    if (d->run) debug_points_resolve(d);
    return p->number;
}

static debug_point *point_find(const sim_debug *d, unsigned number) {
    for (size_t k = 0; number && k < POINTS; k++)
        if (d->points[k].number == number) return (debug_point *)(uintptr_t)&d->points[k];
    return NULL;
}

bool sim_debug_delete(sim_debug *d, unsigned number) {
    debug_point *p = point_find(d, number);
    if (!p) return false;
    p->number = 0;
    if (d->run) debug_points_resolve(d);
    return true;
}

bool sim_debug_condition(sim_debug *d, unsigned number, const char *condition) {
    debug_point *p = point_find(d, number);
    if (!p || strlen(condition) >= POINT_TEXT) return false;
    snprintf(p->condition, sizeof p->condition, "%s", condition);
    return true;
}

size_t sim_debug_points(const sim_debug *d) {
    size_t n = 0;
    for (size_t k = 0; k < POINTS; k++) n += d->points[k].number != 0;
    return n;
}

static int point_by_number(const void *a, const void *b) {
    const debug_point *const *x = a, *const *y = b;
    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

void sim_debug_point(const sim_debug *d, size_t i, sim_point *p) {
    const debug_point *all[POINTS] = {NULL};
    size_t n = 0;
    for (size_t k = 0; k < POINTS; k++)
        if (d->points[k].number) all[n++] = &d->points[k];
    qsort(all, n, sizeof *all, point_by_number);
    *p = (sim_point){0};
    if (i >= n) return;
    const debug_point *x = all[i];
    *p = (sim_point){.number = x->number,
                     .watch = x->watch,
                     .text = x->text,
                     .condition = x->condition,
                     .hits = x->hits,
                     .known = x->known,
                     .line = x->line,
                     .address = x->address,
                     .bytes = x->bytes};
}

/* ---- their places ---- */

static const char *point_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "FILE:LINE" or "LINE": the file, or NULL for the kernel's own. Returns false for a function. */
static bool point_line(const char *text, char *file, size_t n, unsigned *line) {
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    if (!*digits || strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 8)
        return false;
    *line = (unsigned)strtoul(digits, NULL, 10);
    snprintf(file, n, "%.*s", colon ? (int)(colon - text) : 0, text);
    return true;
}

/* Returns the first line from `line` on that has code in the file; 0: none. */
static unsigned point_nearest(const sim_debug *d, const char *file, unsigned line) {
    unsigned best = 0;
    for (size_t k = 0; k < d->image->func_count; k++) {
        const sim_func *f = &d->image->funcs[k];
        for (uint32_t i = 0; i < f->ptx->insn_count; i++) {
            const char *at;
            unsigned l;
            debug_line(d, f, i, &at, &l);
            if (l >= line && (!best || l < best) && !strcmp(point_base(at), file)) best = l;
        }
    }
    return best;
}

static bool point_mark_line(sim_debug *d, const char *file, unsigned line) {
    bool any = false;
    for (size_t k = 0; k < d->image->func_count; k++) {
        const sim_func *f = &d->image->funcs[k];
        unsigned before = 0;
        for (uint32_t i = 0; i < f->ptx->insn_count; i++) {
            const char *at;
            unsigned l;
            debug_line(d, f, i, &at, &l);
            bool here = l == line && !strcmp(point_base(at), file);
            if (here && before != line) d->marks[k][i] |= SIM_MARK_BREAK, any = true;
            before = here ? line : 0;
        }
    }
    return any;
}

static uint32_t point_after_prologue(const sim_debug *d, const sim_func *f) {
    for (uint32_t i = 0; i < f->ptx->insn_count; i++)
        if (f->ptx->insns[i].loc && !debug_in_prologue(d, f, i)) return i;
    return 0;
}

static bool point_mark_function(sim_debug *d, const char *name) {
    bool any = false;
    for (size_t k = 0; k < d->image->func_count; k++) {
        const sim_func *f = &d->image->funcs[k];
        if (!f->ptx->insn_count) continue;
        uint32_t die =
            d->dwarf ? dwarf_function_at(d->dwarf, f->ptx->insns[0].ptx_line) : DWARF_NONE;
        bool same = !strcmp(f->ptx->name, name) ||
                    (die != DWARF_NONE && !strcmp(d->dwarf->dies[die].name, name)) ||
                    (k == 0 && !strcmp(d->run->kernel->info.pretty, name));
        if (same) d->marks[k][point_after_prologue(d, f)] |= SIM_MARK_BREAK, any = true;
    }
    return any;
}

static void point_resolve_break(sim_debug *d, debug_point *p) {
    char file[POINT_TEXT];
    unsigned line;
    p->line = 0;
    if (!point_line(p->text, file, sizeof file, &line)) {
        p->known = point_mark_function(d, p->text);
        return;
    }
    const char *own;
    unsigned first;
    debug_line(d, &d->image->funcs[0], 0, &own, &first);
    const char *of = *file ? point_base(file) : point_base(own);
    p->line = point_nearest(d, of, line);
    p->known = p->line && point_mark_line(d, of, p->line);
}

static void point_resolve_watch(sim_debug *d, debug_point *p) {
    sim_value v;
    lib_message ignored = {0};
    /* An element in shared or local memory belongs to the block or thread for which it was
     * asked. */
    if (p->known && p->address >= SIM_SHARED_WINDOW && p->address < SIM_PARAM_WINDOW) return;
    if (!debug_eval(d, debug_lane_of_focus(d), p->text, &v, &ignored) || !v.address) return;
    p->known = true;
    p->address = v.address;
    p->bytes = v.bytes ? v.bytes : 1;
    p->block = d->focus_block;
    p->thread = d->focus_thread;
}

void debug_points_resolve(sim_debug *d) {
    for (size_t k = 0; k < d->image->func_count; k++)
        for (uint32_t i = 0; i < d->image->funcs[k].ptx->insn_count; i++)
            d->marks[k][i] &= (uint8_t)~SIM_MARK_BREAK;
    for (size_t k = 0; k < POINTS; k++) {
        debug_point *p = &d->points[k];
        if (!p->number) continue;
        if (p->watch) point_resolve_watch(d, p);
        else point_resolve_break(d, p);
    }
}

/* ---- hits ---- */

/* Returns whether the point's place has this instruction. All breakpoints share the marks. */
static bool point_is_here(const sim_debug *d, const debug_point *p) {
    const debug_here *h = &d->here;
    if (p->line) {
        const char *file;
        unsigned line;
        debug_line(d, h->func, h->insn, &file, &line);
        return line == p->line;
    }
    if (h->insn != point_after_prologue(d, h->func)) return false;
    uint32_t die =
        d->dwarf ? dwarf_function_at(d->dwarf, h->func->ptx->insns[h->insn].ptx_line) : DWARF_NONE;
    return !strcmp(h->func->ptx->name, p->text) ||
           (die != DWARF_NONE && !strcmp(d->dwarf->dies[die].name, p->text)) ||
           (h->func->index == 0 && !strcmp(d->run->kernel->info.pretty, p->text));
}

/* Returns the lanes that write into [from, to) with this instruction. */
static uint32_t point_writers(const sim_debug *d, sim_addr from, sim_addr to) {
    const debug_here *h = &d->here;
    const ptx_insn *p = &h->func->ptx->insns[h->insn];
    unsigned bytes;
    const ptx_opnd *o = debug_writes(p, &bytes);
    uint32_t lanes = 0;
    for (uint32_t m = o ? h->mask : 0; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t guard;
        if (p->guard >= 0 && debug_register(h, (uint32_t)p->guard, lane, &guard) &&
            (guard != 0) == (p->guard_negated != 0))
            continue;
        sim_addr at = debug_operand_address(d, h, p, o, lane);
        if (at < to && at + bytes > from) lanes |= 1u << lane;
    }
    return lanes;
}

/* Returns the lanes that share a thread's shared or local memory; others have their own at that
 * address. */
static uint32_t point_owners(const sim_debug *d, sim_addr at, uint64_t block, uint32_t thread) {
    const sim_warp *w = d->here.warp;
    bool shared = (at & ~0xffffffffull) == SIM_SHARED_WINDOW,
         local = (at & ~0xffffffffull) == SIM_LOCAL_WINDOW;
    if ((shared || local) && w->block->linear != block) return 0;
    if (!local) return SIM_ALL_LANES;
    return w->index == thread / SIM_WARP_LANES ? 1u << thread % SIM_WARP_LANES : 0;
}

static uint32_t point_lanes(const sim_debug *d, const debug_point *p) {
    if (!p->known) return 0;
    if (!p->watch) return point_is_here(d, p) ? d->here.mask : 0;
    return point_writers(d, p->address, p->address + p->bytes) &
           point_owners(d, p->address, p->block, p->thread);
}

/* Returns the lanes for which the condition holds. A condition that cannot be evaluated counts as
 * true, so that the user notices. */
static uint32_t point_condition(sim_debug *d, const debug_point *p, uint32_t lanes) {
    if (!*p->condition) return lanes;
    uint32_t keep_thread = d->focus_thread, yes = 0;
    uint64_t keep_block = d->focus_block;
    unsigned level = d->level;
    d->level = 0;
    d->focus_block = d->here.warp->block->linear;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        sim_value v;
        lib_message why = {0};
        d->focus_thread = d->here.warp->index * SIM_WARP_LANES + lane;
        if (!debug_eval(d, lane, p->condition, &v, &why) || debug_value_true(&v)) yes |= 1u << lane;
    }
    d->level = level;
    d->focus_thread = keep_thread;
    d->focus_block = keep_block;
    return yes;
}

unsigned debug_points_hit(sim_debug *d, uint32_t *lane) {
    uint8_t marks = d->marks[d->here.func->index][d->here.insn];
    uint32_t focus = d->focus_thread;
    for (size_t k = 0; k < POINTS; k++) {
        debug_point *p = &d->points[k];
        if (!p->number || !(marks & (p->watch ? SIM_MARK_WRITE : SIM_MARK_BREAK))) continue;
        uint32_t lanes = point_lanes(d, p);
        if (lanes) lanes = point_condition(d, p, lanes);
        if (!lanes) continue;
        bool own = d->here.warp->block->linear == d->focus_block &&
                   d->here.warp->index == focus / SIM_WARP_LANES &&
                   lanes >> focus % SIM_WARP_LANES & 1;
        *lane = own ? focus % SIM_WARP_LANES : (unsigned)__builtin_ctz(lanes);
        return p->number;
    }
    return 0;
}

void debug_record_write(sim_debug *d) {
    const debug_here *h = &d->here;
    const ptx_insn *p = &h->func->ptx->insns[h->insn];
    unsigned bytes = 0;
    const ptx_opnd *o = debug_writes(p, &bytes);
    uint32_t lanes = point_writers(d, d->record_from, d->record_to) &
                     point_owners(d, d->record_from, d->focus_block, d->focus_thread);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        sim_addr at = debug_operand_address(d, h, p, o, lane);
        for (unsigned b = 0; b < bytes; b++) {
            if (at + b < d->record_from || at + b >= d->record_to) continue;
            d->writers[at + b - d->record_from] =
                (debug_writer){.tick = d->hot.tick,
                               .block = h->warp->block->linear,
                               .thread = h->warp->index * SIM_WARP_LANES + lane,
                               .func = h->func,
                               .insn = h->insn};
        }
    }
}
