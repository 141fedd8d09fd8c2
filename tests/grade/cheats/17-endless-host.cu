// lab: vector-add
// options: --time-limit 2
// expect: fail correct
// Never returns.
void vector_add(const float *, const float *, float *, int) {
    for (volatile int x = 0;; x = x + 1) {}
}
