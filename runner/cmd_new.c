/* `warplab new LAB`: the files of a new lab, from the template in setup/new-lab, which is a lab that `warplab
 * check` proves but for its TODOs.
 *
 *   setup/new-lab/labs/ID.lua --@ID@: the lab's id, @FUNCTION@: its name in C--> labs/LAB.lua
 *   the skeleton, the baseline, the answer and the traps beside it              the same way */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static const char *const files[] = {"labs/ID.lua",
                                    "labs/ID.cu",
                                    "kernels/ID.cu",
                                    "answers/ID.cu",
                                    "answers/traps/ID/ragged.cu",
                                    "answers/traps/ID/oob.cu",
                                    "answers/traps/ID/slow.cu",
                                    "answers/traps/ID/forged.cu"};
enum { FILES = sizeof files / sizeof *files };

static char *replace(const char *text, const char *from, const char *to) {
    lab_buf b = {0};
    lab_buf_puts(&b, "");
    for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from)) {
        lab_buf_add(&b, text, (size_t)(hit - text));
        lab_buf_puts(&b, to);
    }
    lab_buf_puts(&b, text);
    return b.s;
}

/* The template's text with this lab's names in it. */
static char *fill(const char *text, const char *id) {
    char *function = lab_strdup(id);
    for (char *s = function; *s; s++) {
        if (*s == '-') *s = '_';
    }
    /* A C name cannot start with a digit. */
    if (*function >= '0' && *function <= '9') {
        char *f = lab_format("lab_%s", function);
        free(function);
        function = f;
    }
    char *a = replace(text, "@ID@", id), *b = replace(a, "@FUNCTION@", function);
    free(a);
    free(function);
    return b;
}

int cmd_new(int argc, char **argv) {
    const lab_option options[] = {{.name = NULL}};
    int status = lab_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc != 2) return lab_fail(LAB_USAGE, "new takes a lab's id, such as my-lab");
    const char *id = argv[1];
    if (!lab_id_valid(id))
        return lab_fail(
            LAB_USAGE,
            "%s is no lab's id: expected lower-case letters, digits and single dashes, such as my-lab", id);
    sim_message msg;
    const lab_paths *p = lab_paths_get(&msg);
    if (!p) return lab_fail(LAB_ERROR, "%s", msg.text);
    /* All or nothing: nothing that is there is touched. */
    char *to[FILES];
    const char *taken = NULL;
    for (int i = 0; i < FILES; i++) {
        char *relative = replace(files[i], "ID", id);
        to[i] = lab_path_join(p->root, relative);
        free(relative);
        if (lab_is_file(to[i])) taken = to[i];
    }
    status = taken ? lab_fail(LAB_USAGE, "%s is there already; take another id, or remove it first", taken)
                   : LAB_PASSED;
    for (int i = 0; status == LAB_PASSED && i < FILES; i++) {
        char *from = lab_format("%s/setup/new-lab/%s", p->root, files[i]),
             *text = lab_read_file(from, 0, NULL, &msg), *filled = text ? fill(text, id) : NULL;
        char *folder = lab_strdup(to[i]);
        *strrchr(folder, '/') = 0;
        if (!filled || !lab_make_folders(folder, &msg) ||
            !lab_write_file(to[i], filled, strlen(filled), &msg))
            status = lab_fail(LAB_ERROR, "%s", msg.text);
        else printf("%s\n", to[i] + strlen(p->root) + 1);
        free(folder);
        free(filled);
        free(text);
        free(from);
    }
    if (status == LAB_PASSED)
        printf("\nNow: warplab check %s   says what is left to do, line by line; all the rest holds "
               "already\n     docs/instructor.md   says "
               "what each field means\n",
               id);
    for (int i = 0; i < FILES; i++) free(to[i]);
    return status;
}
