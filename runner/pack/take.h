/* A pack's files, and nothing else, from where they are into an empty folder. */
#ifndef WARPLAB_PACK_TAKE_H
#define WARPLAB_PACK_TAKE_H

#include "runner/pack/pack.h"

/* Is it a repository's address, rather than a folder? */
bool take_is_address(const char *from);
/* to: an empty folder. False and *msg: too many or too large files, no pack.lua, git says no. */
bool take_pack_files(const char *from, const char *at, const char *to, pack_done *done,
                     lib_message *msg);

#endif
