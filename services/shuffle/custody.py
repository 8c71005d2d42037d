"""Custody of the secrets: drawn, sealed, opened for one deal, and everything signed by the attempt's own key."""

import os
from collections.abc import Callable

from services.shuffle.attempts import RevealedPart, StoredAttempt
from services.shuffle.signing_keys import SigningKeys
from shared.fairness import signing
from shared.fairness.commitment import SECRET_BYTES, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.derive import Derivation
from shared.fairness.fair_deal import Receipt
from shared.kit.sealing import SealingKeys


class Custody:
    """Holds both kinds of keys. `draw` gives random bytes of a length: the operating system's, but in tests."""

    def __init__(
        self, sealing: SealingKeys, signing_keys: SigningKeys, draw: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._sealing = sealing
        self._signing = signing_keys
        self._draw = draw

    @property
    def newest_key_id(self) -> str:
        """The key that signs for what begins now."""
        return self._signing.newest_id

    def begin(self, ctx: DealContext) -> StoredAttempt:
        """A new secret, committed to and sealed under the newest keys."""
        secret = self._draw(SECRET_BYTES)
        commitment = server_commitment(ctx, secret)
        key_id = self.newest_key_id
        return StoredAttempt(
            ctx=ctx,
            commitment=commitment,
            key_id=key_id,
            commit_signature=self.sign(key_id, signing.COMMIT, signing.commit_payload(ctx, commitment)),
            sealed=self._sealing.seal(secret, bound_to=ctx.encode()),
        )

    def sign(self, key_id: str, what: str, payload: bytes) -> bytes:
        """The signature of `payload` as `what`. Raises `KeyError` for a key that is not here."""
        return self._signing.sign(key_id, what, payload)

    def receipt(self, attempt: StoredAttempt, what: str, seat: int, value: bytes, now_ms: int) -> Receipt:
        """The signed word that a seat's h or c came in."""
        payload = signing.receipt_payload(attempt.ctx, seat, value, now_ms)
        return Receipt(now_ms, self.sign(attempt.key_id, what, payload))

    def reveal(self, attempt: StoredAttempt) -> RevealedPart:
        """The secret, signed, for everybody."""
        secret = self._secret(attempt)
        payload = signing.reveal_payload(attempt.ctx, secret)
        return RevealedPart(secret, self.sign(attempt.key_id, signing.REVEAL, payload))

    def derivation(self, attempt: StoredAttempt) -> Derivation:
        """All draws of an attempt that is settled."""
        assert attempt.settled is not None
        return Derivation(self._secret(attempt), attempt.settled.transcript)

    def _secret(self, attempt: StoredAttempt) -> bytes:
        if attempt.revealed is not None:
            return attempt.revealed.secret
        assert attempt.sealed is not None
        return self._sealing.open(attempt.sealed, bound_to=attempt.ctx.encode())
