from pathlib import Path

import pytest

from shared.kit.settings import Settings, SettingsError, read_secret


class TableSettings(Settings, service="table"):
    mailbox_size: int = 64


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("BANAKIL_"):
            monkeypatch.delenv(name)


def test_settings_come_from_names_with_the_service_s_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANAKIL_TABLE_MAILBOX_SIZE", "7")
    monkeypatch.setenv("BANAKIL_TABLE_LISTEN", "0.0.0.0:7100")
    monkeypatch.setenv("BANAKIL_LOBBY_LISTEN", "0.0.0.0:7200")
    monkeypatch.setenv("TABLE_PORT", "tcp://10.0.0.1:80")
    settings = TableSettings.load()
    assert (settings.mailbox_size, settings.listen) == (7, "0.0.0.0:7100")


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANAKIL_TABLE_MAILBOX_SIZE", "7")
    assert TableSettings.load(mailbox_size=9).mailbox_size == 9


def test_unknown_names_are_all_refused_with_what_may_have_been_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANAKIL_TABLE_LISTNE", "x")
    monkeypatch.setenv("BANAKIL_TABEL_LISTEN", "x")
    with pytest.raises(SettingsError) as refused:
        TableSettings.load()
    assert str(refused.value).splitlines() == [
        "unknown setting BANAKIL_TABEL_LISTEN: did you mean BANAKIL_TABLE_LISTEN?",
        "unknown setting BANAKIL_TABLE_LISTNE: did you mean BANAKIL_TABLE_LISTEN?",
    ]


def test_a_bad_value_is_named_but_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANAKIL_TABLE_MAILBOX_SIZE", "hunter2")
    monkeypatch.setenv("BANAKIL_TABLE_PACE", "-1")
    with pytest.raises(SettingsError) as refused:
        TableSettings.load()
    told = str(refused.value)
    assert "BANAKIL_TABLE_MAILBOX_SIZE: " in told
    assert "BANAKIL_TABLE_PACE: " in told
    assert "hunter2" not in told


def test_a_secret_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("hunter2\n")
    assert read_secret(path) == "hunter2"
    assert read_secret(None) == ""
    with pytest.raises(SettingsError, match="missing"):
        read_secret(tmp_path / "missing")
