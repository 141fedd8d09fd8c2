/* See source.h. */
#include "runner/grade/source.h"

#include <string.h>
#include "runner/base/say.h"
#include "words/grade.h"

enum { LOOK = 4096 }; /* bytes at the beginning that show what a file is */

static bool begins(const char *text, size_t n, const char *with) {
    return n >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* A Jupyter notebook: an object with cells and a format number, in any order. */
static bool is_notebook(const char *text, size_t n) {
    while (n && strchr(" \t\r\n", *text)) text++, n--;
    return n && *text == '{' && memmem(text, n, "\"cells\"", 7) &&
           memmem(text, n, "\"nbformat\"", 10);
}

bool source_is_text(const char *name, const char *text, size_t n, lib_message *why) {
    if (is_notebook(text, n)) {
        lib_message_set(why, w_grade_file_notebook(name));
    } else if (begins(text, n, "%PDF-")) {
        lib_message_set(why, w_grade_file_pdf(name));
    } else if (begins(text, n, "\xff\xfe") || begins(text, n, "\xfe\xff")) {
        lib_message_set(why, w_grade_file_utf_16(name));
    } else if (memchr(text, 0, n < LOOK ? n : LOOK)) {
        lib_message_set(why, w_grade_file_no_text(name));
    } else return true;
    return false;
}

bool source_missing_header(const char *log, char *name, size_t size) {
    static const char before[] = "fatal error: ", behind[] = ": No such file or directory";
    const char *at = strstr(log, before), *end = at ? strstr(at, behind) : NULL;
    if (!end || memchr(at, '\n', (size_t)(end - at))) return false;
    at += sizeof before - 1;
    lib_say(name, size, "%.*s", (int)(end - at), at);
    return true;
}
