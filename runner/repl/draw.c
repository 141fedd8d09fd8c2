/* Pictures at the prompt, of measured runs (measured.c) or of a model of the lesson. */
#include "runner/debugger/debugger.h"
#include "runner/repl/draw.h"
#include "grader/figure.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/grade/svg.h"
#include "runner/listing/listing.h"
#include "grader/goal/goal.h"
#include "words/repl.h"

enum { SOURCE_BYTES = 1 << 20, PAGE_COLUMNS = 100 };

/* ---- pictures ---- */

static const char *source_title(repl *r, const lab_measure *m) {
    switch (m->of) {
    case LAB_OF_BASELINE: return lib_word(r->lang, W_REPL_COL_BASELINE);
    case LAB_OF_ANSWER: return lib_word(r->lang, W_REPL_COL_ANSWER);
    case LAB_OF_SKELETON: return lib_word(r->lang, W_REPL_COL_SKELETON);
    case LAB_OF_MINE: return lib_word(r->lang, W_REPL_COL_MINE);
    case LAB_OF_FILE: break;
    }
    const char *slash = m->file ? strrchr(m->file, '/') : NULL;
    return slash ? slash + 1 : m->file ? m->file : "";
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
    if (!ok) text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
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
    measured_run run;
    if (!measured_get(r, &s->measure, d, false, &run)) return 1;
    for (size_t i = 0; i < n; i++)
        rows[i] = (show_row){.name = s->counters[i],
                             .mine = measured_figure(&run, s->counters[i]),
                             .has_mine = true};
    if (s->has_beside) {
        if (!measured_get(r, &s->beside, d, false, &run)) return 1;
        for (size_t i = 0; i < n; i++)
            rows[i].beside = measured_figure(&run, s->counters[i]), rows[i].has_beside = true;
    }
    const char *heads[2] = {source_title(r, &s->measure),
                            s->has_beside ? source_title(r, &s->beside) : NULL};
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

/* Draws line by line. Of several files, each that has such lines is drawn under its name. */
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
    measured_run run;
    r->ask_costs = s->picture == LAB_PIC_WHATIF;
    bool ran = measured_get(r, &s->measure, d, true, &run);
    r->ask_costs = false;
    if (!ran) return 1;
    const grade_result *g = run.result;
    char path[700];
    measure_source(r->lab, &s->measure, r->file, path, sizeof path);
    lib_message msg;
    size_t n;
    char *source = lib_read_source(path, SOURCE_BYTES, &n, &msg);
    show_place p = {
        .out = &r->out, .lang = r->lang, .source = source, .file = strrchr(path, '/') + 1};
    switch (s->picture) {
    case LAB_PIC_SECTORS:
    case LAB_PIC_BANKS:
    case LAB_PIC_DIVERGENCE: draw_lines(r, s, &p, n, g); break;
    case LAB_PIC_OCCUPANCY: show_occupancy(&p, g); break;
    case LAB_PIC_ROOFLINE: show_roofline(&p, g); break;
    case LAB_PIC_TIMELINE: show_timeline(&p, g); break;
    case LAB_PIC_WHATIF: show_what_if(&p, g); break;
    case LAB_PIC_STALLS: show_stalls(&p, g); break;
    case LAB_PIC_CALCULATOR: calculate(&p, g); break;
    default: break;
    }
    free(source);
    return 0;
}

/* ---- instructions ---- */

/* Returns a line of the student's text; with several files, of the part with this name. */
static char *own_line(void *user, const char *file, unsigned line) {
    const char *text = user;
    lib_part parts[LIB_PARTS];
    lib_message msg;
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t n = text ? strlen(text) : 0, count = n ? lib_parts_split(text, n, parts, &msg) : 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(parts[i].name, name)) text = parts[i].text, n = parts[i].n;
    const char *end = text + n;
    for (unsigned i = 1; text && i < line; i++) {
        text = memchr(text, '\n', (size_t)(end - text));
        if (text) text++;
    }
    if (!text || text >= end) return NULL;
    text += strspn(text, " \t");
    return lib_format("%.*s", (int)strcspn(text, "\r\n"), text);
}

static int show_code(repl *r, bool machine) {
    lab_measure mine = {.of = LAB_OF_MINE};
    /* a GPU does not count instructions */
    if (strncmp(r->device, "sim:", 4) != 0) mine.device = "sim:h200";
    measured_run run;
    r->ask_ptx = true;
    r->ask_machine = machine && !sim_machine_off();
    bool ran = measured_get(r, &mine, NULL, true, &run);
    r->ask_ptx = r->ask_machine = false;
    if (!ran || !run.program) return 1;
    lib_message msg = {0};
    listing_code *c =
        listing_open(run.program, build_arch(mine.device ? mine.device : r->device), machine, &msg);
    if (!c) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, lib_message_words(&msg));
        return 1;
    }
    const lib_message *why = listing_why(c);
    bool lacks = lib_message_any(why);
    if (lacks) text_words(&r->out, TEXT_WARN, 0, r->lang, lib_message_words(why));
    size_t n, shown = 0;
    char *source = lib_read_source(r->file, SOURCE_BYTES, &n, &msg);
    for (size_t i = 0; i < run.result->ptx_count && !(machine && lacks); i++) {
        const grade_kernel_ptx *k = &run.result->ptx[i];
        listing_kernel of = {.kernel = k->kernel,
                             .name = k->name,
                             .ptx = k->rows,
                             .ptx_count = k->count,
                             .machine = k->machine,
                             .machine_count = k->machine_count,
                             .machine_why =
                                 lib_message_any(&k->machine_why) ? &k->machine_why : NULL};
        listing *l = listing_of(c, &of, own_line, source);
        if (!l) continue;
        if (shown++) text_put(&r->out, TEXT_PLAIN, "\n");
        listing_print(&r->out, r->lang, l, !machine || l->counted, machine);
        listing_free(l);
    }
    if (!shown && !lacks)
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_LISTING_NO_KERNEL));
    free(source);
    listing_close(c);
    return !shown;
}

static int show_named(repl *r, const char *argument) {
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
    if (!strncmp("ptx", argument, n) || !strncmp("sass", argument, n > 1 ? n : 2))
        return show_code(r, *argument == 's');
    for (int i = 0; i < LAB_PIC_COUNTERS; i++)
        if (!strncmp(lab_picture_name[i], argument, n)) {
            s.picture = (lab_picture)i;
            return repl_draw(r, &s, NULL);
        }
    char all[200] = "";
    for (int i = 0; i < LAB_PIC_COUNTERS; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", lab_picture_name[i]);
    strcat(all, "ptx\nsass");
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_show_which(argument, all));
    return 1;
}

/* Collects counters: the usual ones, those of the lab's goals, and those that its pictures
 * compare. */
static size_t profile_names(const lab *l, const char **names, size_t max) {
    static const char *const usual[] = {"warp_inst",
                                        "active_lanes_avg",
                                        "divergent_branches",
                                        "gld_sectors_per_request",
                                        "gst_sectors_per_request",
                                        "gld_efficiency_pct",
                                        "shared_ld_conflicts",
                                        "shared_st_conflicts",
                                        "atom_global_lanes",
                                        "atom_shared_serialised",
                                        "l2_sectors",
                                        "dram_read",
                                        "dram_write",
                                        "registers",
                                        "achieved_occupancy_pct",
                                        "device_us"};
    size_t n = 0;
    for (size_t i = 0; i < l->grade.goal_count && n < max; i++) {
        const grade_goal *g = &l->grade.goals[i];
        bool there = false;
        if (!grade_goal_counted(g)) continue;
        for (size_t k = 0; k < n; k++) there |= !strcmp(names[k], g->name);
        if (!there) names[n++] = g->name;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual && n < max; i++) {
        bool there = false;
        for (size_t k = 0; k < n; k++) there |= !strcmp(names[k], usual[i]);
        if (!there) names[n++] = usual[i];
    }
    return n;
}

void repl_say_limiter(repl *r, const grade_result *g) {
    const grade_launch *longest = NULL;
    for (size_t i = 0; i < g->launch_count; i++)
        if (!longest || g->launches[i].time_us > longest->time_us) longest = &g->launches[i];
    if (!longest || !longest->limiter[0]) return;
    const char *limiter = longest->limiter, *word = grade_limiter_word(limiter, r->lang);
    text_words(&r->out, TEXT_PLAIN, 0, r->lang,
               strcmp(word, limiter) ? w_repl_limiter_called(limiter, word)
                                     : w_repl_limiter(limiter));
}

int repl_profile(repl *r, char *argument) {
    (void)argument;
    enum { ROWS = 32 };
    const char *names[ROWS];
    show_place p = {.out = &r->out, .lang = r->lang};
    show_row rows[ROWS] = {0};
    size_t n = profile_names(r->lab, names, ROWS), shown = 0;
    lab_measure mine = {.of = LAB_OF_MINE}, base = {.of = LAB_OF_BASELINE};
    measured_run a, b;
    if (!measured_get(r, &mine, NULL, false, &a)) return 1;
    bool beside = measured_get(r, &base, NULL, false, &b);
    for (size_t i = 0; i < n; i++) {
        double v = 0, of = 0;
        bool has = grade_figure(a.result, a.baseline, names[i], &v),
             has_of = beside && grade_figure(b.result, b.baseline, names[i], &of);
        /* Leaves out a counter that is 0 in both. */
        if (v != 0 || of != 0)
            rows[shown++] = (show_row){
                .name = names[i], .mine = v, .beside = of, .has_mine = has, .has_beside = has_of};
    }
    const char *heads[2] = {lib_word(r->lang, W_REPL_COL_MINE),
                            lib_word(r->lang, W_REPL_COL_BASELINE)};
    show_counters(&p, rows, shown, heads, false);
    repl_say_limiter(r, a.result);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_LINES_TITLE));
    lab_show s = {.picture = LAB_PIC_DIVERGENCE, .measure.of = LAB_OF_MINE};
    int status = repl_draw(r, &s, NULL);
    s.picture = LAB_PIC_SECTORS;
    return status ? status : repl_draw(r, &s, NULL);
}

/* ---- the debugger, on the file and a public case ---- */

int repl_debug(repl *r, char *argument) {
    size_t number = strtoul(argument, NULL, 10);
    const lab_debug *d = &r->lab->debug;
    debugger_opening opening = {.at = d->at, .at_count = d->at_count};
    for (int l = 0; l < LIB_LANGS; l++) opening.text[l] = d->text.text[l];
    bool opens = !number && d->number;
    debugger_target t = {.shown = r->lab->grade.id,
                         .source = r->file,
                         /* only a simulated device can be stopped */
                         .device = strncmp(r->device, "sim:", 4) ? "sim:h200" : r->device,
                         .lab = &r->lab->grade,
                         .baseline = r->lab->baseline_path,
                         .number = number  ? number
                                   : opens ? d->number
                                           : 1,
                         .opening = opens ? &opening : NULL,
                         .mode = SANDBOX_IF_ANY};
    return debugger_shell(&t, r->lang, stdin, stdout) ? 1 : 0;
}

/* ---- as a page ---- */

/* Returns a picture's title on the page; its name if it has no other. */
static const char *picture_title(const char *name, lib_lang lang) {
    char row[64];
    SAY(row, "picture-%s", name);
    lib_word_id word = lib_words_named("repl", row);
    return word ? lib_word(lang, word) : name;
}

/* Returns what show_named() prints, in colour; malloc'ed. */
static char *captured(repl *r, const char *argument, int *status) {
    char *shown = NULL;
    size_t n = 0;
    text_out kept = r->out;
    FILE *to = open_memstream(&shown, &n);
    if (!to) abort();
    r->out = (text_out){.to = to, .width = PAGE_COLUMNS, .columns = PAGE_COLUMNS, .colour = true};
    *status = show_named(r, argument);
    fclose(to);
    r->out = kept;
    return shown;
}

static int show_as_page(repl *r, const char *argument) {
    int status;
    lib_message msg = {0};
    char *shown = captured(r, argument, &status), *name = NULL, *page = NULL;
    if (status) {
        text_raw(&r->out, shown, strlen(shown), 0, 40);
    } else {
        const char *of = r->lab->title.text[r->lang];
        char *title =
            *argument
                ? lib_words_take(r->lang, w_repl_picture_of(of, picture_title(argument, r->lang)))
                : lib_strdup(of);
        name = lib_format("%s/%s%s%s.html", r->paths->work, r->lab->id, *argument ? "-" : "",
                          argument);
        page = svg_page(shown, title, r->lang);
        status = !lib_make_folders(r->paths->work, &msg) ||
                 !lib_write_file(name, page, strlen(page), &msg);
        if (status) text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        else text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_editor_file_made(name));
        free(title);
    }
    free(name);
    free(page);
    free(shown);
    return status;
}

int repl_show(repl *r, char *argument) {
    static const char option[] = "--html";
    const size_t n = strlen(argument), size = sizeof option - 1;
    if (n > size && strchr(" \t", argument[n - size - 1]) && !strcmp(argument + n - size, option)) {
        for (argument[n - size] = 0; *argument && strchr(" \t", argument[strlen(argument) - 1]);)
            argument[strlen(argument) - 1] = 0;
    } else if (strncmp(argument, option, size) != 0) {
        return show_named(r, argument);
    } else {
        argument += size;
        argument += strspn(argument, " \t");
    }
    for (const char *c = argument; *c; c++)
        if (*c < 'a' || *c > 'z') /* not the name of a picture: show_named() reports that */
            return show_named(r, argument);
    return show_as_page(r, argument);
}
