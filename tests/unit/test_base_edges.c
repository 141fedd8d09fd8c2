/* Files, texts, names and words of runner/base/ at their edges: the last size that is taken and the
 * first that is not, each form of a number, UTF-8 by RFC 3629, mangled names by the Itanium C++
 * ABI. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/demangle.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "tests/check.h"
#include "tests/said.h"

static char folder[] = "/tmp/warplab-test-edges.XXXXXX";

static char *in(const char *name) {
    return lib_path_join(folder, name);
}

static void reading(void) {
    char *path = in("f"), want[200];
    lib_message msg = {0};
    size_t n = 77;
    CHECK(lib_write_file(path, "abc", 3, &msg));
    static const struct {
        size_t limit;
        bool taken;
    } rows[] = {{0, true}, {2, false}, {3, true}, {4, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = lib_read_file(path, rows[i].limit, &n, &msg);
        CHECK_INT(text != NULL, rows[i].taken);
        if (text) CHECK_STR(text, "abc");
        CHECK_INT(n, 3);
        free(text);
        text = lib_read_source(path, rows[i].limit, &n, &msg);
        CHECK_INT(text != NULL, rows[i].taken);
        free(text);
    }
    snprintf(want, sizeof want, "%s is 0.0 MB long; at most 0.0 MB is read", path);
    CHECK_STR(said(&msg), want);
    CHECK(lib_write_file(path, "", 0, &msg));
    char *text = lib_read_file(path, 0, &n, &msg);
    CHECK(text && !*text && n == 0);
    free(text);
    /* 64 MiB where nobody says, of a file that takes no room on the disk */
    CHECK_INT(truncate(path, (64 << 20) + 1), 0);
    CHECK(!lib_read_file(path, 0, &n, &msg) &&
          strstr(said(&msg), "is 67.1 MB long; at most 67.1 MB"));
    CHECK_INT(truncate(path, 2500000), 0);
    CHECK(!lib_read_file(path, 1200000, &n, &msg) &&
          strstr(said(&msg), "is 2.5 MB long; at most 1.2 MB"));
    CHECK(!lib_read_file(folder, 0, &n, &msg));
    snprintf(want, sizeof want, "cannot read %s: it is not a regular file", folder);
    CHECK_STR(said(&msg), want);
    /* Nor is it waited for, where nobody writes. */
    char *fifo = in("fifo");
    CHECK_INT(mkfifo(fifo, 0600), 0);
    CHECK(!lib_read_file(fifo, 0, &n, &msg));
    snprintf(want, sizeof want, "cannot read %s: it is not a regular file", fifo);
    CHECK_STR(said(&msg), want);
    CHECK_INT(unlink(fifo), 0);
    free(fifo);
    CHECK(!lib_read_file("/no/such", 0, &n, &msg));
    CHECK_STR(said(&msg), "cannot read /no/such: No such file or directory");
    CHECK_STR(said_zh(&msg), "无法读取 /no/such：没有这个文件或文件夹");
    /* Shorter than it says: what is there is read. Such are the kernel's files. */
    static const char kernels[] = "/sys/devices/system/cpu/online";
    struct stat st;
    if (!stat(kernels, &st) && S_ISREG(st.st_mode) && st.st_size > 1024) {
        text = lib_read_file(kernels, 0, &n, &msg);
        CHECK(text && n > 0 && n < (size_t)st.st_size && strlen(text) == n && text[n - 1] == '\n');
        free(text);
    }
    CHECK(lib_is_file(path) && !lib_is_folder(path) && lib_is_folder(folder) &&
          !lib_is_file(folder));
    CHECK(!lib_is_file("/no/such") && !lib_is_folder("/no/such"));
    free(path);
}

static void writing(void) {
    char *path = in("mode"), *form = in("mode.form3"), *beside = in("no/such/f");
    lib_message msg = {0};
    struct stat st;
    mode_t old = umask(027);
    CHECK(lib_write_file(path, "one", 3, &msg));
    CHECK(!stat(path, &st) && (st.st_mode & 07777) == 0640);
    umask(old);
    CHECK(umask(old) == old);
    CHECK(lib_keep_form(path, 3, &msg));
    CHECK(lib_write_file(path, "two", 3, &msg) && lib_keep_form(path, 3, &msg));
    char *kept = lib_read_file(form, 0, NULL, &msg), *now = lib_read_file(path, 0, NULL, &msg);
    CHECK_STR(kept, "one");
    CHECK_STR(now, "two");
    free(kept), free(now);
    CHECK(!lib_keep_form(beside, 3, &msg));
    CHECK(!lib_write_file(beside, "x", 1, &msg));
    CHECK_CONTAINS(said(&msg), "cannot write ");
    CHECK_CONTAINS(said(&msg), "/no/such/f: No such file or directory");
    CHECK(lib_write_file("/dev/null", "x", 1, &msg)); /* nothing to replace */
    CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
    CHECK(!lib_write_file(folder, "x", 1, &msg));
    /* Nothing half-made is left. */
    size_t n;
    char **names = lib_folder_names(folder, &n);
    CHECK_INT(n, 3);
    static const char *const there[] = {"f", "mode", "mode.form3"};
    for (size_t i = 0; i < 3 && i < n; i++) CHECK_STR(names[i], there[i]);
    lib_lab_names_free(names, n);
    CHECK(!lib_folder_names("/no/such", &n) && n == 0);
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    CHECK(lib_write_all(ends[1], "abc", 3) && lib_write_all(ends[1], "", 0));
    char text[8] = "";
    CHECK_INT(read(ends[0], text, 7), 3);
    CHECK_STR(text, "abc");
    CHECK(!lib_write_all(ends[0], "abc", 3) && errno == EBADF);
    close(ends[0]), close(ends[1]);
    free(path), free(form), free(beside);
}

static void folders(void) {
    lib_message msg = {0};
    char *deep = in("a/b//c/"), *file = in("a/file"), *below = in("a/file/x"), *link = in("link"),
         *inside = in("a/b/c/y");
    struct stat st;
    CHECK(lib_make_folders(deep, &msg) && lib_is_folder(deep) && lib_make_folders(deep, &msg));
    CHECK(!stat(deep, &st) && (st.st_mode & 0777) == 0700);
    CHECK(lib_write_file(file, "x", 1, &msg) && lib_write_file(inside, "x", 1, &msg));
    CHECK(!lib_make_folders(file, &msg));
    CHECK_CONTAINS(said(&msg), "/a/file is not a folder");
    CHECK(!lib_make_folders(below, &msg));
    CHECK_CONTAINS(said(&msg), "cannot make the folder ");
    CHECK(!lib_make_folders("/proc/warplab", &msg));
    /* 4095 bytes are taken and fail elsewhere, 4096 are not. */
    char path[4097];
    memset(path, 'a', 4096);
    path[0] = '/', path[4096] = 0;
    CHECK(!lib_make_folders(path, &msg));
    CHECK_STR(said(&msg), "a folder's path is 4,096 bytes long; at most 4,095 are taken");
    path[4095] = 0;
    CHECK(!lib_make_folders(path, &msg));
    CHECK_CONTAINS(said(&msg), "cannot make the folder /aaa");
    /* A link goes, what it leads to stays. */
    char *own = in("own"), *ours = in("own/link");
    CHECK(lib_make_folders(own, &msg) && !symlink(deep, ours) && !symlink(file, link));
    lib_remove_tree(own);
    lib_remove_tree(link);
    CHECK(!lib_is_folder(own) && lib_is_file(inside) && lib_is_file(file) && lstat(link, &st));
    lib_remove_tree(file);
    CHECK(!lib_is_file(file));
    char *a = in("a");
    lib_remove_tree(a);
    CHECK(lstat(a, &st) && errno == ENOENT);
    lib_remove_tree(a);
    free(a), free(own), free(ours), free(deep), free(file), free(below), free(link), free(inside);
}

/* A folder of sources: at most 8, by name, so many bytes in all with their marks. */
static void sources(void) {
    lib_message msg = {0};
    char *dir = in("src"), name[30];
    CHECK(lib_make_folders(dir, &msg));
    size_t n;
    CHECK(!lib_read_source(dir, 0, &n, &msg));
    CHECK_CONTAINS(said(&msg), ": found no .cu, .cuh or .h file in it");
    static const char *const others[] = {"src/a.c", "src/.x.cu", "src/.cu", "src/cu", "src/h"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *path = in(others[i]);
        CHECK(lib_write_file(path, "x", 1, &msg));
        free(path);
    }
    CHECK(!lib_read_source(dir, 0, &n, &msg));
    char *b = in("src/b.cu"), *a = in("src/a.h");
    CHECK(lib_write_file(b, "bb", 2, &msg) && lib_write_file(a, "a\n", 2, &msg));
    static const char whole[] = "// file: a.h\na\n// file: b.cu\nbb\n";
    char *text = lib_read_source(dir, 0, &n, &msg);
    CHECK_STR(text, whole);
    CHECK_INT(n, sizeof whole - 1);
    free(text);
    /* before b.cu's own text stand 15 bytes */
    text = lib_read_source(dir, 17, &n, &msg);
    CHECK_STR(text, whole);
    free(text);
    CHECK(!lib_read_source(dir, 16, &n, &msg));
    CHECK_CONTAINS(said(&msg), " are too long: at most 0.0 MB in all are read");
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "src/c%d.cuh", i);
        char *path = in(name);
        CHECK(lib_write_file(path, "x", 1, &msg));
        free(path);
        msg = (lib_message){0};
        text = lib_read_source(dir, 0, &n, &msg);
        CHECK_INT(text != NULL, i < 6);
        if (i < 6) CHECK_STR(said(&msg), "");
        free(text);
    }
    CHECK_CONTAINS(said(&msg), ": expected at most 8 .cu, .cuh and .h files, found more");
    lib_remove_tree(dir);
    CHECK(lib_make_folders(dir, &msg) && !symlink("/etc/passwd", a));
    CHECK(!lib_read_source(dir, 0, &n, &msg));
    CHECK_CONTAINS(said(&msg), "/a.h: it is not a regular file");
    free(a), free(b), free(dir);
}

/* ---- texts ---- */

static void saying(void) {
    static const struct {
        size_t room;
        const char *text, *kept;
    } rows[] = {{10, "123456789", "123456789"},
                {10, "1234567890", "123456..."},
                {10, "12345中文字", "12345..."},
                {10, "123456中文字", "123456..."},
                {10, "123é5678901", "123é5..."},
                {5, "12345", "1..."},
                {4, "12345", ""},
                {5, "1234", "1234"},
                {1, "1", ""},
                {1, "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[20];
        memset(buf, '#', sizeof buf);
        lib_say(buf, rows[i].room, "%s", rows[i].text);
        CHECK_STR(buf, rows[i].kept);
        for (size_t k = rows[i].room; k < sizeof buf; k++) CHECK(buf[k] == '#');
    }
    static const struct {
        double v;
        const char *text;
    } numbers[] = {{0, "0"},
                   {-0.0, "0"},
                   {1, "1"},
                   {-1, "-1"},
                   {123456789, "123456789"},
                   {0.5, "0.5"},
                   {-1.5, "-1.5"},
                   {1484450.25, "1484450"}, /* no exponent where all digits have room */
                   {999999.25, "999999"},
                   {999999.75, "1000000"},
                   {1.0 / 3, "0.333333"},
                   {999999999999999, "999999999999999"},
                   {1e15, "1e+15"},
                   {-1e15, "-1e+15"},
                   {NAN, "NaN"},
                   {INFINITY, "infinity"},
                   {-INFINITY, "-infinity"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char buf[32];
        CHECK_STR(lib_number(buf, numbers[i].v), numbers[i].text);
    }
    static const struct {
        double v;
        int digits;
        const char *text;
    } figures[] = {{0, 4, "0"},
                   {-0.0, 4, "0"},
                   {999, 3, "999"},
                   {1000, 3, "1,000"},
                   {1048576, 3, "1,048,576"}, /* a whole number in full */
                   {-1234567, 6, "-1,234,567"},
                   {5482803.4, 6, "5,482,803"},
                   {12345.67, 6, "12,345.7"},
                   {1234.6, 4, "1,235"},
                   {999.4, 3, "999"},
                   {999.6, 3, "1,000"},
                   {9999.4, 4, "9,999"},
                   {0.6931472, 4, "0.6931"},
                   {-1.5, 6, "-1.5"},
                   {1e-7, 6, "1e-07"},
                   {999999999999999, 6, "999,999,999,999,999"},
                   {1e15, 4, "1e+15"},
                   {NAN, 4, "NaN"},
                   {-INFINITY, 6, "-infinity"}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        char buf[32];
        CHECK_STR(lib_figure(buf, figures[i].digits, figures[i].v), figures[i].text);
    }
    static const char *const groups[][2] = {{"1234.5678", "1,234.5678"},
                                            {"  -12345", "  -12,345"},
                                            {"123", "123"},
                                            {"1.5e+10", "1.5e+10"},
                                            {"", ""},
                                            {"infinity", "infinity"}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        char buf[32];
        CHECK_STR(lib_group(buf, sizeof buf, groups[i][0]), groups[i][1]);
    }
    char cut[6];
    CHECK_STR(lib_group(cut, sizeof cut, "1234567"), "1,234");
    static const struct {
        double v;
        const char *text;
    } wan[] = {{9999.4, "9999 "},      {9999.5, "1 万"},       {99994, "9.999 万"},
               {99996, "10 万"},       {99994999, "9999 万"},  {99995000, "1 亿"},
               {9.9994e11, "9999 亿"}, {9.9996e11, "10000 亿"}};
    for (size_t i = 0; i < sizeof wan / sizeof *wan; i++) {
        char buf[32];
        CHECK_STR(lib_wan(buf, wan[i].v), wan[i].text);
    }
}

/* Which sentences of the C library and others have a row: whole ones. */
static void chinese(void) {
    static const struct {
        const char *text, *zh;
    } rows[] = {
        {"", ""},
        {"a", ""},
        {"Success", ""},
        {"Unknown signal 0", ""},
        {"Is a directory, Is a directory", ""},
        {"database is locked", "数据库文件正被另一个程序占用"},
        {"file is not a database", "它不是数据库文件"},
        {"Is a directory", "它是文件夹"},
        {"Segmentation fault", "段错误"},
        {"Input/output error", "输入输出错误"},
        {"out of device memory", "显存不足"},
        {"out of memory", "内存不足"},
        {"disk I/O error", "磁盘读写错误"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(lib_word(LIB_ZH, lib_words_said(rows[i].text)), rows[i].zh);
}

#define REPLACED "\xef\xbf\xbd"
/* Each first and last byte of a form, what is cut short, and what no reader of ours may get. */
static void clean(void) {
    static const struct {
        const char *from, *to;
        int line; /* of the first byte that is none; 0: all is UTF-8 */
    } rows[] = {
        {"a\nb\tc ~", "a\nb\tc ~", 0},
        {"a\r\nb", "a\nb", 0},
        {"\x1f\x7f\x01", REPLACED REPLACED REPLACED, 0},
        {"\xc2\x80\xc2\x9f", REPLACED REPLACED, 0},
        {"\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf", 0},
        {"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbd",
         "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbd", 0},
        {"\xef\xbf\xbe\xef\xbf\xbf", REPLACED REPLACED, 0},
        {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0},
        {"\x80", REPLACED, 1},
        {"\n\xbf", "\n" REPLACED, 2},
        {"\xc1\xbf", REPLACED REPLACED, 1},
        {"\xe0\x9f\xbf", REPLACED REPLACED REPLACED, 1},
        {"\xed\xa0\x80", REPLACED REPLACED REPLACED, 1},
        {"\xf0\x8f\xbf\xbf", REPLACED REPLACED REPLACED REPLACED, 1},
        {"\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED, 1},
        {"\xf5\x80\x80\x80", REPLACED REPLACED REPLACED REPLACED, 1},
        {"a\n\nb\xc2", "a\n\nb" REPLACED, 3},
        {"\xe4\xb8", REPLACED REPLACED, 1},
        {"\xf0\x90\x80", REPLACED REPLACED REPLACED, 1},
        {"\xc2\x41", REPLACED "A", 1},
        {"\xc2\xc2\xa9", REPLACED "\xc2\xa9", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *to = lib_clean(rows[i].from, strlen(rows[i].from));
        CHECK_STR(to, rows[i].to);
        free(to);
        CHECK_INT(lib_not_utf8(rows[i].from, strlen(rows[i].from)), rows[i].line);
    }
    char *to = lib_clean(NULL, 5);
    CHECK_STR(to, "");
    free(to);
    to = lib_clean("a\0b", 3);
    CHECK_STR(to, "a" REPLACED "b");
    free(to);
}

/* What somebody outside wrote, on a terminal. Directions and ends of lines: U+061C, U+200E, U+202E,
 * U+2028, U+2066; their neighbours stay. */
#define HOSTILE                                                                                    \
    "a\x1b[31m\x07\xc2\x9b"                                                                        \
    "2J\xe2\x80\xae"                                                                               \
    "b\nc\td\re"
#define HARMLESS "a" REPLACED "[31m" REPLACED REPLACED "2J" REPLACED "b"
static void shown(void) {
    static const char *const gone[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f",
                                       "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6",
                                       "\xe2\x81\xa9"},
                             *const kept[] = {
                                 "\xd8\x9b",     "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xa7",
                                 "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa", "李"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        char *to = lib_shown(gone[i], strlen(gone[i]));
        CHECK_STR(to, REPLACED);
        free(to);
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char *to = lib_shown(kept[i], strlen(kept[i]));
        CHECK_STR(to, kept[i]);
        free(to);
    }
    char *to = lib_shown(HOSTILE, strlen(HOSTILE));
    CHECK_STR(to, HARMLESS "\nc\tde");
    free(to);
    /* One line of each text; numbers as printf() has them. */
    lib_buffer b = {0};
    char want[400];
    size_t z = (size_t)1 << 40;
    lib_buffer_shown(&b, "%s\n%5s|%-4s|%.2s|%.*s|%.0s%%", HOSTILE, "ab", "cd", "efgh", 1, "ij",
                     "kl");
    lib_buffer_shown(&b, "|%d %5u %-4d|%zu %llu %lx %lld %c %.4g %5.1f %03d %*d", -3, 7u, 8, z,
                     1ull << 63, 255ul, -123456789012ll, 'x', 1.23456, 2.25, 7, 4, 9);
    snprintf(want, sizeof want,
             HARMLESS
             " c de\n   ab|cd  |ef|i|%%|%d %5u %-4d|%zu %llu %lx %lld %c %.4g %5.1f %03d %*d",
             -3, 7u, 8, z, 1ull << 63, 255ul, -123456789012ll, 'x', 1.23456, 2.25, 7, 4, 9);
    CHECK_STR(b.s, want);
    lib_buffer_free(&b);
}

static void room(void) {
    lib_buffer b = {0};
    char large[128];
    memset(large, 'x', sizeof large);
    lib_buffer_add(&b, large, 127); /* with its NUL just what is taken at first */
    CHECK(b.n == 127 && b.cap == 128 && !b.s[127]);
    lib_buffer_add(&b, "y", 1);
    CHECK(b.n == 128 && b.cap == 256 && !b.s[128] && b.s[127] == 'y');
    lib_buffer_printf(&b, "%s", "");
    lib_buffer_printf(&b, "%0128d", 0); /* 256 and the NUL */
    CHECK(b.n == 256 && b.cap == 512 && strlen(b.s) == 256);
    lib_buffer_free(&b);
    CHECK(!b.s && !b.n && !b.cap);
    lib_buffer_printf(&b, "%s", "");
    CHECK_STR(b.s, "");
    lib_buffer_free(&b);
}

/* ---- names ---- */

static void demangled(void) {
    static const struct {
        const char *mangled, *name;
    } rows[] = {{"_Z6reduceILi256EEvPKiPii", "reduce<256>"},
                {"_Z1kPfi", "k"},
                {"_Z1kv", "k"},
                {"_ZN1a1bEi", "a::b"},
                {"_ZN1a1bIiEEvi", "a::b<int>"},
                {"_Z1kIXadL_Z1fiEEEvv", "k<&(f(int))>"},
                {"_ZN12_GLOBAL__N_11kEPf", "(anonymous namespace)::k"},
                {"_ZN1sclEi", "s::operator()"},
                {"_Z1kIN1aIiEEEvT_", "k<a<int> >"},
                {"_Z1kPFivE", "k"},
                {"_Z1kIXadL_Z1fiEEE", "k<&(f(int))>"},
                {"_ZNK1sptEv", "s::operator->"},
                {"k", NULL},
                {"_Zk", NULL},
                {"_Z", NULL},
                {"", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *name = lib_demangle(rows[i].mangled);
        printf("# %s\n", rows[i].mangled);
        if (rows[i].name) CHECK_STR(name, rows[i].name);
        else CHECK(!name);
        free(name);
    }
    /* 16 references in 64 bytes may mean 4 MiB of text, which is what is written out; one byte more
     * and the names alone are. So are they of 4096 bytes; what is longer is no compiler's. */
    static const struct {
        unsigned references;
        size_t length;
        const char *name;
    } large[] = {
        {16, 64, "a::bcd<int>"}, {16, 65, "a::bcd"}, {40, 4096, "a::bcd"}, {40, 4097, NULL}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char mangled[4100] = "_ZN1a3bcdIiEEv";
        for (unsigned k = 0; k < large[i].references; k++) strcat(mangled, "S_");
        memset(mangled + strlen(mangled), 'i', large[i].length - strlen(mangled));
        mangled[large[i].length] = 0;
        char *name = lib_demangle(mangled);
        if (large[i].name) CHECK_STR(name, large[i].name);
        else CHECK(!name);
        free(name);
    }
}

static void words(void) {
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {{"", "", 0},
                {"a", "", 1},
                {"", "a", 1},
                {"ab", "ba", 1},
                {"abc", "abc", 0},
                {"abcd", "acbd", 1},
                {"ca", "abc", 3},
                {"abcdef", "badcfe", 3},
                {"sunday", "saturday", 3},
                {"ab", "bca", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(lib_distance(rows[i].a, rows[i].b), rows[i].distance);
        CHECK_INT(lib_distance(rows[i].b, rows[i].a), rows[i].distance);
    }
    char x[80], y[80];
    memset(x, 'a', 79), memset(y, 'a', 79);
    x[79] = y[79] = 0;
    y[63] = 'b'; /* the 64th byte is not looked at */
    CHECK_INT(lib_distance(x, y), 0);
    y[62] = 'b';
    CHECK_INT(lib_distance(x, y), 1);
    CHECK_INT(lib_distance(x, ""), 63);
    static const char *const names[] = {"grade", "graph", "profile", "hint"};
    static const struct {
        const char *word, *nearest;
    } near[] = {
        {"grade", "grade"},     {"grad", "grade"},   {"gra", "grade"}, {"grp", NULL},
        {"graqh", "graph"},     {"prof", "profile"}, {"pr", NULL},     {"prfile", "profile"},
        {"proflei", "profile"}, {"h", NULL},         {"hnt", "hint"},  {"hin", "hint"},
        {"xxxxx", NULL},        {"hxxt", "hint"},    {"hxxx", NULL},   {"prxxxle", "profile"},
        {"pxxxxle", NULL},      {"xxaph", "graph"},  {"xxxph", NULL},  {"", NULL},
        {"gxade", "grade"}};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        const char *found = lib_nearest(near[i].word, names, 4);
        printf("# %s\n", near[i].word);
        if (near[i].nearest) CHECK_STR(found, near[i].nearest);
        else CHECK(!found);
    }
}

static void lab_names(void) {
    static const struct {
        const char *id;
        bool ok;
    } rows[] = {{"a", true},
                {"z9", true},
                {"0", true},
                {"a-b", true},
                {"vector-add-2", true},
                {"", false},
                {"-a", false},
                {"a-", false},
                {"a--b", false},
                {"-", false},
                {"A", false},
                {"a_b", false},
                {"a/b", false},
                {"a.b", false},
                {"`", false},
                {"{", false},
                {":", false},
                {"\xe5", false},
                {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true},    /* 48 */
                {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false}}; /* 49 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_INT(lib_lab_id_valid(rows[i].id), rows[i].ok);
    /* Only labs, sorted. */
    lib_message msg = {0};
    char *dir = in("labs");
    CHECK(lib_make_folders(dir, &msg));
    static const char *const files[] = {"labs/b.lua", "labs/a.lua", "labs/.lua",  "labs/A.lua",
                                        "labs/c.lu",  "labs/lua",   "labs/x.luac"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = in(files[i]);
        CHECK(lib_write_file(path, "", 0, &msg));
        free(path);
    }
    lib_paths p = {.labs = dir};
    size_t n;
    char **names = lib_lab_names(&p, &n);
    CHECK(n == 2 && !strcmp(names[0], "a") && !strcmp(names[1], "b"));
    lib_lab_names_free(names, n);
    p.labs = (char *)"/no/such";
    CHECK(!lib_lab_names(&p, &n) && n == 0);
    /* Programs: files that can be run, the first of the list. */
    char *run = in("labs/run"), *list = lib_format("/no/such:%s::%s:", folder, dir);
    CHECK(lib_write_file(run, "", 0, &msg) && !lib_find_program(list, "run"));
    CHECK_INT(chmod(run, 0755), 0);
    char *found = lib_find_program(list, "run");
    CHECK_STR(found, run);
    free(found);
    CHECK(!lib_find_program(list, "labs") && !lib_find_program("", "run") &&
          !lib_find_program(NULL, "run"));
    free(run), free(list), free(dir);
    CHECK(lib_known_form("f", 3, 3, &msg) && lib_known_form("f", 2, 3, &msg));
    msg = (lib_message){0};
    CHECK(!lib_known_form("f", 4, 3, &msg));
    CHECK_CONTAINS(said(&msg), "f was written by a newer Warplab (its form is 4; this one, ");
    CHECK_CONTAINS(said(&msg), ", knows forms up to 3)");
}

static int open_files(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) != -1;
    return n;
}

int main(void) {
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    int open_before = open_files();
    reading();
    writing();
    folders();
    sources();
    saying();
    chinese();
    clean();
    shown();
    room();
    demangled();
    words();
    lab_names();
    lib_remove_tree(folder);
    CHECK_INT(open_files(), open_before); /* every file is closed again */
    return check_done();
}
