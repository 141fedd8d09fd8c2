/* `warplab text LAB`: prints all texts of a lab in one language, in order, for proofreading. They
 * are wrapped as at the prompt; each has its kind and its line in the lesson. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/lesson/lab.h"
#include "runner/term/text.h"
#include "runner/cli/cli.h"
#include "grader/lab.h"
#include "words/cli.h"

typedef struct {
    text_out out;
    lib_lang lang;
} text_reading;

static void text_piece(text_reading *r, const lab_text *t, unsigned line, const char *what) {
    if (!t->text[r->lang]) return;
    if (line) text_put(&r->out, TEXT_DIM, "\n%s (%u)\n", what, line);
    else text_put(&r->out, TEXT_DIM, "\n%s\n", what);
    text_say(&r->out, t->text[r->lang], 2);
}

static void text_question(text_reading *r, const lab_step *s) {
    const lab_question *q = &s->question;
    for (size_t i = 0; i < q->choice_count; i++) {
        text_piece(r, &q->choices[i].text, s->line,
                   q->choices[i].right ? "choice, right" : "choice");
        text_piece(r, &q->choices[i].because, s->line, "because");
    }
    for (size_t i = 0; i < q->reply_count; i++)
        text_piece(r, &q->replies[i].text, s->line, "reply");
    text_piece(r, &q->because, s->line, "because");
}

int cmd_text(int argc, char **argv) {
    text_reading r = {.lang = LIB_EN};
    const cli_option options[] = {{.name = "lang", .lang = &r.lang}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    lib_message msg = {0};
    if (argc != 2) return cli_fail(CLI_USAGE, w_cli_text_operands());
    char *id = cli_lab(argv[1], &msg);
    if (!id) return cli_say(CLI_USAGE, &msg);
    lab *l = lab_load(lib_paths_get(&msg)->root, id, &msg);
    free(id);
    if (!l) return cli_say(CLI_ERROR, &msg);
    text_out_init(&r.out, stdout);
    text_line(&r.out, TEXT_TITLE, 0, "%s: %s", l->id, l->title.text[r.lang]);
    for (size_t i = 0; i < l->step_count; i++) {
        text_piece(&r, &l->steps[i].text, l->steps[i].line, lab_step_name[l->steps[i].kind]);
        text_question(&r, &l->steps[i]);
    }
    for (int i = 0; i < LAB_HINTS; i++) text_piece(&r, &l->hints[i], 0, "hint");
    for (size_t i = 0; i < l->grade.goal_count; i++) {
        const grade_goal *g = &l->grade.goals[i];
        lab_text t = {{g->message[LIB_EN], g->message[LIB_ZH]}};
        text_piece(&r, &t, 0, "goal missed");
    }
    text_piece(&r, &l->after, 0, "after");
    text_piece(&r, &l->more, 0, "more");
    lab_free(l);
    return CLI_PASSED;
}
