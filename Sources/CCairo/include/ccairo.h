#ifndef CCAIRO_H
#define CCAIRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A page that is drawn on, in points (1/72 inch) from the top left. What goes wrong on the way, such as
/// want of memory, makes the rest of the drawing do nothing, and shows at the end.
typedef struct ccairo_page ccairo_page;

/// An empty page that becomes an SVG file; null without memory.
ccairo_page *ccairo_make_svg(double width, double height);

/// An empty white page that becomes a PNG file, with so many pixels to a point.
ccairo_page *ccairo_make_png(double width, double height, double scale);

void ccairo_free(ccairo_page *page);

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
double ccairo_text_width(ccairo_page *page, const char *text, double size, bool is_bold);
void ccairo_text(ccairo_page *page, const char *text, double x, double y, double size, bool is_bold);

/// Ends the page. Null where it is whole, with its bytes, which live as long as the page; else why not.
const char *ccairo_finish(ccairo_page *page, const uint8_t **bytes, size_t *count);

#endif
