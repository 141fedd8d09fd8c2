/* See when.h. Days follow the civil calendar, without the machine's time zone, so that a text means
 * the same time on every machine. */
#include "grader/intake/when.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runner/base/say.h"
#include "words/intake.h"

typedef struct {
    int year, month, day, hour, minute, second;
} moment;

/* Days since 1970-01-01 (Howard Hinnant's algorithm). */
static int64_t days_of(int y, int m, int d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400, doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1,
            doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

static moment moment_of(int64_t at) {
    int64_t days = at / 86400, rest = at % 86400;
    if (rest < 0) rest += 86400, days--;
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097, doe = days - era * 146097,
            yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
            doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    moment t = {.day = (int)(doy - (153 * mp + 2) / 5 + 1),
                .month = (int)(mp < 10 ? mp + 3 : mp - 9),
                .hour = (int)(rest / 3600),
                .minute = (int)(rest / 60 % 60),
                .second = (int)(rest % 60)};
    t.year = (int)(yoe + era * 400 + (t.month <= 2));
    return t;
}

static bool moment_at(const moment *t, int zone, int64_t *at) {
    static const int length[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (t->year < 1970 || t->year > 9999 || t->month < 1 || t->month > 12 || t->day < 1 ||
        t->day > length[t->month - 1] || t->hour > 24 || t->minute > 59 || t->second > 60)
        return false;
    *at = days_of(t->year, t->month, t->day) * 86400 + t->hour * 3600 + t->minute * 60 + t->second -
          zone * 60;
    return true;
}

bool when_zone(const char *s, int *zone) {
    int h, m, n;
    if (!strcmp(s, "Z") || !strcasecmp(s, "UTC") || !strcasecmp(s, "GMT")) {
        *zone = 0;
        return true;
    }
    if (*s != '+' && *s != '-') return false;
    if (!((sscanf(s + 1, "%2d:%2d%n", &h, &m, &n) == 2 && n == 5 && !s[6]) ||
          (sscanf(s + 1, "%2d%2d%n", &h, &m, &n) == 2 && n == 4 && !s[5])) ||
        h > 14 || m > 59 || h < 0 || m < 0)
        return false;
    *zone = (h * 60 + m) * (*s == '-' ? -1 : 1);
    return true;
}

/* Reads what follows the clock time: a zone, or nothing. */
static bool read_tail(const char *s, int *zone) {
    if (*s == '.') s += 1 + strspn(s + 1, "0123456789");
    s += strspn(s, " ");
    return !*s || when_zone(s, zone);
}

static bool read_iso(const char *s, int zone, int64_t *at) {
    moment t = {.hour = 23, .minute = 59, .second = 59};
    int n = 0, clock = 0;
    if (sscanf(s, "%4d-%2d-%2d%n", &t.year, &t.month, &t.day, &n) != 3 || n < 8) return false;
    s += n;
    if (*s == 'T' || *s == ' ') {
        int sec = 0, k = 0;
        if (sscanf(s + 1, "%2d:%2d%n", &t.hour, &t.minute, &clock) == 2 && clock) {
            s += 1 + clock;
            if (*s == ':' && sscanf(s + 1, "%2d%n", &sec, &k) == 1) s += 1 + k;
            t.second = sec;
        }
    }
    return t.hour >= 0 && t.minute >= 0 && t.second >= 0 && read_tail(s, &zone) &&
           moment_at(&t, zone, at);
}

/* "Thursday, 1 October 2026, 11:59 PM" */
static bool read_moodle(const char *s, int zone, int64_t *at) {
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    moment t = {0};
    char month[16], half[4] = "";
    const char *comma = strchr(s, ',');
    if (comma) s = comma + 1;
    if (sscanf(s, " %2d %15[A-Za-z] %4d, %2d:%2d %3s", &t.day, month, &t.year, &t.hour, &t.minute,
               half) < 5)
        return false;
    while (t.month < 12 && strcasecmp(months[t.month], month) != 0) t.month++;
    if (t.month++ == 12) return false;
    if (!strcasecmp(half, "PM") && t.hour < 12) t.hour += 12;
    if (!strcasecmp(half, "AM") && t.hour == 12) t.hour = 0;
    return t.hour >= 0 && t.minute >= 0 && moment_at(&t, zone, at);
}

/* Reads a number of at most `digits` digits and the non-ASCII sign after it. Returns where the next
 * number begins, or NULL. */
static const char *read_signed(const char *s, size_t digits, int *v) {
    size_t n = s ? strspn(s, "0123456789") : 0;
    if (!n || n > digits || (s[n] & 0xC0) != 0xC0) return NULL;
    *v = atoi(s);
    for (n++; (s[n] & 0xC0) == 0x80;) n++;
    return s + n;
}

/* Reads the format of a Chinese Moodle: year, month and day, each followed by a sign, the day of
 * the week, and */
static bool read_chinese(const char *s, int zone, int64_t *at) {
    moment t = {0};
    s = read_signed(read_signed(read_signed(s, 4, &t.year), 2, &t.month), 2, &t.day);
    if (!s) return false;
    s += strcspn(s, "0123456789");
    return sscanf(s, "%2d:%2d", &t.hour, &t.minute) == 2 && t.hour >= 0 && t.minute >= 0 &&
           moment_at(&t, zone, at);
}

bool when_read(const char *text, int zone, int64_t *at) {
    text += strspn(text, " ");
    return (isdigit((unsigned char)*text) &&
            (read_iso(text, zone, at) || read_chinese(text, zone, at))) ||
           read_moodle(text, zone, at);
}

bool when_span(const char *text, double *seconds) {
    static const struct {
        const char *name;
        double s;
    } units[] = {{"", 1},          {"s", 1},      {"sec", 1},     {"second", 1}, {"min", 60},
                 {"minute", 60},   {"h", 3600},   {"hour", 3600}, {"d", 86400},  {"day", 86400},
                 {"week", 604800}, {"w", 604800}, {"days", 86400}};
    char *end, unit[16];
    double v = strtod(text, &end);
    if (end == text || !isfinite(v) || v < 0) return false;
    end += strspn(end, " ");
    SAY(unit, "%s", end);
    size_t n = strlen(unit);
    if (n > 3 && unit[n - 1] == 's') unit[n - 1] = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(unit, units[i].name)) {
            *seconds = v * units[i].s;
            return *seconds < 1e10;
        }
    return false;
}

void when_write(int64_t at, int zone, char *out, size_t n) {
    moment t = moment_of(at + zone * 60);
    int z = zone < 0 ? -zone : zone;
    lib_say(out, n, "%04d-%02d-%02d %02d:%02d %c%02d:%02d", t.year, t.month, t.day, t.hour,
            t.minute, zone < 0 ? '-' : '+', z / 60, z % 60);
}

void when_say_span(double seconds, lib_message *m) {
    double left = floor(seconds < 0 ? 0 : fmin(seconds, 1e15));
    long long days = (long long)(left / 86400), rest = (long long)(left - 86400 * (double)days);
    lib_words unit[] = {w_intake_days(days), w_intake_hours(rest / 3600),
                        w_intake_minutes(rest / 60 % 60), w_intake_seconds(rest % 60)};
    lib_message large, small;
    int i = 0;
    while (i < 3 && !unit[i].args[0].i) i++;
    lib_message_set(m, unit[i]);
    if (i == 3 || !unit[i + 1].args[0].i) return;
    lib_message_set(&large, unit[i]);
    lib_message_set(&small, unit[i + 1]);
    lib_message_set(m, w_intake_two_units(&large, &small));
}
