/* The functions that the CUDA runtime offers device code: vprintf, __assertfail, malloc, free,
 * cudaGraphSetConditional. device_runtime.c has those of the device runtime. Strings and arguments
 * are in device memory, so every read is limited and checked. A block's output is kept until the
 * block is committed, so output comes in block order. */
#include "runner/device/sim/machine/device.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/devlib.h"
#include "runner/device/sim/machine/fault.h"
#include "words/finding.h"
#include <stdio.h>
#include <stdlib.h>

enum { FORMAT_MAX = 4096, STRING_MAX = 4096, PIECE_MAX = 8192, PRINT_MAX = 4 << 20 };

bool sim_builtin_read(sim_warp *w, unsigned l, uint64_t a, void *to, uint32_t n) {
    if (a - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES)
        return sim_local_read(w->block->mem, w->index, l, (uint32_t)(a - SIM_LOCAL_WINDOW), to, n);
    if (a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) {
        const uint8_t *from = sim_shared_at(w->block->mem, (uint32_t)a, n);
        if (from) memcpy(to, from, n);
        return from != NULL;
    }
    const void *p = sim_memory_host(w->block->run->device->memory, a, n);
    if (p) memcpy(to, p, n);
    return p != NULL;
}
/* Reads a string of at most max - 1 bytes. Returns false if it is not readable. Reads whole units
 * of memory, and single bytes where a unit is not readable: there, a string may end before the
 * unit. */
static bool read_string(sim_warp *w, unsigned l, uint64_t a, char *to, size_t max) {
    enum { UNIT = 32 };
    size_t k = 0;
    while (k + UNIT < max) {
        uint32_t n = UNIT - (uint32_t)((a + k) % UNIT);
        if (!sim_builtin_read(w, l, a + k, to + k, n)) break;
        if (memchr(to + k, 0, n)) return true;
        k += n;
    }
    for (; k + 1 < max; k++) {
        if (!sim_builtin_read(w, l, a + k, to + k, 1)) return false;
        if (!to[k]) return true;
    }
    to[max - 1] = 0;
    return true;
}

/* ---- printf ---- */

/* Whether nobody will read what the block prints. Formatting it would cost far more than the
 * instructions that the limits count. */
static bool print_dropped(const sim_block *b) {
    return b->printed_full || !b->run->launch->print || atomic_load(&b->run->print_full);
}
static void print_put(sim_block *b, const char *s, size_t n) {
    if (print_dropped(b)) return;
    if (b->print_len + n > PRINT_MAX ||
        !lib_grow_to(&b->print_text, &b->print_cap, b->print_len + n, 1, 1024)) {
        b->printed_full = true;
        return;
    }
    if (n) memcpy(b->print_text + b->print_len, s, n);
    b->print_len += n;
}

typedef struct {
    sim_warp *w;
    unsigned lane;
    uint64_t args; /* place of the next argument, not yet aligned */
    unsigned used;
    bool counts; /* only counts its arguments */
} printf_args;

static bool next_arg(printf_args *p, void *to, uint32_t n) {
    p->args = (p->args + n - 1) / n * n;
    bool ok = p->used < 32 && (p->counts || sim_builtin_read(p->w, p->lane, p->args, to, n));
    p->args += n;
    p->used++;
    return ok;
}

/* "%-8.3", and the length of the argument, as far as it is known before the conversion's letter. */
typedef struct {
    char text[64];
    size_t n;
    int longs, shorts;
    bool ok;
} printf_spec;

/* Reads flags, width, precision and length from f on. Returns the place of the conversion's
 * letter. */
static const char *read_spec(printf_args *p, const char *f, printf_spec *s) {
    *s = (printf_spec){.text = "%", .n = 1, .ok = true};
    for (; *f && s->n < 40; f++) {
        if (strchr("-+ #0123456789.", *f)) {
            s->text[s->n++] = *f;
        } else if (*f == '*') {
            int32_t v = 0;
            s->ok &= next_arg(p, &v, 4);
            if (v > 999) v = 999;
            if (v < -999) v = -999;
            s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "%d", v);
        } else if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't') {
            s->longs += *f == 'l' ? 1 : 2;
        } else if (*f == 'h') {
            s->shorts++;
        } else if (*f != 'L') {
            break;
        }
    }
    /* a program may ask for a width that is longer than any screen */
    unsigned digits = 0;
    for (size_t k = 1; k < s->n; k++) {
        digits = s->text[k] >= '0' && s->text[k] <= '9' ? digits + 1 : 0;
        if (digits > 3) s->ok = false;
    }
    return f;
}

/* Writes the argument of the letter c as text. Returns its length as snprintf does; -1: no
 * argument. */
static int print_arg(printf_args *p, printf_spec *s, char c, char *text, size_t size) {
    char *spec = s->text, string[STRING_MAX];
    int64_t v = 0;
    int32_t x = 0;
    double d = 0;
    spec[s->n] = c;
    switch (c) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        s->ok &= s->longs ? next_arg(p, &v, 8) : next_arg(p, &x, 4);
        if (!s->longs) v = c == 'd' || c == 'i' ? x : (int64_t)(uint32_t)x;
        if (s->shorts == 1) v = c == 'd' || c == 'i' ? (int16_t)v : (uint16_t)v;
        snprintf(spec + s->n, sizeof s->text - s->n, "ll%c", c);
        return s->ok ? snprintf(text, size, spec, (long long)v) : -1;
    case 'c': s->ok &= next_arg(p, &x, 4); return s->ok ? snprintf(text, size, spec, x) : -1;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': s->ok &= next_arg(p, &d, 8); return s->ok ? snprintf(text, size, spec, d) : -1;
    case 'p':
        s->ok &= next_arg(p, &v, 8);
        if (!s->ok) return -1;
        return v ? snprintf(text, size, spec, (void *)(uintptr_t)v) : snprintf(text, size, "(nil)");
    case 's':
        s->ok &= next_arg(p, &v, 8);
        if (!s->ok) return -1;
        if (!v) snprintf(string, sizeof string, "(null)");
        else if (!read_string(p->w, p->lane, (uint64_t)v, string, sizeof string))
            snprintf(string, sizeof string, "(bad string)");
        return snprintf(text, size, spec, string);
    default: return -1; /* also 'n': nothing is ever written through an argument */
    }
}

/* Handles one conversion, which starts at f ('%'). Returns the place after it. */
static const char *conversion(printf_args *p, const char *f) {
    sim_block *b = p->w->block;
    printf_spec spec;
    char text[PIECE_MAX];
    const char *letter = read_spec(p, f + 1, &spec);
    if (!*letter || spec.n >= 40) {
        print_put(b, f, (size_t)(letter - f));
        return letter;
    }
    if (*letter == '%') {
        print_put(b, "%", 1);
        return letter + 1;
    }
    if (p->counts) {
        p->used += strchr("diuxXocfFeEgGaAps", *letter) != NULL;
        return letter + 1;
    }
    int len = print_arg(p, &spec, *letter, text, sizeof text);
    if (len < 0) print_put(b, f, (size_t)(letter + 1 - f));
    else print_put(b, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
    return letter + 1;
}

/* One lane's call. Returns the number of its arguments; -1: its format is not readable. */
static int32_t print_lane(sim_warp *w, unsigned l, uint64_t format, uint64_t args) {
    char f[FORMAT_MAX];
    if (!read_string(w, l, format, f, sizeof f)) return -1;
    printf_args p = {.w = w, .lane = l, .args = args, .counts = print_dropped(w->block)};
    for (const char *c = f; *c;) {
        size_t plain = strcspn(c, "%");
        print_put(w->block, c, plain);
        c += plain;
        if (*c) c = conversion(&p, c);
    }
    return (int32_t)p.used;
}

static void builtin_vprintf(sim_warp *w, const sim_insn *i) {
    uint64_t format[SIM_WARP_LANES], args[SIM_WARP_LANES];
    int32_t result[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, format, 8);
    sim_builtin_arg(w, i, 1, args, 8);
    bool shared = false; /* the format before is in memory that all lanes share */
    unsigned before = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (shared && format[l] == format[before] && print_dropped(w->block)) {
            result[l] = result[before];
            continue;
        }
        result[l] = print_lane(w, l, format[l], args[l]);
        shared = format[l] - SIM_LOCAL_WINDOW >= SIM_WINDOW_BYTES;
        before = l;
    }
    sim_builtin_result(w, i, result, 4);
}

/* ---- assert ---- */

static void builtin_assertfail(sim_warp *w, const sim_insn *i) {
    uint64_t message[SIM_WARP_LANES], file[SIM_WARP_LANES], function[SIM_WARP_LANES];
    uint32_t line[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, message, 8);
    sim_builtin_arg(w, i, 1, file, 8);
    sim_builtin_arg(w, i, 2, line, 4);
    sim_builtin_arg(w, i, 3, function, 8);
    unsigned l = (unsigned)__builtin_ctz(w->mask);
    char what[128] = "?", where[128] = "?", in[64] = "?";
    if (!read_string(w, l, message[l], what, sizeof what)) snprintf(what, sizeof what, "?");
    if (!read_string(w, l, file[l], where, sizeof where)) snprintf(where, sizeof where, "?");
    if (!read_string(w, l, function[l], in, sizeof in)) snprintf(in, sizeof in, "?");
    const char *slash = strrchr(where, '/'); /* the folder is the compiler's own */
    sim_fail_at(w, i->ptx, w->mask, SIM_ASSERT, SIM_FIND_ASSERT,
                w_finding_assertion(what, in, slash ? slash + 1 : where, line[l]));
}

/* ---- malloc ---- */

static void builtin_malloc(sim_warp *w, const sim_insn *i) {
    uint64_t n[SIM_WARP_LANES], a[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, n, 8);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        sim_addr at = 0;
        if (n[l] && sim_memory_device_alloc(w->block->run->device->memory, n[l], &at) == SIM_OK)
            a[l] = at;
    }
    sim_builtin_result(w, i, a, 8);
}
static void builtin_free(sim_warp *w, const sim_insn *i) {
    uint64_t a[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, a, 8);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (!a[l] || sim_memory_device_free(w->block->run->device->memory, a[l]) == SIM_OK)
            continue;
        sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP, w_finding_free((long long)a[l]));
        return;
    }
}

/* ---- graphs ---- */

/* The value counts at once, not when the block ends: blocks that order themselves by atomics and
 * fences set it in that order. */
static void builtin_condition(sim_warp *w, const sim_insn *i) {
    const sim_launch *at = w->block->run->launch;
    uint64_t handle[SIM_WARP_LANES];
    uint32_t value[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, handle, 8);
    sim_builtin_arg(w, i, 1, value, 4);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (at->condition && at->condition(at->condition_user, handle[l], value[l])) continue;
        sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP,
                    w_finding_condition((long long)handle[l], value[l]));
        return;
    }
}

sim_builtin_fn *sim_builtin(const char *name) {
    static const struct {
        const char *name;
        sim_builtin_fn *fn;
    } table[] = {{"vprintf", builtin_vprintf},
                 {"__assertfail", builtin_assertfail},
                 {"malloc", builtin_malloc},
                 {"free", builtin_free},
                 {"cudaGraphSetConditional", builtin_condition}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(table[k].name, name)) return table[k].fn;
    return sim_device_runtime(name);
}
bool sim_builtin_allocates(const char *name) {
    return !strcmp(name, "malloc") || !strcmp(name, "cudaMalloc") ||
           !strcmp(name, "__cudaCDP2Malloc");
}
bool sim_builtin_ordered(const char *name) {
    return sim_builtin_launches(name) || !strcmp(name, "malloc") || !strcmp(name, "free") ||
           !strcmp(name, "cudaGraphSetConditional");
}
