/* warplab: the REPL, or a subcommand of commands.def. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/cancel.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/word.h"
#include "runner/sandbox/sandbox.h"
#include "runner/build/steps.h"
#include "runner/repl/repl.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, function, usage) {name, function},
#include "runner/cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int cmd_preview(int argc, char **argv) {
    repl_options o = {0};
    lib_lang lang;
    const cli_option options[] = {
        {.name = "device", .value = &o.device}, {.name = "lang", .lang = &lang}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    lib_message msg = {0};
    char *end = "-";
    long n = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (*end || n < 1 || n > 10000) return cli_fail(CLI_USAGE, w_cli_preview_operands());
    char *id = cli_lab(argv[1], &msg);
    if (!id) return cli_say(CLI_USAGE, &msg);
    o.lang = lang == LIB_ZH ? "zh" : "en";
    o.root = lib_paths_get(&msg)->root;
    o.lab = id;
    o.preview = (int)n;
    status = repl_main(&o);
    free(id);
    return status;
}

static int repl(int argc, char **argv) {
    repl_options o = {0};
    const cli_option options[] = {{.name = "lab", .value = &o.lab},
                                  {.name = "device", .value = &o.device},
                                  {.name = "lang", .value = &o.lang},
                                  {.name = "transcript", .value = &o.transcript},
                                  {.name = "no-colour", .flag = &o.no_colour},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_repl_argument(argv[1]));
    lib_lang lang;
    if (o.lang && !cli_lang(o.lang, &lang))
        return cli_fail(CLI_USAGE, w_cli_option_takes_language(NULL, "lang", o.lang));
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    o.root = p->root;
    return repl_main(&o);
}

/* WARPLAB_WORDS=FILE.po: a translator's catalogue replaces that of its language. */
static bool words_tried(lib_message *msg) {
    const char *path = getenv("WARPLAB_WORDS");
    return !path || !*path || lib_words_load(cli_language(), path, msg);
}

int main(int argc, char **argv) {
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* JSON and lessons always write 0.5 */
    lib_cancel_install();
    lib_message msg;
    if (argc > 1 && strcmp(argv[1], "profile") != 0 && strcmp(argv[1], "debug") != 0)
        cli_lang_scan(argc, argv, false);
    if (!words_tried(&msg)) return cli_say(CLI_ERROR, &msg);
    if (argc < 2) return repl(argc, argv);
    if (!strcmp(argv[1], "--steps") && argc == 3) return build_steps_main(argv[2]);
    if (!strcmp(argv[1], "--probe") && argc == 3) return sandbox_probe_child(argv[2]);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        cli_help_all(stdout);
        return CLI_PASSED;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("warplab %s\n", lib_version());
        return CLI_PASSED;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (!strcmp(argv[1], commands[i].name)) {
            int status = commands[i].run(argc - 1, argv + 1);
            /* Output that could not be written is an error, for example with a full disk behind a
             * redirection. But a reader may close a pipe early (EPIPE). */
            if (fflush(stdout) && errno != EPIPE && status == CLI_PASSED)
                status = cli_fail(CLI_ERROR, w_cli_cannot_write_stdout());
            return status;
        }
    }
    if (*argv[1] == '-') return repl(argc, argv);
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const char *near = lib_nearest(argv[1], names, COMMANDS);
    return cli_fail(CLI_USAGE, near ? w_cli_command_unknown_near(argv[1], near)
                                    : w_cli_command_unknown(argv[1]));
}
