/* What `warplab profile` prints: a line of JSON for each launch as it ends, and at the end a table
 * of kernels. Each kernel is summed over its launches with the same configuration; its lines are
 * added on request. Each finding is printed once. */
#include "runner/profile/report.h"
#include "runner/profile/advice.h"
#include "runner/profile/code.h"
#include "runner/profile/hardware.h"
#include "runner/profile/page.h"
#include "runner/profile/trace_event.h"
#include "runner/profile/words.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/term/text.h"
#include "grader/figure.h"
#include "grader/result.h"
#include "grader/json/json.h"
#include "words/profile.h"

/* ---- JSON ---- */

/* Per cent of the warps' time or of the schedulers' cycles; microseconds of a line; or cycles. */
static json_t *stalls_json(const double *pct) {
    json_t *o = json_object();
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++)
        if (pct[k] > 0) json_object_set_new(o, sim_stall_at(k)->name, json_real(pct[k]));
    return o;
}

static json_t *machine_json(const sim_result *s) {
    json_t *all = json_array();
    for (size_t i = 0; i < s->machine_count; i++)
        json_array_append_new(all, json_pack("{s:I, s:I, s:o}", "at", (json_int_t)s->machine[i].at,
                                             "warps", (json_int_t)s->machine[i].warps, "cycles",
                                             stalls_json(s->machine[i].cycles)));
    return all;
}

static json_t *what_if_json(const sim_result *s) {
    json_t *all = json_array();
    for (unsigned k = 0; k < SIM_COST_COUNT; k++) {
        const sim_what_if *w = &s->what_if[k];
        if (w->time_us >= s->time_us) continue;
        json_t *lines = json_array();
        for (unsigned i = 0; i < w->line_count; i++)
            json_array_append_new(lines, json_pack("{s:o, s:i, s:f}", "file",
                                                   json_text(s->lines[w->line[i]].file), "line",
                                                   (int)s->lines[w->line[i]].line, "part",
                                                   (double)w->part[i]));
        json_array_append_new(
            all, json_pack("{s:s, s:f, s:f, s:f, s:o}", "cost", sim_cost_at(k)->name, "time_us",
                           w->time_us, "saves_us", s->time_us - w->time_us, "factor",
                           w->time_us > 0 ? s->time_us / w->time_us : 0, "lines", lines));
    }
    return all;
}

/* Returns ncu's counters of launch number i, if it is a launch of the same kernel. */
static json_t *hardware_json(const profile_report *r, size_t i, const char *kernel) {
    json_t *o = json_array_get(r->hardware, i);
    const char *name = json_string_value(json_object_get(o, "kernel"));
    return name && kernel && profile_same_kernel(name, kernel) ? json_incref(o) : NULL;
}

static json_t *launch_json(const profile_report *r, const dev_record *l, const profile_measured *m,
                           size_t number) {
    const sim_result *s = l->result;
    json_t *counters = json_counters(&s->counters, true, true);
    json_object_set_new(counters, "occupancy_pct", json_real(s->occupancy.pct));
    json_object_set_new(counters, "achieved_occupancy_pct", json_real(s->achieved_occupancy_pct));
    json_t *lines = json_array(), *findings = json_array();
    for (size_t i = 0; i < s->line_count; i++) {
        json_t *line = json_line(&s->lines[i]);
        double us[SIM_STALL_COUNT];
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) us[k] = (double)s->lines[i].stall_us[k];
        json_object_set_new(line, "stall_us", stalls_json(us));
        json_array_append_new(lines, line);
    }
    for (size_t i = 0; i < s->finding_count; i++)
        json_array_append_new(findings, json_finding(&s->findings[i]));
    json_t *o = json_pack(
        "{s:o, s:o, s:o, s:o, s:f, s:s, s:s, s:i, s:b, s:I, s:I, s:i, s:f, s:f, s:f, s:s}",
        "kernel", json_text(l->kernel), "grid", json_three(l->grid), "block", json_three(l->block),
        "device", json_text(dev_session_name(r->session, l->device)), "time_us", s->time_us,
        "limiter", s->limiter ? s->limiter : "", "occupancy_limiter",
        s->occupancy.limiter ? s->occupancy.limiter : "", "registers",
        l->info ? (int)l->info->registers : 0, "registers_exact",
        l->info && l->info->resources_exact, "static_shared",
        (json_int_t)(l->info ? l->info->static_shared : 0), "dynamic_shared",
        (json_int_t)l->dynamic_shared, "stream", (int)l->stream, "start_us", l->start_us, "end_us",
        l->end_us, "time_floor_us", s->time_floor_us, "status", sim_status_name(s->status));
    if (l->page_faults || l->migrated_bytes) {
        json_object_set_new(o, "page_faults", json_integer((json_int_t)l->page_faults));
        json_object_set_new(o, "migrated_bytes", json_integer((json_int_t)l->migrated_bytes));
    }
    if (m) { /* the times are the GPU's, the counters the simulated device's */
        json_object_set_new(o, "device", json_text(r->measured_on));
        json_object_set_new(o, "time_us", json_real(m->time_us));
        json_object_set_new(o, "start_us", json_real(m->start_us));
        json_object_set_new(o, "end_us", json_real(m->end_us));
        json_object_set_new(o, "status", json_string(sim_status_name(m->status)));
        json_object_set_new(o, "measured", json_true());
        json_object_set_new(o, "modelled_us", json_real(s->time_us));
        json_object_set_new(o, "counters_from", json_text(r->counters_from));
    }
    if (s->by_machine_code || s->machine_refusal) {
        json_object_set_new(o, "timed_by",
                            json_string(s->by_machine_code ? "machine code" : "counters"));
        if (s->machine_refusal) {
            char why[1024];
            json_object_set_new(
                o, "timed_by_why",
                json_text(lib_message_text(why, sizeof why, LIB_EN, s->machine_refusal)));
        }
    }
    if (r->hardware) {
        json_t *h = hardware_json(r, number, l->kernel);
        json_object_set_new(o, "hardware", h ? h : json_null());
    }
    json_object_set_new(o, "counters", counters);
    json_t *schedulers = stalls_json(s->stalls.scheduler_pct);
    json_object_set_new(schedulers, "empty", json_real(s->stalls.empty_pct));
    json_object_set_new(o, "stalls",
                        json_pack("{s:o, s:o}", "warp_pct", stalls_json(s->stalls.warp_pct),
                                  "scheduler_pct", schedulers));
    json_object_set_new(o, "lines", lines);
    if (s->machine) json_object_set_new(o, "machine", machine_json(s));
    json_object_set_new(o, "findings", findings);
    return o;
}

bool profile_open(profile_report *r, const char *path, lib_message *msg) {
    r->json_path = path;
    r->json_is_stdout = !strcmp(path, "-");
    r->json = r->json_is_stdout ? stdout : fopen(path, "we");
    if (!r->json) lib_message_set(msg, w_profile_cannot_write(path, errno));
    return r->json != NULL;
}

bool profile_close(profile_report *r, lib_message *msg) {
    bool ok = true;
    if (r->json) {
        ok = !r->json_failed && !fflush(r->json) && !ferror(r->json);
        int error = errno;
        if (!r->json_is_stdout && fclose(r->json) && ok) {
            ok = false;
            error = errno;
        }
        if (!ok) lib_message_set(msg, w_profile_cannot_write_all_lines(r->json_path, error));
    }
    for (size_t i = 0; i < r->kernel_count; i++) {
        profile_kernel *k = &r->kernels[i];
        for (size_t j = 0; j < k->line_count; j++) free((char *)(uintptr_t)k->lines[j].file);
        free(k->lines);
        for (size_t j = 0; j < k->place_count; j++) free(k->places[j].file);
        free(k->places);
        profile_code_free(k);
        free(k->kernel);
    }
    for (size_t i = 0; i < r->measured_count; i++) free(r->measured[i].kernel);
    free(r->measured);
    r->measured = NULL, r->measured_count = 0;
    listing_close(r->code);
    r->code = NULL;
    json_decref(r->hardware);
    r->hardware = NULL;
    free(r->kernels);
    r->kernels = NULL;
    r->kernel_count = 0;
    return ok;
}

/* ---- sums ---- */

static profile_kernel *find_kernel(profile_report *r, const dev_record *l) {
    const char *name = l->kernel ? l->kernel : "?";
    for (size_t i = 0; i < r->kernel_count; i++) {
        profile_kernel *k = &r->kernels[i];
        if (!strcmp(k->kernel, name) && !memcmp(k->grid, l->grid, sizeof k->grid) &&
            !memcmp(k->block, l->block, sizeof k->block))
            return k;
    }
    if (!lib_grow_one(&r->kernels, r->kernel_count, sizeof *r->kernels)) return NULL;
    profile_kernel *k = &r->kernels[r->kernel_count++];
    *k = (profile_kernel){.kernel = lib_strdup(name)};
    memcpy(k->grid, l->grid, sizeof k->grid);
    memcpy(k->block, l->block, sizeof k->block);
    return k;
}

static void add_lines(profile_kernel *k, const sim_result *s) {
    for (size_t i = 0; i < s->line_count; i++) {
        const sim_line *from = &s->lines[i];
        size_t j = 0;
        while (j < k->line_count && (k->lines[j].line != from->line ||
                                     strcmp(k->lines[j].file, from->file ? from->file : "")))
            j++;
        if (j == k->line_count) {
            if (!lib_grow_one(&k->lines, k->line_count, sizeof *k->lines)) return;
            k->lines[k->line_count++] =
                (sim_line){.file = lib_strdup(from->file ? from->file : ""), .line = from->line};
        }
        sim_counters_add(&k->lines[j].counters, &from->counters);
        for (unsigned s2 = 0; s2 < SIM_STALL_COUNT; s2++)
            k->lines[j].stall_us[s2] += from->stall_us[s2];
    }
}

static void add_time(profile_kernel *k, const sim_result *s) {
    k->told_us += s->time_us;
    for (unsigned i = 0; i < SIM_STALL_COUNT; i++) {
        k->stalls.warp_pct[i] += s->stalls.warp_pct[i] * s->time_us;
        k->stalls.scheduler_pct[i] += s->stalls.scheduler_pct[i] * s->time_us;
    }
    k->stalls.empty_pct += s->stalls.empty_pct * s->time_us;
    if (!s->what_if || k->asked_us > 0) return;
    profile_place *places = calloc(s->line_count + 1, sizeof *places);
    if (!places) return;
    for (size_t i = 0; i < s->line_count; i++)
        places[i] = (profile_place){lib_strdup(s->lines[i].file), s->lines[i].line};
    k->places = places;
    k->place_count = s->line_count;
    memcpy(k->what_if, s->what_if, sizeof k->what_if);
    k->asked_us = s->time_us;
}

void profile_json_line(profile_report *r, json_t *o) {
    bool can = r->json && !r->json_failed;
    char *text = can ? json_written(o, false) : NULL;
    json_decref(o);
    /* Each line is one write, so that a reader or a full disk never mixes parts of lines. */
    if (can && (!text || fprintf(r->json, "%s\n", text) < 0 || fflush(r->json)))
        r->json_failed = true;
    free(text);
}

static void print_uncounted(profile_report *r, size_t i) {
    const profile_measured *m = &r->measured[i];
    if (!r->json || r->json_failed) return;
    json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:s, s:b, s:n}", "kernel",
                          json_text(m->kernel), "grid", json_three(m->grid), "block",
                          json_three(m->block), "device", json_text(r->measured_on), "time_us",
                          m->time_us, "start_us", m->start_us, "end_us", m->end_us, "status",
                          sim_status_name(m->status), "measured", 1, "counters");
    if (r->hardware) {
        json_t *h = hardware_json(r, i, m->kernel);
        json_object_set_new(o, "hardware", h ? h : json_null());
    }
    profile_json_line(r, o);
}

void profile_uncounted(profile_report *r) {
    for (; r->next < r->measured_count; r->next++) {
        const profile_measured *m = &r->measured[r->next];
        print_uncounted(r, r->next);
        if (r->counters_from) continue;
        /* Without counters, the table has only times. */
        dev_record l = {.kernel = m->kernel};
        memcpy(l.grid, m->grid, sizeof l.grid);
        memcpy(l.block, m->block, sizeof l.block);
        profile_kernel *k = find_kernel(r, &l);
        r->launches++;
        if (k) k->launches++, k->failed += m->status != SIM_OK, k->time_us += m->time_us;
    }
}

static void pass_on_printf(profile_report *r) {
    if (r->again || !r->client) return;
    size_t n = 0;
    const char *text = dev_client_printed(r->client, &n);
    if (text && n > r->printed) {
        fwrite(text + r->printed, 1, n - r->printed, r->json_is_stdout ? stderr : stdout);
        fflush(stdout);
        r->printed = n;
    }
}

static void profile_keep_launch(profile_report *r, const dev_record *l) {
    if (!lib_grow_one(&r->measured, r->measured_count, sizeof *r->measured)) return;
    profile_measured *m = &r->measured[r->measured_count++];
    *m = (profile_measured){.kernel = lib_strdup(l->kernel ? l->kernel : ""),
                            .time_us = l->result->time_us,
                            .start_us = l->start_us,
                            .end_us = l->end_us,
                            .status = l->result->status};
    memcpy(m->grid, l->grid, sizeof m->grid);
    memcpy(m->block, l->block, sizeof m->block);
}

/* Finds the measured launch that corresponds to this counted one: the next with the same kernel and
 * shape. An additional launch on one side therefore shifts nothing. */
static const profile_measured *find_measured(profile_report *r, const dev_record *l) {
    for (size_t i = r->next; i < r->measured_count; i++) {
        const profile_measured *m = &r->measured[i];
        if (strcmp(m->kernel, l->kernel ? l->kernel : "") ||
            memcmp(m->grid, l->grid, sizeof m->grid) || memcmp(m->block, l->block, sizeof m->block))
            continue;
        for (; r->next < i; r->next++) print_uncounted(r, r->next);
        r->next = i + 1;
        return m;
    }
    return NULL;
}

/* Reports once per kernel that a launch is not in the trace of machine code, and why. */
static void tell_untraced(profile_report *r, profile_kernel *k, const sim_result *res) {
    if (!r->sass_trace || !res->machine_refusal || k->untraced) return;
    k->untraced = true;
    r->files_failed = true;
    lib_words_print(stderr, r->lang,
                    w_profile_not_traced(k->kernel, r->sass_trace, res->machine_refusal));
    fputc('\n', stderr);
}

void profile_on_launch(void *user, const dev_record *l) {
    profile_report *r = user;
    if (!l->result) return;
    if (r->measuring) {
        pass_on_printf(r);
        profile_keep_launch(r, l);
        return;
    }
    const profile_measured *m = find_measured(r, l);
    if (r->counters_from && !m) return; /* the GPU did not launch it: there is no time for it */
    r->launches++;
    pass_on_printf(r);
    profile_kernel *k = find_kernel(r, l);
    bool first = k && k->asked_us <= 0 && l->result->what_if;
    if (k) {
        k->launches++;
        k->failed += l->result->status != SIM_OK;
        k->registers = l->info ? l->info->registers : 0;
        k->time_us += m ? m->time_us : l->result->time_us;
        k->limiter = l->result->limiter;
        k->by_counters_why =
            l->result->machine_refusal; /* the module lives until the client is freed */
        k->occupancy_pct = l->result->occupancy.pct;
        k->occupancy = l->result->occupancy;
        k->shared = (l->info ? l->info->static_shared : 0) + l->dynamic_shared;
        k->achieved_pct += l->result->achieved_occupancy_pct;
        sim_counters_add(&k->counters, &l->result->counters);
        if (r->lines || r->page || r->where) add_lines(k, l->result);
        profile_code_add(k, l);
        tell_untraced(r, k, l->result);
        add_time(k, l->result);
    }
    if (!r->json || r->json_failed) return;
    json_t *o = launch_json(r, l, m, m ? (size_t)(m - r->measured) : r->launches - 1);
    if (k && first) { /* once per kernel and configuration */
        json_object_set_new(o, "what_if", what_if_json(l->result));
        json_object_set_new(o, "advice", profile_advice_json(k));
    }
    profile_json_line(r, o);
}

/* ---- the table ---- */

/* Prints a cell padded to this many columns; negative: padded on the left. */
static void print_cell(FILE *to, const char *s, int columns) {
    int blank = abs(columns) - text_width(s);
    if (blank < 0) blank = 0;
    fprintf(to, "%*s%s%*s", columns < 0 ? blank : 0, "", s, columns < 0 ? 0 : blank, "");
}

/* All units are padded to the widest. */
static int unit_columns(lib_lang lang) {
    static const lib_word_id units[] = {W_PROFILE_UNIT_US, W_PROFILE_UNIT_MS, W_PROFILE_UNIT_S};
    int most = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int n = text_width(lib_word(lang, units[i]));
        if (n > most) most = n;
    }
    return most;
}

static void print_time(FILE *to, double us, lib_lang lang) {
    if (us < 1000) fprintf(to, "%8.2f ", us);
    else fprintf(to, "%8.3f ", us < 1e6 ? us / 1000 : us / 1e6);
    print_cell(to,
               lib_word(lang, us < 1000  ? W_PROFILE_UNIT_US
                              : us < 1e6 ? W_PROFILE_UNIT_MS
                                         : W_PROFILE_UNIT_S),
               unit_columns(lang));
}

static double profile_ratio(const sim_counters *c, const char *name) {
    double v = 0;
    sim_counter_get(c, name, &v);
    return v;
}

static void print_ratio(FILE *to, double v, bool applies) {
    if (!applies) fprintf(to, "      -");
    else fprintf(to, v < 100 ? " %6.2f" : " %6.0f", v);
}

static int by_time(const void *a, const void *b) {
    double x = ((const profile_kernel *)a)->time_us, y = ((const profile_kernel *)b)->time_us;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int profile_line_order(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* Copies line n of a file without its indentation; "" if there is none. */
static void source_line(char **text, const char *file, char *loaded, size_t loaded_size, unsigned n,
                        char *out, size_t size) {
    if (strcmp(loaded, file)) {
        free(*text);
        *text = lib_read_file(file, 4 << 20, NULL, NULL);
        snprintf(loaded, loaded_size, "%s", file);
    }
    const char *s = *text;
    for (unsigned i = 1; s && i < n; i++) {
        s = strchr(s, '\n');
        if (s) s++;
    }
    if (s) s += strspn(s, " \t");
    snprintf(out, size, "%.*s", s ? (int)strcspn(s, "\r\n") : 0, s ? s : "");
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
    }
}

static void print_lines(FILE *to, profile_kernel *k, lib_lang lang, int width) {
    enum { BEFORE = 61, LEAST = 12, MOST = 40 }; /* columns of a line's source */
    int room = !width || width - BEFORE > MOST ? MOST : width - BEFORE;
    if (room < LEAST) room = LEAST;
    if (!k->line_count) return;
    qsort(k->lines, k->line_count, sizeof *k->lines, profile_line_order);
    char *text = NULL, loaded[1024] = "";
    fprintf(to, "    %s\n", lib_word(lang, W_PROFILE_HEADS_LINES));
    for (size_t i = 0; i < k->line_count; i++) {
        const sim_line *l = &k->lines[i];
        char code[160];
        source_line(&text, l->file, loaded, sizeof loaded, l->line, code, sizeof code);
        if (!i || strcmp(l->file, k->lines[i - 1].file)) lib_print(to, "    %s\n", l->file);
        char count[32];
        fprintf(to, "    %6u %10s  %5.1f ", l->line,
                lib_figure(count, 6, (double)l->counters.warp_inst),
                profile_ratio(&l->counters, "active_lanes_avg"));
        print_ratio(to, profile_ratio(&l->counters, "gld_sectors_per_request"),
                    l->counters.gld_requests);
        fputc(' ', to);
        print_ratio(to, profile_ratio(&l->counters, "gst_sectors_per_request"),
                    l->counters.gst_requests);
        fprintf(
            to, " %5llu %6llu  | %.*s\n",
            (unsigned long long)(l->counters.shared_ld_conflicts + l->counters.shared_st_conflicts),
            (unsigned long long)l->counters.divergent_branches, (int)text_fit(code, room), code);
    }
    free(text);
}

/* The table's columns: at most 80 in all, in each language. */
enum { KERNEL = 14, LAUNCHES = 8, LIMITER = 8, OCCUPANCY = 5, RATIO = 7 };

/* Prints what the columns mean, and their names. */
static void print_head(FILE *to, const profile_report *r) {
    lib_message counters = {0};
    if (r->counters_from) lib_message_set(&counters, w_profile_counters_of(r->counters_from));
    char *text = lib_words_take(
        r->lang,
        w_profile_table(r->measured_on ? r->measured_on : r->device, (long long)r->launches,
                        r->measured_on ? W_PROFILE_MEASURED : W_PROFILE_MODELLED, &counters));
    fputc('\n', to);
    profile_put_wrapped(to, text, 0, 80);
    free(text);
    const struct {
        lib_word_id word;
        int columns;
    } heads[] = {{W_PROFILE_HEAD_KERNEL, KERNEL},
                 {W_PROFILE_HEAD_LAUNCHES, -LAUNCHES},
                 {W_PROFILE_HEAD_TIME, -10 - unit_columns(r->lang)},
                 {W_PROFILE_HEAD_LIMITER, LIMITER},
                 {W_PROFILE_HEAD_OCCUPANCY, -OCCUPANCY},
                 {W_PROFILE_HEAD_LD, -RATIO},
                 {W_PROFILE_HEAD_ST, -RATIO},
                 {W_PROFILE_HEAD_BANK, -RATIO},
                 {W_PROFILE_HEAD_DIVERGENCE, -RATIO}};
    fputs("\n\n  ", to);
    for (size_t i = 0; i < 9; i++) {
        print_cell(to, lib_word(r->lang, heads[i].word), heads[i].columns);
        if (i == 2) fputc(' ', to);
    }
    fputc('\n', to);
}

/* What prevents more blocks from being resident (sim_occupancy.limiter). */
static lib_word_id limiter_words(const char *limiter) {
    static const struct {
        const char *name;
        lib_word_id word;
    } words[] = {{"blocks", W_PROFILE_LIMIT_BLOCKS},
                 {"warps", W_PROFILE_LIMIT_WARPS},
                 {"registers", W_PROFILE_LIMIT_REGISTERS},
                 {"shared", W_PROFILE_LIMIT_SHARED}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(limiter, words[i].name)) return words[i].word;
    return 0;
}

/* Prints a line below a kernel's row. */
static void print_below(FILE *to, lib_lang lang, lib_words words) {
    fputs("      ", to);
    lib_words_print(to, lang, words);
    fputc('\n', to);
}

/* Prints below a kernel's row: its shape, registers and traffic, and whether a launch failed. */
static void print_shape(FILE *to, const profile_kernel *k, lib_lang lang) {
    const sim_counters *c = &k->counters;
    bool counted = c->warp_inst > 0;
    char shape[128];
    snprintf(shape, sizeof shape, "<<<(%u,%u,%u), (%u,%u,%u)>>>", k->grid[0], k->grid[1],
             k->grid[2], k->block[0], k->block[1], k->block[2]);
    fputc('\n', to);
    print_below(to, lang,
                counted ? w_profile_shape(shape, k->registers, profile_ratio(c, "active_lanes_avg"))
                        : w_profile_shape_not_counted(shape));
    if (counted)
        print_below(to, lang,
                    w_profile_traffic((double)c->warp_inst, (long long)c->dram_read,
                                      (long long)c->dram_write));
    if (counted && k->occupancy.limiter && k->occupancy.pct < 99.5)
        print_below(to, lang, w_profile_limited_by(limiter_words(k->occupancy.limiter)));
    if (c->local_ld_sectors + c->local_st_sectors)
        print_below(to, lang,
                    w_profile_local_memory((long long)c->local_ld_sectors * 32,
                                           (long long)c->local_st_sectors * 32));
    if (k->failed) print_below(to, lang, w_profile_launches_failed((long long)k->failed));
}

/* Returns why all kernels are timed by their counters; NULL: there is one kernel only, or they are
 * not, or not for the same reason. */
static const lib_message *why_all_by_ptx(const profile_report *r) {
    char first[512] = "", other[512] = "";
    for (size_t i = 0; i < r->kernel_count; i++) {
        const lib_message *why = r->kernels[i].by_counters_why;
        if (!why) return NULL;
        if (strcmp(lib_message_text(i ? other : first, sizeof other, LIB_EN, why), first) != 0)
            return NULL;
    }
    return r->kernel_count > 1 ? r->kernels[0].by_counters_why : NULL;
}

static void print_table(FILE *to, profile_report *r) {
    if (!r->kernel_count) {
        fputc('\n', to);
        lib_words_print(to, r->lang, w_profile_no_kernel(r->device));
        fputc('\n', to);
        return;
    }
    qsort(r->kernels, r->kernel_count, sizeof *r->kernels, by_time);
    profile_print_copying(to, r);
    const lib_message *all_why = why_all_by_ptx(r);
    if (all_why) print_below(to, r->lang, w_profile_all_timed_by_counters(all_why));
    print_head(to, r);
    for (size_t i = 0; i < r->kernel_count; i++) {
        profile_kernel *k = &r->kernels[i];
        const sim_counters *c = &k->counters;
        uint64_t shared = c->shared_ld_requests + c->shared_st_requests;
        size_t n = strlen(k->kernel);
        bool counted = c->warp_inst > 0; /* otherwise the figures are unknown, not 0 */
        if (n <= KERNEL) lib_print(to, "  %-*s", KERNEL, k->kernel);
        else lib_print(to, "  %s\n  %*s", k->kernel, KERNEL, "");
        char count[32];
        fprintf(to, "%*s ", LAUNCHES, lib_figure(count, 6, (double)k->launches));
        print_time(to, k->time_us / (double)k->launches, r->lang);
        fputc(' ', to);
        print_cell(to, counted && k->limiter ? grade_limiter_word(k->limiter, r->lang) : "-",
                   LIMITER);
        if (counted) fprintf(to, "%*.0f%%", OCCUPANCY - 1, k->occupancy_pct);
        else fprintf(to, "%*s", OCCUPANCY, "-");
        print_ratio(to, profile_ratio(c, "gld_sectors_per_request"), c->gld_requests);
        print_ratio(to, profile_ratio(c, "gst_sectors_per_request"), c->gst_requests);
        print_ratio(
            to,
            shared ? (double)(c->shared_ld_conflicts + c->shared_st_conflicts) / (double)shared : 0,
            shared);
        if (c->branches) fprintf(to, " %5.1f%%", profile_ratio(c, "divergent_branch_pct"));
        else fprintf(to, "      -");
        print_shape(to, k, r->lang);
        if (k->by_counters_why && !all_why)
            print_below(to, r->lang, w_profile_timed_by_counters(k->by_counters_why));
        if (r->hardware) profile_print_hardware(to, r, k);
        if (r->lines) print_lines(to, k, r->lang, r->width);
        profile_print_advice(to, k, r->lang);
        if (r->what_if) profile_print_what_if(to, k, r->lang);
        if (r->where) profile_print_stalls(to, k, r->lang);
    }
    if (r->what_if) profile_print_whole(to, r);
}

/* A kernel's page faults are in its time. This prints those of the host, and prefetched memory. */
static void print_managed(FILE *to, const profile_report *r) {
    const dev_record *v;
    size_t n = r->client ? dev_client_log(r->client, &v) : 0;
    unsigned long long kernels = 0, host = 0, moved = 0;
    for (size_t i = 0; i < n; i++) {
        *(v[i].op == DEV_OP_PAGES_OUT ? &host : &kernels) += v[i].page_faults;
        moved += v[i].migrated_bytes;
    }
    if (!kernels && !host && !moved) return;
    fputc('\n', to);
    lib_words_print(to, r->lang,
                    w_profile_managed((long long)kernels, (long long)host, (long long)moved));
    fputc('\n', to);
}

/* The launches of the table are all there; what is made of the records is not whole. */
static void print_unrecorded(FILE *to, const profile_report *r) {
    const dev_record *v;
    uint64_t more = r->client ? dev_client_unrecorded(r->client) : 0;
    if (!more) return;
    fputc('\n', to);
    lib_words_print(
        to, r->lang,
        w_profile_unrecorded((long long)more, (long long)dev_client_log(r->client, &v)));
    fputc('\n', to);
}

/* Prints the last line if a call failed: a refused launch has no other line. */
static void print_failed_calls(profile_report *r) {
    const sim_finding *f;
    size_t n = r->client ? dev_client_findings(r->client, &f) : 0;
    json_t *calls = json_array();
    for (size_t i = 0; i < n; i++)
        if (f[i].kind == SIM_FIND_CALL) json_array_append_new(calls, json_finding(&f[i]));
    if (json_array_size(calls)) profile_json_line(r, json_pack("{s:O}", "failed_calls", calls));
    json_decref(calls);
}

static void print_findings(FILE *to, profile_report *r) {
    if (!r->client) return;
    const sim_finding *f;
    size_t n = dev_client_findings(r->client, &f);
    if (n) {
        fputc('\n', to);
        lib_words_print(to, r->lang, w_profile_findings((long long)n));
        fputc('\n', to);
    }
    for (size_t i = 0; i < n; i++) {
        char *text = grade_finding_text(&f[i], r->lang);
        lib_print(to, "  ! %s\n", text);
        free(text);
    }
    const lib_message *const *lines;
    n = dev_client_unsupported(r->client, &lines);
    for (size_t i = 0; i < n; i++) {
        fputs("  ! ", to);
        lib_words_print(to, r->lang, w_profile_not_supported(lines[i]));
        fputc('\n', to);
    }
}

static void files_fail(profile_report *r, const lib_message *msg) {
    fputs("warplab: ", stderr);
    lib_words_print(stderr, r->lang, lib_message_words(msg));
    fputc('\n', stderr);
    r->files_failed = true;
}

static void print_all(FILE *to, profile_report *r) {
    if (!r->json_is_stdout) print_table(to, r);
    if (!r->json_is_stdout) print_managed(to, r);
    if (!r->json_is_stdout) print_unrecorded(to, r);
    if (!r->json_is_stdout && (r->ptx || r->sass)) profile_print_code(to, r);
    print_findings(to, r);
}

/* On a terminal, lines are wrapped to its width. In other output each stays one line, for programs
 * that read it. */
static void print_folded(FILE *to, profile_report *r) {
    char *text = NULL;
    size_t n = 0;
    FILE *all = isatty(fileno(to)) ? open_memstream(&text, &n) : NULL;
    if (!all) {
        print_all(to, r);
        return;
    }
    text_out o;
    text_out_init(&o, to);
    r->width = o.width;
    print_all(all, r);
    fclose(all);
    text_raw(&o, text, n, 0, INT_MAX);
    free(text);
}

void profile_finish(profile_report *r) {
    profile_uncounted(r);
    print_failed_calls(r);
    pass_on_printf(r);
    fflush(stdout);
    FILE *to = r->json_is_stdout ? stderr : stdout;
    print_folded(to, r);
    fflush(to);
    lib_message msg = {0};
    if (r->trace && !profile_write_trace(r, r->trace, &msg)) files_fail(r, &msg);
    if (r->page && !profile_write_page(r, r->page, &msg)) files_fail(r, &msg);
}
