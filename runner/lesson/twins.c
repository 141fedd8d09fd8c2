/* See twins.h. In one pass: comment lines are held back until the next line shows whether they have
 * a twin. */
#include "runner/lesson/twins.h"

#include <stdbool.h>
#include <string.h>
#include "runner/base/buffer.h"

typedef enum { LINE_CODE, LINE_COMMENT, LINE_EMPTY, LINE_ZH } line_kind;

static line_kind kind_of(const char *line, size_t n) {
    const char *end = line + n;
    while (line < end && (*line == ' ' || *line == '\t')) line++;
    if (end - line < 2 || strncmp(line, "//", 2) != 0) return LINE_CODE;
    line += 2;
    while (line < end && (*line == ' ' || *line == '\r')) line++;
    if (line == end) return LINE_EMPTY;
    if ((end - line > 7 && !strncmp(line, "answer ", 7)) ||
        (end - line > 6 && !strncmp(line, "file: ", 6)))
        return LINE_CODE;
    return end - line > 3 && !strncmp(line, "zh:", 3) ? LINE_ZH : LINE_COMMENT;
}

/* Returns where the comment after a line's code begins; n if there is none. */
static size_t note_at(const char *line, size_t n) {
    char quote = 0;
    for (size_t i = 0; i < n; i++) {
        if (quote && line[i] == '\\') i++;
        else if (quote) quote = line[i] == quote ? 0 : quote;
        else if (line[i] == '"' || line[i] == '\'') quote = line[i];
        else if (line[i] == '/' && i + 1 < n && line[i + 1] == '/') return i;
    }
    return n;
}

/* Returns whether the line has code and then a comment. */
static bool is_noted(const char *line, size_t n) {
    size_t code = strspn(line, " \t"), note = note_at(line, n);
    return note < n && code < note;
}

/* Adds " // zh: text" without the mark. */
static void add_unmarked(lib_buffer *b, const char *line, size_t n) {
    const char *mark = memmem(line, n, "zh:", 3);
    size_t before = (size_t)(mark - line), after = before + 3;
    while (after < n && line[after] == ' ') after++;
    lib_buffer_add(b, line, before);
    if (!before || line[before - 1] != ' ') lib_buffer_puts(b, " ");
    lib_buffer_add(b, line + after, n - after);
}

char *twins_in(const char *source, lib_lang lang) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    const char *held = NULL; /* beginning of the comment lines held back */
    for (const char *p = source; *p;) {
        size_t n = strcspn(p, "\n");
        n += p[n] == '\n';
        line_kind k = kind_of(p, n - (n && p[n - 1] == '\n'));
        if (k == LINE_EMPTY && !held) k = LINE_CODE;
        if (k == LINE_COMMENT && !held) held = p;
        if (k != LINE_COMMENT && k != LINE_EMPTY && held) {
            if (k == LINE_CODE || lang == LIB_EN) lib_buffer_add(&b, held, (size_t)(p - held));
            held = NULL;
        }
        const char *below = p + n;
        size_t m = strcspn(below, "\n");
        if (k == LINE_CODE && is_noted(p, n) && kind_of(below, m) == LINE_ZH) {
            bool zh = lang == LIB_ZH;
            lib_buffer_add(&b, p, zh ? note_at(p, n) : n);
            below += strspn(below, " \t");
            m = strcspn(below, "\n");
            m += below[m] == '\n';
            if (zh) add_unmarked(&b, below, m);
            p = below + m;
            continue;
        }
        if (k == LINE_CODE) lib_buffer_add(&b, p, n);
        if (k == LINE_ZH && lang == LIB_ZH) add_unmarked(&b, p, n);
        p += n;
    }
    if (held) lib_buffer_puts(&b, held);
    return b.s;
}

size_t twins_orphan(const char *source) {
    line_kind before = LINE_CODE;
    size_t at = 1;
    for (const char *p = source; *p; at++) {
        size_t n = strcspn(p, "\n");
        line_kind k = kind_of(p, n);
        if (k == LINE_ZH && (before == LINE_CODE || before == LINE_EMPTY)) return at;
        before = k == LINE_CODE && is_noted(p, n) ? LINE_COMMENT : k;
        p += n + (p[n] == '\n');
    }
    return 0;
}
