/* Control flow: known graphs, then random ones against definitions computed the slow way (sets and
 * reachability, nothing shared with cfg.c).
 *
 * A block n of a test is marked by `mov.u32 %r1, n;`, so that tests speak of marks and not of how
 * blocks were cut. */
#include <stdint.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

#define HEAD                                                                                       \
    ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .pred %p<9>; .reg .b32 "     \
    "%r<9>; .reg "                                                                                 \
    ".b64 %rd<9>;\n"

static ptx_module *module_of(const char *body) {
    char text[16384];
    lib_message msg;
    snprintf(text, sizeof text, "%s%s\n}\n", HEAD, body);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    if (!m) printf("# %s\n", said(&msg));
    return m;
}

/* The block with the mark; -1: none. */
static int block_with(const ptx_func *f, unsigned mark) {
    for (size_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        if (in->op == PTX_OP_mov && in->nopnds == 2 && in->opnd[1].kind == PTX_OPND_IMM &&
            in->opnd[1].imm == mark)
            return (int)f->block_of[i];
    }
    return -1;
}
static int mark_of(const ptx_func *f, int block) {
    if (block < 0) return -1;
    const ptx_insn *in = &f->insns[f->blocks[block].first];
    return in->op == PTX_OP_mov ? (int)in->opnd[1].imm : -2;
}
static int ipdom(const ptx_func *f, unsigned mark) {
    return mark_of(f, f->blocks[block_with(f, mark)].ipdom);
}
static unsigned order(const ptx_func *f, unsigned mark) {
    return f->blocks[block_with(f, mark)].order;
}
static int head_of(const ptx_func *f, unsigned mark) {
    return mark_of(f, f->blocks[block_with(f, mark)].loop_head);
}
static bool spins(const ptx_func *f, unsigned mark) {
    return f->blocks[block_with(f, mark)].spin_loop;
}

static bool polls(const ptx_func *f, unsigned mark) {
    return f->blocks[block_with(f, mark)].polls;
}

#define M(n) "mov.u32 %r1, " #n "; "

/* ---- known graphs ------------------------------------------------------------------------- */
static void test_if_else(void) {
    ptx_module *m = module_of(M(1) "@%p1 bra T;" M(2) "bra J; T: " M(3) "J: " M(4) "ret;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(f->block_count, 4);
    CHECK_INT(ipdom(f, 1), 4);
    CHECK_INT(ipdom(f, 2), 4);
    CHECK_INT(ipdom(f, 3), 4);
    CHECK_INT(ipdom(f, 4), -1);
    CHECK_INT(order(f, 1), 0);
    CHECK_INT(order(f, 4), 3);
    CHECK_INT(f->blocks[block_with(f, 1)].succ[0], block_with(f, 3));
    CHECK_INT(f->blocks[block_with(f, 1)].succ[1], block_with(f, 2));
    CHECK_INT(f->blocks[block_with(f, 2)].succ[1], -1);
    CHECK_INT(head_of(f, 2), -1);
    CHECK(!f->blocks[block_with(f, 2)].back_edge);
    ptx_free(m);
}

static void test_loop(void) {
    /* while, with the exit written before the body: the body must still come first in the order. */
    ptx_module *m = module_of(M(1) "H: " M(2) "@%p1 bra B;" M(3) "ret; B: " M(4) "bra H;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(ipdom(f, 2), 3);
    CHECK_INT(ipdom(f, 4), 2);
    CHECK_INT(head_of(f, 2), 2);
    CHECK_INT(head_of(f, 4), 2);
    CHECK_INT(head_of(f, 3), -1);
    CHECK(order(f, 4) < order(f, 3));
    CHECK(f->blocks[block_with(f, 4)].back_edge);
    CHECK(!f->blocks[block_with(f, 2)].back_edge);
    CHECK(!spins(f, 4));
    ptx_free(m);
}

static void test_nested(void) {
    /* for { for { if a break; if b continue; } if c return; } */
    ptx_module *m = module_of(M(1) "O: " M(2) "I: " M(3) "@%p1 bra OUT;" M(4) "@%p2 bra I;" M(
        5) "@%p3 bra I; OUT: " M(6) "@%p4 bra R;" M(7) "@%p5 bra O;" M(8) "R: " M(9) "ret;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(head_of(f, 3), 3);
    CHECK_INT(head_of(f, 4), 3);
    CHECK_INT(head_of(f, 5), 3);
    CHECK_INT(head_of(f, 6), 2);
    CHECK_INT(head_of(f, 8), -1);
    CHECK_INT(ipdom(f, 3), 6);
    CHECK_INT(ipdom(f, 6), 9);
    CHECK(order(f, 2) < order(f, 3) && order(f, 5) < order(f, 6) && order(f, 7) < order(f, 8));
    ptx_free(m);
}

static void test_early_return(void) {
    /* A guarded ret ends a block but lanes go on. */
    ptx_module *m = module_of(M(1) "@%p1 ret;" M(2) "@%p2 exit;" M(3) "ret;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(f->block_count, 3);
    CHECK_INT(f->blocks[block_with(f, 1)].succ[0], -1);
    CHECK_INT(f->blocks[block_with(f, 1)].succ[1], block_with(f, 2));
    CHECK_INT(ipdom(f, 1), -1);
    CHECK_INT(ipdom(f, 2), -1);
    ptx_free(m);
}

/* The first and the last instruction are blocks of their own when they jump, or are jumped to. */
static void test_short(void) {
    static const struct {
        const char *body, *blocks; /* FIRST-LAST>TARGET,NEXT of each */
    } rows[] = {
        {"", "0-0>-1,-1"}, /* the ret that is not written */
        {"ret;", "0-0>-1,-1"},
        {"@%p1 ret;", "0-0>-1,1 1-1>-1,-1"},
        {"bra L; mov.u32 %r1, 1; L: ret;", "0-0>2,-1 1-1>-1,2 2-2>-1,-1"},
        {"@%p1 bra L; L: ret;", "0-0>1,1 1-1>-1,-1"},
        {"L: bra L;", "0-0>0,-1"},
        {"L: @%p1 bra L;", "0-0>0,1 1-1>-1,-1"},
        {"mov.u32 %r1, 1; L: mov.u32 %r1, 2; @%p1 bra L; exit;", "0-0>-1,1 1-2>1,2 3-3>-1,-1"},
        {"trap; mov.u32 %r1, 1; exit; mov.u32 %r1, 2;", "0-0>-1,-1 1-2>-1,-1 3-4>-1,-1"},
        {"T: .branchtargets A, B, A; brx.idx %r1, T; A: ret; B: ret;",
         "0-0>-1,-1:1:2:1 1-1>-1,-1 2-2>-1,-1"},
        {"T: .branchtargets A, B; @%p1 brx.idx %r1, T; A: B: ret;", "0-0>-1,1:1:1 1-1>-1,-1"},
        {"A: mov.u32 %r1, 1; T: .branchtargets A; brx.idx %r1, T;", "0-1>-1,-1:0"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char got[200] = "";
        size_t n = 0;
        ptx_module *m = module_of(rows[k].body);
        const ptx_func *f = m ? m->funcs[0] : NULL;
        for (size_t i = 0; f && i < f->block_count; i++) {
            const ptx_block *b = &f->blocks[i];
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%u-%u>%d,%d", i ? " " : "", b->first,
                                  b->last, b->succ[0], b->succ[1]);
            for (uint32_t t = 0; t < b->target_count; t++)
                n += (size_t)snprintf(got + n, sizeof got - n, ":%u", b->targets[t]);
            for (uint32_t at = b->first; at <= b->last; at++) CHECK_INT(f->block_of[at], i);
        }
        CHECK_STR(got, rows[k].blocks);
        ptx_free(m);
    }
}

static void test_switch(void) {
    ptx_module *m = module_of("T: .branchtargets A, B, C;" M(1) "brx.idx %r1, T; A: " M(
        2) "bra E; B: " M(3) "C: " M(4) "E: " M(5) "ret;");
    const ptx_func *f = m->funcs[0];
    const ptx_block *b = &f->blocks[block_with(f, 1)];
    CHECK_INT(b->target_count, 3);
    CHECK_INT(b->targets[0], block_with(f, 2));
    CHECK_INT(b->targets[2], block_with(f, 4));
    CHECK_INT(ipdom(f, 1), 5);
    CHECK_INT(ipdom(f, 3), 4);
    ptx_free(m);
}

/* Many successors, each with its own. */
static void test_wide_switch(void) {
    enum { MANY = 300 };
    static char body[16000];
    size_t n = (size_t)snprintf(body, sizeof body, "T: .branchtargets ");
    for (unsigned k = 0; k < MANY; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "%sL%u", k ? ", " : "", k * 7 % MANY);
    n += (size_t)snprintf(body + n, sizeof body - n, "; %sbrx.idx %%r1, T;", M(1000));
    for (unsigned k = 0; k < MANY; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "L%u: mov.u32 %%r1, %u; ret;\n", k, k);
    ptx_module *m = module_of(body);
    if (!CHECK(m != NULL)) return;
    const ptx_func *f = m->funcs[0];
    const ptx_block *b = &f->blocks[block_with(f, 1000)];
    CHECK_INT(b->target_count, MANY);
    unsigned good = 0;
    for (unsigned k = 0; k < MANY && k < b->target_count; k++)
        good += mark_of(f, (int)b->targets[k]) == (int)(k * 7 % MANY);
    CHECK_INT(good, MANY);
    CHECK_INT(f->block_count, MANY + 1);
    ptx_free(m);
}

static void test_irreducible(void) {
    /* Two entries into a loop of 2 and 3. */
    ptx_module *m = module_of(M(1) "@%p1 bra B; A: " M(2) "B: " M(3) "@%p2 bra A;" M(4) "ret;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(ipdom(f, 1), 3);
    CHECK_INT(ipdom(f, 2), 3);
    CHECK_INT(ipdom(f, 3), 4);
    CHECK(head_of(f, 2) == head_of(f, 3) && (head_of(f, 2) == 2 || head_of(f, 2) == 3));
    CHECK(order(f, 4) == 3 && order(f, 1) == 0);
    ptx_free(m);
}

static void test_endless(void) {
    ptx_module *m = module_of(M(1) "@%p1 bra X; L: " M(2) "bra L; X: " M(3) "ret;" M(4) "bra L;");
    const ptx_func *f = m->funcs[0];
    CHECK_INT(head_of(f, 2), 2);
    CHECK_INT(ipdom(f, 3), -1);
    CHECK_INT(order(f, 4), 3); /* nothing leads to it: last */
    ptx_free(m);
}

/* A loop waits for others if it goes on by what it read of their memory; counting beside it changes
 * nothing, and a loop that only counts its reads does not wait. */
/* A round that computes for the next one is work; a counter, or a pause that doubles, is none. */
static void test_carries(void) {
#define POLL "ld.volatile.global.u32 %r2, [%rd1]; setp.lt.u32 %p1, %r2, 9; "
    static const struct {
        const char *body;
        bool carries;
    } cases[] = {
        {POLL, false},
        {POLL "add.u32 %r3, %r3, 1;", false},
        {POLL "add.u32 %r4, %r3, 1; mov.u32 %r3, %r4;", false},
        {POLL "shl.b32 %r4, %r3, 1; setp.lt.u32 %p2, %r3, 256; selp.b32 %r3, %r4, %r3, %p2;",
         false},
        {POLL "mul.lo.u32 %r4, %r5, %r5;", false}, /* the same each time, and nobody's */
        {POLL "mov.u32 %r4, %r5; add.u32 %r3, %r4, 1;", false},
        {POLL "mul.lo.u32 %r3, %r3, 3;", true},
        {POLL "xor.b32 %r3, %r3, 5;", true},
        {POLL "add.u32 %r3, %r3, %r2;", true}, /* a sum of what was read */
        {POLL "add.f32 %r3, %r3, 0f3F800000;", true},
        {POLL "fma.rn.f32 %r3, %r3, %r4, %r5;", true},
        {POLL "mul.lo.u32 %r4, %r3, 3; mov.u32 %r3, %r4;", true},
        {"mov.u32 %r3, %r4; mad.lo.u32 %r4, %r3, 3, 1; " POLL, true},
        {POLL "@%p2 bra A; add.u32 %r4, %r2, 1; A: mul.lo.u32 %r5, %r2, 3; B: add.u32 %r6, %r5, "
              "%r2; setp.lt.u32 %p3, %r6, 9; @%p3 bra B;",
         false},
        {POLL "@%p2 bra A; mul.lo.u32 %r4, %r4, 3; A: setp.lt.u32 %p1, %r2, 8;", true},
        {POLL "B: mul.lo.u32 %r4, %r4, 3; setp.lt.u32 %p3, %r4, %r5; @%p3 bra B;", true},
        {POLL "@%p2 add.u32 %r4, %r2, 1; mov.u32 %r5, %r4;", true}, /* an older one's, at times */
        {POLL "mov.b64 {%r3, %r4}, %rd2; xor.b64 %rd2, %rd2, %rd3;", true},
        {"atom.global.cas.b32 %r2, [%rd1], %r3, 1; setp.ne.u32 %p1, %r2, %r3; mov.u32 %r3, %r2;",
         true},
    };
#undef POLL
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300];
        snprintf(body, sizeof body, "%s%s%s", "L: " M(1), cases[i].body, " @%p1 bra L; ret;");
        ptx_module *m = module_of(body);
        const ptx_block *b = m ? &m->funcs[0]->blocks[block_with(m->funcs[0], 1)] : NULL;
        check_that(b && b->polls && b->carries == cases[i].carries, __FILE__, __LINE__,
                   cases[i].body, cases[i].carries ? "is work" : "is none");
        ptx_free(m);
    }
}

/* A loop waits for a clock if that decides, nothing that it does can be seen and no round leaves
 * anything to the next: such rounds may be skipped. */
static void test_waits(void) {
#define LATER    "mov.u64 %rd2, %clock64; sub.u64 %rd3, %rd2, %rd1; setp.lt.u64 %p1, %rd3, 99;"
#define ASK(how) "mbarrier." how "_wait.parity.shared.b64 %p2, [%r4], 0;"
    static const struct {
        const char *body;
        enum { NO, CLOCK, ASKS } waits; /* ASKS: also for what others do */
    } cases[] = {
        {LATER, CLOCK},
        {LATER ASK("test") "@%p2 bra B;", ASKS},
        {LATER ASK("try") "@%p2 bra B;", ASKS},
        {LATER ASK("test") "and.pred %p1, %p1, %p2;", ASKS},
        {ASK("try") "not.pred %p1, %p2;", NO}, /* no clock */
        {LATER ASK("try") "add.u32 %r3, %r3, 1;", NO},
        {LATER "mbarrier.arrive.shared.b64 _, [%r2];", NO},
        {"mov.u64 %rd2, %globaltimer; setp.lt.u64 %p1, %rd2, %rd1;", CLOCK},
        {"mov.u32 %r2, %clock; setp.lt.u32 %p1, %r2, %r3;", CLOCK},
        {"mov.u32 %r2, %globaltimer_lo; setp.lt.u32 %p1, %r2, %r3;", CLOCK},
        {LATER "nanosleep.u32 100;", CLOCK},
        {LATER "@%p2 bra A; sub.u64 %rd3, %rd2, %rd4; A: setp.lt.u64 %p1, %rd3, 98;", CLOCK},
        {LATER "add.u32 %r3, %r3, 1;", NO}, /* somebody may want to know how often */
        {LATER "fma.rn.f32 %r3, %r3, %r4, %r5;", NO},
        {LATER "st.global.u64 [%rd1], %rd2;", NO},
        {LATER "ld.volatile.global.u32 %r2, [%rd1];", NO},
        {LATER "atom.global.add.u32 %r2, [%rd1], 1;", NO},
        {LATER "bar.sync 0;", NO},
        {LATER "membar.gl;", NO},
        {"mov.u64 %rd2, %clock64; setp.lt.u32 %p1, %r2, %r3;", NO}, /* it decides nothing */
        {"setp.lt.u32 %p1, %r2, %r3;", NO},
    };
#undef LATER
#undef ASK
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300];
        snprintf(body, sizeof body, "%s%s%s", "L: " M(1), cases[i].body,
                 " @%p1 bra L; B: " M(2) "ret;");
        ptx_module *m = module_of(body);
        const ptx_func *f = m ? m->funcs[0] : NULL;
        check_that(f && f->blocks[block_with(f, 1)].waits == (cases[i].waits != NO), __FILE__,
                   __LINE__, cases[i].body,
                   cases[i].waits != NO ? "waits for a clock" : "does more");
        if (f) CHECK(f->blocks[block_with(f, 1)].asks == (cases[i].waits == ASKS));
        if (f) CHECK(!f->blocks[block_with(f, 2)].waits); /* behind it */
        ptx_free(m);
    }
}

static void test_polls(void) {
    static const struct {
        const char *body;
        bool polls;
    } cases[] = {
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;", true},
        {"add.u32 %r3, %r3, 1; ld.volatile.global.u32 %r2, [%rd1]; setp.lt.u32 %p1, %r2, %r4;",
         true},
        {"ld.acquire.gpu.u32 %r2, [%rd1]; sub.u32 %r5, %r2, %r4; setp.ne.u32 %p1, %r5, 0;", true},
        {"atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0;", true},
        {"ld.volatile.global.v2.u32 {%r2, %r3}, [%rd1]; setp.ne.u32 %p1, %r3, 0;", true},
        {"add.u32 %r3, %r3, 1; ld.volatile.global.u32 %r2, [%rd1]; setp.lt.u32 %p1, %r3, 9;",
         false},
        {"ld.global.u32 %r2, [%rd1]; membar.gl; setp.eq.u32 %p1, %r2, 0;", false},
        {"st.volatile.global.u32 [%rd1], %r2; setp.eq.u32 %p1, %r2, 0;", false},
        {"ld.mmio.relaxed.sys.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0;", true},
        {"ld.volatile.global.v2.u32 {%r2, %r3}, [%rd1]; setp.ne.u32 %p1, %r2, 0;", true},
        {"ld.volatile.global.v2.u32 {%r2, %r3}, [%rd1]; setp.ne.u32 %p1, %r4, 0;", false},
        /* made of it: in a list, through an address, under a guard, as the second of a pair */
        {"ld.volatile.global.u32 %r2, [%rd1]; mov.b64 %rd2, {%r3, %r2}; setp.eq.u64 %p1, %rd2, 0;",
         true},
        {"ld.volatile.global.u64 %rd2, [%rd1]; ld.global.u32 %r2, [%rd2]; setp.eq.u32 %p1, %r2, 0;",
         true},
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 mov.u32 %r3, 1; "
         "setp.eq.u32 %p1, %r3, 0;",
         true},
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p3 mov.u32 %r3, 1; "
         "setp.eq.u32 %p1, %r3, 0;",
         false},
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.and.u32 %p2|%p1, %r2, 0, %p3;", true},
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.and.u32 %p1|%p2, %r2, 0, %p3;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; shfl.sync.down.b32 %r3|%p1, %r2, 1, 31, -1;", true},
        {"ld.volatile.global.u32 %r2, [%rd1]; setp.eq.and.u32 %p2|%p3, %r4, 0, %p1;", false},
        /* a store makes nothing of what it reads */
        {"ld.volatile.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r2; setp.eq.u32 %p1, %r3, 0;",
         false},
        {"red.global.add.u32 [%rd1], %r2; setp.eq.u32 %p1, %r2, 0;", false},
        /* values that come back as many times as there are passes, and once more */
        {"setp.eq.u32 %p1, %r5, 0; mov.u32 %r5, %r4; mov.u32 %r4, %r3; "
         "ld.volatile.global.u32 %r3, [%rd1];",
         true},
        {"setp.eq.u32 %p1, %r6, 0; mov.u32 %r6, %r5; mov.u32 %r5, %r4; mov.u32 %r4, %r3; "
         "ld.volatile.global.u32 %r3, [%rd1];",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300];
        snprintf(body, sizeof body, "%s%s%s", "L: " M(1), cases[i].body,
                 " @%p1 bra L;" M(2) "ret;");
        ptx_module *m = module_of(body);
        check_that(m && polls(m->funcs[0], 1) == cases[i].polls, __FILE__, __LINE__, cases[i].body,
                   cases[i].polls ? "is not seen to wait" : "taken for a loop that waits");
        if (m) CHECK(!polls(m->funcs[0], 2)); /* behind it */
        ptx_free(m);
    }
}

static void test_spin(void) {
    static const struct {
        const char *body;
        bool spins;
    } cases[] = {
        {"atom.global.cas.b32 %r2, [%rd1], 0, 1;", true},
        {"ld.volatile.global.u32 %r2, [%rd1];", true},
        {"ld.acquire.gpu.u32 %r2, [%rd1];", true},
        {"ld.relaxed.gpu.u32 %r2, [%rd1];", true},
        {"membar.gl;", true},
        {"nanosleep.u32 20;", true},
        {"ld.mmio.relaxed.sys.global.u32 %r2, [%rd1];", true},
        {"red.shared.add.u32 [%r3], 1;", true},
        {"fence.acq_rel.gpu;", true},
        {"P: .callprototype _ (); call %rd1, P;", true},
        {"mbarrier.test_wait.shared.b64 %p1, [%r3], %rd2;", true},
        {"mbarrier.try_wait.shared.b64 %p1, [%r3], %rd2;", true},
        {"mbarrier.arrive.shared.b64 %rd3, [%r3];", false},
        {"mov.u32 %r2, 0; ld.volatile.shared.u32 %r4, [%r3]; mov.u32 %r5, 0;", true},
        {"ld.weak.global.u32 %r2, [%rd1];", false},
        {"ld.global.nc.u32 %r2, [%rd1];", false},
        {"ld.global.u32 %r2, [%rd1];", false},
        {"bar.sync 0;", false},
        {"st.volatile.global.u32 [%rd1], %r2;", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300];
        snprintf(body, sizeof body, "%s%s%s", "L: " M(1), cases[i].body,
                 " @%p1 bra L;" M(2) "ret;");
        ptx_module *m = module_of(body);
        check_that(m && spins(m->funcs[0], 1) == cases[i].spins, __FILE__, __LINE__, cases[i].body,
                   cases[i].spins ? "no spin loop" : "taken for a spin loop");
        ptx_free(m);
    }
    /* An outer loop spins when its inner one does, an inner one not because of the outer. */
    ptx_module *m = module_of("O: " M(1) "atom.global.add.u32 %r2, [%rd1], 1; I: " M(
        2) "@%p1 bra I;" M(3) "@%p2 bra O;" M(4) "ret;");
    CHECK(!spins(m->funcs[0], 2));
    CHECK(spins(m->funcs[0], 3));
    ptx_free(m);
}

static void test_atomics(void) {
    static const struct {
        const char *body;
        bool matters;
    } cases[] = {
        {"atom.global.add.u32 %r2, [%rd1], 1;", false},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.u32 [%rd1], %r2;", true},
        {"atom.global.add.u32 _, [%rd1], 1;", false},
        {"atom.add.u32 %r2, [%rd1], 1; add.s32 %r3, %r2, 1;", true},
        {"atom.shared.add.u32 %r2, [%r1], 1; st.global.u32 [%rd1], %r2;", false},
        {"red.global.add.f32 [%rd1], 0f3F800000;", true},
        {"red.global.add.u32 [%rd1], 1;", false},
        {"red.shared.add.f32 [%r1], 0f3F800000;", false},
        {"red.global.add.f64 [%rd1], %rd2;", true},
        {"red.global.add.noftz.f16 [%rd1], %h1;", true},
        {"red.global.add.noftz.bf16x2 [%rd1], %r2;", true},
        {"atom.global.exch.b64 %rd2, [%rd1], %rd3;", false},
        {"atom.global.cas.b16 %h1, [%rd1], 0, 1;", false},
        /* read as an address, in a list, and first where there is no destination */
        {"atom.global.exch.b64 %rd2, [%rd1], 1; ld.global.u32 %r2, [%rd2];", true},
        {"atom.global.exch.b64 %rd2, [%rd1], 1; st.global.u32 [%rd2], %r3;", true},
        {"atom.global.exch.b64 %rd2, [%rd1], 1; red.global.add.u32 [%rd2], %r3;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; red.global.add.u32 [%rd1], %r2;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.v2.u32 [%rd1], {%r3, %r2};", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.v2.u32 [%rd1], {%r2, %r3};", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; st.global.v2.u32 [%rd1], {%r3, %r4};", false},
        {"atom.global.add.u32 %r2, [%rd1], 1; bar.sync %r2;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; nanosleep.u32 %r2;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; cp.async.ca.shared.global [%r2], [%rd1], 4;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; sust.b.1d.b32.trap [%rd2, {%r2}], {%r3};", true},
        {"atom.global.exch.b64 %rd2, [%rd1], 1; sust.b.1d.b32.trap [%rd2, {%r2}], {%r3};", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; T: .branchtargets E; brx.idx %r2, T; E: ret;", true},
        {"atom.global.exch.b64 %rd2, [%rd1], 1; P: .callprototype _ (); call %rd2, P;", true},
        /* written over, or read by what stands first */
        {"atom.global.add.u32 %r2, [%rd1], 1; mov.u32 %r2, 0;", false},
        {"atom.global.add.u32 %r2, [%rd1], 1; ld.global.u32 %r2, [%rd1];", false},
        {"L: st.global.u32 [%rd1], %r2; atom.global.add.u32 %r2, [%rd1], 1; @%p1 bra L;", true},
        /* one of several */
        {"atom.global.add.u32 %r2, [%rd1], 1; atom.global.add.u32 %r3, [%rd1], %r2;", true},
        {"atom.global.add.u32 %r2, [%rd1], 1; atom.global.add.u32 %r3, [%rd1], 1; "
         "st.global.u32 [%rd1], %r3;",
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[300];
        snprintf(body, sizeof body, ".reg .b16 %%h<3>; %s", cases[i].body);
        ptx_module *m = module_of(body);
        check_that(m && m->funcs[0]->uses_global_atomics_result == cases[i].matters, __FILE__,
                   __LINE__, cases[i].body, "the other way round");
        ptx_free(m);
    }
}

/* ---- random graphs ------------------------------------------------------------------------ */
enum { MAX = 24 };
typedef struct {
    unsigned n;
    uint32_t succ[MAX]; /* sets of marks; bit MAX: leaves the function */
    int kind[MAX], to[MAX][3];
} random_graph;

static uint64_t state;
static unsigned draw(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static void make_graph(random_graph *g, char *body, size_t size) {
    g->n = 2 + draw(MAX - 2);
    size_t at = 0;
    body[0] = 0;
    for (unsigned i = 0; i < g->n; i++) {
        unsigned kind = draw(10), a = draw(g->n), b = draw(g->n), c = draw(g->n),
                 next = i + 1 < g->n ? 1u << (i + 1) : 1u << MAX;
        if (draw(2) && i + 1 < g->n) a = i + 1 + draw(g->n - i - 1); /* forward more often */
        if (i + 1 == g->n) kind = draw(3) ? 8 : 5 + draw(2);
        at += (size_t)snprintf(body + at, size - at, "B%u: mov.u32 %%r1, %u; ", i, i);
        if (kind < 5) {
            at += (size_t)snprintf(body + at, size - at, "@%%p1 bra B%u;\n", a);
            g->succ[i] = 1u << a | next;
        } else if (kind < 7) {
            at += (size_t)snprintf(body + at, size - at, "bra B%u;\n", a);
            g->succ[i] = 1u << a;
        } else if (kind < 8) {
            at += (size_t)snprintf(body + at, size - at,
                                   "T%u: .branchtargets B%u, B%u, B%u; brx.idx %%r1, T%u;\n", i, a,
                                   b, c, i);
            g->succ[i] = 1u << a | 1u << b | 1u << c;
        } else if (kind < 9) {
            at += (size_t)snprintf(body + at, size - at, "ret;\n");
            g->succ[i] = 1u << MAX;
        } else {
            at += (size_t)snprintf(body + at, size - at, "@%%p1 bra B%u;\n", i + 1);
            g->succ[i] = next;
        }
    }
}

/* What is reachable from `from` without going through `without` (MAX + 1: everything allowed). */
static uint32_t reach(const random_graph *g, unsigned from, unsigned without) {
    uint32_t seen = 0, todo = from == without ? 0 : 1u << from;
    while (todo) {
        unsigned v = (unsigned)__builtin_ctz(todo);
        todo &= todo - 1;
        seen |= 1u << v;
        if (v == MAX) continue;
        uint32_t s = g->succ[v] & ~seen;
        if (without <= MAX) s &= ~(1u << without);
        todo |= s;
    }
    return seen;
}

/* d post-dominates v: without d no path from v leaves. */
static bool post_dominates(const random_graph *g, unsigned d, unsigned v) {
    return d != v && !(reach(g, v, d) >> MAX & 1);
}
static bool dominates(const random_graph *g, unsigned d, unsigned v) {
    return d == v || (d != 0 && !(reach(g, 0, d) >> v & 1)) || d == 0;
}

static bool check_graph(const random_graph *g, const ptx_func *f, const char **why) {
    static char text[200];
    uint32_t live = reach(g, 0, MAX + 1), orders = 0;
    *why = text;
    int block[MAX];
    unsigned ord[MAX] = {0};
    for (unsigned v = 0; v < g->n; v++) {
        block[v] = block_with(f, v);
        ord[v] = f->blocks[block[v]].order;
        orders |= 1u << ord[v];
    }
    /* Where no path leaves, one block counts as leaving: of each such region the last in the
     * text. */
    random_graph ends = *g;
    for (unsigned v = g->n; v-- > 0;)
        if (!(reach(&ends, v, MAX + 1) >> MAX & 1)) ends.succ[v] |= 1u << MAX;
    snprintf(text, sizeof text, "the order is no permutation that begins with the entry");
    if (orders != (1u << g->n) - 1 || ord[0] != 0) return false;
    for (unsigned v = 0; v < g->n; v++) {
        /* Edges as written. */
        uint32_t succ = 0;
        const ptx_block *b = &f->blocks[block[v]];
        for (int k = 0; k < 2; k++)
            if (b->succ[k] >= 0) succ |= 1u << (mark_of(f, b->succ[k]) & 31);
        for (uint32_t k = 0; k < b->target_count; k++)
            succ |= 1u << (mark_of(f, (int)b->targets[k]) & 31);
        snprintf(text, sizeof text, "successors of %u", v);
        if (succ != (g->succ[v] & ~(1u << MAX))) return false;
        /* Immediate post-dominator: of all post-dominators the one that all others
         * post-dominate. */
        int want = -1;
        for (unsigned d = 0; d < g->n; d++) {
            if (!post_dominates(&ends, d, v)) continue;
            bool nearest = true;
            for (unsigned e = 0; e < g->n; e++)
                if (e != d && post_dominates(&ends, e, v) && !post_dominates(&ends, e, d))
                    nearest = false;
            if (nearest) want = (int)d;
        }
        snprintf(text, sizeof text, "post-dominator of %u: got %d, want %d", v,
                 mark_of(f, b->ipdom), want);
        if (mark_of(f, b->ipdom) != want) return false;
    }
    /* Order: in a reducible graph only back edges (to a dominator) lead backwards, and natural
     * loops are contiguous. */
    bool reducible = true;
    random_graph forward = *g;
    for (unsigned u = 0; u < g->n; u++)
        for (unsigned v = 0; v < g->n; v++)
            if ((g->succ[u] >> v & 1) && (live >> u & 1) && dominates(g, v, u))
                forward.succ[u] &= ~(1u << v);
    for (unsigned v = 0; v < g->n; v++)
        if ((live >> v & 1))
            for (unsigned w = 0; w < g->n; w++)
                if ((forward.succ[v] >> w & 1) && (reach(&forward, w, MAX + 1) >> v & 1))
                    reducible = false;
    for (unsigned v = 0; v < g->n; v++) {
        uint32_t cycle = 0; /* the strongly connected component of v */
        if (!(live >> v & 1)) continue;
        for (unsigned w = 0; w < g->n; w++)
            if ((reach(g, v, MAX + 1) >> w & 1) && (reach(g, w, MAX + 1) >> v & 1))
                cycle |= 1u << w;
        unsigned low = MAX, high = 0;
        for (unsigned w = 0; w < g->n; w++)
            if (cycle >> w & 1)
                low = ord[w] < low ? ord[w] : low, high = ord[w] > high ? ord[w] : high;
        snprintf(text, sizeof text, "the loop of %u is not contiguous", v);
        if (high - low + 1 != (unsigned)__builtin_popcount(cycle)) return false;
        bool back = false;
        for (unsigned w = 0; w < g->n; w++) {
            if (!(g->succ[v] >> w & 1)) continue;
            back |= ord[w] <= ord[v];
            snprintf(text, sizeof text, "the edge %u to %u leads backwards", v, w);
            if (reducible && ord[w] <= ord[v] && !dominates(g, w, v)) return false;
            if (!(reach(g, w, MAX + 1) >> v & 1) && ord[w] <= ord[v]) return false;
        }
        snprintf(text, sizeof text, "back_edge of %u", v);
        if (back != f->blocks[block[v]].back_edge) return false;
        /* A natural loop: what reaches a back edge's source without the head. */
        for (unsigned h = 0; reducible && h < g->n; h++) {
            uint32_t body = 1u << h;
            bool any = false;
            for (unsigned u = 0; u < g->n; u++) {
                if (!(live >> u & 1) || !(g->succ[u] >> h & 1) || !dominates(g, h, u)) continue;
                any = true;
                for (unsigned w = 0; w < g->n; w++)
                    if ((live >> w & 1) && w != h && (w == u || (reach(g, w, h) >> u & 1)))
                        body |= 1u << w;
            }
            if (!any || !(live >> h & 1)) continue;
            low = MAX, high = 0;
            for (unsigned w = 0; w < g->n; w++)
                if (body >> w & 1)
                    low = ord[w] < low ? ord[w] : low, high = ord[w] > high ? ord[w] : high;
            snprintf(text, sizeof text,
                     "the natural loop of %u is not contiguous or does not begin with it", h);
            if (high - low + 1 != (unsigned)__builtin_popcount(body) || ord[h] != low) return false;
        }
    }
    return true;
}

static void test_random(void) {
    unsigned good = 0, count = 3000;
    static char body[8192];
    for (unsigned seed = 0; seed < count; seed++) {
        random_graph g = {0};
        const char *why = "does not parse";
        state = seed * 0x9E3779B97F4A7C15u + 1;
        make_graph(&g, body, sizeof body);
        ptx_module *m = module_of(body);
        if (m && check_graph(&g, m->funcs[0], &why)) good++;
        else if (seed - good < 3) printf("# seed %u: %s\n%s\n", seed, why, body);
        ptx_free(m);
    }
    CHECK_INT(good, count);
}

int main(void) {
    test_if_else();
    test_loop();
    test_nested();
    test_early_return();
    test_short();
    test_switch();
    test_wide_switch();
    test_irreducible();
    test_endless();
    test_polls();
    test_waits();
    test_carries();
    test_spin();
    test_atomics();
    test_random();
    return check_done();
}
