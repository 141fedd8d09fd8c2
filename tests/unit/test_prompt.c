/* The debugger's prompt: sessions, each command with its whole answer. The program is the launch of
 * debugger_fixture.h; what is expected follows from tests/unit/debug/kernel.cu, whose lines it
 * counts, from kernel.ptx, and from `help` (commands.def). */
#include <sys/sysinfo.h>
#include <unistd.h>
#include "runner/debugger/shell.h"
#include "tests/check.h"
#include "tests/unit/debugger_fixture.h"

/* In `hear` {a} and {c} stand for the addresses of these arrays; NULL: it is not looked at. */
typedef struct {
    const char *say, *hear;
} exchange;

/* What this machine has free, in the place of libc's: a quarter of it may be kept of a launch's
 * memory, which here is 1024 bytes; three quarters are the device's. It is enough for the first
 * runs of the program. */
static int kept_runs = 1 << 30;
int sysinfo(struct sysinfo *info) {
    unsigned long some = program.launches < kept_runs ? 1ul << 30 : 3000;
    *info = (struct sysinfo){.totalram = 1ul << 33, .freeram = some, .mem_unit = 1};
    return 0;
}

static char folder[] = "/tmp/warplab-prompt-XXXXXX";
static char own_source[64];

/* All that is said at the prompt from its beginning to its end. */
static char *session(const char *script, lib_lang lang, const char *source,
                     const debugger_opening *opening) {
    static char *shown; /* gcc takes the address of one on the stack for its text */
    size_t n = 0;
    FILE *in = fmemopen((char *)(uintptr_t)script, strlen(script), "r");
    FILE *out = open_memstream(&shown, &n);
    debugger_target t = {.shown = "x", .device = "sim:h200", .source = source, .opening = opening};
    int status = debugger_shell(&t, lang, in, out);
    fclose(in);
    fclose(out);
    CHECK_INT(status, program.log ? 1 : 0);
    return shown;
}

static void fill_in(char *to, size_t n, const char *text) {
    size_t at = 0;
    for (; *text && at + 20 < n; text++) {
        bool name = text[0] == '{' && (text[1] == 'a' || text[1] == 'c') && text[2] == '}';
        if (name) {
            at += (size_t)sprintf(to + at, "0x%llx",
                                  (unsigned long long)(text[1] == 'a' ? in_a : in_c));
            text += 2;
        } else {
            to[at++] = *text;
        }
    }
    to[at] = 0;
}

#define TALK(rows, lang, source) talk(rows, sizeof(rows) / sizeof *(rows), lang, source, __LINE__)
static void talk(const exchange *rows, size_t count, lib_lang lang, const char *source, int line) {
    static char script[8000], want[8000], why[20000], prompt[400];
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += (size_t)snprintf(script + n, sizeof script - n, "%s\n", rows[k].say);
    char *shown = session(script, lang, source, NULL);
    const char *at = strstr(shown, "(debug) ");
    for (size_t k = 0; at && k < count; k++) {
        snprintf(prompt, sizeof prompt, "(debug) %s\n", rows[k].say);
        bool asked = !strncmp(at, prompt, strlen(prompt));
        if (asked) at += strlen(prompt);
        const char *next = strstr(at, "(debug) ");
        size_t heard = next ? (size_t)(next - at) : strlen(at);
        fill_in(want, sizeof want, rows[k].hear ? rows[k].hear : "");
        snprintf(why, sizeof why, "heard:\n%.*swanted:\n%s", (int)heard, at, want);
        check_that(asked && (!rows[k].hear || (heard == strlen(want) && !memcmp(at, want, heard))),
                   __FILE__, line, rows[k].say, why);
        at = next;
    }
    CHECK(at == NULL);
    free(shown);
}

#define KERNEL_CU                "tests/unit/debug/kernel.cu"
#define AT(block, thread, place) "work, block " block ", thread " thread ": " place "\nkernel.cu\n"
#define LINE_13                  ">   13  __global__ void work(const float *a, float *c, int n, pair p) {\n"
#define LINE_17                  ">   17      tile[threadIdx.x] = a[i];\n"
#define LINE_25                  ">   25              s = square(s) + kept[3];\n"
#define AT_75                    AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") LINE_25
#define NOTHING_RUNS             "Nothing runs now: run starts the program.\n"
#define NO_SOURCE                "There is no source for this place.\n"
#define ENDED                                                                                      \
    "_Z4workPKfPfi4pair has ended: all went through. You can look at memory, and go\nback.\n"

/* ---- points, and the ways on ---- */

static const exchange points[] = {
    {"print i", NOTHING_RUNS},
    {"points", "No breakpoints: break LINE, watch EXPRESSION.\n"},
    {"frobnicate", "frobnicate is no command; help lists them\n"},
    {"reverse", "reverse: more than one command begins so; help lists them\n"},
    {"cont", NOTHING_RUNS},
    {"b 25 if i == 75", "breakpoint 1: 25 if i == 75\n"},
    {"watch c[7] if i != 7", "watchpoint 2: c[7] if i != 7\n"},
    {"b kernel.cu:16", "breakpoint 3: kernel.cu:16\n"},
    {"b nosuch", "breakpoint 4: nosuch\n"},
    {"cond 3   i == 64", "breakpoint 3: kernel.cu:16 if i == 64\n"},
    {"cond 9 x", "cond takes the number of a breakpoint (`points` lists them) and a condition\n"},
    {"delete 9", "delete takes the number of a breakpoint: `points` lists them\n"},
    {"break", "a place or expression of 1 to 255 characters is expected\n"},
    {"watch", "a place or expression of 1 to 255 characters is expected\n"},
    {"info break", "breakpoint 1: 25 if i == 75\n"
                   "watchpoint 2: c[7] if i != 7\n"
                   "breakpoint 3: kernel.cu:16 if i == 64\n"
                   "breakpoint 4: nosuch\n"},
    /* line 16 declares: the next that has code is 17 */
    {"run", "breakpoint 3\n" AT("(1,0,0)", "(0,0,0)", "warp 0, lane 0") LINE_17},
    {"  info   watch", "breakpoint 1: 25 if i == 75\n"
                       "watchpoint 2: c[7] if i != 7\n"
                       "breakpoint 3: kernel.cu:16 (line 17 has the code) if i == 64, hits: 1\n"
                       "breakpoint 4: nosuch (not in the code that runs now)\n"},
    {"delete 3", ""},
    {"run", "It runs already: continue, or start to go back to the launch's start.\n"},
    {"cond 1", "breakpoint 1: 25\n"},
    {"cond 1 i == 75", "breakpoint 1: 25 if i == 75\n"},
    {"watch s", "there is no variable s here\n"}, /* before line 23 */
    {"watch i", "i lies in no memory (a register, or a value): watch an element of an array, or\n"
                "set a breakpoint with a condition\n"},
    {"c", "about to be written: watchpoint 2\n" AT(
              "(1,0,0)", "(36,0,0)", "warp 1, lane 4") ">   31          c[7] = -1;\n"},
    {"print c[7]", "c[7] = 3137.5\n"}, /* 56 * 56 + 1.5, thread 7's */
    {"step", AT("(1,0,0)", "(36,0,0)", "warp 1, lane 4") ">   32  }\n"},
    {"print c[7]", "c[7] = -1\n"},
    {"where", ">#0  work  kernel.cu:32\n"},
    {"next",
     "the thread has ended; another one goes on\n" AT(
         "(1,0,0)", "(0,0,0)", "warp 0, lane 0") ">   19      for (int k = 0; k < 4; k++) {\n"},
    {"continue", "breakpoint 1\n" AT_75},
    {"print s", "s = 116\n"}, /* tile[63 - 11] is a[64 + 52] */
    {"next", AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   28          c[i] = s;\n"},
    {"print s", "s = 13457.5\n"}, /* 116 * 116 + 1.5 */
    {"rn", AT_75},
    {"rs", AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   24          if (i % 2)\n"},
    {"n", "breakpoint 1\n" AT_75},
    {"s", "square, block (1,0,0), thread (11,0,0): warp 0, lane 11\nkernel.cu\n"
          ">    9      float t = v * v;\n"},
    /* an empty line says the last one again */
    {"", "square, block (1,0,0), thread (11,0,0): warp 0, lane 11\nkernel.cu\n"
         ">   10      return t;\n"},
    {"fin", AT_75},
    /* from the middle of a line the one before is its own beginning */
    {"rn", "where this line begins\n" AT_75},
    {"rc", "about to be written: watchpoint 2\n" AT(
               "(1,0,0)", "(36,0,0)", "warp 1, lane 4") ">   31          c[7] = -1;\n"},
    {"rc", "nothing stopped before: this is the launch's start\n" AT("(0,0,0)", "(0,0,0)",
                                                                     "warp 0, lane 0") LINE_13},
    {"start", "this is the launch's start\n" AT("(0,0,0)", "(0,0,0)", "warp 0, lane 0") LINE_13},
    {"end", ENDED},
    {"focus 0,0,0 0", "no block runs now\n"},
    {"print c[7]", "c[7] = -1\n"},
    {"list", NO_SOURCE},
    {"where", ""},
    {"shared", "0 bytes of shared memory in this block\n"},
    {"rc", "breakpoint 1\n" AT_75},
    {"end", ENDED},
    {"c", "The program has ended; run starts it again.\n"},
    {"print c[7]", NOTHING_RUNS},
    {"delete 2", ""},
    {"run", "breakpoint 1\n" AT_75},
    {"quit", ""},
};

/* ---- what is to be seen ---- */

static const exchange views[] = {
    {"b 25 if i == 75", NULL},
    {"b 27 if i == 64", NULL},
    {"b 17 if i == 96", NULL},
    /* the first warp waits at the barrier of line 18 */
    {"run", "breakpoint 3\n" AT("(1,0,0)", "(32,0,0)", "warp 1, lane 0") LINE_17},
    {"warps", " warp  lanes 0 to 31                    state        place\n"
              "    0  ################################  waits: block work:18\n"
              ">   1  ################################  runs         work:17\n"},
    {"c", "breakpoint 1\n" AT_75},
    {"warps", " warp  lanes 0 to 31                    state        place\n"
              "    0  #.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.  ready        work:27\n"
              ">   0  .#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#  runs         work:25\n"
              "    1  ################################  ended        \n"},
    {"c",
     "breakpoint 2\n" AT("(1,0,0)", "(0,0,0)", "warp 0, lane 0") ">   27              s -= 1;\n"},
    {"warps",
     " warp  lanes 0 to 31                    state        place\n"
     ">   0  #.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.  runs         work:27\n"
     "    0  .#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#  ready        work:28\n" /* they meet there */
     "    1  ################################  ended        \n"},
    {"rc", "breakpoint 1\n" AT_75},
    {"where", ">#0  work  kernel.cu:25\n"},
    {"up", "There is no further frame.\n"},
    {"down", "There is no further frame.\n"},
    {"locals", "  const float * a = {a}\n"
               "  float * c = {c}\n"
               "  int n = 120\n"
               "  pair p = {x = 0.5, n = 100}\n"
               "  float[4] kept = {0, 0.5, 1, 1.5}\n"
               "  int i = 75\n"
               "  float s = 116\n"},
    {"step", NULL},
    {"next", NULL},
    {"where", ">#0  square  kernel.cu:10\n #1  work  kernel.cu:25\n"},
    {"locals", "  float v = 116\n  float t = 13456\n"},
    {"ptx 1", "     29  mul.f32 %f2, %f1, %f1;\n"
              ">    32  mov.f32 %f3, %f2;\n"
              "     33  st.param.f32 [func_retval0], %f3;\n"},
    {"ptx", "     26  ld.param.f32 %f1, [_Z6squaref_param_0];\n"
            "     29  mul.f32 %f2, %f1, %f1;\n"
            ">    32  mov.f32 %f3, %f2;\n"
            "     33  st.param.f32 [func_retval0], %f3;\n"
            "     34  ret;\n"
            "     38  ret;\n"}, /* what `}` does */
    {"stepi", NULL},
    {"registers", "%f1 .f32       116                     %f2 .f32       13456                   \n"
                  "%f3 .f32       13456                   \n"},
    /* what is listed next is around the place again */
    {"list 3", NULL},
    {"registers", "%f1 .f32       116                     %f2 .f32       13456                   \n"
                  "%f3 .f32       13456                   \n"},
    {"list", "     5      int n;\n"
             "     6  };\n"
             "     7  \n"
             "     8  __device__ __noinline__ float square(float v) {\n"
             "     9      float t = v * v;\n"
             ">   10      return t;\n"
             "    11  }\n"
             "    12  \n"
             "    13  __global__ void work(const float *a, float *c, int n, pair p) {\n"
             "    14      __shared__ float tile[64];\n"
             "    15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"up", AT_75},
    {"print kept[3]", "kept[3] = 1.5\n"},
    {"print v", "there is no variable v here\n"},
    {"where", " #0  square  kernel.cu:10\n>#1  work  kernel.cu:25\n"},
    {"up", "There is no further frame.\n"},
    {"down", "square, block (1,0,0), thread (11,0,0): warp 0, lane 11\nkernel.cu\n"
             ">   10      return t;\n"},
    {"print v", "v = 116\n"},
    {"up", NULL},
    /* nobody else, from its innermost call on */
    {"focus", "square, block (1,0,0), thread (11,0,0): warp 0, lane 11\nkernel.cu\n"
              ">   10      return t;\n"},
    {"print v", "v = 116\n"},
    {"where", ">#0  square  kernel.cu:10\n #1  work  kernel.cu:25\n"},
    {"fin", NULL},
    {"list 3", "     1  // What test_debug.c looks at. kernel.ptx is `nvcc -G -ptx -arch=sm_90 k\n"
               "     2  // test counts lines of this file.\n"
               "     3  struct pair {\n"
               "     4      float x;\n"
               "     5      int n;\n"
               "     6  };\n"
               "     7  \n"
               "     8  __device__ __noinline__ float square(float v) {\n"},
    {"list", "     9      float t = v * v;\n"
             "    10      return t;\n"
             "    11  }\n"
             "    12  \n"
             "    13  __global__ void work(const float *a, float *c, int n, pair p) {\n"
             "    14      __shared__ float tile[64];\n"
             "    15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    16      float kept[4];\n"
             "    17      tile[threadIdx.x] = a[i];\n"
             "    18      __syncthreads();\n"
             "    19      for (int k = 0; k < 4; k++) {\n"},
    {"print i +", "a value is expected\n"},
    {"p tile[52] + 1", "tile[52] + 1 = 117\n"},
    {"quit", ""},
};

/* ---- how one may say it ---- */

#define FOCUS_WANTED "focus takes a thread, or a block and a thread: focus 1,0,0 11,0,0\n" AT_75
#define LINES_1_TO_4                                                                               \
    "     1  // What test_debug.c looks at. kernel.ptx is `nvcc -G -ptx -arch=sm_90 k\n"           \
    "     2  // test counts lines of this file.\n"                                                 \
    "     3  struct pair {\n"                                                                      \
    "     4      float x;\n"
#define LINES_5_AND_6                                                                              \
    "     5      int n;\n"                                                                         \
    "     6  };\n"
static const exchange ways_to_say[] = {
    {"b 25 if i == 75", NULL},
    {"run", "breakpoint 1\n" AT_75},
    {"print  i", "i = 75\n"},
    {"print i  ", "i = 75\n"},
    {"  print\ti", "i = 75\n"},
    {"print", "a value is expected\n"},
    {"info args", "  const float * a = {a}\n"
                  "  float * c = {c}\n"
                  "  int n = 120\n"
                  "  pair p = {x = 0.5, n = 100}\n"
                  "  float[4] kept = {0, 0.5, 1, 1.5}\n"
                  "  int i = 75\n"
                  "  float s = 116\n"},
    {"info threads", " warp  lanes 0 to 31                    state        place\n"
                     "    0  #.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.  ready        work:27\n"
                     ">   0  .#.#.#.#.#.#.#.#.#.#.#.#.#.#.#.#  runs         work:25\n"
                     "    1  ################################  ended        \n"},
    {"infos", "infos is no command; help lists them\n"},
    {"focus lane5", FOCUS_WANTED},
    {"focus lane", FOCUS_WANTED},
    {"focus ,1", FOCUS_WANTED},
    {"focus lane 13", AT("(1,0,0)", "(13,0,0)", "warp 0, lane 13") LINE_25},
    {"focus 13 x", AT("(1,0,0)", "(13,0,0)", "warp 0, lane 13") LINE_25},
    {"focus ( 11)", AT_75},
    {"focus (1) (12)",
     AT("(1,0,0)", "(12,0,0)", "warp 0, lane 12") ">   27              s -= 1;\n"},
    {"focus 1,0,0, 11", AT_75},
    {"list 1", LINES_1_TO_4 LINES_5_AND_6},
    {"list 5",
     LINES_1_TO_4 LINES_5_AND_6 "     7  \n"
                                "     8  __device__ __noinline__ float square(float v) {\n"
                                "     9      float t = v * v;\n"
                                "    10      return t;\n"},
    {"delete", "delete takes the number of a breakpoint: `points` lists them\n"},
    {"delete 1 x", ""},
    {"points", "No breakpoints: break LINE, watch EXPRESSION.\n"},
    {"q", ""},
};

/* ---- memory, and who wrote it ---- */

#define BY(block, thread, line) "  block " block " thread " thread " line " line "\n"
#define NOT_WRITTEN             "  not written in this launch\n"
#define RANGE_WANTED            "a name and elements of it are expected: array c 955..965\n"
static const exchange memory[] = {
    {"b 25 if i == 75", NULL},
    {"run", NULL},
    /* warp 1 has ended, and warp 0's even lanes and odd ones have not come to line 28 */
    {"array c 6..8", "         6              56" BY("(0,0,0)", "(6,0,0)", "28") /* 57 - 1 */
     "         7              -1" BY("(1,0,0)", "(36,0,0)", "31") "         8              54" BY(
         "(0,0,0)", "(8,0,0)", "28")},
    {"",
     "         6              56" BY("(0,0,0)", "(6,0,0)", "28") "         7              -1" BY(
         "(1,0,0)", "(36,0,0)", "31") "         8              54" BY("(0,0,0)", "(8,0,0)", "28")},
    {"array c[63]", "        63             1.5" BY("(0,0,0)", "(63,0,0)", "28")},
    {"array c 64", "        64              -2" NOT_WRITTEN},
    {"array c 95-96", "        95              -2" NOT_WRITTEN
                      /* a[64 + 63 - 32] - 1 */
                      "        96              94" BY("(1,0,0)", "(32,0,0)", "28")},
    {"array c 119 120",
     "       119          5185.5" BY("(1,0,0)", "(55,0,0)", "28") /* 72 * 72 + 1.5 */
     "       120              -2" NOT_WRITTEN},
    {"shared", "256 bytes of shared memory in this block\n"
               "  tile: bytes 0 to 255, from bank 0 on\n"},
    {"shared tile 31..33",
     "        31  bank 31              95" BY(
         "(1,0,0)", "(31,0,0)",
         "17") "        32  bank  0              96" BY("(1,0,0)", "(32,0,0)",
                                                        "17") "        33  bank  1              "
                                                              "97" BY("(1,0,0)", "(33,0,0)", "17")},
    {"shared tile[63]", "        63  bank 31             127" BY("(1,0,0)", "(63,0,0)", "17")},
    {"shared tile 64", "there is no memory at 0x2f0000000100 that holds such a value\n"},
    /* of this thread, though all have theirs at this address */
    {"array kept 0..3",
     "         0               0" BY("(1,0,0)", "(11,0,0)", "20") "         1             0.5" BY(
         "(1,0,0)", "(11,0,0)",
         "20") "         2               1" BY("(1,0,0)", "(11,0,0)",
                                               "20") "         3             1.5" BY("(1,0,0)",
                                                                                     "(11,0,0)",
                                                                                     "20")},
    {"array c 5..4", RANGE_WANTED},
    {"array c 7 x", RANGE_WANTED},
    {"array", RANGE_WANTED},
    {"array c 0..65536", RANGE_WANTED},
    {"array nobody", "there is no variable nobody here\n"},
    {"array i", "i[0]: what is no pointer and no array has no elements\n"},
    {"lanes a[i]",
     "a[i]\n"
     "   0        64       65       66       67       68       69       70       71\n"
     "   8        72       73       74       75       76       77       78       79\n"
     "  16        80       81       82       83       84       85       86       87\n"
     "  24        88       89       90       91       92       93       94       95\n"},
    {"lanes", "threadIdx.x\n"
              "   0         0        1        2        3        4        5        6        7\n"
              "   8         8        9       10       11       12       13       14       15\n"
              "  16        16       17       18       19       20       21       22       23\n"
              "  24        24       25       26       27       28       29       30       31\n"},
    /* a float has as many digits as leave a blank; what cannot be is a dash */
    {"lanes threadIdx.x < 2 ? 1.0f / 3 + threadIdx.x * 12345 : threadIdx.x < 4 ? -1000.0f / 3 : 1 "
     "/ (threadIdx.x - 5)",
     "threadIdx.x < 2 ? 1.0f / 3 + threadIdx.x * 12345 : threadIdx.x < 4 ? -1000.0f / 3 : 1 / "
     "(threadIdx.x - 5)\n"
     "   0  0.333333 12345.33 -333.333 -333.333       -1        -        1        0\n"
     "   8         0        0        0        0        0        0        0        0\n"
     "  16         0        0        0        0        0        0        0        0\n"
     "  24         0        0        0        0        0        0        0        0\n"},
    {"lanes nobody", "there is no variable nobody here\n"},
    {"quit", ""},
};

/* ---- threads ---- */

#define FOCUS_0_3 AT("(1,1,1)", "(3,1,1)", "warp 6, lane 3") LINE_25
/* Blocks of 64 x 2 x 2 threads, of which those of a column do the same; a grid of 2 x 2 x 2. Thread
 * (11,1,1) is 11 + 64 * (1 + 2 * 1) = 203: lane 11 of warp 6. */
static const exchange threads[] = {
    {"b 25 if i == 75 && threadIdx.y == 1 && threadIdx.z == 1 && blockIdx.y == 1 && blockIdx.z == "
     "1",
     NULL},
    {"run", "breakpoint 1\n" AT("(1,1,1)", "(11,1,1)", "warp 6, lane 11") LINE_25},
    {"focus 3,1,1", FOCUS_0_3},
    {"print threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z",
     "threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z = 113\n"},
    {"print blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z",
     "blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z = 111\n"},
    {"print blockDim.x + 100 * blockDim.y + 1000 * blockDim.z",
     "blockDim.x + 100 * blockDim.y + 1000 * blockDim.z = 2264\n"},
    {"print gridDim.x + 10 * gridDim.y + 100 * gridDim.z",
     "gridDim.x + 10 * gridDim.y + 100 * gridDim.z = 222\n"},
    {"focus 1,1,1 5,0,1", "that thread has ended\n" FOCUS_0_3},
    {"focus 64", "the grid is (2,2,2), a block (64,2,2)\n" FOCUS_0_3},
    {"focus 0,2", "the grid is (2,2,2), a block (64,2,2)\n" FOCUS_0_3},
    {"focus 1,2,0 0", "the grid is (2,2,2), a block (64,2,2)\n" FOCUS_0_3},
    {"focus 0,1,1 5",
     "block (0,1,1) does not run now, block (1,1,1) does: set a breakpoint with a\n"
     "condition on blockIdx\n" FOCUS_0_3},
    {"focus x", "focus takes a thread, or a block and a thread: focus 1,0,0 11,0,0\n" FOCUS_0_3},
    {"focus lane 32", "there is no such thread in this block\n" FOCUS_0_3},
    {"focus lane 31", AT("(1,1,1)", "(31,1,1)", "warp 6, lane 31") LINE_25},
    {"focus (1,1,1) (12,1,1)",
     AT("(1,1,1)", "(12,1,1)", "warp 6, lane 12") ">   27              s -= 1;\n"},
    {"focus 1,1,1 3,1,1", FOCUS_0_3},
    /* the last of the column so far */
    {"array c 75", "        75         13457.5" BY("(1,1,1)", "(11,0,1)", "28")},
    {"shared tile 3", "         3  bank  3              67" BY("(1,1,1)", "(3,1,1)", "17")},
    {"quit", ""},
};

/* Each thread has its own kept[], of threadIdx.x * 0.5; and tile[] begins at byte 20, so that
 * element 59 is in bank (20 / 4 + 59) % 32 = 0. */
static const exchange own[] = {
    {"b 17 if i == 64", NULL},
    {"run", NULL},
    {"shared", "276 bytes of shared memory in this block\n"
               "  before: bytes 0 to 19, from bank 0 on\n"
               "  tile: bytes 20 to 275, from bank 5 on\n"},
    /* of the thread and the block that one asked in, whatever is looked at later */
    {"focus 11", NULL},
    {"watch kept[1]", "watchpoint 2: kept[1]\n"},
    {"focus 5", NULL},
    {"watch tile[threadIdx.x + 35] if i != 3", "watchpoint 3: tile[threadIdx.x + 35] if i != 3\n"},
    {"focus 6", NULL},
    {"delete 1", ""},
    {"c",
     "about to be written: watchpoint 3\n" AT("(1,0,0)", "(40,0,0)", "warp 1, lane 8") LINE_17},
    {"c", "about to be written: watchpoint 2\n" AT(
              "(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   20          kept[k] = k * p.x;\n"},
    {"print k", "k = 1\n"},
    {"delete 2", ""},
    {"delete 3", ""},
    {"b 25 if i == 75", NULL},
    {"c", "breakpoint 4\n" AT_75},
    {"shared tile 58..59",
     "        58  bank 31             122" BY(
         "(1,0,0)", "(58,0,0)", "17") "        59  bank  0             123" BY("(1,0,0)",
                                                                               "(59,0,0)", "17")},
    {"print kept", "kept = {5.5, 5.5, 5.5, 5.5}\n"},
    {"lanes kept[2] * 2",
     "kept[2] * 2\n"
     "   0         0        1        2        3        4        5        6        7\n"
     "   8         8        9       10       11       12       13       14       15\n"
     "  16        16       17       18       19       20       21       22       23\n"
     "  24        24       25       26       27       28       29       30       31\n"},
    {"locals", "  const float * a = {a}\n"
               "  float * c = {c}\n"
               "  int n = 120\n"
               "  pair p = {x = 0.5, n = 100}\n"
               "  float[4] kept = {5.5, 5.5, 5.5, 5.5}\n"
               "  int i = 75\n"
               "  float s = 116\n"},
    {"array kept 3", "         3             5.5" BY("(1,0,0)", "(11,0,0)", "20")},
    {"quit", ""},
};

/* What the launch asks for begins at a multiple of 16 behind what is static, 20 + 256 bytes: at
 * 288, bank 288 / 4% 32 = 8. Nobody's bytes between them have no line. */
static const exchange dynamic[] = {
    {"b 17 if i == 64", NULL},
    {"run", NULL},
    {"shared", "328 bytes of shared memory in this block\n"
               "  before: bytes 0 to 19, from bank 0 on\n"
               "  tile: bytes 20 to 275, from bank 5 on\n"
               "  more: bytes 288 to 327, from bank 8 on\n"},
    {"quit", ""},
};

/* ---- whose stop it is ---- */

#define LINE_19 ">   19      for (int k = 0; k < 4; k++) {\n"
static const exchange stops[] = {
    /* two functions: each place is that of its own breakpoint */
    {"b square if blockIdx.x == 1", NULL},
    {"b work if blockIdx.x == 1", NULL},
    {"run", "breakpoint 2\n" AT(
                "(1,0,0)", "(0,0,0)",
                "warp 0, lane 0") ">   15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"c", "breakpoint 2\n" AT(
              "(1,0,0)", "(32,0,0)",
              "warp 1, lane 0") ">   15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"delete 2", ""},
    {"b 18 if i == 64", NULL},
    {"start", NULL},
    {"delete 1", ""},
    {"c",
     "breakpoint 3\n" AT("(1,0,0)", "(0,0,0)", "warp 0, lane 0") ">   18      __syncthreads();\n"},
    /* warp 1 ends meanwhile, and thread 0 goes on to the next line */
    {"next", AT("(1,0,0)", "(0,0,0)", "warp 0, lane 0") LINE_19},
    {"b 25 if i == 75", NULL},
    {"c", "breakpoint 4\n" AT_75},
    /* of the lanes that come there the one that was looked at, and else the first */
    {"b 28", NULL},
    {"c",
     "breakpoint 5\n" AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   28          c[i] = s;\n"},
    {"rc", "breakpoint 4\n" AT_75},
    {"focus 12", NULL},
    {"c",
     "breakpoint 5\n" AT("(1,0,0)", "(12,0,0)", "warp 0, lane 12") ">   28          c[i] = s;\n"},
    {"quit", ""},
};

/* ---- source ---- */

#define X20 "xxxxxxxxxxxxxxxxxxxx"
#define X70 X20 X20 X20 "xxxxxxxxxx"
/* By the same name in another folder: nvcc writes one, the student has another. */
static void write_source(void) {
    FILE *f = fopen(own_source, "w");
    for (int line = 1; line < 25; line++) fprintf(f, "line %d\n", line);
    fprintf(f, "\tif\tabc\tabcd\t|\n%s\n%s\nline 28", X70 "yz", X70 "yz0");
    fclose(f);
}
/* Tabs go to the next fourth column, and a line ends with the 80th, of which 8 are the number's. */
#define OWN_25 ">   25      if  abc abcd    |\n"
static const exchange source[] = {
    {"b 25 if i == 75", NULL},
    {"run", "breakpoint 1\n" AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") OWN_25},
    {"list", "    20  line 20\n"
             "    21  line 21\n"
             "    22  line 22\n"
             "    23  line 23\n"
             "    24  line 24\n" OWN_25 "    26  " X70 "yz\n"
             "    27  " X70 "yz\n"
             "    28  line 28\n"},
    {"list", ""},
    {"list 6", "     1  line 1\n"
               "     2  line 2\n"
               "     3  line 3\n"
               "     4  line 4\n"
               "     5  line 5\n"
               "     6  line 6\n"
               "     7  line 7\n"
               "     8  line 8\n"
               "     9  line 9\n"
               "    10  line 10\n"
               "    11  line 11\n"},
    {"list 34", ""},
    {"list 33", "    28  line 28\n"},
    {"next", AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   28  line 28\n"},
    {"quit", ""},
};
/* Without it the file that nvcc saw is not there. */
static const exchange no_source[] = {
    {"b 25 if i == 75", NULL},
    {"run", "breakpoint 1\n" AT("(1,0,0)", "(11,0,0)", "warp 0, lane 11") ">   25  \n"},
    {"list", "/src/kernel.cu cannot be read\n"},
    {"quit", ""},
};

/* ---- findings, ends, in Chinese ---- */

#define ZH_AT(block, thread, warp, lane)                                                           \
    "work，线程块 " block "，线程 " thread "：warp " warp "，lane " lane "\nkernel.cu\n"
static const exchange chinese[] = {
    {"print i", "现在没有程序在运行：用 run 启动。\n"},
    {"b 99", "断点 1: 99\n"},
    {"b 16 if i == 64", "断点 2: 16 if i == 64\n"},
    {"run", "断点 2\n" ZH_AT("(1,0,0)", "(0,0,0)", "0", "0") LINE_17},
    {"points", "断点 1: 99（不在当前运行的代码里）\n"
               "断点 2: 16（代码在第 17 行） if i == 64，命中 1 次\n"},
    {"array c 63..64", "        63             1.5  线程块 (0,0,0) 线程 (63,0,0) 第 28 行\n"
                       "        64              -2  本次启动中没有写过\n"},
    /* c ends with element 118 here */
    {"c", "下一条指令有问题：\n"
          "kernel.cu 第 28 行：核函数 _Z4workPKfPfi4pair 中，块 1 的线程 55 越界写 4 字\n"
          "节：紧接在地址 0x300000000600 处的一块 476 字节的内存的末尾之后\n" ZH_AT(
              "(1,0,0)", "(55,0,0)", "1", "23") ">   28          c[i] = s;\n"},
    {"print i", "i = 119\n"},
    {"c", "_Z4workPKfPfi4pair 已结束：发生了非法内存访问。可以查看内存，也可以后退。\n"},
    {"rc", NULL},
    {"print i", "i = 119\n"},
    {"rc", "断点 2\n" ZH_AT("(1,0,0)", "(0,0,0)", "0", "0") LINE_17},
    {"rc", "之前没有可停之处：这里是启动的开头\n" ZH_AT("(0,0,0)", "(0,0,0)", "0", "0") LINE_13},
    {"end", NULL},
    {"c", "程序已结束；run 重新启动。\n"},
    {"q", ""},
};

/* The same, in English; the device's words for an error are its own. */
static const exchange faults[] = {
    {"run", NULL},
    {"c", "_Z4workPKfPfi4pair has ended: an illegal memory access was encountered. You can\n"
          "look at memory, and go back.\n"},
    {"q", ""},
};

/* Blocks of 64 x 2 x 3, a grid of 2 x 4 x 5. */
static const exchange chinese_focus[] = {
    {"b 15 if blockIdx.y == 3 && blockIdx.z == 4", NULL},
    {"run", "断点 1\n" ZH_AT("(0,3,4)", "(0,0,0)", "0",
                             "0") ">   15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"focus 64", "网格为 (2,4,5)，线程块为 (64,2,3)\n" ZH_AT(
                     "(0,3,4)", "(0,0,0)", "0",
                     "0") ">   15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"focus 1,2,3 5",
     "现在运行的不是线程块 (1,2,3)，而是 (0,3,4)：请设置以 blockIdx 为条件的断点\n" ZH_AT(
         "(0,3,4)", "(0,0,0)", "0",
         "0") ">   15      int i = blockIdx.x * blockDim.x + threadIdx.x;\n"},
    {"focus 0,3,4 33,1,2",
     ZH_AT("(0,3,4)", "(33,1,2)", "11",
           "1") ">   13  __global__ void work(const float *a, float *c, int n, pair p) {\n"},
    {"q", ""},
};

static const exchange ends_badly[] = {
    {"run", ENDED},
    {"c", "The program ended with signal 9.\n"},
};
static const exchange cannot_run[] = {{"run", "there is no memory\n"},
                                      {"run", "there is no memory\n"}};

/* Lines of files, by their number; eight files are kept, each is read once, and the student's file
 * stands for one of that name in any folder. */
static void test_lines(void) {
    static const struct {
        const char *file;
        unsigned line;
        const char *text;
    } rows[] = {{"", 1, NULL},
                {"/no/where", 1, NULL},
                {"/b/kernel.cu", 0, NULL},
                {"/b/kernel.cu", 1, "line 1"},
                {"/b/kernel.cu", 24, "line 24"},
                {"/b/kernel.cu", 28, "line 28"},
                {"/b/kernel.cu", 29, NULL},
                {"/c/kernel.cu", 2, "line 2"},
                {"kernel.cu", 3, "line 3"},
                {"kernel.cuh", 1, NULL},
                {"/d/kernel.cu", 4, "line 4"},
                {"/e/kernel.cu", 5, "line 5"},
                {"/f/kernel.cu", 6, "line 6"}, /* the eighth */
                {"/g/kernel.cu", 7, NULL},
                {"/f/kernel.cu", 8, "line 8"},
                {"/b/kernel.cu", 9, "line 9"}};
    const debugger_target t = {.source = own_source};
    shell s = {.run = {.t = &t}};
    write_source();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *text = view_line(&s, rows[k].file, rows[k].line);
        if (rows[k].text) CHECK_STR(text, rows[k].text);
        else CHECK(text == NULL);
    }
    CHECK_INT(s.source_count, 8);
    for (size_t k = 0; k < s.source_count; k++) {
        free(s.sources[k].text);
        free(s.sources[k].lines);
    }
    unlink(own_source);
}

static void test_beginnings(void) {
    char *shown;
    /* what does not compile is said, with the compiler's words, and nothing asked */
    program.log = "kernel.cu(3): error\n";
    shown = session("run\n", LIB_EN, KERNEL_CU, NULL);
    CHECK_STR(shown, "kernel.cu(3): error\nit does not compile\n");
    free(shown);
    /* of more than 60 lines of theirs the first 30 and the last 30 */
    for (int lines = 60; lines <= 62; lines++) {
        static char log[500], want[500];
        size_t n = 0, m = 0;
        for (int k = 0; k < lines; k++) {
            n += (size_t)sprintf(log + n, "%d\n", k);
            if (k < 30 || k >= lines - 30) m += (size_t)sprintf(want + m, "%d\n", k);
            else if (k == 30) m += (size_t)sprintf(want + m, "... %d ...\n", lines - 60);
        }
        strcpy(want + m, "it does not compile\n");
        program.log = log;
        shown = session("", LIB_EN, KERNEL_CU, NULL);
        CHECK_STR(shown, want);
        free(shown);
    }
    program.log = NULL;
    /* comments are no commands; the end of what is said is `quit` */
    int before = program.launches;
    shown = session("# run\n   # run\n\n", LIB_EN, KERNEL_CU, NULL);
    CHECK_STR(shown,
              "run stops at a fault, break LINE and watch EXPRESSION elsewhere; help says more.\n"
              "(debug) # run\n(debug)    # run\n(debug) \n");
    CHECK_INT(program.launches, before);
    free(shown);
}

/* A lesson's place: a line; a text that is no longer there; the first finding. */
static void test_opening(void) {
    static const char *const at[] = {"c[7]"};
    debugger_opening o = {.at = at, .at_count = 1, .text = {"Words.", "话。"}};
    static const char begin[] = "run stops at a fault, break LINE and watch EXPRESSION elsewhere; "
                                "help says more.\nWords.\n";
    char want[600];
    program.opening = 31;
    char *shown = session("c\nc\n", LIB_EN, KERNEL_CU, &o);
    snprintf(want, sizeof want, "%s%s", begin,
             "breakpoint 1: 31\nbreakpoint 1\n" AT(
                 "(1,0,0)", "(36,0,0)",
                 "warp 1, lane 4") ">   31          c[7] = -1;\n(debug) c\n" ENDED
                                   "(debug) c\nThe program has ended; run starts it again.\n");
    CHECK_STR(shown, want);
    free(shown);
    program.opening = 0;
    shown = session("", LIB_EN, KERNEL_CU, &o);
    snprintf(want, sizeof want, "%s%s", begin,
             "the launch begins\n" AT("(0,0,0)", "(0,0,0)", "warp 0, lane 0") LINE_13);
    CHECK_STR(shown, want);
    free(shown);
    o.at_count = 0;
    shown = session("", LIB_EN, KERNEL_CU, &o);
    snprintf(want, sizeof want, "%s%s", begin, "The program has ended; run starts it again.\n");
    CHECK_STR(shown, want);
    free(shown);
}

/* Each command has its line, with its short form and arguments, and its text below. */
static void test_help(void) {
    static const struct {
        const char *name, *key, *arguments;
    } rows[] = {
#define DCMD(name, key, function, arguments, stop) {name, key, arguments},
#include "runner/debugger/commands.def"
#undef DCMD
    };
    char *shown = session("help\n", LIB_EN, KERNEL_CU, NULL), line[400];
    const char *at = strstr(shown, "(debug) help\n");
    at = at ? at + strlen("(debug) help\n") : "";
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        snprintf(line, sizeof line, "%s%s%s %s\n    %s\n", rows[k].name, *rows[k].key ? ", " : "",
                 rows[k].key, rows[k].arguments,
                 lib_word(LIB_EN, lib_words_named("debugger.help", rows[k].name)));
        size_t n = strlen(line);
        CHECK(lib_words_named("debugger.help", rows[k].name));
        if (!check_that(!strncmp(at, line, n), __FILE__, __LINE__, rows[k].name, at)) break;
        at += n;
    }
    CHECK_STR(at, "");
    free(shown);
}

/* Eight to a line; what needs more than 8 columns four, and more than 17 two. */
static void test_lanes(void) {
    static const struct {
        const char *base;
        unsigned each;
    } rows[] = {{"12345678", 8},
                {"123456780", 4},
                {"12345678901234560", 4},
                {"123456789012345600", 2},
                {"1234567890123456700", 2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char script[200], want[4000];
        snprintf(script, sizeof script, "b 17\nrun\nlanes threadIdx.x * 2 + %s\n", rows[k].base);
        size_t n = (size_t)snprintf(want, sizeof want, "threadIdx.x * 2 + %s\n", rows[k].base);
        for (unsigned l = 0; l < 32; l++) {
            if (l % rows[k].each == 0) n += (size_t)sprintf(want + n, "%4u ", l);
            n += (size_t)sprintf(want + n, "%*lld", (int)(72 / rows[k].each),
                                 atoll(rows[k].base) + 2 * l);
            if ((l + 1) % rows[k].each == 0) n += (size_t)sprintf(want + n, "\n");
        }
        char *shown = session(script, LIB_EN, KERNEL_CU, NULL);
        const char *at = strstr(shown, "(debug) lanes");
        at = at ? strchr(at, '\n') : NULL;
        CHECK_STR(at ? at + 1 : "", want);
        free(shown);
    }
}

/* What is heard after the n-th prompt, of a session's text. */
static const char *heard(const char *shown, unsigned n, size_t *length) {
    for (; shown && n; n--) {
        shown = strstr(shown, "(debug) ");
        shown = shown ? strchr(shown, '\n') : NULL;
    }
    const char *next = shown ? strstr(shown, "(debug) ") : NULL;
    *length = next ? (size_t)(next - shown) : 0;
    return shown ? shown : "";
}

/* Elements of an array: 16 if none are named, and 64 at most. */
static void test_elements(void) {
    static const struct {
        const char *asked;
        int first, last;
    } rows[] = {{"a", 0, 15},       {"a[3]", 3, 3},        {"a 0..62", 0, 62},
                {"a 0..63", 0, 63}, {"a 0..64", 0, 63},    {"a 5..68", 5, 68},
                {"a 5 69", 5, 68},  {"a 0..65535", 0, 63}, {"a 120-127", 120, 127}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char script[100], want[6000] = "\n";
        size_t n = 1, length;
        snprintf(script, sizeof script, "b 17\nrun\narray %s\nq\n", rows[k].asked);
        for (int i = rows[k].first; i <= rows[k].last; i++)
            n += (size_t)sprintf(want + n, "%10d  %14d  not written in this launch\n", i, i);
        char *shown = session(script, LIB_EN, KERNEL_CU, NULL);
        const char *at = heard(shown, 3, &length);
        check_that(length == n && !memcmp(at, want, n), __FILE__, __LINE__, rows[k].asked, at);
        free(shown);
    }
}

/* Instructions around the one that is next: 6 each way if no number is said, nor one up to 200. */
static void test_instructions(void) {
    static const struct {
        const char *asked;
        unsigned each;
    } rows[] = {{"ptx", 6},   {"ptx 0", 6},   {"ptx x", 6},   {"ptx 1", 1},
                {"ptx 7", 7}, {"ptx 200", 0}, {"ptx 201", 6}, {"ptx -1", 6}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char script[100];
        size_t length;
        snprintf(script, sizeof script, "b 25 if i == 75\nrun\n%s\nq\n", rows[k].asked);
        char *shown = session(script, LIB_EN, KERNEL_CU, NULL);
        const char *at = heard(shown, 3, &length);
        unsigned before = 0, behind = 0;
        bool met = false;
        for (const char *p = at; p + 1 < at + length; p = strchr(p + 1, '\n')) {
            if (p[1] == '>') met = true;
            else if (met) behind++;
            else before++;
        }
        if (rows[k].each) {
            check_that(met && before == rows[k].each && behind == rows[k].each, __FILE__, __LINE__,
                       rows[k].asked, at);
        } else {
            /* all of the function, whose last instruction is what `}` does */
            check_that(met && before + 1 + behind > 2 * 7 + 1, __FILE__, __LINE__, rows[k].asked,
                       at);
            CHECK_CONTAINS(at, "    228  ret;\n");
        }
        free(shown);
    }
}

/* A page has what all views show, in their order; one cannot be written everywhere. */
static void test_page(void) {
    char script[200], path[100], *page;
    snprintf(path, sizeof path, "%s/page.html", folder);
    snprintf(script, sizeof script, "b 25 if i == 75\nrun\nlist 3\npage %s\nlist\npage /no/where\n",
             path);
    char *shown = session(script, LIB_EN, KERNEL_CU, NULL);
    snprintf(script, sizeof script, "\nA page: %s\n(debug) ", path);
    CHECK(strstr(shown, script) != NULL);
    CHECK_CONTAINS(shown, "(debug) list\n     9      float t = v * v;\n"); /* it goes on */
    CHECK_CONTAINS(shown, "/no/where");
    lib_message msg;
    page = lib_read_file(path, 1 << 20, NULL, &msg);
    static const char *const parts[] = {"work, block (1,0,0)",
                                        "kernel.cu",
                                        "20",
                                        "30",
                                        "work",
                                        "float s = 116",
                                        "warp",
                                        "runs",
                                        "work:25",
                                        "256 bytes of shared memory",
                                        "callseq"};
    const char *at = page ? page : "";
    for (size_t k = 0; k + 1 < sizeof parts / sizeof *parts; k++) {
        const char *found = strstr(at, parts[k]);
        CHECK(found != NULL);
        if (found) at = found;
    }
    CHECK_CONTAINS(at, "ld.f32");
    free(page);
    free(shown);
    unlink(path);
}

static void test_not_kept(void) {
#define UNKNOWN    "Who wrote this is not known: the device's memory is too large to be kept.\n"
#define UNKNOWN_ZH "设备内存太大，无法保存快照，因此无法得知是谁写的。\n"
    static const exchange rows[] = {
        {"b 25 if i == 75", NULL},
        {"run", NULL},
        {"array c 6..7", "         6              56\n         7              -1\n" UNKNOWN},
        {"array c 64", "        64              -2\n" UNKNOWN},
        {"back", "The device's memory is too large to be kept: you cannot go back.\n"},
        {"end", "_Z4workPKfPfi4pair has ended: all went through. You can look at memory.\n"},
        {"array c 75", "        75         13457.5\n" UNKNOWN},
        {"c", "The program has ended; run starts it again.\n"},
        {"q", ""},
    };
    static const exchange in_chinese[] = {
        {"b 16 if i == 64", NULL},
        {"run", NULL},
        {"end", NULL},
        {"array c 75", "        75         13457.5\n" UNKNOWN_ZH},
        {"q", ""},
    };
    /* What is found has been done: c is an element too short, thread 55 of block 1 is behind it. */
    static const exchange found[] = {
        {"run", "this instruction did this:\n"
                "kernel.cu:28: thread 55 of block 1 of _Z4workPKfPfi4pair writes 4 bytes out of\n"
                "bounds: just past the end of the 476-byte allocation at {c}\n" AT(
                    "(1,0,0)", "(55,0,0)", "warp 1, lane 23") ">   28          c[i] = s;\n"},
        {"print i", "i = 119\n"},
        {"c", "_Z4workPKfPfi4pair has ended: an illegal memory access was encountered. You can\n"
              "look at memory.\n"},
        {"c", "The program has ended; run starts it again.\n"},
        {"q", ""},
    };
    /* The writers of a run before are not those of this one. */
    static const exchange second[] = {
        {"b 25 if i == 75", NULL},
        {"run", NULL},
        {"array c[63]", "        63             1.5" BY("(0,0,0)", "(63,0,0)", "28")},
        {"end", NULL},
        {"c", NULL},
        {"run", NULL},
        {"array c[63]", "        63             1.5\n" UNKNOWN},
        {"q", ""},
    };
    kept_runs = program.launches + 1;
    TALK(second, LIB_EN, KERNEL_CU);
    kept_runs = 0;
    TALK(rows, LIB_EN, KERNEL_CU);
    TALK(in_chinese, LIB_ZH, KERNEL_CU);
    program.bounds = true;
    TALK(found, LIB_EN, KERNEL_CU);
    program.bounds = false;
    kept_runs = 1 << 30;
}

int main(void) {
    setenv("COLUMNS", "80", 1);
    program.grid[0] = 2, program.grid[1] = program.grid[2] = program.rows = program.layers = 1;
    if (!CHECK(mkdtemp(folder))) return check_done();
    snprintf(own_source, sizeof own_source, "%s/kernel.cu", folder);
    TALK(points, LIB_EN, KERNEL_CU);
    TALK(views, LIB_EN, KERNEL_CU);
    TALK(stops, LIB_EN, KERNEL_CU);
    TALK(ways_to_say, LIB_EN, KERNEL_CU);
    TALK(memory, LIB_EN, KERNEL_CU);
    program.own_kept = program.two_shared = true;
    TALK(own, LIB_EN, KERNEL_CU);
    program.own_kept = false, program.dynamic = 40;
    TALK(dynamic, LIB_EN, KERNEL_CU);
    program.two_shared = false, program.dynamic = 0;
    write_source();
    TALK(source, LIB_EN, own_source);
    unlink(own_source);
    TALK(no_source, LIB_EN, NULL);
    test_help();
    test_lanes();
    test_elements();
    test_instructions();
    test_page();
    test_not_kept();
    test_lines();
    test_beginnings();
    test_opening();
    program.how = "signal 9";
    TALK(ends_badly, LIB_EN, KERNEL_CU);
    program.how = NULL, program.fails = "there is no memory";
    TALK(cannot_run, LIB_EN, KERNEL_CU);
    program.fails = NULL, program.bounds = true;
    TALK(chinese, LIB_ZH, KERNEL_CU);
    TALK(faults, LIB_EN, KERNEL_CU);
    program.bounds = false;
    program.grid[1] = program.grid[2] = program.rows = program.layers = 2;
    TALK(threads, LIB_EN, KERNEL_CU);
    program.grid[1] = 4, program.grid[2] = 5, program.layers = 3;
    TALK(chinese_focus, LIB_ZH, KERNEL_CU);
    rmdir(folder);
    return check_done();
}
