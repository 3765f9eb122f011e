/* SPDX-License-Identifier: MIT
 *
 * tables: describes the tables that devices compute for tests/checks/gpu.sh, and checks them.
 *
 *     tables write DIR         writes DIR/k.in for each table k: its first position, rows, pairs
 *                              and the bits of its amplitude, 32 bits each, and then four words per
 *                              pair from pe_fixed_increments()
 *     tables check DIR DEVICE  reads DIR/k.DEVICE: rows with the sine and the cosine of each pair,
 *                              as floats, and then a word, which is not 0 if any pair was
 *                              undecided. They must have the bits of pe_fill_f32(). If
 *                              tests/golden.txt has the table, it must have this hash.
 *
 * Words have the byte order of this machine.
 */
#define HASH_MAIN hash_main
#include "../unit/hash.c"

/* Tables at both ends of int32_t, at negative positions, and with an amplitude. */
static const table ENDS[] = {
    {1024, 128, 0, -LIMIT, 1e4, 1},
    {1024, 128, 0, LIMIT - 1024, 1e6, 1},
    {1024, 128, 0, -512, 5e5, 1},
    {1024, 128, 0, 2000000, 1e6, 1.25},
};

static const struct job {
    const char *golden; /* its name in tests/golden.txt, or NULL */
    const table *t;
} JOBS[] = {
    {"fill_f32 512 x 512", PAPER},
    {"fill_f32 1024 x 1000", WIDE},
    {"fill_f32 from 16,000,000", FAR_ROWS},
    {"fill_f32 131072 x 64", LONG},
    {NULL, ENDS},
    {NULL, ENDS + 1},
    {NULL, ENDS + 2},
    {NULL, ENDS + 3},
};
enum { JOB_COUNT = sizeof JOBS / sizeof JOBS[0] };

static FILE *opened(const char *directory, size_t k, const char *suffix, const char *mode)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%u.%s", directory, (unsigned)k, suffix);
    return fopen(path, mode);
}

static void write_job(const char *directory, size_t k)
{
    const table *const t = JOBS[k].t;
    const size_t pairs = t->d_model / 2;
    const float amplitude = (float)t->amplitude;
    int32_t head[4] = {(int32_t)t->first, (int32_t)t->rows, (int32_t)pairs, 0};
    uint32_t *const increments = (uint32_t *)g_buffer;
    pe_plan plan;
    void *const memory = plan_of(&plan, t);
    FILE *const f = opened(directory, k, "in", "wb");
    need(f != NULL, directory, "cannot be written");
    need_ok(pe_fixed_increments(&plan, increments), "pe_fixed_increments");
    memcpy(head + 3, &amplitude, sizeof amplitude);
    need(fwrite(head, sizeof head, 1, f) == 1 && fwrite(increments, 16, pairs, f) == pairs &&
             fclose(f) == 0,
         directory, "cannot be written");
    free(memory);
}

/* Returns whether tests/golden.txt has this hash. */
static int is_golden(const char *name, uint64_t hash)
{
    char line[256], want[32];
    int found = 0;
    FILE *const f = fopen("tests/golden.txt", "r");
    need(f != NULL, "tests/golden.txt", "cannot be read");
    (void)snprintf(want, sizeof want, "%016" PRIx64, hash);
    while (fgets(line, sizeof line, f) != NULL)
        found |= strncmp(line, name, strlen(name)) == 0 && strstr(line, want) != NULL;
    (void)fclose(f);
    return found;
}

/* Reads a table and compares it. Returns an error text, or NULL if the table is right. Rows are
   compared and hashed one at a time. The hash includes the padding, as in tests/unit/hash.c. */
static const char *check_rows(const table *t, FILE *f)
{
    pe_plan plan;
    void *const memory = plan_of(&plan, t);
    const char *error = NULL;
    const size_t stride = t->d_model + t->padding;
    float *const row = (float *)g_buffer, *const want = row + stride;
    uint32_t undecided = 1;
    for (size_t r = 0; r < t->rows && error == NULL; r++) {
        memset(row, 0x5a, stride * sizeof *row);
        memset(want, 0x5a, stride * sizeof *row);
        if (fread(row, sizeof *row, t->d_model, f) != t->d_model) error = "too short";
        need_ok(pe_fill_f32(&plan, pe_from(t->first + (int64_t)r), 1, want, stride), "pe_fill_f32");
        for (size_t i = 0; i < t->d_model && error == NULL; i++)
            if (memcmp(row + i, want + i, sizeof *row) != 0) {
                printf("row %u, element %u: %a, not %a\n", (unsigned)r, (unsigned)i, (double)row[i],
                       (double)want[i]);
                error = "wrong bits";
            }
        hash_f32(row, stride);
    }
    free(memory);
    if (error != NULL) return error;
    if (fread(&undecided, sizeof undecided, 1, f) != 1) return "no count of undecided pairs";
    if (undecided != 0) return "undecided pairs";
    return fread(&undecided, 1, 1, f) == 0 ? NULL : "too long";
}

/* Returns the number of tables that are wrong. */
static int check_jobs(const char *directory, const char *device)
{
    int wrong = 0;
    double pairs = 0;
    for (size_t k = 0; k < JOB_COUNT; k++) {
        const table *const t = JOBS[k].t;
        FILE *const f = opened(directory, k, device, "rb");
        const char *error;
        g_hash = SEED;
        error = f == NULL ? "is missing" : check_rows(t, f);
        if (f != NULL) (void)fclose(f);
        if (error == NULL && JOBS[k].golden != NULL && !is_golden(JOBS[k].golden, g_hash))
            error = "not golden";
        if (error != NULL) printf("table %u: %s\n", (unsigned)k, error);
        wrong += error != NULL;
        pairs += (double)t->rows * (double)(t->d_model / 2);
    }
    printf("%s: %d tables, %.0f pairs, %d tables wrong\n", device, JOB_COUNT, pairs, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    (void)hash_main;
    g_buffer = malloc(BUFFER_BYTES);
    need(g_buffer != NULL, "malloc", "out of memory");
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        for (size_t k = 0; k < JOB_COUNT; k++) write_job(argv[2], k);
        return 0;
    }
    need(argc == 4 && strcmp(argv[1], "check") == 0, "tables", "write DIR | check DIR DEVICE");
    return check_jobs(argv[2], argv[3]) != 0;
}
