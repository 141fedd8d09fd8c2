/* The debugger's prompt: reads commands, reports stops and answers. See debugger.h.
 *
 *   target_go() --stop--> shell_stopped(): prompt until a command goes on --> sim_debug_go()
 *
 * With input from a script (a pipe), each command is printed after the prompt, so that the output
 * reads like a session. */
#include "runner/debugger/shell.h"
#include "grader/result.h"

#include <ctype.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "words/debugger.h"

/* ---- commands that go on ---- */

static bool go(shell *s, sim_go how) {
    bool back = how >= SIM_GO_BACK && how <= SIM_GO_RESTART;
    if (back && !sim_debug_can_go_back(s->d)) {
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_CANNOT_GO_BACK));
        return false;
    }
    s->asked = how;
    sim_debug_go(s->d, how);
    return true;
}
bool shell_continue(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_CONTINUE);
}
bool shell_step(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_STEP);
}
bool shell_next(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_NEXT);
}
bool shell_finish(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_FINISH);
}
bool shell_stepi(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_STEPI);
}
bool shell_back(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_BACK);
}
bool shell_reverse_step(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_REVERSE_STEP);
}
bool shell_reverse_next(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_REVERSE_NEXT);
}
bool shell_reverse_continue(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_REVERSE_CONTINUE);
}
bool shell_start(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_RESTART);
}
bool shell_end(shell *s, char *argument) {
    (void)argument;
    return go(s, SIM_GO_TO_END);
}

bool shell_run(shell *s, char *argument) {
    (void)argument;
    if (s->stopped) {
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_RUNS_ALREADY));
        return false;
    }
    s->asked_to_run = true;
    return true;
}

bool shell_quit(shell *s, char *argument) {
    (void)argument;
    s->quit = true;
    if (s->stopped) sim_debug_go(s->d, SIM_GO_ABORT);
    return true;
}

/* ---- breakpoints ---- */

/* Splits "PLACE if CONDITION". */
static char *condition_of(char *text) {
    for (char *at = text; (at = strstr(at, " if ")); at += 4) {
        *at = 0;
        return at + 4;
    }
    return (char *)(uintptr_t) "";
}

static void say_point(shell *s, const sim_point *p) {
    text_put(&s->o, TEXT_PLAIN, "%s %u: %s",
             p->watch ? lib_word(s->lang, W_DEBUGGER_WATCHPOINT)
                      : lib_word(s->lang, W_DEBUGGER_BREAKPOINT),
             p->number, p->text);
    if (p->line) {
        const char *colon = strrchr(p->text, ':');
        if ((unsigned)strtoul(colon ? colon + 1 : p->text, NULL, 10) != p->line)
            text_put_words(&s->o, TEXT_PLAIN, s->lang, w_debugger_point_line(p->line));
    }
    if (*p->condition) text_put(&s->o, TEXT_PLAIN, " if %s", p->condition);
    if (s->stopped && !p->known)
        text_put(&s->o, TEXT_WARN, "%s", lib_word(s->lang, W_DEBUGGER_POINT_NOT_IN_CODE));
    if (p->hits)
        text_put_words(&s->o, TEXT_PLAIN, s->lang,
                       w_debugger_point_hits((unsigned long long)p->hits));
    text_put(&s->o, TEXT_PLAIN, "\n");
}

static void say_newest(shell *s, unsigned number) {
    sim_point p;
    for (size_t k = 0; k < sim_debug_points(s->d); k++) {
        sim_debug_point(s->d, k, &p);
        if (p.number == number) say_point(s, &p);
    }
}

bool shell_break(shell *s, char *argument) {
    lib_message msg = {0};
    char *condition = condition_of(argument);
    unsigned n = sim_debug_break(s->d, argument, condition, &msg);
    if (n) say_newest(s, n);
    else shell_error(s, &msg);
    return false;
}

bool shell_watch(shell *s, char *argument) {
    lib_message msg = {0};
    char *condition = condition_of(argument);
    unsigned n = sim_debug_watch(s->d, argument, condition, &msg);
    if (n) say_newest(s, n);
    else shell_error(s, &msg);
    return false;
}

bool shell_cond(shell *s, char *argument) {
    char *rest;
    unsigned n = (unsigned)strtoul(argument, &rest, 10);
    while (isspace((unsigned char)*rest)) rest++;
    if (sim_debug_condition(s->d, n, rest)) say_newest(s, n);
    else shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_COND_TAKES));
    return false;
}

bool shell_delete(shell *s, char *argument) {
    if (!sim_debug_delete(s->d, (unsigned)strtoul(argument, NULL, 10)))
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_DELETE_TAKES));
    return false;
}

bool shell_points(shell *s, char *argument) {
    (void)argument;
    sim_point p;
    size_t n = sim_debug_points(s->d);
    for (size_t k = 0; k < n; k++) {
        sim_debug_point(s->d, k, &p);
        say_point(s, &p);
    }
    if (!n) shell_line(s, TEXT_DIM, lib_words_of(W_DEBUGGER_NO_BREAKPOINTS));
    return false;
}

/* ---- the prompt ---- */

bool shell_machine(shell *s, char *argument) {
    lib_message msg = {0};
    (void)argument;
    if (sim_debug_machine(s->d, &msg)) return true;
    machine_refused(s, &msg);
    return false;
}

typedef struct {
    const char *name, *key;
    shell_command *fn;
    const char *arguments;
    bool stop;
} shell_entry;
static const shell_entry own_commands[] = {
#define DCMD(name, key, function, arguments, stop) {name, key, function, arguments, stop},
#include "runner/debugger/commands.def"
#undef DCMD
};
static const shell_entry machine_commands[] = {
#define MCMD(name, key, function, arguments) {name, key, function, arguments, true},
#include "runner/debugger/machine.def"
#undef MCMD
};
/* The prompts: of the program, and of a block's machine code. */
static const struct {
    const char *prompt, *help;
    const shell_entry *commands;
    size_t count;
} prompts[] = {
    {"(debug) ", "debugger.help", own_commands, sizeof own_commands / sizeof *own_commands},
    {"(machine) ", "debugger.machine-help", machine_commands,
     sizeof machine_commands / sizeof *machine_commands}};

bool shell_help(shell *s, char *argument) {
    const shell_entry *e = prompts[s->machine].commands;
    (void)argument;
    for (size_t k = 0; k < prompts[s->machine].count; k++) {
        char left[160];
        snprintf(left, sizeof left, "%s%s%s %s", e[k].name, *e[k].key ? ", " : "", e[k].key,
                 e[k].arguments);
        text_put(&s->o, TEXT_CODE, "%s\n", left);
        text_line(&s->o, TEXT_PLAIN, 4, "%s",
                  lib_word(s->lang, lib_words_named(prompts[s->machine].help, e[k].name)));
    }
    return false;
}

/* Finds a command by its name, its short form, or a beginning that only one name has. -1: none; -2:
 * several. */
static int find_command(const shell *s, const char *word) {
    const shell_entry *e = prompts[s->machine].commands;
    size_t count = prompts[s->machine].count;
    int found = -1;
    for (size_t k = 0; k < count; k++)
        if (!strcmp(word, e[k].name) || !strcmp(word, e[k].key)) return (int)k;
    for (size_t k = 0; k < count; k++) {
        if (strncmp(word, e[k].name, strlen(word))) continue;
        if (found >= 0) return -2;
        found = (int)k;
    }
    return found;
}

/* `info registers` and the like, for users of other debuggers. */
static char *without_info(char *line) {
    static const char *const names[][2] = {
        {"break", "points"}, {"watch", "points"}, {"args", "locals"}, {"threads", "warps"}};
    if (strncmp(line, "info ", 5)) return line;
    line += 5;
    while (isspace((unsigned char)*line)) line++;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(line, names[k][0], strlen(names[k][0]))) return strcpy(line, names[k][1]);
    return line;
}

static bool obey(shell *s, char *line) {
    line = without_info(line);
    char *argument = line + strcspn(line, " \t");
    if (*argument) *argument++ = 0;
    while (isspace((unsigned char)*argument)) argument++;
    int k = find_command(s, line);
    if (k < 0) {
        shell_line(s, TEXT_BAD,
                   k == -2 ? w_debugger_more_than_one_command(line) : w_debugger_no_command(line));
        return false;
    }
    const shell_entry *e = &prompts[s->machine].commands[k];
    if (e->stop && !s->stopped) {
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_NOTHING_RUNS));
        return false;
    }
    return e->fn(s, argument);
}

/* Reads the next command. Returns false if there are no more. */
static bool read_command(shell *s, char *line) {
    const char *prompt = prompts[s->machine].prompt;
    if (s->terminal) {
        char *typed = readline(prompt);
        if (!typed) return false;
        if (*typed) add_history(typed);
        snprintf(line, SHELL_LINE, "%s", typed);
        free(typed);
    } else {
        if (!fgets(line, SHELL_LINE, s->in)) return false;
        line[strcspn(line, "\r\n")] = 0;
        text_put(&s->o, TEXT_DIM, "%s%s\n", prompt, line);
    }
    char *end = line + strlen(line);
    while (end > line && isspace((unsigned char)end[-1])) *--end = 0;
    return true;
}

/* Obeys commands until one goes on. An empty line repeats the last command. */
static void prompt(shell *s) {
    char line[SHELL_LINE], again[SHELL_LINE];
    for (;;) {
        fflush(s->o.to);
        lib_cancel_clear();
        if (!read_command(s, line)) {
            shell_quit(s, line);
            return;
        }
        char *at = line;
        while (isspace((unsigned char)*at)) at++;
        if (*at == '#') continue;
        if (*at) snprintf(s->last, sizeof s->last, "%s", at);
        snprintf(again, sizeof again, "%s", s->last);
        text_page_begin(&s->o);
        if (*again && obey(s, again)) return;
    }
}

/* ---- stops ---- */

static void say_end(shell *s, const sim_stop *e) {
    const char *how = e->status == SIM_OK ? lib_word(s->lang, W_DEBUGGER_ALL_WENT_THROUGH)
                                          : sim_status_message(e->status);
    text_words(&s->o, e->status == SIM_OK ? TEXT_STRONG : TEXT_BAD, 0, s->lang,
               sim_debug_can_go_back(s->d) ? w_debugger_ended_can_go_back(e->kernel, how)
                                           : w_debugger_ended(e->kernel, how));
}

static void say_stop(shell *s, const sim_stop *e) {
    const char *why = NULL;
    char number[64];
    switch (e->reason) {
    case SIM_STOP_BREAK:
    case SIM_STOP_WATCH:
        snprintf(number, sizeof number, "%s %u",
                 e->reason == SIM_STOP_BREAK ? lib_word(s->lang, W_DEBUGGER_BREAKPOINT)
                                             : lib_word(s->lang, W_DEBUGGER_ABOUT_TO_BE_WRITTEN),
                 e->number);
        why = e->number ? number : NULL;
        break;
    case SIM_STOP_LAUNCH: why = lib_word(s->lang, W_DEBUGGER_LAUNCH_BEGINS); break;
    case SIM_STOP_FINDING:
        why = sim_debug_can_go_back(s->d) ? lib_word(s->lang, W_DEBUGGER_NEXT_INSTRUCTION)
                                          : lib_word(s->lang, W_DEBUGGER_THIS_INSTRUCTION);
        break;
    case SIM_STOP_EXITED: why = lib_word(s->lang, W_DEBUGGER_THREAD_ENDED); break;
    case SIM_STOP_START:
        why = s->asked == SIM_GO_REVERSE_CONTINUE
                  ? lib_word(s->lang, W_DEBUGGER_NOTHING_STOPPED_BEFORE)
                  : lib_word(s->lang, W_DEBUGGER_LAUNCH_START);
        break;
    case SIM_STOP_PAUSE: why = lib_word(s->lang, W_DEBUGGER_INTERRUPTED); break;
    default: break;
    }
    if (why) text_put(&s->o, TEXT_STRONG, "%s\n", why);
    if (e->finding) {
        char *text = grade_finding_text(e->finding, s->lang);
        text_line(&s->o, TEXT_BAD, 0, "%s", text);
        free(text);
    }
    if (e->reason == SIM_STOP_END) say_end(s, e);
}

/* Going back from the middle of a line leads to the beginning of the same line. Says so. */
static void say_same_line(shell *s, const sim_stop *e) {
    sim_place p;
    if (!sim_debug_frame(s->d, 0, &p)) return;
    bool back = s->asked == SIM_GO_REVERSE_STEP || s->asked == SIM_GO_REVERSE_NEXT;
    if (e->reason == SIM_STOP_STEP && back && p.line && p.line == s->was.line &&
        p.function == s->was.function)
        shell_line(s, TEXT_DIM, lib_words_of(W_DEBUGGER_LINE_BEGINS));
    s->was = p;
}

static void shell_stopped(void *user, sim_debug *d, const sim_stop *e) {
    shell *s = user;
    s->stop = *e;
    s->stopped = true;
    s->level = 0;
    s->listed = 0;
    if (s->opening) sim_debug_stop_at(s->d, false, true);
    s->opening = false;
    if (s->quit) {
        sim_debug_go(s->d, SIM_GO_ABORT);
    } else {
        lib_message msg = {0};
        if (e->reason == SIM_STOP_RECORDED) {
            view_recorded(s);
        } else if (e->reason == SIM_STOP_MACHINE && sim_debug_machine_ready(d, &msg)) {
            machine_begins(s);
        } else if (e->reason == SIM_STOP_MACHINE) {
            machine_refused(s, &msg);
            sim_debug_machine_leave(d);
            s->stopped = false;
            return;
        } else {
            say_stop(s, e);
            say_same_line(s, e);
            if (e->reason != SIM_STOP_END) view_place(s);
        }
        prompt(s);
    }
    s->stopped = s->machine = false;
}

/* ---- a session ---- */

/* The session to stop on Ctrl-C: only one session has the terminal. */
static _Atomic(sim_debug *) interrupted;
static void on_interrupt(int signal_number) {
    (void)signal_number;
    sim_debug *d = interrupted;
    if (d) sim_debug_pause(d);
}

static void call_ended(void *user, const grade_case_result *r) {
    shell *s = user;
    if (r->pass) shell_line(s, TEXT_GOOD, lib_words_of(W_DEBUGGER_OUTPUTS_RIGHT));
    else shell_line(s, TEXT_BAD, lib_message_words(&r->message));
}

static void run_once(shell *s) {
    lib_message msg = {0};
    struct sigaction old, ours = {.sa_handler = on_interrupt};
    s->asked_to_run = false;
    sim_debug_rest(s->d, false);
    interrupted = s->d;
    sigaction(SIGINT, &ours, &old);
    fflush(s->o.to);
    bool ok = target_go(&s->run, &msg);
    sigaction(SIGINT, &old, NULL);
    interrupted = NULL;
    if (s->quit) return;
    if (!ok && lib_message_any(&msg)) shell_error(s, &msg);
    else if (lib_message_any(&s->run.how)) {
        shell_line(s, TEXT_BAD, w_debugger_program_ended_badly(&s->run.how));
    } else shell_line(s, TEXT_STRONG, lib_words_of(W_DEBUGGER_PROGRAM_ENDED));
}

static void shell_free(shell *s) {
    target_free(&s->run);
    sim_debug_free(s->d);
    for (size_t k = 0; k < s->source_count; k++) {
        free(s->sources[k].text);
        free(s->sources[k].lines);
    }
}

/* Runs at once to the lesson's place, or to the first finding. */
static void open_at_place(shell *s) {
    const debugger_opening *o = s->run.t->opening;
    unsigned line = target_opening(s->run.t);
    char at[24];
    lib_message msg = {0};
    text_say(&s->o, o->text[s->lang], 0);
    snprintf(at, sizeof at, "%u", line);
    unsigned n = line ? sim_debug_break(s->d, at, "", &msg) : 0;
    if (n) say_newest(s, n);
    /* if the student's file no longer has the place, stop at the start; otherwise go past ends, to
     * a finding */
    sim_debug_stop_at(s->d, !n && o->at_count, false);
    s->opening = true;
    run_once(s);
    s->opening = false;
    sim_debug_stop_at(s->d, false, true);
}

int debugger_shell(const debugger_target *t, lib_lang lang, FILE *in, FILE *out) {
    shell s = {.lang = lang, .in = in, .terminal = isatty(fileno(in))};
    lib_message msg = {0};
    text_out_init(&s.o, out);
    s.o.height = 0;
    s.d = sim_debug_new(shell_stopped, &s);
    if (!s.d) return 3;
    s.run = (target_run){.t = t, .debug = s.d, .ended = call_ended, .user = &s};
    char *log;
    bool ok = target_build(&s.run, &log, &msg);
    if (log && *log) text_raw(&s.o, log, strlen(log), 0, 60);
    free(log);
    if (!ok) {
        shell_error(&s, &msg);
        shell_free(&s);
        return 1;
    }
    text_put(&s.o, TEXT_DIM, "%s\n", lib_word(lang, W_DEBUGGER_OPENING));
    if (t->opening) open_at_place(&s);
    while (!s.quit) {
        prompt(&s);
        if (s.asked_to_run) run_once(&s);
    }
    shell_free(&s);
    return 0;
}
