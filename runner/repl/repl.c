/* The REPL's loop: reads a line, finds the command, runs it. The table is repl_commands.def. The
 * commands are in steps.c (labs and their steps), work.c (the student's file), check.c (grading),
 * draw.c (pictures of runs) and watch.c.
 *
 *   prompt.c: readline (terminal) or getline (script) --> command_find() --> command(repl, arg)
 *
 * Ctrl-C sets one flag (lib_cancel_flag). At the prompt it drops the line, during a run it ends the
 * run; it never ends the REPL. */
#include "runner/repl/repl.h"
#include "words/repl.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
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
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/repl/complete.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"
#include "runner/lesson/catalog.h"

int repl_quit(repl *r, char *argument) {
    (void)argument;
    r->quit = true;
    return 0;
}

/* A single `q` may have been meant for the pager, if the page was shorter than expected. */
static bool quit_meant(repl *r, const char *word) {
    if (!r->interactive || strcmp(word, "q") != 0 || r->leaving) return true;
    r->leaving = true;
    text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_QUIT_ONCE_MORE));
    return false;
}

int repl_lang(repl *r, char *argument) {
    if (*argument && !i18n_parse(argument, &r->lang)) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_lang_unknown(argument));
        return 1;
    }
    if (*argument) progress_set(r->progress, "lang", i18n_name(r->lang));
    text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_LANG_IS));
    return 0;
}

typedef struct {
    repl *r;
    const char *wanted;
    bool found, print;
} device_query;

static void on_device(void *user, const char *name, const lib_message *what,
                      const lib_message *why) {
    device_query *q = user;
    if (q->wanted && !why && !strcmp(name, q->wanted)) q->found = true;
    if (!q->print) return;
    bool current = !strcmp(name, q->r->device);
    text_put(&q->r->out, TEXT_GOOD, "%s ", current ? ">" : " ");
    text_cell(&q->r->out, why ? TEXT_DIM : TEXT_STRONG, 14, "%s", name);
    char *text = lib_words_take(q->r->lang,
                                why ? w_repl_device_missing(what, why) : lib_message_words(what));
    text_hang(&q->r->out, why ? TEXT_DIM : TEXT_PLAIN, 16, "%s", text);
    free(text);
}

int repl_device(repl *r, char *argument) {
    if (!*argument) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_DEVICES_ARE));
        dev_list(on_device, &(device_query){.r = r, .print = true});
        return 0;
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s", strchr(argument, ':') ? "" : "sim:", argument);
    device_query q = {.r = r, .wanted = name};
    dev_list(on_device, &q);
    if (!q.found) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_device_unknown(argument));
        dev_list(on_device, &(device_query){.r = r, .print = true});
        return 1;
    }
    snprintf(r->device, sizeof r->device, "%s", name);
    progress_set(r->progress, "device", name);
    text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_device_is(r->device));
    return 0;
}

int repl_transcript(repl *r, char *argument) {
    if (!*argument && r->out.transcript) {
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_transcript_is(r->transcript));
        return 0;
    }
    if (r->out.transcript) fclose(r->out.transcript);
    r->out.transcript = NULL;
    if (!*argument || !strcmp(argument, "off")) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_TRANSCRIPT_OFF));
        return 0;
    }
    FILE *f = fopen(argument, "ae");
    if (!f) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_transcript_failed(argument, errno));
        return 1;
    }
    setvbuf(f, NULL, _IOLBF, 0);
    text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_transcript_on(argument));
    r->out.transcript = f;
    snprintf(r->transcript, sizeof r->transcript, "%s", argument);
    return 0;
}

int repl_praise(repl *r, char *argument) {
    if (*argument) {
        r->praise = strcmp(argument, "off") != 0;
        progress_set(r->progress, "praise", r->praise ? "on" : "off");
    }
    text_line(&r->out, TEXT_PLAIN, 0, "%s",
              r->praise ? lib_word(r->lang, W_REPL_PRAISE_ON)
                        : lib_word(r->lang, W_REPL_PRAISE_OFF));
    return 0;
}

/* ---- the loop ---- */

/* Returns false if it may not; the reason was printed. */
static bool may_run(repl *r, repl_needs needs) {
    const char *why = needs >= NEEDS_LAB && !r->lab         ? lib_word(r->lang, W_REPL_NO_LAB_OPEN)
                      : needs >= NEEDS_FILE && r->lab->quiz ? lib_word(r->lang, W_REPL_QUIZ_NO_FILE)
                      : needs == NEEDS_PROGRAM && !r->lab->grade.entry
                          ? lib_word(r->lang, W_REPL_SHEET_NO_PROGRAM)
                          : NULL;
    if (why) text_line(&r->out, TEXT_WARN, 0, "%s", why);
    return !why;
}

static int (*const runs[])(repl *r, char *argument) = {
#define RCMD(NAME, name, key, function, ...) function,
#include "runner/repl/repl_commands.def"
#undef RCMD
};

static int run_line(repl *r, char *line) {
    command_plain(line);
    char *word = line + strspn(line, " \t");
    char *end = word + strlen(word);
    while (end > word && isspace((unsigned char)end[-1])) *--end = 0;
    if (!*word) {
        if (r->lab) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_EMPTY_LINE));
        else if (r->fresh) return repl_tour(r, line);
        return 0;
    }
    char *argument = word + strcspn(word, " \t");
    if (*argument) *argument++ = 0;
    argument += strspn(argument, " \t");
    const command *c = command_find(r, word);
    int status = 1;
    int (*run)(repl *, char *) = c ? runs[c - commands] : NULL;
    if (run == repl_quit && !quit_meant(r, word)) return 0;
    r->leaving = false;
    if (c && may_run(r, c->needs)) status = run(r, argument);
    if (status) r->failed = true;
    if (run && run != repl_next) r->insisted = false;
    if (lib_cancel_flag) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_CANCELLED));
        lib_cancel_clear();
    }
    repl_warnings(r);
    return status;
}

/* "coalescing 3/9 >"; with device and language if they are not this machine's defaults. */
static void loop_prompt(const repl *r, char *out, size_t n) {
    char other[96] = "";
    bool device = strcmp(r->device, r->usual_device) != 0, lang = r->lang != i18n_default();
    if (device || lang)
        snprintf(other, sizeof other, " [%s%s%s]", device ? r->device : "",
                 device && lang ? ", " : "", lang ? i18n_name(r->lang) : "");
    if (r->lab)
        snprintf(out, n, "%s %d/%zu%s >", r->lab->id, r->step + 1, r->lab->step_count, other);
    else snprintf(out, n, "warplab%s >", other);
}

static void loop(repl *r) {
    bool interrupted = false;
    while (!r->quit) {
        char prompt[200];
        loop_prompt(r, prompt, sizeof prompt);
        char *line = r->pending ? r->pending : repl_line(r, prompt, true, &interrupted);
        if (r->pending) interrupted = false;
        r->pending = NULL;
        if (interrupted) continue;
        if (!line) break;
        repl_reload(r);
        run_line(r, line);
        free(line);
    }
    free(r->pending);
}

/* readline counts characters by the locale, but texts are always UTF-8. */
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
    bool other = strcmp(r->device, r->usual_device) != 0;
    if (!id) {
        progress_lab *all;
        r->fresh = r->interactive && !progress_all(r->progress, &all);
        if (r->interactive) free(all);
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_WELCOME));
        if (r->fresh)
            text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_TOUR_OFFER));
    } else if (repl_open(r, id)) {
        char next[LAB_ID_MAX] = "";
        /* lab_list_next() reads all lessons, so call it only if necessary: the prompt must appear
         * at once. */
        bool over = r->state.passed && r->step + 1 == (int)r->lab->step_count;
        if (over && !r->options->lab && !lab_list_next(r->root, r->progress, id, next, sizeof next))
            *next = 0; /* the labs of the pack are all passed */
        if (r->options->lab) repl_show_step(r, true, false);
        else if (*next) {
            text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_resumed_passed(id, next));
            r->insisted = true;
        } else
            text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                       w_repl_resumed(id, r->step + 1, r->lab->step_count));
    }
    if (other)
        text_words(&r->out, TEXT_DIM, 0, r->lang,
                   r->options->device ? w_repl_device_given(r->device, r->usual_device)
                                      : w_repl_device_other(r->device, r->usual_device));
}

/* Asks for the language if neither the command line, an earlier session nor the locale has named
 * one. */
static void ask_language(repl *r) {
    lib_buffer prompt = {0};
    for (int l = 0; l < LIB_LANGS; l++)
        lib_buffer_printf(&prompt, "%s%s", l ? "    " : "",
                          lib_word((lib_lang)l, W_REPL_CHOOSE_LANGUAGE));
    lib_buffer_puts(&prompt, " >");
    char *asked = lib_buffer_take(&prompt), *line = asked ? repl_line(r, asked, false, NULL) : NULL;
    free(asked);
    if (!line) return;
    command_plain(line);
    for (int l = 0; l < LIB_LANGS; l++)
        if (command_among(lib_word((lib_lang)l, W_REPL_LANGUAGE_WORDS), line))
            r->lang = (lib_lang)l;
    free(line);
    progress_set(r->progress, "lang", i18n_name(r->lang));
}

/* Shows one step as a student sees it with an unchanged file. */
static int preview(repl *r) {
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDIN_FILENO);
    r->interactive = false;
    r->out.more = NULL;
    if (!repl_open(r, r->options->lab)) return 3;
    snprintf(r->file, sizeof r->file, "%s", r->lab->skeleton_path);
    if (r->options->preview > (int)r->lab->step_count) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_step_none(r->lab->step_count));
        return 2;
    }
    r->step = r->options->preview - 1;
    repl_show_step(r, true, false);
    measured_clear(r);
    return 0;
}

/* ---- pictures for a book ---- */

static char *picture_of(repl *r, const lab_step *s) {
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to) return NULL;
    text_out_init(&r->out, to);
    r->out.colour = false;
    r->out.width = 80;
    r->out.height = 0;
    lab_step_draw(s, 1, &r->drawn);
    repl_draw(r, &s->show, &r->drawn);
    fclose(to);
    return text;
}

bool repl_pictures(const repl_options *o, bool measured, char **out, size_t steps) {
    lib_message msg = {0};
    repl *r = lib_malloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->options = o;
    r->paths = lib_paths_get(&msg);
    r->root = o->root;
    text_out_init(&r->out, stderr);
    r->progress = progress_open(":memory:");
    i18n_parse(o->lang, &r->lang);
    snprintf(r->usual_device, sizeof r->usual_device, "%s", grading_device());
    snprintf(r->device, sizeof r->device, "%s", o->device ? o->device : r->usual_device);
    bool ok = r->paths && repl_open(r, o->lab);
    if (ok) snprintf(r->file, sizeof r->file, "%s", r->lab->skeleton_path);
    for (size_t i = 0; ok && i < steps && i < r->lab->step_count && !lib_cancel_flag; i++) {
        const lab_step *s = &r->lab->steps[i];
        bool drawn = s->kind == LAB_SHOW || s->kind == LAB_COMPARE,
             given = s->show.model_ref || s->show.registers;
        if (drawn && (measured || given)) out[i] = picture_of(r, s);
    }
    measured_clear(r);
    lab_free(r->lab);
    progress_close(r->progress);
    free(r);
    return ok;
}

/* Restores the settings of the last session; the command line takes precedence. Returns false if
 * nothing names the language. */
static bool repl_settings(repl *r, const repl_options *o) {
    char value[64];
    progress_setting(r->progress, "lang", value, sizeof value);
    bool told = (o->lang && i18n_parse(o->lang, &r->lang)) || i18n_parse(value, &r->lang);
    if (!told) r->lang = i18n_default();
    told |= i18n_told();
    snprintf(r->usual_device, sizeof r->usual_device, "%s", grading_device());
    progress_setting(r->progress, "device", value, sizeof value);
    snprintf(r->device, sizeof r->device, "%s",
             o->device  ? o->device
             : value[0] ? value
                        : r->usual_device);
    progress_setting(r->progress, "praise", value, sizeof value);
    r->praise = strcmp(value, "off") != 0;
    return told;
}

/* Runs from the greeting to the end of input. Returns the exit status. */
static int repl_session(repl *r, bool told) {
    lib_message msg = {0};
    char *history = lib_format("%s/history", r->paths->state);
    if (r->interactive) {
        complete_install(r);
        prompt_history_read(history);
    }
    if (r->interactive && !told) ask_language(r);
    greet(r);
    loop(r);
    if (r->interactive) {
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_BYE));
        if (lib_make_folders(r->paths->state, &msg)) prompt_history_write(history);
    }
    free(history);
    if (r->out.transcript) fclose(r->out.transcript);
    measured_clear(r);
    return r->failed && !r->interactive;
}

int repl_main(const repl_options *o) {
    lib_message msg = {0};
    repl *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->options = o;
    if (!o->lang || !i18n_parse(o->lang, &r->lang)) r->lang = i18n_default();
    r->paths = lib_paths_get(&msg);
    if (!r->paths) {
        char why[1024];
        lib_print(stderr, "warplab: %s\n", lib_message_text(why, sizeof why, r->lang, &msg));
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
    /* A preview always draws the same numbers, because steps that share numbers are looked at one
     * by one. */
    r->seed = o->preview ? 1 : (uint64_t)time(NULL) * 2654435761u ^ (uint64_t)getpid();
    r->obey = run_line;
    r->progress = progress_open(o->preview ? ":memory:" : NULL);
    bool told = repl_settings(r, o);
    repl_warnings(r);
    if (o->transcript) {
        char *name = lib_strdup(o->transcript);
        repl_transcript(r, name);
        free(name);
    }
    int status = o->preview ? preview(r) : repl_session(r, told);
    lab_free(r->lab);
    progress_close(r->progress);
    free(r);
    return status;
}
