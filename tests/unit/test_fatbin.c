/* The fat-binary reader and the cubin reader, on fat binaries that nvcc 13 made (tests/fuzz/fatbin)
 * and on ones put together here from the layout's description, so that each rule of choice and each
 * kind of damage has its case. Expected resources are what `ptxas -v` printed. */
#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>
#include "runner/base/message.h"
#include "runner/sim/load/cubin.h"
#include "runner/sim/sim.h"
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"

enum { PTX = 1, ELF = 2, PLAIN = 0x11, LZ4 = 0x2011, ZSTD = 0x8011, ALONE = 0x100000 };

typedef struct {
    uint8_t data[1 << 16];
    size_t len, container;
} fatbin;

static void word(fatbin *f, size_t at, uint64_t v, unsigned bytes) {
    memcpy(f->data + at, &v, bytes);
}

static void container_begin(fatbin *f) {
    f->len = (f->len + 7) & ~(size_t)7;
    f->container = f->len;
    memset(f->data + f->len, 0, 16);
    word(f, f->len, 0xBA55ED50u, 4);
    word(f, f->len + 4, 1, 2);
    word(f, f->len + 6, 16, 2);
    f->len += 16;
}
static void container_end(fatbin *f) {
    word(f, f->container + 8, f->len - f->container - 16, 8);
}

static size_t entry(fatbin *f, unsigned kind, unsigned arch, unsigned flags, const void *text,
                    size_t n) {
    uint8_t *at = f->data + f->len, *payload = at + 64;
    size_t size = n, packed = 0, start = f->len;
    memset(at, 0, 64);
    if (flags == LZ4)
        size = packed = (size_t)LZ4_compress_default(text, (char *)payload, (int)n, 8192);
    else if (flags == ZSTD) size = packed = ZSTD_compress(payload, 8192, text, n, 3);
    else memcpy(payload, text, n);
    while (size % 8) payload[size++] = 0;
    word(f, start, kind, 2);
    word(f, start + 2, 0x101, 2);
    word(f, start + 4, 64, 4);
    word(f, start + 8, size, 8);
    word(f, start + 16, packed, 4);
    word(f, start + 28, arch, 4);
    word(f, start + 40, flags, 8);
    word(f, start + 56, packed ? n : 0, 8);
    f->len += 64 + size;
    return start;
}

static char *ptx;
static size_t ptx_len, cubin_len;
static void *cubin;
static lib_message msg;
static sim_status extract(const void *data, size_t len, unsigned arch) {
    free(ptx);
    free(cubin);
    return sim_fatbin_extract(data, len, arch, &ptx, &ptx_len, &cubin, &cubin_len, &msg);
}

static void test_choice(void) {
    static fatbin f;
    container_begin(&f);
    entry(&f, PTX, 70, PLAIN, "for 70", 6);
    entry(&f, PTX, 80, LZ4, "for 80 for 80 for 80 for 80", 27);
    entry(&f, ELF, 90, PLAIN, "\177ELF code 90", 12);
    container_end(&f);
    container_begin(&f); /* empty */
    container_end(&f);
    container_begin(&f);
    entry(&f, PTX, 90, ZSTD, "for 90 for 90 for 90 for 90", 27);
    entry(&f, 7, 90, PLAIN, "something of another kind", 25);
    container_end(&f);

    CHECK_INT(extract(f.data, f.len, 90), SIM_OK);
    CHECK_STR(ptx, "for 90 for 90 for 90 for 90");
    CHECK_INT(ptx_len, 27);
    CHECK(cubin && !memcmp(cubin, "\177ELF code 90", 12));
    CHECK_INT(extract(f.data, f.len, 89), SIM_OK); /* the newest that is not newer */
    CHECK_STR(ptx, "for 80 for 80 for 80 for 80");
    CHECK(cubin == NULL);
    CHECK_INT(extract(f.data, f.len, 75), SIM_OK);
    CHECK_STR(ptx, "for 70");
    CHECK_INT(extract(f.data, f.len, 50), SIM_OK); /* none is old enough: the oldest */
    CHECK_STR(ptx, "for 70");
    CHECK_INT(extract(f.data, f.len, 120), SIM_OK);
    CHECK_STR(ptx, "for 90 for 90 for 90 for 90");

    /* Cut anywhere: a message or the PTX of what is whole, never more. */
    unsigned refused = 0;
    for (size_t n = 0; n < f.len; n++) {
        uint8_t *copy = malloc(n ? n : 1);
        memcpy(copy, f.data, n);
        sim_status s = extract(copy, n, 90);
        if (s != SIM_OK) refused += msg.text[0] != 0 && !ptx;
        else refused += ptx && !strncmp(ptx, "for ", 4);
        free(copy);
    }
    CHECK_INT(refused, f.len);
}

/* As nvcc -arch=sm_90a has it: PTX for compute_90 first, then machine code and PTX for sm_90a. */
static void test_alone(void) {
    static fatbin f;
    container_begin(&f);
    entry(&f, PTX, 90, PLAIN, "for 90", 6);
    entry(&f, ELF, 90, PLAIN, "\177ELF code 90", 12);
    entry(&f, ELF, 90, PLAIN | ALONE, "\177ELF code 90a", 13);
    entry(&f, PTX, 90, PLAIN | ALONE, "for 90a", 7);
    entry(&f, PTX, 100, PLAIN | ALONE, "for 100a", 8);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_OK);
    CHECK_STR(ptx, "for 90a");
    CHECK(cubin_len >= 13 && !memcmp(cubin, "\177ELF code 90a", 13));
    CHECK_INT(extract(f.data, f.len, 100), SIM_OK);
    CHECK_STR(ptx, "for 100a");
    CHECK(cubin == NULL);
    CHECK_INT(extract(f.data, f.len, 120), SIM_OK);
    CHECK_STR(ptx, "for 90");
    f.len = 0;
    container_begin(&f);
    entry(&f, ELF, 90, PLAIN | ALONE, "\177ELF code 90a", 13);
    entry(&f, PTX, 90, PLAIN | ALONE, "for 90a", 7);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 80), SIM_NOT_FOUND);
    CHECK_CONTAINS(msg.text, "has PTX for sm_90a alone, and the device is an sm_80");
    CHECK_INT(extract(f.data, f.len, 100), SIM_NOT_FOUND);
    /* two units: those for sm_90a are linked, not one of each */
    f.len = 0;
    for (unsigned u = 0; u < 2; u++) {
        static const char *const text[2] = {
            ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry a() { ret; }\n",
            ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry b() { ret; }\n"};
        container_begin(&f);
        entry(&f, PTX, 90, PLAIN, "not this", 8);
        entry(&f, PTX, 90, PLAIN | ALONE, text[u], strlen(text[u]));
        container_end(&f);
    }
    CHECK_INT(extract(f.data, f.len, 90), SIM_OK);
    CHECK_CONTAINS(ptx, ".target sm_90a");
    CHECK_CONTAINS(ptx, ".entry a()");
    CHECK_CONTAINS(ptx, ".entry b()");
}

static void test_damage(void) {
    static fatbin f;
    CHECK_INT(extract("not a fat binary, this", 22, 90), SIM_BAD_PTX);
    CHECK_CONTAINS(msg.text, "magic number 0xBA55ED50");
    CHECK_INT(extract(NULL, 0, 90), SIM_BAD_PTX);

    container_begin(&f);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_NOT_FOUND);
    CHECK_CONTAINS(msg.text, "empty");

    f.len = 0;
    container_begin(&f);
    entry(&f, ELF, 86, PLAIN, "\177ELF", 4);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_NOT_FOUND);
    CHECK_CONTAINS(msg.text, "machine code for sm_86 but no PTX");
    CHECK_CONTAINS(msg.text, "code=compute_90");

    static const unsigned kinds[] = {LZ4, ZSTD};
    for (size_t i = 0; i < 2; i++) {
        const char *what = kinds[i] == LZ4 ? "LZ4" : "zstd";
        f.len = 0;
        container_begin(&f);
        size_t at = entry(&f, PTX, 90, kinds[i], "some text some text some text", 29);
        container_end(&f);
        word(&f, at + 56, 30, 8); /* another length than it has */
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(msg.text, what);
        word(&f, at + 56, UINT64_C(1) << 40, 8);
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(msg.text, "at most 268435456");
        word(&f, at + 56, 29, 8);
        word(&f, at + 16, 5000, 4);
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(msg.text, "cut off");
    }

    /* Sizes that wrap. */
    f.len = 0;
    container_begin(&f);
    size_t at = entry(&f, PTX, 90, PLAIN, "text", 4);
    container_end(&f);
    word(&f, at + 8, UINT64_MAX - 63, 8);
    CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
    word(&f, at + 8, 8, 8);
    word(&f, at + 4, 0, 4);
    CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
    word(&f, 8, UINT64_MAX, 8);
    CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
}

/* What nvcc made: one source, three ways of compression; -gencode arch=compute_80,code=compute_80
 * and arch=compute_90,code=[sm_90,compute_90]. */
static void test_real(void) {
    static const char *const paths[] = {"tests/fuzz/fatbin/default.fatbin",
                                        "tests/fuzz/fatbin/speed.fatbin",
                                        "tests/fuzz/fatbin/none.fatbin"};
    char *first = NULL;
    for (size_t i = 0; i < 3; i++) {
        size_t len;
        char *data = read_text(paths[i], &len);
        CHECK(data != NULL);
        if (!data) continue;
        CHECK_INT(extract(data, len, 80), SIM_OK);
        CHECK(ptx && strstr(ptx, ".target sm_80") && strstr(ptx, "_Z2k2Pi"));
        CHECK(cubin == NULL);
        CHECK_INT(extract(data, len, 90), SIM_OK);
        CHECK(ptx && strstr(ptx, ".target sm_90"));
        CHECK_INT(sim_cubin_arch(cubin, cubin_len), 90);
        ptx_module *m = ptx_parse(ptx, ptx_len, &msg);
        CHECK(m && m->func_count == 2 && m->target == 90);
        ptx_free(m);
        if (!first) first = strdup(ptx);
        else CHECK_STR(ptx, first);
        free(data);
    }
    free(first);
}

static void test_cubins(void) {
    static const struct {
        const char *path, *kernel;
        unsigned arch, registers, barriers;
        uint64_t shared, local, const_param, const_user; /* const_param 0: ptxas does not say */
    } want[] = {
        /* ptxas -v */
        {"tests/fuzz/fatbin/stack.cubin", "spills", 80, 32, 0, 0, 200, 364, 100},
        {"tests/fuzz/fatbin/75.cubin", "_Z2k1Pf", 75, 8, 0, 0, 0, 360, 0},
        {"tests/fuzz/fatbin/75.cubin", "_Z2k2Pi", 75, 12, 1, 256, 0, 360, 0},
        {"tests/fuzz/fatbin/90.cubin", "_Z2k1Pf", 90, 8, 0, 0, 0, 0, 0},
        {"tests/fuzz/fatbin/90.cubin", "_Z2k2Pi", 90, 10, 1, 256, 0, 0, 0},
    };
    sim_cubin_kernel k;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        size_t len;
        char *data = read_text(want[i].path, &len);
        CHECK(data != NULL);
        if (!data) continue;
        CHECK_INT(sim_cubin_arch(data, len), want[i].arch);
        CHECK(sim_cubin_get(data, len, want[i].kernel, &k));
        CHECK_INT(k.registers, want[i].registers);
        CHECK_INT(k.barriers, want[i].barriers);
        CHECK_INT(k.shared, want[i].shared);
        CHECK_INT(k.local, want[i].local);
        if (want[i].const_param) CHECK_INT(k.const_param, want[i].const_param);
        CHECK_INT(k.const_user, want[i].const_user);
        CHECK(!sim_cubin_get(data, len, "no_such_kernel", &k));
        for (size_t n = 0; n < len;
             n += 7) { /* cut short: whatever it says, it must not read past the end */
            char *copy = malloc(n ? n : 1);
            memcpy(copy, data, n);
            sim_cubin_get(copy, n, want[i].kernel, &k);
            free(copy);
        }
        free(data);
    }
    CHECK_INT(sim_cubin_arch("\177ELF", 4), 0);
    CHECK(!sim_cubin_get(NULL, 0, "k", &k));
}

int main(void) {
    test_choice();
    test_alone();
    test_damage();
    test_real();
    test_cubins();
    free(ptx);
    free(cubin);
    return check_done();
}
