/* Takes in what a course's system hands over. Finds out who handed in which file for which lab,
 * when, and as which attempt, and reads the files.
 *
 *   folder or archive --which layout is it? (importers.c)--> a call for each submission,
 *                                                            a line for everything else
 *
 * Names that the system chose identify the student, never names that a student chose. Each file is
 * a submission or is reported: as left over (a student's work that could not be assigned), or as
 * not a submission (for example a read-me). */
#ifndef WARPLAB_GRADER_INTAKE_H
#define WARPLAB_GRADER_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"

enum { INTAKE_NAME = 144 };

/* A file name to which a course assigns a lab ("lab1.cu" is vector-add), or which is to be
 * ignored. */
typedef struct {
    const char *file;
    const char *lab; /* "": not a submission */
} intake_file;
typedef struct {
    const char *in;
    const char *from;   /* an importer's name, or NULL: recognise it */
    const char *lab;    /* the lab of all files, or NULL */
    const char *roster; /* a CSV, or NULL */
    /* The roster was given to an earlier run. Its times may be those of another assignment and are
     * ignored. */
    bool roster_kept;
    const char *at;     /* git: a commit or a point in time, or NULL: as checked out */
    const char *prefix; /* GitHub Classroom: what precedes a student's name, or NULL */
    int zone;           /* for times without a zone, in minutes east of Greenwich */
    const intake_file *file;
    size_t files;
    size_t source_limit; /* bytes of one submission */
    bool (*lab_known)(void *user, const char *lab);
    /* Returns whether the lab is handed in as a folder, .../LAB/FILE. NULL: no lab is. */
    bool (*lab_folder)(void *user, const char *lab);
    void *user;
} intake_options;

typedef struct {
    const char *student, *name, *lab, *source;
    const char *ids; /* one per line: other names that a roster may have */
    bool timed, late;
    int64_t time, order;
    const char *data; /* NULL: could not be read, problem says why */
    size_t size;      /* source_limit + 1 if the file is longer */
    lib_word_id problem;
} intake_submission;
typedef enum { INTAKE_LEFT, INTAKE_IGNORED } intake_kind;
typedef struct {
    bool (*submission)(void *user, const intake_submission *s); /* false: stop */
    void (*other)(void *user, intake_kind kind, const char *path, lib_words why);
    void *user;
} intake_sink;
typedef struct {
    const char *importer; /* NULL: none was recognised */
    lib_word_id what;
    bool roster;       /* there was a roster */
    size_t off_roster; /* students who are not on the roster */
    size_t without;    /* people on the roster of whom nothing was found, not even leftovers */
} intake_told;
/* Returns false and sets *msg if nothing can be read, or if a sink stopped the reading. */
bool intake_read(const intake_options *o, const intake_sink *sink, intake_told *told,
                 lib_message *msg);
/* Returns "canvas (a Canvas bulk download), moodle (...), ..." for messages; malloc'ed. */
char *intake_importers(lib_lang lang);
bool intake_importer_known(const char *name);

/* Returns whether a component of a path may be the name of a student or a lab. */
bool intake_name_ok(const char *name);
/* Finds the lab of a file name: by the course's own list, by the exact name, or by a common
 * variation ("Vector_Add.cu", "vector-add (1).cu", "vector-add-2.cu"). Returns false if there is
 * none. *ignored: the course's list says to ignore the file. */
bool intake_lab(const intake_options *o, const char *file, char lab[INTAKE_NAME], bool *ignored);

#endif
