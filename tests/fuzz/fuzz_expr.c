/* Fuzzes the expressions of a lesson ("ceil_div(n, 256)"): any text must give an expression that
 * evaluates to a finite number or a message, or a message with a caret. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "grader/lab.h"
#include "tests/said.h"

int fuzz_expr(const uint8_t *data, size_t size);

int fuzz_expr(const uint8_t *data, size_t size) {
    static const grade_param params[][3] = {{{"n", 1003}, {"w", 0}, {"b", 256}},
                                            {{"n", -1}, {"w", 9007199254740992.0}, {"b", 0.5}}};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    lib_message msg = {0};
    grade_expr *e = grade_expr_new(text, &msg);
    if (!e && !strchr(said(&msg), '^')) abort();
    for (size_t i = 0; e && i < 2; i++) {
        double v = 0;
        msg = (lib_message){0};
        if (grade_expr_eval(e, params[i], 3, &v, &msg) ? !isfinite(v) : !lib_message_any(&msg))
            abort();
    }
    grade_expr_free(e);
    free(text);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_expr(data, size);
}
#endif
