/* A module as its caller sees it (sim.h: modules): its kernels' facts as their directives say them
 * (PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives"), their names without
 * arguments, its variables' initial values with addresses in them ("Initializers", "Variable and
 * Function Attribute"), what it takes of the host, and what is refused. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include <stdlib.h>

#define HEAD(sm) ".version 8.3\n.target " sm "\n.address_size 64\n"

#define EXTERN(align) ".extern .shared .align " align " .b8 e" align "[];"

static sim_device *device(const char *profile, uint64_t memory) {
    sim_options o;
    lib_message m = {0};
    sim_options_default(&o);
    o.threads = 1;
    o.memory_limit = memory;
    sim_device *d = sim_device_new(sim_profile_find(profile), &o, &m);
    if (!d) printf("# %s\n", said(&m));
    return d;
}

static lib_message msg;
static sim_module *load(sim_device *d, const char *text, sim_module_options o) {
    o.ptxas = "";
    memset(&msg, 'x', sizeof msg - 1);
    return sim_module_new(d, text, strlen(text), &o, &msg);
}

/* ---- kernels ---- */

static void kernels(void) {
    static const char *const devices[] = {"h200", "t4", "g80"};
    const struct {
        const char *params, *directives, *shared;
        unsigned offset[3], size[3], bytes; /* of parameters, each at a multiple of its size */
        unsigned threads;                   /* 0: as many as the device takes */
        unsigned block[3], cluster[3], most, explicit, own;
    } rows[] = {
        {"", "", "", {0}, {0}, 0, 0, {0}, {0}, 0, 0, 0},
        {".param .u32 a, .param .u64 b, .param .u8 c",
         "",
         "",
         {0, 8, 16},
         {4, 8, 1},
         17,
         0,
         {0},
         {0},
         0,
         0,
         0},
        {".param .u8 a, .param .align 4 .b8 b[6], .param .u16 c",
         "",
         "",
         {0, 4, 10},
         {1, 6, 2},
         12,
         0,
         {0},
         {0},
         0,
         0,
         0},
        {"", ".maxntid 96", "", {0}, {0}, 0, 96, {0}, {0}, 0, 0, 0},
        {"", ".maxntid 16,8", "", {0}, {0}, 0, 128, {0}, {0}, 0, 0, 0},
        {"", ".maxntid 4,5,6", "", {0}, {0}, 0, 120, {0}, {0}, 0, 0, 0},
        {"", ".maxntid 511", "", {0}, {0}, 0, 511, {0}, {0}, 0, 0, 0},
        {"", ".maxntid 4096", "", {0}, {0}, 0, 0, {0}, {0}, 0, 0, 0},
        {"", ".reqntid 32,2,3", "", {0}, {0}, 0, 0, {32, 2, 3}, {0}, 0, 0, 0},
        {"", ".reqnctapercluster 4", "", {0}, {0}, 0, 0, {0}, {4, 1, 1}, 0, 0, 0},
        {"", ".reqnctapercluster 2,3", "", {0}, {0}, 0, 0, {0}, {2, 3, 1}, 0, 0, 0},
        {"", ".reqnctapercluster 2,0", "", {0}, {0}, 0, 0, {0}, {2, 1, 1}, 0, 0, 0},
        {"", ".explicitcluster .maxclusterrank 7", "", {0}, {0}, 0, 0, {0}, {0}, 7, 1, 0},
        {"", "", ".shared .align 4 .b8 s[1000];", {0}, {0}, 0, 0, {0}, {0}, 0, 0, 1000},
        {"", "", ".shared .align 4 .b8 s[16383];", {0}, {0}, 0, 0, {0}, {0}, 0, 0, 16383},
        {"", "", ".shared .align 4 .b8 s[16384];", {0}, {0}, 0, 0, {0}, {0}, 0, 0, 16384},
    };
    for (unsigned d = 0; d < sizeof devices / sizeof *devices; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            sim_device *v = device(devices[d], 0);
            const sim_profile *p = sim_profile_find(devices[d]);
            char text[600];
            bool cluster = strstr(rows[k].directives, "cluster");
            snprintf(text, sizeof text, "%s.visible .entry k(%s) %s { %s ret; }\n",
                     cluster ? HEAD("sm_90") : HEAD("sm_70"), rows[k].params, rows[k].directives,
                     rows[k].shared);
            sim_module *m = load(v, text, (sim_module_options){0});
            sim_kernel *f = m ? sim_module_kernel(m, "k") : NULL;
            CHECK_STR(said(&msg), "");
            if (!CHECK(f)) continue;
            const sim_kernel_info *i = sim_kernel_get(f);
            unsigned n = 0;
            while (n < 3 && rows[k].size[n]) n++;
            CHECK_STR(i->name, "k");
            CHECK_STR(i->pretty, "k");
            CHECK_INT(i->param_count, n);
            CHECK(!memcmp(i->param_offset, rows[k].offset, n * sizeof *i->param_offset));
            CHECK(!memcmp(i->param_size, rows[k].size, n * sizeof *i->param_size));
            CHECK_INT(i->param_bytes, rows[k].bytes);
            CHECK_INT(i->ptx_version, cluster ? 90 : 70);
            CHECK(!i->resources_exact && !i->spill_bytes && !i->local_bytes);
            /* as many as limit nothing */
            CHECK_INT(i->registers, p->registers_sm / p->max_threads_sm);
            CHECK_INT(i->max_threads, rows[k].threads && rows[k].threads < p->max_threads_block
                                          ? rows[k].threads
                                          : p->max_threads_block);
            CHECK(!memcmp(i->required_block, rows[k].block, sizeof i->required_block));
            CHECK(!memcmp(i->required_cluster, rows[k].cluster, sizeof i->required_cluster));
            CHECK_INT(i->max_cluster, rows[k].most);
            CHECK_INT(i->needs_cluster, rows[k].explicit);
            CHECK_INT(i->static_shared, rows[k].own);
            CHECK_INT(i->max_dynamic_shared, p->shared_block - rows[k].own);
            /* up to what a block may have beyond the default, its own included */
            uint64_t room = p->shared_block_optin - rows[k].own;
            CHECK_INT(sim_kernel_set_max_dynamic_shared(f, room + 1), SIM_BAD_ARGUMENT);
            CHECK_INT(sim_kernel_get(f)->max_dynamic_shared, p->shared_block - rows[k].own);
            CHECK_INT(sim_kernel_set_max_dynamic_shared(f, room), SIM_OK);
            CHECK_INT(sim_kernel_get(f)->max_dynamic_shared, room);
            CHECK_INT(sim_kernel_set_max_dynamic_shared(f, room / 3), SIM_OK);
            CHECK_INT(sim_kernel_get(f)->max_dynamic_shared, room / 3);
            sim_module_free(m);
            sim_device_free(v);
        }
}

/* Static shared memory beside dynamic, as the vendor's assembler says it (ptxas 13.0 -v: "bytes
 * smem") of kernels with a byte array and a module with extern arrays, which the kernel uses or
 * not: it ends at a multiple of their greatest alignment and of 16, where there is any. */
static void static_shared(void) {
    static const struct {
        const char *outside, *use;
        unsigned own, want;
    } rows[] = {
        {"", "", 5, 5},
        {"", "", 1025, 1025},
        {EXTERN("1"), "", 0, 0},
        {EXTERN("64"), "mov.u32 %r1, e64;", 0, 0},
        {EXTERN("1"), "", 1, 16},
        {EXTERN("4"), "mov.u32 %r1, e4;", 16, 16},
        {EXTERN("16"), "", 17, 32},
        {EXTERN("16"), "mov.u32 %r1, e16;", 1024, 1024},
        {EXTERN("16"), "mov.u32 %r1, e16;", 1025, 1040},
        {EXTERN("32"), "", 5, 32},
        {EXTERN("256"), "mov.u32 %r1, e256;", 5, 256},
        {EXTERN("4") EXTERN("64"), "mov.u32 %r1, e4;", 5, 64},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[600], own[40] = "";
        if (rows[k].own) snprintf(own, sizeof own, ".shared .b8 s[%u];", rows[k].own);
        snprintf(text, sizeof text,
                 HEAD("sm_70") "%s .visible .entry k() { .reg .b32 %%r<3>; %s %s ret; }\n",
                 rows[k].outside, own, rows[k].use);
        sim_device *d = device("h200", 0);
        sim_module *m = load(d, text, (sim_module_options){0});
        sim_kernel *f = m ? sim_module_kernel(m, "k") : NULL;
        CHECK_STR(said(&msg), "");
        if (!CHECK(f)) continue;
        const sim_profile *p = sim_profile_find("h200");
        sim_launch l = {.kernel = f, .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared = 100};
        sim_result r;
        for (unsigned launched = 0; launched < 2; launched++) {
            CHECK_INT(sim_kernel_get(f)->static_shared, rows[k].want);
            CHECK_INT(sim_kernel_get(f)->max_dynamic_shared, p->shared_block - rows[k].want);
            if (launched) break;
            CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
            sim_result_free(&r);
        }
        sim_module_free(m);
        sim_device_free(d);
    }
}

/* Only entries with a body are kernels, each by its own name. */
static void which_kernels(void) {
    sim_device *d = device("h200", 0);
    sim_module *m = load(d,
                         HEAD("sm_80") ".func f() { ret; }\n.visible .entry a() { ret; }\n"
                                       ".extern .func g();\n.entry ab() { ret; }\n",
                         (sim_module_options){0});
    static const struct {
        const char *name;
        bool there;
    } rows[] = {{"a", true},  {"ab", true}, {"abc", false}, {"b", false},
                {"f", false}, {"g", false}, {"", false}};
    for (size_t k = 0; m && k < sizeof rows / sizeof *rows; k++) {
        sim_kernel *f = sim_module_kernel(m, rows[k].name);
        CHECK_INT(!!f, rows[k].there);
        if (f) CHECK_STR(sim_kernel_get(f)->name, rows[k].name);
    }
    CHECK(m);
    sim_module_free(m);
    sim_device_free(d);
}

/* ---- names ---- */

static const char *demangled;
static char *demangle(const char *name) {
    CHECK_STR(name, "_Z1kv");
    return demangled ? strdup(demangled) : NULL;
}

/* The whole name with its scopes and template arguments; what it returns and what it takes are left
 * out. */
static void names(void) {
    static const struct {
        const char *full, *pretty;
    } rows[] = {
        {NULL, "_Z1kv"}, /* it is none of C++'s */
        {"k()", "k"},
        {"k", "k"},
        {"k(int, float (*)(int))", "k"},
        {"ns::inner::k(int)", "ns::inner::k"},
        {"void k<int>(int*)", "k<int>"},
        {"void k<2, (bool)1>(int (*)[2])", "k<2, (bool)1>"},
        {"void ns::k<std::pair<int, a<b> > >(a<b>)", "ns::k<std::pair<int, a<b> > >"},
        {"unsigned long k<int>(int)", "k<int>"},
        {"a<b c> k(int)", "k"},
        {"void k<(x->y), 1>(int)", "k<(x->y), 1>"},
        {"(anonymous namespace)::k(int)", "(anonymous namespace)::k"},
        {"void ns::(anonymous namespace)::k<int>(int)", "ns::(anonymous namespace)::k<int>"},
    };
    sim_device *d = device("h200", 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        demangled = rows[k].full;
        sim_module *m = load(d, HEAD("sm_80") ".visible .entry _Z1kv() { ret; }\n",
                             (sim_module_options){.demangle = demangle});
        CHECK_STR(m ? sim_kernel_get(sim_module_kernel(m, "_Z1kv"))->pretty : said(&msg),
                  rows[k].pretty);
        if (m) CHECK_STR(sim_kernel_get(sim_module_kernel(m, "_Z1kv"))->name, "_Z1kv");
        sim_module_free(m);
    }
    sim_device_free(d);
}

/* ---- variables ---- */

/* Bytes of a variable, in hexadecimal, the first one first. */
static const char *bytes_of(sim_device *d, sim_module *m, const char *name) {
    static char text[200];
    uint8_t v[64] = {0};
    sim_addr at = 0;
    uint64_t n = 0;
    if (sim_module_symbol(m, name, &at, &n) != SIM_OK || n > sizeof v ||
        sim_read(d, v, at, n) != SIM_OK)
        return "none";
    for (size_t k = 0; k < n; k++) snprintf(text + 2 * k, sizeof text - 2 * k, "%02x", v[k]);
    return text;
}

/* Addresses of variables and functions, with something added, as a whole or a byte of them; a reset
 * puts all of it back. */
static void values(void) {
    sim_device *d = device("h200", 0);
    sim_module *m =
        load(d,
             HEAD("sm_80") ".extern .global .align 4 .b8 elsewhere[4];\n"
                           ".global .align 8 .u64 x[3] = {7, 8};\n"
                           ".const .align 4 .b8 c[6] = {1, 2, 255};\n"
                           ".global .align 8 .u64 p = generic(x)+8;\n"
                           ".global .align 8 .u64 q[2] = {5, generic(x)};\n"
                           ".global .align 1 .b8 b[4] = {9, 0xff(x), 0xff00(x), 0xff0000(x)};\n"
                           ".global .align 8 .u64 f = k;\n.global .align 4 .b8 none[5];\n"
                           ".visible .entry other() { ret; }\n.visible .entry k() { ret; }\n",
             (sim_module_options){0});
    CHECK_STR(said(&msg), "");
    sim_addr x = 0;
    if (!CHECK(m && sim_module_symbol(m, "x", &x, NULL) == SIM_OK)) exit(1);
    for (int again = 0; again < 3; again++) {
        char want[100];
        static const char *const all[] = {"x", "c", "p", "q", "b", "f", "none"};
        CHECK_STR(bytes_of(d, m, "x"), "070000000000000008000000000000000000000000000000");
        CHECK_STR(bytes_of(d, m, "c"), "0102ff000000");
        snprintf(want, sizeof want, "%016llx", (unsigned long long)__builtin_bswap64(x + 8));
        CHECK_STR(bytes_of(d, m, "p"), want);
        snprintf(want, sizeof want, "0500000000000000%016llx",
                 (unsigned long long)__builtin_bswap64(x));
        CHECK_STR(bytes_of(d, m, "q"), want);
        snprintf(want, sizeof want, "09%02x%02x%02x", (unsigned)(x & 255), (unsigned)(x >> 8 & 255),
                 (unsigned)(x >> 16 & 255));
        CHECK_STR(bytes_of(d, m, "b"), want);
        CHECK_STR(bytes_of(d, m, "none"), "0000000000");
        CHECK(strcmp(bytes_of(d, m, "f"), "0000000000000000") != 0);
        CHECK_STR(bytes_of(d, m, "elsewhere"), "none"); /* nobody here defines it */
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            sim_addr at = 0;
            uint64_t n = 0;
            CHECK_INT(sim_module_symbol(m, all[k], &at, &n), SIM_OK);
            CHECK_INT(sim_fill(d, at, 0xee, 1, n), SIM_OK);
            CHECK(strstr(bytes_of(d, m, all[k]), "eeee"));
        }
        sim_module_reset(m);
    }
    sim_module_free(m);
    CHECK(sim_read(d, &x, x, 8) != SIM_OK); /* it is given back */
    CHECK(!load(d, HEAD("sm_80") ".extern .func g();\n.global .align 8 .u64 f = h;\n",
                (sim_module_options){0}));
    CHECK_CONTAINS(said(&msg), "h");
    sim_device_free(d);
    /* more than the device has */
    d = device("h200", 1 << 20);
    CHECK(!load(d, HEAD("sm_80") ".global .align 4 .b8 big[2000000];\n", (sim_module_options){0}));
    CHECK_CONTAINS(said(&msg), "no room for variable big of 2,000,000 bytes: ");
    sim_device_free(d);
}

/* ---- what it takes, and what is refused ---- */

/* Eighty times the text besides itself; a variable and its initial value, those that lie in the
 * device's memory with a KB for what is kept of them. */
static void room(void) {
    static const struct {
        const char *variables;
        uint64_t bytes;
        const char *refusal;
    } rows[] = {
        {"", 0, "about 0 MiB, more than the 0 MiB"},
        {".shared .align 4 .b8 s[4096];\n", 2 * 4096, "about 0 MiB, more than the 0 MiB"},
        {".global .align 4 .b8 s[4096];\n", 2 * (4096 + 1024), "about 0 MiB, more than the 0 MiB"},
        {".const .align 4 .b8 s[1];\n", 2 * (1 + 1024), "about 0 MiB, more than the 0 MiB"},
        {".global .align 4 .b8 s[1048576]; .global .align 4 .b8 t[524288];\n",
         2 * (1048576 + 524288 + 2 * 1024), "about 3 MiB, more than the 3 MiB"},
    };
    sim_device *d = device("h200", 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[400];
        uint64_t taken = 7, of_text;
        of_text = 81 * (uint64_t)snprintf(text, sizeof text,
                                          HEAD("sm_80") "%s.visible .entry k() { ret; }\n",
                                          rows[k].variables);
        uint64_t all = of_text + rows[k].bytes;
        for (int less = 0; less < 2; less++) {
            sim_module *m =
                load(d, text, (sim_module_options){.room = all - less, .taken = &taken});
            CHECK_INT(taken, all);
            CHECK_INT(!!m, !less);
            if (less) CHECK_CONTAINS(said(&msg), rows[k].refusal);
            else CHECK_STR(said(&msg), "");
            sim_module_free(m);
        }
        sim_module *m = load(d, text, (sim_module_options){.room = 0, .taken = NULL});
        CHECK(m);
        sim_module_free(m);
        /* the text alone is too much: it is not read */
        text[0] = '?';
        CHECK(!load(d, text, (sim_module_options){.room = of_text - 1, .taken = &taken}));
        CHECK_INT(taken, of_text);
        CHECK_STR(said(&msg),
                  "its code and variables take about 0 MiB, more than the 0 MiB that are left");
        CHECK(!load(d, text, (sim_module_options){.room = of_text, .taken = &taken}));
        CHECK_CONTAINS(said(&msg), "PTX line 1");
    }
    sim_device_free(d);
}

/* sm_90a is for compute capability 9.0 and nothing else; sm_90 for any. */
static void architectures(void) {
    static const struct {
        const char *profile, *target, *refusal;
    } rows[] = {
        {"h200", HEAD("sm_90a"), ""},
        {"a100", HEAD("sm_90"), ""},
        {"h200", HEAD("sm_80"), ""},
        {"a100", HEAD("sm_90a"),
         "its PTX is only for sm_90a, and the device has compute capability 8.0"},
        {"t4", HEAD("sm_90a"),
         "its PTX is only for sm_90a, and the device has compute capability 7.5"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[200];
        sim_device *d = device(rows[k].profile, 0);
        snprintf(text, sizeof text, "%s.visible .entry k() { ret; }\n", rows[k].target);
        sim_module *m = load(d, text, (sim_module_options){0});
        CHECK_STR(said(&msg), rows[k].refusal);
        CHECK_INT(!!m, !*rows[k].refusal);
        sim_module_free(m);
        sim_device_free(d);
    }
    /* nobody waits for it any longer */
    static const int stop = 1;
    sim_device *d = device("h200", 0);
    CHECK(!load(d, HEAD("sm_80") ".visible .entry k() { ret; }\n",
                (sim_module_options){.stop = &stop}));
    CHECK_CONTAINS(said(&msg), "stopped");
    sim_device_free(d);
}

int main(void) {
    kernels();
    static_shared();
    which_kernels();
    names();
    values();
    room();
    architectures();
    return check_done();
}
