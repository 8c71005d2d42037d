"""The two promises made before anybody shows anything: `C` over the server's secret, `h` over a seat's contribution."""

from shared.fairness.context import DealContext
from shared.fairness.encoding import digest, require_length, tag, u8
from shared.fairness.errors import FairnessError

SECRET_BYTES = 128
CONTRIBUTION_BYTES = 32


def server_commitment(ctx: DealContext, secret: bytes) -> bytes:
    """`C`. `FairnessError` for a secret that is not 128 bytes."""
    require_length(secret, "secret", SECRET_BYTES)
    return digest(tag("server-commit"), ctx.encode(), secret)


def client_commitment(ctx: DealContext, seat: int, contribution: bytes) -> bytes:
    """`h` of a seat for its contribution `c`. `FairnessError` for a `c` that is not 32 bytes or a seat out of range."""
    if not 0 <= seat < ctx.seats:
        raise FairnessError("seat", f"is {seat}; the deal has {ctx.seats} seats")
    require_length(contribution, "c", CONTRIBUTION_BYTES)
    return digest(tag("client-commit"), ctx.encode(), u8(seat), contribution)
