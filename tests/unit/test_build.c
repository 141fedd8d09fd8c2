/* Building: the entry's declaration, messages at the student's own lines, the cache, hostile
 * sources, and what is said when a tool or the disk is missing. Compiles a few small files with the
 * real nvcc where there is one. */
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/build/tool.h"
#include "runner/build/steps.h"
#include "runner/build/wide.h"
#include "runner/device/sim/sim.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"

static char folder[] = "/tmp/warplab-test-build.XXXXXX";

/* ---- declarations ---- */

static void test_entry(void) {
    build_entry e;
    lib_message msg = {0};
    CHECK(build_entry_parse("void vector_add(const float *a, const float *b, float *c, int n)", &e,
                            &msg));
    CHECK_STR(e.name, "vector_add");
    CHECK_INT(e.count, 4);
    CHECK_STR(e.params[0].type, "float");
    CHECK(e.params[0].pointer && e.params[0].is_const);
    CHECK(e.params[2].pointer && !e.params[2].is_const);
    CHECK_STR(e.params[3].name, "n");
    CHECK(!e.params[3].pointer);
    char *text = build_entry_text(&e);
    CHECK_STR(text, "void vector_add(const float *a, const float *b, float *c, int n)");
    free(text);

    CHECK(build_entry_parse(
        " void f( unsigned   long long x,float const*__restrict__ p , size_t , double d ) ; ", &e,
        &msg));
    text = build_entry_text(&e);
    CHECK_STR(text, "void f(unsigned long long x, const float *p, size_t p2, double d)");
    free(text);
    text = build_glue_source(&e);
    CHECK_CONTAINS(text, "f((unsigned long long)a[0], (const float *)a[1], (size_t)a[2], "
                         "bits<double, uint64_t>(a[3]))");
    free(text);
    CHECK(build_entry_parse("void g()", &e, &msg));
    CHECK_INT(e.count, 0);
    CHECK(build_entry_parse("void h(const half *a, float3 *b, float x)", &e, &msg));
    text = build_glue_source(&e);
    CHECK_CONTAINS(text, "typedef __half half;");
    CHECK_CONTAINS(text, "struct float3;");
    CHECK_CONTAINS(text, "bits<float, uint32_t>(a[2])");
    free(text);

    static const struct {
        const char *text, *says;
    } bad[] = {
        {"int f(int n)", "expected void"},
        {"void", "the entry's name"},
        {"void main(int n)", "the entry's name"},
        {"void f", "'('"},
        {"void f(int n", "',' or ')'"},
        {"void f(int n) { system(\"x\"); }", "the end of the declaration"},
        {"void f(string s)", "a parameter's type"},
        {"void f(int **p)", "pointers to pointers"},
        {"void f(float3 v)", "by pointer only"},
        {"void f(int n, int n)", "different names"},
        {"void f(int n,)", "a parameter's type"},
        {"void f(int a,int b,int c,int d,int e,int f,int g,int h,int i,int j,int k,int l,int m,int "
         "n,int "
         "o,int p,int q,int r,int s,int t,int u,int v,"
         "int w,int x,int y)",
         "at most 24"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!build_entry_parse(bad[i].text, &e, &msg));
        CHECK_CONTAINS(said(&msg), bad[i].says);
        CHECK_CONTAINS(said(&msg), "^");
    }
    /* The caret stands under what was found. */
    CHECK(!build_entry_parse("void f(int n; int m)", &e, &msg));
    CHECK_STR(said(&msg),
              "expected ',' or ')', found \";\":\n  void f(int n; int m)\n              ^");
}

/* ---- messages ---- */

/* A whole program: its buffers have lengths, and they are numbers. */
static void test_program_entry(void) {
    build_entry e;
    lib_message msg = {0};
    CHECK(build_program_parse("void f(const float *x, int n, double s, int *y)", &e, &msg));
    CHECK(e.count == 6);
    CHECK_STR(e.params[4].name, "x_count");
    CHECK_STR(e.params[4].type, "size_t");
    CHECK_STR(e.params[5].name, "y_count");
    char *text = build_program_source(&e);
    CHECK_CONTAINS(text, "i < a[4]");
    CHECK_CONTAINS(text, "((const float *)a[0])[i]");
    CHECK_CONTAINS(text, "bits<double, uint64_t>(a[2])");
    CHECK_CONTAINS(text, "take_whole(out, (int *)a[3], a[5])");
    CHECK(!strstr(text, "a[3])[i]")); /* what it prints it is not given */
    free(text);
    CHECK(!build_program_parse("void f(const half *x)", &e, &msg));
    CHECK_CONTAINS(said(&msg), "numbers, not half");
    CHECK(msg.id);
    CHECK(!build_program_parse("int f()", &e, &msg));
    CHECK(build_program_parse("void f()", &e, &msg) && e.count == 0);
}

static void test_messages(void) {
    build_entry e;
    lib_message msg;
    CHECK(build_entry_parse("void scale(float *a, int n)", &e, &msg));
    char *text = build_messages("/src/scale.cu(3): error: identifier \"q\" is undefined\n"
                                "  __attribute__((global)) void k(float *a) { a[0] = q; }\n"
                                "                                                    ^\n"
                                "\n"
                                "1 error detected in the compilation of \"scale.cu\".\n",
                                "/src/scale.cu", "work/scale.cu", &e, NULL);
    CHECK_STR(text, "work/scale.cu(3): error: identifier \"q\" is undefined\n"
                    "  __global__ void k(float *a) { a[0] = q; }\n"
                    "                                       ^\n");
    free(text);
    text = build_messages("/usr/bin/ld: /glue.o: in function `main':\nglue.cpp:(.text+0x3c): "
                          "undefined reference to `scale(float*, int)'\n"
                          "collect2: error: ld returned 1 exit status\n",
                          "/src/scale.cu", "scale.cu", &e, NULL);
    CHECK_CONTAINS(text, "expected the function\n    void scale(float *a, int n)\n");
    CHECK(!strstr(text, "ld"));
    free(text);
    /* what the source has under that name */
    static const struct {
        const char *source, *found;
        int line; /* 0: none is found */
    } rows[] = {
        {"void scale(float *a, unsigned n) {}", "void scale(float *a, unsigned n)", 1},
        {"#include <a.h>\n#define F(x) { \\\n  x; }\n/* scale(int) { */ // scale(\nstatic void\n"
         "  scale (const float  *a,\n\tint n /* ) */)\n{\n}\n",
         "static void scale (const float *a, int n /* ) */)", 6},
        {"const char *s = \"void scale(int) {\";\nextern \"C\" void scale(float *a, int n) { }",
         "extern \"C\" void scale(float *a, int n)", 2},
        {"namespace n {\nvoid scale(float *, int) {} }", "void scale(float *, int)", 2},
        {"void scale(float *);\nvoid f() { scale(0); scaled(1); }\nint rescale(int) { return 0; }",
         NULL, 0},
        {"template <class T> void scale(T *a, int (*f)(int)) {",
         "template <class T> void scale(T "
         "*a, int (*f)(int))",
         1},
        {"void scale(float *a, int n", NULL, 0},
        {"void scale", NULL, 0},
        {"", NULL, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[300];
        snprintf(want, sizeof want,
                 "s.cu(%d): error: expected the function\n    void scale(float *a, int n)\n"
                 "found\n    %s\nKeep",
                 rows[i].line, rows[i].line ? rows[i].found : "");
        text = build_messages("undefined reference to `scale(float*, int)'\n", "/src/s.cu", "s.cu",
                              &e, rows[i].source);
        CHECK_CONTAINS(text, rows[i].line ? want
                                          : "s.cu: error: expected the function\n    void "
                                            "scale(float *a, int n)\nfound no such function");
        free(text);
    }
    text = build_messages("student.o: in function `scale(float*, int)':\nx.c:(.text+0x1): "
                          "undefined reference to `cudaFrob'\n"
                          "x.c:(.text+0x9): undefined reference to `cudaFrob'\n",
                          "/src/scale.cu", "scale.cu", &e, NULL);
    CHECK_STR(text, "scale.cu: error: cudaFrob is not supported by Warplab's CUDA runtime\n");
    free(text);
    /* Notes about headers and about operators of the language are left out, with their lines;
     * those about the file stay. */
    text = build_messages("/src/scale.cu(2): error: no operator \"+\" matches these operands\n"
                          "  operand types are: int + uint3\n"
                          "    a + b;\n      ^\n"
                          "/src/scale.cu(2): note #3328-D: built-in operator+(<a>, <b>) does not\n"
                          "    a + b;\n      ^\n\n"
                          "/usr/include/cuda_runtime.h(8): note #3327-D: candidate failed\n"
                          "    extern f;\n    ^\n\n"
                          "/src/scale.cu(1): note #3196-D: to match this \"{\"\n"
                          "    {\n    ^\n",
                          "/src/scale.cu", "scale.cu", &e, NULL);
    CHECK_STR(text, "scale.cu(2): error: no operator \"+\" matches these operands\n"
                    "  operand types are: int + uint3\n"
                    "    a + b;\n      ^\n\n"
                    "scale.cu(1): note #3196-D: to match this \"{\"\n    {\n    ^\n");
    free(text);
    text = build_messages("a\x1b[2Jb\a\n", "/src/scale.cu", "scale.cu", &e, NULL);
    CHECK_STR(text, "a?[2Jb?\n");
    free(text);
    /* Letters are shown as written, and take two columns each; what would not show is not. */
    text = build_messages("/src/x.cu(1): error: expected a \";\"\n"
                          "  \\U00005411 = 1\\U0000ff1b\\U0000200b\n"
                          "                ^\n",
                          "/src/x.cu", "x.cu", &e, NULL);
    CHECK_STR(text, "x.cu(1): error: expected a \";\"\n"
                    "  向 = 1；\\U0000200b\n"
                    "        ^\n");
    free(text);
}

static bool blame(const char *text, const char *says, const char *says_zh) {
    lib_message msg = {0};
    if (!wide_find(text, strlen(text), NULL, &msg)) return false;
    CHECK_CONTAINS(said(&msg), says);
    CHECK_CONTAINS(said_zh(&msg), says_zh);
    return true;
}

/* An input method's punctuation is found in code only, with the line and what was meant. */
static void test_wide(void) {
    CHECK(blame("int a;\nint b；\n",
                "line 2 has the full-width character `；` (U+FF1B) where code needs `;`",
                "第 2 行有全角字符 `；`（U+FF1B），代码里应写半角的 `;`"));
    CHECK(
        blame("/* ，\n */ f（1，2）;\n", "line 2 has the full-width character `（`", "另有 2 处"));
    CHECK(blame("\"；\\\"；\" // ；\n“x”",
                "line 2 has the full-width character `“` (U+201C) where code needs `\"`",
                "第 2 行"));
    CHECK(blame("int\xe3\x80\x80x;", "U+3000) where code needs a plain blank", "半角的 空格"));
    CHECK(blame("int n = 1'000；", "line 1", "第 1 行"));
    CHECK(blame("char c = '\\''；", "line 1", "第 1 行"));
    static const char *const fine[] = {"",
                                       "int 变量 = 1; // 分号；\n",
                                       "/* （没有结束",
                                       "\xef\xbb\xbfint x;",
                                       "f(\"，。\", '\"'); // “",
                                       "\xef\xbc",
                                       "\"a\\"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) CHECK(!blame(fine[i], "", ""));
    lib_message msg = {0};
    CHECK(wide_find("x；", 4, "blur.cu", &msg));
    CHECK_CONTAINS(said(&msg), "blur.cu, line 1");
    CHECK_CONTAINS(said_zh(&msg), "blur.cu 第 1 行");
}

/* ---- compiling ---- */

static char *put(const char *name, const char *text) {
    char *path = lib_format("%s/%s", folder, name);
    lib_message msg;
    CHECK(lib_write_file(path, text, strlen(text), &msg));
    return path;
}

static const char scale[] =
    "__global__ void k(float *a, int n) {\n    int i = blockIdx.x * blockDim.x + "
    "threadIdx.x;\n    if (i < n) a[i] *= 2;\n}\n"
    "void scale(float *a, int n) {\n    k<<<(n + 255) / 256, 256>>>(a, n);\n}\n";
static const char entry[] = "void scale(float *a, int n)";

static double limit = 20;
static uint64_t memory;
static unsigned arch, also; /* build_request's */
static build_result build_text(const char *name, const char *text, const char *declaration) {
    char *path = put(name, text);
    build_request q;
    build_request_init(&q);
    q.source = path;
    q.shown_as = name;
    q.entry_text = declaration;
    q.mode = SANDBOX_IF_ANY;
    q.cpu_s = limit;
    q.memory = memory;
    q.arch = arch;
    q.also = also;
    build_result r;
    build_file(&q, &r);
    free(path);
    return r;
}

static void fails(const char *name, const char *text, const char *says) {
    build_result r = build_text(name, text, entry);
    CHECK(!r.ok);
    CHECK(!r.infra);
    CHECK_CONTAINS(r.log, says);
    CHECK(!strstr(r.log, "/src/"));
    build_result_free(&r);
}

/* Two processes compile one text at once: a program that one of them is running already must not be
 * taken away by the other. */
static void test_at_once(void) {
    int ends[2];
    ino_t inodes[2] = {0};
    CHECK_INT(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child) continue;
        build_result r = build_text(
            "scale.cu", "__global__ void k() {}\nvoid scale(float *a, int n) { k<<<1, 1>>>(); }\n",
            entry);
        struct stat st = {0};
        if (r.ok) stat(r.program, &st);
        ssize_t n = write(ends[1], &st.st_ino, sizeof st.st_ino);
        _exit(n == (ssize_t)sizeof st.st_ino ? 0 : 1);
    }
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        int status = -1;
        CHECK_INT(read(ends[0], &inodes[i], sizeof *inodes), sizeof *inodes);
        CHECK(wait(&status) > 0 && status == 0);
    }
    close(ends[0]);
    CHECK(inodes[0] != 0);
    CHECK(inodes[0] == inodes[1]);
}

/* A place in the cache that lost a part of what was there is filled again. */
static void test_torn_place(void) {
    static const char text[] =
        "__global__ void torn() {}\nvoid scale(float *a, int n) { torn<<<1, 1>>>(); }\n";
    build_result r = build_text("scale.cu", text, entry);
    CHECK(r.ok);
    char *log = r.program ? lib_strdup(r.program) : NULL;
    build_result_free(&r);
    if (!log) return;
    snprintf(strrchr(log, '/'), sizeof "/log", "/log");
    CHECK_INT(unlink(log), 0);
    free(log);
    r = build_text("scale.cu", text, entry);
    CHECK(r.ok && !r.cached && !r.infra);
    build_result_free(&r);
    r = build_text("scale.cu", text, entry);
    CHECK(r.ok && r.cached);
    build_result_free(&r);
}

/* The architecture of the PTX that a device of `of` would run, 0: none; as it is written there,
 * too. */
static char target_is[16];
static unsigned ptx_for(const char *program, unsigned of) {
    lib_message msg = {0};
    size_t n = 0, ptx_len, cubin_len;
    char *code = program ? build_elf_section(program, ".nv_fatbin", &n, &msg) : NULL, *ptx = NULL;
    void *cubin = NULL;
    unsigned found = 0;
    if (code && n && !sim_fatbin_extract(code, n, of, &ptx, &ptx_len, &cubin, &cubin_len, &msg)) {
        const char *target = strstr(ptx, ".target sm_");
        if (target) found = (unsigned)atoi(target + 11);
        snprintf(target_is, sizeof target_is, "%.*s", target ? (int)strcspn(target + 8, ",\n") : 0,
                 target ? target + 8 : "");
    }
    free(ptx);
    free(cubin);
    free(code);
    return found;
}

/* One program for two devices; asked for from either side it is the same. */
static void test_two_architectures(void) {
    static const char text[] =
        "__global__ void both() {}\nvoid scale(float *a, int n) { both<<<1, 1>>>(); }\n";
    arch = 90, also = 75;
    build_result r = build_text("scale.cu", text, entry);
    CHECK(r.ok && !r.cached);
    CHECK_STR(r.arch, "sm_90");
    CHECK_INT(ptx_for(r.program, 90), 90);
    CHECK_STR(target_is, "sm_90");
    CHECK_INT(ptx_for(r.program, 75), 75);
    CHECK_STR(target_is, "sm_75");
    build_result_free(&r);
    arch = 75, also = 90;
    r = build_text("scale.cu", text, entry);
    CHECK(r.ok && r.cached);
    CHECK_STR(r.arch, "sm_75");
    build_result_free(&r);
    /* What is for sm_90a alone is compiled for that, and nobody has to say so. */
    static const char group[] =
        "__global__ void k() {\n#if !__CUDA_ARCH__ || __CUDA_ARCH__ >= 900\n"
        "asm(\"wgmma.fence.sync.aligned;\");\n#endif\n}\n"
        "void scale(float *a, int n) { k<<<1, 128>>>(); }\n";
    for (also = 0; also < 76; also += 75) {
        arch = 90;
        r = build_text("scale.cu", group, entry);
        CHECK(r.ok);
        CHECK_INT(ptx_for(r.program, 90), 90);
        CHECK_STR(target_is, "sm_90a");
        CHECK_INT(ptx_for(r.program, 89), also);
        build_result_free(&r);
    }
    arch = 75, also = 90;
    /* What only the one can be compiled for is no fault of the other. */
    static const char newer[] = "__global__ void k() {\n#if __CUDA_ARCH__ && __CUDA_ARCH__ < 800\n"
                                "#error too old\n#endif\n}\n"
                                "void scale(float *a, int n) { k<<<1, 1>>>(); }\n";
    r = build_text("scale.cu", newer, entry);
    CHECK(!r.ok && !r.infra);
    CHECK_CONTAINS(r.log, "too old");
    build_result_free(&r);
    arch = 90, also = 75;
    r = build_text("scale.cu", newer, entry);
    CHECK(r.ok);
    CHECK_INT(ptx_for(r.program, 90), 90);
    build_result_free(&r);
    arch = also = 0;
}

/* nvcc's steps, where they are kept, are those of all our flags. */
static void test_recipe(const char *cache, const lib_paths *p) {
    char *recipes = lib_format("%s/warplab/recipes", cache);
    size_t n;
    char **names = lib_folder_names(recipes, &n);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    char *driver = lib_path_join(p->libs, "warplab");
    if (sandbox_get()->works && !access(driver, X_OK)) CHECK(n > 0); /* they can be kept */
    free(driver);
#else
    (void)p;
#endif
    for (size_t i = 0; i < n; i++) {
        char *path = lib_path_join(recipes, names[i]), *text = lib_read_file(path, 0, NULL, NULL);
        CHECK_CONTAINS(text, "A -O3\n");
        CHECK_CONTAINS(text, "c++17\n");
        CHECK_CONTAINS(text, "A -ffp-contract=off\n");
        free(text);
        free(path);
    }
    lib_lab_names_free(names, n);
    free(recipes);
}

static void test_compile(void) {
    build_result r = build_text("scale.cu", scale, entry);
    CHECK_STR(r.log, "");
    CHECK(r.ok && !r.cached);
    char needed[64];
    if (r.program)
        CHECK_INT(build_elf_check(r.program, needed, sizeof needed), BUILD_ELF_SHARED_CUDART);
    build_result_free(&r);
    r = build_text("scale.cu", scale, entry);
    CHECK(r.ok && r.cached);
    build_result_free(&r);

    /* A failure is kept as well, with its messages. */
    fails("scale.cu", "void scale(float *a, int n) { a[0] = q; }\n",
          "scale.cu(1): error: identifier \"q\" is undefined");
    r = build_text("scale.cu", "void scale(float *a, int n) { a[0] = q; }\n", entry);
    CHECK(!r.ok && r.cached);
    CHECK_CONTAINS(r.log, "scale.cu(1)");
    build_result_free(&r);

    fails("scale.cu", "void scalee(float *a, int n) {}\n", "expected the function");
    fails("scale.cu", "void scale(float *a, int n) {}\nint main() { return 0; }\n",
          "found a main()");
    fails("scale.cu", "void other(float *); void scale(float *a, int n) { other(a); }\n",
          "other(float*) is declared but defined nowhere");
    r = build_text("scale.cu", "void scale(float *a, int n) {\n    n = 1；\n}\n", entry);
    CHECK(!r.ok && !r.infra);
    CHECK_CONTAINS(r.log, "n = 1；");
    CHECK_CONTAINS(said_zh(&r.why), "第 2 行");
    build_result_free(&r);
    r = build_text("scale.cu", "void scale(float *a, int n) {\n    m = 1; // ；\n}\n", entry);
    CHECK(!r.ok);
    CHECK_CONTAINS(said(&r.why), "Line 2: m is not declared");
    build_result_free(&r);
    /* A byte-order mark, Windows line ends, no newline at the end: all fine. */
    r = build_text(
        "scale.cu",
        "\xef\xbb\xbf__global__ void k() {}\r\nvoid scale(float *a, int n) { k<<<1, 1>>>(); }",
        entry);
    CHECK(r.ok);
    build_result_free(&r);
    r = build_text("-o evil.cu", scale, entry);
    CHECK(r.ok);
    build_result_free(&r);
}

/* Each limit of the compile by itself, said in the same words: a file that includes itself 2^40
 * times takes no memory to speak of, and a macro of 64 GB passes 768 MB long before the minute is
 * over. Neither is tried again by nvcc itself: it would end in the same way. */
static void test_limits(void) {
    double begin = lib_now();
    limit = 3;
    fails("scale.cu",
          "#if __INCLUDE_LEVEL__ < 40\n#include \"student.cu\"\n#include \"student.cu\"\n#endif\n"
          "void scale(float *a, int n);\n",
          "more than the 3 s of computing or the ");
    CHECK(lib_now() - begin <
          5 * limit + 2); /* what it may take at all, on a machine with other work */
    limit = 60;
    memory = (uint64_t)768 << 20;
    fails("scale.cu",
          "#define A(x) x x x x x x x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\n"
          "const char *s = B(\"0123456789abcdef\");\nvoid scale(float *a, int n) {}\n",
          "0.75 GB of memory that it may take");
    limit = 20;
    memory = 0;
}

/* One deadline for all that a build starts: what is under way then ends, and what comes after it
 * does not begin anew, be it another part, a retry or the attempt with all headers. */
static void test_deadline(const lib_paths *p) {
    lib_message msg = {0};
    const char *const argv[] = {"/bin/sleep", "60", NULL};
    const build_tool sleeper = {.argv = argv, .what = "sleep"};
    build_request q;
    build_request_init(&q);
    q.source = "scale.cu";
    q.mode = SANDBOX_NONE;
    build_result r = {0};
    build_job b = {.q = &q, .r = &r, .paths = p, .tools = build_toolchain_get(&msg)};
    b.temporary = folder;
    double begin = lib_now();
    b.deadline = begin + 0.5;
    for (int i = 0; i < 3; i++) {
        b.timed_out = b.ended = false;
        CHECK_INT(build_tool_run(&b, &sleeper), TOOL_TOO_LONG);
        CHECK(b.timed_out && b.ended);
    }
    CHECK_CONTAINS(r.log, "or the build more than 150 s in all");
    CHECK(lib_now() - begin < 20);
    build_result_free(&r);
}

/* A section .nv_fatbin that unpacks to more than the limit: containers of 16 MiB of PTX each, of
 * which the fifth is one too many. */
static void test_code(void) {
    enum { PART = 16 << 20, HEAD = 16, ENTRY = 64, WHOLE = HEAD + ENTRY + PART, PARTS = 5 };
    const uint32_t magic = 0xBA55ED50u, entry_head = ENTRY, sm = 90;
    const uint16_t one = 1, head = HEAD;
    const uint64_t all = ENTRY + PART, payload = PART;
    char *bytes = calloc(PARTS, WHOLE), *ptx;
    void *cubin;
    size_t n, m, found = 0;
    CHECK(bytes != NULL);
    if (!bytes) return;
    for (size_t i = 0; i < PARTS; i++) {
        char *at = bytes + i * WHOLE;
        memcpy(at, &magic, 4), memcpy(at + 4, &one, 2), memcpy(at + 6, &head, 2);
        memcpy(at + 8, &all, 8);
        at += HEAD;
        memcpy(at, &one, 2), memcpy(at + 4, &entry_head, 4), memcpy(at + 8, &payload, 8);
        memcpy(at + 28, &sm, 4);
        memset(at + ENTRY, ' ', PART);
    }
    build_code c = {.bytes = bytes, .n = (size_t)PARTS * WHOLE};
    for (; build_code_next(&c, 90, NULL, &ptx, &n, &cubin, &m); found++) {
        CHECK_INT(n, PART);
        free(ptx);
        free(cubin);
    }
    CHECK_INT(found, BUILD_CODE_BYTES / PART);
    CHECK(c.too_much);
    volatile int cancel = 1;
    c = (build_code){.bytes = bytes, .n = WHOLE};
    CHECK(!build_code_next(&c, 90, &cancel, &ptx, &n, &cubin, &m) && !c.too_much);
    free(bytes);
}

/* A step that a signal ends is the end of all: another that would go on for a minute is not waited
 * for. */
static void test_step_crashes(void) {
    char *recipe =
        put("recipe", "S\nA sleep\nA 60\nS\nA sh\nA -c\nA kill -ABRT $$\nS\nA true\nS\nA true\n");
    double begin = lib_now();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(build_steps_main(recipe));
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 128 + SIGABRT);
    CHECK(lib_now() - begin < 30);
    free(recipe);
}

/* What a submission must not reach while it is compiled. */
static void test_hostile(const lib_paths *p) {
    if (!sandbox_get()->works) return;
    char *text =
        lib_format("#include \"%s/vector-add.cu\"\nvoid scale(float *a, int n) {}\n", p->answers);
    fails("scale.cu", text, "No such file");
    free(text);
    fails("scale.cu", "#include \"../answers/vector-add.cu\"\nvoid scale(float *a, int n) {}\n",
          "No such file");
    fails("scale.cu", "#include \"vector-add.cu\"\nvoid scale(float *a, int n) {}\n",
          "No such file");
    text = lib_format(
        "asm(\".incbin \\\"%s/vector-add.cu\\\"\");\nvoid scale(float *a, int n) {}\n", p->answers);
    fails("scale.cu", text, "vector-add.cu");
    free(text);
    fails("scale.cu", "#include \"/etc/passwd\"\nvoid scale(float *a, int n) {}\n", "No such file");
    fails("scale.cu",
          "template <int N> struct T { T<N - 1> a; T<N + 1> b; };\nT<1> t;\nvoid scale(float *a, "
          "int n) {}\n",
          "error");
    test_limits();
    lib_buffer big = {0};
    for (int i = 0; i < 20000; i++)
        lib_buffer_puts(&big, "// ten megabytes of comment are no submission ............\n");
    char *path = put("big.cu", big.s);
    build_request q;
    build_request_init(&q);
    q.source = path;
    q.entry_text = entry;
    build_result r;
    CHECK(!build_file(&q, &r));
    CHECK(!r.infra);
    CHECK_STR(r.log, ""); /* the compiler was not asked */
    CHECK_CONTAINS(said(&r.why), "at most");
    CHECK_CONTAINS(said_zh(&r.why), "最多读取");
    build_result_free(&r);
    free(path);
    lib_buffer_free(&big);
}

static void test_program(void) {
    char *header = put("half.h", "#define FACTOR 2\n");
    static const char text[] =
        "#include \"half.h\"\n#include <cstdio>\n__global__ void k(int *a) { *a = "
        "FACTOR; }\nint main() { return 0; }\n";
    build_result r = build_text("prog.cu", text, NULL);
    CHECK_STR(r.log, "");
    CHECK(r.ok && !r.cached);
    build_result_free(&r);
    r = build_text("prog.cu", text, NULL);
    CHECK(r.ok && r.cached);
    build_result_free(&r);
    free(header);
    header = put("half.h", "#define FACTOR 3\n"); /* what it includes counts */
    r = build_text("prog.cu", text, NULL);
    CHECK(r.ok && !r.cached);
    build_result_free(&r);
    free(header);
    r = build_text("nomain.cu", scale, NULL);
    CHECK(!r.ok);
    CHECK_CONTAINS(r.log, "expected a main()");
    build_result_free(&r);
    char needed[64];
    CHECK_INT(build_elf_check("/proc/self/exe", needed, sizeof needed), BUILD_ELF_NO_CUDA);
    CHECK_INT(build_elf_check("/etc/hostname", needed, sizeof needed), BUILD_ELF_NOT_A_PROGRAM);
    CHECK_INT(build_elf_check("/no/such", needed, sizeof needed), BUILD_ELF_NOT_A_PROGRAM);
}

/* What tools say when the machine gives them no process: gcc, nvcc, dash and as under `ulimit -u`;
 * and what a source can make a compiler say. */
static void test_starved(void) {
    static const struct {
        const char *said;
        bool starved;
    } rows[] = {
        {"gcc: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable\n"
         "compilation terminated.\n",
         true},
        {"x.cu(3): warning: unused\ng++: error: vfork: Resource temporarily unavailable\n", true},
        {"nvcc error   : fork() failed with 'Cannot allocate memory'\n", true},
        {"nvcc error   : fork() failed with 'Resource temporarily unavailable'", true},
        {"sh: 0: Cannot fork\n", true},
        {"collect2: fatal error: cannot create pipe: Too many open files\n", true},
        {"terminate called after throwing an instance of 'std::system_error'\n"
         "  what():  Resource temporarily unavailable\n",
         true},
        {"x.cu:1:2: error: #error gcc: vfork: Resource temporarily unavailable\n", false},
        {"x.cu(1): error: #error directive: sh: 0: Cannot fork\n   #error sh: 0: Cannot fork\n",
         false},
        {"gcc:1:2: error: vfork: Resource temporarily unavailable is no type\n", false},
        /* #line 1 "gcc", and "gcc: fatal error: vfork", and an #error of these words */
        {"gcc:1:2: error: #error Resource temporarily unavailable\n", false},
        {"gcc: fatal error: vfork:1:2: error: #error Cannot fork\n", false},
        {"nvcc(1): error: #error directive: Resource temporarily unavailable\n", false},
        {"virtual memory exhausted: Cannot allocate memory\n", false},
        {"cc1plus: out of memory allocating 65536 bytes\n", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# %s\n", rows[i].said);
        CHECK_INT(build_tool_starved(rows[i].said), rows[i].starved);
    }
}

static void test_cancelled(void) {
    volatile int cancel = 1;
    char *path = put("cancel.cu", scale);
    build_request q;
    build_request_init(&q);
    q.source = path;
    q.entry_text = entry;
    q.cancel = &cancel;
    build_result r;
    CHECK(!build_file(&q, &r));
    CHECK(r.infra && r.cancelled);
    build_result_free(&r);
    free(path);
}

int main(void) {
    test_entry();
    test_program_entry();
    test_messages();
    test_wide();
    test_starved();
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    char *cache = lib_format("%s/cache", folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    CHECK_STR(said(&msg), "");
    if (p && CHECK(build_toolchain_get(&msg) != NULL)) {
        test_cancelled();
        test_compile();
        test_recipe(cache, p);
        test_at_once();
        test_program();
        test_step_crashes();
        test_deadline(p);
        test_code();
        if (check_fast()) {
            printf("skip two architectures, a torn place, hostile sources (FAST)\n");
        } else {
            test_two_architectures();
            test_torn_place();
            test_hostile(p);
        }
        /* Nothing half-made stays behind. */
        char *left = lib_format("%s/warplab/tmp", cache);
        CHECK_INT(rmdir(left), 0);
        free(left);
    } else {
        printf("# %s\n", said(&msg));
    }
    free(cache);
    lib_remove_tree(folder);
    return check_done();
}
