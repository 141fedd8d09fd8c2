/* The files of a batch, which must never be lost or half written, and the list of submissions. */
#ifndef WARPLAB_GRADER_STORE_H
#define WARPLAB_GRADER_STORE_H

#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/report/model.h"
#include "grader/intake/intake.h"

/* Opens a folder of the batch, and creates it if necessary. All paths below are relative to an open
 * folder, so that nobody can replace the folder by a link. Only the owner has access to created
 * files; if OUT's group has rights in OUT, it has the same rights in all files. */
int store_open(const char *out, lib_message *msg); /* Returns a descriptor, or -1 and *msg. */
bool store_folder(int out, const char *name, lib_message *msg);
int store_lock(int out, const char *name, bool make); /* Returns a descriptor to lock, or -1. */
/* Gives a file in OUT that others made the same rights. */
bool store_share(int out, const char *path);
/* Writes a file by temporary file, fsync, rename, and fsync of the folder. If the disk is full, the
 * old file remains. */
bool store_write(int out, const char *path, const void *data, size_t n, unsigned mode,
                 lib_message *msg);
/* Writes a file that can be made again from the records. Readers see the old or the new file, never
 * a part. Does not wait for the disk, because that takes longer than making the four reports of a
 * submission. */
bool store_write_again(int out, const char *path, const void *data, size_t n, unsigned mode,
                       lib_message *msg);
/* Removes the temporary files that a killed process left in `folder`. */
void store_sweep(int out, const char *folder);
/* Returns the file's contents, malloc'ed and followed by a NUL. NULL if the file does not exist, is
 * not a regular file, or is longer than limit. */
char *store_read(int out, const char *path, size_t limit, size_t *n);
void store_remove_tree(int at, const char *path); /* never follows a link */

typedef struct {
    char *student, *lab, *source; /* source: where the file was found */
    char sha[65];                 /* "" if the file was not taken; problem says why */
    uint64_t size;
    lib_message *problem; /* why it cannot be graded, or NULL */
    char key[65];
    /* From the course's system: the student's name, and one line for each other name that a roster
     * may have; "" if unknown. */
    char *name, *ids;
    bool timed, late; /* timed: `time` is known; late: the system says late, without the time */
    int64_t time;
    int64_t order; /* of one student's attempts the latest has the largest; 0: unknown */
    /* By the course's rules: the number of this attempt, of how many, and whether it is graded. */
    unsigned attempt, attempts;
    bool graded;
    bool left_alone; /* not saved: to be graded, but not by this run */
} store_entry;
typedef struct {
    store_entry *entry;
    size_t count;
    char **refused; /* "PATH: why", in English, for files that are not submissions */
    size_t refused_count;
    char **left; /* "PATH: why" for students' work that could not be assigned */
    size_t left_count;
    /* The lines of refused and left as messages. Lines of older versions have none. */
    json_t *reasons;
    /* For each line of left: where it came from (merge.c). NULL: a list of an older version. */
    json_t *left_from;
} store_manifest;
void manifest_free(store_manifest *m);
/* Writes a student's name for people: "9999 (Zoe Out)" if the student's own name is only a
 * number. */
void store_called(const store_entry *e, char *to, size_t n);
/* NULL: no memory */
store_entry *manifest_add(store_manifest *m, const char *student, const char *lab,
                          const char *source);
/* Add a path to `refused` or to `left`, with the reason. */
void manifest_refuse(store_manifest *m, const char *path, lib_words why);
void manifest_leave(store_manifest *m, const char *path, lib_words why);
/* Adds a line of another manifest's `left`, unchanged. */
void manifest_leave_line(store_manifest *m, const store_manifest *from, const char *line);
/* Turns a line of `refused` or `left` into a message, which can be written in any language. */
void manifest_said(const store_manifest *m, const char *line, lib_message *to);
/* Sets e->problem. Returns false if memory ran out. */
bool store_problem(store_entry *e, lib_words why);
/* Sorts by lab, student, and order of handing in. Of several files with the same bytes and no known
 * time, one stays. Of different files whose order is unknown, the first by source stays, and the
 * others are left over. */
void manifest_sort(store_manifest *m);
/* The format of manifest.json and of the records. Raise it whenever the meaning of a field changes.
 * A folder with a higher number was made by a newer Warplab, and is not changed. */
enum { STORE_FORM = 1 };
/* Return false and set *msg if a newer Warplab made the folder's list or the record. A file that
 * cannot be read counts as known. */
bool store_known(const char *folder, lib_message *msg);
bool record_known(const json_t *record, const char *key, lib_message *msg);
/* Returns false without a message if there is no manifest. */
bool manifest_load(store_manifest *m, int out, lib_message *msg);
/* Adds OUT's manifest to that of this run, which took in `in`, all of it for `lab` (NULL: several
 * labs). */
bool manifest_merge(store_manifest *m, int out, const char *in, const char *lab, lib_message *msg);
bool manifest_save(const store_manifest *m, int out, lib_message *msg);

/* Copies each submission of b->in into OUT/submissions and fills *m. Keeps the roster as
 * OUT/roster.csv. */
bool batch_ingest(const grade_batch *b, int out, store_manifest *m, intake_told *told,
                  lib_message *msg);
/* Takes the n bytes of one file. */
bool ingest_take(const grade_batch *b, int out, store_entry *e, const char *data, size_t n,
                 lib_message *msg);

/* Returns a record, or NULL. */
json_t *record_load(int out, const char *key);
bool record_final(const json_t *record); /* graded, ungradable or suspect: not to be done again */

#endif
