/* `warplab pack`: installs, lists, updates and removes packs of labs (runner/pack/pack.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/pack/pack.h"
#include "runner/cli/cli.h"
#include "grader/json/json.h"
#include "words/cli.h"

typedef struct {
    const char *at;
    bool link, json;
    lib_lang lang;
} pack_args;

static void say_left(const pack_args *a, const pack_done *d) {
    if (d->left_out) cli_line(stdout, a->lang, w_cli_pack_left_out(d->left_out, d->first_left));
}

/* ---- add ---- */

static int pack_add_all(const pack_args *a, int n, char **from) {
    lib_message msg = {0};
    if (n != 1) return cli_fail(CLI_USAGE, w_cli_pack_add_operands(n));
    pack_done d;
    bool ok = pack_add(from[0], a->at, a->link, &d, &msg);
    if (ok) {
        cli_line(stdout, a->lang,
                 w_cli_pack_added(d.pack->name, d.pack->version,
                                  (lib_texts){{d.pack->title[LIB_EN], d.pack->title[LIB_ZH]}},
                                  d.pack->lab_count));
        say_left(a, &d);
        cli_line(stdout, a->lang, w_cli_pack_next(d.pack->name, d.pack->labs[0].id));
    }
    pack_done_free(&d);
    return ok ? CLI_PASSED : cli_say(CLI_FAILED, &msg);
}

/* ---- list ---- */

static json_t *pack_json(const char *name, const lab_pack *p, const char *origin,
                         const lib_message *why, lib_lang lang) {
    json_t *o = json_pack("{s:o, s:o, s:b}", "name", json_text(name), "from",
                          origin ? json_text(origin) : json_null(), "linked", pack_is_linked(name));
    if (!p) {
        char text[1024];
        json_object_set_new(o, "broken", json_text(lib_message_text(text, sizeof text, lang, why)));
        return o;
    }
    json_t *labs = json_array();
    for (size_t i = 0; i < p->lab_count; i++) {
        const pack_lab *l = &p->labs[i];
        json_t *one = json_pack("{s:o}", "id", json_text(l->id));
        if (*l->deadline) json_object_set_new(one, "deadline", json_text(l->deadline));
        if (l->points > 0) json_object_set_new(one, "points", json_real(l->points));
        json_array_append_new(labs, one);
    }
    json_object_set_new(o, "version", json_text(p->version));
    json_object_set_new(
        o, "title", json_both(lib_words_plain((lib_texts){{p->title[LIB_EN], p->title[LIB_ZH]}})));
    json_object_set_new(o, "labs", labs);
    return o;
}

static void pack_row(const pack_args *a, const char *name, const lab_pack *p, const char *origin,
                     const lib_message *why) {
    if (!p) {
        cli_line(stdout, a->lang, w_cli_pack_does_not_load(name, why));
        return;
    }
    cli_line(stdout, a->lang,
             w_cli_pack_row(p->name, p->version, (lib_texts){{p->title[LIB_EN], p->title[LIB_ZH]}},
                            p->lab_count, origin ? origin : "?"));
    for (size_t i = 0; i < p->lab_count; i++) {
        const pack_lab *l = &p->labs[i];
        lib_print(stdout, "  %s/%s", p->name, l->id);
        if (l->points > 0)
            lib_words_print(stdout, a->lang,
                            l->points == 1 ? w_cli_pack_point(1) : w_cli_pack_points(l->points));
        if (*l->deadline) lib_words_print(stdout, a->lang, w_cli_pack_until(l->deadline));
        putchar('\n');
    }
}

static int pack_list(const pack_args *a, int n, char **names) {
    size_t count;
    char **all = pack_names(&count);
    json_t *list = json_array();
    (void)names;
    for (size_t i = 0; i < count; i++) {
        lib_message msg = {0};
        char *folder = pack_folder(all[i]), *origin = pack_origin(all[i]);
        lab_pack *p = pack_read(folder, &msg);
        if (a->json) json_array_append_new(list, pack_json(all[i], p, origin, &msg, a->lang));
        else pack_row(a, all[i], p, origin, &msg);
        free(p);
        free(origin);
        free(folder);
    }
    if (a->json) {
        char *text = json_dumps(list, JSON_INDENT(2));
        puts(text ? text : "[]");
        free(text);
    } else if (!count) puts(lib_word(a->lang, W_CLI_PACK_NONE_INSTALLED));
    json_decref(list);
    lib_lab_names_free(all, count);
    return n ? cli_fail(CLI_USAGE, w_cli_pack_list_operands()) : CLI_PASSED;
}

/* ---- update, remove ---- */

static bool update_one(const pack_args *a, const char *name) {
    lib_message msg = {0};
    pack_done d;
    bool ok = pack_update(name, &d, &msg);
    if (!ok) cli_fail(CLI_FAILED, w_cli_about(name, &msg));
    else if (d.same) cli_line(stdout, a->lang, w_cli_pack_same(name, d.pack->version));
    else {
        cli_line(stdout, a->lang, w_cli_pack_updated(name, d.pack->version, *d.was ? d.was : "?"));
        say_left(a, &d);
    }
    pack_done_free(&d);
    return ok;
}

static int pack_update_all(const pack_args *a, int n, char **names) {
    size_t count = (size_t)n;
    char **all = n ? names : pack_names(&count);
    bool ok = true;
    for (size_t i = 0; i < count; i++) ok &= update_one(a, all[i]);
    if (!n) lib_lab_names_free(all, count);
    return ok ? CLI_PASSED : CLI_FAILED;
}

static int pack_remove_all(const pack_args *a, int n, char **names) {
    bool ok = true;
    if (!n) return cli_fail(CLI_USAGE, w_cli_pack_remove_operands());
    for (int i = 0; i < n; i++) {
        lib_message msg = {0};
        if (pack_remove(names[i], &msg)) cli_line(stdout, a->lang, w_cli_pack_removed(names[i]));
        else {
            cli_say(CLI_FAILED, &msg);
            ok = false;
        }
    }
    return ok ? CLI_PASSED : CLI_FAILED;
}

int cmd_pack(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(const pack_args *a, int n, char **names);
    } verbs[] = {{"add", pack_add_all},
                 {"list", pack_list},
                 {"update", pack_update_all},
                 {"remove", pack_remove_all}};
    enum { VERBS = sizeof verbs / sizeof *verbs };
    pack_args a = {0};
    const cli_option options[] = {{.name = "at", .value = &a.at},
                                  {.name = "link", .flag = &a.link},
                                  {.name = "json", .flag = &a.json},
                                  {.name = "lang", .lang = &a.lang},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    const char *names[VERBS];
    for (int i = 0; i < VERBS; i++) {
        names[i] = verbs[i].name;
        if (argc > 1 && !strcmp(argv[1], verbs[i].name))
            return verbs[i].run(&a, argc - 2, argv + 2);
    }
    const char *near = argc > 1 ? lib_nearest(argv[1], names, VERBS) : NULL;
    return cli_fail(CLI_USAGE, near       ? w_cli_pack_verb_near(argv[1], near)
                               : argc > 1 ? w_cli_pack_verb(argv[1])
                                          : w_cli_pack_no_verb());
}
