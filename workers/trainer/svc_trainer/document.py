"""The input document of a fit, `svc-fit/1`: JSON that the service writes and both trainers understand."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from .failures import FitError

FORMAT: Final = "svc-fit/1"

ObjectiveKind = Literal["supervised", "distillation", "dpo", "simpo", "orpo", "kto", "kd", "gkd"]
PAIR_OBJECTIVES: Final = frozenset({"dpo", "simpo", "orpo"})


@dataclass(frozen=True)
class TeacherTokens:
    """A teacher's distributions at the tokens of an answer, k numbers each, one after another."""

    k: int
    #: The tokens that they name; None when they name the whole vocabulary in order.
    ids: list[int] | None
    log_probs: list[float]


@dataclass(frozen=True)
class Teacher:
    """A base that reads answers of `gkd`, and the files of an adapter on it by their names."""

    base_name: str
    weights_hash: str
    adapter: dict[str, bytes] | None


@dataclass(frozen=True)
class Row:
    """A prompt with its answer; of a pair `answer` is the chosen one. Token ids."""

    id: str
    prompt: list[int]
    answer: list[int]
    rejected: list[int] | None
    is_desirable: bool
    weight: float
    teacher: TeacherTokens | None = None

    @property
    def tokens(self) -> int:
        """Number of computed tokens: the last of a sequence has no prediction."""
        length = len(self.prompt) + len(self.answer) - 1
        return length if self.rejected is None else length + len(self.prompt) + len(self.rejected) - 1


@dataclass(frozen=True)
class Objective:
    """An objective with its settings; unused settings keep their defaults."""

    kind: ObjectiveKind
    beta: float
    gamma_beta_ratio: float
    odds_weight: float
    desirable_weight: float
    undesirable_weight: float
    lmbda: float
    temperature: float
    max_new_tokens: int
    #: The share of the steps that come first and are supervised.
    warmup: float


@dataclass(frozen=True)
class Hyperparameters:
    """Settings of a fit beside its rows; lengths and batches in tokens."""

    objective: Objective
    rank: int
    alpha: float
    target_modules: list[str]
    epochs: int
    batch_tokens: int
    accumulation: int
    learning_rate: float
    warmup_ratio: float
    final_learning_rate_share: float
    weight_decay: float
    beta1: float
    beta2: float
    epsilon: float
    grad_clip: float
    max_length: int
    seed: int
    evaluations_per_epoch: int
    patience: int
    #: Steps after which a fit ends although it has epochs left.
    max_steps: int | None


@dataclass(frozen=True)
class FitDocument:
    """A whole fit: its base, its rows, its settings."""

    base_name: str
    weights_hash: str
    hyperparameters: Hyperparameters
    rows: list[Row]
    validation: list[Row]
    #: The hyper-parameters as written, for the training report.
    raw_hyperparameters: dict[str, Any]
    teacher: Teacher | None
    #: The files of the adapter that the fit goes on from; None for a new one.
    start: dict[str, bytes] | None


def parse_document(data: bytes) -> FitDocument:
    """Reads the document. Raises `FitError` `validation_failed` that names the field, or `no_training_rows`."""
    try:
        raw = json.loads(data)
    except ValueError as error:
        raise FitError("validation_failed", "the document of the fit is not JSON") from error
    document = _Fields("document", raw)
    if document.text("format") != FORMAT:
        raise FitError("validation_failed", f"the document's format is not {FORMAT}")
    base = document.fields("base")
    settings = document.fields("hyperparameters")
    hyperparameters = _hyperparameters(settings)
    rows = _rows(document, "rows", hyperparameters)
    if not rows:
        raise FitError("no_training_rows", "the document has no rows to train on")
    return FitDocument(
        base_name=base.text("name"),
        weights_hash=base.text("weightsHash"),
        hyperparameters=hyperparameters,
        rows=rows,
        validation=_rows(document, "validation", hyperparameters),
        raw_hyperparameters=settings.value,
        start=None if document.value.get("start") is None else _adapter(document.fields("start")),
        teacher=_teacher(document) if hyperparameters.objective.kind == "gkd" else None,
    )


def _hyperparameters(fields: _Fields) -> Hyperparameters:
    return Hyperparameters(
        objective=_objective(fields.fields("objective")),
        rank=fields.integer("rank", 1, 1024),
        alpha=fields.number("alpha", above=0),
        target_modules=fields.texts("targetModules"),
        epochs=fields.integer("epochs", 1, 10_000),
        batch_tokens=fields.integer("batchTokens", 1, 1 << 24),
        accumulation=fields.integer("accumulation", 1, 1 << 16),
        learning_rate=fields.number("learningRate", above=0),
        warmup_ratio=fields.number("warmupRatio"),
        final_learning_rate_share=fields.number("finalLearningRateShare"),
        weight_decay=fields.number("weightDecay"),
        beta1=fields.number("beta1"),
        beta2=fields.number("beta2"),
        epsilon=fields.number("epsilon", above=0),
        grad_clip=fields.number("gradClip"),
        max_length=fields.integer("maxLength", 2, 1 << 24),
        seed=fields.integer("seed", 0, (1 << 32) - 1),
        evaluations_per_epoch=fields.integer("evaluationsPerEpoch", 1, 1000),
        patience=fields.integer("patience", 0, 10_000),
        max_steps=fields.integer("maxSteps", 1, 1_000_000) if "maxSteps" in fields.value else None,
    )


def _objective(fields: _Fields) -> Objective:
    kind = fields.text("kind")
    if kind not in get_args(ObjectiveKind):
        raise FitError("validation_failed", f"the objective {kind} is unknown")
    is_divergence = kind in {"kd", "gkd"}
    return Objective(
        kind=kind,  # type: ignore[arg-type]
        beta=_beta(fields, kind),
        gamma_beta_ratio=fields.number("gammaBetaRatio") if kind == "simpo" else 0.0,
        odds_weight=fields.number("lambda") if kind == "orpo" else 0.0,
        desirable_weight=fields.number("desirableWeight") if kind == "kto" else 1.0,
        undesirable_weight=fields.number("undesirableWeight") if kind == "kto" else 1.0,
        lmbda=fields.share("lmbda") if kind == "gkd" else 0.0,
        temperature=fields.number("temperature", above=0) if is_divergence else 1.0,
        max_new_tokens=fields.integer("maxNewTokens", 1, 1 << 15) if kind == "gkd" else 1,
        warmup=fields.share("warmup") if kind == "gkd" else 0.0,
    )


def _beta(fields: _Fields, kind: str) -> float:
    if kind in {"kd", "gkd"}:
        return fields.share("beta")
    return fields.number("beta", above=0) if kind in {"dpo", "simpo", "kto"} else 0.1


def _teacher(document: _Fields) -> Teacher:
    fields = document.fields("teacher")
    base = fields.fields("base")
    adapter = None if fields.value.get("adapter") is None else _adapter(fields.fields("adapter"))
    return Teacher(base_name=base.text("name"), weights_hash=base.text("weightsHash"), adapter=adapter)


def _adapter(fields: _Fields) -> dict[str, bytes]:
    """The files of an adapter by their names."""
    return {
        "adapter_config.json": fields.text("config").encode(),
        "adapter_model.safetensors": fields.base64("weights"),
    }


def _teacher_tokens(fields: _Fields, answer: list[int]) -> TeacherTokens:
    k = fields.integer("k", 1, 1 << 24)
    ids = None if fields.value.get("ids") is None else fields.ids("ids")
    log_probs = fields.numbers("logProbs")
    if len(log_probs) != k * len(answer) or (ids is not None and len(ids) != len(log_probs)):
        raise FitError("validation_failed", f"{fields.path} needs {k} numbers for each of {len(answer)} answer tokens")
    return TeacherTokens(k=k, ids=ids, log_probs=log_probs)


def _rows(document: _Fields, name: str, hyperparameters: Hyperparameters) -> list[Row]:
    rows = [_row(fields, hyperparameters.objective.kind) for fields in document.objects(name)]
    for row in rows:
        longest = max(len(row.answer), len(row.rejected or ()))
        if len(row.prompt) + longest > hyperparameters.max_length:
            raise FitError("example_too_large", f"row {row.id} has more than {hyperparameters.max_length} tokens")
    return rows


def _row(fields: _Fields, kind: ObjectiveKind) -> Row:
    is_pair = kind in PAIR_OBJECTIVES
    weight = fields.number("weight", above=0)
    if weight != 1 and kind not in {"supervised", "distillation"}:
        raise FitError("validation_failed", f"{fields.path}: this trainer weighs no rows of {kind}")
    answer = fields.ids("chosen" if is_pair else "answer")
    return Row(
        id=fields.text("id"),
        prompt=fields.ids("prompt"),
        answer=answer,
        rejected=fields.ids("rejected") if is_pair else None,
        is_desirable=fields.flag("isDesirable") if kind == "kto" else True,
        weight=weight,
        teacher=_teacher_tokens(fields.fields("teacher"), answer) if kind == "kd" else None,
    )


class _Fields:
    """An object of the document whose fields are taken out with their type checked."""

    def __init__(self, path: str, value: object) -> None:
        if not isinstance(value, dict):
            raise FitError("validation_failed", f"{path} is not an object")
        self.path = path
        self.value = value

    def fields(self, name: str) -> _Fields:
        return _Fields(f"{self.path}.{name}", self.value.get(name))

    def objects(self, name: str) -> Sequence[_Fields]:
        value = self.value.get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return [_Fields(f"{self.path}.{name}[{index}]", entry) for index, entry in enumerate(value)]

    def text(self, name: str) -> str:
        value = self.value.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.value.get(name)
        if not isinstance(value, list) or not value or not all(isinstance(entry, str) for entry in value):
            raise self._wrong(name, "a list of texts")
        return value

    def flag(self, name: str) -> bool:
        value = self.value.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def ids(self, name: str) -> list[int]:
        value = self.value.get(name)
        if not isinstance(value, list) or not value or not all(type(entry) is int and entry >= 0 for entry in value):
            raise self._wrong(name, "a list of token ids, at least one")
        return value

    def numbers(self, name: str) -> list[float]:
        value = self.value.get(name)
        if not isinstance(value, list) or not all(
            isinstance(entry, int | float) and not isinstance(entry, bool) and math.isfinite(entry) for entry in value
        ):
            raise self._wrong(name, "a list of numbers")
        return [float(entry) for entry in value]

    def share(self, name: str) -> float:
        value = self.number(name)
        if value > 1:
            raise self._wrong(name, "a number from 0 to 1")
        return value

    def base64(self, name: str) -> bytes:
        try:
            return base64.b64decode(self.text(name), validate=True)
        except binascii.Error as error:
            raise self._wrong(name, "bytes in base64") from error

    def integer(self, name: str, least: int, most: int) -> int:
        value = self.value.get(name)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, f"an integer from {least} to {most}")
        return value

    def number(self, name: str, above: float | None = None) -> float:
        value = self.value.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise self._wrong(name, "a number")
        if value < 0 or (above is not None and value <= above):
            raise self._wrong(name, "a number above zero" if above is not None else "a number not below zero")
        return float(value)

    def _wrong(self, name: str, expected: str) -> FitError:
        return FitError("validation_failed", f"{self.path}.{name} must be {expected}")
