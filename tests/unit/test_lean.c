/* What a source does not name of CUDA's and C++'s headers is left out.
 *
 *   test_lean             the rule, by small sources
 *   test_lean --of FILE   prints what job_lean() has read before FILE, whose headers in quotes lie
 *                         beside it (tests/programs.py, lean.py) */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/build/job.h"
#include "tests/check.h"

static bool leaves_out(const char *source, const char *guard) {
    static const lib_part parts[] = {{"main.cu", "", 0}, {"tile.h", "", 0}};
    char *text = job_lean(source, strlen(source), parts, 2);
    bool found = strstr(text, guard) != NULL;
    free(text);
    return found;
}

static void rule(void) {
    static const char math[] = "__MATH_FUNCTIONS_H__", atomics[] = "__SM_60_ATOMIC_FUNCTIONS_H__",
                      utility[] = "_GLIBCXX_UTILITY", special[] = "STD_SPEC_FUNCS",
                      libcu[] = "_CG_LIMIT_INCLUDED_DEPENDENCIES";
    static const struct {
        const char *source, *guard;
        bool out;
    } rows[] = {
        {"__global__ void k(float *a) { a[0] = 1; }", math, true},
        {"__global__ void k(float *a) { a[0] = sqrtf(a[1]); }", math, false},
        {"__global__ void k(float *a) { a[0] = sqrt(a[1]); }", math, false},
        {"__global__ void k(float *a) { a[0] = max(a[1], a[2]); }", math, false},
        /* a word that only holds such a name */
        {"__global__ void k(float *a) { a[maximum] = using_logs; }", math, true},
        {"__global__ void k(int *a) { atomicAdd(a, 1); }", atomics, false},
        {"__global__ void k(int *a) { atomicMax_block(a, 1); }", atomics, false},
        {"__global__ void k(int *a) { subatomic(a, 1); }", atomics, true},
        {"#include <cstdio>\nint main() { printf(\"\"); }", utility, true},
        {"#include <vector>\nint main() {}", utility, false},
        {"#include <vector>\nint main() {}", math, true},
        {"#include <cmath>\nint main() {}", utility, false},
        {"#include <math.h>\nint main() {}", math, true},
        {"using namespace std;\nint main() {}", utility, false},
        /* these use what they like */
        {"#include <cooperative_groups.h>\nint main() {}", math, false},
        {"#include \"mine.h\"\nint main() {}", math, false},
        {"#include <unistd.h>\n#include <sys/mman.h>\nint main() {}", utility, true},
        {"#include <csignal>\nint main() {}", utility, true},
        {"#include <sys/mman>\nint main() {}", math, false},
        {"#include <net/if.h>\nint main() {}", math, false},
        {"#include \"tile.h\"\nint main() {}", math, true}, /* one of its own */
        {"#include \"tile.h", math, false},
        {"#  include  <cuda/atomic>\nint main() {}", math, false},
        {"#include HEADER\nint main() {}", math, false},
        {"#include", math, false},
        {"#include <", math, false},
        {"#include <cooperative_groups.h>\nint main() {}", special, true},
        {"#include <cmath>\ndouble x = std::betaf(1, 2);", special, false},
        {"#include <cmath>\ndouble x = std::cyl_bessel_j(1, 2);", special, false},
        {"#include <cooperative_groups.h>\nint main() {}", libcu, true},
        {"#include <cooperative_groups.h>\n#include <cuda/atomic>\n", libcu, false},
        {"#include <cooperative_groups.h>\nusing namespace cuda;\n", libcu, false},
        {"#include <cooperative_groups/reduce.h>\n", libcu, false},
        {"#include <cooperative_groups/scan.h>\n", libcu, false},
        {"#include <cooperative_groups.h>\nsigned char c;\n", libcu, false},
        {"", math, true},
        /* comments and strings */
        {"// the max of all\nint x;", math, true},
        {"// the end\nfloat x = sqrt(2);", math, false},
        {"/* max */ int x;", math, true},
        {"/* */ float x = max(1, 2);", math, false},
        {"/* max", math, true},
        {"const char *s = \"max\";", math, true},
        {"const char *s = \"\\\"\"; float x = max(1, 2);", math, false},
        {"char c = '\"'; float x = max(1, 2);", math, false},
        {"const char *s = \"max", math, true},
        {"\"", math, true},
        {"\"\\", math, true},
        {"'", math, true},
        {"/", math, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool out = leaves_out(rows[i].source, rows[i].guard);
        if (out != rows[i].out) printf("# %s: %s\n", rows[i].source, rows[i].guard);
        CHECK(out == rows[i].out);
    }
}

/* FILE with the headers beside it that it includes in quotes. */
static int of(const char *file) {
    lib_buffer all = {0};
    lib_part parts[LIB_PARTS] = {0};
    size_t count = 0;
    lib_message msg = {0};
    size_t n;
    char *text = lib_read_file(file, BUILD_SOURCE_LIMIT, &n, &msg);
    if (!text) return 1;
    const char *slash = strrchr(file, '/');
    for (const char *s = text; count < LIB_PARTS && (s = strstr(s, "#include \"")); s++) {
        lib_part *part = &parts[count];
        if (sscanf(s, "#include \"%47[^\"]", part->name) != 1) continue;
        char *path = lib_format("%.*s/%s", slash ? (int)(slash - file) : 1, slash ? file : ".",
                                part->name),
             *header = lib_read_file(path, BUILD_SOURCE_LIMIT, &part->n, &msg);
        if (header) lib_buffer_add(&all, header, part->n), count++;
        free(header);
        free(path);
    }
    lib_buffer_add(&all, text, n);
    char *lean = job_lean(all.s, all.n, parts, count);
    fputs(lean, stdout);
    free(lean);
    free(text);
    lib_buffer_free(&all);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--of")) return of(argv[2]);
    rule();
    return check_done();
}
