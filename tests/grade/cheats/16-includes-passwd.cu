// lab: vector-add
// expect: compile
// Includes a file of the machine, to read it in the compiler's messages.
#include "/etc/shadow"
