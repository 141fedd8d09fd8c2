/* The decoder's rewriting (decode/slots.c) and machine code (native/native.h) change no result:
 * random programs of control flow (tests/ptx/flow.h) with and without them, on each of the host's
 * instruction sets, leave what plain C computes for each thread by itself. */
#include "runner/base/message.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/machine/image.h"
#include "runner/device/sim/module/module.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/ptx/flow.h"
#include <stdlib.h>

enum { THREADS = 40, BLOCKS = 2, ALL = THREADS * BLOCKS };

typedef struct {
    char name[64];
    sim_device *device;
    bool native;
    unsigned programs, wrong, smaller, compiled; /* smaller: than without rewriting */
} way;

static uint32_t in[ALL][FLOW_IN], want[ALL][FLOW_OUT], got[ALL][FLOW_OUT];
static const uint32_t k[2] = {5, 0xfffffff0};

static way way_open(sim_isa isa, bool rewrite, bool native) {
    way w = {.native = native};
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.model_time = o.count_lines = o.check_uninit = false;
    o.threads = 1;
    o.memory_limit = 64 << 20;
    if (native) o.run_command = dev_run_command;
    snprintf(w.name, sizeof w.name, "%s, rewriting %s%s", sim_isa_name(isa), rewrite ? "on" : "off",
             native ? ", machine code" : "");
    setenv("WARPLAB_SIM_ISA", sim_isa_name(isa), 1);
    setenv("WARPLAB_SIM_REWRITE", rewrite ? "on" : "off", 1);
    setenv("WARPLAB_SIM_NATIVE", native ? "now" : "off", 1);
    w.device = sim_device_new(sim_profile_find("h200"), &o, &msg);
    unsetenv("WARPLAB_SIM_ISA");
    unsetenv("WARPLAB_SIM_REWRITE");
    unsetenv("WARPLAB_SIM_NATIVE");
    if (!w.device) printf("# %s: %s\n", w.name, said(&msg));
    return w;
}

/* The image's instructions; 0: the program did not run. */
static size_t way_run(way *w, const char *text, size_t len, lib_message *msg) {
    sim_module_options mo = {.ptxas = ""};
    sim_addr from = 0, to = 0;
    *msg = (lib_message){0};
    sim_module *m = sim_module_new(w->device, text, len, &mo, msg);
    sim_kernel *f = m ? sim_module_kernel(m, "flow") : NULL;
    const sim_image *im = f ? sim_kernel_image(f, msg) : NULL;
    size_t size = im ? im->funcs[0].insn_count : 0;
    bool compiled = false;
    for (uint32_t s = 0; im && s < im->funcs[0].seg_count; s++)
        compiled |= im->funcs[0].segs[s].native != NULL;
    w->compiled += compiled;
    memset(got, 0xee, sizeof got);
    if (size && !sim_malloc(w->device, sizeof in, &from) &&
        !sim_malloc(w->device, sizeof got, &to)) {
        struct {
            sim_addr in, out;
            uint32_t k[2];
        } params = {from, to, {k[0], k[1]}};
        sim_launch l = {.kernel = f,
                        .grid = {BLOCKS, 1, 1},
                        .block = {THREADS, 1, 1},
                        .params = &params,
                        .param_bytes = sizeof params};
        sim_result r = {0};
        sim_write(w->device, from, in, sizeof in);
        sim_fill(w->device, to, 0, 4, sizeof got / 4);
        if (sim_run(w->device, &l, &r, msg) || sim_read(w->device, got, to, sizeof got)) size = 0;
        sim_result_free(&r);
    }
    if (from) sim_free(w->device, from);
    if (to) sim_free(w->device, to);
    sim_module_free(m);
    return size;
}

/* False: a thread of it takes too long. */
static bool expected(const flow_program *p) {
    memset(want, 0, sizeof want);
    for (uint32_t t = 0; t < ALL; t++)
        if (!flow_thread(p, t % THREADS, k, in[t], want[t])) return false;
    return true;
}

static void hold(way *ways, unsigned count, uint64_t seed, bool native) {
    flow_program p;
    flow_make(&p, seed);
    for (uint32_t t = 0; t < ALL; t++)
        for (unsigned n = 0; n < FLOW_IN; n++) {
            static const uint32_t odd[] = {0, 1, 0x7f800001, 0xffc00000, 0x80000000, 0x3f800000};
            in[t][n] =
                flow_draw(&p, 2) ? flow_draw(&p, 8) : odd[flow_draw(&p, 6)] ^ flow_draw(&p, 2);
        }
    char *text = NULL;
    size_t len, plain = 0;
    if (!expected(&p)) return;
    FILE *o = open_memstream(&text, &len);
    flow_text(o, &p);
    fclose(o);
    for (unsigned n = 0; n < count; n++) {
        way *w = &ways[n];
        lib_message msg;
        if (w->native != native) continue;
        size_t size = way_run(w, text, len, &msg);
        if (!plain) plain = size; /* the first is without rewriting */
        w->programs++;
        w->smaller += size < plain;
        if (size && !memcmp(got, want, sizeof got)) continue;
        if (w->wrong++ >= 3) continue;
        unsigned at = 0;
        while (at < ALL * FLOW_OUT - 1 && got[0][at] == want[0][at]) at++;
        printf("# %s: seed %llu: thread %u, word %u: 0x%x, want 0x%x %s\n", w->name,
               (unsigned long long)seed, at / FLOW_OUT, at % FLOW_OUT, got[0][at], want[0][at],
               said(&msg));
    }
    free(text);
}

int main(int argc, char **argv) {
    bool fast = check_fast();
    unsigned programs = fast ? 200 : 1000, compiled = fast ? 2 : 12, count = 0;
    way ways[2 * SIM_ISA_COUNT + 2];
    for (unsigned s = 0; s < SIM_ISA_COUNT; s++)
        for (int rewrite = 0; rewrite < 2 && sim_isa_runs((sim_isa)s); rewrite++)
            ways[count++] = way_open((sim_isa)s, rewrite, false);
    for (int rewrite = 0; rewrite < 2; rewrite++)
        ways[count++] = way_open(sim_isa_best(), rewrite, true);
    for (unsigned n = 0; n < count; n++) CHECK(ways[n].device != NULL);
    if (argc > 1) { /* a seed that failed */
        flow_program p;
        flow_make(&p, strtoull(argv[1], NULL, 0));
        flow_text(stdout, &p);
    }
    for (uint64_t seed = 1; ways[0].programs < programs && seed < 4 * programs; seed++)
        hold(ways, count, seed, false);
    way *last = &ways[count - 1];
    for (uint64_t seed = 1; last->programs < compiled && seed < 100; seed++)
        hold(ways, count, seed, true);
    for (unsigned n = 0; n < count; n++) {
        printf("# %s: %u programs, %u of fewer instructions\n", ways[n].name, ways[n].programs,
               ways[n].smaller);
        check_that(!ways[n].wrong, __FILE__, __LINE__, ways[n].name, "see above");
        CHECK_INT(ways[n].programs, ways[n].native ? compiled : programs);
        if (ways[n].native) CHECK(ways[n].compiled > compiled / 2); /* not those that spin */
        sim_device_free(ways[n].device);
    }
    CHECK(ways[1].smaller > programs / 2); /* something was rewritten */
    return check_done();
}
