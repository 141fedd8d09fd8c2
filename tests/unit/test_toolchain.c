/* Finding nvcc and running it, with shell scripts in nvcc's place: where it is looked for and in
 * what order, what is kept of the answer, the command lines that it is given, what becomes of what
 * it leaves, and each way in which it ends, told in words. Expected: build.h, job.h and tool.c's
 * limits; nvcc's options as its manual names them ("NVIDIA CUDA Compiler Driver NVCC": -arch,
 * -gencode, -odir, -MD, -MF). */
#include "folder_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/sha256.h"
#include "runner/build/build.h"
#include "tests/said.h"

/* As in(), for good. */
static const char *of(const char *name) {
    static char names[96][300];
    const char *path = in(name);
    size_t i = 0;
    while (*names[i] && strcmp(names[i], path)) i++;
    snprintf(names[i], sizeof names[i], "%s", path);
    return names[i];
}

/* ---- where it is ---- */

typedef struct {
    bool found;
    build_toolchain t;
    lib_message msg;
} answer;
static answer *answered; /* by a child: a process looks but once */

typedef struct {
    const char *nvcc, *hide, *path,
        *home; /* WARPLAB_NVCC, WARPLAB_NO_SYSTEM_CUDA, PATH, CUDA_HOME */
} places;

static void ask(const places *p) {
    const char *const rows[][2] = {{"WARPLAB_NVCC", p->nvcc},
                                   {"WARPLAB_NO_SYSTEM_CUDA", p->hide},
                                   {"PATH", p->path},
                                   {"CUDA_HOME", p->home}};
    *answered = (answer){0};
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        for (size_t i = 0; i < 4; i++)
            if (rows[i][1]) setenv(rows[i][0], rows[i][1], 1);
            else unsetenv(rows[i][0]);
        setenv("WARPLAB_ROOT", of("lab"), 1);
        const build_toolchain *t = build_toolchain_get(&answered->msg);
        answered->found = t;
        if (t) answered->t = *t;
        exit(build_toolchain_get(&answered->msg) == t ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
}

static void put_program(const char *name, const char *text) {
    put(name, text);
    CHECK_INT(chmod(of(name), 0755), 0);
}
/* One that answers as nvcc does, and notes what it was asked. */
static void put_nvcc(const char *name, const char *version) {
    char text[400];
    snprintf(
        text, sizeof text,
        "#!/bin/sh\necho \"$@\" >> \"$0.ran\"\ncase $1 in\n"
        "--dryrun) printf '#$ _SPACE_= \\n#$ _HERE_=%%s\\r\\n#$ _THERE_=x\\n' \"${0%%/*}\" ;;\n"
        "--version) printf 'Cuda compilation tools, release%s\\nBuild x\\n' ;;\nesac\n",
        version);
    put_program(name, text);
}
static const char *ran(const char *name) {
    static char *text;
    free(text);
    text = lib_read_file(of(name), 0, NULL, NULL);
    return text ? text : "";
}
static const char dry[] = "--dryrun -x cu /dev/null -c -o /dev/null\n--version\n";

static void check_found(const char *folder, const char *version) {
    char want[600];
    CHECK(answered->found);
    CHECK_STR(said(&answered->msg), "");
    CHECK_STR(answered->t.home, folder);
    snprintf(want, sizeof want, "%s/bin/nvcc", folder);
    CHECK_STR(answered->t.nvcc, want);
    snprintf(want, sizeof want, "%s/bin/ptxas", folder);
    CHECK_STR(answered->t.ptxas, want);
    CHECK_STR(answered->t.version, version);
    CHECK_STR(answered->t.cxx, !access("/usr/bin/g++", X_OK)         ? "/usr/bin/g++"
                               : !access("/usr/local/bin/g++", X_OK) ? "/usr/local/bin/g++"
                                                                     : "/usr/bin/c++");
}
static void check_none(const char *toolchain, const char *why, const char *bring) {
    char want[1100];
    CHECK(!answered->found);
    snprintf(want, sizeof want,
             "found no nvcc (looked in %s, PATH, CUDA_HOME, /usr/local/cuda*, /opt/cuda)%s. `%s` "
             "downloads NVIDIA's own compiler; or set WARPLAB_NVCC to yours",
             toolchain, why, bring);
    CHECK_STR(said(&answered->msg), want);
    snprintf(want, sizeof want, "没有找到 nvcc（找过 %s、PATH、CUDA_HOME、", toolchain);
    CHECK_CONTAINS(said_zh(&answered->msg), want);
}

/* The first that answers, in the order of build.h. Of PATH and CUDA_HOME only what is absolute
 * counts. */
static void test_order(void) {
    char both[300], far[300];
    put_nvcc("a/nvcc", ", V1.0");
    put_nvcc("b/bin/nvcc", ", V13.0.88");
    put_nvcc("c/bin/nvcc", ", V12.6.1");
    CHECK(lib_make_folders(of("lab/labs"), &msg) && lib_make_folders(of("lab/kernels"), &msg));
    snprintf(both, sizeof both, "%s::%s:%s", of("none"), of("b/bin"), of("c/bin"));
    snprintf(far, sizeof far, "c/bin:%s", of("none"));
    CHECK_INT(chdir(root), 0); /* where c/bin is one that is not absolute */
    const struct {
        places p;
        const char *folder, *version;
    } rows[] = {
        {{.nvcc = of("c/bin/nvcc"), .path = both, .home = of("b")}, of("c"), "12.6.1"},
        {{.nvcc = of("c/bin/nvcc"), .hide = "1", .path = both}, of("c"), "12.6.1"},
        {{.nvcc = "", .path = both, .home = of("c")}, of("b"), "13.0.88"},
        {{.path = of("c/bin"), .home = of("b")}, of("c"), "12.6.1"},
        {{.path = both, .hide = ""}, of("b"), "13.0.88"},
        {{.path = both, .hide = "0"}, of("b"), "13.0.88"},
        {{.path = far, .home = of("b")}, of("b"), "13.0.88"},
        {{.path = "", .home = of("c")}, of("c"), "12.6.1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# place %zu\n", i);
        ask(&rows[i].p);
        check_found(rows[i].folder, rows[i].version);
    }
    /* With nothing but what the project brings, and without that. */
    char bring[300];
    snprintf(bring, sizeof bring, "%s/setup/nvcc.sh", of("lab"));
    ask(&(places){.hide = "1", .path = both, .home = of("b")});
    check_none(of("data/warplab/toolchain"), "", bring);
    put("lab/Makefile", "");
    snprintf(bring, sizeof bring, "make -C %s setup", of("lab"));
    ask(&(places){.hide = "1"});
    check_none(of("lab/.toolchain"), "", bring);
    put_nvcc("lab/.toolchain/nvidia/cu13/bin/nvcc", ", V13.1.2\\r");
    for (int i = 0; i < 2; i++) {
        ask(&(places){.hide = i ? NULL : "1", .path = both, .home = of("b")});
        check_found(of("lab/.toolchain/nvidia/cu13"), "13.1.2");
    }
    ask(&(places){.nvcc = of("b/bin/nvcc")});
    check_found(of("b"), "13.0.88");
    lib_remove_tree(of("lab/.toolchain"));
}

/* What is no nvcc, and how that is said. */
static void test_no_nvcc(void) {
    char why[400], bring[300];
    put("flat/nvcc", "#!/bin/sh\nexit 0\n");
    put_program("mute/nvcc", "#!/bin/sh\nexit 0\n");
    put_program("lost/nvcc", "#!/bin/sh\necho '#$ _HERE_=/no/such'\n");
    put_program("ill/nvcc", "#!/bin/sh\necho 'no licence'\necho more\nexit 3\n");
    put_program("half/nvcc", "#!/bin/sh\n[ $1 != --version ] || exit 1\necho _HERE_=${0%/*}\n");
    snprintf(bring, sizeof bring, "make -C %s setup", of("lab"));
    static const struct {
        const char *nvcc, *says;
    } rows[] = {
        {"none/nvcc", ": WARPLAB_NVCC is %s, which is no program"},
        {"flat/nvcc", ": WARPLAB_NVCC is %s, which is no program"},
        {"flat", ": WARPLAB_NVCC is %s, which is no program"},
        {"mute/nvcc", ": %s does not say where its toolkit is"},
        {"lost/nvcc", ": %s does not say where its toolkit is"},
        {"ill/nvcc", ": %s does not run (exit status 3): no licence"},
        {"half/nvcc", ": %s does not run (exit status 1): "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *nvcc = of(rows[i].nvcc);
        ask(&(places){.nvcc = nvcc, .path = of("b/bin")}); /* not looked at */
        snprintf(why, sizeof why, rows[i].says, nvcc);
        check_none(of("lab/.toolchain"), why, bring);
    }
    /* Another that does not run is passed over. */
    snprintf(why, sizeof why, "%s:%s", of("ill"), of("b/bin"));
    ask(&(places){.path = why});
    check_found(of("b"), "13.0.88");
    /* A version that it does not tell in these words. */
    put_nvcc("d/bin/nvcc", " 9");
    ask(&(places){.nvcc = of("d/bin/nvcc")});
    check_found(of("d"), "unknown");
    /* By a link it is the one that it says it is. */
    CHECK_INT(symlink(of("b/bin/nvcc"), of("link")), 0);
    put_program("wrap/nvcc", "#!/bin/sh\necho _HERE_=${0%/*}/../b/../b/bin/.\n");
    ask(&(places){.nvcc = of("wrap/nvcc")});
    check_found(of("b"), "13.0.88");
}

/* It is asked once, for as long as it stays the same file. */
static void test_kept(void) {
    struct stat st = {0};
    char want[2000], twice[200];
    put_nvcc("e/bin/nvcc", ", V13.0.1");
    const places p = {.nvcc = of("e/bin/nvcc")};
    for (int i = 0; i < 2; i++) {
        ask(&p);
        check_found(of("e"), "13.0.1");
        CHECK_STR(ran("e/bin/nvcc.ran"), dry);
    }
    CHECK_INT(stat(p.nvcc, &st), 0);
    snprintf(want, sizeof want, "%s %lld %lld.%09ld %llu\n%s\n%s\n%s\n13.0.1\n", p.nvcc,
             (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
             (unsigned long long)st.st_ino, of("e/bin/nvcc"), of("e"), of("e/bin/ptxas"));
    CHECK_STR(ran("cache/warplab/toolchain"), want);
    /* What is kept is believed, when it is whole. */
    char *rest = strstr(want, "13.0.1\n");
    snprintf(rest, 8, "7.5\n");
    put("cache/warplab/toolchain", want);
    ask(&p);
    check_found(of("e"), "7.5");
    *rest = 0; /* no version */
    put("cache/warplab/toolchain", want);
    ask(&p);
    check_found(of("e"), "13.0.1");
    snprintf(twice, sizeof twice, "%s%s", dry, dry);
    CHECK_STR(ran("e/bin/nvcc.ran"), twice);
    /* A billionth of a second later it is another. */
    CHECK_INT(unlink(of("e/bin/nvcc.ran")), 0);
    const struct timespec times[2] = {st.st_mtim,
                                      {st.st_mtim.tv_sec, (st.st_mtim.tv_nsec + 1) % 1000000000}};
    CHECK_INT(utimensat(AT_FDCWD, p.nvcc, times, 0), 0);
    ask(&p);
    check_found(of("e"), "13.0.1");
    CHECK_STR(ran("e/bin/nvcc.ran"), dry);
    /* A wrapper is what it was, but what it leads to has gone. */
    put_program("wrap2/nvcc", "#!/bin/sh\necho _HERE_=${0%/*}/../e/bin\n");
    ask(&(places){.nvcc = of("wrap2/nvcc")});
    check_found(of("e"), "13.0.1");
    CHECK_INT(unlink(of("e/bin/nvcc")), 0);
    ask(&(places){.nvcc = of("wrap2/nvcc")});
    CHECK(!answered->found);
}

/* ---- what it is asked, and what becomes of it ---- */

static const char declaration[] = "void scale(float *a, int n)";
static build_request q;
static build_result r;

/* Builds `text` with an nvcc that does this, the last of its arguments in $last. */
static void build(const char *text, const char *act) {
    build_result_free(&r);
    unlink(of("said"));
    put("act", act);
    put("scale.cu", text);
    build_file(&q, &r);
}
static void begin(void) {
    build_request_init(&q);
    q.mode = SANDBOX_NONE;
    q.source = of("scale.cu");
    q.shown_as = "scale.cu";
    q.entry_text = declaration;
}
/* The build's own folder, by where nvcc was to put what it makes: its last word. */
static const char *temporary(void) {
    static char folder[300];
    const char *out = strstr(ran("said"), "\n-o"), *path = out ? strchr(out + 1, '\n') : "";
    const char *end = path ? strstr(path, "/out") : NULL;
    snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - path) - 1 : 0, end ? path + 1 : "");
    return folder;
}
/* Its words, one a line: the folder that it ran in, and its arguments. `{}`: the build's folder. */
static void check_said(const char *words) {
    lib_buffer want = {0};
    const char *folder = temporary();
    for (const char *s = words; *s;) {
        size_t n = strcspn(s, "{");
        lib_buffer_add(&want, s, n);
        s += n;
        if (!*s) break;
        lib_buffer_puts(&want, folder);
        s += 2;
    }
    CHECK_STR(ran("said"), want.s);
    lib_buffer_free(&want);
}
static const char *kept_file(const char *name) {
    char path[400];
    snprintf(path, sizeof path, "%s", r.program ? r.program : "");
    if (!*path) return "";
    snprintf(strrchr(path, '/') + 1, 20, "%s", name);
    return ran(path + strlen(root) + 1);
}

#define LEAVE "cp \"$0.o\" \"$last\"\n"

static void test_lab(void) {
    struct stat st = {0};
    begin();
    build("one", "echo '/src/scale.cu(3): warning: narrow'\n" LEAVE);
    CHECK(r.ok && !r.cached && !r.infra && !r.cancelled);
    CHECK_STR(r.arch, "sm_90");
    CHECK_STR(r.log, "scale.cu(3): warning: narrow\n");
    check_said("{}/"
               "src\n-O3\n-lineinfo\n-std=c++17\n-Xcompiler=-ffp-contract=off\n-Xcompiler=-g1,-"
               "gstatement-frontiers,-fno-canonical-system-headers\n-arch=sm_90\n-I.\n"
               "-c\nstudent.cu\n-o\n{}/out/student.o\n");
    /* The same name in messages, wherever it lies; a byte-order mark may only stand first. */
    CHECK_STR(ran("source"), "#line 1 \"/src/scale.cu\"\none\n");
    CHECK(r.program && !stat(r.program, &st) && S_ISREG(st.st_mode));
    CHECK_INT(st.st_mode & 07777, 0755);
    CHECK_STR(kept_file("log"), "\x01(3): warning: narrow\n");
    char needed[64];
    CHECK_INT(build_elf_check(r.program, needed, sizeof needed), BUILD_ELF_SHARED_CUDART);
    CHECK_STR(needed, "libcudart.so.13");
    CHECK(access(temporary(), F_OK)); /* nothing stays of the build's folder */
    /* The same again, by another name: nvcc is not asked. */
    q.shown_as = "work/scale.cu";
    build("one", "exit 9\n");
    CHECK(r.ok && r.cached && r.program);
    CHECK_STR(r.log, "work/scale.cu(3): warning: narrow\n");
    CHECK(access(of("said"), F_OK));
    q.no_cache = true;
    build("one", LEAVE);
    CHECK(r.ok && !r.cached);
    CHECK_STR(r.log, "");
    begin();
    build("\xef\xbb\xbftwo", LEAVE);
    CHECK(r.ok);
    CHECK_STR(ran("source"), "#line 1 \"/src/scale.cu\"\ntwo\n");
    build("\xef\xbb", "exit 1\n"); /* not all of one */
    CHECK_STR(ran("source"), "#line 1 \"/src/scale.cu\"\n\xef\xbb\n");
}

/* Which architectures, the older one first; sm_90a is a source's that writes what only it has. */
static void test_arch(void) {
    static const struct {
        const char *text, *flags;
        unsigned arch, also;
        bool debug;
    } rows[] = {
        {"three", "-arch=sm_75\n", 75, 0, false},
        {"three", "-arch=sm_90\n", 0, 90, false},
        {"wgmma.fence", "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]\n", 90, 0, false},
        {"wgmma.fence", "-arch=sm_75\n", 75, 75, false},
        {"setmaxnreg.", "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]\n", 90, 0, false},
        {"tensormap.replace",
         "-gencode=arch=compute_80,code=[sm_80,compute_80]\n"
         "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]\n",
         90, 80, false},
        {"three",
         "-gencode=arch=compute_75,code=[sm_75,compute_75]\n"
         "-gencode=arch=compute_90,code=[sm_90,compute_90]\n",
         75, 90, false},
        {"three", "-arch=sm_80\n", 80, 90, true}, /* to look at, for one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[600];
        printf("# architectures %zu\n", i);
        begin();
        q.arch = rows[i].arch, q.also = rows[i].also, q.debug = rows[i].debug;
        q.no_cache = true;
        build(rows[i].text, LEAVE);
        CHECK(r.ok && !r.cached);
        snprintf(want, sizeof want, "{}/src\n%s%s-I.\n-c\nstudent.cu\n-o\n{}/out/student.o\n",
                 rows[i].debug
                     ? "-G\n-std=c++17\n"
                     : "-O3\n-lineinfo\n-std=c++17\n-Xcompiler=-ffp-contract=off\n-"
                       "Xcompiler=-g1,-gstatement-frontiers,-fno-canonical-system-headers\n",
                 rows[i].flags);
        check_said(want);
        snprintf(want, sizeof want, "sm_%u", rows[i].arch ? rows[i].arch : 90);
        CHECK_STR(r.arch, want);
    }
    /* What fails for both is tried for the one alone. */
    begin();
    q.arch = 80, q.also = 90;
    build("four", "case $* in *code=*) exit 1 ;; esac\n" LEAVE);
    CHECK(r.ok && !r.cached);
    check_said("{}/"
               "src\n-O3\n-lineinfo\n-std=c++17\n-Xcompiler=-ffp-contract=off\n-Xcompiler=-g1,-"
               "gstatement-frontiers,-fno-canonical-system-headers\n-arch=sm_80\n-I.\n"
               "-c\nstudent.cu\n-o\n{}/out/student.o\n");
}

/* A source of several files: each by its own name, and an object of each but the headers. */
static void test_files(void) {
    static const char *const files[] = {"scale.cu", "more.cu", "half.cuh"};
    begin();
    q.files = files, q.file_count = 3;
    build("// file: scale.cu\nA\n// file: more.cu\nB\n// file: half.cuh\nC\n",
          "cat more.cu half.cuh > \"$0.others\"\nls *.cu* > \"$0.files\"\ncp \"$0.o\" "
          "../out/scale.o\n"
          "cp \"$0.none.o\" ../out/more.o\n");
    CHECK_STR(r.log, "");
    CHECK(r.ok && r.program);
    check_said("{}/"
               "src\n-O3\n-lineinfo\n-std=c++17\n-Xcompiler=-ffp-contract=off\n-Xcompiler=-g1,-"
               "gstatement-frontiers,-fno-canonical-system-headers\n-arch=sm_90\n-I.\n"
               "-c\nscale.cu\nmore.cu\n-odir\n{}/out\n-Xcompiler=-include,{}/src/.lean.h\n");
    CHECK_STR(ran("nvcc/bin/nvcc.others"),
              "#line 1 \"/src/more.cu\"\nB\n\n#line 1 \"/src/half.cuh\"\nC\n\n");
    CHECK_STR(ran("nvcc/bin/nvcc.files"), "half.cuh\nmore.cu\nscale.cu\n");
    /* A message keeps the name of its file. */
    q.no_cache = true;
    build("// file: scale.cu\nA\n// file: more.cu\nB\n// file: half.cuh\nC\n",
          "echo '/src/more.cu(1): error: B'\nexit 2\n");
    CHECK(!r.ok && !r.infra && !r.program);
    CHECK_STR(r.log, "more.cu(1): error: B\n");
}

/* A program with its own main(): compiled where it lies, and kept for as long as what it includes
 * is the same. */
static void test_whole(void) {
    char act[500], want[700], hex[65];
    struct stat st = {0};
    begin();
    q.entry_text = NULL;
    put("own.h", "1");
    snprintf(
        act, sizeof act,
        "cp \"$0.main.o\" \"$last\"\n"
        "printf 'student.o: %%s \\\\\\n /usr/include/stdio.h %s/x.h /no/such.h \\\\\\n %%s\\n' "
        "%s %s > \"${last%%/*}/deps\"\n",
        of("nvcc"), of("scale.cu"), of("own.h"));
    build("five", act);
    CHECK_STR(r.log, "");
    CHECK(r.ok && !r.cached && r.program && !stat(r.program, &st));
    CHECK_INT(st.st_mode & 07777, 0755);
    snprintf(want, sizeof want,
             "%s\n-O3\n-lineinfo\n-std=c++17\n-Xcompiler=-ffp-contract=off\n-Xcompiler=-g1,-"
             "gstatement-frontiers,-fno-canonical-system-headers\n-arch=sm_90\n-MD\n-MF\n"
             "{}/out/deps\n-c\n%s\n-o\n{}/out/student.o\n",
             root, of("scale.cu"));
    check_said(want);
    /* Neither the toolkit's, nor the system's, nor what is not there. */
    lib_sha256 s;
    lib_sha256_init(&s);
    lib_sha256_add(&s, "five", 4);
    lib_sha256_end_hex(&s, hex);
    int n = snprintf(want, sizeof want, "%s %s\n", hex, of("scale.cu"));
    lib_sha256_init(&s);
    lib_sha256_add(&s, "1", 1);
    lib_sha256_end_hex(&s, hex);
    snprintf(want + n, sizeof want - (size_t)n, "%s %s\n", hex, of("own.h"));
    CHECK_STR(kept_file("deps"), want);
    build("five", "exit 1\n");
    CHECK(r.ok && r.cached);
    put("own.h", "2");
    build("five", "exit 1\n");
    CHECK(!r.ok && !r.infra && !r.cached);
    /* What fails is not kept: nobody knows what it would have included. */
    build("five", act);
    CHECK(r.ok && !r.cached);
    q.source = of("none.cu");
    build_result_free(&r);
    CHECK(!build_file(&q, &r) && r.infra);
}

/* How it ends, in a student's words, and whether that is kept. */
static void test_ends(void) {
#define SIZE " or the 4 GB of memory that it may take, or the build more than 150 s in all. "
#define LOOK "Look for a template or macro that expands without end\n"
    static const char limits[] =
        "scale.cu: error: nvcc takes more than the 30 s of computing" SIZE LOOK;
    static const struct {
        const char *act, *log;
        bool infra, kept;
    } rows[] = {
        {"echo '/src/scale.cu(2): error: no'\nexit 2\n", "scale.cu(2): error: no\n", false, true},
        {"exit 2\n", "scale.cu: error: nvcc failed (exit status 2) and said nothing\n", false,
         true},
        {"echo part\nkill -ABRT $$\n",
         "scale.cu: error: nvcc ended with signal SIGABRT (abort, a failed assertion or an "
         "exception nobody caught); it took more memory than the 4 GB it may, or ran into a fault "
         "of its own\npart\n",
         false, true},
        {"kill -KILL $$\n", limits, false, true},
        {"kill -XCPU $$\n", limits, false, false},
        {"echo CPU time limit exceeded\nexit 1\n", limits, false, false},
        {"echo nvcc error : cicc died due to signal 24\nexit 1\n", limits, false, false},
        {"echo nvcc error : cicc died due to signal 9\nexit 1\n", limits, false, true},
        {"echo g++: fatal error: Killed signal terminated program cc1plus\nexit 1\n", limits, false,
         true},
        {"echo out of memory allocating 9 bytes\nexit 1\n", limits, false, true},
        {"echo virtual memory exhausted\nexit 1\n", limits, false, true},
        {"echo No space left on device\nexit 1\n", "No space left on device\n", false, true},
        {LEAVE "rm \"$last\"\nmkdir ../out/program\ncp \"$0.o\" \"$last\"\n", NULL, false, true},
        {"true\n", NULL, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[16];
        snprintf(text, sizeof text, "end %zu", i);
        printf("# %s\n", text);
        begin();
        build(text, rows[i].act);
        CHECK(!r.ok && !r.cached && !r.cancelled && !r.program);
        CHECK_INT(r.infra, rows[i].infra);
        if (rows[i].log) CHECK_STR(r.log, rows[i].log);
        CHECK(r.nvcc_seconds > 0 && r.seconds >= r.nvcc_seconds);
        build(text, rows[i].act);
        CHECK(!r.ok && !r.program);
        CHECK_INT(r.cached, rows[i].kept);
        if (rows[i].log) CHECK_STR(r.log, rows[i].log);
    }
    /* Its limits are the request's. */
    begin();
    q.cpu_s = 7, q.memory = (uint64_t)768 << 20;
    build("limits", "ulimit -t > \"$0.limits\"\nulimit -v >> \"$0.limits\"\nkill -KILL $$\n");
    CHECK_STR(r.log,
              "scale.cu: error: nvcc takes more than the 7 s of computing or the 0.75 GB of memory "
              "that it may take, or the build more than 35 s in all. " LOOK);
    CHECK_STR(ran("nvcc/bin/nvcc.limits"), "7\n786432\n"); /* KiB */
    begin();
    q.cpu_s = 0;
    build("no limits", "ulimit -t > \"$0.limits\"\nulimit -v >> \"$0.limits\"\nexit 2\n");
    CHECK_STR(ran("nvcc/bin/nvcc.limits"), "30\n4194304\n");
}

/* Its folders can be entered and its files read by the one that the sandbox runs them as; written
 * to by nobody else. */
static void test_modes(void) {
    const mode_t mask = umask(077); /* whatever the caller's */
    begin();
    build("modes", "stat -c '%n %a' .. . ../out ../new student.cu > \"$0.modes\"\nexit 2\n");
    CHECK_STR(ran("nvcc/bin/nvcc.modes"),
              ".. 700\n. 755\n../out 755\n../new 755\nstudent.cu 644\n");
    static const char *const files[] = {"scale.cu", "half.cuh"};
    q.files = files, q.file_count = 2;
    build("// file: scale.cu\nA\n// file: half.cuh\nC\n",
          "stat -c '%n %a' *.cu* > \"$0.modes\"\nexit 2\n");
    CHECK_STR(ran("nvcc/bin/nvcc.modes"), "half.cuh 644\nscale.cu 644\n");
    umask(mask);
}

static volatile int cancel;
static void on_alarm(int s) {
    (void)s;
    cancel = 1;
}

/* Somebody does not want to wait, while nvcc runs or while main() of a new declaration is compiled
 * (which takes longer than that): said as such, and neither is kept. */
static void test_cancelled(void) {
    signal(SIGALRM, on_alarm);
    for (int declared = 0; declared < 2; declared++) {
        begin();
        if (declared) q.entry_text = "void scale(double *never_seen, int n)";
        q.cancel = &cancel, cancel = 0;
        setitimer(ITIMER_REAL, &(const struct itimerval){.it_value = {.tv_usec = 60000}}, NULL);
        build("cancelled", "sleep 100\n");
        CHECK(!r.ok && r.infra && r.cancelled && !r.cached && !r.program);
        CHECK_STR(r.log, "cancelled");
        CHECK_STR(said(&r.why), "cancelled");
        CHECK_STR(said_zh(&r.why), "已取消");
        CHECK(r.seconds < 50);
        cancel = 0;
        build("cancelled", "exit 2\n");
        CHECK(!r.ok && !r.infra && !r.cancelled && !r.cached);
    }
}

static void compile(const char *text, const char *object) {
    char command[600];
    put("object.cpp", text);
    snprintf(command, sizeof command, "g++ -c %s -o %s", of("object.cpp"), of(object));
    CHECK_INT(system(command), 0);
}

static void test_build(void) {
    put_program("nvcc/bin/nvcc",
                "#!/bin/sh\ncase $1 in\n--dryrun) echo _HERE_=${0%/*}; exit ;;\n"
                "--version) echo ', V13.0.88'; exit ;;\nesac\n"
                "here=${0%/nvcc/bin/nvcc}\n{ pwd; printf '%s\\n' \"$@\"; } > $here/said\n"
                "[ ! -e student.cu ] || cat student.cu > $here/source\n"
                "for last; do :; done\n. $here/act\n");
    compile("void scale(float *, int) {}\n", "nvcc/bin/nvcc.o");
    compile("int main() { return 0; }\n", "nvcc/bin/nvcc.main.o");
    compile("", "nvcc/bin/nvcc.none.o");
    setenv("WARPLAB_NVCC", of("nvcc/bin/nvcc"), 1);
    if (!CHECK(build_toolchain_get(&msg) != NULL)) return;
    test_lab();
    test_arch();
    test_files();
    test_whole();
    test_ends();
    test_modes();
    test_cancelled();
    build_result_free(&r);
}

int main(void) {
    char folder[] = "/tmp/warplab-test-toolchain.XXXXXX", *real = NULL;
    answered =
        mmap(NULL, sizeof *answered, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(mkdtemp(folder) && answered != MAP_FAILED && (real = realpath(folder, NULL))))
        return check_done();
    snprintf(root, sizeof root, "%s", real);
    free(real);
    setenv("XDG_CACHE_HOME", of("cache"), 1);
    setenv("XDG_DATA_HOME", of("data"), 1);
    test_order();
    test_no_nvcc();
    test_kept();
    test_build();
    CHECK_INT(chdir("/"), 0);
    lib_remove_tree(root);
    return check_done();
}
