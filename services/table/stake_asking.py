"""The stakes of a coin table's match, which the wallet holds."""

from typing import TYPE_CHECKING, Final

from banakil.wallet.v1 import wallet_pb2 as wire

from services.table.commands import Command, Funded, Unfunded
from services.table.due import NeedsStakes
from services.table.state import MissingStake, Obstacle, TableState
from shared.kit.clients import answer
from shared.kit.status import ApiError

if TYPE_CHECKING:
    from banakil.wallet.v1.wallet_pb2_grpc import WalletServiceAsyncStub

_OBSTACLES: Final = {
    wire.StakeObstacle.Value(f"STAKE_OBSTACLE_{obstacle.name}"): obstacle
    for obstacle in Obstacle
    if obstacle is not Obstacle.ABSENT
}


class StakeAsker:
    """Asks the wallet service to hold all stakes of a match or none."""

    def __init__(self, wallet: "WalletServiceAsyncStub") -> None:
        self._wallet = wallet

    async def once(self, table: TableState, due: NeedsStakes) -> Command:
        """What the wallet says. However often it is asked, each stake is held once. Raises ``ApiError``."""
        request = wire.HoldStakesRequest(
            match_id=due.match_id.hex(),
            table_id=table.table_id,
            stake_coins=due.stake,
            account_ids=due.accounts,
        )
        try:
            told = await answer(self._wallet.HoldStakes(request))
        except ApiError as error:
            if error.code != "MATCH_SETTLED":
                raise
            return Unfunded(due.match_id, ())  # given back already: who asks has been overtaken
        if told.outcome in (wire.HOLD_OUTCOME_HELD, wire.HOLD_OUTCOME_EXISTS):
            return Funded(due.match_id)
        if told.outcome != wire.HOLD_OUTCOME_REFUSED:
            raise ValueError("stakes are held or not")
        return Unfunded(
            due.match_id, tuple(MissingStake(each.seat, _OBSTACLES[each.reason]) for each in told.obstacles)
        )
