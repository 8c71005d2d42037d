"""Callers who are not whom they would like to be: what they send with a call, and the code that it is refused with."""

import base64
import json
from typing import Any

from joserfc import jwt
from joserfc.jwk import OctKey

from shared.kit.clients import bearer
from shared.kit.clock import RealClock, VirtualClock
from shared.kit.identity import SERVICES, TokenIssuer
from shared.kit.keys import SigningKey
from tests.support.calls import Metadata
from tests.support.up import Up

HOUR_MS = 3_600_000


def strangers(up: Up, account: str) -> dict[str, tuple[Metadata, str]]:
    """Those whom no method knows that asks who calls; most claim to be this account."""
    good = up.token(account).text
    lobby_kid = up.key("lobby").kid
    stranger = SigningKey.generate()
    public_key = (up.data / "keys" / "public" / "lobby.jwks").read_text()
    header, claims, signature = good.split(".")
    claimed = _claims(good)
    an_hour_ago = VirtualClock(RealClock().now_ms() - HOUR_MS)
    tokens = {
        "noise": "noise",
        "three parts of nothing": "..",
        "the empty word": "",
        "far too long": "eyJ" + 5_000 * "x",
        "signed by nobody": f"{_part({'alg': 'none', 'kid': lobby_kid})}.{claims}.",
        "signed with what is public": _hmac(claimed, lobby_kid, public_key),
        "a stranger's key": TokenIssuer("lobby", stranger, RealClock()).for_account(account).text,
        "a stranger's key under the lobby's name": _signed(claimed, stranger, lobby_kid),
        "another account under an old signature": f"{header}.{_part({**claimed, 'sub': 'another'})}.{signature}",
        "a longer life under an old signature": f"{header}.{_part({**claimed, 'exp': 2**40})}.{signature}",
        "a signature cut short": good[:-4],
        "a service that makes players": up.issuer("wallet").for_account(account).text,
        "a service under the lobby's name": _by(up, "wallet", claimed),
        "a lobby that makes operators": _by(up, "lobby", {**claimed, "role": "operator"}),
        "a player's token for a service": _by(up, "lobby", {**claimed, "aud": "banakil/table"}),
        "a player's token for elsewhere": _by(up, "lobby", {**claimed, "aud": "chess"}),
        "a token that never ends": _by(up, "lobby", {name: value for name, value in claimed.items() if name != "exp"}),
        "an account without a name": _by(up, "lobby", {**claimed, "sub": ""}),
    }
    found: dict[str, tuple[Metadata, str]] = {name: (bearer(text), "BAD_TOKEN") for name, text in tokens.items()}
    expired = up.issuer("lobby", an_hour_ago).for_account(account).text
    return found | {
        "nobody": ((), "NO_TOKEN"),
        "a password": ((("authorization", "Basic YWRhOmFkYQ=="),), "BAD_TOKEN"),
        "an account whose token is over": (bearer(expired), "TOKEN_EXPIRED"),
    }


def callers(up: Up, account: str) -> dict[str, tuple[Metadata, str]]:
    """Every role's own token, and the role."""
    found = {
        "a player": (bearer(up.token(account).text), "player"),
        "a bot": (bearer(up.issuer("lobby").for_account(account, bot=True).text), "bot"),
        "a house bot": (bearer(up.issuer("bots").for_service("table", account=account).text), "bots"),
        "an operator": (bearer(up.issuer("operator").for_service("table").text), "operator"),
    }
    for service in sorted(SERVICES):
        found[f"the {service} service"] = (bearer(up.issuer(service).for_service("table").text), service.value)
    return found


def _claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return claims


def _part(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _signed(claims: dict[str, Any], key: SigningKey, kid: str) -> str:
    return jwt.encode({"alg": "Ed25519", "kid": kid}, claims, key.jwk, algorithms=["Ed25519"])


def _by(up: Up, issuer: str, claims: dict[str, Any]) -> str:
    key = up.key(issuer)
    return _signed(claims, key, key.kid)


def _hmac(claims: dict[str, Any], kid: str, secret: str) -> str:
    key = OctKey.import_key(secret)
    return jwt.encode({"alg": "HS256", "kid": kid}, claims, key, algorithms=["HS256"])
