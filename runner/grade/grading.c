/* Grades one submission from start to end: forbidden words, build, the lab's baseline, grade_run()
 * in the sandbox.
 *
 * This file distinguishes two kinds of failure. The submission's fault is a FAIL with the
 * compiler's messages; anything else is an ERROR (exit status 3). */
#include "runner/grade/grading.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/demangle.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/grade/command.h"
#include "grader/goal/goal.h"
#include "runner/grade/source.h"
#include "words/grade.h"

enum { SHEET_BYTES = 1 << 20 };
/* Limit of the memory of a submission's own processes, and of the memory that it may make the
 * server use. */
#define GRADING_BYTES ((uint64_t)4 << 30)

const char *grading_device(void) {
    const char *d = getenv("WARPLAB_DEVICE");
    const lib_message *why;
    unsigned arch;
    char nearest[64];
    return d && *d ? d : dev_gpu_found(&arch, nearest, &why) ? "gpu:0" : "sim:h200";
}

int grading_status(grade_verdict v) {
    return v == GRADE_PASS ? 0 : v == GRADE_FAIL || v == GRADE_SUSPECT ? 1 : 3;
}

void grading_options_init(grading_options *o) {
    *o = (grading_options){.mode = SANDBOX_REQUIRED};
}

/* ---- starting and reaping programs ---- */

void grading_host_init(grading_host *h, sandbox_mode mode, double cpu_s) {
    *h = (grading_host){.mode = mode, .cpu_s = cpu_s};
}

static int host_spawn(void *user, const char *path, grade_child *child, lib_message *msg) {
    grading_host *h = user;
    sandbox_process *slot = NULL;
    for (size_t i = 0; i < GRADING_PROCESSES && !slot; i++) {
        if (h->processes[i].pid <= 0) slot = &h->processes[i];
    }
    int pair[2];
    if (!slot || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        if (slot) lib_message_set(msg, w_grade_no_start(errno));
        else lib_message_set(msg, w_grade_too_many_programs());
        return -1;
    }
    lib_message ignored;
    const lib_paths *p = lib_paths_get(&ignored);
    bool sandboxed = h->mode != SANDBOX_NONE && sandbox_get()->works;
    char *lib = lib_path_join(p->libs, "libcudart.so.13"),
         *search = lib_format("LD_LIBRARY_PATH=%s", p->libs);
    const char *const argv[] = {sandboxed ? "/program" : path, NULL},
                      *const env[] = {sandboxed ? "LD_LIBRARY_PATH=/lib-warplab" : search, NULL};
    const sandbox_bind binds[] = {{.from = path, .to = "/program"},
                                  {.from = lib, .to = "/lib-warplab/libcudart.so.13"}};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = h->mode;
    s.argv = argv;
    s.env = env;
    s.binds = binds;
    s.bind_count = sizeof binds / sizeof *binds;
    s.pass_fd = pair[1];
    s.cpu_s = h->cpu_s;
    s.wall_s = 0; /* the device ends it when the time is over */
    /* Managed memory reserves more address space than it uses. Therefore the tight limit is the
     * cgroup's, if there is one. */
    s.resident = GRADING_BYTES;
    s.memory = sandboxed && sandbox_get()->cgroup ? (uint64_t)64 << 30 : (uint64_t)16 << 30;
    s.output_bytes = 64 << 10;
    int rc = sandbox_process_start(&s, slot, msg);
    close(pair[1]);
    free(lib);
    free(search);
    if (rc) {
        close(pair[0]);
        *slot = (sandbox_process){0};
        return -1;
    }
    *child = (grade_child){.pid = slot->pid, .fd = pair[0], .out_fd = -1};
    return 0;
}

static int host_reap(void *user, grade_child *child, bool kill_it, char **output,
                     size_t *output_len) {
    grading_host *h = user;
    sandbox_exit e = {0};
    for (size_t i = 0; i < GRADING_PROCESSES; i++) {
        sandbox_process *p = &h->processes[i];
        if (p->pid != child->pid || p->pid <= 0) continue;
        if (kill_it) {
            sandbox_process_kill(p, &e);
        } else {
            /* The device has released the program: only exit handlers remain. */
            p->deadline = lib_now() + 5;
            sandbox_process_wait(p, lib_cancel(), &e);
        }
        *p = (sandbox_process){0};
        break;
    }
    if (output) {
        *output = e.output;
        if (output_len) *output_len = e.output_len;
        e.output = NULL;
    }
    int status = e.end == SANDBOX_END_NOT_STARTED ? -1 : e.wait_status;
    child->over_memory = e.over_memory ? GRADING_BYTES : 0;
    sandbox_exit_free(&e);
    child->pid = -1;
    return status;
}

grade_host grading_host_calls(grading_host *h) {
    return (grade_host){.spawn = host_spawn, .reap = host_reap, .user = h};
}

/* ---- one submission ---- */

static void stage(const grading_options *o, const char *what) {
    if (o->stage) o->stage(o->user, what);
}

/* Checks what no compiler needs to see. The files of a submission are checked one by one. */
static bool source_known(const grade_lab *lab, const char *path, const char *text, size_t n,
                         lib_message *why) {
    lib_part parts[LIB_PARTS];
    lib_message ignored = {0};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t count = lab->file_count ? lib_parts_split(text, n, parts, &ignored) : 0;
    for (size_t i = 0; i < count; i++)
        if (!source_is_text(parts[i].name, parts[i].text, parts[i].n, why)) return false;
    return count || source_is_text(name, text, n, why);
}

/* Could not grade, not through the submission's fault. */
static grade_verdict give_up(grade_result *r, const lib_message *why) {
    r->verdict = GRADE_ERROR;
    r->score = 0;
    r->message = *why;
    return r->verdict;
}

/* Could not grade, and another try would not help. */
static grade_verdict refuse(grade_result *r, const lib_message *why) {
    r->ungradable = true;
    return give_up(r, why);
}

typedef struct {
    build_request request;
    build_result result;
} grading_build;

static void *build_thread(void *user) {
    grading_build *j = user;
    build_file(&j->request, &j->result);
    return NULL;
}

/* Builds the student's file and the baseline at the same time. With a second core, a lab's first
 * grading takes no longer than later ones. */
static void build_both(grading_build *student, grading_build *baseline) {
    pthread_t t;
    bool thread = !pthread_create(&t, NULL, build_thread, baseline);
    build_file(&student->request, &student->result);
    if (thread) pthread_join(t, NULL);
    else build_thread(baseline);
}

/* Leaves out the folder of "/src/vector-add.cu", the file's name in the compiler's sandbox. */
static const char *own_file(const char *file) {
    return file && !strncmp(file, "/src/", 5) ? file + 5 : file;
}

static void own_names(grade_result *r) {
    for (size_t i = 0; i < r->finding_count; i++) {
        sim_finding *f = &r->findings[i];
        f->file = own_file(f->file);
        f->other_file = own_file(f->other_file);
    }
    for (size_t i = 0; i < r->line_count; i++) r->lines[i].file = own_file(r->lines[i].file);
}

static void say_sandbox(sandbox_mode mode, grade_result *r) {
    const sandbox_found *s = mode == SANDBOX_NONE ? NULL : sandbox_get();
    if (s && s->works)
        snprintf(r->sandbox, sizeof r->sandbox, "%s, rlimits, seccomp%s", s->version,
                 s->cgroup ? ", cgroup" : "");
    else snprintf(r->sandbox, sizeof r->sandbox, "none");
}

/* On a GPU the submission first runs on the most similar simulated device, which counts, checks
 * each access and explains. Then it runs on the GPU, for outputs and times. A submission that is
 * wrong on the simulated device does not run on the GPU, because it could do damage there that
 * nothing detects. */
static void run_on(const grade_lab *lab, const char *student, const char *baseline,
                   const grade_host *host, grade_options *g, const grading_options *o,
                   grade_result *r) {
    unsigned arch;
    char nearest[64];
    const lib_message *why;
    const char *device = g->device, *alone = getenv("WARPLAB_GPU_ALONE");
    if (strncmp(device, "gpu:", 4) || (alone && *alone == '1') ||
        !dev_gpu_found(&arch, nearest, &why)) {
        /* without a GPU, grade_run() reports that there is none */
        grade_run(lab, student, baseline, host, g, r);
        return;
    }
    grade_result explained;
    grade_result_init(&explained, lab, g);
    g->device = nearest;
    grade_run(lab, student, baseline, host, g, &explained);
    bool graded = explained.verdict == GRADE_PASS || explained.verdict == GRADE_FAIL;
    if (!graded || !grade_result_correct(&explained)) {
        grade_result_free(r);
        *r = explained;
        snprintf(r->asked_device, sizeof r->asked_device, "%s", device);
        return;
    }
    stage(o, "timing on the GPU");
    g->device = device;
    g->explained = &explained;
    grade_run(lab, student, baseline, host, g, r);
    snprintf(r->asked_device, sizeof r->asked_device, "%s", device);
    g->explained = NULL;
    grade_result_free(&explained);
}

/* How many fat binaries stand one after another. */
static size_t compiled_units(const char *code, size_t n) {
    size_t count = 0, one;
    for (size_t i = 0; code && i < n && (one = grade_fatbin_bytes(code + i, n - i)); count++)
        i += (one + 7) & ~(size_t)7;
    return count;
}

/* Searches the compiled code, which has what macros pasted together and what inline assembly wrote.
 * `code` are the fat binaries of the program: the compiler makes one for each file, and one more
 * when it links several. More are of somebody who wrote into their section; whatever a lab forbids,
 * their PTX and their machine code may be two programs, one for the results and one for the time.
 * A program without fat binaries has no code to search. */
static bool compiled_forbidden(const grade_lab *lab, const char *program, const char *code,
                               size_t n, unsigned arch, lib_message *msg) {
    lib_message ignored;
    size_t ptx_len, cubin_len, names_len;
    bool bad = false;
    if (compiled_units(code, n) > (lab->file_count ? lab->file_count + 1 : 1)) {
        lib_message_set(msg, w_grade_foreign_code());
        return true;
    }
    if (!lab->forbidden_count) return false;
    char *ptx;
    void *cubin;
    build_code containers = {.bytes = code, .n = code ? n : 0};
    while (!bad &&
           build_code_next(&containers, arch, lib_cancel(), &ptx, &ptx_len, &cubin, &cubin_len)) {
        bad = grade_forbidden_ptx(lab, ptx, ptx_len, msg);
        free(ptx);
        free(cubin);
    }
    if (!bad && (bad = containers.too_much))
        lib_message_set(msg, w_grade_code_too_much((double)BUILD_CODE_BYTES / 1e6));
    char *names = bad ? NULL : build_elf_section(program, ".dynstr", &names_len, &ignored);
    if (names) bad = grade_forbidden_symbols(lab, names, names_len, msg);
    free(names);
    return bad;
}

/* Searches the files of a submission one by one, so that the message has the line in its file. */
static bool source_forbidden(const grade_lab *lab, const char *path, const char *text, size_t n,
                             lib_message *msg) {
    lib_part parts[LIB_PARTS];
    lib_message why = {0};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!lab->file_count) return grade_forbidden(lab, name, text, n, msg);
    size_t count = lib_parts_split(text, n, parts, &why);
    for (size_t i = 0; i < count; i++)
        if (grade_forbidden(lab, parts[i].name, parts[i].text, parts[i].n, msg)) return true;
    return false; /* the build reports a text that is no set of files */
}

static grade_verdict grade_built(const grade_lab *lab, const char *source, const grading_options *o,
                                 grade_options *g, grading_build *student, grading_build *baseline,
                                 grade_result *r) {
    lib_message msg = {0};
    const build_toolchain *tools = build_toolchain_get(&msg);
    if (!tools) return give_up(r, &msg);
    size_t n = 0;
    char *text = (lab->file_count ? lib_read_source : lib_read_file)(source, 0, &n, &msg);
    if (!text) return give_up(r, &msg);
    if (!source_known(lab, o->shown_as ? o->shown_as : source, text, n, &msg)) {
        free(text);
        return refuse(r, &msg);
    }
    if (source_forbidden(lab, o->shown_as ? o->shown_as : source, text, n, &msg)) {
        free(text);
        grade_result_fail(r, lib_message_words(&msg), NULL);
        return r->verdict;
    }
    /* Search for the sandbox once, before there are threads. */
    if (o->mode != SANDBOX_NONE) sandbox_get();
    stage(o, "compiling");
    g->submission = text; /* the caller frees it */
    build_both(student, baseline);
    const build_result *s = &student->result, *b = &baseline->result;
    size_t code_bytes = 0;
    lib_message no_code; /* a program without the section has none */
    char *code = s->ok ? build_elf_section(s->program, ".nv_fatbin", &code_bytes, &no_code) : NULL;
    if (lib_cancel_flag) {
        lib_message_set(&msg, w_grade_cancelled());
        return give_up(r, &msg);
    }
    if (!s->ok && s->infra) return give_up(r, &s->why);
    if (!s->ok) {
        bool known = lib_message_any(&s->why);
        char header[80];
        lib_message_set(&msg, w_grade_no_compile());
        if (known) msg = s->why;
        else if (!lab->file_count && source_missing_header(s->log, header, sizeof header))
            lib_message_set(&msg, w_grade_no_header(header));
        grade_result_fail(r, lib_message_words(&msg), s->log);
        r->build_blame = known;
    } else if (compiled_forbidden(lab, s->program, code, code_bytes, student->request.arch, &msg)) {
        grade_result_fail(r, lib_message_words(&msg), NULL);
    } else if (!b->ok) {
        lib_message_set(&msg, w_grade_baseline_no_compile(b->log));
        give_up(r, &msg);
    } else {
        stage(o, "running");
        if (o->program) *o->program = lib_strdup(s->program);
        grading_host h;
        grading_host_init(&h, o->mode, g->time_limit_s + 30);
        grade_host host = grading_host_calls(&h);
        grade_options options = *g;
        options.code = code ? code : "";
        options.code_bytes = code_bytes;
        options.dev.ptxas = tools->ptxas;
        options.dev.machine_code = build_machine_code;
        if (o->mode != SANDBOX_NONE && sandbox_get()->works)
            options.dev.sim.run_command = grading_command;
        run_on(lab, s->program, b->program, &host, &options, o, r);
        r->build_ok = true;
        if (!r->build_log && *s->log) r->build_log = lib_strdup(s->log);
        own_names(r);
    }
    free(code);
    snprintf(r->nvcc, sizeof r->nvcc, "%s", tools->version);
    snprintf(r->arch, sizeof r->arch, "%s", s->arch);
    say_sandbox(o->mode, r);
    return r->verdict;
}

/* Grades a sheet of answers: nothing is built, nothing runs. */
static grade_verdict grade_sheet(const grade_lab *lab, const char *source, grade_options *g,
                                 grade_result *r) {
    lib_message msg = {0};
    size_t n;
    char *text = lib_read_file(source, SHEET_BYTES, &n, &msg);
    if (!text) return give_up(r, &msg);
    if (!source_known(lab, source, text, n, &msg)) {
        free(text);
        return refuse(r, &msg);
    }
    g->submission = text;
    grade_answers(lab, g, r);
    free(text);
    return r->verdict;
}

static build_request build_asked(const grade_lab *lab, const char *source, const grading_options *o,
                                 unsigned arch, const char *headers) {
    build_request q;
    build_request_init(&q);
    q.source = source;
    q.shown_as = o->shown_as;
    q.entry_text = lab->entry_text;
    q.files = lab->files;
    q.file_count = lab->file_count;
    q.whole_program = lab->whole_program;
    q.arch = arch;
    if (o->next_device) q.also = build_arch(o->next_device);
    q.mode = o->mode;
    q.headers = headers;
    q.cpu_s = o->compile_limit_s;
    q.machine_code |= o->count_machine;
    return q;
}

grade_verdict grading_run(const grade_lab *lab, const char *source, const grading_options *o,
                          grade_result *r) {
    grade_options g = {.device = o->device ? o->device : grading_device(),
                       .seed = o->seed,
                       .secret = o->secret,
                       .time_limit_s = o->time_limit_s > 0     ? o->time_limit_s
                                       : lab->time_limit_s > 0 ? lab->time_limit_s
                                                               : 60,
                       .first_failure_only = o->first_failure_only,
                       .tests_lab = o->tests_lab,
                       .progress = o->progress,
                       .user = o->user};
    dev_options_default(&g.dev);
    g.dev.device = g.device;
    g.dev.client_bytes = GRADING_BYTES;
    g.dev.sim.threads = o->threads;
    g.dev.sim.sample = o->secret ? o->secret : o->sample;
    g.dev.sim.what_if = o->what_if;
    g.dev.sim.count_ptx = o->count_ptx;
    g.dev.sim.count_machine = o->count_machine;
    g.dev.cancel = lib_cancel();
    g.dev.demangle = lib_demangle;
    grade_result_init(r, lab, &g);
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return give_up(r, &msg);
    g.truths = o->answers;
    if (!lab->entry) return grade_sheet(lab, source, &g, r);
    g.dev.gpu_cache = p->cache;
    unsigned arch = build_arch(g.device);
    if (!arch) {
        lib_message_set(&msg, w_grade_no_device(g.device));
        return give_up(r, &msg);
    }
    /* A pack's programs are treated like a submission: without a sandbox they do not run. */
    grading_options held = *o;
    if (lab->untrusted && held.mode == SANDBOX_IF_ANY) held.mode = SANDBOX_REQUIRED;
    o = &held;
    const char *name = strrchr(lab->id, '/');
    char *kernels = lab->home ? lib_path_join(lab->home, "kernels") : NULL,
         *own = lib_format("%s/%s.cu", kernels ? kernels : p->kernels, name ? name + 1 : lab->id);
    grading_build student = {.request = build_asked(lab, source, o, arch, kernels)},
                  baseline = {.request = student.request};
    baseline.request.source = o->baseline ? o->baseline : own;
    baseline.request.shown_as = NULL;
    if (!lab->untrusted) baseline.request.mode = SANDBOX_NONE; /* our own code */
    grade_built(lab, source, o, &g, &student, &baseline, r);
    free((char *)g.submission);
    build_result_free(&student.result);
    build_result_free(&baseline.result);
    free(own);
    free(kernels);
    return r->verdict;
}
