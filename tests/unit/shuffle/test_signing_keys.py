"""A signature is that of the key which it names, and the key's name is its public half."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.shuffle.signing_keys import SigningKeys, public_bytes
from shared.fairness.signing import CLOSED, signed_bytes
from shared.kit.keys import KeyFileError, SigningKey

OLD, NEW = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))


def test_the_id_of_a_key_is_enough_to_check_what_it_signed() -> None:
    keys = SigningKeys([OLD, NEW])
    assert keys.newest_id == NEW.public_key().public_bytes_raw().hex()
    for key_id in keys.ids:
        signature = keys.sign(key_id, CLOSED, b"K")
        Ed25519PublicKey.from_public_bytes(public_bytes(key_id)).verify(signature, signed_bytes(CLOSED, b"K"))


def test_a_key_that_is_not_here_signs_nothing() -> None:
    with pytest.raises(KeyError):
        SigningKeys([OLD]).sign(SigningKeys([NEW]).newest_id, CLOSED, b"K")


def test_a_key_is_made_once_and_only_where_that_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError):
        SigningKeys.load(tmp_path)
    made = SigningKeys.load(tmp_path, may_create=True)
    assert SigningKeys.load(tmp_path, may_create=True).ids == made.ids


def test_the_newest_by_name_signs(tmp_path: Path) -> None:
    SigningKeys.load(tmp_path, may_create=True)
    newer = SigningKey.generate()
    newer.save(tmp_path / "0002.jwk")
    keys = SigningKeys.load(tmp_path)
    assert len(keys.ids) == 2
    assert isinstance(newer.jwk.public_key, Ed25519PublicKey)
    assert keys.newest_id == newer.jwk.public_key.public_bytes_raw().hex()


def test_no_key_shows_in_what_prints() -> None:
    assert (bytes([1]) * 32).hex() not in repr(SigningKeys([OLD]))


def test_more_keys_than_anybody_needs_and_none_at_all_are_refused(tmp_path: Path) -> None:
    for number in range(101):
        (tmp_path / f"{number}.jwk").touch()
    with pytest.raises(KeyFileError, match="more than 100"):
        SigningKeys.load(tmp_path)
    with pytest.raises(ValueError, match="at least one"):
        SigningKeys([])
