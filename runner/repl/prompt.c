/* Reads one line, one yes or no, or one key from the user. */
#include "runner/repl/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "words/repl.h"

enum { HISTORY = 1000 };

/* ---- keys ---- */

/* Flags for readline's callbacks. They are static because a process has one readline and one
 * terminal. */
static bool line_interrupted;

/* Written by the handler, polled by the reader, because any thread of the process may get the
 * signal. */
static int interrupt_pipe[2] = {-1, -1};

static void on_interrupt(int signal) {
    (void)signal;
    int saved = errno;
    lib_cancel_flag = 1;
    /* If the pipe is full, the reader wakes anyway. */
    if (write(interrupt_pipe[1], "", 1) < 0) lib_cancel_flag = 1;
    errno = saved;
}

/* Reads a byte for readline. Ctrl-C ends the line. */
static int read_key(FILE *in) {
    for (;;) {
        struct pollfd p[2] = {{.fd = fileno(in), .events = POLLIN},
                              {.fd = interrupt_pipe[0], .events = POLLIN}};
        int n = lib_cancel_flag ? 0 : poll(p, 2, -1);
        if (lib_cancel_flag) {
            char drained[16];
            lib_cancel_clear(); /* from here on, a Ctrl-C is for the next line */
            while (read(interrupt_pipe[0], drained, sizeof drained) > 0) continue;
            line_interrupted = true;
            rl_replace_line("", 1);
            rl_crlf();
            return '\n';
        }
        if (n < 0 && errno == EINTR) {
            rl_resize_terminal();
            continue;
        }
        if (n > 0 && !p[0].revents) { /* an interrupt that was handled elsewhere */
            char drained[16];
            while (read(interrupt_pipe[0], drained, sizeof drained) > 0) continue;
            continue;
        }
        unsigned char c;
        ssize_t got = n > 0 ? read(p[0].fd, &c, 1) : -1;
        if (got == 1) return c;
        /* Ctrl-C came after poll(), and the terminal dropped the typed text. This is not the end of
         * input. */
        if (n > 0 && got < 0 && errno == EINTR) continue;
        return EOF;
    }
}

static void log_line(repl *r, const char *prompt, const char *line) {
    if (r->out.transcript) fprintf(r->out.transcript, "%s%s\n", prompt, line ? line : "");
}

char *repl_line(repl *r, const char *prompt, bool add, bool *interrupted) {
    if (!interrupted || !*interrupted) lib_cancel_clear();
    if (interrupted) *interrupted = false;
    fflush(stdout);
    if (!r->interactive) {
        char *line = NULL;
        size_t cap = 0;
        ssize_t n = getline(&line, &cap, stdin);
        if (n < 0) {
            free(line);
            return NULL;
        }
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
        return line;
    }
    /* Colour in a prompt is between \1 and \2, which tells readline that it has no width. */
    char *shown = lib_format("%s%s%s%s%s", r->out.colour ? "\1\033[1m\2" : "", prompt,
                             r->out.colour ? "\1\033[0m\2" : "", " ", "");
    line_interrupted = false;
    char *line = readline(shown);
    free(shown);
    text_out_resize(&r->out);
    text_page_begin(&r->out);
    if (line_interrupted) {
        free(line);
        if (interrupted) *interrupted = true;
        return NULL;
    }
    if (line && add && *line) {
        HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
        if (!last || strcmp(last->line, line) != 0) add_history(line);
    }
    log_line(r, prompt, line);
    return line;
}

bool repl_yes(repl *r, const char *question) {
    char *prompt = lib_words_take(r->lang, w_repl_yes_no(question));
    prompt[strlen(prompt) - 1] = 0;
    char *line = repl_line(r, prompt, false, NULL);
    free(prompt);
    if (line) command_plain(line);
    bool yes = line && command_is(W_REPL_YES_WORDS, line);
    free(line);
    return yes;
}

bool prompt_next_page(void *user) {
    repl *r = user;
    fprintf(stdout, "%s%s%s", text_begin(&r->out, TEXT_DIM), lib_word(r->lang, W_REPL_MORE),
            text_end(&r->out));
    fflush(stdout);
    rl_prep_terminal(1);
    unsigned char c = 'q';
    ssize_t n = read(STDIN_FILENO, &c, 1);
    rl_deprep_terminal();
    fprintf(stdout, "\r\033[K");
    if (n < 1 && errno == EINTR) lib_cancel_clear();
    if (n != 1 || c == 3 || c == 4) return false;
    if (c == '\n' || c == '\r' || c == ' ') return true;
    if (c != 'q' && c != 'Q') rl_stuff_char(c); /* the user is already typing the next command */
    return false;
}

void repl_warnings(repl *r) {
    const char *w = progress_warning(r->progress, r->lang);
    if (w) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_progress_lost(w));
}

/* ---- setting up ---- */

void prompt_catch_interrupts(void) {
    /* without SA_RESTART, the signal ends a blocked read */
    struct sigaction act = {.sa_handler = on_interrupt};
    if (interrupt_pipe[0] < 0 && pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK)) abort();
    sigaction(SIGINT, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void prompt_history_read(const char *path) {
    rl_readline_name = "warplab";
    rl_catch_signals = 0;
    rl_getc_function = read_key;
    stifle_history(HISTORY);
    read_history(path);
}

void prompt_history_write(const char *path) {
    write_history(path);
}
