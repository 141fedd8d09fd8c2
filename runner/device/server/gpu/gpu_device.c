/* Requests to a GPU's helper. If the helper has ended (a broken context, a launch that was cut
 * off), everything on the device is lost: the generation is incremented, older handles become
 * invalid, and the next operation starts a new helper.
 *
 * Addresses: each generation has a quarter of the device's slice, so that an address of an older
 * one is recognised and never frees newer memory. */
#include "runner/device/server/gpu/gpu_device.h"
#include "runner/base/say.h"
#include "runner/device/sim/memory/memory.h"
#include "words/server.h"

#include <stdio.h>
#include <string.h>

enum { GENERATIONS = 4 };
#define RANGE_BYTES (SIM_DEV_BYTES / GENERATIONS)

static sim_status gpu_status(const gpu_reply *r) {
    switch (r->error) {
#define RESULT(number, name, lost, status)                                                         \
    case number:                                                                                   \
        return status;
#include "runner/device/gpu/results.def"
#undef RESULT
    default: return SIM_BAD_ARGUMENT;
    }
}

uint64_t dev_gpu_bytes(void) {
    return RANGE_BYTES;
}

uint64_t dev_gpu_base(const gpu_device *g) {
    return SIM_DEV_BASE(g->slot) + (uint64_t)(g->generation % GENERATIONS) * RANGE_BYTES;
}

static void gpu_lose(gpu_device *g) {
    gpu_process_kill(&g->process);
    g->open = false;
    g->generation++;
}

void dev_gpu_said(lib_message *msg, const char *text) {
    const char *what = strstr(text, ": "), *error = what ? strrchr(what, '(') : NULL;
    char call[64], why[400], name[100];
    if (strncmp(text, "cu", 2) != 0 || !error || strcmp(error + strcspn(error, ")"), ")") != 0 ||
        error[-1] != ' ' || error < what + 3) {
        lib_message_set(msg, w_server_gpu_said(text));
        return;
    }
    SAY(call, "%.*s", (int)(what - text), text);
    SAY(why, "%.*s", (int)(error - 1 - (what + 2)), what + 2);
    SAY(name, "%.*s", (int)strcspn(error + 1, ")"), error + 1);
    lib_message_set(msg, w_server_gpu_call(call, why, name));
}

bool dev_gpu_start(gpu_device *g, lib_message *msg) {
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Open,
                     .in.Open = {.device = g->index, .base = dev_gpu_base(g), .size = RANGE_BYTES}};
    if (!gpu_process_start(&g->process, msg)) return false;
    gpu_asked asked = gpu_process_ask(&g->process, &q, -1, GPU_REQUEST_LIMIT, NULL, &r);
    if (asked == GPU_ASKED && !r.error && r.out.Open.base == dev_gpu_base(g)) {
        memcpy(&g->machine, g->process.window, sizeof g->machine);
        g->machine.name[sizeof g->machine.name - 1] = g->machine.uuid[sizeof g->machine.uuid - 1] =
            g->machine.driver[sizeof g->machine.driver - 1] = 0;
        g->stack = SIM_STACK_BYTES;
        return g->open = true;
    }
    if (asked == GPU_ASKED && !r.error)
        snprintf(r.text, sizeof r.text,
                 "the driver does not give the addresses that device pointers need");
    lib_message why;
    dev_gpu_said(&why, asked == GPU_ASKED ? r.text : "the driver does not answer");
    lib_message_set(msg, w_server_gpu_says(g->index, &why));
    gpu_process_kill(&g->process);
    return false;
}

sim_status dev_gpu_ask_long(gpu_device *g, gpu_request *q, int fd, double limit,
                            const volatile int *stop, gpu_reply *r) {
    lib_message msg = {0};
    if (!g->open && !dev_gpu_start(g, &msg)) {
        memset(r, 0, sizeof *r);
        lib_message_text(r->text, sizeof r->text, LIB_EN, &msg);
        return SIM_TRAP;
    }
    switch (gpu_process_ask(&g->process, q, fd, limit, stop, r)) {
    case GPU_ASKED: break;
    case GPU_STOPPED: gpu_lose(g); return SIM_CANCELLED;
    case GPU_DIED:
        gpu_lose(g);
        snprintf(r->text, sizeof r->text, "the process that holds the GPU ended");
        return SIM_TRAP;
    }
    if (r->lost) gpu_lose(g);
    return gpu_status(r);
}

sim_status dev_gpu_ask(gpu_device *g, gpu_request *q, gpu_reply *r) {
    return dev_gpu_ask_long(g, q, -1, GPU_REQUEST_LIMIT, NULL, r);
}

double dev_gpu_net(const gpu_device *g, double us) {
    return us > g->cost.event_gap_us ? us - g->cost.event_gap_us : us;
}
