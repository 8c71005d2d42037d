"""What is sealed opens with its key and for what it belongs to, and for nothing else."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from shared.kit.keys import KeyFileError
from shared.kit.sealing import KEY_BYTES, Sealed, SealError, SealingKeys

OLD, NEW = b"o" * KEY_BYTES, b"n" * KEY_BYTES
SECRET = b"a secret that nobody may see"


def test_what_was_sealed_opens_again() -> None:
    keys = SealingKeys([OLD])
    sealed = keys.seal(SECRET, b"deal 1")
    assert SECRET not in sealed.data
    assert keys.open(sealed, b"deal 1") == SECRET


def test_sealing_twice_gives_different_bytes() -> None:
    keys = SealingKeys([OLD])
    assert keys.seal(SECRET, b"").data != keys.seal(SECRET, b"").data


def test_the_newest_key_seals_and_every_key_opens() -> None:
    before = SealingKeys([OLD]).seal(SECRET, b"")
    keys = SealingKeys([OLD, NEW])
    assert keys.seal(SECRET, b"").key_id == keys.newest_id == SealingKeys([NEW]).newest_id
    assert keys.open(before, b"") == SECRET


@pytest.mark.parametrize(
    "spoil",
    [
        lambda sealed: replace(sealed, data=sealed.data[:-1] + bytes([sealed.data[-1] ^ 1])),
        lambda sealed: replace(sealed, data=bytes([sealed.data[0] ^ 1]) + sealed.data[1:]),
        lambda sealed: replace(sealed, data=b""),
        lambda sealed: replace(sealed, key_id=SealingKeys([NEW]).newest_id),
        lambda sealed: replace(sealed, key_id="unknown"),
    ],
)
def test_other_bytes_or_another_key_do_not_open(spoil: object) -> None:
    keys = SealingKeys([OLD, NEW])
    sealed = SealingKeys([OLD]).seal(SECRET, b"deal 1")
    assert callable(spoil)
    with pytest.raises(SealError):
        keys.open(spoil(sealed), b"deal 1")


def test_what_belongs_to_another_deal_does_not_open() -> None:
    keys = SealingKeys([OLD])
    with pytest.raises(SealError):
        keys.open(keys.seal(SECRET, b"deal 1"), b"deal 2")


def test_nothing_that_prints_shows_a_key_or_what_is_sealed() -> None:
    keys = SealingKeys([OLD])
    assert OLD.decode() not in repr(keys) + str(vars(type(keys)))
    assert repr(Sealed("id", SECRET)) == "Sealed(key_id='id')"


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    made = SealingKeys.load(tmp_path / "seal", may_create=True)
    path = tmp_path / "seal" / "0001.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert SealingKeys.load(tmp_path / "seal", may_create=True).ids == made.ids == {made.newest_id}


def test_keys_are_ordered_by_the_names_of_their_files(tmp_path: Path) -> None:
    for name, key in (("0002.key", NEW), ("0001.key", OLD)):
        (tmp_path / name).write_text(key.hex() + "\n")
        (tmp_path / name).chmod(0o600)
    keys = SealingKeys.load(tmp_path)
    assert keys.newest_id == SealingKeys([NEW]).newest_id
    assert len(keys.ids) == 2


def test_no_key_is_made_where_that_is_not_allowed(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"no \.key file"):
        SealingKeys.load(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "zz", OLD.hex()[:-2], OLD.hex() + "00", "\xff\xfe"])
def test_a_file_that_holds_no_key_is_refused_without_telling_what_it_holds(tmp_path: Path, content: str) -> None:
    (tmp_path / "0001.key").write_bytes(content.encode("latin-1"))
    (tmp_path / "0001.key").chmod(0o600)
    with pytest.raises(KeyFileError, match="holds no key") as refusal:
        SealingKeys.load(tmp_path)
    assert OLD.hex()[:10] not in str(refusal.value)


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o660])
def test_a_file_that_others_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "0001.key").write_text(OLD.hex())
    (tmp_path / "0001.key").chmod(mode)
    with pytest.raises(KeyFileError, match="open to others"):
        SealingKeys.load(tmp_path)


def test_a_file_that_its_group_may_read_is_taken(tmp_path: Path) -> None:
    (tmp_path / "0001.key").write_text(OLD.hex())
    (tmp_path / "0001.key").chmod(0o440)
    assert SealingKeys.load(tmp_path).ids == SealingKeys([OLD]).ids


def test_more_keys_than_anybody_needs_are_refused(tmp_path: Path) -> None:
    for number in range(101):
        (tmp_path / f"{number:04}.key").touch(0o600)
    with pytest.raises(KeyFileError, match="more than 100"):
        SealingKeys.load(tmp_path)


@pytest.mark.parametrize("keys", [[], [b"short"]])
def test_keys_that_could_not_seal_are_a_programming_error(keys: list[bytes]) -> None:
    with pytest.raises(ValueError, match="key"):
        SealingKeys(keys)
