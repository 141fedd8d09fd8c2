/* Turns a .cu file into a program: see build.h.
 *
 *   build_file: build_prepare (toolchain, source, key.c) --> cache.c has it? --> nvcc.c, tool.c -->
 *     cache.c keeps it
 *
 *   cache/tmp/XXXXXX/  the build's own folder (job.c)
 *   cache/build/KEY/   the kept files (cache.c) */
#include "runner/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/device/sim/profile.h"
#include "runner/device/server/device.h"
#include "runner/build/cache.h"
#include "runner/build/job.h"
#include "runner/build/wide.h"
#include "words/build.h"

void build_request_init(build_request *q) {
    sim_options o;
    sim_options_default(&o);
    *q = (build_request){.mode = SANDBOX_REQUIRED,
                         .arch = 90,
                         .machine_code = o.machine_code,
                         .cancel = lib_cancel()};
}

void build_result_free(build_result *r) {
    free(r->program);
    free(r->log);
    *r = (build_result){0};
}

static bool build_prepare(build_job *b) {
    lib_message msg = {0};
    const build_request *q = b->q;
    b->paths = lib_paths_get(&msg);
    if (!b->paths) return job_infra_message(b, &msg);
    bool (*parse)(const char *, build_entry *, lib_message *) =
        q->whole_program ? build_program_parse : build_entry_parse;
    if (q->entry_text && !parse(q->entry_text, &b->entry, &msg))
        return job_infra(b, w_build_entry_cannot_be_called(&msg));
    b->text = (q->file_count ? lib_read_source : lib_read_file)(q->source, BUILD_SOURCE_LIMIT,
                                                                &b->length, &msg);
    if (!b->text) {
        if (access(q->source, R_OK)) return job_infra_message(b, &msg);
        return job_refuse_message(b, &msg);
    }
    if (q->file_count) {
        b->part_count = lib_parts_split(b->text, b->length, b->parts, &msg);
        if (!b->part_count ||
            !lib_parts_are(b->parts, b->part_count, q->files, q->file_count, &msg))
            return job_refuse_message(b, &msg);
    }
    b->tools = build_toolchain_get(&msg);
    if (!b->tools) return job_infra_message(b, &msg);
    char *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    bool there = lib_is_file(lib);
    free(lib);
    if (!there) return job_infra(b, w_build_no_libcudart(b->paths->libs, b->paths->root));
    if (q->mode != SANDBOX_NONE && q->entry_text) {
        const sandbox_found *s = sandbox_get();
        if (!s->works && q->mode == SANDBOX_REQUIRED)
            return job_infra(b, w_build_no_sandbox(&s->why_not));
        b->sandboxed = s->works;
    }
    build_key(b);
    return true;
}

static bool build_compile(build_job *b) {
    if (!job_make_folder(b)) return false;
    bool ok = b->q->entry_text ? build_lab(b) : build_program(b);
    /* A failure is kept only if it is the text's own, because then the same text gives it again. A
     * time limit depends on the machine, too. */
    bool keep = !b->r->infra && (ok || b->q->entry_text) && !b->timed_out;
    bool kept = keep && build_cache_keep(b);
    if (kept && ok) b->r->program = lib_path_join(b->place, "program");
    return kept && ok;
}

/* Adds what the compiler cannot say well: full-width punctuation, and what its words mean. */
static void build_blame(const build_job *b) {
    bool found = b->text && !b->part_count && wide_find(b->text, b->length, NULL, &b->r->why);
    for (size_t i = 0; !found && i < b->part_count; i++)
        found = wide_find(b->parts[i].text, b->parts[i].n, b->parts[i].name, &b->r->why);
    if (!found) build_explain(b->r->log, &b->r->why);
}

/* deadline: on lib_now()'s clock. */
static bool build_one(const build_request *q, double deadline, build_result *r) {
    *r = (build_result){0};
    build_request request = *q;
    if (!request.arch) request.arch = 90;
    if (request.also == request.arch || !request.entry_text || request.debug) request.also = 0;
    build_job b = {.q = &request, .r = r, .deadline = deadline};
    double begin = lib_now();
    snprintf(r->arch, sizeof r->arch, "sm_%u", request.arch);
    if (request.cancel && *request.cancel) job_cancelled(&b);
    else if (build_prepare(&b) && !build_cache_find(&b)) r->ok = build_compile(&b);
    if (!r->log) r->log = lib_strdup("");
    if (!r->ok && *r->log && !r->infra) build_blame(&b);
    if (!r->ok && r->program) {
        free(r->program);
        r->program = NULL;
    }
    r->seconds = lib_now() - begin;
    lib_scratch_remove(&b.scratch);
    for (size_t i = 0; i < b.header_count; i++) free(b.headers[i]);
    free(b.text);
    free(b.place);
    free(b.glue);
    return r->ok;
}

bool build_file(const build_request *q, build_result *r) {
    double deadline = lib_now() + BUILD_CLOCK * job_cpu(q);
    if (build_one(q, deadline, r) || r->infra || !q->also) return r->ok;
    /* One of the two may be what it does not compile for. */
    build_request alone = *q;
    double spent = r->seconds;
    alone.also = 0;
    build_result_free(r);
    build_one(&alone, deadline, r);
    r->seconds += spent;
    return r->ok;
}

unsigned build_arch(const char *device) {
    char name[64];
    if (!strncmp(device, "gpu:", 4)) {
        char nearest[64];
        const lib_message *why;
        unsigned arch = 0;
        /* The architecture of the simulated device that explains it: one program runs on both. */
        return dev_gpu_found(&arch, nearest, &why) ? build_arch(nearest) : 90;
    }
    if (strncmp(device, "sim:", 4)) return 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device + 4, ","), device + 4);
    const sim_profile *p = sim_profile_find(name);
    return p ? p->compile_arch : 0;
}
