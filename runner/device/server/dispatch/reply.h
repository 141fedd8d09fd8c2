/* Messages out (reply.c). */
#ifndef WARPLAB_DEVICE_REPLY_H
#define WARPLAB_DEVICE_REPLY_H

#include "runner/device/server/core/server.h"

/* A reply by the rule of protocol.h; what the device printed and a note go along as spans. False:
 * the program does not take it, and c->wire.error says so. */
bool dev_reply(dev_call *k, cudaError_t e, const uint64_t *outs, unsigned n, double deadline);
/* Closes the socket; the log hears of the program's end. */
void dev_hang_up(dev_client *c);

#endif
