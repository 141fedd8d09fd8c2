/* Comparison: tolerances from rounding operations, NaN and infinity, never written, pictures;
 * halves; seeds and generators. */
#include <math.h>
#include <stdlib.h>
#include "runner/base/message.h"
#include "grader/lab/inputs.h"
#include "grader/judge/compare.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "grader/rng.h"
#include "runner/base/sha256.h"
#include "tests/check.h"
#include "tests/said.h"

static grade_diff diff(grade_type t, double ops, const void *got, const void *want, uint64_t n) {
    grade_arg a = {.name = "c", .type = t, .role = GRADE_OUTPUT, .rtol = -1, .atol = -1};
    grade_diff d;
    grade_compare(&a, ops, 0, got, want, n, NULL, &d);
    return d;
}

static void tolerances(void) {
    grade_arg a = {.type = GRADE_F32, .rtol = -1, .atol = -1};
    double rtol, atol;
    grade_tolerance(&a, 1, 10, &rtol, &atol);
    CHECK_NEAR(rtol, 2 * 0x1p-24, 0); /* one rounding on each side: one unit in the last place */
    CHECK_NEAR(atol, 20 * 0x1p-24, 1e-12);
    grade_tolerance(&a, 1e6, 1, &rtol, &atol);
    CHECK_NEAR(rtol, 2 * 6 * 1000 * 0x1p-24, 1e-9); /* the square root law, not 0.12 */
    a.rtol = 0.01;
    grade_tolerance(&a, 1, 1, &rtol, &atol);
    CHECK_NEAR(rtol, 0.01, 0);
    a.type = GRADE_I32;
    grade_tolerance(&a, 1e6, 100, &rtol, &atol);
    CHECK_NEAR(rtol + atol, 0, 0);

    /* A sum in another order passes, one with a dropped element in a thousand does not. */
    enum { N = 100000 };
    float forward = 0, backward = 0, dropped = 0;
    grade_rng g;
    grade_rng_seed(&g, 1, "sum");
    static float x[N];
    for (int i = 0; i < N; i++) x[i] = (float)grade_rng_uniform(&g);
    for (int i = 0; i < N; i++) forward += x[i], dropped += i % 1000 ? x[i] : 0;
    for (int i = N; i--;) backward += x[i];
    CHECK(forward != backward);
    CHECK_INT(diff(GRADE_F32, N, &backward, &forward, 1).wrong, 0);
    CHECK_INT(diff(GRADE_F32, N, &dropped, &forward, 1).wrong, 1);
}

/* Rows of recurrences: a small element before a large one is judged by what came before it. */
static void rows(void) {
    grade_arg a = {.name = "y", .type = GRADE_F32, .role = GRADE_OUTPUT, .rtol = -1, .atol = -1};
    const float want[6] = {1, -8, 1e30f, 1e30f, 1, 2}, zeroed[6] = {0, 0, 1e30f, 1e30f, 0, 2};
    float near[6] = {1, -8, 1e30f, 1e30f, 1, 2};
    grade_diff d;
    grade_compare(&a, 4, 3, zeroed, want, 6, NULL, &d);
    CHECK_INT(d.wrong, 2); /* the fifth has 1e30 before it in its row, the first two have not */
    CHECK_INT(d.first, 0);
    grade_compare(&a, 4, 0, zeroed, want, 6, NULL, &d);
    CHECK_INT(d.wrong, 0);
    near[1] = -8 - 8 * 2 * 2 * 4 * 0x1p-24f * 0.9f; /* |want| and the scale are 8, g is 2 * 4 u */
    grade_compare(&a, 4, 3, near, want, 6, NULL, &d);
    CHECK_INT(d.wrong, 0);
    near[1] = -8 - 8 * 2 * 2 * 4 * 0x1p-24f * 1.2f;
    grade_compare(&a, 4, 3, near, want, 6, NULL, &d);
    CHECK_INT(d.wrong, 1);
}

static void specials(void) {
    float want[4] = {1, NAN, INFINITY, 0}, nan[4] = {NAN, NAN, NAN, NAN},
          inf[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    CHECK_INT(diff(GRADE_F32, 1e30, want, want, 4).wrong, 0);
    CHECK_INT(diff(GRADE_F32, 1e30, nan, want, 4).wrong, 3);
    CHECK_INT(diff(GRADE_F32, 1e30, inf, want, 4).wrong, 3);
    CHECK(isinf(diff(GRADE_F32, 1, nan, want, 4).max_error));
    float ninf[1] = {-INFINITY}, pinf[1] = {INFINITY}, zero[2] = {0.0f, -0.0f},
          minus[2] = {-0.0f, 0.0f};
    CHECK_INT(diff(GRADE_F32, 1, ninf, pinf, 1).wrong, 1);
    CHECK_INT(diff(GRADE_F32, 0, minus, zero, 2).wrong, 0); /* equal values */
    float one[1] = {1}, next[1] = {1.0000001f}, third[1] = {1.0000004f};
    CHECK_INT(diff(GRADE_F32, 0, next, one, 1).wrong, 1);
    CHECK_INT(diff(GRADE_F32, 1, next, one, 1).wrong, 0);
    CHECK_INT(diff(GRADE_F32, 1, third, one, 1).wrong, 1);
    int64_t big[1] = {9007199254740993}, near[1] = {9007199254740992};
    grade_diff d = diff(GRADE_I64, 100, near, big, 1);
    CHECK_INT(d.wrong, 1); /* a double would not see it */
    CHECK_STR(d.expected_text, "9,007,199,254,740,993");
    CHECK_STR(d.actual_text, "9,007,199,254,740,992");
    uint64_t top[1] = {UINT64_MAX}, low[1] = {0};
    CHECK_STR(diff(GRADE_U64, 0, low, top, 1).expected_text, "18,446,744,073,709,551,615");
    int64_t least[1] = {INT64_MIN}, none[1] = {0};
    CHECK_STR(diff(GRADE_I64, 0, none, least, 1).expected_text, "-9,223,372,036,854,775,808");
    /* Threes are counted from the right, and a sign is none of the digits. */
    int32_t three[1] = {-128}, four[1] = {-1280}, large[1] = {2146936000};
    d = diff(GRADE_I32, 0, large, three, 1);
    CHECK_STR(d.expected_text, "-128");
    CHECK_STR(d.actual_text, "2,146,936,000");
    CHECK_STR(diff(GRADE_I32, 0, three, four, 1).expected_text, "-1,280");
    uint8_t byte[1] = {255}, nothing[1] = {0};
    CHECK_STR(diff(GRADE_U8, 0, byte, nothing, 1).actual_text, "255");
}

/* What cancels to nearly nothing may be off by what its largest neighbour may, wherever that
 * stands: one rounding on each side of 1024 in floats is 2^-13, of 8 in halves 2^-7. Infinities are
 * no measure. */
static void cancelled(void) {
    static const float want[][3] = {
        {-1024, 0, INFINITY}, {0, 1024, NAN}, {NAN, 0, -1024}, {0, -INFINITY, 1024}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        float got[3];
        size_t zero = 0;
        memcpy(got, want[k], sizeof got);
        while (want[k][zero] != 0) zero++;
        got[zero] = 0x1p-13f;
        CHECK_INT(diff(GRADE_F32, 1, got, want[k], 3).wrong, 0);
        got[zero] = -0x1p-12f;
        CHECK_INT(diff(GRADE_F32, 1, got, want[k], 3).wrong, 1);
    }
    const uint16_t half[2] = {0x4800, 0}, near[2] = {0x4800, 0x2000}, far[2] = {0x4800, 0x2400};
    CHECK_INT(diff(GRADE_F16, 1, near, half, 2).wrong, 0);
    CHECK_INT(diff(GRADE_F16, 1, far, half, 2).wrong, 1);
}

static void pictures(void) {
    enum { N = 1000 };
    static int got[N], want[N];
    unsigned char poison[GRADE_POISON_BYTES];
    memset(poison, 0xAB, sizeof poison);
    for (int i = 0; i < N; i++) got[i] = want[i] = i;
    memset(got + 900, 0xAB, 100 * sizeof *got);  /* the tail never written */
    for (int i = 0; i < 64; i += 2) got[i] = -1; /* every other wrong at the start */
    grade_arg a = {.name = "c", .type = GRADE_I32, .role = GRADE_OUTPUT, .rtol = -1, .atol = -1};
    grade_diff d;
    grade_compare(&a, 0, 0, got, want, N, poison, &d);
    CHECK_INT(d.wrong, 132);
    CHECK_INT(d.unwritten, 100);
    CHECK_INT(d.first, 0);
    CHECK_NEAR(d.expected, 0, 0);
    CHECK_NEAR(d.actual, -1, 0);
    CHECK_INT(strlen(d.picture), 64);
    CHECK_INT(d.picture[0], '5');
    CHECK_INT(d.picture[20], '.');
    CHECK_INT(d.picture[63], '?');
    /* Few elements: one cell each. */
    int w3[3] = {1, 2, 3}, g3[3] = {1, 9, 3};
    d = diff(GRADE_I32, 0, g3, w3, 3);
    CHECK_STR(d.picture, ".#.");
    CHECK_INT(d.first, 1);
    CHECK_NEAR(d.max_error, 7, 0);
    /* Would an empty result pass? Only by a tolerance that is as wide as the values, or where all
     * is 0. */
    CHECK(!d.blank);
    float wide[3] = {0.5f, -0.25f, 0}, none[3] = {0};
    a.type = GRADE_F32;
    a.atol = 0.5;
    a.rtol = 0;
    grade_compare(&a, 0, 0, wide, wide, 3, NULL, &d);
    CHECK(!d.wrong && d.blank);
    a.atol = 0.49;
    grade_compare(&a, 0, 0, wide, wide, 3, NULL, &d);
    CHECK(!d.wrong && !d.blank);
    a.atol = 0;
    grade_compare(&a, 0, 0, none, none, 3, NULL, &d);
    CHECK(d.blank);
    /* 8-bit elements against an 8-byte poison: byte for byte at their own place */
    unsigned char p8[GRADE_POISON_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8},
                  g8[10] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2}, w8[10] = {0};
    a.type = GRADE_U8;
    grade_compare(&a, 0, 0, g8, w8, 10, p8, &d);
    CHECK_INT(d.unwritten, 10);
}

/* Every half to double and back, and ties to even (values worked out by hand from binary16). */
static void halves(void) {
    int bad = 0;
    for (unsigned h = 0; h < 65536; h++) {
        double v = grade_half_to_double((uint16_t)h);
        if (!isnan(v) && grade_double_to_half(v) != h) bad++;
    }
    CHECK_INT(bad, 0);
    CHECK_NEAR(grade_half_to_double(0x3C00), 1, 0);
    CHECK_NEAR(grade_half_to_double(0x7BFF), 65504, 0);
    CHECK_NEAR(grade_half_to_double(0x0001), 0x1p-24, 0);
    CHECK_INT(grade_double_to_half(1 + 0x1p-11), 0x3C00);     /* tie to even: down */
    CHECK_INT(grade_double_to_half(1 + 3 * 0x1p-11), 0x3C02); /* tie to even: up */
    CHECK_INT(grade_double_to_half(2 - 0x1p-12), 0x4000);     /* carries into the exponent */
    CHECK_INT(grade_double_to_half(65519), 0x7BFF);
    CHECK_INT(grade_double_to_half(65520), 0x7C00);
    CHECK_INT(grade_double_to_half(-0x1p-25), 0x8000); /* tie to even: zero */
    CHECK_INT(grade_double_to_half(0x1p-14 - 0x1p-26),
              0x0400); /* rounds up to the smallest normal */
    CHECK(isnan(grade_half_to_double(grade_double_to_half(NAN))));
}

/* FIPS 180-4 examples. */
static void sha(void) {
    static const struct {
        const char *text, *hex;
    } v[] = {{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
             {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
             {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    char hex[65];
    for (size_t i = 0; i < 3; i++) {
        lib_sha256 s;
        lib_sha256_init(&s);
        for (const char *c = v[i].text; *c; c++) lib_sha256_add(&s, c, 1);
        lib_sha256_end_hex(&s, hex);
        CHECK_STR(hex, v[i].hex);
    }
    /* HMAC: RFC 4231, cases 1, 2, 3 and 6 (a key longer than a block). */
    unsigned char key[131], data[50];
    memset(key, 0x0b, 20);
    lib_hmac_hex(key, 20, "Hi There", 8, hex);
    CHECK_STR(hex, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    lib_hmac_hex("Jefe", 4, "what do ya want for nothing?", 28, hex);
    CHECK_STR(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    memset(data, 0xdd, sizeof data);
    lib_hmac_hex(key, 20, data, 50, hex);
    CHECK_STR(hex, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    lib_hmac_hex(key, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 54, hex);
    CHECK_STR(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    CHECK(lib_same_hex("ab01", "ab01") && !lib_same_hex("ab01", "ab02") &&
          !lib_same_hex("ab01", "ab0") && !lib_same_hex("", ""));
    lib_sha256 s;
    lib_sha256_init(&s);
    static char a[1000];
    memset(a, 'a', sizeof a);
    for (int i = 0; i < 1000; i++) lib_sha256_add(&s, a, 1000);
    lib_sha256_end_hex(&s, hex);
    CHECK_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void streams(void) {
    grade_rng a, b, c;
    grade_rng_seed(&a, 7, "x");
    grade_rng_seed(&b, 7, "x");
    grade_rng_seed(&c, 7, "y");
    CHECK(grade_rng_next(&a) == grade_rng_next(&b));
    CHECK(grade_rng_next(&a) != grade_rng_next(&c));
    /* xoshiro256** from state {1, 2, 3, 4}: rotl(2 * 5, 7) * 9 = 11520, then 0 (state[1] is 0),
     * then 1509978240 by hand. */
    grade_rng k = {{1, 2, 3, 4}};
    CHECK_INT(grade_rng_next(&k), 11520);
    CHECK_INT(grade_rng_next(&k), 0);
    CHECK_INT(grade_rng_next(&k), 1509978240);
    /* SHA-256 of the seed's 8 bytes, the lowest first, and the label (by Python's hashlib). */
    static const uint64_t state[] = {0x27196a1a3ba6d2e6, 0xfa60775b370b835b, 0xbb6ac4fb3b0d272d,
                                     0x8ce3e2c97cc7bac6},
                          draws[] = {0x7a7d8456830b8379, 0xbea2dde39a6bac77, 0x42483fc96ea6d195};
    grade_rng_seed(&k, 0x0123456789abcdef, "x");
    for (int i = 0; i < 4; i++) CHECK(k.s[i] == state[i]);
    for (int i = 0; i < 3; i++) CHECK(grade_rng_next(&k) == draws[i]);
    double sum = 0;
    for (int i = 0; i < 100000; i++) sum += grade_rng_uniform(&a);
    CHECK_NEAR(sum / 100000, 0.5, 0.005);
}

static bool same_bytes(const void *a, const void *b, size_t n) {
    return memcmp(a, b, n) == 0;
}

static void generators(void) {
    lib_message msg;
    grade_expr *n = grade_expr_new("n", &msg), *last = grade_expr_new("n - 1", &msg),
               *rows = grade_expr_new("r + 1", &msg);
    grade_arg args[] = {
        {.name = "a",
         .type = GRADE_F32,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_UNIFORM,
         .lo = -1,
         .hi = 1},
        {.name = "b",
         .type = GRADE_I32,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_INTEGERS,
         .lo = -3,
         .hi = 3},
        {.name = "i",
         .type = GRADE_U32,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_INTEGERS,
         .lo_expr = NULL,
         .hi_expr = last},
        {.name = "rows",
         .type = GRADE_I32,
         .role = GRADE_INPUT,
         .count = rows,
         .gen = GRADE_GEN_CSR_ROWS,
         .lo = 0,
         .hi = 1},
        {.name = "cols",
         .type = GRADE_I32,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_CSR_COLS,
         .lo = 0,
         .hi = 49},
        {.name = "s",
         .type = GRADE_F64,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_SORTED,
         .lo = 0,
         .hi = 1},
        {.name = "u8",
         .type = GRADE_U8,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_SKEWED,
         .lo = 0,
         .hi = 255},
        {.name = "io",
         .type = GRADE_F16,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_IOTA,
         .lo = 0,
         .hi = 0},
        {.name = "no",
         .type = GRADE_F64,
         .role = GRADE_INPUT,
         .count = n,
         .gen = GRADE_GEN_NORMAL,
         .lo = 5,
         .hi = 2},
    };
    grade_lab lab = {.id = "t", .args = args, .arg_count = 9};
    grade_param p[] = {{"n", 1000}, {"r", 50}};
    static float a[1000], a2[1000];
    static int b[1000], off[51], cols[1000];
    static unsigned idx[1000];
    static double s[1000], no[1000];
    static unsigned char u8[1000];
    CHECK(grade_fill(&lab, 0, p, 2, 1000, 42, "case 0/set 0", a, &msg));
    CHECK(grade_fill(&lab, 0, p, 2, 1000, 42, "case 0/set 0", a2, &msg));
    CHECK(same_bytes(a, a2, sizeof a));
    CHECK(grade_fill(&lab, 0, p, 2, 1000, 42, "case 0/set 1", a2, &msg));
    CHECK(!same_bytes(a, a2, sizeof a));
    int ok = 1, lo = 0, hi = 0;
    for (int i = 0; i < 1000; i++) ok = ok && a[i] >= -1 && a[i] <= 1;
    CHECK(ok);
    /* Runs of extremes: in the range, repeatable, and of each kind: zeros and tiny values that are
     * no denormals. The ends of the range are for integers only. */
    int equal = 0, zero = 0, tiny = 0, smaller = 0, runs_right = 1;
    for (unsigned seed = 1; seed <= 40; seed++) {
        CHECK(grade_fill_extremes(&lab, 0, p, 2, 1000, seed, "c", GRADE_RUNS, a, &msg));
        for (int i = 0; i < 1000; i++) {
            runs_right = runs_right && a[i] >= -1 && a[i] <= 1;
            equal += i && a[i] == a[i - 1];
            lo += a[i] == -1, hi += a[i] == 1, zero += a[i] == 0;
            tiny += a[i] != 0 && fabsf(a[i]) <= 0x1p-6f && fabsf(a[i]) >= 0x1p-14f;
            smaller += a[i] != 0 && fabsf(a[i]) < 0x1p-30f;
            runs_right = runs_right && (a[i] == 0 || fabsf(a[i]) >= 0x1p-126f);
        }
    }
    CHECK(runs_right && equal > 5000 && lo == 0 && hi == 0 && zero > 1000 && tiny > 1000);
    CHECK(smaller > 1000);
    grade_fill_extremes(&lab, 0, p, 2, 1000, 40, "c", GRADE_RUNS, a2, &msg);
    CHECK(same_bytes(a, a2, sizeof a));
    /* integers: a few, and runs of them, from all that the lab promises; without, all are drawn */
    int far = 0, promised = 1, most = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        args[1].least = -1000, args[1].most = 1000000;
        CHECK(grade_fill_extremes(&lab, 1, p, 2, 1000, seed, "c", GRADE_RUNS, cols, &msg));
        int of = 0;
        for (int i = 0; i < 1000; i++) {
            promised = promised && cols[i] >= -1000 && cols[i] <= 1000000;
            of += cols[i] < -3 || cols[i] > 3;
            most += cols[i] == 1000000;
        }
        far += of > 30;
        args[1].least = args[1].most = 0;
        CHECK(grade_fill_extremes(&lab, 1, p, 2, 1000, seed, "c", GRADE_RUNS, cols, &msg));
        for (int i = 0; i < 1000; i++) promised = promised && cols[i] >= -3 && cols[i] <= 3;
    }
    CHECK(promised && far == 40 && most > 100);
    /* data in host memory are as drawn */
    args[1].host = true;
    grade_fill_extremes(&lab, 1, p, 2, 1000, 42, "c", GRADE_RUNS, cols, &msg);
    args[1].host = false;
    grade_fill(&lab, 1, p, 2, 1000, 42, "c", b, &msg);
    CHECK(same_bytes(b, cols, sizeof b));
    ok = 1, lo = hi = 0;
    for (int i = 0; i < 1000; i++)
        ok = ok && b[i] >= -3 && b[i] <= 3, lo += b[i] == -3, hi += b[i] == 3;
    CHECK(ok && lo > 80 && hi > 80); /* both ends are in */
    grade_fill(&lab, 2, p, 2, 1000, 42, "c", idx, &msg);
    ok = 1;
    for (int i = 0; i < 1000; i++) ok = ok && idx[i] < 1000;
    CHECK(ok);
    CHECK(grade_fill(&lab, 3, p, 2, 51, 42, "c", off, &msg));
    CHECK(grade_fill(&lab, 4, p, 2, 1000, 42, "c", cols, &msg));
    ok = off[0] == 0 && off[50] == 1000;
    for (int r = 0; r < 50; r++) ok = ok && off[r] <= off[r + 1];
    CHECK(ok);
    ok = 1;
    for (int r = 0; r < 50; r++)
        for (int k = off[r]; k < off[r + 1]; k++)
            ok = ok && cols[k] >= 0 && cols[k] < 50 && (k == off[r] || cols[k - 1] <= cols[k]);
    CHECK(ok);
    grade_fill(&lab, 5, p, 2, 1000, 42, "c", s, &msg);
    ok = 1;
    for (int i = 1; i < 1000; i++) ok = ok && s[i - 1] <= s[i];
    CHECK(ok);
    grade_fill(&lab, 6, p, 2, 1000, 42, "c", u8, &msg);
    int small = 0;
    for (int i = 0; i < 1000; i++) small += u8[i] < 16;
    CHECK(small > 400 && small < 600); /* u^4 < 1/16 for half of u */
    /* One run: all integers are equal, both ends of the range and values between occur; real
     * numbers are as in other runs. */
    int differ = 0, ends[2] = {0}, between = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        CHECK(grade_fill_extremes(&lab, 6, p, 2, 1000, seed, "c", GRADE_ONE_RUN, u8, &msg));
        for (int i = 1; i < 1000; i++) differ += u8[i] != u8[0];
        ends[0] += u8[0] == 0, ends[1] += u8[0] == 255, between += u8[0] > 0 && u8[0] < 255;
    }
    CHECK(differ == 0 && ends[0] > 5 && ends[1] > 2 && between > 2);
    CHECK(grade_fill_extremes(&lab, 0, p, 2, 1000, 7, "c", GRADE_ONE_RUN, a, &msg));
    CHECK(grade_fill_extremes(&lab, 0, p, 2, 1000, 7, "c", GRADE_RUNS, a2, &msg));
    CHECK(same_bytes(a, a2, sizeof a));
    uint16_t io[3];
    grade_fill(&lab, 7, p, 2, 3, 42, "c", io, &msg);
    CHECK_NEAR(grade_half_to_double(io[2]), 2, 0);
    grade_fill(&lab, 8, p, 2, 1000, 42, "c", no, &msg);
    double mean = 0, var = 0;
    for (int i = 0; i < 1000; i++) mean += no[i] / 1000;
    for (int i = 0; i < 1000; i++) var += (no[i] - mean) * (no[i] - mean) / 1000;
    CHECK_NEAR(mean, 5, 0.3);
    CHECK_NEAR(sqrt(var), 2, 0.2);
    grade_expr_free(n);
    grade_expr_free(last);
    grade_expr_free(rows);
}

static void free_cases(grade_case_result *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < c[i].param_count; k++) free((char *)c[i].params[k].name);
        free(c[i].params);
    }
    free(c);
}

/* Two hidden cases are enough for one that neither fills its last block nor fits into its first,
 * whatever the secret: for ranges of two blocks of 1024 and more, and of a tile of 16 or 32 each
 * way. */
static void two_hidden(void) {
    static const struct {
        double lo, hi, beyond;
    } rows[] = {{2, 5000, 1024}, {1, 3000, 1024}, {2, 200000, 1024}, {2, 2049, 1024},
                {2, 300, 128},   {2, 150, 64},    {1, 70, 32}};
    lib_message msg;
    grade_param pub[] = {{"n", 1000}};
    grade_case cases[] = {{.params = pub, .param_count = 1, .timed = true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        grade_range range = {.name = "n", .lo = rows[k].lo, .hi = rows[k].hi, .multiple = 1};
        grade_lab lab = {.id = "t",
                         .cases = cases,
                         .case_count = 1,
                         .ranges = &range,
                         .range_count = 1,
                         .hidden_cases = 2};
        int without = 0, outside = 0;
        double least = INFINITY, most = 0;
        for (uint64_t secret = 1; secret <= 2000; secret++) {
            grade_options o = {.secret = secret};
            grade_case_result *c = NULL;
            size_t n = 0, large = 0;
            outside += !grade_draw_cases(&lab, &o, &c, &n, &msg) || n != 3;
            for (size_t i = 1; i < n; i++) {
                double v = c[i].params[0].value;
                large += v > rows[k].beyond && fmod(v, 16) != 0;
                outside += v < rows[k].lo || v > rows[k].hi || v != floor(v);
                if (i == 2) least = fmin(least, v), most = fmax(most, v);
            }
            without += !large;
            free_cases(c, n);
        }
        CHECK_INT(without, 0);
        CHECK_INT(outside, 0);
        CHECK(least < most);
    }
}

/* Values from a list: each hidden case has one, and they differ from case to case. */
static void listed_values(void) {
    static const double from[] = {4, 8, 16, 32};
    grade_param small[] = {{"n", 10}, {"t", 8}};
    grade_case one[] = {{.params = small, .param_count = 2, .timed = true}};
    grade_range ranges[] = {
        {.name = "n", .lo = 1, .hi = 90, .multiple = 1},
        {.name = "t", .lo = 4, .hi = 32, .multiple = 1, .from = from, .from_count = 4}};
    grade_lab lab = {.id = "t",
                     .cases = one,
                     .case_count = 1,
                     .ranges = ranges,
                     .range_count = 2,
                     .hidden_cases = 3};
    unsigned seen = 0, strange = 0, alike = 0;
    lib_message msg;
    for (uint64_t secret = 1; secret <= 100; secret++) {
        grade_options o = {.secret = secret};
        grade_case_result *c = NULL;
        size_t n = 0;
        CHECK(grade_draw_cases(&lab, &o, &c, &n, &msg) && n == 4);
        for (size_t i = 1; i < n; i++) {
            double t = c[i].params[1].value;
            for (int k = 0; k < 4; k++) seen |= t == from[k] ? 1u << k : 0;
            strange += t != 4 && t != 8 && t != 16 && t != 32;
        }
        alike += n == 4 && c[1].params[1].value == c[2].params[1].value &&
                 c[2].params[1].value == c[3].params[1].value;
        free_cases(c, n);
    }
    CHECK_INT(seen, 15);
    CHECK_INT(strange, 0);
    CHECK_INT(alike, 0);
}

static bool pow2(double v) {
    int e;
    return frexp(v, &e) == 0.5;
}
static bool is_prime(double v) {
    bool prime = v > 1;
    for (double d = 2; prime && d * d <= v; d++) prime = fmod(v, d) != 0;
    return prime;
}
/* One hidden case of each kind in the order of the list, from the smallest on; the second
 * parameter's walk begins anywhere in it. In the last case both are in the largest tenth. Of 3
 * to 1000000 the upper half of the magnitudes begins at sqrt(3000000) = 1732, and the largest
 * tenth at 900000.3. */
static void kinds(void) {
    lib_message msg;
    grade_param pub[] = {{"n", 1003}, {"m", 3}};
    grade_case cases[] = {{.params = pub, .param_count = 2, .timed = true}};
    grade_range ranges[] = {{.name = "n", .lo = 3, .hi = 1000000, .multiple = 1},
                            {.name = "m", .lo = 3, .hi = 1000000, .multiple = 1}};
    grade_lab lab = {.id = "t",
                     .cases = cases,
                     .case_count = 1,
                     .ranges = ranges,
                     .range_count = 2,
                     .hidden_cases = 9};
    unsigned starts = 0;
    int wrong = 0;
    for (uint64_t secret = 1; secret <= 200; secret++) {
        grade_options o = {.secret = secret};
        grade_case_result *c = NULL;
        size_t n = 0;
        if (!grade_draw_cases(&lab, &o, &c, &n, &msg) || n != 10) {
            CHECK_INT(n, 10);
            return;
        }
        for (size_t p = 0; p < 2; p++) {
            unsigned start = 0;
            while (p && start < 8 && c[1 + start].params[p].value != 3) start++;
            if (p) starts |= 1u << start;
            for (unsigned k = 0; k < 8; k++) {
                double v = c[1 + (start + k) % 8].params[p].value;
                bool right = k == 0   ? v == 3
                             : k == 1 ? v > 1024 && is_prime(v)
                             : k == 2 ? pow2(v - 1) && v > 1024
                             : k == 3 ? fmod(v + 1, 32) == 0 && v >= 1023
                             : k == 4 ? fmod(v - 1, 32) == 0 && v >= 1025
                             : k == 5 ? pow2(v + 1) && v >= 1023
                             : k == 6 ? v >= 1732
                                      : v >= 900000;
                wrong += !right || v != floor(v) || v > 1000000;
                if (!right) printf("# %llu: %zu %u: %g\n", (unsigned long long)secret, p, k, v);
            }
        }
        for (size_t p = 0; p < 2; p++) {
            double v = c[9].params[p].value;
            wrong += v < 900000 || v > 1000000 || fmod(v, 16) == 0;
        }
        free_cases(c, n);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(starts, 255); /* each beginning is met */
}

/* Hidden cases: deterministic, secret, inside their ranges, with the sizes that break kernels. */
static void hidden(void) {
    lib_message msg;
    grade_param pub[] = {{"n", 1003}, {"k", 3}};
    grade_case cases[] = {{.params = pub, .param_count = 2, .timed = true}};
    grade_range ranges[] = {{.name = "n", .lo = 1, .hi = 1 << 20, .multiple = 1}};
    grade_lab lab = {.id = "t",
                     .cases = cases,
                     .case_count = 1,
                     .ranges = ranges,
                     .range_count = 1,
                     .hidden_cases = 8};
    grade_options o = {.seed = 5, .secret = 77}, other = {.seed = 5, .secret = 78};
    grade_case_result *a = NULL, *b = NULL, *c = NULL;
    size_t na = 0, nb = 0, nc = 0;
    CHECK(grade_draw_cases(&lab, &o, &a, &na, &msg) && grade_draw_cases(&lab, &o, &b, &nb, &msg) &&
          grade_draw_cases(&lab, &other, &c, &nc, &msg));
    if (!a || !b || !c) return;
    CHECK_INT(na, 9);
    int same = 1, differ = 0, one = 0, ragged = 0, prime = 0;
    for (size_t i = 1; i < na; i++) {
        double n = a[i].params[0].value;
        same = same && n == b[i].params[0].value;
        differ += n != c[i].params[0].value;
        one += n == 1;
        ragged += fmod(n, 32) != 0;
        int p = n > 1;
        for (int d = 2; d * d <= (int)n; d++) p = p && (int)n % d;
        prime += p;
        CHECK(n >= 1 && n <= 1 << 20 && a[i].hidden && !a[i].timed && a[i].params[1].value == 3);
    }
    CHECK(same);
    CHECK(differ >= 5);
    CHECK_INT(one, 1);
    CHECK(prime >= 1);
    CHECK(ragged >= 5);
    CHECK(!a[0].hidden && a[0].timed);
    /* multiples are kept, and a range of one value gives one case, not eight */
    grade_range square[] = {{.name = "n", .lo = 64, .hi = 64, .multiple = 16}};
    lab.ranges = square;
    grade_case_result *d = NULL;
    size_t nd = 0;
    CHECK(grade_draw_cases(&lab, &o, &d, &nd, &msg));
    CHECK_INT(nd, 2);
    grade_range wrong[] = {{.name = "m", .lo = 1, .hi = 2, .multiple = 1}};
    lab.ranges = wrong;
    grade_case_result *e = NULL;
    size_t ne = 0;
    CHECK(!grade_draw_cases(&lab, &o, &e, &ne, &msg));
    CHECK_CONTAINS(said(&msg), "range 'm'");
    /* a case of no parameters is a case */
    grade_case bare[] = {{.timed = true}};
    lab = (grade_lab){.id = "t", .cases = bare, .case_count = 1};
    grade_case_result *f = NULL;
    size_t nf = 0;
    CHECK(grade_draw_cases(&lab, &o, &f, &nf, &msg));
    CHECK(nf == 1 && f[0].param_count == 0 && f[0].timed && !f[0].hidden);
    grade_case_result *all[] = {a, b, c, d, e, f};
    size_t n[] = {na, nb, nc, nd, ne, nf};
    for (int k = 0; k < 6; k++) free_cases(all[k], n[k]);
}

/* Cases near the timed one, over many secrets: the first size is odd, down to half below and at
 * most an eighth above; the other one only above, a multiple of 32 (cols = 96) or by the one step
 * that there is (w = 32: 64). Where the timed size is within the range, its end holds (m = 64 of at
 * most 70); what a list gives stays. */
static const double two_or_four[] = {2, 4};
static grade_param small_case[] = {{"a", 4}, {"m", 1}, {"n", 7}, {"w", 3}},
                   timed_case[] = {{"a", 4}, {"m", 64}, {"n", 1 << 16}, {"w", 32}};
static grade_case two_cases[] = {{.params = small_case, .param_count = 4},
                                 {.params = timed_case, .param_count = 4, .timed = true}};
static grade_range four_ranges[] = {
    {.name = "a", .lo = 2, .hi = 4, .from = two_or_four, .from_count = 2},
    {.name = "m", .lo = 1, .hi = 70, .multiple = 1},
    {.name = "n", .lo = 1, .hi = 100, .multiple = 1},
    {.name = "w", .lo = 1, .hi = 300, .multiple = 1}};
static const grade_lab near_lab = {.id = "t",
                                   .cases = two_cases,
                                   .case_count = 2,
                                   .ranges = four_ranges,
                                   .range_count = 4,
                                   .hidden_cases = 1};

static size_t drawn_cases(const grade_lab *lab, const grade_options *o, grade_case_result **c) {
    lib_message msg;
    size_t n = 0;
    *c = NULL;
    CHECK(grade_draw_cases(lab, o, c, &n, &msg) && grade_draw_near(lab, o, c, &n, &msg));
    return n;
}

static void near_cases(void) {
    int wrong = 0, seen[80] = {0}, larger[2][2] = {{0}};
    for (uint64_t secret = 1; secret <= 200; secret++) {
        grade_options o = {.seed = secret, .tests_lab = true};
        grade_case_result *c = NULL;
        size_t n = drawn_cases(&near_lab, &o, &c);
        if (!CHECK(n == 5)) return;
        wrong += c[2].near || !c[3].near || !c[4].near || !c[3].hidden || !c[4].hidden ||
                 c[3].timed || c[4].timed || c[3].params[0].value != 4 || c[4].params[0].value != 4;
        double below = c[3].params[1].value, above = c[4].params[1].value;
        wrong += below < 31 || below > 63 || fmod(below, 2) == 0; /* 64 - 32 - 1 */
        wrong += above < 64 || above > 70 || (above > 64 && fmod(above, 2) == 0);
        for (int k = 3; k < 5; k++) { /* the other sizes of both */
            double bytes = c[k].params[2].value;
            wrong += bytes <= 1 << 16 || bytes > 73728 || fmod(bytes, 32) != 0;
            wrong += c[k].params[3].value != 64;
            larger[k - 3][bytes > (1 << 16) + 4096] = 1;
        }
        seen[(int)below] = seen[(int)above] = 1;
        free_cases(c, n);
    }
    CHECK_INT(wrong, 0);
    for (int v = 31; v < 70; v += 2) CHECK(seen[v]);
    CHECK(larger[0][0] && larger[0][1] && larger[1][0] && larger[1][1]);
    /* No buffer: no size. With a secret, the larger one is always there, and the smaller one in
     * half of the draws; without, none. */
    int smaller = 0;
    for (uint64_t secret = 0; secret <= 80; secret++) {
        grade_options o = {.seed = 1, .secret = secret};
        grade_case_result *c = NULL;
        size_t n = drawn_cases(&near_lab, &o, &c);
        CHECK(secret ? n == 4 || n == 5 : n == 3);
        if (secret) CHECK(c[n - 1].params[2].value > 1 << 16);
        smaller += n == 5;
        free_cases(c, n);
    }
    CHECK(smaller >= 24 && smaller <= 56); /* of 80: 40, 3.5 sigma */
    /* none if the lab says so, if it has no hidden cases, or no timed one */
    for (int k = 0; k < 3; k++) {
        grade_options o = {.secret = 1};
        grade_case_result *c = NULL;
        grade_lab lab = near_lab;
        lab.near_none = k == 0;
        lab.hidden_cases = k != 1;
        two_cases[1].timed = k != 2;
        CHECK_INT(drawn_cases(&lab, &o, &c), lab.hidden_cases ? 3 : 2);
        free_cases(c, lab.hidden_cases ? 3 : 2);
        two_cases[1].timed = true;
    }
}

/* Large sizes: with buffers of n and of m floats, and of the square of w, over many secrets. n is
 * above the timed size, so any value is asked for: at least twice as large; buffers have at most 4
 * MB. m ends at the lab's most (150). w would cost its cube. All others are at most lo + 2. */
static void large_cases(void) {
    lib_message msg;
    grade_arg args[] = {{.name = "x", .type = GRADE_F32, .role = GRADE_INPUT},
                        {.name = "y", .type = GRADE_F32, .role = GRADE_OUTPUT},
                        {.name = "z", .type = GRADE_F32, .role = GRADE_OUTPUT}};
    static const char *const counts[] = {"n", "m", "w * w"};
    for (int i = 0; i < 3; i++) args[i].count = grade_expr_new(counts[i], &msg);
    grade_lab lab = near_lab;
    lab.args = args, lab.arg_count = 3;
    int wrong = 0, both = 0, smaller = 0;
    double most = 0;
    four_ranges[1].most = 150;
    for (uint64_t secret = 1; secret <= 100; secret++) {
        grade_options o = {.secret = secret};
        grade_case_result *c = NULL;
        size_t n = drawn_cases(&lab, &o, &c);
        wrong += n != 6; /* 3, one near, two large */
        for (size_t i = 0; i < n; i++) both += c[i].near && c[i].large;
        wrong += !c[4].large || c[4].params[1].value < 140 || c[4].params[1].value > 150 ||
                 c[4].params[2].value > 3 || c[4].params[3].value > 3;
        wrong += !c[5].large || c[5].params[2].value < 2 << 16 || c[5].params[2].value > 1 << 20 ||
                 c[5].params[1].value > 3 || c[5].params[0].value != 4;
        smaller += c[3].params[1].value < 64;
        most = fmax(most, c[5].params[2].value);
        free_cases(c, n);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(both, 0);
    CHECK(smaller > 60 && smaller < 90); /* three of four: 75, 3.5 sigma */
    CHECK(most == 131073); /* twice the timed size, which is above 65,535, and a step */
    four_ranges[1].most = 0;
    for (int i = 0; i < 3; i++) grade_expr_free(args[i].count);
}

/* A second call has other values of m or w, one at a time, and the same sizes: of n, which is one,
 * the value stays. A list gives another of its values. */
static void again(void) {
    lib_message msg;
    grade_arg args[] = {{.name = "x", .type = GRADE_F32, .role = GRADE_INPUT, .lo = 0, .hi = 1}};
    args[0].count = grade_expr_new("n", &msg);
    grade_lab lab = near_lab;
    lab.args = args, lab.arg_count = 1;
    int changed[4] = {0}, wrong = 0;
    for (size_t index = 0; index < 30; index++) {
        grade_param p[4];
        int more = 0;
        memcpy(p, timed_case, sizeof p);
        grade_draw_again(&lab, 7, index, p, 4);
        for (int i = 0; i < 4; i++) {
            more += p[i].value != timed_case[i].value;
            changed[i] += p[i].value != timed_case[i].value;
            wrong += p[i].value != timed_case[i].value &&
                     (p[i].value < four_ranges[i].lo || p[i].value > four_ranges[i].hi);
        }
        wrong += more != 1 || (p[0].value != 4 && p[0].value != 2);
    }
    CHECK_INT(wrong, 0);
    CHECK(changed[0] >= 5 && changed[1] >= 5 && !changed[2] && changed[3] >= 5);
    /* Device memory keeps both ends, but not where one value fills it; host memory half of all. */
    float was[1000], now[1000];
    for (int k = 0; k < 3; k++) {
        int kept = 0;
        args[0].host = k == 2;
        for (int i = 0; i < 1000; i++) was[i] = 0.25f, now[i] = 0.5f;
        grade_keep_some(&lab, 0, timed_case, 4, 1000, 7, "l", k == 1 ? GRADE_ONE_RUN : GRADE_RUNS,
                        was, now);
        for (int i = 0; i < 1000; i++) kept += now[i] == 0.25f;
        CHECK(k == 0 ? kept == 2 : k == 1 ? !kept : kept > 430 && kept < 570); /* 4.5 sigma */
        CHECK((now[0] == 0.25f && now[999] == 0.25f) == (k != 1));
    }
    grade_expr_free(args[0].count);
}

int main(void) {
    near_cases();
    large_cases();
    again();
    listed_values();
    tolerances();
    rows();
    specials();
    cancelled();
    pictures();
    halves();
    sha();
    streams();
    generators();
    two_hidden();
    kinds();
    hidden();
    return check_done();
}
