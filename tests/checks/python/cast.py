# SPDX-License-Identifier: MIT
"""cast.py: shows what model.to(torch.bfloat16) does to the positions of a model of transformers.

It prints for each model type of models.py whether the frequencies, inv_freq, stay float32. Then it compares the logits
of a small random Llama in bfloat16 with those of the same model with exact cosines. Its inv_freq is in float32, as
from_pretrained() leaves it, or rounded, as a blanket model.to(torch.bfloat16) leaves it. Its 256 tokens are spread over
512, 8,192 and 131,072 positions.
"""
import copy
import sys

import models
import posenc.torch
import torch
import transformers


def frequencies_are_kept(config, kind):
    model = kind(config).to(torch.bfloat16)
    return all(value.dtype == torch.float32 for name, value in model.named_buffers() if "inv_freq" in name)


def logits(model, tokens, ids):
    with torch.no_grad():
        # Without a mask, transformers would take a gap between positions for the beginning of another text.
        return model(input_ids=tokens, position_ids=ids, attention_mask=torch.ones_like(tokens), use_cache=False).logits.double()


def main():
    rounded = [name for name, config, kind in models.configs() if not frequencies_are_kept(config, kind)]
    print(f"model.to(torch.bfloat16) rounds inv_freq of {len(rounded)} of {len(list(models.configs()))} types: "
          f"{', '.join(rounded)}")
    assert len(rounded) == len(models.MODEL_TYPES)
    torch.manual_seed(61)
    config = transformers.LlamaConfig(**{**models.SMALL, "hidden_size": 256, "head_dim": 64, "vocab_size": 1000},
                                      rope_parameters=models.LLAMA3)
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn_like(p) * (0.08 if p.dim() > 1 else 0.05) + (p.dim() == 1))
    kept = model.model.rotary_emb
    cast = copy.deepcopy(kept).to(torch.bfloat16)
    exact = posenc.torch.Rotary.from_config(config)
    model.model.rotary_emb = torch.nn.Identity()
    model.to(torch.bfloat16)
    tokens = torch.randint(3, 1000, (1, 256))
    print("positions   largest logit   largest difference with inv_freq in float32, in bfloat16   mean difference")
    for length in (512, 8192, 131072):
        ids = torch.linspace(0, length - 1, 256).round().long()[None]
        found = []
        for rotary in (exact, kept, cast):
            model.model.rotary_emb = rotary
            found.append(logits(model, tokens, ids))
        differ = [(other - found[0]).abs() for other in found[1:]]
        print(f"{length:9}   {found[0].abs().max():13.2f}   {differ[0].max():39.3f}   {differ[1].max():11.3f}   "
              f"{differ[0].mean():7.4f}, {differ[1].mean():.4f}")
        assert 0 < differ[0].mean() < differ[1].mean() / 5


if __name__ == "__main__":
    sys.exit(main())
