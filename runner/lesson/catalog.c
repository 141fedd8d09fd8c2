/* See catalog.h. */
#include "runner/lesson/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "words/lesson.h"
#include "words/term.h"

enum { ID_COLUMNS = 19, MINUTES_COLUMNS = 8 };

static bool catalog_passed(progress *p, const char *id) {
    progress_lab was;
    progress_get(p, id, &was);
    return was.passed;
}

static bool catalog_ready(const char *root, progress *p, const lab_header *l, bool strict) {
    if (l->broken || catalog_passed(p, l->id)) return false;
    for (size_t j = 0; strict && j < l->need_count; j++)
        if (!catalog_passed(p, l->needs[j]) && lab_exists(root, l->needs[j])) return false;
    return true;
}

/* Returns the first lab from `from` on, then from the beginning, that is not passed. pack: only
 * labs of this pack; NULL: of all. */
static const char *catalog_from(const char *root, progress *p, const lab_header *h, size_t n,
                                size_t from, const char *pack) {
    for (int strict = 1; strict >= 0; strict--)
        for (size_t k = 0; k < n; k++) {
            const lab_header *l = &h[(from + k) % n];
            if ((!pack || !strcmp(l->pack, pack)) && catalog_ready(root, p, l, strict))
                return l->id;
        }
    return NULL;
}

bool lab_list_next(const char *root, progress *p, const char *after, char *id, size_t size) {
    lab_header *h;
    size_t n = lab_list(root, &h), from = 0;
    for (size_t k = 0; after && k < n; k++)
        if (!strcmp(h[k].id, after)) from = k + 1;
    const char *pack = from && *h[from - 1].pack ? h[from - 1].pack : NULL,
               *own = pack ? catalog_from(root, p, h, n, from, pack) : NULL,
               *next = own ? own : catalog_from(root, p, h, n, from, NULL);
    snprintf(id, size, "%s", next ? next : "");
    free(h);
    return !pack || own;
}

bool lab_list_holds(const char *text, const char *word) {
    char *narrow = lib_strdup(text), *wanted = lib_strdup(word);
    text_narrow(narrow);
    text_narrow(wanted);
    bool holds = strcasestr(narrow, wanted) != NULL;
    free(narrow);
    free(wanted);
    return holds;
}

static bool catalog_wanted(const lab_header *l, const char *only) {
    char chapter[16];
    snprintf(chapter, sizeof chapter, "%d", l->chapter);
    if (!only || !*only || (!*l->pack && !strcmp(only, chapter))) return true;
    bool wanted = lab_list_holds(l->id, only);
    for (int lang = 0; lang < LIB_LANGS; lang++)
        wanted |= lab_list_holds(l->title[lang], only) || lab_list_holds(l->pack_title[lang], only);
    return wanted;
}

const char *lab_chapter_title(lib_lang lang, int chapter) {
    static const lib_word_id titles[] = {W_LESSON_CHAPTER_1, W_LESSON_CHAPTER_2, W_LESSON_CHAPTER_3,
                                         W_LESSON_CHAPTER_4, W_LESSON_CHAPTER_5, W_LESSON_CHAPTER_6,
                                         W_LESSON_CHAPTER_7, W_LESSON_CHAPTER_8, W_LESSON_CHAPTER_9,
                                         W_LESSON_CHAPTER_10};
    return lib_word(lang,
                    chapter >= 1 && chapter <= 10 ? titles[chapter - 1] : W_LESSON_CHAPTER_OTHER);
}

/* " x hello Who is there? 15 min". The labs that it builds on are on the next line, unless the only
 * one is the lab above. */
static void catalog_row(text_out *o, lib_lang lang, const lab_header *l, const lab_header *above,
                        char mark, text_style style, bool here) {
    text_put(o, style, " %c ", mark);
    const char *id = strchr(l->id, '/'); /* the pack's name is above */
    text_cell(o, here ? TEXT_STRONG : TEXT_CODE, ID_COLUMNS, "%s", id ? id : l->id);
    text_put(o, TEXT_PLAIN, " ");
    if (l->broken) {
        text_hang_words(o, TEXT_BAD, 4 + ID_COLUMNS, lang, w_lesson_list_broken(&l->why));
        return;
    }
    text_cell(o, TEXT_PLAIN, o->width - 1 - 4 - ID_COLUMNS - MINUTES_COLUMNS, "%s", l->title[lang]);
    char minutes[32], needs[512] = "";
    lib_words_text(minutes, sizeof minutes, lang, w_lesson_list_minutes(l->minutes));
    text_cell(o, TEXT_DIM, -MINUTES_COLUMNS, "%s", minutes);
    text_put(o, TEXT_PLAIN, "\n");
    if (!l->need_count || (l->need_count == 1 && above && !strcmp(l->needs[0], above->id))) return;
    for (size_t k = 0; k < l->need_count; k++) {
        size_t used = strlen(needs);
        snprintf(needs + used, sizeof needs - used, "%s%s",
                 k ? lib_word(lang, W_TERM_LIST_COMMA) : "", l->needs[k]);
    }
    text_words(o, TEXT_DIM, 4 + ID_COLUMNS, lang, w_lesson_list_after(needs));
}

size_t lab_list_show(text_out *o, lib_lang lang, const char *root, progress *p, const char *here,
                     const char *only) {
    lab_header *h;
    size_t n = lab_list(root, &h), shown = 0;
    int chapter = -1;
    const char *pack = "";
    char next[LAB_ID_MAX];
    lab_list_next(root, p, here, next, sizeof next);
    for (size_t i = 0; i < n; i++) {
        if (!catalog_wanted(&h[i], only)) continue;
        bool other = strcmp(pack, h[i].pack) != 0,
             first = !shown++ || other || (!*h[i].pack && h[i].chapter != chapter);
        chapter = h[i].chapter;
        pack = h[i].pack;
        if (first && *pack) text_line(o, TEXT_TITLE, 0, "%s  %s", pack, h[i].pack_title[lang]);
        else if (first)
            text_line(o, TEXT_TITLE, 0, "%d  %s", chapter, lab_chapter_title(lang, chapter));
        progress_lab was;
        progress_get(p, h[i].id, &was);
        bool due = !strcmp(next, h[i].id);
        char mark = was.passed ? 'x' : due ? '*' : was.started ? '>' : '-';
        text_style style = was.passed ? TEXT_GOOD : due || was.started ? TEXT_WARN : TEXT_DIM;
        catalog_row(o, lang, &h[i], first || !i ? NULL : &h[i - 1], mark, style,
                    here && !strcmp(here, h[i].id));
    }
    if (shown) text_line(o, TEXT_DIM, 0, "%s", lib_word(lang, W_LESSON_LIST_KEY));
    free(h);
    return shown;
}
