/* A line diff: the longest common subsequence of the lines between the common beginning and end,
 * with three lines of context. Files of lessons are short, so quadratic work is acceptable up to a
 * bound. Beyond the bound, the middle is shown as replaced. */
#include "runner/term/diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

enum { CONTEXT = 3, MOST = 1500 };

typedef struct {
    const char *s;
    size_t n;
} diff_text;

static diff_text *diff_split(const char *text, size_t *count) {
    size_t n = 1;
    for (const char *p = text; *p; p++) n += *p == '\n';
    diff_text *v = lib_malloc(n * sizeof *v);
    *count = 0;
    for (const char *p = text; *p;) {
        size_t len = strcspn(p, "\n");
        v[(*count)++] = (diff_text){p, len};
        p += len + (p[len] == '\n');
    }
    return v;
}

static bool diff_same(const diff_text *a, const diff_text *b) {
    return a->n == b->n && !memcmp(a->s, b->s, a->n);
}

typedef struct {
    diff_line *v;
    size_t n;
} diff_list;

/* at: the line's number in the new text, 0 for a removed line. */
static void diff_add(diff_list *l, char mark, const diff_text *t, size_t at) {
    l->v[l->n++] = (diff_line){mark, t->s, t->n, (int)at};
}

/* Lists all lines of both texts, marked. */
static void diff_walk(const diff_text *a, size_t n, const diff_text *b, size_t m, diff_list *out) {
    size_t head = 0, tail = 0;
    while (head < n && head < m && diff_same(&a[head], &b[head])) head++;
    while (tail < n - head && tail < m - head && diff_same(&a[n - 1 - tail], &b[m - 1 - tail]))
        tail++;
    size_t p = n - head - tail, q = m - head - tail;
    for (size_t i = 0; i < head; i++) diff_add(out, ' ', &b[i], i + 1);
    if (p > MOST || q > MOST) {
        for (size_t i = 0; i < p; i++) diff_add(out, '-', &a[head + i], 0);
        for (size_t i = 0; i < q; i++) diff_add(out, '+', &b[head + i], head + i + 1);
    } else {
        /* lcs[i][j]: for the lines from i of a and from j of b */
        uint16_t *lcs = calloc((p + 1) * (q + 1), sizeof *lcs);
        if (!lcs) abort();
        for (size_t i = p; i-- > 0;)
            for (size_t j = q; j-- > 0;) {
                uint16_t down = lcs[(i + 1) * (q + 1) + j], right = lcs[i * (q + 1) + j + 1];
                lcs[i * (q + 1) + j] = diff_same(&a[head + i], &b[head + j])
                                           ? (uint16_t)(lcs[(i + 1) * (q + 1) + j + 1] + 1)
                                       : down > right ? down
                                                      : right;
            }
        size_t i = 0, j = 0;
        while (i < p || j < q) {
            if (i < p && j < q && diff_same(&a[head + i], &b[head + j]))
                diff_add(out, ' ', &b[head + j], head + j + 1), i++, j++;
            else if (j >= q || (i < p && lcs[(i + 1) * (q + 1) + j] >= lcs[i * (q + 1) + j + 1]))
                diff_add(out, '-', &a[head + i], 0), i++;
            else diff_add(out, '+', &b[head + j], head + j + 1), j++;
        }
        free(lcs);
    }
    for (size_t i = 0; i < tail; i++) diff_add(out, ' ', &b[m - tail + i], m - tail + i + 1);
}

size_t diff_lines(const char *old, const char *new, diff_line **out) {
    size_t n, m;
    diff_text *a = diff_split(old, &n), *b = diff_split(new, &m);
    diff_list all = {lib_malloc((n + m + 1) * sizeof *all.v), 0};
    diff_walk(a, n, b, m, &all);
    free(a);
    free(b);
    /* Keep lines near a change; '@' marks a gap. */
    diff_list kept = {lib_malloc((all.n * 2 + 1) * sizeof *kept.v), 0};
    bool gap = false;
    for (size_t i = 0; i < all.n; i++) {
        bool near = false;
        for (size_t k = i > CONTEXT ? i - CONTEXT : 0; k <= i + CONTEXT && k < all.n; k++)
            near |= all.v[k].mark != ' ';
        if (near) {
            if (gap) kept.v[kept.n++] = (diff_line){.mark = '@'};
            kept.v[kept.n++] = all.v[i];
            gap = false;
        } else {
            gap = kept.n > 0;
        }
    }
    free(all.v);
    *out = kept.v;
    return kept.n;
}
