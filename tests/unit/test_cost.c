/* What each kind of machine instruction is to the machine, whole: kind, pipe, flags, amount, issue
 * slots, time of the pipe, latency, cycles for which it keeps the dispatch port. Pipes are those of
 * Nsight Compute's "Pipelines"; rates and latencies the profiles'. Instructions are written by hand
 * (written_fixture.h). */
#include "tests/check.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "written_fixture.h"
#include <stdlib.h>

static time_op op_of(const sim_profile *p, const char *line) {
    sass_module *m = written_code(line);
    time_code *code = time_code_machine(p, m->funcs);
    if (!CHECK(code != NULL)) exit(1);
    time_op o = code->ops[0];
    time_code_free(code);
    sass_free(m);
    return o;
}

typedef struct {
    unsigned kind, pipe, flags, amount;
    double slots, busy, latency, held;
} cost;

static void is(int line, const sim_profile *p, const char *text, const cost *want) {
    time_op o = op_of(p, text);
    enum { FIGURES = 4 };
    const double got[FIGURES] = {(double)o.slots, (double)o.busy, (double)o.latency,
                                 (double)o.held},
                 by_rule[FIGURES] = {want->slots, want->busy, want->latency, want->held};
    char name[200], why[300];
    bool good = o.kind == want->kind && o.pipe == want->pipe && o.flags == want->flags &&
                o.amount == want->amount;
    for (unsigned k = 0; k < FIGURES; k++)
        good &= fabs(got[k] - by_rule[k]) <= 1e-5 * (1 + by_rule[k]);
    snprintf(name, sizeof name, "%s: %.120s", p->marketing, text);
    snprintf(why, sizeof why,
             "kind %u pipe %u flags %u amount %u, %g slots, busy %g, latency %g, held %g; not %u "
             "%u %u %u, %g, %g, %g, %g",
             o.kind, o.pipe, o.flags, o.amount, got[0], got[1], got[2], got[3], want->kind,
             want->pipe, want->flags, want->amount, by_rule[0], by_rule[1], by_rule[2], by_rule[3]);
    check_that(good, __FILE__, line, name, why);
}

static const char *const devices[] = {"h200", "a100", "t4"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* ---- arithmetic ---- */

static void arithmetic(void) {
    enum {
        FMA = TIME_PIPE_FMA,
        ALU = TIME_PIPE_ALU,
        IMUL = TIME_PIPE_IMUL,
        XU = TIME_PIPE_XU,
        FP64 = TIME_PIPE_FP64,
        HALF = TIME_PIPE_HALF
    };
    static const struct {
        const char *text;
        unsigned pipe;
        unsigned registers; /* of the special-function unit: read, if more than one */
        bool converts;
    } rows[] = {
        {"FADD R1, R2, R3 | s4", FMA, 0, false},
        {"FMUL R1, R2, R3 | s4", FMA, 0, false},
        {"FFMA R1, R2, R3, R4 | s4", FMA, 0, false},
        {"IADD3 R1, R2, R3, RZ | s4", ALU, 0, false},
        {"LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT | s4", ALU, 0, false},
        {"SHF.L.U32 R1, R2, 0x3, RZ | s4", ALU, 0, false},
        {"LEA R1, R2, R3, 0x2 | s4", ALU, 0, false},
        {"PRMT R1, R2, 0x5410, R3 | s4", ALU, 0, false},
        {"SEL R1, R2, R3, !P0 | s4", ALU, 0, false},
        {"FSEL R1, R2, R3, P0 | s4", ALU, 0, false},
        {"FMNMX R1, R2, R3, PT | s4", ALU, 0, false},
        {"ISETP.GE.AND P0, PT, R1, R2, PT | s13", ALU, 0, false},
        {"FSETP.GT.AND P0, PT, R1, R2, PT | s13", ALU, 0, false},
        {"PLOP3.LUT P0, PT, P1, PT, PT, 0x80, 0x0 | s13", ALU, 0, false},
        {"I2FP.F32.S32 R1, R2 | s4", ALU, 0, false},
        {"F2FP.F16.F32.PACK_AB R1, R2, R3 | s4", ALU, 0, false},
        {"IMAD R1, R2, R3, R4 | s4", IMUL, 0, false},
        {"IMAD.MOV.U32 R1, RZ, RZ, R2 | s4", IMUL, 0, false},
        {"DADD R2, R4, R6 | w0", FP64, 0, false},
        {"DFMA R2, R4, R6, R8 | w0", FP64, 0, false},
        {"HADD2 R1, R2, R3 | s5", HALF, 0, false},
        {"HFMA2 R1, R2, R3, R4 | s5", HALF, 0, false},
        {"MUFU.RCP R1, R2 | w0", XU, 1, false},
        {"MUFU.EX2 R1, R2 | w0", XU, 1, false},
        {"POPC R1, R2 | w0", XU, 1, false},
        {"FLO.U32 R1, R2 | w0", XU, 1, false},
        {"BREV R1, R2 | w0", XU, 1, false},
        {"FCHK P0, R1, R2 | w0", XU, 2, false},
        {"F2I.U32.TRUNC.NTZ R1, R2 | w0", XU, 1, true},
        {"I2F.U8 R1, R2 | w0", XU, 1, true},
        {"F2F.F64.F32 R2, R4 | w0", XU, 1, true},
        {"F2F.F32.F64 R1, R2 | w0", XU, 2, true}, /* a double lies in two registers */
    };
    for (unsigned d = 0; d < DEVICES; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            double s = p->schedulers, rate = p->rate_int, latency = p->lat_alu, held = 0;
            unsigned pipe = rows[k].pipe;
            if (pipe == HALF && p->halves_with_integers) pipe = IMUL;
            if (pipe == FMA) rate = p->rate_fp32;
            if (pipe == IMUL) rate = p->rate_imul;
            if (pipe == HALF) rate = p->rate_fp16;
            if (pipe == FP64)
                rate = p->rate_fp64, latency = p->lat_fp64, held = p->fp64_held_cycles;
            if (pipe == XU) rate = p->rate_sfu, latency = p->lat_sfu, held = p->xu_held_cycles;
            if (rows[k].converts) rate = p->rate_convert;
            double more = pipe == XU ? p->xu_register_cycles * (rows[k].registers - 1) : 0;
            is(__LINE__, p, rows[k].text,
               &(cost){TIME_PLAIN, pipe, 0, 0, s / p->issue_per_cycle, s / rate + more, latency,
                       held});
        }
    /* a product of twice the width keeps the port */
    for (unsigned d = 0; d < DEVICES; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        double s = p->schedulers;
        static const char *const wide[] = {"IMAD.WIDE R2, R4, R5, R6 | s5",
                                           "IMAD.HI R1, R2, R3, RZ"};
        for (unsigned k = 0; k < 2; k++) {
            is(__LINE__, p, wide[k],
               &(cost){TIME_PLAIN, IMUL, 0, 0, s / p->issue_per_cycle, s / p->rate_imul, p->lat_alu,
                       p->wide_held_cycles * s / p->issue_per_cycle});
            CHECK(op_of(p, wide[k]).wide);
        }
        CHECK(!op_of(p, "IMAD R1, R2, R3, R4 | s4").wide);
    }
}

/* ---- what waits, what reaches memory ---- */

static void others(void) {
    enum {
        NONE = TIME_PIPE_NONE,
        POP_INC = TIME_POP_INC,
        UNIFORM = TIME_UNIFORM,
        RESULT = TIME_RESULT,
        EVENT = TIME_EVENT
    };
    for (unsigned d = 0; d < DEVICES; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        const double slot = p->schedulers / p->issue_per_cycle;
        const struct {
            const char *text;
            unsigned kind, flags, amount;
            double busy, latency;
        } rows[] = {
            /* constants: by an address that is known, by one for the warp, by one for each lane */
            {"LDC R1, c[0x0][0x160] | w0", TIME_PLAIN, 0, 0, 0, p->lat_ldc},
            {"LDC R1, c[0x3][UR4] | w0", TIME_CONST, EVENT | UNIFORM, 0, 0, p->lat_ldc},
            {"LDC R1, c[0x3][R2] | w0", TIME_CONST, EVENT, 0, 0, p->lat_ldc},
            {"LDG.E R1, desc[UR4][R2.64] | w0", TIME_LOAD, EVENT, 0, 0, 0},
            {"LDG.E.128 R4, desc[UR4][R2.64] | w0", TIME_LOAD, EVENT, 0, 0, 0},
            {"LDS R1, [R2] | w0", TIME_LOAD, EVENT, 0, 0, 0},
            {"LDS R1, [UR4] | w0", TIME_LOAD, EVENT | UNIFORM, 0, 0, 0},
            {"LDL R1, [R2] | w0", TIME_LOAD, EVENT, 0, 0, 0},
            {"LDSM.16.M88.4 R8, [R18] | w0", TIME_LOAD, EVENT, 0, 0, 0},
            {"STG.E desc[UR4][R2.64], R1 | r0", TIME_STORE, EVENT, 0, 0, 0},
            {"STS [R1], R2 | r0", TIME_STORE, EVENT, 0, 0, 0},
            {"STL [R1], R2 | r0", TIME_STORE, EVENT, 0, 0, 0},
            /* an addition of one that nobody reads is counted, not summed */
            {"ATOMS.POPC.INC.32 RZ, [R1]", TIME_ATOM, EVENT | POP_INC, 0, 0, 0},
            {"ATOMS.ADD RZ, [R1], R2", TIME_ATOM, EVENT, 0, 0, 0},
            {"ATOMS.ADD R3, [R1], R2 | w0", TIME_ATOM, EVENT | RESULT, 0, 0, 0},
            {"REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R1", TIME_ATOM, EVENT, 0, 0, 0},
            {"ATOMG.E.CAS.STRONG.GPU PT, R9, [R4], R8, R9 | w0", TIME_ATOM, EVENT | RESULT, 0, 0,
             0},
            /* among lanes */
            {"SHFL.BFLY PT, R1, R2, 0x1, 0x1f | w0", TIME_SHUFFLE, 0, 0, 1 / p->rate_shuffle,
             p->lat_shuffle},
            {"MOVM.16.MT88 R1, R2 | w0", TIME_SHUFFLE, 0, 0, 1 / p->rate_shuffle, p->lat_shuffle},
            {"REDUX.SUM.S32 UR6, R10 | w0", TIME_SHUFFLE, 0, 0, p->redux_cycles, p->lat_redux},
            {"MATCH.ALL P0, R9, R8 | w0", TIME_SHUFFLE, 0, 0, 64, 368},
            /* barriers and fences */
            {"BAR.SYNC.DEFER_BLOCKING 0x0", TIME_BARRIER, EVENT, 0, 0, 0},
            {"BAR.ARV 0x1, 0x40", TIME_ARRIVE, EVENT, 0, 0, 0},
            {"MEMBAR.ALL.CTA", TIME_FENCE, 0, 0, 0, 0},
            {"MEMBAR.ALL.GPU", TIME_FENCE, 0, 1, 0, 0},
            {"MEMBAR.ALL.SYS", TIME_FENCE, 0, 2, 0, 0},
            {"SYNCS.PHASECHK.TRANS64 P0, [R13+URZ], R0 | w0", TIME_LANDED, EVENT, 0, 0, p->lat_lds},
            /* copies, and waits for all but the last of their groups */
            {"LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64]", TIME_COPY, EVENT, 0, 0, 0},
            {"UBLKCP.S.G [UR6], [UR4], UR8", TIME_COPY, EVENT, 0, 0, 0},
            {"UBLKCP.G.S [UR4], [UR7], UR6", TIME_STORE, EVENT, 0, 0, 0},
            {"LDGDEPBAR", TIME_COMMIT, 0, 0, 0, 0},
            {"DEPBAR.LE SB0, 0x0", TIME_WAIT, 0, 0, 0, 0},
            {"DEPBAR.LE SB0, 0x3", TIME_WAIT, 0, 3, 0, 0},
            /* control */
            {".L_x_0:\nBRA `(.L_x_0)", TIME_BRANCH, EVENT, 0, 0, 0},
            {"EXIT", TIME_EXIT, 0, 0, 0, 0},
            {"NOP", TIME_PLAIN, 0, 0, 0, 0},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            is(__LINE__, p, rows[k].text,
               &(cost){rows[k].kind, NONE, rows[k].flags, rows[k].amount, slot, rows[k].busy,
                       rows[k].latency, 0});
        /* what an H200 takes beyond the stall counts that ptxas writes (tests/truth/lanes.cu) */
        CHECK_INT(op_of(p, "BSYNC B0 | s5").stall, 13);
        CHECK_INT(op_of(p, "RET.REL.NODEC R8 0x0 | s5").stall, 10 + 28);
        /* the replay counts by the values that the lanes have */
        time_op any = op_of(p, "MATCH.ANY R9, R9 | w0");
        CHECK(any.kind == TIME_SHUFFLE && any.flags == EVENT);
    }
    const sim_profile *p = sim_profile_find("h200");
    CHECK(op_of(p, "LDG.E.STRONG.SYS R1, desc[UR4][R2.64] | w0").alone);
    CHECK(!op_of(p, "LDG.E R1, desc[UR4][R2.64] | w0").alone);
    CHECK(op_of(p, "ATOMS.CAST.SPIN R9, [R10], R8, R9 | w0").spins);
    CHECK(op_of(p, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R1").float_atom);
    CHECK(!op_of(p, "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R1").float_atom);
    CHECK(!op_of(p, "ATOMS.CAST.SPIN R9, [R10], R8, R9 | w0").float_atom);
    /* the control fields are as they were written */
    time_op o = op_of(p, "LDG.E R1, desc[UR4][R2.64] | s3 w2 r4 b0 b5");
    CHECK(o.stall == 3 && o.sets == 2 && o.frees == 4 && o.waits == (1u | 1u << 5));
    /* registers by the parity of their numbers: R2, R8 and R4; R1 is written */
    o = op_of(p, "FFMA R1, R2, R8, R4 | s4");
    CHECK(o.reads[0] == 3 && o.reads[1] == 0);
    o = op_of(p, "IMAD.WIDE R2, R4, R5, R6 | s5");
    CHECK(o.reads[0] == 2 && o.reads[1] == 2);
}

/* ---- matrices ---- */

/* A product of m x n x k takes so many multiply-adds of halves: floats of 19 bits go in 32, doubles
 * in 256; a sparse one half of them. */
static void matrices(void) {
    static const struct {
        const char *text;
        double macs, bits;
    } rows[] = {{"HMMA.16816.F32 R8, R4, R16, R8 | s4", 16 * 8 * 16, 16},
                {"HMMA.1688.F32 R8, R4, R16, R8 | s4", 16 * 8 * 8, 16},
                {"HMMA.1688.F32.TF32 R16, R4, R40, RZ | s4", 16 * 8 * 8, 32},
                {"IMMA.16832.S8.S8 R8, R4.ROW, R16.COL, R8 | s4", 16 * 8 * 32, 8},
                {"IMMA.16816.U8.S8 R8, R4.ROW, R16.COL, R8 | s4", 16 * 8 * 16, 8},
                {"IMMA.SP.16832.S8.U8.SAT R24, R4.ROW, R2.COL, R24, R34, 0x1 | s4", 16 * 8 * 16, 8},
                {"DMMA.884 R8, R4, R2, R8 | w0", 8 * 8 * 4, 256}};
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            double busy = rows[k].macs * rows[k].bits / 16 / (p->tensor_macs / p->schedulers);
            is(__LINE__, p, rows[k].text,
               &(cost){TIME_PLAIN, TIME_PIPE_TENSOR, 0, 0, p->schedulers / p->issue_per_cycle, busy,
                       busy + 28, 0});
        }
}

/* ---- matrices of a warp group ---- */

/* A warp's part is a fourth of the products, at the rate of wgmma where the profile has one; all
 * four wait for what they read of shared memory: B's n rows of k elements, and A's 64 where A is
 * not in registers. The next product of the same accumulators follows on at once, after 28 cycles
 * at least. */
static void groups(void) {
    static const struct {
        unsigned n;
        bool registers;
    } rows[] = {{8, false},  {8, true},    {16, false}, {64, false},
                {128, true}, {256, false}, {256, true}};
    static const char *const which[] = {"h200", "h100"};
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(which[d]);
            char text[80];
            snprintf(text, sizeof text, "HGMMA.64x%ux16.F32 R24, %s, R24, gsb0", rows[k].n,
                     rows[k].registers ? "R4, gdesc[UR4]" : "gdesc[UR4]");
            double held = rows[k].registers ? 0 : 64, steps = 16, /* of 2 bytes */
                busy = 64 * rows[k].n * steps / 4 / (p->wgmma_macs / p->schedulers),
                   shared = (rows[k].n + held) * steps * 2 / p->shared_bytes_cycle;
            if (busy < shared) busy = shared;
            is(__LINE__, p, text,
               &(cost){TIME_PLAIN, TIME_PIPE_TENSOR, 0, 0, p->schedulers / p->issue_per_cycle, busy,
                       busy > 28 ? busy : 28, 0});
        }
}

int main(void) {
    arithmetic();
    others();
    matrices();
    groups();
    return check_done();
}
