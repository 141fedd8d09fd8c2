/* wgmma in every shape and type, on each of the host's instruction sets: matrices of small whole
 * numbers are put into shared memory as the table of canonical layouts has it (PTX ISA
 * 9.7.15.5.1.2) and into registers by its figures, and the sums are taken here; on any bits the
 * vector code gives those of the plain path. Then what is wrong: each kind is named, and nothing is
 * computed. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "assembled_fixture.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/sim.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 128, IMAGE = 40960, MOST_REGS = 128, FROM_B = 8192 };

typedef struct {
    const char *name;
    unsigned bits;
    uint32_t of[6]; /* -2, -1, 0, 1, 2, 3 */
} type;
static const type types[] = {
    {"f16", 16, {0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200}},
    {"bf16", 16, {0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040}},
    {"tf32", 32, {0xc0000000, 0xbf800000, 0, 0x3f800000, 0x40000000, 0x40400000}},
    {"e4m3", 8, {0xc0, 0xb8, 0, 0x38, 0x40, 0x44}},
    {"e5m2", 8, {0xc0, 0xbc, 0, 0x3c, 0x40, 0x42}},
    {"s8", 8, {0xfe, 0xff, 0, 1, 2, 3}},
    {"u8", 8, {0, 0, 0, 1, 2, 3}},
    {"b1", 1, {0, 0, 0, 1, 0, 1}},
};

typedef struct {
    const char *d, *a, *b, *op; /* op: behind the types */
} group;
static const group groups[] = {
    {"f32", "f16", "f16", ""},   {"f16", "f16", "f16", ""},   {"f32", "bf16", "bf16", ""},
    {"f32", "tf32", "tf32", ""}, {"f32", "e4m3", "e4m3", ""}, {"f16", "e5m2", "e4m3", ""},
    {"f32", "e4m3", "e5m2", ""}, {"s32", "s8", "s8", ""},     {"s32", "u8", "s8", ".satfinite"},
    {"s32", "s8", "u8", ""},     {"s32", "u8", "u8", ""},     {"s32", "b1", "b1", ".and.popc"},
};

typedef struct {
    unsigned mode; /* the descriptor's: 0 none, 1 128, 2 64, 3 32 bytes */
    bool transposed;
    unsigned leading, stride;
} layout;

typedef struct {
    const group *g;
    const type *a, *b;
    unsigned n, k, regs, per; /* of the accumulators: registers, elements each */
    bool registers;           /* A's */
    layout la, lb;
    int scale_a, scale_b;
    bool keep;
    char insn[2400], ptx[1 << 15];
} program;

typedef struct {
    uint8_t image[IMAGE];
    uint32_t a[THREADS][4], d[THREADS][MOST_REGS];
} input;
static input in;
static uint32_t out[SIM_ISA_COUNT][THREADS][MOST_REGS];
static int A[64][256], B[256][256], C[64][256];

static const type *find(const char *name) {
    const type *t = types;
    while (strcmp(t->name, name)) t++;
    return t;
}
static uint64_t random_bits(void) {
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

/* ---- layouts: the table's, in elements ---- */

static unsigned width_of(unsigned mode) { /* in units of 16 bytes */
    return mode ? 16u >> mode : 1;
}
/* The bit where element (mn, k) begins. */
static size_t place(const layout *l, unsigned bits, unsigned mn, unsigned k) {
    size_t T = 128 / bits, W = width_of(l->mode), lbo = l->leading * 8 / bits,
           sbo = l->stride * 8 / bits, at;
    if (l->transposed && W == 1) at = mn % T + mn / T * sbo + k % 8 * T + k / 8 * lbo;
    else if (l->transposed)
        at = mn % T + mn / T % W * T + mn / T / W * lbo + k % 8 * W * T + k / 8 * sbo;
    else if (W == 1) at = mn % 8 * T + mn / 8 * sbo + k % T + k / T * lbo;
    else at = mn % 8 * W * T + mn / 8 * sbo + k % T + k / T * T;
    size_t byte = at * bits / 8;
    byte ^= (byte >> 7 & (W - 1)) << 4;
    return byte * 8 + at * bits % 8;
}
static layout choose(unsigned mode, bool transposed, unsigned bits, unsigned mn) {
    unsigned T = 128 / bits, W = width_of(mode);
    layout l = {mode, transposed, 16, 128 * W};
    if (W == 1) l.leading = mn / 8 * 128;
    if (transposed && W == 1) l.leading = mn / T * 128, l.stride = 128;
    if (transposed && W > 1) l.leading = 128 * W, l.stride = (mn / T + W - 1) / W * 128 * W;
    return l;
}
static uint64_t descriptor(const layout *l, unsigned from) {
    return (from & 0x3ffff) >> 4 | (uint64_t)((l->leading & 0x3ffff) >> 4) << 16 |
           (uint64_t)((l->stride & 0x3ffff) >> 4) << 32 | (uint64_t)l->mode << 62;
}

/* ---- programs ---- */

static size_t list(char *to, size_t room, char letter, unsigned n) {
    size_t len = (size_t)snprintf(to, room, "{");
    for (unsigned x = 0; x < n; x++)
        len += (size_t)snprintf(to + len, room - len, "%s%%%c%u", x ? "," : "", letter, x);
    return len + (size_t)snprintf(to + len, room - len, "}");
}

static void write_insn(program *p) {
    const group *g = p->g;
    char d[1200], tail[40] = "";
    list(d, sizeof d, 'd', p->regs);
    bool halves = p->a->bits == 16, reals = g->d[0] == 'f';
    if (reals) snprintf(tail, sizeof tail, ", %d, %d", p->scale_a, p->scale_b);
    if (halves && !p->registers)
        snprintf(tail + strlen(tail), sizeof tail - strlen(tail), ", %d", p->la.transposed);
    if (halves) snprintf(tail + strlen(tail), sizeof tail - strlen(tail), ", %d", p->lb.transposed);
    snprintf(p->insn, sizeof p->insn,
             "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s %s, %s, %%y, %%p%s;", p->n, p->k,
             g->d, g->a, g->b, g->op, d, p->registers ? "{%a0,%a1,%a2,%a3}" : "%x", tail);
}

/* Parameters: input, output, descriptors of A and B, scale-d. */
static void write_program(program *p) {
    size_t n = (size_t)snprintf(
        p->ptx, sizeof p->ptx,
        ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry t(.param .u64 pi, .param "
        ".u64 po, .param .u64 px, .param .u64 py, .param .u32 ps)\n{\n.reg .pred %%p;\n.reg .b64 "
        "%%in, %%out, %%at, %%x, %%y;\n.reg .b32 %%t, %%s, %%o, %%a<4>, %%d<128>, %%v<4>;\n.shared "
        ".align 1024 .b8 room[%d];\nld.param.u64 %%in, [pi];\nld.param.u64 %%out, "
        "[po];\nld.param.u64 %%x, [px];\nld.param.u64 %%y, [py];\nld.param.u32 %%s, [ps];\n"
        "setp.ne.u32 %%p, %%s, 0;\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%at, %%t, "
        "16;\nadd.u64 %%at, %%at, %%in;\nmov.u32 %%o, room;\nmad.lo.u32 %%o, %%t, 16, %%o;\n",
        IMAGE);
    for (unsigned x = 0; x < IMAGE / 16 / THREADS; x++)
        n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n,
                              "ld.global.v4.u32 {%%v0,%%v1,%%v2,%%v3}, [%%at+%u];\n"
                              "st.shared.v4.u32 [%%o+%u], {%%v0,%%v1,%%v2,%%v3};\n",
                              x * 16 * THREADS, x * 16 * THREADS);
    n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n,
                          "ld.global.v4.u32 {%%a0,%%a1,%%a2,%%a3}, [%%at+%zu];\n"
                          "mul.wide.u32 %%at, %%t, %d;\nadd.u64 %%in, %%in, %%at;\nadd.u64 %%out, "
                          "%%out, %%at;\n",
                          offsetof(input, a), MOST_REGS * 4);
    for (unsigned r = 0; r < p->regs; r++)
        n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n, "ld.global.u32 %%d%u, [%%in+%zu];\n",
                              r, offsetof(input, d) + 4 * r);
    n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n,
                          "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n%s\n"
                          "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
                          p->insn);
    for (unsigned r = 0; r < p->regs; r++)
        n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n, "st.global.u32 [%%out+%u], %%d%u;\n",
                              4 * r, r);
    snprintf(p->ptx + n, sizeof p->ptx - n, "ret;\n}\n");
}

static sim_device *device_of(int isa, lib_message *msg) {
    sim_options o;
    setenv("WARPLAB_SIM_ISA", sim_isa_name((sim_isa)isa), 1);
    sim_options_default(&o);
    o.threads = 1;
    o.model_time = o.count_lines = false;
    return sim_device_new(sim_profile_find("h200"), &o, msg);
}

static bool run(sim_device *d, int isa, const program *p, sim_counters *counted) {
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, p->ptx, strlen(p->ptx), &mo, &msg);
    struct {
        sim_addr in, out;
        uint64_t a, b;
        uint32_t keep;
    } args = {.a = descriptor(&p->la, 0), .b = descriptor(&p->lb, FROM_B), .keep = p->keep};
    sim_result r = {0};
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "t") : NULL,
                    .grid = {1, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = &args,
                    .param_bytes = 36};
    bool ok = m && !sim_malloc(d, sizeof in, &args.in) && !sim_malloc(d, sizeof *out, &args.out) &&
              !sim_write(d, args.in, &in, sizeof in) &&
              !sim_fill(d, args.out, 0, 4, sizeof *out / 4) && sim_run(d, &l, &r, &msg) == SIM_OK &&
              !r.finding_count && !sim_read(d, out[isa], args.out, sizeof *out);
    if (!ok)
        printf("# %s: %s %s\n", p->insn, said(&msg),
               r.finding_count ? said(&r.findings[0].said) : "");
    if (counted) *counted = r.counters;
    sim_result_free(&r);
    sim_module_free(m);
    if (args.in) sim_free(d, args.in);
    if (args.out) sim_free(d, args.out);
    return ok;
}

/* ---- whole numbers ---- */

static uint32_t number_bits(const char *d, int v) {
    float f = (float)v;
    uint32_t x;
    memcpy(&x, &f, 4);
    if (!strcmp(d, "s32")) return (uint32_t)v;
    if (!strcmp(d, "f32") || !v) return x;
    return (x >> 31 << 15) | ((x >> 23 & 0xff) - 112) << 10 | (x >> 13 & 0x3ff); /* exact here */
}
static int draw(const type *t, unsigned *at) {
    do *at = (unsigned)(random_bits() >> 40) % 6;
    while ((t->bits == 1 || t->name[0] == 'u') && *at < 2);
    return t->bits == 1 ? (int)(*at & 1) : (int)*at - 2;
}
static void set_bits(uint8_t *to, size_t bit, unsigned bits, uint32_t v) {
    if (bits == 1) to[bit / 8] |= (uint8_t)(v << bit % 8);
    else memcpy(to + bit / 8, &v, bits / 8);
}
static unsigned row_of(unsigned t, unsigned i) {
    return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
}
static unsigned col_of(unsigned t, unsigned i) {
    return i / 4 * 8 + t % 4 * 2 + i % 2;
}

static void numbers(const program *p) {
    unsigned x, per = 32 / p->a->bits;
    memset(&in, 0, sizeof in);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned k = 0; k < p->k; k++) {
            A[i][k] = draw(p->a, &x);
            uint32_t v = p->a->of[x];
            set_bits(in.image, place(&p->la, p->a->bits, i, k), p->a->bits, v);
            /* row, word of it: the figures of A in registers */
            unsigned word = k / per, thread = i / 16 * 32 + i % 8 * 4 + word % 4;
            in.a[thread][i % 16 / 8 + word / 4 * 2] |= v << k % per * (p->a->bits % 32);
        }
    for (unsigned j = 0; j < p->n; j++)
        for (unsigned k = 0; k < p->k; k++) {
            B[k][j] = draw(p->b, &x);
            set_bits(in.image + FROM_B, place(&p->lb, p->b->bits, j, k), p->b->bits, p->b->of[x]);
        }
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < p->regs * p->per; i++) {
            int v = C[row_of(t, i)][col_of(t, i)] = (int)(random_bits() >> 40) % 9 - 4;
            in.d[t][i / p->per] |= number_bits(p->g->d, v) << i % p->per * 16;
        }
}

static unsigned wrong(const program *p, int isa) {
    unsigned bad = 0;
    int sign = p->g->d[0] == 'f' ? p->scale_a * p->scale_b : 1;
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned i = 0; i < p->regs * p->per; i++) {
            unsigned row = row_of(t, i), col = col_of(t, i);
            int sum = p->keep ? C[row][col] : 0;
            for (unsigned k = 0; k < p->k; k++) sum += sign * A[row][k] * B[k][col];
            uint32_t got = out[isa][t][i / p->per] >> i % p->per * 16;
            if (p->per == 2) got &= 0xffff;
            uint32_t want = number_bits(p->g->d, sum);
            bad += got != want && (sum || got << (p->per == 2 ? 17 : 1)); /* either zero */
        }
    return bad;
}

static bool shape_exists(const program *p) {
    bool whole = p->g->d[0] == 's';
    return !whole || p->n <= 32 ? p->n != 40 : p->n % 16 == 0;
}

/* One program on all instruction sets, on numbers and on any bits. */
static unsigned try_program(sim_device *const *devices, program *p) {
    unsigned bad = 0;
    write_insn(p);
    write_program(p);
    numbers(p);
    for (int s = 0; s < SIM_ISA_COUNT; s++)
        if (devices[s]) bad += !run(devices[s], s, p, NULL) || wrong(p, s);
    for (size_t x = 0; x < sizeof in; x += 8) {
        uint64_t v = random_bits();
        memcpy((uint8_t *)&in + x, &v, 8);
    }
    for (int s = 0; s < SIM_ISA_COUNT; s++)
        if (devices[s])
            bad += !run(devices[s], s, p, NULL) || memcmp(out[SIM_ISA_base], out[s], sizeof *out);
    if (bad) printf("# %s\n", p->insn);
    return bad;
}

static void shapes(sim_device *const *devices) {
    static program p;
    unsigned round = 0;
    for (unsigned x = 0; x < sizeof groups / sizeof *groups; x++) {
        unsigned bad = 0, tried = 0;
        p.g = &groups[x];
        p.a = find(p.g->a), p.b = find(p.g->b);
        p.k = 256 / p.a->bits;
        p.per = strcmp(p.g->d, "f16") ? 1 : 2;
        /* every N of the first group, some of the others */
        for (p.n = 8; p.n <= 256; p.n += x && p.n >= 32 ? 32 : 8) {
            if (!shape_exists(&p)) continue;
            round++;
            bool halves = p.a->bits == 16;
            p.regs = p.n / 2 / p.per;
            p.registers = round % 3 == 2;
            p.la = choose(round % 4, halves && round % 5 > 2, p.a->bits, 64);
            p.lb = choose(round % 4, halves && round % 5 % 2, p.b->bits, p.n);
            p.scale_a = round % 7 == 3 ? -1 : 1, p.scale_b = round % 6 > 3 ? -1 : 1;
            p.keep = round % 4 != 1;
            bad += try_program(devices, &p);
            tried++;
        }
        check_that(!bad && tried > 4, __FILE__, __LINE__, p.g->a, p.insn);
    }
}

/* A group reads its 64 rows of A once and B once, 32 bytes a row or column, 128 bytes a pass. */
static void counters(sim_device *d) {
    static program p;
    sim_counters c[2];
    p = (program){.g = &groups[0],
                  .n = 64,
                  .k = 16,
                  .regs = 32,
                  .per = 1,
                  .scale_a = 1,
                  .scale_b = 1,
                  .keep = true};
    p.a = p.b = find("f16");
    for (unsigned x = 0; x < 2; x++) {
        p.registers = x;
        p.la = p.lb = choose(1, false, 16, 64);
        write_insn(&p), write_program(&p), numbers(&p);
        CHECK(run(d, SIM_ISA_base, &p, &c[x]));
    }
    CHECK_INT(c[0].shared_ld_wavefronts, 64 * 32 / 128 + 64 * 32 / 128);
    CHECK_INT(c[1].shared_ld_wavefronts, 64 * 32 / 128);
    CHECK_INT(c[0].shared_ld_requests, 4 + 4); /* four core matrices each */
    CHECK_INT(c[0].shared_ld_conflicts, 0);
    CHECK_INT(c[0].warp_inst - c[1].warp_inst, 0);
}

/* A thousand products of 64 x 256 x 16, each added to the one before, take what the peak says:
 * 2,048 multiply-adds a cycle ("NVIDIA H100 Tensor Core GPU Architecture"), 128 cycles each. Each
 * is committed, as ptxas would commit it; unrolled, it would take minutes. A group without products
 * comes first, of which ptxas makes a product that goes nowhere. */
static void peak(void) {
    static char text[4096], d[1200];
    lib_message msg = {0};
    sim_options o;
    sim_result r = {0};
    sim_options_default(&o);
    o.machine_code = true;
    sim_device *dev = sim_device_new(sim_profile_find("h200"), &o, &msg);
    list(d, sizeof d, 'f', 128);
    size_t n = (size_t)snprintf(
        text, sizeof text,
        ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 "
        "po)\n{\n.reg "
        ".pred %%p;\n.reg .b64 %%x, %%out;\n.reg .b32 %%t, %%i;\n.reg .f32 %%f<128>;\n.shared "
        ".align "
        "1024 .b8 room[8192];\nld.param.u64 %%out, [po];\nmov.u32 %%t, room;\nshr.u32 %%t, %%t, "
        "4;\ncvt.u64.u32 %%x, %%t;\nor.b64 %%x, %%x, 0x800080000;\nmov.u32 %%i, 0;\nsetp.ne.u32 "
        "%%p, "
        "%%i, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "wgmma.fence.sync.aligned;\nL:\n.pragma \"nounroll\";\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 %s, %%x, %%x, %%p, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nadd.u32 %%i, %%i, 1;\nsetp.ne.u32 %%p, %%i, 1000;\n@%%p "
        "bra L;\n"
        "wgmma.wait_group.sync.aligned 0;\nst.global.f32 "
        "[%%out], "
        "%%f77;\nret;\n}\n",
        d);
    CHECK(n < sizeof text);
    sim_module *m = dev ? assembled_module(dev, "h200", text) : NULL;
    sim_addr out_at = 0;
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = &out_at,
                    .param_bytes = 8};
    CHECK(m && !sim_malloc(dev, 4, &out_at) && sim_run(dev, &l, &r, &msg) == SIM_OK);
    double least = 1000 * 128 / 1.98e3;
    CHECK(r.by_machine_code && r.time_us > least && r.time_us < 1.05 * least + 2);
    if (r.time_us <= least || r.time_us >= 1.05 * least + 2)
        printf("# %g us %s\n", r.time_us, r.machine_refusal ? said(r.machine_refusal) : "");
    sim_result_free(&r);
    sim_module_free(m);
    sim_device_free(dev);
}

/* ---- what is wrong ---- */

#define MMA  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, "
#define TAIL ", %p, 1, 1, 0, 0;"
#define SP(shape, type, meta, selector)                                                            \
    "mov.u32 %s, " meta ";\nwgmma.mma_async.sp.sync.aligned." shape ".f32." type "." type          \
    " {%f0,%f1,%f2,%f3}, {%t,%t,%t,%t}, %y, %s, " selector ", %p, 1, 1"
#define SAME   "mov.b64 %y, %x;\n"
#define NARROW "or.b64 %y, %x, 0xc000000000000000;\n"
typedef struct {
    const char *what, *body;
    const char *target;
    unsigned threads;
    sim_status status;
    const char *says;
} hostile;
/* %x describes the beginning of 4096 bytes of shared memory, which threads wrote; %p is true */
static const hostile wrongs[] = {
    {"right", MMA "%x, %x" TAIL, "sm_90a", 128, SIM_OK, ""},
    {"two groups", MMA "%x, %x" TAIL, "sm_90a", 256, SIM_OK, ""},
    {"past the end", "add.s64 %y, %x, 512;\n" MMA "%x, %y" TAIL, "sm_90a", 128, SIM_ILLEGAL_ADDRESS,
     "shared"},
    {"far past the end", "or.b64 %y, %x, 0x3fff;\n" MMA "%y, %x" TAIL, "sm_90a", 128,
     SIM_ILLEGAL_ADDRESS, "shared"},
    {"far apart", "or.b64 %y, %x, 0x3fff0000;\n" MMA "%x, %y" TAIL, "sm_90a", 128,
     SIM_ILLEGAL_ADDRESS, "shared"},
    {"a descriptor of sm_100", "or.b64 %y, %x, 0x400000000000;\n" MMA "%x, %y" TAIL, "sm_90a", 128,
     SIM_TRAP, "bits set that have no meaning for wgmma"},
    {"swizzling as sm_100 has it", "or.b64 %y, %x, 0x2000000000000000;\n" MMA "%y, %x" TAIL,
     "sm_90a", 128, SIM_TRAP, "bits set that have no meaning for wgmma"},
    {"descriptors differ", "cvt.u64.u32 %y, %t;\nadd.s64 %y, %x, %y;\n" MMA "%x, %y" TAIL, "sm_90a",
     128, SIM_TRAP, "another matrix descriptor than other lanes"},
    {"scale-d differs", "setp.lt.u32 %p, %t, 5;\n" MMA "%x, %x" TAIL, "sm_90a", 128, SIM_TRAP,
     "another scale-d than other lanes"},
    {"three warps", MMA "%x, %x" TAIL, "sm_90a", 96, SIM_TRAP, "a warpgroup that is not whole"},
    {"seven warps", MMA "%x, %x" TAIL, "sm_90a", 224, SIM_TRAP, "a warpgroup that is not whole"},
    {"a thread is missing", MMA "%x, %x" TAIL, "sm_90a", 127, SIM_TRAP,
     "a warpgroup that is not whole"},
    {"half a warp has exited",
     "and.b32 %s, %t, 31;\nsetp.gt.u32 %q, %s, 15;\n@%q exit;\n" MMA "%x, %x" TAIL, "sm_90a", 128,
     SIM_TRAP, "after other lanes of its warp have exited"},
    {"two places",
     "and.b32 %s, %t, 31;\nsetp.gt.u32 %q, %s, 15;\n@%q bra L;\n" MMA "%x, %x" TAIL
     "\nbra.uni M;\nL: " MMA "%x, %x" TAIL "\nM:",
     "sm_90a", 128, SIM_TRAP,
     "is at a matrix instruction while other lanes of its warp are at another"},
    {"fences at two places",
     "and.b32 %s, %t, 31;\nsetp.gt.u32 %q, %s, 15;\n@%q bra L;\n"
     "wgmma.fence.sync.aligned;\nbra.uni M;\nL: wgmma.fence.sync.aligned;\nM:",
     "sm_90a", 128, SIM_TRAP,
     "is at a matrix instruction while other lanes of its warp are at another"},
    {"not for sm_90", MMA "%x, %x" TAIL, "sm_90", 128, SIM_NOT_FOUND,
     "needs a target such as sm_90a"},
    {"nor the fence", "wgmma.fence.sync.aligned;", "sm_90", 128, SIM_NOT_FOUND,
     "needs a target such as sm_90a"},
    {"registers given back and asked for",
     "setmaxnreg.dec.sync.aligned.u32 24;\nsetmaxnreg.inc.sync.aligned.u32 64;\n" MMA "%x, %x" TAIL,
     "sm_90a", 128, SIM_OK, ""},
    {"a scale of 2", MMA "%x, %x, %p, 2, 1, 0, 0;", "sm_90a", 128, SIM_UNSUPPORTED,
     "operand 5 is 2, not 1 or -1"},
    {"transposed twice", MMA "%x, %x, %p, 1, 1, 0, 2;", "sm_90a", 128, SIM_UNSUPPORTED,
     "operand 8 is 2, not 0 or 1"},
    {"an accumulator nowhere",
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,_,%f2,%f3}, %x, %x" TAIL, "sm_90a",
     128, SIM_UNSUPPORTED, "accumulator 2 is not a register"},
    {"never written", "add.s64 %y, %x, 256;\n" MMA "%y, %x" TAIL, "sm_90a", 128, SIM_OK,
     "nothing has written"},
    {"a warp stays away", "setp.gt.u32 %q, %t, 95;\n@%q exit;\n" MMA "%x, %x" TAIL, "sm_90a", 128,
     SIM_OK, "that not all four warps of its warpgroup execute"},
    {"two warps at another one",
     "setp.gt.u32 %q, %t, 63;\n@%q bra L;\n" MMA "%x, %x" TAIL "\nbra.uni M;\nL: " MMA "%x, %x" TAIL
     "\nM:",
     "sm_90a", 128, SIM_OK, "that not all four warps of its warpgroup execute"},
    {"two groups at two places",
     "setp.gt.u32 %q, %t, 127;\n@%q bra L;\n" MMA "%x, %x" TAIL "\nbra.uni M;\nL: " MMA
     "%x, %x" TAIL "\nM:",
     "sm_90a", 256, SIM_OK, ""},
    {"a selector of mma.sp",
     "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "
     "{%t,%t,%t,%t}, {%t,%t,%t,%t}, {%f0,%f1,%f2,%f3}, %t, 2;",
     "sm_90", 128, SIM_UNSUPPORTED, "the sparsity selector is 2; here it is less than 2"},
    {"sparse", SAME SP("m64n8k32", "f16", "0x4e4e4e4e", "1") ", 0;", "sm_90a", 128, SIM_OK, ""},
    {"sparse, not for sm_90", SAME SP("m64n8k32", "f16", "0x4e4e4e4e", "1") ", 0;", "sm_90", 128,
     SIM_NOT_FOUND, "needs a target such as sm_90a"},
    {"its selector", SAME SP("m64n8k32", "f16", "0x4e4e4e4e", "2") ", 0;", "sm_90a", 128,
     SIM_UNSUPPORTED, "the sparsity selector is 2; here it is less than 2"},
    {"its selector of 8 bits", SAME SP("m64n8k64", "e4m3", "0x4e4e4e4e", "1") ";", "sm_90a", 128,
     SIM_UNSUPPORTED, "the sparsity selector is 1; here it is less than 1"},
    {"one place twice", SAME SP("m64n8k32", "bf16", "0x4e4e4f4e", "0") ", 0;", "sm_90a", 128,
     SIM_TRAP, "sparsity metadata that names one of four places twice"},
    {"half an element", SAME SP("m64n8k16", "tf32", "0x4e4e4e4d", "0") ";", "sm_90a", 128, SIM_TRAP,
     "sparsity metadata that is neither 0100 nor 1110"},
    {"a B too narrow", NARROW SP("m64n8k32", "f16", "0x4e4e4e4e", "0") ", 0;", "sm_90a", 128,
     SIM_TRAP, "64 bytes along K do not fit the swizzle of 32 bytes"},
    {"that B transposed", NARROW SP("m64n8k32", "f16", "0x4e4e4e4e", "0") ", 1;", "sm_90a", 128,
     SIM_OK, ""},
    {"a fence of proxies is missing", "st.shared.u32 [%o], %t;\nbar.sync 0;\n" MMA "%x, %x" TAIL,
     "sm_90a", 128, SIM_OK,
     "a fence.proxy.async is missing between the write and the wgmma that reads it"},
    {"a race", "st.shared.u32 [%o], %t;\n" MMA "%x, %x" TAIL, "sm_90a", 128, SIM_OK,
     "a __syncthreads() is missing"},
};

static void hostile_text(const hostile *h, char *to, size_t n) {
    snprintf(
        to, n,
        ".version 8.4\n.target %s\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p, "
        "%%q;\n.reg .b64 %%x, %%y;\n.reg .b32 %%t, %%s, %%o;\n.reg .f32 %%f<4>;\n.shared .align "
        "1024 .b8 room[8192];\n.shared .align 4 .b8 last[16];\nmov.u32 %%t, %%tid.x;\nmov.u32 "
        "%%o, room;\nshr.u32 %%s, %%o, 4;\ncvt.u64.u32 %%x, %%s;\nor.b64 %%x, %%x, "
        "0x800080000;\nmad.lo.u32 %%o, %%t, 16, %%o;\nmov.u32 %%s, 0;\nst.shared.v4.u32 [%%o], "
        "{%%s,%%s,%%s,%%s};\nst.shared.v4.u32 [%%o+2048], {%%s,%%s,%%s,%%s};\n"
        "setp.lt.u32 %%p, %%t, 4096;\nmov.f32 %%f0, 0f00000000;\nmov.f32 %%f1, %%f0;\nmov.f32 "
        "%%f2, %%f0;\nmov.f32 %%f3, %%f0;\nfence.proxy.async;\nbar.sync 0;\n%s\nret;\n}\n",
        h->target, h->body);
}

static void hostiles(void) {
    static char text[8192];
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        const hostile *h = &wrongs[k];
        lib_message msg = {0};
        sim_options o;
        sim_result r = {0};
        sim_options_default(&o);
        sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
        sim_module_options mo = {.ptxas = ""};
        hostile_text(h, text, sizeof text);
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                        .grid = {1, 1, 1},
                        .block = {h->threads, 1, 1}};
        sim_status s = m ? sim_run(d, &l, &r, &msg) : SIM_NOT_FOUND;
        const char *found = r.finding_count ? said(&r.findings[0].said) : said(&msg);
        char why[700];
        snprintf(why, sizeof why, "status %d: %.600s", (int)s, found);
        check_that(s == h->status && (*h->says ? strstr(found, h->says) != NULL : !r.finding_count),
                   __FILE__, __LINE__, h->what, why);
        sim_result_free(&r);
        sim_module_free(m);
        sim_device_free(d);
    }
    lib_message msg = {0};
    sim_options o;
    sim_options_default(&o);
    sim_device *d = sim_device_new(sim_profile_find("a100"), &o, &msg);
    hostile_text(&wrongs[0], text, sizeof text);
    CHECK(sim_module_new(d, text, strlen(text), NULL, &msg) == NULL);
    CHECK_CONTAINS(said(&msg),
                   "its PTX is only for sm_90a, and the device has compute capability 8.0");
    sim_device_free(d);
}

int main(void) {
    sim_device *devices[SIM_ISA_COUNT] = {NULL};
    lib_message msg = {0};
    for (int s = 0; s < SIM_ISA_COUNT; s++)
        if (sim_isa_runs((sim_isa)s)) CHECK((devices[s] = device_of(s, &msg)) != NULL);
    shapes(devices);
    counters(devices[SIM_ISA_base]);
    for (int s = 0; s < SIM_ISA_COUNT; s++) sim_device_free(devices[s]);
    unsetenv("WARPLAB_SIM_ISA");
    if (assembled_here("the peak of wgmma")) peak();
    hostiles();
    return check_done();
}
