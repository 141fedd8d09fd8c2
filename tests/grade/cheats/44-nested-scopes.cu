// lab: vector-add
// expect: compile
// Assembly with scopes inside scopes, thousands deep.
#define A "{{{{{{{{{{{{{{{{"
#define B "}}}}}}}}}}}}}}}}"
#define A2 A A A A A A A A A A A A A A A A
#define B2 B B B B B B B B B B B B B B B B
#define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2
#define B3 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2 B2
#define A4 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3
#define B4 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3 B3
__global__ void deep(float *c) {
    asm volatile(A4 B4);
    c[0] = 1;
}
void vector_add(const float *, const float *, float *c, int) { deep<<<1, 1>>>(c); }
