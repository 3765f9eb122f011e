# SPDX-License-Identifier: MIT
"""Checks what posenc reports about model types: inner configs, towers, default scalings, statuses. tool.py runs it.

The configs are written here, with the keys that models have. Expected numbers are formulas in 70 decimal digits.
Their bases, widths and orders are from the classes of transformers 5.17.0 or the project that the comment names, read
in 2026-11. Nothing comes from posenc.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal as D

LLAMA3 = {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
          "original_max_position_embeddings": 8192}


def run_all(t):
    """Runs all checks. `t` is the module tool.py, whose formulas and check() are used."""
    default, yarn, llama3, linear = t.default, t.yarn, t.llama3, t.linear

    def show(config, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(config, file)
        got = t.pe(file.name, *words)
        os.unlink(file.name)
        return got

    def says(what, config, parts, status=0):
        """Checks a config's parts. `parts` maps names to ({member: value}, frequencies or None, attention factor)."""
        code, got = show(config)
        t.check(f"{what}: status {status}, parts {', '.join(parts)}", code == status and sorted(got) == sorted(parts),
                (code, {k: p.get("wrong") for k, p in got.items()}))
        for name, (members, omega, *attention) in parts.items():
            part = got.get(name, {})
            is_said = {k: part.get(k) for k in members}
            t.check(f"{what}, {name}: {members}", is_said == members, is_said)
            if omega is not None:
                t.same(f"{what}, {name}", part, omega, *attention)

    def halves(width, theta=10000):
        return default(width // 2, theta) * 2

    rope, still = {"kind": "rope"}, {"kind": "none"}
    other = ({"kind": "other"}, None)

    # ---- towers: pairs by y and x
    vision = {"kind": "rope", "section_order": "vision", "pairs": "halves"}
    says("Qwen2.5-VL's tower alone", {"model_type": "qwen2_5_vl_vision", "hidden_size": 1280, "num_heads": 16,
                                      "rope_parameters": {"rope_theta": 10000.0, "rope_type": "axial"}},
         {"text": ({**vision, "sections": [20, 20], "head_dim": 80}, halves(80))})
    says("the width of Qwen2-VL's tower is embed_dim", {"model_type": "qwen2_vl_vision", "hidden_size": 3584,
                                                        "embed_dim": 1280, "num_heads": 16},
         {"text": ({**vision, "head_dim": 80}, halves(80))})
    says("a tower with a base", {"model_type": "qwen3_5", "text_config": {"model_type": "qwen3_5_text", "head_dim": 64},
                                 "vision_config": {"model_type": "qwen3_5_vision", "hidden_size": 1152, "num_heads": 16,
                                                   "rope_parameters": {"rope_type": "axial", "rope_theta": 500.0}}},
         {"text": (rope, default(16, 10000)), "vision": ({**vision, "rope_theta": 500}, halves(72, 500))})
    w = default(64, 10000)
    pixtral = {"model_type": "pixtral", "hidden_size": 1024, "num_attention_heads": 16, "head_dim": 64,
               "rope_parameters": {"rope_theta": 10000.0, "rope_type": "axial"}}
    says("Pixtral", pixtral, {"text": ({**rope, "section_order": "mixed", "sections": [16, 16]}, w[0::2] + w[1::2])})
    w = default(36, 10000)
    says("Kimi K2.5's tower", {"model_type": "kimi_k25_vision", "hidden_size": 1152, "num_attention_heads": 16},
         {"text": ({**rope, "section_order": "woven", "pairs": "halves"}, [x for x in w for _ in "yx"])})
    gemma = {"model_type": "gemma4_vision", "hidden_size": 768, "num_attention_heads": 12, "head_dim": 64,
             "rope_parameters": {"rope_theta": 100.0, "rope_type": "axial"}}
    says("Gemma 4's tower", gemma, {
        name: ({**rope, "rotary_dim": 32, "rotary_offset": offset, "head_dim": 64}, default(32, 100))
        for name, offset in (("y", 0), ("x", 32))})
    says("SAM 3's tower", {"model_type": "sam3_vit_model", "hidden_size": 1024, "num_attention_heads": 16},
         {"text": ({**vision, "pairs": "neighbours"}, halves(64))})
    says("DINOv3", {"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6, "rope_theta": 100.0,
                    "pos_embed_rescale": 2.0}, {"text": (vision, halves(64, 100))})
    says("ERNIE 4.5 VL", {"model_type": "ernie4_5_vl_moe_text", "hidden_size": 1024, "head_dim": 128,
                          "num_attention_heads": 8},
         {"text": ({**rope, "pairs": "neighbours", "section_order": "hwt", "sections": [20, 22, 22]}, default(128, 500000))})
    says("sections outside text_config are not those of other parts", {
        "model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        "text_config": {"model_type": "qwen2_vl_text", "head_dim": 128},
        "audio_config": {"model_type": "llama", "head_dim": 128}},
         {"text": ({**rope, "sections": [16, 24, 24]}, default(128, 1000000)),
          "audio": ({**rope, "sections": None}, default(128, 10000))})
    part = show({"model_type": "ernie4_5_vl_moe_text", "head_dim": 128})[1]["text"]
    t.check("its coordinates", part["config"]["coordinate"] == [1, 2] * 22 + [0] * 20, part["config"])

    # ---- what holds without rope keys
    says("GPT-OSS", {"model_type": "gpt_oss", "hidden_size": 2880, "num_attention_heads": 64, "num_hidden_layers": 2},
         {"text": (rope, yarn(64, 150000, 32, 4096, truncate=False), t.mscale(32))})
    for name, theta, factor in (("apertus", 12000000, 8), ("cwm", 1000000, 16)):
        says(name, {"model_type": name, "head_dim": 128, "max_position_embeddings": 131072, "layer_types": ["full_attention"]},
             {"text": (rope, llama3(128, theta, factor, 1, 4, 8192))})
    says("Apertus: a base of version 4 does nothing", {"model_type": "apertus", "head_dim": 128, "rope_theta": 5e5},
         {"text": ({**rope, "rope_theta": 12000000}, llama3(128, 12000000, 8, 1, 4, 8192))})
    says("GPT-OSS: a base of version 4 counts", {"model_type": "gpt_oss", "rope_theta": 1e5},
         {"text": (rope, yarn(64, 100000, 32, 4096, truncate=False), t.mscale(32))})
    says("Mistral 4", {"model_type": "mistral4", "qk_rope_head_dim": 64, "max_position_embeddings": 1048576},
         {"text": ({**rope, "rope_interleave": True}, yarn(64, 10000, 128, 8192))})
    for name, theta, head, rotary in (("cohere", 500000, 128, 128), ("falcon_h1", 10000, 128, 128), ("persimmon", 10000, 64, 32),
                                      ("nomic_bert", 1000, 64, 64), ("qwen3_vl_text", 500000, 128, 128),
                                      ("minimax_m2", 5000000, 128, 128), ("solar_open", 1000000, 128, 128)):
        says(name, {"model_type": name, "hidden_size": 64 * head, "num_attention_heads": 64, "head_dim": head},
             {"text": ({**rope, "rotary_dim": rotary}, default(rotary, theta))})
    zeros = default(128, 1000000, 512, 192)
    gemma4 = {"model_type": "gemma4_text", "head_dim": 256, "layer_types": ["sliding_attention", "full_attention"]}
    for what, more in (("", {}), (" with per_layer_config", {"per_layer_config": {"01": {"head_dim": 512}}})):
        says(f"Gemma 4{what}", {**gemma4, **more}, {
            "full_attention": ({**rope, "head_dim": 512, "rotary_dim": 128, "layers": [1]}, zeros),
            "sliding_attention": ({**rope, "head_dim": 256, "layers": [0]}, default(256, 10000))})
    text = subprocess.run([sys.argv[1], "show", "model_type=gemma4_text"], stdout=subprocess.PIPE).stdout.decode()
    t.check("Gemma 4: 128 of 512 elements", "rotates 128 of 512 elements" in text, text)
    says("Gemma 4: per_layer_config wins", {**gemma4, "per_layer_config": {"01": {"head_dim": 128}}}, {
        "full_attention": ({"head_dim": 128, "rotary_dim": 32}, default(32, 1000000, 128, 48)),
        "sliding_attention": ({"head_dim": 256}, None)})
    part = show({**gemma4, "rope_theta": 5e5})[1]["full_attention"]
    t.check("Gemma 4: a base of version 4 does nothing, and this is said", part["rope_theta"] == 1000000, part)
    notes = [n["key"] for p in show({**gemma4, "rope_theta": 5e5})[1].values() for n in p["odd"]]
    t.check("and this is said", "rope_theta" in notes, notes)
    says("ModernBERT's keys of version 4", {"model_type": "modernbert", "global_rope_theta": 8e4, "local_rope_theta": 9e3,
                                            "rope_theta": 1, "num_hidden_layers": 4, "head_dim": 64},
         {"full_attention": ({"layers": [0, 3]}, default(64, 80000)), "sliding_attention": ({"layers": [1, 2]}, default(64, 9000))})
    says("LLaVA 1.5: sizes of Llama", {"model_type": "llava", "text_config": {"model_type": "llama"},
                                       "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024}},
         {"text": ({"head_dim": 128}, default(128, 10000)), "vision": other})

    # ---- objects for kinds of layers that have only a name, or are missing: what transformers 5.17.0 makes of them
    plain, kinds = {"rope_type": "default"}, ("full_attention", "sliding_attention")
    both = {"full_attention": plain, "sliding_attention": plain}
    wide, small = {"num_hidden_layers": 6, "head_dim": 256}, {"num_hidden_layers": 6, "head_dim": 64}
    yarn4 = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    for what, keys, width, full, sliding in (
            ("Gemma 3", {"model_type": "gemma3_text", "rope_parameters": both}, 256, 1000000, 10000),
            ("Gemma 3, {}", {"model_type": "gemma3_text", "rope_parameters": {kind: {} for kind in kinds}}, 256, 1000000, 10000),
            ("Gemma 3, one base", {"model_type": "gemma3_text", "rope_parameters": {
                **both, "full_attention": {**plain, "rope_theta": 7e3}}}, 256, 7000, 10000),
            ("Gemma 3, bases outside", {"model_type": "gemma3_text", "rope_theta": 3e4, "rope_local_base_freq": 2e3,
                                        "rope_parameters": both}, 256, 30000, 2000),
            ("Gemma 3, one object", {"model_type": "gemma3_text", "rope_parameters": {"full_attention": plain}}, 256, 1000000,
             10000),
            ("Gemma 3, a null", {"model_type": "gemma3_text", "rope_parameters": {
                "full_attention": {**plain, "rope_theta": 7e3}, "sliding_attention": None}}, 256, 7000, 10000),
            ("Gemma 3, by its old name", {"model_type": "gemma3_text", "rope_parameters": {
                "sliding_attention": {"type": "default"}}}, 256, 1000000, 10000),
            ("OLMo 3", {"model_type": "olmo3", "rope_theta": 3e5, "rope_parameters": both}, 64, 300000, 500000),
            ("ModernBERT", {"model_type": "modernbert", "rope_parameters": both}, 64, 160000, 10000),
            ("ModernBERT, bases outside", {"model_type": "modernbert", "global_rope_theta": 3e5, "local_rope_theta": 2e3,
                                           "rope_theta": 3e4, "rope_parameters": both}, 64, 300000, 2000)):
        says(f"{what}: objects with a name alone", {**(wide if width == 256 else small), **keys}, {
            "full_attention": (rope, default(width, full)), "sliding_attention": (rope, default(width, sliding))})
    says("OLMo 3: YaRN in the only object", {**small, "model_type": "olmo3", "rope_parameters": {"full_attention": yarn4}},
         {"full_attention": (rope, yarn(64, 500000, 4, 4096), t.mscale(4)), "sliding_attention": (rope, default(64, 500000))})
    for what, keys, full, sliding in (("both", {"rope_parameters": both}, 1000000, 10000),
                                      ("one", {"rope_parameters": {"full_attention": plain}}, 1000000, 10000),
                                      ("a base outside", {"rope_theta": 3e4, "rope_parameters": both}, 30000, 30000)):
        says(f"NeoMME: {what}", {**small, "model_type": "neomme", **keys}, {
            "full_attention": ({"rotary_dim": 16}, default(16, full)), "sliding_attention": ({"rotary_dim": 64}, default(64, sliding))})
    for name in ("gemma4_text", "mimo_v2_flash", "laguna", "mellum"):
        status, parts = show({"model_type": name, "num_hidden_layers": 6, "rope_theta": 1e4, "rope_parameters": both})
        t.check(f"{name} has no bases then: transformers refuses the file", status == 1 and sorted(parts) == sorted(kinds) and
                all([n["key"] for n in p["wrong"]] == ["rope_theta"] for p in parts.values()), (status, parts))
    share = {"model_type": "mellum", "head_dim": 64, "partial_rotary_factor": 0.5}
    for what, config in (("Mellum", share), ("Mellum with objects", {**share, "rope_parameters": {
            "full_attention": {**plain, "rope_theta": 500000.0}, "sliding_attention": {**plain, "rope_theta": 1e4}}})):
        says(f"{what}: a share beside the kinds of layers does nothing", config,
             {"full_attention": (rope, default(64, 500000)), "sliding_attention": (rope, default(64, 10000))})
    unused = {"model_type": "mellum", "num_hidden_layers": 1, "layer_types": ["full_attention"], "head_dim": 64,
              "rope_parameters": {**both, "full_attention": {**plain, "rope_theta": 7e3}}}
    status, parts = show(unused)
    t.check("a kind that no layer has needs no base", status == 0, (status, parts))
    status, parts = show({"model_type": "llama", "head_dim": 64, "rope_parameters": {
        "rope_type": "linear", "rope_theta": 1e4, "factor": 2.0, "remark": {"text": "x"}}})
    t.check("an object with a remark is no kind of layers", status == 1 and list(parts) == ["text"] and
            [n["key"] for n in parts["text"]["wrong"]] == ["rope_parameters.remark"], (status, parts))

    # ---- which elements
    half = {"rope_theta": 1e4, "partial_rotary_factor": 0.5}
    says("Llama: a share does nothing without scaling", {"model_type": "llama", "head_dim": 128,
                                                         "rope_parameters": {"rope_type": "default", **half}},
         {"text": ({"rotary_dim": 128}, default(128, 10000))})
    says("Llama: with scaling it counts", {"model_type": "llama", "head_dim": 128,
                                           "rope_parameters": {"rope_type": "linear", "factor": 4, **half}},
         {"text": ({"rotary_dim": 64}, linear(64, 10000, 4))})
    says("MiniMax-M2: a share counts", {"model_type": "minimax_m2", "rope_parameters": {"rope_type": "default", "rope_theta": 5e6,
                                                                                        "partial_rotary_factor": 0.25}},
         {"text": ({"rotary_dim": 32}, default(32, 5000000))})
    says("ERNIE 4.5: the head has a default", {"model_type": "ernie4_5", "hidden_size": 1024, "num_attention_heads": 16},
         {"text": ({"head_dim": 128}, default(128, 500000))})
    # transformers 5.17.0 loads these bases: setdefault() gives rope_parameters the base, so its own one wins
    linear2 = {"rope_scaling": {"type": "linear", "factor": 2}}
    for what, keys, theta, factor in (("GPT-NeoX: its own key", {"rotary_emb_base": 25000}, 25000, 1),
                                      ("GPT-NeoX: its own key with a scaling", {"rotary_emb_base": 25000, **linear2}, 25000, 2),
                                      ("GPT-NeoX: rope_theta does nothing", {"rope_theta": 25000}, 10000, 1),
                                      ("GPT-NeoX: nor with a scaling", {"rope_theta": 25000, **linear2}, 10000, 2),
                                      ("GPT-NeoX: both", {"rotary_emb_base": 25000, "rope_theta": 5e4}, 25000, 1),
                                      ("GPT-NeoX: rope_parameters win", {"rotary_emb_base": 25000, "rope_parameters": {
                                          "rope_type": "default", "rope_theta": 5e4, "partial_rotary_factor": 0.25}}, 50000, 1)):
        says(what, {"model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64, **keys},
             {"text": ({**rope, "rotary_dim": 24}, linear(24, theta, factor))})
    says("ModernBERT: rope_parameters win", {"model_type": "modernbert", "global_rope_theta": 5e3, "num_hidden_layers": 4,
                                             "head_dim": 64, "rope_parameters": {
                                                 "full_attention": {"rope_type": "default", "rope_theta": 7e3},
                                                 "sliding_attention": {"rope_type": "default", "rope_theta": 9e3}}},
         {"full_attention": (rope, default(64, 7000)), "sliding_attention": (rope, default(64, 9000))})
    for what, key, keys, numbers in (
            ("MiniMax-M2's rotary_dim", "rotary_dim", {"model_type": "minimax_m2", "rotary_dim": 64}, default(64, 5000000)),
            ("nomic's remote key", "rotary_emb_base", {"model_type": "nomic_bert", "rotary_emb_base": 5000}, default(64, 5000)),
            ("LFM2's theta", "theta", {"model_type": "lfm2", "head_dim": 64, "theta": 2e6}, default(64, 2000000)),
            ("DBRX's attn_config", "attn_config.rope_theta", {"model_type": "dbrx", "d_model": 512, "n_heads": 8,
                                                              "attn_config": {"rope_theta": 5e5}}, default(64, 500000))):
        status, parts = show(keys)
        t.check(f"{what} is obeyed, and status 1 says that transformers does not read it",
                status == 1 and [n["key"] for n in parts["text"]["wrong"]] == [key] and
                "transformers 5.17.0 does not read" in parts["text"]["wrong"][0]["text"], (status, parts))
        t.same(what, parts["text"], numbers)
    for keys in ({"model_type": "minimax_m2", "rotary_dim": 128}, {"model_type": "nomic_bert", "rotary_emb_base": 1000,
                                                                    "rotary_emb_interleaved": False, "n_embd": 768}):
        status, parts = show(keys)
        t.check(f"{keys}: what transformers means is no guess", status == 0 and not parts["text"]["wrong"], parts)
    for name in ("blt_patcher", "cohere2_moe", "moonshine_streaming", "openai_privacy_filter"):
        part = show({"model_type": name, "head_dim": 128, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}})[1]["text"]
        t.check(f"{name} pairs neighbours", part.get("pairs") == "neighbours" and not part["rope_interleave"], part)
    part = show({"model_type": "glm_ocr_text", "hidden_size": 1024, "num_attention_heads": 16})[1]["text"]
    t.check("GLM-OCR pairs neighbours", (part.get("pairs"), part.get("sections")) == ("neighbours", [8, 12, 12]), part)
    for name in ("deepseek_v32", "glm4_moe_lite", "axk1", "axk2", "youtu"):
        part = show({"model_type": name, "qk_rope_head_dim": 64})[1]["text"]
        t.check(f"{name} reads neighbours and writes halves", part.get("rope_interleave") is True, part)
    part = show({"model_type": "nanochat", "head_dim": 64})[1]["text"]
    t.check("nanochat rotates backwards", part.get("direction") == "backward" and part["pairs"] == "halves", part)
    code = subprocess.run([sys.argv[1], "show", "model_type=nanochat", "--c"], stdout=subprocess.PIPE).stdout.decode()
    t.check("nanochat in C: pe_back()", "pe_back(at)" in code, code)
    says("Cosmos 3's sections", {"model_type": "cosmos3_edge_text", "head_dim": 128},
         {"text": ({"sections": [24, 20, 20], "section_order": "interleaved"}, default(128, 100000000))})
    for name, sections, order in (("qwen3_vl_text", [24, 20, 20], "interleaved"), ("qwen3_omni_moe_text", [24, 20, 20], "interleaved"),
                                  ("qwen3_5_text", [11, 11, 10], "interleaved")):
        part = show({"model_type": name, "head_dim": 256 if sections[0] == 11 else 128})[1]["text"]
        t.check(f"{name}: {sections}", (part.get("sections"), part.get("section_order")) == (sections, order), part)

    # ---- layers
    four = ["sliding_attention"] * 3 + ["full_attention"]
    says("layer_rope_theta", {"model_type": "granite_swa", "head_dim": 64, "layer_types": four[::-1],
                              "layer_rope_theta": [0, 1e4, 1e4, 1e4]},
         {"text": ({"layers": [1, 2, 3]}, default(64, 10000)), "nope": ({**still, "layers": [0]}, None)})
    says("layer_rope_theta of two kinds", {"model_type": "granite_swa", "head_dim": 64, "layer_types": four,
                                           "layer_rope_theta": [1e4, 1e4, 1e4, 5e5]},
         {"full_attention": ({"layers": [3]}, default(64, 500000)), "sliding_attention": ({"layers": [0, 1, 2]}, default(64, 10000))})
    says("Muse: full layers rotate nothing", {"model_type": "muse_glimmer_text", "head_dim": 64, "layer_types": four,
                                              "rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}},
         {"text": ({"layers": [0, 1, 2]}, default(64, 500000)), "nope": ({**still, "layers": [3]}, None)})
    says("Command A's dense layer rotates", {"model_type": "cohere2_moe", "head_dim": 64, "sliding_window": 4096, "rope_theta": 5e4,
                                             "layer_types": [four[3]] + four[:2] + [four[3]], "first_k_dense_replace": 1},
         {"text": ({"layers": [0, 1, 2]}, default(64, 50000)), "nope": ({**still, "layers": [3]}, None)})
    says("EXAONE 4.5", {"model_type": "exaone4_5", "text_config": {
        "model_type": "exaone4_5_text", "head_dim": 64, "sliding_window": 4096, "layer_types": four,
        "rope_scaling": {**LLAMA3, "rope_theta": 1e6}}},
         {"text": ({"layers": [0, 1, 2]}, llama3(64, 1000000, 8, 1, 4, 8192)), "nope": ({**still, "layers": [3]}, None)})
    ling = {"model_type": "bailing_hybrid", "head_dim": 128, "num_hidden_layers": 4, "layer_group_size": 4,
            "partial_rotary_factor": 0.5, "qk_rope_head_dim": 64, "rope_interleave": True}
    # int(128 * 0.5) elements, sglang-jax 887, mlx-lm bailing_moe_linear.py
    says("Ling's linear attention rotates", ling, {
        "text": ({"layers": [3], "rope_interleave": True}, default(64, 600000)),
        "linear_attention": ({**rope, "layers": [0, 1, 2], "head_dim": 128, "rotary_dim": 64, "pairs": "halves"}, default(64, 600000))})
    says("but not kda", {**ling, "linear_attention": "kda"}, {
        "text": ({"layers": [3]}, None), "linear_attention": ({**still, "layers": [0, 1, 2]}, None)})
    says("DeepSeek V3.2's indexer", {"model_type": "deepseek_v32", "qk_rope_head_dim": 64, "num_hidden_layers": 2,
                                     "index_head_dim": 128},
         {"text": ({"rope_interleave": True}, default(64, 10000)),
          "indexer": ({**rope, "layers": [0, 1], "head_dim": 128, "rotary_dim": 64, "pairs": "halves", "rope_interleave": False},
                      default(64, 10000))})
    for value, pairs in ((True, "neighbours"), (False, "halves")):
        part = show({"model_type": "glm_moe_dsa", "qk_rope_head_dim": 64, "indexer_rope_interleave": value})[1]["indexer"]
        t.check(f"GLM-5's indexer: {pairs}", part.get("pairs") == pairs, part)

    # ---- configs within a config
    says("CSM", {"model_type": "csm", "head_dim": 64, "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"},
                 "depth_decoder_config": {"hidden_size": 1024, "head_dim": 128, "num_attention_heads": 8},
                 "codec_config": {"model_type": "mimi", "head_dim": 32}},
         {"text": (rope, default(64, 500000)), "depth_decoder": (rope, default(128, 500000)), "codec": (rope, default(32, 10000))})
    says("Qwen2.5-Omni", {"model_type": "qwen2_5_omni", "thinker_config": {
        "text_config": {"head_dim": 128}, "vision_config": {"hidden_size": 1280, "num_heads": 16}},
        "talker_config": {"head_dim": 128, "rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}}},
         {"text": ({**rope, "sections": [16, 24, 24], "section_order": "blocks"}, default(128, 1000000)),
          "vision": (vision, halves(80)), "talker": (rope, default(128, 500000))})
    says("Voxtral's text has numbers of its own", {"model_type": "voxtral", "text_config": {"model_type": "llama"}},
         {"text": ({"head_dim": 128}, default(128, 100000000))})
    says("but those of the file win", {"model_type": "voxtral", "text_config": {
        "model_type": "llama", "head_dim": 64, "rope_parameters": {"rope_theta": 5e5, "rope_type": "default"}}},
         {"text": ({"head_dim": 64}, default(64, 500000))})
    both = {"head_dim": 64, "num_attention_heads": 8}
    says("T5Gemma", {"model_type": "t5gemma", "encoder": both, "decoder": {**both, "rope_parameters": {
        "rope_theta": 5e5, "rope_type": "default"}}},
         {"encoder": (rope, default(64, 10000)), "decoder": (rope, default(64, 500000))})
    says("a video encoder", {"model_type": "pe_video", "video_config": {"model_type": "pe_video_encoder", "head_dim": 128},
                             "text_config": {"model_type": "modernbert", "head_dim": 64}},
         {"full_attention": (rope, default(64, 160000)), "sliding_attention": (rope, default(64, 10000)),
          "video": (rope, default(128, 20000))})
    says("a config of an unknown type", {"model_type": "llama", "head_dim": 64, "glow_config": {"model_type": "glow"}},
         {"text": (rope, None), "glow": ({"kind": "unread"}, None)}, status=1)
    says("a config of an unknown type under a long key", {"model_type": "llama", "head_dim": 64, f"{'glow' * 20}_config": {
        "model_type": "glow"}}, {"text": (rope, None), ("glow" * 20)[:30]: ({"kind": "unread"}, None)}, status=1)
    for count in (16, 17, 18):
        many = {f"c{number}_config": {"model_type": "llama", "head_dim": 64} for number in range(count)}
        is_read = {name[:-len("_config")]: (rope, None) for name in list(many)[:16]}
        says(f"{count} configs within one", {"model_type": "llama", "head_dim": 64, **many, "further_config": None},
             {"text": (rope, None), **is_read, **({"c16": ({"kind": "unread"}, None)} if count > 16 else {})},
             status=count > 16)
    t5gemma = {"model_type": "t5gemma", "encoder": both, "decoder": both}
    status, got = show({**t5gemma, "text_config": 5})
    t.check("the config around the parts keeps its own notes", status == 1 and sorted(got) == ["decoder", "encoder", "text"] and
            [n["key"] for n in got["text"]["wrong"]] == ["text_config"] and got["text"]["kind"] == "unread", (status, got))
    status, got = show(t5gemma)
    t.check("and is no part without notes", status == 0 and sorted(got) == ["decoder", "encoder"], (status, got))
    status, got = show({"model_type": "llama", "head_dim": 64, "glow_config": {"model_type": "glow"}}, "--part", "text")
    t.check("its status is of no concern for another part", status == 0 and "text" in got, (status, got))
    for name in ("imagegpt", "openai-gpt", "decision_transformer", "audioflamingo3_encoder", "voxtral_encoder", "kimi_linear"):
        status, got = show({"model_type": name, "hidden_size": 64, "num_attention_heads": 2})
        t.check(f"{name}: nothing rotates", status == 0 and got["text"]["kind"] in ("other", "none", "learned") and
                "frequencies" not in got["text"], (status, got))

    # ---- files of other projects
    original = {"pairs": "neighbours", "pairs_of": "original"}
    nemo = {"dim": 5120, "n_layers": 2, "head_dim": 128, "n_heads": 32, "rope_theta": 1e6}
    says("params.json of Mistral Nemo", nemo, {"text": ({**original, "layers": [0, 1]}, default(128, 1000000))})
    del nemo["rope_theta"]
    says("params.json of Mistral without a base", nemo, {"text": ({**original, "layers": [0, 1]}, default(128, 10000))}, status=1)
    says("params.json of Llama 2", {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 2, "norm_eps": 1e-05},
         {"text": ({**original, "layers": [0, 1]}, default(128, 10000))})
    says("params.json with YaRN", {**nemo, "qk_rope_head_dim": 64, "rope_theta": 1e4, "yarn": {
        "original_max_position_embeddings": 8192, "factor": 36, "apply_scale": False, "beta": 32, "alpha": 1},
        "llama_4_scaling": {"original_max_position_embeddings": 8192, "beta": 0.1}},
         {"text": ({**original, "query_scale": {"form": "floor", "beta": 0.1, "period": 8192, "shift": 0}}, yarn(64, 10000, 36, 8192))})
    says("GPT-OSS' own config", {"num_hidden_layers": 2, "head_dim": 64, "hidden_size": 2880, "num_attention_heads": 64,
                                 "initial_context_length": 4096, "rope_theta": 150000, "rope_scaling_factor": 32.0,
                                 "rope_ntk_alpha": 1, "rope_ntk_beta": 32},
         {"text": ({"pairs": "halves"}, yarn(64, 150000, 32, 4096, truncate=False), t.mscale(32))})
    says("PixArt", {"_class_name": "PixArtTransformer2DModel", "attention_head_dim": 72, "num_attention_heads": 16}, {"text": other})
    says("Sana", {"_class_name": "SanaTransformer2DModel", "attention_head_dim": 32, "num_layers": 2}, {"text": other})

    # ---- statuses and refusals
    for what, config, key in (
            ("another config of Diffusers", {"_class_name": "FluxTransformer2DModel", "attention_head_dim": 128}, "_class_name"),
            ("CLVP", {"model_type": "clvp_encoder", "hidden_size": 768}, "projection_dim"),
            ("Compass", {"model_type": "cohere_compass_text", "hidden_size": 2048}, "rope_parameters"),
            ("V-JEPA 2", {"model_type": "vjepa2", "hidden_size": 1024}, "hidden_size"),
            ("an unknown type is a guess", {"model_type": "nobody", "head_dim": 64, "rope_theta": 1e4}, "model_type"),
            ("axial without coordinates", {"model_type": "llama", "head_dim": 64, "rope_parameters": {"rope_type": "axial"}},
             "rope_parameters.rope_type")):
        status, got = show(config)
        keys = [n["key"] for n in got["text"]["wrong"]]
        t.check(f"{what}: {key}", status == 1 and keys == [key], (status, got))
    kinds_of_positions = ["rope", "rotary", "nope", "none", "alibi", "absolute", "learned", "learned_absolute", "relative_key",
                          "relative_key_query", "relative", "sinusoidal"]
    status, got = show({"model_type": "bert", "position_embedding_type": "fancy"})
    text = got["text"]["wrong"][0]["text"]
    t.check("an unknown position_embedding_type: all known ones are listed",
            status == 1 and text == f'"fancy" is none of {", ".join(kinds_of_positions)}', text)
    for name in kinds_of_positions:
        got = show({"model_type": "bert", "position_embedding_type": name})[1]
        t.check(f"position_embedding_type {name}: known", "none of" not in json.dumps(got["text"]["wrong"]), got)
    for key in ("use_mrope", "use_long_context", "use_dynamic_ntk", "use_alibi_mask"):
        says(f"{key} is off", {"model_type": "llama", "head_dim": 64, key: False}, {"text": (rope, default(64, 10000))})
    status, got = show({"model_type": "llama", "head_dim": 64, "use_mrope": True})
    t.check("use_mrope is on", status == 1 and [n["key"] for n in got["text"]["wrong"]] == ["use_mrope"], got)
    with tempfile.TemporaryDirectory() as folder:
        for words in (["show", "--c"], ["table", os.path.join(folder, "t.npy")]):
            run = subprocess.run([sys.argv[1], words[0], "head_dim=8", "rope_theta=1e4", "rope_type=linear", "factor=1",
                                  *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            t.check(f"{words[0]}: the notes of show", run.returncode == 0 and run.stderr == b"posenc: text: factor: 1 does nothing\n", run)

    # ---- the words of the lines
    def text_of(name):
        return open(f"tool/model/{name}.h").read()

    explained = set(re.findall(r"^ \*   (@\w+)", text_of("type_line"), re.M)) | {"@parts", "@encoder", "@heads"}
    tables = "".join(re.sub(r'"\s*"', "", text_of(name)) for name in ("transformers", "elsewhere"))
    used = set(re.findall(r'(?<=[" ])(@\w+)=', tables))
    code = "".join(text_of(name[:-2]) for name in os.listdir("tool/model")
                   if name[:-2] not in ("type_line", "transformers", "elsewhere"))
    t.check("type_line.h explains each word of the tables", len(used) > 20 and used <= explained, sorted(used - explained))
    unread = {word for word in explained if f'"{word}"' not in code}
    t.check("posenc reads each word that it explains", not unread, sorted(unread))
    rows = re.findall(r'\{"([^"]+)",\s*"([^"]*)"\}', tables)
    words = [(name, word.partition("=")) for name, facts in rows for word in re.findall(r"(?:[^\s']|'[^']*')+", facts)]
    bad = [(name, "".join(word)) for name, word in words if not word[0] or not word[2].strip("'")]
    t.check("each word of the tables has a name and a value", len(words) > 2000 and not bad, (len(words), bad))
    most = int(re.search(r"MOST_SUBS = (\d+)", code).group(1))
    many = [name for name, (key, _, text) in words if key == "@parts" and len(text.split(",")) > most]
    t.check("@parts lists no more configs than posenc reads", not many, many)
    names = {name for name, _ in rows}
    parts = {key.split(":")[1].lstrip("!") for _, facts in rows for key in
             (re.search(r"@parts=(\S*)", facts) or ["", ""])[1].split(",") if ":" in key}
    t.check("the types of configs within a config have lines", len(rows) > 700 and parts <= names, sorted(parts - names))

    # ---- tables with frequencies of their own
    w = [D(float(x)) for x in default(64, 10000)]
    w = w[0::2] + w[1::2]
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(pixtral, file)
    points = ((3, 5), (64, 7))
    t.table("Pixtral at points", [t.sincos(p[i >= 16] * x)[k] for k in (1, 0) for p in points for i, x in enumerate(w)],
            (2, 2, 32), "f32", file.name, "--positions", "3,5;64,7")
    os.unlink(file.name)
