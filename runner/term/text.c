/* See text.h. Wrapping works on cells (one code point each, with width and style): a line may break
 * at a space, and beside a wide character unless that would start a line with closing punctuation
 * or end one with opening punctuation (Chinese typesetting's rule). */
#include "runner/term/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "runner/base/word.h"

static const char *const style_codes[TEXT_STYLES] = {
    [TEXT_PLAIN] = "",           [TEXT_STRONG] = "\033[1m",  [TEXT_CODE] = "\033[36m",
    [TEXT_TITLE] = "\033[1;34m", [TEXT_GOOD] = "\033[1;32m", [TEXT_BAD] = "\033[1;31m",
    [TEXT_WARN] = "\033[33m",    [TEXT_DIM] = "\033[2m",
};

/* ---- code points ---- */

size_t text_decode(const char *s, size_t n, uint32_t *cp) {
    const unsigned char *u = (const unsigned char *)s;
    size_t len = u[0] < 0x80                   ? 1
                 : u[0] >= 0xf0 && u[0] < 0xf5 ? 4
                 : u[0] >= 0xe0                ? 3
                 : u[0] >= 0xc2                ? 2
                                               : 0;
    *cp = 0xfffd;
    if (!len || len > n || u[0] >= 0xf5) return 1;
    if (len == 1) {
        *cp = u[0];
        return 1;
    }
    uint32_t c = u[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((u[i] & 0xc0) != 0x80) return 1;
        c = c << 6 | (u[i] & 0x3fu);
    }
    if ((len == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) ||
        (len == 4 && (c < 0x10000 || c > 0x10ffff)))
        return 1;
    *cp = c;
    return len;
}

typedef struct {
    uint32_t lo, hi;
} range;
static bool in_ranges(uint32_t c, const range *r, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].lo && c <= r[i].hi) return true;
    return false;
}

/* Unicode East Asian Width W and F, and the combining marks that lessons can hold. Own tables,
 * because wcwidth() answers for the locale and a C locale knows no wide character. */
static const range wide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},  {0x4e00, 0x9fff},
    {0xa000, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60},
    {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
static const range zero[] = {{0x0300, 0x036f}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},
                             {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}};
#define IN(c, table) in_ranges(c, table, sizeof(table) / sizeof(table)[0])

int text_cp_width(uint32_t cp) {
    if (cp < 0x300) return 1;
    return IN(cp, zero) ? 0 : IN(cp, wide) ? 2 : 1;
}

int text_width_n(const char *s, size_t n) {
    int w = 0;
    uint32_t cp;
    for (size_t i = 0; i < n; i += text_decode(s + i, n - i, &cp), w += text_cp_width(cp)) {
    }
    return w;
}
int text_width(const char *s) {
    return text_width_n(s, strlen(s));
}

size_t text_fit(const char *s, int columns) {
    size_t n = strlen(s), i = 0;
    int w = 0;
    while (i < n) {
        uint32_t cp;
        size_t len = text_decode(s + i, n - i, &cp);
        w += text_cp_width(cp);
        if (w > columns) break;
        i += len;
    }
    return i;
}

/* Punctuation that may not start a line, and that may not end one. */
static bool no_start(uint32_t c) {
    static const range r[] = {
        {0x3001, 0x3002}, {0x300b, 0x300b}, {0x300d, 0x300d}, {0x300f, 0x300f}, {0x3011, 0x3011},
        {0xff01, 0xff01}, {0xff09, 0xff09}, {0xff0c, 0xff0c}, {0xff0e, 0xff0e}, {0xff1a, 0xff1b},
        {0xff1f, 0xff1f}, {0xff05, 0xff05}, {0x2019, 0x2019}, {0x201d, 0x201d}, {0x2026, 0x2026},
        {'!', '!'},       {')', ')'},       {',', ','},       {'.', '.'},       {':', ';'},
        {'?', '?'},       {']', ']'},       {'}', '}'},       {'%', '%'}};
    return IN(c, r);
}
static bool no_end(uint32_t c) {
    static const range r[] = {{0x300a, 0x300a}, {0x300c, 0x300c}, {0x300e, 0x300e},
                              {0x3010, 0x3010}, {0xff08, 0xff08}, {0x2018, 0x2018},
                              {0x201c, 0x201c}, {'(', '('},       {'[', '['}};
    return IN(c, r);
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

/* Every byte goes through here; s holds no control characters but \n and the escapes of styles. */
static void text_emit(text_out *o, text_style st, const char *s, size_t n) {
    for (size_t at = 0; at < n && !o->quit;) {
        /* Asked only when there is more to print: a page that just fits needs no key. */
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

/* Control characters cannot reach the terminal: a student's program or file name could otherwise
 * repaint the screen. */
static void text_clean(char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) s[i] = '?';
        if (c == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] >= 0x80 &&
            (unsigned char)s[i + 1] < 0xa0)
            s[i] = s[i + 1] = '?';
    }
}

static char *format(const char *fmt, va_list ap) {
    char *s = NULL;
    int n = vasprintf(&s, fmt, ap);
    if (n < 0) return NULL;
    text_clean(s, (size_t)n);
    return s;
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

/* A line, that goes on below at a blank where it is wider than the terminal; where a word is, the terminal breaks it. */
static void broken(text_out *o, const char *s, int indent) {
    for (int more = indent;; more = indent + 2) {
        spaces(o, more);
        size_t fits = text_fit(s, o->width - more), at = fits;
        while (at > 0 && s[fits] && s[at] != ' ') at--;
        size_t words = strspn(s, " ");
        bool whole = !s[fits] || at <= words;
        text_emit(o, TEXT_PLAIN, s, whole ? strlen(s) : at);
        text_emit(o, TEXT_PLAIN, "\n", 1);
        if (whole) return;
        s += at + strspn(s + at, " ");
        if (!*s) return;
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
            char *copy = strndup(s + i, len < 4096 ? len : 4096);
            if (!copy) return;
            text_clean(copy, strlen(copy));
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
    uint32_t cp;
    uint8_t len, width, style;
} cell;

static bool cjk(const cell *c) {
    return c->width == 2;
}
static bool may_break(const cell *a, const cell *b) {
    if (a->cp == ' ' || b->cp == ' ') return true;
    return (cjk(a) || cjk(b)) && !no_start(b->cp) && !no_end(a->cp);
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

/* Wrapped lines; the first is indented by `first`, the others by `rest`. first < 0: the cursor
 * stands at column -first already. */
static void put_wrapped(text_out *o, const cell *c, size_t n, int first, int rest) {
    size_t at = 0;
    for (int line = 0; at < n; line++) {
        int indent = line ? rest : first, room = o->width - 1 - abs(indent), w = 0;
        size_t end = at, brk = 0;
        while (end < n && w + c[end].width <= room) {
            w += c[end].width;
            end++;
            if (end < n && may_break(&c[end - 1], &c[end])) brk = end;
        }
        if (end < n && brk > at) end = brk;
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

/* Turns one paragraph (newlines inside are soft) into cells: markup becomes style, runs of blanks
 * one space, and a line break between wide characters nothing at all. */
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
            if (!o->colour) out[count++] = (cell){s + i, cp, 1, 1, (uint8_t)st};
            i += len;
            continue;
        }
        /* *strong*: a star that opens stands before a non-blank and has a partner in the paragraph;
         * a star of arithmetic is left alone. */
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
            uint32_t next = 0;
            if (j < n) text_decode(s + j, n - j, &next);
            if (next == '*' && j + 1 < n) text_decode(s + j + 1, n - j - 1, &next); /* *strong* */
            bool stop = count && out[count - 1].width == 2 && no_start(out[count - 1].cp),
                 drop = soft && count && (out[count - 1].width == 2 || text_cp_width(next) == 2) &&
                        (out[count - 1].width == 2 ? text_cp_width(next) == 2 || no_start(next)
                                                   : false);
            drop |= soft && stop; /* a full stop of full width has its space in it */
            if (!drop && count && j < n) out[count++] = (cell){blank, ' ', 1, 1, (uint8_t)st};
            i = j;
            continue;
        }
        out[count++] = (cell){s + i, cp, (uint8_t)len, (uint8_t)text_cp_width(cp), (uint8_t)st};
        i += len;
    }
    return count;
}

static void say_paragraph(text_out *o, text_style st, const char *s, size_t n, int first,
                          int rest) {
    cell *c = malloc((n + 1) * sizeof *c);
    if (!c) return;
    put_wrapped(o, c, to_cells(o, st, s, n, c), first, rest);
    free(c);
}

/* A line as it stands; where the terminal is narrower it goes on below, at a blank if there is one and
 * further in. */
static void say_verbatim(text_out *o, const char *s, size_t n, int indent) {
    int begin = 0;
    while ((size_t)begin < n && s[begin] == ' ') begin++;
    for (bool first = true; n || first; first = false) {
        int before = indent + (first ? 0 : begin + 4), room = o->width - before;
        size_t k = 0, blank = 0;
        if (room < 8) room = 8;
        for (int used = 0; k < n;) {
            uint32_t cp;
            size_t bytes = text_decode(s + k, n - k, &cp);
            used += text_cp_width(cp);
            if (used > room) break;
            if (k > (first ? (size_t)begin : 0) && s[k] == ' ') blank = k;
            k += bytes;
        }
        if (k < n && blank) k = blank;
        spaces(o, before);
        text_emit(o, TEXT_CODE, s, k);
        text_emit(o, TEXT_PLAIN, "\n", 1);
        s += k, n -= k;
        while (k && n && *s == ' ') s++, n--;
    }
}

void text_say(text_out *o, const char *text, int indent) {
    char *copy = strdup(text ? text : "");
    if (!copy) return;
    text_clean(copy, strlen(copy));
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
        /* A paragraph runs to an empty line, a verbatim line or the next item. */
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
