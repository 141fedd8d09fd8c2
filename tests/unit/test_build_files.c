/* What a build is made of, without a compiler: ELF headers (made by hand, gABI and elf.h), the
 * names and keys of sources, and the compiler's messages as a student reads them. */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/build/cache.h"
#include "runner/build/wide.h"
#include "tests/check.h"
#include "tests/said.h"
#include "words/nvcc.h"

static char folder[] = "/tmp/warplab-test-files.XXXXXX";

static char *put(const char *name, const void *bytes, size_t n) {
    char *path = lib_path_join(folder, name);
    lib_message msg = {0};
    CHECK(lib_write_file(path, bytes, n, &msg));
    return path;
}

/* ---- ELF ---- */

#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64, OTHER_MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_X86_64, OTHER_MACHINE = EM_AARCH64 };
#endif
enum { BASE = 0x400000, HELD = 5 };

typedef struct {
    Elf64_Ehdr h;
    Elf64_Phdr p[3];
    Elf64_Dyn d[8];
    char strings[280];
    char names[32], fatbin[HELD];
    Elf64_Shdr s[3];
} image;

/* A program that needs these libraries, with a section .nv_fatbin that is the file's last but for
 * the section headers. */
static image program(const char *const *needed) {
    image m = {0};
    memcpy(m.h.e_ident, ELFMAG, SELFMAG);
    m.h.e_ident[EI_CLASS] = ELFCLASS64;
    m.h.e_ident[EI_DATA] = ELFDATA2LSB;
    m.h.e_ident[EI_VERSION] = EV_CURRENT;
    m.h.e_version = EV_CURRENT;
    m.h.e_machine = MACHINE;
    m.h.e_type = ET_DYN;
    m.h.e_phoff = offsetof(image, p);
    m.h.e_phnum = 3;
    m.h.e_shoff = offsetof(image, s);
    m.h.e_shnum = 3;
    m.h.e_shstrndx = 2;
    m.p[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = 16}; /* another */
    m.p[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                          .p_vaddr = BASE,
                          .p_offset = offsetof(image, strings),
                          .p_filesz = sizeof m.strings};
    m.p[2] =
        (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = offsetof(image, d), .p_filesz = sizeof m.d};
    size_t n = 0, at = 1;
    for (; *needed; needed++) {
        m.d[n++] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = at};
        strcpy(m.strings + at, *needed);
        at += strlen(*needed) + 1;
    }
    m.d[n++] = (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = BASE};
    m.d[n++] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = at};
    memcpy(m.names, "\0.text\0.nv_fatbin", sizeof "\0.text\0.nv_fatbin");
    memcpy(m.fatbin, "code!", HELD);
    m.s[1] = (Elf64_Shdr){.sh_name = 7,
                          .sh_type = SHT_PROGBITS,
                          .sh_offset = offsetof(image, fatbin),
                          .sh_size = HELD};
    m.s[2] = (Elf64_Shdr){
        .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = offsetof(image, names), .sh_size = 18};
    return m;
}

static build_elf check_elf(const image *m, size_t n, char *needed, size_t size) {
    char *path = put("elf", m, n);
    build_elf found = build_elf_check(path, needed, size);
    free(path);
    return found;
}

static void elf(void) {
    enum {
        AS_IT_IS,
        EXEC,
        REL,
        CORE,
        NO_TYPE,
        MAGIC,
        CLASS,
        OTHER,
        NO_FATBIN,
        NO_SECTIONS,
        NO_DYNAMIC,
        PAST_STRINGS,
        PAST_TABLE,
        NO_TABLE,
        ENDED,
        LOAD_END,
        PHDRS_CUT,
        SHSTR_CUT,
        NAME_CUT,
        LOAD_FIRST,
        DYNAMIC_FIRST
    };
    static const struct {
        const char *needed[4];
        int change;
        build_elf found;
        const char *name;
    } rows[] = {
        {{"libm.so.6", "libcudart.so.13"}, AS_IT_IS, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{"libcudart.so.13", "libm.so.6"}, EXEC, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{"libcudart.so.13"}, NO_FATBIN, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{"libcudart.so.13"}, LOAD_FIRST, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{"libcudart.so.13"}, DYNAMIC_FIRST, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{"libcudart.so.12"}, AS_IT_IS, BUILD_ELF_OTHER_CUDART, "libcudart.so.12"},
        {{"libcudart.so.130"}, AS_IT_IS, BUILD_ELF_OTHER_CUDART, "libcudart.so.130"},
        {{"libcudart.so"}, AS_IT_IS, BUILD_ELF_OTHER_CUDART, "libcudart.so"},
        {{"libcudart.s"}, AS_IT_IS, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcuda.so.1"}, AS_IT_IS, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcuda.so.1"}, NO_FATBIN, BUILD_ELF_SHARED_CUDART, ""},
        {{"libcuda.so.11"}, NO_FATBIN, BUILD_ELF_NO_CUDA, ""},
        {{"libcuda.so.2"}, NO_FATBIN, BUILD_ELF_NO_CUDA, ""},
        {{"libcuda.so.1", "libcudart.so.12"}, NO_FATBIN, BUILD_ELF_OTHER_CUDART, "libcudart.so.12"},
        {{"libm.so.6"}, NO_FATBIN, BUILD_ELF_NO_CUDA, ""},
        {{"libm.so.6"}, AS_IT_IS, BUILD_ELF_STATIC_CUDART, ""},
        {{NULL}, NO_SECTIONS, BUILD_ELF_NO_CUDA, ""},
        {{"libcudart.so.13"}, REL, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, CORE, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, NO_TYPE, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, MAGIC, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, CLASS, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, OTHER, BUILD_ELF_NOT_A_PROGRAM, ""},
        {{"libcudart.so.13"}, PHDRS_CUT, BUILD_ELF_NOT_A_PROGRAM, ""},
        /* What is broken in it is as if it were not there. */
        {{"libcudart.so.13"}, NO_DYNAMIC, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, PAST_STRINGS, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, PAST_TABLE, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, NO_TABLE, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, ENDED, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, LOAD_END, BUILD_ELF_STATIC_CUDART, ""},
        {{"libcudart.so.13"}, SHSTR_CUT, BUILD_ELF_SHARED_CUDART, "libcudart.so.13"},
        {{NULL}, SHSTR_CUT, BUILD_ELF_NO_CUDA, ""},
        {{NULL}, NAME_CUT, BUILD_ELF_NO_CUDA, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = program(rows[i].needed);
        size_t n = sizeof m;
        switch (rows[i].change) {
        case EXEC: m.h.e_type = ET_EXEC; break;
        case REL: m.h.e_type = ET_REL; break;
        case CORE: m.h.e_type = ET_CORE; break;
        case NO_TYPE: m.h.e_type = ET_NONE; break;
        case MAGIC: m.h.e_ident[3] = 'f'; break;
        case CLASS: m.h.e_ident[EI_CLASS] = ELFCLASS32; break;
        case OTHER: m.h.e_machine = OTHER_MACHINE; break;
        case NO_FATBIN: m.names[8] = 'N'; break;
        case NO_SECTIONS: m.h.e_shoff = 0; break;
        case NO_DYNAMIC: m.p[2].p_type = PT_NOTE; break;
        case PAST_STRINGS: m.d[2].d_un.d_val = m.d[0].d_un.d_val; break; /* the table ends there */
        case PAST_TABLE: m.d[2].d_un.d_val = sizeof m; break;
        case NO_TABLE: m.d[1].d_un.d_ptr = BASE - 1; break;
        case ENDED: m.d[0].d_tag = DT_NULL; break;
        case LOAD_END: m.p[1].p_filesz = 0; break;
        case PHDRS_CUT: n = offsetof(image, p) + 2 * sizeof *m.p + 1; break;
        case SHSTR_CUT: n--; break;
        case NAME_CUT: m.s[2].sh_size = 7; break;
        case LOAD_FIRST:
        case DYNAMIC_FIRST: {
            Elf64_Phdr first = m.p[0], *with = &m.p[rows[i].change == LOAD_FIRST ? 1 : 2];
            m.p[0] = *with, *with = first;
            break;
        }
        default: break;
        }
        char needed[64] = "?";
        printf("# %zu\n", i);
        CHECK_INT(check_elf(&m, n, needed, sizeof needed), rows[i].found);
        CHECK_STR(needed, rows[i].name);
    }
    /* Of a name 200 bytes are told, or as many as there is room for. */
    char long_name[252], told[256], few[16];
    memset(long_name, 'x', sizeof long_name - 1);
    memcpy(long_name, "libcudart.so.", 13);
    long_name[251] = 0;
    const char *const one[] = {long_name, NULL};
    image m = program(one);
    CHECK_INT(check_elf(&m, sizeof m, few, sizeof few), BUILD_ELF_OTHER_CUDART);
    CHECK_STR(few, "libcudart.so.xx");
    CHECK_INT(check_elf(&m, sizeof m, told, sizeof told), BUILD_ELF_OTHER_CUDART);
    long_name[200] = 0;
    CHECK_STR(told, long_name);
    static const char *const none[] = {NULL};
    m = program(none);
    char needed[4];
    CHECK_INT(check_elf(&m, sizeof m.h - 1, needed, sizeof needed), BUILD_ELF_NOT_A_PROGRAM);
    CHECK_INT(check_elf(&m, 0, needed, sizeof needed), BUILD_ELF_NOT_A_PROGRAM);
    CHECK_INT(build_elf_check(folder, NULL, 0), BUILD_ELF_NOT_A_PROGRAM);
    /* A section's bytes, all of which the file must have. */
    char *path = put("elf", &m, sizeof m);
    lib_message msg = {0};
    size_t n = 0;
    char *code = build_elf_section(path, ".nv_fatbin", &n, &msg);
    CHECK(code && n == HELD && !memcmp(code, "code!", HELD));
    free(code);
    CHECK(!build_elf_section(path, ".nv_fatbi", &n, &msg) && n == 0);
    char want[200];
    snprintf(want, sizeof want, "%s has no section .nv_fatbi", path);
    CHECK_STR(said(&msg), want);
    free(path);
    m.s[1].sh_size = sizeof m - m.s[1].sh_offset;
    free(put("elf", &m, sizeof m));
    path = lib_path_join(folder, "elf");
    code = build_elf_section(path, ".nv_fatbin", &n, &msg);
    CHECK(code && n == sizeof m - offsetof(image, fatbin));
    free(code);
    m.s[1].sh_size++;
    free(put("elf", &m, sizeof m));
    CHECK(!build_elf_section(path, ".nv_fatbin", &n, &msg) && n == 0);
    free(put("elf", "short", 5));
    CHECK(!build_elf_section(path, ".nv_fatbin", &n, &msg) && n == 0);
    /* A file of more than 64 MiB is not read, however little of it is the section's. */
    m.s[1].sh_size = HELD;
    free(put("elf", &m, sizeof m));
    CHECK(!truncate(path, (64 << 20) + 1));
    CHECK(!build_elf_section(path, ".nv_fatbin", &n, &msg));
    CHECK_CONTAINS(said(&msg), "67.1 MB");
    free(path);
}

/* ---- names and keys ---- */

static build_request q;
static lib_paths paths;
static build_toolchain tools;
static char text[100];

static build_job job(void) {
    build_job b = {.q = &q, .paths = &paths, .tools = &tools, .text = text, .length = strlen(text)};
    lib_message msg;
    if (q.entry_text) CHECK(build_entry_parse(q.entry_text, &b.entry, &msg));
    return b;
}
static void forget(build_job *b) {
    for (size_t i = 0; i < b->header_count; i++) free(b->headers[i]);
    free(b->place);
}

static void names(void) {
    static const char *const rows[][2] = {
        {"vector-add.cu", "vector-add.cu"},
        {"/a/b/Vector_Add2.cu", "Vector_Add2.cu"},
        {"-o evil.cu", "_o_evil.cu"},
        {".hidden.cu", "_hidden.cu"},
        {"a.b-c.cu", "a.b-c.cu"},
        {"azAZ09.cu", "azAZ09.cu"},
        {"`@[{/:.cu", "_.cu"},
        {"`a@b[c{d:e.cu", "_a_b_c_d_e.cu"},
        {"\xe5\x90\x88.cu", "___.cu"},
        {".cu", "submission.cu"},
        {"a.cu", "a.cu"},
        {"a.cpp", "submission.cu"},
        {"a", "submission.cu"},
        {"", "submission.cu"},
        {"dir/", "submission.cu"},
        /* of 63 bytes the end is not lost */
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.cu",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.cu"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.cu", "submission.cu"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        q = (build_request){.source = rows[i][0], .arch = 90};
        build_job b = job();
        build_key(&b);
        CHECK_STR(b.file, rows[i][1]);
        forget(&b);
        q = (build_request){.source = "other.cu", .shown_as = rows[i][0], .arch = 90};
        b = job();
        build_key(&b);
        CHECK_STR(b.file, rows[i][1]);
        forget(&b);
    }
}

/* The key of what the statics say. */
static const char *key_of(char out[65]) {
    build_job b = job();
    build_key(&b);
    strcpy(out, b.key);
    char *place = lib_format("/cache/build/%.2s/%s", b.key, b.key + 2);
    CHECK_STR(b.place, place);
    CHECK_INT(strspn(b.key, "0123456789abcdef"), 64);
    free(place);
    forget(&b);
    return out;
}

static void keys(void) {
    char *own = lib_path_join(folder, "own"), *kernels = lib_path_join(folder, "kernels");
    lib_message msg = {0};
    CHECK(lib_make_folders(own, &msg) && lib_make_folders(kernels, &msg));
    free(put("own/b.h", "own", 3));
    free(put("own/z.cuh", "z", 1));
    free(put("own/no.cu", "no", 2));
    free(put("kernels/b.h", "kernels'", 8));
    free(put("kernels/a.cuh", "a", 1));
    free(put("kernels/h", "no", 2));
    paths = (lib_paths){.kernels = kernels, .cache = (char *)"/cache"};
    tools = (build_toolchain){.nvcc = "/cuda/bin/nvcc", .version = "13.0.88"};
    strcpy(text, "int a;");
    const build_request lab = {
        .source = "/x/scale.cu", .entry_text = "void scale(float *a)", .headers = own, .arch = 90};
    q = lab;
    build_job b = job();
    build_key(&b);
    CHECK_INT(b.header_count, 3);
    static const char *const headers[] = {"a.cuh", "b.h", "z.cuh"};
    for (size_t i = 0; i < 3 && i < b.header_count; i++) {
        CHECK_STR(b.headers[i], headers[i]);
        char *path = job_header(&b, i), *want = lib_path_join(i ? own : kernels, headers[i]);
        CHECK_STR(path, want);
        free(path);
        free(want);
    }
    forget(&b);
    /* Each change makes another key than all before, but for those that are none. */
    enum { CHANGES = 16 };
    char seen[CHANGES][65];
    lib_part part = {.name = "scale.cu"};
    for (int i = 0; i < CHANGES; i++) {
        q = lab;
        strcpy(text, "int a;");
        strcpy(tools.nvcc, "/cuda/bin/nvcc");
        strcpy(tools.version, "13.0.88");
        switch (i) {
        case 1: strcpy(text, "int b;"); break;
        case 2: strcpy(text, "int a"); break;
        case 3: strcpy(tools.nvcc, "/other/bin/nvcc"); break;
        case 4: strcpy(tools.version, "13.0.89"); break;
        case 5: q.arch = 75; break;
        case 6: q.also = 75; break;
        case 7: q.source = "/x/other.cu"; break;
        case 8: q.entry_text = "void scale(double *a)"; break;
        case 9: q.debug = true; break;
        case 10: q.whole_program = true; break;
        case 11: q.headers = NULL; break;
        case 12: free(put("own/z.cuh", "y", 1)); break;
        case 13: q.entry_text = NULL; break;
        case 14: q.entry_text = NULL, q.source = "/y/scale.cu"; break; /* it says where it lies */
        case 15: free(put("own/zz.cuh", "y", 1)); break;
        default: break;
        }
        key_of(seen[i]);
        for (int k = 0; k < i; k++) CHECK(strcmp(seen[i], seen[k]) != 0);
    }
    char other[65];
    q = lab; /* as 15 left it */
    strcpy(text, "int a;");
    CHECK_STR(key_of(other), seen[15]);
    q.source = "/y/scale.cu"; /* a lab's file is the same wherever it lies */
    CHECK_STR(key_of(other), seen[15]);
    q.arch = 75, q.also = 90; /* either first: one program */
    char both[65];
    key_of(both);
    q.arch = 90, q.also = 75;
    CHECK_STR(key_of(other), both);
    q.also = 80;
    CHECK(strcmp(key_of(other), both) != 0);
    q.arch = 75, q.also = 80;
    CHECK(strcmp(key_of(other), both) != 0);
    q = lab;
    b = job();
    b.parts[0] = part, b.part_count = 1;
    build_key(&b);
    CHECK(strcmp(b.key, seen[15]) != 0);
    forget(&b);
    /* As many headers as there is room for. */
    for (int i = 0; i < 70; i++) {
        char name[40];
        snprintf(name, sizeof name, "kernels/h%02d.h", i);
        free(put(name, "x", 1));
    }
    b = job();
    build_key(&b);
    CHECK_INT(b.header_count, BUILD_MAX_HEADERS);
    forget(&b);
    char hex[65], *path = lib_path_join(kernels, "h00.h");
    /* SHA-256 of "x" */
    CHECK(build_hash_file(path, hex));
    CHECK_STR(hex, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881");
    CHECK(!build_hash_file("/no/such/file", hex));
    free(path);
    free(own);
    free(kernels);
}

/* ---- the entry ---- */

#define NAME_47 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstu"
#define NAME_63 NAME_47 "vwxyzabcdefghijk"
static void entries(void) {
    static const struct {
        const char *text, *again; /* NULL: refused */
        const char *said;
    } rows[] = {
        {"void f(int)", "void f(int p0)", ""},
        {"void f(int, float const *, unsigned)", "void f(int p0, const float *p1, unsigned p2)",
         ""},
        {"void f(const int n, bool b);", "void f(const int n, bool b)", ""},
        {"void _f9(const unsigned char *restrict const p)", "void _f9(const unsigned char *p)", ""},
        {"void f(half2 *__restrict a, void *b)", "void f(half2 *a, void *b)", ""},
        {"void " NAME_63 "()", "void " NAME_63 "()", ""},
        {"void " NAME_63 "l()", NULL, "expected a shorter name"},
        {"void f(int " NAME_47 ")", "void f(int " NAME_47 ")", ""},
        {"void f(int " NAME_47 "v)", NULL, "expected a shorter name"},
        {"void f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int "
         "l, int m, int n, "
         "int o, int p, int q, int r, int s, int t, int u, int v, int w, int x)",
         "void f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int "
         "l, int m, int n, "
         "int o, int p, int q, int r, int s, int t, int u, int v, int w, int x)",
         ""},
        {"void int()", NULL, "expected the entry's name, found \"int\":\n  void int()\n       ^"},
        {"void 9()", NULL, "expected the entry's name, found \"9\":\n  void 9()\n       ^"},
        {"void f()x", NULL,
         "expected the end of the declaration, found \"x\":\n  void f()x\n          ^"},
        {"void f();;", NULL,
         "expected the end of the declaration, found \";\":\n  void f();;\n           ^"},
        {"void f(", NULL, "found the end:\n  void f(\n         ^"},
        {"void f(long int n)", NULL, "expected a parameter's type"},
        {"void f(int a, float2 b)", NULL,
         "found \"b\":\n  void f(int a, float2 b)\n                       ^"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        build_entry e;
        lib_message msg = {0};
        CHECK_INT(build_entry_parse(rows[i].text, &e, &msg), rows[i].again != NULL);
        CHECK_CONTAINS(said(&msg), rows[i].said);
        if (!rows[i].again) continue;
        char *again = build_entry_text(&e);
        CHECK_STR(again, rows[i].again);
        free(again);
    }
    bool real = true;
    CHECK(build_entry_number("int", &real) && !real && build_entry_number("bool", &real) && !real);
    CHECK(build_entry_number("float", &real) && real && build_entry_number("double", &real) &&
          real);
    CHECK(!build_entry_number("void", &real) && !real && !build_entry_number("half", &real));
    CHECK(!build_entry_number("string", &real) && !real);
    /* A slot of a call becomes what its parameter is; types are declared once, in the table's
     * order. */
    build_entry e;
    lib_message msg;
    CHECK(build_entry_parse("void f(float4 *a, half *b, const half *c, int d, float e, double g)",
                            &e, &msg));
    char *glue = build_glue_source(&e);
    CHECK_CONTAINS(
        glue, "#include \"runner/device/cudart/glue.h\"\nstruct __half;\ntypedef __half "
              "half;\nstruct float4;\n"
              "void f(float4 *a, half *b, const half *c, int d, float e, double g);\ntemplate ");
    CHECK_CONTAINS(glue, "        f((float4 *)a[0], (half *)a[1], (const half *)a[2], (int)a[3], "
                         "bits<float, uint32_t>(a[4]), bits<double, uint64_t>(a[5]));\n");
    free(glue);
    /* Of a whole program: x_count and y_count are slots 4 and 5, behind the four that are
     * written. */
    CHECK(build_program_parse("void f(const int *x, float s, unsigned n, double *y)", &e, &msg));
    CHECK_INT(e.count, 6);
    CHECK_STR(e.params[4].name, "x_count");
    CHECK_STR(e.params[5].name, "y_count");
    char *whole = build_program_source(&e);
    CHECK_CONTAINS(
        whole, "        static char name[] = \"f\";\n        argv[argc++] = name;\n"
               "        for (size_t i = 0; i < a[4]; i++) fprintf(in, \"%lld\\n\", "
               "(long long)((const int *)a[0])[i]);\n"
               "        snprintf(words[1], sizeof words[0], \"%.17g\", (double)bits<float, "
               "uint32_t>(a[1]));\n"
               "        argv[argc++] = words[1];\n"
               "        snprintf(words[2], sizeof words[0], \"%lld\", (long long)(unsigned)a[2]);\n"
               "        argv[argc++] = words[2];\n"
               "        argv[argc] = NULL;\n");
    CHECK_CONTAINS(whole,
                   "        expected += a[5];\n        take_real(out, (double *)a[3], a[5]);\n"
                   "        while (word(out)) printed++;\n");
    free(whole);
    /* 24 with their lengths, and names of 41 letters with theirs. */
    static const char twelve[] =
        "void f(int *a, int *b, int *c, int *d, int *e, int *f, int *g, int *h, int *i, int *j, "
        "int *k, int *l%s)";
    char many[200];
    snprintf(many, sizeof many, twelve, "");
    CHECK(build_program_parse(many, &e, &msg) && e.count == 24);
    snprintf(many, sizeof many, twelve, ", int n");
    CHECK(!build_program_parse(many, &e, &msg));
    CHECK_STR(said(&msg), "l: too many parameters, or too long a name");
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstu";
    for (int n = 40; n <= 42; n++) {
        snprintf(many, sizeof many, "void f(int *%.*s)", n, letters);
        CHECK_INT(build_program_parse(many, &e, &msg), n <= 41);
    }
}

/* ---- messages ---- */

static void messages(void) {
    build_entry e;
    lib_message msg;
    CHECK(build_entry_parse("void scale(float *a, int n)", &e, &msg));
    static const struct {
        const char *raw, *shown;
    } rows[] = {
        {"", ""},
        {"\n\n", ""},
        {"one\n\n\n\ntwo\n\n", "one\n\ntwo\n"},
        {"one", "one\n"},
        {"/src/s.cu(1): a /src/s.cu b\n", "w/s.cu(1): a w/s.cu b\n"},
        {"ptxas info    : x\nx ptxas info\n", "x ptxas info\n"},
        {"1 error detected in the compilation of \"s.cu\".\nx\n", "x\n"},
        {"a\x1b[2Jb\x7f\t\x1f\n", "a?[2Jb?\t?\n"},
        {"/usr/bin/ld: x\nld: a.o: y\nld: a.c\na.o\n", "ld: a.c\na.o\n"},
        {"s.o: in function `f':\nx\n", "x\n"},
        /* the caret goes as far to the left as what stands before it gets shorter: 24 to 10 and
         * 24 to 10, then what stands behind it */
        {"__attribute__((global)) __attribute__((device)) x __attribute__((host))\n"
         "                                                ^\n",
         "__global__ __device__ x __host__\n"
         "                      ^\n"},
        {"  ^\n", "  ^\n"},
        {"x\n ^ y\n", "x\n ^ y\n"},
        {"x\n\t^\n", "x\n\t^\n"},
        /* another sign alone is no caret, be it before '^' in ASCII or behind: it stays where it
         * is */
        {"__attribute__((global)) x\n                        ]\n",
         "__global__ x\n                        ]\n"},
        {"__attribute__((global)) x\n                        _\n",
         "__global__ x\n                        _\n"},
        {"__attribute__((global)) x\n                        ^^\n",
         "__global__ x\n                        ^^\n"},
        {"a.o: undefined reference to `scale(float*, int)'\n",
         "w/s.cu: error: expected the function\n    void scale(float *a, int n)\nfound no such "
         "function in this "
         "file. Keep its name and its parameters' types as the skeleton has them\n"},
        {"a.o: undefined reference to `scal(float*, int)'\n",
         "w/s.cu: error: scal(float*, int) is declared but defined nowhere\n"},
        {"a.o: undefined reference to `scales'\n",
         "w/s.cu: error: scales is declared but defined nowhere\n"},
        {"a.o: undefined reference to `f'\na.o: undefined reference to `f'\nb.o: undefined "
         "reference to `g'\n",
         "w/s.cu: error: f is declared but defined nowhere\nw/s.cu: error: g is declared but "
         "defined nowhere\n"},
        {"a.o: undefined reference to `main'\n", "w/s.cu: error: expected a main(), found none. "
                                                 "This lab's program is yours from main() on\n"},
        {"a.o: multiple definition of `main'\n",
         "w/s.cu: error: found a main() in this file; Warplab has one that calls scale(), so take "
         "yours out\n"},
        {"a.o: multiple definition of `f'; b.o: x\n", "w/s.cu: error: f is defined twice\n"},
        {"error: \\U00005408\\U000000e9\\U0000001b\n", "error: 合é\\U0000001b\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *shown = build_messages(rows[i].raw, "/src/s.cu", "w/s.cu", &e, NULL);
        CHECK_STR(shown, rows[i].shown);
        free(shown);
    }
}

/* Escapes of the compiler's become characters; those that would not show, or are assigned to none,
 * stay. Each is 10 columns wide. */
static void escapes(void) {
    static const struct {
        const char *from, *to;
        int columns; /* of the character; it stays where `to` is NULL */
    } rows[] = {
        {"\\U000000a0", NULL, 0},           {"\\U000000a1", "\xc2\xa1", 1},
        {"\\U000000ad", NULL, 0},           {"\\U000007ff", "\xdf\xbf", 1},
        {"\\U00000800", "\xe0\xa0\x80", 1}, {"\\U0000061c", NULL, 0},
        {"\\U000010ff", "\xe1\x83\xbf", 1}, {"\\U00001100", "\xe1\x84\x80", 2},
        {"\\U0000115f", "\xe1\x85\x9f", 2}, {"\\U00001fff", NULL, 0},
        {"\\U00002000", NULL, 0},           {"\\U0000200f", NULL, 0},
        {"\\U00002010", "\xe2\x80\x90", 1}, {"\\U00002027", "\xe2\x80\xa7", 1},
        {"\\U00002028", NULL, 0},           {"\\U0000202f", NULL, 0},
        {"\\U00002030", "\xe2\x80\xb0", 1}, {"\\U0000205e", "\xe2\x81\x9e", 1},
        {"\\U0000205f", NULL, 0},           {"\\U0000206f", NULL, 0},
        {"\\U00002070", "\xe2\x81\xb0", 1}, {"\\U00002e7f", NULL, 0},
        {"\\U00002e80", "\xe2\xba\x80", 2}, {"\\U00003000", NULL, 0},
        {"\\U00003001", "\xe3\x80\x81", 2}, {"\\U0000a4cf", NULL, 0},
        {"\\U0000a4d0", "\xea\x93\x90", 1}, {"\\U0000abff", NULL, 0},
        {"\\U0000AC00", "\xea\xb0\x80", 2}, {"\\U0000d7a3", "\xed\x9e\xa3", 2},
        {"\\U0000d7a4", NULL, 0},           {"\\U0000d7ff", NULL, 0},
        {"\\U0000d800", NULL, 0},           {"\\U0000f8ff", NULL, 0},
        {"\\U0000f900", "\xef\xa4\x80", 2}, {"\\U0000faff", NULL, 0},
        {"\\U0000fb00", "\xef\xac\x80", 1}, {"\\U0000fe2f", "\xef\xb8\xaf", 0},
        {"\\U0000fe30", "\xef\xb8\xb0", 2}, {"\\U0000fe4f", "\xef\xb9\x8f", 2},
        {"\\U0000fe50", "\xef\xb9\x90", 2}, {"\\U0000feff", NULL, 0},
        {"\\U0000ff01", "\xef\xbc\x81", 2}, {"\\U0000ff60", "\xef\xbd\xa0", 2},
        {"\\U0000ff61", "\xef\xbd\xa1", 1}, {"\\U0000ffe0", "\xef\xbf\xa0", 2},
        {"\\U0000ffe6", "\xef\xbf\xa6", 2}, {"\\U0000ffe7", NULL, 0},
        {"\\U0000ffef", NULL, 0},           {"\\U0000fff0", NULL, 0},
        {"\\U0001f600", NULL, 0},           {"\\U0000540", NULL, 0},
        {"\\U0000540g", NULL, 0},           {"\\u00005408", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[40], want[40];
        snprintf(line, sizeof line, "a%sz", rows[i].from);
        snprintf(want, sizeof want, "a%sz", rows[i].to ? rows[i].to : rows[i].from);
        size_t n = strlen(line), left = rows[i].to ? 10 - (size_t)rows[i].columns : 0;
        printf("# %s\n", rows[i].from);
        CHECK_INT(wide_shift(line, n, n - 1), left); /* under the z */
        CHECK_INT(wide_shift(line, n, 1), 0);        /* under it */
        line[wide_unescape(line, n)] = 0;
        CHECK_STR(line, want);
    }
}

/* What an input method types, and what was meant. */
static void typed(void) {
    static const struct {
        const char *typed, *meant;
    } rows[] = {{"！", "!"}, {"～", "~"}, {"Ａ", "A"}, {"×", "*"},  {"–", "-"},  {"—", "-"},
                {"‘", "'"},  {"’", "'"},  {"“", "\""}, {"”", "\""}, {"−", "-"},  {"≤", "<="},
                {"≥", ">="}, {"≠", "!="}, {"、", ","}, {"。", "."}, {"《", "<"}, {"》", ">"},
                {"【", "["}, {"】", "]"}, {"；", ";"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[60], want[100];
        snprintf(code, sizeof code, "int a; // ；\n\nx%s", rows[i].typed);
        lib_message msg = {0};
        CHECK(wide_find(code, strlen(code), NULL, &msg));
        snprintf(want, sizeof want, "line 3 has the full-width character `%s` (U+", rows[i].typed);
        CHECK_CONTAINS(said(&msg), want);
        snprintf(want, sizeof want, ") where code needs `%s`: switch", rows[i].meant);
        CHECK_CONTAINS(said(&msg), want);
        CHECK(!wide_find(code, strlen(code) - 1, NULL, &msg)); /* cut short it is none */
    }
    static const char *const blanks[] = {"x\xc2\xa0", "x\xe3\x80\x80"};
    for (size_t i = 0; i < 2; i++) {
        lib_message msg = {0};
        CHECK(wide_find(blanks[i], strlen(blanks[i]), "a.cu", &msg));
        CHECK_CONTAINS(said(&msg), "a.cu, line 1 has the full-width character");
        CHECK_CONTAINS(said(&msg), "where code needs a plain blank: switch");
    }
    static const struct {
        const char *code;
        int line, more;
    } found[] = {{"；；；", 1, 2},
                 {"/* ；\n*/；", 2, 0},
                 {"\"\n；\"；", 2, 0}, /* a text ends with its line, so the second begins another */
                 {"'\\'；'；", 1, 0},
                 {"a'；", 1, 0},
                 {"'；", 0, 0},
                 {"/；", 1, 0},
                 {"//；\n；", 2, 0},
                 {"/**// ；", 1, 0},
                 {"\"a\\\"；\"", 0, 0},
                 {"合；", 1, 0},
                 {"\xef\xbb\xbf；", 1, 0},
                 {"a\xef\xbb\xbf", 0, 0}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        lib_message msg = {0};
        CHECK_INT(wide_find(found[i].code, strlen(found[i].code), NULL, &msg), found[i].line > 0);
        char want[60];
        snprintf(want, sizeof want, "line %d has", found[i].line);
        if (found[i].line) CHECK(!strncmp(said(&msg), want, strlen(want)));
        snprintf(want, sizeof want, ", and there are %d more", found[i].more);
        if (found[i].line) CHECK(!strstr(said(&msg), want) == !found[i].more);
    }
}

/* Messages that nvcc printed, and the row of the catalogue that explains each. */
static void explained(void) {
    size_t n;
    lib_message msg = {0};
    char *errors = lib_read_file("tests/unit/nvcc-errors.txt", 1 << 20, &n, &msg), *save = NULL;
    int count = 0;
    if (!CHECK(errors != NULL)) return;
    for (char *line = strtok_r(errors, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *tab = *line == '#' ? NULL : strchr(line, '\t'), want[80];
        if (!tab) continue;
        lib_message why = {0};
        snprintf(want, sizeof want, "nvcc.%.*s", (int)(tab - line), line);
        if (!CHECK(build_explain(tab + 1, &why))) printf("# %s\n", tab + 1);
        bool placed = lib_message_is(&why, WITH_NVCC_AT_LINE);
        CHECK_STR(lib_words_name(lib_message_words(&why).args[placed].m.id), want);
        count++;
    }
    CHECK(count >= 50);
    free(errors);
    lib_message why = {0};
    CHECK(!build_explain("f.cu(3): error: words that no compiler says", &why));
    CHECK(!build_explain("f.cu(3): warning: expected a \";\"", &why));
    CHECK(!build_explain("", &why));
    /* the missing brace, not what nvcc took for an error before the end */
    CHECK(
        build_explain("f.cu(6): error: expected a \";\"\n{\n^\nAt end of source: error: expected a "
                      "\"}\"\n",
                      &why));
    CHECK_CONTAINS(said(&why), "A closing brace is missing");
    CHECK(build_explain("f.cu(3): warning #1: a\nf.cu(12): error: expected a \";\"\n", &why));
    char shown[200];
    CHECK_CONTAINS(lib_message_text(shown, sizeof shown, LIB_EN, &why), "Line 12: A semicolon");
    CHECK_CONTAINS(lib_message_text(shown, sizeof shown, LIB_ZH, &why), "第 12 行");
}

int main(void) {
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    elf();
    names();
    keys();
    entries();
    messages();
    escapes();
    typed();
    explained();
    lib_remove_tree(folder);
    return check_done();
}
