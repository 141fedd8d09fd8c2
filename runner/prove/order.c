/* Checks the order of lessons: what a lab builds on, the labs that its steps name, and the terms of
 * its questions must come before it.
 *
 *   a lab, the list of all --prove_order()--> claims
 *
 * A term is known once a text has used it, here or in an earlier lab. Only terms that questions
 * need are checked, and only terms of several words, because "stream" and "bank" are also everyday
 * words. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/grade/glossary.h"
#include "runner/prove/prover.h"
#include "words/prove.h"

typedef struct {
    lab_header *all;
    size_t count, here; /* here: the lab's index in the list; count if it is in none */
} lab_order;

static size_t place_in(const lab_order *o, const char *id) {
    size_t i = 0;
    while (i < o->count && strcmp(o->all[i].id, id) != 0) i++;
    return i;
}

/* What a lab builds on must not build on the lab: then neither could be started. */
static void order_circles(prover *p, const lab_order *o) {
    const lab *l = p->l;
    size_t n = o->count;
    const lab_header *all = o->all;
    bool *behind = calloc(n + 1, sizeof *behind), more = behind != NULL;
    lib_message why = {0};
    for (size_t i = 0; more && i < n; i++)
        for (size_t k = 0; k < l->need_count; k++) behind[i] |= !strcmp(all[i].id, l->needs[k]);
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; behind[i] && j < n; j++) {
                bool needed = false;
                for (size_t k = 0; k < all[i].need_count; k++)
                    needed |= !strcmp(all[i].needs[k], all[j].id);
                if (!needed || behind[j]) continue;
                behind[j] = more = true;
                if (!strcmp(all[j].id, l->id)) lib_message_set(&why, w_prove_circle(all[i].id));
            }
    }
    prove_claim(p, !lib_message_any(&why), lib_message_words(&why), w_prove_no_circle());
    free(behind);
}

static void order_needs(prover *p, const lab_order *o) {
    const lab *l = p->l;
    lib_message why = {0};
    for (size_t k = 0; k < l->need_count && !lib_message_any(&why); k++) {
        size_t at = place_in(o, l->needs[k]);
        if (at < o->count && at > o->here && o->all[at].chapter > l->chapter)
            lib_message_set(&why,
                            w_prove_chapter_later(l->needs[k], o->all[at].chapter, l->chapter));
        else if (at < o->count && at > o->here)
            lib_message_set(&why, w_prove_order_later(l->needs[k]));
    }
    prove_claim(p, !lib_message_any(&why), lib_message_words(&why), w_prove_needs_before());
}

/* Returns whether a text names the lab: `ID` in backticks; in a pack, without the pack's name. */
static bool names_lab(const char *text, const char *id) {
    char quoted[LAB_ID_MAX + 3];
    const char *slash = strchr(id, '/');
    snprintf(quoted, sizeof quoted, "`%s`", slash ? slash + 1 : id);
    return strstr(text, quoted) != NULL;
}

/* The lesson may name later labs only in `after` and `more`. */
static void order_steps(prover *p, const lab_order *o) {
    const lab *l = p->l;
    lib_message why = {0};
    for (size_t i = 0; i < l->step_count && !lib_message_any(&why); i++)
        for (size_t k = o->here + 1; k < o->count && !lib_message_any(&why); k++)
            if (!strcmp(o->all[k].pack, o->all[o->here].pack) &&
                names_lab(l->steps[i].text.text[LIB_EN], o->all[k].id))
                lib_message_set(&why, w_prove_line_names(l->steps[i].line, o->all[k].id));
    prove_claim(p, !lib_message_any(&why), lib_message_words(&why), w_prove_names_no_later());
}

/* ---- terms ---- */

/* Finds the term as whole words, in singular or plural. */
static bool order_says(const char *text, const char *term) {
    size_t n = strlen(term);
    for (const char *s = text; (s = strcasestr(s, term)); s++) {
        bool before = s > text && isalnum((unsigned char)s[-1]);
        bool after = isalnum((unsigned char)s[n]) && s[n] != 's';
        if (!before && !after) return true;
    }
    return false;
}

/* Returns whether a text used the term before this step. A question does not count, but its
 * explanation does. */
static bool order_said_here(const lab *l, size_t step, const char *term) {
    for (size_t i = 0; i < step; i++) {
        const lab_step *s = &l->steps[i];
        if (!lab_step_asks(s) && order_says(s->text.text[LIB_EN], term)) return true;
        if (lab_step_asks(s) && s->question.because.text[LIB_EN] &&
            order_says(s->question.because.text[LIB_EN], term))
            return true;
    }
    return false;
}

static bool order_said_before(const prover *p, const lab_order *o, const char *term) {
    bool said = false;
    for (size_t i = 0; i < o->here && !said; i++) {
        lib_message ignored;
        if (*o->all[i].pack) continue; /* students need not do a pack's labs first */
        char path[800];
        snprintf(path, sizeof path, "%.512s/labs/%s.lua", p->o->root, o->all[i].id);
        char *text = lib_read_file(path, PROVE_SOURCE_BYTES, NULL, &ignored);
        said = text && order_says(text, term);
        free(text);
    }
    return said;
}

/* Returns whether the text of a question or its choices use the term. */
static bool order_asks(const lab_step *s, const char *term) {
    if (!lab_step_asks(s) && s->kind != LAB_EXERCISE) return false;
    bool asks = order_says(s->text.text[LIB_EN], term);
    for (size_t k = 0; k < s->question.choice_count; k++)
        asks |= order_says(s->question.choices[k].text.text[LIB_EN], term);
    return asks;
}

static void order_terms(prover *p, const lab_order *o) {
    const lab *l = p->l;
    lib_message why = {0};
    for (size_t g = 0; g < glossary_count() && !lib_message_any(&why); g++) {
        glossary_entry e = glossary_at(g);
        const char *term = e.name[LIB_EN];
        size_t at = e.counter || !strchr(term, ' ') ? o->count : place_in(o, e.lab);
        if (at == o->count || at <= o->here) continue;
        size_t i = 0;
        while (i < l->step_count && !order_asks(&l->steps[i], term)) i++;
        if (i == l->step_count || order_said_here(l, i, term) || order_said_before(p, o, term))
            continue;
        lib_message_set(&why, w_prove_line_asks(l->steps[i].line, term, e.lab));
    }
    prove_claim(p, !lib_message_any(&why), lib_message_words(&why), w_prove_terms_before());
}

void prove_order(prover *p) {
    lab_order o = {0};
    o.count = lab_list(p->o->root, &o.all);
    o.here = place_in(&o, p->l->id);
    if (p->l->need_count) order_circles(p, &o);
    if (o.here < o.count) {
        if (p->l->need_count) order_needs(p, &o);
        order_steps(p, &o);
        order_terms(p, &o);
    }
    free(o.all);
}
