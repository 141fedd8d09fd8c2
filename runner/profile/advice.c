/* Applies the rules of advice.def to a kernel. */
#include "runner/profile/advice.h"
#include "runner/profile/words.h"
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/json/json.h"
#include "words/profile.h"

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
#define RULE(rule_name, cost_id, w, condition, taught)                                             \
    out[n++] = (rule){.a = {.name = rule_name, .lab = taught, .cost = SIM_COST_##cost_id},         \
                      .weight = w,                                                                 \
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
#define RULE(rule_name, cost_id, w, condition, taught) +1
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
        char row[64];
        SAY(row, "advice-%s", best->a.name);
        best->a.text = lib_words_named("profile", row);
        out[found++] = best->a;
        /* Give each cost only one sentence. Leave out a resource that is busy only because of the
         * first cost. */
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

lib_words profile_copying_words(const profile_copying *c) {
    return w_profile_copying(c->us, c->kernels_us, (long long)c->copies, (long long)c->bytes,
                             (long long)c->pageable);
}

void profile_print_copying(FILE *to, const profile_report *r) {
    profile_copying c;
    if (!profile_copying_of(r, &c)) return;
    char *text = lib_words_take(r->lang, profile_copying_words(&c));
    fputs("\n> ", to);
    profile_put_wrapped(to, text, 2, 78);
    fputs("\n  ", to);
    lib_words_print(to, r->lang, w_profile_copying_lab(PROFILE_COPYING_LAB));
    fputc('\n', to);
    free(text);
}

void profile_print_advice(FILE *to, const profile_kernel *k, lib_lang lang) {
    profile_advice a[PROFILE_ADVICE];
    size_t n = profile_advise(k, a);
    for (size_t i = 0; i < n && i < 2; i++) {
        lib_buffer payers = {0};
        profile_put_payers(&payers, k, &k->what_if[a[i].cost], lang);
        fprintf(to, "      %s ", i ? "-" : ">");
        profile_put_wrapped(to, lib_word(lang, a[i].text), 8, 72);
        fputs("\n        ", to);
        lib_words_print(
            to, lang,
            payers.n
                ? w_profile_gain_paid(a[i].factor, a[i].saves_us, k->asked_us, payers.s, a[i].lab)
                : w_profile_gain(a[i].factor, a[i].saves_us, k->asked_us, a[i].lab));
        fputc('\n', to);
        lib_buffer_free(&payers);
    }
}

json_t *profile_advice_json(const profile_kernel *k) {
    profile_advice a[PROFILE_ADVICE];
    size_t n = profile_advise(k, a);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:f, s:s, s:o}", "rule", a[i].name,
                                             "cost", sim_cost_at(a[i].cost)->name, "saves_us",
                                             a[i].saves_us, "factor", a[i].factor, "lab", a[i].lab,
                                             "text", json_both(lib_words_of(a[i].text))));
    return all;
}
