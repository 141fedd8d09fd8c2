/* Labs and their steps at the prompt: list, start, read, next, back, hint, progress; questions and
 * predictions.
 *
 *   step --lab_step_draw--> numbers --lab_text_fill--> text on the screen
 *        --question--> answer --judge--> progress */
#include "runner/repl/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/lesson/catalog.h"
#include "runner/lesson/quiz.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/work.h"

static void step_save(repl *r) {
    r->state.step = r->step;
    progress_put(r->progress, &r->state);
}

static void step_say(repl *r, const lab_text *t, int indent) {
    char *filled = lab_text_fill(t->text[r->lang], &r->drawn);
    text_say(&r->out, filled, indent);
    free(filled);
}

/* ---- the exercise ---- */

static void print_goals(repl *r) {
    text_line(&r->out, TEXT_STRONG, 0, "%s", T(EXERCISE_GOALS));
    for (size_t i = 0; i < r->lab->grade.goal_count; i++) {
        const grade_goal *g = &r->lab->grade.goals[i];
        char *what = show_goal(g, r->lang);
        char *points = lib_format(T(POINTS), g->points);
        text_put(&r->out, TEXT_PLAIN, "  - ");
        if (text_width(what) + text_width(points) + 8 < r->out.width) {
            text_put(&r->out, TEXT_PLAIN, "%s", what);
            text_put(&r->out, TEXT_DIM, "  (%s)\n", points);
        } else {
            text_hang(&r->out, TEXT_PLAIN, 4, "%s (%s)", what, points);
        }
        free(points);
        free(what);
    }
}

/* ---- questions ---- */

static void print_number(repl *r, const lab_question *q, double v, char *out, size_t n) {
    char b[32];
    (void)r;
    snprintf(out, n, "%s%s%s", show_number(b, v), q->unit[0] ? " " : "", q->unit);
}

static void how_to_answer(repl *r, const lab_question *q) {
    text_line(&r->out, TEXT_DIM, 0, "%s",
              q->kind == LAB_ANSWER_CHOICE ? T(ANSWER_HOW_CHOICE)
              : q->kind == LAB_ANSWER_TEXT ? T(ANSWER_HOW_TEXT)
                                           : T(ANSWER_HOW_NUMBER));
}

static bool truth_of(repl *r, const lab_step *s, double *truth) {
    const lab_question *q = &s->question;
    lib_message msg = {0};
    *truth = 0;
    if (q->kind == LAB_ANSWER_NUMBER) {
        if (lab_step_number(r->lab, s, &r->drawn, truth, &msg)) return true;
        text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
        return false;
    }
    if (q->kind != LAB_ANSWER_MEASURED) return true;
    const char *counters[] = {q->measure.counter};
    const repl_cached *c = repl_measure(r, &q->measure, &r->drawn, counters, 1);
    if (c) *truth = c->result.goals[0].actual;
    return c != NULL;
}

static void tell_answer(repl *r, const lab_question *q, double truth) {
    char text[128] = "";
    if (q->kind == LAB_ANSWER_CHOICE) {
        for (size_t i = 0; i < q->choice_count; i++) {
            const lab_choice *c = &q->choices[lab_choice_at(&r->drawn, i)];
            if (!c->right) continue;
            char letter[2] = {(char)('a' + (int)i), 0};
            text_line(&r->out, TEXT_STRONG, 0, T(ANSWER_WAS), letter);
            if (c->because.text[r->lang]) step_say(r, &c->because, 0);
            return;
        }
    } else if (q->kind == LAB_ANSWER_TEXT) {
        snprintf(text, sizeof text, "%s", q->accept[0]);
    } else {
        print_number(r, q, truth, text, sizeof text);
    }
    text_line(&r->out, TEXT_STRONG, 0, T(ANSWER_WAS), text);
}

/* A command in place of an answer is obeyed, not marked wrong. */
static bool is_command(repl *r, char *line) {
    if (!prompt_is_command(line)) return false;
    r->pending = line;
    return true;
}

/* One try at the question of a step is judged. */
static void question_tried(repl *r, const lab_step *s, bool right) {
    char key[LAB_QUESTION_KEY];
    if (right) r->state.right++;
    else r->state.wrong++;
    lab_question_key(s, key);
    progress_question_add(r->progress, r->lab->id, key, right);
    step_save(r);
}

/* Says so when it was the last question that was open. */
static void quiz_complete(repl *r) {
    quiz_score q;
    if (!r->lab->quiz || r->state.passed) return;
    quiz_count(r->lab, r->progress, &q);
    if (q.answered == q.total) text_line(&r->out, TEXT_STRONG, 0, "%s", T(QUIZ_COMPLETE));
}

/* What the lesson has to say to just this wrong answer. */
static void say_reply(repl *r, const lab_step *s, const char *answer) {
    lib_message msg;
    const lab_text *t = lab_step_reply(r->lab, s, &r->drawn, answer, &msg);
    if (t) step_say(r, t, 0);
    else if (msg.text[0]) text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
}

static void step_ask(repl *r, const lab_step *s) {
    const lab_question *q = &s->question;
    for (size_t i = 0; q->kind == LAB_ANSWER_CHOICE && i < q->choice_count; i++) {
        const lab_choice *c = &q->choices[lab_choice_at(&r->drawn, i)];
        char *filled = lab_text_fill(c->text.text[r->lang], &r->drawn);
        text_put(&r->out, TEXT_STRONG, "  %c  ", 'a' + (int)i);
        text_hang(&r->out, TEXT_PLAIN, 5, "%s", filled);
        free(filled);
    }
    for (int attempt = 0, tries = lab_question_tries(q); attempt < tries;) {
        bool interrupted;
        char prompt[64];
        snprintf(prompt, sizeof prompt, "%s%s%s >", T(ANSWER_PROMPT), q->unit[0] ? ", " : "",
                 q->unit);
        char *line = repl_line(r, prompt, false, &interrupted);
        if (!line || !*line) {
            if (line || interrupted) text_line(&r->out, TEXT_DIM, 0, "%s", T(ANSWER_LATER));
            free(line);
            return;
        }
        if (is_command(r, line)) return;
        double truth;
        int choice;
        bool known = truth_of(r, s, &truth);
        int right = known ? lab_question_judge(q, &r->drawn, line, truth, &choice) : 0;
        if (!known || right < 0) {
            free(line);
            if (!known) return;
            how_to_answer(r, q);
            continue;
        }
        question_tried(r, s, right);
        text_put(&r->out, right ? TEXT_GOOD : TEXT_WARN, "%s\n", right ? T(RIGHT) : T(NOT_QUITE));
        if (choice >= 0 && q->choices[choice].because.text[r->lang])
            step_say(r, &q->choices[choice].because, 0);
        if (!right) say_reply(r, s, line);
        free(line);
        if (!right && ++attempt < tries) {
            text_put(&r->out, TEXT_DIM, "%s\n", T(TRY_AGAIN));
            continue;
        }
        if (!right) tell_answer(r, q, truth);
        if (q->because.text[r->lang]) step_say(r, &q->because, 0);
        quiz_complete(r);
        return;
    }
}

static void step_predict(repl *r, const lab_step *s) {
    const lab_question *q = &s->question;
    char prompt[64], said[128], measured[128];
    snprintf(prompt, sizeof prompt, "%s >", T(PREDICT_PROMPT));
    lab_question number = *q;
    number.kind = LAB_ANSWER_NUMBER;
    char *line;
    for (;;) {
        bool interrupted;
        line = repl_line(r, prompt, false, &interrupted);
        if (!line || !*line) {
            if (line || interrupted) text_line(&r->out, TEXT_DIM, 0, "%s", T(ANSWER_LATER));
            free(line);
            return;
        }
        if (is_command(r, line)) return;
        if (lab_question_judge(&number, NULL, line, 0, NULL) >= 0) break;
        how_to_answer(r, &number);
        free(line);
    }
    const char *counters[] = {q->measure.counter};
    const repl_cached *c = repl_measure(r, &q->measure, &r->drawn, counters, 1);
    if (c) {
        double truth = c->result.goals[0].actual;
        bool hit = lab_question_judge(&number, NULL, line, truth, NULL) == 1;
        snprintf(said, sizeof said, "%.100s", line + strspn(line, " \t"));
        print_number(r, q, truth, measured, sizeof measured);
        text_line(&r->out, TEXT_STRONG, 0, T(PREDICTED), said, measured);
        text_line(&r->out, hit ? TEXT_GOOD : TEXT_WARN, 0, "%s",
                  hit ? T(PREDICT_HIT) : T(PREDICT_MISS));
        if (!hit) say_reply(r, s, line);
        if (q->because.text[r->lang]) step_say(r, &q->because, 0);
        question_tried(r, s, hit);
        quiz_complete(r);
    }
    free(line);
}

/* ---- steps ---- */

static void lab_head(repl *r) {
    text_line(&r->out, TEXT_TITLE, 0, "%s", r->lab->title.text[r->lang]);
    text_put(&r->out, TEXT_DIM, T(LAB_HEAD), r->lab->chapter, r->lab->minutes);
    text_put(&r->out, TEXT_PLAIN, "\n\n");
    if (!r->lab->quiz) return;
    const grade_goal *g = &r->lab->grade.goals[0];
    text_line(&r->out, TEXT_DIM, 0, T(QUIZ_HOW), 100 * g->threshold);
    text_put(&r->out, TEXT_PLAIN, "\n");
}

/* A group's numbers are drawn when its first step is shown, or the first that is. */
static uint64_t numbers_seed(repl *r, const lab_step *s, bool fresh) {
    if (!s->group) return r->draw_seed;
    const lab_step *first = r->lab->steps;
    while (first->group != s->group) first++;
    uint64_t *seed = &r->group_seed[s->group];
    if (!*seed || (fresh && first == s)) *seed = r->draw_seed ? r->draw_seed : 1;
    return *seed;
}

void repl_show_step(repl *r, bool fresh) {
    const lab_step *s = &r->lab->steps[r->step];
    text_page_begin(&r->out);
    if (fresh) r->draw_seed = r->seed + (uint64_t)r->step * 7919 + ++r->clock;
    lab_step_draw(s, numbers_seed(r, s, fresh), &r->drawn);
    lab_step_shuffle(s, r->draw_seed, &r->drawn);
    text_put(&r->out, TEXT_PLAIN, "\n");
    if (r->step == 0) lab_head(r);
    step_say(r, &s->text, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    switch (s->kind) {
    case LAB_SAY:
        if (!r->step) text_line(&r->out, TEXT_DIM, 0, "%s", T(STEP_FIRST));
        break;
    case LAB_ASK: step_ask(r, s); break;
    case LAB_PREDICT: step_predict(r, s); break;
    case LAB_SHOW:
    case LAB_COMPARE: repl_draw(r, &s->show, &r->drawn); break;
    case LAB_EXERCISE:
        print_goals(r);
        text_put(&r->out, TEXT_PLAIN, "\n");
        repl_say_file(r);
        text_line(&r->out, TEXT_DIM, 0, "%s", T(EXERCISE_HOW));
        break;
    }
}

int repl_read(repl *r, char *argument) {
    if (*argument) {
        char *end;
        long n = strtol(argument, &end, 10);
        if (*end || n < 1 || n > (long)r->lab->step_count) {
            text_line(&r->out, TEXT_WARN, 0, T(STEP_NONE), r->lab->step_count);
            return 1;
        }
        r->step = (int)n - 1;
        step_save(r);
    }
    repl_show_step(r, *argument != 0 || !r->draw_seed);
    return 0;
}

int repl_next(repl *r, char *argument) {
    (void)argument;
    if (r->step + 1 >= (int)r->lab->step_count) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(LAST_STEP));
        return 0;
    }
    if (r->lab->steps[r->step].kind == LAB_EXERCISE && !r->state.passed && !r->insisted) {
        r->insisted = true;
        text_line(&r->out, TEXT_WARN, 0, "%s", T(NOT_PASSED_YET));
        return 0;
    }
    r->insisted = false;
    r->step++;
    step_save(r);
    repl_show_step(r, true);
    return 0;
}

int repl_back(repl *r, char *argument) {
    (void)argument;
    if (!r->step) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(FIRST_STEP));
        return 0;
    }
    r->step--;
    step_save(r);
    repl_show_step(r, true);
    return 0;
}

int repl_hint(repl *r, char *argument) {
    (void)argument;
    if (!r->lab->hints[0].text[LIB_EN]) {
        text_line(&r->out, TEXT_DIM, 0, "%s", T(QUIZ_NO_HINT));
        return 0;
    }
    int n = r->state.hints < LAB_HINTS ? r->state.hints + 1 : LAB_HINTS;
    r->drawn.count = 0;
    for (int i = n - 1; i < n; i++) {
        text_line(&r->out, TEXT_TITLE, 0, T(HINT_N), i + 1);
        step_say(r, &r->lab->hints[i], 0);
    }
    if (n == LAB_HINTS) text_line(&r->out, TEXT_DIM, 0, "%s", T(HINT_LAST));
    if (n > r->state.hints) {
        r->state.hints = n;
        step_save(r);
    }
    return 0;
}

/* ---- the list ---- */

static bool lab_passed(repl *r, const char *id) {
    progress_lab p;
    progress_get(r->progress, id, &p);
    return p.passed;
}

int repl_list(repl *r, char *argument) {
    (void)argument;
    lab_list_show(&r->out, r->lang, r->root, r->progress, r->lab ? r->lab->id : NULL);
    return 0;
}

bool repl_open(repl *r, const char *id) {
    lib_message msg = {0};
    if (!lab_exists(r->root, id)) {
        char near[200];
        lab_suggest(r->root, id, near, sizeof near);
        text_line(&r->out, TEXT_WARN, 0, T(UNKNOWN_LAB), id);
        if (near[0]) text_line(&r->out, TEXT_PLAIN, 0, T(DID_YOU_MEAN), near);
        return false;
    }
    lab *l = lab_load(r->root, id, &msg);
    if (!l) {
        text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
        return false;
    }
    repl_cache_clear(r);
    lab_free(r->lab);
    r->lab = l;
    progress_get(r->progress, l->id, &r->state);
    r->step = r->state.step >= 0 && r->state.step < (int)l->step_count ? r->state.step : 0;
    r->insisted = false;
    r->draw_seed = 0;
    memset(r->group_seed, 0, sizeof r->group_seed);
    snprintf(r->file, sizeof r->file, "%s/%s%s", r->paths->work, l->id,
             l->grade.file_count ? "" : ".cu");
    char current[64];
    progress_setting(r->progress, "current", current, sizeof current);
    if (strcmp(current, l->id) != 0) progress_set(r->progress, "current", l->id);
    return true;
}

int repl_start(repl *r, char *argument) {
    if (!*argument) {
        char id[LAB_ID_MAX];
        lab_list_next(r->root, r->progress, id, sizeof id);
        if (*id) text_line(&r->out, TEXT_PLAIN, 0, T(START_WHICH), id);
        else text_line(&r->out, TEXT_PLAIN, 0, "%s", T(ALL_PASSED));
        return !*id;
    }
    if (!repl_open(r, argument)) return 1;
    r->state.started = true;
    step_save(r);
    char missing[200] = "";
    for (size_t i = 0; i < r->lab->need_count; i++)
        if (!lab_passed(r, r->lab->needs[i]) && lab_exists(r->root, r->lab->needs[i])) {
            size_t used = strlen(missing);
            snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "",
                     r->lab->needs[i]);
        }
    if (missing[0]) text_line(&r->out, TEXT_DIM, 0, T(NEEDS), missing);
    int status = r->lab->quiz || repl_make_file(r) ? 0 : 1;
    repl_show_step(r, true);
    return status;
}

/* ---- after a pass ---- */

void repl_passed(repl *r) {
    r->drawn.count = 0;
    if (r->praise) text_line(&r->out, TEXT_GOOD, 0, "%s", T(WELL_DONE));
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_TITLE, 0, "%s", T(WHY_IT_WORKS));
    step_say(r, &r->lab->after, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_TITLE, 0, "%s", T(TRY_THIS));
    step_say(r, &r->lab->more, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    char id[LAB_ID_MAX];
    lab_list_next(r->root, r->progress, id, sizeof id);
    if (r->lab->steps[r->step].kind == LAB_EXERCISE && r->step + 1 < (int)r->lab->step_count)
        text_line(&r->out, TEXT_PLAIN, 0, "%s", T(READ_ON));
    if (*id) text_line(&r->out, TEXT_PLAIN, 0, T(NEXT_LABS), id);
}

int repl_progress(repl *r, char *argument) {
    (void)argument;
    progress_lab *all;
    size_t n = progress_all(r->progress, &all), total, done = 0;
    char **names = lib_lab_names(r->paths, &total);
    lib_lab_names_free(names, total);
    for (size_t i = 0; i < n; i++) done += all[i].passed && lab_exists(r->root, all[i].lab);
    text_line(&r->out, TEXT_STRONG, 0, T(PROGRESS_HEAD), done, total);
    enum { BAR = 40 };
    size_t cells = total ? done * BAR / total : 0;
    text_put(&r->out, TEXT_PLAIN, "[");
    for (size_t i = 0; i < BAR; i++)
        text_put(&r->out, i < cells ? TEXT_GOOD : TEXT_DIM, "%c", i < cells ? '#' : '.');
    text_put(&r->out, TEXT_PLAIN, "]\n");
    for (size_t i = 0; i < n; i++) {
        const progress_lab *p = &all[i];
        char what[128];
        if (p->passed) snprintf(what, sizeof what, T(PROGRESS_PASSED), p->best_score, p->max_score);
        else
            snprintf(what, sizeof what, T(PROGRESS_BEGUN), p->step + 1, p->best_score,
                     p->max_score);
        text_line(&r->out, TEXT_PLAIN, 2, T(PROGRESS_ROW), p->lab, what, p->checks, p->hints,
                  p->answer_seen ? T(PROGRESS_ANSWER) : "");
    }
    free(all);
    return 0;
}
