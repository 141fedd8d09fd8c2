/* `debug`: the debugger on the student's file and one of the lab's public cases. */
#include <stdlib.h>
#include <string.h>
#include "runner/debugger/debugger.h"
#include "runner/repl/session.h"

int repl_debug(repl *r, char *argument) {
    size_t number = strtoul(argument, NULL, 10);
    debugger_target t = {.shown = r->lab->grade.id,
                         .source = r->file,
                         /* only a simulated device can be stopped */
                         .device = strncmp(r->device, "sim:", 4) ? "sim:h200" : r->device,
                         .lab = &r->lab->grade,
                         .baseline = r->lab->baseline_path,
                         .number = number ? number : 1,
                         .mode = SANDBOX_IF_ANY};
    return debugger_shell(&t, r->lang, stdin, stdout) ? 1 : 0;
}
