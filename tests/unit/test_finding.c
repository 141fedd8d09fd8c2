/* A finding in Chinese and its English beside it: whole sentences, from events to what a reader
 * sees. Offsets and distances are differences of the addresses in each row. (test_sites.c has every
 * sentence in English.) */
#include <stdlib.h>
#include "grader/result.h"
#include "runner/base/say.h"
#include "runner/device/sim/memory/finding.h"
#include "tests/check.h"
#include "tests/said.h"
#include "words/finding.h"

/* loc is the line of a.cu. */
static void source(const struct ptx_module *m, uint32_t loc, uint32_t ptx_line, const char **file,
                   unsigned *line) {
    (void)m, (void)ptx_line;
    *file = loc ? "kernels/a.cu" : "";
    *line = loc;
}

static sim_memory *memory;
static sim_addr c, unnamed; /* allocations of 4,012 and of 64 bytes */
static sim_findings_config config = {
    .kernel = "k", .grid = {100, 1, 1}, .block = {256, 1, 1}, .source = source};

static sim_finding *finding_of(const sim_event *e) {
    size_t n;
    config.memory = memory;
    sim_findings *f = sim_findings_new(&config);
    sim_finding_report(f, e);
    sim_finding *all = sim_findings_take(f, UINT64_MAX, &n);
    sim_findings_free(f);
    return all;
}

static void says(int line, const sim_event *e, const char *zh, const char *en) {
    sim_finding *f = finding_of(e);
    const char *got[] = {said_zh(&f->said), said(&f->said)}, *want[] = {zh, en};
    for (int k = 0; k < 2; k++)
        check_that(!strcmp(got[k], want[k]), __FILE__, line, want[k], got[k]);
    free(f);
}
#define SAYS(zh, en, ...) says(__LINE__, &(sim_event){__VA_ARGS__}, zh, en)

static void accesses(void) {
    SAYS("a.cu 第 9 行：核函数 k 中，块 15 的线程 43 越界写 4 字节：紧接在缓冲区 c（4,012 "
         "字节）的末尾之后",
         "a.cu:9: thread 43 of block 15 of k writes 4 bytes out of bounds: just past the end of c "
         "(4,012 bytes)",
         SIM_FIND_OOB, .loc = 9, .block = 15, .thread = 43, .space = "global", .bytes = 4,
         .write = true, .address = c + 4012);
    SAYS("PTX 第 7 行：核函数 k 中，块 0 的线程 0 越界读 4 字节：在缓冲区 c（4,012 "
         "字节）的开头之前 8 字节",
         "PTX line 7: thread 0 of block 0 of k reads 4 bytes out of bounds: 8 bytes before the "
         "start of c (4,012 bytes)",
         SIM_FIND_OOB, .ptx_line = 7, .space = "global", .bytes = 4, .address = c - 8);
    SAYS("核函数 k 中，块 0 的线程 0 越界读 8 字节：缓冲区 c（4,012 字节）的第 4,008 字节，其中 4 "
         "字节超出末尾",
         "thread 0 of block 0 of k reads 8 bytes out of bounds: byte 4,008 of c (4,012 bytes), so "
         "4 bytes of it past the end",
         SIM_FIND_OOB, .space = "global", .bytes = 8, .address = c + 4008);
    SAYS("核函数 k 中，块 0 的线程 0 越界写 4 字节：空指针",
         "thread 0 of block 0 of k writes 4 bytes out of bounds: a null pointer", SIM_FIND_OOB,
         .space = "global", .bytes = 4, .write = true);
    SAYS("核函数 k 中，块 0 的线程 0 越界读 4 字节：共享内存的第 4,096 字节，而一个块只有 4,096 "
         "字节",
         "thread 0 of block 0 of k reads 4 bytes out of bounds: byte 4,096 of shared memory, of "
         "which the block has 4,096 bytes",
         SIM_FIND_OOB, .space = "shared", .bytes = 4, .address = 4096, .space_size = 4096);
    SAYS(
        "核函数 k 中，块 0 的线程 0 越界读 4 字节：局部内存的第 -4 字节，而一个线程只有 16 字节",
        "thread 0 of block 0 of k reads 4 bytes out of bounds: byte -4 of local memory, of which a "
        "thread has 16 bytes",
        SIM_FIND_OOB, .space = "local", .bytes = 4, .address = 4294967292, .space_size = 16);
    SAYS("核函数 k 中，块 0 的线程 0 读 8 字节，但地址不是 8 的倍数：缓冲区 c（4,012 字节）的第 4 "
         "字节",
         "thread 0 of block 0 of k reads 8 bytes at an address that is not a multiple of 8: byte 4 "
         "of c (4,012 bytes)",
         SIM_FIND_MISALIGNED, .space = "global", .bytes = 8, .address = c + 4);
    char zh[200], en[200];
    SAY(zh,
        "核函数 k 中，块 0 的线程 0 读从未写过的内存：地址 0x%llx 处的一块 64 字节的内存的第 4 "
        "字节",
        (unsigned long long)unnamed);
    SAY(en,
        "thread 0 of block 0 of k reads memory that nothing has written: byte 4 of the 64-byte "
        "allocation at 0x%llx",
        (unsigned long long)unnamed);
    SAYS(zh, en, SIM_FIND_UNINIT, .space = "global", .bytes = 4, .address = unnamed + 4);
}

/* An index that is far off also meets bytes of another allocation that nothing has written. */
static void beyond(void) {
    const sim_event e[] = {
        {SIM_FIND_OOB, .ptx_line = 5, .space = "global", .bytes = 4, .address = c + 4012},
        {SIM_FIND_UNINIT, .ptx_line = 5, .thread = 1, .space = "global", .bytes = 4,
         .address = unnamed + 4},
        {SIM_FIND_UNINIT, .ptx_line = 6, .thread = 2, .space = "global", .bytes = 4,
         .address = unnamed + 4}};
    char en[200], zh[200];
    SAY(en, "; or an index is wrong: %d bytes past the end of c (4,012 bytes)",
        (int)(unnamed + 4 - c - 4012));
    SAY(zh, "；也可能是下标错误：在缓冲区 c（4,012 字节）的末尾之后 %d 字节",
        (int)(unnamed + 4 - c - 4012));
    size_t n;
    config.memory = memory;
    sim_findings *f = sim_findings_new(&config);
    for (size_t i = 0; i < 3; i++) sim_finding_report(f, &e[i]);
    sim_finding *all = sim_findings_take(f, UINT64_MAX, &n);
    if (CHECK(n == 3)) {
        CHECK_CONTAINS(said(&all[1].said), en);
        CHECK_CONTAINS(said_zh(&all[1].said), zh);
        CHECK(!strstr(said(&all[2].said), "an index is wrong")); /* another line's */
    }
    free(all);
    sim_findings_free(f);
}

static void races(void) {
    SAYS("a.cu 第 7 行：核函数 k 中，块 0 的线程 0 读共享内存的第 4 字节，而线程 32 在 a.cu 第 9 "
         "行写同一处：两者之间缺少 __syncthreads()",
         "a.cu:7: thread 0 of block 0 of k reads byte 4 of shared memory, which thread 32 writes "
         "at a.cu:9: a __syncthreads() is missing between them",
         SIM_FIND_RACE, .loc = 7, .space = "shared", .address = 4, .bytes = 4, .has_other = true,
         .other_loc = 9, .other_thread = 32, .other_write = true);
    SAYS("a.cu 第 7 行：核函数 k 中，块 0 的线程 0 读共享内存的第 4 字节，而同一 warp 的线程 1 在 "
         "a.cu 第 9 行原子更新同一处：两者之间缺少 __syncwarp()",
         "a.cu:7: thread 0 of block 0 of k reads byte 4 of shared memory, which thread 1 of the "
         "same warp updates atomically at a.cu:9: a __syncwarp() is missing between them",
         SIM_FIND_RACE, .loc = 7, .space = "shared", .address = 4, .bytes = 4, .has_other = true,
         .other_loc = 9, .other_thread = 1, .other_write = true, .other_atomic = true);
    SAYS("a.cu 第 7 行：核函数 k 中，块 2 的线程 0 写缓冲区 c（4,012 字节）的第 0 字节，而块 1 "
         "的线程 0 在 a.cu 第 7 "
         "行写同一处：同一次启动里的两个块之间没有先后，请用原子操作，或分成两次启动",
         "a.cu:7: thread 0 of block 2 of k writes byte 0 of c (4,012 bytes), which thread 0 of "
         "block 1 writes at a.cu:7: nothing orders two blocks within a launch; use an atomic, or a "
         "second launch",
         SIM_FIND_RACE, .loc = 7, .block = 2, .space = "global", .address = c, .bytes = 4,
         .write = true, .has_other = true, .other_loc = 7, .other_block = 1, .other_write = true);
}

static void details(void) {
    lib_message there;
    lib_message_set(&there, w_finding_line_here(4));
    lib_words elsewhere = w_finding_barrier_elsewhere(&there),
              fails = w_finding_assertion("i < n", "k(int)", "a.cu", 1200);
    SAYS("核函数 k 中，块 0 的线程 0 在一个屏障处等待，而块里的其他线程在另一个屏障处（第 4 "
         "行）：所有线程必须到达同一个屏障",
         "thread 0 of block 0 of k waits at a barrier while other threads of the block are at "
         "another one, at line 4: all must reach the same",
         SIM_FIND_BARRIER, .detail = &elsewhere);
    SAYS("核函数 k 中，块 0 的线程 0 的断言 `i < n` 不成立（k(int)，a.cu:1200）",
         "thread 0 of block 0 of k fails the assertion `i < n` in k(int) (a.cu:1200)",
         SIM_FIND_ASSERT, .detail = &fails);
    /* the rest of the sentence is there, however long the name of the kernel */
    static char name[3000];
    memset(name, 'n', sizeof name - 1);
    config.kernel = name;
    sim_finding *f = finding_of(&(sim_event){SIM_FIND_ASSERT, .loc = 3, .detail = &fails});
    CHECK_CONTAINS(said(&f->said), "a.cu:3: thread 0 of block 0 of nnnn");
    CHECK_CONTAINS(said(&f->said), "... fails the assertion `i < n` in k(int) (a.cu:1200)");
    free(f);
    config.kernel = "k";
}

static void counts(void) {
    sim_finding f = {.kind = SIM_FIND_STACK, .count = 1};
    tell(&f.said, "x", "某事");
    for (unsigned n = 1; n < 4; n += 2) {
        f.count = n;
        char *en = grade_finding_text(&f, LIB_EN), *zh = grade_finding_text(&f, LIB_ZH);
        CHECK_STR(en, n == 1 ? "x" : "x (3 times)");
        CHECK_STR(zh, n == 1 ? "某事" : "某事（共 3 次）");
        free(en), free(zh);
    }
    for (int k = 0; k < SIM_FIND_COUNT; k++) {
        lib_word_id title = grade_finding_title((sim_finding_kind)k);
        CHECK(*lib_word(LIB_EN, title) && strcmp(lib_word(LIB_ZH, title), lib_word(LIB_EN, title)));
    }
    CHECK_INT(grade_finding_title(SIM_FIND_COUNT), 0);
}

int main(void) {
    lib_message msg;
    memory = sim_memory_new(1 << 20, 0, true, &msg);
    if (!CHECK(memory != NULL)) return check_done();
    sim_addr before; /* what lies before the first allocation is near none */
    sim_memory_alloc(memory, 8192, SIM_ALLOC_USER, "before", &before);
    sim_memory_alloc(memory, 4012, SIM_ALLOC_USER, "c", &c);
    sim_memory_alloc(memory, 64, SIM_ALLOC_USER, NULL, &unnamed);
    accesses();
    beyond();
    races();
    details();
    counts();
    sim_memory_free(memory);
    return check_done();
}
