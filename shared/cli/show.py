"""``banakil show``: draws the position at the end of a record in the terminal."""

import sys
from typing import Annotated

import typer

from shared.cli.answers import BAD_FILE
from shared.cli.files import read_file
from shared.cli.patience import BEFORE_ANSWER_SECONDS, Patience
from shared.cli.words import WORDS, Lang
from shared.rules.record import Record, read_record
from shared.rules.refusal import RecordError
from shared.rules.replay import Replay, ReplayError, replay
from shared.rules.views import view_of


def show_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A record file; - is standard input.")],
    lang: Annotated[Lang, typer.Option(help="Language of the words.")] = Lang.ENGLISH,
    seat: Annotated[
        int | None, typer.Option(min=0, max=3, help="Only what this seat sees, 0 to 3 as in files.")
    ] = None,
    all_hands: Annotated[bool, typer.Option("--all", help="Every hand; this is the default.")] = False,
) -> None:
    """Draw the position at the end of a record's last deal. Refused actions are skipped."""
    if all_hands and seat is not None:
        raise typer.BadParameter("--seat and --all exclude each other")
    try:
        record = read_record(read_file(file))
        replayed = replay(record, lenient=True, watch=Patience(BEFORE_ANSWER_SECONDS))
        if not replayed.deals:
            raise RecordError("the record has no deal")
        if seat is not None and seat >= record.options.seats:
            raise typer.BadParameter(f"this table has seats 0 to {record.options.seats - 1}")
    except RecordError as error:
        _fail(f"{file}: {error.code}: {error}")
    except ReplayError as error:
        _fail(f"{file}: deal {error.deal}, action {error.action}: {error.code}: {error}")
    else:
        _draw(record, replayed, seat, lang)


def _fail(message: str) -> None:
    print(message.encode("ascii", "backslashreplace").decode(), file=sys.stderr)
    raise typer.Exit(BAD_FILE)


def _draw(record: Record, replayed: Replay, seat: int | None, lang: Lang) -> None:
    # Only drawing needs rich, and loading it takes longer than replaying a file.
    from rich.console import Console  # noqa: PLC0415

    from shared.cli.drawing import Scene, draw_scene  # noqa: PLC0415

    state, match = replayed.deals[-1], replayed.match
    assert match is not None
    view = view_of(state, seat)
    shown = view.hands or (state.hands if seat is None else None)
    own = tuple(view.hand if at == seat else None for at in range(len(view.hand_sizes)))
    scene = Scene(
        view=view,
        hands=own if shown is None else shown,
        players=record.players,
        deal_no=len(replayed.deals),
        match=match,
        score=replayed.scores[-1],
        skipped=len(replayed.refused),
    )
    console = Console(highlight=False)
    signs = console.encoding.lower().startswith("utf")
    if not signs and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    for part in draw_scene(scene, WORDS[lang], signs=signs):
        console.print(part)
