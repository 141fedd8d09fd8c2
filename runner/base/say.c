/* See say.h. */
#include "runner/base/say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>
#include "runner/base/buffer.h"

void lib_vsay(char *buf, size_t n, const char *format, va_list ap) {
    int len = vsnprintf(buf, n, format, ap);
    if (len < 0) buf[0] = 0;
    if (len < 0 || (size_t)len < n) return;
    /* Cut: drop the bytes of a character that is no longer whole, and show that something is
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
        /* C1 controls (U+0080..9F) and the two noncharacters that XML refuses go the way of C0. */
        bool c1 = len == 2 && c == 0xC2 && (unsigned char)s[i + 1] < 0xA0;
        bool nonchar = len == 3 && c == 0xEF && (unsigned char)s[i + 1] == 0xBF &&
                       (unsigned char)s[i + 2] >= 0xBE;
        if (len == 1 && (c >= 0x20 || c == '\n' || c == '\t') && c != 0x7F)
            lib_buffer_add(&b, s + i, 1);
        else if (len == 1 && c == '\r') { /* a terminal's line ends: dropped */
        } else if (len > 1 && !c1 && !nonchar) lib_buffer_add(&b, s + i, (size_t)len);
        else lib_buffer_puts(&b, "\xEF\xBF\xBD");
        i += len > 0 ? (size_t)len : 1;
    }
    return lib_buffer_take(&b);
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
        const char *unit;
    } steps[] = {{1e8, "亿"}, {1e4, "万"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double v = n / steps[i].from;
        if (v < 0.99995) continue; /* four digits of it are 1 */
        snprintf(buf, 32, v < 9999.5 ? "%.4g %s" : "%.0f %s", v, steps[i].unit);
        return buf;
    }
    snprintf(buf, 32, "%.0f ", n); /* a figure keeps a blank before the classifier */
    return buf;
}

const char *lib_number(char buf[32], double v) {
    if (isnan(v)) strcpy(buf, "NaN");
    else if (isinf(v)) strcpy(buf, v > 0 ? "infinity" : "-infinity");
    else if (v == trunc(v) && fabs(v) < 1e15) snprintf(buf, 32, "%.0f", v == 0 ? 0.0 : v);
    else snprintf(buf, 32, "%.6g", v);
    return buf;
}

const char *lib_grouped(char buf[32], double v) {
    if (fabs(v) < 1e15 && v == floor(v)) {
        char digits[32];
        int n = snprintf(digits, sizeof digits, "%.0f", fabs(v)), used = 0;
        if (v < 0) buf[used++] = '-';
        for (int i = 0; i < n && used < 30; i++) {
            if (i && (n - i) % 3 == 0) buf[used++] = ',';
            buf[used++] = digits[i];
        }
        buf[used] = 0;
    } else {
        snprintf(buf, 32, "%.4g", v);
    }
    return buf;
}
