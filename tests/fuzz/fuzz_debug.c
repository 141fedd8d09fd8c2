/* Fuzzes what is said to the debugger: commands at its prompt, requests of an editor. Whatever they
 * are, the launch under it comes to an end, and nothing but answers comes of them. The program is
 * one launch of tests/unit/debug/kernel.cu, on a device that is made for each input.
 *
 *   input   's' (in Chinese: 'z') and lines as at the prompt
 *           'd' and lines "COMMAND ARGUMENTS", the arguments in JSON, that become requests
 *           'r' and bytes that an editor sends */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/debugger/target.h"
#include "runner/device/sim/sim.h"
#include "tests/said.h"

int fuzz_debug(const uint8_t *data, size_t size);

enum { DEBUG_LINES = 60, DEBUG_LINE = 900, DEBUG_MOST = 40000 };

/* ---- in the place of target.c */

bool target_build(target_run *r, char **log, lib_message *msg) {
    (void)r, (void)msg;
    *log = NULL;
    return true;
}
unsigned target_opening(const debugger_target *t) {
    (void)t;
    return 0;
}
void target_free(target_run *r) {
    free(r->output);
    r->output = NULL;
}
bool target_go(target_run *r, lib_message *msg) {
    static char *debug_ptx;
    static size_t debug_ptx_bytes;
    if (!debug_ptx)
        debug_ptx = lib_read_file("tests/unit/debug/kernel.ptx", 0, &debug_ptx_bytes, msg);
    sim_options o;
    sim_options_default(&o);
    o.debug = r->debug, o.inst_budget = 100000, o.memory_limit = 1 << 20;
    sim_module_options mo = {.ptxas = ""};
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, msg);
    sim_module *m = d && debug_ptx ? sim_module_new(d, debug_ptx, debug_ptx_bytes, &mo, msg) : NULL;
    if (!m) abort();
    struct {
        sim_addr a, c;
        int n;
        struct {
            float x;
            int n;
        } p;
    } params = {.n = 120, .p = {0.5f, 100}};
    if (sim_malloc(d, 512, &params.a) || sim_malloc(d, 512, &params.c)) abort();
    sim_launch l = {.kernel = sim_module_kernel(m, "_Z4workPKfPfi4pair"),
                    .grid = {2, 1, 1},
                    .block = {64, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_result result;
    sim_run(d, &l, &result, msg);
    sim_result_free(&result);
    sim_module_free(m);
    sim_device_free(d);
    return true;
}

/* ---- what is said */

/* Lines of a bounded number and length; none writes a file. */
static size_t prompt_script(char *to, const char *from, size_t size) {
    size_t n = 0, begin = 0;
    for (size_t i = 0, lines = 0; i < size && lines < DEBUG_LINES && n < DEBUG_MOST; i++) {
        to[n++] = from[i];
        if (from[i] != '\n' && n - begin < DEBUG_LINE) continue;
        to[n - 1] = '\n';
        begin = n, lines++;
    }
    if (n > begin) to[n++] = '\n';
    to[n] = 0;
    for (char *line = to; line && line < to + n;) {
        char *word = line;
        line = memchr(line, '\n', (size_t)(to + n - line));
        if (line) line++;
        while (isspace((unsigned char)*word)) word++;
        if (!strncmp(word, "info ", 5))
            for (word += 5; isspace((unsigned char)*word);) word++;
        if (word[0] == 'p' && word[1] == 'a') word[1] = 'r';
    }
    return n;
}

static size_t requests(char *to, const char *from, size_t size) {
    size_t n = 0;
    for (int seq = 1; size && seq < DEBUG_LINES && n < DEBUG_MOST; seq++) {
        const char *end = memchr(from, '\n', size);
        size_t line = end ? (size_t)(end - from) : size, word = 0;
        while (word < line && isalpha((unsigned char)from[word])) word++;
        char body[DEBUG_LINE * 2];
        int bytes = line > DEBUG_LINE
                        ? 0
                        : snprintf(body, sizeof body,
                                   "{\"seq\":%d,\"type\":\"request\",\"command\":\"%.*s\""
                                   ",\"arguments\":%.*s}",
                                   seq, (int)word, from, (int)(line - word), from + word);
        /* The stream's end does what `disconnect` does, without a thread that reads on. */
        bool leaves = (word == 10 && !memcmp(from, "disconnect", word)) ||
                      (word == 9 && !memcmp(from, "terminate", word));
        if (bytes > 0 && !leaves)
            n += (size_t)sprintf(to + n, "Content-Length: %d\r\n\r\n%s", bytes, body);
        from += line + (end != NULL), size -= line + (end != NULL);
    }
    return n;
}

static size_t sent_bytes(char *to, const char *from, size_t size) {
    static const char *const leaving[] = {"disconnect", "terminate", "\\u"};
    size_t n = size < DEBUG_MOST ? size : DEBUG_MOST;
    memcpy(to, from, n);
    for (size_t k = 0; k < sizeof leaving / sizeof *leaving; k++)
        for (char *p; (p = memmem(to, n, leaving[k], strlen(leaving[k])));) p[1] = '_';
    return n;
}

static bool no_lab(debugger_target *t, const char *id, const char *file, lib_message *msg) {
    (void)t, (void)file;
    char en[200], zh[200];
    snprintf(en, sizeof en, "there is no lab %s", id);
    snprintf(zh, sizeof zh, "没有实验 %s", id);
    tell(msg, en, zh);
    return false;
}

int fuzz_debug(const uint8_t *data, size_t size) {
    static char script[DEBUG_MOST + 4096];
    if (!size || !strchr("szdr", data[0])) return 0;
    const char *text = (const char *)data + 1;
    bool prompt = data[0] == 's' || data[0] == 'z';
    size_t n = prompt           ? prompt_script(script, text, size - 1)
               : data[0] == 'd' ? requests(script, text, size - 1)
                                : sent_bytes(script, text, size - 1);
    int ends[2];
    if (pipe(ends) || write(ends[1], script, n) != (ssize_t)n) abort();
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r"), *out = fopen("/dev/null", "w");
    if (!in || !out) abort();
    debugger_target t = {.shown = "x", .program = "x", .device = "sim:h200"};
    if (prompt) debugger_shell(&t, data[0] == 'z' ? LIB_ZH : LIB_EN, in, out);
    else debugger_dap(in, out, LIB_EN, no_lab);
    fclose(in);
    fclose(out);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_debug(data, size);
}
#endif
