"""Writes test/model/golden/llama-tied/gkd: losses and gradients of trl's GKDTrainer for the golden adapter.

    python bench/model/peft/python/make-gkd-golden.py [FOLDER]

FOLDER is test/model/golden when absent; make-golden.py has written it before. The student is the adapter of `llama-tied`,
the teacher the base `llama-untied`, which has the same vocabulary. `expected.json` has the rows, the teacher's logits at
their answer tokens, and cases with their loss: those at temperature 1 are by `GKDTrainer.compute_loss` over the padded
batch, the other ones by its `generalized_jsd_loss`. `CASE.safetensors` has the gradient of every LoRA tensor. Float32 on
the CPU with one thread; it needs workers/trainer/requirements.lock.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from peft import PeftModel
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, PreTrainedModel
from trl.experimental.gkd import GKDTrainer

sys.path.insert(0, str(Path(__file__).parent))

from golden.models import lora_tensors  # noqa: E402
from golden.training import random_ids  # noqa: E402

SEED = 900
LENGTHS = ((9, 3), (4, 6), (14, 1), (6, 8))
CASES = ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (0.5, 2.0))
IGNORED = -100


def batch_of(rows: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """Rows as the collator of GKDTrainer pads them: on the left."""
    longest = max(len(row["prompt"]) + len(row["answer"]) for row in rows)
    ids, mask, labels = [], [], []
    for row in rows:
        own = row["prompt"] + row["answer"]
        padding = longest - len(own)
        ids.append([0] * padding + own)
        mask.append([0] * padding + [1] * len(own))
        labels.append([IGNORED] * (padding + len(row["prompt"])) + row["answer"])
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask), "labels": torch.tensor(labels)}


def answer_logits(model: torch.nn.Module, row: dict[str, list[int]]) -> torch.Tensor:
    """Logits at the answer's tokens, [answer, vocabulary]."""
    ids = torch.tensor([row["prompt"] + row["answer"]])
    return model(input_ids=ids, use_cache=False).logits[0, len(row["prompt"]) - 1 : -1]


def loss_of(
    student: PeftModel,
    teacher: PreTrainedModel,
    rows: list[dict[str, list[int]]],
    beta: float,
    temperature: float,
) -> torch.Tensor:
    """The loss of a step over all rows."""
    if temperature == 1.0:
        trainer = SimpleNamespace(
            teacher_model=teacher, beta=beta, generalized_jsd_loss=GKDTrainer.generalized_jsd_loss
        )
        return GKDTrainer.compute_loss(trainer, student, batch_of(rows))
    logits = torch.cat([answer_logits(student, row) for row in rows])
    with torch.no_grad():
        theirs = torch.cat([answer_logits(teacher, row) for row in rows])
    # Its mean is over the first axis.
    return GKDTrainer.generalized_jsd_loss(logits, theirs, beta=beta, temperature=temperature)


def main(folder: Path) -> None:
    torch.set_num_threads(1)

    def base(name: str) -> Any:
        return AutoModelForCausalLM.from_pretrained(folder / name, dtype=torch.float32, attn_implementation="eager")

    teacher = base("llama-untied").eval()
    student = PeftModel.from_pretrained(base("llama-tied"), folder / "llama-tied/adapter", is_trainable=True)
    generator = torch.Generator().manual_seed(SEED)
    rows = [{"prompt": random_ids(generator, p), "answer": random_ids(generator, a)} for p, a in LENGTHS]
    into = folder / "llama-tied/gkd"
    into.mkdir(exist_ok=True)
    cases = []
    for beta, temperature in CASES:
        student.zero_grad()
        loss = loss_of(student, teacher, rows, beta, temperature)
        loss.backward()
        name = f"beta-{beta:g}-temperature-{temperature:g}.safetensors"
        save_file(lora_tensors(student, gradients=True), into / name)
        (into / name).chmod(0o644)
        cases.append({"beta": beta, "temperature": temperature, "loss": loss.item(), "gradients": name})
    with torch.no_grad():
        logits = [answer_logits(teacher, row).tolist() for row in rows]
    lines = [f'  "rows": {json.dumps(rows)}', f'  "teacherLogits": {json.dumps(logits)}', f'  "cases": {json.dumps(cases)}']
    (into / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[4] / "test" / "model" / "golden"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
