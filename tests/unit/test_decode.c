/* What the executor takes: every instruction of tests/ptx/coverage.txt (what public programs
 * compile to) must decode, and must stand in some test that runs it; what does not decode must say
 * so in one line that names the instruction's line. */
#include "runner/base/message.h"
#include "check.h"
#include "ptx_fixture.h"
#include "runner/sim/module/module.h"
#include "runner/sim/special/devlib.h"

static sim_device *d;

/* NULL: it decodes. */
static const char *refusal(const char *line, size_t len) {
    static char why[1100];
    char text[8192];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%.*s%s", PTX_FIXTURE_HEAD, (int)len, line, PTX_FIXTURE_TAIL);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
    bool ok = k && sim_kernel_image(k, &msg);
    snprintf(why, sizeof why, "%s", msg.text);
    sim_module_free(m);
    return ok ? NULL : why;
}

static void must_decode(const char *line, size_t len, void *user) {
    const char *why = refusal(line, len);
    *(unsigned *)user += !why;
    if (why) printf("# %.*s\n#     %s\n", (int)len, line, why);
}

/* ---- does some test run it? ---- */

static char *ops, *behave, *tested;

/* The instruction without its guard, up to its operands. */
static size_t key_of(const char **line) {
    while (**line == '{' || **line == ' ' || **line == '\t') ++*line;
    if (**line == '@') *line += strcspn(*line, " ") + 1;
    return strcspn(*line, " ;\n\t");
}

/* A line of the text begins with it. */
static bool stands_in(const char *text, const char *key, size_t len) {
    for (const char *l = text; l && *l; l += strcspn(l, "\n"), l += *l == '\n') {
        const char *at = l;
        size_t n = key_of(&at);
        if (n == len && !memcmp(at, key, len)) return true;
    }
    return false;
}

static void must_be_tested(const char *line, size_t len, void *user) {
    const char *at = line;
    size_t n = key_of(&at);
    bool memory = !strncmp(at, "ld.", 3) || !strncmp(at, "st.", 3) || !strncmp(at, "atom.", 5) ||
                  !strncmp(at, "red.", 4); /* test_exec_mem.c */
    bool yes =
        memory || stands_in(ops, at, n) || stands_in(behave, at, n) || stands_in(tested, at, n);
    *(unsigned *)user += yes;
    if (!yes) printf("# no test runs %.*s\n", (int)len, line);
}

int main(void) {
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    if (!d) return check_done();
    unsigned taken = 0, n = each_line("tests/ptx/coverage.txt", must_decode, &taken);
    CHECK(n > 600);
    CHECK_INT(taken, n);
    /* What a kernel calls decides whether its blocks may run side by side. */
    CHECK(sim_builtin_ordered("malloc") && sim_builtin_ordered("free"));
    CHECK(sim_builtin_ordered("cudaGraphSetConditional"));
    CHECK(!sim_builtin_ordered("vprintf") && !sim_builtin_ordered("__assertfail"));
    size_t len;
    ops = read_text("tests/ptx/ops.txt", &len);
    behave = read_text("tests/ptx/behave.ptx", &len);
    tested = read_text("tests/ptx/tested.txt", &len);
    taken = 0;
    n = each_line("tests/ptx/coverage.txt", must_be_tested, &taken);
    CHECK_INT(taken, n);
    for (char *l = tested; l && *l;
         l += strcspn(l, "\n"), l += *l == '\n') { /* the programs are there */
        char name[64], path[128];
        if (sscanf(l, "%*s %63s", name) != 1 || *l == '#') continue;
        snprintf(path, sizeof path, "tests/cuda/%s.cu", name);
        FILE *f = fopen(path, "r");
        if (!f) check_that(0, __FILE__, __LINE__, l, "no such program");
        else fclose(f);
    }
    free(ops), free(behave), free(tested);
    if (getenv("FORMS")) each_line("tests/ptx/forms.txt", must_decode, &taken);
    sim_device_free(d);
    return check_done();
}
