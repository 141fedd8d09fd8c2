/* The result as JSON, and the functions with which the other reports read it.
 *
 * The object contains no wall-clock time, process id or temporary path. On a simulated device, the
 * same submission, seed and device always give the same bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "grader/goal/goal.h"
#include "grader/lab.h"
#include "grader/json/json.h"
#include "grader/report/model.h"
#include "words/report.h"

static json_t *said(lib_words words, lib_lang lang) {
    char *text = lib_words_take(lang, words);
    json_t *j = json_text(text);
    free(text);
    return j;
}

/* In the report's language and in all languages. */
static void set_said(json_t *o, const lib_message *m, lib_lang lang) {
    json_set(o, "message", said(lib_message_words(m), lang));
    json_set(o, "messages", json_both(lib_message_words(m)));
}

static json_t *json_case(const grade_case_result *c, lib_lang lang) {
    json_t *o = json_object(), *args = json_object(), *m = NULL;
    for (size_t i = 0; i < c->param_count; i++)
        json_set(args, c->params[i].name, json_value(c->params[i].value));
    json_set(o, "args", args);
    json_set(o, "pass", json_boolean(c->pass));
    json_set(o, "hidden", json_boolean(c->hidden));
    json_set(o, "timed", json_boolean(c->timed));
    json_set(o, "max_error", json_value(c->max_error));
    if (c->has_mismatch) {
        m = json_object();
        json_set(m, "arg", json_text(c->mismatch_arg));
        json_set(m, "index", json_u64(c->index));
        json_set(m, "expected", json_value(c->expected));
        json_set(m, "actual", json_value(c->actual));
        json_set(m, "wrong", json_u64(c->wrong));
        json_set(m, "total", json_u64(c->total));
        json_set(m, "picture", json_text(c->picture));
    }
    json_set(o, "mismatch", m);
    set_said(o, &c->message, lang);
    return o;
}

static json_t *json_goal(const grade_goal_result *g, bool ungraded, lib_lang lang) {
    const char *kind = grade_goal_kind_name(g->goal->kind);
    json_t *o = json_object();
    json_set(o, "name", json_text(g->goal->name ? g->goal->name : kind));
    json_set(o, "kind", json_text(kind));
    json_set(o, "pass", json_boolean(g->pass));
    json_set(o, "relation", json_text(grade_relation_text(grade_goal_relation(g->goal))));
    json_set(o, "expected", json_value(g->expected));
    json_set(o, "actual", json_value(g->actual));
    json_set(o, "points", ungraded ? json_null() : json_value(g->points));
    json_set(o, "max_points", json_value(g->goal->points));
    set_said(o, &g->message, lang);
    grade_goal_json(g, o);
    return o;
}

static json_t *finding_json(const grade_result *r, size_t i) {
    json_t *o = json_finding(&r->findings[i]);
    if (grade_finding_hidden(r, i)) json_set(o, "hidden", json_true());
    return o;
}

static json_t *json_launch(const grade_launch *l) {
    json_t *o = json_object(), *grid = json_three(l->grid), *block = json_three(l->block);
    json_set(o, "kernel", json_text(l->kernel));
    json_set(o, "grid", grid);
    json_set(o, "block", block);
    json_set(o, "registers", json_integer(l->registers));
    json_set(o, "shared", json_u64(l->shared));
    json_set(o, "time_us", json_value(l->time_us));
    json_set(o, "limiter", json_text(l->limiter));
    json_set(o, "occupancy_pct", json_value(l->occupancy.pct));
    json_set(o, "achieved_occupancy_pct", json_value(l->achieved_occupancy_pct));
    if (l->by_machine_code || lib_message_any(&l->by_counters_why)) {
        json_set(o, "timed_by", json_text(l->by_machine_code ? "machine code" : "counters"));
        if (!l->by_machine_code)
            json_set(o, "timed_by_why", json_both(lib_message_words(&l->by_counters_why)));
    }
    return o;
}

static json_t *gpu_json(const grade_result *r) {
    const dev_gpu_state *g = &r->gpu;
    json_t *o = json_pack("{s:o, s:o, s:o, s:f, s:f, s:I, s:[f,f]}", "name", json_text(g->name),
                          "uuid", json_text(g->uuid), "driver", json_text(g->driver), "copy_gbs",
                          g->copy_gbs, "launch_us", g->launch_us, "samples", (json_int_t)r->samples,
                          "time_interval", r->time_lo, r->time_hi);
    if (g->clocks_known) {
        char reasons[32];
        snprintf(reasons, sizeof reasons, "0x%llx", (unsigned long long)r->throttle);
        json_object_set_new(o, "clocks",
                            json_pack("{s:i, s:i, s:s, s:f, s:i}", "sm_mhz", (int)g->sm_mhz,
                                      "memory_mhz", (int)g->memory_mhz, "throttle_reasons", reasons,
                                      "power_w", g->power_w, "temperature_c",
                                      (int)g->temperature_c));
    } else json_object_set_new(o, "clocks", json_null());
    return o;
}

json_t *report_object(const grade_result *r, lib_lang lang) {
    json_t *o = json_object(), *list;
    if (!o) return NULL;
    bool measured = r->time_us > 0 || r->launch_count;
    json_set(o, "version", json_integer(1)); /* the version of this format */
    json_set(o, "warplab", json_text(lib_version()));
    json_set(o, "lab", json_text(r->lab ? r->lab->id : ""));
    json_set(
        o, "title",
        r->lab ? said(lib_words_plain((lib_texts){{r->lab->title[LIB_EN], r->lab->title[LIB_ZH]}}),
                      lang)
               : json_text(""));
    json_set(o, "verdict", json_text(grade_verdict_name(r->verdict)));
    /* null, not 0: nobody must add a missing score up as zero */
    json_set(o, "score", r->verdict == GRADE_ERROR ? json_null() : json_value(r->score));
    json_set(o, "max_score", json_value(r->max_score));
    json_set(o, "device", json_text(r->device));
    if (*r->asked_device && strcmp(r->asked_device, r->device))
        json_set(o, "asked_device", json_text(r->asked_device));
    json_set(o, "seed", json_u64(r->seed));
    if (r->secret) json_set(o, "secret_seed", json_u64(r->secret));
    set_said(o, &r->message, lang);
    if (lib_message_any(&r->message) && r->message_hidden)
        json_set(o, "message_hidden", json_true());
    json_set(o, "build", json_pack("{s:b,s:o}", "ok", r->build_ok, "log", json_text(r->build_log)));
    json_set(o, "cases", list = json_array());
    for (size_t i = 0; i < r->case_count; i++)
        json_array_append_new(list, json_case(&r->cases[i], lang));
    json_set(o, "goals", list = json_array());
    for (size_t i = 0; i < r->goal_count; i++)
        json_array_append_new(list, json_goal(&r->goals[i], r->verdict == GRADE_ERROR, lang));
    json_set(o, "time_us", json_value(r->time_us));
    json_set(o, "baseline_us", json_value(r->baseline_us));
    json_set(o, "speedup", json_value(r->speedup));
    if (*r->counters_from) {
        json_set(o, "counters_from", json_text(r->counters_from));
        json_set(o, "modelled_us", json_value(r->modelled_us));
        json_set(o, "modelled_speedup", json_value(r->modelled_speedup));
    }
    if (r->has_gpu) json_set(o, "gpu", gpu_json(r));
    if (r->ci_hi > 0)
        json_set(o, "speedup_interval",
                 json_pack("[o,o]", json_value(r->ci_lo), json_value(r->ci_hi)));
    /* How the time was measured: the server replayed the launches on new inputs, or the function
     * was called again. */
    json_set(o, "timing", json_text(!measured ? "none" : r->replayed ? "replayed" : "called"));
    json_set(o, "findings", list = json_array());
    for (size_t i = 0; i < r->finding_count; i++) json_array_append_new(list, finding_json(r, i));
    json_set(o, "toolchain",
             json_pack("{s:o,s:o}", "nvcc", json_text(r->nvcc), "arch", json_text(r->arch)));
    json_set(o, "sandbox", json_text(r->sandbox));
    if (r->ungradable) json_set(o, "ungradable", json_true());
    if (measured) {
        json_set(o, "counters", json_counters(&r->counters, true, true));
        json_set(o, "baseline_counters", json_counters(&r->baseline_counters, true, true));
    }
    json_set(o, "launches", list = json_array());
    for (size_t i = 0; i < r->launch_count; i++)
        json_array_append_new(list, json_launch(&r->launches[i]));
    json_set(o, "lines", list = json_array());
    for (size_t i = 0; i < r->line_count; i++) json_array_append_new(list, json_line(&r->lines[i]));
    if (r->output_len) json_set(o, "output", json_text(r->output));
    return o;
}

/* ---- reading ---- */

const char *report_text(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

double report_number(const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_string(v)) return json_number_value(v);
    const char *s = json_string_value(v);
    return !strcmp(s, "NaN")         ? NAN
           : !strcmp(s, "infinity")  ? INFINITY
           : !strcmp(s, "-infinity") ? -INFINITY
                                     : strtod(s, NULL);
}

bool report_true(const json_t *o, const char *key) {
    return json_is_true(json_object_get(o, key));
}

const char *report_said(const json_t *o, lib_lang lang) {
    const char *s = report_text(json_object_get(o, "messages"), lib_lang_name(lang));
    return *s ? s : report_text(o, "message");
}

bool report_ungraded(const json_t *o) {
    return !strcmp(report_text(o, "verdict"), "error");
}

static const struct {
    const char *verdict;
    lib_word_id word;
} verdicts[] = {{"graded", W_REPORT_GRADED},
                {"pass", W_REPORT_PASSED},
                {"fail", W_REPORT_NOT_PASSED},
                {"error", W_REPORT_COULD_NOT_BE_GRADED},
                {"ambiguous", W_REPORT_AMBIGUOUS},
                {"suspect", W_REPORT_TO_BE_REVIEWED},
                {"infra_error", W_REPORT_COULD_NOT_BE_GRADED},
                {"ungradable", W_REPORT_NOT_GRADABLE},
                {"missing", W_REPORT_NOT_GRADED_YET}};

lib_word_id report_verdict_word(const char *verdict) {
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (!strcmp(verdicts[i].verdict, verdict)) return verdicts[i].word;
    return 0;
}

const char *report_verdict(const char *verdict, lib_lang lang) {
    lib_word_id word = report_verdict_word(verdict);
    return word ? lib_word(lang, word) : verdict;
}

bool report_correctness(const json_t *goal) {
    grade_goal_kind k = grade_goal_kind_find(report_text(goal, "kind"));
    return k < GRADE_GOAL_KINDS && grade_goal_correctness(&(grade_goal){.kind = k});
}

char *report_goal_title(const json_t *goal, lib_lang lang) {
    return grade_goal_title(report_text(goal, "kind"), report_text(goal, "name"),
                            report_text(goal, "relation"), report_number(goal, "expected"), lang);
}

char *report_hidden(const json_t *o, lib_lang lang) {
    size_t i, hidden = 0, pass = 0;
    const json_t *c;
    json_array_foreach(json_object_get(o, "cases"), i, c) {
        hidden += report_true(c, "hidden");
        pass += report_true(c, "hidden") && report_true(c, "pass");
    }
    return hidden ? lib_words_take(lang, w_report_hidden_cases((long long)pass, (long long)hidden))
                  : strdup("");
}

char *report_course(const json_t *o, lib_lang lang) {
    const json_t *c = json_object_get(o, "course");
    const char *rules = report_text(json_object_get(c, "messages"), lib_lang_name(lang));
    if (!(report_number(c, "cut") > 0) || !json_is_number(json_object_get(c, "earned")))
        return strdup(rules);
    return lib_words_take(
        lang, w_report_course_cut(rules, report_number(c, "earned"), report_number(c, "score")));
}

const char *report_finding(const json_t *finding, lib_lang lang) {
    const char *en = report_text(finding, "text"),
               *here = report_text(json_object_get(finding, "texts"), lib_lang_name(lang));
    if (!*en) return lib_word(lang, W_REPORT_IN_HIDDEN_CASE);
    return *here ? here : en; /* older records have only English */
}
