/* See hardware.h. */
#include "runner/profile/hardware.h"
#include <string.h>
#include "runner/base/say.h"
#include "runner/profile/page_parts.h"
#include "words/profile.h"

/* Finds the plain name: without "void ", template arguments and parameters. */
static const char *plain(const char *s, size_t *n) {
    if (!strncmp(s, "void ", 5)) s += 5;
    *n = strcspn(s, "<(");
    return s;
}

bool profile_same_kernel(const char *ncu, const char *ours) {
    size_t n, m;
    const char *a = plain(ncu, &n), *b = plain(ours, &m);
    return n && n == m && !memcmp(a, b, n);
}

static bool same_triple(const json_t *o, const char *name, const unsigned v[3]) {
    const json_t *t = json_object_get(o, name);
    for (size_t i = 0; i < 3; i++)
        if (json_integer_value(json_array_get(t, i)) != (json_int_t)v[i]) return false;
    return true;
}

static bool is_of(const json_t *o, const profile_kernel *k) {
    const char *name = json_string_value(json_object_get(o, "kernel"));
    return name && profile_same_kernel(name, k->kernel) && same_triple(o, "grid", k->grid) &&
           same_triple(o, "block", k->block);
}

/* Computes the mean of the launches that have the counter. Returns false if none has. */
static bool mean(const profile_report *r, const profile_kernel *k, const char *counter, double *v) {
    size_t i, n = 0;
    const json_t *o;
    *v = 0;
    json_array_foreach(r->hardware, i, o) {
        if (!is_of(o, k)) continue;
        const json_t *x = counter ? json_object_get(json_object_get(o, "counters"), counter)
                                  : json_object_get(o, "time_us");
        if (!json_is_number(x)) continue;
        *v += json_number_value(x);
        n++;
    }
    if (n) *v /= (double)n;
    return n > 0;
}

static bool seen(const profile_report *r, const profile_kernel *k) {
    size_t i;
    const json_t *o;
    json_array_foreach(r->hardware, i, o) if (is_of(o, k)) return true;
    return false;
}

size_t profile_hardware(const profile_report *r, const profile_kernel *k,
                        profile_both rows[PROFILE_BOTH]) {
    if (!r->hardware || !seen(r, k)) return 0;
    double launches = k->launches ? (double)k->launches : 1;
    bool counted = k->counters.warp_inst > 0;
    size_t n = 0;
    rows[n] = (profile_both){.name = "time_us",
                             .unit = "us",
                             .has_ours = k->launches > 0,
                             .ours = k->time_us / launches};
    rows[n].has_hardware = mean(r, k, NULL, &rows[n].hardware);
    n++;
    for (size_t i = 0; i < sim_counter_count() && n < PROFILE_BOTH; i++) {
        const sim_counter_info *info = sim_counter_at(i);
        if (info->derived || !strcmp(info->ncu, "-")) continue;
        profile_both b = {.name = info->name, .unit = info->unit, .has_ours = counted};
        if (counted && sim_counter_get(&k->counters, info->name, &b.ours)) b.ours /= launches;
        b.has_hardware = mean(r, k, info->name, &b.hardware);
        bool any = (b.has_ours && b.ours != 0) || (b.has_hardware && b.hardware != 0);
        if (any) rows[n++] = b;
    }
    return n;
}

static void figure(char to[32], bool has, double v) {
    if (!has) snprintf(to, 32, "-");
    else lib_figure(to, 6, v);
}

static void ratio(char to[32], const profile_both *b) {
    if (b->has_ours && b->has_hardware && b->ours > 0)
        snprintf(to, 32, "%.2fx", b->hardware / b->ours);
    else snprintf(to, 32, "-");
}

void profile_print_hardware(FILE *to, const profile_report *r, const profile_kernel *k) {
    profile_both rows[PROFILE_BOTH];
    size_t n = profile_hardware(r, k, rows);
    fprintf(to, "      %s\n",
            lib_word(r->lang, n ? W_PROFILE_HEADS_HARDWARE : W_PROFILE_NCU_NO_SUCH_SHAPE));
    for (size_t i = 0; i < n; i++) {
        char ours[32], hardware[32], part[32];
        figure(ours, rows[i].has_ours, rows[i].ours);
        figure(hardware, rows[i].has_hardware, rows[i].hardware);
        ratio(part, &rows[i]);
        fprintf(to, "        %-24s %13s %13s %12s\n", rows[i].name, ours, hardware, part);
    }
}

void profile_page_hardware(FILE *f, const profile_report *r, const profile_kernel *k) {
    profile_both rows[PROFILE_BOTH];
    size_t n = profile_hardware(r, k, rows);
    if (!n) return;
    fputs("<section>", f);
    page_heading(f, 3, w_profile_page_hardware());
    static const page_column columns[] = {{W_PROFILE_COLUMN_COUNTER, false},
                                          {W_PROFILE_COLUMN_UNIT, false},
                                          {W_PROFILE_COLUMN_OURS, true},
                                          {W_PROFILE_COLUMN_NCU, true},
                                          {W_PROFILE_COLUMN_NCU_OURS, true}};
    fputs("<table>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        char ours[32], hardware[32], part[32];
        figure(ours, rows[i].has_ours, rows[i].ours);
        figure(hardware, rows[i].has_hardware, rows[i].hardware);
        ratio(part, &rows[i]);
        fprintf(f, "<tr><td>%s<td>%s<td class=n>%s<td class=n>%s<td class=n>%s</tr>\n",
                rows[i].name, rows[i].unit, ours, hardware, part);
    }
    fputs("</table></section>\n", f);
}
