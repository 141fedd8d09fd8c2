/* Fat binaries: the .nv_fatbin section that nvcc puts into a program, and that the runtime gets at
 * the program's start.
 *
 *   data --> containers (magic, header, entries) --> entries: PTX or ELF for one architecture,
 *            plain, LZ4 or zstd --> the PTX to run, and the cubin of the architecture
 *
 * The layout, found from the output of nvcc 13 (little-endian):
 *   container  u32 magic 0xBA55ED50, u16 version 1, u16 size of this header (16), u64 size of all
 *              entries
 *   entry      u16 kind (1 PTX, 2 ELF), u16 version, u32 size of this header, u64 size of the
 *              payload, padded to 8; +16 u32 size of the compressed payload, +28 u32 architecture,
 *              +40 u64 flags, +56 u64 size uncompressed. The flags tell sm_90a, for this
 *              architecture only, from sm_90
 * Sections hold several containers, each aligned to 8. Some have no PTX, some nothing at all. */
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "runner/base/message.h"
#include "runner/device/sim/load/link.h"
#include "runner/device/sim/sim.h"
#include "words/module.h"

#define CONTAINER_MAGIC 0xBA55ED50u
enum {
    KIND_PTX = 1,
    KIND_ELF = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ALONE = 0x100000, /* sm_90a */
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64,
    MAX_UNITS = 512, /* -rdc=true: one for each source file */
    MAX_ENTRIES = 1 << 16,
    MAX_UNPACKED = 1 << 28 /* bytes; also the limit of the parser */
};

typedef struct {
    unsigned kind, arch;
    uint64_t flags, compressed, unpacked;
    const uint8_t *payload;
    uint64_t payload_len;
    bool alone; /* only for this architecture */
} entry;

static uint64_t little(const uint8_t *at, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) v |= (uint64_t)at[i] << (8 * i);
    return v;
}

static sim_status fatbin_fail(lib_message *msg, sim_status s, lib_words why) {
    lib_message_set(msg, why);
    return s;
}

/* Reads the entry at `at`; *next is its end. Returns false if it does not end before `end`. */
static bool read_entry(const uint8_t *at, const uint8_t *end, entry *e, const uint8_t **next) {
    if (end - at < ENTRY_HEADER) return false;
    uint64_t room = (uint64_t)(end - at), header = little(at + 4, 4), size = little(at + 8, 8);
    if (header < ENTRY_HEADER || header > room || size > room - header) return false;
    *e = (entry){
        .kind = (unsigned)little(at, 2),
        .arch = (unsigned)little(at + 28, 4),
        .flags = little(at + 40, 8),
        .compressed = little(at + 16, 4),
        .unpacked = little(at + 56, 8),
        .payload = at + header,
        .payload_len = size,
    };
    e->alone = (e->flags & FLAG_ALONE) != 0;
    *next = at + header + size;
    return true;
}

/* Uncompresses the payload. The result is malloc'ed and ends in NUL. */
static sim_status unpack(const entry *e, char **out, size_t *out_len, lib_message *msg) {
    lib_word_id what = e->kind == KIND_PTX ? W_MODULE_PTX : W_MODULE_MACHINE_CODE;
    bool packed = (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    uint64_t len = packed ? e->unpacked : e->payload_len;
    if (len > MAX_UNPACKED)
        return fatbin_fail(msg, SIM_BAD_PTX,
                           w_module_fatbin_too_large(what, (long long)len, MAX_UNPACKED));
    if (packed && e->compressed > e->payload_len)
        return fatbin_fail(
            msg, SIM_BAD_PTX,
            w_module_fatbin_cut(what, (long long)e->payload_len, (long long)e->compressed));
    char *buf = malloc(len + 1);
    if (!buf) return fatbin_fail(msg, SIM_NOMEM, w_module_fatbin_no_memory((long long)len, what));
    bool ok = true;
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(buf, len, e->payload, e->compressed);
        ok = !ZSTD_isError(n) && n == len;
    } else if (e->flags & FLAG_LZ4) {
        ok = e->compressed <= INT32_MAX &&
             LZ4_decompress_safe((const char *)e->payload, buf, (int)e->compressed, (int)len) ==
                 (int)len;
    } else {
        memcpy(buf, e->payload, len);
    }
    if (!ok) {
        free(buf);
        return fatbin_fail(msg, SIM_BAD_PTX,
                           w_module_fatbin_damaged(e->flags & FLAG_ZSTD ? "zstd" : "LZ4", what));
    }
    if (e->kind == KIND_PTX)
        while (len && !buf[len - 1]) len--; /* padding */
    buf[len] = 0;
    *out = buf;
    *out_len = len;
    return SIM_OK;
}

/* An entry that is only for the architecture is best, then the newest that the architecture can
 * run, then the oldest. An entry that is only for another architecture cannot run. */
static bool better(const entry *e, const entry *best, unsigned arch) {
    if (e->alone && e->arch != arch) return false;
    if (!best->payload || best->alone != e->alone) return !best->payload || e->alone;
    bool fits = e->arch <= arch, best_fits = best->arch <= arch;
    if (fits != best_fits) return fits;
    return fits ? e->arch > best->arch : e->arch < best->arch;
}

/* Unpacks and links the texts of several units (-rdc=true leaves each unit its container), one of
 * each. */
static sim_status link_units(const entry *unit, size_t count, char **ptx, size_t *ptx_len,
                             lib_message *msg) {
    char **text = calloc(count, sizeof *text);
    sim_status s = text ? SIM_OK : SIM_NOMEM;
    uint64_t all = 0;
    for (size_t k = 0; k < count && s == SIM_OK; k++) {
        size_t n = 0;
        s = unpack(&unit[k], &text[k], &n, msg);
        all += n;
        if (s == SIM_OK && all > MAX_UNPACKED)
            s = fatbin_fail(msg, SIM_BAD_PTX, w_module_fatbin_units_too_large(MAX_UNPACKED));
    }
    if (s == SIM_OK) s = sim_link_ptx(text, count, ptx, ptx_len, msg);
    for (size_t k = 0; text && k < count; k++) free(text[k]);
    free(text);
    return s;
}

/* The entries found in all containers. */
typedef struct {
    /* the best text; machine code for the device; machine code for any other */
    entry text, code, other;
    entry own_code; /* machine code that is only for the device's architecture */
    /* an architecture other than the device's for which alone there is text; 0: none */
    unsigned strange;
    entry unit[MAX_UNITS]; /* the best text of each container */
    unsigned entries, units;
} fatbin_found;

/* Reads the entries of one container, from `in` to `stop`. */
static sim_status read_container(const uint8_t *in, const uint8_t *stop, unsigned arch,
                                 fatbin_found *f, lib_message *msg) {
    entry best = {0}, e;
    while (in < stop) {
        if (++f->entries > MAX_ENTRIES)
            return fatbin_fail(msg, SIM_BAD_PTX, w_module_fatbin_too_many_entries(MAX_ENTRIES));
        if (!read_entry(in, stop, &e, &in))
            return fatbin_fail(msg, SIM_BAD_PTX, w_module_fatbin_entry_does_not_fit(f->entries));
        if (e.kind == KIND_PTX && better(&e, &best, arch)) best = e;
        if (e.kind == KIND_PTX && e.alone && e.arch != arch) f->strange = e.arch;
        if (e.kind == KIND_ELF) f->other = e;
        entry *code = e.alone ? &f->own_code : &f->code;
        if (e.kind == KIND_ELF && e.arch == arch && !code->payload) *code = e;
    }
    if (best.payload && f->units == MAX_UNITS)
        return fatbin_fail(msg, SIM_BAD_PTX, w_module_fatbin_too_many_units(MAX_UNITS));
    if (best.payload) f->unit[f->units++] = best;
    if (best.payload && better(&best, &f->text, arch)) f->text = best;
    return SIM_OK;
}

static sim_status read_containers(const uint8_t *at, const uint8_t *end, unsigned arch,
                                  fatbin_found *f, lib_message *msg) {
    while (end - at >= CONTAINER_HEADER && little(at, 4) == CONTAINER_MAGIC) {
        uint64_t header = little(at + 6, 2), size = little(at + 8, 8), room = (uint64_t)(end - at);
        if (header < CONTAINER_HEADER || header > room || size > room - header)
            return fatbin_fail(msg, SIM_BAD_PTX,
                               w_module_fatbin_container_cut((long long)size, (long long)room));
        sim_status s = read_container(at + header, at + header + size, arch, f, msg);
        if (s != SIM_OK) return s;
        uint64_t whole = (header + size + 7) & ~(uint64_t)7;
        at = whole < room ? at + whole : end;
    }
    if (f->text.payload) return SIM_OK;
    if (f->strange)
        return fatbin_fail(msg, SIM_NOT_FOUND, w_module_fatbin_for_other_sm(f->strange, arch));
    if (f->other.payload)
        return fatbin_fail(msg, SIM_NOT_FOUND, w_module_fatbin_without_ptx(f->other.arch, arch));
    return fatbin_fail(msg, SIM_NOT_FOUND, w_module_fatbin_empty());
}

sim_status sim_fatbin_extract(const void *data, size_t len, unsigned arch, char **ptx,
                              size_t *ptx_len, void **cubin, size_t *cubin_len, lib_message *msg) {
    const uint8_t *at = data, *end = data ? at + len : at;
    *ptx = NULL;
    *ptx_len = 0;
    *cubin = NULL;
    *cubin_len = 0;
    if (msg) *msg = (lib_message){0};
    if (!data || len < CONTAINER_HEADER || little(at, 4) != CONTAINER_MAGIC)
        return fatbin_fail(msg, SIM_BAD_PTX, w_module_no_fatbin(CONTAINER_MAGIC));
    fatbin_found f = {0};
    sim_status s = read_containers(at, end, arch, &f, msg);
    if (s != SIM_OK || !f.text.payload) return s;
    unsigned same = 0; /* all units of a program are compiled for the same architectures */
    for (unsigned k = 0; k < f.units; k++)
        if (f.unit[k].arch == f.text.arch && f.unit[k].alone == f.text.alone)
            f.unit[same++] = f.unit[k];
    s = same > 1 ? link_units(f.unit, same, ptx, ptx_len, msg) : unpack(&f.text, ptx, ptx_len, msg);
    const entry *code = f.text.alone ? &f.own_code : &f.code;
    if (s != SIM_OK || !code->payload) return s;
    char *machine;
    s = unpack(code, &machine, cubin_len, msg);
    if (s != SIM_OK) { /* the PTX is enough */
        if (msg) *msg = (lib_message){0};
        *cubin_len = 0;
        return SIM_OK;
    }
    *cubin = machine;
    return SIM_OK;
}
