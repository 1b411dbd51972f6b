"""Monitoring of a running trainer: progress, checkpoints, validation, early stopping, divergence."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from .adapter import adapter_state, restore_adapter
from .checkpoint import pack_folder
from .failures import FitError
from .hooks import FitHooks, History, OnPolicyCounts, Progress

_RECORD = "fit.json"
_BEST = "best.safetensors"
#: Measurements on the validation rows that a report lists at most.
_MOST_LOOKS = 200


class Monitor(TrainerCallback):
    """Follows one fit. Checkpoints go by the clock, so that a slow base loses no more time than a fast one."""

    def __init__(
        self,
        hooks: FitHooks,
        *,
        tokens_per_epoch: int,
        patience: int,
        learning_rate_of: Callable[[int], float],
        seconds_between_checkpoints: float,
    ) -> None:
        self.history = History()
        self.on_policy = OnPolicyCounts()
        self.best_step: int | None = None
        self.is_stopped_early = False
        self.is_interrupted = False
        self.seconds = 0.0
        self._hooks = hooks
        self._tokens_per_epoch = tokens_per_epoch
        self._patience = patience
        self._learning_rate_of = learning_rate_of
        self._seconds_between_checkpoints = seconds_between_checkpoints
        self._best_risk = math.inf
        self._best_adapter: dict[str, torch.Tensor] = {}
        self._evaluations_without_gain = 0
        self._began = self._saved = time.monotonic()
        self._seconds_before = 0.0
        self._steps_before = 0

    def resume(self, folder: Path) -> None:
        """Restores the state of an earlier attempt from a checkpoint's folder. Raises `invalid_checkpoint`."""
        try:
            record = json.loads((folder / _RECORD).read_text())
            self.history = History(**record["history"])
            self.best_step = record["bestStep"]
            self.on_policy.rows, self.on_policy.answered = record["onPolicy"]
            self._best_risk = math.inf if record["bestRisk"] is None else record["bestRisk"]
            self._evaluations_without_gain = record["evaluationsWithoutGain"]
            self._steps_before = len(self.history.steps)
            self.seconds = self._seconds_before = record["seconds"]
            if self.best_step is not None:
                self._best_adapter = load_file(folder / _BEST)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FitError("invalid_checkpoint", "the checkpoint was not written by this trainer") from error

    def restore_best(self, model: PeftModel) -> None:
        """Restores the weights with the lowest risk on the validation rows, when there was a validation."""
        if self._best_adapter:
            restore_adapter(model, self._best_adapter)

    @property
    def validation_loss(self) -> float | None:
        """Validation loss of the weights with the lowest risk so far."""
        return next((look["loss"] for look in self.history.validation if look["step"] == self.best_step), None)

    def tokens_per_second(self, epoch: float) -> float:
        """Useful tokens, padding not counted, over all attempts."""
        return self._tokens_per_epoch * epoch / self.seconds if self.seconds > 0 else 0.0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self._began = self._saved = time.monotonic()

    def on_log(  # type: ignore[override]
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs: dict[str, Any], **_: Any
    ) -> None:
        if "loss" not in logs:
            return
        loss, norm = float(logs["loss"]), float(logs["grad_norm"])
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise FitError("training_diverged", f"loss or gradients are not finite at step {state.global_step}")
        learning_rate = self._learning_rate_of(state.global_step)
        self.history.steps.append(
            {
                "step": state.global_step,
                "epoch": math.ceil(state.epoch or 0),
                "loss": loss,
                "learningRate": learning_rate,
                "gradientNorm": norm,
            }
        )
        self._hooks.on_progress(self._progress(state, loss, learning_rate))

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        now = time.monotonic()
        self.seconds = self._seconds_before + now - self._began
        if self._hooks.should_stop():
            self.is_interrupted = control.should_save = control.should_training_stop = True
        elif now - self._saved >= self._seconds_between_checkpoints:
            control.should_save = True

    def on_evaluate(  # type: ignore[override]
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float],
        model: PeftModel,
        **_: Any,
    ) -> None:
        loss = float(metrics["eval_loss"])
        risk = float(metrics.get("eval_risk", loss))
        accuracy = 1 - risk if "eval_risk" in metrics else None
        self.history.validation.append({"step": state.global_step, "loss": loss, "risk": risk, "accuracy": accuracy})
        if risk < self._best_risk:
            self._best_risk, self.best_step = risk, state.global_step
            self._best_adapter = adapter_state(model)
            self._evaluations_without_gain = 0
            return
        self._evaluations_without_gain += 1
        if self._evaluations_without_gain >= self._patience > 0 and not control.should_training_stop:
            self.is_stopped_early = control.should_training_stop = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        folder = Path(args.output_dir or ".") / f"checkpoint-{state.global_step}"
        record = {
            "history": dataclasses.asdict(self.history),
            "bestStep": self.best_step,
            "onPolicy": [self.on_policy.rows, self.on_policy.answered],
            "bestRisk": None if math.isinf(self._best_risk) else self._best_risk,
            "evaluationsWithoutGain": self._evaluations_without_gain,
            "seconds": self.seconds,
        }
        (folder / _RECORD).write_text(json.dumps(record))
        if self._best_adapter:
            save_file(self._best_adapter, folder / _BEST)
        self._hooks.on_checkpoint(pack_folder(folder), state.global_step)
        shutil.rmtree(folder)
        self._saved = time.monotonic()

    def _progress(self, state: TrainerState, loss: float, learning_rate: float) -> Progress:
        epoch = state.epoch or 0.0
        steps_here = max(1, len(self.history.steps) - self._steps_before)
        seconds_per_step = (self.seconds - self._seconds_before) / steps_here
        return Progress(
            step=state.global_step,
            steps=state.max_steps,
            epoch=math.ceil(epoch),
            loss=loss,
            validation_loss=self.history.validation[-1]["loss"] if self.history.validation else None,
            learning_rate=learning_rate,
            tokens_per_second=self.tokens_per_second(epoch),
            eta_seconds=seconds_per_step * (state.max_steps - state.global_step),
            on_policy_share=self.on_policy.share,
            validations=self.history.validation[-_MOST_LOOKS:],
        )
