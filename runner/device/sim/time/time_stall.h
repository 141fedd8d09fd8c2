/* Where the replayed warps' cycles go, state by state (stalls.def), and the schedulers'.
 *
 * A warp's life is cut at `seen`: all before it has been told. What lies between there and the next
 * instruction it issues is a few pieces, in this order: held back by its last instruction (a queue
 * that is full, a barrier, a branch), waiting for a register, waiting for its turn. A scheduler's
 * cycle in which nothing issues counts as the state, just then, of the warp that went on next: had
 * that one come sooner, the cycle would not have been lost. */
#ifndef WARPLAB_TIME_STALL_H
#define WARPLAB_TIME_STALL_H

#include "runner/device/sim/time/time_internal.h"

enum { TIME_NOBODY = UINT32_MAX, TIME_PIECES = 4 };

/* Who makes a register: its instruction, and what waiting for it counts as. */
typedef struct {
    uint32_t pc;
    uint8_t why;
} time_owner;

typedef struct {
    double seen;
    uint32_t pc;  /* the instruction that holds it back */
    uint8_t hold; /* as what, from `seen` on */
    /* since the last instruction that it issued */
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
/* Its last instruction held it back until then. */
static inline void stall_held(time_usage *u, time_places *p, time_wait *w, double until) {
    stall_until(u, p, w, until, w->hold, w->pc, TIME_NOBODY);
}
/* It issues n instructions at `at`; its scheduler, free since `idle_from`, is busy with them from
 * `to`. Returns the part of the scheduler's idle time before this warp came to be. */
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

/* What waiting for the operation's result counts as; `space` of the event, if there was one. */
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
    if (o->pipe == TIME_PIPE_XU || o->xu > 0) return SIM_STALL_SHORT_SCOREBOARD;
    return o->pipe == TIME_PIPE_NONE && o->latency > 0 ? SIM_STALL_IMC_MISS : SIM_STALL_WAIT;
}
/* What a warp is held back by when the operation's unit is far behind. */
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
