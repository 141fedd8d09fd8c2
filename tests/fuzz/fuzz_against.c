/* Fuzzes the reader of another run's figures (profile --against): any bytes as its file give a page
 * in valid UTF-8 with no markup of theirs, or a message. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/profile/page.h"
#include "runner/profile/report.h"

int fuzz_against(const uint8_t *data, size_t size);

static char against_root[] = "/dev/shm/warplab-fuzz.XXXXXX", against_file[64], against_page[64];

static void against_root_gone(void) {
    lib_remove_tree(against_root);
}

static void against_begin(void) {
    if (!mkdtemp(against_root)) abort();
    atexit(against_root_gone);
    snprintf(against_file, sizeof against_file, "%s/run.json", against_root);
    snprintf(against_page, sizeof against_page, "%s/page.html", against_root);
}

int fuzz_against(const uint8_t *data, size_t size) {
    lib_message msg = {0};
    if (!*against_file) against_begin();
    if (!lib_write_file(against_file, (const char *)data, size, &msg)) abort();
    char name[] = "scale", limiter[] = "dram";
    profile_kernel kernel = {.kernel = name,
                             .grid = {8, 1, 1},
                             .block = {256, 1, 1},
                             .launches = 2,
                             .counters = {.warp_inst = 640, .gld_sectors = 256},
                             .time_us = 12,
                             .limiter = limiter};
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        profile_report r = {.device = "sim:h200",
                            .lang = (lib_lang)lang,
                            .against = against_file,
                            .kernels = &kernel,
                            .kernel_count = 1};
        msg = (lib_message){0};
        if (!profile_write_page(&r, against_page, &msg)) {
            if (!lib_message_any(&msg)) abort();
            continue;
        }
        size_t n = 0;
        char *page = lib_read_file(against_page, (size_t)1 << 26, &n, &msg);
        if (!page || strstr(page, "<script") || memchr(page, '\033', n)) abort();
        json_t *text = json_stringn(page, n);
        if (!text) abort(); /* not UTF-8 */
        json_decref(text);
        free(page);
    }
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_against(data, size);
}
#endif
