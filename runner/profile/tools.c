/* Starts ncu and compute-sanitizer, without a shell, and parses their logs.
 *
 *   ncu --csv --log-file F ... PROGRAM                a header, a row of units, one row per launch
 *   compute-sanitizer --log-file F --tool T PROGRAM   "========= Invalid __global__ write of ...",
 *                                                     then lines that say where */
#include "runner/profile/tools.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/sandbox/sandbox.h"
#include "grader/json/json.h"
#include "words/profile.h"

enum {
    MAX_ARGS = 1024,
    MAX_COLUMNS = 4096 /* the raw page has a column for each attribute of the device */,
    MAX_FINDINGS = 200
};
#define LOG_BYTES ((size_t)64 << 20)

/* Finds a tool on PATH, or in the toolkit's folders. malloc'ed; NULL: not found. */
static char *find_tool(const char *name) {
    const char *path = getenv("PATH");
    char *all = lib_format("%s:/usr/local/cuda/bin", path ? path : "");
    char *found = lib_find_program(all, name);
    free(all);
    return found;
}

/* Runs `tool options... program args...` and reads its log. */
static char *run_tool(const char *tool, const char *const *options, const char *program,
                      char **argv, lib_message *msg) {
    char *path = find_tool(tool), log[] = "/tmp/warplab-tool-XXXXXX";
    const char *all[MAX_ARGS];
    size_t n = 0;
    if (!path) {
        lib_message_set(msg, w_profile_no_tool(tool));
        return NULL;
    }
    int fd = mkstemp(log);
    if (fd < 0) {
        lib_message_set(msg, w_profile_no_temporary_file(tool, errno));
        free(path);
        return NULL;
    }
    close(fd);
    all[n++] = path, all[n++] = "--log-file", all[n++] = log;
    for (size_t i = 0; options[i] && n < MAX_ARGS - 2; i++) all[n++] = options[i];
    all[n++] = program;
    for (size_t i = 1; argv[i] && n < MAX_ARGS - 1; i++) all[n++] = argv[i];
    all[n] = NULL;
    /* The vendor's runtime is in the toolkit's folder, if the program does not find one by
     * itself. */
    const char *old = getenv("LD_LIBRARY_PATH");
    char *search = lib_format("LD_LIBRARY_PATH=%s%s/usr/local/cuda/lib64", old && *old ? old : "",
                              old && *old ? ":" : "");
    const char *const env[] = {search, NULL};
    char here[PATH_MAX];
    sandbox_spawn s;
    sandbox_spawn_own(&s, all, env, here);
    s.inherit_input = s.inherit_output = true;
    sandbox_process process;
    char *text = NULL;
    sandbox_exit e = {0};
    if (!sandbox_process_start(&s, &process, msg)) {
        sandbox_process_wait(&process, lib_cancel(), &e);
        sandbox_exit_free(&e);
        text = lib_read_file(log, LOG_BYTES, NULL, msg);
    }
    unlink(log);
    free(search);
    free(path);
    return text;
}

/* ---- ncu */

/* Reads one field of a CSV line in place. Returns the rest of the line; NULL at its end. */
static char *field(char *s, char **value) {
    char *to = s;
    *value = s;
    if (*s != '"') {
        s += strcspn(s, ",\n");
    } else {
        *value = to = ++s;
        while (*s && (*s != '"' || s[1] == '"')) {
            if (*s == '"') s++; /* "" means one quote */
            *to++ = *s++;
        }
        if (*s) s++;
    }
    bool more = *s == ',';
    *(*value == to && s != to ? s : to) = 0;
    if (more && *value != s && *s == 0) s++;
    else if (more) *s++ = 0;
    return more ? s : NULL;
}

static size_t csv_split(char *line, char *columns[MAX_COLUMNS]) {
    size_t n = 0;
    while (line && n < MAX_COLUMNS) line = field(line, &columns[n++]);
    return n;
}

/* "1,234.5" */
static double csv_number(const char *s) {
    char plain[64];
    size_t n = 0;
    for (; *s && n < sizeof plain - 1; s++)
        if (*s != ',') plain[n++] = *s;
    plain[n] = 0;
    return strtod(plain, NULL);
}

/* "", "n/a" and "nan" are not numbers: what was not measured is not 0. */
static bool is_number(const char *s) {
    s += *s == '-' || *s == '+';
    return isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]));
}

/* The factor for values of this unit: ncu chooses the scale of bytes and times. */
static double scale_of(const char *unit) {
    static const struct {
        const char *unit;
        double scale;
    } units[] = {{"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"ns", 1e-3},
                 {"nsecond", 1e-3}, {"us", 1},      {"usecond", 1}, {"ms", 1e3},
                 {"msecond", 1e3},  {"s", 1e6},     {"second", 1e6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].unit, unit)) return units[i].scale;
    return 1;
}

static json_t *triple_of(const char *text) {
    unsigned v[3] = {0};
    sscanf(text, " (%u , %u , %u", &v[0], &v[1], &v[2]);
    return json_three(v);
}

static size_t csv_column(char *const *header, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && strcmp(header[i], name) != 0) i++;
    return i;
}

static json_t *launch(char *const *header, char *const *units, char *const *row, size_t n) {
    json_t *counters = json_object();
    for (size_t i = 0; i < sim_counter_count(); i++) {
        const sim_counter_info *info = sim_counter_at(i);
        size_t at = info->derived ? n : csv_column(header, n, info->ncu);
        if (at < n && is_number(row[at]))
            json_object_set_new(counters, info->name,
                                json_real(csv_number(row[at]) * scale_of(units[at])));
    }
    size_t name = csv_column(header, n, "Kernel Name"), grid = csv_column(header, n, "Grid Size"),
           block = csv_column(header, n, "Block Size"),
           time = csv_column(header, n, "gpu__time_duration.sum");
    char kernel[256] = "";
    if (name < n) snprintf(kernel, sizeof kernel, "%.*s", (int)strcspn(row[name], "("), row[name]);
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "kernel", json_text(kernel), "grid",
                          triple_of(grid < n ? row[grid] : ""), "block",
                          triple_of(block < n ? row[block] : ""), "counters", counters);
    if (time < n && is_number(row[time]))
        json_object_set_new(o, "time_us", json_real(csv_number(row[time]) * scale_of(units[time])));
    return o;
}

static json_t *parse_ncu(char *text) {
    json_t *all = json_array();
    char *header[MAX_COLUMNS], *units[MAX_COLUMNS], *row[MAX_COLUMNS];
    size_t columns = 0, lines = 0;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (*line != '"') continue; /* ==PROF== and the program's own lines */
        if (!lines++) columns = csv_split(line, header);
        else if (lines == 2) {
            if (csv_split(line, units) != columns) break;
        } else if (csv_split(line, row) == columns)
            json_array_append_new(all, launch(header, units, row, columns));
    }
    return all;
}

json_t *profile_ncu(const char *program, char **argv, bool counters, lib_message *msg) {
    lib_buffer metrics = {0};
    lib_buffer_puts(&metrics, "gpu__time_duration.sum");
    for (size_t i = 0; counters && i < sim_counter_count(); i++) {
        const char *name = sim_counter_at(i)->ncu;
        if (!sim_counter_at(i)->derived && *name && *name != '-' && !strstr(metrics.s, name))
            lib_buffer_printf(&metrics, ",%s", name);
    }
    /* Do not change clocks: the machine may be borrowed. */
    const char *const options[] = {"--csv", "--page",    "raw",     "--clock-control",
                                   "none",  "--metrics", metrics.s, NULL};
    char *text = run_tool("ncu", options, program, argv, msg);
    lib_buffer_free(&metrics);
    if (!text) return NULL;
    char why[300] = "";
    char *error = strstr(text, "==ERROR==");
    if (error) snprintf(why, sizeof why, "%.*s", (int)strcspn(error, "\n"), error);
    json_t *all = parse_ncu(text);
    free(text);
    if (!json_array_size(all)) {
        json_decref(all);
        if (*why) lib_message_set(msg, w_profile_ncu_measured_nothing(why));
        else lib_message_set(msg, w_profile_ncu_no_launch());
        return NULL;
    }
    return all;
}

/* ---- compute-sanitizer */

static const char *kind_of(const char *line, bool *write) {
    *write = strstr(line, " write") || strstr(line, "Write");
    if (strstr(line, "SUMMARY")) return NULL;
    if (strstr(line, "race") || strstr(line, "hazard")) return "race";
    if (strstr(line, "isaligned")) return "misaligned";
    if (strstr(line, "Uninitialized")) return "uninit";
    if (strstr(line, "Leaked")) return "leak";
    if (strstr(line, "Invalid")) return "oob";
    return NULL;
}

static void parse_sanitizer(json_t *all, char *text, const char *tool) {
    json_t *now = NULL;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (strncmp(line, "=========", 9)) continue;
        char *s = line + 9 + strspn(line + 9, " ");
        bool write;
        size_t indent = (size_t)(s - line);
        const char *kind = indent <= 10 ? kind_of(s, &write) : NULL;
        if (kind && json_array_size(all) < MAX_FINDINGS) {
            now = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:i, s:s}", "kind", kind, "tool",
                            "compute-sanitizer", "check", tool, "text", json_text(s), "kernel", "",
                            "file", "", "line", 0, "access", write ? "write" : "read");
            json_array_append_new(all, now);
            continue;
        }
        if (indent <= 10) now = NULL;
        if (!now) continue;
        /* "at add(int *)+0x50 in file.cu:12", "by thread (32,0,0) in block (1,0,0)" */
        char name[200], file[400];
        unsigned at, t[3], b[3];
        if (!*json_string_value(json_object_get(now, "kernel")) &&
            sscanf(s, "at %199[^(+]", name) == 1)
            json_object_set_new(now, "kernel", json_text(name));
        char *in = strstr(s, " in ");
        if (!json_integer_value(json_object_get(now, "line")) && in &&
            sscanf(in, " in %399[^:]:%u", file, &at) == 2) {
            json_object_set_new(now, "file", json_text(file));
            json_object_set_new(now, "line", json_integer(at));
        }
        if (sscanf(s, "by thread (%u,%u,%u) in block (%u,%u,%u)", &t[0], &t[1], &t[2], &b[0], &b[1],
                   &b[2]) == 6) {
            json_object_set_new(now, "thread", json_three(t));
            json_object_set_new(now, "block", json_three(b));
        }
    }
}

json_t *profile_sanitize(const char *program, char **argv, lib_message *msg) {
    static const char *const tools[] = {"memcheck", "racecheck"};
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const char *const options[] = {"--tool", tools[i], NULL};
        char *text = run_tool("compute-sanitizer", options, program, argv, msg);
        if (!text) {
            json_decref(all);
            return NULL;
        }
        parse_sanitizer(all, text, tools[i]);
        free(text);
    }
    return all;
}
