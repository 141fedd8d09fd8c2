/* Replays the corpora of the fuzzers of what people write, hand in or show (tests/fuzz/expr,
 * record, ingest, lesson, pack, course, against, certificate, exam, words; the lessons themselves)
 * through the functions that tests/fuzz/run fuzzes, each input also cut short and bent a little. A
 * crash or a sanitizer's report fails the program. */
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/fuzz_expr.c"
#include "tests/fuzz/fuzz_record.c"
#include "tests/fuzz/fuzz_ingest.c"
#include "tests/fuzz/fuzz_lesson.c"
#include "tests/fuzz/fuzz_pack.c"
#include "tests/fuzz/fuzz_course.c"
#include "tests/fuzz/fuzz_against.c"
#include "tests/fuzz/fuzz_certificate.c"
#include "tests/fuzz/fuzz_exam.c"
#include "tests/fuzz/fuzz_words.c"

int main(void) {
    CHECK(replay("tests/fuzz/expr/*", fuzz_expr, 300) >= 20);
    CHECK(replay("tests/fuzz/record/*", fuzz_record, 60) >= 4);
    CHECK(replay("tests/fuzz/ingest/*", fuzz_ingest, 60) >= 8);
    CHECK(replay("tests/fuzz/lesson/*", fuzz_lesson, 3) >= 4);
    CHECK(replay("tests/fuzz/pack/*", fuzz_pack, 30) >= 3);
    CHECK(replay("tests/fuzz/course/*", fuzz_course, 30) >= 3);
    CHECK(replay("tests/fuzz/against/*", fuzz_against, 100) >= 2);
    CHECK(replay("tests/fuzz/certificate/*", fuzz_certificate, 100) >= 3);
    CHECK(replay("tests/fuzz/exam/*", fuzz_exam, 30) >= 3);
    CHECK(replay("tests/fuzz/words/*", fuzz_words, 300) >= 6);
    CHECK(replay("labs/[a-d]*.lua", fuzz_lesson, 3) >= 4);
    return check_done();
}
