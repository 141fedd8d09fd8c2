/* Which GPUs this machine has, asked of the helper once a process. Where no driver can be, nothing
 * is started. */
#include "runner/base/message.h"
#include "runner/device/server/gpu/gpu.h"
#include "runner/device/server/gpu/gpu_process.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"

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

static void list_look(void) {
    const char *given = getenv("WARPLAB_LIBCUDA");
    /* The driver's device files: made with the driver, also where nothing used it yet. */
    if (!(given && *given) && access("/dev/nvidiactl", F_OK) && access("/dev/dxg", F_OK))
        lib_message_set(&found.why, w_server_no_gpu());
    else found.text = gpu_process_list(&found.why);
}

/* One line of the list into its fields. */
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
