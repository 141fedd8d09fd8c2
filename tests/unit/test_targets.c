/* The tables of runner/device/targets: each board states each figure with an origin and a source,
 * what is borrowed is the other device's figure, and what goes together agrees. */
#include "tests/check.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

#include <string.h>

static void stated(const sim_profile *p, const sim_figure *f) {
    char what[128];
    snprintf(what, sizeof what, "%s.%s", p->name, f->name);
    check_that(f->origin != SIM_UNSTATED && f->source && strlen(f->source) > 8, __FILE__, __LINE__,
               what, "has an origin and a source");
    check_that((f->from != NULL) == (f->origin == SIM_BORROWED), __FILE__, __LINE__, what,
               "names a device if it is borrowed, and only then");
}

/* A borrowed figure is the same as the other device's, which has it of its own or by an
 * estimate. */
static void borrowed(const sim_profile *p, size_t i, const sim_figure *f) {
    char what[128];
    const sim_profile *from = sim_profile_find(f->from);
    snprintf(what, sizeof what, "%s.%s from %s", p->name, f->name, f->from);
    check_that(from && from != p, __FILE__, __LINE__, what, "is from another device");
    if (!from || f->scaled) return;
    sim_figure theirs = sim_figure_at(from, i);
    check_that(theirs.origin != SIM_BORROWED || theirs.scaled, __FILE__, __LINE__, what,
               "is known there");
    bool same = true;
    for (size_t n = 0; n < sizeof f->value / sizeof *f->value; n++)
        same = same && theirs.value[n] == f->value[n];
    check_that(same, __FILE__, __LINE__, what, "is the same there");
}

static void figures(void) {
    for (size_t d = 0; d < sim_profile_count(); d++)
        for (size_t i = 0; i < sim_figure_count(); i++) {
            sim_figure f = sim_figure_at(sim_profile_at(d), i);
            stated(sim_profile_at(d), &f);
            if (f.origin == SIM_BORROWED) borrowed(sim_profile_at(d), i, &f);
        }
}

/* A list is ascending and ends with all of shared memory; memory's clock and bus give its bandwidth
 * within a hundredth; only devices with clusters have groups for them. */
static void together(const sim_profile *p) {
    unsigned last = 0;
    while (last + 1 < SIM_SIZES && p->shared_carveouts_kb[last + 1]) {
        CHECK(p->shared_carveouts_kb[last] < p->shared_carveouts_kb[last + 1]);
        last++;
    }
    CHECK_INT(p->shared_carveouts_kb[last] * 1024u, p->shared_sm);
    CHECK_NEAR(p->memory_clock_ghz * 2 * p->bus_bits / 8, p->dram_gbs, 0.01 * p->dram_gbs);
    CHECK_INT(p->clusters, p->gpc_pairs[0] > 0);
    unsigned pairs = 0;
    for (unsigned k = 0; k < SIM_SIZES; k++) pairs += p->gpc_pairs[k];
    if (p->clusters) CHECK_INT(pairs, p->sms / 2);
    CHECK(p->shared_block_optin + p->shared_reserved <= p->shared_sm);
    CHECK(p->max_registers_thread <= p->max_registers_allocated);
    CHECK_INT(p->name && p->marketing && p->architecture, 1);
}

/* One of each origin, as the boards' files and their data sheets have it. */
static void known(void) {
    static const struct {
        const char *device, *figure;
        double value;
        sim_figure_origin origin;
        const char *from;
    } rows[] = {{"h200", "lat_l2", 288, SIM_MEASURED, NULL},
                {"h100", "sms", 132, SIM_DOCUMENTED, NULL},
                {"h100", "lat_l2", 288, SIM_BORROWED, "h200"},
                {"h100", "lat_alu", 4.1, SIM_MEASURED, NULL},
                {"a100", "tensor_macs", 1024, SIM_DOCUMENTED, NULL},
                {"g80", "max_grid_z", 1, SIM_DOCUMENTED, NULL}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t i = 0; i < sim_figure_count(); i++) {
            sim_figure f = sim_figure_at(sim_profile_find(rows[k].device), i);
            if (strcmp(f.name, rows[k].figure)) continue;
            CHECK_NEAR(f.value[0], rows[k].value, 0);
            CHECK_INT(f.origin, rows[k].origin);
            CHECK((f.from && rows[k].from) ? !strcmp(f.from, rows[k].from)
                                           : f.from == rows[k].from);
        }
    sim_profile other = {.name = "no board"};
    CHECK_INT(sim_figure_at(&other, 0).origin, SIM_UNSTATED);
}

int main(void) {
    figures();
    for (size_t d = 0; d < sim_profile_count(); d++) together(sim_profile_at(d));
    known();
    return check_done();
}
