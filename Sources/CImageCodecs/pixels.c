// pixels: loops over pixels, in C because a debug build of Swift takes seconds for a photo.

#include "CImageCodecs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t rounded(double value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5); }

// Stores a colour from sums whose colours are multiplied with alpha, which runs from 0 to 255.
static void store(const double sum[4], uint8_t *pixel) {
    for (int i = 0; i < 3; i++) pixel[i] = sum[3] > 0 ? rounded(sum[i] / sum[3] * 255) : 0;
    pixel[3] = rounded(sum[3]);
}

void exthost_pixels_shrink(const uint8_t *from, int width, int height, uint8_t *pixels, int to_width, int to_height) {
    double across = (double)width / to_width, down = (double)height / to_height;
    for (int y = 0; y < to_height; y++) {
        double top = y * down, bottom = fmin((y + 1) * down, height);
        for (int x = 0; x < to_width; x++) {
            double left = x * across, right = fmin((x + 1) * across, width), sum[4] = {0}, area = 0;
            for (int j = (int)top; j < bottom; j++) {
                double tall = fmin(j + 1, bottom) - fmax(j, top);
                for (int i = (int)left; i < right; i++) {
                    double weight = tall * (fmin(i + 1, right) - fmax(i, left));
                    const uint8_t *pixel = from + ((size_t)j * (size_t)width + (size_t)i) * 4;
                    for (int k = 0; k < 3; k++) sum[k] += weight * pixel[k] * pixel[3] / 255;
                    sum[3] += weight * pixel[3];
                    area += weight;
                }
            }
            for (int k = 0; k < 4; k++) sum[k] /= area;
            store(sum, pixels + ((size_t)y * (size_t)to_width + (size_t)x) * 4);
        }
    }
}

// Returns the stored pixel at a place of the upright image (Exif 2.3, tag 0x0112).
static const uint8_t *upright(const struct exthost_pixels *image, int x, int y) {
    int last_column = image->width - 1, last_row = image->height - 1;
    int column = x, row = y;
    switch (image->orientation) {
    case 2:
        column = last_column - x;
        break;
    case 3:
        column = last_column - x, row = last_row - y;
        break;
    case 4:
        row = last_row - y;
        break;
    case 5:
        column = y, row = x;
        break;
    case 6:
        column = y, row = last_row - x;
        break;
    case 7:
        column = last_column - y, row = last_row - x;
        break;
    case 8:
        column = last_column - y, row = x;
        break;
    default:
        break;
    }
    return image->bytes + ((size_t)row * (size_t)image->width + (size_t)column) * 4;
}

static int upright_width(const struct exthost_pixels *image) {
    return image->orientation >= 5 ? image->height : image->width;
}
static int upright_height(const struct exthost_pixels *image) {
    return image->orientation >= 5 ? image->width : image->height;
}

void exthost_pixels_turn(const uint8_t *from, int width, int height, int orientation, uint8_t *pixels) {
    struct exthost_pixels image = {from, width, height, orientation};
    for (int y = 0; y < upright_height(&image); y++)
        for (int x = 0; x < upright_width(&image); x++, pixels += 4) memcpy(pixels, upright(&image, x, y), 4);
}

size_t exthost_pixels_differing(const struct exthost_pixels *one, const struct exthost_pixels *other, int tolerance) {
    size_t count = 0;
    for (int y = 0; y < upright_height(one); y++)
        for (int x = 0; x < upright_width(one); x++) {
            const uint8_t *first = upright(one, x, y), *second = upright(other, x, y);
            bool differs = false;
            for (int i = 0; i < 4; i++) differs |= abs(first[i] - second[i]) > tolerance;
            count += differs;
        }
    return count;
}

void exthost_pixels_read(
    const uint8_t *from, size_t row, struct exthost_layout layout, int width, int height, uint8_t *pixels) {
    for (int y = 0; y < height; y++) {
        const uint8_t *pixel = from + (size_t)y * row;
        for (int x = 0; x < width; x++, pixel += 4, pixels += 4) {
            int color[3] = {pixel[layout.red], pixel[layout.green], pixel[layout.blue]};
            int alpha = layout.has_alpha ? pixel[layout.alpha] : 255;
            for (int i = 0; i < 3; i++) {
                if (layout.is_premultiplied) color[i] = alpha == 0 ? 0 : (color[i] * 255 + alpha / 2) / alpha;
                pixels[i] = (uint8_t)(color[i] > 255 ? 255 : color[i]);
            }
            pixels[3] = (uint8_t)alpha;
        }
    }
}

// Stores a colour of straight alpha.
static void put(const uint8_t color[4], uint8_t *pixel, struct exthost_layout layout) {
    const uint8_t places[3] = {layout.red, layout.green, layout.blue};
    for (int i = 0; i < 3; i++)
        pixel[places[i]] = layout.is_premultiplied ? (uint8_t)((color[i] * color[3] + 127) / 255) : color[i];
    pixel[layout.alpha] = layout.has_alpha ? color[3] : 255;
}

void exthost_pixels_write(
    const uint8_t *pixels, int width, int height, uint8_t *to, size_t row, struct exthost_layout layout) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++, pixels += 4) put(pixels, to + (size_t)y * row + (size_t)x * 4, layout);
}

// Reads the colour at a place of the image, between the centres of its pixels, multiplied with alpha.
static void sample(const uint8_t *pixels, int width, int height, double x, double y, double color[4]) {
    x -= 0.5, y -= 0.5;
    int left = (int)floor(x), top = (int)floor(y);
    double right_part = x - left, bottom_part = y - top;
    memset(color, 0, 4 * sizeof *color);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            double weight = (i ? right_part : 1 - right_part) * (j ? bottom_part : 1 - bottom_part);
            int column = left + i, row = top + j;
            column = column < 0 ? 0 : column >= width ? width - 1 : column;
            row = row < 0 ? 0 : row >= height ? height - 1 : row;
            const uint8_t *pixel = pixels + ((size_t)row * (size_t)width + (size_t)column) * 4;
            for (int k = 0; k < 3; k++) color[k] += weight * pixel[k] * pixel[3] / 255;
            color[3] += weight * pixel[3];
        }
}

void exthost_pixels_draw(const uint8_t *pixels, int width, int height, const double matrix[6], double alpha,
    bool replaces, const struct exthost_mask *mask, uint8_t *to, size_t row, int to_width, int to_height,
    struct exthost_layout layout) {
    int left = mask ? mask->x : 0, right = mask ? mask->x + mask->width : to_width;
    int top = mask ? mask->y : 0, bottom = mask ? mask->y + mask->height : to_height;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double across = matrix[0] * (x + 0.5) + matrix[2] * (y + 0.5) + matrix[4];
            double down = matrix[1] * (x + 0.5) + matrix[3] * (y + 0.5) + matrix[5];
            if (!(across >= 0 && across < width && down >= 0 && down < height)) continue;
            double color[4], part = 1;
            if (mask) part = mask->parts[(size_t)(y - top) * (size_t)mask->width + (size_t)(x - left)] / 255.0;
            if (part == 0) continue;
            sample(pixels, width, height, across, down, color);
            for (int i = 0; i < 4; i++) color[i] *= alpha * part;
            uint8_t *pixel = to + (size_t)y * row + (size_t)x * 4;
            uint8_t result[4] = {0};
            if (!replaces || part < 1) exthost_pixels_read(pixel, 4, layout, 1, 1, result);
            double below = replaces ? 1 - part : 1 - color[3] / 255;
            for (int i = 0; i < 3; i++) color[i] += result[i] * (result[3] / 255.0) * below;
            color[3] += result[3] * below;
            store(color, result);
            put(result, pixel, layout);
        }
}

bool exthost_pixels_are_opaque(const uint8_t *rows, size_t row, struct exthost_layout layout, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (rows[(size_t)y * row + (size_t)x * 4 + layout.alpha] != 255) return false;
    return true;
}
