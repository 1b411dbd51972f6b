"""Checkpoints as one blob: the trainer's folder (adapter, optimizer, schedule, random states) as a tar archive."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from .failures import FitError


def pack_folder(folder: Path) -> bytes:
    """The files of a folder in order of their names."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.add(path, arcname=str(path.relative_to(folder)))
    return buffer.getvalue()


def unpack_folder(data: bytes, folder: Path) -> None:
    """Writes the files back; only plain files inside the folder. Raises `invalid_checkpoint`."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            archive.extractall(folder, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise FitError("invalid_checkpoint", "the checkpoint cannot be unpacked") from error
