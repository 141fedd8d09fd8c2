/* A batch on a Slurm cluster: each task of a job array grades a part of the same manifest into the
 * same folder.
 *
 *   ingest, here --> OUT/slurm/job.sh --sbatch --wait--> tasks: COMMAND --shard I/N --> OUT/records
 *                                            --gathered here--> the batch's result
 *
 * No shell gets a command line: sbatch is started directly, and each word in the script is
 * single-quoted. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/store.h"
#include "words/course.h"

extern char **environ;

/* 'it'\''s' */
static void quote(lib_buffer *b, const char *word) {
    lib_buffer_puts(b, "'");
    for (; *word; word++) {
        if (*word == '\'') lib_buffer_puts(b, "'\\''");
        else lib_buffer_add(b, word, 1);
    }
    lib_buffer_puts(b, "'");
}

/* sbatch reads #SBATCH lines itself, with its own rules of quoting. Only words without need for
 * quotes may be there. */
static bool slurm_plain(const char *s) {
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.,") ==
                     strlen(s);
}

char *grade_slurm_script(const char *out, const grade_slurm *s) {
    lib_buffer b = {0};
    unsigned tasks = s->tasks ? s->tasks : 1;
    if ((s->partition && !slurm_plain(s->partition)) || (s->time && !slurm_plain(s->time)))
        return NULL;
    lib_buffer_puts(
        &b, "#!/bin/sh\n# One task of a grading; made by warplab, submitted with sbatch.\n#SBATCH "
            "--job-name=warplab\n");
    lib_buffer_printf(&b, "#SBATCH --array=0-%u", tasks - 1);
    if (s->at_once) lib_buffer_printf(&b, "%%%u", s->at_once);
    lib_buffer_puts(&b, "\n#SBATCH --ntasks=1\n");
    if (s->partition) lib_buffer_printf(&b, "#SBATCH --partition=%s\n", s->partition);
    if (s->time) lib_buffer_printf(&b, "#SBATCH --time=%s\n", s->time);
    lib_buffer_puts(&b, "OUT=");
    quote(&b, out);
    lib_buffer_puts(&b, "\nexport OUT\nexec");
    for (size_t i = 0; s->command[i]; i++) {
        lib_buffer_puts(&b, " ");
        quote(&b, s->command[i]);
    }
    lib_buffer_printf(
        &b,
        " --shard \"$SLURM_ARRAY_TASK_ID/%u\" >\"$OUT/slurm/task-$SLURM_ARRAY_TASK_ID.log\" 2>&1\n",
        tasks);
    return lib_buffer_take(&b);
}

enum { NOT_STARTED = -2, BY_SIGNAL = -1 };

/* Runs sbatch and returns its status, or one of the above; sets *msg if sbatch could not be
 * started. */
static int submit(const char *sbatch, const char *out, const volatile int *cancel,
                  lib_message *msg) {
    char script[4200], log[4300];
    SAY(script, "%s/slurm/job.sh", out);
    SAY(log, "--output=%s/slurm/slurm-%%A_%%a.log", out);
    char *const argv[] = {(char *)sbatch, "--wait", log, script, NULL};
    pid_t pid;
    int rc = posix_spawnp(&pid, sbatch, NULL, NULL, argv, environ);
    if (rc) {
        lib_message_set(msg, w_course_cannot_start_slurm(sbatch, rc));
        return NOT_STARTED;
    }
    int status = lib_child_wait(pid, false, cancel, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL;
}

/* sbatch's status is not enough: it is 0 even if a task was cancelled before it began. What counts
 * is how many submissions have a record of any kind. */
static void say_failed(lib_message *msg, const char *sbatch, int status, const char *out,
                       const grade_batch_summary *s) {
    size_t have = s->graded + s->ungradable + s->suspect + s->infra_error + s->ambiguous,
           without = have < s->total ? s->total - have : 0;
    if (status && without)
        lib_message_set(
            msg, w_course_slurm_ended_without_records(sbatch, status, without, s->total, out));
    else if (status) lib_message_set(msg, w_course_slurm_ended(sbatch, status, out));
    else if (without) lib_message_set(msg, w_course_slurm_without_records(without, s->total, out));
}

/* Keeps what is known only from taking in: the gathering run takes nothing in. */
static void taking_kept(grade_batch_summary *total, const grade_batch_summary *taken) {
    memcpy(total->importer, taken->importer, sizeof total->importer);
    total->layout = taken->layout;
    total->roster = taken->roster;
    total->off_roster = taken->off_roster;
    total->without = taken->without;
}

int grade_slurm_run(const grade_batch *b, const grade_slurm *s, grade_batch_summary *sum,
                    lib_message *msg) {
    /* Taking in only: `part` grades nothing. */
    grade_batch_summary none = {0}, *total = sum ? sum : &none;
    grade_batch part = *b;
    char *script = grade_slurm_script(b->out, s);
    lib_message submitted = {0};
    int out = -1, rc = -1;
    *total = (grade_batch_summary){0};
    if (!script) {
        lib_message_set(msg, w_course_slurm_option_characters());
        return -1;
    }
    part.ingest_only = true;
    if (grade_batch_run(&part, total, msg) < 0) goto end;
    out = store_open(b->out, msg);
    if (out < 0 || !store_folder(out, "slurm", msg) ||
        !store_write(out, "slurm/job.sh", script, strlen(script), 0700, msg))
        goto end;
    const char *sbatch = s->sbatch ? s->sbatch : "sbatch";
    int status = submit(sbatch, b->out, b->cancel, &submitted);
    if (lib_raised(b->cancel)) {
        lib_message_set(msg, w_course_slurm_cancelled());
        goto end;
    }
    /* Gathering: counts and reports as without a cluster, but grades nothing. */
    part.ingest_only = false;
    part.ingest = false;
    part.gather_only = true;
    grade_batch_summary taken = *total;
    rc = grade_batch_run(&part, total, msg);
    taking_kept(total, &taken);
    if (rc >= 0 && total->graded + total->ungradable + total->suspect < total->total) {
        if (status == NOT_STARTED) *msg = submitted;
        else say_failed(msg, sbatch, status, b->out, total);
        if (lib_message_any(msg)) rc = total->graded ? 1 : -1;
    }
end:
    if (out >= 0) close(out);
    free(script);
    return rc;
}
