// lab: vector-add
// expect: fail correct
// Well-formed messages to the device server with every operation there is, in the hope that one of them ends a case.
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
struct head {
    uint32_t bytes;
    uint16_t op;
    uint8_t scalars, spans;
    uint16_t thread, device;
    uint32_t flags;
};
void vector_add(const float *, const float *, float *, int) {
    fcntl(3, F_SETFL, O_NONBLOCK);
    for (int scalars = 0; scalars < 9; scalars++)
        for (int op = 0; op < 400; op++) {
            uint64_t m[16] = {0}, reply[512];
            head h = {(uint32_t)(16 + 8 * scalars), (uint16_t)op, (uint8_t)scalars, 0, 0, 0, 0};
            memcpy(m, &h, sizeof h);
            if (write(3, m, h.bytes) < 0) usleep(1000);
            while (read(3, reply, sizeof reply) > 0) {}
        }
}
