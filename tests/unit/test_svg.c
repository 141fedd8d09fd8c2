/* A picture of the terminal as SVG, element by element. Expected figures are worked out by hand: a
 * cell is 8.4 by 19 units, text stands 14 below the top of its row, a page shows a unit as 1.15
 * pixels (svg.c); what is a span, a bar, a stroke as svg.c says. */
#include <stdlib.h>
#include <time.h>
#include "tests/check.h"
#include "runner/grade/svg.h"

#define GOOD   "\033[1;32m"
#define BAD    "\033[1;31m"
#define WARN   "\033[33m"
#define DIM    "\033[2m"
#define CODE   "\033[36m"
#define STRONG "\033[1m"
#define TITLE  "\033[1;34m"
#define END    "\033[0m"

static void whole(void) {
    static const struct {
        const char *shown;
        double columns, rows;
        const char *body;
    } rows[] = {
        {"", 0, 0, ""},
        {"ab  c", 5, 1, /* two blanks part */
         "<text x=\"0.0\" y=\"14.0\" textLength=\"16.8\">ab</text>"
         "<text x=\"33.6\" y=\"14.0\" textLength=\"8.4\">c</text>"},
        {"a b\n\n  < > & \" \x01", 11, 3, /* one does not */
         "<text x=\"0.0\" y=\"14.0\" textLength=\"25.2\">a b</text>"
         "<text x=\"16.8\" y=\"52.0\" textLength=\"75.6\">&lt; &gt; &amp; &quot;  </text>"},
        {"\xe4\xb8\xad" CODE "x" END "y\n", 4, 1, /* a wide letter has two columns */
         "<text x=\"0.0\" y=\"14.0\" textLength=\"16.8\">\xe4\xb8\xad</text>"
         "<text class=\"c\" x=\"16.8\" y=\"14.0\" textLength=\"8.4\">x</text>"
         "<text x=\"25.2\" y=\"14.0\" textLength=\"8.4\">y</text>"},
        /* The widest row counts. Boxes of 10, 6 and 3 tenths of 15 units, which stand 2 above the
         * row's end. */
        {"a\n[" GOOD "#" END BAD "-#" END "] x\nab", 7, 3,
         "<text x=\"0.0\" y=\"14.0\" textLength=\"8.4\">a</text>"
         "<text x=\"0.0\" y=\"33.0\" textLength=\"8.4\">[</text>"
         "<rect class=\"g\" x=\"8.8\" y=\"21.0\" width=\"7.6\" height=\"15.0\"/>"
         "<text class=\"b\" x=\"16.8\" y=\"33.0\" textLength=\"8.4\">-</text>"
         "<rect class=\"b\" x=\"25.6\" y=\"21.0\" width=\"7.6\" height=\"15.0\"/>"
         "<text x=\"33.6\" y=\"33.0\" textLength=\"25.2\">] x</text>"
         "<text x=\"0.0\" y=\"52.0\" textLength=\"16.8\">ab</text>"},
        {"[" GOOD "#+-" END "]", 5, 1,
         "<text x=\"0.0\" y=\"14.0\" textLength=\"8.4\">[</text>"
         "<rect class=\"g\" x=\"8.8\" y=\"2.0\" width=\"7.6\" height=\"15.0\"/>"
         "<rect class=\"g\" x=\"17.2\" y=\"8.0\" width=\"7.6\" height=\"9.0\"/>"
         "<rect class=\"g\" x=\"25.6\" y=\"12.5\" width=\"7.6\" height=\"4.5\"/>"
         "<text x=\"33.6\" y=\"14.0\" textLength=\"8.4\">]</text>"},
        /* a legend's fillings, as they are in the bars; its other brackets are text */
        {DIM "[#] a [-] [.]" END, 13, 1,
         "<rect class=\"d\" x=\"8.8\" y=\"2.0\" width=\"7.6\" height=\"15.0\"/>"
         "<text class=\"d\" x=\"33.6\" y=\"14.0\" textLength=\"8.4\">a</text>"
         "<rect class=\"d\" x=\"59.2\" y=\"12.5\" width=\"7.6\" height=\"4.5\"/>"
         "<text class=\"d\" x=\"84.0\" y=\"14.0\" textLength=\"25.2\">[.]</text>"},
        {"[" CODE "#" END "#", 3, 1, /* of other colours it is text */
         "<text x=\"0.0\" y=\"14.0\" textLength=\"8.4\">[</text>"
         "<text class=\"c\" x=\"8.4\" y=\"14.0\" textLength=\"8.4\">#</text>"
         "<text x=\"16.8\" y=\"14.0\" textLength=\"8.4\">#</text>"},
        /* spans, and the line of what is empty nine tenths down */
        {GOOD "AAAB" END DIM "...." END, 8, 1,
         "<rect class=\"g\" x=\"0.4\" y=\"2.0\" width=\"24.4\" height=\"15.0\" rx=\"2\"/>"
         "<text class=\"i\" x=\"12.6\" y=\"14.0\">A</text>"
         "<rect class=\"g\" x=\"25.6\" y=\"2.0\" width=\"7.6\" height=\"15.0\" rx=\"2\"/>"
         "<text class=\"i\" x=\"29.4\" y=\"14.0\">B</text>"
         "<line class=\"d\" x1=\"33.6\" y1=\"17.1\" x2=\"67.2\" y2=\"17.1\"/>"},
        /* a slope from the row's end to its top, a level at the top behind it, else in the
         * middle */
        {"  ////---- *\n---", 12, 2,
         "<line x1=\"16.8\" y1=\"19.0\" x2=\"50.4\" y2=\"0.0\"/>"
         "<line x1=\"50.4\" y1=\"0.0\" x2=\"84.0\" y2=\"0.0\"/>"
         "<text x=\"92.4\" y=\"14.0\" textLength=\"8.4\">*</text>"
         "<line x1=\"0.0\" y1=\"28.5\" x2=\"25.2\" y2=\"28.5\"/>"},
        {"/// ---  --a\n//", 12, 2, /* strokes are three cells and more */
         "<line x1=\"0.0\" y1=\"19.0\" x2=\"25.2\" y2=\"0.0\"/>"
         "<line x1=\"33.6\" y1=\"0.0\" x2=\"58.8\" y2=\"0.0\"/>"
         "<text x=\"75.6\" y=\"14.0\" textLength=\"25.2\">--a</text>"
         "<text x=\"0.0\" y=\"33.0\" textLength=\"16.8\">//</text>"},
        {DIM "... .." END "...", 9, 1, /* only what is dim is empty */
         "<line class=\"d\" x1=\"0.0\" y1=\"17.1\" x2=\"25.2\" y2=\"17.1\"/>"
         "<text class=\"d\" x=\"33.6\" y=\"14.0\" textLength=\"16.8\">..</text>"
         "<text x=\"50.4\" y=\"14.0\" textLength=\"25.2\">...</text>"},
        {"a" WARN "*" END BAD "**" END CODE "*" END, 5, 1,
         "<text x=\"0.0\" y=\"14.0\" textLength=\"8.4\">a</text>"
         "<circle class=\"w\" cx=\"12.6\" cy=\"9.5\" r=\"5\"/>"
         "<text class=\"b\" x=\"16.8\" y=\"14.0\" textLength=\"16.8\">**</text>"
         "<text class=\"c\" x=\"33.6\" y=\"14.0\" textLength=\"8.4\">*</text>"},
        {"\n" STRONG "s" END TITLE "t" END, 2, 2,
         "<text class=\"s\" x=\"0.0\" y=\"33.0\" textLength=\"8.4\">s</text>"
         "<text class=\"t\" x=\"8.4\" y=\"33.0\" textLength=\"8.4\">t</text>"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char want[2000], *svg = svg_picture(rows[k].shown, "t < & u");
        /* a cell of margin */
        double w = 8.4 * (rows[k].columns + 1), h = 19 * (rows[k].rows + 1);
        snprintf(want, sizeof want,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.1f %.1f\" "
                 "style=\"max-width:%.0fpx\"><title>t &lt; &amp; u</title>%s</svg>",
                 w, h, 1.15 * w, rows[k].body);
        if (!check_that(!strcmp(svg, want), __FILE__, __LINE__, "picture", svg))
            printf("want %s\n", want);
        free(svg);
    }
}

/* Coloured letters are spans beside two dots, in a bracket, beside other spans, and from eight of
 * them on whose runs are three long in the mean. */
static void spans(void) {
    static const struct {
        const char *shown;
        int spans;
    } rows[] = {{GOOD "AAAABBBB" END, 2},
                {GOOD "AAAABBB" END, 0},
                {GOOD "AAABBBCCC" END, 3},
                {GOOD "AAABBBCCD" END, 0},
                {GOOD "AAAAAABCDD" END, 0},
                {GOOD "AAAAAAAAAABCD" END, 4},
                {".." GOOD "A" END, 1},
                {"." GOOD "A" END, 0},
                {"x." GOOD "A" END, 0},
                {".x" GOOD "A" END, 0},
                {"." DIM "." END GOOD "A" END, 1},
                {GOOD "A" END "..", 1},
                {GOOD "A" END DIM ".." END, 1},
                {GOOD "A" END ".", 0},
                {GOOD "A" END ".x", 0},
                {GOOD "A" END "x.", 0},
                {GOOD "A" END ".\n.", 0},
                {"[" GOOD "A" END, 1},
                {"[x" GOOD "A" END, 0},
                {"(" GOOD "A" END, 0},
                {GOOD "A" END "]", 1},
                {GOOD "A" END ")", 0},
                {GOOD "A" END "\n]", 0},
                {"[" GOOD "A" END WARN "B" END BAD "C" END STRONG "D" END, 4},
                {"[" GOOD "A" END "x" WARN "B" END, 1},
                {".." GOOD "A+" END, 2},
                {".." GOOD "A." END, 0},
                {".." GOOD "1a" END, 2},
                {"[" DIM "A" END "]", 0},
                {"[" CODE "A" END "]", 0},
                {"[" TITLE "A" END "]", 0},
                {"[A]", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *svg = svg_picture(rows[k].shown, "t");
        int n = 0;
        for (const char *s = svg; (s = strstr(s, " rx=")); s++) n++;
        char why[120];
        snprintf(why, sizeof why, "%d spans, want %d", n, rows[k].spans);
        check_that(n == rows[k].spans, __FILE__, __LINE__, svg, why);
        free(svg);
    }
}

static void page(void) {
    static const struct {
        lib_lang lang;
        const char *name, *plain;
    } langs[] = {{LIB_EN, "en", "as text"}, {LIB_ZH, "zh-Hans", "纯文本"}};
    for (int k = 0; k < 2; k++) {
        const char *shown = "a" GOOD "<#" END "\n\nb";
        char want[3000], *page = svg_page(shown, "T & U", langs[k].lang),
                         *svg = svg_picture(shown, "T & U");
        snprintf(want, sizeof want,
                 "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\"><meta "
                 "name=\"viewport\" content=\"width=device-width\"><title>T &amp; U</title><style>",
                 langs[k].name);
        CHECK(!strncmp(page, want, strlen(want)));
        snprintf(
            want, sizeof want,
            "</style></head><body>\n<h1>T &amp; U</h1>\n%s\n<details><summary>%s</summary><pre>"
            "a&lt;#\n\nb</pre></details>\n</body></html>\n",
            svg, langs[k].plain);
        const char *rest = strstr(page, "</style>");
        CHECK_STR(rest, want);
        free(svg);
        free(page);
    }
}

/* Cut behind the line in which the limit lies. */
static void cut(void) {
    for (size_t before = SVG_BYTES - 2; before <= SVG_BYTES; before++) {
        char *shown = malloc(before + 3);
        if (!shown) abort();
        for (size_t i = 0; i < before; i++) shown[i] = i % 64 ? 'a' : '\n';
        shown[before - 1] = '\n';
        strcpy(shown + before, "zz");
        char *page = svg_page(shown, "t", LIB_EN);
        const char *plain = strstr(page, "<pre>");
        CHECK((strstr(page, ">zz</text>") != NULL) == (before < SVG_BYTES));
        CHECK(plain && (strstr(plain, "\nzz</pre>") != NULL) == (before < SVG_BYTES));
        free(page);
        free(shown);
    }
}

/* A line as long as a picture may be is walked once, not once a letter: that is milliseconds, not a
 * minute. */
static void endless(void) {
    enum { N = SVG_BYTES - 1 };
    static const char letters[] = "a-/. *";
    for (const char *c = letters; *c; c++) {
        char *shown = malloc(N + 1);
        if (!shown) abort();
        memset(shown, *c, N);
        shown[0] = 'x';
        shown[N] = 0;
        clock_t start = clock();
        char *svg = svg_picture(shown, "t");
        CHECK(clock() - start < 2 * CLOCKS_PER_SEC);
        free(svg);
        free(shown);
    }
}

int main(void) {
    endless();
    whole();
    spans();
    page();
    cut();
    return check_done();
}
