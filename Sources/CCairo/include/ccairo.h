#ifndef CCAIRO_H
#define CCAIRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A page to draw on, in points (1/72 inch) from the top left. After an error, such as lack of
/// memory, further drawing does nothing, and `ccairo_finish` reports the error. Swift manages its
/// reference count.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:ccairo_retain")))
__attribute__((swift_attr("release:ccairo_release"))) ccairo_page;
typedef struct ccairo_page ccairo_page;

/// A function that does not keep its text after the call, so Swift may pass a String.
#define CCAIRO_SAFE __attribute__((swift_attr("safe")))

/// Creates an empty page for an SVG file; returns null if out of memory.
ccairo_page *_Nullable ccairo_make_svg(double width, double height)
    __attribute__((swift_attr("returns_retained")));

/// Creates a white page for a PNG file; `scale` is the number of pixels per point.
ccairo_page *_Nullable ccairo_make_png(double width, double height, double scale)
    __attribute__((swift_attr("returns_retained")));

void ccairo_retain(ccairo_page *page);
void ccairo_release(ccairo_page *page);

/// Sets the colour of further drawing; components are from 0 to 1.
void ccairo_colour(ccairo_page *page, double red, double green, double blue, double alpha);

/// Begins a line, and extends it.
void ccairo_move(ccairo_page *page, double x, double y);
void ccairo_line(ccairo_page *page, double x, double y);

/// Adds a circle or a rectangle to the path.
void ccairo_circle(ccairo_page *page, double x, double y, double radius);
void ccairo_rectangle(ccairo_page *page, double x, double y, double width, double height);

/// Strokes or fills the path, and clears it.
void ccairo_stroke(ccairo_page *page, double width);
void ccairo_fill(ccairo_page *page);

/// Clips further drawing to the path, until `ccairo_unclip`.
void ccairo_clip(ccairo_page *page);
void ccairo_unclip(ccairo_page *page);

/// Measures the width of a text, and draws it from a point on its baseline. UTF-8, ended by 0.
double ccairo_text_width(ccairo_page *page, const char *text, double size, bool is_bold)
    CCAIRO_SAFE;
void ccairo_text(ccairo_page *page, const char *text, double x, double y, double size,
                 bool is_bold) CCAIRO_SAFE;

/// Ends the page. Returns null and the file's bytes, which live as long as the page, or an error
/// message.
const char *_Nullable ccairo_finish(ccairo_page *page, const uint8_t *_Nullable *_Nonnull bytes,
                                    size_t *count);

#pragma clang assume_nonnull end

#endif
