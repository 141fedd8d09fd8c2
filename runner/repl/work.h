/* The student's file. */
#ifndef WARPLAB_REPL_WORK_H
#define WARPLAB_REPL_WORK_H

#include "runner/repl/session.h"

/* Copies the skeleton unless there is a file already. False: it said why. */
bool repl_make_file(repl *r);
/* Says where it is. */
void repl_say_file(repl *r);

/* The file becomes the skeleton again; the old one is kept. Returns the command's status. */
int repl_reset(repl *r, char *argument);

/* ---- editor.c ---- */

/* The editor's words: what was answered once, $VISUAL, $EDITOR; else it is asked. False: no answer. */
bool editor_command(repl *r, char *out, size_t size);
/* Of the last finding or compile error, else of the first TODO; 0: the beginning. */
unsigned editor_line(const repl *r);
/* The words that open `path` there in that editor, malloc'ed; returns how many. */
size_t editor_at(const char *editor, const char *path, unsigned line, char *words[2]);
/* The headers that the skeleton includes are put beside the student's file. */
void work_headers(repl *r, const char *folder);

#endif
