/* The student's file. */
#ifndef WARPLAB_REPL_WORK_H
#define WARPLAB_REPL_WORK_H

#include "runner/repl/session.h"

/* Copies the skeleton unless the student's file exists. Returns false if that failed; the reason
 * was printed. */
bool repl_make_file(repl *r);
/* Prints where the file is. */
void repl_say_file(repl *r);

/* Replaces the file by the skeleton and keeps the old one. Returns the command's status. */
int repl_reset(repl *r, char *argument);

/* ---- editor.c ---- */

/* Finds the editor: the answer given once, $VISUAL, $EDITOR; otherwise asks. Returns false if there
 * is no answer. */
bool editor_command(repl *r, char *out, size_t size);
/* Returns the line of the last finding or compile error, otherwise of the first TODO; 0: the
 * beginning. */
unsigned editor_line(const repl *r);
/* Makes the words that open `path` at the line in this editor, malloc'ed. Returns their number. */
size_t editor_at(const char *editor, const char *path, unsigned line, char *words[2]);
/* Puts the headers that the skeleton includes into the folder of the student's file. */
void work_headers(repl *r, const char *folder);

#endif
