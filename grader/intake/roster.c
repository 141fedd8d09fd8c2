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
#include "words/intake.h"
#include "words/said.h"

typedef enum { ROLE_ID, ROLE_NUMBERED, ROLE_NAME, ROLE_FIRST, ROLE_LAST, ROLE_TIME } column_role;
/* In the order in which a person's name for reports is chosen. NUMBERED: "Participant 4321" also
 * means 4321, the number in Moodle's folders. */
static const struct {
    const char *heading;
    column_role role;
    lib_word_id word; /* the heading in other languages, or 0 */
} columns[] = {
    {"student", ROLE_ID, 0},          /* a course's own; in Canvas a name: see below */
    {"login", ROLE_ID, 0},            /* a course's own */
    {"SIS Login ID", ROLE_ID, 0},     /* Canvas */
    {"Username", ROLE_ID, 0},         /* Moodle, PrairieLearn, Brightspace */
    {"identifier", ROLE_NUMBERED, 0}, /* GitHub Classroom; Moodle's worksheet, see below */
    {"UID", ROLE_ID, 0},              /* PrairieLearn */
    {"OrgDefinedId", ROLE_ID, 0},     /* Brightspace */
    {"idnumber", ROLE_ID, 0},         /* Moodle */
    {"ID number", ROLE_ID, 0},        /* Moodle */
    {"SIS User ID", ROLE_ID, 0},      /* Canvas */
    {"SID", ROLE_ID, 0},              /* Gradescope */
    {"Student ID", ROLE_ID, W_INTAKE_HEADING_STUDENT_ID}, /* Gradescope */
    {"UIN", ROLE_ID, 0},                                  /* PrairieLearn */
    {"Email address", ROLE_ID, W_INTAKE_HEADING_EMAIL},   /* Moodle */
    {"Email", ROLE_ID, 0},                                /* Gradescope, a course's own */
    {"ID", ROLE_ID, 0},                                   /* Canvas, a course's own */
    {"github_username", ROLE_ID, 0},                      /* GitHub Classroom */
    {"github_id", ROLE_ID, 0},                            /* GitHub Classroom */
    {"Full name", ROLE_NAME, W_INTAKE_HEADING_FULL_NAME}, /* Moodle */
    {"Name", ROLE_NAME, W_INTAKE_HEADING_NAME}, /* Gradescope, PrairieLearn, GitHub Classroom */
    {"First Name", ROLE_FIRST, 0},              /* Gradescope, Moodle's participants */
    {"Last Name", ROLE_LAST, 0},                /* Gradescope */
    {"Last modified (submission)", ROLE_TIME, W_INTAKE_HEADING_LAST_MODIFIED},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* How a name is looked up. An id: in lower case, whole, and the part before its @. A person's name,
 * "Doe, Jane" or "doejane": only its letters and digits. */
typedef enum { KEY_ID, KEY_ADDRESS, KEY_BEFORE_AT, KEY_NAME } key_kind;
struct roster_key {
    char *text;
    key_kind kind;
    size_t person;
};

void roster_free(roster *r) {
    for (size_t i = 0; i < r->count; i++) {
        for (unsigned k = 0; k < r->person[i].count; k++) free(r->person[i].id[k]);
        free(r->person[i].name);
    }
    for (size_t i = 0; i < r->keys; i++) free(r->key[i].text);
    free(r->key);
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

size_t roster_column(const csv_table *t, const char *heading, lib_word_id word) {
    size_t at = csv_column(t, heading);
    for (int l = 0; word && at == SIZE_MAX && l < LIB_LANGS; l++)
        at = csv_column(t, lib_word((lib_lang)l, word));
    return at;
}

static void read_person(const roster *r, const csv_row *row, const size_t at[COLUMNS], int zone,
                        roster_person *p) {
    bool canvas = csv_column(&r->table, "SIS Login ID") != SIZE_MAX ||
                  csv_column(&r->table, "SIS User ID") != SIZE_MAX,
         brightspace = csv_column(&r->table, "OrgDefinedId") != SIZE_MAX ||
                       csv_column(&r->table, "End-of-Line Indicator") != SIZE_MAX;
    for (size_t k = 0; k < COLUMNS; k++) {
        const char *cell = csv_cell(row, at[k]);
        /* Brightspace writes #, so that spreadsheets keep leading zeros. */
        if (brightspace && *cell == '#') cell++;
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
    /* The number in a worksheet means nothing to people; the e-mail address that follows does. */
    p->student = p->count > 1 && r->worksheet ? p->id[1] : p->count ? p->id[0] : NULL;
    if (!p->name) p->name = strdup("");
}

static bool read_people(roster *r, int zone, lib_message *msg) {
    size_t at[COLUMNS], known = 0;
    for (size_t k = 0; k < COLUMNS; k++) {
        at[k] = roster_column(&r->table, columns[k].heading, columns[k].word);
        known += at[k] != SIZE_MAX && columns[k].role != ROLE_TIME;
    }
    /* Only a worksheet has a Grade column. */
    r->worksheet = csv_column(&r->table, "identifier") != SIZE_MAX &&
                   (roster_column(&r->table, "Grade", W_INTAKE_HEADING_GRADE) != SIZE_MAX ||
                    csv_column(&r->table, "Full name") != SIZE_MAX);
    if (!known) {
        lib_message_set(msg, w_intake_no_student_column(r->path));
        return false;
    }
    r->person = calloc(r->table.count + 1, sizeof *r->person);
    for (size_t i = 1; r->person && i < r->table.count; i++) {
        roster_person *p = &r->person[r->count];
        p->row = i;
        read_person(r, &r->table.row[i], at, zone, p);
        /* Canvas has a row with the points possible. */
        bool points = p->name && strstr(p->name, "Points Possible");
        if (!points) r->count++;
        else {
            for (unsigned k = 0; k < p->count; k++) free(p->id[k]);
            free(p->name);
            *p = (roster_person){0};
        }
    }
    if (!r->person) lib_message_set(msg, w_said_out_of_memory());
    return r->person != NULL;
}

bool roster_nobody(const roster_person *p) {
    return !strcmp(p->name, "Student, Test") || !strcmp(p->name, "Test Student");
}

/* ---- who is who ---- */

static char *lowered(const char *s, size_t n) {
    char *to = strndup(s, n);
    for (char *p = to; p && *p; p++) *p = (char)tolower((unsigned char)*p);
    return to;
}

static char *letters_of(const char *name) {
    char *to = lowered(name, strlen(name)), *end = to;
    for (const char *p = to; p && *p; p++)
        if (isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80) *end++ = *p;
    if (to) *end = 0;
    return to;
}

static int by_key(const void *a, const void *b) {
    const roster_key *x = a, *y = b;
    int c = (x->kind > y->kind) - (x->kind < y->kind);
    if (!c) c = strcmp(x->text, y->text);
    return c ? c : (x->person > y->person) - (x->person < y->person);
}

static bool add_key(roster *r, char *text, key_kind kind, size_t person) {
    bool ok = text && lib_grow_one(&r->key, r->keys, sizeof *r->key);
    if (ok) r->key[r->keys++] = (roster_key){text, kind, person};
    else free(text);
    return ok;
}

static bool make_keys(roster *r) {
    bool ok = true;
    for (size_t i = 0; ok && i < r->count; i++) {
        const roster_person *p = &r->person[i];
        for (unsigned k = 0; ok && k < p->count; k++) {
            const char *id = p->id[k], *at = strchr(id, '@');
            ok = add_key(r, lowered(id, strlen(id)), at ? KEY_ADDRESS : KEY_ID, i) &&
                 (!at || add_key(r, lowered(id, (size_t)(at - id)), KEY_BEFORE_AT, i));
        }
        ok = ok && (!*p->name || add_key(r, letters_of(p->name), KEY_NAME, i));
    }
    if (r->keys) qsort(r->key, r->keys, sizeof *r->key, by_key);
    return ok;
}

bool roster_read(const char *path, int zone, roster *r, lib_message *msg) {
    size_t n;
    lib_message why = {0};
    *r = (roster){0};
    SAY(r->path, "%s", path);
    char *text = lib_read_file(path, (size_t)64 << 20, &n, &why);
    bool ok = text && csv_read(text, &r->table);
    if (!text) lib_message_set(msg, w_intake_roster_not_readable(path));
    else if (!ok) lib_message_set(msg, w_said_out_of_memory());
    ok = ok && read_people(r, zone, msg);
    if (ok && !make_keys(r)) {
        lib_message_set(msg, w_said_out_of_memory());
        ok = false;
    }
    free(text);
    if (!ok) roster_free(r);
    return ok;
}

/* Finds the first person with the name `text`, and whether there is another. Takes ownership of
 * `text`. */
static void find_key(const roster *r, key_kind kind, char *text, const roster_person **found,
                     bool *several) {
    const roster_key asked = {.text = text, .kind = kind};
    size_t lo = 0, hi = text ? r->keys : 0;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (by_key(&r->key[mid], &asked) < 0) lo = mid + 1;
        else hi = mid;
    }
    for (; text && lo < r->keys && r->key[lo].kind == kind && !strcmp(r->key[lo].text, text);
         lo++) {
        const roster_person *p = &r->person[r->key[lo].person];
        *several = *several || (*found && *found != p);
        if (!*found) *found = p;
    }
    free(text);
}

/* Finds the person of an id. An e-mail address also matches by the part before its @, if the other
 * side has only that. */
static void find_id(const roster *r, const char *id, const roster_person **found, bool *several) {
    const char *at = strchr(id, '@');
    find_key(r, at ? KEY_ADDRESS : KEY_ID, lowered(id, strlen(id)), found, several);
    if (at && at != id) find_key(r, KEY_ID, lowered(id, (size_t)(at - id)), found, several);
    else if (!at) find_key(r, KEY_BEFORE_AT, lowered(id, strlen(id)), found, several);
}

const roster_person *roster_find(const roster *r, const char *const *ids, size_t count,
                                 const char *name, bool *several) {
    const roster_person *found = NULL;
    *several = false;
    if (!r->person) return NULL; /* no roster was given */
    for (size_t i = 0; i < count; i++)
        if (*ids[i]) find_id(r, ids[i], &found, several);
    if (!found && *name) find_key(r, KEY_NAME, letters_of(name), &found, several);
    return *several ? NULL : found;
}
