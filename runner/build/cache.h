/* Finished builds, by key (key.c). A folder appears under its key by rename, complete or not at all. */
#ifndef WARPLAB_BUILD_CACHE_H
#define WARPLAB_BUILD_CACHE_H

#include <stdint.h>
#include "runner/build/job.h"

/* Names the file as the compiler will see it, lists the headers it may include and makes key and place:
 * SHA-256 over everything that goes in. */
void build_key(build_job *b);
bool build_hash_file(const char *path, char hex[65]);

/* Fills b->r from what is kept; false: nothing whole and fresh is there. */
bool build_cache_find(build_job *b);
/* Writes new/log and moves new/ to b->place; then trims. */
bool build_cache_keep(build_job *b);

/* trim.c: removes finished builds below `folder` (cache/build), those first that were not used for longest,
 * while they take more than `limit` bytes. One that was used within the last hour stays. Any number of
 * processes may do it at once. */
void build_cache_trim(const char *folder, uint64_t limit);
/* WARPLAB_CACHE_MB, 4096 where it is not set or no number; in bytes. */
uint64_t build_cache_limit(void);

#endif
