/* Does the compiled code use what the lab forbids? The source's text (forbidden.c) gives early and
 * clear messages, but names can be pasted together by macros and instructions written inline. What
 * was compiled cannot hide them:
 *
 *   PTX     names of kernels and functions with their namespaces; instructions; with -lineinfo the
 *           headers whose code was inlined
 *   ELF     the names that the dynamic linker looks up */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/demangle.h"
#include "runner/base/message.h"
#include "grader/grade.h"
#include "grader/lab/lab.h"

/* Instructions that a name of the source stands for. */
static const struct {
    const char *name, *opcode, *modifier;
} instructions[] = {{"atomic", "atom", NULL},
                    {"atomic", "red", NULL},
                    {"atomicAdd", "atom", ".add"},
                    {"atomicAdd", "red", ".add"},
                    {"atomicCAS", "atom", ".cas"},
                    {"atomicExch", "atom", ".exch"},
                    {"atomicMax", "atom", ".max"},
                    {"atomicMax", "red", ".max"},
                    {"atomicMin", "atom", ".min"},
                    {"atomicMin", "red", ".min"},
                    {"__shfl", "shfl", NULL},
                    {"__shfl_sync", "shfl", ".idx"},
                    {"__shfl_up_sync", "shfl", ".up"},
                    {"__shfl_down_sync", "shfl", ".down"},
                    {"__shfl_xor_sync", "shfl", ".bfly"},
                    {"__match", "match", NULL},
                    {"__reduce", "redux", NULL},
                    {"wmma", "mma", NULL},
                    {"wmma", "wgmma", NULL},
                    {"mma", "wmma", NULL},
                    {"mma", "wgmma", NULL}};

typedef enum { USES_NAME, USES_HEADER, USES_INSTRUCTION } use_kind;

static bool used(lib_message *msg, const char *entry, use_kind kind, const char *name, size_t n) {
    int cut = (int)(n < 100 ? n : 100);
    if (kind == USES_NAME)
        lib_message_set2(msg,
                         "this lab does not allow '%s', and the compiled code uses %.*s. Write the "
                         "kernel yourself.",
                         "本实验不允许使用 '%s'，而编译出的代码用到了 %.*s。请自己编写核函数。",
                         entry, cut, name);
    else if (kind == USES_HEADER)
        lib_message_set2(
            msg,
            "this lab does not allow '%s', and code of the header %.*s was compiled in. Write the "
            "kernel yourself.",
            "本实验不允许使用 '%s'，而编译出的代码中含有头文件 %.*s 的代码。请自己编写核函数。",
            entry, cut, name);
    else
        lib_message_set2(
            msg, "this lab does not allow '%s', and the compiled code has the instruction %.*s.",
            "本实验不允许使用 '%s'，而编译出的代码中有指令 %.*s。", entry, cut, name);
    return true;
}

static bool has_part(const char *opcode, size_t n, const char *part) {
    size_t len = strlen(part);
    for (size_t i = 0; i + len <= n; i++)
        if (!memcmp(opcode + i, part, len) && (i + len == n || opcode[i + len] == '.')) return true;
    return false;
}

static bool instruction_forbidden(const char *entry, const char *opcode, size_t n) {
    const char *dot = memchr(opcode, '.', n);
    size_t word = dot ? (size_t)(dot - opcode) : n;
    if (strlen(entry) == word && !memcmp(entry, opcode, word)) return true;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (!strcmp(instructions[i].name, entry) && strlen(instructions[i].opcode) == word &&
            !memcmp(instructions[i].opcode, opcode, word) &&
            (!instructions[i].modifier || has_part(opcode, n, instructions[i].modifier)))
            return true;
    return false;
}

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
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

/* A mangled name: any identifier in it. They stand there as "6thrust", whatever surrounds them; at a
 * wrong place a number and a name are read that say nothing. */
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
    /* A name that is not mangled. */
    for (size_t k = 0; k < lab->forbidden_count; k++)
        if (forbidden_name(lab->forbidden[k], name, n))
            return used(msg, lab->forbidden[k], USES_NAME, name, n);
    return false;
}

/* A header that code was inlined from; only what lies behind the toolkit's include folder counts. */
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

bool grade_forbidden_ptx(const grade_lab *lab, const char *s, size_t len, lib_message *msg) {
    bool start = true; /* of a statement */
    for (size_t i = 0; lab->forbidden_count && i < len;) {
        char c = s[i];
        if (c == '/' && i + 1 < len && s[i + 1] == '/') {
            while (i < len && s[i] != '\n') i++;
        } else if (c == '/' && i + 1 < len && s[i + 1] == '*') {
            for (i += 2; i + 1 < len && !(s[i] == '*' && s[i + 1] == '/');) i++;
            i = i + 1 < len ? i + 2 : len;
        } else if (c == '"') {
            size_t end = i + 1;
            while (end < len && s[end] != '"' && s[end] != '\n') end++;
            if (header_used(lab, s + i + 1, end - i - 1, msg)) return true;
            i = end + 1;
        } else if (c == '@') { /* a guard: the instruction comes behind it */
            i++;
            while (i < len && (s[i] == '!' || s[i] == '%' || word_char(s[i]))) i++;
            start = true;
        } else if (word_char(c)) {
            size_t n = 0;
            while (i + n < len && word_char(s[i + n])) n++;
            for (size_t k = 0; start && k < lab->forbidden_count; k++)
                if (instruction_forbidden(lab->forbidden[k], s + i, n))
                    return used(msg, lab->forbidden[k], USES_INSTRUCTION, s + i, n);
            if (n > 2 && s[i] == '_' && s[i + 1] == 'Z' && symbol_used(lab, s + i, n, msg))
                return true;
            start = false;
            i += n;
        } else {
            if (strchr(";{}:\n", c)) start = true;
            i++;
        }
    }
    return false;
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
