/* `warplab doctor`: what works on this machine, each thing by itself, and what to do about the
 * rest.
 *
 * A row is fine, a note (works, but less well or less safely) or a fault (something needed does not
 * work). Exit status 0 without faults, else 1. */
#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
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

typedef enum { FINE, NOTE, FAULT } grade_of_row;
static const char *const mark[] = {"ok  ", "note", "FAIL"}, *const word[] = {"ok", "note", "fail"};

typedef struct {
    json_t *rows; /* NULL: print */
    lib_lang lang;
    int faults, notes;
} report;

#define COMMAND_ZH(name, doc)
#define OPTION_ZH(command, name, doc)
#define DETAIL_ZH(en, zh)
/* Names of rows, as a table has them. In JSON they are English: programs look for them. */
static const char *const names_zh[][2] = {
    {"host compiler", "主机编译器"},
    {"project", "项目"},
    {"runtime library", "运行时库"},
    {"processes", "进程"},
    {"cache", "缓存"},
    {"progress", "进度"},
    {"work folder", "工作文件夹"},
    {"system", "系统"},
    {"memory", "内存"},
    {"vector units", "向量单元"},
    {"locale", "语言环境"},
    {"sandbox", "沙箱"},
    {"uid", "用户"},
    {"nested spaces", "嵌套命名空间"},
    {"could not grade", "没能评分"},
    {"failures", "失败记录"},
#define LIMIT_ZH(id, name, name_zh, what) {name, name_zh},
#include "runner/cli/help_zh.def"
#undef LIMIT_ZH
};
static const char *const limits_zh[SANDBOX_LIMIT_COUNT] = {
#define LIMIT_ZH(id, name, name_zh, what) [SANDBOX_LIMIT_##id] = what,
#include "runner/cli/help_zh.def"
#undef LIMIT_ZH
};

#undef DETAIL_ZH
#define LIMIT_ZH(id, name, name_zh, what)
static const char *const details_zh[][2] = {
#define DETAIL_ZH(en, zh) {en, zh},
#include "runner/cli/help_zh.def"
#undef DETAIL_ZH
};
#undef LIMIT_ZH
#undef COMMAND_ZH
#undef OPTION_ZH

static const char *doctor_in(const report *r, const char *en, const char *zh) {
    return r->lang == LIB_ZH ? zh : en;
}

static void doctor_print(const report *r, grade_of_row g, const char *name, const char *text) {
    static const char *const mark_zh[] = {"正常", "注意", "故障"};
    if (r->lang == LIB_EN) {
        lib_print(stdout, "%s  %-16s %s\n", mark[g], name, text);
    } else {
        for (size_t i = 0; i < sizeof names_zh / sizeof *names_zh; i++)
            if (!strcmp(names_zh[i][0], name)) {
                name = names_zh[i][1];
                break;
            }
        int width = text_width(name);
        lib_print(stdout, "%s  %s%*s %s\n", mark_zh[g], name, width < 16 ? 16 - width : 0, "",
                  text);
    }
    fflush(stdout);
}

/* Both formats take the same arguments. */
static void doctor_row(report *r, grade_of_row g, const char *name, const char *en, const char *zh,
                       ...) __attribute__((format(printf, 4, 6), format(printf, 5, 6)));
static void doctor_row(report *r, grade_of_row g, const char *name, const char *en, const char *zh,
                       ...) {
    char text[1500];
    va_list ap;
    va_start(ap, zh);
    lib_vsay(text, sizeof text, doctor_in(r, en, zh), ap);
    va_end(ap);
    if (r->lang == LIB_ZH) lib_chinese(text, sizeof text);
    r->faults += g == FAULT;
    r->notes += g == NOTE;
    if (r->rows) {
        json_array_append_new(r->rows, json_pack("{s:s, s:s, s:o}", "name", name, "state", word[g],
                                                 "text", json_text(text)));
    } else {
        doctor_print(r, g, name, text);
    }
}

static void check_compiler(report *r) {
    lib_message msg = {0};
    const build_toolchain *t = build_toolchain_get(&msg);
    if (!t) {
        doctor_row(r, FAULT, "nvcc", "%s", "%s", lib_message_in(&msg, r->lang));
        return;
    }
    bool old = strtod(t->version, NULL) < 13;
    doctor_row(r, old ? NOTE : FINE, "nvcc", "%s, %s%s", "%s，%s%s", t->version, t->nvcc,
               !old ? ""
                    : doctor_in(r, "; older than the 13.0 that the labs are proved with",
                                "；实验是用 13.0 检验的，这个版本更旧"));
    doctor_row(r, access(t->ptxas, X_OK) ? NOTE : FINE, "ptxas", "%s%s", "%s%s", t->ptxas,
               access(t->ptxas, X_OK)
                   ? doctor_in(r, " is missing: registers and occupancy are estimated",
                               " 不存在：寄存器数和占用率只能估计")
                   : "");
    doctor_row(r, FINE, "host compiler", "%s", "%s", t->cxx);
}

static void check_folders(report *r) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) {
        doctor_row(r, FAULT, "project", "%s", "%s", lib_message_in(&msg, r->lang));
        return;
    }
    size_t n;
    char **names = lib_lab_names(p, &n);
    lib_lab_names_free(names, n);
    doctor_row(r, n ? FINE : FAULT, "project", "%s, %zu lab%s", "%s，%zu 个实验%.0s", p->root, n,
               LIB_S(n));
    char *lib = lib_path_join(p->libs, "libcudart.so.13");
    if (lib_is_file(lib)) doctor_row(r, FINE, "runtime library", "%s", "%s", lib);
    else
        doctor_row(r, FAULT, "runtime library", "%s is missing: run `make build` in %s",
                   "%s 不存在：请在 %s 中运行 `make build`", lib, p->root);
    free(lib);
    const struct {
        const char *name, *path;
        double need_mb;
    } folders[] = {{"cache", p->cache, 200}, {"progress", p->data, 5}, {"work folder", p->work, 5}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct statvfs v;
        char *try = lib_format("%s/.doctor", folders[i].path);
        if (!lib_make_folders(folders[i].path, &msg) || !lib_write_file(try, "x", 1, &msg)) {
            doctor_row(r, FAULT, folders[i].name, "%s", "%s", lib_message_in(&msg, r->lang));
        } else if (!statvfs(folders[i].path, &v)) {
            double mb = (double)v.f_bavail * (double)v.f_frsize / 1e6;
            doctor_row(r, mb < folders[i].need_mb ? NOTE : FINE, folders[i].name,
                       "%s, %.0f MB free%s", "%s，剩余 %.0f MB%s", folders[i].path, mb,
                       mb < folders[i].need_mb
                           ? doctor_in(r, ": little; free some space", "：太少，请腾出一些空间")
                           : "");
        }
        unlink(try);
        free(try);
    }
}

static const char *vector_units(const report *r, bool *wide) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    *wide = __builtin_cpu_supports("avx2");
    return __builtin_cpu_supports("avx512f") ? "AVX-512"
           : *wide                           ? "AVX2"
                   : doctor_in(r, "no AVX2: the simulated device is slow here",
                               "没有 AVX2：模拟设备在这里较慢");
#else
    *wide = true;
    return doctor_in(r, "the processor's own, 128 bits at a time", "处理器自带的，每次 128 位");
#endif
}

static void check_machine(report *r) {
    struct utsname u;
    if (!uname(&u))
        doctor_row(r, FINE, "system", "%s %s, %u core%s", "%s %s，%u 个核%.0s", u.sysname,
                   u.release, lib_cores(), LIB_S(lib_cores()));
    double gb = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
    doctor_row(r, gb < 2 ? NOTE : FINE, "memory", "%.1f GB%s", "%.1f GB%s", gb,
               gb < 2 ? doctor_in(r, ": the larger labs may not fit", "：较大的实验可能放不下")
                      : "");
    bool wide = true;
    const char *units = vector_units(r, &wide);
    doctor_row(r, wide ? FINE : NOTE, "vector units", "%s", "%s", units);
    bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    doctor_row(r, utf8 ? FINE : NOTE, "locale", "%s%s", "%s%s", nl_langinfo(CODESET),
               utf8 ? ""
                    : doctor_in(r, ": Chinese texts need UTF-8 (export LANG=C.UTF-8)",
                                "：显示中文需要 UTF-8（export LANG=zh_CN.UTF-8 或 C.UTF-8）"));
}

/* Threads and processes of this account, as RLIMIT_NPROC counts them. */
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

/* A grading starts a compiler, its parts, the sandbox and the program: at most FOR_ONE at once. */
static void check_processes(report *r) {
    enum { FOR_ONE = 40 };
    struct rlimit l;
    if (getrlimit(RLIMIT_NPROC, &l) || l.rlim_cur == RLIM_INFINITY) return;
    unsigned long limit = (unsigned long)l.rlim_cur, used = account_tasks(),
                  left = limit > used ? limit - used : 0;
    doctor_row(r, left < FOR_ONE * lib_cores() ? NOTE : FINE, "processes",
               "this account may have %lu at once (ulimit -u), has %lu%s",
               "这个账户可同时有 %lu 个进程（ulimit -u），已有 %lu 个%s", limit, used,
               left < FOR_ONE
                   ? doctor_in(r, ": too few to grade; raise the limit", "：不够评分，请提高限额")
               : left < FOR_ONE * lib_cores()
                   ? doctor_in(r, ": grade fewer at once (-j), or raise the limit",
                               "：请同时少评几份（-j），或提高限额")
                   : "");
}

static void doctor_device(void *user, const char *name, const char *what, bool available,
                          const char *why) {
    report *r = user;
    /* The simulated ones are always there; `warplab devices` lists them. */
    if (strncmp(name, "sim:", 4))
        doctor_row(r, available ? FINE : NOTE, name, "%s%s%s", "%s%s%s", what,
                   available || !why ? "" : doctor_in(r, ": ", "："), available || !why ? "" : why);
}

/* What the attempt came to, in the report's language; malloc'ed. */
static char *detail_in(const report *r, const char *detail) {
    char *text = lib_strdup(detail);
    for (size_t i = 0; r->lang == LIB_ZH && i < sizeof details_zh / sizeof *details_zh; i++) {
        const char *en = details_zh[i][0], *at = strstr(text, en);
        if (!at) continue;
        char *next =
            lib_format("%.*s%s%s", (int)(at - text), text, details_zh[i][1], at + strlen(en));
        free(text);
        text = next;
    }
    return text;
}

static void on_limit(void *user, sandbox_limit limit, const char *name, const char *what, bool held,
                     const char *detail) {
    report *r = user;
    const char *zh = limits_zh[limit];
    char *said = detail_in(r, detail);
    if (r->lang == LIB_ZH) what = zh;
    if (held)
        doctor_row(r, FINE, name, "a submission cannot %s (%s)", "提交的程序不能%s（%s）", what,
                   said);
    else
        doctor_row(r, FAULT, name, "NOT in force: a submission can %s (%s)",
                   "未生效：提交的程序可以%s（%s）", what, said);
    free(said);
}

static void check_sandbox(report *r, bool probe) {
    const sandbox_found *s = sandbox_get();
    if (!s->works) {
        doctor_row(
            r, FAULT, "sandbox",
            "%s. Until then `grade` takes only --no-sandbox, and your own code runs without one",
            "%s。在此之前 `grade` 只接受 --no-sandbox，你自己的代码则不用沙箱运行",
            doctor_in(r, s->why_not, s->why_not_zh));
        return;
    }
    doctor_row(r, FINE, "sandbox", "%s, %s", "%s，%s", s->version, s->program);
    if (s->cgroup)
        doctor_row(r, FINE, "cgroup", "memory and processes of a submission are limited as a whole",
                   "提交的内存和进程按整体限制");
    else
        doctor_row(
            r, NOTE, "cgroup",
            "no cgroup can be made here, so a submission's memory is looked at up to "
            "a hundred times a second instead, and may pass the limit in between; run as root, "
            "or in a systemd scope with Delegate=yes",
            "这里无法建立 cgroup，只能每秒检查最多一百次提交的内存，其间可能超过限制；请以 root "
            "运行，或放在带 Delegate=yes 的 systemd scope 里");
    if (geteuid() == 0 && !s->drop_uid)
        doctor_row(r, NOTE, "uid",
                   "submissions run as root inside their namespace: unprivileged user namespaces "
                   "or mounts are refused here",
                   "提交在自己的命名空间里以 root 运行：这里不允许非特权的用户命名空间或挂载");
    if (!s->disable_userns)
        doctor_row(r, NOTE, "nested spaces",
                   "bwrap cannot turn user namespaces off; only the seccomp filter keeps a "
                   "submission from making its own",
                   "bwrap 不能关闭用户命名空间；只有 seccomp 过滤器阻止提交自建命名空间");
    if (probe) sandbox_probe(on_limit, r);
}

/* Gradings that could not be done, a row each: the newest three. */
static void check_failures(report *r) {
    size_t n;
    char *text = failures_last(3, &n), *path = failures_path(), *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save))
        doctor_row(r, NOTE, "could not grade", "%s", "%s", line);
    if (n)
        doctor_row(r, NOTE, "failures", "%zu in %s; remove it once it is dealt with",
                   "共 %zu 条，在 %s；处理之后请删除它", n, path);
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
    if (argc > 1)
        return cli_fail2(CLI_USAGE, "doctor: unexpected argument %s", "doctor：多余的参数 %s",
                         argv[1]);
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
        if (!text) return cli_fail2(CLI_ERROR, "out of memory", "内存不足");
        puts(text);
        free(text);
    } else if (r.lang == LIB_ZH) {
        if (r.faults || r.notes)
            printf("\n%d 处故障，%d 处注意：该怎么办见上文。\n", r.faults, r.notes);
        else puts("\n一切正常。");
    } else if (r.faults || r.notes) {
        printf("\n%d fault%s, %d note%s: the texts above say what to do.\n", r.faults,
               r.faults == 1 ? "" : "s", r.notes, r.notes == 1 ? "" : "s");
    } else {
        puts("\nEverything works.");
    }
    if (lib_cancel_flag) return CLI_ERROR;
    return r.faults ? CLI_FAILED : CLI_PASSED;
}
