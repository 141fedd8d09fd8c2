/* Adds up the cycles of the replayed warps by state (stalls.def), and those of the schedulers.
 *
 * A warp's life before `seen` is counted already. The time between `seen` and the next instruction
 * that it issues consists of a few pieces, in this order: held back by its last instruction (a full
 * queue, a barrier, a branch), waiting for a register, waiting for its turn. A scheduler's cycle
 * without an issue counts as the present state of the warp that went on next: if that warp had been
 * ready sooner, the cycle would not have been lost. */
#ifndef WARPLAB_TIME_STALL_H
#define WARPLAB_TIME_STALL_H

#include "runner/device/sim/time/time_internal.h"

enum { TIME_NOBODY = UINT32_MAX, TIME_PIECES = 4 };

/* The maker of a register: its instruction, and the state of a warp that waits for it. */
typedef struct {
    uint32_t pc;
    uint8_t why;
} time_owner;

typedef struct {
    double seen;
    uint32_t pc;  /* the instruction that holds the warp back */
    uint8_t hold; /* the state from `seen` on */
    /* since the warp last issued an instruction */
    uint8_t pieces, why[TIME_PIECES];
    double from[TIME_PIECES];
} time_wait;

static inline void stall_until(time_usage *u, time_places *p, time_wait *w, double until,
                               unsigned why, uint32_t pc, uint32_t cause) {
    double d = until - w->seen;
    if (d <= 0) return;
    u->stall[why] += d;
    if (p && pc < p->count) p->stall[(size_t)pc * SIM_STALL_COUNT + why] += d;
    if (p && cause < p->count) p->caused[cause] += d;
    if (w->pieces < TIME_PIECES) {
        w->from[w->pieces] = w->seen;
        w->why[w->pieces++] = (uint8_t)why;
    }
    w->seen = until;
}
/* The warp's last instruction held it back until then. */
static inline void stall_held(time_usage *u, time_places *p, time_wait *w, double until) {
    stall_until(u, p, w, until, w->hold, w->pc, TIME_NOBODY);
}
/* The warp issues n instructions at `at`. Its scheduler, free since `idle_from`, is busy with them
 * from `to`. Returns the part of the scheduler's idle time before this warp existed. */
static inline double stall_issue(time_usage *u, time_places *p, time_wait *w, uint32_t pc,
                                 double at, double n, double idle_from, double to) {
    stall_until(u, p, w, at, SIM_STALL_NOT_SELECTED, pc, TIME_NOBODY);
    for (unsigned k = w->pieces; k-- && to > idle_from;) {
        double from = w->from[k] > idle_from ? w->from[k] : idle_from;
        if (to <= from) continue;
        u->idle[w->why[k]] += to - from;
        to = from;
    }
    stall_until(u, p, w, at + n, SIM_STALL_SELECTED, pc, TIME_NOBODY);
    u->idle[SIM_STALL_SELECTED] += n;
    w->pieces = 0;
    return to > idle_from ? to - idle_from : 0;
}

/* Returns the state of a warp that waits for the operation's result; the event, if any, gives
 * `space`. */
static inline uint8_t stall_of_result(const time_op *o, const sim_trace_event *e) {
    switch ((time_kind)o->kind) {
    case TIME_LOAD:
    case TIME_ATOM:
    case TIME_STORE:
    case TIME_COPY:
        return e && e->space != PTX_SPACE_GLOBAL && e->space != PTX_SPACE_LOCAL
                   ? SIM_STALL_SHORT_SCOREBOARD
                   : SIM_STALL_LONG_SCOREBOARD;
    case TIME_TEX: return SIM_STALL_LONG_SCOREBOARD;
    case TIME_SHUFFLE:
    case TIME_CONST: return SIM_STALL_SHORT_SCOREBOARD;
    default: break;
    }
    if (o->pipe == TIME_PIPE_XU || o->special) return SIM_STALL_SHORT_SCOREBOARD;
    return o->pipe == TIME_PIPE_NONE && o->latency > 0 ? SIM_STALL_IMC_MISS : SIM_STALL_WAIT;
}
/* Returns the state of a warp that is held back because the operation's unit is far behind. */
static inline uint8_t stall_of_queue(const time_op *o, const sim_trace_event *e) {
    switch ((time_kind)o->kind) {
    case TIME_LOAD:
    case TIME_STORE:
    case TIME_ATOM:
    case TIME_COPY:
        return e && (e->space == PTX_SPACE_GLOBAL || e->space == PTX_SPACE_LOCAL)
                   ? SIM_STALL_LG_THROTTLE
                   : SIM_STALL_MIO_THROTTLE;
    case TIME_TEX: return SIM_STALL_TEX_THROTTLE;
    case TIME_SHUFFLE:
    case TIME_CONST: return SIM_STALL_MIO_THROTTLE;
    default: return SIM_STALL_MATH_PIPE_THROTTLE;
    }
}

#endif
