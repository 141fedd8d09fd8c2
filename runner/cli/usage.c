/* Parses usage texts, see usage.h.
 *
 *   commands.def: "grade LAB FILE.cu [--device D] ...\n  warplab grade status OUT | ..."
 *                 --usage_token()--> option | word | operand --options.def--> cli_usage */
#include "runner/cli/usage.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "grader/course/course.h"
#include "grader/report.h"
#include "runner/cli/cli.h"

static const struct {
    const char *name, *usage;
} commands[] = {
    {"warplab", CLI_REPL_USAGE},
#define EXPORT_USAGE(id, name, ...)             " [--" #name " F]"
#define REPORT_USAGE(id, function, option, ...) " [--" option " F]"
#define COMMAND(name, function, usage)          {name, usage},
#include "runner/cli/commands.def"
#undef COMMAND
#undef EXPORT_USAGE
#undef REPORT_USAGE
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const cli_option_row rows[] = {
#define OPTION(command, name, value) {command, name, value},
#include "runner/cli/options.def"
#undef OPTION
#define ROW(id, function, option, suffix, reader) {"grade", option, "F"},
    GRADE_REPORTS(ROW)
#undef ROW
#define ROW(id, name) {"gradebook", #name, "F"},
        GRADE_EXPORTS(ROW)
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

lib_word_id cli_usage_doc(const cli_usage *u) {
    return lib_words_named("help", u->name);
}

lib_word_id cli_option_doc(const cli_option_row *o) {
    char room[64];
    snprintf(room, sizeof room, "help.%s", strcmp(o->command, "*") ? o->command : "any");
    return lib_words_named(room, o->name);
}

static const cli_option_row *row_of(const char *command, const char *name) {
    const cli_option_row *any = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name)) continue;
        if (!strcmp(rows[i].command, command)) return &rows[i];
        if (!strcmp(rows[i].command, "*")) any = &rows[i];
    }
    return any;
}

static void usage_option(cli_usage *u, const char *name) {
    const cli_option_row *o = row_of(u->name, name);
    for (size_t i = 0; i < u->options; i++)
        if (u->option[i] == o) return;
    if (o && u->options < USAGE_OPTIONS) u->option[u->options++] = o;
}

/* "status", or "bash|zsh|fish": adds the words that may be typed there. */
static void usage_words(cli_usage *u, const char *token) {
    while (*token && u->words < USAGE_WORDS) {
        size_t n = strcspn(token, "|");
        snprintf(u->word[u->words++], sizeof u->word[0], "%.*s", (int)n, token);
        token += n + (token[n] == '|');
    }
}

static bool all_lower(const char *token) {
    for (; *token; token++)
        if (!islower((unsigned char)*token) && *token != '|') return false;
    return true;
}

/* "LAB", "FILE.cu|PROGRAM|LAB", "PACK|LAB...": adds what each operand may be. */
static void usage_operand(cli_usage *u, const char *token) {
    static const char *const files[] = {"FILE.cu", "PROGRAM",  "OUT",   "DIR",
                                        "FOLDER",  "EXAM.lua", "RECORD"};
    bool lab = false, file = false;
    while (*token) {
        size_t n = strcspn(token, "|"), word = n;
        while (word > 2 && token[word - 1] == '.') word--;
        lab |= word == 3 && !strncmp(token, "LAB", 3) && strcmp(u->name, "new") != 0;
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            file |= word == strlen(files[i]) && !strncmp(token, files[i], word);
        token += n + (token[n] == '|');
    }
    u->labs |= lab;
    u->files |= file;
    u->either |= lab && file;
}

bool cli_usage_at(size_t i, cli_usage *u) {
    if (i >= COMMANDS) return false;
    *u = (cli_usage){.name = commands[i].name, .usage = commands[i].usage};
    bool first = i == 0, value = false; /* first: a word that chooses a form may be here */
    for (const char *s = u->usage; *s;) {
        char token[64];
        s += strspn(s, " \n[]");
        size_t n = strcspn(s, " \n[]");
        if (!n) break;
        snprintf(token, sizeof token, "%.*s", (int)n, s);
        s += n;
        if (!strncmp(token, "--", 2) && token[2]) {
            const cli_option_row *o = row_of(u->name, token + 2);
            usage_option(u, token + 2);
            value = o && *o->value;
            first = false;
        } else if (!strcmp(token, "|")) {
            first = true;
            value = false;
        } else if (!strcmp(token, "warplab") || !strcmp(token, u->name)) {
            first = true;
        } else if (value) {
            value = false;
        } else if (first && all_lower(token)) {
            usage_words(u, token);
            first = false;
        } else {
            usage_operand(u, token);
            first = false;
        }
    }
    return true;
}

bool cli_usage_find(const char *command, cli_usage *u) {
    for (size_t i = 0; cli_usage_at(i, u); i++)
        if (!strcmp(u->name, command)) return true;
    return false;
}
