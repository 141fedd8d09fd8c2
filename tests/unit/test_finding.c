/* A finding in Chinese: every form that the English of the simulated device has, with what its
 * fields say. The English is runner/device/sim/'s wording; offsets and sizes are differences of the
 * addresses in each row. */
#include <stdlib.h>
#include "grader/result.h"
#include "runner/base/say.h"
#include "tests/check.h"
#include "tests/said.h"

typedef struct {
    sim_finding f;
    const char *zh;
} row;

static void check_rows(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char *zh = grade_finding_text(&rows[i].f, LIB_ZH);
        CHECK_STR(zh, rows[i].zh);
        free(zh);
    }
}
#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

/* Coordinates are as short as they can be; the file goes without its folder. */
static void places(void) {
    static const row rows[] = {
        {{.kind = SIM_FIND_STACK, .kernel = "k", .block = {7, 1, 0}, .thread = {3, 0, 2}},
         "调用栈溢出：核函数 k，块 (7,1,0)，线程 (3,0,2)，"},
        {{.kind = SIM_FIND_STACK, .kernel = "k", .block = {7, 0, 0}, .thread = {3, 0, 0}},
         "调用栈溢出：核函数 k，块 7，线程 3，"},
        {{.kind = SIM_FIND_HOST_DEREF, .file = "/a/b.cu", .line = 12},
         "主机代码直接读写了设备内存，请改用 cudaMemcpy 拷贝：b.cu 第 12 行"},
        {{.kind = SIM_FIND_HOST_DEREF, .kernel = "", .file = "c.cu", .line = 1, .count = 1},
         "主机代码直接读写了设备内存，请改用 cudaMemcpy 拷贝：c.cu 第 1 行"},
        {{.kind = SIM_FIND_HOST_DEREF, .file = "", .line = 1, .count = 2},
         "主机代码直接读写了设备内存，请改用 cudaMemcpy 拷贝：第 1 行（共 2 次）"},
        {{.kind = SIM_FIND_UNSUPPORTED, .text = "what it is"}, "模拟设备不支持：what it is"},
    };
    CHECK_ROWS(rows);
}

/* The device's English, but with separators in numbers of bytes. All other numbers stay as they
 * are. */
static void separators(void) {
    static const struct {
        const char *said, *told;
    } rows[] = {
        {"a.cu:1200: thread 1023 of block 15625 of k reads 4 bytes out of bounds: just past the "
         "end "
         "of b (4000012 bytes)",
         "a.cu:1200: thread 1023 of block 15625 of k reads 4 bytes out of bounds: just past the "
         "end "
         "of b (4,000,012 bytes)"},
        {"byte 16384 of shared memory, of which the block has 999 bytes",
         "byte 16,384 of shared memory, of which the block has 999 bytes"},
        {"byte -4096 of local memory", "byte -4,096 of local memory"},
        {"byte 0 of the 1024-byte allocation at 0x7f0012345678",
         "byte 0 of the 1,024-byte allocation at 0x7f0012345678"},
        {"x1024 bytes", "x1024 bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_finding f = {.kind = SIM_FIND_OOB};
        SAY(f.text, "%s", rows[i].said);
        char *told = grade_finding_text(&f, LIB_EN);
        CHECK_STR(told, rows[i].told);
        free(told);
    }
}

/* Beside an allocation of 64 bytes at 0x1000, its last byte, and over its end. */
#define AT(where, n)                                                                               \
    .kind = SIM_FIND_OOB, .space = "global", .bytes = (n), .address = (where),                     \
    .alloc_base = 0x1000, .alloc_size = 64
static void beside_allocations(void) {
    static const row rows[] = {
        {{AT(0xfff, 4)},
         "越界访问：读全局内存 4 字节，离该地址最近的一块内存（64 字节），在它之前 1 "
         "字节"},
        {{AT(0xf00, 1), .alloc_name = ""},
         "越界访问：读全局内存 1 字节，离该地址最近的一块内存（64 "
         "字节），在它之前 256 字节"},
        {{AT(0x1000 + 60, 4), .write = true},
         "越界访问：写全局内存 4 字节，离该地址最近的一块内存（64 "
         "字节），是常量内存，核函数不能写"},
        {{AT(0x1000, 4)},
         "越界访问：读全局内存 4 字节，离该地址最近的一块内存（64 "
         "字节），不是常量内存"},
        {{AT(0x1000 + 60, 8), .alloc_name = "x"},
         "越界访问：读全局内存 8 字节，缓冲区 x（64 字节）的第 60 字节，其中 4 字节超出末尾"},
        {{AT(0x1000 + 63, 2), .alloc_name = "x"},
         "越界访问：读全局内存 2 字节，缓冲区 x（64 字节）的第 63 字节，其中 1 字节超出末尾"},
        /* a name may hold what another kind's text says */
        {{AT(0x1000 + 63, 2), .alloc_name = "x",
          .text = "reads 2 bytes out of bounds of `is not a multiple of 8`"},
         "越界访问：读全局内存 2 字节，缓冲区 x（64 字节）的第 63 字节，其中 1 字节超出末尾"},
        {{.kind = SIM_FIND_MISALIGNED,
          .space = "global",
          .bytes = 8,
          .address = 0x1004,
          .alloc_base = 0x1000,
          .alloc_size = 64,
          .alloc_name = "x",
          .text = "reads 8 bytes at address 0x1004, which is not a multiple of 8"},
         "地址未对齐：读全局内存 8 字节，地址不是 8 的倍数，缓冲区 x（64 字节）的第 4 字节"},
        /* an allocation may be larger than its address is high */
        {{.kind = SIM_FIND_UNINIT,
          .space = "global",
          .bytes = 4,
          .address = 0x10 + 40,
          .alloc_base = 0x10,
          .alloc_size = 64},
         "读取了从未写过的内存：读全局内存 4 字节，一块内存（64 字节）的第 40 字节"},
        {{AT(0x1000 + 64, 4), .alloc_name = "x"},
         "越界访问：读全局内存 4 字节，缓冲区 x（64 字节），紧接在末尾之后"},
        {{AT(0x1000 + 65, 4), .alloc_name = "x"},
         "越界访问：读全局内存 4 字节，缓冲区 x（64 字节），超出末尾 1 字节"},
        {{.kind = SIM_FIND_UNINIT,
          .space = "global",
          .bytes = 4,
          .address = 0x1000 + 8,
          .alloc_base = 0x1000,
          .alloc_size = 64},
         "读取了从未写过的内存：读全局内存 4 字节，一块内存（64 字节）的第 8 字节"},
        {{.kind = SIM_FIND_USE_AFTER_FREE,
          .space = "global",
          .bytes = 4,
          .address = 0x1000,
          .alloc_base = 0x1000,
          .alloc_size = 64,
          .alloc_name = "x"},
         "访问已释放的内存：读全局内存 4 字节，缓冲区 x（64 字节）的第 0 字节"},
    };
    CHECK_ROWS(rows);
}

/* Addresses that are in no allocation, and what holds them. */
static void nowhere(void) {
    static const row rows[] = {
        {{.kind = SIM_FIND_OOB, .space = "global", .bytes = 4},
         "越界访问：读全局内存 4 字节，空指针"},
        {{.kind = SIM_FIND_OOB, .space = "global", .bytes = 4, .address = 1},
         "越界访问：读全局内存 4 字节，空指针加上偏移 0x1"},
        {{.kind = SIM_FIND_OOB, .bytes = 4, .address = 4095},
         "越界访问：读 4 字节，空指针加上偏移 0xfff"},
        {{.kind = SIM_FIND_OOB, .space = "const", .bytes = 4, .address = 4096},
         "越界访问：读常量内存 4 字节，地址 0x1000 附近没有分配过内存，是不是主机指针？"},
        {{.kind = SIM_FIND_OOB,
          .space = "global",
          .bytes = 4,
          .address = 0x2fff80000000,
          .text = "address 0x2fff80000000: no allocation is near; has an index overflowed?"},
         "越界访问：读全局内存 4 字节，地址 0x2fff80000000 附近没有分配过内存，是不是下标溢出了？"},
        {{.kind = SIM_FIND_OOB,
          .space = "local",
          .bytes = 4,
          .address = 4294967292,
          .text = "out of bounds: byte -4 of local memory, of which a thread has 16 bytes"},
         "越界访问：读局部内存 4 字节，第 -4 字节，而一个线程只有 16 字节"},
        {{.kind = SIM_FIND_OOB,
          .space = "global",
          .bytes = 4,
          .address = 0x5000,
          .text = "reads 4 bytes out of bounds: address 0x5000: that is shared memory, not global"},
         "越界访问：读全局内存 4 字节，地址 0x5000 属于共享内存，不是全局内存"},
        {{.kind = SIM_FIND_OOB,
          .space = "global",
          .bytes = 4,
          .address = 0x5000,
          .text = "reads 4 bytes out of bounds: address 0x5000: that is a local variable of a "
                  "thread, not global memory"},
         "越界访问：读全局内存 4 字节，地址 0x5000 是某个线程的局部变量，不在全局内存里"},
        {{.kind = SIM_FIND_OOB,
          .space = "global",
          .bytes = 4,
          .address = 0x5000,
          .text = "reads 4 bytes out of bounds: address 0x5000: memory of device 2, which kernels "
                  "of this device reach only after cudaDeviceEnablePeerAccess(2, 0)"},
         "越界访问：读全局内存 4 字节，地址 0x5000 属于设备 2，本设备的核函数要在 "
         "cudaDeviceEnablePeerAccess(2, 0) 之后才能访问"},
        {{.kind = SIM_FIND_OOB,
          .space = "local",
          .bytes = 8,
          .address = 32,
          .text = "reads 8 bytes out of bounds: byte 32 of local memory, of which a thread has 36 "
                  "bytes"},
         "越界访问：读局部内存 8 字节，第 32 字节，而一个线程只有 36 字节"},
        {{.kind = SIM_FIND_OOB,
          .space = "const",
          .bytes = 8,
          .address = 32,
          .text = "reads 8 bytes out of bounds: byte 32 of const memory, of which the kernel has "
                  "36 bytes"},
         "越界访问：读常量内存 8 字节，第 32 字节，而核函数只有 36 字节"},
        {{.kind = SIM_FIND_OOB,
          .space = "shared",
          .bytes = 4,
          .address = 32,
          .text = "reads 4 bytes out of bounds: the kernel has no shared memory"},
         "越界访问：读共享内存 4 字节，而核函数没有共享内存"},
        {{.kind = SIM_FIND_OOB, .space = "param", .bytes = 4, .address = 32},
         "越界访问：读 param 4 字节，而核函数没有 param"},
        {{.kind = SIM_FIND_OOB,
          .space = "shared",
          .bytes = 4,
          .address = 132,
          .write = true,
          .text = "writes 4 bytes out of bounds: byte 132 of the shared memory of block 3 of the "
                  "cluster, of which the block has 128 bytes"},
         "越界访问：写共享内存 4 字节，线程块集群中第 3 块的共享内存的第 132 字节，而该块只有 128 "
         "字节"},
        /* a text that was cut before the block's number: the first block */
        {{.kind = SIM_FIND_OOB,
          .space = "shared",
          .bytes = 4,
          .address = 132,
          .text = "reads 4 bytes out of bounds: byte 132 of the shared memory of block "},
         "越界访问：读共享内存 4 字节，线程块集群中第 0 块的共享内存的第 132 字节"},
    };
    CHECK_ROWS(rows);
}

/* Blocks that cannot go on, and misuse that the English text tells. */
static void stopped(void) {
    static const struct {
        const char *text, *zh;
    } rows[] = {
        {"waits at a barrier that 1 of the block's 32 threads never reach",
         "块里 32 个线程中有 1 个已经退出，永远到不了这个屏障；每个线程都必须到达 __syncthreads()"},
        {"waits at barrier 5, which never opens: 3 of 64 threads have arrived",
         "屏障 5 永远不会打开：64 个线程中只到达 3 个"},
        {"waits at the cluster's barrier, which never opens: 5 of 9 threads of the cluster have "
         "arrived",
         "线程块集群的屏障永远不会打开：9 个线程中只到达 5 个"},
        {"arrives twice at the cluster's barrier without waiting in between",
         "在线程块集群的屏障处到达了两次，其间没有等待"},
        {"waits at the cluster's barrier without having arrived",
         "没有先到达就在线程块集群的屏障处等待"},
        {"waits at a barrier that never opens: threads of the block wait for lanes",
         "屏障永远不会打开：块里有线程在等同一个 warp 中不会到来的 lane"},
        {"waits at a barrier while other threads of the block are at another one, at line 4: all "
         "must reach the same",
         "块里的其他线程在另一个屏障处（第 4 行）；所有线程必须到达同一个屏障"},
        {"waits at a barrier for 33 threads, which is no multiple of 32",
         "这个屏障等待 33 个线程，而线程数必须是 32 的倍数"},
        {"waits at barrier 16, but a block has only 16",
         "在屏障 16 处等待，而一个块只有编号 0 到 15 的屏障"},
        {"waits at a barrier while other threads of the block are at another one, at PTX line 9: "
         "all",
         "块里的其他线程在另一个屏障处（PTX 第 9 行）；所有线程必须到达同一个屏障"},
        {"waits for a phase of an mbarrier that never completes: 3 arrivals and -8 bytes are "
         "missing",
         "在等 mbarrier 的一个阶段，而它永远不会完成：还缺 3 次到达和 -8 字节"},
        {"waits in a loop for memory that no thread will ever change: 33 threads of the block do",
         "在循环里等一处再没有线程会去改的内存，块里这样的线程有 33 个"},
        {"and its neighbours (lanes 0x00000003) wait for lanes 0x0000000c of the mask 0x0000ffff, "
         "which never arrive",
         "在等 lane 0x0000000c（掩码 0x0000ffff），而它们永远不会到来"},
        {"was still running when the launches before it and it had executed 2 million warp "
         "instructions: an endless loop?",
         "这次启动和之前的各次启动已执行 200 万条 warp 指令，仍未结束"},
        {"was still running when the launch had executed 0.5 million warp instructions",
         "这次启动已执行 50 万条 warp 指令，仍未结束"},
        {"fails the assertion `a` in f(int) (x.cu:12)", "断言 `a` 不成立（f(int)，x.cu:12）"},
        {"fails the assertion `a` in f", "断言 `a` in f 不成立"},
        {"fails the assertion `a` in f (x.cu:1)", "断言 `a` 不成立（f，x.cu:1）"},
        {"fails the assertion `a` in  (x.cu:1)",
         "断言 `a` in  (x.cu:1) 不成立"}, /* of no function */
        {"fails the assertion `a` in (x.cu:1)", "断言 `a` in (x.cu:1) 不成立"},
        {"expects 1 bytes out of their range of 2^20 - 1",
         "使 mbarrier 等待的字节数超出了 2^20 - 1 的范围"},
        {"arrives at an mbarrier that expects no more arrivals",
         "到达了一个不再等待到达的 mbarrier"},
        {"arrives with .noComplete where it completes", "用 .noComplete 到达，却会使这个阶段完成"},
        {"sets up an mbarrier for no arrivals", "mbarrier 的到达次数为 0 或超过 2^20 - 1"},
        {"did not make these 128 bytes", "这 128 字节不是 cuTensorMapEncodeTiled 生成的张量映射"},
        {"copies 2 dimensions, but the tensor map has 3", "拷贝的维数与张量映射的不同"},
        {"a reduction that does not take the type", "该归约操作不支持张量的数据类型"},
        {"asks cp.async to read 9 bytes of the 8 that it copies",
         "cp.async 要读的字节数超过了它拷贝的字节数"},
        {"restores the stack pointer to 0x8, which no stacksave of this call gave",
         "恢复的栈指针不是本次调用里 stacksave 给出的"},
        {"allocates 4294967296 bytes, but its stack of 1024 bytes (cudaLimitStackSize) has 16 left",
         "要分配 4,294,967,296 字节，而 1,024 字节的栈（cudaLimitStackSize）只剩 16 字节"},
        {"is 513 calls deep in f: its stack of 32768 bytes is full",
         "调用层次太深：32,768 字节的栈已满"},
        {"what nobody has put into Chinese", "what nobody has put into Chinese"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_finding f = {.kind = SIM_FIND_TRAP};
        char want[400];
        snprintf(f.text, sizeof f.text, "%s", rows[i].text);
        snprintf(want, sizeof want, "执行了 trap 指令：%s", rows[i].zh);
        char *zh = grade_finding_text(&f, LIB_ZH);
        CHECK_STR(zh, want);
        free(zh);
    }
}

/* Who the other side is, how each reaches the memory, and what would order the two. */
#define RACE .kind = SIM_FIND_RACE, .space = "shared", .bytes = 4, .other_thread = {1, 0, 0}
static void races(void) {
    static const row rows[] = {
        {{RACE, .write = true, .line = 5, .file = "a.cu", .other_line = 5, .other_file = "a.cu",
          .other_write = true},
         "数据竞争：a.cu 第 5 行，写共享内存 4 字节，与线程 1 的写操作（第 5 "
         "行）之间没有同步：同一条语句里两个线程写同一个元素，下标对吗？"},
        {{RACE, .line = 5, .file = "a.cu", .other_line = 5, .other_file = "a.cu",
          .other_write = true},
         "数据竞争：a.cu 第 5 行，读共享内存 4 字节，与线程 1 的写操作（第 5 "
         "行）之间没有同步：两者在同一条语句里，下标对吗？各轮之间有 __syncwarp() 吗？"},
        {{RACE, .write = true, .line = 5, .file = "a.cu", .other_line = 5, .other_file = "a.cu",
          .across = true},
         "数据竞争：a.cu 第 5 行，写共享内存 4 字节，与线程 1 的读操作（第 5 "
         "行）之间没有同步：两者在同一条语句里，下标对吗？各轮之间有 __syncthreads() 吗？"},
        {{RACE, .write = true, .line = 5, .file = "a.cu", .other_line = 5, .other_file = "b.cu",
          .other_write = true},
         "数据竞争：a.cu 第 5 行，写共享内存 4 字节，与线程 1 的写操作（第 5 "
         "行）之间没有同步：两者之间缺少 __syncwarp()"},
        {{RACE, .write = true, .line = 5, .file = "a.cu", .other_line = 6, .other_file = "a.cu",
          .other_write = true},
         "数据竞争：a.cu 第 5 行，写共享内存 4 字节，与线程 1 的写操作（第 6 "
         "行）之间没有同步：两者之间缺少 __syncwarp()"},
        {{.kind = SIM_FIND_RACE,
          .space = "global",
          .bytes = 4,
          .other_thread = {33, 0, 0},
          .write = true,
          .line = 5,
          .file = "a.cu",
          .other_line = 5,
          .other_file = "a.cu",
          .across = true},
         "数据竞争：a.cu 第 5 行，写全局内存 4 字节，与线程 33 的读操作（第 5 "
         "行）之间没有同步：两者在同一条语句里，请用 atomicAdd "
         "等原子操作，或让每个线程用自己的元素"},
        {{RACE, .write = true, .line = 5, .file = "a.cu", .other_line = 6, .other_file = "a.cu",
          .across = true,
          .text = "reads at a.cu:6, in the same warp: a __syncwarp() is missing between them; "
                  "threads of different warps meet here too: they need __syncthreads()"},
         "数据竞争：a.cu 第 5 行，写共享内存 4 字节，与线程 1 的读操作（第 6 "
         "行）之间没有同步：两者之间缺少 __syncwarp()；不同 warp 的线程也在此相遇，它们之间需要 "
         "__syncthreads()"},
        {{RACE, .other_line = 6, .other_write = true,
          .text = "reads byte 0 of shared memory, which thread 1 updates atomically at a.cu:6"},
         "数据竞争：读共享内存 4 字节，与线程 1 的原子操作（第 6 行）之间没有同步：两者之间缺少 "
         "__syncwarp()"},
        {{RACE, .write = true, .other_line = 6,
          .text = "writes byte 0 of shared memory, which thread 1 reads at a.cu:6: the copy still "
                  "reads it: cp.async.bulk.wait_group.read comes first"},
         "数据竞争：写共享内存 4 字节，与线程 1 的读操作（第 6 "
         "行）之间没有同步：拷贝还在读它，要先用 "
         "cp.async.bulk.wait_group.read 等待"},
        {{RACE, .other_line = 6, .other_write = true,
          .text = "a fence.proxy.async is missing between the write and the copy that reads it"},
         "数据竞争：读共享内存 4 字节，与线程 1 的写操作（第 6 "
         "行）之间没有同步：写入之后、拷贝读取之前，缺少 fence.proxy.async"},
        {{.kind = SIM_FIND_RACE,
          .space = "global",
          .bytes = 4,
          .other_thread = {0, 2, 0},
          .other_line = 6,
          .other_write = true,
          .address = 0x1004,
          .alloc_base = 0x1000,
          .alloc_size = 64,
          .alloc_name = "x",
          .text = "nothing orders two blocks within a launch; use an atomic, or a second launch"},
         "数据竞争：读全局内存 4 字节，缓冲区 x（64 字节）的第 4 字节，与线程 (0,2,0) 的写操作（第 "
         "6 "
         "行）之间没有同步：同一次启动里的两个块之间没有先后，请用原子操作，或分成两次启动"},
        {{.kind = SIM_FIND_RACE,
          .space = "global",
          .bytes = 4,
          .other_line = 6,
          .other_write = true,
          .text = "an atomic that both blocks use orders nothing by itself: a __threadfence() ..."},
         "数据竞争：读全局内存 4 字节，与线程 0 的写操作（第 6 "
         "行）之间没有同步：两个块共用的原子操作本身不保证先后：写入与原子操作之间缺少 "
         "__threadfence()，读取一方的原子操作之后也要有一个"},
        {{.kind = SIM_FIND_BARRIER,
          .text = "reads lane 8 in a shfl of which only lanes 0x000000ff take part: the value is "
                  "undefined, and line 15 uses it"},
         "不是所有线程都到达了屏障：用 shfl 读取 lane 8，而只有 lane 0x000000ff "
         "参与：读到的值未定义，却被使用（第 15 行）"},
        {{.kind = SIM_FIND_USE_AFTER_FREE,
          .space = "global",
          .bytes = 4,
          .address = 0x1000,
          .alloc_base = 0x1000,
          .alloc_size = 64,
          .text = "reads memory that was freed: byte 0 of the 64-byte allocation at 0x1000; or an "
                  "index is wrong: 256 bytes past the end of the 32-byte allocation at 0xe00"},
         "访问已释放的内存：读全局内存 4 字节，一块内存（64 字节）的第 0 "
         "字节；也可能是下标错误：在一块 32 字节的内存末尾之后 256 字节"},
    };
    CHECK_ROWS(rows);
}

/* Two streams or two nodes of a graph: each side's operation, stream and line. */
static void streams(void) {
    static const row rows[] = {
        {{.kind = SIM_FIND_RACE,
          .space = "streams",
          .op = DEV_OP_LAUNCH,
          .kernel = "k",
          .stream = 1,
          .line = 7,
          .write = true,
          .other_op = DEV_OP_H2D,
          .other_line = 9,
          .other_write = true,
          .address = 0x1010,
          .alloc_base = 0x1000,
          .alloc_size = 64},
         "流之间的数据竞争：流 1 中的核函数 k（写，第 7 行）与默认流中的到设备的拷贝（写，第 9 "
         "行）访问了同一段内存（从一块内存的第 16 "
         "字节起），而二者之间没有任何先后顺序。让后一个流等待前一个流的事件（cudaStreamWaitEvent）"
         "，"
         "或把两者放进同一个流"},
        {{.kind = SIM_FIND_RACE,
          .space = "programmatic",
          .op = DEV_OP_LAUNCH,
          .kernel = "k",
          .stream = 1,
          .line = 7,
          .write = true,
          .other_op = DEV_OP_LAUNCH,
          .other_kernel = "m",
          .other_stream = 1,
          .other_line = 9,
          .address = 0x1010,
          .alloc_base = 0x1000,
          .alloc_size = 64},
         "核函数与它前一个核函数之间的数据竞争：流 1 中的核函数 k（写，第 7 行）与流 1 中的核函数 "
         "m（读，第 9 行）访问了同一段内存（从一块内存的第 16 "
         "字节起），而后者是以编程方式提前启动的，还没有等待前者。先调用 "
         "cudaGridDependencySynchronize()"},
        {{.kind = SIM_FIND_RACE,
          .space = "chain",
          .op = DEV_OP_LAUNCH,
          .kernel = "k",
          .stream = 1,
          .line = 7,
          .write = true,
          .other_op = DEV_OP_LAUNCH,
          .other_kernel = "m",
          .other_stream = 1,
          .other_line = 9,
          .address = 0x1010,
          .alloc_base = 0x1000,
          .alloc_size = 64},
         "核函数与同一个流里更晚的核函数之间的数据竞争：流 1 中的核函数 k（写，第 7 行）与流 1 "
         "中的核函数 m（读，第 9 行）访问了同一段内存（从一块内存的第 16 "
         "字节起）。两者之间有一个以编程方式提前启动的核函数，它没有等待第一个核函数，或者在等待之"
         "前就允许下一个核函数开始。每个核函数都要先调用 "
         "cudaGridDependencySynchronize()，再调用 cudaTriggerProgrammaticLaunchCompletion()"},
        {{.kind = SIM_FIND_RACE,
          .space = "children",
          .op = DEV_OP_LAUNCH,
          .kernel = "k",
          .stream = 1,
          .line = 7,
          .write = true,
          .other_op = DEV_OP_LAUNCH,
          .other_kernel = "m",
          .other_stream = 1,
          .other_line = 9,
          .address = 0x1010,
          .alloc_base = 0x1000,
          .alloc_size = 64},
         "同一个核函数启动的网格之间的数据竞争：流 1 中的核函数 k（写，第 7 行）与流 1 中的核函数 "
         "m（读，第 9 行）访问了同一段内存（从一块内存的第 16 "
         "字节起），而核函数的不同块、不同流所启动的网格没有先后顺序。由同一个块启动到同一个流里，"
         "或让后一个排在全部之后（cudaStreamTailLaunch）"},
        {{.kind = SIM_FIND_RACE,
          .space = "graph",
          .op = DEV_OP_D2H,
          .stream = 0,
          .other_op = DEV_OP_LAUNCH,
          .other_kernel = "m",
          .other_stream = 2,
          .other_line = 1,
          .other_write = true,
          .address = 0x1010,
          .count = 2},
         "同一个图的节点之间的数据竞争：默认流中的到主机的拷贝（读）与流 2 中的核函数 m（写，第 1 "
         "行）访问了同一段内存（从一块内存的第 0 "
         "字节起），而二者之间没有任何先后顺序。在两个节点之间加一条边（cudaGraphAddDependencies，"
         "或在捕获时用事件）（共 2 次）"},
        {{.kind = SIM_FIND_RACE,
          .space = "graph",
          .op = DEV_OP_D2D,
          .stream = 3,
          .other_op = DEV_OP_MEMSET,
          .other_stream = 4,
          .other_write = true},
         "同一个图的节点之间的数据竞争：流 3 中的设备内的拷贝（读）与流 4 "
         "中的memset（写）访问了同一段内存（从一块内存的第 0 "
         "字节起），而二者之间没有任何先后顺序。在两个节点之间加一条边（cudaGraphAddDependencies，"
         "或在捕获时用事件）"},
        {{.kind = SIM_FIND_RACE,
          .space = "graph",
          .op = DEV_OP_PAGES_IN,
          .other_op = DEV_OP_MALLOC},
         "同一个图的节点之间的数据竞争：默认流中的拷贝（读）与默认流中的拷贝（读）访问了同一段内存"
         "（从一块"
         "内存的第 0 "
         "字节起），而二者之间没有任何先后顺序。在两个节点之间加一条边（cudaGraphAddDependencies，"
         "或在捕获时用事件）"},
    };
    CHECK_ROWS(rows);
}

/* English is the device's own; a finding without a text has its title. */
static void english(void) {
    sim_finding f = {.kind = SIM_FIND_STACK, .count = 1};
    char *none = grade_finding_text(&f, LIB_EN);
    f.count = 2;
    snprintf(f.text, sizeof f.text, "x");
    char *two = grade_finding_text(&f, LIB_EN);
    CHECK_STR(none, "call stack overflow");
    CHECK_STR(two, "x (2 times)");
    free(none);
    free(two);
    for (int k = 0; k < SIM_FIND_COUNT; k++) {
        const char *device = sim_finding_title((sim_finding_kind)k);
        lib_word_id title = grade_finding_title((sim_finding_kind)k);
        CHECK_STR(lib_word(LIB_EN, title), device);
        CHECK(strcmp(lib_word(LIB_ZH, title), device) != 0);
    }
    CHECK_INT(grade_finding_title(SIM_FIND_COUNT), 0);
}

/* Inside other messages: without the count, and without the folder that the compiler was given. */
static void message(void) {
    sim_finding f = {.kind = SIM_FIND_ASSERT,
                     .count = 3,
                     .file = "/src/x.cu",
                     .line = 12,
                     .text = "x.cu:12: fails the assertion `a` in f(int) (/src/x.cu:12)"};
    lib_message m;
    grade_finding_message(&f, &m);
    CHECK_STR(said(&m), "x.cu:12: fails the assertion `a` in f(int) (x.cu:12)");
    CHECK_STR(said_zh(&m), "设备端断言失败：x.cu 第 12 行，断言 `a` 不成立（f(int)，x.cu:12）");
    f.file = "/x.cu"; /* the root is no folder to leave out */
    grade_finding_message(&f, &m);
    CHECK_CONTAINS(said(&m), "(/src/x.cu:12)");
    f = (sim_finding){.kind = SIM_FIND_STACK};
    grade_finding_message(&f, &m);
    CHECK_STR(said(&m), "call stack overflow");
}

int main(void) {
    places();
    beside_allocations();
    nowhere();
    stopped();
    races();
    streams();
    english();
    separators();
    message();
    return check_done();
}
