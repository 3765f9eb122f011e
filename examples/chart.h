/* SPDX-License-Identifier: MIT
 *
 * chart.h: a drawing that goes to two files at once, NAME.png through picture.h and NAME.svg, and axes
 * for it. Without libpng (DEMO_PNG=0) there is only the SVG.
 */
#ifndef CHART_H
#define CHART_H

#include "picture.h"

static const colour CHART_PAPER = {255, 255, 255}, CHART_INK = {38, 42, 51};
static const colour CHART_GREY = {120, 126, 138}, CHART_GRID = {228, 231, 237};
static const colour CHART_LINES[] = {{32, 84, 160}, {203, 66, 58}, {46, 139, 87}, {200, 130, 20}};

typedef struct chart {
    picture p;
    FILE *svg;
    char path[4096];
    double x, y, width, height;            /* the plot that axes belong to, in pixels */
    double left, right, bottom, top;       /* its values at the edges                 */
} chart;

static inline void chart_hex(FILE *f, colour c)
{
    fprintf(f, "#%02x%02x%02x", (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
}

/* Begin directory/name.svg and .png; 0 and a message on failure. */
static inline int chart_begin(chart *c, const char *directory, const char *name, int width,
                              int height)
{
    char path[4096];
    snprintf(c->path, sizeof c->path - 8, "%s/%s", directory, name);
    snprintf(path, sizeof path, "%.4000s.svg", c->path);
    c->svg = fopen(path, "w");
    if (c->svg == NULL || !picture_begin(&c->p, width, height, CHART_PAPER)) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return 0;
    }
    fprintf(c->svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
    return 1;
}

static inline int chart_end(chart *c)
{
    char path[4096];
    fprintf(c->svg, "</svg>\n");
    int ok = fclose(c->svg) == 0;
    printf("    %s.svg\n", c->path);
    if (DEMO_PNG) {
        snprintf(path, sizeof path, "%.4000s.png", c->path);
        ok &= picture_save(&c->p, path);
        printf("    %s\n", path);
    }
    picture_end(&c->p);
    return ok;
}

static inline void chart_rectangle(chart *c, int x, int y, int width, int height, colour k)
{
    picture_rectangle(&c->p, x, y, width, height, k);
    fprintf(c->svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"", x, y, width,
            height);
    chart_hex(c->svg, k);
    fprintf(c->svg, "\"/>\n");
}

/* A line through n points, in pixels. */
static inline void chart_path(chart *c, const double *x, const double *y, int n, double thickness,
                              colour k)
{
    fprintf(c->svg, "<polyline fill=\"none\" stroke=\"");
    chart_hex(c->svg, k);
    fprintf(c->svg, "\" stroke-width=\"%g\" stroke-linejoin=\"round\" points=\"", thickness);
    for (int i = 0; i < n; i++) {
        fprintf(c->svg, "%.1f,%.1f ", x[i], y[i]);
        if (i > 0) picture_line(&c->p, x[i - 1], y[i - 1], x[i], y[i], thickness, k);
    }
    fprintf(c->svg, "\"/>\n");
}

static inline void chart_line(chart *c, double x0, double y0, double x1, double y1,
                              double thickness, colour k)
{
    const double x[2] = {x0, x1}, y[2] = {y0, y1};
    chart_path(c, x, y, 2, thickness, k);
}

/* Text at (x, y) on its base line: align -1 begins there, 0 is centred, 1 ends there; across = 0 writes
   upwards. unit is a sixth of the height of a capital. */
static inline void chart_text(chart *c, double x, double y, int align, int across, double unit,
                              colour k, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const double back = picture_text_width(text, unit) * (align + 1) / 2;
    picture_text(&c->p, across ? x - back : x, across ? y : y + back, across, unit, k, text);
    fprintf(c->svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.1f\" fill=\"", x,
            y, anchors[align + 1], 8 * unit);
    chart_hex(c->svg, k);
    if (!across) fprintf(c->svg, "\" transform=\"rotate(-90 %.1f %.1f)", x, y);
    fprintf(c->svg, "\">%s</text>\n", text);
}

static inline void chart_base64(FILE *f, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0;
        const unsigned w = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
        fputc(digits[w >> 18], f);
        fputc(digits[w >> 12 & 63], f);
        fputc(i + 1 < n ? digits[w >> 6 & 63] : '=', f);
        fputc(i + 2 < n ? digits[w & 63] : '=', f);
    }
}

/* Values from -1 to 1 as pixels: rows x columns of them, packed. The SVG has them as a PNG of its
   own, or as a bitmap where there is no libpng. */
static inline void chart_values(chart *c, int x, int y, const float *values, int rows, int columns)
{
    picture p;
    if (!picture_begin(&p, columns, rows, CHART_PAPER)) return;
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < columns; j++) {
            const colour k = colour_diverging((double)values[r * columns + j]);
            picture_rectangle(&p, j, r, 1, 1, k);
            picture_rectangle(&c->p, x + j, y + r, 1, 1, k);
        }
    fprintf(c->svg, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" href=\"data:image/", x, y,
            columns, rows);
#if DEMO_PNG
    png_image image;
    png_alloc_size_t bytes = 0;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)columns, image.height = (png_uint_32)rows;
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_get_memory_size(image, bytes, 0, p.rgb, 0, NULL)) {
        unsigned char *const png = (unsigned char *)malloc(bytes);
        fprintf(c->svg, "png;base64,");
        if (png != NULL && png_image_write_to_memory(&image, png, &bytes, 0, p.rgb, 0, NULL))
            chart_base64(c->svg, png, bytes);
        free(png);
    }
#else
    /* a bitmap of Windows needs no library: a header, then blue, green, red from the bottom up */
    const size_t line = ((size_t)columns * 3 + 3) / 4 * 4, bytes = 54 + line * (size_t)rows;
    unsigned char *const bmp = (unsigned char *)calloc(bytes, 1);
    const size_t fields[8][2] = {{2, bytes}, {10, 54}, {14, 40}, {18, (size_t)columns},
                                 {22, (size_t)rows}, {26, 1}, {28, 24}, {34, line * (size_t)rows}};
    fprintf(c->svg, "bmp;base64,");
    if (bmp != NULL) {
        bmp[0] = 'B', bmp[1] = 'M';
        for (int i = 0; i < 8; i++)
            for (int b = 0; b < (fields[i][0] == 26 || fields[i][0] == 28 ? 2 : 4); b++)
                bmp[fields[i][0] + (size_t)b] = (unsigned char)(fields[i][1] >> 8 * b);
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < 3 * columns; j++)
                bmp[54 + (size_t)(rows - 1 - r) * line + (size_t)j] =
                    p.rgb[3 * (r * columns + j / 3) + 2 - j % 3];
        chart_base64(c->svg, bmp, bytes);
    }
    free(bmp);
#endif
    fprintf(c->svg, "\"/>\n");
    picture_end(&p);
}

/* ---- axes ------------------------------------------------------------------------------------------- */

static inline double chart_x(const chart *c, double v)
{
    return c->x + (v - c->left) / (c->right - c->left) * c->width;
}
static inline double chart_y(const chart *c, double v)
{
    return c->y + (c->top - v) / (c->top - c->bottom) * c->height;
}

/* A plot in a rectangle of pixels, with values from left to right and bottom to top, a tick and a grid line
   each step, names for both axes, and a title. */
static inline void chart_axes(chart *c, double x, double y, double width, double height,
                              const double range[4], double x_step, double y_step,
                              const char *x_name, const char *y_name, const char *title)
{
    char text[32];
    c->x = x, c->y = y, c->width = width, c->height = height;
    c->left = range[0], c->right = range[1], c->bottom = range[2], c->top = range[3];
    for (int i = 0; range[0] + i * x_step <= range[1] + 1e-9 * x_step; i++) {
        const double v = range[0] + i * x_step, at = chart_x(c, v);
        chart_line(c, at, y, at, y + height, 1, CHART_GRID);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * x_step ? 0.0 : v);
        chart_text(c, at, y + height + 22, 0, 1, 1.7, CHART_GREY, text);
    }
    for (int i = 0; range[2] + i * y_step <= range[3] + 1e-9 * y_step; i++) {
        const double v = range[2] + i * y_step, at = chart_y(c, v);
        chart_line(c, x, at, x + width, at, 1, CHART_GRID);
        snprintf(text, sizeof text, "%.6g", fabs(v) < 1e-9 * y_step ? 0.0 : v);
        chart_text(c, x - 9, at + 5, 1, 1, 1.7, CHART_GREY, text);
    }
    chart_line(c, x, y + height, x + width, y + height, 1.5, CHART_GREY);
    chart_line(c, x, y, x, y + height, 1.5, CHART_GREY);
    chart_text(c, x + width / 2, y + height + 50, 0, 1, 2, CHART_INK, x_name);
    chart_text(c, x - 62, y + height / 2, 0, 0, 2, CHART_INK, y_name);
    chart_text(c, x, y - 18, -1, 1, 2.2, CHART_INK, title);
}

/* n values at first, first + 1, ... of the x axis. */
static inline void chart_curve(chart *c, double first, const double *values, int n,
                               double thickness, colour k)
{
    double *const x = (double *)malloc(2 * (size_t)n * sizeof *x), *const y = x + n;
    if (x == NULL) return;
    for (int i = 0; i < n; i++) x[i] = chart_x(c, first + i), y[i] = chart_y(c, values[i]);
    chart_path(c, x, y, n, thickness, k);
    free(x);
}

/* A line of the legend, at pixels (x, y). */
static inline void chart_key(chart *c, double x, double y, colour k, const char *text)
{
    chart_line(c, x, y - 5, x + 24, y - 5, 3, k);
    chart_text(c, x + 32, y, -1, 1, 1.8, CHART_INK, text);
}

#endif /* CHART_H */
