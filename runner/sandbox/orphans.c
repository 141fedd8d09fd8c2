/* See orphans.h. An orphan is a child in another session that we did not start. Our own children
 * are either in our session, which other processes cannot join, or registered (orphans_know). */
#include "runner/sandbox/orphans.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_KNOWN = 1024,
    ROUNDS = 1000 /* a millisecond apart */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t known[MAX_KNOWN];

void orphans_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void replace(pid_t old, pid_t new) {
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < MAX_KNOWN && known[i] != old) i++;
    if (i < MAX_KNOWN) known[i] = new;
    pthread_mutex_unlock(&lock);
}

void orphans_know(pid_t pid) {
    replace(0, pid);
}

void orphans_forget(pid_t pid) {
    replace(pid, 0);
}

static bool is_known(pid_t pid) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MAX_KNOWN && !found; i++) found = known[i] == pid;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Finds its parent and session. Returns false if it has ended. */
static bool relations(pid_t pid, pid_t *parent, pid_t *session) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    /* "PID (NAME) STATE PARENT GROUP SESSION ...": NAME may contain anything. */
    char *s = strrchr(text, ')'), *end;
    if (!s || strlen(s) < 5) return false;
    *parent = (pid_t)strtol(s + 4, &end, 10);
    strtol(end, &end, 10);
    *session = (pid_t)strtol(end, NULL, 10);
    return true;
}

/* Returns whether it was one, and has ended. */
static bool end_orphan(pid_t pid) {
    pid_t parent, session;
    if (pid <= 0 || !relations(pid, &parent, &session) || parent != getpid() ||
        session == getsid(0) || is_known(pid))
        return false;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return true;
}

void orphans_end_one(pid_t pid) {
    end_orphan(pid);
}

static size_t end_those_there(void) {
    size_t ended = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));)
        ended += end_orphan((pid_t)strtol(e->d_name, NULL, 10));
    if (d) closedir(d);
    return ended;
}

void orphans_end(void) {
    for (int i = 0; i < ROUNDS && end_those_there(); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
