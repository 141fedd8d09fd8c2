/* Enters the words of ops.def, mods.def, sregs.def and the type table into a parser's table of
 * names. Then one look-up of an interned word gives all its meanings. */
#include "runner/device/sim/lex/spec.h"
#include <string.h>
#include "runner/base/word.h"
#include "runner/device/sim/lex/lex.h"

static const struct {
    const char *text;
    uint8_t space;
    bool cluster;
} spaces[] = {
    {"global", PTX_SPACE_GLOBAL, false},      {"shared", PTX_SPACE_SHARED, false},
    {"shared::cta", PTX_SPACE_SHARED, false}, {"shared::cluster", PTX_SPACE_SHARED, true},
    {"local", PTX_SPACE_LOCAL, false},        {"const", PTX_SPACE_CONST, false},
    {"param", PTX_SPACE_PARAM, false},        {"param::entry", PTX_SPACE_PARAM, false},
    {"param::func", PTX_SPACE_PARAM, false},
};

static ptx_word *table_word(ptx_parser *p, const char *text, size_t n) {
    ptx_name *name = ptx_intern(p, text, n);
    if (!name->word) name->word = ptx_get(p, sizeof *name->word);
    return name->word;
}

void ptx_tables_load(ptx_parser *p) {
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++) {
        const char *text = ptx_type_text((ptx_type)t) + 1;
        table_word(p, text, strlen(text))->type = (uint8_t)t;
    }
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        ptx_word *w = table_word(p, spaces[i].text, strlen(spaces[i].text));
        w->space = (uint8_t)(spaces[i].space + 1);
        w->shared_cluster = spaces[i].cluster;
    }
    const ptx_mod_info *mod;
    for (unsigned i = 0; (mod = ptx_mod_at(i)); i++) {
        ptx_word *w = table_word(p, mod->text, strlen(mod->text));
        if (w->nmods == sizeof w->mods / sizeof *w->mods)
            ptx_fail_memory(p); /* the unit test counts them */
        w->mods[w->nmods].field = mod->field;
        w->mods[w->nmods++].value = mod->value;
    }
    for (unsigned i = 1; i < PTX_SREG_COUNT; i++) {
        const char *text = ptx_sreg_get(i)->text, *dot = strchr(text, '.');
        ptx_word *w = table_word(p, text, dot ? (size_t)(dot - text) : strlen(text));
        if (w->sreg) continue;
        w->sreg = (uint16_t)i;
        w->sreg_vector = dot != NULL;
    }
    p->mnemonics = ptx_get(p, PTX_OP_COUNT * sizeof *p->mnemonics);
    p->specs = ptx_get(p, PTX_OP_COUNT * sizeof(void *));
    for (unsigned op = 1; op < PTX_OP_COUNT; op++) {
        ptx_mnemonic *m = &p->mnemonics[op];
        m->op = (uint16_t)op;
        const char *s = ptx_op_get(op)->mnemonic, *dot = strchr(s, '.');
        ptx_word *first = table_word(p, s, dot ? (size_t)(dot - s) : strlen(s));
        while (dot) {
            s = dot + 1;
            dot = strchr(s, '.');
            if (m->nwords == PTX_MAX_MNEMONIC) ptx_fail_memory(p);
            m->words[m->nwords++] = ptx_intern(p, s, dot ? (size_t)(dot - s) : strlen(s));
        }
        ptx_mnemonic **at = &first->ops;
        while (*at && (*at)->nwords > m->nwords) at = &(*at)->next;
        m->next = *at;
        *at = m;
    }
}

const ptx_mnemonic *ptx_find_mnemonic(const ptx_name *first, ptx_name *const *words,
                                      unsigned nwords) {
    if (!first->word) return NULL;
    for (const ptx_mnemonic *m = first->word->ops; m; m = m->next) {
        unsigned i = 0;
        while (i < m->nwords && i < nwords && m->words[i] == words[i]) i++;
        if (i == m->nwords) return m;
    }
    return NULL;
}

const char *ptx_nearest_mnemonic(const char *text) {
    const char *nearest = NULL;
    unsigned best = (unsigned)strlen(text) / 3 + 2;
    for (unsigned op = 1; op < PTX_OP_COUNT; op++) {
        unsigned d = lib_distance(text, ptx_op_get(op)->mnemonic);
        if (d < best) best = d, nearest = ptx_op_get(op)->mnemonic;
    }
    return nearest;
}
