"""``banakil verify``: checks the fair shuffle of records and of audit exports, alone."""

import sys
from typing import Annotated

import typer

from shared.cli.answers import BAD_FILE, LONGEST_MESSAGE, json_line
from shared.cli.files import read_file
from shared.cli.patience import REPLAY_SECONDS, Patience
from shared.cli.verify_record import check_file
from shared.cli.verify_report import Evidence, Report
from shared.fairness.day import DayProof
from shared.fairness.day_json import read_day_proof
from shared.fairness.errors import FairnessError
from shared.fairness.signing_keys import KeyBook, read_keys
from shared.rules.record import read_json
from shared.rules.refusal import RecordError


def verify_command(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Records or audit exports; - is standard input.")],
    keys: Annotated[str | None, typer.Option(metavar="FILE", help="The shuffle service's published keys.")] = None,
    days: Annotated[
        list[str] | None, typer.Option("--day", metavar="FILE", help="A day's proof; may be given several times.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a file, on one line.")] = False,
    patience: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Processor time for each file; 0 is no limit.")
    ] = REPLAY_SECONDS,
) -> None:
    """Check that the cards of every deal are the ones that its secret and the players' numbers give (docs/fair.md).

    Each check holds, fails, or cannot be made from the file. Exit code 0 where nothing fails and all that the files can
    show holds; else 2, and the first check that failed is named.
    """
    evidence = _evidence(keys, days or [])
    well = True
    for name in files:
        try:
            report = verify_file(read_file(name), evidence, Patience(patience))
        except RecordError as error:
            well = False
            _print_error(name, error, as_json=as_json)
            continue
        well = well and report.verdict() is None
        if as_json:
            print(json_line({"file": name, **report.json()}))
        else:
            print(_plain(name))
            for line in report.lines():
                print(_plain(line))
    if not well:
        raise typer.Exit(BAD_FILE)


def verify_file(data: bytes, evidence: Evidence, patience: Patience) -> Report:
    """The checks of a file. Raises ``RecordError`` for one that can't be read or takes too long."""
    value = read_json(data)
    if not isinstance(value, dict) or "format" in value or "deals" not in value:
        return check_file(value, evidence, patience)
    # Only what the API answered needs protobuf, and loading it takes longer than checking a file.
    from shared.cli.verify_audit import check_audit  # noqa: PLC0415

    return check_audit(value, evidence, patience)


def _evidence(keys: str | None, days: list[str]) -> Evidence:
    """What the options name. Exits where it can't be read: a check that was asked for must not be left out."""
    name = keys or ""
    try:
        published = None if keys is None else read_keys(read_file(keys))
        proofs: list[DayProof] = []
        for name in days:
            proofs += _days(read_json(read_file(name)))
    except (RecordError, FairnessError) as error:
        print(_plain(f"{name}: {error}"), file=sys.stderr)
        raise typer.Exit(BAD_FILE) from None
    return Evidence(KeyBook(published), proofs)


def _days(value: object) -> list[DayProof]:
    """A day's proof, or the days of the API's answer."""
    if not isinstance(value, dict) or "proofs" not in value:
        return [read_day_proof(value)]
    from shared.cli.verify_wire import day_proofs  # noqa: PLC0415  # see above

    return day_proofs(value)


def _print_error(name: str, error: RecordError, *, as_json: bool) -> None:
    message = str(error)[:LONGEST_MESSAGE]
    if as_json:
        print(json_line({"file": name, "error": {"code": error.code.value, "message": message}}))
    else:
        print(_plain(name))
        print(_plain(f"  {error.code}: {message}"))


def _plain(text: str) -> str:
    """The text with nothing that a terminal would act on: files are anybody's."""
    return "".join(char if char.isprintable() and char.isascii() else repr(char)[1:-1] for char in text)
