/* Fuzzes the fat-binary and the cubin reader: any bytes must give PTX or a message. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/load/cubin.h"
#include "runner/device/sim/sim.h"

int fuzz_fatbin(const uint8_t *data, size_t size);

int fuzz_fatbin(const uint8_t *data, size_t size) {
    lib_message msg;
    sim_cubin_kernel k;
    char command[64];
    static const unsigned archs[] = {75, 90};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        char *ptx;
        void *cubin;
        size_t ptx_len, cubin_len;
        sim_status s =
            sim_fatbin_extract(data, size, archs[i], &ptx, &ptx_len, &cubin, &cubin_len, &msg);
        if ((s == SIM_OK) != (ptx != NULL) || (s != SIM_OK && !lib_message_any(&msg))) abort();
        if (ptx && ptx[ptx_len]) abort();
        if (cubin) {
            sim_cubin_arch(cubin, cubin_len);
            sim_cubin_get(cubin, cubin_len, "_Z2k1Pf", &k);
        }
        free(ptx);
        free(cubin);
    }
    sim_cubin_get(data, size, "_Z2k1Pf", &k);
    sim_cubin_command(data, size, command, sizeof command);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_fatbin(data, size);
}
#endif
