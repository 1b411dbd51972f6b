"""Losses, gradients and a few optimizer steps of a golden adapter, by torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from safetensors.torch import save_file

from . import preference
from .log_probs import answer_log_probs
from .models import VOCABULARY, lora_tensors

ADAMW = {
    "learningRate": 1e-2,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-8,
    "weightDecay": 0.01,
    "gradClip": 1.0,
    "steps": 5,
}


def random_ids(generator: torch.Generator, length: int) -> list[int]:
    """Token ids beyond the special ones."""
    return torch.randint(4, VOCABULARY, (length,), generator=generator).tolist()


def training_values(peft: PeftModel, folder: Path, seed: int) -> dict[str, Any]:
    """Supervised loss and gradients, preference losses and gradients, and AdamW's first steps; changes the adapter."""
    generator = torch.Generator().manual_seed(seed)
    rows = [
        {"prompt": random_ids(generator, p), "answer": random_ids(generator, a)}
        for p, a in ((9, 3), (4, 6), (14, 1), (6, 8))
    ]
    peft.zero_grad()
    loss = _supervised(peft, rows)
    loss.backward()
    save_file(lora_tensors(peft, gradients=True), folder / "gradients.safetensors")
    objectives = _preference_values(peft, folder, generator)
    return {
        "rows": rows,
        "loss": loss.item(),
        "gradients": "gradients.safetensors",
        "preference": objectives,
        "adamw": _adamw(peft, rows, folder),
    }


def _supervised(peft: PeftModel, rows: list[dict[str, list[int]]]) -> torch.Tensor:
    return -torch.cat([answer_log_probs(peft, row["prompt"], row["answer"]) for row in rows]).mean()


def _adamw(peft: PeftModel, rows: list[dict[str, list[int]]], folder: Path) -> dict[str, Any]:
    parameters = [weight for name, weight in peft.named_parameters() if "lora_" in name]
    optimizer = torch.optim.AdamW(
        parameters,
        lr=ADAMW["learningRate"],
        betas=(ADAMW["beta1"], ADAMW["beta2"]),
        eps=ADAMW["epsilon"],
        weight_decay=ADAMW["weightDecay"],
        foreach=False,
    )
    losses, norms = [], []
    for _ in range(int(ADAMW["steps"])):
        optimizer.zero_grad()
        loss = _supervised(peft, rows)
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(parameters, ADAMW["gradClip"]).item())
        losses.append(loss.item())
        optimizer.step()
    save_file(lora_tensors(peft), folder / "after-adamw.safetensors")
    return ADAMW | {"losses": losses, "gradNorms": norms, "after": "after-adamw.safetensors"}


def _preference_values(peft: PeftModel, folder: Path, generator: torch.Generator) -> list[dict[str, Any]]:
    pairs = [
        {"prompt": random_ids(generator, p), "chosen": random_ids(generator, c), "rejected": random_ids(generator, r)}
        for p, c, r in ((8, 4, 6), (5, 7, 2), (12, 1, 3))
    ]
    singles = [
        {"prompt": random_ids(generator, p), "completion": random_ids(generator, c), "label": label}
        for p, c, label in ((8, 4, True), (5, 7, False), (12, 1, False), (6, 5, True))
    ]
    values = []
    for objective in ("dpo", "simpo", "orpo"):
        settings = {"dpo": {"beta": 0.1}, "simpo": {"beta": 2.0, "gamma": 1.0}, "orpo": {"lambda": 0.1}}[objective]
        losses = _pair_losses(peft, objective, pairs, settings)
        values.append(
            {"objective": objective, **settings, "rows": pairs, **_gradients(peft, losses, folder, objective)}
        )
    losses, kl = _kto_losses(peft, singles)
    values.append(
        {"objective": "kto", "beta": 0.1, "kl": kl, "rows": singles, **_gradients(peft, losses, folder, "kto")}
    )
    return values


def _gradients(peft: PeftModel, losses: torch.Tensor, folder: Path, objective: str) -> dict[str, Any]:
    peft.zero_grad()
    losses.mean().backward()
    save_file(lora_tensors(peft, gradients=True), folder / f"{objective}.safetensors")
    return {"losses": losses.tolist(), "loss": losses.mean().item(), "gradients": f"{objective}.safetensors"}


def _pair_losses(
    peft: PeftModel, objective: str, pairs: list[dict[str, list[int]]], settings: dict[str, float]
) -> torch.Tensor:
    w = [answer_log_probs(peft, row["prompt"], row["chosen"]) for row in pairs]
    l = [answer_log_probs(peft, row["prompt"], row["rejected"]) for row in pairs]
    if objective == "dpo":
        with torch.no_grad(), peft.disable_adapter():
            ref_w = torch.stack([answer_log_probs(peft, row["prompt"], row["chosen"]).sum() for row in pairs])
            ref_l = torch.stack([answer_log_probs(peft, row["prompt"], row["rejected"]).sum() for row in pairs])
        return preference.dpo(_sums(w), _sums(l), ref_w, ref_l, settings["beta"])
    if objective == "simpo":
        return preference.simpo(_means(w), _means(l), settings["beta"], settings["gamma"])
    return preference.orpo(_means(w), _means(l), settings["lambda"])


def _kto_losses(peft: PeftModel, rows: list[dict[str, Any]]) -> tuple[torch.Tensor, float]:
    """Losses, and the KL estimate: answers moved on by one row, as trl does, mean log ratio, not below zero."""
    log_probs = torch.stack([answer_log_probs(peft, row["prompt"], row["completion"]).sum() for row in rows])
    moved = [(row["prompt"], rows[index - 1]["completion"]) for index, row in enumerate(rows)]
    with torch.no_grad():
        policy = torch.stack([answer_log_probs(peft, prompt, answer).sum() for prompt, answer in moved])
        with peft.disable_adapter():
            reference = torch.stack([answer_log_probs(peft, prompt, answer).sum() for prompt, answer in moved])
            own = torch.stack([answer_log_probs(peft, row["prompt"], row["completion"]).sum() for row in rows])
    kl = max(0.0, (policy - reference).mean().item())
    labels = torch.tensor([row["label"] for row in rows])
    return preference.kto(log_probs, own, labels, kl, 0.1, (1.0, 1.0)), kl


def _sums(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([row.sum() for row in rows])


def _means(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([row.mean() for row in rows])
