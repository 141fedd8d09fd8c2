/* `warplab new LAB`: the files of a new lab, from the template in labs/template, which is a lab
 * that `warplab check` proves but for its TODOs.
 *
 *   labs/template/labs/ID.lua --@ID@: the lab's id, @FUNCTION@: its name in C--> labs/LAB.lua
 *   the skeleton, the baseline, the answer and the traps beside it              the same way */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/lesson/lab.h"
#include "runner/cli/cli.h"

static const char *const files[] = {"labs/ID.lua",
                                    "labs/ID.cu",
                                    "kernels/ID.cu",
                                    "answers/ID.cu",
                                    "answers/traps/ID/ragged.cu",
                                    "answers/traps/ID/oob.cu",
                                    "answers/traps/ID/slow.cu",
                                    "answers/traps/ID/forged.cu"};
enum { FILES = sizeof files / sizeof *files };

static char *template_replace(const char *text, const char *from, const char *to) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from)) {
        lib_buffer_add(&b, text, (size_t)(hit - text));
        lib_buffer_puts(&b, to);
    }
    lib_buffer_puts(&b, text);
    return b.s;
}

/* The template's text with this lab's names in it. */
static char *template_fill(const char *text, const char *id) {
    char *function = lib_strdup(id);
    for (char *s = function; *s; s++) {
        if (*s == '-') *s = '_';
    }
    /* A C name cannot start with a digit. */
    if (*function >= '0' && *function <= '9') {
        char *f = lib_format("lab_%s", function);
        free(function);
        function = f;
    }
    char *a = template_replace(text, "@ID@", id), *b = template_replace(a, "@FUNCTION@", function);
    free(a);
    free(function);
    return b;
}

int cmd_new(int argc, char **argv) {
    const cli_option options[] = {{.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc != 2) return cli_fail(CLI_USAGE, "new takes a lab's id, such as my-lab");
    const char *id = argv[1];
    if (!lib_lab_id_valid(id))
        return cli_fail(CLI_USAGE,
                        "%s is no lab's id: expected lower-case letters, digits and single dashes, "
                        "such as my-lab",
                        id);
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_fail(CLI_ERROR, "%s", msg.text);
    if (p->installed && access(p->labs, W_OK))
        return cli_fail(
            CLI_ERROR,
            "%s is Warplab as it was installed, and not yours to write to: copy it (cp -r %s "
            "~/my-warplab) and set WARPLAB_ROOT to the copy",
            p->root, p->root);
    /* All or nothing: nothing that is there is touched. */
    char *to[FILES];
    const char *taken = NULL;
    for (int i = 0; i < FILES; i++) {
        char *relative = template_replace(files[i], "ID", id);
        to[i] = lib_path_join(p->root, relative);
        free(relative);
        if (lib_is_file(to[i])) taken = to[i];
    }
    status = taken ? cli_fail(CLI_USAGE, "%s is there already; take another id, or remove it first",
                              taken)
                   : CLI_PASSED;
    for (int i = 0; status == CLI_PASSED && i < FILES; i++) {
        char *from = lib_format("%s/labs/template/%s", p->root, files[i]),
             *text = lib_read_file(from, 0, NULL, &msg),
             *filled = text ? template_fill(text, id) : NULL;
        char *folder = lib_strdup(to[i]);
        *strrchr(folder, '/') = 0;
        if (!filled || !lib_make_folders(folder, &msg) ||
            !lib_write_file(to[i], filled, strlen(filled), &msg))
            status = cli_fail(CLI_ERROR, "%s", msg.text);
        else printf("%s\n", to[i] + strlen(p->root) + 1);
        free(folder);
        free(filled);
        free(text);
        free(from);
    }
    if (status == CLI_PASSED)
        printf(
            "\nNow: warplab check %s   says what is left to do, line by line; all the rest holds "
            "already\n     docs/instructor.md   says "
            "what each field means\n",
            id);
    for (int i = 0; i < FILES; i++) free(to[i]);
    return status;
}
