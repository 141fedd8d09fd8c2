/* `correct { points = 4 }`: every case agrees, with no memory error and no race. A finding fails it
 * even when every output is right, for the next device may not be so kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grader/goal/kind.h"

/* A refused launch makes no sound: no output, no finding, only an error that nobody asked for. */
static void add_refused(grade_goal_result *g) {
    static const char *const said[LIB_LANGS] = {
        "No kernel ran: was a launch refused (an invalid configuration: more than 1024 threads in "
        "a "
        "block, or no block at all)? cudaGetLastError() right behind it says so.",
        "没有核函数运行过：是不是启动被拒绝了（启动配置无效：每块超过 1024 "
        "个线程，或者一个块也没有）？"
        "紧跟在启动之后的 cudaGetLastError() 会说明。"};
    for (int i = 0; i < LIB_LANGS; i++) goal_add(g, (lib_lang)i, said[i]);
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

static void correct_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    grade_goal_result *g = &r->goals[i];
    size_t wrong = 0;
    const grade_case_result *first = NULL, *first_hidden = NULL;
    for (size_t k = 0; k < r->case_count; k++) {
        if (r->cases[k].pass) continue;
        wrong++;
        if (!r->cases[k].hidden && !first) first = &r->cases[k];
        if (r->cases[k].hidden && !first_hidden) first_hidden = &r->cases[k];
    }
    g->expected = 1;
    g->actual = r->case_count ? (double)(r->case_count - wrong) / (double)r->case_count : 0;
    g->pass = e->outputs_right && !wrong && !e->finding;
    j->share = g->pass;
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
        goal_advise(g, LIB_EN, NULL);
        goal_advise(g, LIB_ZH, NULL);
    }
}

static void correct_sentence(lib_buffer *b, const grade_goal *g, lib_lang lang) {
    (void)g;
    lib_buffer_puts(b, lang == LIB_ZH ? "所有用例结果正确，没有内存错误和数据竞争"
                                      : "correct for every case, without memory errors and races");
}

static void correct_title(lib_buffer *b, const char *name, const char *relation, double expected,
                          lib_lang lang) {
    (void)name, (void)relation, (void)expected;
    lib_buffer_puts(b, lang == LIB_ZH ? "正确性" : "Correct");
}

const goal_kind goal_correct = {
    .words = {{"correct", NULL, "points en zh",
               "Every case agrees, without a memory error and without a race."}},
    .correctness = true,
    .judge = correct_judge,
    .sentence = correct_sentence,
    .title = correct_title,
};
