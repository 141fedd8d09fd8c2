/* The Debug Adapter Protocol: whole messages against whole messages, in their order, by the
 * protocol's specification, version 1.68. The program is the launch of debugger_fixture.h; lines,
 * values and threads follow from tests/unit/debug/kernel.cu. */
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/debugger_fixture.h"
#include "grader/lab.h"

/* ---- a client ---- */

typedef struct {
    FILE *to, *from; /* the adapter's ends are in its thread */
    FILE *in, *out;
    pthread_t thread;
    lib_lang lang;
    int status, seq;
    int64_t heard; /* the sequence number of the last message */
} client;

static bool find_lab(debugger_target *t, const char *id, const char *file, lib_message *msg) {
    static const grade_lab lab = {.id = "a-lab"};
    static const char *const at[] = {"x"};
    static const debugger_opening opening = {at, 1, {"Words.", "话。"}};
    if (strcmp(id, lab.id) != 0) {
        char en[200], zh[200];
        snprintf(en, sizeof en, "there is no lab %s", id);
        snprintf(zh, sizeof zh, "没有实验 %s", id);
        tell(msg, en, zh);
        return false;
    }
    t->source = file ? file : "tests/unit/debug/kernel.cu";
    t->lab = &lab;
    t->opening = &opening;
    return true;
}

static void *adapter(void *user) {
    client *c = user;
    c->status = debugger_dap(c->in, c->out, c->lang, find_lab);
    fclose(c->out);
    return NULL;
}

static void begin(client *c, lib_lang lang) {
    int to[2], from[2];
    if (pipe(to) || pipe(from)) abort();
    *c = (client){.to = fdopen(to[1], "w"),
                  .in = fdopen(to[0], "r"),
                  .from = fdopen(from[0], "r"),
                  .out = fdopen(from[1], "w"),
                  .lang = lang};
    pthread_create(&c->thread, NULL, adapter, c);
}

static void say(client *c, const char *body) {
    fprintf(c->to, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    fflush(c->to);
}

/* The next message; NULL: the adapter has ended. */
static json_t *hear(client *c) {
    unsigned n = 0;
    if (fscanf(c->from, "Content-Length: %u", &n) != 1 || n > 100000) return NULL;
    char lines[4] = "";
    if (fread(lines, 1, 4, c->from) != 4 || memcmp(lines, "\r\n\r\n", 4) != 0) return NULL;
    char *text = malloc(n);
    json_t *o = fread(text, 1, n, c->from) == n ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    CHECK_INT(json_integer_value(json_object_get(o, "seq")), ++c->heard);
    return o;
}

/* The client goes: the adapter ends. */
static void end(client *c) {
    fclose(c->to);
    for (json_t *o; (o = hear(c));) json_decref(o);
    pthread_join(c->thread, NULL);
    fclose(c->from);
    fclose(c->in);
    CHECK_INT(c->status, 0);
}

/* The lanes of a warp as threads. */
static size_t put_lanes(char *to, unsigned warp) {
    size_t n = 0;
    for (unsigned l = 0; l < 32; l++)
        n += (size_t)sprintf(to + n, "%s{'id':%u,'name':'lane %u of warp %u: thread (%u,0,0)'}",
                             l ? "," : "", 10000 + 32 * warp + l, l, warp, 32 * warp + l);
    return n;
}

/* JSON with ' for ", $A and $C for the arrays' addresses, $DIR for the tree's folder, $0 and $1 for
 * the lanes of these warps. */
static json_t *json_of(const char *text) {
    static char copy[20000], folder[PATH_MAX];
    size_t n = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '$' && (p[1] == 'A' || p[1] == 'C'))
            n += (size_t)sprintf(copy + n, "0x%llx",
                                 (unsigned long long)(p[1] == 'A' ? in_a : in_c));
        else if (*p == '$' && p[1] == 'D')
            n += (size_t)sprintf(copy + n, "%s", getcwd(folder, sizeof folder));
        else if (*p == '$') n += put_lanes(copy + n, (unsigned)(p[1] - '0'));
        else copy[n++] = *p == '\'' ? '"' : *p;
        if (*p == '$') p += p[1] == 'D' ? 3 : 1;
    }
    copy[n] = 0;
    for (char *p = copy; *p; p++)
        if (*p == '\'') *p = '"';
    json_error_t why;
    json_t *o = json_loads(copy, JSON_DECODE_ANY, &why);
    if (!o) printf("# no JSON: %s: %s\n", why.text, copy);
    return o;
}

static void same(json_t *got, json_t *want, int line, const char *what) {
    char *why = got ? json_dumps(got, JSON_COMPACT) : NULL;
    check_that(got && want && json_equal(got, want), __FILE__, line, what, why ? why : "nothing");
    free(why);
    json_decref(got);
    json_decref(want);
}

/* One request, its answer, and the events that come then. */
typedef struct {
    const char *command, *arguments;
    const char *answer;    /* its body, or '!' and the message of a refusal; NULL: not looked at */
    const char *events[3]; /* NAME BODY; with < before it the first comes before the answer */
} request;

static void hear_event(client *c, const char *event, int line) {
    const char *body = strchr(event, ' ');
    json_t *want = json_pack("{s:s, s:s#, s:o}", "type", "event", "event", event,
                             (int)(body - event), "body", json_of(body + 1));
    json_t *got = hear(c);
    if (got) json_object_del(got, "seq");
    same(got, want, line, event);
}

static json_t *answer_of(const client *c, const request *r) {
    bool refused = r->answer[0] == '!';
    json_t *o = json_pack("{s:s, s:i, s:b, s:s}", "type", "response", "request_seq", c->seq,
                          "success", !refused, "command", r->command);
    if (refused) {
        json_object_set_new(o, "message", json_string(r->answer + 1));
        json_object_set_new(o, "body",
                            json_pack("{s:{s:i, s:s, s:b}}", "error", "id", 1, "format",
                                      r->answer + 1, "showUser", 1));
    } else {
        json_object_set_new(o, "body", json_of(r->answer));
    }
    return o;
}

static void ask(client *c, const request *r, int line) {
    json_t *o = json_pack("{s:i, s:s, s:s, s:o}", "seq", ++c->seq, "type", "request", "command",
                          r->command, "arguments", json_of(r->arguments));
    char *text = json_dumps(o, JSON_COMPACT);
    say(c, text);
    free(text);
    json_decref(o);
    bool early = r->events[0] && *r->events[0] == '<';
    if (early) hear_event(c, r->events[0] + 1, line);
    json_t *got = hear(c);
    if (got) json_object_del(got, "seq");
    if (r->answer) same(got, answer_of(c, r), line, r->command);
    else json_decref(got);
    for (size_t k = early; k < 3 && r->events[k]; k++) hear_event(c, r->events[k], line);
}
#define ASK(c, rows)                                                                               \
    for (size_t k_ = 0; k_ < sizeof(rows) / sizeof *(rows); k_++) ask(c, &(rows)[k_], __LINE__)

/* ---- sessions ---- */

#define KERNEL_CU "tests/unit/debug/kernel.cu"
#define NOTHING   "!nothing is stopped"

static const request before[] = {
    {"initialize",
     "{}",
     "{'supportsConfigurationDoneRequest': true, 'supportsFunctionBreakpoints': true,"
     "'supportsConditionalBreakpoints': true, 'supportsEvaluateForHovers': true,"
     "'supportsStepBack': true, 'supportsSteppingGranularity': true,"
     "'supportsDataBreakpoints': true, 'supportsExceptionInfoRequest': true,"
     "'supportsTerminateRequest': true, 'exceptionBreakpointFilters': [{'filter': 'findings',"
     "'label': 'Findings: races, bounds, barriers', 'default': true}]}",
     {"initialized {}"}},
    {"threads", "{}", "{'threads': [{'id': 1, 'name': 'program'}]}", {NULL}},
    {"stackTrace", "{'threadId': 1}", "{'stackFrames': [], 'totalFrames': 0}", {NULL}},
    {"scopes", "{'frameId': 1}", "{'scopes': []}", {NULL}},
    {"variables", "{'variablesReference': 1}", "{'variables': []}", {NULL}},
    {"evaluate", "{'expression': '1'}", NOTHING, {NULL}},
    {"continue", "{'threadId': 1}", NOTHING, {NULL}},
    {"stepBack", "{'threadId': 1}", NOTHING, {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'c[7]'}",
     "{'dataId': null, 'description': 'it lies in no memory'}",
     {NULL}},
    {"exceptionInfo",
     "{'threadId': 1}",
     "{'exceptionId': 'none', 'description': '', 'breakMode': 'always'}",
     {NULL}},
    {"modules", "{}", "!this request is not supported", {NULL}},
    {"pause", "{'threadId': 1}", "{}", {NULL}},
    {"launch",
     "{}",
     "!launch needs \"program\": a .cu file with a main(), or a program built with nvcc -G "
     "-cudart shared; or \"lab\"",
     {NULL}},
    {"launch",
     "{'program': '/no/where.cu'}",
     "!cannot read /no/where.cu: No such file or directory",
     {NULL}},
    {"launch",
     "{'program': '" KERNEL_CU "', 'device': 'gpu:0'}",
     "!\"device\" has to be a simulated one such as sim:h200, found gpu:0",
     {NULL}},
    {"launch",
     "{'program': '" KERNEL_CU "', 'device': 'sim:nosuch'}",
     "!\"device\" has to be a simulated one such as sim:h200, found sim:nosuch",
     {NULL}},
    {"launch", "{'lab': 'no-lab'}", "!there is no lab no-lab", {NULL}},
};

#define REFUSED_PLACE                                                                              \
    "{'verified': false, 'message': 'a place or expression of 1 to 255 characters is expected'}"
#define POINTS(list) "{'breakpoints': [" list "]}"
#define STOPPED(reason, thread, more)                                                              \
    "stopped {'reason': '" reason "', 'threadId': " #thread ", 'allThreadsStopped': true" more "}"
#define HIT(number) ", 'hitBreakpointIds': [" #number "]"
#define FRAME(id, name, line)                                                                      \
    "{'id': " #id ", 'name': '" name "', 'line': " #line ", 'column': 1,"                          \
    "'source': {'name': 'kernel.cu', 'path': '$DIR/" KERNEL_CU "'}}"
#define ONE_FRAME(id, name, line) "{'stackFrames': [" FRAME(id, name, line) "], 'totalFrames': 1}"
#define VALUE(text, type, name)                                                                    \
    "{'result': '" text "', 'type': '" type "', 'variablesReference': 0, 'evaluateName': '" name   \
    "'}"
#define VARIABLE(name, text, type, full, ref)                                                      \
    "{'name': '" name "', 'value': '" text "', 'type': '" type "', 'variablesReference': " #ref    \
    ", 'evaluateName': '" full "'}"
#define CONTINUED "{'allThreadsContinued': true}"

/* A frame is 64 * its thread + its level + 1: thread 10000 + 11 of the block 640705 and on. */
static const request session[] = {
    {"launch", "{'program': '" KERNEL_CU "', 'stopAtEnd': true}", "{}", {NULL}},
    {"launch", "{'program': '" KERNEL_CU "'}", "!launched already", {NULL}},
    /* those of a file, and functions, take the place of those before */
    {"setBreakpoints",
     "{'source': {'path': '/some/where/kernel.cu'}, 'breakpoints': [{'line': 13}]}",
     POINTS("{'id': 1, 'verified': true, 'line': 13}"),
     {NULL}},
    {"setBreakpoints",
     "{'source': {'path': 'el.cu'}, 'breakpoints': [{'line': 13}]}",
     POINTS("{'id': 2, 'verified': true, 'line': 13}"),
     {NULL}},
    {"setBreakpoints",
     "{'source': {'path': 'kernel.cu'}, 'breakpoints':"
     "[{'line': 25, 'condition': 'i == 75'}, {'line': 16, 'condition': 'i == 64'}]}",
     POINTS("{'id': 3, 'verified': true, 'line': 25}, {'id': 4, 'verified': true, 'line': "
            "16}"),
     {NULL}},
    /* not those of a file whose name is as long, nor of one whose name it begins with */
    {"setBreakpoints", "{'source': {'path': 'kernal.cu'}}", POINTS(""), {NULL}},
    {"setBreakpoints", "{'source': {'path': 'kernel'}}", POINTS(""), {NULL}},
    {"setFunctionBreakpoints",
     "{'breakpoints': [{'name': 'work'}, {'name': ''}]}",
     POINTS("{'id': 5, 'verified': true}, " REFUSED_PLACE),
     {NULL}},
    {"setFunctionBreakpoints",
     "{'breakpoints': [{'name': 'square', 'condition': 'threadIdx.x == 5'}]}",
     POINTS("{'id': 6, 'verified': true}"),
     {NULL}},
    {"setDataBreakpoints",
     "{'breakpoints': [{'dataId': 'c[8]'}]}",
     POINTS("{'id': 7, 'verified': true}"),
     {NULL}},
    {"setDataBreakpoints",
     "{'breakpoints': [{'dataId': 'c[7]', 'condition': 'i != 7'}]}",
     POINTS("{'id': 8, 'verified': true}"),
     {NULL}},
    {"setExceptionBreakpoints", "{'filters': ['other', 'findings']}", "{}", {NULL}},
    /* somebody asked for a pause before it ran */
    {"configurationDone", "{}", "{}", {STOPPED("pause", 10000, "")}},
    {"threads",
     "{}",
     "{'threads': [{'id': 1, 'name': 'warp 0, block (0,0,0)'}, {'id': 2, 'name': 'warp 1, "
     "block "
     "(0,0,0)'}, $0]}",
     {NULL}},
    {"stackTrace", "{'threadId': 10000}", ONE_FRAME(640001, "work", 13), {NULL}},
    {"stackTrace", "{'threadId': 1}", ONE_FRAME(65, "work", 13), {NULL}},
    {"stackTrace", "{'threadId': 2}", ONE_FRAME(129, "work", 13), {NULL}},
    {"threads",
     "{}",
     "{'threads': [{'id': 1, 'name': 'warp 0, block (0,0,0)'}, {'id': 2, 'name': 'warp 1, "
     "block "
     "(0,0,0)'}, $1]}",
     {NULL}},
    {"stackTrace", "{'threadId': 3}", "{'stackFrames': [], 'totalFrames': 0}", {NULL}},
    {"continue", "{'threadId': 1}", CONTINUED, {STOPPED("breakpoint", 10005, HIT(6))}},
    {"stackTrace",
     "{'threadId': 10005}",
     "{'stackFrames': [" FRAME(640321, "square", 9) "," FRAME(640322, "work",
                                                              25) "], 'totalFrames': 2}",
     {NULL}},
    {"evaluate", "{'expression': 'i', 'frameId': 640322}", VALUE("5", "int", "i"), {NULL}},
    {"evaluate", "{'expression': 'v', 'frameId': 640321}", VALUE("58", "float", "v"), {NULL}},
    {"evaluate", "{'expression': 'i', 'frameId': 640321}", "!there is no variable i here", {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'i', 'frameId': 640321}",
     "{'dataId': null, 'description': 'there is no variable i here'}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'v', 'frameId': 640322}",
     "{'dataId': null, 'description': 'there is no variable v here'}",
     {NULL}},
    {"continue", "{}", CONTINUED, {STOPPED("breakpoint", 10000, HIT(4))}},
    {"stackTrace", "{'threadId': 10000}", ONE_FRAME(640001, "work", 17), {NULL}},
    /* while it is stopped one knows which line has code */
    {"setBreakpoints",
     "{'source': {'path': '/x/kernel.cu'}, 'breakpoints':"
     "[{'line': 25, 'condition': 'i == 75'}, {'line': 16, 'condition': 'i == 64'}]}",
     POINTS("{'id': 9, 'verified': true, 'line': 25}, {'id': 10, 'verified': true, 'line': "
            "17}"),
     {NULL}},
    {"evaluate",
     "{'expression': 'lanes i'}",
     "{'result': '64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 "
     "88 89 90 91 "
     "92 93 94 95', 'variablesReference': 0}",
     {NULL}},
    {"evaluate",
     "{'expression': 'lanes 6 / threadIdx.x'}",
     "{'result': '- 6 3 2 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0', "
     "'variablesReference': 0}",
     {NULL}},
    {"evaluate", "{'expression': 'i', 'frameId': 640193}", VALUE("67", "int", "i"), {NULL}},
    {"continue", "{'threadId': 10000}", CONTINUED, {STOPPED("data breakpoint", 10036, HIT(8))}},
    {"stackTrace", "{'threadId': 10036}", ONE_FRAME(642305, "work", 31), {NULL}},
    /* a warp is the lane of it that is looked at already */
    {"stackTrace", "{'threadId': 2}", ONE_FRAME(129, "work", 31), {NULL}},
    {"evaluate", "{'expression': 'i'}", VALUE("100", "int", "i"), {NULL}},
    {"continue", "{}", CONTINUED, {STOPPED("breakpoint", 10011, HIT(9))}},
    {"threads", "{}", "{'threads': [{'id': 1, 'name': 'warp 0, block (1,0,0)'}, $0]}", {NULL}},
    /* to list them looks at none */
    {"evaluate", "{'expression': 'i'}", VALUE("75", "int", "i"), {NULL}},
    {"scopes",
     "{'frameId': 640705}",
     "{'scopes': [{'name': 'Locals', 'variablesReference': 1, 'expensive': false},"
     "{'name': 'Thread', 'variablesReference': 2, 'expensive': false},"
     "{'name': 'Shared', 'variablesReference': 3, 'expensive': false},"
     "{'name': 'Globals', 'variablesReference': 4, 'expensive': true},"
     "{'name': 'Registers', 'variablesReference': 5, 'expensive': true}]}",
     {NULL}},
    {"variables",
     "{'variablesReference': 1}",
     "{'variables': [" VARIABLE("a", "$A", "const float *", "a", 0) "," VARIABLE(
         "c", "$C", "float *", "c",
         0) "," VARIABLE("n", "120", "int", "n",
                         0) "," VARIABLE("p", "{x = 0.5, n = 100}", "pair", "p",
                                         6) "," VARIABLE("kept", "{0, 0.5, 1, 1.5}", "float[4]",
                                                         "kept",
                                                         7) "," VARIABLE("i", "75", "int", "i",
                                                                         0) "," VARIABLE("s",
                                                                                         "1"
                                                                                         "1"
                                                                                         "6",
                                                                                         "f"
                                                                                         "l"
                                                                                         "o"
                                                                                         "a"
                                                                                         "t",
                                                                                         "s",
                                                                                         0) "]}",
     {NULL}},
    {"variables",
     "{'variablesReference': 6}",
     "{'variables': [" VARIABLE("x", "0.5", "float", "p.x", 0) "," VARIABLE("n", "100", "int",
                                                                            "p.n", 0) "]}",
     {NULL}},
    {"variables",
     "{'variablesReference': 7, 'start': 1, 'count': 2}",
     "{'variables': [" VARIABLE("[1]", "0.5", "float", "kept[1]",
                                0) "," VARIABLE("[2]", "1", "float", "kept[2]", 0) "]}",
     {NULL}},
    {"variables",
     "{'variablesReference': 7, 'start': -3, 'count': 0}",
     "{'variables': [" VARIABLE("[0]", "0", "float", "kept[0]", 0) "," VARIABLE(
         "[1]", "0.5", "float", "kept[1]", 0) "," VARIABLE("[2]", "1", "float", "kept[2]",
                                                           0) "," VARIABLE("[3]", "1.5", "float",
                                                                           "kept[3]", 0) "]}",
     {NULL}},
    {"variables", "{'variablesReference': 3}", NULL, {NULL}},
    {"variables",
     "{'variablesReference': 8, 'start': 63}",
     "{'variables': [" VARIABLE("[63]", "127", "float", "tile[63]", 0) "]}",
     {NULL}},
    {"variables", "{'variablesReference': 4}", "{'variables': []}", {NULL}},
    {"variables", "{'variablesReference': 9}", "{'variables': []}", {NULL}},
    {"variables", "{'variablesReference': 0}", "{'variables': []}", {NULL}},
    {"variables",
     "{'variablesReference': 2}",
     "{'variables': [" VARIABLE("threadIdx.x", "11", "int", "threadIdx.x", 0) "," VARIABLE(
         "threadIdx.y", "0", "int", "threadIdx.y",
         0) "," VARIABLE("threadIdx.z", "0", "int", "threadIdx.z",
                         0) "," VARIABLE("blockIdx.x", "1", "int", "blockIdx.x",
                                         0) "," VARIABLE("blockIdx.y", "0", "int", "blockIdx.y",
                                                         0) "," VARIABLE("blockIdx.z", "0", "int",
                                                                         "blockIdx.z",
                                                                         0) "," VARIABLE("blockDim."
                                                                                         "x",
                                                                                         "64",
                                                                                         "int",
                                                                                         "blockDim."
                                                                                         "x",
                                                                                         0) "," VARIABLE("b"
                                                                                                         "l"
                                                                                                         "o"
                                                                                                         "c"
                                                                                                         "k"
                                                                                                         "D"
                                                                                                         "i"
                                                                                                         "m"
                                                                                                         "."
                                                                                                         "y",
                                                                                                         "1",
                                                                                                         "i"
                                                                                                         "n"
                                                                                                         "t",
                                                                                                         "b"
                                                                                                         "l"
                                                                                                         "o"
                                                                                                         "c"
                                                                                                         "k"
                                                                                                         "D"
                                                                                                         "i"
                                                                                                         "m"
                                                                                                         "."
                                                                                                         "y",
                                                                                                         0) "," VARIABLE("blockDim.z",
                                                                                                                         "1",
                                                                                                                         "int",
                                                                                                                         "blockDim.z",
                                                                                                                         0) "," VARIABLE("gridDim.x",
                                                                                                                                         "2",
                                                                                                                                         "int",
                                                                                                                                         "gridDim.x",
                                                                                                                                         0) "," VARIABLE("gridDim.y",
                                                                                                                                                         "1",
                                                                                                                                                         "int",
                                                                                                                                                         "gridDim.y",
                                                                                                                                                         0) "," VARIABLE("gridDim.z",
                                                                                                                                                                         "1",
                                                                                                                                                                         "int",
                                                                                                                                                                         "gridDim.z",
                                                                                                                                                                         0) "]}",
     {NULL}},
    /* what can be watched */
    {"dataBreakpointInfo",
     "{'name': 'x', 'variablesReference': 6}",
     "{'dataId': 'p.x', 'description': 'p.x', 'accessTypes': ['write']}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': '[2]', 'variablesReference': 7}",
     "{'dataId': 'kept[2]', 'description': 'kept[2]', 'accessTypes': ['write']}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'kept', 'variablesReference': 1}",
     "{'dataId': 'kept', 'description': 'kept', 'accessTypes': ['write']}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'i', 'variablesReference': 1}",
     "{'dataId': null, 'description': 'it lies in no memory'}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': 'nobody'}",
     "{'dataId': null, 'description': 'there is no variable nobody here'}",
     {NULL}},
    {"setDataBreakpoints",
     "{'breakpoints': [{'dataId': 'i'}]}",
     POINTS("{'verified': false, 'message': 'i lies in no memory (a register, or a value): "
            "watch an "
            "element of an array, or set a breakpoint with a condition'}"),
     {NULL}},
    /* by lines and by instructions, both ways */
    {"next",
     "{'threadId': 10011, 'granularity': 'instruction'}",
     "{}",
     {STOPPED("step", 10011, "")}},
    {"stackTrace", "{'threadId': 10011}", ONE_FRAME(640705, "work", 25), {NULL}},
    {"stepBack",
     "{'threadId': 10011, 'granularity': 'instruction'}",
     "{}",
     {STOPPED("step", 10011, "")}},
    {"stepIn", "{'threadId': 10011}", "{}", {STOPPED("breakpoint", 10005, HIT(6))}},
    {"stackTrace",
     "{'threadId': 10011}",
     "{'stackFrames': [" FRAME(640705, "square", 9) "," FRAME(640706, "work",
                                                              25) "], 'totalFrames': 2}",
     {NULL}},
    {"scopes", "{'frameId': 640705}", NULL, {NULL}},
    {"next", "{'threadId': 10011, 'granularity': 'line'}", "{}", {STOPPED("step", 10011, "")}},
    {"scopes", "{'frameId': 640705}", NULL, {NULL}},
    {"variables",
     "{'variablesReference': 1}",
     "{'variables': [" VARIABLE("v", "116", "float", "v", 0) "," VARIABLE("t", "13456", "float",
                                                                          "t", 0) "]}",
     {NULL}},
    {"stepOut", "{'threadId': 10011}", "{}", {STOPPED("step", 10011, "")}},
    {"stackTrace", "{'threadId': 10011}", ONE_FRAME(640705, "work", 25), {NULL}},
    {"next", "{'threadId': 10011}", "{}", {STOPPED("step", 10011, "")}},
    {"stackTrace", "{'threadId': 10011}", ONE_FRAME(640705, "work", 28), {NULL}},
    {"stepBack", "{'threadId': 10011}", "{}", {STOPPED("step", 10011, "")}},
    {"stackTrace", "{'threadId': 10011}", ONE_FRAME(640705, "work", 25), {NULL}},
    {"reverseContinue", "{'threadId': 10011}", "{}", {STOPPED("breakpoint", 10000, HIT(10))}},
    {"reverseContinue", "{'threadId': 10000}", "{}", {STOPPED("breakpoint", 10005, HIT(6))}},
    {"reverseContinue",
     "{}",
     "{}",
     {STOPPED("entry", 10000, ", 'description': 'the start of the launch'")}},
    {"setFunctionBreakpoints", "{}", POINTS(""), {NULL}},
    {"setBreakpoints", "{'source': {'path': 'kernel.cu'}}", POINTS(""), {NULL}},
    {"continue", "{}", CONTINUED, {STOPPED("entry", 1, ", 'description': 'the launch has ended'")}},
    {"threads", "{}", "{'threads': [{'id': 1, 'name': '_Z4workPKfPfi4pair'}]}", {NULL}},
    {"stackTrace", "{'threadId': 1}", "{'stackFrames': [], 'totalFrames': 0}", {NULL}},
    {"continue",
     "{}",
     CONTINUED,
     {"output {'category': 'stdout', 'output': '120 done\\n'}", "exited {'exitCode': 0}",
      "terminated {}"}},
    {"threads", "{}", "{'threads': [{'id': 1, 'name': 'program'}]}", {NULL}},
    {"next", "{}", NOTHING, {NULL}},
};

/* A finding is an exception, with its words; the registers of a function are all of its three. */
#define OUT_OF_BOUNDS_IN(file)                                                                                       \
    file " 第 28 行：核函数 _Z4workPKfPfi4pair 中，块 1 的线程 55 越界写 4 字节：紧接在地址 " \
         "0x300000000600 处的一块 476 字节的内存的末尾之后"
#define OUT_OF_BOUNDS OUT_OF_BOUNDS_IN("kernel.cu")
static const request chinese[] = {
    {"launch", "{'program': '" KERNEL_CU "', 'stopOnEntry': true}", "{}", {NULL}},
    {"launch", "{'program': '" KERNEL_CU "'}", "!程序已经启动过了", {NULL}},
    {"setFunctionBreakpoints",
     "{'breakpoints': [{'name': 'square', 'condition': 'threadIdx.x == 5'}]}",
     POINTS("{'id': 1, 'verified': true}"),
     {NULL}},
    {"setExceptionBreakpoints", "{'filters': ['other', 'findings']}", "{}", {NULL}},
    {"continue", "{}", "!程序没有停下", {NULL}},
    {"configurationDone", "{}", "{}", {STOPPED("entry", 10000, "")}},
    {"continue", "{}", CONTINUED, {STOPPED("breakpoint", 10005, HIT(1))}},
    {"next", "{'threadId': 10005}", "{}", {STOPPED("step", 10005, "")}},
    {"next",
     "{'threadId': 10005, 'granularity': 'instruction'}",
     "{}",
     {STOPPED("step", 10005, "")}},
    {"scopes",
     "{'frameId': 640321}",
     "{'scopes': [{'name': '局部变量', 'variablesReference': 1, 'expensive': false},"
     "{'name': '线程', 'variablesReference': 2, 'expensive': false},"
     "{'name': '共享内存', 'variablesReference': 3, 'expensive': false},"
     "{'name': '全局变量', 'variablesReference': 4, 'expensive': true},"
     "{'name': '寄存器', 'variablesReference': 5, 'expensive': true}]}",
     {NULL}},
    {"variables",
     "{'variablesReference': 5}",
     "{'variables': [{'name': '%f1', 'value': '58', 'type': '.f32', 'variablesReference': 0},"
     "{'name': '%f2', 'value': '3364', 'type': '.f32', 'variablesReference': 0},"
     "{'name': '%f3', 'value': '3364', 'type': '.f32', 'variablesReference': 0}]}",
     {NULL}},
    {"setFunctionBreakpoints", "{}", POINTS(""), {NULL}},
    {"continue", "{}", CONTINUED, {STOPPED("exception", 10055, ", 'text': '" OUT_OF_BOUNDS "'")}},
    {"exceptionInfo",
     "{}",
     "{'exceptionId': 'oob', 'description': '" OUT_OF_BOUNDS "', 'breakMode': 'always'}",
     {NULL}},
    {"stackTrace", "{'threadId': 10055}", ONE_FRAME(643521, "work", 28), {NULL}},
    /* a program may print what is no UTF-8 */
    {"continue",
     "{}",
     CONTINUED,
     {"output {'category': 'stdout', 'output': 'bad \xef\xbf\xbd( byte'}", "exited {'exitCode': 1}",
      "terminated {}"}},
};

/* Findings that nobody asked for do not stop. */
static const request no_findings[] = {
    {"setExceptionBreakpoints", "{'filters': ['other']}", "{}", {NULL}},
    {"launch", "{'program': '" KERNEL_CU "'}", "{}", {NULL}},
    {"configurationDone", "{}", "{}", {"exited {'exitCode': 0}", "terminated {}"}},
};

/* A source whose name is Latin-1: what names it is answered, with U+FFFD for the byte. */
#define LATIN "k\xef\xbf\xbdrnel.cu"
static const request no_utf8[] = {
    {"launch", "{'program': '" KERNEL_CU "'}", "{}", {NULL}},
    {"setExceptionBreakpoints", "{'filters': ['findings']}", "{}", {NULL}},
    {"configurationDone",
     "{}",
     "{}",
     {STOPPED("exception", 10055, ", 'text': '" OUT_OF_BOUNDS_IN(LATIN) "'")}},
    {"stackTrace",
     "{'threadId': 10055}",
     "{'stackFrames': [{'id': 643521, 'name': 'work', 'line': 28, 'column': 1,"
     "'source': {'name': '" LATIN "', 'path': '/src/" LATIN "'}}],"
     "'totalFrames': 1}",
     {NULL}},
    {"exceptionInfo",
     "{'threadId': 10055}",
     "{'exceptionId': 'oob', 'description': '" OUT_OF_BOUNDS_IN(LATIN) "', 'breakMode': 'always'}",
     {NULL}},
};

static const request does_not_compile[] = {
    {"launch",
     "{'program': '" KERNEL_CU "'}",
     "!it does not compile",
     {"<output {'category': 'stderr', 'output': 'kernel.cu(3): error\\n'}"}},
};
static const request cannot_run[] = {
    {"launch", "{'program': '" KERNEL_CU "'}", "{}", {NULL}},
    {"configurationDone",
     "{}",
     "{}",
     {"output {'category': 'stderr', 'output': 'there is no memory'}", "exited {'exitCode': 1}",
      "terminated {}"}},
};

/* The lesson's words, and a stop at its place. */
static const request lab[] = {
    {"launch", "{'lab': 'a-lab', 'case': 1000}", "{}", {NULL}},
    {"configurationDone",
     "{}",
     "{}",
     {"output {'category': 'console', 'output': 'Words.\\n'}",
      STOPPED("breakpoint", 10036, HIT(1))}},
    {"stackTrace", "{'threadId': 10036}", ONE_FRAME(642305, "work", 31), {NULL}},
};

/* Whose variables they are: thread 11 has 11 * 0.5 in all four, and thread 3 has 1.5. */
static const request own_kept[] = {
    {"launch", "{'program': '" KERNEL_CU "'}", "{}", {NULL}},
    {"setBreakpoints",
     "{'source': {'path': 'kernel.cu'}, 'breakpoints': [{'line': 25, 'condition': 'i == 75'}]}",
     POINTS("{'id': 1, 'verified': true, 'line': 25}"),
     {NULL}},
    {"configurationDone", "{}", "{}", {STOPPED("breakpoint", 10011, HIT(1))}},
    {"evaluate",
     "{'expression': 'kept'}",
     "{'result': '{5.5, 5.5, 5.5, 5.5}', 'type': 'float[4]', 'variablesReference': 1,"
     "'evaluateName': 'kept'}",
     {NULL}},
    {"variables",
     "{'variablesReference': 1, 'start': 3}",
     "{'variables': [" VARIABLE("[3]", "5.5", "float", "kept[3]", 0) "]}",
     {NULL}},
    {"evaluate",
     "{'expression': 'kept', 'frameId': 640193}",
     "{'result': '{1.5, 1.5, 1.5, 1.5}', 'type': 'float[4]', 'variablesReference': 2,"
     "'evaluateName': 'kept'}",
     {NULL}},
    {"variables",
     "{'variablesReference': 2, 'start': 3, 'count': 1}",
     "{'variables': [" VARIABLE("[3]", "1.5", "float", "kept[3]", 0) "]}",
     {NULL}},
    {"dataBreakpointInfo",
     "{'name': '[1]', 'variablesReference': 1}",
     "{'dataId': 'kept[1]', 'description': 'kept[1]', 'accessTypes': ['write']}",
     {NULL}},
};

/* What has parts can be opened if its expression is kept: up to 255 characters. */
static void test_long_expressions(client *c) {
    for (int n = 254; n <= 257; n++) {
        char arguments[400], answer[600];
        snprintf(arguments, sizeof arguments, "{'expression': '%*s'}", n, "kept");
        snprintf(answer, sizeof answer,
                 "{'result': '{1.5, 1.5, 1.5, 1.5}', 'type': 'float[4]', 'variablesReference': %d,"
                 "'evaluateName': '%*s'}",
                 n < 256 ? n - 254 + 3 : 0, n, "kept");
        const request r = {"evaluate", arguments, answer, {NULL}};
        ask(c, &r, __LINE__);
    }
}

/* At most 4096 can be opened between two stops, five of each scopes request. */
static void test_containers(client *c) {
    request r = {"scopes", "{'frameId': 640705}", NULL, {NULL}};
    for (int k = 0; k < 4095 / 5; k++) ask(c, &r, __LINE__);
    r.answer = "{'scopes': [{'name': 'Locals', 'variablesReference': 4096, 'expensive': false},"
               "{'name': 'Thread', 'variablesReference': 0, 'expensive': false},"
               "{'name': 'Shared', 'variablesReference': 0, 'expensive': false},"
               "{'name': 'Globals', 'variablesReference': 0, 'expensive': true},"
               "{'name': 'Registers', 'variablesReference': 0, 'expensive': true}]}";
    ask(c, &r, __LINE__);
    /* and what has parts is shown, but cannot be opened */
    static const request more = {
        "evaluate", "{'expression': 'p'}", VALUE("{x = 0.5, n = 100}", "pair", "p"), {NULL}};
    ask(c, &more, __LINE__);
}

/* The answer to `threads`. */
static json_t *threads_of(client *c) {
    const request r = {"threads", "{}", NULL, {NULL}};
    json_t *o =
        json_pack("{s:i, s:s, s:s}", "seq", ++c->seq, "type", "request", "command", r.command);
    char *text = json_dumps(o, JSON_COMPACT);
    say(c, text);
    free(text);
    json_decref(o);
    return hear(c);
}

/* Blocks of 64 x 2 x 3 threads: (11,1,2) is thread 11 + 64 * (1 + 2 * 2) = 331, lane 11 of warp 10,
 * and its frame 64 * 10331 + 1. */
static void test_blocks(void) {
    static const request rows[] = {
        {"launch", "{'program': '" KERNEL_CU "'}", "{}", {NULL}},
        {"setBreakpoints",
         "{'source': {'path': 'kernel.cu'}, 'breakpoints': [{'line': 25, 'condition':"
         "'i == 75 && threadIdx.y == 1 && threadIdx.z == 2 && blockIdx.y == 1 && blockIdx.z == 2'}]"
         "}",
         POINTS("{'id': 1, 'verified': true, 'line': 25}"),
         {NULL}},
        {"configurationDone", "{}", "{}", {STOPPED("breakpoint", 10331, HIT(1))}},
        {"stackTrace", "{'threadId': 10331}", ONE_FRAME(661185, "work", 25), {NULL}},
        /* lane 3's, 64 * 10323 + 1 */
        {"evaluate",
         "{'expression': 'threadIdx.x + 100 * threadIdx.y + 1000 * threadIdx.z', 'frameId': "
         "660673}",
         VALUE("2103", "int", "threadIdx.x + 100 * threadIdx.y + 1000 * threadIdx.z"),
         {NULL}},
    };
    client c;
    program.grid[1] = 2, program.grid[2] = 3, program.rows = 2, program.layers = 3;
    begin(&c, LIB_EN);
    ASK(&c, rows);
    /* warps in their order, those that have not ended, and then the lanes of this one */
    json_t *o = threads_of(&c), *list = json_object_get(json_object_get(o, "body"), "threads"),
           *one;
    size_t k, lane = 0;
    json_int_t last = 0;
    bool own = false;
    json_array_foreach(list, k, one) {
        json_int_t id = json_integer_value(json_object_get(one, "id"));
        char want[80];
        if (id < 10000) {
            CHECK(id > last && id <= 12 && !lane);
            snprintf(want, sizeof want, "warp %d, block (1,1,2)", (int)id - 1);
            own |= id == 1 + 10;
            last = id;
        } else {
            CHECK_INT(id, 10320 + lane);
            snprintf(want, sizeof want, "lane %zu of warp 10: thread (%zu,1,2)", lane, lane);
            lane++;
        }
        CHECK_STR(json_string_value(json_object_get(one, "name")), want);
    }
    CHECK(own);
    CHECK_INT(lane, 32);
    json_decref(o);
    end(&c);
    program.grid[1] = program.grid[2] = program.rows = program.layers = 1;
}

/* What a launch request says is what is built: the first 64 of its arguments; a lab's case from 1
 * to 1000, and else the one that it opens with. */
static void test_launch(void) {
    static const struct {
        const char *device, *number;
        size_t want;
    } rows[] = {{"", "1", 1},    {"sim:h200", "1000", 1000},
                {"", "1001", 0}, {"sim:rtx4090", "0", 0},
                {"", "-1", 0},   {"", "null", 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        client c;
        char arguments[4000], path[PATH_MAX];
        size_t n = (size_t)snprintf(arguments, sizeof arguments,
                                    "{'lab': 'a-lab', 'device': '%s', 'case': %s, 'optimised': %s, "
                                    "'args': [7",
                                    rows[k].device, rows[k].number, k % 2 ? "true" : "false");
        for (int i = 1; i < 64 + (int)k; i++) /* 64 and more */
            n += (size_t)snprintf(arguments + n, sizeof arguments - n, ", 'argument %d'", i);
        snprintf(arguments + n, sizeof arguments - n, "]}");
        const request r = {"launch", arguments, "{}", {NULL}};
        begin(&c, LIB_ZH);
        ask(&c, &r, __LINE__);
        const debugger_target *t = program.built ? program.built->t : NULL;
        if (CHECK(t != NULL)) {
            CHECK_STR(t->shown, "a-lab");
            CHECK_STR(t->source, realpath(KERNEL_CU, path));
            CHECK(t->program == NULL);
            CHECK_STR(t->device, *rows[k].device ? rows[k].device : "sim:h200");
            CHECK_INT(t->number, rows[k].want);
            CHECK_INT(t->optimised, k % 2);
            CHECK_INT(t->lang, LIB_ZH);
            CHECK_INT(t->mode, SANDBOX_IF_ANY);
            CHECK(program.built->quiet);
            CHECK_STR(t->arguments[0], ""); /* no text */
            CHECK_STR(t->arguments[63], "argument 63");
            CHECK(t->arguments[64] == NULL);
        }
        end(&c);
    }
}

/* A file of at least one letter before .cu is source, and all else a program that is there. */
static void test_programs(void) {
    char folder[] = "/tmp/warplab-dap-XXXXXX", path[PATH_MAX], real[PATH_MAX];
    static const struct {
        const char *name;
        bool source;
    } rows[] = {{"x.cu", true}, {".cu", false}, {"cu", false}, {"x.cv", false}};
    int here = open(".", O_RDONLY | O_DIRECTORY);
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK(here >= 0)) return;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        client c;
        char arguments[200];
        snprintf(path, sizeof path, "%s/%s", folder, rows[k].name);
        fclose(fopen(path, "w"));
        snprintf(arguments, sizeof arguments, "{'program': '%s', 'cwd': '%s'}", rows[k].name,
                 folder);
        const request r = {"launch", arguments, "{}", {NULL}};
        begin(&c, LIB_EN);
        ask(&c, &r, __LINE__);
        if (CHECK(realpath(path, real) != NULL)) {
            const debugger_target *t = program.built->t;
            CHECK_STR(t->shown, real);
            CHECK_STR(rows[k].source ? t->source : t->program, real);
            CHECK((rows[k].source ? t->program : t->source) == NULL);
        }
        end(&c);
        CHECK_INT(fchdir(here), 0);
        unlink(path);
    }
    close(here);
    rmdir(folder);
}

/* The adapter ends though the client stays. Its reader waits on, so nothing is closed. */
static void test_leave(const request *rows, size_t count, const char *command) {
    static client left[4];
    static unsigned n;
    client *c = &left[n++];
    begin(c, LIB_EN);
    for (size_t k = 0; k < count; k++) ask(c, &rows[k], __LINE__);
    const request r = {command, "{}", "{}", {NULL}};
    ask(c, &r, __LINE__);
    CHECK(hear(c) == NULL);
    pthread_join(c->thread, NULL);
    CHECK_INT(c->status, 0);
}

/* Headers but the length mean nothing, in any case of letters, with either end of line; a message
 * has 16 MiB at most. */
static void test_headers(void) {
    static const char body[] = "{\"seq\":7,\"command\":\"modules\"}";
    static const struct {
        const char *head; /* with a body of 29 bytes */
        bool good;
        int blanks; /* behind the body */
    } rows[] = {{"Content-Length: 29\r\n\r\n", true, 0},
                {"content-length:29\n\n", true, 0},
                {"Content-Type: x\r\nContent-Length: 29\r\nOther: 1\r\n\r\n", true, 0},
                {"\r\n\nContent-Length: 29\r\n\r\n", true, 0},
                /* what asks nothing is not answered */
                {"Content-Length: 2\r\n\r\n{}Content-Length: 29\r\n\r\n", true, 0},
                {"Content-Length: 28\r\n\r\n", false, 0},
                {"Content-Length: 30\r\n\r\n", false, 0}, /* it is cut short */
                {"Content-Length: 0\r\n\r\n", false, 0},
                {"Content-Length: 16777216\r\n\r\n", true, (16 << 20) - 29},
                {"Content-Length: 16777217\r\n\r\n", false, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        client c;
        begin(&c, LIB_EN);
        fprintf(c.to, "%s%s%*s", rows[k].head, body, rows[k].blanks, "");
        fclose(c.to);
        json_t *o = hear(&c);
        CHECK_INT(o != NULL, rows[k].good);
        CHECK_INT(json_integer_value(json_object_get(o, "request_seq")), rows[k].good ? 7 : 0);
        json_decref(o);
        pthread_join(c.thread, NULL);
        fclose(c.from);
        fclose(c.in);
    }
}

int main(void) {
    client c;
    program.grid[0] = 2, program.grid[1] = program.grid[2] = program.rows = program.layers = 1;
    begin(&c, LIB_EN);
    ASK(&c, before);
    program.kept_output = "120 done\n";
    ASK(&c, session);
    end(&c);
    program.kept_output = "bad \xc3\x28 byte", program.how = "signal 9", program.bounds = true;
    begin(&c, LIB_ZH);
    ASK(&c, chinese);
    end(&c);
    program.kept_output = program.how = NULL;
    begin(&c, LIB_EN);
    ASK(&c, no_findings);
    end(&c);
    program.file = "/src/k\xe9rnel.cu";
    begin(&c, LIB_ZH);
    ASK(&c, no_utf8);
    end(&c);
    program.file = NULL;
    program.bounds = false, program.log = "kernel.cu(3): error\n";
    begin(&c, LIB_EN);
    ASK(&c, does_not_compile);
    program.log = NULL, program.fails = "there is no memory";
    ASK(&c, cannot_run);
    end(&c);
    program.fails = NULL, program.opening = 31;
    begin(&c, LIB_EN);
    ASK(&c, lab);
    end(&c);
    program.opening = 0, program.own_kept = true;
    begin(&c, LIB_EN);
    ASK(&c, own_kept);
    test_long_expressions(&c);
    end(&c);
    program.own_kept = false;
    begin(&c, LIB_EN);
    for (size_t k = 0; k < 3; k++) ask(&c, &own_kept[k], __LINE__);
    test_containers(&c);
    end(&c);
    test_blocks();
    test_launch();
    test_programs();
    test_headers();
    test_leave(NULL, 0, "disconnect");
    test_leave(NULL, 0, "terminate");
    test_leave(own_kept, 3, "disconnect"); /* while it is stopped */
    return check_done();
}
