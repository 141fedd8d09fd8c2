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
#include "grader/goal/goal.h"
#include "words/repl.h"
#include "words/term.h"

/* ---- the exercise ---- */

static void print_goals(repl *r) {
    text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_EXERCISE_GOALS));
    for (size_t i = 0; i < r->lab->grade.goal_count; i++) {
        const grade_goal *g = &r->lab->grade.goals[i];
        char *what = grade_goal_sentence(g, r->lang);
        char *points = lib_words_take(r->lang, g->points == 1 ? w_repl_point(g->points)
                                                              : w_repl_points(g->points));
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

/* ---- steps ---- */

static void lab_head(repl *r) {
    text_line(&r->out, TEXT_TITLE, 0, "%s", r->lab->title.text[r->lang]);
    text_put_words(&r->out, TEXT_DIM, r->lang, w_repl_lab_head(r->lab->chapter, r->lab->minutes));
    text_put(&r->out, TEXT_PLAIN, "\n\n");
    if (!r->lab->quiz) return;
    const grade_goal *g = &r->lab->grade.goals[0];
    text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_quiz_how(100 * g->threshold));
    text_put(&r->out, TEXT_PLAIN, "\n");
}

/* The numbers of a group are drawn when its first step is shown. If another step is shown without
 * the first, it has the numbers that the first would have, so that `preview` of either step shows
 * the same. */
static uint64_t numbers_seed(repl *r, const lab_step *s, bool fresh) {
    if (!s->group) return r->draw_seed;
    const lab_step *first = r->lab->steps;
    while (first->group != s->group) first++;
    uint64_t *seed = &r->group_seed[s->group];
    if (fresh && first == s) *seed = r->draw_seed;
    if (!*seed) *seed = r->seed + (uint64_t)(first - r->lab->steps) * 7919 + 1;
    return *seed;
}

/* Prints the student's notes at the shown step. */
static void step_notes(repl *r) {
    progress_note *v;
    size_t n = progress_notes(r->progress, &v);
    for (size_t i = 0; i < n; i++)
        if (v[i].text[0] && v[i].step == r->step && !strcmp(v[i].lab, r->lab->id)) {
            text_put(&r->out, TEXT_DIM, "%s", lib_word(r->lang, W_REPL_NOTE_HERE));
            text_hang(&r->out, TEXT_DIM, text_width(lib_word(r->lang, W_REPL_NOTE_HERE)), "%s",
                      v[i].text);
        }
    free(v);
}

void repl_show_step(repl *r, bool fresh, bool asked) {
    const lab_step *s = &r->lab->steps[r->step];
    text_page_begin(&r->out);
    if (fresh) r->draw_seed = r->seed + (uint64_t)r->step * 7919 + ++r->clock;
    lab_step_draw(s, numbers_seed(r, s, fresh), &r->drawn);
    lab_step_shuffle(s, r->draw_seed, &r->drawn);
    text_put(&r->out, TEXT_PLAIN, "\n");
    if (r->step == 0) lab_head(r);
    step_say(r, &s->text, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    step_notes(r);
    lab *asked_of = lab_hold(r->lab); /* the lab must live until its question ends */
    switch (s->kind) {
    case LAB_SAY:
        if (!r->step) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_STEP_FIRST));
        break;
    case LAB_ASK:
    case LAB_PREDICT:
        if (!asked && question_answered(r, s))
            text_line(&r->out, TEXT_DIM, 0, "%s",
                      r->lab->quiz ? lib_word(r->lang, W_REPL_ANSWERED_QUIZ)
                                   : lib_word(r->lang, W_REPL_ANSWERED));
        else if (s->kind == LAB_ASK) question_ask(r, s);
        else question_predict(r, s);
        break;
    case LAB_SHOW:
    case LAB_COMPARE: repl_draw(r, &s->show, &r->drawn); break;
    case LAB_EXERCISE:
        print_goals(r);
        text_put(&r->out, TEXT_PLAIN, "\n");
        repl_say_file(r);
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_EXERCISE_HOW));
        break;
    }
    lab_free(asked_of);
}

int repl_read(repl *r, char *argument) {
    if (*argument) {
        char *end;
        long n = strtol(argument, &end, 10);
        if (*end || n < 1 || n > (long)r->lab->step_count) {
            text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_step_none(r->lab->step_count));
            return 1;
        }
        r->step = (int)n - 1;
        step_save(r);
    }
    const lab_step *s = &r->lab->steps[r->step];
    bool again = lab_step_asks(s) && question_answered(r, s);
    repl_show_step(r, *argument != 0 || !r->draw_seed || again, true);
    return 0;
}

/* Starts a quiz again: forgets the answers and keeps the best score. */
static int reset_quiz(repl *r) {
    if (r->interactive && !repl_yes(r, lib_word(r->lang, W_REPL_QUIZ_RESET_SURE))) return 0;
    progress_questions_forget(r->progress, r->lab->id);
    memset(r->group_seed, 0, sizeof r->group_seed);
    text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_RESET_DONE));
    char first[] = "1";
    return repl_read(r, first);
}

int repl_anew(repl *r, char *argument) {
    return r->lab->quiz ? reset_quiz(r) : repl_reset(r, argument);
}

/* Finds the lab that comes next; id is "" if there is none. After the last lab of a pack, says so
 * and returns false. */
static bool lab_ahead(repl *r, char id[LAB_ID_MAX]) {
    if (lab_list_next(r->root, r->progress, r->lab->id, id, LAB_ID_MAX)) return true;
    char pack[LAB_ID_MAX];
    snprintf(pack, sizeof pack, "%.*s", (int)strcspn(r->lab->id, "/"), r->lab->id);
    text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_pack_passed(pack));
    return false;
}

/* At the end of a passed lab: names the next lab. Typed again, opens it. */
static int next_lab(repl *r) {
    char id[LAB_ID_MAX];
    if (!lab_ahead(r, id)) return 0;
    if (!*id) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_ALL_PASSED));
        return 0;
    }
    if (r->insisted) return repl_start(r, id);
    r->insisted = true;
    text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_last_step_next(id));
    return 0;
}

int repl_next(repl *r, char *argument) {
    (void)argument;
    if (r->step + 1 >= (int)r->lab->step_count) {
        if (r->state.passed) return next_lab(r);
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_LAST_STEP));
        return 0;
    }
    if (r->lab->steps[r->step].kind == LAB_EXERCISE && !r->state.passed && !r->insisted) {
        r->insisted = true;
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NOT_PASSED_YET));
        return 0;
    }
    r->insisted = false;
    r->step++;
    step_save(r);
    repl_show_step(r, true, false);
    return 0;
}

int repl_back(repl *r, char *argument) {
    (void)argument;
    if (!r->step) {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_FIRST_STEP));
        return 0;
    }
    r->step--;
    step_save(r);
    repl_show_step(r, true, false);
    return 0;
}

/* ---- hints ---- */

/* Returns whether the last grading missed a goal with this name. */
static bool goal_missed(const grade_result *g, const char *name) {
    bool there = false;
    for (size_t i = 0; i < g->goal_count; i++) {
        if (!grade_goal_called(g->goals[i].goal, name)) continue;
        if (!g->goals[i].pass) return true;
        there = true;
    }
    return !there;
}

/* What to look at, by the kind of a finding. */
static lib_word_id finding_hint(sim_finding_kind k) {
    switch (k) {
    case SIM_FIND_OOB: return W_REPL_HINT_OOB;
    case SIM_FIND_MISALIGNED: return W_REPL_HINT_MISALIGNED;
    case SIM_FIND_USE_AFTER_FREE: return W_REPL_HINT_FREED;
    case SIM_FIND_UNINIT: return W_REPL_HINT_UNINIT;
    case SIM_FIND_RACE: return W_REPL_HINT_RACE;
    case SIM_FIND_BARRIER: return W_REPL_HINT_BARRIER;
    case SIM_FIND_DEADLOCK: return W_REPL_HINT_DEADLOCK;
    case SIM_FIND_BUDGET: return W_REPL_HINT_ENDLESS;
    case SIM_FIND_HOST_DEREF: return W_REPL_HINT_HOST_DEREF;
    case SIM_FIND_CALL: return W_REPL_HINT_CALL;
    default: return 0;
    }
}

/* The finding that the student should look at first, if it may be seen and there is a hint; or
 * NULL. */
static const sim_finding *first_finding(const grade_result *g) {
    size_t i = measured_first_finding(g);
    bool seen = i < g->finding_count && !grade_finding_hidden(g, i);
    return seen && finding_hint(g->findings[i].kind) ? &g->findings[i] : NULL;
}

/* A public case with a wrong element; NULL: none. */
static const grade_case_result *first_mismatch(const grade_result *g) {
    for (size_t i = 0; i < g->case_count; i++)
        if (!g->cases[i].pass && !g->cases[i].hidden && g->cases[i].has_mismatch)
            return &g->cases[i];
    return NULL;
}

/* A hint about what the check of this file found, before any of the lesson's: what nvcc says, the
 * first finding, or the first wrong element. Returns false if there is nothing of the kind, or if
 * it was shown. */
static bool hint_found(repl *r, const grade_result *g) {
    if (!g || r->checked.hinted || g->verdict != GRADE_FAIL) return false;
    const sim_finding *f = g->build_ok ? first_finding(g) : NULL;
    const grade_case_result *c = g->build_ok ? first_mismatch(g) : NULL;
    /* A call may fail in one case, while another case has a wrong element that says more. */
    if (f && f->kind == SIM_FIND_CALL && c && !grade_result_nothing_ran(g)) f = NULL;
    if (!g->build_ok) {
        if (g->build_blame)
            text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&g->message));
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_HINT_BUILD));
    } else if (f) {
        text_put(&r->out, TEXT_BAD, ":( ");
        text_hang_words(&r->out, TEXT_PLAIN, 3, r->lang, lib_message_words(&f->said));
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, finding_hint(f->kind)));
    } else if (c) {
        long long index = (long long)c->index;
        text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                   c->unwritten ? w_repl_hint_unwritten(c->mismatch_arg, index)
                                : w_repl_hint_wrong(c->mismatch_arg, index));
    }
    r->checked.hinted = !g->build_ok || f || c;
    if (f || c) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_HINT_AGAIN));
    return r->checked.hinted;
}

/* Prints the first goal that the last check missed. */
static void say_missed(repl *r, const grade_result *g) {
    for (size_t i = 0; i < g->goal_count; i++) {
        if (g->goals[i].pass) continue;
        text_put(&r->out, TEXT_BAD, ":( ");
        text_hang_words(&r->out, TEXT_PLAIN, 3, r->lang, lib_message_words(&g->goals[i].message));
        return;
    }
}

/* Finds the next hint that was not shown and is not about a goal that is already met. */
static int hint_next(const repl *r, const grade_result *g) {
    for (int i = r->state.hints; g && i < LAB_HINTS; i++) {
        const char *goal = r->lab->hint_goal[i];
        if (!goal || goal_missed(g, goal)) return i;
    }
    return r->state.hints < LAB_HINTS ? r->state.hints : LAB_HINTS - 1;
}

/* A passed lab: what can still be gained. Returns false if the hints of the lesson are next: the
 * check failed, or there are points left and `hint` has said so. g NULL: not checked since the
 * start. */
static bool hint_passed(repl *r, const grade_result *g) {
    if (g ? g->verdict != GRADE_PASS : !r->state.passed) return false;
    const grade_goal_result *left = NULL;
    for (size_t i = g ? g->goal_count : 0; i-- > 0;)
        if (g->goals[i].points < g->goals[i].goal->points) left = &g->goals[i];
    if (r->checked.hinted && (left || !g)) return false;
    text_words(&r->out, TEXT_GOOD, 0, r->lang,
               !g     ? w_repl_hint_passed_before()
               : left ? w_repl_hint_points_left(g->score, g->max_score, &left->message)
                      : w_repl_hint_passed());
    r->checked.hinted = true;
    return true;
}

int repl_hint(repl *r, char *argument) {
    (void)argument;
    if (!r->lab->hints[0].text[LIB_EN]) {
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_NO_HINT));
        return 0;
    }
    const lab_step *s = &r->lab->steps[r->step];
    const grade_result *g = measured_last(r);
    /* After a check the student works on the exercise, whatever step is shown. */
    if (!g && lab_step_asks(s) && !question_answered(r, s)) {
        question_hint(r);
        return 0;
    }
    if (hint_passed(r, g) || hint_found(r, g)) return 0;
    if (!g || g->verdict != GRADE_FAIL || !g->build_ok) g = NULL;
    else if (!r->checked.hinted) say_missed(r, g);
    int n = hint_next(r, g) + 1;
    r->drawn.count = 0;
    text_words(&r->out, TEXT_TITLE, 0, r->lang, w_repl_hint_n(n));
    if (n == r->state.hints + 2)
        text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_hint_skipped(n - 1));
    if (n == r->state.hints + 3)
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_HINTS_SKIPPED));
    step_say(r, &r->lab->hints[n - 1], 0);
    if (n == LAB_HINTS) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_HINT_LAST));
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
    if (lab_list_show(&r->out, r->lang, r->root, r->progress, r->lab ? r->lab->id : NULL, argument))
        return 0;
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_list_none(argument));
    return 1;
}

bool repl_open(repl *r, const char *id) {
    lib_message msg = {0};
    char *full = lab_find(r->root, id, &msg);
    if (!full) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    lab *l = lab_load(r->root, full, &msg);
    free(full);
    if (!l) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    measured_clear(r);
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

/* The author has saved the lesson: loads it again and stays at the same step. */
void repl_reload(repl *r) {
    if (!r->lab || !lab_changed(r->lab)) return;
    int step = r->step;
    char id[LAB_ID_MAX];
    snprintf(id, sizeof id, "%s", r->lab->id);
    if (!repl_open(r, id)) return; /* the reason was printed; the old lab stays open */
    r->step = step < (int)r->lab->step_count ? step : (int)r->lab->step_count - 1;
    text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_LESSON_RELOADED));
}

/* If the words are no lab's name or title: returns the lab in whose title they are, malloc'ed, and
 * sets *n to the number of such labs. Otherwise NULL and 0. */
static char *titled_with(const repl *r, const char *words, size_t *n) {
    lib_message ignored;
    lab_header *h;
    char *id = lab_find(r->root, words, &ignored), *found = NULL;
    size_t labs = id ? 0 : lab_list(r->root, &h);
    *n = 0;
    for (size_t i = 0; i < labs; i++) {
        bool holds = false;
        for (int lang = 0; lang < LIB_LANGS; lang++)
            holds |= lab_list_holds(h[i].title[lang], words);
        if (holds && !(*n)++) found = lib_strdup(h[i].id);
    }
    if (!id) free(h);
    free(id);
    if (*n == 1) return found;
    free(found);
    return NULL;
}

int repl_start(repl *r, char *argument) {
    if (!*argument) {
        char id[LAB_ID_MAX];
        lab_list_next(r->root, r->progress, r->lab ? r->lab->id : NULL, id, sizeof id);
        if (*id) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_start_which(id));
        else text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_ALL_PASSED));
        return !*id;
    }
    size_t several;
    char *titled = titled_with(r, argument, &several);
    if (several > 1) return repl_find(r, argument);
    bool opened = repl_open(r, titled ? titled : argument);
    free(titled);
    if (!opened) return 1;
    r->state.started = true;
    step_save(r);
    char missing[200] = "";
    for (size_t i = 0; i < r->lab->need_count; i++)
        if (!lab_passed(r, r->lab->needs[i]) && lab_exists(r->root, r->lab->needs[i])) {
            size_t used = strlen(missing);
            snprintf(missing + used, sizeof missing - used, "%s%s", used ? "\n" : "",
                     r->lab->needs[i]);
        }
    if (missing[0]) text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_needs(missing));
    int status = r->lab->quiz || repl_make_file(r) ? 0 : 1;
    repl_show_step(r, true, false);
    return status;
}

/* ---- after a pass ---- */

/* Praises only what got faster. If nothing did, says that. */
static void put_praise(repl *r) {
    const grade_result *g = r->lab->quiz ? NULL : measured_last(r);
    double factor = g && g->time_us > 0 && g->baseline_us > 0 ? g->baseline_us / g->time_us : 0;
    if (factor > 0.9995 && factor < 1.005)
        text_line(&r->out, TEXT_GOOD, 0, "%s", lib_word(r->lang, W_REPL_PASSED_SAME));
    else if (factor > 0 && factor < 1)
        text_words(&r->out, TEXT_GOOD, 0, r->lang, w_repl_passed_at(factor));
    else text_line(&r->out, TEXT_GOOD, 0, "%s", lib_word(r->lang, W_REPL_WELL_DONE));
}

void repl_passed(repl *r) {
    r->drawn.count = 0;
    if (r->praise) put_praise(r);
    const grade_result *g = r->lab->quiz ? NULL : measured_last(r);
    if (g) repl_say_limiter(r, g);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_TITLE, 0, "%s", lib_word(r->lang, W_REPL_WHY_IT_WORKS));
    step_say(r, &r->lab->after, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_line(&r->out, TEXT_TITLE, 0, "%s", lib_word(r->lang, W_REPL_TRY_THIS));
    step_say(r, &r->lab->more, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
    char id[LAB_ID_MAX];
    if (r->lab->steps[r->step].kind == LAB_EXERCISE && r->step + 1 < (int)r->lab->step_count)
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_READ_ON));
    if (lab_ahead(r, id) && *id) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_next_labs(id));
}
