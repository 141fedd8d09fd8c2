/* See glossary.h. */
#include "runner/grade/glossary.h"

#include <string.h>
#include <strings.h>
#include "grader/figure.h"
#include "runner/device/sim/sim.h"
#include "words/device.h"

typedef struct {
    const char *en, *zh, *aliases, *nsight, *doc_en, *doc_zh, *lab;
} term_row;
static const term_row rows[] = {
#define COUNTER_TERM(name, zh, lab) {#name, zh, "", NULL, NULL, NULL, lab},
#define TERM(en, zh, aliases, nsight, doc_en, doc_zh, lab)                                         \
    {en, zh, aliases, nsight, doc_en, doc_zh, lab},
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
    glossary_entry e = {.name = {r->en, r->zh},
                        .aliases = r->aliases,
                        .doc = {r->doc_en, r->doc_zh},
                        .nsight = r->nsight ? r->nsight : "",
                        .unit = "",
                        .lab = r->lab,
                        .counter = !r->doc_en};
    if (!e.counter) return e;
    const sim_counter_info *info = info_of(r->en);
    for (int lang = 0; lang < LIB_LANGS; lang++) e.doc[lang] = grade_meaning(r->en, (lib_lang)lang);
    if (!info) return e;
    e.unit = info->unit;
    if (info->ncu && strcmp(info->ncu, "-") != 0) e.nsight = info->ncu;
    return e;
}

/* n bytes of `word` are the name, or its plural. */
static bool is_name(const char *name, size_t n, const char *word) {
    size_t len = strlen(word);
    if (len == n && !strncasecmp(name, word, n)) return true;
    if (len == n + 1 && (word[n] | 32) == 's' && !strncasecmp(name, word, n)) return true;
    return n > 1 && len == n + 2 && !strncasecmp(word + n, "es", 2) && !strncasecmp(name, word, n);
}

static bool has_alias(const char *aliases, const char *word) {
    for (const char *a = aliases; *a;) {
        size_t n = strcspn(a, "|");
        if (is_name(a, n, word)) return true;
        a += n + (a[n] == '|');
    }
    return false;
}

/* ---- what the pictures `stalls` and `whatif` print in front of their bars ---- */

static bool is_bar(const char *name, lib_word_id title, const char *word) {
    bool is = !strcasecmp(name, word);
    for (int lang = 0; lang < LIB_LANGS; lang++)
        is |= !strcasecmp(lib_word((lib_lang)lang, title), word);
    return is;
}

/* Good until the next one. */
static glossary_entry bar_entry(const char *name, lib_word_id title, lib_words doc,
                                const char *nsight, const char *lab) {
    static _Thread_local char docs[LIB_LANGS][400];
    glossary_entry e = {.aliases = name, .nsight = nsight, .unit = "", .lab = lab};
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        e.name[lang] = lib_word((lib_lang)lang, title);
        e.doc[lang] = lib_words_text(docs[lang], sizeof docs[lang], (lib_lang)lang, doc);
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
    for (int as_it_stands = 1; as_it_stands >= 0; as_it_stands--)
        for (size_t i = 0; *word && i < glossary_count(); i++) {
            *out = glossary_at(i);
            const char *en = out->name[LIB_EN];
            if (as_it_stands ? !strcasecmp(en, word) || !strcasecmp(out->name[LIB_ZH], word)
                             : is_name(en, strlen(en), word) || has_alias(out->aliases, word))
                return true;
        }
    return find_bar(word, out);
}

bool glossary_holds(const glossary_entry *e, const char *word) {
    return strcasestr(e->name[LIB_EN], word) || strcasestr(e->name[LIB_ZH], word) ||
           strcasestr(e->aliases, word);
}
