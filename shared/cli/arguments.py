"""Arguments that several commands take."""

from typing import Annotated, TypeAlias

import typer

Files: TypeAlias = Annotated[list[str], typer.Argument(metavar="FILE", help="Record files; - is standard input.")]
Lenient: TypeAlias = Annotated[bool, typer.Option("--lenient", help="Skip refused actions and list them.")]
PatienceSeconds: TypeAlias = Annotated[
    float, typer.Option("--patience", min=0, metavar="SECONDS", help="Processor time for each file; 0 is no limit.")
]
