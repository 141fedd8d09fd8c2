/* Tensor maps: converts the driver's parameters to the device's, and returns its 128 bytes. A
 * description that does not fit is refused with a line that says why. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "words/server.h"

#include <string.h>

_Static_assert((int)WIRE_TENSOR_MAP_BYTES == (int)SIM_TENSOR_MAP_BYTES, "a tensor map");
_Static_assert((int)WIRE_TENSOR_DIMS == (int)SIM_TENSOR_DIMS, "its dimensions");

cudaError_t dev_on_TensorMap(dev_call *k, const struct wire_in_TensorMap *in,
                             struct wire_out_TensorMap *out) {
    wire_tensor_map w;
    (void)in, (void)out;
    if (k->span_bytes[0] != sizeof w) return cudaErrorInvalidValue;
    memcpy(&w, k->span[0], sizeof w);
    sim_tensor_map t = {.type = w.type,
                        .rank = w.rank,
                        .base = w.address,
                        .interleave = w.interleave,
                        .swizzle = w.swizzle,
                        .promotion = w.promotion,
                        .fill = w.fill,
                        .im2col = w.im2col,
                        .pixels = w.pixels};
    memcpy(t.dim, w.dim, sizeof t.dim);
    memcpy(t.stride, w.stride, sizeof t.stride);
    memcpy(t.box, w.box, sizeof t.box);
    memcpy(t.step, w.step, sizeof t.step);
    memcpy(t.lower, w.lower, sizeof t.lower);
    memcpy(t.upper, w.upper, sizeof t.upper);
    uint8_t map[SIM_TENSOR_MAP_BYTES];
    lib_message why = {0};
    sim_status s = HW(dev_hw(k->c, k->device), tensor_map, &t, map, &why);
    if (s == SIM_OK) return dev_answer(k, map, sizeof map);
    lib_message_set(&k->note, w_server_tensor_map(w.im2col ? "Im2col" : "Tiled", &why));
    return dev_error(s);
}
