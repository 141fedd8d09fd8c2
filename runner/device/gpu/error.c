/* Why a request fails: one text, kept for the reply, and the number, which results.def explains. */
#include "runner/device/gpu/helper.h"

#include <stdarg.h>
#include <stdio.h>

int gpu_fail(gpu_helper *h, int error, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(h->text, sizeof h->text, format, ap);
    va_end(ap);
    return error;
}

int gpu_check(gpu_helper *h, int error, const char *call) {
    const char *name = NULL, *text = NULL;
    if (!error) return 0;
    h->cu.GetErrorName(error, &name);
    h->cu.GetErrorString(error, &text);
    return gpu_fail(h, error, "cu%s: %s (%s)", call, text ? text : "unknown error",
                    name ? name : "?");
}

bool gpu_is_lost(int error) {
    switch (error) {
#define RESULT(number, name, lost, status)                                                         \
    case number:                                                                                   \
        return lost;
#include "runner/device/gpu/results.def"
#undef RESULT
    default: return false;
    }
}
