"""Nothing that prints shows a secret, before or after it is public."""

from services.shuffle.attempts import ClosedPart, RevealedPart, StoredAttempt
from services.shuffle.closing import close_set
from shared.fairness.derive import Derivation
from shared.kit.sealing import Sealed
from tests.support.shuffle import CTX, DRAW

SECRET, CONTRIBUTION = b"s3cret-" * 18 + b"..", b"c0ntribution" * 2 + b"........"


def test_no_repr_shows_a_secret_or_a_contribution() -> None:
    closed = ClosedPart(b"", close_set(CTX, bytes(64), DRAW), (CONTRIBUTION, b"", b"", b""), b"", bytes(64), b"")
    attempt = StoredAttempt(CTX, bytes(64), "key", b"", Sealed("key", SECRET), closed, RevealedPart(SECRET, b""))
    for shown in (repr(attempt), str(attempt), repr(Derivation(SECRET, bytes(64))), repr([closed, attempt.revealed])):
        assert "s3cret" not in shown
        assert "c0ntribution" not in shown
