/* The compiler's messages as a student should see them.
 *
 *   nvcc's text --line by line--> the student's own path
 *                                 __global__ as written, and the caret in the right column again
 *                                 Chinese letters and punctuation as written, not as \U0000ff1b
 *                                 no tool names, no counts of errors
 *                                 a linker's "undefined reference" says what the file lacks */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/build/build.h"
#include "runner/build/wide.h"

/* stands for the name of the file if there are several */
static const char several[] = "link";

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

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Returns the index behind the parentheses that open at i; 0 if they do not close. */
static size_t behind_parentheses(const char *s, size_t n, size_t i) {
    for (int depth = 0; i < n;) {
        size_t end = wide_skip(s, n, i);
        depth += end == i ? (s[i] == '(') - (s[i] == ')') : 0;
        i = end > i ? end : i + 1;
        if (!depth) return i;
    }
    return 0;
}

static size_t behind_blanks(const char *s, size_t n, size_t i) {
    while (i < n && isspace((unsigned char)s[i])) i++;
    return i;
}

/* Returns the text on one line; malloc'ed. */
static char *on_one_line(const char *s, size_t n) {
    lib_buffer b = {0};
    for (size_t k = 0, end; k < n; k = behind_blanks(s, n, end)) {
        for (end = k; end < n && !isspace((unsigned char)s[end]);) end++;
        lib_buffer_printf(&b, "%s%.*s", k ? " " : "", (int)(end - k), s + k);
    }
    return lib_buffer_take(&b);
}

/* Finds the function of this name that the source defines, and returns its head; malloc'ed. NULL:
 * there is none. */
static char *defined_as(const char *s, const char *name, unsigned *line) {
    size_t n = strlen(s), from = 0, length = strlen(name);
    for (size_t i = 0; i < n;) {
        size_t end = wide_skip(s, n, i), word = i;
        while (word < n && in_name(s[word])) word++;
        if (end > i) {
            if (behind_blanks(s, i, from) == i) from = end;
            i = end;
        } else if (s[i] == '#') {
            while (i < n && s[i] != '\n') i += s[i] == '\\' && i + 1 < n ? 2 : 1;
            from = i;
        } else if (word == i) {
            i++;
            if (strchr(";{}", s[i - 1])) from = i;
        } else {
            size_t open = behind_blanks(s, n, word),
                   close = word - i == length && !memcmp(s + i, name, length) && open < n &&
                                   s[open] == '('
                               ? behind_parentheses(s, n, open)
                               : 0,
                   body = behind_blanks(s, n, close);
            if (close && body < n && s[body] == '{') {
                *line = 1;
                for (size_t k = 0; k < i; k++) *line += s[k] == '\n';
                from = behind_blanks(s, n, from);
                return on_one_line(s + from, close - from);
            }
            i = word;
        }
    }
    return NULL;
}

/* The entry is missing: what was expected, and a function of its name that is not it. */
static void no_entry(lib_buffer *out, const char *shown_as, const build_entry *entry,
                     const char *source) {
    unsigned line = 0;
    char *text = build_entry_text(entry),
         *found = source ? defined_as(source, entry->name, &line) : NULL, place[24] = "";
    /* the lines of several files are counted together */
    if (found && strcmp(shown_as, several) != 0) snprintf(place, sizeof place, "(%u)", line);
    lib_buffer_printf(out, "%s%s: error: expected the function\n    %s\n", shown_as, place, text);
    if (found)
        lib_buffer_printf(out,
                          "found\n    %s\nKeep the types of its parameters as the skeleton has "
                          "them, outside of namespaces and without static or extern \"C\"\n",
                          found);
    else
        lib_buffer_puts(out, "found no such function in this file. Keep its name and its "
                             "parameters' types as the skeleton has them\n");
    free(found);
    free(text);
}

static bool link_error(lib_buffer *out, const char *line, size_t n, const char *shown_as,
                       const build_entry *entry, const char *source) {
    char name[256];
    if (quoted(line, n, "undefined reference to `", name, sizeof name)) {
        size_t bare = strcspn(name, "(");
        if (entry && !strncmp(name, entry->name, bare) && !entry->name[bare]) {
            no_entry(out, shown_as, entry, source);
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
                     const build_entry *entry, const char *source) {
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
        if (link_error(&out, line, n, *shown_as ? shown_as : several, entry, source)) {
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
