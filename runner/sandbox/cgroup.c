/* memory.max and pids.max for one sandboxed process and its children, if this machine allows it:
 * cgroup v2 or v1, as root or in a folder that was delegated to us. One folder for each process
 * (two with v1: memory and pids), removed after the process has ended. */
#include "runner/sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool cgroup_put(const char *folder, const char *file, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return ok;
}

static bool put_number(const char *folder, const char *file, uint64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return cgroup_put(folder, file, text);
}

/* The parents of our folders: parent[0] for memory (v1) or everything (v2), parent[1] for pids
 * (v1). */
typedef struct {
    bool usable, v2;
    char parent[2][96];
} cgroup_place;

static cgroup_place place;

/* Makes a new folder "warplab-..." in a parent. Its name is random and does not contain the process
 * id, because several containers may share the parent, and each has a process 42. Returns false if
 * it cannot be made; path is then empty. */
static bool cgroup_folder(char *path, size_t n, const char *parent, uint64_t id) {
    int length = snprintf(path, n, "%s/warplab-%016llx", parent, (unsigned long long)id);
    if (length >= 0 && (size_t)length < n && !mkdir(path, 0755)) return true;
    *path = 0;
    return false;
}

static bool chance(uint64_t *id) {
    return getrandom(id, sizeof *id, 0) == sizeof *id;
}

static bool v2_parent_works(const char *parent) {
    char path[128];
    uint64_t id;
    if (!chance(&id) || !cgroup_folder(path, sizeof path, parent, id)) return false;
    bool ok = put_number(path, "memory.max", 1u << 30) && put_number(path, "pids.max", 64);
    rmdir(path);
    return ok;
}

static bool v1_parent_works(const char *parent, const char *file) {
    char path[128];
    uint64_t id;
    if (!chance(&id) || !cgroup_folder(path, sizeof path, parent, id)) return false;
    bool ok = put_number(path, file, 1u << 30) || put_number(path, file, 4096);
    rmdir(path);
    return ok;
}

/* Finds our own group of /proc/self/cgroup as a folder under /sys/fs/cgroup (v2). Returns false if
 * there is none. */
static bool own_group(char *path, size_t n) {
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f) return false;
    char line[512];
    bool found = false;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "0::", 3)) continue;
        line[strcspn(line, "\n")] = 0;
        found =
            snprintf(path, n, "/sys/fs/cgroup%s", strcmp(line + 3, "/") ? line + 3 : "") < (int)n;
    }
    fclose(f);
    return found;
}

/* Removes what a killed process left behind. Only rmdir is used, which fails for a group in use. A
 * group that is being made is still empty, so only groups of some age are removed. */
static void cgroup_sweep(const char *parent) {
    enum { OLD_S = 10 };
    DIR *d = opendir(parent);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (strncmp(e->d_name, "warplab-", 8) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (S_ISDIR(st.st_mode) && time(NULL) - st.st_mtime > OLD_S)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    }
    if (d) closedir(d);
}

static void find_place(void) {
    const char *hide = getenv("WARPLAB_NO_CGROUP"); /* for tests of a machine without cgroups */
    if (hide && *hide && strcmp(hide, "0")) return;
    char own[96];
    struct stat st;
    if (!stat("/sys/fs/cgroup/cgroup.controllers", &st)) {
        /* The root group; or our own, if it was delegated and only its leaves have processes. */
        const char *const tries[] = {"/sys/fs/cgroup", own_group(own, sizeof own) ? own : NULL};
        for (size_t i = 0; i < 2 && !place.usable; i++) {
            if (!tries[i] || access(tries[i], W_OK)) continue;
            cgroup_put(tries[i], "cgroup.subtree_control", "+memory +pids");
            if (!v2_parent_works(tries[i])) continue;
            snprintf(place.parent[0], sizeof place.parent[0], "%s", tries[i]);
            place.usable = place.v2 = true;
        }
    } else if (v1_parent_works("/sys/fs/cgroup/memory", "memory.limit_in_bytes") &&
               v1_parent_works("/sys/fs/cgroup/pids", "pids.max")) {
        snprintf(place.parent[0], sizeof place.parent[0], "/sys/fs/cgroup/memory");
        snprintf(place.parent[1], sizeof place.parent[1], "/sys/fs/cgroup/pids");
        place.usable = true;
    }
    for (int i = 0; i < 2; i++)
        if (place.parent[i][0]) cgroup_sweep(place.parent[i]);
}

bool cgroup_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* two builds may ask at the same time */
    pthread_once(&once, find_place);
    return place.usable;
}

void cgroup_make(sandbox_process *p, uint64_t memory, unsigned pids) {
    uint64_t id;
    if (!chance(&id)) return;
    for (int i = 0; i < (place.v2 ? 1 : 2); i++) {
        char *path = p->cgroup[i];
        if (!cgroup_folder(path, sizeof p->cgroup[i], place.parent[i], id)) continue;
        /* bwrap's two processes are in the group, too. */
        if (place.v2) {
            if (memory) put_number(path, "memory.max", memory);
            cgroup_put(path, "memory.swap.max", "0");
            cgroup_put(path, "memory.oom.group", "1");
            put_number(path, "pids.max", pids + 4);
        } else if (i == 0) {
            if (memory) put_number(path, "memory.limit_in_bytes", memory);
        } else {
            put_number(path, "pids.max", pids + 4);
        }
    }
}

bool cgroup_enter(const sandbox_process *p, pid_t pid) {
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        if (p->cgroup[i][0]) ok = put_number(p->cgroup[i], "cgroup.procs", (uint64_t)pid) && ok;
    }
    return ok;
}

bool cgroup_over_memory(const sandbox_process *p) {
    char text[1024], path[sizeof p->cgroup[0] + 32];
    if (!p->cgroup[0][0]) return false;
    snprintf(path, sizeof path, "%s/%s", p->cgroup[0],
             place.v2 ? "memory.events" : "memory.oom_control");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *kills = strstr(text, "oom_kill ");
    return kills && strtoul(kills + strlen("oom_kill "), NULL, 10) > 0;
}

void cgroup_remove(sandbox_process *p) {
    for (int i = 0; i < 2; i++) {
        if (!p->cgroup[i][0]) continue;
        cgroup_put(p->cgroup[i], "cgroup.kill", "1"); /* v2, Linux 5.14 */
        /* The kernel releases the folder a moment after its last process. */
        for (int tries = 0; tries < 50 && rmdir(p->cgroup[i]) && errno == EBUSY; tries++) {
            struct timespec t = {.tv_nsec = 2000000};
            nanosleep(&t, NULL);
        }
        p->cgroup[i][0] = 0;
    }
}
