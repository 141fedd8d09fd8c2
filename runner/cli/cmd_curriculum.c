/* `warplab curriculum`: docs/curriculum.md, made from the lessons, labs/facts.txt and gradings of
 * the model answers.
 *
 *   lessons --lab_load--> what each teaches, its goals
 *   facts.txt --> where each fact is taught
 *   answers --grading_run, three devices--> their counters and speedups (not with --no-runs)
 *
 * A fact that no lesson teaches, and a lab without a source, are errors: exit status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/cancel.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/grade/grading.h"
#include "runner/grade/pictures.h"
#include "runner/lesson/facts.h"
#include "runner/lesson/lab.h"
#include "runner/cli/cli.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/goal/goal.h"
#include "words/cli.h"

static const char *const devices[] = {"sim:h200", "sim:t4", "sim:g80"};
enum { DEVICES = sizeof devices / sizeof *devices, LABS = 256 };

typedef struct {
    lab *v[LABS];
    size_t n;
    lab_facts facts;
    const lib_paths *paths;
    bool bad;
} curriculum;

static bool curriculum_load(curriculum *c, lib_message *msg) {
    lab_header *h = NULL;
    size_t n = lab_list(c->paths->root, &h);
    bool ok = lab_facts_read(c->paths->root, &c->facts, msg);
    for (size_t i = 0; ok && i < n && c->n < LABS; i++) {
        if (*h[i].pack) continue; /* a pack's lab */
        lab *l = lab_load(c->paths->root, h[i].id, msg);
        ok = l != NULL;
        if (l) c->v[c->n++] = l;
    }
    free(h);
    return ok;
}

/* Prints a cell of a table. A bar would end the cell. */
static void cell(const char *text) {
    for (; *text; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
}

static void curriculum_goals(const lab *l) {
    for (size_t i = 0; i < l->grade.goal_count; i++) {
        char *g = grade_goal_sentence(&l->grade.goals[i], LIB_EN);
        printf("%s", i ? "; " : "");
        cell(g);
        free(g);
    }
}

static void print_labs(curriculum *c) {
    puts("## The labs\n");
    puts("| lab | minutes | builds on | teaches | source | goals of the answer |");
    puts("|---|---|---|---|---|---|");
    for (size_t i = 0; i < c->n; i++) {
        const lab *l = c->v[i];
        printf("| %d `%s`: ", l->chapter, l->id);
        cell(l->title.text[LIB_EN]);
        printf(" | %d | ", l->minutes);
        for (size_t k = 0; k < l->need_count; k++) printf("%s`%s`", k ? ", " : "", l->needs[k]);
        printf(" | ");
        for (size_t k = 0; k < l->taught_count; k++) {
            const lab_fact *f = lab_facts_find(&c->facts, l->taught[k].fact);
            printf("%s", k ? "; " : "");
            cell(f ? f->text : l->taught[k].fact);
        }
        printf(" | ");
        cell(l->source);
        printf(" | ");
        curriculum_goals(l);
        puts(" |");
        if (!*l->source || !l->taught_count) {
            cli_fail(CLI_FAILED, w_cli_curriculum_no_source(l->id));
            c->bad = true;
        }
    }
    putchar('\n');
}

/* Prints where a fact is taught: "`hello` (say, ask); `vector-add` (exercise)". */
static size_t print_where(const curriculum *c, const char *key) {
    size_t found = 0;
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->v[i]->taught_count; k++) {
            const lab_taught *t = &c->v[i]->taught[k];
            if (strcmp(t->fact, key) != 0) continue;
            printf("%s`%s` (", found++ ? "; " : "", c->v[i]->id);
            for (const char *p = t->where; *p; p++) printf(*p == ' ' ? ", " : "%c", *p);
            putchar(')');
        }
    return found;
}

static void print_facts(curriculum *c) {
    puts("## Every fact, and where it is taught\n");
    puts("A lesson teaches by what it says (`say`), asks (`ask`), predicts and measures "
         "(`predict`), draws\n"
         "(`show`), compares (`compare`), lets students do (`exercise`) and demands (`goals`), by "
         "its hints,\n"
         "by what it explains once it is passed (`after`), and by what it sets to be tried "
         "(`more`).\n");
    int chapter = 0;
    for (size_t i = 0; i < c->facts.n; i++) {
        const lab_fact *f = &c->facts.v[i];
        if (f->chapter != chapter) {
            chapter = f->chapter;
            printf("%sChapter %d\n\n| fact | source | taught in |\n|---|---|---|\n", i ? "\n" : "",
                   chapter);
        }
        printf("| ");
        cell(f->text);
        printf(" | ");
        cell(f->source);
        printf(" | ");
        if (!print_where(c, f->key)) {
            cli_fail(CLI_FAILED, w_cli_curriculum_not_taught(f->key));
            c->bad = true;
        }
        puts(" |");
    }
}

/* Prints what the answer reaches, one row per goal. */
static void print_answer(curriculum *c, const lab *l) {
    if (!l->grade.entry) return; /* the lab runs no program of the student */
    grade_result r[DEVICES];
    char title[LAB_ID_MAX + 8];
    snprintf(title, sizeof title, "`%s`", l->id);
    memset(r, 0, sizeof r);
    for (int d = 0; d < DEVICES; d++) {
        grading_options o;
        grading_options_init(&o);
        o.device = devices[d];
        o.seed = 1;
        o.mode = SANDBOX_IF_ANY;
        o.baseline = l->baseline_path;
        grading_run(&l->grade, l->answer_path, &o, &r[d]);
    }
    for (size_t i = 0; i <= l->grade.goal_count; i++) {
        const grade_goal *g = i < l->grade.goal_count ? &l->grade.goals[i] : NULL;
        if (g && !g->name) continue; /* correct, or the speedup in the last row */
        printf("| %s | %s |", title, g ? g->name : "speedup");
        for (int d = 0; d < DEVICES; d++) {
            char n[32];
            bool ran = r[d].counters.warp_inst > 0 && r[d].verdict != GRADE_ERROR;
            double v = !ran ? 0 : !g ? r[d].speedup : r[d].goals[i].actual;
            if (!ran) printf(" does not run |");
            else if (!g) printf(" %.2fx |", v);
            else printf(" %s |", grade_goal_value(g, v, n));
        }
        putchar('\n');
        title[0] = 0;
    }
    (void)c;
    for (int d = 0; d < DEVICES; d++) grade_result_free(&r[d]);
}

static void print_answers(curriculum *c) {
    puts("## What the model answers reach\n");
    puts("Counted and modelled, on the timed case. The speedup is over the lab's baseline on the "
         "same device.\n"
         "A block that a G80 cannot hold (more than 512 threads, or 16 KB of shared memory) does "
         "not run\n"
         "there.\n");
    printf("| lab | counter |");
    for (int d = 0; d < DEVICES; d++) printf(" %s |", devices[d]);
    puts("\n|---|---|---|---|---|");
    for (size_t i = 0; i < c->n && !lib_cancel_flag; i++) print_answer(c, c->v[i]);
    putchar('\n');
}

int cmd_curriculum(int argc, char **argv) {
    bool no_runs = false;
    const cli_option options[] = {{.name = "no-runs", .flag = &no_runs}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_unexpected_argument("curriculum", argv[1]));
    lib_message msg = {0};
    curriculum c = {.paths = lib_paths_get(&msg)};
    if (!c.paths) return cli_say(CLI_ERROR, &msg);
    if (curriculum_load(&c, &msg)) {
        puts("<!-- Made by `make curriculum` from labs/*.lua, labs/facts.txt and gradings of "
             "answers/*.cu. -->\n# The curriculum\n");
        puts("What each lab teaches, where each fact is taught, and what the model answers reach. "
             "For instructors\n"
             "who choose labs, and for authors of lessons. Edit the lessons, not this page.\n");
        puts("Sources. *slides*: a university's slide deck on CUDA. *book*: the chapters on "
             "performance (5) and\n"
             "its application (6) of a textbook on parallel programming. *guide*: the performance "
             "chapter (5) of a\n"
             "programming guide. *walk-through*: a step-by-step optimisation of the parallel "
             "reduction. *H200*:\n"
             "measured there. *correction*: a slip of the sources that the lab corrects by "
             "measurement.\n");
        print_labs(&c);
        if (!no_runs) {
            puts("<!-- measured -->");
            print_answers(&c);
            puts("<!-- end of measured -->");
        }
        print_facts(&c);
        status = c.bad ? CLI_FAILED : CLI_PASSED;
    } else {
        status = cli_say(CLI_FAILED, &msg);
    }
    for (size_t i = 0; i < c.n; i++) lab_free(c.v[i]);
    lab_facts_free(&c.facts);
    return lib_cancel_flag ? CLI_ERROR : status;
}
