/* SPDX-License-Identifier: MIT */
/*
 * Proves that C++11 and later can include the header, first of all and more than once. A C
 * translation unit in the same program does the same (cpp_two.c). Functions of every part of pe.h
 * give the same bits from C++ as from C. Including pe.h leaves none of the macros below defined.
 */
#include "pe.h"

#include "pe.h"

/* These macros are names that headers of SLEEF and others are known to leave behind, and short
   names that pe.h itself might use. */
#if defined(CONST) || defined(EXPORT) || defined(IMPORT) || defined(INLINE) || defined(VECTCC) ||  \
    defined(ISNAN) || defined(MIN) || defined(MAX) || defined(min) || defined(max) ||              \
    defined(LANES) || defined(STEPS) || defined(TILE) || defined(UNLIKELY) || defined(SQR)
    #error "pe.h leaks a macro that is not its own"
#endif
#if defined(PE__INLINE) || defined(PE__STATUSES) || defined(PE__UNLIKELY)
    #error "pe.h leaves a private helper macro behind"
#endif

#include "../common.h"

#include "cpp_two.h"

#include <vector>

namespace
{

const size_t widths[] = {1, 2, 7, 64, 129, 512};
const size_t rows = 150;

void layouts_agree(void **)
{
    assert_true(two_sizeof(0) == sizeof(pe_config));
    assert_true(two_sizeof(1) == sizeof(pe_plan));
    assert_true(two_sizeof(2) == sizeof(pe_status));
    assert_true(two_sizeof(3) == sizeof(pe_at));
    assert_true(two_sizeof(4) == sizeof(pe_heads));
    for (int status = 0; status <= PE_ERR_SELFTEST; status++)
        assert_string_equal(pe_status_string(pe_status(status)), two_text(pe_status(status)));
}

/* Tests values that are known without any code: sin(1) and cos(1), to the last bit. */
void values_are_right(void **)
{
    float row[4] = {0, 0, 0, 0};
    assert_true(pe_sinusoidal_f32(row, 2, 2) == PE_OK);
    assert_true(row[0] == 0.0f && row[1] == 1.0f);
    assert_true(row[2] == 0.84147098480789650665f && row[3] == 0.54030230586813971740f);
}

void every_function_has_the_bits_of_c(void **)
{
    for (size_t d : widths) {
        const size_t n = rows * d;
        std::vector<float> f32(n), c_f32(n), simple(n), listed(n);
        std::vector<double> f64(n), c_f64(n);
        std::vector<int64_t> positions(rows);
        pe_config config = pe_config_default(d);
        std::vector<unsigned char> memory(pe_plan_size(&config));
        pe_plan plan;
        assert_int_equal(pe_plan_init(&plan, &config, memory.data(), memory.size()), PE_OK);
        count_up(positions.data(), 0, rows);
        must_fill(CALL_FILL_F32, &plan, d, 0, nullptr, rows, f32.data(), d);
        must_fill(CALL_FILL_F64, &plan, d, 0, nullptr, rows, f64.data(), d);
        must_fill(CALL_FILL_AT_F32, &plan, d, 0, positions.data(), rows, listed.data(), d);
        must_fill(CALL_SINUSOIDAL_F32, nullptr, d, 0, nullptr, rows, simple.data(), d);
        assert_int_equal(two_fill(d, 0, rows, c_f32.data(), c_f64.data()), PE_OK);
        assert_memory_equal(f32.data(), c_f32.data(), n * sizeof(float));
        assert_memory_equal(listed.data(), c_f32.data(), n * sizeof(float));
        assert_memory_equal(simple.data(), c_f32.data(), n * sizeof(float));
        assert_memory_equal(f64.data(), c_f64.data(), n * sizeof(double));
    }
}

void rope_frequencies_have_the_bits_of_c(void **)
{
    assert_true(two_rope_sizeof() == sizeof(pe_rope_config));
    const std::vector<double> short_factor(64, 1.25), long_factor(64, 4);
    for (int type = 0; type < PE_ROPE_TYPE_COUNT; type++) {
        pe_rope_config config = pe_rope_config_default(128);
        config.rope_type = static_cast<pe_rope_type>(type);
        config.factor = 8;
        config.short_factor = short_factor.data();
        config.long_factor = long_factor.data();
        config.short_factor_length = config.long_factor_length = 64;
        config.original_max_position_embeddings = config.max_position_embeddings = 8192;
        config.sequence_length = 65536;
        assert_true(pe_rope_config_error(&config) == nullptr);
        std::vector<double> omega(64), c_omega(omega);
        double attention = 0, c_attention = 1;
        assert_int_equal(pe_rope_frequencies(&config, omega.data(), &attention), PE_OK);
        assert_int_equal(two_rope(&config, c_omega.data(), &c_attention), PE_OK);
        assert_memory_equal(omega.data(), c_omega.data(), omega.size() * sizeof(double));
        assert_true(attention == c_attention);
    }
}

void alibi_has_the_bits_of_c(void **)
{
    const size_t heads = 6, queries = 19, keys = 45, all = queries * keys;
    const pe_alibi_mode mode = PE_ALIBI_CAUSAL;
    std::vector<float> slopes(heads), f32(heads * all), c_f32(heads * all), packed(heads * all);
    std::vector<uint16_t> f16(heads * all), c_f16(heads * all), bf16(heads * all),
        c_bf16(heads * all);
    assert_true(pe_alibi_slopes_f32(heads, 8.0f, slopes.data()) == PE_OK);
    assert_true(slopes[0] == 0.25f && slopes[4] == 0.5f);
    const float *m = slopes.data();
    pe_status s = pe_alibi_fill_f32(m, heads, mode, pe_from(3), queries, pe_from(0), keys,
                                    f32.data(), keys, all);
    assert_true(s == PE_OK);
    s = pe_alibi_fill_f16(m, heads, mode, pe_from(3), queries, pe_from(0), keys, f16.data(), keys,
                          all);
    assert_true(s == PE_OK);
    s = pe_alibi_fill_bf16(m, heads, mode, pe_from(3), queries, pe_from(0), keys, bf16.data(), keys,
                           all);
    assert_true(s == PE_OK);
    s = pe_alibi_add_f32(m, heads, mode, pe_from(3), queries, pe_from(0), keys, f32.data(), keys,
                         all);
    assert_true(s == PE_OK);
    s = pe_alibi_add_f16(m, heads, mode, pe_from(3), queries, pe_from(0), keys, f16.data(), keys,
                         all);
    assert_true(s == PE_OK);
    s = pe_alibi_add_bf16(m, heads, mode, pe_from(3), queries, pe_from(0), keys, bf16.data(), keys,
                          all);
    assert_true(s == PE_OK);
    assert_true(two_alibi(heads, queries, keys, c_f32.data(), c_f16.data(), c_bf16.data()) ==
                PE_OK);
    assert_memory_equal(f32.data(), c_f32.data(), f32.size() * sizeof(float));
    assert_memory_equal(f16.data(), c_f16.data(), f16.size() * sizeof(uint16_t));
    assert_memory_equal(bf16.data(), c_bf16.data(), bf16.size() * sizeof(uint16_t));
    assert_true(pe_alibi_fill_f32(m, heads, PE_ALIBI_LINEAR, pe_from(3), queries, pe_from(0), keys,
                                  packed.data(), keys, queries * keys) == PE_OK);
    assert_true(packed[0] == -0.75f && packed[3] == 0.0f && packed[4] == 0.25f);
}

void learned_has_the_bits_of_c(void **)
{
    const size_t table_rows = 9, d = 21;
    std::vector<float> table(table_rows * d), x(rows * d), c_x(rows * d), resampled(rows * d);
    std::vector<float> c_resampled(rows * d), grad(table_rows * d), c_grad(table_rows * d);
    std::vector<uint16_t> half(table_rows * d, 0x3c00), f16(rows * d), bf16(rows * d);
    std::vector<int64_t> positions(rows);
    for (size_t i = 0; i < table.size(); i++) table[i] = 1.0f / static_cast<float>(i + 1);
    for (size_t r = 0; r < rows; r++) positions[r] = static_cast<int64_t>(2 * r % table_rows);
    const int64_t *p = positions.data();
    pe_status s = pe_learned_add_f32(table.data(), table_rows, d, pe_at_i64(p), rows, x.data(), d);
    assert_true(s == PE_OK);
    s = pe_learned_grad_f32(grad.data(), table_rows, d, pe_at_i64(p), rows, x.data(), d);
    assert_true(s == PE_OK);
    s = pe_learned_resample_f32(table.data(), table_rows, 1, d, nullptr, resampled.data(), rows, 1);
    assert_true(s == PE_OK);
    s = two_learned(table.data(), table_rows, d, c_x.data(), c_grad.data(), c_resampled.data(),
                    rows);
    assert_true(s == PE_OK);
    assert_true(x == c_x && grad == c_grad && resampled == c_resampled);
    assert_true(pe_learned_add_f16(half.data(), table_rows, d, pe_at_i64(p), rows, f16.data(), d) ==
                PE_OK);
    assert_true(pe_learned_add_bf16(half.data(), table_rows, d, pe_at_i64(p), rows, bf16.data(),
                                    d) == PE_OK);
    for (size_t i = 0; i < rows * d; i++) assert_true(f16[i] == 0x3c00 && bf16[i] == 0x3c00);
}

/* Tests calls as an inference engine writes them, with int32_t ids, sizes of a grid and float
   coordinates. Their results must have the bits of two_engine(), which makes the same calls in
   C. */
void calls_read_as_they_should(void **)
{
    const size_t n = 6, d = 512;
    const int32_t ids[n] = {3, 1, 4, 1, 5, 9};
    const int64_t wide[n] = {3, 1, 4, 1, 5, 9};
    const size_t sizes[2] = {2, 3};
    const float xyz[3 * n] = {0.5f, 1, 2, 3, 4, 5, -1, -2, -3, 0, 0, 0, 7, 8.25f, 9, 1e6f, 1, 2};
    const pe_heads heads = {2, 64, 128}, a = {2, 64, 128}, b = {2, 64 * n, 64};
    std::vector<float> table(512 * d), out(n * d), q(128, 1.0f), in(n * 128, 0.5f), turned(n * 128);
    std::vector<uint16_t> x(n * d, 0x3f80), grad(n * 128, 0x3c00), keys(n * 128, 0x3f80);
    std::vector<unsigned char> memory(1 << 20);
    const int64_t p = 77;
    pe_plan plan, rope;
    pe_config config = pe_config_default(d);
    assert_true(pe_plan_size(&config) <= memory.size());
    assert_int_equal(pe_plan_init(&plan, &config, memory.data(), memory.size()), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_from(0), 512, table.data(), 512), PE_OK);
    assert_int_equal(pe_fill_f32(&plan, pe_at_i32(ids), n, out.data(), d), PE_OK);
    for (size_t r = 0; r < n; r++)
        assert_memory_equal(&out[r * d], &table[static_cast<size_t>(ids[r]) * d],
                            d * sizeof(float));
    config.axes = 2;
    assert_int_equal(pe_plan_init(&plan, &config, memory.data(), memory.size()), PE_OK);
    assert_int_equal(pe_add_bf16(&plan, pe_grid(sizes, 2), n, 1, x.data(), d), PE_OK);
    pe_rope_config model = pe_rope_config_default(64);
    assert_int_equal(pe_rope_plan_init(&rope, &model, memory.data(), memory.size()), PE_OK);
    assert_int_equal(pe_rope_f32(&rope, pe_from(p), 1, q.data(), heads), PE_OK);
    assert_int_equal(pe_rope_f16(&rope, pe_back(pe_at_i64(wide)), n, grad.data(), heads), PE_OK);
    assert_int_equal(pe_rope_bf16(&rope, pe_delta(pe_from_by(-512, 0)), n, keys.data(), heads),
                     PE_OK);
    model.axes = 3, model.sections[0] = 16, model.sections[1] = model.sections[2] = 8;
    assert_int_equal(pe_rope_plan_init(&rope, &model, memory.data(), memory.size()), PE_OK);
    assert_int_equal(
        pe_rope_to_f32(&rope, pe_coords_f32(xyz, 3, 3, 1), n, 64, in.data(), a, turned.data(), b),
        PE_OK);
    two_calls c = two_calls();
    std::vector<float> c_out(n * d), c_q(128, 1.0f), c_turned(n * 128);
    std::vector<uint16_t> c_x(n * d, 0x3f80), c_grad(n * 128, 0x3c00), c_keys(n * 128, 0x3f80);
    c.out = c_out.data(), c.q = c_q.data(), c.in = in.data(), c.turned = c_turned.data();
    c.x = c_x.data(), c.grad = c_grad.data(), c.keys = c_keys.data();
    c.ids = ids, c.wide = wide, c.xyz = xyz, c.memory = memory.data(), c.bytes = memory.size();
    assert_int_equal(two_engine(&c), PE_OK);
    assert_true(out == c_out && q == c_q && turned == c_turned && x == c_x && grad == c_grad &&
                keys == c_keys);
}

} // namespace

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_agree),
        cmocka_unit_test(values_are_right),
        cmocka_unit_test(every_function_has_the_bits_of_c),
        cmocka_unit_test(rope_frequencies_have_the_bits_of_c),
        cmocka_unit_test(alibi_has_the_bits_of_c),
        cmocka_unit_test(learned_has_the_bits_of_c),
        cmocka_unit_test(calls_read_as_they_should),
    };
    test_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
