/* Status codes in words, and the default options of a device. */
#include "runner/device/sim/sim.h"

#include <stdlib.h>
#include <string.h>

const char *sim_status_name(sim_status s) {
    static const char *const names[] = {
#define X(n, m) #n,
        SIM_STATUS_MAP(X)
#undef X
    };
    return (unsigned)s < SIM_STATUS_COUNT ? names[s] : "UNKNOWN";
}
const char *sim_status_message(sim_status s) {
    static const char *const messages[] = {
#define X(n, m) m,
        SIM_STATUS_MAP(X)
#undef X
    };
    return (unsigned)s < SIM_STATUS_COUNT ? messages[s] : "unknown status";
}

bool sim_machine_off(void) {
    const char *machine = getenv("WARPLAB_SIM_MACHINE");
    return machine && !strcmp(machine, "off");
}

void sim_options_default(sim_options *o) {
    const char *machine = getenv("WARPLAB_SIM_MACHINE"),
               *log = machine && !strncmp(machine, "log:", 4) ? machine + 4 : NULL;
    *o = (sim_options){.check_race_shared = true,
                       .check_uninit = true,
                       .count_lines = true,
                       .deterministic = true,
                       .machine_code = log || (machine && !strcmp(machine, "on")),
                       .machine_log = log,
                       .model_time = true};
}
