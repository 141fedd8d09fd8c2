/* See bank.h. */
#include "runner/practice/bank.h"
#include "grader/rng.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

struct bank {
    const char *root;
    lab_header *headers;
    lab **labs; /* loaded when they are needed */
    size_t count;
};

bank *bank_open(const char *root) {
    bank *b = lib_malloc(sizeof *b);
    *b = (bank){.root = root};
    b->count = lab_list(root, &b->headers);
    b->labs = lib_malloc((b->count + 1) * sizeof(lab *));
    memset(b->labs, 0, (b->count + 1) * sizeof(lab *));
    return b;
}

void bank_close(bank *b) {
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) lab_free(b->labs[i]);
    free(b->labs);
    free(b->headers);
    free(b);
}

int bank_chapters(const bank *b) {
    int most = 0;
    for (size_t i = 0; i < b->count; i++)
        if (!*b->headers[i].pack && !b->headers[i].broken && b->headers[i].chapter > most)
            most = b->headers[i].chapter;
    return most;
}

static lab *bank_lab(bank *b, size_t i) {
    lib_message msg;
    if (!b->labs[i] && !b->headers[i].broken)
        b->labs[i] = lab_load(b->root, b->headers[i].id, &msg);
    return b->labs[i];
}

lab *bank_lab_named(bank *b, const char *id) {
    for (size_t i = 0; i < b->count; i++)
        if (!strcmp(b->headers[i].id, id)) return bank_lab(b, i);
    return NULL;
}

/* Several steps may have the same numbers. Only the first of them can be asked without the
 * others. */
static bool first_of_group(const lab *l, const lab_step *s) {
    for (const lab_step *t = l->steps; s->group && t < s; t++)
        if (t->group == s->group) return false;
    return true;
}

bool bank_asks(const lab *l, const lab_step *s) {
    const lab_question *q = &s->question;
    if (!lab_step_asks(s) || !first_of_group(l, s)) return false;
    if (q->kind != LAB_ANSWER_MEASURED) return true;
    return q->measure.of != LAB_OF_MINE && (q->measure.program || l->grade.entry);
}

static bool matches(const lab *l, const lab_step *s, const bank_filter *f) {
    return bank_asks(l, s) && (!f->alone || s->alone) &&
           (!f->quick || (s->kind == LAB_ASK && s->question.kind != LAB_ANSWER_MEASURED));
}

size_t bank_find(bank *b, const bank_filter *f, bank_item **out) {
    size_t n = 0, cap = 0;
    *out = NULL;
    for (size_t i = 0; i < b->count; i++) {
        const lab_header *h = &b->headers[i];
        if ((f->chapter && (*h->pack || h->chapter != f->chapter)) ||
            (f->lab && strcmp(h->id, f->lab) != 0) || (h->quiz && !f->quizzes))
            continue;
        lab *l = bank_lab(b, i);
        for (size_t k = 0; l && k < l->step_count; k++) {
            if (!matches(l, &l->steps[k], f)) continue;
            if (!lib_grow(out, &cap, n, sizeof **out, 32)) abort();
            (*out)[n++] = (bank_item){l, &l->steps[k], (int)k};
        }
    }
    return n;
}

bool bank_get(bank *b, const char *id, const char *key, bank_item *out) {
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->headers[i].id, id) != 0) continue;
        lab *l = bank_lab(b, i);
        for (size_t k = 0; l && k < l->step_count; k++) {
            char is[LAB_QUESTION_KEY];
            if (!lab_step_asks(&l->steps[k])) continue;
            lab_question_key(&l->steps[k], is);
            if (strcmp(is, key) != 0) continue;
            *out = (bank_item){l, &l->steps[k], (int)k};
            return true;
        }
    }
    return false;
}

size_t bank_draw(bank_item *items, size_t n, size_t want, uint64_t seed) {
    grade_rng g;
    grade_rng_seed(&g, seed, "questions");
    if (want > n) want = n;
    for (size_t i = 0; i < want; i++) { /* Fisher-Yates, only for the first `want` */
        size_t k = i + (size_t)(grade_rng_uniform(&g) * (double)(n - i));
        bank_item was = items[i];
        items[i] = items[k];
        items[k] = was;
    }
    return want;
}
