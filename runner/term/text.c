/* See text.h. libunistring knows the width of characters, which characters belong together, and
 * where Unicode allows the end of a line (UAX 14). Wrapping works on cells. A cell is one cluster
 * of characters with its width, its style, and whether a line may end before it. We allow fewer
 * line ends than Unicode: only at a blank or beside a wide character, so that `--no-sandbox` and
 * a/path stay whole. In code every blank allows one. */
#include "runner/term/text.h"
#include "runner/base/buffer.h"
#include "runner/base/say.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unictype.h>
#include <unigbrk.h>
#include <unilbrk.h>
#include <unistd.h>
#include <unistr.h>
#include <uniwidth.h>
#include "runner/base/word.h"

static const char *const style_codes[TEXT_STYLES] = {
    [TEXT_PLAIN] = "",           [TEXT_STRONG] = "\033[1m",  [TEXT_CODE] = "\033[36m",
    [TEXT_TITLE] = "\033[1;34m", [TEXT_GOOD] = "\033[1;32m", [TEXT_BAD] = "\033[1;31m",
    [TEXT_WARN] = "\033[33m",    [TEXT_DIM] = "\033[2m",
};

/* ---- characters ---- */

enum { ZERO_WIDTH_JOINER = 0x200d, AS_EMOJI = 0xfe0f };

size_t text_decode(const char *s, size_t n, uint32_t *cp) {
    int len = u8_mbtoucr(cp, (const uint8_t *)s, n);
    if (len > 0) return (size_t)len;
    *cp = 0xfffd;
    return 1;
}

/* Up to release 1.0 libunistring ends a cluster after a joiner. */
size_t text_cluster(const char *s, size_t n, int *columns) {
    size_t i = 0;
    int sum = 0;
    uint32_t cp = 0;
    bool emoji = false;
    *columns = 1;
    if ((signed char)s[0] >= 0 && (n == 1 || (signed char)s[1] >= 0)) return 1;
    do {
        const uint8_t *next = u8_grapheme_next((const uint8_t *)s + i, (const uint8_t *)s + n);
        for (size_t end = (size_t)((const char *)next - s); i < end;) {
            i += text_decode(s + i, n - i, &cp);
            int w = uc_width(cp, "UTF-8");
            sum += w < 0 ? 1 : w;
            emoji |= cp == AS_EMOJI && sum;
        }
    } while (cp == ZERO_WIDTH_JOINER && sum >= 2 && i < n);
    *columns = emoji || sum > 2 ? 2 : sum;
    return i;
}

int text_width_n(const char *s, size_t n) {
    int sum = 0, w;
    for (size_t i = 0; i < n; sum += w) i += text_cluster(s + i, n - i, &w);
    return sum;
}
int text_width(const char *s) {
    return text_width_n(s, strlen(s));
}

size_t text_fit(const char *s, int columns) {
    size_t n = strlen(s), i = 0;
    while (i < n) {
        int w;
        size_t len = text_cluster(s + i, n - i, &w);
        if ((columns -= w) < 0) break;
        i += len;
    }
    return i;
}

size_t text_break(const char *s, int columns) {
    size_t n = strlen(s), at = 0;
    bool valid = !u8_check((const uint8_t *)s, n), wide = false;
    char *breaks = n ? malloc(n) : NULL;
    if (!breaks) return 0;
    if (valid) u8_possible_linebreaks((const uint8_t *)s, n, "UTF-8", breaks);
    for (size_t i = 0; i < n;) {
        int w;
        size_t len = text_cluster(s + i, n - i, &w);
        bool beside = valid && breaks[i] == UC_BREAK_POSSIBLE && (wide || w == 2);
        if (i && (s[i - 1] == ' ' || beside)) at = i;
        if ((columns -= w) < 0 && s[i] != ' ') break;
        wide = w == 2;
        i += len;
        if (i == n) at = n;
    }
    free(breaks);
    return at;
}

void text_narrow(char *s) {
    char *to = s;
    for (size_t i = 0, n = strlen(s); i < n;) {
        uint32_t c;
        size_t k = text_decode(s + i, n - i, &c);
        if (c >= 0xff01 && c <= 0xff5e) *to++ = (char)(c - 0xfee0);
        else if (c == 0x3000) *to++ = ' ';
        else {
            memmove(to, s + i, k);
            to += k;
        }
        i += k;
    }
    *to = 0;
}

/* ---- out ---- */

void text_out_resize(text_out *o) {
    struct winsize w = {0};
    const char *columns = getenv("COLUMNS");
    int fd = fileno(o->to);
    bool tty = fd >= 0 && isatty(fd);
    o->width = 80;
    if (tty && !ioctl(fd, TIOCGWINSZ, &w) && w.ws_col) o->width = w.ws_col;
    else if (columns && atoi(columns) > 0) o->width = atoi(columns);
    o->columns = o->width;
    if (o->width > 120) o->width = 120;
    if (o->width < 40) o->width = 40;
    o->height = tty && w.ws_row > 5 ? w.ws_row : 0;
}

void text_out_init(text_out *o, FILE *to) {
    *o = (text_out){.to = to};
    text_out_resize(o);
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    o->colour = isatty(fileno(to)) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

void text_page_begin(text_out *o) {
    o->rows = 0;
    o->quit = false;
}

/* All output goes through this function. s contains no control characters except \n and the escapes
 * of styles. */
static void text_emit(text_out *o, text_style st, const char *s, size_t n) {
    for (size_t at = 0; at < n && !o->quit;) {
        /* Wait only if there is more to print: a page that just fits needs no key. */
        if (o->height && o->more && o->rows >= o->height - 1) {
            fflush(o->to);
            o->rows = 0;
            o->quit = !o->more(o->more_user);
            if (o->quit) return;
        }
        const char *nl = memchr(s + at, '\n', n - at);
        size_t len = nl ? (size_t)(nl - (s + at)) : n - at;
        if (len) {
            if (o->colour && st != TEXT_PLAIN)
                fprintf(o->to, "%s%.*s\033[0m", style_codes[st], (int)len, s + at);
            else fwrite(s + at, 1, len, o->to);
        }
        o->column += text_width_n(s + at, len);
        if (nl) {
            putc('\n', o->to);
            /* A line wider than the terminal takes several rows of the page. */
            o->rows += 1 + (o->columns > 0 && o->column > 0 ? (o->column - 1) / o->columns : 0);
            o->column = 0;
        }
        if (o->transcript) fwrite(s + at, 1, len + (nl != NULL), o->transcript);
        at += len + (nl != NULL);
    }
}

/* Control characters must not reach the terminal: a student's program or file name could otherwise
 * repaint the screen. */
static char *format(const char *fmt, va_list ap) {
    char *s = NULL;
    int n = vasprintf(&s, fmt, ap);
    if (n < 0) return NULL;
    char *shown = lib_shown(s, (size_t)n);
    free(s);
    return shown;
}

void text_vput(text_out *o, text_style st, const char *fmt, va_list ap) {
    char *s = format(fmt, ap);
    if (!s) return;
    text_emit(o, st, s, strlen(s));
    free(s);
}
void text_put(text_out *o, text_style st, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vput(o, st, fmt, ap);
    va_end(ap);
}

static void spaces(text_out *o, int n) {
    static const char blank[] = "                                ";
    for (; n > 0; n -= 32) text_emit(o, TEXT_PLAIN, blank, n < 32 ? (size_t)n : 32);
}

void text_cell(text_out *o, text_style st, int columns, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *s = format(fmt, ap);
    va_end(ap);
    if (!s) return;
    bool left = columns < 0;
    if (left) columns = -columns;
    int w = text_width(s);
    if (w > columns) {
        size_t keep = text_fit(s, columns - 2);
        int kept = text_width_n(s, keep);
        text_emit(o, st, s, keep);
        text_emit(o, st, "..", 2);
        spaces(o, columns - kept - 2);
    } else {
        if (left) spaces(o, columns - w);
        text_emit(o, st, s, strlen(s));
        if (!left) spaces(o, columns - w);
    }
    free(s);
}

/* Prints a line. If it is wider than the terminal, it continues below, two columns further right
 * than it began; its beginning is then moved into the left half. The terminal breaks a word that is
 * wider. */
static void broken(text_out *o, const char *s, int indent) {
    int lead = (int)strspn(s, " "), most = o->width / 2, more = indent, deeper = indent + lead + 2;
    if (deeper > most) deeper = indent + 2;
    if (lead > most && text_width(s) > o->width - indent) s += lead - most;
    for (;; more = deeper) {
        spaces(o, more);
        size_t at = text_break(s, o->width - more);
        bool whole = at <= strspn(s, " ");
        if (whole) at = strlen(s);
        size_t end = at;
        while (end && s[end - 1] == ' ') end--;
        text_emit(o, TEXT_PLAIN, s, end);
        text_emit(o, TEXT_PLAIN, "\n", 1);
        s += at + strspn(s + at, " ");
        if (whole || !*s) return;
    }
}

void text_raw(text_out *o, const char *s, size_t n, int indent, int max_lines) {
    int lines = 0;
    for (size_t i = 0; i < n; i++) lines += s[i] == '\n';
    if (n && s[n - 1] != '\n') lines++;
    int head = lines > max_lines ? (max_lines + 1) / 2 : lines,
        tail = lines > max_lines ? max_lines / 2 : 0, at = 0;
    for (size_t i = 0; i < n; at++) {
        const char *nl = memchr(s + i, '\n', n - i);
        size_t len = nl ? (size_t)(nl - (s + i)) : n - i;
        if (at < head || at >= lines - tail) {
            char *copy = lib_shown(s + i, strnlen(s + i, len < 4096 ? len : 4096));
            if (!copy) return;
            for (char *t = copy; *t; t++)
                if (*t == '\t') *t = ' ';
            broken(o, copy, indent);
            free(copy);
        } else if (at == head) {
            spaces(o, indent);
            text_put(o, TEXT_DIM, "... %d ...\n", lines - head - tail);
        }
        i += len + (nl != NULL);
    }
}

const char *text_begin(const text_out *o, text_style st) {
    return o->colour ? style_codes[st] : "";
}
const char *text_end(const text_out *o) {
    return o->colour ? "\033[0m" : "";
}

/* ---- wrapping ---- */

typedef struct {
    const char *s;
    size_t len;
    uint32_t cp; /* the first code point of the cluster */
    uint8_t width, style;
    bool may_break; /* a line may end before it */
} cell;

static bool is_wide(const cell *c) {
    return c->width == 2;
}

/* A Chinese quotation mark is the same character as an English one. Beside a wide character, treat
 * it as opening or closing punctuation, as UAX 14 treats the brackets that replace it here. A path
 * begins a word, like a letter: UAX 14 breaks before no '/', even after a blank (LB13). */
static const char *break_as(const cell *c, size_t i, size_t n) {
    bool after_wide = i && is_wide(&c[i - 1]), before_wide = i + 1 < n && is_wide(&c[i + 1]),
         begins = (i && c[i - 1].cp == ' ') || (after_wide && !before_wide);
    uint32_t cp = c[i].cp;
    if (cp == '/' && begins && i + 1 < n && c[i + 1].cp != ' ') return "a";
    bool opens = cp == 0x201c || cp == 0x2018, closes = cp == 0x201d || cp == 0x2019;
    if (c[i].len != strlen("\u300c")) return c[i].s;
    return opens && after_wide ? "\u300c" : closes && before_wide ? "\u300d" : c[i].s;
}

/* Sets where the visible text may be broken. A break before a blank counts for the text after
 * it. */
static bool find_breaks(cell *c, size_t n) {
    size_t bytes = 0, at = 0;
    for (size_t i = 0; i < n; i++) bytes += c[i].len;
    char *seen = malloc(2 * bytes + 1);
    if (!seen) return false;
    char *breaks = seen + bytes;
    for (size_t i = 0; i < n; at += c[i++].len) memcpy(seen + at, break_as(c, i, n), c[i].len);
    u8_possible_linebreaks((const uint8_t *)seen, bytes, "UTF-8", breaks);
    for (size_t i = n; i-- > 1;) {
        at -= c[i].len;
        bool blank = c[i - 1].cp == ' ';
        /* Keep a number and its unit together. */
        bool unit = blank && i > 1 && is_wide(&c[i]) && c[i - 2].cp >= '0' && c[i - 2].cp <= '9' &&
                    c[i - 1].style != TEXT_CODE;
        c[i].may_break =
            !unit &&
            ((blank && c[i - 1].style == TEXT_CODE) ||
             (breaks[at] == UC_BREAK_POSSIBLE && (blank || is_wide(&c[i - 1]) || is_wide(&c[i]))));
        if (c[i].cp == ' ' && i + 1 < n) c[i].may_break = c[i + 1].may_break;
    }
    free(seen);
    return true;
}

static void put_cells(text_out *o, const cell *c, size_t n) {
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i;
             j < n && c[j].style == c[i].style && (j == i || c[j].s == c[j - 1].s + c[j - 1].len);
             j++) {
        }
        text_emit(o, c[i].style, c[i].s, (size_t)(c[j - 1].s + c[j - 1].len - c[i].s));
    }
}

/* Prints wrapped lines; the first is indented by `first`, the others by `rest`. first < 0: the
 * cursor is at column -first already. */
static void put_wrapped(text_out *o, const cell *c, size_t n, int first, int rest) {
    size_t at = 0;
    for (int line = 0; at < n; line++) {
        int indent = line ? rest : first, room = o->width - 1 - abs(indent), w = 0;
        size_t end = at, brk = 0;
        while (end < n && w + c[end].width <= room) {
            w += c[end].width;
            end++;
            if (end < n && c[end].may_break) brk = end;
        }
        if (end < n && brk > at) end = brk;
        /* Cut a word that is wider than the line, but not so that the next line would begin with
         * punctuation. */
        else if (end < n && end > at + 1 && is_wide(&c[end])) end--;
        if (end == at) end = at + 1;
        size_t stop = end;
        while (stop > at && c[stop - 1].cp == ' ') stop--;
        spaces(o, indent);
        put_cells(o, c + at, stop - at);
        text_emit(o, TEXT_PLAIN, "\n", 1);
        for (at = end; at < n && c[at].cp == ' '; at++) {
        }
    }
}

/* Returns whether a newline between a wide character and the character at s disappears. */
static bool closes_up(const char *s, size_t n) {
    int w;
    uint32_t c;
    text_cluster(s, n, &w);
    text_decode(s, n, &c);
    return w == 2 || u8_strchr((const uint8_t *)"!),.:;?]}%\u2019\u201d\u2026", c);
}

/* Turns one paragraph (in which newlines are soft) into cells. Markup becomes style, a run of
 * blanks becomes one space, and a newline between wide characters disappears. */
static size_t to_cells(const text_out *o, text_style base, const char *s, size_t n, cell *out) {
    size_t count = 0;
    text_style st = base;
    bool code = false;
    static const char blank[] = " ";
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        size_t len = text_decode(s + i, n - i, &cp);
        if (cp == '`') {
            code = !code;
            st = code ? TEXT_CODE : base;
            if (!o->colour) out[count++] = (cell){s + i, 1, cp, 1, (uint8_t)st, false};
            i += len;
            continue;
        }
        /* *strong*: an opening star precedes a non-blank and has a partner in the paragraph. A star
         * of arithmetic is kept. */
        if (cp == '*' && !code) {
            bool open = st != TEXT_STRONG && i + 1 < n && !isspace((unsigned char)s[i + 1]) &&
                        (i == 0 || !isalnum((unsigned char)s[i - 1]));
            const char *close = open ? memchr(s + i + 1, '*', n - i - 1) : NULL;
            if ((open && close && !isspace((unsigned char)close[-1])) || st == TEXT_STRONG) {
                st = st == TEXT_STRONG ? base : TEXT_STRONG;
                i += len;
                continue;
            }
        }
        if (cp == '\n' || cp == '\t' || cp == ' ') {
            size_t j = i;
            bool soft = false;
            while (j < n && (s[j] == '\n' || s[j] == '\t' || s[j] == ' ')) soft |= s[j++] == '\n';
            size_t k = j + (j + 1 < n && s[j] == '*'); /* *strong* */
            const cell *last = count ? &out[count - 1] : NULL;
            bool drop = soft && last && is_wide(last) &&
                        (uc_is_general_category_withtable(last->cp, UC_CATEGORY_MASK_P) ||
                         (k < n && closes_up(s + k, n - k)));
            if (!drop && count && j < n)
                out[count++] = (cell){blank, 1, ' ', 1, (uint8_t)st, false};
            i = j;
            continue;
        }
        int w;
        len = text_cluster(s + i, n - i, &w);
        out[count++] = (cell){s + i, len, cp, (uint8_t)w, (uint8_t)st, false};
        i += len;
    }
    return count;
}

static void say_paragraph(text_out *o, text_style st, const char *s, size_t n, int first,
                          int rest) {
    cell *c = malloc((n + 1) * sizeof *c);
    if (!c) return;
    size_t count = to_cells(o, st, s, n, c);
    if (find_breaks(c, count)) put_wrapped(o, c, count, first, rest);
    free(c);
}

/* Prints a line unchanged. If the terminal is narrower, it continues below, further right. */
static void say_verbatim(text_out *o, const char *s, size_t n, int indent) {
    char *line = lib_format("%.*s", (int)n, s);
    const char *at = line;
    int begin = (int)strspn(line, " ");
    for (bool first = true; *at || first; first = false) {
        int before = indent + (first ? 0 : begin + 4), room = o->width - before;
        if (room < 8) room = 8;
        size_t k = text_break(at, room), end;
        if (k <= strspn(at, " ")) k = text_fit(at, room);
        if (!k) k = strlen(at);
        for (end = k; end && at[end - 1] == ' ';) end--;
        spaces(o, before);
        text_emit(o, TEXT_CODE, at, end);
        text_emit(o, TEXT_PLAIN, "\n", 1);
        at += k + strspn(at + k, " ");
    }
    free(line);
}

void text_say(text_out *o, const char *text, int indent) {
    char *copy = lib_shown(text, text ? strlen(text) : 0);
    if (!copy) return;
    const char *s = copy;
    bool any = false, gap = false;
    while (*s) {
        size_t line = strcspn(s, "\n");
        if (strspn(s, " \t") >= line) {
            gap = any;
            s += line + (s[line] == '\n');
            continue;
        }
        if (gap) text_emit(o, TEXT_PLAIN, "\n", 1);
        gap = false;
        any = true;
        if (!strncmp(s, "    ", 4)) { /* verbatim */
            say_verbatim(o, s, line, indent);
            s += line + (s[line] == '\n');
            continue;
        }
        bool item = s[0] == '-' && s[1] == ' ';
        size_t n = line;
        /* A paragraph ends at an empty line, a verbatim line or the next item. */
        while (s[n] == '\n') {
            const char *next = s + n + 1;
            size_t len = strcspn(next, "\n");
            if (strspn(next, " \t") >= len || !strncmp(next, "    ", 4) ||
                (next[0] == '-' && next[1] == ' '))
                break;
            n += 1 + len;
        }
        say_paragraph(o, TEXT_PLAIN, s, n, indent, item ? indent + 2 : indent);
        s += n + (s[n] == '\n');
    }
    free(copy);
}

void text_vline(text_out *o, text_style st, int indent, const char *fmt, va_list ap) {
    char *s = format(fmt, ap);
    if (!s) return;
    for (char *p = s, *nl; p; p = nl ? nl + 1 : NULL) {
        nl = strchr(p, '\n');
        size_t n = nl ? (size_t)(nl - p) : strlen(p);
        if (n) say_paragraph(o, st, p, n, indent, indent);
        else if (nl || p == s) text_emit(o, TEXT_PLAIN, "\n", 1);
    }
    free(s);
}
void text_words(text_out *o, text_style st, int indent, lib_lang lang, lib_words words) {
    char *text = lib_words_take(lang, words);
    text_line(o, st, indent, "%s", text);
    free(text);
}

void text_put_words(text_out *o, text_style st, lib_lang lang, lib_words words) {
    char *text = lib_words_take(lang, words);
    text_put(o, st, "%s", text);
    free(text);
}

void text_cell_words(text_out *o, text_style st, int columns, lib_lang lang, lib_words words) {
    char *text = lib_words_take(lang, words);
    text_cell(o, st, columns, "%s", text);
    free(text);
}

void text_hang_words(text_out *o, text_style st, int column, lib_lang lang, lib_words words) {
    char *text = lib_words_take(lang, words);
    text_hang(o, st, column, "%s", text);
    free(text);
}

void text_hang(text_out *o, text_style st, int column, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *s = format(fmt, ap);
    va_end(ap);
    if (s) say_paragraph(o, st, s, strlen(s), -column, column);
    free(s);
}
void text_line(text_out *o, text_style st, int indent, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vline(o, st, indent, fmt, ap);
    va_end(ap);
}
