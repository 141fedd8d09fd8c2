/* One build, shared by the files of this room: what is built, where, and how it failed. */
#ifndef WARPLAB_BUILD_JOB_H
#define WARPLAB_BUILD_JOB_H

#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/build/build.h"

enum {
    BUILD_FLAGS = 5,
    BUILD_SOURCE_LIMIT = 1 << 20,
    BUILD_MAX_HEADERS = 64,
    /* The deadline of a build, in times of job_cpu(): an overloaded machine must not decide, but a
     * file that blocks its reader, and many parts that each take what one may, must end. */
    BUILD_CLOCK = 5,
};
/* Increment it when outputs change although no input changes. */
#define BUILD_FORMAT "warplab build 4"
extern const char *const build_flags[BUILD_FLAGS]; /* nvcc's */

typedef struct {
    const build_request *q;
    build_result *r;
    const lib_paths *paths;
    const build_toolchain *tools;
    build_entry entry;
    char *text; /* the source; the joined files if it has several */
    size_t length;
    lib_part parts[LIB_PARTS]; /* its files; none for a single file */
    size_t part_count;
    char file[64]; /* the source's name for the compiler: "vector-add.cu" */
    char key[65];
    char *place; /* cache/build/KEY */
    lib_scratch scratch;
    const char *temporary; /* its path, cache/tmp/XXXXXX: src/ out/ new/ */
    char *glue;            /* object file */
    char *driver;          /* our own program, if it runs nvcc's steps inside the sandbox */
    bool sandboxed;
    /* A limit of time or memory, or a crash, ended a tool; nvcc itself would end in the same way.
     * timed_out: it was the time limit, which nvcc might not meet on an idle machine. */
    bool ended, timed_out;
    double deadline; /* of the whole build, attempts and retries included; on lib_now()'s clock */
    char *headers[BUILD_MAX_HEADERS]; /* names in kernels/, or in the request's folder */
    size_t header_count;
} build_job;

double job_cpu(const build_request *q); /* seconds of computing of each part of the compiler */
/* Seconds on the clock until the deadline: at least a moment, so that what is started then ends by
 * the limit. */
double job_left(const build_job *b);

/* How a build fails; each returns false. */
/* Not the source's fault. */
bool job_infra(build_job *b, lib_words words);
bool job_infra_message(build_job *b, const lib_message *why);
bool job_cancelled(build_job *b);
/* The source is at fault: what the compiler says about it, or why the compiler was not asked. */
bool job_refuse(build_job *b, const char *log);
bool job_refuse_message(build_job *b, const lib_message *why);
void job_clear_log(build_job *b);
const char *job_shown(const build_job *b); /* the file's name in messages */

/* Returns the path of header i, in the request's folder or in kernels/; malloc'ed. */
char *job_header(const build_job *b, size_t i);

/* Returns the text of a header that nvcc reads before the source: with it, the headers of CUDA and
 * C++ leave out what the `n` bytes of `text` do not name (lean.c). "" if everything may be needed.
 * `parts` are the files that the text was joined from; none for a single file. malloc'ed. */
char *job_lean(const char *text, size_t n, const lib_part *parts, size_t part_count);

/* Makes the folder of this build: src/ for inputs, out/ for outputs of the tools, new/ for what
 * will be kept. */
bool job_make_folder(build_job *b);
bool job_put_file(build_job *b, const char *folder, const char *name, const void *bytes, size_t n,
                  mode_t mode);
/* Moves out/NAME, which untrusted work wrote, to new/AS: it must be a regular file, not a link, of
 * a reasonable size. */
bool job_take_output(build_job *b, const char *name, const char *as, mode_t mode);

/* Builds a lab's file: copies it, with the headers that it may include, into a folder of its own.
 * nvcc sees only that folder, the toolkit and /usr, in the sandbox; the link with the glue runs
 * there, too. */
bool build_lab(build_job *b);
/* Builds a whole program (profile): in place, with the user's own rights. */
bool build_program(build_job *b);

#endif
