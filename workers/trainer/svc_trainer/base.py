"""Bases: folders in Hugging Face's layout, found by name and known by the hash of their weights."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from .failures import FitError

_CHUNK_BYTES = 1 << 22


@dataclass(frozen=True)
class Base:
    """A base in memory."""

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase


def find_base(name: str, folders: Sequence[Path]) -> Path:
    """The folder of a base. Raises `unknown_base_model`; a name that is no plain folder name is unknown too."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", name):
        for folder in folders:
            if (folder / name / "config.json").is_file():
                return folder / name
    raise FitError("unknown_base_model", f"this worker has no base {name}")


def hash_weights(folder: Path) -> str:
    """The hash of core/model/files/weights-hash.ts: over names, dtypes, shapes and bytes of all tensors."""
    entries: list[list[object]] = []
    for path in _weight_files(folder):
        entries.extend(_tensor_digests(path))
    entries.sort(key=lambda entry: str(entry[0]).encode("utf-16-be"))
    canonical = json.dumps(entries, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _weight_files(folder: Path) -> list[Path]:
    """model.safetensors, or the files that its index names; names that lead out of the folder are refused."""
    single = folder / "model.safetensors"
    if single.is_file():
        return [single]
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        raise FitError("unknown_base_model", f"the base {folder.name} has no safetensors files")
    names = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    if any(Path(name).name != name for name in names):
        raise FitError("unknown_base_model", f"the index of {folder.name} names a file outside its folder")
    return [folder / name for name in names]


def _tensor_digests(path: Path) -> list[list[object]]:
    """[name, dtype, shape, SHA-256 of its bytes in hex] of every tensor of a file, read piece by piece."""
    found: list[list[object]] = []
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(header_bytes))
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, end = entry["data_offsets"]
            file.seek(8 + header_bytes + start)
            digest = hashlib.sha256()
            for offset in range(start, end, _CHUNK_BYTES):
                digest.update(file.read(min(_CHUNK_BYTES, end - offset)))
            found.append([name, entry["dtype"], entry["shape"], digest.hexdigest()])
    return found


def load_base(name: str, weights_hash: str, folders: Sequence[Path], device: torch.device) -> Base:
    """Loads a base whose weights are the expected ones, in bfloat16 on a GPU and in float32 on a CPU.

    Raises `unknown_base_model`, and `base_mismatch` when the weights differ from those the job was planned with.
    """
    folder = find_base(name, folders)
    if hash_weights(folder) != weights_hash:
        raise FitError("base_mismatch", f"the weights of {name} on this worker differ from those of the job")
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.to(device.type)  # type: ignore[arg-type]
    return Base(name=name, model=model, tokenizer=tokenizer)
