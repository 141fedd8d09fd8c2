/* Checks whether compiled code uses what the lab forbids. The check of the source (forbidden.c)
 * gives early and clear messages. But macros can paste names together, and inline assembly can
 * contain instructions. Compiled code cannot hide them, because the device's own parser reads it:
 *
 *   PTX     names of kernels and functions with their namespaces; instructions; with -lineinfo the
 *           headers whose code was inlined
 *   ELF     the names that the dynamic linker looks up */
#include <ctype.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/demangle.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "runner/device/sim/sim.h"
#include "grader/lab.h"
#include "grader/lab/forbidden.h"
#include "words/lab.h"

/* The instructions that a name in the source stands for: the dotted words at their beginning, and
 * one word that they contain. */
#define ATOMIC(name, op)                                                                           \
    {name, "atom", op}, {name, "red", op}, {name, "cp.reduce", op}, {                              \
        name, "sured", op                                                                          \
    }
static const struct {
    const char *name, *opcode, *modifier;
} instructions[] = {ATOMIC("atomic", NULL),
                    ATOMIC("atomicAdd", ".add"),
                    ATOMIC("atomicSub", ".add"),
                    ATOMIC("atomicCAS", ".cas"),
                    ATOMIC("atomicExch", ".exch"),
                    ATOMIC("atomicMax", ".max"),
                    ATOMIC("atomicMin", ".min"),
                    ATOMIC("atomicInc", ".inc"),
                    ATOMIC("atomicDec", ".dec"),
                    ATOMIC("atomicAnd", ".and"),
                    ATOMIC("atomicOr", ".or"),
                    ATOMIC("atomicXor", ".xor"),
                    {"__shfl", "shfl", NULL},
                    {"__shfl_sync", "shfl", ".idx"},
                    {"__shfl_up_sync", "shfl", ".up"},
                    {"__shfl_down_sync", "shfl", ".down"},
                    {"__shfl_xor_sync", "shfl", ".bfly"},
                    {"__ballot_sync", "vote", ".ballot"},
                    {"__match", "match", NULL},
                    {"__reduce", "redux", NULL},
                    {"__syncthreads", "bar.sync", NULL},
                    {"__syncthreads", "bar.red", NULL},
                    {"__syncthreads", "bar.cta", NULL},
                    {"__syncthreads", "barrier.sync", NULL},
                    {"__syncthreads", "barrier.red", NULL},
                    {"__syncthreads", "barrier.cta", NULL},
                    {"__syncwarp", "bar.warp", NULL},
                    {"wmma", "mma", NULL},
                    {"wmma", "wgmma", NULL},
                    {"wmma", "tcgen05", NULL},
                    {"mma", "wmma", NULL},
                    {"mma", "wgmma", NULL},
                    {"mma", "tcgen05", NULL}};
#undef ATOMIC

typedef enum { USES_NAME, USES_HEADER, USES_INSTRUCTION } use_kind;

static bool used(lib_message *msg, const char *entry, use_kind kind, const char *name, size_t n) {
    char found[101];
    lib_say(found, sizeof found, "%.*s", (int)(n < 100 ? n : 100), name);
    lib_message_set(msg, kind == USES_NAME     ? w_lab_forbidden_in_code(entry, found)
                         : kind == USES_HEADER ? w_lab_forbidden_header(entry, found)
                                               : w_lab_forbidden_instruction(entry, found));
    return true;
}

/* Puts the line before the message if it is a line of the submission ("/src/lab.cu"). */
static void say_place(lib_message *msg, const char *file, unsigned line) {
    static const char folder[] = "/src/";
    if (strncmp(file, folder, sizeof folder - 1) || !line) return;
    lib_message why = *msg;
    lib_message_set(msg, w_lab_at_line(file + sizeof folder - 1, line, &why));
}

/* ---- instructions and names ---- */

static bool has_part(const char *opcode, size_t n, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= n; i++)
        if (!memcmp(opcode + i, part, len) && (i + len == n || opcode[i + len] == '.')) return true;
    return false;
}

/* Returns whether the opcode begins with these dotted words. */
static bool begins(const char *opcode, const char *words) {
    size_t n = strlen(words);
    return !strncmp(opcode, words, n) && (!opcode[n] || opcode[n] == '.');
}

static bool instruction_forbidden(const char *entry, const char *opcode) {
    if (begins(opcode, entry)) return true;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (!strcmp(instructions[i].name, entry) && begins(opcode, instructions[i].opcode) &&
            (!instructions[i].modifier ||
             has_part(opcode, strlen(opcode), instructions[i].modifier)))
            return true;
    return false;
}

static bool symbol_said(lib_message *msg, const char *entry, const char *name, size_t n) {
    char mangled[4096];
    snprintf(mangled, sizeof mangled, "%.*s", (int)(n < sizeof mangled ? n : sizeof mangled - 1),
             name);
    char *plain = lib_demangle(mangled);
    const char *text = plain ? plain : mangled;
    used(msg, entry, USES_NAME, text, strlen(text));
    free(plain);
    return true;
}

/* Looks for any identifier in a mangled name. Identifiers look like "6thrust". If this loop starts
 * to read in the middle of one, it finds only a number and a harmless name. */
static bool symbol_used(const grade_lab *lab, const char *name, size_t n, lib_message *msg) {
    for (size_t i = 0; i < n; i++) {
        size_t len = 0, at = i;
        if (name[at] < '1' || name[at] > '9') continue;
        while (at < n && isdigit((unsigned char)name[at]) && len < n)
            len = 10 * len + (size_t)(name[at++] - '0');
        if (len > n - at) continue;
        for (size_t k = 0; k < lab->forbidden_count; k++)
            if (forbidden_name(lab->forbidden[k], name + at, len))
                return symbol_said(msg, lab->forbidden[k], name, n);
    }
    /* The name is perhaps not mangled. */
    for (size_t k = 0; k < lab->forbidden_count; k++)
        if (forbidden_name(lab->forbidden[k], name, n))
            return used(msg, lab->forbidden[k], USES_NAME, name, n);
    return false;
}

/* Checks a header from which code was inlined. Only the path below the toolkit's include folder
 * counts. */
static bool header_used(const grade_lab *lab, const char *path, size_t n, lib_message *msg) {
    static const char folder[] = "/include/";
    size_t from = 0;
    for (size_t i = 0; i + sizeof folder - 1 <= n; i++)
        if (!memcmp(path + i, folder, sizeof folder - 1)) from = i + sizeof folder - 1;
    for (size_t k = 0; from && k < lab->forbidden_count; k++)
        if (forbidden_include(lab->forbidden[k], path + from, n - from))
            return used(msg, lab->forbidden[k], USES_HEADER, path + from, n - from);
    return false;
}

typedef struct {
    const grade_lab *lab;
    lib_message *msg;
    bool bad;
} look;

static bool look_at(void *user, sim_told what, const char *text, const char *file, unsigned line) {
    look *l = user;
    const grade_lab *lab = l->lab;
    size_t n = strlen(text);
    switch (what) {
    case SIM_TOLD_NAME:
        l->bad = n > 2 && !strncmp(text, "_Z", 2) && symbol_used(lab, text, n, l->msg);
        break;
    case SIM_TOLD_FILE: l->bad = header_used(lab, text, n, l->msg); break;
    default:
        for (size_t k = 0; k < lab->forbidden_count && !l->bad; k++)
            if (instruction_forbidden(lab->forbidden[k], text))
                l->bad = used(l->msg, lab->forbidden[k], USES_INSTRUCTION, text, n);
    }
    if (l->bad) say_place(l->msg, file, line);
    return l->bad;
}

/* If the parser cannot read the PTX, no simulated device can run it. A GPU runs nothing that the
 * simulated device has not run before (grading.c). */
bool grade_forbidden_ptx(const grade_lab *lab, const char *s, size_t len, lib_message *msg) {
    look l = {.lab = lab, .msg = msg};
    lib_message unread = {0};
    if (lab->forbidden_count) sim_ptx_tell(s, len, look_at, &l, &unread);
    return l.bad;
}

bool grade_forbidden_symbols(const grade_lab *lab, const char *names, size_t len,
                             lib_message *msg) {
    for (size_t i = 0; i < len;) {
        size_t n = strnlen(names + i, len - i);
        if (n && symbol_used(lab, names + i, n, msg)) return true;
        i += n + 1;
    }
    return false;
}

/* ---- whose code it is ---- */

size_t grade_fatbin_bytes(const void *from, size_t n) {
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size; /* of what is behind the header (sim/load/fatbin.c) */
    } head;
    if (n < sizeof head) return 0;
    memcpy(&head, from, sizeof head);
    return head.size < n - sizeof head ? sizeof head + head.size : n;
}

bool grade_own_code(const void *built, size_t built_bytes, const void *loaded, size_t bytes) {
    size_t own, one;
    for (size_t at = 0; at < bytes; at += one) {
        const char *x = (const char *)loaded + at;
        bool found = false;
        if (!(one = grade_fatbin_bytes(x, bytes - at))) return false;
        for (size_t i = 0; i < built_bytes && !found; i += (own + 7) & ~(size_t)7) {
            const char *y = (const char *)built + i;
            if (!(own = grade_fatbin_bytes(y, built_bytes - i))) break;
            found = own == one && !memcmp(x, y, one);
        }
        if (!found) return false;
    }
    return true;
}
