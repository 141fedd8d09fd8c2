/* What each kind of instruction is to the machine, whole: kind, pipe, flags, issue slots, time of
 * the pipe and of the special-function unit, latency. Slots and steps are those of the machine code
 * that ptxas makes (sm_90, read with nvdisasm; time_cost.def tells the units); rates and latencies
 * the profiles'. */
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/said.h"
#include <stdlib.h>

static time_op op_of(const sim_profile *p, const char *body, unsigned at) {
    char text[4096];
    lib_message msg = {0};
    snprintf(text, sizeof text,
             ".version 8.4\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 a, .param .u32 b){\n.const .u32 c[9];\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<80>; .reg .f32 %%f<80>; .reg .b64 %%d<64>; "
             ".reg .f64 %%g<16>; .reg .b16 %%h<9>;\n%s\nret;\n}\n",
             body);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK_STR(said(&msg), "");
    time_code *code = m ? time_code_new(p, m, NULL, NULL) : NULL;
    if (!code) exit(1);
    time_op o = code->ops[at];
    time_code_free(code);
    ptx_free(m);
    return o;
}

typedef struct {
    time_kind kind;
    time_pipe pipe;
    unsigned flags, amount;
    double slots, busy, xu, latency, held;
} cost;

static void is(int line, const sim_profile *p, const char *body, unsigned at, const cost *want) {
    time_op o = op_of(p, body, at);
    enum { FIGURES = 5 };
    const double got[FIGURES] = {(double)o.slots, (double)o.busy, (double)o.xu, (double)o.latency,
                                 (double)o.held},
                 by_rule[FIGURES] = {want->slots, want->busy, want->xu, want->latency, want->held};
    char name[200], why[300];
    bool good = o.kind == want->kind && o.pipe == want->pipe && o.flags == want->flags &&
                o.amount == want->amount;
    for (unsigned k = 0; k < FIGURES; k++)
        good &= fabs(got[k] - by_rule[k]) <= 1e-5 * (1 + by_rule[k]);
    snprintf(name, sizeof name, "%s: %.120s", p->marketing, body);
    for (char *c = name; *c; c++) *c = *c == '\n' ? ' ' : *c;
    snprintf(
        why, sizeof why,
        "kind %u pipe %u flags %u amount %u, %g slots, busy %g, xu %g, latency %g, held %g; not "
        "%u %u %u %u, %g, %g, %g, %g, %g",
        o.kind, o.pipe, o.flags, o.amount, got[0], got[1], got[2], got[3], got[4], want->kind,
        want->pipe, want->flags, want->amount, by_rule[0], by_rule[1], by_rule[2], by_rule[3],
        by_rule[4]);
    check_that(good, __FILE__, line, name, why);
}

static const char *const devices[] = {"h200", "a100", "t4", "g80"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* ---- arithmetic ---- */

/* Those that a routine follows for some operands (slow.h), of which the executor tells. */
static bool has_slow_path(const char *text) {
    return !strncmp(text, "div.rn.", 7) || !strncmp(text, "rcp.rn.", 7) ||
           !strncmp(text, "sqrt.rn.", 8);
}

/* Products of twice the width, and sums that are part of one: they keep the dispatch port for four
 * cycles. */
static bool keeps_port(const char *text, unsigned pipe, double slots) {
    return pipe == TIME_PIPE_IMUL && slots == 1 &&
           (strstr(text, ".wide.") || strstr(text, ".hi.s32") || strstr(text, "shl.b64"));
}

static void arithmetic(void) {
    enum {
        NONE = TIME_PIPE_NONE,
        FMA = TIME_PIPE_FMA,
        ALU = TIME_PIPE_ALU,
        IMUL = TIME_PIPE_IMUL,
        XU = TIME_PIPE_XU,
        FP64 = TIME_PIPE_FP64,
        HALF = TIME_PIPE_HALF,
        EITHER = TIME_PIPE_EITHER
    };
    static const struct {
        const char *text;
        unsigned at, pipe;
        double slots, units, xu, steps;
        /* not 0: of compute capability 1.x, whose addresses had 32 bits: so many of all */
        double narrow;
    } rows[] = {
        {"add.s32 %r1,%r2,%r3;", 0, EITHER, 1, 1, 0, 0, 0},
        {"sub.s32 %r1,%r2,%r3;", 0, EITHER, 1, 1, 0, 0, 0},
        {"neg.s32 %r1,%r2;", 0, EITHER, 1, 1, 0, 0, 0},
        {"add.s64 %d1,%d2,%d3;", 0, EITHER, 2, 3, 0, 0, 1},
        {"sub.s64 %d1,%d2,%d3;", 0, EITHER, 2, 3, 0, 0, 1},
        {"bfe.u32 %r1,%r2,%r3,%r4;", 0, ALU, 3, 3, 0, 4, 0},
        {"bfi.b32 %r1,%r2,%r3,%r4,%r5;", 0, ALU, 3, 3, 0, 4, 0},
        {"setp.lt.s64 %p1,%d1,%d2;", 0, ALU, 2, 2, 0, 4, 1},
        {"setp.lt.s32 %p1,%r1,%r2;", 0, ALU, 1, 1, 0, 0, 0},
        {"min.s32 %r1,%r2,%r3;", 0, ALU, 1, 1, 0, 0, 0},
        {"and.b64 %d1,%d2,%d3;", 0, ALU, 2, 2, 0, 2, 1},
        {"vadd.s32.s32.s32 %r1,%r2,%r3;", 0, ALU, 4, 4, 0, 12, 0},
        {"mul.lo.s32 %r1,%r2,%r3;", 0, IMUL, 1, 1, 0, 0, 0},
        {"mad.lo.s32 %r1,%r2,%r3,%r4;", 0, IMUL, 1, 1, 0, 0, 0},
        {"mul.hi.s32 %r1,%r2,%r3;", 0, IMUL, 1, 2, 0, 5, 0},
        {"mad.hi.s32 %r1,%r2,%r3,%r4;", 0, IMUL, 1, 2, 0, 5, 0},
        {"mul.wide.s32 %d1,%r2,%r3;", 0, IMUL, 1, 1, 0, 1, 0},
        {"mad.wide.s32 %d1,%r2,%r3,%d4;", 0, IMUL, 1, 1, 0, 1, 0},
        {"mul.hi.s64 %d1,%d2,%d3;", 0, IMUL, 10, 10, 0, 40, 0},
        {"mul.lo.s64 %d1,%d2,%d3;", 0, IMUL, 3, 4, 0, 13, 0},
        {"div.s32 %r1,%r2,%r3;", 0, ALU, 31, 10, 3, 112, 0},
        {"rem.s32 %r1,%r2,%r3;", 0, ALU, 30, 9, 3, 112, 0},
        {"div.u32 %r1,%r2,%r3;", 0, ALU, 24, 7, 3, 105, 0},
        {"div.s64 %d1,%d2,%d3;", 0, IMUL, 85, 67, 3, 300, 0},
        {"div.s32 %r1,%r2,7;", 0, ALU, 15, 8.5, 0, 62, 0}, /* its reciprocal is made once */
        {"rem.s32 %r1,%r2,7;", 0, ALU, 13, 7.4, 0, 62, 0},
        {"mov.u32 %r3,%laneid;\ndiv.s32 %r1,%r2,%r3;\nrem.s32 %r4,%r5,%r3;", 2, ALU, 13, 7.4, 0, 62,
         0}, /* and here */
        {"mov.u32 %r3,%laneid;\ndiv.s32 %r1,%r2,%r3;\nrem.s32 %r4,%r5,%r6;", 2, ALU, 30, 9, 3, 112,
         0},
        {"mov.u32 %r3,%laneid;\ndiv.u32 %r1,%r2,%r3;\nrem.s32 %r4,%r5,%r3;", 2, ALU, 30, 9, 3, 112,
         0},
        {"div.u32 %r1,%r2,7;", 0, ALU, 12, 6, 0, 55, 0},
        {"div.s64 %d1,%d2,7;", 0, IMUL, 85, 67, 3, 300, 0},
        {"shl.b64 %d1,%d2,%r3;", 0, ALU, 2, 2, 0, 2, 0},
        {"shl.b32 %r1,%r2,%r3;", 0, EITHER, 1, 1, 0, 0, 0},
        {"shr.b32 %r1,%r2,%r3;", 0, ALU, 1, 1, 0, 0, 0},
        {"popc.b64 %r1,%d2;", 0, XU, 3, 2, 0, 12, 0},
        {"clz.b32 %r1,%r2;", 0, XU, 2, 1, 0, 6, 0},
        {"popc.b32 %r1,%r2;", 0, XU, 1, 1, 0, 0, 0},
        {"add.f32 %f1,%f2,%f3;", 0, FMA, 1, 1, 0, 0, 0},
        {"fma.rn.f32 %f1,%f2,%f3,%f4;", 0, FMA, 1, 1, 0, 0, 0},
        /* one constant is an operand, the second is moved into a register, where it stays for the
         * next that has it; of a double's only an upper half is an operand */
        {"fma.rn.f32 %f1,%f2,0f3F800001,%f4;", 0, FMA, 1, 1, 0, 0, 0},
        {"fma.rn.f32 %f1,%f2,0f3F800001,0f40000001;", 0, FMA, 2, 1, 0, 0, 0},
        {"mov.f32 %f5,0f40000001;\nfma.rn.f32 %f1,%f2,0f3F800001,%f5;", 1, FMA, 2, 1, 0, 0, 0},
        {"fma.rn.f32 %f1,%f2,%f3,0f40000001;\nfma.rn.f32 %f1,%f1,0f3F800001,0f40000001;", 1, FMA, 1,
         1, 0, 0, 0},
        {"fma.rn.f32 %f1,%f2,%f3,0f40000002;\nfma.rn.f32 %f1,%f1,0f3F800001,0f40000001;", 1, FMA, 2,
         1, 0, 0, 0},
        {"fma.rn.f64 %g1,%g2,%g3,0dBFF8000000000000;", 0, FP64, 1, 1, 0, 0, 0},
        {"fma.rn.f64 %g1,%g2,%g3,0dBFF8000000000001;", 0, FP64, 3, 1, 0, 0, 0},
        {"cvt.rn.f64.u32 %g4,5;\nfma.rn.f64 %g1,%g2,%g3,%g4;", 1, FP64, 1, 1, 0, 0, 0},
        {"mov.f64 %g4,0d3FF0000000000001;\nmul.f64 %g1,%g2,%g4;", 1, FP64, 3, 1, 0, 0, 0},
        {"min.f32 %f1,%f2,%f3;", 0, ALU, 1, 1, 0, 0, 0},
        {"setp.lt.f32 %p1,%f2,%f3;", 0, ALU, 1, 1, 0, 0, 0},
        {"testp.number.f32 %p1,%f2;", 0, ALU, 2, 2, 0, 4, 0},
        {"copysign.f32 %f1,%f2,%f3;", 0, ALU, 1, 1, 0, 0, 0},
        {"abs.f32 %f1,%f2;", 0, NONE, 0, 0, 0, 0, 0}, /* a modifier of the operand that reads it */
        {"neg.f64 %g1,%g2;", 0, NONE, 0, 0, 0, 0, 0},
        {"add.f64 %g1,%g2,%g3;", 0, FP64, 1, 1, 0, 0, 0},
        {"fma.rn.f16 %h1,%h2,%h3,%h4;", 0, HALF, 1, 1, 0, 4, 0},
        {"sin.approx.f32 %f1,%f2;", 0, XU, 2, 1, 0, 6, 0},
        {"cos.approx.ftz.f32 %f1,%f2;", 0, XU, 2, 1, 0, 6, 0},
        {"tanh.approx.f32 %f1,%f2;", 0, XU, 1, 1, 0, 0, 0},
        {"div.approx.f32 %f1,%f2,%f3;", 0, XU, 2, 1, 0, 5, 0},
        {"div.full.f32 %f1,%f2,%f3;", 0, XU, 4, 1, 0, 14, 0},
        {"ex2.approx.ftz.f32 %f1,%f2;", 0, XU, 1, 1, 0, 0, 0},
        {"ex2.approx.f32 %f1,%f2;", 0, XU, 4, 1, 0, 22, 0},
        {"rcp.approx.ftz.f32 %f1,%f2;", 0, XU, 1, 1, 0, 0, 0},
        {"rcp.approx.f32 %f1,%f2;", 0, XU, 4, 1, 0, 22, 0},
        {"div.rn.f32 %f1,%f2,%f3;", 0, FMA, 10, 8, 2, 78, 0},
        {"rcp.rn.f32 %f1,%f2;", 0, FMA, 12, 9, 1, 72, 0},
        {"sqrt.rn.f32 %f1,%f2;", 0, FMA, 11, 8, 1, 51, 0},
        {"div.rn.f64 %g1,%g2,%g3;", 0, FP64, 16, 12, 1, 124, 0},
        {"rcp.rn.f64 %g1,%g2;", 0, FP64, 10, 7, 1, 90, 0},
        {"sqrt.rn.f64 %g1,%g2;", 0, FP64, 16, 13, 1, 84, 0},
        {"selp.b32 %r1,%r2,%r3,%p1;", 0, ALU, 1, 1, 0, 0, 0},
        {"selp.u32 %r1,1,0,%p1;", 0, EITHER, 1, 1, 0, 0, 0}, /* a sum that is moved or not */
        {"selp.u32 %r1,1,%r2,%p1;", 0, ALU, 1, 1, 0, 0, 0},
        {"selp.b64 %d1,%d2,%d3,%p1;", 0, ALU, 2, 2, 0, 0, 0},
        /* what is part of the next one costs nothing: a product in a sum, which is then a
         * multiplication; the one that is subtracted takes a further step */
        {"mul.wide.s32 %d1,%r1,%r2;\nadd.s64 %d3,%d1,%d2;", 0, NONE, 0, 0, 0, 0, 0},
        {"mul.wide.s32 %d1,%r1,%r2;\nadd.s64 %d3,%d1,%d2;", 1, IMUL, 1, 1, 0, 1, 0},
        {"mul.wide.s32 %d1,%r1,%r2;\nadd.s64 %d3,%d2,%d1;", 1, IMUL, 1, 1, 0, 1, 0},
        {"shl.b64 %d1,%d4,3;\nadd.s64 %d3,%d1,%d2;", 1, IMUL, 1, 1, 0, 1, 0},
        {"mul.lo.u32 %r1,%r2,%r3;\nadd.u32 %r5,%r1,%r4;", 0, NONE, 0, 0, 0, 0, 0},
        {"mul.lo.u32 %r1,%r2,%r3;\nadd.u32 %r5,%r1,%r4;", 1, IMUL, 1, 1, 0, 0, 0},
        {"mul.lo.u32 %r1,%r2,%r3;\nadd.u32 %r5,%r4,%r1;", 1, IMUL, 1, 1, 0, 0, 0},
        {"mul.lo.u32 %r1,%r2,%r3;\nsub.u32 %r5,%r1,%r4;", 1, IMUL, 1, 1, 0, 0, 0},
        {"mul.lo.u32 %r1,%r2,%r3;\nsub.u32 %r5,%r4,%r1;", 1, IMUL, 2, 1, 0, 0, 0},
        /* three terms, a shift in a sum: the ALU's */
        {"add.u32 %r1,%r2,%r3;\nadd.u32 %r5,%r1,%r4;", 0, NONE, 0, 0, 0, 0, 0},
        {"add.u32 %r1,%r2,%r3;\nadd.u32 %r5,%r1,%r4;", 1, ALU, 1, 1, 0, 0, 0},
        {"shl.b32 %r1,%r2,3;\nadd.u32 %r5,%r4,%r1;", 0, NONE, 0, 0, 0, 0, 0},
        {"shl.b32 %r1,%r2,3;\nadd.u32 %r5,%r4,%r1;", 1, ALU, 1, 1, 0, 0, 0},
        {"mov.u32 %r1,%r2;\nadd.u32 %r5,%r4,%r1;", 0, NONE, 0, 0, 0, 0, 0},
        {"mov.u32 %r1,%r2;\nadd.u32 %r5,%r4,%r1;", 1, EITHER, 1, 1, 0, 0, 0},
        {"isspacep.global %p1,%d1;", 0, EITHER, 1, 1, 0, 0, 0},
        {"mapa.shared::cluster.u32 %r1,%r2,%r3;", 0, EITHER, 1, 1, 0, 0, 0},
        {"cvta.to.global.u64 %d1,%d2;", 0, NONE, 0, 0, 0, 0, 0},
        {"mov.u32 %r1,%ntid.x;", 0, NONE, 0, 0, 0, 0, 0},
        {"mov.u32 %r1,%tid.x;", 0, EITHER, 1, 1, 0, -1, 0}, /* S2R */
    };
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            bool old = p->one_pipe, narrow = p->narrow_addresses && rows[k].narrow > 0;
            double s = p->schedulers, slots = narrow ? 1 : rows[k].slots,
                   units = narrow ? 1 : rows[k].units, steps = narrow ? 0 : rows[k].steps,
                   rate = p->rate_int, latency = p->lat_alu;
            switch (rows[k].pipe) {
            case NONE: latency = 0; break;
            case FMA: rate = p->rate_fp32; break;
            case IMUL: rate = p->rate_imul, latency = p->lat_imul; break;
            case XU: rate = p->rate_sfu, latency = p->lat_sfu; break;
            case FP64: rate = p->rate_fp64, latency = p->lat_fp64; break;
            case HALF: rate = p->rate_fp16; break;
            default: break;
            }
            unsigned pipe = rows[k].pipe;
            if (old && pipe != NONE && pipe != XU) pipe = ALU; /* eight lanes for everything */
            is(__LINE__, p, rows[k].text, rows[k].at,
               &(cost){.kind = TIME_PLAIN,
                       .pipe = pipe,
                       .flags = has_slow_path(rows[k].text) ? TIME_EVENT : 0,
                       .slots = slots * s / p->issue_per_cycle,
                       .busy = units * s / rate,
                       .xu = rows[k].xu * s / p->rate_sfu,
                       .latency = steps < 0 ? 9 * p->lat_alu : latency + steps * p->lat_alu / 4.1,
                       .held = !old && keeps_port(rows[k].text, rows[k].pipe, rows[k].slots)
                                   ? 3 * s / p->issue_per_cycle
                                   : 0});
        }
}

/* ---- what waits, what reaches memory ---- */

static void others(void) {
    enum {
        POP_INC = TIME_POP_INC,
        UNIFORM = TIME_UNIFORM,
        RESULT = TIME_RESULT,
        EVENT = TIME_EVENT,
        SIGNALS = TIME_SIGNALS
    };
#define VARIES "cvt.u64.u32 %d1,%tid.x;\n"
    for (unsigned d = 0; d < DEVICES; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        const double lds = p->lat_shared, shfl = p->lat_shuffle, constant = p->lat_const,
                     each = 1 / p->rate_shuffle;
        const struct {
            const char *text;
            unsigned at;
            time_kind kind;
            unsigned flags, amount;
            double slots, busy, latency;
        } rows[] = {
            {"ld.param.u32 %r1,[b];", 0, TIME_PLAIN, 0, 0, 0.5, 0, constant}, /* two at once */
            {"ld.param.u64 %d1,[a];", 0, TIME_PLAIN, 0, 0, 1, 0, constant},
            {"ld.const.u32 %r1,[c];", 0, TIME_PLAIN, EVENT, 0, 0, 0, 0}, /* an operand */
            {"ld.const.u32 %r1,[%r2];", 0, TIME_CONST, EVENT | UNIFORM, 0, 1, 0, 0},
            {VARIES "ld.const.u32 %r1,[%d1];", 1, TIME_CONST, EVENT, 0, 1, 0, 0},
            {"ld.shared.u32 %r1,[%r2];", 0, TIME_LOAD, EVENT | UNIFORM, 0, 1, 0, 0},
            {VARIES "ld.global.u32 %r1,[%d1];", 1, TIME_LOAD, EVENT, 0, 1, 0, 0},
            {VARIES "st.global.u32 [%d1],%r1;", 1, TIME_STORE, EVENT, 0, 1, 0, 0},
            {"st.shared.u32 [%r1],%r2;", 0, TIME_STORE, EVENT | UNIFORM, 0, 1, 0, 0},
            /* an addition of one whose result nobody wants is counted, not summed */
            {"red.shared.add.u32 [%r1],1;", 0, TIME_ATOM, EVENT | UNIFORM | POP_INC, 0, 1, 0, 0},
            {"red.shared.add.s32 [%r1],1;", 0, TIME_ATOM, EVENT | UNIFORM | POP_INC, 0, 1, 0, 0},
            {"atom.shared.add.u32 %r2,[%r1],1;", 0, TIME_ATOM, EVENT | UNIFORM | POP_INC, 0, 1, 0,
             0},
            {"atom.shared.add.u32 %r2,[%r1],1;\nst.shared.u32 [%r1],%r2;", 0, TIME_ATOM,
             EVENT | UNIFORM | RESULT, 0, 1, 0, 0},
            {"red.shared.add.u32 [%r1],2;", 0, TIME_ATOM, EVENT | UNIFORM, 0, 1, 0, 0},
            {"red.shared.add.u32 [%r1],%r2;", 0, TIME_ATOM, EVENT | UNIFORM, 0, 1, 0, 0},
            {"red.shared.max.u32 [%r1],1;", 0, TIME_ATOM, EVENT | UNIFORM, 0, 1, 0, 0},
            {"red.shared.add.u64 [%r1],1;", 0, TIME_ATOM, EVENT | UNIFORM, 0, 1, 0, 0},
            /* not summed in the warp first */
            {"red.global.add.f32 [%d2],%f1;", 0, TIME_ATOM, EVENT, 0, 1, 0, 0},
            {"red.global.add.f64 [%d2],%g1;", 0, TIME_ATOM, EVENT, 0, 1, 0, 0},
            {"atom.global.cas.b32 %r1,[%d2],%r2,%r3;", 0, TIME_ATOM, EVENT, 0, 1, 0, 0},
            {"atom.global.exch.b32 %r1,[%d2],%r2;", 0, TIME_ATOM, EVENT, 0, 1, 0, 0},
            {"red.global.min.s32 [%d2],%r2;", 0, TIME_ATOM, EVENT | UNIFORM, 0, 1, 0, 0},
            /* among lanes */
            {"shfl.sync.bfly.b32 %r1,%r2,1,31,-1;", 0, TIME_SHUFFLE, 0, 0, 1, each, shfl},
            {"vote.sync.all.pred %p1,%p2,-1;", 0, TIME_SHUFFLE, 0, 0, 1, each, shfl * 0.72},
            /* the replay counts by the values that the lanes have */
            {"match.any.sync.b32 %r1,%r2,-1;", 0, TIME_SHUFFLE, EVENT, 0, 1, each, shfl},
            {"match.all.sync.b32 %r1,%r2,-1;", 0, TIME_SHUFFLE, 0, 0, 1, 64, 368},
            {"redux.sync.add.u32 %r1,%r2,-1;", 0, TIME_SHUFFLE, 0, 0, 1, 2, 44},
            {"bar.warp.sync -1;", 0, TIME_PLAIN, 0, 0, 1, 0, 0},
            {"activemask.b32 %r1;", 0, TIME_PLAIN, 0, 0, 1, 0, 0},
            {"elect.sync %r1|%p1,-1;", 0, TIME_PLAIN, 0, 0, 1, 0, 0},
            /* barriers and fences */
            {"bar.sync 0;", 0, TIME_BARRIER, EVENT, 0, 1, 0, 0},
            {"bar.red.popc.u32 %r1,0,%p1;", 0, TIME_BARRIER, EVENT, 0, 1, 0, 0},
            {"bar.arrive 0,64;", 0, TIME_ARRIVE, EVENT, 0, 1, 0, 0},
            {"barrier.cta.arrive 0,64;", 0, TIME_ARRIVE, EVENT, 0, 1, 0, 0},
            {"barrier.cluster.arrive;", 0, TIME_PLAIN, 0, 0, 1, 0, 0}, /* waiting takes time */
            {"barrier.cluster.wait;", 0, TIME_BARRIER, EVENT, 0, 1, 0, 0},
            {"mbarrier.test_wait.shared.b64 %p1,[%r1],%d1;", 0, TIME_LANDED, EVENT, 0, 1, 0, lds},
            {"mbarrier.try_wait.shared.b64 %p1,[%r1],%d1;", 0, TIME_LANDED, EVENT, 0, 1, 0, lds},
            {"membar.cta;", 0, TIME_FENCE, 0, 0, 2, 0, 0},
            {"membar.gl;", 0, TIME_FENCE, 0, 1, 2, 0, 0},
            {"fence.acq_rel.sys;", 0, TIME_FENCE, 0, 2, 2, 0, 0},
            {"fence.proxy.async;", 0, TIME_PLAIN, 0, 0, 2, 0, 0},
            /* copies: into shared memory, or out of it, which is a store */
            {"cp.async.ca.shared.global [%r1],[%d1],4;", 0, TIME_COPY, EVENT, 0, 1, 0, lds},
            {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
             "[%r1],[%d1],64,[%r2];",
             0, TIME_COPY, EVENT, 0, 1, 0, lds},
            {"cp.async.bulk.global.shared::cta.bulk_group [%d1],[%r1],64;", 0, TIME_STORE, EVENT, 0,
             1, 0, lds},
            {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1],[%r1],64;", 0,
             TIME_STORE, EVENT, 0, 1, 0, lds},
            /* within a cluster the copy engine reaches no memory */
            {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
             "[%r1],[%r3],64,[%r2];",
             0, TIME_PLAIN, 0, 0, 1, 0, lds},
            {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add."
             "u32 "
             "[%r1],[%r3],64,[%r2];",
             0, TIME_PLAIN, 0, 0, 1, 0, lds},
            {"cp.async.bulk.commit_group;", 0, TIME_PLAIN, 0, 0, 1, 0, lds},
            {"cp.async.commit_group;", 0, TIME_COMMIT, 0, 0, 1, 0, 0},
            {"cp.async.wait_all;", 0, TIME_WAIT, 0, 0, 1, 0, lds},
            {"cp.async.wait_group 0;", 0, TIME_WAIT, 0, 0, 1, 0, lds},
            {"cp.async.wait_group 254;", 0, TIME_WAIT, 0, 254, 1, 0, lds},
            {"cp.async.wait_group 255;", 0, TIME_WAIT, 0, 0, 1, 0, lds}, /* as good as all */
            /* control */
            {"exit;", 0, TIME_EXIT, 0, 0, 1, 0, 0},
            {"trap;", 0, TIME_EXIT, 0, 0, 1, 0, 0},
            {"brkpt;", 0, TIME_PLAIN, 0, 0, 1, 0, 0},
            {"ret;", 0, TIME_EXIT, SIGNALS, 0, 1, 0, 0},
            {"L: bra L;", 0, TIME_BRANCH, SIGNALS, 0, 1, 0, 0},
            {"bra L; L:", 0, TIME_BRANCH, 0, 0, 1, 0, 0},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            is(__LINE__, p, rows[k].text, rows[k].at,
               &(cost){rows[k].kind, TIME_PIPE_NONE, rows[k].flags, rows[k].amount,
                       rows[k].slots * p->schedulers / p->issue_per_cycle, rows[k].busy, 0,
                       rows[k].latency, 0});
    }
    CHECK(op_of(sim_profile_find("h200"), "red.global.add.f32 [%d2],%f1;", 0).float_atom);
    CHECK(op_of(sim_profile_find("h200"), "red.global.add.f64 [%d2],%g1;", 0).float_atom);
    CHECK(!op_of(sim_profile_find("h200"), "red.global.add.u32 [%d2],%r1;", 0).float_atom);
    CHECK(!op_of(sim_profile_find("h200"), "atom.global.exch.b32 %f2,[%d2],%f1;", 0).float_atom);
}

/* ---- matrices of a warp group ---- */

/* A warp's part is a fourth of the products, at the rate of wgmma where the profile has one; all
 * four wait for what they read of shared memory: B's n rows of k elements, and A's 64, of which
 * half are written in wgmma.sp, where A is not in registers. The next product of the same
 * accumulators follows on at once, after 28 cycles at least. */
static void groups(void) {
    static const struct {
        unsigned n;
        bool registers, sparse;
    } rows[] = {{8, false, false},  {8, true, false},    {16, false, false}, {64, false, false},
                {128, true, false}, {256, false, false}, {256, true, false}, {8, false, true},
                {256, false, true}, {64, true, true}};
    static const char *const which[] = {"h200", "h100", "a100"};
    for (unsigned d = 0; d < 3; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(which[d]);
            char text[2048];
            int at =
                snprintf(text, sizeof text,
                         ".reg .f32 %%a<129>;\nwgmma.mma_async%s.sync.aligned.m64n%uk%u.f32.f16."
                         "f16 {",
                         rows[k].sparse ? ".sp" : "", rows[k].n, rows[k].sparse ? 32 : 16);
            for (unsigned i = 0; i < rows[k].n / 2; i++)
                at += snprintf(text + at, sizeof text - (size_t)at, "%s%%a%u", i ? "," : "", i);
            snprintf(text + at, sizeof text - (size_t)at, "},%s,%%d2,%s%%p1,1,1%s;",
                     rows[k].registers ? "{%r1,%r2,%r3,%r4}" : "%d1",
                     rows[k].sparse ? "%r9,0," : "", rows[k].registers ? ",0" : ",0,0");
            double steps = rows[k].sparse ? 32 : 16, /* of 2 bytes */
                products = 64 * rows[k].n * 16,      /* half of A are zeros */
                held = rows[k].registers ? 0
                       : rows[k].sparse  ? 32
                                         : 64,
                   busy = products / 4 /
                          ((p->wgmma_macs > 0 ? p->wgmma_macs : p->tensor_macs) / p->schedulers),
                   shared = (rows[k].n + held) * steps * 2 / p->shared_bytes_cycle;
            if (busy < shared) busy = shared;
            is(__LINE__, p, text, 0,
               &(cost){TIME_PLAIN, TIME_PIPE_TENSOR, 0, 0, 2, busy, 0, busy > 28 ? busy : 28, 0});
        }
}

int main(void) {
    arithmetic();
    others();
    groups();
    return check_done();
}
