/* Questions and predictions at the prompt.
 *
 *   question --what is typed--> a command (obeyed; after some the question is asked again)
 *                            -> not understood: what is wrong with it
 *                            -> an answer --judge--> progress, and the lesson's reply */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/lesson/quiz.h"
#include "runner/practice/bank.h"
#include "runner/practice/review.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"
#include "runner/term/number.h"
#include "grader/figure.h"
#include "words/repl.h"

void step_save(repl *r) {
    r->state.step = r->step;
    progress_put(r->progress, &r->state);
}

void step_say(repl *r, const lab_text *t, int indent) {
    char *filled = lab_text_fill(t->text[r->lang], &r->drawn);
    text_say(&r->out, filled, indent);
    free(filled);
}

static void put_choices(repl *r, const lab_question *q) {
    for (size_t i = 0; q->kind == LAB_ANSWER_CHOICE && i < q->choice_count; i++) {
        const lab_choice *c = &q->choices[lab_choice_at(&r->drawn, i)];
        char *filled = lab_text_fill(c->text.text[r->lang], &r->drawn);
        text_put(&r->out, TEXT_STRONG, "  %c  ", 'a' + (int)i);
        text_hang(&r->out, TEXT_PLAIN, 5, "%s", filled);
        free(filled);
    }
}

static void print_number(const repl *r, const lab_question *q, double v, char *out, size_t n) {
    char b[32];
    snprintf(out, n, "%s%s%s", show_number(b, v), q->unit[0] ? " " : "",
             grade_unit_word(q->unit, r->lang, true));
}

static void how_to_answer(repl *r, const lab_question *q) {
    if (q->kind == LAB_ANSWER_CHOICE) {
        char last[2] = {(char)('a' + (int)q->choice_count - 1), 0};
        text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_answer_how_choice(last));
        return;
    }
    text_line(&r->out, TEXT_DIM, 0, "%s",
              q->kind == LAB_ANSWER_TEXT ? lib_word(r->lang, W_REPL_ANSWER_HOW_TEXT)
                                         : lib_word(r->lang, W_REPL_ANSWER_HOW_NUMBER));
}

/* Prints what is wrong with an answer that could not be read. */
static void say_unreadable(repl *r, const lab_question *q, const char *line) {
    static const lib_word_id why[] = {[TEXT_NUMBER_PAREN] = W_REPL_NUMBER_PAREN,
                                      [TEXT_NUMBER_ZERO] = W_REPL_NUMBER_ZERO,
                                      [TEXT_NUMBER_BIG] = W_REPL_NUMBER_BIG};
    text_number n;
    text_number_wrong w = q->kind == LAB_ANSWER_CHOICE || q->kind == LAB_ANSWER_TEXT
                              ? TEXT_NUMBER_NONE
                              : text_number_read(line, q->unit, &n);
    if (w == TEXT_NUMBER_OPERAND && !n.at[0])
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NUMBER_OPERAND_END));
    else if (w == TEXT_NUMBER_WORD || w == TEXT_NUMBER_OPERAND)
        text_words(&r->out, TEXT_WARN, 0, r->lang,
                   w == TEXT_NUMBER_WORD ? w_repl_number_word(n.at) : w_repl_number_operand(n.at));
    else if (w == TEXT_NUMBER_UNIT && !q->unit[0])
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_number_no_unit(n.at));
    else if (w == TEXT_NUMBER_UNIT)
        text_words(&r->out, TEXT_WARN, 0, r->lang,
                   w_repl_number_unit(n.at, grade_unit_word(q->unit, r->lang, false)));
    else if (w > TEXT_NUMBER_NONE)
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, why[w]));
    how_to_answer(r, q);
}

static bool truth_of(repl *r, const lab_step *s, double *truth) {
    const lab_question *q = &s->question;
    lib_message msg = {0};
    *truth = 0;
    if (q->kind == LAB_ANSWER_NUMBER) {
        if (lab_step_number(r->lab, s, &r->drawn, truth, &msg)) return true;
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return false;
    }
    if (q->kind != LAB_ANSWER_MEASURED) return true;
    measured_run run;
    if (!measured_get(r, &q->measure, &r->drawn, false, &run)) return false;
    *truth = measured_figure(&run, q->measure.counter);
    return true;
}

static void tell_answer(repl *r, const lab_question *q, double truth) {
    char text[128] = "";
    if (q->kind == LAB_ANSWER_CHOICE) {
        for (size_t i = 0; i < q->choice_count; i++) {
            const lab_choice *c = &q->choices[lab_choice_at(&r->drawn, i)];
            if (!c->right) continue;
            char letter[2] = {(char)('a' + (int)i), 0};
            text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_answer_was(letter));
            if (c->because.text[r->lang]) step_say(r, &c->because, 0);
            return;
        }
    } else if (q->kind == LAB_ANSWER_TEXT) {
        snprintf(text, sizeof text, "%s", q->accept[0]);
    } else {
        print_number(r, q, truth, text, sizeof text);
    }
    text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_answer_was(text));
}

/* ---- a command instead of an answer ---- */

/* Returns whether the question is asked again after this command. `note 3` goes elsewhere. */
static bool comes_back(const command *c, const char *line) {
    size_t word = strcspn(line, " \t"), number = word + strspn(line + word, " \t");
    if (!strcmp(c->name, "note") && line[number] >= '0' && line[number] <= '9') return false;
    static const char *const names[] = {"hint",       "help",   "find",   "list",        "home",
                                        "progress",   "ladder", "device", "certificate", "lang",
                                        "transcript", "diff",   "praise", "profile",     "show",
                                        "notes",      "note"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(c->name, names[i])) return true;
    return false;
}

/* Returns the command on the line, unless the line answers the question: "b" may be a choice, and
 * "bank" an answer in words. */
static const command *command_typed(const repl *r, const lab_question *q, char *line) {
    char plain[200], word[COMMAND_WORD];
    snprintf(plain, sizeof plain, "%s", line);
    command_plain(plain);
    const char *begin = plain + strspn(plain, " \t");
    size_t n = strcspn(begin, " \t");
    if (!n || n >= sizeof word) return NULL;
    snprintf(word, sizeof word, "%.*s", (int)n, begin);
    const command *c = command_exact(word);
    if (!c) return NULL;
    bool answers = (q->kind == LAB_ANSWER_CHOICE || q->kind == LAB_ANSWER_TEXT) &&
                   lab_question_judge(q, &r->drawn, line, 0, NULL) > -1;
    /* If the answer is in words, any word could be one. Only a right one is taken as an answer
     * instead of a command. */
    if (q->kind == LAB_ANSWER_TEXT) answers = lab_question_judge(q, &r->drawn, line, 0, NULL) == 1;
    return answers ? NULL : c;
}

static bool is_one_word(const char *line) {
    line += strspn(line, " \t");
    line += strcspn(line, " \t");
    return !line[strspn(line, " \t")];
}

static bool named(const char *const *names, size_t n, const command *c) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(c->name, names[i])) return true;
    return false;
}

/* Handles a letter that stands for a command that would leave the question unexpectedly: the user
 * probably meant an answer. Says so and returns true. The command's full name is obeyed. */
static bool letter_meant_as_answer(repl *r, const lab_question *q, const command *c,
                                   const char *line) {
    static const char *const outside[] = {"next", "quit", "help", "hint", "read", "find"},
                             *const leaving[] = {"answer", "run"};
    bool lesson = r->asking == ASK_LESSON,
         expected = r->asking == ASK_EXAM; /* refuses the command itself */
    expected |= lesson ? !named(leaving, 2, c) : named(outside, 6, c);
    if (expected || !c->key[0] || strcmp(c->key, line + strspn(line, " \t")) != 0) return false;
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_answer_letter(c->key, c->name));
    how_to_answer(r, q);
    return true;
}

/* `help` at a question: how to answer, and the keys that work here. */
static void say_keys(repl *r, const lab_question *q) {
    how_to_answer(r, q);
    text_line(&r->out, TEXT_PLAIN, 0, "%s",
              r->asking == ASK_EXAM       ? lib_word(r->lang, W_REPL_EXAM_KEYS)
              : r->asking == ASK_PRACTICE ? lib_word(r->lang, W_REPL_PRACTICE_KEYS)
                                          : lib_word(r->lang, W_REPL_ANSWER_KEYS));
}

/* Prints and shows what the lesson has before the question, below a heading. */
static void say_before(repl *r, const char *heading) {
    int i = r->step - 1;
    while (i > 0 && lab_step_asks(&r->lab->steps[i])) i--;
    if (i < 0) return;
    const lab_step *s = &r->lab->steps[i];
    text_line(&r->out, TEXT_TITLE, 0, "%s", heading);
    step_say(r, &s->text, 0);
    if (s->kind == LAB_SHOW && s->show.model_ref) repl_draw(r, &s->show, &r->drawn);
}

void question_hint(repl *r) {
    if (r->lab->quiz) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_NO_HINT));
    else say_before(r, lib_word(r->lang, W_REPL_QUESTION_NO_HINT));
}

/* AGAIN: ask the question again. OVER: end a practice or an exam. */
typedef enum { TYPED_ANSWER, TYPED_COMMAND, TYPED_NOTHING, TYPED_AGAIN, TYPED_OVER } typed;

/* Handles a command at a question of a practice or an exam. Takes ownership of the line. */
static typed other_command(repl *r, const lab_question *q, const command *c, char *line) {
    static const char *const telling[] = {"find", "praise", "transcript"};
    bool exam = r->asking == ASK_EXAM, help = !strcmp(c->name, "help"), tells = help;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        tells |= !strcmp(c->name, telling[i]);
    typed t = TYPED_AGAIN;
    if (!strcmp(c->name, "next")) t = TYPED_NOTHING;
    else if (!strcmp(c->name, "quit")) t = TYPED_OVER;
    else if (help && is_one_word(line)) say_keys(r, q);
    else if (!strcmp(c->name, "lang") || (tells && !exam)) r->obey(r, line);
    else if (exam) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_exam_not_now(c->name));
    else if (!strcmp(c->name, "read")) say_before(r, r->lab->title.text[r->lang]);
    else if (!strcmp(c->name, "hint"))
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_PRACTICE_NO_HINT));
    else {
        r->pending = line;
        return TYPED_OVER;
    }
    free(line);
    return r->quit ? TYPED_OVER : t;
}

/* Reads a line at the question. A command after which the question is asked again is obeyed here;
 * another is left to the loop. TYPED_ANSWER: the caller owns *line. */
static typed question_line(repl *r, const lab_question *q, const char *prompt, char **line) {
    for (;;) {
        bool interrupted = false;
        *line = repl_line(r, prompt, false, &interrupted);
        if (!*line || !**line) {
            bool over = r->asking != ASK_LESSON && !*line;
            if (r->asking == ASK_LESSON && (*line || interrupted))
                text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_ANSWER_LATER));
            free(*line);
            return over ? TYPED_OVER : TYPED_NOTHING;
        }
        const command *c = command_typed(r, q, *line);
        if (!c) return TYPED_ANSWER;
        if (letter_meant_as_answer(r, q, c, *line)) {
            free(*line);
            continue;
        }
        if (r->asking != ASK_LESSON) {
            lab_drawn kept = r->drawn;
            typed t = other_command(r, q, c, *line);
            r->drawn = kept;
            if (t != TYPED_AGAIN) return t;
            text_put(&r->out, TEXT_PLAIN, "\n");
            step_say(r, &r->lab->steps[r->step].text, 0);
            put_choices(r, q);
            continue;
        }
        if (!comes_back(c, *line)) {
            r->pending = *line;
            return TYPED_COMMAND;
        }
        lab_drawn drawn = r->drawn; /* a command may draw other numbers */
        if (!strcmp(c->name, "help") && is_one_word(*line)) say_keys(r, q);
        else if (!strcmp(c->name, "hint")) question_hint(r);
        else r->obey(r, *line);
        free(*line);
        r->drawn = drawn;
        if (r->quit) return TYPED_NOTHING;
        text_put(&r->out, TEXT_PLAIN, "\n");
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_ANSWER_BACK));
        put_choices(r, q);
    }
}

/* ---- judging ---- */

/* Records a try at a step's question. */
static void question_tried(repl *r, const lab_step *s, bool right) {
    char key[LAB_QUESTION_KEY];
    if (right) r->state.right++;
    else r->state.wrong++;
    lab_question_key(s, key);
    progress_question_add(r->progress, r->lab->id, key, right);
    if (bank_asks(r->lab, s)) review_add(r->progress, r->lab->id, key, right, (int64_t)time(NULL));
    step_save(r);
}

/* Prints the score after the last open question. */
static void quiz_complete(repl *r) {
    quiz_score q;
    if (!r->lab->quiz || r->state.passed) return;
    quiz_count(r->lab, r->progress, &q);
    if (q.answered == q.total)
        text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_COMPLETE));
}

/* Prints the lesson's reply to this particular wrong answer. */
static void say_reply(repl *r, const lab_step *s, const char *answer) {
    lib_message msg;
    const lab_text *t = lab_step_reply(r->lab, s, &r->drawn, answer, &msg);
    if (t) step_say(r, t, 0);
    else if (lib_message_any(&msg))
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
}

static void question_prompt(const repl *r, const lab_question *q, const char *what, char *out,
                            size_t n) {
    const char *unit = grade_unit_word(q->unit, r->lang, false);
    lib_words_text(out, n, r->lang,
                   *unit ? w_repl_prompt_unit(what, unit) : w_repl_prompt_plain(what));
}

/* Tells that an answer is wrong. more: there is another try. */
static void tell_wrong(repl *r, const lab_step *s, const char *line, double truth, bool more) {
    say_reply(r, s, line);
    if (more) text_put(&r->out, TEXT_DIM, "%s\n", lib_word(r->lang, W_REPL_TRY_AGAIN));
    else tell_answer(r, &s->question, truth);
}

void question_ask(repl *r, const lab_step *s) {
    const lab_question *q = &s->question;
    put_choices(r, q);
    char prompt[64], *line;
    question_prompt(r, q, lib_word(r->lang, W_REPL_ANSWER_PROMPT), prompt, sizeof prompt);
    for (int attempt = 0, tries = lab_question_tries(q); attempt < tries;) {
        if (question_line(r, q, prompt, &line) != TYPED_ANSWER) return;
        double truth;
        int choice;
        bool known = truth_of(r, s, &truth);
        int right = known ? lab_question_judge(q, &r->drawn, line, truth, &choice) : 0;
        if (!known || right < 0) {
            if (known) say_unreadable(r, q, line);
            free(line);
            if (!known) return;
            continue;
        }
        question_tried(r, s, right);
        text_put(&r->out, right ? TEXT_GOOD : TEXT_WARN, "%s\n",
                 right ? lib_word(r->lang, W_REPL_RIGHT) : lib_word(r->lang, W_REPL_NOT_QUITE));
        if (choice >= 0 && q->choices[choice].because.text[r->lang])
            step_say(r, &q->choices[choice].because, 0);
        if (!right) tell_wrong(r, s, line, truth, ++attempt < tries);
        free(line);
        if (!right && attempt < tries) continue;
        if (q->because.text[r->lang]) step_say(r, &q->because, 0);
        quiz_complete(r);
        return;
    }
}

/* Reads a line until it has a readable number. Returns it, malloc'ed, or NULL. */
static char *prediction_line(repl *r, const lab_question *number) {
    char prompt[64], *line;
    question_prompt(r, number, lib_word(r->lang, W_REPL_PREDICT_PROMPT), prompt, sizeof prompt);
    while (question_line(r, number, prompt, &line) == TYPED_ANSWER) {
        if (lab_question_judge(number, NULL, line, 0, NULL) >= 0) return line;
        say_unreadable(r, number, line);
        free(line);
    }
    return NULL;
}

/* Prints and records how far off the prediction was. */
static void prediction_score(repl *r, const lab_step *s, const char *line, double truth, bool hit) {
    char key[LAB_QUESTION_KEY], factor[32];
    text_number n;
    if (text_number_read(line, s->question.unit, &n) != TEXT_NUMBER_OK) return;
    lab_question_key(s, key);
    progress_guess_add(r->progress, r->lab->id, key,
                       &(progress_guess){.said = n.value, .truth = truth, .hit = hit});
    double f = review_factor(n.value, truth);
    if (hit || isinf(f)) return;
    review_factor_text(factor, f);
    text_words(&r->out, TEXT_DIM, 0, r->lang,
               n.value > truth ? w_repl_predict_high(factor) : w_repl_predict_low(factor));
}

/* Compares a prediction with the measurement. Returns 1: right, 0: wrong, -1: not measurable
 * (printed). */
static int prediction_judge(repl *r, const lab_step *s, const lab_question *number,
                            const char *line) {
    const lab_question *q = &s->question;
    char said[128], measured[128];
    measured_run run;
    if (!measured_get(r, &q->measure, &r->drawn, false, &run)) return -1;
    double truth = measured_figure(&run, q->measure.counter);
    bool hit = lab_question_judge(number, NULL, line, truth, NULL) == 1;
    snprintf(said, sizeof said, "%.100s", line + strspn(line, " \t"));
    print_number(r, q, truth, measured, sizeof measured);
    text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_predicted(said, measured));
    text_line(&r->out, hit ? TEXT_GOOD : TEXT_WARN, 0, "%s",
              hit ? lib_word(r->lang, W_REPL_PREDICT_HIT) : lib_word(r->lang, W_REPL_PREDICT_MISS));
    prediction_score(r, s, line, truth, hit);
    if (!hit) say_reply(r, s, line);
    if (q->because.text[r->lang]) step_say(r, &q->because, 0);
    return hit;
}

void question_predict(repl *r, const lab_step *s) {
    lab_question number = s->question;
    number.kind = LAB_ANSWER_NUMBER;
    char *line = prediction_line(r, &number);
    if (!line) return;
    int hit = prediction_judge(r, s, &number, line);
    if (hit >= 0) {
        question_tried(r, s, hit);
        quiz_complete(r);
    }
    free(line);
}

/* ---- outside the lesson ---- */

char *question_answer(repl *r, const lab_step *s, question_outcome *how) {
    lab_question q = s->question;
    char prompt[64], *line;
    if (s->kind == LAB_PREDICT) q.kind = LAB_ANSWER_NUMBER;
    put_choices(r, &q);
    question_prompt(r, &q,
                    s->kind == LAB_PREDICT ? lib_word(r->lang, W_REPL_PREDICT_PROMPT)
                                           : lib_word(r->lang, W_REPL_ANSWER_PROMPT),
                    prompt, sizeof prompt);
    for (;;) {
        typed t = question_line(r, &q, prompt, &line);
        if (t != TYPED_ANSWER) {
            *how = t == TYPED_NOTHING ? QUESTION_OPEN : QUESTION_ENDED;
            return NULL;
        }
        if (lab_question_judge(&q, &r->drawn, line, 0, NULL) >= 0) return line;
        say_unreadable(r, &q, line);
        free(line);
    }
}

question_outcome question_once(repl *r, const lab_step *s) {
    const lab_question *q = &s->question;
    question_outcome how = QUESTION_OPEN;
    char *line = question_answer(r, s, &how);
    if (!line) return how;
    lab_question number = *q;
    number.kind = LAB_ANSWER_NUMBER;
    double truth;
    int right = -1, choice = -1;
    if (s->kind == LAB_PREDICT) {
        right = prediction_judge(r, s, &number, line);
    } else if (truth_of(r, s, &truth)) {
        right = lab_question_judge(q, &r->drawn, line, truth, &choice);
        text_put(&r->out, right ? TEXT_GOOD : TEXT_WARN, "%s\n",
                 right ? lib_word(r->lang, W_REPL_RIGHT) : lib_word(r->lang, W_REPL_NOT_QUITE));
        if (choice >= 0 && q->choices[choice].because.text[r->lang])
            step_say(r, &q->choices[choice].because, 0);
        if (!right) tell_wrong(r, s, line, truth, false);
        if (q->because.text[r->lang]) step_say(r, &q->because, 0);
    }
    free(line);
    return right < 0 ? QUESTION_OPEN : right ? QUESTION_RIGHT : QUESTION_WRONG;
}

bool question_answered(repl *r, const lab_step *s) {
    char key[LAB_QUESTION_KEY];
    progress_question a;
    lab_question_key(s, key);
    progress_question_get(r->progress, r->lab->id, key, &a);
    return a.right || (r->lab->quiz && a.tries);
}
