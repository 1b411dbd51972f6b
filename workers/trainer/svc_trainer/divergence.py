"""Distillation of token distributions: `gkd` by trl's GKDTrainer, and `kd` from distributions that rows bring.

Loss of a batch = mean over its answer tokens of the generalized Jensen-Shannon divergence of the student from the
teacher (Agarwal et al., "On-Policy Distillation of Language Models", 2024). As in trl, the temperature of `gkd` is that
of the student's own answers, and the divergence is taken at temperature 1.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
import torch.nn.functional as F  # noqa: N812
from datasets import Dataset
from datasets.utils.logging import disable_progress_bar
from peft import PeftModel
from transformers import Trainer, TrainerCallback, TrainingArguments
from trl.experimental.gkd import GKDConfig, GKDTrainer

from .adapter import open_adapter
from .base import Base, load_base
from .document import Objective, Row, Teacher
from .failures import FitError
from .hooks import OnPolicyCounts
from .optimizer import Optimizers

_IGNORED: Final = -100
#: The least that a teacher gives to all tokens that it does not name: the rounding of its probabilities.
_LEAST_REST: Final = 1e-9


class TokenGKDTrainer(GKDTrainer):
    """`GKDTrainer` over ids. Choice and answers of a step follow from the seed and its number alone."""

    counts: OnPolicyCounts
    share = 0.0
    answer_seed = 0
    warmup = 0.0
    _is_taught = True
    _step = -1
    _batch = 0

    def training_step(
        self, model: torch.nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        step = self.state.global_step + 1
        self._batch = self._batch + 1 if step == self._step else 0
        self._step = step
        source = random.Random(f"answers of step {step} under {self.answer_seed}")
        self._is_taught = step > math.ceil(self.warmup * self.state.max_steps)
        is_on_policy = self._is_taught and source.random() < self.share
        # trl draws a number from 0 to 1 and compares it with this.
        self.lmbda = 1.0 if is_on_policy else -1.0
        self.counts.add(rows=len(inputs["input_ids"]), answered=is_on_policy)
        devices = [model.device] if model.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(source.getrandbits(48) + self._batch)
            return super().training_step(model, inputs, num_items_in_batch)

    def compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if self._is_taught or not model.training:
            return super().compute_loss(model, inputs, *args, **kwargs)
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False)
        logits = outputs.logits[:, :-1].float()
        return F.cross_entropy(logits.transpose(1, 2), inputs["labels"][:, 1:], ignore_index=_IGNORED)


class TaughtTrainer(Trainer):
    """The divergence from distributions that rows bring along, of the whole vocabulary or of the likeliest tokens."""

    objective: Objective

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,  # noqa: ARG002
    ) -> Any:
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"], use_cache=False)
        student = outputs.logits[:, :-1].float()[inputs["labels"][:, 1:] != _IGNORED]
        beta, temperature = self.objective.beta, self.objective.temperature
        teacher, ids = inputs["teacher_log_probs"], inputs["teacher_ids"]
        if ids is not None:
            student, temperature = top_log_probs(student, ids), 1.0
            teacher = with_rest(teacher)
        # The mean is over the first axis, that of the answer tokens.
        loss = GKDTrainer.generalized_jsd_loss(student, teacher, beta=beta, temperature=temperature)
        return (loss, outputs) if return_outputs else loss


def top_log_probs(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the tokens `ids` [n, k], and of all others together, [n, k + 1]."""
    log_probs = logits.log_softmax(-1)
    others = log_probs.scatter(1, ids, float("-inf"))
    return torch.cat([log_probs.gather(1, ids), others.logsumexp(1, keepdim=True)], dim=1)


def with_rest(log_probs: torch.Tensor) -> torch.Tensor:
    """A teacher's log-probabilities [n, k] with that of all other tokens, [n, k + 1]."""
    rest = (1 - log_probs.double().exp().sum(1, keepdim=True)).clamp_min(_LEAST_REST).log()
    return torch.cat([log_probs, rest.to(log_probs.dtype)], dim=1)


def load_teacher(teacher: Teacher, folders: Sequence[Path], device: torch.device, student: Base) -> torch.nn.Module:
    """Loads the teacher of a document. Raises `FitError`, with `teacher_vocab_mismatch` for another vocabulary."""
    base = load_base(teacher.base_name, teacher.weights_hash, folders, device)
    if base.tokenizer.get_vocab() != student.tokenizer.get_vocab():
        raise FitError("teacher_vocab_mismatch", f"the vocabulary of {base.name} is not that of {student.name}")
    if teacher.adapter is None:
        return base.model.eval()
    return open_adapter(base.model, teacher.adapter).eval()


def gkd_trainer(
    objective: Objective,
    seed: int,
    base: Base,
    model: PeftModel,
    teacher: torch.nn.Module,
    rows: list[Row],
    validation: list[Row],
    arguments: dict[str, Any],
    optimizers: Optimizers,
    callbacks: list[TrainerCallback],
    counts: OnPolicyCounts,
) -> Trainer:
    """A trainer with a teacher that reads the answers."""
    disable_progress_bar()
    pad = base.tokenizer.pad_token_id
    trainer = TokenGKDTrainer(
        model=model,
        teacher_model=teacher,
        args=GKDConfig(
            **arguments,
            beta=objective.beta,
            lmbda=objective.lmbda,
            temperature=objective.temperature,
            max_new_tokens=objective.max_new_tokens,
            gradient_checkpointing=False,
        ),
        train_dataset=_columns(rows),
        eval_dataset=_columns(validation) if validation else None,
        data_collator=lambda examples: _collate_prompts(examples, pad),
        processing_class=base.tokenizer,
        optimizers=optimizers,
        callbacks=callbacks,
    )
    trainer.counts, trainer.share, trainer.answer_seed = counts, objective.lmbda, seed
    trainer.warmup = objective.warmup
    # The mean over the tokens of a batch as it is trained, the student's own answers included.
    trainer.model_accepts_loss_kwargs = False
    return trainer


def kd_trainer(
    objective: Objective,
    base: Base,
    model: PeftModel,
    rows: list[Row],
    validation: list[Row],
    arguments: dict[str, Any],
    optimizers: Optimizers,
    callbacks: list[TrainerCallback],
) -> Trainer:
    """A trainer over rows with the distributions of a teacher."""
    _check_forms([*rows, *validation], base)
    trainer = TaughtTrainer(
        model=model,
        args=TrainingArguments(**arguments, label_names=["labels"]),
        train_dataset=rows,  # type: ignore[arg-type]
        eval_dataset=validation or None,  # type: ignore[arg-type]
        data_collator=lambda batch: collate_taught(batch, base.tokenizer.pad_token_id),
        optimizers=optimizers,
        callbacks=callbacks,
    )
    trainer.objective = objective
    trainer.model_accepts_loss_kwargs = False
    return trainer


def _check_forms(rows: list[Row], base: Base) -> None:
    """All rows name the whole vocabulary, or the same number of likeliest tokens of it."""
    vocabulary = base.model.config.vocab_size
    first = rows[0].teacher
    for row in rows:
        if row.teacher is None or first is None:
            raise FitError("validation_failed", f"row {row.id} has no distributions of a teacher")
        ids = row.teacher.ids
        if row.teacher.k != first.k or (ids is None) != (first.ids is None):
            raise FitError("validation_failed", f"row {row.id} has distributions of another form than those before it")
        if (ids is None and row.teacher.k != vocabulary) or (ids is not None and max(ids) >= vocabulary):
            raise FitError("validation_failed", f"row {row.id} has distributions over other tokens than {base.name}")


def _columns(rows: list[Row]) -> Dataset:
    return Dataset.from_list([{"prompt_ids": row.prompt, "answer_ids": row.answer} for row in rows])


def _collate_prompts(examples: list[dict[str, Any]], pad_id: int) -> dict[str, torch.Tensor]:
    """The columns of trl's collator for chats: rows and prompts alone, both padded on the left."""
    rows = [example["prompt_ids"] + example["answer_ids"] for example in examples]
    prompts = [example["prompt_ids"] for example in examples]
    labels = [[_IGNORED] * len(example["prompt_ids"]) + example["answer_ids"] for example in examples]
    return {
        "input_ids": _padded(rows, pad_id),
        "attention_mask": _padded([[1] * len(row) for row in rows], 0),
        "labels": _padded(labels, _IGNORED),
        "prompts": _padded(prompts, pad_id),
        "prompt_attention_mask": _padded([[1] * len(prompt) for prompt in prompts], 0),
    }


def _padded(rows: list[list[int]], value: int) -> torch.Tensor:
    longest = max(len(row) for row in rows)
    return torch.tensor([[value] * (longest - len(row)) + row for row in rows])


def collate_taught(batch: list[Row], pad_id: int) -> dict[str, Any]:
    """Rows padded on the right, and the distributions of all their answer tokens one after another."""
    longest = max(len(row.prompt) + len(row.answer) for row in batch)
    input_ids, labels, mask = [], [], []
    for row in batch:
        ids = row.prompt + row.answer
        padding = longest - len(ids)
        input_ids.append(ids + [pad_id] * padding)
        labels.append([_IGNORED] * len(row.prompt) + row.answer + [_IGNORED] * padding)
        mask.append([1] * len(ids) + [0] * padding)
    taught = [row.teacher for row in batch if row.teacher is not None]
    k = taught[0].k
    tokens = [token for teacher in taught for token in teacher.ids or []]
    return {
        "input_ids": torch.tensor(input_ids),
        "labels": torch.tensor(labels),
        "attention_mask": torch.tensor(mask),
        "teacher_ids": torch.tensor(tokens).view(-1, k) if tokens else None,
        "teacher_log_probs": torch.tensor([value for teacher in taught for value in teacher.log_probs]).view(-1, k),
    }
