/* Rebuilds OUT/reports from the records: pages for a browser, and for each submission one file per
 * format. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"
#include "grader/json/json.h"
#include "words/said.h"

static bool reports_put(int out, const char *path, char *text, lib_message *msg) {
    bool ok = text && store_write_again(out, path, text, strlen(text), 0644, msg);
    if (!text && !lib_message_any(msg)) lib_message_set(msg, w_said_out_of_memory());
    free(text);
    return ok;
}

static bool reports_put_submission(int out, const course *c, const course_row *r, lib_lang lang,
                                   lib_message *msg) {
    json_t *o = course_record(c, r);
    const char *key = report_text(o, "key");
    char path[128];
    size_t n;
    /* The program's output is in a file beside the record. */
    SAY(path, "output/%s.txt", key);
    char *printed = store_read(out, path, (size_t)1 << 20, &n);
    if (printed) json_object_set_new(o, "output", json_text(printed));
    free(printed);
    bool ok = true;
    for (unsigned f = 0; ok && f < GRADE_REPORT_FORMATS; f++) {
        const char *suffix = grade_report_at(f)->suffix;
        SAY(path, "reports/%s.%s", key, suffix);
        if (*suffix) ok = reports_put(out, path, report_write(f, o, lang), msg);
    }
    json_decref(o);
    return ok;
}

int grade_batch_reports(const char *out, lib_lang lang, lib_message *msg) {
    course c;
    *msg = (lib_message){0};
    int fd = store_open(out, msg);
    bool ok = fd >= 0 && store_folder(fd, "reports", msg);
    if (ok) {
        ok = course_load(&c, out, msg);
        for (size_t i = 0; ok && i < c.count; i++)
            if (c.row[i].record) ok = reports_put_submission(fd, &c, &c.row[i], lang, msg);
        course_free(&c);
    }
    ok = ok && reports_put(fd, "reports/index.html", grade_html_course(out, lang, msg), msg);
    for (unsigned f = 0; ok && f < GRADE_EXPORT_FORMATS; f++) {
        char path[64];
        SAY(path, "reports/%s.csv", grade_export_name(f));
        ok = reports_put(fd, path, grade_export(out, f, NULL, msg), msg);
    }
    if (fd >= 0) close(fd);
    return ok ? 0 : -1;
}
