/* See svg.h. */
#include "runner/grade/svg.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/term/text.h"
#include "words/grade.h"
#include "words/term.h"

/* Size of a cell, in tenths of a unit of the picture. */
enum { CELL_W = 84, CELL_H = 190, BASE = 140 };
#define SVG_LARGER 1.15 /* pixels on the page per unit of the picture */

/* The classes of the page, and the escape sequences of text_begin() for the styles. */
static const struct {
    const char *class;
    text_style style;
} classes[] = {{"s", TEXT_STRONG}, {"c", TEXT_CODE}, {"t", TEXT_TITLE}, {"g", TEXT_GOOD},
               {"b", TEXT_BAD},    {"w", TEXT_WARN}, {"d", TEXT_DIM}};

/* Returns the class that an escape sequence begins, "" if it ends one. *n: the sequence's
 * length. */
static const char *class_of(const char *s, size_t *n) {
    text_out o = {.colour = true};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const char *escape = text_begin(&o, classes[i].style);
        if (*escape && !strncmp(s, escape, strlen(escape))) {
            *n = strlen(escape);
            return classes[i].class;
        }
    }
    *n = strcspn(s, "m");
    *n += s[*n] == 'm';
    return "";
}

static void put_escaped(lib_buffer *b, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *as = s[i] == '<'                  ? "&lt;"
                         : s[i] == '>'                ? "&gt;"
                         : s[i] == '&'                ? "&amp;"
                         : s[i] == '"'                ? "&quot;"
                         : (unsigned char)s[i] < 0x20 ? " "
                                                      : NULL;
        if (as) lib_buffer_puts(b, as);
        else lib_buffer_add(b, s + i, 1);
    }
}

/* Returns how high a cell is filled, in tenths; 0 if it is text. + and - are fillings only after
 * the bracket that opens a bar. */
static int filled(char c, const char *class, bool bar) {
    if (!*class || !strchr("gbw", *class)) return 0;
    return c == '#' ? 10 : bar && c == '+' ? 6 : bar && c == '-' ? 3 : 0;
}

/* Returns the same for a legend, which shows a filling as [#]; 0 if it is no legend. */
static int legend_filled(const char *s, size_t n, const char *class) {
    if (n < 3 || s[0] != '[' || s[2] != ']' || strcmp(class, "d") != 0) return 0;
    return filled(s[1], "g", true);
}

/* The place of a run of characters, in tenths of a unit. */
typedef struct {
    int x, y, w;
    const char *class;
} svg_place;

static svg_place svg_place_at(int column, int cells, int row, const char *class) {
    return (svg_place){column * CELL_W, row * CELL_H, cells * CELL_W, class};
}

static void put_class(lib_buffer *b, const char *tag, const char *class) {
    lib_buffer_printf(b, "<%s%s%s%s", tag, *class ? " class=\"" : "", class, *class ? "\"" : "");
}

static void put_box(lib_buffer *b, int column, int cells, int row, int high, const char *class) {
    int h = (CELL_H - 40) * high / 10, y = row * CELL_H + CELL_H - 20 - h;
    for (int i = 0; i < cells; i++)
        lib_buffer_printf(
            b, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class,
            (column + i) * CELL_W / 10.0 + 0.4, y / 10.0, CELL_W / 10.0 - 0.8, h / 10.0);
}

static void put_words(lib_buffer *b, const char *s, size_t n, int column, int row,
                      const char *class) {
    put_class(b, "text", class);
    lib_buffer_printf(b, " x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\">", column * CELL_W / 10.0,
                      (row * CELL_H + BASE) / 10.0, text_width_n(s, n) * CELL_W / 10.0);
    put_escaped(b, s, n);
    lib_buffer_puts(b, "</text>");
}

/* Draws a line from the left end to the right end, at these heights of the row in tenths. */
static void svg_put_line(lib_buffer *b, svg_place p, int left, int right) {
    int from = p.y + left * CELL_H / 10, to = p.y + right * CELL_H / 10;
    put_class(b, "line", p.class);
    lib_buffer_printf(b, " x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", p.x / 10.0,
                      from / 10.0, (p.x + p.w) / 10.0, to / 10.0);
}

/* Draws something that lasts, with its letter: a kernel on a timeline, a block in its slots. */
static void put_span(lib_buffer *b, char letter, svg_place p) {
    int middle = p.x + p.w / 2;
    put_class(b, "rect", p.class);
    lib_buffer_printf(b, " x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>",
                      p.x / 10.0 + 0.4, (p.y + 20) / 10.0, p.w / 10.0 - 0.8, (CELL_H - 40) / 10.0);
    lib_buffer_printf(b, "<text class=\"i\" x=\"%.1f\" y=\"%.1f\">%c</text>", middle / 10.0,
                      (p.y + BASE) / 10.0, letter);
}

/* Returns how many of the n characters equal the first one, without a gap. */
static size_t same(const char *s, size_t n) {
    size_t k = 0;
    while (k < n && s[k] == s[0]) k++;
    return k;
}

/* Draws a run that is a line in the picture, and returns its length; 0 if it is text. Lines are the
 * slopes and levels of the roofline, its point, and the empty part between spans. `high` says
 * whether the previous line ended at the row's top. */
static size_t put_stroke(lib_buffer *b, const char *s, size_t n, svg_place p, bool *high) {
    size_t k = same(s, n);
    p.w = (int)k * CELL_W;
    bool was_high = *high;
    *high = false;
    if (s[0] == '*' && k == 1 && n == 1 && *p.class && strchr("gbw", *p.class)) {
        put_class(b, "circle", p.class);
        int x = p.x + CELL_W / 2, y = p.y + CELL_H / 2;
        lib_buffer_printf(b, " cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>", x / 10.0, y / 10.0);
        return 1;
    }
    if (k < 3) return 0;
    if (s[0] == '.' && *p.class == 'd') return svg_put_line(b, p, 9, 9), k;
    if (s[0] == '/') return svg_put_line(b, p, 10, 0), *high = true, k;
    if (s[0] == '-') return svg_put_line(b, p, was_high ? 0 : 5, was_high ? 0 : 5), k;
    return 0;
}

/* Text of one colour. Parts separated by two blanks get their own places, because a viewer may
 * merge blanks. */
static void put_run(lib_buffer *b, const char *s, size_t n, int column, int row,
                    const char *class) {
    bool high = false;
    for (size_t i = 0; i < n;) {
        size_t blanks = 0, k = 0;
        while (i + blanks < n && s[i + blanks] == ' ') blanks++;
        i += blanks;
        column += (int)blanks;
        if (i == n) return;
        if ((k = put_stroke(b, s + i, n - i, svg_place_at(column, 0, row, class), &high))) {
            column += (int)k;
            i += k;
            continue;
        }
        while (i + k < n && !(s[i + k] == ' ' && (i + k + 1 == n || s[i + k + 1] == ' ')) &&
               (!k || !strchr("-/", s[i + k]) || n - i - k < 3 || same(s + i + k, 3) < 3))
            k++;
        if (k) put_words(b, s + i, k, column, row, class);
        column += text_width_n(s + i, k);
        i += k;
    }
}

/* ---- spans: coloured letters beside an empty part, in a bracket, or beside other spans ---- */

/* Returns the visible text that begins here. */
static const char *seen_from(const char *s, const char *end) {
    while (s < end && *s == '\033') {
        size_t k;
        class_of(s, &k);
        s += k;
    }
    return s;
}

static bool span_letters(const char *s, size_t n, const char *class) {
    if (!n || !*class || !strchr("gbws", *class)) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '+') return false;
    return true;
}

/* Returns whether the n coloured letters at s are spans. `end`: the end of their line. `before`:
 * the visible characters before them. */
static bool are_spans(const char *s, size_t n, const char *end, const char before[2], bool beside) {
    const char *next = seen_from(s + n, end);
    size_t runs = 0;
    for (size_t i = 0; i < n; i += same(s + i, n - i)) runs++;
    if (beside || (n >= 8 && 3 * runs <= n) || before[1] == '[' || (next < end && *next == ']'))
        return true;
    return (before[0] == '.' && before[1] == '.') ||
           (end - next >= 2 && next[0] == '.' && next[1] == '.');
}

static void put_spans(lib_buffer *b, const char *s, size_t n, int column, int row,
                      const char *class) {
    for (size_t i = 0, k; i < n; i += k) {
        k = same(s + i, n - i);
        put_span(b, s[i], svg_place_at(column + (int)i, (int)k, row, class));
    }
}

typedef struct {
    int columns, rows;
} svg_size;

/* State while a line is drawn. */
typedef struct {
    lib_buffer *b;
    const char *end; /* of the line */
    int row;
    const char *class;
    char before[2]; /* the last two visible characters */
    bool beside;    /* a span precedes */
} svg_line;

/* Draws a piece of one colour that begins at `column`. */
static void put_piece(svg_line *l, const char *s, size_t n, int column) {
    if (!n) return;
    bool spans = span_letters(s, n, l->class) && are_spans(s, n, l->end, l->before, l->beside);
    if (spans) put_spans(l->b, s, n, column, l->row, l->class);
    else put_run(l->b, s, n, column, l->row, l->class);
    l->beside = spans;
    l->before[0] = n > 1 ? s[n - 2] : l->before[1];
    l->before[1] = s[n - 1];
}

/* Draws one line of the picture and returns its number of columns. *class continues from line to
 * line. */
static int svg_put_row(lib_buffer *b, const char *s, size_t n, int row, const char **class) {
    svg_line l = {.b = b, .end = s + n, .row = row, .class = *class};
    int column = 0, from = 0;
    size_t run = 0;
    bool bar = false; /* the current colour follows a bracket */
    for (size_t i = 0; i < n;) {
        if (s[i] == '\033') {
            size_t k;
            put_piece(&l, s + run, i - run, from);
            bar = i && s[i - 1] == '[';
            l.class = class_of(s + i, &k);
            i += k;
            run = i, from = column;
            continue;
        }
        int high = legend_filled(s + i, n - i, l.class);
        if (high) {
            put_piece(&l, s + run, i - run, from);
            put_box(b, column + 1, 1, row, high, l.class);
            i += 3, column += 3;
            run = i, from = column;
            continue;
        }
        high = filled(s[i], l.class, bar);
        if (high) {
            put_piece(&l, s + run, i - run, from);
            put_box(b, column, 1, row, high, l.class);
            i++, column++;
            run = i, from = column;
            continue;
        }
        int w;
        i += text_cluster(s + i, n - i, &w);
        column += w;
    }
    put_piece(&l, s + run, n - run, from);
    *class = l.class;
    return column;
}

static svg_size put_rows(lib_buffer *b, const char *shown) {
    svg_size size = {0, 0};
    const char *class = "";
    for (const char *s = shown; *s && s - shown < SVG_BYTES;) {
        size_t n = strcspn(s, "\n");
        int columns = svg_put_row(b, s, n, size.rows++, &class);
        if (columns > size.columns) size.columns = columns;
        s += n + (s[n] == '\n');
    }
    return size;
}

char *svg_picture(const char *shown, const char *title) {
    lib_buffer rows = {0}, b = {0};
    lib_buffer_puts(&rows, "");
    svg_size size = put_rows(&rows, shown);
    lib_buffer_printf(&b,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.1f "
                      "%.1f\" style=\"max-width:%.0fpx\"><title>",
                      (size.columns + 1) * CELL_W / 10.0, (size.rows + 1) * CELL_H / 10.0,
                      (size.columns + 1) * CELL_W / 10.0 * SVG_LARGER);
    put_escaped(&b, title, strlen(title));
    lib_buffer_puts(&b, "</title>");
    lib_buffer_add(&b, rows.s, rows.n);
    lib_buffer_puts(&b, "</svg>");
    lib_buffer_free(&rows);
    return lib_buffer_take(&b);
}

/* Writes the picture without its colours. */
static void put_plain(lib_buffer *b, const char *shown) {
    for (const char *s = shown; *s && s - shown < SVG_BYTES;) {
        size_t n = strcspn(s, "\033\n");
        put_escaped(b, s, n);
        s += n;
        if (*s == '\n') lib_buffer_puts(b, "\n"), s++;
        else if (*s) {
            size_t k;
            class_of(s, &k);
            s += k;
        }
    }
}

static const char style[] =
    ":root{--bg:#fff;--fg:#222;--dim:#767676;--good:#1a7f37;--warn:#9a6700;--bad:#b42318;--code:#"
    "0b6b75;--title:#1f4fbf}"
    "@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#ddd;--dim:#8b8f98;--good:#3fb950;"
    "--warn:#d29922;--bad:#f47067;--code:#56c2d0;--title:#79a8ff}}"
    "body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:1.5rem}"
    "h1{font-size:1.2rem}svg{width:100%;height:auto}"
    "text{fill:var(--fg);font:14px ui-monospace,'DejaVu Sans Mono','Noto Sans Mono CJK "
    "SC',monospace}"
    ".s{font-weight:700}.c{fill:var(--code)}.t{fill:var(--title);font-weight:700}"
    ".g{fill:var(--good)}.b{fill:var(--bad)}.w{fill:var(--warn)}.d{fill:var(--dim)}"
    "line{stroke:var(--fg);stroke-width:2;stroke-linecap:round}line.d{stroke:var(--dim);stroke-"
    "width:1}text.i{fill:var(--bg);text-anchor:middle}rect.s{fill:var(--title)}"
    "pre{white-space:pre-wrap}";

char *svg_page(const char *shown, const char *title, lib_lang lang) {
    lib_buffer b = {0};
    char *svg = svg_picture(shown, title);
    lib_buffer_printf(&b,
                      "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><meta "
                      "name=\"viewport\" content=\"width=device-width\"><title>",
                      lib_word(lang, W_TERM_HTML_LANG));
    put_escaped(&b, title, strlen(title));
    lib_buffer_printf(&b, "</title><style>%s</style></head><body>\n<h1>", style);
    put_escaped(&b, title, strlen(title));
    lib_buffer_puts(&b, "</h1>\n");
    lib_buffer_add(&b, svg, strlen(svg));
    lib_buffer_printf(&b, "\n<details><summary>%s</summary><pre>",
                      lib_word(lang, W_GRADE_PAGE_TEXT));
    put_plain(&b, shown);
    lib_buffer_puts(&b, "</pre></details>\n</body></html>\n");
    free(svg);
    return lib_buffer_take(&b);
}
