"""Policies by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from services.bots.policies.aimless import Random
from services.bots.policies.easy import Easy
from services.bots.policies.expert import Expert
from services.bots.policies.greedy import Greedy
from services.bots.policies.policy import Policy
from services.bots.policies.safe import Safe
from services.bots.policies.strong import Strong

_MAKERS: Final[Mapping[str, Callable[[int | None], Policy]]] = MappingProxyType(
    {
        "random": lambda _: Random(),
        "easy": lambda _: Easy(),
        "greedy": lambda _: Greedy(),
        "safe": lambda _: Safe(),
        "strong": lambda _: Strong(),
        "expert": lambda playouts: Expert(Strong(), playouts),
    }
)
POLICIES: Final[Mapping[str, Policy]] = MappingProxyType({name: make(None) for name, make in _MAKERS.items()})
"""From weak to strong. A policy keeps nothing between choices, so that one serves every seat."""


def policy_named(name: str) -> Policy:
    """The policy. Raises ``KeyError`` with the names that there are."""
    try:
        return POLICIES[name]
    except KeyError:
        raise KeyError(f"no policy {name!r:.40}: there are {', '.join(POLICIES)}") from None


def make_policy(name: str, *, playouts: int | None = None) -> Policy:
    """The policy; ``playouts`` has one that plays out do so a number of times, not by a clock. Raises ``KeyError``."""
    return policy_named(name) if playouts is None else _MAKERS[name](playouts)
