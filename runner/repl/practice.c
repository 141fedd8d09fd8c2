/* Questions outside their lesson: `place`, `review`, `quiz`.
 *
 *   bank (practice/bank.h) --item--> its lab instead of the open lab, new numbers
 *        --question_once--> right, wrong
 *             --> place_told: the chapter to start with
 *             --> review_add: when it comes back
 *
 * Meanwhile the open lab, its runs and its step are set aside. Afterwards they are as before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/lesson/catalog.h"
#include "runner/practice/bank.h"
#include "runner/practice/place.h"
#include "runner/practice/review.h"
#include "runner/repl/draw.h"
#include "runner/repl/steps.h"
#include "words/repl.h"
#include "words/term.h"

enum { REVIEW_SESSION = 20, QUIZ_QUESTIONS = 10, DAY_S = 24 * 3600 };

/* ---- setting the open lab aside ---- */

/* Moves everything about the open lab from one session to the other. */
static void move_open(repl *to, const repl *from) {
    to->lab = from->lab;
    to->state = from->state;
    to->step = from->step;
    to->draw_seed = from->draw_seed;
    to->drawn = from->drawn;
    to->insisted = from->insisted;
    to->checked = from->checked;
    memcpy(to->file, from->file, sizeof to->file);
    memcpy(to->group_seed, from->group_seed, sizeof to->group_seed);
    memcpy(to->cache, from->cache, sizeof to->cache);
}

repl *practice_begin(repl *r, repl_asking asking) {
    repl *aside = lib_malloc(sizeof *aside);
    move_open(aside, r);
    memset(r->cache, 0, sizeof r->cache);
    r->checked = (repl_checked){0};
    r->lab = NULL;
    r->asking = asking;
    return aside;
}

void practice_take(repl *r, lab *l) {
    if (r->lab == l) return;
    measured_clear(r);
    lab_free(r->lab);
    r->lab = l ? lab_hold(l) : NULL;
}

void practice_end(repl *r, repl *aside) {
    practice_take(r, NULL);
    move_open(r, aside);
    r->asking = ASK_LESSON;
    free(aside);
}

void practice_show(repl *r, const bank_item *at, uint64_t seed) {
    practice_take(r, at->lab);
    r->step = at->index;
    snprintf(r->file, sizeof r->file, "%s/%s%s", r->paths->work, at->lab->id,
             at->lab->grade.file_count ? "" : ".cu");
    lab_step_draw(at->step, seed, &r->drawn);
    lab_step_shuffle(at->step, seed, &r->drawn);
    step_say(r, &at->step->text, 0);
    text_put(&r->out, TEXT_PLAIN, "\n");
}

static question_outcome practice_ask(repl *r, const bank_item *at) {
    r->draw_seed = r->seed + ++r->clock * 7919;
    practice_show(r, at, r->draw_seed);
    return question_once(r, at->step);
}

static void say_at(repl *r, size_t n, size_t of, const bank_item *at) {
    text_page_begin(&r->out);
    text_put(&r->out, TEXT_PLAIN, "\n");
    text_words(&r->out, TEXT_DIM, 0, r->lang,
               w_repl_practice_at(n, of, at->lab->chapter, at->lab->title.text[r->lang]));
}

/* ---- a round of questions ---- */

typedef struct {
    size_t asked, right;
    size_t missed[REVIEW_SESSION]; /* indices of items */
    size_t missed_count;
    bool ended;
} practice_round;

static void take_in(repl *r, const bank_item *at, bool right) {
    char key[LAB_QUESTION_KEY];
    lab_question_key(at->step, key);
    review_add(r->progress, at->lab->id, key, right, (int64_t)time(NULL));
}

/* Asks at most REVIEW_SESSION items, each once. */
static practice_round practice_go(repl *r, const bank_item *items, size_t n) {
    practice_round p = {0};
    for (size_t i = 0; i < n && !p.ended; i++) {
        say_at(r, i + 1, n, &items[i]);
        question_outcome how = practice_ask(r, &items[i]);
        p.ended = how == QUESTION_ENDED;
        if (how != QUESTION_RIGHT && how != QUESTION_WRONG) continue;
        p.asked++;
        p.right += how == QUESTION_RIGHT;
        if (how == QUESTION_WRONG) p.missed[p.missed_count++] = i;
        take_in(r, &items[i], how == QUESTION_RIGHT);
    }
    return p;
}

static void say_score(repl *r, const bank_item *items, const practice_round *p) {
    text_put(&r->out, TEXT_PLAIN, "\n");
    if (!p->asked) {
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_PRACTICE_NONE));
        return;
    }
    text_words(&r->out, p->right == p->asked ? TEXT_GOOD : TEXT_STRONG, 0, r->lang,
               w_repl_practice_score(p->right, p->asked));
    char labs[300] = "";
    for (size_t i = 0; i < p->missed_count; i++) {
        const char *id = items[p->missed[i]].lab->id;
        size_t used = strlen(labs);
        if (!strstr(labs, id))
            snprintf(labs + used, sizeof labs - used, "%s%s", used ? "\n" : "", id);
    }
    if (labs[0]) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_practice_look(labs));
}

/* ---- review ---- */

size_t practice_due(repl *r) {
    return review_due(r->progress, (int64_t)time(NULL));
}

/* Finds the due questions that still exist; a lesson may have been changed. */
static size_t due_items(repl *r, bank *b, bank_item items[REVIEW_SESSION], size_t *left) {
    progress_card *cards;
    int64_t now = (int64_t)time(NULL);
    size_t n = progress_cards(r->progress, now, &cards), count = 0;
    *left = 0;
    for (size_t i = 0; i < n; i++) {
        bank_item at;
        if (!bank_get(b, cards[i].lab, cards[i].key, &at) || !bank_asks(at.lab, at.step)) {
            /* is asked again once the question exists again and is answered */
            cards[i].due = INT64_MAX;
            progress_card_put(r->progress, &cards[i]);
        } else if (count < REVIEW_SESSION) {
            items[count++] = at;
        } else {
            ++*left;
        }
    }
    free(cards);
    return count;
}

static void say_none_due(repl *r) {
    progress_card *cards;
    size_t n = progress_cards(r->progress, INT64_MAX - 1, &cards);
    double s = n ? (double)(cards[0].due - (int64_t)time(NULL)) : 0;
    int days = (int)ceil(s / DAY_S);
    if (!n) text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_REVIEW_NONE_YET));
    else if (days <= 1)
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_REVIEW_NEXT_1));
    else text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_review_next(days));
    free(cards);
}

/* Asks what was wrong once more, with other numbers. */
static void review_missed(repl *r, const bank_item *items, const practice_round *p) {
    for (size_t i = 0; i < p->missed_count; i++) {
        const bank_item *at = &items[p->missed[i]];
        text_put(&r->out, TEXT_PLAIN, "\n");
        text_words(&r->out, TEXT_DIM, 0, r->lang,
                   w_repl_practice_again(at->lab->chapter, at->lab->title.text[r->lang]));
        question_outcome how = practice_ask(r, at);
        if (how == QUESTION_ENDED) return;
        if (how == QUESTION_WRONG) take_in(r, at, false);
        if (how == QUESTION_RIGHT) take_in(r, at, true);
    }
}

int repl_review(repl *r, char *argument) {
    (void)argument;
    bank *b = bank_open(r->root);
    bank_item items[REVIEW_SESSION];
    size_t left, n = due_items(r, b, items, &left);
    if (!n) {
        say_none_due(r);
        bank_close(b);
        return 0;
    }
    if (left) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_review_first(n + left, n));
    else text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_review_head(n));
    repl *aside = practice_begin(r, ASK_PRACTICE);
    practice_round p = practice_go(r, items, n);
    if (!p.ended) review_missed(r, items, &p);
    practice_end(r, aside);
    say_score(r, items, &p);
    left = practice_due(r);
    if (left) text_words(&r->out, TEXT_DIM, 0, r->lang, w_repl_review_left(left));
    bank_close(b);
    return 0;
}

/* ---- quiz ---- */

/* Finds a chapter by its number or by a word of its title; 0 if there is none (printed). */
static int which_chapter(repl *r, const bank *b, const char *argument) {
    int most = bank_chapters(b);
    if (!*argument) return r->lab ? r->lab->chapter : 1;
    char *end;
    long n = strtol(argument, &end, 10);
    if (!*end && n >= 1 && n <= most) return (int)n;
    for (int c = 1; end == argument && c <= most; c++)
        for (int lang = 0; lang < LIB_LANGS; lang++)
            if (lab_list_holds(lab_chapter_title((lib_lang)lang, c), argument)) return c;
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_quiz_which(argument, most));
    return 0;
}

int repl_quiz(repl *r, char *argument) {
    bank *b = bank_open(r->root);
    bank_item *items = NULL;
    int chapter = which_chapter(r, b, argument);
    size_t n =
        chapter ? bank_find(b, &(bank_filter){.chapter = chapter, .quick = true}, &items) : 0;
    if (n) {
        n = bank_draw(items, n, QUIZ_QUESTIONS, r->seed + ++r->clock);
        text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                   w_repl_quiz_of(chapter, lab_chapter_title(r->lang, chapter), n));
        repl *aside = practice_begin(r, ASK_PRACTICE);
        practice_round p = practice_go(r, items, n);
        practice_end(r, aside);
        say_score(r, items, &p);
    } else if (chapter) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_quiz_empty(chapter));
    }
    free(items);
    bank_close(b);
    return !n;
}

/* ---- place ---- */

typedef struct {
    bank_item *items[PLACE_CHAPTERS + 1];
    int left[PLACE_CHAPTERS + 1];
    place_belief belief;
    int answered;
    bool ended, left_early;
} placing;

static void place_ask(repl *r, placing *p, int n) {
    int c = place_chapter(&p->belief, p->left);
    if (!c) {
        p->ended = true;
        return;
    }
    const bank_item *at = &p->items[c][--p->left[c]];
    const lab_question *q = &at->step->question;
    say_at(r, (size_t)n + 1, PLACE_QUESTIONS, at);
    question_outcome how = practice_ask(r, at);
    p->ended = p->left_early = how == QUESTION_ENDED;
    if (p->ended) return;
    p->answered++;
    place_told(&p->belief, c, q->kind == LAB_ANSWER_CHOICE ? (int)q->choice_count : 0,
               how == QUESTION_RIGHT);
}

static void place_say(repl *r, int start, int chapters) {
    lab_header *h;
    size_t n = lab_list(r->root, &h);
    const char *first = NULL;
    text_put(&r->out, TEXT_PLAIN, "\n");
    for (size_t i = 0; i < n && !first; i++)
        if (h[i].chapter == start && !h[i].broken) first = h[i].id;
    if (start > chapters || !first) {
        text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_PLACE_ALL));
    } else {
        if (start == 1)
            text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_PLACE_KNOWS_0));
        else if (start == 2)
            text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_PLACE_KNOWS_1));
        else text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_place_knows(start - 1));
        text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                   w_repl_place_start(start, lab_chapter_title(r->lang, start), first));
    }
    free(h);
}

int repl_place(repl *r, char *argument) {
    (void)argument;
    bank *b = bank_open(r->root);
    placing p = {0};
    place_begin(&p.belief, bank_chapters(b));
    for (int c = 1; c <= p.belief.chapters; c++) {
        bank_filter f = {.chapter = c, .alone = true, .quick = true, .quizzes = true};
        size_t n = bank_find(b, &f, &p.items[c]);
        p.left[c] = (int)bank_draw(p.items[c], n, n, r->seed + ++r->clock);
    }
    text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_PLACE_HEAD));
    repl *aside = practice_begin(r, ASK_PRACTICE);
    for (int i = 0; i < PLACE_QUESTIONS && !p.ended; i++) place_ask(r, &p, i);
    practice_end(r, aside);
    if (p.left_early && p.answered)
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_place_left(p.answered, PLACE_QUESTIONS));
    else if (p.answered) place_say(r, place_start(&p.belief), p.belief.chapters);
    else text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_PRACTICE_NONE));
    for (int c = 1; c <= p.belief.chapters; c++) free(p.items[c]);
    bank_close(b);
    return 0;
}

/* ---- predictions ---- */

void practice_guesses(repl *r) {
    progress_guess *v;
    size_t n = progress_guesses(r->progress, &v);
    review_guess_sum s;
    char typical[32], last[32], before[32];
    review_guesses(v, n, &s);
    free(v);
    if (!n) return;
    review_factor_text(typical, s.typical);
    if (isinf(s.typical))
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_guesses_far(s.count, s.hits));
    else text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_guesses(s.count, s.hits, typical));
    if (!s.trend || isinf(s.last) || isinf(s.before)) return;
    review_factor_text(last, s.last);
    review_factor_text(before, s.before);
    text_words(&r->out, TEXT_DIM, 0, r->lang,
               s.last < s.before   ? w_repl_guesses_better(REVIEW_LAST, last, before)
               : s.last > s.before ? w_repl_guesses_worse(REVIEW_LAST, last, before)
                                   : w_repl_guesses_same(REVIEW_LAST, last, before));
}
