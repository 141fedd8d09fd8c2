/* Global and constant memory: see access_path.h.
 *
 *   global_place()   recognises runs, checks against the inline cache of the allocation hit last
 *     count_run() or count_each()  -> sectors; line by line -> L1 -> the block's stream */

HOT void push(sim_block_mem *b, uint64_t line, unsigned sectors, unsigned op, uint32_t words) {
    if (UNLIKELY(b->stream_n == b->stream_cap)) sim_stream_grow(b);
    b->stream[b->stream_n++] = (sim_stream_entry){
        .line = line, .words = words, .sectors = (uint8_t)sectors, .op = (uint8_t)op};
}

/* Parts of a sector that a warp writes in consecutive instructions (the members of a struct) reach
 * L2 as one write, as measured on hardware: 12-byte structs stored member by member cost the
 * traffic of their bytes. Words written again are a write of their own. */
HOT void push_part(sim_block_mem *b, uint32_t warp, uint64_t line, unsigned sectors,
                   uint32_t words) {
    merge_slots *m = &b->merge;
    unsigned i = line % MERGE;
    if (m->line[i] == line && m->warp[i] == warp && b->stores - m->store[i] < MERGE_STORES &&
        m->at[i] < b->stream_n && !(b->stream[m->at[i]].words & words)) {
        b->stream[m->at[i]].words |= words;
        b->stream[m->at[i]].sectors |= (uint8_t)sectors;
        return;
    }
    if (UNLIKELY(b->stream_n == b->stream_cap)) sim_stream_grow(b); /* may forget the slots */
    m->line[i] = line;
    m->warp[i] = warp;
    m->store[i] = b->stores;
    m->at[i] = b->stream_n;
    push(b, line, sectors, SIM_STREAM_STORE, words);
}

/* sim_l1_load() in a set that is there, with the search for lines that are not, the common case of
 * what comes so far, in vectors: every way moves back one place. */
HOT unsigned l1_load_in(sim_l1 *l, uint64_t *set, uint64_t key, unsigned sectors,
                        uint64_t *evicted) {
    uint64_t newest = set[0];
    if (newest >> 8 == key) { /* the set's last used line */
        set[0] = newest | sectors;
        return (unsigned)newest & sectors;
    }
#if VB == 64
    _Static_assert(SIM_L1_WAYS == 8, "a vector");
    __m512i ways = _mm512_loadu_si512(set), want = _mm512_set1_epi64((long long)key);
    if (!_mm512_cmpeq_epi64_mask(_mm512_srli_epi64(ways, 8), want)) {
        uint64_t was = set[7];
        __m512i line = _mm512_set1_epi64((long long)(key << 8 | sectors));
        _mm512_storeu_si512(set, _mm512_alignr_epi64(ways, line, 7));
        if (UNLIKELY((was & 0xf0) && (was >> 8 & 0xffff) == (key & 0xffff))) *evicted = was;
        return 0;
    }
#elif VB == 32
    _Static_assert(SIM_L1_WAYS == 8, "two vectors of four");
    __m256i low = _mm256_loadu_si256((const __m256i *)set),
            want = _mm256_set1_epi64x((long long)key);
    __m256i high = _mm256_loadu_si256((const __m256i *)(set + 4));
    __m256i same = _mm256_or_si256(_mm256_cmpeq_epi64(_mm256_srli_epi64(low, 8), want),
                                   _mm256_cmpeq_epi64(_mm256_srli_epi64(high, 8), want));
    if (_mm256_testz_si256(same, same)) {
        uint64_t was = set[7];
        __m256i back = _mm256_loadu_si256((const __m256i *)(set + 3));
        _mm256_storeu_si256((__m256i *)(set + 1), low);
        _mm256_storeu_si256((__m256i *)(set + 4), back);
        set[0] = key << 8 | sectors;
        if (UNLIKELY((was & 0xf0) && (was >> 8 & 0xffff) == (key & 0xffff))) *evicted = was;
        return 0;
    }
#endif
    return sim_l1_search(l, set, key, sectors, false, evicted);
}
HOT unsigned l1_load(sim_l1 *l, uint64_t line, unsigned sectors, uint64_t *evicted) {
    if (UNLIKELY(!l->sets)) return 0;
    return l1_load_in(l, sim_l1_set(l, line), line << 16 | l->launch, sectors, evicted);
}

HOT unsigned sectors_of(uint32_t words) {
    uint32_t w = words | words >> 4;
    w |= w >> 2;
    w |= w >> 1;
    w &= 0x01010101;
    return (w | w >> 7 | w >> 14 | w >> 21) & 15;
}
HOT uint32_t words_of(unsigned sectors) {
    return (sectors * 0x204081u & 0x1010101) * 0xff;
}

/* A line of the access reaches the caches. `words`: stores only. Returns how many sectors L1
 * had. */
HOT unsigned line_goes(sim_access *a, bool bypass, unsigned kind, uint64_t line, unsigned sectors,
                       uint32_t words) {
    sim_block_mem *b = a->block;
    if (kind == SIM_ACCESS_STORE) {
        if (words == words_of(sectors)) push(b, line, sectors, SIM_STREAM_STORE, words);
        else push_part(b, a->warp, line, sectors, words);
        return 0;
    }
    if (kind == SIM_ACCESS_ATOM) {
        b->atomics = true;
        push(b, line, sectors, SIM_STREAM_ATOM, 0);
        return 0;
    }
    uint64_t evicted = 0;
    unsigned hits = bypass ? 0 : l1_load(a->l1, line, sectors, &evicted);
    if (hits != sectors) push(b, line, sectors & ~hits, SIM_STREAM_LOAD, 0);
    if (UNLIKELY(evicted))
        push(b, evicted >> 24, evicted >> 4 & 15, SIM_STREAM_STORE, words_of(evicted >> 4 & 15));
    return pop(hits);
}

HOT void begin_cost(sim_access *a, sim_space space, unsigned lanes) {
    a->cost = (sim_access_cost){.space = (uint8_t)space,
                                .lanes = (uint8_t)lanes,
                                .passes = 1,
                                .stream_at = a->block->stream_base + a->block->stream_n};
}
HOT void end_cost(sim_access *a, site_state *st, unsigned lines, unsigned sectors, unsigned hits) {
    a->cost.lines = (uint16_t)lines;
    a->cost.sectors = (uint16_t)sectors;
    a->cost.l1_hits = (uint16_t)hits;
    a->cost.stream_n = a->block->stream_base + a->block->stream_n - a->cost.stream_at;
    st->sectors += sectors;
    st->l1_hits += hits;
}

/* L1 had nothing of a run of lanes: the next one that it has nothing of may lie as far on as this
 * one does from the last. The host fetches what will be looked at there. */
HOT void expect_run(const sim_access *a, site_state *st, uint64_t line, const uint8_t *host) {
    uint64_t step = line - st->missed;
    st->missed = line;
    sim_l1_prefetch(a->l1, line + step);
    host = (const uint8_t *)((uintptr_t)host + step * SIM_LINE_BYTES);
    __builtin_prefetch(host);
    __builtin_prefetch(host + SIM_LINE_BYTES / 2);
}

/* n bytes from a0 on, all of them; they lie at host. */
HOT void count_run(sim_access *a, const sim_site *s, site_state *st, unsigned kind, uint64_t a0,
                   unsigned n, const uint8_t *host) {
    uint64_t end = a0 + n - 1, line = a0 >> 7, last = end >> 7;
    unsigned sectors = (unsigned)((end >> 5) - (a0 >> 5)) + 1, lines = (unsigned)(last - line) + 1;
    unsigned from = a0 & 127, hits = 0;
    bool bypass = s->flags & SIM_SITE_BYPASS_L1;
    if (kind == SIM_ACCESS_STORE) a->block->stores++;
    for (; line <= last; line++, from = 0) {
        unsigned to = line == last ? end & 127 : 127; /* inclusive */
        unsigned mask = (2u << (to >> 5)) - (1u << (from >> 5));
        uint32_t words =
            kind == SIM_ACCESS_STORE ? (uint32_t)((2ull << (to >> 2)) - (1ull << (from >> 2))) : 0;
        hits += line_goes(a, bypass, kind, line, mask, words);
    }
    if (kind != SIM_ACCESS_STORE && kind != SIM_ACCESS_ATOM && !hits && !bypass)
        expect_run(a, st, a0 >> 7, host);
    end_cost(a, st, lines, sectors, hits);
}

/* Loads of two half warps, n0 bytes from a0 and n1 from a1 on: rows of a tile 16 wide. */
static void count_halves(sim_access *a, const sim_site *s, site_state *st, uint64_t a0, unsigned n0,
                         uint64_t a1, unsigned n1) {
    uint64_t line[8];
    uint8_t sect[8];
    unsigned lines = 0, sectors = 0, hits = 0;
    bool bypass = s->flags & SIM_SITE_BYPASS_L1;
    for (unsigned h = 0; h < 2; h++) {
        uint64_t from = h ? a1 : a0, end = from + (h ? n1 : n0) - 1;
        for (uint64_t x = from >> 7; x <= end >> 7; x++) {
            unsigned low = x == from >> 7 ? from >> 5 & 3 : 0,
                     high = x == end >> 7 ? end >> 5 & 3 : 3, i = 0;
            while (i < lines && line[i] != x) i++;
            if (i == lines) {
                line[lines] = x;
                sect[lines++] = 0;
            }
            sect[i] |= (uint8_t)((2u << high) - (1u << low));
        }
    }
    for (unsigned i = 0; i < lines; i++) {
        sectors += pop(sect[i]);
        hits += line_goes(a, bypass, SIM_ACCESS_LOAD, line[i], sect[i], 0);
    }
    end_cost(a, st, lines, sectors, hits);
}

/* Where the next LANES entries of the stream go if there is room for as many, else NULL. */
HOT sim_stream_entry *stream_room(const sim_block_mem *b) {
    return LIKELY(b->stream_cap - b->stream_n >= LANES) ? b->stream + b->stream_n : NULL;
}

/* Loads of a sector of each of the lines; returns how many sectors L1 had. */
HOT unsigned load_apart(sim_access *a, const uint64_t line[LANES], const uint64_t sector[LANES],
                        const uint64_t set[LANES]) {
    sim_block_mem *b = a->block;
    sim_l1 *l1 = a->l1;
    uint64_t launch = l1->launch;
    unsigned hits = 0;
    sim_stream_entry *e = stream_room(b);
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t evicted = 0;
        unsigned want = (unsigned)sector[l],
                 hit = l1_load_in(l1, (uint64_t *)(uintptr_t)set[l], line[l] << 16 | launch, want,
                                  &evicted);
        if (hit) hits++;
        else if (LIKELY(e)) {
            *e++ = (sim_stream_entry){
                .line = line[l], .sectors = (uint8_t)want, .op = SIM_STREAM_LOAD};
            b->stream_n++;
        } else push(b, line[l], want, SIM_STREAM_LOAD, 0);
        if (LIKELY(!evicted)) continue;
        push(b, evicted >> 24, evicted >> 4 & 15, SIM_STREAM_STORE, words_of(evicted >> 4 & 15));
        e = NULL;
    }
    return hits;
}

/* May one of the lines, which differ, merge with an earlier store of the warp? Not if another has
 * taken its slot by then; otherwise only their words, which are not looked at here, can speak
 * against it. */
HOT bool may_merge(const sim_block_mem *b, uint32_t warp, const uint64_t line[LANES]) {
    const merge_slots *m = &b->merge;
    uint64_t open[MERGE] __attribute__((aligned(64)));
    unsigned any = 0;
    for (unsigned i = 0; i < MERGE; i++) {
        bool is = (m->warp[i] == warp) & (b->stores - m->store[i] < MERGE_STORES) &
                  (m->at[i] < b->stream_n);
        open[i] = is ? m->line[i] : UINT64_MAX;
        any |= is;
    }
    if (!any) return false;
    _Static_assert(MERGE == 16, "two vectors of eight");
    uint32_t hit = 0;
#if VB == 64
    __m512i low = _mm512_load_si512(open), high = _mm512_load_si512(open + 8);
    for (unsigned i = 0; i < LANES; i += N64) {
        __m512i x = _mm512_loadu_si512(line + i); /* of an index the low four bits count */
        hit |= (uint32_t)_mm512_cmpeq_epi64_mask(_mm512_permutex2var_epi64(low, x, high), x) << i;
    }
#else
    for (unsigned l = 0; l < LANES; l++) hit |= (uint32_t)(open[line[l] % MERGE] == line[l]) << l;
#endif
    for (; hit; hit &= hit - 1) {
        unsigned l = (unsigned)__builtin_ctz(hit), before = 0;
        while (before < l && (line[before] ^ line[l]) % MERGE) before++;
        if (before == l) return true;
    }
    return false;
}

/* Stores of part of a sector of each of the lines, which differ: as push_part(). */
HOT void store_apart(sim_access *a, const uint64_t line[LANES], const uint64_t words[LANES],
                     const uint64_t sector[LANES]) {
    sim_block_mem *b = a->block;
    merge_slots *m = &b->merge;
    uint32_t n = b->stream_n;
    sim_stream_entry *e = stream_room(b);
    if (UNLIKELY(!e) || UNLIKELY(may_merge(b, a->warp, line))) {
        for (unsigned l = 0; l < LANES; l++)
            push_part(b, a->warp, line[l], (unsigned)sector[l], (uint32_t)words[l]);
        return;
    }
    v64 *to = (v64 *)e, taken = {};
    for (unsigned i = 0; i < LANES;
         i += N64, to += 2) { /* a line and the rest, which is as in sim_stream_entry */
        v64 x = *(const v64 *)(line + i), rest = *(const v64 *)(words + i);
        zip64(x, rest | *(const v64 *)(sector + i) << 32 | (uint64_t)SIM_STREAM_STORE << 40, to);
        taken |= ((v64){} + 1) << (x % MERGE);
    }
    for (uint32_t l = 0; l < LANES; l++) { /* the last of a slot keeps it */
        unsigned i = line[l] % MERGE;
        m->line[i] = line[l];
        m->at[i] = n + l;
    }
    uint32_t slots = (uint32_t)or64(taken);
    for (unsigned i = 0; i < MERGE; i += N32) {
        v32 on = lanes32(slots, i), *warp = (v32 *)(m->warp + i), *store = (v32 *)(m->store + i);
        *warp = (*warp & ~on) | (a->warp & on);
        *store = (*store & ~on) | (b->stores & on);
    }
    b->stream_n = n + LANES;
}

/* The sets of lines in L1: sim_l1_set(). */
HOT v64 l1_set64(const sim_l1 *l1, v64 line) {
    const v64 none = {};
    v64 h = line * (none + 0x9E3779B97F4A7C15u);
    return (uint64_t)(uintptr_t)l1->way +
           (low_product64(h >> 32, none + l1->sets) >> 32) * (SIM_L1_WAYS * 8);
}

/* Brings into the host's cache what an access of 32 lines needs: their sets in L1 if it reads that,
 * and the bytes, if they lie at host. Its addresses are off + lo. */
HOT void ask_apart(const sim_l1 *l1, const uint64_t *off, uint64_t lo, bool writes,
                   const uint8_t *host) {
    if (host) {
        if (writes)
            for (unsigned l = 0; l < LANES; l++) __builtin_prefetch(host + off[l], 1);
        else
            for (unsigned l = 0; l < LANES; l++) __builtin_prefetch(host + off[l]);
    }
    if (!l1) return;
    uint64_t set[LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < LANES; i += N64)
        *(v64 *)(set + i) = l1_set64(l1, (*(const v64 *)(off + i) + lo) >> 7);
    for (unsigned l = 0; l < LANES; l++) __builtin_prefetch((void *)(uintptr_t)set[l], 1);
}

/* Every lane has a line of its own, and they rise: a column of a matrix, a stride of a line or
 * more. What is needed comes from 32 places of the host's memory of three kinds: all are asked for
 * before the first is waited for; a warp ahead, when the accesses of this site are as far apart as
 * the last two were. */
static void count_apart(sim_access *a, const sim_site *s, site_state *st, unsigned kind,
                        const uint64_t *off, uint64_t lo, uint32_t cell, const uint8_t *host) {
    enum { HOST_LINE = 64 };
    uint64_t line[LANES] __attribute__((aligned(64))), sector[LANES] __attribute__((aligned(64)));
    uint64_t words[LANES] __attribute__((aligned(64))), set[LANES] __attribute__((aligned(64)));
    unsigned hits = 0;
    bool store = kind == SIM_ACCESS_STORE, writes = kind != SIM_ACCESS_LOAD;
    const sim_l1 *l1 = kind != SIM_ACCESS_STORE && kind != SIM_ACCESS_ATOM &&
                               !(s->flags & SIM_SITE_BYPASS_L1) && a->l1->sets
                           ? a->l1
                           : NULL;
    uint64_t first = off[0] + lo, step = first - st->apart, of = (uint64_t)(uintptr_t)l1;
    if ((first ^ of) != st->expected)
        ask_apart(l1, off, lo, writes, host); /* or it was asked of another L1 */
    st->apart = first;
    if (step + HOST_LINE > 2 * HOST_LINE) { /* else it finds the same lines there */
        st->expected = (first + step) ^ of;
        ask_apart(l1, off, lo + step, writes,
                  host ? (const uint8_t *)((uintptr_t)host + step) : NULL);
    }
    for (unsigned i = 0; i < LANES; i += N64) {
        v64 x = *(const v64 *)(off + i) + lo;
        *(v64 *)(line + i) = x >> 7;
        *(v64 *)(sector + i) = ((v64){} + 1) << (x >> 5 & 3);
        if (store) *(v64 *)(words + i) = ((v64){} + cell) << (x >> 2 & 31);
        if (l1) *(v64 *)(set + i) = l1_set64(l1, x >> 7);
    }
    if (l1) hits = load_apart(a, line, sector, set);
    else if (store && LIKELY(cell != 0xff)) store_apart(a, line, words, sector);
    else
        for (unsigned l = 0; l < LANES; l++)
            line_goes(a, true, kind, line[l], (unsigned)sector[l], store ? (uint32_t)words[l] : 0);
    end_cost(a, st, LANES, LANES, hits);
}

/* Lanes anywhere: off[lane] + lo is the address; lanes that are not active repeat an active one,
 * off[LANES] too. low, high: least and greatest off. host: where off 0 is, or NULL. */
static void count_each(sim_access *a, const sim_site *s, site_state *st, unsigned kind,
                       const uint64_t *off, uint64_t lo, uint64_t low, uint64_t high, unsigned size,
                       const uint8_t *host) {
    uint64_t line0 = (lo + low) >> 7, shift = lo - (line0 << 7), last = (lo + high) >> 7;
    uint32_t cell = size >= 4 ? (uint32_t)((1ull << size / 4) - 1) : 1;
    unsigned lines = 0, sectors = 0, hits = 0;
    bool bypass = s->flags & SIM_SITE_BYPASS_L1;
    if (kind == SIM_ACCESS_STORE) a->block->stores++;
    if (LIKELY(last - line0 < 16)) {
        if (kind == SIM_ACCESS_STORE) {
            uint32_t words[16] = {0};
            for (unsigned l = 0; l < LANES; l++) {
                uint64_t r = off[l] + shift;
                words[r >> 7] |= cell << (r >> 2 & 31);
            }
            for (unsigned i = 0; i <= last - line0; i++) {
                if (!words[i]) continue;
                unsigned mask = sectors_of(words[i]);
                sectors += pop(mask);
                lines++;
                line_goes(a, bypass, kind, line0 + i, mask, words[i]);
            }
        } else { /* a bit per sector in one word */
            v64 bits = {};
            for (unsigned i = 0; i < LANES; i += N64)
                bits |= ((v64){} + 1) << ((*(const v64 *)(off + i) + shift) >> 5);
            uint64_t all = or64(bits);
            sectors = (unsigned)__builtin_popcountll(all);
            for (uint64_t line = line0; all; line++, all >>= 4)
                if (all & 15) {
                    hits += line_goes(a, bypass, kind, line, all & 15, 0);
                    lines++;
                }
        }
        end_cost(a, st, lines, sectors, hits);
        return;
    }
    v64 falls = {}, shared = {};
    for (unsigned i = 0; i < LANES; i += N64) {
        v64 x = *(const v64 *)(off + i), y = *(const v64 *)(off + i + 1);
        falls |= (v64)((s64)y < (s64)x);
        shared |=
            (v64)((x + lo) >> 7 == (y + lo) >> 7) & lanes64(~0u >> 1, i); /* the last has no next */
    }
    if (!any64(falls | shared)) {
        count_apart(a, s, st, kind, off, lo, cell, host);
        return;
    }
    uint64_t list[LANES];
    uint32_t words[LANES];
    uint8_t sect[LANES];
    if (!any64(falls)) { /* rising: equal lines are neighbours */
        for (unsigned l = 0; l < LANES; lines++) {
            uint64_t r = off[l] + shift, line = r >> 7;
            uint32_t written = 0;
            unsigned mask = 0;
            do {
                written |= cell << (r >> 2 & 31);
                mask |= 1u << (r >> 5 & 3);
                r = off[++l] + shift;
            } while (l < LANES && r >> 7 == line);
            list[lines] = line, words[lines] = written, sect[lines] = (uint8_t)mask;
        }
    } else {
        uint8_t table[128] = {0}; /* open addressing: index into list, plus one */
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t r = off[l] + shift, line = r >> 7;
            unsigned h = (unsigned)(line * 0x9E3779B97F4A7C15u >> 57);
            while (table[h] && list[table[h] - 1] != line) h = (h + 1) & 127;
            if (!table[h]) {
                list[lines] = line;
                words[lines] = sect[lines] = 0;
                table[h] = (uint8_t)++lines;
            }
            unsigned at = table[h] - 1u;
            words[at] |= cell << (r >> 2 & 31);
            sect[at] |= (uint8_t)(1u << (r >> 5 & 3));
        }
    }
    if (kind == SIM_ACCESS_LOAD && !bypass)
        for (unsigned i = 0; i < lines; i++) sim_l1_prefetch(a->l1, line0 + list[i]);
    for (unsigned i = 0; i < lines; i++) {
        hits += line_goes(a, bypass, kind, line0 + list[i], sect[i], words[i]);
        sectors += pop(sect[i]);
    }
    end_cost(a, st, lines, sectors, hits);
}

/* How often the most frequent of the active lanes' values occurs, and how many there are. */
APART unsigned most_equal(const uint64_t v[LANES], uint32_t mask, unsigned *distinct) {
    unsigned most = 0, n = 0;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t x = v[__builtin_ctz(m)];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    if (high - low <
        4096) { /* a count each, of words at least: addresses of one width never share one */
        uint8_t count[1024];
        memset(count, 0, (high - low) / 4 + 1);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned c = ++count[(v[__builtin_ctz(m)] - low) / 4];
            n += c == 1;
            most = c > most ? c : most;
        }
        *distinct = n;
        return most;
    }
    uint64_t key[64];
    uint8_t count[64] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t x = v[__builtin_ctz(m)];
        unsigned h = (unsigned)(x * 0x9E3779B97F4A7C15u >> 58);
        while (count[h] && key[h] != x) h = (h + 1) & 63;
        key[h] = x;
        n += !count[h];
        if (++count[h] > most) most = count[h];
    }
    *distinct = n;
    return most;
}

HOT void mark(site_state *st, uint64_t off, uint64_t n) {
    if (sim_bits_mark(st->init, off, n)) st->alloc->written = true;
}

/* What global_place() did not recognise as a run. */
APART uint32_t global_each(sim_access *a, const sim_site *s, site_state *st, const uint64_t *addr,
                           uint32_t mask, unsigned size, unsigned kind, place *at) {
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t a0 = addr[first];
    bool reads = kind != SIM_ACCESS_STORE,
         writes = kind == SIM_ACCESS_STORE || kind == SIM_ACCESS_ATOM;
    if (mask == ~0u && kind == SIM_ACCESS_LOAD && size <= 16 && !a->strict) {
        uint64_t a1 = addr[16];
        unsigned how = half64(addr, size), n0 = how & 1 ? 16 * size : size,
                 n1 = how & 4 ? 16 * size : size;
        uint64_t off0 = a0 - st->lo, off1 = a1 - st->lo;
        if (how & 3 && how & 12 && !((a0 | a1) & (size - 1)) && off0 < st->size &&
            off1 < st->size && n0 <= st->size - off0 && n1 <= st->size - off1 && !st->init) {
            at->half[0] = st->host + off0;
            at->half[1] = st->host + off1;
            at->half_run[0] = how & 1;
            at->half_run[1] = how & 4;
            count_halves(a, s, st, a0, n0, a1, n1);
            return mask;
        }
    }
    uint64_t *off = at->off.wide, absolute[LANES + 8] __attribute__((aligned(64))), lo;
    int64_t low, high;
    for (unsigned tries = 0;; tries++) {
        uint64_t fill = a0 - st->lo;
        s64 least = (s64)(((v64){} + fill)), most = least;
        v64 align = {};
        for (unsigned i = 0; i < LANES; i += N64) {
            v64 x = *(const v64 *)(addr + i), d = x - st->lo;
            if (mask != ~0u) { /* the others repeat the first lane */
                v64 on = lanes64(mask, i);
                d = (d & on) | (fill & ~on);
                x &= on;
            }
            *(v64 *)(off + i) = d;
            align |= x;
            least = min64((s64)d, least);
            most = max64((s64)d, most);
        }
        low = least64(least);
        high = most64(most);
        bool skew = or64(align) & (size - 1);
        lo = st->lo;
        if (LIKELY(low >= 0 && st->size >= size && high <= (int64_t)(st->size - size) && !skew)) {
            at->base = st->host;
            off[LANES] = off[LANES - 1];
            if (UNLIKELY(st->init != NULL)) {
                if (reads) sim_access_uninit(a, s, st, off, mask, size);
                if (writes)
                    for (uint32_t m = mask; m; m &= m - 1) mark(st, off[__builtin_ctz(m)], size);
            }
            break;
        }
        if (tries == 0 && !skew && sim_access_cache(a, s, st, a0)) continue;
        mask = sim_access_resolve(a, s, st, addr, mask, size, off); /* host addresses */
        if (!mask) return 0;
        at->base = NULL;
        off = absolute;
        lo = 0;
        low = INT64_MAX;
        high = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            off[l] = addr[l];
            low = (int64_t)off[l] < low ? (int64_t)off[l] : low;
            high = (int64_t)off[l] > high ? (int64_t)off[l] : high;
        }
        for (unsigned l = 0; l <= LANES; l++)
            if (l == LANES || !(mask >> l & 1)) off[l] = l ? off[l - 1] : (uint64_t)low;
        break;
    }
    if (kind == SIM_ACCESS_ATOM) {
        unsigned distinct, most = most_equal(off, mask, &distinct);
        st->serial += most;
        a->cost.passes = (uint16_t)most;
        a->cost.distinct = (uint16_t)distinct;
    }
    if (UNLIKELY(a->strict)) sim_access_strict(a, s, st, addr, mask, size);
    else count_each(a, s, st, kind, off, lo, (uint64_t)low, (uint64_t)high, size, at->base);
    return mask;
}

/* Checks a global access, counts it and says where its bytes are. Returns the lanes that may go
 * on. */
HOT uint32_t global_place(sim_access *a, const sim_site *s, site_state *st, const uint64_t *addr,
                          uint32_t mask, unsigned size, unsigned kind, place *at) {
    if (UNLIKELY(!mask)) return 0;
    if (UNLIKELY(a->generation != atomic_load_explicit(a->generation_now, memory_order_relaxed)))
        sim_access_forget(a);
    unsigned first = (unsigned)__builtin_ctz(mask), count = pop(mask);
    uint64_t a0 = addr[first];
    bool reads = kind != SIM_ACCESS_STORE,
         writes = kind == SIM_ACCESS_STORE || kind == SIM_ACCESS_ATOM;
    at->run = at->same = at->half[0] = NULL;
    at->first = first;
    at->count = count;
    begin_cost(a, SIM_SPACE_GLOBAL, count);
    if (UNLIKELY(s->flags & (SIM_SITE_ACQUIRE | SIM_SITE_RELEASE)) && a->race)
        sim_race_order(a, s, mask);
    st->requests++;
    st->lanes += count;
    bool run = adjacent(mask, first) && (count == 1 || follow64(addr, mask, first, size));
    if (LIKELY(run || equal64(addr, mask, first)) && LIKELY(!(a0 & (size - 1)))) {
        uint64_t off = a0 - st->lo, n = run ? (uint64_t)count * size : size;
        if (UNLIKELY(off >= st->size || n > st->size - off)) {
            if (!sim_access_cache(a, s, st, a0))
                return global_each(a, s, st, addr, mask, size, kind, at);
            off = a0 - st->lo;
            if (n > st->size - off) return global_each(a, s, st, addr, mask, size, kind, at);
        }
        if (run) at->run = st->host + off;
        else at->same = st->host + off;
        if (UNLIKELY(st->init != NULL)) {
            if (reads && !sim_bits_all(st->init, off, n)) {
                uint64_t offs[LANES];
                for (unsigned l = 0; l < LANES; l++)
                    offs[l] = run ? off + (uint64_t)(l - first) * size : off;
                sim_access_uninit(a, s, st, offs, mask, size);
            }
            if (writes) mark(st, off, n);
        }
        if (kind == SIM_ACCESS_ATOM) {
            unsigned most = run ? 1 : count;
            st->serial += most;
            a->cost.passes = (uint16_t)most;
            a->cost.distinct = (uint16_t)(run ? count : 1);
        }
        if (UNLIKELY(a->strict)) sim_access_strict(a, s, st, addr, mask, size);
        else count_run(a, s, st, kind, a0, (unsigned)n, st->host + off);
        return mask;
    }
    return global_each(a, s, st, addr, mask, size, kind, at);
}

/* How many different units of 1 << shift bytes the active lanes' offsets lie in; the others repeat
 * one of them. */
APART unsigned different(const uint64_t off[LANES], uint32_t mask, unsigned shift) {
    enum { WORDS = 32 };
    uint64_t low = UINT64_MAX, high = 0, seen[WORDS] = {0};
    for (unsigned l = 0; l < LANES; l++) {
        low = off[l] < low ? off[l] : low;
        high = off[l] > high ? off[l] : high;
    }
    low >>= shift;
    unsigned n = 0;
    if ((high >> shift) - low >= WORDS * 64) {
        uint64_t unit[LANES];
        for (unsigned l = 0; l < LANES; l++) unit[l] = off[l] >> shift << shift;
        most_equal(unit, mask, &n);
        return n;
    }
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t u = (off[l] >> shift) - low;
        seen[u / 64] |= 1ull << u % 64;
    }
    for (unsigned i = 0; i < WORDS; i++) n += (unsigned)__builtin_popcountll(seen[i]);
    return n;
}

static uint32_t const_place(sim_access *a, const sim_site *s, site_state *st, const uint64_t *addr,
                            uint32_t mask, unsigned size, place *at) {
    if (UNLIKELY(!mask)) return 0;
    if (UNLIKELY(a->generation != atomic_load_explicit(a->generation_now, memory_order_relaxed)))
        sim_access_forget(a);
    unsigned first = (unsigned)__builtin_ctz(mask), distinct = 1,
             shift = (unsigned)__builtin_ctz(size < 4 ? 4 : size);
    uint64_t a0 = addr[first], *off = at->off.wide;
    begin_cost(a, SIM_SPACE_CONST, pop(mask));
    st->requests++;
    st->lanes += pop(mask);
    at->run = at->same = at->half[0] = NULL;
    bool inside = true;
    if (equal64(addr, mask, first)) {
        inside = a0 - st->lo < st->size && size <= st->size - (a0 - st->lo) && !(a0 & (size - 1));
        at->same = st->host + (a0 - st->lo);
    } else {
        uint64_t bits = 0;
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t x = mask >> l & 1 ? addr[l] : a0;
            off[l] = x - st->lo;
            bits |= x;
            inside &= off[l] < st->size && size <= st->size - off[l];
        }
        inside &= !(bits & (size - 1));
        at->base = st->host;
        if (inside)
            distinct =
                different(off, mask, shift); /* words, or what a lane takes if that is more */
    }
    if (UNLIKELY(!inside)) {
        at->same = at->base = NULL;
        mask = sim_access_resolve(a, s, st, addr, mask, size, off); /* host addresses */
        if (!mask) return 0;
        uint64_t unit[LANES];
        for (uint32_t m = mask; m; m &= m - 1)
            unit[__builtin_ctz(m)] = addr[__builtin_ctz(m)] >> shift << shift;
        most_equal(unit, mask, &distinct);
    }
    st->passes += distinct;
    st->serial += distinct - 1;
    a->cost.passes = (uint16_t)distinct;
    return mask;
}
