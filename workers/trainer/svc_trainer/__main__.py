"""`python -m svc_trainer`: polls the queue `lora-fit-gpu` until a signal stops it."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import warnings
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from .activity import FitActivities
from .announce import announcement
from .blobs import BlobStore
from .codec import data_converter
from .presence import Presence
from .settings import TASK_QUEUE, Settings, SettingsError, read_settings

_log = logging.getLogger("svc_trainer")


def main() -> None:
    """Runs the worker; ends with 2 when the environment is wrong."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # The libraries' warnings about their next versions do not concern an operator.
    warnings.simplefilter("ignore", FutureWarning)
    try:
        settings = read_settings()
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    client = await _connect(settings)
    activities = FitActivities(
        BlobStore(settings.database_url), settings.bases_folders, settings.seconds_between_checkpoints
    )
    stopping = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stopping.set)
    worker = Worker(
        client,
        task_queue=TASK_QUEUE,
        activities=[activities.fit_adapter],
        max_concurrent_activities=1,
        workflows=[Presence],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_cached_workflows=0,
        identity=announcement(),
        # A cancellation reaches the fit with the reply to a heartbeat, so heartbeats are throttled only briefly.
        max_heartbeat_throttle_interval=timedelta(seconds=1),
        default_heartbeat_throttle_interval=timedelta(seconds=1),
        graceful_shutdown_timeout=timedelta(0),
    )
    async with worker:
        _log.info("listening on %s of %s at %s", TASK_QUEUE, settings.temporal_namespace, settings.temporal_address)
        await stopping.wait()
        _log.info("stopping; a fit that runs leaves a checkpoint")


async def _connect(settings: Settings) -> Client:
    """Waits for the server."""
    while True:
        try:
            return await Client.connect(
                settings.temporal_address,
                namespace=settings.temporal_namespace,
                data_converter=data_converter(settings.codec_key),
            )
        except RuntimeError as error:
            _log.warning("Temporal does not answer yet: %s", error)
            await asyncio.sleep(2)


if __name__ == "__main__":
    main()
