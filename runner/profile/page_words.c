/* Words on the page: texts from outside are escaped, our own are in both languages. */
#include "runner/profile/page_parts.h"
#include <math.h>
#include <stdlib.h>
#include "grader/figure.h"
#include "runner/base/say.h"
#include "words/profile.h"

void page_text(FILE *f, const char *s) {
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '<') fputs("&lt;", f);
        else if (c == '>') fputs("&gt;", f);
        else if (c == '&') fputs("&amp;", f);
        else if (c == '"') fputs("&quot;", f);
        else if (c == '\'') fputs("&#39;", f);
        else if (c == '\t') fputs("    ", f);
        else if (c < 32 || c == 127) fputc(' ', f);
        else fputc(c, f);
    }
}

void page_words(FILE *f, lib_lang lang, lib_words words) {
    char *text = lib_words_take(lang, words);
    page_text(f, text);
    free(text);
}

static void put_each(FILE *f, const char *element, lib_words words) {
    for (int l = 0; l < LIB_LANGS; l++) {
        const char *name = lib_lang_name((lib_lang)l);
        fprintf(f, "<%s class=%s lang=%s>", element, name, name);
        page_words(f, (lib_lang)l, words);
        fprintf(f, "</%s>", element);
    }
}

void page_both(FILE *f, lib_words words) {
    put_each(f, "span", words);
}

void page_both_drawn(FILE *f, lib_words words) {
    put_each(f, "tspan", words);
}

lib_words page_time(double us) {
    return us < 1000  ? w_profile_us(us)
           : us < 1e6 ? w_profile_ms(us / 1000)
                      : w_profile_s(us / 1e6);
}

void page_us(FILE *f, double us) {
    page_both(f, page_time(us));
}

void page_limiter(FILE *f, const char *limiter) {
    if (!limiter || !*limiter) limiter = "-";
    page_both(f, page_title(limiter, grade_limiter_word(limiter, LIB_ZH)));
}

const char *page_figure_text(char to[32], double v) {
    double ten = v >= 999.5 ? pow(10, floor(log10(v)) - 2) : 0;
    return lib_figure(to, 3, ten > 0 ? round(v / ten) * ten : v);
}

void page_figure(FILE *f, double v) {
    char text[32];
    fputs(page_figure_text(text, v), f);
}

void page_count(FILE *f, double v) {
    char text[32];
    fprintf(f, "<td class=n>%s", lib_figure(text, 3, v));
}

void page_time_cell(FILE *f, double us) {
    char plain[32], text[48];
    snprintf(plain, sizeof plain, "%.2f", us);
    fprintf(f, "<td class=n>%s", lib_group(text, sizeof text, plain));
}

void page_bar(FILE *f, double part) {
    fprintf(f, "<td style=\"width:22%%\"><span class=bar style=\"width:%.1f%%\"></span>",
            100 * (part > 1   ? 1
                   : part < 0 ? 0
                              : part));
}

void page_heading(FILE *f, int level, lib_words words) {
    fprintf(f, "<h%d>", level);
    page_both(f, words);
    fprintf(f, "</h%d>\n", level);
}

void page_columns(FILE *f, const page_column *columns, size_t n) {
    fputs("<tr>", f);
    for (size_t i = 0; i < n; i++) {
        fputs(columns[i].number ? "<th class=n>" : "<th>", f);
        if (columns[i].title) page_both(f, lib_words_of(columns[i].title));
    }
    fputs("</tr>\n", f);
}
