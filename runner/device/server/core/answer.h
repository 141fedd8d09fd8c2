/* What a call says back (answer.c): bytes, lines, and an error's number. */
#ifndef WARPLAB_DEVICE_ANSWER_H
#define WARPLAB_DEVICE_ANSWER_H

#include "runner/device/server/core/server.h"

/* Adds a span to the reply; copied. */
cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes);
void dev_answer_free(dev_call *k); /* the spans, and the descriptor */
/* "cudaFoo: reason", each once, for whoever runs the program. */
void dev_unsupported(dev_client *c, lib_words words);
/* Why the call fails, where the error's name leaves it open. */
#define BECAUSE(k, words) lib_message_set(&(k)->why, words)
/* What CUDA itself does not do, in a line for the program: cudaErrorNotSupported. */
cudaError_t dev_refuse(dev_call *k, lib_words why);
/* An attribute of a device (gpu/attributes.def), from its profile; false: there is no such
 * number. */
bool dev_query_attribute(const dev_client *c, unsigned device, uint64_t number, int *out);
/* What the program hears when the device reports something. */
cudaError_t dev_error(sim_status s);

#endif
