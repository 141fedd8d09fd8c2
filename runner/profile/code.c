/* See code.h. */
#include "runner/base/say.h"
#include "runner/profile/code.h"
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "words/profile.h"

/* Returns a copy of the file's name that lives as long as the kernel; the module's own name may be
 * freed earlier. */
static const char *kept_file(profile_kernel *k, const char *file) {
    for (size_t i = k->file_count; i--;)
        if (!strcmp(k->files[i], file)) return k->files[i];
    if (!lib_grow_one(&k->files, k->file_count, sizeof *k->files)) abort();
    return k->files[k->file_count++] = lib_strdup(file);
}

/* Of launches that were not executed as machine code it has nothing. */
static void add_executions(profile_kernel *k, const sim_result *s) {
    if (!s->machine) return;
    if (k->machine) {
        sim_machine_counts_add(k->machine, k->machine_count, s->machine, s->machine_count);
        return;
    }
    k->machine_count = s->machine_count;
    k->machine = lib_malloc((s->machine_count + 1) * sizeof *k->machine);
    memcpy(k->machine, s->machine, s->machine_count * sizeof *k->machine);
}

void profile_code_add(profile_kernel *k, const dev_record *l) {
    const sim_result *s = l->result;
    if (!s->ptx || !l->info) return;
    if (!k->ptx || !strcmp(k->name, l->info->name)) add_executions(k, s);
    if (k->ptx) {
        if (!strcmp(k->name, l->info->name))
            listing_add(k->ptx, k->ptx_count, s->ptx, s->ptx_count);
        return;
    }
    k->name = lib_strdup(l->info->name);
    k->ptx = lib_malloc((s->ptx_count + 1) * sizeof *k->ptx);
    k->ptx_count = s->ptx_count;
    for (size_t i = 0; i < s->ptx_count; i++) {
        k->ptx[i] = s->ptx[i];
        k->ptx[i].file = kept_file(k, s->ptx[i].file ? s->ptx[i].file : "");
    }
}

void profile_code_free(profile_kernel *k) {
    for (size_t i = 0; i < k->file_count; i++) free(k->files[i]);
    free(k->files);
    free(k->ptx);
    free(k->machine);
    free(k->name);
}

typedef struct {
    char *file, *text;
} source_file;

/* For listing_source: the files are where the compiler found them. */
static char *source_line(void *user, const char *file, unsigned line) {
    source_file *s = user;
    if (!s->file || strcmp(s->file, file)) {
        free(s->file);
        free(s->text);
        s->file = lib_strdup(file);
        s->text = lib_read_file(file, 4 << 20, NULL, NULL);
    }
    const char *at = s->text;
    for (unsigned i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    if (!at) return NULL;
    at += strspn(at, " \t");
    return lib_format("%.*s", (int)strcspn(at, "\r\n"), at);
}

/* Opens the code when it is first needed. The page also shows machine code if there is a
 * disassembler. */
static const listing_code *code_of(profile_report *r) {
    if (r->code || r->no_code || !r->program) return r->code;
    lib_message msg = {0};
    r->code = listing_open(r->program, r->arch, r->sass || r->page, &msg);
    r->no_code = !r->code;
    const lib_message *why = r->code ? listing_why(r->code) : &msg;
    if (lib_message_any(why) && (r->sass || r->no_code)) {
        lib_words_print(stderr, r->lang, lib_message_words(why));
        fputc('\n', stderr);
    }
    return r->code;
}

listing *profile_listing(profile_report *r, const profile_kernel *k) {
    const listing_code *c = k->ptx ? code_of(r) : NULL;
    if (!c) return NULL;
    source_file s = {0};
    lib_message why = {0};
    if (!r->sass) lib_message_set(&why, w_profile_without_sass());
    listing *l = listing_of(c,
                            &(listing_kernel){.kernel = k->kernel,
                                              .name = k->name,
                                              .ptx = k->ptx,
                                              .ptx_count = k->ptx_count,
                                              .machine = k->machine,
                                              .machine_count = k->machine_count,
                                              .machine_why = k->by_counters_why ? k->by_counters_why
                                                             : r->sass          ? NULL
                                                                                : &why},
                            source_line, &s);
    free(s.file);
    free(s.text);
    return l;
}

void profile_print_code(FILE *to, profile_report *r) {
    text_out out;
    text_out_init(&out, to);
    out.height = 0;
    for (size_t i = 0; i < r->kernel_count; i++) {
        listing *l = profile_listing(r, &r->kernels[i]);
        if (!l) continue;
        text_put(&out, TEXT_PLAIN, "\n");
        bool machine = r->sass && l->machine_count > 0;
        if (r->ptx || machine) listing_print(&out, r->lang, l, r->ptx, machine);
        listing_free(l);
    }
}
