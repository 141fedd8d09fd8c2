/* `warplab profile`: runs any CUDA program on a device of ours.
 *
 *   FILE.cu --build_file()--> PROGRAM --sandbox_process_start()--> its libcudart.so.13 is ours
 *           --socket--> dev_client_run()
 *           --profile_on_launch(), each launch as it ends--> a line of JSON, and the table's sums
 *
 * The program belongs to the user: it runs with the user's rights, environment and terminal. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/base/cancel.h"
#include "runner/base/demangle.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/grade/grading.h"
#include "runner/listing/listing.h"
#include "runner/device/sim/tap/tap.h"
#include "runner/profile/report.h"
#include "runner/profile/tools.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

/* Returns the program's path: the name itself, or found on PATH if it has no slash and is not in
 * this folder. */
static char *profile_find_program(const char *name) {
    if (strchr(name, '/') || !access(name, X_OK)) return realpath(name, NULL);
    char *found = lib_find_program(getenv("PATH"), name);
    if (!found) errno = ENOENT;
    return found;
}

static int check_program(const char *path, const char *shown) {
    char needed[256];
    switch (build_elf_check(path, needed, sizeof needed)) {
    case BUILD_ELF_SHARED_CUDART: return -1;
    case BUILD_ELF_STATIC_CUDART: return cli_fail(CLI_ERROR, w_cli_profile_static_runtime(shown));
    case BUILD_ELF_OTHER_CUDART:
        return cli_fail(CLI_ERROR, w_cli_profile_other_runtime(shown, needed));
    case BUILD_ELF_NO_CUDA: return cli_fail(CLI_ERROR, w_cli_profile_no_cuda(shown));
    default: return cli_fail(CLI_ERROR, w_cli_profile_no_program(shown));
    }
}

/* Kernels that launch kernels must be linked on the device, which needs nvcc's whole chain. */
static void build_hint(const char *log, const char *source, lib_lang lang) {
    if (strstr(log, "requires separate compilation mode"))
        cli_line(stderr, lang, w_cli_profile_nested_launch(source));
}

/* Compiles a .cu file. Returns NULL and *status if that failed; the reason was printed. */
static char *build(const char *source, char **flags, const profile_report *report, int *status) {
    const char *device = report->device;
    lib_lang lang = report->lang;
    build_request q;
    build_request_init(&q);
    q.source = source;
    q.shown_as = source;
    q.arch = build_arch(device);
    q.mode = SANDBOX_NONE;
    q.cpu_s = 600;
    if (report->sass_trace || (report->sass && !sim_machine_off())) q.machine_code = true;
    q.flags = (const char *const *)flags;
    while (flags && flags[q.flag_count]) q.flag_count++;
    build_result r;
    build_file(&q, &r);
    char *program = NULL;
    if (r.infra) cli_say(CLI_ERROR, &r.why);
    else if (*r.log) {
        lib_print_text(stderr, r.log);
        if (r.log[strlen(r.log) - 1] != '\n') fputc('\n', stderr);
    }
    if (!r.infra && lib_message_any(&r.why)) cli_line(stderr, lang, lib_message_words(&r.why));
    if (!r.ok && !r.infra) build_hint(r.log, source, lang);
    if (r.ok) program = lib_strdup(r.program);
    else *status = r.infra ? CLI_ERROR : CLI_FAILED;
    build_result_free(&r);
    return program;
}

/* Returns the exit status for the program's end, and prints what went wrong. */
static int ending(const sandbox_exit *e, const char *shown, dev_event event,
                  const lib_message *protocol) {
    lib_message how;
    sandbox_exit_message(e, &how);
    if (lib_cancel_flag) return cli_fail(CLI_ERROR, w_cli_profile_cancelled());
    if (event == DEV_PROTOCOL)
        return cli_fail(CLI_ERROR, w_cli_profile_never_sent(shown, protocol));
    if (e->end == SANDBOX_END_EXIT && e->code == 0) return CLI_PASSED;
    if (e->end == SANDBOX_END_EXIT)
        return cli_fail(CLI_FAILED, w_cli_profile_exit_status(shown, e->code));
    return cli_fail(CLI_FAILED, w_cli_profile_ended(shown, &how));
}

static dev_session *session_open(const lib_paths *p, const char *device,
                                 const profile_report *report, lib_message *msg) {
    /* knows the registers; without a toolchain they are estimated */
    const build_toolchain *tools = build_toolchain_get(msg);
    dev_options o;
    dev_options_default(&o);
    o.device = device;
    o.sim.what_if = !report->no_what_if;
    o.sim.check_race_global = !report->no_races;
    o.sim.count_ptx = report->ptx || report->sass || report->page;
    if (report->sass_trace) o.sim.machine_code = true;
    o.sim.count_machine =
        (report->sass && !sim_machine_off()) || (report->page && o.sim.machine_code);
    o.cancel = lib_cancel();
    o.ptxas = tools ? tools->ptxas : NULL;
    o.demangle = lib_demangle;
    o.machine_code = build_machine_code_own;
    o.gpu_cache = p->cache;
    o.lang = report->lang;
    return dev_session_new(&o, msg);
}

/* Serves the program until its end. Returns the exit status. */
static int program_serve(sandbox_process *process, const char *shown, profile_report *report) {
    lib_message msg = {0};
    dev_client *client = report->client;
    dev_event event;
    do event = dev_client_run(client, 3600, &msg);
    while (event == DEV_TIMEOUT && !lib_cancel_flag);
    /* The program of a lab waits for calls that only the grader makes. */
    if (event == DEV_READY) dev_client_finish(client);
    sandbox_exit e;
    if (event == DEV_CANCELLED || event == DEV_PROTOCOL) {
        sandbox_process_kill(process, &e);
    } else {
        sandbox_process_wait(process, lib_cancel(), &e);
    }
    if (!report->measuring) profile_finish(report);
    int status = ending(&e, shown, event, &msg);
    if (event == DEV_READY) status = cli_fail(CLI_USAGE, w_cli_profile_built_for_lab(shown));
    sandbox_exit_free(&e);
    return status;
}

static int run(const char *program, char **argv, const char *shown, const char *device,
               profile_report *report) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    dev_session *session = session_open(p, device, report, &msg);
    if (!session) return cli_say(CLI_USAGE, &msg);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        dev_session_free(session);
        return cli_fail(CLI_ERROR, w_cli_no_socket(errno));
    }
    sandbox_process process;
    argv[0] = (char *)(uintptr_t)program; /* sandbox_start_own() only reads it */
    /* the second run's output was shown in the first */
    int rc = sandbox_start_own(p->libs, report->lang, (const char *const *)argv, !report->again,
                               !report->again, pair[1], &process, &msg);
    close(pair[1]);
    dev_client *client = rc ? NULL : dev_client_new(session, pair[0], &msg);
    if (!client) {
        sandbox_exit e;
        if (!rc) {
            sandbox_process_kill(&process, &e);
            sandbox_exit_free(&e);
        }
        dev_session_free(session);
        return cli_say(CLI_ERROR, &msg);
    }
    dev_client_program(client, program);
    report->client = client;
    report->session = session;
    dev_client_on_launch(client, profile_on_launch, report);
    int status = program_serve(&process, shown, report);
    if (report->measuring) { /* its timeline is printed at the end */
        report->measured_client = client;
        report->measured_session = session;
    } else {
        dev_client_free(client);
        dev_session_free(session);
    }
    return status;
}

/* Returns false if the file contains device code, and all of it is machine code. */
static bool holds_ptx(const char *program) {
    lib_message ignored;
    size_t n;
    char *code = build_elf_section(program, ".nv_fatbin", &n, &ignored);
    if (!code) return true; /* the code is elsewhere, in a shared library */
    free(code);
    listing_code *c = listing_open(program, 90, false, &ignored);
    bool holds = c != NULL;
    listing_close(c);
    return holds;
}

/* On a GPU: runs there first, for the times; then on the most similar simulated device, for the
 * counters. */
static int run_on_gpu(const char *program, char **argv, const char *shown, const char *device,
                      bool no_sim, profile_report *report) {
    unsigned arch;
    char nearest[64];
    const lib_message *why;
    if (!dev_gpu_found(&arch, nearest, &why))
        return cli_fail(CLI_USAGE, w_cli_profile_device(device, why));
    if (!no_sim && !holds_ptx(program)) {
        cli_line(stderr, report->lang, w_cli_profile_no_ptx());
        no_sim = true;
    }
    report->measured_on = device;
    report->measuring = true;
    int status = run(program, argv, shown, device, report);
    report->measuring = false;
    if (status == CLI_USAGE || status == CLI_ERROR) return status;
    if (no_sim) {
        report->client = NULL;
        profile_finish(report);
        return status;
    }
    cli_line(stderr, cli_language(), w_cli_profile_counting_on(nearest, device));
    report->counters_from = nearest;
    report->again = true;
    int counted = run(program, argv, shown, nearest, report);
    report->counters_from = NULL;
    return status ? status : counted;
}

/* --native: the vendor's runtime, with nothing of ours in between. */
static int run_native(const char *program, char **argv, bool counters, profile_report *report) {
    lib_message msg = {0};
    json_t *all = profile_ncu(program, argv, counters, &msg);
    if (!all) return cli_say(CLI_ERROR, &msg);
    size_t i;
    json_t *o;
    puts("");
    cli_line(stdout, cli_language(), w_cli_profile_native((long long)json_array_size(all)));
    puts("");
    json_array_foreach(all, i, o) {
        json_object_set_new(o, "device", json_string("native"));
        json_object_set_new(o, "measured", json_true());
        json_object_set_new(o, "trusted", json_false());
        if (!report->json_is_stdout)
            lib_print(stdout, "  %-40.40s %10.2f us\n",
                      json_string_value(json_object_get(o, "kernel")),
                      json_real_value(json_object_get(o, "time_us")));
        profile_json_line(report, json_incref(o));
    }
    json_decref(all);
    return CLI_PASSED;
}

/* --sanitize: one line of JSON with the findings, and their texts. */
static int run_sanitizer(const char *program, char **argv, profile_report *report) {
    lib_message msg = {0};
    json_t *all = profile_sanitize(program, argv, &msg), *o;
    if (!all) return cli_say(CLI_ERROR, &msg);
    size_t i, n = json_array_size(all);
    FILE *to = report->json_is_stdout ? stderr : stdout;
    fputc('\n', to);
    cli_line(to, report->lang,
             n ? w_cli_profile_sanitizer((long long)n) : w_cli_profile_sanitizer_none());
    json_array_foreach(all, i, o) {
        lib_print(to, "  ! %s: %s (%s:%d)\n", json_string_value(json_object_get(o, "kernel")),
                  json_string_value(json_object_get(o, "text")),
                  json_string_value(json_object_get(o, "file")),
                  (int)json_integer_value(json_object_get(o, "line")));
    }
    profile_json_line(report,
                      json_pack("{s:s, s:o}", "device", "compute-sanitizer", "findings", all));
    return n ? CLI_FAILED : CLI_PASSED;
}

/* `FILE.cu [ARG...] -- FLAG...`: the flags after -- are for nvcc, and the arguments end before it.
 * NULL: there are none. For a program that is already built, -- is an ordinary argument. */
static char **profile_flags(char **argv, int *status) {
    size_t n = strlen(argv[1]);
    if (n < 4 || strcmp(argv[1] + n - 3, ".cu") != 0) return NULL;
    char **at = argv + 2;
    while (*at && strcmp(*at, "--") != 0) at++;
    if (!*at) return NULL;
    *at++ = NULL;
    for (size_t k = 0; at[k]; k++)
        if (k == BUILD_MORE_FLAGS || !build_flag_fits(at[k])) {
            *status = cli_fail(CLI_USAGE, w_cli_profile_flag(at[k]));
            return NULL;
        }
    return at;
}

/* Returns the named program, built if it is a .cu file; malloc'ed. Or NULL and the exit status of a
 * message. */
static char *profile_program(const char *shown, char **flags, const profile_report *report,
                             int *status) {
    size_t n = strlen(shown);
    if (n > 3 && !strcmp(shown + n - 3, ".cu")) {
        if (!access(shown, R_OK)) return build(shown, flags, report, status);
        *status = cli_fail(CLI_USAGE, w_cli_cannot_read(shown, errno));
        return NULL;
    }
    char *program = profile_find_program(shown);
    if (!program) *status = cli_fail(CLI_USAGE, w_cli_profile_cannot_find(shown, errno));
    return program;
}

/* What the command line asks for besides the report. */
typedef struct {
    bool no_sim, ncu, sanitize, native;
} profile_ways;

static int profile_run(const profile_ways *o, char **argv, const char *shown,
                       profile_report *report) {
    const char *device = report->device, *program = report->program;
    lib_message msg;
    int status = CLI_PASSED;
    if (o->native) status = run_native(program, argv, o->ncu, report);
    else if (o->ncu && !(report->hardware = profile_ncu(program, argv, true, &msg)))
        status = cli_say(CLI_ERROR, &msg);
    else if (!strncmp(device, "gpu:", 4)) {
        status = run_on_gpu(program, argv, shown, device, o->no_sim, report);
        dev_client_free(report->measured_client);
        dev_session_free(report->measured_session);
        report->measured_client = NULL, report->measured_session = NULL;
    } else status = run(program, argv, shown, device, report);
    if (o->sanitize && status != CLI_ERROR) {
        int found = run_sanitizer(program, argv, report);
        if (!status) status = found;
    }
    return status;
}

/* Makes the folder, with an empty list of kernels. */
static bool begin_sass_trace(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    if (mkdir(folder, 0777) && errno != EEXIST) return false;
    FILE *list = fopen(path, "we");
    sim_tap_into(folder);
    return list && !fclose(list);
}

int cmd_profile(int argc, char **argv) {
    const char *device = NULL, *json = NULL;
    profile_ways ways = {0};
    profile_report report = {0};
    const cli_option options[] = {{.name = "device", .value = &device},
                                  {.name = "json", .value = &json},
                                  {.name = "lines", .flag = &report.lines},
                                  {.name = "what-if", .flag = &report.what_if},
                                  {.name = "no-what-if", .flag = &report.no_what_if},
                                  {.name = "no-races", .flag = &report.no_races},
                                  {.name = "stalls", .flag = &report.where},
                                  {.name = "ptx", .flag = &report.ptx},
                                  {.name = "sass", .flag = &report.sass},
                                  {.name = "trace", .value = &report.trace},
                                  {.name = "sass-trace", .value = &report.sass_trace},
                                  {.name = "html", .value = &report.page},
                                  {.name = "against", .value = &report.against},
                                  {.name = "lang", .lang = &report.lang},
                                  {.name = "no-sim", .flag = &ways.no_sim},
                                  {.name = "ncu", .flag = &ways.ncu},
                                  {.name = "sanitize", .flag = &ways.sanitize},
                                  {.name = "native", .flag = &ways.native},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, true);
    if (status >= 0) return status;
    if (argc < 2) return cli_fail(CLI_USAGE, w_cli_profile_operands());
    report.device = device ? device : grading_device();
    report.arch = build_arch(report.device);
    if (!report.arch) return cli_fail(CLI_USAGE, w_cli_unknown_device(report.device));
    if (report.sass_trace && !begin_sass_trace(report.sass_trace))
        return cli_fail(CLI_ERROR, w_cli_profile_trace_folder(report.sass_trace, errno));
    const char *shown = argv[1];
    char **flags = profile_flags(argv, &status);
    if (status >= 0) return status;
    char *program = profile_program(shown, flags, &report, &status);
    if (!program) return status;
    status = check_program(program, shown);
    if (status < 0) {
        report.program = program;
        lib_message msg;
        argv[1] = program;
        if (json && !profile_open(&report, json, &msg)) status = cli_say(CLI_ERROR, &msg);
        else status = profile_run(&ways, argv + 1, shown, &report);
        if (report.files_failed && !status) status = CLI_ERROR;
        if (!profile_close(&report, &msg)) status = cli_say(CLI_ERROR, &msg);
    }
    free(program);
    return status;
}
