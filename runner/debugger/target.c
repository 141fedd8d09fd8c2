/* See target.h. A program of the user runs with the user's rights, as under `profile`. A lab's
 * function runs in the sandbox, as under `grade`. */
#include "runner/debugger/target.h"
#include "grader/grade.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/demangle.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "words/debugger.h"

/* ---- building ---- */

static char *build_one(const char *source, const debugger_target *t, bool debug, char **log,
                       lib_message *msg) {
    build_request q;
    build_request_init(&q);
    char *headers = NULL;
    q.source = source;
    q.shown_as = source;
    q.arch = build_arch(t->device);
    q.debug = debug;
    q.cpu_s = 600;
    q.mode = t->lab ? t->mode : SANDBOX_NONE;
    if (t->lab) {
        q.entry_text = t->lab->entry_text;
        q.headers = headers = t->lab->home ? lib_path_join(t->lab->home, "kernels") : NULL;
        q.files = t->lab->files;
        q.file_count = t->lab->file_count;
        q.whole_program = t->lab->whole_program;
    }
    build_result r;
    build_file(&q, &r);
    char *program = r.ok ? lib_strdup(r.program) : NULL;
    if (!program && r.infra) *msg = r.why;
    else if (!program && lib_message_any(&r.why))
        lib_message_set(msg, w_debugger_does_not_compile_because(source, &r.why));
    else if (!program) lib_message_set(msg, w_debugger_does_not_compile(source));
    if (*r.log && !r.infra) {
        free(*log);
        *log = lib_strdup(r.log);
    }
    build_result_free(&r);
    free(headers);
    return program;
}

static bool program_fits(const char *path, const char *shown, lib_message *msg) {
    char needed[256];
    build_elf e = build_elf_check(path, needed, sizeof needed);
    if (e == BUILD_ELF_SHARED_CUDART) return true;
    lib_message_set(msg, w_debugger_cannot_debug(shown));
    return false;
}

bool target_build(target_run *r, char **log, lib_message *msg) {
    const debugger_target *t = r->t;
    *log = NULL;
    free(r->program);
    free(r->baseline);
    r->program = r->baseline = NULL;
    if (t->program) {
        r->program = realpath(t->program, NULL);
        if (!r->program) lib_message_set(msg, w_debugger_cannot_find(t->shown, errno));
        return r->program && program_fits(r->program, t->shown, msg);
    }
    r->program = build_one(t->source, t, !t->optimised, log, msg);
    char *quiet = NULL;
    if (r->program && t->lab) r->baseline = build_one(t->baseline, t, false, &quiet, msg);
    free(quiet);
    return r->program && (!t->lab || r->baseline);
}

unsigned target_opening(const debugger_target *t) {
    lib_message ignored;
    const debugger_opening *o = t->opening;
    char *text = o && o->at_count && !t->lab->file_count
                     ? lib_read_file(t->source, 1 << 20, NULL, &ignored)
                     : NULL;
    unsigned line = 0;
    for (size_t i = 0; text && i < o->at_count && !line; i++) {
        const char *found = strstr(text, o->at[i]);
        if (!found) continue;
        line = 1;
        for (const char *s = text; s < found; s++) line += *s == '\n';
    }
    free(text);
    return line;
}

void target_free(target_run *r) {
    free(r->program);
    free(r->baseline);
    free(r->output);
    r->program = r->baseline = r->output = NULL;
}

/* ---- a whole program ---- */

static void target_options(const target_run *r, dev_options *o) {
    lib_message ignored;
    const build_toolchain *tools = build_toolchain_get(&ignored);
    dev_options_default(o);
    o->device = r->t->device;
    o->ptxas = tools ? tools->ptxas : NULL;
    o->demangle = lib_demangle;
    o->sim.debug = r->debug;
    o->lang = r->t->lang;
}

static int start(const target_run *r, int fd, sandbox_process *process, lib_message *msg) {
    const lib_paths *p = lib_paths_get(msg);
    if (!p) return -1;
    size_t n = 0;
    while (r->t->arguments && r->t->arguments[n]) n++;
    const char **argv = lib_malloc((n + 2) * sizeof *argv);
    argv[0] = r->program;
    for (size_t k = 0; k < n; k++) argv[k + 1] = r->t->arguments[k];
    argv[n + 1] = NULL;
    int rc = sandbox_start_own(p->libs, r->t->lang, argv, false, !r->quiet, fd, process, msg);
    free(argv);
    return rc;
}

static bool serve(target_run *r, dev_session *session, lib_message *msg) {
    int pair[2];
    sandbox_process process;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        lib_message_set(msg, w_debugger_no_socket(errno));
        return false;
    }
    int rc = start(r, pair[1], &process, msg);
    close(pair[1]);
    dev_client *client = rc ? NULL : dev_client_new(session, pair[0], msg);
    sandbox_exit e = {0};
    if (!client) {
        if (!rc) sandbox_process_kill(&process, &e);
        else close(pair[0]);
        sandbox_exit_free(&e);
        return false;
    }
    dev_event event;
    do event = dev_client_run(client, 3600, msg);
    while (event == DEV_TIMEOUT);
    if (event == DEV_READY) dev_client_finish(client);
    if (event == DEV_CANCELLED || event == DEV_PROTOCOL) sandbox_process_kill(&process, &e);
    else sandbox_process_wait(&process, lib_cancel(), &e);
    free(r->output);
    r->output = e.output;
    e.output = NULL;
    r->how = (lib_message){0};
    if (e.end != SANDBOX_END_EXIT || e.code) sandbox_exit_message(&e, &r->how);
    sandbox_exit_free(&e);
    dev_client_free(client);
    if (event == DEV_READY) lib_message_set(msg, w_debugger_built_for_lab(r->t->shown));
    return event != DEV_READY && event != DEV_PROTOCOL;
}

/* ---- a lab's function ---- */

/* The debugger is off while the baseline runs. */
static void turn(void *user, bool student) {
    const target_run *r = user;
    sim_debug_rest(r->debug, !student);
}

static void ended(void *user, const grade_case_result *c) {
    const target_run *r = user;
    if (r->ended) r->ended(r->user, c);
}

static bool play(target_run *r, lib_message *msg) {
    const debugger_target *t = r->t;
    grading_host h;
    grading_host_init(&h, t->mode, 600);
    grade_host host = grading_host_calls(&h);
    grade_options o = {.device = t->device, .time_limit_s = 600};
    target_options(r, &o.dev);
    o.dev.sim.check_race_global = true;
    grade_play q = {.lab = t->lab,
                    .program = r->program,
                    .baseline = r->baseline,
                    .host = &host,
                    .options = &o,
                    .number = t->number,
                    .turn = turn,
                    .ended = ended,
                    .user = r};
    return grade_play_run(&q, msg);
}

bool target_go(target_run *r, lib_message *msg) {
    sim_debug_machine_from(r->debug, build_machine_code_own, r->program);
    if (r->t->lab) return play(r, msg);
    dev_options o;
    target_options(r, &o);
    dev_session *session = dev_session_new(&o, msg);
    bool ok = session && serve(r, session, msg);
    dev_session_free(session);
    return ok;
}
