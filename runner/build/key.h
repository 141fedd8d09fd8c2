/* What a build is known by in the cache. */
#ifndef WARPLAB_BUILD_KEY_H
#define WARPLAB_BUILD_KEY_H

#include "runner/build/job.h"

/* Names the file as the compiler will see it, lists the headers it may include and makes key and place: SHA-256
 * over everything that goes in. */
void build_key(build_job *b);
bool build_hash_file(const char *path, char hex[65]);

#endif
