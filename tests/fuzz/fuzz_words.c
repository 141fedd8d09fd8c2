/* Fuzzes catalogues and messages: any file in PO format is read or refused with a sentence, each of
 * its rows is checked against one of ours and shown; any bytes are a message or are not, and are
 * shown. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/words/check.h"

int fuzz_words(const uint8_t *data, size_t size);

static void fuzz_catalogue(const char *text, size_t n) {
    lib_po po;
    lib_po_error e;
    if (!lib_po_read(&po, text, n, &e)) {
        if (!e.what || !*e.what || po.n) abort();
        return;
    }
    unsigned forms = 1;
    char *rule = lib_po_header(&po, "Plural-Forms");
    if (rule && lib_plural_read(rule, &forms))
        for (unsigned i = 0; i < 120; i++)
            if (lib_plural_form(rule, i) >= forms) abort();
    free(rule);
    for (size_t i = 0; i < po.n; i++) {
        lib_row_args args;
        const char *what = lib_row_args_read(&po.rows[i], &args);
        /* What English may say, a translation may say alike. */
        if (!what && lib_row_check(&po.rows[i], &args, po.rows[i].forms)) abort();
        free(lib_row_joined(&po.rows[i], args.n == 0, NULL));
    }
    lib_po_free(&po);
}

static void fuzz_message(const uint8_t *data, size_t size) {
    lib_message m = {0}, again = {0};
    uint8_t wire[LIB_MESSAGE_BYTES];
    char text[4000];
    bool read = lib_message_read(&m, data, size);
    for (int l = 0; l < LIB_LANGS; l++) {
        lib_message_text(text, sizeof text, (lib_lang)l, &m);
        if (lib_not_utf8(text, strlen(text)) || (!read && !*text)) abort();
    }
    size_t n = lib_message_write(&m, wire, sizeof wire);
    if (!n || !lib_message_read(&again, wire, n) || again.id != m.id) abort();
}

int fuzz_words(const uint8_t *data, size_t size) {
    fuzz_catalogue((const char *)data, size);
    fuzz_message(data, size);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_words(data, size);
}
#endif
