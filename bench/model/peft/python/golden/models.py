"""Small random models of each supported family, written as Hugging Face directories."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

VOCABULARY = 128
CONTEXT = 64
RANK = 4
ALPHA = 8
TARGET_MODULES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True)
class GoldenModel:
    """One small model: its name is its folder's, its seed decides every weight."""

    name: str
    seed: int
    model_class: type[PreTrainedModel]
    config: PretrainedConfig
    #: Keys of config.json that replace those transformers wrote: the spelling before version 5.
    old_keys: dict[str, Any] = field(default_factory=dict)


def _shape(**changes: Any) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 56,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": 1e-5,
        "bos_token_id": None,
        "eos_token_id": 1,
        "pad_token_id": 0,
        "attention_dropout": 0.0,
    }
    return shape | changes


LLAMA3_ROPE = {
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}


def golden_models() -> list[GoldenModel]:
    """The four models; together they meet every difference between the families."""
    return [
        GoldenModel(
            "llama-tied",
            11,
            LlamaForCausalLM,
            LlamaConfig(**_shape(tie_word_embeddings=True, rope_parameters=LLAMA3_ROPE | {"rope_theta": 500.0})),
            old_keys={"rope_theta": 500.0, "rope_scaling": LLAMA3_ROPE},
        ),
        GoldenModel(
            "llama-untied",
            12,
            LlamaForCausalLM,
            LlamaConfig(
                **_shape(
                    tie_word_embeddings=False,
                    head_dim=16,
                    num_key_value_heads=4,
                    rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
                )
            ),
        ),
        GoldenModel(
            "qwen2",
            13,
            Qwen2ForCausalLM,
            Qwen2Config(
                **_shape(
                    tie_word_embeddings=True,
                    rms_norm_eps=1e-6,
                    use_sliding_window=False,
                    rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
                )
            ),
            old_keys={"rope_theta": 1000000.0},
        ),
        GoldenModel(
            "qwen3",
            14,
            Qwen3ForCausalLM,
            Qwen3Config(
                **_shape(
                    tie_word_embeddings=True,
                    head_dim=16,
                    rms_norm_eps=1e-6,
                    rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
                )
            ),
        ),
    ]


def build_model(golden: GoldenModel) -> PreTrainedModel:
    """The model in float32 with eager attention: norms are not one, biases are not zero, logits are not flat."""
    generator = torch.Generator().manual_seed(golden.seed)
    golden.config._attn_implementation = "eager"
    model = golden.model_class(golden.config).float().eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if name.endswith("norm.weight"):
                weight.copy_(1 + 0.2 * noise)
            elif name.endswith("bias"):
                weight.copy_(0.3 * noise)
            elif "embed_tokens" in name or "lm_head" in name:
                weight.copy_(0.3 * noise)
            else:
                weight.copy_(noise * 1.5 / weight.shape[1] ** 0.5)
    return model


def save_model(golden: GoldenModel, model: PreTrainedModel, folder: Path) -> None:
    """Writes config.json, generation_config.json and model.safetensors."""
    model.save_pretrained(folder)
    path = folder / "config.json"
    config = json.loads(path.read_text())
    if golden.old_keys:
        del config["rope_parameters"]
        config |= golden.old_keys
    # The version that wrote the file would make it differ with every upgrade.
    config.pop("transformers_version", None)
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    generation = folder / "generation_config.json"
    values = json.loads(generation.read_text())
    values.pop("transformers_version", None)
    generation.write_text(json.dumps(values, indent=2, sort_keys=True) + "\n")


def add_adapter(golden: GoldenModel, model: PreTrainedModel) -> PeftModel:
    """The model with a random adapter on all seven projections whose B is not zero."""
    config = LoraConfig(
        r=RANK, lora_alpha=ALPHA, lora_dropout=0.0, target_modules=list(TARGET_MODULES), task_type="CAUSAL_LM"
    )
    peft = get_peft_model(model, config)
    generator = torch.Generator().manual_seed(golden.seed + 100)
    with torch.no_grad():
        for name, weight in peft.named_parameters():
            if "lora_" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.7 / weight.shape[1] ** 0.5)
    return peft.eval()


def save_adapter(peft: PeftModel, folder: Path) -> None:
    """Writes adapter_config.json and adapter_model.safetensors as PEFT does, without the model card."""
    peft.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text())
    config["base_model_name_or_path"] = "golden"
    config.pop("peft_version", None)
    config["target_modules"] = sorted(config["target_modules"])
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def lora_tensors(peft: PeftModel, *, gradients: bool = False) -> dict[str, torch.Tensor]:
    """The adapter's tensors, or their gradients, under `model.layers.0.self_attn.q_proj.lora_A` and the like."""
    found: dict[str, torch.Tensor] = {}
    for name, weight in peft.named_parameters():
        if "lora_" not in name:
            continue
        key = name.removeprefix("base_model.model.").removesuffix(".default.weight")
        value = weight.grad if gradients else weight
        assert value is not None
        found[key] = value.detach().clone().contiguous()
    return found
