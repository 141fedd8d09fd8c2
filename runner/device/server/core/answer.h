/* What a call says back (answer.c): bytes, lines, and an error's number. */
#ifndef WARPLAB_DEVICE_ANSWER_H
#define WARPLAB_DEVICE_ANSWER_H

#include "runner/device/server/core/server.h"

/* Adds a span to the reply; copied. */
cudaError_t dev_answer(dev_call *k, const void *data, size_t bytes);
void dev_answer_free(dev_call *k); /* the spans, and the descriptor */
/* "cudaFoo: reason", each line once, for whoever runs the program. */
void dev_unsupported(dev_client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Why the call fails, in both languages, where the error's name leaves it open. */
#define BECAUSE(k, ...) lib_message_set2(&(k)->why, __VA_ARGS__)
/* What CUDA itself does not do, in a line for the program: cudaErrorNotSupported. */
cudaError_t dev_refuse(dev_call *k, const char *en, const char *zh);
/* An attribute of a device (gpu/attributes.def), from its profile; false: there is no such
 * number. */
bool dev_query_attribute(const dev_client *c, unsigned device, uint64_t number, int *out);
/* What the program hears when the device reports something. */
cudaError_t dev_error(sim_status s);

#endif
