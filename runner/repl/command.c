/* The commands as a table, and which of them a word means. */
#include <stdlib.h>
#include <string.h>
#include "runner/repl/prompt.h"
#include "words/repl.h"
#include "words/term.h"

const command commands[] = {
#define RCMD(name, key, function, arguments, lab, en, zh) {name, key, arguments, lab, {en, zh}},
#include "runner/repl/repl_commands.def"
#undef RCMD
};
const size_t command_count = sizeof commands / sizeof *commands;

/* Words of other programs and of Chinese, and what they are here. */
static const struct {
    const char *word, *command;
} synonyms[] = {
    {"grade", "check"},   {"submit", "check"},    {"test", "run"},      {"compile", "run"},
    {"make", "run"},      {"exit", "quit"},       {"bye", "quit"},      {"solution", "answer"},
    {"ls", "list"},       {"search", "find"},     {"man", "help"},      {"glossary", "help"},
    {"previous", "back"}, {"prev", "back"},       {"status", "home"},   {"继续", "next"},
    {"下一步", "next"},   {"下一个", "next"},     {"上一步", "back"},   {"返回", "back"},
    {"重看", "read"},     {"提示", "hint"},       {"帮助", "help"},     {"检查", "check"},
    {"评分", "check"},    {"提交", "check"},      {"运行", "run"},      {"编辑", "edit"},
    {"退出", "quit"},     {"列表", "list"},       {"实验", "list"},     {"开始", "start"},
    {"答案", "answer"},   {"参考答案", "answer"}, {"进度", "progress"}, {"主页", "home"},
    {"首页", "home"},     {"查找", "find"},       {"搜索", "find"},     {"监视", "watch"},
    {"重置", "reset"},    {"设备", "device"},     {"语言", "lang"},     {"对比", "diff"},
    {"图", "show"}};

void command_plain(char *line) {
    char *to = line, *word = line;
    for (size_t i = 0, n = strlen(line); i < n;) {
        uint32_t c;
        size_t k = text_decode(line + i, n - i, &c);
        if (c >= 0xff01 && c <= 0xff5e) *to++ = (char)(c - 0xfee0);
        else if (c == 0x3000) *to++ = ' ';
        else if (c == 0x3002 && i + k == n) break;
        else {
            memmove(to, line + i, k);
            to += k;
        }
        i += k;
    }
    *to = 0;
    word += strspn(word, " \t");
    size_t n = strcspn(word, " \t");
    if (n > 1 && word[n - 1] == '.' && !word[n]) word[n - 1] = 0; /* "next." */
}

const command *command_exact(const char *word) {
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(commands[i].name, word) ||
            (commands[i].key[0] && !strcmp(commands[i].key, word)))
            return &commands[i];
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (!strcmp(synonyms[i].word, word)) return command_exact(synonyms[i].command);
    return NULL;
}

static void say_unknown(repl *r, const char *word) {
    const char *near = NULL;
    unsigned best = strlen(word) > 4 ? 3 : 2;
    for (size_t i = 0; i < command_count; i++) {
        unsigned d = lib_distance(word, commands[i].name);
        if (d < best) best = d, near = commands[i].name;
    }
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_unknown_command(word));
    if (r->lab && lab_step_asks(&r->lab->steps[r->step]) && *word >= '0' && *word <= '9') {
        text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_ASK_AGAIN));
        return;
    }
    /* A lab's name alone is nearly a command. */
    char start[96];
    if (lab_exists(r->root, word)) {
        snprintf(start, sizeof start, "start %s", word);
        near = start;
    }
    if (near) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_did_you_mean(near));
    else text_line(&r->out, TEXT_PLAIN, 0, "%s", lib_word(r->lang, W_REPL_HELP_POINTER));
}

const command *command_find(repl *r, const char *word) {
    const command *hit = command_exact(word);
    if (hit) return hit;
    size_t n = strlen(word), hits = 0;
    char all[256] = "";
    for (size_t i = 0; i < command_count; i++) {
        if (strncmp(commands[i].name, word, n) != 0) continue;
        hit = &commands[i];
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s",
                 hits++ ? lib_word(r->lang, W_TERM_LIST_COMMA) : "", hit->name);
    }
    if (hits == 1) return hit;
    if (hits > 1) text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_ambiguous(word, all));
    else say_unknown(r, word);
    return NULL;
}
