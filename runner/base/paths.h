/* Where things are: the project's own folders, and the user's by the XDG Base Directory rules.
 *
 *   project   WARPLAB_ROOT, else found from the executable: the nearest folder above it that holds the labs
 *             (build/warplab -> the folder above), or whose share/warplab does (PREFIX/lib/warplab/warplab)
 *   cache     XDG_CACHE_HOME/warplab   (~/.cache/warplab)        compiled programs, deletable at any time
 *   data      XDG_DATA_HOME/warplab    (~/.local/share/warplab)  progress
 *   state     XDG_STATE_HOME/warplab   (~/.local/state/warplab)  REPL history
 *   work      WARPLAB_WORK, else ~/warplab                       the student's copies of the skeletons */
#ifndef WARPLAB_PATHS_H
#define WARPLAB_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

typedef struct {
    char *root;    /* absolute, without a slash at the end, as all of these */
    char *labs;    /* root/labs */
    char *kernels; /* root/kernels: baselines and the headers a skeleton may include */
    char *answers; /* root/answers */
    /* where NVIDIA's wheels are looked for: root/.toolchain, or data/toolchain of an installed Warplab, which
     * nobody may write to */
    char *toolchain;
    char *libs;     /* the folder of our libcudart.so.13 and of warplab itself: the executable's */
    char *init;     /* libs/warplab-init */
    bool installed; /* the project's folder is not the one that it was built in */
    char *cache, *data, *state, *work;
} lib_paths;

/* The same paths for the whole process, found on the first call (before threads start). NULL and
 * *msg when there is no project around the executable. The user's folders are named, not made:
 * lib_make_folders() when something is written. */
const lib_paths *lib_paths_get(lib_message *msg);
/* "0.2.0": the project's file VERSION, when this was built. */
const char *lib_version(void);
/* Is `form`, the number of a file's form, one that this program knows: at most `known`? Else *msg says that
 * the file is a newer Warplab's and what to do; it is to be left untouched. */
bool lib_known_form(const char *path, int form, int known, lib_message *msg);
/* malloc'ed "folder/name"; the caller frees. */
char *lib_path_join(const char *folder, const char *name);
/* The first program of that name in the folders of `list` (as PATH has them; NULL: none); malloc'ed, or
 * NULL. */
char *lib_find_program(const char *list, const char *name);
/* The ids of all labs: labs/ID.lua, sorted. malloc'ed array of malloc'ed strings; free with
 * lib_lab_names_free(). */
char **lib_lab_names(const lib_paths *p, size_t *n);
void lib_lab_names_free(char **names, size_t n);
/* A lab's id: lower-case letters, digits and single dashes, at most 48. Everything that makes a
 * path of an id checks it first. */
bool lib_lab_id_valid(const char *id);

#endif
