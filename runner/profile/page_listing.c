/* Below a source line, folded: the instructions that it became. */
#include "runner/profile/page_parts.h"
#include "words/listing.h"
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

static void put_heads(FILE *f, const page_column *heads, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fputs(heads[i].number ? "<th class=n>" : "<th>", f);
        if (heads[i].title) page_both(f, lib_words_of(heads[i].title));
    }
}

static void put_ptx(FILE *f, const listing_ptx *p) {
    page_count(f, (double)p->warps);
    fputs("<td class=n>", f);
    if (p->warps) fprintf(f, "%.1f", (double)p->lanes / (double)p->warps);
    else fputs("-", f);
    fputs("<td>", f);
    page_text(f, p->text);
}

/* Executions, cycles before or at the instruction, and what for. */
static void put_counted(FILE *f, const listing_machine *m) {
    listing_wait waits[SIM_STALL_COUNT];
    double sum;
    unsigned n = listing_waits(m, waits, &sum);
    page_count(f, (double)m->warps);
    if (m->cycles[SIM_STALL_SELECTED] > 0)
        fprintf(f, "<td class=n>%.1f<td class=n>%.1f", m->cycles[SIM_STALL_WAIT] / (double)m->warps,
                sum);
    else fputs("<td class=n>-<td class=n>-", f);
    fputs("<td>", f);
    for (unsigned k = 0; k < n; k++) {
        if (k) fputs("<br>", f);
        page_both(f, lib_words_of(sim_stall_at(waits[k].state)->title));
        fprintf(f, " %.1f", waits[k].cycles);
    }
    fprintf(f, "<td class=n>%x<td>", m->at);
    page_text(f, m->text);
}

/* PTX and machine code side by side. */
static void put_beside(FILE *f, const listing_line *x) {
    static const page_column heads[] = {{W_LISTING_COLUMN_WARPS, true},
                                        {W_LISTING_COLUMN_STALL, true},
                                        {W_LISTING_COLUMN_WAITS, true},
                                        {W_PROFILE_COLUMN_WAITS_FOR, false},
                                        {0, true},
                                        {W_PROFILE_COLUMN_MACHINE_CODE, false}};
    put_heads(f, heads, sizeof heads / sizeof *heads);
    fputs("</tr>\n", f);
    for (size_t i = 0; (i < x->ptx_count || i < x->machine_count) && i < LINE_ROWS; i++) {
        fputs("<tr>", f);
        if (i < x->ptx_count) put_ptx(f, &x->ptx[i]);
        else fputs("<td><td><td>", f);
        if (i < x->machine_count) put_counted(f, &x->machine[i]);
        fputs("</tr>\n", f);
    }
}

/* Machine code below PTX: there is nothing that is said of it. */
static void put_below(FILE *f, const listing_line *x) {
    fputs("</tr>\n", f);
    for (size_t i = 0; i < x->ptx_count && i < LINE_ROWS; i++) {
        fputs("<tr>", f);
        put_ptx(f, &x->ptx[i]);
        fputs("</tr>\n", f);
    }
    for (size_t i = 0; i < x->machine_count && i < LINE_ROWS; i++) {
        fprintf(f, "<tr class=sass><td><td class=n>%x<td>", x->machine[i].at);
        page_text(f, x->machine[i].text);
        fputs("</tr>\n", f);
    }
}

void page_listing_line(FILE *f, const listing *l, const listing_line *x, unsigned columns) {
    if (!x->ptx_count && !x->machine_count) return;
    fprintf(f, "<tr class=code><td colspan=%u><details><summary>PTX %zu", columns, x->ptx_count);
    if (x->machine_count) page_both(f, w_profile_page_machine_code((long long)x->machine_count));
    put_notes(f, x);
    fputs("</summary><table><tr>", f);
    static const page_column heads[] = {{W_PROFILE_COLUMN_WARPS_COUNTED, true},
                                        {W_PROFILE_COLUMN_LANES, true}};
    put_heads(f, heads, sizeof heads / sizeof *heads);
    fputs("<th>PTX", f);
    if (l->counted) put_beside(f, x);
    else put_below(f, x);
    size_t left = (x->ptx_count > LINE_ROWS ? x->ptx_count - LINE_ROWS : 0) +
                  (x->machine_count > LINE_ROWS ? x->machine_count - LINE_ROWS : 0);
    if (left) fprintf(f, "<tr><td><td><td>... +%zu</tr>\n", left);
    fputs("</table></details></tr>\n", f);
}
