/* Kernels and variables of a module, by name. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/calls/module.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/profile.h"

#include <stdlib.h>
#include <string.h>

cudaError_t dev_on_KernelGet(dev_call *k, const struct wire_in_KernelGet *in,
                             struct wire_out_KernelGet *out) {
    dev_client *c = k->c;
    dev_module *m = dev_object(c, in->module, DEV_MODULE);
    char name[4096];
    (void)out;
    if (!m || !dev_module_name(k, name, sizeof name)) return cudaErrorInvalidResourceHandle;
    cudaError_t e = dev_module_load(k, m);
    if (e) return e;
    const dev_device *d = dev_hw(c, k->device);
    void *kernel = HW(d, module_kernel, m->on[k->device], name);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const sim_kernel_info *i = d->backend->kernel_info(kernel);
    if (i->param_count > WIRE_MAX_PARAMS || i->param_bytes > WIRE_PARAM_BYTES)
        return cudaErrorInvalidDeviceFunction;
    dev_kernel *o = dev_kernel_of(c, m, k->device, kernel, i);
    if (!o) return cudaErrorMemoryAllocation;
    const sim_profile *p = c->s->device[k->device].profile;
    wire_kernel w = {.handle = o->handle,
                     .static_shared = i->static_shared,
                     .max_dynamic_shared = i->max_dynamic_shared,
                     .param_count = i->param_count,
                     .param_bytes = i->param_bytes,
                     .max_threads = o->max_threads,
                     .declared_threads = i->max_threads ? i->max_threads : p->max_threads_block,
                     .max_block = {p->max_threads_block, p->max_threads_block, 64},
                     .max_grid = {0x7fffffff, 65535, 65535},
                     .clusters = i->needs_cluster || i->required_cluster[0]};
    memcpy(w.reqntid, i->required_block, sizeof w.reqntid);
    uint32_t *pairs = malloc(8ul * i->param_count + 8);
    if (!pairs) return cudaErrorMemoryAllocation;
    for (unsigned j = 0; j < i->param_count; j++)
        pairs[2 * j] = i->param_offset[j], pairs[2 * j + 1] = i->param_size[j];
    e = dev_answer(k, &w, sizeof w);
    if (!e) e = dev_answer(k, pairs, 8ul * i->param_count);
    if (!e) e = dev_answer(k, i->name, strlen(i->name));
    free(pairs);
    return e;
}

cudaError_t dev_on_SymbolGet(dev_call *k, const struct wire_in_SymbolGet *in,
                             struct wire_out_SymbolGet *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    char name[4096];
    if (!m || !dev_module_name(k, name, sizeof name)) return cudaErrorInvalidSymbol;
    cudaError_t e = dev_module_load(k, m);
    if (e) return e;
    sim_addr a;
    uint64_t n;
    if (HW(dev_hw(k->c, k->device), module_symbol, m->on[k->device], name, &a, &n))
        return cudaErrorInvalidSymbol;
    if (!dev_mem_find(k->c, a)) {
        dev_mem mem = {.base = a, .bytes = n, .kind = DEV_MEM_SYMBOL, .device = k->device};
        if (!dev_mem_add(k->c, &mem)) return cudaErrorMemoryAllocation;
    }
    out->address = a, out->bytes = n;
    return cudaSuccess;
}

cudaError_t dev_on_FuncGetAttributes(dev_call *k, const struct wire_in_FuncGetAttributes *in,
                                     struct wire_out_FuncGetAttributes *out) {
    const dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    (void)out;
    if (!f) return cudaErrorInvalidDeviceFunction;
    const sim_profile *p = k->c->s->device[f->device].profile;
    struct cudaFuncAttributes a = {.sharedSizeBytes = f->info->static_shared,
                                   .constSizeBytes = f->info->const_bytes,
                                   .localSizeBytes = f->info->local_bytes,
                                   .maxThreadsPerBlock = (int)f->max_threads,
                                   .numRegs = (int)f->info->registers,
                                   .ptxVersion = (int)f->info->ptx_version,
                                   .binaryVersion = (int)(p->cc_major * 10 + p->cc_minor),
                                   .maxDynamicSharedSizeBytes = (int)f->info->max_dynamic_shared,
                                   .preferredShmemCarveout = f->info->carveout,
                                   .clusterDimMustBeSet = f->info->needs_cluster,
                                   .nonPortableClusterSizeAllowed = f->large_clusters};
    static const unsigned none[3] = {0};
    unsigned cluster[3];
    dev_launch_cluster(f, none, cluster);
    a.requiredClusterWidth = (int)cluster[0];
    a.requiredClusterHeight = (int)cluster[1];
    a.requiredClusterDepth = (int)cluster[2];
    return dev_answer(k, &a, sizeof a);
}

cudaError_t dev_on_FuncSetAttribute(dev_call *k, const struct wire_in_FuncSetAttribute *in,
                                    struct wire_out_FuncSetAttribute *out) {
    dev_kernel *f = dev_object(k->c, in->kernel, DEV_KERNEL);
    if (!f) return cudaErrorInvalidDeviceFunction;
    int value = (int)in->value;
    cudaError_t e = cudaSuccess;
    switch (in->attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        e = value < 0
                ? cudaErrorInvalidValue
                : dev_error(HW(dev_hw(k->c, f->device), kernel_shared, f->kernel, (uint64_t)value));
        break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        e = dev_error(HW(dev_hw(k->c, f->device), kernel_carveout, f->kernel, value));
        break;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (f->info->required_cluster[0]) return cudaErrorInvalidValue; /* as on an H100 */
        if (value < 0) return cudaErrorInvalidValue;
        f->cluster[in->attr - cudaFuncAttributeRequiredClusterWidth] = (unsigned)value;
        break;
    case cudaFuncAttributeNonPortableClusterSizeAllowed: f->large_clusters = value != 0; break;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: break;
    default: return cudaErrorInvalidValue;
    }
    out->max_dynamic = f->info->max_dynamic_shared;
    return e;
}
