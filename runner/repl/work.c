/* The student's file or folder of files: made from the skeleton, opened in an editor, compared,
 * reset.
 *
 * The student's files are never overwritten: `reset` first renames a file to the next free
 * ID.cu.~N~, and a folder to ID.~N~. */
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
#include "runner/lesson/pack.h"
#include "runner/lesson/twins.h"
#include "runner/term/diff.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "grader/goal/goal.h"
#include "words/base.h"
#include "words/repl.h"
#include "words/term.h"

enum { SOURCE_BYTES = 1 << 20 };

/* Makes the file `to`. Fails if it exists. Removes the file if it cannot be written completely. */
static bool write_new(const char *to, const char *text, size_t n, lib_message *msg) {
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool made = fd >= 0, ok = made && lib_write_all(fd, text, n);
    if (!ok) lib_message_set(msg, w_repl_path_error(to, errno));
    if (made && close(fd) && ok) {
        lib_message_set(msg, w_repl_path_error(to, errno));
        ok = false;
    }
    if (made && !ok) unlink(to);
    return ok;
}

/* Writes the skeleton's files into a new folder. */
static bool write_folder(const char *to, const char *text, lib_message *msg) {
    lib_part parts[LIB_PARTS];
    size_t count = lib_parts_split(text, strlen(text), parts, msg);
    bool ok = count > 0, made = ok && !mkdir(to, 0755);
    if (ok && !made) lib_message_set(msg, w_repl_path_error(to, errno));
    ok = made;
    for (size_t i = 0; ok && i < count; i++) {
        char *path = lib_path_join(to, parts[i].name);
        ok = write_new(path, parts[i].text, parts[i].n, msg);
        free(path);
    }
    if (made && !ok) lib_remove_tree(to);
    return ok;
}

static bool copy_new(const repl *r, lib_message *msg) {
    size_t n;
    char *both = lib_read_file(r->lab->skeleton_path, SOURCE_BYTES, &n, msg);
    if (!both) return false;
    char *text = twins_in(both, r->lang);
    bool ok = r->lab->grade.file_count ? write_folder(r->file, text, msg)
                                       : write_new(r->file, text, strlen(text), msg);
    free(both);
    free(text);
    return ok;
}

bool repl_make_file(repl *r) {
    lib_message msg = {0};
    struct stat st;
    char *folder = lib_format("%.*s", (int)(strrchr(r->file, '/') - r->file), r->file);
    bool made = lib_make_folders(folder, &msg);
    if (made && !r->lab->grade.file_count) work_headers(r, folder);
    free(folder);
    if (!lstat(r->file, &st)) return true;
    if (made && copy_new(r, &msg)) {
        text_words(&r->out, TEXT_PLAIN, 0, r->lang,
                   r->lab->grade.file_count ? w_repl_files_made(r->file)
                                            : w_repl_file_made(r->file));
        return true;
    }
    text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_file_failed(&msg));
    return false;
}

void repl_say_file(repl *r) {
    const grade_lab *g = &r->lab->grade;
    char all[LIB_PARTS * (LIB_PART_NAME + 3)] = "";
    for (size_t i = 0; i < g->file_count; i++) {
        if (i) strcat(all, "\n");
        strcat(all, g->files[i]);
    }
    if (r->options->preview)
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_file_preview(r->file));
    else if (g->file_count)
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_files_are(r->file, all));
    else text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_file_is(r->file));
}

/* ---- the editor ---- */

/* Finds the files for `edit`: with several files, those whose names begin with the argument, or
 * all. Returns 0 if there is none; that was printed. */
static size_t editor_files(repl *r, const char *argument, char *paths[LIB_PARTS]) {
    const grade_lab *g = &r->lab->grade;
    size_t n = 0;
    if (!g->file_count) {
        paths[n++] = lib_strdup(r->file);
        return n;
    }
    for (size_t i = 0; i < g->file_count; i++)
        if (!strncmp(g->files[i], argument, strlen(argument)))
            paths[n++] = lib_path_join(r->file, g->files[i]);
    if (!n) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_edit_what(argument));
        repl_say_file(r);
    }
    return n;
}

/* Starts the editor and waits for it. Returns an errno if it could not be started, otherwise 0. */
static int editor_run(char *const argv[]) {
    int pipe_fd[2];
    if (pipe2(pipe_fd, O_CLOEXEC)) return errno;
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
    /* The pipe closes without a byte if the editor was started. */
    if (pid > 0) {
        while (read(pipe_fd[0], &e, sizeof e) < 0 && errno == EINTR) {
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(pipe_fd[0]);
    lib_cancel_clear(); /* a Ctrl-C in the editor was for the editor */
    return e;
}

int repl_edit(repl *r, char *argument) {
    if (!r->interactive) {
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_NOT_TERMINAL));
        repl_say_file(r);
        return 1;
    }
    if (!repl_make_file(r)) return 1;
    char *paths[LIB_PARTS];
    size_t path_count = editor_files(r, argument, paths);
    if (!path_count) return 1;
    char editor[200];
    if (!editor_command(r, editor, sizeof editor)) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_no_editor(r->file));
        for (size_t i = 0; i < path_count; i++) free(paths[i]);
        return 1;
    }
    /* "code --wait" is two words. There is no shell, so there is no quoting. */
    char *words = lib_strdup(editor), *argv[16 + LIB_PARTS], *at[2] = {NULL};
    int n = 0;
    for (char *w = strtok(words, " \t"); w && n < 14; w = strtok(NULL, " \t")) argv[n++] = w;
    if (n && path_count == 1 && !r->lab->grade.file_count) {
        size_t k = editor_at(argv[0], paths[0], editor_line(r), at);
        for (size_t i = 0; i < k; i++) argv[n++] = at[i];
    } else
        for (size_t i = 0; i < path_count; i++) argv[n++] = paths[i];
    argv[n] = NULL;
    int e = editor_run(argv);
    text_out_resize(&r->out);
    if (e) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_editor_failed(argv[0], e));
    else text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_EDITED));
    free(words);
    free(at[0]);
    free(at[1]);
    for (size_t i = 0; i < path_count; i++) free(paths[i]);
    return e != 0;
}

/* ---- differences ---- */

/* Prints a line of code after 7 columns. If it does not fit, it continues below, after a place
 * where a line may end. */
static void changed_code(repl *r, text_style st, const char *s, size_t n) {
    enum { BEFORE = 7, DEEPER = 4 };
    int room = r->out.width - BEFORE;
    for (bool first = true; first || n; first = false) {
        char *rest = lib_format("%.*s", (int)n, s);
        int columns = room - (first ? 0 : DEEPER);
        size_t fits = text_fit(rest, columns), at = text_break(rest, columns);
        free(rest);
        if (!first) text_put(&r->out, st, "%*s", BEFORE + DEEPER, "");
        size_t lead = strspn(s, " \t");
        if (fits == n) at = n;
        else if (at <= lead || at < fits / 2) { /* behind an opening parenthesis, or anywhere */
            for (at = fits; at > lead && !strchr("([{,", s[at - 1]);) at--;
            if (at <= lead || at < fits / 2) at = fits ? fits : 1;
        }
        size_t end = at;
        while (at < n && end && s[end - 1] == ' ') end--;
        text_put(&r->out, st, "%.*s\n", (int)end, s);
        s += at;
        n -= at;
    }
}

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
        text_put(&r->out, st, "%c ", l->mark);
        changed_code(r, st, l->text, l->n);
    }
    free(d);
}

/* Compares several files one by one, under their names; a missing file counts as empty. Returns
 * false if there is no difference. */
static bool put_diffs(repl *r, const char *old, const char *new, lib_words key) {
    lib_part a[LIB_PARTS], b[LIB_PARTS];
    lib_message msg;
    bool several = r->lab->grade.file_count > 0, any = false;
    size_t n = several ? lib_parts_split(old, strlen(old), a, &msg) : 0,
           m = several ? lib_parts_split(new, strlen(new), b, &msg) : 0;
    if (!n || !m) {
        any = strcmp(old, new) != 0;
        if (any) text_words(&r->out, TEXT_DIM, 0, r->lang, key);
        if (any) put_diff(r, old, new);
        return any;
    }
    for (size_t i = 0; i < n + m; i++) {
        const lib_part *x = i < n ? &a[i] : &b[i - n];
        const lib_part *y = i < n ? lib_parts_find(b, m, x->name) : lib_parts_find(a, n, x->name);
        if (i >= n && y) continue; /* compared already */
        if (y && x->n == y->n && !memcmp(x->text, y->text, x->n)) continue;
        char *one = lib_format("%.*s", (int)x->n, x->text),
             *other = lib_format("%.*s", y ? (int)y->n : 0, y ? y->text : "");
        if (!any) text_words(&r->out, TEXT_DIM, 0, r->lang, key);
        any = true;
        text_line(&r->out, TEXT_STRONG, 0, "%s", x->name);
        put_diff(r, i < n ? one : other, i < n ? other : one);
        free(one);
        free(other);
    }
    return any;
}

static char *work_read(repl *r, const char *path) {
    lib_message msg = {0};
    size_t n;
    char *text = lib_read_source(path, SOURCE_BYTES, &n, &msg);
    bool gone = !text && access(path, F_OK);
    if (gone && !strcmp(path, r->file))
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_file_gone(r->file));
    else if (!text) text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
    return text;
}

/* Reads a file of the lab with comments in the student's language. */
static char *lab_text_of(repl *r, const char *path) {
    char *both = work_read(r, path), *text = both ? twins_in(both, r->lang) : NULL;
    free(both);
    return text;
}

int repl_diff(repl *r, char *argument) {
    bool baseline = *argument && !strncmp("baseline", argument, strlen(argument));
    if (*argument && !baseline && strncmp("skeleton", argument, strlen(argument)) != 0) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_diff_what(argument));
        return 1;
    }
    lib_word_id title = baseline ? W_REPL_DIFF_BASELINE : W_REPL_DIFF_SKELETON;
    char *old = lab_text_of(r, baseline ? r->lab->baseline_path : r->lab->skeleton_path),
         *mine = work_read(r, r->file);
    if (old && mine && !put_diffs(r, old, mine, w_repl_diff_key(title)))
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_diff_none(title));
    int status = !(old && mine);
    free(old);
    free(mine);
    return status;
}

int repl_answer(repl *r, char *argument) {
    (void)argument;
    lib_message msg = {0};
    if (!lib_is_file(r->lab->answer_path) || !pack_answer_open(r->lab->id, r->state.passed, &msg)) {
        text_words(&r->out, TEXT_WARN, 0, r->lang,
                   lib_message_any(&msg) ? lib_message_words(&msg) : w_repl_answer_not_here());
        return 1;
    }
    if (!r->state.passed && !repl_yes(r, lib_word(r->lang, W_REPL_ANSWER_SURE))) return 0;
    char *answer = lab_text_of(r, r->lab->answer_path), *mine = work_read(r, r->file);
    if (answer && !r->state.answer_seen && !r->state.passed) {
        r->state.answer_seen = true;
        progress_put(r->progress, &r->state);
    }
    if (answer) {
        if (!put_diffs(r, mine ? mine : "", answer, w_repl_diff_key_answer(W_REPL_DIFF_ANSWER)))
            text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_diff_none(W_REPL_DIFF_ANSWER));
        text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_answer_file(r->lab->answer_path));
        /* Compare the counters of both, those of the goals. */
        const char *counters[MEASURE_COUNTERS];
        lab_show s = {.picture = LAB_PIC_COUNTERS,
                      .measure.of = LAB_OF_MINE,
                      .beside.of = LAB_OF_ANSWER,
                      .has_beside = true,
                      .counters = counters};
        for (size_t i = 0; i < r->lab->grade.goal_count && s.counter_count < MEASURE_COUNTERS; i++)
            if (grade_goal_counted(&r->lab->grade.goals[i]))
                counters[s.counter_count++] = r->lab->grade.goals[i].name;
        if (s.counter_count && mine) repl_draw(r, &s, NULL);
    }
    int status = !answer;
    free(answer);
    free(mine);
    return status;
}

/* ---- starting over ---- */

int repl_reset(repl *r, char *argument) {
    (void)argument;
    struct stat st;
    bool there = !lstat(r->file, &st);
    if (!there) return repl_make_file(r) ? 0 : 1;
    if (r->interactive && !repl_yes(r, lib_word(r->lang, W_REPL_RESET_SURE))) return 0;
    char kept[640];
    lib_message msg = {0};
    int n = 1;
    do snprintf(kept, sizeof kept, "%s.~%d~", r->file, n++);
    while (!lstat(kept, &st) && n < 10000);
    if (rename(r->file, kept)) {
        lib_message_set(&msg, w_base_cannot_write(kept, errno));
        text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_reset_failed(&msg));
        return 1;
    }
    if (!copy_new(r, &msg)) {
        if (!rename(kept, r->file))
            text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_reset_failed(&msg));
        else text_words(&r->out, TEXT_BAD, 0, r->lang, w_repl_reset_done(kept));
        return 1;
    }
    text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_reset_done(kept));
    return 0;
}
