/* The REPL's loop: takes a line, finds the command, runs it. The table is repl_commands.def; what the
 * commands do is in steps.c (labs and their steps), work.c (the student's file), check.c (grading),
 * draw.c (pictures of runs) and watch.c.
 *
 *   prompt.c: readline (terminal) or getline (script) --> command_find() --> command(repl, argument)
 *
 * Ctrl-C is one flag (lib_cancel_flag): at the prompt it drops the line, during a run it ends the
 * run; it never ends the REPL. */
#include "runner/repl/repl.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/word.h"
#include "runner/repl/complete.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"

typedef struct {
    const char *name, *key;
    int (*run)(repl *r, char *argument);
    const char *arguments;
    repl_needs needs;
    const char *doc[LIB_LANGS];
} command;
static const command commands[] = {
#define RCMD(name, key, function, arguments, lab, en, zh)                                          \
    {name, key, function, arguments, lab, {en, zh}},
#include "runner/repl/repl_commands.def"
#undef RCMD
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* ---- commands ---- */

/* Words of other programs, and what they are here. */
static const struct {
    const char *word, *command;
} synonyms[] = {{"grade", "check"}, {"submit", "check"}, {"test", "run"},        {"compile", "run"},
                {"make", "run"},    {"exit", "quit"},    {"solution", "answer"}, {"ls", "list"}};

static const command *command_find(repl *r, const char *word) {
    size_t n = strlen(word), hits = 0;
    const command *hit = NULL;
    char all[256] = "";
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, word) ||
            (commands[i].key[0] && !strcmp(commands[i].key, word)))
            return &commands[i];
    for (int i = 0; i < COMMANDS; i++) {
        if (strncmp(commands[i].name, word, n) != 0) continue;
        hit = &commands[i];
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", hits++ ? ", " : "", hit->name);
    }
    if (hits == 1) return hit;
    if (hits > 1) {
        text_line(&r->out, TEXT_WARN, 0, T(AMBIGUOUS), word, all);
        return NULL;
    }
    unsigned best = n > 4 ? 3 : 2;
    for (int i = 0; i < COMMANDS; i++) {
        unsigned d = lib_distance(word, commands[i].name);
        if (d < best) best = d, hit = &commands[i];
    }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (int k = 0; k < COMMANDS && !strcmp(synonyms[i].word, word); k++)
            if (!strcmp(commands[k].name, synonyms[i].command)) hit = &commands[k];
    text_line(&r->out, TEXT_WARN, 0, T(UNKNOWN_COMMAND), word);
    /* A lab's name alone is nearly a command. */
    if (lab_exists(r->root, word)) {
        char start[96];
        snprintf(start, sizeof start, "start %s", word);
        text_line(&r->out, TEXT_PLAIN, 0, T(DID_YOU_MEAN), start);
    } else if (hit) {
        text_line(&r->out, TEXT_PLAIN, 0, T(DID_YOU_MEAN), hit->name);
    } else {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(HELP_POINTER));
    }
    return NULL;
}

int repl_help(repl *r, char *argument) {
    const command *only = *argument ? command_find(r, argument) : NULL;
    if (*argument && !only) return 1;
    for (int i = 0; i < COMMANDS; i++) {
        const command *c = &commands[i];
        if (only && c != only) continue;
        char head[64];
        snprintf(head, sizeof head, "%s %s", c->name, c->arguments);
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_cell(&r->out, TEXT_CODE, 2, "%s", c->key);
        text_put(&r->out, TEXT_PLAIN, " ");
        text_cell(&r->out, TEXT_STRONG, 18, "%s", strlen(head) > 18 ? c->name : head);
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_hang(&r->out, TEXT_PLAIN, 25, "%s", c->doc[r->lang]);
    }
    return 0;
}

int repl_quit(repl *r, char *argument) {
    (void)argument;
    r->quit = true;
    return 0;
}

int repl_lang(repl *r, char *argument) {
    if (*argument && !i18n_parse(argument, &r->lang)) {
        text_line(&r->out, TEXT_WARN, 0, T(LANG_UNKNOWN), argument);
        return 1;
    }
    if (*argument) progress_set(r->progress, "lang", i18n_name(r->lang));
    text_line(&r->out, TEXT_PLAIN, 0, "%s", T(LANG_IS));
    return 0;
}

typedef struct {
    repl *r;
    const char *wanted;
    bool found, print;
} device_query;

static void on_device(void *user, const char *name, const char *what, bool available,
                      const char *why) {
    device_query *q = user;
    if (q->wanted && available && !strcmp(name, q->wanted)) q->found = true;
    if (!q->print) return;
    bool current = !strcmp(name, q->r->device);
    text_put(&q->r->out, TEXT_GOOD, "%s ", current ? ">" : " ");
    text_cell(&q->r->out, available ? TEXT_STRONG : TEXT_DIM, 14, "%s", name);
    text_put(&q->r->out, available ? TEXT_PLAIN : TEXT_DIM, "%s%s%s\n", what ? what : "",
             available ? "" : ": ", available || !why ? "" : why);
}

int repl_device(repl *r, char *argument) {
    if (!*argument) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(DEVICES_ARE));
        dev_list(on_device, &(device_query){.r = r, .print = true});
        return 0;
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s", strchr(argument, ':') ? "" : "sim:", argument);
    device_query q = {.r = r, .wanted = name};
    dev_list(on_device, &q);
    if (!q.found) {
        text_line(&r->out, TEXT_WARN, 0, T(DEVICE_UNKNOWN), argument);
        dev_list(on_device, &(device_query){.r = r, .print = true});
        return 1;
    }
    snprintf(r->device, sizeof r->device, "%s", name);
    progress_set(r->progress, "device", name);
    text_line(&r->out, TEXT_PLAIN, 0, T(DEVICE_IS), r->device);
    return 0;
}

int repl_transcript(repl *r, char *argument) {
    if (r->out.transcript) fclose(r->out.transcript);
    r->out.transcript = NULL;
    if (!*argument || !strcmp(argument, "off")) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(TRANSCRIPT_OFF));
        return 0;
    }
    FILE *f = fopen(argument, "ae");
    if (!f) {
        text_line(&r->out, TEXT_WARN, 0, T(TRANSCRIPT_FAILED), argument, strerror(errno));
        return 1;
    }
    setvbuf(f, NULL, _IOLBF, 0);
    text_line(&r->out, TEXT_PLAIN, 0, T(TRANSCRIPT_ON), argument);
    r->out.transcript = f;
    return 0;
}

int repl_praise(repl *r, char *argument) {
    if (*argument) {
        r->praise = strcmp(argument, "off") != 0;
        progress_set(r->progress, "praise", r->praise ? "on" : "off");
    }
    text_line(&r->out, TEXT_PLAIN, 0, "%s", r->praise ? T(PRAISE_ON) : T(PRAISE_OFF));
    return 0;
}

/* ---- the loop ---- */

/* False: it said why. */
static bool may_run(repl *r, repl_needs needs) {
    const char *why = needs >= NEEDS_LAB && !r->lab                    ? T(NO_LAB_OPEN)
                      : needs >= NEEDS_FILE && r->lab->quiz            ? T(QUIZ_NO_FILE)
                      : needs == NEEDS_PROGRAM && !r->lab->grade.entry ? T(SHEET_NO_PROGRAM)
                                                                       : NULL;
    if (why) text_line(&r->out, TEXT_WARN, 0, "%s", why);
    return !why;
}

static void run_line(repl *r, char *line) {
    char *word = line + strspn(line, " \t");
    char *end = word + strlen(word);
    while (end > word && isspace((unsigned char)end[-1])) *--end = 0;
    if (!*word) {
        if (r->lab) text_line(&r->out, TEXT_DIM, 0, "%s", T(EMPTY_LINE));
        return;
    }
    char *argument = word + strcspn(word, " \t");
    if (*argument) *argument++ = 0;
    argument += strspn(argument, " \t");
    const command *c = command_find(r, word);
    int status = 1;
    if (c && may_run(r, c->needs)) status = c->run(r, argument);
    if (status) r->failed = true;
    if (c && c->run != repl_next) r->insisted = false;
    if (lib_cancel_flag) {
        repl_status(r, NULL);
        text_line(&r->out, TEXT_WARN, 0, "%s", T(CANCELLED));
        lib_cancel_clear();
    }
    repl_warnings(r);
}

static void loop(repl *r) {
    while (!r->quit) {
        char prompt[96];
        if (r->lab)
            snprintf(prompt, sizeof prompt, "%s %d/%zu >", r->lab->id, r->step + 1,
                     r->lab->step_count);
        else snprintf(prompt, sizeof prompt, "warplab >");
        bool interrupted = false;
        char *line = r->pending ? r->pending : repl_line(r, prompt, true, &interrupted);
        r->pending = NULL;
        if (interrupted) continue;
        if (!line) break;
        run_line(r, line);
        free(line);
    }
}

/* The locale decides how readline counts what is typed; texts are UTF-8 whatever it says. */
static void use_utf8(void) {
    if (!strcmp(nl_langinfo(CODESET), "UTF-8")) return;
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

static void greet(repl *r) {
    char current[64];
    progress_setting(r->progress, "current", current, sizeof current);
    const char *id = r->options->lab                ? r->options->lab
                     : lab_exists(r->root, current) ? current
                                                    : NULL;
    if (!id) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(WELCOME));
        return;
    }
    if (!repl_open(r, id)) return;
    if (r->options->lab) repl_show_step(r, true);
    else if (r->state.passed && r->step + 1 == (int)r->lab->step_count)
        text_line(&r->out, TEXT_PLAIN, 0, T(RESUMED_PASSED), id);
    else text_line(&r->out, TEXT_PLAIN, 0, T(RESUMED), id, r->step + 1, r->lab->step_count);
}

int repl_main(const repl_options *o) {
    lib_message msg = {0};
    repl *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->options = o;
    r->paths = lib_paths_get(&msg);
    if (!r->paths) {
        fprintf(stderr, "warplab: %s\n", msg.text);
        free(r);
        return 3;
    }
    r->root = o->root ? o->root : r->paths->root;
    prompt_catch_interrupts();
    use_utf8();
    text_out_init(&r->out, stdout);
    if (o->no_colour) r->out.colour = false;
    r->interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    r->out.more = r->interactive ? prompt_next_page : NULL;
    r->out.more_user = r;
    r->seed = (uint64_t)time(NULL) * 2654435761u ^ (uint64_t)getpid();
    r->progress = progress_open(NULL);

    char value[64];
    progress_setting(r->progress, "lang", value, sizeof value);
    if (!(o->lang && i18n_parse(o->lang, &r->lang)) && !i18n_parse(value, &r->lang))
        r->lang = i18n_default();
    progress_setting(r->progress, "device", value, sizeof value);
    snprintf(r->device, sizeof r->device, "%s",
             o->device  ? o->device
             : value[0] ? value
                        : grading_device());
    progress_setting(r->progress, "praise", value, sizeof value);
    r->praise = strcmp(value, "off") != 0;
    repl_warnings(r);
    if (o->transcript) {
        char *name = lib_strdup(o->transcript);
        repl_transcript(r, name);
        free(name);
    }

    char *history = lib_format("%s/history", r->paths->state);
    if (r->interactive) {
        complete_install(r);
        prompt_history_read(history);
    }
    greet(r);
    loop(r);
    if (r->interactive) {
        text_line(&r->out, TEXT_DIM, 0, "%s", T(BYE));
        if (lib_make_folders(r->paths->state, &msg)) prompt_history_write(history);
    }
    free(history);
    if (r->out.transcript) fclose(r->out.transcript);
    repl_cache_clear(r);
    lab_free(r->lab);
    progress_close(r->progress);
    int status = r->failed && !r->interactive;
    free(r);
    return status;
}
