/* The interface between the files that know the layouts. Only this room includes it.
 *
 *   tree.c walks --> layout (every path) --importers.c: which layout?--> one row of importers[]
 *                               --its find()--> who handed in which file, when, which attempt */
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
    const char *in; /* the path that was handed over */
    bool archive;   /* the path is one archive */
    size_t root;    /* length of the common folder around everything ("export/"), or 0 */
    char *metadata; /* a file that an importer asked for, or NULL */
    const intake_options *o;
    /* for the importer's own use */
    size_t level; /* plain, canvas: the depth of the students' folders */
    char prefix[INTAKE_NAME];
} layout;

/* What an importer knows about one file. Paths are relative to the root. */
typedef struct {
    char student[INTAKE_NAME]; /* the system's own id if it has one */
    char id[3][INTAKE_NAME];   /* other names that a roster may have for the student */
    char name[INTAKE_NAME];
    char file[INTAKE_NAME]; /* the file's name, as the student chose it */
    char lab[INTAKE_NAME];  /* the lab by the system's data, or "" */
    bool timed, late;       /* late: the system says late, without the time */
    int64_t time;
    int64_t order; /* of one student's files the latest has the largest; 0: unknown */
} found;

typedef struct {
    const char *name; /* "canvas" */
    lib_word_id what;
    const char *source;   /* source that defines the layout */
    const char *metadata; /* a file at the root that is read first, or NULL */
    /* Recognises the layout by names that the system chose, never by names that students chose. */
    bool (*is)(layout *l);
    /* Finds the k-th student who handed in `path` (a group has several). Returns false if there is
     * none; with k = 0, `path` is then no submission. */
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
/* Returns the path of item i below the root; NULL for the root itself and what is above it. */
const char *layout_path(const layout *l, size_t i);
/* Copies component `level` of "a/b/c" to out. Returns the number of components. */
unsigned layout_component(const char *path, unsigned level, char out[INTAKE_NAME]);
const char *layout_file(const char *path); /* after the last '/' */
void layout_put(char out[INTAKE_NAME], const char *text, size_t n);
/* Writes the name of the file's folder if that is a lab with several files; otherwise "". */
void layout_lab_folder(const layout *l, const char *path, char lab[INTAKE_NAME]);
bool layout_source(const char *file); /* NAME.cu */
bool layout_known(const intake_options *o, const char *lab);
/* Returns what follows digits and the character `end` in p; NULL if p does not begin so. */
const char *layout_digits(const char *p, char end);
/* Returns whether `find` recognises at least half of the files that may be submissions. */
bool layout_mostly(layout *l, bool (*find)(const layout *, const char *, unsigned, found *));

#endif
