// CImageCodecs: the system's libturbojpeg and libpng, found at run time, and loops over pixels.
//
// No header of the two libraries is needed to build this. Pixels are RGBA, 8 bits each, top row first, without padding;
// alpha is straight (not multiplied into the colours), unless a function says otherwise.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exthost_image_status {
    EXTHOST_IMAGE_DONE,
    EXTHOST_IMAGE_LIBRARY_MISSING,
    EXTHOST_IMAGE_DAMAGED,
    EXTHOST_IMAGE_NO_MEMORY,
};

/// The result of a call. The caller frees `bytes`.
struct exthost_image {
    enum exthost_image_status status;
    int width;
    int height;
    uint8_t *bytes;
    size_t count;
    char words[200];  // the library's, or the dynamic linker's
};

/// Loads the library unless it is loaded. Returns false, and the dynamic linker's words, if it cannot be used.
bool exthost_jpeg_load(struct exthost_image *result);
bool exthost_png_load(struct exthost_image *result);

/// Decodes a whole file to pixels. `width` and `height` are the size that the caller has checked; a file that has
/// another one is damaged. Any warning of the library is an error: a cut file is only a warning to libturbojpeg.
///
/// A JPEG file is scaled while it is decoded, to the smallest size of the library that is not below `longest_side`; 0
/// keeps the size.
void exthost_jpeg_decode(
    const uint8_t *file, size_t count, int width, int height, int longest_side, struct exthost_image *result);
void exthost_png_decode(const uint8_t *file, size_t count, int width, int height, struct exthost_image *result);

/// Encodes pixels to a file. `quality` is 1 to 100. JPEG has no alpha: transparent pixels become white.
void exthost_jpeg_encode(const uint8_t *pixels, int width, int height, int quality, struct exthost_image *result);
void exthost_png_encode(const uint8_t *pixels, int width, int height, struct exthost_image *result);

/// Averages pixels into a smaller image of `to_width` by `to_height`.
void exthost_pixels_shrink(const uint8_t *from, int width, int height, uint8_t *pixels, int to_width, int to_height);

/// Turns stored pixels upright, by the EXIF orientation 1 to 8. From 5 on, width and height change their places.
void exthost_pixels_turn(const uint8_t *from, int width, int height, int orientation, uint8_t *pixels);

/// Stored pixels with their EXIF orientation.
struct exthost_pixels {
    const uint8_t *bytes;
    int width;
    int height;
    int orientation;
};

/// Counts the upright pixels that differ by more than `tolerance` in a channel. The upright sizes must be equal.
size_t exthost_pixels_differing(const struct exthost_pixels *one, const struct exthost_pixels *other, int tolerance);

/// The places of the channels in four bytes, and the meaning of alpha.
struct exthost_layout {
    uint8_t red, green, blue, alpha;
    bool has_alpha;
    bool is_premultiplied;
};

/// Converts rows of any layout to RGBA with straight alpha, and back.
void exthost_pixels_read(
    const uint8_t *from, size_t row, struct exthost_layout layout, int width, int height, uint8_t *pixels);
void exthost_pixels_write(
    const uint8_t *pixels, int width, int height, uint8_t *to, size_t row, struct exthost_layout layout);

/// Whether the byte of alpha, with a meaning or without, is 255 in all rows.
bool exthost_pixels_are_opaque(const uint8_t *rows, size_t row, struct exthost_layout layout, int width, int height);

/// A rectangle of rows of pixels, with the part of each of its pixels that counts: 255 for all of it.
struct exthost_mask {
    uint8_t *parts;  // a byte for each pixel of the rectangle, its top row first
    int x;
    int y;
    int width;
    int height;
};

/// Draws pixels over rows of a layout, or in place of what is there.
///
/// `matrix` (a, b, c, d, tx, ty) maps a place in the rows, whose top left corner is 0, 0, to a place in the image. A
/// row's pixel whose centre lies outside of the image is left alone. `mask` has the parts that are drawn, and nothing
/// is drawn outside of it; null: everything is.
void exthost_pixels_draw(const uint8_t *pixels, int width, int height, const double matrix[6], double alpha,
    bool replaces, const struct exthost_mask *mask, uint8_t *to, size_t row, int to_width, int to_height,
    struct exthost_layout layout);

/// Polygons, each closed, whose places have the top left corner 0, 0. All numbers are finite.
struct exthost_path {
    const double *points;  // x and y in turn
    const size_t *ends;  // for each polygon, the number of points up to its end
    size_t polygons;
    bool is_even_odd;  // else the rule of the winding number
};

/// Multiplies a mask with the part of each pixel that the polygons cover. Returns false, with the mask unchanged,
/// without memory.
bool exthost_path_cover(const struct exthost_path *path, const struct exthost_mask *mask);

#endif
