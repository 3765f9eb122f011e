# SPDX-License-Identifier: MIT
"""models.py [TYPE...]: tests posenc.torch in models of transformers, with random weights, in bfloat16.

For each type, the hidden states are compared with those of two reference runs of the same classes. Both have cosines
and sines from float64. The first run rounds them to bfloat16 as transformers does; it is compared with
Rotary.from_config(). The second run also rotates in float64 and rounds once; it is compared with install(). Neither may
be farther from its reference than transformers without posenc. The frequencies of the references are computed here with
the formulas of the papers.
"""
import contextlib
import copy
import math
import sys
import warnings

import posenc.torch as modules
import torch
import transformers as hf
from posenc._install import MODEL_TYPES
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2_vl

warnings.simplefilter("ignore")
hf.logging.set_verbosity_error()
SMALL = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
         "vocab_size": 64, "max_position_embeddings": 131072, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
TOKENS, START = 48, 120000


def configs():
    """Yields (model type, its config, the class of its text model)."""
    yield "llama", hf.LlamaConfig(**SMALL, rope_parameters=LLAMA3), hf.LlamaModel
    yield "qwen2", hf.Qwen2Config(**SMALL), hf.Qwen2Model
    yield "qwen3", hf.Qwen3Config(**SMALL, head_dim=32), hf.Qwen3Model
    yield "mistral", hf.MistralConfig(**SMALL, head_dim=16), hf.MistralModel
    yield "gemma3_text", hf.Gemma3TextConfig(**SMALL, head_dim=32, layer_types=["sliding_attention", "full_attention"] * 2), \
        hf.Gemma3TextModel
    yield "phi3", hf.Phi3Config(**SMALL), hf.Phi3Model
    yield "glm4", hf.Glm4Config(**SMALL, head_dim=32), hf.Glm4Model
    yield "gpt_oss", hf.GptOssConfig(**SMALL, head_dim=32, num_local_experts=2, num_experts_per_tok=1), hf.GptOssModel
    yield "olmo3", hf.Olmo3Config(**SMALL), hf.Olmo3Model
    yield "cohere2", hf.Cohere2Config(**SMALL), hf.Cohere2Model
    yield "deepseek_v3", hf.DeepseekV3Config(
        **{**SMALL, "num_key_value_heads": 4}, q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=16, qk_rope_head_dim=16,
        v_head_dim=16, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, moe_intermediate_size=32,
        first_k_dense_replace=2), hf.DeepseekV3Model
    whole = hf.Qwen2VLConfig(text_config={**SMALL, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6,
                                                                       "mrope_section": [2, 3, 3]}},
                             vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 64, "num_heads": 2})
    yield "qwen2_vl_text", whole.text_config, qwen2_vl.Qwen2VLTextModel


def frequencies(parameters, pairs):
    """Returns the radians per position in float64, and the factor of cosines and sines."""
    index = torch.arange(pairs, dtype=torch.float64)
    plain = parameters["rope_theta"] ** (-index / pairs)
    kind, factor = parameters["rope_type"], parameters.get("factor", 1.0)
    if kind == "default":
        return plain, 1.0
    length = parameters["original_max_position_embeddings"]
    if kind == "llama3":
        low, high = parameters["low_freq_factor"], parameters["high_freq_factor"]
        part = ((length * plain / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
        return plain * (part + (1 - part) / factor), 1.0
    assert kind == "yarn"

    def pair_of(rotations):
        return pairs * math.log(length / (rotations * 2 * math.pi)) / math.log(parameters["rope_theta"])
    first, last = pair_of(parameters["beta_fast"]), pair_of(parameters["beta_slow"])
    assert not parameters["truncate"]
    ramp = ((index - max(first, 0)) / (min(last, 2 * pairs - 1) - max(first, 0))).clamp(0, 1)
    return plain * (ramp / factor + 1 - ramp), 0.1 * math.log(factor) + 1


class Exact(torch.nn.Module):
    """Replaces rotary_emb by one in float64. It has the order of elements of the model's class, and its rounding if
    is_rounded is set."""

    def __init__(self, own, is_rounded):
        super().__init__()
        self.own, self.is_rounded, self.kind = (own,), is_rounded, own.config.model_type

    def forward(self, x, position_ids, layer_type=None):
        own, parameters = self.own[0], self.own[0].config.rope_parameters
        pairs = getattr(own, f"{layer_type}_inv_freq" if layer_type else "inv_freq").numel()
        omega, factor = frequencies(parameters[layer_type] if layer_type else parameters, pairs)
        angles = position_ids.double()[..., None] * omega
        cos, sin = angles.cos() * factor, angles.sin() * factor
        if self.kind == "qwen2_vl_text":
            cos, sin = own.recomposition_frequencies(cos), own.recomposition_frequencies(sin)
        elif self.kind == "cohere2":
            cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
        elif self.kind != "gpt_oss":
            cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
        return (cos.to(x.dtype), sin.to(x.dtype)) if self.is_rounded else (cos, sin)


@contextlib.contextmanager
def in_float64(kind):
    """Makes all models of a modeling file rotate in float64 and round once, until the context ends."""
    module, kept = sys.modules[kind.__module__], {}
    for name in ("apply_rotary_pos_emb", "apply_rotary_pos_emb_interleave"):
        if hasattr(module, name):
            kept[name] = own = getattr(module, name)

            def rotate(q, k, cos, sin, own=own):
                return tuple(y.to(q.dtype) for y in own(q.double(), k.double(), cos, sin))
            setattr(module, name, rotate)
    try:
        yield
    finally:
        for name, own in kept.items():
            setattr(module, name, own)


def states(model, x, ids):
    """Returns the hidden states of all layers."""
    with torch.no_grad():
        # Without a mask, transformers would take a gap between positions for the beginning of another text.
        found = model(inputs_embeds=x, position_ids=ids, attention_mask=torch.ones(x.shape[:2], dtype=torch.int64),
                      output_hidden_states=True, use_cache=False)
    return torch.stack([*found.hidden_states[1:], found.last_hidden_state])


def error(got, want):
    return (got.double() - want.double()).abs().mean().item()


def check(name, config, kind):
    torch.manual_seed(61)
    config._attn_implementation = "eager"
    with torch.no_grad():
        model, other = (kind(config).eval() for _ in range(2))
        for p in model.parameters():  # large enough that attention depends on positions
            p.copy_(torch.randn_like(p) * (0.15 if p.dim() > 1 else 0.05) + (p.dim() == 1))
    own = [module for module in model.modules() if module is model.rotary_emb][0]
    buffers = {key: value.clone() for key, value in own.named_buffers()}
    model, other = model.to(torch.bfloat16), other.to(torch.bfloat16)
    for key, value in buffers.items():  # from_pretrained() leaves these buffers in float32, while to() rounds them
        setattr(own, key, value)
    x = torch.randn(2, TOKENS, 64, dtype=torch.bfloat16)
    ids = torch.stack([torch.arange(START, START + TOKENS), torch.randperm(TOKENS) + START // 2])
    if name == "qwen2_vl_text":
        ids = torch.stack([ids, ids + 7, ids - 9])
    before, of_other = states(model, x, ids), states(other, x, ids)
    model.rotary_emb = Exact(own, True)
    rounded = states(model, x, ids)
    model.rotary_emb = Exact(own, False)
    with in_float64(kind):
        exact = states(model, x, ids)
    model.rotary_emb = modules.Rotary.from_config(model.config)
    by_rotary = states(model, x, ids)
    model.rotary_emb = own
    assert modules.install(model) is model
    by_fused = states(model, x, ids)
    assert torch.equal(states(other, x, ids), of_other), "another model has changed"
    modules.uninstall(model)
    assert torch.equal(states(model, x, ids), before), "uninstall() leaves other bits"
    assert model.rotary_emb is own and not any("forward" in vars(module) for module in model.modules())
    figures = error(before, rounded), error(by_rotary, rounded), error(before, exact), error(by_fused, exact)
    print(f"{name:14} against cosines rounded from float64: transformers {figures[0]:.2e}, Rotary {figures[1]:.2e}; "
          f"against a rotation in float64: transformers {figures[2]:.2e}, install {figures[3]:.2e}")
    assert figures[0] > 0 and figures[1] <= figures[0] and figures[3] <= figures[2]


def refused():
    """Checks that install() refuses what it cannot serve, and then changes nothing."""
    def says(text, call, *arguments):
        try:
            call(*arguments)
        except (TypeError, ValueError) as wrong:
            assert text in str(wrong), wrong
            return
        raise AssertionError(f"not refused: {text}")
    model = hf.LlamaModel(hf.LlamaConfig(**SMALL))
    says("not installed", modules.uninstall, model)
    says("must be a model", modules.install, "llama")
    says("must be of one of the types", modules.install, torch.nn.Linear(2, 2))
    says("must be of one of the types", modules.install, hf.GPTNeoXModel(hf.GPTNeoXConfig(**{
        key: value for key, value in SMALL.items() if key != "num_key_value_heads"})))
    modules.install(model)
    says("installed already", modules.install, model)
    modules.uninstall(model)
    own, model.rotary_emb = model.rotary_emb, modules.Rotary.from_config(model.config)
    says("is a posenc.torch.Rotary", modules.install, model)
    model.rotary_emb = own
    attention = model.layers[2].self_attn
    attention.forward = attention.forward
    says("layers.2.self_attn", modules.install, model)
    assert type(model.rotary_emb).__name__ == "LlamaRotaryEmbedding"


def compiled():
    """Checks that an installed model is compiled without a graph break and writes text with a cache, also after it was
    copied."""
    torch.manual_seed(61)
    model = hf.LlamaForCausalLM(hf.LlamaConfig(**SMALL, rope_parameters=LLAMA3)).eval()
    other = copy.deepcopy(model)
    model.model.rotary_emb = modules.Rotary.from_config(model.config)
    modules.install(other)
    prompt = torch.randint(3, 64, (2, 9))
    texts = [one.generate(prompt, max_new_tokens=12, do_sample=False) for one in (model, other, copy.deepcopy(other))]
    assert torch.equal(texts[0], texts[1]) and torch.equal(texts[1], texts[2])
    x, ids = torch.randn(1, 9, 64), torch.arange(9)[None]
    with torch.no_grad():
        for one in (model, other):
            got = torch.compile(one.model, fullgraph=True, backend="aot_eager")(inputs_embeds=x, position_ids=ids, use_cache=False)
            want = one.model(inputs_embeds=x, position_ids=ids, use_cache=False)
            assert torch.allclose(got.last_hidden_state, want.last_hidden_state, atol=1e-5)


def main():
    wanted, seen = sys.argv[1:], []
    for name, config, kind in configs():
        seen.append(name)
        if not wanted or name in wanted:
            check(name, config, kind)
    assert sorted(seen) == sorted(MODEL_TYPES) and len(seen) >= 12
    refused()
    compiled()
    print(f"{len(wanted or seen)} model types of transformers {hf.__version__}")


if __name__ == "__main__":
    main()
