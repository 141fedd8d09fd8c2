/* Reasons in two languages (reasons.def): told in English when something is found, and said again in the
 * reader's language when it is shown, also of a manifest that an earlier version has written. */
#include <stdarg.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/intake/intake.h"

static const char *const reason_texts[][LIB_LANGS] = {
#define REASON(name, en, zh) {en, zh},
#include "grader/intake/reasons.def"
#undef REASON
};
enum { HOLES = 3 };

const char *intake_reason_text(intake_reason r, lib_lang lang) {
    return reason_texts[r][lang];
}

void intake_reason_say(char *to, size_t n, intake_reason r, ...) {
    va_list ap;
    va_start(ap, r);
    lib_vsay(to, n, reason_texts[r][LIB_EN], ap);
    va_end(ap);
}

/* Where `piece`, of n bytes, stands in s; an empty one at the end of what is left. */
static const char *piece_in(const char *s, const char *piece, size_t n) {
    if (!n) return s + strlen(s);
    for (; (s = strchr(s, *piece)); s++)
        if (!strncmp(s, piece, n)) return s;
    return NULL;
}

/* Whether `why` is `format` with something in its holes; what, into hole[]. */
static bool reason_fits(const char *format, const char *why, char hole[HOLES][INTAKE_REASON]) {
    const char *end = strstr(format, "%s");
    size_t n = end ? (size_t)(end - format) : strlen(format);
    if (strncmp(why, format, n) != 0) return false;
    why += n, format += n;
    for (size_t k = 0; *format; k++) {
        format += 2; /* the hole */
        end = strstr(format, "%s");
        n = end ? (size_t)(end - format) : strlen(format);
        const char *at = k < HOLES ? piece_in(why, format, n) : NULL;
        if (!at) return false;
        lib_say(hole[k], INTAKE_REASON, "%.*s", (int)(at - why), why);
        why = at + n, format += n;
    }
    return !*why;
}

static bool reason_said(const char *why, lib_lang lang, char *to, size_t n) {
    char hole[HOLES][INTAKE_REASON];
    for (size_t r = 0; r < sizeof reason_texts / sizeof *reason_texts; r++) {
        memset(hole, 0, sizeof hole);
        if (!reason_fits(reason_texts[r][LIB_EN], why, hole)) continue;
        lib_say(to, n, reason_texts[r][lang], hole[0], hole[1], hole[2]);
        return true;
    }
    return false;
}

void intake_reason_in(const char *why, lib_lang lang, char *to, size_t n) {
    if (lang == LIB_EN || !reason_said(why, lang, to, n)) lib_say(to, n, "%s", why);
}

/* ": " may stand in the path too, and in a name that the reason repeats: the reason is the shortest end of
 * the line that is one, so that no file's name is taken for why it was not taken. */
void intake_line_in(const char *line, lib_lang lang, char *to, size_t n) {
    char why[INTAKE_REASON];
    for (const char *at = line + strlen(line); lang != LIB_EN && at-- > line;) {
        if (strncmp(at, ": ", 2) != 0 || !reason_said(at + 2, lang, why, sizeof why)) continue;
        lib_say(to, n, "%.*s：%s", (int)(at - line), line, why);
        return;
    }
    lib_say(to, n, "%s", line);
}
