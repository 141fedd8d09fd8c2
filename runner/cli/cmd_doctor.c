/* `warplab doctor`: what works on this machine, item by item, and what to do about the rest.
 *
 * A row is fine, a note (works, but less well or less safely) or a fault (something necessary does
 * not work). The exit status is 0 without faults, otherwise 1. */
#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/cli/cli.h"
#include "runner/base/say.h"
#include "runner/term/text.h"
#include "grader/json/json.h"
#include "words/cli.h"

typedef enum { FINE, NOTE, FAULT } grade_of_row;
static const char *const word[] = {"ok", "note", "fail"};

typedef struct {
    json_t *rows; /* NULL: print instead */
    lib_lang lang;
    int faults, notes;
} report;

static void doctor_print(const report *r, grade_of_row g, const char *name, lib_words words) {
    static const lib_word_id mark[] = {W_CLI_DOCTOR_OK, W_CLI_DOCTOR_NOTE, W_CLI_DOCTOR_FAULT};
    text_out o = {.to = stdout};
    lib_word_id said = lib_words_named("cli.doctor-name", name);
    text_cell(&o, TEXT_PLAIN, 6, "%s", lib_word(r->lang, mark[g]));
    text_cell(&o, TEXT_PLAIN, 17, "%s", said ? lib_word(r->lang, said) : name);
    cli_line(stdout, r->lang, words);
    fflush(stdout);
}

/* name: the key in JSON, and a row of the catalogue if there is one. */
static void doctor_row(report *r, grade_of_row g, const char *name, lib_words words) {
    r->faults += g == FAULT;
    r->notes += g == NOTE;
    if (r->rows) {
        char *text = lib_words_take(r->lang, words);
        json_array_append_new(r->rows, json_pack("{s:s, s:s, s:o}", "name", name, "state", word[g],
                                                 "text", json_text(text)));
        free(text);
    } else {
        doctor_print(r, g, name, words);
    }
}

static void check_compiler(report *r) {
    lib_message msg = {0};
    const build_toolchain *t = build_toolchain_get(&msg);
    if (!t) {
        doctor_row(r, FAULT, "nvcc", lib_message_words(&msg));
        return;
    }
    bool old = strtod(t->version, NULL) < 13;
    doctor_row(r, old ? NOTE : FINE, "nvcc",
               old ? w_cli_doctor_nvcc_old(t->version, t->nvcc)
                   : w_cli_doctor_program(t->version, t->nvcc));
    bool ptxas = !access(t->ptxas, X_OK);
    doctor_row(r, ptxas ? FINE : NOTE, "ptxas",
               ptxas ? w_cli_doctor_plain(t->ptxas) : w_cli_doctor_no_ptxas(t->ptxas));
    const char *nvdisasm = build_disassembler();
    doctor_row(r, nvdisasm ? FINE : FAULT, "nvdisasm",
               nvdisasm ? w_cli_doctor_plain(nvdisasm) : w_cli_doctor_no_nvdisasm());
    doctor_row(r, FINE, "host compiler", w_cli_doctor_plain(t->cxx));
}

static void check_folders(report *r) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) {
        doctor_row(r, FAULT, "project", lib_message_words(&msg));
        return;
    }
    size_t n;
    char **names = lib_lab_names(p, &n);
    lib_lab_names_free(names, n);
    doctor_row(r, n ? FINE : FAULT, "project", w_cli_doctor_project(p->root, (long long)n));
    char *lib = lib_path_join(p->libs, "libcudart.so.13");
    if (lib_is_file(lib)) doctor_row(r, FINE, "runtime library", w_cli_doctor_plain(lib));
    else doctor_row(r, FAULT, "runtime library", w_cli_doctor_no_library(lib, p->root));
    free(lib);
    const struct {
        const char *name, *path;
        double need_mb;
    } folders[] = {{"cache", p->cache, 200}, {"progress", p->data, 5}, {"work folder", p->work, 5}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct statvfs v;
        char *try = lib_format("%s/.doctor", folders[i].path);
        if (!lib_make_folders(folders[i].path, &msg) || !lib_write_file(try, "x", 1, &msg)) {
            doctor_row(r, FAULT, folders[i].name, lib_message_words(&msg));
        } else if (!statvfs(folders[i].path, &v)) {
            double mb = (double)v.f_bavail * (double)v.f_frsize / 1e6;
            bool little = mb < folders[i].need_mb;
            doctor_row(r, little ? NOTE : FINE, folders[i].name,
                       little ? w_cli_doctor_folder_little(folders[i].path, mb)
                              : w_cli_doctor_folder(folders[i].path, mb));
        }
        unlink(try);
        free(try);
    }
}

static lib_words vector_units(bool *wide) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    *wide = __builtin_cpu_supports("avx2");
    return __builtin_cpu_supports("avx512f") ? w_cli_doctor_plain("AVX-512")
           : *wide                           ? w_cli_doctor_plain("AVX2")
                                             : w_cli_doctor_no_avx2();
#else
    *wide = true;
    return w_cli_doctor_other_vectors();
#endif
}

static void check_machine(report *r) {
    struct utsname u;
    if (!uname(&u))
        doctor_row(r, FINE, "system", w_cli_doctor_system(u.sysname, u.release, lib_cores()));
    double gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    doctor_row(r, gb < 2 ? NOTE : FINE, "memory",
               gb < 2 ? w_cli_doctor_memory_little(gb) : w_cli_doctor_memory(gb));
    bool wide = true;
    lib_words units = vector_units(&wide);
    doctor_row(r, wide ? FINE : NOTE, "vector units", units);
    const char *charset = nl_langinfo(CODESET);
    bool utf8 = !strcmp(charset, "UTF-8");
    doctor_row(r, utf8 ? FINE : NOTE, "locale",
               utf8 ? w_cli_doctor_plain(charset) : w_cli_doctor_locale(charset));
}

/* Counts the threads and processes of this account, as RLIMIT_NPROC does. */
static unsigned long account_tasks(void) {
    unsigned long n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[300], text[4096];
        struct stat st;
        if (!strtoul(e->d_name, NULL, 10)) continue;
        snprintf(path, sizeof path, "/proc/%s", e->d_name);
        if (stat(path, &st) || st.st_uid != geteuid()) continue;
        snprintf(path, sizeof path, "/proc/%s/status", e->d_name);
        FILE *f = fopen(path, "r");
        size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;
        text[got] = 0;
        if (f) fclose(f);
        const char *threads = strstr(text, "\nThreads:");
        n += threads ? strtoul(threads + 9, NULL, 10) : 1;
    }
    if (d) closedir(d);
    return n;
}

/* A grading runs a compiler and its parts, the sandbox and the program: at most FOR_ONE at the same
 * time. */
static void check_processes(report *r) {
    enum { FOR_ONE = 40 };
    struct rlimit l;
    if (getrlimit(RLIMIT_NPROC, &l) || l.rlim_cur == RLIM_INFINITY) return;
    unsigned long limit = (unsigned long)l.rlim_cur, used = account_tasks(),
                  left = limit > used ? limit - used : 0;
    long long of = (long long)limit, has = (long long)used;
    doctor_row(r, left < FOR_ONE * lib_cores() ? NOTE : FINE, "processes",
               left < FOR_ONE                 ? w_cli_doctor_processes_few(of, has)
               : left < FOR_ONE * lib_cores() ? w_cli_doctor_processes_fewer(of, has)
                                              : w_cli_doctor_processes(of, has));
}

static void doctor_device(void *user, const char *name, const lib_message *what,
                          const lib_message *why) {
    /* The simulated devices always work; `warplab devices` lists them. */
    if (strncmp(name, "sim:", 4))
        doctor_row(user, why ? NOTE : FINE, name,
                   why ? w_cli_doctor_device(what, why) : lib_message_words(what));
}

static void on_limit(void *user, const char *name, lib_word_id what, bool held,
                     const lib_message *detail) {
    doctor_row(user, held ? FINE : FAULT, name,
               held ? w_cli_doctor_limit_holds(what, detail)
                    : w_cli_doctor_limit_broken(what, detail));
}

static void check_sandbox(report *r, bool probe) {
    const sandbox_found *s = sandbox_get();
    if (!s->works) {
        doctor_row(r, FAULT, "sandbox", w_cli_doctor_no_sandbox(&s->why_not));
        return;
    }
    doctor_row(r, FINE, "sandbox", w_cli_doctor_program(s->version, s->program));
    doctor_row(r, s->cgroup ? FINE : NOTE, "cgroup",
               s->cgroup ? w_cli_doctor_cgroup() : w_cli_doctor_no_cgroup());
    if (geteuid() == 0 && !s->drop_uid) doctor_row(r, NOTE, "uid", w_cli_doctor_root());
    if (!s->disable_userns) doctor_row(r, NOTE, "nested spaces", w_cli_doctor_nested());
    if (probe) sandbox_probe(on_limit, r);
}

/* The newest three gradings that could not be done, one row each. */
static void check_failures(report *r) {
    size_t n;
    char *text = failures_last(3, &n), *path = failures_path(), *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save))
        doctor_row(r, NOTE, "could not grade", w_cli_doctor_plain(line));
    if (n) doctor_row(r, NOTE, "failures", w_cli_doctor_failures((long long)n, path));
    free(text);
    free(path);
}

int cmd_doctor(int argc, char **argv) {
    bool json = false, no_probe = false;
    report r = {0};
    const cli_option options[] = {{.name = "json", .flag = &json},
                                  {.name = "no-probe", .flag = &no_probe},
                                  {.name = "lang", .lang = &r.lang},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_unexpected_argument("doctor", argv[1]));
    if (json) r.rows = json_array();
    check_machine(&r);
    check_processes(&r);
    check_folders(&r);
    check_compiler(&r);
    dev_list(doctor_device, &r);
    check_sandbox(&r, !no_probe);
    check_failures(&r);
    if (json) {
        char *text = json_dumps(r.rows, JSON_INDENT(2));
        json_decref(r.rows);
        if (!text) return cli_fail(CLI_ERROR, w_cli_out_of_memory());
        puts(text);
        free(text);
    } else {
        puts("");
        cli_line(stdout, r.lang,
                 r.faults || r.notes ? w_cli_doctor_end(r.faults, r.notes)
                                     : w_cli_doctor_everything());
    }
    if (lib_cancel_flag) return CLI_ERROR;
    return r.faults ? CLI_FAILED : CLI_PASSED;
}
