// path: fills polygons, with smooth edges.

#include "CImageCodecs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The lines of samples in a row of pixels. Along a line, coverage is exact.
enum { LINES = 16 };

struct edge {
    double top, bottom;  // y, with top < bottom
    double x, slope;  // x at the top, and its change per y
    int winding;
};

struct crossing {
    double x;
    int winding;
};

static int by_top(const void *one, const void *other) {
    double a = ((const struct edge *)one)->top, b = ((const struct edge *)other)->top;
    return (a > b) - (a < b);
}

static int by_x(const void *one, const void *other) {
    double a = ((const struct crossing *)one)->x, b = ((const struct crossing *)other)->x;
    return (a > b) - (a < b);
}

// Adds the part of each pixel between two places of a line, clipped to the row.
static void cover(float *row, int width, double left, double right) {
    left = left < 0 ? 0 : left > width ? width : left;
    right = right < 0 ? 0 : right > width ? width : right;
    if (!(right > left)) return;
    int first = (int)left, last = (int)right;
    if (first == last) {
        row[first] += (float)(right - left) / LINES;
        return;
    }
    row[first] += (float)(first + 1 - left) / LINES;
    for (int x = first + 1; x < last; x++) row[x] += 1.0f / LINES;
    if (last < width) row[last] += (float)(right - last) / LINES;
}

static size_t make_edges(const struct exthost_path *path, const struct exthost_mask *mask, struct edge *edges) {
    size_t count = 0, start = 0;
    for (size_t p = 0; p < path->polygons; p++) {
        size_t end = path->ends[p];
        for (size_t i = start; i < end; i++) {
            size_t next = i + 1 < end ? i + 1 : start;
            double x0 = path->points[2 * i] - mask->x, y0 = path->points[2 * i + 1] - mask->y;
            double x1 = path->points[2 * next] - mask->x, y1 = path->points[2 * next + 1] - mask->y;
            if (y0 == y1) continue;
            bool is_down = y1 > y0;
            struct edge edge = {.top = is_down ? y0 : y1, .bottom = is_down ? y1 : y0, .winding = is_down ? 1 : -1};
            edge.slope = (x1 - x0) / (y1 - y0);
            edge.x = is_down ? x0 : x1;
            if (edge.bottom > 0 && edge.top < mask->height) edges[count++] = edge;
        }
        start = end;
    }
    return count;
}

bool exthost_path_cover(const struct exthost_path *path, const struct exthost_mask *mask) {
    int width = mask->width, height = mask->height;
    size_t points = path->polygons ? path->ends[path->polygons - 1] : 0;
    struct edge *edges = malloc((points + 1) * sizeof *edges);
    size_t *active = malloc((points + 1) * sizeof *active);
    struct crossing *crossings = malloc((points + 1) * sizeof *crossings);
    float *row = malloc((size_t)width * sizeof *row);
    bool is_made = edges && active && crossings && row;
    if (is_made) {
        size_t count = make_edges(path, mask, edges), next = 0, open = 0;
        qsort(edges, count, sizeof *edges, by_top);
        for (int y = 0; y < height; y++) {
            memset(row, 0, (size_t)width * sizeof *row);
            bool is_touched = false;
            for (int line = 0; line < LINES; line++) {
                double place = y + (line + 0.5) / LINES;
                while (next < count && edges[next].top <= place) active[open++] = next++;
                size_t kept = 0, found = 0;
                for (size_t i = 0; i < open; i++) {
                    const struct edge *edge = edges + active[i];
                    if (edge->bottom <= place) continue;
                    active[kept++] = active[i];
                    crossings[found].x = edge->x + (place - edge->top) * edge->slope;
                    crossings[found++].winding = edge->winding;
                }
                open = kept;
                qsort(crossings, found, sizeof *crossings, by_x);
                int winding = 0;
                for (size_t i = 0; i + 1 < found; i++) {
                    winding += crossings[i].winding;
                    bool is_inside = path->is_even_odd ? i % 2 == 0 : winding != 0;
                    if (!is_inside) continue;
                    cover(row, width, crossings[i].x, crossings[i + 1].x);
                    is_touched = true;
                }
            }
            uint8_t *out = mask->parts + (size_t)y * (size_t)width;
            for (int x = 0; x < width; x++) {
                float part = is_touched ? (row[x] > 1 ? 1 : row[x]) : 0;
                out[x] = (uint8_t)(part * out[x] + 0.5f);
            }
        }
    }
    free(edges);
    free(active);
    free(crossings);
    free(row);
    return is_made;
}
