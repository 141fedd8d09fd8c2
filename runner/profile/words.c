/* Prints what-if, and where the cycles went. */
#include "runner/base/say.h"
#include "runner/profile/words.h"
#include <stdlib.h>
#include <string.h>
#include "words/term.h"
#include "words/profile.h"

/* Smaller factors have no line. */
#define WORTH 1.02

size_t profile_costs(const profile_kernel *k, double factor, unsigned *out) {
    size_t n = 0;
    for (unsigned c = 0; k->asked_us > 0 && c < SIM_COST_COUNT; c++) {
        if (k->asked_us < factor * k->what_if[c].time_us) continue;
        size_t at = n++;
        for (; at && k->what_if[out[at - 1]].time_us > k->what_if[c].time_us; at--)
            out[at] = out[at - 1];
        out[at] = c;
    }
    return n;
}

/* Counts terminal columns of UTF-8: characters beyond Latin take two here. */
static int columns(const char *s) {
    int n = 0;
    for (; *s; s++)
        if ((*s & 0xc0) != 0x80) n += (unsigned char)*s >= 0xe0 ? 2 : 1;
    return n;
}
static void put_padded(FILE *to, const char *s, int width) {
    fprintf(to, "%s%*s", s, columns(s) < width ? width - columns(s) : 0, "");
}

/* Finds a mark of three bytes that must not begin a line (a full stop, a comma). */
static bool closes_line(const char *s) {
    for (const char *m = "\u3002\uff0c\uff1b\u3001\uff1a"; *m; m += 3)
        if (!strncmp(s, m, 3)) return true;
    return false;
}

void profile_put_wrapped(FILE *to, const char *text, int indent, int width) {
    int column = 0;
    for (const char *s = text; *s;) {
        size_t n = 1;
        while ((s[n] & 0xc0) == 0x80) n++;
        bool wide = n > 2;
        if (!wide)
            while (s[n] && s[n] != ' ' && (signed char)s[n] >= 0) n++;
        int columns = wide ? 2 : (int)n;
        bool mark = wide && n == 3 && closes_line(s);
        if (column && column + columns > width && !mark) {
            fprintf(to, "\n%*s", indent, "");
            column = 0;
            if (*s == ' ') s++, n--, columns--;
        }
        if (!n) continue;
        fwrite(s, 1, n, to);
        column += columns;
        s += n;
    }
}

static const char *base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

void profile_put_payers(lib_buffer *b, const profile_kernel *k, const sim_what_if *w,
                        lib_lang lang) {
    for (unsigned i = 0; i < w->line_count && i < 3; i++) {
        const profile_place *p = &k->places[w->line[i]];
        double part = (double)w->part[i];
        if (part < 0.05) break;
        if (i) lib_buffer_puts(b, lib_word(lang, W_TERM_LIST_COMMA));
        char *place = lib_format("%s:%u", *p->file ? base_name(p->file) : "PTX", p->line);
        if (part < 0.995) lib_words_put(b, lang, w_profile_payer(place, 100 * part));
        else lib_buffer_shown(b, "%s", place);
        free(place);
    }
}

/* "12.30 us 6.15 us 2.00x": the rest of `all`, and the factor. */
static void put_without(FILE *to, double all, double us, lib_lang lang) {
    const char *unit = lib_word(lang, W_PROFILE_UNIT_US);
    fprintf(to, "%9.2f %s %9.2f %s %5.2fx", us, unit, all - us, unit, us > 0 ? all / us : 0);
}

void profile_print_what_if(FILE *to, const profile_kernel *k, lib_lang lang) {
    unsigned costs[SIM_COST_COUNT];
    size_t n = profile_costs(k, WORTH, costs);
    if (k->asked_us <= 0) return;
    fputs("      ", to);
    if (!n) {
        fprintf(to, "%s\n", lib_word(lang, W_PROFILE_WHAT_IF_NOTHING));
        return;
    }
    char left[96];
    lib_words_text(left, sizeof left, lang, w_profile_what_if_of(k->asked_us));
    put_padded(to, left, lang == LIB_ZH ? 30 : 29);
    fprintf(to, "%s\n", lib_word(lang, W_PROFILE_HEADS_WHAT_IF));
    for (size_t i = 0; i < n; i++) {
        const sim_cost_info *info = sim_cost_at(costs[i]);
        const sim_what_if *w = &k->what_if[costs[i]];
        lib_buffer payers = {0};
        profile_put_payers(&payers, k, w, lang);
        fputs("        ", to);
        put_padded(to, lib_word(lang, info->title), 24);
        put_without(to, k->asked_us, w->time_us, lang);
        fprintf(to, "%s%s\n", payers.n ? "  " : "", payers.n ? payers.s : "");
        lib_buffer_free(&payers);
    }
}

bool profile_whole(const profile_report *r, dev_whole *out) {
    const dev_record *v = NULL;
    size_t n = profile_records(r, &v);
    dev_span *spans = calloc(n + 1, sizeof *spans);
    for (size_t i = 0; spans && i < n; i++)
        spans[i] = (dev_span){v[i].op, v[i].start_us, v[i].end_us};
    *out = (dev_whole){0};
    if (spans) dev_whole_of(spans, n, out);
    free(spans);
    return out->us > 0;
}

void profile_print_whole(FILE *to, const profile_report *r) {
    dev_whole w;
    bool any = false;
    if (!profile_whole(r, &w)) return;
    for (unsigned k = 0; k < DEV_IF_COUNT; k++) {
        if (w.us < WORTH * w.then_us[k]) continue;
        if (!any) {
            fputs("\n  ", to);
            lib_words_print(to, r->lang, w_profile_what_if_of_run(w.us));
            fputc('\n', to);
        }
        any = true;
        fputs("    ", to);
        put_padded(to, lib_word(r->lang, dev_whole_title(k)), 24);
        put_without(to, w.us, w.then_us[k], r->lang);
        fputc('\n', to);
    }
}

static double line_us(const sim_line *l) {
    double us = 0;
    for (unsigned s = 0; s < SIM_STALL_COUNT; s++) us += (double)l->stall_us[s];
    return us;
}

static int longest_first(const void *a, const void *b) {
    double x = line_us(*(const sim_line *const *)a), y = line_us(*(const sim_line *const *)b);
    return (x < y) - (x > y);
}

/* "file.cu:12  62.0%  Long Scoreboard 80%, LG Throttle 15%" */
static void put_stalled(FILE *to, const sim_line *l, double all, lib_lang lang) {
    double mine = line_us(l), below = 1e300;
    char place[64];
    snprintf(place, sizeof place, "%.40s:%u", *l->file ? base_name(l->file) : "PTX", l->line);
    fputs("        ", to);
    put_padded(to, place, 22);
    fprintf(to, "%9.1f%%", 100 * mine / all);
    for (unsigned n = 0; n < 2; n++) {
        unsigned best = SIM_STALL_COUNT;
        for (unsigned s = 0; s < SIM_STALL_COUNT; s++) {
            double us = (double)l->stall_us[s];
            if (us < below && us >= 0.05 * mine &&
                (best == SIM_STALL_COUNT || us > (double)l->stall_us[best]))
                best = s;
        }
        if (best == SIM_STALL_COUNT) break;
        below = (double)l->stall_us[best];
        fprintf(to, "%s%s %.0f%%", n ? lib_word(lang, W_PROFILE_COMMA) : "  ",
                lib_word(lang, sim_stall_at(best)->title), 100 * below / mine);
    }
    fputc('\n', to);
}

static void print_stalled_lines(FILE *to, const profile_kernel *k, lib_lang lang) {
    enum { MOST = 8 };
    const sim_line **order = calloc(k->line_count + 1, sizeof *order);
    double all = 0;
    if (!order) return;
    for (size_t i = 0; i < k->line_count; i++) order[i] = &k->lines[i], all += line_us(order[i]);
    if (all > 0) {
        qsort(order, k->line_count, sizeof *order, longest_first);
        fprintf(to, "      %s\n", lib_word(lang, W_PROFILE_HEADS_STALLED));
        for (size_t i = 0; i < k->line_count && i < MOST && line_us(order[i]) > 0.02 * all; i++)
            put_stalled(to, order[i], all, lang);
    }
    free(order);
}

void profile_print_stalls(FILE *to, const profile_kernel *k, lib_lang lang) {
    if (k->told_us <= 0) return;
    fprintf(to, "      %s\n", lib_word(lang, W_PROFILE_HEADS_CYCLES));
    for (unsigned s = 0; s < SIM_STALL_COUNT; s++) {
        double scheduler = k->stalls.scheduler_pct[s] / k->told_us,
               warp = k->stalls.warp_pct[s] / k->told_us;
        if (scheduler < 0.5 && warp < 0.5) continue;
        const sim_stall_info *info = sim_stall_at(s);
        fputs("        ", to);
        put_padded(to, lib_word(lang, info->title), 22);
        fprintf(to, "%9.1f%% %8.1f%%  ", scheduler, warp);
        profile_put_wrapped(to, lib_word(lang, info->means), 52, 28);
        fputc('\n', to);
    }
    double none = k->stalls.empty_pct / k->told_us;
    if (none >= 0.5) {
        fputs("        ", to);
        put_padded(to, lib_word(lang, W_PROFILE_NO_WARP_RESIDENT), 22);
        fprintf(to, "%9.1f%%        -\n", none);
    }
    print_stalled_lines(to, k, lang);
}
