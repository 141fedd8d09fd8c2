/* See paper.h. */
#include "runner/book/paper.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "grader/report/html.h"

static const char style[] =
    "body{max-width:48em;margin:2em auto;padding:0 1em;font:17px/1.55 Georgia,'Noto Serif CJK "
    "SC',serif;color:#222}h1,h2,h3{font-family:Helvetica,Arial,'Noto Sans CJK SC',sans-serif;"
    "line-height:1.25}h1{page-break-before:always}h1:first-of-type{page-break-before:avoid}"
    "pre{background:#f6f6f3;border:1px solid #ddd;padding:.7em;overflow:auto;font:13px/1.35 "
    "'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace;page-break-inside:avoid}"
    "code{font-family:'DejaVu Sans Mono',monospace;font-size:.88em}p.item{margin:.2em 0 .2em 2em}";

void paper_begin(paper *p, const char *title) {
    *p = (paper){.html = p->html};
    if (!p->html) return;
    lib_buffer_puts(&p->b, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
    html_escape(&p->b, title);
    lib_buffer_printf(
        &p->b,
        "</title>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<style>%s</style></head><body>\n",
        style);
}

void paper_end(paper *p) {
    if (p->html) lib_buffer_puts(&p->b, "</body></html>\n");
}

static void put_plain(paper *p, const char *s, size_t n) {
    char *one = lib_format("%.*s", (int)n, s);
    if (p->html) html_escape(&p->b, one);
    else
        for (const char *c = one; *c; c++) { /* characters that have a meaning in Markdown */
            if (strchr("<>*_#[]|\\", *c)) lib_buffer_puts(&p->b, "\\");
            lib_buffer_add(&p->b, c, 1);
        }
    free(one);
}

/* Returns the end of the mark that opens at s; NULL if it is no mark. */
static const char *closing(const char *s, const char *end) {
    if (s + 1 >= end || isspace((unsigned char)s[1])) return NULL;
    for (const char *p = s + 1; p < end; p++)
        if (*p == *s && !isspace((unsigned char)p[-1]) && p > s + 1) return p;
    return NULL;
}

static void put_inline(paper *p, const char *s, size_t n) {
    const char *end = s + n, *from = s;
    while (s < end) {
        const char *close = *s == '`' || *s == '*' ? closing(s, end) : NULL;
        if (!close) {
            s++;
            continue;
        }
        bool code = *s == '`';
        put_plain(p, from, (size_t)(s - from));
        lib_buffer_puts(&p->b, p->html ? code ? "<code>" : "<b>" : code ? "`` " : "**");
        if (code && !p->html) lib_buffer_add(&p->b, s + 1, (size_t)(close - s - 1));
        else put_plain(p, s + 1, (size_t)(close - s - 1));
        lib_buffer_puts(&p->b, p->html ? code ? "</code>" : "</b>" : code ? " ``" : "**");
        from = s = close + 1;
    }
    put_plain(p, from, (size_t)(end - from));
}

void paper_heading(paper *p, int level, const char *text) {
    if (p->html) lib_buffer_printf(&p->b, "<h%d>", level);
    else lib_buffer_printf(&p->b, "%.*s ", level, "####");
    put_inline(p, text, strlen(text));
    if (p->html) lib_buffer_printf(&p->b, "</h%d>\n", level);
    else lib_buffer_puts(&p->b, "\n\n");
}

void paper_code(paper *p, const char *text) {
    if (p->html) {
        lib_buffer_puts(&p->b, "<pre>");
        html_escape(&p->b, text);
        lib_buffer_puts(&p->b, "</pre>\n");
        return;
    }
    lib_buffer_puts(&p->b, "~~~~~~\n");
    lib_buffer_puts(&p->b, text);
    size_t n = strlen(text);
    lib_buffer_puts(&p->b, n && text[n - 1] == '\n' ? "~~~~~~\n\n" : "\n~~~~~~\n\n");
}

void paper_item(paper *p, const char *mark, const char *text) {
    if (p->html) lib_buffer_printf(&p->b, "<p class=\"item\">%s ", mark);
    else lib_buffer_printf(&p->b, "%s ", mark);
    put_inline(p, text, strlen(text));
    lib_buffer_puts(&p->b, p->html ? "</p>\n" : "\n\n");
}

/* The text so far of a paragraph, an item or a block of code. */
typedef enum { PART_NONE, PART_PARAGRAPH, PART_ITEM, PART_CODE } part_kind;
typedef struct {
    part_kind kind;
    lib_buffer text;
} part;

static void part_out(paper *p, part *g) {
    if (g->kind == PART_CODE) paper_code(p, g->text.s);
    else if (g->kind == PART_ITEM) paper_item(p, p->html ? "&bull;" : "-", g->text.s);
    else if (g->kind == PART_PARAGRAPH) {
        if (p->html) lib_buffer_puts(&p->b, "<p>");
        put_inline(p, g->text.s, g->text.n);
        lib_buffer_puts(&p->b, p->html ? "</p>\n" : "\n\n");
    }
    lib_buffer_free(&g->text);
    *g = (part){.kind = PART_NONE};
}

void paper_text(paper *p, const char *text) {
    part g = {.kind = PART_NONE};
    for (const char *line = text; line && *line;) {
        size_t n = strcspn(line, "\n");
        part_kind kind = !n                          ? PART_NONE
                         : !strncmp(line, "    ", 4) ? PART_CODE
                         : !strncmp(line, "- ", 2)   ? PART_ITEM
                         : g.kind == PART_ITEM       ? PART_ITEM
                                                     : PART_PARAGRAPH;
        bool begins = kind != g.kind || !strncmp(line, "- ", 2);
        if (begins) part_out(p, &g);
        size_t skip = kind == PART_CODE ? 4 : kind == PART_ITEM && begins ? 2 : 0;
        if (kind != PART_NONE) {
            g.kind = kind;
            if (!begins) lib_buffer_puts(&g.text, kind == PART_CODE ? "\n" : " ");
            lib_buffer_add(&g.text, line + skip, n - skip);
        }
        line = line[n] ? line + n + 1 : NULL;
    }
    part_out(p, &g);
}
