/* Finished builds, by key (key.c). A folder appears under its key by rename: complete, or not at
 * all. */
#ifndef WARPLAB_BUILD_CACHE_H
#define WARPLAB_BUILD_CACHE_H

#include <stdint.h>
#include "runner/build/job.h"

/* Chooses the file's name for the compiler, lists the headers that it may include, and computes key
 * and place: SHA-256 over all inputs. */
void build_key(build_job *b);
bool build_hash_file(const char *path, char hex[65]);

/* Fills b->r from a kept build. Returns false if there is no complete and fresh one. */
bool build_cache_find(build_job *b);
/* Writes new/log and moves new/ to b->place, then trims. */
bool build_cache_keep(build_job *b);

/* trim.c: removes finished builds below `folder` (cache/build) while they take more than `limit`
 * bytes, the least recently used first. A build that was used within the last hour stays. Any
 * number of processes may call this at the same time. */
void build_cache_trim(const char *folder, uint64_t limit);
/* Returns WARPLAB_CACHE_MB, or 4096 if that is not set or not a number; in bytes. */
uint64_t build_cache_limit(void);

/* ---- texts of machine code, kept by themselves (machine.h) ---- */

/* Returns the folder of the texts that are kept by themselves, and makes it; malloc'ed. NULL: there
 * is no nvdisasm, or the folder cannot be made. In the sandbox it is BUILD_CACHE_TEXTS. */
#define BUILD_CACHE_TEXTS "/kept"
char *build_cache_texts(void);
enum { BUILD_CACHE_HASH = 64 };
void build_cache_hash(const void *bytes, size_t n, char hex[BUILD_CACHE_HASH + 1]);
/* Keeps a text that was made: `path`, or where that is NULL, `n` bytes of `text`. A text that is
 * kept already was used again. */
void build_cache_keep_text(const char *path, const char *text, size_t n, const char *hash);

#endif
