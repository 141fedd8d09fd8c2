/* What the files of the prompt share. */
#ifndef WARPLAB_DEBUGGER_SHELL_H
#define WARPLAB_DEBUGGER_SHELL_H

#include "runner/debugger/target.h"
#include "runner/term/text.h"

enum { SHELL_WIDTH = 80 };
/* A view that waits until the launch has run again and has recorded who writes what. */
typedef enum { VIEW_NONE, VIEW_ARRAY, VIEW_SHARED } shell_view;
typedef struct {
    shell_view view;
    char name[200];
    int64_t from, to;
    sim_addr base;
} shell_pending;

typedef struct {
    char name[200];
    char *text; /* NULL: the file does not exist */
    char **lines;
    size_t count;
} shell_source;

enum { SHELL_LINE = 1024 };
typedef struct {
    target_run run;
    sim_debug *d;
    lib_lang lang;
    FILE *in;
    bool terminal; /* `in` is a terminal */
    text_out o;
    bool stopped, quit, asked_to_run;
    bool machine;          /* the prompt is that of a block's machine code */
    char last[SHELL_LINE]; /* the last command */
    sim_go asked;          /* the last way to continue that was asked for */
    sim_place was;         /* the last place shown; its texts may be freed */
    bool opening;          /* on the way to the lesson's place */
    unsigned level;
    unsigned listed; /* the last line shown by `list` */
    shell_pending pending;
    shell_source sources[8];
    size_t source_count;
    sim_stop stop;
} shell;

/* A command. Returns true if the program continues. */
typedef bool shell_command(shell *s, char *argument);
#define DCMD(name, key, function, arguments, stop) shell_command function;
#include "runner/debugger/commands.def"
#undef DCMD
#define MCMD(name, key, function, arguments) shell_command function;
#include "runner/debugger/machine.def"
#undef MCMD

/* machine.c: the prompt of the block's machine code begins. */
void machine_begins(shell *s);
/* Says why there is none. */
void machine_refused(shell *s, const lib_message *why);

/* ---- views.c ---- */

void shell_error(shell *s, const lib_message *m);
/* Prints a line unchanged. */
void shell_line(shell *s, text_style style, lib_words words);
/* Returns the text of a line; NULL if the file does not exist. */
const char *view_line(shell *s, const char *file, unsigned line);
const char *view_file(const char *path); /* the name without folders */
/* Prints a source line; `here`: marked. */
void view_source_line(shell *s, const char *file, unsigned line, bool here);
/* Reads "1,0,0" or "1" and moves *at behind it; missing numbers are 0. Returns false if there is no
 * number. */
bool view_read_triple(char **at, unsigned v[3]);
/* Prints the selected place and its line. */
void view_place(shell *s);
/* Shows the pending view, with the writers that were recorded. */
void view_recorded(shell *s);

#endif
