"""The page as it is served: which headers, what is kept and for how long, and what is there when it was not built."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.kit.settings import SettingsError
from tests.support.gateway import World, open_world
from tests.support.http import http

INDEX = '<!doctype html><script type="module" src="/assets/index-4fG7.js"></script>' + " " * 300
SCRIPT = "console.log('banakil');\n" * 100


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "assets" / "index-4fG7.js").write_text(SCRIPT)
    (folder / "assets" / "deck-9aZq.woff2").write_bytes(b"wOF2" + bytes(100))
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / ".hidden").write_text("x")
    (tmp_path / "secret.txt").write_text("x")
    return folder


async def test_the_page_is_served_under_a_policy_that_lets_nothing_else_in(world: World, page: Path) -> None:
    async with world.gateway(page=page):
        for path in ("/", "/assets/index-4fG7.js", "/healthz", "/api/none", "/none.txt"):
            headers = (await http(world.web, "GET", path)).headers
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
            assert not any("unsafe" in sources or "*" in sources or "http" in sources for sources in policy.values())
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers


async def test_hashed_files_are_kept_and_the_index_is_asked_for(world: World, page: Path) -> None:
    async with world.gateway(page=page):
        script = await http(world.web, "GET", "/assets/index-4fG7.js")
        assert script.content.decode() == SCRIPT
        assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert script.headers["content-type"] == "text/javascript; charset=utf-8"
        for path in ("/", "/index.html", "/t/some-table", "/favicon.svg"):
            assert (await http(world.web, "GET", path)).headers["cache-control"] == "no-cache"
        index = await http(world.web, "GET", "/")
        assert index.content.decode() == INDEX
        again = await http(world.web, "GET", "/", headers={"if-none-match": index.headers["etag"]})
        assert (again.status, again.content) == (304, b"")
        assert (await http(world.web, "GET", "/", headers={"if-none-match": '"other"'})).status == 200


async def test_text_is_compressed_for_whoever_can_read_that(world: World, page: Path) -> None:
    async with world.gateway(page=page):
        packed = await http(world.web, "GET", "/assets/index-4fG7.js", headers={"accept-encoding": "br, gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["vary"] == "accept-encoding"
        assert gzip.decompress(packed.content).decode() == SCRIPT
        font = await http(world.web, "GET", "/assets/deck-9aZq.woff2", headers={"accept-encoding": "gzip"})
        assert "content-encoding" not in font.headers
        assert font.headers["content-type"] == "font/woff2"
        head = await http(world.web, "HEAD", "/assets/index-4fG7.js")
        assert (head.content, head.headers["content-length"]) == (b"", str(len(SCRIPT)))


@pytest.mark.parametrize("path", ["/none.js", "/.hidden", "/../secret.txt", "/%2e%2e/secret.txt",
                                  "/assets/..%2f..%2fsecret.txt", "/assets/none-1.js"])  # fmt: skip
async def test_nothing_but_the_files_of_the_page_is_served(world: World, page: Path, path: str) -> None:
    async with world.gateway(page=page):
        assert (await http(world.web, "GET", path)).status == 404


async def test_a_page_that_was_not_built_says_so_and_how(world: World) -> None:
    async with world.gateway():
        answered = await http(world.web, "GET", "/")
    assert answered.status == 503
    assert "make play" in answered.content.decode()
    assert "<script" not in answered.content.decode()
    assert answered.headers["cache-control"] == "no-store"


async def test_a_folder_that_is_no_page_is_refused_at_the_start(
    world: World, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.gateway.pages.MOST_FILES", 2)
    with pytest.raises(SettingsError):
        async with world.gateway(page=page):
            pass


async def test_a_port_that_is_taken_is_an_error_of_the_start(world: World) -> None:
    async with world.gateway():
        with pytest.raises(OSError, match="cannot listen"):
            async with world.gateway(http_listen=world.web):
                pass
