/* `warplab man [PAGE] [--out DIR]`: the manual pages, made from the tables that --help and the
 * readers of lessons use.
 *
 *   commands.def, options.def --usage.c--> warplab(1), warplab-COMMAND(1)
 *   lesson_constructor_at() ------------> warplab-lesson(5)
 *
 * Prints a page as roff to standard output (`warplab man grade | man -l -`), or writes all pages
 * into DIR/man1 and DIR/man5. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/word.h"
#include "runner/cli/cli.h"
#include "runner/cli/usage.h"
#include "runner/lesson/lua_lesson.h"
#include "words/cli.h"

/* Text as roff shows it: no line may begin like a request, and a dash must be the one on the
 * keyboard. */
static void roff(lib_buffer *b, const char *text) {
    if (*text == '.' || *text == '\'') lib_buffer_puts(b, "\\&");
    for (; *text; text++) {
        if (*text == '\\') lib_buffer_puts(b, "\\e");
        else if (*text == '-') lib_buffer_puts(b, "\\-");
        else lib_buffer_add(b, text, 1);
    }
}

static void roff_line(lib_buffer *b, const char *before, const char *text, const char *after) {
    lib_buffer_puts(b, before);
    roff(b, text);
    lib_buffer_puts(b, after);
}

static void roff_head(lib_buffer *b, const char *page, int section, const char *doc) {
    lib_buffer_printf(b, ".\\\" made by `warplab man`; do not edit\n.TH ");
    for (const char *s = page; *s; s++) {
        char c = (char)toupper((unsigned char)*s);
        if (c == '-') lib_buffer_puts(b, "\\-");
        else lib_buffer_add(b, &c, 1);
    }
    lib_buffer_printf(b, " %d \"\" \"Warplab %s\" \"Warplab\"\n.SH NAME\n", section, lib_version());
    roff_line(b, "", page, " \\- ");
    roff_line(b, "", doc, "\n");
}

/* Adds one line of usage for each form of the command. Newlines separate the forms. */
static void roff_synopsis(lib_buffer *b, const cli_usage *u) {
    lib_buffer_puts(b, ".SH SYNOPSIS\n.nh\n.ad l\n");
    bool program = !strcmp(u->name, "warplab");
    for (const char *s = u->usage; *s;) {
        size_t n = strcspn(s, "\n");
        char *line = lib_format("%.*s", (int)n, s);
        const char *rest = line + strspn(line, " ");
        if (!program && s != u->usage && !strncmp(rest, "warplab ", 8)) rest += 8;
        lib_buffer_puts(b, s == u->usage ? "" : ".br\n");
        lib_buffer_puts(b, ".B warplab\n");
        roff_line(b, "", rest, "\n");
        free(line);
        s += n + (s[n] == '\n');
    }
    if (program) lib_buffer_puts(b, ".br\n.B warplab\n.I COMMAND\n[\\fIOPTION\\fR ...]\n");
    lib_buffer_puts(b, ".ad\n.hy\n");
}

static void roff_options(lib_buffer *b, const cli_usage *u) {
    if (!u->options) return;
    lib_buffer_puts(b, ".SH OPTIONS\n");
    for (size_t i = 0; i < u->options; i++) {
        const cli_option_row *o = u->option[i];
        lib_buffer_puts(b, ".TP\n");
        roff_line(b, ".B \\-\\-", o->name, "");
        if (*o->value) roff_line(b, " \\fI", o->value, "\\fR");
        roff_line(b, "\n", lib_word(LIB_EN, cli_option_doc(o)), ".\n");
    }
}

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B WARPLAB_WORK\nThe work folder, where the student's files lie (otherwise ~/warplab).\n"
    ".TP\n.B WARPLAB_NVCC\nThe nvcc to compile with.\n"
    ".TP\n.B WARPLAB_LANG\nThe language, en or zh; otherwise LC_ALL, LC_MESSAGES and LANG say it.\n"
    ".TP\n.B WARPLAB_ROOT\nThe folder with labs/ and kernels/, where it is not found from the "
    "program.\n"
    ".TP\n.B NO_COLOR\nPlain text.\n"
    ".SH FILES\n"
    ".TP\n.I ~/warplab\nThe student's copies of the skeletons.\n"
    ".TP\n.I ~/.local/share/warplab/progress.db\nProgress and settings. A newer version of Warplab "
    "keeps a copy of what it changes the form of.\n"
    ".TP\n.I ~/.cache/warplab\nCompiled programs; may be deleted at any time.\n"
    "The XDG variables move the last two.\n";

static void roff_status(lib_buffer *b) {
    roff_line(b, ".SH EXIT STATUS\n", lib_word(LIB_EN, W_CLI_STATUSES), ".\n");
}

static void page_program(lib_buffer *b, const cli_usage *u) {
    cli_usage c;
    roff_head(b, "warplab", 1, "an interactive lab that teaches CUDA performance");
    roff_synopsis(b, u);
    lib_buffer_puts(b, ".SH DESCRIPTION\nLessons in a terminal: the student reads, predicts, edits "
                       "a .cu file, and "
                       "Warplab compiles it with nvcc, runs it and grades correctness, counters "
                       "and speed. No GPU is "
                       "needed: a simulated device executes the program's PTX, counts what a "
                       "profiler counts and models the "
                       "time.\n.PP\nWithout a command it opens the lab; the word\n.B help\nthere "
                       "lists what can be typed.\n");
    roff_options(b, u);
    lib_buffer_puts(b, ".SH COMMANDS\n");
    for (size_t i = 1; cli_usage_at(i, &c); i++) {
        roff_line(b, ".TP\n.B ", c.name, "\n");
        roff_line(b, "", lib_word(LIB_EN, cli_usage_doc(&c)), ".\n");
    }
    lib_buffer_puts(b, environment);
    roff_status(b);
    lib_buffer_puts(b, ".SH SEE ALSO\n.ad l\n.nh\n");
    for (size_t i = 1; cli_usage_at(i, &c); i++) roff_line(b, ".BR warplab\\-", c.name, " (1),\n");
    lib_buffer_puts(b, ".BR warplab\\-lesson (5)\n");
}

static void page_command(lib_buffer *b, const cli_usage *u) {
    char *page = lib_format("warplab-%s", u->name);
    roff_head(b, page, 1, lib_word(LIB_EN, cli_usage_doc(u)));
    free(page);
    roff_synopsis(b, u);
    lib_buffer_puts(b, ".SH DESCRIPTION\n");
    char *doc = lib_strdup(lib_word(LIB_EN, cli_usage_doc(u)));
    doc[0] = (char)toupper((unsigned char)doc[0]);
    roff_line(b, "", doc, ".\n");
    free(doc);
    roff_options(b, u);
    roff_status(b);
    lib_buffer_puts(b, ".SH SEE ALSO\n.BR warplab (1)\n");
}

static void lesson_row(lib_buffer *b, const lesson_constructor *c) {
    roff_line(b, ".TP\n.B ", c->name, "");
    if (c->form == FORM_TABLE) lib_buffer_puts(b, " { ... }");
    else {
        lib_buffer_puts(b, "(");
        bool optional = false;
        for (const char *s = c->fields; *s;) {
            size_t n = strcspn(s, " ");
            optional = optional || *s == '?';
            lib_buffer_printf(b, "%s%s\\fI%.*s\\fR",
                              s == c->fields ? ""
                              : optional     ? ""
                                             : ", ",
                              *s == '?'  ? "[, "
                              : optional ? ", "
                                         : "",
                              (int)n - (*s == '?'), s + (*s == '?'));
            s += n + (s[n] == ' ');
        }
        lib_buffer_puts(b, optional ? "])" : ")");
        if (c->form == FORM_CURRIED) lib_buffer_puts(b, " { ... }");
    }
    roff_line(b, "\n", c->doc, "\n");
    if (!c->named) return;
    lib_buffer_puts(b, ".br\nFields:");
    for (const char *s = c->named; *s;) {
        size_t n = strcspn(s, " ");
        lib_buffer_printf(b, "%s \\fI%.*s\\fR", s == c->named ? "" : ",", (int)n, s);
        s += n + (s[n] == ' ');
    }
    lib_buffer_puts(b, ".\n");
}

static void page_lesson(lib_buffer *b, const cli_usage *u) {
    (void)u;
    roff_head(b, "warplab-lesson", 5, "the language that Warplab's lessons are written in");
    lib_buffer_puts(
        b, ".SH DESCRIPTION\nA lesson is a file labs/ID.lua in Lua 5.4 that returns one lab { ... "
           "}. It may "
           "compute (loops, functions, math, plain string and table functions), but there is no "
           "io, os, debug, "
           "load, require or pcall, and time and memory are limited. An unknown name or field is "
           "an error that "
           "names the nearest one.\n.PP\nEvery text is in both languages: { en = \"...\", zh = "
           "\"...\" }, or the "
           "fields\n.I en\nand\n.I zh\nof a step. Every step may have\n.IR teaches .\nA count or a "
           "bound is an expression "
           "over the case's parameters, such as\n.BR \\(dqceil_div(n,\\ 256)\\(dq .\n.PP\n"
           ".B warplab new\nmakes a lesson to begin with, and\n.B warplab check\nproves one.\n"
           ".SH WORDS\n");
    lesson_constructor c;
    for (size_t i = 0; lesson_constructor_at(i, &c); i++) lesson_row(b, &c);
    lib_buffer_puts(b, ".SH SEE ALSO\n.BR warplab\\-check (1),\n.BR warplab\\-new (1),\n"
                       "docs/instructor.md, which has an example of each.\n");
}

/* Returns the page with this name as roff, and its section in *section; NULL: there is no such
 * page. */
static char *page_text(const char *name, int *section) {
    lib_buffer b = {0};
    cli_usage u;
    if (!strncmp(name, "warplab-", 8)) name += 8;
    *section = strcmp(name, "lesson") ? 1 : 5;
    if (*section == 5) page_lesson(&b, NULL);
    else if (!cli_usage_find(name, &u)) return NULL;
    else if (!strcmp(name, "warplab")) page_program(&b, &u);
    else page_command(&b, &u);
    return lib_buffer_take(&b);
}

static bool page_write(const char *folder, const char *name, lib_message *msg) {
    int section;
    char *text = page_text(name, &section), *where = lib_format("%s/man%d", folder, section);
    bool program = !strcmp(name, "warplab");
    char *path =
        lib_format("%s/warplab%s%s.%d", where, program ? "" : "-", program ? "" : name, section);
    bool ok = text && lib_make_folders(where, msg) && lib_write_file(path, text, strlen(text), msg);
    free(text);
    free(where);
    free(path);
    return ok;
}

int cmd_man(int argc, char **argv) {
    const char *out = NULL;
    const cli_option options[] = {{.name = "out", .value = &out}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false), section;
    if (status >= 0) return status;
    if (argc > 2 || (out && argc > 1))
        return cli_fail(CLI_USAGE, w_cli_man_operands(argv[argc - 1]));
    if (!out) {
        const char *name = argc == 2 ? argv[1] : "warplab";
        char *text = page_text(name, &section);
        if (!text) return cli_fail(CLI_USAGE, w_cli_man_no_page(name));
        fputs(text, stdout);
        free(text);
        return CLI_PASSED;
    }
    lib_message msg = {0};
    cli_usage u;
    bool ok = page_write(out, "lesson", &msg);
    for (size_t i = 0; ok && cli_usage_at(i, &u); i++) ok = page_write(out, u.name, &msg);
    return ok ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
}
