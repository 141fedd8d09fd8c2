/* Fuzzes the reader of machine code: any text must give a module or a message, and of a module
 * every accessor an answer within its bounds. */
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"

int fuzz_sass(const uint8_t *data, size_t size);

static void look_at(const sass_module *m, const sass_func *f, const sass_insn *i) {
    sass_regs set = {0};
    sass_access a[2];
    sass_defs(i, &set);
    sass_uses(i, &set);
    unsigned n = sass_accesses(i, a);
    for (unsigned k = 0; k < n; k++)
        if (a[k].opnd >= i->opnd_count || !a[k].bytes) abort();
    unsigned mnk[3];
    sass_shape(i, mnk);
    const sass_opnd *to = sass_target(i);
    if (to && to->func != SASS_ELSEWHERE &&
        (to->func >= m->func_count || to->target > m->funcs[to->func].insn_count))
        abort();
    for (uint32_t k = 0; k < i->target_count; k++)
        if (i->targets[k] >= f->insn_count) abort();
    for (uint32_t p = i->place, steps = 0; p; p = m->places[p].at)
        if (p >= m->place_count || ++steps > m->place_count) abort();
}

static void look_at_blocks(const sass_func *f) {
    int32_t count = (int32_t)f->block_count;
    for (int32_t k = 0; k < count; k++) {
        const sass_block *b = &f->blocks[k];
        if (b->first > b->last || b->last >= f->insn_count || b->ipdom >= count) abort();
        if (b->succ[0] >= count || b->succ[1] >= count) abort();
        for (uint32_t t = 0; t < b->target_count; t++)
            if (b->targets[t] >= f->block_count) abort();
    }
}

int fuzz_sass(const uint8_t *data, size_t size) {
    lib_message msg = {0};
    sass_module *m = sass_read((const char *)data, size, &msg);
    if (!m && !msg.id) abort();
    for (uint32_t k = 0; m && k < m->func_count; k++) {
        const sass_func *f = &m->funcs[k];
        for (uint32_t n = 0; n < f->insn_count; n++) look_at(m, f, &f->insns[n]);
        look_at_blocks(f);
    }
    sass_free(m);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_sass(data, size);
}
#endif
