/* `warplab export PACK DIR`: a course handed out.
 *
 *   pack --all of it-------------------------------------------> DIR/grader/NAME
 *        --less answers, traps, `hidden` of each lesson--------> DIR/students/NAME   (answers stay when pack.lua locks them)
 *
 * What is handed out is loaded again before it is said to be done: every lab as it was, and none with a
 * hidden case. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/lesson/lab.h"
#include "runner/pack/pack.h"
#include "runner/cli/cli.h"

enum { LESSON_BYTES = 1 << 20 };

/* ---- a lesson without a field ---- */

/* Behind a string or a comment that begins at p; p itself when none does. */
static const char *skip_quoted(const char *p) {
    const char *s = p;
    bool comment = s[0] == '-' && s[1] == '-';
    if (comment) s += 2;
    if (*s == '[') {
        size_t level = strspn(s + 1, "=");
        if (s[1 + level] == '[') { /* [[ ... ]], [=[ ... ]=] */
            for (s += 2 + level; *s; s++)
                if (*s == ']' && strspn(s + 1, "=") == level && s[1 + level] == ']')
                    return s + 2 + level;
            return s;
        }
    }
    if (comment) return s + strcspn(s, "\n");
    if (*p != '"' && *p != '\'') return p;
    for (s = p + 1; *s && *s != *p && *s != '\n'; s++)
        if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
}

static const char *skip_space(const char *p) {
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] != '-' || p[1] != '-') return p;
        p = skip_quoted(p);
    }
}

/* The field `name = ...` of the table of lab { ... }: where it begins, and behind its comma. */
static bool find_field(const char *text, const char *name, const char **from, const char **to) {
    int depth = 0, lab_depth = -1;
    *from = NULL;
    for (const char *p = text; *p;) {
        const char *q = skip_quoted(p);
        if (q != p) {
            p = q;
            continue;
        }
        bool inside = depth == lab_depth;
        if (strchr("{([", *p)) depth++;
        if (strchr("})]", *p)) depth--;
        if (*from && ((inside && strchr(",;", *p)) || depth < lab_depth)) {
            *to = depth < lab_depth ? p : p + 1;
            return true;
        }
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
        const char *next = n ? skip_space(p + n) : p;
        if (n == 3 && !strncmp(p, "lab", n) && *next == '{' && lab_depth < 0) lab_depth = depth + 1;
        if (n == strlen(name) && inside && !strncmp(p, name, n) && *next == '=' && next[1] != '=')
            *from = p;
        p += n ? n : 1;
    }
    return false;
}

static char *without_field(const char *text, const char *name) {
    const char *from, *to;
    if (!find_field(text, name, &from, &to)) return lib_strdup(text);
    return lib_format("%.*s%s", (int)(from - text), text, to);
}

/* ---- the two folders ---- */

static bool hand_out_lab(const char *folder, const lab_pack *p, const char *id, lib_message *msg) {
    char *path = lib_format("%s/labs/%s.lua", folder, id),
         *text = lib_read_file(path, LESSON_BYTES, NULL, msg);
    char *less = text ? without_field(text, "hidden") : NULL;
    bool ok = less && lib_write_file(path, less, strlen(less), msg);
    lab *l = ok ? lab_load_from(folder, p->name, id, msg) : NULL;
    ok = l != NULL;
    if (ok && (l->grade.hidden_cases || l->grade.range_count)) {
        lib_message_set2(
            msg,
            "labs/%s.lua: its hidden cases cannot be taken out: write them as a field "
            "`hidden = { ... }` of lab { ... }",
            "labs/%s.lua：无法去掉隐藏用例：请写成 lab { ... } 里的字段 `hidden = { ... }`", id);
        ok = false;
    }
    lab_free(l);
    free(less);
    free(text);
    free(path);
    return ok;
}

static bool hand_out(const char *from, const lab_pack *p, const char *to, lib_message *msg) {
    char *answers = lib_path_join(to, "answers"), *traps = lib_path_join(answers, "traps");
    bool ok = pack_copy(from, to, msg);
    lib_remove_tree(traps);
    if (!*p->answers) lib_remove_tree(answers);
    for (size_t i = 0; ok && i < p->lab_count; i++) ok = hand_out_lab(to, p, p->labs[i].id, msg);
    free(traps);
    free(answers);
    return ok;
}

static bool write_readme(const char *dir, const lab_pack *p, lib_message *msg) {
    char *path = lib_path_join(dir, "README.md");
    char *text = lib_format(
        "# %s %s\n\n"
        "`students/%s` is for students: no traps, no hidden cases, %s. They install it with\n\n"
        "    warplab pack add students/%s\n\n"
        "The answers to questions stand in the lessons, since the prompt judges them.\n\n"
        "`grader/%s` is all of it, for the machine that grades. Keep it to yourself.\n\n"
        "    warplab pack add grader/%s\n"
        "    warplab grade --batch SUBMISSIONS --out OUT --pack %s\n",
        p->title[LIB_EN], p->version, p->name,
        *p->answers ? "model answers that `answer` keeps locked (whoever reads files can read them)"
                    : "no answers",
        p->name, p->name, p->name, p->name);
    bool ok = lib_write_file(path, text, strlen(text), msg);
    free(text);
    free(path);
    return ok;
}

static int export_to(const char *from, const lab_pack *p, const char *dir, lib_lang lang) {
    lib_message msg = {0};
    char *students = lib_format("%s/students/%s", dir, p->name),
         *grader = lib_format("%s/grader/%s", dir, p->name);
    bool ok = pack_copy(from, grader, &msg) && hand_out(from, p, students, &msg) &&
              write_readme(dir, p, &msg);
    if (ok)
        printf(lang == LIB_ZH ? "%s\n  发给学生：%s\n  评分用：%s\n"
                              : "%s\n  for students: %s\n  for the grader: %s\n",
               p->title[lang], students, grader);
    else lib_remove_tree(students); /* a half of it must not be handed out */
    free(grader);
    free(students);
    return ok ? CLI_PASSED : cli_say(CLI_FAILED, &msg);
}

int cmd_export(int argc, char **argv) {
    const char *asked = NULL;
    const cli_option options[] = {{.name = "lang", .value = &asked}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_lang lang;
    lib_message msg = {0};
    if (status >= 0) return status;
    if (!cli_lang(asked, &lang))
        return cli_fail2(CLI_USAGE, "export: --lang takes en or zh, found %s",
                         "export：--lang 后面应写 en 或 zh，而不是 %s", asked);
    if (argc != 3)
        return cli_fail2(CLI_USAGE,
                         "export takes a pack (or a folder with pack.lua) and a folder to write to",
                         "export 后面应写一个实验包（或含 pack.lua 的文件夹）和一个目标文件夹");
    size_t n = 0;
    char **there = lib_folder_names(argv[2], &n);
    lib_lab_names_free(there, n);
    if (n)
        return cli_fail2(CLI_USAGE, "export: %s is there and not empty; take another folder",
                         "export：%s 已存在且不为空；请换一个文件夹", argv[2]);
    char *folder = lib_lab_id_valid(argv[1]) ? pack_folder(argv[1]) : NULL;
    if (!folder || !lib_is_folder(folder)) {
        free(folder);
        folder = lib_strdup(argv[1]);
    }
    lab_pack *p = pack_read(folder, &msg);
    status = p ? export_to(folder, p, argv[2], lang) : cli_say(CLI_USAGE, &msg);
    free(p);
    free(folder);
    return status;
}
