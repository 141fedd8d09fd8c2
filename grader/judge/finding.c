/* A finding of the device as a sentence: English as the device words it, Chinese from the finding's
 * fields. */
#include <stdio.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/server/device.h"
#include "grader/result.h"

static const char *const titles_zh[SIM_FIND_COUNT] = {
    [SIM_FIND_OOB] = "越界访问",
    [SIM_FIND_MISALIGNED] = "地址未对齐",
    [SIM_FIND_USE_AFTER_FREE] = "访问已释放的内存",
    [SIM_FIND_UNINIT] = "读取了从未写过的内存",
    [SIM_FIND_RACE] = "数据竞争",
    [SIM_FIND_BARRIER] = "不是所有线程都到达了屏障",
    [SIM_FIND_DEADLOCK] = "没有线程能继续前进（死锁）",
    [SIM_FIND_BUDGET] = "指令数远超所需，可能是死循环",
    [SIM_FIND_ASSERT] = "设备端断言失败",
    [SIM_FIND_TRAP] = "执行了 trap 指令",
    [SIM_FIND_STACK] = "调用栈溢出",
    [SIM_FIND_LEAK] = "内存从未释放",
    [SIM_FIND_HOST_DEREF] = "主机代码直接读写了设备内存，请改用 cudaMemcpy 拷贝",
    [SIM_FIND_UNSUPPORTED] = "模拟设备不支持",
    [SIM_FIND_CALL] = "CUDA 调用或核函数启动失败",
};

const char *grade_finding_title(sim_finding_kind k, lib_lang lang) {
    if (lang == LIB_ZH && (unsigned)k < SIM_FIND_COUNT && titles_zh[k]) return titles_zh[k];
    return sim_finding_title(k);
}

static const char *space_zh(const char *space) {
    static const struct {
        const char *en, *zh;
    } names[] = {{"global", "全局内存"},
                 {"shared", "共享内存"},
                 {"local", "局部内存"},
                 {"const", "常量内存"}};
    for (size_t i = 0; space && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(space, names[i].en)) return names[i].zh;
    return space ? space : "";
}

static void where(lib_buffer *b, const unsigned v[3]) {
    if (v[1] || v[2]) lib_buffer_printf(b, "(%u,%u,%u)", v[0], v[1], v[2]);
    else lib_buffer_printf(b, "%u", v[0]);
}

/* Each part after the title begins with what parts it from the one before: a colon first, then
 * commas. */
static const char *part(bool *first) {
    const char *s = *first ? "：" : "，";
    *first = false;
    return s;
}

/* What stands behind `words` in the English text; NULL if it does not hold them. Some figures are in
 * the text alone. */
static const char *after(const char *text, const char *words) {
    const char *at = strstr(text, words);
    return at ? at + strlen(words) : NULL;
}

/* As the device words it in English (say_remedy() of the simulated device). */
static void race_remedy_zh(lib_buffer *b, const sim_finding *f) {
    bool one = f->line && f->line == f->other_line && f->file && f->other_file &&
               !strcmp(f->file, f->other_file);
    bool global = !strcmp(f->space ? f->space : "", "global"), both = f->write && f->other_write,
         warp = strstr(f->text, ", in the same warp") != NULL;
    const char *barrier = !warp && f->across ? "__syncthreads()" : "__syncwarp()", *within;
    if ((within = after(f->text, "the copy is under way: a ")))
        lib_buffer_printf(b, "：拷贝还在进行，在它之前缺少 %.*s", (int)strcspn(within, " "),
                          within);
    else if (strstr(f->text, "its thread has to wait first"))
        lib_buffer_puts(b, "：拷贝还在进行：发起拷贝的线程要先等待它（cp.async.wait_group），"
                           "再用 __syncthreads()");
    else if (strstr(f->text, "the copy is in no group yet"))
        lib_buffer_puts(b, "：拷贝还不在任何组里：在它之前缺少 __pipeline_commit() 和对该组的等待");
    else if (strstr(f->text, "the copy is under way"))
        lib_buffer_puts(b, "：拷贝还在进行，要先等到它的 mbarrier 的阶段完成");
    else if (strstr(f->text, "the copy still reads it"))
        lib_buffer_puts(b, "：拷贝还在读它，要先用 cp.async.bulk.wait_group.read 等待");
    else if (strstr(f->text, "a fence.proxy.async is missing"))
        lib_buffer_puts(b, "：写入和读取它的拷贝之间缺少 fence.proxy.async");
    else if (strstr(f->text, "nothing orders two blocks"))
        lib_buffer_puts(b, "：同一次启动里的两个块之间没有先后，请用原子操作，或分成两次启动");
    else if (strstr(f->text, "orders nothing by itself"))
        lib_buffer_puts(b, "：两个块共用的原子操作本身不保证先后：写入与原子操作之间缺少 "
                           "__threadfence()，读取一方的原子操作之后也要有一个");
    else if ((within = after(f->text, "both in what that line calls (")))
        lib_buffer_printf(b,
                          "：两者都在该行调用的代码里（%.*s），存储被再次使用：两次使用之间缺少 %s",
                          (int)strcspn(within, ")"), within, barrier);
    else if (one && global)
        lib_buffer_puts(
            b, "：两者在同一条语句里，请用 atomicAdd 等原子操作，或让每个线程用自己的元素");
    else if (one && both) lib_buffer_puts(b, "：同一条语句里两个线程写同一个元素，下标对吗？");
    else if (one)
        lib_buffer_printf(b, "：两者在同一条语句里，下标对吗？各轮之间有 %s 吗？", barrier);
    else lib_buffer_printf(b, "：两者之间缺少 %s", barrier);
    if (strstr(f->text, "threads of different warps meet here too"))
        lib_buffer_puts(b, "；不同 warp 的线程也在此相遇，它们之间需要 __syncthreads()");
}

/* A side of a race between streams. */
static void stream_side(lib_buffer *b, unsigned op, const char *kernel, unsigned stream,
                        unsigned line, bool write) {
    static const char *const names[] = {[DEV_OP_H2D] = "到设备的拷贝",
                                        [DEV_OP_D2H] = "到主机的拷贝",
                                        [DEV_OP_D2D] = "设备内的拷贝",
                                        [DEV_OP_MEMSET] = "memset",
                                        [DEV_OP_FREE] = "cudaFreeAsync"};
    if (stream) lib_buffer_printf(b, "流 %u 中的", stream);
    else lib_buffer_puts(b, "默认流中的");
    if (op == DEV_OP_LAUNCH) lib_buffer_printf(b, "核函数 %s", kernel ? kernel : "");
    else lib_buffer_puts(b, op < sizeof names / sizeof *names && names[op] ? names[op] : "拷贝");
    lib_buffer_puts(b, op == DEV_OP_FREE ? "（释放" : write ? "（写" : "（读");
    if (line) lib_buffer_printf(b, "，第 %u 行", line);
    lib_buffer_puts(b, "）");
}

/* By the finding's space: whose works they are, what is wrong with their order, what mends it. */
static const struct {
    const char *space, *between, *order, *remedy;
} unordered_zh[] = {
    {"streams", "流之间", "二者之间没有任何先后顺序。",
     "让后一个流等待前一个流的事件（cudaStreamWaitEvent），或把两者放进同一个流"},
    {"graph", "同一个图的节点之间", "二者之间没有任何先后顺序。",
     "在两个节点之间加一条边（cudaGraphAddDependencies，或在捕获时用事件）"},
    {"programmatic", "核函数与它前一个核函数之间", "后者是以编程方式提前启动的，还没有等待前者。",
     "先调用 cudaGridDependencySynchronize()"},
    {"children", "同一个核函数启动的网格之间", "核函数的不同块、不同流所启动的网格没有先后顺序。",
     "由同一个块启动到同一个流里，或让后一个排在全部之后（cudaStreamTailLaunch）"},
};
enum { UNORDERED = sizeof unordered_zh / sizeof *unordered_zh };

static size_t unordered_of(const sim_finding *f) {
    size_t i = 0;
    while (i < UNORDERED && strcmp(f->space, unordered_zh[i].space) != 0) i++;
    return i;
}

static void between_streams(lib_buffer *b, const sim_finding *f, size_t how) {
    lib_buffer_printf(b, "%s的数据竞争：", unordered_zh[how].between);
    stream_side(b, f->op, f->kernel, f->stream, f->line, f->write);
    lib_buffer_puts(b, "与");
    stream_side(b, f->other_op, f->other_kernel, f->other_stream, f->other_line, f->other_write);
    lib_buffer_printf(b, "访问了同一段内存（从一块内存的第 %llu 字节起），而%s%s",
                      (unsigned long long)(f->alloc_size ? f->address - f->alloc_base : 0),
                      unordered_zh[how].order, unordered_zh[how].remedy);
}

static unsigned long long ull(uint64_t v) {
    return (unsigned long long)v;
}

static const char *verb(const char *text, bool write) {
    const char *other = strstr(text, ", which thread"),
               *atomic = strstr(text, "updates atomically");
    if (atomic && (!other || atomic < other)) return "原子更新";
    return write ? "写" : "读";
}

/* An address that lies in no allocation. */
static void nowhere(lib_buffer *b, const sim_finding *f) {
    unsigned long long at = ull(f->address), size;
    long long byte;
    const char *in = after(f->text, "out of bounds: byte ");
    const char *peer = after(f->text, "memory of device ");
    unsigned device;
    if (in && sscanf(in, "%lld of %*s memory, of which %*s %*s has %llu", &byte, &size) == 2)
        lib_buffer_printf(b, "第 %lld 字节，而%s只有 %llu 字节", byte,
                          strstr(in, "the block")  ? "一个块"
                          : strstr(in, "a thread") ? "一个线程"
                                                   : "核函数",
                          size);
    else if (f->space && *f->space && strcmp(f->space, "global") && strcmp(f->space, "const"))
        lib_buffer_printf(b, "而核函数没有%s", space_zh(f->space));
    else if (peer && sscanf(peer, "%u", &device) == 1)
        lib_buffer_printf(b,
                          "地址 0x%llx 属于设备 %u，本设备的核函数要在 "
                          "cudaDeviceEnablePeerAccess(%u, 0) 之后才能访问",
                          at, device, device);
    else if (at < 4096) {
        if (at) lib_buffer_printf(b, "空指针加上偏移 0x%llx", at);
        else lib_buffer_puts(b, "空指针");
        if (strstr(f->text, "a consequence of the allocation that failed before"))
            lib_buffer_puts(b, "，这是此前分配失败的后果");
    } else if (strstr(f->text, "that is shared memory"))
        lib_buffer_printf(b, "地址 0x%llx 属于共享内存，不是全局内存", at);
    else if (strstr(f->text, "that is a local variable"))
        lib_buffer_printf(b, "地址 0x%llx 是某个线程的局部变量，不在全局内存里", at);
    else
        lib_buffer_printf(b, "地址 0x%llx 附近没有分配过内存，%s", at,
                          strstr(f->text, "has an index overflowed") ? "是不是下标溢出了？"
                                                                     : "是不是主机指针？");
}

/* Where in (or beside) the allocation `f` names it was. */
static void at_allocation(lib_buffer *b, const sim_finding *f) {
    bool oob = f->kind == SIM_FIND_OOB, named = f->alloc_name && *f->alloc_name;
    if (named) lib_buffer_printf(b, "缓冲区 %s（%llu 字节）", f->alloc_name, ull(f->alloc_size));
    else
        lib_buffer_printf(b, "%s一块内存（%llu 字节）", oob ? "离该地址最近的" : "",
                          ull(f->alloc_size));
    uint64_t end = f->alloc_base + f->alloc_size;
    if (f->address < f->alloc_base)
        lib_buffer_printf(b, "，在它之前 %llu 字节", ull(f->alloc_base - f->address));
    else if (f->address == end) lib_buffer_puts(b, "，紧接在末尾之后");
    else if (f->address > end) lib_buffer_printf(b, "，超出末尾 %llu 字节", ull(f->address - end));
    else if (oob && f->address + f->bytes <= end)
        lib_buffer_puts(b, f->write ? "，是常量内存，核函数不能写" : "，不是常量内存");
    else {
        lib_buffer_printf(b, "的第 %llu 字节", ull(f->address - f->alloc_base));
        if (oob) lib_buffer_printf(b, "，其中 %llu 字节超出末尾", ull(f->address + f->bytes - end));
    }
    const char *wrong = after(f->text, "; or an index is wrong: ");
    const char *whose = wrong ? strstr(wrong, " of ") : NULL;
    unsigned long long by, size;
    if (!whose || sscanf(wrong, "%llu", &by) != 1) return;
    bool past = strstr(wrong, " past the end of ");
    lib_buffer_puts(b, "；也可能是下标错误：在");
    if (sscanf(whose, " of the %llu-byte allocation", &size) == 1)
        lib_buffer_printf(b, "一块 %llu 字节的内存", size);
    else lib_buffer_printf(b, "缓冲区 %.*s ", (int)strcspn(whose + 4, " "), whose + 4);
    lib_buffer_printf(b, past ? "末尾之后 %llu 字节" : "开头之前 %llu 字节", by);
}

/* Shared memory of another block of the cluster: `at` stands behind "shared memory of block ". */
static void in_cluster(lib_buffer *b, const sim_finding *f, const char *at) {
    unsigned block = 0, blocks;
    unsigned long long size;
    const char *only = after(at, "which has only "), *of = after(at, "of which the block has ");
    sscanf(at, "%u", &block);
    if (only && sscanf(only, "%u", &blocks) == 1) {
        lib_buffer_printf(b, "线程块集群中第 %u 块的共享内存，而集群里只有 %u 块", block, blocks);
        return;
    }
    lib_buffer_printf(b, "线程块集群中第 %u 块的共享内存的第 %llu 字节", block, ull(f->address));
    if (of && sscanf(of, "%llu", &size) == 1) lib_buffer_printf(b, "，而该块只有 %llu 字节", size);
    if (strstr(at, "which has ended")) lib_buffer_puts(b, "，而该块已经结束");
}

/* "`i < n` in k (a.cu:3)" */
static void assertion(lib_buffer *b, const char *said) {
    const char *in = strstr(said, "` in "), *place = strrchr(said, '(');
    if (in && place && place > in + 6)
        lib_buffer_printf(b, "断言 %.*s 不成立（%.*s，%.*s）", (int)(in + 1 - said), said,
                          (int)(place - in - 6), in + 5, (int)strcspn(place + 1, ")"), place + 1);
    else lib_buffer_printf(b, "断言 %s 不成立", said);
}

/* Misuse of mbarriers, copies and the stack: what the English text holds, and the Chinese. */
static const char *misuse_zh(const char *text) {
    static const char *const words[][2] = {
        {"out of their range of 2^20 - 1", "使 mbarrier 等待的字节数超出了 2^20 - 1 的范围"},
        {"expects no more arrivals", "到达了一个不再等待到达的 mbarrier"},
        {"arrives with .noComplete", "用 .noComplete 到达，却会使这个阶段完成"},
        {"sets up an mbarrier for no arrivals", "mbarrier 的到达次数为 0 或超过 2^20 - 1"},
        {"the size must be a multiple of 16", "批量拷贝的字节数必须是 16 的倍数"},
        {"did not make these 128 bytes", "这 128 字节不是 cuTensorMapEncodeTiled 生成的张量映射"},
        {"but the tensor map has", "拷贝的维数与张量映射的不同"},
        {"does not take", "该归约操作不支持张量的数据类型"},
        {"asks cp.async to read", "cp.async 要读的字节数超过了它拷贝的字节数"},
        {"which no stacksave of this call gave", "恢复的栈指针不是本次调用里 stacksave 给出的"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i][0])) return words[i][1];
    return NULL;
}

/* What the device says of a block that cannot go on, of an assertion, of a launch without end. */
static void detail(lib_buffer *b, const sim_finding *f) {
    const char *t = f->text, *at, *used;
    unsigned u, v, w;
    int bytes;
    unsigned long long asked;
    double millions;
    char wan[32], word[32];
    if ((at = after(t, "waits at a barrier that ")) &&
        sscanf(at, "%u of the block's %u", &u, &v) == 2)
        lib_buffer_printf(
            b,
            "块里 %u 个线程中有 %u 个已经退出，永远到不了这个屏障；每个线程都必须到达 "
            "__syncthreads()",
            v, u);
    else if ((at = after(t, "waits at barrier ")) &&
             sscanf(at, "%u, which never opens: %u of %u", &u, &v, &w) == 3)
        lib_buffer_printf(b, "屏障 %u 永远不会打开：%u 个线程中只到达 %u 个", u, w, v);
    else if ((at = after(t, "the cluster's barrier, which never opens: ")) &&
             sscanf(at, "%u of %u", &u, &v) == 2)
        lib_buffer_printf(b, "线程块集群的屏障永远不会打开：%u 个线程中只到达 %u 个", v, u);
    else if (strstr(t, "arrives twice at the cluster's barrier"))
        lib_buffer_puts(b, "在线程块集群的屏障处到达了两次，其间没有等待");
    else if (strstr(t, "waits at the cluster's barrier without"))
        lib_buffer_puts(b, "没有先到达就在线程块集群的屏障处等待");
    else if (strstr(t, "waits at a barrier that never opens"))
        lib_buffer_puts(b, "屏障永远不会打开：块里有线程在等同一个 warp 中不会到来的 lane");
    else if ((at = after(t, "an mbarrier that never completes: ")) &&
             sscanf(at, "%u arrivals and %d bytes", &u, &bytes) == 2)
        lib_buffer_printf(b, "在等 mbarrier 的一个阶段，而它永远不会完成：还缺 %u 次到达和 %d 字节",
                          u, bytes);
    else if ((at = after(t, "no thread will ever change: ")) && sscanf(at, "%u", &u) == 1)
        lib_buffer_printf(b, "在循环里等一处再没有线程会去改的内存，块里这样的线程有 %u 个", u);
    else if ((at = after(t, "wait for lanes ")) && sscanf(at, "0x%x of the mask 0x%x", &u, &v) == 2)
        lib_buffer_printf(b, "在等 lane 0x%08x（掩码 0x%08x），而它们永远不会到来", u, v);
    else if ((at = after(t, "had executed ")) && sscanf(at, "%lf million", &millions) == 1)
        lib_buffer_printf(b, "%s已执行 %s条 warp 指令，仍未结束",
                          strstr(t, "launches before it") ? "它和之前的各次启动" : "这次启动",
                          lib_wan(wan, 1e6 * millions));
    else if ((at = after(t, "allocates ")) &&
             sscanf(at, "%llu bytes, but its stack of %u bytes (cudaLimitStackSize) has %u", &asked,
                    &u, &v) == 3)
        lib_buffer_printf(b, "要分配 %llu 字节，而 %u 字节的栈（cudaLimitStackSize）只剩 %u 字节",
                          asked, u, v);
    else if ((at = after(t, ": its stack of ")) && sscanf(at, "%u bytes is full", &u) == 1)
        lib_buffer_printf(b, "调用层次太深：%u 字节的栈已满", u);
    else if ((at = after(t, ": no more than ")) && sscanf(at, "%u are simulated", &u) == 1)
        lib_buffer_printf(b, "调用层次太深：最多模拟 %u 层", u);
    else if ((at = after(t, "fails the assertion "))) assertion(b, at);
    else if ((at = after(t, "allocated with ")))
        lib_buffer_printf(b, "%llu 字节，由 %.*s 分配", ull(f->alloc_size), (int)strcspn(at, " "),
                          at);
    else if ((at = after(t, "executes ")) &&
             sscanf(at, "%31s with the mask 0x%x, which leaves out its own lane %u", word, &u,
                    &v) == 3)
        lib_buffer_printf(b, "执行 %s 时的掩码 0x%08x 不含它自己的 lane %u，结果未定义", word, u,
                          v);
    else if ((at = after(t, "reads lane ")) && (used = after(at, "line ")) &&
             sscanf(at, "%u in a shfl of which only lanes 0x%x", &u, &v) == 2)
        lib_buffer_printf(
            b,
            "用 shfl 读取 lane %u，而只有 lane 0x%08x 参与：读到的值未定义，却被使用（第 %.*s 行）",
            u, v, (int)strcspn(used, " "), used);
    else if ((at = after(t, "waits at a __syncwarp() with the mask ")) &&
             sscanf(at, "0x%x for lanes 0x%x", &u, &v) == 2)
        lib_buffer_printf(b,
                          "在 __syncwarp()（掩码 0x%08x）处等 lane 0x%08x，而它们不经过任何 "
                          "__syncwarp() 就退出了",
                          u, v);
    else if ((at = misuse_zh(t))) lib_buffer_puts(b, at);
    else if (*t) lib_buffer_printf(b, "%s", t); /* better in English than not at all */
}

static void race_zh(lib_buffer *b, const sim_finding *f) {
    const char *other = strstr(f->text, ", which thread");
    bool atomic = other && strstr(other, "updates atomically");
    lib_buffer_puts(b, "与线程 ");
    where(b, f->other_thread);
    lib_buffer_printf(b, " 的%s操作（第 %u 行）之间没有同步",
                      atomic           ? "原子"
                      : f->other_write ? "写"
                                       : "读",
                      f->other_line);
    race_remedy_zh(b, f);
}

static void chinese(lib_buffer *b, const sim_finding *f) {
    bool first = true;
    unsigned align;
    const char *at;
    size_t how = f->kind == SIM_FIND_RACE && f->space ? unordered_of(f) : UNORDERED;
    if (how < UNORDERED) {
        between_streams(b, f, how);
        return;
    }
    if (f->said) {
        lib_words_put(b, LIB_ZH, lib_message_words(f->said));
        return;
    }
    lib_buffer_puts(b, grade_finding_title(f->kind, LIB_ZH));
    if (f->kernel && *f->kernel) {
        lib_buffer_printf(b, "%s核函数 %s，块 ", part(&first), f->kernel);
        where(b, f->block);
        lib_buffer_puts(b, "，线程 ");
        where(b, f->thread);
    }
    if (f->line) {
        const char *slash = f->file ? strrchr(f->file, '/') : NULL,
                   *name = slash ? slash + 1 : f->file;
        lib_buffer_printf(b, "%s%s%s第 %u 行", part(&first), name ? name : "",
                          name && *name ? " " : "", f->line);
    }
    if (f->bytes)
        lib_buffer_printf(b, "%s%s%s %u 字节", part(&first), verb(f->text, f->write),
                          space_zh(f->space), f->bytes);
    if (f->kind == SIM_FIND_MISALIGNED && (at = after(f->text, "not a multiple of ")) &&
        sscanf(at, "%u", &align) == 1)
        lib_buffer_printf(b, "%s地址不是 %u 的倍数", part(&first), align);
    if (!f->bytes && f->kind != SIM_FIND_HOST_DEREF && f->kind != SIM_FIND_RACE) {
        lib_buffer_puts(b, part(&first));
        detail(b, f);
    } else if ((at = after(f->text, "shared memory of block "))) {
        lib_buffer_puts(b, part(&first));
        in_cluster(b, f, at);
    } else if (f->alloc_size) {
        lib_buffer_puts(b, part(&first));
        at_allocation(b, f);
    } else if (f->kind == SIM_FIND_OOB) {
        lib_buffer_puts(b, part(&first));
        nowhere(b, f);
    }
    if (f->kind == SIM_FIND_RACE) {
        lib_buffer_puts(b, part(&first));
        race_zh(b, f);
    }
}

char *grade_finding_text(const sim_finding *f, lib_lang lang) {
    lib_buffer b = {0};
    unsigned long long n = f->count;
    if (lang == LIB_ZH) chinese(&b, f);
    else lib_buffer_puts(&b, f->text[0] ? f->text : sim_finding_title(f->kind));
    if (n > 1) lib_buffer_printf(&b, lang == LIB_ZH ? "（共 %llu 次）" : " (%llu times)", n);
    return lib_buffer_take(&b);
}
