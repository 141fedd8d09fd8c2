/* Fuzzes what the debugger reads of a program: the debug sections of PTX text, values of the types
 * that they describe, and expressions. Any bytes must give something or nothing, in bounded
 * time. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/debug/debug_internal.h"

int fuzz_dwarf(const uint8_t *data, size_t size);

enum { MOST = 500, TEXT = 300 };

static void fuzz_expression(const sim_debug *d, const uint8_t *data, size_t size) {
    char text[TEXT];
    sim_value v;
    lib_message msg = {0};
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, n);
    text[n] = 0;
    if (!debug_eval(d, 0, text, &v, &msg) && !msg.id) abort();
}

static unsigned fuzz_locations(const dwarf *w, const dwarf_die *o) {
    const uint32_t lines[] = {0, o->low, 40, 200};
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t n, at;
        dwarf_section_id section;
        const uint8_t *p = dwarf_location(w, o, lines[i], &n, &section, &at);
        for (size_t b = 0; p && b < n; b++) sum += p[b];
    }
    return sum;
}

int fuzz_dwarf(const uint8_t *data, size_t size) {
    dwarf *w = dwarf_new((const char *)data, size);
    if (!w) return 0;
    sim_debug *d = calloc(1, sizeof *d);
    if (!d) abort();
    d->dwarf = w;
    unsigned sum = 0;
    for (uint32_t k = 0; k < w->count && k < MOST; k++) {
        const dwarf_die *o = &w->dies[k];
        if (o->end <= k || o->end > w->count || (o->parent != DWARF_NONE && o->parent >= k))
            abort();
        sum += fuzz_locations(w, o);
        sim_value v;
        char text[TEXT];
        if (debug_value_at(d, 0, 4096, k, k % 3 == 0, &v))
            sim_debug_value_text(d, 0, &v, text, sizeof text);
        sim_debug_type_text(d, &v, text, sizeof text);
    }
    dwarf_function_at(w, sum % 1000);
    fuzz_expression(d, data, size);
    dwarf_free(w);
    free(d);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_dwarf(data, size);
}
#endif
