/* The rules of a course: which attempt counts, deadlines, the cost of lateness, and extensions. OUT
 * keeps each source in its own file, because a run may be given only one of them.
 *
 *   course.json (of course.lua) + pack-rules.json (of a pack) --policy_load()--> policy
 *   manifest + policy --policy_mark()--> which attempts are graded
 *   an attempt's score + policy --policy_judge()--> what it is worth, and why */
#ifndef WARPLAB_GRADER_POLICY_H
#define WARPLAB_GRADER_POLICY_H

#include <jansson.h>
#include "grader/course/store.h"

typedef struct {
    const char *lab; /* NULL: the course's default */
    bool dated, best;
    int64_t deadline;
    double grace_s;      /* an attempt that is late by at most this is in time */
    double per_s, cut;   /* each begun period of per_s costs the share cut of the points ... */
    double most, last_s; /* ... at most this; after last_s nothing is accepted (0: no end) */
    double points;       /* full marks in the course's gradebook; 0: the lab's own */
    const char *column;  /* the lab's name in the course's system, or NULL */
} policy_lab;
typedef struct {
    const char *student, *lab; /* lab NULL: all labs */
    bool dated;
    int64_t until; /* if dated: replaces the deadline */
    double plus_s; /* otherwise: added to the deadline */
} policy_extension;
typedef struct {
    json_t *json; /* owns the texts */
    int zone;
    policy_lab base, *lab;
    size_t labs;
    policy_extension *extension;
    size_t extensions;
    intake_file *file;
    size_t files;
} policy;
/* Reads the rules. json NULL: rules of a course without any. Returns false and sets *msg to the
 * field, what was expected and what was found. Keeps its own reference to json. */
bool policy_read(json_t *json, policy *p, lib_message *msg);
/* Loads the rules from the texts, or from OUT for each of `rules` (course.json) and `pack`
 * (pack-rules.json) that is NULL. course.lua takes precedence over a pack, even with a rule for all
 * labs. */
bool policy_load(policy *p, int out, const char *rules, const char *pack, lib_message *msg);
void policy_free(policy *p);
/* Returns the rules of a lab, or the course's default rules. */
policy_lab policy_for(const policy *p, const char *lab);

/* Returns whether the entry belongs to this student, by any name that the course's system knows. */
bool policy_is_student(const store_entry *e, const char *name);
/* Finds the student's last moment to hand in: the lab's deadline or the extension. Returns false if
 * there is no deadline. */
bool policy_due(const policy *p, const store_entry *e, int64_t *due, bool *extended);
typedef struct {
    bool dated, extended, late, unknown; /* unknown: late, but nobody knows by how much */
    bool refused;                        /* too late to be accepted: worth nothing */
    int64_t due;
    double late_s, cut; /* cut: the share of the points that lateness costs */
} policy_verdict;
/* Judges whether an attempt is late, and what that costs. */
policy_verdict policy_judge(const policy *p, const store_entry *e);
/* Sets attempt, attempts and graded of each entry. The manifest must be sorted. */
void policy_mark(const policy *p, store_manifest *m);
/* Returns "late by 1 d 2 h, 20% off", or "" if there is nothing to say. malloc'ed. */
char *policy_said(const policy *p, const store_entry *e, lib_lang lang);

#endif
