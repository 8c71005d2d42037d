"""The shuffle service's public keys: those that the caller brings, and what can be said without them."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.rules.record import read_json
from shared.rules.record_fields import as_list, as_mapping
from shared.rules.refusal import RecordError

MOST_KEYS: Final = 1000
KEY_BYTES: Final = 32


class KeyBook:
    """Verifies signatures. ``published`` are the keys known to be the service's, ``None`` where nobody brought any."""

    def __init__(self, published: Mapping[str, bytes] | None = None) -> None:
        self._published = published

    def verify(self, key_id: str, signed: bytes, signature: bytes) -> bool | None:
        """Whether a published key made the signature; ``None`` where it is right and nobody brought the keys.

        A key's id is the key in hex, so that a wrong signature shows without them, but not whose key it is: whoever
        makes a deal up can sign it with a key of their own.
        """
        if self._published is not None:
            key = self._published.get(key_id)
            return key is not None and is_signed(key, signed, signature)
        try:
            key = bytes.fromhex(key_id)
        except ValueError:
            return None
        return None if len(key) != KEY_BYTES or is_signed(key, signed, signature) else False

    def fault(self, keys: Mapping[str, bytes]) -> str | None:
        """Why these are not the published keys; ``None`` where they are or nobody brought any."""
        for key_id, key in keys.items():
            if self._published is not None and self._published.get(key_id) != key:
                return f"{key_id} is not a published key"
        return None

    @property
    def known(self) -> bool:
        """Whether the published keys are at hand."""
        return self._published is not None


def is_signed(key: bytes, signed: bytes, signature: bytes) -> bool:
    """Whether the signature is this key's over these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_keys(data: bytes) -> dict[str, bytes]:
    """Keys by their ids, of a file with ``keys`` as an audit export or the list of all keys has them.

    Raises ``RecordError``.
    """
    listed = as_list(as_mapping(read_json(data), "a file of keys").get("keys"), "keys", MOST_KEYS)
    keys = (as_mapping(each, "a key") for each in listed)
    # The list of all keys also tells from when to when each one signed.
    return dict(_key(as_mapping(fields.get("key", fields), "a key")) for fields in keys)


def _key(fields: Mapping[str, object]) -> tuple[str, bytes]:
    key_id, written = fields.get("keyId"), fields.get("publicKey")
    if not isinstance(key_id, str) or not isinstance(written, str):
        raise RecordError("a key has keyId and publicKey")
    try:
        key = base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        raise RecordError("a public key is base64") from None
    if len(key) != KEY_BYTES:
        raise RecordError(f"a public key has {KEY_BYTES} bytes")
    return key_id, key
