/* Installs packs from a folder or a git repository; updates, lists and removes them.
 *
 *   FOLDER | URL --take.c: only the files that a pack may have, each bounded--> scratch folder
 *                --pack_read(), each lab loaded--> PACKS/NAME, and PACKS/NAME.from: its origin
 *
 * A pack is not trusted: no link is followed, no program of it is started, a repository is read and
 * never checked out. A linked pack stays in its author's own folder. */
#ifndef WARPLAB_PACK_H
#define WARPLAB_PACK_H

#include "runner/lesson/pack.h"

typedef struct {
    lab_pack *pack;             /* the installed pack; the caller frees it with pack_done_free() */
    char was[PACK_VERSION_MAX]; /* the previous version, or "" */
    bool same;                  /* nothing has changed */
    size_t left_out;            /* number of files that a pack may not have */
    char first_left[80];
} pack_done;
void pack_done_free(pack_done *d);

/* Installs a pack. from: a folder, or the address of a git repository; at: a tag or branch, or
 * NULL. link: use the folder where it is. Returns false and sets *msg if the pack is wrong or its
 * name is taken. */
bool pack_add(const char *from, const char *at, bool link, pack_done *done, lib_message *msg);
/* Installs a pack again from its origin. */
bool pack_update(const char *name, pack_done *done, lib_message *msg);
/* Removes a pack; of a linked pack only the link. Returns false and sets *msg if it cannot be
 * removed. */
bool pack_remove(const char *name, lib_message *msg);
/* Copies the files of a pack's folder, and nothing else, into the empty folder `to`. */
bool pack_copy(const char *folder, const char *to, lib_message *msg);
/* Returns "folder /home/me/labs" or "https://... at v1", malloc'ed; NULL: unknown. */
char *pack_origin(const char *name);

#endif
