/* Fuzzes the reader of packs: any text as pack.lua must give a pack whose fields are as pack.h
 * says, or a message that names the file. The folder has three labs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/lesson/pack.h"
#include "tests/said.h"

int fuzz_pack(const uint8_t *data, size_t size);

static char pack_root[] = "/dev/shm/warplab-fuzz.XXXXXX";

static void pack_root_gone(void) {
    lib_remove_tree(pack_root);
}

static void pack_file(const char *name, const void *data, size_t size) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s", pack_root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
}

int fuzz_pack(const uint8_t *data, size_t size) {
    static bool made;
    if (!made) {
        char labs[64];
        if (!mkdtemp(pack_root)) abort();
        made = true;
        atexit(pack_root_gone);
        snprintf(labs, sizeof labs, "%s/labs", pack_root);
        if (mkdir(labs, 0700)) abort();
        pack_file("labs/copy-once.lua", "", 0);
        pack_file("labs/stride.lua", "", 0);
        pack_file("labs/a.lua", "", 0);
    }
    pack_file("pack.lua", data, size);
    lib_message msg = {0};
    lab_pack *p = pack_read(pack_root, &msg);
    if (!p && !strstr(said(&msg), "pack.lua")) abort();
    if (p && (p->lab_count != 3 || p->ordered > 3 || p->need_count > PACK_NEEDS || !p->name[0]))
        abort();
    free(p);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_pack(data, size);
}
#endif
