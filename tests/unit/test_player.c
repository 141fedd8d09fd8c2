/* One program under grading (player.c): what each of its ends is called and how it is said, what it
 * may ask of the device, and one call for somebody who watches. The device and the host are
 * stand-ins. */
#include <signal.h>
#include "fake_device.h"
#include "grader/judge/player.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "runner/base/say.h"
#include "words/judge.h"
#include "tests/check.h"
#include "tests/said.h"

/* ---- a host whose programs end as the test says */

static int spawns, spawn_fails, reaps, killed;
static int status; /* what it is waited for with */
static char *printed;
static size_t printed_len;

static int host_spawn(void *user, const char *path, grade_child *child, lib_message *msg) {
    (void)user, (void)path;
    spawns++;
    if (spawn_fails) {
        tell(msg, "no room", "没有空间");
        return -1;
    }
    *child = (grade_child){.pid = 100, .fd = 0, .out_fd = -1};
    return 0;
}
static int host_reap(void *user, grade_child *child, bool kill_it, char **output, size_t *n) {
    (void)user, (void)child;
    reaps++;
    killed += kill_it;
    *output = printed ? strndup(printed, printed_len) : NULL;
    *n = printed ? printed_len : 0;
    return status;
}
static const grade_host host = {host_spawn, host_reap, NULL};

static player begin(void) {
    spawns = spawn_fails = reaps = killed = status = 0;
    printed = NULL, printed_len = 0;
    fake_programs[0] = (fake_program){.at_start = DEV_READY};
    return (player){.host = &host,
                    .path = "program",
                    .who = W_JUDGE_PROGRAM,
                    .limit_s = 2.5,
                    .call_limit = 10,
                    .work_limit = 25};
}

static void fill(void *user, dev_client *c) {
    (void)user, (void)c;
    fake_step('H');
}
static play_outcome call(player *p) {
    return player_call(p, NULL, 0, 1, fill, NULL);
}

/* ---- how it ends */

static dev_event next;
static void ends(dev_client *c, const dev_arg *v) {
    (void)v;
    c->next = next;
}

static void endings(void) {
    char crashed[400], ended[200];
    SAY(crashed,
        "the program crashed on the host (%s). Host code may not read or write what a device "
        "pointer points to: copy with cudaMemcpy. Then look at host arrays and their bounds.",
        strsignal(SIGBUS));
    SAY(ended, "the program was ended by signal 6 (%s) before its function returned.",
        strsignal(SIGABRT));
    const struct {
        dev_event event;
        int status;
        const char *printed;
        play_outcome outcome;
        bool killed;
        const char *en, *zh;
    } rows[] = {
        {DEV_CLOSED, SIGBUS, "x\n", PLAY_ENDED, false, crashed, NULL},
        {DEV_CLOSED, SIGABRT, NULL, PLAY_ENDED, false, ended, NULL},
        {DEV_CLOSED, 3 << 8, NULL, PLAY_ENDED, false,
         "the program ended itself (exit status 3) before its function returned. The function must "
         "return to its caller; a whole program's main() must return 0.",
         "程序在函数返回之前自行退出（退出状态 3）。函数必须返回到调用者；完整程序的 main() "
         "必须返回 0。"},
        {DEV_TIMEOUT, 9, NULL, PLAY_TIMEOUT, true,
         "the program did not finish within the time limit of 2.5 s. Look for a loop on the host "
         "that never ends, or work that grows with the square of the size.",
         "程序没有在 2.5 秒的时间限制内完成。检查主机端是否有死循环，或随尺寸平方增长的工作量。"},
        {DEV_FULL, 9, NULL, PLAY_TIMEOUT, true,
         "one call did more than is recorded, so it cannot be judged: it may make 100,000 "
         "operations "
         "(launches, copies, memsets, allocations, waits), what they did may take 3 MiB, and each "
         "copy must end.",
         "一次调用所做的超出了记录的上限，无法评判：最多可做 100,000 "
         "次操作（启动、拷贝、memset、分配、等"
         "待），它们的记录最多 3 MiB，而且每次拷贝都必须完成。"},
        {DEV_CANCELLED, 9, NULL, PLAY_CANCELLED, true, "cancelled", "已取消"},
        {DEV_PROTOCOL, 9, NULL, PLAY_PROTOCOL, true,
         "the program sent the device something that the CUDA runtime never sends (message of 3 "
         "bytes). Only the runtime's functions may talk to the device.",
         "程序向设备发送了 CUDA 运行时不会发送的内容（message of 3 "
         "bytes）。程序只能通过运行时函数访问设备。"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        player p = begin();
        fake_programs[0].fn = ends;
        CHECK_INT(player_start(&p), PLAY_OK);
        next = rows[i].event;
        status = rows[i].status;
        printed = (char *)rows[i].printed, printed_len = printed ? strlen(printed) : 0;
        CHECK_INT(call(&p), rows[i].outcome);
        CHECK_STR(said(&p.message), rows[i].en);
        if (rows[i].zh) CHECK_STR(said_zh(&p.message), rows[i].zh);
        CHECK(p.message.id);
        CHECK_INT(killed, rows[i].killed);
        CHECK_INT(reaps, 1);
        player_free(&p);
        CHECK_INT(reaps, 1); /* it was waited for already */
    }
    /* With something printed, that is where to look. */
    player p = begin();
    fake_programs[0].fn = ends;
    next = DEV_CLOSED, status = SIGABRT;
    printed = "assertion\n", printed_len = strlen(printed);
    player_start(&p);
    call(&p);
    CHECK_CONTAINS(said(&p.message), " before its function returned. Its output says more.");
    CHECK_CONTAINS(said_zh(&p.message), "终止。请看程序的输出。");
    CHECK_STR(p.output, "assertion\n");
    player_free(&p);
    CHECK(!p.output);
    /* Gone before it was called. */
    p = begin();
    fake_programs[0].at_start = DEV_CLOSED;
    status = 1 << 8;
    CHECK_INT(player_start(&p), PLAY_ENDED);
    CHECK_STR(said(&p.message),
              "the program ended itself (exit status 1) before its function was called. The "
              "function must return to its caller; a whole program's main() must return 0.");
    CHECK_STR(said_zh(&p.message), "程序在 Warplab 调用函数之前自行退出（退出状态 "
                                   "1）。函数必须返回到调用者；完整程序的 main() 必须返回 0。");
    CHECK(!p.client && spawns == 1);
    player_free(&p);
    /* Its time was over before it began. */
    p = begin();
    p.used_s = 2.5;
    CHECK_INT(player_start(&p), PLAY_TIMEOUT);
    player_free(&p);
    p = begin();
    p.used_s = 2.25;
    CHECK_INT(player_start(&p), PLAY_OK);
    player_free(&p);
    CHECK_INT(killed, 1);
}

/* What never became a program is tried once more. */
static void no_start(void) {
    player p = begin();
    fake_programs[0].at_start = DEV_CLOSED;
    status = -1;
    printed = "out of processes\nand more\n", printed_len = strlen(printed);
    CHECK_INT(player_start(&p), PLAY_INFRA);
    CHECK_INT(spawns, 2);
    CHECK_STR(said(&p.message), "the program could not be started: out of processes");
    CHECK_STR(said_zh(&p.message), "程序无法启动：out of processes");
    player_free(&p);
    p = begin();
    spawn_fails = 1;
    CHECK_INT(player_start(&p), PLAY_INFRA);
    CHECK_INT(spawns, 1);
    CHECK_STR(said(&p.message), "the program could not be started: no room");
    CHECK_STR(said_zh(&p.message), "程序无法启动：没有空间");
    player_free(&p);
    CHECK_INT(reaps, 0);
    /* One that runs is not started again. */
    p = begin();
    CHECK(player_start(&p) == PLAY_OK && player_start(&p) == PLAY_OK);
    CHECK(spawns == 1 && p.starts == 1);
    player_free(&p);
}

/* 64 KB are kept, of what is longer whole lines, and nothing behind a cut. */
static void output(void) {
    enum { MOST = 64 * 1024 };
    static char text[MOST + 2];
    memset(text, 'x', sizeof text);
    text[99] = '\n';
    for (size_t n = MOST - 1; n <= MOST + 1; n++) {
        player p = begin();
        printed = text, printed_len = n;
        player_start(&p);
        player_stop(&p, false, NULL);
        bool cut = n > MOST;
        CHECK_INT(p.output_len, cut ? 100 : n);
        CHECK_INT(p.output_cut, cut);
        CHECK(p.output && p.output[p.output_len] == 0);
        player_start(&p);
        printed_len = 1;
        player_stop(&p, false, NULL);
        CHECK_INT(p.output_len, cut ? 100 : n == MOST ? MOST : n + 1);
        CHECK_INT(p.output_cut, n >= MOST);
        player_free(&p);
    }
}

/* ---- what it may ask of the device */

static uint64_t allowed, works;
static void work(dev_client *c, const dev_arg *v) {
    (void)v;
    allowed = c->allowed;
    c->worked = works;
}

/* Of a call at most 10, of all 25, and then as good as nothing. */
static void allowances(void) {
    static const struct {
        uint64_t allowed, works, all;
    } rows[] = {{10, 7, 7}, {10, 8, 15}, {10, 1, 16}, {9, 8, 24},
                {1, 1, 25}, {1, 5, 30},  {1, 0, 30}};
    player p = begin();
    fake_programs[0].fn = work;
    player_start(&p);
    CHECK_INT(p.client->allowed, 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        works = rows[i].works;
        CHECK_INT(call(&p), PLAY_OK);
        CHECK_INT(allowed, rows[i].allowed);
        CHECK_INT(p.call_work, rows[i].works);
        CHECK_INT(p.worked, rows[i].all);
    }
    /* A replay is not the program's. */
    works = 9;
    CHECK(!p.replayed && player_replay(&p) && p.replayed);
    CHECK_INT(allowed, 10);
    CHECK_INT(p.worked, 30);
    fake_programs[0].no_replay = true;
    p.replayed = false;
    CHECK(!player_replay(&p) && !p.replayed);
    player_free(&p);
    /* Host memory is filled before the call where the program has it already. */
    p = begin();
    fake_programs[0].fn = work;
    player_start(&p);
    memset(fake_trail, 0, sizeof fake_trail);
    player_call(&p, NULL, 0, 1, fill, NULL);
    player_call(&p, NULL, 0, 1, fill, NULL);
    player_call(&p, NULL, 0, 2, fill, NULL);
    player_call(&p, NULL, 0, 1, fill, NULL);
    CHECK_STR(fake_trail, "CHHCCHCH");
    player_free(&p);
}

/* ---- launches that failed */

static const struct launched {
    sim_status status[3]; /* of its launches, "a", "b" and one without a name */
    sim_finding_kind kind;
    const char *of; /* the kernel of a finding; NULL: there is none */
    dev_event event;
    play_outcome outcome;
    const char *en, *zh;
} failures[] = {
    {{0}, .outcome = PLAY_OK},
    {{0, SIM_CANCELLED}, .outcome = PLAY_CANCELLED},
    {{0, SIM_CANCELLED, SIM_BAD_LAUNCH}, .outcome = PLAY_CANCELLED},
    {{0, SIM_BAD_LAUNCH},
     .outcome = PLAY_LAUNCH,
     .en = "the launch of b<<<(2,3,4), (5,6,7)>>> failed: ",
     .zh = "启动 b<<<(2,3,4), (5,6,7)>>> 失败："},
    {{0, 0, SIM_BAD_LAUNCH},
     .outcome = PLAY_LAUNCH,
     .en = "the launch of ?<<<(2,3,4), (5,6,7)>>> failed: "},
    {{SIM_BAD_LAUNCH, SIM_BAD_LAUNCH},
     .kind = SIM_FIND_OOB,
     .of = "b",
     .outcome = PLAY_LAUNCH,
     .en = "the launch of a<<<"},
    {{0, SIM_BAD_LAUNCH},
     .kind = SIM_FIND_OOB,
     .of = "b",
     .outcome = PLAY_LAUNCH,
     .en = "out-of-bounds access: what",
     .zh = "越界访问：what"},
    {{0, SIM_BAD_LAUNCH},
     .kind = SIM_FIND_LEAK,
     .of = "b",
     .outcome = PLAY_LAUNCH,
     .en = "the launch of b<<<"},
    /* What ran last when the time was over was no longer running. */
    {{0, SIM_CANCELLED},
     .event = DEV_TIMEOUT,
     .outcome = PLAY_TIMEOUT,
     .en = "the program did not finish"},
};
static const struct launched *now;
static void launches(dev_client *c, const dev_arg *v) {
    (void)v;
    static const char *const names[] = {"a", "b", NULL};
    for (int i = 0; i < 3; i++) {
        fake_launch(c, names[i], 1);
        dev_record *r = &c->log[c->count - 1];
        r->status = now->status[i];
        for (unsigned k = 0; k < 3; k++) r->grid[k] = 2 + k, r->block[k] = 5 + k;
    }
    fake_record(c, DEV_OP_SYNC, 0, 0)->status = SIM_CANCELLED; /* no launch */
    if (now->of) fake_find(c, now->kind, "what")->kernel = now->of;
    c->next = now->event;
}

static void failed_launches(void) {
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        player p = begin();
        fake_programs[0].fn = launches;
        now = &failures[i];
        player_start(&p);
        printf("# %zu\n", i);
        CHECK_INT(call(&p), now->outcome);
        if (now->en) CHECK(!strncmp(said(&p.message), now->en, strlen(now->en)));
        if (now->zh) CHECK(!strncmp(said_zh(&p.message), now->zh, strlen(now->zh)));
        player_free(&p);
    }
}

static void endless(dev_client *c, const dev_arg *v) {
    (void)v;
    fake_launch(c, "loop", 1);
    c->log[c->count - 1].status = SIM_CANCELLED;
    fake_record(c, DEV_OP_SYNC, 0, 0);
    c->next = DEV_TIMEOUT;
}

static void endless_kernel(void) {
    player p = begin();
    fake_programs[0].fn = endless;
    player_start(&p);
    CHECK_INT(call(&p), PLAY_TIMEOUT);
    CHECK_STR(said(&p.message), "the kernel loop was still running at the time limit of 2.5 s. "
                                "Look for a loop in it whose condition never changes.");
    CHECK_STR(said_zh(&p.message),
              "到 2.5 秒的时间限制时，核函数 loop 仍在运行。检查其中是否有条件永远不变的循环。");
    player_free(&p);
}

/* Asked to end it is not killed, and what it leaks is found. */
static void leaks(dev_client *c, const dev_arg *v) {
    (void)v;
    fake_launch(c, "k", 1);
}
static void stopped(void) {
    static const grade_lab none = {.id = "x"};
    for (int ask = 0; ask < 2; ask++) {
        player p = begin();
        fake_programs[0].fn = leaks;
        grade_result r;
        grade_result_init(&r, &none, NULL);
        player_start(&p);
        call(&p);
        player_stop(&p, ask, &r);
        CHECK(!p.client && reaps == 1 && killed == !ask);
        player_stop(&p, ask, &r);
        CHECK_INT(reaps, 1);
        player_free(&p);
        grade_result_free(&r);
    }
}

int main(void) {
    endings();
    no_start();
    output();
    allowances();
    failed_launches();
    endless_kernel();
    stopped();
    return check_done();
}
