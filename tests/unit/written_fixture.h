/* Machine code written by hand, for tests that work its time out: an instruction a line, as
 * nvdisasm writes it for sm_90, and behind a bar its control fields. "LDS R1, [R1] | s2 w0 b0" has
 * a stall count of 2 (1 if not given), sets scoreboard 0 until it has written (r0: until it has
 * read) and waits for scoreboard 0. Lines such as ".L_x_0:" are labels. The last instruction is an
 * EXIT. */
#ifndef WARPLAB_WRITTEN_FIXTURE_H
#define WARPLAB_WRITTEN_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sass/sass.h"
#include "tests/check.h"
#include "tests/said.h"

/* The upper half of an instruction's encoding: bits 105 to 125 of the whole. */
static inline uint64_t written_control(const char *fields) {
    uint64_t stall = 1, sets = 7, frees = 7, waits = 0;
    for (const char *f = fields; f && *f; f++) {
        uint64_t n = f[0] && f[1] ? (uint64_t)strtoul(f + 1, NULL, 10) : 0;
        if (*f == 's') stall = n;
        if (*f == 'w') sets = n;
        if (*f == 'r') frees = n;
        if (*f == 'b') waits |= 1u << n;
    }
    return (stall | 1u << 4 | sets << 5 | frees << 8 | waits << 11) << 41;
}

/* Returns a module whose only function is k, its instructions in lines of their own, from 6 on, if
 * the body has no places; ends the test if a line is none of nvdisasm's. */
static inline sass_module *written_code(const char *body) {
    static const char head[] = "\t.target\tsm_90\n\t.section\t.text.k,\"ax\",@progbits\n"
                               "        .global         k\n        .type           k,@function\n"
                               "k:\n.text.k:\n";
    size_t room = sizeof head + 200 * strlen(body) + 1000, at = sizeof head - 1;
    char *text = malloc(room);
    if (!text) exit(1);
    memcpy(text, head, sizeof head);
    unsigned n = 0;
    bool placed = strstr(body, "//##") != NULL;
    for (const char *line = body; line; n++) {
        const char *end = line[0] ? line + strcspn(line, "\n") : line, *bar = line;
        while (bar < end && *bar != '|') bar++;
        char fields[32] = "";
        if (bar < end) snprintf(fields, sizeof fields, "%.*s", (int)(end - bar - 1), bar + 1);
        bool last = end == line;
        if (!placed)
            at += (size_t)snprintf(text + at, room - at, "//## File \"\", line %u\n", n + 6);
        if (*line == '.' || *line == '/') { /* a label, a place */
            at += (size_t)snprintf(text + at, room - at, "%.*s\n", (int)(end - line), line);
            line = *end ? end + 1 : end, n--;
            continue;
        }
        at += (size_t)snprintf(text + at, room - at,
                               "        /*%04x*/  %.*s ; /* 0x0000000000000000 */\n"
                               " /* 0x%016llx */\n",
                               16 * n, last ? 4 : (int)(bar - line), last ? "EXIT" : line,
                               (unsigned long long)written_control(fields));
        line = last ? NULL : *end ? end + 1 : end;
    }
    lib_message msg = {0};
    sass_module *m = sass_read(text, at, &msg);
    if (!m) printf("# %s\n%s\n", said(&msg), text);
    if (!CHECK(m != NULL)) exit(1);
    free(text);
    return m;
}

/* What a profile says of single instructions (fields.def), under the names that rules of the replay
 * have for it. */
static inline sim_profile written_profile(const char *name) {
    sim_profile p = *sim_profile_find(name);
    p.lat_shared = p.lat_lds, p.lat_const = p.lat_ldc;
    p.lat_l1 = p.lat_ldg, p.lat_l2 = p.lat_ldg_l2;
    p.warp_start_cycles = p.warp_first_cycles;
    return p;
}

#endif
