/* OUT/reports, rebuilt from the records: pages for a browser, and a file a format for each
 * submission. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"
#include "grader/json/json.h"

static bool reports_put(int out, const char *path, char *text, lib_message *msg) {
    bool ok = text && store_write_again(out, path, text, strlen(text), 0644, msg);
    if (!text && !msg->text[0]) lib_message_set2(msg, "out of memory", "内存不足");
    free(text);
    return ok;
}

static bool reports_put_submission(int out, const course *c, const course_row *r, lib_lang lang,
                                   lib_message *msg) {
    json_t *o = course_record(c, r);
    const char *key = report_text(o, "key");
    char path[128];
    size_t n;
    /* What the program printed lies beside the record. */
    SAY(path, "output/%s.txt", key);
    char *printed = store_read(out, path, (size_t)1 << 20, &n);
    if (printed) json_object_set_new(o, "output", json_text(printed));
    free(printed);
    SAY(path, "reports/%s.html", key);
    bool ok = reports_put(out, path, report_instructor(o, lang), msg);
    json_object_del(o, "output");
    SAY(path, "reports/%s.student.html", key);
    ok = ok && reports_put(out, path, report_write(REPORT_STUDENT_HTML, o, lang), msg);
    SAY(path, "reports/%s.gradescope.json", key);
    ok = ok && reports_put(out, path, report_write(REPORT_GRADESCOPE, o, lang), msg);
    SAY(path, "reports/%s.junit.xml", key);
    ok = ok && reports_put(out, path, report_write(REPORT_JUNIT, o, lang), msg);
    json_decref(o);
    return ok;
}

int grade_batch_reports(const char *out, lib_lang lang, lib_message *msg) {
    course c;
    msg->text[0] = 0;
    int fd = store_open(out, msg);
    bool ok = fd >= 0 && store_folder(fd, "reports", msg);
    if (ok) {
        ok = course_load(&c, out, msg);
        for (size_t i = 0; ok && i < c.count; i++)
            if (c.row[i].record) ok = reports_put_submission(fd, &c, &c.row[i], lang, msg);
        course_free(&c);
    }
    ok = ok && reports_put(fd, "reports/index.html", grade_html_course(out, lang, msg), msg);
    ok = ok && reports_put(fd, "reports/canvas.csv", grade_csv_canvas(out, NULL, msg), msg);
    ok = ok && reports_put(fd, "reports/moodle.csv", grade_csv_moodle(out, NULL, msg), msg);
    if (fd >= 0) close(fd);
    return ok ? 0 : -1;
}
