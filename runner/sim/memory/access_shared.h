/* Shared memory: bank passes, what was never written, suspects of a race. See access_path.h; race.c
 * has the rules of races. */

/* Passes over `banks` banks (a power of two) for the lanes of `group`, each of which takes one
 * unit: the most distinct units on a bank. */
HOT unsigned bank_passes(const uint32_t unit[LANES], uint32_t group, unsigned banks) {
    uint32_t pick[LANES], rest = 0;
    for (uint32_t m = group; m; m &= m - 1) {
        uint32_t u = unit[__builtin_ctz(m)];
        pick[u & (banks - 1)] = u;
    }
    for (uint32_t m = group; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        rest |= (uint32_t)(pick[unit[l] & (banks - 1)] != unit[l]) << l;
    }
    if (!rest) return 1;
    /* a bank's further units, each counted once: open addressing by unit */
    uint32_t seen[64];
    uint64_t used = 0;
    uint8_t more[LANES] = {0};
    unsigned most = 0;
    for (uint32_t m = rest; m; m &= m - 1) {
        uint32_t u = unit[__builtin_ctz(m)];
        unsigned h = u * 0x9E3779B1u >> 26;
        while (used >> h & 1 && seen[h] != u) h = (h + 1) & 63;
        if (used >> h & 1) continue;
        used |= 1ull << h;
        seen[h] = u;
        unsigned n = ++more[u & (banks - 1)];
        most = n > most ? n : most;
    }
    return 1 + most;
}

/* 32 banks of 4 bytes. 8-byte lanes go by half warps, 16-byte ones by quarters; a unit is what a
 * lane takes then. off: lanes that are not active repeat an active one. Returns the passes; *least:
 * what the width needs. */
HOT unsigned passes_32(const uint32_t off[LANES], uint32_t mask, unsigned size, unsigned *least) {
    unsigned banks = size <= 4 ? 32 : 128 / size,
             shift = (unsigned)__builtin_ctz(size <= 4 ? 4 : size);
    uint32_t unit[LANES] __attribute__((aligned(64)));
    v32 low = ((v32){} + UINT32_MAX), high = {}, seen = {};
    for (unsigned i = 0; i < LANES; i += N32) {
        v32 u = *(const v32 *)(off + i) >> shift;
        *(v32 *)(unit + i) = u;
        low = min32(u, low);
        high = max32(u, high);
        seen |= ((v32){} + 1) << (u & 31);
    }
    uint32_t least_unit = least32(low), most_unit = most32(high);
    if (banks == 32) {
        *least = 1;
        if (most_unit - least_unit < 32) return 1;  /* different words are on different banks */
        if (pop(or32(seen)) == pop(mask)) return 1; /* every lane has a bank of its own */
        if (mask == ~0u) {
            uint32_t step = unit[1] - unit[0];
            v32 bad = {};
            for (unsigned i = 0; i < LANES; i += N32)
                bad |= *(const v32 *)(unit + i) ^ (unit[0] + *(const v32 *)(iota32 + i) * step);
            if (!any32(bad)) return 1u << (unsigned)__builtin_ctz(step | 32);
        }
        return bank_passes(unit, mask, 32);
    }
    unsigned passes = 0, groups = 0;
    for (unsigned g = 0; g < LANES; g += banks) {
        uint32_t group = mask & ((banks == 16 ? 0xffffu : banks == 8 ? 0xffu : 0xfu) << g);
        if (!group) continue;
        groups++;
        passes += most_unit - least_unit < banks ? 1 : bank_passes(unit, group, banks);
    }
    *least = groups;
    return passes;
}

/* Shadow cells; a cell of another thread since the last barrier is only a suspect, which
 * sim_race_conflict() looks into. */
enum { RACE_TID = (1 << RACE_TID_BITS) - 1, RACE_WARP = RACE_TID & ~(LANES - 1) };

/* Lanes one by one, whatever they meet. Atomics have cells of their own, so that they never suspect
 * one another. */
static void race_lanes(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                       uint32_t mask, unsigned per, const void *const src[]) {
    race_state *r = a->race;
    uint32_t serial = r->serial, epoch = r->epoch_start << RACE_TID_BITS,
             block = r->blank_below << RACE_TID_BITS, blank = 0;
    bool atomics = r->races && r->last_atomic >= r->epoch_start && !(how & RACE_ATOMIC);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint32_t key = serial << RACE_TID_BITS | (a->warp * LANES + l), at = off[l] >> r->shift;
        bool all_blank = how & RACE_READ;
        for (unsigned u = 0; u < per; u++, at++) {
            uint32_t cw = r->w[at];
            if (cw >= block) all_blank = false;
            if (r->races) {
                if (cw >= epoch && ((cw ^ key) & RACE_TID) && cw >> RACE_TID_BITS != serial)
                    sim_race_conflict(a, s, l, u, cw, true, how, src, off[l]);
                if (atomics && r->a[at] >= epoch && ((r->a[at] ^ key) & RACE_TID))
                    sim_race_conflict(a, s, l, u, r->a[at], true, how, src, off[l]);
                uint32_t c0 = r->r0[at], c1 = r->r1[at];
                if (how & RACE_WRITE) {
                    if (c0 >= epoch && ((c0 ^ key) & RACE_TID) && c0 >> RACE_TID_BITS != serial)
                        sim_race_conflict(a, s, l, u, c0, false, how, src, off[l]);
                    if (c1 >= epoch && ((c1 ^ key) & RACE_WARP))
                        sim_race_conflict(a, s, l, u, c1, false, how, src, off[l]);
                }
                if (how == RACE_READ) {
                    if (c0 >= epoch && ((c0 ^ key) & RACE_WARP)) r->r1[at] = c0;
                    r->r0[at] = key;
                }
            }
            if (how == RACE_WRITE) r->w[at] = key;
            else if (how & RACE_WRITE) {
                if (r->races) r->a[at] = key;
                if (cw < r->block_start << RACE_TID_BITS)
                    r->w[at] = r->block_start << RACE_TID_BITS; /* written, by nobody's race */
            }
        }
        if (all_blank) blank |= 1u << l;
    }
    if (UNLIKELY(blank)) sim_race_blank(a, s, blank, off);
    if (how != RACE_WRITE || !r->races) return;
    for (uint32_t m = mask; m; m &= m - 1) { /* two lanes of this store in one cell? */
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned u = 0; u < per; u++) {
            uint32_t cell = r->w[(off[l] >> r->shift) + u];
            if (UNLIKELY((cell & (LANES - 1)) != l))
                sim_race_same_store(a, s, l, cell & (LANES - 1), u, src, off);
        }
    }
}

/* Lanes in cells anywhere: looks first, then writes. False if a cell is suspect: nothing was
 * changed then. */
HOT bool race_apart(race_state *r, unsigned how, uint32_t key0, const uint32_t *off,
                    uint32_t mask) {
    uint32_t epoch = r->epoch_start << RACE_TID_BITS, block = r->blank_below << RACE_TID_BITS;
    uint32_t at[LANES] __attribute__((aligned(64)));
    v32 bad = {}, other = {};
    for (unsigned i = 0; i < LANES; i += N32) {
        v32 index = *(const v32 *)(off + i) >> r->shift, on = lanes32(mask, i),
            key = key0 + *(const v32 *)(iota32 + i);
        v32 cw = gather32(r->w, index);
        *(v32 *)(at + i) = index;
        if (how & RACE_READ) bad |= on & (v32)(cw < block);
        if (!r->races) continue;
        v32 c0 = gather32(r->r0, index);
        bad |= on & (v32)(cw >= epoch) & (v32)(((cw ^ key) & RACE_TID) != 0);
        if (how & RACE_READ)
            other |= on & (v32)(c0 >= epoch) & (v32)(((c0 ^ key) & RACE_WARP) != 0);
        if (how & RACE_WRITE) {
            v32 c1 = gather32(r->r1, index);
            bad |= on & (v32)(c0 >= epoch) & (v32)(((c0 ^ key) & RACE_TID) != 0);
            bad |= on & (v32)(c1 >= epoch) & (v32)(((c1 ^ key) & RACE_WARP) != 0);
        }
    }
    if (UNLIKELY(any32(bad))) return false;
    if (how & RACE_READ) {
        if (!r->races) return true;
        if (any32(other))
            for (uint32_t m = mask; m; m &= m - 1) {
                uint32_t cell = at[__builtin_ctz(m)], c0 = r->r0[cell];
                if (c0 >= epoch && (c0 ^ key0) & RACE_WARP) r->r1[cell] = c0;
            }
        if (mask == ~0u)
            for (unsigned l = 0; l < LANES; l++) r->r0[at[l]] = key0 + l;
        else
            for (uint32_t m = mask; m; m &= m - 1)
                r->r0[at[__builtin_ctz(m)]] = key0 + (unsigned)__builtin_ctz(m);
        return true;
    }
    if (mask == ~0u)
        for (unsigned l = 0; l < LANES; l++) r->w[at[l]] = key0 + l;
    else
        for (uint32_t m = mask; m; m &= m - 1)
            r->w[at[__builtin_ctz(m)]] = key0 + (unsigned)__builtin_ctz(m);
    if (!r->races) return true;
    for (unsigned i = 0; i < LANES; i += N32)
        bad |= lanes32(mask, i) &
               (gather32(r->w, *(v32 *)(at + i)) ^ (key0 + *(const v32 *)(iota32 + i)));
    return !any32(bad); /* two lanes in one cell: what they wrote is looked at again, as theirs */
}

/* Lanes first .. first + count, side by side from off0 on. False if a cell is suspect: nothing was
 * changed then. */
HOT bool race_run(race_state *r, unsigned how, uint32_t key0, uint32_t off0, unsigned first,
                  unsigned count, unsigned per) {
    unsigned lg = (unsigned)__builtin_ctz(per), n = count * per;
    uint32_t at = off0 >> r->shift, *w = r->w + at, *r0 = r->r0 + at, *r1 = r->r1 + at;
    uint32_t epoch = r->epoch_start << RACE_TID_BITS, block = r->blank_below << RACE_TID_BITS;
    v32 bad = {};
    for (unsigned i = 0; i < n; i += N32) {
        v32 index = i + *(const v32 *)iota32, in = (v32)(index < n),
            key = key0 + first + (index >> lg), cw = *(v32 *)(w + i);
        if (how & RACE_READ) bad |= in & (v32)(cw < block);
        if (!r->races) continue;
        bad |= in & (v32)(cw >= epoch) & (v32)(((cw ^ key) & RACE_TID) != 0);
        if (how & RACE_WRITE) {
            v32 c0 = *(v32 *)(r0 + i), c1 = *(v32 *)(r1 + i);
            bad |= in & (v32)(c0 >= epoch) & (v32)(((c0 ^ key) & RACE_TID) != 0);
            bad |= in & (v32)(c1 >= epoch) & (v32)(((c1 ^ key) & RACE_WARP) != 0);
        }
    }
    if (UNLIKELY(any32(bad))) return false;
    for (unsigned i = 0; i < n; i += N32) {
        v32 index = i + *(const v32 *)iota32, in = (v32)(index < n),
            key = key0 + first + (index >> lg);
        if (how & RACE_WRITE) *(v32 *)(w + i) = (key & in) | (*(v32 *)(w + i) & ~in);
        if (!(how & RACE_READ) || !r->races) continue;
        v32 c0 = *(v32 *)(r0 + i), c1 = *(v32 *)(r1 + i);
        v32 other = in & (v32)(c0 >= epoch) & (v32)(((c0 ^ key) & RACE_WARP) != 0);
        *(v32 *)(r1 + i) = (c0 & other) | (c1 & ~other);
        *(v32 *)(r0 + i) = (key & in) | (c0 & ~in);
    }
    return true;
}

/* Neither a run nor one place. off: lanes that are not active repeat an active one, off[LANES]
 * too. */
APART void race_scattered(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                          uint32_t mask, unsigned size, unsigned per, const void *const src[]) {
    race_state *r = a->race;
    uint32_t key0 = r->serial << RACE_TID_BITS | a->warp * LANES;
    uint32_t repeats = 0, halves = 0, ends = 0;
    for (unsigned i = 0; i < LANES; i += N32) {
        v32 x = *(const v32 *)(off + i), y = *(const v32 *)(off + i + 1);
        repeats |= bits32((v32)(y == x)) << i;
        ends |= bits32((v32)(y != x + size)) << i;
    }
    if (how == RACE_READ) {
        for (unsigned i = 0; i < LANES / 2; i += N32)
            halves |= bits32(*(const v32 *)(off + i) ^ *(const v32 *)(off + i + LANES / 2));
        repeats &= mask; /* of lanes that are active */
        if (!halves && mask & 0xffff) mask &= 0xffff;
        mask &= ~(repeats << 1);
    }
    /* a row of a tile twice, two rows, four of a smaller one */
    if (mask == 0xffff && !(ends & 0x7fff) && race_run(r, how, key0, off[0], 0, 16, per)) return;
    if (how == RACE_READ && mask == ~0u && pop(ends) <= 5) {
        unsigned l = 0;
        for (uint32_t e = ends | 1u << 31; e; e &= e - 1) {
            unsigned to = (unsigned)__builtin_ctz(e) + 1;
            if (!race_run(r, how, key0, off[l], l, to - l, per)) break;
            l = to;
            mask = l < LANES ? ~0u << l : 0;
        }
        if (!mask) return;
    }
    if (pop(mask) <= 4 && how == RACE_READ) {
        for (; mask; mask &= mask - 1) {
            unsigned l = (unsigned)__builtin_ctz(mask);
            if (!race_run(r, how, key0, off[l], l, 1, per)) break;
        }
        if (!mask) return;
    }
    if (LIKELY(per == 1) && race_apart(r, how, key0, off, mask)) return;
    race_lanes(a, s, how, off, mask, per, src);
}

HOT void race_cells(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                    uint32_t mask, unsigned size, bool run, bool same, const void *const src[]) {
    race_state *r = a->race;
    if (UNLIKELY(r->serial >= (1u << (32 - RACE_TID_BITS)) - 3)) sim_race_overflow(r);
    uint32_t key0 = ++r->serial << RACE_TID_BITS | a->warp * LANES;
    if (r->races) {
        if (UNLIKELY(r->serial - r->epoch_start > r->log_mask) && r->log_mask + 1 < RACE_LOG)
            sim_race_log_grow(r);
        r->log[r->serial & r->log_mask] = (race_log){s, r->serial, mask};
    }
    unsigned per = size >> r->shift ? size >> r->shift : 1;
    if (UNLIKELY(how & RACE_ATOMIC)) {
        race_lanes(a, s, how, off, mask, per, src);
        if (how & RACE_WRITE) r->last_atomic = r->serial;
        return;
    }
    if (UNLIKELY(r->last_atomic >= r->epoch_start)) {
        race_lanes(a, s, how, off, mask, per, src);
        return;
    }
    if (LIKELY(run)) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        if (LIKELY(mask == ~0u && per == 1)) {
            if (LIKELY(race_run(r, how, key0, off[0], 0, LANES, 1))) return;
        } else if (LIKELY(race_run(r, how, key0, off[first], first, pop(mask), per))) return;
    } else if (how == RACE_READ && same) { /* reads of one place by several lanes are one */
        mask &= -mask;
        if (LIKELY(race_run(r, how, key0, off[__builtin_ctz(mask)], (unsigned)__builtin_ctz(mask),
                            1, per)))
            return;
    } else if (!same) {
        race_scattered(a, s, how, off, mask, size, per, src);
        return;
    }
    race_lanes(a, s, how, off, mask, per, src);
}

HOT unsigned race_how(const sim_site *s, unsigned kind) {
    return kind == SIM_ACCESS_STORE  ? RACE_WRITE | (s->flags & SIM_SITE_STRONG ? RACE_ATOMIC : 0)
           : kind == SIM_ACCESS_ATOM ? RACE_READ | RACE_WRITE | RACE_ATOMIC
                                     : RACE_READ | (s->flags & SIM_SITE_STRONG ? RACE_ATOMIC : 0);
}

/* Lanes that are neither side by side nor in one place: fills off, counts passes. */
APART uint32_t shared_each(sim_access *a, const sim_site *s, const uint32_t *addr, uint32_t mask,
                           unsigned size, uint32_t *off, unsigned *passes, unsigned *least) {
    uint32_t a0 = addr[__builtin_ctz(mask)];
    v32 high = {}, align = {};
    for (unsigned i = 0; i < LANES; i += N32) {
        v32 x = *(const v32 *)(addr + i);
        if (mask != ~0u) {
            v32 on = lanes32(mask, i);
            x = (x & on) | (a0 & ~on);
        }
        *(v32 *)(off + i) = x;
        align |= x;
        high = max32(x, high);
    }
    if (UNLIKELY((or32(align) & (size - 1)) || (uint64_t)most32(high) + size > a->shared_bytes)) {
        mask = sim_access_bounds(a, s, addr, mask, size, SIM_SPACE_SHARED);
        if (!mask) return 0;
        for (uint32_t m = ~mask; m; m &= m - 1) off[__builtin_ctz(m)] = addr[__builtin_ctz(mask)];
    }
    off[LANES] = off[LANES - 1];
    *passes = UNLIKELY(a->strict) ? sim_access_banks_16(off, mask, size, least)
                                  : passes_32(off, mask, size, least);
    return mask;
}

HOT uint32_t shared_place(sim_access *a, const sim_site *s, site_state *st, const uint32_t *addr,
                          uint32_t mask, unsigned size, unsigned kind, const void *const src[],
                          place *at) {
    if (UNLIKELY(!mask)) return 0;
    unsigned first = (unsigned)__builtin_ctz(mask), count = pop(mask), passes, least;
    uint32_t a0 = addr[first], *off = at->off.narrow;
    const uint32_t *cells = off;
    at->run = at->same = at->half[0] = NULL;
    at->base = a->shared;
    at->first = first;
    at->count = count;
    begin_cost(a, SIM_SPACE_SHARED, count);
    st->requests++;
    st->lanes += count;
    bool run = adjacent(mask, first) && (count == 1 || follow32(addr, mask, first, size));
    if (LIKELY(run || equal32(addr, mask, first)) && !(a0 & (size - 1)) &&
        (uint64_t)a0 + (run ? count * size : size) <= a->shared_bytes) {
        if (run) at->run = a->shared + a0;
        else at->same = a->shared + a0;
        cells = addr;
        passes = least = 1;
        if (size > 4) { /* each half, quarter ... of the warp with a lane in it takes a pass */
            unsigned lanes = 128 / size;
            if (run) passes = (first + count - 1) / lanes - first / lanes + 1;
            else {
                passes = 0;
                for (unsigned g = 0; g < LANES; g += lanes)
                    passes += (mask >> g & ((1ull << lanes) - 1)) != 0;
            }
            least = passes;
        }
        if (UNLIKELY(a->strict)) passes = sim_access_banks_16(addr, mask, size, &least);
    } else {
        mask = shared_each(a, s, addr, mask, size, off, &passes, &least);
        if (UNLIKELY(!mask)) return 0;
    }
    st->passes += passes;
    st->conflicts += passes - least;
    a->cost.passes = (uint16_t)passes;
    if (kind == SIM_ACCESS_ATOM) {
        unsigned distinct = count, most = 1;
        if (at->same) most = count, distinct = 1;
        else if (!at->run) {
            uint64_t wide[LANES];
            for (unsigned l = 0; l < LANES; l++) wide[l] = off[l];
            most = most_equal(wide, mask, &distinct);
        }
        st->serial += most;
        a->cost.passes = (uint16_t)most;
        a->cost.distinct = (uint16_t)distinct;
    }
    if (a->race) {
        race_cells(a, s, race_how(s, kind), cells, mask, size, at->run != NULL, at->same != NULL,
                   src);
        if (UNLIKELY(s->flags & (SIM_SITE_ACQUIRE | SIM_SITE_RELEASE))) sim_race_order(a, s, mask);
    }
    return mask;
}
