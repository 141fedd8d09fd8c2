/* `warplab debug` and `warplab dap`: find out what to debug. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/cli/cli.h"
#include "runner/debugger/debugger.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "words/cli.h"

/* For debugger_lab. The lab and its data stay valid until the next call. */
static bool find_lab(debugger_target *t, const char *id, const char *file, lib_message *msg) {
    static lab *open_lab;
    static debugger_opening opening;
    static char mine[1024];
    const lib_paths *p = lib_paths_get(msg);
    lab *l = p ? lab_load(p->root, id, msg) : NULL;
    if (!l) return false;
    if (!l->grade.entry) {
        lib_message_set(msg, w_cli_debug_no_program(id));
        lab_free(l);
        return false;
    }
    lab_free(open_lab);
    open_lab = l;
    snprintf(mine, sizeof mine, "%s/%s.cu", p->work, id);
    t->source = file ? file : !access(mine, R_OK) ? mine : l->skeleton_path;
    t->lab = &l->grade;
    t->baseline = l->baseline_path;
    if (!t->number && l->debug.number) {
        opening = (debugger_opening){.at = l->debug.at, .at_count = l->debug.at_count};
        for (int i = 0; i < LIB_LANGS; i++) opening.text[i] = l->debug.text.text[i];
        t->opening = &opening;
        t->number = l->debug.number;
    }
    if (!t->number) t->number = 1;
    if (!access(t->source, R_OK)) return true;
    lib_message_set(msg, w_cli_cannot_read(t->source, errno));
    return false;
}

/* Debugs the lab's function in the student's file, or in the named file. */
static int debug_lab(const debugger_target *asked, const char *id, const char *file,
                     lib_lang lang) {
    debugger_target t = *asked;
    lib_message msg = {0};
    if (!find_lab(&t, id, file, &msg)) return cli_say(CLI_USAGE, &msg);
    return debugger_shell(&t, lang, stdin, stdout);
}

int cmd_debug(int argc, char **argv) {
    const char *device = NULL, *number = NULL;
    lib_lang lang;
    bool no_sandbox = false, optimised = false;
    const cli_option options[] = {
        {.name = "device", .value = &device},        {.name = "lang", .lang = &lang},
        {.name = "case", .value = &number},          {.name = "optimised", .flag = &optimised},
        {.name = "no-sandbox", .flag = &no_sandbox}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, true);
    if (status >= 0) return status;
    if (argc < 2) return cli_fail(CLI_USAGE, w_cli_usage_debug());
    /* Only a simulated device can be stopped. */
    if (!device) device = strncmp(grading_device(), "sim:", 4) ? "sim:h200" : grading_device();
    if (!build_arch(device) || strncmp(device, "sim:", 4))
        return cli_fail(CLI_USAGE, w_cli_debug_device(device));
    char *end = NULL;
    unsigned long n = number ? strtoul(number, &end, 10) : 0; /* 0: not given */
    if (number && (!*number || *end || !n || n > 1000))
        return cli_fail(CLI_USAGE, w_cli_debug_case(number));
    const char *what = argv[1];
    size_t length = strlen(what);
    debugger_target t = {.shown = what,
                         .device = device,
                         .lang = lang,
                         .number = n,
                         .optimised = optimised,
                         .arguments = argv + 2,
                         .mode = no_sandbox ? SANDBOX_NONE : SANDBOX_IF_ANY};
    if (length > 3 && !strcmp(what + length - 3, ".cu")) {
        if (access(what, R_OK)) return cli_fail(CLI_USAGE, w_cli_cannot_read(what, errno));
        t.source = what;
        return debugger_shell(&t, lang, stdin, stdout);
    }
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    if (!strchr(what, '/') && p && lab_exists(p->root, what))
        return debug_lab(&t, what, argc > 2 ? argv[2] : NULL, lang);
    char *found = strchr(what, '/') || !access(what, X_OK) ? realpath(what, NULL)
                                                           : lib_find_program(getenv("PATH"), what);
    if (!found) return cli_fail(CLI_USAGE, w_cli_debug_cannot_find(what));
    t.program = found;
    if (optimised) {
        free(found);
        return cli_fail(CLI_USAGE, w_cli_debug_optimised());
    }
    status = debugger_shell(&t, lang, stdin, stdout);
    free(found);
    return status;
}

int cmd_dap(int argc, char **argv) {
    lib_lang lang;
    const cli_option options[] = {{.name = "lang", .lang = &lang}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_dap_operands());
    return debugger_dap(stdin, stdout, lang, find_lab);
}
