/* Packs that people install: taken from a folder or a git repository, kept, renewed, removed.
 *
 *   FOLDER | URL --take.c: only the files that a pack is made of, each bounded--> scratch folder
 *                --pack_read(), each lab loaded--> PACKS/NAME, and PACKS/NAME.from: where it came from
 *
 * What is taken is nobody's we know: no link is followed, no program of it is started, a repository is
 * read and never checked out. A linked pack is its author's own folder and is left where it is. */
#ifndef WARPLAB_PACK_H
#define WARPLAB_PACK_H

#include "runner/lesson/pack.h"

typedef struct {
    lab_pack *pack;             /* as it is now; the caller frees it with pack_done_free() */
    char was[PACK_VERSION_MAX]; /* the version that was there before; "" */
    bool same;                  /* nothing had changed */
    size_t left_out;            /* files that no pack is made of */
    char first_left[80];
} pack_done;
void pack_done_free(pack_done *d);

/* from: a folder, or the address of a git repository; at: a tag or branch of it, or NULL. link: the
 * folder stays where it is. False and *msg: what is wrong with it, or a clash of names. */
bool pack_add(const char *from, const char *at, bool link, pack_done *done, lib_message *msg);
/* Again from where it came from. */
bool pack_update(const char *name, pack_done *done, lib_message *msg);
bool pack_remove(const char *name, lib_message *msg);
/* The files of a pack's folder, and nothing else, into the empty folder `to`. */
bool pack_copy(const char *folder, const char *to, lib_message *msg);
/* "folder /home/me/labs", "https://... at v1"; malloc'ed; NULL: nobody knows. */
char *pack_origin(const char *name);

#endif
