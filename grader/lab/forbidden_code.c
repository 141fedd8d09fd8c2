/* Does the compiled code use what the lab forbids? The source's text (forbidden.c) gives early and
 * clear messages, but names can be pasted together by macros and instructions written inline. What
 * was compiled cannot hide them:
 *
 *   PTX     names of kernels and functions with their namespaces; instructions; with -lineinfo the
 *           headers whose code was inlined
 *   ELF     the names that the dynamic linker looks up */
#include <ctype.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/demangle.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/lab.h"
#include "grader/lab/forbidden.h"

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

/* ---- the line of the submission ---- */

/* ".loc 1 12 5": what follows is of line 12 of file 1. ".loc 2 7 3, function_name ..., inlined_at 1
 * 12 5": of another file, inlined there. */
typedef struct {
    unsigned long file, line, at_file, at_line;
} place;

static place read_place(const char *s, const char *end) {
    place p = {0};
    char *next;
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    if (!stop) stop = end;
    p.file = strtoul(s, &next, 10);
    p.line = strtoul(next, NULL, 10);
    static const char word[] = "inlined_at ";
    for (const char *at = s; at + sizeof word < stop; at++) {
        if (memcmp(at, word, sizeof word - 1)) continue;
        p.at_file = strtoul(at + sizeof word - 1, &next, 10);
        p.at_line = strtoul(next, NULL, 10);
        break;
    }
    return p;
}

/* The next directive of this name from `s` on: what stands behind it. */
static const char *next_directive(const char *s, const char *end, const char *name) {
    size_t n = strlen(name);
    for (; s && s + n < end; s = memchr(s, '\n', (size_t)(end - s))) {
        while (s < end && isspace((unsigned char)*s)) s++;
        if (s + n < end && !memcmp(s, name, n)) return s + n;
    }
    return NULL;
}

/* "lab.cu" when this is the number of the submission's own file ("/src/lab.cu"), or "". */
static void own_file(const char *ptx, const char *end, unsigned long number, char *name, size_t n) {
    static const char folder[] = "\"/src/";
    *name = 0;
    for (const char *s = ptx; number && (s = next_directive(s, end, ".file"));) {
        char *at;
        if (strtoul(s, &at, 10) != number) continue;
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at + sizeof folder >= end || memcmp(at, folder, sizeof folder - 1)) return;
        at += sizeof folder - 1;
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (quote) snprintf(name, n, "%.*s", (int)(quote - at), at);
        return;
    }
}

/* Puts the line in front of the message, where the place is one of the submission's. */
static bool say_place(lib_message *msg, const char *ptx, const char *end, place p) {
    char name[256];
    unsigned long line = p.line;
    own_file(ptx, end, p.file, name, sizeof name);
    if (!*name) {
        own_file(ptx, end, p.at_file, name, sizeof name);
        line = p.at_line;
    }
    if (!*name || !line) return false;
    lib_message what = *msg;
    lib_say(msg->text, sizeof msg->text, "%s:%lu: %s", name, line, what.text);
    lib_say(msg->zh, sizeof msg->zh, "%s:%lu：%s", name, line, lib_message_in(&what, LIB_ZH));
    return true;
}

/* The first code of this file that was inlined into the submission. */
static void say_header_place(lib_message *msg, const char *ptx, const char *end,
                             unsigned long number) {
    for (const char *s = ptx; (s = next_directive(s, end, ".loc"));) {
        place p = read_place(s, end);
        if (p.file == number && say_place(msg, ptx, end, p)) return;
    }
}

/* ---- instructions and names ---- */

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

/* A walk over the text. */
typedef struct {
    const char *text, *end;
    bool start; /* of a statement */
    int depth;  /* of braces: 0 outside of functions */
    place at;   /* of the code that follows */
} code_walk;

static size_t past_comment(const code_walk *w, size_t i, size_t len) {
    const char *s = w->text;
    if (s[i + 1] == '/') {
        while (i < len && s[i] != '\n') i++;
        return i;
    }
    for (i += 2; i + 1 < len && !(s[i] == '*' && s[i + 1] == '/');) i++;
    return i + 1 < len ? i + 2 : len;
}

/* A word of n characters: an instruction, a directive or a name. */
static bool word_forbidden(const grade_lab *lab, code_walk *w, const char *word, size_t n,
                           lib_message *msg) {
    if (w->start && n == 4 && !memcmp(word, ".loc", 4)) w->at = read_place(word + n, w->end);
    for (size_t k = 0; w->start && k < lab->forbidden_count; k++)
        if (instruction_forbidden(lab->forbidden[k], word, n)) {
            used(msg, lab->forbidden[k], USES_INSTRUCTION, word, n);
            say_place(msg, w->text, w->end, w->at);
            return true;
        }
    if (n <= 2 || word[0] != '_' || word[1] != 'Z' || !symbol_used(lab, word, n, msg)) return false;
    const char *next = w->depth ? NULL : next_directive(word, w->end, ".loc");
    say_place(msg, w->text, w->end, next ? read_place(next, w->end) : w->at);
    return true;
}

static bool string_forbidden(const grade_lab *lab, const code_walk *w, size_t i, size_t end,
                             lib_message *msg) {
    if (!header_used(lab, w->text + i + 1, end - i - 1, msg)) return false;
    size_t digit = i; /* .file NUMBER "PATH" */
    while (digit && strchr(" \t0123456789", w->text[digit - 1])) digit--;
    say_header_place(msg, w->text, w->end, strtoul(w->text + digit, NULL, 10));
    return true;
}

bool grade_forbidden_ptx(const grade_lab *lab, const char *s, size_t len, lib_message *msg) {
    code_walk w = {.text = s, .end = s + len, .start = true};
    for (size_t i = 0; lab->forbidden_count && i < len;) {
        char c = s[i];
        if (c == '/' && i + 1 < len && (s[i + 1] == '/' || s[i + 1] == '*')) {
            i = past_comment(&w, i, len);
        } else if (c == '"') {
            size_t end = i + 1;
            while (end < len && s[end] != '"' && s[end] != '\n') end++;
            if (string_forbidden(lab, &w, i, end, msg)) return true;
            i = end + 1;
        } else if (c == '@') { /* a guard: the instruction comes behind it */
            i++;
            while (i < len && (s[i] == '!' || s[i] == '%' || word_char(s[i]))) i++;
            w.start = true;
        } else if (word_char(c)) {
            size_t n = 0;
            while (i + n < len && word_char(s[i + n])) n++;
            if (word_forbidden(lab, &w, s + i, n, msg)) return true;
            w.start = false;
            i += n;
        } else {
            w.depth += (c == '{') - (c == '}');
            if (strchr(";{}:\n", c)) w.start = true;
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
