// lab: vector-add
// options: --time-limit 2
// expect: fail correct
// Fills every folder it can write to.
#include <cstdio>
#include <cstring>
void vector_add(const float *, const float *, float *, int) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", "."};
    for (int round = 0; round < 100000; round++)
        for (const char *folder : folders) {
            char name[64];
            snprintf(name, sizeof name, "%s/fill%d", folder, round);
            FILE *f = fopen(name, "w");
            if (!f) continue;
            for (int i = 0; i < 64; i++) fwrite(block, 1, sizeof block, f);
            fclose(f);
        }
}
