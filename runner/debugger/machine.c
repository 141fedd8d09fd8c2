/* The prompt of a block's machine code (sim_debug_machine()): steps, instructions with their
 * control fields, listings, registers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "runner/debugger/shell.h"
#include "words/debugger.h"

enum { LANES = SIM_WARP_LANES, PTX_ROWS = 12, AROUND = 8, NAME_BYTES = 16, MOST_STEPS = 1 << 20 };

/* ---- the place ---- */

static void say_part(shell *s, bool *any, lib_words words) {
    if (*any) text_put(&s->o, TEXT_DIM, "%s", lib_word(s->lang, W_DEBUGGER_MACHINE_COMMA));
    text_put_words(&s->o, TEXT_DIM, s->lang, words);
    *any = true;
}

static void say_control(shell *s, const sim_machine_insn *i) {
    char list[32] = "";
    size_t n = 0;
    bool any = false;
    for (unsigned k = 0; k < 6; k++)
        if (i->wait >> k & 1)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%u", n ? "\n" : "", k);
    text_put(&s->o, TEXT_DIM, "  ");
    if (n) say_part(s, &any, w_debugger_machine_wait(list));
    say_part(s, &any, w_debugger_machine_stall(i->stall));
    if (i->yield) say_part(s, &any, w_debugger_machine_yield());
    text_put(&s->o, TEXT_DIM, "\n");
    any = false;
    if (i->write_barrier < 0 && i->read_barrier < 0) return;
    text_put(&s->o, TEXT_DIM, "  ");
    if (i->write_barrier >= 0)
        say_part(s, &any, w_debugger_machine_write((unsigned)i->write_barrier));
    if (i->read_barrier >= 0) say_part(s, &any, w_debugger_machine_read((unsigned)i->read_barrier));
    text_put(&s->o, TEXT_DIM, "\n");
}

static void say_lanes(shell *s, const sim_machine_place *p) {
    char lanes[LANES + 1];
    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = p->on >> l & 1 ? '#' : p->mask >> l & 1 ? '-' : '.';
    lanes[LANES] = 0;
    text_put(&s->o, TEXT_PLAIN, "  %s  ", lanes);
    shell_line(s, TEXT_DIM,
               w_debugger_machine_lanes((unsigned)__builtin_popcount(p->on),
                                        (unsigned)__builtin_popcount(p->mask)));
}

static void say_place(shell *s) {
    sim_machine_place p;
    char block[48], thread[48];
    if (!sim_debug_machine_place(s->d, &p)) return;
    snprintf(block, sizeof block, "(%u,%u,%u)", p.block[0], p.block[1], p.block[2]);
    snprintf(thread, sizeof thread, "(%u,%u,%u)", p.thread[0], p.thread[1], p.thread[2]);
    shell_line(s, TEXT_TITLE, w_debugger_place(s->stop.kernel, block, thread, p.warp, p.lane));
    if (p.insn.line) {
        text_put(&s->o, TEXT_DIM, "%s\n", view_file(p.insn.file));
        view_source_line(s, p.insn.file, p.insn.line, true);
    }
    text_line(&s->o, TEXT_STRONG, 2, "0x%04x  %s", p.insn.address, p.insn.text);
    say_control(s, &p.insn);
    say_lanes(s, &p);
    shell_line(s, TEXT_DIM,
               w_debugger_machine_count((unsigned long long)p.step, (unsigned long long)p.steps));
}

/* What nvcc -G makes is not what runs in the end. */
static void say_of_g(shell *s) {
    if (!s->run.t->program && !s->run.t->optimised)
        text_words(&s->o, TEXT_DIM, 0, s->lang, lib_words_of(W_DEBUGGER_MACHINE_OF_G));
}

void machine_refused(shell *s, const lib_message *why) {
    text_words(&s->o, TEXT_BAD, 0, s->lang, w_debugger_machine_cannot(why));
    say_of_g(s);
}

void machine_begins(shell *s) {
    s->machine = true;
    *s->last = 0;
    text_words(&s->o, TEXT_DIM, 0, s->lang, lib_words_of(W_DEBUGGER_MACHINE_OPENING));
    say_of_g(s);
    say_place(s);
}

/* ---- moves ---- */

static void say_no_more(shell *s, bool back) {
    const lib_message *why = sim_debug_machine_end(s->d);
    shell_line(s, TEXT_WARN,
               lib_words_of(back ? W_DEBUGGER_MACHINE_IS_FIRST : W_DEBUGGER_MACHINE_IS_LAST));
    if (!back && why) text_words(&s->o, TEXT_BAD, 0, s->lang, lib_message_words(why));
}

/* Goes N times, and shows where that leads. */
static bool move(shell *s, sim_machine_go how, const char *times) {
    unsigned long n = *times ? strtoul(times, NULL, 10) : 1;
    bool back = how == SIM_MACHINE_BACK || how == SIM_MACHINE_BACK_LINE, ok = true;
    for (unsigned long k = 0; ok && k < n && k < MOST_STEPS; k++)
        ok = sim_debug_machine_go(s->d, how);
    if (!ok) say_no_more(s, back);
    say_place(s);
    return false;
}
bool machine_stepi(shell *s, char *argument) {
    return move(s, SIM_MACHINE_STEP, argument);
}
bool machine_nexti(shell *s, char *argument) {
    return move(s, SIM_MACHINE_NEXT, argument);
}
bool machine_step(shell *s, char *argument) {
    (void)argument;
    return move(s, SIM_MACHINE_LINE, "");
}
bool machine_back(shell *s, char *argument) {
    return move(s, SIM_MACHINE_BACK, argument);
}
bool machine_reverse_step(shell *s, char *argument) {
    (void)argument;
    return move(s, SIM_MACHINE_BACK_LINE, "");
}
bool machine_first(shell *s, char *argument) {
    (void)argument;
    return move(s, SIM_MACHINE_FIRST, "");
}
bool machine_last(shell *s, char *argument) {
    const lib_message *why = sim_debug_machine_end(s->d);
    (void)argument;
    move(s, SIM_MACHINE_LAST, "");
    if (why) text_words(&s->o, TEXT_BAD, 0, s->lang, lib_message_words(why));
    return false;
}

/* To a line, an address, or as far as possible. */
static bool move_to(shell *s, char *argument, bool back) {
    char *end;
    bool line = strncmp(argument, "0x", 2) != 0;
    unsigned at = (unsigned)strtoul(argument, &end, line ? 10 : 16);
    if (!*argument) return back ? machine_first(s, argument) : machine_last(s, argument);
    if (*end || end == argument) shell_line(s, TEXT_BAD, w_debugger_machine_continue_takes());
    else if (sim_debug_machine_to(s->d, back, line, at)) say_place(s);
    else shell_line(s, TEXT_WARN, w_debugger_machine_never_there(argument));
    return false;
}
bool machine_continue(shell *s, char *argument) {
    return move_to(s, argument, false);
}
bool machine_reverse_continue(shell *s, char *argument) {
    return move_to(s, argument, true);
}

bool machine_focus(shell *s, char *argument) {
    sim_machine_place p;
    lib_message msg = {0};
    unsigned t[3];
    char *at = argument;
    if (sim_debug_machine_place(s->d, &p)) {
        if (!strncmp(argument, "lane ", 5))
            sim_debug_focus_lane(s->d, p.warp, (unsigned)strtoul(argument + 5, NULL, 10), &msg);
        else if (view_read_triple(&at, t)) sim_debug_focus(s->d, p.block, t, &msg);
        else if (*argument) lib_message_set(&msg, w_debugger_machine_focus_takes());
    }
    if (lib_message_any(&msg)) shell_error(s, &msg);
    sim_debug_machine_follow(s->d);
    say_place(s);
    return false;
}

bool machine_source(shell *s, char *argument) {
    (void)argument;
    s->machine = false;
    *s->last = 0;
    sim_debug_machine_leave(s->d);
    return true;
}

/* ---- the listing ---- */

enum { LISTED_LINES = 64 };
typedef struct {
    shell *s;
    const char *file;
    unsigned line, ptx;
    unsigned seen[LISTED_LINES], seen_count; /* lines whose PTX was shown */
} machine_listing;

static void list_ptx(void *user, unsigned ptx_line, const char *text) {
    machine_listing *l = user;
    char cut[256];
    if (l->ptx++ >= PTX_ROWS) return;
    snprintf(cut, sizeof cut, "%s", text);
    cut[text_fit(cut, SHELL_WIDTH - 15)] = 0;
    text_put(&l->s->o, TEXT_DIM, "   ptx %6u  %s\n", ptx_line, cut);
}

/* The source line, and the PTX that came of it before the assembler. */
static void list_line(machine_listing *l, const sim_machine_insn *i) {
    bool shown = false;
    if (i->line == l->line && !strcmp(i->file, l->file)) return;
    l->file = i->file;
    l->line = i->line;
    if (!i->line) return;
    view_source_line(l->s, i->file, i->line, false);
    for (unsigned k = 0; k < l->seen_count; k++) shown |= l->seen[k] == i->line;
    if (shown) return;
    if (l->seen_count < LISTED_LINES) l->seen[l->seen_count++] = i->line;
    l->ptx = 0;
    sim_debug_line_ptx(l->s->d, i->file, i->line, list_ptx, l);
    if (l->ptx > PTX_ROWS)
        shell_line(l->s, TEXT_DIM, w_debugger_machine_more_ptx(l->ptx - PTX_ROWS));
}

/* B01----:R-:W2:-:S05: waits for 0 and 1; reads are told by none, its result by 2; stalls 5. */
static void control_text(char to[32], const sim_machine_insn *i) {
    char wait[7] = "------", read = '-', write = '-';
    for (unsigned k = 0; k < 6; k++)
        if (i->wait >> k & 1) wait[k] = (char)('0' + k);
    if (i->read_barrier >= 0) read = (char)('0' + i->read_barrier);
    if (i->write_barrier >= 0) write = (char)('0' + i->write_barrier);
    snprintf(to, 32, "B%s:R%c:W%c:%c:S%02u", wait, read, write, i->yield ? 'Y' : '-',
             i->stall & 15);
}

static void list_instruction(void *user, const sim_machine_insn *i, bool here) {
    machine_listing *l = user;
    char control[32], cut[SIM_MACHINE_TEXT];
    list_line(l, i);
    control_text(control, i);
    snprintf(cut, sizeof cut, "%s", i->text);
    cut[text_fit(cut, SHELL_WIDTH - 32)] = 0;
    text_put(&l->s->o, here ? TEXT_STRONG : TEXT_PLAIN, "%s 0x%04x  ", here ? ">" : " ",
             i->address);
    text_put(&l->s->o, TEXT_DIM, "%s  ", control);
    text_put(&l->s->o, here ? TEXT_STRONG : TEXT_PLAIN, "%s\n", cut);
}

bool machine_sass(shell *s, char *argument) {
    unsigned n = (unsigned)strtoul(argument, NULL, 10);
    machine_listing l = {.s = s, .file = ""};
    if (!n || n > 200) n = AROUND;
    sim_debug_machine_code(s->d, n, n, list_instruction, &l);
    return false;
}

/* ---- registers ---- */

typedef struct {
    shell *s;
    const char *name; /* asked for: a register, or the beginning of its name */
    unsigned lane, shown, left_out;
    char form;
    bool found;
} register_view;

/* "R" is R0, R1, ..; "R4" is only R4. */
static bool is_asked(const char *asked, const char *name) {
    size_t n = strcspn(asked, "0123456789");
    if (!*asked) return true;
    if (asked[n]) return !strcasecmp(asked, name);
    return !strncasecmp(asked, name, n) && isdigit((unsigned char)name[n]);
}

static void show_register(void *user, const char *name, const uint32_t *by_lane, uint32_t written) {
    register_view *v = user;
    uint32_t bits = by_lane[v->lane];
    float f;
    char text[64];
    if (!is_asked(v->name, name)) return;
    v->found = true;
    if (!(written >> v->lane & 1)) {
        v->left_out++;
        return;
    }
    memcpy(&f, &bits, sizeof f);
    if (strchr(name, 'P')) snprintf(text, sizeof text, "%s", bits ? "true" : "false");
    else snprintf(text, sizeof text, "0x%08x %d %.4g", bits, (int)bits, (double)f);
    text_cell(&v->s->o, TEXT_DIM, 6, "%s", name);
    text_cell(&v->s->o, TEXT_PLAIN, 33, "%s", text);
    if (++v->shown % 2 == 0) text_put(&v->s->o, TEXT_PLAIN, "\n");
}

bool machine_registers(shell *s, char *argument) {
    sim_machine_place p;
    if (!sim_debug_machine_place(s->d, &p)) return false;
    register_view v = {.s = s, .name = argument, .lane = p.lane};
    if (!sim_debug_machine_registers(s->d, show_register, &v)) return false;
    if (v.shown % 2) text_put(&s->o, TEXT_PLAIN, "\n");
    if (!v.found) shell_line(s, TEXT_BAD, w_debugger_machine_no_register(argument));
    else if (v.left_out) shell_line(s, TEXT_DIM, w_debugger_machine_not_written(v.left_out));
    return false;
}

static void show_lanes(void *user, const char *name, const uint32_t *by_lane, uint32_t written) {
    register_view *v = user;
    bool predicate = strchr(name, 'P') != NULL;
    if (strcasecmp(v->name, name) != 0) return;
    v->found = true;
    for (unsigned l = 0; l < LANES; l++) {
        char text[32] = "-";
        float f;
        memcpy(&f, &by_lane[l], sizeof f);
        if (!(written >> l & 1)) snprintf(text, sizeof text, "-");
        else if (predicate) snprintf(text, sizeof text, "%u", by_lane[l]);
        else if (v->form == 'd') snprintf(text, sizeof text, "%d", (int)by_lane[l]);
        else if (v->form == 'f') snprintf(text, sizeof text, "%.5g", (double)f);
        else snprintf(text, sizeof text, "0x%x", by_lane[l]);
        if (l % 4 == 0) text_put(&v->s->o, TEXT_DIM, "%4u ", l);
        text_cell(&v->s->o, TEXT_PLAIN, -18, "%s", text);
        if (l % 4 == 3) text_put(&v->s->o, TEXT_PLAIN, "\n");
    }
}

bool machine_lanes(shell *s, char *argument) {
    char name[NAME_BYTES];
    size_t n = strcspn(argument, " ");
    snprintf(name, sizeof name, "%.*s", (int)n, argument);
    const char *form = argument + n + strspn(argument + n, " ");
    register_view v = {.s = s, .name = name, .form = *form};
    bool ok = sim_debug_machine_registers(s->d, show_lanes, &v);
    if (ok && !v.found) shell_line(s, TEXT_BAD, w_debugger_machine_no_register(name));
    return false;
}
