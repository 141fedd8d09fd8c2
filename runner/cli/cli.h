/* The command line: one row a subcommand in commands.def, one function each in cmd_*.c.
 *
 * A command gets its own argv (argv[0] is the command's name) and returns the exit status.
 * `warplab` alone opens the REPL. */
#ifndef WARPLAB_CLI_H
#define WARPLAB_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "runner/base/message.h"

enum { CLI_PASSED = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_ERROR = 3 };

#define COMMAND(name, function, usage) int function(int argc, char **argv);
#include "runner/cli/commands.def"
#undef COMMAND
int cmd_grade_batch(int argc, char **argv); /* grade --batch */
int cmd_grade_again(int argc, char **argv); /* grade regrade */
int cmd_grade_status(int argc, char **argv);
int cmd_grade_explain(int argc, char **argv);
int cmd_grade_exam(int argc, char **argv);

/* `warplab` without a subcommand opens the lab; these are its options. */
#define CLI_REPL_USAGE "[--lab LAB] [--device D] [--lang en|zh] [--transcript FILE] [--no-colour]"

/* Options: `--name value`, `--name=value`, or `--name` for flags. One row an option; ends with a NULL
 * name. */
typedef struct {
    const char *name; /* without dashes */
    bool *flag;       /* a flag, or */
    const char **value;
    char letter;    /* `-j 4`, `-j4` for `--jobs 4`; 0: none */
    lib_lang *lang; /* in place of a value: en or zh; left out, cli_lang(NULL) says which */
} cli_option;
/* Takes the options out of argv; what is left are the operands, argc of them from argv[1] on. Stops at "--"
 * or, with `first_operand_ends`, at the first operand. Returns -1 when the command goes on, else an exit
 * status: --help printed the command's usage (0), or a message said what is wrong (2). */
int cli_options(int *argc, char **argv, const cli_option *options, bool first_operand_ends);

/* "warplab: ..." on stderr, in the language of --lang or of the environment. Returns `status`, so that
 * `return cli_fail(CLI_USAGE, ...)` reads well. */
int cli_fail(int status, lib_words words);
/* A line of them. */
void cli_line(FILE *to, lib_lang lang, lib_words words);
/* What cli_lang(NULL) says. */
lib_lang cli_language(void);
/* The same with a message's text. */
int cli_say(int status, const lib_message *m);
/* Finds `--lang en|zh` among the arguments before anything is said, wherever it stands, up to "--" or, with
 * `first_operand_ends`, the first operand: it holds for all that cli_language() is asked. */
void cli_lang_scan(int argc, char **argv, bool first_operand_ends);

/* `warplab --help`: every command, in the language that the environment tells. */
void cli_help_all(FILE *to);

/* en or zh: `asked`, else the --lang that was found, WARPLAB_LANG, LC_ALL, LC_MESSAGES, LANG; false: neither en nor zh was asked
 * for. */
bool cli_lang(const char *asked, lib_lang *lang);

/* The id of the lab that was typed (LAB, PACK/LAB); else a message with the nearest name and NULL.
 * malloc'ed. */
char *cli_lab(const char *typed, lib_message *msg);

#endif
