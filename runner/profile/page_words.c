/* Words on the page: other people's, which are escaped, and ours, which stand in both languages. */
#include "runner/profile/page_parts.h"
#include <math.h>
#include <stdlib.h>
#include "grader/figure.h"

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

void page_both(FILE *f, const char *en, const char *zh) {
    fprintf(f, "<span class=en lang=en>%s</span><span class=zh lang=zh>%s</span>", en, zh);
}

void page_both_drawn(FILE *f, const char *en, const char *zh) {
    fprintf(f, "<tspan class=en lang=en>%s</tspan><tspan class=zh lang=zh>%s</tspan>", en, zh);
}

void page_us(FILE *f, double us) {
    if (us < 1000) fprintf(f, "%.2f ", us), page_both(f, "us", "微秒");
    else if (us < 1e6) fprintf(f, "%.3f ", us / 1000), page_both(f, "ms", "毫秒");
    else fprintf(f, "%.3f ", us / 1e6), page_both(f, "s", "秒");
}

void page_limiter(FILE *f, const char *limiter) {
    char *escaped = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&escaped, &n);
    if (to) page_text(to, limiter && *limiter ? limiter : "-"), fclose(to);
    const char *zh = limiter ? grade_limiter_word(limiter) : "-";
    if (escaped) page_both(f, escaped, zh == limiter ? escaped : zh);
    free(escaped);
}

void page_figure(FILE *f, double v) {
    double ten = v >= 999.5 ? pow(10, floor(log10(v)) - 2) : 0;
    fprintf(f, ten > 0 ? "%.0f" : "%.3g", ten > 0 ? round(v / ten) * ten : v);
}

void page_bar(FILE *f, double part) {
    fprintf(f, "<td style=\"width:22%%\"><span class=bar style=\"width:%.1f%%\"></span>",
            100 * (part > 1   ? 1
                   : part < 0 ? 0
                              : part));
}

void page_heading(FILE *f, int level, const char *en, const char *zh) {
    fprintf(f, "<h%d>", level);
    page_both(f, en, zh);
    fprintf(f, "</h%d>\n", level);
}

void page_columns(FILE *f, const page_column *columns, size_t n) {
    fputs("<tr>", f);
    for (size_t i = 0; i < n; i++) {
        fputs(columns[i].number ? "<th class=n>" : "<th>", f);
        if (*columns[i].en) page_both(f, columns[i].en, columns[i].zh);
    }
    fputs("</tr>\n", f);
}
