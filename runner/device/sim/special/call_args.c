/* Operands of calls: copies them between the lane-major areas of a caller's frame, its registers or
 * the kernel's parameters, and memory of lanes. */
#include <string.h>
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/call.h"

static uint8_t *call_area(sim_frame *f, unsigned which, uint32_t *stride) {
    const sim_func *fn = f->func;
    *stride = which == SIM_AREA_CALL  ? fn->call_bytes
              : which == SIM_AREA_RET ? fn->ret_bytes
                                      : fn->param_bytes;
    return f->regs + (which == SIM_AREA_CALL  ? fn->call_at
                      : which == SIM_AREA_RET ? fn->ret_at
                                              : fn->param_at);
}

/* The place of a caller's operand: its first lane, the distance between lanes (0: all lanes share
 * one value), and its size. */
typedef struct {
    uint8_t *at;
    uint32_t step, bytes;
} call_place;

static call_place call_find(sim_warp *w, sim_frame *caller, const sim_call_opnd *c,
                            uint32_t bytes) {
    call_place p = {.bytes = c->bytes < bytes ? c->bytes : bytes};
    if (c->area == SIM_CALL_VALUE) {
        uint8_t *keep = w->base[SIM_BASE_REGS];
        w->base[SIM_BASE_REGS] = caller->regs;
        p.step = c->slot == SIM_SLOT_64 ? 8 : 4;
        p.at = sim_slot(w, c->value);
        w->base[SIM_BASE_REGS] = keep;
        if (p.bytes > p.step) p.bytes = p.step;
    } else if (c->area == SIM_CALL_PARAM) {
        p.at = (uint8_t *)(uintptr_t)w->block->run->params + c->at; /* only read */
    } else {
        p.at = call_area(caller, c->area, &p.step) + c->at;
    }
    return p;
}

void sim_call_read(sim_warp *w, sim_frame *caller, const sim_call_opnd *c, uint8_t *to,
                   uint32_t stride, uint32_t bytes, uint32_t lanes) {
    call_place p = call_find(w, caller, c, bytes);
    for (uint32_t m = lanes; m; m &= m - 1) {
        size_t l = (unsigned)__builtin_ctz(m);
        memcpy(to + l * stride, p.at + l * p.step, p.bytes);
    }
}

void sim_call_write(sim_warp *w, sim_frame *caller, const sim_call_opnd *c, const uint8_t *from,
                    uint32_t stride, uint32_t bytes, uint32_t lanes) {
    call_place p = call_find(w, caller, c, bytes);
    for (uint32_t m = lanes; m; m &= m - 1) {
        size_t l = (unsigned)__builtin_ctz(m);
        memcpy(p.at + l * p.step, from + l * stride, p.bytes);
    }
}

void sim_builtin_arg(sim_warp *w, const sim_insn *i, unsigned k, void *to, uint32_t bytes) {
    const sim_call_info *c = i->aux;
    memset(to, 0, (size_t)bytes * SIM_WARP_LANES);
    if (k < c->nargs) sim_call_read(w, w->frame, &c->args[k], to, bytes, bytes, w->mask);
}

void sim_builtin_result(sim_warp *w, const sim_insn *i, const void *from, uint32_t bytes) {
    const sim_call_info *c = i->aux;
    if (c->nrets) sim_call_write(w, w->frame, &c->rets[0], from, bytes, bytes, w->mask);
}
