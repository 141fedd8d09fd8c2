/* What the usage of a subcommand says, taken apart: which options it takes (with their rows of options.def), which words and operands. --help, manual
 * pages and completion are made of it, so that they cannot say different things. */
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
    char word[USAGE_WORDS][24]; /* "status", "list": what may stand first */
    size_t words;
    bool labs, files; /* operands: ids of labs, files or folders */
    bool either;      /* the first may be a lab or a file */
} cli_usage;

/* The subcommand's, "warplab" for the program itself; false: there is none of that name. */
bool cli_usage_find(const char *command, cli_usage *u);
/* The row that says what a command or an option is for. */
lib_word_id cli_usage_doc(const cli_usage *u);
lib_word_id cli_option_doc(const cli_option_row *o);
/* All of them in order, the program itself first; false past the last. */
bool cli_usage_at(size_t i, cli_usage *u);

#endif
