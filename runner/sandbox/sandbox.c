/* Finds out what this machine can do, and starts a program in a sandbox (or without one, if the
 * caller allows that).
 *
 *   sandbox_get()            is bubblewrap there? which options? does a trial start work? (once,
 *                            kept)
 *   sandbox_process_start()  sandbox_spawn --with what was found--> spawn.c --> bubblewrap.c,
 *                            seccomp.c, cgroup.c */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/sandbox/cgroup.h"
#include "runner/sandbox/spawn.h"
#include "words/sandbox.h"

/* Prefers the system's bwrap to the one next to warplab (make portable) or the one that was
 * unpacked without root (setup/install.sh), because the system's gets updates. */
static bool sandbox_find_bwrap(char *path, size_t n) {
    const char *hide = getenv("WARPLAB_NO_SANDBOX"); /* for tests of a machine without a sandbox */
    if (hide && *hide && strcmp(hide, "0")) return false;
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    const char *own = getenv("WARPLAB_BWRAP");
    const struct {
        const char *folder, *rest;
    } places[] = {{own && *own == '/' ? own : NULL, ""}, {"/usr/bin", "/bwrap"},
                  {"/usr/local/bin", "/bwrap"},          {"/bin", "/bwrap"},
                  {p ? p->libs : NULL, "/bwrap"},        {p ? p->toolchain : NULL, "/bwrap"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i].folder) continue;
        snprintf(path, n, "%s%s", places[i].folder, places[i].rest);
        if (!access(path, X_OK) && lib_is_file(path)) return true;
    }
    return false;
}

/* Starts /usr/bin/true like a submission. */
static bool sandbox_starts(sandbox_found *s, lib_message *why) {
    static const char *const argv[] = {"/usr/bin/true", NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.argv = argv;
    q.wall_s = 10;
    sandbox_process p;
    sandbox_exit e = {0};
    if (sandbox_process_start_with(&q, s, &p, why)) return false;
    sandbox_process_wait(&p, lib_cancel(), &e);
    bool ok = e.end == SANDBOX_END_EXIT && e.code == 0;
    if (!ok && e.output_len) {
        char *first = sandbox_first_line(e.output);
        lib_message_set(why, w_sandbox_said(first));
        free(first);
    } else if (!ok) {
        sandbox_exit_message(&e, why);
    }
    sandbox_exit_free(&e);
    return ok;
}

static void sandbox_find_out(sandbox_found *s) {
    if (!sandbox_find_bwrap(s->program, sizeof s->program)) {
        lib_message_set(&s->why_not, w_sandbox_no_bubblewrap());
        return;
    }
    lib_message msg = {0};
    const char *init = sandbox_init(&msg);
    if (!init) {
        s->why_not = msg;
        return;
    }
    snprintf(s->init, sizeof s->init, "%s", init);
    snprintf(s->root, sizeof s->root, "%s", lib_paths_get(&msg)->root);
    const char *const version[] = {s->program, "--version", NULL};
    sandbox_spawn q;
    sandbox_spawn_init(&q);
    q.mode = SANDBOX_NONE;
    q.wall_s = 10;
    q.cancel = lib_cancel();
    sandbox_exit e;
    q.argv = version;
    if (!sandbox_run(&q, &e, &msg)) {
        snprintf(s->version, sizeof s->version, "%.*s", (int)strcspn(e.output, "\n"), e.output);
        sandbox_exit_free(&e);
    }
    unsigned major = 0, minor = 0;
    sscanf(s->version, "%*s %u.%u", &major, &minor); /* "bubblewrap 0.8.0" */
    s->disable_userns = major || minor >= 8;
    s->cgroup = cgroup_available();
    lib_message why = {0};
    s->drop_uid = geteuid() == 0;
    s->works = sandbox_starts(s, &why);
    /* unprivileged user namespaces may be off, or mounts may be refused: root can still start it */
    if (!s->works && s->drop_uid) {
        s->drop_uid = false;
        s->works = sandbox_starts(s, &why);
    }
    if (!s->works && s->disable_userns) { /* refused in some containers */
        s->disable_userns = false;
        s->works = sandbox_starts(s, &why);
    }
    if (s->works) return;
    lib_message_set(&s->why_not, w_sandbox_no_namespaces(&why));
}

static sandbox_found found;

const sandbox_found *sandbox_get(void) {
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* two builds ask at once */
    static bool known;
    pthread_mutex_lock(&one);
    if (!known) {
        found = (sandbox_found){0};
        sandbox_find_out(&found);
        known = found.works || !lib_cancel_flag; /* a trial that Ctrl-C ended tells nothing */
    }
    pthread_mutex_unlock(&one);
    return &found;
}

/* ---- starting ---- */

int sandbox_process_start(const sandbox_spawn *q, sandbox_process *p, lib_message *msg) {
    const sandbox_found *s = NULL;
    *p = (sandbox_process){.pid = -1, .status = -1};
    if (q->mode != SANDBOX_NONE) {
        s = sandbox_get();
        if (!s->works) {
            if (q->mode == SANDBOX_REQUIRED) {
                lib_message_set(msg, w_sandbox_none_for_work_of_others(&s->why_not));
                return -1;
            }
            s = NULL;
        }
    }
    return sandbox_process_start_with(q, s, p, msg);
}

void sandbox_spawn_own(sandbox_spawn *s, const char *const *argv, const char *const *env,
                       char *here) {
    sandbox_spawn_init(s);
    s->mode = SANDBOX_NONE;
    s->argv = argv;
    s->env = env;
    s->inherit_env = true;
    s->cpu_s = s->wall_s = 0;
    s->file_bytes = 0;
    s->cwd = getcwd(here, PATH_MAX);
}

int sandbox_start_own(const char *libs, lib_lang lang, const char *const *argv, bool input,
                      bool output, int fd, sandbox_process *p, lib_message *msg) {
    const char *old = getenv("LD_LIBRARY_PATH");
    char *search =
        lib_format("LD_LIBRARY_PATH=%s%s%s", libs, old && *old ? ":" : "", old ? old : "");
    const char *const env[] = {search, lang == LIB_ZH ? "WARPLAB_LANG=zh" : "WARPLAB_LANG=en",
                               NULL};
    char here[PATH_MAX];
    sandbox_spawn s;
    sandbox_spawn_own(&s, argv, env, here);
    s.inherit_input = input;
    s.inherit_output = output;
    s.pass_fd = fd;
    int rc = sandbox_process_start(&s, p, msg);
    free(search);
    return rc;
}

int sandbox_run(const sandbox_spawn *s, sandbox_exit *e, lib_message *msg) {
    sandbox_process p;
    *e = (sandbox_exit){0};
    if (sandbox_process_start(s, &p, msg)) return -1;
    sandbox_process_wait(&p, s->cancel, e);
    if (e->end != SANDBOX_END_NOT_STARTED) return 0;
    sandbox_exit_free(e); /* nothing of the program ran: one more try */
    if (sandbox_process_start(s, &p, msg)) return -1;
    sandbox_process_wait(&p, s->cancel, e);
    return 0;
}
