/* Completion at the prompt: first commands, then what the command takes (labs, pictures, devices,
 * languages, files). readline's callbacks have no user pointer. Therefore the REPL that completes
 * is in a static variable: a process has one terminal and one REPL. */
#include "runner/repl/complete.h"

#include <readline/readline.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/paths.h"
#include "runner/repl/prompt.h"

static repl *completing;

static const char *const switches[] = {"on", "off", NULL};
static const char *const code[] = {"ptx", "sass", NULL};
static const char *const diffs[] = {"skeleton", "baseline", NULL};

/* The list that readline gets item by item. readline owns the copies. */
static char **offers;
static size_t offer_count;

static char *next_offer(const char *text, int state) {
    static size_t at;
    if (!state) at = 0;
    while (at < offer_count) {
        const char *o = offers[at++];
        if (!strncmp(o, text, strlen(text))) return strdup(o);
    }
    return NULL;
}

static void offer(const char *text) {
    if (!lib_grow_one(&offers, offer_count, sizeof *offers)) abort();
    offers[offer_count++] = lib_strdup(text);
}
static void offer_all(const char *const *list) {
    for (; *list; list++) offer(*list);
}
static void offer_languages(void) {
    for (int l = 0; l < LIB_LANGS; l++) offer(lib_lang_name((lib_lang)l));
}
static void offer_commands(void) {
    for (size_t i = 0; i < command_count; i++) offer(commands[i].name);
}
static void offer_device(void *user, const char *name, const lib_message *what,
                         const lib_message *why) {
    (void)user, (void)what;
    if (!why) offer(name);
}

/* Returns the command that the first word means, if only one is possible. */
static const char *command_of(const char *line) {
    size_t n = strcspn(line, " \t");
    const char *hit = NULL;
    for (size_t i = 0; i < command_count; i++) {
        const char *c = commands[i].name;
        if (strncmp(c, line, n) != 0) continue;
        if (!c[n]) return c;
        if (hit) return n == 1 && line[0] == 's' ? "start" : NULL;
        hit = c;
    }
    return hit;
}

static char **complete(const char *text, int start, int end) {
    (void)end;
    for (size_t i = 0; i < offer_count; i++) free(offers[i]);
    offer_count = 0;
    rl_attempted_completion_over = 1; /* file names only if the command takes one */
    const char *line = rl_line_buffer + strspn(rl_line_buffer, " \t");
    if (rl_line_buffer + start == line) {
        offer_commands();
    } else {
        const char *c = command_of(line);
        if (!c) return NULL;
        if (!strcmp(c, "start")) {
            lab_header *h;
            size_t n = lab_list(completing->root, &h);
            for (size_t i = 0; i < n; i++) offer(h[i].id);
            free(h);
        } else if (!strcmp(c, "show")) {
            for (int i = 0; i < LAB_PIC_COUNTERS; i++) offer(lab_picture_name[i]);
            offer_all(code);
        } else if (!strcmp(c, "lang")) offer_languages();
        else if (!strcmp(c, "praise")) offer_all(switches);
        else if (!strcmp(c, "diff")) offer_all(diffs);
        else if (!strcmp(c, "device")) dev_list(offer_device, NULL);
        else if (!strcmp(c, "help")) offer_commands();
        else if (!strcmp(c, "transcript")) {
            rl_attempted_completion_over = 0;
            return NULL;
        }
    }
    return rl_completion_matches(text, next_offer);
}

void complete_install(repl *r) {
    completing = r;
    rl_attempted_completion_function = complete;
    /* names of devices contain colons, those of labs dashes */
    rl_completer_word_break_characters = (char *)" \t";
}
