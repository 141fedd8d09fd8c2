/* Links PTX by its text.
 *
 *   unit --statements at module level (a word, a name, its end)--> names: which unit defines which
 *        --again, token by token--> renamed, files renumbered, weak copies and headers dropped
 *        --> one text
 *
 * It reads only comments, strings, words and braces. The parser later checks that the result is
 * PTX. */
#include "runner/device/sim/load/link.h"
#include "runner/base/message.h"
#include "words/module.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at;
    size_t len;
    /* 'w' word, '.' directive, 'n' number, 's' string, otherwise the character; 0: the end */
    char kind;
} link_token;

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Skips blanks and comments. */
static const char *skip_blank(const char *p) {
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else return p;
    }
}
static link_token next_token(const char *p) {
    link_token t = {.at = skip_blank(p)};
    const char *q = t.at;
    if (!*q) return t;
    if (*q == '"') {
        for (q++; *q && *q != '"'; q++)
            if (*q == '\\' && q[1]) q++;
        q += *q == '"';
        t.kind = 's';
    } else if (*q == '.' && word_char(q[1])) {
        for (q++; word_char(*q) || *q == ':'; q++) {
        }
        t.kind = '.';
    } else if (word_char(*q)) {
        t.kind = isdigit((unsigned char)*q) ? 'n' : 'w';
        while (word_char(*q)) q++;
    } else {
        t.kind = *q++;
    }
    t.len = (size_t)(q - t.at);
    return t;
}
static bool is(const link_token *t, const char *text) {
    return t->len == strlen(text) && !memcmp(t->at, text, t->len);
}

/* ---- statements at module level */

typedef enum { LINK_LOCAL, LINK_VISIBLE, LINK_WEAK, LINK_EXTERN } linkage;
typedef struct {
    const char *from, *end;
    const char *cut; /* where the body or the initial value begins; NULL: it has neither */
    link_token name; /* name of the function or the first variable; len 0: it declares nothing */
    linkage how;
    bool function, entry, body, header; /* header: .version and the like */
} statement;

/* At '(' or '{': returns the position after the one that closes it. */
static const char *skip_group(const char *p, char open, char close) {
    unsigned depth = 0;
    for (;;) {
        link_token t = next_token(p);
        if (!t.kind) return t.at;
        p = t.at + t.len;
        if (t.kind == open) depth++;
        if (t.kind == close && !--depth) return p;
    }
}
/* These end with their line: .version 9.0, .target sm_90, debug, .address_size 64, .file 1 "a",
 * .loc. */
static bool ends_with_line(const link_token *t) {
    return is(t, ".version") || is(t, ".target") || is(t, ".address_size") || is(t, ".file") ||
           is(t, ".loc");
}
/* Returns false at the end of the text. */
static bool next_statement(const char *p, statement *s) {
    link_token t = next_token(p);
    *s = (statement){.from = t.at};
    if (!t.kind) return false;
    if (ends_with_line(&t)) {
        s->header = !is(&t, ".file") && !is(&t, ".loc");
        s->end = t.at + strcspn(t.at, "\n");
        return true;
    }
    bool variable = false;
    for (; t.kind; t = next_token(p)) {
        p = t.at + t.len;
        if (is(&t, ".extern")) s->how = LINK_EXTERN;
        if (is(&t, ".visible")) s->how = LINK_VISIBLE;
        if (is(&t, ".weak") || is(&t, ".common")) s->how = LINK_WEAK;
        if (is(&t, ".func")) s->function = true;
        if (is(&t, ".entry")) s->function = s->entry = true;
        variable |= is(&t, ".global") || is(&t, ".const") || is(&t, ".shared") || is(&t, ".tex");
        if (t.kind == '(') p = skip_group(t.at, '(', ')');
        if (t.kind == 'w' && !s->name.len && (s->function || variable)) s->name = t;
        if ((t.kind == '{' || t.kind == '=') && !s->cut) s->cut = t.at;
        if (t.kind == '{') {
            p = skip_group(t.at, '{', '}');
            s->body = true;
            if (s->function || !variable) break; /* otherwise an initialiser, then a ';' */
        }
        if (t.kind == ';') break;
    }
    s->end = p;
    return true;
}

/* ---- names */

typedef struct {
    const char *at;
    size_t len;
    size_t unit;  /* the unit that defines it, plus 1; 0: only declared */
    linkage how;  /* linkage of its definition */
    bool clashes; /* another unit has the name, too */
} link_name;
typedef struct {
    link_name *at; /* hash table; its size is a power of two, at most half of it is full */
    size_t room, count;
} link_names;

static link_name *name_find(const link_names *n, const char *at, size_t len) {
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < len; k++) h = (h ^ (unsigned char)at[k]) * 1099511628211u;
    for (size_t k = (size_t)(h ^ h >> 32) & (n->room - 1);; k = (k + 1) & (n->room - 1))
        if (!n->at[k].at || (n->at[k].len == len && !memcmp(n->at[k].at, at, len)))
            return &n->at[k];
}
static link_name *name_add(link_names *n, const link_token *t) {
    if (2 * (n->count + 1) > n->room) {
        link_names more = {.room = n->room ? n->room * 2 : 1024};
        more.at = calloc(more.room, sizeof *more.at);
        if (!more.at) return NULL;
        for (size_t k = 0; k < n->room; k++)
            if (n->at[k].at) *name_find(&more, n->at[k].at, n->at[k].len) = n->at[k];
        more.count = n->count;
        free(n->at);
        *n = more;
    }
    link_name *x = name_find(n, t->at, t->len);
    if (!x->at) {
        *x = (link_name){.at = t->at, .len = t->len};
        n->count++;
    }
    return x;
}
static bool defines(const statement *s) {
    return s->name.len && s->how != LINK_EXTERN && (!s->function || s->body);
}
static bool hidden(const statement *s) {
    return s->how == LINK_LOCAL && !s->entry;
}

/* A unit sees its own hidden definition of a name, otherwise the common one. */
static sim_status gather(char *const *text, size_t count, link_names *all, link_names *own,
                         lib_message *msg) {
    statement s;
    for (size_t u = 0; u < count; u++)
        for (const char *p = text[u]; next_statement(p, &s); p = s.end) {
            if (!s.name.len) continue;
            link_name *mine = name_add(&own[u], &s.name);
            if (!mine) return SIM_NOMEM;
            if (hidden(&s)) mine->unit = u + 1;
            if (hidden(&s) && !defines(&s)) continue;
            link_name *x = name_add(all, &s.name);
            if (!x) return SIM_NOMEM;
            x->clashes |= x->unit && x->unit != u + 1;
            if (!defines(&s)) continue;
            bool both = x->unit && x->unit != u + 1 && !hidden(&s) && x->how == LINK_VISIBLE;
            if (both && s.how == LINK_VISIBLE) {
                char name[301];
                snprintf(name, sizeof name, "%.*s", (int)(x->len < 300 ? x->len : 300), x->at);
                lib_message_set(msg, w_module_defined_twice(name));
                return SIM_BAD_PTX;
            }
            /* a strong definition wins over weak ones; otherwise the first wins */
            bool better =
                !x->unit || x->how == LINK_LOCAL || (x->how == LINK_WEAK && s.how == LINK_VISIBLE);
            if (better && (!hidden(&s) || !x->unit)) x->unit = u + 1, x->how = s.how;
        }
    return SIM_OK;
}

/* ---- writing */

typedef struct {
    FILE *to;
    size_t unit;
    const link_names *all, *own;
    /* files: added to numbers of files; most: the largest number written for this unit */
    unsigned files, most;
} link_writer;

static void write_word(link_writer *w, const link_token *t) {
    fwrite(t->at, 1, t->len, w->to);
    const link_name *mine = name_find(w->own, t->at, t->len);
    if (!mine->at || !mine->unit) return;
    const link_name *x = name_find(w->all, t->at, t->len);
    if (x->at && (x->clashes || (x->unit && x->unit != w->unit + 1)))
        fprintf(w->to, "$u%zu", w->unit);
}
static void write_part(link_writer *w, const char *p, const char *end) {
    bool number = false; /* the next number is a file's */
    for (;;) {
        link_token t = next_token(p);
        if (!t.kind || t.at >= end) break;
        fwrite(p, 1, (size_t)(t.at - p), w->to);
        p = t.at + t.len;
        if (t.kind == 'w' && *t.at != '%') write_word(w, &t);
        else if (t.kind == 'n' && number) {
            unsigned n = w->files + (unsigned)strtoul(t.at, NULL, 10);
            if (n > w->most) w->most = n;
            fprintf(w->to, "%u", n);
        } else fwrite(t.at, 1, t.len, w->to);
        if (t.kind != ' ') number = is(&t, ".file") || is(&t, ".loc") || is(&t, "inlined_at");
    }
    fwrite(p, 1, p < end ? (size_t)(end - p) : 0, w->to);
    fputc('\n', w->to);
}
/* Writes a declaration of something that another unit defines. */
static void write_declaration(link_writer *w, const statement *s) {
    const char *weak = strstr(s->from, ".weak"), *end = s->cut ? s->cut : s->end - 1;
    if (s->entry || !weak || weak > end) return;
    fwrite(s->from, 1, (size_t)(weak - s->from), w->to);
    fputs(".extern", w->to);
    write_part(w, weak + strlen(".weak"), end);
    fputs(";\n", w->to);
}
/* 9.0 of .version, 90 of .target sm_90, a bit more than 90 of sm_90a, as numbers to compare. */
static unsigned long newness(const statement *s) {
    const char *p = s->from;
    while (p < s->end && !isdigit((unsigned char)*p)) p++;
    char *end;
    unsigned long n = strtoul(p, &end, 10) * 1000;
    return *end == '.' ? n + strtoul(end + 1, NULL, 10) : n + (isalpha((unsigned char)*end) != 0);
}
/* Returns the newest of the statements that begin with the same word in all units: the result is as
 * new as its newest unit. */
static statement newest(char *const *text, size_t count, const statement *like) {
    statement best = *like, s;
    link_token word = next_token(like->from);
    for (size_t u = 0; u < count; u++)
        for (const char *p = text[u]; next_statement(p, &s) && s.header; p = s.end) {
            link_token t = next_token(s.from);
            if (t.len == word.len && !memcmp(t.at, word.at, t.len) && newness(&s) > newness(&best))
                best = s;
        }
    return best;
}
static void write_unit(link_writer *w, char *const *text, size_t count) {
    statement s;
    for (const char *p = text[w->unit]; next_statement(p, &s); p = s.end) {
        if (s.header && w->unit) continue;
        if (s.header) {
            statement best = newest(text, count, &s);
            write_part(w, best.from, best.end);
            continue;
        }
        const link_name *x = s.name.len ? name_find(w->all, s.name.at, s.name.len) : NULL;
        if (defines(&s) && !hidden(&s) && x->unit != w->unit + 1) { /* a weak copy */
            write_declaration(w, &s);
            continue;
        }
        write_part(w, s.from, s.end);
    }
    w->files = w->most;
}

sim_status sim_link_ptx(char *const *text, size_t count, char **out, size_t *out_len,
                        lib_message *msg) {
    lib_message unused;
    if (!msg) msg = &unused;
    *msg = (lib_message){0};
    *out = NULL;
    link_names all = {0}, *own = calloc(count + 1, sizeof *own);
    const link_token none = {.at = "", .len = 0};
    sim_status e = own && name_add(&all, &none) ? SIM_OK : SIM_NOMEM;
    for (size_t u = 0; !e && u < count; u++)
        if (!name_add(&own[u], &none)) e = SIM_NOMEM;
    if (!e) e = gather(text, count, &all, own, msg);
    link_writer w = {.all = &all, .to = e ? NULL : open_memstream(out, out_len)};
    if (!e && !w.to) e = SIM_NOMEM;
    for (size_t u = 0; !e && u < count; u++) {
        w.unit = u, w.own = &own[u];
        write_unit(&w, text, count);
    }
    if (w.to && fclose(w.to)) e = SIM_NOMEM;
    for (size_t u = 0; own && u < count; u++) free(own[u].at);
    free(own);
    free(all.at);
    if (!e) return SIM_OK;
    if (!lib_message_any(msg)) lib_message_set(msg, w_module_no_memory_to_link());
    free(*out);
    *out = NULL;
    return e;
}
