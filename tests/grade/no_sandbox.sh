#!/bin/bash
# slow
# waits
# Without a sandbox, too, the verdict is the grader's: what a submission starts is ended before the
# result is written, whatever it did to get away, and the result is written by the parent, last.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# forger KIND: a submission whose daemon waits for the result and writes another in its place.
forger() {
    cat >"$T/$1.cu" <<CU
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void forge() {
    for (int i = 0; i < 100; i++) {
        usleep(50000);
        if (FILE *f = fopen("$T/$1.started", "w")) fclose(f);
        if (access("$T/$1.json", F_OK)) continue;
        usleep(300000);
        if (FILE *f = fopen("$T/$1.json", "w")) fputs("{\"verdict\": \"pass\", \"forged\": true}", f), fclose(f);
        _exit(0);
    }
    _exit(0);
}
static void leave() {
    if (syscall(SYS_fork)) return;
    setsid();
    if (syscall(SYS_fork)) _exit(0);
    for (int s = 1; s < 65; s++) signal(s, SIG_IGN);
    for (int fd = 0; fd < 256; fd++) close(fd);
    forge();
}
void vector_add(const float *, const float *, float *, int) {
    static bool gone;
    if (gone) return;
    gone = true;
    leave();
    usleep(200000);
    $2;
}
CU
}
graded() { # KIND WHAT
    forger "$1" "$2"
    run "$W" grade vector-add "$T/$1.cu" --device sim:h200 --no-sandbox --json "$T/$1.json"
    status_is 1 "$1: it fails"
    is "$([ -e "$T/$1.started" ] && echo yes)" yes "$1: its daemon ran"
    sleep 1.5
    is "$(json "$T/$1.json" '(j["verdict"], "forged" in j)')" "('fail', False)" "$1: the result is the grader's"
}
graded daemon ""
graded ends "_exit(0)"
# Its parent is warplab-init; were it to kill its next parent too, which is the grader, there would
# be no verdict at all.
graded kills "prctl(PR_SET_PDEATHSIG, 0); kill(getppid(), SIGKILL); usleep(300000)"
graded stops "kill(getppid(), SIGSTOP); usleep(300000)"

# A child that is waited for is nobody's daemon.
cat >"$T/child.cu" <<'CU'
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    pid_t p = (pid_t)syscall(SYS_fork);
    if (!p) _exit(0);
    waitpid(p, nullptr, 0);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
CU
run "$W" grade vector-add "$T/child.cu" --device sim:h200 --no-sandbox
status_is 0 "a program that starts a child and waits for it passes"
finish
