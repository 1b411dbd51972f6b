"""The identity of this worker, by which the service's doctors know its versions, its device and its objectives."""

from __future__ import annotations

import os
import socket
from importlib.metadata import PackageNotFoundError, version
from typing import Final, get_args

from .document import ObjectiveKind

_LIBRARIES: Final = ("torch", "transformers", "peft", "trl")


def announcement() -> str:
    """Returns `trainer@host:pid`, then `name/version` of each library, `device/…` and `objectives/…,…`."""
    return " ".join(
        [
            f"trainer@{socket.gethostname()}:{os.getpid()}",
            *(f"{name}/{found}" for name in _LIBRARIES if (found := _version(name)) is not None),
            f"device/{_device()}",
            f"objectives/{','.join(get_args(ObjectiveKind))}",
        ]
    )


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _device() -> str:
    """Returns the device that a fit runs on."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
