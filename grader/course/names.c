/* Finds labs and students in a course's rules that do not exist. A misspelt name would change no
 * grade, and would not be noticed.
 *
 *   rules + the labs there are      --course_labs_known()--> an error, with the lab that was meant
 *   rules + manifest + OUT's roster --course_strangers()---> warnings: the student may come later
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "grader/course/policy.h"
#include "grader/intake/roster.h"
#include "words/course.h"

enum { STRANGERS = 20 }; /* at most this many have a line; the others are counted */

/* ---- labs ---- */

typedef struct {
    const char *const *lab;
    size_t count;
    lib_message *msg;
} lab_names;

static bool lab_known(const lab_names *t, const char *where, const char *id) {
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->lab[i], id)) return true;
    const char *near = lib_nearest(id, t->lab, t->count);
    lib_message_set(t->msg, near ? w_course_rule_no_lab_near(where, id, near)
                                 : w_course_rule_no_lab(where, id));
    return false;
}

static bool labs_known(const policy *p, const lab_names *t) {
    char where[160];
    for (size_t i = 0; i < p->labs; i++) {
        SAY(where, "labs[\"%.60s\"]", p->lab[i].lab);
        if (!lab_known(t, where, p->lab[i].lab)) return false;
    }
    for (size_t i = 0; i < p->extensions; i++) {
        const policy_extension *e = &p->extension[i];
        SAY(where, "extensions[\"%.60s\"]", e->student);
        if (e->lab && !lab_known(t, where, e->lab)) return false;
    }
    for (size_t i = 0; i < p->files; i++) {
        SAY(where, "files[\"%.60s\"]", p->file[i].file);
        if (*p->file[i].lab && !lab_known(t, where, p->file[i].lab)) return false;
    }
    return true;
}

bool course_labs_known(const char *rules, const char *const *labs, size_t n, lib_message *msg) {
    lab_names t = {labs, n, msg};
    policy p;
    lib_message ignored = {0};
    json_t *json = json_loads(rules, 0, NULL);
    bool read = json && policy_read(json, &p, &ignored), ok = !read || labs_known(&p, &t);
    if (read) policy_free(&p);
    json_decref(json);
    return ok;
}

/* ---- students ---- */

typedef struct {
    const store_manifest *m;
    roster people;
    const char **name; /* all known names, for suggestions */
    size_t count;
} student_names;

static void read_roster(roster *people, const char *out) {
    char path[4200];
    lib_message ignored;
    *people = (roster){0};
    SAY(path, "%s/roster.csv", out);
    if (!access(path, R_OK) && !roster_read(path, 0, people, &ignored)) *people = (roster){0};
}

/* Returns false if memory ran out. */
static bool students_read(student_names *t, const store_manifest *m, const char *out) {
    t->m = m;
    read_roster(&t->people, out);
    t->name = calloc(m->count + t->people.count * ROSTER_IDS + 1, sizeof *t->name);
    for (size_t i = 0; t->name && i < m->count; i++) t->name[t->count++] = m->entry[i].student;
    for (size_t i = 0; t->name && i < t->people.count; i++)
        for (unsigned k = 0; k < t->people.person[i].count; k++)
            t->name[t->count++] = t->people.person[i].id[k];
    return t->name != NULL;
}

static bool student_known(const student_names *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (!strcasecmp(t->name[i], name)) return true;
    for (size_t i = 0; i < t->m->count; i++)
        if (policy_is_student(&t->m->entry[i], name)) return true;
    return false;
}

static void put_strangers(lib_buffer *b, const policy *p, const student_names *t, lib_lang lang) {
    size_t told = 0;
    const char *before = "";
    for (size_t i = 0; i < p->extensions; i++) {
        const char *name = p->extension[i].student;
        if (!strcmp(before, name) || student_known(t, name)) continue;
        before = name;
        if (told++ >= STRANGERS) continue;
        const char *near = lib_nearest(name, t->name, t->count);
        lib_words_put(b, lang, near ? w_course_stranger_near(name, near) : w_course_stranger(name));
        lib_buffer_puts(b, "\n");
    }
    if (told > STRANGERS) {
        lib_words_put(b, lang, w_course_more_strangers((long long)(told - STRANGERS)));
        lib_buffer_puts(b, "\n");
    }
}

char *course_strangers(const char *out, const char *rules, lib_lang lang) {
    lib_buffer b = {0};
    lib_message ignored = {0};
    store_manifest m = {0};
    policy p = {0};
    student_names t = {0};
    int fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && policy_load(&p, fd, rules, NULL, &ignored) && p.extensions &&
              manifest_load(&m, fd, &ignored) && students_read(&t, &m, out);
    lib_buffer_puts(&b, "");
    if (ok) put_strangers(&b, &p, &t, lang);
    if (fd >= 0) close(fd);
    free(t.name);
    roster_free(&t.people);
    manifest_free(&m);
    policy_free(&p);
    return lib_buffer_take(&b);
}
