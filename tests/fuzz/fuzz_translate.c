/* Fuzzes the restating of machine code as PTX: of any function that the reader takes there is a
 * text or a message; each line of the text is of an instruction that there is, and the parser of
 * PTX takes the text. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/translate/translate.h"

int fuzz_translate(const uint8_t *data, size_t size);

static void look_at_text(const sass_func *f, const sim_translation *t) {
    lib_message msg = {0};
    uint32_t lines = 0;
    for (size_t k = 0; k < t->len; k++) lines += t->text[k] == '\n';
    if (lines != t->line_count) abort();
    for (uint32_t k = 0; k < lines; k++)
        if (t->insn_of[k] > f->insn_count) abort();
    ptx_module *m = ptx_parse(t->text, t->len, &msg);
    if (!m) abort();
    ptx_free(m);
}

int fuzz_translate(const uint8_t *data, size_t size) {
    lib_message msg = {0};
    sass_module *m = sass_read((const char *)data, size, &msg);
    sim_translate_about about = {.param_bytes = 4096,
                                 .shared_bytes = 49152,
                                 .local_bytes = 1024,
                                 .bank_bytes = {0, 0, 1 << 16, 1 << 16, 1 << 16}};
    /* What is newer than the target of the text is for the parser of PTX to refuse. */
    if (m && m->arch) m->arch = 90;
    for (uint32_t k = 0; m && k < m->func_count; k++) {
        sim_translation t;
        memset(&msg, 0, sizeof msg);
        if (sim_translate(m, &m->funcs[k], &about, &t, &msg)) look_at_text(&m->funcs[k], &t);
        else if (!msg.id) abort();
        sim_translation_free(&t);
    }
    sass_free(m);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_translate(data, size);
}
#endif
