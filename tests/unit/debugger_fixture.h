/* What the tests of the prompt and of the editor's protocol share: a program under the debugger
 * that is one launch of tests/unit/debug/kernel.cu, in the place of target.c. With i the thread's
 * number over the grid's first dimension, a[i] = i, n = 120, p = {0.5, 100}, c[i] is, by the
 * source,
 *
 *   i even   a[63 - x of its block] - 1               i odd   a[63 - x of its block]^2 + 1.5
 *   7        -1 in the end: thread 100 writes it too  120 on  -2, as it was before */
#ifndef WARPLAB_DEBUGGER_FIXTURE_H
#define WARPLAB_DEBUGGER_FIXTURE_H

#include <stdlib.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/debugger/target.h"
#include "runner/device/sim/sim.h"
#include "tests/said.h"

enum { ELEMENTS = 128, FIXTURE_BLOCK = 64, USED = 120 };

/* What the program does, to be set by a test. */
static struct {
    unsigned grid[3], rows, layers; /* a block has 64 * rows * layers threads */
    unsigned opening;               /* the line of the lesson's place */
    const char *kept_output;        /* what the program printed, where that is kept */
    const char *how;                /* it ended */
    const char *fails;              /* it cannot be run, and why */
    const char *log;                /* of the compiler, which fails */
    bool bounds;                    /* c is an element too short */
    const char *file;               /* the source's path in the place of /src/kernel.cu */
    bool own_kept;                  /* kept[k] = threadIdx.x * p.x: other threads have others */
    bool two_shared;                /* 20 bytes of shared memory before tile[] */
    unsigned dynamic;               /* bytes of shared memory that the launch asks for: more[] */
    const target_run *built;        /* what was to be built last */
    int launches;
} program;
static sim_addr in_a, in_c; /* where a and c lay */

bool target_build(target_run *r, char **log, lib_message *msg) {
    program.built = r;
    *log = program.log ? lib_strdup(program.log) : NULL;
    if (program.log) tell(msg, "it does not compile", "无法通过编译");
    return !program.log;
}
unsigned target_opening(const debugger_target *t) {
    return t->opening ? program.opening : 0;
}
void target_free(target_run *r) {
    free(r->output);
    r->output = NULL;
}

static bool fixture_launch(sim_device *d, sim_module *m, lib_message *msg) {
    size_t bytes = sizeof(float) * ELEMENTS, used = program.bounds ? 4 * (USED - 1) : bytes;
    float a[ELEMENTS], c[ELEMENTS];
    struct {
        sim_addr a, c;
        int n;
        struct {
            float x;
            int n;
        } p;
    } params = {.n = USED, .p = {0.5f, 100}};
    for (int i = 0; i < ELEMENTS; i++) a[i] = (float)i, c[i] = -2;
    if (sim_malloc(d, bytes, &params.a) || sim_malloc(d, used, &params.c)) return false;
    sim_write(d, params.a, a, bytes);
    sim_write(d, params.c, c, used);
    in_a = params.a, in_c = params.c;
    sim_launch l = {.kernel = sim_module_kernel(m, "_Z4workPKfPfi4pair"),
                    .grid = {program.grid[0], program.grid[1], program.grid[2]},
                    .block = {FIXTURE_BLOCK, program.rows, program.layers},
                    .dynamic_shared = program.dynamic,
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_result result;
    sim_run(d, &l, &result, msg);
    sim_result_free(&result);
    return true;
}

/* `text` with `to` in the place of `from`, which is there once; malloc'ed. */
static char *fixture_with(char *text, const char *from, const char *to) {
    char *at = text ? strstr(text, from) : NULL;
    char *all = at ? lib_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) : NULL;
    free(text);
    return all;
}

bool target_go(target_run *r, lib_message *msg) {
    if (program.fails) {
        tell(msg, program.fails, NULL);
        return false;
    }
    size_t n;
    char *ptx = lib_read_file("tests/unit/debug/kernel.ptx", 0, &n, msg);
    if (program.file) ptx = fixture_with(ptx, "/src/kernel.cu", program.file);
    if (program.own_kept)
        ptx = fixture_with(ptx, "cvt.rn.f32.s32 \t%f10, %r3;", "cvt.rn.f32.s32 \t%f10, %r10;");
    if (program.two_shared) {
        ptx =
            fixture_with(ptx, "// demoted variable", ".shared .b8 before[20]; // demoted variable");
        ptx = fixture_with(ptx, "mov.u32 \t%r11, %tid.x;",
                           "mov.u32 %r11, before; mov.u32 \t%r11, %tid.x;");
    }
    if (program.dynamic) {
        ptx = fixture_with(ptx, "// .globl\t_Z6squaref", ".extern .shared .align 4 .b8 more[];");
        ptx = fixture_with(ptx, "mov.u32 \t%r11, %tid.x;",
                           "mov.u32 %r11, more; mov.u32 \t%r11, %tid.x;");
    }
    sim_options o;
    sim_options_default(&o);
    o.debug = r->debug;
    sim_module_options mo = {.ptxas = ""};
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, msg);
    sim_module *m = d && ptx ? sim_module_new(d, ptx, strlen(ptx), &mo, msg) : NULL;
    free(ptx);
    bool ok = m && fixture_launch(d, m, msg);
    sim_module_free(m);
    sim_device_free(d);
    program.launches++;
    free(r->output);
    r->output = program.kept_output ? lib_strdup(program.kept_output) : NULL;
    lib_message_set(&r->how, lib_words_plain((lib_texts){{program.how}}));
    *msg = (lib_message){0};
    return ok;
}

#endif
