"""Ceremonies for tests: contexts, a table, keys, and a service with secrets that a seed brings back."""

from dataclasses import replace

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.shuffle.attempts import Owner
from services.shuffle.closing import Closing, SeatAsked
from services.shuffle.signing_keys import SigningKeys
from shared.fairness.context import DealContext
from shared.kit.sealing import SealingKeys
from tests.support.fair_deals import drawn

OWNER = Owner("5c4b3a29-0000-4000-8000-000000000001", 3)
OTHER_TABLE = Owner("5c4b3a29-0000-4000-8000-000000000002", 9)
CTX = DealContext(b"m" * 16, 1, b"m" * 16, 1, 0, 4, "sahrat")
CUT_CTX = replace(CTX, rules="banakil202")
SEATS = (SeatAsked("ada", bot=False), SeatAsked("", bot=True), SeatAsked("نور", bot=False), SeatAsked("", bot=True))
DRAW = Closing(SEATS, dealer_draw_due=True)
CUT = Closing(SEATS, dealer_draw_due=False, host=2, cut=17)
LATER = Closing(SEATS, dealer_draw_due=False)


def sealing_keys(*seeds: str) -> SealingKeys:
    return SealingKeys(drawn(seed, "seal", 32) for seed in seeds or ("seal-1",))


def signing_keys(*seeds: str) -> SigningKeys:
    return SigningKeys(Ed25519PrivateKey.from_private_bytes(drawn(s, "sign", 32)) for s in seeds or ("sign-1",))


def verify_with(keys: dict[str, bytes], key_id: str, signed: bytes, signature: bytes) -> bool | None:
    """Whether a signature is right by the published keys; None for a key that is not among them."""
    if key_id not in keys:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(keys[key_id]).verify(signature, signed)
    except InvalidSignature:
        return False
    return True
