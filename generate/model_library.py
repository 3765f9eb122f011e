# SPDX-License-Identifier: MIT
"""Reads from transformers what it computes: the frequencies of a config, and the rotation of each layer of a model.

generate/model_facts.py and tests/checks/transformers_parity.py import this file; it needs the environment of test peers.

Frequencies: numbers() builds a class with a buffer inv_freq from a config, as the library's models do.

Rotations: Trial builds a model on the meta device, where tensors have shapes and no numbers, and runs its forward pass.
The modules with a buffer inv_freq are the exception: they compute on the CPU, at positions that this file chooses. So in
a call of a function, the tensors on the CPU are the cosines and sines, and those on the meta device are to be rotated.
Each function of the modeling file records such calls. rotation() repeats a recorded call with unit vectors. This
gives the matrix of the rotation: its pairs, its direction, its angles and its order of outputs.
"""
import contextlib
import importlib
import inspect
import io
import logging
import math
import os
import re
import signal
import sys
import traceback
import types
import warnings

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.filterwarnings("ignore")
import torch  # noqa: E402
import transformers  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from transformers import AutoModel, PreTrainedModel  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES  # noqa: E402

logging.disable(logging.CRITICAL)
torch.set_num_threads(1)
TOKENS = 11  # a prime number that is neither a number of heads nor a width
FEW_TOKENS = 16
LAYERS = 8   # the number of layers of a model that is run, which is more than each period of the kinds of layers
DEPTHS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "depth", "decoder_layers", "encoder_layers")


# ---------------------------------------------------------------- Configs

def model_types():
    """Return the model types of the library, each under the name that its config.json has."""
    names = []
    for name in CONFIG_MAPPING_NAMES:
        own = CONFIG_MAPPING[name].model_type
        if own == name or own not in CONFIG_MAPPING_NAMES:
            names.append(name)
    return sorted(names)


def load_config(model_type, keys):
    """Return the config that the library loads from a config.json with these keys."""
    return CONFIG_MAPPING[model_type].from_dict({"model_type": model_type, **keys})


def drop_field(keys, error):
    """Remove the key that the library saves but does not load, as its error names it; else raise the error."""
    match = re.search(r"[Ff]ield '(\w+)'", str(error))
    if not match or match[1] not in keys:
        raise error
    del keys[match[1]]


def sub_configs(config, path=""):
    """Yield (path, config) of a config and of all configs inside, the path as in "text_config"."""
    yield path, config
    for name in list(getattr(config, "sub_configs", {}) or {}):
        sub = getattr(config, name, None)
        if sub is not None and hasattr(sub, "to_dict"):
            yield from sub_configs(sub, f"{path}.{name}" if path else name)


def config_at(config, path):
    """Return the config at a path of sub_configs()."""
    for name in path.split(".") if path else ():
        config = getattr(config, name)
    return config


def modeling_modules(config_class):
    """Import and return the modeling files beside a config class."""
    package = config_class.__module__.rsplit(".", 1)[0]
    folder = os.path.dirname(importlib.import_module(package).__file__)
    modules = []
    for file in sorted(os.listdir(folder)):
        if file.startswith("modeling_") and file.endswith(".py"):
            with contextlib.suppress(Exception):  # a package that is not installed
                modules.append(importlib.import_module(f"{package}.{file[:-3]}"))
    return modules


def model_classes(config):
    """Return the classes that make a model of a config. The one that AutoModel takes comes first."""
    classes = []
    with contextlib.suppress(Exception):
        found = AutoModel._model_mapping[type(config)]
        classes += list(found) if isinstance(found, (tuple, list)) else [found]
    for module in modeling_modules(type(config)):
        for item in vars(module).values():
            if inspect.isclass(item) and issubclass(item, PreTrainedModel) and item.__module__ == module.__name__ \
                    and item not in classes \
                    and getattr(item, "config_class", None) is type(config) and hasattr(item, "forward") \
                    and "forward" in vars(item):
                classes.append(item)
    return classes


# ---------------------------------------------------------------- Frequencies

def frequency_buffers(module):
    """Return {kind of layer, or "": frequencies} of a module's own buffers."""
    found = {}
    for name, value in [*module.named_buffers(recurse=False), *vars(module).items()]:
        if name.endswith("inv_freq") and "original" not in name and isinstance(value, torch.Tensor):
            found[name[:-len("inv_freq")].rstrip("_")] = value
    return found


def numbers(module):
    """Return {kind: (frequencies, attention factor)} of a module with a buffer inv_freq."""
    result = {}
    for kind, values in frequency_buffers(module).items():
        scaling = getattr(module, f"{kind}_attention_scaling", None) if kind else None
        if scaling is None:
            scaling = getattr(module, "attention_scaling", 1.0)
        result[kind] = ([float(x) for x in values.double().flatten()], float(scaling))
    return result


def classes_for(config):
    """Return the classes with frequencies that say they are built from a config of this very class."""
    found = []
    for module in modeling_modules(type(config)):
        for item in vars(module).values():
            if not inspect.isclass(item) or not issubclass(item, torch.nn.Module) or issubclass(item, PreTrainedModel) \
                    or item.__module__ != module.__name__ or not mentions_frequencies(item):
                continue
            original = getattr(item.__init__, "__wrapped__", item.__init__)
            parameters = list(inspect.signature(original).parameters.values())
            if len(parameters) > 1 and parameters[1].annotation in (type(config), type(config).__name__):
                found.append(item)
    return found


# ---------------------------------------------------------------- Recording a forward pass

def tensors(value):
    """Yield all tensors of nested tuples, lists and dictionaries."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))


def replace(value, function):
    """Return nested tuples, lists and dictionaries with function(tensor) in place of each tensor."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        return type(value)(replace(item, function) for item in value)
    if isinstance(value, dict):
        return {key: replace(item, function) for key, item in value.items()}
    return value


def is_real(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


class Angle(torch.Tensor):
    """This is a tensor computed from the output of a module with frequencies. It has numbers, and stays on the CPU.

    `source` is the record of the call of that module.
    """
    source = None

    @classmethod
    def __torch_function__(cls, function, types_of_arguments, args=(), kwargs=None):
        result = super().__torch_function__(function, types_of_arguments, args, kwargs or {})
        source = next((x.source for x in tensors((args, kwargs)) if isinstance(x, Angle)), None)
        for tensor in tensors(result):
            if isinstance(tensor, Angle):
                tensor.source = source
        return result

    def to(self, *args, **kwargs):
        """Convert only the type. The code asks for the device of the data, which is the meta device without numbers."""
        if not RECORDER.active or RECORDER.inside:
            return super().to(*args, **kwargs)
        like = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
        types_of_data = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.dtype)] + [x.dtype for x in like]
        return super().to(types_of_data[0]) if types_of_data else self

    def type_as(self, other):
        return self.to(other.dtype)


def is_angle(tensor):
    return isinstance(tensor, Angle) and is_real(tensor) and tensor.numel() > 1


def is_data(tensor):
    return tensor.device.type == "meta" and is_real(tensor)


def plain(value):
    """Return nested values with ordinary tensors in place of angles."""
    return replace(value, lambda tensor: tensor.as_subclass(torch.Tensor))


def chosen_positions(shape):
    """Return positions of a shape and the number of coordinates of a position.

    Token 0 has position 1 in all coordinates; token 1 + k has 1 in coordinate k and 0 in the others; all later tokens
    have position 2. Coordinates are the first axis if it has 2 to 4 entries, or the last one.
    """
    axis = None
    if len(shape) >= 2 and shape[0] in (2, 3, 4) and shape[-1] > 4:
        axis = 0
    elif len(shape) >= 2 and shape[-1] in (2, 3, 4):
        axis = len(shape) - 1
    if axis is None:
        positions = torch.full(shape, 2, device="cpu")
        positions[..., 0] = 1
        return positions, 1
    count = shape[axis]
    positions = torch.full([count, *shape[:axis], *shape[axis + 1:]], 2, device="cpu")
    positions[..., 0] = 1
    for k in range(min(count, positions.shape[-1] - 1)):
        positions[..., 1 + k] = 0
        positions[k, ..., 1 + k] = 1
    return torch.movedim(positions, 0, axis), count


class Recorder:
    """Record the calls of functions that rotate in one forward pass."""

    def __init__(self):
        self.active = False
        self.clear()

    def clear(self):
        self.calls, self.stack, self.inside = [], [], False

    def wrap(self, name, function):
        """Return the function, which then records its calls that have angles and data."""
        def recorded(*args, **kwargs):
            found = list(tensors((args, kwargs))) if self.active and not self.inside else []
            if not any(map(is_angle, found)) or not any(map(is_data, found)):
                return function(*args, **kwargs)
            self.calls.append({"name": name, "function": function, "args": args, "kwargs": kwargs,
                               "modules": list(self.stack)})
            for module in self.stack:
                module.__dict__["has_rotated"] = True
            self.inside = True
            try:
                args, kwargs = replace(plain((args, kwargs)), lambda tensor: tensor.to("meta"))
                return function(*args, **kwargs)
            finally:
                self.inside = False
        recorded.is_recorded = True
        return recorded


RECORDER = Recorder()
prepared = set()  # names of modules of the library whose functions record


def mentions_frequencies(item):
    """Return whether code of a class, or of the classes of a modeling file, has the name inv_freq."""
    if isinstance(item, types.ModuleType):
        return any(inspect.isclass(x) and x.__module__ == item.__name__ and mentions_frequencies(x)
                   for x in vars(item).values())
    codes = [inspect.unwrap(x).__code__ for x in vars(item).values() if isinstance(x, types.FunctionType)]
    return any(isinstance(x, str) and x.endswith("inv_freq")
               for code in codes for x in [*code.co_names, *code.co_consts])


def keep_arguments(item):
    """Make a class keep the arguments of its constructor, so that a second object can be made of them."""
    original = item.__init__

    def init(self, *args, **kwargs):
        self.__dict__.setdefault("made_from", (args, kwargs))
        return original(self, *args, **kwargs)
    init.__wrapped__ = original
    item.__init__ = init


def prepare(module):
    """Make the functions and methods of a modeling file record their calls."""
    if module.__name__ in prepared:
        return
    prepared.add(module.__name__)
    for name, item in list(vars(module).items()):
        if isinstance(item, types.FunctionType) and (item.__module__ or "").startswith("transformers.models") \
                and not hasattr(item, "is_recorded"):
            setattr(module, name, RECORDER.wrap(name, item))
        if not inspect.isclass(item) or not issubclass(item, torch.nn.Module) or item.__module__ != module.__name__:
            continue
        if mentions_frequencies(item) and not issubclass(item, PreTrainedModel):
            keep_arguments(item)
            continue
        for key, method in list(vars(item).items()):
            if isinstance(method, types.FunctionType) and key != "forward" and not key.startswith("__"):
                setattr(item, key, RECORDER.wrap(f"{name}.{key}", method))


def prepare_all(config):
    for _, sub in sub_configs(config):
        modeling_modules(type(sub))
    for name, module in list(sys.modules.items()):
        if name.startswith("transformers.models.") and ".modeling_" in name and module is not None:
            prepare(module)


def give_meta_tensors_values():
    """Let Python code ask a tensor without numbers for a number. It gets 0, 1 or false, as the loop below says."""
    for name, value in (("item", 0), ("__bool__", False), ("__int__", 1), ("__float__", 0.0), ("__index__", 1)):
        def ask(self, *args, original=getattr(torch.Tensor, name), value=value):
            return value if self.device.type == "meta" else original(self, *args)
        setattr(torch.Tensor, name, ask)
    original = torch.Tensor.tolist
    torch.Tensor.tolist = lambda self: original(
        torch.zeros(self.shape, dtype=self.dtype, device="cpu") if self.device.type == "meta" else self)


give_meta_tensors_values()


# ---------------------------------------------------------------- A model and its forward pass

def number_of(config, *names, default):
    """Return the first of a config's attributes that is a number; of a list, its first number."""
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, (tuple, list)) and value and isinstance(value[0], int):
            value = value[0]
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return default


def patches(config):
    """Return the patches of an image of 4 by 4, as one row for each, and the size of the grid."""
    channels = number_of(config, "in_channels", "in_chans", "num_channels", default=3)
    size = number_of(config, "patch_size", default=14)
    depth = number_of(config, "temporal_patch_size", default=1)
    return (torch.ones(16, channels * depth * size * size, device="meta"),
            torch.tensor([[1, 4, 4]], device="cpu"))


def image(config):
    size = number_of(config, "image_size", "input_size", default=224)
    channels = number_of(config, "num_channels", "in_channels", "num_in_channels", default=3)
    return torch.ones(1, channels, size, size, device="meta")


def inputs_for(model, config):
    """Return the arguments of a forward pass, chosen after the names of its parameters."""
    names = inspect.signature(model.forward).parameters
    ids = torch.ones(1, TOKENS, dtype=torch.long, device="meta")
    width = number_of(config, "hidden_size", "d_model", "dim", default=64)
    inputs = {}
    if "input_ids" in names:
        inputs["input_ids"] = ids
    elif "inputs_embeds" in names:
        inputs["inputs_embeds"] = torch.ones(1, TOKENS, width, device="meta")
    if "decoder_input_ids" in names:
        inputs["decoder_input_ids"] = ids
    if "grid_thw" in names and ("hidden_states" in names or "pixel_values" in names):
        first = "hidden_states" if "hidden_states" in names else "pixel_values"
        inputs[first], inputs["grid_thw"] = patches(config)
    elif "pixel_values" in names and not inputs:
        inputs["pixel_values"] = image(config)
    elif "input_features" in names and not inputs:
        bins = number_of(config, "num_mel_bins", "n_mels", "feature_projection_input_dim", default=80)
        inputs["input_features"] = torch.ones(1, bins, 2 * number_of(config, "max_source_positions", default=32),
                                              device="meta")
    elif "input_values" in names and not inputs:
        inputs["input_values"] = torch.ones(1, 16000, device="meta")
    elif "hidden_states" in names and not inputs:
        inputs["hidden_states"] = torch.ones(1, TOKENS, width, device="meta")
    if "merge_sizes" in names:
        inputs["merge_sizes"] = torch.tensor([1], device="cpu")
    if "pixel_position_ids" in names and "pixel_values" in names:
        inputs["pixel_values"] = patches(config)[0][None]
        inputs["pixel_position_ids"] = torch.ones(1, 16, 2, dtype=torch.long, device="meta")
    if "use_cache" in names:
        inputs["use_cache"] = False
    return inputs


def shorten(config):
    """Leave LAYERS layers to a config and to the configs inside; the kinds of the first layers stay."""
    for _, sub in sub_configs(config):
        for key in DEPTHS:
            if isinstance(getattr(sub, key, None), int) and getattr(sub, key) > LAYERS:
                with contextlib.suppress(Exception):
                    setattr(sub, key, LAYERS)


class MoveToMeta(TorchFunctionMode):
    """Move tensors with numbers that meet data to the meta device, unless they are angles."""

    def __torch_function__(self, function, types_of_arguments, args=(), kwargs=None):
        kwargs = kwargs or {}
        found = list(tensors((args, kwargs)))
        if any(x.device.type == "meta" for x in found) and any(x.device.type == "cpu" for x in found):
            args, kwargs = replace((args, kwargs), lambda x: x if isinstance(x, Angle) else x.to("meta"))
        return function(*args, **kwargs)


class Trial:
    """This is a model on the meta device, with its modules with frequencies and the calls of its forward pass."""

    def __init__(self, model_class, config):
        self.config, self.error, self.left_out = config, None, []
        with torch.device("meta"):
            self.model = model_class(config)
        self.model.eval()
        self.names = {id(module): name for name, module in self.model.named_modules()}
        self.twins = {}
        for name, module in self.model.named_modules():
            if frequency_buffers(module) and "made_from" in module.__dict__:
                self.use_twin(name, module)
            module.register_forward_pre_hook(lambda module, args: RECORDER.stack.append(module))
            module.register_forward_hook(lambda *_: (RECORDER.stack.pop(), None)[1], always_call=True)

    def use_twin(self, name, module):
        """Make a module with frequencies compute on the CPU, at chosen positions."""
        args, kwargs = module.__dict__["made_from"]
        with torch.device("cpu"):
            twin = type(module)(*args, **kwargs).eval()
        self.twins[name] = twin

        def forward(*args, **kwargs):
            coordinates = []

            def on_cpu(tensor):
                if is_real(tensor):
                    return torch.zeros(tensor.shape, device="cpu")
                positions, count = chosen_positions(list(tensor.shape))
                coordinates.append(count)
                return positions
            args, kwargs = replace((args, kwargs), on_cpu)
            kind = next((x for x in [*args, *kwargs.values()] if isinstance(x, str)), "")
            with torch.no_grad(), torch.device("cpu"):
                output = twin(*args, **kwargs)
            source = {"name": name, "kind": kind, "coordinates": max(coordinates, default=0)}

            def marked(tensor):
                tensor = tensor.as_subclass(Angle)
                tensor.source = source
                return tensor
            return replace(output, marked)
        module.forward = forward

    def path_of(self, name):
        """Return the path of the config that a module with frequencies was built from, or None."""
        args, kwargs = self.twins[name].__dict__["made_from"]
        for path, sub in sub_configs(self.config):
            if any(value is sub for value in [*args, *kwargs.values()]):
                return path
        return None

    def run(self):
        """Run the forward pass; if it fails, again with other ways to treat tensors that the code itself makes."""
        best = None
        for context in (contextlib.nullcontext, MoveToMeta, lambda: torch.device("meta")):
            self.left_out = []
            for module in self.model.modules():
                module.__dict__.pop("has_rotated", None)
                if "left_out" in module.__dict__:
                    del module.__dict__["left_out"], module.forward
            self.run_on(context())
            result = self.error is None and bool(self.calls), len(self.calls)
            if best is None or result > best[0]:
                best = result, self.error, self.left_out, self.calls
            if result[0]:
                break
        _, self.error, self.left_out, self.calls = best

    def run_on(self, context, rounds=12):
        """Run the forward pass. A module that fails without numbers is left out: it then returns its input."""
        inputs = inputs_for(self.model, self.config)
        for _ in range(rounds):
            RECORDER.clear()
            RECORDER.active = True
            try:
                with torch.no_grad(), context:
                    self.model(**inputs)
                self.error = None
                break
            except Exception as error:
                where = [f"{os.path.basename(x.filename)}:{x.lineno}" for x in traceback.extract_tb(error.__traceback__)]
                self.error = f"{type(error).__name__}: {error}"[:160] + f" ({where[-1]})"
                if not self.leave_out(error.__traceback__):
                    break
            finally:
                RECORDER.active = False
        self.calls = RECORDER.calls

    def leave_out(self, trace):
        """Replace the class of the innermost module that failed and does not rotate; return whether there is one."""
        modules = []
        while trace is not None:
            modules.append(trace.tb_frame.f_locals.get("self"))
            trace = trace.tb_next
        for module in reversed(modules):
            if not isinstance(module, torch.nn.Module) or module is self.model or module.__dict__.get("has_rotated") \
                    or type(module).__name__ in self.left_out or any(frequency_buffers(x) for x in module.modules()):
                continue
            self.left_out.append(type(module).__name__)
            for other in self.model.modules():
                if type(other) is type(module):
                    other.__dict__["left_out"] = True
                    other.forward = lambda *args, **kwargs: next(filter(is_real, tensors((args, kwargs))), None)
            return True
        return False

    @staticmethod
    def source_of(call):
        """Return the record of the module whose output has the angles of a call, or None."""
        return next((x.source for x in tensors((call["args"], call["kwargs"])) if is_angle(x)), None)

    def layer_of(self, call):
        """Return (name of the list of layers, index of the layer, name of the module in the layer)."""
        name = self.names.get(id(call["modules"][-1]), "") if call["modules"] else ""
        match = re.fullmatch(r"(.*?)\.?(\d+)\.?(.*)", name)
        return (match[1], int(match[2]), match[3]) if match else (name, None, "")

    def depth(self, name):
        """Return the number of layers of a list of layers."""
        module = dict(self.model.named_modules()).get(name)
        return len(module) if isinstance(module, torch.nn.ModuleList) else None


# ---------------------------------------------------------------- The matrix of a rotation

def small(call):
    """Return the arguments of a call with one head and few tokens, where the angles do not depend on more."""
    sizes = {size for x in tensors((call["args"], call["kwargs"])) if is_angle(x) for size in x.shape[:-1]}

    def cut(tensor):
        if not is_data(tensor) and not is_angle(tensor):
            return tensor
        index = [slice(None)] * tensor.ndim
        for axis in range(tensor.ndim - 1):
            if tensor.shape[axis] in sizes:
                index[axis] = slice(0, FEW_TOKENS) if tensor.shape[axis] > FEW_TOKENS else slice(None)
            elif is_data(tensor) and axis:
                index[axis] = slice(0, 1)
        return tensor[tuple(index)]
    return replace((call["args"], call["kwargs"]), cut)


def matrices(call, args, kwargs):
    """Return, for each tensor that is rotated, its matrices: [token, output element, input element]."""
    angles = [x for x in tensors((args, kwargs)) if is_angle(x)]
    data = [x for x in tensors((args, kwargs)) if is_data(x)]
    result = []
    for number, tensor in enumerate(data):
        columns, output_index = [], None
        for element in range(tensor.shape[-1]):
            counter = iter(range(len(data)))

            def unit(x):
                if x.device.type == "meta" and not is_real(x):  # position_ids, which select rows of the angles
                    return torch.arange(x.shape[-1], device="cpu").to(x.dtype).expand(x.shape) if x.ndim else x
                if not is_data(x):
                    return x.as_subclass(torch.Tensor)
                value = torch.zeros(x.shape, device="cpu")
                if next(counter) == number:
                    value[..., element] = 1
                return value
            now_args, now_kwargs = replace((args, kwargs), unit)
            with torch.no_grad():
                outputs = list(tensors(call["function"](*now_args, **now_kwargs)))
            touched = [k for k, x in enumerate(outputs) if bool((x != 0).any())]
            if output_index is None and len(touched) == 1:
                output_index = touched[0]
            if touched != [output_index]:
                raise ValueError(f"element {element} of tensor {number} reaches the outputs {touched}")
            if outputs[output_index].shape != tensor.shape:
                raise ValueError(f"an output of shape {list(outputs[output_index].shape)}")
            columns.append(outputs[output_index])
        stack = torch.stack(columns, -1)  # [..., output element, input element]
        axes = [axis for axis in range(stack.ndim - 2)
                if stack.shape[axis] > 1 and bool((stack != stack.narrow(axis, 0, 1)).any())]
        for axis in range(stack.ndim - 3, -1, -1):
            if axis not in axes[-1:]:
                stack = stack.select(axis, 0)
        result.append(stack if stack.ndim == 3 else stack[None])
    return result


def rotation_at(matrix):
    """Read the rotation off one matrix: a list of (pair, pair of outputs, angle, factor), sorted by the pair."""
    count = matrix.shape[0]
    identity = torch.eye(count)
    rotations, seen = [], set()
    for first in range(count):
        if first in seen or bool((matrix[:, first] == identity[:, first]).all()) and \
                bool((matrix[first] == identity[first]).all()):
            continue
        rows = matrix[:, first].nonzero().flatten().tolist()
        columns = sorted({c for row in rows for c in matrix[row].nonzero().flatten().tolist()})
        if len(rows) > 2 or len(columns) > 2:
            raise ValueError(f"element {first} reaches outputs {rows}")
        if len(rows) < 2 or len(columns) < 2:
            continue  # the angle is 0: the element is stationary or only moved
        seen.update(columns)
        (a, b), (r, s) = columns, rows
        block = [[float(matrix[r, a]), float(matrix[r, b])], [float(matrix[s, a]), float(matrix[s, b])]]
        if abs(block[0][0] - block[1][1]) > 1e-6 or abs(block[0][1] + block[1][0]) > 1e-6:
            raise ValueError(f"elements {a} and {b} do not rotate: {block}")
        angle = math.atan2(block[1][0], block[0][0])
        rotations.append(((a, b), (r, s), angle, math.hypot(block[0][0], block[1][0])))
    return rotations


def layout_of(pairs, width):
    """Name the places of a list of pairs: halves, interleaved, or none; and the range of elements that they fill."""
    used = sorted(x for pair in pairs for x in pair)
    if not used:
        return None, 0, 0
    start, count = used[0], used[-1] + 1 - used[0]
    half = [(start + i, start + i + count // 2) for i in range(count // 2)]
    inter = [(start + 2 * i, start + 2 * i + 1) for i in range(count // 2)]
    if set(pairs) <= set(inter):
        return "interleaved", start, count
    if set(pairs) <= set(half):
        return "halves", start, count
    if set(pairs) <= {(i, i + width // 2) for i in range(width // 2)}:
        return "halves", 0, width  # the pairs between are stationary
    return None, start, count


def rotation(call, coordinates):
    """Return what a recorded call does, as a dictionary; ValueError says why it cannot be read."""
    try:
        found = matrices(call, *small(call))
    except (RuntimeError, IndexError, AssertionError):
        found = matrices(call, call["args"], call["kwargs"])
    result = None
    for stack in found:
        turns = rotation_at(stack[0 if coordinates else min(1, len(stack) - 1)])
        has_sign = coordinates or len(stack) > 1 and bool(turns) and 0.9 < turns[0][2] <= 1.1
        if not coordinates and not has_sign:  # the positions are the module's own: take the token that rotates most
            turns = max((rotation_at(matrix) for matrix in stack), key=len)
        if not turns:
            continue
        width = stack.shape[-1]
        pairs, outputs = [turn[0] for turn in turns], [turn[1] for turn in turns]
        name, start, count = layout_of(pairs, width)
        out_name, out_start, out_count = layout_of(outputs, width)
        angles = [turn[2] for turn in turns]
        value = {"width": width, "start": start, "rotary": count, "pairs": name or "other",
                 "outputs": "same" if outputs == pairs else out_name or "other",
                 "sign": "unknown" if not has_sign else
                 "forward" if sum(a > 0 for a in angles) * 2 > len(angles) else "backward",
                 "angles": [abs(a) for a in angles], "factor": turns[0][3], "moves": len(turns)}
        if coordinates > 1:
            value["axes"] = axes_of(stack, pairs, coordinates)
        if result is not None and {**result, "width": 0} != {**value, "width": 0}:
            result["differs"] = True
        result = result or value
    if result is None:
        raise ValueError("nothing rotates")
    return result


def axes_of(stack, pairs, coordinates):
    """Return for each pair the coordinate that it belongs to, from the tokens with one coordinate 1, the others 0."""
    axes = ["-"] * len(pairs)
    for axis in range(coordinates):
        for turn in rotation_at(stack[1 + axis]) if 1 + axis < stack.shape[0] else ():
            if turn[0] in pairs:
                axes[pairs.index(turn[0])] = str(axis)
    return "".join(axes)


class TooLate(BaseException):
    """This is raised when the time of a model type is over."""


@contextlib.contextmanager
def at_most(seconds):
    """Raise TooLate in the body of the context after `seconds` of CPU time, which does not depend on other programs."""
    def stop(*_):
        raise TooLate
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def quiet():
    """Return a context that keeps what the library prints away."""
    stack = contextlib.ExitStack()
    stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
    stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
    return stack
