"""What older versions of the journal wrote is read from either database, and gone on with."""

import json
from typing import Any

import pytest

from services.table.commands import Resume
from services.table.decide import decide
from services.table.journal import FIRST_EPOCH, Journal
from services.table.moment import Now
from services.table.stepping import entry_of, make_step
from tests.support.journals import KEYS, Kept, loaded
from tests.support.local_shuffle import NOW_MS
from tests.support.old_journals import OLD, told
from tests.support.tables import TABLE_ID

INSERT = (
    "INSERT INTO entries (table_id, revision, command_id, command_digest, at_ms, match_id, deal_no, version, action,"
    " events, sealed, start) VALUES (:table_id, :revision, :command_id, :digest, :at_ms, :match, :deal_no, 1, :action,"
    " :events, :sealed, :start)"
)


async def write_old(kept: Kept, rows: list[dict[str, Any]]) -> None:
    """As version 1 did."""
    await kept.execute(
        "INSERT INTO tables (table_id, epoch, revision, live) VALUES (:table_id, 1, :revision, :live)",
        table_id=TABLE_ID, revision=rows[-1]["revision"], live=True,
    )  # fmt: skip
    await kept.execute(
        "INSERT INTO matches (match_id, table_id) VALUES (:match, :table_id)", match=rows[0]["match"], table_id=TABLE_ID
    )
    for row in rows:
        hidden = bytes.fromhex(row["hidden"])
        sealed = KEYS.seal(hidden, f"{TABLE_ID}:{row['revision']}".encode())
        fields = {name: row[name] for name in ("revision", "command_id", "at_ms", "match", "deal_no", "action")}
        await kept.execute(
            INSERT,
            table_id=TABLE_ID,
            digest=b"digest",
            events=json.dumps(row["events"]),
            sealed=sealed.key_id.encode() + sealed.data if hidden else None,
            start=None if row["start"] is None else json.dumps(row["start"]),
            **fields,
        )


@pytest.mark.parametrize("name", OLD)
async def test_a_table_that_an_older_version_wrote_is_what_it_was_and_goes_on(
    kept: Kept, journal: Journal, name: str
) -> None:
    await write_old(kept, OLD[name]["entries"])
    state = await loaded(journal)
    assert told(state) == OLD[name]["after"]
    resume = Resume(NOW_MS)
    step = make_step(state, decide(state, resume, Now(NOW_MS)), resume)
    await journal.append(entry_of(step, resume, "resume", b"", NOW_MS, FIRST_EPOCH))
    assert await loaded(journal) == step.after
    stored = await journal.load(TABLE_ID)
    assert stored is not None
    assert stored.rules_version == 1
