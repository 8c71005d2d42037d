"""Wallet, table, NATS and Postgres are killed under stakes: no coin is lost, and nobody is paid twice."""

from pathlib import Path

import pytest

from tests.chaos.coins import KINDS, coin_chaos
from tests.conftest import RUN_SEED

MATCHES = 6


@pytest.mark.needs_postgres
async def test_whatever_is_killed_each_match_for_coins_is_paid_or_given_back_once(tmp_path: Path) -> None:
    counts = await coin_chaos(tmp_path, MATCHES, RUN_SEED)
    assert counts["matches won"] + counts["matches given back"] == MATCHES
    assert counts["matches won"]
    assert {f"{kind} killed" for kind in KINDS} <= counts.keys()
