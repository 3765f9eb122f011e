/* SPDX-License-Identifier: MIT
 *
 * picture.h: a small canvas for the examples: smooth lines, discs, rings, wedges, plotter-style text,
 * saved as PNG by libpng. Compile with -DDEMO_PNG=1 and link with -lpng; with -DDEMO_PNG=0 nothing can
 * be saved.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEMO_PNG
    #define DEMO_PNG 0
#endif
#if DEMO_PNG
    #include <png.h>
#endif

typedef struct colour {
    double r, g, b; /* 0 to 255 */
} colour;

typedef struct picture {
    int width, height;
    unsigned char *rgb;
} picture;

static inline colour colour_mix(colour a, colour b, double t)
{
    const colour c = {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
    return c;
}

/* The colour of a value from -1 (blue) over 0 (near white) to 1 (red). */
static inline colour colour_diverging(double value)
{
    static const colour stops[] = {{24, 50, 106},   {45, 103, 168},  {122, 173, 212},
                                   {204, 223, 236}, {248, 246, 243}, {250, 216, 196},
                                   {238, 153, 120}, {206, 76, 66},   {128, 18, 40}};
    const double x = (value + 1) * 4;
    const int i = x <= 0 ? 0 : x >= 8 ? 7 : (int)x;
    return colour_mix(stops[i], stops[i + 1], x - i);
}

static inline int picture_begin(picture *p, int width, int height, colour background)
{
    p->width = width;
    p->height = height;
    p->rgb = (unsigned char *)malloc((size_t)width * (size_t)height * 3);
    if (p->rgb == NULL)
        return 0;
    for (int i = 0; i < width * height; i++) {
        p->rgb[3 * i] = (unsigned char)background.r;
        p->rgb[3 * i + 1] = (unsigned char)background.g;
        p->rgb[3 * i + 2] = (unsigned char)background.b;
    }
    return 1;
}

static inline void picture_end(picture *p)
{
    free(p->rgb);
    p->rgb = NULL;
}

/* Lay a colour over one pixel; coverage from 0 (nothing) to 1 (all of it). */
static inline void picture_blend(picture *p, int x, int y, colour c, double coverage)
{
    if (x < 0 || y < 0 || x >= p->width || y >= p->height || coverage <= 0)
        return;
    if (coverage > 1)
        coverage = 1;
    unsigned char *q = p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
    q[0] = (unsigned char)(q[0] + (c.r - q[0]) * coverage + 0.5);
    q[1] = (unsigned char)(q[1] + (c.g - q[1]) * coverage + 0.5);
    q[2] = (unsigned char)(q[2] + (c.b - q[2]) * coverage + 0.5);
}

static inline void picture_rectangle(picture *p, int x, int y, int width, int height, colour c)
{
    for (int j = y; j < y + height; j++)
        for (int i = x; i < x + width; i++)
            picture_blend(p, i, j, c, 1);
}

/* A line of a given thickness with round ends; the same point twice makes a dot. */
static inline void picture_line(picture *p, double x0, double y0, double x1, double y1,
                                double thickness, colour c)
{
    const double reach = thickness / 2 + 1, dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    for (int j = (int)floor(fmin(y0, y1) - reach); j <= (int)ceil(fmax(y0, y1) + reach); j++) {
        for (int i = (int)floor(fmin(x0, x1) - reach); i <= (int)ceil(fmax(x0, x1) + reach); i++) {
            const double px = i + 0.5 - x0, py = j + 0.5 - y0;
            double t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            picture_blend(p, i, j, c, thickness / 2 + 0.5 - hypot(px - t * dx, py - t * dy));
        }
    }
}

/* The part of a disc from 12 o'clock clockwise by turn radians (2 pi: all of it). */
static inline void picture_wedge(picture *p, double cx, double cy, double radius, double turn,
                                 colour c)
{
    const double pi = 3.14159265358979323846;
    for (int j = (int)floor(cy - radius); j <= (int)ceil(cy + radius); j++) {
        for (int i = (int)floor(cx - radius); i <= (int)ceil(cx + radius); i++) {
            int inside = 0; /* of 4 x 4 points in this pixel */
            for (int k = 0; k < 16; k++) {
                const double x = i + (k % 4 + 0.5) / 4 - cx, y = j + (k / 4 + 0.5) / 4 - cy;
                const double angle = atan2(x, -y);
                inside += hypot(x, y) <= radius && (angle < 0 ? angle + 2 * pi : angle) <= turn;
            }
            picture_blend(p, i, j, c, inside / 16.0);
        }
    }
}

static inline void picture_ring(picture *p, double cx, double cy, double radius, double thickness,
                                colour c)
{
    const double reach = radius + thickness + 1;
    for (int j = (int)floor(cy - reach); j <= (int)ceil(cy + reach); j++)
        for (int i = (int)floor(cx - reach); i <= (int)ceil(cx + reach); i++)
            picture_blend(p, i, j, c,
                          thickness / 2 + 0.5 - fabs(hypot(i + 0.5 - cx, j + 0.5 - cy) - radius));
}

/* ---- text ----------------------------------------------------------------------------------------- */

/* Strokes on a grid 6 high (0 the top, 6 the base line, 8 the descenders), x before y, a stroke a word. */
static inline const char *picture_glyph(char ch)
{
    static const struct {
        char ch;
        const char *strokes;
    } glyphs[] = {
        {'0', "100105162635312010"},
        {'1', "011016"},
        {'2', "01102031320636"},
        {'3', "011020313223 13233435261605"},
        {'4', "26200434"},
        {'5', "30000312223335261605"},
        {'6', "312010010516263534231304"},
        {'7', "003016"},
        {'8', "100102132332312010 130405162635342313"},
        {'9', "051626353120100102132332"},
        {'a', "12223336 341405162635"},
        {'b', "0006 0312223335261605"},
        {'c', "3322120305162635"},
        {'d', "3036 3322120305162635"},
        {'e', "04343322120305162635"},
        {'f', "30201116 0222"},
        {'g', "3237281807 3322120305162635"},
        {'h', "0006 0312223336"},
        {'i', "0206 0000"},
        {'j', "121708 1010"},
        {'k', "0006 3205 1436"},
        {'l', "0006"},
        {'m', "0206 03122326 23324346"},
        {'n', "0206 0312223336"},
        {'o', "120305162635332212"},
        {'p', "0208 0312223335261605"},
        {'q', "3238 3322120305162635"},
        {'r', "0206 041222"},
        {'s', "33221203142435261605"},
        {'t', "101526 0222"},
        {'u', "0205162635 3236"},
        {'v', "022642"},
        {'w', "0216233642"},
        {'x', "0236 3206"},
        {'y', "0226 4218"},
        {'z', "02320636"},
        {'.', "0606"},
        {',', "0607"},
        {':', "0303 0606"},
        {'-', "0424"},
        {'+', "0424 1315"},
        {'=', "0323 0525"},
        {'/', "3006"},
        {'(', "10010516"},
        {')', "00111506"},
    };
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++)
        if (glyphs[i].ch == ch)
            return glyphs[i].strokes;
    return "";
}

static inline double picture_glyph_width(const char *strokes)
{
    double width = *strokes == '\0' ? 1.4 : 0;
    for (const char *s = strokes; *s != '\0'; s += s[2] == ' ' ? 3 : 2)
        width = fmax(width, s[0] - '0');
    return width;
}

/* Width of a text in pixels; unit is the size of a grid square, so capitals are 6 units high. */
static inline double picture_text_width(const char *text, double unit)
{
    double width = 0;
    for (; *text != '\0'; text++)
        width += picture_glyph_width(picture_glyph(*text)) + (text[1] != '\0' ? 1.9 : 0);
    return width * unit;
}

/* Write a text from (x, y), the left end of its base line; across = 0 writes it upwards. */
static inline void picture_text(picture *p, double x, double y, int across, double unit, colour c,
                                const char *text)
{
    double pen = 0;
    for (; *text != '\0'; text++) {
        const char *strokes = picture_glyph(*text);
        for (const char *s = strokes; *s != '\0'; s += 2) {
            const int joined = s[2] != ' ' && s[2] != '\0';
            const char *const next = joined ? s + 2 : s;
            const int alone = s == strokes || s[-1] == ' ';
            if (joined || alone) {
                const double u0 = (pen + s[0] - '0') * unit, v0 = (s[1] - '0' - 6) * unit;
                const double u1 = (pen + next[0] - '0') * unit, v1 = (next[1] - '0' - 6) * unit;
                if (across)
                    picture_line(p, x + u0, y + v0, x + u1, y + v1, 0.8 * unit, c);
                else
                    picture_line(p, x + v0, y - u0, x + v1, y - u1, 0.8 * unit, c);
            }
            if (s[2] == ' ')
                s++;
        }
        pen += picture_glyph_width(strokes) + 1.9;
    }
}

/* The same, centred on x (across) or y (upwards). */
static inline void picture_text_centred(picture *p, double x, double y, int across, double unit,
                                        colour c, const char *text)
{
    const double half = picture_text_width(text, unit) / 2;
    picture_text(p, across ? x - half : x, across ? y : y + half, across, unit, c, text);
}

/* Save as a PNG file; 0 and a message on failure. */
static inline int picture_save(const picture *p, const char *path)
{
#if DEMO_PNG
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)p->width;
    image.height = (png_uint_32)p->height;
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, path, 0, p->rgb, 0, NULL))
        return 1;
    fprintf(stderr, "%s: %s\n", path, image.message);
    return 0;
#else
    (void)p;
    fprintf(stderr, "%s: not written: compiled without libpng\n", path);
    return 0;
#endif
}

#endif /* PICTURE_H */
