/* From a .cu file to a program.
 *
 *   a lab's file              copied, with the headers it may include, into a folder of its own; nvcc sees
 *                             only that folder, the toolkit and /usr, in the sandbox; the link with the glue
 *                             runs there too
 *   a whole program (profile) compiled where it lies, with the user's own rights
 *
 *   cache/build/KEY/          program, log (warnings), deps; or log alone (errors: an unchanged file is not
 *                             compiled again to say the same)
 *   cache/glue/KEY.o          main() of one declaration
 *   cache/recipes/KEY         nvcc's steps (steps.c)
 *
 * KEY is SHA-256 over everything that went in. A folder appears under its key by rename, complete
 * or not at all. */
#include "runner/build/build.h"
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/base/sha256.h"
#include "runner/device/device.h"
#include "runner/sim/profile.h"
#include "runner/build/steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char format_version[] =
    "warplab build 1"; /* raise when outputs change without an input changing */
static const char *const nvcc_flags[] = {"-O3", "-lineinfo", "-std=c++17"};
static const char source_name[] =
    "student.cu"; /* whatever the student's is called: one list of steps fits all */
enum { FLAGS = sizeof nvcc_flags / sizeof *nvcc_flags, SOURCE_LIMIT = 1 << 20, MAX_HEADERS = 64 };

void build_request_init(build_request *q) {
    *q = (build_request){.mode = SANDBOX_REQUIRED, .arch = 90, .cpu_s = 30, .cancel = lib_cancel()};
}

void build_result_free(build_result *r) {
    free(r->program);
    free(r->log);
    *r = (build_result){0};
}

/* One build under way. */
typedef struct {
    const build_request *q;
    build_result *r;
    const lib_paths *paths;
    const build_toolchain *tools;
    build_entry entry;
    char *text; /* the source */
    size_t length;
    char file[64]; /* what the compiler calls the source: "vector-add.cu" */
    char key[65];
    char *place; /* cache/build/KEY */
    lib_scratch scratch;
    const char *temporary; /* its path, cache/tmp/XXXXXX: src/ out/ new/ */
    char *glue;            /* object */
    char *driver;          /* our own program, when it runs nvcc's steps inside the sandbox */
    lib_buffer *raw;       /* not NULL: a tool's output goes here as it is */
    bool sandboxed;
    bool
        ended; /* by the time limit or the memory of one process: nvcc itself would end in the same way */
    char *headers[MAX_HEADERS]; /* names in kernels/ */
    size_t header_count;
} build;

static bool infra(build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool infra(build *b, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char text[1024];
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    free(b->r->log);
    b->r->log = lib_strdup(text);
    b->r->infra = true;
    return false;
}

static bool cancelled(build *b) {
    b->r->cancelled = true;
    return infra(b, "cancelled");
}

/* The source is at fault. */
static bool refuse(build *b, const char *text) {
    free(b->r->log);
    b->r->log = lib_strdup(text);
    return false;
}

static void clear_log(build *b) {
    free(b->r->log);
    b->r->log = NULL;
}

static const char *shown(const build *b) {
    return b->q->shown_as ? b->q->shown_as : b->q->source;
}

/* ---- what goes in ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_headers(build *b) {
    DIR *d = opendir(b->paths->kernels);
    if (!d) return;
    for (struct dirent *e; b->header_count < MAX_HEADERS && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && (!strcmp(dot, ".h") || !strcmp(dot, ".cuh")))
            b->headers[b->header_count++] = lib_strdup(e->d_name);
    }
    closedir(d);
    qsort(b->headers, b->header_count, sizeof *b->headers, by_name);
}

/* "vector-add.cu", with nothing in it that a command line or a message could take for something
 * else. */
static void name_file(build *b) {
    const char *base = strrchr(shown(b), '/');
    snprintf(b->file, sizeof b->file, "%s", base ? base + 1 : shown(b));
    for (char *s = b->file; *s; s++) {
        bool ok = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                  (*s >= '0' && *s <= '9') || (*s == '.' && s > b->file) || *s == '_' ||
                  (*s == '-' && s > b->file);
        if (!ok) *s = '_';
    }
    size_t n = strlen(b->file);
    if (n < 4 || strcmp(b->file + n - 3, ".cu")) snprintf(b->file, sizeof b->file, "submission.cu");
}

static bool make_key(build *b) {
    lib_sha256 s;
    char number[16];
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, format_version);
    lib_sha256_add_text(&s, b->tools->nvcc);
    lib_sha256_add_text(&s, b->tools->version);
    snprintf(number, sizeof number, "sm_%u", b->q->arch);
    lib_sha256_add_text(&s, number);
    for (size_t i = 0; i < FLAGS; i++) lib_sha256_add_text(&s, nvcc_flags[i]);
    if (b->q->entry_text) {
        char *entry = build_entry_text(&b->entry);
        lib_sha256_add_text(&s, entry);
        free(entry);
        lib_sha256_add_text(&s, b->file);
        for (size_t i = 0; i < b->header_count; i++) {
            char *path = lib_path_join(b->paths->kernels, b->headers[i]);
            size_t n;
            char *text = lib_read_file(path, SOURCE_LIMIT, &n, NULL);
            lib_sha256_add_text(&s, b->headers[i]);
            if (text) lib_sha256_add(&s, text, n + 1);
            free(text);
            free(path);
        }
    } else {
        char *real = realpath(b->q->source, NULL);
        lib_sha256_add_text(&s, real ? real : b->q->source);
        free(real);
    }
    lib_sha256_add(&s, b->text, b->length);
    lib_sha256_end_hex(&s, b->key);
    b->place = lib_format("%s/build/%.2s/%s", b->paths->cache, b->key, b->key + 2);
    return true;
}

static bool hash_file(const char *path, char hex[65]) {
    size_t n;
    char *text = lib_read_file(path, 0, &n, NULL);
    if (!text) return false;
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add(&s, text, n);
    lib_sha256_end_hex(&s, hex);
    free(text);
    return true;
}

/* ---- the cache ---- */

/* A whole program's headers are known only after its compile: "HASH path" lines, which must still
 * hold. */
static bool deps_hold(const char *place) {
    char *path = lib_path_join(place, "deps"), *save = NULL;
    char *text = lib_read_file(path, 0, NULL, NULL);
    free(path);
    bool ok = true;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && ok;
         line = strtok_r(NULL, "\n", &save)) {
        char hex[65];
        ok = strlen(line) > 65 && hash_file(line + 65, hex) && !memcmp(hex, line, 64);
    }
    free(text);
    return ok;
}

/* A cached log says SHOWN where it names the file: the same text may come again under another
 * name. */
#define SHOWN "\x01"
static char *renamed(const char *text, const char *from, const char *to) {
    size_t times = 0, cut = strlen(from), put = strlen(to);
    for (const char *p = text; cut && (p = strstr(p, from)); p += cut) times++;
    char *out = malloc(strlen(text) + times * put + 1), *o = out;
    if (!out) abort();
    for (const char *p = text, *next; *p; p = next + cut) {
        next = times ? strstr(p, from) : NULL;
        size_t n = next ? (size_t)(next - p) : strlen(p);
        memcpy(o, p, n);
        o += n;
        if (!next) break;
        memcpy(o, to, put);
        o += put;
    }
    *o = 0;
    return out;
}

static bool from_cache(build *b) {
    if (b->q->no_cache) return false;
    char *program = lib_path_join(b->place, "program"), *log = lib_path_join(b->place, "log");
    char *text = lib_read_file(log, 0, NULL, NULL);
    bool have = lib_is_file(program), hit = text && deps_hold(b->place);
    if (hit) {
        b->r->cached = true;
        b->r->ok = have;
        free(b->r->log);
        b->r->log = renamed(text, SHOWN, shown(b));
        free(text);
        if (have) {
            b->r->program = program;
            program = NULL;
        }
    } else {
        free(text);
    }
    free(program);
    free(log);
    return hit;
}

/* Is what lies at b->place whole, and of the headers as they are? */
static bool place_holds(const build *b) {
    char *log = lib_path_join(b->place, "log"), *program = lib_path_join(b->place, "program"),
         *ours = lib_path_join(b->temporary, "new/program");
    bool holds =
        lib_is_file(log) && lib_is_file(program) == lib_is_file(ours) && deps_hold(b->place);
    free(log);
    free(program);
    free(ours);
    return holds;
}

/* Moves new/ to its place. Another process may have been there first: then theirs is as good and
 * may be running already, so it stays, unless it went stale. */
static bool to_cache(build *b) {
    lib_message msg;
    char *parent = lib_strdup(b->place), *fresh = lib_path_join(b->temporary, "new");
    *strrchr(parent, '/') = 0;
    bool ok = lib_make_folders(parent, &msg);
    for (int tries = 0; ok && rename(fresh, b->place); tries++) {
        int error = errno;
        bool taken = error == EEXIST || error == ENOTEMPTY;
        if (taken && !b->q->no_cache && place_holds(b)) break;
        if (!taken || tries == 3) {
            lib_message_set(&msg, "cannot keep %s: %s", b->place, strerror(error));
            ok = false;
            break;
        }
        char *old = lib_format("%s/old%d", b->temporary, tries);
        if (rename(b->place, old) && errno != ENOENT) tries = 2;
        free(old);
    }
    free(parent);
    free(fresh);
    return ok ? true : infra(b, "%s", msg.text);
}

static bool put_file(build *b, const char *folder, const char *name, const void *bytes, size_t n,
                     mode_t mode) {
    char *path = lib_format("%s/%s/%s", b->temporary, folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    bool ok = fd >= 0 && !fchmod(fd, mode);
    ok = ok && lib_write_all(fd, bytes, n);
    int error = errno;
    if (fd >= 0 && close(fd)) ok = false;
    if (!ok)
        infra(b,
              error == ENOSPC || error == EDQUOT
                  ? "the disk is full: cannot write %s (%s). Free some space, "
                    "or set XDG_CACHE_HOME to a folder on "
                    "another disk"
                  : "cannot write %s: %s",
              path, strerror(error));
    free(path);
    return ok;
}

static bool make_temporary(build *b) {
    lib_message msg;
    char *parent = lib_path_join(b->paths->cache, "tmp");
    bool ok = lib_scratch_make(&b->scratch, parent, &msg);
    b->temporary = b->scratch.path;
    static const char *const folders[] = {"src", "out", "new"};
    for (size_t i = 0; ok && i < 3; i++) {
        char *path = lib_path_join(b->temporary, folders[i]);
        if (mkdir(path, 0755) || chmod(path, 0755)) {
            lib_message_set(&msg, "cannot make %s: %s", path, strerror(errno));
            ok = false;
        }
        free(path);
    }
    free(parent);
    return ok ? true : infra(b, "%s", msg.text);
}

/* ---- running the tools ---- */

/* Is it? What a compiler prints may be the submission's own words. */
static bool disk_full(const build *b) {
    struct statvfs v;
    return !statvfs(b->temporary, &v) && (double)v.f_bavail * (double)v.f_frsize < 64e6;
}

/* Runs one tool where this build runs its tools. True: it ended with status 0. False: r->log says
 * why, infra or not. */
static bool tool(build *b, const char *const *argv, const char *cwd, const char *glue,
                 const char *what) {
    char *src = lib_path_join(b->temporary, "src"), *out = lib_path_join(b->temporary, "out"),
         *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    sandbox_bind binds[6] = {{.from = src, .to = "/src"},
                             {.from = out, .to = "/out", .writable = true},
                             {.from = b->tools->home}};
    size_t n = 3;
    if (glue) {
        binds[n++] = (sandbox_bind){.from = glue, .to = "/glue.o"};
        binds[n++] = (sandbox_bind){.from = lib, .to = "/libcudart.so.13"};
    }
    if (b->driver) binds[n++] = (sandbox_bind){.from = b->driver, .to = "/warplab"};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = b->sandboxed ? SANDBOX_REQUIRED : SANDBOX_NONE;
    s.argv = argv;
    s.cwd = cwd;
    s.binds = binds;
    s.bind_count = n;
    s.may_fork = true;
    s.cpu_s = b->q->cpu_s > 0 ? b->q->cpu_s : 30;
    s.wall_s =
        5 * s.cpu_s; /* an overloaded machine must not decide; a file that blocks its reader may */
    s.memory = b->q->memory ? b->q->memory : (uint64_t)4 << 30;
    s.file_bytes = 128u << 20;
    s.tmp_bytes = 256u << 20;
    s.processes = 64;
    s.output_bytes = 64u << 10;
    s.cancel = b->q->cancel;
    sandbox_exit e;
    lib_message msg;
    double begin = lib_now();
    int rc = sandbox_run(&s, &e, &msg);
    b->r->nvcc_seconds += lib_now() - begin;
    free(src);
    free(out);
    free(lib);
    if (rc) return infra(b, "%s", msg.text);
    bool ok = false;
    char how[256], inside[80];
    sandbox_exit_text(&e, how, sizeof how);
    snprintf(inside, sizeof inside, "/src/%s", b->file);
    const char *named = b->q->entry_text ? inside : b->q->source;
    char *log = build_messages(e.output, named, shown(b), b->q->entry_text ? &b->entry : NULL);
    if (e.end == SANDBOX_END_CANCELLED) {
        cancelled(b);
    } else if (e.end == SANDBOX_END_NOT_STARTED) {
        infra(b, "%s could not be run: %s", what, how);
    } else if (strstr(e.output, "No space left on device") && disk_full(b)) {
        infra(b,
              "the disk is full: %s could not write its output. Free some space, or set "
              "XDG_CACHE_HOME and "
              "TMPDIR to another disk",
              what);
    } else if (e.end == SANDBOX_END_TIMEOUT || (e.end == SANDBOX_END_SIGNAL && e.code == SIGXCPU) ||
               strstr(e.output, "CPU time limit exceeded") ||
               strstr(e.output, "died due to signal 24")) {
        /* the last two: gcc's words and nvcc's for a part of theirs that met the limit */
        char *text =
            lib_format("%s: error: %s did not finish within %.0f s%s. Look for a template or macro "
                       "that expands without end\n%s",
                       shown(b), what, e.end == SANDBOX_END_TIMEOUT ? s.wall_s : s.cpu_s,
                       e.end == SANDBOX_END_TIMEOUT ? "" : " of computing", log);
        refuse(b, text);
        b->ended = true;
        free(text);
    } else if (strstr(e.output, "out of memory allocating") ||
               strstr(e.output, "virtual memory exhausted")) {
        char *text = lib_format(
            "%s: error: %s needs more than the %.3g GB of memory it may take. Look for a "
            "template or macro that expands without end\n%s",
            shown(b), what, (double)s.memory / (1u << 30), log);
        refuse(b, text);
        b->ended = true;
        free(text);
    } else if (e.end == SANDBOX_END_SIGNAL) {
        char *text =
            lib_format("%s: error: %s ended with %s; it took more memory than the %.3g GB it may, "
                       "or ran into a fault of its own\n%s",
                       shown(b), what, how, (double)s.memory / (1u << 30), log);
        refuse(b, text);
        free(text);
    } else if (e.code) {
        if (!*log) {
            free(log);
            log = lib_format("%s: error: %s failed (%s) and said nothing\n", shown(b), what, how);
        }
        refuse(b, log);
    } else if (b->raw) {
        ok = true;
        lib_buffer_puts(b->raw, e.output);
    } else {
        ok = true;
        char *all = lib_format("%s%s", b->r->log ? b->r->log : "", log);
        free(b->r->log);
        b->r->log = all;
    }
    free(log);
    sandbox_exit_free(&e);
    return ok;
}

/* main() for this declaration, compiled once: ours, so outside the sandbox. */
static bool make_glue(build *b) {
    char *source = build_glue_source(&b->entry), key[65];
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, format_version);
    lib_sha256_add_text(&s, b->tools->cxx);
    lib_sha256_add_text(&s, source);
    lib_sha256_end_hex(&s, key);
    b->glue = lib_format("%s/glue/%s.o", b->paths->cache, key);
    if (lib_is_file(b->glue)) {
        free(source);
        return true;
    }
    lib_message msg;
    char *folder = lib_path_join(b->paths->cache, "glue"),
         *cpp = lib_format("%s/glue.cpp", b->temporary),
         *object = lib_format("%s/glue.o", b->temporary);
    bool ok = lib_make_folders(folder, &msg) && lib_write_file(cpp, source, strlen(source), &msg);
    if (!ok) infra(b, "%s", msg.text);
    if (ok) {
        char *include = lib_format("-I%s", b->paths->root);
        const char *const argv[] = {b->tools->cxx, "-std=c++17", "-O1", "-w",   include,
                                    "-c",          cpp,          "-o",  object, NULL};
        sandbox_spawn q;
        sandbox_spawn_init(&q);
        q.mode = SANDBOX_NONE;
        q.argv = argv;
        q.cancel = b->q->cancel;
        sandbox_exit e = {0};
        if (sandbox_run(&q, &e, &msg)) ok = infra(b, "%s", msg.text);
        else if (e.end == SANDBOX_END_CANCELLED) ok = cancelled(b);
        else if (e.end != SANDBOX_END_EXIT || e.code)
            ok = infra(b, "cannot compile the glue of %s:\n%s", b->entry.name, e.output);
        sandbox_exit_free(&e);
        free(include);
    }
    if (ok && (chmod(object, 0644) || rename(object, b->glue)))
        ok = infra(b, "cannot keep %s: %s", b->glue, strerror(errno));
    free(folder);
    free(cpp);
    free(object);
    free(source);
    return ok;
}

/* Takes a file that untrusted work wrote: a regular file, not a link, of a sane size. */
static bool take_output(build *b, const char *name, const char *as, mode_t mode) {
    char *path = lib_format("%s/out/%s", b->temporary, name);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
              st.st_size <= 256 << 20;
    if (!ok) {
        infra(b, "the compiler left no %s", name);
    } else {
        size_t n = (size_t)st.st_size, got = 0;
        char *bytes = lib_malloc(n);
        while (got < n) {
            ssize_t r = read(fd, bytes + got, n - got);
            if (r < 0 && errno == EINTR) continue;
            if (r <= 0) break;
            got += (size_t)r;
        }
        ok = got == n ? put_file(b, "new", as, bytes, n, mode)
                      : infra(b, "cannot read %s: %s", path, strerror(errno));
        free(bytes);
    }
    if (fd >= 0) close(fd);
    free(path);
    return ok;
}

/* ---- a lab's file ---- */

static bool put_sources(build *b) {
    /* The line directive gives every build of this text the same name in messages and line tables,
     * wherever it is compiled. */
    const char *text = b->text;
    size_t n = b->length;
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3; /* a byte-order mark may only stand first */
        n -= 3;
    }
    lib_buffer source = {0};
    lib_buffer_printf(&source, "#line 1 \"/src/%s\"\n", b->file);
    lib_buffer_add(&source, text, n);
    lib_buffer_puts(&source, "\n");
    bool ok = put_file(b, "src", source_name, source.s, source.n, 0644);
    lib_buffer_free(&source);
    for (size_t i = 0; ok && i < b->header_count; i++) {
        char *path = lib_path_join(b->paths->kernels, b->headers[i]);
        size_t length;
        lib_message msg;
        char *header = lib_read_file(path, SOURCE_LIMIT, &length, &msg);
        ok = header ? put_file(b, "src", b->headers[i], header, length, 0644)
                    : infra(b, "%s", msg.text);
        free(header);
        free(path);
    }
    return ok;
}

/* nvcc's own list of steps for this toolchain and architecture, made once: a file in the cache, or
 * NULL when there is no way but nvcc. */
static char *get_recipe(build *b, const char *const *argv) {
    lib_sha256 s;
    char key[65];
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, format_version);
    lib_sha256_add_text(&s, b->tools->version);
    for (size_t i = 0; argv[i]; i++) lib_sha256_add_text(&s, argv[i]);
    lib_sha256_end_hex(&s, key);
    char *folder = lib_path_join(b->paths->cache, "recipes"), *path = lib_path_join(folder, key);
    char *recipe = lib_read_file(path, 1 << 20, NULL, NULL);
    if (!recipe) {
        const char *dry[32];
        size_t n = 0;
        for (; argv[n]; n++) dry[n] = argv[n];
        dry[n++] = "--dryrun";
        dry[n] = NULL;
        lib_message msg;
        lib_buffer raw = {0};
        b->raw = &raw;
        if (tool(b, dry, "/src", NULL, "nvcc") && (recipe = build_recipe_parse(raw.s, &msg)) &&
            lib_make_folders(folder, NULL))
            lib_write_file(path, recipe, strlen(recipe), NULL); /* best effort */
        b->raw = NULL;
        lib_buffer_free(&raw);
        clear_log(b);
    }
    free(folder);
    free(path);
    return recipe;
}

/* Compile and link in one go, the compile's steps side by side. False: nvcc itself has to try, and
 * to say what is wrong. */
static bool fast_lab(build *b, const char *const *argv, const char *const *link) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false; /* the driver would need more address space than the sandbox gives */
#endif
    b->driver = lib_path_join(b->paths->libs, "warplab");
    char *recipe = b->sandboxed && !access(b->driver, X_OK) ? get_recipe(b, argv) : NULL;
    bool ok = false;
    if (recipe) {
        char *whole = build_recipe_append(recipe, link);
        const char *const run[] = {"/warplab", "--steps", "/src/recipe", NULL};
        ok = put_file(b, "src", "recipe", whole, strlen(whole), 0644) &&
             tool(b, run, "/src", b->glue, "nvcc");
        if (!ok && !b->r->infra && !b->ended) clear_log(b);
        free(whole);
    }
    free(recipe);
    free(b->driver);
    b->driver = NULL;
    return ok;
}

static bool build_lab(build *b) {
    if (!put_sources(b) || !make_glue(b)) return false;
    char arch[32], *src = lib_path_join(b->temporary, "src"),
                   *out = lib_path_join(b->temporary, "out"),
                   *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    snprintf(arch, sizeof arch, "-arch=sm_%u", b->q->arch);
    /* In the sandbox these are at /src and /out. */
    const char *in = b->sandboxed ? "/src" : src, *to = b->sandboxed ? "/out" : out;
    char *object = lib_path_join(to, "student.o"), *program = lib_path_join(to, "program");
    const char *argv[24];
    size_t n = 0;
    argv[n++] = b->tools->nvcc;
    for (size_t i = 0; i < FLAGS; i++) argv[n++] = nvcc_flags[i];
    argv[n++] = arch;
    argv[n++] = "-I.";
    argv[n++] = "-c";
    argv[n++] = source_name;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n] = NULL;
    const char *const link[] = {b->tools->cxx,
                                "-fno-use-linker-plugin",
                                object,
                                b->sandboxed ? "/glue.o" : b->glue,
                                b->sandboxed ? "/libcudart.so.13" : lib,
                                "-o",
                                program,
                                NULL};
    bool ok =
        fast_lab(b, argv, link) || (!b->r->infra && !b->ended && tool(b, argv, in, NULL, "nvcc") &&
                                    tool(b, link, to, b->glue, "the linker"));
    ok = ok && take_output(b, "program", "program", 0755);
    free(object);
    free(program);
    free(src);
    free(out);
    free(lib);
    return ok;
}

/* ---- a whole program ---- */

/* "target: a b \<newline> c": the files behind the colon, but for the toolkit's and the system's,
 * each with its hash. */
static bool put_deps(build *b) {
    char *path = lib_format("%s/out/deps", b->temporary);
    char *text = lib_read_file(path, 0, NULL, NULL), *save = NULL;
    free(path);
    lib_buffer deps = {0};
    lib_buffer_puts(&deps, "");
    char *colon = text ? strchr(text, ':') : NULL;
    for (char *word = colon ? strtok_r(colon + 1, " \\\n", &save) : NULL; word;
         word = strtok_r(NULL, " \\\n", &save)) {
        char hex[65];
        if (!strncmp(word, "/usr/", 5) || !strncmp(word, b->tools->home, strlen(b->tools->home)) ||
            !hash_file(word, hex))
            continue;
        lib_buffer_printf(&deps, "%s %s\n", hex, word);
    }
    bool ok = put_file(b, "new", "deps", deps.s, deps.n, 0644);
    lib_buffer_free(&deps);
    free(text);
    return ok;
}

static bool build_program(build *b) {
    char arch[32], *real = realpath(b->q->source, NULL), *out = lib_path_join(b->temporary, "out"),
                   *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    char *object = lib_path_join(out, "student.o"), *program = lib_path_join(out, "program"),
         *deps = lib_path_join(out, "deps");
    snprintf(arch, sizeof arch, "-arch=sm_%u", b->q->arch);
    const char *argv[24];
    size_t n = 0;
    argv[n++] = b->tools->nvcc;
    for (size_t i = 0; i < FLAGS; i++) argv[n++] = nvcc_flags[i];
    argv[n++] = arch;
    argv[n++] = "-MD";
    argv[n++] = "-MF";
    argv[n++] = deps;
    argv[n++] = "-c";
    argv[n++] = real ? real : b->q->source;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n] = NULL;
    const char *const link[] = {
        b->tools->cxx, "-fno-use-linker-plugin", object, lib, "-lpthread", "-ldl", "-o", program,
        NULL};
    bool ok = real && tool(b, argv, NULL, NULL, "nvcc") && put_deps(b) &&
              tool(b, link, NULL, NULL, "the linker") && take_output(b, "program", "program", 0755);
    free(object);
    free(program);
    free(deps);
    free(real);
    free(out);
    free(lib);
    return ok;
}

/* ---- all of it ---- */

static bool prepare(build *b) {
    lib_message msg = {0};
    const build_request *q = b->q;
    b->paths = lib_paths_get(&msg);
    if (!b->paths) return infra(b, "%s", msg.text);
    if (q->entry_text && !build_entry_parse(q->entry_text, &b->entry, &msg))
        return infra(b, "the lab's entry cannot be called: %s", msg.text);
    b->text = lib_read_file(q->source, SOURCE_LIMIT, &b->length, &msg);
    if (!b->text) {
        if (access(q->source, R_OK)) return infra(b, "%s", msg.text);
        return refuse(b, msg.text);
    }
    b->tools = build_toolchain_get(&msg);
    if (!b->tools) return infra(b, "%s", msg.text);
    char *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    bool there = lib_is_file(lib);
    free(lib);
    if (!there)
        return infra(b, "found no libcudart.so.13 in %s: run `make build` in %s", b->paths->libs,
                     b->paths->root);
    if (q->mode != SANDBOX_NONE && q->entry_text) {
        const sandbox_found *s = sandbox_get();
        if (!s->works && q->mode == SANDBOX_REQUIRED)
            return infra(b,
                         "there is no sandbox to compile this in: %s. --no-sandbox compiles it all "
                         "the same, "
                         "with this account's rights",
                         s->why_not);
        b->sandboxed = s->works;
    }
    name_file(b);
    if (q->entry_text) list_headers(b);
    return make_key(b);
}

static bool compile(build *b) {
    if (!make_temporary(b)) return false;
    bool ok = b->q->entry_text ? build_lab(b) : build_program(b);
    /* A failure is kept only when it is the text's own, and then it comes again from the same
     * text. */
    bool keep = !b->r->infra && (ok || b->q->entry_text) &&
                !(b->r->log && strstr(b->r->log, "did not finish within"));
    char *log = renamed(b->r->log ? b->r->log : "", shown(b), SHOWN);
    bool kept = keep && put_file(b, "new", "log", log, strlen(log), 0644) && to_cache(b);
    free(log);
    if (kept && ok) b->r->program = lib_path_join(b->place, "program");
    return kept && ok;
}

bool build_file(const build_request *q, build_result *r) {
    *r = (build_result){0};
    build_request request = *q;
    if (!request.arch) request.arch = 90;
    build b = {.q = &request, .r = r};
    double begin = lib_now();
    snprintf(r->arch, sizeof r->arch, "sm_%u", request.arch);
    if (request.cancel && *request.cancel) cancelled(&b);
    else if (prepare(&b) && !from_cache(&b)) r->ok = compile(&b);
    if (!r->log) r->log = lib_strdup("");
    if (!r->ok && r->program) {
        free(r->program);
        r->program = NULL;
    }
    r->seconds = lib_now() - begin;
    lib_scratch_remove(&b.scratch);
    for (size_t i = 0; i < b.header_count; i++) free(b.headers[i]);
    free(b.text);
    free(b.place);
    free(b.glue);
    return r->ok;
}

unsigned build_arch(const char *device) {
    char name[64];
    if (!strncmp(device, "gpu:", 4)) {
        char nearest[64];
        const char *why;
        unsigned arch = 0;
        /* What the simulated device that explains it is compiled for: one program runs on both. */
        return dev_gpu_found(&arch, nearest, &why) ? build_arch(nearest) : 90;
    }
    if (strncmp(device, "sim:", 4)) return 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device + 4, ","), device + 4);
    const sim_profile *p = sim_profile_find(name);
    return p ? p->compile_arch : 0;
}
