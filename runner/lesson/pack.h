/* A pack: a folder of labs in addition to the built-in ones.
 *
 *   FOLDER/pack.lua                           --pack_read()--> its name, title, version, order ...
 *   FOLDER/labs, kernels, answers             as in Warplab's own folder
 *   XDG_DATA_HOME/warplab/packs/NAME          where it is installed (by runner/pack)
 *
 * A lab of a pack is always named PACK/LAB. A pack is trusted no more than a submission. */
#ifndef WARPLAB_LESSON_PACK_H
#define WARPLAB_LESSON_PACK_H

#include "runner/lesson/lab.h"

enum { PACK_LABS = 256, PACK_NEEDS = 8, PACK_VERSION_MAX = 24 };

typedef struct {
    char id[LAB_ID_MAX]; /* without the pack's name */
    double points;       /* full marks; 0: the lab's own */
    char deadline[40];   /* "2026-10-01 23:59" or "" */
} pack_lab;
typedef struct {
    char name[LAB_PACK_MAX];
    char title[LIB_LANGS][96];
    char version[PACK_VERSION_MAX];
    pack_lab labs[PACK_LABS]; /* those in `order`, then the others by name */
    size_t lab_count, ordered;
    struct {
        char name[LAB_PACK_MAX],
            version[PACK_VERSION_MAX]; /* "warplab", or a pack; at least that version */
    } needs[PACK_NEEDS];
    size_t need_count;
    lab_only only; /* its lessons need only this language */
    /* When `answer` shows the model answer: "passed", or a time; "": always. */
    char answers[40];
} lab_pack;

/* Reads FOLDER/pack.lua. Returns NULL and sets *msg ("pack.lua:3: ...") on an error. Each named lab
 * has a file in FOLDER/labs. malloc'ed; free it with free(). */
lab_pack *pack_read(const char *folder, lib_message *msg);
/* Returns the language of the lessons by pack.lua; both if it names none or does not load. */
lab_only pack_language(const char *folder);
/* Returns the sorted names of the installed packs. Free with lib_lab_names_free(). */
char **pack_names(size_t *n);
/* Returns the folder of the pack with this name, whether it exists or not; malloc'ed. */
char *pack_folder(const char *name);
/* Returns whether the answer of this lab may be shown. If not, *msg says when. */
bool pack_answer_open(const char *id, bool passed, lib_message *msg);
/* Returns whether the pack is a link to its author's own folder, not a copy. */
bool pack_is_linked(const char *name);
/* Compares versions: "1.10" is after "1.9". Returns <0, 0 or >0. */
int pack_version_order(const char *a, const char *b);

#endif
