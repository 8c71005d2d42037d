"""The platform is told to stop while people play: it ends in order, and goes on where it was when it is started."""

from pathlib import Path

from banakil.common.v1.rule_options_pb2 import Preset, RuleOptions
from banakil.table.v1.views_pb2 import View

from tests.support.calls import read_refusal
from tests.support.up import open_up
from tests.support.wire_seat import Seat, come, sit_down

OPTIONS = RuleOptions(preset=Preset.PRESET_SAHRAT, turn_seconds=300)
WORTH_A_LOOK = {"warning", "error", "critical"}


async def test_a_stop_is_no_fault_of_anybodys_and_loses_nothing(tmp_path: Path) -> None:
    async with open_up(tmp_path) as up, up.channel() as channel:
        guests = [await come(channel, name) for name in ("ada", "bea")]
        table_id = await sit_down(channel, OPTIONS, *guests)
        async with Seat(channel, table_id, guests[0]) as seat, Seat(channel, table_id, guests[1]) as other:
            for one in (seat, other):
                await one.until(lambda one=one: one.view.HasField("deal"))  # type: ignore[misc]  # its own seat
            before = View.FromString(seat.view.SerializeToString())
            assert await up.stop() == 0
            for one in (seat, other):
                fault = await one.end()
                assert fault is not None
                assert read_refusal(fault).code == "DRAINING"
            assert [line for line in up.log() if line["level"] in WORTH_A_LOOK] == []
            await up.start()
            await seat.watch()
            assert seat.view.deal.hand == before.deal.hand
            assert seat.view.match == before.match
