/* Fuzzes what the copy engine makes of a kernel's tensor map: any 128 bytes, with the sum that a
 * forger would put there. They are refused, or a description that cuTensorMapEncodeTiled() takes
 * and that packs to the same map again; no row of a box then lies outside the tensor.
 *
 *   input   the bytes, then the box's coordinates, four bytes each */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/memory/tensor_map.h"

int fuzz_tensor(const uint8_t *data, size_t size);

enum { TENSOR_ROWS = 600 };

static void tensor_sum(uint8_t map[SIM_TENSOR_MAP_BYTES]) {
    uint32_t h = 2166136261u;
    memcpy(map, &(uint32_t){0x57544d31}, 4);
    memset(map + 4, 0, 4);
    for (size_t i = 0; i < SIM_TENSOR_MAP_BYTES; i++) h = (h ^ map[i]) * 16777619u;
    memcpy(map + 4, &h, 4);
}

static void tensor_rows(const sim_tensor_map *t, const int32_t at[SIM_TENSOR_DIMS]) {
    static const uint32_t filter[SIM_TENSOR_DIMS - 2];
    if (sim_tensor_begins(t, at, filter)) return;
    sim_tensor_box b = sim_tensor_box_of(t);
    /* bytes from the base to the last element's end, which may be more than there are addresses */
    unsigned __int128 last = t->dim[0] * b.element;
    for (unsigned k = 1; k < t->rank; k++)
        last += (unsigned __int128)(t->dim[k] - 1) * t->stride[k - 1];
    if (b.bytes != b.rows * b.row) abort();
    for (uint64_t i = 0; i < TENSOR_ROWS && i < b.rows; i++) {
        uint64_t r = i < TENSOR_ROWS / 2 ? i : b.rows - 1 - (i - TENSOR_ROWS / 2) % b.rows;
        uint32_t first, count;
        sim_addr a = sim_tensor_row(t, &b, r, at, filter, &first, &count);
        if (!count) continue;
        if (first + (uint64_t)count > b.count[0]) abort();
        if (a - t->base + (uint64_t)count * b.element > last) abort();
    }
}

int fuzz_tensor(const uint8_t *data, size_t size) {
    uint8_t map[SIM_TENSOR_MAP_BYTES] = {0}, again[SIM_TENSOR_MAP_BYTES];
    int32_t at[SIM_TENSOR_DIMS] = {0};
    size_t n = size < sizeof map ? size : sizeof map;
    memcpy(map, data, n);
    memcpy(at, data + n, size - n < sizeof at ? size - n : sizeof at);
    tensor_sum(map);
    sim_tensor_map t, same;
    lib_message msg = {0};
    if (!sim_tensor_map_unpack(&t, map, &msg)) return 0;
    /* boxes of slices may be what a driver refuses */
    if (sim_tensor_map_check(&t, &msg) != SIM_OK && !t.interleave) abort();
    sim_tensor_map_pack(&t, again);
    if (!sim_tensor_map_unpack(&same, again, &msg) || memcmp(&t, &same, sizeof t) != 0) abort();
    sim_tensor_fill(&t);
    tensor_rows(&t, at);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_tensor(data, size);
}
#endif
