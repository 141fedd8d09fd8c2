/* The picture `calculator`: occupancy over block size and registers, around one launch. */
#include <string.h>
#include "runner/grade/pictures.h"
#include "runner/base/say.h"
#include "runner/device/sim/profile.h"
#include "runner/term/i18n.h"
#include "words/grade.h"

enum { AXIS = 16 };

/* Puts the usual values and the launch's own value in ascending order. */
static size_t axis_values(unsigned *out, const unsigned *usual, size_t n, unsigned own,
                          unsigned most) {
    size_t used = 0;
    bool placed = false;
    for (size_t i = 0; i < n; i++) {
        if (!placed && own <= usual[i]) {
            out[used++] = own;
            placed = true;
        }
        if (usual[i] != own && usual[i] <= most) out[used++] = usual[i];
    }
    if (!placed) out[used++] = own;
    return used;
}

static void calc_cell(const show_place *p, const sim_profile *prof, unsigned block,
                      unsigned registers, uint64_t shared, bool own) {
    sim_occupancy o = {0};
    bool fits = sim_occupancy_get(prof, block, registers, shared, 0, &o) == SIM_OK && o.blocks;
    text_style style = !fits         ? TEXT_DIM
                       : o.pct >= 75 ? TEXT_GOOD
                       : o.pct >= 40 ? TEXT_WARN
                                     : TEXT_BAD;
    char number[16];
    snprintf(number, sizeof number, fits ? "%.0f" : "-", o.pct);
    text_put(p->out, TEXT_STRONG, "%s", own ? "[" : " ");
    text_put(p->out, style, "%*s", p->out->width < 72 ? 3 : 4, number);
    text_put(p->out, TEXT_STRONG, "%s", own ? "]" : " ");
}

void show_calculator(const show_place *p, const char *device, unsigned block, unsigned registers,
                     uint64_t shared) {
    static const unsigned blocks[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024},
                          counts[] = {16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255};
    const sim_profile *prof = sim_profile_find(strncmp(device, "sim:", 4) ? "h200" : device + 4);
    if (!prof || !block || !registers) return;
    bool near = p->out->width < 72;
    unsigned across[AXIS], down[AXIS];
    size_t columns = axis_values(across, blocks, sizeof blocks / sizeof *blocks, block,
                                 prof->max_threads_block),
           rows = axis_values(down, counts, sizeof counts / sizeof *counts, registers,
                              prof->max_registers_thread);
    text_words(p->out, TEXT_STRONG, 2, p->lang,
               w_grade_show_calc_head(device, (unsigned long long)shared));
    text_cell(p->out, TEXT_DIM, 12, "  %s", lib_word(p->lang, W_GRADE_NAME_CALC_REGISTERS));
    text_put(p->out, TEXT_DIM, "%s\n", lib_word(p->lang, W_GRADE_NAME_THREADS_PER_BLOCK));
    text_put(p->out, TEXT_DIM, "%*s", near ? 8 : 12, " ");
    for (size_t c = 0; c < columns; c++)
        text_put(p->out, TEXT_DIM, "%*u ", near ? 4 : 5, across[c]);
    text_put(p->out, TEXT_PLAIN, "\n");
    for (size_t r = 0; r < rows; r++) {
        text_put(p->out, TEXT_DIM, near ? "%6u  " : "%9u   ", down[r]);
        for (size_t c = 0; c < columns; c++)
            calc_cell(p, prof, across[c], down[r], shared,
                      down[r] == registers && across[c] == block);
        text_put(p->out, TEXT_PLAIN, "\n");
    }
    sim_occupancy o = {0};
    if (sim_occupancy_get(prof, block, registers, shared, 0, &o) == SIM_OK && o.blocks) {
        bool by[] = {!strcmp(o.limiter, "blocks"), !strcmp(o.limiter, "warps"),
                     !strcmp(o.limiter, "registers")};
        text_words(p->out, TEXT_PLAIN, 2, p->lang,
                   w_grade_show_calc_mine(block, registers, o.blocks, o.pct,
                                          by[0]   ? W_GRADE_NAME_BLOCK_SLOTS
                                          : by[1] ? W_GRADE_NAME_WARP_SLOTS
                                          : by[2] ? W_GRADE_NAME_REGISTERS
                                                  : W_GRADE_NAME_SHARED_MEMORY));
    } else {
        text_words(p->out, TEXT_WARN, 2, p->lang,
                   w_grade_show_calc_unfit(block, registers, (unsigned long long)shared, device));
    }
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_CALC_NONE));
}
