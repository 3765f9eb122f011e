/* SPDX-License-Identifier: MIT */
/* gguf.c: prints what tool/files/gguf.h and tool/model/gguf_config.h read from a file, one item per line, for gguf.py.
 *
 *   list FILE      prints the keys of the file
 *   config FILE    prints the keys of the config.json that is made from them, and the notes
 *   prefixes FILE  prints the length of each prefix of the file that is accepted; any other prefix must give an error
 */
#define _POSIX_C_SOURCE 200809L
#include "../../tool/model/gguf_config.h"

static void print(const list *l)
{
    static const char *const kinds[] = {"null", "boolean", "number", "string", "other"};
    for (size_t i = 0; i < l->count; i++)
        printf("%s\t%s\t%.17g\t%s\n", l->items[i].path, kinds[l->items[i].kind], l->items[i].number,
               l->items[i].text);
}

/* Reads the file, prints what the mode `what` asks for, and returns 1 if the file is accepted. */
static int read_one(FILE *file, const char *what)
{
    list keys = {0}, config = {0};
    gguf_report report;
    gguf_model *const model = (gguf_model *)malloc(sizeof *model);
    int is_good = gguf_read(file, &keys, &report);
    if (is_good) is_good = gguf_config(&keys, &config, model, report.error);
    if (strcmp(what, "prefixes") != 0) {
        printf("= version %u, %llu tensors, %llu bytes fetched\n", report.version,
               (unsigned long long)report.tensors, (unsigned long long)report.bytes_fetched);
        print(strcmp(what, "list") == 0 ? &keys : &config);
        for (size_t i = 0; is_good && i < model->notes; i++)
            printf("! %s: %s\n", model->note[i].key, model->note[i].text);
        if (!is_good) printf("error: %s\n", report.error);
    } else if (!is_good && !report.error[0]) {
        printf("no error is told\n");
        is_good = 1;
    }
    free(model);
    list_free(&keys);
    list_free(&config);
    return is_good;
}

static void read_prefixes(FILE *file)
{
    static unsigned char whole[1 << 20];
    const size_t size = fread(whole, 1, sizeof whole, file);
    /* Each prefix is read from a block of exactly its size, so AddressSanitizer sees any read behind it. */
    for (size_t n = 1; n <= size; n++) {
        unsigned char *const part = (unsigned char *)malloc(n);
        FILE *const f = fmemopen(memcpy(part, whole, n), n, "rb");
        if (read_one(f, "prefixes")) printf("%zu of %zu\n", n, size);
        fclose(f);
        free(part);
    }
}

int main(int argc, char **argv)
{
    FILE *const file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file) return 2;
    if (strcmp(argv[1], "prefixes") == 0) read_prefixes(file);
    else read_one(file, argv[1]);
    fclose(file);
    return 0;
}
