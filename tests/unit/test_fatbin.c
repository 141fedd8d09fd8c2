/* The fat-binary reader and the cubin reader, on fat binaries that nvcc 13 made (tests/fuzz/fatbin)
 * and on ones put together here from the layout's description, so that each rule of choice and each
 * kind of damage has its case. Expected resources are what `ptxas -v` printed. */
#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>
#include "runner/base/message.h"
#include "runner/device/sim/load/cubin.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
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
static unsigned dirty; /* of these, what is not there but not zero */
static sim_status extract(const void *data, size_t len, unsigned arch) {
    static char before[] = "before";
    free(ptx);
    free(cubin);
    ptx = cubin = before, ptx_len = cubin_len = 99;
    sim_status s = sim_fatbin_extract(data, len, arch, &ptx, &ptx_len, &cubin, &cubin_len, &msg);
    dirty += !ptx != !ptx_len || !cubin != !cubin_len || ptx == before || cubin == before ||
             (s != SIM_OK && (ptx || cubin));
    return s;
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
        if (s != SIM_OK) refused += lib_message_any(&msg) && !ptx;
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
    CHECK_CONTAINS(said(&msg), "has PTX only for sm_90a, and the device is an sm_80");
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
    CHECK_CONTAINS(said(&msg), "magic number 0xba55ed50");
    CHECK_INT(extract(NULL, 0, 90), SIM_BAD_PTX);

    container_begin(&f);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_NOT_FOUND);
    CHECK_CONTAINS(said(&msg), "empty");

    f.len = 0;
    container_begin(&f);
    entry(&f, ELF, 86, PLAIN, "\177ELF", 4);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_NOT_FOUND);
    CHECK_CONTAINS(said(&msg), "machine code for sm_86 but no PTX");
    CHECK_CONTAINS(said(&msg), "code=compute_90");

    static const unsigned kinds[] = {LZ4, ZSTD};
    for (size_t i = 0; i < 2; i++) {
        const char *what = kinds[i] == LZ4 ? "LZ4" : "zstd";
        f.len = 0;
        container_begin(&f);
        size_t at = entry(&f, PTX, 90, kinds[i], "some text some text some text", 29);
        container_end(&f);
        word(&f, at + 56, 30, 8); /* another length than it has */
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(said(&msg), what);
        word(&f, at + 56, UINT64_C(1) << 40, 8);
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(said(&msg), "at most 268,435,456");
        word(&f, at + 56, 29, 8);
        word(&f, at + 16, 5000, 4);
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_CONTAINS(said(&msg), "cut off");
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

/* The rule of choice over all orders of three texts: what is made for the architecture alone, else
 * the newest that is not newer, else the oldest; what is alone for another counts as not there. */
static void test_order(void) {
    static const struct {
        unsigned arch;
        bool alone;
        char name[8];
    } texts[] = {{70, false, "70"}, {80, false, "80"}, {90, false, "90"},
                 {80, true, "80a"}, {90, true, "90a"}, {100, false, "100"}};
    enum { TEXTS = sizeof texts / sizeof *texts };
    static fatbin f;
    unsigned wrong = 0;
    for (unsigned n = 0; n < TEXTS * TEXTS * TEXTS; n++)
        for (unsigned arch = 60; arch <= 110; arch += 10) {
            const unsigned pick[3] = {n % TEXTS, n / TEXTS % TEXTS, n / TEXTS / TEXTS};
            const char *want = NULL;
            unsigned newest = 0, oldest = 999;
            for (unsigned k = 0; k < 3; k++) {
                bool alone = texts[pick[k]].alone, own = texts[pick[k]].arch == arch && alone;
                if (own) want = texts[pick[k]].name, newest = 999;
                if (alone) continue;
                unsigned a = texts[pick[k]].arch;
                if (a <= arch && a >= newest) newest = a, want = texts[pick[k]].name;
                if (!newest && a <= oldest) oldest = a, want = texts[pick[k]].name;
            }
            f.len = 0;
            container_begin(&f);
            for (unsigned k = 0; k < 3; k++)
                entry(&f, PTX, texts[pick[k]].arch, texts[pick[k]].alone ? PLAIN | ALONE : PLAIN,
                      texts[pick[k]].name, strlen(texts[pick[k]].name));
            container_end(&f);
            sim_status s = extract(f.data, f.len, arch);
            bool good = want ? s == SIM_OK && !strcmp(ptx, want) && ptx_len == strlen(want)
                             : s == SIM_NOT_FOUND && !ptx && !ptx_len;
            if (!good && wrong++ < 3)
                printf("# sm_%u of %s, %s, %s: %s, not %s\n", arch, texts[pick[0]].name,
                       texts[pick[1]].name, texts[pick[2]].name, ptx ? ptx : "none", want);
        }
    CHECK_INT(wrong, 0);
}

/* Kinds that are neither text nor machine code are not there; of machine code the first for the
 * architecture counts, and where it is damaged the text alone will do. */
static void test_kinds(void) {
    static fatbin f;
    static const unsigned strange[] = {0, 3, 7, 0x101};
    for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
        f.len = 0;
        container_begin(&f);
        entry(&f, strange[k], 90, PLAIN, "what is this", 12);
        container_end(&f);
        CHECK_INT(extract(f.data, f.len, 90), SIM_NOT_FOUND);
        CHECK_STR(said(&msg), "this fat binary is empty: there is no PTX in it");
    }
    f.len = 0;
    container_begin(&f);
    entry(&f, ELF, 80, PLAIN, "\177ELF old", 8);
    entry(&f, ELF, 90, LZ4, "\177ELF one one one one one one", 28);
    entry(&f, ELF, 90, PLAIN, "\177ELF two", 8);
    size_t text = entry(&f, PTX, 90, PLAIN, "text", 4);
    entry(&f, strange[0], 90, PLAIN, "what is this", 12);
    container_end(&f);
    CHECK_INT(extract(f.data, f.len, 90), SIM_OK);
    CHECK_STR(ptx, "text");
    CHECK_INT(ptx_len, 4);
    CHECK_INT(cubin_len, 28);
    CHECK(cubin && !memcmp(cubin, "\177ELF one one one one one one", 29)); /* and a zero */
    CHECK_STR(said(&msg), "");
    word(&f, 16 + 64 + 8 + 56, 27, 8); /* the second entry's length */
    CHECK_INT(extract(f.data, f.len, 90), SIM_OK);
    CHECK_STR(ptx, "text");
    CHECK(!cubin && !cubin_len);
    CHECK_STR(said(&msg), "");
    word(&f, text, 7, 2);
    CHECK_INT(extract(f.data, f.len, 100), SIM_NOT_FOUND);
    CHECK_STR(said(&msg),
              "this fat binary has machine code for sm_90 but no PTX, and the simulated "
              "device runs PTX: build without -rdc=true, with -arch=compute_100 or "
              "-gencode arch=compute_100,code=compute_100");
}

/* Headers may be longer than they are today, a container begins at the next multiple of eight, and
 * the last one ends where it ends. */
static void test_layout(void) {
    static fatbin f;
    for (unsigned more = 0; more <= 16; more += 8)
        for (unsigned n = 1; n <= 9; n++) {
            f.len = 0;
            for (unsigned unit = 0; unit < 2; unit++) {
                container_begin(&f);
                word(&f, f.container + 6, 16 + more, 2);
                memset(f.data + f.len, 0xee, more);
                f.len += more;
                size_t at = entry(&f, PTX, unit ? 90 : 70, PLAIN, "123456789", n);
                memmove(f.data + at + 64 + more, f.data + at + 64, n);
                word(&f, at + 4, 64 + more, 4);
                word(&f, at + 8, n, 8);
                f.len = at + 64 + more + n; /* nothing behind it */
                word(&f, f.container + 8, f.len - f.container - 16 - more, 8);
            }
            for (unsigned arch = 70; arch <= 90; arch += 20) {
                CHECK_INT(extract(f.data, f.len, arch), SIM_OK);
                CHECK(ptx && ptx_len == n && !strncmp(ptx, "123456789", n) && !ptx[n]);
            }
            /* one byte less, of its container, of the data */
            word(&f, f.container + 8, f.len - f.container - 16 - more - 1, 8);
            CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
            CHECK_STR(said(&msg), "fat binary: entry 2 does not fit its container");
            word(&f, f.container + 8, f.len - f.container - 16 - more, 8);
            char want[100];
            snprintf(want, sizeof want, "fat binary: a container of %u bytes is cut off after %u",
                     64 + more + n, 16 + more + 64 + more + n - 1);
            CHECK_INT(extract(f.data, f.len - 1, 90), SIM_BAD_PTX);
            CHECK_STR(said(&msg), want);
        }
    /* headers that are too short */
    f.len = 0;
    container_begin(&f);
    size_t at = entry(&f, PTX, 90, PLAIN, "text", 4);
    container_end(&f);
    word(&f, at + 4, 63, 4);
    CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
    CHECK_STR(said(&msg), "fat binary: entry 1 does not fit its container");
    word(&f, at + 4, 64, 4);
    word(&f, 6, 15, 2);
    CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
    CHECK_CONTAINS(said(&msg), "cut off");
}

/* 65,536 entries, 512 units and 256 MiB of a text are taken. */
static void test_limits(void) {
    enum { ENTRIES = 1 << 16, UNITS = 512 };
    size_t len = 16 + 64 * (ENTRIES + 1);
    uint8_t *data = calloc(1, len);
    static const uint8_t head[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    for (unsigned more = 0; data && more < 2; more++) {
        uint64_t size = 64 * (uint64_t)(ENTRIES + more);
        memcpy(data, head, sizeof head);
        memcpy(data + 8, &size, 8);
        for (unsigned k = 0; k < ENTRIES + more; k++) data[16 + 64 * k] = 7, data[20 + 64 * k] = 64;
        CHECK_INT(extract(data, 16 + size, 90), more ? SIM_BAD_PTX : SIM_NOT_FOUND);
        CHECK_STR(said(&msg), more ? "fat binary: more than 65,536 entries"
                                   : "this fat binary is empty: there is no PTX in it");
    }
    free(data);
    static fatbin f;
    for (unsigned more = 0; more < 2; more++) {
        f.len = 0;
        for (unsigned k = 0; k < UNITS + more; k++) {
            container_begin(&f);
            entry(&f, PTX, 90, PLAIN, ";", 1);
            container_end(&f);
        }
        CHECK_INT(extract(f.data, f.len, 90), more ? SIM_BAD_PTX : SIM_OK);
        CHECK_STR(said(&msg), more ? "fat binary: more than 512 units" : "");
    }
    for (unsigned more = 0; more < 2; more++) {
        f.len = 0;
        container_begin(&f);
        size_t at = entry(&f, PTX, 90, LZ4, "some text some text some text", 29);
        container_end(&f);
        word(&f, at + 56, (UINT64_C(1) << 28) + more, 8);
        CHECK_INT(extract(f.data, f.len, 90), SIM_BAD_PTX);
        CHECK_STR(said(&msg),
                  more ? "fat binary: PTX of 268,435,457 bytes; at most 268,435,456 are taken"
                       : "fat binary: the LZ4 compressed PTX is damaged");
    }
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
        const char *path, *kernel, *command; /* with which ptxas was called */
        unsigned arch, registers, barriers;
        uint64_t shared, local, const_param, const_user; /* const_param 0: ptxas does not say */
    } want[] = {
        /* ptxas -v */
        {"tests/fuzz/fatbin/stack.cubin", "spills", "-v  -arch sm_80 -m 64 ", 80, 32, 0, 0, 200,
         364, 100},
        {"tests/fuzz/fatbin/75.cubin", "_Z2k1Pf", "-arch sm_75 -m 64 ", 75, 8, 0, 0, 0, 360, 0},
        {"tests/fuzz/fatbin/75.cubin", "_Z2k2Pi", "-arch sm_75 -m 64 ", 75, 12, 1, 256, 0, 360, 0},
        {"tests/fuzz/fatbin/90.cubin", "_Z2k1Pf", "-arch sm_90 -m 64 ", 90, 8, 0, 0, 0, 0, 0},
        {"tests/fuzz/fatbin/90.cubin", "_Z2k2Pi", "-arch sm_90 -m 64 ", 90, 10, 1, 256, 0, 0, 0},
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
        char command[40];
        CHECK(sim_cubin_command(data, len, command, sizeof command));
        CHECK_STR(command, want[i].command);
        for (size_t n = 0; n < len;
             n += 7) { /* cut short: whatever it says, it must not read past the end */
            char *copy = malloc(n ? n : 1);
            memcpy(copy, data, n);
            sim_cubin_get(copy, n, want[i].kernel, &k);
            sim_cubin_command(copy, n, command, sizeof command);
            free(copy);
        }
        free(data);
    }
    CHECK_INT(sim_cubin_arch("\177ELF", 4), 0);
    CHECK(!sim_cubin_get(NULL, 0, "k", &k));
    char none[4] = "x";
    CHECK(!sim_cubin_command(NULL, 0, none, sizeof none) && !*none);
}

int main(void) {
    test_choice();
    test_alone();
    test_damage();
    test_order();
    test_kinds();
    test_layout();
    test_limits();
    test_real();
    test_cubins();
    CHECK_INT(dirty, 0);
    free(ptx);
    free(cubin);
    return check_done();
}
