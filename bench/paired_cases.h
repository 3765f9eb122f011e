/* SPDX-License-Identifier: MIT
 *
 * This file has the cases of the comparison. It is included by paired_side.c, which has the plans
 * and lists:
 *
 *     CASE(name, use of the output, type of its elements, their number, call in 0.1, later call)
 *
 * A name has the verb, the type, the shape, and what is special. The output is f, g or h, that is,
 * floats, doubles or 16-bit numbers.
 */

/* ---- tables ---- */
CASE("fill f32 512x512", PAIRED_WRITES, float, 512 * 512, pe_fill_f32(&plan_512, 0, 512, f, 512),
     pe_fill_f32(&plan_512, pe_from(0), 512, f, 512))
CASE("fill f32 512x512 at 16,000,000", PAIRED_WRITES, float, 512 * 512,
     pe_fill_f32(&plan_512, 16000000, 512, f, 512),
     pe_fill_f32(&plan_512, pe_from(16000000), 512, f, 512))
CASE("fill f64 512x512", PAIRED_WRITES, double, 512 * 512, pe_fill_f64(&plan_512, 0, 512, g, 512),
     pe_fill_f64(&plan_512, pe_from(0), 512, g, 512))
CASE("fill f64 512x512 at 16,000,000", PAIRED_WRITES, double, 512 * 512,
     pe_fill_f64(&plan_512, 16000000, 512, g, 512),
     pe_fill_f64(&plan_512, pe_from(16000000), 512, g, 512))
CASE("fill f16 512x512", PAIRED_WRITES, uint16_t, 512 * 512, pe_fill_f16(&plan_512, 0, 512, h, 512),
     pe_fill_f16(&plan_512, pe_from(0), 512, h, 512))
CASE("fill f16 512x512 at 16,000,000", PAIRED_WRITES, uint16_t, 512 * 512,
     pe_fill_f16(&plan_512, 16000000, 512, h, 512),
     pe_fill_f16(&plan_512, pe_from(16000000), 512, h, 512))
CASE("fill bf16 512x512", PAIRED_WRITES, uint16_t, 512 * 512,
     pe_fill_bf16(&plan_512, 0, 512, h, 512), pe_fill_bf16(&plan_512, pe_from(0), 512, h, 512))
CASE("fill bf16 512x512 at 16,000,000", PAIRED_WRITES, uint16_t, 512 * 512,
     pe_fill_bf16(&plan_512, 16000000, 512, h, 512),
     pe_fill_bf16(&plan_512, pe_from(16000000), 512, h, 512))
CASE("fill f32 512x512 halves", PAIRED_WRITES, float, 512 * 512,
     pe_fill_f32(&plan_halves, 0, 512, f, 512), pe_fill_f32(&plan_halves, pe_from(0), 512, f, 512))
CASE("fill f32 512x512 float32 angles", PAIRED_WRITES, float, 512 * 512,
     pe_fill_f32(&plan_float32, 0, 512, f, 512),
     pe_fill_f32(&plan_float32, pe_from(0), 512, f, 512))
CASE("fill f32 64x128", PAIRED_WRITES, float, 64 * 128, pe_fill_f32(&plan_128, 0, 64, f, 128),
     pe_fill_f32(&plan_128, pe_from(0), 64, f, 128))
CASE("fill f32 4096x1024", PAIRED_WRITES, float, 4096 * 1024,
     pe_fill_f32(&plan_1024, 0, 4096, f, 1024), pe_fill_f32(&plan_1024, pe_from(0), 4096, f, 1024))
CASE("fill f32 131072x512", PAIRED_WRITES, float, 131072 * 512,
     pe_fill_f32(&plan_512, 0, 131072, f, 512), pe_fill_f32(&plan_512, pe_from(0), 131072, f, 512))
CASE("fill f32 65536x1024", PAIRED_WRITES, float, 65536 * 1024,
     pe_fill_f32(&plan_1024, 0, 65536, f, 1024),
     pe_fill_f32(&plan_1024, pe_from(0), 65536, f, 1024))
CASE("fill f32 32768x2048", PAIRED_WRITES, float, 32768 * 2048,
     pe_fill_f32(&plan_2048, 0, 32768, f, 2048),
     pe_fill_f32(&plan_2048, pe_from(0), 32768, f, 2048))
CASE("fill f32 131072x512 halves", PAIRED_WRITES, float, 131072 * 512,
     pe_fill_f32(&plan_halves, 0, 131072, f, 512),
     pe_fill_f32(&plan_halves, pe_from(0), 131072, f, 512))
CASE("fill f16 131072x512", PAIRED_WRITES, uint16_t, 131072 * 512,
     pe_fill_f16(&plan_512, 0, 131072, h, 512), pe_fill_f16(&plan_512, pe_from(0), 131072, h, 512))
CASE("fill bf16 131072x512", PAIRED_WRITES, uint16_t, 131072 * 512,
     pe_fill_bf16(&plan_512, 0, 131072, h, 512),
     pe_fill_bf16(&plan_512, pe_from(0), 131072, h, 512))
CASE("pe_sinusoidal_f32 512x512", PAIRED_WRITES, float, 512 * 512, pe_sinusoidal_f32(f, 512, 512),
     pe_sinusoidal_f32(f, 512, 512))

/* ---- scattered rows ---- */
CASE("fill f32 512x512 list below 2^17", PAIRED_WRITES, float, 512 * 512,
     pe_fill_at_f32(&plan_512, below_2p17, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_i64(below_2p17), 512, f, 512))
CASE("fill f32 512x512 list below 2^31", PAIRED_WRITES, float, 512 * 512,
     pe_fill_at_f32(&plan_512, below_2p31, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_i64(below_2p31), 512, f, 512))
CASE("fill f32 512x512 list, runs of 32", PAIRED_WRITES, float, 512 * 512,
     pe_fill_at_f32(&plan_512, runs_of_32, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_i64(runs_of_32), 512, f, 512))
CASE("fill f32 512x512 list 0 1 2", PAIRED_WRITES, float, 512 * 512,
     pe_fill_at_f32(&plan_512, in_order, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_i64(in_order), 512, f, 512))
CASE("fill f32 512x512 list downwards", PAIRED_WRITES, float, 512 * 512,
     pe_fill_at_f32(&plan_512, downwards, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_i64(downwards), 512, f, 512))
CASE("fill bf16 512x512 list below 2^17", PAIRED_WRITES, uint16_t, 512 * 512,
     pe_fill_at_bf16(&plan_512, below_2p17, 512, h, 512),
     pe_fill_bf16(&plan_512, pe_at_i64(below_2p17), 512, h, 512))
CASE("fill f64 512x512 list below 2^17", PAIRED_WRITES, double, 512 * 512,
     pe_fill_at_f64(&plan_512, below_2p17, 512, g, 512),
     pe_fill_f64(&plan_512, pe_at_i64(below_2p17), 512, g, 512))
CASE("fill f32 512x512 reals below 1000", PAIRED_WRITES, float, 512 * 512,
     pe_fill_real_f32(&plan_512, reals_1000, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_f64(reals_1000), 512, f, 512))
CASE("fill f32 512x512 reals below 2^20", PAIRED_WRITES, float, 512 * 512,
     pe_fill_real_f32(&plan_512, reals_2p20, 512, f, 512),
     pe_fill_f32(&plan_512, pe_at_f64(reals_2p20), 512, f, 512))
CASE("fill f64 512x512 reals below 1000", PAIRED_WRITES, double, 512 * 512,
     pe_fill_real_f64(&plan_512, reals_1000, 512, g, 512),
     pe_fill_f64(&plan_512, pe_at_f64(reals_1000), 512, g, 512))
CASE("fill f32 one row of 4096", PAIRED_WRITES, float, 4096,
     pe_fill_f32(&plan_4096, 1000 + 37 * (int64_t)(call % 4096), 1, f, 4096),
     pe_fill_f32(&plan_4096, pe_from(1000 + 37 * (int64_t)(call % 4096)), 1, f, 4096))
CASE("fill f32 one row of 512", PAIRED_WRITES, float, 512,
     pe_fill_f32(&plan_512, 1000 + 37 * (int64_t)(call % 4096), 1, f, 512),
     pe_fill_f32(&plan_512, pe_from(1000 + 37 * (int64_t)(call % 4096)), 1, f, 512))
CASE("fill f32 one row of 128", PAIRED_WRITES, float, 128,
     pe_fill_f32(&plan_128, 1000 + 37 * (int64_t)(call % 4096), 1, f, 128),
     pe_fill_f32(&plan_128, pe_from(1000 + 37 * (int64_t)(call % 4096)), 1, f, 128))
CASE("sines f32 one row of 64 pairs", PAIRED_WRITES, float, 128,
     pe_fill_f32(&plan_omega, 1000, 1, f, 128),
     SINES(pe_from(1000 + 37 * (int64_t)(call % 4096)), 1))
CASE("sines f32 512 rows of 64 pairs", PAIRED_WRITES, float, 512 * 128,
     pe_fill_f32(&plan_omega, 0, 512, f, 128), SINES(pe_from(0), 512))
CASE("fill f32 grid 64x64x512", PAIRED_WRITES, float, 4096 * 512,
     pe_fill_grid_f32(&plan_mae, grid_64, f, 512),
     pe_fill_f32(&plan_mae, pe_grid(grid_64, 2), 4096, f, 512))
CASE("fill f32 points 4096x3x512", PAIRED_WRITES, float, 4096 * 512,
     pe_fill_coords_f32(&plan_xyz, points, 4096, f, 512),
     pe_fill_f32(&plan_xyz, pe_coords_f64(points, 3, 3, 1), 4096, f, 512))

/* an image: 64 x 64 points in order, and any 4096 of them */
CASE("fill f32 points of an image 4096x3x512", PAIRED_WRITES, float, 4096 * 512,
     pe_fill_coords_f32(&plan_xyz, image, 4096, f, 512),
     pe_fill_f32(&plan_xyz, pe_coords_f64(image, 3, 3, 1), 4096, f, 512))
CASE("fill f32 points of an image 4096x3x512, mixed", PAIRED_WRITES, float, 4096 * 512,
     pe_fill_coords_f32(&plan_xyz, image_mixed, 4096, f, 512),
     pe_fill_f32(&plan_xyz, pe_coords_f64(image_mixed, 3, 3, 1), 4096, f, 512))

/* ---- plans ---- */
CASE("plan of 512", PAIRED_WRITES, float, 0,
     pe_plan_init(&plan_step, &config_512, spare, spare_size),
     pe_plan_init(&plan_step, &config_512, spare, spare_size))
CASE("plan of 4096", PAIRED_WRITES, float, 0,
     pe_plan_init(&plan_step, &config_4096, spare, spare_size),
     pe_plan_init(&plan_step, &config_4096, spare, spare_size))
CASE("plan of Llama 3.1's RoPE", PAIRED_WRITES, float, 0, make_llama(), make_llama())
CASE("plan and one row of 320", PAIRED_WRITES, float, 320,
     make_step() || pe_fill_real_f32(&plan_step, reals_1000 + call % 512, 1, f, 320),
     make_step() || pe_fill_f32(&plan_step, pe_at_f64(reals_1000 + call % 512), 1, f, 320))

/* ---- adding ---- */
CASE("add f32 512x512", PAIRED_CHANGES, float, 512 * 512, pe_add_f32(&plan_512, 0, 512, 1, f, 512),
     pe_add_f32(&plan_512, pe_from(0), 512, 1, f, 512))
CASE("add f64 512x512", PAIRED_CHANGES, double, 512 * 512, pe_add_f64(&plan_512, 0, 512, 1, g, 512),
     pe_add_f64(&plan_512, pe_from(0), 512, 1, g, 512))
CASE("add f16 512x512", PAIRED_CHANGES, uint16_t, 512 * 512,
     pe_add_f16(&plan_512, 0, 512, 1, h, 512), pe_add_f16(&plan_512, pe_from(0), 512, 1, h, 512))
CASE("add bf16 512x512", PAIRED_CHANGES, uint16_t, 512 * 512,
     pe_add_bf16(&plan_512, 0, 512, 1, h, 512), pe_add_bf16(&plan_512, pe_from(0), 512, 1, h, 512))
CASE("add f32 4096x1024", PAIRED_CHANGES, float, 4096 * 1024,
     pe_add_f32(&plan_1024, 0, 4096, 1, f, 1024),
     pe_add_f32(&plan_1024, pe_from(0), 4096, 1, f, 1024))
CASE("add f32 131072x512", PAIRED_CHANGES, float, 131072 * 512,
     pe_add_f32(&plan_512, 0, 131072, 1, f, 512),
     pe_add_f32(&plan_512, pe_from(0), 131072, 1, f, 512))
CASE("add f32 512x512 list below 2^17", PAIRED_CHANGES, float, 512 * 512,
     pe_add_at_f32(&plan_512, below_2p17, 512, 1, f, 512),
     pe_add_f32(&plan_512, pe_at_i64(below_2p17), 512, 1, f, 512))
CASE("add batch f32 32x64x512", PAIRED_CHANGES, float, 32 * 64 * 512,
     pe_add_batch_f32(&plan_512, 0, 64, 32, 1, f, 512, 64 * 512),
     pe_add_batch_f32(&plan_512, pe_from(0), 64, 32, 1, f, 512, 64 * 512))
CASE("add batch f32 64x512x512", PAIRED_CHANGES, float, 64 * 512 * 512,
     pe_add_batch_f32(&plan_512, 0, 512, 64, 1, f, 512, 512 * 512),
     pe_add_batch_f32(&plan_512, pe_from(0), 512, 64, 1, f, 512, 512 * 512))

/* ---- RoPE, 32 heads of 128 ---- */
CASE("rope f32 1 token, halves", PAIRED_CHANGES, float, 4096,
     pe_rope_f32(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_from(1000 + (int64_t)call), 1, f, heads_32))
CASE("rope f32 1 token, interleaved", PAIRED_CHANGES, float, 4096,
     pe_rope_f32(&rope_interleaved, PE_ROPE_ADJACENT, 1000 + (int64_t)call, 1, 32, f, 4096, 128),
     pe_rope_f32(&rope_interleaved, pe_from(1000 + (int64_t)call), 1, f, heads_32))
CASE("rope f16 1 token, halves", PAIRED_CHANGES, uint16_t, 4096,
     pe_rope_f16(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 32, h, 4096, 128),
     pe_rope_f16(&rope_halves, pe_from(1000 + (int64_t)call), 1, h, heads_32))
CASE("rope bf16 1 token, halves", PAIRED_CHANGES, uint16_t, 4096,
     pe_rope_bf16(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 32, h, 4096, 128),
     pe_rope_bf16(&rope_halves, pe_from(1000 + (int64_t)call), 1, h, heads_32))
CASE("rope f32 1 token, 1 head", PAIRED_CHANGES, float, 128,
     pe_rope_f32(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 1, f, 128, 128),
     pe_rope_f32(&rope_halves, pe_from(1000 + (int64_t)call), 1, f, heads_1))
CASE("rope qk f32 1 token, 32 + 8 heads", PAIRED_CHANGES, float, 4096 + 1024,
     pe_rope_qk_f32(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 32, f, 4096, 128, 8,
                    f + 4096, 1024, 128),
     pe_rope_qk_f32(&rope_halves, pe_from(1000 + (int64_t)call), 1, f, heads_32, f + 4096, heads_8))
CASE("rope to f32 1 token, halves", PAIRED_WRITES, float, 4096,
     pe_rope_to_f32(&rope_halves, PE_ROPE_HALVES, 1000 + (int64_t)call, 1, 32, 128, from_f, 4096,
                    128, f, 4096, 128),
     pe_rope_to_f32(&rope_halves, pe_from(1000 + (int64_t)call), 1, 128, from_f, heads_32, f,
                    heads_32))
CASE("rope to f32 1 token, interleaved", PAIRED_WRITES, float, 4096,
     pe_rope_to_f32(&rope_interleaved, PE_ROPE_ADJACENT, 1000 + (int64_t)call, 1, 32, 128, from_f,
                    4096, 128, f, 4096, 128),
     pe_rope_to_f32(&rope_interleaved, pe_from(1000 + (int64_t)call), 1, 128, from_f, heads_32, f,
                    heads_32))
CASE("rope f32 2048 tokens, halves", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_f32(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_from(1000), 2048, f, heads_32))
CASE("rope f32 2048 tokens, interleaved", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_f32(&rope_interleaved, PE_ROPE_ADJACENT, 1000, 2048, 32, f, 4096, 128),
     pe_rope_f32(&rope_interleaved, pe_from(1000), 2048, f, heads_32))
CASE("rope f16 2048 tokens, halves", PAIRED_CHANGES, uint16_t, 2048 * 4096,
     pe_rope_f16(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, h, 4096, 128),
     pe_rope_f16(&rope_halves, pe_from(1000), 2048, h, heads_32))
CASE("rope f16 2048 tokens, interleaved", PAIRED_CHANGES, uint16_t, 2048 * 4096,
     pe_rope_f16(&rope_interleaved, PE_ROPE_ADJACENT, 1000, 2048, 32, h, 4096, 128),
     pe_rope_f16(&rope_interleaved, pe_from(1000), 2048, h, heads_32))
CASE("rope bf16 2048 tokens, halves", PAIRED_CHANGES, uint16_t, 2048 * 4096,
     pe_rope_bf16(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, h, 4096, 128),
     pe_rope_bf16(&rope_halves, pe_from(1000), 2048, h, heads_32))
CASE("rope bf16 2048 tokens, interleaved", PAIRED_CHANGES, uint16_t, 2048 * 4096,
     pe_rope_bf16(&rope_interleaved, PE_ROPE_ADJACENT, 1000, 2048, 32, h, 4096, 128),
     pe_rope_bf16(&rope_interleaved, pe_from(1000), 2048, h, heads_32))
CASE("rope f32 16384 tokens, halves", PAIRED_CHANGES, float, 16384 * 4096,
     pe_rope_f32(&rope_halves, PE_ROPE_HALVES, 1000, 16384, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_from(1000), 16384, f, heads_32))
CASE("rope f32 16384 tokens, interleaved", PAIRED_CHANGES, float, 16384 * 4096,
     pe_rope_f32(&rope_interleaved, PE_ROPE_ADJACENT, 1000, 16384, 32, f, 4096, 128),
     pe_rope_f32(&rope_interleaved, pe_from(1000), 16384, f, heads_32))
CASE("rope f32 512 tokens, list below 2^17", PAIRED_CHANGES, float, 512 * 4096,
     pe_rope_at_f32(&rope_halves, PE_ROPE_HALVES, below_2p17, 512, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_at_i64(below_2p17), 512, f, heads_32))
CASE("rope back f32 2048 tokens", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_inverse_f32(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_back(pe_from(1000)), 2048, f, heads_32))
CASE("rope to f32 2048 tokens", PAIRED_WRITES, float, 2048 * 4096,
     pe_rope_to_f32(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, 128, from_f, 4096, 128, f, 4096,
                    128),
     pe_rope_to_f32(&rope_halves, pe_from(1000), 2048, 128, from_f, heads_32, f, heads_32))
CASE("rope qk bf16 2048 tokens, 32 + 8 heads", PAIRED_CHANGES, uint16_t, 2048 * (4096 + 1024),
     pe_rope_qk_bf16(&rope_halves, PE_ROPE_HALVES, 1000, 2048, 32, h, 4096, 128, 8, h + 2048 * 4096,
                     1024, 128),
     pe_rope_qk_bf16(&rope_halves, pe_from(1000), 2048, h, heads_32, h + 2048 * 4096, heads_8))
CASE("rope f32 2048 tokens, M-RoPE", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_axes_f32(&rope_halves, PE_ROPE_HALVES, m_rope_axis, 3, coordinates, 2048, 32, f, 4096,
                      128),
     pe_rope_f32(&m_rope, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_32))
CASE("rope f32 2048 tokens, interleaved sections", PAIRED_CHANGES, float, 2048 * 128, PE_OK,
     pe_rope_f32(&m_rope_woven, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_1))
CASE("rope f32 2048 tokens, sections in blocks", PAIRED_CHANGES, float, 2048 * 128, PE_OK,
     pe_rope_f32(&m_rope, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_1))
CASE("rope f32 2048 tokens, a list of coordinates, 1 head", PAIRED_CHANGES, float, 2048 * 128,
     PE_OK, pe_rope_f32(&m_rope_list, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_1))
CASE("rope f32 2048 tokens, a list of coordinates", PAIRED_CHANGES, float, 2048 * 4096, PE_OK,
     pe_rope_f32(&m_rope_list, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_32))
CASE("rope bf16 2048 tokens, a list of coordinates", PAIRED_CHANGES, uint16_t, 2048 * 4096, PE_OK,
     pe_rope_bf16(&m_rope_list, pe_coords_i64(coordinates, 3, 1, 2048), 2048, h, heads_32))
CASE("rope f32 1 token, a list of coordinates", PAIRED_CHANGES, float, 4096, PE_OK,
     pe_rope_f32(&m_rope_list, pe_coords_i64(coordinates + call % 2048, 3, 1, 2048), 1, f,
                 heads_32))
CASE("rope table f32 2048, a list of coordinates", PAIRED_WRITES, float, 2048 * 128, PE_OK,
     TABLE(f32, &m_rope_list, pe_coords_i64(coordinates, 3, 1, 2048), 2048, PE_ROPE_TABLE_JOINED, f,
           NULL, 128))
CASE("rope table bf16 2048, apart, a list of coordinates", PAIRED_WRITES, uint16_t, 2048 * 128,
     PE_OK,
     TABLE(bf16, &m_rope_list, pe_coords_i64(coordinates, 3, 1, 2048), 2048, PE_ROPE_TABLE_APART, h,
           h + 2048 * 64, 64))
CASE("rope f32 2048 tokens, halves in blocks of 64", PAIRED_CHANGES, float, 2048 * 4096, PE_OK,
     pe_rope_f32(&halves_128, pe_coords_i64(coordinates, 2, 1, 2048), 2048, f, heads_32))
CASE("rope bf16 2048 tokens, halves in blocks of 64", PAIRED_CHANGES, uint16_t, 2048 * 4096, PE_OK,
     pe_rope_bf16(&halves_128, pe_coords_i64(coordinates, 2, 1, 2048), 2048, h, heads_32))
CASE("rope f32 1 token, 1 head, halves in blocks of 64", PAIRED_CHANGES, float, 128, PE_OK,
     pe_rope_f32(&halves_128, pe_coords_i64(coordinates + call % 2048, 2, 1, 2048), 1, f, heads_1))
CASE("rope f32 2048 tokens, halves in blocks of 32", PAIRED_CHANGES, float, 2048 * 2048, PE_OK,
     pe_rope_f32(&halves_64, pe_coords_i64(coordinates, 2, 1, 2048), 2048, f, heads_32_64))
CASE("rope f32 2048 tokens, 3 axes, halves in blocks", PAIRED_CHANGES, float, 2048 * 3072, PE_OK,
     pe_rope_f32(&halves_96, pe_coords_i64(coordinates, 3, 1, 2048), 2048, f, heads_32_96))
CASE("rope f32 2048 tokens, halves in blocks of 36", PAIRED_CHANGES, float, 2048 * 2304, PE_OK,
     pe_rope_f32(&halves_72, pe_coords_i64(coordinates, 2, 1, 2048), 2048, f, heads_32_72))
CASE("rope f32 2048 tokens, halves in blocks of 16", PAIRED_CHANGES, float, 2048 * 1024, PE_OK,
     pe_rope_f32(&halves_32, pe_coords_i64(coordinates, 2, 1, 2048), 2048, f, heads_32_32))
CASE("rope shift f32 2048 tokens", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_shift_f32(&rope_halves, PE_ROPE_HALVES, -512, 2048, 32, f, 4096, 128),
     pe_rope_f32(&rope_halves, pe_delta(pe_all(-512)), 2048, f, heads_32))
CASE("rope shift bf16 2048 tokens", PAIRED_CHANGES, uint16_t, 2048 * 4096,
     pe_rope_shift_bf16(&rope_halves, PE_ROPE_HALVES, -512, 2048, 32, h, 4096, 128),
     pe_rope_bf16(&rope_halves, pe_delta(pe_all(-512)), 2048, h, heads_32))

/* ---- RoPE by tables ---- */
CASE("rope table f32 2048, apart", PAIRED_WRITES, float, 2048 * 128,
     pe_rope_table_f32(&rope_halves, 0, 2048, f, f + 2048 * 64, 64),
     TABLE(f32, &rope_halves, pe_from(0), 2048, PE_ROPE_TABLE_APART, f, f + 2048 * 64, 64))
CASE("rope table f32 2048, twice, halves", PAIRED_WRITES, float, 2048 * 256,
     pe_rope_table_twice_f32(&rope_halves, PE_ROPE_HALVES, 0, 2048, f, f + 2048 * 128, 128),
     TABLE(f32, &rope_halves, pe_from(0), 2048, PE_ROPE_TABLE_TWICE, f, f + 2048 * 128, 128))
CASE("rope table f32 2048, twice, interleaved", PAIRED_WRITES, float, 2048 * 256,
     pe_rope_table_twice_f32(&rope_interleaved, PE_ROPE_ADJACENT, 0, 2048, f, f + 2048 * 128, 128),
     TABLE(f32, &rope_interleaved, pe_from(0), 2048, PE_ROPE_TABLE_TWICE, f, f + 2048 * 128, 128))
CASE("rope table f32 2048, joined", PAIRED_WRITES, float, 2048 * 128,
     pe_rope_table_joined_f32(&rope_halves, 0, 2048, f, 128),
     TABLE(f32, &rope_halves, pe_from(0), 2048, PE_ROPE_TABLE_JOINED, f, NULL, 128))
CASE("rope table f32 2048, complex", PAIRED_WRITES, float, 2048 * 128,
     pe_rope_table_complex_f32(&rope_halves, 0, 2048, f, 128),
     TABLE(f32, &rope_halves, pe_from(0), 2048, PE_ROPE_TABLE_COMPLEX, f, NULL, 128))
CASE("rope table bf16 2048, joined", PAIRED_WRITES, uint16_t, 2048 * 128,
     pe_rope_table_joined_bf16(&rope_halves, 0, 2048, h, 128),
     TABLE(bf16, &rope_halves, pe_from(0), 2048, PE_ROPE_TABLE_JOINED, h, NULL, 128))
CASE("rope by table f32 1 token, 1 head", PAIRED_CHANGES, float, 128,
     pe_rope_by_table_f32(PE_ROPE_HALVES, tables[1] + 64, tables[1], 128, 64, 1, 1, f, 128, 128),
     BY_TABLE(PE_LAYOUT_HALVES, pe_from(0), 1, heads_1))
CASE("rope by table f32 1 token, 32 heads", PAIRED_CHANGES, float, 4096,
     pe_rope_by_table_f32(PE_ROPE_HALVES, tables[1] + 64, tables[1], 128, 64, 1, 32, f, 4096, 128),
     BY_TABLE(PE_LAYOUT_HALVES, pe_from(0), 1, heads_32))
CASE("rope by table f32 2048 tokens, halves", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_by_table_f32(PE_ROPE_HALVES, tables[1] + 64, tables[1], 128, 64, 2048, 32, f, 4096,
                          128),
     BY_TABLE(PE_LAYOUT_HALVES, pe_from(0), 2048, heads_32))
CASE("rope by table f32 2048 tokens, interleaved", PAIRED_CHANGES, float, 2048 * 4096,
     pe_rope_by_table_f32(PE_ROPE_ADJACENT, tables[1] + 64, tables[1], 128, 64, 2048, 32, f, 4096,
                          128),
     BY_TABLE(PE_LAYOUT_INTERLEAVED, pe_from(0), 2048, heads_32))
/* Compares rows that are gathered with consecutive rows in a version that cannot gather. */
CASE("rope by table f32 512 tokens, gathered, halves", PAIRED_CHANGES, float, 512 * 4096,
     pe_rope_by_table_f32(PE_ROPE_HALVES, tables[1] + 64, tables[1], 128, 64, 512, 32, f, 4096,
                          128),
     BY_TABLE(PE_LAYOUT_HALVES, pe_at_i64(in_order), 512, heads_32))
CASE("rope by table f32 512 tokens, gathered, interleaved", PAIRED_CHANGES, float, 512 * 4096,
     pe_rope_by_table_f32(PE_ROPE_ADJACENT, tables[1] + 64, tables[1], 128, 64, 512, 32, f, 4096,
                          128),
     BY_TABLE(PE_LAYOUT_INTERLEAVED, pe_at_i64(in_order), 512, heads_32))

/* ---- the algebra ---- */
CASE("shift f32 512x512", PAIRED_CHANGES, float, 512 * 512,
     pe_shift_f32(&plan_512, call % 2 ? 37 : -37, 512, f, 512),
     pe_shift_f32(&plan_512, pe_all(call % 2 ? 37 : -37), 512, f, 512))
CASE("shift f32 512x512, halves", PAIRED_CHANGES, float, 512 * 512,
     pe_shift_f32(&plan_halves, call % 2 ? 37 : -37, 512, f, 512),
     pe_shift_f32(&plan_halves, pe_all(call % 2 ? 37 : -37), 512, f, 512))
CASE("shift f64 512x512", PAIRED_CHANGES, double, 512 * 512,
     pe_shift_f64(&plan_512, call % 2 ? 37 : -37, 512, g, 512),
     pe_shift_f64(&plan_512, pe_all(call % 2 ? 37 : -37), 512, g, 512))
CASE("shift f16 512x512", PAIRED_CHANGES, uint16_t, 512 * 512,
     pe_shift_f16(&plan_512, call % 2 ? 37 : -37, 512, h, 512),
     pe_shift_f16(&plan_512, pe_all(call % 2 ? 37 : -37), 512, h, 512))
CASE("shift bf16 512x512", PAIRED_CHANGES, uint16_t, 512 * 512,
     pe_shift_bf16(&plan_512, call % 2 ? 37 : -37, 512, h, 512),
     pe_shift_bf16(&plan_512, pe_all(call % 2 ? 37 : -37), 512, h, 512))
CASE("shift f32 131072x512", PAIRED_CHANGES, float, 131072 * 512,
     pe_shift_f32(&plan_512, call % 2 ? 37 : -37, 131072, f, 512),
     pe_shift_f32(&plan_512, pe_all(call % 2 ? 37 : -37), 131072, f, 512))
CASE("shift f32 131072x512, halves", PAIRED_CHANGES, float, 131072 * 512,
     pe_shift_f32(&plan_halves, call % 2 ? 37 : -37, 131072, f, 512),
     pe_shift_f32(&plan_halves, pe_all(call % 2 ? 37 : -37), 131072, f, 512))
CASE("dot f64 10000 distances", PAIRED_WRITES, double, 10000, pe_dots_f64(&plan_512, 0, 10000, g),
     pe_dot_f64(&plan_512, pe_from(0), 10000, g))
CASE("dot f64 one", PAIRED_WRITES, double, 1, pe_dot_f64(&plan_512, (int64_t)call % 5000, g),
     pe_dot_f64(&plan_512, pe_all((int64_t)call % 5000), 1, g))

/* ---- ALiBi, learned tables ---- */
CASE("alibi fill f32 16x512x512", PAIRED_WRITES, float, 16 * 512 * 512,
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_CAUSAL, QUERIES_KEYS(512, 512), f, 512, 512 * 512),
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_CAUSAL, QUERIES_KEYS(512, 512), f, 512, 512 * 512))
CASE("alibi fill f32 16x1x512", PAIRED_WRITES, float, 16 * 512,
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(1, 512), f, 512, 512),
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(1, 512), f, 512, 512))
CASE("alibi fill f16 16x512x512", PAIRED_WRITES, uint16_t, 16 * 512 * 512,
     pe_alibi_fill_f16(slopes, 16, PE_ALIBI_CAUSAL, QUERIES_KEYS(512, 512), h, 512, 512 * 512),
     pe_alibi_fill_f16(slopes, 16, PE_ALIBI_CAUSAL, QUERIES_KEYS(512, 512), h, 512, 512 * 512))
CASE("alibi fill bf16 16x1x512", PAIRED_WRITES, uint16_t, 16 * 512,
     pe_alibi_fill_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(1, 512), h, 512, 512),
     pe_alibi_fill_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(1, 512), h, 512, 512))
CASE("alibi add bf16 16x512x512", PAIRED_CHANGES, uint16_t, 16 * 512 * 512,
     pe_alibi_add_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(512, 512), h, 512, 512 * 512),
     pe_alibi_add_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_KEYS(512, 512), h, 512, 512 * 512))
CASE("alibi fill f32 16x32x512, keys in a list", PAIRED_WRITES, float, 16 * 32 * 512,
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_LINEAR, QUERIES_LIST(32, below_2p17, 512), f, 512,
                       32 * 512),
     pe_alibi_fill_f32(slopes, 16, PE_ALIBI_LINEAR, QUERIES_LIST(32, below_2p17, 512), f, 512,
                       32 * 512))
CASE("alibi fill bf16 16x32x512, keys in a list", PAIRED_WRITES, uint16_t, 16 * 32 * 512,
     pe_alibi_fill_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_LIST(32, below_2p17, 512), h, 512,
                        32 * 512),
     pe_alibi_fill_bf16(slopes, 16, PE_ALIBI_LINEAR, QUERIES_LIST(32, below_2p17, 512), h, 512,
                        32 * 512))
CASE("t5 512x512", PAIRED_WRITES, int32_t, 512 * 512, PE_OK,
     pe_bias_t5_i32(32, 128, 1, QUERIES_KEYS(512, 512), buckets))
CASE("t5 1x512", PAIRED_WRITES, int32_t, 512, PE_OK,
     pe_bias_t5_i32(32, 128, 1, QUERIES_KEYS(1, 512), buckets))
CASE("t5 32x512, keys in a list", PAIRED_WRITES, int32_t, 32 * 512, PE_OK,
     pe_bias_t5_i32(32, 128, 1, QUERIES_LIST(32, modulo_2048, 512), buckets))
CASE("learned add f32 16384x512", PAIRED_CHANGES, float, 16384 * 512,
     pe_learned_add_f32(tables[0], 2048, 512, modulo_2048, 16384, f, 512),
     pe_learned_add_f32(tables[0], 2048, 512, pe_at_i64(modulo_2048), 16384, f, 512))
CASE("learned grad f32 16384x512", PAIRED_CHANGES, float, 2048 * 512,
     pe_learned_grad_f32(from_f, 512, modulo_2048, 16384, f, 2048, 512),
     pe_learned_grad_f32(f, 2048, 512, pe_at_i64(modulo_2048), 16384, from_f, 512))
