/* answer("limiter") { points = 2, is = "limiter" }: an answer in words, compared with what the
 * device measured. A message never contains the right answer, because a student may hand in many
 * times.
 *
 *   `// answer NAME: VALUE` --grade_answer_find--> value --answer_judge, a grade_truth--> points */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grader/goal/kind.h"

enum { VALUE = 256 };
static const char full_colon[] = "\uFF1A"; /* a colon typed on a Chinese keyboard */

/* ---- reading ---- */

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

/* Returns the value if the line at p is `// answer NAME: VALUE`; otherwise NULL. */
static const char *answer_value(const char *p, const char *name) {
    p = skip_blanks(p);
    if (!strncmp(p, "//", 2)) p = skip_blanks(p + 2);
    if (strncmp(p, "answer", 6) || (p[6] != ' ' && p[6] != '\t')) return NULL;
    p = skip_blanks(p + 6);
    size_t n = strlen(name);
    if (strncmp(p, name, n) != 0) return NULL;
    p = skip_blanks(p + n);
    if (!strncmp(p, full_colon, strlen(full_colon))) return skip_blanks(p + strlen(full_colon));
    return *p == ':' ? skip_blanks(p + 1) : NULL;
}

int grade_answer_find(const char *text, const char *name, char *value, size_t n) {
    int found = 0;
    value[0] = 0;
    for (const char *p = text; p && *p;) {
        const char *v = answer_value(p, name);
        size_t len = v ? strcspn(v, "\r\n") : 0;
        while (len && (v[len - 1] == ' ' || v[len - 1] == '\t')) len--;
        bool blank = !len || (len == 4 && !strncmp(v, "TODO", 4)) || (len == 1 && *v == '?');
        if (v && !blank) {
            if (len >= n) len = n - 1;
            bool same = found && strlen(value) == len && !strncmp(value, v, len);
            if (!found) {
                memcpy(value, v, len);
                value[len] = 0;
            }
            if (!same) found++;
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return found;
}

/* Copies letters, digits and all non-ASCII bytes, in lower case. */
static void answer_letters(const char *s, char *out, size_t n) {
    size_t used = 0;
    for (; *s && used + 1 < n; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= 0x80 || isalnum(c)) out[used++] = (char)tolower(c);
    }
    out[used] = 0;
}

/* ---- what is right ---- */

static bool same_file(const char *of, const char *file) {
    const char *a = of ? strrchr(of, '/') : NULL, *b = file ? strrchr(file, '/') : NULL;
    return of && (!file || !strcmp(a ? a + 1 : of, b ? b + 1 : file));
}

typedef enum { SAID_RIGHT, SAID_WRONG, SAID_UNCLEAR } said;

static said judge_limiter(const grade_result *from, const char *value) {
    char word[VALUE];
    const grade_launch *longest = goal_longest(from);
    answer_letters(value, word, sizeof word);
    if (!lib_words_named("limiter", word)) return SAID_UNCLEAR;
    return longest && !strcmp(word, longest->limiter) ? SAID_RIGHT : SAID_WRONG;
}

/* Returns the number in "12" or "line 12", in any language; 0 if there is no number, or more than
 * one. */
static unsigned line_number(const char *value) {
    unsigned long line = 0;
    int numbers = 0;
    for (const char *p = value; *p;) {
        if (!isdigit((unsigned char)*p)) {
            p++;
            continue;
        }
        char *end;
        line = strtoul(p, &end, 10);
        p = end;
        numbers++;
    }
    return numbers == 1 && line < 1000000 ? (unsigned)line : 0;
}

static bool is_hottest(const grade_result *from, const char *file, const char *counter,
                       unsigned line) {
    double most = 0, here = 0, v;
    for (size_t i = 0; i < from->line_count; i++) {
        const sim_line *l = &from->lines[i];
        if (!same_file(l->file, file) || !sim_counter_get(&l->counters, counter, &v)) continue;
        if (v > most) most = v;
        if (l->line == line) here = v;
    }
    return most > 0 && here >= most;
}

static bool has_finding(const grade_result *from, const char *file, sim_finding_kind kind,
                        unsigned line) {
    for (size_t i = 0; i < from->finding_count; i++) {
        const sim_finding *f = &from->findings[i];
        if (f->kind != kind) continue;
        if (f->line == line && same_file(f->file, file)) return true;
        if (f->other_line == line && same_file(f->other_file, file)) return true;
    }
    return false;
}

static said judge_line(const grade_said *s, const grade_result *from, const char *file,
                       const char *value) {
    unsigned line = line_number(value);
    if (!line) return SAID_UNCLEAR;
    bool right = s->kind == GRADE_SAID_LINE ? is_hottest(from, file, s->counter, line)
                                            : has_finding(from, file, s->finding, line);
    return right ? SAID_RIGHT : SAID_WRONG;
}

/* c: one sector per request is enough, or the sectors are at most 1.5 times as many as the lanes'
 * bytes would fill (a row may begin in the middle of a sector). */
static char access_letter(const grade_access *a, const grade_result *from, const char *file,
                          unsigned line) {
    double requests = 0, sectors = 0, bytes = 0;
    for (size_t i = 0; i < from->line_count; i++) {
        const sim_line *l = &from->lines[i];
        if (l->line != line || !same_file(l->file, file)) continue;
        const sim_counters *c = &l->counters;
        if (a->load) {
            requests += (double)c->gld_requests;
            sectors += (double)c->gld_sectors;
            bytes += (double)c->gld_bytes;
        }
        if (a->store) {
            requests += (double)c->gst_requests;
            sectors += (double)c->gst_sectors;
            bytes += (double)c->gst_bytes;
        }
    }
    return requests == 0 ? 'x' : sectors <= fmax(requests, 1.5 * bytes / 32) ? 'c' : 'u';
}

static said judge_letters(const grade_said *s, const grade_result *from, const grade_truth *t,
                          const char *value, size_t *right) {
    char word[VALUE] = "";
    answer_letters(value, word, sizeof word);
    *right = 0;
    if (strlen(word) != s->access_count || strspn(word, "cux") != s->access_count)
        return SAID_UNCLEAR;
    for (size_t i = 0; i < s->access_count; i++)
        *right += word[i] == access_letter(&s->accesses[i], from, t->file, t->lines[i]);
    return *right == s->access_count ? SAID_RIGHT : SAID_WRONG;
}

static said judge_number(const grade_said *s, const grade_result *from, const char *value) {
    char digits[VALUE], *end;
    size_t n = 0;
    for (const char *p = value; *p; p++)
        if (*p != ',' && *p != ' ') digits[n++] = *p;
    digits[n] = 0;
    double v = strtod(digits, &end), truth = from->goal_count ? from->goals[0].actual : NAN;
    if (end == digits || !isfinite(v) || (*end && !isalpha((unsigned char)*end) && *end != '%'))
        return SAID_UNCLEAR;
    return fabs(v - truth) <= (s->tolerance + 1e-9) * fabs(truth) ? SAID_RIGHT : SAID_WRONG;
}

static said judge_text(const grade_said *s, const char *value) {
    char a[VALUE], b[VALUE];
    answer_letters(value, a, sizeof a);
    for (size_t i = 0; i < s->accept_count; i++) {
        answer_letters(s->accept[i], b, sizeof b);
        if (!strcmp(a, b)) return SAID_RIGHT;
    }
    return SAID_WRONG;
}

/* ---- points and words ---- */

static lib_word_id answer_form(const grade_said *s) {
    static const lib_word_id form[] = {
        [GRADE_SAID_LIMITER] = W_GOAL_FORM_LIMITER,   [GRADE_SAID_LINE] = W_GOAL_FORM_LINE,
        [GRADE_SAID_FINDING_LINE] = W_GOAL_FORM_LINE, [GRADE_SAID_LETTERS] = W_GOAL_FORM_LETTERS,
        [GRADE_SAID_NUMBER] = W_GOAL_FORM_NUMBER,     [GRADE_SAID_TEXT] = W_GOAL_FORM_TEXT};
    return form[s->kind];
}

static void answer_say(grade_goal_result *g, said how, const char *value, size_t right) {
    const grade_said *s = g->goal->said;
    const char *name = g->goal->name;
    char shown[VALUE];
    lib_say(shown, sizeof shown, "%.60s", value);
    lib_message_set(&g->message,
                    how == SAID_RIGHT     ? w_goal_answer_right(name, shown)
                    : how == SAID_UNCLEAR ? w_goal_answer_unclear(name, shown, answer_form(s))
                    : s->kind == GRADE_SAID_LETTERS
                        ? w_goal_answer_letters(name, (long long)right, (long long)s->access_count)
                        : w_goal_answer_wrong(name, shown));
    if (how == SAID_WRONG) goal_advise(g, 0);
}

static double answer_share(grade_result *r, size_t i, const grade_evidence *e) {
    grade_goal_result *g = &r->goals[i];
    const grade_said *s = g->goal->said;
    static const grade_truth itself;
    const grade_truth *t = e->truths ? &e->truths[i] : &itself;
    char value[VALUE];
    g->expected = 1;
    g->actual = 0;
    g->pass = false;
    if (e->explained && !t->measured) {
        const grade_goal_result *there = &e->explained->goals[i];
        g->pass = there->pass, g->actual = there->actual;
        g->message = there->message;
        return g->pass && e->outputs_right;
    }
    int found =
        grade_answer_find(e->submission ? e->submission : "", g->goal->name, value, sizeof value);
    if (found != 1) {
        lib_message_set(&g->message, found ? w_goal_answer_twice(g->goal->name)
                                           : w_goal_answer_missing(g->goal->name));
        return 0;
    }
    const grade_result *from = t->measured ? t->measured : r;
    if (s->kind != GRADE_SAID_TEXT && !t->measured && (!e->measured || !e->outputs_right)) {
        lib_message_set(&g->message, w_goal_answer_not_judged());
        return 0;
    }
    size_t right = 0;
    said how = s->kind == GRADE_SAID_LIMITER   ? judge_limiter(from, value)
               : s->kind == GRADE_SAID_LETTERS ? judge_letters(s, from, t, value, &right)
               : s->kind == GRADE_SAID_NUMBER  ? judge_number(s, from, value)
               : s->kind == GRADE_SAID_TEXT    ? judge_text(s, value)
                                               : judge_line(s, from, t->file, value);
    answer_say(g, how, value, right);
    g->pass = how == SAID_RIGHT;
    g->actual = g->pass;
    if (s->kind != GRADE_SAID_LETTERS || how != SAID_WRONG) return g->actual;
    /* guessing gives half of the letters */
    double share = (double)right / (double)s->access_count;
    g->actual = share;
    return share > 0.5 ? 2 * share - 1 : 0;
}

static void answer_judge(grade_result *r, size_t i, const grade_evidence *e, goal_judged *j) {
    j->share = answer_share(r, i, e);
}

static lib_words answer_sentence(const grade_goal *g) {
    return w_goal_asks_answer(g->name, answer_form(g->said));
}

static lib_words answer_title(const char *name, const char *relation, double expected) {
    (void)relation, (void)expected;
    return w_goal_title_answer(name);
}

/* ---- as a lesson writes it ---- */

static sim_finding_kind read_finding(goal_source *s) {
    const char *name = s->text(s, "finding", true);
    char all[256] = "";
    for (int k = 0; k < SIM_FIND_COUNT; k++) {
        const char *one = sim_finding_name((sim_finding_kind)k);
        if (!strcmp(one, name)) return (sim_finding_kind)k;
        lib_say(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", one);
    }
    s->fail(s, "finding", w_goal_finding_expected(all, name));
}

static bool said_kind(const char *is, grade_said_kind *kind) {
    static const struct {
        const char *is;
        grade_said_kind kind;
    } forms[] = {{"limiter", GRADE_SAID_LIMITER},
                 {"line", GRADE_SAID_LINE},
                 {"letters", GRADE_SAID_LETTERS},
                 {"number", GRADE_SAID_NUMBER},
                 {"text", GRADE_SAID_TEXT}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(forms[i].is, is)) {
            *kind = forms[i].kind;
            return true;
        }
    return false;
}

/* Reads the kind of the answer. A line is that of a counter or of a finding. */
static void read_is(goal_source *s, grade_said *a) {
    const char *is = s->text(s, "is", true);
    if (!said_kind(is, &a->kind)) s->fail(s, "is", w_goal_is_expected(is));
    a->counter = s->text(s, "counter", false);
    bool finding = s->text(s, "finding", false) != NULL;
    if (a->kind == GRADE_SAID_LINE && finding == (a->counter != NULL))
        s->fail(s, NULL, w_goal_line_of());
    if (a->kind == GRADE_SAID_LINE && finding) {
        a->kind = GRADE_SAID_FINDING_LINE;
        a->finding = read_finding(s);
    }
}

static void read_said(goal_source *s, grade_said *a) {
    double none;
    read_is(s, a);
    if (a->kind == GRADE_SAID_LINE && !sim_counter_get(&(sim_counters){0}, a->counter, &none))
        s->fail(s, "counter", w_goal_line_counter(a->counter));
    if (a->kind == GRADE_SAID_NUMBER) {
        if (!a->counter) s->fail(s, NULL, w_goal_answer_counter());
        s->counter(s, a->counter);
    }
    a->tolerance = s->number(s, "tolerance", 0, false);
    if (a->tolerance < 0 || a->tolerance > 1) s->fail(s, "tolerance", w_goal_tolerance());
    if (a->kind == GRADE_SAID_LETTERS) a->access_count = s->accesses(s, "accesses", &a->accesses);
    a->accept_count = s->texts(s, "accept", &a->accept);
    if ((a->kind == GRADE_SAID_TEXT) != (a->accept_count > 0))
        s->fail(s, "accept", w_goal_accept());
}

static void answer_read(goal_source *s, grade_goal *g) {
    g->name = s->text(s, "name", true);
    size_t n = strlen(g->name);
    if (!n || n > 40 || strspn(g->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != n)
        s->fail(s, NULL, w_goal_answer_name(g->name));
    grade_said *a = s->alloc(s, sizeof *a);
    read_said(s, a);
    g->said = a;
}

const goal_kind goal_answer = {
    .words = {{"answer", "name",
               "name points is counter finding accesses tolerance accept of case on entry args "
               "baseline en zh",
               "What the submission says in a line `// answer NAME: VALUE`."}},
    .in_words = true,
    .read = answer_read,
    .judge = answer_judge,
    .sentence = answer_sentence,
    .title = answer_title,
};
