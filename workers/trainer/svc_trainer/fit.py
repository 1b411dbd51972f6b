"""One fit, from the document to the files of the adapter."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import logging
import platform
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import PrinterCallback, Trainer

from .adapter import adapter_files, add_adapter
from .arguments import Plan, common_arguments, plan_steps
from .base import Base, load_base
from .checkpoint import unpack_folder
from .divergence import gkd_trainer, kd_trainer, load_teacher
from .document import FitDocument
from .failures import FitError, FitInterruptedError
from .hooks import FitHooks, FitResult
from .monitor import Monitor
from .optimizer import learning_rate_at, make_optimizers
from .preference import preference_trainer
from .supervised import supervised_trainer

_log = logging.getLogger("svc_trainer")

_LIBRARIES = ("torch", "transformers", "peft", "trl", "accelerate", "safetensors")


def fit_adapter(
    document: FitDocument,
    bases_folders: Sequence[Path],
    hooks: FitHooks,
    *,
    checkpoint: bytes | None = None,
    seconds_between_checkpoints: float = 60.0,
) -> FitResult:
    """Trains an adapter; with a checkpoint of the same document it goes on from there.

    The weights with the lowest risk of the validation rows win when there are any, else the last ones. Raises
    `FitError`, and `FitInterruptedError` after `hooks.should_stop` said so and the last checkpoint is out.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = load_base(document.base_name, document.weights_hash, bases_folders, device)
    _check_ids(document, base)
    model = add_adapter(base, document.hyperparameters, document.start)
    plan = plan_steps(document)
    monitor = Monitor(
        hooks,
        tokens_per_epoch=sum(row.tokens for row in document.rows),
        patience=document.hyperparameters.patience,
        learning_rate_of=lambda step: learning_rate_at(step, plan.steps, document.hyperparameters),
        seconds_between_checkpoints=seconds_between_checkpoints,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        teacher = None if document.teacher is None else load_teacher(document.teacher, bases_folders, device, base)
        trainer = _trainer(document, base, model, teacher, plan, monitor, folder)
        trainer.remove_callback(PrinterCallback)
        _train(trainer, monitor, folder, checkpoint)
    if monitor.is_interrupted:
        raise FitInterruptedError
    monitor.restore_best(model)
    return _result(document, base, model, trainer, monitor, device)


def _check_ids(document: FitDocument, base: Base) -> None:
    """Checks token ids: ones beyond the vocabulary would read invalid memory on a GPU."""
    vocabulary = base.model.config.vocab_size
    for row in (*document.rows, *document.validation):
        if max(*row.prompt, *row.answer, *(row.rejected or ())) >= vocabulary:
            raise FitError("validation_failed", f"row {row.id} has token ids that {base.name} does not know")


def _trainer(
    document: FitDocument,
    base: Base,
    model: PeftModel,
    teacher: torch.nn.Module | None,
    plan: Plan,
    monitor: Monitor,
    folder: Path,
) -> Trainer:
    hyperparameters = document.hyperparameters
    arguments = common_arguments(hyperparameters, plan, document.validation, folder)
    rows, validation = document.rows, document.validation
    optimizers = make_optimizers(model, hyperparameters, plan.steps)
    objective = hyperparameters.objective
    if objective.kind in {"supervised", "distillation"}:
        return supervised_trainer(base, model, rows, validation, arguments, optimizers, [monitor])
    if objective.kind == "kd":
        return kd_trainer(objective, base, model, rows, validation, arguments, optimizers, [monitor])
    if teacher is not None:
        return gkd_trainer(
            objective,
            hyperparameters.seed,
            base,
            model,
            teacher,
            rows,
            validation,
            arguments,
            optimizers,
            [monitor],
            monitor.on_policy,
        )
    return preference_trainer(objective, base, model, rows, validation, arguments, optimizers, [monitor])


def _train(trainer: Trainer, monitor: Monitor, folder: Path, checkpoint: bytes | None) -> None:
    if checkpoint is None:
        trainer.train()
        return
    resumed = folder / "resumed"
    unpack_folder(checkpoint, resumed)
    monitor.resume(resumed)
    _log.info("goes on from step %d", len(monitor.history.steps))
    trainer.train(resume_from_checkpoint=str(resumed))


def _result(
    document: FitDocument, base: Base, model: PeftModel, trainer: Trainer, monitor: Monitor, device: torch.device
) -> FitResult:
    steps = trainer.state.global_step
    best_step = monitor.best_step if monitor.best_step is not None else steps
    tokens_per_second = monitor.tokens_per_second(trainer.state.epoch or 0.0)
    loss = monitor.history.steps[best_step - 1]["loss"]
    adapter_config, adapter_model = adapter_files(model, document.base_name)
    training: dict[str, Any] = {
        "trainer": "peft",
        "base": {"name": base.name, "weightsHash": document.weights_hash},
        "objective": document.hyperparameters.objective.kind,
        "hyperparameters": document.raw_hyperparameters,
        "history": dataclasses.asdict(monitor.history),
        "steps": steps,
        "bestStep": best_step,
        "stoppedEarly": monitor.is_stopped_early,
        "rows": {"train": len(document.rows), "validation": len(document.validation)},
        "tokensPerSecond": tokens_per_second,
        "usefulTokens": round(sum(row.tokens for row in document.rows) * (trainer.state.epoch or 0.0)),
        "seconds": monitor.seconds,
        **({} if monitor.on_policy.share is None else {"onPolicyShare": monitor.on_policy.share}),
        "device": torch.cuda.get_device_name() if device.type == "cuda" else f"cpu, {torch.get_num_threads()} threads",
        "versions": {"python": platform.python_version()}
        | {library: importlib.metadata.version(library) for library in _LIBRARIES},
    }
    return FitResult(
        adapter_config=adapter_config,
        adapter_model=adapter_model,
        training=(json.dumps(training, indent=2, sort_keys=True) + "\n").encode(),
        steps=steps,
        best_step=best_step,
        stopped_early=monitor.is_stopped_early,
        loss=loss,
        validation_loss=monitor.validation_loss,
        tokens_per_second=tokens_per_second,
    )
