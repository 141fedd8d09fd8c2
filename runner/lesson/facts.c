/* See facts.h. */
#include "runner/lesson/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "words/lesson.h"

enum { FACTS_BYTES = 1 << 18, FACTS = 1024 };

static char *trim(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = 0;
    return s;
}

bool lab_facts_read(const char *root, lab_facts *f, lib_message *msg) {
    *f = (lab_facts){0};
    char *path = lib_path_join(root, "labs/facts.txt"), *save = NULL;
    bool there = lib_is_file(path);
    f->memory = there ? lib_read_file(path, FACTS_BYTES, NULL, msg) : NULL;
    free(path);
    if (!f->memory) return !there;
    f->v = calloc(FACTS, sizeof *f->v), f->n = 0;
    if (!f->v) abort();
    int chapter = 0;
    unsigned at = 0;
    for (char *next = f->memory; next && *next;) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = 0;
        at++;
        line = trim(line);
        if (!*line) continue;
        if (sscanf(line, "# chapter %d", &chapter) == 1) continue;
        if (*line == '#') continue;
        char *key = strtok_r(line, "|", &save), *source = strtok_r(NULL, "|", &save),
             *text = strtok_r(NULL, "", &save);
        if (!text || !chapter) {
            lib_message_set(msg, w_lesson_facts_line(at));
            return false;
        }
        key = trim(key);
        if (lab_facts_find(f, key)) {
            lib_message_set(msg, w_lesson_fact_twice(at, key));
            return false;
        }
        if (f->n == FACTS) {
            lib_message_set(msg, w_lesson_too_many_facts(at, FACTS));
            return false;
        }
        f->v[f->n++] =
            (lab_fact){.chapter = chapter, .key = key, .source = trim(source), .text = trim(text)};
    }
    return true;
}

void lab_facts_free(lab_facts *f) {
    free(f->v);
    free(f->memory);
    *f = (lab_facts){0};
}

const lab_fact *lab_facts_find(const lab_facts *f, const char *key) {
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->v[i].key, key)) return &f->v[i];
    return NULL;
}
