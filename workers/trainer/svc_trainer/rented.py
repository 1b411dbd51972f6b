"""`python -m svc_trainer.rented`: fits one adapter on a rented machine, then ends.

Its environment is the address of the service (`SVC_TRAINER_URL`), a one-time token (`SVC_TRAINER_TOKEN`) and a folder of
bases (`SVC_BASES_DIR`). It sees token ids of train rows, and no database, no Temporal and no key.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from .document import parse_document
from .door import Door, DoorClosedError, DoorUnreachableError, Lease
from .failures import FitError, FitInterruptedError
from .hooks import FitResult, Progress

_log = logging.getLogger("svc_trainer")

#: Codes that the door takes; every other failure is `internal`.
_CODES: Final = frozenset(
    {
        "no_training_rows",
        "training_diverged",
        "base_does_not_fit",
        "base_mismatch",
        "unknown_base_model",
        "example_too_large",
        "validation_failed",
        "invalid_checkpoint",
    }
)
_PROJECT_BASES: Final = Path(__file__).resolve().parents[3] / "bases"


class LeaseHooks:
    """Sends checkpoints as they come, and reports from a thread of its own, so that a long step is no silence."""

    def __init__(self, door: Door, lease: Lease) -> None:
        self._door = door
        self._every = lease.seconds_between_reports
        self._stop = threading.Event()
        self._over = threading.Event()
        self._latest: dict[str, Any] = {"step": lease.checkpoint_step or 0, "steps": 0}
        self._thread = threading.Thread(target=self._report, daemon=True)

    def __enter__(self) -> LeaseHooks:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def on_progress(self, progress: Progress) -> None:
        """Keeps what the next report says."""
        self._latest = {
            "step": progress.step,
            "steps": progress.steps,
            "epoch": progress.epoch,
            "loss": progress.loss,
            "validation_loss": progress.validation_loss,
            "learning_rate": progress.learning_rate,
            "tokens_per_second": progress.tokens_per_second,
            "eta_seconds": progress.eta_seconds,
            "validations": progress.validations,
        }

    def on_checkpoint(self, data: bytes, step: int) -> None:
        """Sends a checkpoint; one that cannot be sent costs what the next machine repeats."""
        try:
            self._door.send_file("checkpoint", data, step)
            _log.info("checkpoint at step %d, %d bytes", step, len(data))
        except DoorUnreachableError as error:
            _log.warning("the checkpoint of step %d was not sent: %s", step, error)

    def should_stop(self) -> bool:
        """True when the service asks for the end."""
        return self._stop.is_set()

    def _report(self) -> None:
        while not self._over.is_set():
            try:
                if self._door.report(dict(self._latest)):
                    self._stop.set()
            except DoorClosedError:
                self._stop.set()
                return
            except DoorUnreachableError as error:
                _log.warning("no report was taken: %s", error)
            self._over.wait(self._every)


def main(env: Mapping[str, str] = os.environ) -> int:
    """Fits, and returns the exit code: 0 done, 1 failed, 2 wrong environment, 3 refused by the service."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    url, token = env.get("SVC_TRAINER_URL", ""), env.get("SVC_TRAINER_TOKEN", "")
    if not url.startswith(("http://", "https://")) or not token:
        print("SVC_TRAINER_URL and SVC_TRAINER_TOKEN are required", file=sys.stderr)
        return 2
    door = Door(url, token)
    try:
        return fit_leased(door, door.open_lease(), bases_folders(env))
    except DoorClosedError as error:
        _log.error("refused: %s", error)
        return 3
    except DoorUnreachableError as error:
        _log.error("gave up: %s", error)
        return 1


def bases_folders(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Folders whose sub-folders are bases."""
    own = env.get("SVC_BASES_DIR", "")
    return (*([Path(own).resolve()] if own else []), _PROJECT_BASES)


def fit_leased(door: Door, lease: Lease, folders: tuple[Path, ...]) -> int:
    """Does the work of an open lease, and returns 0 when it is done and 1 when it failed, which the service knows."""
    _log.info("lease %s", lease.lease_id)
    try:
        document = parse_document(door.read_document())
        checkpoint = None if lease.checkpoint_step is None else door.read_checkpoint()
        with LeaseHooks(door, lease) as hooks:
            # The libraries take long to load: the lease is open and reported meanwhile.
            from .fit import fit_adapter

            result = fit_adapter(
                document,
                folders,
                hooks,
                checkpoint=checkpoint,
                seconds_between_checkpoints=lease.seconds_between_checkpoints,
            )
            _send(door, result)
    except FitInterruptedError:
        _log.info("stopped with a checkpoint")
        return 0
    except FitError as error:
        _log.warning("the fit failed: %s: %s", error.code, error)
        door.fail(error.code if error.code in _CODES else "internal")
        return 1
    except (DoorClosedError, DoorUnreachableError):
        raise
    except Exception:
        _log.exception("the fit failed")
        door.fail("internal")
        return 1
    return 0


def _send(door: Door, result: FitResult) -> None:
    door.send_file("adapter_config", result.adapter_config)
    door.send_file("adapter_model", result.adapter_model)
    door.send_file("training", result.training)
    door.finish(
        {
            "steps": result.steps,
            "best_step": result.best_step,
            "stopped_early": result.stopped_early,
            "loss": result.loss,
            "validation_loss": result.validation_loss,
            "tokens_per_second": result.tokens_per_second,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
