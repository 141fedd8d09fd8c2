/* Vectors of lanes, and the moving of elements between registers and memory. Included by
 * access_path.h, which see; VB is the width of a vector in bytes. */

#if VB == 64
HOT bool any64(v64 x) {
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
}
HOT bool any32(v32 x) {
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0;
}
#elif VB == 32
HOT bool any64(v64 x) {
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
}
HOT bool any32(v32 x) {
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
}
#else
HOT bool any64(v64 x) {
    return (x[0] | x[1]) != 0;
}
HOT bool any32(v32 x) {
    return any64((v64)x);
}
#endif

/* Across the lanes. */
#if VB == 64
HOT uint64_t or64(v64 x) {
    return (uint64_t)_mm512_reduce_or_epi64((__m512i)x);
}
HOT int64_t least64(s64 x) {
    return _mm512_reduce_min_epi64((__m512i)x);
}
HOT int64_t most64(s64 x) {
    return _mm512_reduce_max_epi64((__m512i)x);
}
HOT uint32_t or32(v32 x) {
    return (uint32_t)_mm512_reduce_or_epi32((__m512i)x);
}
HOT uint32_t least32(v32 x) {
    return _mm512_reduce_min_epu32((__m512i)x);
}
HOT uint32_t most32(v32 x) {
    return _mm512_reduce_max_epu32((__m512i)x);
}
HOT uint32_t bits32(v32 x) { /* a bit per lane that is not zero */
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x);
}
HOT uint32_t bits64(v64 x) {
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x);
}
#else
typedef uint64_t h64 __attribute__((vector_size(16)));
typedef int64_t hs64 __attribute__((vector_size(16)));
HOT uint64_t or64(v64 x) {
#if VB == 32
    h64 h = (h64)_mm256_castsi256_si128((__m256i)x) | (h64)_mm256_extracti128_si256((__m256i)x, 1);
#else
    h64 h = (h64)x;
#endif
    return h[0] | h[1];
}
HOT uint32_t or32(v32 x) {
    uint64_t h = or64((v64)x);
    return (uint32_t)(h | h >> 32);
}
HOT int64_t least64(s64 x) {
    int64_t r = x[0];
    for (unsigned i = 1; i < N64; i++) r = x[i] < r ? x[i] : r;
    return r;
}
HOT int64_t most64(s64 x) {
    int64_t r = x[0];
    for (unsigned i = 1; i < N64; i++) r = x[i] > r ? x[i] : r;
    return r;
}
#if VB == 32
HOT uint32_t least32(v32 x) {
    __m128i h =
        _mm_min_epu32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1));
    h = _mm_min_epu32(h, _mm_shuffle_epi32(h, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_min_epu32(h, _mm_shuffle_epi32(h, 0xb1)));
}
HOT uint32_t most32(v32 x) {
    __m128i h =
        _mm_max_epu32(_mm256_castsi256_si128((__m256i)x), _mm256_extracti128_si256((__m256i)x, 1));
    h = _mm_max_epu32(h, _mm_shuffle_epi32(h, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(h, _mm_shuffle_epi32(h, 0xb1)));
}
HOT uint32_t bits32(v32 x) {
    return ~(uint32_t)_mm256_movemask_ps((__m256)(x == 0)) & 0xff;
}
HOT uint32_t bits64(v64 x) {
    return ~(uint32_t)_mm256_movemask_pd((__m256d)(x == 0)) & 0xf;
}
#else
HOT uint32_t least32(v32 x) {
    uint32_t r = x[0];
    for (unsigned i = 1; i < N32; i++) r = x[i] < r ? x[i] : r;
    return r;
}
HOT uint32_t most32(v32 x) {
    uint32_t r = x[0];
    for (unsigned i = 1; i < N32; i++) r = x[i] > r ? x[i] : r;
    return r;
}
HOT uint32_t bits32(v32 x) {
    uint32_t r = 0;
    for (unsigned i = 0; i < N32; i++) r |= (uint32_t)(x[i] != 0) << i;
    return r;
}
HOT uint32_t bits64(v64 x) {
    uint32_t r = 0;
    for (unsigned i = 0; i < N64; i++) r |= (uint32_t)(x[i] != 0) << i;
    return r;
}
#endif
#endif

/* Lane by lane; GCC makes the instruction of it where there is one. */
HOT s64 min64(s64 a, s64 b) {
    s64 m = a < b;
    return (a & m) | (b & ~m);
}
HOT s64 max64(s64 a, s64 b) {
    s64 m = a > b;
    return (a & m) | (b & ~m);
}
HOT v32 min32(v32 a, v32 b) {
#if VB == 64
    return (v32)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif VB == 32
    return (v32)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    v32 m = (v32)(a < b);
    return (a & m) | (b & ~m);
#endif
}
HOT v32 max32(v32 a, v32 b) {
#if VB == 64
    return (v32)_mm512_max_epu32((__m512i)a, (__m512i)b);
#elif VB == 32
    return (v32)_mm256_max_epu32((__m256i)a, (__m256i)b);
#else
    v32 m = (v32)(a > b);
    return (a & m) | (b & ~m);
#endif
}

/* A word per lane from base[index]. */
HOT v32 gather32(const uint32_t *base, v32 index) {
#if VB == 64
    return (v32)_mm512_i32gather_epi32((__m512i)index, base, 4);
#elif VB == 32
    return (v32)_mm256_i32gather_epi32((const int *)base, (__m256i)index, 4);
#else
    v32 x;
    for (unsigned i = 0; i < N32; i++) x[i] = base[index[i]];
    return x;
#endif
}

/* Words of two vectors as listed, counted through both: of Clang, and of GCC from 12 on. */
#if defined __clang__ || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (v64){__VA_ARGS__})
#endif

/* Pairs, in the order of memory: a0 b0 a1 b1 ... */
HOT void zip64(v64 a, v64 b, v64 to[2]) {
#if VB == 64
    to[0] = SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    to[1] = SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif VB == 32
    to[0] = SHUFFLE(a, b, 0, 4, 1, 5);
    to[1] = SHUFFLE(a, b, 2, 6, 3, 7);
#else
    to[0] = SHUFFLE(a, b, 0, 2);
    to[1] = SHUFFLE(a, b, 1, 3);
#endif
}

/* The other way: pairs from memory apart. */
HOT void unzip64(const void *from, v64 *a, v64 *b) {
    v64 x = *(const v64 *)from, y = *((const v64 *)from + 1);
#if VB == 64
    *a = SHUFFLE(x, y, 0, 2, 4, 6, 8, 10, 12, 14);
    *b = SHUFFLE(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
#elif VB == 32
    *a = SHUFFLE(x, y, 0, 2, 4, 6);
    *b = SHUFFLE(x, y, 1, 3, 5, 7);
#else
    *a = SHUFFLE(x, y, 0, 2);
    *b = SHUFFLE(x, y, 1, 3);
#endif
}

/* Products of the low halves. */
HOT v64 low_product64(v64 a, v64 b) {
#if VB == 64
    return (v64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif VB == 32
    return (v64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (v64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* Lane numbers, and all-ones in the lanes of a mask. */
static const uint64_t iota64[LANES]
    __attribute__((aligned(64))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const uint32_t iota32[LANES]
    __attribute__((aligned(64))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
HOT v64 lanes64(uint32_t mask, unsigned i) {
    v64 bit = ((v64){} + mask) >> *(const v64 *)(iota64 + i);
    return -(bit & 1);
}
HOT v32 lanes32(uint32_t mask, unsigned i) {
    v32 bit = ((v32){} + mask) >> *(const v32 *)(iota32 + i);
    return -(bit & 1);
}

/* Do the active lanes' addresses follow each other, `size` apart, from that of lane `first` on? */
HOT bool follow64(const uint64_t *addr, uint32_t mask, unsigned first, unsigned size) {
    uint64_t base = addr[first] - (uint64_t)first * size;
    v64 bad = {};
    if (mask == ~0u)
        for (unsigned i = 0; i < LANES; i += N64)
            bad |= *(const v64 *)(addr + i) ^ (base + *(const v64 *)(iota64 + i) * size);
    else
        for (unsigned i = 0; i < LANES; i += N64)
            bad |= (*(const v64 *)(addr + i) ^ (base + *(const v64 *)(iota64 + i) * size)) &
                   lanes64(mask, i);
    return !any64(bad);
}
HOT bool follow32(const uint32_t *addr, uint32_t mask, unsigned first, unsigned size) {
    uint32_t base = addr[first] - first * size;
    v32 bad = {};
    if (mask == ~0u)
        for (unsigned i = 0; i < LANES; i += N32)
            bad |= *(const v32 *)(addr + i) ^ (base + *(const v32 *)(iota32 + i) * size);
    else
        for (unsigned i = 0; i < LANES; i += N32)
            bad |= (*(const v32 *)(addr + i) ^ (base + *(const v32 *)(iota32 + i) * size)) &
                   lanes32(mask, i);
    return !any32(bad);
}

/* Are the active lanes' addresses all that of lane `first`? */
HOT bool equal64(const uint64_t *addr, uint32_t mask, unsigned first) {
    v64 bad = {};
    if (mask == ~0u)
        for (unsigned i = 0; i < LANES; i += N64) bad |= *(const v64 *)(addr + i) ^ addr[first];
    else
        for (unsigned i = 0; i < LANES; i += N64)
            bad |= (*(const v64 *)(addr + i) ^ addr[first]) & lanes64(mask, i);
    return !any64(bad);
}
HOT bool equal32(const uint32_t *addr, uint32_t mask, unsigned first) {
    v32 bad = {};
    if (mask == ~0u)
        for (unsigned i = 0; i < LANES; i += N32) bad |= *(const v32 *)(addr + i) ^ addr[first];
    else
        for (unsigned i = 0; i < LANES; i += N32)
            bad |= (*(const v32 *)(addr + i) ^ addr[first]) & lanes32(mask, i);
    return !any32(bad);
}

/* All lanes: are the addresses of half a warp `size` apart (1, 4 for the second half), or the same
 * (2, 8)? */
HOT unsigned half64(const uint64_t *addr, unsigned size) {
    v64 run[2] = {{}, {}}, same[2] = {{}, {}};
    for (unsigned h = 0; h < 2; h++)
        for (unsigned i = 0; i < 16; i += N64) {
            v64 x = *(const v64 *)(addr + h * 16 + i) - addr[h * 16];
            same[h] |= x;
            run[h] |= x ^ (*(const v64 *)(iota64 + i) * size);
        }
    return (unsigned)!any64(run[0]) | (unsigned)!any64(same[0]) << 1 |
           (unsigned)!any64(run[1]) << 2 | (unsigned)!any64(same[1]) << 3;
}

HOT unsigned pop(uint32_t m) {
    return (unsigned)__builtin_popcount(m);
}

/* Active lanes without a hole between them? */
HOT bool adjacent(uint32_t mask, unsigned first) {
    uint32_t m = mask >> first;
    return !(m & (m + 1));
}

/* Where an access's bytes lie. One of: run (lanes first .. first + count side by side), same (all
 * lanes), halves (of all lanes: 16 side by side or in one place), base + offset of the lane (of 4
 * bytes in shared memory: `narrow`). */
typedef struct {
    uint8_t *run, *same, *half[2], *base;
    bool half_run[2];
    unsigned first, count;
    union {
        uint64_t wide[LANES + 8];
        uint32_t narrow[LANES + 16];
    } off __attribute__((aligned(64))); /* lanes that are not active repeat one that is */
} place;

HOT uint8_t *lane_at(const place *at, bool narrow, unsigned lane) {
    return (uint8_t *)((uintptr_t)at->base + (narrow ? at->off.narrow[lane] : at->off.wide[lane]));
}

/* Device memory is read and written by several workers at once, as on a device. What a processor
 * does then is what is wanted; the thread sanitizer is told so by relaxed atomics. */
#ifdef __SANITIZE_THREAD__
enum { PLAIN_COPY = 0 };
#define FETCH(type, p)    __atomic_load_n((const type *)(p), __ATOMIC_RELAXED)
#define STORE(type, p, v) __atomic_store_n((type *)(p), (type)(v), __ATOMIC_RELAXED)
#else
enum { PLAIN_COPY = 1 };
typedef uint16_t alias16 __attribute__((may_alias));
typedef uint32_t alias32 __attribute__((may_alias));
typedef uint64_t alias64 __attribute__((may_alias));
#define uint16_t_PLAIN    alias16
#define uint32_t_PLAIN    alias32
#define uint64_t_PLAIN    alias64
#define uint8_t_PLAIN     uint8_t
#define FETCH(type, p)    (*(const type##_PLAIN *)(p))
#define STORE(type, p, v) (void)(*(type##_PLAIN *)(p) = (type)(v))
#endif
HOT uint64_t fetch(const uint8_t *p, unsigned elem, bool sext) {
    switch (elem) {
    case 1: return sext ? (uint64_t)(int8_t)FETCH(uint8_t, p) : FETCH(uint8_t, p);
    case 2: return sext ? (uint64_t)(int16_t)FETCH(uint16_t, p) : FETCH(uint16_t, p);
    case 4: return sext ? (uint64_t)(int32_t)FETCH(uint32_t, p) : FETCH(uint32_t, p);
    default: return FETCH(uint64_t, p);
    }
}
HOT void store(uint8_t *p, unsigned elem, uint64_t v) {
    switch (elem) {
    case 1: STORE(uint8_t, p, v); break;
    case 2: STORE(uint16_t, p, v); break;
    case 4: STORE(uint32_t, p, v); break;
    default: STORE(uint64_t, p, v);
    }
}
HOT void put_reg(void *reg, unsigned lane, unsigned bytes, uint64_t v) {
    if (bytes == 8) ((uint64_t *)reg)[lane] = v;
    else ((uint32_t *)reg)[lane] = (uint32_t)v;
}
HOT uint64_t get_reg(const void *reg, unsigned lane, unsigned bytes) {
    return bytes == 8 ? ((const uint64_t *)reg)[lane] : ((const uint32_t *)reg)[lane];
}

HOT void load_elements(const place *at, bool narrow, uint32_t mask, void *const dst[],
                       unsigned elem, unsigned vec, unsigned reg, bool sext) {
    unsigned size = elem * vec;
    for (unsigned k = 0; k < vec; k++) {
        void *to = dst[k];
        if (!to) continue;
        if (at->run) {
            const uint8_t *from = at->run + k * elem;
            if (PLAIN_COPY && vec == 1 && elem == reg) {
                if (at->count == LANES) memcpy(to, from, LANES * elem);
                else memcpy((uint8_t *)to + at->first * elem, from, at->count * elem);
            } else if (at->count == LANES)
                for (unsigned l = 0; l < LANES; l++)
                    put_reg(to, l, reg, fetch(from + l * size, elem, sext));
            else
                for (unsigned l = 0; l < at->count; l++)
                    put_reg(to, at->first + l, reg, fetch(from + l * size, elem, sext));
        } else if (at->same) {
            uint64_t v = fetch(at->same + k * elem, elem, sext);
            if (mask == ~0u)
                for (unsigned l = 0; l < LANES; l++) put_reg(to, l, reg, v);
            else
                for (uint32_t m = mask; m; m &= m - 1)
                    put_reg(to, (unsigned)__builtin_ctz(m), reg, v);
        } else if (!narrow && at->half[0]) {
            for (unsigned h = 0; h < 2; h++) {
                const uint8_t *from = at->half[h] + k * elem;
                if (!at->half_run[h]) {
                    uint64_t v = fetch(from, elem, sext);
                    for (unsigned l = 0; l < 16; l++) put_reg(to, h * 16 + l, reg, v);
                } else if (PLAIN_COPY && vec == 1 && elem == reg)
                    memcpy((uint8_t *)to + h * 16 * elem, from, 16 * elem);
                else
                    for (unsigned l = 0; l < 16; l++)
                        put_reg(to, h * 16 + l, reg, fetch(from + l * size, elem, sext));
            }
        } else if (mask == ~0u)
            for (unsigned l = 0; l < LANES; l++)
                put_reg(to, l, reg, fetch(lane_at(at, narrow, l) + k * elem, elem, sext));
        else
            for (uint32_t m = mask; m; m &= m - 1) {
                unsigned l = (unsigned)__builtin_ctz(m);
                put_reg(to, l, reg, fetch(lane_at(at, narrow, l) + k * elem, elem, sext));
            }
    }
}

HOT void store_elements(const place *at, bool narrow, uint32_t mask, const void *const src[],
                        unsigned elem, unsigned vec, unsigned reg) {
    unsigned size = elem * vec;
    for (unsigned k = 0; k < vec; k++) {
        const void *from = src[k];
        if (at->run) {
            uint8_t *to = at->run + k * elem;
            if (PLAIN_COPY && vec == 1 && elem == reg) {
                if (at->count == LANES) memcpy(to, from, LANES * elem);
                else memcpy(to, (const uint8_t *)from + at->first * elem, at->count * elem);
            } else if (at->count == LANES)
                for (unsigned l = 0; l < LANES; l++)
                    store(to + l * size, elem, get_reg(from, l, reg));
            else
                for (unsigned l = 0; l < at->count; l++)
                    store(to + l * size, elem, get_reg(from, at->first + l, reg));
        } else if (at->same) /* the last lane's value stays */
            store(at->same + k * elem, elem,
                  get_reg(from, 31 - (unsigned)__builtin_clz(mask), reg));
        else if (mask == ~0u)
            for (unsigned l = 0; l < LANES; l++)
                store(lane_at(at, narrow, l) + k * elem, elem, get_reg(from, l, reg));
        else
            for (uint32_t m = mask; m; m &= m - 1) {
                unsigned l = (unsigned)__builtin_ctz(m);
                store(lane_at(at, narrow, l) + k * elem, elem, get_reg(from, l, reg));
            }
    }
}

HOT void load_any(const place *at, bool narrow, const sim_site *s, uint32_t mask,
                  void *const dst[]) {
    bool sx = s->flags & SIM_SITE_SEXT;
    switch (s->elem << 4 | s->reg) {
    case 0x14:
        sx ? load_elements(at, narrow, mask, dst, 1, s->vec, 4, true)
           : load_elements(at, narrow, mask, dst, 1, s->vec, 4, false);
        break;
    case 0x18: load_elements(at, narrow, mask, dst, 1, s->vec, 8, sx); break;
    case 0x24:
        sx ? load_elements(at, narrow, mask, dst, 2, s->vec, 4, true)
           : load_elements(at, narrow, mask, dst, 2, s->vec, 4, false);
        break;
    case 0x28: load_elements(at, narrow, mask, dst, 2, s->vec, 8, sx); break;
    case 0x44: load_elements(at, narrow, mask, dst, 4, s->vec, 4, false); break;
    case 0x48: load_elements(at, narrow, mask, dst, 4, s->vec, 8, sx); break;
    default: load_elements(at, narrow, mask, dst, 8, s->vec, 8, false);
    }
}
HOT void store_any(const place *at, bool narrow, const sim_site *s, uint32_t mask,
                   const void *const src[]) {
    switch (s->elem << 4 | s->reg) {
    case 0x14: store_elements(at, narrow, mask, src, 1, s->vec, 4); break;
    case 0x18: store_elements(at, narrow, mask, src, 1, s->vec, 8); break;
    case 0x24: store_elements(at, narrow, mask, src, 2, s->vec, 4); break;
    case 0x28: store_elements(at, narrow, mask, src, 2, s->vec, 8); break;
    case 0x44: store_elements(at, narrow, mask, src, 4, s->vec, 4); break;
    case 0x48: store_elements(at, narrow, mask, src, 4, s->vec, 8); break;
    default: store_elements(at, narrow, mask, src, 8, s->vec, 8);
    }
}
HOT uint32_t give_pointers(const place *at, bool narrow, uint32_t mask, unsigned size,
                           void *ptr[LANES]) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        ptr[l] = at->run       ? at->run + (l - at->first) * size
                 : at->same    ? at->same
                 : at->half[0] ? at->half[l / 16] + (at->half_run[l / 16] ? l % 16 * size : 0)
                               : lane_at(at, narrow, l);
    }
    return mask;
}
