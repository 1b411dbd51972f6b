"""Writes test/model/golden/qwen3-moe: what transformers answers for a small random mixture of experts.

    python bench/model/peft/python/make-moe-golden.py [FOLDER]

`expected.json` has the log-probabilities of a few sequences (`logProbs`), and for each sequence, layer and token the
logits of the router (`routerLogits`); `plain` has the same of the weights with `norm_topk_prob` false. The tokenizer
has a token for each byte. The adapter is random, on the projections of the attention. It needs torch and transformers.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

VOCABULARY = 264
LENGTHS = (5, 23, 40)
SEED = 41
RANK, ALPHA = 4, 8
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")


def config(**changes: Any) -> Qwen3MoeConfig:
    return Qwen3MoeConfig(
        **(
            {
                "vocab_size": VOCABULARY,
                "hidden_size": 32,
                "intermediate_size": 40,
                "moe_intermediate_size": 24,
                "num_experts": 6,
                "num_experts_per_tok": 2,
                "norm_topk_prob": True,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "head_dim": 16,
                "max_position_embeddings": 64,
                "rms_norm_eps": 1e-6,
                "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
                "tie_word_embeddings": False,
                "bos_token_id": None,
                "eos_token_id": 1,
                "pad_token_id": 0,
                "attention_dropout": 0.0,
                "architectures": ["Qwen3MoeForCausalLM"],
            }
            | changes
        )
    )


def build(changes: dict[str, Any]) -> Qwen3MoeForCausalLM:
    made = config(**changes)
    made._attn_implementation = "eager"
    made._experts_implementation = "eager"
    model = Qwen3MoeForCausalLM(made).float().eval()
    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if name.endswith("norm.weight"):
                weight.copy_(1 + 0.2 * noise)
            elif "embed_tokens" in name or "lm_head" in name:
                weight.copy_(0.3 * noise)
            else:
                weight.copy_(noise * 1.5 / weight.shape[-1] ** 0.5)
    return model


def values(model: Qwen3MoeForCausalLM, sequences: list[list[int]]) -> dict[str, Any]:
    log_probs, routers = [], []
    with torch.no_grad():
        for ids in sequences:
            out = model(input_ids=torch.tensor([ids]), use_cache=False, output_router_logits=True)
            found = out.logits[0][:-1].log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
            log_probs.append(found.tolist())
            routers.append([layer.reshape(len(ids), -1).tolist() for layer in out.router_logits])
    return {"logProbs": log_probs, "routerLogits": routers}


def save_adapter(folder: Path) -> None:
    generator = torch.Generator().manual_seed(SEED + 100)
    sizes = {"q_proj": (64, 32), "k_proj": (32, 32), "v_proj": (32, 32), "o_proj": (32, 64)}
    tensors = {}
    for layer in range(2):
        for name, (out, inner) in sizes.items():
            key = f"base_model.model.model.layers.{layer}.self_attn.{name}"
            tensors[f"{key}.lora_A.weight"] = torch.randn((RANK, inner), generator=generator) * 0.7 / inner**0.5
            tensors[f"{key}.lora_B.weight"] = torch.randn((out, RANK), generator=generator) * 0.7 / RANK**0.5
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    facts = {
        "base_model_name_or_path": "golden",
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "lora_alpha": ALPHA,
        "lora_dropout": 0.0,
        "peft_type": "LORA",
        "r": RANK,
        "target_modules": sorted(ATTENTION),
        "task_type": "CAUSAL_LM",
        "use_dora": False,
        "use_rslora": False,
    }
    (folder / "adapter_config.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def save_tokenizer(folder: Path) -> None:
    """A token for each byte, no merges; the settings are those of the other golden models."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|pad|>", "<|end|>", "<|input|>", "<|output|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=4 + len(alphabet), special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([""], trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = (folder.parent / "qwen3" / "tokenizer_config.json").read_text()
    (folder / "tokenizer_config.json").write_text(settings)


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    model = build({})
    model.save_pretrained(folder)
    for name in ("config.json", "generation_config.json"):
        path = folder / name
        facts = json.loads(path.read_text())
        facts.pop("transformers_version", None)
        path.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")
    save_tokenizer(folder)
    generator = torch.Generator().manual_seed(SEED + 200)
    sequences = [torch.randint(4, 260, (length,), generator=generator).tolist() for length in LENGTHS]
    plain = {"norm_topk_prob": False}
    other = build(plain)
    other.load_state_dict(model.state_dict())
    expected = {
        "sequences": sequences,
        **values(model, sequences),
        "plain": {"changes": plain, **values(other, sequences)},
        "versions": {name: importlib.metadata.version(name) for name in ("torch", "transformers")},
    }
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in expected.items())
    (folder / "expected.json").write_text("{\n" + lines + "\n}\n")
    save_adapter(folder / "adapter")
    for path in folder.rglob("*.safetensors"):
        path.chmod(0o644)


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[4] / "test" / "model" / "golden" / "qwen3-moe"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
