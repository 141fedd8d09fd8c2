#!/bin/bash
# slow
# Two builds of one declaration at once with a cold cache, as submission and baseline are: both find
# no glue and both make it. The first one's file must stay: another one under its name would take it
# from a sandbox that is about to show it to its linker.
#
#   preload: the first two questions after a glue file are answered "not there", so that both builds make one whatever the order of events;
#            each attempt to put one in its place is written down with the file that is there afterwards
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
cat >"$T/preload.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int glue(const char *p) {
    size_t n = strlen(p);
    return strstr(p, "/warplab/glue/") && n > 2 && !strcmp(p + n - 2, ".o");
}
int stat(const char *p, struct stat *s) {
    static _Atomic int asked;
    if (glue(p) && asked++ < 2) return errno = ENOENT, -1;
    return fstatat(AT_FDCWD, p, s, 0);
}
static int put(const char *how, const char *from, const char *to, int (*real)(const char *, const char *)) {
    int r = real(from, to), e = errno;
    struct stat s;
    if (glue(to) && !fstatat(AT_FDCWD, to, &s, 0)) {
        char line[128];
        int n = snprintf(line, sizeof line, "%s %d %lu\n", how, r, (unsigned long)s.st_ino);
        int fd = open(getenv("GLUE_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0644);
        if (fd >= 0) (void)!write(fd, line, (size_t)n), close(fd);
    }
    errno = e;
    return r;
}
int link(const char *a, const char *b) { return put("link", a, b, (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link")); }
int rename(const char *a, const char *b) { return put("rename", a, b, (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename")); }
C
if ! ${CC:-gcc} -shared -fPIC -O1 -o "$T/preload.so" "$T/preload.c" -ldl 2>"$T/cc"; then
    skip "two builds of one glue (no compiler for the preload: $(head -1 "$T/cc"))"
    finish
fi
if grep -q __sanitizer_ "$W"; then # its runtime wants to be the first library
    skip "two builds of one glue (a preload, under a sanitizer)"
    finish
fi
export XDG_CACHE_HOME="$T/cold"
GLUE_LOG="$T/log" LD_PRELOAD="$T/preload.so" run "$W" grade vector-add answers/vector-add.cu --device sim:h200
status_is 0 "both builds come to an end, and the answer passes"
is "$(wc -l <"$T/log")" 2 "each made the glue and put it in its place"
first=$(awk 'NR == 1 { print $3 }' "$T/log")
is "$(awk '{ print $3 }' "$T/log" | sort -u | wc -l)" 1 "the first one's file stays where it is"
is "$(stat -c %i "$T/cold/warplab/glue/"*.o)" "$first" "and is there at the end"
is "$(ls "$T/cold/warplab/tmp" 2>/dev/null)" "" "nothing half-made is left"
finish
