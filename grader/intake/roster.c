/* See roster.h. */
#include "grader/intake/roster.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "grader/intake/when.h"

typedef enum { ROLE_ID, ROLE_NUMBERED, ROLE_NAME, ROLE_FIRST, ROLE_LAST, ROLE_TIME } column_role;
/* In the order in which a person's name for reports is chosen. NUMBERED: "Participant 4321" is 4321
 * too, as Moodle's folders have it. */
static const struct {
    const char *heading;
    column_role role;
} columns[] = {
    {"student", ROLE_ID},          /* a course's own; Canvas calls a name so: see below */
    {"login", ROLE_ID},            /* a course's own */
    {"SIS Login ID", ROLE_ID},     /* Canvas */
    {"Username", ROLE_ID},         /* Moodle, PrairieLearn */
    {"identifier", ROLE_NUMBERED}, /* GitHub Classroom; Moodle's worksheet, see below */
    {"UID", ROLE_ID},              /* PrairieLearn */
    {"idnumber", ROLE_ID},         /* Moodle */
    {"ID number", ROLE_ID},        /* Moodle */
    {"SIS User ID", ROLE_ID},      /* Canvas */
    {"SID", ROLE_ID},              /* Gradescope */
    {"Student ID", ROLE_ID},       /* Gradescope */
    {"UIN", ROLE_ID},              /* PrairieLearn */
    {"Email address", ROLE_ID},    /* Moodle */
    {"Email", ROLE_ID},            /* Gradescope, a course's own */
    {"ID", ROLE_ID},               /* Canvas, a course's own */
    {"github_username", ROLE_ID},  /* GitHub Classroom */
    {"github_id", ROLE_ID},        /* GitHub Classroom */
    {"Full name", ROLE_NAME},      /* Moodle */
    {"Name", ROLE_NAME},           /* Gradescope, PrairieLearn, GitHub Classroom */
    {"First Name", ROLE_FIRST},    /* Gradescope, Moodle's participants */
    {"Last Name", ROLE_LAST},      /* Gradescope */
    {"Last modified (submission)", ROLE_TIME},
    {"最后修改（提交）", ROLE_TIME},
    {"学号", ROLE_ID},
    {"姓名", ROLE_NAME},
    {"全名", ROLE_NAME},
    {"电子邮件地址", ROLE_ID},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

void roster_free(roster *r) {
    for (size_t i = 0; i < r->count; i++) {
        for (unsigned k = 0; k < r->person[i].count; k++) free(r->person[i].id[k]);
        free(r->person[i].name);
    }
    free(r->person);
    csv_free(&r->table);
    *r = (roster){0};
}

static void add_id(roster_person *p, const char *text) {
    if (!*text || p->count == ROSTER_IDS) return;
    for (unsigned k = 0; k < p->count; k++)
        if (!strcasecmp(p->id[k], text)) return;
    if ((p->id[p->count] = strdup(text))) p->count++;
}

static void add_name(roster_person *p, const char *text) {
    lib_buffer b = {0};
    lib_buffer_printf(&b, "%s%s%s", p->name ? p->name : "", p->name && *p->name && *text ? " " : "",
                      text);
    free(p->name);
    p->name = lib_buffer_take(&b);
}

static void read_person(const roster *r, const csv_row *row, const size_t at[COLUMNS], int zone,
                        roster_person *p) {
    bool canvas = csv_column(&r->table, "SIS Login ID") != SIZE_MAX ||
                  csv_column(&r->table, "SIS User ID") != SIZE_MAX;
    for (size_t k = 0; k < COLUMNS; k++) {
        const char *cell = csv_cell(row, at[k]);
        if (at[k] == SIZE_MAX || !*cell) continue;
        size_t digits = strlen(cell);
        switch (columns[k].role) {
        case ROLE_ID:
            if (k || !canvas) add_id(p, cell);
            else add_name(p, cell);
            break;
        case ROLE_NUMBERED:
            if (r->worksheet) {
                while (digits && isdigit((unsigned char)cell[digits - 1])) digits--;
                add_id(p, cell + digits);
            } else add_id(p, cell);
            break;
        case ROLE_NAME:
        case ROLE_FIRST:
        case ROLE_LAST: add_name(p, cell); break;
        case ROLE_TIME: p->submitted = p->submitted || when_read(cell, zone, &p->time); break;
        }
    }
    /* A worksheet's number says nothing to a person; the e-mail address behind it does. */
    p->student = p->count > 1 && r->worksheet ? p->id[1] : p->count ? p->id[0] : NULL;
    if (!p->name) p->name = strdup("");
}

static bool read_people(roster *r, int zone, lib_message *msg) {
    size_t at[COLUMNS], known = 0;
    for (size_t k = 0; k < COLUMNS; k++) {
        at[k] = csv_column(&r->table, columns[k].heading);
        known += at[k] != SIZE_MAX && columns[k].role != ROLE_TIME;
    }
    /* A worksheet has one Grade; so has a column that a Chinese Moodle calls by its own name. */
    r->worksheet =
        csv_column(&r->table, "identifier") != SIZE_MAX &&
        (csv_column(&r->table, "Grade") != SIZE_MAX || csv_column(&r->table, "成绩") != SIZE_MAX ||
         csv_column(&r->table, "Full name") != SIZE_MAX);
    if (!known) {
        lib_message_set2(
            msg,
            "%s has none of the columns that name a student: expected one of SIS Login ID, "
            "idnumber, Email address, Identifier, UID, SID, github_username, student, ...",
            "%s 中没有标明学生的列：应有 SIS Login ID、idnumber、Email address、Identifier、UID、"
            "SID、github_username、student 等之一",
            r->path);
        return false;
    }
    r->person = calloc(r->table.count + 1, sizeof *r->person);
    for (size_t i = 1; r->person && i < r->table.count; i++) {
        roster_person *p = &r->person[r->count];
        p->row = i;
        read_person(r, &r->table.row[i], at, zone, p);
        /* Canvas puts the points possible into a row of their own. */
        bool points = p->name && strstr(p->name, "Points Possible");
        if (!points) r->count++;
        else {
            for (unsigned k = 0; k < p->count; k++) free(p->id[k]);
            free(p->name);
            *p = (roster_person){0};
        }
    }
    if (!r->person) lib_message_set2(msg, "out of memory", "内存不足");
    return r->person != NULL;
}

bool roster_read(const char *path, int zone, roster *r, lib_message *msg) {
    size_t n;
    lib_message why = {0};
    *r = (roster){0};
    SAY(r->path, "%s", path);
    char *text = lib_read_file(path, (size_t)64 << 20, &n, &why);
    bool ok = text && csv_read(text, &r->table);
    if (!text) lib_message_set2(msg, "cannot read the roster %s", "无法读取名册 %s", path);
    else if (!ok) lib_message_set2(msg, "out of memory", "内存不足");
    ok = ok && read_people(r, zone, msg);
    free(text);
    if (!ok) roster_free(r);
    return ok;
}

static bool same_id(const char *a, const char *b) {
    const char *x = strchr(a, '@'), *y = strchr(b, '@');
    if (!strcasecmp(a, b)) return true;
    if (!x == !y) return false;
    size_t n = x ? (size_t)(x - a) : (size_t)(y - b);
    return n && !strncasecmp(a, b, n) && strlen(x ? b : a) == n;
}

/* "Doe, Jane" and "doejane": letters alone. */
static bool same_name(const char *a, const char *b) {
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a) && (unsigned char)*a < 0x80) a++;
        while (*b && !isalnum((unsigned char)*b) && (unsigned char)*b < 0x80) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

static bool is_person(const roster_person *p, const char *const *ids, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < p->count; k++)
            if (*ids[i] && same_id(p->id[k], ids[i])) return true;
    return false;
}

const roster_person *roster_find(const roster *r, const char *const *ids, size_t count,
                                 const char *name, bool *several) {
    const roster_person *found = NULL;
    *several = false;
    if (!r->person) return NULL; /* no roster was given */
    for (int by_name = 0; by_name < 2 && !found && !*several; by_name++)
        for (size_t i = 0; i < r->count; i++) {
            const roster_person *p = &r->person[i];
            bool hit =
                by_name ? *name && *p->name && same_name(p->name, name) : is_person(p, ids, count);
            if (!hit) continue;
            if (found) *several = true;
            else found = p;
        }
    return *several ? NULL : found;
}
