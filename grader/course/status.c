/* What a grading has come to, and why one student's grade is what it is: texts for a terminal, from
 * the records alone. */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/course/rows.h"
#include "grader/intake/roster.h"
#include "grader/intake/when.h"
#include "grader/report/html.h"

#define SAID(zh, en_text, zh_text) ((zh) ? (zh_text) : (en_text))

static const struct {
    const char *state, *text[LIB_LANGS];
} states[] = {{"graded", {"graded", "已评分"}},
              {"suspect", {"to be reviewed", "待人工检查"}},
              {"ungradable", {"not gradable", "不能评分"}},
              {"ambiguous", {"ambiguous", "无法判定"}},
              {"infra_error", {"could not be graded", "未能评分"}},
              {"missing", {"not graded yet", "尚未评分"}}};
enum { STATES = sizeof states / sizeof *states };

const char *course_state_word(const char *state, lib_lang lang) {
    for (size_t k = 0; k < STATES; k++)
        if (!strcmp(states[k].state, state)) return states[k].text[lang];
    return state;
}

const char *course_verdict_word(const char *verdict, lib_lang lang) {
    return lang == LIB_EN ? verdict : html_verdict(verdict, lang);
}

static bool at_work(int out) {
    int fd = openat(out, "lock", O_RDONLY | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB);
    if (fd >= 0) close(fd);
    return busy;
}

static size_t count_state(const course *c, const char *lab, const char *state) {
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += !strcmp(c->row[i].lab, lab) && !strcmp(course_state(&c->row[i]), state);
    return n;
}

static void status_lab(lib_buffer *b, const course *c, const char *lab, bool zh) {
    size_t late = 0, rows = 0, scored = 0;
    double sum = 0, most = 0, score;
    char mean[32], max[32];
    for (size_t i = 0; i < c->count; i++) {
        const course_row *r = &c->row[i];
        if (strcmp(r->lab, lab) != 0) continue;
        rows++;
        late += r->when.late;
        if (!course_score(r, &score)) continue;
        scored++;
        sum += score;
        if (report_number(r->record, "max_score") > most)
            most = report_number(r->record, "max_score");
    }
    lib_buffer_shown(b, zh ? "%s：%zu 份" : "%s: %zu", lab, rows);
    for (size_t k = 0; k < STATES; k++) {
        size_t n = count_state(c, lab, states[k].state);
        if (n) lib_buffer_shown(b, SAID(zh, ", %zu %s", "，%zu %s"), n, states[k].text[zh]);
    }
    if (late) lib_buffer_shown(b, SAID(zh, ", %zu late", "，迟交 %zu"), late);
    if (scored)
        lib_buffer_shown(b, SAID(zh, "; mean %s of %s", "；平均 %s，满分 %s"),
                         lib_number(mean, round(100 * sum / (double)scored) / 100),
                         lib_number(max, most));
    lib_buffer_puts(b, "\n");
}

/* ---- who is on the roster ---- */

/* OUT's roster, with a mark for each person of whom something was taken; NULL: there is none. */
static char *roster_marks(const course *c, const char *out, roster *people) {
    char path[4200];
    lib_message ignored;
    lib_say(path, sizeof path, "%s/roster.csv", out);
    *people = (roster){0};
    if (access(path, R_OK) || !roster_read(path, 0, people, &ignored)) return NULL;
    char *marks = calloc(people->count + 1, 1);
    for (size_t i = 0; marks && i < c->count; i++) {
        const char *ids[64];
        char *copy = strdup(c->row[i].entry->ids), *rest;
        size_t n = 0;
        bool several;
        ids[n++] = c->row[i].student;
        for (char *p = copy ? strtok_r(copy, "\n", &rest) : NULL; p && n < 64;
             p = strtok_r(NULL, "\n", &rest))
            ids[n++] = p;
        const roster_person *p = roster_find(people, ids, n, "", &several);
        if (p) marks[p - people->person] = 1;
        free(copy);
    }
    if (!marks) roster_free(people);
    return marks;
}

static void status_absent(lib_buffer *b, const course *c, const char *out, bool zh) {
    roster people;
    char *marks = roster_marks(c, out, &people);
    size_t n = 0, said = 0;
    for (size_t i = 0; marks && i < people.count; i++)
        n += !marks[i] && !roster_nobody(&people.person[i]);
    if (n)
        lib_buffer_shown(b,
                         SAID(zh, "of the roster, nothing of %zu was taken:\n",
                              "名册中有 %zu 人没有收到任何作业：\n"),
                         n);
    for (size_t i = 0; n && i < people.count && said < 50; i++) {
        const roster_person *p = &people.person[i];
        if (marks[i] || roster_nobody(p)) continue;
        lib_buffer_shown(b, *p->name ? SAID(zh, "  %s (%s)\n", "  %s（%s）\n") : "  %s\n",
                         p->student ? p->student : "-", p->name);
        said++;
    }
    if (n > said) lib_buffer_puts(b, "  ...\n");
    free(marks);
    roster_free(&people);
}

char *course_status(const char *out, lib_lang lang, lib_message *msg) {
    course c;
    lib_buffer b = {0};
    bool zh = lang == LIB_ZH;
    bool ok = course_load(&c, out, msg);
    int fd = ok ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (ok) {
        lib_buffer_shown(&b,
                         zh ? "%zu 名学生%.0s，%zu 个实验%.0s%s\n" : "%zu student%s, %zu lab%s%s\n",
                         c.students, LIB_S(c.students), c.labs, LIB_S(c.labs),
                         at_work(fd) ? SAID(zh, "; a grading is at work", "；正在评分") : "");
        for (size_t l = 0; l < c.labs; l++) status_lab(&b, &c, c.lab[l], zh);
        if (!faccessat(fd, "secret", F_OK, 0))
            lib_buffer_puts(&b, SAID(zh, "its secret is kept, and the next run uses it\n",
                                     "密数已保存，下次运行沿用\n"));
        if (c.m.left_count)
            lib_buffer_shown(&b, SAID(zh, "%zu left over:\n", "未能归位 %zu 处：\n"),
                             c.m.left_count);
        for (size_t i = 0; i < c.m.left_count && i < 20; i++) {
            char line[INTAKE_LINE];
            intake_line_in(c.m.left[i], lang, line, sizeof line);
            lib_buffer_shown(&b, "  %s\n", line);
        }
        if (c.m.left_count > 20) lib_buffer_puts(&b, "  ...\n");
        status_absent(&b, &c, out, zh);
        char *strangers = course_strangers(out, NULL, lang);
        if (strangers) lib_buffer_puts(&b, strangers);
        free(strangers);
    }
    if (fd >= 0) close(fd);
    course_free(&c);
    char *text = ok ? lib_buffer_take(&b) : NULL;
    if (ok && !text) lib_message_set2(msg, "out of memory", "内存不足");
    if (!ok) lib_buffer_free(&b);
    return text;
}

/* ---- one grade ---- */

/* What one of several attempts is worth: "6 of 10", lateness off; else why it has no score. */
static void attempt_worth(const course *c, int out, const store_entry *e, bool zh, char *to,
                          size_t n) {
    course_row r = course_attempt(c, out, e);
    char score[32], max[32];
    double worth;
    if (course_score(&r, &worth))
        lib_say(to, n, SAID(zh, ", %s of %s", "，%s 分（满分 %s）"), lib_number(score, worth),
                lib_number(max, report_number(r.record, "max_score")));
    else if (e->graded || r.record)
        lib_say(to, n, SAID(zh, ", %s", "，%s"), course_state_word(course_state(&r), zh));
    else lib_say(to, n, "%s", SAID(zh, " (not graded)", "（不评分）"));
    json_decref(r.record);
}

static void explain_attempts(lib_buffer *b, const course *c, const course_row *r, int out,
                             bool zh) {
    char at[64], worth[96] = "";
    for (size_t i = 0; i < c->m.count; i++) {
        const store_entry *e = &c->m.entry[i];
        if (strcmp(e->student, r->student) != 0 || strcmp(e->lab, r->lab) != 0) continue;
        if (e->timed) when_write(e->time, c->rules.zone, at, sizeof at);
        else SAY(at, "%s", SAID(zh, "time not known", "时间不详"));
        if (e->attempts > 1) attempt_worth(c, out, e, zh, worth, sizeof worth);
        lib_buffer_shown(b, SAID(zh, "  attempt %u: %s, %s%s%s%s\n", "  第 %u 次：%s，%s%s%s%s\n"),
                         e->attempt, e->source, at,
                         e->late ? SAID(zh, ", late by the system's mark", "，系统标为迟交") : "",
                         worth, e == r->entry ? SAID(zh, " <- counts", " <- 计分") : "");
    }
}

static void explain_goals(lib_buffer *b, const json_t *record, lib_lang lang) {
    size_t i;
    const json_t *g;
    char points[32], max[32];
    json_array_foreach(json_object_get(record, "goals"), i, g) {
        char *title = report_goal_title(g, lang);
        bool scored = json_is_number(json_object_get(g, "points"));
        lib_buffer_shown(b, "  %-4s %s/%s  %s\n", report_true(g, "pass") ? "ok" : "--",
                         scored ? lib_number(points, report_number(g, "points")) : "-",
                         lib_number(max, report_number(g, "max_points")), title ? title : "");
        if (*report_said(g, lang)) lib_buffer_shown(b, "       %s\n", report_said(g, lang));
        free(title);
    }
}

/* The first that the compiler has against it; all of it is in the report. */
static void explain_build(lib_buffer *b, const json_t *record) {
    const json_t *build = json_object_get(record, "build");
    const char *log = report_text(build, "log"), *first = log;
    if (!json_is_false(json_object_get(build, "ok")) || !*log) return;
    for (const char *p = log; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *error = strstr(p, "error");
        if (!error || error > p + strcspn(p, "\n")) continue;
        first = p;
        break;
    }
    size_t n = strcspn(first, "\n");
    lib_buffer_shown(b, "  %.*s\n", (int)(n < 300 ? n : 300), first);
}

static void explain_row(lib_buffer *b, const course *c, const course_row *r, int out,
                        lib_lang lang) {
    bool zh = lang == LIB_ZH;
    char due[64], points[32], earned[32], max[32];
    double score, whole;
    const char *before = *r->entry->name ? SAID(zh, " (", "（") : "",
               *behind = *r->entry->name ? SAID(zh, ")", "）") : "";
    lib_buffer_shown(b, SAID(zh, "%s%s%s%s, %s: %s\n", "%s%s%s%s，%s：%s\n"), r->student, before,
                     r->entry->name, behind, r->lab, course_verdict_word(course_verdict(r), lang));
    explain_attempts(b, c, r, out, zh);
    if (r->when.dated) {
        when_write(r->when.due, c->rules.zone, due, sizeof due);
        lib_buffer_shown(b, SAID(zh, "  due %s%s\n", "  截止 %s%s\n"), due,
                         r->when.extended ? SAID(zh, " (their extension)", "（已延期）") : "");
    }
    char *rules = policy_said(&c->rules, r->entry, lang);
    if (rules && *rules) lib_buffer_shown(b, "  %s\n", rules);
    free(rules);
    if (!r->record) {
        lib_buffer_puts(b, SAID(zh, "  not graded yet\n", "  尚未评分\n"));
        return;
    }
    if (*report_said(r->record, lang)) lib_buffer_shown(b, "  %s\n", report_said(r->record, lang));
    explain_build(b, r->record);
    explain_goals(b, r->record, lang);
    if (course_score(r, &score) && course_earned(r, &whole)) {
        lib_number(max, report_number(r->record, "max_score"));
        lib_number(points, score);
        lib_number(earned, whole);
        if (r->when.cut > 0)
            lib_buffer_shown(
                b, SAID(zh, "  %s of %s earned, %s counted\n", "  得 %s 分（满分 %s），计 %s 分\n"),
                earned, max, points);
        else lib_buffer_shown(b, SAID(zh, "  %s of %s\n", "  %s 分，满分 %s\n"), points, max);
    } else
        lib_buffer_puts(b, SAID(zh, "  no score: an empty cell in the gradebook, never a zero\n",
                                "  没有分数：成绩册中留空，绝不记 0 分\n"));
    if (r->older)
        lib_buffer_puts(b, SAID(zh, "  (of an earlier run: the newest could not be done)\n",
                                "  （沿用之前的评分：最新一次未能完成）\n"));
    lib_buffer_shown(b, "  records/%s.json\n  reports/%s.html\n", report_text(r->record, "key"),
                     report_text(r->record, "key"));
}

/* Whether `name` is in the line as a word of its own. */
static bool names(const char *line, const char *name) {
    size_t n = strlen(name);
    for (const char *p = line; n && (p = strstr(p, name)); p++) {
        bool left = p == line || !isalnum((unsigned char)p[-1]),
             right = !isalnum((unsigned char)p[n]);
        if (left && right) return true;
    }
    return false;
}

/* A student of whom nothing was taken: what is known of them. False: nothing. */
static bool explain_absent(lib_buffer *b, const course *c, const char *out, const char *student,
                           lib_lang lang) {
    bool zh = lang == LIB_ZH, several, known = false;
    roster people;
    char *marks = roster_marks(c, out, &people);
    const roster_person *p = marks ? roster_find(&people, &student, 1, student, &several) : NULL;
    lib_buffer left = {0};
    size_t lines = 0;
    for (size_t i = 0; i < c->m.left_count; i++) {
        char line[INTAKE_LINE];
        bool of = names(c->m.left[i], student);
        for (unsigned k = 0; p && k < p->count; k++) of = of || names(c->m.left[i], p->id[k]);
        if (!of) continue;
        intake_line_in(c->m.left[i], lang, line, sizeof line);
        lib_buffer_shown(&left, "  %s\n", line);
        lines++;
    }
    known = p || lines;
    if (known)
        lib_buffer_shown(b,
                         SAID(zh, "%s%s%s%s: nothing of theirs was taken; %s\n",
                              "%s%s%s%s：没有收到任何作业；%s\n"),
                         p && p->student ? p->student : student,
                         p && *p->name ? SAID(zh, " (", "（") : "", p ? p->name : "",
                         p && *p->name ? SAID(zh, ")", "）") : "",
                         lines ? SAID(zh, "left over:", "未能归位：")
                               : SAID(zh, "they are on the roster, and nothing was handed in",
                                      "此人在名册上，什么也没有交"));
    char *text = lib_buffer_take(&left);
    if (known && lines && text) lib_buffer_puts(b, text);
    free(text);
    free(marks);
    roster_free(&people);
    return known;
}

/* By what the records say, else by what the roster says of whom it names. */
static const char *find_student(const course *c, const char *out, const char *name, bool *several) {
    const char *who = course_who(c, name, several);
    roster people;
    char *marks = who || *several ? NULL : roster_marks(c, out, &people);
    if (!marks) return who;
    const roster_person *p = roster_find(&people, &name, 1, name, several);
    for (unsigned k = 0; p && k < p->count && !who; k++) who = course_who(c, p->id[k], several);
    free(marks);
    roster_free(&people);
    return who;
}

/* What of a student's was left over beside what was taken: a header, a second file. */
static void explain_left(lib_buffer *b, const course *c, const char *who, lib_lang lang) {
    const course_row *r = course_first(c, who);
    size_t said = 0;
    for (size_t i = 0; r && i < c->m.left_count; i++) {
        bool of = names(c->m.left[i], who);
        char *ids = strdup(r->entry->ids), *rest, line[INTAKE_LINE];
        for (char *p = ids ? strtok_r(ids, "\n", &rest) : NULL; p && !of;
             p = strtok_r(NULL, "\n", &rest))
            of = names(c->m.left[i], p);
        free(ids);
        if (!of) continue;
        if (!said++) lib_buffer_puts(b, SAID(lang == LIB_ZH, "left over:\n", "未能归位：\n"));
        intake_line_in(c->m.left[i], lang, line, sizeof line);
        lib_buffer_shown(b, "  %s\n", line);
    }
}

char *course_explain(const char *out, const char *student, const char *lab, lib_lang lang,
                     lib_message *msg) {
    course c;
    lib_buffer b = {0};
    bool ok = course_load(&c, out, msg);
    bool several = false;
    const char *who = ok ? find_student(&c, out, student, &several) : NULL;
    int fd = who ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    size_t shown = 0;
    for (size_t i = 0; who && i < c.count; i++) {
        const course_row *r = &c.row[i];
        if (strcmp(r->student, who) != 0 || (lab && strcmp(r->lab, lab) != 0)) continue;
        explain_row(&b, &c, r, fd, lang);
        shown++;
    }
    if (shown) explain_left(&b, &c, who, lang);
    if (fd >= 0) close(fd);
    if (several)
        lib_message_set2(msg,
                         "%s is a name of several students; ask by login, number or e-mail address",
                         "有几名学生都叫 %s；请用登录名、编号或电子邮件地址", student);
    else if (ok && !who && explain_absent(&b, &c, out, student, lang)) shown = 1;
    else if (ok && !who)
        lib_message_set2(
            msg, "%s has nothing of a student %s; `warplab gradebook list %s` shows all",
            "%s 中没有学生 %s 的提交；`warplab gradebook list %s` 列出全部", out, student, out);
    else if (ok && !shown)
        lib_message_set2(msg, "%s handed nothing in for %s", "%s 没有提交 %s", who, lab);
    course_free(&c);
    char *text = shown ? lib_buffer_take(&b) : NULL;
    if (shown && !text) lib_message_set2(msg, "out of memory", "内存不足");
    return text;
}
