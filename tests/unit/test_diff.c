/* Two texts line by line: what is gone, what is new, three lines around each change, a mark where
 * lines are left out. By diff.h; that no shorter difference exists is checked against the longest
 * common subsequence by its definition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/term/diff.h"
#include "tests/check.h"

/* A line each: its mark, its number in the new text, itself. */
static char *shown(const diff_line *d, size_t n) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (size_t i = 0; i < n; i++) {
        lib_buffer_printf(&b, "%c", d[i].mark);
        if (d[i].line) lib_buffer_printf(&b, "%d", d[i].line);
        if (d[i].text) lib_buffer_printf(&b, "%.*s", (int)d[i].n, d[i].text);
        lib_buffer_puts(&b, "\n");
    }
    return lib_buffer_take(&b);
}

static void small(void) {
    static const struct {
        const char *a, *b, *want;
    } rows[] = {
        {"", "", ""},
        {"a\nb\n", "a\nb\n", ""},
        {"a\nb", "a\nb\n", ""}, /* the last line's end is none of its text */
        {"", "a\n", "+1a\n"},
        {"a\n", "", "-a\n"},
        {"", "\n", "+1\n"},
        {"\n", "\n\n", " 1\n+2\n"},
        {"a\n", "b\n", "-a\n+1b\n"},
        {"a\n", "ab\n", "-a\n+1ab\n"},
        {"ab\n", "a\n", "-ab\n+1a\n"},
        {"a\nb\n", "b\n", "-a\n 1b\n"},
        {"b\n", "a\nb\n", "+1a\n 2b\n"},
        /* a line that is doubled: the head is found first */
        {"a\na\n", "a\n", " 1a\n-a\n"},
        {"a\n", "a\na\n", " 1a\n+2a\n"},
        {"x\na\nx\n", "x\nx\n", " 1x\n-a\n 2x\n"},
        {"x\nx\n", "x\na\nx\n", " 1x\n+2a\n 3x\n"},
        /* of two that are as short the one that first takes away */
        {"a\nb\n", "b\na\n", "-a\n 1b\n+2a\n"},
        {"a\nb\nc\n", "x\ny\nc\n", "-a\n-b\n+1x\n+2y\n 3c\n"},
        {"a\nb\nc\nd\n", "b\nx\nd\ny\n", "-a\n 1b\n-c\n+2x\n 3d\n+4y\n"},
        /* three lines around a change */
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
         " 22\n 33\n 44\n-5\n+5x\n 66\n 77\n 88\n"},
        /* six lines between two changes are all near one, of seven one is left out */
        {"a\n2\n3\n4\n5\n6\n7\nb\n", "A\n2\n3\n4\n5\n6\n7\nB\n",
         "-a\n+1A\n 22\n 33\n 44\n 55\n 66\n 77\n-b\n+8B\n"},
        {"a\n2\n3\n4\n5\n6\n7\n8\nb\n", "A\n2\n3\n4\n5\n6\n7\n8\nB\n",
         "-a\n+1A\n 22\n 33\n 44\n@\n 66\n 77\n 88\n-b\n+9B\n"},
        {"0\n1\n2\n3\n4\na\n5\n6\n7\n8\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n",
         " 32\n 43\n 54\n-a\n 65\n 76\n 87\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        diff_line *d = NULL;
        size_t n = diff_lines(rows[i].a, rows[i].b, &d);
        char *got = shown(d, n);
        CHECK_STR(got, rows[i].want);
        free(got);
        free(d);
    }
}

/* ---- every two texts of up to five lines, of three kinds of lines */

static int longest(const char *a, const char *b) {
    if (!*a || !*b) return 0;
    if (*a == *b) return 1 + longest(a + 1, b + 1);
    int x = longest(a + 1, b), y = longest(a, b + 1);
    return x > y ? x : y;
}
/* The k-th text, a letter a line. */
static int letters(int k, char *to) {
    int n = 0;
    for (; k; k = (k - 1) / 3) to[n++] = (char)('a' + (k - 1) % 3);
    to[n] = 0;
    return n;
}
static void lines(const char *of, char *to) {
    for (; *of; of++) *to++ = *of, *to++ = '\n';
    *to = 0;
}

static void shortest(void) {
    enum { TEXTS = 1 + 3 + 9 + 27 + 81 + 243 };
    int wrong = 0;
    for (int i = 0; i < TEXTS; i++)
        for (int k = 0; k < TEXTS; k += 1 + i % 7) {
            char a[8], b[8], old[16], new[16];
            int n = letters(i, a), m = letters(k, b), common = longest(a, b), gone = 0, more = 0;
            diff_line *d = NULL;
            lines(a, old), lines(b, new);
            size_t count = diff_lines(old, new, &d);
            const char *at = a; /* what is gone stands in the old text in that order */
            bool good = true;
            for (size_t j = 0, last = 0; j < count; j++) {
                gone += d[j].mark == '-', more += d[j].mark == '+';
                if (d[j].mark == '-') good = good && (at = strchr(at, *d[j].text)) && at++;
                else if (d[j].mark != '@') {
                    good = good && d[j].line > (int)last && d[j].line <= m &&
                           d[j].text == new + 2 * (d[j].line - 1);
                    last = (size_t)d[j].line;
                }
                good = good && (d[j].mark == '@' || d[j].n == 1);
            }
            good = good && gone == n - common && more == m - common;
            if (!good && wrong++ < 3) printf("# %s to %s\n", a, b);
            free(d);
        }
    CHECK_INT(wrong, 0);
}

/* ---- the bound: 1500 lines that differ */

/* n lines, the middle one of which is in both. */
static char *long_text(size_t n, char mark) {
    lib_buffer b = {0};
    for (size_t i = 0; i < n; i++)
        if (i == n / 2) lib_buffer_puts(&b, "both\n");
        else lib_buffer_printf(&b, "%c%zu\n", mark, i);
    return lib_buffer_take(&b);
}

static void bound(void) {
    static const struct {
        size_t a, b;
        bool searched;
    } rows[] = {{1500, 1500, true}, {1500, 3, true},  {3, 1500, true},
                {1501, 3, false},   {3, 1501, false}, {1501, 1501, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = rows[i].a, m = rows[i].b, kept = rows[i].searched;
        char *a = long_text(n, 'a'), *b = long_text(m, 'b');
        diff_line *d = NULL;
        size_t count = diff_lines(a, b, &d), gone = 0, same = 0, at = 0;
        bool ordered = true;
        for (size_t k = 0; k < count; k++) {
            gone += d[k].mark == '-', same += d[k].mark == ' ';
            /* Beyond it all that is gone stands first, then all that is new. */
            if (!rows[i].searched) ordered = ordered && d[k].mark == (k < n ? '-' : '+');
            if (d[k].mark != '-') ordered = ordered && d[k].line == (int)++at;
        }
        CHECK_INT(count, n + m - kept);
        CHECK_INT(gone, n - kept);
        CHECK_INT(same, kept);
        CHECK(ordered && at == m);
        free(d);
        free(a);
        free(b);
    }
    /* What is the same at both ends does not count. */
    char *a = long_text(1501, 'a'), *b = strdup(a);
    *strstr(b, "both") = 'B';
    diff_line *d = NULL;
    size_t n = diff_lines(a, b, &d);
    char *got = shown(d, n);
    CHECK_STR(got, " 748a747\n 749a748\n 750a749\n-both\n+751Both\n 752a751\n 753a752\n 754a753\n");
    free(got);
    free(d);
    free(a);
    free(b);
}

int main(void) {
    small();
    shortest();
    bound();
    return check_done();
}
