/* `warplab completion bash|zsh|fish`: prints a script for this shell, made from commands.def and
 * options.def. `warplab completion labs|devices`: prints the words that the scripts need while the
 * user types. */
#include <stdio.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/cli/cli.h"
#include "runner/cli/usage.h"
#include "runner/device/server/device.h"
#include "words/cli.h"

/* What may follow an option. */
typedef enum { VALUE_NONE, VALUE_FILE, VALUE_LAB, VALUE_DEVICE, VALUE_WORDS, VALUE_ANY } value_kind;

static value_kind value_kind_of(const char *value) {
    static const char *const files[] = {"F",      "FILE", "DIR",    "OUT",
                                        "F.json", "JSON", "F.html", "course.lua"};
    if (!*value) return VALUE_NONE;
    if (!strcmp(value, "LAB")) return VALUE_LAB;
    if (!strcmp(value, "D")) return VALUE_DEVICE;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(value, files[i])) return VALUE_FILE;
    /* en|zh are words that can be typed, COMMIT|DATE are not. */
    return strchr(value, '|') && *value >= 'a' ? VALUE_WORDS : VALUE_ANY;
}

/* Prints a text for use between single quotes of a shell. `also`: characters that get a
 * backslash. */
static void quoted(const char *text, const char *also) {
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", stdout);
        else {
            if (strchr(also, *text)) putchar('\\');
            putchar(*text);
        }
    }
}

/* Prints "en|zh" as "en zh". */
static void spaced(const char *words) {
    for (; *words; words++) putchar(*words == '|' ? ' ' : *words);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion for warplab; made by `warplab completion bash`.\n"
    "_warplab_reply() { # WORDS: those that begin as what is typed does\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(compgen -W \"${1// /$'\\n'}\" -- \"$cur\"))\n"
    "    # bash takes sim:h200 for two words and replaces the second.\n"
    "    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] && "
    "COMPREPLY=(\"${COMPREPLY[@]#\"${cur%:*}:\"}\")\n"
    "}\n"
    "_warplab_files() {\n"
    "    local IFS=$'\\n'\n"
    "    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null\n"
    "    COMPREPLY=(\"${COMPREPLY[@]}\" $(compgen -f -- \"$cur\"))\n"
    "}\n"
    "_warplab_labs() { _warplab_reply \"$(warplab completion labs 2>/dev/null)\"; }\n"
    "_warplab_devices() { _warplab_reply \"$(warplab completion devices 2>/dev/null)\"; }\n"
    "_warplab() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur prev command=warplab w\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=('')\n"
    "    cur=${words[${#words[@]}-1]}\n"
    "    prev=${words[${#words[@]}-2]}\n"
    "    [[ $cur == --*=* ]] && prev=${cur%%=*} cur=${cur#*=}\n"
    "    if ((${#words[@]} > 2)) && [[ ${words[1]} != -* ]]; then command=${words[1]}; fi\n"
    "    COMPREPLY=()\n"
    "    case $command:$prev in\n";

static void bash_values(const cli_usage *u) {
    for (size_t i = 0; i < u->options; i++) {
        value_kind kind = value_kind_of(u->option[i]->value);
        if (kind == VALUE_NONE) continue;
        printf("    %s:--%s) ", u->name, u->option[i]->name);
        if (kind == VALUE_FILE) fputs("_warplab_files; ", stdout);
        if (kind == VALUE_LAB) fputs("_warplab_labs; ", stdout);
        if (kind == VALUE_DEVICE) fputs("_warplab_devices; ", stdout);
        if (kind == VALUE_WORDS) {
            fputs("_warplab_reply '", stdout);
            spaced(u->option[i]->value);
            fputs("'; ", stdout);
        }
        puts("return ;;");
    }
}

static void bash_operands(const cli_usage *u, bool first) {
    printf("    %s)\n        if [[ $cur == -* ]]; then _warplab_reply '--help", u->name);
    for (size_t i = 0; i < u->options; i++) printf(" --%s", u->option[i]->name);
    fputs("'; return; fi\n", stdout);
    if (u->words || first) {
        printf("        %s_warplab_reply '", first ? "" : "((${#words[@]} == 3)) && ");
        for (size_t i = 0; i < u->words; i++) printf("%s%s", i ? " " : "", u->word[i]);
        cli_usage c;
        for (size_t i = 1; first && cli_usage_at(i, &c); i++)
            printf("%s%s", i > 1 ? " " : "", c.name);
        puts("'");
    }
    if (u->labs)
        puts("        [[ ${#COMPREPLY[@]} = 0 && ${#words[@]} = 3 || $command = check ]] && "
             "_warplab_labs");
    if (u->files) puts("        [[ ${#COMPREPLY[@]} = 0 ]] && _warplab_files");
    puts("        ;;");
}

static void bash(void) {
    cli_usage u;
    fputs(bash_head, stdout);
    for (size_t i = 0; cli_usage_at(i, &u); i++) bash_values(&u);
    puts("    esac\n    case $command in");
    for (size_t i = 0; cli_usage_at(i, &u); i++) bash_operands(&u, i == 0);
    puts("    esac\n}\ncomplete -F _warplab warplab");
}

/* ---- zsh ---- */

static void zsh_option(const cli_option_row *o) {
    value_kind kind = value_kind_of(o->value);
    printf("            '--%s%s[", o->name, kind == VALUE_NONE ? "" : "=");
    quoted(lib_word(LIB_EN, cli_option_doc(o)), "[]:");
    putchar(']');
    if (kind != VALUE_NONE) {
        putchar(':');
        quoted(o->value, ":");
        putchar(':');
        if (kind == VALUE_FILE) fputs("_files", stdout);
        if (kind == VALUE_LAB) fputs("_warplab_labs", stdout);
        if (kind == VALUE_DEVICE) fputs("_warplab_devices", stdout);
        if (kind == VALUE_WORDS) {
            putchar('(');
            spaced(o->value);
            putchar(')');
        }
    }
    puts("' \\");
}

static void zsh_command(const cli_usage *u) {
    printf("        %s)\n            _arguments \\\n", u->name);
    for (size_t i = 0; i < u->options; i++) zsh_option(u->option[i]);
    if (u->words || u->labs) {
        /* What may come first: all are offered, and files if nothing else fits. */
        bool on = u->labs && !u->words && !u->files;
        printf("            '%s:what:{ ", on ? "*" : "1");
        if (u->words) fputs("compadd -- ", stdout);
        for (size_t i = 0; i < u->words; i++) printf("%s ", u->word[i]);
        if (u->words && u->labs) fputs("; ", stdout);
        if (u->labs) fputs("_warplab_labs ", stdout);
        if (u->either) fputs("|| _files ", stdout);
        puts(u->files ? "}' \\\n            '*:file:_files'" : "}'");
    } else {
        puts(u->files ? "            '*:file:_files'" : "            '--help[the usage]'");
    }
    puts("            ;;");
}

static void zsh(void) {
    cli_usage u;
    puts("#compdef warplab\n# zsh completion for warplab; made by `warplab completion zsh`.\n"
         "_warplab_labs() { compadd -- ${(f)\"$(warplab completion labs 2>/dev/null)\"} }\n"
         "_warplab_devices() { compadd -- ${(f)\"$(warplab completion devices 2>/dev/null)\"} }\n"
         "_warplab() {\n    local line state\n    local -a commands=(");
    for (size_t i = 1; cli_usage_at(i, &u); i++) {
        printf("        '%s:", u.name);
        quoted(lib_word(LIB_EN, cli_usage_doc(&u)), ":");
        puts("'");
    }
    puts("    )\n    _arguments -C \\");
    cli_usage_at(0, &u);
    for (size_t i = 0; i < u.options; i++) zsh_option(u.option[i]);
    puts("            '1:command:->command' '*::argument:->argument'\n    case $state in\n"
         "    command) _describe command commands ;;\n    argument)\n        case $line[1] in");
    for (size_t i = 1; cli_usage_at(i, &u); i++) zsh_command(&u);
    puts("        esac ;;\n    esac\n}\n"
         "if [ \"$funcstack[1]\" = _warplab ]; then _warplab \"$@\"; else compdef _warplab "
         "warplab; fi");
}

/* ---- fish ---- */

static void fish_option(const cli_usage *u, const cli_option_row *o, bool program) {
    value_kind kind = value_kind_of(o->value);
    printf("complete -c warplab -n '%s%s' -l %s",
           program ? "__fish_use_subcommand" : "__fish_seen_subcommand_from ",
           program ? "" : u->name, o->name);
    if (kind == VALUE_FILE) fputs(" -r -F", stdout);
    if (kind == VALUE_LAB) fputs(" -x -a '(warplab completion labs)'", stdout);
    if (kind == VALUE_DEVICE) fputs(" -x -a '(warplab completion devices)'", stdout);
    if (kind == VALUE_ANY) fputs(" -x", stdout);
    if (kind == VALUE_WORDS) {
        fputs(" -x -a '", stdout);
        spaced(o->value);
        putchar('\'');
    }
    fputs(" -d \"", stdout);
    for (const char *s = lib_word(LIB_EN, cli_option_doc(o)); *s; s++) {
        if (strchr("\"$\\`", *s) && *s != '`') putchar('\\');
        putchar(*s);
    }
    puts("\"");
}

static void fish(void) {
    cli_usage u;
    puts("# fish completion for warplab; made by `warplab completion fish`.\ncomplete -c warplab "
         "-f");
    for (size_t i = 0; cli_usage_at(i, &u); i++) {
        for (size_t k = 0; k < u.options; k++) fish_option(&u, u.option[k], i == 0);
        if (!i) continue;
        printf("complete -c warplab -n __fish_use_subcommand -a %s -d \"", u.name);
        for (const char *s = lib_word(LIB_EN, cli_usage_doc(&u)); *s; s++) {
            if (strchr("\"$\\", *s)) putchar('\\');
            putchar(*s);
        }
        puts("\"");
        if (u.words) {
            printf("complete -c warplab -n '__fish_seen_subcommand_from %s' -a '", u.name);
            for (size_t k = 0; k < u.words; k++) printf("%s%s", k ? " " : "", u.word[k]);
            puts("'");
        }
        if (u.labs)
            printf("complete -c warplab -n '__fish_seen_subcommand_from %s' -a '(warplab "
                   "completion labs)'\n",
                   u.name);
        if (u.files) printf("complete -c warplab -n '__fish_seen_subcommand_from %s' -F\n", u.name);
    }
}

/* ---- words ---- */

static void print_device(void *user, const char *name, const lib_message *what,
                         const lib_message *why) {
    (void)user, (void)what, (void)why;
    puts(name);
}

static int print_labs(void) {
    lib_message msg;
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_say(CLI_ERROR, &msg);
    size_t n;
    char **names = lib_lab_names(p, &n);
    for (size_t i = 0; i < n; i++) puts(names[i]);
    lib_lab_names_free(names, n);
    return CLI_PASSED;
}

int cmd_completion(int argc, char **argv) {
    const cli_option options[] = {{.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    const char *what = argc == 2 ? argv[1] : "";
    if (!strcmp(what, "labs")) return print_labs();
    if (!strcmp(what, "bash")) bash();
    else if (!strcmp(what, "zsh")) zsh();
    else if (!strcmp(what, "fish")) fish();
    else if (!strcmp(what, "devices")) dev_list(print_device, NULL);
    else
        return cli_fail(CLI_USAGE,
                        argc > 1 ? w_cli_completion_shell(what) : w_cli_completion_no_shell());
    return CLI_PASSED;
}
