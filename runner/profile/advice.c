/* The rules of advice.def, asked of a kernel. */
#include "runner/profile/advice.h"
#include "runner/profile/words.h"
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "grader/json/json.h"

#define WORTH 1.05

typedef struct {
    profile_advice a;
    double weight;
    bool applies;
} rule;

static size_t ask_rules(const profile_kernel *k, const sim_counters *c, const char *limiter,
                        rule *out) {
    size_t n = 0;
#define LIMITED(unit) !strcmp(limiter, #unit)
#define RULE(rule_name, cost_id, w, condition, en, zh, taught)                                     \
    out[n++] = (rule){                                                                             \
        .a = {.name = rule_name, .text = {en, zh}, .lab = taught, .cost = SIM_COST_##cost_id},     \
        .weight = w,                                                                               \
        .applies = condition};
#include "runner/profile/advice.def"
#undef RULE
#undef LIMITED
    for (size_t i = 0; i < n; i++) {
        double without = k->what_if[out[i].a.cost].time_us;
        out[i].a.saves_us = k->asked_us - without;
        out[i].a.factor = without > 0 ? k->asked_us / without : 1000;
    }
    return n;
}

enum {
#define RULE(rule_name, cost_id, w, condition, en, zh, taught) +1
    RULES = 0
#include "runner/profile/advice.def"
#undef RULE
};

size_t profile_advise(const profile_kernel *k, profile_advice out[PROFILE_ADVICE]) {
    rule all[RULES];
    if (k->asked_us <= 0) return 0;
    size_t n = ask_rules(k, &k->counters, k->limiter ? k->limiter : "", all), found = 0;
    while (found < PROFILE_ADVICE) {
        rule *best = NULL;
        for (size_t i = 0; i < n; i++) {
            rule *r = &all[i];
            if (!r->applies || r->a.factor < WORTH) continue;
            if (!best || r->a.saves_us * r->weight > best->a.saves_us * best->weight) best = r;
        }
        if (!best) break;
        out[found++] = best->a;
        /* One sentence about a cost is enough, and a resource that is busy with what the first names
         * is not news. */
        for (size_t i = 0; i < n; i++)
            if (all[i].a.cost == best->a.cost ||
                (all[i].weight < 0.9 && all[i].a.saves_us < 1.15 * out[0].saves_us))
                all[i].applies = false;
    }
    return found;
}

bool profile_copying_sum(const dev_record *v, size_t n, profile_copying *out) {
    *out = (profile_copying){0};
    for (size_t i = 0; i < n; i++) {
        double us = v[i].end_us - v[i].start_us;
        if (v[i].op == DEV_OP_LAUNCH) out->kernels_us += us;
        if (v[i].op != DEV_OP_H2D && v[i].op != DEV_OP_D2H) continue;
        out->copies++;
        out->pageable += v[i].pageable;
        out->us += us;
        out->bytes += v[i].bytes;
    }
    return out->us > out->kernels_us;
}

bool profile_copying_of(const profile_report *r, profile_copying *out) {
    const dev_record *v = NULL;
    size_t n = profile_records(r, &v);
    return profile_copying_sum(v, n, out);
}

char *profile_copying_text(const profile_copying *c, lib_lang lang) {
    return lib_format(
        lang == LIB_ZH
            ? "主机与设备之间的拷贝比所有核函数更费时间：%.2f 微秒对 %.2f 微秒"
              "（%llu 次%.0s，%.3g MB，其中 %llu "
              "次用的是可分页内存）。先减少拷贝：中间结果留在设备上，"
              "小拷贝并成一次大的，主机内存用 cudaMallocHost 分配，再用流让拷贝与核函数重叠。"
            : "Copies between host and device take more time than all kernels: %.2f us against "
              "%.2f us (%llu cop%s, %.3g MB; from or to pageable memory: %llu). Copy less "
              "first: leave what comes between kernels on the device, join small copies into a "
              "large one, take host memory from cudaMallocHost, and let copies overlap with "
              "kernels in streams.",
        c->us, c->kernels_us, (unsigned long long)c->copies, c->copies == 1 ? "y" : "ies",
        (double)c->bytes / 1e6, (unsigned long long)c->pageable);
}

void profile_print_copying(FILE *to, const profile_report *r) {
    profile_copying c;
    if (!profile_copying_of(r, &c)) return;
    char *text = profile_copying_text(&c, r->lang);
    fputs("\n> ", to);
    profile_put_wrapped(to, text, 2, 78);
    fprintf(to, r->lang == LIB_ZH ? "\n  （实验 %s）\n" : "\n  (lab %s)\n", PROFILE_COPYING_LAB);
    free(text);
}

void profile_print_advice(FILE *to, const profile_kernel *k, lib_lang lang) {
    profile_advice a[PROFILE_ADVICE];
    size_t n = profile_advise(k, a);
    static const char *const gain[LIB_LANGS] = {"%.2fx at most, %.2f us of %.2f",
                                                "至多 %.2f 倍，省 %.2f 微秒（共 %.2f）"};
    for (size_t i = 0; i < n && i < 2; i++) {
        fprintf(to, "      %s ", i ? "-" : ">");
        profile_put_wrapped(to, a[i].text[lang], 8, 72);
        fputs(lang == LIB_ZH ? "\n        （" : "\n        (", to);
        fprintf(to, gain[lang], a[i].factor, a[i].saves_us, k->asked_us);
        profile_print_payers(to, k, &k->what_if[a[i].cost], lang == LIB_ZH ? "；" : "; ", lang);
        fprintf(to, "%s %s", lang == LIB_ZH ? "；实验" : "; lab", a[i].lab);
        fputs(lang == LIB_ZH ? "）\n" : ")\n", to);
    }
}

json_t *profile_advice_json(const profile_kernel *k) {
    profile_advice a[PROFILE_ADVICE];
    size_t n = profile_advise(k, a);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:f, s:f, s:s, s:o}", "rule", a[i].name, "cost",
                                        sim_cost_at(a[i].cost)->name, "saves_us", a[i].saves_us,
                                        "factor", a[i].factor, "lab", a[i].lab, "text",
                                        json_both(a[i].text[LIB_EN], a[i].text[LIB_ZH])));
    return all;
}
