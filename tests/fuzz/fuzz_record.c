/* Fuzzes what is read back of a grading: any JSON object must give every report, in valid UTF-8, or
 * none because memory ran out. Reports are made from records, which another version, another tool
 * or a hand may have written. */
#include <stdlib.h>
#include <string.h>
#include "grader/report/model.h"

int fuzz_record(const uint8_t *data, size_t size);

int fuzz_record(const uint8_t *data, size_t size) {
    json_t *o = json_loadb((const char *)data, size, 0, NULL);
    for (int lang = 0; o && lang < LIB_LANGS; lang++) {
        lib_lang l = (lib_lang)lang;
        char *reports[GRADE_REPORT_FORMATS + 2] = {0};
        for (unsigned f = 0; f < GRADE_REPORT_FORMATS; f++) reports[f] = report_write(f, o, l);
        reports[GRADE_REPORT_FORMATS] = report_hidden(o, l);
        reports[GRADE_REPORT_FORMATS + 1] = report_goal_title(o, l);
        for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
            /* Nothing of a record may become markup, or a control character. */
            const char *r = reports[i] ? reports[i] : "";
            bool markup =
                i == GRADE_REPORT_JUNIT || i == GRADE_REPORT_STUDENT_HTML || i == GRADE_REPORT_HTML;
            if (markup && (strstr(r, "<script") || strchr(r, '\033'))) abort();
            json_t *text = json_string(r);
            if (!text) abort(); /* not UTF-8 */
            json_decref(text);
            free(reports[i]);
        }
    }
    json_decref(o);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_record(data, size);
}
#endif
