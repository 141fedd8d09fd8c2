/* Gradescope, "Export Submissions":
 *
 *   assignment_123_export/submission_metadata.yml
 *   assignment_123_export/submission_45678/vector-add.cu
 *
 *   submission_45678:
 *     :submitters:
 *     - :name: Jane Doe
 *       :sid: '1001'
 *       :email: jane@uni.example
 *     :created_at: 2026-10-01 23:58:12.123456000 -07:00
 *     :history: ...
 *
 * There is no public definition. These are the fields that public readers of the format use
 * (:submitters, :name, :sid, :email, :created_at, :history); tests/grade/imports/README.md names
 * the readers. This file reads the part of YAML that Ruby writes there: two blanks per level, one
 * scalar per line. */
#include <ctype.h>
#include <string.h>
#include "grader/intake/import.h"
#include "grader/intake/when.h"

/* Copies the scalar after "KEY:" in the line, without quotes. Returns false if the key is
 * another. */
static bool scalar(const char *line, size_t n, const char *key, char out[INTAKE_NAME]) {
    size_t k = strlen(key);
    if (n <= k || memcmp(line, key, k) != 0) return false;
    const char *p = line + k, *end = line + n;
    while (p < end && *p == ' ') p++;
    while (end > p && isspace((unsigned char)end[-1])) end--;
    if (end - p >= 2 && (*p == '\'' || *p == '"') && end[-1] == *p) p++, end--;
    if (end - p == 4 && !memcmp(p, "null", 4)) p = end;
    layout_put(out, p, (size_t)(end - p));
    return true;
}

/* Finds the lines of one submission, [*from, *to). Returns false if the file does not have it. */
static bool block_of(const char *text, const char *submission, const char **from, const char **to) {
    size_t n = strlen(submission);
    for (const char *p = text; p && *p;) {
        const char *end = strchr(p, '\n');
        bool hit = !strncmp(p, submission, n) && p[n] == ':' &&
                   strspn(p + n + 1, " \r") == strcspn(p + n + 1, "\n");
        p = end ? end + 1 : NULL;
        if (!hit) continue;
        *from = p ? p : "";
        for (const char *q = *from; *q; q = end ? end + 1 : q + strlen(q)) {
            *to = q;
            if (*q != ' ' && *q != '\n' && *q != '\r' && *q != '-') return true;
            end = strchr(q, '\n');
        }
        *to = *from + strlen(*from);
        return true;
    }
    return false;
}

/* Reads the k-th submitter and the time. Returns false if there are fewer submitters. */
static bool read_block(const char *from, const char *to, int zone, unsigned k, found *f) {
    bool submitters = false, there = false;
    unsigned count = 0;
    char text[INTAKE_NAME], sid[INTAKE_NAME] = "", email[INTAKE_NAME] = "";
    for (const char *line = from; line < to;) {
        const char *end = memchr(line, '\n', (size_t)(to - line));
        size_t n = (size_t)((end ? end : to) - line), blank = 0;
        while (blank < n && line[blank] == ' ') blank++;
        const char *word = line + blank;
        size_t left = n - blank;
        bool item = left > 2 && word[0] == '-' && word[1] == ' ';
        if (blank == 2 && !item) submitters = left >= 12 && !memcmp(word, ":submitters:", 12);
        if (blank == 2 && scalar(word, left, ":created_at:", text))
            f->timed = when_read(text, zone, &f->time);
        if (submitters && item) count++;
        if (submitters && count == k + 1) {
            if (item) word += 2, left -= 2;
            there = true;
            scalar(word, left, ":name:", f->name);
            scalar(word, left, ":sid:", sid);
            scalar(word, left, ":email:", email);
        }
        line = end ? end + 1 : to;
    }
    layout_put(f->student, *sid ? sid : email, strlen(*sid ? sid : email));
    layout_put(f->id[0], *sid ? email : "", strlen(*sid ? email : ""));
    return there && *f->student;
}

bool gradescope_find(const layout *l, const char *path, unsigned k, found *f) {
    char top[INTAKE_NAME];
    const char *from, *to, *file = layout_file(path);
    *f = (found){0};
    if (layout_component(path, 0, top) < 2 || !l->metadata ||
        !block_of(l->metadata, top, &from, &to) || !read_block(from, to, l->o->zone, k, f))
        return false;
    layout_put(f->file, file, strlen(file));
    return true;
}

bool gradescope_is(layout *l) {
    return l->metadata && strstr(l->metadata, ":submitters:");
}
