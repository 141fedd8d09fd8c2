/* Questions outside their lessons: when one comes back, where to start, how good predictions are, what can be asked by
 * itself. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/check.h"
#include "grader/lab/lab.h"
#include "runner/practice/bank.h"
#include "runner/practice/place.h"
#include "runner/practice/review.h"

enum { DAY = 24 * 3600 };

static void test_review(void) {
    /* Known at once: three days; then a week, 16 days ... as long as it is right on its day. */
    progress_card c = {0};
    int64_t now = 1700000000;
    review_told(&c, true, now);
    CHECK_INT(c.due - now, 3 * DAY);
    static const int days[] = {7, 16, 35, 90, 90};
    for (int i = 0; i < 5; i++) {
        now = c.due;
        review_told(&c, true, now);
        CHECK_INT(c.due - now, days[i] * DAY);
    }
    /* Missed: at once, and then from the beginning. */
    review_told(&c, false, now);
    CHECK_INT(c.due, now);
    CHECK_INT(c.lapses, 1);
    review_told(&c, true, now);
    CHECK_INT(c.due - now, DAY);
    /* Right again before its day moves it no further. */
    int box = c.box;
    review_told(&c, true, now + 60);
    CHECK_INT(c.box, box);

    char path[] = "/tmp/warplab-practice-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    progress *p = progress_open(path);
    CHECK_INT(review_due(p, now), 0);
    review_add(p, "hello", "q1", false, now);
    review_add(p, "hello", "q2", true, now);
    CHECK_INT(review_due(p, now), 1);
    review_add(p, "hello", "q1", true, now);
    CHECK_INT(review_due(p, now), 0);
    CHECK_INT(review_due(p, now + DAY), 1);
    CHECK_INT(review_due(p, now + 3 * DAY), 2);
    /* Another look the same day neither hurries nor delays it. */
    review_add(p, "hello", "q2", true, now + 2 * DAY);
    CHECK_INT(review_due(p, now + 3 * DAY), 2);
    progress_close(p);
    p = progress_open(path);
    progress_card *v;
    CHECK_INT(progress_cards(p, now + 3 * DAY, &v), 2);
    CHECK_STR(v[0].key, "q1");
    CHECK_INT(v[0].lapses, 1);
    free(v);
    progress_close(p);
    unlink(path);
}

static void test_guesses(void) {
    CHECK_NEAR(review_factor(8, 4), 2, 0);
    CHECK_NEAR(review_factor(4, 8), 2, 0);
    CHECK_NEAR(review_factor(0, 0), 1, 0);
    CHECK(isinf(review_factor(0, 3)));
    CHECK(isinf(review_factor(3, 0)));
    CHECK(isinf(review_factor(-3, 3)));
    progress_guess g[20];
    for (int i = 0; i < 20; i++) g[i] = (progress_guess){.said = i < 10 ? 40 : 15, .truth = 10};
    g[19].said = 10;
    g[19].hit = true;
    review_guess_sum s;
    review_guesses(g, 20, &s);
    CHECK(s.trend && s.hits == 1 && s.count == 20);
    CHECK_NEAR(s.before, 4, 0);
    CHECK_NEAR(s.last, 1.5, 0);
    review_guesses(g, 19, &s);
    CHECK(!s.trend);
    CHECK_NEAR(s.typical, 4, 0); /* the tenth of 19 */
    review_guesses(g, 0, &s);
    CHECK_INT(s.count, 0);
}

/* A student who knows chapters 1 to `knows`, answers those with 0.85 and the others by luck; returns where ten
 * questions put them. */
static int placed(int knows, int chapters, uint64_t seed) {
    place_belief b;
    int left[PLACE_CHAPTERS + 1];
    for (int c = 0; c <= PLACE_CHAPTERS; c++) left[c] = 5;
    grade_rng g;
    grade_rng_seed(&g, seed, "student");
    place_begin(&b, chapters);
    for (int i = 0; i < PLACE_QUESTIONS; i++) {
        int c = place_chapter(&b, left);
        left[c]--;
        double u = grade_rng_uniform(&g);
        place_told(&b, c, 0, u < (c <= knows ? 0.85 : 0.1));
    }
    return place_start(&b);
}

static void test_place(void) {
    enum { CHAPTERS = 10, STUDENTS = 200 };
    int near = 0, all = 0;
    double sum = 0;
    for (int k = 0; k <= CHAPTERS; k++)
        for (int i = 0; i < STUDENTS; i++, all++) {
            int start = placed(k, CHAPTERS, (uint64_t)(k * 1000 + i));
            near += abs(start - (k + 1)) <= 1;
            sum += start - (k + 1);
        }
    printf("# %d of %d students are placed within one chapter; on average off by %+.2f\n", near,
           all, sum / all);
    CHECK(near >= all * 80 / 100);
    CHECK(fabs(sum / all) < 0.5);
    /* Who answers all, or nothing, is at an end. */
    place_belief b;
    int left[PLACE_CHAPTERS + 1];
    for (int right = 0; right < 2; right++) {
        for (int c = 0; c <= PLACE_CHAPTERS; c++) left[c] = 5;
        place_begin(&b, CHAPTERS);
        for (int i = 0; i < PLACE_QUESTIONS; i++) {
            int c = place_chapter(&b, left);
            left[c]--;
            place_told(&b, c, 4, right);
        }
        CHECK_INT(place_start(&b), right ? CHAPTERS + 1 : 1);
    }
    /* Who knows just chapters 1 to k, and is sure of it, is placed behind them: whatever kind the questions are of. */
    static const int kinds[] = {0, 2, 3, 4};
    for (int k = 0; k <= CHAPTERS; k++)
        for (int kind = 0; kind < 4; kind++) {
            for (int c = 0; c <= PLACE_CHAPTERS; c++) left[c] = 7;
            place_begin(&b, CHAPTERS);
            for (int i = 0; i < PLACE_QUESTIONS; i++) {
                int c = place_chapter(&b, left);
                left[c]--;
                place_told(&b, c, kinds[kind], c <= k);
            }
            CHECK_INT(place_start(&b), k + 1);
        }
    /* Of no chapters there is one, of too many as many as there can be; at first each is as likely. */
    static const int said[] = {-1, 0, 1, 2, PLACE_CHAPTERS, PLACE_CHAPTERS + 1},
                     taken[] = {1, 1, 1, 2, PLACE_CHAPTERS, PLACE_CHAPTERS};
    for (int i = 0; i < 6; i++) {
        place_begin(&b, said[i]);
        CHECK_INT(b.chapters, taken[i]);
        for (int k = 0; k <= PLACE_CHAPTERS; k++)
            CHECK_NEAR(b.p[k], k <= taken[i] ? 1.0 / (taken[i] + 1) : 0, 1e-12);
    }
    /* Nothing left to ask. */
    for (int c = 0; c <= PLACE_CHAPTERS; c++) left[c] = 0;
    CHECK_INT(place_chapter(&b, left), 0);
}

static bool same_items(const bank_item *a, const bank_item *b, size_t n) {
    bool same = true;
    for (size_t i = 0; i < n; i++)
        same &= a[i].lab == b[i].lab && a[i].step == b[i].step && a[i].index == b[i].index;
    return same;
}

static void test_bank(void) {
    bank *b = bank_open(".");
    bank_item *v;
    CHECK(bank_chapters(b) >= 10);
    for (int c = 1; c <= bank_chapters(b); c++) {
        size_t n = bank_find(
            b, &(bank_filter){.chapter = c, .alone = true, .quick = true, .quizzes = true}, &v);
        printf("# chapter %d: %zu questions that stand alone\n", c, n);
        CHECK(n >= 5);
        for (size_t i = 0; i < n; i++) {
            lib_message msg;
            lab_drawn d;
            double truth;
            lab_step_draw(v[i].step, 7, &d);
            if (v[i].step->question.kind == LAB_ANSWER_NUMBER &&
                !lab_step_number(v[i].lab, v[i].step, &d, &truth, &msg))
                CHECK_STR(msg.text, "");
        }
        free(v);
    }
    /* The second question about the same numbers cannot stand alone; a prediction needs a run. */
    size_t n = bank_find(b, &(bank_filter){.lab = "vector-add", .quick = true}, &v);
    for (size_t i = 0; i < n; i++) {
        CHECK(v[i].step->kind == LAB_ASK);
        CHECK(!strstr(v[i].step->text.text[LIB_EN], "Again n ="));
    }
    CHECK(n >= 2);
    char key[LAB_QUESTION_KEY];
    lab_question_key(v[0].step, key);
    bank_item got = {0};
    CHECK(bank_get(b, "vector-add", key, &got) && got.step == v[0].step);
    CHECK(!bank_get(b, "vector-add", "0000000000000000", &got));
    CHECK(!bank_get(b, "no-such", key, &got));
    free(v);
    /* A draw is of the seed alone, and takes each once. */
    n = bank_find(b, &(bank_filter){.quick = true}, &v);
    bank_item *w = malloc(n * sizeof *w);
    if (!w) abort();
    memcpy(w, v, n * sizeof *w);
    CHECK_INT(bank_draw(v, n, 20, 5), 20);
    bank_draw(w, n, 20, 5);
    CHECK(same_items(v, w, 20));
    bool twice = false;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < i; j++) twice |= v[i].step == v[j].step;
    CHECK(!twice);
    bank_draw(w, n, 20, 6);
    CHECK(!same_items(v, w, 20));
    CHECK_INT(bank_draw(v, 3, 20, 5), 3);
    free(v);
    free(w);
    bank_close(b);
}

int main(void) {
    test_review();
    test_guesses();
    test_place();
    test_bank();
    return check_done();
}
