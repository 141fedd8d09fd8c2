/* The main() around a student's whole program: see build.h.
 *
 *   a call's arguments --> argv and standard input --> the student's main() --> standard output -->
 *     the call's outputs
 *
 * The linker calls it instead of the student's main() (--wrap=main). The input has one number a
 * line. In the output, lines that consist of numbers count; other lines are for people, and are
 * passed on. Both go through temporary files, so that a program that reads nothing, or prints
 * without end, blocks neither side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/build/build.h"
#include "words/build.h"

static const char prologue[] =
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdio_ext.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <iostream>\n"
    "#include \"runner/device/cudart/glue.h\"\n"
    "extern \"C\" int __real_main(int, char **, char **);\n"
    "extern \"C\" int __wrap_main(int, char **, char **);\n"
    "template <class T, class Bits> static T bits(uint64_t slot) {\n"
    "    Bits b = (Bits)slot;\n    T v;\n    __builtin_memcpy(&v, &b, sizeof v);\n    return "
    "v;\n}\n"
    "static char *line, *at;\nstatic size_t room;\n"
    /* Returns whether the whole line consists of numbers. An empty one is for people. */
    "static bool numbers(const char *s) {\n"
    "    bool any = false;\n"
    "    for (char *end; *(s += strspn(s, \" \\t\\r\\n\")); s = end, any = true) {\n"
    "        strtod(s, &end);\n"
    "        if (end == s || (*end && !strchr(\" \\t\\r\\n\", *end))) return false;\n    }\n"
    "    return any;\n}\n"
    "static char *word(FILE *from) {\n"
    "    while (!at || !*(at += strspn(at, \" \\t\\r\\n\"))) {\n"
    "        at = NULL;\n"
    "        if (getline(&line, &room, from) < 0) return NULL;\n"
    "        if (numbers(line)) at = line;\n"
    "        else fputs(line, stdout);\n    }\n"
    "    char *w = at;\n    at += strcspn(at, \" \\t\\r\\n\");\n    if (*at) *at++ = 0;\n"
    "    return w;\n}\n"
    "static size_t printed;\n"
    "template <class T> static void take_real(FILE *from, T *to, size_t n) {\n"
    "    for (char *w; n && (w = word(from)); n--, printed++) *to++ = (T)strtod(w, NULL);\n}\n"
    "template <class T> static void take_whole(FILE *from, T *to, size_t n) {\n"
    "    for (char *w, *end; n && (w = word(from)); n--, printed++) {\n"
    "        long long v = *w == '-' ? strtoll(w, &end, 10) : (long long)strtoull(w, &end, 10);\n"
    "        *to++ = *end ? (T)strtod(w, NULL) : (T)v;\n    }\n}\n"
    "int __wrap_main(int, char **, char **) {\n"
    "    uint64_t a[WARPLAB_MAX_ARGS];\n"
    "    int shown = dup(1);\n"
    "    while (__warplab_next(a, WARPLAB_MAX_ARGS)) {\n"
    "        FILE *in = tmpfile(), *out = tmpfile();\n"
    "        static char words[24][40];\n        char *argv[26];\n        int argc = 0;\n"
    "        size_t expected = 0;\n"
    "        if (!in || !out) { perror(\"a program's input\"); _exit(120); }\n";
static const char middle[] =
    "        argv[argc] = NULL;\n"
    "        fflush(in);\n        fflush(stdout);\n        lseek(fileno(in), 0, SEEK_SET);\n"
    "        if (dup2(fileno(in), 0) < 0 || dup2(fileno(out), 1) < 0) _exit(120);\n"
    "        __fpurge(stdin);\n        clearerr(stdin);\n        std::cin.clear();\n"
    "        int status = __real_main(argc, argv, environ);\n"
    "        std::cout.flush();\n        fflush(stdout);\n        dup2(shown, 1);\n"
    "        if (status) {\n"
    "            fprintf(stderr, \"main() returned %d\\n\", status);\n"
    "            _exit(status & 255 ? status & 255 : 1);\n        }\n"
    "        lseek(fileno(out), 0, SEEK_SET);\n        at = NULL;\n        printed = 0;\n";
static const char epilogue[] =
    "        while (word(out)) printed++;\n        fflush(stdout);\n"
    "        if (printed != expected)\n"
    "            fprintf(stderr, \"expected %zu numbers on standard output, found %zu\\n\", "
    "expected, printed);\n"
    "        fclose(in);\n        fclose(out);\n    }\n    return 0;\n}\n";

bool build_program_parse(const char *text, build_entry *e, lib_message *msg) {
    enum { MOST = sizeof e->params / sizeof *e->params };
    if (!build_entry_parse(text, e, msg)) return false;
    for (size_t i = 0, given = e->count; i < given; i++) {
        const build_entry_param *p = &e->params[i];
        bool real;
        if (!build_entry_number(p->type, &real)) {
            lib_message_set(msg, w_build_program_type(p->name, p->type));
            return false;
        }
        if (!p->pointer) continue;
        if (e->count == MOST || strlen(p->name) + sizeof "_count" > sizeof p->name) {
            lib_message_set(msg, w_build_too_many_parameters(p->name));
            return false;
        }
        build_entry_param *count = &e->params[e->count++];
        *count = (build_entry_param){.type = "size_t"};
        snprintf(count->name, sizeof count->name, "%.40s_count", p->name);
    }
    return true;
}

/* Returns the slot of the hidden parameter with the length of this buffer. */
static size_t slot_of_count(const build_entry *e, size_t i) {
    size_t given = e->count, buffers = 0;
    for (size_t k = 0; k < e->count; k++) buffers += e->params[k].pointer;
    given -= buffers;
    for (size_t k = 0; k < i; k++) given += e->params[k].pointer;
    return given;
}

/* Writes an argument of the command line, or lines of the standard input. */
static void write_given(lib_buffer *b, const build_entry *e, size_t i) {
    const build_entry_param *p = &e->params[i];
    bool real;
    build_entry_number(p->type, &real);
    const char *format = real ? "%.17g" : "%lld", *as = real ? "double" : "long long";
    if (p->pointer) {
        lib_buffer_printf(b,
                          "        for (size_t i = 0; i < a[%zu]; i++) fprintf(in, \"%s\\n\", "
                          "(%s)((const %s *)a[%zu])[i]);\n",
                          slot_of_count(e, i), format, as, p->type, i);
        return;
    }
    lib_buffer_printf(b, "        snprintf(words[%zu], sizeof words[0], \"%s\", (%s)", i, format,
                      as);
    if (real)
        lib_buffer_printf(b, "bits<%s, %s>(a[%zu])", p->type,
                          strcmp(p->type, "float") ? "uint64_t" : "uint32_t", i);
    else lib_buffer_printf(b, "(%s)a[%zu]", p->type, i);
    lib_buffer_printf(b, ");\n        argv[argc++] = words[%zu];\n", i);
}

char *build_program_source(const build_entry *e) {
    lib_buffer b = {0};
    size_t given = e->count;
    for (size_t i = 0; i < e->count; i++) given -= e->params[i].pointer;
    lib_buffer_puts(&b, prologue);
    lib_buffer_printf(&b, "        static char name[] = \"%s\";\n        argv[argc++] = name;\n",
                      e->name);
    for (size_t i = 0; i < given; i++)
        if (!e->params[i].pointer || e->params[i].is_const) write_given(&b, e, i);
    lib_buffer_puts(&b, middle);
    for (size_t i = 0; i < given; i++) {
        const build_entry_param *p = &e->params[i];
        bool real;
        if (!p->pointer || p->is_const) continue;
        build_entry_number(p->type, &real);
        lib_buffer_printf(
            &b, "        expected += a[%zu];\n        take_%s(out, (%s *)a[%zu], a[%zu]);\n",
            slot_of_count(e, i), real ? "real" : "whole", p->type, i, slot_of_count(e, i));
    }
    lib_buffer_puts(&b, epilogue);
    return b.s;
}
