/* SPDX-License-Identifier: MIT */
/* Reads a GGUF file (version 2 or 3, either byte order) into a list of `path = value` (list.h).
 * ggml's docs/gguf.md describes the format: a header with keys, their values and the descriptions
 * of tensors, then the data of the tensors. The list gets the keys that gguf_is_listed() accepts,
 * the values of tensors that divide frequencies, and the names of other tensors that concern
 * positions. */
#ifndef TOOL_GGUF_H
#define TOOL_GGUF_H

#include "enums.h"
#include "list.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* The size of the buffer, and limits for hostile files. */
enum {
    GGUF_BUFFER = 16384,      /* bytes that are read from the file at once                */
    GGUF_MOST_KEYS = 16384,   /* keys of a file; models have about 40                     */
    GGUF_MOST_NAME = 256,     /* bytes of a key or a tensor's name; ggml allows 64        */
    GGUF_MOST_TEXT = 4096,    /* bytes of a string; the list has a longer one's size only */
    GGUF_MOST_ITEMS = 1048576 /* items of the list                                        */
};

/* Lists the types of values. Their numbers are those of the format. */
typedef enum gguf_type {
    GGUF_U8 = 0,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
} gguf_type;

/* Holds what gguf_read() tells its caller about the file, besides the list. */
typedef struct gguf_report {
    char error[512];        /* an error message with the key or the tensor; "": no error */
    unsigned version;       /* the version of the format: 2 or 3                         */
    uint64_t tensors;       /* the number of tensors in this file                        */
    uint64_t bytes_fetched; /* bytes read from the file; tests/checks/gguf.py bounds them */
} gguf_report;

/* Holds a file that is read forward only, through a buffer. Bytes that are not needed are skipped.
 * Without the buffer, skipping the 400,000 strings of a tokenizer would take a system call for
 * each. */
typedef struct gguf_source {
    FILE *file;
    gguf_report *report; /* gets the error message                                    */
    uint64_t size;       /* number of bytes in the file                               */
    uint64_t begin;      /* offset in the file of the buffer's first byte             */
    size_t next;         /* index in the buffer of the next byte to return            */
    size_t have;         /* number of bytes in the buffer                             */
    int is_big_endian;
    char key[GGUF_MOST_NAME + 1]; /* the key or tensor that is read now, for messages */
    unsigned char buffer[GGUF_BUFFER];
} gguf_source;

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Sets the error message, unless there is one already. Returns 0, so that callers can return it. */
static int gguf_fail(gguf_source *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!s->report->error[0])
        vsnprintf(s->report->error, sizeof s->report->error, format, arguments);
    va_end(arguments);
    return 0;
}

/* Returns the offset in the file of the next byte that is read. */
static uint64_t gguf_at(const gguf_source *s) { return s->begin + s->next; }
static uint64_t gguf_left(const gguf_source *s) { return s->size - gguf_at(s); }

static int gguf_seek(FILE *file, uint64_t offset, int from)
{
#if defined(_WIN32)
    return _fseeki64(file, (long long)offset, from) == 0;
#else
    return offset <= (uint64_t)(~0UL >> 1) && fseek(file, (long)offset, from) == 0;
#endif
}

/* Sets s->size, and moves to the beginning of the file. Returns 1 on success. Returns 0 with an
 * error for a pipe, which has no size. */
static int gguf_measure(gguf_source *s)
{
#if defined(_WIN32)
    const long long size = _fseeki64(s->file, 0, SEEK_END) == 0 ? _ftelli64(s->file) : -1;
#else
    const long size = fseek(s->file, 0, SEEK_END) == 0 ? ftell(s->file) : -1;
#endif
    if (size < 0 || !gguf_seek(s->file, 0, SEEK_SET))
        return gguf_fail(s, "the file cannot be searched: give a regular file, not a pipe");
    s->size = (uint64_t)size;
    return 1;
}

/* Skips `count` bytes. The caller has checked that the file has so many left. Returns 1 on success,
 * otherwise 0 with an error message. */
static int gguf_skip(gguf_source *s, uint64_t count)
{
    if (count <= s->have - s->next) {
        s->next += (size_t)count;
        return 1;
    }
    s->begin = gguf_at(s) + count;
    s->next = s->have = 0;
    return gguf_seek(s->file, s->begin, SEEK_SET) || gguf_fail(s, "%s: a seek failed", s->key);
}

/* Copies the next `count` bytes to `to`. `what` names them in the error message. Like all
 * functions below that read, it returns 1 on success, otherwise 0 with an error message. */
static int gguf_bytes(gguf_source *s, void *to, size_t count, const char *what)
{
    if (count > gguf_left(s))
        return gguf_fail(s, "%s: the file ends within %s: it has %llu bytes, %llu are needed",
                         s->key, what, (unsigned long long)s->size,
                         (unsigned long long)(gguf_at(s) + count));
    for (size_t done = 0; done < count;) {
        if (s->next == s->have) {
            s->begin += s->have;
            s->next = 0;
            s->have = fread(s->buffer, 1, sizeof s->buffer, s->file);
            s->report->bytes_fetched += s->have;
            if (s->have == 0) return gguf_fail(s, "%s: a read failed within %s", s->key, what);
        }
        const size_t ready = s->have - s->next, wanted = count - done;
        const size_t available = wanted < ready ? wanted : ready;
        memcpy((char *)to + done, s->buffer + s->next, available);
        s->next += available;
        done += available;
    }
    return 1;
}

/* Reads an unsigned integer of `size` bytes, 1 to 8, in the byte order of the file. */
static int gguf_integer(gguf_source *s, size_t size, uint64_t *to, const char *what)
{
    unsigned char bytes[8];
    if (!gguf_bytes(s, bytes, size, what)) return 0;
    *to = 0;
    for (size_t k = 0; k < size; k++) *to = *to << 8 | bytes[s->is_big_endian ? k : size - 1 - k];
    return 1;
}

/* Reads the length of a string, and checks that the file has so many bytes after it. */
static int gguf_length(gguf_source *s, uint64_t *length, const char *what)
{
    if (!gguf_integer(s, 8, length, what)) return 0;
    return *length <= gguf_left(s) ||
           gguf_fail(s, "%s: %s has %llu bytes, and the file ends after %llu", s->key, what,
                     (unsigned long long)*length, (unsigned long long)gguf_left(s));
}

/* Reads the name of a key or a tensor. It must have 1 to GGUF_MOST_NAME characters of printable
 * ASCII, without spaces. */
static int gguf_name(gguf_source *s, char to[GGUF_MOST_NAME + 1], const char *what)
{
    uint64_t length;
    if (!gguf_length(s, &length, what)) return 0;
    if (length == 0 || length > GGUF_MOST_NAME)
        return gguf_fail(s, "%s: %s has %llu bytes: 1 ... %d are wanted", s->key, what,
                         (unsigned long long)length, (int)GGUF_MOST_NAME);
    if (!gguf_bytes(s, to, (size_t)length, what)) return 0;
    to[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (to[i] <= ' ' || to[i] > '~')
            return gguf_fail(s, "%s: byte %u of %s is 0x%02x: printable ASCII is wanted", s->key,
                             (unsigned)i, what, (unsigned)(unsigned char)to[i]);
    return 1;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the size of a value of this type in bytes, or 0 for strings, arrays and unknown types. */
static size_t gguf_size(uint64_t type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    TOOL_HAS_ALL(sizes, GGUF_TYPES);
    return type < GGUF_TYPES ? sizes[type] : 0;
}

static int gguf_add(gguf_source *s, list *to, const char *path, value_kind kind, double number,
                    const char *text)
{
    if (to->count >= GGUF_MOST_ITEMS)
        return gguf_fail(s, "%s: more than %d values", path, (int)GGUF_MOST_ITEMS);
    return list_add(to, path, kind, number, text, ORIGIN_FILE) ||
           gguf_fail(s, "%s: out of memory", path);
}

/* Converts the bits of a float (size 4) or a double (size 8) to a number. The target has IEEE 754
 * formats, as all of pe requires. */
static double gguf_float(uint64_t bits, size_t size)
{
    const uint32_t word = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &word, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return size == 4 ? (double)f : d;
}

/* Reads a number or a boolean, and adds it to the list. If `to` is NULL, nothing is added. `type`
 * is one for which gguf_size() is not 0. */
static int gguf_scalar(gguf_source *s, list *to, const char *path, uint64_t type)
{
    const size_t size = gguf_size(type);
    uint64_t bits;
    char text[40];
    if (!gguf_integer(s, size, &bits, "its value")) return 0;
    if (type == GGUF_BOOL) {
        if (bits > 1) return gguf_fail(s, "%s: a boolean is 0 or 1, not %u", path, (unsigned)bits);
        return !to || gguf_add(s, to, path, VALUE_BOOLEAN, (double)bits, bits ? "true" : "false");
    }
    if (type == GGUF_F32 || type == GGUF_F64) {
        const double x = gguf_float(bits, size);
        snprintf(text, sizeof text, "%.*g", size == 4 ? 9 : 17, x);
        return !to || gguf_add(s, to, path, VALUE_NUMBER, x, text);
    }
    const int is_signed =
        type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    const int is_negative = is_signed && (bits & sign) != 0;
    const uint64_t size_of_it = is_negative ? (sign - 1 - (bits & (sign - 1))) + 1 : bits;
    snprintf(text, sizeof text, "%s%llu", is_negative ? "-" : "", (unsigned long long)size_of_it);
    const double x = is_negative ? -(double)size_of_it : (double)size_of_it;
    return !to || gguf_add(s, to, path, VALUE_NUMBER, x, text);
}

static int gguf_string(gguf_source *s, list *to, const char *path)
{
    uint64_t length;
    char text[GGUF_MOST_TEXT + 1];
    if (!gguf_length(s, &length, "its string")) return 0;
    if (!to) return gguf_skip(s, length);
    if (length > GGUF_MOST_TEXT) {
        snprintf(text, sizeof text, "[%llu bytes]", (unsigned long long)length);
        return gguf_skip(s, length) && gguf_add(s, to, path, VALUE_OTHER, 0, text);
    }
    if (!gguf_bytes(s, text, (size_t)length, "its string")) return 0;
    text[length] = '\0';
    if (strlen(text) != length) return gguf_fail(s, "%s: its string has a byte 0", path);
    return gguf_add(s, to, path, VALUE_STRING, 0, text);
}

static int gguf_array(gguf_source *s, list *to, const char *path)
{
    uint64_t type, count;
    char element[GGUF_MOST_NAME + 32];
    if (!gguf_integer(s, 4, &type, "the type of its elements") ||
        !gguf_integer(s, 8, &count, "its number of elements"))
        return 0;
    if (type == GGUF_ARRAY)
        return gguf_fail(s, "%s: arrays of arrays are not read; llama.cpp has none", path);
    if (type >= GGUF_TYPES)
        return gguf_fail(s, "%s: its elements have type %llu: there are 0 ... %d", path,
                         (unsigned long long)type, GGUF_TYPES - 1);
    const size_t size = type == GGUF_STRING ? 8 : gguf_size(type);
    if (count > gguf_left(s) / size)
        return gguf_fail(s, "%s: %llu elements of %s%u bytes, and the file ends after %llu", path,
                         (unsigned long long)count, type == GGUF_STRING ? "at least " : "",
                         (unsigned)size, (unsigned long long)gguf_left(s));
    const int is_listed = to && type != GGUF_STRING && count > 0 && count <= LIST_MOST_ELEMENTS;
    if (to && !is_listed) {
        snprintf(element, sizeof element, count ? "[%llu elements]" : "[]",
                 (unsigned long long)count);
        if (!gguf_add(s, to, path, VALUE_OTHER, 0, element)) return 0;
    }
    if (!is_listed && type != GGUF_STRING) return gguf_skip(s, count * size);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(element, sizeof element, "%s[%llu]", path, (unsigned long long)i);
        if (!(is_listed ? gguf_scalar(s, to, element, type) : gguf_string(s, NULL, element)))
            return 0;
    }
    return 1;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Returns whether a key belongs in the list. Tokens, templates and authors do not: they take most
 * of a header and say nothing about positions. They are the keys that begin with "tokenizer." or
 * "general.", except three of the latter. */
static int gguf_is_listed(const char *key)
{
    return strncmp(key, "tokenizer.", 10) != 0 &&
           (strncmp(key, "general.", 8) != 0 || strcmp(key, "general.architecture") == 0 ||
            strcmp(key, "general.name") == 0 || strcmp(key, "general.type") == 0);
}

/* Reads general.alignment, which must be a power of two. The data of each tensor begin at a
 * multiple of this number of bytes. */
static int gguf_alignment(gguf_source *s, uint64_t type, uint64_t *alignment)
{
    if (type != GGUF_U32)
        return gguf_fail(s, "general.alignment: a u32 is wanted, not type %llu",
                         (unsigned long long)type);
    if (!gguf_integer(s, 4, alignment, "its value")) return 0;
    return (*alignment && (*alignment & (*alignment - 1)) == 0) ||
           gguf_fail(s, "general.alignment: %llu is no power of two",
                     (unsigned long long)*alignment);
}

/* Returns the FNV-1a hash of a key. gguf_key() takes two keys with equal hashes for the same key. A
 * file of 16384 different keys is wrongly refused for this with a probability of 2^-37. */
static uint64_t gguf_hash(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    while (*text) hash = (hash ^ (unsigned char)*text++) * 1099511628211u;
    return hash;
}

/* Reads the key with index `number`, counted from 0, and its value. hashes[] has the hashes of the
 * keys before it, and gets the hash of this key. The value of general.alignment goes to *alignment,
 * not to the list. */
static int gguf_key(gguf_source *s, list *to, uint64_t *hashes, size_t number, uint64_t *alignment)
{
    char key[GGUF_MOST_NAME + 1];
    uint64_t type;
    snprintf(s->key, sizeof s->key, "key %u", (unsigned)number + 1);
    if (!gguf_name(s, key, "its name")) return 0;
    memcpy(s->key, key, sizeof key);
    hashes[number] = gguf_hash(key);
    for (size_t i = 0; i < number; i++)
        if (hashes[i] == hashes[number]) return gguf_fail(s, "%s: the key is there twice", key);
    if (!gguf_integer(s, 4, &type, "its type")) return 0;
    if (strcmp(key, "general.alignment") == 0) return gguf_alignment(s, type, alignment);
    list *const used = gguf_is_listed(key) ? to : NULL;
    if (type == GGUF_STRING) return gguf_string(s, used, key);
    if (type == GGUF_ARRAY) return gguf_array(s, used, key);
    if (type < GGUF_TYPES) return gguf_scalar(s, used, key, type);
    return gguf_fail(s, "%s: type %llu: there are 0 ... %d", key, (unsigned long long)type,
                     GGUF_TYPES - 1);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Holds what the header says about a tensor. */
typedef struct gguf_tensor {
    char name[GGUF_MOST_NAME + 1];
    uint64_t dimensions; /* how many dimensions it has: 0 to 4                       */
    uint64_t count;      /* the number of its elements                               */
    uint64_t type;       /* ggml's number of the element type; 0 is f32              */
    uint64_t offset;     /* where its data begin, in bytes after the first data byte */
} gguf_tensor;

static int gguf_tensor_info(gguf_source *s, uint64_t number, uint64_t alignment, gguf_tensor *t)
{
    snprintf(s->key, sizeof s->key, "tensor %llu", (unsigned long long)number + 1);
    if (!gguf_name(s, t->name, "its name")) return 0;
    memcpy(s->key, t->name, sizeof t->name);
    if (!gguf_integer(s, 4, &t->dimensions, "its number of dimensions")) return 0;
    if (t->dimensions > 4)
        return gguf_fail(s, "%s: %llu dimensions: ggml has at most 4", t->name,
                         (unsigned long long)t->dimensions);
    t->count = 1;
    for (uint64_t d = 0; d < t->dimensions; d++) {
        uint64_t length;
        if (!gguf_integer(s, 8, &length, "its dimensions")) return 0;
        if (length > INT64_MAX)
            return gguf_fail(s, "%s: dimension %llu is negative: %lld", t->name,
                             (unsigned long long)d, (long long)-(int64_t)(~length) - 1);
        if (length && t->count > INT64_MAX / length)
            return gguf_fail(s, "%s: more than 2^63 elements", t->name);
        t->count *= length;
    }
    if (!gguf_integer(s, 4, &t->type, "its type") || !gguf_integer(s, 8, &t->offset, "its offset"))
        return 0;
    return t->offset % alignment == 0 ||
           gguf_fail(s, "%s: its offset, %llu, is no multiple of general.alignment, %llu", t->name,
                     (unsigned long long)t->offset, (unsigned long long)alignment);
}

/* The tensors whose elements are read. Each element divides the frequency of one pair. */
static const char *const gguf_factor_tensors[] = {"rope_freqs.weight", "rope_factors_long.weight",
                                                  "rope_factors_short.weight"};
enum { GGUF_FACTOR_TENSORS = 3 };

/* Reads the elements of a tensor of gguf_factor_tensors[], which must be f32. `data` is the offset
 * in the file at which the data of all tensors begin. These tensors have to be read in the order of
 * their offsets, because the file is read forward only. */
static int gguf_factors(gguf_source *s, list *to, const gguf_tensor *t, uint64_t data)
{
    memcpy(s->key, t->name, sizeof t->name);
    if (t->type != 0)
        return gguf_fail(s, "%s: ggml's type %llu: f32, which is 0, is wanted", t->name,
                         (unsigned long long)t->type);
    if (t->dimensions != 1 || t->count == 0 || t->count > LIST_MOST_ELEMENTS)
        return gguf_fail(s, "%s: %llu dimensions, %llu elements: one of 1 ... %d is wanted",
                         t->name, (unsigned long long)t->dimensions, (unsigned long long)t->count,
                         (int)LIST_MOST_ELEMENTS);
    if (data > s->size || t->offset > s->size - data || t->count > (s->size - data - t->offset) / 4)
        return gguf_fail(s,
                         "%s: its %llu numbers begin at byte %llu, and the file has %llu: "
                         "is it whole?",
                         t->name, (unsigned long long)t->count,
                         (unsigned long long)(data + t->offset), (unsigned long long)s->size);
    if (data + t->offset < gguf_at(s)) return gguf_fail(s, "%s: its data are no data", t->name);
    if (!gguf_skip(s, data + t->offset - gguf_at(s))) return 0;
    for (uint64_t i = 0; i < t->count; i++) {
        char path[GGUF_MOST_NAME + 32];
        snprintf(path, sizeof path, "%.40s[%llu]", t->name, (unsigned long long)i);
        if (!gguf_scalar(s, to, path, GGUF_F32)) return 0;
    }
    return 1;
}

/* Reads the descriptions of all tensors, then the data of those in gguf_factor_tensors[]. Other
 * tensors that concern positions, judged by their names, become items without their elements. */
static int gguf_tensors(gguf_source *s, list *to, uint64_t alignment)
{
    gguf_tensor t, factors[GGUF_FACTOR_TENSORS];
    size_t found = 0;
    TOOL_HAS_ALL(gguf_factor_tensors, GGUF_FACTOR_TENSORS);
    for (uint64_t i = 0; i < s->report->tensors; i++) {
        if (!gguf_tensor_info(s, i, alignment, &t)) return 0;
        size_t k = 0, place = found;
        while (k < GGUF_FACTOR_TENSORS && strcmp(t.name, gguf_factor_tensors[k]) != 0) k++;
        if (k < GGUF_FACTOR_TENSORS) {
            for (size_t f = 0; f < found; f++)
                if (strcmp(factors[f].name, t.name) == 0)
                    return gguf_fail(s, "%.40s: the tensor is there twice", t.name);
            for (; place > 0 && factors[place - 1].offset > t.offset; place--)
                factors[place] = factors[place - 1];
            factors[place] = t; /* sorted by offset, since the file is read forward only */
            found++;
        } else if (strstr(t.name, "rope") || strncmp(t.name, "position_embd", 13) == 0) {
            char text[48];
            snprintf(text, sizeof text, "[%llu elements, not read]", (unsigned long long)t.count);
            if (!gguf_add(s, to, t.name, VALUE_OTHER, 0, text)) return 0;
        }
    }
    const uint64_t past = gguf_at(s) % alignment;
    const uint64_t data = gguf_at(s) + (past ? alignment - past : 0);
    for (size_t f = 0; f < found; f++)
        if (!gguf_factors(s, to, &factors[f], data)) return 0;
    return 1;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int gguf_begins(const unsigned char first[4]) { return memcmp(first, "GGUF", 4) == 0; }

/* Reads the beginning of the file: the magic number, the version, and the numbers of tensors and
 * keys. The version also shows the byte order: read in the wrong order, it is above 0xffff. */
static int gguf_head(gguf_source *s, uint64_t *keys)
{
    unsigned char magic[4];
    uint64_t version;
    memcpy(s->key, "the file", 9);
    if (!gguf_measure(s) || !gguf_bytes(s, magic, 4, "the magic number")) return 0;
    if (!gguf_begins(magic)) return gguf_fail(s, "the file begins without \"GGUF\"");
    if (!gguf_integer(s, 4, &version, "the version")) return 0;
    s->is_big_endian = version > 0xffff;
    if (s->is_big_endian)
        version = (version & 0xff) << 24 | (version >> 8 & 0xff) << 16 |
                  (version >> 16 & 0xff) << 8 | version >> 24;
    if (version != 2 && version != 3)
        return gguf_fail(s, "GGUF version %llu: 2 and 3 are read; llama.cpp's converter writes 3",
                         (unsigned long long)version);
    s->report->version = (unsigned)version;
    if (!gguf_integer(s, 8, &s->report->tensors, "the number of tensors") ||
        !gguf_integer(s, 8, keys, "the number of keys"))
        return 0;
    if (*keys > GGUF_MOST_KEYS)
        return gguf_fail(s, "the file: %llu keys: at most %d are read", (unsigned long long)*keys,
                         (int)GGUF_MOST_KEYS);
    const uint64_t minimum = 24; /* bytes of a description without name and dimensions */
    return s->report->tensors <= gguf_left(s) / minimum ||
           gguf_fail(s, "the file: %llu tensors of at least %u bytes, and the file ends after %llu",
                     (unsigned long long)s->report->tensors, (unsigned)minimum,
                     (unsigned long long)gguf_left(s));
}

/* Appends the keys of a GGUF file, and what gguf_tensors() reads of its tensors, to a list. The
 * file must be seekable, and its position afterwards is unspecified. Returns 1 on success.
 * Otherwise returns 0 with report->error, and the list may have some of the items. */
static int gguf_read(FILE *file, list *to, gguf_report *report)
{
    uint64_t keys = 0, alignment = 32;
    gguf_source *const s = (gguf_source *)calloc(1, sizeof *s);
    uint64_t *const hashes = (uint64_t *)malloc(GGUF_MOST_KEYS * sizeof *hashes);
    memset(report, 0, sizeof *report);
    int is_good = s && hashes;
    if (is_good) {
        s->file = file;
        s->report = report;
        is_good = gguf_head(s, &keys);
    } else snprintf(report->error, sizeof report->error, "out of memory");
    for (size_t i = 0; is_good && i < keys; i++) is_good = gguf_key(s, to, hashes, i, &alignment);
    if (is_good) is_good = gguf_tensors(s, to, alignment);
    free(s);
    free(hashes);
    return is_good;
}

#endif
