#ifndef CCAIRO_H
#define CCAIRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A page that is drawn on, in points (1/72 inch) from the top left. What goes wrong on the way, such as
/// want of memory, makes the rest of the drawing do nothing, and shows at the end.
/// Swift counts its references.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:ccairo_retain")))
__attribute__((swift_attr("release:ccairo_release"))) ccairo_page;
typedef struct ccairo_page ccairo_page;

/// A function that uses its text during the call alone: Swift may give it a String.
#define CCAIRO_SAFE __attribute__((swift_attr("safe")))

/// An empty page that becomes an SVG file; null without memory.
ccairo_page *_Nullable ccairo_make_svg(double width, double height)
    __attribute__((swift_attr("returns_retained")));

/// An empty white page that becomes a PNG file, with so many pixels to a point.
ccairo_page *_Nullable ccairo_make_png(double width, double height, double scale)
    __attribute__((swift_attr("returns_retained")));

void ccairo_retain(ccairo_page *page);
void ccairo_release(ccairo_page *page);

/// Sets the colour of what is drawn next; parts of one.
void ccairo_colour(ccairo_page *page, double red, double green, double blue, double alpha);

/// Begins a line, and goes on with it.
void ccairo_move(ccairo_page *page, double x, double y);
void ccairo_line(ccairo_page *page, double x, double y);

/// Adds a circle or a rectangle.
void ccairo_circle(ccairo_page *page, double x, double y, double radius);
void ccairo_rectangle(ccairo_page *page, double x, double y, double width, double height);

/// Draws along what was added, or fills it, and forgets it.
void ccairo_stroke(ccairo_page *page, double width);
void ccairo_fill(ccairo_page *page);

/// Keeps all that follows within what was added, until it is set free.
void ccairo_clip(ccairo_page *page);
void ccairo_unclip(ccairo_page *page);

/// How wide a text is in a size, and the text with its base line at a place. UTF-8, ended by 0.
double ccairo_text_width(ccairo_page *page, const char *text, double size, bool is_bold)
    CCAIRO_SAFE;
void ccairo_text(ccairo_page *page, const char *text, double x, double y, double size,
                 bool is_bold) CCAIRO_SAFE;

/// Ends the page. Null where it is whole, with its bytes, which live as long as the page; else why not.
const char *_Nullable ccairo_finish(ccairo_page *page, const uint8_t *_Nullable *_Nonnull bytes,
                                    size_t *count);

#pragma clang assume_nonnull end

#endif
