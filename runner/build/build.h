/* Turns a .cu file into a program: nvcc without a shell, the glue, the link, and a cache by
 * content.
 *
 *   FILE.cu --nvcc's steps (sandbox)--> object ---------------------------------+
 *   the entry's declaration --glue.c--> .cpp --g++--> object (one a declaration) -+--> g++ -->
 *                                                                                     program
 *
 * The program needs libcudart.so.13, which is ours. The cache key contains everything that affects
 * an output: source, the headers that it may include, flags, toolchain version. */
#ifndef WARPLAB_BUILD_H
#define WARPLAB_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include "runner/base/message.h"
#include "runner/sandbox/sandbox.h"

typedef struct {
    char nvcc[512]; /* absolute path of the real program; links and wrapper scripts are resolved */
    char home[512]; /* its toolkit, with bin/, nvvm/, include/ */
    char ptxas[512];
    char version[32]; /* "13.0.88" */
    char cxx[256];    /* host compiler */
} build_toolchain;
/* Looks in WARPLAB_NVCC, the project's .toolchain, PATH, CUDA_HOME, /usr/local/cuda*, /opt/cuda;
 * with WARPLAB_NO_SYSTEM_CUDA=1 only in the first two. The answer is kept. Returns NULL on failure;
 * *msg says what to do. */
const build_toolchain *build_toolchain_get(lib_message *msg);
/* Returns the path of nvdisasm: WARPLAB_NVDISASM, next to ptxas, as installed by setup/nvcc.sh, on
 * PATH, in the toolkit. NULL: not found. The answer is kept. */
const char *build_disassembler(void);

enum { BUILD_MORE_FLAGS = 64 };
typedef struct {
    const char *source;   /* the .cu file */
    const char *shown_as; /* its name in messages; NULL: source */
    /* the entry's declaration: glue that calls it is linked; NULL: the file has its own main() */
    const char *entry_text;
    /* with an entry_text: the files of the source (base/file.h); 0: a single file */
    const char *const *files;
    size_t file_count;
    /* without an entry_text: further flags for nvcc; the linker also gets -l and -L */
    const char *const *flags;
    size_t flag_count; /* at most BUILD_MORE_FLAGS */
    bool debug;        /* nvcc -G: variables can be inspected, nothing is optimised */
    /* the student's file has main(); the glue gives it input and takes its output */
    bool whole_program;
    const char *headers; /* a folder whose headers come before those of kernels/; NULL: none */
    unsigned arch;       /* 90; 0: 90 */
    /* Another architecture for which the same program is wanted soon; 0: none. The program then has
     * code for both, in two thirds of the time of two programs, and a request for either with the
     * other finds it. A source that does not compile for both is compiled for `arch` only. Only for
     * a lab's files. */
    unsigned also;
    sandbox_mode mode; /* of the compile */
    /* Keep the text of its machine code with the program (build_machine_code()). This takes half a
     * second of CPU time, in parallel to the compile of the host's part. Default as in
     * sim_options_default(). */
    bool machine_code;
    bool no_cache;
    /* seconds of computing of each part of the compiler; 0: 30. The whole build has five times that
     * on the clock */
    double cpu_s;
    uint64_t memory; /* bytes that each of the compiler's processes may take; 0: 4 GiB */
    const volatile int *cancel;
} build_request;
void build_request_init(build_request *q);
/* Returns whether `flag` may be one of build_request.flags. Flags that change what nvcc makes,
 * where it puts it, for which device, or with which other program are not allowed. */
bool build_flag_fits(const char *flag);

typedef struct {
    bool ok;
    bool infra; /* not ok, and not the source's fault: no nvcc, a full disk, cancelled */
    bool cached;
    bool cancelled;
    char *program; /* absolute path in the cache folder; malloc'ed */
    /* the compiler's messages for the student's own file and lines, or the reason for infra;
     * malloc'ed, never NULL */
    char *log;
    /* In both languages. infra: the same reason; otherwise why the compiler was not asked (the log
     * is empty), or what in the source is probably wrong; "" if unknown. */
    lib_message why;
    double seconds, nvcc_seconds;
    char arch[16]; /* "sm_90" */
} build_result;
/* Never exits, never prints. Returns r->ok. */
bool build_file(const build_request *q, build_result *r);
void build_result_free(build_result *r);

/* Returns the output of `nvdisasm -c -gi -gp -hex` for the cubin from when the program was built;
 * malloc'ed. NULL: it was not built here, or without nvdisasm, or for another cubin. For
 * dev_options.machine_code. */
char *build_machine_code(const char *program, const void *cubin, size_t n, size_t *len);
/* The same for a program of the user's own. Without a kept text, nvdisasm is run now, with the
 * user's rights. */
char *build_machine_code_own(const char *program, const void *cubin, size_t n, size_t *len);

/* Returns the architecture to compile for on a device ("sim:h200" -> 90). 0: unknown. */
unsigned build_arch(const char *device);

/* A program's dynamic dependencies, read from its ELF headers: only a program that loads
 * libcudart.so.13 can run on a device of ours. */
typedef enum {
    BUILD_ELF_SHARED_CUDART,
    BUILD_ELF_STATIC_CUDART,
    BUILD_ELF_NO_CUDA,
    BUILD_ELF_OTHER_CUDART,
    BUILD_ELF_NOT_A_PROGRAM
} build_elf;
/* needed: the libcudart that it needs, if any */
build_elf build_elf_check(const char *path, char *needed, size_t n);
/* Returns the bytes of one of its sections, malloc'ed; NULL and a message if there is none. */
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
    /* "float", "int", "size_t": the plain type, or the type that the pointer points to */
    char type[32];
    bool pointer, is_const;
    char name[48]; /* p0, p1 ... if the declaration has no names */
} build_entry_param;
typedef struct {
    char name[64];
    build_entry_param params[24];
    size_t count;
} build_entry;
/* "void vector_add(const float *a, const float *b, float *c, int n)". Returns false on failure;
 * *msg has the text and a caret. */
bool build_entry_parse(const char *text, build_entry *e, lib_message *msg);
/* Writes the declaration again, for the glue and for messages; malloc'ed. */
char *build_entry_text(const build_entry *e);
/* Returns C++ whose main() calls the entry with the values that the runner sends; malloc'ed. */
char *build_glue_source(const build_entry *e);
/* A whole program instead of an entry (glue_program.c). Plain parameters are its arguments, const
 * buffers its standard input, other buffers its standard output; all are numbers. Adds the hidden
 * parameters with the lengths of the buffers to *e, in their order: NAME_count. Returns false and
 * sets *msg if a buffer's elements are not numbers, or if there are too many parameters. */
bool build_program_parse(const char *text, build_entry *e, lib_message *msg);
char *build_program_source(const build_entry *e);
/* Returns whether a value of this type is a number; *real: a real number, not a whole one. */
bool build_entry_number(const char *type, bool *real);

/* Returns the compiler's messages as a student should see them (messages.c): `inside` (the path
 * given to nvcc) becomes `shown_as`, nvcc's changes to the source are undone, and link errors are
 * explained, with what the source (may be NULL) has in place of the entry. malloc'ed. */
char *build_messages(const char *raw, const char *inside, const char *shown_as,
                     const build_entry *entry, const char *source);
/* Finds the first line of such messages with an error that glosses.def explains. Fills *msg with
 * its line in the source and its meaning (explain.c). Returns false if there is none. */
bool build_explain(const char *log, lib_message *msg);

#endif
