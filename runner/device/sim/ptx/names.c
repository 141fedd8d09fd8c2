/* Names, sizes and table rows of PTX: all that is looked up by an enum. The tables are the .def
 * files. */
#include <string.h>
#include "runner/device/sim/ptx/ptx.h"

unsigned ptx_type_size(ptx_type t) {
    static const uint8_t size[PTX_TYPE_COUNT] = {
#define X(e, text, bytes) [PTX_##e] = bytes,
        PTX_TYPE_MAP(X)
#undef X
    };
    return (unsigned)t < PTX_TYPE_COUNT ? size[t] : 0;
}

const char *ptx_type_text(ptx_type t) {
    static const char *const name[PTX_TYPE_COUNT] = {[PTX_NONE] = "",
#define X(e, text, bytes) [PTX_##e] = text,
                                                     PTX_TYPE_MAP(X)
#undef X
    };
    return (unsigned)t < PTX_TYPE_COUNT ? name[t] : "";
}

const char *ptx_class_name(ptx_class k) {
    static const char *const name[PTX_CLASS_COUNT] = {
#define X(n, doc) [PTX_CLASS_##n] = #n,
        PTX_CLASS_MAP(X)
#undef X
    };
    return (unsigned)k < PTX_CLASS_COUNT ? name[k] : "";
}

const ptx_op_info *ptx_op_get(unsigned op) {
    static const ptx_op_info info[PTX_OP_COUNT] = {
        [PTX_OP_none] = {"", ""},
#define OP(name, mnemonic, decoder, ends, doc) [PTX_OP_##name] = {mnemonic, doc},
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    return &info[op < PTX_OP_COUNT ? op : 0];
}

bool ptx_op_is(unsigned op, ptx_trait trait) {
    static const uint8_t traits[] = {0
#define OP(name, mnemonic, decoder, ends, doc) , 0
#define IS(trait)                              | 1u << PTX_IS_##trait
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    _Static_assert(sizeof traits == PTX_OP_COUNT, "traits of every instruction");
    return op < PTX_OP_COUNT && traits[op] >> trait & 1;
}

bool ptx_op_writes(unsigned op) {
    /* operands of all forms; those of no op come first */
    static const char *const operands[] = {""
#define OP(name, mnemonic, decoder, ends, doc) , ""
#define FORM(klass, types, mods, operands)     operands " "
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    _Static_assert(sizeof operands / sizeof *operands == PTX_OP_COUNT, "of every instruction");
    char first = op < PTX_OP_COUNT ? *operands[op] : 0;
    return first && strchr("dDWV?", first); /* ?: a form that leaves its operands open */
}

unsigned ptx_video_lanes(unsigned op) {
    const char *name = ptx_op_get(op)->mnemonic;
    size_t n = strlen(name);
    return op < PTX_OP_vadd2 || op > PTX_OP_vset4 ? 0 : name[n - 1] == '4' ? 4 : 2;
}

const ptx_sreg_info *ptx_sreg_get(unsigned sreg) {
    static const ptx_sreg_info info[PTX_SREG_COUNT] = {
        [PTX_SREG_NONE] = {"", PTX_NONE, 0, 0},
#define SREG(name, text, type, version, target)                                                    \
    [PTX_SREG_##name] = {text, PTX_##type, version, target},
#include "runner/device/sim/ptx/sregs.def"
#undef SREG
    };
    return &info[sreg < PTX_SREG_COUNT ? sreg : 0];
}

/* ---- modifiers ---- */

static const ptx_mod_info modifiers[] = {
#define MOD_FLAG(text, value)     {text, PTX_FIELD_FLAG, PTX_F_##value},
#define MOD_VEC(text, value)      {text, PTX_FIELD_VEC, value},
#define MOD_LAYOUT_B(text, value) {text, PTX_FIELD_LAYOUT_B, PTX_LAYOUT_##value},
#define MOD(text, field, value)   {text, PTX_FIELD_##field, PTX_##field##_##value},
#include "runner/device/sim/ptx/mods.def"
};
enum { MODIFIERS = sizeof modifiers / sizeof *modifiers };

const ptx_mod_info *ptx_mod_at(unsigned i) {
    return i < MODIFIERS ? &modifiers[i] : NULL;
}

const char *ptx_mod_text(unsigned field, unsigned value) {
    for (unsigned i = 0; i < MODIFIERS; i++)
        if (modifiers[i].field == field && modifiers[i].value == value) return modifiers[i].text;
    return "";
}

/* ---- positions ---- */

void ptx_source(const ptx_module *m, uint32_t loc, const char **file, unsigned *line) {
    *file = "";
    *line = 0;
    if (!loc || loc >= m->loc_count) return;
    loc = m->locs[loc].outer;
    *file = m->locs[loc].file;
    *line = m->locs[loc].line;
}

void ptx_source_inner(const ptx_module *m, uint32_t loc, const char **file, unsigned *line) {
    bool known = loc && loc < m->loc_count;
    *file = known ? m->locs[loc].file : "";
    *line = known ? m->locs[loc].line : 0;
}

void ptx_source_near(const ptx_module *m, uint32_t loc, uint32_t ptx_line, const char **file,
                     unsigned *line) {
    ptx_source(m, loc, file, line);
    if (*line || !loc || !ptx_line) return;
    for (size_t k = 0; k < m->func_count; k++) {
        const ptx_func *f = m->funcs[k];
        if (!f->insn_count || f->insns[0].ptx_line > ptx_line ||
            f->insns[f->insn_count - 1].ptx_line < ptx_line)
            continue;
        size_t at = 0;
        while (at < f->insn_count && f->insns[at].ptx_line < ptx_line) at++;
        while (at-- > 0 && !*line) ptx_source(m, f->insns[at].loc, file, line);
        return;
    }
}
