import ast
from pathlib import Path

import pytest

from services.bots import examples

EXAMPLES = sorted(path for path in Path(examples.__file__).parent.glob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_needs_nothing_of_this_project_but_the_stubs(example: Path) -> None:
    tree = ast.parse(example.read_text())
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {"banakil.lobby.v1", "banakil.table.v1", "grpc"} <= modules
    assert not [module for module in modules if module.split(".")[0] in {"services", "shared", "tests"}]


def test_the_minimal_bot_is_as_short_as_it_says() -> None:
    minimal = next(path for path in EXAMPLES if path.stem == "minimal_bot")
    assert len(minimal.read_text().splitlines()) <= 60
