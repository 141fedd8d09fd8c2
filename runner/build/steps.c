/* nvcc's own steps, run as two parallel chains.
 *
 *   nvcc --dryrun --build_recipe_parse()--------------> recipe (kept in the cache)
 *                 --build_steps_main(), in the sandbox--> object
 *
 * nvcc runs its steps one after another: host preprocessor, cudafe++, device preprocessor, cicc,
 * ptxas, fatbinary, host compiler. The first two and the next four do not need each other, if the
 * module's name is given instead of generated. On two cores a compile then takes two thirds of the
 * time.
 *
 * A recipe consists of lines: "E NAME=value" sets the environment; "M path text" makes a file; "S"
 * begins a step; "D folder" begins a side step, whose last argument is a cubin
 * (build_recipe_machine()); "K folder" names the folder where outputs of side steps are kept; "A
 * argument" adds an argument to the step. Steps are in nvcc's order. A step needs the earlier ones
 * that share a temporary file with it; the last one needs all except side steps.
 *
 * If nvcc's output has anything unknown, or a step fails, the caller goes back to nvcc itself: this
 * is only a shortcut, and never decides. */
#include "runner/build/steps.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/sha256.h"
#include "words/build.h"

enum { MAX_STEPS = 24, MAX_ARGS = 128, MAX_VARIABLES = 32 };
/* where nvcc puts files that it passes between its steps */
static const char temporary[] = "/tmp/";
static const char module_id[] = "_5761726c_10_student_cu_70616221";

/* ---- reading nvcc's dry run ---- */

typedef struct {
    char *name, *value;
} variable;
typedef struct {
    variable v[MAX_VARIABLES];
    size_t n;
} variables;

static void steps_set(variables *all, const char *name, size_t length, const char *value) {
    for (size_t i = 0; i < all->n; i++) {
        if (strlen(all->v[i].name) == length && !memcmp(all->v[i].name, name, length)) {
            free(all->v[i].value);
            all->v[i].value = lib_strdup(value);
            return;
        }
    }
    if (all->n == MAX_VARIABLES) return;
    all->v[all->n++] =
        (variable){.name = lib_format("%.*s", (int)length, name), .value = lib_strdup(value)};
}

static const char *get(const variables *all, const char *name, size_t length) {
    for (size_t i = 0; i < all->n; i++) {
        if (strlen(all->v[i].name) == length && !memcmp(all->v[i].name, name, length))
            return all->v[i].value;
    }
    return NULL;
}

/* Reads the next word like a shell: double quotes, $NAME; other shell syntax is refused. Returns 1:
 * a word, 0: the end, -1: refused. */
static int next_word(const char **line, const variables *all, lib_buffer *word) {
    const char *s = *line;
    while (*s == ' ' || *s == '\t') s++;
    word->n = 0;
    lib_buffer_puts(word, "");
    if (!*s) return 0;
    for (bool quoted = false; *s && (quoted || (*s != ' ' && *s != '\t')); s++) {
        if (*s == '"') {
            quoted = !quoted;
        } else if (*s == '$') {
            size_t n = 0;
            while (isalnum((unsigned char)s[1 + n]) || s[1 + n] == '_') n++;
            const char *value = n ? get(all, s + 1, n) : NULL;
            if (!value) return -1;
            lib_buffer_puts(word, value);
            s += n;
        } else if (*s == '\\' && quoted && (s[1] == '"' || s[1] == '\\' || s[1] == '$')) {
            lib_buffer_add(word, ++s, 1);
        } else if (strchr("\\'`", *s) || (!quoted && strchr(";|&<>()*?#", *s))) {
            return -1;
        } else {
            lib_buffer_add(word, s, 1);
        }
    }
    *line = s;
    return 1;
}

static bool assignment(const char *line, size_t *name) {
    size_t n = 0;
    while (isalnum((unsigned char)line[n]) || line[n] == '_') n++;
    *name = n;
    return n && line[n] == '=';
}

/* Adds one command of the dry run as a step of the recipe. Returns false if it is refused. */
static bool add_step(const char *line, const variables *all, lib_buffer *recipe, bool *named,
                     unsigned *steps) {
    lib_buffer word = {0};
    int got = next_word(&line, all, &word);
    bool ok = got == 1;
    if (ok && !strcmp(word.s, "rm")) { /* the sandbox's files disappear anyway */
        lib_buffer_free(&word);
        return true;
    }
    bool id_next = false;
    lib_buffer_puts(recipe, "S\n");
    (*steps)++;
    for (; ok && got == 1; got = next_word(&line, all, &word)) {
        if (!strcmp(word.s, "--gen_module_id_file")) continue;
        if (id_next && !*named) {
            /* Made before the first step, for both cicc and cudafe++. */
            lib_buffer head = {0};
            lib_buffer_printf(&head, "M %s %s\n", word.s, module_id);
            lib_buffer_puts(&head, recipe->s);
            lib_buffer_free(recipe);
            *recipe = head;
            *named = true;
        }
        id_next = !strcmp(word.s, "--module_id_file_name");
        ok = !strchr(word.s, '\n');
        lib_buffer_printf(recipe, "A %s\n", word.s);
    }
    ok = ok && got == 0;
    lib_buffer_free(&word);
    return ok;
}

char *build_recipe_parse(const char *dryrun, lib_message *msg) {
    static const char *const passed_on[] = {"PATH",      "LD_LIBRARY_PATH", "NVVMIR_LIBRARY_DIR",
                                            "CICC_PATH", "_NVVM_BRANCH_",   "TOP"};
    variables all = {0};
    lib_buffer recipe = {0};
    bool ok = true, named = false;
    unsigned steps = 0;
    lib_buffer_puts(&recipe, "");
    for (const char *line = dryrun; ok && *line;) {
        size_t n = strcspn(line, "\n"), name;
        char *text = lib_format("%.*s", (int)n, line);
        line += n + (line[n] == '\n');
        if (!strncmp(text, "#$ ", 3)) {
            if (assignment(text + 3, &name)) steps_set(&all, text + 3, name, text + 3 + name + 1);
            else ok = add_step(text + 3, &all, &recipe, &named, &steps);
        } else {
            ok = !*text;
        }
        if (!ok) lib_message_set(msg, w_build_dry_run_line(text));
        free(text);
    }
    if (ok && (steps < 5 || steps > MAX_STEPS - 2 || !named)) {
        lib_message_set(msg, w_build_dry_run_steps(steps));
        ok = false;
    }
    lib_buffer out = {0};
    lib_buffer_puts(&out, "");
    for (size_t i = 0; ok && i < sizeof passed_on / sizeof *passed_on; i++) {
        const char *value = get(&all, passed_on[i], strlen(passed_on[i]));
        if (value) lib_buffer_printf(&out, "E %s=%s\n", passed_on[i], value);
    }
    lib_buffer_puts(&out, recipe.s);
    for (size_t i = 0; i < all.n; i++) {
        free(all.v[i].name);
        free(all.v[i].value);
    }
    lib_buffer_free(&recipe);
    if (!ok) lib_buffer_free(&out);
    return out.s;
}

char *build_recipe_append(const char *recipe, const char *const *argv) {
    lib_buffer b = {0};
    lib_buffer_printf(&b, "%sS\n", recipe);
    for (; *argv; argv++) lib_buffer_printf(&b, "A %s\n", *argv);
    return b.s;
}

char *build_recipe_machine_of(const char *recipe, const char *tool, const char *folder,
                              const char *cubin) {
    return lib_format("%sD %s\nA %s\nA " BUILD_MACHINE_QUICK "\nA -c\nA -gi\nA -gp\nA -hex\nA %s\n",
                      recipe, folder, tool, cubin);
}

char *build_recipe_kept(const char *recipe, const char *kept) {
    return lib_format("K %s\n%s", kept, recipe);
}

char *build_recipe_machine(const char *recipe, const char *tool, const char *folder) {
    static const char made[] = "\nA -o\nA ", ending[] = ".cubin";
    char *all = lib_strdup(recipe);
    for (const char *s = recipe; (s = strstr(s, made));) {
        s += sizeof made - 1;
        size_t n = strcspn(s, "\n");
        if (n < sizeof ending ||
            memcmp(s + n - (sizeof ending - 1), ending, sizeof ending - 1) != 0)
            continue;
        char *cubin = lib_format("%.*s", (int)n, s),
             *more = build_recipe_machine_of(all, tool, folder, cubin);
        free(cubin);
        free(all);
        all = more;
    }
    return all;
}

/* ---- running it ---- */

typedef struct {
    char *argv[MAX_ARGS + 1];
    size_t argc;
    const char *folder; /* for a side step; otherwise NULL */
    char hash[65];      /* and the hash of its input */
    unsigned needs;     /* bit i: step i */
    pid_t pid;
    int out; /* memfd with its messages */
    int status;
    bool done;
} step;

static int trouble(const char *what) {
    fprintf(stderr, "warplab --steps: %s: %s\n", what, strerror(errno));
    return BUILD_STEPS_TROUBLE;
}

/* *kept: the folder of build_recipe_kept(); NULL: none. */
static bool read_recipe(char *text, step *steps, size_t *count, const char **kept) {
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        step *s = *count ? &steps[*count - 1] : NULL;
        if (!strncmp(line, "E ", 2)) {
            if (putenv(line + 2)) return false;
        } else if (!strncmp(line, "K ", 2)) {
            *kept = line + 2;
        } else if (!strncmp(line, "M ", 2)) {
            char *content = strchr(line + 2, ' ');
            if (!content) return false;
            *content++ = 0;
            int fd = open(line + 2, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
            bool ok = fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content);
            if (fd >= 0) close(fd);
            if (!ok) return false;
        } else if (!strcmp(line, "S") || !strncmp(line, "D ", 2)) {
            if (*count == MAX_STEPS) return false;
            steps[(*count)++] = (step){.out = -1, .folder = *line == 'D' ? line + 2 : NULL};
        } else if (!strncmp(line, "A ", 2) && s && s->argc < MAX_ARGS) {
            s->argv[s->argc++] = line + 2;
        } else if (strcmp(line, "A")) { /* an empty argument is left out */
            return false;
        }
    }
    return *count > 0;
}

/* Returns whether two steps name the same temporary file. */
static bool share(const step *a, const step *b) {
    for (size_t i = 0; i < a->argc; i++) {
        const char *file = strstr(a->argv[i], temporary);
        if (!file || strstr(file, "module_id")) continue;
        for (size_t j = 0; j < b->argc; j++) {
            const char *other = strstr(b->argv[j], temporary);
            if (other && !strcmp(file, other)) return true;
        }
    }
    return false;
}

/* Returns the file for a side step's output: until it is complete, and afterwards. */
static char *step_file(const step *s, bool whole) {
    char *name = lib_format(BUILD_MACHINE_FILE, s->hash),
         *path = lib_format("%s/%s%s", s->folder, name, whole ? "" : ".part");
    free(name);
    return path;
}

/* Sets its standard output and its limits. */
static void step_aside(const step *s) {
    const struct rlimit seconds = {BUILD_MACHINE_SECONDS, BUILD_MACHINE_SECONDS},
                        bytes = {BUILD_MACHINE_BYTES, BUILD_MACHINE_BYTES};
    char *path = step_file(s, false);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0 || dup2(fd, 1) < 0 || setrlimit(RLIMIT_CPU, &seconds) ||
        setrlimit(RLIMIT_FSIZE, &bytes))
        _exit(126);
    free(path);
}

static bool step_hash(step *s) {
    size_t n;
    char *bytes =
        s->argc ? lib_read_file(s->argv[s->argc - 1], BUILD_MACHINE_BYTES, &n, NULL) : NULL;
    if (!bytes) return false;
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, bytes, n);
    lib_sha256_end_hex(&h, s->hash);
    free(bytes);
    return true;
}

/* Returns whether the side step's output was kept by an earlier build: then it is copied. */
static bool step_was_kept(const step *s, const char *kept) {
    size_t n = 0;
    if (!kept) return false;
    char *name = lib_format(BUILD_MACHINE_FILE, s->hash),
         *from = lib_format("%s/%s/%s", kept, s->hash, name),
         *text = lib_read_file(from, BUILD_MACHINE_BYTES, &n, NULL), *part = step_file(s, false),
         *to = step_file(s, true);
    int fd =
        text && n ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644) : -1;
    bool copied = fd >= 0 && lib_write_all(fd, text, n);
    if (fd >= 0 && close(fd)) copied = false;
    copied = copied && !rename(part, to);
    free(name);
    free(from);
    free(text);
    free(part);
    free(to);
    return copied;
}

bool build_machine_jumps(const char *text, size_t n) {
    return memmem(text, n, "BRX", 3) || memmem(text, n, "JMX", 3);
}

/* A side step has ended: returns whether it must run again, without BUILD_MACHINE_QUICK. */
static bool step_again(step *s) {
    size_t n, at = 0;
    while (at < s->argc && strcmp(s->argv[at], BUILD_MACHINE_QUICK)) at++;
    if (s->status || at == s->argc) return false;
    char *path = step_file(s, false), *text = lib_read_file(path, BUILD_MACHINE_BYTES, &n, NULL);
    bool again = text && build_machine_jumps(text, n);
    if (again) {
        memmove(s->argv + at, s->argv + at + 1, (s->argc - at) * sizeof *s->argv);
        s->argc--;
        s->pid = 0;
    }
    free(path);
    free(text);
    return again;
}

/* A side step has ended: its output is kept only if it is complete. */
static void step_keep(const step *s) {
    char *from = step_file(s, false), *to = step_file(s, true);
    if (s->status || rename(from, to)) unlink(from);
    free(from);
    free(to);
}

static bool step_start(step *s) {
    s->out = memfd_create("messages", MFD_CLOEXEC);
    if (s->out < 0 || !s->argc) return false;
    s->pid = fork();
    if (s->pid == 0) {
        if (dup2(s->out, 1) < 0 || dup2(s->out, 2) < 0) _exit(126);
        if (s->folder) step_aside(s);
        execvp(s->argv[0], s->argv);
        _exit(126);
    }
    return s->pid > 0;
}

static void pass_on(int fd) {
    char block[8192];
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, block, sizeof block, at)) > 0; at += n)
        fwrite(block, 1, (size_t)n, stderr);
}

int build_steps_main(const char *path) {
    static step steps[MAX_STEPS];
    size_t count = 0, running = 0, left;
    lib_message msg;
    char *text = lib_read_file(path, 1 << 20, NULL, &msg);
    const char *kept = NULL;
    if (!text || !read_recipe(text, steps, &count, &kept)) {
        free(text);
        return trouble("the recipe cannot be read");
    }
    left = count;
    unsigned own = 0; /* all steps except side steps */
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!steps[j].folder && (i + 1 == count || share(&steps[i], &steps[j])))
                steps[i].needs |= 1u << j;
        }
        if (!steps[i].folder) own |= 1u << i;
    }
    /* The host compiler also reads files that cicc and fatbinary write under names that it is not
     * told: the step before the link needs all earlier ones, too. */
    size_t host = count - 1;
    while (host > 0 && steps[--host].folder) {
    }
    if (count > 1 && !steps[host].folder && !steps[count - 1].folder)
        steps[host].needs = own & ((1u << host) - 1);
    unsigned finished = 0;
    bool failed = false;
    const step *ended = NULL; /* by a signal of its own */
    while (left && !ended) {
        for (size_t i = 0; i < count && !failed; i++) {
            step *s = &steps[i];
            if (s->pid || s->done || (s->needs & finished) != s->needs) continue;
            if (s->folder && (!step_hash(s) || step_was_kept(s, kept))) {
                s->done = true;
                left--;
                continue;
            }
            if (!step_start(s)) {
                int status = trouble(s->argc ? s->argv[0] : "an empty step");
                free(text);
                return status;
            }
            running++;
        }
        if (!running) break;
        int status;
        pid_t pid = wait(&status);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) {
            status = trouble("wait");
            free(text);
            return status;
        }
        for (size_t i = 0; i < count; i++) {
            if (steps[i].pid != pid) continue;
            steps[i].status = status;
            running--;
            if (steps[i].folder && step_again(&steps[i])) continue;
            steps[i].done = true;
            left--;
            if (steps[i].folder) {
                step_keep(&steps[i]);
                continue;
            }
            /* running steps may finish: an earlier step's messages come first */
            if (status) failed = true;
            else finished |= 1u << i;
            for (size_t j = 0; failed && j < count; j++)
                if (steps[j].folder && steps[j].pid && !steps[j].done) kill(steps[j].pid, SIGKILL);
            if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) ended = &steps[i];
        }
    }
    /* A step that met its own limit or crashed would do so again, and the others have nothing to
     * add. */
    for (size_t i = 0; ended && i < count; i++)
        if (steps[i].pid && !steps[i].done) kill(steps[i].pid, SIGKILL);
    int result = 0;
    for (size_t i = 0; i < count && !result; i++) {
        if (!steps[i].done || steps[i].folder || (ended && ended != &steps[i])) continue;
        pass_on(steps[i].out);
        if (steps[i].status)
            result = WIFEXITED(steps[i].status) ? WEXITSTATUS(steps[i].status)
                                                : 128 + WTERMSIG(steps[i].status);
    }
    free(text);
    return result;
}
