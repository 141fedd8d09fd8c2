/* Leaves out headers of CUDA and C++ that a source does not need.
 *
 *   source --its words--> job_lean(): guards of the headers whose functions it does not name
 *
 * A compile spends most of its time in headers, which its steps read four times. Each header here
 * has a guard macro; if it is defined, the header is empty. The words may mislead: a macro can
 * paste a name together, and a comment can look like code. Then the compile fails, and nvcc
 * compiles the source again with all headers. tests/unit/lean.py compares the names with the
 * toolkit's headers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/build/job.h"

/* What else a source may include if a part is left out. */
typedef enum {
    LEAN_ANY, /* anything */
    LEAN_CPP, /* headers of C and C++ libraries; other headers may use anything */
    LEAN_C,   /* headers of a C library, and the word `std` does not occur */
} lean_beside;

/* A part is left out if the source has none of `names`. "sin" stands for sin, sinf and sinl;
 * "atomic*" stands for all words that begin with atomic. gcc reads `text` a second time before
 * cudafe++'s output, which contains all declarations: so only macros stand outside
 * #ifdef __CUDACC__. */
static const struct {
    lean_beside beside;
    const char *names, *text;
} lean_parts[] = {
    /* C++17's special functions, which every <cmath> of libstdc++ defines as templates. */
    {LEAN_ANY,
     "assoc_* beta comp_ellint* cyl_* ellint* expint hermite hyperg* conf_hyperg* laguerre "
     "legendre riemann_* sph_* tr1",
     "#if defined __CUDACC__ && __has_include(<bits/c++config.h>)\n"
     "#include <bits/c++config.h>\n"
     "#undef _GLIBCXX_USE_STD_SPEC_FUNCS\n"
     "#endif\n"},
    /* cooperative_groups.h includes libcu++, eight times its own length, for atomics, for
     * reductions and scans, and for traits; its own traits know fewer types. */
    {LEAN_ANY,
     "cuda thread_scope reduce scan signed int8_t wchar_t char8_t char16_t char32_t __int128* "
     "__uint128_t",
     "#define _CG_LIMIT_INCLUDED_DEPENDENCIES\n"},
    {LEAN_CPP, "atomic* __u128Atomic* __all* __any* all any",
     "#define __DEVICE_ATOMIC_FUNCTIONS_H__\n"
     "#define __SM_20_ATOMIC_FUNCTIONS_H__\n"
     "#define __SM_32_ATOMIC_FUNCTIONS_H__\n"
     "#define __SM_35_ATOMIC_FUNCTIONS_H__\n"
     "#define __SM_60_ATOMIC_FUNCTIONS_H__\n"},
    {LEAN_CPP,
     "__shfl* __all* __any* __ballot* __uni* __syncwarp __activemask __barrier* __fns __match* "
     "__reduce*",
     "#define __SM_30_INTRINSICS_H__\n"},
    {LEAN_CPP, "__ld* __st* __funnelshift*",
     "#define __SM_32_INTRINSICS_H__\n"
     "#define __SM_35_INTRINSICS_H__\n"},
    {LEAN_CPP, "__dp2a* __dp4a", "#define __SM_61_INTRINSICS_H__\n"},
    {LEAN_CPP, "tex*", "#define __TEXTURE_INDIRECT_FUNCTIONS_H__\n"},
    {LEAN_CPP, "surf*", "#define __SURFACE_INDIRECT_FUNCTIONS_H__\n"},
    /* Rounding of doubles, addresses of a space, votes of a block; the next ones use them. */
    {LEAN_CPP,
     "__dadd* __dmul* __dsub* __ddiv* __drcp* __dsqrt* __double* __fma_* __fmaf_ieee* "
     "__hiloint2double __int2double* __uint2double* __ll2double* __ull2double* "
     "__longlong_as_double "
     "__ballot* ballot __cvta_* __is* __nv_* __syncthreads_* syncthreads_* __threadfence_system "
     "clock* dadd dmul dsub double2* float2double int2double uint2double ll2double ull2double fma "
     "__match* __u128Atomic* atomic*",
     "#define __DEVICE_DOUBLE_FUNCTIONS_H__\n"
     "#define __SM_20_INTRINSICS_H__\n"},
    /* Features from 7.0 to 10.0. */
    {LEAN_CPP,
     "__match* __nanosleep __reduce* __nv_* __cluster* __isC* __threadfence_cluster __u128Atomic* "
     "atomic* __is* __fadd2* __ffma2* __fmul2*",
     "#define __SM_70_RT_H__\n"
     "#define __SM_80_RT_H__\n"
     "#define __SM_90_RT_H__\n"
     "#define __SM_100_RT_H__\n"},
    /* The runtime's functions for kernels that launch kernels. */
    {LEAN_CPP,
     "cudaCG* cudaGrid* cudaTrigger* cudaGraph* cudaGetCurrentGraphExec cudaGetParameterBuffer* "
     "cudaLaunchDevice* cudaStreamTailLaunch cudaStreamFireAndForget* cudaStreamGraph* __cudaCDP2*",
     "#define __CUDA_DEVICE_RUNTIME_API_H__\n"},
    /* The mathematical functions and their uses; they came with <stdlib.h>. */
    {LEAN_CPP,
     "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel* erf "
     "erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp "
     "hypot "
     "ilogb isfinite isinf isnan j0 j1 jn labs ldexp lgamma llabs llmax llmin llrint llround log "
     "log10 log1p log2 logb lrint lround max min modf nan nearbyint nextafter norm norm3d norm4d "
     "normcdf normcdfinv pow rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt "
     "scalbln scalbn signbit sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc ullmax "
     "ullmin "
     "umax umin y0 y1 yn __cmath_power __finite __isinf __isnan __signbit __pow* __v* "
     "__nv_aligned_device_malloc* isnormal isgreater* isless* isunordered fpclassify nexttoward",
     "#ifdef __CUDACC__\n"
     "#include <stdlib.h>\n"
     "#endif\n"
     "#define __MATH_FUNCTIONS_H__\n"
     "#define __MATH_FUNCTIONS_HPP__\n"
     "#define __DEVICE_FUNCTIONS_HPP__\n"},
    /* cuda_runtime.h includes <utility>, and with it <type_traits>, only for std::forward(). */
    {LEAN_C, "",
     "#if defined __CUDACC__ && __has_include(<bits/c++config.h>)\n"
     "#include <bits/c++config.h>\n"
     "#include <initializer_list>\n"
     "#define _GLIBCXX_UTILITY 1\n"
     "namespace std {\n"
     "template <class T> struct _Warplab_bare { typedef T type; };\n"
     "template <class T> struct _Warplab_bare<T &> { typedef T type; };\n"
     "template <class T> struct _Warplab_bare<T &&> { typedef T type; };\n"
     "template <class T>\n"
     "constexpr T &&forward(typename _Warplab_bare<T>::type &t) noexcept {\n"
     "    return static_cast<T &&>(t);\n"
     "}\n"
     "}\n"
     "#endif\n"},
};
enum { PARTS = sizeof lean_parts / sizeof *lean_parts };

static bool lean_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool lean_is(const char *word, size_t n, const char *is) {
    return n == strlen(is) && !memcmp(word, is, n);
}

/* Classifies what follows "include": a header of a C library, of a C++ library ("<vector>"), a file
 * of the source itself, or something else. */
static lean_beside lean_header(const char *at, const char *end, const lib_part *parts,
                               size_t part_count) {
    static const char *const c[] = {
        "alloca", "assert", "ctype",    "cuda",    "cuda_runtime", "dlfcn",   "errno",
        "fcntl",  "float",  "inttypes", "limits",  "poll",         "pthread", "sched",
        "signal", "spawn",  "stdarg",   "stdbool", "stddef",       "stdint",  "stdio",
        "stdlib", "string", "threads",  "time",    "unistd"};
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    for (size_t i = 0, n; at < end && *at == '"' && i < part_count; i++) {
        n = strlen(parts[i].name);
        if ((size_t)(end - at) > n + 1 && !memcmp(at + 1, parts[i].name, n) && at[n + 1] == '"')
            return LEAN_C;
    }
    if (at == end || *at != '<') return LEAN_ANY;
    const char *name = ++at;
    bool system = end - at > 4 && !memcmp(at, "sys/", 4);
    if (system) at += 4;
    while (at < end && lean_letter(*at)) at++;
    size_t n = (size_t)(at - name);
    bool closed = !system && at < end && *at == '>', h = end - at >= 3 && !memcmp(at, ".h>", 3);
    if (system && h) return LEAN_C;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        if (h && lean_is(name, n, c[i])) return LEAN_C;
        if (closed && n && *name == 'c' && lean_is(name + 1, n - 1, c[i])) return LEAN_C;
    }
    return closed || (h && lean_is(name, n, "math")) ? LEAN_CPP : LEAN_ANY;
}

/* Returns whether the word is one of `names`. */
static bool lean_named(const char *word, size_t n, const char *names) {
    for (const char *s = names; *s; s += *s == ' ') {
        size_t m = strcspn(s, " *");
        if (n >= m && *s == *word && !memcmp(s, word, m)) {
            if (s[m] == '*' || n == m) return true;
            if (n == m + 1 && (word[m] == 'f' || word[m] == 'l')) return true;
        }
        s += strcspn(s, " ");
    }
    return false;
}

/* Returns the end of the comment or string that begins at `s`; `s` if none does. */
static const char *lean_skip(const char *s, const char *end) {
    size_t left = (size_t)(end - s);
    if (left >= 2 && !memcmp(s, "//", 2)) {
        const char *newline = memchr(s, '\n', left);
        return newline ? newline : end;
    }
    if (left >= 2 && !memcmp(s, "/*", 2)) {
        const char *close = memmem(s + 2, left - 2, "*/", 2);
        return close ? close + 2 : end;
    }
    if (left >= 3 && *s == '\'' && s[2] == '\'') return s + 3;
    if (*s != '"') return s;
    for (s++; s < end && *s != '"' && *s != '\n'; s++) s += *s == '\\' && s + 1 < end;
    return s < end ? s + 1 : end;
}

char *job_lean(const char *text, size_t n, const lib_part *parts, size_t part_count) {
    bool kept[PARTS] = {false};
    lean_beside beside = LEAN_C;
    for (const char *s = text, *end = text + n, *word; s < end;) {
        for (word = s; s < end && lean_letter(*s); s++) {
        }
        size_t m = (size_t)(s - word);
        if (!m) {
            const char *past = lean_skip(s, end);
            s = past > s ? past : s + 1;
            continue;
        }
        if (lean_is(word, m, "include")) {
            lean_beside by = lean_header(s, end, parts, part_count);
            if (by < beside) beside = by;
        }
        if (lean_is(word, m, "std") && beside == LEAN_C) beside = LEAN_CPP;
        for (size_t i = 0; i < PARTS; i++)
            kept[i] = kept[i] || lean_named(word, m, lean_parts[i].names);
    }
    lib_buffer out = {0};
    lib_buffer_puts(&out, "");
    for (size_t i = 0; i < PARTS; i++) {
        if (!kept[i] && beside >= lean_parts[i].beside) lib_buffer_puts(&out, lean_parts[i].text);
    }
    return out.s;
}
