/* What a person is asked and answers. */
#ifndef WARPLAB_REPL_PROMPT_H
#define WARPLAB_REPL_PROMPT_H

#include "runner/repl/session.h"

/* One line from the person; NULL at the end of input or, with *interrupted, after Ctrl-C.
 * malloc'ed. add: keep it in the history. *interrupted when it is called: the line before was, and
 * nothing has run since: a Ctrl-C that came in between is this line's. */
char *repl_line(repl *r, const char *prompt, bool add, bool *interrupted);
bool repl_yes(repl *r, const char *question); /* y/n; no when nobody can be asked */
void repl_warnings(repl *r);
bool prompt_next_page(void *repl);          /* text_out's `more` */
void prompt_catch_interrupts(void);         /* Ctrl-C sets lib_cancel_flag and ends a read */
void prompt_history_read(const char *path); /* sets readline up */
void prompt_history_write(const char *path);

/* ---- status.c: what runs, how far, how long ---- */

void status_begin(repl *r);
void status_stage(repl *r, const char *what);
void status_case(repl *r, size_t done, size_t total);
void status_end(repl *r);

/* ---- command.c: the table of repl_commands.def, less what they do (repl.c) ---- */

typedef struct {
    const char *name, *key, *arguments;
    repl_needs needs;
    lib_word_id does;
} command;
enum { COMMAND_WORD = 64 };
extern const command commands[];
extern const size_t command_count;
/* The command that a word means: its name, its key, a word of the other language or of another
 * program. NULL: none means it for certain. */
const command *command_exact(const char *word);
/* The same, or by a prefix that only one has. NULL: it said what it might have been. */
const command *command_find(repl *r, const char *word);
/* Whether a word is one of `words`, "y|yes"; whether it is in any language one of such a row. */
bool command_among(const char *words, const char *word);
bool command_is(lib_word_id words, const char *word);
/* What was typed in the plain form: full width as ASCII, a full stop at the end dropped. */
void command_plain(char *line);

#endif
