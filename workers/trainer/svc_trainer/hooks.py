"""What a fit tells its caller while it runs, and what it gives in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Progress:
    """Where a fit is; the names are the ones of the embedded trainer's telemetry."""

    step: int
    steps: int
    #: From 1.
    epoch: int
    loss: float | None
    validation_loss: float | None
    learning_rate: float | None
    tokens_per_second: float
    eta_seconds: float

    def details(self) -> dict[str, Any]:
        """As a heartbeat carries it."""
        return {
            "step": self.step,
            "steps": self.steps,
            "epoch": self.epoch,
            "loss": self.loss,
            "validationLoss": self.validation_loss,
            "learningRate": self.learning_rate,
            "tokensPerSecond": self.tokens_per_second,
            "etaSeconds": self.eta_seconds,
        }


class FitHooks(Protocol):
    """Called on the thread that trains, between two steps."""

    def on_progress(self, progress: Progress) -> None:
        """After every optimizer step."""

    def on_checkpoint(self, data: bytes, step: int) -> None:
        """With all that is needed to go on from `step`."""

    def should_stop(self) -> bool:
        """Whether to write a checkpoint and end; asked after every step."""


@dataclass
class History:
    """How a fit went, as the embedded trainer writes it.

    `steps` of {step, epoch, loss, learningRate, gradientNorm}: epochs from 1, norms before clipping; `validation` of
    {step, loss, risk}: what early stopping compares is the risk.
    """

    steps: list[dict[str, Any]] = field(default_factory=list)
    validation: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class FitResult:
    """The three files of a fit, and the facts that its caller shows."""

    adapter_config: bytes
    adapter_model: bytes
    training: bytes
    steps: int
    best_step: int
    stopped_early: bool
    loss: float
    validation_loss: float | None
    tokens_per_second: float
