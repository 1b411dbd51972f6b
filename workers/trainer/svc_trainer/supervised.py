"""Supervised training and distillation: cross-entropy at the answers' tokens, rows weighted."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from peft import PeftModel
from transformers import Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import EvalLoopOutput

from .base import Base
from .document import Row
from .failures import FitError
from .optimizer import Optimizers
from .sampler import LengthGroupedOrder

_IGNORED = -100


class SupervisedTrainer(Trainer):
    """Loss of a batch = sum over rows of weight * -log p(answer), divided by the weighted number of answer tokens."""

    _right = 0.0
    _looked_at = 0.0

    def evaluation_loop(self, *args: Any, **kwargs: Any) -> EvalLoopOutput:
        """The looks of early stopping: beside the loss the risk, 1 - the weighted mean of p(answer)."""
        self._right = self._looked_at = 0.0
        output = super().evaluation_loop(*args, **kwargs)
        output.metrics["eval_risk"] = 1 - self._right / self._looked_at
        return output

    def _get_train_sampler(self, train_dataset: Any = None) -> LengthGroupedOrder:
        examples: Any = self.train_dataset if train_dataset is None else train_dataset
        lengths = [len(example["input_ids"]) for example in examples]
        return LengthGroupedOrder(lengths, self.args.per_device_train_batch_size, self.args.seed)

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,  # noqa: ARG002
    ) -> Any:
        weights, row_ids, labels = inputs["weights"], inputs["row_ids"], inputs["labels"][:, 1:]
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False)
        logits = outputs.logits[:, :-1].float()
        losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none", ignore_index=_IGNORED).sum(1)
        wrong = [row_id for row_id, loss in zip(row_ids, losses.tolist(), strict=True) if loss != loss]
        if wrong:
            step = self.state.global_step + 1
            raise FitError("training_diverged", f"the loss is not a number at step {step}, rows {', '.join(wrong[:5])}")
        if not model.training:
            self._right += float((weights * torch.exp(-losses)).sum())
            self._looked_at += float(weights.sum())
        loss = (weights * losses).sum() / (weights * (labels != _IGNORED).sum(1)).sum()
        return (loss, outputs) if return_outputs else loss


def supervised_trainer(
    base: Base,
    model: PeftModel,
    rows: list[Row],
    validation: list[Row],
    arguments: dict[str, Any],
    optimizers: Optimizers,
    callbacks: list[TrainerCallback],
) -> Trainer:
    """A trainer over prompts and answers."""
    trainer = SupervisedTrainer(
        model=model,
        args=TrainingArguments(**arguments, label_names=["labels"]),
        train_dataset=_examples(rows),
        eval_dataset=_examples(validation) or None,
        data_collator=lambda examples: _collate(examples, base.tokenizer.pad_token_id),
        optimizers=optimizers,
        callbacks=callbacks,
    )
    # The loss above is a mean already, so that accumulation has to divide it.
    trainer.model_accepts_loss_kwargs = False
    return trainer


def _examples(rows: list[Row]) -> Any:
    return [
        {"input_ids": row.prompt + row.answer, "answer": len(row.answer), "weight": row.weight, "id": row.id}
        for row in rows
    ]


def _collate(examples: list[dict[str, Any]], pad_id: int) -> dict[str, Any]:
    longest = max(len(example["input_ids"]) for example in examples)
    input_ids, labels, mask = [], [], []
    for example in examples:
        ids, answer = example["input_ids"], example["answer"]
        padding = longest - len(ids)
        input_ids.append(ids + [pad_id] * padding)
        labels.append([_IGNORED] * (len(ids) - answer) + ids[-answer:] + [_IGNORED] * padding)
        mask.append([1] * len(ids) + [0] * padding)
    return {
        "input_ids": torch.tensor(input_ids),
        "labels": torch.tensor(labels),
        "attention_mask": torch.tensor(mask),
        "weights": torch.tensor([example["weight"] for example in examples], dtype=torch.float32),
        "row_ids": [example["id"] for example in examples],
    }
