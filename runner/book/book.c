/* `warplab book`: prints lessons on paper.
 *
 *   labs --texts with numbers drawn once; repl_pictures(); skeletons; answers at the end--> paper
 *        --> F.html, F.md, or F.pdf by a tool that prints HTML */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/scratch.h"
#include "runner/book/paper.h"
#include "runner/cli/cli.h"
#include "runner/grade/pictures.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/pack.h"
#include "runner/lesson/twins.h"
#include "runner/repl/repl.h"
#include "grader/goal/goal.h"
#include "words/base.h"
#include "words/book.h"

enum { BOOK_LABS = 256, BOOK_SOURCE = 1 << 20 };

typedef struct {
    paper p;
    lib_lang lang;
    const char *root, *device, *asked, *out;
    bool no_runs, no_answers, both;
} book;

static void book_text(book *b, const lab_text *t, const lab_drawn *d) {
    if (!t->text[b->lang]) return;
    char *filled = lab_text_fill(t->text[b->lang], d);
    paper_text(&b->p, filled);
    free(filled);
}

/* ---- questions, and their answers ---- */

static void book_choices(book *b, const lab_step *s, const lab_drawn *d) {
    const lab_question *q = &s->question;
    for (size_t i = 0; q->kind == LAB_ANSWER_CHOICE && i < q->choice_count; i++) {
        char mark[8],
            *filled = lab_text_fill(q->choices[lab_choice_at(d, i)].text.text[b->lang], d);
        snprintf(mark, sizeof mark, "%c)", (char)('a' + i));
        paper_item(&b->p, mark, filled);
        free(filled);
    }
}

/* Writes the answer; "" if it would have to be measured. */
static void answer_of(book *b, lab *l, const lab_step *s, const lab_drawn *d, char *out, size_t n) {
    const lab_question *q = &s->question;
    lib_message ignored;
    char number[32];
    double v;
    out[0] = 0;
    if (q->kind == LAB_ANSWER_TEXT) snprintf(out, n, "%s", q->accept[0]);
    else if (q->kind == LAB_ANSWER_NUMBER && lab_step_number(l, s, d, &v, &ignored))
        snprintf(out, n, "%s%s%s", lib_figure(number, 10, v),
                 *q->unit && *q->unit != '%' ? " " : "", q->unit);
    else if (q->kind == LAB_ANSWER_CHOICE)
        for (size_t i = 0; i < q->choice_count; i++)
            if (q->choices[lab_choice_at(d, i)].right)
                snprintf(out + strlen(out), n - strlen(out), "%s%c",
                         *out ? lib_word(b->lang, W_BASE_LIST_COMMA) : "", (char)('a' + i));
    if (!*out) snprintf(out, n, "%s", lib_word(b->lang, W_BOOK_BY_MEASUREMENT));
}

static void step_numbers(const lab_step *s, lab_drawn *d) {
    lab_step_draw(s, 1, d);
    lab_step_shuffle(s, 1, d);
}

static void book_answers(book *b, lab *l) {
    unsigned at = 0;
    paper_heading(&b->p, 3, lib_word(b->lang, W_BOOK_ANSWERS));
    for (size_t i = 0; i < l->step_count; i++) {
        const lab_step *s = &l->steps[i];
        lab_drawn d;
        char answer[256], mark[24];
        if (!lab_step_asks(s)) continue;
        step_numbers(s, &d);
        answer_of(b, l, s, &d, answer, sizeof answer);
        snprintf(mark, sizeof mark, "%u.", ++at);
        paper_item(&b->p, mark, answer);
        book_text(b, &s->question.because, &d);
        for (size_t k = 0; k < s->question.choice_count; k++)
            if (s->question.choices[k].right) book_text(b, &s->question.choices[k].because, &d);
    }
}

/* ---- one lab ---- */

static void book_goals(book *b, const lab *l) {
    for (size_t i = 0; i < l->grade.goal_count; i++) {
        char *goal = grade_goal_sentence(&l->grade.goals[i], b->lang),
             *text = lib_words_take(b->lang, w_book_goal(goal, l->grade.goals[i].points));
        paper_item(&b->p, b->p.html ? "&bull;" : "-", text);
        free(text);
        free(goal);
    }
}

static void book_skeleton(book *b, const lab *l) {
    lib_message ignored;
    char *both = lib_read_file(l->skeleton_path, BOOK_SOURCE, NULL, &ignored),
         *text = both ? twins_in(both, b->lang) : NULL;
    if (text) paper_code(&b->p, text);
    free(text);
    free(both);
}

static void book_step(book *b, const lab *l, const lab_step *s, const char *picture,
                      unsigned *asked) {
    lab_drawn d;
    step_numbers(s, &d);
    if (lab_step_asks(s)) {
        char title[40];
        lib_words_text(title, sizeof title, b->lang, w_book_question(++*asked));
        paper_heading(&b->p, 3, title);
    }
    if (s->kind == LAB_EXERCISE) paper_heading(&b->p, 3, lib_word(b->lang, W_BOOK_EXERCISE));
    book_text(b, &s->text, &d);
    if (lab_step_asks(s)) book_choices(b, s, &d);
    if (s->kind == LAB_EXERCISE) {
        book_goals(b, l);
        book_skeleton(b, l);
    }
    if (picture && *picture) paper_code(&b->p, picture);
}

static void book_end(book *b, lab *l) {
    if (l->hints[0].text[LIB_EN]) paper_heading(&b->p, 3, lib_word(b->lang, W_BOOK_HINTS));
    for (int i = 0; i < LAB_HINTS && l->hints[0].text[LIB_EN]; i++) {
        char mark[8];
        snprintf(mark, sizeof mark, "%d.", i + 1);
        paper_item(&b->p, mark, l->hints[i].text[b->lang]);
    }
    if (!b->no_answers) {
        paper_heading(&b->p, 3, lib_word(b->lang, W_BOOK_WHY_IT_WORKS));
        book_text(b, &l->after, NULL);
    }
    paper_heading(&b->p, 3, lib_word(b->lang, W_BOOK_TRY_THIS));
    book_text(b, &l->more, NULL);
    if (!b->no_answers) book_answers(b, l);
}

static bool book_lab(book *b, const char *id, lib_message *msg) {
    lab *l = lab_load(b->root, id, msg);
    if (!l) return false;
    repl_options o = {
        .root = b->root, .lab = id, .device = b->device, .lang = lib_lang_name(b->lang)};
    char **pictures = calloc(l->step_count + 1, sizeof *pictures);
    if (!pictures) abort();
    unsigned asked = 0;
    bool ok = repl_pictures(&o, !b->no_runs, pictures, l->step_count);
    paper_heading(&b->p, 1, l->title.text[b->lang]);
    for (size_t i = 0; i < l->step_count; i++) {
        book_step(b, l, &l->steps[i], pictures[i], &asked);
        free(pictures[i]);
    }
    book_end(b, l);
    free(pictures);
    lab_free(l);
    return ok;
}

/* ---- to a file ---- */

static const char *const printers[] = {"chromium", "chromium-browser", "google-chrome",
                                       "weasyprint", "wkhtmltopdf"};

/* Copies the last line that is not a browser's own output ("[pid:...]"); otherwise the last
 * line. */
static void printer_said(const char *log, char *why, size_t size) {
    lib_message ignored;
    size_t n;
    char *text = lib_read_file(log, 1 << 20, &n, &ignored), *at = NULL;
    lib_say(why, size, "%s", "");
    for (char *line = text ? strtok_r(text, "\n", &at) : NULL; line;
         line = strtok_r(NULL, "\n", &at))
        if (*line != '[' || !*why) lib_say(why, size, "%.200s", line);
    free(text);
}

/* The tool's output goes into the file `log`, because browsers print unimportant messages even if
 * all is well. */
static bool print_pdf(const char *html, const char *pdf, const char *log, lib_message *msg) {
    extern char **environ;
    char *tool = NULL;
    size_t k = 0;
    for (; !tool && k < sizeof printers / sizeof *printers; k++)
        tool = lib_find_program(getenv("PATH"), printers[k]);
    if (!tool) {
        lib_message_set(msg, w_book_no_printer());
        return false;
    }
    bool browser = k <= 3;
    char *to = lib_format("--print-to-pdf=%s", pdf);
    const char *argv[] = {tool, html, pdf, NULL, NULL, NULL, NULL, NULL};
    if (browser) {
        argv[1] = "--headless", argv[2] = "--disable-gpu", argv[3] = "--no-pdf-header-footer";
        argv[4] = to, argv[5] = html;
        /* as root, a browser does not start with its sandbox */
        if (!geteuid()) argv[5] = "--no-sandbox", argv[6] = html;
    }
    pid_t pid;
    posix_spawn_file_actions_t to_log;
    posix_spawn_file_actions_init(&to_log);
    posix_spawn_file_actions_addopen(&to_log, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&to_log, 1, 2);
    int rc = posix_spawn(&pid, tool, &to_log, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&to_log);
    int status = rc ? -1 : lib_child_wait(pid, false, lib_cancel(), 0);
    bool ok = !rc && !status && lib_is_file(pdf);
    char why[256];
    printer_said(log, why, sizeof why);
    if (!ok)
        lib_message_set(msg, *why ? w_book_printer_said(tool, why) : w_book_printer_failed(tool));
    free(to);
    free(tool);
    return ok;
}

static bool ends_in(const char *s, const char *end) {
    size_t n = strlen(s), k = strlen(end);
    return n > k && !strcmp(s + n - k, end);
}

static bool book_write(book *b, lib_message *msg) {
    paper_end(&b->p);
    if (!ends_in(b->out, ".pdf")) return lib_write_file(b->out, b->p.b.s, b->p.b.n, msg);
    lib_scratch s = {0};
    const lib_paths *p = lib_paths_get(msg);
    /* A parent folder of our own: what other runs have left in it is removed. */
    char *parent = p ? lib_path_join(p->cache, "book") : NULL;
    bool made = parent && lib_scratch_make(&s, parent, msg);
    free(parent);
    if (!made) return false;
    char *html = lib_path_join(s.path, "book.html"), *log = lib_path_join(s.path, "log");
    bool ok = lib_write_file(html, b->p.b.s, b->p.b.n, msg) && print_pdf(html, b->out, log, msg);
    free(html);
    free(log);
    lib_scratch_remove(&s);
    return ok;
}

/* ---- the command ---- */

typedef struct {
    char *ids[BOOK_LABS];
    size_t count;
    char title[LIB_LANGS][96];
} book_list;

static bool list_add(book_list *c, const char *typed, lib_message *msg) {
    char *folder = pack_folder(lib_lab_id_valid(typed) ? typed : "-");
    bool is_pack = lib_is_folder(folder);
    lab_pack *p = is_pack ? pack_read(folder, msg) : NULL;
    char *id = is_pack ? NULL : cli_lab(typed, msg);
    free(folder);
    for (size_t i = 0; p && i < p->lab_count && c->count < BOOK_LABS; i++)
        c->ids[c->count++] = lib_format("%s/%s", p->name, p->labs[i].id);
    for (int k = 0; p && k < LIB_LANGS; k++)
        snprintf(c->title[k], sizeof c->title[k], "%s", p->title[k]);
    if (id && c->count < BOOK_LABS) c->ids[c->count++] = id;
    bool ok = p || id;
    free(p);
    return ok;
}

static int book_make(book *b, book_list *c) {
    lib_message msg = {0};
    lib_lang first = b->lang;
    bool ok = true;
    b->p.html = !ends_in(b->out, ".md");
    paper_begin(&b->p, *c->title[first] ? c->title[first] : "Warplab");
    if (*c->title[first]) paper_heading(&b->p, 1, c->title[first]);
    for (size_t i = 0; ok && i < c->count && !lib_cancel_flag; i++)
        for (int k = 0; ok && k < (b->both ? LIB_LANGS : 1); k++) {
            b->lang = b->both ? (lib_lang)k : first;
            ok = book_lab(b, c->ids[i], &msg);
        }
    ok = ok && !lib_cancel_flag && book_write(b, &msg);
    lib_buffer_free(&b->p.b);
    if (ok) lib_print(stdout, "%s\n", b->out);
    return ok ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
}

int cmd_book(int argc, char **argv) {
    book b = {.lang = LIB_EN};
    const cli_option options[] = {{.name = "out", .value = &b.out},
                                  {.name = "lang", .value = &b.asked},
                                  {.name = "device", .value = &b.device},
                                  {.name = "no-runs", .flag = &b.no_runs},
                                  {.name = "no-answers", .flag = &b.no_answers},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    b.both = b.asked && !strcmp(b.asked, "both");
    if (!b.both && !cli_lang(b.asked, &b.lang))
        return cli_fail(CLI_USAGE, w_book_lang_option(b.asked));
    if (argc < 2 || !b.out) return cli_fail(CLI_USAGE, w_book_what_it_takes());
    if (!ends_in(b.out, ".html") && !ends_in(b.out, ".md") && !ends_in(b.out, ".pdf"))
        return cli_fail(CLI_USAGE, w_book_out_option(b.out));
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    b.root = p->root;
    book_list c = {.count = 0};
    for (int i = 1; status < 0 && i < argc; i++)
        if (!list_add(&c, argv[i], &msg)) status = cli_say(CLI_USAGE, &msg);
    if (status < 0) status = book_make(&b, &c);
    for (size_t i = 0; i < c.count; i++) free(c.ids[i]);
    return status;
}
