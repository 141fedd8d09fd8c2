/* From a .cu file to a program: nvcc without a shell, the glue, the link, and a cache by content.
 *
 *   FILE.cu --nvcc's steps (sandbox)--> object --------------------------------------+
 *   the entry's declaration --glue.c--> .cpp --g++--> object (once per declaration) --+--> g++ --> program
 *
 * The program needs libcudart.so.13, which is ours. Everything that went into an output is in its
 * cache key: source, the headers it may include, flags, toolchain version. */
#ifndef WARPLAB_BUILD_H
#define WARPLAB_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

typedef struct {
    char nvcc[512]; /* absolute path of the real program, links and wrapper scripts resolved */
    char home[512]; /* its toolkit: holds bin/, nvvm/, include/ */
    char ptxas[512];
    char version[32]; /* "13.0.88" */
    char cxx[256];    /* host compiler */
} build_toolchain;
/* Looks in WARPLAB_NVCC, the project's .toolchain, PATH, CUDA_HOME, /usr/local/cuda*, /opt/cuda;
 * WARPLAB_NO_SYSTEM_CUDA=1 leaves only the first two. The answer is kept. NULL and *msg says what
 * to do. */
const build_toolchain *build_toolchain_get(lib_message *msg);
/* nvdisasm: WARPLAB_NVDISASM, beside ptxas, what setup/nvcc.sh brought, on PATH, where the toolkit
 * puts it. NULL: it is not here. The answer is kept. */
const char *build_disassembler(void);

enum { BUILD_MORE_FLAGS = 64 };
typedef struct {
    const char *source;   /* the .cu file */
    const char *shown_as; /* what messages call it; NULL: source */
    /* the entry's declaration: glue is linked that calls it; NULL: the file has its own main() */
    const char *entry_text;
    /* with an entry_text: the files that the source is made of (base/file.h); 0: it is one file */
    const char *const *files;
    size_t file_count;
    const char *const
        *flags;         /* without an entry_text: more for nvcc, -l and -L for the linker too */
    size_t flag_count;  /* at most BUILD_MORE_FLAGS */
    bool debug;         /* nvcc -G: variables can be looked at, nothing is optimised */
    bool whole_program; /* its main() is the student's; the glue gives it input, takes its output */
    const char *headers; /* a folder whose headers go before those of kernels/; NULL: none */
    unsigned arch;       /* 90; 0: 90 */
    /* Another architecture that the same program is wanted for soon; 0: none. It then holds code for both,
     * in two thirds of the time that two programs take, and is found by whoever asks for either with the
     * other. What does not compile for both is compiled for `arch` alone. Of a lab's files only. */
    unsigned also;
    sandbox_mode mode; /* of the compile */
    /* The text of its machine code is wanted beside it (build_machine_code()): half a second of
     * computing, beside the compile of the host's part. As sim_options_default() has it. */
    bool machine_code;
    bool no_cache;
    /* seconds of computing of each part of the compiler; 0: 30. The whole build has five times that
     * on the clock */
    double cpu_s;
    uint64_t memory; /* bytes that each of the compiler's processes may take; 0: 4 GiB */
    const volatile int *cancel;
} build_request;
void build_request_init(build_request *q);
/* Whether `flag` may be one of build_request.flags: not one that says what nvcc makes, where it puts
 * it, for which device, or with which other program. */
bool build_flag_fits(const char *flag);

typedef struct {
    bool ok;
    bool infra; /* not ok, and not the source's fault: no nvcc, a full disk, cancelled */
    bool cached;
    bool cancelled;
    char *program; /* absolute path in the cache folder; malloc'ed */
    /* the compiler's messages at the student's own file and lines, or why it is infra;
     * malloc'ed, never NULL */
    char *log;
    /* In both languages: infra: the same; else why the compiler was not asked (the log is empty), or
     * what of the source is likely to blame; "" unless known. */
    lib_message why;
    double seconds, nvcc_seconds;
    char arch[16]; /* "sm_90" */
} build_result;
/* Never exits, never prints. Returns r->ok. */
bool build_file(const build_request *q, build_result *r);
void build_result_free(build_result *r);

/* What `nvdisasm -c -gi -hex` wrote of the cubin when the program was built; malloc'ed, NULL: it was
 * not built here, or without nvdisasm, or for another cubin. As dev_options.machine_code. */
char *build_machine_code(const char *program, const void *cubin, size_t n, size_t *len);
/* The same for a program of the user's own: where there is none nvdisasm is asked now, with the
 * user's rights. */
char *build_machine_code_own(const char *program, const void *cubin, size_t n, size_t *len);

/* The architecture to compile for on a device ("sim:h200" -> 90). 0 if unknown. */
unsigned build_arch(const char *device);

/* A program's dynamic needs, read from its ELF headers: does it load libcudart.so.13 (then a device
 * can be put under it)? */
typedef enum {
    BUILD_ELF_SHARED_CUDART,
    BUILD_ELF_STATIC_CUDART,
    BUILD_ELF_NO_CUDA,
    BUILD_ELF_OTHER_CUDART,
    BUILD_ELF_NOT_A_PROGRAM
} build_elf;
/* needed: the libcudart it asks for, if any */
build_elf build_elf_check(const char *path, char *needed, size_t n);
/* The bytes of one of its sections; malloc'ed, NULL and a message when there is none. */
char *build_elf_section(const char *path, const char *name, size_t *n, lib_message *msg);

/* The containers of a program's section .nv_fatbin, one by one. Who wrote the program may have
 * written the section too: then a few kilobytes unpack to gigabytes. */
#define BUILD_CODE_BYTES ((uint64_t)64 << 20) /* PTX and machine code of all containers, unpacked */
typedef struct {
    const char *bytes; /* the section; borrowed */
    size_t n, at;      /* at: of the next container; 0 at first */
    unsigned count;
    uint64_t unpacked;
    bool too_much; /* more than BUILD_CODE_BYTES, or than 65,536 containers: the rest is not read */
} build_code;
/* Unpacks the next container that has PTX for `arch`; *ptx and *cubin are malloc'ed, *cubin may be
 * NULL. False: there is none, it is too much, or *cancel is raised. */
bool build_code_next(build_code *c, unsigned arch, const volatile int *cancel, char **ptx,
                     size_t *ptx_len, void **cubin, size_t *cubin_len);

/* ---- the entry's declaration (glue.c) ---- */

typedef struct {
    char type[32]; /* "float", "int", "size_t": the pointed-to or plain type */
    bool pointer, is_const;
    char name[48]; /* p0, p1 ... where the declaration gives none */
} build_entry_param;
typedef struct {
    char name[64];
    build_entry_param params[24];
    size_t count;
} build_entry;
/* "void vector_add(const float *a, const float *b, float *c, int n)". False and a message with the
 * text and a caret. */
bool build_entry_parse(const char *text, build_entry *e, lib_message *msg);
/* Writes it again, as the glue declares it and as messages show it; malloc'ed. */
char *build_entry_text(const build_entry *e);
/* C++ whose main() calls the entry with what the runner sends; malloc'ed. */
char *build_glue_source(const build_entry *e);
/* A whole program instead of an entry (glue_program.c). Plain parameters are its arguments, buffers
 * to const its standard input, others its standard output, numbers all of them. Adds to *e the
 * hidden parameters that say how long the buffers are, in their order: NAME_count. False and *msg:
 * a buffer of something that is no number, or too many parameters. */
bool build_program_parse(const char *text, build_entry *e, lib_message *msg);
char *build_program_source(const build_entry *e);
/* Is a value of this type a whole number (or a real one)? False: neither. */
bool build_entry_number(const char *type, bool *real);

/* The compiler's messages as a student should see them (messages.c): `inside` (the path given to
 * nvcc) becomes `shown_as`, what nvcc made of the source is undone, and links' errors are
 * explained. malloc'ed. */
char *build_messages(const char *raw, const char *inside, const char *shown_as,
                     const build_entry *entry);
/* The first line of such messages that is an error which glosses.def knows: fills *msg with its line in the
 * source and what it means (explain.c). False: there is none. */
bool build_explain(const char *log, lib_message *msg);

#endif
