/* Fuzzes what checks a certificate: any bytes are one that is what its JSON makes, one that was
 * changed, or none, with a message. A JSON object alone is put where a page has it, so that the
 * pages are made of it too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/practice/certificate.h"

int fuzz_certificate(const uint8_t *data, size_t size);

static void certificate_take(const char *bytes, size_t n) {
    static const exam_key key = {.bytes = "0123456789abcdef", .n = 16};
    certificate_checked c = {0};
    lib_message msg = {0};
    bool is = certificate_check(bytes, n, &key, NULL, &c, &msg);
    if (is ? !c.json : !lib_message_any(&msg)) abort();
    if (!is) return;
    if (c.in_record || (c.key_own && !c.signed_)) abort();
    size_t pdf_n = 0;
    char *page = certificate_html(c.json), *pdf = certificate_pdf(c.json, &pdf_n);
    json_t *text = json_string(page);
    if (!text || !pdf || pdf_n < 5) abort(); /* a page is UTF-8 */
    json_decref(text);
    free(page);
    free(pdf);
    json_decref(c.json);
}

int fuzz_certificate(const uint8_t *data, size_t size) {
    static const char open[] = "%PDF-1.7 /Type /EmbeddedFile stream\n", close[] = "\nendstream";
    certificate_take((const char *)data, size);
    char *pdf = malloc(sizeof open + size + sizeof close);
    if (!pdf) abort();
    memcpy(pdf, open, sizeof open - 1);
    memcpy(pdf + sizeof open - 1, data, size);
    memcpy(pdf + sizeof open - 1 + size, close, sizeof close);
    certificate_take(pdf, sizeof open - 1 + size + sizeof close - 1);
    free(pdf);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_certificate(data, size);
}
#endif
