/* Copies a pack's files, and nothing else, into an empty folder. */
#ifndef WARPLAB_PACK_TAKE_H
#define WARPLAB_PACK_TAKE_H

#include "runner/pack/pack.h"

/* Returns whether `from` is the address of a repository, not a folder. */
bool take_is_address(const char *from);
/* to: an empty folder. Returns false and sets *msg if there are too many or too large files, if
 * there is no pack.lua, or if git fails. */
bool take_pack_files(const char *from, const char *at, const char *to, pack_done *done,
                     lib_message *msg);

#endif
