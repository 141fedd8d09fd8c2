/* Pictures at the prompt, and the measured runs that they are drawn from.
 *
 *   measure  the lab narrowed to one case, with one goal per counter asked for: the goal's "actual" is the
 *            counter
 *   show     a picture of that run; a model's picture needs none
 *
 * A measured run is kept until its file, case, device or counters change, so that looking twice
 * costs nothing. */
#include "runner/repl/draw.h"

#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/sha256.h"
#include "runner/grade/failures.h"
#include "runner/repl/prompt.h"

enum { SOURCE_BYTES = 1 << 20 };

/* ---- grading ---- */

static void on_stage(void *user, const char *what) {
    repl *r = user;
    repl_status(r, !strcmp(what, "compiling") ? T(COMPILING) : T(RUNNING));
}

void draw_options(repl *r, grading_options *o) {
    grading_options_init(o);
    o->device = r->device;
    o->seed = r->seed;
    o->mode = SANDBOX_IF_ANY;
    o->stage = on_stage;
    o->user = r;
}

void draw_grade(repl *r, const grade_lab *l, const char *path, const grading_options *o,
                grade_result *g) {
    struct termios old, quiet;
    bool tty = r->interactive && !tcgetattr(STDIN_FILENO, &old);
    if (tty) {
        quiet = old;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    }
    if (l) grading_run(l, path, o, g);
    else lab_grade(r->lab, r->root, path, o, g);
    failures_add_result(g);
    if (tty) tcsetattr(STDIN_FILENO, TCSANOW, &old);
    repl_status(r, NULL);
}

/* ---- measuring ---- */

static void cached_forget(repl_cached *c) {
    if (!c->key[0]) return;
    grade_result_free(&c->result);
    *c = (repl_cached){0};
}

void repl_cache_clear(repl *r) {
    for (size_t i = 0; i < REPL_CACHE; i++) cached_forget(&r->cache[i]);
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

const repl_cached *repl_measure(repl *r, const lab_measure *m, const lab_drawn *d,
                                const char *const *counters, size_t n) {
    char path[700];
    if (!m->program && !r->lab->grade.entry) {
        text_line(&r->out, TEXT_WARN, 0, "%s",
                  r->lab->quiz ? T(QUIZ_NO_FILE) : T(SHEET_NO_PROGRAM));
        return NULL;
    }
    measure_source(r->lab, r->root, m, r->file, path, sizeof path);
    lib_message msg = {0};
    size_t len;
    char *text = lib_read_source(path, SOURCE_BYTES, &len, &msg);
    if (!text) {
        if (m->of == LAB_OF_MINE) text_line(&r->out, TEXT_WARN, 0, T(FILE_GONE), r->file);
        else text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
        return NULL;
    }
    grade_param params[MEASURE_PARAMS];
    size_t param_count = 0;
    if (!lab_measure_params(r->lab, m, d, params, MEASURE_PARAMS, &param_count, &msg)) {
        text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
        free(text);
        return NULL;
    }
    lib_sha256 h;
    char sha[65], key[256];
    lib_sha256_init(&h);
    lib_sha256_add(&h, text, len);
    free(text);
    lib_sha256_add_text(&h, path);
    for (size_t i = 0; i < param_count; i++) {
        char v[96];
        snprintf(v, sizeof v, "%s=%.17g", params[i].name, params[i].value);
        lib_sha256_add_text(&h, v);
    }
    for (size_t i = 0; i < n; i++) lib_sha256_add_text(&h, counters[i]);
    if (r->ask_costs) lib_sha256_add_text(&h, "what if");
    if (m->program) lib_sha256_add_text(&h, m->program->lab.entry_text);
    lib_sha256_end_hex(&h, sha);
    const char *device = m->device ? m->device : r->device;
    snprintf(key, sizeof key, "%s %s", device, sha);
    bool hit;
    repl_cached *c = slot_for(r, key, &hit);
    c->used = ++r->clock;
    if (hit) return c;

    snprintf(c->key, sizeof c->key, "%s", key);
    measure_init(&c->m, r->lab, m->program, params, param_count, counters, n);
    grading_options o;
    char baseline[800];
    measure_baseline(r->lab, r->root, m, baseline, sizeof baseline);
    draw_options(r, &o);
    o.baseline = baseline;
    o.device = device;
    o.what_if = r->ask_costs;
    draw_grade(r, &c->m.lab, path, &o, &c->result);
    const grade_result *g = &c->result;
    if (measure_ran(g)) return c;
    if (!lib_cancel_flag) {
        if (!g->build_ok && m->of == LAB_OF_MINE)
            text_line(&r->out, TEXT_WARN, 0, "%s", T(MEASURE_BUILD));
        else {
            const char *why = r->lang == LIB_ZH && g->message_zh[0] ? g->message_zh : g->message;
            if (!*why && g->case_count)
                why = r->lang == LIB_ZH ? g->cases[0].message_zh : g->cases[0].message;
            text_line(&r->out, TEXT_WARN, 0, T(MEASURE_FAILED), *why ? why : "?");
        }
    }
    cached_forget(c);
    return NULL;
}

/* ---- pictures ---- */

static const char *source_title(repl *r, lab_source of) {
    switch (of) {
    case LAB_OF_BASELINE: return T(COL_BASELINE);
    case LAB_OF_ANSWER: return T(COL_ANSWER);
    case LAB_OF_SKELETON: return T(COL_SKELETON);
    case LAB_OF_MINE:
    case LAB_OF_FILE: break;
    }
    return of == LAB_OF_MINE ? T(COL_MINE) : "kernels/";
}

static void draw_model(repl *r, const lab_show *s, const lab_drawn *d) {
    show_place p = {.out = &r->out, .lang = r->lang};
    lib_message msg = {0};
    unsigned rounds = s->picture == LAB_PIC_ROUNDS ? s->rounds : 1, lanes = s->lanes;
    double *v = lib_malloc(sizeof *v * lanes * rounds);
    bool *works = lib_malloc(sizeof *works * lanes * rounds), ok = true;
    for (unsigned j = 0; ok && j < rounds; j++)
        for (unsigned i = 0; ok && i < lanes; i++) {
            ok = lab_show_model(r->lab, s, d, i, j, &v[j * lanes + i], &msg);
            works[j * lanes + i] = ok && v[j * lanes + i] > 0;
        }
    if (!ok) text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
    else if (s->picture == LAB_PIC_LANES) show_lanes(&p, v, lanes);
    else if (s->picture == LAB_PIC_BANKMAP) show_bankmap(&p, v, lanes);
    else show_rounds(&p, works, lanes, rounds);
    free(v);
    free(works);
}

static int draw_counters(repl *r, const lab_show *s, const lab_drawn *d, bool docs) {
    show_place p = {.out = &r->out, .lang = r->lang};
    show_row rows[MEASURE_COUNTERS] = {0};
    size_t n = s->counter_count < MEASURE_COUNTERS ? s->counter_count : MEASURE_COUNTERS;
    const repl_cached *c = repl_measure(r, &s->measure, d, s->counters, n);
    if (!c) return 1;
    for (size_t i = 0; i < n; i++)
        rows[i] =
            (show_row){.name = s->counters[i], .mine = c->result.goals[i].actual, .has_mine = true};
    if (s->has_beside) {
        c = repl_measure(r, &s->beside, d, s->counters, n);
        if (!c) return 1;
        for (size_t i = 0; i < n; i++)
            rows[i].beside = c->result.goals[i].actual, rows[i].has_beside = true;
    }
    const char *heads[2] = {source_title(r, s->measure.of),
                            s->has_beside ? source_title(r, s->beside.of) : NULL};
    show_counters(&p, rows, n, heads, docs);
    return 0;
}

/* Around the launch that took longest. */
static void calculate(const show_place *p, const grade_result *g) {
    const grade_launch *l = NULL;
    for (size_t i = 0; i < g->launch_count; i++)
        if (!l || g->launches[i].time_us > l->time_us) l = &g->launches[i];
    if (l)
        show_calculator(p, g->device, l->block[0] * l->block[1] * l->block[2], l->registers,
                        l->shared);
}

/* Line by line; of several files each that has such lines, under its name. */
static void draw_lines(repl *r, const lab_show *s, show_place *p, size_t n, const grade_result *g) {
    void (*draw)(const show_place *, const grade_result *) =
        s->picture == LAB_PIC_SECTORS ? show_sectors
        : s->picture == LAB_PIC_BANKS ? show_banks
                                      : show_divergence;
    lib_part parts[LIB_PARTS];
    lib_message msg;
    size_t count = p->source && r->lab->grade.file_count && !s->measure.program
                       ? lib_parts_split(p->source, n, parts, &msg)
                       : 0;
    if (!count) draw(p, g);
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (size_t k = 0; k < g->line_count; k++)
            any |= g->lines[k].file && !strcmp(g->lines[k].file, parts[i].name);
        if (!any) continue;
        char *text = lib_format("%.*s", (int)parts[i].n, parts[i].text);
        show_place one = *p;
        one.source = text;
        one.file = parts[i].name;
        text_line(&r->out, TEXT_STRONG, 0, "%s", parts[i].name);
        draw(&one, g);
        free(text);
    }
}

int repl_draw(repl *r, const lab_show *s, const lab_drawn *d) {
    if (s->model_ref) {
        draw_model(r, s, d);
        return 0;
    }
    if (s->picture == LAB_PIC_COUNTERS) return draw_counters(r, s, d, d != NULL);
    if (s->picture == LAB_PIC_CALCULATOR && s->registers) {
        show_place p = {.out = &r->out, .lang = r->lang};
        show_calculator(&p, s->measure.device ? s->measure.device : r->device, s->block,
                        s->registers, s->shared);
        return 0;
    }
    static const char *const any[] = {"warp_inst"};
    r->ask_costs = s->picture == LAB_PIC_WHATIF;
    const repl_cached *c = repl_measure(r, &s->measure, d, any, 1);
    r->ask_costs = false;
    if (!c) return 1;
    char path[700];
    measure_source(r->lab, r->root, &s->measure, r->file, path, sizeof path);
    lib_message msg;
    size_t n;
    char *source = lib_read_source(path, SOURCE_BYTES, &n, &msg);
    show_place p = {
        .out = &r->out, .lang = r->lang, .source = source, .file = strrchr(path, '/') + 1};
    switch (s->picture) {
    case LAB_PIC_SECTORS:
    case LAB_PIC_BANKS:
    case LAB_PIC_DIVERGENCE: draw_lines(r, s, &p, n, &c->result); break;
    case LAB_PIC_OCCUPANCY: show_occupancy(&p, &c->result); break;
    case LAB_PIC_ROOFLINE: show_roofline(&p, &c->result); break;
    case LAB_PIC_TIMELINE: show_timeline(&p, &c->result); break;
    case LAB_PIC_WHATIF: show_what_if(&p, &c->result); break;
    case LAB_PIC_CALCULATOR: calculate(&p, &c->result); break;
    default: break;
    }
    free(source);
    return 0;
}

int repl_show(repl *r, char *argument) {
    const lab_step *step = &r->lab->steps[r->step];
    lab_show s = {.measure.of = LAB_OF_MINE};
    if (!*argument) {
        if (step->kind == LAB_SHOW || step->kind == LAB_COMPARE)
            return repl_draw(r, &step->show, &r->drawn);
        s.picture = LAB_PIC_SECTORS;
        int status = repl_draw(r, &s, NULL);
        if (status) return status;
        s.picture = LAB_PIC_DIVERGENCE;
        return repl_draw(r, &s, NULL);
    }
    size_t n = strlen(argument);
    for (int i = 0; i < LAB_PIC_COUNTERS; i++)
        if (!strncmp(lab_picture_name[i], argument, n)) {
            s.picture = (lab_picture)i;
            return repl_draw(r, &s, NULL);
        }
    char all[160] = "";
    for (int i = 0; i < LAB_PIC_COUNTERS; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
                 lab_picture_name[i]);
    text_line(&r->out, TEXT_WARN, 0, "%s: %s", argument, all);
    return 1;
}

int repl_profile(repl *r, char *argument) {
    (void)argument;
    static const char *const counters[] = {"warp_inst",
                                           "active_lanes_avg",
                                           "divergent_branches",
                                           "gld_sectors_per_request",
                                           "gst_sectors_per_request",
                                           "gld_efficiency_pct",
                                           "shared_ld_conflicts",
                                           "shared_st_conflicts",
                                           "l2_sectors",
                                           "dram_read",
                                           "dram_write",
                                           "registers",
                                           "achieved_occupancy_pct",
                                           "device_us"};
    show_place p = {.out = &r->out, .lang = r->lang};
    show_row rows[MEASURE_COUNTERS] = {0};
    size_t n = sizeof counters / sizeof *counters, shown = 0;
    lab_measure mine = {.of = LAB_OF_MINE}, base = {.of = LAB_OF_BASELINE};
    const repl_cached *c = repl_measure(r, &mine, NULL, counters, n);
    if (!c) return 1;
    const repl_cached *b = repl_measure(r, &base, NULL, counters, n);
    for (size_t i = 0; i < n; i++) {
        double a = c->result.goals[i].actual, of = b ? b->result.goals[i].actual : 0;
        /* A counter that neither has would only be in the way. */
        if (a != 0 || of != 0)
            rows[shown++] = (show_row){
                .name = counters[i], .mine = a, .beside = of, .has_mine = true, .has_beside = b};
    }
    const char *heads[2] = {T(COL_MINE), T(COL_BASELINE)};
    show_counters(&p, rows, shown, heads, false);
    if (c->result.launch_count && c->result.launches && c->result.launches[0].limiter[0])
        text_line(&r->out, TEXT_PLAIN, 2, T(LIMITER), c->result.launches[0].limiter);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_STRONG, 0, "%s", T(LINES_TITLE));
    lab_show s = {.picture = LAB_PIC_DIVERGENCE, .measure.of = LAB_OF_MINE};
    int status = repl_draw(r, &s, NULL);
    s.picture = LAB_PIC_SECTORS;
    return status ? status : repl_draw(r, &s, NULL);
}
