/* sin.approx and cos.approx (__sinf, __cosf) lose with large arguments what an H200 loses: around
 * 14 arguments the largest error, and the first result of each, as CUDA 13.0 measured them there.
 * The same bits on each instruction set of the host. */
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 64, PLACES = 14, N = AROUND * PLACES };

static const struct {
    float x;
    double sine, cosine, first; /* largest absolute errors; sin.approx(x) */
} h200[PLACES] = {
    {1e-3f, 1.49e-07, 7.89e-08, 0.000999970012},
    {0.5f, 2.46e-07, 1.87e-07, 0.47942543},
    {1, 2.07e-07, 1.74e-07, 0.841470897},
    {3, 6.2e-07, 1.29e-07, 0.141119942},
    {10, 9.39e-07, 9.2e-07, -0.544020295},
    {100, 1.5e-05, 1.59e-05, -0.506372511},
    {1e3f, 0.000134, 0.000118, 0.826806664},
    {1e4f, 0.00108, 0.00104, -0.304929137},
    {1e5f, 0.0157, 0.0144, 0.0429380164},
    {1e6f, 0.136, 0.132, -0.471396655},
    {1e8f, 0.998, 2, 0},
    {1e15f, 1, 2, 0},
    {4.495e18f, 0.977, 2, 0},
    {1e30f, 1, 2, 0},
};

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n"
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r1, 64, %r2;\nmul.wide.u32 %d2, %r3, 12;\nadd.u64 %d3, %d1, %d2;\n"
    "ld.global.f32 %f1, [%d3];\nsin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f1;\n"
    "st.global.f32 [%d3+4], %f2;\nst.global.f32 [%d3+8], %f3;\nret;\n}\n";

static float data[3][N][3]; /* x, sine, cosine, by instruction set */

static bool fill(const char *isa, float (*v)[3]) {
    lib_message m = {0};
    sim_options o;
    setenv("WARPLAB_SIM_ISA", isa, 1);
    sim_options_default(&o);
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_module *mod = d ? sim_module_new(d, text, strlen(text), NULL, &m) : NULL;
    sim_addr at = 0;
    for (int i = 0; i < N; i++) v[i][0] = h200[i / AROUND].x * (1 + (float)(i % AROUND) * 1.37e-3f);
    bool ok = mod && sim_malloc(d, sizeof data[0], &at) == SIM_OK &&
              sim_write(d, at, v, sizeof data[0]) == SIM_OK;
    sim_launch l = {.kernel = mod ? sim_module_kernel(mod, "k") : NULL,
                    .grid = {PLACES, 1, 1},
                    .block = {AROUND, 1, 1},
                    .params = &at,
                    .param_bytes = sizeof at};
    sim_result r = {0};
    ok = ok && sim_run(d, &l, &r, &m) == SIM_OK && sim_read(d, v, at, sizeof data[0]) == SIM_OK;
    if (!ok) printf("# %s: %s\n", isa, said(&m));
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
    return ok;
}

/* Within what the unit itself is good for, 2^-20.9 (PTX ISA), and 1% of what the reduction
 * loses. */
static bool as_measured(double error, double measured) {
    return fabs(error - measured) <= 5.1e-7 + 0.01 * measured;
}

int main(void) {
    static const char *const isa[] = {"base", "avx2", "avx512"};
    for (int k = 0; k < 3; k++)
        CHECK(fill(isa[k], data[k])); /* what the host lacks is the base's */
    CHECK(!memcmp((char *)data[0], (char *)data[1], sizeof data[0])); /* the bits */
    CHECK(!memcmp((char *)data[0], (char *)data[2], sizeof data[0]));
    for (int p = 0; p < PLACES; p++) {
        double sine = 0, cosine = 0, most = 0;
        const float(*v)[3] = (const float(*)[3])data[0][p * AROUND];
        for (int i = 0; i < AROUND; i++) {
            sine = fmax(sine, fabs((double)v[i][1] - sin((double)v[i][0])));
            cosine = fmax(cosine, fabs((double)v[i][2] - cos((double)v[i][0])));
            most = fmax(most, fmax(fabs((double)v[i][1]), fabs((double)v[i][2])));
        }
        char what[160];
        snprintf(what, sizeof what, "around %g: errors %.3g and %.3g, an H200 %.3g and %.3g",
                 (double)h200[p].x, sine, cosine, h200[p].sine, h200[p].cosine);
        check_that(as_measured(sine, h200[p].sine) && as_measured(cosine, h200[p].cosine), __FILE__,
                   __LINE__, what, what);
        CHECK_NEAR((double)v[0][1], h200[p].first, 5.1e-7);
        CHECK(most <= 1);
    }
    return check_done();
}
