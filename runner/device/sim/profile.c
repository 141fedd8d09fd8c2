/* The devices of runner/device/targets/boards.def as profiles, the functions that find them, and
 * the origin of their figures. The boards' files are included twice: for the profiles, and for the
 * rows that give each figure's origin. */
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include "runner/device/targets/sources.h"
#include <string.h>

/* A board's file includes other files and states some of their figures again. The last one stated
 * is the board's. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
/* clang-format off */
static const sim_profile profiles[] = {
#define BOARD(n, m)                        {.name = #n, .marketing = m,
#define ARCHITECTURE(n)                    .architecture = #n,
#define FIGURE(field, figure, origin, ...) .field = figure,
#define SIZES(...)                         {__VA_ARGS__}
#define END                                },
#include "runner/device/targets/boards.def"
#undef BOARD
#undef ARCHITECTURE
#undef FIGURE
#undef END
};
/* clang-format on */
#pragma GCC diagnostic pop

enum {
#define FIELD(type, name, unit, meaning) FIELD_##name,
#include "runner/device/targets/fields.def"
#undef FIELD
    FIELDS,
    FIELDS_BEGIN /* a board's first row */
};

typedef struct {
    unsigned field;
    const char *source, *from; /* FIELDS_BEGIN: the board's name is the source */
    sim_figure_origin origin;
    bool scaled;
} figure_row;

static const figure_row rows[] = {
#define BOARD(n, m) {.field = FIELDS_BEGIN, .source = #n},
#define ARCHITECTURE(n)
#define FIGURE(name, figure, known, said) {.field = FIELD_##name, .source = said, known},
#define MEASURED                          .origin = SIM_MEASURED
#define DOCUMENTED                        .origin = SIM_DOCUMENTED
#define ASSUMED                           .origin = SIM_ASSUMED
#define BORROWED(device)                  .origin = SIM_BORROWED, .from = #device
#define SCALED(device)                    .origin = SIM_BORROWED, .from = #device, .scaled = true
#define END
#include "runner/device/targets/boards.def"
};

static const struct {
    const char *name, *unit, *meaning;
    sim_figure_type type;
    size_t at;
} fields[] = {
#define FIELD(type, name, unit, meaning)                                                           \
    {#name, unit, meaning, FIELD_TYPE_##type, offsetof(sim_profile, name)},
#define FIELD_TYPE_COUNT SIM_COUNT
#define FIELD_TYPE_BYTES SIM_BYTES
#define FIELD_TYPE_REAL  SIM_REAL
#define FIELD_TYPE_FLAG  SIM_FLAG
#define FIELD_TYPE_SIZES SIM_SIZES_KB
#include "runner/device/targets/fields.def"
#undef FIELD
};

size_t sim_figure_count(void) {
    return FIELDS;
}

/* Returns the last row that the board `name` has for a field; NULL: none. */
static const figure_row *figure_find(const char *name, size_t field) {
    const figure_row *found = NULL;
    bool here = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].field == FIELDS_BEGIN) here = !strcmp(rows[i].source, name);
        else if (here && rows[i].field == field) found = &rows[i];
    }
    return found;
}

static void figure_read(sim_figure *f, const void *at) {
    f->values = 1;
    switch (f->type) {
    case SIM_COUNT: f->value[0] = *(const unsigned *)at; break;
    case SIM_BYTES: f->value[0] = (double)*(const uint64_t *)at; break;
    case SIM_REAL: f->value[0] = *(const double *)at; break;
    case SIM_FLAG: f->value[0] = *(const bool *)at; break;
    case SIM_SIZES_KB:
        f->value[0] = *(const uint16_t *)at;
        while (f->values < SIM_SIZES && ((const uint16_t *)at)[f->values]) {
            f->value[f->values] = ((const uint16_t *)at)[f->values];
            f->values++;
        }
        break;
    }
}

sim_figure sim_figure_at(const sim_profile *p, size_t i) {
    sim_figure f = {.name = fields[i].name,
                    .unit = fields[i].unit,
                    .meaning = fields[i].meaning,
                    .type = fields[i].type};
    const figure_row *row = figure_find(p->name, i);
    figure_read(&f, (const char *)p + fields[i].at);
    if (row)
        f.origin = row->origin, f.from = row->from, f.scaled = row->scaled, f.source = row->source;
    return f;
}

const sim_profile *sim_profile_find(const char *name) {
    if (!name) return NULL;
    for (size_t i = 0; i < sim_profile_count(); i++)
        if (!strcmp(profiles[i].name, name)) return &profiles[i];
    return NULL;
}

size_t sim_profile_count(void) {
    return sizeof profiles / sizeof *profiles;
}

const sim_profile *sim_profile_at(size_t i) {
    return i < sim_profile_count() ? &profiles[i] : NULL;
}

static uint64_t block_bytes(const sim_profile *p, uint64_t shared) {
    return (shared + p->shared_reserved + p->shared_unit - 1) / p->shared_unit * p->shared_unit;
}

/* Returns the smallest carve-out of at least `need` bytes, or the largest if none is that large. */
static uint64_t carveout_of(const sim_profile *p, uint64_t need) {
    uint64_t take = 0;
    for (unsigned i = 0; i < SIM_SIZES; i++) {
        if (i && !p->shared_carveouts_kb[i]) break;
        take = p->shared_carveouts_kb[i] * (uint64_t)1024;
        if (take >= need) break;
    }
    return take;
}

uint64_t sim_profile_carveout(const sim_profile *p, unsigned percent, uint64_t shared) {
    uint64_t block = block_bytes(p, shared), wanted = p->shared_sm * percent / 100;
    return carveout_of(p, wanted > block ? wanted : block);
}

uint64_t sim_profile_launch_carveout(const sim_profile *p, unsigned percent, uint64_t shared) {
    uint64_t wanted = p->shared_sm * percent / 100,
             blocks = shared ? (wanted > shared ? wanted / shared : 1) * block_bytes(p, shared) : 0;
    return carveout_of(p, wanted > blocks ? wanted : blocks);
}

uint64_t sim_profile_l1(const sim_profile *p, uint64_t shared, unsigned resident_blocks,
                        uint64_t carveout) {
    if (!p->l1_bytes) return 0;
    uint64_t need = block_bytes(p, shared) * (resident_blocks ? resident_blocks : 1);
    if (!shared && !p->shared_reserved) need = 0;
    uint64_t take = carveout ? carveout : carveout_of(p, need);
    return take < p->l1_bytes ? p->l1_bytes - take : 0;
}

unsigned sim_profile_clusters(const sim_profile *p, unsigned resident, unsigned size) {
    unsigned all = 0;
    for (unsigned g = 0; g < SIM_SIZES && p->gpc_pairs[g] && size; g++)
        all += 2u * p->gpc_pairs[g] * resident / size;
    return all;
}
