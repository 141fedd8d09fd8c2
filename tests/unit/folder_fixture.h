/* A test's own folder: `root`, which it makes and removes, names in it, and files with the folders
 * above them. */
#ifndef WARPLAB_TESTS_FOLDER_FIXTURE_H
#define WARPLAB_TESTS_FOLDER_FIXTURE_H

#include <stdio.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "tests/check.h"

static char root[64];
static lib_message msg;

static inline const char *in(const char *name) { /* eight are kept */
    static char p[8][300];
    static int k;
    char *s = p[k = (k + 1) % 8];
    snprintf(s, sizeof p[0], "%s/%s", root, name);
    return s;
}
static inline void put(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s", in(name));
    *strrchr(path, '/') = 0;
    CHECK(lib_make_folders(path, &msg) && lib_write_file(in(name), text, strlen(text), &msg));
}

#endif
