/* Sectors of a copy's rows against their definition: one sector after another, asked of every
 * byte's address. Rows that follow each other without a gap are one. And where a side of a copy
 * lies: which places a client may name, to the byte (core/memory.h), by a table of its memory. */
#include "runner/device/server/core/client.h"
#include "runner/base/message.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/memory.h"
#include "tests/check.h"

#include <stdlib.h>

/* Of `n` bytes from `at` on. */
static uint64_t run_sectors(uint64_t at, uint64_t n) {
    uint64_t found = 0;
    for (uint64_t k = 0; k < n; k++) found += k == 0 || (at + k) % 32 == 0;
    return found;
}

static uint64_t slow_sectors(const dev_place *r, uint64_t w, uint64_t h, uint64_t d) {
    uint64_t all = 0;
    bool rows_meet = h == 1 || r->pitch == w, slices_meet = d == 1 || r->slice == w * h;
    if (rows_meet && slices_meet) return run_sectors(r->base, w * h * d);
    for (uint64_t z = 0; z < d; z++)
        for (uint64_t y = 0; y < h; y++)
            all += run_sectors(r->base + z * r->slice + y * r->pitch, w);
    return all;
}

static void every_shape(void) {
    static const uint64_t bases[] = {0, 1, 31, 4096 + 17}, widths[] = {1, 4, 31, 32, 33, 100},
                          heights[] = {1, 2, 31, 32, 33, 70}, depths[] = {1, 2, 33, 64},
                          gaps[] = {0, 1, 28, 32, 156};
    unsigned wrong = 0, asked = 0;
    for (unsigned k = 0; k < 4 * 6 * 6 * 4 * 5 * 3; k++) {
        unsigned n = k;
        uint64_t base = bases[n % 4], w = widths[(n /= 4) % 6], h = heights[(n /= 6) % 6],
                 d = depths[(n /= 6) % 4], pitch = w + gaps[(n /= 4) % 5];
        uint64_t slice = pitch * (h + (n / 5) % 3); /* rows that are not copied */
        dev_place r = {.base = base, .pitch = pitch, .slice = slice};
        uint64_t want = slow_sectors(&r, w, h, d), got = dev_place_sectors(&r, w, h, d);
        if (got != want && !wrong)
            printf("# %llu x %llu x %llu from %llu, pitch %llu, slice %llu: %llu, not %llu\n",
                   (unsigned long long)w, (unsigned long long)h, (unsigned long long)d,
                   (unsigned long long)base, (unsigned long long)pitch, (unsigned long long)slice,
                   (unsigned long long)got, (unsigned long long)want);
        wrong += got != want;
        asked++;
    }
    CHECK_INT(asked, 8640);
    CHECK_INT(wrong, 0);
    /* nothing touches none, wherever a sector begins */
    dev_place r = {.base = 31, .pitch = 1, .slice = 1};
    CHECK_INT(dev_place_sectors(&r, 0, 1, 1), 0);
    CHECK_INT(dev_place_sectors(&r, 1, 0, 1), 0);
    CHECK_INT(dev_place_sectors(&r, 1, 1, 0), 0);
}

/* ---- which places there are */

#define AT(how, base, row, height, ...)                                                            \
    ((wire_place){.at = WIRE_AT_##how,                                                             \
                  .device = -1,                                                                    \
                  .address = (base),                                                               \
                  .pitch = (row),                                                                  \
                  .rows = (height),                                                                \
                  ##__VA_ARGS__})
#define MEM(row, height, ...) AT(POINTER, 0x10000, row, height, ##__VA_ARGS__)
#define LIES(at, row, all, on, ...)                                                                \
    { .base = (at), .pitch = (row), .slice = (all), .device = (on), ##__VA_ARGS__ }
#define ARRAY(...) AT(ARRAY, array.handle, 0, 0, ##__VA_ARGS__)

static dev_session session = {.count = 2, .total = 1 << 20};
static dev_client client = {.s = &session, .budget.limit = 1 << 20};

static void places(void) {
    dev_client *c = &client;
    dev_mem_add(c, &(dev_mem){.base = 0x10000, .bytes = 1000, .device = 1}); /* of a device */
    dev_mem_add(c, &(dev_mem){.base = 0x20000, .bytes = 64, .kind = DEV_MEM_GRANTED, .device = 1});
    static char page[64];
    dev_mem host = {
        .base = 0x30000, .bytes = 64, .kind = DEV_MEM_HOST, .on_host = true, .host = page};
    dev_mem_add(c, &host); /* that the client has yet to map */
    host.base = 0x40000, host.mapped = true;
    dev_mem_add(c, &host);
    host.base = 0x50000, host.mapped = false, host.host = NULL;
    dev_mem_add(c, &host);
    /* 10 x 6 x 4 texels of 4 bytes, rows of 64 bytes */
    dev_array array = {.base = 0x60000,
                       .pitch = 64,
                       .device = 1,
                       .element = 4,
                       .width = 10,
                       .height = 6,
                       .depth = 4},
              line = {.base = 0x60000, .pitch = 512, .element = 4, .width = 10},
              gone = {.base = 0x70000, .pitch = 64, .element = 4, .width = 10};
    array.handle = dev_object_new(c, DEV_ARRAY, &array);
    line.handle = dev_object_new(c, DEV_ARRAY, &line);
    gone.handle = dev_object_new(c, DEV_ARRAY, &gone);
    dev_mem_add(c, &(dev_mem){.base = 0x60000, .bytes = 4096, .kind = DEV_MEM_ARRAY, .device = 1});
    const uint64_t huge = (uint64_t)1 << 63;
    const struct {
        wire_place at;
        uint64_t w, h, d;
        bool is;
        dev_place want;
    } rows[] = {
        /* memory: to the last byte */
        {MEM(1000, 1), 1000, 1, 1, true, LIES(0x10000, 1000, 1000, 1)},
        {MEM(1000, 1), 1001, 1, 1, false, {0}},
        {MEM(100, 10), 100, 10, 1, true, LIES(0x10000, 100, 1000, 1)},
        {MEM(101, 10), 91, 10, 1, true, LIES(0x10000, 101, 1010, 1)}, /* 9 * 101 + 91 = 1000 */
        {MEM(101, 10), 92, 10, 1, false, {0}},
        {MEM(100, 3), 100, 2, 3, true, LIES(0x10000, 100, 300, 1)}, /* 2 * 300 + 100 + 100 */
        {MEM(100, 4), 100, 2, 3, true, LIES(0x10000, 100, 400, 1)}, /* 2 * 400 + 100 + 100 */
        {MEM(101, 4), 100, 2, 3, false, {0}},                       /* 2 * 404 + 101 + 100 */
        {MEM(100, 4, .x = 1), 99, 2, 3, true, LIES(0x10001, 100, 400, 1)},
        {MEM(100, 4, .x = 2), 99, 2, 3, false, {0}},
        {MEM(100, 2, .x = 5, .y = 1, .z = 2), 95, 1, 2, true, LIES(0x10000 + 505, 100, 200, 1)},
        {MEM(100, 2, .y = 1, .z = 3), 100, 1, 2, true, LIES(0x10000 + 700, 100, 200, 1)},
        {MEM(100, 2, .y = 2, .z = 3), 100, 1, 2, false, {0}},
        {AT(POINTER, 0x10000 - 1, 4, 1), 4, 1, 1, false, {0}},
        {AT(POINTER, 0x10000 - 1, 4, 1, .x = 1), 4, 1, 1, true, LIES(0x10000, 4, 4, 1)},
        /* nothing is no place, and there are two devices */
        {MEM(4, 1), 0, 1, 1, false, {0}},
        {MEM(4, 1), 4, 0, 1, false, {0}},
        {MEM(4, 1), 4, 1, 0, false, {0}},
        {ARRAY(), 0, 1, 1, false, {0}},
        {ARRAY(), 4, 0, 1, false, {0}},
        {ARRAY(), 4, 1, 0, false, {0}},
        /* rows and slices that meet */
        {MEM(99, 1), 100, 1, 1, true, LIES(0x10000, 99, 99, 1)}, /* one alone may be longer */
        {MEM(99, 2), 100, 2, 1, false, {0}},
        {MEM(100, 1), 100, 2, 1, true, LIES(0x10000, 100, 100, 1)}, /* of one slice */
        {MEM(100, 1), 100, 2, 2, false, {0}},
        {MEM(100, 2), 100, 2, 2, true, LIES(0x10000, 100, 200, 1)},
        {MEM(99, 2), 100, 1, 2, false, {0}},
        /* what overflows */
        {MEM(huge, 2), 4, 1, 1, false, {0}},
        {MEM(huge, 1), 4, 3, 1, false, {0}},
        {MEM(huge, 1), 4, 1, 3, false, {0}},
        {MEM(huge, 1, .z = 2), 4, 1, 1, false, {0}},
        {MEM(huge, 1, .y = 2), 4, 1, 1, false, {0}},
        {MEM(huge, 1, .y = 1, .z = 1), 4, 1, 1, false, {0}},
        {MEM(huge, 1, .y = 1, .x = huge), 4, 1, 1, false, {0}},
        {MEM(4, 1, .x = -(uint64_t)0x10000), 4, 1, 1, false, {0}},
        {MEM(huge, 1), 4, 2, 2, false, {0}},
        {MEM(huge - 1, 1), huge, 1, 3, false, {0}},
        /* the program's own memory is taken at its word, as far as there are addresses */
        {AT(PAGEABLE, 0x99, 10, 2, .x = 1), 4, 1, 1, true, LIES(0x9a, 10, 20, 0, .pageable = true)},
        {AT(PAGEABLE, 0x99, 3, 2), 4, 2, 1, false, {0}},
        {AT(PAGEABLE, -(uint64_t)4, 10, 2, .x = 4), 4, 1, 1, false, {0}},
        /* a buffer of the lab's may be anybody's: the device that is asked */
        {AT(POINTER, 0x20000, 64, 1), 64, 1, 1, true, LIES(0x20000, 64, 64, 0)},
        /* host memory: once the client has it, or there is none to have */
        {AT(POINTER, 0x30000, 64, 1), 64, 1, 1, false, {0}},
        {AT(POINTER, 0x40000, 64, 1), 64, 1, 1, true, LIES(0x40000, 64, 64, 0, .host = true)},
        {AT(POINTER, 0x50000, 64, 1), 64, 1, 1, true, LIES(0x50000, 64, 64, 0, .host = true)},
        /* arrays: x in bytes */
        {ARRAY(), 40, 6, 4, true, LIES(0x60000, 64, 384, 1)},
        {ARRAY(), 41, 6, 4, false, {0}},
        {ARRAY(), 40, 7, 4, false, {0}},
        {ARRAY(), 40, 6, 5, false, {0}},
        {ARRAY(.x = 4, .y = 2, .z = 1), 36, 4, 3, true, LIES(0x60000 + 384 + 128 + 4, 64, 384, 1)},
        {ARRAY(.x = 5, .y = 2, .z = 1), 36, 4, 3, false, {0}},
        {ARRAY(.x = 4, .y = 3, .z = 1), 36, 4, 3, false, {0}},
        {ARRAY(.x = 4, .y = 2, .z = 2), 36, 4, 3, false, {0}},
        {ARRAY(.x = 41), 1, 1, 1, false, {0}},
        {ARRAY(.y = 7), 1, 1, 1, false, {0}},
        {ARRAY(.z = 5), 1, 1, 1, false, {0}},
        {ARRAY(.x = 39, .y = 5, .z = 3), 1, 1, 1, true,
         LIES(0x60000 + 1152 + 320 + 39, 64, 384, 1)},
        {AT(ARRAY, line.handle, 0, 0, .x = 8), 32, 1, 1, true, LIES(0x60008, 512, 512, 0)},
        {AT(ARRAY, line.handle, 0, 0), 40, 2, 1, false, {0}},
        {AT(ARRAY, line.handle, 0, 0), 40, 1, 2, false, {0}},
        {AT(ARRAY, gone.handle, 0, 0), 40, 1, 1, false, {0}}, /* its memory went with a reset */
        {AT(ARRAY, 5, 0, 0), 40, 1, 1, false, {0}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_place r;
        const dev_place *want = &rows[i].want;
        wire_place at = rows[i].at;
        bool is = dev_place_find(c, 0, &at, rows[i].w, rows[i].h, rows[i].d, &r);
        bool same =
            is == rows[i].is && (!is || (r.base == want->base && r.pitch == want->pitch &&
                                         r.slice == want->slice && r.device == want->device &&
                                         r.pageable == want->pageable && r.host == want->host));
        if (!same)
            printf("# row %u: %d, base %llx, pitch %llu, slice %llu, device %u\n", i, is,
                   (unsigned long long)r.base, (unsigned long long)r.pitch,
                   (unsigned long long)r.slice, r.device);
        CHECK(same);
    }
    /* A device that the session does not have, and one that the call is not about. */
    dev_place r;
    wire_place at = AT(PAGEABLE, 0x99, 4, 1);
    CHECK(dev_place_find(c, 1, &at, 4, 1, 1, &r) && r.device == 1);
    CHECK(!dev_place_find(c, 2, &at, 4, 1, 1, &r));
    at.device = 0;
    CHECK(dev_place_find(c, 1, &at, 4, 1, 1, &r) && r.device == 0);
    at.device = 2;
    CHECK(!dev_place_find(c, 0, &at, 4, 1, 1, &r));
    at = AT(POINTER, array.handle, 4, 1), at.at = 77; /* no such kind of place */
    CHECK(!dev_place_find(c, 0, &at, 4, 1, 1, &r));
    at.address = 0x10000;
    CHECK(!dev_place_find(c, 0, &at, 4, 1, 1, &r));

    /* ---- copies and fills: both sides, and what their size is */
    wire_copy w = {.to = MEM(100, 5), .from = AT(PAGEABLE, 0x99, 100, 5), 100, 5, 2};
    CHECK_INT(dev_copy_total(&w), 1000);
    CHECK_INT(dev_copy_check(c, 0, &w), cudaSuccess);
    w.from.pitch = 99;
    CHECK_INT(dev_copy_check(c, 0, &w), cudaErrorInvalidValue);
    w.from.pitch = 100, w.to.x = 1;
    CHECK_INT(dev_copy_check(c, 0, &w), cudaErrorInvalidValue);
    w = (wire_copy){.to = AT(PAGEABLE, 0, 0, 0), .from = AT(PAGEABLE, 0, 0, 0), huge, 1, 1};
    CHECK_INT(dev_copy_check(c, 0, &w), cudaSuccess);
    w.height = 2, w.depth = 1; /* sizes that overflow */
    CHECK_INT(dev_copy_check(c, 0, &w), cudaErrorInvalidValue);
    w.to.pitch = w.from.pitch = w.width = 1, w.height = huge, w.depth = 2;
    CHECK_INT(dev_copy_check(c, 0, &w), cudaErrorInvalidValue);

    /* ---- a kind and the sides that it names: the host's (0), the device's (1), either (2) */
    dev_mem both = {.base = 0x80000, .bytes = 64, .kind = DEV_MEM_MANAGED};
    dev_mem_add(c, &both);
    const struct {
        wire_place at;
        unsigned side;
    } sides[] = {{AT(PAGEABLE, 0x99, 4, 1), 0},
                 {AT(POINTER, 0x40000, 4, 1), 0},
                 {AT(POINTER, 0x10000, 4, 1), 1},
                 {ARRAY(), 1},
                 {AT(POINTER, 0x80000, 4, 1), 2}};
    static const struct {
        uint32_t kind;
        unsigned to, from;
    } kinds[] = {{cudaMemcpyHostToHost, 0, 0},
                 {cudaMemcpyHostToDevice, 1, 0},
                 {cudaMemcpyDeviceToHost, 0, 1},
                 {cudaMemcpyDeviceToDevice, 1, 1}};
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 25; i++) {
            unsigned to = sides[i / 5].side, from = sides[i % 5].side;
            w = (wire_copy){.to = sides[i / 5].at, .from = sides[i % 5].at, 4, 1, 1};
            w.kind = kinds[k].kind;
            CHECK_INT(dev_copy_misdirected(c, 0, &w),
                      (to != 2 && to != kinds[k].to) || (from != 2 && from != kinds[k].from));
            w.kind = cudaMemcpyDefault;
            CHECK(!dev_copy_misdirected(c, 0, &w));
        }

    static const struct {
        uint32_t element;
        uint64_t width;
        bool is;
    } fills[] = {{1, 3, true},  {2, 4, true},  {2, 3, false}, {4, 8, true},
                 {4, 6, false}, {0, 4, false}, {3, 3, false}, {8, 8, false}};
    for (unsigned i = 0; i < sizeof fills / sizeof *fills; i++) {
        wire_fill f = {.to = MEM(8, 1), fills[i].width, 1, 1, .element = fills[i].element};
        CHECK_INT(dev_fill_check(c, 0, &f), fills[i].is ? cudaSuccess : cudaErrorInvalidValue);
        f.to.at = WIRE_AT_PAGEABLE;
        CHECK_INT(dev_fill_check(c, 0, &f), cudaErrorInvalidValue);
    }
    wire_fill f = {.to = MEM(8, 1), 1001, 1, 1, .element = 1};
    CHECK_INT(dev_fill_check(c, 0, &f), cudaErrorInvalidValue);
    free(c->memory.ranges), free(c->objects.slot);
    *c = (dev_client){.s = &session, .budget.limit = 1 << 20};
}

/* ---- bytes of a copy, between a device and the program's own buffer */

enum { DEVICE = 0x20000, DEVICE_BYTES = 256 };
static unsigned accesses;
static sim_status fake_read(void *hw, void *to, sim_addr from, uint64_t n) {
    accesses++;
    if (from < DEVICE || from - DEVICE > DEVICE_BYTES - n) return SIM_BAD_ADDRESS;
    memcpy(to, (uint8_t *)hw + (from - DEVICE), n);
    return SIM_OK;
}
static sim_status fake_write(void *hw, sim_addr to, const void *from, uint64_t n) {
    accesses++;
    if (to < DEVICE || to - DEVICE > DEVICE_BYTES - n) return SIM_BAD_ADDRESS;
    memcpy((uint8_t *)hw + (to - DEVICE), from, n);
    return SIM_OK;
}

/* Any part of any of them, against one byte after another. */
static void copy_bytes(void) {
    static const dev_backend backend = {.read = fake_read, .write = fake_write};
    static const struct {
        uint64_t w, h, d, pitch, rows;
        bool whole;
    } shapes[] = {{16, 1, 1, 16, 1, true}, {4, 3, 2, 4, 3, true},  {4, 3, 2, 4, 4, false},
                  {4, 3, 2, 5, 3, false},  {5, 2, 3, 9, 4, false}, {1, 4, 4, 2, 4, false}};
    static uint8_t device[DEVICE_BYTES], want[DEVICE_BYTES], buffer[64], back[64];
    dev_client *c = &client;
    unsigned wrong = 0, pieces = 0;
    session.device[0] = (dev_device){.backend = &backend, .hw = device};
    dev_mem_add(
        c, &(dev_mem){.base = DEVICE, .bytes = DEVICE_BYTES, .kind = DEV_MEM_GRANTED, .device = 0});
    for (unsigned k = 0; k < sizeof buffer; k++) buffer[k] = (uint8_t)(k + 1);
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint64_t w = shapes[i].w, h = shapes[i].h, all = w * h * shapes[i].d;
        wire_copy copy = {.to =
                              AT(POINTER, DEVICE, shapes[i].pitch, shapes[i].rows, .x = 2, .y = 1),
                          .from = AT(PAGEABLE, 0, 99, 9),
                          w,
                          h,
                          shapes[i].d};
        for (uint64_t offset = 0; offset < all; offset++)
            for (uint64_t n = 0; offset + n <= all; n++) {
                wire_copy back_again = copy;
                back_again.from = copy.to, back_again.to = copy.from;
                memset(device, 0, sizeof device), memset(want, 0, sizeof want);
                memset(back, 0, sizeof back);
                for (uint64_t k = offset; k < offset + n; k++) {
                    uint64_t row = k / w, z = row / h, y = row % h + 1;
                    want[(z * shapes[i].rows + y) * shapes[i].pitch + 2 + k % w] =
                        buffer[k - offset];
                }
                accesses = 0;
                cudaError_t e = dev_copy_bytes(c, &copy, true, offset, buffer, n);
                /* in one piece, or a row at a time */
                uint64_t rows = n ? (offset + n - 1) / w - offset / w + 1 : 0;
                pieces += accesses != (shapes[i].whole ? 1 : rows);
                wrong += e != cudaSuccess || memcmp(device, want, sizeof want) != 0;
                e = dev_copy_bytes(c, &back_again, false, offset, back, n);
                wrong += e != cudaSuccess || memcmp(back, buffer, n) != 0 || back[n];
            }
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(pieces, 0);

    /* What the host gave, and saw. */
    wire_copy in = {.to = AT(POINTER, DEVICE, 8, 1), .from = AT(PAGEABLE, 0, 8, 1), 8, 1, 1},
              out = {.to = in.from, .from = in.to, 8, 1, 1};
    dev_flow flow;
    dev_replay_begins(c);
    CHECK_INT(dev_copy_bytes(c, &in, true, 1, buffer, 7), cudaSuccess);
    CHECK_INT(dev_client_put(c, DEVICE), 7);
    CHECK_INT(dev_copy_bytes(c, &out, false, 0, back, 6), cudaSuccess);
    CHECK_INT(dev_copy_bytes(c, &in, true, 0, buffer, 5), cudaSuccess);
    dev_client_flow(c, &flow);
    CHECK(flow.data && flow.most == 6 && flow.saw.op == DEV_OP_D2H && flow.gave.op == DEV_OP_H2D);
    CHECK_INT(flow.gave.bytes, 5);
    CHECK_INT(dev_client_put(c, DEVICE), 12);

    /* The device's side is a device's, and errors and stops come through. */
    CHECK_INT(dev_copy_bytes(c, &in, false, 0, back, 8), cudaErrorInvalidValue);
    CHECK_INT(dev_copy_bytes(c, &out, true, 0, buffer, 8), cudaErrorInvalidValue);
    CHECK_INT(dev_copy_bytes(c, &in, true, 250, buffer, 8), cudaErrorInvalidValue);
    in.to.pitch = 9, in.height = out.height = 2, in.to.rows = 2, in.depth = 1;
    CHECK_INT(dev_copy_bytes(c, &in, true, 0, buffer, 16), cudaSuccess);
    in.to.address = DEVICE - 1;
    CHECK_INT(dev_copy_bytes(c, &in, true, 0, buffer, 16), cudaErrorInvalidValue);
    in.to.address = DEVICE;
    c->limits.stop = 1;
    CHECK_INT(dev_copy_bytes(c, &in, true, 0, buffer, 16), cudaErrorLaunchTimeout);
    c->limits.stop = 0;
    free(c->memory.ranges);
}

int main(void) {
    every_shape();
    places();
    copy_bytes();
    return check_done();
}
