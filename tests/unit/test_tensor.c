/* mma.sync and wmma.mma by the vector code of each of the host's instruction sets (tensor_path.inc)
 * give the bits of the plain path (tensor.c), which WARPLAB_SIM_ISA=base runs: every shape and
 * type, on any bits, on numbers of like size and on NaN, infinities, zeros and subnormals among
 * them; with D in C's registers, though not the same ones. And what both give is held to sums that
 * are taken here, over elements that are placed as the ISA's figures have it. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "assembled_fixture.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include <stdbool.h>
#include <stdlib.h>

enum { LANES = 32, ROUNDS = 24, WORDS = 24 }; /* 8 registers each of A, B, C (D) a lane */

typedef struct {
    const char *name;
    unsigned bits, exponent; /* exponent: 0: an integer */
} type;
static const type types[] = {{"f16", 16, 5}, {"bf16", 16, 8}, {"tf32", 32, 8}, {"e4m3", 8, 4},
                             {"e5m2", 8, 5}, {"f32", 32, 8},  {"f64", 64, 11}, {"s8", 8, 0},
                             {"u8", 8, 0},   {"s4", 4, 0},    {"u4", 4, 0},    {"s32", 32, 0},
                             {"b1", 1, 0}};

/* shapes; A, B, D, C */
typedef struct {
    bool wmma;
    const char *shapes, *a, *b, *d, *c, *more;
} group;
static const group groups[] = {
    {false, "m16n8k8 m16n8k16", "f16", "f16", "f32", "f32", ""},
    {false, "m16n8k8 m16n8k16", "f16", "f16", "f16", "f16", ""},
    {false, "m16n8k8 m16n8k16", "bf16", "bf16", "f32", "f32", ""},
    {false, "m16n8k4 m16n8k8", "tf32", "tf32", "f32", "f32", ""},
    {false, "m16n8k16 m16n8k32", "e4m3", "e4m3", "f32", "f32", ""},
    {false, "m16n8k16 m16n8k32", "e4m3", "e5m2", "f32", "f32", ""},
    {false, "m16n8k16 m16n8k32", "e5m2", "e4m3", "f16", "f16", ""},
    {false, "m16n8k16 m16n8k32", "e5m2", "e5m2", "f16", "f16", ""},
    {false, "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64", "f64", "f64", ""},
    {false, "m8n8k4 m16n8k16", "f64", "f64", "f64", "f64", ".rz"},
    {false, "m8n8k16 m16n8k16 m16n8k32", "s8", "s8", "s32", "s32", ""},
    {false, "m8n8k16 m16n8k16 m16n8k32", "u8", "s8", "s32", "s32", ".satfinite"},
    {false, "m8n8k16 m16n8k16 m16n8k32", "u8", "u8", "s32", "s32", ""},
    {false, "m8n8k16 m16n8k16 m16n8k32", "s8", "u8", "s32", "s32", ".satfinite"},
    {false, "m8n8k32 m16n8k32 m16n8k64", "s4", "s4", "s32", "s32", ""},
    {false, "m8n8k32 m16n8k32 m16n8k64", "u4", "s4", "s32", "s32", ".satfinite"},
    {false, "m8n8k32 m16n8k32 m16n8k64", "u4", "u4", "s32", "s32", ""},
    {false, "m8n8k128 m16n8k128 m16n8k256", "b1", "b1", "s32", "s32", ".xor.popc"},
    {true, "m16n16k16 m8n32k16 m32n8k16", "f16", "f16", "f32", "f32", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "f16", "f16", "f16", "f16", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "f16", "f16", "f32", "f16", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "f16", "f16", "f16", "f32", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "f16", "f16", "f32", "f32", ".satfinite"},
    {true, "m16n16k16 m8n32k16 m32n8k16", "bf16", "bf16", "f32", "f32", ""},
    {true, "m16n16k8", "tf32", "tf32", "f32", "f32", ""},
    {true, "m8n8k4", "f64", "f64", "f64", "f64", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "s8", "s8", "s32", "s32", ""},
    {true, "m16n16k16 m8n32k16 m32n8k16", "u8", "u8", "s32", "s32", ".satfinite"},
    {true, "m8n8k32", "s4", "s4", "s32", "s32", ""},
};

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

/* One element. Round by round: any bits; of like size; now and then something special. */
static uint64_t element(const type *t, unsigned round) {
    uint64_t v = random_bits() >> (64 - t->bits);
    if (!t->exponent || round % 4 == 0) return v;
    unsigned mantissa = t->bits - 1 - t->exponent;
    uint64_t top = (1ull << t->exponent) - 1, fraction = v & ((1ull << mantissa) - 1),
             sign = v >> (t->bits - 1) << (t->bits - 1),
             e = (top >> 1) - 2 + random_bits() % (round % 4 == 1 ? 4 : 2 + t->exponent);
    if (round % 4 == 3 && random_bits() % 40 == 0) {
        e = random_bits() % 2 ? 0 : top;
        fraction = random_bits() % 4 ? 0 : fraction;
    } else if (round % 4 == 3 && random_bits() % 8 == 0) {
        e = 0;
    }
    return sign | e << mantissa | fraction;
}
static uint64_t word(const type *t, unsigned round) {
    uint64_t v = 0;
    if (t->bits == 64) return element(t, round);
    for (unsigned at = 0; at < 32; at += t->bits) v |= element(t, round) << at;
    return v;
}

/* Registers of a fragment of rows x cols. */
static unsigned count(const group *g, const type *t, unsigned rows, unsigned cols, bool factor) {
    if (g->wmma && factor && !strcmp(t->name, "f16")) return 8;
    return rows * cols * (t->bits == 64 ? 32 : t->bits) / 1024;
}

typedef struct {
    unsigned m, n, k, na, nb, nc, nd;
    char insn[200], ptx[1 << 13];
} program;

static size_t list(char *to, size_t room, char letter, unsigned from, unsigned n, unsigned of) {
    size_t len = (size_t)snprintf(to, room, "{");
    for (unsigned x = 0; x < n; x++)
        len += (size_t)snprintf(to + len, room - len, "%s%%%c%u", x ? ", " : "", letter,
                                of ? (x + from) % of : x + from);
    return len + (size_t)snprintf(to + len, room - len, "}");
}

static void write_program(program *p, const group *g, const char *shape) {
    const type *a = find(g->a), *b = find(g->b), *c = find(g->c), *d = find(g->d);
    sscanf(shape, "m%un%uk%u", &p->m, &p->n, &p->k);
    p->na = count(g, a, p->m, p->k, true), p->nb = count(g, b, p->k, p->n, true);
    p->nc = count(g, c, p->m, p->n, false), p->nd = count(g, d, p->m, p->n, false);
    if (g->wmma) {
        bool f16 = !strcmp(g->a, "f16"), sat = *g->more != 0;
        snprintf(p->insn, sizeof p->insn, "wmma.mma.sync.aligned.row.col.%s.%s%s%s%s%s.%s%s", shape,
                 g->d, f16 ? "" : ".", f16 ? "" : g->a, f16 ? "" : ".", f16 ? "" : g->b, g->c,
                 sat ? g->more : "");
    } else {
        bool after = !strcmp(g->a, "f64") || !strcmp(g->a, "b1");
        snprintf(p->insn, sizeof p->insn, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s", shape,
                 after ? "" : g->more, g->d, g->a, g->b, g->c, after ? g->more : "");
    }
    char lists[4][128];
    bool same = d->bits == c->bits; /* D is C's registers turned by one, or has its own */
    char reg = d->bits == 64 ? 'd' : 'r';
    list(lists[0], sizeof lists[0], same ? 'c' : 'e', same ? 1 : 0, p->nd, same ? p->nc : 0);
    list(lists[1], sizeof lists[1], 'a', 0, p->na, 0);
    if (p->nb > 1) list(lists[2], sizeof lists[2], 'b', 0, p->nb, 0);
    else snprintf(lists[2], sizeof lists[2], "%%b0"); /* a list of one may be without its braces */
    list(lists[3], sizeof lists[3], 'c', 0, p->nc, 0);
    /* .satfinite of floats went away with PTX 6.5 */
    bool old = g->wmma && *g->more && !strcmp(g->d, "f32");
    const char *kind = reg == 'd' ? "b64" : "b32";
    size_t n = (size_t)snprintf(
        p->ptx, sizeof p->ptx,
        ".version %s\n.address_size 64\n.visible .entry t(.param .u64 pi, .param "
        ".u64 po)\n{\n.reg .b64 %%in, %%out, %%at;\n.reg .b32 %%t;\n.reg .%s %%a<8>, %%b<8>, "
        "%%c<8>, %%e<8>;\nld.param.u64 %%in, [pi];\nld.param.u64 %%out, [po];\nmov.u32 %%t, "
        "%%tid.x;\nmul.wide.u32 %%at, %%t, %d;\nadd.u64 %%in, %%in, %%at;\nmul.wide.u32 %%at, "
        "%%t, 64;\nadd.u64 %%out, %%out, %%at;\n",
        old ? "6.4\n.target sm_70" : "8.7\n.target sm_90", kind, WORDS * 8);
    const unsigned of[3] = {p->na, p->nb, p->nc};
    for (unsigned f = 0; f < 3; f++)
        for (unsigned x = 0; x < of[f]; x++)
            n +=
                (size_t)snprintf(p->ptx + n, sizeof p->ptx - n, "ld.global.%s %%%c%u, [%%in+%u];\n",
                                 kind, "abc"[f], x, (f * 8 + x) * 8);
    n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n, "%s %s, %s, %s, %s;\n", p->insn, lists[0],
                          lists[1], lists[2], lists[3]);
    for (unsigned x = 0; x < p->nd; x++)
        n += (size_t)snprintf(p->ptx + n, sizeof p->ptx - n, "st.global.%s [%%out+%u], %%%c%u;\n",
                              kind, x * 8, same ? 'c' : 'e', same ? (x + 1) % p->nc : x);
    snprintf(p->ptx + n, sizeof p->ptx - n, "ret;\n}\n");
}

typedef uint64_t fragments[LANES][WORDS];
typedef uint64_t results[LANES][8];

static fragments inputs[ROUNDS];
static results outputs[SIM_ISA_COUNT][ROUNDS];

static void draw(const group *g) {
    const type *of[3] = {find(g->a), find(g->b), find(g->c)};
    for (unsigned r = 0; r < ROUNDS; r++)
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned x = 0; x < WORDS; x++) inputs[r][l][x] = word(of[x / 8], r);
}

static bool run(sim_isa s, const program *p) {
    lib_message msg = {0};
    sim_options o;
    setenv("WARPLAB_SIM_ISA", sim_isa_name(s), 1);
    sim_options_default(&o);
    o.threads = 1;
    o.model_time = o.count_lines = false;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = d ? sim_module_new(d, p->ptx, strlen(p->ptx), &mo, &msg) : NULL;
    sim_addr at[2];
    bool ok =
        m && !sim_malloc(d, sizeof *inputs, &at[0]) && !sim_malloc(d, sizeof **outputs, &at[1]);
    for (unsigned r = 0; ok && r < ROUNDS; r++) {
        sim_result result;
        sim_launch l = {.kernel = sim_module_kernel(m, "t"),
                        .grid = {1, 1, 1},
                        .block = {LANES, 1, 1},
                        .params = at,
                        .param_bytes = sizeof at};
        ok = !sim_write(d, at[0], inputs[r], sizeof inputs[r]) &&
             !sim_fill(d, at[1], 0, 4, sizeof outputs[s][r] / 4) &&
             sim_run(d, &l, &result, &msg) == SIM_OK &&
             !sim_read(d, outputs[s][r], at[1], sizeof outputs[s][r]);
        sim_result_free(&result);
    }
    if (!ok) printf("# %s: %s\n%s", p->insn, said(&msg), p->ptx);
    sim_module_free(m);
    sim_device_free(d);
    return ok;
}

/* m16n8k16 on halves that are small whole numbers: PTX ISA, "Matrix Fragments for mma.m16n8k16". */
static void figure(void) {
    static const group g = {false, "m16n8k16", "f16", "f16", "f32", "f32", ""};
    static program p;
    static const uint16_t half[8] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0x4600};
    static const int number[8] = {0, 1, 2, 3, 4, -1, -2, 6};
    int a[16][16], b[16][8];
    write_program(&p, &g, g.shapes);
    memset(inputs, 0, sizeof inputs);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned e = 0; e < 8; e++) {
            unsigned x = (unsigned)(random_bits() >> 61), y = (unsigned)(random_bits() >> 61);
            unsigned row = l / 4 + (e % 4 < 2 ? 0 : 8), col = l % 4 * 2 + e % 2 + (e < 4 ? 0 : 8);
            a[row][col] = number[x];
            inputs[0][l][e / 2] |= (uint64_t)half[x] << e % 2 * 16;
            if (e > 3) continue;
            b[l % 4 * 2 + e % 2 + (e < 2 ? 0 : 8)][l / 4] = number[y];
            inputs[0][l][8 + e / 2] |= (uint64_t)half[y] << e % 2 * 16;
        }
    for (int s = 0; s < SIM_ISA_COUNT; s++) {
        if (!sim_isa_runs((sim_isa)s)) continue;
        int bad = !run((sim_isa)s, &p);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned e = 0; e < 4; e++) {
                unsigned row = l / 4 + (e < 2 ? 0 : 8), col = l % 4 * 2 + e % 2;
                int sum = 0;
                for (unsigned k = 0; k < 16; k++) sum += a[row][k] * b[k][col];
                float got;
                uint32_t bits = (uint32_t)outputs[s][0][l][e];
                memcpy(&got, &bits, 4);
                bad += got != (float)sum;
            }
        check_that(!bad, __FILE__, __LINE__, sim_isa_name((sim_isa)s), "sums of small numbers");
    }
}

/* m8n8k128 on single bits: row l / 4 of A and column l / 4 of B, 32 bits from 32 (l % 4) on, are
 * lane l's; each sum counts the bits of their exclusive or, or of their and (PTX ISA,
 * mma.m8n8k128). */
static void bits(void) {
    static const char *const ops[] = {".xor.popc", ".and.popc"};
    for (unsigned o = 0; o < 2; o++) {
        const group g = {false, "m8n8k128", "b1", "b1", "s32", "s32", ops[o]};
        static program p;
        write_program(&p, &g, g.shapes);
        memset(inputs, 0, sizeof inputs);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned x = 0; x < WORDS; x++)
                inputs[0][l][x] = (uint32_t)random_bits() >> (x < 16 ? 0 : 8);
        for (int s = 0; s < SIM_ISA_COUNT; s++) {
            if (!sim_isa_runs((sim_isa)s)) continue;
            int bad = !run((sim_isa)s, &p);
            for (unsigned l = 0; l < LANES; l++)
                for (unsigned e = 0; e < 2; e++) {
                    unsigned row = l / 4, col = l % 4 * 2 + e;
                    uint32_t sum = (uint32_t)inputs[0][l][16 + e];
                    for (unsigned k = 0; k < 4; k++) {
                        uint32_t a = (uint32_t)inputs[0][row * 4 + k][0],
                                 b = (uint32_t)inputs[0][col * 4 + k][8];
                        sum += (unsigned)__builtin_popcount(o ? a & b : a ^ b);
                    }
                    bad += (uint32_t)outputs[s][0][l][e] != sum;
                }
            check_that(!bad, __FILE__, __LINE__, sim_isa_name((sim_isa)s), ops[o]);
        }
    }
}

/* .aligned: "all threads in the warp must execute the same" instruction (PTX ISA, of each of
 * these). Where half of a warp is at one and half at another, that is what is said. */
static void apart(void) {
    static const char *const insns[] = {
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%e1, %e2}, {%e3}, {%e3}, {%e1, %e2};",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r3];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};"};
    for (size_t k = 0; k < 2 * sizeof insns / sizeof *insns; k++) {
        const char *insn = insns[k / 2];
        bool together = k % 2; /* the same instruction for both */
        char text[2000];
        snprintf(
            text, sizeof text,
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred "
            "%%p;\n.reg .b32 %%r<4>;\n.reg .f64 %%e<4>;\n.shared .align 16 .b8 s[512];\n"
            "mov.u32 %%r2, %%tid.x;\nmov.u32 %%r1, %%r2;\nmov.u32 %%r3, s;\nmad.lo.u32 %%r3, %%r2, "
            "16, %%r3;\n"
            "mov.f64 %%e1, 0d0000000000000000;\nmov.f64 %%e2, %%e1;\nmov.f64 %%e3, %%e1;\n"
            "st.shared.v4.u32 [%%r3], {%%r1, %%r1, %%r1, %%r1};\n"
            "setp.lt.u32 %%p, %%r2, 16;\n@%%p bra A;\n%s\nbra.uni B;\nA: %s\nB: %s\nret;\n}\n",
            together ? "" : insn, together ? "" : insn, together ? insn : "");
        lib_message msg = {0};
        sim_options o;
        sim_result r = {0};
        sim_options_default(&o);
        sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
        sim_module_options mo = {.ptxas = ""};
        sim_module *m = d ? sim_module_new(d, text, strlen(text), &mo, &msg) : NULL;
        if (!m) printf("# %s\n", said(&msg));
        CHECK(m != NULL);
        sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                        .grid = {1, 1, 1},
                        .block = {LANES, 1, 1}};
        CHECK_INT(m ? sim_run(d, &l, &r, &msg) : SIM_NOT_FOUND, together ? SIM_OK : SIM_TRAP);
        if (!together)
            CHECK_CONTAINS(
                r.finding_count ? said(&r.findings[0].said) : "nothing",
                "is at a matrix instruction while other lanes of its warp are at another");
        sim_result_free(&r);
        sim_module_free(m);
        sim_device_free(d);
    }
}

/* Runs a kernel of one warp with the parameters (in, out); what it leaves in `out`. */
static bool run_text(const char *text, const void *in, size_t in_bytes, void *out, size_t out_bytes,
                     sim_counters *counters) {
    lib_message msg = {0};
    sim_options o;
    sim_result r = {0};
    sim_options_default(&o);
    o.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = d ? sim_module_new(d, text, strlen(text), &mo, &msg) : NULL;
    sim_addr at[2];
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {LANES, 1, 1},
                    .params = at,
                    .param_bytes = sizeof at};
    bool ok = l.kernel && !sim_malloc(d, in_bytes, &at[0]) && !sim_malloc(d, out_bytes, &at[1]) &&
              !sim_write(d, at[0], in, in_bytes) && !sim_fill(d, at[1], 0xee, 1, out_bytes) &&
              sim_run(d, &l, &r, &msg) == SIM_OK && !sim_read(d, out, at[1], out_bytes);
    if (!ok) printf("# %s\n", said(&msg));
    if (counters) *counters = r.counters;
    sim_result_free(&r);
    sim_module_free(m);
    sim_device_free(d);
    return ok;
}

/* ldmatrix, stmatrix (PTX ISA 9.7.14.5.15 and .16): lane 8 k + r names row r of matrix k, of eight
 * elements; lane l has two elements of row l / 4, from column 2 (l % 4) on, or, transposed, of
 * column l / 4. Element c of row r of shared memory is 8 r + c; lane l names row (5 l + 3) % 32,
 * and where fewer matrices are asked for the other lanes name none that there is. */
static void matrix_rows(void) {
    static const struct {
        const char *op, *list;
        unsigned count;
        bool trans, store;
    } rows[] = {
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", "{%a0}", 1, false, false},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16", "{%a0, %a1}", 2, false, false},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{%a0, %a1, %a2, %a3}", 4, false, false},
        {"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "{%a0}", 1, true, false},
        {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "{%a0, %a1}", 2, true, false},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{%a0, %a1, %a2, %a3}", 4, true, false},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16", "{%a0}", 1, false, true},
        {"stmatrix.sync.aligned.m8n8.x2.shared.b16", "{%a0, %a1}", 2, false, true},
        {"stmatrix.sync.aligned.m8n8.x4.shared.b16", "{%a0, %a1, %a2, %a3}", 4, false, true},
        {"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "{%a0}", 1, true, true},
        {"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "{%a0, %a1, %a2, %a3}", 4, true, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2500], operands[80];
        uint32_t in[LANES], reg[LANES][4], want_reg[LANES][4];
        uint16_t row[LANES][8], want_row[LANES][8];
        uint8_t out[LANES][32];
        snprintf(operands, sizeof operands, rows[k].store ? "[%%s+16], %s" : "%s, [%%s+16]",
                 rows[k].list);
        snprintf(text, sizeof text, "%s%s %s;\n%s",
                 ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pi, "
                 ".param .u64 po)\n{\n.reg .b32 %a<4>, %r<9>, %s; .reg .b64 %d<4>;\n.shared .align "
                 "16 .b8 place[528];\nld.param.u64 %d1, [pi]; ld.param.u64 %d2, [po];\nmov.u32 "
                 "%r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3;\nmul.wide.u32 "
                 "%d3, %r1, 32; add.u64 %d2, %d2, %d3; mov.u32 %r2, place;\nld.global.u32 %s, "
                 "[%d1]; add.u32 %s, %s, %r2; mad.lo.u32 %r2, %r1, 16, %r2;\n"
                 /* 8 l + c: two to a word */
                 "mad.lo.u32 %r3, %r1, 0x80008, 0x10000; add.u32 %r4, %r3, 0x20002;\n"
                 "add.u32 %r5, %r4, 0x20002; add.u32 %r6, %r5, 0x20002;\n"
                 "st.shared.v4.u32 [%r2+16], {%r3, %r4, %r5, %r6}; bar.warp.sync -1;\n"
                 /* 1000 (n + 1) + 2 l, and 1 more */
                 "mad.lo.u32 %a0, %r1, 0x20002, 0x3e903e8; add.u32 %a1, %a0, 0x3e803e8;\n"
                 "add.u32 %a2, %a1, 0x3e803e8; add.u32 %a3, %a2, 0x3e803e8;\n",
                 rows[k].op, operands,
                 "bar.warp.sync -1; ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2+16];\n"
                 "st.global.v4.u32 [%d2], {%a0, %a1, %a2, %a3};\n"
                 "st.global.v4.u32 [%d2+16], {%r3, %r4, %r5, %r6};\nret;\n}\n");
        for (unsigned l = 0; l < LANES; l++) {
            in[l] = l < 8 * rows[k].count ? (5 * l + 3) % 32 * 16 : 0x7ffffff1;
            for (unsigned c = 0; c < 8; c++) want_row[l][c] = (uint16_t)(8 * l + c);
            for (unsigned n = 0; n < 4; n++)
                want_reg[l][n] = (1000 * (n + 1) + 2 * l) * 0x10001 + 0x10000;
        }
        for (unsigned n = 0; n < rows[k].count; n++)
            for (unsigned l = 0; l < LANES; l++)
                for (unsigned e = 0; e < 2; e++) {
                    unsigned r = rows[k].trans ? l % 4 * 2 + e : l / 4,
                             c = rows[k].trans ? l / 4 : l % 4 * 2 + e,
                             at = (5 * (8 * n + r) + 3) % 32;
                    uint32_t v = 8 * at + c, *to = &want_reg[l][n];
                    if (rows[k].store) want_row[at][c] = (uint16_t)(*to >> 16 * e);
                    else *to = e ? (*to & 0xffff) | v << 16 : v;
                }
        bool ran = run_text(text, in, sizeof in, out, sizeof out, NULL);
        for (unsigned l = 0; l < LANES; l++)
            memcpy(reg[l], out[l], 16), memcpy(row[l], out[l] + 16, 16);
        check_that(ran && !memcmp(reg, want_reg, sizeof reg), __FILE__, __LINE__, rows[k].op,
                   "registers");
        check_that(ran && !memcmp(row, want_row, sizeof row), __FILE__, __LINE__, rows[k].op,
                   "shared memory");
    }
}

/* wmma.load, .mma and .store (PTX ISA 9.7.14.4): D = A B + C of small whole numbers, each matrix by
 * rows or by columns with a stride of its own; between them nothing is written. And the requests.
 * */
static void wmma_memory(void) {
    enum { A_AT = 0, B_AT = 2048, C_AT = 8192, ALL = 16384 };
    static const unsigned shapes[3][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
    static const uint16_t half[5] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000}; /* -2 to 2 */
    static const char begin[] =
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pi, .param "
        ".u64 po)\n{\n.reg .pred %p; .reg .b32 %a<8>, %b<8>, %s<5>; .reg .f32 %c<8>; .reg .b64 "
        "%d<6>;\n.shared .align 32 .b8 place[32768];\nld.param.u64 %d1, [pi]; ld.param.u64 %d2, "
        "[po]; ld.global.u8 %s0, [%d1+16380]; mov.u32 %s1, place; add.u32 %s2, %s1, 16384;\n";
    /* both arrays to shared memory, 16 bytes a lane, and the second one back */
    static const char copy_in[] =
        "mov.u32 %s3, %tid.x; shl.b32 %s3, %s3, 4;\nIN: cvt.u64.u32 %d3, %s3; add.u64 %d4, %d1, "
        "%d3; add.u64 %d5, %d2, %d3; add.u32 %s4, %s1, %s3;\n"
        "ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%d4]; ld.global.v4.u32 {%a4, %a5, %a6, %a7}, "
        "[%d5];\nst.shared.v4.u32 [%s4], {%a0, %a1, %a2, %a3}; st.shared.v4.u32 [%s4+16384], {%a4, "
        "%a5, %a6, %a7};\n"
        "add.u32 %s3, %s3, 512; setp.lt.u32 %p, %s3, 16384; @%p bra IN;\nbar.warp.sync -1;\n";
    static const char copy_out[] =
        "bar.warp.sync -1;\nmov.u32 %s3, %tid.x; shl.b32 %s3, %s3, 4;\nOUT: cvt.u64.u32 %d3, %s3; "
        "add.u64 %d5, %d2, %d3; add.u32 %s4, %s2, %s3;\n"
        "ld.shared.v4.u32 {%a0, %a1, %a2, %a3}, [%s4]; st.global.v4.u32 [%d5], {%a0, %a1, %a2, "
        "%a3};\nadd.u32 %s3, %s3, 512; setp.lt.u32 %p, %s3, 16384; @%p bra OUT;\n";
    static uint8_t in[ALL];
    static float out[ALL / 4];
    for (unsigned x = 0; x < 2 * 3 * 16; x++) {
        unsigned m = shapes[x / 32][0], n = shapes[x / 32][1], k = shapes[x / 32][2];
        bool ac = x & 1, bc = x & 2, cc = x & 4, dc = x & 8, near = x & 16;
        unsigned la = (ac ? m : k) + 8, lb = (bc ? k : n) + 8, lc = (cc ? m : n) + 4,
                 ld = (dc ? m : n) + 12;
        int a[32][16], b[16][32], c[32][32];
        char text[3000], shape[20], what[60];
        memset(in, 0x7e, sizeof in); /* no number */
        for (unsigned i = 0; i < 32; i++)
            for (unsigned j = 0; j < 32; j++) {
                unsigned va = (unsigned)(random_bits() % 5), vb = (unsigned)(random_bits() % 5);
                float vc = (float)(c[i][j] = (int)(random_bits() % 99));
                if (i < m && j < k) {
                    a[i][j] = (int)va - 2;
                    memcpy(in + A_AT + 2 * (ac ? j * la + i : i * la + j), &half[va], 2);
                }
                if (i < k && j < n) {
                    b[i][j] = (int)vb - 2;
                    memcpy(in + B_AT + 2 * (bc ? j * lb + i : i * lb + j), &half[vb], 2);
                }
                if (i < m && j < n) memcpy(in + C_AT + 4 * (cc ? j * lc + i : i * lc + j), &vc, 4);
            }
        snprintf(shape, sizeof shape, "m%un%uk%u", m, n, k);
        const char *al = ac ? "col" : "row", *bl = bc ? "col" : "row", *cl = cc ? "col" : "row",
                   *dl = dc ? "col" : "row", *space = near ? "shared" : "global",
                   *from = near ? "%s1" : "%d1", *to = near ? "%s2" : "%d2";
        char of[3][80];
        for (unsigned f = 0; f < 3; f++) list(of[f], sizeof of[f], "abc"[f], 0, 8, 0);
        in[ALL - 4] = (uint8_t)la; /* the stride of A comes in a register */
        snprintf(text, sizeof text,
                 "%s%s"
                 "wmma.load.a.sync.aligned.%s.%s.%s.f16 %s, [%s], %%s0;\n"
                 "wmma.load.b.sync.aligned.%s.%s.%s.f16 %s, [%s+%d], %u;\n"
                 "wmma.load.c.sync.aligned.%s.%s.%s.f32 %s, [%s+%d], %u;\n"
                 "wmma.mma.sync.aligned.%s.%s.%s.f32.f32 %s, %s, %s, %s;\n"
                 "wmma.store.d.sync.aligned.%s.%s.%s.f32 [%s+64], %s, %u;\n%sret;\n}\n",
                 begin, near ? copy_in : "", al, shape, space, of[0], from, bl, shape, space, of[1],
                 from, B_AT, lb, cl, shape, space, of[2], from, C_AT, lc, al, bl, shape, of[2],
                 of[0], of[1], of[2], dl, shape, space, to, of[2], ld, near ? copy_out : "");
        sim_counters counted;
        bool ran = run_text(text, in, sizeof in, out, sizeof out, &counted);
        unsigned wrong = 0, set = 0;
        for (unsigned i = 0; i < m; i++)
            for (unsigned j = 0; j < n; j++) {
                int sum = c[i][j];
                for (unsigned e = 0; e < k; e++) sum += a[i][e] * b[e][j];
                wrong += out[16 + (dc ? j * ld + i : i * ld + j)] != (float)sum;
            }
        for (unsigned i = 0; i < ALL / 4; i++) {
            uint32_t v;
            memcpy(&v, &out[i], 4);
            set += v != 0xeeeeeeee;
        }
        snprintf(what, sizeof what, "%s a.%s b.%s c.%s d.%s .%s", shape, al, bl, cl, dl, space);
        check_that(ran && !wrong && set == m * n, __FILE__, __LINE__, what, "sums or places");
        /* A and B: 64 halves a request, whichever way they lie: an H200 counts 8 for both matrices
         * of 16 x 16 (hgemm wmma_global of tests/truth/inference.cu). C: neighbours in pairs. The
         * stride is one more. */
        if (!near)
            CHECK_INT(counted.gld_requests, m * k / 64 + k * n / 64 + m * n / (cc ? 32 : 64) + 1);
    }
}

/* A warp that loads a matrix and stores it again: from memory that nobody has read the store waits
 * as long as DRAM takes (sim_profile.lat_dram); from shared memory, which answers much sooner, it
 * does not. */
static void wmma_time(void) {
    static const char *const space[] = {"global", "shared"};
    const sim_profile *p = sim_profile_find("h200");
    double least = p->kernel_us + p->lat_dram / p->clock_ghz * 1e-3;
    for (unsigned k = 0; k < 2; k++) {
        char text[1200];
        lib_message msg = {0};
        sim_options o;
        sim_options_default(&o);
        o.check_uninit = false;
        snprintf(
            text, sizeof text,
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry t(.param .u64 in) {\n"
            ".reg .b64 %%d<3>; .reg .f32 %%f<8>; .shared .align 32 .b8 s[1024];\n"
            "ld.param.u64 %%d1, [in];\n"
            "wmma.load.c.sync.aligned.row.m16n16k16.%s.f32 "
            "{%%f0, %%f1, %%f2, %%f3, %%f4, %%f5, %%f6, %%f7}, [%s];\n"
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%%d1], "
            "{%%f0, %%f1, %%f2, %%f3, %%f4, %%f5, %%f6, %%f7};\nret; }\n",
            space[k], k ? "s" : "%d1");
        sim_device *d = sim_device_new(p, &o, &msg);
        sim_module *m = d ? assembled_module(d, "h200", text) : NULL;
        sim_addr at = 0;
        sim_result r = {0};
        sim_launch l = {.kernel = m ? sim_module_kernel(m, "t") : NULL,
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .params = &at,
                        .param_bytes = sizeof at};
        bool ok = m && !sim_malloc(d, 1024, &at) && sim_run(d, &l, &r, &msg) == SIM_OK;
        check_that(ok, __FILE__, __LINE__, space[k], said(&msg));
        char why[80];
        snprintf(why, sizeof why, "%.4f us, DRAM alone %.4f", r.time_us, least);
        check_that(r.by_machine_code && (r.time_us >= least) == !k, __FILE__, __LINE__, space[k],
                   why);
        sim_result_free(&r);
        sim_module_free(m);
        sim_device_free(d);
    }
}

/* Each instruction set's results are those of the plain path. */
static void compare(const program *p) {
    bool ok = run(SIM_ISA_base, p);
    unsigned differ = 0;
    for (int s = SIM_ISA_base + 1; ok && s < SIM_ISA_COUNT; s++) {
        if (!sim_isa_runs((sim_isa)s)) continue;
        ok = run((sim_isa)s, p);
        for (unsigned r = 0; ok && r < ROUNDS; r++)
            if (memcmp(outputs[s][r], outputs[SIM_ISA_base][r], sizeof outputs[s][r])) differ++;
    }
    char why[80];
    snprintf(why, sizeof why, ok ? "%u rounds have other bits" : "does not run", differ);
    check_that(ok && !differ, __FILE__, __LINE__, p->insn, why);
}

/* What A and B are as numbers may be kept from one product to the next (tensor_path.inc): the same
 * words in another type or shape, or with one bit of one lane changed, are others. */
static void again(void) {
    static const group others[] = {{false, "m16n8k16", "f16", "f16", "f32", "f32", ""},
                                   {false, "m16n8k16", "bf16", "bf16", "f32", "f32", ""},
                                   {false, "m16n8k16", "f16", "f16", "f16", "f16", ""},
                                   {false, "m16n8k8", "f16", "f16", "f32", "f32", ""},
                                   {false, "m16n8k8", "bf16", "bf16", "f32", "f32", ""},
                                   {false, "m16n8k8", "tf32", "tf32", "f32", "f32", ""},
                                   {false, "m16n8k16", "e4m3", "e4m3", "f32", "f32", ""},
                                   {false, "m16n8k32", "e4m3", "e4m3", "f32", "f32", ""},
                                   {false, "m16n8k32", "e4m3", "e5m2", "f32", "f32", ""},
                                   {false, "m16n8k32", "e5m2", "e5m2", "f16", "f16", ""},
                                   {true, "m16n16k16", "f16", "f16", "f32", "f32", ""},
                                   {true, "m8n32k16", "f16", "f16", "f32", "f32", ""},
                                   {true, "m32n8k16", "f16", "f16", "f32", "f32", ""}};
    static program p;
    static fragments first;
    draw(&others[0]);
    memcpy(first, inputs[1], sizeof first); /* numbers of like size */
    for (unsigned x = 0; x < sizeof others / sizeof *others; x++) {
        write_program(&p, &others[x], others[x].shapes);
        for (unsigned r = 0; r < ROUNDS; r++) {
            memcpy(inputs[r], first, sizeof first);
            if (r % 4 == 0 || r % 4 == 3) continue; /* so are the last round and the first */
            unsigned reg = r % 4 == 1 ? r / 4 % p.na : 8 + r / 4 % p.nb;
            inputs[r][random_bits() % LANES][reg] ^= 1ull << random_bits() % 32;
        }
        compare(&p);
    }
}

int main(void) {
    static program p;
    for (unsigned x = 0; x < sizeof groups / sizeof *groups; x++) {
        const group *g = &groups[x];
        char shapes[80];
        snprintf(shapes, sizeof shapes, "%s", g->shapes);
        for (char *save, *shape = strtok_r(shapes, " ", &save); shape;
             shape = strtok_r(NULL, " ", &save)) {
            write_program(&p, g, shape);
            draw(g);
            compare(&p);
        }
    }
    again();
    figure();
    bits();
    apart();
    matrix_rows();
    wmma_memory();
    if (assembled_here("the time of wmma")) wmma_time();
    return check_done();
}
