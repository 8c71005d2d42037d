"""The manifests of deploy/k8s: their form, and that what they say of one another and of the code is true."""

import copy
import subprocess
from pathlib import Path
from typing import Any

import pytest
from kubernetes_validate.utils import latest_version, validate

from services.allinone.key_folder import make_keys
from shared.kit.nats_server import find_binary
from tests.support import manifest_checks as checks
from tests.support import manifest_settings as settings
from tests.support.manifest_checks import Check
from tests.support.manifests import K8S, RENDERED, Document, Manifests, render

CHECKS: tuple[Check, ...] = (
    checks.every_service_runs,
    checks.selectors_match,
    checks.ports_match,
    checks.probes_are_right,
    checks.stops_in_time,
    checks.pods_are_restricted,
    checks.secrets_are_files,
    checks.mounts_are_there,
    checks.images_are_known,
    settings.settings_are_known,
    settings.paths_are_mounted,
    settings.addresses_lead_somewhere,
    settings.nats_is_as_the_code_says,
    settings.postgres_has_room,
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    make_keys(folder)
    return folder


@pytest.fixture(scope="module")
def rendered(keys: Path) -> dict[str, Manifests]:
    made = render(keys)
    return {name: Manifests(render(K8S / name), made) for name in RENDERED}


@pytest.mark.parametrize("name", RENDERED)
def test_every_manifest_has_the_form_that_kubernetes_takes(name: str, rendered: dict[str, Manifests]) -> None:
    for document in rendered[name].documents:
        validate(document, latest_version(), strict=True)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", RENDERED)
def test_what_manifests_say_is_true(name: str, check: Check, rendered: dict[str, Manifests]) -> None:
    assert list(check(rendered[name])) == []


@pytest.mark.parametrize("name", RENDERED)
def test_nats_server_takes_its_configuration_with_the_passwords_that_were_made(
    name: str, rendered: dict[str, Manifests], keys: Path, tmp_path: Path
) -> None:
    [config] = [each["data"]["nats.conf"] for each in rendered[name].of("ConfigMap") if "nats.conf" in each["data"]]
    (tmp_path / "nats.conf").write_text(config)
    for secret in (keys / "nats").iterdir():
        (tmp_path / secret.name).write_bytes(secret.read_bytes())
    command = [str(find_binary()), "-t", "--config", str(tmp_path / "nats.conf")]
    done = subprocess.run(command, env={"POD_NAME": "nats-0"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


GONE = object()
NATS_PASSWORD_FILE = "ConfigMap bots data BANAKIL_BOTS_NATS_PASSWORD_FILE"
BOTS_URL = "ConfigMap bots data BANAKIL_BOTS_DATABASE_URL"
SECRET_KEY = {"name": "X", "valueFrom": {"secretKeyRef": {"name": "postgres", "key": "postgres"}}}
FAULTS: tuple[tuple[Check, str, str, Any], ...] = (
    (checks.every_service_runs, "workloads", "Deployment wallet metadata name", "purse"),
    (checks.selectors_match, "its selector", "Deployment lobby spec selector matchLabels app", "table"),
    (checks.selectors_match, "Service table", "Service table spec selector app", "tables"),
    (checks.selectors_match, "picks no pods", "PodDisruptionBudget nats spec selector matchLabels app", "bus"),
    (checks.selectors_match, "no Service peers", "StatefulSet nats spec serviceName", "peers"),
    (checks.ports_match, "has no port https", "Service gateway spec ports 0 targetPort", "https"),
    (checks.ports_match, "has no port 80", "Service lobby spec ports 0 port", 80),
    (checks.ports_match, "headless", "Service lobby spec ports 0", {"port": 80, "targetPort": "grpc"}),
    (checks.ports_match, "listen on", "ConfigMap lobby data BANAKIL_LOBBY_LISTEN", "0.0.0.0:50052"),
    (checks.ports_match, "for others", "ConfigMap gateway data BANAKIL_GATEWAY_HTTP_LISTEN", "127.0.0.1:8080"),
    (checks.probes_are_right, "a port", "StatefulSet nats main livenessProbe httpGet port", "metrics"),
    (checks.probes_are_right, "livenessProbe asks", "Deployment table main livenessProbe grpc service", GONE),
    (checks.probes_are_right, "readinessProbe asks", "Deployment table main readinessProbe grpc service", "liveness"),
    (checks.probes_are_right, "no startupProbe", "Deployment shuffle main startupProbe", GONE),
    (checks.stops_in_time, "callers know", "Deployment lobby main lifecycle", GONE),
    (checks.stops_in_time, "killed while it drains", "ConfigMap table data BANAKIL_TABLE_DRAIN_MS", "30000"),
    (checks.stops_in_time, "sends its clients", "StatefulSet nats pod terminationGracePeriodSeconds", 30),
    (checks.pods_are_restricted, "may be root", "StatefulSet nats pod securityContext runAsUser", GONE),
    (checks.pods_are_restricted, "seccomp", "StatefulSet nats pod securityContext seccompProfile", GONE),
    (checks.pods_are_restricted, "file system", "Deployment wallet main securityContext readOnlyRootFilesystem", GONE),
    (checks.pods_are_restricted, "has capa", "Deployment bots main securityContext capabilities", {"add": ["ALL"]}),
    (checks.pods_are_restricted, "privileges", "Deployment bots main securityContext allowPrivilegeEscalation", True),
    (checks.pods_are_restricted, "at the most", "Deployment wallet main resources limits", GONE),
    (checks.secrets_are_files, "in its environment", "StatefulSet postgres main env 0", SECRET_KEY),
    (checks.secrets_are_files, "is no file", "StatefulSet postgres main env 0 name", "POSTGRES_PASSWORD"),
    (checks.secrets_are_files, "read by others", "Deployment lobby pod volumes 0 secret defaultMode", 0o444),
    (checks.secrets_are_files, "in the manifests", "Service wallet kind", "Secret"),
    (checks.mounts_are_there, "no Secret lobbies", "Deployment lobby pod volumes 0 secret secretName", "lobbies"),
    (checks.mounts_are_there, "no volume own", "Deployment lobby pod volumes 0 name", "owned"),
    (checks.images_are_known, "was tested", "Deployment lobby main image", "banakil"),
    (checks.images_are_known, "was tested", "StatefulSet nats main image", "nats:2.10.0"),
    (checks.images_are_known, "another program", "Deployment lobby main command 0", "banakil-table"),
    (settings.settings_are_known, "no setting listens", "ConfigMap lobby data BANAKIL_LOBBY_LISTENS", "x"),
    (settings.settings_are_known, "is another's", "ConfigMap lobby data BANAKIL_TABLE_LISTEN", "x"),
    (settings.settings_are_known, "not given", "ConfigMap bots data BANAKIL_BOTS_TABLE_ADDRESS", GONE),
    (settings.settings_are_known, "not given", NATS_PASSWORD_FILE, GONE),
    (settings.settings_are_known, "nats_replicas", "ConfigMap bots data BANAKIL_BOTS_NATS_REPLICAS", "7"),
    (settings.paths_are_mounted, "nothing is mounted", NATS_PASSWORD_FILE, "/etc/banakil/keys/private/nats"),
    (settings.paths_are_mounted, "nothing is mounted", "Deployment shuffle main volumeMounts 0 mountPath", "/keys"),
    (settings.addresses_lead_somewhere, "no Service", "ConfigMap bots data BANAKIL_BOTS_TABLE_ADDRESS", "t:50051"),
    (settings.addresses_lead_somewhere, "no Service", "ConfigMap bots data BANAKIL_BOTS_NATS_URL", "nats://nats:1"),
    (settings.addresses_lead_somewhere, "does not listen", "Deployment table main env 1 value", "$(POD_IP):50052"),
    (settings.settings_are_known, "advertise is not given", "Deployment table main env 1 name", "ADVERTISE"),
    (settings.addresses_lead_somewhere, "to one pod", "Service table spec clusterIP", GONE),
    (settings.addresses_lead_somewhere, "not its own", BOTS_URL, "postgresql://bots@postgres/lobby"),
    (settings.nats_is_as_the_code_says, "nats.conf is not", "ConfigMap nats-config data nats.conf", "users: []"),
    (settings.nats_is_as_the_code_says, "there are 2 servers", "StatefulSet nats spec replicas", 2),
    (settings.nats_is_as_the_code_says, "1 copies", "ConfigMap bots data BANAKIL_BOTS_NATS_REPLICAS", GONE),
    (settings.postgres_has_room, "makes others", "ConfigMap postgres-init data databases.sh", "for service in x; do\n"),
    (settings.postgres_has_room, "too few", "Deployment lobby spec replicas", 30),
)


@pytest.mark.parametrize(("check", "said", "where", "what"), FAULTS, ids=lambda part: part if part is str else None)
def test_a_planted_fault_is_found(
    check: Check, said: str, where: str, what: object, rendered: dict[str, Manifests]
) -> None:
    planted = Manifests(copy.deepcopy(rendered["base"].documents), rendered["base"].keys)
    plant(planted.documents, where.split(), what)
    assert [sentence for sentence in check(planted) if said in sentence]


def test_every_check_has_a_fault_that_it_finds() -> None:
    assert {check for check, *_ in FAULTS} == set(CHECKS)


def plant(documents: list[Document], path: list[str], what: object) -> None:
    """Puts `what` at kind, name, and keys; `pod` is a workload's pod and `main` its container."""
    kind, name, *keys = path
    [document] = [each for each in documents if (each["kind"], plain_name(each)) == (kind, name)]
    short = {"pod": ["spec", "template", "spec"], "main": ["spec", "template", "spec", "containers", "0"]}
    *way, last = [step for key in keys for step in short.get(key, [key])]
    place: Any = document
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if what is GONE:
        del place[last]
    elif isinstance(place, list):
        place[int(last)] = what
    else:
        place[last] = what


def plain_name(document: Document) -> str:
    """Its name, without the hash of what a generated ConfigMap holds."""
    name = str(document["metadata"]["name"])
    return name.rpartition("-")[0] if document["kind"] == "ConfigMap" else name
