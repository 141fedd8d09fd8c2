/* Which student a row of an export is about. csv.c and the systems' own files use this. */
#include "grader/course/export.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool csv_has(const csv_table *t, const char *heading) {
    return csv_column(t, heading) != SIZE_MAX;
}

const char *csv_name(const course *c, const char *student) {
    const course_row *first = course_first(c, student);
    return first ? first->entry->name : "";
}

const roster_person *csv_person(const roster *people, const course *c, const char *student,
                                bool *several) {
    const char *ids[64], *name = csv_name(c, student);
    const course_row *first = course_first(c, student);
    char *copy = first ? strdup(first->entry->ids) : NULL, *rest;
    size_t n = 0;
    ids[n++] = student;
    for (char *p = copy ? strtok_r(copy, "\n", &rest) : NULL; p && n < 64;
         p = strtok_r(NULL, "\n", &rest))
        ids[n++] = p;
    const roster_person *p = roster_find(people, ids, n, *name ? name : student, several);
    free(copy);
    return p;
}
