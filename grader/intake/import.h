/* Between the files that know the layouts; nobody outside this room includes it.
 *
 *   tree.c walks --> layout (every path) --importers.c: which layout is it?--> one row of importers[]
 *                                         --its find()--> who handed in which file, when, which attempt */
#ifndef WARPLAB_GRADER_IMPORT_H
#define WARPLAB_GRADER_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/base/message.h"
#include "grader/intake/intake.h"

/* Everything that was handed over, in the order of the walk. */
typedef struct {
    char *path;
    bool folder, repository, packed, source; /* source: a .cu file */
    lib_word_id problem;
} layout_item;
typedef struct {
    layout_item *item;
    size_t count;
    const char *in; /* what was handed over, as it was named */
    bool archive;   /* one archive */
    size_t root;    /* bytes of the folder around everything ("export/"), or 0 */
    char *metadata; /* a file that an importer asked for, or NULL */
    const intake_options *o;
    /* the importer's own */
    size_t level; /* plain, canvas: at which folder the students are */
    char prefix[INTAKE_NAME];
} layout;

/* What an importer says of one file; paths in it are below the root. */
typedef struct {
    char student[INTAKE_NAME]; /* by the system's own id where it has one */
    char id[3][INTAKE_NAME];   /* other names that a roster may know them by */
    char name[INTAKE_NAME];
    char file[INTAKE_NAME]; /* the file's name as the student gave it */
    char lab[INTAKE_NAME];  /* which lab the system says it is for, or "" */
    bool timed, late;       /* late: the system says so, and not by how much */
    int64_t time;
    int64_t order; /* among one student's: the larger is the later; 0: not known */
} found;

typedef struct {
    const char *name; /* "canvas" */
    lib_word_id what;
    const char *source;   /* where the layout is defined */
    const char *metadata; /* a file at the root that is read first, or NULL */
    /* Whether the layout is this one, by what the system names, never by what a student may. */
    bool (*is)(layout *l);
    /* The k-th who handed `path` in (groups are several); false: nobody, it is no submission. */
    bool (*find)(const layout *l, const char *path, unsigned k, found *f);
} importer;
extern const importer importers[];
extern const size_t importer_count;

bool canvas_is(layout *l);
bool canvas_find(const layout *l, const char *path, unsigned k, found *f);
bool moodle_is(layout *l);
bool moodle_find(const layout *l, const char *path, unsigned k, found *f);
bool gradescope_is(layout *l);
bool gradescope_find(const layout *l, const char *path, unsigned k, found *f);
bool prairielearn_is(layout *l);
bool prairielearn_find(const layout *l, const char *path, unsigned k, found *f);
bool classroom_is(layout *l);
bool classroom_find(const layout *l, const char *path, unsigned k, found *f);
bool git_is(layout *l);
bool plain_is(layout *l);
bool plain_find(const layout *l, const char *path, unsigned k, found *f);

/* ---- what they share ---- */
/* The path of item i below the root; NULL for what is the root itself or above it. */
const char *layout_path(const layout *l, size_t i);
/* "a/b/c": component `level` into out; how many there are. */
unsigned layout_component(const char *path, unsigned level, char out[INTAKE_NAME]);
const char *layout_file(const char *path); /* behind the last '/' */
void layout_put(char out[INTAKE_NAME], const char *text, size_t n);
/* The folder that the file is in, where that is a lab of several files; "" else. */
void layout_lab_folder(const layout *l, const char *path, char lab[INTAKE_NAME]);
bool layout_source(const char *file); /* NAME.cu */
bool layout_known(const intake_options *o, const char *lab);
/* Digits from p, then the character `end`: behind it, else NULL. */
const char *layout_digits(const char *p, char end);
/* Whether at least half of the files that may be submissions are `find`'s. */
bool layout_mostly(layout *l, bool (*find)(const layout *, const char *, unsigned, found *));

#endif
