/* `warplab certificate`: makes a page or PDF of what was passed. `--verify` checks such a page
 * (practice/certificate.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/practice/certificate.h"
#include "runner/term/i18n.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

typedef struct {
    const char *name, *html, *pdf, *key, *verify;
    lib_lang lang;
} certificate_args;

static int write_both(const certificate_args *a, const json_t *c) {
    lib_message msg = {0};
    size_t n = 0;
    char *html = certificate_html(c), *pdf = certificate_pdf(c, &n);
    const char *page = a->html ? a->html : a->pdf ? NULL : "certificate.html";
    bool ok = (!page || lib_write_file(page, html, strlen(html), &msg)) &&
              (!a->pdf || lib_write_file(a->pdf, pdf, n, &msg));
    free(html);
    free(pdf);
    if (!ok) return cli_say(CLI_ERROR, &msg);
    if (page && strcmp(page, "-") != 0) lib_print(stdout, "%s\n", page);
    if (a->pdf && strcmp(a->pdf, "-") != 0) lib_print(stdout, "%s\n", a->pdf);
    return CLI_PASSED;
}

static int make_certificate(const certificate_args *a, progress *p, const exam_key *key) {
    lib_message msg = {0};
    char name[128];
    certificate_usual_name(name, sizeof name);
    const lib_paths *paths = lib_paths_get(&msg);
    json_t *c = paths ? certificate_make(paths->root, p, a->name ? a->name : name, key, a->lang,
                                         (int64_t)time(NULL), &msg)
                      : NULL;
    if (!c) return cli_say(CLI_FAILED, &msg);
    int status = write_both(a, c);
    json_decref(c);
    return status;
}

/* A certificate is right if it is unchanged, and if a key or this machine's record confirms it. */
static int verify_certificate(const certificate_args *a, progress *p, const exam_key *key) {
    lib_message msg = {0};
    certificate_checked k;
    size_t n;
    char *bytes = lib_read_file(a->verify, CERTIFICATE_BYTES, &n, &msg);
    bool is = bytes && certificate_check(bytes, n, key, p, &k, &msg);
    free(bytes);
    if (!is) return cli_fail(CLI_ERROR, w_cli_about(a->verify, &msg));
    const char *name = json_string_value(json_object_get(k.json, "name"));
    bool all = k.labs && k.in_record == k.labs;
    lib_words_print(stdout, a->lang, w_cli_cert_of(name ? name : "?", k.labs));
    lib_print(stdout, "\n%s\n",
              lib_word(a->lang, k.intact ? W_CLI_CERT_INTACT : W_CLI_CERT_EDITED));
    if (key)
        lib_print(stdout, "%s\n",
                  lib_word(a->lang, k.key_own   ? W_CLI_CERT_KEY_OWN
                                    : k.signed_ ? W_CLI_CERT_KEY_OTHER
                                                : W_CLI_CERT_KEY_NONE));
    else if (k.signed_) lib_print(stdout, "%s\n", lib_word(a->lang, W_CLI_CERT_KEY_WANTED));
    lib_words_print(stdout, a->lang, w_cli_cert_record(k.in_record, k.labs));
    lib_print(stdout, "\n");
    json_decref(k.json);
    return k.intact && (key ? k.key_own : all) ? CLI_PASSED : CLI_FAILED;
}

int cmd_certificate(int argc, char **argv) {
    certificate_args a = {0};
    const cli_option options[] = {{.name = "name", .value = &a.name},
                                  {.name = "html", .value = &a.html},
                                  {.name = "pdf", .value = &a.pdf},
                                  {.name = "key", .value = &a.key},
                                  {.name = "verify", .value = &a.verify},
                                  {.name = "lang", .lang = &a.lang},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_message msg = {0};
    exam_key key;
    if (status >= 0) return status;
    if (argc > 1 || (a.verify && (a.name || a.html || a.pdf)))
        return cli_fail(CLI_USAGE, w_cli_usage_certificate());
    if (a.key && !exam_key_read(a.key, &key, &msg)) return cli_say(CLI_ERROR, &msg);
    progress *p = progress_open(NULL);
    status = a.verify ? verify_certificate(&a, p, a.key ? &key : NULL)
                      : make_certificate(&a, p, a.key ? &key : NULL);
    progress_close(p);
    return status;
}
