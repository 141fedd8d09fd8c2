/* `warplab gradebook`: grades of a batch listed, exported for a course's system, two gradings compared
 * (grader/course/course.h). */
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "runner/cli/cli.h"

static int print_or_write(char *text, const char *path, const lib_message *why) {
    lib_message msg = {0};
    if (!text) return cli_fail(CLI_ERROR, "%s", why->text);
    bool ok = lib_write_file(path ? path : "-", text, strlen(text), &msg);
    free(text);
    return ok ? CLI_PASSED : cli_fail(CLI_ERROR, "%s", msg.text);
}

int cmd_gradebook(int argc, char **argv) {
    const char *asked = NULL, *only = NULL, *csv = NULL, *json = NULL, *canvas = NULL,
               *moodle = NULL, *roster = NULL;
    const cli_option options[] = {
        {.name = "lang", .value = &asked},    {.name = "lab", .value = &only},
        {.name = "csv", .value = &csv},       {.name = "json", .value = &json},
        {.name = "canvas", .value = &canvas}, {.name = "moodle", .value = &moodle},
        {.name = "roster", .value = &roster}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_lang lang;
    lib_message msg = {0};
    if (status >= 0) return status;
    if (!cli_lang(asked, &lang))
        return cli_fail(CLI_USAGE, "gradebook: --lang takes en or zh, found %s", asked);
    if (argc == 3 && !strcmp(argv[1], "list"))
        return print_or_write(gradebook_list(argv[2], only, lang, &msg), NULL, &msg);
    if (argc == 4 && !strcmp(argv[1], "compare")) {
        size_t differ = 0;
        status =
            print_or_write(gradebook_compare(argv[2], argv[3], lang, &differ, &msg), NULL, &msg);
        return status == CLI_PASSED && differ ? CLI_FAILED : status;
    }
    if (argc == 3 && !strcmp(argv[1], "export")) {
        if (!csv && !json && !canvas && !moodle) csv = "-";
        if (csv && (status = print_or_write(gradebook_export(argv[2], GRADEBOOK_CSV, &msg), csv,
                                            &msg)) != CLI_PASSED)
            return status;
        if (json && (status = print_or_write(gradebook_export(argv[2], GRADEBOOK_JSON, &msg), json,
                                             &msg)) != CLI_PASSED)
            return status;
        if (canvas && (status = print_or_write(grade_csv_canvas(argv[2], roster, &msg), canvas,
                                               &msg)) != CLI_PASSED)
            return status;
        if (moodle && (status = print_or_write(grade_csv_moodle(argv[2], roster, &msg), moodle,
                                               &msg)) != CLI_PASSED)
            return status;
        return CLI_PASSED;
    }
    if (argc == 3 && !strcmp(argv[1], "rebuild")) {
        if (gradebook_rebuild(argv[2], &msg) || grade_batch_reports(argv[2], lang, &msg))
            return cli_fail(CLI_ERROR, "%s", msg.text);
        return CLI_PASSED;
    }
    return cli_fail(CLI_USAGE,
                    "usage: warplab gradebook list|export|rebuild OUT, or compare OUT OUT; OUT is "
                    "the folder of a batch; --help lists the options");
}

/* ---- grade status, grade explain ---- */

static int look(int argc, char **argv, bool explain) {
    const char *asked = NULL;
    const cli_option options[] = {{.name = "lang", .value = &asked}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_lang lang;
    lib_message msg = {0};
    if (status >= 0) return status;
    if (!cli_lang(asked, &lang))
        return cli_fail(CLI_USAGE, "grade: --lang takes en or zh, found %s", asked);
    if (explain && (argc == 3 || argc == 4))
        return print_or_write(course_explain(argv[1], argv[2], argv[3], lang, &msg), NULL, &msg);
    if (!explain && argc == 2)
        return print_or_write(course_status(argv[1], lang, &msg), NULL, &msg);
    return cli_fail(CLI_USAGE,
                    "usage: warplab grade status OUT, or warplab grade explain OUT STUDENT "
                    "[LAB]; OUT is the folder of a batch");
}

int cmd_grade_status(int argc, char **argv) {
    return look(argc, argv, false);
}

int cmd_grade_explain(int argc, char **argv) {
    return look(argc, argv, true);
}
