"""One seed from its beginning to its end."""

import uuid
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TextIO

from banakil.table.v1 import seating_pb2

from services.table.state import Stage
from shared.codec.facts import read_fact
from shared.codec.options import write_options
from shared.kit.identity import Principal, Role
from shared.kit.status import ApiError, AwayError, FullError
from tests.sim.bus import Nats
from tests.sim.checks import STANDSTILL_MS, Checks
from tests.sim.disk import folder_of_databases, simulated
from tests.sim.ending import Ending
from tests.sim.logs import watched_logs
from tests.sim.loop import Process
from tests.sim.mischief import Rascal
from tests.sim.network import Network
from tests.sim.operator import Operator
from tests.sim.plan import MIXED, Planned
from tests.sim.player import AGAIN_MS, Player
from tests.sim.pods import Sessions
from tests.sim.services import ShuffleProcess, Surroundings, TableProcess, WalletProcess
from tests.sim.wishes import Wisher
from tests.sim.world import World

LOOK_MS: Final = 1_000
TROUBLE_MS: Final = 10_000
LONGEST_MS: Final = 24 * 3_600_000
LOBBY: Final = Principal(Role.LOBBY)
OVERTAKEN: Final = ("NO_SUCH_VACANCY", "VACANCY_TAKEN", "TABLE_CLOSED")
"""Refusals of a seat that is offered no more."""


class Result(NamedTuple):
    """What came of a seed that violated nothing."""

    seed: int
    hash: str
    """Of the whole trace."""
    counts: dict[str, int]


def simulate(seed: int, kind: str = MIXED, trace: TextIO | None = None) -> Result:
    """Play a seed to its end. Raises `ViolationError`."""
    with watched_logs() as worlds, folder_of_databases() as folder:
        world = World(seed, folder, kind, trace)
        worlds.append(world)
        with simulated(world):
            try:
                return _Simulation(world).run()
            finally:
                world.end()


class _Simulation:
    def __init__(self, world: World) -> None:
        self.world = world
        self.network = Network(world)
        self.nats = Nats(self.network)
        self.around = Surroundings(world, self.network, self.nats)
        self.checks = Checks(world)
        world.on_commit = self.checks.committed
        world.after_step = self.checks.step_taken
        self.rng = world.rng("trouble")
        self.numbers = 0
        self.players: dict[str, list[Player]] = {}
        self.planned: dict[str, Planned] = {}
        self.house: dict[str, Principal] = {}
        """Of each vacancy, the house account that takes it."""
        self.is_over = False
        self.clients = Process(world, "clients")
        world.add(self.clients)

    def run(self) -> Result:
        """From the first process to the last check."""
        world, plan = self.world, self.world.plan
        sessions = Sessions(world) if plan.pods else None

        def table(name: str, lives: int | None) -> Process:
            return TableProcess(self.around, self.checks, f"table-{name}", lives=lives, sessions=sessions)

        kinds: tuple[Callable[[str, int | None], Process], ...] = (
            *[table] * (plan.pods or 1),
            lambda name, lives: ShuffleProcess(self.around, f"shuffle-{name}", lives=lives),
            lambda name, lives: WalletProcess(self.around, f"wallet-{name}", lives=lives),
        )
        for kind in kinds:
            self.keep_running(kind)
        for number, planned in enumerate(plan.tables):
            table_id = str(uuid.UUID(int=world.rng(f"table {number}").getrandbits(128), version=4))
            self.planned[table_id] = planned
            self.clients.start(self.make(table_id, planned))
        self.nats.hears = self.heard
        world.later(plan.heals_ms, self.heal)
        world.later(LOOK_MS, self.look)
        world.later(TROUBLE_MS, self.trouble)
        world.run(lambda: self.is_over, LONGEST_MS)
        ending = Ending(self.around, self.checks, self.clients)
        self.clients.start(ending.run())
        world.run(lambda: ending.is_over, LONGEST_MS)
        world.note("ends", *sorted(world.counts.items()))
        return Result(world.seed, world.hash, dict(world.counts))

    def keep_running(self, kind: Callable[[str, int | None], Process]) -> None:
        """Have a process of a kind, and another whenever it has died."""
        world = self.world
        lives = world.chances.lives
        self.numbers += 1
        world.current = None
        process = kind(str(self.numbers), round(self.rng.expovariate(1 / lives)) + 1 if lives else None)
        world.add(process)
        process.on_death["again"] = lambda: world.later(self.rng.randrange(20, 6_000), lambda: self.keep_running(kind))

    async def make(self, table_id: str, planned: Planned) -> None:
        """Make a table as the lobby does, and have everybody come."""
        people = [f"{kind}-{seat}" if kind != "house" else "" for seat, kind in enumerate(planned.seats)]
        request = seating_pb2.CreateRequest(
            table_id=table_id,
            options=write_options(planned.options),
            seats=[
                seating_pb2.SeatAssignment(account_id=name, display_name=name.title(), bot=name.startswith("bot"))
                for name in people
            ],
            private=planned.private,
        )
        await self.until_done("Create", request, LOBBY)
        self.players[table_id] = []
        for name in filter(None, people):
            role = Role.BOT if name.startswith("bot") else Role.PLAYER
            self.come(table_id, Principal(role, name))
        if self.players[table_id]:
            Rascal(self.network, self.clients, self.checks, self.players[table_id])
        if self.world.plan.operator_ms:
            Operator(self.network, self.clients, table_id, self.world.plan.operator_ms, self.world.plan.aborts)

    def come(self, table_id: str, who: Principal) -> None:
        """A client begins to watch and play."""
        planned = self.planned[table_id]
        player = Player(self.network, self.clients, self.checks, table_id, who, planned)
        if planned.habits.wish_ms and who.role is not Role.BOTS:
            Wisher(self.network, self.clients, self.checks, player, planned.habits.wish_ms)
        self.players.setdefault(table_id, []).append(player)

    def heard(self, payload: bytes) -> None:
        """A fact was published: house bots come where a seat is vacant."""
        fact = read_fact(payload)
        if fact.WhichOneof("fact") == "seat_vacated":
            self.clients.start(self.sit_down(fact.table_id, fact.seat_vacated.vacancy_id, fact.seat_vacated.seat))

    async def sit_down(self, table_id: str, vacancy: str, seat: int) -> None:
        """A house bot takes a vacancy, and plays, unless the seat's player is back."""
        who = self.house.setdefault(vacancy, Principal(Role.BOTS, f"house-{seat}-{len(self.house)}"))
        request = seating_pb2.TakeSeatRequest(table_id=table_id, vacancy_id=vacancy, display_name="House")
        if await self.until_done("TakeSeat", request, who, *OVERTAKEN) is not None:
            self.world.counts["house bots"] += 1
            self.come(table_id, who)

    async def until_done(self, method: str, request: Any, who: Principal, *but: str) -> bytes | None:
        """Call until there is an answer; `None` for a refusal that may be. Raises `ApiError` for any other."""
        while True:
            try:
                return await self.network.call(self.clients, "table", method, request, who)
            except (AwayError, FullError) as error:
                await self.clients.clock.sleep_ms(error.retry_after_ms or AGAIN_MS)
            except ApiError as error:
                if error.code in but:
                    return None
                if error.code != "TABLE_FROZEN":
                    self.world.fail(f"{method} was refused: {error.code}")
                    raise
                await self.clients.clock.sleep_ms(AGAIN_MS)

    def trouble(self) -> None:
        """What goes wrong now and then, besides messages, commits and deaths."""
        world, chances = self.world, self.world.chances
        if self.rng.random() < chances.bus_away:
            self.nats.go_away()
        for process in [each for each in world.processes if isinstance(each, TableProcess) and not each.dead]:
            if self.rng.random() < chances.pause and not process.paused:
                self.pause(process)
            elif self.rng.random() < chances.drain:
                world.counts["drains"] += 1
                world.note("told to stop", process.name)
                process.stop()
        world.later(TROUBLE_MS, self.trouble)

    def pause(self, process: TableProcess) -> None:
        """Have a process stand still for a while."""
        self.world.counts["pauses"] += 1
        self.world.note("stands still", process.name)
        process.paused = True
        if process.sessions is not None:
            process.stands_still()  # another may go on, and gives the time back

        def go_on() -> None:
            self.world.note("goes on", process.name)
            if not process.dead:
                self.checks.goes_on(process)
            process.paused = False

        self.world.later(self.rng.randrange(1_000, self.world.plan.chances.pause_ms), go_on)

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        self.world.heal()
        for process in self.world.processes:
            process.paused = False

    def look(self) -> None:
        """Whether all is over; and if not, that it goes on."""
        world, now_ms = self.world, self.world.clock.now_ms()
        books = self.checks.mirror.books
        self.is_over = len(books) == len(self.planned) and all(
            book.state.stage is Stage.CLOSED and not book.state.unrevealed for book in books.values()
        )
        if world.clock.monotonic_ms() > world.plan.heals_ms + STANDSTILL_MS:
            for table_id in self.planned:
                book = books.get(table_id)
                over = book is not None and book.state.stage is Stage.CLOSED and not book.state.unrevealed
                if not over and (book is None or now_ms - book.last_ms > STANDSTILL_MS):
                    world.fail(f"{table_id} stands still: {book and book.state.stage}")
            for players in self.players.values():
                for player in players:
                    since_ms = player.waits_since_ms
                    if since_ms is not None and world.clock.monotonic_ms() - since_ms > STANDSTILL_MS:
                        world.fail(f"{player.account} waits for an answer since {since_ms}")
        if self.is_over:
            world.heal()
        world.later(LOOK_MS, self.look)
