/* What the device counted and found, as JSON. Reports of a grading and `profile --json` once had
 * separate writers; the keys of both are kept because other programs read them. */
#include "grader/json/json.h"

#include <stdlib.h>
#include "grader/result.h"

json_t *json_counters(const sim_counters *c, bool zeros, bool derived) {
    json_t *o = json_object();
#define COUNTER(field, unit, ncu)                                                                  \
    if (zeros || c->field) json_set(o, #field, json_u64(c->field));
#include "runner/device/sim/counters.def"
#undef COUNTER
    for (size_t i = 0; derived && i < sim_counter_count(); i++) {
        double v = 0;
        const sim_counter_info *info = sim_counter_at(i);
        if (info->derived && sim_counter_get(c, info->name, &v) && (v != 0 || zeros))
            json_set(o, info->name, json_value(v));
    }
    return o;
}

json_t *json_line(const sim_line *l) {
    json_t *o = json_object(), *c = json_counters(&l->counters, false, false);
    json_set(o, "file", json_text(l->file));
    json_set(o, "line", json_integer(l->line));
    json_object_update(o, c);
    json_decref(c);
    return o;
}

static const char *access_word(bool write) {
    return write ? "write" : "read";
}

static json_t *allocation_json(const sim_finding *f) {
    json_t *o = json_object();
    json_set(o, "base", json_address(f->alloc_base));
    json_set(o, "bytes", json_u64(f->alloc_size));
    json_set(o, "name", json_text(f->alloc_name));
    return o;
}

/* Adds the other participant: the other access of a race, or the threads that wait elsewhere. */
static void set_other(json_t *o, const sim_finding *f) {
    json_t *other = json_object();
    json_set(other, "thread", json_three(f->other_thread));
    json_set(other, "file", json_text(f->other_file));
    json_set(other, "line", json_integer(f->other_line));
    json_set(other, "access", json_string(access_word(f->other_write)));
    json_set(o, "other", other);
    if (!f->other_line) return;
    json_set(o, "other_file", json_text(f->other_file));
    json_set(o, "other_line", json_integer(f->other_line));
    json_set(o, "other_thread", json_three(f->other_thread));
}

json_t *json_finding(const sim_finding *f) {
    json_t *o = json_object();
    sim_finding once = *f;
    once.count = 1; /* the count has its own key */
    json_t *texts = json_object();
    for (int l = 0; l < LIB_LANGS; l++) {
        char *text = grade_finding_text(&once, (lib_lang)l);
        json_set(texts, lib_lang_name((lib_lang)l), json_text(text));
        free(text);
    }
    json_set(o, "kind", json_text(sim_finding_name(f->kind)));
    json_set(o, "text", json_incref(json_object_get(texts, lib_lang_name(LIB_EN))));
    json_set(o, "texts", texts);
    json_set(o, "count", json_u64(f->count));
    json_set(o, "kernel", json_text(f->kernel));
    json_set(o, "block", json_three(f->block));
    json_set(o, "thread", json_three(f->thread));
    json_set(o, "file", json_text(f->file));
    json_set(o, "line", json_integer(f->line));
    json_set(o, "space", json_text(f->space));
    json_set(o, "write", json_boolean(f->write));
    if (f->space && *f->space) json_set(o, "access", json_string(access_word(f->write)));
    json_set(o, "bytes", json_integer(f->bytes));
    if (f->address) json_set(o, "address", json_address(f->address));
    json_set(o, "alloc", json_text(f->alloc_name));
    if (f->alloc_base) json_set(o, "allocation", allocation_json(f));
    if (f->kind == SIM_FIND_RACE || f->other_line) set_other(o, f);
    return o;
}
