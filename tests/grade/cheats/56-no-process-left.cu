// lab: vector-add
// expect: compile
// Makes the compiler print, on a line of its own, what it says when the machine has no process left: that would be the machine's fault, and no verdict.
#line 1 "x\ngcc: fatal error: vfork: Resource temporarily unavailable\ny"
#error no
