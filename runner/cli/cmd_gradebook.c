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
    if (!text) return cli_say(CLI_ERROR, why);
    bool ok = lib_write_file(path ? path : "-", text, strlen(text), &msg);
    free(text);
    return ok ? CLI_PASSED : cli_say(CLI_ERROR, &msg);
}

typedef struct {
    const char *csv, *json, *canvas, *moodle, *roster, *lab;
} exports;

/* All of them are made before the first is written: a roster that does not fit leaves nothing half
 * done. Students whom the roster does not name are said, and make the exit status 3. */
static int export_all(const char *out, const exports *e) {
    lib_message msg = {0};
    grade_csv how[2] = {{.roster = e->roster, .lab = e->lab}, {.roster = e->roster, .lab = e->lab}};
    bool none = !e->csv && !e->json && !e->canvas && !e->moodle;
    struct {
        const char *path;
        char *text;
    } file[4] = {
        {none ? "-" : e->csv, NULL}, {e->json, NULL}, {e->canvas, NULL}, {e->moodle, NULL}};
    bool ok = true;
    if (file[0].path) ok = (file[0].text = gradebook_export(out, GRADEBOOK_CSV, &msg)) != NULL;
    if (ok && e->json) ok = (file[1].text = gradebook_export(out, GRADEBOOK_JSON, &msg)) != NULL;
    if (ok && e->canvas) ok = (file[2].text = grade_csv_canvas(out, &how[0], &msg)) != NULL;
    if (ok && e->moodle) ok = (file[3].text = grade_csv_moodle(out, &how[1], &msg)) != NULL;
    for (int i = 0; i < 4; i++) {
        if (ok && file[i].path)
            ok = lib_write_file(file[i].path, file[i].text, strlen(file[i].text), &msg);
        free(file[i].text);
    }
    if (!ok) return cli_say(CLI_ERROR, &msg);
    for (size_t i = 0; i < how[0].warned; i++) cli_say(CLI_PASSED, &how[0].warning[i]);
    const grade_csv *told = how[0].noted ? &how[0] : &how[1];
    for (size_t i = 0; i < told->noted && i < 3; i++)
        cli_fail2(CLI_ERROR, "%s: no row of theirs was filled", "%s：没有填写其任何一行",
                  told->first[i]);
    if (told->noted > 3) cli_fail2(CLI_ERROR, "... and %zu more", "……还有 %zu 个", told->noted - 3);
    return told->noted ? CLI_ERROR : CLI_PASSED;
}

int cmd_gradebook(int argc, char **argv) {
    const char *only = NULL, *csv = NULL, *json = NULL, *canvas = NULL, *moodle = NULL,
               *roster = NULL;
    lib_lang lang;
    const cli_option options[] = {
        {.name = "lang", .lang = &lang},      {.name = "lab", .value = &only},
        {.name = "csv", .value = &csv},       {.name = "json", .value = &json},
        {.name = "canvas", .value = &canvas}, {.name = "moodle", .value = &moodle},
        {.name = "roster", .value = &roster}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    if (status >= 0) return status;
    if (argc == 3 && !strcmp(argv[1], "list"))
        return print_or_write(gradebook_list(argv[2], only, lang, &msg), NULL, &msg);
    if (argc == 4 && !strcmp(argv[1], "compare")) {
        size_t differ = 0;
        status =
            print_or_write(gradebook_compare(argv[2], argv[3], lang, &differ, &msg), NULL, &msg);
        return status == CLI_PASSED && differ ? CLI_FAILED : status;
    }
    if (argc == 3 && !strcmp(argv[1], "export"))
        return export_all(argv[2], &(exports){csv, json, canvas, moodle, roster, only});
    if (argc == 3 && !strcmp(argv[1], "rebuild")) {
        if (gradebook_rebuild(argv[2], &msg) || grade_batch_reports(argv[2], lang, &msg))
            return cli_say(CLI_ERROR, &msg);
        return CLI_PASSED;
    }
    return cli_fail2(CLI_USAGE,
                     "usage: warplab gradebook list|export|rebuild OUT, or compare OUT OUT; OUT is "
                     "the folder of a batch; --help lists the options",
                     "用法：warplab gradebook list|export|rebuild OUT，或 compare OUT OUT；OUT "
                     "是一次批量评分的文件夹；--help 列出选项");
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
    return cli_fail2(CLI_USAGE,
                     "usage: warplab grade status OUT, or warplab grade explain OUT STUDENT [LAB]; "
                     "OUT is the folder of a batch",
                     "用法：warplab grade status OUT，或 warplab grade explain OUT STUDENT "
                     "[LAB]；OUT 是一次批量评分的文件夹");
}

int cmd_grade_status(int argc, char **argv) {
    return record_say(argc, argv, false);
}

int cmd_grade_explain(int argc, char **argv) {
    return record_say(argc, argv, true);
}
