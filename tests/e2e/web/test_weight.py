"""How much a visitor's browser has to load (UX 1) of the page as it is built, packed as the gateway packs it."""

import gzip
import re
from pathlib import Path

from services.gateway.settings import PAGE

ASSETS = PAGE / "assets"


def _packed(files: list[Path]) -> int:
    return sum(len(gzip.compress(file.read_bytes(), 9, mtime=0)) for file in files)


def _words() -> Path:
    """The larger language: a visitor loads one."""
    return max((_only("ar-*.js"), _only("en-*.js")), key=lambda file: file.stat().st_size)


def _only(name: str) -> Path:
    (found,) = ASSETS.glob(name)
    return found


def _first() -> list[Path]:
    """What index.html asks for."""
    return [PAGE / name for name in re.findall(r'/(assets/[^"]+)"', (PAGE / "index.html").read_text())]


def test_ux_1_a_table_needs_at_most_80_kb_of_scripts() -> None:
    scripts = [file for file in _first() if file.suffix == ".js"]
    assert scripts
    assert _packed([*scripts, _words()]) <= 80_000


def test_ux_1_a_first_visit_loads_at_most_250_kb_with_fonts_and_deck() -> None:
    home = [_only("HomeScreen-*.js"), _only("HomeScreen-*.css")]
    fonts = list(ASSETS.glob("*.woff2"))
    assert len(fonts) == 2
    packed = _packed([PAGE / "index.html", PAGE / "icon.svg", *_first(), *home, _words()])
    assert packed + sum(font.stat().st_size for font in fonts) <= 250_000
