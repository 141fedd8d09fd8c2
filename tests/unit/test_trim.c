/* The cache's size: builds that were not used for longest go first, those of the last hour stay,
 * several processes at once leave what one would. */
#include "check.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/build/cache.h"

enum { BYTES = 1 << 20, HOUR = 3600 };
static char folder[64];

/* A build of 1 MB, used so many seconds ago. */
static void put(const char *part, const char *key, time_t ago) {
    static char bytes[BYTES];
    char path[200];
    lib_message msg = {0};
    snprintf(path, sizeof path, "%s/%s/%s", folder, part, key);
    CHECK(lib_make_folders(path, &msg));
    snprintf(path, sizeof path, "%s/%s/%s/program", folder, part, key);
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    CHECK(lib_write_file(path, bytes, BYTES, &msg));
    snprintf(path, sizeof path, "%s/%s/%s", folder, part, key);
    struct timespec t[2] = {{.tv_sec = time(NULL) - ago}, {.tv_sec = time(NULL) - ago}};
    CHECK_INT(utimensat(AT_FDCWD, path, t, 0), 0);
}
static bool there(const char *part, const char *key) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s/%s/program", folder, part, key);
    return lib_is_file(path);
}

static void oldest_go(void) {
    put("aa", "one", 5 * HOUR);
    put("aa", "two", 3 * HOUR);
    put("bb", "three", 4 * HOUR);
    put("bb", "four", 60);
    build_cache_trim(folder, 64ull * BYTES); /* room enough */
    CHECK(there("aa", "one") && there("aa", "two") && there("bb", "three") && there("bb", "four"));
    build_cache_trim(folder,
                     3ull * BYTES + BYTES / 2); /* four are too many, and 3.15 MB are left */
    CHECK(!there("aa", "one") && there("aa", "two") && there("bb", "three") && there("bb", "four"));
    build_cache_trim(folder, 2ull * BYTES + BYTES / 2);
    CHECK(!there("bb", "three") && there("aa", "two") && there("bb", "four"));
    build_cache_trim(folder, 0); /* what may be running stays */
    CHECK(!there("aa", "two") && there("bb", "four"));
}

/* Somebody else has the lock: it is theirs to do. */
static void others_turn(void) {
    char path[100];
    put("cc", "five", 9 * HOUR);
    snprintf(path, sizeof path, "%s/.gone-1-2", folder); /* left behind by one that was killed */
    CHECK_INT(mkdir(path, 0700), 0);
    pid_t child[4];
    for (int i = 0; i < 4; i++)
        if (!(child[i] = fork())) {
            build_cache_trim(folder, 0);
            _exit(0);
        }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        CHECK_INT(status, 0);
    }
    CHECK(!there("cc", "five") && there("bb", "four") && !lib_is_folder(path));
}

static void limits(void) {
    unsetenv("WARPLAB_CACHE_MB");
    CHECK(build_cache_limit() == 4096ull << 20);
    setenv("WARPLAB_CACHE_MB", "100", 1);
    CHECK(build_cache_limit() == 100ull << 20);
    setenv("WARPLAB_CACHE_MB", "0", 1);
    CHECK(build_cache_limit() == 0);
    static const char *const no_numbers[] = {"", "-1", "x", "10x", " 5", "99999999999999999999"};
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        setenv("WARPLAB_CACHE_MB", no_numbers[i], 1);
        CHECK(build_cache_limit() == 4096ull << 20);
    }
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/warplab-trim-%ld", (long)getpid());
    lib_message msg = {0};
    CHECK(lib_make_folders(folder, &msg));
    build_cache_trim("/no/such/folder", 0);
    oldest_go();
    others_turn();
    limits();
    lib_remove_tree(folder);
    return check_done();
}
