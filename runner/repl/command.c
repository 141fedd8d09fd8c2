/* The table of commands, and which command a word means. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runner/base/say.h"
#include "runner/repl/prompt.h"
#include "words/repl.h"

const command commands[] = {
#define RCMD(NAME, name, key, function, arguments, needs)                                          \
    {name, key, arguments, needs, W_REPL_COMMAND_##NAME},
#include "runner/repl/repl_commands.def"
#undef RCMD
};
const size_t command_count = sizeof commands / sizeof *commands;

bool command_among(const char *words, const char *word) {
    size_t len = strlen(word);
    for (const char *s = words; len && *s;) {
        size_t n = strcspn(s, "|");
        if (n == len && !strncasecmp(s, word, n)) return true;
        s += n + (s[n] == '|');
    }
    return false;
}

bool command_is(lib_word_id words, const char *word) {
    for (int l = 0; l < LIB_LANGS; l++)
        if (command_among(lib_word((lib_lang)l, words), word)) return true;
    return false;
}

void command_plain(char *line) {
    static const char stop[] = "\u3002";
    size_t length = strlen(line), end = sizeof stop - 1;
    if (length >= end && !strcmp(line + length - end, stop)) line[length - end] = 0;
    text_narrow(line);
    char *word = line + strspn(line, " \t");
    size_t n = strcspn(word, " \t");
    if (n > 1 && word[n - 1] == '.' && !word[n]) word[n - 1] = 0; /* "next." */
}

const command *command_exact(const char *word) {
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(commands[i].name, word) ||
            (commands[i].key[0] && !strcmp(commands[i].key, word)))
            return &commands[i];
    for (size_t i = 0; i < command_count; i++) {
        char also[32];
        lib_say(also, sizeof also, "also-%s", commands[i].name);
        if (command_is(lib_words_named("repl", also), word)) return &commands[i];
    }
    return NULL;
}

static void say_unknown(repl *r, const char *word) {
    const char *near = NULL;
    unsigned best = strlen(word) > 4 ? 3 : 2;
    for (size_t i = 0; i < command_count; i++) {
        unsigned d = lib_distance(word, commands[i].name);
        if (d < best) best = d, near = commands[i].name;
    }
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_unknown_command(word));
    if (r->lab && lab_step_asks(&r->lab->steps[r->step]) && *word >= '0' && *word <= '9') {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_ASK_AGAIN));
        return;
    }
    /* The name of a lab is nearly a command. */
    char start[96];
    if (lab_exists(r->root, word)) {
        snprintf(start, sizeof start, "start %s", word);
        near = start;
    }
    if (near) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_did_you_mean(near));
    else text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_HELP_POINTER));
}

const command *command_find(repl *r, const char *word) {
    const command *hit = command_exact(word);
    if (hit) return hit;
    size_t n = strlen(word), hits = 0;
    char all[256] = "";
    for (size_t i = 0; i < command_count; i++) {
        if (strncmp(commands[i].name, word, n) != 0) continue;
        hit = &commands[i];
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", hits++ ? "\n" : "", hit->name);
    }
    if (hits == 1) return hit;
    if (hits > 1) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_ambiguous(word, all));
    else say_unknown(r, word);
    return NULL;
}
