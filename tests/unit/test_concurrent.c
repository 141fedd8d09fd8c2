/* Races between streams: what orders work, what collides, and what is kept of it, told step by step
 * to concurrent.c. Expected: the Programming Guide ("Streams", "Implicit Synchronization",
 * "Explicit Synchronization", "Default Stream") and the rules at the head of concurrent.h. */
#include "runner/device/server/core/client.h"
#include "calls_fixture.h"

#include "runner/device/server/core/concurrent.h"
#include "runner/device/server/core/log.h"
#include "tests/said.h"

enum {
    STREAMS = 4,
    SIZE = 1 << 16,
    R = SIM_WORD_READ,
    W = SIM_WORD_WRITTEN,
    A = SIM_WORD_ATOMIC,
    P = SIM_WORD_POLLED
};
static dev_stream *stream[STREAMS]; /* 0: the legacy one; 3 does not block */
static uint64_t memory;

static void start(void) {
    CHECK(begin());
    CHECK_INT(dev_mem_allocate(c, 0, SIZE, DEV_MEM_DEVICE, 0, &memory), 0);
    stream[0] = dev_stream_default(c, 0);
    for (unsigned i = 1; i < STREAMS; i++)
        stream[i] = dev_stream_new(c, 0, i == 3 ? cudaStreamNonBlocking : 0, 0);
}
/* Findings, each as often as it was met. */
static unsigned races(void) {
    const sim_finding *f;
    size_t n = dev_client_findings(c, &f);
    unsigned all = 0;
    for (size_t i = 0; i < n; i++) all += (unsigned)f[i].count;
    return all;
}

typedef struct {
    uint64_t from, bytes;
    unsigned how, line;
} run;
static void note(unsigned s, dev_op op, const char *kernel, const run *r, size_t n) {
    dev_runs runs = {0};
    for (size_t i = 0; i < n; i++)
        dev_runs_add(&runs, &(sim_word_run){.from = memory + r[i].from,
                                            .bytes = r[i].bytes,
                                            .how = r[i].how,
                                            .line = r[i].line,
                                            .file = r[i].line ? "x.cu" : ""});
    dev_concurrent_note(c, stream[s], op, kernel, &runs);
}
static void work(unsigned s, dev_op op, const char *kernel, const run *r, size_t n) {
    dev_concurrent_begin(c, stream[s]);
    note(s, op, kernel, r, n);
}
#define LAUNCH(s, ...)                                                                             \
    work(s, DEV_OP_LAUNCH, "k", (const run[]){__VA_ARGS__},                                        \
         sizeof((const run[]){__VA_ARGS__}) / sizeof(run))

/* ---- what orders work
 *
 *   2r 2w 2a   the second stream reads, writes, updates the bytes    2E 2F   it records an event
 *   2V 2X      it waits for E, for F                                 H2      the host waits for it
 *   HA HE      ... for all, for E                                    D2      it is destroyed */
static void play(const char *steps) {
    dev_mark e = {.refs = 1}, f = {.refs = 1};
    start();
    for (const char *s = steps; *s; s += s[2] ? 3 : 2) {
        unsigned i = s[0] >= '0' && s[0] <= '3' ? (unsigned)(s[0] - '0') : 0,
                 j = s[1] >= '0' && s[1] <= '3' ? (unsigned)(s[1] - '0') : 0;
        if (s[0] == 'H' && s[1] == 'A') dev_concurrent_host(c, 0, NULL);
        else if (s[0] == 'H' && s[1] == 'E') dev_concurrent_host_event(c, &e);
        else if (s[0] == 'H') dev_concurrent_host(c, 0, stream[j]);
        else if (s[0] == 'D') {
            dev_concurrent_gone(c, stream[j]);
            dev_stream_free(c, stream[j]);
        } else if (s[1] == 'E' || s[1] == 'F')
            dev_concurrent_record(c, stream[i], s[1] == 'E' ? &e : &f);
        else if (s[1] == 'V' || s[1] == 'X')
            dev_concurrent_wait(c, stream[i], s[1] == 'V' ? &e : &f);
        else LAUNCH(i, {0, 64, s[1] == 'r' ? R : s[1] == 'w' ? W : A, 0});
    }
}

static void test_order(void) {
    static const struct {
        const char *steps;
        unsigned races;
    } rows[] = {
        {"1w 2r", 1},
        {"1r 2w", 1},
        {"1w 2w", 1},
        {"1r 2r", 0},
        {"1a 2a", 0},
        {"1a 2r", 1}, /* what is updated atomically must not be read so */
        {"1r 2a", 1},
        {"1a 2w", 1},
        {"1w 2a", 1},
        {"1w 1r", 0}, /* one after the other */
        {"1w 2r 2r", 2},
        {"1w 1w 2r", 2},
        /* an event */
        {"1w 1E 2V 2r", 0},
        {"1E 1w 2V 2r", 1}, /* recorded before it */
        {"1w 1E 1w 2V 2r", 1},
        {"1w 1E 3r", 1},          /* for which nobody waits */
        {"1w 1E 2V 2F 3X 3r", 0}, /* by way of another */
        {"1w 2F 1E 3X 3r", 1},
        {"1w 1E 2V 2w 3V 3r", 1}, /* what the second did is not the event's */
        {"2w 1E 1V 1r", 1},
        /* the host */
        {"1w H1 2r", 0},
        {"1w H2 2r", 1},
        {"1w HA 2r", 0},
        {"1w 1E HE 2r", 0},
        {"1E 1w HE 2r", 1},
        {"2r 1w H1 2r", 1}, /* with the first alone: that was before */
        {"1w H0 2r", 0},    /* the legacy stream waits for the blocking ones */
        {"3w H0 2r", 1},
        {"3w H3 2r", 0},
        {"3w HA 1r", 0},
        /* the legacy default stream */
        {"1w 0r", 0},
        {"0w 1r", 0},
        {"1w 0r 2w", 0},
        {"3w 0r", 1},
        {"0w 3r", 1},
        {"3w 3E 0V 1r", 0}, /* which hands on what it waited for */
        /* a stream that is gone, whose work may go on */
        {"3w D3 2r", 1},
        {"3w D3 H2 2r", 1},
        {"3w D3 0r", 1},
        {"1w D1 0r", 0},
        {"3w D3 HA 0r", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# %s\n", rows[i].steps);
        play(rows[i].steps);
        CHECK_INT(races(), rows[i].races);
        end();
    }
    /* Of what runs again nothing is told, and nothing is kept. */
    start();
    c->log.replaying = true;
    LAUNCH(1, {0, 64, W, 0});
    LAUNCH(2, {0, 64, W, 0});
    c->log.replaying = false;
    LAUNCH(3, {0, 64, W, 0});
    CHECK_INT(races(), 0);
    end();
    /* Streams whose numbers are the same in the last five bits count as ordered. */
    static const unsigned apart[] = {1, 16, 31, 32, 33};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        start();
        stream[2]->id = stream[1]->id + apart[i];
        LAUNCH(1, {0, 64, W, 0});
        LAUNCH(2, {0, 64, W, 0});
        CHECK_INT(races(), apart[i] != DEV_LINES);
        end();
    }
}

/* ---- what collides: the first bytes that both have */

static void test_bytes(void) {
    static const struct {
        run a[3], b[3];
        uint64_t at; /* 999: none */
    } rows[] = {
        {{{0, 8, W, 0}}, {{8, 8, W, 0}}, 999},
        {{{8, 8, W, 0}}, {{0, 8, W, 0}}, 999},
        {{{0, 9, W, 0}}, {{8, 8, W, 0}}, 8},
        {{{8, 8, W, 0}}, {{0, 9, W, 0}}, 8},
        {{{0, 32, W, 0}}, {{4, 4, R, 0}}, 4},
        {{{4, 4, R, 0}}, {{0, 32, W, 0}}, 4},
        {{{0, 4, R, 0}, {8, 4, W, 0}}, {{0, 16, R, 0}}, 8}, /* not those that both read */
        {{{0, 16, R, 0}}, {{0, 4, R, 0}, {12, 4, W, 0}}, 12},
        {{{0, 4, W, 0}, {16, 4, W, 0}}, {{4, 4, R, 0}, {12, 4, R, 0}}, 999},
        {{{0, 4, W, 0}, {16, 4, W, 0}}, {{4, 4, R, 0}, {19, 4, R, 0}}, 19},
        {{{16, 4, W, 0}, {0, 4, W, 0}}, {{2, 1, R, 0}}, 2}, /* in whatever order they come */
        {{{0, 4, A, 0}, {4, 4, A | R, 0}}, {{0, 8, A, 0}}, 4},
        {{{0, 0, W, 0}}, {{0, 8, W, 0}}, 999}, /* no bytes */
        {{{0, 8, P, 0}},
         {{4, 4, W, 0}},
         4}, /* volatile loads against copies, not against atomics */
        {{{0, 8, P, 0}}, {{0, 8, R, 0}}, 999},
        {{{0, 8, P, 0}}, {{0, 8, P | A, 0}}, 999},
        {{{0, 8, A, 0}, {8, 8, A | P, 0}}, {{0, 16, W, 0}}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sim_finding *f;
        size_t n[2] = {0, 0};
        printf("# bytes %zu\n", i);
        while (n[0] < 3 && rows[i].a[n[0]].how) n[0]++;
        while (n[1] < 3 && rows[i].b[n[1]].how) n[1]++;
        start();
        work(1, DEV_OP_LAUNCH, "k", rows[i].a, n[0]);
        work(2, DEV_OP_LAUNCH, "k", rows[i].b, n[1]);
        size_t count = dev_client_findings(c, &f);
        CHECK_INT(count, rows[i].at != 999);
        if (count) CHECK_INT(f->address - memory, rows[i].at);
        end();
    }
}

/* ---- atomics of different kinds: what gives the same result in any order, and what locks and flags
 * do (docs/grading.md, "Races between streams") */

static void test_kinds(void) {
    enum {
        ADD = SIM_ATOM_ADD,
        INC = SIM_ATOM_INC,
        EXCH = SIM_ATOM_EXCH,
        CLAIM = SIM_ATOM_CLAIM,
        LOOP = SIM_ATOM_LOOP,
        STORE = SIM_ATOM_STORE
    };
    static const struct {
        unsigned a, b;
        bool race;
    } rows[] = {
        {ADD, ADD, false},
        {ADD, INC, true},
        {INC, INC, false},
        {INC, SIM_ATOM_DEC, true},
        {ADD, 0, false}, /* looks with an atomic */
        {ADD, EXCH, true},
        {ADD, STORE, true},
        {ADD, CLAIM, true},
        {ADD, LOOP, true},
        {ADD, SIM_ATOM_AND, true},
        {SIM_ATOM_OR, SIM_ATOM_OR, false},
        {SIM_ATOM_OR, SIM_ATOM_AND, true},
        {SIM_ATOM_OR, SIM_ATOM_XOR, true},
        {SIM_ATOM_OR | SIM_ATOM_AND, SIM_ATOM_OR | SIM_ATOM_AND, false}, /* a lock of bits */
        {SIM_ATOM_MIN_S, SIM_ATOM_MIN_S, false},
        {SIM_ATOM_MIN_S, SIM_ATOM_MIN_U, true},
        {SIM_ATOM_MIN_S, SIM_ATOM_MAX_S, true},
        {SIM_ATOM_MIN_S, SIM_ATOM_MAX_U, false}, /* the least float */
        {SIM_ATOM_MAX_S, SIM_ATOM_MIN_U, false}, /* the greatest */
        {SIM_ATOM_MIN_S | SIM_ATOM_MAX_U, SIM_ATOM_MIN_S, false},
        {SIM_ATOM_MIN_S | SIM_ATOM_MAX_U, ADD, true},
        {CLAIM | EXCH, CLAIM | EXCH, false}, /* locks and flags */
        {CLAIM | STORE, CLAIM | EXCH, false},
        {EXCH, STORE, false},
        {EXCH, CLAIM, false},
        {LOOP, LOOP, false},
        {LOOP, EXCH, true},
        {LOOP | EXCH, LOOP | EXCH, false},
        {LOOP | ADD, LOOP | ADD, false}, /* a lock of readers and writers */
        {ADD | EXCH, ADD | EXCH, true},  /* each clears what the other has added */
        {ADD | STORE, ADD | STORE, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned turned = 0; turned < 2; turned++) {
            unsigned first = turned ? rows[i].b : rows[i].a, then = turned ? rows[i].a : rows[i].b;
            printf("# kinds %zu\n", i);
            start();
            LAUNCH(1, {0, 8, A | first << SIM_WORD_KIND, 0});
            LAUNCH(2, {4, 8, A | then << SIM_WORD_KIND, 0});
            CHECK_INT(races(), rows[i].race);
            end();
        }
}

/* Runs that follow each other become one, of one kind and one line. */
static void test_runs(void) {
    enum { MOST = 1 << 16, LINED = 1 << 14 };
    dev_runs r = {0};
    static const struct {
        uint64_t from, bytes;
        unsigned how, line;
        const char *file;
        size_t count;
        uint64_t to;
    } rows[] = {{0, 8, R, 1, "a", 1, 8},   {8, 8, R, 1, "a", 1, 16},  {17, 3, R, 1, "a", 2, 20},
                {20, 4, W, 1, "a", 3, 24}, {24, 4, W, 2, "a", 4, 28}, {28, 4, W, 2, "b", 5, 32},
                {32, 0, R, 2, "b", 5, 32}, {32, 8, W, 2, "b", 5, 40}, {39, 8, W, 2, "b", 6, 47}};
    const char *const files[] = {"a", "b"}; /* told apart by where they lie */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_runs_add(&r, &(sim_word_run){.from = rows[i].from,
                                         .bytes = rows[i].bytes,
                                         .how = rows[i].how,
                                         .line = rows[i].line,
                                         .file = files[*rows[i].file - 'a']});
        CHECK_INT(r.count, rows[i].count);
        CHECK_INT(r.at[r.count - 1].to, rows[i].to);
        CHECK(r.at[r.count - 1].how == rows[i].how || !rows[i].bytes);
    }
    CHECK(r.at[0].from == 0 && r.at[0].line == 1 && r.at[0].file == files[0]);
    dev_runs_free(&r);
    CHECK(!r.at && !r.count && !r.lost);
    /* From so many on lines are no longer told apart, and beyond so many each two are one. */
    for (uint64_t i = 0; i < LINED; i++)
        dev_runs_add(&r, &(sim_word_run){.from = i, .bytes = 1, .how = R, .line = (unsigned)i + 1});
    CHECK_INT(r.count, LINED);
    dev_runs_add(&r, &(sim_word_run){.from = LINED, .bytes = 1, .how = R, .line = 1});
    CHECK_INT(r.count, LINED);
    dev_runs_add(&r, &(sim_word_run){.from = LINED + 1, .bytes = 1, .how = W, .line = 1});
    CHECK_INT(r.count, LINED + 1);
    for (uint64_t i = LINED + 1; i < MOST; i++)
        dev_runs_add(&r, &(sim_word_run){.from = 10 * i * LINED, .bytes = 1, .how = R});
    CHECK(r.count == MOST && !r.lost);
    dev_runs_add(&r, &(sim_word_run){.from = 1, .bytes = 1, .how = R});
    CHECK(r.count == MOST / 2 + 1 && r.coarse && !r.lost);
    CHECK(r.at[0].from == 0 && r.at[0].to == 2 && r.at[1].to == 4); /* of the first four bytes */
    dev_runs_free(&r);
    /* Words of another stream, one in eight bytes: the ranges of more than 65,536 of them meet a
     * word between two of them, and not one behind them all. */
    for (unsigned behind = 0; behind < 2; behind++) {
        const sim_finding *f;
        start();
        for (uint64_t i = 0; i <= MOST; i++)
            dev_runs_add(&r, &(sim_word_run){.from = memory + i * 8, .bytes = 4, .how = W});
        LAUNCH(1, {behind ? 8 * MOST + 4 : 4, 4, R, 0});
        dev_concurrent_begin(c, stream[2]);
        dev_concurrent_note(c, stream[2], DEV_OP_LAUNCH, "k", &r);
        CHECK(!r.at);
        CHECK_INT(races(), !behind);
        CHECK(behind ||
              (dev_client_findings(c, &f) && strstr(said(&f->said), "in the same range")));
        end();
    }
}

/* ---- what is kept: 4096 pieces of work, 2^18 runs; beyond that less exactly */

static void fill(unsigned s, size_t runs) {
    dev_runs r = {0};
    for (size_t i = 0; i < runs; i++)
        dev_runs_add(&r, &(sim_word_run){.from = memory + 1024 + i * 8, .bytes = 4, .how = R});
    dev_concurrent_begin(c, stream[s]);
    dev_concurrent_note(c, stream[s], DEV_OP_LAUNCH, "k", &r);
}
static void test_kept(void) {
    enum { PAST = 4096, EACH = 1 << 16 };
    for (unsigned more = 0; more < 2; more++) {
        start();
        LAUNCH(1, {0, 64, W, 0});
        for (unsigned i = 1; i < PAST + more; i++) LAUNCH(1, {64, 64, W, 0});
        LAUNCH(2, {0, 64, R, 0});
        CHECK_INT(races(), 1);
        LAUNCH(2, {128, 64, R, 0}); /* nobody was there */
        CHECK_INT(races(), 1);
        end();
        start();
        LAUNCH(1, {0, 64, W, 0});
        for (unsigned i = 0; i < 3; i++) fill(1, EACH);
        fill(1, EACH - 2 + more); /* one more is the second stream's */
        LAUNCH(2, {0, 64, R, 0});
        CHECK_INT(races(), 1); /* it is looked at before others go */
        LAUNCH(3, {0, 64, R, 0});
        CHECK_INT(races(), 2);
        end();
    }
}

/* ---- copies: row by row */

static void test_copies(void) {
    enum { PITCH = 32, ROWS = 4 };
    /* 8 bytes of each of 3 rows, in each of 2 slices of 4 rows */
    static const struct {
        uint64_t at, bytes;
        bool meets;
    } probes[] = {{0, 1, true},   {7, 1, true},    {8, 24, false}, {32, 1, true},
                  {39, 1, true},  {40, 24, false}, {64, 1, true},  {72, 56, false},
                  {96, 8, false}, {128, 1, true},  {135, 1, true}, {136, 24, false},
                  {199, 1, true}, {200, 99, false}};
    const uint64_t extent[3] = {8, 3, 2};
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        wire_place at = {.device = -1, .pitch = PITCH, .rows = ROWS}, from = at;
        printf("# probe %zu\n", i);
        start();
        at.address = memory, from.address = memory + 4096;
        dev_concurrent_begin(c, stream[1]);
        dev_concurrent_copy(c, stream[1], DEV_OP_D2D, &at, &from, extent);
        LAUNCH(2, {probes[i].at, probes[i].bytes, R, 0});
        CHECK_INT(races(), probes[i].meets);
        LAUNCH(2, {4096 + probes[i].at, probes[i].bytes, R, 0}); /* from there it only read */
        CHECK_INT(races(), probes[i].meets);
        LAUNCH(2, {4096 + probes[i].at, probes[i].bytes, W, 0});
        CHECK_INT(races(), 2 * probes[i].meets);
        end();
    }
    /* More than 4096 rows are one range, with the gaps between them. */
    static const struct {
        uint64_t w, h, d, pitch;
        bool said;
        unsigned at; /* of a byte in a gap: */
        bool gap;    /* taken for one of them */
    } rows[] = {{1, 4096, 1, 2, true, 1, false}, {1, 4097, 1, 2, true, 1, true},
                {1, 4097, 1, 1, true, 1, true},  {1, 64, 64, 2, true, 1, false},
                {1, 64, 65, 2, true, 1, true},   {1, 1, 4096, 2, true, 1, false},
                {1, 1, 4097, 2, true, 1, true},  {1, 1, 1, 1, true, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t e[3] = {rows[i].w, rows[i].h, rows[i].d};
        printf("# rows %zu\n", i);
        start();
        wire_place at = {.device = -1, .pitch = rows[i].pitch, .rows = rows[i].h};
        at.address = memory;
        dev_concurrent_begin(c, stream[1]);
        dev_concurrent_copy(c, stream[1], DEV_OP_MEMSET, &at, NULL, e);
        LAUNCH(3, {rows[i].at, 1, R, 0});
        CHECK_INT(races(), rows[i].gap);
        LAUNCH(2, {0, SIZE, R, 0});
        CHECK_INT(races(), rows[i].gap + rows[i].said);
        end();
    }
}

/* ---- nodes of a graph: its edges alone order them */

static void in_node(uint64_t launch, size_t node, const dev_node_order *order, unsigned how) {
    dev_concurrent_begin(c, stream[1]);
    dev_concurrent_node(c, 0, launch, node, order);
    note(1, DEV_OP_LAUNCH, "k", &(const run){0, 64, how, 0}, 1);
    dev_concurrent_node(c, 0, 0, 0, NULL);
}
/* In a node of a body's run, which lies in a node of a launch. */
static void in_body(uint64_t launch, size_t node, const dev_node_order *order, uint64_t body_run,
                    size_t inner, const dev_node_order *body, unsigned how) {
    dev_concurrent_begin(c, stream[1]);
    dev_concurrent_node(c, 0, launch, node, order);
    dev_concurrent_node(c, 1, body_run, inner, body);
    note(1, DEV_OP_LAUNCH, "k", &(const run){0, 64, how, 0}, 1);
    dev_concurrent_node(c, 1, 0, 0, NULL);
    dev_concurrent_node(c, 0, 0, 0, NULL);
}
/* Graph: 1 before 2, 3 beside both. Body of each: 1 before 2, 3 beside both. */
static void test_bodies(void) {
    static const uint64_t before[4] = {[2] = 1u << 1};
    const dev_node_order order = {.before = (uint64_t *)before, .words = 1};
    static const struct {
        size_t node, inner; /* inner 0: in no body */
        unsigned run;
    } side[][2] = {
        {{1, 1, 0}, {1, 2, 0}}, {{1, 2, 0}, {1, 1, 0}}, {{1, 1, 0}, {1, 3, 0}},
        {{1, 1, 0}, {1, 3, 1}}, {{1, 2, 0}, {1, 1, 1}}, {{1, 3, 0}, {2, 1, 1}},
        {{2, 1, 0}, {3, 1, 1}}, {{1, 1, 0}, {2, 0, 0}}, {{3, 0, 0}, {2, 1, 0}},
        {{1, 1, 0}, {1, 0, 0}},
    };
    /* the same run's nodes by the body's edges; another run's by time; other nodes by the
     * graph's */
    static const unsigned want[] = {0, 1, 1, 0, 0, 0, 1, 0, 1, 0};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        printf("# bodies %zu\n", i);
        start();
        uint64_t launch = dev_concurrent_launch(c),
                 body_run[] = {dev_concurrent_launch(c), dev_concurrent_launch(c)};
        for (unsigned n = 0; n < 2; n++) {
            unsigned how = n ? R : W;
            if (!side[i][n].inner) in_node(launch, side[i][n].node, &order, how);
            else
                in_body(launch, side[i][n].node, &order, body_run[side[i][n].run], side[i][n].inner,
                        &order, how);
        }
        CHECK_INT(races(), want[i]);
        CHECK(!c->log.overflow);
        end();
    }
    /* what a kernel launches: a line is in order, lines are not, and what is behind all is */
    const dev_node_order lines = {.lines = true};
    static const struct {
        size_t a, b;
        unsigned races;
    } line[] = {{7, 7, 0}, {7, 8, 1}, {7, DEV_BEHIND_ALL, 0}, {SIZE_MAX - 1, SIZE_MAX - 2, 1}};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        printf("# lines %zu\n", i);
        start();
        uint64_t launch = dev_concurrent_launch(c);
        in_node(launch, line[i].a, &lines, W);
        in_node(launch, line[i].b, &lines, R);
        CHECK_INT(races(), line[i].races);
        LAUNCH(1, {0, 64, R, 0}); /* the next in the stream is behind them */
        CHECK_INT(races(), line[i].races);
        end();
    }
    start(); /* deeper than is told apart */
    dev_concurrent_launch(c);
    dev_concurrent_node(c, DEV_BODIES_DEEP, 1, 1, &order);
    CHECK(c->log.overflow);
    end();
}
static void test_nodes(void) {
    enum { NODES = 70, WORDS = 2 };
    static uint64_t before[NODES * WORDS];
    const dev_node_order order = {.before = before, .words = WORDS}, none = {0};
    static const struct {
        size_t a, b, edge[2]; /* edge[0] comes before edge[1] */
        unsigned races;
    } rows[] = {{1, 2, {0, 0}, 1},   {1, 2, {1, 2}, 0},     {1, 2, {2, 1}, 1},
                {1, 2, {2, 3}, 1},   {5, 5, {0, 0}, 0},     {1, 66, {2, 66}, 1},
                {1, 66, {1, 66}, 0}, {64, 66, {64, 66}, 0}, {65, 66, {1, 66}, 1},
                {2, 66, {66, 66}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# nodes %zu\n", i);
        start();
        memset(before, 0, sizeof before);
        before[rows[i].edge[1] * WORDS + rows[i].edge[0] / 64] |= UINT64_C(1)
                                                                  << rows[i].edge[0] % 64;
        uint64_t launch = dev_concurrent_launch(c);
        CHECK_INT(launch, 1);
        in_node(launch, rows[i].a, &order, W);
        in_node(launch, rows[i].b, &order, R);
        CHECK_INT(races(), rows[i].races);
        /* The next launch in the stream is behind it, and so is what is of no graph. */
        unsigned so_far = races();
        CHECK_INT(dev_concurrent_launch(c), 2);
        in_node(2, rows[i].b, &order, R);
        LAUNCH(1, {0, 64, W, 0});
        CHECK_INT(races(), so_far);
        LAUNCH(2, {0, 64, R, 0}); /* another stream is not: behind neither writer */
        CHECK_INT(races(), so_far + 2);
        end();
    }
    start(); /* a graph that is too large to be ordered */
    uint64_t launch = dev_concurrent_launch(c);
    in_node(launch, 1, &none, W);
    in_node(launch, 2, &none, R);
    CHECK_INT(races(), 0);
    end();
}

/* ---- what is said */

static void test_words(void) {
    const sim_finding *f;
    char want[600];
    start();
    LAUNCH(1, {100, 28, W, 7});
    LAUNCH(2, {120, 8, R, 0});
    CHECK_INT(dev_client_findings(c, &f), 1);
    snprintf(want, sizeof want,
             "data race between streams: kernel k in stream %llu (writes, line 7) and kernel k in "
             "stream %llu (reads) meet in the same bytes (from byte 120 of an allocation on), and "
             "nothing orders them; let the second stream wait for an event of the first "
             "(cudaStreamWaitEvent), or put both into one",
             (unsigned long long)stream[1]->id, (unsigned long long)stream[2]->id);
    CHECK_STR(said(&f->said), want);
    CHECK(f->kind == SIM_FIND_RACE && f->count == 1 && f->write && !f->other_write);
    CHECK_STR(f->kernel, "k");
    CHECK_STR(f->other_kernel, "k");
    CHECK_STR(f->space, "streams");
    CHECK_STR(f->file, "x.cu");
    CHECK_STR(f->other_file, "");
    CHECK(f->line == 7 && !f->other_line && f->address == memory + 120);
    CHECK(f->alloc_base == memory && f->alloc_size == SIZE);
    CHECK(f->op == DEV_OP_LAUNCH && f->other_op == DEV_OP_LAUNCH);
    CHECK(f->stream == stream[1]->id && f->other_stream == stream[2]->id);
    end();
    static const struct {
        dev_op op;
        unsigned how;
        const char *says;
    } ops[] = {{DEV_OP_H2D, W, "a copy to the device in stream %u (writes) and "},
               {DEV_OP_D2H, R, "a copy to the host in stream %u (reads) and "},
               {DEV_OP_D2D, W, "a copy on the device in stream %u (writes) and "},
               {DEV_OP_MEMSET, W, "a memset in stream %u (writes) and "},
               {DEV_OP_PAGES_IN, W, "a copy in stream %u (writes) and "},
               {DEV_OP_GRAPH, W, "a copy in stream %u (writes) and "},
               {DEV_OP_LAUNCH, P, "kernel  in stream %u (reads) and "},
               {DEV_OP_LAUNCH, A, "kernel  in stream %u (writes) and "},
               {DEV_OP_LAUNCH, A | R, "kernel  in stream %u (writes) and "}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        start();
        work(2, ops[i].op, "", &(const run){0, 8, ops[i].how, 0}, 1);
        work(3, DEV_OP_MEMSET, "", &(const run){0, 8, W, 0}, 1);
        CHECK_INT(dev_client_findings(c, &f), 1);
        snprintf(want, sizeof want, ops[i].says, (unsigned)stream[2]->id);
        CHECK_CONTAINS(said(&f->said), want);
        CHECK(f->op == ops[i].op && f->other_op == DEV_OP_MEMSET);
        CHECK_INT(f->write, !(ops[i].how & (R | P)));
        end();
    }
    start(); /* the default stream, which has no number, and bytes of no allocation */
    work(0, DEV_OP_MEMSET, "", &(const run){SIZE + 4096, 8, W, 0}, 1);
    work(3, DEV_OP_H2D, "", &(const run){SIZE + 4096, 8, W, 0}, 1);
    CHECK_INT(dev_client_findings(c, &f), 1);
    CHECK_CONTAINS(said(&f->said),
                   "a memset in the default stream (writes) and a copy to the device in");
    CHECK_CONTAINS(said(&f->said), "(from byte 0 of an allocation on)");
    CHECK(!f->alloc_base && !f->alloc_size);
    end();
    start();
    static uint64_t before[4];
    const dev_node_order order = {.before = before, .words = 1};
    uint64_t launch = dev_concurrent_launch(c);
    in_node(launch, 1, &order, W);
    in_node(launch, 2, &order, W);
    CHECK_INT(dev_client_findings(c, &f), 1);
    snprintf(want, sizeof want,
             "data race between nodes of a graph: kernel k in stream %u (writes) and kernel k in "
             "stream %u (writes) meet in the same bytes (from byte 0 of an allocation on), and "
             "nothing orders them; add an edge from one to the other (cudaGraphAddDependencies, or "
             "an event while the graph is captured)",
             (unsigned)stream[1]->id, (unsigned)stream[1]->id);
    CHECK_STR(said(&f->said), want);
    CHECK_STR(f->space, "graph");
    end();
}

int main(void) {
    test_order();
    test_bytes();
    test_kinds();
    test_runs();
    test_kept();
    test_copies();
    test_nodes();
    test_bodies();
    test_words();
    return check_done();
}
