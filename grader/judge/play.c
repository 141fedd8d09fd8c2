/* One call of a program on one case, for somebody who looks at it while it runs: nothing is timed and
 * no points are given. The baseline is called first, so that at the end there is something to
 * compare with. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/grade.h"
#include "grader/judge/buffers.h"
#include "grader/judge/player.h"
#include "grader/lab/lab.h"

/* As grade_run() has it for a baseline. */
static const uint64_t PLAY_WORK = (uint64_t)1 << 36;

static bool play_failed(const player *p, lib_message *msg) {
    lib_message_set2(msg, "%s", "%s", p->message[LIB_EN]);
    SAY(msg->zh, "%s", p->message[LIB_ZH]);
    return false;
}

static bool play_call(player *p, grade_buffers *b, bool student, lib_message *msg) {
    const grade_arg *changed;
    if (!buffers_load(b, msg)) return false;
    play_outcome o = player_start(p);
    if (o == PLAY_OK)
        o = player_call(p, b->args, b->lab->arg_count, b->serial, buffers_fill_host, b);
    if (o != PLAY_OK) return play_failed(p, msg);
    return buffers_collect(b, p->client, student, &changed, msg);
}

/* The case's parameters: the number-th public one, or the timed one with 0. */
static const grade_case_result *play_case(const grade_case_result *all, size_t n, size_t number) {
    for (size_t i = 0, k = 0; i < n; i++) {
        if (all[i].hidden) continue;
        if (number ? ++k == number : all[i].timed) return &all[i];
    }
    return NULL;
}

static bool play_on(const grade_play *q, dev_session *session, const grade_case_result *c,
                    lib_message *msg) {
    grade_buffers b = {0};
    player programs[2];
    bool ok = buffers_new(&b, q->lab, session, c->params, c->param_count, msg) &&
              buffers_draw(&b, q->options->seed, "case 0/set 0", msg);
    b.serial = 1;
    for (unsigned k = 0; ok && k < 2; k++) {
        bool student = k == 1;
        player *p = &programs[k];
        *p = (player){
            .host = q->host,
            .session = session,
            .path = student ? q->program : q->baseline,
            .who = {student ? "the program" : "the baseline", student ? "程序" : "基线程序"},
            .limit_s = q->options->time_limit_s > 0 ? q->options->time_limit_s : 60,
            .call_limit = PLAY_WORK,
            .work_limit = PLAY_WORK};
        if (q->turn) q->turn(q->user, student);
        ok = play_call(p, &b, student, msg);
        player_stop(p, false, NULL);
        player_free(p);
    }
    if (ok && q->ended) {
        grade_case_result r = {.params = c->params, .param_count = c->param_count, .pass = true};
        buffers_compare(&b, &r);
        q->ended(q->user, &r);
    }
    buffers_free(&b);
    return ok;
}

bool grade_play_run(const grade_play *q, lib_message *msg) {
    grade_options o = *q->options;
    dev_options dev = o.dev;
    dev.device = o.device;
    dev.device_memory = q->lab->device_memory;
    grade_result r = {0};
    bool ok = grade_draw_cases(q->lab, &o, &r.cases, &r.case_count, msg);
    const grade_case_result *c = ok ? play_case(r.cases, r.case_count, q->number) : NULL;
    if (ok && !c)
        lib_message_set2(msg, "%s has no public case %zu", "%s 没有第 %zu 个公开用例", q->lab->id,
                         q->number);
    dev_session *session = c ? dev_session_new(&dev, msg) : NULL;
    ok = session && play_on(q, session, c, msg);
    dev_session_free(session);
    grade_result_free(&r);
    return ok;
}
