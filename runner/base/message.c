/* The one way to fill a message; and what the system says in it, in Chinese. */
#include "runner/base/message.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"

/* ---- sentences of others that stand in our messages. What strerror() and strsignal() say depends on the C
 * library: asked, not written down. Where one sentence holds another, the longer one stands first. ---- */

typedef struct {
    enum { SAID_ERRNO, SAID_SIGNAL, SAID_TEXT } by;
    int number;
    const char *en, *zh;
} said_sentence;

static const said_sentence table[] = {
    {SAID_ERRNO, ENOENT, NULL, "没有这个文件或文件夹"},
    {SAID_ERRNO, EACCES, NULL, "没有权限"},
    {SAID_ERRNO, EPERM, NULL, "不允许这样做"},
    {SAID_ERRNO, EISDIR, NULL, "它是文件夹"},
    {SAID_ERRNO, ENOTDIR, NULL, "路径中有一段不是文件夹"},
    {SAID_ERRNO, EEXIST, NULL, "已经存在"},
    {SAID_ERRNO, ENOTEMPTY, NULL, "文件夹不为空"},
    {SAID_ERRNO, ENOSPC, NULL, "磁盘已满"},
    {SAID_ERRNO, EDQUOT, NULL, "超出磁盘配额"},
    {SAID_ERRNO, EROFS, NULL, "文件系统只读"},
    {SAID_ERRNO, ENAMETOOLONG, NULL, "名字太长"},
    {SAID_ERRNO, ELOOP, NULL, "符号链接太多"},
    {SAID_ERRNO, EMFILE, NULL, "打开的文件太多"},
    {SAID_ERRNO, ENFILE, NULL, "整个系统打开的文件太多"},
    {SAID_ERRNO, ENOMEM, NULL, "内存不足"},
    {SAID_ERRNO, EAGAIN, NULL, "资源暂时不够"},
    {SAID_ERRNO, EIO, NULL, "输入输出错误"},
    {SAID_ERRNO, EBUSY, NULL, "正被占用"},
    {SAID_ERRNO, ETXTBSY, NULL, "程序文件正被写入"},
    {SAID_ERRNO, ENOEXEC, NULL, "不是可执行文件的格式"},
    {SAID_ERRNO, EFBIG, NULL, "文件太大"},
    {SAID_ERRNO, EPIPE, NULL, "管道的另一端已关闭"},
    {SAID_ERRNO, EINVAL, NULL, "参数无效"},
    {SAID_ERRNO, ETIMEDOUT, NULL, "等待超时"},
    {SAID_ERRNO, ECONNREFUSED, NULL, "连接被拒绝"},
    {SAID_ERRNO, EXDEV, NULL, "跨越了文件系统"},
    {SAID_SIGNAL, SIGSEGV, NULL, "段错误"},
    {SAID_SIGNAL, SIGBUS, NULL, "总线错误"},
    {SAID_SIGNAL, SIGFPE, NULL, "算术异常"},
    {SAID_SIGNAL, SIGILL, NULL, "非法指令"},
    {SAID_SIGNAL, SIGABRT, NULL, "程序中止（abort）"},
    {SAID_SIGNAL, SIGTRAP, NULL, "调试陷阱"},
    {SAID_SIGNAL, SIGSYS, NULL, "被禁止的系统调用"},
    /* How a sandboxed program ended: runner/sandbox/spawn.c. */
    {SAID_TEXT, 0, "SIGSEGV (invalid memory reference)", "SIGSEGV（无效的内存访问）"},
    {SAID_TEXT, 0, "SIGBUS (bad memory access)", "SIGBUS（错误的内存访问）"},
    {SAID_TEXT, 0, "SIGABRT (abort, a failed assertion or an exception nobody caught)",
     "SIGABRT（abort、断言失败或没有捕获的异常）"},
    {SAID_TEXT, 0, "SIGFPE (arithmetic error, such as a division by zero)",
     "SIGFPE（算术错误，如除以零）"},
    {SAID_TEXT, 0, "SIGILL (illegal instruction)", "SIGILL（非法指令）"},
    {SAID_TEXT, 0, "SIGKILL (killed, perhaps for memory)", "SIGKILL（被终止，可能因为内存不够）"},
    {SAID_TEXT, 0, "SIGXCPU (the limit on CPU time)", "SIGXCPU（CPU 时间到了上限）"},
    {SAID_TEXT, 0, "SIGXFSZ (the limit on file size)", "SIGXFSZ（文件大小到了上限）"},
    {SAID_TEXT, 0, "SIGSYS (a forbidden system call)", "SIGSYS（被禁止的系统调用）"},
    {SAID_TEXT, 0, "the sandbox did not start it: ", "沙箱没能启动它："},
    /* What became of a call to the device: SIM_STATUS_MAP of runner/device/sim/sim.h. */
    {SAID_TEXT, 0, "out of device memory", "显存不足"},
    {SAID_TEXT, 0, "address is not in any allocation", "地址不在任何已分配的内存里"},
    {SAID_TEXT, 0, "invalid configuration argument", "无效的启动配置"},
    {SAID_TEXT, 0, "invalid launch configuration", "无效的启动配置"},
    {SAID_TEXT, 0, "invalid argument", "无效的参数"},
    {SAID_TEXT, 0, "the PTX could not be understood", "无法读懂这段 PTX"},
    {SAID_TEXT, 0, "no such name in the module", "模块里没有这个名字"},
    {SAID_TEXT, 0, "too many resources requested for launch", "启动所需的资源超过设备所有"},
    {SAID_TEXT, 0, "an illegal memory access was encountered", "发生了非法内存访问"},
    {SAID_TEXT, 0, "misaligned address", "地址未对齐"},
    {SAID_TEXT, 0, "unspecified launch failure", "未指明的启动失败"},
    {SAID_TEXT, 0, "device-side assert triggered", "触发了设备端断言"},
    {SAID_TEXT, 0, "the call stack of a thread overflowed", "某个线程的调用栈溢出"},
    {SAID_TEXT, 0, "no thread of a block can make progress", "块里没有线程能继续前进"},
    {SAID_TEXT, 0, "the instruction budget ended the launch", "指令数到了上限，启动被终止"},
    {SAID_TEXT, 0, "the launch was cancelled", "启动被取消"},
    {SAID_TEXT, 0, "the simulated device does not support this", "模拟设备不支持这个操作"},
    {SAID_TEXT, 0, "the NVIDIA driver does not answer", "NVIDIA 驱动没有回答"},
    {SAID_TEXT, 0, "the driver does not answer", "驱动没有回答"},
    {SAID_TEXT, 0, "this machine has no NVIDIA GPU (there is no /dev/nvidiactl)",
     "这台机器没有 NVIDIA GPU（没有 /dev/nvidiactl）"},
    {SAID_TEXT, 0, ", simulated: ", "，模拟设备："},
    {SAID_TEXT, 0, " GB/s, ", " GB/s，"},
    {SAID_TEXT, 0, " multiprocessors, compute capability ", " 个多处理器，计算能力 "},
    {SAID_TEXT, 0, "the first GPU of this machine", "这台机器的第一块 GPU"},
    {SAID_TEXT, 0, "the times make no sense", "测得的时间不合理"},
    {SAID_TEXT, 0, "out of memory", "内存不足"},
    /* SQLite, about the file of progress or a gradebook. */
    {SAID_TEXT, 0, "unable to open database file", "无法打开数据库文件"},
    {SAID_TEXT, 0, "attempt to write a readonly database", "数据库文件不可写"},
    {SAID_TEXT, 0, "database is locked", "数据库文件正被另一个程序占用"},
    {SAID_TEXT, 0, "database or disk is full", "磁盘已满"},
    {SAID_TEXT, 0, "database disk image is malformed", "数据库文件已损坏"},
    {SAID_TEXT, 0, "file is not a database", "它不是数据库文件"},
    {SAID_TEXT, 0, "disk I/O error", "磁盘读写错误"},
};

static const char *english(const said_sentence *s) {
    return s->by == SAID_ERRNO    ? strerror(s->number)
           : s->by == SAID_SIGNAL ? strsignal(s->number)
                                  : s->en;
}

void lib_chinese(char *text, size_t n) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *en = english(&table[i]), *at = en && *en ? strstr(text, en) : NULL;
        if (!at) continue;
        lib_buffer b = {0};
        const char *rest = text;
        for (; at; at = strstr(rest, en)) {
            lib_buffer_add(&b, rest, (size_t)(at - rest));
            lib_buffer_puts(&b, table[i].zh);
            rest = at + strlen(en);
        }
        lib_buffer_puts(&b, rest);
        if (b.s) lib_say(text, n, "%s", b.s);
        lib_buffer_free(&b);
    }
}

const char *lib_error_in(int error, lib_lang lang) {
    for (size_t i = 0; lang == LIB_ZH && i < sizeof table / sizeof *table; i++)
        if (table[i].by == SAID_ERRNO && table[i].number == error) return table[i].zh;
    return strerror(error);
}

/* ---- messages ---- */

void lib_message_set(lib_message *m, const char *format, ...) {
    if (!m) return;
    va_list ap;
    va_start(ap, format);
    lib_vsay(m->text, sizeof m->text, format, ap);
    va_end(ap);
    m->zh[0] = 0;
}

void lib_message_set2(lib_message *m, const char *en, const char *zh, ...) {
    if (!m) return;
    va_list ap, again;
    va_start(ap, zh);
    va_copy(again, ap);
    lib_vsay(m->text, sizeof m->text, en, ap);
    lib_vsay(m->zh, sizeof m->zh, zh, again);
    lib_chinese(m->zh, sizeof m->zh);
    va_end(again);
    va_end(ap);
}

const char *lib_message_in(const lib_message *m, lib_lang lang) {
    return lang == LIB_ZH && m->zh[0] ? m->zh : m->text;
}

void lib_message_put(const lib_message *m, char *en, char *zh, size_t n) {
    lib_say(en, n, "%s", m->text);
    bool english = !m->zh[0] && m->text[0];
    lib_say(zh, n, "%s%s", english ? "（英文说明）" : "", lib_message_in(m, LIB_ZH));
}
