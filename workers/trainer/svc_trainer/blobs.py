"""Content-addressed blobs in Postgres, by the protocol of db/kernel/blobs: chunks under an id, published by one row."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from .failures import FitError

#: Size of all chunks of a blob except the last.
CHUNK_BYTES: Final = 256 * 1024
#: Retention of an unreferenced blob.
_GRACE: Final = "interval '1 hour'"
#: Chunks that one transaction writes; each one renews the upload.
_CHUNKS_AT_ONCE: Final = 64


class BlobStore:
    """Reads and writes blobs over connections of its own, one per call.

    Every failure of the database raises `FitError` `store_unavailable`.
    """

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url

    def get(self, sha256: str, max_bytes: int) -> bytes:
        """A whole blob. Raises `not_found`, `payload_too_large`, and `internal` when its bytes are damaged."""
        with self._connection() as sql:
            row = sql.execute("select storage_id, size_bytes from blobs where sha256 = %s", [sha256]).fetchone()
            if row is None:
                raise FitError("not_found", f"no blob {sha256}")
            storage_id, size_bytes = row
            if size_bytes > max_bytes:
                raise FitError("payload_too_large", f"the blob has more than {max_bytes} bytes")
            chunks = sql.execute("select data from blob_chunks where storage_id = %s order by seq", [storage_id])
            data = b"".join(bytes(chunk) for (chunk,) in chunks)
        if _digest(data) != sha256:
            raise FitError("internal", f"the bytes of blob {sha256} are damaged")
        return data

    def put(self, data: bytes) -> str:
        """Stores bytes and returns their digest; existing bytes are kept for another hour.

        Nothing is visible before all of it is. Chunks of a call that fails are left to the service's housekeeping.
        """
        sha256 = _digest(data)
        with self._connection() as sql:
            if self._keep_known(sql, sha256):
                return sha256
            storage_id = uuid.uuid4()
            with sql.transaction():
                sql.execute("insert into blob_uploads (storage_id, touched_at) values (%s, now())", [storage_id])
            chunks = [data[start : start + CHUNK_BYTES] for start in range(0, len(data), CHUNK_BYTES)]
            for first in range(0, len(chunks), _CHUNKS_AT_ONCE):
                self._write_chunks(sql, storage_id, first, chunks[first : first + _CHUNKS_AT_ONCE])
            self._publish(sql, storage_id, sha256, len(data))
        return sha256

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection]:
        try:
            with psycopg.connect(self._database_url, connect_timeout=10, autocommit=True) as connection:
                yield connection
        except psycopg.Error as error:
            raise FitError("store_unavailable", f"the database did not do it: {type(error).__name__}") from error

    @staticmethod
    def _keep_known(sql: psycopg.Connection, sha256: str) -> bool:
        kept = sql.execute(
            f"""update blobs set review_at = greatest(review_at, now() + {_GRACE}), kept_at = now()
                where sha256 = %s""",
            [sha256],
        )
        return kept.rowcount == 1

    @staticmethod
    def _write_chunks(sql: psycopg.Connection, storage_id: uuid.UUID, first: int, chunks: list[bytes]) -> None:
        with sql.transaction(), sql.cursor() as cursor:
            cursor.executemany(
                "insert into blob_chunks (storage_id, seq, data) values (%s, %s, %s)",
                [(storage_id, first + offset, chunk) for offset, chunk in enumerate(chunks)],
            )
            cursor.execute("update blob_uploads set touched_at = now() where storage_id = %s", [storage_id])

    @staticmethod
    def _publish(sql: psycopg.Connection, storage_id: uuid.UUID, sha256: str, size_bytes: int) -> None:
        with sql.transaction():
            if sql.execute("delete from blob_uploads where storage_id = %s", [storage_id]).rowcount != 1:
                raise FitError("store_unavailable", "the upload took too long and was collected")
            published = sql.execute(
                f"""insert into blobs as b (sha256, storage_id, size_bytes, created_at, review_at)
                    values (%s, %s, %s, now(), now() + {_GRACE})
                    on conflict (sha256) do update set review_at = greatest(b.review_at, excluded.review_at),
                      kept_at = now()
                    returning storage_id""",
                [sha256, storage_id, size_bytes],
            ).fetchone()
            if published is None or published[0] != storage_id:
                # Another process stored the same bytes meanwhile.
                sql.execute("insert into blob_discards (storage_id, discarded_at) values (%s, now())", [storage_id])


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
