/* See job.h. */
#include "runner/build/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "words/build.h"

/* The host's part rounds as written, on hosts with fused multiply-add (aarch64) and without: so a
 * lab's result is the same on both. Its line tables show where a call failed. The preprocessor does
 * not look for shorter names of the system's headers: that takes a tenth of its time. */
const char *const build_flags[BUILD_FLAGS] = {"-O3", "-lineinfo", "-std=c++17",
                                              "-Xcompiler=-ffp-contract=off",
                                              ("-Xcompiler=-g1,-gstatement-frontiers,"
                                               "-fno-canonical-system-headers")};

/* ---- its time ---- */

double job_cpu(const build_request *q) {
    return q->cpu_s > 0 ? q->cpu_s : 30;
}

double job_left(const build_job *b) {
    double left = b->deadline - lib_now();
    return left > 0.001 ? left : 0.001;
}

/* ---- how it fails ---- */

void job_clear_log(build_job *b) {
    free(b->r->log);
    b->r->log = NULL;
}

bool job_infra_message(build_job *b, const lib_message *why) {
    b->r->why = *why;
    job_clear_log(b);
    b->r->log = lib_words_take(LIB_EN, lib_message_words(why));
    b->r->infra = true;
    return false;
}

bool job_infra(build_job *b, lib_words words) {
    lib_message why = {0};
    lib_message_set(&why, words);
    return job_infra_message(b, &why);
}

bool job_cancelled(build_job *b) {
    b->r->cancelled = true;
    return job_infra(b, w_build_cancelled());
}

bool job_refuse(build_job *b, const char *text) {
    job_clear_log(b);
    b->r->log = lib_strdup(text);
    return false;
}

bool job_refuse_message(build_job *b, const lib_message *why) {
    b->r->why = *why;
    return job_refuse(b, "");
}

const char *job_shown(const build_job *b) {
    return b->q->shown_as ? b->q->shown_as : b->q->source;
}

/* ---- its folder ---- */

bool job_put_file(build_job *b, const char *folder, const char *name, const void *bytes, size_t n,
                  mode_t mode) {
    char *path = lib_format("%s/%s/%s", b->temporary, folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    bool ok = fd >= 0 && !fchmod(fd, mode);
    ok = ok && lib_write_all(fd, bytes, n);
    int error = errno;
    if (fd >= 0 && close(fd)) ok = false;
    if (!ok && (error == ENOSPC || error == EDQUOT)) job_infra(b, w_build_disk_full(path, error));
    else if (!ok) job_infra(b, w_build_cannot_write(path, error));
    free(path);
    return ok;
}

bool job_make_folder(build_job *b) {
    lib_message msg = {0};
    char *parent = lib_path_join(b->paths->cache, "tmp");
    bool ok = lib_scratch_make(&b->scratch, parent, &msg);
    b->temporary = b->scratch.path;
    static const char *const folders[] = {"src", "out", "new"};
    for (size_t i = 0; ok && i < 3; i++) {
        char *path = lib_path_join(b->temporary, folders[i]);
        if (mkdir(path, 0755) || chmod(path, 0755)) {
            lib_message_set(&msg, w_build_cannot_make(path, errno));
            ok = false;
        }
        free(path);
    }
    free(parent);
    return ok ? true : job_infra_message(b, &msg);
}

bool job_take_output(build_job *b, const char *name, const char *as, mode_t mode) {
    char *path = lib_format("%s/out/%s", b->temporary, name);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
              st.st_size <= 256 << 20;
    if (!ok) {
        job_infra(b, w_build_no_output(name));
    } else {
        size_t n = (size_t)st.st_size, got = 0;
        char *bytes = lib_malloc(n);
        while (got < n) {
            ssize_t r = read(fd, bytes + got, n - got);
            if (r < 0 && errno == EINTR) continue;
            if (r <= 0) break;
            got += (size_t)r;
        }
        ok = got == n ? job_put_file(b, "new", as, bytes, n, mode)
                      : job_infra(b, w_build_cannot_read(path, errno));
        free(bytes);
    }
    if (fd >= 0) close(fd);
    free(path);
    return ok;
}

char *job_header(const build_job *b, size_t i) {
    char *own = b->q->headers ? lib_path_join(b->q->headers, b->headers[i]) : NULL;
    if (own && lib_is_file(own)) return own;
    free(own);
    return lib_path_join(b->paths->kernels, b->headers[i]);
}
