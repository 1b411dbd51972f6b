from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_SEAL = "signature.sig"
_LOCAL_HEADER = b"PK\x03\x04"
# Most bytes that the members of an archive may have.
_MOST_BYTES = 2**30
# Errors of an archive whose members cannot be unpacked.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)


@dataclass(frozen=True)
class Verification:
    """Result of a verification.

    ``ok``: intact, and signed by a trusted key where keys were given. ``reason`` says why it is not ok.
    """

    ok: bool
    trusted: Literal["trusted", "unknown_signer", "untrusted"]
    reason: str | None = None
    kid: str | None = None
    job_id: str | None = None
    cid: str | None = None
    k_score: float | None = None


def verify(
    archive: str | os.PathLike[str] | bytes, *, keys: Sequence[Mapping[str, str]] | None = None
) -> Verification:
    """Verifies an archive offline.

    Checks that ``signature.sig`` is signed by one of ``keys`` (JWKs; without any, integrity alone is checked), that it is of
    exactly these bytes, and that every member is one that the signed manifest lists (docs/formats/svc-format.md, sections 6 to 8). The
    figures inside are not computed again: ``svc verify --recompute`` does so. An archive that is not right is a result, not an
    error.
    """
    content = archive if isinstance(archive, bytes) else Path(archive).read_bytes()
    try:
        return _check(content, keys)
    except (ValueError, KeyError, TypeError, AttributeError, *_UNREADABLE) as error:
        return Verification(ok=False, trusted="untrusted", reason=str(error))


def _check(content: bytes, keys: Sequence[Mapping[str, str]] | None) -> Verification:
    members = _open_members(content)
    seal = _parse(members, _SEAL)
    signature = seal["signature_ed25519"]
    signer = signature["public_key"]
    claim = {name: value for name, value in signature.items() if name != "signature"}
    signed = rfc8785.dumps({**seal, "signature_ed25519": claim})
    _require(signer["kty"] == "OKP" and signer["crv"] == "Ed25519", "the key of the signature is not Ed25519")
    try:
        Ed25519PublicKey.from_public_bytes(_decode(signer["x"])).verify(_decode(signature["signature"]), signed)
    except InvalidSignature:
        raise ValueError("the signature is wrong") from None
    size = seal["container"]["size_bytes"]
    _require(_digest(content[:size]) == seal["container"]["sha256"], "the bytes are not those that were signed")
    is_seal = content[size:].startswith(_LOCAL_HEADER) and content[size + 30 :].startswith(_SEAL.encode())
    _require(is_seal, "another member stands where the signature should")
    _check_manifest(members, seal["manifest_hash"])
    facts = {"kid": signer["kid"], "job_id": seal["job_id"], "cid": seal["cid"], "k_score": seal["k_score"]}
    if keys is None:
        return Verification(ok=True, trusted="unknown_signer", **facts)
    if any(key["kid"] == signer["kid"] and key["x"] == signer["x"] for key in keys):
        return Verification(ok=True, trusted="trusted", **facts)
    return Verification(ok=False, trusted="untrusted", reason="signed by a key that is not trusted", **facts)


def _open_members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        infos = opened.infolist()
        _require(sum(info.file_size for info in infos) <= _MOST_BYTES, "the members are too large")
        _require(len({info.filename for info in infos}) == len(infos), "two members have one name")
        return {info.filename: opened.read(info) for info in infos}


def _check_manifest(members: Mapping[str, bytes], manifest_hash: str) -> None:
    _require(_digest(members["manifest.json"]) == manifest_hash, "the manifest is not the signed one")
    listed = _parse(members, "manifest.json")["members"]
    there = set(members) - {"manifest.json", _SEAL}
    for name in there | set(listed):
        is_same = name in members and name in listed and listed[name]["sha256"] == _digest(members[name])
        _require(is_same, f"the member {name} is not the signed one")


def _parse(members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    _require(name in members, f"there is no member {name}")
    return dict(json.loads(members[name]))


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)
