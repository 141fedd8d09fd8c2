/* Words on the page: other people's, which are escaped, and ours, which stand in both languages. */
#include "runner/profile/page_parts.h"

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
