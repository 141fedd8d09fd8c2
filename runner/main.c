/* warplab: the REPL, or one of the subcommands of commands.def. */
#include "cli.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "repl.h"
#include "sandbox.h"
#include "steps.h"

static const struct {
    const char *name, *usage, *doc;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, function, usage, doc) {name, usage, doc, function},
#include "commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to) {
    fprintf(to, "Warplab teaches CUDA performance: lessons, a simulated GPU, and grading by counters.\n\n"
                "  warplab [--lab LAB] [--device D] [--lang en|zh]\n      opens the lab\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  warplab %s\n      %s\n", commands[i].usage, commands[i].doc);
    fprintf(to,
            "\nExit status: 0 passed, 1 failed, 2 usage, 3 could not grade. The guide: docs/student.md\n");
}

static int repl(int argc, char **argv) {
    repl_options o = {0};
    const lab_option options[] = {{.name = "lab", .value = &o.lab},
                                  {.name = "device", .value = &o.device},
                                  {.name = "lang", .value = &o.lang},
                                  {.name = "transcript", .value = &o.transcript},
                                  {.name = "no-colour", .flag = &o.no_colour},
                                  {.name = NULL}};
    int status = lab_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1)
        return lab_fail(LAB_USAGE, "unexpected argument %s; `warplab --help` shows what there is", argv[1]);
    grade_lang lang;
    if (o.lang && !lab_lang(o.lang, &lang))
        return lab_fail(LAB_USAGE, "--lang takes en or zh, found %s", o.lang);
    sim_message msg;
    const lab_paths *p = lab_paths_get(&msg);
    if (!p) return lab_fail(LAB_ERROR, "%s", msg.text);
    o.root = p->root;
    return repl_main(&o);
}

int main(int argc, char **argv) {
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* JSON and lessons write 0.5 everywhere */
    lab_cancel_install();
    if (argc < 2) return repl(argc, argv);
    if (!strcmp(argv[1], "--steps") && argc == 3) return lab_steps_main(argv[2]);
    if (!strcmp(argv[1], "--probe") && argc == 3) return lab_sandbox_probe_child(argv[2]);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help(stdout);
        return LAB_PASSED;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (!strcmp(argv[1], commands[i].name)) {
            int status = commands[i].run(argc - 1, argv + 1);
            /* What could not be written was not said: a full disk behind a redirection is an error. */
            /* Whoever reads a pipe may stop when they have seen enough. */
            if (fflush(stdout) && errno != EPIPE && status == LAB_PASSED)
                status = lab_fail(LAB_ERROR, "cannot write to stdout; is the disk full?");
            return status;
        }
    }
    if (*argv[1] == '-') return repl(argc, argv);
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const char *near = lab_nearest(argv[1], names, COMMANDS);
    return lab_fail(LAB_USAGE, "unknown command %s%s%s%s", argv[1], near ? ", did you mean " : "",
                    near ? near : "", near ? "?" : "; `warplab --help` shows them");
}
