/* Readable kernel names: "_Z6reduceILi256EEvPKiPii" -> "reduce<256>". The C++ runtime's demangler
 * does the work. */
#include "runner/base/demangle.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, 3.4: exported by the C++ runtime, declared in <cxxabi.h> for C++ only. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Each time a mangled name refers to a part of itself, its meaning can double in length: forty such
 * references turn forty characters into a terabyte. Returns the number of references, at most. */
static unsigned references(const char *name) {
    unsigned n = 0;
    for (const char *p = name; *p; p++) n += (p[0] == 'S' || p[0] == 'T') && p[1] != 't';
    return n;
}

/* Returns the first identifiers, without template arguments: "_ZN1a1bIiEEvi" -> "a::b". */
static char *first_names(const char *name) {
    lib_buffer out = {0};
    const char *p = name + 2;
    while (*p == 'N' || *p == 'K' || *p == 'L') p++;
    while (*p >= '1' && *p <= '9') {
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n > strlen(end)) break;
        if (out.n) lib_buffer_puts(&out, "::");
        lib_buffer_add(&out, end, n);
        p = end + n;
    }
    return out.s;
}

char *lib_demangle(const char *name) {
    enum { MOST = 4096, TEXT = 1 << 22 };
    int status = 0;
    size_t length = strlen(name);
    if (strncmp(name, "_Z", 2) || length > MOST) return NULL;
    unsigned doublings = references(name);
    if (doublings > 20 || length << doublings > TEXT) return first_names(name);
    char *full = __cxa_demangle(name, NULL, NULL, &status);
    if (status || !full) {
        free(full);
        return NULL;
    }
    /* Templates look like "void reduce<256>(int const*, int*, int)". The name ends at the last
     * parenthesis that opens outside of <>, and begins after the last space outside of both.
     * "(anonymous namespace)::" and "operator()" keep their parentheses. */
    size_t end = strlen(full), begin = 0;
    int angle = 0, round = 0;
    for (size_t i = end; i-- > 0;) {
        char c = full[i];
        if (c == ')') round++;
        else if (c == '(' && --round == 0 && !angle) {
            end = i;
            break;
        } else if (c == '>' && !round && (i == 0 || full[i - 1] != '-')) angle++;
        else if (c == '<' && !round) angle--;
    }
    angle = round = 0;
    for (size_t i = 0; i < end; i++) {
        char c = full[i];
        if (c == '<') angle++;
        else if (c == '>') angle--;
        else if (c == '(') round++;
        else if (c == ')') round--;
        else if (c == ' ' && !angle && !round) begin = i + 1;
    }
    if (begin >= end) begin = 0;
    memmove(full, full + begin, end - begin);
    full[end - begin] = 0;
    return full;
}
