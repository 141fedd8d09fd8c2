/* Prints the listing on a terminal: a source line, the code that it became, and what was done to
 * it. */
#include <stdio.h>
#include <string.h>
#include "runner/base/say.h"
#include "runner/listing/listing.h"
#include "runner/term/i18n.h"
#include "words/listing.h"
#include "words/term.h"

enum {
    COUNTS = 21,    /* columns before an instruction */
    MACHINE = 35,   /* before a machine instruction with counts */
    LINE_ROWS = 96, /* per source line; an unrolled loop can have thousands */
    NOTE_BYTES = 240
};

void listing_note_text(char *to, size_t n, lib_lang lang, const listing_note *note) {
    unsigned before = note->before, after = note->after;
    lib_words words[LISTING_NOTES] = {[LISTING_EXIT] = w_listing_exit(),
                                      [LISTING_PREDICATED] = w_listing_predicated(),
                                      [LISTING_UNROLLED] = w_listing_unrolled(before, after),
                                      [LISTING_BY_NVCC] = w_listing_by_nvcc(before, after),
                                      [LISTING_JOINED] = w_listing_joined(before, after),
                                      [LISTING_FEWER] = w_listing_fewer(before, after),
                                      [LISTING_GONE] = w_listing_gone(before)};
    lib_words_text(to, n, lang, words[note->kind]);
}

/* Code that is too long continues below, indented. */
static void print_code(text_out *out, text_style style, int from, const char *s) {
    int room = out->width - from - 1;
    for (bool first = true; *s; first = false) {
        int indent = first ? 0 : 4;
        size_t n = text_fit(s, room - indent);
        if (!n) n = strlen(s);
        if (!first) text_put(out, TEXT_PLAIN, "%*s", from + indent, "");
        text_put(out, style, "%.*s\n", (int)n, s);
        s += n;
    }
}

static void put_ptx(text_out *out, const listing_line *x) {
    for (size_t i = 0; i < x->ptx_count && i < LINE_ROWS; i++) {
        const listing_ptx *p = &x->ptx[i];
        char count[32];
        text_put(out, TEXT_PLAIN, "  %10s ", lib_figure(count, 6, (double)p->warps));
        if (p->warps) text_put(out, TEXT_PLAIN, "%6.1f  ", (double)p->lanes / (double)p->warps);
        else text_put(out, TEXT_DIM, "     -  ");
        print_code(out, TEXT_PLAIN, COUNTS, p->text);
    }
}

/* Executions and cycles before an instruction, and below it what was waited for. */
static void print_counted(text_out *out, lib_lang lang, const listing_machine *m) {
    listing_wait waits[SIM_STALL_COUNT];
    double sum;
    unsigned n = listing_waits(m, waits, &sum);
    char count[32];
    text_put(out, TEXT_PLAIN, "  %10s ", lib_figure(count, 6, (double)m->warps));
    if (m->cycles[SIM_STALL_SELECTED] > 0)
        text_put(out, TEXT_PLAIN, "%6.1f %7.1f ", m->cycles[SIM_STALL_WAIT] / (double)m->warps,
                 sum);
    else text_put(out, TEXT_DIM, "     -       - ");
    text_put(out, TEXT_DIM, "%5x  ", m->at);
    print_code(out, TEXT_CODE, MACHINE, m->text);
    if (!n) return;
    char text[NOTE_BYTES] = "";
    for (unsigned k = 0; k < n; k++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s%s %.1f", k ? ", " : "",
                 lib_word(lang, sim_stall_at(waits[k].state)->title), waits[k].cycles);
    }
    text_put(out, TEXT_DIM, "%*s", MACHINE + 4, "");
    text_hang(out, TEXT_DIM, MACHINE + 4, "%s", text);
}

static void put_machine(text_out *out, lib_lang lang, const listing_line *x, bool counted) {
    for (size_t i = 0; i < x->machine_count && i < LINE_ROWS; i++) {
        if (counted) {
            print_counted(out, lang, &x->machine[i]);
            continue;
        }
        text_put(out, TEXT_DIM, "  %17x  ", x->machine[i].at);
        print_code(out, TEXT_CODE, COUNTS, x->machine[i].text);
    }
}

static void put_left(text_out *out, lib_lang lang, size_t count) {
    if (count > LINE_ROWS)
        text_words(out, TEXT_DIM, COUNTS, lang, w_listing_more(count - LINE_ROWS));
}

void listing_print(text_out *out, lib_lang lang, const listing *l, bool ptx, bool machine) {
    text_line(out, TEXT_STRONG, 0, "%s", l->kernel);
    if (machine && l->machine_count && !l->counted)
        text_words(out, TEXT_WARN, 2, lang, w_listing_uncounted(&l->why));
    if (machine && l->counted)
        text_words(out, TEXT_DIM, 2, lang,
                   w_listing_head_counted(l->ptx_count, l->machine_count, l->arch));
    else if (l->machine_count)
        text_words(out, TEXT_DIM, 2, lang, w_listing_head(l->ptx_count, l->machine_count, l->arch));
    else text_words(out, TEXT_DIM, 2, lang, w_listing_head_ptx(l->ptx_count));
    if (ptx) {
        text_put(out, TEXT_DIM, "  ");
        text_cell(out, TEXT_DIM, -10, "%s", lib_word(lang, W_LISTING_COLUMN_WARPS));
        text_cell(out, TEXT_DIM, -7, "%s", lib_word(lang, W_LISTING_COLUMN_LANES));
        text_put(out, TEXT_DIM, "\n");
    }
    if (machine && l->counted) {
        text_put(out, TEXT_DIM, "  ");
        text_cell(out, TEXT_DIM, -10, "%s", lib_word(lang, W_LISTING_COLUMN_WARPS));
        text_cell(out, TEXT_DIM, -7, "%s", lib_word(lang, W_LISTING_COLUMN_STALL));
        text_cell(out, TEXT_DIM, -8, "%s", lib_word(lang, W_LISTING_COLUMN_WAITS));
        text_put(out, TEXT_DIM, "\n");
    }
    const char *file = "";
    for (size_t i = 0; i < l->line_count; i++) {
        const listing_line *x = &l->lines[i];
        if (!(ptx && x->ptx_count) && !(machine && x->machine_count)) continue;
        if (strcmp(file, x->file)) text_line(out, TEXT_STRONG, 0, "%s", file = x->file);
        char head[64];
        if (x->line)
            snprintf(head, sizeof head, "%s %u  ", lib_word(lang, W_TERM_SHOW_LINE), x->line);
        else snprintf(head, sizeof head, "%s", lib_word(lang, W_LISTING_NO_LINE));
        text_put(out, TEXT_STRONG, "%s", head);
        int room = out->width - text_width(head) - 1;
        text_put(out, TEXT_STRONG, "%.*s\n", (int)text_fit(x->source, room), x->source);
        if (ptx) put_ptx(out, x), put_left(out, lang, x->ptx_count);
        if (machine) put_machine(out, lang, x, l->counted), put_left(out, lang, x->machine_count);
        for (unsigned k = 0; k < x->note_count; k++) {
            char text[NOTE_BYTES];
            listing_note_text(text, sizeof text, lang, &x->notes[k]);
            text_put(out, TEXT_GOOD, "    = ");
            text_hang(out, TEXT_GOOD, 6, "%s", text);
        }
    }
}
