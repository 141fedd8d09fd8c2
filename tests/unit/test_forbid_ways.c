/* The ways to write what a lab forbids, in a source and in PTX: what is found, and what only looks
 * like it. */
#include "runner/base/message.h"
#include "grader/lab.h"
#include "tests/check.h"
#include "tests/said.h"

static const char *const no_libraries[] = {"cublas", "cub::"};
static const grade_lab without_libraries = {.forbidden = no_libraries, .forbidden_count = 2};

static const char *scan(const char *source) {
    static lib_message msg;
    return grade_forbidden(&without_libraries, "lab.cu", source, strlen(source), &msg) ? said(&msg)
                                                                                       : "";
}

static void sources(void) {
    CHECK_STR(
        scan("// cublas\n/* cub::x */ const char *s = \"cublas\"; int cublasting, cubism; char c = "
             "'\"'; int n = 1'000; // cub"),
        "");
    CHECK_STR(scan("auto s = R\"x(cub:: )\" cublas)x\"; int ok;"), "");
    CHECK_CONTAINS(scan("int a;\ncublasSgemm(h);"),
                   "lab.cu:2: this lab does not allow 'cublas' (found 'cublasSgemm')");
    CHECK_CONTAINS(scan("using namespace cub;"), "'cub::'");
    CHECK_CONTAINS(scan("cu\\\nblas_x();"), "lab.cu:1: ");
    CHECK_CONTAINS(scan("char c = '\\''; cublasX();"), "cublasX");
    CHECK_CONTAINS(scan("int n = 1'000; cub::Sum();"), "lab.cu:1: ");
    CHECK_CONTAINS(scan("\n# include /* x */ <cub/cub.cuh>"), "lab.cu:2: ");
    CHECK_CONTAINS(scan("#include <cub/cub.cuh> // and more"), "(found 'cub/cub.cuh')");
    CHECK_CONTAINS(scan("%:include \"cublas_v2.h\""), "cublas_v2.h");
    CHECK_CONTAINS(scan("#define H <x.h>\n#include H\n"), "not a macro");
    CHECK_CONTAINS(scan("R\"(cublas\" )\"; cublasY"), "cublasY");
    CHECK_STR(scan("#include <cuda_runtime.h>\n#include \"cubic.h\"\n"), "");
    CHECK_STR(scan("/* never ends cublas"), "");
    CHECK_STR(scan("\"never ends\\"), "");
    CHECK_STR(scan("R\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "");
    CHECK_STR(scan("#"), "");
    CHECK_STR(scan("#include"), "lab.cu:1: expected a file name behind #include, not a macro: this "
                                "lab looks at what is included.");
}

/* Both languages name the line. */
static void in_chinese(void) {
    lib_message msg;
    static const char source_text[] = "int a;\ncublasSgemm(h);";
    CHECK(grade_forbidden(&without_libraries, "lab.cu", source_text, sizeof source_text - 1, &msg));
    CHECK_CONTAINS(said_zh(&msg), "lab.cu:2：本实验不允许使用 'cublas'");
}

static const char *scan_code(const char *forbid, const char *ptx) {
    static lib_message msg;
    grade_lab l = {.forbidden = &forbid, .forbidden_count = 1};
    msg = (lib_message){0};
    bool bad = grade_forbidden_ptx(&l, ptx, strlen(ptx), &msg);
    CHECK(bad == (lib_message_any(&msg)));
    return said(&msg);
}
/* What a macro pasted together or assembly wrote, in PTX as nvcc writes it. */
static void compiled(void) {
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n// shfl.sync in a comment\n"
        ".file 1 \"/src/cub.cu\"\n"
        ".visible .entry _ZN3cub4scanIiEEvPT_(.param .u64 p)\n{\n"
        ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<5>;\n"
        ".reg .b32 %shfl;\n.loc 1 12 5\n"
        "@%p1 bra $L__BB0_2;\n@!%p2 atom.global.add.u32 %r1, [%rd1], 1;\n"
        "$L__BB0_2:\n{ red.shared.max.s32 [%r2], 2; }\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, "
        "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};\n"
        "mov.u32 %shfl, %tid.x;\nret;\n}\n";
    CHECK_CONTAINS(scan_code("cub", ptx), "uses cub::scan<int>");
    CHECK_CONTAINS(scan_code("cub::", ptx), "uses cub::scan<int>");
    CHECK_CONTAINS(scan_code("atom", ptx), "instruction atom.global.add.u32");
    CHECK_CONTAINS(scan_code("atom.global", ptx), "instruction atom.global.add.u32");
    CHECK_CONTAINS(scan_code("atomic", ptx), "instruction atom.global.add.u32");
    CHECK_CONTAINS(scan_code("atomicAdd", ptx), "atom.global.add.u32");
    CHECK_CONTAINS(scan_code("atomicMax", ptx), "red.shared.max.s32");
    CHECK_CONTAINS(scan_code("wmma", ptx), "mma.sync.aligned");
    CHECK_STR(scan_code("atomicMin", ptx), "");
    CHECK_STR(scan_code("shfl", ptx), "");
    CHECK_STR(scan_code("atom.shared", ptx), "");
    CHECK_STR(scan_code("thrust::", ptx), "");
    /* What is no PTX, no device runs. */
    CHECK_STR(scan_code("cub", ".file 1 \"/src/cub.cu\"\n@"), "");
    CHECK_STR(scan_code("cub", "/* never ends"), "");
    CHECK_STR(scan_code("mma", "mma.sync.aligned"), "");
    /* The line is the submission's: where the instruction stands, or where a header's code was
     * inlined into it. */
    CHECK_CONTAINS(scan_code("atom", ptx), "cub.cu:12: this lab does not allow 'atom'");
    CHECK_CONTAINS(scan_code("cub", ptx), "cub.cu:12: this lab does not allow 'cub'");
    static const char inlined[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".file\t1 \"/src/my lab.cu\"\n.file\t2 \"/opt/thrust/include/cccl/cub/warp.cuh\"\n"
        ".visible .entry _Z1kv()\n{\n.reg .b32 %r<3>;\n\t.loc\t1 5 1\n\tmov.u32 \t%r1, 0;\n"
        "\t.loc\t2 700 3, function_name $L__info_string0, inlined_at 1 40 9\n"
        "\tshfl.sync.idx.b32 \t%r1, %r1, 0, 31, -1;\nret;\n}\n"
        ".section .debug_str\n{\n$L__info_string0:\n.b8 95\n.b8 0\n}\n";
    CHECK_CONTAINS(scan_code("__shfl", inlined), "my lab.cu:40: this lab does not allow");
    CHECK_CONTAINS(scan_code("cub::", inlined), "my lab.cu:40: this lab does not allow");
    CHECK_CONTAINS(scan_code("cub::", inlined), "cccl/cub/warp.cuh");
    CHECK_STR(scan_code("thrust", inlined), ""); /* a folder of the installation */
    CHECK_STR(scan_code("red", inlined), "");
    const char *forbid = "cublas";
    grade_lab l = {.forbidden = &forbid, .forbidden_count = 1};
    lib_message msg;
    CHECK(grade_forbidden_symbols(&l, "\0printf\0cublasSgemm_v2", 22, &msg));
    CHECK_CONTAINS(said(&msg), "cublasSgemm_v2");
    CHECK(!grade_forbidden_symbols(&l, "\0printf\0cublasting", 18, &msg));
    /* The last name ends where the list does, and what lies behind is none of its. */
    CHECK(!grade_forbidden_symbols(&l, "printf\0cublasX", 7 + 5, &msg));
    CHECK(grade_forbidden_symbols(&l, "printf\0cublasX", 7 + 7, &msg));
}

/* An instruction is what the parser reads, however it is written. */
static void however_written(void) {
    static const struct {
        const char *forbid, *code;
        bool bad;
    } rows[] = {
#define MMA                                                                                        \
    ".m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "                    \
    "{%r5,%r6}, {%f1,%f2,%f3,%f4};"
        {"wmma", "mma.sync.aligned" MMA, true},
        {"wmma", "@ %p1 mma.sync.aligned" MMA, true},
        {"wmma", "@\t!\n %p1 mma.sync.aligned" MMA, true},
        {"wmma", "@/* a */%p1/* b */mma.sync.aligned" MMA, true},
        {"wmma", "@ // a\n%p1 mma.sync.aligned" MMA, true},
        {"wmma", "mma.sync.aligned\n\n" MMA, true}, /* dotted words may stand apart */
        {"wmma", ".pragma \"nounroll\"; mma.sync.aligned" MMA, true},
        {"wmma", "L: M: mma.sync.aligned" MMA, true},
        {"wmma", "{{ mma.sync.aligned" MMA " }}", true},
        {"wmma", ".loc 1 2 3 mma.sync.aligned" MMA, true},
        {"wmma", "add.u32 %r1, %r1, 1; mma.sync.aligned" MMA, true},
        {"wmma", "// mma.sync.aligned" MMA "\n", false},
        {"wmma", "/* mma.sync.aligned" MMA " */", false},
        {"wmma", ".reg .u32 mma; mov.u32 mma, 1;", false},
        {"wmma", "bra mma; mma: ret;", false},
        {"mma", "mma.sync.aligned" MMA, true},
        {"mma.sync", "mma.sync.aligned" MMA, true},
        {"mma.sp", "mma.sync.aligned" MMA, false},
        {"atomicAdd", "red.global.add.u32 [%rd1], 1;", true},
        {"atomicAdd", "red.async.relaxed.cluster.global.add.u32 [%rd1], 1;", false}, /* no PTX */
        {"atomicSub", "@ %p1 atom.global.add.u32 %r1, [%rd1], -1;", true},
        {"atomicInc", "atom.global.inc.u32 %r1, [%rd1], 7;", true},
        {"atomicDec", "atom.global.inc.u32 %r1, [%rd1], 7;", false},
        {"atomicXor", "red.global.xor.b32 [%rd1], 7;", true},
        {"atomic", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16;",
         true},
        {"atomicAdd",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 16;", true},
        {"atomic", "cp.async.wait_all;", false},
        {"atomic", "sured.b.add.1d.u32.trap [%rd1, {%r1}], %r2;", true},
        {"__syncthreads", "bar.sync 0;", true},
        {"__syncthreads", "barrier.sync 0;", true},
        {"__syncthreads", "bar.red.popc.u32 %r1, 0, %p1;", true},
        {"__syncthreads", "bar.warp.sync -1;", false},
        {"__syncwarp", "bar.warp.sync -1;", true},
        {"__ballot_sync", "vote.sync.ballot.b32 %r1, %p1, -1;", true},
        {"__ballot_sync", "vote.sync.any.pred %p2, %p1, -1;", false},
        {"cub", "call _ZN3cub4onceEv;", true},
        {"thrust", "call _ZN3cub4onceEv;", false},
        {"cub", ".shared .b32 _ZN3cub4roomE;", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 ".version 8.1\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n"
                 "%s.visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<9>;\n"
                 ".reg .b64 %%rd<3>;\n.reg .f32 %%f<5>;\n%s\nret;\n}\n",
                 strstr(rows[i].code, "call") ? ".func _ZN3cub4onceEv() { ret; }\n" : "",
                 rows[i].code);
        check_that((*scan_code(rows[i].forbid, text) != 0) == rows[i].bad, __FILE__, __LINE__,
                   rows[i].code, rows[i].forbid);
    }
}

int main(void) {
    sources();
    in_chinese();
    compiled();
    however_written();
    return check_done();
}
