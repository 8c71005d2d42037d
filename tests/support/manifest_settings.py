"""What the manifests give the services as settings, and whether that is what they take."""

import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from services.allinone.key_folder import DATABASES
from services.allinone.platform import BUS_USERS
from shared.kit.database import POOL_SIZE
from shared.kit.identity import SERVICES
from shared.kit.nats_cluster import CLIENT_PORT, CLUSTER_PORT, MONITOR_PORT, SERVERS, server_config
from shared.kit.settings import PREFIX, Settings
from tests.support.manifests import ROOT, Manifests, Workload

OWN_CONNECTIONS: Final = 3
"""What a process may have open to Postgres besides its pool, at the most."""
RESERVED_CONNECTIONS: Final = 3
POSTGRES_PORT: Final = 5432
_ADDRESS: Final = re.compile(r"(?:(\w+)://)?(?:(\w+)@)?([\w.-]+)(?::(\d+))?(?:/(\w+))?")


class Project:
    """What pyproject.toml and the services' own modules say."""

    def __init__(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        self.version: str = project["version"]
        self.programs: dict[str, str] = project["scripts"]
        self.settings: dict[str, type[Settings]] = {
            name.value: getattr(import_module(f"services.{name}.settings"), f"{name.value.title()}Settings")
            for name in SERVICES
        }


PROJECT: Final = Project()


def lock_version(package: str) -> str:
    """The version that `requirements/` holds of a package."""
    [version] = re.findall(rf"^{package}==(\S+)", (ROOT / "requirements/runtime.txt").read_text(), re.MULTILINE)
    return str(version)


def given_settings(manifests: Manifests, workload: Workload) -> dict[str, str]:
    """The settings that a service is given, by field."""
    prefix = f"{PREFIX}{workload.name.upper()}_"
    variables = manifests.environment(workload)
    return {name.removeprefix(prefix).lower(): value for name, value in variables.items() if name.startswith(prefix)}


def is_needed(service: str, field: str, default: Any) -> bool:
    """Whether a setting has no default that could do in a cluster."""
    if field.startswith("nats"):
        return field != "nats_replicas" and service in {user.name for user in BUS_USERS}
    if field.startswith("database"):
        return service in DATABASES
    if field in {"advertise", "custody"}:
        return True
    return "127.0.0.1" in str(default) or (isinstance(default, Path) and not default.is_absolute())


def settings_are_known(manifests: Manifests) -> Iterator[str]:
    for workload in filter(lambda each: each.is_service, manifests.workloads):
        kind, given = PROJECT.settings[workload.name], given_settings(manifests, workload)
        for name in manifests.environment(workload):
            if name.startswith(PREFIX) and not name.startswith(f"{PREFIX}{workload.name.upper()}_"):
                yield f"{workload.name}: {name} is another's"
        for field in given.keys() - kind.model_fields.keys():
            yield f"{workload.name}: it has no setting {field}"
        for field, info in kind.model_fields.items():
            if field not in given and is_needed(workload.name, field, info.default):
                yield f"{workload.name}: {field} is not given"
        try:
            kind(**{field: value for field, value in given.items() if field in kind.model_fields})  # type: ignore[arg-type]  # as text, as in the environment
        except ValidationError as refusal:
            yield f"{workload.name}: {refusal}"


def paths_are_mounted(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        files, _ = manifests.files(workload)
        wanted = {value for name, value in manifests.environment(workload).items() if value.startswith("/etc/banakil/")}
        if workload.is_service:
            keys = given_settings(manifests, workload).get("keys")
            wanted |= {f"{keys}/private/{workload.name}.jwk", f"{keys}/public/{workload.name}.jwks"}
        for path in wanted:
            if path not in files and not any(file.startswith(f"{path}/") for file in files):
                yield f"{workload.name}: nothing is mounted at {path}"


def addresses_lead_somewhere(manifests: Manifests) -> Iterator[str]:
    for workload in filter(lambda each: each.is_service, manifests.workloads):
        for field, value in given_settings(manifests, workload).items():
            if not (field.endswith("_address") or field in {"advertise", "nats_url", "database_url"}):
                continue
            if (found := _ADDRESS.fullmatch(value)) is None:
                yield f"{workload.name}: {field} is no address"
                continue
            host, port = found[3], int(found[4] or POSTGRES_PORT)
            if host == "10.0.0.1":  # the pod's own
                if port not in workload.ports.values():
                    yield f"{workload.name}: {field} is a port that it does not listen on"
                continue
            service = manifests.service(host)
            if service is None or port not in [each["port"] for each in service["spec"]["ports"]]:
                yield f"{workload.name}: {field} leads to no Service"
            elif field.endswith("_address") and service["spec"].get("clusterIP") != "None":
                yield f"{workload.name}: {field} would hold all calls to one pod"
            elif field == "database_url" and not found[2] == found[5] == workload.name:
                yield f"{workload.name}: its database and its role are not its own"


def nats_is_as_the_code_says(manifests: Manifests) -> Iterator[str]:
    nats = manifests.workload("nats")
    replicas = nats.spec["replicas"]
    if replicas not in {1, SERVERS}:
        yield f"nats: there are {replicas} servers, and their routes are for {SERVERS}"
    [name] = [n for v in nats.pod["volumes"] for s in v.get("projected", {}).get("sources", []) for n in _names(s)]
    if (manifests.data("ConfigMap", name) or {}).get("nats.conf") != server_config(BUS_USERS, clustered=replicas > 1):
        yield "nats: nats.conf is not what `banakil nats-config` prints"
    if set(nats.ports.values()) != {CLIENT_PORT, CLUSTER_PORT, MONITOR_PORT}:
        yield "nats: its ports are not those of nats.conf"
    for workload in manifests.workloads:
        kept = int(given_settings(manifests, workload).get("nats_replicas", 1))
        if workload.name in {user.name for user in BUS_USERS} and kept != replicas:
            yield f"{workload.name}: it asks for {kept} copies of {replicas} servers"


def postgres_has_room(manifests: Manifests) -> Iterator[str]:
    postgres = manifests.workload("postgres")
    [(_, script)] = [
        item for each in manifests.of("ConfigMap") for item in each["data"].items() if item[0].endswith("sh")
    ]
    if set(re.findall(r"^for service in (.+); do$", script, re.MULTILINE)[0].split()) != set(DATABASES):
        yield "postgres: databases.sh makes others than the services have"
    most = int(re.findall(r"max_connections=(\d+)", " ".join(postgres.container["args"]))[0])
    # One more of each while an update rolls.
    processes = sum(each.spec["replicas"] + 1 for each in manifests.workloads if each.name in DATABASES)
    if most - RESERVED_CONNECTIONS < processes * (POOL_SIZE + OWN_CONNECTIONS):
        yield f"postgres: {most} connections are too few for {processes} processes"


def _names(source: dict[str, Any]) -> list[str]:
    return [source["configMap"]["name"]] if "configMap" in source else []
