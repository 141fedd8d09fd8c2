/* Outgoing messages (reply.c). */
#ifndef WARPLAB_DEVICE_REPLY_H
#define WARPLAB_DEVICE_REPLY_H

#include "runner/device/server/core/server.h"

/* Sends a reply by the rules of protocol.h; output of the device and a note are further spans.
 * Returns false if the program does not receive it; c->wire.error says why. */
bool dev_reply(dev_call *k, cudaError_t e, const uint64_t *outs, unsigned n, double deadline);
/* Closes the socket, and tells the log that the program has ended. */
void dev_hang_up(dev_client *c);

#endif
