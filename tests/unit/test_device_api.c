/* The client library against the vendor's: names and texts of errors, and the list of what is
 * exported. Where the vendor's library is not to be found, what can be said without it. */
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"

static const char *const places[] = {"/usr/local/cuda/lib64/libcudart.so.13",
                                     "/usr/local/cuda/targets/x86_64-linux/lib/libcudart.so.13",
                                     "/usr/lib/x86_64-linux-gnu/libcudart.so.13"};

static const struct {
    const char *name;
    int code;
    const char *text;
} errors[] = {
#define ERR(name, code, text) {#name, code, text},
#include "runner/device/cudart/errors.def"
#undef ERR
};

/* The dynamic symbols that a library defines, sorted. */
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static char *kept[2]; /* what the names lie in */
static size_t exports(const char *path, char ***out) {
    FILE *f = fopen(path, "rb");
    Elf64_Ehdr h;
    size_t n = 0;
    *out = NULL;
    if (!f || fread(&h, sizeof h, 1, f) != 1) return 0;
    Elf64_Shdr *s = calloc(h.e_shnum, sizeof *s);
    fseek(f, (long)h.e_shoff, SEEK_SET);
    if (fread(s, sizeof *s, h.e_shnum, f) != h.e_shnum) return 0;
    for (int i = 0; i < h.e_shnum; i++) {
        if (s[i].sh_type != SHT_DYNSYM) continue;
        Elf64_Sym *sym = malloc(s[i].sh_size);
        char *text = malloc(s[s[i].sh_link].sh_size);
        kept[kept[0] ? 1 : 0] = text;
        fseek(f, (long)s[i].sh_offset, SEEK_SET);
        size_t count = fread(sym, sizeof *sym, s[i].sh_size / sizeof *sym, f);
        fseek(f, (long)s[s[i].sh_link].sh_offset, SEEK_SET);
        if (fread(text, s[s[i].sh_link].sh_size, 1, f) != 1) return 0;
        *out = malloc(count * sizeof **out);
        for (size_t k = 0; k < count; k++)
            if (sym[k].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(sym[k].st_info) == STT_FUNC)
                (*out)[n++] = text + sym[k].st_name;
        free(sym);
    }
    free(s);
    fclose(f);
    if (n) qsort(*out, n, sizeof **out, by_name);
    return n;
}

int main(void) {
    char path[512];
    const char *b = getenv("B"), *vendor = NULL;
    snprintf(path, sizeof path, "%s/libcudart.so.13", b ? b : "build");
    void *ours = dlopen(path, RTLD_NOW | RTLD_LOCAL), *theirs = NULL;
    if (!ours) printf("# %s\n", dlerror());
    CHECK(ours != NULL);
    if (!ours) return check_done();
    for (size_t i = 0; i < sizeof places / sizeof *places && !theirs; i++)
        if ((theirs = dlopen(places[i], RTLD_NOW | RTLD_LOCAL))) vendor = places[i];
    printf("# vendor's library: %s\n", vendor ? vendor : "none here");

    typedef const char *(*say)(int);
    say name = (say)dlsym(ours, "cudaGetErrorName"), text = (say)dlsym(ours, "cudaGetErrorString");
    say their_name = theirs ? (say)dlsym(theirs, "cudaGetErrorName") : NULL,
        their_text = theirs ? (say)dlsym(theirs, "cudaGetErrorString") : NULL;
    size_t count = sizeof errors / sizeof *errors;
    CHECK(count > 120);
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += strcmp(name(errors[i].code), errors[i].name) ||
                 strcmp(text(errors[i].code), errors[i].text);
    CHECK_INT(wrong, 0);
    /* every code, known and unknown */
    for (int e = -1; theirs && e < 1100; e++)
        if (strcmp(name(e), their_name(e)) || strcmp(text(e), their_text(e))) {
            CHECK_STR(name(e), their_name(e));
            CHECK_STR(text(e), their_text(e));
        }
    if (theirs) CHECK_STR(text(10000), their_text(10000));

    char **a = NULL, **v = NULL;
    size_t n = exports(path, &a), m = vendor ? exports(vendor, &v) : 0, missing = 0;
    CHECK(n > 400);
    for (size_t i = 0; i < m; i++)
        if (!bsearch(&v[i], a, n, sizeof *a, by_name)) {
            printf("# missing: %s\n", v[i]);
            missing++;
        }
    CHECK_INT(missing, 0);
    /* and nothing else that could clash with a program's own names; clocks and threads stand in for
     * libc's, the driver API's cuX for libcuda's */
    static const char *const libc[] = {"clock",          "clock_gettime", "gettimeofday",
                                       "pthread_create", "pthread_join",  "thrd_create",
                                       "thrd_join"};
    for (size_t i = 0; i < n; i++) {
        bool stands_in = false;
        for (size_t k = 0; k < sizeof libc / sizeof *libc; k++) stands_in |= !strcmp(a[i], libc[k]);
        if (!stands_in && strncmp(a[i], "cuda", 4) && strncmp(a[i], "__cuda", 6) &&
            strncmp(a[i], "__warplab", 9) &&
            !(a[i][0] == 'c' && a[i][1] == 'u' && a[i][2] >= 'A' && a[i][2] <= 'Z')) {
            CHECK_STR(a[i], "a name of the runtime");
        }
    }

    /* without a server: a clear answer */
    unsetenv("WARPLAB_FD");
    int devices = -1;
    CHECK_INT(((int (*)(int *))dlsym(ours, "cudaGetDeviceCount"))(&devices), 100);
    CHECK_INT(devices, 0);
    CHECK_INT(((int (*)(void))dlsym(ours, "cudaDeviceSynchronize"))(), 100);
    free(a), free(v);
    return check_done();
}
