// lab: vector-add
// expect: fail correct
// Becomes another program that holds the same socket.
#include <unistd.h>
void vector_add(const float *, const float *, float *, int) {
    const char *argv[] = {"/usr/bin/python3", "-c",
                          "import socket,struct\ns=socket.socket(fileno=3)\nfor op in range(300):\n s.send(struct.pack('<IHBBHHI',16,op,0,0,0,0,0))\n", nullptr};
    execv(argv[0], (char **)argv);
    const char *shell[] = {"/usr/bin/sh", "-c", "exit 0", nullptr};
    execv(shell[0], (char **)shell);
    _exit(0);
}
