// Threads that fight for a word: locks and retry loops of compare-and-swap, for docs/model-tables.md ("Threads that fight for a word"). Rows: contend.def.
// Each thread does `rounds` turns; tries[i] is how many compare-and-swaps (or looks at the lock) the i-th thread needed for them.
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL cas_add(unsigned *word, unsigned *tries, int rounds, int words) { // every lane adds by compare and swap
    unsigned *a = word + (INDEX % words) * 32, n = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned old = *(volatile unsigned *)a, seen;
        while (n++, (seen = atomicCAS(a, old, old + 1)) != old) old = seen;
    }
    tries[INDEX] = n;
}

KERNEL cas_add_warp(unsigned *word, unsigned *tries, int rounds, int words) { // a lane a warp
    unsigned *a = word + (INDEX / 32 % words) * 32, n = 0;
    if (threadIdx.x % 32 == 0)
        for (int r = 0; r < rounds; r++) {
            unsigned old = *(volatile unsigned *)a, seen;
            while (n++, (seen = atomicCAS(a, old, old + 1)) != old) old = seen;
        }
    tries[INDEX] = n;
}

KERNEL cas_near(unsigned *word, unsigned *tries, int rounds, int words) { // neighbouring words: lanes of one request
    unsigned *a = word + INDEX % words, n = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned old = *(volatile unsigned *)a, seen;
        while (n++, (seen = atomicCAS(a, old, old + 1)) != old) old = seen;
    }
    tries[INDEX] = n;
}

KERNEL cas_double(unsigned *word, unsigned *tries, int rounds, int words) { // the programming guide's double addition
    unsigned long long *a = (unsigned long long *)(word + (INDEX % words) * 32);
    unsigned n = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned long long old = *(volatile unsigned long long *)a, seen;
        while (n++, (seen = atomicCAS(a, old, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)old) + 1.0))) != old) old = seen;
    }
    tries[INDEX] = n;
}

KERNEL cas_max(unsigned *word, unsigned *tries, int rounds, int words) { // a maximum: ends where the value is no larger
    unsigned *a = word + (INDEX % words) * 32, n = 0;
    for (int r = 0; r < rounds; r++) {
        unsigned v = (INDEX * 2654435761u + r * 40503u) >> 8, old = *(volatile unsigned *)a;
        while (v > old) {
            unsigned seen = atomicCAS(a, old, v);
            n++;
            if (seen == old) break;
            old = seen;
        }
    }
    tries[INDEX] = n;
}

KERNEL cas_shared(unsigned *word, unsigned *tries, int rounds, int words) { // the same in shared memory
    __shared__ unsigned s[32];
    unsigned n = 0;
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    unsigned *a = s + threadIdx.x % words;
    for (int r = 0; r < rounds; r++) {
        unsigned old = *(volatile unsigned *)a, seen;
        while (n++, (seen = atomicCAS(a, old, old + 1)) != old) old = seen;
    }
    __syncthreads();
    if (threadIdx.x == 0) word[blockIdx.x % 1024] = s[0];
    tries[INDEX] = n;
}

KERNEL add_atomic(unsigned *word, unsigned *tries, int rounds, int words) { // what it competes with
    for (int r = 0; r < rounds; r++) tries[INDEX] = atomicAdd(word + (INDEX % words) * 32, 1u);
}

KERNEL lock_block(unsigned *word, unsigned *tries, int rounds, int work) { // a thread a block takes the lock
    unsigned n = 0;
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; r++) {
            while (n++, atomicCAS(word, 0u, 1u)) {}
            __threadfence();
            for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
            __threadfence();
            atomicExch(word, 0u);
        }
    tries[INDEX] = n;
}

KERNEL lock_warp(unsigned *word, unsigned *tries, int rounds, int work) { // a thread a warp
    unsigned n = 0;
    if (threadIdx.x % 32 == 0)
        for (int r = 0; r < rounds; r++) {
            while (n++, atomicCAS(word, 0u, 1u)) {}
            __threadfence();
            for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
            __threadfence();
            atomicExch(word, 0u);
        }
    tries[INDEX] = n;
}

KERNEL lock_lane(unsigned *word, unsigned *tries, int rounds, int work) { // every lane
    unsigned n = 0;
    for (int r = 0; r < rounds; r++)
        for (bool done = false; !done;)
            if (n++, !atomicCAS(word, 0u, 1u)) {
                __threadfence();
                for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
                __threadfence();
                atomicExch(word, 0u);
                done = true;
            }
    tries[INDEX] = n;
}

KERNEL lock_look(unsigned *word, unsigned *tries, int rounds, int work) { // looks before it tries
    unsigned n = 0;
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; r++) {
            do
                while (n++, *(volatile unsigned *)word) {}
            while (atomicCAS(word, 0u, 1u));
            __threadfence();
            for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
            __threadfence();
            atomicExch(word, 0u);
        }
    tries[INDEX] = n;
}

KERNEL lock_sleep(unsigned *word, unsigned *tries, int rounds, int work) { // sleeps longer and longer
    unsigned n = 0;
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; r++) {
            for (unsigned ns = 8; n++, atomicCAS(word, 0u, 1u); ns = ns < 256 ? ns * 2 : ns) __nanosleep(ns);
            __threadfence();
            for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
            __threadfence();
            atomicExch(word, 0u);
        }
    tries[INDEX] = n;
}

KERNEL lock_ticket(unsigned *word, unsigned *tries, int rounds, int work) { // first come, first served
    unsigned n = 0;
    if (threadIdx.x == 0)
        for (int r = 0; r < rounds; r++) {
            unsigned mine = atomicAdd(word, 1u);
            while (n++, ((volatile unsigned *)word)[32] != mine) {}
            __threadfence();
            for (int w = 0; w < work; w++) ((volatile unsigned *)word)[64 + 32 * w]++;
            __threadfence();
            ((volatile unsigned *)word)[32] = mine + 1;
        }
    tries[INDEX] = n;
}

KERNEL grid_barrier(unsigned *word, unsigned *tries, int rounds, int work) { // all blocks wait for each other; they all fit
    unsigned n = 0;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(word, 1u);
            while (n++, *(volatile unsigned *)word < (r + 1) * gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
    }
    tries[INDEX] = n + work;
}
