"""What the documents say of services and kit is what is there: maps are complete, settings and commands exist."""

import ast
import re
from pathlib import Path

import pytest

from shared.kit.identity import SERVICES
from shared.kit.status import STATUS_BY_KIND

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
GUIDES = {
    name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md", "docs/operate.md")
}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def section(title: str) -> str:
    return ARCHITECTURE[ARCHITECTURE.index(f"## {title}\n") :].split("\n## ")[0]


def settings_of(service: str) -> set[str]:
    """The variables that a service reads, from the fields of its own settings and of those that all have."""
    names = set()
    for path in (ROOT / "shared/kit/settings.py", ROOT / f"services/{service}/settings.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(f"BANAKIL_{service.upper()}_{node.target.id.upper()}")
    return names


def test_the_map_of_the_kit_names_every_module_and_no_other() -> None:
    modules = {path.name for path in (ROOT / "shared/kit").glob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"`(\w+\.py)`", section("The kit"))) == modules


def test_the_table_of_services_has_them_all() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", section("The services"), re.MULTILINE)) == {str(name) for name in SERVICES}


def test_the_table_of_errors_has_every_kind_with_its_status() -> None:
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", section("A call"), re.MULTILINE)
    assert told == [(kind.__name__, status.name) for kind, status in STATUS_BY_KIND.items()]


def test_every_decision_is_listed_with_its_number_and_no_number_is_left_out() -> None:
    listed = re.findall(r"\[(\d{4})\]\(adr/(\d{4}-[\w-]+\.md)\)", (ROOT / "docs/README.md").read_text(encoding="utf-8"))
    files = sorted(path.name for path in (ROOT / "docs/adr").glob("*.md"))
    assert listed == [(f"{number:04}", name) for number, name in enumerate(files, 1)]
    assert [name for number, name in listed if not name.startswith(number)] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_a_setting_that_is_named_is_one(guide: str) -> None:
    known = {name for service in SERVICES for name in settings_of(service)} | {"BANAKIL_TEST_SEED"}
    assert set(re.findall(r"BANAKIL_[A-Z_]+[A-Z]\b", GUIDES[guide])) - known == set()


@pytest.mark.parametrize("guide", GUIDES)
def test_a_target_of_make_that_is_named_is_one(guide: str) -> None:
    named = set(re.findall(r"^    make ([a-z0-9-]+)|`make ([a-z0-9-]+)`", GUIDES[guide], re.MULTILINE))
    targets = set(re.findall(r"^([a-z0-9-]+):", MAKEFILE, re.MULTILINE))
    assert {first or second for first, second in named} - targets == set()
