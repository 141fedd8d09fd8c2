/* Detects work on the host instead of the device, from the order in which data went back and forth.
 *
 * If the host saw nothing from the device before it gave the device its last order, it cannot have
 * computed anything from device data. Otherwise it is suspected, and run_host_proven() runs the
 * call's work again on other inputs without the host. */
#include "grader/judge/hostwork.h"
#include "grader/lab.h"
#include "grader/result.h"

#include <string.h>
#include "words/judge.h"

/* What the host may read in a loop that ends on convergence: a flag or a norm per round, over many
 * rounds. TIMES limits readings of the time that serve no purpose. */
enum { FLAG_BYTES = 64, FLAGS_BYTES = 16384, TIMES = 32 };

const char *grade_host_work_name(grade_host_work w) {
    static const char *const name[] = {"launches", "flags", "anything"};
    return name[w];
}

bool hostwork_allowed(grade_host_work may, const dev_flow *f) {
    if (may == GRADE_HOST_ANYTHING) return true;
    if (f->times > TIMES) return false;
    return (!f->data && !f->within) ||
           (may == GRADE_HOST_FLAGS && f->most <= FLAG_BYTES && f->all <= FLAGS_BYTES);
}

bool hostwork_same_data(const grade_lab *lab, const dev_flow *f) {
    bool ordinary = false;
    for (size_t i = 0; i < lab->arg_count; i++)
        ordinary |= lab->args[i].host && !lab->args[i].pinned;
    return ordinary && f->within && f->times <= TIMES;
}

static lib_words what_saw(const dev_passage *p) {
    long long n = (long long)p->bytes;
    return p->op == DEV_OP_LAUNCH      ? w_judge_host_saw_store(p->kernel, n)
           : p->op == DEV_OP_PAGES_OUT ? w_judge_host_saw_pages(n)
                                       : w_judge_host_saw_copy(n);
}

static lib_words what_gave(const dev_passage *p) {
    long long n = (long long)p->bytes;
    switch (p->op) {
    case DEV_OP_LAUNCH: return w_judge_host_gave_launch(p->kernel);
    case DEV_OP_H2D: return w_judge_host_gave_copy(n);
    case DEV_OP_MEMSET: return w_judge_host_gave_memset(n);
    default: return w_judge_host_gave_device_copy(n);
    }
}

/* A common habit: kernels compute the whole blocks, and the host the remaining elements. Then
 * without the host only the end of an output is wrong. Returns this output; NULL: the case is
 * different. */
static const grade_buffer *tail_of(const dev_flow *f, const grade_buffers *b,
                                   const grade_case_result *replayed) {
    if (!f->data || f->saw.op != DEV_OP_D2H || f->gave.op != DEV_OP_H2D) return NULL;
    for (size_t i = 0; replayed->has_mismatch && i < b->lab->arg_count; i++) {
        const grade_buffer *x = &b->buffer[i];
        if (x->arg && !strcmp(x->arg->name, replayed->mismatch_arg))
            return replayed->wrong <= x->count / 2 && replayed->index + replayed->wrong == x->count
                       ? x
                       : NULL;
    }
    return NULL;
}

void hostwork_fail(const dev_flow *f, const grade_buffers *b, const grade_case_result *replayed,
                   grade_case_result *c) {
    lib_message saw, gave;
    const grade_buffer *tail = tail_of(f, b, replayed);
    if (tail) {
        fail_case(c, w_judge_host_tail((long long)replayed->wrong, (long long)tail->count,
                                       tail->arg->name));
        return;
    }
    if (!f->data && f->within) { /* the host saw only what a kernel stored while it ran */
        fail_case(c, w_judge_host_answers_kernel(f->saw.kernel));
        return;
    }
    lib_message_set(&saw, f->data ? what_saw(&f->saw) : w_judge_host_saw_time((long long)f->times));
    lib_message_set(&gave, what_gave(&f->gave));
    fail_case(c, w_judge_host_takes_part(&saw, &gave));
}

void hostwork_why(const dev_client *c, grade_case_result *k) {
    if (dev_client_freed(c)) lib_message_set(&k->message, w_judge_host_unproven(&k->message));
}

static size_t launch_count(const dev_client *c) {
    const dev_record *r;
    size_t n = dev_client_log(c, &r), launches = 0;
    for (size_t i = 0; i < n; i++) launches += r[i].op == DEV_OP_LAUNCH;
    return launches;
}

/* Returns the output of which the host gave at least half, while in the baseline it did not; NULL:
 * none. */
static const grade_arg *output_given(const dev_client *mine, const dev_client *base,
                                     const grade_buffers *b) {
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i];
        if (!f->arg || f->arg->host || f->arg->role == GRADE_INPUT || !f->bytes) continue;
        if (2 * dev_client_put(mine, f->addr) >= f->bytes &&
            2 * dev_client_put(base, f->addr) < f->bytes)
            return f->arg;
    }
    return NULL;
}

/* Returns the host output of which more values did not come from the device than in the baseline,
 * where most did; NULL: none. A twentieth is allowed: of many values only a sample is known, and
 * the host may have given the device a value that is also a result. */
static const grade_arg *output_kept(const dev_client *mine, const dev_client *base,
                                    const grade_buffers *b) {
    enum { WORD = 4 };
    const double least = 0.95;
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i];
        if (!f->arg || !f->arg->host || f->arg->role == GRADE_INPUT) continue;
        const void *now = dev_client_host(mine, i);
        uint64_t words = f->bytes / WORD;
        uint64_t there = dev_client_gave(base, f->baseline, f->bytes);
        if (now && 2 * there > words &&
            (double)dev_client_gave(mine, now, f->bytes) < least * (double)there)
            return f->arg;
    }
    return NULL;
}

bool hostwork_check(const player *mine, const player *base, const grade_buffers *b,
                    grade_case_result *c) {
    dev_flow flow;
    const grade_arg *given = NULL;
    dev_client_flow(mine->client, &flow);
    if (!flow.complete) {
        fail_case(c, player_did_too_much(mine));
        return false;
    }
    if (!base->client || !launch_count(base->client)) return true;
    if (!launch_count(mine->client) || mine->early) {
        fail_case(c, mine->early ? w_judge_work_before_call() : w_judge_no_launch());
        return true; /* its outputs are compared nevertheless */
    }
    if (b->lab->host_work != GRADE_HOST_ANYTHING)
        given = output_given(mine->client, base->client, b);
    if (given) fail_case(c, w_judge_output_given(given->name));
    const grade_arg *kept = output_kept(mine->client, base->client, b);
    if (kept) fail_case(c, w_judge_output_kept(kept->name));
    return true;
}
