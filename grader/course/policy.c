/* See policy.h. */
#include "grader/course/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "grader/intake/when.h"
#include "words/course.h"
#include "words/said.h"

/* ---- reading ---- */

typedef struct {
    policy *p;
    lib_message *msg;
    char where[200]; /* labs["vector-add"] */
} reading;

/* labs["vector-add"].late.per */
static void name_field(const reading *r, const char *field, char at[300]) {
    lib_say(at, 300, "%s%s%s", r->where, *r->where && *field ? "." : "", field);
}

static bool wrong(reading *r, const char *field, lib_word_id expected, const json_t *v) {
    char *found = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL, at[300];
    name_field(r, field, at);
    lib_message_set(r->msg, found ? w_course_rule_expected(at, expected, found)
                                  : w_course_rule_missing(at, expected));
    free(found);
    return false;
}

/* Checks that each key is one of `names`, which are separated by blanks. */
static bool only(reading *r, json_t *o, const char *names) {
    const char *key;
    json_t *v;
    if (!json_is_object(o)) return wrong(r, "", W_COURSE_RULE_TABLE, o);
    json_object_foreach(o, key, v) {
        size_t n = strlen(key);
        bool ok = false;
        for (const char *p = names; n && !strchr(key, ' ') && (p = strstr(p, key)); p += n)
            ok |= (p == names || p[-1] == ' ') && (p[n] == ' ' || !p[n]);
        if (!ok) {
            char at[300];
            name_field(r, key, at);
            lib_message_set(r->msg, w_course_rule_unknown(at, names));
            return false;
        }
    }
    return true;
}

static bool read_share(reading *r, json_t *o, const char *name, double *v) {
    json_t *x = json_object_get(o, name);
    if (!x) return true;
    double d = json_number_value(x);
    if (!json_is_number(x) || !(d >= 0 && d <= 1)) return wrong(r, name, W_COURSE_RULE_SHARE, x);
    *v = d;
    return true;
}

static bool read_span(reading *r, json_t *o, const char *name, double *v) {
    json_t *x = json_object_get(o, name);
    if (!x) return true;
    if (json_is_number(x) && json_number_value(x) >= 0) *v = json_number_value(x);
    else if (!json_is_string(x) || !when_span(json_string_value(x), v))
        return wrong(r, name, W_COURSE_RULE_SPAN, x);
    return true;
}

static bool read_moment(reading *r, json_t *o, const char *name, bool *dated, int64_t *at) {
    json_t *x = json_object_get(o, name);
    if (!x) return true;
    if (!json_is_string(x) || !when_read(json_string_value(x), r->p->zone, at))
        return wrong(r, name, W_COURSE_RULE_MOMENT, x);
    *dated = true;
    return true;
}

static bool read_late(reading *r, json_t *o, policy_lab *l) {
    json_t *late = json_object_get(o, "late");
    if (!late) return true;
    char before[sizeof r->where];
    SAY(before, "%s", r->where);
    SAY(r->where, "%s%slate", before, *before ? "." : "");
    bool ok = only(r, late, "grace cut per most last") &&
              read_span(r, late, "grace", &l->grace_s) && read_share(r, late, "cut", &l->cut) &&
              read_span(r, late, "per", &l->per_s) && read_share(r, late, "most", &l->most) &&
              read_span(r, late, "last", &l->last_s);
    if (ok && !(l->per_s > 0))
        ok = wrong(r, "per", W_COURSE_RULE_SPAN_ABOVE_0, json_object_get(late, "per"));
    if (ok) SAY(r->where, "%s", before);
    return ok;
}

static bool read_rules(reading *r, json_t *o, policy_lab *l) {
    json_t *attempts = json_object_get(o, "attempts"), *points = json_object_get(o, "points"),
           *column = json_object_get(o, "column");
    const char *which = json_string_value(attempts);
    if (attempts && (!which || (strcmp(which, "last") != 0 && strcmp(which, "best") != 0)))
        return wrong(r, "attempts", W_COURSE_RULE_LAST_OR_BEST, attempts);
    if (attempts) l->best = !strcmp(which, "best");
    if (points && !(json_number_value(points) > 0))
        return wrong(r, "points", W_COURSE_RULE_NUMBER_ABOVE_0, points);
    if (points) l->points = json_number_value(points);
    const char *own = json_string_value(column);
    if (column && (!own || !*own)) return wrong(r, "column", W_COURSE_RULE_TEXT, column);
    if (column) l->column = own;
    return read_moment(r, o, "deadline", &l->dated, &l->deadline) && read_late(r, o, l);
}

static bool read_labs(reading *r, json_t *labs) {
    policy *p = r->p;
    const char *lab;
    json_t *o;
    if (!labs) return true;
    if (!json_is_object(labs)) return wrong(r, "labs", W_COURSE_RULE_LABS, labs);
    p->lab = calloc(json_object_size(labs) + 1, sizeof *p->lab);
    json_object_foreach(labs, lab, o) {
        policy_lab *l = p->lab ? &p->lab[p->labs++] : NULL;
        if (!l) return false;
        *l = p->base;
        l->lab = lab;
        SAY(r->where, "labs[\"%.60s\"]", lab);
        if (!only(r, o, "deadline attempts late points column") || !read_rules(r, o, l))
            return false;
    }
    r->where[0] = 0;
    return true;
}

/* "48 h" is added to the deadline; "2026-10-03 23:59" replaces it. */
static bool read_extension(reading *r, const char *student, const char *lab, json_t *v) {
    policy *p = r->p;
    if (!lib_grow_one(&p->extension, p->extensions, sizeof *p->extension)) return false;
    policy_extension *e = &p->extension[p->extensions++];
    *e = (policy_extension){.student = student, .lab = lab};
    const char *text = json_string_value(v);
    if (text && when_read(text, p->zone, &e->until)) e->dated = true;
    else if (!text || !when_span(text, &e->plus_s))
        return wrong(r, lab ? lab : "", W_COURSE_RULE_EXTENSION, v);
    return true;
}

static bool read_extensions(reading *r, json_t *all) {
    const char *student, *lab;
    json_t *v, *x;
    if (!all) return true;
    if (!json_is_object(all)) return wrong(r, "extensions", W_COURSE_RULE_EXTENSIONS, all);
    json_object_foreach(all, student, v) {
        SAY(r->where, "extensions[\"%.60s\"]", student);
        if (!json_is_object(v)) {
            if (!read_extension(r, student, NULL, v)) return false;
        } else json_object_foreach(v, lab, x) if (!read_extension(r, student, lab, x)) return false;
    }
    r->where[0] = 0;
    return true;
}

static bool read_files(reading *r, json_t *all) {
    policy *p = r->p;
    const char *file;
    json_t *v;
    if (!all) return true;
    if (!json_is_object(all)) return wrong(r, "files", W_COURSE_RULE_FILES, all);
    p->file = calloc(json_object_size(all) + 1, sizeof *p->file);
    json_object_foreach(all, file, v) {
        if (!p->file) return false;
        if (!json_is_string(v) && !json_is_false(v)) return wrong(r, file, W_COURSE_RULE_FILE, v);
        p->file[p->files++] = (intake_file){file, json_is_string(v) ? json_string_value(v) : ""};
    }
    return true;
}

bool policy_read(json_t *json, policy *p, lib_message *msg) {
    reading r = {.p = p, .msg = msg};
    *p = (policy){.base = {.per_s = 86400, .most = 1}};
    if (!json) return true;
    p->json = json_incref(json);
    json_t *zone = json_object_get(json, "timezone");
    bool ok = only(&r, json, "title timezone deadline attempts late points labs extensions files");
    if (ok && zone && (!json_is_string(zone) || !when_zone(json_string_value(zone), &p->zone)))
        ok = wrong(&r, "timezone", W_COURSE_RULE_ZONE, zone);
    ok = ok && read_rules(&r, json, &p->base) && read_labs(&r, json_object_get(json, "labs")) &&
         read_extensions(&r, json_object_get(json, "extensions")) &&
         read_files(&r, json_object_get(json, "files"));
    if (!ok && !lib_message_any(msg)) lib_message_set(msg, w_said_out_of_memory());
    if (!ok) policy_free(p);
    return ok;
}

/* Adds a pack's rules for its labs, unless course.lua has the same field. */
static bool add_pack(json_t *rules, const json_t *pack) {
    static const char *const fields[] = {"deadline", "points"};
    json_t *labs = json_object_get(rules, "labs"), *said;
    const char *id;
    if (!labs && !json_object_set_new(rules, "labs", json_object()))
        labs = json_object_get(rules, "labs");
    json_object_foreach(json_object_get(pack, "labs"), id, said) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            json_t *lab = json_object_get(labs, id), *v = json_object_get(said, fields[i]);
            if (!v || json_object_get(rules, fields[i]) || json_object_get(lab, fields[i]))
                continue;
            if (!lab && !json_object_set_new(labs, id, json_object()))
                lab = json_object_get(labs, id);
            if (json_object_set(lab, fields[i], v)) return false;
        }
    }
    return true;
}

/* Reads `text`, or OUT/NAME if text is NULL; then *o is NULL if there is no file. */
static bool rules_of(int out, const char *name, const char *text, json_t **o, lib_message *msg) {
    size_t n;
    json_error_t error;
    char *kept = text ? NULL : store_read(out, name, (size_t)16 << 20, &n);
    if (!text) text = kept;
    *o = text ? json_loads(text, 0, &error) : NULL;
    bool ok = !text || *o;
    if (!ok) lib_message_set(msg, w_course_json_line(name, error.line, error.text));
    free(kept);
    return ok;
}

bool policy_load(policy *p, int out, const char *rules, const char *pack, lib_message *msg) {
    json_t *own = NULL, *packed = NULL;
    bool ok = rules_of(out, "course.json", rules, &own, msg) &&
              rules_of(out, "pack-rules.json", pack, &packed, msg);
    if (ok && packed && !own) own = json_object();
    /* If `own` is not an object, policy_read() reports that. */
    if (ok && packed && json_is_object(own) && !add_pack(own, packed)) {
        lib_message_set(msg, w_said_out_of_memory());
        ok = false;
    }
    ok = ok && policy_read(own, p, msg);
    json_decref(own);
    json_decref(packed);
    return ok;
}

void policy_free(policy *p) {
    json_decref(p->json);
    free(p->lab);
    free(p->extension);
    free(p->file);
    *p = (policy){0};
}

/* ---- judging ---- */

policy_lab policy_for(const policy *p, const char *lab) {
    for (size_t i = 0; i < p->labs; i++)
        if (!strcmp(p->lab[i].lab, lab)) return p->lab[i];
    return p->base;
}

bool policy_is_student(const store_entry *e, const char *name) {
    size_t n = strlen(name);
    if (!strcasecmp(e->student, name)) return true;
    for (const char *p = e->ids; p && *p;) {
        size_t k = strcspn(p, "\n");
        if (k == n && !strncasecmp(p, name, n)) return true;
        p += k + (p[k] == '\n');
    }
    return false;
}

bool policy_due(const policy *p, const store_entry *e, int64_t *due, bool *extended) {
    policy_lab l = policy_for(p, e->lab);
    bool dated = l.dated, one = false;
    *due = l.deadline;
    *extended = false;
    for (size_t i = 0; i < p->extensions; i++) {
        const policy_extension *x = &p->extension[i];
        if ((x->lab && strcmp(x->lab, e->lab) != 0) || !policy_is_student(e, x->student)) continue;
        /* an extension for this lab takes precedence over one for all labs */
        if (one && !x->lab) continue;
        one = x->lab != NULL;
        if (x->dated) *due = x->until, dated = true;
        else if (l.dated) *due = l.deadline + (int64_t)x->plus_s;
        *extended = true;
    }
    return dated;
}

policy_verdict policy_judge(const policy *p, const store_entry *e) {
    policy_lab l = policy_for(p, e->lab);
    policy_verdict v = {0};
    v.dated = policy_due(p, e, &v.due, &v.extended);
    if (e->timed && v.dated) {
        v.late_s = (double)(e->time - v.due);
        v.late = v.late_s > l.grace_s;
    } else if (e->late && !v.extended) v.late = v.unknown = true;
    if (!v.late) {
        v.late_s = 0;
        return v;
    }
    v.refused = l.last_s > 0 && v.late_s > l.last_s;
    double periods = v.unknown ? 1 : ceil(v.late_s / l.per_s);
    v.cut = fmin(periods * l.cut, l.most);
    if (v.refused) v.cut = 1;
    return v;
}

/* Marks a student's attempts at one lab; they are neighbours, in order. */
static void mark_group(const policy *p, store_entry *e, size_t n) {
    policy_lab l = policy_for(p, e->lab);
    size_t last = n - 1;
    while (last && policy_judge(p, &e[last]).refused) last--;
    if (policy_judge(p, &e[last]).refused) last = n - 1;
    for (size_t i = 0; i < n; i++) {
        e[i].attempt = (unsigned)i + 1;
        e[i].attempts = (unsigned)n;
        e[i].graded = l.best || i == last;
    }
}

void policy_mark(const policy *p, store_manifest *m) {
    for (size_t i = 0, n; i < m->count; i += n) {
        for (n = 1; i + n < m->count && !strcmp(m->entry[i + n].lab, m->entry[i].lab) &&
                    !strcmp(m->entry[i + n].student, m->entry[i].student);)
            n++;
        mark_group(p, &m->entry[i], n);
    }
}

/* Appends a part, with a separator unless it is the first. */
static void put_part(lib_buffer *b, lib_lang lang, lib_words words) {
    if (b->n) lib_buffer_puts(b, lib_word(lang, W_COURSE_PART));
    lib_words_put(b, lang, words);
}

char *policy_said(const policy *p, const store_entry *e, lib_lang lang) {
    policy_verdict v = policy_judge(p, e);
    char due[64];
    lib_message span;
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    if (e->attempts > 1)
        put_part(&b, lang,
                 policy_for(p, e->lab).best
                     ? w_course_attempt_best_counts(e->attempt, e->attempts)
                     : w_course_attempt_last_counts(e->attempt, e->attempts));
    if (v.extended && v.dated) {
        when_write(v.due, p->zone, due, sizeof due);
        put_part(&b, lang, w_course_extended_to(due));
    }
    if (e->late && v.extended && !v.late && !e->timed)
        put_part(&b, lang, w_course_late_mark_extended());
    if (v.late) {
        when_say_span(v.late_s, &span);
        put_part(&b, lang, v.unknown ? w_course_late_not_known() : w_course_late_by(&span));
        if (v.refused) lib_words_put(&b, lang, w_course_too_late());
        else if (v.cut > 0) lib_words_put(&b, lang, w_course_percent_off(100 * v.cut));
    }
    return lib_buffer_take(&b);
}
