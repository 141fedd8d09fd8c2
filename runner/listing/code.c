/* A program's code: takes the fat binaries out of its file, divides their PTX into lines, and
 * disassembles their machine code with nvdisasm. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/paths.h"
#include "runner/build/build.h"
#include "runner/device/server/device.h"
#include "runner/listing/parts.h"
#include "words/listing.h"

enum {
    CONTAINER_HEADER = 16, /* of a fat binary; the size of its contents is at byte 8 */
    MOST_UNITS = 512,
    TOOL_SECONDS = 30,
    MACHINE_BYTES = 32 << 20
};
#define TOOL_MEMORY ((uint64_t)8 << 30)

/* ---- tools ---- */

typedef struct {
    char *bytes;
    size_t n;
} made_file;

static bool take_cubin(void *user, const char *folder) {
    made_file *to = user;
    lib_message msg;
    char *path = lib_format("%s/code.cubin", folder);
    to->bytes = lib_read_file(path, MACHINE_BYTES, &to->n, &msg);
    free(path);
    return to->bytes != NULL;
}

/* Runs a tool of the toolkit on one file, with limits. */
static bool run_tool(const char *const *argv, const char *name, const void *bytes, size_t n,
                     sim_command c) {
    const sim_command_file file = {.name = name, .bytes = bytes, .len = n};
    lib_message msg;
    c.argv = argv;
    c.files = &file;
    c.file_count = 1;
    c.seconds = TOOL_SECONDS;
    c.memory_bytes = TOOL_MEMORY;
    c.cancel = lib_cancel();
    return dev_run_command(NULL, &c, &msg) == SIM_COMMAND_DONE;
}

/* Returns the machine code that ptxas makes from the PTX, malloc'ed; NULL if it fails. */
static char *assemble(const char *ptxas, unsigned arch, const char *ptx, size_t len, size_t *n) {
    char target[24], alone[24]; /* as nvcc writes it for sm_90a; the assembler must be told */
    snprintf(alone, sizeof alone, ".target sm_%ua", arch);
    bool is_alone = memmem(ptx, len, alone, strlen(alone)) != NULL;
    snprintf(target, sizeof target, "-arch=sm_%u%s", arch, is_alone ? "a" : "");
    const char *argv[] = {ptxas, "--generate-line-info", target, "code.ptx",
                          "-o",  "code.cubin",           NULL};
    made_file made = {0};
    sim_command c = {.made = take_cubin, .user = &made};
    if (!run_tool(argv, "code.ptx", ptx, len, c)) {
        free(made.bytes);
        return NULL;
    }
    *n = made.n;
    return made.bytes;
}

/* Returns nvdisasm's text for a cubin, malloc'ed; NULL if it fails. */
static char *disassemble(const char *tool, const void *cubin, size_t n) {
    const char *argv[] = {tool, "-gi", "-c", "code.cubin", NULL};
    char *text = lib_malloc(MACHINE_BYTES + 1);
    sim_command c = {.output = text, .output_max = MACHINE_BYTES};
    char *small = run_tool(argv, "code.cubin", cubin, n, c) ? lib_strdup(text) : NULL;
    free(text);
    return small;
}

/* ---- units ---- */

static void split_lines(listing_unit *u) {
    size_t n = 1;
    for (const char *s = u->ptx; *s; s++) n += *s == '\n';
    u->ptx_lines = lib_malloc(n * sizeof *u->ptx_lines);
    const char *s = u->ptx;
    for (size_t i = 0; i < n; i++) {
        u->ptx_lines[i] = s;
        s += strcspn(s, "\n");
        if (*s) s++;
    }
    u->ptx_line_count = n;
}

static void add_unit(listing_code *c, const void *fatbin, size_t n, const build_toolchain *tools,
                     const char *disassembler) {
    listing_unit u = {0};
    size_t ptx_len = 0, cubin_len = 0;
    void *cubin = NULL;
    lib_message msg;
    if (sim_fatbin_extract(fatbin, n, c->arch, &u.ptx, &ptx_len, &cubin, &cubin_len, &msg)) return;
    split_lines(&u);
    if (disassembler && !cubin) cubin = assemble(tools->ptxas, c->arch, u.ptx, ptx_len, &cubin_len);
    if (disassembler && cubin) u.machine = disassemble(disassembler, cubin, cubin_len);
    free(cubin);
    if (!lib_grow_one(&c->units, c->unit_count, sizeof *c->units)) abort();
    c->units[c->unit_count++] = u;
}

listing_code *listing_open(const char *program, unsigned arch, bool machine, lib_message *msg) {
    size_t n = 0;
    char *code = build_elf_section(program, ".nv_fatbin", &n, msg);
    if (!code) return NULL;
    listing_code *c = lib_malloc(sizeof *c);
    *c = (listing_code){.arch = arch};
    lib_message ignored;
    const lib_paths *paths = lib_paths_get(&ignored);
    const build_toolchain *tools = machine && paths ? build_toolchain_get(&ignored) : NULL;
    const char *disassembler = tools ? build_disassembler() : NULL;
    if (machine && !disassembler)
        lib_message_set(&c->why, w_listing_no_nvdisasm(paths ? paths->root : "."));
    for (size_t i = 0; i + CONTAINER_HEADER <= n && c->unit_count < MOST_UNITS;) {
        uint64_t size;
        memcpy(&size, code + i + 8, sizeof size);
        if (size > n - i - CONTAINER_HEADER) size = n - i - CONTAINER_HEADER;
        add_unit(c, code + i, CONTAINER_HEADER + size, tools, disassembler);
        i += (CONTAINER_HEADER + size + 7) & ~(uint64_t)7;
    }
    bool any = false;
    for (size_t i = 0; i < c->unit_count; i++) any |= c->units[i].machine != NULL;
    if (disassembler && !any)
        lib_message_set(&c->why, w_listing_nvdisasm_made_nothing(disassembler, arch));
    free(code);
    if (c->unit_count) return c;
    lib_message_set(msg, w_listing_no_ptx(program));
    listing_close(c);
    return NULL;
}

void listing_close(listing_code *c) {
    if (!c) return;
    for (size_t i = 0; i < c->unit_count; i++) {
        free(c->units[i].ptx);
        free(c->units[i].ptx_lines);
        free(c->units[i].machine);
    }
    free(c->units);
    free(c);
}

const lib_message *listing_why(const listing_code *c) {
    return &c->why;
}

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

const listing_unit *listing_unit_of(const listing_code *c, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < c->unit_count; i++)
        for (const char *s = c->units[i].ptx; (s = strstr(s, ".entry "));) {
            s += strlen(".entry ");
            s += strspn(s, " \t");
            if (!strncmp(s, name, n) && !in_name(s[n])) return &c->units[i];
        }
    return NULL;
}

/* ---- nvdisasm's text ---- */

/* Finds an instruction after its address, which is in a comment. Returns its text, its length in
 * *n; NULL if there is none. */
static const char *instruction(const char *s, unsigned *at, size_t *n) {
    s += strspn(s, " \t");
    if (s[0] != '/' || s[1] != '*') return NULL;
    char *end;
    *at = (unsigned)strtoul(s + 2, &end, 16);
    if (end[0] != '*' || end[1] != '/') return NULL;
    s = end + 2 + strspn(end + 2, " \t");
    *n = strcspn(s, ";\n");
    while (*n && s[*n - 1] == ' ') --*n;
    return s;
}

/* Finds the address of the first instruction after the label's own line. Returns false if there is
 * none. */
static bool label_at(const char *section, const char *label, size_t n, unsigned *at) {
    for (const char *s = section; *s;) {
        if (!strncmp(s, label, n) && s[n] == ':') {
            for (; *s && strncmp(s, "//--", 4) != 0; s += strcspn(s, "\n"), s += *s == '\n') {
                size_t ignored;
                if (instruction(s, at, &ignored)) return true;
            }
            return false;
        }
        if (!strncmp(s, "//--", 4)) return false;
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return false;
}

/* Copies an instruction without padding; the address replaces a label such as "`(.L_x_4)". Returns
 * false if the instruction is not worth showing. */
static bool put_instruction(const char *section, const char *s, size_t n, unsigned at, char *to,
                            size_t size) {
    if (!n || (n == 3 && !strncmp(s, "NOP", 3))) return false;
    snprintf(to, size, "%.*s", (int)(n < 400 ? n : 400), s);
    char *label = strstr(to, "`(.L");
    unsigned target;
    if (!label) return true;
    size_t name = strcspn(label + 2, ")");
    if (!label_at(section, label + 2, name, &target)) return true;
    if (target == at && *s == 'B') return false; /* the endless loop after the last exit */
    snprintf(label, size - (size_t)(label - to), "0x%x", target);
    return true;
}

void listing_each(const char *machine, const char *name, listing_each_fn *fn, void *user) {
    char *start = lib_format("\n.text.%s:\n", name), text[512];
    const char *s = machine ? strstr(machine, start) : NULL, *file = "";
    s = s ? s + strlen(start) : "";
    free(start);
    const char *section = s;
    size_t file_len = 0, n;
    unsigned line = 0, at;
    for (; *s && strncmp(s, "//--", 4) != 0; s += strcspn(s, "\n"), s += *s == '\n') {
        static const char mark[] = "//## File \"";
        const char *c = s + strspn(s, " \t");
        if (!strncmp(c, mark, sizeof mark - 1)) {
            file = c + sizeof mark - 1;
            file_len = strcspn(file, "\"\n");
            static const char number[] = "\", line ";
            line = strncmp(file + file_len, number, sizeof number - 1)
                       ? 0
                       : (unsigned)strtoul(file + file_len + sizeof number - 1, NULL, 10);
            continue;
        }
        c = instruction(s, &at, &n);
        if (c && put_instruction(section, c, n, at, text, sizeof text))
            fn(user, file, file_len, line, at, text);
    }
}
