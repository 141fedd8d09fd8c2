/* The reply of a call (answer.c): bytes, lines, and an error's number. */
#ifndef WARPLAB_DEVICE_ANSWER_H
#define WARPLAB_DEVICE_ANSWER_H

#include "runner/device/server/core/server.h"

/* Adds a span to the reply; it is copied. */
cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes);
void dev_answer_free(dev_call *k); /* the spans, and the descriptor */
/* "cudaFoo: reason", each once, for the user of the program. */
void dev_unsupported(dev_client *c, lib_words words);
/* Says why the call fails, if the error's name leaves it open. */
#define BECAUSE(k, words) lib_message_set(&(k)->why, words)
/* Refuses what CUDA itself does not do, with a line for the program. Returns
 * cudaErrorNotSupported. */
cudaError_t dev_refuse(dev_call *k, lib_words why);
/* Finds an attribute of a device (gpu/attributes.def) in its profile. Returns false if there is no
 * such number. */
bool dev_query_attribute(const dev_client *c, unsigned device, uint64_t number, int *out);
/* Returns the program's error for a status of the device. */
cudaError_t dev_error(sim_status s);

#endif
