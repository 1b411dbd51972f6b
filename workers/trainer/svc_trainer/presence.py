"""Makes a busy trainer visible to the service.

A worker with one place for activities asks for none while a fit holds it, and looks like one that is gone. It goes on
asking for workflows. Nothing ever starts this one.
"""

from __future__ import annotations

from temporalio import workflow


@workflow.defn(name="trainerPresence")
class Presence:
    """Ends at once."""

    @workflow.run
    async def run(self) -> None:
        """Does nothing."""
