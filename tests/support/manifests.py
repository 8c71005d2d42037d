"""The Kubernetes manifests of deploy/k8s as `kubectl kustomize` renders them, with ways to walk them."""

import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from shared.kit.identity import SERVICES

ROOT: Final = Path(__file__).resolve().parents[2]
K8S: Final = ROOT / "deploy/k8s"
RENDERED: Final = ("base", *sorted(f"overlays/{path.name}" for path in (K8S / "overlays").iterdir()))
KUBECTL: Final = Path(sysconfig.get_path("scripts")) / "kubectl"

Document = dict[str, Any]


def render(folder: Path) -> list[Document]:
    """What `kubectl kustomize` makes of a folder. Asks nothing of the network."""
    done = subprocess.run([KUBECTL, "kustomize", folder], check=True, capture_output=True, text=True)
    return list(yaml.safe_load_all(done.stdout))


@dataclass(frozen=True, slots=True)
class Workload:
    """A Deployment or StatefulSet. All of them have one container, ``main``."""

    document: Document

    @property
    def name(self) -> str:
        return str(self.document["metadata"]["name"])

    @property
    def is_service(self) -> bool:
        return self.name in SERVICES

    @property
    def spec(self) -> Document:
        return dict(self.document["spec"])

    @property
    def labels(self) -> dict[str, str]:
        return dict(self.spec["template"]["metadata"]["labels"])

    @property
    def pod(self) -> Document:
        return dict(self.spec["template"]["spec"])

    @property
    def container(self) -> Document:
        [container] = self.pod["containers"]
        return dict(container)

    @property
    def ports(self) -> dict[str, int]:
        return {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def port(self, named: str | int) -> int | None:
        """The container's port by its name or number; None where it has no such port."""
        return self.ports.get(named) if isinstance(named, str) else named if named in self.ports.values() else None


@dataclass(frozen=True, slots=True)
class Manifests:
    """``documents`` are rendered; ``keys`` are what `banakil keys` has its folder make beside them."""

    documents: list[Document]
    keys: list[Document]

    def of(self, *kinds: str) -> Iterator[Document]:
        return (document for document in self.documents if document["kind"] in kinds)

    @property
    def workloads(self) -> list[Workload]:
        return [Workload(document) for document in self.of("Deployment", "StatefulSet")]

    def workload(self, name: str) -> Workload:
        [found] = [workload for workload in self.workloads if workload.name == name]
        return found

    def service(self, name: str) -> Document | None:
        """The Service with this name."""
        return next((service for service in self.of("Service") if service["metadata"]["name"] == name), None)

    def selected(self, service: Document) -> list[Workload]:
        """Whose pods a Service's selector picks."""
        wanted = service["spec"]["selector"].items()
        return [workload for workload in self.workloads if wanted <= workload.labels.items()]

    def data(self, kind: str, name: str) -> dict[str, str] | None:
        """What a ConfigMap or Secret holds, by its keys; None where there is no such."""
        for document in (*self.documents, *self.keys):
            if (document["kind"], document["metadata"]["name"]) == (kind, name):
                return dict(document["data"])
        return None

    def environment(self, workload: Workload) -> dict[str, str]:
        """The variables of its container; what only the cluster knows is an address that stands for any."""
        found: dict[str, str] = {}
        for source in workload.container.get("envFrom", []):
            found |= self.data("ConfigMap", source["configMapRef"]["name"]) or {}
        for variable in workload.container.get("env", []):
            found[variable["name"]] = variable.get("value", "10.0.0.1")
        return {name: value.replace("$(POD_IP)", "10.0.0.1") for name, value in found.items()}

    def files(self, workload: Workload) -> tuple[set[str], list[str]]:
        """Every file that its mounted Secrets and ConfigMaps bring, and what of them is not there to be mounted."""
        files: set[str] = set()
        faults = []
        volumes = {volume["name"]: volume for volume in workload.pod.get("volumes", [])}
        volumes |= {claim["metadata"]["name"]: {} for claim in workload.spec.get("volumeClaimTemplates", [])}
        for mount in workload.container.get("volumeMounts", []):
            if (volume := volumes.get(mount["name"])) is None:
                faults.append(f"{workload.name}: no volume {mount['name']}")
                continue
            for kind, name in sources(volume):
                if (data := self.data(kind, name)) is None:
                    faults.append(f"{workload.name}: no {kind} {name}")
                files |= {f"{mount['mountPath']}/{key}" for key in data or {}}
        return files, faults


def sources(volume: Document) -> Iterator[tuple[str, str]]:
    """The kind and name of every Secret and ConfigMap in a volume."""
    for part in (volume, *volume.get("projected", {}).get("sources", [])):
        if "secret" in part:
            yield "Secret", part["secret"].get("secretName") or part["secret"]["name"]
        if "configMap" in part:
            yield "ConfigMap", part["configMap"]["name"]
