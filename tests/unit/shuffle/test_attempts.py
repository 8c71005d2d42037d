"""Nothing that prints shows a secret, before or after it is public."""

from services.shuffle.attempts import Opened, RevealedPart, StoredAttempt
from services.shuffle.auditing import PublicMatch
from services.shuffle.ceremonies import Revealed, Step
from services.shuffle.custody import Custody
from shared.fairness.derive import Derivation
from shared.fairness.fair_deal import Receipt
from shared.kit.sealing import Sealed
from tests.support.shuffle import CTX, sealing_keys, signing_keys

SECRET, CONTRIBUTION = b"s3cret-" * 18 + b"..", b"c0ntribution" * 2 + b"........"


def test_no_repr_shows_a_secret_or_a_contribution() -> None:
    opened = Opened({0: CONTRIBUTION}, {0: Receipt(1, b"")})
    attempt = StoredAttempt(
        CTX, bytes(64), "key", b"", Sealed("key", SECRET), opened=opened, revealed=RevealedPart(SECRET, b"")
    )
    parts = [Step(attempt), Revealed(attempt, [attempt]), PublicMatch([attempt], 0, None, {}), opened, attempt.revealed]
    custody = Custody(sealing_keys(), signing_keys(), lambda _: SECRET)
    for shown in (
        repr(attempt), str(attempt), repr(parts), repr(Derivation(SECRET, bytes(64))), repr(custody),
        repr(custody.begin(CTX)), repr(vars(custody)),
    ):  # fmt: skip
        assert "s3cret" not in shown
        assert "c0ntribution" not in shown
