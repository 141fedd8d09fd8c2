/* A block under the debugger as machine code: places, control fields, lanes and registers. The
 * kernel is `add` of tests/unit/sass/twins (twins.sm_90.sass): with i the thread's number in the
 * grid, out[i] = in[i] + in[i + n] for i < n. Here in[k] = k and n = 59990, so that in block 468
 * the last ten lanes of warp 2 end at 0x70. What is expected follows from that text: addresses,
 * and the encodings' upper words, whose fields sass.h describes. */
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/debug/debug.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/machine_fixture.h"
#include "tests/unit/ptx_fixture.h"

enum { N = 59990, GRID = 600, BLOCK = 128, ELEMENTS = 1 << 17, THREAD = 69, LANE = THREAD % 32 };
enum { FIRST = 468 * BLOCK + 64, I = 468 * BLOCK + THREAD };
#define ENDED 0xffc00000u

typedef struct {
    sim_device *device;
    sim_addr out;
    int stops;
    uint64_t tick;
    bool refused;
    char why[400];
} watch;

typedef struct {
    const char *name;
    uint32_t bits[32], written;
    bool found;
} wanted_register;

static void take_register(void *user, const char *name, const uint32_t *by_lane, uint32_t written) {
    wanted_register *w = user;
    if (strcmp(name, w->name)) return;
    memcpy(w->bits, by_lane, sizeof w->bits);
    w->written = written;
    w->found = true;
}

static wanted_register value_of(const sim_debug *d, const char *name) {
    wanted_register w = {.name = name};
    CHECK(sim_debug_machine_registers(d, take_register, &w));
    return w;
}

static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static sim_machine_place place(const sim_debug *d) {
    sim_machine_place p = {0};
    CHECK(sim_debug_machine_place(d, &p));
    return p;
}

static bool go(sim_debug *d, sim_machine_go how, unsigned times) {
    bool ok = true;
    for (unsigned k = 0; k < times; k++) ok = ok && sim_debug_machine_go(d, how);
    return ok;
}

static void look_at_places(sim_debug *d) {
    sim_machine_place p = place(d);
    CHECK_INT(p.insn.address, 0);
    CHECK_STR(p.insn.text, "LDC R1, c[0x0][0x28]");
    CHECK_INT(p.block[0], 468);
    CHECK_INT(p.thread[0], THREAD);
    CHECK(p.warp == 2 && p.lane == LANE);
    CHECK(p.step == 1 && p.steps == 19); /* 0x0 to 0x120 */
    CHECK(!go(d, SIM_MACHINE_BACK, 1));
    CHECK(go(d, SIM_MACHINE_STEP, 4)); /* 0x000e24: stall 2, sets 0; no wait */
    p = place(d);
    CHECK_STR(p.insn.text, "S2R R0, SR_TID.X");
    CHECK(p.insn.stall == 2 && p.insn.write_barrier == 0 && p.insn.read_barrier == -1);
    CHECK(!p.insn.wait && p.mask == UINT32_MAX && p.on == UINT32_MAX);
    CHECK(go(d, SIM_MACHINE_NEXT, 1)); /* 0x001fca: waits for 0, stall 5, sets none */
    p = place(d);
    CHECK(p.insn.address == 0x50 && p.insn.wait == 1 && p.insn.stall == 5);
    CHECK(p.insn.write_barrier == -1 && p.insn.read_barrier == -1);
    CHECK(go(d, SIM_MACHINE_STEP, 2));
    p = place(d);
    CHECK_STR(p.insn.text, "@P0 EXIT");
    CHECK(p.mask == UINT32_MAX && p.on == ENDED);
    wanted_register p0 = value_of(d, "P0");
    for (unsigned l = 0; l < 32; l++) CHECK_INT(p0.bits[l], FIRST + (int)l >= N);
    CHECK(p0.written == UINT32_MAX);
    CHECK(go(d, SIM_MACHINE_STEP, 1));
    p = place(d);
    CHECK(p.insn.address == 0x80 && p.mask == (uint32_t)~ENDED && p.on == p.mask);
}

static void look_at_registers(sim_debug *d) {
    CHECK(sim_debug_machine_to(d, false, false, 0x100));
    wanted_register r9 = value_of(d, "R9"), r3 = value_of(d, "R3"), r4 = value_of(d, "R4"),
                    r6 = value_of(d, "R6");
    CHECK_INT(r9.bits[LANE], I);
    CHECK_INT(r9.bits[31], FIRST + 31); /* it has ended, and still has it */
    CHECK_NEAR(as_float(r3.bits[LANE]), I, 0);
    CHECK_NEAR(as_float(r4.bits[LANE]), I + N, 0);
    CHECK(r6.written == (uint32_t)~ENDED); /* written at 0xa0, behind the exit */
    CHECK(go(d, SIM_MACHINE_STEP, 1));
    r9 = value_of(d, "R9");
    CHECK_NEAR(as_float(r9.bits[LANE]), 2 * I + N, 0);
    CHECK(go(d, SIM_MACHINE_BACK, 1));
    CHECK_INT(value_of(d, "R9").bits[LANE], I);
    CHECK(sim_debug_machine_to(d, true, false, 0x10)); /* before SR_CTAID.X gets there */
    CHECK(!value_of(d, "R9").written && value_of(d, "R1").written == UINT32_MAX);
    CHECK(!value_of(d, "R200").found);
}

static void look_at_end(sim_debug *d) {
    CHECK(go(d, SIM_MACHINE_LAST, 1));
    CHECK_INT(place(d).insn.address, 0x120);
    CHECK(!go(d, SIM_MACHINE_STEP, 1) && place(d).step == 19);
    CHECK(!sim_debug_machine_end(d));
    lib_message msg = {0};
    CHECK(sim_debug_focus_lane(d, 2, 25, &msg));
    sim_debug_machine_follow(d);
    sim_machine_place p = place(d);
    CHECK(p.insn.address == 0x70 && p.lane == 25 && p.step == 8 && p.steps == 8);
}

static void count_code(void *user, const sim_machine_insn *i, bool here) {
    unsigned *n = user;
    CHECK_INT(i->address, 0x50 + 0x10 * *n);
    CHECK(here == (i->address == 0x70));
    ++*n;
}

/* Machine code has not written the program's memory: the block has not run yet there. */
static void look_at_memory(const watch *w) {
    uint32_t word = 1;
    CHECK(sim_read(w->device, &word, w->out + 4 * I, 4) == SIM_OK && word == 0);
    CHECK(sim_read(w->device, &word, w->out, 4) == SIM_OK && as_float(word) == N);
}

static void stopped(void *user, sim_debug *d, const sim_stop *s) {
    watch *w = user;
    lib_message msg = {0};
    sim_place at;
    unsigned n = 0;
    switch (w->stops++) {
    case 0:
        CHECK_INT(s->reason, SIM_STOP_BREAK);
        w->tick = sim_debug_tick(d);
        w->refused = !sim_debug_machine(d, &msg);
        snprintf(w->why, sizeof w->why, "%s", said(&msg));
        break;
    case 1:
        if (w->refused) break;
        CHECK_INT(s->reason, SIM_STOP_MACHINE);
        if (!CHECK(sim_debug_machine_ready(d, &msg))) printf("# %s\n", said(&msg));
        look_at_memory(w);
        look_at_places(d);
        look_at_registers(d);
        look_at_end(d);
        sim_debug_machine_code(d, 2, 1, count_code, &n);
        CHECK_INT(n, 4);
        look_at_memory(w);
        sim_debug_machine_leave(d);
        break;
    case 2: /* where it was; and once more */
        CHECK_INT(s->reason, SIM_STOP_STEP);
        CHECK_INT(sim_debug_tick(d), w->tick);
        CHECK(sim_debug_frame(d, 0, &at) && at.block[0] == 468 && at.thread[0] == THREAD);
        CHECK(sim_debug_machine(d, &msg));
        break;
    case 3:
        CHECK(sim_debug_machine_ready(d, &msg) && place(d).steps == 19);
        sim_debug_machine_leave(d);
        break;
    case 4: CHECK_INT(sim_debug_tick(d), w->tick); break;
    case 5:
        CHECK_INT(s->reason, SIM_STOP_END);
        CHECK(!sim_debug_machine(d, &msg) && lib_message_any(&msg)); /* nobody is there */
        break;
    default: CHECK(!"another stop");
    }
}

/* The text that is got when somebody looks, not before. */
static const char *later_text;
static int later_reads;
static char *read_later(const char *program, const void *cubin, size_t n, size_t *len) {
    CHECK_STR(program, "program");
    CHECK(n > 4 && !memcmp(cubin, ELFMAG, SELFMAG));
    later_reads++;
    *len = strlen(later_text);
    return strdup(later_text);
}

/* The launch with this machine code. Its results are those of PTX in any case. */
static watch debugged(const char *ptx, size_t len, const char *text, size_t text_len,
                      unsigned cluster) {
    static uint8_t cubin[CUBIN];
    static float in[ELEMENTS], out[N];
    watch w = {0};
    lib_message msg = {0};
    sim_debug *g = sim_debug_new(stopped, &w);
    sim_options o;
    sim_options_default(&o);
    o.debug = g;
    sim_module_options mo = {.ptxas = "",
                             .cubin = cubin,
                             .cubin_len = machine_cubin(cubin),
                             .machine_code = later_text ? NULL : text,
                             .machine_code_len = later_text ? 0 : text_len};
    if (later_text) sim_debug_machine_from(g, read_later, "program");
    w.device = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module *m = w.device ? sim_module_new(w.device, ptx, len, &mo, &msg) : NULL;
    struct {
        sim_addr out, in;
        int64_t n;
    } params = {.n = N};
    for (int k = 0; k < ELEMENTS; k++) in[k] = (float)k;
    bool ok = m && sim_malloc(w.device, sizeof out, &params.out) == SIM_OK &&
              sim_malloc(w.device, sizeof in, &params.in) == SIM_OK &&
              sim_write(w.device, params.in, in, sizeof in) == SIM_OK &&
              sim_write(w.device, params.out, out, sizeof out) == SIM_OK;
    if (!CHECK(ok)) return w;
    w.out = params.out;
    CHECK(sim_debug_break(g, "add", "blockIdx.x == 468 && threadIdx.x == 69", &msg));
    sim_launch l = {.kernel = sim_module_kernel(m, "add"),
                    .grid = {GRID, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .cluster = {cluster, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_result r;
    if (!CHECK(sim_run(w.device, &l, &r, &msg) == SIM_OK)) printf("# %s\n", said(&msg));
    sim_result_free(&r);
    int bad = 0;
    CHECK(sim_read(w.device, out, params.out, sizeof out) == SIM_OK);
    for (int k = 0; k < N; k++) bad += out[k] != (float)(2 * k + N);
    CHECK_INT(bad, 0);
    sim_module_free(m);
    sim_device_free(w.device);
    sim_debug_free(g);
    memset(out, 0, sizeof out);
    return w;
}

int main(void) {
    size_t len = 0, text_len = 0;
    char *ptx = read_text("tests/unit/sass/twins/twins.90.ptx", &len),
         *text = read_text("tests/unit/sass/twins/twins.sm_90.sass", &text_len);
    static const char none[] = "\t.target\tsm_90\n";
    if (CHECK(ptx && text)) {
        watch w = debugged(ptx, len, text, text_len, 0);
        CHECK(!w.refused && w.stops == 6);
        w = debugged(ptx, len, none, sizeof none - 1, 0);
        CHECK(w.refused && w.stops == 2 && *w.why);
        w = debugged(ptx, len, NULL, 0, 0);
        CHECK(w.refused && strstr(w.why, "machine code"));
        later_text = text;
        w = debugged(ptx, len, text, text_len, 0);
        CHECK(!w.refused && w.stops == 6 && later_reads == 1);
        later_text = NULL;
        w = debugged(ptx, len, text, text_len, 2); /* the other block runs, too */
        CHECK(w.refused && strstr(w.why, "clusters"));
    }
    free(ptx);
    free(text);
    return check_done();
}
