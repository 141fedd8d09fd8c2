/* The assembler's report: reading one, running the real one (left out where there is none),
 * remembering, refusing. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/server/device.h"
#include "runner/device/sim/load/resources.h"
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

/* An assembler that ends as it is told, and notes how it was called. */
typedef struct {
    sim_command_end end;
    const char *report, *broken; /* what it prints; why it could not be started */
    unsigned calls;
    char argv[200];
    const volatile int *cancel;
    bool right; /* input, limits */
    const char *text;
    size_t len;
} assembler;
static sim_command_end assemble(void *user, const sim_command *c, lib_message *msg) {
    assembler *x = user;
    x->calls++, x->argv[0] = 0;
    for (unsigned k = 0; c->argv[k]; k++)
        snprintf(x->argv + strlen(x->argv), sizeof x->argv - strlen(x->argv), "%s ", c->argv[k]);
    x->cancel = c->cancel;
    x->right = c->input == x->text && c->input_len == x->len && c->seconds == 60 &&
               c->memory_bytes == UINT64_C(8) << 30 && c->output_max == 4 << 20 && !c->files &&
               !c->made;
    snprintf(c->output, c->output_max, "%s", x->report ? x->report : "");
    lib_message_set(msg, lib_words_plain((lib_texts){{x->broken}}));
    return x->end;
}

/* How it is called, what is said of each way it may end, and what is remembered of that. */
static void assemblers(void) {
    static const char first[] = ".target sm_90\n.entry k", same[] = ".target sm_90\n.entry j",
                      alone[] = "// sm_80a\n.target sm_90a, debug\n",
                      later[] = ".target sm_90\n// sm_90a\n", none[] = "sm_90a";
    static const struct {
        const char *text, *device;
        sim_ptxas ptxas;
        const char *argv;
    } calls[] = {
        {first, "h200", {0}, "ptxas -v -arch=sm_90 /dev/fd/0 -o /dev/null "},
        {first,
         "h200",
         {.path = "/opt/ptxas"},
         "/opt/ptxas -v -arch=sm_90 /dev/fd/0 -o /dev/null "},
        {first, "t4", {0}, "ptxas -v -arch=sm_75 /dev/fd/0 -o /dev/null "},
        {alone, "h200", {0}, "ptxas -v -arch=sm_90a /dev/fd/0 -o /dev/null "},
        {alone, "t4", {0}, "ptxas -v -arch=sm_75 /dev/fd/0 -o /dev/null "},
        {alone, "a100", {0}, "ptxas -v -arch=sm_80 /dev/fd/0 -o /dev/null "}, /* a comment's */
        {later, "h200", {0}, "ptxas -v -arch=sm_90 /dev/fd/0 -o /dev/null "},
        {none, "h200", {0}, "ptxas -v -arch=sm_90 /dev/fd/0 -o /dev/null "},
        {first,
         "h200",
         {.registers = 24},
         "ptxas -v -arch=sm_90 /dev/fd/0 -o /dev/null -maxrregcount=24 "},
        {first,
         "t4",
         {NULL, 255, '1'},
         "ptxas -v -arch=sm_75 /dev/fd/0 -o /dev/null -maxrregcount=255 -O1 "},
    };
    lib_message msg;
    int stop = 0;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        assembler x = {.report = "Compiling entry function 'k' for\nUsed 7 registers\n",
                       .text = calls[k].text,
                       .len = strlen(calls[k].text)};
        sim_resource_cache *c = sim_resource_cache_new(assemble, &x);
        const sim_resource *r = sim_resources_get(c, sim_profile_find(calls[k].device), x.text,
                                                  x.len, "k", &calls[k].ptxas, &stop, &msg);
        CHECK(r && r->registers == 7 && r->exact && !strcmp(r->name, "k"));
        CHECK_STR(x.argv, calls[k].argv);
        CHECK_STR(said(&msg), "");
        CHECK(x.right && x.cancel == &stop);
        sim_resource_cache_free(c);
    }
    static const struct {
        sim_command_end end;
        const char *report, *broken, *message;
        bool again; /* it is asked another time */
    } ends[] = {
        {SIM_COMMAND_MISSING, "", NULL, "no ptxas: registers are estimated", true},
        {SIM_COMMAND_STOPPED, "", NULL, "no ptxas: registers are estimated", true},
        {SIM_COMMAND_LATE, "", NULL, "the assembler took longer than 60 s", false},
        {SIM_COMMAND_BROKEN, "", "no more processes", "no more processes", false},
        {SIM_COMMAND_FAILED, "info\nptxas fatal : unresolved\nmore", NULL,
         "ptxas for sm_90 refused the module: fatal : unresolved", false},
        {SIM_COMMAND_FAILED, "ptxas x, line 3; error : bad\nfine", NULL,
         "ptxas for sm_90 refused the module: error : bad", false},
        {SIM_COMMAND_FAILED, "error : one\nptxas fatal : two\n", NULL,
         "ptxas for sm_90 refused the module: fatal : two", false},
        {SIM_COMMAND_FAILED, "went away\nfor good", NULL,
         "ptxas for sm_90 refused the module: went away", false},
        {SIM_COMMAND_DONE, "Compiling entry function 'j' for\nUsed 9 registers\n", NULL,
         "the assembler's report does not name this kernel", false},
    };
    const sim_profile *h200 = sim_profile_find("h200");
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        assembler x = {.end = ends[k].end,
                       .report = ends[k].report,
                       .broken = ends[k].broken,
                       .text = first,
                       .len = strlen(first)};
        sim_resource_cache *c = sim_resource_cache_new(assemble, &x);
        for (unsigned time = 0; time < 2; time++) {
            CHECK(!sim_resources_get(c, h200, first, strlen(first), "k", NULL, NULL, &msg));
            CHECK_STR(said(&msg), ends[k].message);
            CHECK_INT(x.calls, time && ends[k].again ? 2 : 1);
            CHECK(!sim_resources_get(c, h200, first, strlen(first), "k", NULL, NULL, NULL));
            x.calls -= ends[k].again;
        }
        sim_resource_cache_free(c);
    }
    /* by the text, its length and the architecture */
    assembler x = {.report = "Compiling entry function 'k' for\nUsed 7 registers\n"};
    sim_resource_cache *c = sim_resource_cache_new(assemble, &x);
    static const struct {
        const char *text;
        size_t len;
        const char *device;
        unsigned calls;
    } asks[] = {{first, 23, "h200", 1}, {first, 23, "h200", 1}, {first, 23, "h100", 1},
                {first, 23, "t4", 2},   {same, 23, "h200", 3},  {first, 22, "h200", 4},
                {first, 23, "t4", 4},   {same, 23, "h200", 4}};
    for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
        CHECK(sim_resources_get(c, sim_profile_find(asks[k].device), asks[k].text, asks[k].len, "k",
                                NULL, NULL, &msg) != NULL);
        CHECK_INT(x.calls, asks[k].calls);
    }
    /* and by the flags */
    static const sim_ptxas flags[] = {
        {.registers = 24}, {.registers = 25}, {.level = '1'}, {.registers = 24, .level = '1'}};
    for (unsigned k = 0; k < 8; k++) {
        CHECK(sim_resources_get(c, h200, first, 23, "k", &flags[k % 4], NULL, &msg) != NULL);
        CHECK_INT(x.calls, 4 + (k < 4 ? k + 1 : 4));
    }
    sim_resource_cache_free(c);
    /* all kernels at once: by name, whatever the report's order */
    x = (assembler){.report = "Compiling entry function 'm' for\nUsed 7 registers\n"
                              "Compiling entry function 'z' for\nUsed 8 registers\n"
                              "Compiling entry function 'b' for\nUsed 9 registers\n"};
    c = sim_resource_cache_new(assemble, &x);
    size_t count = 0;
    const sim_resource *rows = sim_resources_rows(c, h200, first, 23, NULL, NULL, &count);
    CHECK_INT(count, 3);
    static const struct {
        const char *name;
        unsigned registers; /* 0: none */
    } kernels[] = {{"b", 9}, {"m", 7}, {"z", 8}, {"a", 0}, {"mm", 0}, {"", 0}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const sim_resource *row = sim_resources_row(rows, count, kernels[k].name);
        CHECK_INT(row ? row->registers : 0, kernels[k].registers);
        if (k < 3) CHECK_STR(rows[k].name, kernels[k].name);
    }
    CHECK_INT(x.calls, 1);
    CHECK(!sim_resources_row(NULL, 0, "m"));
    sim_resource_cache_free(c);
    sim_resource_cache_free(NULL);
    c = sim_resource_cache_new(NULL, NULL); /* nobody runs commands */
    CHECK(!sim_resources_get(c, h200, first, 23, "k", NULL, NULL, &msg));
    CHECK_STR(said(&msg), "no ptxas: registers are estimated");
    CHECK(!sim_resources_rows(c, h200, first, 23, NULL, NULL, &count) && !count);
    sim_resource_cache_free(c);
}

/* What decides about registers in the command lines that cubins hold. */
static void flags_of(void) {
    static const struct {
        const char *command;
        unsigned registers;
        char level;
    } rows[] = {{"-arch sm_90 -m 64 ", 0, 0},
                {"-v  -maxrregcount 24  -arch sm_90 -m 64 ", 24, 0},
                {"--maxrregcount=255 -O1", 255, '1'},
                {"-O 0 -maxrregcount 256", 0, '0'},
                {"-maxrregcount", 0, 0},
                {"-maxrregcount 0 -O4 -Ofast-compile", 0, 0},
                {"-maxrregcount 24 -maxrregcount 32 -O3 -O2", 32, '2'},
                {"-O", 0, 0},
                {"", 0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_ptxas p = {0};
        sim_ptxas_flags(&p, rows[k].command);
        CHECK_INT(p.registers, rows[k].registers);
        CHECK_INT(p.level, rows[k].level);
    }
}

int main(void) {
    static const sim_ptxas never = {.path = ""}, nowhere = {.path = "/nonexistent/ptxas"};
    flags_of();
    assemblers();
    sim_resource *rows = NULL;
    size_t n = 0;
    CHECK_INT(sim_resources_parse(report, &rows, &n), 3);
    CHECK_INT(n, 3);
    CHECK_STR(rows[0].name, "_Z1ai");
    CHECK_INT(rows[0].registers, 32);
    CHECK_INT(rows[0].barriers, 1);
    CHECK_INT(rows[0].stack, 64);
    CHECK_INT(rows[0].spill_stores, 60);
    CHECK_INT(rows[0].spill_loads, 72);
    CHECK_INT(rows[0].shared, 4224);
    /* A function that it calls. */
    CHECK_STR(rows[1].name, "_Z6helperv");
    CHECK_INT(rows[1].registers, 0);
    CHECK_INT(rows[1].stack, 640);
    CHECK_INT(rows[1].spill_stores, 8);
    CHECK_INT(rows[1].spill_loads, 8);
    CHECK_STR(rows[2].name, "empty");
    CHECK_INT(rows[2].registers, 4);
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
    CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", &never, NULL, &msg) == NULL);
    CHECK_CONTAINS(said(&msg), "estimated");
    CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", &nowhere, NULL, &msg) == NULL);
    const sim_resource *r =
        sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", NULL, NULL, &msg);
    if (!r && !strcmp(said(&msg), "no ptxas: registers are estimated"))
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
        CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "small", &never, NULL, &msg) ==
              r); /* remembered: not run again */
        CHECK(sim_resources_get(c, h200, ptx, sizeof ptx - 1, "other", &never, NULL, &msg) == NULL);
        CHECK_CONTAINS(said(&msg), "does not name");
        CHECK(sim_resources_get(c, t4, ptx, sizeof ptx - 1, "small", NULL, NULL, &msg) != NULL);
        const char bad[] =
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(){ ret; }\n";
        CHECK(sim_resources_get(c, t4, bad, sizeof bad - 1, "k", NULL, NULL, &msg) ==
              NULL); /* target is newer than the device */
        CHECK_CONTAINS(said(&msg), "refused");
        const char alone[] = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(){ "
                             "wgmma.fence.sync.aligned; ret; }\n";
        CHECK(sim_resources_get(c, h200, alone, sizeof alone - 1, "k", NULL, NULL, &msg) != NULL);
        CHECK(sim_resources_get(c, t4, alone, sizeof alone - 1, "k", NULL, NULL, &msg) == NULL);
        const char junk[] = "not PTX at all";
        CHECK(sim_resources_get(c, h200, junk, sizeof junk - 1, "k", NULL, NULL, &msg) == NULL);
        CHECK_CONTAINS(said(&msg), "refused");
        CHECK(sim_resources_get(c, h200, "", 0, "k", NULL, NULL, &msg) == NULL);
    }
    sim_resource_cache_free(c);

    /* Compute capability 1.x: two thirds, and what keeps one block within 8,192 registers;
     * elsewhere the count itself. */
    CHECK_INT(sim_resources_registers(g80, 40, 512), 16);
    CHECK_INT(sim_resources_registers(g80, 12, 256), 8); /* two thirds */
    CHECK_INT(sim_resources_registers(h200, 200, 1024), 200);
    static const struct {
        unsigned registers, threads, want;
    } narrow[] = {
        {10, 32, 7},   {11, 32, 8},   {12, 32, 8},   {13, 32, 9},   /* two thirds, rounded up */
        {40, 448, 18}, {40, 449, 16}, {40, 480, 16}, {40, 481, 16}, /* of pairs of warps */
        {27, 448, 18}, {26, 448, 18}, {25, 448, 17}, {40, 0, 40},   {200, 64, 128}, {200, 65, 64}};
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
        CHECK_INT(sim_resources_registers(g80, narrow[k].registers, narrow[k].threads),
                  narrow[k].want);
    return check_done();
}
