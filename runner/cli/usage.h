/* The parsed usage of a subcommand: its options (with their rows of options.def), words and
 * operands. --help, manual pages and completion are made from it, so they cannot contradict each
 * other. */
#ifndef WARPLAB_CLI_USAGE_H
#define WARPLAB_CLI_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/words/words.h"

typedef struct {
    const char *command, *name, *value;
} cli_option_row;

enum { USAGE_OPTIONS = 48, USAGE_WORDS = 16 };
typedef struct {
    const char *name, *usage; /* name "warplab": without a subcommand */
    const cli_option_row *option[USAGE_OPTIONS];
    size_t options;
    char word[USAGE_WORDS][24]; /* "status", "list": words that may come first */
    size_t words;
    bool labs, files; /* operands: ids of labs, files or folders */
    bool either;      /* the first operand may be a lab or a file */
} cli_usage;

/* Finds the usage of a subcommand; "warplab" is that of the program itself. Returns false if there
 * is none. */
bool cli_usage_find(const char *command, cli_usage *u);
/* The catalogue's row that describes a command or an option. */
lib_word_id cli_usage_doc(const cli_usage *u);
lib_word_id cli_option_doc(const cli_option_row *o);
/* Enumerates all usages, the program itself first. Returns false after the last. */
bool cli_usage_at(size_t i, cli_usage *u);

#endif
