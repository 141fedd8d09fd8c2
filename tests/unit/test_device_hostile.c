/* Clients that break the protocol: bad messages end that client with a line, nothing else; scripts of random
 * messages, and the fuzzer's corpus, end without a report of the sanitizers. */
#include "../check.h"
#include "../fuzz/fuzz_protocol.c"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The server's answer to raw bytes. */
static dev_event answer(dev_session *d, const void *bytes, size_t n, sim_message *msg, double timeout) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return DEV_CLOSED;
    dev_client *c = dev_client_new(d, pair[0], msg);
    ssize_t k = send(pair[1], bytes, n, 0);
    (void)k;
    dev_event e = dev_client_run(c, timeout, msg);
    dev_client_free(c);
    close(pair[1]);
    return e;
}

static void test_messages(void) {
    dev_options o;
    sim_message msg;
    uint8_t m[4096];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    uint64_t hello[3] = {WIRE_VERSION, 1, 0};
    size_t n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 0.05), DEV_TIMEOUT);     /* nothing wrong yet */
    CHECK_INT(answer(d, m, n - 3, &msg, 0.05), DEV_TIMEOUT); /* the rest never comes */
    m[n] = 5;                                                /* a second message of 5 bytes */
    memset(m + n + 1, 0, 32);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "5 bytes");
    wire_head h;
    memcpy(&h, m, sizeof h);
    h.bytes = 0x7fffff00;
    memcpy(m, &h, sizeof h);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "2147483392 bytes");
    n = simple(m, WIRE_OP_Hello, (uint64_t[]){99, 1, 0}, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "version");
    n = simple(m, WIRE_OP_Malloc, &(uint64_t){16}, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "before the greeting");
    n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    n += simple(m + n, WIRE_OP_Hello, hello, NULL, 0);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "second greeting");
    n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    h = (wire_head){.bytes = 16, .op = 60000};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "60000");
    h = (wire_head){.bytes = 16, .op = WIRE_OP_Malloc};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 16, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "Malloc takes 1 numbers");
    h = (wire_head){.bytes = 24, .op = WIRE_OP_Malloc, .scalars = 1, .device = 7};
    memcpy(m + n, &h, 16);
    CHECK_INT(answer(d, m, n + 24, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "no device 7");
    /* a span that reaches past the message */
    size_t at = n;
    n += simple(m + n, WIRE_OP_KernelGet, &(uint64_t){0}, "abcdefgh", 8);
    uint64_t long_span = 9999;
    memcpy(m + at + 24, &long_span, 8);
    CHECK_INT(answer(d, m, n, &msg, 5), DEV_PROTOCOL);
    CHECK_CONTAINS(msg.text, "past the message's end");
    dev_session_free(d);
}

/* A client that never reads: its replies fill the socket, and it is ended. */
static void test_silent(void) {
    dev_options o;
    sim_message msg;
    static uint8_t m[1 << 19];
    dev_options_default(&o);
    dev_session *d = dev_session_new(&o, &msg);
    uint64_t hello[3] = {WIRE_VERSION, 1, 0}, query = 0;
    size_t n = simple(m, WIRE_OP_Hello, hello, NULL, 0);
    while (n + 64 < 100000) n += simple(m + n, WIRE_OP_cudaGetDeviceProperties, &query, NULL, 0);
    double t = now();
    dev_event e = answer(d, m, n, &msg, 1);
    CHECK(e == DEV_PROTOCOL || e == DEV_TIMEOUT);
    CHECK(now() - t < 5);
    dev_session_free(d);
}

int main(void) {
    test_messages();
    test_silent();
    uint64_t seed = 88172645463325252u;
    static uint8_t script[1 << 15]; /* random ones are of at most 2000 bytes */
    double until = now() + 4;
    unsigned count = 0;
    while (now() < until) {
        for (size_t i = 0; i < 2000; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            script[i] = (uint8_t)(seed >> 32);
        }
        script[0] = (uint8_t)(count % 5 == 4 ? 1 : 2);
        fuzz_protocol(script, 20 + seed % 1900);
        count++;
    }
    printf("# %u random scripts\n", count);
    CHECK(count > 20);
    DIR *folder = opendir("tests/fuzz/protocol");
    unsigned files = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[512];
        snprintf(path, sizeof path, "tests/fuzz/protocol/%s", e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f) continue;
        size_t n = fread(script, 1, sizeof script, f);
        fclose(f);
        fuzz_protocol(script, n);
        files++;
    }
    if (folder) closedir(folder);
    printf("# %u scripts of the corpus\n", files);
    CHECK(files >= 50);
    return check_done();
}
