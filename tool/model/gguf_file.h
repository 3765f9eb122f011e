/* SPDX-License-Identifier: MIT */
/* Reads a GGUF file, and turns its keys into a config for read_model() of config.h. After
 * read_model(), finish_gguf() rewrites the notes, so that they name the keys of the GGUF file. A
 * note is a message about a key, and a part (part.h) is a set of layers that share one positional
 * encoding. */
#ifndef TOOL_GGUF_FILE_H
#define TOOL_GGUF_FILE_H

#include "../files/arguments.h"
#include "../files/whole.h"
#include "gguf_config.h"
#include "part.h"

/* Returns whether a file begins with "GGUF". Returns 0 for standard input ("-") or a pipe without
 * reading from it, because its bytes could not be read a second time. */
static int is_gguf(const char *name)
{
    unsigned char first[4] = {0};
    FILE *const file = strcmp(name, "-") == 0 ? NULL : fopen(name, "rb");
    const int is_file = file && fseek(file, 0, SEEK_END) == 0 && fseek(file, 0, SEEK_SET) == 0;
    const int is_whole = is_file && fread(first, 1, sizeof first, file) == sizeof first;
    if (file) fclose(file);
    return is_whole && gguf_begins(first);
}

/* Returns whether a setting of the command line names a key of the GGUF file, as
 * llama.rope.freq_base=500000 does. Such keys begin with the name of the architecture. */
static int is_gguf_setting(const gguf_model *m, const char *word)
{
    const size_t length = strlen(m->name);
    return length && strncmp(word, m->name, length) == 0 && word[length] == '.';
}

/* Reads the GGUF file `name`, and writes its config to the list `to`. Settings among the command
 * line's `count` words that name keys of the GGUF file are applied to these keys before. Errors
 * become notes of the part `notes`. Messages about keys stay in *m for finish_gguf(). The file's
 * keys are freed in the end, so the pointers of *m to them are invalid afterwards. */
static void read_gguf(const char *name, int count, char **words, list *to, gguf_model *m,
                      part *notes)
{
    errno = 0;
    FILE *const file = fopen(name, "rb");
    list keys = {NULL, 0, 0, 0};
    gguf_report report;
    int is_good = file && gguf_read(file, &keys, &report);
    if (!file) snprintf(report.error, sizeof report.error, "%s", why_unread());
    memset(m, 0, sizeof *m);
    const item *const named = list_find(&keys, "general.architecture");
    if (is_good && named) snprintf(m->name, sizeof m->name, "%s", named->text);
    for (int i = 2; is_good && i < count; i++)
        if (is_setting(words[i]) && is_gguf_setting(m, words[i]) && !set_key(&keys, words[i]))
            say(notes, NOTE_WRONG, words[i], "cannot be set: a key before the last has a value");
    if (is_good) is_good = gguf_config(&keys, to, m, report.error);
    const item *const files = list_find(&keys, "split.count");
    if (is_good && report.tensors == 0 && files && files->number > 1)
        gguf_say(m, "split.count",
                 "%s: this file has no tensors: rope_freqs.weight, if the model has it, is in "
                 "another file. gguf-split --merge makes one of them",
                 files->text);
    if (!is_good) say(notes, NOTE_WRONG, name, "%s", report.error);
    list_free(&keys);
    if (file) fclose(file);
}

/* Replaces the key of a note of part p by its name in the GGUF file, such as llama.rope.freq_base
 * for rope_theta. In the part sliding_attention, this key becomes llama.rope.freq_base_swa. In the
 * part compress, it becomes deepseek4.attention.compress_rope_freq_base. A key that is not in gguf_names[] stays as
 * it is. */
static void rename_gguf_key(const gguf_model *m, const part *p, char key[96])
{
    const char *last = strrchr(key, '.');
    last = last ? last + 1 : key;
    const size_t length = strcspn(last, "[");
    for (size_t k = 0; k < TOOL_COUNT(gguf_names); k++) {
        const struct gguf_name_pair *const n = &gguf_names[k];
        if (strlen(n->config) != length || strncmp(n->config, last, length) != 0) continue;
        const int is_window = n->window && strcmp(p->name, "sliding_attention") == 0;
        if (strcmp(n->config, "rope_theta") == 0 && strcmp(p->name, "compress") == 0)
            snprintf(key, 96, "%.40s.attention.compress_rope_freq_base", m->name);
        else if (k < GGUF_WHOLE_NAMES) snprintf(key, 96, "%s", n->gguf);
        else snprintf(key, 96, "%.40s.%.50s", m->name, is_window ? n->window : n->gguf);
        return;
    }
}

/* Completes the parts that read_model() has read from the config of a GGUF file. Their notes get
 * the file's names of keys. If the architecture is in the table, each part gets a remark about the
 * pairs in Hugging Face's weights, which is empty for GGUF_UNCHECKED. The messages that the
 * translation left in *m become notes of the first part. */
static void finish_gguf(const gguf_model *m, part *parts, size_t count)
{
    static const char *const origins[] = {
        "as in Hugging Face's file",
        "Hugging Face's file has halves; the converter reorders queries and keys", ""};
    TOOL_HAS_ALL(origins, GGUF_ORIGIN_COUNT);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < parts[i].notes; k++)
            rename_gguf_key(m, &parts[i], parts[i].note[k].key);
        parts[i].is_gguf = 1;
        if (m->is) parts[i].pairs_elsewhere = origins[m->is->origin];
    }
    if (m->is)
        say(&parts[0], NOTE_UNDERSTOOD, "general.architecture", "%s: as in %s", m->name,
            GGUF_CHECKED);
    for (size_t k = 0; k < m->notes; k++)
        say(&parts[0], NOTE_UNREAD, m->note[k].key, "%s", m->note[k].text);
}

#endif
