/* Shapes of matrices, and the part of them that a lane holds. */
#include "runner/device/sim/ptx/fragment.h"

/* The value of a field is N / 8; which field it is says K. */
static const struct {
    uint16_t field, k;
} warpgroup[] = {{PTX_FIELD_M64K8, 8},
                 {PTX_FIELD_M64K16, 16},
                 {PTX_FIELD_M64K32, 32},
                 {PTX_FIELD_M64K64, 64},
                 {PTX_FIELD_M64K256, 256}};

ptx_fragment_shape ptx_fragment_shape_of(const ptx_insn *i) {
    static const ptx_fragment_shape table[PTX_SHAPE_COUNT] = {
        [PTX_SHAPE_m8n8k4] = {8, 8, 4},       [PTX_SHAPE_m8n8k16] = {8, 8, 16},
        [PTX_SHAPE_m8n8k32] = {8, 8, 32},     [PTX_SHAPE_m8n8k128] = {8, 8, 128},
        [PTX_SHAPE_m16n8k4] = {16, 8, 4},     [PTX_SHAPE_m16n8k8] = {16, 8, 8},
        [PTX_SHAPE_m16n8k16] = {16, 8, 16},   [PTX_SHAPE_m16n8k32] = {16, 8, 32},
        [PTX_SHAPE_m16n8k64] = {16, 8, 64},   [PTX_SHAPE_m16n8k128] = {16, 8, 128},
        [PTX_SHAPE_m16n8k256] = {16, 8, 256}, [PTX_SHAPE_m16n16k8] = {16, 16, 8},
        [PTX_SHAPE_m16n16k16] = {16, 16, 16}, [PTX_SHAPE_m32n8k16] = {32, 8, 16},
        [PTX_SHAPE_m8n32k16] = {8, 32, 16},
    };
    for (unsigned x = 0; x < sizeof warpgroup / sizeof *warpgroup; x++)
        if (i->field[warpgroup[x].field])
            return (ptx_fragment_shape){64, (uint16_t)(8 * i->field[warpgroup[x].field]),
                                        warpgroup[x].k};
    return table[i->field[PTX_FIELD_SHAPE]];
}

unsigned ptx_fragment_bits(ptx_type t) {
    switch (t) {
    case PTX_F64: return 64;
    case PTX_F32:
    case PTX_S32:
    case PTX_TF32: return 32;
    case PTX_F16:
    case PTX_BF16: return 16;
    case PTX_U8:
    case PTX_S8:
    case PTX_E4M3:
    case PTX_E5M2: return 8;
    case PTX_U4:
    case PTX_S4: return 4;
    case PTX_B1: return 1;
    default: return 0;
    }
}

bool ptx_fragment_quad(const ptx_insn *i, ptx_type a) {
    return i->op == PTX_OP_mma && i->field[PTX_FIELD_SHAPE] == PTX_SHAPE_m8n8k4 && a == PTX_F16;
}

unsigned ptx_fragment_registers(const ptx_insn *i, char which, ptx_type t, bool quad) {
    ptx_fragment_shape s = ptx_fragment_shape_of(i);
    unsigned bits = ptx_fragment_bits(t), rows = which == 'b' ? s.k : s.m,
             cols = which == 'a' ? s.k : s.n;
    switch (i->op) {
    case PTX_OP_mma:
        if (quad) return which == 'c' ? bits / 4 : 2;
        break;
    case PTX_OP_mma_sp:
    case PTX_OP_mma_sp_ordered:
        if (which == 'a') cols /= 2;
        break;
    case PTX_OP_wgmma_mma_async_sp:
        if (which == 'a') cols /= 2;               /* fall through */
    case PTX_OP_wgmma_mma_async: rows /= 4; break; /* four warps */
    default:
        if (t == PTX_F16 && which != 'c') return 8;
    }
    return rows * cols * bits / 32 / (bits == 64 ? 64 : 32);
}
