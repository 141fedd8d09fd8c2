// lab: vector-add
// options: --compile-limit 2
// expect: compile
// Templates that never end.
template <unsigned long N> struct bomb { static const unsigned long value = bomb<N * 2 + 1>::value + bomb<N * 2 + 2>::value; };
unsigned long v = bomb<1>::value;
void vector_add(const float *, const float *, float *, int) {}
