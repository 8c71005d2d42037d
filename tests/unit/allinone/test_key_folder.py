"""The folder of a cluster's keys and passwords: made once, added to, and never undone."""

import json
import stat
from pathlib import Path

import pytest

from services.allinone.key_folder import NUMBERED, make_keys
from services.shuffle.signing_keys import SigningKeys
from shared.kit.keys import KeyFileError, SigningKey, load_public, publish
from shared.kit.sealing import SealingKeys
from tests.support.cli import banakil
from tests.support.manifests import render


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_made_again_it_stays_as_it_is(tmp_path: Path) -> None:
    make_keys(tmp_path)
    first = contents(tmp_path)
    make_keys(tmp_path)
    assert contents(tmp_path) == first


def test_its_owner_alone_may_read_what_is_secret(tmp_path: Path) -> None:
    make_keys(tmp_path)
    open_to_others = {path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_mode & stat.S_IRWXO}
    assert {path.parent.name for path in open_to_others} - {"public"} == {tmp_path.name}
    assert tmp_path / "kustomization.yaml" in open_to_others


def test_what_was_put_beside_is_kept_and_goes_to_the_cluster_too(tmp_path: Path) -> None:
    make_keys(tmp_path)
    older, newer = SigningKey.load(tmp_path / "private/lobby.jwk"), SigningKey.generate()
    publish(tmp_path / "public", "lobby", older, newer)
    newer.save(tmp_path / "shuffle/sign/0002.jwk")
    (tmp_path / "wallet").write_text("not a key")
    make_keys(tmp_path)
    assert len(load_public(tmp_path / "public")["lobby"]) == 2
    made = {(each["kind"], each["metadata"]["name"]): each["data"] for each in render(tmp_path)}
    assert set(made["Secret", "shuffle-sign"]) == {"0001.jwk", "0002.jwk"}
    assert len(json.loads(made["ConfigMap", "public-keys"]["lobby.jwks"])["keys"]) == 2


def test_each_service_gets_its_own_private_key_and_passwords_alone(tmp_path: Path) -> None:
    make_keys(tmp_path)
    made = {each["metadata"]["name"]: set(each["data"]) for each in render(tmp_path) if each["kind"] == "Secret"}
    assert made["lobby"] == {"lobby.jwk", "database-password", "bus-password"}
    assert made["shuffle"] == {"shuffle.jwk", "database-password"}
    assert made["gateway"] == {"gateway.jwk"}
    assert "operator" not in made


@pytest.mark.parametrize("secret", NUMBERED)
def test_a_newer_key_comes_beside_the_older_and_is_the_one_in_use(secret: str, tmp_path: Path) -> None:
    assert banakil("keys", tmp_path, "--add", secret).code == 0
    part = tmp_path / NUMBERED[secret]
    assert [path.stem for path in sorted(part.iterdir())] == ["0001", "0002"]
    keys = SigningKeys.load(part) if secret == "shuffle-sign" else SealingKeys.load(part)
    assert len(keys.ids) == 2
    [made] = [each for each in render(tmp_path) if (each["kind"], each["metadata"]["name"]) == ("Secret", secret)]
    assert set(made["data"]) == {path.name for path in part.iterdir()}


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = banakil("keys", tmp_path / "file")
    assert (ran.code, ran.out) == (2, "")
    assert "file" in ran.err


def test_a_password_that_a_url_has_a_use_for_is_refused(tmp_path: Path) -> None:
    make_keys(tmp_path)
    (tmp_path / "bus/cluster").write_text("a/b@c")
    with pytest.raises(KeyFileError, match="bus/cluster"):
        make_keys(tmp_path)
