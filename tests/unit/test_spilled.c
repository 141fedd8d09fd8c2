/* Registers that ran out: ptxas keeps values in local memory, whose loads and stores are
 * instructions of the machine code. The launch takes longer by their issue slots at least, and the
 * counters, which are of the PTX, leave them out. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include "assembled_fixture.h"

enum { VALUES = 48, ROUNDS = 100, BLOCK = 512 };

/* VALUES sums of each thread, side by side, round after round. */
static void write_kernel(char *to, size_t room, const char *directive) {
    size_t at =
        (size_t)snprintf(to, room,
                         ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry k(.param .u64 a)%s{\n.reg .pred %%p<2>; .reg .b32 "
                         "%%r<4>; .reg .f32 %%f<99>; .reg .b64 %%d<4>;\n"
                         "ld.param.u64 %%d1,[a]; mov.u32 %%r1,%%tid.x;\n"
                         "mad.wide.u32 %%d1,%%r1,4,%%d1; mov.u32 %%r2,0;\n",
                         directive);
    for (unsigned k = 0; k < VALUES; k++)
        at += (size_t)snprintf(to + at, room - at, "ld.global.f32 %%f%u,[%%d1+%u];\n", k,
                               4 * BLOCK * k);
    at += (size_t)snprintf(to + at, room - at, "L: .pragma \"nounroll\";\n");
    for (unsigned k = 0; k < VALUES; k++)
        at += (size_t)snprintf(to + at, room - at, "fma.rn.f32 %%f%u,%%f%u,%%f%u,%%f%u;\n", k, k, k,
                               (k + 1) % VALUES);
    at += (size_t)snprintf(to + at, room - at,
                           "add.u32 %%r2,%%r2,1; setp.ne.u32 %%p1,%%r2,%u; @%%p1 bra L;\n", ROUNDS);
    for (unsigned k = 0; k < VALUES; k++)
        at += (size_t)snprintf(to + at, room - at, "st.global.f32 [%%d1+%u],%%f%u;\n",
                               4 * BLOCK * k, k);
    snprintf(to + at, room - at, "ret;\n}\n");
}

/* How many instructions the loop has of local memory. */
static unsigned locals_of(const char *ptx) {
    lib_message msg = {0};
    assembled a = assembled_of(ptx, 90);
    sass_module *m = sass_read(a.text, a.text_len, &msg);
    const sass_func *f = m ? sass_find(m, "k") : NULL;
    unsigned n = 0;
    CHECK_STR(said(&msg), "");
    for (uint32_t k = 0; f && k < f->insn_count; k++) {
        const sass_opnd *to = f->insns[k].op == SASS_OP_BRA ? sass_target(&f->insns[k]) : NULL;
        if (!to || to->target >= k) continue;
        for (uint32_t i = to->target; i < k; i++)
            n += f->insns[i].op == SASS_OP_LDL || f->insns[i].op == SASS_OP_STL;
    }
    sass_free(m);
    assembled_free(&a);
    return n;
}

static sim_result launched(const char *ptx) {
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    if (!CHECK(d != NULL)) exit(1);
    sim_module *m = assembled_module(d, "h200", ptx);
    sim_addr a;
    CHECK_INT(sim_malloc(d, 4 * BLOCK * VALUES, &a), SIM_OK);
    CHECK_INT(sim_fill(d, a, 0, 4, BLOCK * VALUES), SIM_OK);
    sim_launch l = {.kernel = sim_module_kernel(m, "k"),
                    .grid = {1, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = &a,
                    .param_bytes = 8};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
    CHECK(r.by_machine_code);
    sim_module_free(m);
    sim_device_free(d);
    return r;
}

int main(void) {
    if (!assembled_here("registers that ran out")) return 0;
    static char text[2][16384];
    const sim_profile *p = sim_profile_find("h200");
    write_kernel(text[0], sizeof text[0], "");
    write_kernel(text[1], sizeof text[1], ".maxnreg 32 ");
    unsigned locals = locals_of(text[1]);
    CHECK(locals > 0 && locals_of(text[0]) == 0);
    sim_result r[2] = {launched(text[0]), launched(text[1])};
    double slots = (double)ROUNDS * locals * BLOCK / 32 / p->issue_per_cycle,
           longer = (r[1].time_us - r[0].time_us) * p->clock_ghz * 1e3;
    printf("# %u accesses a round: %.0f cycles longer, their slots %.0f\n", locals, longer, slots);
    CHECK(longer > slots);
    CHECK(!memcmp(&r[0].counters, &r[1].counters, sizeof r->counters));
    CHECK_INT(r[1].counters.local_ld_requests + r[1].counters.local_st_requests, 0);
    for (unsigned k = 0; k < 2; k++) sim_result_free(&r[k]);
    return check_done();
}
