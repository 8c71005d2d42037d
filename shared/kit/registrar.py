"""Registers servicers so that no method is ever served without a declaration of who may call it.

A service declares, beside its servicer, which roles each method admits. A method without a declaration, or a
declaration without a method, is refused when the service starts: the mistake cannot reach a caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import grpc

from shared.kit.guard import Guard
from shared.kit.identity import Role

Roles = Mapping[str, Iterable[str]]


class UndeclaredRolesError(Exception):
    """The declaration of roles does not fit the methods of a service."""


class _Catch:
    """Stands in for a server in a generated ``add_..._to_server``, to learn what that would register."""

    def __init__(self) -> None:
        self.services: dict[str, Mapping[str, Any]] = {}

    def add_generic_rpc_handlers(self, handlers: object) -> None:
        """The same handlers come by name to the method below."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        self.services[service] = handlers


class Registrar:
    """Puts guarded services on a server, and knows their names."""

    def __init__(self, server: grpc.aio.Server, guard: Guard) -> None:
        self._server = server
        self._guard = guard
        self.services: list[str] = []

    def add(self, register: Callable[[Any, Any], None], servicer: object, roles: Roles, *, quiet: bool = False) -> None:
        """Registers ``servicer`` by its generated ``register`` function.

        ``roles`` has an entry for each of its methods, by name or by full name (``/package.Service/Method``), and may
        have entries for other services'. Raises :class:`UndeclaredRolesError`, also where it names a method of this
        service that is not there. ``quiet``: its RPCs are logged at the debug level.
        """
        catch = _Catch()
        register(servicer, catch)
        if not catch.services:
            raise UndeclaredRolesError(f"{register!r} registers no method by name: generate the stubs anew")
        for service, handlers in catch.services.items():
            declared = _declared(service, handlers, roles)
            guarded = {
                method: self._guard.wrap(f"{service}/{method}", handler, declared[method], quiet=quiet)
                for method, handler in handlers.items()
            }
            self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, guarded),))
            self.services.append(service)


def _declared(service: str, handlers: Mapping[str, Any], roles: Roles) -> dict[str, frozenset[Role]]:
    declared = {}
    for name, admitted in roles.items():
        its_service, _, method = name.removeprefix("/").rpartition("/")
        if its_service in {"", service}:
            declared[method] = frozenset(Role(role) for role in admitted)
    missing = sorted(name for name in handlers if not declared.get(name))
    unknown = sorted(set(declared) - set(handlers))
    if missing or unknown:
        raise UndeclaredRolesError(f"{service}: no roles declared for {missing}; no such method: {unknown}")
    return declared
