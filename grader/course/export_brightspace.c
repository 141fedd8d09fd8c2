/* Brightspace (D2L): the format that its Grades > Import reads and Grades > Export writes.
 *
 *   OrgDefinedId,Username,add Points Grade,End-of-Line Indicator
 *   #20067930,#frank.catcher,8,#
 *
 * D2L's "Importing grades" (community.d2l.com/brightspace/kb/articles/3538) requires OrgDefinedId
 * or Username, and for a numeric item its name followed by "Points Grade". An export writes "Points
 * Grade <Numeric MaxPoints:10 Weight:5>" there. It puts "#" before both names, so that a
 * spreadsheet keeps leading zeros, and a cell with "#" at each row's end (kb.wisc.edu, page
 * 4330). */
#include "grader/course/export.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "words/course.h"

#define END "End-of-Line Indicator"

static bool is_brightspace(const csv_table *t) {
    return csv_has(t, "OrgDefinedId") || csv_has(t, END);
}

static bool brightspace_own(const roster *people) {
    return is_brightspace(&people->table);
}

/* Without a roster: a number is an OrgDefinedId, any other name a Username. */
static const char *brightspace_cell(const course *c, const roster *kept, const char *student,
                                    const char *column, char text[EXPORT_CELL]) {
    bool several, number = strspn(student, "0123456789") == strlen(student);
    const roster_person *p =
        is_brightspace(&kept->table) ? csv_person(kept, c, student, &several) : NULL;
    const char *said = student;
    if (p) said = csv_cell(&kept->table.row[p->row], csv_column(&kept->table, column));
    else if (number != !strcmp(column, "OrgDefinedId")) said = "";
    lib_say(text, EXPORT_CELL, *said && *said != '#' ? "#%s" : "%s", said);
    return text;
}

static double brightspace_asked(const csv_table *t, size_t column) {
    const char *most = strstr(csv_cell(&t->row[0], column), "MaxPoints:");
    return most ? strtod(most + strlen("MaxPoints:"), NULL) : 0;
}

static const char *const columns[] = {"OrgDefinedId", "Username"};
static const char *const people[] = {"OrgDefinedId", "Username", "Last Name", "First Name",
                                     "Email",        "Sections", END,         NULL};
const csv_format csv_brightspace = {.columns = columns,
                                    .column_count = sizeof columns / sizeof *columns,
                                    .title = "Brightspace",
                                    .takes = W_COURSE_TAKES_BRIGHTSPACE,
                                    .headings = "OrgDefinedId\nUsername\n" END,
                                    .sure = is_brightspace,
                                    .own = brightspace_own,
                                    .cell = brightspace_cell,
                                    .suffix = " Points Grade",
                                    .last = END,
                                    .asked = brightspace_asked,
                                    .asked_name = "MaxPoints",
                                    .people = people};
