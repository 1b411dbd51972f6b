"""`python -m svc_trainer.pool`: a worker of a tenant's own pool, which leases one fit after another until a signal stops it.

Its environment is the address of the service (`SVC_TRAINER_URL`), the token of the pool (`SVC_POOL_TOKEN`), a folder of
bases (`SVC_BASES_DIR`) and a name (`SVC_POOL_WORKER`; that of the host when absent). It sees token ids of train rows, and
no database, no Temporal and no other key.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Final

from .door import Door, DoorClosedError, DoorUnreachableError
from .rented import bases_folders, fit_leased

_log = logging.getLogger("svc_trainer")

#: Seconds until the service is asked again after it did not answer.
_AWAY_SECONDS: Final = 15.0


def main(env: Mapping[str, str] = os.environ, stopping: threading.Event | None = None) -> int:
    """Fits until it is stopped. Returns the exit code: 0 stopped, 2 wrong environment, 3 refused by the service."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    url, token = env.get("SVC_TRAINER_URL", ""), env.get("SVC_POOL_TOKEN", "")
    if not url.startswith(("http://", "https://")) or not token:
        print("SVC_TRAINER_URL and SVC_POOL_TOKEN are required", file=sys.stderr)
        return 2
    name = re.sub(r"[^\w.-]", "-", env.get("SVC_POOL_WORKER", "") or socket.gethostname())[:64]
    stop = stopping or _stopped_by_signals()
    folders = bases_folders(env)
    while not stop.is_set():
        try:
            wait = _work(Door(url, token), name, folders)
        except DoorClosedError as error:
            _log.error("the pool is refused: %s", error)
            return 3
        except DoorUnreachableError as error:
            _log.warning("the service does not answer: %s", error)
            wait = _AWAY_SECONDS
        stop.wait(wait)
    return 0


def _work(door: Door, name: str, folders: tuple[Path, ...]) -> float:
    """Does one fit where one waits. Returns the seconds after which to ask again.

    Raises `DoorClosedError` when the token is refused; a refused lease ends its fit alone.
    """
    lease, ask_again = door.lease_fit(name)
    if lease is None:
        return ask_again
    try:
        fit_leased(door, lease, folders)
    except DoorClosedError as error:
        _log.warning("the lease was lost: %s", error)
        return ask_again
    return 0.0


def _stopped_by_signals() -> threading.Event:
    """A fit that runs when a signal comes is left to another worker, which goes on from its checkpoint."""
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            sys.exit(0)
        stop.set()
        raise KeyboardInterrupt

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    return stop


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)
