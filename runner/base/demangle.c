/* Kernel names for people: "_Z6reduceILi256EEvPKiPii" -> "reduce<256>". The C++ runtime's demangler
 * does the work. */
#include "runner/base/demangle.h"

#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, 3.4: exported by the C++ runtime, declared in <cxxabi.h> for C++ only. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

char *lib_demangle(const char *name) {
    int status = 0;
    if (strncmp(name, "_Z", 2) || strlen(name) > 4096) return NULL;
    char *full = __cxa_demangle(name, NULL, NULL, &status);
    if (status || !full) {
        free(full);
        return NULL;
    }
    /* Templates come as "void reduce<256>(int const*, int*, int)": the name is what stands before
     * the last parenthesis that opens outside of <>, and behind the last space outside of both.
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
