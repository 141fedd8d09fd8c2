/* The command line. Each subcommand is one row in commands.def and one function in cmd_*.c.
 *
 * A command gets its own argv (argv[0] is the command's name) and returns the exit status.
 * `warplab` without a command opens the REPL. */
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
int cmd_grade_batch(int argc, char **argv);   /* grade --batch */
int cmd_grade_again(int argc, char **argv);   /* grade regrade */
int cmd_grade_status(int argc, char **argv);  /* grade status */
int cmd_grade_explain(int argc, char **argv); /* grade explain */
int cmd_grade_exam(int argc, char **argv);    /* grade exam */

/* `warplab` without a subcommand opens the REPL; these are its options. */
#define CLI_REPL_USAGE "[--lab LAB] [--device D] [--lang en|zh] [--transcript FILE] [--no-colour]"

/* An option: `--name value`, `--name=value`, or `--name` for a flag. A table has one row per option
 * and ends with a NULL name. */
typedef struct {
    const char *name; /* without dashes */
    bool *flag;       /* for a flag; otherwise `value` or `lang` */
    const char **value;
    char letter;    /* `-j 4`, `-j4` for `--jobs 4`; 0: none */
    lib_lang *lang; /* for en or zh, instead of a value; without the option, by cli_lang(NULL) */
} cli_option;
/* Takes the options out of argv. What remains are the operands, from argv[1] on; *argc counts
 * argv[0], too. Stops at "--" or, with `first_operand_ends`, at the first operand. Returns -1 if
 * the command should go on; otherwise an exit status: 0 if --help printed the usage, 2 if a message
 * said what is wrong. */
int cli_options(int *argc, char **argv, const cli_option *options, bool first_operand_ends);

/* Prints "warplab: ..." to stderr, in the language of --lang or of the environment. Returns
 * `status`, for `return cli_fail(CLI_USAGE, ...)`. */
int cli_fail(int status, lib_words words);
/* Prints the words and a newline. */
void cli_line(FILE *to, lib_lang lang, lib_words words);
/* The language of cli_lang(NULL). */
lib_lang cli_language(void);
/* As cli_fail(), with a message's text. */
int cli_say(int status, const lib_message *m);
/* Finds `--lang en|zh` among the arguments before anything is printed, anywhere before "--" or,
 * with `first_operand_ends`, before the first operand. cli_language() then returns this
 * language. */
void cli_lang_scan(int argc, char **argv, bool first_operand_ends);

/* `warplab --help`: lists all commands, in the language of the environment. */
void cli_help_all(FILE *to);

/* Chooses a language: `asked`, otherwise the --lang that was found, otherwise WARPLAB_LANG, LC_ALL,
 * LC_MESSAGES, LANG. Returns false if `asked` is neither en nor zh. */
bool cli_lang(const char *asked, lib_lang *lang);

/* Returns the id of the lab that was typed (LAB, PACK/LAB), malloc'ed; or NULL and a message with
 * the most similar name. */
char *cli_lab(const char *typed, lib_message *msg);

#endif
