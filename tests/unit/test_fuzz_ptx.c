/* Replays the fuzzers' corpora (tests/fuzz/ptx, tests/fuzz/fatbin, tensor maps, programs' headers,
 * what the debugger reads and is told) through the same functions that
 * tests/fuzz/run fuzzes. A crash or a sanitizer's report fails the program. Each input is also cut
 * short and bent, a little: a fuzzer for everybody. */
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"
#include "tests/fuzz/replay.h"
#include "tests/fuzz/fuzz_ptx.c"
#include "tests/fuzz/fuzz_fatbin.c"
#include "tests/fuzz/fuzz_dwarf.c"
#include "tests/fuzz/fuzz_tensor.c"
#include "tests/fuzz/fuzz_elf.c"
#include "tests/fuzz/fuzz_debug.c"

int main(void) {
    CHECK(replay("tests/fuzz/ptx/*", fuzz_ptx, 12) >= 50);
    CHECK(replay("tests/ptx/*.ptx", fuzz_ptx, 30) >= 8);
    CHECK(replay("tests/fuzz/fatbin/*", fuzz_fatbin, 60) >= 5);
    CHECK(replay("tests/unit/debug/*.ptx", fuzz_dwarf, 300) >= 1);
    CHECK(replay("tests/fuzz/tensor/*", fuzz_tensor, 300) >= 4);
    CHECK(replay("tests/fuzz/elf/*", fuzz_elf, 60) >= 5);
    CHECK(replay("tests/fuzz/debug/*", fuzz_debug, 3) >= 8);
    return check_done();
}
