from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from ._errors import ServerError, SvcError, UnreachableError, error_by_code
from ._transport import lines_of

if TYPE_CHECKING:
    import pandas

    from ._svc import Svc

# Repetitions of a batch that broke off without another row.
_MOST_STALLS = 4


@dataclass(frozen=True)
class RunAnswer:
    """Answer of one run. ``unlike_examples`` is true when the input fails a check that the inputs of the examples pass."""

    output: Any
    abstained: bool
    confidence: float | None
    unlike_examples: bool | None
    receipt: dict[str, Any] | None


@dataclass(frozen=True)
class RowError:
    """Why a row has no answer."""

    code: str
    message: str


@dataclass(frozen=True)
class BatchRow:
    """A row of a batch, counted from 1: an answer, or ``error``."""

    row: int
    output: Any = None
    abstained: bool = False
    confidence: float | None = None
    unlike_examples: bool | None = None
    error: RowError | None = None


class Artifact:
    """A compiled artifact that the service runs. ``job`` is the job that made it, when it comes from one."""

    def __init__(self, svc: Svc, target: Mapping[str, str], job: Mapping[str, Any] | None = None) -> None:
        self._svc = svc
        self.target = dict(target)
        self.job = job

    def run(self, value: Any) -> RunAnswer:
        """Runs one input: any JSON value."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        answer = self._svc.http.post("/v1/run", json={**self.target, "input": value}, headers=headers).json()
        return RunAnswer(
            output=answer["output"],
            abstained=answer["abstained"],
            confidence=answer["confidence"],
            unlike_examples=answer["unlike_examples"],
            receipt=answer["receipt"],
        )

    def run_many(self, values: Iterable[Any]) -> Iterator[BatchRow]:
        """Runs any number of inputs, and yields a row for each, in their order.

        A lost connection is continued where it was, without a second charge. Raises when the whole batch stops, for example
        ``QuotaError``.
        """
        lines = "".join(f"{json.dumps(value, allow_nan=False)}\n" for value in values).encode()
        if not lines:
            return
        key = str(uuid.uuid4())
        start, stalls = 1, 0
        while True:
            first = start
            try:
                for line in self._batch_lines(lines, start, key):
                    if "batch" in line:
                        return
                    if "resume_row" in line:
                        raise _stopped(line)
                    start = line["row"] + 1
                    yield _row_of(line)
                raise UnreachableError("the answer broke off", code="unreachable", status=0)
            except (httpx.TransportError, UnreachableError, ServerError):
                stalls = 0 if start > first else stalls + 1
                if stalls > _MOST_STALLS:
                    raise

    def run_frame(self, frame: pandas.DataFrame, input: str | list[str] | None = None) -> pandas.DataFrame:
        """Runs every row of a data frame, and returns the frame with the columns of the answers.

        ``input`` names the column that is the input, or the columns whose values by name are; without it, the only column, or
        all of them. The columns ``output``, ``abstained``, ``confidence``, ``unlike_examples`` and ``error`` are added; one
        whose name the frame has gets the prefix ``svc_``, as often as it takes. Empty cells (NaN) are null, times are ISO
        8601. Raises before anything is charged for values that JSON does not have.
        """
        import pandas as pd

        from ._frame import free_names, inputs_of

        names = free_names(["output", "abstained", "confidence", "unlike_examples", "error"], frame.columns)
        rows = list(self.run_many(inputs_of(frame, input)))
        facts = [
            [row.output for row in rows],
            [row.abstained for row in rows],
            [row.confidence for row in rows],
            [row.unlike_examples for row in rows],
            [None if row.error is None else row.error.message for row in rows],
        ]
        answers = pd.DataFrame(dict(zip(names, facts, strict=True)), index=frame.index)
        # By place: the labels of the rows may repeat.
        return pd.concat([frame, answers], axis=1)

    def download(self, path: str | os.PathLike[str]) -> None:
        """Downloads the signed archive. Only for an artifact that ``Job.wait`` gave."""
        if self.job is None:
            raise TypeError("only an artifact of a job can be downloaded: svc.job(job_id).wait()")
        Path(path).write_bytes(self._svc.http.get(f"/v1/compile/{self.job['job_id']}/.svc").content)

    def _batch_lines(self, lines: bytes, start: int, key: str) -> Iterator[dict[str, Any]]:
        spec = json.dumps({**self.target, "format": "jsonl", "bare": True, "from_row": start})
        parts = {"spec": (None, spec), "file": ("inputs.jsonl", lines)}
        with self._svc.http.stream("POST", "/v1/run/batch", files=parts, headers={"Idempotency-Key": key}) as answer:
            for line in lines_of(answer):
                yield json.loads(line)


def _row_of(line: Mapping[str, Any]) -> BatchRow:
    if "error" in line:
        return BatchRow(line["row"], error=RowError(line["error"]["code"], line["error"]["message"]))
    names = ("row", "output", "abstained", "confidence", "unlike_examples")
    return BatchRow(**{name: line[name] for name in names})


def _stopped(line: Mapping[str, Any]) -> SvcError:
    error, row = line["error"], line["resume_row"]
    return error_by_code(f"{error['message']}; resume at row {row}", code=error["code"], details={"row": row})
