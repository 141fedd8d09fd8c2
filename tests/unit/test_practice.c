/* Questions outside their lessons: when one comes back, where to start, how good predictions are,
 * what can be asked by itself. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "runner/practice/bank.h"
#include "runner/practice/place.h"
#include "runner/practice/review.h"
#include "grader/rng.h"
#include "tests/unit/folder_fixture.h"
#include "tests/said.h"

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

/* An answer a row, of one card: what the card is then. The days of the boxes are 0, 1, 3, 7, 16, 35
 * and 90. */
static void test_cards(void) {
    enum { START = 1700000000 };
    static const struct {
        int64_t at; /* from START */
        bool right;
        int box, lapses;
        int64_t seen, due;
    } rows[] = {
        {0, false, 0, 1, 0, 0},
        {0, false, 0, 2, 0, 0},                               /* missed again */
        {0, true, 1, 2, 0, DAY},                              /* due at once: on its day */
        {DAY - 1, true, 1, 2, 0, DAY},                        /* before it: the date stands */
        {DAY, true, 2, 2, DAY, 4 * DAY},                      /* three days */
        {4 * DAY + 5, true, 3, 2, 4 * DAY + 5, 11 * DAY + 5}, /* late: from then on */
        {11 * DAY + 5, true, 4, 2, 11 * DAY + 5, 27 * DAY + 5},
        {27 * DAY + 5, true, 5, 2, 27 * DAY + 5, 62 * DAY + 5},
        {62 * DAY + 5, true, 6, 2, 62 * DAY + 5, 152 * DAY + 5},
        {152 * DAY + 5, true, 6, 2, 152 * DAY + 5, 242 * DAY + 5}, /* the last */
        {200 * DAY, false, 0, 3, 200 * DAY, 200 * DAY},            /* missed before it: at once */
    };
    progress *p = progress_open(in("cards"));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        progress_card c;
        review_add(p, "hello", "q", rows[k].right, START + rows[k].at);
        CHECK(progress_card_get(p, "hello", "q", &c));
        CHECK_INT(c.box, rows[k].box);
        CHECK_INT(c.lapses, rows[k].lapses);
        CHECK_INT(c.seen - START, rows[k].seen);
        CHECK_INT(c.due - START, rows[k].due);
        CHECK_INT(review_due(p, c.due), 1);
        CHECK_INT(review_due(p, c.due - 1), 0);
    }
    progress_close(p);
}

static void test_guesses(void) {
    char factor[32];
    CHECK_STR(review_factor_text(factor, 1), "1");
    CHECK_STR(review_factor_text(factor, 257.0 / 256), "1.004"); /* 1.00390625 */
    CHECK_STR(review_factor_text(factor, 1.00002), "1.00002");
    CHECK_STR(review_factor_text(factor, 2.5), "2.5");
    CHECK_STR(review_factor_text(factor, 998999.25), "998,999");
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
    /* ten of 4, nine of 1.5 and one of 1: between the tenth and the eleventh */
    CHECK_NEAR(s.typical, 2.75, 0);
    for (int i = 0; i < 3; i++) g[i] = (progress_guess){.said = 2 << i, .truth = 1, .hit = true};
    static const double typical[] = {1, 2, 3, 4};
    for (size_t n = 0; n < 4; n++) {
        review_guesses(g, n, &s);
        CHECK_NEAR(s.typical, typical[n], 0); /* of 2, 4 and 8 */
        CHECK(s.count == n && s.hits == n && !s.trend && !s.last && !s.before);
    }
    for (int i = 0; i < 3; i++) g[i] = (progress_guess){.said = 40, .truth = 10};
    review_guesses(g, 19, &s);
    CHECK(!s.trend);
    CHECK_NEAR(s.typical, 4, 0); /* the tenth of 19 */
    review_guesses(g, 0, &s);
    CHECK_INT(s.count, 0);
}

/* A student who knows chapters 1 to `knows`, answers those with 0.85 and the others by luck;
 * returns where ten questions put them. */
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
    /* Who knows just chapters 1 to k, and is sure of it, is placed behind them: whatever kind the
     * questions are of. */
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
    /* Of no chapters there is one, of too many as many as there can be; at first each is as
     * likely. */
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

/* The belief after an answer is Bayes' rule; of which chapter to ask is where what is known is
 * nearest to a half: of three chapters that are as likely, the first is known by 3/4, the second by
 * 1/2, the third by 1/4. */
static void test_belief(void) {
    place_belief b;
    static const struct {
        int left[4], chapter;
    } asked[] = {{{0, 1, 1, 1}, 2}, {{0, 1, 0, 1}, 1}, {{0, 0, 0, 1}, 3}, {{0, 0, 0, 0}, 0},
                 {{1, 0, 0, 0}, 0}, {{0, 0, 2, 1}, 2}, {{0, -1, 0, 1}, 3}};
    place_begin(&b, 3);
    CHECK_INT(place_start(&b), 1); /* the first of those that are as likely */
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        CHECK_INT(place_chapter(&b, asked[k].left), asked[k].chapter);
    static const struct {
        int chapter, choices;
        bool right;
        double luck;
        int start;
    } told[] = {{2, 4, true, 0.25, 3},
                {2, 4, false, 0.25, 1},
                {1, 1, true, 1, 1},
                {3, 2, true, 0.5, 4},
                {3, 0, true, PLACE_LUCK_NUMBER, 4},
                {1, 0, false, PLACE_LUCK_NUMBER, 1},
                {1, 3, true, 1.0 / 3, 2}};
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        double want[4], sum = 0;
        for (int i = 0; i < 4; i++) {
            double p = i < told[k].chapter ? told[k].luck : PLACE_KNOWN;
            sum += want[i] = told[k].right ? p : 1 - p;
        }
        place_begin(&b, 3);
        place_told(&b, told[k].chapter, told[k].choices, told[k].right);
        for (int i = 0; i < 4; i++) CHECK_NEAR(b.p[i], want[i] / sum, 1e-12);
        CHECK_INT(place_start(&b), told[k].start);
    }
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
            lab_drawn d;
            double truth;
            lab_step_draw(v[i].step, 7, &d);
            if (v[i].step->question.kind == LAB_ANSWER_NUMBER &&
                !lab_step_number(v[i].lab, v[i].step, &d, &truth, &msg))
                CHECK_STR(said(&msg), "");
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

/* ---- labs of its own ---- */

#define TEXT "en = \"a\", zh = \"a\""
#define LESSON(id, chapter, rest)                                                                  \
    "return lab { id = \"" id "\", title = { " TEXT " }, chapter = " chapter                       \
    ", minutes = 5, after = { " TEXT " }, more = { " TEXT " }, " rest " }\n"
#define GRADED                                                                                     \
    "entry = \"void f(float *c, int n)\", args = { c = output(\"n\") }, "                          \
    "cases = { { n = 10, timed = true } }, goals = { correct { points = 4 } }, "                   \
    "hints = { { " TEXT " }, { " TEXT " }, { " TEXT " } }, "

/* Each item as LAB:STEP. */
static char *items_of(bank *b, bank_filter f) {
    static char text[400];
    bank_item *v;
    size_t n = bank_find(b, &f, &v);
    *text = 0;
    for (size_t i = 0; i < n; i++) {
        CHECK(v[i].step == &v[i].lab->steps[v[i].index]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%d", i ? " " : "",
                 v[i].lab->id, v[i].index);
    }
    free(v);
    return text;
}

static void test_filters(void) {
    put("labs/one.lua",
        LESSON("one", "1",
               GRADED "steps = { exercise { " TEXT " },\n"
                      "ask { en = \"q1\", zh = \"a\", answer = 7, alone = true },\n"
                      "ask { en = \"q2\", zh = \"a\", answer = 7, draw = { n = { 1, 9 } } },\n"
                      "ask { en = \"q3\", zh = \"a\", answer = 7, draw = same },\n"
                      "predict { en = \"q4\", zh = \"a\", counter = \"gld_sectors\" },\n"
                      "predict { en = \"q5\", zh = \"a\", counter = \"gld_sectors\", of = "
                      "\"baseline\" },\n"
                      "ask { en = \"q6\", zh = \"a\", answer = measured { counter = "
                      "\"gld_sectors\" } },\n"
                      "say { en = \"said\", zh = \"a\" } }"));
    put("labs/quizz.lua",
        LESSON("quizz", "2",
               "goals = { answers { points = 3 } }, steps = {\n"
               "ask { en = \"q1\", zh = \"a\", answer = 7 }, ask { en = \"q2\", zh = \"a\", "
               "answer = 7 }, ask { en = \"q3\", zh = \"a\", answer = 7 } }"));
    put("labs/two.lua", LESSON("two", "3",
                               GRADED "steps = { exercise { " TEXT
                                      " }, ask { en = \"q\", zh = \"a\", answer = 7 } }"));
    put("labs/bad.lua", "return lab { id = \"bad\" }\n");
    put("warplab/packs/p/pack.lua",
        "return pack { name = \"p\", title = { " TEXT " }, version = \"1\" }\n");
    put("warplab/packs/p/labs/x.lua",
        LESSON("x", "9",
               GRADED "steps = { exercise { " TEXT
                      " }, ask { en = \"q\", zh = \"a\", answer = 7, alone = true } }"));
    bank *b = bank_open(root);
    CHECK_INT(bank_chapters(b), 3); /* neither of what does not load nor of a pack */
    static const struct {
        bank_filter f;
        const char *want;
    } rows[] = {
        {{0}, "one:1 one:2 one:5 one:6 two:1 p/x:1"},
        {{.quick = true}, "one:1 one:2 two:1 p/x:1"},
        {{.alone = true}, "one:1 p/x:1"},
        {{.quizzes = true}, "one:1 one:2 one:5 one:6 quizz:0 quizz:1 quizz:2 two:1 p/x:1"},
        {{.chapter = 1}, "one:1 one:2 one:5 one:6"},
        {{.chapter = 2}, ""},
        {{.chapter = 2, .quizzes = true}, "quizz:0 quizz:1 quizz:2"},
        {{.chapter = 3, .quick = true}, "two:1"},
        {{.chapter = 9}, ""}, /* a pack's chapters are its own */
        {{.lab = "p/x"}, "p/x:1"},
        {{.lab = "two"}, "two:1"},
        {{.lab = "one", .quick = true, .alone = true}, "one:1"},
        {{.lab = "one", .chapter = 3}, ""},
        {{.lab = "bad"}, ""},
        {{.lab = "quizz"}, ""},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_STR(items_of(b, rows[k].f), rows[k].want);
    /* Every question is found by its key, and nothing else is. */
    lab *one = bank_lab_named(b, "one");
    CHECK(one && !bank_lab_named(b, "bad") && !bank_lab_named(b, "none"));
    for (size_t k = 0; one && k < one->step_count; k++) {
        char key[LAB_QUESTION_KEY];
        bank_item got = {0};
        bool asks = k >= 1 && k <= 6;
        lab_question_key(&one->steps[k], key);
        CHECK(bank_get(b, "one", key, &got) == asks);
        CHECK(got.lab == (asks ? one : NULL) && got.step == (asks ? &one->steps[k] : NULL) &&
              got.index == (asks ? (int)k : 0));
        CHECK(!bank_get(b, "two", key, &got) && !bank_get(b, "bad", key, &got));
    }
    bank_close(b);
}

/* Each order of three is as likely: of 3000 draws 500, give or take five sigma of 20.4. */
static void test_draws(void) {
    int seen[6] = {0};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        bank_item v[] = {{.index = 0}, {.index = 1}, {.index = 2}, {.index = 3}};
        if (bank_draw(v, 3, 3, seed) != 3 || v[3].index != 3 ||
            (1 << v[0].index | 1 << v[1].index | 1 << v[2].index) != 7)
            CHECK_INT(seed, -1);
        seen[2 * v[0].index + (v[1].index > v[2].index)]++;
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(seen[i], 500, 102);
    bank_item v[] = {{.index = 0}, {.index = 1}};
    CHECK_INT(bank_draw(v, 2, 0, 1), 0);
    CHECK(v[0].index == 0 && v[1].index == 1);
    CHECK_INT(bank_draw(v, 2, 1, 1), 1);
    CHECK_INT(bank_draw(v, 2, 2, 1), 2);
    CHECK_INT(bank_draw(v, 2, 3, 1), 2);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-practice-XXXXXX");
    if (!mkdtemp(root)) return 1;
    setenv("XDG_DATA_HOME", root, 1);
    test_review();
    test_cards();
    test_guesses();
    test_place();
    test_belief();
    test_bank();
    test_filters();
    test_draws();
    lib_remove_tree(root);
    return check_done();
}
