"""Who calls: roles, tokens, and what makes a token believed.

Tokens are JWTs signed with Ed25519 (RFC 9864). Each issuer has keys of its own, known by the name of its key file,
and may only name the roles that are its to give: ``lobby`` those of players and bots, and every service its own. A
player's token says ``aud: banakil``; a service's names the one service that it is for, so that who receives it
cannot use it elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Final

import structlog
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from shared.kit.clock import Clock
from shared.kit.keys import KeyFileError, SigningKey, load_public
from shared.kit.limits import BoundedDict
from shared.kit.status import BAD_TOKEN, TOKEN_EXPIRED, UnauthenticatedError

PLAYER_AUDIENCE: Final = "banakil"
PLAYER_TOKEN_MS: Final = 15 * 60_000
SERVICE_TOKEN_MS: Final = 5 * 60_000
MAX_TOKEN_CHARS: Final = 1_024
MAX_ACCOUNT_CHARS: Final = 64
CACHED_TOKENS: Final = 20_000
KEPT_TOKENS: Final = 10_000
REFRESH_KEYS_MS: Final = 60_000
LOOK_AGAIN_MS: Final = 5_000
_ALGORITHM: Final = "Ed25519"

_log = structlog.get_logger("kit.identity")


class Role(StrEnum):
    """What a caller is. ``ANYONE`` is no one's role: an RPC that admits it asks for no token."""

    ANYONE = "anyone"
    PLAYER = "player"
    BOT = "bot"
    TABLE = "table"
    LOBBY = "lobby"
    SHUFFLE = "shuffle"
    WALLET = "wallet"
    BOTS = "bots"
    GATEWAY = "gateway"
    OPERATOR = "operator"


SERVICES: Final = frozenset({Role.TABLE, Role.LOBBY, Role.SHUFFLE, Role.WALLET, Role.BOTS, Role.GATEWAY})
ACCOUNT_ROLES: Final = frozenset({Role.PLAYER, Role.BOT})
_NAMING: Final = frozenset({Role.BOTS, Role.OPERATOR})
"""Whose own tokens may name somebody."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller that has been believed. ``account`` is the public id of the account that it acts for, or an operator's
    name; else empty. ``named``: a player whose account has a user name and a password, and is no guest's."""

    role: Role
    account: str = ""
    named: bool = False

    ANYONE: ClassVar[Principal]

    @property
    def service(self) -> str:
        """The service's name, or empty for a player, a bot or nobody."""
        return self.role.value if self.role in SERVICES else ""


Principal.ANYONE = Principal(Role.ANYONE)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A fresh token. The text is a secret: its repr does not show it."""

    text: str
    expires_ms: int

    def __repr__(self) -> str:
        return f"IssuedToken(expires_ms={self.expires_ms})"


def service_audience(service: str) -> str:
    """The audience of tokens meant for ``service`` alone."""
    return f"{PLAYER_AUDIENCE}/{service}"


def roles_of(issuer: str) -> frozenset[Role]:
    """The roles that ``issuer``'s signature can give: its own, and lobby's also those of accounts."""
    own = frozenset(role for role in Role if role is not Role.ANYONE and role not in ACCOUNT_ROLES and role == issuer)
    return own | ACCOUNT_ROLES if issuer == Role.LOBBY else own


class TokenIssuer:
    """Signs tokens in the name of one issuer (a service, or ``operator``)."""

    def __init__(self, issuer: str, key: SigningKey, clock: Clock) -> None:
        if not roles_of(issuer):
            raise ValueError(f"{issuer!r} is no issuer of tokens")
        self.issuer = issuer
        self._key = key
        self._clock = clock

    def for_account(
        self, account: str, *, bot: bool = False, named: bool = False, life_ms: int = PLAYER_TOKEN_MS
    ) -> IssuedToken:
        """A token for a player's or a bot's account, the player's maybe named. Only lobby's will be believed."""
        if not 0 < len(account) <= MAX_ACCOUNT_CHARS:
            raise ValueError(f"an account id has 1 to {MAX_ACCOUNT_CHARS} characters")
        if bot and named:
            raise ValueError("a bot's account is never a named one")
        return self._sign(Role.BOT if bot else Role.PLAYER, PLAYER_AUDIENCE, life_ms, account, named=named)

    def for_service(self, service: str, *, account: str = "", life_ms: int = SERVICE_TOKEN_MS) -> IssuedToken:
        """The issuer's own token for calls to ``service``. One of ``bots`` may name the house account that it acts for,
        and an operator's names who that is."""
        if account and self.issuer not in _NAMING:
            raise ValueError("only the bots service acts for accounts of its own")
        if len(account) > MAX_ACCOUNT_CHARS:
            raise ValueError(f"a name has at most {MAX_ACCOUNT_CHARS} characters")
        return self._sign(Role(self.issuer), service_audience(service), life_ms, account or self.issuer)

    def _sign(self, role: Role, audience: str, life_ms: int, subject: str, *, named: bool = False) -> IssuedToken:
        now_s = self._clock.now_ms() // 1000
        expires_s = now_s + max(1, life_ms // 1000)
        claims = {
            "iss": self.issuer,
            "sub": subject,
            "aud": audience,
            "role": role.value,
            "iat": now_s,
            "exp": expires_s,
            **({"named": True} if named else {}),
        }
        text = jwt.encode({"alg": _ALGORITHM, "kid": self._key.kid}, claims, self._key.jwk, algorithms=[_ALGORITHM])
        return IssuedToken(text, expires_s * 1000)


class TokenVerifier:
    """Believes tokens, or says why not. Remembers those that it believed until they expire."""

    def __init__(
        self,
        clock: Clock,
        load: Callable[[], Mapping[str, Iterable[OKPKey]]],
        audiences: Collection[str] = (),
    ) -> None:
        self._clock = clock
        self._load = load
        self._audiences = {PLAYER_AUDIENCE, *audiences}
        self._keys = _by_id(load())
        self._loaded_ms = clock.monotonic_ms()
        self._believed: BoundedDict[str, tuple[Principal, int]] = BoundedDict(CACHED_TOKENS)

    @classmethod
    def from_directory(cls, clock: Clock, public_keys: Path, services: Collection[str] = ()) -> TokenVerifier:
        """Believes the issuers whose ``<issuer>.jwks`` lies in ``public_keys``; accepts tokens for ``services``."""
        return cls(clock, lambda: load_public(public_keys), [service_audience(service) for service in services])

    def verify(self, token: str) -> Principal:
        """Who holds ``token``. Raises :class:`UnauthenticatedError` (``BAD_TOKEN``, ``TOKEN_EXPIRED``), no leeway."""
        believed = self._believed.get(token)
        if believed is None:
            believed = self._believed[token] = self._check(token)
        if believed[1] <= self._clock.now_ms():
            raise UnauthenticatedError(TOKEN_EXPIRED, "the token has expired")
        return believed[0]

    def _check(self, token: str) -> tuple[Principal, int]:
        if len(token) > MAX_TOKEN_CHARS:
            raise _bad("too long")
        seen: list[str] = []

        def key_of(guest: Any) -> OKPKey:
            issuer, key = self._key(guest.headers().get("kid"))
            seen.append(issuer)
            return key

        try:
            claims = jwt.decode(token, key_of, algorithms=[_ALGORITHM]).claims
        except (JoseError, ValueError, TypeError, KeyError):
            raise _bad("it does not verify") from None
        return self._read(claims, seen[0])

    def _read(self, claims: dict[str, Any], issuer: str) -> tuple[Principal, int]:
        subject, expires_s = claims.get("sub"), claims.get("exp")
        role, audience = _text(claims, "role"), _text(claims, "aud")
        if claims.get("iss") != issuer:
            raise _bad("another's key")
        if audience not in self._audiences:
            raise _bad("meant for another audience")
        if not isinstance(expires_s, int) or not isinstance(subject, str) or not 0 < len(subject) <= MAX_ACCOUNT_CHARS:
            raise _bad("a claim is missing")
        if role not in roles_of(issuer):
            raise _bad("the role is not its issuer's to give")
        if (role in ACCOUNT_ROLES) != (audience == PLAYER_AUDIENCE):
            raise _bad("the role does not fit the audience")
        if role in ACCOUNT_ROLES or (role in _NAMING and subject != issuer):
            named = role == Role.PLAYER and claims.get("named") is True
            return Principal(Role(role), subject, named), expires_s * 1000
        if subject != issuer:
            raise _bad("a service speaks for itself")
        return Principal(Role(role)), expires_s * 1000

    def _key(self, kid: object) -> tuple[str, OKPKey]:
        age_ms = self._clock.monotonic_ms() - self._loaded_ms
        if age_ms >= (REFRESH_KEYS_MS if kid in self._keys else LOOK_AGAIN_MS):
            self._refresh()
        if not isinstance(kid, str) or kid not in self._keys:
            raise _bad("an unknown key")
        return self._keys[kid]

    def _refresh(self) -> None:
        self._loaded_ms = self._clock.monotonic_ms()
        try:
            self._keys = _by_id(self._load())
        except KeyFileError as fault:
            # Half-written files: go on with the keys that were good a minute ago.
            _log.error("keys.refused", reason=str(fault))


class ServiceCredentials:
    """A service's own tokens, one for each service that it calls, signed anew when half their life is over."""

    def __init__(self, issuer: TokenIssuer, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._tokens: BoundedDict[tuple[str, str], IssuedToken] = BoundedDict(KEPT_TOKENS)

    def token(self, service: str, account: str = "") -> str:
        """A token for calls to ``service``, good for 2 minutes; ``account`` as in :meth:`TokenIssuer.for_service`."""
        held = self._tokens.get((service, account))
        if held is None or held.expires_ms - self._clock.now_ms() < SERVICE_TOKEN_MS // 2:
            held = self._tokens[service, account] = self._issuer.for_service(service, account=account)
        return held.text


def _by_id(keys: Mapping[str, Iterable[OKPKey]]) -> dict[str, tuple[str, OKPKey]]:
    return {key.thumbprint(): (issuer, key) for issuer, its_keys in keys.items() for key in its_keys}


def _text(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    return value if isinstance(value, str) else ""


def _bad(why: str) -> UnauthenticatedError:
    return UnauthenticatedError(BAD_TOKEN, f"the token is refused: {why}")
