/* Lists the GPUs of this machine.
 *
 *   no device file of the driver --> none, and nothing is started
 *   /proc says the same about the driver as last time --> the last answer, from the cache
 *   otherwise --> warplab-gpu, once per process: the driver takes 0.25 s to start */
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/device/server/gpu/gpu.h"
#include "runner/device/server/gpu/gpu_process.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_once_t once;
    char *text; /* `warplab-gpu list`; NULL: none */
    lib_message why;
} found = {.once = PTHREAD_ONCE_INIT};

static void key_add(lib_buffer *key, const char *text) {
    for (; *text; text++) lib_buffer_add(key, *text == '\n' ? " " : text, 1);
    lib_buffer_puts(key, ";");
}

/* Returns one line that changes if the driver, its GPUs, the choice among them or the boot changes;
 * "" if the driver says nothing about itself (WSL). malloc'ed. */
static char *list_key(void) {
    static const char *const files[] = {"/proc/driver/nvidia/version",
                                        "/proc/sys/kernel/random/boot_id"};
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    lib_buffer key = {0};
    lib_buffer_puts(&key, "");
    for (size_t i = 0; i < 2; i++) {
        char text[4096] = ""; /* files of /proc have no size, so they are read to their end */
        FILE *f = fopen(files[i], "re");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f) fclose(f);
        text[n] = 0;
        if (!n && !i) return key.s;
        key_add(&key, text);
    }
    key_add(&key, visible ? visible : "all");
    struct dirent **gpus;
    int n = scandir("/proc/driver/nvidia/gpus", &gpus, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        key_add(&key, gpus[i]->d_name);
        free(gpus[i]);
    }
    if (n >= 0) free(gpus);
    return key.s;
}

/* Returns the list that was saved for `key`; malloc'ed, NULL: none. */
static char *list_kept(const char *file, const char *key) {
    char *text = lib_read_file(file, 1 << 16, NULL, NULL), *end = text ? strchr(text, '\n') : NULL;
    bool same = end && (size_t)(end - text) == strlen(key) && !strncmp(text, key, strlen(key));
    char *list = same ? lib_strdup(end + 1) : NULL;
    free(text);
    return list;
}

static void list_ask(void) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    char *key = list_key(), *file = p && *key ? lib_path_join(p->cache, "gpus") : NULL;
    found.text = file ? list_kept(file, key) : NULL;
    if (!found.text && (found.text = gpu_process_list(&found.why)) && file &&
        lib_make_folders(p->cache, NULL)) {
        char *text = lib_format("%s\n%s", key, found.text);
        lib_write_file(file, text, strlen(text), NULL); /* best effort */
        free(text);
    }
    free(file);
    free(key);
}

static void list_look(void) {
    const char *given = getenv("WARPLAB_LIBCUDA");
    /* The driver's device files exist as soon as the driver is loaded, even if nothing has used it
     * yet. */
    if (given && *given) found.text = gpu_process_list(&found.why);
    else if (access("/dev/nvidiactl", F_OK) && access("/dev/dxg", F_OK))
        lib_message_set(&found.why, w_server_no_gpu());
    else list_ask();
}

/* Splits one line of the list into its fields. */
static const char *list_line(const char *text, unsigned *index, char name[128], char uuid[64],
                             char driver[32], int *cc) {
    int major = 0, minor = 0;
    if (sscanf(text, "%u\t%127[^\t]\t%63[^\t]\t%31[^\t]\t%d.%d", index, name, uuid, driver, &major,
               &minor) != 6)
        return NULL;
    *cc = major * 10 + minor;
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

bool dev_gpu_found(unsigned *arch, char nearest[64], const lib_message **why) {
    unsigned index;
    char name[128], uuid[64], driver[32];
    int cc = 0;
    pthread_once(&found.once, list_look);
    *why = &found.why;
    if (!found.text || !list_line(found.text, &index, name, uuid, driver, &cc)) return false;
    *arch = (unsigned)cc;
    const sim_profile *p = dev_gpu_nearest(name, cc);
    snprintf(nearest, 64, "sim:%s", p->name);
    return true;
}

void dev_gpu_list(dev_listed *fn, void *user) {
    unsigned index;
    char name[128], uuid[64], driver[32], id[32];
    lib_message what;
    int cc = 0;
    pthread_once(&found.once, list_look);
    const char *at = found.text;
    if (!at) {
        lib_message_set(&what, w_server_first_gpu());
        fn(user, "gpu:0", &what, &found.why);
    }
    while (at && *at && (at = list_line(at, &index, name, uuid, driver, &cc))) {
        snprintf(id, sizeof id, "gpu:%u", index);
        lib_message_set(&what, w_server_real_gpu(name, cc / 10, cc % 10, driver, uuid));
        fn(user, id, &what, NULL);
    }
}
