/* nvcc's dry run becomes a recipe, or is refused; a recipe's steps run when what they read is
 * there, and tell their messages in nvcc's order. */
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/build/steps.h"
#include "runner/sandbox/sandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/check.h"
#include "tests/said.h"

static const char dry[] =
    "#$ _SPACE_= \n"
    "#$ TOP=/cuda\n"
    "#$ CICC_PATH=/cuda/nvvm\n"
    "#$ PATH=/cuda/bin:/usr/bin\n"
    "#$ gcc -E -DX=1 \"-I/a b\" \"student.cu\" -o \"/tmp/x_4.ii\" \n"
    "#$ cudafe++ --gen_c_file_name \"/tmp/x_6.cpp\" --gen_module_id_file --module_id_file_name "
    "\"/tmp/x.module_id\" \"/tmp/x_4.ii\" \n"
    "#$ gcc -E -D__CUDA_ARCH__=900 \"student.cu\" -o \"/tmp/x_7.ii\" \n"
    "#$ \"$CICC_PATH/cicc\" --module_id_file_name \"/tmp/x.module_id\" \"/tmp/x_7.ii\" -o "
    "\"/tmp/x_6.ptx\"\n"
    "#$ ptxas \"/tmp/x_6.ptx\" -o \"/tmp/x_8.cubin\" \n"
    "#$ rm /tmp/x_3.fatbin\n"
    "#$ gcc -c \"/tmp/x_6.cpp\" -o \"/out/student.o\" \n";

static void test_parse(void) {
    lib_message msg = {0};
    char *recipe = build_recipe_parse(dry, &msg);
    CHECK_STR(said(&msg), "");
    if (!recipe) return;
    CHECK_CONTAINS(recipe, "E PATH=/cuda/bin:/usr/bin\n");
    CHECK_CONTAINS(recipe, "M /tmp/x.module_id ");
    CHECK_CONTAINS(recipe, "S\nA gcc\nA -E\nA -DX=1\nA -I/a b\nA student.cu\n");
    CHECK_CONTAINS(recipe, "A /cuda/nvvm/cicc\n");
    CHECK(!strstr(recipe, "--gen_module_id_file"));
    CHECK(!strstr(recipe, "rm"));
    free(recipe);

    static const char *const bad[] = {"gcc a | tee b", "gcc a; reboot", "gcc `id`",
                                      "gcc $(id)",     "gcc > /tmp/x",  "gcc $UNKNOWN",
                                      "gcc 'a b'",     "gcc a &",       "gcc *.cu"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = lib_format("%s#$ %s\n", dry, bad[i]);
        CHECK(build_recipe_parse(text, &msg) == NULL);
        CHECK_CONTAINS(said(&msg), bad[i]);
        free(text);
    }
    CHECK(build_recipe_parse("nvcc fatal   : Unknown option\n", &msg) == NULL);
    CHECK(build_recipe_parse("", &msg) == NULL);
}

/* The whole of it: what is passed on, in its own order; the module's name before the first step;
 * the steps. */
static void test_recipe(void) {
    lib_message msg = {0};
    char *recipe = build_recipe_parse(dry, &msg);
    CHECK_STR(recipe,
              "E PATH=/cuda/bin:/usr/bin\nE CICC_PATH=/cuda/nvvm\nE TOP=/cuda\n"
              "M /tmp/x.module_id _5761726c_10_student_cu_70616221\n"
              "S\nA gcc\nA -E\nA -DX=1\nA -I/a b\nA student.cu\nA -o\nA /tmp/x_4.ii\n"
              "S\nA cudafe++\nA --gen_c_file_name\nA /tmp/x_6.cpp\nA --module_id_file_name\n"
              "A /tmp/x.module_id\nA /tmp/x_4.ii\n"
              "S\nA gcc\nA -E\nA -D__CUDA_ARCH__=900\nA student.cu\nA -o\nA /tmp/x_7.ii\n"
              "S\nA /cuda/nvvm/cicc\nA --module_id_file_name\nA /tmp/x.module_id\nA /tmp/x_7.ii\n"
              "A -o\nA /tmp/x_6.ptx\n"
              "S\nA ptxas\nA /tmp/x_6.ptx\nA -o\nA /tmp/x_8.cubin\n"
              "S\nA gcc\nA -c\nA /tmp/x_6.cpp\nA -o\nA /out/student.o\n");
    char *more = build_recipe_append("E A=b\nS\nA x\n", (const char *const[]){"g++", "a b", NULL});
    CHECK_STR(more, "E A=b\nS\nA x\nS\nA g++\nA a b\n");
    free(more), free(recipe);

    /* Words, as a shell has them; NULL: one that knows more would be needed. */
    static const struct {
        const char *line, *step;
    } rows[] = {
        {"a  b\t c ", "A a\nA b\nA c\n"},
        {"a \"b c\"d e\"f\"", "A a\nA b cd\nA ef\n"},
        {"a \"b\tc\"", "A a\nA b\tc\n"},
        {"a \"\" b", "A a\nA \nA b\n"},
        {"a \"b\\\"c\\\\d\\$e\"", "A a\nA b\"c\\d$e\n"},
        {"a \"b\\c\"", NULL},
        {"a b\\\"c", NULL},
        {"a b\\\\c", NULL},
        {"a \";|&<>()*?#\"", "A a\nA ;|&<>()*?#\n"},
        {"a \"b'c\"", NULL},
        {"a \"b`c\"", NULL},
        {"a $TOP", "A a\nA /cuda\n"},
        {"a \"$TOP/b\"$TOP-", "A a\nA /cuda/b/cuda-\n"},
        {"a $TO", NULL},
        {"a $TOPS", NULL},
        {"a $TOP_", NULL},
        {"a $", NULL},
        {"a $/b", NULL},
        {"a b=c", "A a\nA b=c\n"},
        {"a rm", "A a\nA rm\n"},
        {"a --gen_module_id_file b", "A a\nA b\n"},
        {"a b;", NULL},
        {"a |b", NULL},
        {"a <b", NULL},
        {"a (b", NULL},
        {"a b)", NULL},
        {"a b?", NULL},
        {"a #b", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = lib_format("%s#$ %s\n", dry, rows[i].line);
        msg = (lib_message){0};
        recipe = build_recipe_parse(text, &msg);
        free(text);
        CHECK_INT(recipe != NULL, rows[i].step != NULL);
        if (recipe && rows[i].step) {
            const char *last = recipe; /* the last step */
            for (const char *next; (next = strstr(last, "\nS\n"));) last = next + 3;
            CHECK_STR(last, rows[i].step);
            CHECK_STR(said(&msg), "");
        }
        text = lib_format("nvcc's dry run has a line that is not known: #$ %s", rows[i].line);
        if (!rows[i].step) CHECK_STR(said(&msg), text);
        free(text), free(recipe);
    }
    /* A later value counts; of variables 32 are known: the four above, and 28 more. */
    lib_buffer b = {0};
    lib_buffer_printf(&b, "%s\n#$ TOP=/other\n", dry);
    for (int i = 1; i <= 29; i++) lib_buffer_printf(&b, "#$ V%d=v%d\n", i, i);
    for (int i = 28; i <= 29; i++) {
        char *text = lib_format("%s#$ x $TOP $V%d\n", b.s, i);
        recipe = build_recipe_parse(text, &msg);
        CHECK_INT(recipe != NULL, i == 28);
        if (recipe) {
            CHECK_CONTAINS(recipe, "\nE TOP=/other\nM ");
            CHECK_CONTAINS(recipe, "\nS\nA x\nA /other\nA v28\n");
        }
        free(text), free(recipe);
    }
    lib_buffer_free(&b);
    /* From 5 steps to 22, one of which names the module. */
    static const struct {
        int steps;
        const char *first;
        bool taken;
    } counts[] = {
        {4, "c --module_id_file_name /tmp/m", false}, {5, "c --module_id_file_name /tmp/m", true},
        {22, "c --module_id_file_name /tmp/m", true}, {23, "c --module_id_file_name /tmp/m", false},
        {6, "c --module_id_file_name", false},        {6, "c", false}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lib_buffer lines = {0};
        lib_buffer_printf(&lines, "#$ %s\n", counts[i].first);
        for (int k = 1; k < counts[i].steps; k++) lib_buffer_puts(&lines, "#$ true\n");
        recipe = build_recipe_parse(lines.s, &msg);
        CHECK_INT(recipe != NULL, counts[i].taken);
        char *text = lib_format("nvcc's dry run has %d steps, of which none names the module",
                                counts[i].steps);
        if (!recipe) CHECK_STR(said(&msg), text);
        lib_buffer_free(&lines);
        free(text), free(recipe);
    }
}

static char folder[] = "/tmp/warplab-test-steps.XXXXXX";

/* Runs a recipe by this program's other half; FOLDER in it stands for the test's folder. */
static sandbox_exit run_recipe(const char *text) {
    char *path = lib_format("%s/recipe", folder), self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    lib_buffer b = {0};
    for (const char *hit; (hit = strstr(text, "FOLDER")); text = hit + 6) {
        lib_buffer_add(&b, text, (size_t)(hit - text));
        lib_buffer_puts(&b, folder);
    }
    lib_buffer_puts(&b, text);
    lib_message msg = {0};
    CHECK(lib_write_file(path, b.s, b.n, &msg));
    lib_buffer_free(&b);
    const char *const argv[] = {self, "--steps", path, NULL};
    sandbox_spawn s;
    sandbox_spawn_init(&s);
    s.mode = SANDBOX_NONE;
    s.argv = argv;
    s.wall_s = 60;
    sandbox_exit e = {0};
    sandbox_run(&s, &e, &msg);
    CHECK_STR(said(&msg), "");
    free(path);
    return e;
}

static void test_run(void) {
    /* Two chains side by side, and a last step that needs both: each of the first two waits for
     * what the other makes, so that one after the other they would end by the limit. The slower
     * first one's message still comes first. */
    sandbox_exit e = run_recipe(
        "M FOLDER/made by-recipe\n"
        "S\nA sh\nA -c\nA until [ -e FOLDER/second ]; do sleep 0.01; done; touch FOLDER/first; "
        "sleep 0.3; echo one; cat FOLDER/made; echo a > $0\nA FOLDER/a\n"
        "S\nA sh\nA -c\nA touch FOLDER/second; until [ -e FOLDER/first ]; do sleep 0.01; done; "
        "echo two; echo b > $0\nA FOLDER/b\n"
        "S\nA sh\nA -c\nA cat $0; echo three; echo c > $1\nA FOLDER/b\nA FOLDER/c\n"
        "S\nA cat\nA FOLDER/a\nA FOLDER/c\n"
        "S\nA echo\nA linked\n");
    CHECK_INT(e.code, 0);
    CHECK_STR(e.output, "one\nby-recipetwo\nb\nthree\na\nc\nlinked\n");
    sandbox_exit_free(&e);
    /* The second fails before the first: the first one's messages come first, then the failure's;
     * what needs it is not started. */
    e = run_recipe(
        "S\nA sh\nA -c\nA sleep 0.3; echo slow\nA FOLDER/x\nS\nA sh\nA -c\nA echo broken; exit "
        "3\nA FOLDER/y\nS\nA echo\nA never\nS\nA echo\nA never\n");
    CHECK_INT(e.code, 3);
    CHECK_STR(e.output, "slow\nbroken\n");
    sandbox_exit_free(&e);
    e = run_recipe("S\nA /no/such/program\n");
    CHECK_INT(e.code, 126);
    sandbox_exit_free(&e);
    e = run_recipe("nonsense\n");
    CHECK_INT(e.code, BUILD_STEPS_TROUBLE);
    sandbox_exit_free(&e);
}

/* A status of 128 and a signal's number is told as that signal (spawn.c), as a shell's is. */
static void ends(const char *recipe, int code, const char *output) {
    sandbox_exit e = run_recipe(recipe);
    bool killed = code == 128 + SIGSEGV || code == 128 + SIGKILL;
    CHECK_INT(e.end, killed ? SANDBOX_END_SIGNAL : SANDBOX_END_EXIT);
    CHECK_INT(e.code, killed ? code - 128 : code);
    if (output) CHECK_STR(e.output, output);
    else CHECK_CONTAINS(e.output, "warplab --steps: ");
    sandbox_exit_free(&e);
}

/* Recipes as they are written, and as they are not; each way a step may end. */
static void test_recipes(void) {
    static const struct {
        const char *recipe;
        int code;
        const char *output; /* NULL: its own trouble */
    } rows[] = {
        {"E WL_A=1 2\nS\nA sh\nA -c\nA echo $WL_A\n", 0, "1 2\n"},
        {"S\nA echo\nA\nA x\n", 0, "x\n"}, /* an empty argument */
        {"M FOLDER/text a b\nS\nA cat\nA FOLDER/text\n", 0, "a b"},
        {"", BUILD_STEPS_TROUBLE, NULL},
        {"A echo\n", BUILD_STEPS_TROUBLE, NULL},
        {"S\n", BUILD_STEPS_TROUBLE, NULL},
        {"S\nB\n", BUILD_STEPS_TROUBLE, NULL},
        {"M FOLDER/text\nS\nA true\n", BUILD_STEPS_TROUBLE, NULL},
        {"M FOLDER/none/text a\nS\nA true\n", BUILD_STEPS_TROUBLE, NULL},
        /* What a signal ends is told alone, with 128 and its number; what ended for lack of memory
         * is a failure as others are. */
        {"S\nA sh\nA -c\nA echo one\nS\nA sh\nA -c\nA echo two; kill -SEGV $$\n", 128 + SIGSEGV,
         "two\n"},
        {"S\nA sh\nA -c\nA echo one\nS\nA sh\nA -c\nA echo two; kill -KILL $$\n", 128 + SIGKILL,
         "one\ntwo\n"},
        {"S\nA sh\nA -c\nA echo one; exit 255\nS\nA echo\nA two\n", 255, "one\n"},
        /* One that names another's file waits for it; the last but one waits for all. */
        {"S\nA sh\nA -c\nA sleep 0.2; echo a >${0#--to=}\nA --to=FOLDER/made-1\n"
         "S\nA cat\nA FOLDER/made-1\nS\nA true\nS\nA true\n",
         0, "a\n"},
        {"S\nA sh\nA -c\nA sleep 0.2; echo b >FOLDER/made-2\nS\nA sh\nA -c\nA cat FOLDER/made-2\n"
         "S\nA echo\nA end\n",
         0, "b\nend\n"},
        /* But all name the module, which is there from the start. */
        {"S\nA sh\nA -c\nA until [ -e FOLDER/go ]; do sleep 0.01; done\nA FOLDER/module_id\n"
         "S\nA touch\nA FOLDER/module_id\nA FOLDER/go\nS\nA true\nS\nA true\n",
         0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("# recipe %zu\n", i);
        ends(rows[i].recipe, rows[i].code, rows[i].output);
    }
    /* 24 steps, 128 words in one, 1 MB in all; messages of any length. */
    for (int more = 0; more < 2; more++) {
        lib_buffer steps = {0}, words = {0}, bytes = {0};
        for (int i = 0; i < 24 + more; i++) lib_buffer_puts(&steps, "S\nA true\n");
        ends(steps.s, more ? BUILD_STEPS_TROUBLE : 0, more ? NULL : "");
        lib_buffer_puts(&words, "S\nA sh\nA -c\nA echo $#\nA sh\n");
        for (int i = 4; i < 128 + more; i++) lib_buffer_puts(&words, "A x\n");
        ends(words.s, more ? BUILD_STEPS_TROUBLE : 0, more ? NULL : "124\n");
        lib_buffer_puts(&bytes, "S\nA echo\nA x\n");
        while (bytes.n < (1u << 20) + (unsigned)more) lib_buffer_puts(&bytes, "\n");
        ends(bytes.s, more ? BUILD_STEPS_TROUBLE : 0, more ? NULL : "x\n");
        lib_buffer_free(&steps), lib_buffer_free(&words), lib_buffer_free(&bytes);
    }
    sandbox_exit e = run_recipe("S\nA sh\nA -c\nA head -c 20000 /dev/zero | tr '\\0' x\n");
    CHECK_INT(e.output_len, 20000);
    CHECK_INT(strspn(e.output, "x"), 20000);
    sandbox_exit_free(&e);
}

/* One of the texts of machine code that are in the folder; NULL: there is none. */
static char *machine_text(const char *hash) {
    char *path = lib_format("%s/%s.sass", folder, hash), *text = lib_read_file(path, 0, NULL, NULL);
    free(path);
    return text;
}

/* Steps beside the others: what they print goes to a file named by what they read, and what becomes
 * of them is nobody's fault. The hashes are sha256sum's. */
static void test_machine(void) {
    static const char of_a[] = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7",
                      of_b[] = "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f";
    char *one = build_recipe_machine("S\nA ptxas\nA x.ptx\nA -o\nA /tmp/x_8.cubin\n"
                                     "S\nA g++\nA -o\nA /tmp/x.o\n"
                                     "S\nA ptxas\nA -o\nA /tmp/x_9.cubin\nA x.ptx\n",
                                     "/nvdisasm", "/out");
    CHECK_CONTAINS(one, "A x.ptx\nD /out\nA /nvdisasm\nA -ndf\nA -c\nA -gi\nA -gp\nA -hex\n"
                        "A /tmp/x_8.cubin\n"
                        "D /out\nA /nvdisasm\nA -ndf\nA -c\nA -gi\nA -gp\nA -hex\n"
                        "A /tmp/x_9.cubin\n");
    free(one);
    /* It waits for what makes its input; its messages are nobody's; its failure neither. */
    ends("S\nA sh\nA -c\nA sleep 0.2; echo a >$0\nA FOLDER/tmp/a\n"
         "D FOLDER\nA sh\nA -c\nA cat $0; echo text; echo said >&2\nA FOLDER/tmp/a\n"
         "S\nA echo\nA linked\n",
         0, "linked\n");
    char *text = machine_text(of_a);
    CHECK_STR(text ? text : "", "a\ntext\n");
    free(text);
    /* nvdisasm is asked again, for the targets of jumps by a table, where there are any. */
    static const char *const jumps[][2] = {{"BRA .L_x_1", "-ndf"},
                                           {"BRX R2 -0x130", "full"},
                                           {"@P0 JMX R4 0x10", "full"},
                                           {"BRXU UR4 -0x20", "full"}};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        char *recipe = lib_format("S\nA sh\nA -c\nA echo a >$0\nA FOLDER/tmp/a\n"
                                  "D FOLDER\nA sh\nA -c\nA echo '%s' $0\nA -ndf\nA full\n"
                                  "A FOLDER/tmp/a\nS\nA echo\nA linked\n",
                                  jumps[i][0]),
             *want = lib_format("%s %s\n", jumps[i][0], jumps[i][1]);
        ends(recipe, 0, "linked\n");
        text = machine_text(of_a);
        CHECK_STR(text ? text : "", want);
        free(text);
        free(want);
        free(recipe);
    }
    static const char *const bad[] = {
        "cat $0; exit 1",        /* it failed */
        "cat $0; kill -9 $$",    /* it crashed */
        "cat $0; cat /dev/zero", /* it prints without end */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *recipe = lib_format("S\nA sh\nA -c\nA echo b >$0\nA FOLDER/tmp/b\n"
                                  "D FOLDER\nA sh\nA -c\nA %s\nA FOLDER/tmp/b\n"
                                  "S\nA echo\nA host\nS\nA echo\nA linked\n",
                                  bad[i]);
        ends(recipe, 0, "host\nlinked\n");
        CHECK(!machine_text(of_b));
        free(recipe);
    }
    /* Nothing to read: it is not started. A build that fails does not wait for it. */
    ends("D FOLDER\nA sh\nA -c\nA touch FOLDER/started\nA FOLDER/none\nS\nA echo\nA linked\n", 0,
         "linked\n");
    char *started = lib_format("%s/started", folder);
    CHECK(!lib_is_file(started));
    free(started);
    double begin = lib_now();
    ends("S\nA sh\nA -c\nA echo b >$0\nA FOLDER/tmp/b\n"
         "D FOLDER\nA sh\nA -c\nA exec sleep 9\nA FOLDER/tmp/b\n"
         "S\nA sh\nA -c\nA sleep 0.5; exit 3\nA FOLDER/tmp/c\nS\nA true\nS\nA true\n",
         3, "");
    CHECK(lib_now() - begin < 6);
    /* What computes for too long ends: five seconds. */
    begin = lib_now();
    ends("S\nA sh\nA -c\nA echo b >$0\nA FOLDER/tmp/b\n"
         "D FOLDER\nA sh\nA -c\nA while :; do :; done\nA FOLDER/tmp/b\nS\nA echo\nA linked\n",
         0, "linked\n");
    CHECK(lib_now() - begin >= BUILD_MACHINE_SECONDS && !machine_text(of_b));
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--steps")) return build_steps_main(argv[2]);
    test_parse();
    test_recipe();
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    char *tmp = lib_format("%s/tmp", folder);
    CHECK(!mkdir(tmp, 0700));
    free(tmp);
    test_run();
    test_recipes();
    test_machine();
    lib_remove_tree(folder);
    return check_done();
}
