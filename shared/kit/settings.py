"""Settings from the environment: ``BANAKIL_<SERVICE>_<FIELD>``. Only a service's ``__main__`` reads them.

A name with our prefix that no setting has is refused, with the name that may have been meant: a misspelt setting that
is silently ignored is found in production. Secrets are not settings; a setting names the file that holds one.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.kit.identity import SERVICES

PREFIX: Final = "BANAKIL_"
MAX_SECRET_BYTES: Final = 4_096
_PREFIXES: Final = tuple(f"{PREFIX}{name.upper()}_" for name in (*sorted(SERVICES), "allinone", "test"))


class SettingsError(Exception):
    """Settings that cannot be used. The text lists every fault, and no value."""


class Settings(BaseSettings):
    """The base of a service's settings: ``class TableSettings(Settings, service="table")``.

    These it has in common with every other: a database, the bus, keys, and how it serves.
    """

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, validate_default=True)
    service: ClassVar[str]

    listen: str = Field("127.0.0.1:0", description="host:port for gRPC; port 0 takes any")
    database_url: str = Field("", description="sqlite:///path or postgresql://user@host/name, with no password")
    database_password_file: Path | None = Field(None, description="a file with the database's password")
    nats_url: str = Field("nats://127.0.0.1:4222", description="where NATS is, with no password")
    nats_password_file: Path | None = Field(None, description="a file with this service's password for NATS")
    nats_replicas: int = Field(1, ge=1, le=5, description="how many NATS servers keep each stream")
    keys: Path = Field(Path("keys"), description="folder with private/<service>.jwk and public/*.jwks")
    metrics_port: int = Field(0, ge=0, le=65_535, description="port for Prometheus; 0: none")
    reflection: bool = Field(False, description="lets tools list the services")
    drain_ms: int = Field(10_000, ge=0, le=300_000, description="how long a stop may take")
    pace: float = Field(1.0, gt=0, le=1_000_000, description="divides all waits of the game")
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    def __init_subclass__(cls, *, service: str = "", **kwargs: Any) -> None:
        """Sets the prefix of the names."""
        super().__init_subclass__(**kwargs)
        if service:
            cls.service = service
            cls.model_config["env_prefix"] = f"{PREFIX}{service.upper()}_"

    @classmethod
    def load(cls, **given: Any) -> Self:
        """The settings in the environment, ``given`` first. Raises :class:`SettingsError`."""
        prefix = str(cls.model_config["env_prefix"])
        known = {prefix + name.upper() for name in cls.model_fields}
        ours = sorted(name for name in map(str.upper, os.environ) if name.startswith(PREFIX))
        faults = [
            _unknown(name, known)
            for name in ours
            if name not in known and (name.startswith(prefix) or not name.startswith(_PREFIXES))
        ]
        if faults:
            raise SettingsError("\n".join(faults))
        try:
            return cls(**given)
        except ValidationError as refusal:
            faults = [f"{prefix}{fault['loc'][0]}".upper() + f": {fault['msg']}" for fault in refusal.errors()]
            raise SettingsError("\n".join(faults)) from None


def read_secret(path: Path | None) -> str:
    """The secret in a file, without the line's end; empty for no file. Raises :class:`SettingsError`."""
    if path is None:
        return ""
    try:
        with path.open("rb") as file:
            return file.read(MAX_SECRET_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"the secret file {path} cannot be read") from None


def _unknown(name: str, known: set[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"unknown setting {name}" + (f": did you mean {near[0]}?" if near else "")
