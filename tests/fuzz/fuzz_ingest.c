/* Fuzzes taking submissions in. The first byte chooses: an archive (zip, tar, compressed tar), a
 * course's own CSV as roster, a manifest that is read back. Whatever it holds, nothing is written
 * outside OUT/submissions, every name is sound, limits hold. Works in a folder of memory. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "grader/course/store.h"

int fuzz_ingest(const uint8_t *data, size_t size);

static char fuzz_folder[] = "/dev/shm/warplab-fuzz.XXXXXX";

static void fuzz_folder_gone(void) {
    store_remove_tree(AT_FDCWD, fuzz_folder);
}

static int entries(int at, const char *path) {
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY), n = 0;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static int fuzz_out(void) { /* OUT, made once */
    static int out = -1;
    if (out >= 0) return out;
    if (!mkdtemp(fuzz_folder)) abort();
    atexit(fuzz_folder_gone);
    out = open(fuzz_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lib_message msg;
    if (out < 0 || !store_folder(out, "submissions", &msg) || !store_folder(out, "records", &msg))
        abort();
    return out;
}

static void take_in(int out, const char *in) {
    grade_batch b = {.in = in,
                     .out = fuzz_folder,
                     .source_limit = 4096,
                     .total_limit = 1 << 16,
                     .count_limit = 50};
    store_manifest m = {0};
    lib_message msg = {0};
    intake_told told;
    if (!batch_ingest(&b, out, &m, &told, &msg) && !lib_message_any(&msg)) abort();
    for (size_t i = 0; i < m.count; i++) {
        const store_entry *e = &m.entry[i];
        if (strchr(e->student, '/') || strchr(e->lab, '/') || e->student[0] == '.' ||
            e->lab[0] == '.' || strlen(e->student) > 100)
            abort();
        if (!e->problem && (strlen(e->sha) != 64 || e->size > 4096)) abort();
        char path[96];
        snprintf(path, sizeof path, "submissions/%s.cu", e->sha);
        unlinkat(out, path, 0);
    }
    if (m.count > 51) abort();
    manifest_free(&m);
    store_remove_tree(out, "submissions"); /* those that were handed in twice */
    store_folder(out, "submissions", &msg);
}

int fuzz_ingest(const uint8_t *data, size_t size) {
    static const char *const names[] = {"in.zip", "manifest.json", "roster.csv"};
    int out = fuzz_out();
    if (!size || data[0] > 2) return 0;
    char path[96];
    lib_message msg = {0};
    snprintf(path, sizeof path, "%s/%s", fuzz_folder, names[data[0]]);
    if (!store_write(out, names[data[0]], data + 1, size - 1, 0600, &msg)) abort();
    if (data[0] == 0) take_in(out, path);
    else if (data[0] == 1) {
        store_manifest m;
        bool ok = manifest_load(&m, out, &msg);
        if (ok && !manifest_save(&m, out, &msg)) abort();
        manifest_free(&m);
    } else {
        static const char manifest[] = "{\"submissions\":[{\"student\":\"ann\",\"lab\":\"vector-"
                                       "add\",\"key\":\"\",\"sha256\":\"\","
                                       "\"bytes\":1,\"source\":\"ann/vector-add.cu\"}]}";
        if (!store_write(out, "manifest.json", manifest, sizeof manifest - 1, 0600, &msg)) abort();
        grade_csv how = {.roster = path};
        for (unsigned f = 0; f < GRADE_EXPORT_FORMATS; f++) {
            msg = (lib_message){0};
            char *text = grade_export(fuzz_folder, f, &how, &msg);
            if (!text && !lib_message_any(&msg)) abort();
            free(text);
        }
    }
    unlinkat(out, names[data[0]], 0);
    if (entries(out, ".") > 3) abort(); /* something was written beside */
    return 0;
}

#ifdef WARPLAB_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_ingest(data, size);
}
#endif
