/* made from pe.h by make headers */
/* SPDX-License-Identifier: MIT */
/* Every public function of pe.h: X(type, name, (parameters), (arguments)). */
#define FUNCTIONS(X) \
    X(const char *, pe_status_string, (pe_status status), (status)) \
    X(int, pe_version, (void), ()) \
    X(const char *, pe_isa_name, (void), ()) \
    X(pe_status, pe_selftest, (void), ()) \
    X(pe_at, pe_from, (int64_t first), (first)) \
    X(pe_at, pe_from_by, (int64_t first, int64_t step), (first, step)) \
    X(pe_at, pe_all, (int64_t position), (position)) \
    X(pe_at, pe_at_i32, (const int32_t *positions), (positions)) \
    X(pe_at, pe_at_i64, (const int64_t *positions), (positions)) \
    X(pe_at, pe_at_f32, (const float *positions), (positions)) \
    X(pe_at, pe_at_f64, (const double *positions), (positions)) \
    X(pe_at, pe_grid, (const size_t *sizes, size_t axes), (sizes, axes)) \
    X(pe_at, pe_coords_i32, (const int32_t *coords, size_t axes, size_t row_stride, size_t \
      axis_stride), (coords, axes, row_stride, axis_stride)) \
    X(pe_at, pe_coords_i64, (const int64_t *coords, size_t axes, size_t row_stride, size_t \
      axis_stride), (coords, axes, row_stride, axis_stride)) \
    X(pe_at, pe_coords_f32, (const float *coords, size_t axes, size_t row_stride, size_t \
      axis_stride), (coords, axes, row_stride, axis_stride)) \
    X(pe_at, pe_coords_f64, (const double *coords, size_t axes, size_t row_stride, size_t \
      axis_stride), (coords, axes, row_stride, axis_stride)) \
    X(pe_at, pe_skip, (pe_at positions, size_t rows), (positions, rows)) \
    X(pe_at, pe_back, (pe_at positions), (positions)) \
    X(pe_at, pe_delta, (pe_at positions), (positions)) \
    X(pe_config, pe_config_default, (size_t d_model), (d_model)) \
    X(pe_config, pe_config_preset, (pe_preset preset, size_t d_model), (preset, d_model)) \
    X(const char *, pe_config_error, (const pe_config *config), (config)) \
    X(const char *, pe_frequency_error, (const pe_config *config, const double *omega, size_t \
      pairs, size_t *index), (config, omega, pairs, index)) \
    X(size_t, pe_plan_size, (const pe_config *config), (config)) \
    X(pe_status, pe_plan_init, (pe_plan *plan, const pe_config *config, void *memory, size_t \
      memory_size), (plan, config, memory, memory_size)) \
    X(pe_status, pe_plan_init_frequencies, (pe_plan *plan, const pe_config *config, const double \
      *omega, size_t pairs, void *memory, size_t memory_size), (plan, config, omega, pairs, \
      memory, memory_size)) \
    X(pe_status, pe_frequencies_float32, (const pe_config *config, pe_float32 formula, double \
      *omega), (config, formula, omega)) \
    X(pe_status, pe_plan_frequencies, (const pe_plan *plan, double *omega), (plan, omega)) \
    X(pe_status, pe_plan_wavelengths, (const pe_plan *plan, double *wavelength), (plan, \
      wavelength)) \
    X(pe_status, pe_fixed_increments, (const pe_plan *plan, uint32_t *increments), (plan, \
      increments)) \
    X(pe_status, pe_fixed_increments_of, (const double *omega, size_t pairs, uint32_t \
      *increments), (omega, pairs, increments)) \
    X(pe_status, pe_fill_f32, (const pe_plan *plan, pe_at positions, size_t rows, float *out, \
      size_t stride), (plan, positions, rows, out, stride)) \
    X(pe_status, pe_fill_f64, (const pe_plan *plan, pe_at positions, size_t rows, double *out, \
      size_t stride), (plan, positions, rows, out, stride)) \
    X(pe_status, pe_fill_f16, (const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out, \
      size_t stride), (plan, positions, rows, out, stride)) \
    X(pe_status, pe_fill_bf16, (const pe_plan *plan, pe_at positions, size_t rows, uint16_t *out, \
      size_t stride), (plan, positions, rows, out, stride)) \
    X(pe_status, pe_add_f32, (const pe_plan *plan, pe_at positions, size_t rows, float scale, \
      float *x, size_t stride), (plan, positions, rows, scale, x, stride)) \
    X(pe_status, pe_add_f64, (const pe_plan *plan, pe_at positions, size_t rows, double scale, \
      double *x, size_t stride), (plan, positions, rows, scale, x, stride)) \
    X(pe_status, pe_add_f16, (const pe_plan *plan, pe_at positions, size_t rows, float scale, \
      uint16_t *x, size_t stride), (plan, positions, rows, scale, x, stride)) \
    X(pe_status, pe_add_bf16, (const pe_plan *plan, pe_at positions, size_t rows, float scale, \
      uint16_t *x, size_t stride), (plan, positions, rows, scale, x, stride)) \
    X(pe_status, pe_add_batch_f32, (const pe_plan *plan, pe_at positions, size_t rows, size_t \
      batches, float scale, float *x, size_t stride, size_t batch_stride), (plan, positions, \
      rows, batches, scale, x, stride, batch_stride)) \
    X(pe_status, pe_add_batch_f64, (const pe_plan *plan, pe_at positions, size_t rows, size_t \
      batches, double scale, double *x, size_t stride, size_t batch_stride), (plan, positions, \
      rows, batches, scale, x, stride, batch_stride)) \
    X(pe_status, pe_add_batch_f16, (const pe_plan *plan, pe_at positions, size_t rows, size_t \
      batches, float scale, uint16_t *x, size_t stride, size_t batch_stride), (plan, positions, \
      rows, batches, scale, x, stride, batch_stride)) \
    X(pe_status, pe_add_batch_bf16, (const pe_plan *plan, pe_at positions, size_t rows, size_t \
      batches, float scale, uint16_t *x, size_t stride, size_t batch_stride), (plan, positions, \
      rows, batches, scale, x, stride, batch_stride)) \
    X(pe_status, pe_sinusoidal_f32, (float *out, size_t rows, size_t d_model), (out, rows, \
      d_model)) \
    X(pe_status, pe_sincos_f32, (const double *omega, size_t pairs, double amplitude, pe_at \
      positions, size_t rows, float *sines, float *cosines, size_t stride), (omega, pairs, \
      amplitude, positions, rows, sines, cosines, stride)) \
    X(pe_status, pe_sincos_f64, (const double *omega, size_t pairs, double amplitude, pe_at \
      positions, size_t rows, double *sines, double *cosines, size_t stride), (omega, pairs, \
      amplitude, positions, rows, sines, cosines, stride)) \
    X(pe_status, pe_sincos_f16, (const double *omega, size_t pairs, double amplitude, pe_at \
      positions, size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride), (omega, pairs, \
      amplitude, positions, rows, sines, cosines, stride)) \
    X(pe_status, pe_sincos_bf16, (const double *omega, size_t pairs, double amplitude, pe_at \
      positions, size_t rows, uint16_t *sines, uint16_t *cosines, size_t stride), (omega, pairs, \
      amplitude, positions, rows, sines, cosines, stride)) \
    X(pe_rope_config, pe_rope_config_default, (size_t head_dim), (head_dim)) \
    X(pe_status, pe_rope_type_named, (const char *name, pe_rope_type *type), (name, type)) \
    X(const char *, pe_rope_config_error, (const pe_rope_config *config), (config)) \
    X(pe_status, pe_rope_frequencies, (const pe_rope_config *config, double *omega, double \
      *attention_factor), (config, omega, attention_factor)) \
    X(pe_status, pe_rope_query_scale_f32, (pe_query_scale kind, double beta, size_t period, \
      double shift, pe_at positions, size_t rows, float *factors), (kind, beta, period, shift, \
      positions, rows, factors)) \
    X(pe_status, pe_rope_xpos_f32, (size_t pairs, double scale_base, pe_at positions, size_t \
      rows, float *factors, size_t stride), (pairs, scale_base, positions, rows, factors, \
      stride)) \
    X(size_t, pe_rope_plan_size, (const pe_rope_config *config), (config)) \
    X(pe_status, pe_rope_plan_init, (pe_plan *plan, const pe_rope_config *config, void *memory, \
      size_t memory_size), (plan, config, memory, memory_size)) \
    X(pe_status, pe_rope_f32, (const pe_plan *plan, pe_at positions, size_t tokens, float *x, \
      pe_heads heads), (plan, positions, tokens, x, heads)) \
    X(pe_status, pe_rope_f16, (const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x, \
      pe_heads heads), (plan, positions, tokens, x, heads)) \
    X(pe_status, pe_rope_bf16, (const pe_plan *plan, pe_at positions, size_t tokens, uint16_t *x, \
      pe_heads heads), (plan, positions, tokens, x, heads)) \
    X(pe_status, pe_rope_to_f32, (const pe_plan *plan, pe_at positions, size_t tokens, size_t \
      head_dim, const float *in, pe_heads in_heads, float *out, pe_heads out_heads), (plan, \
      positions, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_to_f16, (const pe_plan *plan, pe_at positions, size_t tokens, size_t \
      head_dim, const uint16_t *in, pe_heads in_heads, uint16_t *out, pe_heads out_heads), (plan, \
      positions, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_to_bf16, (const pe_plan *plan, pe_at positions, size_t tokens, size_t \
      head_dim, const uint16_t *in, pe_heads in_heads, uint16_t *out, pe_heads out_heads), (plan, \
      positions, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_to_f32_f16, (const pe_plan *plan, pe_at positions, size_t tokens, size_t \
      head_dim, const float *in, pe_heads in_heads, uint16_t *out, pe_heads out_heads), (plan, \
      positions, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_to_f32_bf16, (const pe_plan *plan, pe_at positions, size_t tokens, \
      size_t head_dim, const float *in, pe_heads in_heads, uint16_t *out, pe_heads out_heads), \
      (plan, positions, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_qk_f32, (const pe_plan *plan, pe_at positions, size_t tokens, float *q, \
      pe_heads q_heads, float *k, pe_heads k_heads), (plan, positions, tokens, q, q_heads, k, \
      k_heads)) \
    X(pe_status, pe_rope_qk_f16, (const pe_plan *plan, pe_at positions, size_t tokens, uint16_t \
      *q, pe_heads q_heads, uint16_t *k, pe_heads k_heads), (plan, positions, tokens, q, q_heads, \
      k, k_heads)) \
    X(pe_status, pe_rope_qk_bf16, (const pe_plan *plan, pe_at positions, size_t tokens, uint16_t \
      *q, pe_heads q_heads, uint16_t *k, pe_heads k_heads), (plan, positions, tokens, q, q_heads, \
      k, k_heads)) \
    X(pe_status, pe_rope_table_f32, (const pe_plan *plan, pe_at positions, size_t rows, \
      pe_rope_table_layout layout, float *cosines, float *sines, size_t stride, pe_rope_table \
      *made), (plan, positions, rows, layout, cosines, sines, stride, made)) \
    X(pe_status, pe_rope_table_f16, (const pe_plan *plan, pe_at positions, size_t rows, \
      pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines, size_t stride, \
      pe_rope_table *made), (plan, positions, rows, layout, cosines, sines, stride, made)) \
    X(pe_status, pe_rope_table_bf16, (const pe_plan *plan, pe_at positions, size_t rows, \
      pe_rope_table_layout layout, uint16_t *cosines, uint16_t *sines, size_t stride, \
      pe_rope_table *made), (plan, positions, rows, layout, cosines, sines, stride, made)) \
    X(pe_status, pe_rope_by_table_f32, (const pe_rope_table *table, pe_layout layout, pe_at rows, \
      size_t tokens, float *x, pe_heads heads), (table, layout, rows, tokens, x, heads)) \
    X(pe_status, pe_rope_by_table_f16, (const pe_rope_table *table, pe_layout layout, pe_at rows, \
      size_t tokens, uint16_t *x, pe_heads heads), (table, layout, rows, tokens, x, heads)) \
    X(pe_status, pe_rope_by_table_bf16, (const pe_rope_table *table, pe_layout layout, pe_at \
      rows, size_t tokens, uint16_t *x, pe_heads heads), (table, layout, rows, tokens, x, heads)) \
    X(pe_status, pe_rope_by_table_to_f32, (const pe_rope_table *table, pe_layout layout, pe_at \
      rows, size_t tokens, size_t head_dim, const float *in, pe_heads in_heads, float *out, \
      pe_heads out_heads), (table, layout, rows, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_by_table_to_f16, (const pe_rope_table *table, pe_layout layout, pe_at \
      rows, size_t tokens, size_t head_dim, const uint16_t *in, pe_heads in_heads, uint16_t *out, \
      pe_heads out_heads), (table, layout, rows, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_by_table_to_bf16, (const pe_rope_table *table, pe_layout layout, pe_at \
      rows, size_t tokens, size_t head_dim, const uint16_t *in, pe_heads in_heads, uint16_t *out, \
      pe_heads out_heads), (table, layout, rows, tokens, head_dim, in, in_heads, out, out_heads)) \
    X(pe_status, pe_rope_ggml_frequencies, (const pe_rope_ggml *config, double *omega, double \
      *attention_factor), (config, omega, attention_factor)) \
    X(pe_status, pe_rope_ggml_f32, (const pe_rope_ggml *config, pe_at positions, size_t rows, \
      float *cosines, float *sines, size_t stride), (config, positions, rows, cosines, sines, \
      stride)) \
    X(pe_status, pe_shift_f32, (const pe_plan *plan, pe_at deltas, size_t rows, float *x, size_t \
      stride), (plan, deltas, rows, x, stride)) \
    X(pe_status, pe_shift_f64, (const pe_plan *plan, pe_at deltas, size_t rows, double *x, size_t \
      stride), (plan, deltas, rows, x, stride)) \
    X(pe_status, pe_shift_f16, (const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x, \
      size_t stride), (plan, deltas, rows, x, stride)) \
    X(pe_status, pe_shift_bf16, (const pe_plan *plan, pe_at deltas, size_t rows, uint16_t *x, \
      size_t stride), (plan, deltas, rows, x, stride)) \
    X(pe_status, pe_dot_f64, (const pe_plan *plan, pe_at deltas, size_t count, double *dots), \
      (plan, deltas, count, dots)) \
    X(pe_status, pe_alibi_slopes_f32, (size_t heads, float max_bias, float *slopes), (heads, \
      max_bias, slopes)) \
    X(pe_status, pe_alibi_fill_f32, (const float *slopes, size_t heads, pe_alibi_mode mode, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, float *bias, size_t query_stride, \
      size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, bias, \
      query_stride, head_stride)) \
    X(pe_status, pe_alibi_fill_f16, (const float *slopes, size_t heads, pe_alibi_mode mode, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, uint16_t *bias, size_t query_stride, \
      size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, bias, \
      query_stride, head_stride)) \
    X(pe_status, pe_alibi_fill_bf16, (const float *slopes, size_t heads, pe_alibi_mode mode, \
      pe_at query_at, size_t queries, pe_at key_at, size_t keys, uint16_t *bias, size_t \
      query_stride, size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, \
      bias, query_stride, head_stride)) \
    X(pe_status, pe_alibi_add_f32, (const float *slopes, size_t heads, pe_alibi_mode mode, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, float *scores, size_t query_stride, \
      size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, scores, \
      query_stride, head_stride)) \
    X(pe_status, pe_alibi_add_f16, (const float *slopes, size_t heads, pe_alibi_mode mode, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, uint16_t *scores, size_t query_stride, \
      size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, scores, \
      query_stride, head_stride)) \
    X(pe_status, pe_alibi_add_bf16, (const float *slopes, size_t heads, pe_alibi_mode mode, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, uint16_t *scores, size_t query_stride, \
      size_t head_stride), (slopes, heads, mode, query_at, queries, key_at, keys, scores, \
      query_stride, head_stride)) \
    X(pe_status, pe_bias_t5_i32, (size_t buckets, size_t max_distance, int bidirectional, pe_at \
      query_at, size_t queries, pe_at key_at, size_t keys, int32_t *index), (buckets, \
      max_distance, bidirectional, query_at, queries, key_at, keys, index)) \
    X(pe_status, pe_bias_add_f32, (const float *table, size_t entries, size_t heads, const \
      int32_t *index, size_t queries, size_t keys, float *scores, size_t query_stride, size_t \
      head_stride), (table, entries, heads, index, queries, keys, scores, query_stride, \
      head_stride)) \
    X(pe_status, pe_bias_add_f16, (const float *table, size_t entries, size_t heads, const \
      int32_t *index, size_t queries, size_t keys, uint16_t *scores, size_t query_stride, size_t \
      head_stride), (table, entries, heads, index, queries, keys, scores, query_stride, \
      head_stride)) \
    X(pe_status, pe_bias_add_bf16, (const float *table, size_t entries, size_t heads, const \
      int32_t *index, size_t queries, size_t keys, uint16_t *scores, size_t query_stride, size_t \
      head_stride), (table, entries, heads, index, queries, keys, scores, query_stride, \
      head_stride)) \
    X(pe_status, pe_learned_add_f32, (const float *table, size_t table_rows, size_t d_model, \
      pe_at positions, size_t rows, float *x, size_t stride), (table, table_rows, d_model, \
      positions, rows, x, stride)) \
    X(pe_status, pe_learned_add_f16, (const uint16_t *table, size_t table_rows, size_t d_model, \
      pe_at positions, size_t rows, uint16_t *x, size_t stride), (table, table_rows, d_model, \
      positions, rows, x, stride)) \
    X(pe_status, pe_learned_add_bf16, (const uint16_t *table, size_t table_rows, size_t d_model, \
      pe_at positions, size_t rows, uint16_t *x, size_t stride), (table, table_rows, d_model, \
      positions, rows, x, stride)) \
    X(pe_status, pe_learned_grad_f32, (float *grad_table, size_t table_rows, size_t d_model, \
      pe_at positions, size_t rows, const float *grad_x, size_t stride), (grad_table, table_rows, \
      d_model, positions, rows, grad_x, stride)) \
    X(pe_status, pe_learned_resample_f32, (const float *table, size_t height, size_t width, \
      size_t d_model, const pe_resample *how, float *out, size_t out_height, size_t out_width), \
      (table, height, width, d_model, how, out, out_height, out_width))
