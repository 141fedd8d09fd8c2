/* Tells the parts of a PTX text as the parser reads it, for callers that must not trust the
 * text. */
#include <stdio.h>
#include <string.h>
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/parse/parse.h"

typedef struct {
    const ptx_module *module;
    sim_tell_fn *fn;
    void *user;
} teller;

static bool tell_at(const teller *t, sim_told what, const char *text, uint32_t loc) {
    const char *file = "";
    unsigned line = 0;
    ptx_source(t->module, loc, &file, &line);
    return t->fn(t->user, what, text, file, line);
}

/* Tells the mnemonic with its dotted words, without guard and operands. */
static bool tell_insn(const teller *t, const ptx_func *f, const ptx_insn *i) {
    char text[512], *word = text;
    ptx_insn bare = *i;
    bare.guard = -1;
    ptx_disassemble(f, &bare, text, sizeof text);
    word[strcspn(word, " ;")] = 0;
    return tell_at(t, SIM_TOLD_INSN, word, i->loc);
}

static bool tell_vars(const teller *t, const ptx_var *v, size_t n, uint32_t loc) {
    for (size_t k = 0; k < n; k++)
        if (tell_at(t, SIM_TOLD_NAME, v[k].name, loc)) return true;
    return false;
}

static bool tell_func(const teller *t, const ptx_func *f) {
    uint32_t loc = 0;
    for (size_t k = 0; k < f->insn_count && !loc; k++) loc = f->insns[k].loc;
    if (tell_at(t, SIM_TOLD_NAME, f->name, loc) || tell_vars(t, f->locals, f->local_count, loc) ||
        tell_vars(t, f->shareds, f->shared_count, loc))
        return true;
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *i = &f->insns[k];
        const ptx_func *callee = i->op == PTX_OP_call ? i->opnd[1].func : NULL;
        if (tell_insn(t, f, i)) return true;
        if (callee && tell_at(t, SIM_TOLD_NAME, callee->name, i->loc)) return true;
    }
    return false;
}

/* Tells the files from which code comes or was inlined. */
static bool tell_files(const teller *t) {
    const char *last = NULL;
    for (uint32_t k = 1; k < t->module->loc_count; k++) {
        const char *file = t->module->locs[k].file;
        if (file == last) continue;
        if (tell_at(t, SIM_TOLD_FILE, file, k)) return true;
        last = file;
    }
    return false;
}

bool sim_ptx_tell(const char *ptx, size_t n, sim_tell_fn *fn, void *user, lib_message *msg) {
    ptx_module *m = ptx_parse(ptx, n, msg);
    if (!m) return false;
    teller t = {m, fn, user};
    bool done = false;
    for (size_t k = 0; k < m->func_count && !done; k++) done = tell_func(&t, m->funcs[k]);
    for (size_t k = 0; k < m->var_count && !done; k++)
        done = tell_at(&t, SIM_TOLD_NAME, m->vars[k]->name, 0);
    if (!done) tell_files(&t);
    ptx_free(m);
    return true;
}
