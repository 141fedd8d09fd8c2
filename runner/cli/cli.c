/* What the subcommands share: options, messages, languages, names of labs. */
#include "runner/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/base/file.h"
#include "runner/cli/usage.h"
#include "runner/lesson/lab.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "words/cli.h"

static const char *lang_found; /* "en" or "zh": the --lang of this command line */

static int error_line(int status, const char *text) {
    fflush(stdout);
    fputs("warplab: ", stderr);
    lib_print_text(stderr, text); /* cleaned, because the text may contain a name from outside */
    fputc('\n', stderr);
    return status;
}

int cli_say(int status, const lib_message *m) {
    return cli_fail(status, lib_message_words(m));
}

lib_lang cli_language(void) {
    lib_lang lang;
    cli_lang(NULL, &lang);
    return lang;
}

void cli_line(FILE *to, lib_lang lang, lib_words words) {
    lib_words_print(to, lang, words);
    fputc('\n', to);
}

int cli_fail(int status, lib_words words) {
    char *text = lib_words_take(cli_language(), words);
    error_line(status, text);
    free(text);
    return status;
}

static bool is_lang(const char *s) {
    return !strcmp(s, "en") || !strcmp(s, "zh");
}

void cli_lang_scan(int argc, char **argv, bool first_operand_ends) {
    for (int i = 1; i < argc && argv[i] && strcmp(argv[i], "--") != 0; i++) {
        const char *v = !strncmp(argv[i], "--lang=", 7)             ? argv[i] + 7
                        : !strcmp(argv[i], "--lang") && argv[i + 1] ? argv[i + 1]
                                                                    : "";
        if (is_lang(v)) lang_found = v;
        /* What follows an option may be its value. */
        if (first_operand_ends && *argv[i] != '-' && (i == 1 || *argv[i - 1] != '-')) return;
    }
}

/* Returns the length (three bytes) of the mark at s if it is in `marks`; otherwise 0. */
static size_t mark_at(const char *s, const char *marks) {
    for (; *marks; marks += 3)
        if (!strncmp(s, marks, 3)) return 3;
    return 0;
}

/* Returns how many bytes at s must stay on one line: "[--seed N]", a word, or a wide character with
 * the marks after it that must not begin a line. */
static size_t unit_of(const char *s) {
    enum { BRACKET = 40 };
    int columns, depth = 0;
    size_t n = text_cluster(s, strlen(s), &columns);
    if (columns > 1) {
        if (mark_at(s, "\uff08\u300a\u300c")) return n + unit_of(s + n);
        for (size_t k = n; k; n += k)
            k = mark_at(s + n, "\uff09\u300b\u300d\uff0c\u3002\u3001\uff1b\uff1a\uff01\uff1f");
        return n;
    }
    if (*s == '[')
        for (size_t k = 0; s[k] && s[k] != '\n' && k < BRACKET; k++)
            if (!(depth += (s[k] == '[') - (s[k] == ']'))) return k + 1;
    size_t word = strcspn(s, " \n");
    for (size_t k = 0; k < word; k += n) {
        n = text_cluster(s + k, word - k, &columns);
        if (columns > 1) return k;
    }
    return word;
}

/* Prints a text in lines of at most 80 columns, broken at blanks (Chinese anywhere). The first line
 * begins at column `first`; the others are indented by `rest`. */
static void put_folded(FILE *to, const char *text, int first, int rest) {
    enum { COLUMNS = 80 };
    int column = first, blanks = 0;
    for (const char *s = text; *s;) {
        if (*s == ' ') {
            blanks++, s++;
            continue;
        }
        size_t n = *s == '\n' ? 1 : unit_of(s);
        int columns = text_width_n(s, n);
        if (*s == '\n') {
            column = 0;
        } else if (column > rest && column + blanks + columns > COLUMNS) {
            fprintf(to, "\n%*s", rest, "");
            column = rest + columns;
        } else {
            fprintf(to, "%*s", blanks, "");
            column += blanks + columns;
        }
        blanks = 0;
        fwrite(s, 1, n, to);
        s += n;
    }
}

static void put_usage(FILE *to, const char *usage, int first, lib_lang lang) {
    char *text = i18n_usage(lang, usage);
    put_folded(to, text, first, 10);
    free(text);
}

static int cli_help(const char *command) {
    cli_usage u;
    lib_lang lang;
    if (!cli_usage_find(command, &u)) return CLI_PASSED;
    cli_lang(NULL, &lang);
    const char *usage = lib_word(cli_language(), W_CLI_HELP_USAGE);
    printf("%swarplab ", usage);
    put_usage(stdout, u.usage, text_width(usage) + 8, lang);
    fputs("\n\n", stdout);
    char doc[512];
    put_folded(stdout,
               lib_words_text(doc, sizeof doc, lang, w_cli_help_sentence(cli_usage_doc(&u))), 0, 0);
    puts("");
    if (u.options) puts("");
    for (size_t i = 0; i < u.options; i++) {
        const cli_option_row *o = u.option[i];
        char *value = i18n_usage(lang, o->value), left[96];
        snprintf(left, sizeof left, "--%s%s%s", o->name, *value ? " " : "", value);
        free(value);
        printf("  %s%*s ", left, text_width(left) < 24 ? 24 - text_width(left) : 0, "");
        put_folded(stdout, lib_word(lang, cli_option_doc(o)), 27, 27);
        puts("");
    }
    return CLI_PASSED;
}

void cli_help_all(FILE *to) {
    cli_usage u;
    lib_lang lang;
    cli_lang(NULL, &lang);
    put_folded(to, lib_word(lang, W_CLI_HELP_WHAT_IT_IS), 0, 0);
    fputs("\n\n", to);
    for (size_t i = 0; cli_usage_at(i, &u); i++) {
        fputs("  warplab ", to);
        put_usage(to, i ? u.usage : CLI_REPL_USAGE, 10, lang);
        fputs("\n      ", to);
        put_folded(to, lib_word(lang, cli_usage_doc(&u)), 6, 6);
        fputc('\n', to);
        if (!i)
            fprintf(to, "  warplab --version\n      %s\n",
                    lib_word(cli_language(), W_CLI_HELP_VERSION));
    }
    lib_message msg = {0};
    const lib_paths *paths = lib_paths_get(&msg);
    char guide[4096] = "", line[4300];
    if (paths)
        snprintf(guide, sizeof guide, "%s/%s", paths->root,
                 lib_word(cli_language(), W_CLI_HELP_GUIDE));
    if (!lib_is_file(guide))
        snprintf(guide, sizeof guide, "%s", lib_word(cli_language(), W_CLI_HELP_GUIDE));
    lib_words_text(line, sizeof line, lang, w_cli_help_end(W_CLI_STATUSES, guide));
    fputc('\n', to);
    put_folded(to, line, 0, 0);
    fputc('\n', to);
}

/* The result is valid until the next call. */
static const char *usage(const char *command) {
    static char *kept;
    cli_usage u;
    lib_lang lang;
    cli_lang(NULL, &lang);
    free(kept);
    kept = i18n_usage(lang, cli_usage_find(command, &u) ? u.usage : command);
    return kept;
}

/* Finds the row of `--NAME`, `--NAME=...` or `-L`. If there is none, returns the last row, which
 * has no name. */
static const cli_option *option_find(const cli_option *o, const char *typed) {
    bool letter = typed[1] != '-';
    const char *name = typed + strspn(typed, "-");
    size_t n = strcspn(name, "=");
    while (o->name && (letter ? !o->letter || o->letter != *name
                              : strlen(o->name) != n || memcmp(o->name, name, n)))
        o++;
    return o;
}

/* Returns the value in the same word: `--name=VALUE`, `-lVALUE`, `-l=VALUE`; or NULL. */
static char *option_value(char *typed) {
    char *name = typed + strspn(typed, "-");
    if (typed[1] == '-') return name[strcspn(name, "=")] ? strchr(name, '=') + 1 : NULL;
    return *name && name[1] ? name + 1 + (name[1] == '=') : NULL;
}

/* Returns "grade: " for messages about the options of `warplab grade`. The program itself has no
 * other name than "warplab", with which every line begins. */
static lib_message lead_of(const char *command) {
    lib_message lead = {0};
    if (strcmp(command, "warplab") != 0) lib_message_set(&lead, w_cli_lead(command));
    return lead;
}

static int option_unknown(const char *command, const char *a, const cli_option *o) {
    const char *names[32], *near, *name = a + strspn(a, "-");
    size_t count = 0, n = strcspn(name, "=");
    for (; o->name && count < 32; o++) names[count++] = o->name;
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)(n < 60 ? n : 60), name);
    near = lib_nearest(typed, names, count);
    lib_message lead = lead_of(command);
    return cli_fail(CLI_USAGE, near ? w_cli_option_unknown_near(&lead, a, near, usage(command))
                                    : w_cli_option_unknown(&lead, a, usage(command)));
}

/* Sets an option to a value (NULL: it has none). Returns -1, or the exit status of a message. */
static int option_set(const char *command, const cli_option *o, const char *given) {
    lib_message lead = lead_of(command);
    if (o->flag) {
        if (given) return cli_fail(CLI_USAGE, w_cli_option_takes_no_value(&lead, o->name));
        *o->flag = true;
    } else if (!given) {
        return cli_fail(CLI_USAGE, w_cli_option_needs_value(&lead, o->name, usage(command)));
    } else if (!o->lang) {
        *o->value = given;
    } else if (!cli_lang(given, o->lang)) {
        return cli_fail(CLI_USAGE, w_cli_option_takes_language(&lead, o->name, given));
    }
    return -1;
}

int cli_options(int *argc, char **argv, const cli_option *options, bool first_operand_ends) {
    int kept = 1;
    const char *slash = strrchr(argv[0], '/'), *command = slash ? slash + 1 : argv[0];
    bool operands = false;
    /* Commands without texts accept --lang, too, for their error messages. */
    lib_lang of_messages;
    const cli_option always[] = {{.name = "lang", .lang = &of_messages}, {.name = NULL}};
    cli_lang_scan(*argc, argv, first_operand_ends);
    for (const cli_option *o = options; o->name; o++)
        if (o->lang) cli_lang(NULL, o->lang);
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
        if (!strcmp(a, "--help") || !strcmp(a, "-h")) return cli_help(command);
        const cli_option *o = option_find(options, a);
        if (!o->name) o = option_find(always, a);
        if (!o->name) return option_unknown(command, a, options);
        const char *given = option_value(a);
        if (!given && !o->flag && i + 1 < *argc) given = argv[++i];
        int status = option_set(command, o, given);
        if (status >= 0) return status;
    }
    *argc = kept;
    argv[kept] = NULL;
    return -1;
}

bool cli_lang(const char *asked, lib_lang *lang) {
    *lang = LIB_EN;
    if (asked) {
        if (is_lang(asked)) {
            *lang = strcmp(asked, "zh") ? LIB_EN : LIB_ZH;
            return true;
        }
        return false;
    }
    if (lang_found) {
        *lang = strcmp(lang_found, "zh") ? LIB_EN : LIB_ZH;
        return true;
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
