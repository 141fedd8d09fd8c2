/* Compiles and links, with nvcc (job.h has the door of this file).
 *
 *   a lab's file     nvcc's own steps in one sandbox, together with the link (steps.c); if anything
 *                    is unexpected or fails, nvcc itself, whose messages the student sees; then the
 *                      link
 *   a lab's files    nvcc, one object a file, then the link
 *   a whole program  nvcc, then the link
 *
 * The first and the last are first tried without the headers that the source does not need.
 *
 * At the same time, nvdisasm writes the machine code (machine.h).
 *
 *   cache/glue/KEY.o     main() of one declaration, compiled once
 *   cache/recipes/KEY    nvcc's steps, obtained once for a toolchain and an architecture */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/sha256.h"
#include "runner/build/cache.h"
#include "runner/build/job.h"
#include "runner/build/machine.h"
#include "runner/build/steps.h"
#include "runner/build/tool.h"
#include "words/build.h"

/* Fixed, whatever the name of the student's file, so that one list of steps fits all. The second is
 * the output of job_lean(). */
static const char source_name[] = "student.cu", lean_name[] = ".lean.h";

static bool nvcc_tool(build_job *b, const char *const *argv, const char *cwd, const char *glue,
                      const char *what) {
    const build_tool t = {.argv = argv, .cwd = cwd, .glue = glue, .what = what};
    return build_tool_run(b, &t) == TOOL_OK;
}

/* The flags of the requested architectures, the older one first. */
enum { ARCHS = 2 };
typedef struct {
    char flag[ARCHS][96];
    size_t n;
} nvcc_archs;

/* Instructions of warpgroups, and those that change tensor maps, are for sm_90a: then the source is
 * compiled for that. */
static const char *nvcc_arch_suffix(const build_job *b, unsigned arch) {
    static const char *const words[] = {"wgmma.", "setmaxnreg.", "tensormap.replace"};
    bool found = false;
    for (size_t i = 0; arch == 90 && i < sizeof words / sizeof *words; i++)
        found |= memmem(b->text, b->length, words[i], strlen(words[i])) != NULL;
    return found ? "a" : "";
}

static nvcc_archs nvcc_archs_of(const build_job *b) {
    unsigned arch = b->q->arch, also = b->q->also, of[ARCHS] = {arch, also};
    nvcc_archs a = {.n = also ? 2 : 1};
    if (!also && !*nvcc_arch_suffix(b, arch)) {
        snprintf(a.flag[0], sizeof a.flag[0], "-arch=sm_%u", arch);
        return a;
    }
    if (also && also < arch) of[0] = also, of[1] = arch;
    for (size_t i = 0; i < ARCHS && i < a.n; i++) {
        const char *x = nvcc_arch_suffix(b, of[i]);
        snprintf(a.flag[i], sizeof a.flag[i],
                 "-gencode=arch=compute_%u%s,code=[sm_%u%s,compute_%u%s]", of[i], x, of[i], x,
                 of[i], x);
    }
    return a;
}

/* The flag that has a source, with the lab's headers that it names, read without what it does not
 * need (lean.c); malloc'ed. NULL: it is compiled as it is. */
static char *nvcc_lean(build_job *b) {
    lib_part parts[LIB_PARTS + 1] = {0};
    size_t count = b->part_count;
    if (count) memcpy(parts, b->parts, count * sizeof *parts);
    lib_buffer all = {0};
    lib_buffer_add(&all, b->text, b->length);
    for (size_t i = 0; i < b->header_count && count <= LIB_PARTS; i++) {
        char *named = lib_format("\"%s\"", b->headers[i]), *path = job_header(b, i), *text = NULL;
        size_t n;
        if (!lib_parts_find(b->parts, b->part_count, b->headers[i]) &&
            strlen(b->headers[i]) < LIB_PART_NAME &&
            memmem(b->text, b->length, named, strlen(named)))
            text = lib_read_file(path, BUILD_SOURCE_LIMIT, &n, NULL);
        if (text) {
            lib_buffer_add(&all, text, n);
            snprintf(parts[count++].name, LIB_PART_NAME, "%s", b->headers[i]);
        }
        free(named);
        free(path);
        free(text);
    }
    char *text = job_lean(all.s, all.n, parts, count);
    lib_buffer_free(&all);
    bool some = *text && job_put_file(b, "src", lean_name, text, strlen(text), 0644);
    free(text);
    return some ? lib_format("-Xcompiler=-include,%s/src/%s", b->sandboxed ? "" : b->temporary,
                             lean_name)
                : NULL;
}

/* Returns whether a first attempt failed in a way in which another may not. Then its messages are
 * dropped. */
static bool nvcc_may_try_again(build_job *b) {
    if (b->r->infra || b->ended) return false;
    job_clear_log(b);
    return true;
}

/* nvcc, the flags, the architectures, `rest`, and the flag of nvcc_lean(), if any. */
static void nvcc_command(const build_job *b, const nvcc_archs *archs, const char *const *rest,
                         const char *lean, const char **argv) {
    size_t n = 0;
    argv[n++] = b->tools->nvcc;
    if (b->q->debug) argv[n++] = "-G";
    for (size_t i = 0; i < BUILD_FLAGS; i++)
        if (!b->q->debug || build_flags[i][1] == 's') argv[n++] = build_flags[i];
    for (size_t i = 0; i < archs->n; i++) argv[n++] = archs->flag[i];
    while (*rest) argv[n++] = *rest++;
    if (lean) argv[n++] = lean;
    argv[n] = NULL;
}

/* Compiles main() for this declaration once; it is our own code, so outside the sandbox. */
static bool nvcc_glue(build_job *b) {
    char *source = (b->q->whole_program ? build_program_source : build_glue_source)(&b->entry),
         key[65];
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, BUILD_FORMAT);
    lib_sha256_add_text(&s, b->tools->cxx);
    lib_sha256_add_text(&s, source);
    lib_sha256_end_hex(&s, key);
    b->glue = lib_format("%s/glue/%s.o", b->paths->cache, key);
    if (lib_is_file(b->glue)) {
        free(source);
        return true;
    }
    lib_message msg = {0};
    char *folder = lib_path_join(b->paths->cache, "glue"),
         *cpp = lib_format("%s/glue.cpp", b->temporary),
         *object = lib_format("%s/glue.o", b->temporary);
    bool ok = lib_make_folders(folder, &msg) && lib_write_file(cpp, source, strlen(source), &msg);
    if (!ok) job_infra_message(b, &msg);
    if (ok) {
        char *include = lib_format("-I%s", b->paths->root);
        const char *const argv[] = {b->tools->cxx, "-std=c++17", "-O1", "-w",   include,
                                    "-c",          cpp,          "-o",  object, NULL};
        sandbox_spawn q;
        sandbox_spawn_init(&q);
        q.mode = SANDBOX_NONE;
        q.argv = argv;
        q.wall_s = job_left(b);
        q.cancel = b->q->cancel;
        sandbox_exit e = {0};
        if (sandbox_run(&q, &e, &msg)) ok = job_infra_message(b, &msg);
        else if (e.end == SANDBOX_END_CANCELLED) ok = job_cancelled(b);
        else if (e.end != SANDBOX_END_EXIT || e.code)
            ok = job_infra(b, w_build_cannot_compile_glue(b->entry.name, e.output));
        sandbox_exit_free(&e);
        free(include);
    }
    /* The first process keeps the place. A replaced file has no name any more, so a sandbox that is
     * about to show it to its linker could not. Submission and baseline are built in parallel. */
    if (ok && (chmod(object, 0644) || (link(object, b->glue) && errno != EEXIST)))
        ok = job_infra(b, w_build_cannot_keep_glue(b->glue, errno));
    free(folder);
    free(cpp);
    free(object);
    free(source);
    return ok;
}

/* ---- a lab's file ---- */

/* The line directive gives every build of this text the same name in messages and line tables,
 * wherever it is compiled. */
static bool nvcc_put_source(build_job *b, const char *name, const char *shown, const char *text,
                            size_t n) {
    if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3; /* a byte-order mark may only be at the start */
        n -= 3;
    }
    lib_buffer source = {0};
    lib_buffer_printf(&source, "#line 1 \"/src/%s\"\n", shown);
    lib_buffer_add(&source, text, n);
    lib_buffer_puts(&source, "\n");
    bool ok = job_put_file(b, "src", name, source.s, source.n, 0644);
    lib_buffer_free(&source);
    return ok;
}

static bool nvcc_put_sources(build_job *b) {
    bool ok = b->part_count || nvcc_put_source(b, source_name, b->file, b->text, b->length);
    for (size_t i = 0; ok && i < b->part_count; i++)
        ok =
            nvcc_put_source(b, b->parts[i].name, b->parts[i].name, b->parts[i].text, b->parts[i].n);
    for (size_t i = 0; ok && i < b->header_count; i++) {
        /* one of its own files */
        if (lib_parts_find(b->parts, b->part_count, b->headers[i])) continue;
        char *path = job_header(b, i);
        size_t length;
        lib_message msg = {0};
        char *header = lib_read_file(path, BUILD_SOURCE_LIMIT, &length, &msg);
        ok = header ? job_put_file(b, "src", b->headers[i], header, length, 0644)
                    : job_infra_message(b, &msg);
        free(header);
        free(path);
    }
    return ok;
}

/* Returns nvcc's own list of steps for this toolchain and architecture, made once: a file in the
 * cache, or NULL if only nvcc itself can build. */
static char *nvcc_recipe(build_job *b, const char *const *argv) {
    lib_sha256 s;
    char key[65];
    lib_sha256_init(&s);
    lib_sha256_add_text(&s, BUILD_FORMAT);
    lib_sha256_add_text(&s, b->tools->version);
    for (size_t i = 0; argv[i]; i++) lib_sha256_add_text(&s, argv[i]);
    lib_sha256_end_hex(&s, key);
    char *folder = lib_path_join(b->paths->cache, "recipes"), *path = lib_path_join(folder, key);
    char *recipe = lib_read_file(path, 1 << 20, NULL, NULL);
    if (!recipe) {
        const char *dry[32];
        size_t n = 0;
        for (; argv[n]; n++) dry[n] = argv[n];
        dry[n++] = "--dryrun";
        dry[n] = NULL;
        lib_message msg = {0};
        lib_buffer raw = {0};
        const build_tool t = {.argv = dry, .cwd = "/src", .what = "nvcc", .raw = &raw};
        /* best effort */
        if (build_tool_run(b, &t) == TOOL_OK && (recipe = build_recipe_parse(raw.s, &msg)) &&
            lib_make_folders(folder, NULL))
            lib_write_file(path, recipe, strlen(recipe), NULL);
        lib_buffer_free(&raw);
        /* nvcc will find the source's errors again and describe them better. */
        if (!b->r->infra) job_clear_log(b);
        b->ended = b->timed_out = false;
    }
    free(folder);
    free(path);
    return recipe;
}

/* Compiles and links in one go, with concurrent steps. Returns false if nvcc itself must try, and
 * say what is wrong. */
static bool nvcc_steps(build_job *b, const char *const *argv, const char *const *link) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false; /* the driver would need more address space than the sandbox allows */
#endif
    b->driver = lib_path_join(b->paths->libs, "warplab");
    char *recipe = access(b->driver, X_OK) ? NULL : nvcc_recipe(b, argv);
    bool ok = false;
    if (recipe) {
        const char *tool = build_machine_tool(b);
        char *with = tool ? build_recipe_machine(recipe, tool, "/out") : lib_strdup(recipe),
             *kept = build_machine_recipe(b, with), *whole = build_recipe_append(kept, link);
        const char *const run[] = {"/warplab", "--steps", "/src/recipe", NULL};
        const build_tool t = {
            .argv = run, .cwd = "/src", .glue = b->glue, .what = "nvcc", .steps = true};
        ok = job_put_file(b, "src", "recipe", whole, strlen(whole), 0644) &&
             build_tool_run(b, &t) == TOOL_OK;
        free(with);
        free(kept);
        free(whole);
    }
    free(recipe);
    free(b->driver);
    b->driver = NULL;
    return ok;
}

/* The same by nvcc itself, in `in`, with a link in `to`. */
static bool nvcc_whole(build_job *b, const char *const *argv, const char *in,
                       const char *const *link, const char *to) {
    return nvcc_tool(b, argv, in, NULL, "nvcc") && nvcc_tool(b, link, to, b->glue, "the linker") &&
           build_machine_make(b);
}

/* Returns the objects that the compile leaves in `to`: one for each .cu file. */
static size_t nvcc_objects(const build_job *b, const char *to, char *objects[LIB_PARTS]) {
    size_t n = 0;
    if (!b->part_count) objects[n++] = lib_path_join(to, "student.o");
    for (size_t i = 0; i < b->part_count; i++)
        if (!lib_part_is_header(b->parts[i].name))
            objects[n++] =
                lib_format("%s/%.*s.o", to, (int)(strlen(b->parts[i].name) - 3), b->parts[i].name);
    return n;
}

bool build_lab(build_job *b) {
    if (!nvcc_put_sources(b) || !nvcc_glue(b)) return false;
    nvcc_archs archs = nvcc_archs_of(b);
    char *src = lib_path_join(b->temporary, "src"), *out = lib_path_join(b->temporary, "out"),
         *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    /* In the sandbox these are /src and /out. */
    const char *in = b->sandboxed ? "/src" : src, *to = b->sandboxed ? "/out" : out;
    char *objects[LIB_PARTS], *program = lib_path_join(to, "program");
    size_t units = nvcc_objects(b, to, objects);
    const char *rest[LIB_PARTS + 8] = {"-I.", "-c"}, *link[LIB_PARTS + 12], *argv[32];
    size_t n = 2, k = 0;
    if (!b->part_count) rest[n++] = source_name;
    for (size_t i = 0; i < b->part_count; i++)
        if (!lib_part_is_header(b->parts[i].name)) rest[n++] = b->parts[i].name;
    rest[n++] = b->part_count ? "-odir" : "-o";
    rest[n++] = b->part_count ? to : objects[0];
    rest[n] = NULL;
    char *lean = nvcc_lean(b);
    nvcc_command(b, &archs, rest, lean, argv);
    static const char plain[] = "-fno-use-linker-plugin";
    link[k++] = b->tools->cxx;
    link[k++] = plain;
    /* takes a third of ld's time */
    link[k++] = access("/usr/bin/ld.gold", X_OK) ? plain : "-fuse-ld=gold";
    if (b->q->whole_program) link[k++] = "-Wl,--wrap=main";
    for (size_t i = 0; i < units; i++) link[k++] = objects[i];
    link[k++] = b->sandboxed ? "/glue.o" : b->glue;
    link[k++] = b->sandboxed ? "/libcudart.so.13" : lib;
    link[k++] = "-o";
    link[k++] = program;
    link[k] = NULL;
    /* Several files, and what is ours and needs no sandbox, are nvcc's own business. */
    bool whole = b->part_count || !b->sandboxed,
         ok = whole ? lean && nvcc_whole(b, argv, in, link, to) : nvcc_steps(b, argv, link);
    if (!ok && nvcc_may_try_again(b)) {
        nvcc_command(b, &archs, rest, NULL, argv);
        link[2] = plain; /* messages come from ld */
        ok = nvcc_whole(b, argv, in, link, to);
    }
    ok = ok && job_take_output(b, "program", "program", 0755) && build_machine_take(b);
    for (size_t i = 0; i < units; i++) free(objects[i]);
    free(lean);
    free(program);
    free(src);
    free(out);
    free(lib);
    return ok;
}

/* ---- a whole program ---- */

/* "target: a b \<newline> c": writes the files after the colon, except the toolkit's and the
 * system's, each with its hash. */
static bool nvcc_put_deps(build_job *b) {
    char *path = lib_format("%s/out/deps", b->temporary);
    char *text = lib_read_file(path, 0, NULL, NULL), *save = NULL;
    free(path);
    lib_buffer deps = {0};
    lib_buffer_puts(&deps, "");
    char *colon = text ? strchr(text, ':') : NULL;
    for (char *word = colon ? strtok_r(colon + 1, " \\\n", &save) : NULL; word;
         word = strtok_r(NULL, " \\\n", &save)) {
        char hex[65];
        if (!strncmp(word, "/usr/", 5) || !strncmp(word, b->tools->home, strlen(b->tools->home)) ||
            !strncmp(word, b->temporary, strlen(b->temporary)) || !build_hash_file(word, hex))
            continue;
        lib_buffer_printf(&deps, "%s %s\n", hex, word);
    }
    bool ok = job_put_file(b, "new", "deps", deps.s, deps.n, 0644);
    lib_buffer_free(&deps);
    free(text);
    return ok;
}

bool build_flag_fits(const char *flag) {
    static const char *const not [] = {"-o",
                                       "-c",
                                       "-E",
                                       "-M",
                                       "-MM",
                                       "-MD",
                                       "-MF",
                                       "-dc",
                                       "-dw",
                                       "-dlink",
                                       "-lib",
                                       "-link",
                                       "-run",
                                       "-cuda",
                                       "-cubin",
                                       "-fatbin",
                                       "-ptx",
                                       "-optix-ir",
                                       "-ltoir",
                                       "-dryrun",
                                       "-arch",
                                       "-code",
                                       "-gencode",
                                       "-cudart",
                                       "-ccbin",
                                       "-odir",
                                       "-output-file",
                                       "-compile",
                                       "-preprocess",
                                       "-compiler-bindir",
                                       "-gpu-architecture",
                                       "-gpu-code",
                                       "-generate-code",
                                       "-device-c",
                                       "-output-directory",
                                       "-generate-dependencies",
                                       "-device-link",
                                       "-options-file",
                                       "-optf",
                                       "-ldir",
                                       "-libdevice-directory",
                                       "-x",
                                       "-clean",
                                       "-rdc",
                                       "-relocatable-device-code",
                                       "-keep"};
    if (flag[0] == '-' && flag[1] == '-') flag++;
    size_t n = strcspn(flag, "=");
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if (strlen(not [i]) == n && !strncmp(flag, not [i], n)) return false;
    return true;
}

bool build_program(build_job *b) {
    nvcc_archs archs = nvcc_archs_of(b);
    char *real = realpath(b->q->source, NULL), *out = lib_path_join(b->temporary, "out"),
         *lib = lib_path_join(b->paths->libs, "libcudart.so.13");
    char *object = lib_path_join(out, "student.o"), *program = lib_path_join(out, "program"),
         *deps = lib_path_join(out, "deps");
    const char *rest[BUILD_MORE_FLAGS + 8] = {"-MD", "-MF", deps, "-c", real ? real : b->q->source,
                                              "-o",  object};
    const char *argv[BUILD_MORE_FLAGS + 32];
    const char *link[2 * BUILD_MORE_FLAGS + 16] = {b->tools->cxx, "-fno-use-linker-plugin", object,
                                                   lib};
    size_t r = 7, l = 4;
    for (size_t i = 0; i < b->q->flag_count && i < BUILD_MORE_FLAGS; i++) {
        const char *flag = b->q->flags[i];
        rest[r++] = flag;
        if (strncmp(flag, "-l", 2) != 0 && strncmp(flag, "-L", 2) != 0) continue;
        link[l++] = flag;
        if (!flag[2] && i + 1 < b->q->flag_count) link[l++] = b->q->flags[i + 1];
    }
    const char *const last[] = {"-lpthread", "-ldl", "-o", program, NULL};
    memcpy(&link[l], last, sizeof last);
    bool ok = false;
    char *lean = nvcc_lean(b);
    if (lean && real) {
        nvcc_command(b, &archs, rest, lean, argv);
        ok = nvcc_tool(b, argv, NULL, NULL, "nvcc");
    }
    if (!ok && real && nvcc_may_try_again(b)) {
        nvcc_command(b, &archs, rest, NULL, argv);
        ok = nvcc_tool(b, argv, NULL, NULL, "nvcc");
    }
    ok = ok && nvcc_put_deps(b) && nvcc_tool(b, link, NULL, NULL, "the linker") &&
         job_take_output(b, "program", "program", 0755) && build_machine_make(b) &&
         build_machine_take(b);
    free(object);
    free(program);
    free(deps);
    free(lean);
    free(real);
    free(out);
    free(lib);
    return ok;
}
