/* What if, and where the cycles went, as text. */
#include "runner/profile/words.h"
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

static const char *base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

void profile_print_payers(FILE *to, const profile_kernel *k, const sim_what_if *w,
                          const char *before) {
    for (unsigned i = 0; i < w->line_count && i < 3; i++) {
        const profile_place *p = &k->places[w->line[i]];
        if ((double)w->part[i] < 0.05) break;
        fprintf(to, "%s%s:%u", i ? ", " : before, *p->file ? base_name(p->file) : "PTX", p->line);
        if ((double)w->part[i] < 0.995) fprintf(to, " (%.0f%%)", 100 * (double)w->part[i]);
    }
}

void profile_print_what_if(FILE *to, const profile_kernel *k, lib_lang lang) {
    unsigned costs[SIM_COST_COUNT];
    size_t n = profile_costs(k, WORTH, costs);
    if (k->asked_us <= 0) return;
    static const char *const head[LIB_LANGS] = {
        "      what if, of %.2f us        then      saves at most      paid at\n",
        "      假如没有它（现为 %.2f 微秒） 那时       至多省下         花在\n"};
    static const char *const unit[LIB_LANGS] = {"us", "微秒"};
    static const char *const nothing[LIB_LANGS] = {
        "      what if: no single cost is worth more than 2%\n",
        "      假如：去掉任何单独一项，所得都不超过 2%\n"};
    if (!n) {
        fputs(nothing[lang], to);
        return;
    }
    fprintf(to, head[lang], k->asked_us);
    for (size_t i = 0; i < n; i++) {
        const sim_cost_info *info = sim_cost_at(costs[i]);
        const sim_what_if *w = &k->what_if[costs[i]];
        fputs("        ", to);
        put_padded(to, lang == LIB_ZH ? info->title_zh : info->title, 24);
        fprintf(to, "%9.2f %s %9.2f %s %5.2fx", w->time_us, unit[lang], k->asked_us - w->time_us,
                unit[lang], w->time_us > 0 ? k->asked_us / w->time_us : 0);
        profile_print_payers(to, k, w, "  ");
        fputc('\n', to);
    }
}

void profile_print_stalls(FILE *to, const profile_kernel *k, lib_lang lang) {
    if (k->told_us <= 0) return;
    static const char *const head[LIB_LANGS] = {
        "      where cycles went       schedulers   warps\n",
        "      周期去了哪里            调度器       warp\n"};
    static const char *const empty[LIB_LANGS] = {"no warp resident", "没有驻留的 warp"};
    fputs(head[lang], to);
    for (unsigned s = 0; s < SIM_STALL_COUNT; s++) {
        double scheduler = k->stalls.scheduler_pct[s] / k->told_us,
               warp = k->stalls.warp_pct[s] / k->told_us;
        if (scheduler < 0.5 && warp < 0.5) continue;
        const sim_stall_info *info = sim_stall_at(s);
        fputs("        ", to);
        put_padded(to, lang == LIB_ZH ? info->title_zh : info->title, 22);
        fprintf(to, "%9.1f%% %8.1f%%  %s\n", scheduler, warp,
                lang == LIB_ZH ? info->text_zh : info->text);
    }
    double none = k->stalls.empty_pct / k->told_us;
    if (none < 0.5) return;
    fputs("        ", to);
    put_padded(to, empty[lang], 22);
    fprintf(to, "%9.1f%%        -\n", none);
}
