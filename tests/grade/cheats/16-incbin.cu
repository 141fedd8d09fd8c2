// lab: vector-add
// expect: fail
// Pulls a file of the machine into the program with the assembler.
#include <cstdio>
asm(".globl stolen\nstolen: .incbin \"/etc/hostname\"\n.byte 0\n");
extern "C" char stolen[];
void vector_add(const float *, const float *, float *, int) { puts(stolen); }
