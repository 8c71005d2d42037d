"""The image's Dockerfile, where a machine without a container engine can check it."""

import re
from pathlib import Path
from typing import Final

import yaml

from tests.support.manifests import K8S, ROOT

TEXT: Final = (ROOT / "deploy/docker/Dockerfile").read_text()
STAGES: Final = re.split(r"^FROM ", TEXT, flags=re.MULTILINE)[1:]


def test_its_python_is_the_one_that_the_dependencies_were_locked_with() -> None:
    [python] = re.findall(r"^ARG PYTHON=python:([\d.]+)-", TEXT, re.MULTILINE)
    assert f"with Python {python}\n" in (ROOT / "requirements/runtime.txt").read_text()


def test_all_that_it_is_made_of_is_there_and_is_let_in() -> None:
    copied = [name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", TEXT, re.MULTILINE) for name in line.split()]
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {Path(name).parts[0] for name in copied if name != "."} <= let_in
    assert [name for name in (*copied, *let_in) if not (ROOT / name).exists()] == []


def test_it_runs_as_the_user_that_the_pods_run_as_and_takes_no_tools_along() -> None:
    pods = yaml.safe_load((K8S / "base/service.yaml").read_text())["spec"]["template"]["spec"]["securityContext"]
    assert re.findall(r"^USER (\d+):(\d+)$", STAGES[-1], re.MULTILINE) == [
        (str(pods["runAsUser"]), str(pods["runAsGroup"]))
    ]
    assert "RUN" not in STAGES[-1]
    assert re.findall(r"^COPY (.+)$", STAGES[-1], re.MULTILINE) == ["--from=build /opt/banakil /opt/banakil"]
