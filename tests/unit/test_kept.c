/* What commands said before (runner/grade/kept.h): by what a key differs, what is given back, and
 * what is not whole. The hash of the kept text stands before it (kept.c), so what is damaged by one
 * byte is as good as nothing. */
#include <stdlib.h>
#include <unistd.h>
#include "runner/base/paths.h"
#include "runner/grade/kept.h"
#include "tests/unit/folder_fixture.h"

static char output[101];
static const char *const words[] = {"tool", "-a", "b", NULL};
static const char *const joined[] = {"tool", "-ab", NULL}, *const shorter[] = {"tool", "-a", NULL};
static const char *const renamed[] = {"other", "-a", "b", NULL};
static sim_command command(void) {
    return (sim_command){
        .argv = words, .input = "in", .input_len = 2, .output = output, .output_max = 100};
}

static bool made(void *user, const char *folder) {
    (void)user, (void)folder;
    return true;
}

static void keys(const char *tool, const char *larger) {
    static const sim_command_file file = {"f", "x", 1};
    char first[KEPT_KEY], key[KEPT_KEY];
    sim_command c = command();
    CHECK(kept_key(&c, tool, first) && strlen(first) == 64);
    CHECK_INT(strspn(first, "0123456789abcdef"), 64);
    CHECK(kept_key(&c, tool, key) && !strcmp(key, first));
    c.argv = renamed; /* how the tool is called is not asked: where it is says that */
    c.seconds = 5, c.memory_bytes = 1 << 20;
    CHECK(kept_key(&c, tool, key) && !strcmp(key, first));
    CHECK(kept_key(&c, larger, key) && strcmp(key, first));
    /* words, input, and how much of the output is taken */
    sim_command others[] = {command(), command(), command(), command(), command(), command()};
    others[0].argv = joined;
    others[1].argv = shorter, others[1].input = "bin", others[1].input_len = 3;
    others[2].input = "ix";
    others[3].input_len = 1;
    others[4].output_max = 99;
    others[5].input_len = 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        CHECK(kept_key(&others[k], tool, key) && strcmp(key, first));
    /* what works in a folder, prints nothing, reads nothing, or is gone */
    sim_command none[] = {command(), command(), command(), command()};
    none[0].input = NULL;
    none[1].output = NULL;
    none[2].files = &file;
    none[3].made = made;
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) CHECK(!kept_key(&none[k], tool, key));
    c = command();
    CHECK(!kept_key(&c, "/nonexistent/tool", key));
}

static void texts(const char *tool) {
    static const char hundred[] = "0123456789012345678901234567890123456789012345678901234567890123"
                                  "456789012345678901234567890123456"
                                  "789";
    static const char *const said[] = {"", "x", "two\nlines\n", hundred};
    for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
        char key[KEPT_KEY], path[400];
        const lib_paths *p = lib_paths_get(NULL);
        sim_command c = command();
        c.input = said[k], c.input_len = strlen(said[k]);
        CHECK(kept_key(&c, tool, key));
        strcpy(output, "before");
        CHECK(!kept_find(&c, key) && !strcmp(output, "before"));
        strcpy(output, said[k]);
        kept_put(&c, key);
        memset(output, '#', sizeof output - 1);
        CHECK(kept_find(&c, key));
        CHECK_STR(output, said[k]);
        /* another has room for less */
        sim_command small = c;
        size_t length = strlen(said[k]);
        if (length) {
            small.output_max = length - 1;
            CHECK(!kept_find(&small, key));
        }
        small.output_max = length;
        CHECK(kept_find(&small, key));
        /* 64 digits of a hash, a line's end, the text; changed in any of these, or cut short */
        snprintf(path, sizeof path, "%s/said/%.2s/%s", p->cache, key, key + 2);
        size_t n = 0;
        char *whole = lib_read_file(path, 0, &n, &msg);
        CHECK(whole && n == 65 + length && whole[64] == '\n' && !strcmp(whole + 65, said[k]));
        for (size_t at = 0; whole && at < n; at += at == 0 ? 63 : 1) {
            char was = whole[at];
            whole[at] = (char)(was ^ 1);
            lib_write_file(path, whole, n, &msg);
            if (kept_find(&c, key)) CHECK_INT(at, -1);
            whole[at] = was;
        }
        for (size_t cut = 63; whole && cut < n; cut++) {
            lib_write_file(path, whole, cut, &msg);
            if (kept_find(&c, key)) CHECK_INT(cut, -1);
        }
        lib_write_file(path, whole, n, &msg);
        CHECK(kept_find(&c, key));
        free(whole);
    }
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-kept-XXXXXX");
    if (!mkdtemp(root) || setenv("XDG_CACHE_HOME", root, 1)) return 1;
    put("tool", "1");
    put("larger", "12");
    keys(in("tool"), in("larger"));
    texts(in("tool"));
    lib_remove_tree(root);
    return check_done();
}
