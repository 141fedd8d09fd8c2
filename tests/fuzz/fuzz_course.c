/* Fuzzes the reader of a course's rules: any text as course.lua must give JSON that the grader
 * takes or refuses with a reason, or a message that names the file. */
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grader/course/policy.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/course/course_file.h"
#include "tests/said.h"

int fuzz_course(const uint8_t *data, size_t size);

static char course_root[] = "/dev/shm/warplab-fuzz.XXXXXX", course_path[64];

static void course_root_gone(void) {
    lib_remove_tree(course_root);
}

int fuzz_course(const uint8_t *data, size_t size) {
    if (!*course_path) {
        if (!mkdtemp(course_root)) abort();
        atexit(course_root_gone);
        snprintf(course_path, sizeof course_path, "%s/course.lua", course_root);
    }
    int fd = open(course_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    close(fd);
    lib_message msg = {0};
    char *json = course_file_read(course_path, "course", &msg);
    if (!json && !strstr(said(&msg), "course.lua")) abort();
    if (!json) return 0;
    json_error_t error;
    json_t *rules = json_loads(json, JSON_DECODE_ANY, &error);
    policy p = {0};
    msg = (lib_message){0};
    if (!rules) abort();
    if (!policy_read(rules, &p, &msg) && !lib_message_any(&msg)) abort();
    policy_free(&p);
    json_decref(rules);
    free(json);
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_course(data, size);
}
#endif
