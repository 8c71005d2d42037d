"""Policies by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from services.bots.policies.greedy import Greedy
from services.bots.policies.policy import Policy

POLICIES: Final[Mapping[str, Policy]] = MappingProxyType({"greedy": Greedy()})
"""A policy keeps nothing between choices, so that one serves every seat."""


def policy_named(name: str) -> Policy:
    """The policy. Raises ``KeyError`` with the names that there are."""
    try:
        return POLICIES[name]
    except KeyError:
        raise KeyError(f"no policy {name!r:.40}: there are {', '.join(POLICIES)}") from None
