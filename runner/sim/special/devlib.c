/* The functions that the CUDA runtime gives device code: vprintf, __assertfail, malloc, free,
 * cudaGraphSetConditional. Strings and arguments lie in device memory, so every read is bounded and
 * checked. A block's output is kept until the block is committed: output comes in block order. */
#include "runner/sim/machine/device.h"
#include "runner/sim/exec/lanes.h"
#include "runner/sim/special/devlib.h"
#include "runner/sim/machine/fault.h"
#include <stdio.h>
#include <stdlib.h>

enum { FORMAT_MAX = 4096, STRING_MAX = 4096, PIECE_MAX = 8192, PRINT_MAX = 4 << 20 };

/* n bytes at a generic address, as lane l sees it. */
static bool read_device(sim_warp *w, unsigned l, uint64_t a, void *to, uint32_t n) {
    if (a - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES)
        return sim_local_read(w->block->mem, w->index, l, (uint32_t)(a - SIM_LOCAL_WINDOW), to, n);
    if (a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) {
        uint64_t at = a - SIM_SHARED_WINDOW;
        if (at + n > w->block->run->shared_bytes) return false;
        memcpy(to, (uint8_t *)sim_block_shared(w->block->mem) + at, n);
        return true;
    }
    const void *p = sim_memory_host(w->block->run->device->memory, a, n);
    if (p) memcpy(to, p, n);
    return p != NULL;
}
/* A string of at most max - 1 bytes. False: it is not readable. */
static bool read_string(sim_warp *w, unsigned l, uint64_t a, char *to, size_t max) {
    for (size_t k = 0; k + 1 < max; k++) {
        if (!read_device(w, l, a + k, to + k, 1)) return false;
        if (!to[k]) return true;
    }
    to[max - 1] = 0;
    return true;
}

/* ---- printf ---- */

static void put(sim_block *b, const char *s, size_t n) {
    if (b->printed_full) return;
    if (b->print_len + n > b->print_cap) {
        size_t cap = b->print_cap ? b->print_cap * 2 : 1024;
        while (cap < b->print_len + n) cap *= 2;
        char *p = cap > PRINT_MAX ? NULL : realloc(b->print_text, cap);
        if (!p) {
            b->printed_full = true;
            return;
        }
        b->print_text = p;
        b->print_cap = cap;
    }
    if (n) memcpy(b->print_text + b->print_len, s, n);
    b->print_len += n;
}

typedef struct {
    sim_warp *w;
    unsigned lane;
    uint64_t args; /* where the next argument lies, not yet aligned */
    unsigned used;
} printf_args;

static bool next_arg(printf_args *p, void *to, uint32_t n) {
    p->args = (p->args + n - 1) / n * n;
    bool ok = p->used < 32 && read_device(p->w, p->lane, p->args, to, n);
    p->args += n;
    p->used++;
    return ok;
}

/* One conversion that starts at f ('%'); returns what follows it. */
static const char *conversion(printf_args *p, const char *f) {
    sim_block *b = p->w->block;
    char spec[64] = "%", text[PIECE_MAX];
    size_t n = 1;
    const char *start = f++;
    int longs = 0;
    bool ok = true;
    for (; *f && n < 40; f++) {
        if (strchr("-+ #0123456789.", *f)) {
            spec[n++] = *f;
        } else if (*f == '*') {
            int32_t v = 0;
            ok &= next_arg(p, &v, 4);
            if (v > 999) v = 999;
            if (v < -999) v = -999;
            n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", v);
        } else if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't') {
            longs += *f == 'l' ? 1 : 2;
        } else if (*f != 'h' && *f != 'L') {
            break;
        }
    }
    /* a width that a program may ask for, but nobody can read */
    unsigned digits = 0;
    for (size_t k = 1; k < n; k++) {
        digits = spec[k] >= '0' && spec[k] <= '9' ? digits + 1 : 0;
        if (digits > 3) ok = false;
    }
    char c = *f;
    int len = -1;
    if (!c || n >= 40) {
        put(b, start, (size_t)(f - start));
        return f;
    }
    f++;
    switch (c) {
    case '%': put(b, "%", 1); return f;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        int64_t v = 0;
        if (longs) {
            ok &= next_arg(p, &v, 8);
        } else {
            int32_t x = 0;
            ok &= next_arg(p, &x, 4);
            v = c == 'd' || c == 'i' ? x : (int64_t)(uint32_t)x;
        }
        snprintf(spec + n, sizeof spec - n, "ll%c", c);
        if (ok) len = snprintf(text, sizeof text, spec, (long long)v);
        break;
    }
    case 'c': {
        int32_t v = 0;
        ok &= next_arg(p, &v, 4);
        spec[n] = 'c';
        if (ok) len = snprintf(text, sizeof text, spec, v);
        break;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        double v = 0;
        ok &= next_arg(p, &v, 8);
        spec[n] = c;
        if (ok) len = snprintf(text, sizeof text, spec, v);
        break;
    }
    case 'p': {
        uint64_t v = 0;
        ok &= next_arg(p, &v, 8);
        spec[n] = 'p';
        if (ok)
            len = v ? snprintf(text, sizeof text, spec, (void *)(uintptr_t)v)
                    : snprintf(text, sizeof text, "(nil)");
        break;
    }
    case 's': {
        uint64_t v = 0;
        char s[STRING_MAX];
        ok &= next_arg(p, &v, 8);
        if (ok && !v) snprintf(s, sizeof s, "(null)");
        else if (ok && !read_string(p->w, p->lane, v, s, sizeof s))
            snprintf(s, sizeof s, "(bad string)");
        spec[n] = 's';
        if (ok) len = snprintf(text, sizeof text, spec, s);
        break;
    }
    case 'n': /* nothing is ever written through an argument */
    default: break;
    }
    if (len < 0) put(b, start, (size_t)(f - start));
    else put(b, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
    return f;
}

static void builtin_vprintf(sim_warp *w, const sim_insn *i) {
    uint64_t format[SIM_WARP_LANES], args[SIM_WARP_LANES];
    int32_t result[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, format, 8);
    sim_builtin_arg(w, i, 1, args, 8);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        char f[FORMAT_MAX];
        if (!read_string(w, l, format[l], f, sizeof f)) {
            result[l] = -1;
            continue;
        }
        printf_args p = {.w = w, .lane = l, .args = args[l]};
        for (const char *c = f; *c;) {
            size_t plain = strcspn(c, "%");
            put(w->block, c, plain);
            c += plain;
            if (*c) c = conversion(&p, c);
        }
        result[l] = (int32_t)p.used;
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
    char text[256], what[128] = "?", where[128] = "?", in[64] = "?";
    if (!read_string(w, l, message[l], what, sizeof what)) snprintf(what, sizeof what, "?");
    if (!read_string(w, l, file[l], where, sizeof where)) snprintf(where, sizeof where, "?");
    if (!read_string(w, l, function[l], in, sizeof in)) snprintf(in, sizeof in, "?");
    snprintf(text, sizeof text, "fails the assertion `%s` in %s (%s:%u)", what, in, where, line[l]);
    sim_fail_at(w, i->ptx, w->mask, SIM_ASSERT, SIM_FIND_ASSERT, text);
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
        char text[160];
        snprintf(text, sizeof text,
                 "calls free(0x%llx): malloc() in a kernel did not give this address, or it was "
                 "freed already",
                 (unsigned long long)a[l]);
        sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP, text);
        return;
    }
}

/* ---- graphs ---- */

/* The value is there at once, not when the block ends: blocks that order themselves by atomics and
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
        char text[200];
        snprintf(text, sizeof text,
                 "calls cudaGraphSetConditional(0x%llx, %u): no cudaGraphConditionalHandleCreate "
                 "of this "
                 "device gave that handle, or its graph is gone",
                 (unsigned long long)handle[l], value[l]);
        sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP, text);
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
    return NULL;
}
bool sim_builtin_ordered(const char *name) {
    return !strcmp(name, "malloc") || !strcmp(name, "free") ||
           !strcmp(name, "cudaGraphSetConditional");
}
