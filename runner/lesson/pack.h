/* A pack: a folder of labs that lies beside the built-in ones.
 *
 *   FOLDER/pack.lua                           --pack_read()--> its name, title, version, order ...
 *   FOLDER/labs, kernels, answers             as in Warplab's own folder
 *   XDG_DATA_HOME/warplab/packs/NAME          where it lies once it is installed (runner/pack does that)
 *
 * A lab of a pack is called PACK/LAB wherever a lab is named. A pack is as little trusted as a submission. */
#ifndef WARPLAB_LESSON_PACK_H
#define WARPLAB_LESSON_PACK_H

#include "runner/lesson/lab.h"

enum { PACK_LABS = 256, PACK_NEEDS = 8, PACK_VERSION_MAX = 24 };

typedef struct {
    char id[LAB_ID_MAX]; /* without the pack's name */
    double points;       /* what full marks are worth; 0: the lab's own */
    char deadline[40];   /* "2026-10-01 23:59"; "" */
} pack_lab;
typedef struct {
    char name[LAB_PACK_MAX];
    char title[LIB_LANGS][96];
    char version[PACK_VERSION_MAX];
    pack_lab labs[PACK_LABS]; /* those that `order` names, then the others by name */
    size_t lab_count, ordered;
    struct {
        char name[LAB_PACK_MAX],
            version[PACK_VERSION_MAX]; /* "warplab", or a pack; at least that version */
    } needs[PACK_NEEDS];
    size_t need_count;
    lab_only only; /* the language that its lessons need have */
    /* When `answer` shows the model answer: "passed", or a moment; "": whenever somebody asks. */
    char answers[40];
} lab_pack;

/* malloc'ed; NULL and *msg ("pack.lua:3: ..."). Every lab that is named has its file in FOLDER/labs. */
lab_pack *pack_read(const char *folder, lib_message *msg);
/* What pack.lua in that folder says of its lessons' language; both when it says nothing or does not
 * load. */
lab_only pack_language(const char *folder);
/* The names of the packs that are installed, sorted; free with lib_lab_names_free(). */
char **pack_names(size_t *n);
/* Where the pack of that name lies, whether it is there or not; malloc'ed. */
char *pack_folder(const char *name);
/* May the answer of the lab of that id be shown? False: *msg says when. */
bool pack_answer_open(const char *id, bool passed, lib_message *msg);
/* Its folder is its author's own, linked rather than copied. */
bool pack_is_linked(const char *name);
/* "1.10" is after "1.9": <0, 0, >0. */
int pack_version_order(const char *a, const char *b);

#endif
