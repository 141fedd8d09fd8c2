// lab: vector-add
// expect: fail correct
// Runs before every constructor: as the resolver of an indirect function and in .preinit_array; ends with success.
#include <unistd.h>
static void first(int, char **, char **) { _exit(0); }
__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **, char **) = first;
extern "C" {
static void nothing() {}
static void *resolve() { return (void *)nothing; }
void indirect() __attribute__((ifunc("resolve")));
}
void vector_add(const float *, const float *, float *, int) { indirect(); }
