/* Fuzzes the lesson loader: any text as labs/x.lua must give a lab that passes the loader's own
 * checks, or a message that names the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/lesson/lab.h"
#include "tests/said.h"

int fuzz_lesson(const uint8_t *data, size_t size);

static char lesson_root[] = "/dev/shm/warplab-fuzz.XXXXXX", lesson_path[64];

static void lesson_root_gone(void) {
    lib_remove_tree(lesson_root);
}

int fuzz_lesson(const uint8_t *data, size_t size) {
    if (!*lesson_path) {
        if (!mkdtemp(lesson_root)) abort();
        atexit(lesson_root_gone);
        snprintf(lesson_path, sizeof lesson_path, "%s/labs", lesson_root);
        if (mkdir(lesson_path, 0700)) abort();
        snprintf(lesson_path, sizeof lesson_path, "%s/labs/x.lua", lesson_root);
    }
    int fd = open(lesson_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
    lib_message msg = {0};
    lab *l = lab_load(lesson_root, "x", &msg);
    if (!l && !strstr(said(&msg), "x.lua")) abort();
    lab_free(l);
    lab_header *h = NULL;
    size_t n = lab_list(lesson_root, &h);
    for (size_t i = 0; i < n; i++)
        if (h[i].broken && !lib_message_any(&h[i].why)) abort();
    free(h);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_lesson(data, size);
}
#endif
