"""The activity `fitAdapter`: reads the document's blob, trains, writes the blobs of the result.

Payloads carry digests and scalars. Safe to retry: a retry goes on from the checkpoint that the last heartbeat names,
and blobs are stored under the digest of their bytes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from temporalio import activity
from temporalio.exceptions import ApplicationError

from .blobs import BlobStore
from .document import parse_document
from .failures import FitError, FitInterruptedError
from .fit import fit_adapter
from .hooks import FitResult, Progress

_log = logging.getLogger("svc_trainer")

#: Seconds between two heartbeats; a cancellation arrives with the reply to one.
_PULSE_SECONDS: Final = 1.0
_MAX_DOCUMENT_BYTES: Final = 1 << 30
_MAX_CHECKPOINT_BYTES: Final = 8 << 30


@dataclass
class FitInput:
    """Input from the workflow; the names are TypeScript's."""

    jobId: str  # noqa: N815
    inputSha256: str  # noqa: N815


@dataclass
class FitOutput:
    """Result for the workflow: the blobs, still unreferenced, and the figures that a stage shows."""

    adapterConfigSha256: str  # noqa: N815
    adapterModelSha256: str  # noqa: N815
    trainingSha256: str  # noqa: N815
    steps: int
    bestStep: int  # noqa: N815
    stoppedEarly: bool  # noqa: N815
    loss: float
    validationLoss: float | None  # noqa: N815
    tokensPerSecond: float  # noqa: N815


class _Hooks:
    """Passes progress from the training thread to the heartbeats, and the request to stop back."""

    def __init__(self, store: BlobStore, resumed_from: str | None) -> None:
        self._store = store
        self._stop = threading.Event()
        self._checkpoint = resumed_from
        self._progress: dict[str, Any] = {}

    def on_progress(self, progress: Progress) -> None:
        self._progress = progress.details()

    def on_checkpoint(self, data: bytes, step: int) -> None:
        self._checkpoint = self._store.put(data)
        _log.info("checkpoint at step %d, %d bytes", step, len(data))

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def heartbeat(self) -> dict[str, Any]:
        """Returns the content of the next heartbeat."""
        return {**self._progress, "checkpointSha256": self._checkpoint}


class FitActivities:
    """The activities of this worker, over one store and the bases of this machine."""

    def __init__(self, store: BlobStore, bases_folders: Sequence[Path], seconds_between_checkpoints: float) -> None:
        self._store = store
        self._bases_folders = bases_folders
        self._seconds_between_checkpoints = seconds_between_checkpoints

    @activity.defn(name="fitAdapter")
    async def fit_adapter(self, given: FitInput) -> FitOutput:
        """Fits one adapter. Fails with the machine code as the failure's type; messages stay in this worker's log."""
        resumed_from = _last_checkpoint()
        hooks = _Hooks(self._store, resumed_from)
        fitting = asyncio.create_task(asyncio.to_thread(self._fit, given, hooks, resumed_from))
        try:
            while not fitting.done():
                activity.heartbeat(hooks.heartbeat())
                await asyncio.wait({fitting}, timeout=_PULSE_SECONDS)
            return fitting.result()
        except asyncio.CancelledError:
            await _end(fitting, hooks)
            details = activity.cancellation_details()
            if details is not None and details.worker_shutdown:
                raise ApplicationError("the worker shuts down", type="internal") from None
            raise
        except FitError as error:
            _log.warning("fit of %s failed: %s: %s", given.jobId, error.code, error)
            raise _failure(error.code, non_retryable=not error.is_retryable) from None
        except Exception:
            _log.exception("fit of %s failed", given.jobId)
            raise _failure("internal", non_retryable=activity.info().attempt >= 5) from None

    def _fit(self, given: FitInput, hooks: _Hooks, resumed_from: str | None) -> FitOutput:
        document = parse_document(self._store.get(given.inputSha256, _MAX_DOCUMENT_BYTES))
        result = fit_adapter(
            document,
            self._bases_folders,
            hooks,
            checkpoint=self._checkpoint(resumed_from),
            seconds_between_checkpoints=self._seconds_between_checkpoints,
        )
        return self._store_result(result)

    def _checkpoint(self, sha256: str | None) -> bytes | None:
        """Returns the bytes of a checkpoint; None when housekeeping has removed it, so that the fit starts over."""
        if sha256 is None:
            return None
        try:
            return self._store.get(sha256, _MAX_CHECKPOINT_BYTES)
        except FitError as error:
            if error.code != "not_found":
                raise
            _log.warning("the checkpoint is gone; the fit starts over")
            return None

    def _store_result(self, result: FitResult) -> FitOutput:
        return FitOutput(
            adapterConfigSha256=self._store.put(result.adapter_config),
            adapterModelSha256=self._store.put(result.adapter_model),
            trainingSha256=self._store.put(result.training),
            steps=result.steps,
            bestStep=result.best_step,
            stoppedEarly=result.stopped_early,
            loss=result.loss,
            validationLoss=result.validation_loss,
            tokensPerSecond=result.tokens_per_second,
        )


async def _end(fitting: asyncio.Task[FitOutput], hooks: _Hooks) -> None:
    """Stops the thread after its step, and reports its checkpoint to the server."""
    hooks.stop()
    try:
        await fitting
    except FitInterruptedError:
        activity.heartbeat(hooks.heartbeat())
    except Exception:
        _log.exception("the fit did not end well")


def _last_checkpoint() -> str | None:
    details = activity.info().heartbeat_details
    last = details[0] if details and isinstance(details[0], dict) else {}
    sha256 = last.get("checkpointSha256")
    return sha256 if isinstance(sha256, str) else None


def _failure(code: str, *, non_retryable: bool) -> ApplicationError:
    # As everywhere in the service: messages may name a row, so Temporal gets only the code.
    message = f"{code}: the log of the trainer says more"
    return ApplicationError(message, type=code, non_retryable=non_retryable, next_retry_delay=timedelta(seconds=5))
