/* Copies by tensor maps as the PTX ISA has them (9.7.9.25.5) and cuda.h (cuTensorMapEncodeTiled):
 * boxes, edges, swizzles, slices, reductions, and maps that nobody should make. */
#include "async_fixture.h"
#include "tests/said.h"

static sim_tensor_map square(void) {
    return (sim_tensor_map){.type = 2, /* UINT32 */
                            .rank = 2,
                            .base = in,
                            .dim = {32, 16},
                            .stride = {128},
                            .box = {8, 4},
                            .step = {1, 1}};
}
static sim_status make(sim_tensor_map t) {
    return sim_tensor_map_new(d, &t, params.map, &msg);
}

/* By member: between them lie bytes that mean nothing. */
static void same_map(const sim_tensor_map *a, const sim_tensor_map *b) {
#define SAME(member) CHECK_INT(a->member, b->member)
    SAME(type);
    SAME(rank);
    SAME(base);
    for (int i = 0; i < SIM_TENSOR_DIMS; i++) {
        SAME(dim[i]);
        SAME(box[i]);
        SAME(step[i]);
    }
    for (int i = 0; i < SIM_TENSOR_DIMS - 1; i++) SAME(stride[i]);
    SAME(interleave);
    SAME(swizzle);
    SAME(promotion);
    SAME(fill);
    SAME(im2col);
    SAME(pixels);
    for (int i = 0; i < SIM_TENSOR_DIMS - 2; i++) {
        SAME(lower[i]);
        SAME(upper[i]);
    }
#undef SAME
}

static void test_descriptions(void) {
    sim_tensor_map t = square(), back;
    CHECK_INT(make(t), SIM_OK);
    CHECK(sim_tensor_map_unpack(&back, params.map, &msg));
    same_map(&t, &back);
#define BAD(status, words, ...)                                                                    \
    do {                                                                                           \
        sim_tensor_map x = square();                                                               \
        __VA_ARGS__;                                                                               \
        CHECK_INT(make(x), status);                                                                \
        CHECK_CONTAINS(said(&msg), words);                                                         \
        CHECK(msg.id);                                                                             \
    } while (0)
    BAD(SIM_BAD_ARGUMENT, "rank", x.rank = 0);
    BAD(SIM_BAD_ARGUMENT, "rank", x.rank = 6);
    BAD(SIM_BAD_ARGUMENT, "rank", x.interleave = 1);
    BAD(SIM_BAD_ARGUMENT, "globalAddress", x.base += 8);
    BAD(SIM_BAD_ARGUMENT, "globalDim", x.dim[1] = 0);
    BAD(SIM_BAD_ARGUMENT, "globalDim", x.dim[0] = (1ull << 32) + 1);
    BAD(SIM_BAD_ARGUMENT, "globalStride", x.stride[0] = 120);
    BAD(SIM_BAD_ARGUMENT, "globalStride", x.stride[0] = 1ull << 40);
    BAD(SIM_BAD_ARGUMENT, "boxDim", x.box[0] = 257);
    BAD(SIM_BAD_ARGUMENT, "boxDim", x.box[1] = 0);
    BAD(SIM_BAD_ARGUMENT, "multiple of 16", x.box[0] = 6);
    BAD(SIM_BAD_ARGUMENT, "elementStride", x.step[1] = 9);
    BAD(SIM_BAD_ARGUMENT, "swizzle", x.swizzle = 1, x.box[0] = 16);
    BAD(SIM_BAD_ARGUMENT, "NaN", x.fill = 1);
    BAD(SIM_BAD_ARGUMENT, "enumeration", x.type = 16);
    BAD(SIM_BAD_ARGUMENT, "enumeration", x.swizzle = 7);
    BAD(SIM_BAD_ARGUMENT, "enumeration", x.fill = 2);
    BAD(SIM_BAD_ARGUMENT, "compute capability 10.0", x.swizzle = 4);
    BAD(SIM_BAD_ARGUMENT, "compute capability 10.0", x.type = 13);
}

/* clang-format off */
#define BOX "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d2, {%r3, %r4}], [%r2];\n"
#define WAIT "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra AGAIN;\n"
#define FETCH(x, y)                                                                                \
    INIT "mov.u32 %r3, " #x "; mov.u32 %r4, " #y ";\n"                                             \
         "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n" BOX

/* Element (x, y) of `in` is 100 y + x. */
static void test_box(void) {
    CHECK_INT(make(square()), SIM_OK);
    CHECK_INT(run(FETCH(28, 14) WAIT
                  "mov.u32 %r6, 0;\n"
                  "COPY: add.u32 %r7, %r1, %r6; ld.shared.u32 %r8, [%r7]; cvt.u64.u32 %d6, %r6;\n"
                  "add.u64 %d7, %d1, %d6; st.global.u32 [%d7], %r8;\n"
                  "add.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r6, 128; @%p1 bra COPY;\n"),
              SIM_OK);
    for (unsigned i = 0; i < 32; i++) {
        unsigned x = 28 + i % 8, y = 14 + i / 8;
        CHECK_INT(got[i], x < 32 && y < 16 ? 100 * y + x : 0);
    }
    CHECK_INT(r.finding_count, 0);
    CHECK_INT(run(FETCH(0, 0) "ld.shared.u32 %r8, [%r1];\n" STORE("%r8", 0)), SIM_OK);
    CHECK_CONTAINS(found(), "until its mbarrier's phase has been waited for");
}

/* Boxes of 8 x 4 that leave the tensor of 32 x 16: what lies outside is read as zero, and not
 * stored. */
static void test_edges(void) {
    static const int corner[][2] = {{0, 0}, {-4, 0}, {-8, 3}, {28, -1}, {4, -3}, {24, 12}, {28, 15}, {-4, 14}};
    for (size_t k = 0; k < sizeof corner / sizeof *corner; k++) {
        int x = corner[k][0], y = corner[k][1];
        char body[1500], set[100];
        snprintf(set, sizeof set, "mov.u32 %%r3, %d; mov.u32 %%r4, %d;\n", x, y);
        CHECK_INT(make(square()), SIM_OK);
        snprintf(body, sizeof body, "%s%s%s%s", INIT, set,
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 128;\n" BOX WAIT,
                 "mov.u32 %r6, 0;\n"
                 "COPY: add.u32 %r7, %r1, %r6; ld.shared.u32 %r8, [%r7]; cvt.u64.u32 %d6, %r6;\n"
                 "add.u64 %d7, %d1, %d6; st.global.u32 [%d7], %r8;\n"
                 "add.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r6, 128; @%p1 bra COPY;\n");
        CHECK_INT(run(body), SIM_OK);
        unsigned bad = 0;
        for (int i = 0; i < 32; i++) {
            int u = x + i % 8, v = y + i / 8;
            bad += got[i] != (u >= 0 && u < 32 && v >= 0 && v < 16 ? (uint32_t)(100 * v + u) : 0);
        }
        CHECK_INT(bad, 0);
        CHECK_INT(r.finding_count, 0);
        /* and back, to `out`: stored, added; shared memory has 1, 2, 3 ... */
        for (int add = 0; add < 2 && x >= 0 && y >= 0; add++) {
            sim_tensor_map t = square();
            t.base = out;
            CHECK_INT(make(t), SIM_OK);
            snprintf(body, sizeof body, "%s%s%s%s%s",
                     "mov.u32 %r6, 0;\n"
                     "FILL: add.u32 %r7, %r1, %r6; shr.u32 %r8, %r6, 2; add.u32 %r8, %r8, 1;\n"
                     "st.shared.u32 [%r7], %r8;\n"
                     "add.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r6, 128; @%p1 bra FILL;\n"
                     "fence.proxy.async;\n",
                     set, add ? "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
                              : "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
                     " [%d2, {%r3, %r4}], [%r1];\n",
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
            CHECK_INT(run(body), SIM_OK);
            bad = 0;
            for (int i = 0; i < BYTES / 4; i++) {
                int u = i % 32 - x, v = i / 32 - y;
                uint32_t want = 0xdddddddd;
                if (u >= 0 && u < 8 && v >= 0 && v < 4 && i / 32 < 16)
                    want = (add ? want : 0) + (uint32_t)(8 * v + u + 1);
                bad += got[i] != want;
            }
            CHECK_INT(bad, 0);
            CHECK_INT(r.finding_count, 0);
        }
    }
    bad_copy("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {-4, 0}], [%r1];",
             SIM_ILLEGAL_INSTRUCTION, "stores a box at the negative coordinate -4 of dimension 0");
    bad_copy("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {0, -1}], [%r1];",
             SIM_ILLEGAL_INSTRUCTION, "stores a box at the negative coordinate -1 of dimension 1");
}

/* A box that is stored, 128 bytes from byte 1024 on, is read until its group is waited for. */
static void test_stored_box(void) {
    static const struct {
        const char *writes;
        bool found;
    } rows[] = {{"st.shared.u32 [%r1], %r3;", false},
                {"st.shared.u32 [%r1+1020], %r3;", false},
                {"st.shared.u32 [%r1+1024], %r3;", true},
                {"st.shared.u32 [%r1+1148], %r3;", true},
                {"st.shared.u32 [%r1+1152], %r3;", false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1000];
        sim_tensor_map t = square();
        t.base = out;
        CHECK_INT(make(t), SIM_OK);
        snprintf(body, sizeof body,
                 "mov.u32 %%r3, 0; mov.u32 %%r6, 1024;\n"
                 "FILL: add.u32 %%r7, %%r1, %%r6; st.shared.u32 [%%r7], %%r3;\n"
                 "add.u32 %%r6, %%r6, 4; setp.lt.u32 %%p1, %%r6, 1152; @%%p1 bra FILL;\n"
                 "fence.proxy.async;\n"
                 "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%%d2, {%%r3, %%r3}], "
                 "[%%r1+1024];\ncp.async.bulk.commit_group;\n%s\ncp.async.bulk.wait_group 0;\n",
                 rows[k].writes);
        CHECK_INT(run(body), SIM_OK);
        CHECK_INT(r.finding_count, rows[k].found);
        if (rows[k].found) CHECK_CONTAINS(found(), "the copy still reads it");
    }
}

/* Rows of 32, 64 and 128 bytes that lie swizzled: the bits of a 16-byte piece's place among them,
 * 1, 2 or 3 from bit 4 on, are those xor the ones from bit 7 on of its address in shared memory
 * (CUDA guide, "TMA swizzle"), wherever the box begins. */
static void test_swizzles(void) {
    enum { ROWS = 4 };
    static const char copy[] = "mov.u32 %r6, 0;\n"
                               "COPY: add.u32 %r7, %r1, %r6; cvt.u64.u32 %d6, %r6; add.u64 %d7, %d1, %d6;\n",
                      more[] = "add.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r6, %r11; @%p1 bra COPY;\n";
    for (unsigned mode = 1; mode <= 3; mode++)
        for (unsigned k = 0; k < 16; k++) { /* from shared memory, and to it */
            unsigned wide = 4u << mode, bytes = wide * 4 * ROWS, base = 128 * (k / 2), bad = 0;
            bool store = k % 2;
            sim_tensor_map t = square();
            t.box[0] = wide, t.swizzle = mode;
            if (store) t.base = out + 4096;
            CHECK_INT(make(t), SIM_OK);
            char body[1500];
            snprintf(body, sizeof body, "%smov.u32 %%r3, 0; mov.u32 %%r4, 1; add.u32 %%r1, %%r1, %u; mov.u32 %%r11, %u;\n%s%s%s%s%s%s",
                     INIT, base, bytes, store ? copy : "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], %r11;\n" BOX WAIT,
                     store ? "st.shared.u32 [%r7], %r6;\n" : copy,
                     store ? "" : "ld.shared.u32 %r8, [%r7]; st.global.u32 [%d7], %r8;\n", more,
                     store ? "fence.proxy.async;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group" : "",
                     store ? " [%d2, {%r3, %r4}], [%r1];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n" : "");
            CHECK_INT(run(body), SIM_OK);
            for (unsigned y = 0; y < ROWS; y++)
                for (unsigned x = 0; x < wide; x++) {
                    unsigned at = base + (y * wide + x) * 4, bits = (1u << mode) - 1,
                             lies = (at ^ (at >> 7 & bits) << 4) - base;
                    bad += store ? got[1024 + 32 * (y + 1) + x] != lies : got[lies / 4] != 100 * (y + 1) + x;
                }
            CHECK_INT(bad, 0);
            CHECK_INT(r.finding_count, 0);
        }
}

/* Rows of 16 bytes in a swizzle of 128: each begins a span, at 0, 144, 288 and 432 (an H100's
 * places). What lies between is the program's, also while the box is copied; the rows are not. */
static void test_narrow_rows(void) {
    static const struct {
        unsigned at;
        bool row;
    } rows[] = {{0, true}, {12, true}, {16, false}, {128, false}, {140, false}, {144, true}, {156, true}, {160, false},
                {284, false}, {288, true}, {304, false}, {428, false}, {432, true}, {444, true}, {448, false}, {508, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[1500];
        sim_tensor_map t = square();
        t.box[0] = 4, t.swizzle = 3;
        CHECK_INT(make(t), SIM_OK);
        snprintf(body, sizeof body,
                 "%smov.u32 %%r3, 8; mov.u32 %%r4, 5; mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 64;\n%s"
                      "st.shared.u32 [%%r1+%u], %%r3;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r2], 0; @!%%p3 bra AGAIN;\n"
                      "ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r1]; st.global.v4.u32 [%%d1], {%%r5, %%r6, %%r7, %%r8};\n"
                      "ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r1+144]; st.global.v4.u32 [%%d1+16], {%%r5, %%r6, %%r7, %%r8};\n"
                      "ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r1+288]; st.global.v4.u32 [%%d1+32], {%%r5, %%r6, %%r7, %%r8};\n"
                      "ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r1+432]; st.global.v4.u32 [%%d1+48], {%%r5, %%r6, %%r7, %%r8};\n",
                 INIT, BOX, rows[k].at);
        CHECK_INT(run(body), SIM_OK);
        CHECK_INT(r.finding_count, rows[k].row);
        if (rows[k].row) CHECK_CONTAINS(found(), "until its mbarrier's phase has been waited for");
        for (unsigned i = 0; i < 16 && !rows[k].row; i++) CHECK_INT(got[i], 100 * (5 + i / 4) + 8 + i % 4);
        /* and stored, from shared memory that is blank but for the rows */
        t.base = out;
        CHECK_INT(make(t), SIM_OK);
        snprintf(body, sizeof body,
                 "mov.u32 %%r3, 8; mov.u32 %%r4, 5; mov.u32 %%r5, 1; mov.u32 %%r6, 2;\n"
                 "st.shared.v4.u32 [%%r1], {%%r5, %%r6, %%r3, %%r4}; st.shared.v4.u32 [%%r1+144], {%%r6, %%r6, %%r3, %%r4};\n"
                 "st.shared.v4.u32 [%%r1+288], {%%r3, %%r6, %%r3, %%r4}; st.shared.v4.u32 [%%r1+432], {%%r4, %%r6, %%r3, %%r4};\n"
                 "fence.proxy.async;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%%d2, {%%r3, %%r4}], [%%r1];\n"
                 "cp.async.bulk.commit_group;\nst.shared.u32 [%%r1+%u], %%r3;\ncp.async.bulk.wait_group 0;\n",
                 rows[k].at);
        CHECK_INT(run(body), SIM_OK);
        CHECK_INT(r.finding_count, rows[k].row);
        if (rows[k].row) CHECK_CONTAINS(found(), "the copy still reads it");
        static const uint32_t first[] = {1, 2, 8, 5};
        unsigned bad = 0;
        for (unsigned i = 0; i < BYTES / 4; i++) {
            unsigned x = i % 32 - 8, y = i / 32 - 5;
            uint32_t want = x >= 4 || y >= 4 ? 0xdddddddd : x == 0 ? first[y] : x == 1 ? 2 : x == 2 ? 8 : 5;
            bad += got[i] != want;
        }
        CHECK_INT(bad, 0);
    }
    bad_copy("add.u32 %r1, %r1, 64;" FETCH(0, 0), SIM_MISALIGNED, "not a multiple of 128");
}

/* Slices of interleaved tensors come together: each sector of 32 bytes once, whether they are a
 * tile's row or pixels of a column one by one; slices that lie apart have one each. */
static void test_slices(void) {
    static const struct {
        unsigned interleave, step, pixels, bytes, sectors;
    } rows[] = {{1, 1, 0, 128, 4}, {1, 2, 0, 64, 4}, {1, 3, 0, 48, 3}, {2, 1, 0, 256, 8}, {2, 2, 0, 128, 4},
                {1, 1, 8, 128, 4}, {1, 2, 4, 64, 4}, {2, 1, 8, 256, 8}, {2, 1, 3, 96, 3}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned unit = 4 * rows[k].interleave, bad = 0, n = rows[k].bytes / 4;
        sim_tensor_map t = {.type = 1, /* UINT16 */
                            .rank = 3,
                            .base = in,
                            .dim = {16, 2, 2},
                            .stride = {512, 1024},
                            .box = {8, 7, 1}, /* 7 slices: there is but one in a copy */
                            .step = {rows[k].step, 1, 1},
                            .interleave = rows[k].interleave,
                            .im2col = rows[k].pixels != 0,
                            .pixels = rows[k].pixels};
        CHECK_INT(make(t), SIM_OK);
        char body[1500], copy[400];
        snprintf(copy, sizeof copy, "mov.u32 %%r6, 0;\n"
                 "COPY: add.u32 %%r7, %%r1, %%r6; ld.shared.u32 %%r8, [%%r7]; cvt.u64.u32 %%d6, %%r6;\n"
                 "add.u64 %%d7, %%d1, %%d6; st.global.u32 [%%d7], %%r8;\n"
                 "add.u32 %%r6, %%r6, 4; setp.lt.u32 %%p1, %%r6, %u; @%%p1 bra COPY;\n", rows[k].bytes);
        for (unsigned read = 0; read < 2; read++) {
            snprintf(body, sizeof body, "%smbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
                     "cp.async.bulk.tensor.3d.shared::cluster.global.%s.mbarrier::complete_tx::bytes [%%r1], [%%d2, {2, 1, 1}], [%%r2]%s;\n%s%s",
                     INIT, rows[k].bytes, rows[k].pixels ? "im2col" : "tile", rows[k].pixels ? ", {0}" : "", WAIT, read ? copy : "");
            CHECK_INT(run(body), SIM_OK);
            if (read) continue;
            CHECK_INT(run(body), SIM_OK); /* a far line has a copy on the near side by now */
            CHECK_INT(r.counters.l2_sectors, rows[k].sectors);
        }
        for (unsigned i = 0; i < n; i++) { /* from (2, 1, 1) on */
            unsigned word = (2 + i / unit * rows[k].step) * unit + i % unit + (512 + 1024) / 4;
            bad += got[i] != 100 * (word / 32) + word % 32;
        }
        CHECK_INT(bad, 0);
        CHECK_INT(r.finding_count, 0);
    }
}

/* Element := element op what shared memory has, by the map's data type (PTX ISA 9.7.9.25.5.3): in
 * all of 16 bytes. Operations that a type has not end the launch. */
static void test_tensor_reductions(void) {
    enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32Z, TF32, TF32Z, NO = 1 };
    static const uint8_t size[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    static const struct {
        unsigned type;
        const char *op;
        uint64_t there, with, want;
        bool no;
    } rows[] = {
        {U32, "add", 7, 5, 12, 0}, {U32, "min", 7, 5, 5, 0}, {U32, "max", 7, 5, 7, 0},
        {U32, "and", 7, 5, 5, 0}, {U32, "or", 6, 5, 7, 0}, {U32, "xor", 7, 5, 2, 0},
        {U32, "inc", 7, 5, 0, 0}, {U32, "inc", 5, 5, 0, 0}, {U32, "inc", 4, 5, 5, 0},
        {U32, "dec", 7, 5, 5, 0}, {U32, "dec", 5, 5, 4, 0}, {U32, "dec", 0, 5, 5, 0},
        {U32, "min", 0xfffffff9, 5, 5, 0}, {U32, "max", 0xfffffff9, 5, 0xfffffff9, 0},
        {S32, "add", 0xfffffff9, 5, 0xfffffffe, 0}, {S32, "min", 0xfffffff9, 5, 0xfffffff9, 0},
        {S32, "max", 0xfffffff9, 5, 5, 0},
        {U64, "add", (1ull << 40) + 1, 3, (1ull << 40) + 4, 0}, {U64, "min", 1ull << 40, 3, 3, 0},
        {U64, "max", ~0ull, 3, ~0ull, 0}, {U64, "and", (1ull << 40) + 1, 3, 1, 0},
        {U64, "or", 1ull << 40, 3, (1ull << 40) + 3, 0},
        {U64, "xor", (1ull << 40) + 1, 3, (1ull << 40) + 2, 0},
        {S64, "min", ~0ull, 1, ~0ull, 0}, {S64, "max", ~0ull, 1, 1, 0},
        /* 1.5 and -2; 1.5 and 0.25 */
        {F16, "add", 0x3e00, 0xc000, 0xb800, 0}, {F16, "min", 0x3e00, 0xc000, 0xc000, 0},
        {F16, "max", 0x3e00, 0xc000, 0x3e00, 0}, {F32, "add", 0x3fc00000, 0x3e800000, 0x3fe00000, 0},
        {BF16, "add", 0x3fc0, 0xc000, 0xbf00, 0}, {BF16, "min", 0x3fc0, 0xc000, 0xc000, 0},
        {BF16, "max", 0x3fc0, 0xc000, 0x3fc0, 0},
        /* subnormal numbers are flushed where the type says so; nothing is rounded to TF32
         * (H100) */
        {F32, "add", 1, 2, 3, 0}, {TF32, "add", 1, 2, 3, 0}, {F32Z, "add", 1, 2, 0, 0},
        {TF32Z, "add", 0x80000001, 0x80000002, 0x80000000, 0},
        {F32Z, "add", 0x3f800001, 0x007fffff, 0x3f800001, 0},
        {F32, "add", 0x80001fff, 0x00800000, 0x007fe001, 0},
        {F32Z, "add", 0x00800000, 0x80801fff, 0x80000000, 0},
        {TF32, "add", 0x3f800001, 0x3f800fff, 0x40000800, 0},
        {TF32Z, "add", 0x3f800001, 0x3f800fff, 0x40000800, 0},
        {TF32, "add", 0x7f800000, 0xff800000, 0x7fffffff, 0},
        {S64, "add", 0, 0, 0, NO}, {S64, "and", 0, 0, 0, NO}, {S64, "xor", 0, 0, 0, NO},
        {S32, "and", 7, 5, 5, 0}, {F64, "add", 0, 0, 0, 0}, {S64, "or", 0, 0, 0, NO},
        {F32Z, "min", 0, 0, 0, NO}, {TF32, "max", 0, 0, 0, NO}, {TF32Z, "xor", 0, 0, 0, NO},
        {U8, "add", 0, 0, 0, NO}, {U16, "add", 0, 0, 0, NO}, {U16, "and", 0, 0, 0, NO},
        {U8, "max", 0, 0, 0, NO}, {F32, "min", 0, 0, 0, NO}, {F32, "max", 0, 0, 0, NO},
        {F64, "max", 0, 0, 0, NO}, {F64, "min", 0, 0, 0, NO}, {F16, "and", 0, 0, 0, NO},
        {F32, "or", 0, 0, 0, NO}, {F64, "xor", 0, 0, 0, NO}, {BF16, "and", 0, 0, 0, NO},
        {S32, "inc", 0, 0, 0, NO}, {U64, "inc", 0, 0, 0, NO}, {U64, "dec", 0, 0, 0, NO},
        {F32, "dec", 0, 0, 0, NO}, {BF16, "inc", 0, 0, 0, NO}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        unsigned bytes = size[rows[k].type];
        uint64_t there = 0, with = 0, want = 0;
        for (unsigned n = 0; n < 8; n += bytes) {
            there |= rows[k].there << 8 * n, with |= rows[k].with << 8 * n;
            want |= rows[k].want << 8 * n;
        }
        sim_tensor_map t = {.type = rows[k].type,
                            .rank = 1,
                            .base = out,
                            .dim = {16 / bytes},
                            .box = {16 / bytes},
                            .step = {1}};
        char body[900];
        CHECK_INT(make(t), SIM_OK);
        snprintf(body, sizeof body,
                 "mov.u64 %%d6, %llu; st.shared.v2.u64 [%%r1], {%%d6, %%d6}; mov.u64 %%d7, %llu;\n"
                 "st.global.v2.u64 [%%d1], {%%d7, %%d7}; fence.proxy.async;\n"
                 "cp.reduce.async.bulk.tensor.1d.global.shared::cta.%s.tile.bulk_group [%%d2, {0}], "
                 "[%%r1];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
                 (unsigned long long)with, (unsigned long long)there, rows[k].op);
        if (rows[k].no) {
            bad_copy(body, SIM_ILLEGAL_INSTRUCTION,
                     "reduces a tensor whose data type this operation does not take");
            continue;
        }
        CHECK_INT(run(body), SIM_OK);
        uint64_t both[2];
        memcpy(both, got, sizeof both);
        char what[60];
        snprintf(what, sizeof what, "%s of data type %u", rows[k].op, rows[k].type);
        check_that(both[0] == want && both[1] == want && got[4] == 0xdddddddd, __FILE__, __LINE__,
                   what, "another element");
    }
}

static void test_misused_maps(void) {
    CHECK_INT(make(square()), SIM_OK);
    bad_copy("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[%r1], [%d2, {%r0, %r0, %r0}], [%r2];\n",
             SIM_TRAP, "3 dimensions, but the tensor map has 2");
    bad_copy("add.u32 %r1, %r1, 64;" FETCH(0, 0), SIM_MISALIGNED, "not a multiple of 128");
    bad_copy("add.u32 %r1, %r1, 4096;" FETCH(0, 0), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy("add.u64 %d2, %d2, 32;" FETCH(0, 0), SIM_MISALIGNED, "not a multiple of 64");
    bad_copy("mov.u64 %d2, 0;" FETCH(0, 0), SIM_ILLEGAL_ADDRESS, "out of bounds");
    bad_copy("add.u64 %d2, %d2, 64;" FETCH(0, 0), SIM_TRAP, "did not make these 128 bytes");
    bad_copy("mov.b64 %d2, %d0;" FETCH(0, 0), SIM_TRAP, "did not make these 128 bytes");
    bad_copy(FETCH(-3, 0), SIM_ILLEGAL_INSTRUCTION,
             "the innermost coordinate -3 of elements of 4 bytes: their product must be a multiple of 16");
    bad_copy(FETCH(2, -100), SIM_ILLEGAL_INSTRUCTION, "the innermost coordinate 2");
#define AT_2_0 "[%d2, {2, 0}]"
    bad_copy("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group " AT_2_0 ", [%r1];",
             SIM_ILLEGAL_INSTRUCTION, "the innermost coordinate 2");
    bad_copy("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group " AT_2_0 ", [%r1];",
             SIM_ILLEGAL_INSTRUCTION, "the innermost coordinate 2");
    bad_copy("cp.async.bulk.prefetch.tensor.2d.L2.global " AT_2_0 ";", SIM_ILLEGAL_INSTRUCTION,
             "the innermost coordinate 2");
    sim_tensor_map t = square();
    t.type = 4, t.dim[0] = 16, t.box[0] = 4; /* UINT64 */
    CHECK_INT(make(t), SIM_OK);
    bad_copy(FETCH(3, 0), SIM_ILLEGAL_INSTRUCTION, "3 of elements of 8 bytes");
    CHECK_INT(run(FETCH(2, 0)), SIM_OK);
    t = square();
    t.dim[1] = 65; /* one row more than there is memory */
    CHECK_INT(make(t), SIM_OK);
    bad_copy(FETCH(0, 62), SIM_ILLEGAL_ADDRESS, "out of bounds");
    t.base = 1ull << 60;
    CHECK_INT(make(t), SIM_OK);
    bad_copy(FETCH(0, 0), SIM_ILLEGAL_ADDRESS, "no allocation is near");
    t = square();
    t.rank = 5;
    for (unsigned k = 0; k < 5; k++) t.dim[k] = 1ull << 32, t.box[k] = 256, t.step[k] = 1;
    for (unsigned k = 0; k < 4; k++) t.stride[k] = (1ull << 40) - 16;
    CHECK_INT(make(t), SIM_OK);
    bad_copy("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[%r1], [%d2, {%r0, %r0, %r0, %r0, %r0}], [%r2];\n",
             SIM_ILLEGAL_ADDRESS, "out of bounds");
}

/* clang-format on */

/* Maps with some bits changed, with the checksum put right again or not: nothing but refusals and
 * faults. */
static void test_forged(void) {
    uint64_t seed = 88172645463325252u;
    unsigned refused = 0, ran = 0;
    for (unsigned i = 0; i < 300; i++) {
        CHECK_INT(make(square()), SIM_OK);
        for (unsigned n = 1 + i % 3; n; n--) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            unsigned at = 8 + (unsigned)(seed >> 8) % 83;
            params.map[at] ^= (uint8_t)(1 << (seed >> 40) % 8);
        }
        if (i % 4) { /* FNV-1a over all bytes, those of the sum (4 to 7) as 0 */
            uint32_t h = 2166136261u;
            memset(params.map + 4, 0, 4);
            for (unsigned k = 0; k < 128; k++) h = (h ^ params.map[k]) * 16777619u;
            memcpy(params.map + 4, &h, 4);
        }
        sim_status s = run(FETCH(4, 2));
        ran += s == SIM_OK;
        refused += s == SIM_TRAP || s == SIM_ILLEGAL_ADDRESS || s == SIM_MISALIGNED ||
                   s == SIM_ILLEGAL_INSTRUCTION;
    }
    CHECK_INT(ran + refused, 300);
    CHECK(ran > 10 && refused > 75);
}

static void test_old_device(void) {
    sim_options o;
    uint8_t map[SIM_TENSOR_MAP_BYTES];
    sim_tensor_map t = square();
    sim_options_default(&o);
    sim_device *old = sim_device_new(sim_profile_find("a100"), &o, &msg);
    CHECK_INT(sim_tensor_map_new(old, &t, map, &msg), SIM_UNSUPPORTED);
    CHECK_CONTAINS(said(&msg), "compute capability 9.0");
    sim_device_free(old);
}

int main(void) {
    if (!async_begin()) return 1;
    test_descriptions();
    test_box();
    test_edges();
    test_stored_box();
    test_swizzles();
    test_narrow_rows();
    test_slices();
    test_misused_maps();
    test_tensor_reductions();
    test_forged();
    test_old_device();
    return async_done();
}
