/* `warplab clangd`: writes the settings with which clangd, the language server of many editors,
 * understands the .cu files of the work folder.
 *
 *   toolchain found, kernels/ --> WORK/.clangd
 *
 * Clang can read CUDA itself; the settings say where the toolkit and our headers are. A file that
 * Warplab did not write is kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/say.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

static const char mark[] = "# Written by `warplab clangd`; it writes it anew when asked.\n";
enum { SETTINGS_BYTES = 1 << 16 };

/* Adds one argument of the compiler as a single-quoted YAML text. */
static void add_quoted(lib_buffer *b, const char *before, const char *s) {
    lib_buffer_puts(b, "    - '");
    lib_buffer_puts(b, before);
    for (; *s; s++) {
        if (*s == '\'') lib_buffer_puts(b, "'");
        lib_buffer_add(b, s, 1);
    }
    lib_buffer_puts(b, "'\n");
}

static char *settings(const lib_paths *p, const build_toolchain *t) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, mark);
    lib_buffer_puts(&b, "CompileFlags:\n  Compiler: clang++\n  Add:\n");
    add_quoted(&b, "", "-xcuda");
    add_quoted(&b, "", "-std=c++17");
    add_quoted(&b, "", "--cuda-host-only");
    add_quoted(&b, "", "--cuda-gpu-arch=sm_75");
    add_quoted(&b, "", "-Wno-unknown-cuda-version");
    add_quoted(&b, "--cuda-path=", t->home);
    add_quoted(&b, "-I", p->kernels);
    return b.s;
}

/* Returns whether a file with this name exists that Warplab did not write. */
static bool someone_elses(const char *path) {
    if (access(path, F_OK)) return false;
    size_t n = 0;
    lib_message msg;
    char *text = lib_read_file(path, SETTINGS_BYTES, &n, &msg);
    bool ours = text && n >= sizeof mark - 1 && !memcmp(text, mark, sizeof mark - 1);
    free(text);
    return !ours;
}

int cmd_clangd(int argc, char **argv) {
    const cli_option options[] = {{.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc > 1) return cli_fail(CLI_USAGE, w_cli_clangd_argument(argv[1]));
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    const build_toolchain *t = p ? build_toolchain_get(&msg) : NULL;
    if (!t || !lib_make_folders(p->work, &msg)) return cli_say(CLI_ERROR, &msg);
    char *path = lib_path_join(p->work, ".clangd"), *text = settings(p, t);
    if (someone_elses(path)) status = cli_fail(CLI_ERROR, w_cli_clangd_not_ours(path, text));
    else if (!lib_write_file(path, text, strlen(text), &msg)) status = cli_say(CLI_ERROR, &msg);
    else status = CLI_PASSED;
    if (status == CLI_PASSED) lib_print(stdout, "%s\n", path);
    free(text);
    free(path);
    return status;
}
