/* `warplab export PACK DIR [--labs LAB,...] [--only en|zh]`: exports a course for handing out.
 *
 *   pack --the chosen labs, and pack.lua for them--> both
 *        --everything------------------------------------------> DIR/grader/NAME
 *        --without answers, traps, `hidden` of each lesson-----> DIR/students/NAME
 *
 * Answers stay in DIR/students if pack.lua locks them. With --only, the students' lessons and
 * sources have only the texts of this language. The export is loaded again before success is
 * reported: every lab must be as before, and none may have hidden cases. An earlier export of the
 * same pack is replaced. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/say.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/twins.h"
#include "runner/pack/pack.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

enum { LESSON_BYTES = 1 << 20 };

/* ---- a lesson without a field ---- */

/* Returns what follows a string or comment that begins at p; p if there is none. */
static const char *skip_quoted(const char *p) {
    const char *s = p;
    bool comment = s[0] == '-' && s[1] == '-';
    if (comment) s += 2;
    if (*s == '[') {
        size_t level = strspn(s + 1, "=");
        if (s[1 + level] == '[') { /* [[ ... ]], [=[ ... ]=] */
            for (s += 2 + level; *s; s++)
                if (*s == ']' && strspn(s + 1, "=") == level && s[1 + level] == ']')
                    return s + 2 + level;
            return s;
        }
    }
    if (comment) return s + strcspn(s, "\n");
    if (*p != '"' && *p != '\'') return p;
    for (s = p + 1; *s && *s != *p && *s != '\n'; s++)
        if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
}

static const char *skip_space(const char *p) {
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] != '-' || p[1] != '-') return p;
        p = skip_quoted(p);
    }
}

/* Finds the field `name = ...` in the table of lab { ... }: its beginning, and the place after its
 * comma. */
static bool find_field(const char *text, const char *name, const char **from, const char **to) {
    int depth = 0, lab_depth = -1;
    *from = NULL;
    for (const char *p = text; *p;) {
        const char *q = skip_quoted(p);
        if (q != p) {
            p = q;
            continue;
        }
        bool inside = depth == lab_depth;
        if (strchr("{([", *p)) depth++;
        if (strchr("})]", *p)) depth--;
        if (*from && ((inside && strchr(",;", *p)) || depth < lab_depth)) {
            *to = depth < lab_depth ? p : p + 1;
            return true;
        }
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
        const char *next = n ? skip_space(p + n) : p;
        if (n == 3 && !strncmp(p, "lab", n) && *next == '{' && lab_depth < 0) lab_depth = depth + 1;
        if (n == strlen(name) && inside && !strncmp(p, name, n) && *next == '=' && next[1] != '=')
            *from = p;
        p += n ? n : 1;
    }
    return false;
}

static char *without_field(const char *text, const char *name) {
    const char *from, *to;
    if (!find_field(text, name, &from, &to)) return lib_strdup(text);
    return lib_format("%.*s%s", (int)(from - text), text, to);
}

/* Returns the lesson without the texts of a language: without the fields `name = ...` of all
 * tables. */
static char *without_texts(const char *text, const char *name) {
    lib_buffer out = {0};
    const char *p = text;
    size_t braces = 0, length = strlen(name);
    lib_buffer_puts(&out, "");
    while (*p) {
        const char *q = skip_quoted(p);
        size_t n = 0;
        if (q == p)
            while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
        const char *next = n ? skip_space(p + n) : p;
        if (*p == '{' && q == p) braces++;
        if (*p == '}' && q == p && braces) braces--;
        if (braces && n == length && !strncmp(p, name, n) && *next == '=' && next[1] != '=') {
            int depth = 0;
            for (p = next; *p && !(depth == 0 && strchr(",;}", *p)); p = q > p ? q : p + 1) {
                q = skip_quoted(p);
                if (q == p && strchr("{([", *p)) depth++;
                if (q == p && strchr("})]", *p)) depth--;
            }
            if (*p && *p != '}') p++;
            p += strspn(p, " \t");
            continue;
        }
        if (q == p) q = p + (n ? n : 1);
        lib_buffer_add(&out, p, (size_t)(q - p));
        p = q;
    }
    return out.s;
}

/* ---- which labs, which language ---- */

typedef struct {
    const char *labs; /* "first,second"; NULL: all */
    lab_only only;
} selection;

static bool is_chosen(const selection *c, const char *id) {
    size_t n = strlen(id);
    bool chosen = !c->labs;
    for (const char *p = c->labs; p && *p && !chosen; p += *p == ',') {
        size_t k = strcspn(p, ",");
        chosen = k == n && !strncmp(p, id, n);
        p += k;
    }
    return chosen;
}

/* Checks that each name of --labs is a lab of the pack, and that the labs on which they build are
 * chosen, too. */
static bool selection_sound(const selection *c, const char *folder, const lab_pack *p,
                            lib_message *msg) {
    for (const char *s = c->labs; s && *s; s += *s == ',') {
        int n = (int)strcspn(s, ",");
        bool there = false;
        for (size_t i = 0; i < p->lab_count; i++)
            there |= (int)strlen(p->labs[i].id) == n && !strncmp(p->labs[i].id, s, (size_t)n);
        if (!there) {
            char *found = lib_format("%.*s", n, s);
            lib_message_set(
                msg, w_cli_export_no_lab(p->name, p->lab_count ? p->labs[0].id : "first", found));
            free(found);
            return false;
        }
        s += n;
    }
    size_t before = strlen(p->name);
    for (size_t i = 0; i < p->lab_count; i++) {
        if (!c->labs || !is_chosen(c, p->labs[i].id)) continue;
        lab *l = lab_load_from(folder, p->name, p->labs[i].id, msg);
        bool ok = l != NULL;
        for (size_t k = 0; ok && k < l->need_count; k++) {
            const char *need = l->needs[k];
            ok = strncmp(need, p->name, before) != 0 || need[before] != '/' ||
                 is_chosen(c, need + before + 1);
            if (!ok)
                lib_message_set(msg, w_cli_export_left_out_below(p->labs[i].id, need + before + 1));
        }
        lab_free(l);
        if (!ok) return false;
    }
    return true;
}

static void put_quoted(lib_buffer *b, const char *text) {
    lib_buffer_puts(b, "\"");
    for (; *text; text++)
        lib_buffer_printf(b, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    lib_buffer_puts(b, "\"");
}

/* Makes pack.lua for the chosen labs. `only`: the language of the export. */
static char *pack_text(const selection *c, const lab_pack *p, lab_only only) {
    static const char *const names[] = {"en", "zh"};
    lib_buffer b = {0};
    lib_buffer_printf(&b, "return pack {\n  name = \"%s\",\n  title = {", p->name);
    for (int i = 0; i < LIB_LANGS; i++) {
        if (only && i + 1 != (int)only) continue;
        lib_buffer_printf(&b, " %s = ", names[i]);
        put_quoted(&b, p->title[i]);
        lib_buffer_puts(&b, ",");
    }
    lib_buffer_printf(&b, " },\n  version = \"%s\",\n", p->version);
    if (only) lib_buffer_printf(&b, "  language = \"%s\",\n", names[only - 1]);
    lib_buffer_puts(&b, "  needs = {");
    for (size_t i = 0; i < p->need_count; i++)
        lib_buffer_printf(&b, " [\"%s\"] = \"%s\",", p->needs[i].name, p->needs[i].version);
    lib_buffer_puts(&b, " },\n  order = {");
    for (size_t i = 0; i < p->ordered; i++)
        if (is_chosen(c, p->labs[i].id)) lib_buffer_printf(&b, " \"%s\",", p->labs[i].id);
    lib_buffer_puts(&b, " },\n  weights = {");
    for (size_t i = 0; i < p->lab_count; i++)
        if (is_chosen(c, p->labs[i].id) && p->labs[i].points > 0)
            lib_buffer_printf(&b, " [\"%s\"] = %.17g,", p->labs[i].id, p->labs[i].points);
    lib_buffer_puts(&b, " },\n  deadlines = {");
    for (size_t i = 0; i < p->lab_count; i++)
        if (is_chosen(c, p->labs[i].id) && *p->labs[i].deadline)
            lib_buffer_printf(&b, " [\"%s\"] = \"%s\",", p->labs[i].id, p->labs[i].deadline);
    lib_buffer_puts(&b, " },\n");
    if (*p->answers) lib_buffer_printf(&b, "  answers = \"%s\",\n", p->answers);
    lib_buffer_puts(&b, "}\n");
    return b.s;
}

/* Removes from the copied pack what is not chosen. */
static bool keep_chosen(const selection *c, const lab_pack *p, const char *folder, lab_only only,
                        lib_message *msg) {
    static const char *const places[] = {"labs/%s.lua", "labs/%s.cu", "kernels/%s.cu",
                                         "answers/%s.cu", "answers/traps/%s"};
    for (size_t i = 0; i < p->lab_count; i++) {
        for (size_t k = 0; !is_chosen(c, p->labs[i].id) && k < sizeof places / sizeof *places;
             k++) {
            char name[LAB_ID_MAX + 20];
            const char *mark = strchr(places[k], '%');
            snprintf(name, sizeof name, "%.*s%s%s", (int)(mark - places[k]), places[k],
                     p->labs[i].id, mark + 2);
            char *path = lib_path_join(folder, name);
            if (lib_is_folder(path)) lib_remove_tree(path);
            else unlink(path);
            free(path);
        }
    }
    if (!c->labs && only == p->only) return true;
    char *path = lib_path_join(folder, "pack.lua"), *text = pack_text(c, p, only);
    bool ok = lib_write_file(path, text, strlen(text), msg);
    free(text);
    free(path);
    return ok;
}

/* ---- the two folders ---- */

/* Leaves only the comments of one language in the lab's sources. */
static bool hand_out_sources(const char *folder, const char *id, lib_lang lang, lib_message *msg) {
    static const char *const places[] = {"labs", "kernels", "answers"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof places / sizeof *places; i++) {
        char *path = lib_format("%s/%s/%s.cu", folder, places[i], id);
        char *text = lib_is_file(path) ? lib_read_file(path, LESSON_BYTES, NULL, msg) : NULL;
        char *one = text ? twins_in(text, lang) : NULL;
        ok = !lib_is_file(path) || (one && lib_write_file(path, one, strlen(one), msg));
        free(one);
        free(text);
        free(path);
    }
    return ok;
}

static bool hand_out_lab(const char *folder, const lab_pack *p, const char *id, lab_only only,
                         lib_message *msg) {
    char *path = lib_format("%s/labs/%s.lua", folder, id),
         *text = lib_read_file(path, LESSON_BYTES, NULL, msg);
    char *less = text ? without_field(text, "hidden") : NULL;
    if (less && only) {
        char *both = less;
        less = without_texts(both, only == LAB_ONLY_EN ? "zh" : "en");
        free(both);
    }
    bool ok = less &&
              (!only || hand_out_sources(folder, id, only == LAB_ONLY_EN ? LIB_EN : LIB_ZH, msg)) &&
              lib_write_file(path, less, strlen(less), msg);
    lab *l = ok ? lab_load_from(folder, p->name, id, msg) : NULL;
    ok = l != NULL;
    if (ok && (l->grade.hidden_cases || l->grade.range_count)) {
        lib_message_set(msg, w_cli_export_hidden_cases(id));
        ok = false;
    }
    lab_free(l);
    free(less);
    free(text);
    free(path);
    return ok;
}

static bool hand_out(const char *from, const lab_pack *p, const selection *c, const char *to,
                     lib_message *msg) {
    lab_only only = c->only ? c->only : p->only;
    char *answers = lib_path_join(to, "answers"), *traps = lib_path_join(answers, "traps");
    bool ok = pack_copy(from, to, msg) && keep_chosen(c, p, to, only, msg);
    lib_remove_tree(traps);
    if (!*p->answers) lib_remove_tree(answers);
    for (size_t i = 0; ok && i < p->lab_count; i++)
        ok = !is_chosen(c, p->labs[i].id) || hand_out_lab(to, p, p->labs[i].id, c->only, msg);
    free(traps);
    free(answers);
    return ok;
}

static bool write_readme(const char *dir, const lab_pack *p, lib_message *msg) {
    char *path = lib_path_join(dir, "README.md");
    char *text = lib_format(
        "# %s %s\n\n"
        "`students/%s` is for students: no traps, no hidden cases, %s. They install it with\n\n"
        "    warplab pack add students/%s\n\n"
        "The answers to questions stand in the lessons, since the prompt judges them.\n\n"
        "`grader/%s` is all of it, for the machine that grades. Keep it to yourself.\n\n"
        "    warplab pack add grader/%s\n"
        "    warplab grade --batch SUBMISSIONS --out OUT --pack %s\n",
        p->title[LIB_EN], p->version, p->name,
        *p->answers ? "model answers that `answer` keeps locked (whoever reads files can read them)"
                    : "no answers",
        p->name, p->name, p->name, p->name);
    bool ok = lib_write_file(path, text, strlen(text), msg);
    free(text);
    free(path);
    return ok;
}

/* Returns whether `dir`/`part` contains a pack `name` and nothing else. */
static bool holds_only(const char *dir, const char *part, const char *name) {
    char *folder = lib_path_join(dir, part), *pack = lib_format("%s/%s/pack.lua", folder, name);
    size_t n = 0;
    char **there = lib_folder_names(folder, &n);
    bool only = n == 1 && !strcmp(there[0], name) && lib_is_file(pack);
    lib_lab_names_free(there, n);
    free(pack);
    free(folder);
    return only;
}

/* Returns whether `dir` may be written: it is empty or missing, or contains only an earlier export
 * of this pack. */
static bool may_write(const char *dir, const char *name) {
    size_t n = 0;
    char **there = lib_folder_names(dir, &n);
    bool ours = true;
    for (size_t i = 0; ours && i < n; i++)
        ours = !strcmp(there[i], "README.md") || !strcmp(there[i], "grader") ||
               !strcmp(there[i], "students");
    ours = ours && n == 3 && holds_only(dir, "grader", name) && holds_only(dir, "students", name);
    lib_lab_names_free(there, n);
    return ours || !n;
}

/* Moves `from`/PART/NAME to `dir`/PART/NAME. Keeps what was there in `from`/old-PART. */
static bool swap_part(const char *from, const char *dir, const char *part, const char *name,
                      lib_message *msg) {
    char *made = lib_format("%s/%s/%s", from, part, name), *folder = lib_path_join(dir, part),
         *place = lib_path_join(folder, name), *old = lib_format("%s/old-%s", from, part);
    bool ok = lib_make_folders(folder, msg);
    if (ok && ((rename(place, old) && errno != ENOENT) || rename(made, place))) {
        lib_message_set(msg, w_cli_cannot_write(place, errno));
        ok = false;
    }
    free(old);
    free(place);
    free(folder);
    free(made);
    return ok;
}

/* Makes the export in a scratch folder first, so that an incomplete export is never handed out. */
static int export_to(const char *from, const lab_pack *p, const selection *c, const char *dir,
                     lib_lang lang) {
    lib_message msg = {0};
    lib_scratch s = {0};
    bool ok = selection_sound(c, from, p, &msg) && lib_scratch_make(&s, dir, &msg);
    char *students = ok ? lib_format("%s/students/%s", s.path, p->name) : NULL,
         *grader = ok ? lib_format("%s/grader/%s", s.path, p->name) : NULL;
    ok = ok && pack_copy(from, grader, &msg) && keep_chosen(c, p, grader, p->only, &msg) &&
         hand_out(from, p, c, students, &msg) && swap_part(s.path, dir, "grader", p->name, &msg) &&
         swap_part(s.path, dir, "students", p->name, &msg) && write_readme(dir, p, &msg);
    if (ok)
        cli_line(
            stdout, lang,
            w_cli_export_made((lib_texts){{p->title[LIB_EN], p->title[LIB_ZH]}}, dir, p->name));
    free(grader);
    free(students);
    lib_scratch_remove(&s);
    return ok ? CLI_PASSED : cli_say(CLI_FAILED, &msg);
}

int cmd_export(int argc, char **argv) {
    const char *only = NULL;
    lib_lang lang;
    selection c = {0};
    const cli_option options[] = {{.name = "lang", .lang = &lang},
                                  {.name = "labs", .value = &c.labs},
                                  {.name = "only", .value = &only},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (only && strcmp(only, "en") != 0 && strcmp(only, "zh") != 0)
        return cli_fail(CLI_USAGE, w_cli_export_only(only));
    if (only) c.only = strcmp(only, "en") ? LAB_ONLY_ZH : LAB_ONLY_EN;
    if (argc != 3) return cli_fail(CLI_USAGE, w_cli_export_operands());
    char *folder = lib_lab_id_valid(argv[1]) ? pack_folder(argv[1]) : NULL;
    if (!folder || !lib_is_folder(folder)) {
        free(folder);
        folder = lib_strdup(argv[1]);
    }
    lab_pack *p = pack_read(folder, &msg);
    if (!p) status = cli_say(CLI_USAGE, &msg);
    else if (may_write(argv[2], p->name)) status = export_to(folder, p, &c, argv[2], lang);
    else status = cli_fail(CLI_USAGE, w_cli_export_holds_more(argv[2], p->name));
    free(p);
    free(folder);
    return status;
}
