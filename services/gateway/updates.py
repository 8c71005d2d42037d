"""Updates of a Watch as JSON. What several viewers see alike comes to each as the same bytes, and is converted once."""

from typing import Final, NamedTuple

from banakil.table.v1.table_pb2 import WatchResponse

from services.gateway.json_mapping import encode, message_fields
from shared.kit.limits import BoundedDict

KEPT: Final = 512
"""Updates: as many as are sent in the moment for which the viewers of a table get the same one."""


class Update(NamedTuple):
    """One update. ``body``: its fields as JSON, from the first name to the closing brace; empty for a heartbeat,
    which a client has no need of: each `pong` brings what it tells.
    """

    revision: int
    """0 for what belongs to none."""
    body: str
    spectators: int | None = None
    """So many look on, where it tells."""


class Updates:
    """Converts and remembers."""

    def __init__(self) -> None:
        self._known: BoundedDict[bytes, Update] = BoundedDict(KEPT)

    def read(self, raw: bytes) -> Update:
        """The update in a serialised `WatchResponse`."""
        known = self._known.get(raw)
        if known is None:
            known = self._known[raw] = _read(raw)
        return known


def _read(raw: bytes) -> Update:
    message = WatchResponse.FromString(raw)
    match message.WhichOneof("update"):
        case "snapshot":
            revision = message.snapshot.revision
        case "delta":
            revision = message.delta.revision
        case "said":
            revision = 0
        case _:
            return Update(message.heartbeat.head_revision, "", message.spectators)
    spectators = message.spectators if message.HasField("spectators") else None
    return Update(revision, encode(message_fields(message))[1:], spectators)
