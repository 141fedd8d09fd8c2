/* Sectors of a copy's rows against their definition: one sector after another, asked of every byte's
 * address. Rows that follow each other without a gap are one. */
#include "runner/base/message.h"
#include "runner/device/core/memory.h"
#include "tests/check.h"

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
    dev_place r = {.base = 0, .pitch = 64, .slice = 640};
    CHECK_INT(dev_place_sectors(&r, 0, 1, 1), 0);
    CHECK_INT(dev_place_sectors(&r, 1, 0, 1), 0);
    CHECK_INT(dev_place_sectors(&r, 1, 1, 0), 0);
}

int main(void) {
    every_shape();
    return check_done();
}
