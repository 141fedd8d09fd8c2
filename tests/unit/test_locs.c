/* Source positions of PTX (ISA 11.3.5, 11.3.6): random ones against the rules at the head of loc.c,
 * followed with a search from the first on; names of files; and where a student is sent.
 *
 * - Each different position is there once, the first is none. - inlined_at means the latest
 * position of the same function with that file, line and column; where there is none,
 *   a position of its own that is not inlined. */
#include <stdint.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

enum { FUNCS = 3, LOCS = 700, MAX = 2 * FUNCS * LOCS + 1, FILES = 4 };
typedef struct {
    unsigned file, line, column;
} place;
static struct {
    place at;
    unsigned inlined, outer, epoch; /* the function that named it last; the first is 1 */
    bool named;
} locs[MAX];
static unsigned count, latest_of[FILES + 1][40][4], epoch_of[FILES + 1][40][4];

static uint64_t state;
static unsigned draw(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}
static place draw_place(void) {
    return (place){1 + draw(FILES), draw(40), draw(4)}; /* FILES has no name */
}

static unsigned interned(place at, unsigned inlined, unsigned epoch) {
    unsigned k = 1;
    while (k < count && (memcmp(&locs[k].at, &at, sizeof at) || locs[k].inlined != inlined)) k++;
    if (k == count) {
        locs[count].at = at, locs[count].inlined = inlined;
        locs[count].outer = inlined ? locs[inlined].outer : count;
        count++;
    }
    latest_of[at.file][at.line][at.column] = k;
    epoch_of[at.file][at.line][at.column] = epoch;
    return k;
}

static void test_random(void) {
    static char text[FUNCS * LOCS * 120];
    static unsigned want[FUNCS * LOCS];
    static const char *const files[] = {"", "a.cu", "b.cuh", "c d.h", ""};
    size_t n = 0;
    state = 7, count = 1;
    n += (size_t)snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n");
    for (unsigned f = 0; f < FUNCS; f++) {
        n += (size_t)snprintf(text + n, sizeof text - n, ".entry k%u() {\n", f);
        for (unsigned i = 0; i < LOCS; i++) {
            place at = draw_place(), call = draw_place();
            unsigned inlined = 0;
            n += (size_t)snprintf(text + n, sizeof text - n, ".loc %u %u %u", at.file, at.line,
                                  at.column);
            if (draw(2)) {
                n += (size_t)snprintf(text + n, sizeof text - n,
                                      ", function_name $L%s, inlined_at %u %u %u",
                                      draw(2) ? "" : "+12", call.file, call.line, call.column);
                inlined = epoch_of[call.file][call.line][call.column] == f + 1
                              ? latest_of[call.file][call.line][call.column]
                              : interned(call, 0, f + 1);
            }
            want[f * LOCS + i] = interned(at, inlined, f + 1);
            n += (size_t)snprintf(text + n, sizeof text - n, "\nmembar.cta;\n");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "ret; }\n");
    }
    for (unsigned k = 1; k < FILES; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, ".file %u \"%s\"\n", k, files[k]);
    lib_message msg = {0};
    ptx_module *m = ptx_parse(text, n, &msg);
    CHECK_STR(said(&msg), "");
    if (!CHECK(m && m->func_count == FUNCS)) return;
    CHECK_INT(m->loc_count, count);
    unsigned good = 0, right = 0;
    for (unsigned k = 0; k < count && k < m->loc_count; k++) {
        const ptx_loc *l = &m->locs[k];
        const char *file = "-";
        unsigned line = 99;
        ptx_source(m, k, &file, &line);
        good += !strcmp(l->file, files[locs[k].at.file]) && l->line == locs[k].at.line &&
                l->column == locs[k].at.column && l->inlined_at == locs[k].inlined &&
                l->outer == locs[k].outer && line == locs[locs[k].outer].at.line &&
                !strcmp(file, files[locs[locs[k].outer].at.file]);
    }
    CHECK_INT(good, count);
    for (unsigned k = 0; k < FUNCS * LOCS; k++)
        right += m->funcs[k / LOCS]->insns[k % LOCS].loc == want[k];
    CHECK_INT(right, FUNCS * LOCS);
    ptx_free(m);
}

/* The outermost call site; nothing for none, and for what is beyond the last. */
static void test_source(void) {
    static const ptx_loc all[] = {
        {"none", 1, 1, 0, 0}, {"a.cu", 7, 2, 0, 1}, {"b.h", 9, 3, 1, 1}, {"beyond", 5, 5, 0, 3}};
    static const struct {
        uint32_t loc;
        const char *file;
        unsigned line;
    } rows[] = {{0, "", 0}, {1, "a.cu", 7}, {2, "a.cu", 7}, {3, "", 0}, {4, "", 0}};
    ptx_module m = {.locs = all, .loc_count = 3};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *file = "-";
        unsigned line = 99;
        ptx_source(&m, rows[k].loc, &file, &line);
        CHECK_STR(file, rows[k].file);
        CHECK_INT(line, rows[k].line);
    }
}

/* Bytes that are not ASCII come as three octal digits, \200 to \377; a quote and a backslash behind
 * a backslash. */
static void test_names(void) {
    static const struct {
        const char *written, *name;
    } rows[] = {
        {"", ""},
        {"a", "a"},
        {"\\345\\220\\221.cu", "\345\220\221.cu"},
        {"\\200", "\200"},
        {"\\377x", "\377x"},
        {"x\\277", "x\277"},
        {"\\177", "\\177"},
        {"\\400", "\\400"},
        {"\\477", "\\477"},
        {"\\34", "\\34"},
        {"\\34x", "\\34x"},
        {"\\348", "\\348"},
        {"\\38", "\\38"},
        {"\\380", "\\380"},
        {"\\2:0", "\\2:0"},
        {"\\20/", "\\20/"},
        {"345", "345"},
        {"\\\\345", "\\345"},
        {"a\\\\", "a\\"},
        {"\\\"a\\\"", "\"a\""},
        {"a\\n", "a\\n"},
        {"C:\\\\x\\\\y z.cu", "C:\\x\\y z.cu"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[300];
        lib_message msg = {0};
        const char *file = "";
        unsigned line;
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_90\n.entry k() { .loc 2 7 1\nret; }\n.file 2 \"%s\"\n",
                 rows[k].written);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        CHECK_STR(said(&msg), "");
        if (m) ptx_source(m, m->funcs[0]->insns[0].loc, &file, &line);
        CHECK_STR(file, rows[k].name);
        ptx_free(m);
    }
}

static void test_wrong(void) {
    static const struct {
        const char *text, *message; /* NULL: taken */
    } rows[] = {
        {".file 0 \"a\"", NULL},
        {".file 65536 \"a\", 18446744073709551615, 18446744073709551615", NULL},
        {".file 1 \"a\", 5", NULL},
        {".loc 1 2 3", NULL},
        {".loc 65536 4294967295 4294967295", NULL},
        {".loc 1 2 3, inlined_at 65536 4294967295 4294967295", NULL},
        {".loc 1 2 3, function_name x", NULL},
        {".loc 1 2 3, function_name x + 18446744073709551615", NULL},
        {".file x", "column 7: expected the number of a .file, found 'x'"},
        {".file 65537 \"a\"", "column 7: the number of a .file may be at most 65536"},
        {".file 1", "column 8: expected the name of the file in quotes"},
        {".file 1 a", "column 9: expected the name of the file in quotes"},
        {".file 1 ,", "column 9: expected the name of the file in quotes"},
        {".file 1 .a", "column 9: expected the name of the file in quotes"},
        {".file 1 \"a\", \"b\"", "column 14: expected a time, found '\"b\"'"},
        {".file 1 \"a\", 5, x", "column 17: expected a size, found 'x'"},
        {".loc x", "column 6: expected file, line and column of a .loc, found 'x'"},
        {".loc 1 2 ,", "column 10: expected file, line and column of a .loc, found ','"},
        {".loc 65537 2 3", "column 6: file, line and column of a .loc may be at most 65536"},
        {".loc 1 4294967296 3",
         "column 8: file, line and column of a .loc may be at most 4294967295"},
        {".loc 1 2 4294967296",
         "column 10: file, line and column of a .loc may be at most 4294967295"},
        {".loc 1 2 3, 5", "column 13: expected function_name or inlined_at, found '5'"},
        {".loc 1 2 3, inlined 5",
         "column 13: expected function_name or inlined_at, found 'inlined'"},
        {".loc 1 2 3, function_name 5",
         "column 27: expected the label of the function's name, found '5'"},
        {".loc 1 2 3, function_name x + y", "column 31: expected an offset, found 'y'"},
        {".loc 1 2 3, inlined_at 1 2",
         "column 27: expected file, line and column of inlined_at, found the end of the text"},
        {".loc 1 2 3, inlined_at 65537 2 3",
         "column 24: file, line and column of inlined_at may be at most 65536"},
        {".loc 1 2 3, inlined_at 1 4294967296 3",
         "column 26: file, line and column of inlined_at may be at most 4294967295"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[200], want[200] = "", got[200];
        lib_message msg = {0};
        snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n%s", rows[k].text);
        if (rows[k].message) snprintf(want, sizeof want, "PTX line 3, %s", rows[k].message);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        snprintf(got, sizeof got, "%.*s", (int)strcspn(said(&msg), "\n"), said(&msg));
        CHECK_INT(m == NULL, rows[k].message != NULL);
        CHECK_STR(got, want);
        ptx_free(m);
    }
}

int main(void) {
    test_random();
    test_source();
    test_names();
    test_wrong();
    return check_done();
}
