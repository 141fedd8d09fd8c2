/* The Debug Adapter Protocol, version 1.68, on two streams.
 *
 *   in --reader: a thread--> queue of requests --dap_serve()--> answers and events --> out
 *   configurationDone --> target_go() --stop--> dap_stopped(): requests until one goes on
 *
 * The reader has its own thread, so that `pause` and `disconnect` work while a launch runs.
 * Everything else runs in one thread. The protocol's threads are the warps of the block that runs,
 * and the lanes of the selected warp. */
#include "runner/debugger/debugger.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/paths.h"
#include "grader/json/json.h"
#include "runner/debugger/target.h"
#include "words/debugger.h"

enum {
    MOST_BYTES = 16 << 20, /* of a message */
    MOST_HEADER = 4096,
    LEVELS = 64,       /* frames of a thread */
    LANE_ID = 10000,   /* thread ids: 1 + warp; LANE_ID + thread of the block */
    CONTAINERS = 4096, /* expandable variables between two stops */
    MOST_PARTS = 1000,
    ARGUMENTS = 64,
    NAME = 256
};

/* ---- messages ---- */

typedef struct queued {
    struct queued *next;
    json_t *message;
} queued;

typedef enum {
    HOLDS_PARAMETERS,
    HOLDS_SHARED,
    HOLDS_GLOBALS,
    HOLDS_REGISTERS,
    HOLDS_THREAD,
    HOLDS_PARTS
} holds;
typedef struct {
    holds what;
    long frame;
    char expression[NAME]; /* PARTS */
} container;

typedef struct {
    FILE *in, *out;
    lib_lang lang;
    /* the reader's queue */
    pthread_mutex_t lock;
    pthread_cond_t came;
    queued *first, *last;
    bool closed; /* there will be no more requests */
    sim_debug *debug;
    /* the session */
    int64_t seq;
    debugger_target target;
    target_run run;
    debugger_lab *lab;               /* finds the lab of a launch request */
    char *source, *program, *device; /* of the launch request */
    char *arguments[ARGUMENTS + 1];
    bool launched, configured, stopped, quit;
    sim_stop stop;
    char *finding; /* the finding's text */
    container *containers;
    size_t container_count;
    long focused; /* the thread that was selected last */
} dap;

static void dap_send(dap *s, json_t *message) {
    json_object_set_new(message, "seq", json_integer(++s->seq));
    char *text = json_dumps(message, JSON_COMPACT);
    if (text) fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(s->out);
    free(text);
    json_decref(message);
}

/* Takes ownership of `body`. */
static void dap_event(dap *s, const char *name, json_t *body) {
    dap_send(s, json_pack("{s:s, s:s, s:o}", "type", "event", "event", name, "body",
                          body ? body : json_object()));
}

static void dap_answer(dap *s, const json_t *request, json_t *body) {
    dap_send(s, json_pack("{s:s, s:I, s:b, s:s, s:o}", "type", "response", "request_seq",
                          json_integer_value(json_object_get(request, "seq")), "success", 1,
                          "command", json_string_value(json_object_get(request, "command")), "body",
                          body ? body : json_object()));
}

static void dap_refuse(dap *s, const json_t *request, lib_words words) {
    char *why = lib_words_take(s->lang, words);
    dap_send(s, json_pack("{s:s, s:I, s:b, s:s, s:o, s:{s:{s:i, s:o, s:b}}}", "type", "response",
                          "request_seq", json_integer_value(json_object_get(request, "seq")),
                          "success", 0, "command",
                          json_string_value(json_object_get(request, "command")), "message",
                          json_exact(why), "body", "error", "id", 1, "format", json_exact(why),
                          "showUser", 1));
    free(why);
}

static void dap_output(dap *s, const char *category, const char *text) {
    dap_event(s, "output",
              json_pack("{s:s, s:o}", "category", category, "output", json_exact(text)));
}

/* ---- the reader ---- */

/* Returns the length of the next message; 0 if there is none. */
static size_t read_header(FILE *in) {
    char line[MOST_HEADER];
    size_t n = 0;
    while (fgets(line, sizeof line, in)) {
        if (!strcmp(line, "\r\n") || !strcmp(line, "\n")) {
            if (n) return n <= MOST_BYTES ? n : 0;
            continue;
        }
        if (!strncasecmp(line, "Content-Length:", 15)) n = strtoul(line + 15, NULL, 10);
    }
    return 0;
}

static json_t *read_message(FILE *in) {
    size_t n = read_header(in);
    char *text = n ? malloc(n) : NULL;
    json_t *o = text && fread(text, 1, n, in) == n ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    return o;
}

static void *reader(void *user) {
    dap *s = user;
    for (;;) {
        json_t *m = read_message(s->in);
        queued *q = m ? malloc(sizeof *q) : NULL;
        const char *command = m ? json_string_value(json_object_get(m, "command")) : NULL;
        bool now = !command || !strcmp(command, "pause") || !strcmp(command, "disconnect") ||
                   !strcmp(command, "terminate");
        pthread_mutex_lock(&s->lock);
        if (q) {
            *q = (queued){.message = m};
            if (s->last) s->last->next = q;
            else s->first = q;
            s->last = q;
        } else {
            json_decref(m);
            s->closed = true;
        }
        pthread_cond_signal(&s->came);
        pthread_mutex_unlock(&s->lock);
        if (now) sim_debug_pause(s->debug);
        if (!q) return NULL;
    }
}

/* Returns the next request; NULL if the client is gone. */
static json_t *dap_next(dap *s) {
    pthread_mutex_lock(&s->lock);
    while (!s->first && !s->closed) pthread_cond_wait(&s->came, &s->lock);
    queued *q = s->first;
    if (q && !(s->first = q->next)) s->last = NULL;
    pthread_mutex_unlock(&s->lock);
    json_t *m = q ? q->message : NULL;
    free(q);
    return m;
}

/* ---- arguments ---- */

static const json_t *argument(const json_t *request, const char *name) {
    return json_object_get(json_object_get(request, "arguments"), name);
}
static const char *text_argument(const json_t *request, const char *name) {
    const char *text = json_string_value(argument(request, name));
    return text ? text : "";
}
static long number_argument(const json_t *request, const char *name) {
    return (long)json_integer_value(argument(request, name));
}

/* ---- starting ---- */

static void on_initialize(dap *s, const json_t *request) {
    static const char *const can[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsEvaluateForHovers",
                                      "supportsStepBack",
                                      "supportsSteppingGranularity",
                                      "supportsDataBreakpoints",
                                      "supportsExceptionInfoRequest",
                                      "supportsTerminateRequest"};
    json_t *o = json_object();
    for (size_t k = 0; k < sizeof can / sizeof *can; k++)
        json_object_set_new(o, can[k], json_true());
    json_object_set_new(o, "exceptionBreakpointFilters",
                        json_pack("[{s:s, s:s, s:b}]", "filter", "findings", "label",
                                  lib_word(s->lang, W_DEBUGGER_DAP_FINDINGS), "default", 1));
    dap_answer(s, request, o);
    dap_event(s, "initialized", NULL);
}

static void take_arguments(dap *s, const json_t *request) {
    for (char **a = s->arguments; *a; *a++ = NULL) free(*a);
    const json_t *list = argument(request, "args");
    size_t n = json_array_size(list);
    for (size_t k = 0; k < n && k < ARGUMENTS; k++) {
        const char *text = json_string_value(json_array_get(list, k));
        s->arguments[k] = lib_strdup(text ? text : "");
    }
}

/* Handles "lab" instead of a program, or with the .cu file that is its submission. Returns false if
 * it was refused. */
static bool take_lab(dap *s, const json_t *request, const char *id, const char *file) {
    lib_message msg = {0};
    long number = number_argument(request, "case");
    s->target.number = number > 0 && number <= 1000 ? (size_t)number : 0;
    if (s->lab && s->lab(&s->target, id, *file ? file : NULL, &msg)) {
        s->source = realpath(s->target.source, NULL);
        return true;
    }
    dap_refuse(s, request, lib_message_words(&msg));
    return false;
}

/* Reports how the lab's call ended. */
static void dap_call_ended(void *user, const grade_case_result *c) {
    dap *s = user;
    lib_buffer line = {0};
    lib_words_put(&line, s->lang,
                  c->pass ? lib_words_of(W_DEBUGGER_OUTPUTS_RIGHT)
                          : lib_message_words(&c->message));
    lib_buffer_puts(&line, "\n");
    if (!line.failed) dap_output(s, "console", line.s);
    lib_buffer_free(&line);
}

static void on_launch(dap *s, const json_t *request) {
    lib_message msg = {0};
    const char *what = text_argument(request, "program"), *lab = text_argument(request, "lab"),
               *device = text_argument(request, "device"), *cwd = text_argument(request, "cwd");
    size_t n = strlen(what);
    if (s->launched || (!n && !*lab)) {
        dap_refuse(s, request,
                   lib_words_of(s->launched ? W_DEBUGGER_DAP_LAUNCHED_ALREADY
                                            : W_DEBUGGER_DAP_LAUNCH_NEEDS));
        return;
    }
    bool is_source = n > 3 && !strcmp(what + n - 3, ".cu");
    if ((*cwd && chdir(cwd)) || (n && access(what, R_OK))) {
        lib_message_set(&msg, w_debugger_cannot_read(what, errno));
        dap_refuse(s, request, lib_message_words(&msg));
        return;
    }
    if (*device && (strncmp(device, "sim:", 4) || !build_arch(device))) {
        lib_message_set(&msg, w_debugger_dap_device(device));
        dap_refuse(s, request, lib_message_words(&msg));
        return;
    }
    s->target = (debugger_target){.mode = SANDBOX_IF_ANY};
    if (*lab && !take_lab(s, request, lab, what)) return;
    take_arguments(s, request);
    s->target.optimised = json_is_true(argument(request, "optimised"));
    if (!*lab) *(is_source ? &s->source : &s->program) = realpath(what, NULL);
    s->device = lib_strdup(*device ? device : "sim:h200");
    s->target.shown = *lab ? s->target.lab->id : is_source ? s->source : s->program;
    s->target.source = s->source;
    s->target.program = s->program;
    s->target.arguments = s->arguments;
    s->target.device = s->device;
    s->target.lang = s->lang;
    s->run = (target_run){
        .t = &s->target, .debug = s->debug, .quiet = true, .ended = dap_call_ended, .user = s};
    sim_debug_stop_at(s->debug, json_is_true(argument(request, "stopOnEntry")),
                      json_is_true(argument(request, "stopAtEnd")));
    char *log;
    bool ok = target_build(&s->run, &log, &msg);
    if (log && *log) dap_output(s, "stderr", log);
    free(log);
    s->launched = ok;
    if (!ok) {
        free(s->source), free(s->program), free(s->device);
        s->source = s->program = s->device = NULL;
    }
    if (ok) dap_answer(s, request, NULL);
    else dap_refuse(s, request, lib_message_words(&msg));
}

/* ---- breakpoints ---- */

/* Removes the old breakpoints before new ones are set: those of a file, those on functions, or
 * watchpoints. */
static void drop_points(dap *s, bool watch, const char *file) {
    sim_point p;
    for (size_t k = sim_debug_points(s->debug); k-- > 0;) {
        sim_debug_point(s->debug, k, &p);
        const char *colon = strrchr(p.text, ':');
        bool line = colon != NULL, same = line && file &&
                                          strlen(file) == (size_t)(colon - p.text) &&
                                          !strncmp(file, p.text, strlen(file));
        if (p.watch == watch && (watch || (file ? same : !line)))
            sim_debug_delete(s->debug, p.number);
    }
}

static json_t *dap_words(const dap *s, lib_words words) {
    char *text = lib_words_take(s->lang, words);
    json_t *o = json_exact(text);
    free(text);
    return o;
}

static json_t *point_state(const dap *s, unsigned number, const lib_message *msg, long line) {
    if (!number)
        return json_pack("{s:b, s:o}", "verified", 0, "message",
                         dap_words(s, lib_message_words(msg)));
    sim_point p;
    for (size_t k = 0; s->stopped && k < sim_debug_points(s->debug); k++) {
        sim_debug_point(s->debug, k, &p);
        if (p.number == number && p.line) line = p.line;
    }
    json_t *o = json_pack("{s:i, s:b}", "id", (int)number, "verified", 1);
    if (line) json_object_set_new(o, "line", json_integer(line));
    return o;
}

static void on_breakpoints(dap *s, const json_t *request, const char *list_name,
                           const char *field) {
    const json_t *list = argument(request, list_name), *one;
    const char *path = json_string_value(json_object_get(argument(request, "source"), "path"));
    const char *slash = path ? strrchr(path, '/') : NULL, *file = slash ? slash + 1 : path;
    bool lines = !strcmp(field, "line"), watch = !strcmp(field, "dataId");
    json_t *all = json_array();
    size_t i;
    if (lines && !file) file = "?";
    drop_points(s, watch, lines ? file : NULL);
    json_array_foreach(list, i, one) {
        lib_message msg = {0};
        const char *condition = json_string_value(json_object_get(one, "condition"));
        const char *text = json_string_value(json_object_get(one, field));
        long line = (long)json_integer_value(json_object_get(one, "line"));
        char *at = lines ? lib_format("%s:%ld", file, line) : lib_strdup(text ? text : "");
        unsigned n = (watch ? sim_debug_watch : sim_debug_break)(s->debug, at, condition, &msg);
        json_array_append_new(all, point_state(s, n, &msg, lines ? line : 0));
        free(at);
    }
    dap_answer(s, request, json_pack("{s:o}", "breakpoints", all));
}

static void on_exception_breakpoints(dap *s, const json_t *request) {
    const json_t *filters = argument(request, "filters");
    bool on = false;
    for (size_t k = 0; k < json_array_size(filters); k++) {
        const char *name = json_string_value(json_array_get(filters, k));
        on |= name && !strcmp(name, "findings");
    }
    sim_debug_stop_at_findings(s->debug, on);
    dap_answer(s, request, NULL);
}

/* ---- threads and frames ---- */

typedef struct {
    json_t *list;
    unsigned last;
    bool any;
} thread_list;

static void add_warp(void *user, unsigned warp, sim_lanes_state_of state, const sim_place *p) {
    thread_list *t = user;
    if (state == SIM_LANES_EXITED || (t->any && t->last == warp)) return;
    char name[96];
    snprintf(name, sizeof name, "warp %u, block (%u,%u,%u)", warp, p->block[0], p->block[1],
             p->block[2]);
    t->any = true;
    t->last = warp;
    json_array_append_new(t->list, json_pack("{s:i, s:s}", "id", (int)warp + 1, "name", name));
}

static unsigned linear_thread(const dap *s, const sim_place *p) {
    return p->thread[0] + s->stop.block[0] * (p->thread[1] + s->stop.block[1] * p->thread[2]);
}

static void on_threads(dap *s, const json_t *request) {
    thread_list t = {.list = json_array()};
    sim_place p, here;
    if (s->stopped) sim_debug_each_place(s->debug, add_warp, &t);
    if (s->stopped && sim_debug_frame(s->debug, 0, &here)) {
        unsigned first = linear_thread(s, &here) / SIM_WARP_LANES * SIM_WARP_LANES,
                 keep = here.lane;
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
            lib_message ignored = {0};
            char name[96];
            if (!sim_debug_focus_lane(s->debug, here.warp, l, &ignored) ||
                !sim_debug_frame(s->debug, 0, &p))
                continue;
            snprintf(name, sizeof name, "lane %u of warp %u: thread (%u,%u,%u)", l, p.warp,
                     p.thread[0], p.thread[1], p.thread[2]);
            json_array_append_new(
                t.list, json_pack("{s:i, s:s}", "id", (int)(LANE_ID + first + l), "name", name));
        }
        lib_message ignored;
        sim_debug_focus_lane(s->debug, here.warp, keep, &ignored);
    }
    if (!json_array_size(t.list))
        json_array_append_new(t.list,
                              json_pack("{s:i, s:o}", "id", 1, "name",
                                        json_exact(s->stopped ? s->stop.kernel : "program")));
    dap_answer(s, request, json_pack("{s:o}", "threads", t.list));
}

/* Selects a thread: a lane, or the first active lane of a warp. */
static bool take_thread(dap *s, long id) {
    lib_message ignored = {0};
    sim_place p;
    if (id >= LANE_ID) {
        unsigned t = (unsigned)(id - LANE_ID);
        return sim_debug_focus_lane(s->debug, t / SIM_WARP_LANES, t % SIM_WARP_LANES, &ignored);
    }
    unsigned warp = (unsigned)(id - 1);
    if (sim_debug_frame(s->debug, 0, &p) && p.warp == warp) return true;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        if (sim_debug_focus_lane(s->debug, warp, l, &ignored)) return true;
    return false;
}

/* Frame ids: thread * LEVELS + level + 1. */
static bool take_frame(dap *s, long frame) {
    if (frame <= 0) return true; /* the selected frame */
    return take_thread(s, (frame - 1) / LEVELS) &&
           sim_debug_select(s->debug, (unsigned)((frame - 1) % LEVELS));
}

/* nvcc saw a lab's file in another folder. */
static json_t *frame_source(const dap *s, const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *own = s->source ? strrchr(s->source, '/') : NULL;
    bool mine = own && !strcmp(own + 1, base);
    return json_pack("{s:o, s:o}", "name", json_exact(base), "path",
                     json_exact(mine ? s->source : file));
}

static void on_stack(dap *s, const json_t *request) {
    long id = number_argument(request, "threadId");
    json_t *frames = json_array();
    sim_place p;
    if (s->stopped && take_thread(s, id))
        for (unsigned level = 0; level < LEVELS && sim_debug_frame(s->debug, level, &p); level++) {
            json_t *f = json_pack(
                "{s:I, s:o, s:i, s:i}", "id", (json_int_t)(id * LEVELS + level + 1), "name",
                json_exact(p.function), "line", (int)p.line, "column", p.line ? 1 : 0);
            if (p.line) json_object_set_new(f, "source", frame_source(s, p.file));
            json_array_append_new(frames, f);
        }
    size_t n = json_array_size(frames);
    dap_answer(s, request,
               json_pack("{s:o, s:I}", "stackFrames", frames, "totalFrames", (json_int_t)n));
}

/* ---- variables ---- */

static int container_new(dap *s, holds what, long frame, const char *expression) {
    if (s->container_count == CONTAINERS || strlen(expression) >= NAME) return 0;
    container *c = &s->containers[s->container_count++];
    *c = (container){.what = what, .frame = frame};
    snprintf(c->expression, sizeof c->expression, "%s", expression);
    return (int)s->container_count;
}

static void on_scopes(dap *s, const json_t *request) {
    static const struct {
        holds what;
        lib_word_id name;
        bool expensive;
    } scopes[] = {{HOLDS_PARAMETERS, W_DEBUGGER_SCOPE_LOCALS, false},
                  {HOLDS_THREAD, W_DEBUGGER_SCOPE_THREAD, false},
                  {HOLDS_SHARED, W_DEBUGGER_SCOPE_SHARED, false},
                  {HOLDS_GLOBALS, W_DEBUGGER_SCOPE_GLOBALS, true},
                  {HOLDS_REGISTERS, W_DEBUGGER_SCOPE_REGISTERS, true}};
    long frame = number_argument(request, "frameId");
    json_t *all = json_array();
    for (size_t k = 0; s->stopped && k < sizeof scopes / sizeof *scopes; k++) {
        int ref = container_new(s, scopes[k].what, frame, "");
        json_array_append_new(
            all, json_pack("{s:s, s:i, s:b}", "name", lib_word(s->lang, scopes[k].name),
                           "variablesReference", ref, "expensive", (int)scopes[k].expensive));
    }
    dap_answer(s, request, json_pack("{s:o}", "scopes", all));
}

typedef struct {
    dap *s;
    json_t *list;
    const container *of;
    long frame;
} variable_list;

static void nothing(void *user, const char *name, const sim_value *v) {
    (void)user, (void)name, (void)v;
}

static json_t *value_object(dap *s, long frame, const char *expression, const sim_value *v,
                            const char *name_field, const char *name, const char *value_field) {
    char text[600], type[120];
    sim_debug_value_text(s->debug, -1, v, text, sizeof text);
    sim_debug_type_text(s->debug, v, type, sizeof type);
    size_t parts =
        v->kind == SIM_VALUE_OTHER ? sim_debug_parts(s->debug, -1, v, 0, 0, nothing, NULL) : 0;
    int ref = parts ? container_new(s, HOLDS_PARTS, frame, expression) : 0;
    json_t *o =
        json_pack("{s:o, s:o, s:i, s:o}", value_field, json_exact(text), "type", json_exact(type),
                  "variablesReference", ref, "evaluateName", json_exact(expression));
    if (o && name_field) json_object_set_new(o, name_field, json_exact(name));
    if (o && parts > 100)
        json_object_set_new(o, "indexedVariables", json_integer((json_int_t)parts));
    return o ? o : json_object();
}

static void add_variable(void *user, const char *name, const sim_value *v) {
    variable_list *l = user;
    char expression[NAME * 2];
    const char *parent = l->of->what == HOLDS_PARTS ? l->of->expression : "";
    snprintf(expression, sizeof expression, "%s%s%s", parent, *parent && *name != '[' ? "." : "",
             name);
    if (v) {
        json_array_append_new(l->list,
                              value_object(l->s, l->frame, expression, v, "name", name, "value"));
    } else {
        json_array_append_new(l->list,
                              json_pack("{s:o, s:s, s:i}", "name", json_exact(name), "value",
                                        lib_word(l->s->lang, W_DEBUGGER_NOT_SET_HERE),
                                        "variablesReference", 0));
    }
}

static void add_register(void *user, const char *name, const char *type, const char *value) {
    const variable_list *l = user;
    json_array_append_new(l->list, json_pack("{s:o, s:o, s:o, s:i}", "name", json_exact(name),
                                             "value", json_exact(value), "type", json_exact(type),
                                             "variablesReference", 0));
}

static void add_builtins(variable_list *l) {
    static const char *const names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x",
                                        "blockIdx.y",  "blockIdx.z",  "blockDim.x",  "blockDim.y",
                                        "blockDim.z",  "gridDim.x",   "gridDim.y",   "gridDim.z"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sim_value v;
        lib_message ignored = {0};
        if (sim_debug_eval(l->s->debug, -1, names[k], &v, &ignored)) add_variable(l, names[k], &v);
    }
}

static void on_variables(dap *s, const json_t *request) {
    long ref = number_argument(request, "variablesReference"),
         start = number_argument(request, "start"), count = number_argument(request, "count");
    variable_list l = {.s = s, .list = json_array()};
    if (s->stopped && ref > 0 && (size_t)ref <= s->container_count) {
        container c = s->containers[ref - 1];
        sim_value v;
        lib_message ignored = {0};
        l.of = &c;
        l.frame = c.frame;
        if (count <= 0 || count > MOST_PARTS) count = MOST_PARTS;
        if (start < 0) start = 0;
        take_frame(s, c.frame);
        switch (c.what) {
        case HOLDS_PARAMETERS:
            sim_debug_each_variable(s->debug, SIM_VARS_PARAMETERS, add_variable, &l);
            sim_debug_each_variable(s->debug, SIM_VARS_LOCALS, add_variable, &l);
            break;
        case HOLDS_SHARED:
            sim_debug_each_variable(s->debug, SIM_VARS_SHARED, add_variable, &l);
            break;
        case HOLDS_GLOBALS:
            sim_debug_each_variable(s->debug, SIM_VARS_GLOBALS, add_variable, &l);
            break;
        case HOLDS_REGISTERS: sim_debug_each_register(s->debug, add_register, &l); break;
        case HOLDS_THREAD: add_builtins(&l); break;
        case HOLDS_PARTS:
            if (sim_debug_eval(s->debug, -1, c.expression, &v, &ignored))
                sim_debug_parts(s->debug, -1, &v, (size_t)start, (size_t)count, add_variable, &l);
            break;
        }
    }
    dap_answer(s, request, json_pack("{s:o}", "variables", l.list));
}

/* Writes a row of 32 values. */
static char *evaluate_lanes(dap *s, const char *expression) {
    lib_buffer b = {0};
    for (int l = 0; l < SIM_WARP_LANES; l++) {
        sim_value v;
        lib_message msg = {0};
        char text[64] = "-";
        if (sim_debug_eval(s->debug, l, expression, &v, &msg))
            sim_debug_value_text(s->debug, l, &v, text, sizeof text);
        lib_buffer_printf(&b, "%s%s", l ? " " : "", text);
    }
    return lib_buffer_take(&b);
}

static void on_evaluate(dap *s, const json_t *request) {
    const char *text = text_argument(request, "expression");
    long frame = number_argument(request, "frameId");
    sim_value v;
    lib_message msg = {0};
    if (!s->stopped) {
        dap_refuse(s, request, lib_words_of(W_DEBUGGER_NOTHING_STOPPED));
        return;
    }
    take_frame(s, frame);
    if (!strncmp(text, "lanes ", 6)) {
        char *row = evaluate_lanes(s, text + 6);
        dap_answer(s, request,
                   json_pack("{s:o, s:i}", "result", json_exact(row), "variablesReference", 0));
        free(row);
    } else if (sim_debug_eval(s->debug, -1, text, &v, &msg)) {
        dap_answer(s, request, value_object(s, frame, text, &v, NULL, NULL, "result"));
    } else {
        dap_refuse(s, request, lib_message_words(&msg));
    }
}

static void on_data_info(dap *s, const json_t *request) {
    const char *name = text_argument(request, "name");
    long ref = number_argument(request, "variablesReference");
    char expression[NAME * 2];
    const container *c =
        ref > 0 && (size_t)ref <= s->container_count ? &s->containers[ref - 1] : NULL;
    const char *parent = c && c->what == HOLDS_PARTS ? c->expression : "";
    snprintf(expression, sizeof expression, "%s%s%s", parent, *parent && *name != '[' ? "." : "",
             name);
    sim_value v;
    lib_message msg = {0};
    take_frame(s, c ? c->frame : number_argument(request, "frameId"));
    bool ok = s->stopped && sim_debug_eval(s->debug, -1, expression, &v, &msg) && v.address;
    if (!ok) {
        dap_answer(s, request,
                   json_pack("{s:n, s:o}", "dataId", "description",
                             dap_words(s, lib_message_any(&msg)
                                              ? lib_message_words(&msg)
                                              : lib_words_of(W_DEBUGGER_DAP_IN_NO_MEMORY))));
        return;
    }
    dap_answer(s, request,
               json_pack("{s:o, s:o, s:[s]}", "dataId", json_exact(expression), "description",
                         json_exact(expression), "accessTypes", "write"));
}

static void on_exception_info(dap *s, const json_t *request) {
    dap_answer(s, request,
               json_pack("{s:s, s:o, s:s}", "exceptionId",
                         s->stop.finding ? sim_finding_name(s->stop.finding->kind) : "none",
                         "description", json_exact(s->finding), "breakMode", "always"));
}

/* ---- requests ---- */

/* Requests after which the program continues. */
static const struct {
    const char *command;
    sim_go how, by_instruction;
} ways[] = {{"continue", SIM_GO_CONTINUE, SIM_GO_CONTINUE},
            {"next", SIM_GO_NEXT, SIM_GO_STEPI},
            {"stepIn", SIM_GO_STEP, SIM_GO_STEPI},
            {"stepOut", SIM_GO_FINISH, SIM_GO_FINISH},
            {"stepBack", SIM_GO_REVERSE_NEXT, SIM_GO_BACK},
            {"reverseContinue", SIM_GO_REVERSE_CONTINUE, SIM_GO_REVERSE_CONTINUE}};

static bool is_step(const char *command) {
    bool any = false;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        any |= !strcmp(ways[k].command, command);
    return any;
}

/* Returns true if the program continues. Refuses a request that is impossible here. */
static bool goes_on(dap *s, const json_t *request, const char *command) {
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (strcmp(ways[k].command, command)) continue;
        sim_go how = !strcmp(text_argument(request, "granularity"), "instruction")
                         ? ways[k].by_instruction
                         : ways[k].how;
        if (!s->stopped || (how >= SIM_GO_BACK && !sim_debug_can_go_back(s->debug))) {
            dap_refuse(s, request,
                       lib_words_of(s->stopped ? W_DEBUGGER_DAP_CANNOT_GO_BACK
                                               : W_DEBUGGER_NOTHING_STOPPED));
            return false;
        }
        if (argument(request, "threadId")) take_thread(s, number_argument(request, "threadId"));
        sim_debug_go(s->debug, how);
        json_t *body =
            !strcmp(command, "continue") ? json_pack("{s:b}", "allThreadsContinued", 1) : NULL;
        dap_answer(s, request, body);
        return true;
    }
    return false;
}

static bool ends(dap *s, const json_t *request, const char *command) {
    if (strcmp(command, "disconnect") && strcmp(command, "terminate")) return false;
    s->quit = true;
    if (s->stopped) sim_debug_go(s->debug, SIM_GO_ABORT);
    dap_answer(s, request, NULL);
    return true;
}

static bool answers(dap *s, const json_t *request, const char *command) {
    static const struct {
        const char *command;
        void (*fn)(dap *s, const json_t *request);
    } table[] = {{"initialize", on_initialize},
                 {"launch", on_launch},
                 {"threads", on_threads},
                 {"stackTrace", on_stack},
                 {"scopes", on_scopes},
                 {"variables", on_variables},
                 {"evaluate", on_evaluate},
                 {"dataBreakpointInfo", on_data_info},
                 {"exceptionInfo", on_exception_info},
                 {"setExceptionBreakpoints", on_exception_breakpoints}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(table[k].command, command)) {
            table[k].fn(s, request);
            return true;
        }
    if (!strcmp(command, "setBreakpoints")) on_breakpoints(s, request, "breakpoints", "line");
    else if (!strcmp(command, "setFunctionBreakpoints"))
        on_breakpoints(s, request, "breakpoints", "name");
    else if (!strcmp(command, "setDataBreakpoints"))
        on_breakpoints(s, request, "breakpoints", "dataId");
    else if (!strcmp(command, "pause")) dap_answer(s, request, NULL);
    else return false;
    return true;
}

/* Serves requests until the program may continue, or before it runs until it may start. */
static void dap_serve(dap *s) {
    for (;;) {
        json_t *request = dap_next(s);
        const char *command =
            request ? json_string_value(json_object_get(request, "command")) : NULL;
        bool leave = false;
        if (!request) {
            s->quit = leave = true;
            if (s->stopped) sim_debug_go(s->debug, SIM_GO_ABORT);
        } else if (!command) {
            /* no request: an answer that was not asked for */
        } else if (!strcmp(command, "configurationDone")) {
            dap_answer(s, request, NULL);
            s->configured = true;
        } else if (ends(s, request, command) || goes_on(s, request, command)) {
            leave = true;
        } else if (!answers(s, request, command) && !is_step(command)) {
            dap_refuse(s, request, lib_words_of(W_DEBUGGER_DAP_NOT_SUPPORTED));
        }
        json_decref(request);
        if (leave || (!s->stopped && s->launched && s->configured)) return;
    }
}

/* ---- stops ---- */

static const char *stop_reason(sim_stop_reason r) {
    switch (r) {
    case SIM_STOP_LAUNCH: return "entry";
    case SIM_STOP_BREAK: return "breakpoint";
    case SIM_STOP_WATCH: return "data breakpoint";
    case SIM_STOP_FINDING: return "exception";
    case SIM_STOP_PAUSE: return "pause";
    case SIM_STOP_START:
    case SIM_STOP_END: return "entry";
    default: return "step";
    }
}

static void dap_stopped(void *user, sim_debug *d, const sim_stop *e) {
    dap *s = user;
    sim_place p;
    bool fatal = e->reason == SIM_STOP_END && e->finding;
    if (s->quit) {
        sim_debug_go(d, SIM_GO_ABORT);
        return;
    }
    s->stop = *e;
    s->stopped = true;
    s->container_count = 0;
    free(s->finding);
    s->finding = e->finding ? grade_finding_text(e->finding, s->lang) : NULL;
    long id = sim_debug_frame(d, 0, &p) ? (long)(LANE_ID + linear_thread(s, &p)) : 1;
    json_t *o = json_pack("{s:s, s:I, s:b}", "reason", fatal ? "exception" : stop_reason(e->reason),
                          "threadId", (json_int_t)id, "allThreadsStopped", 1);
    if (e->reason == SIM_STOP_END)
        json_object_set_new(o, "description",
                            json_string(lib_word(s->lang, W_DEBUGGER_DAP_LAUNCH_ENDED)));
    if (e->reason == SIM_STOP_START)
        json_object_set_new(o, "description",
                            json_string(lib_word(s->lang, W_DEBUGGER_DAP_LAUNCH_START)));
    if (s->finding) json_object_set_new(o, "text", json_exact(s->finding));
    if (e->number) json_object_set_new(o, "hitBreakpointIds", json_pack("[i]", (int)e->number));
    dap_event(s, "stopped", o);
    dap_serve(s);
    s->stopped = false;
}

/* ---- a session ---- */

/* Prints the lesson's words and sets a breakpoint at its place. The client has set its own before;
 * setting them removes others. */
static void open_at_place(dap *s) {
    lib_message ignored;
    unsigned line = target_opening(&s->target);
    char *text = lib_format("%s\n", s->target.opening->text[s->lang]), at[24];
    dap_output(s, "console", text);
    free(text);
    snprintf(at, sizeof at, "%u", line);
    if (line) sim_debug_break(s->debug, at, "", &ignored);
}

static void dap_run(dap *s) {
    lib_message msg = {0};
    if (s->target.opening) open_at_place(s);
    bool ok = target_go(&s->run, &msg);
    if (s->run.output && *s->run.output) dap_output(s, "stdout", s->run.output);
    if (!ok && lib_message_any(&msg)) {
        char *why = lib_words_take(s->lang, lib_message_words(&msg));
        dap_output(s, "stderr", why);
        free(why);
    }
    if (s->quit) return;
    dap_event(s, "exited",
              json_pack("{s:i}", "exitCode", ok && !lib_message_any(&s->run.how) ? 0 : 1));
    dap_event(s, "terminated", NULL);
    s->configured = false; /* only `disconnect` can still come */
    while (!s->quit) dap_serve(s);
}

static void dap_free(dap *s) {
    target_free(&s->run);
    for (char **a = s->arguments; *a; a++) free(*a);
    free(s->finding);
    free(s->source);
    free(s->program);
    free(s->device);
    free(s->containers);
    sim_debug_free(s->debug);
    free(s);
}

int debugger_dap(FILE *in, FILE *out, lib_lang lang, debugger_lab *lab) {
    dap *s = calloc(1, sizeof *s);
    pthread_t thread;
    if (!s) return 3;
    s->in = in, s->out = out, s->lang = lang, s->lab = lab;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->came, NULL);
    s->debug = sim_debug_new(dap_stopped, s);
    s->containers = calloc(CONTAINERS, sizeof *s->containers);
    if (!s->debug || !s->containers || pthread_create(&thread, NULL, reader, s)) {
        dap_free(s);
        return 3;
    }
    sim_debug_stop_at(s->debug, false, false);
    dap_serve(s);
    if (!s->quit) dap_run(s);
    pthread_mutex_lock(&s->lock);
    bool closed = s->closed;
    pthread_mutex_unlock(&s->lock);
    if (!closed) {
        /* The reader may still wait for a client that stays connected. It ends with the process. */
        pthread_detach(thread);
        return 0;
    }
    pthread_join(thread, NULL);
    dap_free(s);
    return 0;
}
