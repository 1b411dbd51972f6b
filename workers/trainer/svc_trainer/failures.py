"""Failures of a fit: machine codes of the service's one table (core/kernel/errors.ts)."""

from __future__ import annotations

from typing import Final

#: Codes of transient failures: repeating the same fit may help.
RETRYABLE: Final = frozenset({"store_unavailable", "internal"})


class FitError(Exception):
    """The reason that a fit cannot start or go on: `code` for programs, the message for people.

    Messages name rows by id and never quote them.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def is_retryable(self) -> bool:
        """True when the same fit may succeed on another attempt."""
        return self.code in RETRYABLE


class FitInterruptedError(Exception):
    """The fit was stopped between two steps because its caller asked for it."""
