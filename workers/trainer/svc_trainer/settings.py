"""Settings of the operator: the same environment variables as the rest of the service."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: The task queue of temporal.yaml that this worker serves.
TASK_QUEUE: Final = "lora-fit-gpu"

#: An unreferenced checkpoint is collected an hour after it was stored.
_LONGEST_BETWEEN_CHECKPOINTS: Final = 1800
_PROJECT_BASES: Final = Path(__file__).resolve().parents[3] / "bases"


@dataclass(frozen=True)
class Settings:
    """Parsed settings; secrets stay out of `repr`."""

    database_url: str
    temporal_address: str
    temporal_namespace: str
    codec_key: bytes | None
    #: Folders whose sub-folders are bases; the first that has the name wins.
    bases_folders: tuple[Path, ...]
    #: Maximum training time that a killed worker loses.
    seconds_between_checkpoints: float

    def __repr__(self) -> str:
        return f"Settings(temporal_address={self.temporal_address!r}, temporal_namespace={self.temporal_namespace!r})"


class SettingsError(Exception):
    """Variables are wrong or absent; the message names every one of them and no value."""


def read_settings(env: Mapping[str, str] = os.environ) -> Settings:
    """Parses the environment; an empty variable counts as absent. Raises `SettingsError`."""
    problems: list[str] = []
    database_url = env.get("DATABASE_URL", "")
    if not database_url.startswith(("postgres://", "postgresql://")):
        problems.append("DATABASE_URL: postgres://user:password@host:port/database")
    address = env.get("TEMPORAL_ADDRESS", "")
    if not re.fullmatch(r"[^\s/]+:\d{1,5}", address):
        problems.append("TEMPORAL_ADDRESS: host:port of a Temporal server")
    codec_key: bytes | None = None
    try:
        codec_key = _key(env.get("SVC_CODEC_KEY", ""))
    except ValueError as error:
        problems.append(f"SVC_CODEC_KEY: {error}")
    seconds = env.get("SVC_TRAINER_CHECKPOINT_SECONDS", "") or "60"
    if not re.fullmatch(r"\d{1,4}(\.\d+)?", seconds) or float(seconds) > _LONGEST_BETWEEN_CHECKPOINTS:
        problems.append(f"SVC_TRAINER_CHECKPOINT_SECONDS: a number up to {_LONGEST_BETWEEN_CHECKPOINTS}")
    if problems:
        raise SettingsError("\n".join(["wrong environment variables:", *(f"  {problem}" for problem in problems)]))
    own = env.get("SVC_BASES_DIR", "")
    return Settings(
        database_url=database_url,
        temporal_address=address,
        temporal_namespace=env.get("TEMPORAL_NAMESPACE", "") or "svc",
        codec_key=codec_key,
        seconds_between_checkpoints=float(seconds),
        bases_folders=(*([Path(own).resolve()] if own else []), _PROJECT_BASES),
    )


def _key(text: str) -> bytes | None:
    if not text:
        return None
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise ValueError("must be 32 bytes, as 64 hex digits or as base64")
    return key
