/* nvcc's dry run becomes a recipe, or is refused; a recipe's steps run when what they read is
 * there, and tell their messages in nvcc's order. */
#include "runner/base/buffer.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/build/steps.h"
#include "runner/sandbox/sandbox.h"

#include <stdlib.h>
#include <unistd.h>
#include "tests/check.h"

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
    CHECK_STR(msg.text, "");
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
        CHECK_CONTAINS(msg.text, bad[i]);
        free(text);
    }
    CHECK(build_recipe_parse("nvcc fatal   : Unknown option\n", &msg) == NULL);
    CHECK(build_recipe_parse("", &msg) == NULL);
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
    s.wall_s = 10;
    sandbox_exit e = {0};
    sandbox_run(&s, &e, &msg);
    CHECK_STR(msg.text, "");
    free(path);
    return e;
}

static void test_run(void) {
    /* Two chains side by side, and a last step that needs both: each of the first two waits for what
     * the other makes, so that one after the other they would end by the limit. The slower first
     * one's message still comes first. */
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

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--steps")) return build_steps_main(argv[2]);
    test_parse();
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    test_run();
    lib_remove_tree(folder);
    return check_done();
}
