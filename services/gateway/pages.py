"""The built page, held in memory: a path can only name a file that was there at the start, and all are of one build."""

import gzip
import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from shared.kit.settings import SettingsError

MOST_FILES: Final = 2_000
MOST_BYTES: Final = 64 * 1024 * 1024
FOREVER: Final = "public, max-age=31536000, immutable"
ASK_FIRST: Final = "no-cache"
HASHED: Final = "assets/"
"""Where Vite puts files whose names change with their content."""
INDEX: Final = "index.html"
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wav": "audio/wav",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
_COMPRESSIBLE: Final = frozenset({".css", ".html", ".ico", ".js", ".json", ".map", ".svg", ".txt", ".webmanifest"})
_ABSENT: Final = """<!doctype html>
<html lang="ar" dir="rtl">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>بناكل</title>
<h1>بناكل</h1>
<p>صفحة اللعب لم تُبنَ بعد: <code dir="ltr">make play</code></p>
<p lang="en" dir="ltr">The page has not been built yet; <code>make play</code> builds it.</p>
"""


class File(NamedTuple):
    """A file as it is sent."""

    body: bytes
    gzipped: bytes | None
    content_type: str
    cache: str
    etag: str


class Pages:
    """The files of a folder, and the index for every path that is the page's own."""

    def __init__(self, folder: Path) -> None:
        """Reads them all. Raises :class:`SettingsError` for a folder that holds far too much to be a page."""
        self._files = _read(folder) if (folder / INDEX).is_file() else {}

    async def serve(self, request: Request) -> Response:
        """Answers GET and HEAD."""
        path = request.path_params["path"]
        if not self._files:
            return Response(_ABSENT, 503, {"cache-control": "no-store"}, TYPES[".html"])
        file = self._files.get(path)
        if file is None and "." not in path.rpartition("/")[2]:
            file = self._files[INDEX]
        if file is None:
            return Response("", 404, {"cache-control": "no-store"}, TYPES[".txt"])
        headers = {"cache-control": file.cache, "etag": file.etag, "vary": "accept-encoding"}
        if file.etag in (tag.strip() for tag in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=headers)
        if file.gzipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.gzipped, headers={**headers, "content-encoding": "gzip"}, media_type=file.content_type)
        return Response(file.body, headers=headers, media_type=file.content_type)


def _read(folder: Path) -> dict[str, File]:
    files: dict[str, File] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            total += path.stat().st_size
            if len(files) >= MOST_FILES or total > MOST_BYTES:
                raise SettingsError(f"{folder} holds too much to be a page")
            name = path.relative_to(folder).as_posix()
            files[name] = _file(name, path.read_bytes())
    return files


def _file(name: str, body: bytes) -> File:
    suffix = Path(name).suffix.lower()
    gzipped = gzip.compress(body, 9, mtime=0) if suffix in _COMPRESSIBLE else None
    return File(
        body=body,
        gzipped=gzipped if gzipped is not None and len(gzipped) < len(body) else None,
        content_type=TYPES.get(suffix, "application/octet-stream"),
        cache=FOREVER if name.startswith(HASHED) else ASK_FIRST,
        # Weak: one tag for the file whether or not it is compressed.
        etag=f'W/"{hashlib.sha256(body).hexdigest()[:20]}"',
    )
