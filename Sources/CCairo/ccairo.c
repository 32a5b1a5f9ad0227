#include "ccairo.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ccairo_page {
    _Atomic long references;
    cairo_t *cairo;
    cairo_surface_t *surface;
    bool is_png;
    uint8_t *bytes;
    size_t count;
    size_t room;
};

static cairo_status_t keep(void *closure, const unsigned char *data, unsigned int length) {
    ccairo_page *page = closure;
    if (page->count + length > page->room) {
        size_t room = (page->count + length) * 2;
        uint8_t *bytes = realloc(page->bytes, room);
        if (bytes == NULL) return CAIRO_STATUS_NO_MEMORY;
        page->bytes = bytes;
        page->room = room;
    }
    memcpy(page->bytes + page->count, data, length);
    page->count += length;
    return CAIRO_STATUS_SUCCESS;
}

static ccairo_page *begin(ccairo_page *page, cairo_surface_t *surface) {
    page->references = 1;
    page->surface = surface;
    page->cairo = cairo_create(surface);
    cairo_set_line_join(page->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(page->cairo, CAIRO_LINE_CAP_ROUND);
    return page;
}

ccairo_page *ccairo_make_svg(double width, double height) {
    ccairo_page *page = calloc(1, sizeof *page);
    if (page == NULL) return NULL;
    return begin(page, cairo_svg_surface_create_for_stream(keep, page, width, height));
}

ccairo_page *ccairo_make_png(double width, double height, double scale) {
    ccairo_page *page = calloc(1, sizeof *page);
    if (page == NULL) return NULL;
    page->is_png = true;
    begin(page, cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)lround(width * scale), (int)lround(height * scale)));
    cairo_set_source_rgb(page->cairo, 1, 1, 1);
    cairo_paint(page->cairo);
    cairo_scale(page->cairo, scale, scale);
    return page;
}

void ccairo_retain(ccairo_page *page) { page->references++; }

void ccairo_release(ccairo_page *page) {
    if (--page->references) return;
    cairo_destroy(page->cairo);
    // This may still write the last bytes of an unfinished SVG to `page->bytes`.
    cairo_surface_destroy(page->surface);
    free(page->bytes);
    free(page);
}

void ccairo_colour(ccairo_page *page, double red, double green, double blue, double alpha) {
    cairo_set_source_rgba(page->cairo, red, green, blue, alpha);
}

void ccairo_move(ccairo_page *page, double x, double y) { cairo_move_to(page->cairo, x, y); }

void ccairo_line(ccairo_page *page, double x, double y) { cairo_line_to(page->cairo, x, y); }

void ccairo_circle(ccairo_page *page, double x, double y, double radius) {
    cairo_new_sub_path(page->cairo);
    cairo_arc(page->cairo, x, y, radius, 0, 2 * M_PI);
}

void ccairo_rectangle(ccairo_page *page, double x, double y, double width, double height) {
    cairo_rectangle(page->cairo, x, y, width, height);
}

void ccairo_stroke(ccairo_page *page, double width) {
    cairo_set_line_width(page->cairo, width);
    cairo_stroke(page->cairo);
}

void ccairo_fill(ccairo_page *page) { cairo_fill(page->cairo); }

void ccairo_clip(ccairo_page *page) {
    cairo_save(page->cairo);
    cairo_clip(page->cairo);
}

void ccairo_unclip(ccairo_page *page) { cairo_restore(page->cairo); }

static void set_font(ccairo_page *page, double size, bool is_bold) {
    cairo_font_weight_t weight = is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL;
    cairo_select_font_face(page->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, weight);
    cairo_set_font_size(page->cairo, size);
}

double ccairo_text_width(ccairo_page *page, const char *text, double size, bool is_bold) {
    cairo_text_extents_t extents;
    set_font(page, size, is_bold);
    cairo_text_extents(page->cairo, text, &extents);
    return extents.x_advance;
}

void ccairo_text(
    ccairo_page *page, const char *text, double x, double y, double size, bool is_bold
) {
    set_font(page, size, is_bold);
    cairo_move_to(page->cairo, x, y);
    cairo_show_text(page->cairo, text);
    cairo_new_path(page->cairo);
}

const char *ccairo_finish(ccairo_page *page, const uint8_t **bytes, size_t *count) {
    cairo_status_t status = cairo_status(page->cairo);
    if (status == CAIRO_STATUS_SUCCESS && page->is_png) {
        cairo_surface_flush(page->surface);
        status = cairo_surface_write_to_png_stream(page->surface, keep, page);
    }
    cairo_surface_finish(page->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(page->surface);
    *bytes = page->bytes;
    *count = page->count;
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}
