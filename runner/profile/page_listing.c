/* Below a source line, folded: the instructions that it became. */
#include "runner/profile/page_parts.h"
#include "words/profile.h"

enum { LINE_ROWS = 400 }; /* of each kind */

static void put_notes(FILE *f, const listing_line *x) {
    for (unsigned i = 0; i < x->note_count; i++) {
        char text[LIB_LANGS][240];
        for (int lang = 0; lang < LIB_LANGS; lang++)
            listing_note_text(text[lang], sizeof text[lang], (lib_lang)lang, &x->notes[i]);
        page_both(f, w_profile_page_note((lib_texts){{text[LIB_EN], text[LIB_ZH]}}));
    }
}

void page_listing_line(FILE *f, const listing_line *x, unsigned columns) {
    if (!x->ptx_count && !x->machine_count) return;
    fprintf(f, "<tr class=code><td colspan=%u><details><summary>PTX %zu", columns, x->ptx_count);
    if (x->machine_count) page_both(f, w_profile_page_machine_code((long long)x->machine_count));
    put_notes(f, x);
    fputs("</summary><table><tr>", f);
    static const page_column heads[] = {{W_PROFILE_COLUMN_WARPS_COUNTED, true},
                                        {W_PROFILE_COLUMN_LANES, true}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        fputs("<th class=n>", f);
        page_both(f, lib_words_of(heads[i].title));
    }
    fputs("<th>PTX</tr>\n", f);
    for (size_t i = 0; i < x->ptx_count && i < LINE_ROWS; i++) {
        const listing_ptx *p = &x->ptx[i];
        fprintf(f, "<tr><td class=n>%llu<td class=n>", (unsigned long long)p->warps);
        if (p->warps) fprintf(f, "%.1f", (double)p->lanes / (double)p->warps);
        else fputs("-", f);
        fputs("<td>", f);
        page_text(f, p->text);
        fputs("</tr>\n", f);
    }
    for (size_t i = 0; i < x->machine_count && i < LINE_ROWS; i++) {
        fprintf(f, "<tr class=sass><td><td class=n>%x<td>", x->machine[i].at);
        page_text(f, x->machine[i].text);
        fputs("</tr>\n", f);
    }
    size_t left = (x->ptx_count > LINE_ROWS ? x->ptx_count - LINE_ROWS : 0) +
                  (x->machine_count > LINE_ROWS ? x->machine_count - LINE_ROWS : 0);
    if (left) fprintf(f, "<tr><td><td><td>... +%zu</tr>\n", left);
    fputs("</table></details></tr>\n", f);
}
