"""Hyper-parameters of the document as arguments of transformers' trainers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from .document import FitDocument, Hyperparameters, Row

_NO_LIMIT: Final = 1e30


@dataclass(frozen=True)
class Plan:
    """Division of a fit into steps."""

    rows_per_batch: int
    steps_per_epoch: int
    steps: int
    steps_between_evaluations: int


def plan_steps(document: FitDocument) -> Plan:
    """As many rows per batch as have `batchTokens` tokens on average; KTO's estimate needs two at least."""
    hyperparameters = document.hyperparameters
    rows = document.rows
    mean_tokens = sum(row.tokens for row in rows) / len(rows)
    least = 2 if hyperparameters.objective.kind == "kto" else 1
    rows_per_batch = min(len(rows), max(least, round(hyperparameters.batch_tokens / mean_tokens)))
    batches = math.ceil(len(rows) / rows_per_batch)
    steps_per_epoch = math.ceil(batches / hyperparameters.accumulation)
    steps = steps_per_epoch * hyperparameters.epochs
    return Plan(
        rows_per_batch=rows_per_batch,
        steps_per_epoch=steps_per_epoch,
        steps=min(steps, hyperparameters.max_steps or steps),
        steps_between_evaluations=max(1, steps_per_epoch // hyperparameters.evaluations_per_epoch),
    )


def common_arguments(
    hyperparameters: Hyperparameters, plan: Plan, validation: list[Row], folder: Path
) -> dict[str, Any]:
    """Arguments shared by all objectives. A callback requests checkpoints by the clock; the optimizer is given."""
    return {
        "output_dir": str(folder),
        "num_train_epochs": hyperparameters.epochs,
        # The trainers of transformers count in epochs when this is -1.
        "max_steps": -1 if hyperparameters.max_steps is None else plan.steps,
        "per_device_train_batch_size": plan.rows_per_batch,
        "per_device_eval_batch_size": plan.rows_per_batch,
        "gradient_accumulation_steps": hyperparameters.accumulation,
        # With no limit the norm is still wanted for the record.
        "max_grad_norm": hyperparameters.grad_clip or _NO_LIMIT,
        "seed": hyperparameters.seed,
        "eval_strategy": "steps" if validation else "no",
        "eval_steps": plan.steps_between_evaluations,
        "prediction_loss_only": True,
        "save_strategy": "no",
        "logging_strategy": "steps",
        "logging_steps": 1,
        # A loss that is not a number has to be seen, not averaged away.
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "remove_unused_columns": False,
        "use_cpu": not torch.cuda.is_available(),
        "bf16": torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
    }
