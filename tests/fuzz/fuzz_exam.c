/* Fuzzes what an exam reads: a JSON object {"spec": what exam.lua says, "record": what a student
 * hands in, "ticket": ...}. A ticket of any shape opens or says why not; one that the course made
 * is judged with any answers, files and times that its owner signed. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runner/practice/exam.h"

int fuzz_exam(const uint8_t *data, size_t size);

static bank *exam_bank;
static exam exam_opened;
static const exam_key exam_own = {.bytes = "0123456789abcdef", .n = 16};

static void exam_bank_gone(void) {
    bank_close(exam_bank);
}

static bool exam_may_open(const json_t *ticket) {
    lib_message msg = {0};
    bool ok = exam_open(ticket, exam_bank, &exam_opened, &msg);
    if (ok ? !(exam_opened.question_count + exam_opened.lab_count) : !lib_message_any(&msg))
        abort();
    return ok;
}

/* What the student may write into a record and sign. */
static void exam_handed_in(const json_t *ticket, const json_t *theirs) {
    static const char *const fields[] = {"started", "answers", "files", "ended", "session"};
    lib_message msg = {0};
    json_t *record = exam_record(ticket, 1790000000, &msg);
    if (!record) abort();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        json_t *v = json_object_get(theirs, fields[i]);
        if (v) json_object_set(record, fields[i], v);
    }
    exam_answer(record, &exam_opened, 0, "7", 3);
    exam_file(record, "vector-add", "__global__ void k() {}", 5);
    exam_sign(record, ticket);
    exam_result r;
    exam_judge(record, &exam_opened, &exam_own, &r);
    size_t told = r.right + r.wrong + r.open + r.late;
    if (r.state == EXAM_FORGED_TICKET || r.state == EXAM_CHANGED || !(r.points <= r.max + 1e-6))
        abort();
    if (r.state == EXAM_GOOD ? told != exam_opened.question_count : told || r.points > 0) abort();
    if (!isfinite(exam_elapsed(record))) abort();
    for (size_t i = 0; i < exam_opened.lab_count; i++)
        exam_source(record, &exam_opened, exam_opened.lab[i].lab);
    json_decref(record);
}

int fuzz_exam(const uint8_t *data, size_t size) {
    if (!exam_bank) {
        exam_bank = bank_open(".");
        atexit(exam_bank_gone);
    }
    json_t *o = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    exam_may_open(json_object_get(o, "ticket"));
    char *spec = json_dumps(json_object_get(o, "spec"), JSON_COMPACT);
    lib_message msg = {0};
    char *text = spec ? exam_ticket(spec, "ada", &exam_own, 1790000000, &msg) : NULL;
    if (spec && !text && !lib_message_any(&msg)) abort();
    json_t *ticket = text ? json_loads(text, 0, NULL) : NULL;
    if (text && !ticket) abort();
    if (ticket && exam_may_open(ticket)) exam_handed_in(ticket, json_object_get(o, "record"));
    json_decref(ticket);
    free(text);
    free(spec);
    json_decref(o);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_exam(data, size);
}
#endif
