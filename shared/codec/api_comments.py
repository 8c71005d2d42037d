"""Comments of the protos: the text of any element, and the three lines that every RPC's comment ends with.

Roles: player, bot.
Errors: NO_SUCH_TABLE (NOT_FOUND), STALE_TURN (ABORTED).
Repeatable: yes, by command_id.
"""

import re
from dataclasses import dataclass
from typing import Final

from google.protobuf.descriptor_pb2 import FileDescriptorProto

_LINES: Final = re.compile(r"(?P<text>.*?)\n *Roles: (?P<roles>.*?)\.\n *Errors: (?P<errors>.*?)\.\n"
                           r" *Repeatable: (?P<repeatable>.*?)\.\s*", re.DOTALL)  # fmt: skip
_ERROR: Final = re.compile(r"([A-Z][A-Z_]+) \(([A-Z_]+)\)")


class Comments:
    """The comments of one file, by the path of numbers that leads to an element in its descriptor."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._raw = {tuple(at.path): at.leading_comments for at in file.source_code_info.location}

    def raw(self, path: tuple[int, ...]) -> str:
        """The comment as it was written, empty where there is none."""
        return self._raw.get(path, "")

    def text(self, path: tuple[int, ...]) -> str:
        """The comment as one line."""
        return _one_line(self.raw(path))


@dataclass(frozen=True, slots=True)
class RpcComment:
    """What an RPC's comment says."""

    text: str
    roles: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]
    """Pairs of code and gRPC status."""
    errors_text: str
    repeatable: str
    """`yes`, `yes, by <field>`, or `no`."""

    @classmethod
    def parse(cls, comment: str) -> "RpcComment":
        """Raises `ValueError` where one of the three lines is missing or they stand in another order."""
        found = _LINES.fullmatch(comment)
        if found is None:
            raise ValueError(f"a comment without its Roles, Errors and Repeatable lines: {_one_line(comment)}")
        errors = _one_line(found["errors"])
        return cls(
            text=_one_line(found["text"]),
            roles=tuple(role.strip() for role in found["roles"].split(",")),
            errors=tuple((code, status) for code, status in _ERROR.findall(errors)),
            errors_text=errors,
            repeatable=_one_line(found["repeatable"]),
        )


def _one_line(comment: str) -> str:
    return " ".join(comment.split())
