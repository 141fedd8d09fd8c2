/* Asks the user, and reads the answer. */
#ifndef WARPLAB_REPL_PROMPT_H
#define WARPLAB_REPL_PROMPT_H

#include "runner/repl/session.h"

/* Reads one line. Returns NULL at the end of input, or after Ctrl-C with *interrupted set.
 * malloc'ed. add: put the line into the history. If *interrupted is set at the call, the previous
 * line ended so, and nothing has run since: a Ctrl-C in between then belongs to this line. */
char *repl_line(repl *r, const char *prompt, bool add, bool *interrupted);
bool repl_yes(repl *r, const char *question); /* y/n; no if nobody can be asked */
void repl_warnings(repl *r);
bool prompt_next_page(void *repl); /* for text_out.more */
/* from now on Ctrl-C sets lib_cancel_flag and ends a read */
void prompt_catch_interrupts(void);
void prompt_history_read(const char *path); /* initialises readline, too */
void prompt_history_write(const char *path);

/* ---- status.c: what runs, how far it is, and how long it has been ---- */

/* Shows the status line until status_end(), on a terminal. */
void status_begin(repl *r);
void status_stage(repl *r, const char *what);
void status_case(repl *r, size_t done, size_t total);
void status_end(repl *r);

/* ---- command.c: the table of repl_commands.def, without the functions (repl.c) ---- */

typedef struct {
    const char *name, *key, *arguments;
    repl_needs needs;
    lib_word_id does;
} command;
enum { COMMAND_WORD = 64 };
extern const command commands[];
extern const size_t command_count;
/* Returns the command that a word means: its name, its key, a word of the other language or of
 * another program. NULL: no command for certain. */
const command *command_exact(const char *word);
/* The same, also for a prefix that only one command has. NULL: similar commands were printed. */
const command *command_find(repl *r, const char *word);
/* Return whether a word is one of `words`, "y|yes"; and whether it is one of a row's words in any
 * language. */
bool command_among(const char *words, const char *word);
bool command_is(lib_word_id words, const char *word);
/* Puts typed text into a plain form: full-width characters become ASCII, a full stop at the end is
 * dropped. */
void command_plain(char *line);

#endif
