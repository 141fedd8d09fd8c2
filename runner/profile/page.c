/* The page: what limits each kernel and what to try first, the timeline, and for each kernel
 * what-if, cycles, roofline, occupancy, memory paths and source lines; beside another run if there
 * is one.
 *
 * All texts of a program (names, source, paths) go through page_text(). The page contains both
 * languages; two radio buttons at its top and style sheets switch between them, without a
 * script. */
#include "runner/profile/page.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/profile/advice.h"
#include "runner/profile/page_parts.h"
#include "runner/profile/words.h"
#include "words/profile.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d0d7de;--card:#f6f8fa;--a:#0969da;--b:#"
    "1a7f37;"
    "--c:#9a6700;--hot:207,34,46}"
    "@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#"
    "3d444d;"
    "--card:#151b23;--a:#4493f8;--b:#3fb950;--c:#d29922;--hot:248,81,73}}"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--bg);"
    "color:var(--fg);font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.4rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px "
    "solid "
    "var(--line);overflow-wrap:anywhere}h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0}"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;padding:."
    "15rem .5rem;"
    "border-bottom:1px solid "
    "var(--line);vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}td{overflow-wrap:break-word}"
    ".dim{color:var(--dim)}.card{background:var(--card);border:1px solid "
    "var(--line);border-radius:6px;"
    "padding:.6rem .9rem;margin:.6rem 0}.scroll{overflow-x:auto}"
    ".bar{display:inline-block;height:.7em;background:var(--a);border-radius:2px;min-width:1px}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:0 "
    "2rem}.grid td:first-child{min-width:6rem}"
    "svg{max-width:100%;height:auto}svg text{fill:var(--fg);font:12px system-ui,sans-serif}"
    "@media(max-width:50rem){svg.time text{font-size:21px}}"
    ".src td{border:0;padding:0 .4rem;font:13px/1.45 ui-monospace,monospace;white-space:pre;"
    "overflow-wrap:normal}.slots{display:flex;flex-wrap:wrap;gap:2px}.slots "
    "i{width:.8rem;height:.8rem;"
    "border:1px solid var(--line)}.slots i.on{background:var(--b)}.slots i.off{background:none}"
    "#zh:checked~main .en,#en:checked~main .zh{display:none}.switch{position:absolute;opacity:0}"
    "label{cursor:pointer;padding:.1rem .5rem;border:1px solid var(--line);border-radius:4px}"
    "#en:checked~nav label[for=en],#zh:checked~nav "
    "label[for=zh]{background:var(--a);color:var(--bg)}"
    ".switch:focus-visible~nav{outline:2px solid var(--a)}"
    ".code td{white-space:normal}.code "
    "summary{color:var(--dim);cursor:pointer;padding-left:2rem;max-width:min(66rem,92vw)}"
    ".code table{width:auto;margin-left:3rem;max-width:min(60rem,84vw)}.code table "
    "td{white-space:pre-wrap;overflow-wrap:"
    "anywhere}.sass{color:var(--dim)}"
    "nav{text-align:right}pre{white-space:pre-wrap}";

/* ---- summary ---- */

static void put_copying(FILE *f, const profile_report *r) {
    profile_copying c;
    if (!profile_copying_of(r, &c)) return;
    fputs("<div class=card><p>", f);
    page_both(f, profile_copying_words(&c));
    fputs(" <span class=dim>", f);
    page_both(f, w_profile_lab(PROFILE_COPYING_LAB));
    fputs("</span></p></div>\n", f);
}

static void put_summary(FILE *f, const profile_report *r) {
    double all = 0;
    for (size_t i = 0; i < r->kernel_count; i++) all += r->kernels[i].time_us;
    page_heading(f, 2, w_profile_page_summary());
    put_copying(f, r);
    for (size_t i = 0; i < r->kernel_count && i < 5; i++) {
        const profile_kernel *k = &r->kernels[i];
        profile_advice a[PROFILE_ADVICE];
        size_t n = profile_advise(k, a);
        fputs("<div class=card><b>", f);
        page_text(f, k->kernel);
        fprintf(f, "</b> <span class=dim>%.0f%% &middot; ", all > 0 ? 100 * k->time_us / all : 0);
        page_us(f, k->time_us / (double)k->launches);
        fputs(" &middot; ", f);
        page_limiter(f, k->limiter);
        fputs("</span>", f);
        for (size_t x = 0; x < n && x < 2; x++) {
            fputs("<p>", f);
            page_both(f, lib_words_of(a[x].text));
            lib_message saved;
            lib_message_set(&saved, page_time(a[x].saves_us));
            fputs(" <span class=dim>", f);
            page_both(f, w_profile_page_gain(a[x].factor, &saved));
            fputs(" &middot; ", f);
            page_both(f, w_profile_lab(a[x].lab));
            fputs("</span></p>", f);
        }
        if (!n && k->asked_us > 0) {
            fputs("<p class=dim>", f);
            page_both(f, w_profile_page_no_cost());
            fputs("</p>", f);
        }
        fputs("</div>\n", f);
    }
}

/* ---- timeline ---- */

/* MARGIN, BEHIND: room before the tracks for their names, and after the tracks, in thousandths of
 * the width. The picture is as wide as the page. On a narrow page its letters are larger and still
 * fit. */
enum { TRACKS = 24, SHAPES = 2000, MARGIN = 170, BEHIND = 20 };

typedef struct {
    int kind; /* 0: a stream, 1: host to device, 2: device to host */
    unsigned device, stream;
} track;

static int track_of(track *tracks, size_t *n, const dev_record *l) {
    int engine = l->op == DEV_OP_H2D || l->op == DEV_OP_PAGES_IN    ? 1
                 : l->op == DEV_OP_D2H || l->op == DEV_OP_PAGES_OUT ? 2
                                                                    : 0;
    track t = {engine, l->device, l->stream};
    if (t.kind) t.stream = 0;
    for (size_t i = 0; i < *n; i++)
        if (tracks[i].kind == t.kind && tracks[i].device == t.device &&
            tracks[i].stream == t.stream)
            return (int)i;
    if (*n == TRACKS) return -1;
    tracks[*n] = t;
    return (int)(*n)++;
}

/* Writes what copies and gaps cost, below the timeline that shows them. */
static void put_whole(FILE *f, const profile_report *r) {
    dev_whole w;
    static const page_column columns[] = {{W_PROFILE_COLUMN_WHAT_IF, false},
                                          {W_PROFILE_COLUMN_THEN, true},
                                          {W_PROFILE_COLUMN_FACTOR, true},
                                          {W_PROFILE_COLUMN_SAVED, false}};
    bool any = false;
    if (!profile_whole(r, &w)) return;
    for (unsigned k = 0; k < DEV_IF_COUNT; k++) {
        if (w.us < 1.02 * w.then_us[k]) continue;
        if (!any) {
            fputs("<table>", f);
            page_columns(f, columns, sizeof columns / sizeof *columns);
        }
        any = true;
        fputs("<tr><td>", f);
        page_both(f, lib_words_of(dev_whole_title(k)));
        page_time_cell(f, w.then_us[k]);
        fprintf(f, "<td class=n>%.2fx", w.then_us[k] > 0 ? w.us / w.then_us[k] : 0);
        page_bar(f, 1 - w.then_us[k] / w.us);
        fputs("</tr>\n", f);
    }
    if (any) fputs("</table>\n", f);
}

static void put_moment(FILE *f, unsigned x, size_t y, const char *anchor, double us) {
    fprintf(f, "<text x=%u y=%zu text-anchor=%s>", x, y, anchor);
    page_both_drawn(f, w_profile_us(us));
    fputs("</text>", f);
}

static void put_timeline(FILE *f, const profile_report *r) {
    const dev_record *records = NULL;
    size_t n = profile_records(r, &records), count = 0, shapes = 0;
    track tracks[TRACKS];
    double from = 1e300, to = 0;
    for (size_t i = 0; i < n; i++) {
        const dev_record *l = &records[i];
        bool work = l->op <= DEV_OP_MEMSET && l->end_us > l->start_us;
        if (!work || track_of(tracks, &count, l) < 0) continue;
        if (l->start_us < from) from = l->start_us;
        if (l->end_us > to) to = l->end_us;
    }
    if (!count || to <= from) return;
    page_heading(f, 2, w_profile_title_timeline());
    double scale = (1000 - MARGIN - BEHIND) / (to - from);
    fprintf(f, "<svg class=time viewBox=\"0 0 1000 %zu\" width=1000 role=img>", 30 * count + 24);
    for (size_t i = 0; i < count; i++) {
        static const lib_word_id kinds[] = {W_PROFILE_TRACK_STREAM, W_PROFILE_TRACK_TO_DEVICE,
                                            W_PROFILE_TRACK_TO_HOST};
        fprintf(f, "<text x=0 y=%zu>", 30 * i + 20);
        page_both_drawn(f, lib_words_of(kinds[tracks[i].kind]));
        if (!tracks[i].kind) fprintf(f, " %u", tracks[i].stream);
        if (tracks[i].device) fprintf(f, " (%u)", tracks[i].device);
        fputs("</text>", f);
    }
    for (size_t i = 0; i < n && shapes < SHAPES; i++) {
        const dev_record *l = &records[i];
        if (l->op > DEV_OP_MEMSET || l->end_us <= l->start_us) continue;
        int t = track_of(tracks, &count, l);
        if (t < 0) continue;
        shapes++;
        double w = (l->end_us - l->start_us) * scale;
        fprintf(
            f,
            "<rect x=\"%.2f\" y=%d width=\"%.2f\" height=20 rx=2 style=\"fill:var(--%s)\"><title>",
            MARGIN + (l->start_us - from) * scale, 30 * t + 6, w < 0.5 ? 0.5 : w,
            l->op == DEV_OP_LAUNCH   ? "a"
            : l->op == DEV_OP_MEMSET ? "c"
                                     : "b");
        /* A tooltip can have only one language: the session's. */
        double us = l->end_us - l->start_us;
        page_words(f, r->lang,
                   l->op == DEV_OP_LAUNCH   ? w_profile_tip_launch(l->kernel, us)
                   : l->op == DEV_OP_MEMSET ? w_profile_tip_memset((long long)l->bytes, us)
                                            : w_profile_tip_copy((long long)l->bytes, us));
        fputs("</title></rect>", f);
    }
    put_moment(f, MARGIN, 30 * count + 18, "start", from);
    put_moment(f, 1000 - BEHIND, 30 * count + 18, "end", to);
    fputs("</svg>\n", f);
    if (n > SHAPES) {
        fputs("<p class=dim>", f);
        page_both(f, w_profile_page_first_2000());
        fputs("</p>", f);
    }
    put_whole(f, r);
}

/* ---- beside another run ---- */

typedef struct {
    double us, launches;
    const char *limiter;
} other;

static other find_other(json_t *launches, const char *kernel) {
    other x = {0};
    size_t i;
    json_t *o;
    json_array_foreach(launches, i, o) {
        const char *name = json_string_value(json_object_get(o, "kernel"));
        if (!name || strcmp(name, kernel)) continue;
        x.us += json_number_value(json_object_get(o, "time_us"));
        x.limiter = json_string_value(json_object_get(o, "limiter"));
        x.launches++;
    }
    return x;
}

static json_t *read_launches(const char *path, lib_message *msg) {
    size_t size = 0;
    char *text = lib_read_file(path, (size_t)64 << 20, &size, msg);
    if (!text) return NULL;
    json_t *all = json_array();
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *o = json_loads(line, 0, NULL);
        if (json_is_object(o)) json_array_append_new(all, o);
        else json_decref(o);
    }
    free(text);
    if (json_array_size(all)) return all;
    json_decref(all);
    lib_message_set(msg, w_profile_against_no_json(path));
    return NULL;
}

/* Reads the other run's counter, the mean of its launches. Returns false if none of them has it. */
static bool other_counter(json_t *launches, const char *kernel, const char *counter, double *v) {
    size_t i, n = 0;
    json_t *o;
    *v = 0;
    json_array_foreach(launches, i, o) {
        const char *name = json_string_value(json_object_get(o, "kernel"));
        const json_t *x = json_object_get(json_object_get(o, "counters"), counter);
        if (!strcmp(counter, "registers")) x = json_object_get(o, counter);
        if (!name || strcmp(name, kernel) != 0 || !json_is_number(x)) continue;
        *v += json_number_value(x);
        n++;
    }
    if (n) *v /= (double)n;
    return n > 0;
}

static double own_counter(const profile_kernel *k, const char *counter) {
    double v = 0;
    const sim_counter_info *info = NULL;
    for (size_t i = 0; i < sim_counter_count() && !info; i++)
        if (!strcmp(sim_counter_at(i)->name, counter)) info = sim_counter_at(i);
    if (!strcmp(counter, "registers")) return k->registers;
    if (!strcmp(counter, "achieved_occupancy_pct")) return k->achieved_pct / (double)k->launches;
    if (sim_counter_get(&k->counters, counter, &v) && info && !info->derived)
        v /= (double)k->launches;
    return v;
}

/* Writes the counters of both runs per launch, if at least one run has them. */
static void put_counters_beside(FILE *f, const profile_kernel *k, json_t *launches) {
    static const char *const names[] = {"warp_inst",
                                        "active_lanes_avg",
                                        "divergent_branches",
                                        "gld_sectors",
                                        "gst_sectors",
                                        "l2_sectors",
                                        "dram_read",
                                        "dram_write",
                                        "shared_ld_conflicts",
                                        "shared_st_conflicts",
                                        "local_st_sectors",
                                        "atom_global_serialised",
                                        "atom_shared_serialised",
                                        "barriers",
                                        "registers",
                                        "achieved_occupancy_pct"};
    static const page_column columns[] = {{W_PROFILE_COLUMN_LAUNCH, false},
                                          {W_PROFILE_COLUMN_THIS_RUN, true},
                                          {W_PROFILE_COLUMN_OTHER_RUN, true},
                                          {W_PROFILE_COLUMN_RATIO, true}};
    double theirs;
    if (k->counters.warp_inst == 0 || !other_counter(launches, k->kernel, "warp_inst", &theirs))
        return;
    fputs("<div class=scroll><table>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double ours = own_counter(k, names[i]);
        if (!other_counter(launches, k->kernel, names[i], &theirs)) continue;
        if (ours == 0 && theirs == 0) continue;
        fprintf(f, "<tr><td>%s", names[i]);
        page_count(f, ours);
        page_count(f, theirs);
        if (theirs > 0) fprintf(f, "<td class=n>%.2fx</tr>\n", ours / theirs);
        else fputs("<td class=n>-</tr>\n", f);
    }
    fputs("</table></div>\n", f);
}

static void put_against(FILE *f, const profile_report *r, json_t *launches) {
    page_heading(f, 2, w_profile_title_against());
    static const page_column columns[] = {{W_PROFILE_COLUMN_KERNEL, false},
                                          {W_PROFILE_COLUMN_THIS_RUN_US, true},
                                          {W_PROFILE_COLUMN_OTHER_RUN_US, true},
                                          {W_PROFILE_COLUMN_FASTER, true},
                                          {W_PROFILE_COLUMN_LIMITERS, false}};
    fputs("<div class=scroll><table>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->kernel_count; i++) {
        const profile_kernel *k = &r->kernels[i];
        other x = find_other(launches, k->kernel);
        fputs("<tr><td>", f);
        page_text(f, k->kernel);
        double us = k->time_us / (double)k->launches;
        page_time_cell(f, us);
        if (x.launches > 0) {
            page_time_cell(f, x.us / x.launches);
            fprintf(f, "<td class=n>%.2fx", us > 0 ? x.us / x.launches / us : 0);
        } else fputs("<td class=n>-<td class=n>-", f);
        fputs("<td>", f);
        page_limiter(f, k->limiter);
        page_both(f, lib_words_of(W_PROFILE_COMMA));
        page_limiter(f, x.limiter);
        fputs("</tr>\n", f);
    }
    fputs("</table></div>\n", f);
    for (size_t i = 0; i < r->kernel_count && i < 5; i++) {
        if (r->kernel_count > 1) {
            fputs("<h3>", f);
            page_text(f, r->kernels[i].kernel);
            fputs("</h3>", f);
        }
        put_counters_beside(f, &r->kernels[i], launches);
    }
}

/* ---- all ---- */

static void put_page(FILE *f, profile_report *r, json_t *launches) {
    fprintf(
        f,
        "<!doctype html><html lang=%s><head><meta charset=utf-8><meta name=viewport "
        "content=\"width=device-width,initial-scale=1\"><meta http-equiv="
        "\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">"
        "<title>Warplab profile</title><style>%s</style></head><body>"
        "<input class=switch type=radio name=lang id=en%s><input class=switch type=radio name=lang "
        "id=zh%s><nav><label for=en>%s</label> <label for=zh>%s</label></nav><main>\n",
        lib_lang_name(r->lang), style, r->lang == LIB_EN ? " checked" : "",
        r->lang == LIB_ZH ? " checked" : "", lib_word(LIB_EN, W_PROFILE_LANGUAGE),
        lib_word(LIB_ZH, W_PROFILE_LANGUAGE));
    fputs("<h1>Warplab profile: ", f);
    page_text(f, r->measured_on ? r->measured_on : r->device);
    fputs("</h1><p class=dim>", f);
    if (r->measured_on) page_both(f, w_profile_page_measured());
    else page_both(f, w_profile_page_modelled());
    fputs("</p>\n", f);
    put_summary(f, r);
    if (launches) put_against(f, r, launches);
    put_timeline(f, r);
    const sim_profile *p = r->session ? dev_session_profile(r->session, 0) : NULL;
    for (size_t i = 0; i < r->kernel_count && i < 64; i++) page_kernel(f, r, &r->kernels[i], p);
    fputs("</main></body></html>\n", f);
}

bool profile_write_page(profile_report *r, const char *path, lib_message *msg) {
    json_t *launches = r->against ? read_launches(r->against, msg) : NULL;
    if (r->against && !launches) return false;
    FILE *f = fopen(path, "we");
    if (!f) {
        json_decref(launches);
        lib_message_set(msg, w_profile_cannot_write(path, errno));
        return false;
    }
    put_page(f, r, launches);
    json_decref(launches);
    bool bad = ferror(f) != 0;
    if (fclose(f) || bad) {
        lib_message_set(msg, w_profile_cannot_write_all(path, errno));
        return false;
    }
    return true;
}
