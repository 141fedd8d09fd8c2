/* What the assembler keeps in local memory because registers ran out has no instruction in the PTX.
 * The clock puts it where too many values are needed, and replays it as accesses to local memory;
 * counters leave it out. Expected: by hand from the rules in time_code.c (places), from the
 * profile's rates and latencies (times). */
#include "guess_fixture.h"
#include "runner/device/sim/sim.h"
#include "tests/said.h"

/* ---- places ---- */

/* Twenty values are made, `body` stores need none of them, each value is stored. */
static time_code *values(unsigned body, time_assembled of, ptx_module **module) {
    char text[8192];
    size_t n = 0;
#define PUT(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    PUT(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(){\n.reg .b32 %%r<4>; "
        ".reg .f32 %%f<99>;\n");
    for (unsigned k = 0; k < 20; k++) PUT("add.f32 %%f%u,%%f90,%%f91;\n", k);
    PUT("bar.sync 0;\n");
    for (unsigned k = 0; k < body; k++) PUT("st.shared.f32 [%%r1],%%f90;\n");
    PUT("bar.sync 0;\n");
    for (unsigned k = 0; k < 20; k++) PUT("st.shared.f32 [%%r1],%%f%u;\n", k);
    PUT("ret;\n}\n");
#undef PUT
    lib_message msg = {0};
    *module = ptx_parse(text, n, &msg);
    CHECK_STR(said(&msg), "");
    return time_code_new(sim_profile_find("h200"), *module, &of, NULL);
}

/* With 12 registers, two of them for other things, ten values have room. Beyond that: 1, 2 ... 9
 * values at the instructions that make the last nine, 10 at each of the barriers and of the body,
 * 10, 9 ... 1 where the first ten are stored: 45 + 10, 80 + 10, 55. With 64 it is nowhere too much;
 * 20 values are needed at the first barrier, nine times in the second part, and at the first
 * store. */
static void places(void) {
    static const struct {
        unsigned registers, body;
        double part[3];
    } rows[] = {{12, 8, {55, 90, 55}}, {64, 8, {1, 9, 1}}, {12, 28, {55, 290, 55}}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_module *m;
        time_assembled of = {rows[k].registers, 40, 880};
        time_code *c = values(rows[k].body, of, &m);
        double all = rows[k].part[0] + rows[k].part[1] + rows[k].part[2];
        CHECK_INT(c->region_count, 3);
        for (unsigned r = 0; r < 3; r++) {
            SAME("h200", "loads", c->regions[r].spill_loads, 220 * rows[k].part[r] / all);
            SAME("h200", "stores", c->regions[r].spill_stores, 10 * rows[k].part[r] / all);
            CHECK_INT(c->regions[r].spill_words, 10);
        }
        CHECK(c->ops[c->spills].kind == TIME_LOAD && c->ops[c->spills + 1].kind == TIME_STORE);
        time_code_free(c);
        ptx_free(m);
    }
    ptx_module *m;
    time_code *c = values(8, (time_assembled){12, 0, 0}, &m);
    CHECK_INT(c->spills, 0);
    time_code_free(c);
    ptx_free(m);
}

/* ---- times ---- */

/* One value in the loop, which is all that is needed anywhere: every word that is spilled is
 * there. */
static play loop(const time_assembled *of, unsigned warps) {
    return (play){.profile = "h200",
                  .body = "add.f32 %f1,%f2,%f3;\nst.shared.f32 [%r1],%f1;\n@%p1 bra L;\n",
                  .warps = warps,
                  .share = rates,
                  .at_once = true,
                  .of = of};
}

/* A lone warp waits at the loop's end until a load has its word from L1, which takes it for the
 * bytes of 32 lanes and then its latency (model-tables.md: what is beyond a cycle counts 1.5 times
 * more of 43); then it branches. */
static void one_load(void) {
    const sim_profile *p = sim_profile_find("h200");
    time_assembled of = {32, 0, 4};
    double slot = p->schedulers / p->issue_per_cycle,
           l1 = max_of(128 / p->l1_bytes_cycle, 1 / p->rate_ldst),
           answer = l1 - 1 + p->lat_l1 * (1 + 1.5 / 43 * (l1 - 1)), bare = round_of(loop(NULL, 1)),
           round = answer + slot + p->branch_cycles;
    play y = loop(&of, 1);
    SAME("h200", "a load", round_of(y), round);
    CHECK(bare < round - 20);
}

/* Sixteen warps that store four words each time: L2 has a line and four sectors of each. */
static void stores(void) {
    time_assembled of = {32, 16, 0};
    play y = loop(&of, 16);
    SAME("h200", "stores", round_of(y),
         16 * 4 * max_of(rates.l2_store_cycles, 4 * rates.l2_written_cycles));
}

/* Words for which L1 has no room come from L2: of four words of each of 32 warps' lanes it has
 * half, so two sectors of each line are sent for. With room it is L1's time, not L2's. */
static void no_room(void) {
    const sim_profile *p = sim_profile_find("h200");
    double words = 32 * 4 * 128.0, l1 = max_of(128 / p->l1_bytes_cycle, 1 / p->rate_ldst),
           stored = 32 * 4 * max_of(rates.l2_store_cycles, 4 * rates.l2_written_cycles),
           sent = 32 * 40 * max_of(rates.l2_line_cycles, 2 * rates.l2_sector_cycles);
    time_assembled of = {32, 16, 160};
    play y = loop(&of, 32);
    y.share.l1_bytes = words / 2;
    SAME("h200", "from L2", round_of(y), stored + sent);
    y.share.l1_bytes = words;
    double with_room = 32 * 44 * l1 + 32; /* and a store to shared memory */
    CHECK(with_room > stored && fabs(round_of(y) - with_room) < 0.1);
}

/* ---- a device ---- */

static const char *report;
static sim_command_end assembler(void *user, const sim_command *c, lib_message *msg) {
    (void)user, (void)msg;
    if (strcmp(c->argv[0], "ptxas")) return SIM_COMMAND_MISSING;
    snprintf(c->output, c->output_max, "%s", report);
    return SIM_COMMAND_DONE;
}

static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a){\n"
    ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<9>; .reg .b64 %d<4>;\n"
    ".loc 1 1 0\nld.param.u64 %d1,[a]; mov.u32 %r1,%tid.x; mul.wide.u32 %d2,%r1,4;\n"
    "add.s64 %d1,%d1,%d2; mov.u32 %r2,0; ld.global.f32 %f1,[%d1];\n"
    "L: fma.rn.f32 %f1,%f1,%f1,%f1; fma.rn.f32 %f1,%f1,%f1,%f1; add.u32 %r2,%r2,1;\n"
    "setp.ne.u32 %p1,%r2,100; @%p1 bra L;\nst.global.f32 [%d1],%f1; ret; }\n";

static sim_result launched(const char *says) {
    report = says;
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.run_command = assembler;
    o.threads = 1;
    o.what_if = true;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module *m = sim_module_new(d, kernel, sizeof kernel - 1, &(sim_module_options){0}, &msg);
    CHECK_STR(said(&msg), "");
    sim_addr a;
    CHECK_INT(sim_malloc(d, 4096, &a), SIM_OK);
    CHECK_INT(sim_fill(d, a, 0, 4, 1024), SIM_OK);
    sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                    .grid = {132, 1, 1},
                    .block = {256, 1, 1},
                    .params = &a,
                    .param_bytes = 8};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
    sim_module_free(m);
    sim_device_free(d);
    return r;
}

/* The launch takes longer, what-if without local memory gives back what it takes, and no counter
 * has what the PTX does not. */
static void launches(void) {
    static const char says[2][200] = {
        "Compiling entry function 'k' for\nFunction properties for k\n0 bytes stack frame, 0 bytes "
        "spill stores, 0 bytes spill loads\nUsed 32 registers\n",
        "Compiling entry function 'k' for\nFunction properties for k\n48 bytes stack frame, 48 "
        "bytes spill stores, 48 bytes spill loads\nUsed 32 registers\n"};
    sim_result r[2] = {launched(says[0]), launched(says[1])};
    CHECK(r[1].time_us > 1.3 * r[0].time_us);
    CHECK(!memcmp(&r[0].counters, &r[1].counters, sizeof r->counters));
    CHECK_INT(r[1].counters.local_ld_requests + r[1].counters.local_st_requests, 0);
    CHECK(r[1].what_if && r[1].what_if[SIM_COST_LOCAL].line_count > 0);
    if (r[1].what_if)
        SAME("h200", "without local memory", r[1].what_if[SIM_COST_LOCAL].time_us, r[0].time_us);
    sim_result_free(&r[0]);
    sim_result_free(&r[1]);
}

int main(void) {
    places();
    one_load();
    stores();
    no_room();
    launches();
    return check_done();
}
