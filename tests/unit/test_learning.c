/* tests/learning/ID.txt: questions that a teacher would ask about a lab, each with the step that
 * answers it and a phrase of that step. The phrase stands there, in English; a lab has three
 * questions at least. A lab without a file fails.
 *
 *   Q: question
 *   A: step N: "phrase" */
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/check.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/lesson/lab.h"

/* Appends the text with its markup taken off and every run of blanks as one. */
static void plain_add(lib_buffer *b, const char *text) {
    if (!text) return;
    bool blank = true;
    for (; *text; text++) {
        if (isspace((unsigned char)*text)) {
            if (!blank) lib_buffer_puts(b, " ");
            blank = true;
        } else if (*text != '`' && *text != '*') {
            lib_buffer_add(b, text, 1);
            blank = false;
        }
    }
    lib_buffer_puts(b, " ");
}

/* Everything that a step says in English. */
static char *step_text(const lab_step *s) {
    lib_buffer b = {0};
    const lab_question *q = &s->question;
    plain_add(&b, s->text.text[LIB_EN]);
    for (size_t i = 0; i < q->choice_count; i++) {
        plain_add(&b, q->choices[i].text.text[LIB_EN]);
        plain_add(&b, q->choices[i].because.text[LIB_EN]);
    }
    for (size_t i = 0; i < q->reply_count; i++) plain_add(&b, q->replies[i].text.text[LIB_EN]);
    plain_add(&b, q->because.text[LIB_EN]);
    return b.s;
}

/* NULL, or what is wrong with the answer `line` ("A: step 4: ..."). */
static const char *answer_wrong(const lab *l, const char *line) {
    unsigned step;
    int at = 0;
    if (sscanf(line, "A: step %u: \"%n", &step, &at) != 1 || !at)
        return "expected A: step N: \"phrase\"";
    const char *end = strrchr(line + at, '"');
    if (!end || end - (line + at) < 8) return "expected a phrase of eight letters at least";
    if (step < 1 || step > l->step_count) return "the lab has no such step";
    char phrase[400];
    snprintf(phrase, sizeof phrase, "%.*s", (int)(end - (line + at)), line + at);
    lib_buffer want = {0};
    plain_add(&want, phrase);
    want.s[strlen(want.s) - 1] = 0;
    char *text = step_text(&l->steps[step - 1]);
    bool there = strstr(text, want.s) != NULL;
    free(text);
    free(want.s);
    return there ? NULL : "the phrase does not stand in that step";
}

static void tell(const char *id, unsigned line, const char *text, const char *why) {
    printf("%sok learning %s:%u %s%s%s\n", why ? "not " : "", id, line, text, why ? ": " : "",
           why ? why : "");
    check_failures += why != NULL;
}

static void read_questions(const lab *l, char *text) {
    unsigned at = 0, questions = 0;
    bool open = false;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        at++;
        if (*line == '#') continue;
        if (!strncmp(line, "Q: ", 3)) {
            if (open) tell(l->id, at, line, "the question before it has no answer");
            open = true;
            questions++;
        } else if (!strncmp(line, "A: ", 3) && open) {
            tell(l->id, at, line, answer_wrong(l, line));
            open = false;
        } else {
            tell(l->id, at, line, "expected Q: and A: in turn");
        }
    }
    if (open) tell(l->id, at, "", "the last question has no answer");
    tell(l->id, 0, "three questions at least", questions < 3 ? "there are fewer" : NULL);
}

/* The test itself sees what is wrong. */
static void sees_mistakes(const lab *l) {
    CHECK(answer_wrong(l, "A: step 1: \"a sentence that no lesson has\"") != NULL);
    CHECK(answer_wrong(l, "A: step 99: \"threadIdx.x counts\"") != NULL);
    CHECK(answer_wrong(l, "A: step 1: threadIdx.x") != NULL);
    CHECK(answer_wrong(l, "A: step 1: \"As in `hello`, a   thread computes\"") == NULL);
}

int main(void) {
    char here[400], path[600];
    if (!getcwd(here, sizeof here)) return 1;
    lab_header *h;
    size_t n = lab_list(here, &h);
    CHECK(n > 30);
    for (size_t i = 0; i < n; i++) {
        if (*h[i].pack) continue; /* of whoever runs this */
        lib_message msg = {0};
        lab *l = lab_load(here, h[i].id, &msg);
        CHECK(l != NULL);
        if (l && !strcmp(l->id, "vector-add")) sees_mistakes(l);
        snprintf(path, sizeof path, "%s/tests/learning/%s.txt", here, h[i].id);
        size_t size;
        char *text = l ? lib_read_file(path, 1 << 16, &size, &msg) : NULL;
        if (text) read_questions(l, text);
        else if (l)
            tell(l->id, 0, "questions of a teacher", "its file in tests/learning is missing");
        free(text);
        lab_free(l);
    }
    free(h);
    return check_done();
}
