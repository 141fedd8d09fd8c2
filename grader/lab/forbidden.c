/* Checks whether a source uses what the lab forbids (for example a library instead of a kernel). A
 * small lexer makes sure that comments, strings and line continuations neither hide a name nor
 * cause a false alarm. Names that a macro pastes together are found only in the compiled code
 * (forbidden_code.c). */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/lab.h"
#include "grader/lab/forbidden.h"
#include "words/lab.h"
#include "words/said.h"

typedef struct {
    const char *name; /* of the file */
    char *text;       /* the source, with continued lines joined */
    unsigned *line;   /* line number of each character */
    size_t len;
} source;

/* Horizontal white space, and the carriage return before a newline. */
static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static bool splice(const char *s, size_t n, source *out) {
    out->text = malloc(n + 3);
    out->line = calloc(n + 3, sizeof *out->line);
    out->len = 0;
    if (!out->text || !out->line) return false;
    unsigned line = 1;
    for (size_t i = 0; i < n; i++) {
        size_t nl = i + 1; /* compilers allow blanks between backslash and newline */
        while (nl < n && s[i] == '\\' && blank(s[nl])) nl++;
        if (s[i] == '\\' && nl < n && s[nl] == '\n') {
            line++;
            i = nl;
            continue;
        }
        out->line[out->len] = line;
        /* a carriage return alone ends a line, too */
        bool ends = s[i] == '\r' && i + 1 < n && s[i + 1] != '\n';
        out->text[out->len++] = ends ? '\n' : s[i] ? s[i] : ' ';
        if (s[i] == '\n') line++;
    }
    memset(out->text + out->len, 0, 3);
    out->line[out->len] = line;
    return true;
}

static bool ident(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static size_t base_length(const char *entry, bool *scope) {
    size_t n = strlen(entry);
    *scope = (n > 2 && !strcmp(entry + n - 2, "::")) || (n > 1 && entry[n - 1] == '.');
    return *scope ? n - (entry[n - 1] == '.' ? 1 : 2) : n;
}

/* "cublas" forbids cublas, cublasSgemm and cublas_v2, but not cublasting. "cub::" forbids the name
 * cub everywhere. */
bool forbidden_name(const char *entry, const char *name, size_t n) {
    bool scope;
    size_t len = base_length(entry, &scope);
    if (n < len || memcmp(entry, name, len) != 0) return false;
    return n == len || (!scope && !islower((unsigned char)name[len]));
}

/* Matches the file of an #include, or any of its folders, that begins with the name. */
bool forbidden_include(const char *entry, const char *path, size_t n) {
    bool scope;
    size_t len = base_length(entry, &scope);
    for (size_t i = 0; i + len <= n; i++) {
        if (i && path[i - 1] != '/') continue;
        if (memcmp(entry, path + i, len) == 0 && (i + len == n || !scope || !ident(path[i + len])))
            return true;
    }
    return false;
}

static bool found(lib_message *msg, const source *s, size_t at, const char *entry, const char *what,
                  size_t n) {
    char name[81];
    lib_say(name, sizeof name, "%.*s", (int)(n < 80 ? n : 80), what);
    lib_message_set(msg, w_lab_forbidden_name(s->name, s->line[at], entry, name));
    return true;
}

/* Returns the index after the quoted literal whose quote is at i. A quote that nothing closes
 * (#endif ') ends with its line. */
static size_t past_quoted(const source *s, size_t i) {
    char q = s->text[i++];
    while (i < s->len && s->text[i] != q && s->text[i] != '\n') i += s->text[i] == '\\' ? 2 : 1;
    if (i >= s->len) return s->len;
    return s->text[i] == q ? i + 1 : i;
}

/* Returns the index after R"delimiter( ... )delimiter" whose quote is at i. */
static size_t past_raw(const source *s, size_t i) {
    size_t open = i + 1, n = 0;
    while (open + n < s->len && n < 17 && s->text[open + n] != '(') n++;
    for (size_t k = open + n; k + n + 1 < s->len; k++)
        if (s->text[k] == ')' && !memcmp(s->text + k + 1, s->text + open, n) &&
            s->text[k + 1 + n] == '"')
            return k + n + 2;
    return s->len;
}

/* Only R, LR, uR, UR and u8R before a quote begin a raw string. */
static bool raw_prefix(const char *name, size_t n) {
    if (!n || name[n - 1] != 'R') return false;
    return n == 1 || (n == 2 && strchr("LuU", name[0])) || (n == 3 && !memcmp(name, "u8", 2));
}

static size_t blanks(const source *s, size_t i) {
    for (;;) {
        if (blank(s->text[i])) i++;
        else if (s->text[i] == '/' && s->text[i + 1] == '*') {
            for (i += 2; i < s->len && !(s->text[i] == '*' && s->text[i + 1] == '/');) i++;
            i = i < s->len ? i + 2 : s->len;
        } else return i;
    }
}

/* Returns whether <...> at i would be read in another way as a header's name than as code:
 * after __has_include(, a name such as <"> begins no string. */
static bool odd_header(const source *s, size_t i) {
    if (s->text[i] != '<') return false;
    for (; i < s->len && s->text[i] != '>' && s->text[i] != '\n'; i++)
        if (strchr("\"'", s->text[i]) || (s->text[i] == '/' && strchr("/*", s->text[i + 1])))
            return true;
    return false;
}

/* Returns whether a raw string begins at i, directly after another literal. For a preprocessor, the
 * R is a suffix of that literal, or, if a macro has this name, the beginning of a raw string. */
static bool raw_or_suffix(const source *s, size_t i) {
    size_t n = 0;
    while (ident(s->text[i + n])) n++;
    return s->text[i + n] == '"' && raw_prefix(s->text + i, n);
}

/* Returns whether the lab asks for a line of the submission: then lines are those of the file that
 * was handed in. */
static bool asks_for_line(const grade_lab *lab) {
    for (size_t k = 0; k < lab->goal_count; k++) {
        const grade_said *said = lab->goals[k].said;
        if (said && (said->kind == GRADE_SAID_LINE || said->kind == GRADE_SAID_FINDING_LINE ||
                     said->kind == GRADE_SAID_LETTERS))
            return true;
    }
    return false;
}

/* Two readings: the file is refused, because code could hide in one of them. */
static bool odd(const source *s, size_t i, lib_message *msg) {
    lib_message_set(msg, w_lab_two_readings(s->name, s->line[i]));
    return true;
}

/* Reads a directive after its '#'. Returns true if it is a forbidden #include, or if it gives lines
 * other numbers and the lab asks for a line. *end: where the lexer continues. */
static bool directive(const grade_lab *lab, const source *s, size_t i, size_t *end,
                      lib_message *msg) {
    i = blanks(s, i);
    size_t n = 0;
    while (ident(s->text[i + n])) n++;
    *end = i + n;
    bool numbers =
        (n == 4 && !memcmp(s->text + i, "line", 4)) || (n && isdigit((unsigned char)s->text[i]));
    if (numbers && asks_for_line(lab)) {
        lib_message_set(msg, w_lab_forbidden_line(s->name, s->line[i]));
        return true;
    }
    bool include = (n == 7 && !memcmp(s->text + i, "include", 7)) ||
                   (n == 12 && !memcmp(s->text + i, "include_next", 12)) ||
                   (n == 5 && !memcmp(s->text + i, "embed", 5)) ||
                   (n == 6 && !memcmp(s->text + i, "import", 6));
    if (!include) return false;
    i = blanks(s, i + n);
    if (odd_header(s, i)) return odd(s, i, msg);
    char close = s->text[i] == '<' ? '>' : '"';
    size_t from = i + 1, to = from;
    if (s->text[i] != '<' && s->text[i] != '"') {
        if (!lab->forbidden_count) return false;
        lib_message_set(msg, w_lab_include_macro(s->name, s->line[i]));
        return true;
    }
    while (to < s->len && s->text[to] != close && s->text[to] != '\n') to++;
    *end = to + (to < s->len && s->text[to] == close);
    for (size_t k = 0; k < lab->forbidden_count; k++)
        if (forbidden_include(lab->forbidden[k], s->text + from, to - from))
            return found(msg, s, i, lab->forbidden[k], s->text + from, to - from);
    return false;
}

static bool scan(const grade_lab *lab, const source *s, lib_message *msg) {
    bool line_start = true;
    for (size_t i = 0; i < s->len;) {
        char c = s->text[i];
        size_t next = blanks(s, i);
        if (next != i) {
            i = next;
        } else if (c == '/' && s->text[i + 1] == '/') {
            while (i < s->len && s->text[i] != '\n') i++;
        } else if (line_start && (c == '#' || (c == '%' && s->text[i + 1] == ':'))) {
            line_start = false;
            if (directive(lab, s, i + (c == '#' ? 1 : 2), &i, msg)) return true;
        } else if (c == '"' || c == '\'') {
            line_start = false;
            i = past_quoted(s, i);
            if (raw_or_suffix(s, i)) return odd(s, i, msg);
        } else if (isdigit((unsigned char)c)) {
            /* a number, with digit separators: 1'000'000 */
            line_start = false;
            while (ident(s->text[i]) || s->text[i] == '.' ||
                   (s->text[i] == '\'' && ident(s->text[i + 1])) ||
                   ((s->text[i] == '+' || s->text[i] == '-') && strchr("eEpP", s->text[i - 1])))
                i++;
        } else if (ident(c)) {
            line_start = false;
            size_t n = 0;
            while (ident(s->text[i + n])) n++;
            if (s->text[i + n] == '"' && raw_prefix(s->text + i, n)) {
                i = past_raw(s, i + n);
                if (raw_or_suffix(s, i)) return odd(s, i, msg);
                continue;
            }
            for (size_t k = 0; k < lab->forbidden_count; k++)
                if (forbidden_name(lab->forbidden[k], s->text + i, n))
                    return found(msg, s, i, lab->forbidden[k], s->text + i, n);
            i += n;
        } else if (c == '(' && odd_header(s, blanks(s, i + 1))) {
            return odd(s, i, msg);
        } else {
            line_start = c == '\n' || (line_start && isspace((unsigned char)c));
            i++;
        }
    }
    return false;
}

bool grade_forbidden(const grade_lab *lab, const char *file, const char *text, size_t len,
                     lib_message *msg) {
    source s = {.name = file};
    *msg = (lib_message){0};
    if (!lab->forbidden_count && !asks_for_line(lab)) return false;
    bool bad;
    if (splice(text, len, &s)) bad = scan(lab, &s, msg);
    else {
        lib_message_set(msg, w_said_out_of_memory());
        bad = true;
    }
    free(s.text);
    free(s.line);
    return bad;
}
