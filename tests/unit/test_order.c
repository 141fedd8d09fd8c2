/* What sums with shifts become (time_fold.c) and which loads are looks (time_turns.c); the order in
 * which a block's instructions are issued and the loops that are unrolled, by the rules that
 * time_order.c tells: the longest path first, what may meet in memory as it is written, a window of
 * 48 ahead, registers for so many values; loops of one block that count by a constant. Paths and
 * places are worked out here from the profile's latencies. */
#include "runner/base/message.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/said.h"
#include <stdarg.h>
#include <stdlib.h>

static char text[1 << 16];
static size_t text_len;
__attribute__((format(printf, 1, 2))) static void put(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_len += (size_t)vsnprintf(text + text_len, sizeof text - text_len, fmt, ap);
    va_end(ap);
}
static void begin(void) {
    text_len = 0;
    put(".version 8.4\n.target sm_90a\n.address_size 64\n.global .texref t;\n"
        ".func f() { ret; }\n.visible .entry k(.param .u64 a){\n.const .u32 c[9];\n"
        ".reg .pred %%p<4>; .reg .b32 %%r<99>; .reg .f32 %%f<99>; .reg .b64 %%d<50>; .reg .b16 "
        "%%h<9>; .reg .f64 %%g<50>;\n");
}

typedef struct {
    ptx_module *m;
    time_code *code;
    const ptx_func *f;
    uint32_t base; /* of the kernel, the last function */
} made;
static made finish(const sim_profile *p) {
    put("ret;\n}\n");
    lib_message msg = {0};
    made x = {.m = ptx_parse(text, text_len, &msg)};
    CHECK_STR(said(&msg), "");
    x.code = x.m ? time_code_new(p, x.m, NULL, NULL) : NULL;
    if (!x.code) exit(1);
    x.f = x.m->funcs[x.m->func_count - 1];
    x.base = x.code->op_count - (uint32_t)x.f->insn_count;
    return x;
}
static void drop(made *x) {
    time_code_free(x->code);
    ptx_free(x->m);
}
/* When the kernel's nth instruction of its first region is issued: 0 is the first. */
static unsigned place_of(const made *x, unsigned n) {
    const time_region *r = &x->code->regions[x->code->region_of[x->base]];
    for (uint32_t k = 0; k < r->count; k++)
        if (x->code->order[r->first + k] == x->base + n) return k;
    return UINT32_MAX;
}

/* ---- sums and shifts ---- */

/* Machine instructions that ptxas 13.0 makes of a sum with shifted terms, for sm_75 and sm_90 alike
 * (read with nvdisasm): LEA shifts to the left and adds, LEA.HI to the right; each takes one shift
 * and no third term, and LEA.HI cannot subtract what it shifts. */
static void shifted_sums(void) {
    static const struct {
        const char *body;
        double slots;
    } rows[] = {
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;", 1},
        {"shr.s32 %r1,%r2,4;\nadd.s32 %r3,%r4,%r1;", 1},
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,77;", 1},
        {"shr.u32 %r1,%r2,4;\nsub.u32 %r3,%r1,%r4;", 1},
        {"shr.u32 %r1,%r2,4;\nsub.u32 %r3,%r4,%r1;", 2},
        {"shr.u32 %r1,%r2,%r5;\nadd.u32 %r3,%r1,%r4;", 2},
        {"shr.u32 %r1,%r2,4;\nshr.u32 %r5,%r4,3;\nadd.u32 %r3,%r1,%r5;", 2},
        {"shr.u32 %r1,%r2,4;\nshl.b32 %r5,%r4,3;\nadd.u32 %r3,%r1,%r5;", 2},
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;\nadd.u32 %r5,%r3,%r1;", 2},
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;\nadd.u32 %r5,%r3,%r6;", 2},
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;\nshr.u32 %r7,%r8,3;\nadd.u32 %r5,%r7,%r3;", 2},
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;\nadd.u32 %r7,%r8,%r9;\nadd.u32 %r5,%r7,%r3;", 2},
        {"shr.u32 %r1,%r2,4;\nmad.lo.u32 %r3,%r4,%r5,%r1;", 2},
        /* an offset of an address is no instruction: the shift is one */
        {"shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,16;\nld.shared.u32 %r4,[%r3];", 2},
        {"@%p1 shr.u32 %r1,%r2,4;\nadd.u32 %r3,%r1,%r4;", 2},
        {"and.b32 %r1,%r2,15;\nadd.u32 %r3,%r1,%r4;\nand.b32 %r5,%r6,15;\nadd.u32 %r7,%r5,%r3;", 3},
    };
    static const char *const devices[] = {"h200", "t4"};
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            begin();
            put("%s\n", rows[k].body);
            made x = finish(sim_profile_find(devices[d]));
            double slots = 0;
            for (uint32_t n = 0; n + 1 < x.f->insn_count; n++)
                slots += (double)x.code->ops[x.base + n].slots;
            char name[160], why[60];
            snprintf(name, sizeof name, "%s: %s", devices[d], rows[k].body);
            snprintf(why, sizeof why, "%g slots, want %g", slots, rows[k].slots);
            check_that(slots == rows[k].slots, __FILE__, __LINE__, name, why);
            drop(&x);
        }
}

/* ---- divisions ---- */

/* A load behind an exact division stays behind it, since that branches; behind an approximate one
 * it goes first. */
static void behind_divisions(void) {
    static const struct {
        const char *body;
        bool behind;
    } rows[] = {{"div.rn.f32 %f1,%f2,%f3;", true}, {"rcp.rn.f32 %f1,%f2;", true},
                {"sqrt.rn.f32 %f1,%f2;", true},    {"div.rn.f64 %g1,%g2,%g3;", true},
                {"div.s64 %d1,%d2,%d3;", true},    {"div.approx.f32 %f1,%f2,%f3;", false},
                {"mul.rn.f32 %f1,%f2,%f3;", false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin();
        put("%s\nld.global.f32 %%f8,[%%d9];\nadd.f32 %%f9,%%f8,%%f8;\n", rows[k].body);
        made x = finish(sim_profile_find("h200"));
        check_that((place_of(&x, 0) < place_of(&x, 1)) == rows[k].behind, __FILE__, __LINE__,
                   rows[k].body, "the load's place");
        drop(&x);
    }
}

/* ---- looks ---- */

/* A load is a look at a word that is raised when a loop compares its value by order and swaps
 * it. */
static void looks(void) {
#define SWAP(word, cmp)                                                                            \
    "L: setp." cmp " %p1,%r1,%r9; @%p1 bra M;\natom.global.cas.b32 %r5,[" word "],%r1,%r9;\n"      \
    "setp.ne.u32 %p2,%r5,%r1; mov.u32 %r1,%r5; @%p2 bra L;\nM:"
    static const struct {
        const char *body;
        bool looks;
    } rows[] = {
        {"ld.global.u32 %r1,[%d1];\n" SWAP("%d1", "ge.u32"), true},
        {"ld.volatile.global.u32 %r1,[%d1];\n" SWAP("%d1", "hs.u32"), true},
        {"ld.global.u32 %r1,[%d1+4];\n" SWAP("%d1+4", "lt.s32"), true},
        {"ld.u32 %r1,[%d1];\n" SWAP("%d1", "le.s32"), true},
        {"ld.global.u32 %r2,[%d1];\nmov.u32 %r1,%r2;\n" SWAP("%d1", "ge.u32"), true},
        {"ld.global.u32 %r1,[%d1];\n" SWAP("%d1", "eq.u32"), false}, /* by equality */
        {"ld.global.u32 %r1,[%d1];\n" SWAP("%d2", "ge.u32"), false}, /* another word */
        {"ld.global.u32 %r1,[%d1+4];\n" SWAP("%d1", "ge.u32"), false},
        {"ld.shared.u32 %r1,[%d1];\n" SWAP("%d1", "ge.u32"), false},
        {"ld.global.u32 %r2,[%d1];\n" SWAP("%d1", "ge.u32"), false}, /* another value */
        /* a float's bits */
        {"ld.global.u32 %r1,[%d1];\nL: mov.b32 %f1,%r1; setp.geu.f32 %p1,%f1,%f2; @%p1 bra M;\n"
         "atom.global.cas.b32 %r5,[%d1],%r1,%r9;\nsetp.ne.u32 %p2,%r5,%r1; mov.u32 %r1,%r5;\n"
         "@%p2 bra L;\nM:",
         true},
        /* once, no loop */
        {"ld.global.u32 %r1,[%d1];\nsetp.ge.u32 %p1,%r1,%r9; @%p1 bra M;\n"
         "atom.global.cas.b32 %r5,[%d1],%r1,%r9;\nM:",
         false},
        /* not a swap */
        {"L: ld.global.u32 %r1,[%d1];\nsetp.ge.u32 %p1,%r1,%r9; @%p1 bra M;\n"
         "atom.global.max.u32 %r5,[%d1],%r1;\nbra L;\nM:",
         false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin();
        put("%s\n", rows[k].body);
        made x = finish(sim_profile_find("h200"));
        bool some = false;
        for (uint32_t n = 0; n < x.f->insn_count; n++)
            some |= x.code->ops[x.base + n].role == TIME_LOOKS;
        check_that(some == rows[k].looks && some == x.code->looks, __FILE__, __LINE__, rows[k].body,
                   some ? "taken for a look" : "not taken for a look");
        drop(&x);
    }
}

/* ---- memory ---- */

/* `later` could go before `first`, which waits for a root or is the shorter path: it does unless
 * they may meet. */
static void memory(void) {
#define SLOW "sqrt.approx.f32 %f1,%f1;\n" /* for what is stored */
#define ADDR SLOW "cvt.rzi.u64.f32 %d4,%f1;\n"
    static const struct {
        const char *before, *first, *later;
        bool meet;
    } rows[] = {
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.global.u8 %r2,[%d1];", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.global.u8 %r2,[%d1+15];", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.global.u8 %r2,[%d1+16];", false},
        {SLOW, "st.global.f32 [%d1+15],%f1;", "ld.global.u8 %r2,[%d1];", true},
        {SLOW, "st.global.f32 [%d1+16],%f1;", "ld.global.u8 %r2,[%d1];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.global.f32 %f2,[%d2+64];", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.global.nc.f32 %f2,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.shared.f32 %f2,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.local.f32 %f2,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.f32 %f2,[%d2];", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.f32 %f2,[%d1+16];", false},
        {SLOW, "st.f32 [%d1],%f1;", "ld.shared.f32 %f2,[%d2];", true},
        {SLOW, "st.f32 [%d1],%f1;", "ld.f32 %f2,[%d2];", true},
        {SLOW, "st.shared.f32 [%d1],%f1;", "ld.shared.f32 %f2,[%d1+12];", true},
        {SLOW, "st.shared.f32 [%d1],%f1;", "ld.shared.f32 %f2,[%d1+16];", false},
        {SLOW, "st.shared.f32 [%d1],%f1;", "ld.global.f32 %f2,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.param.u64 %d3,[a];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "ld.const.u32 %r1,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "st.global.f32 [%d1+12],%f3;", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "st.global.f32 [%d1+16],%f3;", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "st.global.f32 [%d2+16],%f3;", true},
        {SLOW, "st.volatile.global.f32 [%d1],%f1;", "ld.volatile.global.f32 %f2,[%d1+64];", true},
        {SLOW, "st.volatile.global.f32 [%d1],%f1;", "ld.global.f32 %f2,[%d1+64];", false},
        {SLOW, "st.volatile.shared.f32 [%d1],%f1;", "ld.volatile.shared.f32 %f2,[%d1+64];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "red.global.add.u32 [%d2],%r1;", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "red.shared.add.u32 [%d2],%r1;", false},
        {SLOW, "red.global.add.f32 [%d1],%f1;", "ld.global.f32 %f2,[%d2];", true},
        {SLOW, "red.global.add.f32 [%d1],%f1;", "st.global.f32 [%d2],%f3;", true},
        {SLOW, "red.global.add.f32 [%d1],%f1;", "ld.shared.f32 %f2,[%d2];", false},
        {SLOW, "st.global.f32 [%d1],%f1;", "membar.cta;", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "shfl.sync.bfly.b32 %r1,%r2,1,31,-1;", true},
        {SLOW, "st.global.f32 [%d1],%f1;", "cp.async.ca.shared.global [%r1],[%d2],4;", true},
        /* loads: of themselves they may change places */
        {ADDR, "ld.global.f32 %f2,[%d4];", "ld.global.f32 %f3,[%d2];", false},
        {ADDR, "ld.global.f32 %f2,[%d4];", "st.global.f32 [%d2],%f3;", true},
        {ADDR, "ld.global.f32 %f2,[%d4];", "st.shared.f32 [%d2],%f3;", false},
        {ADDR, "ld.global.f32 %f2,[%d4];", "red.global.add.u32 [%d2],%r3;", true},
        {ADDR, "ld.global.nc.f32 %f2,[%d4];", "st.global.f32 [%d2],%f3;", false},
        {ADDR, "ld.volatile.global.f32 %f2,[%d4];", "ld.global.f32 %f3,[%d2];", true},
        {ADDR, "ld.global.f32 %f2,[%d4];", "ld.volatile.global.f32 %f3,[%d2];", true},
        {ADDR, "ld.volatile.global.f32 %f2,[%d4];", "ld.volatile.global.f32 %f3,[%d2];", true},
        {ADDR, "ld.volatile.global.f32 %f2,[%d4];", "ld.volatile.shared.f32 %f3,[%d2];", false},
        {ADDR, "ld.global.f32 %f2,[%d4];", "membar.gl;", true},
        /* nothing passes these */
        {"", "membar.cta;", "ld.global.f32 %f2,[%d2];", true},
        {"", "membar.cta;", "ld.shared.f32 %f2,[%d2];", true},
        {"", "shfl.sync.bfly.b32 %r1,%r2,1,31,-1;", "ld.global.f32 %f2,[%d2];", true},
        {"", "cp.async.commit_group;", "ld.global.f32 %f2,[%d2];", true},
        {"", "xor.b32 %r1,%r2,%r3;", "ld.global.f32 %f2,[%d2];", false},
        /* these do not touch what is stored */
        {SLOW "cvt.rzi.s32.f32 %r5,%f1;\n", "tex.1d.v4.f32.s32 {%f4,%f5,%f6,%f7},[t,{%r5}];",
         "ld.global.f32 %f2,[%d2];", false},
        {SLOW "cvt.f64.f32 %g3,%f1;\n",
         "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2},{%g3},{%g4},{%g5,%g6};",
         "ld.global.f32 %f2,[%d2];", false},
        {SLOW "cvt.rzi.s32.f32 %r5,%f1;\n", "vadd.s32.s32.s32 %r1,%r5,%r3;",
         "ld.global.f32 %f2,[%d2];", false},
    };
    static const char *const devices[] = {"h200", "a100"};
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            unsigned before = 0;
            for (const char *c = rows[k].before; *c; c++) before += *c == '\n';
            begin();
            put("%s%s\n%s\n", rows[k].before, rows[k].first, rows[k].later);
            put("xor.b32 %%r50,%%r51,%%r52;\n");
            made x = finish(sim_profile_find(devices[d]));
            char name[160];
            snprintf(name, sizeof name, "%s: %s %s", devices[d], rows[k].first, rows[k].later);
            bool kept = place_of(&x, before) < place_of(&x, before + 1);
            check_that(kept == rows[k].meet, __FILE__, __LINE__, name,
                       kept ? "they keep their order" : "they change places");
            drop(&x);
        }
    /* what lies in between takes no part: the load stays behind the store of its memory */
    static const char *const between[] = {"st.shared.u32 [%r8],%r9;", "ld.shared.u32 %r7,[%r8];",
                                          "membar.cta;", "xor.b32 %r7,%r8,%r9;"};
    for (size_t k = 0; k < sizeof between / sizeof *between; k++) {
        begin();
        put("%sst.global.f32 [%%d1],%%f1;\n%s\nld.global.f32 %%f2,[%%d2];\n", SLOW, between[k]);
        made x = finish(sim_profile_find("h200"));
        CHECK(place_of(&x, 1) < place_of(&x, 3));
        drop(&x);
    }
    /* of 400 instructions apart nobody asks; in between are some that cost nothing */
    for (unsigned apart = 399; apart <= 400; apart++) {
        begin();
        put("%s", SLOW "st.global.f32 [%d1],%f1;\n");
        for (unsigned k = 1; k < apart; k++) put("mov.u32 %%r5,%%r6;\n");
        put("ld.global.f32 %%f2,[%%d2];\n");
        made x = finish(sim_profile_find("h200"));
        CHECK_INT(place_of(&x, 1) < place_of(&x, 1 + apart), apart < 400);
        drop(&x);
    }
}

/* ---- paths ---- */

/* A load that nobody reads, behind the first of a chain of n sums: who is first has the longer
 * path. Loads count as shared memory's latency or, of other memory, four times that. */
static void paths(void) {
    static const char *const devices[] = {"h200", "a100", "t4"};
    for (unsigned d = 0; d < 3; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        const struct {
            const char *load;
            double latency;
        } rows[] = {{"ld.shared.f32 %f2,[%d2];", p->lat_shared},
                    {"ld.global.f32 %f2,[%d2];", 4 * p->lat_shared},
                    {"ld.f32 %f2,[%d2];", 4 * p->lat_shared},
                    {"ld.const.f32 %f2,[%d2];", p->lat_const},
                    {"popc.b32 %r2,%r3;", p->lat_sfu}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            for (unsigned more = 0; more < 2; more++)
                for (unsigned behind = 0; behind < 2; behind++) {
                    unsigned n = (unsigned)(rows[k].latency / p->lat_alu) + more;
                    double chain = n * p->lat_alu;
                    if (fabs(chain - rows[k].latency) < 1e-3)
                        continue; /* who comes first is first */
                    begin();
                    if (!behind) put("%s\n", rows[k].load);
                    for (unsigned i = 0; i < n; i++) put("add.f32 %%f1,%%f1,%%f3;\n");
                    if (behind) put("%s\n", rows[k].load);
                    made x = finish(p);
                    unsigned load = behind ? n : 0, sum = behind ? 0 : 1;
                    char name[100];
                    snprintf(name, sizeof name, "%s: %s, %u sums", devices[d], rows[k].load, n);
                    check_that((place_of(&x, load) < place_of(&x, sum)) ==
                                   (rows[k].latency > chain),
                               __FILE__, __LINE__, name, "the shorter path is first");
                    drop(&x);
                }
        /* of equal paths the first in the text */
        begin();
        for (unsigned k = 0; k < 20; k++) put("xor.b32 %%r%u,%%r80,%%r81;\n", k);
        made x = finish(p);
        for (unsigned k = 0; k < 21; k++) CHECK_INT(place_of(&x, k), k);
        drop(&x);
        /* while a load is waited for, what is ready goes on, the longer path first; then, of what
         * is not ready, what will be soonest */
        begin();
        put("ld.shared.f32 %%f1,[%%r1];\nld.global.f32 %%f2,[%%d1];\nsqrt.rn.f32 %%f3,%%f2;\n"
            "add.f32 %%f4,%%f1,%%f9;\nxor.b32 %%r5,%%r6,%%r7;\npopc.b32 %%r8,%%r9;\n");
        x = finish(p);
        static const unsigned want[] = {1, 0, 5, 4, 3, 2, 6};
        for (unsigned k = 0; k < 7; k++) CHECK_INT(place_of(&x, want[k]), k);
        drop(&x);
    }
}

/* A load goes before all that is before it, of 48 at most, or of 1024 where those cost nothing. */
static void windows(void) {
    for (unsigned free_ones = 0; free_ones < 2; free_ones++)
        for (unsigned more = 0; more < 2; more++) {
            unsigned n = (free_ones ? 1024 : 48) - 1 + more;
            begin();
            for (unsigned k = 0; k < n; k++)
                if (free_ones) put("mov.u32 %%r1,%%r2;\n");
                else put("xor.b32 %%r%u,%%r80,%%r81;\n", k);
            put("ld.global.f32 %%f2,[%%d2];\n");
            made x = finish(sim_profile_find("h200"));
            CHECK_INT(place_of(&x, n), more);
            drop(&x);
        }
}

/* ---- registers ---- */

/* n loads, then sums of them one after another: so many loads are first as there is room for, 32
 * registers or what the kernel needs where that is more, less two; then one for each sum. */
static void registers(void) {
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned n = 4; n <= 44; n += 2) {
            begin();
            for (unsigned k = 1; k <= n; k++)
                if (wide) put("ld.global.f64 %%g%u,[%%d1+%u];\n", k, 8 * k);
                else put("ld.global.f32 %%f%u,[%%d1+%u];\n", k, 4 * k);
            for (unsigned k = 1; k <= n; k++)
                if (wide) put("add.f64 %%g49,%%g49,%%g%u;\n", k);
                else put("add.f32 %%f98,%%f98,%%f%u;\n", k);
            made x = finish(sim_profile_find("h200"));
            unsigned needed = sim_resources_estimate(x.f).registers, first = 0;
            unsigned room = (needed > 32 ? needed : 32) - 2, each = 1 + wide;
            unsigned want = (room + each - 1) / each;
            if (want > n) want = n;
            while (first < n && place_of(&x, first) == first) first++;
            char name[80];
            snprintf(name, sizeof name, "%u loads of %u, %u registers", n, 4 * each, needed);
            check_that(place_of(&x, n) == want && (want == n || place_of(&x, want) > want),
                       __FILE__, __LINE__, name, "another number of loads is first");
            drop(&x);
        }
}

/* A value that is made again before it was read: each load waits for the sum that reads the last
 * one of its register, so that there are fourteen under way of eight bytes, where there is room for
 * fifteen. Everything is issued once. */
static void registers_again(void) {
    enum { LOADS = 40, NAMES = 14 };
    begin();
    for (unsigned k = 0; k < LOADS; k++)
        put("ld.global.f64 %%g%u,[%%d1+%u];\nadd.f64 %%g49,%%g49,%%g%u;\n", k % NAMES, 8 * k,
            k % NAMES);
    made x = finish(sim_profile_find("h200"));
    unsigned ahead = 0;
    while (ahead < LOADS && place_of(&x, 2 * ahead) == ahead) ahead++;
    CHECK_INT(ahead, NAMES);
    for (unsigned k = 0; k < 2 * LOADS; k++) CHECK(place_of(&x, k) < 2 * LOADS);
    drop(&x);
}

/* A store holds no register and gives none back: where the loads have taken all, the stores go one
 * after the other, and no load between them. */
static void stores_hold_none(void) {
    enum { STORES = 6, LOADS = 40, ROOM = 30 };
    begin();
    for (unsigned k = 0; k < STORES; k++) put("st.shared.f32 [%%r1+%u],%%f97;\n", 4 * k);
    for (unsigned k = 0; k < LOADS; k++)
        put("ld.global.f32 %%f%u,[%%d1+%u];\nadd.f32 %%f98,%%f98,%%f%u;\n", k, 8 * k, k);
    made x = finish(sim_profile_find("h200"));
    for (unsigned k = 0; k < ROOM; k++) CHECK_INT(place_of(&x, STORES + 2 * k), k);
    for (unsigned k = 0; k < STORES; k++) CHECK_INT(place_of(&x, k), ROOM + k);
    drop(&x);
}

/* Where nothing that may go gives a register back, the first in the text goes: values that are read
 * twice, so that no reader is the last one. */
static void no_relief(void) {
    enum { CHUNK = 15, CHUNKS = 2, ROOM = CHUNK * CHUNKS };
    unsigned load[ROOM], at = 1;
    begin();
    put("add.s32 %%r40,%%r41,%%r42;\n");
    for (unsigned c = 0; c < CHUNKS; c++) {
        for (unsigned k = 0; k < CHUNK; k++) {
            load[c * CHUNK + k] = at++;
            put("ld.global.f32 %%f%u,[%%d1+%u];\n", c * CHUNK + k, 4 * at);
        }
        for (unsigned k = 0; k < CHUNK; k++, at += 2) {
            unsigned from = c * CHUNK, to = 40 + c * CHUNK + k;
            put("add.f32 %%f%u,%%f%u,%%f%u;\nst.shared.f32 [%%r1+%u],%%f%u;\n", to, from + k,
                from + (k + 1) % CHUNK, 4 * at, to);
        }
    }
    put("st.shared.u32 [%%r1+800],%%r40;\n");
    made x = finish(sim_profile_find("h200"));
    CHECK(sim_resources_estimate(x.f).registers <= ROOM + 2);
    for (unsigned k = 0; k < ROOM; k++) CHECK_INT(place_of(&x, load[k]), k);
    CHECK_INT(place_of(&x, 0), ROOM);
    drop(&x);
}

/* 40 loads where the assembler has said how many registers the kernel has, and where others hold
 * something: values that are stored behind the sums, made before them in another stretch of
 * code. */
static void registers_that_are_held(void) {
    static const struct {
        unsigned registers, held, first;
    } rows[] = {{0, 0, 40}, {36, 0, 34}, {40, 0, 38}, {20, 0, 30}, {36, 5, 29}, {36, 20, 14}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin();
        for (unsigned q = 0; q < rows[k].held; q++) put("add.f32 %%f%u,%%f90,%%f91;\n", 50 + q);
        put("bar.sync 0;\n");
        for (unsigned q = 1; q <= 40; q++) put("ld.global.f32 %%f%u,[%%d1+%u];\n", q, 4 * q);
        for (unsigned q = 1; q <= 40; q++) put("add.f32 %%f98,%%f98,%%f%u;\n", q);
        put("bar.sync 0;\n");
        for (unsigned q = 0; q < rows[k].held; q++)
            put("st.shared.f32 [%%r1+%u],%%f%u;\n", 4 * q, 50 + q);
        put("ret;\n}\n");
        lib_message msg = {0};
        made x = {.m = ptx_parse(text, text_len, &msg)};
        CHECK_STR(said(&msg), "");
        time_assembled registers[2] = {{0}, {rows[k].registers, 0, 0}}; /* f, k */
        x.code = time_code_new(sim_profile_find("h200"), x.m, registers, NULL);
        uint32_t base = x.code->op_count - (uint32_t)x.m->funcs[1]->insn_count,
                 load = base + rows[k].held + 1, at = 0;
        const time_region *r = &x.code->regions[x.code->region_of[load]];
        CHECK_INT(r->first, load);
        while (at < 40 && x.code->order[r->first + at] < load + 40) at++;
        CHECK_INT(at, rows[k].first);
        drop(&x);
    }
}

/* Of 40 loads how many come before the first sum of one, and how many sums of them before the last
 * load, with 36 registers: 33 beside the address and the sum, 32 beside a second sum. That one,
 * over values made `before`, comes first; each gives its register to a load unless they are `kept`.
 * `behind` of the loads are needed again, so that their sums give none. Seven loads wait for as
 * many sums that give one, but not for less than eleven sums, whose paths are longer than the last
 * load's: 30 sums, 123 cycles, against its 116 and one sum. */
static void registers_given_back(void) {
    static const struct {
        unsigned before, behind, loads, sums;
        bool kept;
    } rows[] = {{0, 0, 33, 11, 0}, {20, 0, 32, 11, 0}, {5, 0, 32, 11, 0},
                {0, 3, 33, 11, 0}, {0, 10, 33, 17, 0}, {20, 0, 12, 28, 1}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin();
        unsigned before = rows[k].before;
        for (unsigned q = 0; q < before; q++) put("add.f32 %%f%u,%%f90,%%f91;\n", 50 + q);
        put("add.f32 %%f98,%%f90,%%f91;\nadd.f32 %%f97,%%f90,%%f91;\nbar.sync 0;\n");
        for (unsigned q = 0; q < before; q++) put("add.f32 %%f97,%%f97,%%f%u;\n", 50 + q);
        for (unsigned q = 1; q <= 40; q++) put("ld.global.f32 %%f%u,[%%d1+%u];\n", q, 4 * q);
        for (unsigned q = 1; q <= 40; q++) put("add.f32 %%f98,%%f98,%%f%u;\n", q);
        put("bar.sync 0;\n");
        for (unsigned q = 0; q < before && rows[k].kept; q++)
            put("st.shared.f32 [%%r1+%u],%%f%u;\n", 4 * q, 50 + q);
        for (unsigned q = 1; q <= rows[k].behind; q++)
            put("st.shared.f32 [%%r1+%u],%%f%u;\n", 4 * q, q);
        put("ret;\n}\n");
        lib_message msg = {0};
        made x = {.m = ptx_parse(text, text_len, &msg)};
        CHECK_STR(said(&msg), "");
        static const time_assembled registers[2] = {{0}, {36, 0, 0}}; /* f, k */
        x.code = time_code_new(sim_profile_find("h200"), x.m, registers, NULL);
        uint32_t base = x.code->op_count - (uint32_t)x.m->funcs[1]->insn_count,
                 load = base + 2 * before + 3;
        const time_region *r = &x.code->regions[x.code->region_of[load]];
        unsigned loads = 0, sums = 0, first = 0, last = 0;
        for (uint32_t q = 0; q < r->count; q++) {
            uint32_t at = x.code->order[r->first + q];
            if (at >= load && at < load + 40) loads++, last = sums;
            else if (at >= load + 40 && at < load + 80 && !sums++) first = loads;
        }
        CHECK_INT(first, rows[k].loads);
        CHECK_INT(last, rows[k].sums);
        drop(&x);
    }
}

/* Two loads a step, one of an address that is a step's sum of the last one's, as far apart as sums
 * are: the one that is there already does not go steps ahead. */
static void urgent_first(void) {
    enum { STEPS = 8 };
    begin();
    for (unsigned k = 0; k < STEPS; k++)
        put("ld.global.f32 %%f%u,[%%d%u];\nadd.s64 %%d%u,%%d%u,%%d40;\n"
            "ld.global.f32 %%f%u,[%%d41+%u];\nfma.rn.f32 %%f98,%%f%u,%%f%u,%%f98;\n",
            2 * k, k + 1, k + 2, k + 1, 2 * k + 1, 4 * k, 2 * k, 2 * k + 1);
    made x = finish(sim_profile_find("h200"));
    for (unsigned k = 1; k < STEPS; k++) CHECK(place_of(&x, 4 * k + 2) > place_of(&x, 4 * k - 4));
    drop(&x);
}

/* ---- loops ---- */

static const time_region *unrolled(const made *x) {
    for (uint32_t k = 0; k < x->code->region_count; k++)
        if (x->code->regions[k].unrolled) return &x->code->regions[k];
    return NULL;
}

#define STEP "add.s32 %r2,%r2,1;\n"
#define BACK "setp.lt.s32 %p1,%r2,%r3;\n@%p1 bra L;\n"
static void loops(void) {
    static const struct {
        const char *body;
        bool four;
    } rows[] = {
        /* who counts */
        {"L:\n" STEP BACK, true},
        {"L:\nsub.s32 %r2,%r2,4;\n" BACK, true},
        {"L:\nadd.s32 %r2,%r2,%r4;\n" BACK, false},
        {"L:\nadd.s64 %d2,%d2,1;\nsetp.lt.s64 %p1,%d2,%d3;\n@%p1 bra L;\n", false},
        {"L:\nmad.lo.s32 %r2,%r2,3,1;\n" BACK, false},
        {"L:\n" STEP "setp.gt.s32 %p1,%r3,%r2;\n@%p1 bra L;\n", true},
        {"L:\n" STEP "setp.ne.s32 %p1,%r2,100;\n@%p1 bra L;\n", true},
        {"L:\n" STEP "setp.ne.s32 %p1,%r4,100;\n@%p1 bra L;\n", false},
        {"L:\n" STEP "setp.lt.s32 %p1,%r2,%r3;\n@!%p1 bra L;\n", true},
        {"L:\n" STEP "setp.lt.s32 %p2,%r2,%r3;\n@%p1 bra L;\n", false},
        {"L:\nsetp.lt.s32 %p1,%r2,%r3;\n" STEP "@%p1 bra L;\n", false},
        {"L:\n" STEP "mov.u32 %r2,%r5;\n" BACK, false},
        {"L:\n" STEP "bra L;\n", false},
        {"@%p1 bra L;\n" STEP "L:\n", false},
        {"L:\n" STEP "@%p2 bra M;\nxor.b32 %r5,%r6,%r7;\nM:\n" BACK, false}, /* two blocks */
        /* what is in it */
        {"L:\nld.global.f32 %f1,[%d1];\nadd.s64 %d1,%d1,4;\nfma.rn.f32 %f2,%f1,%f3,%f2;\n" STEP
             BACK,
         true},
        {"L:\nld.shared.f32 %f1,[%r5];\n" STEP BACK, true},
        {"L:\ncvt.rn.f32.s32 %f1,%r5;\nmul.lo.s32 %r6,%r5,%r7;\nrcp.approx.ftz.f32 %f2,%f1;\n" STEP
             BACK,
         true},
        {"L:\nld.const.u32 %r5,[c];\n" STEP BACK, true},
        {"L:\nld.const.u32 %r5,[%d1];\n" STEP BACK, false},
        {"L:\nld.volatile.global.u32 %r5,[%d1];\n" STEP BACK, false},
        {"L:\nst.shared.u32 [%r5],%r6;\n" STEP BACK, true},
        {"L:\nst.global.u32 [%d1],%r6;\n" STEP BACK, true},
        {"L:\nld.global.u32 %r6,[%d2];\nst.shared.u32 [%r5],%r6;\n" STEP BACK, true},
        {"L:\nld.global.u32 %r6,[%d2];\nst.volatile.shared.u32 [%r5],%r6;\n" STEP BACK, true},
        {"L:\nld.shared.u32 %r6,[%r7];\nst.shared.u32 [%r5],%r6;\n" STEP BACK, true},
        {"L:\nld.shared.u32 %r6,[%r5];\nst.global.u32 [%d1],%r6;\n" STEP BACK, true},
        {"L:\nld.global.u32 %r6,[%d2];\nst.global.u32 [%d1],%r6;\n" STEP BACK, false},
        {"L:\nred.shared.add.u32 [%r5],%r6;\n" STEP BACK, false},
        {"L:\nshfl.sync.bfly.b32 %r5,%r6,1,31,-1;\n" STEP BACK, false},
        {"L:\ntex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4},[t,{%r5}];\n" STEP BACK, false},
        {"L:\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2},{%g3},{%g4},{%g5,%g6};"
         "\n" STEP BACK,
         false},
        {"L:\ncp.async.ca.shared.global [%r5],[%d1],4;\n" STEP BACK, false},
        {"L:\ndiv.s32 %r5,%r6,%r7;\n" STEP BACK, false},
        {"L:\nmembar.cta;\n" STEP BACK, false},
        {"L:\nbar.sync 0;\n" STEP BACK, false},
        {"L:\ncall f;\n" STEP BACK, false},
        {"L:\n@%p2 xor.b32 %r5,%r6,%r7;\n" STEP BACK, false},
    };
    static const char *const devices[] = {"h200", "a100", "g80"};
    for (unsigned d = 0; d < 3; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            begin();
            put("%s", rows[k].body);
            made x = finish(p);
            const time_region *r = unrolled(&x);
            check_that(!!r == rows[k].four && (!r || r->unrolled == 4), __FILE__, __LINE__,
                       rows[k].body, r ? "is unrolled" : "is not");
            drop(&x);
        }
        /* 26 instructions: the step, the comparison and the branch are three */
        for (unsigned n = 22; n <= 25; n++) {
            begin();
            put("L:\n");
            for (unsigned k = 0; k < n; k++) put("xor.b32 %%r%u,%%r80,%%r81;\n", 10 + k);
            put("%s%s", STEP, BACK);
            made x = finish(p);
            CHECK_INT(!!unrolled(&x), n + 3 <= 26);
            drop(&x);
        }
    }
}

/* Of the first three copies the steps of the counter, the comparison, the branch and addresses
 * moved by a constant cost nothing (0); the last one is as it was. */
static void vanishing(void) {
    static const struct {
        const char *body, *costs; /* a letter an instruction */
    } rows[] = {
        {"ld.global.f32 %f1,[%d1];\nadd.s64 %d1,%d1,4;\n", "x0"},
        {"ld.global.f32 %f1,[%d1];\nsub.s64 %d1,%d1,4;\n", "x0"},
        {"ld.global.f32 %f1,[%d1];\nadd.s64 %d1,%d1,%d2;\n", "xx"},
        {"ld.global.f32 %f1,[%d1];\nadd.s32 %r7,%r7,4;\n", "xx"},
        /* of its uses all but two are addresses, and the step is one of the two */
        {"ld.global.f32 %f1,[%d1];\nadd.s64 %d1,%d1,4;\nxor.b64 %d5,%d1,%d6;\n", "x0x"},
        {"ld.global.f32 %f1,[%d1];\nadd.s64 %d1,%d1,4;\nxor.b64 %d5,%d1,%d6;\nxor.b64 %d7,%d1,%d6;"
         "\n",
         "xxxx"},
        {"ld.global.f32 %f1,[%d1];\nld.global.f32 %f2,[%d1+4];\nadd.s64 %d1,%d1,8;\n"
         "xor.b64 %d5,%d1,%d6;\n",
         "xx0x"},
        {"ld.global.f32 %f1,[%d1];\nld.global.f32 %f2,[%d1+4];\nadd.s64 %d1,%d1,8;\n"
         "xor.b64 %d5,%d1,%d6;\nxor.b64 %d7,%d1,%d6;\n",
         "xxxxx"},
        {"add.s64 %d1,%d1,4;\n", "0"},
        {"setp.lt.s32 %p2,%r7,%r8;\n", "x"},
        {"setp.lt.s32 %p1,%r7,%r8;\n", "0"}, /* compared anew below */
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin();
        put("L:\n%s%s%s", rows[k].body, STEP, BACK);
        put("mov.u32 %%r3,7;\n");
        made x = finish(sim_profile_find("h200"));
        const time_region *r = unrolled(&x);
        for (unsigned copy = 0; r && copy < 4; copy++) {
            const uint32_t *regs = x.code->regs;
            const time_op *end = &x.code->ops[r->unrolled_at + (copy + 1) * r->count],
                          *step = end - 3, *compares = end - 2, *was = &x.code->ops[r->first];
            /* the comparison is of this copy's counter and of what nothing in the loop changes, the
             * step of the counter before */
            CHECK_INT(regs[compares->regs + 1], regs[step->regs]);
            CHECK_INT(regs[compares->regs + 2], regs[was[r->count - 2].regs + 2]);
            CHECK_INT(regs[step->regs + 1],
                      copy ? regs[(step - r->count)->regs] : regs[was[r->count - 3].regs + 1]);
        }
        char want[40], got[40] = "";
        snprintf(want, sizeof want, "%s000", rows[k].costs);
        for (unsigned copy = 0; r && copy < 4; copy++) {
            for (uint32_t n = 0; n < r->count; n++) {
                const time_op *o = &x.code->ops[r->unrolled_at + copy * r->count + n],
                              *was = &x.code->ops[r->first + n];
                bool none = o->slots <= 0 && o->busy <= 0 && o->latency <= 0 &&
                            o->pipe == TIME_PIPE_NONE && o->kind == TIME_PLAIN;
                bool same = o->slots == was->slots && o->busy == was->busy && o->xu == was->xu &&
                            o->latency == was->latency && o->pipe == was->pipe &&
                            o->kind == was->kind;
                got[n] = none ? '0' : same ? 'x' : '?';
            }
            got[r->count] = 0;
            if (copy == 3) memset(want, 'x', r->count);
            check_that(!strcmp(got, want), __FILE__, __LINE__, rows[k].body, got);
        }
        CHECK(r);
        drop(&x);
    }
}

int main(void) {
    behind_divisions();
    shifted_sums();
    looks();
    memory();
    paths();
    windows();
    registers();
    registers_again();
    registers_that_are_held();
    registers_given_back();
    stores_hold_none();
    no_relief();
    urgent_first();
    loops();
    vanishing();
    return check_done();
}
