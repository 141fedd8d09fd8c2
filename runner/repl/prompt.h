/* What a person is asked and answers. */
#ifndef WARPLAB_REPL_PROMPT_H
#define WARPLAB_REPL_PROMPT_H

#include "runner/repl/session.h"

/* One line from the person; NULL at the end of input or, with *interrupted, after Ctrl-C.
 * malloc'ed. add: keep it in the history. */
char *repl_line(repl *r, const char *prompt, bool add, bool *interrupted);
bool repl_yes(repl *r, const char *question); /* y/n; no when nobody can be asked */
void repl_warnings(repl *r);
void repl_status(repl *r, const char *what); /* NULL takes it off */

extern const char *const prompt_commands[]; /* names, NULL-ended */
bool prompt_is_command(const char *line);   /* its first word is a command's whole name */
bool prompt_next_page(void *repl);          /* text_out's `more` */
void prompt_catch_interrupts(void);         /* Ctrl-C sets lib_cancel_flag and ends a read */
void prompt_history_read(const char *path); /* sets readline up */
void prompt_history_write(const char *path);

#endif
