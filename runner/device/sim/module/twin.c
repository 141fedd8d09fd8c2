/* See twin.h. */
#include "runner/device/sim/module/twin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/native/native.h"
#include "words/module.h"
#include "words/base.h"

enum {
    BANK_FIRST = 2,
    BANK_LAST = SIM_TRANSLATE_BANKS - 1,
    BANK_CONSTANTS = 3,
    BANK_ADDRESSES = 4
};

/* Returns the module's machine code, read on first need. */
static const sass_module *machine_of(sim_module *m, lib_message *msg) {
    const sim_profile *p = m->device->profile;
    unsigned arch = p->compile_arch;
    lib_message *why = &m->machine_why;
    if (!m->machine_known) {
        m->machine_known = true;
        if (m->machine_text) m->machine = sass_read(m->machine_text, m->machine_len, why);
        else lib_message_set(why, w_module_no_machine_text(arch));
        if (m->machine && m->machine->arch != arch) {
            lib_message_set(why, w_module_machine_of_other_sm(m->machine->arch, arch));
            sass_free(m->machine);
            m->machine = NULL;
        }
        free(m->machine_text);
        m->machine_text = NULL;
    }
    if (!m->machine) *msg = *why;
    return m->machine;
}

/* Puts the variables' values or addresses, found by name in the program's module, into the bank's
 * bytes. */
static bool fill_bank(sim_module *m, sim_cubin_bank *b) {
    for (size_t k = 0; k < b->name_count; k++) {
        const sim_cubin_name *n = &b->names[k];
        sim_addr a = SIM_TRANSLATE_PRINTF;
        uint64_t bytes;
        if (n->function) {
            if (!strcmp(n->name, "vprintf")) memcpy(b->bytes + n->at, &a, sizeof a);
            continue;
        }
        if (sim_module_symbol(m, n->name, &a, &bytes) != SIM_OK) return false;
        if (n->address) {
            a += (uint64_t)n->addend;
            memcpy(b->bytes + n->at, &a, sizeof a);
        } else if (bytes < n->bytes ||
                   sim_memory_read(m->device->memory, b->bytes + n->at, a, n->bytes) != SIM_OK) {
            return false;
        }
    }
    return true;
}

static bool write_bank(sim_module *m, unsigned bank, const sim_cubin_bank *b) {
    char name[16];
    sim_addr a;
    uint64_t bytes;
    snprintf(name, sizeof name, "$bank%u", bank);
    return !b->size || (sim_module_symbol(m, name, &a, &bytes) == SIM_OK && bytes >= b->size &&
                        sim_memory_write(m->device->memory, a, b->bytes, b->size) == SIM_OK);
}

bool sim_twin_refresh(sim_twin *t, sim_kernel *k) {
    bool ok = true;
    for (unsigned n = BANK_FIRST; n <= BANK_LAST; n++)
        ok = ok && fill_bank(k->module, &t->banks[n]) && write_bank(t->module, n, &t->banks[n]);
    return ok;
}

static bool get_banks(const sim_kernel *k, sim_cubin_bank banks[SIM_TRANSLATE_BANKS],
                      sim_translate_about *about) {
    const sim_module *m = k->module;
    for (unsigned n = BANK_FIRST; n <= BANK_LAST; n++) {
        if (!sim_cubin_bank_get(m->cubin, m->cubin_len, k->func->name, n, &banks[n])) return false;
        about->bank_bytes[n] = (uint32_t)banks[n].size;
    }
    return true;
}

/* Returns a function that it may call by its address and that the simulated device cannot provide;
 * NULL: none. */
static const char *calls_others(const sass_func *f, const sim_cubin_bank *b) {
    bool calls = false;
    for (uint32_t n = 0; n < f->insn_count; n++)
        calls |= f->insns[n].op == SASS_OP_CALL && sass_has(&f->insns[n], "ABS");
    for (size_t k = 0; calls && k < b->name_count; k++)
        if (b->names[k].function && strcmp(b->names[k].name, "vprintf") &&
            strcmp(b->names[k].name, "__assertfail"))
            return b->names[k].name;
    return NULL;
}

/* Returns whether the stack that its functions need is unknown: one calls another, itself, or by an
 * address. */
static bool calls_on(const sass_module *m, const sass_func *f) {
    uint32_t entry = f->insn_count;
    for (uint32_t k = 0; k < m->label_count; k++) {
        const sass_label *l = &m->labels[k];
        if (&m->funcs[l->func] == f && *l->name == '$' && l->at < entry) entry = l->at;
    }
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].op == SASS_OP_CALL && (n >= entry || !sass_target(&f->insns[n])))
            return true;
    return false;
}

static bool has_break(const sass_func *f) {
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].op == SASS_OP_BREAK) return true;
    return false;
}

/* Traced blocks do not use native code. */
static void free_native(sim_image *im) {
    sim_native_image_free(im->native);
    im->native = NULL;
}

bool sim_twin_of_clusters(sim_twin *t) {
    lib_message msg;
    if (t->kernel->cluster_image) return true;
    sim_image *im = sim_kernel_cluster_image(t->kernel, &msg);
    if (im) free_native(im);
    return im != NULL;
}

_Static_assert(SIM_TRANSLATE_PARAMS == SIM_PARAM_WINDOW, "one place for parameters");

/* Makes the twin's module, map and constants. */
static bool make(sim_twin *t, sim_kernel *k, const sass_func *f, const sim_translation *text,
                 sim_cubin_bank banks[SIM_TRANSLATE_BANKS], lib_message *msg) {
    sim_device *d = k->module->device;
    sim_module_options o = {.ptxas = "", .stop = k->module->stop};
    t->owner = k->module->machine;
    t->func = f;
    t->param_bytes = text->param_bytes;
    for (unsigned n = 0; n < k->info.param_count; n++) t->param_at[n] += text->param_skip;
    t->meets_by_sync = !has_break(f);
    t->module = sim_module_new(d, text->text, text->len, &o, msg);
    t->kernel = t->module ? sim_module_kernel(t->module, f->name) : NULL;
    sim_image *im = t->kernel ? sim_kernel_image(t->kernel, msg) : NULL;
    if (!im) return false;
    free_native(im);
    t->code = time_code_machine(d->profile, f);
    if (t->code) time_machine_roles(t->code, f, t->kernel->func, text->insn_of, text->line_count);
    if (t->code)
        t->map = time_machine_map_new(t->code, t->kernel->func, text->insn_of, text->line_count);
    memcpy(t->banks, banks, sizeof t->banks);
    memset(banks, 0, sizeof t->banks);
    if (!sim_twin_refresh(t, k)) {
        lib_message_set(msg, w_module_constants_not_known());
        return false;
    }
    return t->map != NULL;
}

/* Finds the places of the parameters, of *bytes together: those of PTX if the cubin does not
 * tell. */
static bool place_params(sim_twin *t, const sim_kernel *k, uint32_t *bytes) {
    const sim_module *m = k->module;
    unsigned count = k->info.param_count;
    t->param_at = malloc((count + 1) * sizeof *t->param_at);
    if (!t->param_at) return false;
    if (sim_cubin_params(m->cubin, m->cubin_len, k->func->name, t->param_at, count, bytes)) {
        for (unsigned n = 0; n < count; n++)
            if (t->param_at[n] + k->info.param_size[n] > *bytes) return false;
        return true;
    }
    *bytes = k->info.param_bytes;
    memcpy(t->param_at, k->info.param_offset, count * sizeof *t->param_at);
    return true;
}

static sim_twin *twin_new(sim_kernel *k, lib_message *msg) {
    sim_module *m = k->module;
    const sass_module *machine = machine_of(m, msg);
    const sass_func *f = machine ? sass_find(machine, k->func->name) : NULL;
    sim_cubin_kernel head;
    if (machine && !f) lib_message_set(msg, w_module_no_kernel_in_code());
    if (!f) return NULL;
    if (!sim_cubin_get(m->cubin, m->cubin_len, k->func->name, &head)) {
        lib_message_set(msg, w_module_no_kernel_in_cubin());
        return NULL;
    }
    sim_twin *t = calloc(1, sizeof *t);
    sim_cubin_bank banks[SIM_TRANSLATE_BANKS] = {0};
    sim_translate_about about = {.shared_bytes = (uint32_t)head.shared,
                                 .local_bytes = (uint32_t)head.local};
    sim_translation text = {0};
    const sim_image *im = calls_on(machine, f) ? sim_kernel_image(k, msg) : NULL;
    uint32_t stack = im ? sim_local_limit(im, SIM_STACK_BYTES) : 0;
    if (stack > about.local_bytes) about.local_bytes = stack;
    bool placed = t && place_params(t, k, &about.param_bytes);
    bool ok = placed && get_banks(k, banks, &about);
    if (placed && !ok) lib_message_set(msg, lib_words_of(W_MODULE_CONSTANTS_UNREADABLE));
    const char *other = ok ? calls_others(f, &banks[BANK_ADDRESSES]) : NULL;
    if (other) lib_message_set(msg, w_module_calls_other(other));
    ok = ok && !other;
    ok = ok && sim_translate(machine, f, &about, &text, msg);
    ok = ok && make(t, k, f, &text, banks, msg);
    for (unsigned n = 0; n < SIM_TRANSLATE_BANKS; n++) sim_cubin_bank_free(&banks[n]);
    sim_translation_free(&text);
    if (ok) return t;
    if (!lib_message_any(msg)) lib_message_set(msg, w_base_out_of_memory());
    sim_twin_free(t);
    return NULL;
}

sim_twin *sim_kernel_twin(sim_kernel *k) {
    if (k->twin_known) return k->twin;
    lib_message msg = {0};
    k->twin_known = true;
    k->twin = twin_new(k, &msg);
    if (!k->twin && (k->twin_refusal = malloc(sizeof msg))) *k->twin_refusal = msg;
    return k->twin;
}
