/* The student's file: made from the skeleton, opened in an editor, compared, put back.
 *
 * A file of the student's is never overwritten: `reset` first renames it to the next free
 * ID.cu.~N~. */
#include "runner/repl/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/lesson/twins.h"
#include "runner/repl/diff.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"

enum { SOURCE_BYTES = 1 << 20 };

/* Makes `to` with the skeleton's text, its comments in one language; fails when there is a file
 * already. A half-written file is taken away again. */
static bool copy_new(const char *from, const char *to, lib_lang lang, lib_message *msg) {
    size_t n;
    char *both = lib_read_file(from, SOURCE_BYTES, &n, msg);
    if (!both) return false;
    char *text = twins_in(both, lang);
    n = strlen(text);
    free(both);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool made = fd >= 0, ok = made && lib_write_all(fd, text, n);
    if (!ok) lib_message_set(msg, "%s: %s", to, strerror(errno));
    if (made && close(fd) && ok) {
        lib_message_set(msg, "%s: %s", to, strerror(errno));
        ok = false;
    }
    if (made && !ok) unlink(to);
    free(text);
    return ok;
}

bool repl_make_file(repl *r) {
    lib_message msg = {0};
    struct stat st;
    if (!lstat(r->file, &st)) return true;
    if (lib_make_folders(r->paths->work, &msg) &&
        copy_new(r->lab->skeleton_path, r->file, r->lang, &msg)) {
        text_line(&r->out, TEXT_PLAIN, 0, T(FILE_MADE), r->file);
        return true;
    }
    text_line(&r->out, TEXT_BAD, 0, T(FILE_FAILED), msg.text);
    return false;
}

/* ---- the editor ---- */

int repl_edit(repl *r, char *argument) {
    (void)argument;
    if (!r->interactive) {
        text_line(&r->out, TEXT_WARN, 0, "%s", T(NOT_TERMINAL));
        text_line(&r->out, TEXT_PLAIN, 0, T(FILE_IS), r->file);
        return 1;
    }
    if (!repl_make_file(r)) return 1;
    static const char *const usual[] = {"nano", "vim", "vi", "emacs", "micro"};
    const char *editor = getenv("VISUAL");
    if (!editor || !*editor) editor = getenv("EDITOR");
    for (size_t i = 0; (!editor || !*editor) && i < sizeof usual / sizeof *usual; i++) {
        char *found = lib_find_program(getenv("PATH"), usual[i]);
        if (found) editor = usual[i];
        free(found);
    }
    if (!editor || !*editor) {
        text_line(&r->out, TEXT_WARN, 0, T(NO_EDITOR), r->file);
        return 1;
    }
    /* "code --wait" is two words; no shell, so no quoting. */
    char *words = lib_strdup(editor), *argv[16];
    int n = 0;
    for (char *w = strtok(words, " \t"); w && n < 14; w = strtok(NULL, " \t")) argv[n++] = w;
    argv[n++] = r->file;
    argv[n] = NULL;
    int pipe_fd[2];
    if (pipe2(pipe_fd, O_CLOEXEC)) {
        free(words);
        return 1;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction act = {.sa_handler = SIG_DFL};
        sigaction(SIGINT, &act, NULL);
        execvp(argv[0], argv);
        int e = errno;
        (void)!write(pipe_fd[1], &e, sizeof e);
        _exit(127);
    }
    close(pipe_fd[1]);
    int e = pid < 0 ? errno : 0, status = 0;
    /* The pipe closes without a byte when the editor was started. */
    if (pid > 0) {
        while (read(pipe_fd[0], &e, sizeof e) < 0 && errno == EINTR) {
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(pipe_fd[0]);
    lib_cancel_clear(); /* a Ctrl-C in the editor was the editor's */
    text_out_resize(&r->out);
    if (e) text_line(&r->out, TEXT_WARN, 0, T(EDITOR_FAILED), argv[0], strerror(e));
    else text_line(&r->out, TEXT_DIM, 0, "%s", T(EDITED));
    free(words);
    return e != 0;
}

/* ---- differences ---- */

static void put_diff(repl *r, const char *old, const char *new) {
    diff_line *d;
    size_t n = diff_lines(old, new, &d);
    for (size_t i = 0; i < n; i++) {
        const diff_line *l = &d[i];
        text_style st = l->mark == '-' ? TEXT_BAD : l->mark == '+' ? TEXT_GOOD : TEXT_PLAIN;
        if (l->mark == '@') {
            text_put(&r->out, TEXT_DIM, "     ...\n");
            continue;
        }
        if (l->line) text_put(&r->out, TEXT_DIM, "%4d ", l->line);
        else text_put(&r->out, TEXT_DIM, "     ");
        text_put(&r->out, st, "%c %.*s\n", l->mark, (int)l->n, l->text);
    }
    free(d);
}

static char *work_read(repl *r, const char *path) {
    lib_message msg = {0};
    size_t n;
    char *text = lib_read_file(path, SOURCE_BYTES, &n, &msg);
    if (!text && !strcmp(path, r->file)) text_line(&r->out, TEXT_WARN, 0, T(FILE_GONE), r->file);
    else if (!text) text_line(&r->out, TEXT_BAD, 0, "%s", msg.text);
    return text;
}

/* A file of the lab's, its comments in the student's language. */
static char *lab_text_of(repl *r, const char *path) {
    char *both = work_read(r, path), *text = both ? twins_in(both, r->lang) : NULL;
    free(both);
    return text;
}

int repl_diff(repl *r, char *argument) {
    bool baseline = *argument && !strncmp("baseline", argument, strlen(argument));
    if (*argument && !baseline && strncmp("skeleton", argument, strlen(argument)) != 0) {
        text_line(&r->out, TEXT_WARN, 0, T(DIFF_WHAT), argument);
        return 1;
    }
    const char *title = baseline ? T(DIFF_BASELINE) : T(DIFF_SKELETON);
    char *old = lab_text_of(r, baseline ? r->lab->baseline_path : r->lab->skeleton_path),
         *mine = work_read(r, r->file);
    if (old && mine && !strcmp(old, mine)) text_line(&r->out, TEXT_PLAIN, 0, T(DIFF_NONE), title);
    else if (old && mine) {
        text_line(&r->out, TEXT_DIM, 0, T(DIFF_KEY), title);
        put_diff(r, old, mine);
    }
    int status = !(old && mine);
    free(old);
    free(mine);
    return status;
}

int repl_answer(repl *r, char *argument) {
    (void)argument;
    if (!r->state.passed && !repl_yes(r, T(ANSWER_SURE))) return 0;
    char *answer = lab_text_of(r, r->lab->answer_path), *mine = work_read(r, r->file);
    if (answer && !r->state.answer_seen && !r->state.passed) {
        r->state.answer_seen = true;
        progress_put(r->progress, &r->state);
    }
    if (answer) {
        text_line(&r->out, TEXT_DIM, 0, T(DIFF_KEY_ANSWER), T(DIFF_ANSWER));
        put_diff(r, mine ? mine : "", answer);
        text_line(&r->out, TEXT_PLAIN, 0, T(ANSWER_FILE), r->lab->answer_path);
        /* Counters of both, of those that the goals look at. */
        const char *counters[MEASURE_COUNTERS];
        lab_show s = {.picture = LAB_PIC_COUNTERS,
                      .measure.of = LAB_OF_MINE,
                      .beside.of = LAB_OF_ANSWER,
                      .has_beside = true,
                      .counters = counters};
        for (size_t i = 0; i < r->lab->grade.goal_count && s.counter_count < MEASURE_COUNTERS; i++)
            if (r->lab->grade.goals[i].kind == GRADE_GOAL_COUNTER)
                counters[s.counter_count++] = r->lab->grade.goals[i].name;
        if (s.counter_count && mine) repl_draw(r, &s, NULL);
    }
    int status = !answer;
    free(answer);
    free(mine);
    return status;
}

/* ---- starting over ---- */

/* A quiz begins anew: what was answered is forgotten, the best score stays. */
static int reset_quiz(repl *r) {
    if (r->interactive && !repl_yes(r, T(QUIZ_RESET_SURE))) return 0;
    progress_questions_forget(r->progress, r->lab->id);
    memset(r->group_seed, 0, sizeof r->group_seed);
    text_line(&r->out, TEXT_PLAIN, 0, "%s", T(QUIZ_RESET_DONE));
    return 0;
}

int repl_reset(repl *r, char *argument) {
    (void)argument;
    if (r->lab->quiz) return reset_quiz(r);
    struct stat st;
    bool there = !lstat(r->file, &st);
    if (!there) return repl_make_file(r) ? 0 : 1;
    if (r->interactive && !repl_yes(r, T(RESET_SURE))) return 0;
    char kept[640];
    int n = 1;
    do snprintf(kept, sizeof kept, "%s.~%d~", r->file, n++);
    while (!lstat(kept, &st) && n < 10000);
    if (rename(r->file, kept)) {
        text_line(&r->out, TEXT_BAD, 0, T(RESET_FAILED), strerror(errno));
        return 1;
    }
    lib_message msg = {0};
    if (!copy_new(r->lab->skeleton_path, r->file, r->lang, &msg)) {
        if (!rename(kept, r->file)) text_line(&r->out, TEXT_BAD, 0, T(RESET_FAILED), msg.text);
        else text_line(&r->out, TEXT_BAD, 0, T(RESET_DONE), kept);
        return 1;
    }
    text_line(&r->out, TEXT_PLAIN, 0, T(RESET_DONE), kept);
    return 0;
}
