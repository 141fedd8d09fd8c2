/* What the subcommands share: options, messages, languages, names of labs. */
#include "runner/cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/word.h"
#include "runner/cli/usage.h"
#include "runner/lesson/lab.h"

static int cli_fail_with(int status, const char *format, va_list ap) {
    fflush(stdout);
    fputs("warplab: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    return status;
}

int cli_fail(int status, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    cli_fail_with(status, format, ap);
    va_end(ap);
    return status;
}

const char *cli_words(const char *en, const char *zh) {
    lib_lang lang;
    cli_lang(NULL, &lang);
    return lang == LIB_ZH ? zh : en;
}

int cli_fail2(int status, const char *en, const char *zh, ...) {
    va_list ap;
    va_start(ap, zh);
    cli_fail_with(status, cli_words(en, zh), ap);
    va_end(ap);
    return status;
}

static int cli_help(const char *command) {
    cli_usage u;
    lib_lang lang;
    if (!cli_usage_find(command, &u)) return CLI_PASSED;
    cli_lang(NULL, &lang);
    printf("%swarplab %s\n\n%s%s\n", cli_words("usage: ", "用法："), u.usage,
           cli_usage_doc(&u, lang), cli_words(".", "。"));
    if (u.options) puts("");
    for (size_t i = 0; i < u.options; i++) {
        const cli_option_row *o = u.option[i];
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, *o->value ? " " : "", o->value);
        printf("  %-24s %s\n", left, cli_option_doc(o, lang));
    }
    return CLI_PASSED;
}

void cli_help_all(FILE *to) {
    cli_usage u;
    lib_lang lang;
    cli_lang(NULL, &lang);
    fprintf(to, "%s\n",
            cli_words("Warplab teaches CUDA performance: lessons, a simulated GPU, and grading by "
                      "counters.\n",
                      "Warplab 教 CUDA 性能优化：讲义、模拟的 GPU、按计数器评分。\n"));
    for (size_t i = 0; cli_usage_at(i, &u); i++) {
        fprintf(to, "  warplab %s\n      %s\n", i ? u.usage : CLI_REPL_USAGE,
                cli_usage_doc(&u, lang));
        if (!i)
            fprintf(to, "  warplab --version\n      %s\n",
                    cli_words("the version, as reports and CHANGELOG.md name it",
                              "版本，与报告和 CHANGELOG.md 所写的一致"));
    }
    fprintf(
        to, "\n%s\n",
        cli_words(
            "Exit status: " CLI_STATUS ". The guide: docs/student.md; the manual: "
            "warplab man",
            "退出状态：0 通过，1 未通过，2 命令行写错，3 无法评分。指南：docs/zh/student.md；手册："
            "warplab man"));
}

static const char *usage(const char *command) {
    cli_usage u;
    return cli_usage_find(command, &u) ? u.usage : command;
}

int cli_options(int *argc, char **argv, const cli_option *options, bool first_operand_ends) {
    int kept = 1;
    bool operands = false;
    for (int i = 1; i < *argc; i++) {
        char *a = argv[i];
        if (operands || *a != '-' || !a[1]) {
            argv[kept++] = a;
            operands = operands || first_operand_ends;
            continue;
        }
        if (!strcmp(a, "--")) {
            operands = true;
            continue;
        }
        if (!strcmp(a, "--help") || !strcmp(a, "-h")) return cli_help(argv[0]);
        bool letter = a[1] != '-';
        const char *name = a + strspn(a, "-"), *given = NULL;
        size_t n = strcspn(name, "=");
        const cli_option *o = options;
        while (o->name && (letter ? !o->letter || o->letter != *name
                                  : strlen(o->name) != n || memcmp(o->name, name, n)))
            o++;
        if (!letter && name[n]) given = name + n + 1;
        if (letter && *name && name[1]) given = name + 1 + (name[1] == '=');
        if (!o->name) {
            const char *names[32], *near;
            size_t count = 0;
            for (o = options; o->name && count < 32; o++) names[count++] = o->name;
            char typed[64];
            snprintf(typed, sizeof typed, "%.*s", (int)(n < 60 ? n : 60), name);
            near = lib_nearest(typed, names, count);
            return cli_fail2(CLI_USAGE, "%s: unknown option %s%s%s\nusage: warplab %s",
                             "%s：没有选项 %s%s%s\n用法：warplab %s", argv[0], a,
                             near ? cli_words("; did you mean --", "；是不是想写 --") : "",
                             near ? near : "", usage(argv[0]));
        }
        if (o->flag) {
            if (given)
                return cli_fail2(CLI_USAGE, "%s: --%s takes no value", "%s：--%s 后面不写值",
                                 argv[0], o->name);
            *o->flag = true;
        } else if (given) {
            *o->value = given;
        } else if (i + 1 < *argc) {
            *o->value = argv[++i];
        } else {
            return cli_fail2(CLI_USAGE, "%s: --%s needs a value\nusage: warplab %s",
                             "%s：--%s 后面要写值\n用法：warplab %s", argv[0], o->name,
                             usage(argv[0]));
        }
    }
    *argc = kept;
    argv[kept] = NULL;
    return -1;
}

bool cli_lang(const char *asked, lib_lang *lang) {
    *lang = LIB_EN;
    if (asked) {
        if (!strcmp(asked, "en") || !strcmp(asked, "zh")) {
            *lang = strcmp(asked, "zh") ? LIB_EN : LIB_ZH;
            return true;
        }
        return false;
    }
    static const char *const names[] = {"WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *v = getenv(names[i]);
        if (!v || !*v) continue;
        *lang = strncmp(v, "zh", 2) ? LIB_EN : LIB_ZH;
        break;
    }
    return true;
}

char *cli_lab(const char *typed, lib_message *msg) {
    const lib_paths *p = lib_paths_get(msg);
    return p ? lab_find(p->root, typed, msg) : NULL;
}
