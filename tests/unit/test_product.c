/* mma.sync, mma.sp (PTX ISA 9.7.14.5 and .6) and wgmma.mma_async.sp (9.7.15.6) on small whole
 * numbers, on each of the host's instruction sets: A, or the half of it that is held, with its
 * metadata, is placed as the ISA's figures have it, and the sums are taken here over A in full.
 * What a sparsity selector leaves out of the metadata is any bits. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/sim.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 128, N = 8, MOST_K = 128, FROM_B = 2048 };

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
    {"s4", 4, {0xe, 0xf, 0, 1, 2, 3}},
    {"u4", 4, {0, 0, 0, 1, 2, 3}}};

/* How: mma with 8 and with 16 rows; mma.sp whose places come in any order, and whose rise; wgmma.sp
 * with A in registers and in shared memory. */
typedef enum { EIGHT, DENSE, ANY, ORDERED, REGISTERS, SHARED } form;
typedef struct {
    form form;
    unsigned k;
    const char *d, *a, *b;
    bool sat;
} row;
static const row rows[] = {
    {DENSE, 8, "f32", "f16", "f16", false},        {DENSE, 16, "f32", "f16", "f16", false},
    {DENSE, 8, "f16", "f16", "f16", false},        {DENSE, 16, "f16", "f16", "f16", false},
    {DENSE, 8, "f32", "bf16", "bf16", false},      {DENSE, 16, "f32", "bf16", "bf16", false},
    {DENSE, 4, "f32", "tf32", "tf32", false},      {DENSE, 8, "f32", "tf32", "tf32", false},
    {DENSE, 32, "f32", "e4m3", "e5m2", false},     {DENSE, 32, "f32", "e5m2", "e4m3", false},
    {EIGHT, 16, "s32", "s8", "s8", false},         {EIGHT, 16, "s32", "u8", "s8", true},
    {DENSE, 16, "s32", "s8", "u8", true},          {DENSE, 16, "s32", "u8", "u8", false},
    {DENSE, 32, "s32", "s8", "s8", false},         {DENSE, 32, "s32", "s8", "s8", true},
    {EIGHT, 32, "s32", "s4", "u4", true},          {EIGHT, 32, "s32", "u4", "s4", false},
    {DENSE, 32, "s32", "s4", "s4", true},          {DENSE, 32, "s32", "u4", "u4", false},
    {DENSE, 64, "s32", "s4", "s4", false},         {DENSE, 64, "s32", "u4", "s4", true},
    {ANY, 16, "f32", "f16", "f16", false},         {ANY, 32, "f32", "f16", "f16", false},
    {ANY, 16, "f16", "f16", "f16", false},         {ORDERED, 32, "f16", "f16", "f16", false},
    {ORDERED, 16, "f32", "bf16", "bf16", false},   {ANY, 32, "f32", "bf16", "bf16", false},
    {ANY, 8, "f32", "tf32", "tf32", false},        {ORDERED, 16, "f32", "tf32", "tf32", false},
    {ORDERED, 32, "s32", "s8", "s8", false},       {ANY, 64, "s32", "u8", "s8", true},
    {ANY, 32, "s32", "u8", "u8", false},           {ANY, 64, "s32", "s8", "u8", false},
    {ANY, 64, "f32", "e4m3", "e5m2", false},       {ORDERED, 64, "f32", "e5m2", "e4m3", false},
    {ANY, 64, "s32", "s4", "s4", false},           {ORDERED, 128, "s32", "u4", "s4", true},
    {REGISTERS, 32, "f32", "f16", "f16", false},   {SHARED, 32, "f32", "f16", "f16", false},
    {REGISTERS, 32, "f16", "f16", "f16", false},   {SHARED, 32, "f32", "bf16", "bf16", false},
    {REGISTERS, 16, "f32", "tf32", "tf32", false}, {SHARED, 16, "f32", "tf32", "tf32", false},
    {REGISTERS, 64, "f32", "e4m3", "e4m3", false}, {SHARED, 64, "f16", "e5m2", "e4m3", false},
    {REGISTERS, 64, "s32", "s8", "u8", false},     {SHARED, 64, "s32", "u8", "s8", true}};

typedef struct {
    struct {
        uint32_t a[4], b[4], c[4], metadata, none[3];
    } of[THREADS];
    uint8_t shared[THREADS * 32]; /* A, and B from FROM_B on */
} input;
static input in;
static uint32_t out[THREADS][4];
static int A[64][MOST_K], B[MOST_K][N];
static int64_t C[64][N];

static const type *find(const char *name) {
    const type *t = types;
    while (strcmp(t->name, name)) t++;
    return t;
}
static uint32_t draw(uint32_t below) {
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (uint32_t)(s >> 32) % below;
}
static int number(const type *t, uint32_t *bits) {
    unsigned at = t->name[0] == 'u' ? 2 + draw(4) : draw(6);
    *bits = t->of[at];
    return (int)at - 2;
}
static bool dense(const row *r) {
    return r->form <= DENSE;
}
/* C and D of a thread are the first of these elements. */
static unsigned elements(const row *r) {
    return r->form == EIGHT ? 2 : 4;
}
static uint32_t sum_bits(const char *d, int64_t v) {
    float f = (float)v;
    uint32_t x;
    memcpy(&x, &f, 4);
    if (!strcmp(d, "s32")) return (uint32_t)v;
    if (!strcmp(d, "f32") || !v) return x;
    return (x >> 31 << 15) | ((x >> 23 & 0xff) - 112) << 10 | (x >> 13 & 0x3ff); /* exact here */
}

/* Element `k` of row or column `at` in shared memory: K-major, no swizzle; the 16-byte pieces of
 * eight of them lie together, those of the next eight follow, and those further along K come behind
 * all `count`. */
static void to_shared(uint8_t *to, unsigned at, unsigned count, unsigned k, unsigned bits,
                      uint32_t v) {
    unsigned byte = k * bits / 8;
    memcpy(to + byte / 16 * count * 16 + at * 16 + byte % 16, &v, bits / 8);
}

/* Draws A, B, C and metadata. */
static void fill(const row *r, unsigned selector) {
    const type *ta = find(r->a), *tb = find(r->b);
    unsigned bits = ta->bits, per = 32 / bits, unit = bits < 16 ? 8 : 16,
             half = dense(r) ? r->k : r->k / 2, chunks = half * bits / unit / 2, lanes = chunks / 4;
    uint32_t v;
    memset(A, 0, sizeof A);
    memset(&in, 0, sizeof in);
    for (unsigned t = 0; t < THREADS; t++) in.of[t].metadata = draw(UINT32_MAX);
    for (unsigned i = 0; i < 64; i++) {
        if (r->form == EIGHT && i % 16 > 7) continue;
        unsigned warp = i / 16 * 32, g = i % 8, below = i % 16 / 8, place[16][2];
        for (unsigned c = 0; c < chunks && !dense(r); c++) {
            unsigned first = draw(4), second = (first + 1 + draw(3)) % 4, low, bit;
            if (bits == 32) first = first / 2 * 2, second = first + 1;
            if (r->form != ANY && first > second) low = first, first = second, second = low;
            place[c][0] = first, place[c][1] = second;
            low = unit == 16 ? c / 4 : below + c / 8 * 2;
            bit = unit == 16 ? c % 4 * 4 + below * 16 : c % 8 * 4;
            uint32_t *to = &in.of[warp + 4 * g + selector * lanes + low].metadata;
            *to = (*to & ~(15u << bit)) | (first | second << 2) << bit;
        }
        for (unsigned j = 0; j < half; j++) { /* as it is held, and where that is in full */
            unsigned full, n = unit / bits, u = n ? j / n : 0;
            if (dense(r)) full = j;
            else if (bits == 32) full = 2 * j + place[j][0] / 2;
            else full = (u / 2 * 4 + place[u / 2][u % 2]) * n + j % n;
            A[i][full] = number(ta, &v);
            unsigned word = j / per;
            in.of[warp + 4 * g + word % 4].a[below + word / 4 * 2] |= v << j % per * (bits % 32);
            if (r->form == SHARED) to_shared(in.shared, i, 64, j, bits, v);
        }
    }
    for (unsigned k = 0; k < r->k; k++)
        for (unsigned j = 0; j < N; j++) {
            B[k][j] = number(tb, &v);
            unsigned word = k / per;
            in.of[4 * j + word % 4].b[word / 4] |= v << k % per * (bits % 32);
            if (r->form >= REGISTERS) to_shared(in.shared + FROM_B, j, N, k, bits, v);
        }
    bool narrow = !strcmp(r->d, "f16");
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned e = 0; e < 4; e++) {
            int c = (int)draw(200) - 100;
            /* of whole numbers some sums do not fit */
            if (r->d[0] == 's' && c % 3) c = c < 0 ? INT32_MIN - c : INT32_MAX - c;
            C[t / 32 * 16 + t % 32 / 4 + e / 2 * 8][t % 4 * 2 + e % 2] = c;
            in.of[t].c[narrow ? e / 2 : e] |= sum_bits(r->d, c) << (narrow ? e % 2 * 16 : 0);
        }
}

/* Sums that are not these. */
static unsigned wrong(const row *r) {
    unsigned bad = 0, threads = r->form < REGISTERS ? 32 : THREADS;
    bool narrow = !strcmp(r->d, "f16");
    for (unsigned t = 0; t < threads; t++)
        for (unsigned e = 0; e < elements(r); e++) {
            unsigned i = t / 32 * 16 + t % 32 / 4 + e / 2 * 8, j = t % 4 * 2 + e % 2;
            int64_t sum = C[i][j];
            for (unsigned k = 0; k < r->k; k++) sum += A[i][k] * B[k][j];
            if (r->sat) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            uint32_t got = narrow ? out[t][e / 2] >> e % 2 * 16 & 0xffff : out[t][e];
            bad += got != sum_bits(r->d, sum) && (sum || got << (narrow ? 17 : 1)); /* any zero */
        }
    return bad;
}

static void list(char *to, char letter, unsigned n) {
    to += sprintf(to, "{");
    for (unsigned k = 0; k < n; k++) to += sprintf(to, "%s%%%c%u", k ? ", " : "", letter, k);
    sprintf(to, "}");
}

static void write_insn(char *to, size_t room, const row *r, unsigned selector) {
    char a[40], b[40], c[40], tail[40] = "";
    unsigned bits = find(r->a)->bits;
    list(a, 'a', r->k * (r->form == DENSE ? 16 : 8) * bits / 1024);
    list(b, 'b', r->k * N * bits / 1024);
    list(c, 'c', !strcmp(r->d, "f16") ? 2 : elements(r));
    const char *sat = r->sat ? ".satfinite" : "";
    if (dense(r)) {
        snprintf(to, room, "mma.sync.aligned.m%un8k%u.row.col%s.%s.%s.%s.%s %s, %s, %s, %s;",
                 r->form == EIGHT ? 8 : 16, r->k, sat, r->d, r->a, r->b, r->d, c, a, b, c);
        return;
    }
    if (r->form < REGISTERS) {
        snprintf(to, room,
                 "mma.sp%s.sync.aligned.m16n8k%u.row.col%s.%s.%s.%s.%s %s, %s, %s, %s, "
                 "%%m, %u;",
                 r->form == ORDERED ? "::ordered_metadata" : "", r->k, sat, r->d, r->a, r->b, r->d,
                 c, a, b, c, selector);
        return;
    }
    if (r->d[0] == 'f') strcat(tail, ", 1, 1");
    if (bits == 16) strcat(tail, r->form == SHARED ? ", 0, 0" : ", 0");
    snprintf(to, room,
             "wgmma.mma_async.sp.sync.aligned.m64n8k%u.%s.%s.%s%s %s, %s, %%y, %%m, %u, "
             "%%p%s;",
             r->k, r->d, r->a, r->b, sat, c, r->form == SHARED ? "%x" : a, selector, tail);
}

static bool run(const char *insn, bool group) {
    char text[4096];
    lib_message msg = {0};
    sim_options o;
    sim_result result = {0};
    snprintf(text, sizeof text,
             ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pi, "
             ".param .u64 po)\n{\n.reg .pred %%p; .reg .b64 %%in, %%out, %%at, %%x, %%y;\n.reg "
             ".b32 %%t, %%o, %%m, %%a<4>, %%b<4>, %%c<4>, %%v<4>;\n.shared .align 128 .b8 "
             "room[4096];\nld.param.u64 %%in, [pi]; ld.param.u64 %%out, [po]; mov.u32 %%t, "
             "%%tid.x;\nmov.u32 %%o, room; shr.u32 %%m, %%o, 4; cvt.u64.u32 %%x, %%m;\n"
             /* the next eight 128 bytes on; the next 16 bytes of K behind 64 rows, or 8 columns */
             "add.s64 %%y, %%x, %u; or.b64 %%x, %%x, 0x800400000; or.b64 %%y, %%y, 0x800080000;\n"
             "mul.wide.u32 %%at, %%t, 32; add.u64 %%at, %%at, %%in; mad.lo.u32 %%o, %%t, 32, "
             "%%o;\n"
             "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%at+8192];\n"
             "st.shared.v4.u32 [%%o], {%%v0, %%v1, %%v2, %%v3};\n"
             "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%at+8208];\n"
             "st.shared.v4.u32 [%%o+16], {%%v0, %%v1, %%v2, %%v3};\n"
             "mul.wide.u32 %%at, %%t, 64; add.u64 %%in, %%in, %%at;\n"
             "ld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%in];\n"
             "ld.global.v4.u32 {%%b0, %%b1, %%b2, %%b3}, [%%in+16];\n"
             "ld.global.v4.u32 {%%c0, %%c1, %%c2, %%c3}, [%%in+32]; ld.global.u32 %%m, "
             "[%%in+48];\nsetp.lt.u32 %%p, %%t, 4096;\n%s%s%s\n"
             "mul.wide.u32 %%at, %%t, 16; add.u64 %%out, %%out, %%at;\n"
             "st.global.v4.u32 [%%out], {%%c0, %%c1, %%c2, %%c3};\nret;\n}\n",
             FROM_B / 16,
             group ? "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n" : "", insn,
             group ? "\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" : "");
    sim_options_default(&o);
    o.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = d ? sim_module_new(d, text, strlen(text), &mo, &msg) : NULL;
    sim_addr at[2];
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {group ? THREADS : 32, 1, 1},
                    .params = at,
                    .param_bytes = sizeof at};
    bool ok = l.kernel && !sim_malloc(d, sizeof in, &at[0]) && !sim_malloc(d, sizeof out, &at[1]) &&
              !sim_write(d, at[0], &in, sizeof in) && !sim_fill(d, at[1], 0, 4, sizeof out / 4) &&
              sim_run(d, &l, &result, &msg) == SIM_OK && !sim_read(d, out, at[1], sizeof out);
    if (!ok) printf("# %s %s\n", insn, said(&msg));
    if (result.finding_count) printf("# %s\n", said(&result.findings[0].said));
    ok &= !result.finding_count;
    sim_result_free(&result);
    sim_module_free(m);
    sim_device_free(d);
    return ok;
}

int main(void) {
    for (size_t x = 0; x < sizeof rows / sizeof *rows; x++) {
        const row *r = &rows[x];
        /* bits of metadata of a row; a lane has 32, for two rows */
        unsigned metadata = r->k * find(r->a)->bits / (find(r->a)->bits < 16 ? 8 : 16),
                 lanes = metadata * 2 / 32;
        for (unsigned selector = 0; selector < (dense(r) ? 1 : 4 / lanes); selector++) {
            char insn[300];
            write_insn(insn, sizeof insn, r, selector);
            for (int s = 0; s < SIM_ISA_COUNT; s++) {
                if (!sim_isa_runs((sim_isa)s)) continue;
                setenv("WARPLAB_SIM_ISA", sim_isa_name((sim_isa)s), 1);
                fill(r, selector);
                check_that(run(insn, r->form >= REGISTERS) && !wrong(r), __FILE__, __LINE__, insn,
                           sim_isa_name((sim_isa)s));
            }
        }
    }
    return check_done();
}
