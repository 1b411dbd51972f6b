"""LoRA adapters: making one on a base, and its two files as PEFT writes them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors import SafetensorError
from safetensors.torch import save
from transformers import PreTrainedModel, set_seed

from .base import Base
from .document import Hyperparameters
from .failures import FitError


def add_adapter(base: Base, hyperparameters: Hyperparameters, start: dict[str, bytes] | None = None) -> PeftModel:
    """The base with a new adapter, A random by the seed and B zero, both float32; or with the one to go on from."""
    set_seed(hyperparameters.seed)
    if start is not None:
        return open_adapter(base.model, start, is_trainable=True)
    config = LoraConfig(
        r=hyperparameters.rank,
        lora_alpha=hyperparameters.alpha,  # type: ignore[arg-type]
        lora_dropout=0.0,
        target_modules=list(hyperparameters.target_modules),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base.model, config, autocast_adapter_dtype=True)


def open_adapter(model: PreTrainedModel, files: dict[str, bytes], *, is_trainable: bool = False) -> PeftModel:
    """The base with an adapter out of its two files, in float32. Raises `invalid_adapter`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        try:
            return PeftModel.from_pretrained(model, folder, is_trainable=is_trainable, autocast_adapter_dtype=True)
        except (ValueError, RuntimeError, SafetensorError) as error:
            raise FitError("invalid_adapter", "an adapter of the document does not belong to its base") from error


def adapter_state(model: PeftModel) -> dict[str, torch.Tensor]:
    """A copy of the adapter's tensors on the CPU, by the names of its file."""
    state = get_peft_model_state_dict(model)
    return {name: tensor.detach().to("cpu", torch.float32, copy=True).contiguous() for name, tensor in state.items()}


def restore_adapter(model: PeftModel, state: dict[str, torch.Tensor]) -> None:
    """Restores a copy made by `adapter_state`."""
    set_peft_model_state_dict(model, state)


def adapter_files(model: PeftModel, base_name: str) -> tuple[bytes, bytes]:
    """adapter_config.json and adapter_model.safetensors; the same adapter gives the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        model.peft_config["default"].save_pretrained(folder)
        config = json.loads((Path(folder) / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = base_name
    config["inference_mode"] = True
    # PEFT keeps a set, whose order changes from process to process.
    config["target_modules"] = sorted(config["target_modules"])
    text = json.dumps(config, indent=2, sort_keys=True) + "\n"
    return text.encode(), save(adapter_state(model), metadata={"format": "pt"})
