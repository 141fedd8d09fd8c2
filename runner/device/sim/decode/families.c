/* The function that decodes an instruction, and how the instruction ends a segment: two columns of
 * ops.def. */
#include "runner/device/sim/decode/families.h"
#include "runner/device/sim/decode/decode.h"

void sim_decode_insn(sim_decoder *d) {
    static sim_decode_fn *const decode[PTX_OP_COUNT] = {
#define OP(name, mnemonic, decoder, ends, doc) [PTX_OP_##name] = sim_decode_##decoder,
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    decode[d->insn->op](d);
}

sim_end sim_decode_end(const ptx_insn *p) {
    static const uint8_t end[PTX_OP_COUNT] = {
#define OP(name, mnemonic, decoder, ends, doc) [PTX_OP_##name] = SIM_END_##ends,
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    switch (end[p->op]) {
    case SIM_END_BRA: return p->guard >= 0 ? SIM_END_CBRA : SIM_END_BRA;
    case SIM_END_FALL: /* shfl, vote, match, matrix loads */
        return p->flags >> PTX_F_sync & 1 ? SIM_END_SYNC : SIM_END_FALL;
    default: return (sim_end)end[p->op];
    }
}
