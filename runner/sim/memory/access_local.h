/* Local memory: words of the 32 lanes of a warp lie side by side, so that lanes that access the
 * same variable access one line. See access_path.h. Written sectors stay in L1 and go to L2 when
 * they are evicted. */

/* Checks and counts; the bytes of word k of a lane lie at a->local + ((off >> 2) + k) * 128 + lane
 * * 4 + (off & 3). */
static uint32_t local_check(sim_access *a, const sim_site *s, site_state *st, const uint32_t *addr,
                            uint32_t mask, unsigned size, unsigned kind, bool *level) {
    if (UNLIKELY(!mask)) return 0;
    unsigned first = (unsigned)__builtin_ctz(mask), words = size > 4 ? size / 4 : 1, lines = 0,
             sectors = 0, found = 0;
    uint32_t a0 = addr[first], differ = 0, most = a0, bits = a0;
    begin_cost(a, SIM_SPACE_LOCAL, pop(mask));
    st->requests++;
    st->lanes += pop(mask);
    if (!equal32(addr, mask, first))
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t x = addr[__builtin_ctz(m)];
            differ |= x ^ a0;
            bits |= x;
            most = x > most ? x : most;
        }
    if (UNLIKELY((bits & (size - 1)) || (uint64_t)most + size > a->local_bytes)) {
        mask = sim_access_bounds(a, s, addr, mask, size, SIM_SPACE_LOCAL);
        if (!mask) return 0;
    }
    *level = !(differ >> 2); /* every lane in the same word */
    struct {
        uint32_t row;
        uint8_t sectors;
    } list[LANES];
    if (*level) {
        list[0].row = a0 >> 2;
        list[0].sectors =
            (uint8_t)(((mask & 0xff) != 0) | ((mask & 0xff00) != 0) << 1 |
                      ((mask & 0xff0000) != 0) << 2 | ((mask & 0xff000000) != 0) << 3);
        lines = 1;
    } else
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m), i = 0;
            uint32_t row = addr[l] >> 2;
            while (i < lines && list[i].row != row) i++;
            if (i == lines) {
                list[lines].row = row;
                list[lines++].sectors = 0;
            }
            list[i].sectors |= (uint8_t)(1u << l / 8);
        }
    for (unsigned i = 0; i < lines; i++)
        for (unsigned k = 0; k < words; k++) {
            uint64_t line = a->local_line + list[i].row + k, evicted = 0;
            unsigned want = list[i].sectors;
            sectors += pop(want);
            if (kind == SIM_ACCESS_LOAD) {
                unsigned hits = sim_l1_load(a->l1, line, want, &evicted);
                found += pop(hits);
                if (hits != want) push(a->block, line, want & ~hits, SIM_STREAM_LOAD, 0);
            } else {
                sim_l1_store(a->l1, line, want, &evicted);
                if (!a->l1->sets) push(a->block, line, want, SIM_STREAM_STORE, words_of(want));
            }
            if (UNLIKELY(evicted))
                push(a->block, evicted >> 24, evicted >> 4 & 15, SIM_STREAM_STORE,
                     words_of(evicted >> 4 & 15));
        }
    end_cost(a, st, lines * words, sectors, found);
    return mask;
}

HOT uint8_t *local_word(const sim_access *a, uint32_t off, unsigned lane) {
    return a->local + (uint64_t)(off >> 2) * 128 + lane * 4 + (off & 3);
}

static uint32_t load_local_in(sim_access *a, const sim_site *s, site_state *st,
                              const uint32_t *addr, uint32_t mask, void *const dst[]) {
    unsigned elem = s->elem, reg = s->reg;
    bool level, sx = s->flags & SIM_SITE_SEXT;
    mask = local_check(a, s, st, addr, mask, elem * s->vec, s->kind, &level);
    for (unsigned k = 0; k < s->vec; k++) {
        void *to = dst[k];
        if (!to || !mask) continue;
        if (level && mask == ~0u && elem == 4 && reg == 4) {
            memcpy(to, local_word(a, addr[0] + k * 4, 0), 128);
            continue;
        }
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            const uint8_t *p = local_word(a, addr[l] + k * elem, l);
            uint64_t v = elem == 8 ? fetch(p, 4, false) | fetch(p + 128, 4, false) << 32
                                   : fetch(p, elem, sx);
            put_reg(to, l, reg, v);
        }
    }
    return mask;
}

static uint32_t store_local_in(sim_access *a, const sim_site *s, site_state *st,
                               const uint32_t *addr, uint32_t mask, const void *const src[]) {
    unsigned elem = s->elem, reg = s->reg;
    bool level;
    mask = local_check(a, s, st, addr, mask, elem * s->vec, SIM_ACCESS_STORE, &level);
    for (unsigned k = 0; k < s->vec && mask; k++) {
        if (level && mask == ~0u && elem == 4 && reg == 4) {
            memcpy(local_word(a, addr[0] + k * 4, 0), src[k], 128);
            continue;
        }
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            uint8_t *p = local_word(a, addr[l] + k * elem, l);
            uint64_t v = get_reg(src[k], l, reg);
            store(p, elem == 8 ? 4 : elem, v);
            if (elem == 8) store(p + 128, 4, v >> 32);
        }
    }
    return mask;
}
