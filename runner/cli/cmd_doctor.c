/* `warplab doctor`: what works on this machine, each thing by itself, and what to do about the
 * rest.
 *
 * A row is fine, a note (works, but less well or less safely) or a fault (something needed does not
 * work). Exit status 0 without faults, else 1. */
#include <errno.h>
#include <jansson.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/cli/cli.h"

typedef enum { FINE, NOTE, FAULT } grade_of_row;
static const char *const mark[] = {"ok  ", "note", "FAIL"}, *const word[] = {"ok", "note", "fail"};

typedef struct {
    json_t *rows; /* NULL: print */
    int faults, notes;
} report;

static void doctor_row(report *r, grade_of_row g, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void doctor_row(report *r, grade_of_row g, const char *name, const char *format, ...) {
    char text[1500];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    r->faults += g == FAULT;
    r->notes += g == NOTE;
    if (r->rows) {
        json_array_append_new(
            r->rows, json_pack("{s:s, s:s, s:s}", "name", name, "state", word[g], "text", text));
    } else {
        printf("%s  %-16s %s\n", mark[g], name, text);
        fflush(stdout);
    }
}

static void check_compiler(report *r) {
    lib_message msg = {0};
    const build_toolchain *t = build_toolchain_get(&msg);
    if (!t) {
        doctor_row(r, FAULT, "nvcc", "%s", msg.text);
        return;
    }
    bool old = strtod(t->version, NULL) < 13;
    doctor_row(r, old ? NOTE : FINE, "nvcc", "%s, %s%s", t->version, t->nvcc,
               old ? "; older than the 13.0 that the labs are proved with" : "");
    doctor_row(r, access(t->ptxas, X_OK) ? NOTE : FINE, "ptxas", "%s%s", t->ptxas,
               access(t->ptxas, X_OK) ? " is missing: registers and occupancy are estimated" : "");
    doctor_row(r, FINE, "host compiler", "%s", t->cxx);
}

static void check_folders(report *r) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) {
        doctor_row(r, FAULT, "project", "%s", msg.text);
        return;
    }
    size_t n;
    char **names = lib_lab_names(p, &n);
    lib_lab_names_free(names, n);
    doctor_row(r, n ? FINE : FAULT, "project", "%s, %zu labs", p->root, n);
    char *lib = lib_path_join(p->libs, "libcudart.so.13");
    if (lib_is_file(lib)) doctor_row(r, FINE, "runtime library", "%s", lib);
    else
        doctor_row(r, FAULT, "runtime library", "%s is missing: run `make build` in %s", lib,
                   p->root);
    free(lib);
    const struct {
        const char *name, *path;
        double need_mb;
    } folders[] = {{"cache", p->cache, 200}, {"progress", p->data, 5}, {"work folder", p->work, 5}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct statvfs v;
        char *try = lib_format("%s/.doctor", folders[i].path);
        if (!lib_make_folders(folders[i].path, &msg) || !lib_write_file(try, "x", 1, &msg)) {
            doctor_row(r, FAULT, folders[i].name, "%s", msg.text);
        } else if (!statvfs(folders[i].path, &v)) {
            double mb = (double)v.f_bavail * (double)v.f_frsize / 1e6;
            doctor_row(r, mb < folders[i].need_mb ? NOTE : FINE, folders[i].name,
                       "%s, %.0f MB free%s", folders[i].path, mb,
                       mb < folders[i].need_mb ? ": little; free some space" : "");
        }
        unlink(try);
        free(try);
    }
}

static const char *vector_units(bool *wide) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    *wide = __builtin_cpu_supports("avx2");
    return __builtin_cpu_supports("avx512f") ? "AVX-512"
           : *wide                           ? "AVX2"
                                             : "no AVX2: the simulated device is slow here";
#else
    *wide = true;
    return "the processor's own, 128 bits at a time";
#endif
}

static void check_machine(report *r) {
    struct utsname u;
    if (!uname(&u))
        doctor_row(r, FINE, "system", "%s %s, %ld cores", u.sysname, u.release,
                   sysconf(_SC_NPROCESSORS_ONLN));
    double gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    doctor_row(r, gb < 2 ? NOTE : FINE, "memory", "%.1f GB%s", gb,
               gb < 2 ? ": the larger labs may not fit" : "");
    bool wide = true;
    const char *units = vector_units(&wide);
    doctor_row(r, wide ? FINE : NOTE, "vector units", "%s", units);
    bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    doctor_row(r, utf8 ? FINE : NOTE, "locale", "%s%s", nl_langinfo(CODESET),
               utf8 ? "" : ": Chinese texts need UTF-8 (export LANG=C.UTF-8)");
}

static void doctor_device(void *user, const char *name, const char *what, bool available,
                          const char *why) {
    report *r = user;
    /* The simulated ones are always there; `warplab devices` lists them. */
    if (strncmp(name, "sim:", 4))
        doctor_row(r, available ? FINE : NOTE, name, "%s%s%s", what, available || !why ? "" : ": ",
                   available || !why ? "" : why);
}

static void on_limit(void *user, sandbox_limit limit, const char *name, const char *what, bool held,
                     const char *detail) {
    (void)limit;
    report *r = user;
    if (held) doctor_row(r, FINE, name, "a submission cannot %s (%s)", what, detail);
    else doctor_row(r, FAULT, name, "NOT in force: a submission can %s (%s)", what, detail);
}

static void check_sandbox(report *r, bool probe) {
    const sandbox_found *s = sandbox_get();
    if (!s->works) {
        doctor_row(
            r, FAULT, "sandbox",
            "%s. Until then `grade` takes only --no-sandbox, and your own code runs without one",
            s->why_not);
        return;
    }
    doctor_row(r, FINE, "sandbox", "%s, %s", s->version, s->program);
    doctor_row(r, s->cgroup ? FINE : NOTE, "cgroup",
               s->cgroup
                   ? "memory and processes of a submission are limited as a whole"
                   : "no cgroup can be made here, so a submission's memory is looked at a hundred "
                     "times a second instead, and may pass the limit for that long; run as root, "
                     "or in a systemd scope with Delegate=yes");
    if (geteuid() == 0 && !s->drop_uid)
        doctor_row(
            r, NOTE, "uid",
            "submissions run as root inside their namespace: unprivileged user namespaces or "
            "mounts are "
            "refused here");
    if (!s->disable_userns)
        doctor_row(
            r, NOTE, "nested spaces",
            "bwrap cannot turn user namespaces off; only the seccomp filter keeps a submission "
            "from making "
            "its own");
    if (probe) sandbox_probe(on_limit, r);
}

/* Gradings that could not be done, a row each: the newest three. */
static void check_failures(report *r) {
    size_t n;
    char *text = failures_last(3, &n), *path = failures_path(), *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save))
        doctor_row(r, NOTE, "could not grade", "%s", line);
    if (n) doctor_row(r, NOTE, "failures", "%zu in %s; remove it once it is dealt with", n, path);
    free(text);
    free(path);
}

int cmd_doctor(int argc, char **argv) {
    bool json = false, no_probe = false;
    const cli_option options[] = {
        {.name = "json", .flag = &json}, {.name = "no-probe", .flag = &no_probe}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, "doctor: unexpected argument %s", argv[1]);
    report r = {.rows = json ? json_array() : NULL};
    check_machine(&r);
    check_folders(&r);
    check_compiler(&r);
    dev_list(doctor_device, &r);
    check_sandbox(&r, !no_probe);
    check_failures(&r);
    if (json) {
        char *text = json_dumps(r.rows, JSON_INDENT(2));
        json_decref(r.rows);
        if (!text) return cli_fail(CLI_ERROR, "out of memory");
        puts(text);
        free(text);
    } else if (r.faults || r.notes) {
        printf("\n%d fault%s, %d note%s: the texts above say what to do.\n", r.faults,
               r.faults == 1 ? "" : "s", r.notes, r.notes == 1 ? "" : "s");
    } else {
        puts("\nEverything works.");
    }
    if (lib_cancel_flag) return CLI_ERROR;
    return r.faults ? CLI_FAILED : CLI_PASSED;
}
