"""A service's own process: what it prints, how it ends, and what keeps it from starting."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import grpc

from shared.kit.clients import bearer
from shared.kit.clock import RealClock
from shared.kit.identity import TokenIssuer
from shared.kit.keys import ensure_keys
from tests.integration.kit.test_app import NAME
from tests.support.kit import PATIENCE_S

PROGRAM = """
import asyncio, sys
from pathlib import Path
from shared.kit.app import App
from shared.kit import entry
from shared.kit.settings import Settings
from tests.integration.kit.test_app import bind as bind_echo

class TestSettings(Settings, service="table"):
    pass

async def bind(app: App, settings: TestSettings) -> None:
    await bind_echo(app)
    async def announce() -> None:
        print("ready", app.address, flush=True)
    app.background("announce", announce)

entry.main(TestSettings, bind)
"""


async def start_program(**environ: str) -> asyncio.subprocess.Process:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BANAKIL_")}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, env={**clean, **environ}, stdout=-1, stderr=-1, cwd=Path(__file__).parents[3]
    )


async def test_a_process_serves_until_sigterm_and_then_ends_well(tmp_path: Path) -> None:
    key = ensure_keys(tmp_path, ["lobby"])["lobby"]
    program = await start_program(BANAKIL_TABLE_KEYS=str(tmp_path))
    assert program.stdout is not None
    _, address = (await asyncio.wait_for(program.stdout.readline(), PATIENCE_S)).decode().split()
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.unary_stream(f"/{NAME}/Watch")
        token = TokenIssuer("lobby", key, RealClock()).for_account("ada").text
        stream = call(b"", metadata=bearer(token))
        assert await stream.read() == b"snapshot"
        began_s = time.monotonic()
        program.send_signal(signal.SIGTERM)
        _, logged = await program.communicate()
        assert time.monotonic() - began_s < 3  # with an interpreter's own end, on a busy machine
    assert program.returncode == 0
    assert b"app.stopped" in logged
    assert token.encode() not in logged


async def test_a_process_with_a_misspelt_setting_does_not_start(tmp_path: Path) -> None:
    program = await start_program(BANAKIL_TABLE_LISTNE="127.0.0.1:0")
    _, said = await program.communicate()
    assert program.returncode == 2
    assert said == b"unknown setting BANAKIL_TABLE_LISTNE: did you mean BANAKIL_TABLE_LISTEN?\n"


async def test_a_process_without_a_database_address_says_so_in_a_sentence(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BANAKIL_")}
    ensure_keys(tmp_path, ["wallet"])
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.wallet", env={**clean, "BANAKIL_WALLET_KEYS": str(tmp_path)},
        stdout=-1, stderr=-1, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    _, said = await program.communicate()
    assert program.returncode == 2
    assert b"a database's address (DATABASE_URL) begins with sqlite:///" in said
    assert b"Traceback" not in said
