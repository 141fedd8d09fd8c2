/* Sequences: the machine instructions that ptxas makes of one PTX instruction whose value no single
 * one computes, or only the unit for special functions: a division, a root, a sine. nvdisasm tells
 * the line of the PTX. What-if takes a sequence away as a whole. */
#include <stdlib.h>
#include "runner/device/sim/time/time_internal.h"

/* Returns the instruction at the line; NULL: there is none. */
static const ptx_insn *insn_at(const ptx_module *m, uint32_t line) {
    for (size_t k = 0; k < m->func_count; k++) {
        const ptx_func *f = m->funcs[k];
        size_t from = 0, end = f->insn_count;
        if (!end || f->insns[0].ptx_line > line || f->insns[end - 1].ptx_line < line) continue;
        while (from < end) {
            size_t middle = (from + end) / 2;
            if (f->insns[middle].ptx_line < line) from = middle + 1;
            else end = middle;
        }
        return f->insns[from].ptx_line == line ? &f->insns[from] : NULL;
    }
    return NULL;
}

/* Instructions of a sequence are not further apart; copies of it in an unrolled loop are. */
enum { APART = 64 };

void time_sequences(const time_text *text, uint8_t *part) {
    const sass_func *f = text->func;
    for (uint32_t k = 0; k < f->block_count; k++)
        for (uint32_t n = f->blocks[k].first; n <= f->blocks[k].last; n++) {
            uint32_t line = f->insns[n].ptx_line, at = n,
                     from = n - f->blocks[k].first > APART ? n - APART : f->blocks[k].first;
            const ptx_insn *i = line ? insn_at(text->ptx, line) : NULL;
            if (!i || (i->klass != PTX_CLASS_IDIV && i->klass != PTX_CLASS_SFU)) continue;
            while (at > from && f->insns[at - 1].ptx_line != line) at--;
            part[n] = at > from ? TIME_SEQUENCE_REST : TIME_SEQUENCE_FIRST;
        }
}
