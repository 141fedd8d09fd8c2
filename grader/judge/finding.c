/* A finding of the device as a sentence: in English the device's own words, in other languages
 * words made from the finding's fields. Some figures are only in the English text and are read from
 * it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/server/device.h"
#include "grader/result.h"
#include "words/judge.h"

lib_word_id grade_finding_title(sim_finding_kind k) {
    static const lib_word_id titles[SIM_FIND_COUNT] = {
#define X(n, s, m) [SIM_FIND_##n] = W_JUDGE_FINDING_##n,
        SIM_FINDING_MAP(X)
#undef X
    };
    return (unsigned)k < SIM_FIND_COUNT ? titles[k] : 0;
}

/* ---- parts ---- */

typedef struct {
    lib_buffer b;
    lib_lang lang;
    bool first; /* nothing follows the title yet */
} telling;

static void telling_put(telling *t, lib_words words) {
    lib_words_put(&t->b, t->lang, words);
}

/* Begins a part: writes what separates it from the title or from the previous part. */
static void telling_next(telling *t) {
    telling_put(t, lib_words_of(t->first ? W_JUDGE_FIND_FIRST : W_JUDGE_FIND_NEXT));
    t->first = false;
}

static void telling_part(telling *t, lib_words words) {
    telling_next(t);
    telling_put(t, words);
}

enum { PLACE = 48 };
static const char *where(char buf[PLACE], const unsigned v[3]) {
    if (v[1] || v[2]) lib_say(buf, PLACE, "(%u,%u,%u)", v[0], v[1], v[2]);
    else lib_say(buf, PLACE, "%u", v[0]);
    return buf;
}

/* Returns the text after `words`; NULL if the English text does not contain them. */
static const char *after(const char *text, const char *words) {
    const char *at = strstr(text, words);
    return at ? at + strlen(words) : NULL;
}

/* Copies the text before the first of the characters in `ends`. */
enum { WORD = 200 };
static const char *up_to(char buf[WORD], const char *text, const char *ends) {
    lib_say(buf, WORD, "%.*s", (int)strcspn(text, ends), text);
    return buf;
}

static lib_word_id space_word(const char *space) {
    return space ? lib_words_named("space", space) : 0;
}

static bool spaced(const sim_finding *f) {
    return f->space && *f->space;
}

/* ---- races ---- */

/* What would order the two accesses, from the device's English words (say_remedy() of the simulated
 * device). */
static lib_words remedy(const sim_finding *f, char word[WORD]) {
    const char *t = f->text, *within;
    bool one = f->line && f->line == f->other_line && f->file && f->other_file &&
               !strcmp(f->file, f->other_file);
    bool global = spaced(f) && !strcmp(f->space, "global"), both = f->write && f->other_write,
         warp = strstr(t, ", in the same warp") != NULL;
    const char *barrier = !warp && f->across ? "__syncthreads()" : "__syncwarp()";
    if ((within = after(t, "the copy is under way: a ")))
        return w_judge_race_copy(up_to(word, within, " "));
    if (strstr(t, "its thread has to wait first")) return w_judge_race_copy_wait();
    if (strstr(t, "the copy is in no group yet")) return w_judge_race_copy_uncommitted();
    if (strstr(t, "the copy is under way")) return w_judge_race_copy_mbarrier();
    if (strstr(t, "the copy still reads it")) return w_judge_race_copy_reads();
    if (strstr(t, "a fence.proxy.async is missing")) return w_judge_race_proxy();
    if (strstr(t, "nothing orders two blocks")) return w_judge_race_blocks();
    if (strstr(t, "__ldg() and ld.global.nc")) return w_judge_race_constant();
    if (strstr(t, "a texture may only read")) return w_judge_race_texture();
    if (strstr(t, "a barrier of the cluster")) return w_judge_race_cluster();
    if (strstr(t, "orders nothing by itself")) return w_judge_race_fence();
    if ((within = after(t, "both in what that line calls (")))
        return w_judge_race_within(up_to(word, within, ")"), barrier);
    if (one && global) return w_judge_race_atomic();
    if (one && both) return w_judge_race_index();
    if (one) return w_judge_race_rounds(barrier);
    return w_judge_race_barrier(barrier);
}

static void tell_race(telling *t, const sim_finding *f) {
    const char *other = strstr(f->text, ", which thread");
    bool atomic = other && strstr(other, "updates atomically");
    char place[PLACE], word[WORD];
    telling_part(t, w_judge_find_race(atomic           ? W_JUDGE_ACCESS_ATOMIC
                                      : f->other_write ? W_JUDGE_ACCESS_WRITE
                                                       : W_JUDGE_ACCESS_READ,
                                      where(place, f->other_thread), f->other_line));
    telling_put(t, lib_words_of(W_JUDGE_FIND_FIRST));
    telling_put(t, remedy(f, word));
    if (strstr(f->text, "threads of different warps meet here too"))
        telling_put(t, w_judge_race_warps());
}

/* ---- races between streams ---- */

static void work_of(lib_message *m, unsigned op, const char *kernel) {
    static const lib_word_id names[] = {[DEV_OP_H2D] = W_JUDGE_WORK_TO_DEVICE,
                                        [DEV_OP_D2H] = W_JUDGE_WORK_TO_HOST,
                                        [DEV_OP_D2D] = W_JUDGE_WORK_ON_DEVICE,
                                        [DEV_OP_MEMSET] = W_JUDGE_WORK_MEMSET,
                                        [DEV_OP_FREE] = W_JUDGE_WORK_FREE};
    bool named = op < sizeof names / sizeof *names && names[op];
    lib_message_set(m, op == DEV_OP_LAUNCH ? w_judge_work_kernel(kernel ? kernel : "")
                                           : lib_words_of(named ? names[op] : W_JUDGE_WORK_COPY));
}

static void side_of(lib_message *m, unsigned op, const char *kernel, unsigned stream, unsigned line,
                    bool write) {
    lib_message work;
    lib_word_id access = op == DEV_OP_FREE ? W_JUDGE_ACCESS_FREE
                         : write           ? W_JUDGE_ACCESS_WRITE
                                           : W_JUDGE_ACCESS_READ;
    work_of(&work, op, kernel);
    lib_message_set(m, stream && line ? w_judge_side_stream_line(&work, stream, access, line)
                       : stream       ? w_judge_side_stream(&work, stream, access)
                       : line         ? w_judge_side_default_line(&work, access, line)
                                      : w_judge_side_default(&work, access));
}

/* By the finding's space: whose operations they are, what is wrong with their order, and the
 * remedy. */
static const struct {
    const char *space;
    lib_words (*words)(const lib_message *one, const lib_message *other, long long byte);
} unordered[] = {{"streams", w_judge_unordered_streams},
                 {"graph", w_judge_unordered_graph},
                 {"programmatic", w_judge_unordered_programmatic},
                 {"chain", w_judge_unordered_chain},
                 {"children", w_judge_unordered_children}};
enum { UNORDERED = sizeof unordered / sizeof *unordered };

static bool between_streams(telling *t, const sim_finding *f) {
    size_t how = 0;
    if (f->kind != SIM_FIND_RACE || !f->space) return false;
    while (how < UNORDERED && strcmp(f->space, unordered[how].space) != 0) how++;
    if (how == UNORDERED) return false;
    lib_message one, other;
    side_of(&one, f->op, f->kernel, f->stream, f->line, f->write);
    side_of(&other, f->other_op, f->other_kernel, f->other_stream, f->other_line, f->other_write);
    uint64_t byte = f->alloc_size ? f->address - f->alloc_base : 0;
    telling_put(t, unordered[how].words(&one, &other, (long long)byte));
    return true;
}

/* ---- where an access went ---- */

static lib_words nowhere(const sim_finding *f) {
    long long at = (long long)f->address, size, byte;
    const char *in = after(f->text, "out of bounds: byte ");
    const char *peer = after(f->text, "memory of device ");
    unsigned device;
    if (in && sscanf(in, "%lld of %*s memory, of which %*s %*s has %lld", &byte, &size) == 2)
        return strstr(in, "the block")  ? w_judge_find_beyond_block(byte, size)
               : strstr(in, "a thread") ? w_judge_find_beyond_thread(byte, size)
                                        : w_judge_find_beyond_kernel(byte, size);
    if (spaced(f) && strcmp(f->space, "global") != 0 && strcmp(f->space, "const") != 0)
        return space_word(f->space) ? w_judge_find_no_space(space_word(f->space))
                                    : w_judge_find_no_space_of(f->space);
    if (peer && sscanf(peer, "%u", &device) == 1) return w_judge_find_peer(at, device);
    if (f->address < 4096) return at ? w_judge_find_null_offset(at) : w_judge_find_null();
    if (strstr(f->text, "that is shared memory")) return w_judge_find_shared_window(at);
    if (strstr(f->text, "that is a local variable")) return w_judge_find_local_window(at);
    return strstr(f->text, "has an index overflowed") ? w_judge_find_overflow(at)
                                                      : w_judge_find_host_pointer(at);
}

/* For an address outside all allocations. */
static void tell_nowhere(telling *t, const sim_finding *f) {
    lib_words words = nowhere(f);
    telling_part(t, words);
    bool null = words.id == W_JUDGE_FIND_NULL || words.id == WITH_JUDGE_FIND_NULL_OFFSET;
    if (null && strstr(f->text, "a consequence of the allocation that failed before"))
        telling_put(t, w_judge_find_null_failed());
}

static void allocation_of(lib_message *m, const sim_finding *f) {
    long long bytes = (long long)f->alloc_size;
    bool named = f->alloc_name && *f->alloc_name;
    lib_message_set(m, named                     ? w_judge_find_buffer(f->alloc_name, bytes)
                       : f->kind == SIM_FIND_OOB ? w_judge_find_nearest(bytes)
                                                 : w_judge_find_allocation(bytes));
}

static lib_words position(const sim_finding *f, const lib_message *in) {
    uint64_t end = f->alloc_base + f->alloc_size, last = f->address + f->bytes;
    long long byte = (long long)(f->address - f->alloc_base);
    bool oob = f->kind == SIM_FIND_OOB;
    if (f->address < f->alloc_base) return w_judge_find_before(-byte, in);
    if (f->address == end) return w_judge_find_at_end(in);
    if (f->address > end) return w_judge_find_past((long long)(f->address - end), in);
    if (oob && last <= end)
        return f->write ? w_judge_find_constant(in) : w_judge_find_not_constant(in);
    return oob ? w_judge_find_byte_over(byte, in, (long long)(last - end))
               : w_judge_find_byte(byte, in);
}

/* Freed memory can also be reached with an index that is far out of bounds. */
static void tell_index(telling *t, const sim_finding *f) {
    const char *wrong = after(f->text, "; or an index is wrong: ");
    const char *whose = wrong ? strstr(wrong, " of ") : NULL;
    long long by, size;
    char name[WORD];
    if (!whose || sscanf(wrong, "%lld", &by) != 1) return;
    bool past = strstr(wrong, " past the end of ");
    if (sscanf(whose, " of the %lld-byte allocation", &size) == 1) {
        telling_put(t, past ? w_judge_find_index_past_size(by, size)
                            : w_judge_find_index_before_size(by, size));
        return;
    }
    up_to(name, whose + strlen(" of "), " ");
    telling_put(t, past ? w_judge_find_index_past(by, name) : w_judge_find_index_before(by, name));
}

/* Shared memory of another block of the cluster; `at` is the text after "shared memory of block
 * ". */
static lib_words in_cluster(const sim_finding *f, const char *at) {
    unsigned block = 0, blocks;
    long long size, byte = (long long)f->address;
    const char *only = after(at, "which has only "), *of = after(at, "of which the block has ");
    sscanf(at, "%u", &block);
    if (only && sscanf(only, "%u", &blocks) == 1) return w_judge_find_cluster_only(block, blocks);
    if (of && sscanf(of, "%lld", &size) == 1) return w_judge_find_cluster_size(byte, block, size);
    return strstr(at, "which has ended") ? w_judge_find_cluster_ended(byte, block)
                                         : w_judge_find_cluster(byte, block);
}

static void tell_where(telling *t, const sim_finding *f) {
    lib_message allocation;
    const char *at = after(f->text, "shared memory of block ");
    if (at) telling_part(t, in_cluster(f, at));
    else if (f->alloc_size) {
        allocation_of(&allocation, f);
        telling_part(t, position(f, &allocation));
        tell_index(t, f);
    } else if (f->kind == SIM_FIND_OOB) tell_nowhere(t, f);
}

/* ---- a block that cannot continue, an assertion, a launch without end ---- */

static bool waits(telling *t, const char *text) {
    const char *at;
    unsigned u, v, w;
    int bytes;
    if ((at = after(text, "waits at a barrier that ")) &&
        sscanf(at, "%u of the block's %u", &u, &v) == 2)
        telling_put(t, w_judge_find_exited(u, v));
    else if ((at = after(text, "waits at barrier ")) &&
             sscanf(at, "%u, which never opens: %u of %u", &u, &v, &w) == 3)
        telling_put(t, w_judge_find_barrier(u, v, w));
    else if ((at = after(text, "the cluster's barrier, which never opens: ")) &&
             sscanf(at, "%u of %u", &u, &v) == 2)
        telling_put(t, w_judge_find_cluster_barrier(u, v));
    else if (strstr(text, "arrives twice at the cluster's barrier"))
        telling_put(t, w_judge_find_cluster_twice());
    else if (strstr(text, "waits at the cluster's barrier without"))
        telling_put(t, w_judge_find_cluster_unarrived());
    else if (strstr(text, "waits at a barrier that never opens"))
        telling_put(t, w_judge_find_barrier_lanes());
    else if ((at = after(text, "are at another one, at ")) && sscanf(at, "line %u", &u) == 1)
        telling_put(t, w_judge_find_barrier_other(u));
    else if (at && sscanf(at, "PTX line %u", &u) == 1)
        telling_put(t, w_judge_find_barrier_other_ptx(u));
    else if ((at = after(text, "waits at a barrier for ")) && sscanf(at, "%u threads", &u) == 1)
        telling_put(t, w_judge_find_barrier_multiple(u));
    else if ((at = after(text, "waits at barrier ")) && sscanf(at, "%u, but a block", &u) == 1 &&
             strstr(at, "has only 16"))
        telling_put(t, w_judge_find_barrier_number(u));
    else if ((at = after(text, "an mbarrier that never completes: ")) &&
             sscanf(at, "%u arrivals and %d bytes", &u, &bytes) == 2)
        telling_put(t, w_judge_find_mbarrier(u, bytes));
    else if ((at = after(text, "no thread will ever change: ")) && sscanf(at, "%u", &u) == 1)
        telling_put(t, w_judge_find_spin(u));
    else return false;
    return true;
}

/* Lanes and masks, as the device writes them. */
enum { MASK = 16 };
static const char *mask(char buf[MASK], unsigned lanes) {
    lib_say(buf, MASK, "0x%08x", lanes);
    return buf;
}

static bool lanes(telling *t, const char *text) {
    const char *at, *used;
    unsigned u, v;
    char word[WORD], a[MASK], b[MASK];
    if ((at = after(text, "wait for lanes ")) && sscanf(at, "0x%x of the mask 0x%x", &u, &v) == 2)
        telling_put(t, w_judge_find_lanes(mask(a, u), mask(b, v)));
    else if ((at = after(text, "executes ")) &&
             sscanf(at, "%31s with the mask 0x%x, which leaves out its own lane %u", word, &u,
                    &v) == 3)
        telling_put(t, w_judge_find_own_lane(word, mask(a, u), v));
    else if ((at = after(text, "reads lane ")) && (used = after(at, "line ")) &&
             sscanf(at, "%u in a shfl of which only lanes 0x%x", &u, &v) == 2)
        telling_put(t, w_judge_find_shfl(u, mask(a, v), up_to(word, used, " ")));
    else if ((at = after(text, "waits at a __syncwarp() with the mask ")) &&
             sscanf(at, "0x%x for lanes 0x%x", &u, &v) == 2)
        telling_put(t, w_judge_find_syncwarp(mask(a, u), mask(b, v)));
    else return false;
    return true;
}

static bool limits(telling *t, const char *text) {
    const char *at;
    unsigned u, v;
    long long asked;
    double millions;
    if ((at = after(text, "had executed ")) && sscanf(at, "%lf million", &millions) == 1)
        telling_put(t, strstr(text, "launches before it") ? w_judge_find_budget_all(1e6 * millions)
                                                          : w_judge_find_budget(1e6 * millions));
    else if ((at = after(text, "allocates ")) &&
             sscanf(at, "%lld bytes, but its stack of %u bytes (cudaLimitStackSize) has %u", &asked,
                    &u, &v) == 3)
        telling_put(t, w_judge_find_stack_room(asked, u, v));
    else if ((at = after(text, ": its stack of ")) && sscanf(at, "%u bytes is full", &u) == 1)
        telling_put(t, w_judge_find_stack_full(u));
    else if ((at = after(text, ": no more than ")) && sscanf(at, "%u are simulated", &u) == 1)
        telling_put(t, w_judge_find_calls_deep(u));
    else return false;
    return true;
}

/* "`i < n` in k (a.cu:3)" */
static void assertion(telling *t, const char *said) {
    const char *in = strstr(said, "` in "), *place = strrchr(said, '(');
    char what[WORD], function[WORD], line[WORD];
    if (!in || !place || place <= in + 6) {
        telling_put(t, w_judge_find_assertion(said));
        return;
    }
    lib_say(what, WORD, "%.*s", (int)(in + 1 - said), said);
    lib_say(function, WORD, "%.*s", (int)(place - in - 6), in + 5);
    telling_put(t, w_judge_find_assertion_in(what, function, up_to(line, place + 1, ")")));
}

/* Misuse of mbarriers, copies and the stack, recognised by words of the English text. */
static lib_word_id misuse(const char *text) {
    static const struct {
        const char *holds;
        lib_word_id word;
    } all[] = {
        {"out of their range of 2^20 - 1", W_JUDGE_MISUSE_MBARRIER_BYTES},
        {"expects no more arrivals", W_JUDGE_MISUSE_MBARRIER_ARRIVAL},
        {"arrives with .noComplete", W_JUDGE_MISUSE_MBARRIER_NO_COMPLETE},
        {"sets up an mbarrier for no arrivals", W_JUDGE_MISUSE_MBARRIER_COUNT},
        {"the size must be a multiple of 16", W_JUDGE_MISUSE_BULK_SIZE},
        {"did not make these 128 bytes", W_JUDGE_MISUSE_TENSOR_MAP},
        {"but the tensor map has", W_JUDGE_MISUSE_TENSOR_DIMENSIONS},
        {"does not take", W_JUDGE_MISUSE_TENSOR_REDUCTION},
        {"asks cp.async to read", W_JUDGE_MISUSE_CP_ASYNC},
        {"which no stacksave of this call gave", W_JUDGE_MISUSE_STACK_POINTER},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(text, all[i].holds)) return all[i].word;
    return 0;
}

static void detail(telling *t, const sim_finding *f) {
    const char *text = f->text, *at;
    char call[WORD];
    if (strstr(text, "executes a trap instruction")) return; /* the title says it already */
    telling_next(t);
    if (waits(t, text) || lanes(t, text) || limits(t, text)) return;
    if ((at = after(text, "fails the assertion "))) assertion(t, at);
    else if ((at = after(text, "allocated with ")))
        telling_put(t, w_judge_find_leak((long long)f->alloc_size, up_to(call, at, " ")));
    else if (misuse(text)) telling_put(t, lib_words_of(misuse(text)));
    else lib_buffer_puts(&t->b, text); /* better in English than left out */
}

/* ---- the whole finding ---- */

static void tell_access(telling *t, const sim_finding *f) {
    const char *other = strstr(f->text, ", which thread"),
               *atomic = strstr(f->text, "updates atomically");
    lib_word_id does = atomic && (!other || atomic < other) ? W_JUDGE_UPDATES
                       : f->write                           ? W_JUDGE_WRITES
                                                            : W_JUDGE_READS,
                space = space_word(f->space);
    telling_part(t, space       ? w_judge_find_access(does, f->bytes, space)
                    : spaced(f) ? w_judge_find_access_of(does, f->bytes, f->space)
                                : w_judge_find_access_anywhere(does, f->bytes));
}

static void tell_place(telling *t, const sim_finding *f) {
    char block[PLACE], thread[PLACE];
    if (f->kernel && *f->kernel)
        telling_part(
            t, w_judge_find_kernel(f->kernel, where(block, f->block), where(thread, f->thread)));
    const char *slash = f->file ? strrchr(f->file, '/') : NULL, *name = slash ? slash + 1 : f->file;
    if (f->line)
        telling_part(t, name && *name ? w_judge_find_line_of(name, f->line)
                                      : w_judge_find_line(f->line));
}

static void tell_finding(telling *t, const sim_finding *f) {
    unsigned align;
    const char *at;
    if (between_streams(t, f)) return;
    if (f->said) {
        telling_put(t, lib_message_words(f->said));
        return;
    }
    telling_put(t, lib_words_of(grade_finding_title(f->kind)));
    tell_place(t, f);
    if (f->bytes) tell_access(t, f);
    if (f->kind == SIM_FIND_MISALIGNED && (at = after(f->text, "not a multiple of ")) &&
        sscanf(at, "%u", &align) == 1)
        telling_part(t, w_judge_find_align(align));
    if (!f->bytes && f->kind != SIM_FIND_HOST_DEREF && f->kind != SIM_FIND_RACE) detail(t, f);
    else tell_where(t, f);
    if (f->kind == SIM_FIND_RACE) tell_race(t, f);
}

/* Whether the number at `from` counts bytes: "byte 4012 of", "4012 bytes", "4012-byte". */
static bool counts_bytes(const char *text, const char *from, const char *end) {
    static const char before[] = "byte ";
    size_t n = sizeof before - 1;
    const char *at = from > text && from[-1] == '-' ? from - 1 : from;
    return !strncmp(end, " byte", 5) || !strncmp(end, "-byte", 5) ||
           ((size_t)(at - text) >= n && !strncmp(at - n, before, n));
}

/* The device's English words with separators in numbers of bytes: "4,012 bytes". */
static void put_english(lib_buffer *b, const char *text) {
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "0123456789"), digits = strspn(at + n, "0123456789");
        const char *from = at + n, *end = from + digits;
        lib_buffer_add(b, at, n);
        bool part = from > text && (isalnum((unsigned char)from[-1]) || strchr("._", from[-1]));
        bool separate = digits > 3 && !part && counts_bytes(text, from, end);
        for (size_t i = 0; i < digits; i++) {
            if (separate && i && (digits - i) % 3 == 0) lib_buffer_puts(b, ",");
            lib_buffer_add(b, from + i, 1);
        }
        at = end;
    }
}

/* The finding without its count. malloc'ed. */
static char *finding_told(const sim_finding *f, lib_lang lang) {
    telling t = {.lang = lang, .first = true};
    if (lang != LIB_EN) tell_finding(&t, f);
    else if (f->text[0]) put_english(&t.b, f->text);
    else telling_put(&t, lib_words_of(grade_finding_title(f->kind)));
    return lib_buffer_take(&t.b);
}

char *grade_finding_text(const sim_finding *f, lib_lang lang) {
    char *told = finding_told(f, lang);
    if (!told || f->count <= 1) return told;
    char *counted = lib_words_take(lang, w_judge_finding_counted(told, (long long)f->count));
    free(told);
    return counted;
}

/* Removes the folder of the file. The compiler saw the file in a folder that users do not know. */
static void without_folder(char *text, const char *file) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    char *folder = slash ? lib_format("%.*s", (int)(slash + 1 - file), file) : NULL;
    size_t n = folder ? strlen(folder) : 0;
    for (char *at = text; n > 1 && (at = strstr(at, folder));)
        memmove(at, at + n, strlen(at + n) + 1);
    free(folder);
}

void grade_finding_message(const sim_finding *f, lib_message *m) {
    sim_finding own = *f;
    lib_texts texts;
    char *told[LIB_LANGS];
    without_folder(own.text, own.file);
    for (int l = 0; l < LIB_LANGS; l++) texts.in[l] = told[l] = finding_told(&own, (lib_lang)l);
    lib_message_set(m, lib_words_plain(texts));
    for (int l = 0; l < LIB_LANGS; l++) free(told[l]);
}
