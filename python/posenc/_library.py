# SPDX-License-Identifier: MIT
"""Loads the library once, and turns its statuses into exceptions."""
from __future__ import annotations

import os
import sys
from typing import Any, Optional

from . import _declarations as c
from ._check import string, whole


class Error(ValueError):
    """This exception is raised if the library refuses a call. The library has then written nothing.

    status   the number of the status, such as posenc.c.PE_ERR_RANGE
    name     the name of the status, such as "PE_ERR_RANGE"
    """

    def __init__(self, status: int, text: Optional[str] = None):  # `text` replaces the text of the status
        said = None if text is None else string(text, "text")
        status = whole(status, "status", -2**31, 2**31 - 1)
        names = [name for name in c.CONSTANTS if name.startswith(("PE_OK", "PE_ERR_")) and getattr(c, name) == status]
        self.status = status
        self.name = names[0] if names else str(status)
        super().__init__(f"{self.name}: {said or lib.pe_status_string(status).decode()}")

    def __reduce__(self) -> Any:
        return type(self), (self.status, str(self).split(": ", 1)[1])


def checked(status: int, text: Optional[bytes] = None) -> None:
    if status != c.PE_OK:
        raise Error(status, text.decode() if text else None)


def _load() -> Any:
    """Returns the library that POSENC_LIBRARY names, or the one in this package, or the system's with this
    interface."""
    name = "libposenc.dylib" if sys.platform == "darwin" else "libposenc.so"
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    system = c.SERIES.join(["libposenc.", ".dylib"] if sys.platform == "darwin" else ["libposenc.so.", ""])
    library = c.load(os.environ.get("POSENC_LIBRARY") or (own if os.path.exists(own) else system))
    found = "{}.{}".format(*divmod(library.pe_version() >> 8, 256))
    if found != c.SERIES:
        raise ImportError(f"this is posenc {c.SERIES}, its library is {found}")
    return library


lib = _load()


def pointer(address: int, kind: Any) -> Any:
    """Returns what ctypes passes as a pointer to this address. It takes 25 % of the time of ctypes.cast()."""
    return kind.from_address(address)
