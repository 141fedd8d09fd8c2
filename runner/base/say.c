/* See say.h. */
#include "runner/base/say.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistr.h>
#include "runner/base/buffer.h"
#include "words/base.h"

void lib_vsay(char *buf, size_t n, const char *format, va_list ap) {
    int len = vsnprintf(buf, n, format, ap);
    if (len < 0) buf[0] = 0;
    if (len < 0 || (size_t)len < n) return;
    /* The text was cut: drops the bytes of an incomplete character, and shows that something is
     * missing. */
    size_t end = n > 4 ? n - 4 : 0;
    while (end && ((unsigned char)buf[end] & 0xC0) == 0x80) end--;
    memcpy(buf + end, n > 4 ? "..." : "", n > 4 ? 4 : 1);
}

void lib_say(char *buf, size_t n, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    lib_vsay(buf, n, format, ap);
    va_end(ap);
}

char *lib_clean(const char *s, size_t n) {
    lib_buffer b = {0};
    if (!s) n = 0;
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        ucs4_t cp;
        int len = u8_mbtoucr(&cp, (const uint8_t *)s + i, n - i);
        /* C1 controls (U+0080..9F) and the two noncharacters that XML refuses are handled like
         * C0. */
        bool c1 = len == 2 && c == 0xC2 && (unsigned char)s[i + 1] < 0xA0;
        bool nonchar = len == 3 && c == 0xEF && (unsigned char)s[i + 1] == 0xBF &&
                       (unsigned char)s[i + 2] >= 0xBE;
        if (len == 1 && (c >= 0x20 || c == '\n' || c == '\t') && c != 0x7F)
            lib_buffer_add(&b, s + i, 1);
        else if (len == 1 && c == '\r') { /* line ends of a terminal: dropped */
        } else if (len > 1 && !c1 && !nonchar) lib_buffer_add(&b, s + i, (size_t)len);
        else lib_buffer_puts(&b, "\xEF\xBF\xBD");
        i += len > 0 ? (size_t)len : 1;
    }
    return lib_buffer_take(&b);
}

/* ---- on a terminal ---- */

/* U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: directions. U+2028 and U+2029: ends
 * of lines. */
static bool unshown(const unsigned char *s, size_t length) {
    if (length == 2) return s[0] == 0xD8 && s[1] == 0x9C;
    if (length != 3 || s[0] != 0xE2) return false;
    return (s[1] == 0x80 && (s[2] == 0x8E || s[2] == 0x8F || (s[2] >= 0xA8 && s[2] <= 0xAE))) ||
           (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9);
}

static void put_shown(lib_buffer *b, const char *text, size_t n, bool line) {
    char *clean = lib_clean(text, n);
    for (const char *p = clean; p && *p;) {
        unsigned char c = (unsigned char)*p; /* it is valid UTF-8 by now */
        size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (line && (*p == '\n' || *p == '\t')) lib_buffer_puts(b, " ");
        else if (unshown((const unsigned char *)p, length)) lib_buffer_puts(b, "\xEF\xBF\xBD");
        else lib_buffer_add(b, p, length);
        p += length;
    }
    b->failed = b->failed || !clean;
    free(clean);
}

char *lib_shown(const char *text, size_t n) {
    lib_buffer b = {0};
    put_shown(&b, text, n, false);
    return lib_buffer_take(&b);
}

/* One conversion, from after its % on: its text without the length, and what it takes. */
typedef struct {
    char spec[48], kind;
    int precision, longs; /* -1: none; number of l's, 2 also for z */
    bool left;
    int width;
} conversion;

static const char *read_count(const char *p, va_list *ap, int *count) {
    *count = 0;
    if (*p == '*') {
        *count = va_arg(*ap, int);
        return p + 1;
    }
    while (*p >= '0' && *p <= '9') *count = *count * 10 + (*p++ - '0');
    return p;
}

static const char *read_conversion(const char *p, va_list *ap, conversion *c) {
    const char *flags = p;
    *c = (conversion){.precision = -1};
    p += strspn(p, "-+ #0");
    int n = (int)(p - flags);
    c->left = memchr(flags, '-', (size_t)n) != NULL;
    p = read_count(p, ap, &c->width);
    if (*p == '.') p = read_count(p + 1, ap, &c->precision);
    for (; *p && strchr("hlzjt", *p); p++) c->longs += *p == 'l' ? 1 : *p == 'h' ? 0 : 2;
    c->kind = *p;
    char width[16] = "", precision[16] = "";
    if (c->width) snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0) snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(c->spec, sizeof c->spec, "%%%.*s%s%s", n < 5 ? n : 5, flags, width, precision);
    return *p ? p + 1 : p;
}

static void put_string(lib_buffer *b, const conversion *c, const char *s) {
    lib_buffer one = {0};
    if (!s) s = "(null)";
    put_shown(&one, s, c->precision >= 0 ? strnlen(s, (size_t)c->precision) : strlen(s), true);
    size_t fill = c->width > 0 && one.n < (size_t)c->width ? (size_t)c->width - one.n : 0;
    for (size_t i = 0; !c->left && i < fill; i++) lib_buffer_puts(b, " ");
    lib_buffer_add(b, one.s ? one.s : "", one.n);
    for (size_t i = 0; c->left && i < fill; i++) lib_buffer_puts(b, " ");
    lib_buffer_free(&one);
}

/* The compiler checks formats where they are written. Here, a number is printed with the widest
 * type of its kind. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_number(lib_buffer *b, conversion *c, va_list *ap) {
    char text[400];
    size_t n = strlen(c->spec);
    bool real = strchr("fFgGeEaA", c->kind), sign = c->kind == 'd' || c->kind == 'i';
    snprintf(c->spec + n, sizeof c->spec - n, "%s%c", real || c->kind == 'c' ? "" : "ll", c->kind);
    if (real) snprintf(text, sizeof text, c->spec, va_arg(*ap, double));
    else if (c->kind == 'c') snprintf(text, sizeof text, c->spec, va_arg(*ap, int));
    else if (sign)
        snprintf(text, sizeof text, c->spec,
                 c->longs ? (long long)va_arg(*ap, long) : (long long)va_arg(*ap, int));
    else
        snprintf(text, sizeof text, c->spec,
                 c->longs ? (unsigned long long)va_arg(*ap, unsigned long)
                          : (unsigned long long)va_arg(*ap, unsigned));
    lib_buffer_puts(b, text);
}
#pragma GCC diagnostic pop
_Static_assert(sizeof(long) == sizeof(long long) && sizeof(long) == sizeof(size_t),
               "one read for each long kind");

static void put_format(lib_buffer *b, const char *format, va_list *ap) {
    for (const char *p = format; *p;) {
        size_t plain = strcspn(p, "%");
        lib_buffer_add(b, p, plain);
        p += plain;
        if (!*p) break;
        if (p[1] == '%') {
            lib_buffer_puts(b, "%");
            p += 2;
            continue;
        }
        conversion c;
        p = read_conversion(p + 1, ap, &c);
        if (c.kind == 's') put_string(b, &c, va_arg(*ap, const char *));
        else put_number(b, &c, ap);
    }
}

void lib_buffer_shown(lib_buffer *b, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    put_format(b, format, &ap);
    va_end(ap);
}

void lib_print(FILE *to, const char *format, ...) {
    lib_buffer b = {0};
    va_list ap;
    va_start(ap, format);
    put_format(&b, format, &ap);
    va_end(ap);
    if (b.s) fwrite(b.s, 1, b.n, to);
    lib_buffer_free(&b);
}

void lib_print_text(FILE *to, const char *text) {
    char *shown = lib_shown(text, strlen(text));
    if (shown) fputs(shown, to);
    free(shown);
}

size_t lib_not_utf8(const char *s, size_t n) {
    const char *bad = (const char *)u8_check((const uint8_t *)s, n);
    size_t line = 1;
    for (; bad && s < bad; s++) line += *s == '\n';
    return bad ? line : 0;
}

const char *lib_wan(char buf[32], double n) {
    static const struct {
        double from;
        lib_word_id unit;
    } steps[] = {{1e8, W_BASE_YI}, {1e4, W_BASE_WAN}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double v = n / steps[i].from;
        if (v < 0.99995) continue; /* with four digits it is 1 */
        snprintf(buf, 32, v < 9999.5 ? "%.4g %s" : "%.0f %s", v, lib_word(LIB_ZH, steps[i].unit));
        return buf;
    }
    snprintf(buf, 32, "%.0f ", n); /* a number keeps a blank before the classifier */
    return buf;
}

const char *lib_number(char buf[32], double v) {
    if (isnan(v)) strcpy(buf, "NaN");
    else if (isinf(v)) strcpy(buf, v > 0 ? "infinity" : "-infinity");
    else if (v == trunc(v) && fabs(v) < 1e15) snprintf(buf, 32, "%.0f", v == 0 ? 0.0 : v);
    else snprintf(buf, 32, fabs(v) >= 999999.5 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
    return buf;
}

const char *lib_group(char *to, size_t room, const char *number) {
    size_t before = strcspn(number, "0123456789"), n = strspn(number + before, "0123456789");
    lib_buffer b = {0};
    lib_buffer_add(&b, number, before);
    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) lib_buffer_puts(&b, ",");
        lib_buffer_add(&b, number + before + i, 1);
    }
    lib_buffer_puts(&b, number + before + n);
    snprintf(to, room, "%s", b.s ? b.s : "");
    lib_buffer_free(&b);
    return to;
}

const char *lib_figure(char buf[32], int digits, double v) {
    char plain[32];
    bool whole = v == trunc(v) || fabs(v) >= pow(10, digits) - 0.5;
    if (isfinite(v) && !(whole && fabs(v) < 1e15)) snprintf(plain, sizeof plain, "%.*g", digits, v);
    else lib_number(plain, round(v));
    return lib_group(buf, 32, plain);
}
