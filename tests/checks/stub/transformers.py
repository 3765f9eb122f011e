# SPDX-License-Identifier: MIT
"""A stand-in for transformers: the few config classes that a dry run of model_types.py needs."""
__version__ = "stub"


class _Config:
    def __init__(self, **fields):
        self.__dict__.update(fields)


_CONFIGS = {
    "glm4": _Config(head_dim=128, rope_parameters={"rope_theta": 10000.0, "partial_rotary_factor": 0.5}),
    "gemma3_text": _Config(head_dim=256, sliding_window=4096, rope_parameters={
        "full_attention": {"rope_theta": 1000000.0}, "sliding_attention": {"rope_theta": 10000.0}}),
    "deepseek_v3": _Config(qk_rope_head_dim=64, rope_interleave=True, rope_parameters={"rope_theta": 10000.0}),
    "persimmon": _Config(rope_parameters={"rope_theta": 10000.0, "partial_rotary_factor": 0.5}),
}


class AutoConfig:
    @staticmethod
    def for_model(model_type):
        if model_type not in _CONFIGS:
            raise ValueError(model_type)
        return _CONFIGS[model_type]
