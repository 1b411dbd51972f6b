"""Reports of a fit to its caller while it runs, and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Progress:
    """Progress of a fit; the names are those of the embedded trainer's telemetry."""

    step: int
    steps: int
    #: From 1.
    epoch: int
    loss: float | None
    validation_loss: float | None
    learning_rate: float | None
    tokens_per_second: float
    eta_seconds: float
    #: Of on-policy training: the share of rows so far that the student answered itself.
    on_policy_share: float | None = None
    #: The newest measurements on the validation rows, of the form of `History.validation`.
    validations: list[dict[str, Any]] = field(default_factory=list)

    def details(self) -> dict[str, Any]:
        """Returns it in the form of a heartbeat."""
        return {
            "step": self.step,
            "steps": self.steps,
            "epoch": self.epoch,
            "loss": self.loss,
            "validationLoss": self.validation_loss,
            "learningRate": self.learning_rate,
            "tokensPerSecond": self.tokens_per_second,
            "etaSeconds": self.eta_seconds,
            "validations": self.validations,
            **({} if self.on_policy_share is None else {"onPolicyShare": self.on_policy_share}),
        }


class FitHooks(Protocol):
    """Callbacks on the training thread, between two steps."""

    def on_progress(self, progress: Progress) -> None:
        """After every optimizer step."""

    def on_checkpoint(self, data: bytes, step: int) -> None:
        """Receives everything needed to resume from `step`."""

    def should_stop(self) -> bool:
        """Returns true to write a checkpoint and stop; called after every step."""


@dataclass
class OnPolicyCounts:
    """Rows that were trained, and those among them whose answer the student wrote."""

    rows: int = 0
    answered: int = 0

    def add(self, *, rows: int, answered: bool) -> None:
        self.rows += rows
        self.answered += rows if answered else 0

    @property
    def share(self) -> float | None:
        """Returns the share of the student's own answers; None for training that is never on-policy."""
        return self.answered / self.rows if self.rows > 0 else None


@dataclass
class History:
    """The training report, as the embedded trainer writes it.

    `steps` of {step, epoch, loss, learningRate, gradientNorm}: epochs from 1, norms before clipping; `validation` of
    {step, loss, risk, accuracy}: what early stopping compares is the risk; the accuracy is the expected share of right
    answers when they are sampled, None where the objective has none.
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
