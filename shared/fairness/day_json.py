"""Reads and writes a day's root, its list, and the proofs of its reveals (docs/fair.md). As strict as `fair_json`."""

from collections.abc import Mapping

from shared.fairness.context import MATCH_NO_MAX, SEAT_COUNTS, DealContext
from shared.fairness.day import DayProof, DayRoot, LeafProof, Listed
from shared.fairness.encoding import HASH_BYTES, ID_BYTES, SIGNATURE_BYTES, U32_MAX, unhex
from shared.fairness.errors import FairnessError
from shared.fairness.json_fields import Json, as_integer, as_list, as_object, as_text

PATH_MAX = 32
"""More steps than any tree of 2^32 leaves has."""
LEAVES_MAX = 1000
"""As many as a match of the longest record can have, each deal with every void attempt."""

_DAY_FIELDS = ("date", "count", "root", "chain", "previous_chain", "key", "signature")
_LISTED_FIELDS = ("series", "match_no", "match", "deal_no", "attempt", "seats", "rules", "commitment")
_LEAF_FIELDS = (*_LISTED_FIELDS, "index", "path")


def read_day_root(value: object) -> DayRoot:
    """A day as published. `FairnessError`, naming the field, where it can't be read."""
    fields = as_object(value, "day", _DAY_FIELDS, ())
    return DayRoot(
        date=as_text(fields["date"], "date"),
        count=as_integer(fields["count"], "count", 0, U32_MAX),
        root=unhex(fields["root"], "root", HASH_BYTES),
        chain=unhex(fields["chain"], "chain", HASH_BYTES),
        previous_chain=unhex(fields["previous_chain"], "previous_chain", HASH_BYTES),
        key=as_text(fields["key"], "key"),
        signature=unhex(fields["signature"], "signature", SIGNATURE_BYTES),
    )


def write_day_root(day: DayRoot) -> Json:
    """The day's object; `read_day_root` gives the same day back."""
    return {
        "date": day.date,
        "count": day.count,
        "root": day.root.hex(),
        "chain": day.chain.hex(),
        "previous_chain": day.previous_chain.hex(),
        "key": day.key,
        "signature": day.signature.hex(),
    }


def read_listed(value: object, where: str) -> Listed:
    """One entry of a day's list. `FairnessError`, naming the field, where it can't be read."""
    return _listed(as_object(value, where, _LISTED_FIELDS, ()), where)


def write_listed(listed: Listed) -> Json:
    """One entry of a day's list."""
    ctx = listed.ctx
    return {
        "series": ctx.series.hex(),
        "match_no": ctx.match_no,
        "match": ctx.match.hex(),
        "deal_no": ctx.deal_no,
        "attempt": ctx.attempt,
        "seats": ctx.seats,
        "rules": ctx.rules,
        "commitment": listed.commitment.hex(),
    }


def read_day_proof(value: object) -> DayProof:
    """A day with the proofs of some of its reveals. `FairnessError`, naming the field, where it can't be read."""
    fields = as_object(value, "proof", ("day", "leaves"), ())
    leaves = as_list(fields["leaves"], "leaves", LEAVES_MAX)
    return DayProof(
        read_day_root(fields["day"]),
        tuple(_read_leaf(leaf, f"leaves[{number}]") for number, leaf in enumerate(leaves)),
    )


def write_day_proof(proof: DayProof) -> Json:
    """The day and its proofs. `FairnessError` for more leaves than one file holds."""
    if len(proof.leaves) > LEAVES_MAX:
        raise FairnessError("leaves", f"has more than {LEAVES_MAX} entries")
    return {
        "day": write_day_root(proof.day),
        "leaves": [
            {**write_listed(leaf.listed), "index": leaf.index, "path": [step.hex() for step in leaf.path]}
            for leaf in proof.leaves
        ],
    }


def _read_leaf(value: object, where: str) -> LeafProof:
    fields = as_object(value, where, _LEAF_FIELDS, ())
    return LeafProof(
        _listed(fields, where),
        as_integer(fields["index"], where + ".index", 0, U32_MAX),
        tuple(unhex(step, where + ".path", HASH_BYTES) for step in as_list(fields["path"], where + ".path", PATH_MAX)),
    )


def _listed(fields: Mapping[str, object], where: str) -> Listed:
    return Listed(
        DealContext(
            series=unhex(fields["series"], where + ".series", ID_BYTES),
            match_no=as_integer(fields["match_no"], where + ".match_no", 1, MATCH_NO_MAX),
            match=unhex(fields["match"], where + ".match", ID_BYTES),
            deal_no=as_integer(fields["deal_no"], where + ".deal_no", 1, U32_MAX),
            attempt=as_integer(fields["attempt"], where + ".attempt", 0, U32_MAX),
            seats=as_integer(fields["seats"], where + ".seats", min(SEAT_COUNTS), max(SEAT_COUNTS)),
            rules=as_text(fields["rules"], where + ".rules"),
        ),
        unhex(fields["commitment"], where + ".commitment", HASH_BYTES),
    )
