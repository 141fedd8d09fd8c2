/* A finding of the device as a sentence: English as the device words it, Chinese from the finding's
 * fields. */
#include <string.h>
#include "runner/base/buffer.h"
#include "grader/grade.h"

static const char *const titles_zh[SIM_FIND_COUNT] = {
    [SIM_FIND_OOB] = "越界访问",
    [SIM_FIND_MISALIGNED] = "地址未对齐",
    [SIM_FIND_USE_AFTER_FREE] = "访问已释放的内存",
    [SIM_FIND_UNINIT] = "读取了从未写过的内存",
    [SIM_FIND_RACE] = "数据竞争",
    [SIM_FIND_BARRIER] = "不是所有线程都到达了屏障",
    [SIM_FIND_DEADLOCK] = "没有线程能继续前进（死锁）",
    [SIM_FIND_BUDGET] = "循环没有结束",
    [SIM_FIND_ASSERT] = "设备端断言失败",
    [SIM_FIND_TRAP] = "执行了 trap 指令",
    [SIM_FIND_STACK] = "调用栈溢出",
    [SIM_FIND_LEAK] = "内存从未释放",
    [SIM_FIND_HOST_DEREF] = "主机代码直接读写了设备内存，请改用 cudaMemcpy 拷贝",
    [SIM_FIND_UNSUPPORTED] = "模拟设备不支持",
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

/* As the device words it in English (say_remedy() of the simulated device). */
static void race_remedy_zh(lib_buffer *b, const sim_finding *f) {
    bool one = f->line && f->line == f->other_line && f->file && f->other_file &&
               !strcmp(f->file, f->other_file);
    const char *barrier = f->across ? "__syncthreads()" : "__syncwarp()";
    if (strstr(f->text, "nothing orders two blocks"))
        lib_buffer_puts(b, "：同一次启动里的两个块之间没有先后，请用原子操作");
    else if (one && f->write && f->other_write)
        lib_buffer_puts(b, "：同一条语句里两个线程写同一个元素，下标对吗？");
    else if (one)
        lib_buffer_printf(b, "：两者在同一条语句里，下标对吗？各轮之间有 %s 吗？", barrier);
    else lib_buffer_printf(b, "：两者之间缺少 %s", barrier);
}

/* A side of a race between streams. */
static void stream_side(lib_buffer *b, unsigned op, const char *kernel, unsigned stream,
                        bool write) {
    static const char *const names[] = {[DEV_OP_H2D] = "到设备的拷贝",
                                        [DEV_OP_D2H] = "到主机的拷贝",
                                        [DEV_OP_D2D] = "设备内的拷贝",
                                        [DEV_OP_MEMSET] = "memset"};
    if (stream) lib_buffer_printf(b, "流 %u 中的", stream);
    else lib_buffer_puts(b, "默认流中的");
    if (op == DEV_OP_LAUNCH) lib_buffer_printf(b, "核函数 %s", kernel ? kernel : "");
    else lib_buffer_puts(b, op < sizeof names / sizeof *names && names[op] ? names[op] : "拷贝");
    lib_buffer_puts(b, write ? "（写）" : "（读）");
}

static void between_streams(lib_buffer *b, const sim_finding *f) {
    lib_buffer_puts(b, "流之间的数据竞争：");
    stream_side(b, f->op, f->kernel, f->stream, f->write);
    lib_buffer_puts(b, "与");
    stream_side(b, f->other_op, f->other_kernel, f->other_stream, f->other_write);
    lib_buffer_printf(b,
                      "访问了同一段内存（从一块内存的第 %llu 字节起），而二者之间没有任何先后顺序。"
                      "让后一个流等待前一个流的事件（cudaStreamWaitEvent），或把两者放进同一个流",
                      (unsigned long long)(f->alloc_size ? f->address - f->alloc_base : 0));
}

static void chinese(lib_buffer *b, const sim_finding *f) {
    bool first = true;
    if (f->kind == SIM_FIND_RACE && f->space && !strcmp(f->space, "streams")) {
        between_streams(b, f);
        return;
    }
    lib_buffer_puts(b, grade_finding_title(f->kind, LIB_ZH));
    if (f->kernel && *f->kernel) {
        lib_buffer_printf(b, "%s核函数 %s，块 ", part(&first), f->kernel);
        where(b, f->block);
        lib_buffer_puts(b, "，线程 ");
        where(b, f->thread);
    }
    if (f->line) lib_buffer_printf(b, "%s第 %u 行", part(&first), f->line);
    if (f->bytes)
        lib_buffer_printf(b, "%s%s%s %u 字节", part(&first), f->write ? "写" : "读",
                          space_zh(f->space), f->bytes);
    if (f->alloc_size) {
        long long past = (long long)(f->address - f->alloc_base) - (long long)f->alloc_size;
        if (f->alloc_name && *f->alloc_name)
            lib_buffer_printf(b, "%s缓冲区 %s（%llu 字节）", part(&first), f->alloc_name,
                              (unsigned long long)f->alloc_size);
        else
            lib_buffer_printf(b, "%s最近的一块内存有 %llu 字节", part(&first),
                              (unsigned long long)f->alloc_size);
        if (f->kind == SIM_FIND_OOB && past == 0) lib_buffer_puts(b, "，正好越过末尾");
        else if (f->kind == SIM_FIND_OOB && past > 0)
            lib_buffer_printf(b, "，超出末尾 %lld 字节", past);
        else if (f->kind == SIM_FIND_OOB && f->address < f->alloc_base)
            lib_buffer_printf(b, "，在它之前 %llu 字节",
                              (unsigned long long)(f->alloc_base - f->address));
    }
    if (f->kind == SIM_FIND_RACE) {
        lib_buffer_printf(b, "%s与线程 ", part(&first));
        where(b, f->other_thread);
        lib_buffer_printf(b, " 的%s操作（第 %u 行）之间没有同步", f->other_write ? "写" : "读",
                          f->other_line);
        race_remedy_zh(b, f);
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
