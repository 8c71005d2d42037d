"""What the page's own verification is compared with: ceremonies of all kinds, and whole deals played from them.

python -m tests.support.web_fair FOLDER
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

from banakil.shuffle.v1.days_pb2 import GetProofResponse, KeyPeriod, ListKeysResponse
from banakil.shuffle.v1.shuffle_pb2 import SigningKey

from shared.codec.fair_days import write_day_proof
from shared.fairness.checks import Check
from shared.fairness.closed import NO_HOST
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import read_fair, write_fair
from shared.fairness.rules_id import PRESETS
from shared.fairness.verify import Expected, verify_fair
from shared.rules.action_text import action_text
from shared.rules.cards import codes
from shared.rules.options import CHOICES, NAMES, RANGES, Options, make_options
from shared.rules.record import compact_json, read_record
from shared.rules.replay import DerivedStocks, drawn_starter, options_rules_id, replay, replay_json, settle_turn_start
from shared.rules.scoring import score_deal
from shared.rules.state import start_deal
from tests.support.fair_audits import audit_of, export
from tests.support.fair_days import day_of
from tests.support.fair_deals import ABSENT, BOT, HUMAN, Ceremony, Signer, with_witness
from tests.support.fair_matches import SIGNER as MATCH_SIGNER
from tests.support.fair_matches import fair_match
from tests.support.play import attempt, next_action, random_temper
from tests.support.records import record
from tests.support.series import play_series

SEED = 11
CEREMONIES = 1_000
SPOILT = 400
MATCHES = 120
SERIES: dict[str, object] = {"preset": "banakil202", "format": "best_of_3", "target": 50}
PUBLIC = 3
MOST_DEALS = 4
SIGNER = Signer()


def main(folder: Path) -> None:
    """Writes `fair.json`, `fair_records.json`, `fair_series.json` and `fair_public.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"web fair {SEED}")
    fair = {
        "key": {"id": SIGNER.key_id, "public": SIGNER.public_bytes().hex()},
        "ceremonies": [ceremony_case(rng, number) for number in range(CEREMONIES)],
        "spoilt": [spoilt_case(rng, number) for number in range(SPOILT)],
    }
    (folder / "fair.json").write_text(compact_json(fair))
    (folder / "fair_public.json").write_text(compact_json([public_case(number) for number in range(PUBLIC)]))
    (folder / "fair_records.json").write_text(compact_json([match_case(rng, number) for number in range(MATCHES)]))
    series = [play_series(rng, make_options(SERIES), swapped).record for swapped in ((), (0,), (0, 1))]
    (folder / "fair_series.json").write_text(compact_json(series))


def ceremony_case(rng: random.Random, number: int) -> dict[str, Any]:
    """One ceremony with all that follows from it."""
    options = random_options(rng)
    match_no = 1 if options.format == "single" else rng.randint(1, 3)
    ceremony = random_ceremony(rng, f"ceremony {number}", options, match_no, rng.choice((1, 1, rng.randint(2, 30))))
    deal = ceremony.deal()
    draws = deal.derivation()
    starter = drawn_starter(deal, options)
    if ceremony.signer and rng.random() < 0.5 and (humans := deal.closed.of_kind(HUMAN)):
        deal = with_witness(deal, ceremony, rng.choice(humans), starter or 0)
    pile = draws.deck_ids()[: rng.randrange(1, 106)]
    n = rng.randint(1, 5)
    return {
        "options": options_json(options),
        "fair": write_fair(deal),
        "closed": [attempt.closed.encode().hex() for attempt in (*(void.attempt for void in deal.void), deal.played)],
        "deck": list(draws.deck_ids()),
        "reshuffle": {"n": n, "pile": list(pile), "stock": list(draws.reshuffle(pile, n))},
        "autocut": draws.automatic_cut(),
        "starter": starter,
        "checks": checks_json(verified(deal, options)),
    }


def spoilt_case(rng: random.Random, number: int) -> dict[str, Any]:
    """A ceremony in whose values something was changed: what cannot be read any more, or which checks say so."""
    options = random_options(rng)
    signer = rng.random() < 0.5
    ceremony = random_ceremony(rng, f"spoilt {number}", options, 1, rng.choice((1, 2)), signed=signer)
    fair = write_fair(ceremony.deal())
    spoil(rng, fair)
    # As text: who reads the whole file with another parser would not tell 1.0 from 1.
    case = {"options": options_json(options), "text": compact_json(fair)}
    try:
        return {**case, "checks": checks_json(verified(read_fair(fair), options))}
    except FairnessError as error:
        return {**case, "unreadable": error.what}


def match_case(rng: random.Random, number: int) -> dict[str, Any]:
    """A match of some deals, played to their ends from the ceremonies' decks, and what the rules say came of them."""
    options = random_options(rng)
    deals: list[dict[str, Any]] = []
    starter = 0
    for deal_no in range(1, rng.randint(1, MOST_DEALS) + 1):
        ceremony = random_ceremony(rng, f"match {number}", options, 1, deal_no, signed=rng.random() < 0.3)
        deal = ceremony.deal()
        drawn = drawn_starter(deal, options)
        starter = (starter + 1) % options.seats if drawn is None else drawn
        deals.append(played(rng, options, deal, starter))
    file = record(options, deals)
    found = replay(read_record(json.dumps(file).encode()))
    told = [
        {
            "hands": answer["hands"],
            "pile": codes(state.pile),
            "reshuffles": state.reshuffles_used,
            "end": answer["end"],
            "teams": score_deal(state).teams,
        }
        for answer, state in zip(_deals(replay_json(found)), found.deals, strict=True)
    ]
    return {"record": file, "deals": told}


def public_case(number: int) -> dict[str, Any]:
    """A match as a record, and all that the API tells of its shuffles: audit export, proofs by day, published keys."""
    match = fair_match(f"public {number}", number + 1)
    audit = audit_of(match.deals, MATCH_SIGNER)
    yesterday = day_of(fair_match(f"another {number}", 1).deals, MATCH_SIGNER)
    day = day_of(match.deals, MATCH_SIGNER, "20250603", yesterday.day.chain)
    key = SigningKey(key_id=MATCH_SIGNER.key_id, public_key=MATCH_SIGNER.public_bytes())
    return {
        "record": match.record(),
        "audit": export(audit),
        "proofs": export(GetProofResponse(proofs=[write_day_proof(day)])),
        "keys": export(ListKeysResponse(keys=[KeyPeriod(key=key, since_ms=1_750_000_000_000)])),
    }


def _deals(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return list(answer["deals"])


def played(rng: random.Random, options: Options, deal: FairDeal, starter: int) -> dict[str, Any]:
    """The deal as one of a record's; now and then it leaves out who started."""
    stocks = DerivedStocks(deal)
    state = start_deal(options, starter, deal.derivation().deck_faces())
    temper = random_temper(rng)
    actions: list[str] = []
    while state.end is None:
        step = attempt(state, next_action(rng, state, temper))
        if step.refused is None and step.action is not None:
            actions.append(action_text(step.action))
            state = settle_turn_start(step.after, stocks)[1]
    written = {"starter": starter, "fair": write_fair(deal), "actions": actions}
    if drawn_starter(deal, options) is not None and rng.random() < 0.2:
        del written["starter"]
    return written


def random_options(rng: random.Random) -> Options:
    """A preset, as it is or with some options changed; no target that a random match could reach."""
    values: dict[str, object] = {"preset": rng.choice(PRESETS), "mode": rng.choice(CHOICES["mode"])}
    for name in rng.sample(NAMES, rng.choice((0, 0, 1, 3, 8))):
        if name == "mode":
            continue
        if name in CHOICES:
            values[name] = rng.choice(CHOICES[name])
        elif name == "max_reshuffles":
            values[name] = rng.choice((None, 0, 1, 2, 20))
        elif name in RANGES:
            least, most = RANGES[name]
            values[name] = rng.randint(least, most) // 5 * 5 if name == "stake" else rng.randint(least, most)
        else:
            values[name] = rng.random() < 0.5
    return make_options({**values, "target": 1000} if "target" in values else values)


def options_json(options: Options) -> dict[str, object]:
    """The options as a record has them."""
    return {"preset": options.preset, **options.changed}


def random_ceremony(
    rng: random.Random, seed: str, options: Options, match_no: int, deal_no: int, *, signed: bool | None = None
) -> Ceremony:
    """Seats of every kind; a cut where one is due, by the host or not; up to as many void attempts as humans allow."""
    kinds = [rng.choice((HUMAN, HUMAN, HUMAN, BOT, ABSENT)) for _ in range(options.seats)]
    humans = [seat for seat, kind in enumerate(kinds) if kind is HUMAN]
    voids: list[list[int]] = []
    while humans and rng.random() < 0.25:
        failed = sorted(rng.sample(humans, rng.randint(1, len(humans))))
        voids.append(failed)
        humans = [seat for seat in humans if seat not in failed]
    due = options.starter == "host_cut" and (match_no, deal_no) == (1, 1)
    match_seed = f"{SEED}/{seed}"
    return Ceremony(
        seed=match_seed,
        kinds=kinds,
        rules=options_rules_id(options),
        match_no=match_no,
        deal_no=deal_no,
        host=rng.randrange(options.seats) if due else NO_HOST,
        cut=rng.choice((0, rng.randint(1, 105))) if due else 0,
        beacon=rng.randbytes(rng.choice((0, 0, 1, 32, 300))),
        voids=voids,
        accounts=("p0", "ليلى", "a3eed4f5-2c1b-43ef-9707-37b78c323056", "p3"),
        secret=rng.randbytes(128),
        signer=SIGNER if (rng.random() < 0.3 if signed is None else signed) else None,
    )


def verified(deal: FairDeal, options: Options) -> list[Check]:
    """What Python says of a deal whose play and keys are not at hand."""
    expected = Expected(options_rules_id(options), options.seats, options.starter, options.format == "single")
    return verify_fair(deal, expected=expected)


def checks_json(checks: list[Check]) -> list[list[str]]:
    """Names and outcomes."""
    return [[check.name, check.outcome.value] for check in checks]


def spoil(rng: random.Random, fair: dict[str, Any]) -> None:
    """Changes one value somewhere in it: a digit, a number, a field more or less."""
    parts = [fair, *fair["seats"], *fair.get("void", [])]
    parts += [seat for void in fair.get("void", []) for seat in void["seats"]]
    if "signatures" in fair:
        parts.append(fair["signatures"])
    part = rng.choice(parts)
    name = rng.choice([name for name, value in part.items() if not isinstance(value, list | dict)])
    value = part[name]
    kind = rng.randrange(8)
    if kind == 0:
        del part[name]
    elif kind == 1:
        part[name] = rng.choice((None, True, 1.0, -1, 300, "", "AB", "zz", [], {}, "0" * 64))
    elif kind == 2:
        part[f"{name}x"] = value
    elif isinstance(value, int):
        part[name] = value + rng.choice((-1, 1, 2))
    elif value:
        at = rng.randrange(len(value))
        part[name] = value[:at] + rng.choice("0123456789abcdefA ") + value[at + 1 :]
    else:
        part[name] = rng.choice(("00", "p9"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
