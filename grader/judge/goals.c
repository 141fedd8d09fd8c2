/* From what was measured to points, messages and a verdict.
 *
 * Rules: outputs first. A goal of speed or of a counter earns nothing while an output is wrong. A
 * memory error or a race fails the goal of correctness even when every output is right, for the
 * next device may not be so kind. */
#include "grader/judge/goals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/figure.h"
#include "grader/judge/answers.h"
#include "grader/judge/metrics.h"

const char *grade_relation_text(grade_relation rel) {
    static const char *const text[] = {"<=", "<", "==", ">=", ">"};
    return text[rel];
}

const char *grade_goal_kind_name(grade_goal_kind k) {
    static const char *const name[GRADE_GOAL_KINDS] = {"correct",  "counter", "speedup",
                                                       "fraction", "answers", "answer"};
    return name[k];
}

bool grade_holds(double v, grade_relation rel, double t) {
    double slack = 1e-9 * fabs(t); /* 0.1 + 0.2 against 0.3 */
    switch (rel) {
    case GRADE_LE: return v <= t + slack;
    case GRADE_LT: return v < t - slack;
    case GRADE_EQ: return fabs(v - t) <= slack;
    case GRADE_GE: return v >= t - slack;
    case GRADE_GT: return v > t + slack;
    }
    return false;
}

/* value, full_at and none_at are speeds; the points fall linearly with the time 1 / speed. */
double grade_curve(double value, double full_at, double none_at) {
    if (!(full_at > 0) || !(none_at > 0) || none_at >= full_at) return 0;
    if (value >= full_at) return 1;
    if (value <= none_at) return 0;
    return (1 / none_at - 1 / value) / (1 / none_at - 1 / full_at);
}

static const char *advice(const char *counter, lib_lang lang) {
    static const struct {
        const char *prefix, *text[LIB_LANGS];
    } table[] = {
#define ADVICE(prefix, en, zh) {prefix, {en, zh}},
#include "grader/judge/advice.def"
#undef ADVICE
    };
    size_t i = 0;
    /* the last prefix is "" */
    while (strncmp(table[i].prefix, counter, strlen(table[i].prefix)) != 0) i++;
    return table[i].text[lang];
}

/* What to look at when the call is too slow: the limiter of the launch that took longest. */
static const char *limiter_advice(const grade_result *r, lib_lang lang) {
    static const struct {
        const char *name, *text[LIB_LANGS];
    } table[] = {
#define LIMITER(name, word, en, zh) {name, {en, zh}},
#include "grader/judge/limiter.def"
#undef LIMITER
    };
    const grade_launch *longest = NULL;
    for (size_t i = 0; i < r->launch_count; i++)
        if (!longest || r->launches[i].time_us > longest->time_us) longest = &r->launches[i];
    for (size_t i = 0; longest && i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, longest->limiter)) return table[i].text[lang];
    return lang == LIB_ZH ? "对文件运行 `profile`，看看时间花在哪里。"
                          : "Run `profile` on the file to see where the time goes.";
}

/* Chinese has no blank behind its full stop. */
static void add_sentence(grade_goal_result *g, lib_lang lang, const char *text) {
    size_t len = strlen(g->message[lang]);
    lib_say(g->message[lang] + len, sizeof g->message[lang] - len, "%s%s",
            lang == LIB_ZH ? "" : " ", text);
}

/* Adds the lab's own advice, or ours, behind a goal's message. */
static void add_advice(grade_goal_result *g, lib_lang lang, const char *ours) {
    const char *text = g->goal->message[lang]     ? g->goal->message[lang]
                       : g->goal->message[LIB_EN] ? g->goal->message[LIB_EN]
                                                  : ours;
    if (text && *text) add_sentence(g, lang, text);
}

/* A refused launch makes no sound: no output, no finding, only an error that nobody asked for. */
static void add_refused(grade_goal_result *g) {
    static const char *const said[LIB_LANGS] = {
        "No kernel ran: was a launch refused (an invalid configuration: more than 1024 threads in "
        "a "
        "block, or no block at all)? cudaGetLastError() right behind it says so.",
        "没有核函数运行过：是不是启动被拒绝了（启动配置无效：每块超过 1024 "
        "个线程，或者一个块也没有）？"
        "紧跟在启动之后的 cudaGetLastError() 会说明。"};
    for (int i = 0; i < LIB_LANGS; i++) add_sentence(g, (lib_lang)i, said[i]);
}

/* "the smallest size" and the like: what a student may know of a hidden case. */
static void hidden_kind(const grade_result *r, const grade_case_result *c, const char **en,
                        const char **zh) {
    *en = "a size that the public cases do not have";
    *zh = "公开用例中没有的尺寸";
    for (size_t i = 0; i < r->lab->range_count; i++)
        for (size_t p = 0; p < c->param_count; p++) {
            if (strcmp(c->params[p].name, r->lab->ranges[i].name) != 0) continue;
            if (c->params[p].value == r->lab->ranges[i].lo) {
                *en = "the smallest size";
                *zh = "最小的尺寸";
                return;
            }
            if (fmod(c->params[p].value, 32) != 0) {
                *en = "a size that is no multiple of 32";
                *zh = "不是 32 的倍数的尺寸";
                return;
            }
        }
}

static void judge_correct(grade_result *r, grade_goal_result *g, const grade_evidence *e) {
    size_t wrong = 0;
    const grade_case_result *first = NULL, *first_hidden = NULL;
    for (size_t i = 0; i < r->case_count; i++) {
        if (r->cases[i].pass) continue;
        wrong++;
        if (!r->cases[i].hidden && !first) first = &r->cases[i];
        if (r->cases[i].hidden && !first_hidden) first_hidden = &r->cases[i];
    }
    g->expected = 1;
    g->actual = r->case_count ? (double)(r->case_count - wrong) / (double)r->case_count : 0;
    g->pass = e->outputs_right && !wrong && !e->finding;
    if (r->message[0] && !g->pass && !wrong) {
        SAY(g->message[LIB_EN], "%s", grade_result_said(r, LIB_EN));
        SAY(g->message[LIB_ZH], "%s", grade_result_said(r, LIB_ZH));
    } else if (first) {
        SAY(g->message[LIB_EN], "%zu of %zu case%s fail%s. The first: %s", wrong, r->case_count,
            LIB_S(r->case_count), wrong == 1 ? "s" : "", first->message);
        SAY(g->message[LIB_ZH], "%zu 个用例中有 %zu 个失败。第一个：%s", r->case_count, wrong,
            first->message_zh[0] ? first->message_zh : first->message);
        if (grade_result_nothing_ran(r)) add_refused(g);
    } else if (first_hidden) {
        const char *kind_en, *kind_zh;
        hidden_kind(r, first_hidden, &kind_en, &kind_zh);
        SAY(g->message[LIB_EN],
            "The public cases pass, %zu hidden ones fail: try %s. Look at the bounds of every "
            "index, and at "
            "the last block.",
            wrong, kind_en);
        SAY(g->message[LIB_ZH],
            "公开用例通过，但有 %zu 个隐藏用例失败：试试%s。检查每个下标的边界以及最后一个块。",
            wrong, kind_zh);
    } else if (e->finding) {
        bool hidden = grade_finding_hidden(r, (size_t)(e->finding - r->findings));
        const char *title = sim_finding_title(e->finding->kind);
        char *zh = hidden ? NULL : grade_finding_text(e->finding, LIB_ZH);
        SAY(g->message[LIB_EN], "Every output is right, by luck: %s%s",
            hidden ? title : e->finding->text, hidden ? ", in a hidden case" : "");
        SAY(g->message[LIB_ZH], "所有输出都正确，但只是侥幸：%s%s",
            zh ? zh : grade_finding_title(e->finding->kind, LIB_ZH),
            hidden ? "（在隐藏用例中）" : "");
        free(zh);
    } else
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             r->case_count == 1 ? "%zu case is right, with no memory error and no race."
                                : "All %zu cases are right, with no memory error and no race.",
             "全部 %zu 个用例正确，没有内存错误，也没有竞争。", r->case_count);
    if (!g->pass && g->goal->message[LIB_EN]) {
        add_advice(g, LIB_EN, NULL);
        add_advice(g, LIB_ZH, NULL);
    }
}

/* Nothing was launched that it is counted of, or nothing of the kind was done: said. */
static bool counter_missing(grade_goal_result *g, const grade_metric_value *mine) {
    const grade_goal *goal = g->goal;
    if (mine->status == METRIC_NO_LAUNCH) {
        if (goal->kernel)
            SAY2(g->message[LIB_EN], g->message[LIB_ZH],
                 "%s was not measured: no kernel named like %s was launched.",
                 "%s 没有测到：没有启动名为 %s 的核函数。", goal->name, goal->kernel);
        else
            SAY2(g->message[LIB_EN], g->message[LIB_ZH],
                 "%s was not measured: no kernel was launched.",
                 "%s 没有测到：没有启动任何核函数。", goal->name);
        return true;
    }
    if (mine->status == METRIC_UNDEFINED) {
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "%s was not measured: the kernels made no such access at all.",
             "%s 没有测到：核函数根本没有这种访问。", goal->name);
        return true;
    }
    return false;
}

/* "1 call", "1 copy", "1 branch", "1 us" */
static const char *one_of(char buf[32], const char *unit) {
    size_t n = strlen(unit);
    if (n < 3 || n >= 32 || unit[n - 1] != 's') return unit;
    bool copies = !strcmp(unit + n - 3, "ies"), hiss = strstr(unit, "ches") || strstr(unit, "sses");
    lib_say(buf, 32, "%.*s%s", (int)(n - (copies ? 3 : hiss ? 2 : 1)), unit, copies ? "y" : "");
    return buf;
}

static void judge_counter(grade_goal_result *g, const grade_metric_value *mine,
                          const grade_metric_value *base) {
    const grade_goal *goal = g->goal;
    const char *rel = grade_relation_text(goal->relation);
    char actual[32], asked[32], factor[32];
    bool relative = goal->relative || goal->than;
    g->expected = relative ? goal->threshold * base->value : goal->threshold;
    g->actual = mine->value;
    lib_number(actual, g->actual);
    lib_number(asked, g->expected);
    lib_number(factor, goal->threshold);
    if (counter_missing(g, mine)) return;
    const char *unit = grade_metric_unit(goal->name), *zh = grade_unit_word(unit, LIB_ZH, true);
    char one[32];
    if (g->actual == 1) unit = one_of(one, unit);
    g->pass = mine->status == METRIC_OK && (!relative || base->status == METRIC_OK) &&
              grade_holds(g->actual, goal->relation, g->expected);
    if (goal->than && base->status == METRIC_NO_LAUNCH)
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "%s was not compared: no kernel named like %s was launched.",
             "%s 没有可比的对象：没有启动名为 %s 的核函数。", goal->name, goal->than);
    else if (goal->than) {
        const char *of = goal->kernel ? goal->kernel : "all kernels";
        SAY(g->message[LIB_EN], "%s of %s is %s %s; %s %s was asked, %s times that of %s.",
            goal->name, of, actual, unit, rel, asked, factor, goal->than);
        SAY(g->message[LIB_ZH], "%s（%s）为 %s %s；要求 %s %s，即 %s 倍于 %s 的值。", goal->name,
            goal->kernel ? goal->kernel : "全部核函数", actual, zh, rel, asked, factor, goal->than);
    } else if (goal->relative && goal->threshold == 1) {
        SAY(g->message[LIB_EN], "%s is %s %s; %s %s was asked, the baseline's.", goal->name, actual,
            unit, rel, asked);
        SAY(g->message[LIB_ZH], "%s 为 %s %s；要求 %s %s，即基线的值。", goal->name, actual, zh,
            rel, asked);
    } else if (goal->relative) {
        SAY(g->message[LIB_EN], "%s is %s %s; %s %s was asked, %s times the baseline's.",
            goal->name, actual, unit, rel, asked, factor);
        SAY(g->message[LIB_ZH], "%s 为 %s %s；要求 %s %s，即基线的 %s 倍。", goal->name, actual, zh,
            rel, asked, factor);
    } else {
        SAY(g->message[LIB_EN], "%s is %s %s; %s %s was asked.", goal->name, actual, unit, rel,
            asked);
        SAY(g->message[LIB_ZH], "%s 为 %s %s；要求 %s %s。", goal->name, actual, zh, rel, asked);
    }
    if (g->pass) return;
    add_advice(g, LIB_EN, advice(goal->name, LIB_EN));
    add_advice(g, LIB_ZH, advice(goal->name, LIB_ZH));
}

/* Sets *unsure when a measured interval holds the threshold. */
static void judge_speedup(const grade_result *r, grade_goal_result *g, const grade_evidence *e,
                          double *share, bool *unsure) {
    char actual[32], asked[32], mine[32], base[32];
    g->actual = r->speedup;
    g->pass = grade_holds(g->actual, GRADE_GE, g->goal->threshold);
    *share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    *unsure = e->sampled && r->ci_lo < g->goal->threshold && r->ci_hi > g->goal->threshold;
    lib_number(asked, g->goal->threshold);
    lib_number(mine, r->time_us);
    lib_number(base, r->baseline_us);
    lib_say(actual, sizeof actual, "%.3g", g->actual);
    /* One time as fast is as fast. */
    char got[LIB_LANGS][48], want[LIB_LANGS][48];
    SAY2(got[LIB_EN], got[LIB_ZH], "%s times as fast as", "速度是基线的 %s 倍", actual);
    SAY2(want[LIB_EN], want[LIB_ZH], "%s times was asked", "要求 %s 倍", asked);
    if (!strcmp(actual, "1")) SAY2(got[LIB_EN], got[LIB_ZH], "As fast as", "与基线一样快");
    if (!strcmp(asked, "1"))
        SAY2(want[LIB_EN], want[LIB_ZH], "no slower was asked", "要求不比基线慢");
    if (!(r->time_us > 0)) {
        SAY(g->message[LIB_EN],
            "The speed was not measured: the timed call did nothing on the device; %s.",
            want[LIB_EN]);
        SAY(g->message[LIB_ZH], "没有测到速度：计时的调用没有让设备做任何事；%s。", want[LIB_ZH]);
        return;
    }
    SAY(g->message[LIB_EN], "%s the baseline (%s us against %s us); %s.", got[LIB_EN], mine, base,
        want[LIB_EN]);
    SAY(g->message[LIB_ZH], "%s（%s 微秒，基线 %s 微秒）；%s。", got[LIB_ZH], mine, base,
        want[LIB_ZH]);
    if (*unsure) {
        char lo[32], hi[32];
        lib_number(lo, r->ci_lo);
        lib_number(hi, r->ci_hi);
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "Between %s and %s times as fast as the baseline (95%%): too close to the %s that was "
             "asked to "
             "decide. Grade it again.",
             "速度是基线的 %s 到 %s 倍（95%% 区间）：离要求的 %s 倍太近，无法判定，请重新评分。",
             lo, hi, asked);
        return;
    }
    if (g->pass) return;
    add_advice(g, LIB_EN, limiter_advice(r, LIB_EN));
    add_advice(g, LIB_ZH, limiter_advice(r, LIB_ZH));
}

/* False: the device does not say what it could reach. */
static bool judge_fraction(const grade_result *r, grade_goal_result *g, const grade_evidence *e,
                           double *share, bool *unsure) {
    bool copy = strcmp(g->goal->name, "fp32") != 0;
    double peak = copy ? e->copy_gbs : e->fp32_gflops,
           work = copy ? e->useful_bytes : e->useful_flops;
    if (!(peak > 0) || !(r->time_us > 0)) {
        SAY(g->message[LIB_EN],
            "The %s of this device is not known, so no fraction of it could be judged.",
            copy ? "copy bandwidth" : "FP32 peak");
        SAY(g->message[LIB_ZH], "不知道该设备的%s，无法评判比例。",
            copy ? "拷贝带宽" : "FP32 峰值");
        return false;
    }
    double reached = work / r->time_us / 1e3; /* bytes per us is MB/s */
    double at = work / 1e3 / (peak * g->goal->threshold);
    *unsure = e->sampled && g->goal->threshold > 0 && r->time_lo < at && r->time_hi > at;
    g->actual = reached / peak;
    g->pass = grade_holds(g->actual, GRADE_GE, g->goal->threshold);
    *share = g->pass ? 1 : grade_curve(g->actual, g->goal->full_at, g->goal->none_at);
    const char *unit = copy ? "GB/s" : "GFLOP/s";
    SAY(g->message[LIB_EN], "%.1f%% of the %s of %.0f %s (%.0f %s reached); %.0f%% was asked.",
        100 * g->actual, copy ? "copy bandwidth" : "FP32 peak", peak, unit, reached, unit,
        100 * g->goal->threshold);
    SAY(g->message[LIB_ZH], "达到%s %.0f %s 的 %.1f%%（实际 %.0f %s）；要求 %.0f%%。",
        copy ? "拷贝带宽" : "FP32 峰值", peak, unit, 100 * g->actual, reached, unit,
        100 * g->goal->threshold);
    if (!g->pass) {
        add_advice(g, LIB_EN, limiter_advice(r, LIB_EN));
        add_advice(g, LIB_ZH, limiter_advice(r, LIB_ZH));
    }
    return true;
}

/* What a goal is worth, and what its judge could not tell. */
typedef struct {
    double share;         /* of its points */
    bool unsure, unknown; /* too close to the bound; the device does not say */
} judged;

/* One that is a figure of the measured case. */
static void judge_measured(const grade_result *r, size_t i, grade_goal_result *g,
                           const grade_evidence *e, judged *j) {
    const grade_goal *goal = g->goal;
    if (goal->kind == GRADE_GOAL_COUNTER && e->explained) {
        const grade_goal_result *there = &e->explained->goals[i];
        g->pass = there->pass, g->expected = there->expected, g->actual = there->actual;
        memcpy(g->message, there->message, sizeof g->message);
        j->share = g->pass;
    } else if (goal->kind == GRADE_GOAL_COUNTER) {
        judge_counter(g, &e->student[i], &e->baseline[i]);
        j->share = g->pass;
    } else if (goal->kind == GRADE_GOAL_SPEEDUP) judge_speedup(r, g, e, &j->share, &j->unsure);
    else j->unknown = !judge_fraction(r, g, e, &j->share, &j->unsure);
    if (!e->outputs_right && j->share > 0) {
        add_sentence(g, LIB_EN, "It earns points once every output is right.");
        add_sentence(g, LIB_ZH, "所有输出正确后才能得分。");
        g->pass = false;
        j->share = 0;
    }
}

static judged judge_goal(grade_result *r, size_t i, const grade_evidence *e) {
    grade_goal_result *g = &r->goals[i];
    judged j = {0};
    g->pass = false;
    g->expected = g->goal->threshold;
    if (g->goal->kind == GRADE_GOAL_ANSWERS) {
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "scored by the questions at the prompt, not by a file",
             "由提示符下的提问计分，不看文件");
    } else if (g->goal->kind == GRADE_GOAL_ANSWER) {
        j.share = answer_judge(r, i, e);
    } else if (g->goal->kind == GRADE_GOAL_CORRECT) {
        judge_correct(r, g, e);
        j.share = g->pass;
    } else if (!e->measured)
        SAY2(g->message[LIB_EN], g->message[LIB_ZH],
             "not measured: the case it is judged on did not run to its end",
             "未测量：对应的用例没有运行完");
    else judge_measured(r, i, g, e, &j);
    return j;
}

void grade_judge(grade_result *r, const grade_evidence *e) {
    bool all = true, ambiguous = false, unknown = false;
    r->score = r->max_score = 0;
    for (size_t i = 0; i < r->goal_count; i++) {
        grade_goal_result *g = &r->goals[i];
        double points = g->goal->points;
        judged j = judge_goal(r, i, e);
        g->points = floor(j.share * points * 100 + 0.5) / 100;
        if (j.share < 1 && g->points >= points && points > 0) g->points = points - 0.01;
        all = all && g->pass;
        unknown = unknown || j.unknown;
        g->undecided = j.unsure && e->outputs_right;
        ambiguous = ambiguous || g->undecided;
        r->score += g->points;
        r->max_score += points;
    }
    if (r->verdict == GRADE_ERROR || r->verdict == GRADE_SUSPECT) return;
    if (unknown && e->outputs_right) {
        r->verdict = GRADE_ERROR;
        r->ungradable = true;
        SAY2(r->message, r->message_zh,
             "%s does not say what bandwidth or peak it has, and a goal of this lab is a fraction "
             "of it.",
             "%s 没有给出带宽或峰值，而本实验的一个目标是它的比例。", r->device);
        return;
    }
    r->verdict = ambiguous                                ? GRADE_AMBIGUOUS
                 : all && e->outputs_right && !e->finding ? GRADE_PASS
                                                          : GRADE_FAIL;
}

bool grade_fails_surely(const grade_result *r) {
    if (r->verdict != GRADE_AMBIGUOUS) return r->verdict == GRADE_FAIL;
    for (size_t i = 0; i < r->goal_count; i++)
        if (!r->goals[i].pass && !r->goals[i].undecided) return true;
    return false;
}

void grade_answers(const grade_lab *lab, const grade_options *o, grade_result *r) {
    grade_result_free(r);
    grade_result_init(r, lab, o);
    grade_evidence e = {.outputs_right = true, .submission = o->submission, .truths = o->truths};
    grade_judge(r, &e);
}
