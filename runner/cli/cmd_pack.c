/* `warplab pack`: labs from elsewhere, installed, listed, renewed, removed (runner/pack/pack.h). */
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

typedef struct {
    const char *at;
    bool link, json;
    lib_lang lang;
} pack_args;

static const char *pack_in(const pack_args *a, const char *en, const char *zh) {
    return a->lang == LIB_ZH ? zh : en;
}

static void say_left(const pack_args *a, const pack_done *d) {
    if (d->left_out)
        lib_print(stdout,
                  pack_in(a, "  left out, since no pack is made of such: %zu file%s, such as %s\n",
                          "  有 %zu 个文件%.0s不属于实验包，已略去，例如 %s\n"),
                  d->left_out, LIB_S(d->left_out), d->first_left);
}

/* ---- add ---- */

static int pack_add_all(const pack_args *a, int n, char **from) {
    lib_message msg = {0};
    if (n != 1)
        return cli_fail2(CLI_USAGE,
                         "pack add takes one folder or address, found %d\nusage: warplab pack add "
                         "FOLDER|URL [--at TAG] [--link]",
                         "pack add 后面应写一个文件夹或地址，这里有 %d 个\n用法：warplab pack add "
                         "FOLDER|URL [--at TAG] [--link]",
                         n);
    pack_done d;
    bool ok = pack_add(from[0], a->at, a->link, &d, &msg);
    if (ok) {
        lib_print(stdout, pack_in(a, "%s %s: %s, %zu lab%s\n", "%s %s：%s，%zu 个实验%.0s\n"),
                  d.pack->name, d.pack->version, d.pack->title[a->lang], d.pack->lab_count,
                  LIB_S(d.pack->lab_count));
        say_left(a, &d);
        lib_print(stdout,
                  pack_in(a, "Now: warplab list %s   or, at the prompt, start %s/%s\n",
                          "接下来：warplab list %s，或在提示符下输入 start %s/%s\n"),
                  d.pack->name, d.pack->name, d.pack->labs[0].id);
    }
    pack_done_free(&d);
    return ok ? CLI_PASSED : cli_say(CLI_FAILED, &msg);
}

/* ---- list ---- */

static json_t *pack_json(const char *name, const lab_pack *p, const char *origin, const char *why) {
    json_t *o = json_pack("{s:o, s:o, s:b}", "name", json_text(name), "from",
                          origin ? json_text(origin) : json_null(), "linked", pack_is_linked(name));
    if (!p) {
        json_object_set_new(o, "broken", json_text(why));
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
    json_object_set_new(o, "title", json_both(p->title[LIB_EN], p->title[LIB_ZH]));
    json_object_set_new(o, "labs", labs);
    return o;
}

static void pack_row(const pack_args *a, const char *name, const lab_pack *p, const char *origin,
                     const char *why) {
    if (!p) {
        lib_print(stdout, pack_in(a, "%s: does not load: %s\n", "%s：无法读取：%s\n"), name, why);
        return;
    }
    lib_print(stdout,
              pack_in(a, "%s %s  %s, %zu lab%s  (%s)\n", "%s %s  %s，%zu 个实验%.0s  （%s）\n"),
              p->name, p->version, p->title[a->lang], p->lab_count, LIB_S(p->lab_count),
              origin ? origin : "?");
    for (size_t i = 0; i < p->lab_count; i++) {
        const pack_lab *l = &p->labs[i];
        lib_print(stdout, "  %s/%s", p->name, l->id);
        if (l->points > 0)
            lib_print(stdout, pack_in(a, "  %g point%s", "  %g 分%.0s"), l->points,
                      LIB_S(l->points));
        if (*l->deadline) lib_print(stdout, pack_in(a, "  until %s", "  截止 %s"), l->deadline);
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
        if (a->json)
            json_array_append_new(list,
                                  pack_json(all[i], p, origin, lib_message_in(&msg, a->lang)));
        else pack_row(a, all[i], p, origin, lib_message_in(&msg, a->lang));
        free(p);
        free(origin);
        free(folder);
    }
    if (a->json) {
        char *text = json_dumps(list, JSON_INDENT(2));
        puts(text ? text : "[]");
        free(text);
    } else if (!count)
        puts(pack_in(a, "no packs are installed; `warplab pack add FOLDER|URL` adds one",
                     "还没有安装实验包；`warplab pack add 文件夹|地址` 可添加"));
    json_decref(list);
    lib_lab_names_free(all, count);
    return n ? cli_fail2(CLI_USAGE, "pack list takes no names", "pack list 后面不写名字")
             : CLI_PASSED;
}

/* ---- update, remove ---- */

static bool update_one(const pack_args *a, const char *name) {
    lib_message msg = {0};
    pack_done d;
    bool ok = pack_update(name, &d, &msg);
    if (!ok) cli_fail2(CLI_FAILED, "%s: %s", "%s：%s", name, lib_message_in(&msg, a->lang));
    else if (d.same)
        lib_print(stdout, pack_in(a, "%s %s: nothing has changed\n", "%s %s：没有变化\n"), name,
                  d.pack->version);
    else {
        lib_print(stdout, pack_in(a, "%s: %s, was %s\n", "%s：%s（原为 %s）\n"), name,
                  d.pack->version, *d.was ? d.was : "?");
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
    if (!n)
        return cli_fail2(CLI_USAGE, "pack remove takes the names of packs",
                         "pack remove 后面应写实验包的名字");
    for (int i = 0; i < n; i++) {
        lib_message msg = {0};
        if (pack_remove(names[i], &msg))
            lib_print(stdout, pack_in(a, "%s is removed\n", "已移除 %s\n"), names[i]);
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
    return cli_fail2(CLI_USAGE, "pack: expected add, list, update or remove, found %s%s%s%s",
                     "pack：应写 add、list、update 或 remove；这里写的是：%s%s%s%s",
                     argc > 1 ? argv[1] : cli_words("nothing", "（空）"),
                     near ? cli_words("; did you mean ", "；是不是想写 ") : "", near ? near : "",
                     near ? cli_words("?", "？") : "");
}
