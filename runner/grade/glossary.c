/* See glossary.h. */
#include "runner/grade/glossary.h"

#include <string.h>
#include <strings.h>
#include "grader/figure.h"
#include "runner/device/sim/sim.h"

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

#define STALL_EN  "What a warp does or waits for, a row of `show stalls`: "
#define STALL_ZH  "`show stalls` 的一行，表示 warp 在做什么或等什么："
#define WHATIF_EN "A cost that `show whatif` takes away: "
#define WHATIF_ZH "`show whatif` 去掉的一项开销："
static const struct {
    const char *name, *en, *zh, *doc[LIB_LANGS], *nsight, *lab;
} bars[] = {
#define STALL(ID, name, en, zh, doc_en, doc_zh)                                                    \
    {name, en, zh, {STALL_EN doc_en ".", STALL_ZH doc_zh "。"}, "Stall " en, "ilp"},
#include "runner/device/sim/stalls.def"
#undef STALL
#define COST_IF(ID, name, en, zh, doc_en, doc_zh)                                                  \
    {name, en, zh, {WHATIF_EN doc_en ".", WHATIF_ZH doc_zh "。"}, "", "bottleneck"},
#include "runner/device/sim/costs.def"
#undef COST_IF
};

static bool find_bar(const char *word, glossary_entry *out) {
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        if (!strcasecmp(bars[i].en, word) || !strcmp(bars[i].zh, word) ||
            !strcasecmp(bars[i].name, word)) {
            *out = (glossary_entry){.name = {bars[i].en, bars[i].zh},
                                    .aliases = bars[i].name,
                                    .doc = {bars[i].doc[LIB_EN], bars[i].doc[LIB_ZH]},
                                    .nsight = bars[i].nsight,
                                    .unit = "",
                                    .lab = bars[i].lab};
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
