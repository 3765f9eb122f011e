# SPDX-License-Identifier: MIT
"""Puts the rotation of posenc.torch into one loaded model of Hugging Face's transformers, and takes it out again.

A model's rotary_emb gives each attention layer cosines and sines, and the layer calls the function apply_rotary_pos_emb of its
module. install() replaces both in one model. A module that returns positions and a Rope replaces rotary_emb. The forward() of
each attention layer is replaced by the same code, in which that name means the function below. Neither the class nor the
module of transformers changes, so other models keep their code.
"""
from __future__ import annotations

import sys
import types
from typing import Any, List, Tuple

import torch

from ._check import shown
from .torch import Rotary, rotate_qk

# These are the model types whose classes tests/checks/python/models.py runs. What rotary_emb returns is used only by
# the attention layers, so that it can be replaced.
MODEL_TYPES = ("cohere2", "deepseek_v3", "gemma3_text", "glm4", "gpt_oss", "llama", "mistral", "olmo3", "phi3", "qwen2",
               "qwen2_vl_text", "qwen3")


def _fused(q: Any, k: Any, cos: Any, sin: Any, unsqueeze_dim: int = 1) -> Tuple[Any, Any]:
    """Replaces apply_rotary_pos_emb. `cos` holds a Rope's positions, and `sin` holds the Rope."""
    return rotate_qk(q, k, sin, cos, axis=-2 if unsqueeze_dim == 1 else -3)


def _fused_interleave(q: Any, k: Any, cos: Any, sin: Any, position_ids: Any = None, unsqueeze_dim: int = 1) -> Tuple[Any, Any]:
    return _fused(q, k, cos, sin, unsqueeze_dim)


_FUNCTIONS = {"apply_rotary_pos_emb": _fused, "apply_rotary_pos_emb_interleave": _fused_interleave}


class _Positions(torch.nn.Module):
    """Replaces rotary_emb in an installed model, and gives the layers their positions and their Rope. It keeps the
    module that it replaces, so that this module follows the model to another device or dtype."""

    def __init__(self, rotary: Rotary, replaced: Any):
        super().__init__()
        self.rotary, self.replaced = rotary, replaced

    def forward(self, x: Any, position_ids: Any, layer_type: Any = None) -> Tuple[Any, Any]:
        return position_ids, self.rotary.of_layers(layer_type).rope


def _copy_of_module(name: str) -> Any:
    """Returns a copy of a module of transformers in which the functions that rotate are those above. It has a name of
    its own, with which torch.compile finds the variables of a function."""
    copied = f"posenc.installed.{name}"
    if copied not in sys.modules:
        made = types.ModuleType(copied)
        made.__dict__.update({key: value for key, value in vars(sys.modules[name]).items() if key not in vars(made)})
        made.__dict__.update({key: value for key, value in _FUNCTIONS.items() if key in vars(made)})
        sys.modules[copied] = made
    return sys.modules[copied]


def _rotates(module: Any) -> bool:
    code = getattr(type(module).forward, "__code__", None)
    return code is not None and any(name in code.co_names for name in _FUNCTIONS)


def _forward_of(module: Any) -> Any:
    """Returns the forward() of an attention layer with the variables of the copied module."""
    own = type(module).forward
    made = types.FunctionType(own.__code__, vars(_copy_of_module(own.__module__)), own.__name__, own.__defaults__,
                              own.__closure__)
    made.__kwdefaults__ = own.__kwdefaults__
    return types.MethodType(made, module)


def _embeddings(model: Any) -> List[Tuple[Any, Any]]:
    """Returns (module, its rotary_emb) for each module of the model that has a rotary_emb."""
    return [(module, module.rotary_emb) for module in model.modules()
            if isinstance(getattr(module, "rotary_emb", None), torch.nn.Module)]


def install(model: Any, **fields: Any) -> Any:
    """Puts the fused rotation into a loaded model of Hugging Face's transformers, and no other model. Returns the model.

    model    a model of one of the types MODEL_TYPES of posenc._install; the rotation of images is not changed
    fields   fields of posenc.Rope, such as sequence_length= for a model whose frequencies depend on it

    Queries and keys are rotated by exact sines, in float32, and rounded once to the dtype of the model. uninstall() undoes it.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model must be a model of transformers, not {shown(model)}")
    found = _embeddings(model)
    if any(isinstance(rotary, _Positions) for _, rotary in found):
        raise ValueError("model: the rotation is installed already")
    if any(isinstance(rotary, Rotary) for _, rotary in found):
        raise ValueError("model: its rotary_emb is a posenc.torch.Rotary; assign the module that it had before")
    rotating = [module for module in model.modules() if _rotates(module)]
    kinds = {getattr(getattr(rotary, "config", None), "model_type", type(rotary).__name__) for _, rotary in found}
    unknown = sorted(kinds - set(MODEL_TYPES))
    if unknown or not found or not rotating:
        raise ValueError(f"model must be of one of the types {', '.join(MODEL_TYPES)}, not "
                         f"{', '.join(unknown) or type(model).__name__}")
    taken = [name for name, module in model.named_modules() if module in rotating and "forward" in vars(module)]
    if taken:
        raise ValueError(f"model: another program has replaced forward() of {taken[0]}; install the rotation before it does")
    made = [_Positions(Rotary.from_config(rotary.config, **fields), rotary) for _, rotary in found]
    for (module, _), positions in zip(found, made):
        module.rotary_emb = positions
    for module in rotating:
        module.forward = _forward_of(module)
    return model


def uninstall(model: Any) -> Any:
    """Takes out what install() put into a model, which then computes as before. Returns the model."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model must be a model of transformers, not {shown(model)}")
    found = [(module, rotary) for module, rotary in _embeddings(model) if isinstance(rotary, _Positions)]
    if not found:
        raise ValueError("model: the rotation is not installed")
    for module, rotary in found:
        module.rotary_emb = rotary.replaced
    for module in model.modules():
        if _rotates(module):
            vars(module).pop("forward", None)
    return model


__all__ = ["MODEL_TYPES", "install", "uninstall"]
