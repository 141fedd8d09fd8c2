/* Which stretches of code become machine code, and when the compiler is asked
 * (runner/device/sim/native/native.h): images put together by hand, and a runner of commands that
 * notes what it is asked for. test_native.c is about what the code then does. */
#include "runner/base/message.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/machine/module.h"
#include "runner/device/sim/native/native.h"
#include "tests/check.h"
/* after what it names */
#include "runner/device/sim/exec/families.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOT = 256, INSNS = 400, SEGS = 8, FRAME = 64 * SLOT };

typedef struct {
    sim_insn insns[INSNS + 1];
    sim_seg segs[SEGS + 1];
    ptx_insn text;
    ptx_block block;
    uint32_t block_of;
    ptx_func ptx;
    sim_func func;
    sim_image image;
    sim_module module;
    sim_device device;
} made_image;

static const sim_exec_row *row_of(unsigned op, unsigned type) {
    for (size_t k = 0; k < exec_int_count_base; k++) {
        const sim_exec_row *r = &exec_int_rows_base[k];
        if (r->op == op && r->t0 == type && !r->variant && !(r->slots >> 16)) return r;
    }
    CHECK(!"a row");
    exit(1);
}

/* One segment a string, an instruction a letter: w, a sum of words; d, of double words; m, of
 * double words, of which one is where a sum of words goes; p, a count of bits, which compilers do
 * not turn into vector code; x: one that is made for no PTX. */
static void image_of(made_image *x, const char *const *segs, unsigned count) {
    const sim_exec_row *word = row_of(PTX_OP_add, PTX_B32), *wide = row_of(PTX_OP_add, PTX_B64),
                       *bits = row_of(PTX_OP_popc, PTX_B32);
    memset(x, 0, sizeof *x);
    x->block = (ptx_block){.succ = {-1, -1}};
    x->ptx = (ptx_func){.insns = &x->text,
                        .insn_count = 1,
                        .blocks = &x->block,
                        .block_count = 1,
                        .block_of = &x->block_of};
    uint32_t at = 0;
    for (unsigned s = 0; s < count; s++) {
        uint32_t first = at;
        for (const char *c = segs[s]; *c; c++, at++) {
            const sim_exec_row *r = *c == 'p' ? bits : *c == 'd' || *c == 'm' ? wide : word;
            uint32_t from = *c == 'd' ? 10 : *c == 'm' ? 0 : 20;
            x->insns[at] =
                (sim_insn){.fn = {r->fn[0], r->fn[1]},
                           .ptx = *c == 'x' ? NULL : &x->text,
                           .d = sim_opnd_make((*c == 'd'   ? 13
                                               : *c == 'm' ? 16
                                                           : 0) *
                                                  SLOT,
                                              SIM_BASE_REGS),
                           .a = sim_opnd_make(from * SLOT, SIM_BASE_REGS),
                           .b = sim_opnd_make((*c == 'm' ? 14 : from + 2) * SLOT, SIM_BASE_REGS)};
        }
        x->segs[s] = (sim_seg){
            .first = first, .count = at - first, .end = SIM_END_RET, .id = s, .ptx_count = 1};
        at++; /* its end */
    }
    x->func = (sim_func){.ptx = &x->ptx,
                         .image = &x->image,
                         .insns = x->insns,
                         .insn_count = at,
                         .segs = x->segs,
                         .seg_count = count,
                         .frame_bytes = FRAME};
    x->device = (sim_device){.isa = SIM_ISA_base};
    x->module = (sim_module){.device = &x->device};
    x->image =
        (sim_image){.owner = &x->module, .funcs = &x->func, .func_count = 1, .seg_count = count};
}

/* ---- what ---- */

/* Runs of two and more that fit, of a segment of two and more: "from+count" each. */
static void runs(void) {
    static char many[3][INSNS];
    memset(many[0], 'w', 193), memset(many[1], 'w', 194), memset(many[2], 'w', 192);
    const struct {
        const char *seg, *runs;
    } rows[] = {
        {"", ""},
        {"w", ""},
        {"ww", "0+2 "},
        {"xw", ""},
        {"wx", ""},
        {"xww", "1+2 "},
        {"wwx", "0+2 "},
        {"wxw", ""},
        {"wxww", "2+2 "},
        {"wwxw", "0+2 "},
        {"wwxwww", "0+2 3+3 "},
        {"wwpww", "0+2 3+2 "},
        {"dw", "0+2 "},
        /* one place is of words or of double words, not of both: a run ends, and another begins
         * with that one */
        {"wm", ""},
        {"wwm", "0+2 "},
        {"wmm", "1+2 "},
        {"wwmm", "0+2 2+2 "},
        {"mmwwmm", "0+2 2+2 4+2 "},
        /* 192 instructions at most */
        {many[2], "0+192 "},
        {many[0], "0+192 "},
        {many[1], "0+192 192+2 "},
    };
    static made_image x;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        image_of(&x, &rows[k].seg, 1);
        const bool wanted = true;
        native_plan p;
        char got[100] = "", name[40];
        bool some = native_plan_make(&p, &x.image, SIM_ISA_base, &wanted);
        CHECK_INT(some, *rows[k].runs != 0);
        CHECK_INT(p.seg_count, some);
        for (unsigned r = 0; some && r < p.segs[0].run_count; r++) {
            snprintf(got + strlen(got), sizeof got - strlen(got), "%u+%u ", p.segs[0].runs[r].from,
                     p.segs[0].runs[r].count);
            snprintf(name, sizeof name, "void run_0_%u(", r);
            CHECK_CONTAINS(p.text, name);
        }
        if (some) CHECK(!p.segs[0].loop && p.segs[0].seg == &x.segs[0]);
        check_that(!strcmp(got, rows[k].runs), __FILE__, __LINE__, rows[k].seg, got);
        native_plan_free(&p);
        CHECK(!p.text && !p.segs && !p.seg_count);
    }
    /* of several those that are wanted, each with its own number; not one that has its code */
    static const char *const three[] = {"ww", "www", "wwww"};
    image_of(&x, three, 3);
    for (unsigned set = 0; set < 8; set++)
        for (unsigned has = 0; has < 2; has++) {
            static const sim_native_seg code = {.step_count = 0};
            const bool wanted[] = {set & 1, set & 2, set & 4};
            unsigned want = set & ~(has ? 2u : 0u), at = 0;
            x.segs[1].native = has ? &code : NULL;
            native_plan p;
            CHECK_INT(native_plan_make(&p, &x.image, SIM_ISA_base, wanted), want != 0);
            CHECK_INT(p.seg_count, __builtin_popcount(want));
            for (unsigned s = 0; s < 3; s++)
                if (want >> s & 1)
                    CHECK(p.segs[at].seg == &x.segs[s] && p.segs[at++].runs[0].count == s + 2);
            native_plan_free(&p);
        }
}

/* A segment that goes round by itself and is all one run, where lanes differ by a register's
 * bits. */
static void loops(void) {
    enum { PREDICATE = 9 * SLOT };
    static const struct {
        const char *seg;
        bool round;
        unsigned base;
        bool loop;
    } rows[] = {
        {"www", true, SIM_BASE_REGS, true},    {"ww", true, SIM_BASE_REGS, true},
        {"wwxww", true, SIM_BASE_REGS, false}, /* two runs */
        {"xww", true, SIM_BASE_REGS, false},   /* and an instruction */
        {"wwx", true, SIM_BASE_REGS, false},   {"www", false, SIM_BASE_REGS, false},
        {"www", true, SIM_BASE_POOL, false},
    };
    static made_image x;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *segs[] = {rows[k].seg, "w"};
        image_of(&x, segs, 2);
        sim_seg *s = &x.segs[0];
        s->end = SIM_END_CBRA, s->guarded = true, s->round = rows[k].round;
        x.insns[s->count].guard = sim_opnd_make(PREDICATE, rows[k].base);
        x.insns[s->count].guard_xor = 0xffffffff;
        const bool wanted[] = {true, true};
        native_plan p;
        CHECK(native_plan_make(&p, &x.image, SIM_ISA_base, wanted));
        CHECK_INT(p.seg_count, 1);
        CHECK_INT(p.segs[0].loop, rows[k].loop);
        CHECK_INT(strstr(p.text, "uint32_t loop_0(void *w, uint32_t most)") != NULL, rows[k].loop);
        CHECK_INT(strstr(p.text, "void run_0_0(") != NULL, !rows[k].loop);
        if (rows[k].loop)
            CHECK_CONTAINS(p.text, "on = mask & (*(const uint32_t *)(B0 + 2304) ^ 0xffffffffu);");
        native_plan_free(&p);
    }
}

/* ---- when, by whom ---- */

/* A compiler that has made its library already, or fails, or goes on until it is told to stop. */
typedef struct {
    enum { MAKES, FAILS, ENDLESS } how;
    char folder[64];
    _Atomic unsigned calls, running, late; /* late: it went on when all should have been over */
    _Atomic bool over, held;
    char text[4000]; /* the last source */
} compiler;

static sim_command_end compile(void *user, const sim_command *c, lib_message *msg) {
    compiler *x = user;
    (void)msg;
    x->running++;
    x->calls++;
    CHECK(!strcmp(c->argv[0], "cc") && !strcmp(c->files[0].name, "code.c") &&
          c->files[0].len == strlen(c->files[0].bytes) && c->file_count > 5 && c->seconds &&
          c->cancel);
    snprintf(x->text, sizeof x->text, "%s", (const char *)c->files[0].bytes);
    for (unsigned ms = 0; x->held && ms < 5000; ms++) usleep(1000);
    if (x->how == ENDLESS) {
        for (unsigned ms = 0; c->cancel && !*c->cancel && ms < 5000; ms++) usleep(1000);
        usleep(20000); /* it takes a while to end */
    }
    bool good = x->how == MAKES && c->made(c->user, x->folder);
    x->late += x->over;
    x->running--;
    return good ? SIM_COMMAND_DONE : SIM_COMMAND_FAILED;
}

static bool library(compiler *x) {
    char command[300];
    strcpy(x->folder, "/tmp/warplab-test-XXXXXX");
    if (!mkdtemp(x->folder)) return false;
    snprintf(command, sizeof command,
             "printf 'const char data[20000] = {1};\\nvoid run_0_0(void *w, void *i) {}\\n' | "
             "cc -shared -fPIC -x c -o %s/code.so -",
             x->folder);
    return !system(command);
}
static void library_gone(const compiler *x) {
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", x->folder);
    CHECK_INT(system(command), 0);
}

/* Of what may be read of the library, KB that the process has not brought in; -1: there is none. */
static int library_absent(const compiler *x) {
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[500], rights[8];
    int absent = -1, kb;
    bool ours = false;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%*x-%*x %7s", rights) == 1)
            ours = rights[0] == 'r' && strstr(line, x->folder);
        if (!ours) continue;
        if (absent < 0) absent = 0;
        if (sscanf(line, "Size: %d", &kb) == 1) absent += kb;
        else if (sscanf(line, "Rss: %d", &kb) == 1) absent -= kb;
    }
    if (f) fclose(f);
    return absent;
}

static sim_native *native_of(made_image *x, compiler *c, const char *how) {
    setenv("WARPLAB_SIM_NATIVE", how, 1);
    x->device.native = sim_native_new(compile, c);
    unsetenv("WARPLAB_SIM_NATIVE");
    return x->device.native;
}
/* Waits for the thread: true when the segment has its code, or the compiler is done without. */
static bool comes(const sim_seg *s, compiler *c, unsigned calls) {
    for (unsigned ms = 0; ms < 5000; ms++) {
        if (__atomic_load_n(&s->native, __ATOMIC_ACQUIRE)) return true;
        if (c->how != MAKES && c->calls == calls && !c->running) return false;
        usleep(1000);
    }
    return false;
}

/* "now": each image before it runs, as long as the compiler works. */
static void now(void) {
    static made_image x;
    static compiler c;
    static const char *const segs[] = {"ww", "wxww"};
    CHECK(library(&c));
    image_of(&x, segs, 2);
    sim_native *n = native_of(&x, &c, "now");
    sim_native_image *im = sim_native_image_new(n, &x.image);
    CHECK_INT(c.calls, 1);
    CHECK_CONTAINS(c.text, "void run_0_0(");
    CHECK_CONTAINS(c.text, "void run_1_0(");
    const sim_native_seg *s = x.segs[0].native;
    CHECK(s && s->step_count == 1 && !s->loop && s->steps[0].insn == &x.insns[0] &&
          s->steps[0].fn != x.insns[0].fn[0]);
    CHECK(!x.segs[1].native); /* the library has no run_1_0() */
    CHECK_INT(library_absent(&c), 0);
    sim_native_image_free(im);
    /* the other instructions of a segment by themselves */
    static const char *const one[] = {"xwwx"};
    image_of(&x, one, 1);
    im = sim_native_image_new(n, &x.image);
    s = x.segs[0].native;
    CHECK(s && s->step_count == 3);
    for (unsigned k = 0; s && k < 3; k++) {
        static const unsigned at[] = {0, 1, 3};
        CHECK(s->steps[k].insn == &x.insns[at[k]]);
        CHECK_INT(s->steps[k].fn == x.insns[at[k]].fn[0], k != 1);
    }
    sim_native_image_free(im);
    /* a loop in which lanes wait for others: none of its image; what lies behind its segments is
     * not looked at */
    image_of(&x, segs, 2);
    x.segs[2].spin = true;
    im = sim_native_image_new(n, &x.image);
    CHECK(im != NULL);
    sim_native_image_free(im);
    x.segs[1].spin = true;
    CHECK(!sim_native_image_new(n, &x.image));
    CHECK_INT(c.calls, 3);
    /* a compiler that failed is not asked again */
    c.how = FAILS;
    image_of(&x, segs, 2);
    for (unsigned k = 0; k < 2; k++) {
        im = sim_native_image_new(n, &x.image);
        CHECK(im != NULL && !x.segs[0].native);
        sim_native_image_free(im);
        CHECK_INT(c.calls, 4);
    }
    sim_native_free(n);
    library_gone(&c);
    /* off, or nobody runs commands */
    CHECK(!native_of(&x, &c, "off"));
    CHECK(!sim_native_new(NULL, NULL));
    CHECK(!sim_native_image_new(NULL, &x.image));
    sim_native_note(NULL, NULL, 0, true);
    sim_native_free(NULL);
    sim_native_image_free(NULL);
}

/* Hot: from 2^27 warp instructions on, and then each time there were four times as many, four times
 * in all; what has a 64th of the work. */
static void hot(void) {
    enum { FIRST = 1 << 27 };
    static made_image x;
    static compiler c;
    static const char *const segs[] = {"ww", "www", "wwww", "wwwww", "wwwwww"};
    sim_seg_count counts[5] = {{0}};
    sim_worker k = {.segs = counts};
    CHECK(library(&c));
    image_of(&x, segs, 5);
    sim_native *n = native_of(&x, &c, "hot");
    sim_native_image *im = sim_native_image_new(n, &x.image);
    CHECK_INT(c.calls, 0);
    counts[0].warps = 1000;
    sim_native_note(im, &k, FIRST / 2 - 1,
                    true); /* launches that are over count, the running one as far as it is */
    sim_native_note(im, &k, FIRST / 2, false);
    CHECK_INT(c.calls, 0);
    sim_native_note(im, &k, FIRST / 2 + 1, false);
    CHECK(comes(&x.segs[0], &c, 1));
    CHECK_INT(c.calls, 1);
    CHECK(!strstr(c.text, "run_1_0"));
    uint64_t so_many = FIRST;
    for (unsigned s = 1; s < 5; s++) {
        counts[s - 1].warps = 0, counts[s].warps = 1000;
        so_many *= 4;
        for (unsigned ms = 0; c.running && ms < 5000; ms++) usleep(1000);
        sim_native_note(im, &k, so_many - FIRST / 2, false); /* one less with those before */
        CHECK_INT(c.calls, s);
        sim_native_note(im, &k, so_many - FIRST / 2 + 1, false);
        if (s < 4) CHECK(comes(&x.segs[s], &c, s + 1));
    }
    usleep(50000);
    CHECK_INT(c.calls, 4); /* and no fifth time */
    CHECK(!x.segs[4].native);
    sim_native_image_free(im);
    /* a 64th part: of 127 one is one; of 128 it is less than two; an instruction counts, not a
     * segment */
    static const struct {
        uint64_t hot, other;
        uint32_t ptx;
        bool both;
    } parts[] = {{126, 1, 1, true},
                 {127, 1, 1, false},
                 {126, 2, 1, true},
                 {126, 1, 2, true},
                 {0, 0, 1, false}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        image_of(&x, segs, 2);
        counts[0].warps = parts[p].hot, counts[1].warps = parts[p].other;
        x.segs[1].ptx_count = parts[p].ptx;
        x.segs[2].ptx_count = 1 << 20; /* behind them: not looked at */
        im = sim_native_image_new(n, &x.image);
        unsigned before = c.calls;
        sim_native_note(im, &k, FIRST, false);
        if (parts[p].hot) {
            CHECK(comes(&x.segs[0], &c, before + 1));
            CHECK_INT(strstr(c.text, "run_1_0") != NULL, parts[p].both);
        }
        for (unsigned ms = 0; c.running && ms < 5000; ms++) usleep(1000);
        CHECK_INT(c.calls, before + (parts[p].hot > 0));
        sim_native_image_free(im);
    }
    sim_native_free(n);
    library_gone(&c);
}

/* While the compiler is at work others wait for it, and it ends before what it works for. */
static void busy(void) {
    enum { FIRST = 1 << 27 };
    static made_image x, y;
    static compiler c = {.how = ENDLESS};
    static const char *const segs[] = {"ww"};
    sim_seg_count count = {.warps = 1000};
    sim_worker k = {.segs = &count};
    image_of(&x, segs, 1);
    image_of(&y, segs, 1);
    sim_native *n = native_of(&x, &c, "hot");
    sim_native_image *one = sim_native_image_new(n, &x.image),
                     *two = sim_native_image_new(n, &y.image);
    sim_native_note(one, &k, FIRST, false);
    for (unsigned ms = 0; !c.running && ms < 5000; ms++) usleep(1000);
    CHECK_INT(c.running, 1);
    sim_native_note(two, &k, FIRST, false);
    sim_native_note(two, &k, 2 * (uint64_t)FIRST - 1, false); /* not yet again */
    sim_native_note(two, &k, 2 * (uint64_t)FIRST, false);
    CHECK_INT(c.calls, 1);
    sim_native_image_free(two);
    sim_native_image_free(one); /* who is compiled for may go */
    CHECK_INT(c.running, 1);
    sim_native_free(n);
    c.over = true;
    CHECK_INT(c.running, 0);
    CHECK_INT(c.calls, 1);
    usleep(50000);
    CHECK_INT(c.late, 0);
    CHECK(!x.segs[0].native && !y.segs[0].native);
}

/* Who comes while the compiler is at work asks again 2^27 instructions on, and has its four times
 * all the same. */
static void waits(void) {
    enum { FIRST = 1 << 27 };
    static made_image x, y;
    static compiler c;
    static const char *const one[] = {"ww"}, *const segs[] = {"ww", "www", "wwww", "wwwww",
                                                              "wwwwww"};
    sim_seg_count counts[5] = {{.warps = 1000}};
    sim_worker k = {.segs = counts};
    CHECK(library(&c));
    image_of(&x, one, 1);
    image_of(&y, segs, 5);
    sim_native *n = native_of(&x, &c, "hot");
    sim_native_image *first = sim_native_image_new(n, &x.image),
                     *im = sim_native_image_new(n, &y.image);
    c.held = true;
    sim_native_note(first, &k, FIRST, false);
    for (unsigned ms = 0; !c.running && ms < 5000; ms++) usleep(1000);
    sim_native_note(im, &k, FIRST + 5, false);
    c.held = false;
    CHECK(comes(&x.segs[0], &c, 1));
    for (unsigned ms = 0; c.running && ms < 5000; ms++) usleep(1000);
    sim_native_note(im, &k, 2 * FIRST + 4ull, false);
    usleep(20000);
    CHECK_INT(c.calls, 1);
    uint64_t so_many = 2 * FIRST + 5ull;
    for (unsigned s = 0; s < 4; s++, so_many *= 4) {
        counts[s].warps = 1000;
        if (s) counts[s - 1].warps = 0;
        sim_native_note(im, &k, so_many, false);
        CHECK(comes(&y.segs[s], &c, s + 2));
        for (unsigned ms = 0; c.running && ms < 5000; ms++) usleep(1000);
    }
    CHECK_INT(c.calls, 5);
    sim_native_image_free(first);
    sim_native_image_free(im);
    sim_native_free(n);
    library_gone(&c);
}

int main(void) {
    runs();
    loops();
    now();
    hot();
    busy();
    waits();
    return check_done();
}
