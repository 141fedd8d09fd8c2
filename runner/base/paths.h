/* Finds folders: the project's own, and the user's by the XDG Base Directory rules.
 *
 *   project   WARPLAB_ROOT, or found from the executable: the nearest folder above it that contains
 *             the labs (build/warplab -> the folder above), or whose share/warplab does
 *             (PREFIX/lib/warplab/warplab)
 *   cache     XDG_CACHE_HOME/warplab   (~/.cache/warplab)        compiled programs; may be deleted
 *   data      XDG_DATA_HOME/warplab    (~/.local/share/warplab)  progress
 *   state     XDG_STATE_HOME/warplab   (~/.local/state/warplab)  REPL history
 *   work      WARPLAB_WORK, or ~/warplab                         the student's copies of skeletons
 */
#ifndef WARPLAB_PATHS_H
#define WARPLAB_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"

typedef struct {
    char *root;    /* absolute, without a slash at the end, like all of these */
    char *labs;    /* root/labs */
    char *kernels; /* root/kernels: baselines, and the headers that a skeleton may include */
    char *answers; /* root/answers */
    /* the place of NVIDIA's wheels: root/.toolchain, or data/toolchain of an installed Warplab,
     * whose own folder is read-only */
    char *toolchain;
    char *libs;     /* the folder of our libcudart.so.13 and of warplab itself */
    char *init;     /* libs/warplab-init */
    bool installed; /* the project's folder is not the one in which it was built */
    char *cache, *data, *state, *work;
} lib_paths;

/* Returns the same paths for the whole process, found on the first call (before threads start).
 * Returns NULL and sets *msg if there is no project around the executable. The user's folders are
 * only named; call lib_make_folders() before writing. */
const lib_paths *lib_paths_get(lib_message *msg);
/* "0.2.0": the project's file VERSION at build time. */
const char *lib_version(void);
/* Returns whether this program knows `form`, the number of a file's form: whether it is at most
 * `known`. If not, *msg says that a newer Warplab wrote the file, and what to do; the file must not
 * be changed. */
bool lib_known_form(const char *path, int form, int known, lib_message *msg);
/* malloc'ed "folder/name"; the caller frees. */
char *lib_path_join(const char *folder, const char *name);
/* Returns the first program of that name in the folders of `list` (in the format of PATH; NULL:
 * none); malloc'ed, or NULL. */
char *lib_find_program(const char *list, const char *name);
/* Returns the ids of all labs: labs/ID.lua, sorted. malloc'ed array of malloc'ed strings; free with
 * lib_lab_names_free(). */
char **lib_lab_names(const lib_paths *p, size_t *n);
void lib_lab_names_free(char **names, size_t n);
/* Checks a lab's id: lower-case letters, digits and single dashes, at most 48. All code that makes
 * a path from an id checks it first. */
bool lib_lab_id_valid(const char *id);

#endif
