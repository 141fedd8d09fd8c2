/* See source.h. */
#include "runner/grade/source.h"

#include <string.h>
#include "runner/base/say.h"

enum { LOOK = 4096 }; /* bytes at the beginning that say what a file is */

static bool begins(const char *text, size_t n, const char *with) {
    return n >= strlen(with) && !memcmp(text, with, strlen(with));
}

/* Jupyter's: an object with cells and the number of its format, in any order. */
static bool is_notebook(const char *text, size_t n) {
    while (n && strchr(" \t\r\n", *text)) text++, n--;
    return n && *text == '{' && memmem(text, n, "\"cells\"", 7) &&
           memmem(text, n, "\"nbformat\"", 10);
}

bool source_is_text(const char *name, const char *text, size_t n, lib_message *why) {
    if (is_notebook(text, n)) {
        lib_message_set2(
            why,
            "%s is a Jupyter notebook, and notebooks are not taken yet: put the CUDA code of its "
            "cells into one .cu file and hand that in",
            "%s 是 Jupyter 笔记本，目前还不接受笔记本：请把各单元格里的 CUDA 代码放进一个 .cu "
            "文件再交",
            name);
    } else if (begins(text, n, "%PDF-")) {
        lib_message_set2(why, "%s is a PDF: hand in the .cu file itself",
                         "%s 是 PDF：请交 .cu 文件本身", name);
    } else if (begins(text, n, "\xff\xfe") || begins(text, n, "\xfe\xff")) {
        lib_message_set2(why, "%s is text in UTF-16: save it as UTF-8 and hand that in",
                         "%s 是 UTF-16 编码的文本：请存为 UTF-8 再交", name);
    } else if (memchr(text, 0, n < LOOK ? n : LOOK)) {
        lib_message_set2(
            why, "%s is no text: it has bytes that are zero. Hand in the .cu file itself, as UTF-8",
            "%s 不是文本：其中有值为零的字节。请交 .cu 文件本身，编码为 UTF-8", name);
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
