/* See machine.h. */
#include "runner/build/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/build/cache.h"
#include "runner/build/steps.h"
#include "runner/build/tool.h"
#include "runner/device/server/device.h"

enum { HASH = BUILD_CACHE_HASH, TEXTS = 8, WALL_SECONDS = 60 };

const char *build_machine_tool(const build_job *b) {
    const char *tool = b->q->machine_code && !b->q->debug ? build_disassembler() : NULL;
    return tool && b->sandboxed ? BUILD_MACHINE_TOOL : tool;
}

/* ---- making it ---- */

char *build_machine_recipe(const build_job *b, const char *recipe) {
    char *kept = build_machine_tool(b) && !b->q->no_cache ? build_cache_texts() : NULL,
         *with = kept ? build_recipe_kept(recipe, b->sandboxed ? BUILD_CACHE_TEXTS : kept)
                      : lib_strdup(recipe);
    free(kept);
    return with;
}

/* Writes the cubins of one architecture as src/mN.cubin, and a step of the recipe for each. */
static bool put_cubins(build_job *b, const char *code, size_t n, unsigned arch, unsigned *count,
                       char **recipe) {
    const char *src = b->sandboxed ? "/src" : NULL, *to = b->sandboxed ? "/out" : NULL;
    char *own_src = src ? NULL : lib_path_join(b->temporary, "src"),
         *own_out = to ? NULL : lib_path_join(b->temporary, "out");
    bool ok = true;
    build_code containers = {.bytes = code, .n = n};
    char *ptx;
    void *cubin;
    size_t ptx_len, cubin_len;
    while (ok && *count < TEXTS &&
           build_code_next(&containers, arch, b->q->cancel, &ptx, &ptx_len, &cubin, &cubin_len)) {
        if (cubin && cubin_len <= BUILD_MACHINE_BYTES) {
            char name[32];
            snprintf(name, sizeof name, "m%u.cubin", (*count)++);
            ok = job_put_file(b, "src", name, cubin, cubin_len, 0644);
            char *path = lib_path_join(src ? src : own_src, name),
                 *more = build_recipe_machine_of(*recipe, build_machine_tool(b), to ? to : own_out,
                                                 path);
            free(path);
            free(*recipe);
            *recipe = more;
        }
        free(ptx);
        free(cubin);
    }
    free(own_src);
    free(own_out);
    return ok;
}

bool build_machine_make(build_job *b) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true; /* as in nvcc_steps() */
#endif
    lib_message ignored;
    size_t n = 0;
    unsigned count = 0;
    if (!build_machine_tool(b)) return true;
    char *program = lib_format("%s/out/program", b->temporary), *recipe = lib_strdup(""),
         *code = build_elf_section(program, ".nv_fatbin", &n, &ignored),
         *driver = lib_path_join(b->paths->libs, "warplab");
    bool ok = !code || (put_cubins(b, code, n, b->q->arch, &count, &recipe) &&
                        (!b->q->also || put_cubins(b, code, n, b->q->also, &count, &recipe)));
    char *with = build_machine_recipe(b, recipe);
    free(recipe);
    recipe = with;
    if (ok && count && !access(driver, X_OK) &&
        (ok = job_put_file(b, "src", "machine", recipe, strlen(recipe), 0644))) {
        char *path =
            b->sandboxed ? lib_strdup("/src/machine") : lib_format("%s/src/machine", b->temporary);
        const char *const run[] = {b->sandboxed ? "/warplab" : driver, "--steps", path, NULL};
        lib_buffer raw = {0};
        const build_tool t = {.argv = run, .what = "nvdisasm", .raw = &raw, .optional = true};
        b->driver = driver;
        build_tool_run(b, &t);
        b->driver = NULL;
        lib_buffer_free(&raw);
        free(path);
    }
    free(driver);
    free(program);
    free(recipe);
    free(code);
    return ok && !b->r->cancelled;
}

static bool is_text_name(const char *name) {
    size_t n = strspn(name, "0123456789abcdef");
    return n == HASH && !strcmp(name + n, ".sass");
}

bool build_machine_take(build_job *b) {
    char *out = lib_path_join(b->temporary, "out");
    DIR *d = opendir(out);
    bool ok = true;
    unsigned taken = 0;
    for (struct dirent *e; ok && d && taken < TEXTS && (e = readdir(d));) {
        struct stat st;
        if (!is_text_name(e->d_name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode) || !st.st_size || st.st_size > BUILD_MACHINE_BYTES)
            continue;
        ok = job_take_output(b, e->d_name, e->d_name, 0644);
        char *path = lib_format("%s/new/%s", b->temporary, e->d_name),
             *hash = lib_format("%.*s", HASH, e->d_name);
        if (ok && !b->q->no_cache) build_cache_keep_text(path, NULL, 0, hash);
        free(path);
        free(hash);
        taken++;
    }
    if (d) closedir(d);
    free(out);
    return ok;
}

/* ---- reading it ---- */

char *build_machine_code(const char *program, const void *cubin, size_t n, size_t *len) {
    char hex[HASH + 1];
    build_cache_hash(cubin, n, hex);
    const char *slash = strrchr(program, '/');
    char *path = lib_format("%.*s/" BUILD_MACHINE_FILE, slash ? (int)(slash - program) : 1,
                            slash ? program : ".", hex);
    char *text = lib_read_file(path, BUILD_MACHINE_BYTES, len, NULL);
    free(path);
    return text;
}

/* Runs nvdisasm with the user's rights; malloc'ed text, or NULL. */
static char *disassemble(const char *tool, const void *cubin, size_t n, size_t *len) {
    const char *argv[] = {tool, "-c", "-gi", "-gp", "-hex", "code.cubin", BUILD_MACHINE_QUICK,
                          NULL};
    size_t quick = sizeof argv / sizeof *argv - 2;
    const sim_command_file file = {.name = "code.cubin", .bytes = cubin, .len = n};
    char *output = lib_malloc(BUILD_MACHINE_BYTES + 1), *text = NULL;
    const sim_command c = {.argv = argv,
                           .files = &file,
                           .file_count = 1,
                           .output = output,
                           .output_max = BUILD_MACHINE_BYTES,
                           .seconds = WALL_SECONDS, /* on a busy machine */
                           .memory_bytes = (uint64_t)4 << 30,
                           .cancel = lib_cancel()};
    lib_message ignored;
    bool done = dev_run_command(NULL, &c, &ignored) == SIM_COMMAND_DONE;
    if (done && build_machine_jumps(output, strlen(output))) {
        argv[quick] = NULL;
        done = dev_run_command(NULL, &c, &ignored) == SIM_COMMAND_DONE;
    }
    if (done && *output) {
        text = lib_strdup(output);
        *len = strlen(text);
    }
    free(output);
    return text;
}

char *build_machine_code_own(const char *program, const void *cubin, size_t n, size_t *len) {
    char *text = build_machine_code(program, cubin, n, len);
    const char *tool = text ? NULL : build_disassembler();
    if (!tool) return text;
    char hex[HASH + 1];
    build_cache_hash(cubin, n, hex);
    char *kept = build_cache_texts(),
         *file = kept ? lib_format("%s/%s/" BUILD_MACHINE_FILE, kept, hex, hex) : NULL;
    text = file ? lib_read_file(file, BUILD_MACHINE_BYTES, len, NULL) : NULL;
    bool found = text && *len;
    if (!found) {
        free(text);
        text = disassemble(tool, cubin, n, len);
    }
    if (text) build_cache_keep_text(NULL, text, *len, hex);
    free(kept);
    free(file);
    return text;
}
