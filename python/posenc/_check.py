# SPDX-License-Identifier: MIT
"""The checks of arguments that all functions share.

Each check takes the value and the name of an argument, and returns the value as the library needs it. Otherwise it
raises TypeError for a value of another kind and ValueError for one that is out of range. The text names the argument,
and says what is allowed and what was given. An exception of the value itself, such as one from its __index__, becomes
the cause of that TypeError.
"""
from __future__ import annotations

import operator
import warnings
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy

_LONGEST = 80  # characters of a value in a text


def shown(value: Any) -> str:
    """Returns a value as error texts show it: an array or a tensor by its dtype and shape. If repr() fails, only the
    type is shown."""
    try:
        if hasattr(value, "dtype") and hasattr(value, "shape") and value.shape != ():
            return f"{value.dtype} {list(value.shape)}"
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[:_LONGEST - 4] + " ..."


def converted(convert: Callable[[Any], Any], value: Any, name: str, allowed: str) -> Any:
    """Returns convert(value). Any exception except MemoryError becomes a TypeError that names the argument."""
    try:
        return convert(value)
    except MemoryError:
        raise
    except Exception as error:
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}") from error


def whole(value: Any, name: str, least: Optional[int] = 0, most: Optional[int] = 2**62) -> int:
    """Returns a whole number that is within the bounds. None stands for no bound. The check is needed because ctypes
    takes any number modulo 2^64."""
    if isinstance(value, (bool, numpy.bool_)):
        raise TypeError(f"{name} must be a whole number, not {value}")
    number = int(converted(operator.index, value, name, "a whole number"))
    if least is not None and number < least or most is not None and number > most:
        raise ValueError(f"{name} must be from {least} to {most}, not {shown(number)}")
    return number


def real(value: Any, name: str) -> float:
    """Returns a number as a double. The library decides whether it may be infinite or NaN."""
    if type(value) is float:
        return value
    if isinstance(value, (bool, numpy.bool_, str, bytes, bytearray)):
        raise TypeError(f"{name} must be a number, not {shown(value)}")

    def convert(given: Any) -> Any:
        if getattr(given, "ndim", 0):
            raise TypeError("an array is no number")
        try:
            return float(given)
        except OverflowError:
            return None
    number: Optional[float] = converted(convert, value, name, "a number")
    if number is None:
        raise ValueError(f"{name} must be a number that a double can hold, not {shown(value)}")
    return number


def flag(value: Any, name: str) -> int:
    """Returns 1 or 0 for True, False, 1 or 0."""
    return int(value) if isinstance(value, (bool, numpy.bool_)) else whole(value, name, 0, 1)


def string(value: Any, name: str) -> str:
    """Returns value if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {shown(value)}")
    return value


def members(value: Any, name: str, most: int, allowed: str) -> Tuple[Any, ...]:
    """Returns the elements of a list, of which there may be at most `most`."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}")
    found = tuple(converted(lambda given: given if isinstance(given, tuple) else [
        element for element, _ in zip(given, range(most + 1))], value, name, allowed))
    if len(found) > most:
        raise ValueError(f"{name} must be {allowed}: there are more than {most}")
    return found


def array(values: Any, name: str, allowed: str = "numbers") -> Any:
    """Returns numpy's array of an array, a tensor or nested lists. Another value gives an array of objects, or is
    refused."""
    def make(given: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # older versions of numpy only warn of lists of unequal lengths
            return numpy.asarray(given.detach().cpu() if hasattr(given, "detach") else given)
    return converted(make, values, name, allowed)


def numbers(values: Any, name: str, dtype: Any, axes: int, allowed: str) -> Any:
    """Returns a contiguous copy, in this dtype, of real numbers with `axes` axes. Each number must fit the dtype."""
    given = array(values, name, allowed)
    wanted = numpy.dtype(dtype)
    is_real = given.dtype.kind in "iuf" or given.dtype.name == "bfloat16"
    if not is_real and given.size:
        raise TypeError(f"{name} must be {allowed}, not {shown(given)}")
    if given.ndim != axes:
        raise ValueError(f"{name} must be {allowed}, not {list(given.shape)}")
    try:
        with numpy.errstate(over="raise", invalid="ignore"):
            made = given.astype(wanted, order="C", copy=True) if is_real else numpy.empty(given.shape, wanted)
    except FloatingPointError as error:
        raise ValueError(f"{name} has a number that does not fit {wanted}") from error
    if wanted.kind in "iu" and (made != given).any():
        raise ValueError(f"{name} must be whole numbers that fit {wanted}")
    return made


def empty(shape: Sequence[int], dtype: Any, names: str) -> "numpy.ndarray[Any, Any]":
    """Returns a new array. `names` are the arguments that give the shape, for the text of an error."""
    try:
        return numpy.empty(tuple(shape), dtype)
    except MemoryError as error:
        raise MemoryError(f"{names}: there is no memory for an array {list(shape)} of {dtype}") from error
    except Exception as error:
        raise ValueError(f"{names}: an array {list(shape)} of {dtype} is too large") from error


def is_scalar(value: Any) -> bool:
    """Returns whether a value is one whole number, and not an array or tensor with axes."""
    try:
        return hasattr(value, "__index__") and not getattr(value, "shape", ())
    except Exception:
        return False


def optional(check: Callable[..., Any], value: Any, *more: Any) -> Optional[Any]:
    """Returns None for None, and check(value) for another value of an argument."""
    return None if value is None else check(value, *more)
