/* See pack.h. */
#include "runner/pack/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "grader/intake/when.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/base/scratch.h"
#include "runner/base/sha256.h"
#include "runner/pack/take.h"
#include "words/pack.h"

enum { ORIGIN_BYTES = 8192 };

void pack_done_free(pack_done *d) {
    free(d->pack);
    *d = (pack_done){0};
}

/* ---- where a pack came from: PACKS/NAME.from, "ADDRESS\nTAG\n" ---- */

static char *origin_path(const char *name) {
    char *folder = pack_folder(name), *path = lib_format("%s.from", folder);
    free(folder);
    return path;
}

static bool origin_write(const char *name, const char *from, const char *at, lib_message *msg) {
    char *path = origin_path(name), *text = lib_format("%s\n%s\n", from, at ? at : "");
    bool ok = lib_write_file(path, text, strlen(text), msg);
    free(text);
    free(path);
    return ok;
}

/* Reads where a pack came from. The caller frees *from; *at points into it, or is NULL. */
static bool origin_read(const char *name, char **from, char **at) {
    char *path = origin_path(name);
    lib_message ignored;
    *from = lib_read_file(path, ORIGIN_BYTES, NULL, &ignored);
    free(path);
    char *end = *from ? strchr(*from, '\n') : NULL;
    *at = NULL;
    if (!end) return *from != NULL;
    *end = 0;
    *at = end + 1;
    (*at)[strcspn(*at, "\n")] = 0;
    if (!**at) *at = NULL;
    return true;
}

char *pack_origin(const char *name) {
    char *from, *at, *said = NULL;
    if (pack_is_linked(name)) {
        char *folder = pack_folder(name), *real = realpath(folder, NULL);
        said = lib_format("-> %s", real ? real : "?");
        free(real);
        free(folder);
        return said;
    }
    if (!origin_read(name, &from, &at)) return NULL;
    said = lib_format("%s%s%s", from, at ? " at " : "", at ? at : "");
    free(from);
    return said;
}

/* ---- checking a pack ---- */

static bool needs_met(const lab_pack *p, lib_message *msg) {
    for (size_t i = 0; i < p->need_count; i++) {
        const char *name = p->needs[i].name, *want = p->needs[i].version;
        bool own = !strcmp(name, "warplab");
        char *folder = pack_folder(name);
        lib_message ignored;
        lab_pack *other = own ? NULL : pack_read(folder, &ignored);
        const char *has = own ? lib_version() : other ? other->version : NULL;
        bool ok = has && pack_version_order(has, want) >= 0;
        if (!ok)
            lib_message_set(msg, has ? w_pack_needs_later(p->name, name, want, has)
                                     : w_pack_needs(p->name, name, want));
        free(other);
        free(folder);
        if (!ok) return false;
    }
    return true;
}

/* Checks the whole pack before anything of it is installed. */
static bool pack_sound(const lab_pack *p, const char *folder, lib_message *msg) {
    const lib_paths *paths = lib_paths_get(msg);
    if (!paths || !needs_met(p, msg)) return false;
    char *same = lib_format("%s/%s.lua", paths->labs, p->name);
    bool clash = lib_is_file(same);
    free(same);
    if (clash) {
        lib_message_set(msg, w_pack_called_as_lab(p->name));
        return false;
    }
    if (!p->lab_count) {
        lib_message_set(msg, w_pack_no_labs(p->name));
        return false;
    }
    for (size_t i = 0; i < p->lab_count; i++) {
        const pack_lab *one = &p->labs[i];
        int64_t moment;
        if (strlen(p->name) + 1 + strlen(one->id) >= LAB_ID_MAX) {
            lib_message_set(msg, w_pack_name_too_long(p->name, one->id, LAB_ID_MAX - 1));
            return false;
        }
        if (*one->deadline && !when_read(one->deadline, 0, &moment)) {
            lib_message_set(msg, w_pack_deadline_expected(one->id, one->deadline));
            return false;
        }
        lab *l = lab_load_from(folder, p->name, one->id, msg);
        if (!l) return false;
        lab_free(l);
    }
    return true;
}

static lab_pack *pack_read_sound(const char *folder, lib_message *msg) {
    lab_pack *p = pack_read(folder, msg);
    if (p && pack_sound(p, folder, msg)) return p;
    free(p);
    return NULL;
}

/* ---- putting it in its place ---- */

static char *packs_folder(lib_message *msg) {
    char *folder = pack_folder("");
    folder[strlen(folder) - 1] = 0;
    if (lib_make_folders(folder, msg)) return folder;
    free(folder);
    return NULL;
}

static bool is_there(const char *name) {
    struct stat st;
    char *folder = pack_folder(name);
    bool there = !lstat(folder, &st);
    free(folder);
    return there;
}

/* Puts the new folder in the place of the old one, which is kept until the new one is there. */
static bool swap_in(const char *made, const char *name, lib_message *msg) {
    char *place = pack_folder(name), *old = lib_format("%s.old", place);
    lib_remove_tree(old);
    bool had = !rename(place, old), ok = !rename(made, place);
    if (!ok) {
        lib_message_set(msg, w_pack_cannot_write(place, errno));
        if (had) (void)!rename(old, place);
    }
    if (ok && had) lib_remove_tree(old);
    free(old);
    free(place);
    return ok;
}

static void hash_folder(const char *folder, lib_sha256 *h, int depth) {
    lib_message ignored;
    size_t n = 0;
    char **names = lib_folder_names(folder, &n);
    for (size_t i = 0; i < n; i++) {
        char *path = lib_path_join(folder, names[i]);
        size_t size = 0;
        lib_sha256_add_text(h, names[i]);
        if (lib_is_folder(path) && depth < 8) hash_folder(path, h, depth + 1);
        char *text = lib_is_folder(path) ? NULL : lib_read_file(path, 0, &size, &ignored);
        if (text) lib_sha256_add(h, text, size);
        free(text);
        free(path);
    }
    lib_lab_names_free(names, n);
}

static bool same_files(const char *a, const char *b) {
    char x[65], y[65];
    lib_sha256 h;
    lib_sha256_init(&h);
    hash_folder(a, &h, 0);
    lib_sha256_end_hex(&h, x);
    lib_sha256_init(&h);
    hash_folder(b, &h, 0);
    lib_sha256_end_hex(&h, y);
    return !strcmp(x, y);
}

/* Says that a pack with this name exists, and how to make room. */
static void already_there(const char *name, lib_message *msg) {
    bool linked = pack_is_linked(name);
    char *origin = linked ? NULL : pack_origin(name);
    if (!linked) lib_message_set(msg, w_pack_already_there(name, origin ? origin : "?"));
    else lib_message_set(msg, w_pack_already_linked(name));
    free(origin);
}

/* name NULL: installs a new pack with any name; otherwise this pack again. */
static bool install(const char *from, const char *at, const char *name, pack_done *done,
                    lib_message *msg) {
    char *packs = packs_folder(msg), *tmp = packs ? lib_path_join(packs, ".tmp") : NULL;
    lib_scratch s = {0};
    bool ok = tmp && lib_scratch_make(&s, tmp, msg);
    char *made = ok ? lib_path_join(s.path, "pack") : NULL;
    ok = ok && lib_make_folders(made, msg) && take_pack_files(from, at, made, done, msg);
    done->pack = ok ? pack_read_sound(made, msg) : NULL;
    ok = done->pack != NULL;
    if (ok && !name && is_there(done->pack->name)) {
        already_there(done->pack->name, msg);
        ok = false;
    }
    if (ok && name && strcmp(name, done->pack->name) != 0) {
        lib_message_set(msg, w_pack_other_name(from, done->pack->name, name));
        ok = false;
    }
    char *place = ok ? pack_folder(done->pack->name) : NULL;
    done->same = ok && name && same_files(made, place);
    if (ok && !done->same) ok = swap_in(made, done->pack->name, msg);
    if (ok) ok = origin_write(done->pack->name, from, at, msg);
    free(place);
    free(made);
    lib_scratch_remove(&s);
    free(tmp);
    free(packs);
    return ok;
}

static bool link_pack(const char *folder, pack_done *done, lib_message *msg) {
    char *packs = packs_folder(msg);
    done->pack = packs ? pack_read_sound(folder, msg) : NULL;
    bool ok = done->pack != NULL;
    if (ok && is_there(done->pack->name)) {
        already_there(done->pack->name, msg);
        ok = false;
    }
    char *place = ok ? pack_folder(done->pack->name) : NULL;
    if (ok && symlink(folder, place)) {
        lib_message_set(msg, w_pack_cannot_write(place, errno));
        ok = false;
    }
    free(place);
    free(packs);
    return ok;
}

/* ---- the door ---- */

bool pack_add(const char *from, const char *at, bool link, pack_done *done, lib_message *msg) {
    *done = (pack_done){0};
    bool address = take_is_address(from);
    if (!address && at) {
        lib_message_set(msg, w_pack_at_option(from));
        return false;
    }
    if (address && link) {
        lib_message_set(msg, w_pack_link_option(from));
        return false;
    }
    if (address) return install(from, at, NULL, done, msg);
    char *real = realpath(from, NULL);
    if (!real || !lib_is_folder(real)) {
        lib_message_set(msg, w_pack_no_folder(from));
        free(real);
        return false;
    }
    bool ok = link ? link_pack(real, done, msg) : install(real, NULL, NULL, done, msg);
    free(real);
    return ok;
}

static bool no_pack(const char *name, lib_message *msg) {
    lib_message_set(msg, w_pack_no_pack(name));
    return false;
}

bool pack_update(const char *name, pack_done *done, lib_message *msg) {
    *done = (pack_done){0};
    if (!lib_lab_id_valid(name) || !is_there(name)) return no_pack(name, msg);
    char *folder = pack_folder(name), *from = NULL, *at = NULL;
    lib_message ignored;
    lab_pack *before = pack_read(folder, &ignored);
    bool ok = true;
    if (pack_is_linked(name)) { /* a linked pack is read in its author's folder */
        done->pack = pack_read_sound(folder, msg);
        done->same = ok = done->pack != NULL;
    } else if (!origin_read(name, &from, &at)) {
        lib_message_set(msg, w_pack_no_origin(name));
        ok = false;
    } else {
        ok = install(from, at, name, done, msg);
    }
    if (before) snprintf(done->was, sizeof done->was, "%s", before->version);
    free(before);
    free(from);
    free(folder);
    return ok;
}

bool pack_remove(const char *name, lib_message *msg) {
    if (!lib_lab_id_valid(name) || !is_there(name)) return no_pack(name, msg);
    char *folder = pack_folder(name), *origin = origin_path(name);
    bool ok = true;
    if (pack_is_linked(name)) ok = !unlink(folder);
    else lib_remove_tree(folder);
    unlink(origin);
    if (!ok || is_there(name)) {
        lib_message_set(msg, w_pack_cannot_remove(folder, errno));
        ok = false;
    }
    free(origin);
    free(folder);
    return ok;
}

bool pack_copy(const char *folder, const char *to, lib_message *msg) {
    pack_done done = {0};
    char *real = realpath(folder, NULL); /* the folder of a linked pack */
    bool ok =
        lib_make_folders(to, msg) && take_pack_files(real ? real : folder, NULL, to, &done, msg);
    free(real);
    return ok;
}
