/* The places of a module's variables and the addresses of its functions, by object and by name. */
#include "runner/device/sim/machine/symbol.h"
#include <string.h>
#include "runner/device/sim/machine/module.h"

sim_addr sim_module_address(const sim_module *m, const ptx_var *v) {
    for (size_t k = 0; k < m->symbol_count; k++)
        if (m->symbols[k].var == v) return m->symbols[k].address;
    return 0;
}

sim_addr sim_module_code(const sim_module *m, const ptx_func *f) {
    for (size_t k = 0; k < m->ptx->func_count; k++)
        if (m->ptx->funcs[k] == f) return SIM_CODE_BASE + 16 * (k + 1);
    return 0;
}

const ptx_func *sim_module_function(const sim_module *m, sim_addr a) {
    uint64_t k = (a - SIM_CODE_BASE) / 16;
    return a < SIM_CODE_BASE || (a - SIM_CODE_BASE) % 16 || !k || k > m->ptx->func_count
               ? NULL
               : m->ptx->funcs[k - 1];
}

static const struct sim_symbol *symbol_named(const sim_module *m, const char *name) {
    for (size_t k = 0; k < m->symbol_count; k++)
        if (!m->symbols[k].var->owner && !strcmp(m->symbols[k].var->name, name))
            return &m->symbols[k];
    return NULL;
}

sim_status sim_module_symbol(sim_module *m, const char *name, sim_addr *a, uint64_t *n) {
    const struct sim_symbol *s = symbol_named(m, name);
    if (!s) return SIM_NOT_FOUND;
    if (a) *a = s->address;
    if (n) *n = s->var->bytes;
    return SIM_OK;
}

bool sim_module_name(const sim_module *m, const char *name, sim_addr *a) {
    const struct sim_symbol *s = symbol_named(m, name);
    if (s) {
        *a = s->address;
        return true;
    }
    for (size_t k = 0; k < m->ptx->func_count; k++)
        if (!strcmp(m->ptx->funcs[k]->name, name)) {
            *a = sim_module_code(m, m->ptx->funcs[k]);
            return true;
        }
    return false;
}
