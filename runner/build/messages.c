/* The compiler's messages as a student should see them.
 *
 *   nvcc's text --line by line--> the student's own path
 *                                 __global__ as written, and the caret in the right column again
 *                                 Chinese letters and punctuation as written, not as \U0000ff1b
 *                                 no tool names, no counts of errors
 *                                 a linker's "undefined reference" says what the file lacks */
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/build/build.h"
#include "runner/build/wide.h"

static void message_replace(lib_buffer *out, const char *line, size_t n, const char *from,
                            const char *to) {
    size_t length = strlen(from);
    for (const char *s = line, *end = line + n; s < end;) {
        const char *hit = length ? memmem(s, (size_t)(end - s), from, length) : NULL;
        if (!hit) {
            lib_buffer_add(out, s, (size_t)(end - s));
            break;
        }
        lib_buffer_add(out, s, (size_t)(hit - s));
        lib_buffer_puts(out, to);
        s = hit + length;
    }
}

/* The preprocessor's replacements of CUDA's own words. */
static const char *const words[][2] = {
    {"__attribute__((global))", "__global__"},     {"__attribute__((device))", "__device__"},
    {"__attribute__((host))", "__host__"},         {"__attribute__((shared))", "__shared__"},
    {"__attribute__((constant))", "__constant__"}, {"__attribute__((managed))", "__managed__"},
};

static bool starts(const char *line, size_t n, const char *with) {
    size_t m = strlen(with);
    return n >= m && !memcmp(line, with, m);
}

static bool contains(const char *line, size_t n, const char *part) {
    return memmem(line, n, part, strlen(part)) != NULL;
}

/* Lines without meaning for a student. */
static bool noise(const char *line, size_t n) {
    static const char *const parts[] = {
        " detected in the compilation of ",
        "collect2: error: ld returned",
        "nvcc warning : incompatible redefinition",
        ": in function `",
        "Support for offline compilation for architectures prior to",
        "Remark: The warnings can be suppressed with"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (contains(line, n, parts[i])) return true;
    }
    return starts(line, n, "ptxas info");
}

/* A note about a function of a header or about an operator of the language, which the error above
 * it has already told: the note, the source line and the caret are left out. */
static bool aside(const char *line, size_t n, const char *inside) {
    return contains(line, n, ": note #") &&
           (contains(line, n, "built-in operator") || !starts(line, n, inside));
}

/* A line with only a caret. */
static bool is_caret(const char *line, size_t n, size_t *column) {
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t')) i++;
    *column = i;
    return i + 1 == n && line[i] == '^';
}

/* Returns how far left the caret moves when the words before it become shorter. */
static size_t shift(const char *line, size_t n, size_t column) {
    size_t left = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t from = strlen(words[w][0]), to = strlen(words[w][1]);
        for (const char *s = line; (s = memmem(s, n - (size_t)(s - line), words[w][0], from));
             s += from) {
            if ((size_t)(s - line) < column) left += from - to;
        }
    }
    return left < column ? left : column;
}

static void unexpand(lib_buffer *out, const char *line, size_t n) {
    lib_buffer a = {0}, b = {0};
    lib_buffer_add(&a, line, n);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        b.n = 0;
        lib_buffer_puts(&b, "");
        message_replace(&b, a.s, a.n, words[w][0], words[w][1]);
        lib_buffer t = a;
        a = b;
        b = t;
    }
    lib_buffer_add(out, a.s, wide_unescape(a.s, a.n));
    lib_buffer_free(&a);
    lib_buffer_free(&b);
}

/* "... undefined reference to `NAME'": finds the name between the quotes. Returns false if there is
 * none. */
static bool quoted(const char *line, size_t n, const char *before, char *name, size_t size) {
    const char *s = memmem(line, n, before, strlen(before));
    if (!s) return false;
    s += strlen(before);
    size_t length = 0;
    while (s + length < line + n && s[length] != '\'') length++;
    if (length >= size) length = size - 1;
    memcpy(name, s, length);
    name[length] = 0;
    return true;
}

static bool link_error(lib_buffer *out, const char *line, size_t n, const char *shown_as,
                       const build_entry *entry) {
    char name[256];
    if (quoted(line, n, "undefined reference to `", name, sizeof name)) {
        size_t bare = strcspn(name, "(");
        if (entry && !strncmp(name, entry->name, bare) && !entry->name[bare]) {
            char *text = build_entry_text(entry);
            lib_buffer_printf(
                out,
                "%s: error: expected the function\n    %s\nfound no such function in this file. "
                "Keep its name and its parameters' "
                "types as the skeleton has them\n",
                shown_as, text);
            free(text);
        } else if (entry && (!strcmp(name, "main") || !strcmp(name, "__real_main"))) {
            lib_buffer_printf(out,
                              "%s: error: expected a main(), found none. This lab's program is "
                              "yours from main() on\n",
                              shown_as);
        } else if (!strcmp(name, "main")) {
            lib_buffer_printf(
                out,
                "%s: error: expected a main(), found none. A lab's file is graded with `warplab "
                "grade LAB FILE.cu`; profile runs "
                "whole programs\n",
                shown_as);
        } else if (!strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6)) {
            lib_buffer_printf(out, "%s: error: %s is not supported by Warplab's CUDA runtime\n",
                              shown_as, name);
        } else {
            lib_buffer_printf(out, "%s: error: %s is declared but defined nowhere\n", shown_as,
                              name);
        }
        return true;
    }
    if (quoted(line, n, "multiple definition of `", name, sizeof name)) {
        if (entry && !strcmp(name, "main"))
            lib_buffer_printf(
                out,
                "%s: error: found a main() in this file; Warplab has one that calls %s(), so take "
                "yours out\n",
                shown_as, entry->name);
        else lib_buffer_printf(out, "%s: error: %s is defined twice\n", shown_as, name);
        return true;
    }
    return false;
}

char *build_messages(const char *raw, const char *inside, const char *shown_as,
                     const build_entry *entry) {
    lib_buffer out = {0}, seen = {0};
    lib_buffer_puts(&out, "");
    const char *previous = NULL;
    size_t previous_n = 0;
    bool left_out = false;
    for (const char *line = raw; *line;) {
        size_t n = strcspn(line, "\n"), column;
        const char *after = line + n + (line[n] == '\n');
        size_t mark = out.n;
        left_out = aside(line, n, inside) || (left_out && n && strchr(" \t", *line));
        if (left_out) {
            line = after;
            continue;
        }
        if (link_error(&out, line, n, *shown_as ? shown_as : "link", entry)) {
            /* The linker reports each place; one report for each name is enough. */
            lib_buffer text = {0};
            lib_buffer_add(&text, out.s + mark, out.n - mark);
            if (seen.s && strstr(seen.s, text.s)) {
                out.n = mark;
                out.s[mark] = 0;
            } else {
                lib_buffer_add(&seen, text.s, text.n);
            }
            lib_buffer_free(&text);
        } else if (is_caret(line, n, &column) && previous) {
            size_t left =
                shift(previous, previous_n, column) + wide_shift(previous, previous_n, column);
            if (left > column) left = column;
            lib_buffer_add(&out, line + left, n - left);
            lib_buffer_puts(&out, "\n");
        } else if (!noise(line, n) && !(contains(line, n, "ld: ") && contains(line, n, ".o")) &&
                   !contains(line, n, "/usr/bin/ld:")) {
            lib_buffer path = {0};
            message_replace(&path, line, n, inside, shown_as);
            if (n) {
                unexpand(&out, path.s, path.n);
                lib_buffer_puts(&out, "\n");
            } else if (out.n && !(out.n > 1 && out.s[out.n - 2] == '\n')) {
                lib_buffer_puts(&out, "\n"); /* one empty line, not several */
            }
            lib_buffer_free(&path);
        }
        previous = line;
        previous_n = n;
        line = after;
    }
    while (out.n && out.s[out.n - 1] == '\n') out.s[--out.n] = 0;
    if (out.n) lib_buffer_puts(&out, "\n");
    /* Bytes of the file are echoed: they must not contain control characters for a terminal. */
    for (size_t i = 0; i < out.n; i++) {
        unsigned char c = (unsigned char)out.s[i];
        if ((c < 32 && c != '\n' && c != '\t') || c == 127) out.s[i] = '?';
    }
    lib_buffer_free(&seen);
    return out.s;
}
