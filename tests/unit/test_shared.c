/* Where shared variables lie: random modules against the rules at the head of layout.c, followed
 * the slow way (a closed relation of who reaches whom, one variable after another).
 *
 * - A variable of module scope, or of a device function, has one place in all kernels that reach a
 * function that
 *   uses it: behind all that was placed before in any of these kernels. First those of module scope
 *   as they are declared, then those of the functions, function by function.
 * - A kernel's own come behind, as they are declared. A kernel lists its own first, a device
 * function its own alone. - An unsized one is the dynamic shared memory: whoever reaches a function
 * that uses it uses it. */
#include <stdint.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

enum { FUNCS = 9, GLOBALS = 4, OWN = 2 };
typedef struct {
    unsigned align, bytes;
    uint64_t offset;
} variable;
static struct {
    unsigned n, globals;
    variable global[GLOBALS], own[FUNCS][OWN];
    unsigned owns[FUNCS];
    bool entry[FUNCS], indirect[FUNCS], taken[FUNCS], dynamic[FUNCS];
    bool calls[FUNCS][FUNCS], uses[FUNCS][GLOBALS], reaches[FUNCS][FUNCS];
} m;
static char text[16384];
static size_t at;

static uint64_t state;
static unsigned draw(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}
#define ADD(...) (at += (size_t)snprintf(text + at, sizeof text - at, __VA_ARGS__))

static variable draw_variable(void) {
    return (variable){.align = 1u << draw(8), .bytes = 1 + draw(200)};
}

static void make_module(void) {
    memset(&m, 0, sizeof m);
    at = 0;
    m.n = 1 + draw(FUNCS);
    m.globals = draw(GLOBALS + 1);
    ADD(".version 9.0\n.target sm_90\n.address_size 64\n.extern .shared .b8 dyn[];\n");
    for (unsigned v = 0; v < m.globals; v++) {
        m.global[v] = draw_variable();
        ADD(".shared .align %u .b8 g%u[%u];\n", m.global[v].align, v, m.global[v].bytes);
    }
    for (unsigned f = 0; f < m.n; f++) { /* their order */
        m.entry[f] = draw(2);
        ADD(".%s f%u();\n", m.entry[f] ? "entry" : "func", f);
    }
    for (unsigned f = 0; f < m.n; f++)
        if (!m.entry[f] && draw(4) == 0) {
            m.taken[f] = true;
            ADD(".global .u64 t%u[2] = {0, f%u};\n", f, f);
        }
    unsigned order[FUNCS];
    for (unsigned f = 0; f < m.n; f++) { /* of the bodies: any */
        unsigned k = draw(f + 1);
        order[f] = order[k], order[k] = f;
    }
    for (unsigned i = 0; i < m.n; i++) {
        unsigned f = order[i];
        ADD(".%s f%u() { .reg .b32 %%r<9>; .reg .b64 %%d<9>;\n", m.entry[f] ? "entry" : "func", f);
        m.owns[f] = draw(OWN + 1);
        for (unsigned k = 0; k < m.owns[f]; k++) {
            m.own[f][k] = draw_variable();
            ADD(".shared .align %u .b8 o%u%u[%u];\n", m.own[f][k].align, f, k, m.own[f][k].bytes);
            ADD("mov.u32 %%r1, o%u%u;\n", f, k);
        }
        for (unsigned v = 0; v < m.globals; v++) {
            if (draw(4)) continue;
            m.uses[f][v] = true;
            ADD(draw(2) ? "mov.u32 %%r1, g%u;\n" : "st.shared.b8 [g%u], %%r2;\n", v);
        }
        for (unsigned g = 0; g < m.n; g++) {
            if (m.entry[g]) continue;
            if (draw(5) == 0) m.calls[f][g] = true, ADD("call f%u;\n", g);
            if (draw(20) == 0) m.taken[g] = true, ADD("mov.u64 %%d1, f%u;\n", g);
        }
        if (draw(5) == 0) m.indirect[f] = true, ADD("P: .callprototype _ (); call %%d2, P;\n");
        if (draw(6) == 0) m.dynamic[f] = true, ADD("ld.shared.b8 %%r3, [dyn+4];\n");
        ADD("ret; }\n");
    }
}

static void close_reaches(void) {
    for (unsigned f = 0; f < m.n; f++)
        for (unsigned g = 0; g < m.n; g++)
            m.reaches[f][g] = f == g || m.calls[f][g] || (m.indirect[f] && m.taken[g]);
    for (unsigned k = 0; k < m.n; k++)
        for (unsigned f = 0; f < m.n; f++)
            for (unsigned g = 0; g < m.n; g++)
                m.reaches[f][g] |= m.reaches[f][k] && m.reaches[k][g];
}

static uint64_t place(variable *v, uint64_t top) {
    v->offset = (top + v->align - 1) / v->align * v->align;
    return v->offset + v->bytes;
}

/* A variable that the functions `user` use, in all kernels at once. */
static void place_in_all(variable *v, const char *name, const bool user[FUNCS], uint64_t top[FUNCS],
                         char lists[FUNCS][400]) {
    bool in[FUNCS] = {0};
    uint64_t offset = 0;
    for (unsigned k = 0; k < m.n; k++) {
        for (unsigned f = 0; f < m.n; f++) in[k] |= m.entry[k] && user[f] && m.reaches[k][f];
        if (in[k] && top[k] > offset) offset = top[k];
    }
    uint64_t end = place(v, offset);
    for (unsigned k = 0; k < m.n; k++) {
        if (!in[k]) continue;
        top[k] = end;
        size_t n = strlen(lists[k]);
        snprintf(lists[k] + n, 400 - n, " %s@%llu+%u", name, (unsigned long long)v->offset,
                 v->bytes);
    }
}

/* "f: BYTES [dynamic] NAME@OFFSET+BYTES ..." of each function. */
static const char *expected(void) {
    static char all[8192], lists[FUNCS][400];
    uint64_t top[FUNCS] = {0};
    char name[20];
    size_t n = 0;
    memset(lists, 0, sizeof lists);
    close_reaches();
    for (unsigned v = 0; v < m.globals; v++) {
        bool user[FUNCS] = {0};
        for (unsigned f = 0; f < m.n; f++) user[f] = m.uses[f][v];
        snprintf(name, sizeof name, "g%u", v);
        place_in_all(&m.global[v], name, user, top, lists);
    }
    for (unsigned f = 0; f < m.n; f++)
        for (unsigned k = 0; k < m.owns[f] && !m.entry[f]; k++) {
            bool user[FUNCS] = {0};
            user[f] = true;
            snprintf(name, sizeof name, "o%u%u", f, k);
            place_in_all(&m.own[f][k], name, user, top, lists);
        }
    all[0] = 0;
    for (unsigned f = 0; f < m.n; f++) {
        bool dynamic = false;
        for (unsigned g = 0; g < m.n; g++) dynamic |= m.reaches[f][g] && m.dynamic[g];
        for (unsigned k = 0; k < m.owns[f] && m.entry[f]; k++) top[f] = place(&m.own[f][k], top[f]);
        n += (size_t)snprintf(all + n, sizeof all - n, "f%u: %llu%s", f,
                              (unsigned long long)(m.entry[f] ? top[f] : 0),
                              dynamic ? " dynamic" : "");
        for (unsigned k = 0; k < m.owns[f]; k++)
            n += (size_t)snprintf(all + n, sizeof all - n, " o%u%u@%llu+%u", f, k,
                                  (unsigned long long)m.own[f][k].offset, m.own[f][k].bytes);
        n += (size_t)snprintf(all + n, sizeof all - n, "%s\n", lists[f]);
    }
    return all;
}

static const char *layout_of(const char *of, size_t len) {
    static char all[8192];
    lib_message msg;
    size_t n = 0;
    ptx_module *p = ptx_parse(of, len, &msg);
    all[0] = 0;
    if (!p) return snprintf(all, sizeof all, "%s", said(&msg)), all;
    for (size_t f = 0; f < p->func_count; f++) {
        const ptx_func *fn = p->funcs[f];
        n += (size_t)snprintf(all + n, sizeof all - n, "%s: %u%s", fn->name, fn->shared_bytes,
                              fn->uses_dynamic_shared ? " dynamic" : "");
        for (size_t k = 0; k < fn->shared_count; k++)
            n += (size_t)snprintf(all + n, sizeof all - n, " %s@%llu+%llu", fn->shareds[k].name,
                                  (unsigned long long)fn->shareds[k].offset,
                                  (unsigned long long)fn->shareds[k].bytes);
        n += (size_t)snprintf(all + n, sizeof all - n, "\n");
    }
    ptx_free(p);
    return all;
}

static void test_random(void) {
    unsigned good = 0, count = 600;
    for (unsigned seed = 0; seed < count; seed++) {
        state = seed * 0x9E3779B97F4A7C15u + 1;
        make_module();
        const char *got = layout_of(text, at), *want = expected();
        if (!strcmp(got, want)) good++;
        else if (seed - good < 2) printf("# %s\n# got:\n%s# want:\n%s", text, got, want);
    }
    CHECK_INT(good, count);
}

/* Bytes are counted up to what 32 bits hold; a launch refuses more than a block can have anyway. */
static void test_huge(void) {
    static const struct {
        unsigned count;
        const char *last, *want;
    } rows[] = {
        {3, "",
         "k: 3221225472 v0@0+1073741824 v1@1073741824+1073741824 v2@2147483648+1073741824\n"},
        {3, ".shared .b8 w[1073741822];",
         "k: 4294967294 v0@0+1073741824 v1@1073741824+1073741824 v2@2147483648+1073741824 "
         "w@3221225472+1073741822\n"},
        {4, "",
         "k: 4294967295 v0@0+1073741824 v1@1073741824+1073741824 v2@2147483648+1073741824 "
         "v3@3221225472+1073741824\n"},
        {4, ".shared .align 8 .b8 w[8];", /* at 2^32 - 1 made a multiple of 8 */
         "k: 4294967295 v0@0+1073741824 v1@1073741824+1073741824 v2@2147483648+1073741824 "
         "v3@3221225472+1073741824 w@4294967296+8\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        at = 0;
        ADD(".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n");
        for (unsigned v = 0; v < rows[k].count; v++) ADD(".shared .b8 v%u[1073741824];\n", v);
        ADD("%s ret; }\n", rows[k].last);
        CHECK_STR(layout_of(text, at), rows[k].want);
    }
}

/* A variable's walk takes a step a function. Up to 2^26 steps in all it is known who uses what;
 * beyond them each kernel has room for everything. */
static void test_many(void) {
    enum { VARS = 8192, ROOM = 1 << 20 };
    char *many = malloc(ROOM);
    for (unsigned more = 0; more < 2; more++) {
        unsigned funcs = VARS + more;
        size_t n = (size_t)snprintf(many, ROOM,
                                    ".version 9.0\n.target sm_90\n.address_size 64\n"
                                    ".shared .b32 nobodys;\n");
        for (unsigned v = 0; v < VARS; v++)
            n += (size_t)snprintf(many + n, ROOM - n, ".shared .b32 s%u;\n", v);
        n += (size_t)snprintf(many + n, ROOM - n, ".func f0() { .reg .b32 r;\n");
        for (unsigned v = 0; v < VARS; v++)
            n += (size_t)snprintf(many + n, ROOM - n, "mov.b32 r, s%u;\n", v);
        n += (size_t)snprintf(many + n, ROOM - n, "}\n");
        for (unsigned f = 1; f < funcs; f++)
            n += (size_t)snprintf(many + n, ROOM - n, "%s f%u() { call f%u; }\n",
                                  f + 1 < funcs ? ".func" : ".entry", f, f - 1);
        lib_message msg;
        ptx_module *p = ptx_parse(many, n, &msg);
        if (CHECK(p && p->func_count == funcs)) {
            const ptx_func *kernel = p->funcs[funcs - 1];
            CHECK_INT(kernel->shared_bytes, 4 * (VARS + more));
            CHECK_INT(kernel->shared_count, more ? 0 : VARS);
            CHECK_INT(p->funcs[0]->shared_bytes, 0);
            CHECK_INT(p->vars[VARS]->offset, 4 * (VARS - 1 + more)); /* the last of them */
        }
        ptx_free(p);
    }
    free(many);
}

int main(void) {
    test_random();
    test_many();
    test_huge();
    return check_done();
}
