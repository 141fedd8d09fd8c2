/* The buffers of one case. On the device they have the names of the lab's arguments, so that
 * findings can name `b`. They are filled before every call, and only the grader reads them back.
 * Elements that were never written still contain the device's poison, so "never written" differs
 * from "wrong". */
#include "grader/judge/buffers.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/judge/compare.h"
#include "grader/lab/inputs.h"
#include "words/judge.h"

static const uint64_t MAX_BYTES = (uint64_t)1 << 34;

static bool scalar(const grade_arg *a, double v, dev_arg *out, lib_message *msg) {
    static const double lo[] = {-128, 0, -32768, 0, -2147483648.0, 0, -0x1p53, 0},
                        hi[] = {127, 255, 32767, 65535, 2147483647, 4294967295, 0x1p53, 0x1p53};
    if (a->type < GRADE_F16 && (v != (double)(int64_t)v || v < lo[a->type] || v > hi[a->type])) {
        lib_message_set(msg, w_judge_value_beyond_type(a->name, v));
        return false;
    }
    switch (a->type) {
    case GRADE_I8:
    case GRADE_I16:
    case GRADE_I32: *out = (dev_arg){.kind = DEV_ARG_I32, .v.i32 = (int32_t)v}; return true;
    case GRADE_U8:
    case GRADE_U16:
    case GRADE_U32: *out = (dev_arg){.kind = DEV_ARG_U32, .v.u32 = (uint32_t)v}; return true;
    case GRADE_I64: *out = (dev_arg){.kind = DEV_ARG_I64, .v.i64 = (int64_t)v}; return true;
    case GRADE_U64: *out = (dev_arg){.kind = DEV_ARG_U64, .v.u64 = (uint64_t)v}; return true;
    case GRADE_F32: *out = (dev_arg){.kind = DEV_ARG_F32, .v.f32 = (float)v}; return true;
    case GRADE_F64: *out = (dev_arg){.kind = DEV_ARG_F64, .v.f64 = v}; return true;
    case GRADE_F16: break;
    }
    lib_message_set(msg, w_judge_no_half_by_value(a->name));
    return false;
}

static bool new_buffer(grade_buffers *b, size_t i, lib_message *msg) {
    const grade_arg *a = &b->lab->args[i];
    grade_buffer *f = &b->buffer[i];
    f->arg = a;
    if (!grade_expr_count(a->count, a->name, b->params, b->param_count, &f->count, msg))
        return false;
    if (a->ops && !grade_expr_eval(a->ops, b->params, b->param_count, &f->ops, msg)) return false;
    if (a->row && !grade_expr_count(a->row, a->name, b->params, b->param_count, &f->row, msg))
        return false;
    f->bytes = f->count * grade_type_size(a->type);
    if (f->bytes > MAX_BYTES) {
        lib_message_set(msg, w_judge_buffer_too_large(a->name));
        return false;
    }
    (a->role == GRADE_OUTPUT ? &b->out_bytes : &b->in_bytes)[0] += (double)f->bytes;
    if (a->role == GRADE_INOUT) b->out_bytes += (double)f->bytes;
    /* an empty buffer needs an address, too */
    uint64_t room = f->bytes ? f->bytes : grade_type_size(a->type);
    f->in = calloc(1, room);
    f->student = a->role == GRADE_INPUT ? NULL : calloc(1, room);
    f->baseline = a->role == GRADE_INPUT ? NULL : calloc(1, room);
    if (!f->in || (a->role != GRADE_INPUT && (!f->student || !f->baseline))) {
        lib_message_set(msg, w_judge_no_memory_for(a->name));
        return false;
    }
    if (a->host) {
        b->args[i] = (dev_arg){.kind = DEV_ARG_HOST, .bytes = room, .pinned = a->pinned};
        return true;
    }
    sim_status s = dev_alloc(b->session, room, a->name, &f->addr);
    if (s != SIM_OK) {
        lib_message_set(msg,
                        w_judge_no_device_memory(a->name, (long long)room, sim_status_message(s)));
        return false;
    }
    b->args[i] = (dev_arg){.kind = DEV_ARG_PTR, .v.addr = f->addr};
    return true;
}

uint64_t buffers_bytes(const grade_lab *lab, const grade_param *params, size_t n) {
    enum { UNIT = 4096 }; /* a page of page-locked memory; distance of allocations */
    uint64_t all = 0;
    for (size_t i = 0; i < lab->arg_count; i++) {
        const grade_arg *a = &lab->args[i];
        lib_message msg = {0};
        uint64_t count = 0;
        if (a->role == GRADE_SCALAR) continue;
        if (!grade_expr_count(a->count, a->name, params, n, &count, &msg)) return 0;
        if (count > MAX_BYTES / grade_type_size(a->type)) return 0;
        all += count * grade_type_size(a->type) / UNIT * UNIT + 2 * UNIT;
    }
    return all;
}

bool buffers_new(grade_buffers *b, const grade_lab *lab, dev_session *s, const grade_param *params,
                 size_t n, lib_message *msg) {
    *b = (grade_buffers){.lab = lab, .session = s, .params = params, .param_count = n};
    b->buffer = calloc(lab->arg_count + 1, sizeof *b->buffer);
    b->args = calloc(lab->arg_count + 1, sizeof *b->args);
    if (!b->buffer || !b->args) {
        lib_message_set(msg, w_judge_no_memory());
        return false;
    }
    for (size_t i = 0; i < lab->arg_count; i++) {
        double v = 0;
        if (lab->args[i].role != GRADE_SCALAR) {
            if (!new_buffer(b, i, msg)) return false;
        } else if ((lab->args[i].value &&
                    !grade_expr_eval(lab->args[i].value, params, n, &v, msg)) ||
                   !scalar(&lab->args[i], v, &b->args[i], msg))
            return false;
    }
    return true;
}

void buffers_free(grade_buffers *b) {
    for (size_t i = 0; b->buffer && i < b->lab->arg_count; i++) {
        grade_buffer *f = &b->buffer[i];
        if (f->addr) dev_free(b->session, f->addr);
        free(f->in);
        free(f->student);
        free(f->baseline);
    }
    free(b->buffer);
    free(b->args);
    *b = (grade_buffers){0};
}

void buffers_number(grade_buffers *b, unsigned serial) {
    b->serial = serial;
    for (size_t i = 0; i < b->lab->arg_count; i++)
        if (b->args[i].kind == DEV_ARG_HOST) b->args[i].serial = serial;
}

void buffers_keep_some(grade_buffers *b, const grade_buffers *earlier, uint64_t seed,
                       const char *label, grade_extremes extremes) {
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i], *e = &earlier->buffer[i];
        if (!f->arg || f->arg->role == GRADE_OUTPUT || f->count != e->count) continue;
        grade_keep_some(b->lab, i, b->params, b->param_count, f->count, seed, label, extremes,
                        e->in, f->in);
    }
}

bool buffers_draw(grade_buffers *b, uint64_t seed, const char *label, grade_extremes extremes,
                  lib_message *msg) {
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        grade_buffer *f = &b->buffer[i];
        if (!f->arg || f->arg->role == GRADE_OUTPUT) continue;
        if (!grade_fill_extremes(b->lab, i, b->params, b->param_count, f->count, seed, label,
                                 extremes, f->in, msg))
            return false;
    }
    return true;
}

static bool device_failed(lib_message *msg, const char *name, sim_status s) {
    lib_message_set(msg, w_judge_device_failed(name, sim_status_message(s)));
    return false;
}

bool buffers_load(grade_buffers *b, lib_message *msg) {
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        grade_buffer *f = &b->buffer[i];
        if (!f->arg || f->arg->host) continue;
        sim_status s = SIM_OK;
        if (f->arg->role != GRADE_OUTPUT)
            s = f->bytes ? dev_write(b->session, f->addr, f->in, f->bytes) : SIM_OK;
        else {
            uint64_t room = f->bytes ? f->bytes : grade_type_size(f->arg->type);
            s = dev_poison(b->session, f->addr, room);
            uint64_t known = f->bytes < GRADE_POISON_BYTES ? f->bytes : GRADE_POISON_BYTES;
            f->has_poison =
                s == SIM_OK && known && dev_read(b->session, f->poison, f->addr, known) == SIM_OK;
        }
        if (s != SIM_OK) return device_failed(msg, f->arg->name, s);
    }
    return true;
}

void buffers_fill_host(void *buffers, dev_client *c) {
    grade_buffers *b = buffers;
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        grade_buffer *f = &b->buffer[i];
        void *at = f->arg && f->arg->host ? dev_client_host(c, i) : NULL;
        if (!at || !f->bytes) continue;
        if (f->arg->role != GRADE_OUTPUT) memcpy(at, f->in, f->bytes);
        else {
            memset(f->poison, 0xA5, sizeof f->poison);
            memset(at, 0xA5, f->bytes);
            f->has_poison = true;
        }
    }
}

bool buffers_collect(grade_buffers *b, dev_client *c, bool student, const grade_arg **changed,
                     lib_message *msg) {
    *changed = NULL;
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        grade_buffer *f = &b->buffer[i];
        if (!f->arg || !f->bytes) continue;
        bool input = f->arg->role == GRADE_INPUT;
        void *to = input ? malloc(f->bytes) : student ? f->student : f->baseline;
        if (!to) {
            lib_message_set(msg, w_judge_no_memory());
            return false;
        }
        sim_status s = SIM_OK;
        const void *host = f->arg->host ? dev_client_left(c, i) : NULL;
        if (!f->arg->host) s = dev_read(b->session, to, f->addr, f->bytes);
        else if (host) memcpy(to, host, f->bytes);
        else s = SIM_NOT_FOUND;
        if (s == SIM_OK && input && !*changed && memcmp(to, f->in, f->bytes) != 0)
            *changed = f->arg;
        if (input) free(to);
        if (s != SIM_OK) return device_failed(msg, f->arg->name, s);
    }
    return true;
}

void case_name(const grade_param *params, size_t n, char *out, size_t size) {
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        char num[32];
        size_t len = strlen(out);
        lib_say(out + len, size - len, "%s%s = %s", i ? ", " : "", params[i].name,
                lib_number(num, params[i].value));
    }
}

void fail_case(grade_case_result *c, lib_words why) {
    char name[160];
    lib_message reason;
    c->pass = false;
    if (lib_message_any(&c->message)) return;
    case_name(c->params, c->param_count, name, sizeof name);
    lib_message_set(&reason, why);
    lib_message_set(&c->message, w_judge_case(name, &reason));
}

bool buffers_compare(const grade_buffers *b, grade_case_result *c) {
    bool right = true;
    c->compared = false;
    c->blank = true;
    for (size_t i = 0; i < b->lab->arg_count; i++) {
        const grade_buffer *f = &b->buffer[i];
        if (!f->arg || f->arg->role == GRADE_INPUT || !f->bytes) continue;
        if (b->proof && f->arg->host && !f->arg->pinned) continue;
        grade_diff d;
        grade_compare(f->arg, f->ops, f->row, f->student, f->baseline, f->count,
                      f->has_poison ? f->poison : NULL, &d);
        if (d.max_error > c->max_error) c->max_error = d.max_error;
        c->wrong += d.wrong;
        c->compared = true;
        c->blank = c->blank && d.blank && f->arg->role == GRADE_OUTPUT;
        c->total += f->count;
        if (!d.wrong || !right) continue; /* only the first wrong output is described */
        right = false;
        c->has_mismatch = true;
        c->mismatch_arg = f->arg->name;
        c->index = d.first;
        c->expected = d.expected;
        c->actual = d.actual;
        SAY(c->expected_text, "%s", d.expected_text);
        SAY(c->actual_text, "%s", d.actual_text);
        c->unwritten = d.unwritten == d.wrong;
        lib_say(c->picture, sizeof c->picture, "%s", d.picture);
        lib_words (*differs)(const char *output, long long index, const char *expected,
                             const char *found, long long wrong, long long all) =
            c->unwritten ? w_judge_output_never_written : w_judge_output_differs;
        fail_case(c, differs(f->arg->name, (long long)d.first, d.expected_text, d.actual_text,
                             (long long)d.wrong, (long long)f->count));
    }
    return right;
}
