/* Status codes in words, and the default options of a device. */
#include "runner/device/sim/sim.h"

#include <stdio.h>
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

const char *sim_switches(char *text, size_t size) {
    static const char *const names[] = {"WARPLAB_SIM_ISA", "WARPLAB_SIM_MACHINE",
                                        "WARPLAB_SIM_NATIVE", "WARPLAB_SIM_REWRITE"};
    size_t n = 0;
    *text = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && n < size)
            n += (size_t)snprintf(text + n, size - n, " %s=%.80s", names[i], value);
    }
    return text;
}

void sim_options_default(sim_options *o) {
    const char *machine = getenv("WARPLAB_SIM_MACHINE"),
               *log = machine && !strncmp(machine, "log:", 4) ? machine + 4 : NULL;
    *o = (sim_options){.check_race_shared = true,
                       .check_uninit = true,
                       .count_lines = true,
                       .deterministic = true,
                       .machine_code = !sim_machine_off(),
                       .machine_log = log,
                       .model_time = true};
}
