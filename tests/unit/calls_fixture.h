/* A client of a simulated device whose calls are asked directly: the session, the client, one call
 * `k`, and CALL(). */
#ifndef WARPLAB_TESTS_CALLS_FIXTURE_H
#define WARPLAB_TESTS_CALLS_FIXTURE_H

#include "runner/base/message.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/object.h"
#include "runner/device/server/core/stream.h"
#include "tests/check.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static dev_session *session;
static dev_client *c;
static int program; /* the other end */
static dev_call k;

static inline bool begin_on(const char *device) {
    dev_options o;
    lib_message msg;
    int pair[2];
    dev_options_default(&o);
    o.device = device, o.ptxas = "";
    session = dev_session_new(&o, &msg);
    if (!session || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return false;
    c = dev_client_new(session, pair[0], &msg);
    program = pair[1];
    k = (dev_call){.c = c, .fd = -1};
    return c;
}
static inline bool begin(void) {
    return begin_on("sim:t4");
}
static inline void end(void) {
    dev_answer_free(&k);
    dev_client_free(c);
    close(program);
    dev_session_free(session);
}
/* The call's byte strings. */
static inline void spans(const void *a, size_t an, const void *b, size_t bn) {
    dev_answer_free(&k);
    memset(k.span_bytes, 0, sizeof k.span_bytes);
    k.span[0] = a, k.span[1] = b;
    k.span_bytes[0] = (uint32_t)an, k.span_bytes[1] = (uint32_t)bn;
}
/* CALL(name, out, { scalars }): the call's answer. */
#define CALL(name, out, ...) dev_on_##name(&k, &(const struct wire_in_##name)__VA_ARGS__, (out))

#endif
