"""The ``banakil`` command's entry point: which commands there are."""

import typer

from shared.cli.admin import admin_app
from shared.cli.arena import arena_command
from shared.cli.bench import bench_app
from shared.cli.bot import bot_command
from shared.cli.cluster import keys_command, nats_config_command
from shared.cli.hints import hints_command
from shared.cli.legal import legal_command
from shared.cli.new import new_command
from shared.cli.play import play_command
from shared.cli.replay import replay_command
from shared.cli.show import show_command
from shared.cli.up import up_command
from shared.cli.vectors import vectors_command
from shared.cli.verify import verify_command
from shared.cli.version import version_command

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Banakil: replay and check game records, draw positions, try the rules.",
)
app.command("replay")(replay_command)
app.command("verify")(verify_command)
app.command("legal")(legal_command)
app.command("hints")(hints_command)
app.command("show")(show_command)
app.command("new")(new_command)
app.command("vectors")(vectors_command)
app.add_typer(bench_app, name="bench")
app.command("arena")(arena_command)
app.command("bot")(bot_command)
app.command("play")(play_command)
app.command("up")(up_command)
app.add_typer(admin_app, name="admin")
app.command("keys")(keys_command)
app.command("nats-config")(nats_config_command)
app.command("version")(version_command)
