// The vendor's structs lie in memory as runner/device/cudart/abi.def says.
// fast
// expect: as stated
#include "common.h"
#include <cstddef>
#define SIZE(type, bytes) static_assert(sizeof(type) == bytes, #type);
#define OFFSET(type, field, bytes) static_assert(offsetof(type, field) == bytes, #type "." #field);
#include "../../runner/device/cudart/abi.def"
int main() { printf("as stated\n"); }
