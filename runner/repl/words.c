/* `help` and `find`: find commands, labs, terms and counters by a word, in either language. */
#include <stdlib.h>
#include <string.h>
#include "runner/grade/glossary.h"
#include "runner/lesson/catalog.h"
#include "runner/repl/prompt.h"
#include "grader/figure.h"
#include "words/repl.h"

static void put_command(repl *r, const command *c) {
    char *arguments = i18n_usage(r->lang, c->arguments), head[96];
    snprintf(head, sizeof head, "%s %s", c->name, arguments);
    free(arguments);
    text_put(&r->out, TEXT_PLAIN, "  ");
    text_cell(&r->out, TEXT_CODE, 2, "%s", c->key);
    text_put(&r->out, TEXT_PLAIN, " ");
    text_cell(&r->out, TEXT_STRONG, 18, "%s", text_width(head) > 18 ? c->name : head);
    text_put(&r->out, TEXT_PLAIN, "  ");
    text_hang(&r->out, TEXT_PLAIN, 25, "%s", lib_word(r->lang, c->does));
}

static void put_term(repl *r, const glossary_entry *e) {
    if (!strcmp(e->name[r->lang], e->name[LIB_EN]))
        text_line(&r->out, TEXT_TITLE, 0, "%s", e->name[LIB_EN]);
    else text_line(&r->out, TEXT_TITLE, 0, "%s  %s", e->name[r->lang], e->name[LIB_EN]);
    text_line(&r->out, TEXT_PLAIN, 2, "%s", e->doc[r->lang]);
    if (*e->unit)
        text_words(&r->out, TEXT_DIM, 2, r->lang,
                   w_repl_term_unit(grade_unit_word(e->unit, r->lang, false)));
    if (*e->nsight) text_words(&r->out, TEXT_DIM, 2, r->lang, w_repl_term_nsight(e->nsight));
    if (*e->lab && lab_exists(r->root, e->lab))
        text_words(&r->out, TEXT_DIM, 2, r->lang, w_repl_term_lab(e->lab));
}

/* ---- labs ---- */

/* Finds labs whose id or title contains the word; with `id` only this lab. */
static size_t find_labs(repl *r, const char *word, const char *id) {
    lab_header *h;
    size_t n = lab_list(r->root, &h), hits = 0;
    for (size_t i = 0; i < n; i++) {
        bool hit = id ? !strcmp(h[i].id, id) : lab_list_holds(h[i].id, word);
        for (int lang = 0; !id && lang < LIB_LANGS; lang++)
            hit |= lab_list_holds(h[i].title[lang], word);
        if (!hit) continue;
        if (!hits++) text_line(&r->out, TEXT_TITLE, 0, "%s", lib_word(r->lang, W_REPL_FIND_LABS));
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_cell(&r->out, TEXT_CODE, 20, "%s", h[i].id);
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_hang(&r->out, TEXT_PLAIN, 24, "%s", h[i].title[r->lang]);
    }
    free(h);
    return hits;
}

/* ---- help ---- */

int repl_help(repl *r, char *argument) {
    glossary_entry e;
    if (!*argument) {
        for (size_t i = 0; i < command_count; i++) put_command(r, &commands[i]);
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_HELP_WORDS));
        return 0;
    }
    const command *c = command_exact(argument);
    bool term = glossary_find(argument, &e);
    if (c) put_command(r, c);
    if (term) put_term(r, &e);
    if (c || term) return 0;
    lib_message ignored;
    char *id = lab_find(r->root, argument, &ignored);
    if (id) {
        find_labs(r, argument, id);
        free(id);
        return 0;
    }
    /* A part that occurs in only one term stands for the term. */
    size_t hits = 0;
    for (size_t i = 0; i < glossary_count(); i++) {
        glossary_entry x = glossary_at(i);
        if (glossary_holds(&x, argument) && !hits++) e = x;
    }
    if (hits == 1) put_term(r, &e);
    if (hits > 1) return repl_find(r, argument);
    if (hits || find_labs(r, argument, NULL)) return 0;
    c = command_find(r, argument);
    if (c) put_command(r, c);
    return !c;
}

/* ---- find ---- */

static size_t find_terms(repl *r, const char *word) {
    size_t n = 0;
    for (size_t i = 0; i < glossary_count(); i++) {
        glossary_entry e = glossary_at(i);
        if (!glossary_holds(&e, word)) continue;
        if (!n++) text_line(&r->out, TEXT_TITLE, 0, "%s", lib_word(r->lang, W_REPL_FIND_TERMS));
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_cell(&r->out, TEXT_CODE, 32, "%s", e.name[LIB_EN]);
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_hang(&r->out, TEXT_PLAIN, 36, "%s",
                  r->lang == LIB_EN ? e.doc[LIB_EN] : e.name[r->lang]);
    }
    return n;
}

static size_t find_commands(repl *r, const char *word) {
    size_t n = 0;
    for (size_t i = 0; i < command_count; i++) {
        const command *c = &commands[i];
        bool hit = lab_list_holds(c->name, word);
        for (int l = 0; l < LIB_LANGS; l++)
            hit |= lab_list_holds(lib_word((lib_lang)l, c->does), word);
        if (!hit) continue;
        if (!n++) text_line(&r->out, TEXT_TITLE, 0, "%s", lib_word(r->lang, W_REPL_FIND_COMMANDS));
        put_command(r, c);
    }
    return n;
}

int repl_find(repl *r, char *argument) {
    if (!*argument) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_FIND_WHAT));
        return 1;
    }
    size_t n = find_labs(r, argument, NULL);
    n += find_terms(r, argument);
    n += find_commands(r, argument);
    if (!n) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_find_none(argument));
    return !n;
}
