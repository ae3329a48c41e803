// jpeg: JPEG files by libturbojpeg 2.1, whose functions take plain values (turbojpeg.h documents them).

#include "CImageCodecs.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers of turbojpeg.h.
enum { FORMAT_RGBA = 7, FORMAT_CMYK = 11 };
enum { SUBSAMPLING_444 = 0, SUBSAMPLING_420 = 2 };
enum { COLORS_CMYK = 3, COLORS_YCCK = 4 };
// A file of many progressive scans costs time without end; the library allows 500 with this flag.
enum { STOP_ON_WARNING = 8192, LIMIT_SCANS = 32768 };

struct factor {
    int numerator;
    int denominator;
};

static struct {
    void *(*new_decoder)(void);
    void *(*new_encoder)(void);
    int (*destroy)(void *);
    int (*header)(void *, const unsigned char *, unsigned long, int *, int *, int *, int *);
    int (*decode)(void *, const unsigned char *, unsigned long, unsigned char *, int, int, int, int, int);
    int (*encode)(void *, const unsigned char *, int, int, int, int, unsigned char **, unsigned long *, int, int, int);
    struct factor *(*factors)(int *);
    char *(*words)(void *);
    void (*release)(unsigned char *);
} jpeg;
static char missing[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"tjInitDecompress", &jpeg.new_decoder},
        {"tjInitCompress", &jpeg.new_encoder},
        {"tjDestroy", &jpeg.destroy},
        {"tjDecompressHeader3", &jpeg.header},
        {"tjDecompress2", &jpeg.decode},
        {"tjCompress2", &jpeg.encode},
        {"tjGetScalingFactors", &jpeg.factors},
        {"tjGetErrorStr2", &jpeg.words},
        {"tjFree", &jpeg.release},
    };
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) library = NULL;
        memcpy(functions[i].place, &function, sizeof function);
    }
    if (library) return;
    const char *words = dlerror();
    snprintf(missing, sizeof missing, "%s", words ? words : "libturbojpeg.so.0 cannot be loaded");
}

bool exthost_jpeg_load(struct exthost_image *result) {
    pthread_once(&once, load);
    if (!missing[0]) return true;
    result->status = EXTHOST_IMAGE_LIBRARY_MISSING;
    memcpy(result->words, missing, sizeof missing);
    return false;
}

static void fail(struct exthost_image *result, enum exthost_image_status status, const char *words) {
    free(result->bytes);
    result->bytes = NULL;
    result->status = status;
    snprintf(result->words, sizeof result->words, "%s", words);
}

static int scaled(int length, struct factor factor) {
    return (int)(((int64_t)length * factor.numerator + factor.denominator - 1) / factor.denominator);
}

// Sets the size of the result: the smallest one that the library makes and that is not below the wanted side.
static void choose_size(int width, int height, int longest_side, struct exthost_image *result) {
    int count = 0;
    const struct factor *factors = jpeg.factors(&count);
    result->width = width;
    result->height = height;
    for (int i = 0; longest_side > 0 && factors && i < count; i++) {
        int longest = scaled(width > height ? width : height, factors[i]);
        int chosen = result->width > result->height ? result->width : result->height;
        if (longest < longest_side || longest >= chosen) continue;
        result->width = scaled(width, factors[i]);
        result->height = scaled(height, factors[i]);
    }
}

// Photoshop and its followers store CMYK inverted, and no other CMYK file is about.
static void make_rgb(uint8_t *bytes, size_t count) {
    for (uint8_t *pixel = bytes; pixel < bytes + count; pixel += 4) {
        for (int i = 0; i < 3; i++) pixel[i] = (uint8_t)((pixel[i] * pixel[3] + 127) / 255);
        pixel[3] = 255;
    }
}

void exthost_jpeg_decode(
    const uint8_t *file, size_t count, int width, int height, int longest_side, struct exthost_image *result) {
    if (!exthost_jpeg_load(result)) return;
    void *decoder = jpeg.new_decoder();
    if (!decoder) return fail(result, EXTHOST_IMAGE_NO_MEMORY, "libturbojpeg has no memory");
    int real_width = 0, real_height = 0, subsampling = 0, colors = 0;
    if (jpeg.header(decoder, file, count, &real_width, &real_height, &subsampling, &colors) < 0) {
        fail(result, EXTHOST_IMAGE_DAMAGED, jpeg.words(decoder));
    } else if (real_width != width || real_height != height) {
        fail(result, EXTHOST_IMAGE_DAMAGED, "the file has two different sizes");
    } else {
        choose_size(width, height, longest_side, result);
        bool is_cmyk = colors == COLORS_CMYK || colors == COLORS_YCCK;
        result->count = (size_t)result->width * (size_t)result->height * 4;
        result->bytes = malloc(result->count);
        if (!result->bytes) {
            fail(result, EXTHOST_IMAGE_NO_MEMORY, "there is no memory for the pixels");
        } else if (jpeg.decode(decoder, file, count, result->bytes, result->width, result->width * 4, result->height,
                       is_cmyk ? FORMAT_CMYK : FORMAT_RGBA, STOP_ON_WARNING | LIMIT_SCANS)
            != 0) {
            fail(result, EXTHOST_IMAGE_DAMAGED, jpeg.words(decoder));
        } else if (is_cmyk) {
            make_rgb(result->bytes, result->count);
        }
    }
    jpeg.destroy(decoder);
}

// Returns a copy of the pixels over white, or NULL without memory.
static uint8_t *copy_over_white(const uint8_t *pixels, size_t count) {
    uint8_t *copy = malloc(count);
    for (size_t i = 0; copy && i < count; i++) {
        int alpha = pixels[i | 3];
        copy[i] = (uint8_t)((i & 3) == 3 ? 255 : (pixels[i] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    return copy;
}

void exthost_jpeg_encode(const uint8_t *pixels, int width, int height, int quality, struct exthost_image *result) {
    if (!exthost_jpeg_load(result)) return;
    size_t count = (size_t)width * (size_t)height * 4;
    size_t opaque = 3;
    while (opaque < count && pixels[opaque] == 255) opaque += 4;
    uint8_t *copy = opaque < count ? copy_over_white(pixels, count) : NULL;
    void *encoder = jpeg.new_encoder();
    if (!encoder || (opaque < count && !copy)) {
        fail(result, EXTHOST_IMAGE_NO_MEMORY, "there is no memory for the pixels");
    } else {
        unsigned char *file = NULL;
        unsigned long size = 0;
        if (jpeg.encode(encoder, copy ? copy : pixels, width, width * 4, height, FORMAT_RGBA, &file, &size,
                quality < 90 ? SUBSAMPLING_420 : SUBSAMPLING_444, quality, 0)
            != 0) {
            fail(result, EXTHOST_IMAGE_DAMAGED, jpeg.words(encoder));
        } else {
            // The file came from the library's own allocator.
            result->bytes = malloc(size);
            result->count = size;
            if (result->bytes)
                memcpy(result->bytes, file, size);
            else
                fail(result, EXTHOST_IMAGE_NO_MEMORY, "there is no memory for the file");
        }
        jpeg.release(file);
    }
    if (encoder) jpeg.destroy(encoder);
    free(copy);
}
