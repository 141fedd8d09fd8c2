/* mma.sp: D := A * B + C, where half of A is zeros that are not stored (PTX ISA 9.7.14.6). Also the
 * same kind of A in wgmma.mma_async.sp (9.7.15.6), whose warps have 16 rows each.
 *
 *   registers of A --by the metadata--> A in full, as the dense instruction has it --tensor.c--> D
 *
 * Four units of a row form a chunk, in which two are not zero. The metadata have two bits for each
 * of these: its place. A unit is 16 bits of f16, bf16 and tf32 (whose elements are two units: only
 * 0100 and 1110 of the four bits have a meaning), and 8 bits of the other types (two elements of 4
 * bits). The two stored units of a chunk are adjacent in A's registers, like the elements of a
 * dense A that is half as wide.
 *
 * Metadata of four neighbouring lanes, g = lane / 4. Units of 16 bits: lane f + c / 4 of them has
 * chunk c of row g in the bits from 4 (c % 4) on, and that of row g + 8 sixteen bits higher. Units
 * of 8 bits: lane f has row g, the next one row g + 8, chunk c in the bits from 4 (c % 8) on;
 * chunks from 8 on are two lanes further. The selector gives f: itself if one lane is enough, twice
 * itself if two are, 0 if all four are needed. */
#include <fenv.h>
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/matrix/tensor.h"

typedef struct {
    sim_product p; /* of the full A */
    sim_sparse a;
} sparse;

/* Checks the places of a chunk's two units: they must differ and, if two units form one element, be
 * the right pair. */
static bool places_fit(unsigned places, bool pairs) {
    unsigned first = places & 3, second = places >> 2 & 3;
    return pairs ? (places & 15) == 4 || (places & 15) == 14 : first != second;
}

bool sim_sparse_expand(sim_warp *w, const sim_sparse *k, bool strict) {
    uint8_t row[64];
    const uint32_t *meta = LANES(const uint32_t, k->metadata);
    unsigned words = k->regs * 2u; /* of a stored row; twice as many in full */
    unsigned chunks = words * 4 / (2u * k->unit);
    bool ok = true;
    for (unsigned r = 0; r < 16; r++) {
        unsigned g = r % 8, below = r / 8;
        memset(row, 0, sizeof row);
        for (unsigned c = 0; c < chunks; c++) {
            bool wide = k->unit == 2;
            unsigned lane = k->lane + (wide ? c / 4 : below + c / 8 * 2),
                     bit = wide ? c % 4 * 4 + below * 16 : c % 8 * 4;
            uint32_t places = meta[4 * g + lane] >> bit;
            ok &= places_fit(places, k->pairs);
            for (unsigned e = 0; e < 2; e++) {
                unsigned at = (2 * c + e) * k->unit; /* in the stored row */
                const uint32_t *reg = LANES(const uint32_t, k->from[at / 16 * 2 + below]);
                const uint8_t *from = (const uint8_t *)(reg + 4 * g) + at % 16;
                memcpy(row + (4 * c + (places >> 2 * e & 3)) * k->unit, from, k->unit);
            }
        }
        for (unsigned j = 0; j < words / 2; j++)
            memcpy(LANES(uint32_t, k->to[2 * j + below]) + 4 * g, row + 16 * j, 16);
    }
    return ok || !strict;
}

static void exec_sparse(sim_warp *w, const sim_insn *i) {
    const sparse *k = i->aux;
    sim_sparse_expand(w, &k->a, false);
    sim_product_run(w, &k->p);
}

/* Returns how many of four lanes hold metadata. */
static unsigned lanes_with_metadata(const ptx_insn *i, unsigned unit) {
    unsigned chunks = ptx_fragment_shape_of(i).k * ptx_fragment_bits(i->type[1]) / 8 / (4 * unit);
    return chunks * 2 * 4 / 32; /* of two rows, four bits each */
}

bool sim_sparse_make(sim_decoder *d, sim_sparse *k, ptx_type a, unsigned regs,
                     const ptx_opnd *metadata, const ptx_opnd *selector) {
    k->regs = (uint8_t)regs;
    k->unit = ptx_fragment_bits(a) < 16 ? 1 : 2;
    k->pairs = a == PTX_TF32;
    unsigned lanes = lanes_with_metadata(d->insn, k->unit);
    if (selector->imm >= 4 / lanes) {
        sim_decode_fail(d, "the sparsity selector is %llu; here it is less than %u",
                        (unsigned long long)selector->imm, 4 / lanes);
        return false;
    }
    k->lane = (uint8_t)(selector->imm * lanes);
    k->metadata = sim_source(d, metadata, SIM_SLOT_32, PTX_U32);
    return !d->failed;
}

void sim_decode_mma_sparse(sim_decoder *d) {
    const ptx_insn *i = d->insn;
    sparse *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    ptx_type a = i->type[1], b = i->type[2], c = i->type[3], to = i->type[0];
    ptx_fragment_shape s = ptx_fragment_shape_of(i);
    if (!sim_sparse_make(d, &k->a, a, i->opnd[1].count, &i->opnd[4], &i->opnd[5])) return;
    k->p = (sim_product){.s = s,
                         .batch = 1,
                         .integer = to == PTX_S32,
                         .round = FE_TONEAREST,
                         .satfinite = i->flags >> PTX_F_satfinite & 1};
    sim_opnd tiles = sim_matrix_room(d);
    if (!sim_fragment_lay(d, &k->p.a, s, 'a', a, 2u * k->a.regs) ||
        !sim_fragment_make(d, &k->p.b, &i->opnd[2], 'b', b, false, false) ||
        !sim_fragment_make(d, &k->p.c, &i->opnd[3], 'c', c, false, false) ||
        !sim_fragment_make(d, &k->p.d, &i->opnd[0], 'c', to, false, true))
        return;
    for (unsigned r = 0; r < k->a.regs; r++)
        k->a.from[r] = sim_source(d, &i->opnd[1].elem[r], SIM_SLOT_32, PTX_B32);
    for (unsigned r = 0; r < k->p.a.regs; r++)
        k->a.to[r] = k->p.a.reg[r] = tiles + sim_opnd_make(r * sim_slot_bytes(SIM_SLOT_32), 0);
    sim_product_choose(&k->p, d->isa);
    sim_opnd all = sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
    sim_insn *x = sim_emit(d, exec_sparse, exec_sparse);
    x->e = all;
    x->aux = k;
}
