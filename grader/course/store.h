/* Files of a batch that must never be lost or half written, and the list of submissions. */
#ifndef WARPLAB_GRADER_STORE_H
#define WARPLAB_GRADER_STORE_H

#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/report/model.h"
#include "grader/intake/intake.h"

/* A folder of the batch, made if need be; every path below is relative to an open folder, so that
 * nobody can swap it for a link. What is made is its owner's alone; where OUT's group has rights in OUT, it has
 * the same in all of it. */
int store_open(const char *out, lib_message *msg); /* a descriptor, or -1 */
bool store_folder(int out, const char *name, lib_message *msg);
int store_lock(int out, const char *name, bool make); /* a descriptor to be locked, or -1 */
/* The same rights for a file that another has made in OUT. */
bool store_share(int out, const char *path);
/* Temporary file, fsync, rename, fsync of the folder. A full disk leaves what was there before. */
bool store_write(int out, const char *path, const void *data, size_t n, unsigned mode,
                 lib_message *msg);
/* The same of what is made again from the records at will: whole for every reader, and not waited for
 * until it is on the disk, which takes longer than all else about a submission's four reports. */
bool store_write_again(int out, const char *path, const void *data, size_t n, unsigned mode,
                       lib_message *msg);
/* Removes the temporary files of store_write() that a process which was killed left in `folder`. */
void store_sweep(int out, const char *folder);
/* malloc'ed, NUL behind; NULL when it is not there, no regular file or longer than limit. */
char *store_read(int out, const char *path, size_t limit, size_t *n);
void store_remove_tree(int at, const char *path); /* never follows a link */

typedef struct {
    char *student, *lab, *source; /* source: where it was found */
    char sha[65];                 /* "" when it was not taken: problem says why */
    uint64_t size;
    lib_message *problem; /* why it cannot be graded, or NULL */
    char key[65];
    /* As the course's system has them: the student's name, a line for each of the names that a
     * roster may know them by; "" where there are none. */
    char *name, *ids;
    bool timed, late; /* time is known; late: the system says so, and not by how much */
    int64_t time;
    int64_t order; /* among one student's attempts the larger is the later; 0: not known */
    /* By the course's rules: which of how many attempts; whether it is to be graded. */
    unsigned attempt, attempts;
    bool graded;
    bool left_alone; /* not kept: to be graded, and not by this run */
} store_entry;
typedef struct {
    store_entry *entry;
    size_t count;
    char **refused; /* "PATH: why", in English, of what is no submission */
    size_t refused_count;
    char **left; /* "PATH: why" of what is somebody's work and could not be placed */
    size_t left_count;
    json_t *
        reasons; /* by line of both: what it says, as a message; an older version's lines have none */
    json_t *
        left_from; /* by line of left: where it came from (merge.c); NULL: an older version's list */
} store_manifest;
void manifest_free(store_manifest *m);
/* Who that is, for a person: "9999 (Zoe Out)" where a number is all that the student is called by. */
void store_called(const store_entry *e, char *to, size_t n);
/* NULL: no memory */
store_entry *manifest_add(store_manifest *m, const char *student, const char *lab,
                          const char *source);
void manifest_refuse(store_manifest *m, const char *path, lib_words why);
void manifest_leave(store_manifest *m, const char *path, lib_words why);
/* A line of another list's `left`, as it stands there. */
void manifest_leave_line(store_manifest *m, const store_manifest *from, const char *line);
/* A line of either as a message, to be said in any language. */
void manifest_said(const store_manifest *m, const char *line, lib_message *to);
/* Sets e->problem. False: no memory. */
bool store_problem(store_entry *e, lib_words why);
/* By lab, student and then as they were handed in. Of the same bytes at no known time one stays; of
 * different ones, of which nobody can say which is the later, the first by source does, and the
 * others are left over. */
void manifest_sort(store_manifest *m);
/* The number of the form of manifest.json and of records: raised whenever what they say changes its meaning. A
 * folder with a higher one is a newer Warplab's, and is left as it is. */
enum { STORE_FORM = 1 };
/* False and *msg: the folder's list, or the record, is a newer Warplab's. What cannot be read is known. */
bool store_known(const char *folder, lib_message *msg);
bool record_known(const json_t *record, const char *key, lib_message *msg);
/* false without a message when there is none */
bool manifest_load(store_manifest *m, int out, lib_message *msg);
/* Takes what OUT's list has over into this run's, which took in `in`, all of it for `lab` (NULL: for several). */
bool manifest_merge(store_manifest *m, int out, const char *in, const char *lab, lib_message *msg);
bool manifest_save(const store_manifest *m, int out, lib_message *msg);

/* Copies every submission of b->in into OUT/submissions and fills *m; the roster is kept as OUT/roster.csv. */
bool batch_ingest(const grade_batch *b, int out, store_manifest *m, intake_told *told,
                  lib_message *msg);
/* one file's bytes */
bool ingest_take(const grade_batch *b, int out, store_entry *e, const char *data, size_t n,
                 lib_message *msg);

/* A record, or NULL. */
json_t *record_load(int out, const char *key);
bool record_final(const json_t *record); /* graded, ungradable or suspect: not to be done again */

#endif
