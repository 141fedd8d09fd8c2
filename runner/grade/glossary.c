/* See glossary.h. */
#include "runner/grade/glossary.h"

#include "grader/figure.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/device/sim/sim.h"
#include "words/device.h"
#include "words/glossary.h"
#include "words/grade.h"
#include <string.h>
#include <strings.h>

typedef struct {
    const char *counter; /* NULL: a term */
    lib_word_id names, means;
    const char *nsight, *lab;
} term_row;
static const term_row rows[] = {
#define COUNTER_TERM(name, lab) {#name, 0, 0, NULL, lab},
#define TERM(ID, nsight, lab)   {NULL, W_GLOSSARY_##ID, W_GLOSSARY_##ID##_MEANS, nsight, lab},
#include "runner/grade/glossary.def"
#undef COUNTER_TERM
#undef TERM
};

size_t glossary_count(void) {
    return sizeof rows / sizeof *rows;
}

static const sim_counter_info *info_of(const char *name) {
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i);
    for (size_t i = 0; i < grade_metric_count(); i++)
        if (!strcmp(grade_metric_at(i)->name, name)) return grade_metric_at(i);
    return NULL;
}

glossary_entry glossary_at(size_t i) {
    const term_row *r = &rows[i];
    glossary_entry e = {.nsight = r->nsight ? r->nsight : "",
                        .unit = "",
                        .lab = r->lab,
                        .counter = r->counter != NULL};
    lib_word_id names = e.counter ? lib_words_named("glossary", r->counter) : r->names;
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        e.names[lang] = lib_word((lib_lang)lang, names);
        lib_say(e.name[lang], sizeof e.name[lang], "%.*s", (int)strcspn(e.names[lang], "|"),
                e.names[lang]);
        lib_say(e.doc[lang], sizeof e.doc[lang], "%s",
                e.counter ? grade_meaning(r->counter, (lib_lang)lang)
                          : lib_word((lib_lang)lang, r->means));
    }
    const sim_counter_info *info = e.counter ? info_of(r->counter) : NULL;
    if (!info) return e;
    e.unit = info->unit;
    if (info->ncu && strcmp(info->ncu, "-") != 0) e.nsight = info->ncu;
    return e;
}

/* Returns whether the n bytes of `name` are `word`, or `word` is their plural. */
static bool is_name(const char *name, size_t n, const char *word) {
    size_t len = strlen(word);
    if (len == n && !strncasecmp(name, word, n)) return true;
    if (len == n + 1 && (word[n] | 32) == 's' && !strncasecmp(name, word, n)) return true;
    return n > 1 && len == n + 2 && !strncasecmp(word + n, "es", 2) && !strncasecmp(name, word, n);
}

/* Returns whether `word` is the name in any language; with `all`, also a synonym or a plural. */
static bool is_called(const glossary_entry *e, const char *word, bool all) {
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        if (!all && !strcasecmp(e->name[lang], word)) return true;
        const char *list = all ? e->names[lang] : "";
        size_t n;
        for (const char *a; (a = lib_next_word(&list, &n));)
            if (is_name(a, n, word)) return true;
    }
    return false;
}

/* ---- the words of the pictures `stalls` and `whatif` before their bars ---- */

static bool is_bar(const char *name, lib_word_id title, const char *word) {
    bool is = !strcasecmp(name, word);
    for (int lang = 0; lang < LIB_LANGS; lang++)
        is |= !strcasecmp(lib_word((lib_lang)lang, title), word);
    return is;
}

static glossary_entry bar_entry(const char *name, lib_word_id title, lib_words doc,
                                const char *nsight, const char *lab) {
    glossary_entry e = {.nsight = nsight, .unit = "", .lab = lab};
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        lib_say(e.name[lang], sizeof e.name[lang], "%s", lib_word((lib_lang)lang, title));
        e.names[lang] = name;
        lib_words_text(e.doc[lang], sizeof e.doc[lang], (lib_lang)lang, doc);
    }
    return e;
}

static bool find_bar(const char *word, glossary_entry *out) {
    for (unsigned i = 0; i < SIM_STALL_COUNT; i++) {
        const sim_stall_info *s = sim_stall_at(i);
        if (!is_bar(s->name, s->title, word)) continue;
        *out = bar_entry(s->name, s->title, w_device_stall_bar(s->means), s->nsight, "ilp");
        return true;
    }
    for (unsigned i = 0; i < SIM_COST_COUNT; i++) {
        const sim_cost_info *c = sim_cost_at(i);
        if (!is_bar(c->name, c->title, word)) continue;
        *out = bar_entry(c->name, c->title, w_device_cost_bar(c->means), "", "bottleneck");
        return true;
    }
    return false;
}

bool glossary_find(const char *word, glossary_entry *out) {
    for (int all = 0; all <= 1; all++)
        for (size_t i = 0; *word && i < glossary_count(); i++) {
            *out = glossary_at(i);
            if (is_called(out, word, all)) return true;
        }
    return find_bar(word, out);
}

bool glossary_holds(const glossary_entry *e, const char *word) {
    for (int lang = 0; lang < LIB_LANGS; lang++)
        if (strcasestr(e->names[lang], word)) return true;
    return false;
}
