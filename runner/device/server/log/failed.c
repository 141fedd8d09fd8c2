/* Calls and launches that failed, as findings of kind `call`. They are said, not judged: a program
 * may have looked at the error, which the server cannot see.
 *
 *   a handler's error --dev_log_failing--> log.why: reason, thread, error
 *   CallFailed (the entry point's name) --dev_log_failed--> finding, with that reason
 *
 * A posted call has no answer: dispatch/client.c makes its finding at once. What the error
 * of a broken context repeats is left out, since the kernel that broke it has a finding. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/object.h"

#include <stdio.h>
#include <string.h>

static const char *error_name(cudaError_t e, const char **text) {
    switch (e) {
#define ERR(name, code, words)                                                                     \
    case code:                                                                                     \
        *text = words;                                                                             \
        return #name;
#include "runner/device/cudart/errors.def"
#undef ERR
    default: *text = ""; return "an unknown error";
    }
}

void dev_log_failed(dev_call *k, const char *name, cudaError_t e, const uint64_t *callers,
                    size_t n) {
    dev_client *c = k->c;
    const dev_context *x = &c->context[k->device];
    if (e == x->sticky || e == x->fault || c->log.replaying) return;
    const char *text, *error = error_name(e, &text), *kernel = k->kernel ? k->kernel : "";
    char zh[600], file[256] = "", place[160] = "";
    bool reason = k->why.text[0];
    sim_finding f = {.kind = SIM_FIND_CALL, .count = 1, .kernel = kernel, .zh = zh};
    if (dev_log_line(c, callers, n, file, sizeof file, &f.line)) {
        const char *slash = strrchr(file, '/');
        f.file = file;
        snprintf(place, sizeof place, "%.140s:%u: ", slash ? slash + 1 : file, f.line);
    }
    if (*kernel)
        snprintf(f.text, sizeof f.text, "%sthe launch of %.120s (%s) failed with %s: %.200s", place,
                 kernel, name, error, reason ? k->why.text : text),
            snprintf(zh, sizeof zh, "%s启动核函数 %.120s（%s）失败，错误 %s%s%.250s", place, kernel,
                     name, error, reason ? "：" : "", k->why.zh);
    else
        snprintf(f.text, sizeof f.text, "%s%s failed with %s: %.250s", place, name, error,
                 reason ? k->why.text : text),
            snprintf(zh, sizeof zh, "%s调用 %s 失败，错误 %s%s%.300s", place, name, error,
                     reason ? "：" : "", k->why.zh);
    dev_log_finding(c, &f);
}

void dev_log_failing(dev_call *k, cudaError_t e) {
    dev_log_state *g = &k->c->log;
    g->why.there = true, g->why.thread = k->thread, g->why.error = e;
    g->why.text = k->why, g->why.kernel = k->kernel;
}
