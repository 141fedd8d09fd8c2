/* Where an editor is told to open a file. */
#include <stdlib.h>
#include "runner/repl/work.h"
#include "tests/check.h"

static void opens(const char *editor, unsigned line, const char *first, const char *second) {
    char *words[2] = {NULL, NULL};
    size_t n = editor_at(editor, "/w/a b.cu", line, words);
    CHECK_INT(n, second ? 2 : 1);
    CHECK_STR(words[0], first);
    if (second) CHECK_STR(words[1], second);
    free(words[0]);
    free(words[1]);
}

int main(void) {
    /* the first and the last that are known, and the first line */
    opens("vi", 1, "+1", "/w/a b.cu");
    opens("codium", 1, "--goto", "/w/a b.cu:1");
    opens("subl", 4, "/w/a b.cu:4", NULL);
    opens("vim", 12, "+12", "/w/a b.cu");
    opens("/usr/bin/nano", 3, "+3", "/w/a b.cu");
    opens("kate", 7, "-l7", "/w/a b.cu");
    opens("code", 9, "--goto", "/w/a b.cu:9");
    opens("hx", 4, "/w/a b.cu:4", NULL);
    opens("vim", 0, "/w/a b.cu", NULL);
    opens("no-such-editor", 5, "/w/a b.cu", NULL);
    return check_done();
}
