"""Wires the shuffle service."""

from pathlib import Path
from typing import Final

from banakil.shuffle.v1 import days_pb2_grpc, relay_pb2_grpc, shuffle_pb2_grpc

from services.shuffle.ceremonies import Ceremonies
from services.shuffle.custody import Custody
from services.shuffle.day_closing import DayCloser
from services.shuffle.day_proofs import PublicDays
from services.shuffle.day_servicer import DayServicer
from services.shuffle.day_store import DayStore
from services.shuffle.key_periods import KeyPeriods
from services.shuffle.limiting import PublicCalls
from services.shuffle.relay import RelayServicer
from services.shuffle.servicer import ShuffleServicer
from services.shuffle.settings import ShuffleSettings
from services.shuffle.signing_keys import SigningKeys
from services.shuffle.store import KeysInUse, Store
from shared.codec.methods import admitted_roles
from shared.codec.translations import translate_malformed
from shared.kit.app import App
from shared.kit.database import open_database
from shared.kit.database_faults import translate_database_faults
from shared.kit.keys import KeyFileError
from shared.kit.migrations import migrate
from shared.kit.sealing import SealingKeys
from shared.kit.settings import read_secret
from shared.kit.transactions import open_transactions

MIGRATIONS: Final = Path(__file__).parent / "migrations"


async def bind(app: App, settings: ShuffleSettings) -> None:
    """Adds the service to `app`. Raises `KeyFileError` where the keys are not those of the database."""
    password = read_secret(settings.database_password_file)
    database = await app.enter(open_database(settings.database_url, password=password))
    await migrate(database, MIGRATIONS)
    transactions = await app.enter(open_transactions(database))
    store = Store(transactions)
    in_use = await store.keys_in_use()
    # Many processes on one Postgres must share their keys, so that none may make its own.
    sealing, signing = load_keys(settings.custody_folder(), in_use, may_create=database.is_sqlite)
    custody = Custody(sealing, signing)
    periods = KeyPeriods(transactions)
    await periods.note(signing.newest_id, app.clock.now_ms())

    translate_malformed(app)
    translate_database_faults(app)
    app.readiness("shuffle.database", database.answers)
    calls, days = PublicCalls(app.clock), DayStore(transactions)
    ceremonies = Ceremonies(store, custody, app.clock)
    servicer = ShuffleServicer(ceremonies, store, calls)
    app.add_service(shuffle_pb2_grpc.add_ShuffleServiceServicer_to_server, servicer, admitted_roles())
    relay = RelayServicer(ceremonies, app.typed_error)
    app.add_service(relay_pb2_grpc.add_RelayServiceServicer_to_server, relay, admitted_roles())
    day_servicer = DayServicer(PublicDays(days), periods, calls)
    app.add_service(days_pb2_grpc.add_DayServiceServicer_to_server, day_servicer, admitted_roles())
    app.background("shuffle.days", DayCloser(days, custody, app.clock).run)


def load_keys(custody: Path, in_use: KeysInUse, *, may_create: bool) -> tuple[SealingKeys, SigningKeys]:
    """The keys in the custody folder, made where there are none and none is in use.

    Raises `KeyFileError` where one is missing that a secret lies sealed under, or that an attempt was begun with.
    """
    sealing = SealingKeys.load(custody / "seal", may_create=may_create and not in_use.sealing)
    signing = SigningKeys.load(custody / "sign", may_create=may_create and not in_use.signing)
    if not (in_use.sealing <= sealing.ids and in_use.signing <= signing.ids):
        raise KeyFileError(f"{custody} lacks keys that the database's unrevealed deals need")
    return sealing, signing
