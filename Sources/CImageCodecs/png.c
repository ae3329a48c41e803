// png: PNG files by the simplified interface of libpng 1.6, which keeps its own errors (png.h documents it).

#include "CImageCodecs.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The documented struct of png.h, version 1.
struct image {
    void *opaque;
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t format;
    uint32_t flags;
    uint32_t colormap_entries;
    uint32_t warning_or_error;
    char message[64];
};
enum { VERSION = 1, FORMAT_RGBA = 3 };

static struct {
    int (*begin)(struct image *, const void *, size_t);
    int (*finish)(struct image *, const void *, void *, int32_t, void *);
    int (*write)(struct image *, FILE *, int, const void *, int32_t, const void *);
    void (*release)(struct image *);
} png;
static char missing[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"png_image_begin_read_from_memory", &png.begin},
        {"png_image_finish_read", &png.finish},
        {"png_image_write_to_stdio", &png.write},
        {"png_image_free", &png.release},
    };
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) library = NULL;
        memcpy(functions[i].place, &function, sizeof function);
    }
    if (library) return;
    const char *words = dlerror();
    snprintf(missing, sizeof missing, "%s", words ? words : "libpng16.so.16 cannot be loaded");
}

bool exthost_png_load(struct exthost_image *result) {
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

void exthost_png_decode(const uint8_t *file, size_t count, int width, int height, struct exthost_image *result) {
    if (!exthost_png_load(result)) return;
    struct image image = {.version = VERSION};
    if (!png.begin(&image, file, count)) return fail(result, EXTHOST_IMAGE_DAMAGED, image.message);
    if (image.width != (uint32_t)width || image.height != (uint32_t)height) {
        fail(result, EXTHOST_IMAGE_DAMAGED, "the file has two different sizes");
    } else {
        image.format = FORMAT_RGBA;
        result->width = width;
        result->height = height;
        result->count = (size_t)width * (size_t)height * 4;
        result->bytes = malloc(result->count);
        if (!result->bytes)
            fail(result, EXTHOST_IMAGE_NO_MEMORY, "there is no memory for the pixels");
        else if (!png.finish(&image, NULL, result->bytes, width * 4, NULL))
            fail(result, EXTHOST_IMAGE_DAMAGED, image.message);
    }
    png.release(&image);
}

void exthost_png_encode(const uint8_t *pixels, int width, int height, struct exthost_image *result) {
    if (!exthost_png_load(result)) return;
    struct image image = {
        .version = VERSION, .width = (uint32_t)width, .height = (uint32_t)height, .format = FORMAT_RGBA};
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, &result->count);
    if (!stream) return fail(result, EXTHOST_IMAGE_NO_MEMORY, "there is no memory for the file");
    bool is_written = png.write(&image, stream, 0, pixels, width * 4, NULL) != 0;
    bool is_closed = fclose(stream) == 0;
    result->bytes = (uint8_t *)bytes;
    if (!is_written || !is_closed) fail(result, EXTHOST_IMAGE_DAMAGED, image.message);
    png.release(&image);
}
