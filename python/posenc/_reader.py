# SPDX-License-Identifier: MIT
"""Reads what a model's config.json or GGUF file says of positions, with the reader of the program posenc
(tool/reader.c)."""
from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ._check import converted, shown, string, whole

_ONE_CALL = threading.Lock()  # the reader is for one thread at a time
_NULL, _BOOLEAN, _NUMBER, _STRING, _OTHER = range(5)
_MOST_ELEMENTS, _MOST_DEPTH = 4096, 64
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                             ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


def _load() -> Any:
    name = "libposenc_reader" + (".dylib" if sys.platform == "darwin" else ".so")
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    library.posenc_reader_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double,
                                          ctypes.c_char_p, ctypes.c_int]
    library.posenc_reader_run.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), _CALLBACK,
                                          ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
    library.posenc_reader_free.argtypes = [ctypes.c_void_p]
    library.posenc_reader_free.restype = None
    return library


_library: Any = None


class _Number(float):
    """A number of a file, which keeps its text."""
    text: str

    def __new__(cls, text: str) -> "_Number":
        made = super().__new__(cls, text)
        made.text = text
        return made


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice}: is there twice: Hugging Face takes the last, other programs the first")
    return made


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_float=_Number, parse_int=_Number, parse_constant=_Number)


def _flatten(to: int, path: str, value: Any, origin: int, depth: int = 0) -> None:
    """Adds a value to the reader's list as path = value. A number keeps its text, and a list that is too long is only
    marked as a list."""
    def add(kind: int, number: float, text: str) -> None:
        if not _library.posenc_reader_add(to, path.encode(errors="replace"), kind, number,
                                          text.replace("\0", "?").encode(errors="replace"), origin):
            raise ValueError("has too many keys")

    if depth > _MOST_DEPTH or len(path) > 700:
        raise ValueError("is nested too deeply")
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, Mapping) and value:
        for key, member in value.items():
            name = str(key)[:255].replace(".", "?").replace("[", "?").replace("\0", "?")
            _flatten(to, f"{path}.{name}" if path else name, member, origin, depth + 1)
    elif isinstance(value, (list, tuple)) and 0 < len(value) <= _MOST_ELEMENTS:
        for index, element in enumerate(value):
            _flatten(to, f"{path}[{index}]", element, origin, depth + 1)
    elif isinstance(value, (list, tuple)) and value:
        add(_OTHER, 0, f"[{len(value)} elements]")
    elif isinstance(value, (Mapping, list, tuple)):
        add(_OTHER, 0, "{}" if isinstance(value, Mapping) else "[]")
    elif value is None:
        add(_NULL, 0, "null")
    elif isinstance(value, bool):
        add(_BOOLEAN, value, "true" if value else "false")
    elif isinstance(value, (int, float)):
        try:
            add(_NUMBER, float(value), value.text if isinstance(value, _Number) else repr(value))
        except OverflowError:
            raise ValueError(f"{path or 'config'}: a number that a double can hold is wanted, not {shown(value)}")
    elif isinstance(value, str):
        add(_STRING, 0, value)
    else:
        raise TypeError(f"{path or 'config'}: a {type(value).__name__} is nothing that JSON has")


def _run(words: Sequence[str], given: Optional[Mapping[str, Any]], is_kept: bool) -> Tuple[int, str]:
    """Runs a command line of posenc. Returns its status, and its output if is_kept. `given` is the content of the file
    "-"."""
    global _library
    raised: List[BaseException] = []

    def flatten(to: int, prefix: bytes, text: bytes, error: Any, room: int) -> int:
        said = ""
        try:
            if not prefix and given is not None:
                value: Any = given
            else:
                value = _parsed(text.decode("utf-8-sig"))
            if not prefix and not isinstance(value, Mapping):
                raise ValueError("is no JSON object: no { begins it")
            _flatten(to, prefix.decode(), value, 0 if prefix else 1)
            return 1
        except json.JSONDecodeError as wrong:
            said = f"is no JSON object: see line {wrong.lineno}: {wrong.msg}"
        except (ValueError, RecursionError) as wrong:
            said = str(wrong)
        except BaseException as wrong:  # otherwise ctypes would print the exception and go on
            raised.append(wrong)
        data = said.encode(errors="replace")[: room - 1] + b"\0"
        ctypes.memmove(error, data, len(data))
        return 0

    words = ["posenc", *words]
    array = (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(word) for word in words], None)
    with _ONE_CALL:
        _library = _library or _load()
        callback, text, size = _CALLBACK(flatten), ctypes.c_void_p(), ctypes.c_size_t()
        status = _library.posenc_reader_run(len(words), array, callback, ctypes.byref(text) if is_kept else None,
                                            ctypes.byref(size))
        said = ctypes.string_at(text.value, size.value).decode(errors="replace") if text.value else ""
        _library.posenc_reader_free(text)
    if raised and isinstance(raised[0], Exception) and not isinstance(raised[0], (TypeError, MemoryError)):
        raise TypeError(f"config must be a dict of what JSON has, not {shown(given)}") from raised[0]
    if raised:
        raise raised[0]
    return status, said


class Part:
    """A part has the layers of a model that share an encoding.

    name          "text", "full_attention", "vision" ...
    kind          "rope", "sinusoidal", "learned", "alibi", "t5" ...
    layers        the layers, counted from 0, or None if the file does not say how many there are
    understood    whether all keys that change numbers are right and were understood
    odd           a list of (key, text) for keys that are unusual, and probably a mistake
    wrong         a list of (key, text) for keys that are wrong or were not understood
    notes         a list of (key, text) with all other notes
    config        the fields of the Rope, or of the Plan, of this part
    frequencies   the frequency of each pair in radians per position, or None

    The other members of `posenc show --json` are also attributes: head_dim, rotary_dim, pairs, rope_interleave,
    attention_factor, window and others. They are None if they do not apply.
    """

    def __init__(self, found: Mapping[str, Any]):
        members = ("name", "kind", "layers", "understood", "odd", "wrong")
        if not isinstance(found, Mapping) or not all(name in found for name in members):
            raise TypeError(f"found must be a part of `posenc show --json`, with {', '.join(members)}, "
                            f"not {shown(found)}")
        self._found = dict(found)
        self.name: str = found["name"]
        self.kind: str = found["kind"]
        self.layers: Optional[List[int]] = found["layers"]
        self.notes, self.odd, self.wrong = ([(note["key"], note["text"]) for note in found[name]]
                                            for name in ("understood", "odd", "wrong"))
        self.understood = not self.wrong
        self.config: Dict[str, Any] = dict(found.get("config") or {})
        numbers = found.get("frequencies")
        self.frequencies = None if numbers is None else numpy.array(numbers, numpy.float64)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in ("head_dim", "rotary_dim", "rotary_offset", "rope_theta", "rope_type", "pairs", "pairs_of",
                        "rope_interleave", "sections", "section_order", "attention_factor", "logits_factor",
                        "query_scale", "window", "wavelengths", "heads", "max_bias", "buckets", "max_distance", "rows",
                        "width"):
            raise AttributeError(f"a Part has no {name}")
        return self._found.get(name)

    def __repr__(self) -> str:
        return f"<posenc.Part {self.name}: {self.kind}{'' if self.understood else ', not understood'}>"


def read(config: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> List[Part]:
    """Returns the parts of a model. `config` is the dict of its config.json, the path of a config.json or a GGUF file,
    or a directory that has a config.json."""
    return _parts(config, "config")


def _parts(config: Any, name: str) -> List[Part]:
    if isinstance(config, Mapping):
        with open(os.devnull, encoding="utf-8") as nothing:
            _, text = _run(["show", nothing.name, "--json"], config, True)
    else:
        path = converted(os.fsdecode, config, name, "a dict or the path of a file")
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: there is no such file")
        _, text = _run(["show", os.path.join(os.path.dirname(path) or ".", os.path.basename(path)), "--json"], None, True)
    if not text:
        raise MemoryError("posenc.read")
    return [Part(part) for part in json.loads(text)["parts"]]


def chosen(config: Any, kinds: Sequence[str], part: Optional[str], layer: Optional[int]) -> Part:
    """Returns the part of these kinds with this name or layer. Without a name and a layer, there must be only one.
    Raises ValueError if the part was not understood."""
    parts = _parts(config, "model")
    if layer is not None:
        number = whole(layer, "layer", None, None)
        parts_there = [p for p in parts if p.layers is not None and number in p.layers]
        if not parts_there:
            raise ValueError(f"layer={shown(layer)}: no part has it: {_listed(parts)}")
        parts = parts_there
    elif part is not None:
        wanted = string(part, "part")
        parts = [p for p in parts if p.name == wanted] or _none(f"part={shown(part)}: there are {_listed(parts)}")
    for p in parts:
        if p.kind in kinds or len(parts) == 1 or p.kind == "unread":
            for key, text in p.wrong:
                raise ValueError(f"{key}: {text}")
    fitting = [p for p in parts if p.kind in kinds]
    if not fitting and "rope" in kinds:
        raise ValueError(f"{_listed(parts)}: nothing rotates; head_dim, rope_theta and the like do nothing here")
    if not fitting:
        raise ValueError(f"no part is {' or '.join(kinds)}: {_listed(parts)}")
    if len(fitting) > 1 and isinstance(config, Mapping) and not _speaks_of_kinds(config):
        warnings.warn(f"the config's own rope_theta and scaling are those of {fitting[0].name}; its type has other "
                      f"layers, too, so give part= or layer=: {_listed(fitting)}", stacklevel=3)
    elif len(fitting) > 1:
        raise ValueError("several parts rotate, each with a rope_theta or a scaling of its own, so give part= or "
                         f"layer=: {_listed(fitting)}")
    return fitting[0]


def _speaks_of_kinds(config: Mapping[str, Any]) -> bool:
    """Returns whether a key of a config is about some layers only. Gemma 3's config has no such key: that its sliding
    layers have another base is a fact of its code."""
    config = config.get("text_config") or config
    return any(isinstance(value, (list, tuple, Mapping)) and key in ("rope_theta", "rope_parameters", "layer_types")
               or key.endswith(("_rope_theta", "_rope_base", "rope_local_base_freq")) for key, value in config.items())


def _none(text: str) -> Any:
    raise ValueError(text)


def _listed(parts: Sequence[Part]) -> str:
    return ", ".join(p.name for p in parts)


def main(words: Sequence[str]) -> int:
    """Runs the program posenc, and returns its status."""
    sys.stdout.flush()
    return _run(words, None, False)[0]
