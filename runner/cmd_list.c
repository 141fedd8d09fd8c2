/* `warplab list` and `warplab devices`: what there is to do, and what to do it on. */
#include "cli.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grading.h"
#include "lab.h"
#include "progress.h"
#include "text.h"

/* ---- list ---- */

static int list_json(const lab_header *labs, size_t n, progress *p) {
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        const lab_header *l = &labs[i];
        progress_lab done;
        progress_get(p, l->id, &done);
        json_t *needs = json_array();
        for (size_t k = 0; k < l->need_count; k++) json_array_append_new(needs, json_string(l->needs[k]));
        json_t *j = json_pack("{s:s, s:{s:s, s:s}, s:i, s:i, s:o, s:f, s:b, s:b, s:f}", "id", l->id, "title",
                              "en", l->title[GRADE_EN], "zh", l->title[GRADE_ZH], "chapter", l->chapter,
                              "minutes", l->minutes, "needs", needs, "points", l->points, "started",
                              done.started, "passed", done.passed, "best_score", done.best_score);
        if (l->broken) json_object_set_new(j, "broken", json_string(l->why));
        json_array_append_new(all, j);
    }
    char *text = json_dumps(all, JSON_INDENT(2));
    json_decref(all);
    if (!text) return lab_fail(LAB_ERROR, "out of memory");
    puts(text);
    free(text);
    return LAB_PASSED;
}

/* Cuts or pads to `columns`, by display width. */
static void cell(const char *text, int columns) {
    size_t n = text_fit(text, columns);
    printf("%.*s%*s", (int)n, text, columns - text_width_n(text, n), "");
}

int cmd_list(int argc, char **argv) {
    bool json = false;
    const char *asked = NULL;
    const lab_option options[] = {
        {.name = "json", .flag = &json}, {.name = "lang", .value = &asked}, {.name = NULL}};
    int status = lab_options(&argc, argv, options, false);
    if (status >= 0) return status;
    grade_lang lang;
    if (argc > 1) return lab_fail(LAB_USAGE, "list: unexpected argument %s", argv[1]);
    if (!lab_lang(asked, &lang)) return lab_fail(LAB_USAGE, "list: --lang takes en or zh, found %s", asked);
    sim_message msg;
    const lab_paths *p = lab_paths_get(&msg);
    if (!p) return lab_fail(LAB_ERROR, "%s", msg.text);
    lab_header *labs = NULL;
    size_t n = lab_list(p->root, &labs);
    progress *done = progress_open(NULL);
    if (json) {
        status = list_json(labs, n, done);
    } else {
        static const char *const needs[] = {"after ", "先学 "};
        int last = -1;
        for (size_t i = 0; i < n; i++) {
            const lab_header *l = &labs[i];
            progress_lab was;
            progress_get(done, l->id, &was);
            if (l->chapter != last) {
                if (i) putchar('\n');
                if (lang == GRADE_ZH) printf("第 %d 章", l->chapter);
                else printf("Chapter %d", l->chapter);
                putchar('\n');
                last = l->chapter;
            }
            printf("  %s ", was.passed ? "x" : was.started ? "." : " ");
            cell(l->id, 22);
            cell(l->broken ? l->why : l->title[lang], 37);
            putchar(' ');
            for (size_t k = 0; k < l->need_count; k++)
                printf("%s%s", k ? ", " : needs[lang == GRADE_ZH], l->needs[k]);
            putchar('\n');
        }
        if (!n) status = lab_fail(LAB_ERROR, "found no lessons in %s", p->labs);
        else status = LAB_PASSED;
    }
    progress_close(done);
    free(labs);
    return status;
}

/* ---- devices ---- */

typedef struct {
    json_t *all;
    const char *standard;
} device_list;

static void one_device(void *user, const char *name, const char *what, bool available, const char *why) {
    device_list *d = user;
    bool standard = !strcmp(name, d->standard);
    if (d->all) {
        json_array_append_new(d->all,
                              json_pack("{s:s, s:s, s:b, s:s, s:b}", "name", name, "description", what,
                                        "available", available, "why", why ? why : "", "default", standard));
        return;
    }
    printf("%c %-14s %s%s%s%s\n", standard ? '*' : ' ', name, what,
           available ? "" : "  (not available: ", available || !why ? "" : why, available ? "" : ")");
}

int cmd_devices(int argc, char **argv) {
    bool json = false;
    const lab_option options[] = {{.name = "json", .flag = &json}, {.name = NULL}};
    int status = lab_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return lab_fail(LAB_USAGE, "devices: unexpected argument %s", argv[1]);
    device_list d = {.all = json ? json_array() : NULL, .standard = lab_default_device()};
    dev_list(one_device, &d);
    if (!json) {
        puts("\n* is the default; --device or WARPLAB_DEVICE takes another.");
        return LAB_PASSED;
    }
    char *text = json_dumps(d.all, JSON_INDENT(2));
    json_decref(d.all);
    if (!text) return lab_fail(LAB_ERROR, "out of memory");
    puts(text);
    free(text);
    return LAB_PASSED;
}
