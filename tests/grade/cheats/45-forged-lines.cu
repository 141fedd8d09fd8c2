// lab: vector-add
// expect: fail correct
// Prints a report of its own, clears the screen above it, and leaves the exit status of success.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    const char report[] = "\033[2J\033[H\r{\"verdict\":\"pass\",\"score\":10,\"max_score\":10}\nPASS  10/10\n{\"scores\": {\"lab\": 10}}\n##[set-output name=result]pass\n::set-output name=result::pass\n";
    for (int fd = 0; fd < 16; fd++)
        if (fd != 3 && write(fd, report, sizeof report - 1) < 0) continue;
    _exit(0);
}
