/* Calls and launches that failed, as findings of kind `call`. They are reported, but not judged:
 * the program may have handled the error, which the server cannot see.
 *
 *   a handler's error --dev_log_failing--> log.why: reason, thread, error
 *   CallFailed (the entry point's name) --dev_log_failed--> finding, with that reason
 *
 * A posted call has no reply, so dispatch/client.c makes its finding at once. Repetitions of a
 * broken context's error are left out, because the kernel that broke it has a finding. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/base/say.h"
#include "runner/device/server/core/object.h"
#include "words/server.h"

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
    default: *text = ""; return NULL;
    }
}

void dev_log_failed(dev_call *k, const char *name, cudaError_t e, const uint64_t *callers,
                    size_t n) {
    dev_client *c = k->c;
    const dev_context *x = &c->context[k->device];
    if (e == x->sticky || e == x->fault || c->log.replaying) return;
    char unknown[24], kernel[124];
    const char *text, *error = error_name(e, &text);
    SAY(unknown, "cudaError %d", (int)e);
    SAY(kernel, "%.120s", k->kernel ? k->kernel : "");
    if (!error) error = unknown;
    sim_finding f = {.kind = SIM_FIND_CALL, .count = 1, .kernel = k->kernel ? k->kernel : ""};
    bool reason = lib_message_any(&k->why);
    lib_message what;
    lib_message_set(&what, *kernel && reason ? w_server_launch_failed(kernel, name, error, &k->why)
                           : *kernel ? w_server_launch_failed_plainly(kernel, name, error, text)
                           : reason  ? w_server_call_failed(name, error, &k->why)
                                     : w_server_call_failed_plainly(name, error, text));
    c->log.allocation_failed |= e == cudaErrorMemoryAllocation;
    dev_log_said_at(c, &f, callers, n, &what);
}

void dev_log_failing(dev_call *k, cudaError_t e) {
    dev_log_state *g = &k->c->log;
    g->why.there = true, g->why.thread = k->thread, g->why.error = e;
    g->why.text = k->why, g->why.kernel = k->kernel;
}
