/* A course's rules: which attempt counts, when it had to be there, what lateness costs, who has longer. OUT
 * keeps what each source said in a file of its own, since a run may be given one of them and not the other.
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
    double grace_s;      /* late by no more than this is not late */
    double per_s, cut;   /* each begun period costs this share of the points ... */
    double most, last_s; /* ... at most this; after this long nothing is taken (0: no end) */
    double points;       /* what full marks are worth in the course's book; 0: the lab's own */
    const char *column;  /* what the course's system calls the lab, or NULL */
} policy_lab;
typedef struct {
    const char *student, *lab; /* lab NULL: all */
    bool dated;
    int64_t until; /* with dated: instead of the deadline */
    double plus_s; /* else: added to it */
} policy_extension;
typedef struct {
    json_t *json; /* what the texts point into */
    int zone;
    policy_lab base, *lab;
    size_t labs;
    policy_extension *extension;
    size_t extensions;
    intake_file *file;
    size_t files;
} policy;
/* json NULL: the rules of a course that has none. False and *msg: which field, what was expected,
 * what was found. Takes a reference. */
bool policy_read(json_t *json, policy *p, lib_message *msg);
/* By OUT, where `rules` (as course.json) or `pack` (as pack-rules.json) is NULL, else by that text. What
 * course.lua says, of a lab or of all, goes before what a pack says of a lab. */
bool policy_load(policy *p, int out, const char *rules, const char *pack, lib_message *msg);
void policy_free(policy *p);
policy_lab policy_for(const policy *p, const char *lab);

/* Is it a submission of that student's, by any of the names that the course's system has for them? */
bool policy_is_student(const store_entry *e, const char *name);
/* When `student` had to hand it in: the lab's deadline, or their extension; false: no deadline. */
bool policy_due(const policy *p, const store_entry *e, int64_t *due, bool *extended);
typedef struct {
    bool dated, extended, late, unknown; /* unknown: late, and nobody says by how much */
    bool refused;                        /* after the last moment: worth nothing */
    int64_t due;
    double late_s, cut; /* cut: the share of the points that is taken off */
} policy_verdict;
policy_verdict policy_judge(const policy *p, const store_entry *e);
/* Sets each entry's attempt, attempts and graded. The manifest is sorted. */
void policy_mark(const policy *p, store_manifest *m);
/* "late by 1 d 2 h, 20% off"; "" when there is nothing to say; malloc'ed */
char *policy_said(const policy *p, const store_entry *e, lib_lang lang);

#endif
