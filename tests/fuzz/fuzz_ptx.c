/* Fuzzes the PTX front end: any bytes must give a module or a message, never a crash, a hang or a
 * leak. What parses is then walked as its users do: every instruction disassembled, every position
 * looked up, every block's order used.
 *
 * tests/fuzz/run builds it with libFuzzer; tests/unit/test_fuzz_ptx.c replays the corpus with any
 * compiler. */
#include <stdlib.h>
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"

int fuzz_ptx(const uint8_t *data, size_t size);

int fuzz_ptx(const uint8_t *data, size_t size) {
    lib_message msg;
    ptx_module *m = ptx_parse((const char *)data, size, &msg);
    if (!m) {
        if (!lib_message_any(&msg)) abort(); /* every refusal says why */
        return 0;
    }
    for (size_t f = 0; f < m->func_count; f++) {
        const ptx_func *fn = m->funcs[f];
        uint64_t orders = 0;
        for (size_t i = 0; i < fn->insn_count; i++) {
            char text[300];
            const char *file;
            unsigned line;
            if (!ptx_disassemble(fn, &fn->insns[i], text, sizeof text)) abort();
            ptx_source(m, fn->insns[i].loc, &file, &line);
            if (fn->block_of[i] >= fn->block_count) abort();
            for (unsigned k = 0; k < fn->insns[i].nopnds; k++)
                if (fn->insns[i].opnd[k].reg >= (int32_t)fn->reg_count) abort();
        }
        for (size_t b = 0; b < fn->block_count; b++) {
            if (fn->blocks[b].order >= fn->block_count || fn->blocks[b].first > fn->blocks[b].last)
                abort();
            orders += fn->blocks[b].order;
        }
        if (fn->has_body && orders != (uint64_t)fn->block_count * (fn->block_count - 1) / 2)
            abort();
    }
    ptx_free(m);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_ptx(data, size);
}
#endif
