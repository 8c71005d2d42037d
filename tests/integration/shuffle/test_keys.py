"""Keys are changed by adding a file: what begins then is sealed and signed by it, what had begun ends with its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from banakil.shuffle.v1 import days_pb2
from banakil.shuffle.v1.days_pb2_grpc import DayServiceStub

from shared.fairness.checks import first_failed
from shared.fairness.fair_deal import FairDeal
from shared.fairness.verify import verify_fair
from shared.kit.clients import Channels
from shared.kit.keys import KeyFileError, SigningKey
from shared.kit.private_files import write_private
from tests.support.kit import Identities
from tests.support.shuffle import CTX, DRAW, FOUR, LATER, Table, all_c, promised, verify_with
from tests.support.shuffle_service import serving

SECOND, THIRD = replace(CTX, deal_no=2), replace(CTX, deal_no=3)


@asynccontextmanager
async def started(data: Path, identities: Identities) -> AsyncIterator[Table]:
    async with serving(data, identities) as app, Channels(identities.credentials("table")) as channels:
        yield Table(channels.to(app.address, "shuffle"))


def add_keys(custody: Path, name: str) -> None:
    write_private(custody / "seal" / f"{name}.key", name.encode().hex().ljust(64, "0").encode())
    SigningKey.generate().save(custody / "sign" / f"{name}.jwk")


def remove_keys(custody: Path, name: str) -> None:
    (custody / "seal" / f"{name}.key").unlink()
    (custody / "sign" / f"{name}.jwk").unlink()


async def test_new_attempts_take_a_new_key_and_old_ones_end_with_theirs(tmp_path: Path, identities: Identities) -> None:
    custody = tmp_path / "keys" / "shuffle"
    people = promised(CTX, replace(DRAW, seats=FOUR), 0, 1)
    async with started(tmp_path, identities) as table:
        old = (await table.begin(CTX)).key_id
        await table.close(CTX, people)
    add_keys(custody, "0002")
    async with started(tmp_path, identities) as table:
        await table.contribute(CTX, all_c(CTX, 0, 1))
        new = (await table.begin(SECOND)).key_id
        assert new != old
        await table.close(SECOND, LATER)
        deck = await table.deck(CTX)
        deals = [await table.reveal(CTX)]
    # Nothing is sealed under the old keys any more, and what they signed is checked without them.
    remove_keys(custody, "0001")
    async with started(tmp_path, identities) as table:
        deals.append(await table.reveal(SECOND, match_over=True))
        public = await table.audit(CTX.match)
        told = (await DayServiceStub(table.channel).ListKeys(days_pb2.ListKeysRequest())).keys
    assert deals[0].derivation().deck_faces() == deck
    assert [signer(deal) for deal in deals] == [old, new]
    keys = {key.key_id: key.public_key for key in public.keys}
    assert keys.keys() == {old, new}
    for number, deal in enumerate(deals):
        checks = verify_fair(deal, before=deals[:number], verify_signature=partial(verify_with, keys))
        assert first_failed(checks) is None
    assert [(period.key.key_id, period.key.public_key) for period in told] == [(old, keys[old]), (new, keys[new])]
    assert told[0].until_ms == told[1].since_ms > told[0].since_ms > 0
    assert told[1].until_ms == 0


def signer(deal: FairDeal) -> str:
    assert deal.played.signatures is not None
    return deal.played.signatures.key


@pytest.mark.parametrize("lost", ["seal/0001.key", "sign/0001.jwk"])
async def test_a_service_without_the_keys_of_its_database_does_not_start(
    tmp_path: Path, identities: Identities, lost: str
) -> None:
    async with serving(tmp_path, identities) as app, Channels(identities.credentials("table")) as channels:
        await Table(channels.to(app.address, "shuffle")).begin(CTX)
    path = tmp_path / "keys" / "shuffle" / lost
    path.rename(path.with_suffix(".away"))
    with pytest.raises(KeyFileError):
        async with serving(tmp_path, identities):
            pass
    assert not path.exists()
