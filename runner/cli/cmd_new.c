/* `warplab new LAB`: makes the files of a new lab from the template in labs/template. `warplab
 * check` proves the template, except for its TODOs. `warplab new PACK/LAB` puts the lab into a
 * linked pack. `warplab new --pack PACK [LAB]` makes such a pack in this folder, with a first lab.
 *
 *   labs/template/labs/ID.lua --@ID@: the lab's id, @FUNCTION@: its name in C--> labs/LAB.lua
 *   its skeleton, baseline, answer and traps                                    the same way
 *
 * --kind chooses another start. `files` splits each source into two files. `program` adds the
 * main() of main.txt. `quiz` has its own template, labs/template/quiz, which is only a lesson. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/say.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/lua_lesson.h"
#include "runner/lesson/pack.h"
#include "runner/pack/pack.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

static const char *const files[] = {"labs/ID.lua",
                                    "labs/ID.cu",
                                    "kernels/ID.cu",
                                    "answers/ID.cu",
                                    "answers/traps/ID/ragged.cu",
                                    "answers/traps/ID/oob.cu",
                                    "answers/traps/ID/slow.cu",
                                    "answers/traps/ID/forged.cu"};
enum { FILES = sizeof files / sizeof *files };

/* The values of `--kind`, in the order of kind_names. */
typedef enum { KIND_EXERCISE, KIND_QUIZ, KIND_FILES, KIND_PROGRAM, KINDS } lab_kind;
static const char *const kind_names[KINDS] = {"exercise", "quiz", "files", "program"};
/* The field in the lesson for each kind. */
static const char *const kind_fields[KINDS] = {
    "", "", "  files = { \"@ID@.cu\", \"@ID@.h\" },\n",
    "  program = true, -- main() is the student's: plain parameters are its arguments\n"};

static char *template_replace(const char *text, const char *from, const char *to) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from)) {
        lib_buffer_add(&b, text, (size_t)(hit - text));
        lib_buffer_puts(&b, to);
    }
    lib_buffer_puts(&b, text);
    return b.s;
}

/* Returns what follows the lines about a trap's kind and expectations. */
static const char *behind_claims(const char *source) {
    while (!strncmp(source, "// kind: ", 9) || !strncmp(source, "// expect: ", 11))
        source += strcspn(source, "\n") + 1;
    return source;
}

/* Changes a template's text for this kind of lab; malloc'ed. NULL: *msg says why. */
static char *template_as(lab_kind kind, const char *root, const char *name, const char *text,
                         lib_message *msg) {
    if (strstr(name, ".lua")) return template_replace(text, "  -- @KIND@\n", kind_fields[kind]);
    const char *source = behind_claims(text);
    int claims = (int)(source - text);
    if (kind == KIND_FILES)
        return lib_format("%.*s// file: @ID@.cu\n#include \"@ID@.h\"\n\n%s// file: @ID@.h\n"
                          "void @FUNCTION@(const float *x, float *y, float factor, int n);\n",
                          claims, text, source);
    if (kind != KIND_PROGRAM) return lib_strdup(text);
    char *path = lib_path_join(root, "labs/template/main.txt"),
         *own = lib_read_file(path, 0, NULL, msg);
    char *whole =
        own ? lib_format("%.*s#include <cstdio>\n#include <cstdlib>\n#include <vector>\n\n%s%s",
                         claims, text, source, own)
            : NULL;
    free(own);
    free(path);
    return whole;
}

/* Puts this lab's names into the template's text. */
static char *template_fill(const char *text, const char *id) {
    char *function = lib_strdup(id);
    for (char *s = function; *s; s++) {
        if (*s == '-') *s = '_';
    }
    /* A C name cannot start with a digit. */
    if (*function >= '0' && *function <= '9') {
        char *f = lib_format("lab_%s", function);
        free(function);
        function = f;
    }
    char *a = template_replace(text, "@ID@", id), *b = template_replace(a, "@FUNCTION@", function);
    free(a);
    free(function);
    return b;
}

static bool write_in(const char *folder, const char *name, const char *text, lib_message *msg) {
    char *path = lib_path_join(folder, name), *parent = lib_strdup(path);
    *strrchr(parent, '/') = 0;
    bool ok = lib_make_folders(parent, msg) && lib_write_file(path, text, strlen(text), msg);
    free(parent);
    free(path);
    return ok;
}

/* Makes all files or none, and changes no existing file. */
static int new_lab(const lib_paths *p, const char *home, const char *id, lab_kind kind) {
    lib_message msg = {0};
    char *to[FILES];
    const char *taken = NULL;
    int count = kind == KIND_QUIZ ? 1 : FILES;
    for (int i = 0; i < count; i++) {
        to[i] = template_replace(files[i], "ID", id);
        char *path = lib_path_join(home, to[i]);
        if (lib_is_file(path)) taken = to[i];
        free(path);
    }
    int status = taken ? cli_fail(CLI_USAGE, w_cli_new_is_there(home, taken)) : CLI_PASSED;
    for (int i = 0; status == CLI_PASSED && i < count; i++) {
        char *from = lib_format("%s/labs/template/%s%s", p->root, kind == KIND_QUIZ ? "quiz/" : "",
                                files[i]),
             *text = lib_read_file(from, 0, NULL, &msg),
             *as = text ? template_as(kind, p->root, files[i], text, &msg) : NULL,
             *filled = as ? template_fill(as, id) : NULL;
        if (!filled || !write_in(home, to[i], filled, &msg)) status = cli_say(CLI_ERROR, &msg);
        else lib_print(stdout, "%s\n", to[i]);
        free(filled);
        free(as);
        free(text);
        free(from);
    }
    for (int i = 0; i < count; i++) free(to[i]);
    return status;
}

static int no_lab_id(const char *id) {
    return cli_fail(CLI_USAGE, w_cli_new_lab_id(id));
}

static void say_next(const char *id) {
    puts("");
    cli_line(stdout, cli_language(), w_cli_new_lab_next(id));
}

/* ---- a pack ---- */

/* Returns whether the pack's `order` names the lab: 1, it does; 0, it names only others; -1, there
 * is no order or no pack. */
static int order_names(const char *folder, const char *id) {
    lib_message ignored;
    lab_pack *p = pack_read(folder, &ignored);
    int names = p && p->ordered ? 0 : -1;
    for (size_t i = 0; p && i < p->ordered; i++)
        if (!strcmp(p->labs[i].id, id)) names = 1;
    free(p);
    return names;
}

/* Returns the place after the last name of `order` if its line is as this command writes it, with
 * nothing but ids; NULL if the author has changed it. */
static const char *plain_order(const char *text) {
    static const char head[] = "\n  order = { \"";
    const char *p = strstr(text, head);
    if (!p || strstr(p + 1, head)) return NULL;
    for (p += strlen(head);;) {
        size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!n || p[n] != '"') return NULL;
        p += n + 1;
        if (!strncmp(p, " },\n", 4)) return p;
        if (strncmp(p, ", \"", 3) != 0) return NULL;
        p += 3;
    }
}

/* Adds a new lab to `order` if its line is as this command writes it; otherwise says that it is not
 * there. */
static void take_place(const char *folder, const char *id) {
    lib_message ignored;
    if (order_names(folder, id)) return;
    char *path = lib_path_join(folder, "pack.lua"), *text = lib_read_file(path, 0, NULL, &ignored);
    const char *end = text ? plain_order(text) : NULL;
    char *with = end ? lib_format("%.*s, \"%s\"%s", (int)(end - text), text, id, end) : NULL;
    bool placed = with && lib_write_file(path, with, strlen(with), &ignored);
    if (placed && order_names(folder, id) != 1) { /* the line was in a comment */
        lib_write_file(path, text, strlen(text), &ignored);
        placed = false;
    }
    cli_line(stdout, cli_language(), placed ? w_cli_new_in_order(id) : w_cli_new_not_in_order(id));
    free(with);
    free(text);
    free(path);
}

/* ---- for an editor's Lua server: the words of lessons and their meanings ---- */

/* Writes "uniform(from, to, ?count)" for the fields "from to ?count". */
static void stub_add(lib_buffer *b, const lesson_constructor *c) {
    lib_buffer_printf(b, "\n--- %s\n", c->doc);
    if (c->named) lib_buffer_printf(b, "--- Fields: %s.\n", c->named);
    if (c->form == FORM_TABLE) {
        lib_buffer_printf(b, "---@param fields table\n---@return table\nfunction %s(fields) end\n",
                          c->name);
        return;
    }
    lib_buffer names = {0};
    lib_buffer_puts(&names, "");
    bool optional = false;
    for (const char *s = c->fields; *s;) {
        optional = optional || *s == '?';
        s += *s == '?';
        size_t n = strcspn(s, " ");
        lib_buffer_printf(b, "---@param %.*s%s any\n", (int)n, s, optional ? "?" : "");
        lib_buffer_printf(&names, "%s%.*s", names.n ? ", " : "", (int)n, s);
        s += n + (s[n] == ' ');
    }
    lib_buffer_printf(b, "---@return %s\nfunction %s(%s) end\n",
                      c->form == FORM_CURRIED ? "fun(fields: table): table" : "table", c->name,
                      names.s);
    lib_buffer_free(&names);
}

static bool write_stubs(const char *home, lib_message *msg) {
    lib_buffer b = {0};
    lesson_constructor c;
    lib_buffer_puts(&b,
                    "---@meta\n-- The words of lessons, for editors; `warplab man lesson` is the "
                    "manual. Lessons do not read this.\n");
    for (size_t i = 0; lesson_constructor_at(i, &c); i++) stub_add(&b, &c);
    lib_buffer_puts(&b, "\n--- a divided by b, rounded up.\n---@param a number\n---@param b "
                        "number\n---@return number\nfunction ceil_div(a, b) end\n");
    bool ok = b.s && write_in(home, ".lua/lesson.lua", b.s, msg) &&
              write_in(home, ".luarc.json",
                       "{\n  \"runtime.version\": \"Lua 5.4\",\n  \"workspace.library\": "
                       "[\".lua\"]\n}\n",
                       msg);
    lib_buffer_free(&b);
    return ok;
}

static int new_pack(const lib_paths *p, const char *name, const char *first, lab_kind kind) {
    lib_message msg = {0};
    char here[4096];
    if (!lib_lab_id_valid(name) || strlen(name) >= LAB_PACK_MAX)
        return cli_fail(CLI_USAGE, w_cli_new_pack_name(name, LAB_PACK_MAX - 1));
    if (!lib_lab_id_valid(first) || strlen(name) + 1 + strlen(first) >= LAB_ID_MAX)
        return no_lab_id(first);
    if (!getcwd(here, sizeof here)) return cli_fail(CLI_ERROR, w_cli_no_current_folder(errno));
    char *home = lib_path_join(here, name);
    if (mkdir(home, 0755)) {
        int status = cli_fail(CLI_USAGE, w_cli_cannot_make_folder(home, errno));
        free(home);
        return status;
    }
    char *pack = lib_format(
        "-- The pack: what it is called, and in which order its labs come.\n"
        "return pack {\n"
        "  name = \"%s\",\n"
        "  title = { en = \"%s\", zh = \"%s\" },\n"
        "  version = \"0.1\",\n"
        "  needs = { warplab = \"%s\" },\n"
        "  order = { \"%s\" },\n"
        "  -- weights = { [\"%s\"] = 10 },                       points in the course's book\n"
        "  -- deadlines = { [\"%s\"] = \"2026-10-01 23:59\" },\n"
        "}\n",
        name, lib_word(LIB_EN, W_CLI_NEW_PACK_TITLE), lib_word(LIB_ZH, W_CLI_NEW_PACK_TITLE),
        lib_version(), first, first, first);
    int status = write_in(home, "pack.lua", pack, &msg) ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
    free(pack);
    if (status == CLI_PASSED) lib_print(stdout, "%s/pack.lua\n", home);
    if (status == CLI_PASSED && !write_stubs(home, &msg)) status = cli_say(CLI_ERROR, &msg);
    if (status == CLI_PASSED) status = new_lab(p, home, first, kind);
    pack_done d = {0};
    if (status == CLI_PASSED && !pack_add(home, NULL, true, &d, &msg))
        status = cli_say(CLI_FAILED, &msg);
    pack_done_free(&d);
    free(home);
    if (status != CLI_PASSED) return status;
    char *id = lib_format("%s/%s", name, first);
    puts("");
    cli_line(stdout, cli_language(), w_cli_new_pack_next(name));
    say_next(id);
    free(id);
    return status;
}

/* Makes PACK/LAB in the folder of a linked pack. */
static int new_in_pack(const lib_paths *p, const char *id, lab_kind kind) {
    char pack[LAB_PACK_MAX] = "";
    const char *slash = strchr(id, '/');
    if ((size_t)(slash - id) < sizeof pack)
        snprintf(pack, sizeof pack, "%.*s", (int)(slash - id), id);
    if (!lib_lab_id_valid(pack) || !lib_lab_id_valid(slash + 1) || strlen(id) >= LAB_ID_MAX)
        return cli_fail(CLI_USAGE, w_cli_new_lab_of_pack(id));
    if (!pack_is_linked(pack)) return cli_fail(CLI_USAGE, w_cli_new_no_pack_of_yours(pack));
    char *folder = pack_folder(pack);
    int status = new_lab(p, folder, slash + 1, kind);
    if (status == CLI_PASSED) take_place(folder, slash + 1);
    free(folder);
    if (status == CLI_PASSED) say_next(id);
    return status;
}

int cmd_new(int argc, char **argv) {
    const char *pack = NULL, *asked = kind_names[KIND_EXERCISE];
    const cli_option options[] = {
        {.name = "pack", .value = &pack}, {.name = "kind", .value = &asked}, {.name = NULL}};
    lab_kind kind = KIND_EXERCISE;
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    while (kind < KINDS && strcmp(asked, kind_names[kind]) != 0) kind++;
    if (kind == KINDS) return cli_fail(CLI_USAGE, w_cli_new_kind(asked));
    if (argc != 2 && !(pack && argc == 1)) return cli_fail(CLI_USAGE, w_cli_new_operands());
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    if (pack) return new_pack(p, pack, argc == 2 ? argv[1] : "first", kind);
    if (strchr(argv[1], '/')) return new_in_pack(p, argv[1], kind);
    if (!lib_lab_id_valid(argv[1])) return no_lab_id(argv[1]);
    if (p->installed && access(p->labs, W_OK))
        return cli_fail(CLI_ERROR, w_cli_new_not_writable(p->root, argv[1]));
    status = new_lab(p, p->root, argv[1], kind);
    if (status == CLI_PASSED) say_next(argv[1]);
    return status;
}
