/* Modules: parses PTX text, lays out its variables in device memory with their initial values, and
 * finds the resources of its kernels. */
#include "runner/device/sim/module/module.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/load/cubin.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/machine/symbol.h"
#include "runner/device/sim/module/twin.h"
#include "runner/device/sim/native/native.h"
#include "runner/device/sim/parse/parse.h"
#include "words/base.h"
#include "words/module.h"

/* Writes a variable's initial value, and puts in the addresses of other variables and of
 * functions. */
static bool initialise(sim_module *m, const struct sim_symbol *s, lib_message *msg) {
    const ptx_var *v = s->var;
    if (!v->bytes) return true;
    uint8_t *copy = calloc(1, v->bytes);
    if (!copy) {
        lib_message_set(msg, w_base_out_of_memory());
        return false;
    }
    if (v->init) memcpy(copy, v->init, v->bytes);
    bool ok = true;
    for (size_t k = 0; k < v->reloc_count && ok; k++) {
        const ptx_reloc *r = &v->relocs[k];
        sim_addr a = 0;
        ok = sim_module_name(m, r->symbol, &a) && r->at + r->bytes <= v->bytes && r->bytes <= 8;
        if (!ok) lib_message_set(msg, w_module_initial_value_needs(v->name, r->symbol));
        a = (a + (uint64_t)r->addend) >> r->shift;
        if (ok) memcpy(copy + r->at, &a, r->bytes);
    }
    if (ok && sim_memory_write(m->device->memory, s->address, copy, v->bytes) != SIM_OK) {
        lib_message_set(msg, w_module_cannot_write_initial_value(v->name));
        ok = false;
    }
    free(copy);
    return ok;
}

/* Asks for the places of the managed variables and checks the answer: each must be mapped memory of
 * its size. */
static bool place_managed(sim_module *m, const sim_module_options *o, bool *fresh,
                          lib_message *msg) {
    size_t n = 0;
    *fresh = true;
    for (size_t k = 0; k < m->symbol_count; k++) n += m->symbols[k].placed;
    if (!n || !o->managed) return true;
    sim_managed *v = calloc(n, sizeof *v);
    if (!v) return false;
    n = 0;
    for (size_t k = 0; k < m->symbol_count; k++)
        if (m->symbols[k].placed)
            v[n++] =
                (sim_managed){.name = m->symbols[k].var->name, .bytes = m->symbols[k].var->bytes};
    sim_status st = o->managed(o->managed_user, v, n, fresh);
    n = 0;
    for (size_t k = 0; k < m->symbol_count && st == SIM_OK; k++) {
        struct sim_symbol *s = &m->symbols[k];
        if (!s->placed) continue;
        s->address = v[n++].at;
        const sim_alloc *a = sim_memory_find(m->device->memory, s->address);
        if (!a || a->kind != SIM_ALLOC_MAPPED || a->base != s->address || a->size != s->var->bytes)
            st = SIM_BAD_ADDRESS;
        else sim_memory_name(m->device->memory, s->address, s->var->name);
    }
    free(v);
    if (st != SIM_OK) lib_message_set(msg, w_module_no_room_for_managed(sim_status_message(st)));
    return st == SIM_OK;
}

static bool lay_out_module(sim_module *m, const sim_module_options *o, lib_message *msg) {
    const ptx_module *p = m->ptx;
    m->symbols = calloc(p->var_count + 1, sizeof *m->symbols);
    if (!m->symbols) return false;
    for (size_t k = 0; k < p->var_count && !sim_module_stopped(m); k++) {
        const ptx_var *v = p->vars[k];
        if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) continue;
        if (v->is_extern) continue; /* defined in no part of this module */
        if (v->space == PTX_SPACE_CONST) {
            uint64_t align = v->align ? v->align : 1;
            m->const_bytes = (m->const_bytes + align - 1) / align * align + v->bytes;
        }
        sim_alloc_kind kind = v->space == PTX_SPACE_CONST ? SIM_ALLOC_CONST : SIM_ALLOC_MODULE;
        struct sim_symbol *s = &m->symbols[m->symbol_count];
        s->var = v;
        if (v->managed && v->bytes && o->managed) {
            s->placed = true;
            m->symbol_count++;
            continue;
        }
        sim_status st = sim_memory_alloc(m->device->memory, v->bytes ? v->bytes : 1, kind, v->name,
                                         &s->address);
        if (st != SIM_OK) {
            lib_message_set(msg, w_module_no_room_for_variable(v->name, (long long)v->bytes,
                                                               sim_status_message(st)));
            return false;
        }
        m->symbol_count++;
    }
    bool fresh;
    if (!place_managed(m, o, &fresh, msg)) return false;
    for (size_t k = 0; k < m->symbol_count && !sim_module_stopped(m); k++) {
        const struct sim_symbol *s = &m->symbols[k];
        if (s->placed && (!fresh || (!s->var->init && !s->var->reloc_count)))
            continue; /* it is zero */
        if (!initialise(m, s, msg)) return false;
        if (!s->placed) sim_past_adopt(m->device->memory, s->address);
    }
    return true;
}

static char *copy_text(const char *s, size_t n) {
    char *p = malloc(n + 1);
    if (!p) return NULL;
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

/* The demangled name without its arguments: "void k<int>(int*)" -> "k<int>". */
static char *pretty_name(const char *mangled, char *(*demangle)(const char *)) {
    char *full = demangle ? demangle(mangled) : NULL;
    if (!full) return copy_text(mangled, strlen(mangled));
    static const char unnamed[] = "(anonymous namespace)";
    int depth = 0;
    char *end = full + strlen(full), *start = full;
    for (char *c = full; *c; c++) {
        if (!strncmp(c, unnamed, sizeof unnamed - 1)) {
            c += sizeof unnamed - 2;
            continue;
        }
        if (*c == '<') depth++;
        if (*c == '>' && c > full && c[-1] != '-') depth--;
        if (depth) continue;
        if (*c == '(') {
            end = c;
            break;
        }
        if (*c == ' ') start = c + 1;
    }
    char *r = copy_text(start, (size_t)(end - start));
    free(full);
    return r;
}

static bool describe_kernel(sim_module *m, sim_kernel *k, char *(*demangle)(const char *)) {
    const ptx_func *f = k->func;
    const sim_profile *p = m->device->profile;
    sim_kernel_info *i = &k->info;
    k->module = m;
    k->pretty = pretty_name(f->name, demangle);
    k->param_offset = calloc(f->param_count + 1, sizeof *k->param_offset);
    k->param_size = calloc(f->param_count + 1, sizeof *k->param_size);
    if (!k->pretty || !k->param_offset || !k->param_size) return false;
    for (size_t a = 0; a < f->param_count; a++) {
        k->param_offset[a] = (uint32_t)f->params[a].offset;
        k->param_size[a] = (uint32_t)f->params[a].bytes;
    }
    *i = (sim_kernel_info){.name = f->name,
                           .pretty = k->pretty,
                           .param_count = (unsigned)f->param_count,
                           .param_offset = k->param_offset,
                           .param_size = k->param_size,
                           .param_bytes = f->param_bytes,
                           .const_bytes = m->const_bytes,
                           .carveout = -1,
                           .ptx_version = m->ptx->target};
    unsigned limit =
        f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1);
    i->max_threads = limit && limit < p->max_threads_block ? limit : p->max_threads_block;
    memcpy(i->required_block, f->reqntid, sizeof i->required_block);
    for (unsigned a = 0; a < 3 && f->reqcluster[0]; a++)
        i->required_cluster[a] = f->reqcluster[a] ? f->reqcluster[a] : 1;
    i->max_cluster = f->maxclusterrank;
    i->needs_cluster = f->explicit_cluster;
    i->static_shared = ptx_static_shared(m->ptx, f->shared_bytes);
    i->max_dynamic_shared =
        (unsigned)(p->shared_block > i->static_shared ? p->shared_block - i->static_shared : 0);
    return true;
}

static sim_ptxas module_assembler(const sim_module *m) {
    return (sim_ptxas){m->ptxas, m->ptxas_registers, m->ptxas_level};
}

/* Returns the resources of a kernel that no assembler has seen: memory as declared, and as many
 * registers as let a multiprocessor hold all the threads that it can. */
static sim_resource module_unassembled(const sim_profile *p, const ptx_func *f) {
    unsigned registers = (unsigned)(p->registers_sm / p->max_threads_sm);
    if (f->maxnreg && registers > f->maxnreg) registers = f->maxnreg;
    return (sim_resource){
        .registers = registers, .shared = f->shared_bytes, .stack = f->local_bytes};
}

/* Asks the assembler for registers and memory, on first need. */
static void resources(sim_kernel *k) {
    if (k->resources_known) return;
    k->resources_known = true;
    sim_module *m = k->module;
    lib_message msg;
    sim_ptxas ptxas = module_assembler(m);
    const sim_resource *r = sim_resources_get(m->device->resources, m->device->profile, m->text,
                                              m->text_len, k->func->name, &ptxas, m->stop, &msg);
    const sim_resource guess = module_unassembled(m->device->profile, k->func);
    if (!r) r = &guess;
    sim_kernel_info *i = &k->info;
    i->registers = r->registers;
    i->spill_bytes = r->spill_stores + r->spill_loads;
    i->resources_exact = r->exact;
    i->local_bytes = r->stack;
    if (r->exact) i->static_shared = r->shared;
}

/* Checks the host memory that a module takes: its text, what is made from the text to run it, its
 * variables and their initial values. This is about eighty bytes for each byte of text in the worst
 * programs. */
static bool module_fits(const sim_module *m, const sim_module_options *o, lib_message *msg) {
    enum { MADE = 80 };
    uint64_t need = (uint64_t)m->text_len * (MADE + 1);
    for (size_t k = 0; m->ptx && k < m->ptx->var_count; k++) {
        const ptx_var *v = m->ptx->vars[k];
        bool mine = v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
        uint64_t bytes = v->bytes + (mine ? 1024 : 0);
        need = bytes / 2 < UINT64_MAX / 4 - need ? need + 2 * bytes : UINT64_MAX / 4;
    }
    if (o->taken) *o->taken = need;
    if (!o->room || need <= o->room) return true;
    lib_message_set(msg, w_module_too_large((long long)(need >> 20), (long long)(o->room >> 20)));
    return false;
}

/* sm_90a is for compute capability 9.0 and nothing else (PTX ISA 11.1.2). */
static bool module_is_for(const sim_module *m, lib_message *msg) {
    const sim_profile *p = m->device->profile;
    if (!m->ptx->target_alone || m->ptx->target == p->cc_major * 10 + p->cc_minor) return true;
    lib_message_set(msg, w_module_for_one_sm(m->ptx->target, p->cc_major, p->cc_minor));
    return false;
}

sim_module *sim_module_new(sim_device *d, const char *ptx, size_t len, const sim_module_options *o,
                           lib_message *msg) {
    static const sim_module_options none;
    lib_message scratch;
    if (!o) o = &none;
    if (!msg) msg = &scratch;
    *msg = (lib_message){0};
    sim_module *m = calloc(1, sizeof *m);
    if (!m) {
        lib_message_set(msg, w_base_out_of_memory());
        return NULL;
    }
    m->device = d;
    m->stop = o->stop;
    m->text = copy_text(ptx, len);
    m->text_len = len;
    m->ptxas = o->ptxas ? copy_text(o->ptxas, strlen(o->ptxas)) : NULL;
    char command[1024];
    sim_ptxas flags = {0};
    if (sim_cubin_command(o->cubin, o->cubin_len, command, sizeof command))
        sim_ptxas_flags(&flags, command);
    m->ptxas_registers = flags.registers, m->ptxas_level = flags.level;
    /* The data made from machine code take about four times the size of its text. A module without
     * machine code can still run. */
    bool text_fits = !o->room || o->machine_code_len < o->room / 16;
    const sim_options *own = &d->options;
    bool wanted = own->machine_code || own->count_machine || own->debug;
    /* a debugger gets the text when it needs it (sim_debug_machine_from()) */
    if (o->cubin && wanted && text_fits && (o->machine_code || own->debug)) {
        if (o->machine_code) m->machine_text = copy_text(o->machine_code, o->machine_code_len);
        m->machine_len = o->machine_code_len;
        m->cubin = copy_text(o->cubin, o->cubin_len);
        m->cubin_len = o->cubin_len;
    }
    bool ok = m->text && module_fits(m, o, msg) &&
              (m->ptx = ptx_parse_until(m->text, len, m->stop, msg)) != NULL;
    if (ok) ok = module_is_for(m, msg) && module_fits(m, o, msg) && lay_out_module(m, o, msg);
    if (ok) ok = (m->kernels = calloc(m->ptx->func_count + 1, sizeof *m->kernels)) != NULL;
    for (size_t k = 0; ok && k < m->ptx->func_count; k++) {
        if (sim_module_stopped(m)) {
            lib_message_set(msg, w_module_stopped());
            ok = false;
            break;
        }
        if (!m->ptx->funcs[k]->entry || !m->ptx->funcs[k]->has_body) continue;
        sim_kernel *x = &m->kernels[m->kernel_count++];
        x->func = m->ptx->funcs[k];
        x->number = k;
        ok = describe_kernel(m, x, o->demangle);
    }
    if (ok) return m;
    if (!lib_message_any(msg)) lib_message_set(msg, w_base_out_of_memory());
    sim_module_free(m);
    return NULL;
}

/* In this file because a module frees its kernels' twins, which are modules. */
void sim_twin_free(sim_twin *t) {
    if (!t) return;
    for (unsigned n = 0; n < SIM_TRANSLATE_BANKS; n++) sim_cubin_bank_free(&t->banks[n]);
    time_machine_map_free(t->map);
    if (t->code) time_code_free(t->code);
    free(t->param_at);
    sim_module_free(t->module);
    free(t);
}

void sim_module_free(sim_module *m) {
    if (!m) return;
    for (size_t k = 0; k < m->kernel_count; k++) {
        sim_kernel *x = &m->kernels[k];
        sim_image *images[] = {x->image, x->cluster_image};
        for (unsigned i = 0; i < 2; i++) {
            if (!images[i]) continue;
            sim_native_image_free(images[i]->native); /* it reads the image */
            sim_image_release(images[i]);
        }
        free(x->unsupported);
        for (unsigned a = 0; a < x->asked_count; a++) free(x->asked[a].answer);
        time_kept_free(x->kept);
        sim_twin_free(x->twin);
        free(x->twin_refusal);
        free(x->twin_missed);
        free(x->pretty);
        free(x->param_offset);
        free(x->param_size);
    }
    for (size_t k = 0; k < m->symbol_count; k++)
        if (!m->symbols[k].placed) sim_memory_release(m->device->memory, m->symbols[k].address);
    free(m->kernels);
    free(m->symbols);
    if (m->ptx) ptx_free(m->ptx);
    sass_free(m->machine);
    free(m->machine_text);
    free(m->cubin);
    free(m->text);
    free(m->ptxas);
    free(m);
}

sim_kernel *sim_module_kernel(sim_module *m, const char *name) {
    for (size_t k = 0; k < m->kernel_count; k++)
        if (!strcmp(m->kernels[k].func->name, name)) return &m->kernels[k];
    return NULL;
}

void sim_module_reset(sim_module *m) {
    lib_message msg;
    for (size_t k = 0; k < m->symbol_count; k++)
        if (!m->symbols[k].placed) initialise(m, &m->symbols[k], &msg);
}

const sim_kernel_info *sim_kernel_get(const sim_kernel *k) {
    /* filled in late; only one thread at a time uses a device */
    sim_kernel *x = (sim_kernel *)(uintptr_t)k;
    resources(x);
    return &k->info;
}

sim_status sim_kernel_set_max_dynamic_shared(sim_kernel *k, uint64_t bytes) {
    resources(k);
    const sim_profile *p = k->module->device->profile;
    if (bytes + k->info.static_shared > p->shared_block_optin) return SIM_BAD_ARGUMENT;
    k->info.max_dynamic_shared = (unsigned)bytes;
    return SIM_OK;
}

sim_status sim_kernel_set_carveout(sim_kernel *k, int percent) {
    if (percent < -1 || percent > 100) return SIM_BAD_ARGUMENT;
    k->info.carveout = percent;
    return SIM_OK;
}

/* Adds up the spills of the kernel and of the functions that it calls. */
static void spill_of_all(sim_kernel *k, const sim_image *im) {
    const sim_module *m = k->module;
    size_t count;
    sim_ptxas ptxas = module_assembler(m);
    const sim_resource *rows = sim_resources_rows(m->device->resources, m->device->profile, m->text,
                                                  m->text_len, &ptxas, m->stop, &count);
    k->info.spill_bytes = 0;
    for (size_t n = 0; n < im->func_count; n++) {
        const sim_resource *r = sim_resources_row(rows, count, im->funcs[n].ptx->name);
        if (r) k->info.spill_bytes += r->spill_stores + r->spill_loads;
    }
}

static sim_image *kernel_image(sim_kernel *k, sim_image **at, bool clustered, lib_message *msg) {
    if (k->unsupported) {
        *msg = *k->unsupported;
        return NULL;
    }
    resources(k);
    sim_image *made = *at;
    if (made) return made;
    *at = sim_image_new(k->module, k->func, clustered, msg);
    /* being stopped says nothing about the kernel */
    if (!*at && sim_module_stopped(k->module)) return NULL;
    if (!*at) {
        k->unsupported = malloc(sizeof *msg);
        if (k->unsupported) *k->unsupported = *msg;
        return NULL;
    }
    (*at)->native = sim_native_image_new(k->module->device->native, *at);
    if (k->info.resources_exact) spill_of_all(k, *at);
    if (!k->info.resources_exact) k->info.static_shared = (*at)->static_shared;
    return *at;
}

sim_image *sim_kernel_image(sim_kernel *k, lib_message *msg) {
    return kernel_image(k, &k->image, false, msg);
}

sim_image *sim_kernel_cluster_image(sim_kernel *k, lib_message *msg) {
    return kernel_image(k, &k->cluster_image, true, msg);
}
