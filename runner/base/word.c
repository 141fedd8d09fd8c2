/* Edit distance, and the nearest of several names. */
#include "runner/base/word.h"

#include <stdbool.h>
#include <string.h>

/* Edit distance with neighbour swaps (optimal string alignment), over the first 63 bytes. */
unsigned lib_distance(const char *a, const char *b) {
    enum { MAX = 64 };
    unsigned row[3][MAX + 1];
    size_t n = strnlen(a, MAX - 1), m = strnlen(b, MAX - 1);
    for (size_t j = 0; j <= m; j++) row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                upup[j - 2] + 1 < best)
                best = upup[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *lib_nearest(const char *word, const char *const *names, size_t n) {
    size_t length = strlen(word);
    unsigned best = length < 3 ? 1 : (unsigned)((length + 2) / 3);
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned d = lib_distance(word, names[i]);
        bool prefix = length >= 3 && !strncmp(word, names[i], length);
        if (prefix && !found) found = names[i];
        if (d < best || (d == best && !found)) {
            best = d;
            found = names[i];
        }
    }
    return found;
}

const char *lib_next_word(const char **list, size_t *n) {
    const char *word = *list;
    if (!*word) return NULL;
    *n = strcspn(word, "|");
    *list = word + *n + (word[*n] == '|');
    return word;
}
