/* `warplab list` and `warplab devices`: list labs and devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include "runner/grade/grading.h"
#include "runner/lesson/catalog.h"
#include "runner/cli/cli.h"
#include "runner/base/say.h"
#include "grader/json/json.h"
#include "words/cli.h"

/* ---- list ---- */

static int list_json(const lab_header *labs, size_t n, progress *p) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        const lab_header *l = &labs[i];
        char why[1024];
        progress_lab done;
        progress_get(p, l->id, &done);
        json_t *needs = json_array();
        for (size_t k = 0; k < l->need_count; k++)
            json_array_append_new(needs, json_text(l->needs[k]));
        json_t *j = json_pack(
            "{s:o, s:o, s:i, s:i, s:o, s:f, s:b, s:b, s:f}", "id", json_text(l->id), "title",
            json_both(lib_words_plain((lib_texts){{l->title[LIB_EN], l->title[LIB_ZH]}})),
            "chapter", l->chapter, "minutes", l->minutes, "needs", needs, "points", l->points,
            "started", done.started, "passed", done.passed, "best_score", done.best_score);
        json_object_set_new(j, "quiz", json_boolean(l->quiz));
        if (l->broken)
            json_object_set_new(j, "broken",
                                json_text(lib_message_text(why, sizeof why, LIB_EN, &l->why)));
        json_array_append_new(all, j);
    }
    char *text = json_dumps(all, JSON_INDENT(2));
    json_decref(all);
    if (!text) return cli_fail(CLI_ERROR, w_cli_out_of_memory());
    puts(text);
    free(text);
    return CLI_PASSED;
}

int cmd_list(int argc, char **argv) {
    bool json = false;
    lib_lang lang;
    const cli_option options[] = {
        {.name = "json", .flag = &json}, {.name = "lang", .lang = &lang}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > (json ? 1 : 2))
        return cli_fail(CLI_USAGE, w_cli_unexpected_argument("list", argv[json ? 1 : 2]));
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    progress *done = progress_open(NULL);
    size_t n;
    if (json) {
        lab_header *labs = NULL;
        n = lab_list(p->root, &labs);
        status = list_json(labs, n, done);
        free(labs);
    } else {
        text_out out;
        text_out_init(&out, stdout);
        const char *word = argc > 1 ? argv[1] : NULL;
        n = lab_list_show(&out, lang, p->root, done, NULL, word);
        status = n      ? CLI_PASSED
                 : word ? cli_fail(CLI_USAGE, w_cli_list_none_has(word))
                        : cli_fail(CLI_ERROR, w_cli_list_no_lessons(p->labs));
    }
    progress_close(done);
    return status;
}

/* ---- devices ---- */

typedef struct {
    json_t *all;
    const char *standard;
} device_list;

static json_t *list_value(const sim_figure *f, unsigned k) {
    if (f->type == SIM_FLAG) return json_boolean(f->value[k] != 0);
    return f->type == SIM_REAL ? json_real(f->value[k]) : json_integer((json_int_t)f->value[k]);
}

/* All figures of a simulated device: value and origin. */
static json_t *list_figures(const sim_profile *p) {
    static const char *const origins[] = {[SIM_UNSTATED] = "unstated",
                                          [SIM_MEASURED] = "measured",
                                          [SIM_DOCUMENTED] = "documented",
                                          [SIM_BORROWED] = "borrowed",
                                          [SIM_ASSUMED] = "assumed"};
    json_t *all = json_object();
    for (size_t i = 0; i < sim_figure_count(); i++) {
        sim_figure f = sim_figure_at(p, i);
        json_t *value = f.type == SIM_SIZES_KB ? json_array() : list_value(&f, 0);
        for (unsigned k = 0; f.type == SIM_SIZES_KB && k < f.values; k++)
            json_array_append_new(value, list_value(&f, k));
        json_t *one =
            json_pack("{s:o, s:s, s:s, s:s, s:s*, s:s}", "value", value, "unit", f.unit, "meaning",
                      f.meaning, "origin", origins[f.origin], "from", f.from, "source", f.source);
        if (f.scaled) json_object_set_new(one, "scaled", json_true());
        json_object_set_new(all, f.name, one);
    }
    return all;
}

static void list_device(void *user, const char *name, const lib_message *what,
                        const lib_message *why) {
    device_list *d = user;
    char said[512], reason[1024] = "";
    bool standard = !strcmp(name, d->standard);
    if (d->all) {
        lib_message_text(said, sizeof said, LIB_EN, what);
        if (why) lib_message_text(reason, sizeof reason, LIB_EN, why);
        json_t *one = json_pack("{s:o, s:o, s:b, s:o, s:b}", "name", json_text(name), "description",
                                json_text(said), "available", !why, "why", json_text(reason),
                                "default", standard);
        const sim_profile *p = strncmp(name, "sim:", 4) ? NULL : sim_profile_find(name + 4);
        if (p) {
            json_object_set_new(one, "architecture", json_text(p->architecture));
            json_object_set_new(one, "figures", list_figures(p));
        }
        json_array_append_new(d->all, one);
        return;
    }
    lib_message_text(said, sizeof said, cli_language(), what);
    lib_print(stdout, "%c %-14s %s", standard ? '*' : ' ', name, said);
    if (why) lib_words_print(stdout, cli_language(), w_cli_device_not_available(why));
    putchar('\n');
}

int cmd_devices(int argc, char **argv) {
    bool json = false;
    const cli_option options[] = {{.name = "json", .flag = &json}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_unexpected_argument("devices", argv[1]));
    device_list d = {.all = json ? json_array() : NULL, .standard = grading_device()};
    dev_list(list_device, &d);
    if (!json) {
        printf("\n%s\n", lib_word(cli_language(), W_CLI_DEVICES_DEFAULT));
        return CLI_PASSED;
    }
    char *text = json_dumps(d.all, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(d.all);
    if (!text) return cli_fail(CLI_ERROR, w_cli_out_of_memory());
    puts(text);
    free(text);
    return CLI_PASSED;
}
