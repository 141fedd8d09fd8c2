/* See pdf.h. Objects are written one after the other; their offsets are kept for the table at the
 * end (ISO 32000-1, 7.5). */
#include "runner/practice/pdf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/term/text.h"

/* The objects of every file; pages and their contents follow. */
enum {
    PDF_CATALOG = 1,
    PDF_PAGE_TREE,
    PDF_INFO,
    PDF_HELVETICA,
    PDF_BOLD,
    PDF_SONG,
    PDF_SONG_CID,
    PDF_SONG_LOOKS,
    PDF_FILE,
    PDF_FILE_SPEC,
    PDF_FIRST_PAGE,
    PDF_OBJECTS = PDF_FIRST_PAGE + 2 * PDF_PAGES
};

struct pdf {
    lib_buffer page[PDF_PAGES];
    size_t pages;
    bool full;
    char *title, *attached, *attached_name;
    size_t attached_n;
    lib_buffer out;
    size_t at[PDF_OBJECTS];
};

/* Helvetica's widths from blank to tilde, in thousandths of the size (Adobe's metrics). */
static const short helvetica[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

pdf *pdf_new(const char *title) {
    pdf *p = lib_malloc(sizeof *p);
    *p = (pdf){.title = lib_strdup(title)};
    return p;
}

bool pdf_page(pdf *p) {
    p->full = p->pages == PDF_PAGES;
    if (!p->full) p->pages++;
    return !p->full;
}

static bool is_plain(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e) return false;
    return true;
}

/* (text) if it is ASCII, otherwise <UTF-16BE>. */
static void put_string(lib_buffer *b, const char *text, bool mark) {
    if (is_plain(text)) {
        lib_buffer_puts(b, "(");
        for (; *text; text++) {
            if (strchr("()\\", *text)) lib_buffer_puts(b, "\\");
            lib_buffer_add(b, text, 1);
        }
        lib_buffer_puts(b, ")");
        return;
    }
    lib_buffer_puts(b, mark ? "<FEFF" : "<");
    for (size_t i = 0, n = strlen(text); i < n;) {
        uint32_t c;
        i += text_decode(text + i, n - i, &c);
        if (c > 0xffff) {
            lib_buffer_printf(b, "%04X", (unsigned)(0xd800 + ((c - 0x10000) >> 10)));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        lib_buffer_printf(b, "%04X", (unsigned)c);
    }
    lib_buffer_puts(b, ">");
}

static bool is_plain_at(const char *text) {
    return (unsigned char)*text >= 0x20 && (unsigned char)*text <= 0x7e;
}

/* Returns a copy of the letters at `text` that one font has; *rest points after them. */
static char *run_of(const char *text, const char **rest) {
    const char *end = text;
    bool plain = is_plain_at(text);
    while (*end && is_plain_at(end) == plain) end++;
    *rest = end;
    return lib_format("%.*s", (int)(end - text), text);
}

static double run_width(const char *run, double size) {
    double w = 0;
    for (size_t i = 0, n = strlen(run); i < n;) {
        uint32_t c;
        i += text_decode(run + i, n - i, &c);
        w += c >= 0x20 && c <= 0x7e ? helvetica[c - 0x20] : 1000;
    }
    return w * size / 1000;
}

void pdf_text(pdf *p, double x, double y, double size, bool bold, const char *text) {
    if (!p->pages || p->full) return;
    lib_buffer *b = &p->page[p->pages - 1];
    while (*text) {
        const char *font = !is_plain_at(text) ? "F3" : bold ? "F2" : "F1";
        char *run = run_of(text, &text);
        lib_buffer_printf(b, "BT /%s %.1f Tf %.2f %.2f Td ", font, size, x, y);
        put_string(b, run, false);
        lib_buffer_puts(b, " Tj ET\n");
        x += run_width(run, size);
        free(run);
    }
}

static double width_of(const char *text, double size) {
    double w = 0;
    while (*text) {
        char *run = run_of(text, &text);
        w += run_width(run, size);
        free(run);
    }
    return w;
}

void pdf_text_right(pdf *p, double x, double y, double size, const char *text) {
    pdf_text(p, x - width_of(text, size), y, size, false, text);
}

void pdf_line(pdf *p, double x1, double y1, double x2, double y2) {
    if (!p->pages || p->full) return;
    lib_buffer_printf(&p->page[p->pages - 1], "0.5 w %.1f %.1f m %.1f %.1f l S\n", x1, y1, x2, y2);
}

void pdf_attach(pdf *p, const char *name, const char *data, size_t n) {
    if (p->attached) return;
    p->attached_name = lib_strdup(name);
    p->attached = lib_malloc(n + 1);
    memcpy(p->attached, data, n);
    p->attached_n = n;
}

/* ---- the file ---- */

static void begin(pdf *p, int object) {
    p->at[object] = p->out.n;
    lib_buffer_printf(&p->out, "%d 0 obj\n", object);
}

static void put_object(pdf *p, int object, const char *text) {
    begin(p, object);
    lib_buffer_puts(&p->out, text);
    lib_buffer_puts(&p->out, "\nendobj\n");
}

static void put_stream(pdf *p, int object, const char *more, const char *data, size_t n) {
    begin(p, object);
    lib_buffer_printf(&p->out, "<< %s/Length %zu >>\nstream\n", more, n);
    lib_buffer_add(&p->out, data, n);
    lib_buffer_puts(&p->out, "\nendstream\nendobj\n");
}

static void put_fonts(pdf *p) {
    put_object(p, PDF_HELVETICA,
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    put_object(p, PDF_BOLD,
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding "
               "/WinAnsiEncoding >>");
    put_object(p, PDF_SONG,
               "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H "
               "/DescendantFonts [7 0 R] >>");
    put_object(p, PDF_SONG_CID,
               "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << "
               "/Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /FontDescriptor 8 0 R /DW 1000 "
               "/W [1 95 500] >>");
    put_object(p, PDF_SONG_LOOKS,
               "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 "
               "880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>");
}

static void put_pages(pdf *p) {
    begin(p, PDF_PAGE_TREE);
    lib_buffer_printf(&p->out, "<< /Type /Pages /Count %zu /Kids [", p->pages);
    for (size_t i = 0; i < p->pages; i++)
        lib_buffer_printf(&p->out, "%s%d 0 R", i ? " " : "", PDF_FIRST_PAGE + 2 * (int)i);
    lib_buffer_puts(&p->out, "] >>\nendobj\n");
    for (size_t i = 0; i < p->pages; i++) {
        int page = PDF_FIRST_PAGE + 2 * (int)i;
        begin(p, page);
        lib_buffer_printf(&p->out,
                          "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
                          "/Resources << /Font << /F1 4 0 R /F2 5 0 R /F3 6 0 R >> >> >>\nendobj\n",
                          PDF_WIDTH, PDF_HEIGHT, page + 1);
        put_stream(p, page + 1, "", p->page[i].s ? p->page[i].s : "", p->page[i].n);
    }
}

static void put_attached(pdf *p) {
    put_stream(p, PDF_FILE, "/Type /EmbeddedFile /Subtype /application#2Fjson ",
               p->attached ? p->attached : "", p->attached_n);
    begin(p, PDF_FILE_SPEC);
    lib_buffer_puts(&p->out, "<< /Type /Filespec /F ");
    put_string(&p->out, p->attached_name ? p->attached_name : "nothing", true);
    lib_buffer_puts(&p->out, " /EF << /F 9 0 R >> >>\nendobj\n");
}

char *pdf_end(pdf *p, size_t *n) {
    lib_buffer_puts(&p->out, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
    begin(p, PDF_CATALOG);
    lib_buffer_puts(&p->out, "<< /Type /Catalog /Pages 2 0 R");
    if (p->attached) {
        lib_buffer_puts(&p->out, " /Names << /EmbeddedFiles << /Names [");
        put_string(&p->out, p->attached_name, true);
        lib_buffer_puts(&p->out, " 10 0 R] >> >>");
    }
    lib_buffer_puts(&p->out, " >>\nendobj\n");
    begin(p, PDF_INFO);
    lib_buffer_puts(&p->out, "<< /Title ");
    put_string(&p->out, p->title, true);
    lib_buffer_puts(&p->out, " >>\nendobj\n");
    put_fonts(p);
    put_attached(p);
    put_pages(p);
    size_t table = p->out.n;
    int objects = PDF_FIRST_PAGE + 2 * (int)p->pages;
    lib_buffer_printf(&p->out, "xref\n0 %d\n0000000000 65535 f \n", objects);
    for (int i = 1; i < objects; i++) lib_buffer_printf(&p->out, "%010zu 00000 n \n", p->at[i]);
    lib_buffer_printf(&p->out,
                      "trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
                      objects, table);
    for (size_t i = 0; i < p->pages; i++) lib_buffer_free(&p->page[i]);
    *n = p->out.n;
    char *bytes = lib_buffer_take(&p->out);
    free(p->title);
    free(p->attached);
    free(p->attached_name);
    free(p);
    return bytes;
}
