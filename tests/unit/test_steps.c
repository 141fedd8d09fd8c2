/* nvcc's dry run becomes a recipe, or is refused; a recipe's steps run when what they read is there, and tell
 * their messages in nvcc's order. */
#include "../../runner/steps.h"
#include "../../runner/sandbox.h"

#include <stdlib.h>
#include <unistd.h>
#include "../check.h"

static const char dry[] =
    "#$ _SPACE_= \n"
    "#$ TOP=/cuda\n"
    "#$ CICC_PATH=/cuda/nvvm\n"
    "#$ PATH=/cuda/bin:/usr/bin\n"
    "#$ gcc -E -DX=1 \"-I/a b\" \"student.cu\" -o \"/tmp/x_4.ii\" \n"
    "#$ cudafe++ --gen_c_file_name \"/tmp/x_6.cpp\" --gen_module_id_file --module_id_file_name "
    "\"/tmp/x.module_id\" \"/tmp/x_4.ii\" \n"
    "#$ gcc -E -D__CUDA_ARCH__=900 \"student.cu\" -o \"/tmp/x_7.ii\" \n"
    "#$ \"$CICC_PATH/cicc\" --module_id_file_name \"/tmp/x.module_id\" \"/tmp/x_7.ii\" -o \"/tmp/x_6.ptx\"\n"
    "#$ ptxas \"/tmp/x_6.ptx\" -o \"/tmp/x_8.cubin\" \n"
    "#$ rm /tmp/x_3.fatbin\n"
    "#$ gcc -c \"/tmp/x_6.cpp\" -o \"/out/student.o\" \n";

static void test_parse(void) {
    sim_message msg = {""};
    char *recipe = lab_recipe_parse(dry, &msg);
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
        char *text = lab_format("%s#$ %s\n", dry, bad[i]);
        CHECK(lab_recipe_parse(text, &msg) == NULL);
        CHECK_CONTAINS(msg.text, bad[i]);
        free(text);
    }
    CHECK(lab_recipe_parse("nvcc fatal   : Unknown option\n", &msg) == NULL);
    CHECK(lab_recipe_parse("", &msg) == NULL);
}

static char folder[] = "/tmp/warplab-test-steps.XXXXXX";

/* Runs a recipe by this program's other half; FOLDER in it stands for the test's folder. */
static lab_exit run_recipe(const char *text) {
    char *path = lab_format("%s/recipe", folder), self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    lab_buf b = {0};
    for (const char *hit; (hit = strstr(text, "FOLDER")); text = hit + 6) {
        lab_buf_add(&b, text, (size_t)(hit - text));
        lab_buf_puts(&b, folder);
    }
    lab_buf_puts(&b, text);
    sim_message msg = {""};
    CHECK(lab_write_file(path, b.s, b.n, &msg));
    lab_buf_free(&b);
    const char *const argv[] = {self, "--steps", path, NULL};
    lab_spawn s;
    lab_spawn_init(&s);
    s.mode = LAB_SANDBOX_NONE;
    s.argv = argv;
    s.wall_s = 10;
    lab_exit e = {0};
    lab_run(&s, &e, &msg);
    CHECK_STR(msg.text, "");
    free(path);
    return e;
}

static void test_run(void) {
    /* Two chains of 0.5 s each, and a last step that needs both: less than their sum. The slower first one's
     * message still comes first. */
    double begin = lab_now();
    lab_exit e =
        run_recipe("M FOLDER/made by-recipe\n"
                   "S\nA sh\nA -c\nA sleep 0.5; echo one; cat FOLDER/made; echo a > $0\nA FOLDER/a\n"
                   "S\nA sh\nA -c\nA sleep 0.4; echo two; echo b > $0\nA FOLDER/b\n"
                   "S\nA sh\nA -c\nA sleep 0.1; cat $0; echo three; echo c > $1\nA FOLDER/b\nA FOLDER/c\n"
                   "S\nA cat\nA FOLDER/a\nA FOLDER/c\n"
                   "S\nA echo\nA linked\n");
    CHECK_INT(e.code, 0);
    CHECK_STR(e.output, "one\nby-recipetwo\nb\nthree\na\nc\nlinked\n");
    CHECK(lab_now() - begin < 0.95);
    lab_exit_free(&e);
    /* The second fails before the first: the first one's messages come first, then the failure's; what needs
     * it is not started. */
    e = run_recipe("S\nA sh\nA -c\nA sleep 0.3; echo slow\nA FOLDER/x\nS\nA sh\nA -c\nA echo broken; exit "
                   "3\nA FOLDER/y\nS\nA echo\nA never\nS\nA echo\nA never\n");
    CHECK_INT(e.code, 3);
    CHECK_STR(e.output, "slow\nbroken\n");
    lab_exit_free(&e);
    e = run_recipe("S\nA /no/such/program\n");
    CHECK_INT(e.code, 126);
    lab_exit_free(&e);
    e = run_recipe("nonsense\n");
    CHECK_INT(e.code, LAB_STEPS_TROUBLE);
    lab_exit_free(&e);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--steps")) return lab_steps_main(argv[2]);
    test_parse();
    if (!CHECK(mkdtemp(folder) != NULL)) return check_done();
    test_run();
    lab_remove_tree(folder);
    return check_done();
}
