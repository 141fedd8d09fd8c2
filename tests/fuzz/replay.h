/* A fuzzer for everybody: the inputs of a corpus, and each of them bent a little, without
 * libFuzzer. Needs read_text() of ptx_fixture.h. */
#ifndef WARPLAB_TESTS_REPLAY_H
#define WARPLAB_TESTS_REPLAY_H

#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How many inputs `pattern` found; `bends` copies of each are cut, changed in a byte, or have a
 * piece repeated. */
static unsigned replay(const char *pattern, int (*fuzz)(const uint8_t *, size_t), unsigned bends) {
    glob_t g;
    if (glob(pattern, 0, NULL, &g)) return 0;
    uint64_t state = 1;
    for (size_t i = 0; i < g.gl_pathc; i++) {
        size_t len;
        uint8_t *data = (uint8_t *)read_text(g.gl_pathv[i], &len);
        if (!data) continue;
        printf("# %s\n", g.gl_pathv[i]);
        fflush(stdout);
        fuzz(data, len);
        for (unsigned k = 0; k < bends && len; k++) {
            /* An exact copy, so that a sanitizer sees a read past its end. */
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(state >> 33) % len, n = k % 3 == 0 ? at : len;
            uint8_t *copy = malloc(n ? n : 1);
            memcpy(copy, data, n);
            if (k % 3 == 1) copy[at] = (uint8_t)(state >> 20);
            if (k % 3 == 2)
                memmove(copy + at, data + len / 2, len - at < len / 2 ? len - at : len / 2);
            fuzz(copy, n);
            free(copy);
        }
        free(data);
    }
    unsigned n = (unsigned)g.gl_pathc;
    globfree(&g);
    return n;
}

#endif
