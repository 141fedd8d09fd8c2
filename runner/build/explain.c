/* Explains what nvcc says about a source, in a sentence in the reader's language.
 *
 *   "f.cu(3): error: ..." --glosses.def--> the row of the catalogue, its arguments from the message
 */
#include "runner/build/build.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/word.h"
#include "words/nvcc.h"

enum { GROUPS = 2 };

static const struct {
    lib_word_id row;
    const char *pattern;
} glosses[] = {
#define GLOSS(row, pattern) {row, pattern},
#include "runner/build/glosses.def"
#undef GLOSS
};

/* "f.cu(3): error:" from nvcc, "f.cu:3:9: error:" from gcc; 0: no line. */
static unsigned error_line(const char *text) {
    const char *error = strstr(text, "error");
    for (const char *p = text; error && p < error; p++) {
        unsigned long line = *p == '(' || *p == ':' ? strtoul(p + 1, NULL, 10) : 0;
        if (line) return (unsigned)line;
    }
    return 0;
}

/* Returns the CUDA word that the name is a misspelling of; NULL: of none. */
static const char *meant(const char *name) {
    static const char *const words[] = {"threadIdx",
                                        "blockIdx",
                                        "blockDim",
                                        "gridDim",
                                        "__syncthreads",
                                        "__syncwarp",
                                        "__global__",
                                        "__device__",
                                        "__shared__",
                                        "cudaMalloc",
                                        "cudaMemcpy",
                                        "cudaFree",
                                        "cudaMemset",
                                        "atomicAdd",
                                        "atomicMax",
                                        "atomicMin",
                                        "atomicCAS",
                                        "__ballot_sync",
                                        "__shfl_sync",
                                        "warpSize",
                                        "cudaEventRecord",
                                        "cudaStreamCreate",
                                        "__shfl_up_sync",
                                        "__shfl_down_sync",
                                        "__shfl_xor_sync",
                                        "__ldg",
                                        "__threadfence",
                                        "cudaMemcpyAsync",
                                        "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost",
                                        "cudaMemcpyDeviceToDevice",
                                        "cudaDeviceSynchronize",
                                        "cudaGetLastError",
                                        "cudaGetErrorString",
                                        "cudaEventCreate",
                                        "cudaEventSynchronize",
                                        "cudaEventElapsedTime",
                                        "cudaStreamSynchronize"};
    enum { LEAST = 5, MOST = 2 }; /* characters; changes */
    const char *near = NULL;
    for (size_t i = 0, best = MOST + 1; i < sizeof words / sizeof *words; i++) {
        size_t changes = lib_distance(name, words[i]);
        if (strlen(name) >= LEAST && changes < best) best = changes, near = words[i];
    }
    return near;
}

static bool explain_line(const char *text, lib_message *msg) {
    for (size_t i = 0; i < sizeof glosses / sizeof *glosses; i++) {
        regex_t compiled;
        regmatch_t at[GROUPS + 1];
        if (regcomp(&compiled, glosses[i].pattern, REG_EXTENDED)) continue;
        bool fits = !regexec(&compiled, text, GROUPS + 1, at, 0);
        regfree(&compiled);
        if (!fits) continue;
        lib_words words = {.id = glosses[i].row};
        char *groups[GROUPS] = {NULL};
        lib_arg_type type;
        for (int k = 0; k < GROUPS && lib_words_argument(words.id, k, &type); k++) {
            size_t n = at[k + 1].rm_so < 0 ? 0 : (size_t)(at[k + 1].rm_eo - at[k + 1].rm_so);
            groups[k] = lib_format("%.*s", (int)n, n ? text + at[k + 1].rm_so : "");
            words.args[k].s = groups[k];
        }
        const char *meant_by =
            words.id == WITH_NVCC_UNDEFINED_IDENTIFIER && groups[0] ? meant(groups[0]) : NULL;
        if (meant_by) words = w_nvcc_misspelt(groups[0], meant_by);
        lib_message why = {0};
        unsigned line = error_line(text);
        lib_message_set(&why, words);
        lib_message_set(msg, line ? w_nvcc_at_line(line, &why) : w_nvcc_somewhere(&why));
        for (int k = 0; k < GROUPS; k++) free(groups[k]);
        return true;
    }
    return false;
}

bool build_explain(const char *log, lib_message *msg) {
    bool found = false;
    /* A brace that is never closed shows at the end; errors before it follow from it. */
    const char *brace = strstr(log, "error: expected a \"}\"");
    for (const char *p = brace ? brace : log; !found && *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        if (n && (memmem(p, n, "error", 5) || memmem(p, n, "fatal", 5))) {
            char *line = lib_format("%.*s", (int)n, p);
            found = explain_line(line, msg);
            free(line);
        }
        p += n;
    }
    return found;
}
