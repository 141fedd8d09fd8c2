/* Checks what a lesson says, without a run: both languages, widths, terms, shape, files. It takes
 * well under a second, so an author can run it after each save. */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/grade/glossary.h"
#include "runner/lesson/measure.h"
#include "runner/lesson/twins.h"
#include "runner/prove/prover.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "words/lesson.h"
#include "words/prove.h"
#include "grader/lab.h"

enum { CODE_WIDTH = 76, SKELETON_WIDTH = 80 };

/* ---- text ---- */

static bool has_wide(const char *s) {
    for (size_t i = 0, n = strlen(s); i < n;) {
        int w;
        i += text_cluster(s + i, n - i, &w);
        if (w == 2) return true;
    }
    return false;
}

/* Verbatim lines are not wrapped, so they must fit a terminal of 80 columns. */
static bool code_fits(const char *s, lib_message *why) {
    for (const char *p = s; p && *p;) {
        size_t len = strcspn(p, "\n");
        if (!strncmp(p, "    ", 4) && text_width_n(p, len) > CODE_WIDTH) {
            char *line = lib_format("%.*s", (int)len, p);
            lib_message_set(why, w_prove_code_wide(CODE_WIDTH, line));
            free(line);
            return false;
        }
        p = p[len] ? p + len + 1 : NULL;
    }
    return true;
}

/* The step must draw {name}, in either language. */
static bool braces_known(const lab_step *s, const char *text, lib_message *why) {
    for (const char *p = text; (p = strchr(p, '{')); p++) {
        size_t len = 0;
        while (isalnum((unsigned char)p[1 + len]) || p[1 + len] == '_') len++;
        if (!len || p[1 + len] != '}') continue;
        bool known = false;
        for (size_t i = 0; s && i < s->draw_count; i++)
            known |= strlen(s->draws[i].name) == len && !strncmp(s->draws[i].name, p + 1, len);
        if (!known) {
            char *name = lib_format("%.*s", (int)len + 2, p);
            lib_message_set(why, w_prove_not_drawn(name));
            free(name);
            return false;
        }
    }
    return true;
}

/* Returns whether a text has words of a language, and not only code and numbers: `warp`, n < 32, a
 * block of code. */
static bool has_words(const char *s) {
    bool code = false;
    for (const char *line = s; line && *line;) {
        size_t n = strcspn(line, "\n");
        int letters = 0;
        for (size_t i = 0; i < n && strncmp(line, "    ", 4) != 0; i++) {
            if (line[i] == '`') code = !code;
            letters = !code && isalpha((unsigned char)line[i]) ? letters + 1 : 0;
            if (letters == 2) return true;
        }
        line = line[n] ? line + n + 1 : NULL;
    }
    return false;
}

/* A line of the row prove.habits, compiled when its language is first used. */
typedef struct {
    regex_t compiled;
    char *instead;
} habit;
enum { HABITS = 64 };

static size_t habits_of(lib_lang lang, const habit **out) {
    static habit all[LIB_LANGS][HABITS];
    static size_t counts[LIB_LANGS];
    *out = all[lang];
    if (counts[lang]) return counts[lang];
    char *text = lib_strdup(lib_word(lang, W_PROVE_HABITS)), *save = NULL;
    for (char *s = strtok_r(text, "\n", &save); s && counts[lang] < HABITS;
         s = strtok_r(NULL, "\n", &save)) {
        habit *h = &all[lang][counts[lang]];
        char *to = strstr(s, " => ");
        if (!to) continue;
        *to = 0;
        h->instead = to + strlen(" => ");
        if (!regcomp(&h->compiled, s, REG_EXTENDED | REG_NEWLINE)) counts[lang]++;
    }
    return counts[lang]; /* not freed: the habits point into the text */
}

/* Returns a copy with blanks instead of code: text in backticks, and lines indented by four;
 * malloc'ed. */
static char *without_code(const char *text) {
    char *plain = lib_strdup(text);
    bool code = false, set_in = false;
    for (char *p = plain; *p; p++) {
        if (p == plain || p[-1] == '\n') set_in = !strncmp(p, "    ", 4);
        if (*p == '`') code = !code, *p = ' ';
        else if ((code || set_in) && *p != '\n') *p = '_';
    }
    return plain;
}

static bool is_wide(const char *p) {
    return (unsigned char)*p >= 0xe4 && (unsigned char)*p <= 0xe9;
}

/* Finds a blank between two Chinese words, or a half-width mark after one; 0 if there is none. */
static lib_word_id odd_blank_or_mark(const char *text) {
    for (const char *p = text; *p; p++) {
        if (!is_wide(p)) continue;
        p += 2;
        size_t n = strspn(p + 1, " ");
        if (n && is_wide(p + 1 + n)) return W_PROVE_ODD_BLANK;
        if (p[1] && strchr(",;!?", p[1])) return W_PROVE_ODD_MARK;
    }
    return 0;
}

static void prove_habits(prover *p, const lab_text *t, const char *where) {
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        char *plain = without_code(t->text[lang]);
        const habit *habits;
        size_t count = habits_of((lib_lang)lang, &habits);
        for (const habit *h = habits; h < habits + count; h++) {
            regmatch_t at;
            if (regexec(&h->compiled, plain, 1, &at, 0)) continue;
            char *found = lib_format("%.*s", (int)(at.rm_eo - at.rm_so), plain + at.rm_so);
            prove_claim(p, false, prove_said(h->instead),
                        w_prove_habit(where, found, lib_lang_name((lib_lang)lang)));
            free(found);
        }
        lib_word_id odd = lang == LIB_ZH ? odd_blank_or_mark(plain) : 0;
        if (odd) prove_claim(p, false, lib_words_of(odd), w_prove_set_as_chinese(where));
        free(plain);
    }
}

/* Returns whether the text contains the word, not as a part of another word. */
static bool says(const char *text, const char *word) {
    size_t n = strlen(word);
    bool plain = isalnum((unsigned char)*word) != 0;
    for (const char *p = text; n && (p = strcasestr(p, word)); p++) {
        bool before = plain && p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
        bool after = plain && (isalnum((unsigned char)p[n]) || p[n] == '_') && p[n] != 's';
        if (!before && !after) return true;
    }
    return false;
}

static bool says_any(const char *text, const char *names) {
    bool any = false;
    size_t n;
    for (const char *w; !any && (w = lib_next_word(&names, &n));) {
        char *name = lib_format("%.*s", (int)n, w);
        any = says(text, name);
        free(name);
    }
    return any;
}

/* If a text contains a term of the glossary in one language, its twin must contain it in the
 * other. */
static void prove_terms(prover *p, const lab_text *t, const char *where) {
    const char *en = t->text[LIB_EN], *zh = t->text[LIB_ZH];
    for (size_t i = 0; p->o->texts && i < glossary_count(); i++) {
        glossary_entry e = glossary_at(i);
        if (e.counter || !strchr(e.name[LIB_EN], ' ') || !says(en, e.name[LIB_EN])) continue;
        if (!says_any(zh, e.names[LIB_EN]) && !says_any(zh, e.names[LIB_ZH]))
            prove_note(p, w_prove_term(where, e.name[LIB_EN], e.name[LIB_ZH]));
    }
}

static void prove_text(prover *p, const lab_text *t, const lab_step *s, const char *what,
                       unsigned line, bool optional) {
    if (optional && !t->text[0]) return;
    lib_message why = {0};
    char where[96];
    if (line) lib_words_text(where, sizeof where, p->o->lang, w_prove_at_line(what, line));
    else lib_say(where, sizeof where, "%s", what);
    /* A choice such as "32" is the same in both languages. */
    bool same = !strcmp(t->text[LIB_EN], t->text[LIB_ZH]), one = same && p->l->only;
    if (one) {
        /* there is nothing to compare it with */
    } else if (!same) {
        prove_claim(p, has_wide(t->text[LIB_ZH]), w_prove_no_chinese_character(),
                    w_prove_is_chinese(where));
        prove_claim(p, !has_wide(t->text[LIB_EN]), w_prove_wide_characters(),
                    w_prove_is_english(where));
    } else if (has_words(t->text[LIB_EN])) {
        prove_claim(p, false, w_prove_chinese_is_english(), w_prove_is_translated(where));
    }
    if (!one) prove_terms(p, t, where);
    prove_habits(p, t, where);
    for (int i = 0; i < LIB_LANGS; i++) {
        bool ok = code_fits(t->text[i], &why);
        if (ok) ok = braces_known(s, t->text[i], &why);
        prove_claim(p, ok, lib_message_words(&why),
                    w_prove_can_be_shown(where, i18n_name((lib_lang)i)));
    }
}

/* ---- the lesson itself ---- */

/* A reply must be for a wrong answer, so not for one that is right for all draws. */
static void prove_replies(prover *p, lab *l, const lab_step *s) {
    const lab_question *q = &s->question;
    if (q->kind != LAB_ANSWER_NUMBER && q->kind != LAB_ANSWER_TEXT) return;
    for (size_t k = 0; k < q->reply_count; k++) {
        bool wrong = false, told = true;
        for (uint64_t seed = 1; !wrong && told && seed <= 20; seed++) {
            lab_drawn d;
            lib_message msg = {0};
            char text[64];
            double truth = 0, v = q->replies[k].number;
            lab_step_draw(s, seed, &d);
            told = (q->kind != LAB_ANSWER_NUMBER || lab_step_number(l, s, &d, &truth, &msg)) &&
                   (!q->replies[k].ref || lab_number_of(l, q->replies[k].ref, &d, &v, &msg));
            if (!told) break; /* the step's own claim reports the error of the function */
            snprintf(text, sizeof text, "%.10g", v);
            const char *said = q->kind == LAB_ANSWER_TEXT ? q->replies[k].accept[0] : text;
            wrong = lab_question_judge(q, &d, said, truth, NULL) == 0;
        }
        if (told)
            prove_claim(p, wrong, w_prove_always_right(), w_prove_reply_to_wrong(k + 1, s->line));
    }
}

/* The case of a step must have each parameter on which the arguments of its program depend. */
static bool case_fits(const lab *l, const lab_measure *m, const grade_param *params, size_t n,
                      lib_message *msg) {
    const grade_lab *g = m->program ? &m->program->lab : &l->grade;
    for (size_t i = 0; n && i < g->arg_count; i++) {
        const grade_arg *a = &g->args[i];
        const grade_expr *const of[] = {a->count, a->value, a->lo_expr, a->hi_expr, a->ops};
        double v;
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (of[k] && !grade_expr_eval(of[k], params, n, &v, msg)) return false;
    }
    return true;
}

static void prove_steps(prover *p, lab *l) {
    int asks = 0, predictions = 0, pictures = 0;
    for (size_t i = 0; i < l->step_count; i++) {
        const lab_step *s = &l->steps[i];
        const char *kind = lab_step_name[s->kind];
        asks += s->kind == LAB_ASK;
        predictions += s->kind == LAB_PREDICT;
        pictures += s->kind == LAB_SHOW && !s->show.model_ref;
        prove_text(p, &s->text, s, kind, s->line, false);
        prove_text(p, &s->question.because, s, "because", s->line, true);
        for (size_t k = 0; k < s->question.choice_count; k++) {
            const lab_choice *c = &s->question.choices[k];
            if (strcmp(c->text.text[0], c->text.text[1]) != 0)
                prove_text(p, &c->text, s, "choice", s->line, false);
            prove_text(p, &c->because, s, "because", s->line, true);
        }
        for (size_t k = 0; k < s->question.reply_count; k++)
            prove_text(p, &s->question.replies[k].text, s, "reply", s->line, false);
        prove_replies(p, l, s);
        /* Call each function of the lesson with several draws. */
        lib_message msg = {0};
        bool ok = true;
        for (uint64_t seed = 1; ok && seed <= 20; seed++) {
            lab_drawn d;
            double v;
            lab_step_draw(s, seed, &d);
            grade_param params[MEASURE_PARAMS];
            size_t n;
            if (s->kind == LAB_ASK && s->question.kind == LAB_ANSWER_NUMBER) {
                ok = lab_step_number(l, s, &d, &v, &msg);
                char text[64];
                snprintf(text, sizeof text, "%.10g", v);
                if (ok && lab_question_judge(&s->question, &d, text, v, NULL) != 1) {
                    ok = false;
                    lib_message_set(&msg, w_prove_own_answer(text));
                }
            }
            for (size_t k = 0; ok && k < s->question.reply_count; k++)
                ok = !s->question.replies[k].ref ||
                     lab_number_of(l, s->question.replies[k].ref, &d, &v, &msg);
            if (ok)
                ok = lab_measure_params(l, &s->question.measure, &d, params, MEASURE_PARAMS, &n,
                                        &msg) &&
                     case_fits(l, &s->question.measure, params, n, &msg);
            if (ok)
                ok =
                    lab_measure_params(l, &s->show.measure, &d, params, MEASURE_PARAMS, &n, &msg) &&
                    case_fits(l, &s->show.measure, params, n, &msg);
            for (unsigned k = 0; ok && s->show.model_ref && k < s->show.lanes; k++)
                ok = lab_show_model(l, &s->show, &d, k, 0, &v, &msg);
        }
        prove_claim(p, ok, lib_message_words(&msg), w_prove_computes(kind, s->line));
    }
    if (l->quiz) {
        prove_claim(p, asks + predictions <= 20, w_prove_twenty_questions(),
                    w_prove_quiz_of(asks + predictions));
        return;
    }
    prove_claim(p, asks >= 2 && asks <= 5, w_prove_questions_expected(), w_prove_asks(asks));
    if (!l->grade.entry) return; /* no program of the student runs */
    prove_claim(p, predictions >= 1, w_prove_none_there(), w_prove_asks_prediction());
    prove_claim(p, pictures >= 1, w_prove_expected_show(), w_prove_shows_own_picture());
}

/* Finds all lines that are still to be written, left by `warplab new` or by the author. */
static void prove_written(prover *p, const lab *l) {
    lib_message msg = {0};
    char *text = lib_read_file(l->lesson_path, PROVE_SOURCE_BYTES, NULL, &msg);
    const char *slash = strchr(l->id, '/'), *name = slash ? slash + 1 : l->id; /* after PACK/ */
    char *file = lib_format("%.*slabs/%s.lua", (int)(name - l->id), l->id, name);
    unsigned at = 1, left = 0;
    for (char *line = text; line && *line; at++) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        const char *todo = strstr(line, "TODO");
        if (todo && left++ < 40) prove_claim(p, false, prove_said(todo), w_prove_written(file, at));
        line = end ? end + 1 : NULL;
    }
    free(text);
    free(file);
    if (!left) prove_claim(p, true, (lib_words){0}, w_prove_no_todo());
}

/* Returns the first line of a student's file, in either language, that is too wide for an editor of
 * 80 columns; 0 if none. */
static size_t too_wide(const char *source) {
    size_t first = 0;
    for (int lang = 0; lang < LIB_LANGS && !first; lang++) {
        char *text = twins_in(source, (lib_lang)lang);
        size_t at = 1;
        for (const char *s = text; s && *s && !first; at++) {
            size_t n = strcspn(s, "\n");
            if (text_width_n(s, n) > SKELETON_WIDTH) first = at;
            s += n + (s[n] == '\n');
        }
        free(text);
    }
    return first;
}

void prove_files(prover *p) {
    const lab *l = p->l;
    static const lib_word_id what[] = {W_PROVE_SKELETON, W_PROVE_ANSWER, W_PROVE_BASELINE};
    const char *paths[] = {l->skeleton_path, l->answer_path, l->baseline_path};
    int files = l->quiz ? 0 : l->grade.entry ? 3 : 2;
    for (int i = 0; i < files; i++) {
        lib_message msg = {0};
        size_t n;
        char *text = lib_read_file(paths[i], PROVE_SOURCE_BYTES, &n, &msg);
        bool todo = text && strstr(text, "TODO");
        if (!prove_claim(p, text != NULL, lib_message_words(&msg), w_prove_has_file(what[i])))
            continue;
        size_t wrong = lib_not_utf8(text, n);
        prove_claim(p, !wrong, w_prove_line_no_utf_8(wrong), w_prove_file_utf_8(what[i]));
        if (i == 0) prove_claim(p, todo, w_prove_todo_missing(), w_prove_skeleton_todo());
        else prove_claim(p, !todo, w_prove_todo_left(), w_prove_file_no_todo(what[i]));
        size_t wide = i == 0 ? too_wide(text) : 0;
        if (i == 0)
            prove_claim(p, !wide, w_prove_line_wide(wide),
                        w_prove_skeleton_columns(SKELETON_WIDTH));
        size_t orphan = twins_orphan(text);
        prove_claim(p, !orphan, w_prove_line_orphan(orphan), w_prove_zh_has_english(what[i]));
        free(text);
    }
    for (size_t i = 0; i < l->need_count; i++)
        if (!strcmp(l->needs[i], l->id))
            prove_claim(p, false, w_prove_lab_itself(), w_prove_builds_on(l->needs[i]));
        else
            prove_claim(p, lab_exists(p->o->root, l->needs[i]), w_prove_no_such_lab(),
                        w_prove_builds_on(l->needs[i]));
    prove_order(p);
}

void prove_texts(prover *p) {
    lab *l = p->l;
    if (l->only)
        prove_note(
            p, w_prove_one_language(l->only == LAB_ONLY_EN ? W_LESSON_ENGLISH : W_LESSON_CHINESE));
    prove_text(p, &l->title, NULL, "title", 0, false);
    prove_text(p, &l->after, NULL, "after", 0, false);
    prove_text(p, &l->more, NULL, "more", 0, false);
    for (int i = 0; i < LAB_HINTS; i++) prove_text(p, &l->hints[i], NULL, "hint", 0, l->quiz);
    prove_steps(p, l);
    prove_written(p, l);
}
