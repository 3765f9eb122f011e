/* SPDX-License-Identifier: MIT */
/*
 * This harness tests the reader of .npy files. Whatever the bytes of a file are, the reader has to
 * return an array, or to refuse the file with an error. An input whose first byte is below 64 holds
 * a file after this byte. From other inputs a file is made; some have invalid keys, values or
 * lengths. A file without such an error must be accepted, with the elements that were written.
 */
#include "fuzz.h"

#include "../../tool/files/npy.h"

enum { ROOM = 4096 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    npy array;
    (void)argc, (void)argv;
    if (!npy_read("", &array)) FUZZ_FAIL("a file without a name is read");
    return 0;
}

/* ---- a file that is made --------------------------------------------------------------------- */

/* The types that the reader accepts. `size` is the number of bytes of a number; a complex element
 * has two numbers. */
static const struct {
    const char *text;
    npy_type type;
    size_t size;
} types[] = {{"<f4", NPY_F32, 4},     {">f4", NPY_F32, 4},     {"<f8", NPY_F64, 8},
             {">f8", NPY_F64, 8},     {"<f2", NPY_F16, 2},     {">f2", NPY_F16, 2},
             {"<V2", NPY_BF16, 2},    {">V2", NPY_BF16, 2},    {"<c8", NPY_F32, 4},
             {">c16", NPY_F64, 8},    {"<i4", NPY_INTEGER, 4}, {">i8", NPY_INTEGER, 8},
             {"<u2", NPY_INTEGER, 2}, {"|u1", NPY_INTEGER, 1}};

typedef struct maker {
    unsigned char *bytes;
    size_t size, which;   /* bytes that are written; index of the file's type in types[]    */
    size_t rows, columns; /* of the shape that is written, if it is a valid one             */
    int is_by_column;     /* 1: the elements of a column are contiguous ('fortran_order')   */
    int is_valid;         /* 1: all that is written so far is valid                         */
} maker;

static void put(maker *m, unsigned byte)
{
    if (m->size < ROOM) m->bytes[m->size++] = (unsigned char)byte;
    else m->is_valid = 0;
}

static void put_text(maker *m, const char *text)
{
    for (; *text; text++) put(m, (unsigned char)*text);
}

static void put_type(maker *m, fuzz_input *in)
{
    static const char *const others[] = {"",    "<",     "'",    "<f",  "<f3",  "|O",
                                         "<U3", "<c9",   "<f16", "<i3", "<i16", "<f99999999999",
                                         "f4",  "<\xff", "<c",   "<0",  "<V",   "<f4 "};
    const unsigned b = fuzz_byte(in);
    m->which = b % FUZZ_COUNT(types);
    put(m, '\'');
    if (b < 192) put_text(m, types[m->which].text);
    else put_text(m, others[(b - 192) % FUZZ_COUNT(others)]), m->is_valid = 0;
    put(m, '\'');
}

static void put_shape(maker *m, fuzz_input *in)
{
    static const char *const others[] = {"()",
                                         "(",
                                         "(,)",
                                         "(2",
                                         "(-1, 2)",
                                         "(+2,)",
                                         "(2, 2, 2)",
                                         "(1, 1, 1, 1, 1, 1, 1, 1, 2)",
                                         "(0, 4)",
                                         "(99999999999999999999,)",
                                         "(268435456, 268435456)",
                                         "(2 2)",
                                         "[2, 2]",
                                         "(2L, 2)",
                                         "(134217728,)",
                                         "(65536, 2048)"};
    const unsigned b = fuzz_byte(in), ones = fuzz_byte(in);
    char text[48];
    m->rows = 1 + b % 5, m->columns = 1 + b / 5 % 7;
    snprintf(text, sizeof text, "(%s%zu, %zu)", ones % 8 == 7 ? "1, 1, " : "", m->rows, m->columns);
    if (m->rows == 1) snprintf(text, sizeof text, "(%zu,)", m->columns);
    if (ones >= 192) m->is_valid = 0;
    put_text(m, ones < 192 ? text : others[(ones - 192) % FUZZ_COUNT(others)]);
}

static void put_order(maker *m, fuzz_input *in)
{
    static const char *const others[] = {"", "0", "true", "Tru", "'True'"};
    const unsigned b = fuzz_byte(in);
    m->is_by_column = b & 1;
    if (b >= 224) m->is_valid = 0;
    put_text(m, b >= 224 ? others[b % FUZZ_COUNT(others)] : m->is_by_column ? "True" : "False");
}

/* Writes the dictionary of the header, with its keys in any order. In some inputs one key is
 * missing, or the end of the text is cut off. */
static void put_dictionary(maker *m, fuzz_input *in)
{
    static const char *const keys[] = {"'descr': ", "'fortran_order': ", "'shape': "};
    void (*const values[])(maker *, fuzz_input *) = {put_type, put_order, put_shape};
    const unsigned order = fuzz_byte(in), end = fuzz_byte(in);
    const size_t begin = m->size;
    put(m, '{');
    for (unsigned k = 0; k < 3; k++) {
        const unsigned key = order & 1 ? (order / 2 + 3 - k) % 3 : (order / 2 + k) % 3;
        if (order >= 240 && k == order % 3) {
            m->is_valid = 0;
            continue;
        }
        put_text(m, keys[key]);
        values[key](m, in);
        put_text(m, ", ");
    }
    put_text(m, "}    \n");
    if (end >= 192) m->is_valid = 0;
    if (end >= 192 && m->size - begin > end - 192) m->size -= end - 192;
}

/* Returns the bits of x in this type. x is an integer from 0 to 126, which each type represents. */
static uint64_t bits_of(double x, npy_type type)
{
    const float narrow = (float)x;
    uint64_t bits = (uint64_t)x;
    uint32_t word;
    int exponent;
    if (type == NPY_INTEGER || x == 0) return bits;
    memcpy(&word, &narrow, sizeof word);
    memcpy(&bits, &x, sizeof bits);
    if (type == NPY_F32) return word;
    if (type == NPY_BF16) return word >> 16;
    if (type == NPY_F64) return bits;
    const double fraction = frexp(x, &exponent);
    return (uint64_t)(exponent + 14) << 10 | (uint64_t)((2 * fraction - 1) * 1024);
}

/* Returns the number at index n of the file's data. A complex element has two numbers. */
static double element(size_t n) { return (double)(n % 127); }

static size_t width_of(const maker *m)
{
    return m->columns * (strchr(types[m->which].text, 'c') ? 2 : 1);
}

static void put_elements(maker *m, fuzz_input *in)
{
    const unsigned lie = fuzz_byte(in);
    const size_t size = types[m->which].size, right = m->rows * width_of(m);
    const size_t count = lie < 224 ? right : lie % 16;
    const int is_big = types[m->which].text[0] == '>';
    if (count != right) m->is_valid = 0;
    for (size_t n = 0; n < count; n++) {
        const uint64_t bits = bits_of(element(n), types[m->which].type);
        for (size_t k = 0; k < size; k++)
            put(m, (unsigned)(bits >> 8 * (is_big ? size - 1 - k : k)) & 255);
    }
    if (lie >= 240) put(m, 0), m->is_valid = 0;
}

static void make_file(maker *m, fuzz_input *in)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    const unsigned b = fuzz_byte(in), version = b < 192 ? 1 + b % 3 : b % 5, lie = fuzz_byte(in);
    for (size_t k = 0; k < sizeof magic; k++) put(m, magic[k]);
    put(m, version);
    put(m, 0);
    const size_t at = m->size, width = version == 1 ? 2 : 4;
    m->is_valid = version >= 1 && version <= 3;
    for (size_t k = 0; k < width; k++) put(m, 0);
    put_dictionary(m, in);
    size_t length = m->size - at - width;
    if (lie >= 192) length += (size_t)lie * 257 - 55000, m->is_valid = 0;
    for (size_t k = 0; k < width; k++) m->bytes[at + k] = (unsigned char)(length >> 8 * k);
    put_elements(m, in);
}

/* ---- what must hold -------------------------------------------------------------------------- */

static void check_array(const npy *a, size_t bytes)
{
    double sum = 0;
    if (!a->of || a->rows == 0 || a->columns == 0 || a->rows > bytes / a->columns ||
        a->type > NPY_INTEGER || (a->is_complex && a->columns % 2))
        FUZZ_FAIL("%zu x %zu %s of %zu bytes", a->rows, a->columns, npy_types[a->type], bytes);
    for (size_t i = 0; i < a->rows * a->columns; i++)
        sum += a->of[i]; /* AddressSanitizer finds a number that is not allocated */
    (void)sum;
}

static void check_made(const maker *m, const npy *a)
{
    const size_t parts = width_of(m) / m->columns;
    if (a->rows != m->rows || a->columns != width_of(m) || a->type != types[m->which].type)
        FUZZ_FAIL("%zu x %zu, not %zu x %zu", a->rows, a->columns, m->rows, width_of(m));
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < width_of(m); c++) {
            const size_t in_row = c / parts, by_row = r * m->columns + in_row;
            const size_t n = m->is_by_column ? in_row * m->rows + r : by_row;
            if (a->of[r * a->columns + c] != element(n * parts + c % parts))
                FUZZ_FAIL("row %zu, column %zu: %g", r, c, a->of[r * a->columns + c]);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    maker m;
    npy array;
    if (size < 2) return 0;
    memset(&m, 0, sizeof m);
    m.bytes = (unsigned char *)malloc(ROOM);
    if (!m.bytes) FUZZ_FAIL("no memory");
    if (fuzz_byte(&in) < 64) {
        m.size = size - 1 < ROOM ? size - 1 : ROOM;
        memcpy(m.bytes, in.at, m.size);
    } else make_file(&m, &in);
    FILE *const file = fmemopen(m.bytes, m.size, "rb");
    if (!file) FUZZ_FAIL("no memory");
    const char *const error = npy_read_file(file, &array);
    if (error && (array.of || !error[0])) FUZZ_FAIL("refused with an array: %s", error);
    if (error && m.is_valid) FUZZ_FAIL("a valid file is refused: %s", error);
    if (!error) check_array(&array, m.size);
    if (m.is_valid) check_made(&m, &array);
    free(array.of);
    fclose(file);
    free(m.bytes);
    return 0;
}
