/* Loads labs from lesson files, and answers questions about them that need no Lua. See lab.h (what
 * a lab is) and lua_lesson.h (what each file does).
 *
 *   lab_load: file --lesson_lua_run--> table --lesson_lua_read--> lab --grade_lab_check--> ready */
#include "runner/lesson/lab.h"
#include "grader/rng.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/word.h"
#include "runner/term/text.h"
#include "runner/lesson/facts.h"
#include "runner/lesson/lua_lesson.h"
#include "runner/lesson/pack.h"
#include "runner/term/number.h"
#include "words/lesson.h"

enum { LESSON_BYTES = 1 << 20 };

/* ---- loading ---- */

static void free_expressions(const grade_lab *g) {
    for (size_t i = 0; i < g->arg_count; i++) {
        const grade_arg *a = &g->args[i];
        grade_expr *all[] = {a->count, a->value, a->lo_expr, a->hi_expr, a->ops, a->row};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) grade_expr_free(all[k]);
    }
}

lab *lab_hold(lab *l) {
    l->holds++;
    return l;
}

void lab_free(lab *l) {
    if (!l || l->holds--) return;
    free_expressions(&l->grade);
    for (const lab_program *p = l->programs; p; p = p->next) free_expressions(&p->lab);
    lesson_state_free(l->state);
    free(l);
}

static bool facts_known(const lab *l, const char *file, lib_message *msg) {
    if (!l->taught_count) return true;
    lab_facts f;
    bool ok = lab_facts_read(l->root, &f, msg);
    for (size_t i = 0; ok && i < l->taught_count; i++) {
        ok = lab_facts_find(&f, l->taught[i].fact) != NULL;
        if (!ok) lib_message_set(msg, w_lesson_no_fact(file, l->taught[i].fact));
    }
    lab_facts_free(&f);
    return ok;
}

/* The owner of a lab, from its id: LAB or PACK/LAB. */
typedef struct {
    char *folder; /* contains labs/ */
    char pack[LAB_PACK_MAX];
    const char *name; /* the part after PACK/ */
} lab_place;

static bool lab_find_place(const char *root, const char *id, lab_place *p) {
    const char *slash = strchr(id, '/');
    *p = (lab_place){.name = slash ? slash + 1 : id};
    if (strlen(id) >= LAB_ID_MAX || !lib_lab_id_valid(p->name)) return false;
    if (slash) {
        size_t n = (size_t)(slash - id);
        if (!n || n >= sizeof p->pack) return false;
        memcpy(p->pack, id, n);
        if (!lib_lab_id_valid(p->pack)) return false;
    }
    p->folder = slash ? pack_folder(p->pack) : lib_strdup(root);
    return true;
}

/* In a pack, `needs` names a lab of the pack or otherwise one of Warplab's; or PACK/LAB. */
static void own_needs(lab *l, const char *pack) {
    const char **needs = lesson_alloc(l->state, (l->need_count + 1) * sizeof *needs);
    for (size_t i = 0; i < l->need_count; i++) {
        char *file = lib_format("%s/labs/%s.lua", l->root, l->needs[i]),
             *full = lib_format("%s/%s", pack, l->needs[i]);
        bool own = !strchr(l->needs[i], '/') && lib_is_file(file);
        needs[i] = own ? lesson_strdup(l->state, full) : l->needs[i];
        free(full);
        free(file);
    }
    l->needs = needs;
}

static void set_paths(lab *l, const lab_place *at) {
    const char *root = at->folder, *name = at->name;
    snprintf(l->root, sizeof l->root, "%s", root);
    snprintf(l->lesson_path, sizeof l->lesson_path, "%s/labs/%s.lua", root, name);
    snprintf(l->skeleton_path, sizeof l->skeleton_path, "%s/labs/%s.cu", root, name);
    snprintf(l->baseline_path, sizeof l->baseline_path, "%s/kernels/%s.cu", root, name);
    snprintf(l->answer_path, sizeof l->answer_path, "%s/answers/%s.cu", root, name);
    snprintf(l->traps_dir, sizeof l->traps_dir, "%s/answers/traps/%s", root, name);
    if (!*at->pack) return;
    snprintf(l->id, sizeof l->id, "%.24s/%.38s", at->pack, name);
    l->grade.home = l->root;
    l->grade.untrusted = !pack_is_linked(at->pack);
}

/* Finds the field for a message of the grader, which knows no lesson. */
static const char *field_of(const char *message) {
    return strstr(message, ", case ")       ? "args"
           : strstr(message, "the range '") ? "hidden"
                                            : "goals";
}

bool lab_changed(lab *l) {
    struct stat now;
    struct timespec was = l->written;
    if (stat(l->lesson_path, &now)) return false;
    l->written = now.st_mtim;
    return was.tv_sec != now.st_mtim.tv_sec || was.tv_nsec != now.st_mtim.tv_nsec;
}

static lab *lab_read_at(const lab_place *at, bool header_only, lib_message *msg) {
    lib_message ignored;
    if (!msg) msg = &ignored;
    *msg = (lib_message){0};
    lab *l = calloc(1, sizeof *l);
    if (!l) abort();
    snprintf(l->id, sizeof l->id, "%s", at->name);
    set_paths(l, at);
    l->only = *at->pack ? pack_language(at->folder) : LAB_BOTH;
    size_t n = 0;
    lab_changed(l); /* before reading, so that a change during the reading is noticed later */
    char *text = lib_read_file(l->lesson_path, LESSON_BYTES, &n, msg);
    if (!text) {
        free(l);
        return NULL;
    }
    char name[96];
    snprintf(name, sizeof name, "%s%slabs/%s.lua", at->pack, *at->pack ? "/" : "", at->name);
    size_t wrong = lib_not_utf8(text, n);
    if (wrong) lib_message_set(msg, w_lesson_file_no_utf_8(name, wrong));
    else l->state = lesson_state_new(name, msg);
    bool ok = l->state && lesson_lua_run(l->state, text, n, "lab", msg) &&
              lesson_lua_read(l->state, l, header_only, msg);
    free(text);
    lib_message m = {0};
    if (ok && *at->pack) own_needs(l, at->pack);
    if (ok && !header_only && !grade_lab_check(&l->grade, &m)) {
        char why[1024];
        const char *field = field_of(lib_message_text(why, sizeof why, LIB_EN, &m));
        lib_message_set(msg, w_lesson_at_line(name, lesson_line(l->state, 1, field), &m));
        ok = false;
    }
    if (ok && !header_only) ok = facts_known(l, name, msg);
    if (ok) return l;
    lab_free(l);
    return NULL;
}

static lab *lab_read(const char *root, const char *id, bool header_only, lib_message *msg) {
    lab_place at;
    if (!lab_find_place(root, id, &at)) {
        lib_message_set(msg, w_lesson_no_lab_id(id));
        return NULL;
    }
    lab *l = lab_read_at(&at, header_only, msg);
    free(at.folder);
    return l;
}

lab *lab_load(const char *root, const char *id, lib_message *msg) {
    return lab_read(root, id, false, msg);
}

lab *lab_load_from(const char *folder, const char *pack, const char *id, lib_message *msg) {
    lab_place at = {.folder = (char *)folder, .name = id};
    snprintf(at.pack, sizeof at.pack, "%s", pack);
    return lab_read_at(&at, false, msg);
}

bool lab_exists(const char *root, const char *id) {
    lab_place at;
    if (!lab_find_place(root, id, &at)) return false;
    char *path = lib_format("%s/labs/%s.lua", at.folder, at.name);
    bool is = lib_is_file(path);
    free(path);
    free(at.folder);
    return is;
}

/* ---- the list ---- */

typedef void (*id_visitor)(void *user, const char *id);

/* Calls fn for each labs/ID.lua of a folder, with `pack` before the id. */
static void each_in(const char *folder, const char *pack, id_visitor fn, void *user) {
    char *path = lib_path_join(folder, "labs");
    DIR *d = opendir(path);
    free(path);
    size_t before = *pack ? strlen(pack) + 1 : 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        char id[LAB_ID_MAX];
        if (n <= 4 || n - 4 + before >= sizeof id || strcmp(e->d_name + n - 4, ".lua") != 0)
            continue;
        snprintf(id, sizeof id, "%s%s%.*s", pack, before ? "/" : "", (int)(n - 4), e->d_name);
        if (lib_lab_id_valid(id + before)) fn(user, id);
    }
    if (d) closedir(d);
}

/* Calls fn for every lab, also those of packs. */
static void each_id(const char *root, id_visitor fn, void *user) {
    size_t n;
    char **packs = pack_names(&n);
    each_in(root, "", fn, user);
    for (size_t i = 0; i < n; i++) {
        char *folder = pack_folder(packs[i]);
        each_in(folder, packs[i], fn, user);
        free(folder);
    }
    lib_lab_names_free(packs, n);
}

typedef struct {
    const char *root;
    lab_header *v;
    size_t n, cap;
    char name[LAB_PACK_MAX]; /* the pack whose pack.lua was read last */
    lab_pack *pack;          /* NULL: does not load */
} header_list;

static void header_pack(header_list *list, lab_header *h) {
    const char *slash = strchr(h->id, '/');
    if (!slash) return;
    snprintf(h->pack, sizeof h->pack, "%.*s", (int)(slash - h->id), h->id);
    if (strcmp(list->name, h->pack) != 0) {
        char *folder = pack_folder(h->pack);
        lib_message ignored;
        free(list->pack);
        list->pack = pack_read(folder, &ignored);
        snprintf(list->name, sizeof list->name, "%s", h->pack);
        free(folder);
    }
    for (int i = 0; i < LIB_LANGS; i++)
        SAY(h->pack_title[i], "%s", list->pack ? list->pack->title[i] : h->pack);
    for (size_t i = 0; list->pack && i < list->pack->lab_count; i++)
        if (!strcmp(list->pack->labs[i].id, slash + 1))
            h->place = i < list->pack->ordered ? i : list->pack->ordered;
}

static void add_header(void *user, const char *id) {
    header_list *list = user;
    if (!lib_grow(&list->v, &list->cap, list->n, sizeof *list->v, 32)) abort();
    lab_header *h = &list->v[list->n++];
    *h = (lab_header){.chapter = 99};
    snprintf(h->id, sizeof h->id, "%s", id);
    header_pack(list, h);
    lib_message msg;
    lab *l = lab_read(list->root, id, true, &msg);
    if (!l) {
        h->broken = true;
        h->why = msg;
        for (int i = 0; i < LIB_LANGS; i++) snprintf(h->title[i], sizeof h->title[i], "%s", id);
        return;
    }
    h->chapter = l->chapter;
    h->minutes = l->minutes;
    h->quiz = l->quiz;
    h->folder = l->grade.file_count > 0;
    for (int i = 0; i < LIB_LANGS; i++)
        snprintf(h->title[i], sizeof h->title[i], "%s", l->title.text[i]);
    for (size_t i = 0; i < l->need_count && h->need_count < 8; i++)
        snprintf(h->needs[h->need_count++], sizeof h->needs[0], "%s", l->needs[i]);
    for (size_t i = 0; i < l->grade.goal_count; i++) h->points += l->grade.goals[i].points;
    lab_free(l);
}

static int header_by_chapter(const void *a, const void *b) {
    const lab_header *x = a, *y = b;
    int pack = strcmp(x->pack, y->pack); /* "" comes first */
    if (pack) return pack;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->chapter != y->chapter ? (x->chapter > y->chapter) - (x->chapter < y->chapter)
                                    : strcmp(x->id, y->id);
}

static bool header_needs(const lab_header *h, const char *id) {
    for (size_t i = 0; i < h->need_count; i++)
        if (!strcmp(h->needs[i], id)) return true;
    return false;
}

/* Returns whether two labs have the same chapter, or the same place in a pack's order. */
static bool beside(const lab_header *x, const lab_header *y) {
    return x->chapter == y->chapter && x->place == y->place && !strcmp(x->pack, y->pack);
}

size_t lab_list(const char *root, lab_header **out) {
    header_list list = {.root = root};
    each_id(root, add_header, &list);
    free(list.pack);
    if (list.n) qsort(list.v, list.n, sizeof *list.v, header_by_chapter);
    /* Within a chapter, move a lab behind the labs that it needs. If they form a circle, this ends
     * after n rounds. */
    for (size_t round = 0, moved = 1; moved && round < list.n; round++) {
        moved = 0;
        for (size_t i = 0; i < list.n; i++)
            for (size_t j = list.n - 1; j > i; j--)
                if (beside(&list.v[j], &list.v[i]) && header_needs(&list.v[i], list.v[j].id)) {
                    lab_header h = list.v[i];
                    memmove(&list.v[i], &list.v[i + 1], (j - i) * sizeof h);
                    list.v[j] = h;
                    moved = 1;
                    break;
                }
    }
    *out = list.v;
    return list.n;
}

typedef struct {
    const char *id;
    char best[3][LAB_ID_MAX];
    unsigned distance[3];
} near_ids;

static void suggest_consider(void *user, const char *id) {
    near_ids *s = user;
    unsigned d = lib_distance(id, s->id);
    if (!strncmp(id, s->id, strlen(s->id)) || strstr(id, s->id)) d = 1;
    for (int i = 0; i < 3; i++)
        if (d < s->distance[i]) {
            memmove(&s->distance[i + 1], &s->distance[i], (size_t)(2 - i) * sizeof s->distance[0]);
            memmove(s->best[i + 1], s->best[i], (size_t)(2 - i) * sizeof s->best[0]);
            s->distance[i] = d;
            snprintf(s->best[i], sizeof s->best[i], "%s", id);
            return;
        }
}

void lab_suggest(const char *root, const char *id, char *out, size_t n) {
    unsigned limit = (unsigned)strlen(id) / 3 + 1;
    near_ids s = {.id = id, .distance = {limit + 1, limit + 1, limit + 1}};
    out[0] = 0;
    if (*id) each_id(root, suggest_consider, &s);
    for (int i = 0; i < 3 && s.best[i][0]; i++) {
        size_t used = strlen(out);
        snprintf(out + used, n - used, "%s%s", used ? "\n" : "", s.best[i]);
    }
}

typedef struct {
    const char *name;
    char all[256]; /* the labs of packs with this name */
    size_t count;
} same_name;

static void find_consider(void *user, const char *id) {
    same_name *s = user;
    const char *slash = strchr(id, '/');
    if (!slash || strcmp(slash + 1, s->name) != 0) return;
    size_t used = strlen(s->all);
    snprintf(s->all + used, sizeof s->all - used, "%s%s", s->count++ ? "\n" : "", id);
}

/* A title may be typed with narrow punctuation. */
static bool title_is(const char *title, const char *typed) {
    char *narrow = lib_strdup(title), *wanted = lib_strdup(typed);
    text_narrow(narrow);
    text_narrow(wanted);
    bool is = !strcasecmp(narrow, wanted);
    free(narrow);
    free(wanted);
    return is;
}

/* Finds a lab by its title in any language. A title is never an id: ids are one word in small
 * letters. */
static char *lab_titled(const char *root, const char *title) {
    lab_header *h;
    char *id = NULL;
    size_t n = lib_lab_id_valid(title) ? 0 : lab_list(root, &h);
    for (size_t i = 0; i < n && !id; i++)
        for (int lang = 0; lang < LIB_LANGS; lang++)
            if (!id && strlen(h[i].title[lang]) && title_is(h[i].title[lang], title))
                id = lib_strdup(h[i].id);
    if (n) free(h);
    return id;
}

char *lab_find(const char *root, const char *typed, lib_message *msg) {
    if (lab_exists(root, typed)) return lib_strdup(typed);
    char *titled = lab_titled(root, typed);
    if (titled) return titled;
    same_name s = {.name = typed};
    char near[200];
    each_id(root, find_consider, &s);
    if (s.count == 1) return lib_strdup(s.all);
    if (s.count) {
        lib_message_set(msg, w_lesson_in_packs(typed, s.all));
        return NULL;
    }
    lab_suggest(root, typed, near, sizeof near);
    if (*near) lib_message_set(msg, w_lesson_no_lab_near(typed, near));
    else lib_message_set(msg, w_lesson_no_lab(typed));
    return NULL;
}

/* ---- questions ---- */

bool lab_step_asks(const lab_step *s) {
    return s->kind == LAB_ASK || s->kind == LAB_PREDICT;
}

void lab_question_key(const lab_step *s, char key[LAB_QUESTION_KEY]) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (const char *p = s->text.text[LIB_EN]; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    snprintf(key, LAB_QUESTION_KEY, "%016llx", (unsigned long long)h);
}

/* ---- numbers drawn afresh ---- */

void lab_step_draw(const lab_step *s, uint64_t seed, lab_drawn *out) {
    out->count = out->order_count = 0;
    for (size_t i = 0; i < s->draw_count && out->count < LAB_DRAWS; i++) {
        const lab_draw *d = &s->draws[i];
        grade_rng g;
        grade_rng_seed(&g, seed, d->name);
        double u = grade_rng_uniform(&g), v;
        if (d->from_count) {
            v = d->from[(size_t)(u * (double)d->from_count)];
        } else {
            double first = ceil(d->lo / d->multiple), last = floor(d->hi / d->multiple);
            v = (first + floor(u * (last - first + 1))) * d->multiple;
        }
        out->p[out->count++] = (grade_param){d->name, v};
    }
}

void lab_step_shuffle(const lab_step *s, uint64_t seed, lab_drawn *out) {
    const lab_question *q = &s->question;
    size_t n = 0, loose[LAB_CHOICES];
    out->order_count = 0;
    if (s->kind != LAB_ASK || q->kind != LAB_ANSWER_CHOICE || q->ordered) return;
    for (size_t i = 0; i < q->choice_count; i++) {
        out->order[i] = (unsigned char)i;
        if (!q->choices[i].fixed) loose[n++] = i;
    }
    grade_rng g;
    grade_rng_seed(&g, seed, "choices");
    for (; n > 1; n--) { /* Fisher and Yates */
        size_t k = (size_t)(grade_rng_uniform(&g) * (double)n);
        unsigned char last = out->order[loose[n - 1]];
        out->order[loose[n - 1]] = out->order[loose[k]];
        out->order[loose[k]] = last;
    }
    out->order_count = q->choice_count;
}

size_t lab_choice_at(const lab_drawn *d, size_t place) {
    return d && place < d->order_count ? d->order[place] : place;
}

int lab_question_tries(const lab_question *q) {
    return q->kind == LAB_ANSWER_CHOICE && q->choice_count == 2 ? 1 : 2;
}

char *lab_text_fill(const char *text, const lab_drawn *d) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (const char *p = text; *p;) {
        bool done = false;
        for (size_t i = 0; *p == '{' && d && i < d->count && !done; i++) {
            size_t n = strlen(d->p[i].name);
            if (strncmp(p + 1, d->p[i].name, n) || p[1 + n] != '}') continue;
            lib_buffer_printf(&b, "%.10g", d->p[i].value);
            p += n + 2;
            done = true;
        }
        if (!done) lib_buffer_add(&b, p++, 1);
    }
    return b.s;
}

/* ---- calling the lesson's functions ---- */

bool lab_number_of(lab *l, int ref, const lab_drawn *d, double *out, lib_message *msg) {
    return lesson_lua_number(l->state, ref, d, -1, -1, out, msg);
}

bool lab_step_number(lab *l, const lab_step *s, const lab_drawn *d, double *out, lib_message *msg) {
    if (!s->question.answer_ref) {
        *out = s->question.number;
        return true;
    }
    return lesson_lua_number(l->state, s->question.answer_ref, d, -1, -1, out, msg);
}

bool lab_measure_params(lab *l, const lab_measure *m, const lab_drawn *d, grade_param *out,
                        size_t max, size_t *n, lib_message *msg) {
    *n = 0;
    return !m->params_ref || lesson_lua_params(l->state, m->params_ref, d, out, max, n, msg);
}

bool lab_show_model(lab *l, const lab_show *s, const lab_drawn *d, unsigned i, unsigned j,
                    double *out, lib_message *msg) {
    return lesson_lua_number(l->state, s->model_ref, d, (int)i,
                             s->picture == LAB_PIC_ROUNDS ? (int)j : -1, out, msg);
}

/* ---- judging an answer ---- */

/* Keeps only letters and digits, in lower case. A wide character counts as a letter, wide
 * punctuation does not. */
static void answer_plain(const char *s, char *out, size_t n) {
    size_t used = 0, len = strlen(s);
    for (size_t i = 0; i < len;) {
        uint32_t cp;
        size_t k = text_decode(s + i, len - i, &cp);
        if (cp >= 0xff01 && cp <= 0xff5e) cp -= 0xfee0; /* full width */
        bool keep = cp < 0x80 ? isalnum((int)cp) || cp == '%' || cp == '+' || cp == '-' ||
                                    cp == '*' || cp == '/'
                              : !(cp >= 0x3000 && cp <= 0x303f);
        if (keep && cp < 0x80 && used + 1 < n) out[used++] = (char)tolower((int)cp);
        else if (keep && cp >= 0x80 && used + k < n)
            for (size_t j = 0; j < k; j++) out[used++] = s[i + j];
        i += k;
    }
    out[used] = 0;
}

/* Reduces "chooseb", in any language, to the letter or number. */
static void without_choose(char *answer) {
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        const char *list = lib_word((lib_lang)lang, W_LESSON_CHOOSE);
        size_t n;
        for (const char *w; (w = lib_next_word(&list, &n));) {
            if (strncmp(answer, w, n) != 0 || !answer[n] || answer[n + 1]) continue;
            memmove(answer, answer + n, 2);
            return;
        }
    }
}

static bool is_form(const char *answer, const char *const *forms, size_t n) {
    char a[256], c[256];
    answer_plain(answer, a, sizeof a);
    for (size_t i = 0; i < n; i++) {
        answer_plain(forms[i], c, sizeof c);
        if (!strcmp(a, c)) return true;
    }
    return false;
}

static bool near(const lab_question *q, double v, double truth) {
    return fabs(v - truth) <= q->tolerance * fabs(truth) + 1e-9 * fabs(truth);
}

/* 1/32 is 3.125%, and 25% is 0.25. */
static bool number_near(const lab_question *q, const text_number *v, double truth) {
    bool percent = q->unit[0] == '%';
    return near(q, v->value, truth) ||
           (percent && v->share && !v->percent && near(q, 100 * v->value, truth)) ||
           (!percent && v->percent && near(q, v->value / 100, truth));
}

const lab_text *lab_step_reply(lab *l, const lab_step *s, const lab_drawn *d, const char *answer,
                               lib_message *msg) {
    const lab_question *q = &s->question;
    text_number v;
    *msg = (lib_message){0};
    for (size_t i = 0; i < q->reply_count; i++) {
        const lab_reply *p = &q->replies[i];
        double wrong = p->number;
        if (q->kind == LAB_ANSWER_TEXT) {
            if (is_form(answer, p->accept, p->accept_count)) return &p->text;
            continue;
        }
        if (text_number_read(answer, q->unit, &v) != TEXT_NUMBER_OK) return NULL;
        if (p->ref && !lesson_lua_number(l->state, p->ref, d, -1, -1, &wrong, msg)) return NULL;
        if (number_near(q, &v, wrong)) return &p->text;
    }
    return NULL;
}

int lab_question_judge(const lab_question *q, const lab_drawn *d, const char *answer, double truth,
                       int *choice) {
    if (choice) *choice = -1;
    while (*answer == ' ' || *answer == '\t') answer++;
    if (!*answer) return -1;
    if (q->kind == LAB_ANSWER_CHOICE) {
        int k = -1;
        char a[256], c[256];
        answer_plain(answer, a, sizeof a);
        without_choose(a);
        if (a[0] && !a[1] && a[0] >= 'a' && a[0] < 'a' + (int)q->choice_count) k = a[0] - 'a';
        else if (a[0] && !a[1] && a[0] >= '1' && a[0] < '1' + (int)q->choice_count) k = a[0] - '1';
        if (k >= 0) k = (int)lab_choice_at(d, (size_t)k);
        /* The text of a choice is as good as its letter. If the text is a number, it takes
         * precedence. */
        for (size_t i = 0; i < q->choice_count; i++)
            for (int lang = 0; lang < LIB_LANGS; lang++) {
                char *shown = lab_text_fill(q->choices[i].text.text[lang], d);
                answer_plain(shown, c, sizeof c);
                free(shown);
                if (a[0] && !strcmp(a, c)) k = (int)i;
            }
        if (choice) *choice = k;
        return k < 0 ? -1 : q->choices[k].right;
    }
    if (q->kind == LAB_ANSWER_TEXT) return is_form(answer, q->accept, q->accept_count);
    text_number v;
    if (text_number_read(answer, q->unit, &v) != TEXT_NUMBER_OK) return -1;
    return number_near(q, &v, truth);
}
