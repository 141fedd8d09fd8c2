/* Canvas's gradebook. Canvas only requires that the first heading contains "Student"
 * (lib/gradebook_importer.rb of instructure/canvas-lms, which also defines the row "Points
 * Possible" and columns "NAME (id)"). A student without a row from Canvas is identified by login,
 * or by Canvas's number if the name of the submitted file contains it. */
#include "grader/course/export.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "words/course.h"

static bool is_canvas(const csv_table *t) {
    return csv_has(t, "SIS Login ID") || csv_has(t, "SIS User ID");
}

static bool canvas_own(const roster *people) {
    return is_canvas(&people->table) || (!people->worksheet && csv_has(&people->table, "Student"));
}

/* Returns whether the student's name is Canvas's number. File names of its downloads say so:
 * NAME_USER_FILE_what. */
static bool numbered_by_canvas(const course *c, const char *student) {
    char part[INTAKE_NAME + 3];
    const course_row *first = course_first(c, student);
    size_t n = strlen(student);
    if (!first || !n || strspn(student, "0123456789") != n) return false;
    SAY(part, "_%s_", student);
    const char *hit = strstr(first->entry->source, part);
    return hit && hit[n + 2] >= '0' && hit[n + 2] <= '9';
}

static const char *canvas_cell(const course *c, const roster *kept, const char *student,
                               const char *column, char text[EXPORT_CELL]) {
    bool several, number = numbered_by_canvas(c, student);
    const roster_person *p =
        is_canvas(&kept->table) ? csv_person(kept, c, student, &several) : NULL;
    (void)text;
    if (p) return csv_cell(&kept->table.row[p->row], csv_column(&kept->table, column));
    const char *name = csv_name(c, student);
    if (!strcmp(column, "Student")) return *name ? name : student;
    return !strcmp(column, number ? "ID" : "SIS Login ID") ? student : "";
}

static double canvas_asked(const csv_table *t, size_t column) {
    double points = 0;
    for (size_t i = 1; i < t->count && i < 4; i++)
        if (strstr(csv_cell(&t->row[i], 0), "Points Possible"))
            points = strtod(csv_cell(&t->row[i], column), NULL);
    return points;
}

static const char *const columns[] = {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"};
static const char *const people[] = {
    "Student",        "ID",           "SIS User ID", "SIS Login ID",
    "Integration ID", "Root Account", "Section",     NULL};
const csv_format csv_canvas = {.columns = columns,
                               .column_count = sizeof columns / sizeof *columns,
                               .title = "Canvas",
                               .takes = W_COURSE_TAKES_CANVAS,
                               .headings = "Student\nID\nSIS Login ID",
                               .sure = is_canvas,
                               .own = canvas_own,
                               .cell = canvas_cell,
                               .suffix = "",
                               .points_row = true,
                               .asked = canvas_asked,
                               .asked_name = "Points Possible",
                               .people = people};
