/* See tool.h.
 *
 *   build_tool --tool_request()--> sandbox_spawn --sandbox_run()--> sandbox_exit --tool_judge()-->
 *     tool_outcome
 *              --tool_explain()--> the build's log */
#include "runner/build/tool.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "runner/base/clock.h"
#include "runner/build/cache.h"
#include "runner/build/machine.h"
#include "words/build.h"

/* Asks the file system, because the compiler's output may contain the submission's own words. */
static bool disk_full(const build_job *b) {
    struct statvfs v;
    return !statvfs(b->temporary, &v) && (double)v.f_bavail * (double)v.f_frsize < 64e6;
}

/* "gcc:12:" or "gcc(12):": a message about a file of that name (#line gives files any name). */
static bool about_a_file(const char *line, size_t n) {
    for (size_t i = 0; i + 1 < n; i++)
        if ((line[i] == ':' || line[i] == '(') && isdigit((unsigned char)line[i + 1])) {
            size_t k = i + 1;
            while (k < n && isdigit((unsigned char)line[k])) k++;
            if (k < n && (line[k] == ':' || line[k] == ')')) return true;
        }
    return false;
}

/* A line of a tool about itself: it begins with the tool's name and ends with the system's words. A
 * compiler's messages about a source begin with a file and a line, and quoted text is indented. But
 * a file's name may look like any line, so build_tool_run() also asks the machine. */
static bool starved_line(const char *line, size_t n) {
    static const char *const by[] = {"gcc",    "g++",       "cc1plus", "collect2", "as",
                                     "sh",     "nvcc",      "cicc",    "cudafe++", "ptxas",
                                     "nvlink", "fatbinary", "c++",     "ld",       "  what()"},
                             *const words[] = {"Resource temporarily unavailable",
                                               "Too many open files in system",
                                               "Too many open files", "Cannot fork"};
    static const char memory[] = "Cannot allocate memory";
    bool tool = false;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        size_t k = strlen(by[i]);
        tool |= n > k && !memcmp(line, by[i], k) && (line[k] == ':' || line[k] == ' ');
    }
    if (about_a_file(line, n)) return false;
    if (n && (line[n - 1] == '\'' || line[n - 1] == '.')) n--;
    size_t k = strlen(memory);
    for (size_t i = 0; tool && i < sizeof words / sizeof *words; i++)
        if (n > strlen(words[i]) &&
            !memcmp(line + n - strlen(words[i]), words[i], strlen(words[i])))
            return true;
    /* gcc's own limit of memory gives these words, too, but without a fork. */
    return tool && n > k && !memcmp(line + n - k, memory, k) && memmem(line, n, "fork", 4);
}

bool build_tool_starved(const char *output) {
    for (const char *p = output; *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        if (starved_line(p, n)) return true;
        p += n;
    }
    return false;
}

/* What the tool may see. The caller frees the paths. */
typedef struct {
    char *src, *out, *lib, *kept;
    sandbox_bind binds[8];
} tool_view;

static void tool_request(const build_job *b, const build_tool *t, tool_view *v, sandbox_spawn *s) {
    *v = (tool_view){.src = lib_path_join(b->temporary, "src"),
                     .out = lib_path_join(b->temporary, "out"),
                     .lib = lib_path_join(b->paths->libs, "libcudart.so.13")};
    size_t n = 0;
    v->binds[n++] = (sandbox_bind){.from = v->src, .to = "/src"};
    v->binds[n++] = (sandbox_bind){.from = v->out, .to = "/out", .writable = true};
    v->binds[n++] = (sandbox_bind){.from = b->tools->home};
    if (t->glue) {
        v->binds[n++] = (sandbox_bind){.from = t->glue, .to = "/glue.o"};
        v->binds[n++] = (sandbox_bind){.from = v->lib, .to = "/libcudart.so.13"};
    }
    if (b->driver) v->binds[n++] = (sandbox_bind){.from = b->driver, .to = "/warplab"};
    if (b->driver && b->q->machine_code && build_disassembler()) {
        v->binds[n++] = (sandbox_bind){.from = build_disassembler(), .to = BUILD_MACHINE_TOOL};
        if ((v->kept = build_cache_texts()))
            v->binds[n++] = (sandbox_bind){.from = v->kept, .to = BUILD_CACHE_TEXTS};
    }
    sandbox_spawn_init(s);
    s->mode = b->sandboxed ? SANDBOX_REQUIRED : SANDBOX_NONE;
    s->argv = t->argv;
    s->cwd = t->cwd;
    s->binds = v->binds;
    s->bind_count = n;
    s->may_fork = true;
    s->cpu_s = job_cpu(b->q);
    s->wall_s = job_left(b);
    s->memory = b->q->memory ? b->q->memory : (uint64_t)4 << 30;
    s->file_bytes = 128u << 20;
    s->tmp_bytes = 256u << 20;
    s->processes = 64;
    s->output_bytes = 64u << 10;
    s->cancel = b->q->cancel;
}

/* A compiler may end itself when it is told that its time is over, or gets no more memory: then a
 * third of the limit is in use if a table should grow to twice its size, which needs both at
 * once. */
static bool aborts_at_limit(const sandbox_exit *e, const sandbox_spawn *s) {
    return e->end == SANDBOX_END_SIGNAL && e->code == SIGABRT &&
           (e->cpu_s >= s->cpu_s || e->peak_bytes > s->memory / 4);
}

static tool_outcome tool_judge(const build_job *b, const sandbox_exit *e, const sandbox_spawn *s) {
    if (e->end == SANDBOX_END_CANCELLED) return TOOL_CANCELLED;
    if (e->end == SANDBOX_END_NOT_STARTED) return TOOL_NOT_STARTED;
    if (strstr(e->output, "No space left on device") && disk_full(b)) return TOOL_DISK_FULL;
    if ((e->end != SANDBOX_END_EXIT || e->code) && build_tool_starved(e->output))
        return TOOL_STARVED;
    /* The last two: the words of gcc and of nvcc for one of their parts that met the limit. */
    if (e->end == SANDBOX_END_TIMEOUT || (e->end == SANDBOX_END_SIGNAL && e->code == SIGXCPU) ||
        strstr(e->output, "CPU time limit exceeded") || strstr(e->output, "died due to signal 24"))
        return TOOL_TOO_LONG;
    if (strstr(e->output, "out of memory allocating") ||
        strstr(e->output, "virtual memory exhausted"))
        return TOOL_TOO_LARGE;
    /* From the cgroup, to the tool or, in the words of gcc and of nvcc, to one of its parts. */
    if (e->code && (strstr(e->output, "Killed signal terminated program") ||
                    strstr(e->output, "died due to signal 9")))
        return TOOL_TOO_LARGE;
    if ((e->end == SANDBOX_END_SIGNAL && e->code == SIGKILL) || aborts_at_limit(e, s))
        return TOOL_TOO_LARGE;
    if (e->end == SANDBOX_END_SIGNAL) return TOOL_CRASHED;
    return e->code ? TOOL_FAILED : TOOL_OK;
}

/* The source is at fault: takes `text` over. */
static void tool_refuse(build_job *b, char *text) {
    job_refuse(b, text);
    free(text);
}

/* Sets the log: the compiler's messages as a student should see them. */
static void tool_explain(build_job *b, const build_tool *t, const sandbox_spawn *s,
                         const sandbox_exit *e, tool_outcome outcome, const char *log) {
    lib_message why;
    char how[256]; /* for a log, which is in English */
    double gigabytes = (double)s->memory / (1u << 30);
    sandbox_exit_message(e, &why);
    lib_message_text(how, sizeof how, LIB_EN, &why);
    switch (outcome) {
    case TOOL_OK:
    case TOOL_NOT_RUN: break; /* reported where it happened */
    case TOOL_CANCELLED: job_cancelled(b); break;
    case TOOL_NOT_STARTED: job_infra(b, w_build_tool_not_run(t->what, &why)); break;
    case TOOL_DISK_FULL: job_infra(b, w_build_disk_full_for_tool(t->what)); break;
    case TOOL_STARVED: job_infra(b, w_build_tool_starved(t->what)); break;
    case TOOL_TOO_LONG:
    case TOOL_TOO_LARGE:
        /* One message: how busy the machine is decides which limit is met first. */
        tool_refuse(b,
                    lib_format("%s: error: %s takes more than the %.0f s of computing or the "
                               "%.3g GB of memory that it may take, or the build more than "
                               "%.0f s in all. Look for a template or macro that expands "
                               "without end\n",
                               job_shown(b), t->what, s->cpu_s, gigabytes, BUILD_CLOCK * s->cpu_s));
        break;
    case TOOL_CRASHED:
        tool_refuse(
            b,
            lib_format("%s: error: %s ended with %s; it took more memory than the %.3g GB it may, "
                       "or ran into a fault of its own\n%s",
                       job_shown(b), t->what, how, gigabytes, log));
        break;
    case TOOL_FAILED:
        if (*log) job_refuse(b, log);
        else
            tool_refuse(b, lib_format("%s: error: %s failed (%s) and said nothing\n", job_shown(b),
                                      t->what, how));
        break;
    }
}

static int tool_once(build_job *b, const build_tool *t, sandbox_spawn *s, sandbox_exit *e,
                     lib_message *msg) {
    tool_view v;
    tool_request(b, t, &v, s);
    double begin = lib_now();
    int rc = sandbox_run(s, e, msg);
    b->r->nvcc_seconds += lib_now() - begin;
    s->binds = NULL; /* they are in v */
    s->bind_count = 0;
    free(v.src);
    free(v.out);
    free(v.lib);
    free(v.kept);
    return rc;
}

/* Returns whether the machine is short of processes: a compiler that must start another one,
 * without anything of the submission's, finds out. */
static bool machine_starved(build_job *b) {
    const char *const argv[] = {b->tools->cxx, "-E", "-x", "c++", "/dev/null", NULL};
    const build_tool probe = {.argv = argv, .what = "g++"};
    sandbox_spawn s;
    sandbox_exit e;
    lib_message msg = {0};
    if (tool_once(b, &probe, &s, &e, &msg)) return true;
    bool starved = e.end == SANDBOX_END_NOT_STARTED || e.end == SANDBOX_END_CANCELLED ||
                   build_tool_starved(e.output);
    sandbox_exit_free(&e);
    return starved;
}

tool_outcome build_tool_run(build_job *b, const build_tool *t) {
    enum { TRIES = 3 };
    sandbox_spawn s;
    sandbox_exit e;
    lib_message msg = {0};
    int rc = tool_once(b, t, &s, &e, &msg);
    /* Its words may be the submission's. So it is tried again when the machine has what the words
     * say is missing; if it says the same each time, the words are the submission's. */
    bool own_words = false;
    for (unsigned k = 1; !rc && tool_judge(b, &e, &s) == TOOL_STARVED && !machine_starved(b); k++) {
        own_words = k == TRIES;
        if (own_words) break;
        sandbox_exit_free(&e);
        rc = tool_once(b, t, &s, &e, &msg);
    }
    if (rc && t->optional) return TOOL_NOT_RUN;
    if (rc) {
        job_infra_message(b, &msg);
        return TOOL_NOT_RUN;
    }
    /* After SIGKILL, a step may be innocent: running in parallel, they need more memory than one by
     * one. */
    int signal = t->steps && e.end == SANDBOX_END_EXIT && e.code > 128 ? e.code - 128 : 0;
    if (signal && signal < 65 && signal != SIGKILL) {
        e.end = SANDBOX_END_SIGNAL;
        e.code = signal;
    }
    tool_outcome outcome = own_words ? TOOL_FAILED : tool_judge(b, &e, &s);
    if (t->optional && outcome != TOOL_CANCELLED) {
        sandbox_exit_free(&e);
        return outcome;
    }
    char inside[80];
    /* With several files, each keeps its own name. */
    snprintf(inside, sizeof inside, "/src/%s", b->part_count ? "" : b->file);
    const char *named = b->q->entry_text ? inside : b->q->source;
    char *log = build_messages(e.output, named, b->part_count ? "" : job_shown(b),
                               b->q->entry_text ? &b->entry : NULL, b->text);
    if (outcome != TOOL_OK) {
        tool_explain(b, t, &s, &e, outcome, log);
    } else if (t->raw) {
        lib_buffer_puts(t->raw, e.output);
    } else {
        char *all = lib_format("%s%s", b->r->log ? b->r->log : "", log);
        job_clear_log(b);
        b->r->log = all;
    }
    b->timed_out = outcome == TOOL_TOO_LONG;
    if (outcome == TOOL_TOO_LONG || outcome == TOOL_TOO_LARGE || outcome == TOOL_CRASHED)
        b->ended = true;
    free(log);
    sandbox_exit_free(&e);
    return outcome;
}
