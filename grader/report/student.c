/* What a student may know of a result: everything about public cases; of a hidden case only its
 * verdict and the kind of its first mistake. A program chooses its exit status, the names of its
 * kernels, what it prints, and where and how it fails. With each of them it could reveal what a
 * hidden case contains. Therefore the view is made from the fields listed here, and has no
 * others. */
#include "grader/report/formats.h"

#include <stdlib.h>
#include "grader/result.h"
#include "grader/json/json.h"
#include "words/report.h"

/* Of the result, the compiler and the public cases. */
static const char *const student_fields[] = {"version",
                                             "warplab",
                                             "student",
                                             "lab",
                                             "title",
                                             "verdict",
                                             "score",
                                             "max_score",
                                             "device",
                                             "time_us",
                                             "baseline_us",
                                             "speedup",
                                             "speedup_interval",
                                             "counters_from",
                                             "modelled_us",
                                             "build",
                                             "asked_device",
                                             "goals",
                                             "toolchain",
                                             "sandbox",
                                             "timing",
                                             "ungradable",
                                             "course"};
/* Of the measured call: the timed case, or otherwise the last public case. */
static const char *const measured_fields[] = {"counters", "baseline_counters", "launches", "lines"};

static void view_copy(json_t *view, const json_t *o, const char *const *keys, size_t n) {
    for (size_t i = 0; i < n; i++) {
        json_t *v = json_object_get(o, keys[i]);
        if (v) json_object_set(view, keys[i], v);
    }
}

static void say(json_t *view, lib_words words) {
    json_t *messages = json_both(words);
    json_object_set(view, "message", json_object_get(messages, lib_lang_name(LIB_EN)));
    json_set(view, "messages", messages);
}

static json_t *student_case(const json_t *c) {
    json_t *view = json_object();
    bool pass = report_true(c, "pass"), wrong = json_is_object(json_object_get(c, "mismatch"));
    json_object_set_new(view, "hidden", json_true());
    json_object_set_new(view, "pass", json_boolean(pass));
    say(view, pass ? lib_words_of(0) : wrong ? w_report_wrong_output() : w_report_no_right_end());
    return view;
}

/* Of a hidden finding the student reads only the kind, and only of the first one. With hidden cases
 * there are no counts at all, because counting continues in them. */
static json_t *student_findings(const json_t *o, bool hidden_cases) {
    static const char *const kind[] = {"kind", "hidden"};
    json_t *list = json_array();
    const json_t *f;
    size_t i;
    bool told = false;
    json_array_foreach(json_object_get(o, "findings"), i, f) {
        bool hidden = report_true(f, "hidden");
        if (hidden && told) continue;
        json_t *view = hidden ? json_object() : json_copy((json_t *)f);
        if (hidden) view_copy(view, f, kind, sizeof kind / sizeof *kind);
        if (hidden_cases) json_object_del(view, "count");
        told = told || hidden;
        json_array_append_new(list, view);
    }
    return list;
}

json_t *report_student(const json_t *o) {
    json_t *view = json_object(), *cases = json_array();
    const json_t *c;
    size_t i, hidden = 0;
    if (!view || !cases) {
        json_decref(view);
        json_decref(cases);
        return NULL;
    }
    view_copy(view, o, student_fields, sizeof student_fields / sizeof *student_fields);
    json_array_foreach(json_object_get(o, "cases"), i, c) {
        bool secret = report_true(c, "hidden");
        hidden += secret;
        if (secret) json_array_append_new(cases, student_case(c));
        else json_array_append(cases, (json_t *)c);
    }
    /* If all cases are hidden, the measured case is hidden, too. */
    if (!hidden || hidden < json_array_size(cases))
        view_copy(view, o, measured_fields, sizeof measured_fields / sizeof *measured_fields);
    json_object_set_new(view, "cases", cases);
    json_object_set_new(view, "findings", student_findings(o, hidden > 0));
    lib_texts told;
    for (int l = 0; l < LIB_LANGS; l++) told.in[l] = report_said(o, (lib_lang)l);
    say(view, report_true(o, "message_hidden")
                  ? lib_words_of(grade_hidden_message(report_ungraded(o)))
                  : lib_words_plain(told));
    return view;
}

char *report_hidden_details(const json_t *o, lib_lang lang) {
    lib_buffer b = {0};
    const json_t *x;
    size_t i;
    if (report_true(o, "message_hidden")) lib_buffer_printf(&b, "%s\n", report_said(o, lang));
    json_array_foreach(json_object_get(o, "cases"), i, x) {
        if (!report_true(x, "hidden") || report_true(x, "pass")) continue;
        lib_buffer_printf(&b, "%s\n", report_said(x, lang));
        const char *picture = report_text(json_object_get(x, "mismatch"), "picture");
        if (*picture) lib_buffer_printf(&b, "  [%s]\n", picture);
    }
    json_array_foreach(json_object_get(o, "findings"), i, x) {
        if (!report_true(x, "hidden")) continue;
        lib_buffer_printf(&b, "%s: %s\n", report_text(x, "kind"), report_finding(x, lang));
    }
    return lib_buffer_take(&b);
}
