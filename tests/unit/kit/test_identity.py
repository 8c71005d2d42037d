import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from joserfc import jwt

from shared.kit.clock import VirtualClock
from shared.kit.identity import (
    MAX_TOKEN_CHARS,
    PLAYER_AUDIENCE,
    PLAYER_TOKEN_MS,
    SERVICE_TOKEN_MS,
    Principal,
    Role,
    TokenIssuer,
    TokenVerifier,
    roles_of,
    service_audience,
)
from shared.kit.keys import KeyFileError, SigningKey, ensure_keys, publish
from shared.kit.status import UnauthenticatedError
from tests.support.kit import Identities


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def identities(clock: VirtualClock) -> Identities:
    return Identities(clock)


def refusal(verifier: TokenVerifier, token: str) -> str:
    with pytest.raises(UnauthenticatedError) as refused:
        verifier.verify(token)
    return refused.value.code


def forge(identities: Identities, signer: str, claims: Mapping[str, object] | None = None, kid: str = "") -> str:
    key = identities.keys[signer]
    body = {
        "iss": signer, "sub": "ada", "aud": PLAYER_AUDIENCE, "role": "player",
        "exp": identities.clock.now_ms() // 1000 + 60, **(claims or {}),
    }  # fmt: skip
    kept = {name: value for name, value in body.items() if value is not None}
    return jwt.encode({"alg": "Ed25519", "kid": kid or key.kid}, kept, key.jwk, algorithms=["Ed25519"])


def test_a_player_and_a_bot_are_known_by_their_accounts(identities: Identities) -> None:
    verifier = identities.verifier("table")
    assert verifier.verify(identities.player("ada")) == Principal(Role.PLAYER, "ada")
    assert verifier.verify(identities.player("robo", bot=True)) == Principal(Role.BOT, "robo")


def test_a_named_player_is_known_as_one_and_nobody_else_is(identities: Identities) -> None:
    verifier = identities.verifier("table")
    assert verifier.verify(identities.player("ada", named=True)) == Principal(Role.PLAYER, "ada", named=True)
    for claim in ("true", 1, False, ["named"]):
        assert not verifier.verify(forge(identities, "lobby", {"named": claim})).named
    assert not verifier.verify(forge(identities, "lobby", {"role": "bot", "named": True})).named
    with pytest.raises(ValueError, match="never a named one"):
        identities.player("robo", bot=True, named=True)


def test_a_service_is_known_as_itself_where_its_token_was_meant_for(identities: Identities) -> None:
    token = identities.issuer("table").for_service("shuffle").text
    caller = identities.verifier("shuffle").verify(token)
    assert (caller, caller.service) == (Principal(Role.TABLE), "table")
    assert refusal(identities.verifier("wallet"), token) == "BAD_TOKEN"


def test_the_bots_service_may_act_for_a_house_account_and_no_other_service_may(identities: Identities) -> None:
    token = identities.issuer("bots").for_service("table", account="house-7").text
    assert identities.verifier("table").verify(token) == Principal(Role.BOTS, "house-7")
    with pytest.raises(ValueError, match="only the bots service"):
        identities.issuer("gateway").for_service("table", account="ada")
    forged = forge(identities, "gateway", {"role": "gateway", "aud": service_audience("table"), "sub": "ada"})
    assert refusal(identities.verifier("table"), forged) == "BAD_TOKEN"


def test_an_operators_token_says_who_it_is(identities: Identities) -> None:
    issuer, verifier = identities.issuer("operator"), identities.verifier("table")
    named = issuer.for_service("table", account="samira").text
    assert verifier.verify(named) == Principal(Role.OPERATOR, "samira")
    assert verifier.verify(issuer.for_service("table").text) == Principal(Role.OPERATOR)
    with pytest.raises(ValueError, match="at most"):
        issuer.for_service("table", account="x" * 65)


def test_a_token_holds_until_its_last_moment_and_not_a_moment_longer(
    clock: VirtualClock, identities: Identities
) -> None:
    verifier, token = identities.verifier(), identities.player()
    clock.advance(PLAYER_TOKEN_MS - 1)
    verifier.verify(token)
    clock.advance(1)
    assert refusal(verifier, token) == "TOKEN_EXPIRED"
    assert refusal(identities.verifier(), token) == "TOKEN_EXPIRED"


def test_a_changed_token_is_refused(identities: Identities) -> None:
    head, body, signature = identities.player("ada").split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    other = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "eve"}).encode()).decode().rstrip("=")
    assert refusal(identities.verifier(), f"{head}.{other}.{signature}") == "BAD_TOKEN"


def test_a_token_without_a_signature_is_refused(identities: Identities) -> None:
    _, body, _ = identities.player("ada").split(".")
    kid = identities.keys["lobby"].kid
    for alg in ("none", "HS256"):
        head = base64.urlsafe_b64encode(json.dumps({"alg": alg, "kid": kid}).encode()).decode().rstrip("=")
        assert refusal(identities.verifier(), f"{head}.{body}.") == "BAD_TOKEN"


def test_a_stranger_s_key_is_refused_whatever_it_is_called(identities: Identities) -> None:
    stranger = TokenIssuer("lobby", SigningKey.generate(), identities.clock)
    assert refusal(identities.verifier(), stranger.for_account("ada").text) == "BAD_TOKEN"
    disguised = forge(Identities(identities.clock), "lobby", kid=identities.keys["lobby"].kid)
    assert refusal(identities.verifier(), disguised) == "BAD_TOKEN"


@pytest.mark.parametrize(
    ("signer", "claims"),
    [
        ("table", {"iss": "lobby"}),
        ("table", {}),
        ("table", {"role": "wallet", "aud": service_audience("wallet")}),
        ("lobby", {"role": "operator", "aud": service_audience("wallet")}),
        ("lobby", {"role": "anyone"}),
        ("lobby", {"role": "king"}),
        ("lobby", {"role": ["player"]}),
        ("lobby", {"role": "lobby"}),
        ("lobby", {"aud": service_audience("wallet")}),
        ("lobby", {"aud": "elsewhere"}),
        ("lobby", {"aud": [PLAYER_AUDIENCE]}),
        ("lobby", {"aud": None}),
        ("lobby", {"exp": None}),
        ("lobby", {"exp": "9999999999"}),
        ("lobby", {"sub": ""}),
        ("lobby", {"sub": "a" * 65}),
        ("lobby", {"sub": None}),
    ],
)
def test_a_well_signed_token_with_a_wrong_claim_is_refused(
    identities: Identities, signer: str, claims: dict[str, object]
) -> None:
    verifier = identities.verifier("wallet")
    verifier.verify(forge(identities, "lobby"))
    assert refusal(verifier, forge(identities, signer, claims)) == "BAD_TOKEN"


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "eyJ.eyJ.x", "\x00", "ü" * 20, "e" * (MAX_TOKEN_CHARS + 1)])
def test_garbage_is_refused(identities: Identities, text: str) -> None:
    assert refusal(identities.verifier(), text) == "BAD_TOKEN"


def test_lobby_alone_gives_the_roles_of_accounts() -> None:
    givers = {role for role in Role if Role.PLAYER in roles_of(role)}
    assert givers == {Role.LOBBY}
    assert roles_of("anyone") == roles_of("player") == roles_of("nobody") == frozenset()


def test_a_new_key_is_believed_soon_after_it_is_published_and_a_removed_one_not(
    clock: VirtualClock, tmp_path: Path
) -> None:
    old, new = ensure_keys(tmp_path, ["lobby"])["lobby"], SigningKey.generate()
    verifier = TokenVerifier.from_directory(clock, tmp_path / "public")
    publish(tmp_path / "public", "lobby", old, new)
    token = TokenIssuer("lobby", new, clock).for_account("ada").text
    clock.advance(5_000)
    verifier.verify(token)
    publish(tmp_path / "public", "lobby", new)
    clock.advance(60_000)
    assert refusal(verifier, TokenIssuer("lobby", old, clock).for_account("ada").text) == "BAD_TOKEN"


def test_a_spoilt_key_file_leaves_the_keys_that_were_good(clock: VirtualClock, tmp_path: Path) -> None:
    key = ensure_keys(tmp_path, ["lobby"])["lobby"]
    verifier = TokenVerifier.from_directory(clock, tmp_path / "public")
    (tmp_path / "public" / "lobby.jwks").write_text("{")
    clock.advance(60_000)
    verifier.verify(TokenIssuer("lobby", key, clock).for_account("ada").text)
    with pytest.raises(KeyFileError):
        TokenVerifier.from_directory(clock, tmp_path / "public")


def test_credentials_are_kept_and_signed_anew_before_they_run_out(clock: VirtualClock, identities: Identities) -> None:
    credentials, verifier = identities.credentials("table"), identities.verifier("shuffle")
    first = credentials.token("shuffle")
    clock.advance(SERVICE_TOKEN_MS // 2)
    assert credentials.token("shuffle") == first
    clock.advance(1)
    second = credentials.token("shuffle")
    assert second != first
    verifier.verify(second)


def test_an_issued_token_does_not_show_itself(identities: Identities) -> None:
    issued = identities.issuer("lobby").for_account("ada")
    assert issued.text not in repr(issued)
