/* The common parts of pages. All texts go through html_escape. In addition, the head has a content
 * policy that allows only the page's own style, so that no script runs even if a text was not
 * escaped. */
#include "grader/report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "words/report.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--fg:#1b1f24;--dim:#5c6773;--bg:#fff;--line:#d8dee4;--soft:#f4f6f8;--good:#1a7f37;--bad:#"
    "cf222e;--"
    "warn:#9a6700;--mine:"
    "#2f6fde;--base:#9aa4ae}"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6e9ec;--dim:#9aa4ae;--bg:#14181d;--line:#"
    "323a43;--soft:#"
    "1c2229;--good:#4ac26b;--bad:#ff7b72;--warn:#d4a72c;"
    "--mine:#6ea0f5;--base:#6c7680}}"
    "*{box-sizing:border-box}body{font:15px/1.5 "
    "system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1000px;margin:0 "
    "auto;padding:24px "
    "16px 64px}"
    "h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 "
    "8px}h3{font-size:15px;margin:20px 0 "
    "6px}td.ok,td.no{width:24px}p{margin:6px "
    "0}.dim{color:var(--dim)}"
    "table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;padding:5px "
    "10px 5px "
    "0;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-"
    "nums;white-"
    "space:nowrap}"
    "pre,code{font:13px/1.45 "
    "ui-monospace,Menlo,Consolas,monospace}pre{background:var(--soft);padding:10px "
    "12px;overflow-x:auto;border-radius:6px;white-space:"
    "pre-wrap;overflow-wrap:anywhere;max-height:28em;overflow-y:auto}"
    "pre.cells{white-space:pre;margin:6px 0}"
    ".badge{display:inline-block;white-space:nowrap;padding:1px "
    "9px;border-radius:10px;font-size:13px;font-weight:600;color:#fff;background:var(--warn)}"
    ".badge.pass{background:#1a7f37}.badge.fail{background:#cf222e}.ok{color:var(--good)}.no{color:"
    "var(--bad)"
    "}"
    ".score{font-size:28px;font-weight:650;font-variant-numeric:tabular-nums}a{color:var(--mine)}."
    "scroll{"
    "overflow-x:auto}"
    "svg{display:block;max-width:100%;height:auto;margin:4px 0}svg text{fill:var(--fg);font:12px "
    "system-ui,sans-serif}svg .d{fill:var(--dim)}"
    ".bars{width:auto;max-width:100%}.bars td{border:0;padding:1px 10px 1px 0}.bars "
    "td:first-child{min-width:5rem}th{white-space:nowrap}.bars "
    ".bar{width:20rem;min-width:5rem}.bars svg{width:100%;height:14px;margin:3px 0}"
    "@media print{body{max-width:none}pre{max-height:none}}";

void html_escape(lib_buffer *b, const char *s) {
    char *clean = lib_clean(s, strlen(s));
    if (!clean) {
        b->failed = true;
        return;
    }
    for (const char *p = clean; *p;) {
        size_t n = strcspn(p, "<>&\"'");
        lib_buffer_add(b, p, n);
        p += n;
        switch (*p) {
        case '<': lib_buffer_puts(b, "&lt;"); break;
        case '>': lib_buffer_puts(b, "&gt;"); break;
        case '&': lib_buffer_puts(b, "&amp;"); break;
        case '"': lib_buffer_puts(b, "&quot;"); break;
        case '\'': lib_buffer_puts(b, "&#39;"); break;
        default: continue;
        }
        p++;
    }
    free(clean);
}

void html_said(lib_buffer *b, const char *s) {
    for (bool code = false; *s;) {
        size_t n = strcspn(s, "`");
        bool mark = code || (s[n] && strchr(s + n + 1, '`')); /* a single backtick does not count */
        char *part = lib_format("%.*s", (int)n, s);
        html_escape(b, part);
        free(part);
        s += n;
        if (!*s) return;
        lib_buffer_puts(b, !mark ? "`" : code ? "</code>" : "<code>");
        code ^= mark;
        s++;
    }
}

void html_head(lib_buffer *b, lib_lang lang, const char *title) {
    lib_buffer_printf(b, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
                      lib_word(lang, W_REPORT_HTML_LANG));
    lib_buffer_puts(
        b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    html_escape(b, title);
    lib_buffer_puts(b, "</title>\n<style>");
    lib_buffer_puts(b, style);
    lib_buffer_puts(b, "</style>\n</head>\n<body>\n");
}

void html_foot(lib_buffer *b) {
    lib_buffer_puts(b, "</body>\n</html>\n");
}

void html_badge(lib_buffer *b, lib_lang lang, const char *verdict) {
    lib_buffer_printf(b, "<span class=\"badge %s\">",
                      report_verdict_word(verdict) ? verdict : "other");
    html_escape(b, report_verdict(verdict, lang));
    lib_buffer_puts(b, "</span>");
}

void html_cell(lib_buffer *b, const char *text) {
    lib_buffer_puts(b, "<td>");
    html_escape(b, text);
    lib_buffer_puts(b, "</td>");
}

void html_said_cell(lib_buffer *b, const char *text) {
    lib_buffer_puts(b, "<td>");
    html_said(b, text);
    lib_buffer_puts(b, "</td>");
}

void html_number(lib_buffer *b, double v) {
    char num[32];
    lib_buffer_puts(b, "<td class=\"n\">");
    lib_buffer_puts(b, lib_figure(num, 4, v));
    lib_buffer_puts(b, "</td>");
}

static double bars_largest(const html_bar *bars, size_t n) {
    double max = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(bars[i].value) && bars[i].value > max) max = bars[i].value;
    return max > 0 ? max : 1;
}

static void svg_text(lib_buffer *b, double x, double y, const char *anchor, const char *css,
                     const char *text) {
    lib_buffer_printf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s%s>", x, y, anchor,
                      css ? " class=\"" : "", css ? css : "", css ? "\"" : "");
    html_escape(b, text);
    lib_buffer_puts(b, "</text>");
}

static const char *note_of(const html_bar *bar, char num[32]) {
    return bar->note ? bar->note : lib_figure(num, 6, bar->value);
}

void html_columns(lib_buffer *b, const char *title, const html_bar *bars, size_t n) {
    double max = bars_largest(bars, n), step = n ? 560.0 / (double)n : 560;
    char num[32];
    lib_buffer_puts(b, "<svg viewBox=\"0 0 600 200\" width=\"600\" role=\"img\" aria-label=\"");
    html_escape(b, title);
    lib_buffer_puts(b,
                    "\"><line x1=\"20\" y1=\"170\" x2=\"580\" y2=\"170\" stroke=\"var(--line)\"/>");
    for (size_t i = 0; i < n; i++) {
        double h = 135 * bars[i].value / max, x = 20 + step * (double)i;
        if (!(h >= 0)) h = 0;
        lib_buffer_printf(b,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" "
                          "fill=\"var(--mine)\"/>",
                          x + step * 0.1, 170 - h, step * 0.8, h);
        svg_text(b, x + step / 2, 164 - h, "middle", NULL,
                 bars[i].value > 0 ? note_of(&bars[i], num) : "");
        svg_text(b, x + step / 2, 187, "middle", "d", bars[i].label);
    }
    lib_buffer_puts(b, "</svg>\n");
}

/* A table: on a narrow screen only the bars shrink, not the words. */
void html_rows(lib_buffer *b, const char *title, const html_bar *bars, size_t n, double whole) {
    double max = whole > 0 ? whole : bars_largest(bars, n);
    char num[32];
    lib_buffer_puts(b, "<table class=\"bars\" aria-label=\"");
    html_escape(b, title);
    lib_buffer_puts(b, "\">\n");
    for (size_t i = 0; i < n; i++) {
        double w = 100 * bars[i].value / max;
        if (!(w >= 0)) w = 0;
        lib_buffer_puts(b, "<tr>");
        html_cell(b, bars[i].label);
        lib_buffer_printf(
            b,
            "<td class=\"bar\"><svg viewBox=\"0 0 100 14\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect x=\"0\" y=\"0\" width=\"%.1f\" height=\"14\" "
            "fill=\"var(--mine)\"/></svg></td><td class=\"n dim\">",
            w);
        html_escape(b, note_of(&bars[i], num));
        lib_buffer_puts(b, "</td></tr>\n");
    }
    lib_buffer_puts(b, "</table>\n");
}

void html_pair(lib_buffer *b, double mine, double base) {
    double max = fmax(fmax(mine, base), 1e-300);
    if (!isfinite(mine) || !isfinite(base) || mine < 0 || base < 0) {
        lib_buffer_puts(b, "<td></td>");
        return;
    }
    lib_buffer_printf(
        b,
        "<td><svg viewBox=\"0 0 160 16\" width=\"160\" role=\"img\" aria-hidden=\"true\"><rect "
        "x=\"0\" y=\"1\" width=\"%.1f\" height=\"6\" "
        "fill=\"var(--mine)\"/><rect x=\"0\" y=\"9\" width=\"%.1f\" height=\"6\" "
        "fill=\"var(--base)\"/></svg></td>",
        fmax(160 * mine / max, mine > 0 ? 1 : 0), fmax(160 * base / max, base > 0 ? 1 : 0));
}
