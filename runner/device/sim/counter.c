/* Counters by name: the rows of counters.def, derived.def and deeds.def as a table. */
#include "runner/device/sim/sim.h"
#include "words/device.h"
#include <stddef.h>
#include <string.h>

static const sim_counter_info infos[] = {
#define COUNTER(field, unit, ncu) {#field, unit, ncu, false, false},
#include "runner/device/sim/counters.def"
#undef COUNTER
#define DERIVED(name, unit, num, den, scale) {#name, unit, "-", true, false},
#include "runner/device/sim/derived.def"
#undef DERIVED
#define DEED(name, unit, sum) {#name, unit, "-", true, true},
#include "runner/device/sim/deeds.def"
#undef DEED
};

static const size_t offsets[] = {
#define COUNTER(field, unit, ncu) offsetof(sim_counters, field),
#include "runner/device/sim/counters.def"
#undef COUNTER
};
enum { COUNTERS = sizeof offsets / sizeof *offsets };

/* Every field of sim_counters is a counter, so the sums may treat the struct as an array. */
_Static_assert(sizeof(sim_counters) == COUNTERS * sizeof(uint64_t),
               "sim_counters holds counters and nothing else");

const sim_cost_info *sim_cost_at(unsigned k) {
    static const sim_cost_info rows[] = {
#define COST_IF(id, name) {name, W_DEVICE_COST_##id, W_DEVICE_COST_##id##_MEANS},
#include "runner/device/sim/costs.def"
#undef COST_IF
    };
    return k < SIM_COST_COUNT ? &rows[k] : NULL;
}

const sim_stall_info *sim_stall_at(unsigned k) {
    static const sim_stall_info rows[] = {
#define STALL(id, name, nsight) {name, nsight, W_DEVICE_STALL_##id, W_DEVICE_STALL_##id##_MEANS},
#include "runner/device/sim/stalls.def"
#undef STALL
    };
    return k < SIM_STALL_COUNT ? &rows[k] : NULL;
}

size_t sim_counter_count(void) {
    return sizeof infos / sizeof *infos;
}

const sim_counter_info *sim_counter_at(size_t i) {
    return i < sim_counter_count() ? &infos[i] : NULL;
}

static uint64_t field(const sim_counters *c, size_t i) {
    uint64_t v;
    memcpy(&v, (const char *)c + offsets[i], sizeof v);
    return v;
}

static double ratio(double num, double den, double scale) {
    return den > 0 ? scale * num / den : 0;
}

bool sim_counter_get(const sim_counters *c, const char *name, double *value) {
    for (size_t i = 0; i < COUNTERS; i++)
        if (!strcmp(infos[i].name, name)) {
            *value = (double)field(c, i);
            return true;
        }
#define DERIVED(n, unit, num, den, scale)                                                          \
    if (!strcmp(name, #n)) {                                                                       \
        *value = ratio((double)(num), (double)(den), scale);                                       \
        return true;                                                                               \
    }
#include "runner/device/sim/derived.def"
#undef DERIVED
#define DEED(n, unit, sum)                                                                         \
    if (!strcmp(name, #n)) {                                                                       \
        *value = (double)(sum);                                                                    \
        return true;                                                                               \
    }
#include "runner/device/sim/deeds.def"
#undef DEED
    return false;
}

void sim_counters_sub(sim_counters *from, const sim_counters *part) {
#define COUNTER(f, unit, ncu) from->f -= part->f < from->f ? part->f : from->f;
#include "runner/device/sim/counters.def"
#undef COUNTER
}

bool sim_machine_counts_add(sim_machine_count *to, size_t n, const sim_machine_count *from,
                            size_t count) {
    bool same = n == count;
    for (size_t i = 0; same && i < n; i++) same = to[i].at == from[i].at;
    for (size_t i = 0; same && i < n; i++) {
        to[i].warps += from[i].warps;
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) to[i].cycles[k] += from[i].cycles[k];
    }
    return same;
}

void sim_counters_add(sim_counters *to, const sim_counters *from) {
#define COUNTER(f, unit, ncu) to->f += from->f;
#include "runner/device/sim/counters.def"
#undef COUNTER
}
