/* From a .cu file to a program: nvcc without a shell, the glue, the link, and a cache by content.
 *
 *   FILE.cu --nvcc's steps (sandbox)--> object --------------------------------------+
 *   the entry's declaration --glue.c--> .cpp --g++--> object (once per declaration) --+--> g++ --> program
 *
 * The program needs libcudart.so.13, which is ours. Everything that went into an output is in its cache key:
 * source, the headers it may include, flags, toolchain version. */
#ifndef WARPLAB_BUILD_H
#define WARPLAB_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include "paths.h"
#include "sandbox.h"
#include "util.h"

typedef struct {
    char nvcc[512]; /* absolute path of the real program, links and wrapper scripts resolved */
    char home[512]; /* its toolkit: holds bin/, nvvm/, include/ */
    char ptxas[512];
    char version[32]; /* "13.0.88" */
    char cxx[256];    /* host compiler */
} lab_toolchain;
/* Looks in WARPLAB_NVCC, the project's .toolchain, PATH, CUDA_HOME, /usr/local/cuda*, /opt/cuda;
 * WARPLAB_NO_SYSTEM_CUDA=1 leaves only the first two. The answer is kept. NULL and *msg says what to do. */
const lab_toolchain *lab_toolchain_get(sim_message *msg);

typedef struct {
    const char *source;     /* the .cu file */
    const char *shown_as;   /* what messages call it; NULL: source */
    const char *entry_text; /* the entry's declaration: glue is linked that calls it; NULL: the file has its
                               own main() */
    unsigned arch;          /* 90; 0: 90 */
    lab_sandbox_mode mode;  /* of the compile */
    bool no_cache;
    double cpu_s;    /* computing of each part of the compiler; 0: 30. Five times that on the clock */
    uint64_t memory; /* bytes that each of the compiler's processes may take; 0: 4 GiB */
    const volatile int *cancel;
} lab_build_request;
void lab_build_request_init(lab_build_request *q);

typedef struct {
    bool ok;
    bool infra; /* not ok, and not the source's fault: no nvcc, a full disk, cancelled */
    bool cached;
    bool cancelled;
    char *program; /* absolute path in the cache folder; malloc'ed */
    char *log; /* the compiler's messages at the student's own file and lines, or why it is infra; malloc'ed,
                  never NULL */
    double seconds, nvcc_seconds;
    char arch[16]; /* "sm_90" */
} lab_build_result;
/* Never exits, never prints. Returns r->ok. */
bool lab_build(const lab_build_request *q, lab_build_result *r);
void lab_build_result_free(lab_build_result *r);

/* The architecture to compile for on a device ("sim:h200" -> 90). 0 if unknown. */
unsigned lab_build_arch(const char *device);

/* A program's dynamic needs, read from its ELF headers: does it load libcudart.so.13 (then a device can be
 * put under it)? */
typedef enum {
    LAB_ELF_SHARED_CUDART,
    LAB_ELF_STATIC_CUDART,
    LAB_ELF_NO_CUDA,
    LAB_ELF_OTHER_CUDART,
    LAB_ELF_NOT_A_PROGRAM
} lab_elf;
lab_elf lab_elf_check(const char *path, char *needed,
                      size_t n); /* needed: the libcudart it asks for, if any */

/* ---- the entry's declaration (glue.c) ---- */

typedef struct {
    char type[32]; /* "float", "int", "size_t": the pointed-to or plain type */
    bool pointer, is_const;
    char name[48]; /* p0, p1 ... where the declaration gives none */
} lab_entry_param;
typedef struct {
    char name[64];
    lab_entry_param params[24];
    size_t count;
} lab_entry;
/* "void vector_add(const float *a, const float *b, float *c, int n)". False and a message with the text and a
 * caret. */
bool lab_entry_parse(const char *text, lab_entry *e, sim_message *msg);
/* Writes it again, as the glue declares it and as messages show it; malloc'ed. */
char *lab_entry_text(const lab_entry *e);
/* C++ whose main() calls the entry with what the runner sends; malloc'ed. */
char *lab_glue_source(const lab_entry *e);

/* The compiler's messages as a student should see them (messages.c): `inside` (the path given to nvcc)
 * becomes `shown_as`, what nvcc made of the source is undone, and links' errors are explained. malloc'ed. */
char *lab_compiler_messages(const char *raw, const char *inside, const char *shown_as,
                            const lab_entry *entry);

#endif
