"""Writes the golden values of the TypeScript tests: what transformers, PEFT, torch and trl answer for small random models.

    python bench/model/peft/python/make-golden.py [FOLDER]

FOLDER is test/model/golden when absent. The values are float32 on the CPU with one thread; the same seed and the
same versions give the same files. See bench/model/peft/README.md for the layout.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, PreTrainedModel

sys.path.insert(0, str(Path(__file__).parent))

from golden.log_probs import token_log_probs  # noqa: E402
from golden.models import (  # noqa: E402
    LLAMA3_ROPE,
    GoldenModel,
    add_adapter,
    build_model,
    golden_models,
    save_adapter,
    save_model,
)
from golden.preference import preference_cases  # noqa: E402
from golden.tokenizer import encodings, save_tokenizer, train_tokenizer  # noqa: E402
from golden.training import random_ids, training_values  # noqa: E402

LENGTHS = (5, 23, 64)
ROPE_VARIANTS: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 2.0},
    "llama3": LLAMA3_ROPE,
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
}


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    tokenizer = train_tokenizer()
    for golden in golden_models():
        model_folder = folder / golden.name
        model_folder.mkdir(parents=True, exist_ok=True)
        model = build_model(golden)
        save_model(golden, model, model_folder)
        save_tokenizer(tokenizer, model_folder)
        write_json(model_folder / "expected.json", expected_values(golden, model, model_folder))
    write_json(folder / "preference.json", {"cases": preference_cases()})
    write_json(folder / "encodings.json", {"texts": encodings(tokenizer)})
    for path in folder.rglob("*.safetensors"):
        path.chmod(0o644)
    write_json(
        folder / "versions.json",
        {name: importlib.metadata.version(name) for name in ("torch", "transformers", "peft", "trl")},
    )


def expected_values(golden: GoldenModel, model: PreTrainedModel, folder: Path) -> dict[str, Any]:
    """Log-probabilities without and with an adapter, and for the first model the values of training."""
    generator = torch.Generator().manual_seed(golden.seed + 200)
    sequences = [random_ids(generator, length) for length in LENGTHS]
    expected: dict[str, Any] = {"sequences": sequences}
    with torch.no_grad():
        expected["logProbs"] = [token_log_probs(model, ids).tolist() for ids in sequences]
        expected["lastLogits"] = model(input_ids=torch.tensor([sequences[0]])).logits[0, -1].tolist()
        if golden.name == "llama-untied":
            expected["variants"] = rope_variants(golden, model, folder, sequences)
    peft = add_adapter(golden, model)
    save_adapter(peft, folder / "adapter")
    with torch.no_grad():
        expected["adapterLogProbs"] = [token_log_probs(peft, ids).tolist() for ids in sequences]
    if golden.name == "llama-tied":
        expected["training"] = training_values(peft, folder, golden.seed + 300)
    return expected


def rope_variants(
    golden: GoldenModel, model: PreTrainedModel, folder: Path, sequences: list[list[int]]
) -> list[dict[str, Any]]:
    """The same weights with other rotary settings, in the spelling `rope_scaling`."""
    found = []
    for name, rope in ROPE_VARIANTS.items():
        config = AutoConfig.from_pretrained(folder)
        config.rope_parameters = rope | {"rope_theta": 10000.0}
        config._attn_implementation = "eager"
        variant = golden.model_class(config).float().eval()
        variant.load_state_dict(model.state_dict())
        log_probs = [token_log_probs(variant, ids).tolist() for ids in sequences]
        found.append({"name": name, "rope_theta": 10000.0, "rope_scaling": rope, "logProbs": log_probs})
    return found


def write_json(path: Path, value: Any) -> None:
    """One line for each of the outer entries; numbers in the shortest form that reads back as the same double."""
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items())
    path.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[4] / "test" / "model" / "golden"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
