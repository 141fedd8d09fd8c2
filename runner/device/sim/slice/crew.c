/* The threads of a launch, by what they left to others.
 *
 *   marks of a warp: the lanes that passed each --> lanes with the same marks --> (marks, threads)
 *   all marks of a block --> (marks, blocks)
 *
 * Mostly all threads of a launch have passed the same marks, so that there are one or two rows. */
#include "runner/device/sim/slice/slice.h"

#include <stdlib.h>

enum { CREWS = 128 };
struct sim_crews {
    struct {
        uint64_t marks, threads, blocks;
    } row[CREWS];
    size_t count;
    bool lost; /* there were more rows */
};

sim_crews *sim_crews_new(void) {
    return calloc(1, sizeof(sim_crews));
}

static void crew_count(sim_crews *c, uint64_t marks, uint64_t threads, uint64_t blocks) {
    size_t i = 0;
    while (i < c->count && c->row[i].marks != marks) i++;
    c->lost |= i == CREWS;
    if (i == CREWS) return;
    c->count += i == c->count;
    c->row[i].marks = marks;
    c->row[i].threads += threads, c->row[i].blocks += blocks;
}

void sim_crews_add(sim_crews *c, const sim_block *b) {
    unsigned n = b->run->image->mark_count;
    uint64_t all = 0;
    for (uint32_t k = 0; k < b->warp_count; k++) {
        const sim_warp *w = &b->warps[k];
        for (uint32_t left = w->exist; left;) {
            uint64_t marks = 0;
            uint32_t same = left, lane = left & -left;
            for (unsigned m = 0; m < n; m++) {
                bool there = w->marks[m] & lane;
                marks |= (uint64_t)there << m;
                same &= there ? w->marks[m] : ~w->marks[m];
            }
            crew_count(c, marks, sim_lane_count(same), 0);
            left &= ~same;
            all |= marks;
        }
    }
    crew_count(c, all, 0, 1);
}

bool sim_crews_each(const sim_crews *c, sim_crew_each *fn, void *user) {
    for (size_t i = 0; i < c->count; i++)
        fn(user, c->row[i].marks, c->row[i].threads, c->row[i].blocks);
    return !c->lost;
}
