/* Reads a course's own files: its rules (course.lua) or an exam. They are written in the same
 * restricted Lua as lessons. The table that a file returns becomes JSON, which grader/course keeps
 * and reads (OUT/course.json). grader/course also defines and checks the fields. */
#ifndef WARPLAB_COURSE_FILE_H
#define WARPLAB_COURSE_FILE_H

#include "runner/base/message.h"

/* Reads a file that must return a `kind`: "course" or "exam". Returns JSON text, malloc'ed; NULL
 * and *msg, with file and line, on an error. */
char *course_file_read(const char *path, const char *kind, lib_message *msg);

#endif
