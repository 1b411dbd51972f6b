"""The payload codec of temporal/codec.ts: AES-256-GCM over the serialised payload."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    DataConverter,
    DefaultFailureConverterWithEncodedAttributes,
    PayloadCodec,
)

_ENCODING: Final = b"binary/encrypted"
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class AesCodec(PayloadCodec):
    """Encrypts under one key, which each payload names by id; the id is authenticated with it.

    Payloads that were written before a key was set pass through as they are. Raises `ValueError` for a key that is not
    32 bytes, and for a payload of another key.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise ValueError("a codec key has 32 bytes")
        self._cipher = AESGCM(key)
        self._key_id = hashlib.sha256(b"svc codec key id\0" + key).hexdigest()[:16].encode()

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [
            self._decrypt(payload) if payload.metadata.get("encoding") == _ENCODING else payload for payload in payloads
        ]

    def _encrypt(self, payload: Payload) -> Payload:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, payload.SerializeToString(), self._key_id)
        return Payload(metadata={"encoding": _ENCODING, "encryption-key-id": self._key_id}, data=nonce + sealed)

    def _decrypt(self, payload: Payload) -> Payload:
        key_id = payload.metadata.get("encryption-key-id", b"")
        if key_id != self._key_id:
            raise ValueError(f"no codec key has the id {key_id.decode(errors='replace')}")
        if len(payload.data) < _NONCE_BYTES + _TAG_BYTES:
            raise ValueError("an encrypted payload is cut short")
        opened = self._cipher.decrypt(payload.data[:_NONCE_BYTES], payload.data[_NONCE_BYTES:], key_id)
        return Payload.FromString(opened)


def data_converter(codec_key: bytes | None) -> DataConverter:
    """The payload converter, the same as temporal/data-converter.ts; messages of failures are encrypted too."""
    if codec_key is None:
        return DataConverter.default
    return dataclasses.replace(
        DataConverter.default,
        payload_codec=AesCodec(codec_key),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )
