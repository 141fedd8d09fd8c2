/* Loads, stores and atomics: every ld, st, atom and red of tests/ptx/coverage.txt is executed by 32
 * lanes, each on 64 bytes of its own, and what it leaves in registers and memory compared with what
 * the ISA says of its words: space, vector, type, operation. */
#include "runner/base/message.h"
#include "check.h"
#include "tests/said.h"
#include "ptx_fixture.h"
#include "runner/device/sim/sim.h"
#include <stdarg.h>
#include <stdint.h>

enum { LANES = 32, EACH = 64, BYTES = LANES * EACH };
static sim_device *d;
static sim_addr in, out;
static uint8_t from[BYTES], before[BYTES], got[BYTES], want[BYTES];
static uint64_t seed = 88172645463325252u;

static uint64_t draw(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

typedef struct {
    char words[96], *word[10];
    unsigned count, size, vec, reg; /* bytes of an element, elements, bytes of a register */
    char kind;                      /* u s b f, h for f16x2 */
    const char *space, *name;       /* name of its registers: h r d f fd */
} form;

static bool has(const form *f, const char *w) {
    for (unsigned i = 0; i < f->count; i++)
        if (!strcmp(f->word[i], w)) return true;
    return false;
}

static void read_form(form *f, const char *line, size_t len) {
    *f = (form){.vec = 1, .space = ""};
    size_t n = strcspn(line, " ");
    snprintf(f->words, sizeof f->words, "%.*s", (int)(n < len ? n : len), line);
    for (char *w = strtok(f->words, "."); w && f->count < 10; w = strtok(NULL, "."))
        f->word[f->count++] = w;
    const char *type = f->word[f->count - 1];
    static const char *const spaces[] = {"global", "shared", "local", "const", "param"};
    for (unsigned i = 0; i < 5; i++)
        if (has(f, spaces[i])) f->space = spaces[i];
    if (has(f, "v2")) f->vec = 2;
    if (has(f, "v4")) f->vec = 4;
    f->kind = strcmp(type, "f16x2") ? type[0] : 'h';
    f->size = f->kind == 'h' ? 4 : (unsigned)atoi(type + 1) / 8;
    f->reg = f->size < 2 ? 2 : f->size;
    f->name = f->kind == 'f' ? (f->size == 8 ? "fd" : "f")
              : f->size == 8 ? "x"
              : f->size == 4 ? "r"
                             : "h";
}

/* Text at *p on. */
static void add(char **p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(char **p, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    *p += vsprintf(*p, fmt, ap);
    va_end(ap);
}

/* 64 bytes of a lane between memory and the space under test. */
static void copy(char **p, const char *to_space, const char *to, const char *from_space,
                 const char *source) {
    for (int i = 0; i < EACH; i += 8)
        add(p, "ld%s.b64 %%d9, [%s+%d]; st%s.b64 [%s+%d], %%d9;\n", from_space, source, i, to_space,
            to, i);
}

static bool run(const form *f, const char *body) {
    static char text[20000];
    char *p = text;
    bool near = !strcmp(f->space, "shared") || !strcmp(f->space, "local"),
         load = !strcmp(f->word[0], "ld");
    char space[16];
    snprintf(space, sizeof space, ".%s", f->space);
    add(&p,
        ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 16 .b8 constants[%d];\n"
        ".entry k(.param .u64 in, .param .u64 out, .param .align 16 .b8 block[64]) {\n"
        ".reg .b16 %%h<8>; .reg .b32 %%r<9>; .reg .b64 %%d<10>, %%x<9>; .reg .f32 %%f<9>; .reg "
        ".f64 "
        "%%fd<9>;\n"
        ".shared .align 16 .b8 there[%d]; .local .align 16 .b8 mine[64];\n"
        "ld.param.u64 %%d2, [in]; ld.param.u64 %%d3, [out]; mov.u32 %%r8, %%tid.x; mul.wide.u32 "
        "%%d4, %%r8, "
        "64;\n"
        "add.u64 %%d2, %%d2, %%d4; add.u64 %%d3, %%d3, %%d4;\n",
        BYTES, BYTES);
    const char *at = load ? "%d2" : "%d3";
    if (!strcmp(f->space, "shared")) add(&p, "mov.u64 %%d0, there; add.u64 %%d0, %%d0, %%d4;\n");
    else if (!strcmp(f->space, "local")) add(&p, "mov.u64 %%d0, mine;\n");
    else if (!strcmp(f->space, "const"))
        add(&p, "mov.u64 %%d0, constants; add.u64 %%d0, %%d0, %%d4;\n");
    else if (strcmp(f->space, "param")) add(&p, "mov.u64 %%d0, %s;\n", at);
    if (near) copy(&p, space, "%d0", ".global", at);
    add(&p, "%s", body);
    if (near && !load) copy(&p, ".global", "%d3", space, "%d0");
    add(&p, "ret; }\n");
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
    sim_addr c;
    uint64_t n;
    struct {
        uint64_t in, out;
        uint8_t block[64];
    } params = {in, out, {0}};
    memcpy(params.block, from, 64);
    sim_result r = {0};
    bool ok = k && sim_module_symbol(m, "constants", &c, &n) == SIM_OK &&
              sim_write(d, c, from, BYTES) == SIM_OK && sim_write(d, in, from, BYTES) == SIM_OK &&
              sim_write(d, out, before, BYTES) == SIM_OK;
    sim_launch l = {.kernel = k,
                    .grid = {1, 1, 1},
                    .block = {LANES, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    ok = ok && sim_run(d, &l, &r, &msg) == SIM_OK && r.finding_count == 0 &&
         sim_read(d, got, out, BYTES) == SIM_OK;
    if (!ok) printf("# %s%s\n", said(&msg), r.finding_count ? said(&r.findings[0].said) : "");
    sim_result_free(&r);
    sim_module_free(m);
    return ok;
}

/* "{%r0, %r1}" */
static void list(char **p, const form *f) {
    if (f->vec > 1) add(p, "{");
    for (unsigned k = 0; k < f->vec; k++) add(p, "%s%%%s%u", k ? ", " : "", f->name, k);
    if (f->vec > 1) add(p, "}");
}

static void load(const form *f, const char *op, char *p) {
    char operand[64], *q = operand;
    list(&q, f);
    add(&p, "%s %s, [%s];\n", op, operand, strcmp(f->space, "param") ? "%d0" : "block");
    for (unsigned k = 0; k < f->vec; k++)
        add(&p, "st.global.%c%u [%%d3+%u], %%%s%u;\n", f->kind == 'f' ? 'f' : 'b', 8 * f->reg,
            8 * k, f->name, k);
    memcpy(want, before, BYTES);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < f->vec; k++) {
            int64_t v = 0;
            memcpy(&v, from + (strcmp(f->space, "param") ? l * EACH : 0) + k * f->size, f->size);
            if (f->kind == 's')
                v = (int64_t)((uint64_t)v << (64 - 8 * f->size)) >> (64 - 8 * f->size);
            memcpy(want + l * EACH + 8 * k, &v, f->reg);
        }
}

static void store(const form *f, const char *op, char *p) {
    for (unsigned k = 0; k < f->vec; k++)
        add(&p, "ld.global.%c%u %%%s%u, [%%d2+%u];\n", f->kind == 'f' ? 'f' : 'b', 8 * f->reg,
            f->name, k, 8 * k);
    char operand[64], *q = operand;
    list(&q, f);
    add(&p, "%s [%%d0], %s;\n", op, operand);
    memcpy(want, before, BYTES);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < f->vec; k++)
            memcpy(want + l * EACH + k * f->size, from + l * EACH + 8 * k, f->size);
}

static float half(uint16_t h) { /* of a small integer */
    unsigned e = h >> 10 & 31;
    float v = e ? (float)(1024 + (h & 1023)) : 0;
    for (; e > 25; e--) v *= 2;
    for (; e && e < 25; e++) v /= 2;
    return h >> 15 ? -v : v;
}
static uint16_t to_half(float v) {
    if (v == 0) return 0;
    unsigned e = 25, sign = v < 0;
    if (sign) v = -v;
    while (v < 1024) v *= 2, e--;
    return (uint16_t)(sign << 15 | e << 10 | ((unsigned)v & 1023));
}

static uint64_t atomic(const form *f, uint64_t old, uint64_t b, uint64_t c) {
    bool wide = f->size == 8, sign = f->kind == 's';
    if (f->kind == 'h') {
        uint64_t r = 0;
        for (int s = 0; s < 32; s += 16)
            r |= (uint64_t)to_half(half((uint16_t)(old >> s)) + half((uint16_t)(b >> s))) << s;
        return r;
    }
    if (f->kind == 'f' && wide) {
        double x, y;
        memcpy(&x, &old, 8), memcpy(&y, &b, 8), x += y, memcpy(&old, &x, 8);
        return old;
    }
    if (f->kind == 'f') {
        float x, y;
        memcpy(&x, &old, 4), memcpy(&y, &b, 4), x += y, old = 0, memcpy(&old, &x, 4);
        return old;
    }
    int64_t so = wide ? (int64_t)old : (int32_t)old, sb = wide ? (int64_t)b : (int32_t)b;
    bool less = sign ? sb < so : b < old;
    if (has(f, "add")) return old + b;
    if (has(f, "min")) return less ? b : old;
    if (has(f, "max")) return less ? old : b;
    if (has(f, "inc")) return old >= b ? 0 : old + 1;
    if (has(f, "dec")) return old == 0 || old > b ? b : old - 1;
    if (has(f, "and")) return old & b;
    if (has(f, "or")) return old | b;
    if (has(f, "xor")) return old ^ b;
    if (has(f, "exch")) return b;
    if (has(f, "cas")) return old == b ? c : old;
    check_that(0, __FILE__, __LINE__, "an atomic that this test knows", f->word[1]);
    return 0;
}

static void atom(const form *f, const char *op, char *p) {
    bool red = !strcmp(f->word[0], "red"), cas = has(f, "cas");
    char t = f->kind == 'f' ? 'f' : 'b';
    unsigned bits = 8 * f->size;
    add(&p, "ld.global.%c%u %%%s1, [%%d2]; ld.global.%c%u %%%s2, [%%d2+8];\n", t, bits, f->name, t,
        bits, f->name);
    if (red) add(&p, "%s [%%d0], %%%s1;\n", op, f->name);
    else
        add(&p, "%s %%%s0, [%%d0], %%%s1%s%s%s;\n", op, f->name, f->name, cas ? ", %" : "",
            cas ? f->name : "", cas ? "2" : "");
    if (!red)
        add(&p, "st%s%s.%c%u [%%d0+8], %%%s0;\n", *f->space ? "." : "", f->space, t, bits, f->name);
    for (unsigned l = 0; l < LANES; l++) { /* the word in memory, b, c */
        uint64_t v[3] = {draw(), draw(), draw()};
        for (int i = 0; i < 3; i++) {
            int small = (int)(v[i] >> 40) % 1000;
            double x = small;
            float y = (float)small;
            if (f->kind == 'f' && f->size == 8) memcpy(&v[i], &x, 8);
            else if (f->kind == 'f') v[i] = 0, memcpy(&v[i], &y, 4);
            else if (f->kind == 'h')
                v[i] = to_half((float)small) | (uint64_t)to_half((float)-small) << 16;
            else if (f->size == 4) v[i] &= 0xffffffff;
        }
        if (l % 2 && (cas || has(f, "inc") || has(f, "dec"))) v[1] = v[0];
        if (l % 8 == 2 && has(f, "dec")) v[0] = 0;
        memcpy(before + l * EACH, &v[0], 8);
        memcpy(from + l * EACH, &v[1], 16);
        memcpy(want + l * EACH, before + l * EACH, EACH);
        uint64_t r = atomic(f, v[0], v[1], v[2]);
        memcpy(want + l * EACH, &r, f->size);
        if (!red) memcpy(want + l * EACH + 8, &v[0], f->size);
    }
}

static void execute(const char *line, size_t len, void *user) {
    static char body[4096];
    static const char *const families[] = {"ld.", "st.", "atom.", "red."};
    bool mine = false;
    for (unsigned i = 0; i < 4; i++) mine |= !strncmp(line, families[i], strlen(families[i]));
    if (!mine || !strncmp(line, "st.param", 8)) return; /* what calls pass: test_behave.c */
    char op[96];
    size_t n = strcspn(line, " ");
    snprintf(op, sizeof op, "%.*s", (int)(n < len ? n : len), line);
    form f;
    read_form(&f, line, len);
    for (unsigned i = 0; i < BYTES; i++)
        from[i] = (uint8_t)(draw() >> 32), before[i] = (uint8_t)(draw() >> 40);
    if (!strcmp(f.word[0], "ld")) load(&f, op, body);
    else if (!strcmp(f.word[0], "st")) store(&f, op, body);
    else atom(&f, op, body);
    bool ok = run(&f, body);
    char why[120] = "it does not run";
    for (unsigned i = 0; ok && i < BYTES; i++)
        if (got[i] != want[i]) {
            snprintf(why, sizeof why, "lane %u byte %u is 0x%02x, not 0x%02x", i / EACH, i % EACH,
                     got[i], want[i]);
            ok = false;
        }
    check_that(ok, __FILE__, __LINE__, op, ok ? "" : why);
    ++*(unsigned *)user;
}

int main(void) {
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d && sim_malloc(d, BYTES, &in) == SIM_OK && sim_malloc(d, BYTES, &out) == SIM_OK);
    unsigned done = 0;
    each_line("tests/ptx/coverage.txt", execute, &done);
    CHECK(done > 180);
    sim_device_free(d);
    return check_done();
}
