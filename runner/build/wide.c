/* See wide.h. */
#include "runner/build/wide.h"

#include <ctype.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>
#include "runner/base/say.h"
#include "words/build.h"

/* The intended character, if it is not the one 0xfee0 below (the full-width forms of ASCII). */
static const struct {
    unsigned from;
    const char *to;
} meant[] = {
    {0x00a0, " "},  {0x00d7, "*"},  {0x2013, "-"},  {0x2014, "-"}, {0x2018, "'"},
    {0x2019, "'"},  {0x201c, "\""}, {0x201d, "\""}, {0x2212, "-"}, {0x2264, "<="},
    {0x2265, ">="}, {0x2260, "!="}, {0x3000, " "},  {0x3001, ","}, {0x3002, "."},
    {0x300a, "<"},  {0x300b, ">"},  {0x3010, "["},  {0x3011, "]"},
};

/* "" if code may contain it (for example a name in Chinese). */
static void wide_meant(unsigned c, char to[4]) {
    to[0] = to[1] = 0;
    if (c >= 0xff01 && c <= 0xff5e) to[0] = (char)(c - 0xfee0);
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (meant[i].from == c) memcpy(to, meant[i].to, strlen(meant[i].to) + 1);
}

size_t wide_skip(const char *s, size_t n, size_t i) {
    if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
        while (i < n && s[i] != '\n') i++;
        return i;
    }
    if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
        const char *end = memmem(s + i + 2, n - i - 2, "*/", 2);
        return end ? (size_t)(end - s) + 2 : n;
    }
    /* 1'000 does not begin a character constant. */
    if (s[i] != '"' && (s[i] != '\'' || (i && isalnum((unsigned char)s[i - 1])))) return i;
    char quote = s[i++];
    while (i < n && s[i] != quote && s[i] != '\n') i += s[i] == '\\' && i + 1 < n ? 2 : 1;
    return i < n && s[i] == quote ? i + 1 : i < n ? i : n;
}

typedef struct {
    unsigned line, code;
    char shown[4], meant[4];
    size_t count;
} wide_first;

static wide_first wide_scan(const char *s, size_t n) {
    wide_first f = {0};
    unsigned line = 1;
    for (size_t i = 0; i < n;) {
        size_t end = wide_skip(s, n, i);
        if (end > i) {
            for (; i < end; i++) line += s[i] == '\n';
            continue;
        }
        char to[4];
        ucs4_t c;
        int length = u8_mbtoucr(&c, (const uint8_t *)s + i, n - i);
        wide_meant(length > 0 ? c : 0, to);
        bool mark = c == 0xfeff && !i;
        if (*to && !mark && !f.count++) {
            f.line = line;
            f.code = c;
            memcpy(f.shown, s + i, (size_t)length);
            memcpy(f.meant, to, sizeof to);
        }
        line += s[i] == '\n';
        i += length > 0 ? (size_t)length : 1;
    }
    return f;
}

bool wide_find(const char *text, size_t n, const char *name, lib_message *msg) {
    wide_first f = wide_scan(text, n);
    if (!f.count) return false;
    char code[16];
    lib_message half = {0}, where;
    snprintf(code, sizeof code, "%04X", f.code);
    lib_message_set(&half, *f.meant == ' ' ? w_build_wide_blank() : w_build_wide_meant(f.meant));
    lib_message_set(msg, f.count == 1
                             ? w_build_wide(f.line, f.shown, code, &half)
                             : w_build_wide_and_more(f.line, f.shown, code, &half, f.count - 1));
    where = *msg;
    if (name) lib_message_set(msg, w_build_wide_in(name, &where));
    return true;
}

/* ---- the compiler's \U0000ff1b ---- */

enum { ESCAPE = 10 };

/* Returns the character of an escape at s; 0: none that can be shown. */
static unsigned wide_escape(const char *s, size_t n) {
    const uint32_t shown = UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_N |
                           UC_CATEGORY_MASK_P | UC_CATEGORY_MASK_S;
    if (n < ESCAPE || memcmp(s, "\\U0000", 6) != 0) return 0;
    unsigned c = 0;
    for (size_t i = 6; i < ESCAPE; i++) {
        char d = (char)tolower((unsigned char)s[i]);
        if (!isxdigit((unsigned char)d)) return 0;
        c = c << 4 | (unsigned)(d <= '9' ? d - '0' : d - 'a' + 10);
    }
    return uc_is_general_category_withtable(c, shown) ? c : 0;
}

size_t wide_unescape(char *line, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n;) {
        unsigned c = wide_escape(line + i, n - i);
        if (!c) {
            line[to++] = line[i++];
            continue;
        }
        to += (size_t)u8_uctomb((uint8_t *)line + to, c, ESCAPE);
        i += ESCAPE;
    }
    return to;
}

size_t wide_shift(const char *line, size_t n, size_t column) {
    size_t left = 0;
    for (size_t i = 0; i < n && i < column;) {
        unsigned c = wide_escape(line + i, n - i);
        if (c) left += ESCAPE - (size_t)uc_width(c, "UTF-8");
        i += c ? ESCAPE : 1;
    }
    return left < column ? left : column;
}
