/* What the executor takes: every instruction of tests/ptx/coverage.txt (what public programs compile to) must decode, and must stand
 * in some test that runs it; what does not decode must say so in one line that names the instruction's line. */
#include "check.h"
#include "ptx_fixture.h"
#include "runner/sim/internal.h"

static sim_device *d;

/* NULL: it decodes. */
static const char *refusal(const char *line, size_t len) {
    static char why[1100];
    char text[8192];
    sim_message msg = {""};
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

int main(void) {
    sim_message msg;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    if (!d) return check_done();
    unsigned taken = 0, n = each_line("tests/ptx/coverage.txt", must_decode, &taken);
    CHECK(n > 600);
    CHECK_INT(taken, n);
    if (getenv("FORMS")) each_line("tests/ptx/forms.txt", must_decode, &taken);
    sim_device_free(d);
    return check_done();
}
