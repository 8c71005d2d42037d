"""The processes of the table service that share a database, as one of them sees the others. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Pod(NamedTuple):
    """One process."""

    pod_id: str
    """Of this start of it."""
    address: str
    renewed_ms: int
    """Its last sign of life."""
    live_tables: int
    """Then."""
    draining: bool
    alive: bool
    """Whether its lease runs and the session that holds its lock is there."""


def addresses(pods: Iterable[Pod]) -> set[str]:
    """Where somebody answers."""
    return {pod.address for pod in pods if pod.alive}


def dead(pods: Iterable[Pod]) -> list[str]:
    """The ids of those whose tables may be claimed."""
    return [pod.pod_id for pod in pods if not pod.alive]


def others(pods: Iterable[Pod], mine: str) -> list[Pod]:
    """Those that may take over from this one."""
    return [pod for pod in pods if pod.alive and not pod.draining and pod.pod_id != mine]


def fewest(pods: Iterable[Pod], mine: str, placed: Mapping[str, int]) -> Pod | None:
    """The pod with the fewest live tables, for the next one; of equals this one, then the first by id.

    ``placed``: tables that were given to a pod since it last counted its own. ``None`` where none takes any.
    """
    return min(
        (pod for pod in pods if pod.alive and not pod.draining),
        key=lambda pod: (pod.live_tables + placed.get(pod.pod_id, 0), pod.pod_id != mine, pod.pod_id),
        default=None,
    )


def still_placed(placed: Mapping[str, int], before: Iterable[Pod], now: Iterable[Pod]) -> dict[str, int]:
    """What was given to pods that have not counted their tables since."""
    counted = {pod.pod_id: pod.renewed_ms for pod in before}
    return {
        pod.pod_id: placed[pod.pod_id]
        for pod in now
        if pod.pod_id in placed and counted.get(pod.pod_id) == pod.renewed_ms
    }
