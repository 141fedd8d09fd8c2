/* A course's own files: its rules (course.lua), an exam; each a file of the same restricted Lua as a lesson, in; the table that
 * it returns as JSON out, which grader/course keeps and reads (OUT/course.json). What its fields mean
 * and whether they are right is said there. */
#ifndef WARPLAB_COURSE_FILE_H
#define WARPLAB_COURSE_FILE_H

#include "runner/base/message.h"

/* kind: "course" or "exam", what the file returns. malloc'ed; NULL and *msg, with file and line. */
char *course_file_read(const char *path, const char *kind, lib_message *msg);

#endif
