/* Taking submissions in: what a course's system handed over, in, and out of it who handed in which
 * file for which lab, when and as which attempt, with its bytes.
 *
 *   folder or archive --which layout is it? (importers.c)--> a call for each submission,
 *                                                            a line for everything else
 *
 * Who handed a file in is said by what the system names, never by a name that a student chose. Every
 * file is a submission, or is told: left over (somebody's work that could not be placed) or not a
 * submission (a read-me, say). */
#ifndef WARPLAB_GRADER_INTAKE_H
#define WARPLAB_GRADER_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/lang.h"
#include "runner/base/message.h"

enum { INTAKE_NAME = 144 };

/* A file's name that a course says is a lab's ("lab1.cu" is vector-add), or is nobody's work. */
typedef struct {
    const char *file;
    const char *lab; /* "": not a submission */
} intake_file;
typedef struct {
    const char *in;
    const char *from;   /* an importer's name, or NULL: whichever it is */
    const char *lab;    /* all of it is for this lab, or NULL */
    const char *roster; /* a CSV, or NULL */
    /* It was given to an earlier run: times in it may be another assignment's, and are not read. */
    bool roster_kept;
    const char *at;     /* git: a commit or a moment, or NULL: as it is checked out */
    const char *prefix; /* GitHub Classroom: what stands before a student's name, or NULL */
    int zone;           /* of times that name none, in minutes */
    const intake_file *file;
    size_t files;
    size_t source_limit; /* bytes of one submission */
    bool (*lab_known)(void *user, const char *lab);
    /* Is it handed in as a folder of files, .../LAB/FILE? May be NULL: none is. */
    bool (*lab_folder)(void *user, const char *lab);
    void *user;
} intake_options;

typedef struct {
    const char *student, *name, *lab, *source;
    const char *ids; /* a line each: what else a roster may call them */
    bool timed, late;
    int64_t time, order;
    const char *data; /* NULL: it could not be taken, problem says why */
    size_t size;      /* source_limit + 1 where it is longer */
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
    bool roster;       /* there was one */
    size_t off_roster; /* students whom the roster does not name */
    size_t without;    /* people on the roster who handed nothing in, not even what is left over */
} intake_told;
/* False and *msg when it cannot be read at all, or a sink stopped it. */
bool intake_read(const intake_options *o, const intake_sink *sink, intake_told *told,
                 lib_message *msg);
/* "canvas (a Canvas bulk download), moodle (...), ...": for messages; malloc'ed */
char *intake_importers(lib_lang lang);
bool intake_importer_known(const char *name);

/* One component of a path that may stand for a student or a lab. */
bool intake_name_ok(const char *name);
/* The lab that a file's name stands for, by the course's own list, as it is, or in the usual
 * disguises ("Vector_Add.cu", "vector-add (1).cu", "vector-add-2.cu"); false: none. *ignored: the
 * list says that it is nobody's work. */
bool intake_lab(const intake_options *o, const char *file, char lab[INTAKE_NAME], bool *ignored);

#endif
