"""Client of the svc model compiler service.

>>> svc = Svc()                                        # SVC_URL and SVC_API_KEY
>>> artifact = svc.compile([("ada lovelace", "A. Lovelace"), ...]).wait()
>>> artifact.run("grace hopper").output
"""

from ._artifact import Artifact, BatchRow, RowError, RunAnswer
from ._errors import (
    AuthenticationError,
    CompileError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    QuotaError,
    RateLimitError,
    ServerError,
    SvcError,
    UnreachableError,
)
from ._job import Job, JobEvent
from ._svc import Svc
from ._verify import Verification, verify

__all__ = [
    "Artifact",
    "AuthenticationError",
    "BatchRow",
    "CompileError",
    "ConflictError",
    "InvalidRequestError",
    "Job",
    "JobEvent",
    "NotFoundError",
    "QuotaError",
    "RateLimitError",
    "RowError",
    "RunAnswer",
    "ServerError",
    "Svc",
    "SvcError",
    "UnreachableError",
    "Verification",
    "verify",
]
