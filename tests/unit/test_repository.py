"""The style of the repository, checked where a machine can: what STYLE says in words, a reviewer need not look for."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAX_MODULE_LINES = 350
CODE_SUFFIXES = {".py", ".ts", ".svelte", ".proto"}
TOP_LEVEL_FOLDERS = {".ci", "deploy", "docs", "protos", "requirements", "services", "shared", "tests"}
TOP_LEVEL_FILES = {
    ".dockerignore", ".editorconfig", ".gitignore", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    "Makefile", "README.md", "buf.yaml", "pyproject.toml",
}  # fmt: skip

# Spelt in pieces, so that this file does not break its own rules.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "NotImplemented" + "Error"]) + r")\b")
REGISTRY = re.compile(
    r"\b(?:test\.)?pypi\.org|files\.python" + r"hosted\.org|registry\.npm" + r"js\.org|\b(?:deb|ftp)\.debian\.org"
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+|opt/pypi[\w-]*|opt/wheels)/")


@cache
def files() -> list[Path]:
    """Every file of the project: what git tracks, and what is new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


@cache
def texts() -> dict[str, str]:
    """The text files by their path in the project; pictures, fonts and sounds are left out."""
    found = {}
    for path in files():
        content = path.read_bytes()
        if b"\0" not in content:
            found[path.relative_to(ROOT).as_posix()] = content.decode()
    return found


def modules() -> dict[str, str]:
    return {name: text for name, text in texts().items() if Path(name).suffix in CODE_SUFFIXES}


def places(pattern: re.Pattern[str], among: dict[str, str]) -> list[str]:
    """`file:line: text` of every line that matches."""
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in among.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def public_definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public functions, classes, and the public methods of public classes."""
    bodies: list[list[ast.stmt]] = [tree.body]
    while bodies:
        for node in bodies.pop():
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            yield node
            if isinstance(node, ast.ClassDef):
                bodies.append(node.body)


def test_a_module_is_short_enough_to_hold_one_idea() -> None:
    too_long = {name: lines for name, text in modules().items() if (lines := text.count("\n")) > MAX_MODULE_LINES}
    assert too_long == {}


def test_nothing_is_left_unfinished() -> None:
    assert places(UNFINISHED, modules()) == []


def test_no_file_names_a_package_registry() -> None:
    assert places(REGISTRY, texts()) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert places(MACHINE_PATH, texts()) == []


@pytest.mark.parametrize("lock", ["requirements/runtime.txt", "requirements/dev.txt", "requirements/node.txt"])
def test_a_lock_has_only_exact_versions_and_hashes(lock: str) -> None:
    pin = re.compile(r"[a-z0-9-]+==[\w.]+( ; .+)? \\")
    hash_of_it = re.compile(r" +--hash=sha256:[0-9a-f]{64}( \\)?")
    lines = [line for line in texts()[lock].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert [line for line in lines if not pin.fullmatch(line) and not hash_of_it.fullmatch(line)] == []


def test_the_pages_lock_has_the_hash_of_every_package_and_no_address() -> None:
    packages = json.loads(texts()["services/gateway/web/package-lock.json"])["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []


def test_both_locks_agree_on_every_version() -> None:
    runtime, dev = ({line.split()[0] for line in texts()[f"requirements/{lock}.txt"].splitlines() if "==" in line}
                    for lock in ("runtime", "dev"))  # fmt: skip
    assert runtime <= dev


def test_every_top_level_entry_is_expected() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in files()} - TOP_LEVEL_FOLDERS - TOP_LEVEL_FILES == set()


def test_every_package_has_an_init_without_which_import_linter_would_not_see_it() -> None:
    packages = {
        folder
        for name in texts()
        if name.startswith(("shared/", "services/")) and name.endswith(".py")
        for folder in list(Path(name).parents)[:-1]
    }
    assert [folder.as_posix() for folder in sorted(packages) if not (ROOT / folder / "__init__.py").exists()] == []


def test_every_public_name_of_the_rules_says_what_it_is() -> None:
    silent = [
        f"{name}:{node.lineno}: {node.name}"
        for name, text in modules().items()
        if name.startswith("shared/rules/")
        for node in public_definitions(ast.parse(text))
        if ast.get_docstring(node) is None
    ]
    assert silent == []
