/* The assembler's report: reading one, running the real one (left out where there is none),
 * remembering, refusing. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "runner/device/device.h"
#include "runner/sim/load/resources.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char report[] =
    "ptxas info    : 24 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z1ai' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z6helperv\n"
    "    640 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Function properties for _Z1ai\n"
    "    64 bytes stack frame, 60 bytes spill stores, 72 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 64 bytes cumulative stack "
    "size, 4224 bytes smem, 528 bytes cmem[0], 8 bytes cmem[2]\n"
    "ptxas info    : Compile time = 4.7 ms\n"
    "ptxas info    : Compiling entry function 'empty' for 'sm_90'\n"
    "ptxas info    : Function properties for empty\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 4 registers";

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry small(.param .u64 p){ .shared .align 4 .b8 s[1040]; "
                          ".reg .b64 %d<3>; .reg .b32 %r<4>;\n"
                          " ld.param.u64 %d1,[p]; mov.u32 %r1,%tid.x; mov.u32 %r2,s; shl.b32 "
                          "%r3,%r1,2; add.u32 %r2,%r2,%r3;\n"
                          " st.shared.u32 [%r2],%r1; bar.sync 0; ld.shared.u32 %r3,[%r2+4]; "
                          "st.global.u32 [%d1],%r3; ret; }\n";

int main(void) {
    sim_resource *rows = NULL;
    size_t n = 0;
    CHECK_INT(sim_resources_parse(report, &rows, &n), 2);
    CHECK_INT(n, 2);
    CHECK_STR(rows[0].name, "_Z1ai");
    CHECK_INT(rows[0].registers, 32);
    CHECK_INT(rows[0].barriers, 1);
    CHECK_INT(rows[0].stack, 64);
    CHECK_INT(rows[0].spill_stores, 60);
    CHECK_INT(rows[0].spill_loads, 72);
    CHECK_INT(rows[0].shared, 4224);
    CHECK_INT(rows[0].constant, 536);
    CHECK_STR(rows[1].name, "empty");
    CHECK_INT(rows[1].registers, 4);
    CHECK_INT(sim_resources_parse("", &rows, &n), 0);
    CHECK_INT(sim_resources_parse(
                  "Used 5 registers\n bytes stack frame\nFunction properties for \n", &rows, &n),
              0);
    /* A line is read to 1023 bytes. */
    char text[2048] = "Compiling entry function '";
    size_t before = strlen(text);
    memset(text + before, 'x', sizeof text - before - 1);
    CHECK_INT(sim_resources_parse(text, &rows, &n), 1);
    CHECK_INT(strlen(rows[n - 1].name), 1023 - before);
    for (size_t i = 0; i < n; i++) free(rows[i].name);
    free(rows);

    const sim_profile *h200 = sim_profile_find("h200"), *t4 = sim_profile_find("t4"),
                      *g80 = sim_profile_find("g80");
    lib_message msg;
    sim_resource_cache *c = sim_resource_cache_new(dev_run_command, NULL);
    CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", "", NULL, &msg) == NULL);
    CHECK_CONTAINS(msg.text, "estimated");
    CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", "/nonexistent/ptxas", NULL,
                            &msg) == NULL);
    const sim_resource *r =
        sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", NULL, NULL, &msg);
    if (!r && !strcmp(msg.text, "no ptxas: registers are estimated"))
        printf("# no ptxas on this machine: the rest is left out\n");
    else {
        CHECK(r != NULL);
        if (r) {
            CHECK(r->exact);
            CHECK_INT(r->shared, 1040); /* as declared */
            CHECK_INT(r->barriers, 1);
            CHECK_INT(r->spill_stores, 0);
            CHECK(r->registers >= 4 && r->registers <= 16);
        }
        CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", "", NULL, &msg) ==
              r); /* remembered: not run again */
        CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "other", "", NULL, &msg) == NULL);
        CHECK_CONTAINS(msg.text, "does not name");
        CHECK(sim_resources_get(c, t4, ptx, sizeof ptx - 1, "small", NULL, NULL, &msg) != NULL);
        const char bad[] =
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(){ ret; }\n";
        CHECK(sim_resources_get(c, t4, bad, sizeof bad - 1, "k", NULL, NULL, &msg) ==
              NULL); /* target is newer than the device */
        CHECK_CONTAINS(msg.text, "refused");
        const char alone[] = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(){ "
                             "wgmma.fence.sync.aligned; ret; }\n";
        CHECK(sim_resources_get(c, h200, alone, sizeof alone - 1, "k", NULL, NULL, &msg) != NULL);
        CHECK(sim_resources_get(c, t4, alone, sizeof alone - 1, "k", NULL, NULL, &msg) == NULL);
        const char junk[] = "not PTX at all";
        CHECK(sim_resources_get(c, h200, junk, sizeof junk - 1, "k", NULL, NULL, &msg) == NULL);
        CHECK_CONTAINS(msg.text, "refused");
        CHECK(sim_resources_get(c, h200, "", 0, "k", NULL, NULL, &msg) == NULL);
    }
    sim_resource_cache_free(c);

    /* Compute capability 1.x: two thirds, and what keeps one block within 8,192 registers;
     * elsewhere the count itself. */
    CHECK_INT(sim_resources_registers(g80, 40, 512), 16);
    CHECK_INT(sim_resources_registers(g80, 12, 256), 8); /* two thirds */
    CHECK_INT(sim_resources_registers(h200, 200, 1024), 200);
    return check_done();
}
