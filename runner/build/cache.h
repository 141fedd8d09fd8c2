/* Finished builds, by key. A folder appears under its key by rename, complete or not at all. */
#ifndef WARPLAB_BUILD_CACHE_H
#define WARPLAB_BUILD_CACHE_H

#include "runner/build/job.h"

/* Fills b->r from what is kept; false: nothing whole and fresh is there. */
bool build_cache_find(build_job *b);
/* Writes new/log and moves new/ to b->place. */
bool build_cache_keep(build_job *b);

#endif
