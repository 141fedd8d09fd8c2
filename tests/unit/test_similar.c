/* Which submissions are alike: against winnowing done in the plainest way, by the paper that the
 * method is of (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003, with k = 12 tokens and a
 * window of 8): of each 8 neighbouring hashes the least is a fingerprint, and a pair's share is
 * what both have of the shorter one's. The hash is FNV-1a of the tokens' bytes, its high bits
 * folded in. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "grader/course/similar.h"
#include "grader/course/store.h"
#include "tests/check.h"

enum { GRAM = 12, WINDOW = 8, FEWEST = 8, DOCS = 40, LONG = 400 };

static char root[64];
static int out;
static lib_message msg;
static char text[DOCS][2 * LONG];
static course_row rows[DOCS];
static char sha[DOCS][8];
static course c;

/* The documents 0 to n - 1, each a row of the lab "add". */
static void hand_in(size_t n) {
    for (size_t i = 0; i < n; i++) {
        char path[60];
        snprintf(sha[i], sizeof sha[0], "d%zu", i);
        rows[i] = (course_row){.lab = "add", .sha = sha[i]};
        snprintf(path, sizeof path, "submissions/%s.cu", sha[i]);
        CHECK(store_write_again(out, path, text[i], strlen(text[i]), 0600, &msg));
    }
    c = (course){.row = rows, .count = n};
}

/* ---- the plain way ---- */

typedef struct {
    uint64_t hash[LONG];
    size_t n;
} set;
static void put(set *s, uint64_t hash) {
    for (size_t i = 0; i < s->n; i++)
        if (s->hash[i] == hash) return;
    s->hash[s->n++] = hash;
}
static bool has(const set *s, uint64_t hash) {
    for (size_t i = 0; i < s->n; i++)
        if (s->hash[i] == hash) return true;
    return false;
}
/* Of a text whose every character is a token. */
static uint64_t hash_at(const char *p) {
    uint64_t h = UINT64_C(1469598103934665603);
    for (int i = 0; i < GRAM; i++) h = (h ^ (unsigned char)p[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}
static set fingerprints(const char *p, bool every) {
    set s = {0};
    size_t n = strlen(p), grams = n < GRAM ? 0 : n - GRAM + 1;
    for (size_t from = 0; every && from < grams; from++) put(&s, hash_at(p + from));
    size_t windows = !grams || every ? 0 : grams < WINDOW ? 1 : grams - WINDOW + 1;
    for (size_t from = 0; from < windows; from++) {
        uint64_t least = UINT64_MAX;
        for (size_t k = from; k < from + WINDOW && k < grams; k++)
            if (hash_at(p + k) < least) least = hash_at(p + k);
        put(&s, least);
    }
    return s;
}

static const char tokens[] = "+-*%&|<>=!?:;,(){}[]^~.";
static uint64_t state = 88172645463325252u;
static unsigned draw(unsigned n) { /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}
static void fill(char *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = tokens[draw(sizeof tokens - 1)];
    p[n] = 0;
}

/* Against all pairs by hand: found is what similar_pairs() gives, of at most `most`. */
static void compare(size_t n, const char *given, size_t most) {
    static set of[DOCS];
    set known = fingerprints(given ? given : "", true);
    size_t common = n / 4 < 6 ? 6 : n / 4 > 60 ? 60 : n / 4, want = 0, count = 99;
    similar_pair found[DOCS * DOCS], wanted[DOCS * DOCS];
    hand_in(n);
    if (given) CHECK(store_write_again(out, "given/add.cu", given, strlen(given), 0600, &msg));
    else unlinkat(out, "given/add.cu", 0);
    for (size_t i = 0; i < n; i++) {
        set all = fingerprints(text[i], false);
        of[i].n = 0;
        for (size_t k = 0; k < all.n; k++)
            if (!has(&known, all.hash[k])) put(&of[i], all.hash[k]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            uint32_t shared = 0, all = 0;
            for (size_t k = 0; k < of[i].n; k++) {
                size_t have = 0;
                for (size_t d = 0; d < n; d++) have += has(&of[d], of[i].hash[k]);
                shared += have <= common && has(&of[j], of[i].hash[k]);
                all += has(&of[j], of[i].hash[k]);
            }
            size_t least = of[i].n < of[j].n ? of[i].n : of[j].n;
            if (5 * all >= 4 * least) shared = all; /* nearly the whole */
            if (least >= FEWEST && 2 * shared >= least)
                wanted[want++] = (similar_pair){i, j, (double)shared / (double)least, shared};
        }
    /* The most alike first; of equals those that share more, then as they stand. */
    for (size_t i = 0; i < want; i++)
        for (size_t k = i; k > 0; k--) {
            similar_pair *x = &wanted[k - 1], *y = &wanted[k], swap = *x;
            bool ordered = x->share != y->share     ? x->share > y->share
                           : x->shared != y->shared ? x->shared > y->shared
                           : x->a != y->a           ? x->a < y->a
                                                    : x->b < y->b;
            if (ordered) break;
            *x = *y, *y = swap;
        }
    CHECK(similar_pairs(&c, out, "add", found, most, &count));
    printf("# %zu documents, %zu pairs\n", n, want);
    CHECK_INT(count, want < most ? want : most);
    bool same = true;
    for (size_t i = 0; i < count && i < want; i++)
        same = same && found[i].a == wanted[i].a && found[i].b == wanted[i].b &&
               found[i].shared == wanted[i].shared &&
               fabs(found[i].share - wanted[i].share) < 1e-12;
    CHECK(same);
}

static void by_hand(void) {
    /* As short as can be: 12 tokens are one hash, 19 a whole window. */
    for (size_t n = 10; n < 70; n++) {
        fill(text[0], n);
        memcpy(text[1], text[0], n + 1);
        compare(2, NULL, 99);
    }
    /* Copies of parts, of random lengths at random places. */
    for (int round = 0; round < 12; round++) {
        size_t n = 2 + draw(30);
        for (size_t i = 0; i < n; i++) {
            fill(text[i], 30 + draw(200));
            size_t from = draw((unsigned)i + 1), length = strlen(text[from]), own = strlen(text[i]);
            size_t part = draw((unsigned)(length < own ? length : own));
            memmove(text[i] + draw((unsigned)(own - part + 1)), text[from], part);
        }
        compare(n, round % 3 ? NULL : text[0], 99);
        compare(n, NULL, 3);
    }
    /* What six have in common is theirs, also where it is a part of the file; what seven have
     * counts where it is the whole file, and of thirty-six what ten have. */
    for (size_t n = 5; n < 9; n++) {
        fill(text[0], 100);
        for (size_t i = 1; i < n; i++) memcpy(text[i], text[0], 101);
        compare(n, NULL, 99);
    }
    for (size_t copies = 8; copies < 11; copies++) {
        for (size_t i = 0; i < 36; i++) fill(text[i], 60);
        for (size_t i = 1; i < copies; i++) memcpy(text[i], text[0], 61);
        compare(36, NULL, 999);
    }
    for (size_t copies = 5; copies < 9;
         copies++) { /* six tenths are common, the rest is one's own */
        for (size_t i = 0; i < 9; i++) fill(text[i], 200);
        for (size_t i = 1; i < copies; i++) memcpy(text[i], text[0], 120);
        compare(9, NULL, 99);
    }
}

/* Seven of nine handed in one file: each pair of them is told. */
static void most_copied(void) {
    similar_pair found[40];
    size_t n = 0;
    for (size_t i = 0; i < 9; i++) fill(text[i], 150);
    for (size_t i = 1; i < 7; i++) memcpy(text[i], text[0], 151);
    hand_in(9);
    unlinkat(out, "given/add.cu", 0);
    CHECK(similar_pairs(&c, out, "add", found, 40, &n));
    CHECK_INT(n, 7 * 6 / 2);
    for (size_t i = 0; i < n; i++) CHECK(found[i].share == 1 && found[i].a < 7 && found[i].b < 7);
}

/* ---- tokens ---- */

/* Two that differ in this alone: the same tokens, or not. */
static void token(void) {
    static const struct {
        const char *a, *b;
        bool same;
    } pairs[] = {
        {"x", "y", true},
        {"x", "a_long_name9", true},
        {"x", "_", true},
        {"x", "变量", true},
        {"x", "x y", false},
        {"x", "if", false},
        {"\x7F", "if", false}, /* a byte that begins nothing is itself */
        {"\x01", "x", false},
        {"x", "iff", true},
        {"if", "while", false},
        {"int", "float", false},
        {"__global__", "__device__", false},
        {"__syncwarp", "__syncwarps", false},
        {"1", "2.5f", true},
        {"1", "0xffu", true},
        {"1", "x", false},
        {"1", "1 2", false},
        {"1.5", "1 .5", false},
        {"\"a\"", "\"b c if\"", true},
        {"\"a\"", "'b'", true},
        {"\"a\\\"b\"", "\"a\"", true},
        {"\"a\\\\\"", "\"a\"", true},
        {"\"a\" x", "\"b\" y", true},
        {"\"a\"", "", false},
        {"x \"a\"", "", false},
        {"x \"a\"", "x", false},
        {"\"a\"", "\"a\" \"b\"", false},
        {"\"open\n", "\"\"\n", true}, /* ends with its line */
        {"'\n", "''\n", true},
        {"x // if\n", "x ", true},
        {"x /* if */ y", "x y", true},
        {"x /* if **/ y", "x y", true},
        {"x /**/ y", "x y", true},
        {"x /*/ if */ y", "x y", true},
        {"x / y", "x y", false},
        {"x\n#include <a>\ny", "x\ny", true},
        {"x\n  #define if\ny", "x\n y", true},
        {"x # y\n", "x\n", false}, /* no directive: behind something */
        {"x /* a */\n# y\nz", "x\nz", true},
        {"a \t\n b", "a b", true},
        {"a+b", "a + b", true},
        {"a+b", "a-b", false},
        /* what stands right behind is a token of its own */
        {"\"a\"+b", "\"a\"-b", false},
        {"1+b", "1-b", false},
        {"/* a */+b", "/* a */-b", false},
        {"\"a\"+b", "\"c\" + d", true},
        {"// to the end", "", true},
        {"/* to the end", "", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char body[61];
        similar_pair found[4];
        size_t n = 0;
        bool end = strstr(pairs[i].a, "to the end");
        fill(body, 60);
        int before = end ? 60 : 30;
        snprintf(text[0], sizeof text[0], "%.*s %s %s", before, body, pairs[i].a, body + before);
        snprintf(text[1], sizeof text[1], "%.*s %s %s", before, body, pairs[i].b, body + before);
        hand_in(2);
        unlinkat(out, "given/add.cu", 0);
        CHECK(similar_pairs(&c, out, "add", found, 4, &n));
        printf("# %s | %s\n", pairs[i].a, pairs[i].b);
        CHECK_INT(n == 1 && found[0].share == 1, pairs[i].same);
    }
}

/* Other labs' files, and those that are not there, are none. */
static void others(void) {
    similar_pair found[4];
    size_t n = 9;
    for (size_t i = 0; i < 4; i++)
        if (i) memcpy(text[i], text[0], sizeof text[0]);
        else fill(text[0], 100);
    hand_in(4);
    rows[0].lab = "sub";
    rows[1].sha = "";
    CHECK(similar_pairs(&c, out, "add", found, 4, &n));
    CHECK(n == 1 && found[0].a == 2 && found[0].b == 3);
    unlinkat(out, "submissions/d3.cu", 0);
    CHECK(similar_pairs(&c, out, "add", found, 4, &n));
    CHECK_INT(n, 0);
    c.count = 0;
    CHECK(similar_pairs(&c, out, "add", found, 4, &n));
    CHECK_INT(n, 0);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-similar-XXXXXX");
    if (!mkdtemp(root)) return 1;
    out = open(root, O_RDONLY | O_DIRECTORY);
    CHECK(store_folder(out, "submissions", &msg) && store_folder(out, "given", &msg));
    by_hand();
    most_copied();
    token();
    others();
    close(out);
    store_remove_tree(AT_FDCWD, root);
    return check_done();
}
