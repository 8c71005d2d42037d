"""Everything secret that the services of a cluster need, as files in one folder that its operator keeps.

The folder is a kustomization too: `kubectl apply -k` makes a Secret for each service of it, with nothing that is
another's, and the ConfigMap of public keys that all have. What is there is kept, so that making it again adds what is
missing, and a key that was put beside another by hand.
"""

import re
import secrets
from pathlib import Path
from typing import Final

from services.allinone.platform import BUS_USERS, ISSUERS
from services.shuffle.signing_keys import SigningKeys
from shared.kit.identity import SERVICES, Role
from shared.kit.keys import KeyFileError, SigningKey, ensure_keys
from shared.kit.nats_cluster import passwords_config, routes_config
from shared.kit.private_files import read_private, write_private
from shared.kit.sealing import KEY_BYTES, SealingKeys

NAMESPACE: Final = "banakil"
SUPERUSER: Final = "postgres"
DATABASES: Final = tuple(sorted(service.value for service in SERVICES - {Role.GATEWAY}))
"""The services that have a database, and a role of its own there."""
NUMBERED: Final = {"table-seal": "table-seal", "shuffle-seal": "shuffle/seal", "shuffle-sign": "shuffle/sign"}
"""By the Secret that they are in, the folders whose keys are numbered: the newest is used, the older ones are kept."""
PASSWORD_BYTES: Final = 24
_SIMPLE: Final = re.compile(r"[\w-]+")


def make_keys(folder: Path) -> None:
    """Makes what is missing. Raises `KeyFileError` for a file that is no use, OSError where none can be written."""
    for issuer in ISSUERS:
        if not ((folder / f"private/{issuer}.jwk").exists() and (folder / f"public/{issuer}.jwks").exists()):
            ensure_keys(folder, [issuer])
    SealingKeys.load(folder / "table-seal", may_create=True)
    SealingKeys.load(folder / "shuffle" / "seal", may_create=True)
    SigningKeys.load(folder / "shuffle" / "sign", may_create=True)
    for name in (*DATABASES, SUPERUSER):
        _password(folder / "database" / name)
    bus = {user.name: _password(folder / "bus" / user.name) for user in BUS_USERS}
    _write_anew(folder / "nats" / "passwords.conf", passwords_config(bus))
    _write_anew(folder / "nats" / "cluster.conf", routes_config(_password(folder / "bus" / "cluster")))
    (folder / "kustomization.yaml").write_text(_kustomization(folder))


def add_key(folder: Path, secret: str) -> None:
    """Makes a newer key beside those of a Secret that holds numbered ones. Raises as :func:`make_keys` does."""
    make_keys(folder)
    paths = sorted((folder / NUMBERED[secret]).glob("[!.]*"))
    newer = paths[-1].with_stem(f"{int(paths[-1].stem) + 1:04}")
    if secret == "shuffle-sign":
        SigningKey.generate().save(newer)
    else:
        write_private(newer, secrets.token_hex(KEY_BYTES).encode() + b"\n")
    make_keys(folder)


def _kustomization(folder: Path) -> str:
    by_secret = {
        **{service.value: _of_service(service.value) for service in SERVICES},
        "postgres": [f"{name}=database/{name}" for name in (*DATABASES, SUPERUSER)],
        **{
            secret: sorted(str(path.relative_to(folder)) for path in (folder / part).glob("[!.]*"))
            for secret, part in {**NUMBERED, "nats": "nats"}.items()
        },
    }
    public = sorted(str(path.relative_to(folder)) for path in (folder / "public").glob("*.jwks"))
    head = "# Written by `banakil keys`. Keep this folder out of every repository.\n"
    return (
        f"{head}namespace: {NAMESPACE}\ngeneratorOptions: {{disableNameSuffixHash: true}}\n"
        f"configMapGenerator:\n{_generator('public-keys', public)}"
        f"secretGenerator:\n{''.join(_generator(name, files) for name, files in sorted(by_secret.items()))}"
    )


def _of_service(name: str) -> list[str]:
    files = [f"private/{name}.jwk"]
    files += [f"database-password=database/{name}"] if name in DATABASES else []
    return files + [f"bus-password=bus/{user.name}" for user in BUS_USERS if user.name == name]


def _generator(name: str, files: list[str]) -> str:
    return f"  - name: {name}\n    files: [{', '.join(files)}]\n"


def _password(path: Path) -> str:
    if not path.exists():
        write_private(path, secrets.token_urlsafe(PASSWORD_BYTES).encode())
    password = read_private(path).decode(errors="replace").strip()
    if not _SIMPLE.fullmatch(password):
        raise KeyFileError(f"{path} holds no password of letters, digits, _ and -")
    return password


def _write_anew(path: Path, content: str) -> None:
    path.unlink(missing_ok=True)
    write_private(path, content.encode())
