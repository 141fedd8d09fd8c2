/* `warplab gradebook`: lists the grades of a batch, exports them for a course's system, compares
 * two gradings (grader/course/course.h). Also `grade status` and `grade explain`. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

static int print_or_write(char *text, const char *path, const lib_message *why) {
    lib_message msg = {0};
    if (!text) return cli_say(CLI_ERROR, why);
    char *shown = path ? NULL : lib_shown(text, strlen(text));
    const char *said = shown ? shown : text;
    bool ok = lib_write_file(path ? path : "-", said, strlen(said), &msg);
    free(shown);
    free(text);
    return ok ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
}

typedef struct {
    const char *csv, *json, *system[GRADE_EXPORT_FORMATS]; /* paths, or NULL */
    const char *roster, *lab;
} exports;

enum { FILES = 2 + GRADE_EXPORT_FORMATS };

/* Prints which students the roster does not name, and other remarks about the exports. */
static int say_told(const grade_csv *how) {
    const grade_csv *told = &how[0];
    for (unsigned f = 0; f < GRADE_EXPORT_FORMATS; f++) {
        for (size_t i = 0; i < how[f].warned; i++) cli_say(CLI_PASSED, &how[f].warning[i]);
        if (how[f].noted && !told->noted) told = &how[f];
    }
    for (size_t i = 0; i < told->noted && i < 3; i++)
        cli_fail(CLI_ERROR, w_cli_gradebook_no_row(&told->first[i]));
    if (told->noted > 3) cli_fail(CLI_ERROR, w_cli_gradebook_more(told->noted - 3));
    return told->noted ? CLI_ERROR : CLI_PASSED;
}

/* Makes all exports before it writes the first, so that a wrong roster changes nothing. Students
 * whom the roster does not name are printed, and make the exit status 3. */
static int export_all(const char *out, const exports *e) {
    lib_message msg = {0};
    grade_csv how[GRADE_EXPORT_FORMATS];
    const char *path[FILES] = {e->csv, e->json};
    char *text[FILES] = {NULL};
    bool ok = true, none = !e->csv && !e->json;
    for (unsigned f = 0; f < GRADE_EXPORT_FORMATS; f++) {
        how[f] = (grade_csv){.roster = e->roster, .lab = e->lab};
        path[2 + f] = e->system[f];
        none = none && !e->system[f];
    }
    if (none) path[0] = "-";
    for (unsigned i = 0; ok && i < FILES; i++) {
        if (!path[i]) continue;
        text[i] = i < 2 ? gradebook_export(out, i ? GRADEBOOK_JSON : GRADEBOOK_CSV, &msg)
                        : grade_export(out, i - 2, &how[i - 2], &msg);
        ok = text[i] != NULL;
    }
    for (unsigned i = 0; i < FILES; i++) {
        if (ok && path[i]) ok = lib_write_file(path[i], text[i], strlen(text[i]), &msg);
        free(text[i]);
    }
    return ok ? say_told(how) : cli_say(CLI_ERROR, &msg);
}

int cmd_gradebook(int argc, char **argv) {
    exports e = {0};
    lib_lang lang;
    cli_option options[6 + GRADE_EXPORT_FORMATS] = {{.name = "lang", .lang = &lang},
                                                    {.name = "lab", .value = &e.lab},
                                                    {.name = "csv", .value = &e.csv},
                                                    {.name = "json", .value = &e.json},
                                                    {.name = "roster", .value = &e.roster}};
    for (unsigned f = 0; f < GRADE_EXPORT_FORMATS; f++)
        options[5 + f] = (cli_option){.name = grade_export_name(f), .value = &e.system[f]};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (argc == 3 && !strcmp(argv[1], "list"))
        return print_or_write(gradebook_list(argv[2], e.lab, lang, &msg), NULL, &msg);
    if (argc == 4 && !strcmp(argv[1], "compare")) {
        size_t differ = 0;
        status =
            print_or_write(gradebook_compare(argv[2], argv[3], lang, &differ, &msg), NULL, &msg);
        return status == CLI_PASSED && differ ? CLI_FAILED : status;
    }
    if (argc == 3 && !strcmp(argv[1], "export")) return export_all(argv[2], &e);
    if (argc == 3 && !strcmp(argv[1], "rebuild")) {
        if (gradebook_rebuild(argv[2], &msg) || grade_batch_reports(argv[2], lang, &msg))
            return cli_say(CLI_ERROR, &msg);
        return CLI_PASSED;
    }
    return cli_fail(CLI_USAGE, w_cli_usage_gradebook());
}

/* ---- grade status, grade explain ---- */

static int record_say(int argc, char **argv, bool explain) {
    lib_lang lang;
    const cli_option options[] = {{.name = "lang", .lang = &lang}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (explain && (argc == 3 || argc == 4))
        return print_or_write(course_explain(argv[1], argv[2], argv[3], lang, &msg), NULL, &msg);
    if (!explain && argc == 2)
        return print_or_write(course_status(argv[1], lang, &msg), NULL, &msg);
    return cli_fail(CLI_USAGE, w_cli_usage_grade_status());
}

int cmd_grade_status(int argc, char **argv) {
    return record_say(argc, argv, false);
}

int cmd_grade_explain(int argc, char **argv) {
    return record_say(argc, argv, true);
}
