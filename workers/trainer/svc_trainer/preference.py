"""Preference objectives by trl's trainers, which here take token ids instead of texts.

dpo: DPOTrainer; simpo: CPOTrainer with its loss `simpo`; orpo: ORPOTrainer; kto: KTOTrainer. The reference policy of
dpo and kto is the base without the adapter.
"""

from __future__ import annotations

from typing import Any

import torch
from datasets import Dataset
from datasets.utils.logging import disable_progress_bar
from peft import PeftModel
from transformers import Trainer, TrainerCallback
from trl.experimental.cpo import CPOConfig, CPOTrainer
from trl.experimental.orpo import ORPOConfig, ORPOTrainer
from trl.trainer.dpo_config import DPOConfig
from trl.trainer.dpo_trainer import DPOTrainer
from trl.trainer.kto_config import KTOConfig
from trl.trainer.kto_trainer import KTOTrainer

from .base import Base
from .document import Objective, Row
from .optimizer import Optimizers

_IGNORED = -100


class TokenDPOTrainer(DPOTrainer):
    """`DPOTrainer` over columns that already hold ids."""

    def _prepare_dataset(self, dataset: Dataset, *_: Any, **__: Any) -> Dataset:
        return dataset


class TokenKTOTrainer(KTOTrainer):
    """`KTOTrainer` over columns that already hold ids, the mismatched answers of its estimate included."""

    def _prepare_dataset(self, dataset: Dataset, *_: Any, **__: Any) -> Dataset:
        return dataset


class _TokenPairs:
    """Makes the columns that CPO's and ORPO's collator expects."""

    def tokenize_row(self, feature: dict[str, Any], model: Any = None) -> dict[str, Any]:  # noqa: ARG002
        prompt = feature["prompt_ids"]
        columns: dict[str, Any] = {"prompt_input_ids": prompt, "prompt_attention_mask": [1] * len(prompt)}
        for side in ("chosen", "rejected"):
            answer = feature[f"{side}_ids"]
            columns[f"{side}_input_ids"] = prompt + answer
            columns[f"{side}_attention_mask"] = [1] * (len(prompt) + len(answer))
            columns[f"{side}_labels"] = [_IGNORED] * len(prompt) + answer
        return columns


class TokenCPOTrainer(_TokenPairs, CPOTrainer):
    """`CPOTrainer` over ids."""


class TokenORPOTrainer(_TokenPairs, ORPOTrainer):
    """`ORPOTrainer` over ids whose likelihood term is over answers alone, row by row; trl's counts prompts as well."""

    def concatenated_forward(self, model: torch.nn.Module, batch: dict[str, Any]) -> tuple[Any, ...]:
        forward = super().concatenated_forward(model, batch)
        mean_log_probs_of_chosen = forward[0]
        return (*forward[:4], -mean_log_probs_of_chosen.mean(), *forward[5:])


def preference_trainer(
    objective: Objective,
    base: Base,
    model: PeftModel,
    rows: list[Row],
    validation: list[Row],
    arguments: dict[str, Any],
    optimizers: Optimizers,
    callbacks: list[TrainerCallback],
) -> Trainer:
    """Returns the trl trainer of an objective."""
    longest = max(len(row.prompt) + max(len(row.answer), len(row.rejected or ())) for row in (*rows, *validation))
    # No truncation: the document's rows are within its length already.
    trainer_class, config = _trainer_of(objective, arguments | {"max_length": longest + 1})
    columns = _kto_columns if objective.kind == "kto" else _pair_columns
    batch = arguments["per_device_train_batch_size"]
    disable_progress_bar()
    return trainer_class(
        model=model,
        args=config,
        train_dataset=columns(rows, batch),
        eval_dataset=columns(validation, batch) if validation else None,
        processing_class=base.tokenizer,
        optimizers=optimizers,
        callbacks=callbacks,
    )


def _trainer_of(objective: Objective, arguments: dict[str, Any]) -> tuple[type[Trainer], Any]:
    if objective.kind == "dpo":
        return TokenDPOTrainer, DPOConfig(**arguments, beta=objective.beta)
    if objective.kind == "simpo":
        gamma = objective.gamma_beta_ratio * objective.beta
        settings: dict[str, Any] = {"loss_type": "simpo", "simpo_gamma": gamma, "cpo_alpha": 0.0}
        return TokenCPOTrainer, CPOConfig(**arguments, **settings, beta=objective.beta)
    if objective.kind == "orpo":
        return TokenORPOTrainer, ORPOConfig(**arguments, beta=objective.odds_weight)
    return TokenKTOTrainer, KTOConfig(
        **arguments,
        beta=objective.beta,
        desirable_weight=objective.desirable_weight,
        undesirable_weight=objective.undesirable_weight,
        # The mismatched answers belong to their batch, so its rows have to stay together.
        train_sampling_strategy="sequential",
    )


def _pair_columns(rows: list[Row], _: int) -> Dataset:
    return Dataset.from_list(
        [{"prompt_ids": row.prompt, "chosen_ids": row.answer, "rejected_ids": row.rejected} for row in rows]
    )


def _kto_columns(rows: list[Row], batch: int) -> Dataset:
    """Within each batch the answers move on by one row: (x1, y1), (x2, y2) gives (x1, y2), (x2, y1)."""
    columns = []
    for start in range(0, len(rows), batch):
        together = rows[start : start + batch]
        for index, row in enumerate(together):
            columns.append(
                {
                    "prompt_ids": row.prompt,
                    "completion_ids": row.answer,
                    "KL_completion_ids": together[index - 1].answer,
                    "label": row.is_desirable,
                }
            )
    return Dataset.from_list(columns)
