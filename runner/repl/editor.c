/* Chooses the editor, opens it at the right line, and writes files for editors into the work
 * folder.
 *
 *   the answer given once ("editor"), $VISUAL, $EDITOR --editor_command--> its words
 *   last finding, compile error, TODO                  --editor_line-----> the line to open at
 *   editor vscode                                      --> .vscode/tasks.json
 *
 * `warplab clangd` writes clangd's settings. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/work.h"
#include "words/repl.h"

enum { SOURCE_BYTES = 1 << 20, CHOICES = 8 };

/* ---- where to open ---- */

/* "errors.cu(12): error: ..." */
static unsigned line_of_log(const char *log) {
    for (const char *s = strchr(log, '('); s; s = strchr(s + 1, '(')) {
        char *end;
        unsigned long n = strtoul(s + 1, &end, 10);
        if (n && n < 1000000 && !strncmp(end, "): error", 8)) return (unsigned)n;
    }
    return 0;
}

static unsigned line_of_todo(const char *path) {
    size_t n;
    char *text = lib_read_file(path, SOURCE_BYTES, &n, NULL);
    const char *todo = text ? strstr(text, "TODO") : NULL;
    unsigned line = todo != NULL;
    for (const char *s = text; todo && s < todo; s++) line += *s == '\n';
    free(text);
    return line;
}

unsigned editor_line(const repl *r) {
    const grade_result *g = measured_last(r);
    unsigned line = 0;
    if (g && !g->build_ok && g->build_log) line = line_of_log(g->build_log);
    else if (g && g->finding_count && !grade_finding_hidden(g, 0)) line = g->findings[0].line;
    return line ? line : line_of_todo(r->file);
}

/* How an editor takes a line number: as an option before the file, or after the file's name. */
static const struct {
    const char *editor, *option;
    bool behind;
} at_line[] = {{"vi", "+", false},    {"vim", "+", false},      {"nvim", "+", false},
               {"nano", "+", false},  {"emacs", "+", false},    {"emacsclient", "+", false},
               {"micro", "+", false}, {"kak", "+", false},      {"joe", "+", false},
               {"gedit", "+", false}, {"kate", "-l", false},    {"hx", "", true},
               {"subl", "", true},    {"code", "--goto", true}, {"codium", "--goto", true}};

size_t editor_at(const char *editor, const char *path, unsigned line, char *words[2]) {
    const char *slash = strrchr(editor, '/'), *name = slash ? slash + 1 : editor;
    size_t n = 0;
    for (size_t i = 0; line && i < sizeof at_line / sizeof *at_line; i++) {
        if (strcmp(at_line[i].editor, name) != 0) continue;
        if (!at_line[i].behind) words[n++] = lib_format("%s%u", at_line[i].option, line);
        else if (*at_line[i].option) words[n++] = lib_strdup(at_line[i].option);
        words[n++] = at_line[i].behind ? lib_format("%s:%u", path, line) : lib_strdup(path);
        return n;
    }
    words[n++] = lib_strdup(path);
    return n;
}

/* ---- which one ---- */

static const char *const known[] = {"nano", "micro", "vim", "nvim",
                                    "vi",   "emacs", "hx",  "code --wait"};

/* Finds the known editors that are installed. */
static size_t editors_here(const char *out[CHOICES]) {
    size_t n = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *name = lib_format("%.*s", (int)strcspn(known[i], " "), known[i]);
        char *found = lib_find_program(getenv("PATH"), name);
        if (found) out[n++] = known[i];
        free(found);
        free(name);
    }
    return n;
}

/* Asks once. A user who is put into an unknown editor may not find the way out. */
static bool ask_editor(repl *r, char *out, size_t size) {
    const char *here[CHOICES];
    size_t n = editors_here(here);
    text_line(&r->out, TEXT_STRONG, 0, "%s", lib_word(r->lang, W_REPL_EDITOR_WHICH));
    for (size_t i = 0; i < n; i++) text_put(&r->out, TEXT_PLAIN, "  %zu  %s\n", i + 1, here[i]);
    char *line = repl_line(r, lib_word(r->lang, W_REPL_EDITOR_PROMPT), false, NULL);
    if (!line || !*line) {
        free(line);
        return false;
    }
    command_plain(line);
    unsigned long k = strtoul(line, NULL, 10);
    snprintf(out, size, "%s", k >= 1 && k <= n ? here[k - 1] : line);
    free(line);
    progress_set(r->progress, "editor", out);
    return true;
}

bool editor_command(repl *r, char *out, size_t size) {
    const char *of = getenv("VISUAL");
    if (!of || !*of) of = getenv("EDITOR");
    progress_setting(r->progress, "editor", out, size);
    if (out[0]) return true; /* the answer given here takes precedence over the environment */
    if (of && *of) {
        snprintf(out, size, "%s", of);
        return true;
    }
    return ask_editor(r, out, size);
}

/* ---- files for editors ---- */

/* Writes a file, but never over an existing one. */
static int put_once(repl *r, const char *path, const char *text) {
    lib_message msg = {0};
    struct stat st;
    if (!lstat(path, &st)) {
        text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_editor_file_there(path));
        return 1;
    }
    if (!lib_write_file(path, text, strlen(text), &msg)) {
        text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
        return 1;
    }
    text_words(&r->out, TEXT_GOOD, 0, r->lang, w_repl_editor_file_made(path));
    return 0;
}

/* A task that grades the open file, with matchers for nvcc's messages and for findings. */
static const char tasks[] =
    "{\n  \"version\": \"2.0.0\",\n  \"tasks\": [\n    {\n      \"label\": \"Warplab: check\",\n"
    "      \"type\": \"process\",\n      \"command\": \"%s/warplab\",\n"
    "      \"args\": [\"grade\", \"${fileBasenameNoExtension}\", \"${file}\", \"--device\", "
    "\"%s\", "
    "\"--lang\", \"%s\"],\n      \"group\": {\"kind\": \"test\", \"isDefault\": true},\n"
    "      \"presentation\": {\"clear\": true},\n      \"problemMatcher\": [\n"
    "        {\n          \"owner\": \"nvcc\",\n          \"fileLocation\": [\"relative\", "
    "\"${fileDirname}\"],\n          \"pattern\": {\n            \"regexp\": "
    "\"^\\\\s*([^\\\\s(]+\\\\.cuh?)\\\\((\\\\d+)\\\\): (error|warning)[^:]*: (.*)$\",\n"
    "            \"file\": 1, \"line\": 2, \"severity\": 3, \"message\": 4\n          }\n        "
    "},\n"
    "        {\n          \"owner\": \"warplab\",\n          \"severity\": \"error\",\n"
    "          \"fileLocation\": [\"relative\", \"${fileDirname}\"],\n          \"pattern\": {\n"
    "            \"regexp\": \"([\\\\w.-]+\\\\.cuh?):(\\\\d+): (.*)$\",\n"
    "            \"file\": 1, \"line\": 2, \"message\": 3\n          }\n        }\n      ]\n"
    "    }\n  ]\n}\n";

static int write_vscode(repl *r) {
    lib_message msg = {0};
    char *folder = lib_path_join(r->paths->work, ".vscode"),
         *path = lib_path_join(folder, "tasks.json"),
         *text = lib_format(tasks, r->paths->libs, r->device, i18n_name(r->lang));
    int status = 1;
    if (lib_make_folders(folder, &msg)) status = put_once(r, path, text);
    else text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&msg));
    free(text);
    free(path);
    free(folder);
    return status;
}

int repl_editor(repl *r, char *argument) {
    char now[200];
    if (!strcmp(argument, "vscode")) return write_vscode(r);
    if (*argument) progress_set(r->progress, "editor", !strcmp(argument, "none") ? "" : argument);
    progress_setting(r->progress, "editor", now, sizeof now);
    const char *of = getenv("VISUAL");
    if (!of || !*of) of = getenv("EDITOR");
    text_words(&r->out, TEXT_PLAIN, 0, r->lang,
               w_repl_editor_is(now[0]      ? now
                                : of && *of ? of
                                            : "-"));
    return 0;
}

/* ---- headers ---- */

/* Puts the included headers into the folder of the student's file, where editors find them. The
 * build uses the lab's own headers. */
void work_headers(repl *r, const char *folder) {
    size_t n;
    char *text = lib_read_file(r->lab->skeleton_path, SOURCE_BYTES, &n, NULL);
    static const char include[] = "#include \"";
    if (!text) return;
    for (const char *s = text; (s = strstr(s, include)) != NULL;) {
        s += sizeof include - 1;
        size_t len = strcspn(s, "\"\n");
        char name[64];
        if (s[len] != '"' || len >= sizeof name || memchr(s, '/', len)) continue;
        snprintf(name, sizeof name, "%.*s", (int)len, s);
        char *from = lib_format("%s/kernels/%s", r->lab->root, name),
             *to = lib_path_join(folder, name);
        if (!lib_is_file(from)) { /* a pack may include Warplab's headers */
            free(from);
            from = lib_path_join(r->paths->kernels, name);
        }
        size_t bytes;
        char *header = lib_read_file(from, SOURCE_BYTES, &bytes, NULL);
        int fd = header ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444) : -1;
        if (fd >= 0) {
            if (!lib_write_all(fd, header, bytes)) unlink(to);
            close(fd);
        }
        free(header);
        free(from);
        free(to);
    }
    free(text);
}
