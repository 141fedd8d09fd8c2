/* Frames of calls: a worker keeps those that nobody holds for the next call that fits. */
#include "runner/device/sim/run/call.h"
#include <stdlib.h>
#include <string.h>

sim_frame *sim_frame_new(sim_worker *k, const sim_func *f) {
    for (sim_frame **at = &k->free_frames; *at; at = &(*at)->parent)
        if ((*at)->room >= f->frame_bytes) {
            sim_frame *x = *at;
            *at = x->parent;
            return x;
        }
    sim_frame *x = calloc(1, sizeof *x);
    if (x) x->regs = aligned_alloc(64, f->frame_bytes);
    if (!x || !x->regs) {
        free(x);
        return NULL;
    }
    x->room = f->frame_bytes;
    x->made = k->made;
    k->made = x;
    memset(x->regs, 0, f->frame_bytes);
    return x;
}

static void frame_put_back(sim_worker *k, sim_frame *f) {
    f->parent = k->free_frames;
    k->free_frames = f;
}

void sim_frames_free(sim_worker *k) {
    for (sim_frame *f = k->made, *next; f; f = next) {
        next = f->made;
        free(f->regs);
        free(f);
    }
    k->free_frames = k->made = NULL;
}

void sim_frame_drop(sim_worker *k, sim_frame *f) {
    while (f && --f->refs == 0 && f->parent) {
        sim_frame *up = f->parent;
        frame_put_back(k, f);
        f = up;
    }
}
