/* Runs commands of the simulated device in the sandbox: ptxas reads what a submission wrote, and
 * the C compiler reads code made from it.
 *
 *   sim_command --look up--> kept? --input, folder--> sandbox_run() --made()--> sim_command_end
 *
 * A command works in a folder inside one of our own. If the grader is killed, the folder is swept
 * away together with our other folders, whichever user owns it (dev_run_command). */
#include "runner/grade/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/grade/kept.h"
#include "runner/sandbox/sandbox.h"
#include "words/grade.h"

#define COMMAND_WORK "/work" /* the folder's path inside the sandbox */

/* Finds a tool at its path in the sandbox. There the toolkit has the same path as outside, and
 * everything else is below /usr. */
static bool command_find(const char *name, char *path, size_t n) {
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin"};
    if (strchr(name, '/')) return snprintf(path, n, "%s", name) < (int)n && !access(path, X_OK);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, n, "%s/%s", folders[i], name);
        if (!access(path, X_OK)) return true;
    }
    return false;
}

static bool command_put(const char *work, const sim_command_file *file, lib_message *msg) {
    char *path = lib_path_join(work, file->name), *slash = strrchr(path, '/');
    *slash = 0;
    bool ok = lib_make_folders(path, msg);
    /* The sandbox may run as another user, who must read these files and write beside them. The
     * folder above keeps other users out. */
    if (ok && strcmp(path, work)) ok = !chmod(path, 0777);
    *slash = '/';
    ok = ok && lib_write_file(path, file->bytes, file->len, msg) && !chmod(path, 0644);
    free(path);
    return ok;
}

/* Makes a folder with the files in its "work"; `folder` is "" if the command needs none. */
static bool command_folder(const sim_command *c, char *folder, char *work, size_t n,
                           lib_message *msg) {
    const char *tmp = getenv("TMPDIR");
    *folder = *work = 0;
    if (!c->files) return true;
    if (snprintf(folder, n, "%s/warplab-command-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp") >=
            (int)n ||
        !mkdtemp(folder)) {
        lib_message_set(msg, w_grade_no_folder(tmp ? tmp : "/tmp", errno));
        *folder = 0;
        return false;
    }
    snprintf(work, n, "%.4000s/work", folder);
    bool ok = !mkdir(work, 0755);
    if (!ok) lib_message_set(msg, w_grade_no_work(work, errno));
    for (size_t i = 0; ok && i < c->file_count; i++) ok = command_put(work, &c->files[i], msg);
    return ok;
}

static bool command_input(const sim_command *c, int *fd, lib_message *msg) {
    *fd = -1;
    if (!c->input) return true;
    *fd = memfd_create("input", MFD_CLOEXEC);
    if (*fd >= 0 && lib_write_all(*fd, c->input, c->input_len) && !lseek(*fd, 0, SEEK_SET))
        return true;
    lib_message_set(msg, w_grade_no_input(errno));
    return false;
}

static sim_command_end command_judge(const sandbox_exit *e) {
    switch (e->end) {
    case SANDBOX_END_CANCELLED: return SIM_COMMAND_STOPPED;
    case SANDBOX_END_TIMEOUT: return SIM_COMMAND_LATE;
    case SANDBOX_END_NOT_STARTED: return SIM_COMMAND_BROKEN;
    case SANDBOX_END_SIGNAL: return e->code == SIGXCPU ? SIM_COMMAND_LATE : SIM_COMMAND_FAILED;
    case SANDBOX_END_EXIT: break;
    }
    return e->code ? SIM_COMMAND_FAILED : SIM_COMMAND_DONE;
}

static sim_command_end command_run(const sim_command *c, const char *const *argv, const char *work,
                                   int input, lib_message *msg) {
    const build_toolchain *tools = build_toolchain_get(msg);
    if (!tools) return SIM_COMMAND_MISSING;
    const sandbox_bind binds[] = {{.from = tools->home},
                                  {.from = work, .to = COMMAND_WORK, .writable = true}};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.argv = argv;
    s.cwd = *work ? COMMAND_WORK : NULL;
    s.binds = binds;
    s.bind_count = *work ? 2 : 1;
    s.may_fork = true; /* the compiler starts its own parts */
    s.cpu_s = s.wall_s = c->seconds;
    s.memory = c->memory_bytes;
    s.file_bytes = s.tmp_bytes = 128u << 20;
    s.output_bytes = c->output ? c->output_max : 0;
    s.input_fd = input;
    s.cancel = c->cancel;
    sandbox_exit e;
    if (sandbox_run(&s, &e, msg)) return SIM_COMMAND_BROKEN;
    sim_command_end how = command_judge(&e);
    if (how == SIM_COMMAND_BROKEN) sandbox_exit_message(&e, msg);
    if (c->output) {
        size_t n = e.output_len < c->output_max ? e.output_len : c->output_max;
        memcpy(c->output, e.output, n);
        c->output[n] = 0;
    }
    sandbox_exit_free(&e);
    return how;
}

sim_command_end grading_command(void *user, const sim_command *c, lib_message *msg) {
    (void)user;
    enum { ARGUMENTS = 64 };
    char path[4096], folder[4096], work[4200];
    const char *argv[ARGUMENTS + 1] = {path};
    size_t n = 1;
    int input = -1;
    lib_message unread = {0};
    if (!msg) msg = &unread;
    *msg = (lib_message){0};
    if (c->output) c->output[0] = 0;
    if (!command_find(c->argv[0], path, sizeof path)) return SIM_COMMAND_MISSING;
    while (n < ARGUMENTS && c->argv[n]) argv[n] = c->argv[n], n++;
    if (c->argv[n]) {
        lib_message_set(msg, w_grade_too_many_arguments(path));
        return SIM_COMMAND_BROKEN;
    }
    char key[KEPT_KEY];
    bool keep = kept_key(c, path, key);
    if (keep && kept_find(c, key)) return SIM_COMMAND_DONE;
    sim_command_end how = SIM_COMMAND_BROKEN;
    if (command_folder(c, folder, work, sizeof folder, msg) && command_input(c, &input, msg))
        how = command_run(c, argv, work, input, msg);
    if (how == SIM_COMMAND_DONE && c->made && !c->made(c->user, work)) how = SIM_COMMAND_FAILED;
    if (input >= 0) close(input);
    if (*folder) lib_remove_tree(folder);
    if (keep && how == SIM_COMMAND_DONE) kept_put(c, key);
    return how;
}
