/* Work on the host instead of the device, told from the order in which data went back and forth.
 *
 * A call during which the host saw nothing of the device before it gave the device its last order
 * cannot have computed anything from the inputs on the host. One that saw something is suspected:
 * run.c runs its work again on other inputs without the host. */
#include "grader/judge/hostwork.h"
#include "grader/lab.h"
#include "grader/result.h"

#include <string.h>
#include "runner/base/say.h"

/* What a loop that ends on convergence may see: a flag or a norm a round, over many rounds. Times
 * that are asked for without any need are few too. */
enum { FLAG_BYTES = 64, FLAGS_BYTES = 16384, TIMES = 32 };

const char *grade_host_work_name(grade_host_work w) {
    static const char *const name[] = {"launches", "flags", "anything"};
    return name[w];
}

bool hostwork_allowed(grade_host_work may, const dev_flow *f) {
    if (may == GRADE_HOST_ANYTHING) return true;
    if (f->times > TIMES) return false;
    return (!f->data && !f->within) ||
           (may == GRADE_HOST_FLAGS && f->most <= FLAG_BYTES && f->all <= FLAGS_BYTES);
}

bool hostwork_same_data(const grade_lab *lab, const dev_flow *f) {
    bool ordinary = false;
    for (size_t i = 0; i < lab->arg_count; i++)
        ordinary |= lab->args[i].host && !lab->args[i].pinned;
    return ordinary && f->within && f->times <= TIMES;
}

typedef struct {
    char text[LIB_LANGS][240];
} phrase;

static phrase phrase_saw(const dev_passage *p) {
    phrase out = {0};
    unsigned long long n = p->bytes;
    char *en = out.text[LIB_EN], *zh = out.text[LIB_ZH];
    if (p->op == DEV_OP_LAUNCH) {
        lib_say(en, sizeof out.text[0],
                "the kernel %.120s stored into memory that the host sees (%llu byte%s)", p->kernel,
                n, LIB_S(n));
        lib_say(zh, sizeof out.text[0], "核函数 %.120s 写入了主机可见的内存（%llu 字节）",
                p->kernel, n);
    } else if (p->op == DEV_OP_PAGES_OUT) {
        lib_say(en, sizeof out.text[0],
                "the host used %llu byte%s of managed memory into which a kernel had stored", n,
                LIB_S(n));
        lib_say(zh, sizeof out.text[0], "主机访问了核函数写过的 %llu 字节托管内存", n);
    } else {
        lib_say(en, sizeof out.text[0], "%llu byte%s copied to the host", n,
                n == 1 ? " was" : "s were");
        lib_say(zh, sizeof out.text[0], "有 %llu 字节拷回了主机", n);
    }
    return out;
}

static phrase phrase_gave(const dev_passage *p) {
    phrase out = {0};
    unsigned long long n = p->bytes;
    char *en = out.text[LIB_EN], *zh = out.text[LIB_ZH];
    switch (p->op) {
    case DEV_OP_LAUNCH:
        lib_say(en, sizeof out.text[0], "the kernel %.120s was launched", p->kernel);
        lib_say(zh, sizeof out.text[0], "启动了核函数 %.120s", p->kernel);
        break;
    case DEV_OP_H2D:
        lib_say(en, sizeof out.text[0], "%llu byte%s copied from the host", n,
                n == 1 ? " was" : "s were");
        lib_say(zh, sizeof out.text[0], "从主机拷入了 %llu 字节", n);
        break;
    case DEV_OP_MEMSET:
        lib_say(en, sizeof out.text[0], "%llu byte%s set", n, n == 1 ? " was" : "s were");
        lib_say(zh, sizeof out.text[0], "用 memset 设置了 %llu 字节", n);
        break;
    default:
        lib_say(en, sizeof out.text[0], "%llu byte%s copied on the device", n,
                n == 1 ? " was" : "s were");
        lib_say(zh, sizeof out.text[0], "在设备上拷贝了 %llu 字节", n);
    }
    return out;
}

/* A common habit: kernels do whole blocks, the host the elements behind them. Then all that is
 * wrong without the host is the end of an output. Returns the output; NULL: it is not that. */
static const grade_buffer *tail_of(const dev_flow *f, const grade_buffers *b,
                                   const grade_case_result *replayed) {
    if (!f->data || f->saw.op != DEV_OP_D2H || f->gave.op != DEV_OP_H2D) return NULL;
    for (size_t i = 0; replayed->has_mismatch && i < b->lab->arg_count; i++) {
        const grade_buffer *x = &b->buffer[i];
        if (x->arg && !strcmp(x->arg->name, replayed->mismatch_arg))
            return replayed->wrong <= x->count / 2 && replayed->index + replayed->wrong == x->count
                       ? x
                       : NULL;
    }
    return NULL;
}

static void fail_tail(const grade_buffer *x, const grade_case_result *replayed,
                      grade_case_result *c) {
    char en[400], zh[400];
    unsigned long long n = replayed->wrong, all = x->count;
    SAY2(en, zh,
         "the last %llu of %llu elements of '%s' are computed on the host. The device computes all "
         "of "
         "them: launch one block more, and let each thread compare its index with the size.",
         "最后 %llu 个元素（共 %llu 个，输出 "
         "'%s'）是在主机上计算的。所有元素都应由设备计算：多启动一个"
         "线程块，并让每个线程把自己的下标与大小比较。",
         n, all, x->arg->name);
    fail_case(c, en, zh);
}

/* Nothing else was seen but what a kernel stored while it ran. */
static void fail_within(const dev_flow *f, grade_case_result *c) {
    char en[640], zh[640];
    SAY2(
        en, zh,
        "the host takes part in the work: the kernel %.120s stores into memory that the host sees "
        "and "
        "loads from there, and without the program it comes to something else. The host must not "
        "answer a kernel: launch everything first, and look at the results last.",
        "主机参与了计算：核函数 %.120s 既写入又读取主机可见的内存，没有程序在旁边时它得到别的结果。"
        "主机不得回应正在运行的核函数：先把核函数全部启动，最后再看结果。",
        f->saw.kernel);
    fail_case(c, en, zh);
}

void hostwork_fail(const dev_flow *f, const grade_buffers *b, const grade_case_result *replayed,
                   grade_case_result *c) {
    phrase gave = phrase_gave(&f->gave), saw = phrase_saw(&f->saw);
    char en[640], zh[640];
    const grade_buffer *tail = tail_of(f, b, replayed);
    if (tail) {
        fail_tail(tail, replayed, c);
        return;
    }
    if (!f->data && f->within) {
        fail_within(f, c);
        return;
    }
    if (!f->data) {
        SAY(saw.text[LIB_EN], "the host asked %llu time%s how long something took",
            (unsigned long long)f->times, LIB_S(f->times));
        SAY(saw.text[LIB_ZH], "主机 %llu 次查询了耗时", (unsigned long long)f->times);
    }
    SAY(en,
        "the host takes part in the work: %s, and then %s. What the device is given must not "
        "depend "
        "on the data: launch everything first, and copy back last.",
        saw.text[LIB_EN], gave.text[LIB_EN]);
    SAY(zh,
        "主机参与了计算：%s，随后%"
        "s。交给设备的工作不能取决于数据：先把核函数全部启动，最后再拷回结果。",
        saw.text[LIB_ZH], gave.text[LIB_ZH]);
    fail_case(c, en, zh);
}

void hostwork_why(const dev_client *c, grade_case_result *k) {
    if (!dev_client_freed(c)) return;
    size_t en = strlen(k->message), zh = strlen(k->message_zh);
    lib_say(k->message + en, sizeof k->message - en,
            " Whether it does cannot be found out here, since the call frees an array or a texture "
            "object: free them in a later call, or look at results when all is launched.");
    lib_say(k->message_zh + zh, sizeof k->message_zh - zh,
            "这一点无法验证，因为这次调用释放了数组或纹理对象：请在以后的调用中再释放，或在全部启动"
            "之后再"
            "看结果。");
}

static size_t launch_count(const dev_client *c) {
    const dev_record *r;
    size_t n = dev_client_log(c, &r), launches = 0;
    for (size_t i = 0; i < n; i++) launches += r[i].op == DEV_OP_LAUNCH;
    return launches;
}

/* The output of which the host gave at least half, where the baseline does not; NULL: none. */
static const grade_arg *output_given(const dev_client *mine, const dev_client *base,
                                     const grade_buffers *b) {
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i];
        if (!f->arg || f->arg->host || f->arg->role == GRADE_INPUT || !f->bytes) continue;
        if (2 * dev_client_put(mine, f->addr) >= f->bytes &&
            2 * dev_client_put(base, f->addr) < f->bytes)
            return f->arg;
    }
    return NULL;
}

/* The output on the host whose values the device did not bring there, where the baseline's did; NULL:
 * none. */
static const grade_arg *output_kept(const dev_client *mine, const dev_client *base,
                                    const grade_buffers *b) {
    enum { WORD = 4 };
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i];
        if (!f->arg || !f->arg->host || f->arg->role == GRADE_INPUT) continue;
        const void *now = dev_client_host(mine, i);
        uint64_t words = f->bytes / WORD;
        if (now && 2 * dev_client_gave(base, f->baseline, f->bytes) > words &&
            2 * dev_client_gave(mine, now, f->bytes) < words)
            return f->arg;
    }
    return NULL;
}

bool hostwork_check(const player *mine, const player *base, const grade_buffers *b,
                    grade_case_result *c) {
    dev_flow flow;
    char en[320], zh[320];
    const grade_arg *given = NULL;
    dev_client_flow(mine->client, &flow);
    if (!flow.complete) {
        SAY(en,
            "one call did more than is recorded, so it cannot be judged: it may make %llu "
            "operations (launches, copies, memsets, allocations, waits), and must end each copy.",
            (unsigned long long)flow.room);
        SAY(zh,
            "一次调用所做的超出了记录的上限，无法评判：最多可做 %llu "
            "次操作（启动、拷贝、memset、分配、等待），而且每次拷贝都必须完成。",
            (unsigned long long)flow.room);
        fail_case(c, en, zh);
        return false;
    }
    if (!base->client || !launch_count(base->client)) return true;
    if (!launch_count(mine->client)) {
        fail_case(c, "no kernel was launched: the work was not done on the device.",
                  "没有启动任何核函数：工作没有在设备上完成。");
        return true; /* its outputs are looked at all the same */
    }
    if (b->lab->host_work != GRADE_HOST_ANYTHING)
        given = output_given(mine->client, base->client, b);
    if (given) {
        SAY2(en, zh, "the output '%s' was copied from the host: a kernel has to compute it.",
             "输出 '%s' 是从主机拷入的：它应当由核函数算出。", given->name);
        fail_case(c, en, zh);
    }
    const grade_arg *kept = output_kept(mine->client, base->client, b);
    if (kept) {
        SAY2(en, zh,
             "the output '%s' is the host's own: a kernel has to compute its values, and they have "
             "to "
             "come from the device.",
             "输出 '%s' 是主机自己写的：它的值应当由核函数算出，再从设备取回。", kept->name);
        fail_case(c, en, zh);
    }
    return true;
}
