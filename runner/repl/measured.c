/* Runs at the prompt. Their results are kept until something on which they depend changes.
 *
 *   check    the whole lab --measured_check--> grade_result, one, of the current file
 *   measure  the lab with one case --measured_get--> grade_result with lines, launches and figures
 *
 * A grading also measures the lab's timed case, for the submission and for the baseline. Later
 * requests about either are answered from it, so nothing runs twice. */
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/sha256.h"
#include "runner/grade/failures.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "words/repl.h"

enum { SOURCE_BYTES = 1 << 20 };

/* ---- grading ---- */

static void on_stage(void *user, const char *what) {
    repl *r = user;
    status_stage(r, !strcmp(what, "compiling") ? lib_word(r->lang, W_REPL_COMPILING)
                                               : lib_word(r->lang, W_REPL_RUNNING));
}
static void on_case(void *user, size_t done, size_t total) {
    status_case(user, done, total);
}

void measured_options(repl *r, grading_options *o) {
    grading_options_init(o);
    o->device = r->device;
    o->seed = r->seed;
    o->mode = SANDBOX_IF_ANY;
    o->stage = on_stage;
    o->progress = on_case;
    o->user = r;
}

void measured_grade(repl *r, const grade_lab *l, const char *path, const grading_options *o,
                    grade_result *g) {
    struct termios old, quiet;
    bool tty = r->interactive && !tcgetattr(STDIN_FILENO, &old);
    if (tty) {
        quiet = old;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    }
    status_begin(r);
    if (l) grading_run(l, path, o, g);
    else lab_grade(r->lab, path, o, g);
    status_end(r);
    failures_add_result(g);
    if (tty) tcsetattr(STDIN_FILENO, TCSANOW, &old);
}

/* ---- the whole lab ---- */

/* Makes a key of the device and a hash of the text. Returns false if the file cannot be read. */
static bool file_key(const char *device, const char *path, char *key, size_t size,
                     lib_message *msg) {
    size_t n;
    char *text = lib_read_source(path, SOURCE_BYTES, &n, msg), sha[65];
    if (!text) return false;
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, text, n);
    lib_sha256_end_hex(&h, sha);
    free(text);
    snprintf(key, size, "%s %s", device, sha);
    return true;
}

static void checked_forget(repl_checked *c) {
    if (c->key[0]) grade_result_free(&c->result);
    *c = (repl_checked){0};
}

const grade_result *measured_last(const repl *r) {
    return r->checked.key[0] ? &r->checked.result : NULL;
}

/* Who reads what another thread has not yet written also reads what nothing has written: the race
 * is the cause. */
size_t measured_first_finding(const grade_result *g) {
    size_t i = 0;
    while (i < g->finding_count && g->findings[0].kind == SIM_FIND_UNINIT &&
           g->findings[i].kind != SIM_FIND_RACE)
        i++;
    return i < g->finding_count ? i : 0;
}

const grade_result *measured_check(repl *r, bool again, bool *kept) {
    char key[sizeof r->checked.key];
    lib_message msg = {0};
    if (!file_key(r->device, r->file, key, sizeof key, &msg)) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return NULL;
    }
    *kept = !again && !strcmp(key, r->checked.key);
    if (*kept) return &r->checked.result;
    grading_options o;
    measured_options(r, &o);
    o.shown_as = strrchr(r->file, '/') + 1;
    grade_result g = {0};
    measured_grade(r, NULL, r->file, &o, &g);
    if (lib_cancel_flag) {
        grade_result_free(&g);
        return NULL;
    }
    checked_forget(&r->checked);
    r->checked.result = g;
    /* A verdict that another try may change is not kept. */
    bool settled = g.verdict != GRADE_ERROR && g.verdict != GRADE_AMBIGUOUS;
    snprintf(r->checked.key, sizeof r->checked.key, "%s", settled ? key : "-");
    return &r->checked.result;
}

/* Returns the last grading if it is of this file on this device, and if its timed case was
 * measured. */
static const grade_result *checked_as(repl *r, const char *device) {
    char key[sizeof r->checked.key];
    const grade_result *g = measured_last(r);
    if (!g || !g->figures[0] || !file_key(device, r->file, key, sizeof key, NULL)) return NULL;
    return !strcmp(key, r->checked.key) && measure_ran(g) ? g : NULL;
}

/* ---- one case ---- */

static void cached_forget(repl_cached *c) {
    if (!c->key[0]) return;
    grade_result_free(&c->result);
    free(c->program);
    *c = (repl_cached){0};
}

void measured_clear(repl *r) {
    for (size_t i = 0; i < REPL_CACHE; i++) cached_forget(&r->cache[i]);
    checked_forget(&r->checked);
}

static repl_cached *slot_for(repl *r, const char *key, bool *hit) {
    repl_cached *oldest = &r->cache[0];
    *hit = false;
    for (size_t i = 0; i < REPL_CACHE; i++) {
        repl_cached *c = &r->cache[i];
        if (c->key[0] && !strcmp(c->key, key)) {
            *hit = true;
            return c;
        }
        if (!c->key[0] ? oldest->key[0] != 0 : oldest->key[0] && c->used < oldest->used) oldest = c;
    }
    cached_forget(oldest);
    return oldest;
}

/* Makes the key of a run: device, program text, case. Returns false if that failed; the reason was
 * printed. */
static bool measure_key(repl *r, const lab_measure *m, const char *device, const char *path,
                        const grade_param *params, size_t n, char *key, size_t size) {
    lib_message msg = {0};
    size_t len;
    char *text = lib_read_source(path, SOURCE_BYTES, &len, &msg), sha[65];
    if (!text) {
        if (m->of == LAB_OF_MINE)
            text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_file_gone(r->file));
        else text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, text, len);
    free(text);
    lib_sha256_add_text(&h, path);
    for (size_t i = 0; i < n; i++) {
        char v[96];
        snprintf(v, sizeof v, "%s=%.17g", params[i].name, params[i].value);
        lib_sha256_add_text(&h, v);
    }
    if (r->ask_costs) lib_sha256_add_text(&h, "what if");
    if (r->ask_ptx) lib_sha256_add_text(&h, "instructions");
    if (r->ask_machine) lib_sha256_add_text(&h, "machine code");
    if (m->program) lib_sha256_add_text(&h, m->program->lab.entry_text);
    lib_sha256_end_hex(&h, sha);
    snprintf(key, size, "%s %s", device, sha);
    return true;
}

static void say_failed(repl *r, const lab_measure *m, const grade_result *g) {
    if (lib_cancel_flag) return;
    if (!g->build_ok && m->of == LAB_OF_MINE) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_MEASURE_BUILD));
        return;
    }
    const lib_message *why =
        lib_message_any(&g->message) || !g->case_count ? &g->message : &g->cases[0].message;
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_measure_failed(why));
}

bool measured_get(repl *r, const lab_measure *m, const lab_drawn *d, bool lines,
                  measured_run *out) {
    char path[700], key[256];
    *out = (measured_run){0};
    if (!m->program && !r->lab->grade.entry) {
        text_line(&r->out, TEXT_WARN, 0, "%s",
                  r->lab->quiz ? lib_word(r->lang, W_REPL_QUIZ_NO_FILE)
                               : lib_word(r->lang, W_REPL_SHEET_NO_PROGRAM));
        return false;
    }
    measure_source(r->lab, m, r->file, path, sizeof path);
    lib_message msg = {0};
    grade_param params[MEASURE_PARAMS];
    size_t n = 0;
    if (!lab_measure_params(r->lab, m, d, params, MEASURE_PARAMS, &n, &msg)) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    const char *device = m->device ? m->device : r->device;
    bool own = !n && !m->program, base = own && m->of == LAB_OF_BASELINE && !lines;
    const grade_result *whole =
        own && !r->ask_costs && !r->ask_ptx && (m->of == LAB_OF_MINE || base)
            ? checked_as(r, device)
            : NULL;
    if (whole) {
        *out = (measured_run){.result = whole, .baseline = base};
        return true;
    }
    if (!measure_key(r, m, device, path, params, n, key, sizeof key)) return false;
    bool hit;
    repl_cached *c = slot_for(r, key, &hit);
    c->used = ++r->clock;
    *out = (measured_run){.result = &c->result, .program = c->program};
    if (hit) return true;

    static const char *const any[] = {"warp_inst"};
    snprintf(c->key, sizeof c->key, "%s", key);
    measure_init(&c->m, r->lab, m->program, params, n, any, 1);
    grading_options o;
    char baseline[800];
    measure_baseline(r->lab, m, baseline, sizeof baseline);
    measured_options(r, &o);
    o.baseline = baseline;
    o.device = device;
    o.what_if = r->ask_costs;
    o.count_ptx = r->ask_ptx;
    o.count_machine = r->ask_machine;
    if (r->ask_ptx) o.program = &c->program;
    measured_grade(r, &c->m.lab, path, &o, &c->result);
    out->program = c->program;
    if (measure_ran(&c->result)) return true;
    say_failed(r, m, &c->result);
    cached_forget(c);
    return false;
}

double measured_figure(const measured_run *run, const char *name) {
    double v = 0;
    return grade_figure(run->result, run->baseline, name, &v) ? v : 0;
}
