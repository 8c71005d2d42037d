"""Whether a caller may come in: its token must hold, and its role must be one that the method admits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shared.kit.identity import SERVICES, Role, TokenVerifier
from shared.kit.rpc_context import AUTHORIZATION_KEY, TRACEPARENT_KEY, VIA_KEY, RpcContext
from shared.kit.status import BAD_TOKEN, NO_TOKEN, ROLE_NOT_ADMITTED, NotAllowedError, UnauthenticatedError

_SCHEME: Final = "bearer "


class Admission:
    """Reads an RPC's metadata and admits it, or raises."""

    def __init__(self, verifier: TokenVerifier) -> None:
        self._verifier = verifier

    def admit(self, rpc: RpcContext, metadata: Iterable[tuple[str, str | bytes]], roles: frozenset[Role]) -> None:
        """Fills in who calls. A method that admits anyone takes a token that does not hold for none.

        Raises :class:`UnauthenticatedError` (``NO_TOKEN``, ``BAD_TOKEN``, ``TOKEN_EXPIRED``) and
        :class:`NotAllowedError` (``ROLE_NOT_ADMITTED``).
        """
        bearer = via = ""
        for key, value in metadata:
            if key == AUTHORIZATION_KEY:
                bearer = str(value)
            elif key == TRACEPARENT_KEY:
                rpc.join_trace(str(value))
            elif key == VIA_KEY:
                via = str(value)
        if Role.ANYONE in roles:
            self._recognise(rpc, bearer)
        else:
            self._require(rpc, bearer, roles)
        if via:
            rpc.via = self._verifier.verify(via)
            if rpc.via.role not in SERVICES:
                raise UnauthenticatedError(BAD_TOKEN, "only a service forwards calls")

    def _require(self, rpc: RpcContext, bearer: str, roles: frozenset[Role]) -> None:
        if not bearer:
            raise UnauthenticatedError(NO_TOKEN, "this method needs a token")
        if bearer[: len(_SCHEME)].lower() != _SCHEME:
            raise UnauthenticatedError(BAD_TOKEN, "not a bearer token")
        token = bearer[len(_SCHEME) :]
        rpc.principal = self._verifier.verify(token)
        if rpc.principal.role not in roles:
            raise NotAllowedError(ROLE_NOT_ADMITTED, f"not for the role {rpc.principal.role}")
        rpc.token = token

    def _recognise(self, rpc: RpcContext, bearer: str) -> None:
        if not bearer:
            return
        try:
            self._require(rpc, bearer, frozenset(Role))
        except UnauthenticatedError:
            # Who may come without a token may come with one that has expired, to have it renewed.
            return
