/* Growing strings. */
#include "runner/base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void) {
    static const char text[] = "warplab: out of memory; close other programs and try again\n";
    ssize_t ignored = write(2, text, sizeof text - 1);
    (void)ignored;
    _exit(3);
}

void *lib_malloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p) out_of_memory();
    return p;
}

char *lib_strdup(const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(lib_malloc(n), s, n);
}

/* The text of a failed buffer: an ordinary string, never written, never freed. */
static char nothing[1];

static bool buffer_reserve(lib_buffer *b, size_t more) {
    if (b->failed) return false;
    size_t need = b->n + more + 1, cap = b->cap ? b->cap : 128;
    char *s = NULL;
    if (more <= SIZE_MAX / 2 - b->n - 1) {
        if (need <= b->cap) return true;
        while (cap < need) cap *= 2;
        s = realloc(b->s, cap);
    }
    if (!s) {
        free(b->s);
        *b = (lib_buffer){.s = nothing, .failed = true};
        return false;
    }
    b->s = s;
    b->cap = cap;
    return true;
}

void lib_buffer_add(lib_buffer *b, const void *bytes, size_t n) {
    if (!buffer_reserve(b, n)) return;
    if (n) memcpy(b->s + b->n, bytes, n);
    b->n += n;
    b->s[b->n] = 0;
}

void lib_buffer_puts(lib_buffer *b, const char *text) {
    lib_buffer_add(b, text, strlen(text));
}

static void buffer_vprintf(lib_buffer *b, const char *format, va_list ap) {
    if (!format) return; /* never happens; the compiler cannot see that under -fsanitize */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    if (n > 0 && buffer_reserve(b, (size_t)n)) {
        vsnprintf(b->s + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    } else {
        lib_buffer_add(b, "", 0);
    }
    va_end(again);
}

void lib_buffer_printf(lib_buffer *b, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    buffer_vprintf(b, format, ap);
    va_end(ap);
}

char *lib_buffer_take(lib_buffer *b) {
    lib_buffer_add(b, "", 0);
    char *s = b->failed ? NULL : b->s;
    *b = (lib_buffer){0};
    return s;
}

void lib_buffer_free(lib_buffer *b) {
    if (!b->failed) free(b->s);
    *b = (lib_buffer){0};
}

char *lib_format(const char *format, ...) {
    lib_buffer b = {0};
    va_list ap;
    va_start(ap, format);
    buffer_vprintf(&b, format, ap);
    va_end(ap);
    if (b.failed) out_of_memory();
    return b.s;
}
