"""The ``banakil`` command's entry point: which commands there are."""

import typer

from shared.cli.legal import legal_command
from shared.cli.replay import replay_command
from shared.cli.version import version_command

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Banakil: replay and check game records, draw positions, try the rules.",
)
app.command("replay")(replay_command)
app.command("legal")(legal_command)
app.command("version")(version_command)
