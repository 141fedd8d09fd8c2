/* What if, and where the cycles went, as text. */
#include "runner/base/say.h"
#include "runner/profile/words.h"
#include <stdlib.h>
#include <string.h>

/* Less than this factor is not worth a line. */
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

/* Terminal columns of UTF-8: what is beyond Latin here takes two. */
static int columns(const char *s) {
    int n = 0;
    for (; *s; s++)
        if ((*s & 0xc0) != 0x80) n += (unsigned char)*s >= 0xe0 ? 2 : 1;
    return n;
}
static void put_padded(FILE *to, const char *s, int width) {
    fprintf(to, "%s%*s", s, columns(s) < width ? width - columns(s) : 0, "");
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
        bool mark = wide && (!strncmp(s, "。", n) || !strncmp(s, "，", n) || !strncmp(s, "；", n) ||
                             !strncmp(s, "、", n) || !strncmp(s, "：", n));
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

void profile_print_payers(FILE *to, const profile_kernel *k, const sim_what_if *w,
                          const char *before, lib_lang lang) {
    static const char *const between[LIB_LANGS] = {", ", "、"}, *const part[LIB_LANGS] = {
                                                                    " (%.0f%%)", "（%.0f%%）"};
    for (unsigned i = 0; i < w->line_count && i < 3; i++) {
        const profile_place *p = &k->places[w->line[i]];
        if ((double)w->part[i] < 0.05) break;
        lib_print(to, "%s%s:%u", i ? between[lang] : before, *p->file ? base_name(p->file) : "PTX",
                  p->line);
        if ((double)w->part[i] < 0.995) fprintf(to, part[lang], 100 * (double)w->part[i]);
    }
}

void profile_print_what_if(FILE *to, const profile_kernel *k, lib_lang lang) {
    unsigned costs[SIM_COST_COUNT];
    size_t n = profile_costs(k, WORTH, costs);
    if (k->asked_us <= 0) return;
    static const char *const head[LIB_LANGS] = {"      what if, of %.2f us",
                                                "      若去掉（共 %.2f 微秒）"};
    static const char *const unit[LIB_LANGS] = {"us", "微秒"};
    static const char *const nothing[LIB_LANGS] = {
        "      what if: no single cost is worth more than 2%\n",
        "      若去掉某项开销：任何单独一项，所得都不超过 2%\n"};
    if (!n) {
        fputs(nothing[lang], to);
        return;
    }
    char left[96];
    snprintf(left, sizeof left, head[lang], k->asked_us);
    put_padded(to, left, lang == LIB_ZH ? 36 : 35);
    fputs(lang == LIB_ZH ? "去掉后用时              至多省下  出自\n"
                         : "then      saves at most      paid at\n",
          to);
    for (size_t i = 0; i < n; i++) {
        const sim_cost_info *info = sim_cost_at(costs[i]);
        const sim_what_if *w = &k->what_if[costs[i]];
        fputs("        ", to);
        put_padded(to, lang == LIB_ZH ? info->title_zh : info->title, 24);
        fprintf(to, "%9.2f %s %9.2f %s %5.2fx", w->time_us, unit[lang], k->asked_us - w->time_us,
                unit[lang], w->time_us > 0 ? k->asked_us / w->time_us : 0);
        profile_print_payers(to, k, w, "  ", lang);
        fputc('\n', to);
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
    static const char *const head[LIB_LANGS] = {
        "\n  what if, of the run's %.2f us   then      saves at most\n",
        "\n  若去掉某项开销（整个运行共 %.2f 微秒），去掉后用时，至多省下：\n"};
    static const char *const unit[LIB_LANGS] = {"us", "微秒"};
    bool any = false;
    if (!profile_whole(r, &w)) return;
    for (unsigned k = 0; k < DEV_IF_COUNT; k++) {
        if (w.us < WORTH * w.then_us[k]) continue;
        if (!any) fprintf(to, head[r->lang], w.us);
        any = true;
        fputs("    ", to);
        put_padded(to, dev_whole_title(k, r->lang), 24);
        fprintf(to, "%9.2f %s %9.2f %s %5.2fx\n", w.then_us[k], unit[r->lang], w.us - w.then_us[k],
                unit[r->lang], w.then_us[k] > 0 ? w.us / w.then_us[k] : 0);
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
        fprintf(to, "%s%s %.0f%%",
                !n               ? "  "
                : lang == LIB_ZH ? "，"
                                 : ", ",
                lang == LIB_ZH ? sim_stall_at(best)->title_zh : sim_stall_at(best)->title,
                100 * below / mine);
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
        fputs(lang == LIB_ZH ? "      按源代码行              用时    等什么\n"
                             : "      by source line             time   waits for\n",
              to);
        for (size_t i = 0; i < k->line_count && i < MOST && line_us(order[i]) > 0.02 * all; i++)
            put_stalled(to, order[i], all, lang);
    }
    free(order);
}

void profile_print_stalls(FILE *to, const profile_kernel *k, lib_lang lang) {
    if (k->told_us <= 0) return;
    static const char *const head[LIB_LANGS] = {
        "      where cycles went       schedulers   warps\n",
        "      周期分布                调度器       warp\n"};
    static const char *const empty[LIB_LANGS] = {"no warp resident", "没有驻留的 warp"};
    fputs(head[lang], to);
    for (unsigned s = 0; s < SIM_STALL_COUNT; s++) {
        double scheduler = k->stalls.scheduler_pct[s] / k->told_us,
               warp = k->stalls.warp_pct[s] / k->told_us;
        if (scheduler < 0.5 && warp < 0.5) continue;
        const sim_stall_info *info = sim_stall_at(s);
        fputs("        ", to);
        put_padded(to, lang == LIB_ZH ? info->title_zh : info->title, 22);
        fprintf(to, "%9.1f%% %8.1f%%  ", scheduler, warp);
        profile_put_wrapped(to, lang == LIB_ZH ? info->text_zh : info->text, 52, 28);
        fputc('\n', to);
    }
    double none = k->stalls.empty_pct / k->told_us;
    if (none >= 0.5) {
        fputs("        ", to);
        put_padded(to, empty[lang], 22);
        fprintf(to, "%9.1f%%        -\n", none);
    }
    print_stalled_lines(to, k, lang);
}
