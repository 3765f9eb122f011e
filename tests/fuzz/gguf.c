/* SPDX-License-Identifier: MIT */
/*
 * This harness tests the reader of GGUF files. Whatever the bytes of a file are, the reader has to
 * list its keys, or to refuse it with an error text. An input whose first byte is below 64 holds a
 * file after this byte. From other inputs a file is made, with keys that models have. Some of its
 * numbers, lengths and counts are wrong.
 */
#include "fuzz.h"

#include "../../tool/model/gguf_config.h"

enum { ROOM = 8192 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

/* ---- a file -------------------------------------------------------------------------------------
 */

typedef struct maker {
    unsigned char *bytes;
    size_t size;
    int is_big_endian;
} maker;

static void put(maker *m, uint64_t value, size_t size)
{
    for (size_t k = 0; k < size && m->size < ROOM; k++)
        m->bytes[m->size++] = (unsigned char)(value >> 8 * (m->is_big_endian ? size - 1 - k : k));
}

static void put_text(maker *m, const char *text)
{
    const size_t length = strlen(text);
    put(m, length, 8);
    for (size_t k = 0; k < length; k++) put(m, (unsigned char)text[k], 1);
}

static uint64_t lie(fuzz_input *in, uint64_t value)
{
    static const uint64_t lies[] = {0,
                                    1,
                                    0x7fffffff,
                                    0xffffffff,
                                    (uint64_t)1 << 62,
                                    (uint64_t)1 << 63,
                                    UINT64_MAX,
                                    UINT64_MAX / 4,
                                    UINT64_MAX / 8 + 1};
    const size_t which = fuzz_byte(in);
    return which < 16 ? lies[which % FUZZ_COUNT(lies)] : which < 20 ? value + which - 18 : value;
}

/* Writes a number of the GGUF type `type`. Most bytes of the input give a small number. */
static void put_number(maker *m, fuzz_input *in, unsigned type)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    const unsigned b = fuzz_byte(in);
    uint64_t bits = b < 16 ? fuzz_bytes(in, 8) : b < 200 ? b % 64 : (uint64_t)b << b % 16;
    if (b >= 16 && type == GGUF_F32) {
        const float x = b < 200 ? (float)(b % 64) : (float)b * 5000;
        uint32_t word;
        memcpy(&word, &x, sizeof word);
        bits = word;
    }
    if (type == GGUF_BOOL && b >= 16) bits &= 1;
    put(m, bits, sizes[type % FUZZ_COUNT(sizes)]);
}

static void put_array(maker *m, fuzz_input *in)
{
    static const char *const texts[] = {"a", "", "yarn"};
    const unsigned type = fuzz_byte(in) % 16, count = fuzz_byte(in) % 24;
    put(m, type, 4);
    put(m, lie(in, count), 8);
    for (unsigned i = 0; i < count; i++) {
        if (type == GGUF_STRING) put_text(m, texts[fuzz_below(in, FUZZ_COUNT(texts))]);
        else put_number(m, in, type);
    }
}

static void put_value(maker *m, fuzz_input *in, unsigned type)
{
    static const char *const texts[] = {"linear", "yarn", "longrope", "none", "", "f32"};
    put(m, type, 4);
    if (type == GGUF_STRING) put_text(m, texts[fuzz_below(in, FUZZ_COUNT(texts))]);
    else if (type == GGUF_ARRAY) put_array(m, in);
    else put_number(m, in, type);
}

static void put_key(maker *m, fuzz_input *in, const char *architecture)
{
    static const char *const others[] = {"attention.sliding_window_pattern",
                                         "attention.head_count",
                                         "attention.head_count_kv",
                                         "embedding_length",
                                         "attention.kv_lora_rank",
                                         "full_attention_interval",
                                         "leading_dense_block_count",
                                         "nextn_predict_layers",
                                         "rope.scale_linear",
                                         "rope.scaling.finetuned",
                                         "rope.wobble",
                                         "attention.compress_ratios",
                                         "attention.compress_rope_freq_base"};
    static const unsigned types[] = {GGUF_U32, GGUF_F32, GGUF_STRING, GGUF_ARRAY, GGUF_BOOL};
    const size_t names = sizeof gguf_names / sizeof *gguf_names;
    const unsigned b = fuzz_byte(in), t = fuzz_byte(in);
    char key[128];
    const size_t which = b % (names + FUZZ_COUNT(others));
    snprintf(key, sizeof key, "%s.%s", architecture,
             which < names ? gguf_names[which].gguf : others[which - names]);
    if (b == 255) snprintf(key, sizeof key, "general.alignment");
    if (b == 254) snprintf(key, sizeof key, "split.no");
    if (b == 253) snprintf(key, sizeof key, "tokenizer.ggml.tokens");
    put_text(m, key);
    put_value(m, in, t < 160 ? types[t % FUZZ_COUNT(types)] : t % 16);
}

static void put_tensor(maker *m, fuzz_input *in)
{
    static const char *const names[] = {"rope_freqs.weight", "rope_factors_long.weight",
                                        "rope_factors_short.weight", "position_embd.weight",
                                        "blk.0.attn_q.weight"};
    const unsigned b = fuzz_byte(in), dimensions = 1 + (b >> 6);
    put_text(m, names[b % FUZZ_COUNT(names)]);
    put(m, lie(in, dimensions), 4);
    for (unsigned d = 0; d < dimensions; d++) put(m, lie(in, fuzz_byte(in) % 33), 8);
    put(m, fuzz_byte(in) % 4 == 3, 4);
    put(m, lie(in, fuzz_byte(in) % 4 * 32), 8);
}

static void make_file(maker *m, fuzz_input *in)
{
    const size_t types = sizeof gguf_architectures / sizeof *gguf_architectures;
    const char *const architecture = gguf_architectures[fuzz_below(in, 256) % types].name;
    const unsigned keys = fuzz_byte(in) % 32, tensors = fuzz_byte(in) % 4, order = fuzz_byte(in);
    m->is_big_endian = order % 8 == 7;
    for (const char *c = "GGUF"; *c; c++) put(m, (unsigned char)*c, 1);
    put(m, order == 0 ? fuzz_bytes(in, 4) : 2 + order % 2, 4);
    put(m, lie(in, tensors), 8);
    put(m, lie(in, keys + 1), 8);
    put_text(m, "general.architecture");
    put(m, GGUF_STRING, 4);
    put_text(m, architecture);
    for (unsigned k = 0; k < keys; k++) put_key(m, in, architecture);
    for (unsigned k = 0; k < tensors; k++) put_tensor(m, in);
    for (unsigned k = fuzz_byte(in); k; k--) put(m, k, 1);
}

/* ---- what must hold -----------------------------------------------------------------------------
 */

static void check_list(const list *l)
{
    if (l->is_out_of_memory || l->count > GGUF_MOST_ITEMS) FUZZ_FAIL("%zu items", l->count);
    for (size_t i = 0; i < l->count; i++)
        if (!l->items[i].path[0] || l->items[i].kind > VALUE_OTHER ||
            strlen(l->items[i].text) > GGUF_MOST_TEXT)
            FUZZ_FAIL("item %zu, %s", i, l->items[i].path);
}

/* Reads a file and checks what the reader returns. Returns 1 if the file is accepted. Sets *items
 * to the number of keys of the file and of the config together. Copies the error text, which is
 * empty if there is none, to the 512 bytes of `error`. */
static int read_file(const unsigned char *bytes, size_t size, size_t *items, char *error)
{
    list keys = {0}, config = {0};
    gguf_report report;
    gguf_model *const model = (gguf_model *)malloc(sizeof *model);
    FILE *const file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    if (!file || !model) FUZZ_FAIL("no memory");
    int is_good = gguf_read(file, &keys, &report);
    if (report.bytes_fetched > size) FUZZ_FAIL("more bytes than there are");
    if (is_good && report.error[0]) FUZZ_FAIL("accepted with an error: %s", report.error);
    if (is_good && (is_good = gguf_config(&keys, &config, model, report.error)) != 0) {
        if (model->layers > GGUF_MOST_LAYERS || model->notes > GGUF_MOST_NOTES)
            FUZZ_FAIL("%zu layers, %zu notes", model->layers, model->notes);
        for (size_t i = 0; i < model->notes; i++)
            if (!model->note[i].key[0] || !model->note[i].text[0])
                FUZZ_FAIL("note %zu is empty", i);
    }
    if (!is_good && !report.error[0]) FUZZ_FAIL("refused without an error");
    check_list(&keys);
    check_list(&config);
    *items = keys.count + config.count;
    memcpy(error, report.error, sizeof report.error);
    free(model);
    list_free(&keys);
    list_free(&config);
    fclose(file);
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    maker m = {NULL, 0, 0};
    char errors[2][512];
    size_t items[2];
    if (size < 2) return 0;
    m.bytes = (unsigned char *)malloc(ROOM);
    if (!m.bytes) FUZZ_FAIL("no memory");
    if (fuzz_byte(&in) < 64) {
        m.size = size - 1 < ROOM ? size - 1 : ROOM;
        memcpy(m.bytes, in.at, m.size);
    } else make_file(&m, &in);
    /* With exactly the size of the file, AddressSanitizer finds each read past its end. */
    m.bytes = (unsigned char *)realloc(m.bytes, m.size);
    const int first = read_file(m.bytes, m.size, &items[0], errors[0]);
    if (first != read_file(m.bytes, m.size, &items[1], errors[1]) || items[0] != items[1] ||
        strcmp(errors[0], errors[1]) != 0)
        FUZZ_FAIL("a second reading is another: %s; %s", errors[0], errors[1]);
    free(m.bytes);
    return 0;
}
