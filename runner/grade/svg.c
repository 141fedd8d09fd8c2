/* See svg.h. */
#include "runner/grade/svg.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/term/text.h"

/* Of a cell, in tenths of a unit of the picture. */
enum { CELL_W = 84, CELL_H = 190, BASE = 140 };
#define SVG_LARGER 1.15 /* pixels on a page a unit of the picture */

/* The classes of the page, and the escapes that text_begin() has for the styles. */
static const struct {
    const char *class;
    text_style style;
} classes[] = {{"s", TEXT_STRONG}, {"c", TEXT_CODE}, {"t", TEXT_TITLE}, {"g", TEXT_GOOD},
               {"b", TEXT_BAD},    {"w", TEXT_WARN}, {"d", TEXT_DIM}};

/* The class that an escape sequence begins, "" where it ends one; *n: its length. */
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

/* How high a cell is filled, in tenths; 0: it is text. + and - are fillings only in a bar, which a bracket opens. */
static int filled(char c, const char *class, bool bar) {
    if (!*class || !strchr("gbw", *class)) return 0;
    return c == '#' ? 10 : bar && c == '+' ? 6 : bar && c == '-' ? 3 : 0;
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
    lib_buffer_printf(b, "<text%s%s%s x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\">",
                      *class ? " class=\"" : "", class, *class ? "\"" : "", column * CELL_W / 10.0,
                      (row * CELL_H + BASE) / 10.0, text_width_n(s, n) * CELL_W / 10.0);
    put_escaped(b, s, n);
    lib_buffer_puts(b, "</text>");
}

/* Text of one colour: what two blanks part gets a place of its own, since a reader may make one of them. */
static void put_run(lib_buffer *b, const char *s, size_t n, int column, int row,
                    const char *class) {
    for (size_t i = 0; i < n;) {
        size_t blanks = 0, k = 0;
        while (i + blanks < n && s[i + blanks] == ' ') blanks++;
        i += blanks;
        column += (int)blanks;
        while (i + k < n && !(s[i + k] == ' ' && (i + k + 1 == n || s[i + k + 1] == ' '))) k++;
        if (k) put_words(b, s + i, k, column, row, class);
        column += text_width_n(s + i, k);
        i += k;
    }
}

typedef struct {
    int columns, rows;
} svg_size;

/* One line of the picture; returns how many columns it has. *class goes on from line to line. */
static int put_row(lib_buffer *b, const char *s, size_t n, int row, const char **class) {
    int column = 0, from = 0;
    size_t run = 0;
    bool bar = false; /* what is coloured now stands behind a bracket */
    for (size_t i = 0; i < n;) {
        if (s[i] == '\033') {
            size_t k;
            put_run(b, s + run, i - run, from, row, *class);
            bar = i && s[i - 1] == '[';
            *class = class_of(s + i, &k);
            i += k;
            run = i, from = column;
            continue;
        }
        int high = filled(s[i], *class, bar);
        if (high) {
            put_run(b, s + run, i - run, from, row, *class);
            put_box(b, column, 1, row, high, *class);
            i++, column++;
            run = i, from = column;
            continue;
        }
        uint32_t cp;
        size_t k = text_decode(s + i, n - i, &cp);
        column += text_cp_width(cp);
        i += k;
    }
    put_run(b, s + run, n - run, from, row, *class);
    return column;
}

static svg_size put_rows(lib_buffer *b, const char *shown) {
    svg_size size = {0, 0};
    const char *class = "";
    for (const char *s = shown; *s && s - shown < SVG_BYTES;) {
        size_t n = strcspn(s, "\n");
        int columns = put_row(b, s, n, size.rows++, &class);
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

/* Without its colours. */
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
    "pre{white-space:pre-wrap}";

char *svg_page(const char *shown, const char *title, lib_lang lang) {
    lib_buffer b = {0};
    char *svg = svg_picture(shown, title);
    lib_buffer_printf(&b,
                      "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><meta "
                      "name=\"viewport\" content=\"width=device-width\"><title>",
                      lang == LIB_ZH ? "zh-Hans" : "en");
    put_escaped(&b, title, strlen(title));
    lib_buffer_printf(&b, "</title><style>%s</style></head><body>\n<h1>", style);
    put_escaped(&b, title, strlen(title));
    lib_buffer_puts(&b, "</h1>\n");
    lib_buffer_add(&b, svg, strlen(svg));
    lib_buffer_printf(&b, "\n<details><summary>%s</summary><pre>",
                      lang == LIB_ZH ? "纯文本" : "as text");
    put_plain(&b, shown);
    lib_buffer_puts(&b, "</pre></details>\n</body></html>\n");
    free(svg);
    return lib_buffer_take(&b);
}
