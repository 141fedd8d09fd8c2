/* Moodle: a row a student by the id number, or the course's own export filled: the grading
 * worksheet, whose Grade is one assignment's, or the list of participants. */
#include "grader/course/export.h"

static bool moodle_own(const roster *people, lib_message *msg) {
    if (!csv_has(&people->table, "SIS Login ID") && !csv_has(&people->table, "SIS User ID"))
        return true;
    lib_message_set2(msg,
                     "the roster %s is Canvas's: Moodle takes its own worksheet or list of "
                     "participants; export each with its own",
                     "名册 %s 是 Canvas 的：Moodle 要用它自己的成绩工作表或名单；请分别导出",
                     people->path);
    return false;
}

static const char *const columns[] = {"idnumber"};
const csv_format csv_moodle = {.columns = columns,
                               .column_count = sizeof columns / sizeof *columns,
                               .own = moodle_own,
                               .suffix = "",
                               .worksheet = true};
