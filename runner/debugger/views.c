/* What the prompt prints: source, warps, lanes, variables, and memory with its last writers. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/debugger/shell.h"
#include "runner/grade/svg.h"
#include "words/debugger.h"

enum { AROUND = 5, MOST_ELEMENTS = 64, LANES = SIM_WARP_LANES, SOURCE_BYTES = 4 << 20 };

void shell_error(shell *s, const lib_message *m) {
    text_words(&s->o, TEXT_BAD, 0, s->lang, lib_message_words(m));
}

void shell_line(shell *s, text_style style, lib_words words) {
    text_put_words(&s->o, style, s->lang, words);
    text_put(&s->o, style, "\n");
}

/* ---- source ---- */

const char *view_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* nvcc saw the student's file in another folder. */
static char *source_text(const shell *s, const char *file) {
    const char *own = s->run.t->source;
    if (own && !strcmp(view_file(own), view_file(file)))
        return lib_read_file(own, SOURCE_BYTES, NULL, NULL);
    return lib_read_file(file, SOURCE_BYTES, NULL, NULL);
}

static shell_source *source_find(shell *s, const char *file) {
    for (size_t k = 0; k < s->source_count; k++)
        if (!strcmp(s->sources[k].name, file)) return &s->sources[k];
    if (s->source_count == sizeof s->sources / sizeof *s->sources) return NULL;
    shell_source *f = &s->sources[s->source_count++];
    *f = (shell_source){.text = source_text(s, file)};
    snprintf(f->name, sizeof f->name, "%s", file);
    size_t n = 1;
    for (const char *p = f->text; p && *p; p++) n += *p == '\n';
    f->lines = f->text ? malloc(n * sizeof *f->lines) : NULL;
    for (char *p = f->lines ? f->text : NULL; p && f->count < n;) {
        f->lines[f->count++] = p;
        p = strchr(p, '\n');
        if (p) *p++ = 0;
    }
    return f;
}

const char *view_line(shell *s, const char *file, unsigned line) {
    const shell_source *f = *file ? source_find(s, file) : NULL;
    if (!f || !f->lines || !line || line > f->count) return NULL;
    return f->lines[line - 1];
}

void view_source_line(shell *s, const char *file, unsigned line, bool here) {
    const char *text = view_line(s, file, line);
    char cut[512] = "";
    size_t n = 0;
    /* Tabs would misalign the columns. */
    for (const char *p = text ? text : ""; *p && n + 5 < sizeof cut; p++) {
        if (*p == '\t') n += (size_t)snprintf(cut + n, 5, "%*s", (int)(4 - n % 4), "");
        else cut[n++] = *p, cut[n] = 0;
    }
    cut[text_fit(cut, SHELL_WIDTH - 8)] = 0;
    text_put(&s->o, here ? TEXT_STRONG : TEXT_PLAIN, "%s%5u  %s\n", here ? ">" : " ", line, cut);
}

static void say_triple(char *to, size_t n, const unsigned v[3]) {
    snprintf(to, n, "(%u,%u,%u)", v[0], v[1], v[2]);
}

void view_place(shell *s) {
    sim_place p;
    char block[48], thread[48];
    if (!sim_debug_frame(s->d, s->level, &p)) return;
    say_triple(block, sizeof block, p.block);
    say_triple(thread, sizeof thread, p.thread);
    shell_line(s, TEXT_TITLE, w_debugger_place(p.function, block, thread, p.warp, p.lane));
    if (p.line) {
        text_put(&s->o, TEXT_DIM, "%s\n", view_file(p.file));
        view_source_line(s, p.file, p.line, true);
    } else {
        shell_line(s, TEXT_DIM, w_debugger_place_in_ptx(p.ptx_line));
    }
}

bool shell_list(shell *s, char *argument) {
    sim_place p;
    if (!sim_debug_frame(s->d, s->level, &p) || !p.line) {
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_NO_SOURCE));
        return false;
    }
    unsigned asked = (unsigned)strtoul(argument, NULL, 10);
    unsigned middle = asked ? asked : s->listed ? s->listed + AROUND + 1 : p.line;
    const shell_source *f = source_find(s, p.file);
    for (unsigned line = middle > AROUND ? middle - AROUND : 1;
         f && line <= middle + AROUND && line <= f->count; line++) {
        view_source_line(s, p.file, line, line == p.line);
        s->listed = line;
    }
    if (!f || !f->count) shell_line(s, TEXT_BAD, w_debugger_source_not_read(p.file));
    return false;
}

bool shell_where(shell *s, char *argument) {
    (void)argument;
    sim_place p;
    for (unsigned level = 0; level < 64 && sim_debug_frame(s->d, level, &p); level++)
        text_put(&s->o, level == s->level ? TEXT_STRONG : TEXT_PLAIN, "%s#%u  %s  %s:%u\n",
                 level == s->level ? ">" : " ", level, p.function, view_file(p.file), p.line);
    return false;
}

static bool move_frame(shell *s, int by) {
    if ((by < 0 && !s->level) || !sim_debug_select(s->d, (unsigned)((int)s->level + by))) {
        shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_NO_FRAME));
        return false;
    }
    s->level = (unsigned)((int)s->level + by);
    view_place(s);
    return false;
}
bool shell_up(shell *s, char *argument) {
    (void)argument;
    return move_frame(s, 1);
}
bool shell_down(shell *s, char *argument) {
    (void)argument;
    return move_frame(s, -1);
}

/* ---- warps and threads ---- */

static void say_warp(void *user, unsigned warp, sim_lanes_state_of state, const sim_place *p) {
    shell *s = user;
    static const lib_word_id states[] = {[SIM_LANES_RUNNING] = W_DEBUGGER_LANES_RUN,
                                         [SIM_LANES_READY] = W_DEBUGGER_LANES_READY,
                                         [SIM_LANES_SYNC] = W_DEBUGGER_LANES_WAIT_WARP,
                                         [SIM_LANES_BARRIER] = W_DEBUGGER_LANES_WAIT_BLOCK,
                                         [SIM_LANES_EXITED] = W_DEBUGGER_LANES_ENDED};
    char lanes[LANES + 1];
    for (unsigned l = 0; l < LANES; l++) lanes[l] = p->mask >> l & 1 ? '#' : '.';
    lanes[LANES] = 0;
    bool runs = state == SIM_LANES_RUNNING;
    text_put(&s->o, runs ? TEXT_STRONG : TEXT_PLAIN, "%s%4u  %s  ", runs ? ">" : " ", warp, lanes);
    text_cell(&s->o, TEXT_PLAIN, 13, "%s", lib_word(s->lang, states[state]));
    if (p->line) text_put(&s->o, TEXT_PLAIN, "%s:%u", p->function, p->line);
    text_put(&s->o, TEXT_PLAIN, "\n");
}

bool shell_warps(shell *s, char *argument) {
    (void)argument;
    shell_line(s, TEXT_DIM, lib_words_of(W_DEBUGGER_HEADS_WARPS));
    sim_debug_each_place(s->d, say_warp, s);
    return false;
}

bool view_read_triple(char **at, unsigned v[3]) {
    char *p = *at;
    v[0] = v[1] = v[2] = 0;
    while (*p == ' ' || *p == '(') p++;
    if (!isdigit((unsigned char)*p)) return false;
    for (unsigned k = 0; k < 3; k++) {
        v[k] = (unsigned)strtoul(p, &p, 10);
        if (*p != ',') break;
        p++;
    }
    while (*p == ' ' || *p == ')') p++;
    *at = p;
    return true;
}

bool shell_focus(shell *s, char *argument) {
    unsigned first[3], second[3];
    lib_message msg = {0};
    sim_place p;
    bool ok = sim_debug_frame(s->d, 0, &p);
    char *at = argument;
    if (!strncmp(argument, "lane ", 5)) {
        ok = ok &&
             sim_debug_focus_lane(s->d, p.warp, (unsigned)strtoul(argument + 5, NULL, 10), &msg);
    } else if (!*argument) {
        ok = true;
    } else if (!view_read_triple(&at, first)) {
        lib_message_set(&msg, w_debugger_focus_takes());
        ok = false;
    } else if (view_read_triple(&at, second)) {
        ok = sim_debug_focus(s->d, first, second, &msg);
    } else {
        ok = ok && sim_debug_focus(s->d, p.block, first, &msg);
    }
    if (lib_message_any(&msg)) shell_error(s, &msg);
    if (ok && sim_debug_select(s->d, 0)) s->level = 0;
    view_place(s);
    return false;
}

/* ---- expressions ---- */

bool shell_print(shell *s, char *argument) {
    sim_value v;
    lib_message msg = {0};
    char text[1024];
    if (!sim_debug_eval(s->d, -1, argument, &v, &msg)) {
        shell_error(s, &msg);
        return false;
    }
    sim_debug_value_text(s->d, -1, &v, text, sizeof text);
    text_line(&s->o, TEXT_PLAIN, 0, "%s = %s", argument, text);
    return false;
}

enum { LANE_CELL = 9 };

/* Writes a value as `print` does; a float has as many digits as fit in a row of eight. */
static void lane_text(const shell *s, int lane, const sim_value *v, char text[64]) {
    sim_debug_value_text(s->d, lane, v, text, 64);
    for (int digits = 7; v->kind == SIM_VALUE_FLOAT && strlen(text) >= LANE_CELL && digits;
         digits--)
        snprintf(text, 64, "%.*g", digits, v->v.f);
}

bool shell_lanes(shell *s, char *argument) {
    const char *expression = *argument ? argument : "threadIdx.x";
    char text[LANES][64];
    size_t widest = 0;
    for (int l = 0; l < LANES; l++) {
        sim_value v;
        lib_message msg = {0};
        bool ok = sim_debug_eval(s->d, l, expression, &v, &msg);
        if (!ok && !l) {
            shell_error(s, &msg);
            return false;
        }
        snprintf(text[l], sizeof text[l], "-");
        if (ok) lane_text(s, l, &v, text[l]);
        if (strlen(text[l]) > widest) widest = strlen(text[l]);
    }
    /* addresses and structures need more room */
    unsigned each = widest < LANE_CELL ? 8 : widest < 2 * LANE_CELL ? 4 : 2;
    text_put(&s->o, TEXT_STRONG, "%s\n", expression);
    for (unsigned l = 0; l < LANES; l++) {
        if (l % each == 0) text_put(&s->o, TEXT_DIM, "%4u ", l);
        text_cell(&s->o, TEXT_PLAIN, -(int)(8 * LANE_CELL / each), "%s", text[l]);
        if (l % each == each - 1) text_put(&s->o, TEXT_PLAIN, "\n");
    }
    return false;
}

static void say_variable(void *user, const char *name, const sim_value *v) {
    shell *s = user;
    char text[600], type[120] = "";
    if (v) {
        sim_debug_value_text(s->d, -1, v, text, sizeof text);
        sim_debug_type_text(s->d, v, type, sizeof type);
    } else {
        snprintf(text, sizeof text, "%s", lib_word(s->lang, W_DEBUGGER_NOT_SET_IN_BRACKETS));
    }
    text_line(&s->o, v ? TEXT_PLAIN : TEXT_DIM, 2, "%s%s%s = %s", type, *type ? " " : "", name,
              text);
}

bool shell_locals(shell *s, char *argument) {
    (void)argument;
    if (!sim_debug_has_variables(s->d)) {
        text_words(&s->o, TEXT_BAD, 0, s->lang, lib_words_of(W_DEBUGGER_NO_VARIABLES));
        return false;
    }
    sim_debug_each_variable(s->d, SIM_VARS_PARAMETERS, say_variable, s);
    sim_debug_each_variable(s->d, SIM_VARS_LOCALS, say_variable, s);
    return false;
}

/* ---- memory with its writers ---- */

/* Reads "NAME [FROM[..TO]]", or NAME[FROM]. */
static bool read_range(shell *s, char *argument, char *name, size_t n, int64_t *from, int64_t *to) {
    char *at = argument;
    while (*at && *at != ' ' && *at != '[') at++;
    snprintf(name, n, "%.*s", (int)(at - argument), argument);
    while (*at == ' ' || *at == '[') at++;
    *from = 0;
    *to = 15;
    if (isdigit((unsigned char)*at)) {
        *from = *to = strtoll(at, &at, 10);
        if (at[0] == '.' && at[1] == '.') *to = strtoll(at + 2, NULL, 10);
        else if (*at == '-' || *at == ' ') *to = strtoll(at + 1, NULL, 10);
    }
    if (*name && *from >= 0 && *to >= *from && *to - *from < 1 << 16) {
        if (*to - *from >= MOST_ELEMENTS) *to = *from + MOST_ELEMENTS - 1;
        return true;
    }
    shell_line(s, TEXT_BAD, lib_words_of(W_DEBUGGER_ARRAY_TAKES));
    return false;
}

static bool element(shell *s, const char *name, int64_t index, sim_value *v, lib_message *msg) {
    char text[300];
    snprintf(text, sizeof text, "%s[%" PRId64 "]", name, index);
    return sim_debug_eval(s->d, -1, text, v, msg);
}

/* Shows elements with their writers: the launch must first run again up to this place. */
static bool ask_writers(shell *s, char *argument, shell_view view) {
    shell_pending *p = &s->pending;
    sim_value v;
    lib_message msg = {0};
    if (!read_range(s, argument, p->name, sizeof p->name, &p->from, &p->to)) return false;
    if (!element(s, p->name, p->from, &v, &msg) || !v.address || !v.bytes) {
        if (!lib_message_any(&msg)) lib_message_set(&msg, w_debugger_no_array(p->name));
        shell_error(s, &msg);
        return false;
    }
    p->view = view;
    p->base = v.address;
    if (sim_debug_record(s->d, v.address, (size_t)(p->to - p->from + 1) * v.bytes)) return true;
    view_recorded(s); /* shows them without writers */
    return false;
}

static void split(const unsigned dim[3], uint64_t linear, unsigned to[3]) {
    to[0] = (unsigned)(linear % dim[0]);
    to[1] = (unsigned)(linear / dim[0] % dim[1]);
    to[2] = (unsigned)(linear / dim[0] / dim[1]);
}

/* Returns false if the writer is unknown. */
static bool say_element(shell *s, int64_t index) {
    const shell_pending *p = &s->pending;
    sim_value v;
    lib_message msg = {0};
    char text[64], block[48], thread[48];
    unsigned b[3], t[3];
    if (!element(s, p->name, index, &v, &msg)) {
        shell_error(s, &msg);
        return true;
    }
    sim_debug_value_text(s->d, -1, &v, text, sizeof text);
    text_put(&s->o, TEXT_DIM, "%10" PRId64 "  ", index);
    if (p->view == VIEW_SHARED)
        text_put(&s->o, TEXT_DIM, "%s %2u  ", lib_word(s->lang, W_DEBUGGER_BANK),
                 (unsigned)(v.address / 4 % 32));
    text_cell(&s->o, TEXT_PLAIN, -14, "%s", text);
    sim_writer w;
    if (sim_debug_writer(s->d, v.address, &w)) {
        split(s->stop.grid, w.block, b);
        split(s->stop.block, w.thread, t);
        say_triple(block, sizeof block, b);
        say_triple(thread, sizeof thread, t);
        text_put_words(&s->o, TEXT_PLAIN, s->lang, w_debugger_written_by(block, thread, w.line));
    } else if (w.known) {
        text_put(&s->o, TEXT_DIM, "  %s", lib_word(s->lang, W_DEBUGGER_NOT_WRITTEN));
    }
    text_put(&s->o, TEXT_PLAIN, "\n");
    return w.known;
}

void view_recorded(shell *s) {
    shell_pending *p = &s->pending;
    bool known = true;
    for (int64_t i = p->from; p->view != VIEW_NONE && i <= p->to; i++) known &= say_element(s, i);
    p->view = VIEW_NONE;
    if (known) return;
    text_line(&s->o, TEXT_DIM, 0, "%s",
              sim_debug_can_go_back(s->d) ? lib_word(s->lang, W_DEBUGGER_WRITER_TOO_MUCH)
                                          : lib_word(s->lang, W_DEBUGGER_WRITER_NOT_KEPT));
}

bool shell_array(shell *s, char *argument) {
    return ask_writers(s, argument, VIEW_ARRAY);
}

bool shell_shared(shell *s, char *argument) {
    const uint8_t *bytes;
    size_t n = sim_debug_shared(s->d, &bytes);
    if (*argument) return ask_writers(s, argument, VIEW_SHARED);
    shell_line(s, TEXT_PLAIN, w_debugger_shared_bytes(n));
    for (uint32_t at = 0, start; at < n;) {
        const char *name = sim_debug_shared_name(s->d, at, &start);
        uint32_t end = at + 1;
        while (end < n) {
            uint32_t other;
            sim_debug_shared_name(s->d, end, &other);
            if (other != start && (*name || *sim_debug_shared_name(s->d, end, &other))) break;
            end++;
        }
        if (*name)
            shell_line(s, TEXT_PLAIN, w_debugger_shared_variable(name, at, end - 1, at / 4 % 32));
        at = end;
    }
    return false;
}

/* ---- machine ---- */

static void say_register(void *user, const char *name, const char *type, const char *value) {
    shell *s = user;
    char both[64];
    snprintf(both, sizeof both, "%s %s", name, type);
    text_cell(&s->o, TEXT_DIM, 14, "%s", both);
    text_cell(&s->o, TEXT_PLAIN, 25, " %s", value);
    s->listed++;
    if (s->listed % 2 == 0) text_put(&s->o, TEXT_PLAIN, "\n");
}

bool shell_registers(shell *s, char *argument) {
    (void)argument;
    s->listed = 0;
    sim_debug_each_register(s->d, say_register, s);
    if (s->listed % 2) text_put(&s->o, TEXT_PLAIN, "\n");
    s->listed = 0;
    return false;
}

static void say_ptx(void *user, unsigned ptx_line, bool here, const char *text) {
    shell *s = user;
    char cut[256];
    snprintf(cut, sizeof cut, "%s", text);
    cut[text_fit(cut, SHELL_WIDTH - 9)] = 0;
    text_put(&s->o, here ? TEXT_STRONG : TEXT_PLAIN, "%s%6u  %s\n", here ? ">" : " ", ptx_line,
             cut);
}

bool shell_ptx(shell *s, char *argument) {
    unsigned n = (unsigned)strtoul(argument, NULL, 10);
    if (!n || n > 200) n = 6;
    sim_debug_ptx(s->d, n, n, say_ptx, s);
    return false;
}

/* ---- as a page ---- */

static void view_all(shell *s) {
    static shell_command *const views[] = {shell_list,  shell_where,  shell_locals,
                                           shell_warps, shell_shared, shell_ptx};
    char none[1] = "";
    view_place(s);
    for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
        text_put(&s->o, TEXT_PLAIN, "\n");
        views[k](s, none);
    }
}

/* Returns the output in colour, as on a terminal; malloc'ed. */
static char *view_captured(shell *s) {
    char *shown = NULL;
    size_t n = 0;
    unsigned listed = s->listed;
    text_out kept = s->o;
    FILE *to = open_memstream(&shown, &n);
    if (!to) abort();
    s->o = (text_out){.to = to, .width = SHELL_WIDTH, .columns = SHELL_WIDTH, .colour = true};
    s->listed = 0;
    view_all(s);
    fclose(to);
    s->o = kept;
    s->listed = listed;
    return shown;
}

bool shell_page(shell *s, char *argument) {
    const char *name = *argument ? argument : "debug.html";
    lib_message msg = {0};
    char *shown = view_captured(s), *page = svg_page(shown, s->stop.kernel, s->lang);
    if (lib_write_file(name, page, strlen(page), &msg))
        text_words(&s->o, TEXT_PLAIN, 0, s->lang, w_debugger_page_written(name));
    else shell_error(s, &msg);
    free(page);
    free(shown);
    return false;
}
