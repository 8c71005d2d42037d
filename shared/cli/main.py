"""The `banakil` command's entry point."""

from importlib.metadata import version as installed_version

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Banakil: replay, check and play the card game.")


@app.callback()
def root() -> None:
    """Banakil: replay, check and play the card game."""


@app.command()
def version() -> None:
    """Print the installed version."""
    typer.echo(installed_version("banakil"))
