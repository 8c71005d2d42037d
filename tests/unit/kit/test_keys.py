import json
from pathlib import Path

import pytest

from shared.kit.keys import KeyFileError, SigningKey, ensure_keys, load_public


def test_keys_are_made_once_and_readable_by_their_owner_alone(tmp_path: Path) -> None:
    made = ensure_keys(tmp_path, ["lobby", "table"])
    again = ensure_keys(tmp_path, ["lobby", "table"])
    assert {name: key.kid for name, key in made.items()} == {name: key.kid for name, key in again.items()}
    assert made["lobby"].kid != made["table"].kid
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "private").iterdir()} == {0o600}


def test_public_files_hold_nothing_private(tmp_path: Path) -> None:
    ensure_keys(tmp_path, ["lobby"])
    (key,) = json.loads((tmp_path / "public" / "lobby.jwks").read_text())["keys"]
    assert set(key) == {"kty", "crv", "x", "kid", "use", "alg"}
    assert [key.is_private for key in load_public(tmp_path / "public")["lobby"]] == [False]


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o660])
def test_a_private_key_that_others_can_touch_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "lobby.jwk"
    SigningKey.generate().save(path)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match="open to others"):
        SigningKey.load(path)


def test_a_key_mounted_for_a_group_to_read_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "lobby.jwk"
    SigningKey.generate().save(path)
    path.chmod(0o440)
    SigningKey.load(path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"kty": "oct", "k": "c2VjcmV0LXNlY3JldA"}', "c2VjcmV0"])
def test_a_refused_key_file_is_named_but_not_quoted(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lobby.jwk"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(KeyFileError) as refused:
        SigningKey.load(path)
    assert str(path) in str(refused.value)
    assert "c2VjcmV0" not in str(refused.value)


def test_a_public_key_is_no_private_one(tmp_path: Path) -> None:
    path = tmp_path / "lobby.jwk"
    path.write_text(json.dumps(SigningKey.generate().public()))
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="no private key"):
        SigningKey.load(path)


def test_saving_never_replaces_a_key(tmp_path: Path) -> None:
    path = tmp_path / "lobby.jwk"
    SigningKey.generate().save(path)
    with pytest.raises(FileExistsError):
        SigningKey.generate().save(path)


def test_a_key_does_not_show_itself() -> None:
    key = SigningKey.generate()
    assert str(key.jwk.as_dict(private=True)["d"]) not in repr(key) + str(key)
